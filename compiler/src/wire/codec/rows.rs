//! Packets of table rows, taken apart for people and traces: a table an item, its columns as lists.

use crate::schema::Side;
use crate::wire::Wire;
use crate::wire::codec::packet::{ItemKind, Packet, PacketItem, Stopped};
use crate::wire::codec::{Decoded, Decoding, Leaf, LeafPlace, Role, Value, decode};
use crate::wire::table::TableWire;

/// Bytes in front of the first table: the tick and the number of tables.
const HEADER: usize = 3;

/// Reads a packet of rows sent by `from`.
pub fn decode_rows(wire: &Wire, from: Side, bytes: &[u8], decoding: Decoding<'_>) -> Packet {
    let mut packet = Packet { items: Vec::new(), stopped: None, slots_left: 0 };
    let stop = |at: usize, name: Option<String>, text: String| Some(Stopped { at, name, text });
    let Some(&[low, high, count]) = bytes.first_chunk::<HEADER>() else {
        packet.stopped = stop(0, None, "ends inside its header".to_owned());
        return packet;
    };
    let tick = u16::from_le_bytes([low, high]);
    let mut at = HEADER;
    for _ in 0..count {
        let Some(&[index, last]) = bytes.get(at..).and_then(|rest| rest.first_chunk::<2>()) else {
            packet.stopped = stop(at, None, "ends in front of a table".to_owned());
            return packet;
        };
        let found = wire.tables.iter().find(|table| table.index == index && table.from == from);
        let Some(table) = found else {
            packet.stopped = stop(at, None, format!("no table has index {index}"));
            return packet;
        };
        match read_table(table, tick, u32::from(last) + 1, bytes, at, decoding) {
            Ok(item) => {
                at = item.bytes.end;
                packet.items.push(item);
            }
            Err(text) => {
                packet.stopped = stop(at, Some(table.path.join(".")), text);
                return packet;
            }
        }
    }
    if at < bytes.len() {
        packet.stopped = stop(at, None, "bytes are left behind its tables".to_owned());
    }
    packet
}

fn read_table(
    table: &TableWire,
    tick: u16,
    rows: u32,
    bytes: &[u8],
    start: usize,
    decoding: Decoding<'_>,
) -> Result<PacketItem, String> {
    let mut at = start + 2;
    let mut columns = Vec::new();
    let mut leaves = vec![Leaf {
        path: "Count".to_owned(),
        role: Role::Length,
        at: LeafPlace::Bytes(start + 1..start + 2),
        value: Value::Number(f64::from(rows)),
    }];
    for column in &table.columns {
        let rest = bytes.get(at..).unwrap_or_default();
        let read = decode(&column.of_rows(rows), rest, &[], decoding).map_err(|error| error.to_string())?;
        for mut leaf in read.leaves {
            leaf.at.shift(at, 0);
            leaves.push(leaf);
        }
        at += read.bytes;
        if let Value::Struct(fields) = read.value {
            columns.extend(fields);
        }
    }
    let value = Value::Struct(columns);
    if !decoding.leaves {
        leaves.clear();
    }
    let payload = Decoded { value, bytes: at - start - 2, slots: 0, missing: None, leaves };
    Ok(PacketItem {
        name: table.path.join("."),
        kind: ItemKind::Rows { tick },
        bytes: start..at,
        slots: 0..0,
        payload: Some(payload),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze;
    use crate::schema::Profile;
    use crate::source::MemoryLoader;

    fn wire() -> Wire {
        let text = "table Say { From: Client, Fields: { Text: string(..9), Loud: boolean, Team: u8(0..3) } }
            table Hit { From: Server, Fields: { Damage: u16 } }";
        let loader = MemoryLoader::new().with("a.blink", text);
        Wire::of(&analyze(&loader, "a.blink", Profile::Release).schema.unwrap())
    }

    fn read(from: Side, bytes: &[u8]) -> Packet {
        decode_rows(&wire(), from, bytes, Decoding { leaves: true, ..Decoding::default() })
    }

    #[test]
    fn rows_are_read_column_by_column() {
        // Tick 258; two rows: "ab", true, 1 and "cde", false, 3.
        let bytes = [2, 1, 1, 0, 1, 2, 3, b'a', b'b', b'c', b'd', b'e', 0b01, 0b1101];
        let packet = read(Side::Client, &bytes);
        assert_eq!(
            packet.to_string(),
            "Say rows of tick 258, 11 B: {Text = {\"ab\", \"cde\"}, Loud = {true, false}, Team = {1, 3}}"
        );
        assert_eq!(packet.stopped, None);
        let leaves = &packet.items[0].payload.as_ref().unwrap().leaves;
        assert_eq!((leaves[0].path.as_str(), &leaves[0].value), ("Count", &Value::Number(2.0)));
    }

    #[test]
    fn what_is_no_packet_of_rows_is_placed() {
        let stopped = |from, bytes: &[u8]| {
            let stopped = read(from, bytes).stopped.unwrap();
            (stopped.at, stopped.text)
        };
        assert_eq!(stopped(Side::Client, &[1]), (0, "ends inside its header".to_owned()));
        assert_eq!(stopped(Side::Client, &[0, 0, 1, 1, 0]), (3, "no table has index 1".to_owned()));
        assert_eq!(stopped(Side::Server, &[0, 0, 1, 1, 0, 5]).0, 3);
        assert_eq!(stopped(Side::Server, &[0, 0, 0, 9]), (3, "bytes are left behind its tables".to_owned()));
        assert_eq!(stopped(Side::Server, &[0, 0, 1]), (3, "ends in front of a table".to_owned()));
    }
}
