//! What a packet holds, read with its schema: the items of one remote call, and the bytes of each of their fields.

use std::sync::Arc;

use blinkblox_compiler::schema::{Channel, Item, Schema, Scope, Side as Sender};
use blinkblox_compiler::wire::Wire;
use blinkblox_compiler::wire::codec::acknowledgements::decode_acknowledgements;
use blinkblox_compiler::wire::codec::entity::decode_entities;
use blinkblox_compiler::wire::codec::packet::{ItemKind, Packet as Read, PacketItem, decode_packet};
use blinkblox_compiler::wire::codec::rows::decode_rows;
use blinkblox_compiler::wire::codec::session::decode_session;
use blinkblox_compiler::wire::codec::{self, Decoding, Game, Leaf, LeafPlace, Role};
use serde_json::{Map, Value as Json, json};

use super::json::{object, of_codec};
use super::{Packet, PacketClass};
use crate::datamodel::classes::{class_by_name, enum_by_name};
use crate::value::Value;

/// A schema whose packets a trace takes apart.
#[derive(Clone, Debug)]
pub struct TracedSchema {
    /// How its packets are laid out.
    pub wire: Arc<Wire>,
    /// What the names of its remotes begin with.
    pub base: String,
    /// Its streams, in order of declaration.
    pub streams: Vec<StreamRate>,
}

/// A stream and how often it is sent, in sends a second.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamRate {
    /// The event's path, joined by dots.
    pub event: String,
    /// The usual rate.
    pub rate: f64,
    /// The rate while fast.
    pub fast: Option<f64>,
}

impl TracedSchema {
    /// What a trace needs of a schema without errors.
    pub fn of(schema: &Schema) -> TracedSchema {
        let mut streams = Vec::new();
        add_streams(&schema.root, &mut streams);
        TracedSchema { wire: Arc::new(Wire::of(schema)), base: schema.options.remote_base(), streams }
    }

    /// Whether a remote of that full name is one of the schema's.
    pub fn carries(&self, remote: &str) -> bool {
        let name = remote.rsplit('.').next().unwrap_or(remote);
        name.strip_prefix(self.base.as_str()).is_some_and(|rest| {
            matches!(
                rest,
                "_RELIABLE_REMOTE"
                    | "_UNRELIABLE_REMOTE"
                    | "_ENTITY_REMOTE"
                    | "_TABLE_REMOTE"
                    | "_CHANNEL_REMOTE"
                    | "_SESSION_REMOTE"
                    | "_ECHO_REMOTE"
                    | "_LOBBY_REMOTE"
            )
        })
    }

    pub(super) fn to_json(&self) -> Json {
        let streams: Vec<Json> = self
            .streams
            .iter()
            .map(|stream| json!({ "event": stream.event, "rate": stream.rate, "fast": stream.fast }))
            .collect();
        json!({ "signature": self.wire.signature, "remotes": self.base, "streams": streams })
    }
}

fn add_streams(scope: &Scope, streams: &mut Vec<StreamRate>) {
    for item in &scope.items {
        match item {
            Item::Event(event) => streams.extend(event.stream.map(|stream| StreamRate {
                event: event.path.join("."),
                rate: stream.rate,
                fast: stream.fast,
            })),
            Item::Scope(inner) => add_streams(inner, streams),
            Item::Function(_) | Item::State(_) | Item::Table(_) | Item::Type(_) | Item::Entity(_) => {}
        }
    }
}

