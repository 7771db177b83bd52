//! What the modules tell each other of the reliable events of channels that arrived, taken apart for people and traces.
//!
//! A packet is groups to its end: the channel, the newest number the group speaks for, and a mask of the 32 before it. An
//! empty one says that a side is there.

use crate::schema::Lane;
use crate::wire::codec::packet::{ItemKind, Packet, PacketItem, Stopped};
use crate::wire::codec::{Decoded, Leaf, LeafPlace, Role, Value};

/// Bytes of a group.
const GROUP: usize = 7;

/// The name of the channel of that number; behind those of the schema comes what has no order.
fn name(channel: u8) -> Option<&'static str> {
    match Lane::ALL.get(usize::from(channel)) {
        Some(lane) => Some(lane.word()),
        None => (usize::from(channel) == Lane::ALL.len()).then_some("Unordered"),
    }
}

/// Reads a packet of acknowledgements, whoever sent it.
pub fn decode_acknowledgements(bytes: &[u8]) -> Packet {
    let mut packet = Packet { items: Vec::new(), stopped: None, slots_left: 0 };
    for (place, group) in bytes.chunks(GROUP).enumerate() {
        let at = place * GROUP;
        let mut stop = |text: String| packet.stopped = Some(Stopped { at, name: None, text });
        let &[channel, low, high, a, b, c, d] = group else {
            stop("ends inside a group".to_owned());
            break;
        };
        let Some(name) = name(channel) else {
            stop(format!("no channel has number {channel}"));
            break;
        };
        let newest = u16::from_le_bytes([low, high]);
        let mask = u32::from_le_bytes([a, b, c, d]);
        let before = (0..32u16).filter(|bit| mask & (1 << bit) != 0);
        let before = before.map(|bit| Value::Number(f64::from(newest.wrapping_sub(bit + 1)))).collect();
        let fields = [
            ("Newest", Value::Number(f64::from(newest)), at + 1..at + 3),
            ("Before", Value::Array(before), at + 3..at + GROUP),
        ];
        let leaves = fields
            .iter()
            .map(|(path, value, range)| Leaf {
                path: (*path).to_owned(),
                role: Role::Value,
                at: LeafPlace::Bytes(range.clone()),
                value: value.clone(),
            })
            .collect();
        let value = Value::Struct(fields.map(|(path, value, _)| (path.to_owned(), value)).into());
        packet.items.push(PacketItem {
            name: name.to_owned(),
            kind: ItemKind::Received { newest },
            bytes: at..at + GROUP,
            slots: 0..0,
            payload: Some(Decoded { value, bytes: GROUP, slots: 0, missing: None, leaves }),
        });
    }
    packet
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_name_what_arrived() {
        let packet = decode_acknowledgements(&[1, 2, 1, 0b101, 0, 0, 0, 3, 0, 0, 1, 0, 0, 0]);
        assert_eq!(
            packet.to_string(),
            "Controls received up to 258, 7 B: {Newest = 258, Before = {257, 255}}\n\
             Unordered received up to 0, 7 B: {Newest = 0, Before = {65535}}"
        );
        assert_eq!(packet.items[1].bytes, 7..14);
        assert_eq!(decode_acknowledgements(&[]).items.len(), 0);
    }

    #[test]
    fn what_is_no_group_is_placed() {
        let stopped =
            |bytes: &[u8]| decode_acknowledgements(bytes).stopped.map(|stopped| (stopped.at, stopped.text));
        assert_eq!(stopped(&[1, 2, 1, 0, 0, 0, 0, 9]), Some((7, "ends inside a group".to_owned())));
        assert_eq!(stopped(&[4, 0, 0, 0, 0, 0, 0]), Some((0, "no channel has number 4".to_owned())));
    }
}
