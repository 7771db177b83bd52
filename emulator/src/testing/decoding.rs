//! What a packet holds, read with its schema: the items of one remote call, with the values a listener would hear.

use blinkblox_compiler::schema::{Channel, Side as Sender};
use blinkblox_compiler::wire::Wire;
use blinkblox_compiler::wire::codec::packet::{ItemKind, PacketItem, decode_packet};
use blinkblox_compiler::wire::codec::{self, Decoding, Game};

use crate::datamodel::classes::{class_by_name, enum_by_name};
use crate::datatypes::{CFrame, Color3};
use crate::trace::{Packet, PacketClass};
use crate::value::{InstanceId, Table, Value};

/// The items of a packet as a table: `{ { name, kind, values, from, to }, ... }`, and why reading stopped, if it did.
///
/// `missing` is the place of an Instance that did not arrive, for which the receiver refuses the item.
///
/// `None` for a call that carries no buffer. Fields of Roblox types that the codec only knows by their parts are texts.
/// `class_of` names the class of an instance beside the buffer.
pub fn decode(wire: &Wire, packet: &Packet, class_of: &dyn Fn(InstanceId) -> String) -> Option<Value> {
    let Some(Value::Buffer(bytes)) = packet.args.first() else { return None };
    let slots = slots(packet.args.get(1), class_of);
    let channel = if packet.class == PacketClass::UnreliableRemoteEvent {
        Channel::Unreliable
    } else {
        Channel::Reliable
    };
    let from = if packet.from.is_server() { Sender::Server } else { Sender::Client };
    let read = decode_packet(
        wire,
        channel,
        from,
        bytes,
        &slots,
        Decoding { game: &Database, ..Decoding::default() },
    );
    let mut fields = vec![("items", Value::array(read.items.iter().map(item)))];
    if let Some(stopped) = &read.stopped {
        fields.push(("stopped", Value::from(stopped.text.clone())));
    }
    Some(Value::record(fields))
}

/// Classes and enums as the class database has them.
struct Database;

impl Game for Database {
    fn is_a(&self, class: &str, base: &str) -> bool {
        match (class_by_name(class), class_by_name(base)) {
            (Some(class), Some(base)) => class.is_a(base),
            _ => class == base,
        }
    }

    fn has_item(&self, enum_name: &str, value: u16) -> bool {
        enum_by_name(enum_name).is_none_or(|known| known.item_by_value(u32::from(value)).is_some())
    }
}

/// The slots beside the buffer; an instance keeps its id.
fn slots(table: Option<&Value>, class_of: &dyn Fn(InstanceId) -> String) -> Vec<codec::Value> {
    let Some(Value::Table(table)) = table else { return Vec::new() };
    let mut slots: Vec<codec::Value> = table.array.iter().map(|value| slot(value, class_of)).collect();
    for (key, value) in &table.pairs {
        let place = key.as_number().filter(|place| *place >= 1.0 && *place <= 1e6);
        if let Some(place) = place {
            let index = place as usize - 1;
            if slots.len() <= index {
                slots.resize(index + 1, codec::Value::Nil);
            }
            slots[index] = slot(value, class_of);
        }
    }
    slots
}

fn slot(value: &Value, class_of: &dyn Fn(InstanceId) -> String) -> codec::Value {
    match value {
        Value::Instance(id) => codec::Value::Instance { id: u64::from(id.0), class: class_of(*id) },
        Value::Nil => codec::Value::Nil,
        other => codec::Value::text(&other.to_string()),
    }
}

fn item(item: &PacketItem) -> Value {
    let kind = match item.kind {
        ItemKind::Event | ItemKind::Ordered { .. } => "event",
        ItemKind::Call { .. } => "call",
        ItemKind::Answer { success: true, .. } => "answer",
        ItemKind::Answer { success: false, .. } => "failure",
    };
    let missing = item.payload.as_ref().and_then(|payload| payload.missing.clone());
    Value::record([
        ("name", Value::from(item.name.clone())),
        ("kind", Value::from(kind)),
        ("from", Value::Number(item.bytes.start as f64)),
        ("to", Value::Number(item.bytes.end as f64)),
        ("values", item.payload.as_ref().map_or(Value::Nil, |payload| of_codec(&payload.value))),
        ("missing", missing.map_or(Value::Nil, Value::from)),
    ])
}

fn of_codec(value: &codec::Value) -> Value {
    match value {
        codec::Value::Nil => Value::Nil,
        codec::Value::Boolean(value) => Value::Boolean(*value),
        codec::Value::Number(value) => Value::Number(*value),
        codec::Value::String(bytes) => Value::string(bytes),
        codec::Value::Buffer(bytes) => Value::Buffer(bytes.as_slice().into()),
        codec::Value::Vector(parts) => Value::Vector(*parts),
        codec::Value::CFrame(parts) => Value::Datatype(CFrame::from_components(*parts).into()),
        codec::Value::Color3([r, g, b]) => Value::Datatype(Color3 { r: *r, g: *g, b: *b }.into()),
        codec::Value::Instance { id, .. } => Value::Instance(InstanceId(*id as u32)),
        codec::Value::Array(values) => {
            let mut table = Table::default();
            for (index, value) in values.iter().enumerate() {
                match of_codec(value) {
                    Value::Nil => {}
                    value if table.array.len() == index => table.array.push(value),
                    value => table.pairs.push((Value::Number(index as f64 + 1.0), value)),
                }
            }
            Value::Table(table.into())
        }
        codec::Value::Map(entries) => {
            let pairs = entries.iter().map(|(key, value)| (of_codec(key), of_codec(value))).collect();
            Value::Table(Table { array: Vec::new(), pairs }.into())
        }
        codec::Value::Struct(fields) => {
            Value::record(fields.iter().map(|(name, value)| (name.as_str(), of_codec(value))))
        }
        codec::Value::BrickColor(_)
        | codec::Value::DateTime(_)
        | codec::Value::Vector2(_)
        | codec::Value::UDim(_)
        | codec::Value::UDim2(..)
        | codec::Value::NumberRange(..)
        | codec::Value::TweenInfo(_)
        | codec::Value::ColorSequence(_)
        | codec::Value::EnumItem { .. } => Value::from(value.to_string()),
    }
}
