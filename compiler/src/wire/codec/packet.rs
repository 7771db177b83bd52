//! Whole packets: every item of one remote call, named and taken apart, for people and traces.

use std::ops::Range;

use crate::schema::{Channel, Side};
use crate::wire::codec::{Decoded, Decoding, Leaf, LeafPlace, Role, Value, decode};
use crate::wire::plan::HeaderKind;
use crate::wire::{ItemWire, Wire};

/// What a packet held.
#[derive(Clone, Debug, PartialEq)]
pub struct Packet {
    /// Its items, in order, as far as they could be read.
    pub items: Vec<PacketItem>,
    /// Why reading stopped short, when it did.
    pub stopped: Option<Stopped>,
    /// Slots that no item took.
    pub slots_left: usize,
}

/// Why a packet could not be read to its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Stopped {
    /// First byte of the item that could not be read.
    pub at: usize,
    /// Its name, when its index named one: the path joined by dots.
    pub name: Option<String>,
    /// What is wrong, for people.
    pub text: String,
}

/// One item of a packet.
#[derive(Clone, Debug, PartialEq)]
pub struct PacketItem {
    /// Path of the event or function, joined by dots.
    pub name: String,
    /// What it is.
    pub kind: ItemKind,
    /// Its bytes, header included.
    pub bytes: Range<usize>,
    /// Its slots.
    pub slots: Range<usize>,
    /// Its payload, offsets counted from the packet's first byte and first slot; absent for a failed answer.
    pub payload: Option<Decoded>,
}

/// What an item is, with what its header says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemKind {
    /// An event, or a stream's state.
    Event,
    /// An `OrderedUnreliable` event that is no stream.
    Ordered {
        /// Its sequence number.
        sequence: u16,
    },
    /// A reliable event of a channel, or one that comes in any order.
    Numbered {
        /// Its number.
        number: u16,
    },
    /// An `OrderedUnreliable` event that names its channel.
    Sequenced {
        /// Its sequence number in the channel.
        sequence: u16,
        /// What is reliable on the channel before it.
        behind: u16,
    },
    /// What arrived of a channel's reliable events.
    Received {
        /// The newest number the packet speaks for.
        newest: u16,
    },
    /// A function call.
    Call {
        /// Pairs it with its answer.
        id: u8,
    },
    /// The rows of a table.
    Rows {
        /// The sender's tick, modulo 65536.
        tick: u16,
    },
    /// An answer.
    Answer {
        /// The call it answers.
        id: u8,
        /// Whether the call succeeded; a failure has no payload.
        success: bool,
    },
    /// Something of an entity.
    Entity {
        /// What.
        what: EntityItem,
        /// Its id; of an acknowledgement, the number of the packet.
        id: u64,
    },
    /// What a session says of itself.
    Session,
}

/// What a packet of entities says of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntityItem {
    /// A new mirror.
    New,
    /// What changed of a mirror.
    Change,
    /// The end of a mirror.
    Removal,
    /// An input of its owner.
    Input,
    /// A packet of snapshots that arrived, with a mask of those before it.
    Acknowledgement,
}

impl EntityItem {
    /// Its word in traces.
    pub fn word(self) -> &'static str {
        match self {
            EntityItem::New => "new",
            EntityItem::Change => "change",
            EntityItem::Removal => "removal",
            EntityItem::Input => "input",
            EntityItem::Acknowledgement => "acknowledgement",
        }
    }
}

/// Reads a packet sent by `from` on `channel`.
pub fn decode_packet(
    wire: &Wire,
    channel: Channel,
    from: Side,
    bytes: &[u8],
    slots: &[Value],
    decoding: Decoding<'_>,
) -> Packet {
    let mut packet = Packet { items: Vec::new(), stopped: None, slots_left: 0 };
    let (mut at, mut slot) = (0, 0);
    while at < bytes.len() {
        let index = bytes[at];
        let Some((name, item, packed)) = find(wire, channel, from, index) else {
            packet.stopped = Some(Stopped { at, name: None, text: format!("no item has index {index}") });
            break;
        };
        let slots = slots.get(slot..).unwrap_or_default();
        let limit = decoding.slots_left.map(|left| left.saturating_sub(slot as u64));
        match read_item(&name, item, &bytes[at..], slots, Decoding { slots_left: limit, ..decoding }) {
            Ok(mut read) => {
                if packed {
                    read.take_rest(&bytes[at..], decoding.leaves);
                }
                read.shift(at, slot);
                (at, slot) = (read.bytes.end, read.slots.end);
                packet.items.push(read);
            }
            Err(text) => {
                packet.stopped = Some(Stopped { at, name: Some(name), text });
                break;
            }
        }
    }
    packet.slots_left = slots.len().saturating_sub(slot);
    packet
}

