//! Instances of sides as the director sees them: reading and writing members, and calling methods, happens over there.

use crate::membrane::{HomeId, Membrane};
use crate::testing::director::Director;
use crate::value::{InstanceId, Value};
use crate::vm::{Atom, Cx, Failure, NativeFn, Outcome, Raise, Returns, TypeTable, Vm, light};

/// Describes instance handles to the director's VM.
pub fn register(vm: &Vm) -> Result<(), Failure> {
    vm.register_light(
        light::INSTANCE,
        TypeTable {
            index: Some(index),
            newindex: Some(newindex),
            namecall: Some(namecall),
            tostring: Some(tostring),
            ..TypeTable::named("Instance")
        },
    )
}

/// Accesses of a member on a side, as Luau source run there.
const INDEX: &str = "local object, key = ... return object[key]";
/// See [`INDEX`].
const NEWINDEX: &str = "local object, key, value = ... object[key] = value";
/// See [`INDEX`].
const NAMECALL: &str = "local object, key = ... return object[key](object, select(3, ...))";

const TOSTRING: &str = "return tostring((...))";

/// What is done to an instance, by the name it is noted under.
const ACCESSES: [(&str, &str); 4] =
    [("index", INDEX), ("newindex", NEWINDEX), ("namecall", NAMECALL), ("tostring", TOSTRING)];

/// Names as the Luau half calls them.
pub const NATIVES: &[(&str, NativeFn)] = &[("forward", forward_again)];

fn index(cx: &mut Cx<'_>, _: Atom) -> Outcome {
    let (instance, key) = (cx.instance(1)?, cx.value(2)?);
    forward(cx, "index", instance, vec![key])
}

fn newindex(cx: &mut Cx<'_>, _: Atom) -> Outcome {
    let (instance, key) = (cx.instance(1)?, cx.value(2)?);
    let value = cx.value(3)?;
    forward(cx, "newindex", instance, vec![key, value])
}

fn namecall(cx: &mut Cx<'_>, _: Atom) -> Outcome {
    let instance = cx.instance(0)?;
    let mut arguments = vec![Value::string(cx.callee())];
    arguments.extend(Membrane::arguments(cx, 1)?);
    forward(cx, "namecall", instance, arguments)
}

fn tostring(cx: &mut Cx<'_>) -> Outcome {
    let instance = cx.instance(1)?;
    forward(cx, "tostring", instance, Vec::new())
}

/// An access that is repeated: how, to what, and with what.
fn forward_again(cx: &mut Cx<'_>) -> Outcome {
    let (name, instance) = (cx.text(1)?, cx.instance(2)?);
    let (name, _) =
        ACCESSES.into_iter().find(|(known, _)| *known == name).ok_or("there is no such access")?;
    let arguments = Membrane::arguments(cx, 3)?;
    forward(cx, name, instance, arguments)
}

/// Runs an access on the side of an instance, with the instance and `arguments` as `...`.
fn forward(cx: &mut Cx<'_>, name: &'static str, instance: InstanceId, arguments: Vec<Value>) -> Outcome {
    let director = Director::current().ok_or("the test run is over")?;
    let membrane = director.membrane.clone();
    let (home, id) = membrane.resolve(instance).ok_or("this instance belongs to no world")?;
    if let Some(slot) = membrane.world_of(home).and_then(|world| director.worlds.get(world).ok()) {
        let mut noted = vec![Value::from(name), Value::Instance(instance)];
        noted.extend(arguments.iter().cloned());
        slot.journal.note_member(&slot.world, noted);
    }
    let (_, source) =
        ACCESSES.into_iter().find(|(known, _)| *known == name).ok_or("there is no such access")?;
    let function = director.worlds.helper(home, source).map_err(Raise::new)?;
    let mut translated = vec![Value::Instance(id)];
    translated.extend(membrane.translate_all(&arguments, HomeId::DIRECTOR, home)?);
    membrane.call(cx, HomeId::DIRECTOR, home, &function, &translated)
}

/// The handle of a side's instance.
pub fn shown(director: &Director, home: HomeId, instance: InstanceId) -> Value {
    Value::Instance(director.membrane.intern(home, instance))
}

/// Pushes the handle of a side's instance.
pub fn push(cx: &Cx<'_>, director: &Director, home: HomeId, instance: InstanceId) -> Returns {
    cx.push_instance(director.membrane.intern(home, instance));
    Returns::ONE
}
