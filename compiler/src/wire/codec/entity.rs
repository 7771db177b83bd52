//! Packets of the entities' remote, taken apart for people and traces. Their layout is in [`crate::wire::entity`].

use super::packet::{EntityItem, ItemKind, Packet, PacketItem, Stopped};
use super::{Decoded, Decoding, Leaf, LeafPlace, Role, Value, decode};
use crate::diagnostics::counted;
use crate::schema::Side;
use crate::wire::Wire;
use crate::wire::entity::{EntityWire, Extra, PACKET_HEADER, Part, REMOVED, TICK_SIZE, VELOCITY_SIZE};
use crate::wire::plan::Plan;

/// Reads a packet sent by `from` on the entities' remote.
pub fn decode_entities(wire: &Wire, from: Side, bytes: &[u8], decoding: Decoding<'_>) -> Packet {
    let mut reader = Reader { wire, bytes, at: 0, decoding, items: Vec::new(), name: None };
    let outcome = match from {
        Side::Server => reader.snapshot(),
        Side::Client => reader.inbox(),
    };
    let stopped = outcome.err().map(|text| Stopped { at: reader.at, name: reader.name.take(), text });
    Packet { items: reader.items, stopped, slots_left: 0 }
}

struct Reader<'a> {
    wire: &'a Wire,
    bytes: &'a [u8],
    at: usize,
    decoding: Decoding<'a>,
    items: Vec<PacketItem>,
    /// The entity being read.
    name: Option<String>,
}

type Read<T> = Result<T, String>;

