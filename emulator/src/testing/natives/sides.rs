//! Natives about one side: its modules, its code, its instances, its output.

use std::rc::Rc;
use std::sync::Arc;

use super::handles;
use super::options::Options;
use super::world::{slot_and_running_side, slot_and_side, wrong};
use crate::clock::Time;
use crate::datamodel::classes::class_by_name;
use crate::membrane::{HomeId, Membrane, copy};
use crate::peer::REQUIRE_BY_NAME;
use crate::services::user_input_service::{self, Input};
use crate::shared::{LogLevel, LogLine, Side};
use crate::testing::director::Director;
use crate::testing::pure;
use crate::value::Value;
use crate::vm::{Cx, NativeFn, Outcome, Raise, Returns};

/// Names as the Luau half calls them.
pub const NATIVES: &[(&str, NativeFn)] = &[
    ("require", require),
    ("eval", eval),
    ("call", call),
    ("drain", drain),
    ("get", get),
    ("spawnScript", spawn_script),
    ("log", log),
    ("errors", errors),
    ("stub", stub),
    ("failNext", fail_next),
    ("memory", memory),
    ("fire", fire),
    ("holders", holders),
    ("stall", stall),
    ("setClock", set_clock),
    ("setFps", set_fps),
    ("ping", ping),
    ("serverTimeError", server_time_error),
    ("hide", hide),
    ("input", input),
    ("player", player),
    ("localPlayer", local_player),
];

fn require(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let (slot, side) = slot_and_running_side(cx, &director)?;
    let home = slot.home(&director.membrane, side)?;
    let arguments = match cx.value(3)? {
        path @ Value::String(_) => path,
        Value::Instance(_) => {
            return Err("require takes a full name, such as \"ReplicatedStorage.Net\"".into());
        }
        other => return Err(format!("require takes a full name, not a {}", other.type_name()).into()),
    };
    let patience = if slot.world.may_change(side) { PATIENCE } else { 0.0 };
    let arguments = [arguments, Value::Number(patience)];
    let function = director.worlds.helper(home, REQUIRE_BY_NAME)?;
    director.membrane.clone().call(cx, HomeId::DIRECTOR, home, &function, &arguments)
}

/// Virtual seconds that `require` waits for a module while the game may still make it.
const PATIENCE: f64 = 10.0;

fn eval(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let (slot, side) = slot_and_running_side(cx, &director)?;
    let home = slot.home(&director.membrane, side)?;
    let peer = slot.world.peer(side).map_err(wrong)?;
    let source: Arc<str> = Arc::from(cx.text(3)?);
    let arguments = Membrane::arguments(cx, 4)?;
    let arguments = director.membrane.translate_all(&arguments, HomeId::DIRECTOR, home)?;
    let function = peer.load(&source, "eval", &[]).map_err(|failure| failure.report())?;
    director.membrane.clone().call(cx, HomeId::DIRECTOR, home, &function, &arguments)
}

/// Runs a function of the spec on a side: its text is compiled there, with copies of what it holds from around it.
fn call(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let (slot, side) = slot_and_running_side(cx, &director)?;
    let home = slot.home(&director.membrane, side)?;
    let peer = slot.world.peer(side).map_err(wrong)?;
    let place = cx.function_place(3);
    let (file, line) = place.ok_or("side:call takes a function that is written in the spec")?;
    let source = director.source(&file).ok_or("side:call takes a function that is written in the spec")?;
    let text = pure::function_text(&source, line).map_err(|problem| format!("side:call: {problem}"))?;
    let (mut names, mut values) = (Vec::new(), Vec::new());
    cx.each_upvalue(3, |name, index| {
        let value = copy::value(cx, index)?;
        if let Some(what) = not_plain(&value) {
            return Err(format!(
                "side:call: the function uses \"{name}\" from around it, which holds a {what} of the test; give the \
                 function plain values, or pass it as an argument"
            )
            .into());
        }
        names.push(name.to_owned());
        values.push(value);
        Ok(())
    })?;
    values.extend(Membrane::arguments(cx, 4)?);
    let arguments = director.membrane.translate_all(&values, HomeId::DIRECTOR, home)?;
    // On the function's own line, so that errors name the lines of the spec.
    let held = if names.is_empty() { String::new() } else { format!("local {} = ... ", names.join(", ")) };
    let chunk = format!(
        "{}{held}return ({text})(select({}, ...))",
        "\n".repeat(line.saturating_sub(1) as usize),
        names.len() + 1
    );
    let function = peer.load(&Arc::from(chunk), &file, &[]).map_err(|failure| failure.report())?;
    director.membrane.clone().call(cx, HomeId::DIRECTOR, home, &function, &arguments)
}

/// What in a value exists only where it is, if anything does.
fn not_plain(value: &Value) -> Option<&'static str> {
    match value {
        Value::Function(_)
        | Value::Thread(_)
        | Value::Reference(_)
        | Value::Signal(_)
        | Value::Connection(_) => Some(value.type_name()),
        Value::Table(table) => {
            let pairs = table.pairs.iter().flat_map(|(key, held)| [key, held]);
            table.array.iter().chain(pairs).find_map(not_plain)
        }
        _ => None,
    }
}

