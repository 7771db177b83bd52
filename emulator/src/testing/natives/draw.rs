//! Natives for drawn values: what generators of schema types are made of, and the worlds of one drawn case.

use std::sync::Arc;

use blinkblox_compiler::schema::{Channel, Side as Sender};
use blinkblox_compiler::wire::codec::{self, encode};
use blinkblox_compiler::wire::draw::{self, Source};
use blinkblox_compiler::wire::plan::HeaderKind;
use blinkblox_compiler::wire::{ItemWire, Wire};

use super::handles;
use super::packets::remote_of;
use super::sides::SharedSlot;
use super::world::{slot, slot_and_side};
use crate::datamodel::classes::class_by_name;
use crate::datamodel::store::GAME;
use crate::shared::{Random, Side};
use crate::testing::decoding;
use crate::testing::director::Director;
use crate::testing::fixture::{Built, Fixture, SchemaSource};
use crate::trace::{Fate, Packet};
use crate::value::{InstanceId, Value};
use crate::vm::{Cx, NativeFn, Outcome, Raise, Returns};

/// Names as the Luau half calls them.
pub const NATIVES: &[(&str, NativeFn)] = &[
    ("draw", draw_item),
    ("testSeed", test_seed),
    ("worldCount", world_count),
    ("dropWorlds", drop_worlds),
    ("stepAll", step_all),
    ("remoteClass", remote_class),
    ("dropped", dropped),
];

/// A seed for something the test draws: 53 bits, another one at each call.
fn test_seed(cx: &mut Cx<'_>) -> Outcome {
    let seed = Director::of(cx)?.worlds.next_seed();
    cx.push_number((seed >> 11) as f64);
    Ok(Returns::ONE)
}

fn world_count(cx: &mut Cx<'_>) -> Outcome {
    let count = Director::of(cx)?.worlds.all().len();
    cx.push_number(count as f64);
    Ok(Returns::ONE)
}

/// Forgets the worlds of the test after the first so many. Gives the first uncaught error in them, or nil.
fn drop_worlds(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let kept = cx.integer(1)?.max(0) as usize;
    let trouble = director.drop_worlds(kept);
    cx.push(&trouble.map_or(Value::Nil, Value::from));
    Ok(Returns::ONE)
}

/// Lets a frame pass in every world of the test.
fn step_all(cx: &mut Cx<'_>) -> Outcome {
    Director::of(cx)?.worlds.step_all();
    Ok(Returns::NONE)
}

/// Numbers to draw with: those given, then drawn ones if there is a seed, then zeros. Keeps what was used.
struct Numbers {
    given: std::vec::IntoIter<f64>,
    more: Option<Random>,
    used: Vec<Value>,
}

impl Numbers {
    fn next(&mut self) -> u64 {
        let number = match self.given.next() {
            Some(number) => number as u64 & 0xffff_ffff,
            None => self.more.as_mut().map_or(0, |random| random.bits() >> 32),
        };
        self.used.push(Value::Number(number as f64));
        number
    }
}

/// Something a client sends.
struct Sent<'a> {
    name: String,
    reliable: bool,
    item: &'a ItemWire,
}

fn sent_by_clients(wire: &Wire) -> Vec<Sent<'_>> {
    let events = wire.events.iter().filter(|event| event.from == Sender::Client).map(|event| Sent {
        name: event.path.join("."),
        reliable: event.channel == Channel::Reliable,
        item: &event.item,
    });
    let calls = wire.functions.iter().map(|function| Sent {
        name: function.path.join("."),
        reliable: true,
        item: if function.from == Sender::Client { &function.call } else { &function.answer },
    });
    events.chain(calls).collect()
}

/// Arguments: a world or a schema's text; the name of an event or call, or for a packet whether it is reliable; numbers
/// to draw with; a seed for more. Gives the numbers used, the payload, the packet's bytes, the values beside them, and
/// the name.
fn draw_item(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let (wire, slot) = match cx.value(1)? {
        Value::Number(number) => {
            let slot = director.worlds.get(number as u32)?;
            (first_wire(&slot.built), Some(slot))
        }
        schema => {
            let text = SchemaSource::Text(schema.to_string());
            let fixture = Fixture { client_schemas: vec![text], ..Fixture::default() };
            (first_wire(&director.worlds.fixture(&fixture)?), None)
        }
    };
    let wire = wire.ok_or("this world has no schema to draw from")?;
    let given = match cx.value(3)? {
        Value::Table(table) => table.array.iter().filter_map(Value::as_number).collect::<Vec<_>>(),
        _ => Vec::new(),
    };
    let more = cx.opt_number(4)?.map(|seed| Random::from_seed(seed as u64));
    let mut numbers = Numbers { given: given.into_iter(), more, used: Vec::new() };
    let (name, item) = choose(&wire, &cx.value(2)?, &mut numbers)?;
    let mut next = || numbers.next();
    let mut source = Source::new(&mut next);
    let mut header = vec![item.header.index];
    match item.header.kind {
        HeaderKind::Event => {}
        HeaderKind::Ordered | HeaderKind::Numbered => {
            header.extend((source.below(1 << 16) as u16).to_le_bytes());
        }
        HeaderKind::Sequenced => {
            header.extend((source.below(1 << 16) as u16).to_le_bytes());
            header.extend((source.below(1 << 16) as u16).to_le_bytes());
        }
        HeaderKind::Call => header.push(source.below(256) as u8),
        HeaderKind::Answer => header.extend([source.below(256) as u8, 1]),
    }
    let value = draw::value(&item.payload, &mut source);
    let encoded = encode(&item.payload, &value, true).map_err(|error| Raise::new(error.to_string()))?;
    header.extend(encoded.bytes);
    let slots = encoded.slots.iter().map(|value| beside(value, slot.as_ref(), &director));
    let slots = Value::array(slots.collect::<Vec<_>>());
    cx.push(&Value::array(numbers.used));
    cx.push(&decoding::of_codec(&without_instances(value)));
    cx.push(&Value::Buffer(header.as_slice().into()));
    cx.push(&slots);
    cx.push_string(name);
    Ok(Returns::Values(5))
}