impl Reader<'_> {
    fn take(&mut self, count: usize) -> Read<usize> {
        if self.bytes.len() - self.at < count {
            let left = self.bytes.len() - self.at;
            let are = if left == 1 { "is" } else { "are" };
            return Err(format!("needs {} where {left} {are} left", counted(count, "byte")));
        }
        self.at += count;
        Ok(self.at - count)
    }

    /// An unsigned little-endian number of so many bytes, at most 8.
    fn number(&mut self, size: usize) -> Read<u64> {
        let start = self.take(size)?;
        Ok(self.bytes[start..start + size].iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte)))
    }

    fn signed(&mut self, size: usize) -> Read<f64> {
        let value = self.number(size)?;
        let unused = 64 - 8 * size as u32;
        Ok(((value << unused) as i64 >> unused) as f64)
    }

    fn id(&mut self) -> Read<u64> {
        let mut id = 0u64;
        for place in 0..8 {
            let byte = self.number(1)?;
            id |= (byte & 127) << (7 * place);
            if byte < 128 {
                return Ok(id);
            }
        }
        Err("an id is longer than eight bytes".to_owned())
    }

    fn entity(&mut self, index: u64) -> Read<EntityWire> {
        let found = self.wire.entities.iter().find(|entity| u64::from(entity.index) == index);
        let found = found.cloned().ok_or_else(|| format!("no entity has index {index}"))?;
        self.name = Some(found.path.join("."));
        Ok(found)
    }

    fn push(&mut self, name: &str, what: EntityItem, id: u64, start: usize, leaves: Vec<Leaf>) {
        let values = leaves.iter().filter(|leaf| leaf.role == Role::Value);
        let value = Value::Struct(values.map(|leaf| (leaf.path.clone(), leaf.value.clone())).collect());
        let payload = Decoded { value, bytes: self.at - start, slots: 0, missing: None, leaves };
        self.items.push(PacketItem {
            name: name.to_owned(),
            kind: ItemKind::Entity { what, id },
            bytes: start..self.at,
            slots: 0..0,
            payload: Some(payload),
        });
    }

    /// The leaves of a plan's values from here on.
    fn plan(&mut self, plan: &Plan, under: &str, leaves: &mut Vec<Leaf>) -> Read<()> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let read = decode(plan, rest, &[], Decoding { leaves: true, ..self.decoding })
            .map_err(|error| error.to_string())?;
        for mut leaf in read.leaves {
            leaf.at.shift(self.at, 0);
            leaf.path = format!("{under}{}", leaf.path);
            leaves.push(leaf);
        }
        self.at += read.bytes;
        Ok(())
    }

    fn leaf(&self, path: &str, start: usize, value: f64) -> Leaf {
        Leaf {
            path: path.to_owned(),
            role: Role::Value,
            at: LeafPlace::Bytes(start..self.at),
            value: Value::Number(value),
        }
    }

    fn snapshot(&mut self) -> Read<()> {
        self.take(PACKET_HEADER as usize)?;
        while self.at < self.bytes.len() {
            let index = self.number(1)?;
            let count = self.number(1)?;
            let entity = match index {
                index if index == u64::from(REMOVED) => None,
                index => Some(self.entity(index)?),
            };
            let mut id = 0u64;
            for _ in 0..count {
                let start = self.at;
                id = id.saturating_add(self.id()?);
                match &entity {
                    Some(entity) => self.record(entity, id, start)?,
                    None => self.push("(removed)", EntityItem::Removal, id, start, Vec::new()),
                }
            }
        }
        Ok(())
    }

    fn record(&mut self, entity: &EntityWire, id: u64, start: usize) -> Read<()> {
        let mask = self.number(entity.mask_size())?;
        let has = |bit: usize| mask >> bit & 1 == 1;
        let mut leaves = Vec::new();
        let mut bit = entity.flags();
        for part in &entity.parts {
            if has(bit) {
                self.part(part, &mut leaves)?;
            }
            bit += 1;
        }
        for extra in &entity.extras {
            if has(bit) {
                self.extra(*extra, &mut leaves)?;
            }
            bit += 1;
        }
        for (class, part) in &entity.synced {
            if has(bit) {
                self.plan(&part.plan, &format!("{class}."), &mut leaves)?;
            }
            bit += 1;
        }
        if entity.transform {
            for axis in ["X", "Y", "Z"] {
                if has(bit) {
                    let value = self.signed(4)? / 1024.0;
                    leaves.push(self.leaf(axis, self.at - 4, value));
                }
                bit += 1;
            }
            if has(bit) {
                let value = self.number(4)? as f64;
                leaves.push(self.leaf("Rotation", self.at - 4, value));
            }
        }
        if entity.owned && has(1) {
            self.own(entity, &mut leaves)?;
        }
        let what = if has(0) { EntityItem::New } else { EntityItem::Change };
        self.push(&entity.path.join("."), what, id, start, leaves);
        Ok(())
    }

    fn part(&mut self, part: &Part, leaves: &mut Vec<Leaf>) -> Read<()> {
        let is_whole = part.gone.is_none() || self.number(1)? == 1;
        self.plan(&part.plan, "", leaves)?;
        match &part.gone {
            Some(gone) if !is_whole => {
                let name = part.fields.first().map_or("", String::as_str);
                self.plan(gone, &format!("{name}."), leaves)
            }
            _ => Ok(()),
        }
    }

    fn text(&mut self) -> Read<Value> {
        let length = self.number(1)? as usize;
        let start = self.take(length)?;
        Ok(Value::String(self.bytes[start..start + length].to_vec()))
    }

    fn extra(&mut self, extra: Extra, leaves: &mut Vec<Leaf>) -> Read<()> {
        let start = self.at;
        let mut push = |reader: &Self, path: String, start: usize, value: Value| {
            let at = LeafPlace::Bytes(start..reader.at);
            leaves.push(Leaf { path, role: Role::Value, at, value });
        };
        match extra {
            Extra::Name => {
                let name = self.text()?;
                push(self, "(name)".to_owned(), start, name);
            }
            Extra::Parent => {
                let parent = self.id()? as f64;
                push(self, "(parent)".to_owned(), start, Value::Number(parent));
            }
            Extra::Keyed => {
                for _ in 0..self.number(1)? {
                    let start = self.at;
                    let key = self.text()?;
                    let value = match self.number(1)? {
                        0 => Value::Nil,
                        1 => Value::Boolean(false),
                        2 => Value::Boolean(true),
                        3 => Value::Number(f64::from_bits(self.number(8)?)),
                        4 => self.text()?,
                        5 => {
                            let mut axis = || self.number(4).map(|bits| f32::from_bits(bits as u32));
                            Value::Vector([axis()?, axis()?, axis()?])
                        }
                        6 => {
                            let mut part = || self.number(1).map(|byte| byte as f32 / 255.0);
                            Value::Color3([part()?, part()?, part()?])
                        }
                        kind => return Err(format!("no attribute has the type {kind}")),
                    };
                    let Value::String(key) = key else { continue };
                    push(self, format!("@{}", key.escape_ascii()), start, value);
                }
            }
        }
        Ok(())
    }

    /// What stands behind the record of the receiver's own.
    fn own(&mut self, entity: &EntityWire, leaves: &mut Vec<Leaf>) -> Read<()> {
        if entity.velocity {
            for axis in ["Velocity.X", "Velocity.Y", "Velocity.Z"] {
                let value = self.signed(3)? / 128.0;
                leaves.push(self.leaf(axis, self.at - 3, value));
            }
            for axis in ["AngularVelocity.X", "AngularVelocity.Y", "AngularVelocity.Z"] {
                let value = self.signed(2)? / 1000.0;
                leaves.push(self.leaf(axis, self.at - 2, value));
            }
            debug_assert_eq!(VELOCITY_SIZE, 15);
        }
        if entity.input.is_some() {
            let tick = self.number(TICK_SIZE as usize)? as f64;
            leaves.push(self.leaf("Tick", self.at - TICK_SIZE as usize, tick));
        }
        Ok(())
    }

    fn inbox(&mut self) -> Read<()> {
        let groups = self.number(1)?;
        for _ in 0..groups {
            let start = self.at;
            let newest = self.number(2)?;
            let mask = self.number(4)? as f64;
            let leaf = self.leaf("Before", self.at - 4, mask);
            self.push("(acknowledged)", EntityItem::Acknowledgement, newest, start, vec![leaf]);
        }
        while self.at < self.bytes.len() {
            let index = self.number(1)?;
            let entity = self.entity(index)?;
            let Some(plan) = &entity.input else { return Err("it takes no input".to_owned()) };
            let id = self.id()?;
            let mut tick = self.number(2)?;
            let count = self.number(1)?;
            for _ in 0..count {
                let start = self.at;
                tick = (tick + self.number(1)?) % 65_536;
                let mut leaves = vec![self.leaf("Tick", start, tick as f64)];
                self.plan(plan, "", &mut leaves)?;
                self.push(&entity.path.join("."), EntityItem::Input, id, start, leaves);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Profile;
    use crate::source::MemoryLoader;

    fn shown(from: Side, bytes: &[u8]) -> Vec<String> {
        let text = "entity Ship { Owner: true, Transform: true, Input: struct { Thrust: u8 },
            Data: struct { Hull: u8, Name: string(..9) } }";
        let analysis = crate::analyze(&MemoryLoader::new().with("x", text), "x", Profile::Release);
        let wire = Wire::of(&analysis.schema.unwrap());
        let packet = decode_entities(&wire, from, bytes, Decoding::default());
        let mut lines: Vec<String> = packet.items.iter().map(ToString::to_string).collect();
        lines.extend(packet.stopped.map(|stopped| format!("{}: {}", stopped.at, stopped.text)));
        lines
    }

    #[test]
    fn records_name_their_parts() {
        // Ship 3 is new, without a transform's axes but X; ship 4 changed its hull; 9 is gone.
        let packet = [
            1,
            0,
            0,
            0,
            0,
            2,
            3,
            0b1110_0001,
            0,
            7,
            2,
            b'h',
            b'i',
            0,
            4,
            0,
            0,
            1,
            0b0010_0000,
            0,
            8,
            255,
            1,
            9,
        ];
        assert_eq!(
            shown(Side::Server, &packet),
            [
                "Ship new 3, 11 B: {Hull = 7, Name = \"hi\", X = 1}",
                "Ship change 4, 4 B: {Hull = 8}",
                "(removed) removal 9, 1 B"
            ]
        );
    }

    #[test]
    fn what_clients_send_is_named() {
        let packet = [1, 5, 0, 3, 0, 0, 0, 0, 3, 232, 3, 2, 0, 9, 1, 8];
        assert_eq!(
            shown(Side::Client, &packet),
            [
                "(acknowledged) acknowledgement 5, 6 B: {Before = 3}",
                "Ship input 3, 2 B: {Tick = 1000, [\"Input.Thrust\"] = 9}",
                "Ship input 3, 2 B: {Tick = 1001, [\"Input.Thrust\"] = 8}"
            ]
        );
    }

    #[test]
    fn maps_show_what_changed_of_them() {
        let text = "entity Ship { Data: struct { Score: map { [u8]: u8 } } }";
        let analysis = crate::analyze(&MemoryLoader::new().with("x", text), "x", Profile::Release);
        let wire = Wire::of(&analysis.schema.unwrap());
        let shown = |bytes: &[u8]| {
            let packet = decode_entities(&wire, Side::Server, bytes, Decoding::default());
            assert!(packet.stopped.is_none());
            packet.items.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
        };
        // One entry and no list of keys; then one entry, and two keys that are gone.
        let whole = shown(&[1, 0, 0, 0, 0, 1, 3, 0b11, 1, 1, 0, 5, 6]);
        assert!(whole.starts_with("Ship new 3, 7 B") && !whole.contains("Gone"), "{whole}");
        let part = shown(&[2, 0, 0, 0, 0, 1, 3, 0b10, 0, 1, 0, 5, 7, 2, 8, 9]);
        assert!(part.starts_with("Ship change 3, 10 B") && part.contains("Gone"), "{part}");
    }

    #[test]
    fn what_breaks_off_says_where() {
        assert_eq!(shown(Side::Server, &[1, 0]), ["0: needs 4 bytes where 2 are left"]);
        assert_eq!(shown(Side::Server, &[1, 0, 0, 0, 7, 1, 1]), ["6: no entity has index 7"]);
    }
}