fn drain(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let (slot, side) = slot_and_running_side(cx, &director)?;
    slot.world.run_deferred(side).map_err(wrong)?;
    Ok(Returns::NONE)
}

fn get(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let (slot, side) = slot_and_side(cx, &director)?;
    match slot.world.find(side, &cx.text(3)?).map_err(wrong)? {
        Some(instance) => {
            let home = slot.home(&director.membrane, side)?;
            Ok(handles::push(cx, &director, home, instance))
        }
        None => {
            cx.push_nil();
            Ok(Returns::ONE)
        }
    }
}

/// Names a new script and gives it its parent, which starts it where scripts of its class run.
const PLACE: &str = r#"
local script, name, parent = ...
script.Name = name
if typeof(parent) == "string" then
	local at = game
	for _, part in string.split(parent, ".") do
		at = if at == game then game:GetService(part) elseif part == "LocalPlayer" then (at :: any).LocalPlayer else at:WaitForChild(part, 5)
	end
	parent = at
end
script.Parent = parent
return script
"#;

fn spawn_script(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let (slot, side) = slot_and_running_side(cx, &director)?;
    let options = Options::read("spawnScript", cx.value(3)?, &["source", "parent", "context", "name"])?;
    let source = options.text("source")?.ok_or("spawnScript needs a source")?;
    let usual = if side.is_server() { "server" } else { "client" };
    let (class, usual_parent) = match options.text("context")?.as_deref().unwrap_or(usual) {
        "server" => ("Script", "ServerScriptService"),
        "client" => ("LocalScript", "Players.LocalPlayer.PlayerScripts"),
        "module" => ("ModuleScript", "ReplicatedStorage"),
        other => {
            return Err(format!("spawnScript: context is server, client or module, not \"{other}\"").into());
        }
    };
    let home = slot.home(&director.membrane, side)?;
    let peer = slot.world.peer(side).map_err(wrong)?;
    let known = class_by_name(class).ok_or("the class database has no scripts")?;
    let script = {
        let mut store = peer.data_model().store_mut();
        let script = store.create(known);
        if let Some(property) = known.property("Source") {
            store.set_property(script, property.info().stored_as, Value::from(source));
        }
        script
    };
    let parent = match options.get("parent") {
        None => Value::from(usual_parent),
        Some(parent) => director.membrane.translate(parent, HomeId::DIRECTOR, home)?,
    };
    let name = Value::from(options.text("name")?.unwrap_or_else(|| class.to_string()));
    let function = director.worlds.helper(home, PLACE)?;
    director.membrane.clone().call(
        cx,
        HomeId::DIRECTOR,
        home,
        &function,
        &[Value::Instance(script), name, parent],
    )
}

fn lines(cx: &Cx<'_>) -> Result<Vec<LogLine>, Raise> {
    let director = Director::of(cx)?;
    let (slot, side) = slot_and_side(cx, &director)?;
    slot.world.log(side).map_err(wrong)
}

/// A level's name as specs compare it.
pub fn level_name(level: LogLevel) -> &'static str {
    match level {
        LogLevel::Output => "print",
        LogLevel::Info => "info",
        LogLevel::Warning => "warn",
        LogLevel::Error => "error",
    }
}

fn log(cx: &mut Cx<'_>) -> Outcome {
    let rows = lines(cx)?.into_iter().map(|line| {
        Value::record([
            ("t", Value::Number(line.at.seconds())),
            ("level", Value::from(level_name(line.level))),
            ("text", Value::from(line.text)),
            ("script", line.script.map_or(Value::Nil, Value::from)),
        ])
    });
    cx.push(&Value::array(rows));
    Ok(Returns::ONE)
}

fn errors(cx: &mut Cx<'_>) -> Outcome {
    let texts = lines(cx)?.into_iter().filter(|line| line.level == LogLevel::Error);
    cx.push(&Value::array(texts.map(|line| Value::from(line.text))));
    Ok(Returns::ONE)
}

fn stub(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let (slot, side) = slot_and_running_side(cx, &director)?;
    let (class, member) = (cx.text(3)?, cx.text(4)?);
    let home = slot.home(&director.membrane, side)?;
    let peer = slot.world.peer(side).map_err(wrong)?;
    let body = match cx.shallow(5)? {
        Value::Nil => None,
        body => match director.membrane.translate(&body, HomeId::DIRECTOR, home)? {
            Value::Function(function) => Some(function),
            other => return Err(format!("a stub is a function, not a {}", other.type_name()).into()),
        },
    };
    peer.data_model().set_stub(&class, &member, body)?;
    Ok(Returns::NONE)
}

fn fail_next(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let (slot, side) = slot_and_running_side(cx, &director)?;
    slot.world.peer(side).map_err(wrong)?.fail_next(&cx.text(3)?, &cx.text(4)?);
    Ok(Returns::NONE)
}

fn memory(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let (slot, side) = slot_and_side(cx, &director)?;
    let peer = slot.world.peer(side).map_err(wrong)?;
    peer.vm.collect();
    cx.push_number(peer.memory() as f64);
    Ok(Returns::ONE)
}

