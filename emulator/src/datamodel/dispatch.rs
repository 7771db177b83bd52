//! What `x.Name`, `x.Name = y`, `x:Name()` and `tostring(x)` do for instances. Source: Roblox behaviour, 7.2.
//!
//! Lookup order: stub, member of the class, child. Members win over children.

use std::rc::Rc;

use super::members::{self, Callback, EngineMember, Entry};
use super::store::Store;
use super::{messages, properties};
use crate::peer::Peer;
use crate::services;
use crate::shared::DiagnosticCode;
use crate::value::{InstanceId, SignalKey, Value};
use crate::vm::{Atom, Cx, Failure, Handle, Outcome, Raise, Returns, Type, TypeTable, Vm, light};

/// Teaches a VM what instances are. Once, before it is sealed.
pub fn register(vm: &Vm) -> Result<(), Failure> {
    members::register_names();
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

/// The member `name` of an instance's class, if it has one.
fn entry(peer: &Rc<Peer>, id: InstanceId, atom: Atom) -> Option<Entry> {
    let class = peer.data_model().store().class(id);
    members::of(class).by_name.get(atom).copied()
}

fn index(cx: &mut Cx<'_>, atom: Atom) -> Outcome {
    let id = cx.instance(1)?;
    let peer = cx.peer();
    let model = peer.data_model();
    let class = model.store().class(id);
    if let Some(stub) = model.stub(class, atom) {
        cx.push_handle(&stub);
        return Ok(Returns::ONE);
    }
    match entry(&peer, id, atom) {
        Some(Entry::Property(property)) => {
            if properties::is_for_plugins(property) {
                return Err(messages::no_capability(property.name()).into());
            }
            let value = properties::get(&model.store(), id, property);
            cx.push(&value);
            Ok(Returns::ONE)
        }
        Some(Entry::Computed(member, get, ..)) => {
            member.check_side(model.is_server())?;
            let value = get(&peer, id)?;
            cx.push(&value);
            Ok(Returns::ONE)
        }
        Some(Entry::Method(_, method, _)) => {
            cx.push_method(&method);
            Ok(Returns::ONE)
        }
        Some(Entry::Event(member, event)) => {
            member.check_side(model.is_server())?;
            cx.push_signal(SignalKey { instance: id, event });
            Ok(Returns::ONE)
        }
        Some(Entry::Callback(member)) => Err(messages::callback_get(member.name, class.name()).into()),
        Some(Entry::Silent(member, event)) => {
            note_silent(&peer, class.name(), member);
            cx.push_signal(SignalKey { instance: id, event });
            Ok(Returns::ONE)
        }
        Some(Entry::Missing(member)) => Err(missing(class.name(), member).into()),
        None => {
            let key = cx.text(2).unwrap_or_default();
            let child = model.store().find_child(id, &key);
            let child = child.ok_or_else(|| unknown(&model.store(), id, &key))?;
            cx.push_instance(child);
            Ok(Returns::ONE)
        }
    }
}

/// The value scripts read as `x.Name`: a property, an event or a child. Methods and callbacks have none.
///
/// Errors: the text a script would get.
pub fn read(peer: &Rc<Peer>, id: InstanceId, name: &str) -> Result<Value, String> {
    let model = peer.data_model();
    let class = model.store().class(id);
    match entry(peer, id, Atom::find(name.as_bytes()).unwrap_or(Atom::NONE)) {
        Some(Entry::Property(property)) => Ok(properties::get(&model.store(), id, property)),
        Some(Entry::Computed(member, get, ..)) => {
            member.check_side(model.is_server())?;
            get(peer, id)
        }
        Some(Entry::Event(member, event)) => {
            member.check_side(model.is_server())?;
            Ok(Value::Signal(SignalKey { instance: id, event }))
        }
        Some(Entry::Method(..)) => Err(format!("{name} is a method of {}; call it", class.name())),
        Some(Entry::Callback(_)) => Err(messages::callback_get(name, class.name())),
        Some(Entry::Silent(_, event)) => Ok(Value::Signal(SignalKey { instance: id, event })),
        Some(Entry::Missing(member)) => Err(missing(class.name(), member)),
        None => match model.store().find_child(id, name) {
            Some(child) => Ok(Value::Instance(child)),
            None => Err(unknown(&model.store(), id, name)),
        },
    }
}

/// Sets what scripts set as `x.Name = y`; callbacks are not set this way.
///
/// Errors: the text a script would get.
pub fn write(peer: &Rc<Peer>, id: InstanceId, name: &str, value: Value) -> Result<(), String> {
    let model = peer.data_model();
    match entry(peer, id, Atom::find(name.as_bytes()).unwrap_or(Atom::NONE)) {
        Some(Entry::Property(property)) => properties::assign(peer, id, property, value),
        Some(Entry::Computed(member, _, set, property)) => {
            member.check_side(model.is_server())?;
            match (set, property) {
                (Some(set), _) => set(peer, id, value),
                (None, Some(property)) => properties::assign(peer, id, property, value),
                (None, None) => Err(messages::read_only(member.name)),
            }
        }
        Some(Entry::Callback(_) | Entry::Method(..) | Entry::Event(..) | Entry::Silent(..)) => {
            Err(messages::read_only(name))
        }
        Some(Entry::Missing(member)) => {
            let class = model.store().class(id);
            Err(missing(class.name(), member))
        }
        None => Err(unknown(&model.store(), id, name)),
    }
}

/// The text for a method or callback that Roblox has and the emulator has not.
fn missing(class: &str, member: &EngineMember) -> String {
    if member.is_for_plugins {
        return messages::no_capability_to_call(member.name);
    }
    messages::not_emulated(class, member.name)
}

/// Says once that an event never fires here by itself.
fn note_silent(peer: &Rc<Peer>, class: &str, event: &'static EngineMember) {
    if peer.data_model().is_first_use(event) {
        peer.diagnose(DiagnosticCode::Unemu, messages::never_fires(class, event.name), None);
    }
}

fn unknown(store: &Store, id: InstanceId, name: &str) -> String {
    messages::not_a_member(name, store.class(id).name(), &store.full_name(id))
}

fn newindex(cx: &mut Cx<'_>, atom: Atom) -> Outcome {
    let id = cx.instance(1)?;
    let peer = cx.peer();
    let model = peer.data_model();
    peer.check_serial(|| {
        messages::unsafe_write(model.store().class(id).name(), &cx.text(2).unwrap_or_default())
    })?;
    match entry(&peer, id, atom) {
        Some(Entry::Callback(member)) => {
            member.check_side(model.is_server())?;
            if !matches!(cx.kind(3), Type::Function | Type::Nil | Type::None) {
                return Err(messages::callback_type(member.name, &cx.type_name(3)).into());
            }
            let function = cx.opt_function(3)?.map(|function| Callback { function, owner: cx.owner() });
            model.set_callback(id, member.name, function);
            crate::services::bindables::any_callback_set(&peer, id);
        }
        Some(Entry::Property(property)) => properties::assign(&peer, id, property, cx.shallow(3)?)?,
        _ => write(&peer, id, &cx.text(2).unwrap_or_default(), cx.shallow(3)?)?,
    }
    Ok(Returns::NONE)
}

fn namecall(cx: &mut Cx<'_>, atom: Atom) -> Outcome {
    let id = cx.instance(0)?;
    let peer = cx.peer();
    let model = peer.data_model();
    let class = model.store().class(id);
    if let Some(stub) = model.stub(class, atom) {
        return call_stub(cx, &peer, id, stub);
    }
    match members::of(class).by_name.get(atom).copied() {
        Some(Entry::Method(member, method, is_safe)) => {
            member.check_side(model.is_server())?;
            if !is_safe {
                peer.check_serial(|| messages::unsafe_call(class.name(), member.name))?;
            }
            let given = cx.count();
            if given < i32::from(member.signature.required) {
                return Err(messages::missing_argument(given.unsigned_abs() as usize + 1).into());
            }
            (method.call)(cx)
        }
        Some(Entry::Missing(member)) => Err(missing(class.name(), member).into()),
        Some(
            Entry::Property(_)
            | Entry::Computed(..)
            | Entry::Event(..)
            | Entry::Silent(..)
            | Entry::Callback(_),
        ) => Err(Raise::located(format!("attempt to call a {} value", what_is_called(&peer, id, atom)))),
        None => {
            let name = cx.callee();
            let is_child = model.store().find_child(id, &name).is_some();
            if is_child {
                Err(Raise::located("attempt to call a Instance value"))
            } else if members::of(class).is_complete {
                Err(unknown(&model.store(), id, &name).into())
            } else {
                Err(messages::not_emulated(class.name(), &name).into())
            }
        }
    }
}

/// The type of a member that is no method, for the VM's error.
fn what_is_called(peer: &Rc<Peer>, id: InstanceId, atom: Atom) -> &'static str {
    match entry(peer, id, atom) {
        Some(Entry::Property(property)) => {
            properties::get(&peer.data_model().store(), id, property).type_name()
        }
        Some(Entry::Event(..) | Entry::Silent(..)) => "RBXScriptSignal",
        _ => "nil",
    }
}

/// Calls a stub with the instance and the arguments. It runs in a thread of its own, for it may yield.
fn call_stub(cx: &mut Cx<'_>, peer: &Rc<Peer>, id: InstanceId, stub: Handle) -> Outcome {
    let mut arguments = vec![Value::Instance(id)];
    arguments.extend(cx.shallow_from(1)?);
    let stub = Callback { function: stub, owner: 0 };
    services::invoke(cx, peer, &stub, &arguments, services::as_they_are)
}

fn tostring(cx: &mut Cx<'_>) -> Outcome {
    let id = cx.instance(1)?;
    let name = cx.peer().data_model().store().name(id);
    cx.push_string(&*name);
    Ok(Returns::ONE)
}
