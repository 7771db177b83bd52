//! Packets of a session's two remotes, taken apart for people and traces.

use super::packet::{ItemKind, Packet, PacketItem, Stopped};
use super::{Decoded, Decoding, Leaf, LeafPlace, Role, Value};
use crate::schema::{Channel, Side};
use crate::wire::session::CAUSES;

/// Reads a packet sent by `from`: on a reliable channel that of what is said once, otherwise that of stamps.
pub fn decode_session(channel: Channel, from: Side, bytes: &[u8], decoding: Decoding<'_>) -> Packet {
    let read = match (channel, from, bytes) {
        (Channel::Reliable, Side::Client, [0, signature @ ..]) if signature.len() == 16 => {
            ("(hello)", vec![("Signature", 1..17, Value::String(signature.to_vec()))])
        }
        (Channel::Reliable, Side::Client, [1, code]) => ("(acknowledged)", vec![cause(*code)]),
        (Channel::Reliable, Side::Client, [2]) => ("(alive)", Vec::new()),
        (Channel::Reliable, Side::Server, [0]) => ("(welcome)", Vec::new()),
        (Channel::Reliable, Side::Server, [1, code]) => ("(ended)", vec![cause(*code)]),
        (Channel::Unreliable, Side::Client, [0, a, b, c, d]) => {
            ("(answer)", vec![stamp("Stamp", 1, [*a, *b]), stamp("Own", 3, [*c, *d])])
        }
        (Channel::Unreliable, Side::Server, [0, a, b]) => ("(stamp)", vec![stamp("Stamp", 1, [*a, *b])]),
        (Channel::Unreliable, Side::Server, [1, a, b]) => ("(echo)", vec![stamp("Own", 1, [*a, *b])]),
        _ => {
            let stopped = Stopped { at: 0, name: None, text: "is no packet of a session".to_owned() };
            return Packet { items: Vec::new(), stopped: Some(stopped), slots_left: 0 };
        }
    };
    let (name, fields) = read;
    let value =
        Value::Struct(fields.iter().map(|(path, _, value)| (path.to_string(), value.clone())).collect());
    let leaf = |(path, at, value): (&str, std::ops::Range<usize>, Value)| Leaf {
        path: path.to_owned(),
        role: Role::Value,
        at: LeafPlace::Bytes(at),
        value,
    };
    let leaves = if decoding.leaves { fields.into_iter().map(leaf).collect() } else { Vec::new() };
    let item = PacketItem {
        name: name.to_owned(),
        kind: ItemKind::Session,
        bytes: 0..bytes.len(),
        slots: 0..0,
        payload: Some(Decoded { value, bytes: bytes.len(), slots: 0, missing: None, leaves }),
    };
    Packet { items: vec![item], stopped: None, slots_left: 0 }
}

fn cause(code: u8) -> (&'static str, std::ops::Range<usize>, Value) {
    let known = CAUSES.get(usize::from(code));
    let value = known.map_or(Value::Number(f64::from(code)), |name| Value::text(name));
    ("Cause", 1..2, value)
}

fn stamp(path: &'static str, at: usize, bytes: [u8; 2]) -> (&'static str, std::ops::Range<usize>, Value) {
    (path, at..at + 2, Value::Number(f64::from(u16::from_le_bytes(bytes))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(channel: Channel, from: Side, bytes: &[u8]) -> String {
        let packet = decode_session(channel, from, bytes, Decoding::default());
        match (packet.items.as_slice(), packet.stopped) {
            ([item], None) => item.to_string(),
            (_, stopped) => stopped.map_or_else(String::new, |stopped| stopped.text),
        }
    }

    #[test]
    fn each_kind_is_named() {
        let hello = [&[0][..], b"0123456789abcdef"].concat();
        for (channel, from, bytes, text) in [
            (
                Channel::Reliable,
                Side::Client,
                &hello[..],
                "(hello) session, 17 B: {Signature = \"0123456789abcdef\"}",
            ),
            (Channel::Reliable, Side::Server, &[0], "(welcome) session, 1 B"),
            (Channel::Reliable, Side::Server, &[1, 10], "(ended) session, 2 B: {Cause = \"KickVote\"}"),
            (
                Channel::Reliable,
                Side::Client,
                &[1, 10],
                "(acknowledged) session, 2 B: {Cause = \"KickVote\"}",
            ),
            (Channel::Reliable, Side::Client, &[2], "(alive) session, 1 B"),
            (Channel::Unreliable, Side::Server, &[0, 1, 2], "(stamp) session, 3 B: {Stamp = 513}"),
            (
                Channel::Unreliable,
                Side::Client,
                &[0, 1, 2, 3, 0],
                "(answer) session, 5 B: {Stamp = 513, Own = 3}",
            ),
            (Channel::Unreliable, Side::Server, &[1, 3, 0], "(echo) session, 3 B: {Own = 3}"),
            (Channel::Unreliable, Side::Server, &[1, 3], "is no packet of a session"),
            (Channel::Reliable, Side::Client, &[], "is no packet of a session"),
        ] {
            assert_eq!(shown(channel, from, bytes), text);
        }
    }

    #[test]
    fn an_unknown_cause_is_its_number() {
        assert_eq!(shown(Channel::Reliable, Side::Server, &[1, 99]), "(ended) session, 2 B: {Cause = 99}");
    }
}
