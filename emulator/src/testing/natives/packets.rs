//! Natives about traffic: what was sent, hostile messages, packets held, lost or changed.

use std::rc::Rc;

use super::options::Options;
use super::sides::SharedSlot;
use super::world::{number_of, side_of, slot, wrong};
use crate::clock::Time;
use crate::membrane::HomeId;
use crate::shared::Side;
use crate::testing::decoding;
use crate::testing::director::Director;
use crate::testing::kit::field;
use crate::trace::{Packet, Target};
use crate::value::{InstanceId, Table, Value};
use crate::vm::{Cx, Handle, NativeFn, Outcome, Raise, Returns};
use crate::world::{Injection, PacketFilter, Receiver, Verdict};

/// Names as the Luau half calls them.
pub const NATIVES: &[(&str, NativeFn)] = &[
    ("packets", packets),
    ("decode", decode),
    ("inject", inject),
    ("intercept", intercept),
    ("endIntercept", end_intercept),
];

const FILTER: &[&str] = &["from", "to", "remote", "reliable", "since"];

fn side_option(options: &Options, name: &str, slot: &SharedSlot) -> Result<Option<Side>, Raise> {
    match options.get(name) {
        None => Ok(None),
        Some(Value::Number(number)) => Ok(Some(side_of(*number))),
        Some(value @ Value::String(_)) => {
            let wanted = value.to_string();
            let side = slot.world.side_named(&wanted);
            side.map(Some).ok_or_else(|| Raise::new(format!("{name}: there is no side called \"{wanted}\"")))
        }
        Some(other) => Err(format!("{name} is a side or its name, not a {}", other.type_name()).into()),
    }
}

fn filter(value: Value, slot: &SharedSlot) -> Result<PacketFilter, Raise> {
    let options = Options::read("the filter", value, FILTER)?;
    let to_all = matches!(options.get("to"), Some(Value::String(text)) if **text == *b"all");
    let to = if to_all {
        Some(Receiver::Everyone)
    } else {
        side_option(&options, "to", slot)?.map(Receiver::Side)
    };
    Ok(PacketFilter {
        from: side_option(&options, "from", slot)?,
        to,
        remote: options.text("remote")?,
        reliable: options.boolean("reliable")?,
        since: options.number("since")?.map(Time::from_seconds),
    })
}

/// A packet as specs read it. Instances among its arguments become handles of the sender's side.
pub fn describe(packet: &Packet, slot: &SharedSlot, director: &Director) -> Result<Value, Raise> {
    let home = slot.home(&director.membrane, packet.from).unwrap_or(HomeId::DIRECTOR);
    let args = packet
        .args
        .iter()
        .map(|value| director.membrane.translate(value, home, HomeId::DIRECTOR).unwrap_or(Value::Nil));
    let to = match packet.to {
        Target::Everyone => Value::from("all"),
        Target::One(side) => Value::Number(number_of(side)),
    };
    Ok(Value::record([
        ("id", Value::Number(packet.id as f64)),
        ("from", Value::Number(number_of(packet.from))),
        ("to", to),
        ("remote", Value::from(&*packet.remote)),
        ("reliable", Value::Boolean(packet.class.is_reliable())),
        ("args", Value::array(args)),
        ("size", Value::Number(buffer_size(packet) as f64)),
        ("estimate", Value::Number(packet.size as f64)),
        ("sentAt", Value::Number(packet.sent_at.seconds())),
        ("frame", Value::Number(packet.frame as f64)),
        ("injected", Value::Boolean(packet.injected)),
        ("arrivedAt", packet.arrived_at().map_or(Value::Nil, |at| Value::Number(at.seconds()))),
        ("fate", packet.fate().map_or(Value::Nil, |fate| Value::from(fate.name()))),
    ]))
}

/// Bytes of the packet's buffer; of a call without one, the estimate of all its arguments.
fn buffer_size(packet: &Packet) -> usize {
    match packet.args.first() {
        Some(Value::Buffer(bytes)) => bytes.len(),
        _ => packet.size,
    }
}

fn packets(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let slot = slot(cx, &director)?;
    let filter = filter(cx.value(2)?, &slot)?;
    let found = slot.world.packets(&filter);
    let rows =
        found.iter().map(|packet| describe(packet, &slot, &director)).collect::<Result<Vec<_>, _>>()?;
    cx.push(&Value::array(rows));
    Ok(Returns::ONE)
}

/// What a packet holds, read with the world's schema; nil without one.
fn decode(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let slot = slot(cx, &director)?;
    let id = cx.number(2)? as u64;
    let packet = slot.world.trace().packet(id).cloned();
    let wire = packet.as_ref().and_then(|packet| slot.built.wire_of(&packet.remote));
    let decoded = match (wire, packet) {
        (Some(wire), Some(packet)) => {
            let home = slot.home(&director.membrane, packet.from).unwrap_or(HomeId::DIRECTOR);
            let decoded = decoding::decode(wire, &packet).unwrap_or(Value::Nil);
            director.membrane.translate(&decoded, home, HomeId::DIRECTOR)?
        }
        _ => Value::Nil,
    };
    cx.push(&decoded);
    Ok(Returns::ONE)
}