/// Fires an event of an instance as the engine would, with these arguments: for what the emulator never fires by itself.
fn fire(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let (slot, side) = slot_and_running_side(cx, &director)?;
    let peer = slot.world.peer(side).map_err(wrong)?;
    let home = slot.home(&director.membrane, side)?;
    let (_, id) = director.membrane.resolve(cx.instance(3)?).ok_or("this instance belongs to no world")?;
    let event = cx.text(4)?;
    let Value::Signal(key) = crate::datamodel::dispatch::read(&peer, id, &event)? else {
        return Err(format!("{event} is no event of {}", peer.full_name(id)).into());
    };
    let arguments = director.membrane.translate_all(&cx.values_from(5)?, HomeId::DIRECTOR, home)?;
    crate::scheduler::fire(&peer, key, arguments);
    Ok(Returns::NONE)
}

fn holders(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let (slot, side) = slot_and_side(cx, &director)?;
    let peer = slot.world.peer(side).map_err(wrong)?;
    let instance = cx.instance(3)?;
    let (_, id) = director.membrane.resolve(instance).ok_or("this instance belongs to no world")?;
    let count = peer.vm.holders(id).map_err(|failure| failure.report())?;
    cx.push_number(count as f64);
    Ok(Returns::ONE)
}

fn stall(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let (slot, side) = slot_and_running_side(cx, &director)?;
    slot.world.stall(side, Time::from_seconds(cx.number(3)?)).map_err(wrong)?;
    Ok(Returns::NONE)
}

/// The index of a client side. Errors: the side is the server.
pub fn client_index(side: Side) -> Result<u32, Raise> {
    match side {
        Side::Client(index) => Ok(index),
        Side::Server => Err("this is about a client, not the server".into()),
    }
}

fn set_clock(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let (slot, side) = slot_and_side(cx, &director)?;
    let options = Options::read("setClock", cx.value(3)?, &["offset", "drift"])?;
    let offset = options.number("offset")?.map(Time::from_seconds);
    slot.world.set_client_clock(client_index(side)?, offset, options.number("drift")?).map_err(wrong)?;
    Ok(Returns::NONE)
}

fn set_fps(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let (slot, side) = slot_and_running_side(cx, &director)?;
    slot.world.set_fps(side, cx.number(3)?).map_err(wrong)?;
    Ok(Returns::NONE)
}

fn ping(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let (slot, side) = slot_and_side(cx, &director)?;
    cx.push_number(slot.world.ping(client_index(side)?).map_err(wrong)?.seconds());
    Ok(Returns::ONE)
}

fn server_time_error(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let (slot, side) = slot_and_side(cx, &director)?;
    cx.push_number(slot.world.server_time_error(client_index(side)?).map_err(wrong)?);
    Ok(Returns::ONE)
}

fn hide(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let (slot, side) = slot_and_side(cx, &director)?;
    let instance = cx.instance(3)?;
    let (_, id) = director.membrane.resolve(instance).ok_or("this instance belongs to no world")?;
    let client = client_index(side)?;
    if cx.boolean(4)? { slot.world.hide(client, id) } else { slot.world.show(client, id) }.map_err(wrong)?;
    Ok(Returns::NONE)
}

fn input(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let (slot, side) = slot_and_side(cx, &director)?;
    client_index(side)?;
    let known = ["state", "type", "key", "position", "processed"];
    let options = Options::read("input", cx.value(3)?, &known)?;
    let position = match options.get("position") {
        None => [0.0; 3],
        Some(Value::Vector(position)) => *position,
        Some(other) => {
            return Err(format!("input: position is a Vector3, not a {}", other.type_name()).into());
        }
    };
    let key = options.text("key")?;
    let usual = if key.is_some() { "Keyboard" } else { "MouseButton1" };
    let input = Input {
        state: options.text("state")?.unwrap_or_else(|| "Begin".to_owned()),
        kind: options.text("type")?.unwrap_or_else(|| usual.to_owned()),
        key: key.unwrap_or_else(|| "None".to_owned()),
        position,
        processed: options.boolean("processed")?.unwrap_or(false),
    };
    user_input_service::inject(&slot.world.peer(side).map_err(wrong)?, &input)?;
    // Each input is a resumption point of its own.
    slot.world.run_deferred(side).map_err(wrong)?;
    Ok(Returns::NONE)
}

/// The `Player` of a client, as the server has it.
fn player(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let (slot, side) = slot_and_side(cx, &director)?;
    let player = slot.world.player(client_index(side)?).map_err(wrong)?;
    let home = slot.home(&director.membrane, Side::Server)?;
    Ok(handles::push(cx, &director, home, player))
}

/// The `Player` of a client, as the client has it.
fn local_player(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let (slot, side) = slot_and_side(cx, &director)?;
    let player = slot.world.player(client_index(side)?).map_err(wrong)?;
    let home = slot.home(&director.membrane, side)?;
    Ok(handles::push(cx, &director, home, player))
}

/// A world, held across a frame of it.
pub type SharedSlot = Rc<crate::testing::slot::Slot>;
