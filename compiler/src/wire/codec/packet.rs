//! Whole packets: every item of one remote call, named and taken apart, for people and traces.

use std::ops::Range;

use crate::schema::{Channel, Side};
use crate::wire::codec::{Decoded, Decoding, Value, decode};
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
    /// A function call.
    Call {
        /// Pairs it with its answer.
        id: u8,
    },
    /// An answer.
    Answer {
        /// The call it answers.
        id: u8,
        /// Whether the call succeeded; a failure has no payload.
        success: bool,
    },
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
        let Some((name, item)) = find(wire, channel, from, index) else {
            packet.stopped = Some(Stopped { at, name: None, text: format!("no item has index {index}") });
            break;
        };
        let slots = slots.get(slot..).unwrap_or_default();
        let limit = decoding.slots_left.map(|left| left.saturating_sub(slot as u64));
        match read_item(&name, item, &bytes[at..], slots, Decoding { slots_left: limit, ..decoding }) {
            Ok(mut read) => {
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

/// The item an index names for traffic from a side: an event it sends, a call it makes, or an answer it gives.
fn find(wire: &Wire, channel: Channel, from: Side, index: u8) -> Option<(String, &ItemWire)> {
    if let Some(event) = wire.event_at(channel, index) {
        return (event.from == from).then(|| (event.path.join("."), &event.item));
    }
    if channel == Channel::Unreliable {
        return None;
    }
    let function = wire.function_at(index)?;
    let item = if function.from == from { &function.call } else { &function.answer };
    Some((function.path.join("."), item))
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
    fn shift(&mut self, bytes: usize, slots: usize) {
        self.bytes = self.bytes.start + bytes..self.bytes.end + bytes;
        self.slots = self.slots.start + slots..self.slots.end + slots;
        for leaf in self.payload.iter_mut().flat_map(|payload| &mut payload.leaves) {
            leaf.at.shift(bytes, slots);
        }
    }
}