/// The plan of the first schema.
fn first_wire(built: &Built) -> Option<Arc<Wire>> {
    built.schemas.first().map(|schema| schema.wire.clone())
}

fn choose<'a>(wire: &'a Wire, what: &Value, numbers: &mut Numbers) -> Result<(String, &'a ItemWire), Raise> {
    let all = sent_by_clients(wire);
    match what {
        Value::Boolean(reliable) => {
            let fitting: Vec<_> = all.into_iter().filter(|sent| sent.reliable == *reliable).collect();
            let count = fitting.len();
            let chosen = fitting.into_iter().nth((numbers.next() % count.max(1) as u64) as usize);
            let chosen = chosen.ok_or("clients send nothing on this channel in the world's schema")?;
            Ok((chosen.name, chosen.item))
        }
        name => {
            let name = name.to_string();
            let events = wire.events.iter().map(|event| (event.path.join("."), &event.item));
            let calls = wire.functions.iter().map(|function| (function.path.join("."), &function.call));
            let found = events.chain(calls).find(|(known, _)| *known == name);
            found.ok_or_else(|| format!("the schema has no event or function called \"{name}\"").into())
        }
    }
}

/// A value beside the bytes: an instance of its class that clients see, where there is one.
fn beside(value: &codec::Value, slot: Option<&SharedSlot>, director: &Director) -> Value {
    match value {
        codec::Value::Instance { class, .. } => slot
            .and_then(|slot| {
                let instance = instance_of(slot, class)?;
                let home = slot.home(&director.membrane, Side::Server).ok()?;
                Some(handles::shown(director, home, instance))
            })
            .unwrap_or(Value::Nil),
        other => decoding::of_codec(other),
    }
}

fn instance_of(slot: &SharedSlot, class: &str) -> Option<InstanceId> {
    let class = class_by_name(class)?;
    let model = slot.world.server().peer.data_model();
    let store = model.store();
    let places = ["Workspace", "ReplicatedStorage", "Players"].map(|name| store.find_child(GAME, name));
    let mut within = places.into_iter().flatten().flat_map(|place| store.descendants(place));
    within.find(|id| store.class(*id).is_a(class))
}

fn without_instances(value: codec::Value) -> codec::Value {
    use codec::Value as V;
    match value {
        V::Instance { .. } => V::Nil,
        V::Array(values) => V::Array(values.into_iter().map(without_instances).collect()),
        V::Map(entries) => {
            let clean =
                entries.into_iter().map(|(key, held)| (without_instances(key), without_instances(held)));
            V::Map(clean.filter(|(key, _)| *key != V::Nil).collect())
        }
        V::Struct(fields) => {
            V::Struct(fields.into_iter().map(|(name, held)| (name, without_instances(held))).collect())
        }
        other => other,
    }
}

/// The class of a remote named as for `inject`, and its place among the schema's remotes: its full name is one that
/// the world's modules made.
fn remote_class(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let slot = slot(cx, &director)?;
    let remote = remote_of(&slot, &cx.text(2)?)?;
    let model = slot.world.server().peer.data_model();
    let store = model.store();
    let class = store.class(remote).name();
    let name = store.name(remote).to_string();
    let of_schema = slot.built.schemas.iter().any(|schema| schema.carries(&name));
    cx.push_string(class);
    cx.push_boolean(of_schema);
    Ok(Returns::Values(2))
}

/// How many packets between the server and a client were dropped so far because a queue was full.
fn dropped(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let (slot, side) = slot_and_side(cx, &director)?;
    let count = {
        let trace = slot.world.trace();
        let concerns = |packet: &&Packet| packet.from == side || packet.receipt(side).is_some();
        let lost = |packet: &&Packet| {
            packet.receipts.iter().any(|receipt| {
                receipt.fate == Fate::DroppedQueue && (packet.from == side || receipt.side == side)
            })
        };
        trace.packets().iter().filter(concerns).filter(lost).count()
    };
    cx.push_number(count as f64);
    Ok(Returns::ONE)
}