fn inject(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let slot = slot(cx, &director)?;
    let options = Options::read("inject", cx.value(2)?, &["from", "to", "remote", "args"])?;
    let from = side_option(&options, "from", &slot)?.ok_or("inject needs a from")?;
    let to = match side_option(&options, "to", &slot)? {
        Some(side) if side != Side::Server => Receiver::Side(side),
        _ => Receiver::Everyone,
    };
    let name = options.text("remote")?.ok_or("inject needs the name of a remote")?;
    let remote = remote_of(&slot, &name)?;
    let home = slot.home(&director.membrane, from)?;
    let args = match options.table("args")? {
        Some(table) => {
            let args = positions("inject: args", &table)?;
            director.membrane.translate_all(&args, HomeId::DIRECTOR, home)?
        }
        None => Vec::new(),
    };
    slot.world.inject(Injection { from, to, remote, args }).map_err(wrong)?;
    Ok(Returns::NONE)
}

/// The remote of that full name, or of that name in ReplicatedStorage.
pub fn remote_of(slot: &SharedSlot, name: &str) -> Result<InstanceId, Raise> {
    let path = if name.contains('.') { name.to_string() } else { format!("ReplicatedStorage.{name}") };
    let remote = slot.world.find(Side::Server, &path).map_err(wrong)?;
    remote.ok_or_else(|| format!("there is no {path} on the server").into())
}

/// Arguments in order from a table as specs write it: holes stay holes, and `n` tells how many there are in all, as
/// `table.pack` does.
fn positions(what: &str, table: &Table) -> Result<Vec<Value>, Raise> {
    let mut args = table.array.clone();
    for (key, value) in &table.pairs {
        let position = key.as_number().filter(|place| (1.0..=255.0).contains(place) && place.fract() == 0.0);
        let count = value.as_number().filter(|count| (0.0..=255.0).contains(count));
        let length = match (key.as_bytes(), position, count) {
            (Some(b"n"), _, Some(count)) => count as usize,
            (_, Some(place), _) => place as usize,
            _ => {
                let key = key.to_string();
                return Err(
                    format!("{what} are the arguments in order; \"{key}\" is no place among them").into()
                );
            }
        };
        if args.len() < length {
            args.resize(length, Value::Nil);
        }
        if let Some(place) = position {
            args[place as usize - 1] = value.clone();
        }
    }
    Ok(args)
}

fn intercept(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let slot = slot(cx, &director)?;
    let filter = filter(cx.value(2)?, &slot)?;
    let body = cx.function(3)?;
    let (weak, held) = (Rc::downgrade(&director), Rc::downgrade(&slot));
    let judge = move |packet: &Packet, _to: Side| {
        let (Some(director), Some(slot)) = (weak.upgrade(), held.upgrade()) else {
            return Verdict::default();
        };
        judge(&director, &slot, &body, packet).unwrap_or_else(|problem| {
            slot.complain(format!("intercept: {problem}"));
            Verdict::default()
        })
    };
    cx.push_number(slot.world.intercept(filter, Box::new(judge)) as f64);
    Ok(Returns::ONE)
}

/// What a spec's function wants done with a packet: `{ drop, lose, hold, copies, args }`, which the Luau half puts
/// together from what the function did to the packet and what it answered.
fn judge(director: &Director, slot: &SharedSlot, body: &Handle, packet: &Packet) -> Result<Verdict, String> {
    let described = describe(packet, slot, director).map_err(|_| "the packet cannot be shown".to_string())?;
    let answer = director.ask(slot.number, body, &[described]).map_err(|failure| failure.report())?;
    let Some(Value::Table(table)) = answer.first() else { return Ok(Verdict::default()) };
    let number = |name| field(table, name).and_then(Value::as_number).unwrap_or(0.0);
    let args = match field(table, "args") {
        Some(Value::Table(args)) => {
            let args = positions("intercept: arguments", args)
                .map_err(|_| "the arguments are no list".to_string())?;
            let home = slot.home(&director.membrane, packet.from)?;
            Some(director.membrane.translate_all(&args, HomeId::DIRECTOR, home)?)
        }
        _ => None,
    };
    Ok(Verdict {
        drop: field(table, "drop") == Some(&Value::Boolean(true)),
        lose: number("lose") as u32,
        hold: Time::from_seconds(number("hold").max(0.0)),
        copies: number("copies") as u32,
        args,
    })
}

fn end_intercept(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    slot(cx, &director)?.world.stop_intercepting(cx.number(2)? as u64);
    Ok(Returns::NONE)
}