/// The items of a packet with the place of every field, and why reading stopped, if it did. `None` for a call that
/// carries no buffer, and for one of the lobby's.
pub fn read_packet(wire: &Wire, packet: &Packet) -> Option<Read> {
    // The lobby's carries words, whatever a client sends.
    if packet.remote.ends_with("_LOBBY_REMOTE") {
        return None;
    }
    let bytes = packet.buffer()?;
    let slots = slots(packet);
    let channel = if packet.class == PacketClass::UnreliableRemoteEvent {
        Channel::Unreliable
    } else {
        Channel::Reliable
    };
    let from = if packet.from.is_server() { Sender::Server } else { Sender::Client };
    let decoding = Decoding { game: &Database, leaves: true, ..Decoding::default() };
    if packet.remote.ends_with("_SESSION_REMOTE") || packet.remote.ends_with("_ECHO_REMOTE") {
        return Some(decode_session(channel, from, bytes, decoding));
    }
    if packet.remote.ends_with("_ENTITY_REMOTE") {
        return Some(decode_entities(wire, from, bytes, decoding));
    }
    if packet.remote.ends_with("_CHANNEL_REMOTE") {
        return Some(decode_acknowledgements(bytes));
    }
    if packet.remote.ends_with("_TABLE_REMOTE") {
        return Some(decode_rows(wire, from, bytes, decoding));
    }
    Some(decode_packet(wire, channel, from, bytes, &slots, decoding))
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
fn slots(packet: &Packet) -> Vec<codec::Value> {
    let Some(Value::Table(table)) = packet.args.get(1) else { return Vec::new() };
    let slot = |value: &Value| match value {
        Value::Instance(id) => codec::Value::Instance {
            id: u64::from(id.0),
            class: packet.instance(*id).map_or("Instance", |known| known.class).to_owned(),
        },
        Value::Nil => codec::Value::Nil,
        other => codec::Value::text(&other.to_string()),
    };
    let mut slots: Vec<codec::Value> = table.array.iter().map(slot).collect();
    for (key, value) in &table.pairs {
        let place = key.as_number().filter(|place| *place >= 1.0 && *place <= 1e6);
        if let Some(place) = place {
            let index = place as usize - 1;
            if slots.len() <= index {
                slots.resize(index + 1, codec::Value::Nil);
            }
            slots[index] = slot(value);
        }
    }
    slots
}

/// What an `event` record calls an item, and the number its header carries, under its name.
pub(super) fn kind_of(item: &PacketItem) -> (&'static str, Option<(&'static str, u64)>) {
    match item.kind {
        ItemKind::Event => ("event", None),
        ItemKind::Ordered { sequence } => ("event", Some(("sequence", sequence.into()))),
        ItemKind::Numbered { number } => ("event", Some(("number", number.into()))),
        ItemKind::Sequenced { sequence, .. } => ("event", Some(("sequence", sequence.into()))),
        ItemKind::Received { newest } => ("acknowledgement", Some(("newest", newest.into()))),
        ItemKind::Call { id } => ("call", Some(("call", id.into()))),
        ItemKind::Answer { id, success: true } => ("answer", Some(("call", id.into()))),
        ItemKind::Answer { id, success: false } => ("failure", Some(("call", id.into()))),
        ItemKind::Rows { tick } => ("rows", Some(("tick", tick.into()))),
        ItemKind::Session => ("session", None),
        ItemKind::Entity { what, id } => (what.word(), Some(("entity", id))),
    }
}

/// A field as an `event` record holds it: its path, where it lies, its bytes in hexadecimal, its value.
pub(super) fn field(leaf: &Leaf, bytes: &[u8], packet: &Packet) -> Map<String, Json> {
    let mut field = object([("path", leaf.path.as_str().into())]);
    let role = match leaf.role {
        Role::Value => None,
        Role::Length => Some("length"),
        Role::Presence => Some("presence"),
        Role::Variant => Some("variant"),
    };
    if let Some(role) = role {
        field.insert("is".into(), role.into());
    }
    match &leaf.at {
        LeafPlace::Bytes(range) => {
            field.insert("at".into(), json!([range.start, range.end]));
            let own = bytes.get(range.clone()).unwrap_or_default();
            field.insert("hex".into(), hex(own).into());
        }
        LeafPlace::Bits(parts) => {
            let parts: Vec<Json> = parts.iter().map(|(byte, bit, width)| json!([byte, bit, width])).collect();
            field.insert("bits".into(), parts.into());
        }
        LeafPlace::Slot(slot) => {
            field.insert("slot".into(), (*slot).into());
        }
    }
    field.insert("value".into(), of_codec(&leaf.value, packet));
    field
}

/// Two lower-case digits a byte.
fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::fixture::SchemaSource;

    fn schema(options: &str) -> TracedSchema {
        let text = format!(
            "{options}scope Inner {{ event Beat {{ From: Server, Type: OrderedUnreliable, Call: SingleSync, \
             Stream: {{ Rate: 10, Fast: 20 }}, Data: u8 }} }}"
        );
        let compilation = SchemaSource::Text(text).compile();
        TracedSchema::of(compilation.analysis.schema.as_ref().unwrap())
    }

    #[test]
    fn a_schema_knows_its_remotes_by_their_scope() {
        let (plain, shop) = (schema(""), schema("option RemoteScope = \"SHOP\"\n"));
        assert!(plain.carries("ReplicatedStorage.BLINK_RELIABLE_REMOTE"));
        assert!(plain.carries("ReplicatedStorage.BLINK_TABLE_REMOTE"));
        assert!(plain.carries("ReplicatedStorage.BLINK_SESSION_REMOTE"));
        assert!(plain.carries("ReplicatedStorage.BLINK_ECHO_REMOTE"));
        assert!(plain.carries("ReplicatedStorage.BLINK_LOBBY_REMOTE"));
        assert!(!plain.carries("ReplicatedStorage.SHOP_BLINK_RELIABLE_REMOTE"));
        assert!(shop.carries("ReplicatedStorage.Folder.SHOP_BLINK_UNRELIABLE_REMOTE"));
        assert!(!shop.carries("ReplicatedStorage.BLINK_UNRELIABLE_REMOTE") && !plain.carries("Raw"));
    }

    #[test]
    fn streams_are_named_with_their_rates() {
        let streams = schema("").streams;
        assert_eq!(streams, [StreamRate { event: "Inner.Beat".into(), rate: 10.0, fast: Some(20.0) }]);
        assert_eq!(hex(&[0, 0xab, 16]), "00ab10");
    }
}