/// The item an index names for traffic from a side: an event it sends, a call it makes, an answer it gives, or a frame
/// of a state. The last says whether what the game packed stands behind it, up to the packet's end.
fn find(wire: &Wire, channel: Channel, from: Side, index: u8) -> Option<(String, &ItemWire, bool)> {
    if let Some(event) = wire.event_at(channel, index) {
        return (event.from == from).then(|| (event.path.join("."), &event.item, false));
    }
    if channel == Channel::Unreliable {
        return None;
    }
    for state in wire.states.iter().filter(|_| from == Side::Server) {
        if state.frame.header.index == index {
            return Some((state.path.join("."), &state.frame, false));
        }
        if let Some(custom) = state.custom.as_ref().filter(|custom| custom.header.index == index) {
            return Some((state.path.join("."), custom, true));
        }
    }
    let function = wire.function_at(index)?;
    let item = if function.from == from { &function.call } else { &function.answer };
    Some((function.path.join("."), item, false))
}

fn read_item(
    name: &str,
    item: &ItemWire,
    bytes: &[u8],
    slots: &[Value],
    decoding: Decoding<'_>,
) -> Result<PacketItem, String> {
    let byte = |at: usize| bytes.get(at).copied().ok_or_else(|| "ends inside its header".to_owned());
    let kind = match item.header.kind {
        HeaderKind::Event => ItemKind::Event,
        HeaderKind::Ordered => ItemKind::Ordered { sequence: u16::from_le_bytes([byte(1)?, byte(2)?]) },
        HeaderKind::Numbered => ItemKind::Numbered { number: u16::from_le_bytes([byte(1)?, byte(2)?]) },
        HeaderKind::Sequenced => ItemKind::Sequenced {
            sequence: u16::from_le_bytes([byte(1)?, byte(2)?]),
            behind: u16::from_le_bytes([byte(3)?, byte(4)?]),
        },
        HeaderKind::Call => ItemKind::Call { id: byte(1)? },
        HeaderKind::Answer => ItemKind::Answer { id: byte(1)?, success: byte(2)? == 1 },
    };
    let header = item.header.size() as usize;
    let mut read = PacketItem { name: name.to_owned(), kind, bytes: 0..header, slots: 0..0, payload: None };
    if matches!(kind, ItemKind::Answer { success: false, .. }) {
        return Ok(read);
    }
    let rest = bytes.get(header..).unwrap_or_default();
    let mut payload = decode(&item.payload, rest, slots, decoding).map_err(|error| error.to_string())?;
    for leaf in &mut payload.leaves {
        leaf.at.shift(header, 0);
    }
    read.bytes.end = header + payload.bytes;
    read.slots.end = payload.slots;
    read.payload = Some(payload);
    Ok(read)
}

impl PacketItem {
    /// Takes what the game packed, which runs to the end of the packet; `bytes` begin where the item does.
    fn take_rest(&mut self, bytes: &[u8], leaves: bool) {
        let range = self.bytes.end..bytes.len();
        let Some(payload) = &mut self.payload else { return };
        let value = Value::Buffer(bytes.get(range.clone()).unwrap_or_default().to_vec());
        if leaves {
            let at = LeafPlace::Bytes(range.clone());
            payload.leaves.push(Leaf {
                path: "Payload".to_owned(),
                role: Role::Value,
                at,
                value: value.clone(),
            });
        }
        if let Value::Struct(fields) = &mut payload.value {
            fields.push(("Payload".to_owned(), value));
        }
        payload.bytes += range.len();
        self.bytes.end = bytes.len();
    }

