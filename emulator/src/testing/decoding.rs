//! What a packet holds, read with its schema: the items of one remote call, with the values a listener would hear.

use blinkblox_compiler::wire::Wire;
use blinkblox_compiler::wire::codec;
use blinkblox_compiler::wire::codec::packet::{ItemKind, PacketItem};

use crate::datatypes::{CFrame, Color3};
use crate::trace::{Packet, read_packet};
use crate::value::{InstanceId, Table, Value};

/// The items of a packet as a table: `{ { name, kind, values, from, to }, ... }`, and why reading stopped, if it did.
///
/// `missing` is the place of an Instance that did not arrive, for which the receiver refuses the item.
///
/// `None` for a call that carries no buffer. Fields of Roblox types that the codec only knows by their parts are texts.
pub fn decode(wire: &Wire, packet: &Packet) -> Option<Value> {
    let read = read_packet(wire, packet)?;
    let mut fields = vec![("items", Value::array(read.items.iter().map(item)))];
    if let Some(stopped) = &read.stopped {
        fields.push(("stopped", Value::from(stopped.text.clone())));
    }
    Some(Value::record(fields))
}

/// An item of a decoded packet.
pub struct Item {
    /// The event or function.
    pub name: String,
    /// `event`, `call`, `answer` or `failure`; `rows` of a table, or what an item of entities is.
    pub kind: String,
    /// Its first byte.
    pub from: usize,
    /// The byte behind its last.
    pub to: usize,
    /// What a listener would hear.
    pub values: Value,
}

/// The items of what [`decode`] gives.
pub fn items(decoded: &Value) -> Vec<Item> {
    let Some(Value::Table(rows)) = member(decoded, "items") else { return Vec::new() };
    let text = |row: &Value, name: &str| member(row, name).map_or(String::new(), |value| value.to_string());
    let place =
        |row: &Value, name: &str| member(row, name).and_then(|value| value.as_number()).unwrap_or(0.0);
    rows.array
        .iter()
        .map(|row| Item {
            name: text(row, "name"),
            kind: text(row, "kind"),
            from: place(row, "from") as usize,
            to: place(row, "to") as usize,
            values: member(row, "values").unwrap_or(Value::Nil),
        })
        .collect()
}

/// Names of the items of what [`decode`] gives.
pub fn item_names(decoded: &Value) -> Vec<String> {
    items(decoded).into_iter().map(|item| item.name).collect()
}

/// Why reading stopped, if it did.
pub fn stopped(decoded: &Value) -> Option<String> {
    member(decoded, "stopped").map(|text| text.to_string())
}

fn member(value: &Value, name: &str) -> Option<Value> {
    match value {
        Value::Table(table) => super::kit::field(table, name).cloned(),
        _ => None,
    }
}

fn item(item: &PacketItem) -> Value {
    let kind = match item.kind {
        ItemKind::Event
        | ItemKind::Ordered { .. }
        | ItemKind::Numbered { .. }
        | ItemKind::Sequenced { .. } => "event",
        ItemKind::Received { .. } => "acknowledgement",
        ItemKind::Call { .. } => "call",
        ItemKind::Answer { success: true, .. } => "answer",
        ItemKind::Answer { success: false, .. } => "failure",
        ItemKind::Rows { .. } => "rows",
        ItemKind::Session => "session",
        ItemKind::Entity { what, .. } => what.word(),
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

/// A value of the codec as scripts hold it; Roblox types it keeps by their parts become texts.
pub fn of_codec(value: &codec::Value) -> Value {
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