    fn shift(&mut self, bytes: usize, slots: usize) {
        self.bytes = self.bytes.start + bytes..self.bytes.end + bytes;
        self.slots = self.slots.start + slots..self.slots.end + slots;
        for leaf in self.payload.iter_mut().flat_map(|payload| &mut payload.leaves) {
            leaf.at.shift(bytes, slots);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Delivery, Function, NumberKind, Payload, Yield};
    use crate::wire::test_types::*;
    use crate::wire::{EventWire, FunctionWire};

    /// Hit (0, from the server), Price (1, called by clients), Shot (0 on the unreliable channel, from clients).
    fn wire() -> Wire {
        let hit = event("Hit", pack([("Who", instance(None)), ("Damage", num(NumberKind::U8))]));
        let shot = crate::schema::Event {
            from: Side::Client,
            delivery: Delivery::OrderedUnreliable,
            ..event("Shot", Payload::Single(num(NumberKind::I16)))
        };
        let price = Function {
            name: "Price".to_owned(),
            path: vec!["Shop".to_owned(), "Price".to_owned()],
            from: Side::Client,
            yield_: Yield::Coroutine,
            rate: None,
            concurrency: None,
            data: Payload::Single(num(NumberKind::U16)),
            return_: Payload::Nothing,
            index: 1,
            span: Default::default(),
        };
        Wire {
            entities: Vec::new(),
            events: vec![EventWire::of(&hit), EventWire::of(&shot)],
            functions: vec![FunctionWire::of(&price)],
            states: Vec::new(),
            tables: Vec::new(),
            exports: Vec::new(),
            signature: String::new(),
        }
    }

    fn read(channel: Channel, from: Side, bytes: &[u8], slots: &[Value]) -> Packet {
        let decoding = Decoding { leaves: true, ..Decoding::default() };
        decode_packet(&wire(), channel, from, bytes, slots, decoding)
    }

    fn part(id: u64) -> Value {
        Value::Instance { id, class: "Part".to_owned() }
    }

    #[test]
    fn items_are_taken_apart_in_order() {
        let packet = read(
            Channel::Reliable,
            Side::Server,
            &[0, 9, 1, 4, 1, 1, 5, 0, 0, 8],
            &[part(1), part(2), part(3)],
        );
        assert_eq!(
            packet.to_string(),
            "Hit, 2 B: {Who = Part#1, Damage = 9}\nShop.Price answer 4, 3 B\nShop.Price failure 5, 3 B\n\
             Hit, 2 B: {Who = Part#2, Damage = 8}"
        );
        assert_eq!((packet.stopped, packet.slots_left), (None, 1));
        let last = &packet.items[3];
        assert_eq!((last.bytes.clone(), last.slots.clone()), (8..10, 1..2));
        let leaves = &last.payload.as_ref().unwrap().leaves;
        assert_eq!((leaves[0].at.clone(), leaves[0].role), (LeafPlace::Slot(1), Role::Value));
        assert_eq!(leaves[1].at, LeafPlace::Bytes(9..10));
    }

    #[test]
    fn the_direction_tells_a_call_from_its_answer() {
        let packet = read(Channel::Reliable, Side::Client, &[1, 4, 0x2C, 1], &[]);
        assert_eq!(packet.to_string(), "Shop.Price call 4, 4 B: {Value = 300}");
    }

    #[test]
    fn ordered_events_show_their_sequence_number() {
        let packet = read(Channel::Unreliable, Side::Client, &[0, 2, 1, 0xFF, 0xFF], &[]);
        assert_eq!(packet.to_string(), "Shot #258, 5 B: {Value = -1}");
    }

    #[test]
    fn frames_of_states_are_named() {
        use crate::source::MemoryLoader;
        let text = "state Door { Key: string(1..8), Data: struct { Open: boolean, Owner: string(..9)? } }
            state Radar { Codec: Custom, Data: struct { X: u8 } }";
        let loader = MemoryLoader::new().with("a.blink", text);
        let analysis = crate::analyze(&loader, "a.blink", crate::schema::Profile::Release);
        let wire = Wire::of(&analysis.schema.unwrap());
        let decoding = Decoding { leaves: true, ..Decoding::default() };
        let read = |from, bytes: &[u8]| decode_packet(&wire, Channel::Reliable, from, bytes, &[], decoding);
        // A delta of "ab" that clears the owner, then the end of it.
        let packet = read(Side::Server, &[0, 1, 0b1_0100, b'a', b'b', 1, 0, 1, 2, b'a', b'b']);
        assert_eq!(
            packet.to_string(),
            "Door, 6 B: {Key = \"ab\", Kind = 0, Data = {Open = true, Owner = nil}, [\"Cleared.Owner\"] = true}\n\
             Door, 5 B: {Key = \"ab\", Kind = 2, Data = {Open = nil, Owner = nil}, [\"Cleared.Owner\"] = false}"
        );
        let packed = read(Side::Server, &[1, 7, 8, 9]);
        assert_eq!(packed.items.len(), 1);
        assert_eq!(packed.items[0].bytes, 0..4);
        let payload = packed.items[0].payload.as_ref().unwrap();
        assert_eq!(payload.leaves.last().unwrap().value, Value::Buffer(vec![7, 8, 9]));
        assert!(read(Side::Client, &[0, 1, 0, b'a', b'b']).stopped.is_some());
    }

    #[test]
    fn what_cannot_be_read_is_placed() {
        let packet = read(Channel::Reliable, Side::Server, &[0, 9, 7], &[part(1)]);
        assert_eq!(packet.items.len(), 1);
        assert_eq!(
            packet.stopped,
            Some(Stopped { at: 2, name: None, text: "no item has index 7".to_owned() })
        );
        let cut = read(Channel::Unreliable, Side::Client, &[0, 2], &[]).stopped.unwrap();
        assert_eq!(
            (cut.at, cut.name.as_deref(), cut.text.as_str()),
            (0, Some("Shot"), "ends inside its header")
        );
        let wrong_side = read(Channel::Unreliable, Side::Server, &[0, 2, 1, 0, 0], &[]);
        assert_eq!(wrong_side.to_string(), "? at byte 0: no item has index 0");
    }
}
