//! The reader: walks bytes along a plan, and keeps a note of every leaf where asked to.

use crate::schema::NumberKind;
use crate::wire::codec::error::{DecodeError, Problem};
use crate::wire::codec::number::{self, from_bytes};
use crate::wire::codec::path::{Path, Step};
use crate::wire::codec::value::Value;
use crate::wire::codec::{Decoded, Decoding, Leaf, LeafPlace, Role, roblox};
use crate::wire::plan::{
    Array, BitPlace, Bits, Block, Booleans, Bytes, Carrier, Length, Map, Member, Node, Number, Place, Plan,
    Prefix, Room, Set, Shape, TaggedEnum, Vector,
};

pub(crate) fn decode(
    plan: &Plan,
    bytes: &[u8],
    slots: &[Value],
    decoding: Decoding<'_>,
) -> Result<Decoded, DecodeError> {
    let mut reader = Reader {
        bytes,
        at: 0,
        slots,
        slot: 0,
        decoding,
        path: Path::default(),
        missing: None,
        leaves: Vec::new(),
    };
    match reader.block(&plan.block) {
        Ok(value) => Ok(Decoded {
            value,
            bytes: reader.at,
            slots: reader.slot,
            missing: reader.missing,
            leaves: reader.leaves,
        }),
        Err(problem) => Err(DecodeError { path: reader.path.to_string(), at: reader.at, problem }),
    }
}

type Read<T> = Result<T, Problem>;

struct Reader<'a> {
    bytes: &'a [u8],
    /// Next byte to be appended from.
    at: usize,
    slots: &'a [Value],
    /// Next slot.
    slot: usize,
    decoding: Decoding<'a>,
    /// Left standing where a problem happens.
    path: Path<'a>,
    missing: Option<String>,
    leaves: Vec<Leaf>,
}

/// Where the claims of one body lie.
struct Frame {
    head: usize,
    /// First bit of the element's share of the run, from the first bit of the input.
    run: usize,
    /// The bit bytes of a sequential block met so far.
    bit_bytes: Vec<usize>,
}

impl<'a> Reader<'a> {
    fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Steps over `count` bytes and gives the offset of the first.
    fn take(&mut self, count: usize) -> Read<usize> {
        if count > self.left() {
            return Err(Problem::End { needed: count as u64, left: self.left() });
        }
        let start = self.at;
        self.at += count;
        Ok(start)
    }

    fn block(&mut self, block: &'a Block) -> Read<Value> {
        let head = self.take(block.head as usize)?;
        let mut frame = Frame { head, run: 0, bit_bytes: Vec::new() };
        self.node(&mut frame, &block.body)
    }

    /// Offset of `size` bytes in their place.
    fn locate(&mut self, frame: &Frame, place: Place, size: usize) -> Read<usize> {
        match place {
            Place::Head(offset) => Ok(frame.head + offset as usize),
            Place::Append => self.take(size),
        }
    }

    fn slice(&self, start: usize, size: usize) -> &'a [u8] {
        self.bytes.get(start..start + size).unwrap_or_default()
    }

    fn number(&mut self, frame: &Frame, place: Place, kind: NumberKind) -> Read<(f64, LeafPlace)> {
        let size = kind.size() as usize;
        let start = self.locate(frame, place, size)?;
        Ok((from_bytes(kind, self.slice(start, size)), LeafPlace::Bytes(start..start + size)))
    }

    fn bits(&mut self, frame: &mut Frame, bits: &Bits) -> Read<(u32, LeafPlace)> {
        let mut value = 0;
        let mut parts = Vec::new();
        match &bits.place {
            BitPlace::Run { position } => {
                for bit in 0..usize::from(bits.width) {
                    let at = frame.run + *position as usize + bit;
                    let byte = self.bytes.get(at / 8).copied().unwrap_or_default();
                    value |= u32::from(byte >> (at % 8) & 1) << bit;
                    match parts.last_mut() {
                        Some((last, _, width)) if *last == at / 8 => *width += 1,
                        _ => parts.push((at / 8, (at % 8) as u8, 1u8)),
                    }
                }
            }
            BitPlace::Bytes(pieces) => {
                for piece in pieces {
                    let at = match piece.place {
                        Place::Head(offset) => frame.head + offset as usize,
                        Place::Append => {
                            if piece.opens {
                                let at = self.take(1)?;
                                frame.bit_bytes.push(at);
                            }
                            frame.bit_bytes.get(piece.byte as usize).copied().unwrap_or_default()
                        }
                    };
                    let byte = u32::from(self.bytes.get(at).copied().unwrap_or_default());
                    value |= (byte >> piece.bit & ((1 << piece.width) - 1)) << piece.shift;
                    parts.push((at, piece.bit, piece.width));
                }
            }
        }
        Ok((value, LeafPlace::Bits(parts)))
    }

    fn leaf(&mut self, role: Role, at: LeafPlace, value: &Value) {
        if self.decoding.leaves {
            self.leaves.push(Leaf { path: self.path.to_string(), role, at, value: value.clone() });
        }
    }

    fn leaf_value(&mut self, at: LeafPlace, value: Value) -> Read<Value> {
        self.leaf(Role::Value, at, &value);
        Ok(value)
    }

    /// Reads a node. Small, since values may be hundreds deep.
    fn node(&mut self, frame: &mut Frame, node: &'a Node) -> Read<Value> {
        match &node.shape {
            Shape::Optional { presence, block } => {
                let (bit, at) = self.bits(frame, presence)?;
                self.leaf(Role::Presence, at, &Value::Boolean(bit == 1));
                if bit == 1 { self.block(block) } else { Ok(Value::Nil) }
            }
            Shape::Array(array) => self.array(frame, array),
            Shape::Map(map) => self.map(frame, map),
            Shape::TaggedEnum(tagged) => self.tagged(frame, tagged),
            Shape::Struct(members) | Shape::Pack(members) => Ok(Value::Struct(self.members(frame, members)?)),
            Shape::Number(_)
            | Shape::Boolean(_)
            | Shape::Bytes(_)
            | Shape::Vector(_)
            | Shape::CFrame(_)
            | Shape::Roblox { .. }
            | Shape::EnumItem { .. }
            | Shape::Entity { .. }
            | Shape::Instance { .. }
            | Shape::Unknown
            | Shape::Booleans(_)
            | Shape::Set(_)
            | Shape::UnitEnum { .. }
            | Shape::Entry(_) => self.flat(frame, node),
        }
    }

    /// Reads a node with no node inside.
    fn flat(&mut self, frame: &mut Frame, node: &'a Node) -> Read<Value> {
        match &node.shape {
            Shape::Number(number) => self.number_value(frame, number),
            Shape::Boolean(bits) => {
                let (bit, at) = self.bits(frame, bits)?;
                self.leaf_value(at, Value::Boolean(bit == 1))
            }
            Shape::Bytes(bytes) => self.bytes(frame, bytes),
            Shape::Vector(vector) => self.vector(frame, vector),
            Shape::CFrame(cframe) => {
                let size = (3 * cframe.position.size() + cframe.rotation.size()) as usize;
                let start = self.locate(frame, cframe.place, size)?;
                let components = roblox::decode_cframe(cframe, self.slice(start, size))?;
                self.leaf_value(LeafPlace::Bytes(start..start + size), Value::CFrame(components))
            }
            Shape::Roblox { ty: crate::schema::RobloxType::ColorSequence, place: _ } => {
                let start = self.take(1)?;
                let count = usize::from(self.bytes[start]);
                if !(2..=20).contains(&count) {
                    return Err(Problem::Shape("has a count of keypoints outside 2 to 20"));
                }
                let keypoints = self.take(7 * count)?;
                let value = roblox::decode_color_sequence(self.slice(keypoints, 7 * count))?;
                self.leaf_value(LeafPlace::Bytes(start..self.at), value)
            }
            Shape::Roblox { ty, place } => {
                let size = ty.size() as usize;
                let start = self.locate(frame, *place, size)?;
                let value = roblox::decode(*ty, self.slice(start, size), self.decoding.game)?;
                self.leaf_value(LeafPlace::Bytes(start..start + size), value)
            }
            Shape::EnumItem { name, place } => {
                let (raw, at) = self.number(frame, *place, NumberKind::U16)?;
                if !self.decoding.game.has_item(name, raw as u16) {
                    return Err(Problem::Item { enum_name: name.clone(), value: raw as u16 });
                }
                self.leaf_value(at, Value::EnumItem { enum_name: name.clone(), value: raw })
            }
            Shape::Entity { place, .. } => {
                let (id, at) = self.number(frame, *place, NumberKind::F64)?;
                self.leaf_value(at, if id == 0.0 { Value::Nil } else { Value::Number(id) })
            }
            Shape::Instance { class, optional } => self.instance(class.as_deref(), *optional),
            Shape::Unknown => {
                let (value, at) = self.slot();
                if value == Value::Nil {
                    self.note_missing();
                }
                self.leaf_value(at, value)
            }
            Shape::Booleans(booleans) => self.booleans(frame, booleans),
            Shape::Set(set) => self.set(frame, set),
            Shape::UnitEnum { values, bits } => {
                let (index, at) = self.bits(frame, bits)?;
                match values.get(index as usize) {
                    Some(name) => self.leaf_value(at, Value::text(name)),
                    None => Err(Problem::Index { index, count: values.len() }),
                }
            }
            Shape::Optional { .. }
            | Shape::Array(_)
            | Shape::Map(_)
            | Shape::TaggedEnum(_)
            | Shape::Struct(_)
            | Shape::Pack(_) => unreachable!("`node` reads what holds nodes"),
            Shape::Entry(_) => unreachable!("entries are read by their map"),
        }
    }

    fn members(&mut self, frame: &mut Frame, members: &'a [Member]) -> Read<Vec<(String, Value)>> {
        let mut fields = Vec::with_capacity(members.len());
        for member in members {
            self.path.0.push(Step::Field(&member.name));
            fields.push((member.name.clone(), self.node(frame, &member.node)?));
            self.path.0.pop();
        }
        Ok(fields)
    }

    fn number_value(&mut self, frame: &mut Frame, number: &'a Number) -> Read<Value> {
        let (raw, at) = match &number.carrier {
            Carrier::Integer { kind, place, .. } | Carrier::Float { kind, place } => {
                self.number(frame, *place, *kind)?
            }
            Carrier::Small { bits, .. } => {
                let (raw, at) = self.bits(frame, bits)?;
                (f64::from(raw), at)
            }
        };
        let value = number::from_wire(number, raw)?;
        self.leaf_value(at, Value::Number(value))
    }

    fn vector(&mut self, frame: &Frame, vector: &Vector) -> Read<Value> {
        let size = vector.component.size() as usize;
        let start = self.locate(frame, vector.place, 3 * size)?;
        let components =
            [0, 1, 2].map(|axis| from_bytes(vector.component, self.slice(start + axis * size, size)) as f32);
        let magnitude = roblox::magnitude(&components);
        if vector.magnitude.is_some_and(|bounds| !bounds.admit(magnitude)) {
            return Err(Problem::Range(magnitude));
        }
        self.leaf_value(LeafPlace::Bytes(start..start + 3 * size), Value::Vector(components))
    }

    fn length(&mut self, frame: &Frame, length: Length) -> Read<u32> {
        let kind = match length.prefix {
            // A column is given its rows as an exact length before it is read.
            Prefix::None | Prefix::Rows => return Ok(length.min),
            Prefix::Varint => {
                let start = self.at;
                let rest = self.varint()?;
                return self.checked_length(length, rest, LeafPlace::Bytes(start..self.at));
            }
            Prefix::U8 => NumberKind::U8,
            Prefix::U16 => NumberKind::U16,
            Prefix::U24 => NumberKind::U24,
            Prefix::U32 => NumberKind::U32,
        };
        let (rest, at) = self.number(frame, length.place, kind)?;
        self.checked_length(length, rest as u32, at)
    }

    fn checked_length(&mut self, length: Length, rest: u32, at: LeafPlace) -> Read<u32> {
        let count = u64::from(rest) + u64::from(length.min);
        match u32::try_from(count).ok().filter(|count| *count <= length.max) {
            Some(count) => {
                self.leaf(Role::Length, at, &Value::Number(f64::from(count)));
                Ok(count)
            }
            None => Err(Problem::Length { length: count, max: length.max }),
        }
    }

    fn varint(&mut self) -> Read<u32> {
        let mut value = 0;
        for position in 0..3 {
            let start = self.take(1)?;
            let byte = u32::from(self.bytes[start]);
            if position == 2 && byte > 3 {
                return Err(Problem::GreatVarint);
            }
            value |= (byte & 0x7F) << (7 * position);
            if byte < 0x80 {
                let spare = byte == 0 && position > 0;
                return if spare { Err(Problem::LongVarint) } else { Ok(value) };
            }
        }
        Err(Problem::GreatVarint)
    }

    fn bytes(&mut self, frame: &Frame, bytes: &Bytes) -> Read<Value> {
        let count = self.length(frame, bytes.length)? as usize;
        let start = self.locate(frame, bytes.place, count)?;
        let data = self.slice(start, count).to_vec();
        let value = if bytes.buffer { Value::Buffer(data) } else { Value::String(data) };
        self.leaf_value(LeafPlace::Bytes(start..start + count), value)
    }

    /// Refuses a count the rest of the packet cannot hold, before anything is allocated for it.
    fn check_room(&self, room: Room, count: u64) -> Read<()> {
        let bits = count.saturating_mul(u64::from(room.bits)).div_ceil(8);
        let needed = count.saturating_mul(room.bytes).saturating_add(bits);
        if needed > self.left() as u64 {
            return Err(Problem::End { needed, left: self.left() });
        }
        let needed = count.saturating_mul(room.slots);
        if let Some(limit) = self.decoding.slots_left {
            let left = limit.saturating_sub(self.slot as u64);
            if needed > left {
                return Err(Problem::Slots { needed, left });
            }
        }
        Ok(())
    }

    fn array(&mut self, frame: &Frame, array: &'a Array) -> Read<Value> {
        let count = self.length(frame, array.length)?;
        self.check_room(array.room, u64::from(count))?;
        let count = count as usize;
        let block = &array.block;
        let run = self.take((count * block.run_bits as usize).div_ceil(8))?;
        let heads = self.take(count.saturating_mul(block.head as usize))?;
        let mut elements = Vec::with_capacity(count);
        for index in 0..count {
            let mut frame = Frame {
                head: heads + index * block.head as usize,
                run: run * 8 + index * block.run_bits as usize,
                bit_bytes: Vec::new(),
            };
            self.path.0.push(Step::Element(index));
            elements.push(self.node(&mut frame, &block.body)?);
            self.path.0.pop();
        }
        Ok(Value::Array(elements))
    }

    fn booleans(&mut self, frame: &Frame, booleans: &Booleans) -> Read<Value> {
        let count = self.length(frame, booleans.length)? as usize;
        let size = count.div_ceil(8);
        let start = self.locate(frame, booleans.place, size)?;
        let packed = self.slice(start, size);
        let bit = |index: usize| packed[index / 8] >> (index % 8) & 1 == 1;
        let value = Value::Array((0..count).map(|index| Value::Boolean(bit(index))).collect());
        self.leaf_value(LeafPlace::Bytes(start..start + size), value)
    }

    fn map(&mut self, frame: &Frame, map: &'a Map) -> Read<Value> {
        let (count, at) = self.number(frame, map.place, NumberKind::U16)?;
        self.leaf(Role::Length, at, &Value::Number(count));
        self.check_room(map.room, count as u64)?;
        let Shape::Entry(pair) = &map.entry.body.shape else {
            unreachable!("a map's block holds an entry");
        };
        let mut entries: Vec<(Value, Value)> = Vec::new();
        for index in 0..count as usize {
            let mut frame = Frame { head: self.at, run: 0, bit_bytes: Vec::new() };
            self.path.0.push(Step::Key(index));
            let key = self.node(&mut frame, &pair[0])?;
            if key.is_nan_key() {
                return Err(Problem::NanKey);
            }
            self.path.0.pop();
            self.path.0.push(Step::Entry(index));
            let value = self.node(&mut frame, &pair[1])?;
            self.path.0.pop();
            // A key whose slot was empty has refused the item already; its entry is left out.
            if key == Value::Nil {
                continue;
            }
            match entries.iter_mut().find(|(own, _)| own.same_key(&key)) {
                Some((_, own)) => *own = value,
                None => entries.push((key, value)),
            }
        }
        Ok(Value::Map(entries))
    }

    fn set(&mut self, frame: &Frame, set: &Set) -> Read<Value> {
        let mut fields = Vec::with_capacity(set.flags.len());
        for group in &set.groups {
            let (packed, at) = self.number(frame, group.place, group.kind)?;
            self.leaf(Role::Value, at, &Value::Number(packed));
            let flags = &set.flags[group.first as usize..][..group.count as usize];
            for (bit, flag) in flags.iter().enumerate() {
                fields.push((flag.clone(), Value::Boolean(packed as u32 >> bit & 1 == 1)));
            }
        }
        Ok(Value::Struct(fields))
    }

    fn tagged(&mut self, frame: &mut Frame, tagged: &'a TaggedEnum) -> Read<Value> {
        let (index, at) = self.bits(frame, &tagged.bits)?;
        let Some(variant) = tagged.variants.get(index as usize) else {
            return Err(Problem::Index { index, count: tagged.variants.len() });
        };
        let name = Value::text(&variant.name);
        self.leaf(Role::Variant, at, &name);
        let mut fields = vec![(tagged.tag.clone(), name)];
        if let Value::Struct(own) = self.block(&variant.block)? {
            fields.extend(own);
        }
        Ok(Value::Struct(fields))
    }

    fn slot(&mut self) -> (Value, LeafPlace) {
        let slot = self.slot;
        self.slot += 1;
        (self.slots.get(slot).cloned().unwrap_or_default(), LeafPlace::Slot(slot))
    }

    fn note_missing(&mut self) {
        if self.missing.is_none() {
            self.missing = Some(self.path.to_string());
        }
    }

    fn instance(&mut self, class: Option<&str>, optional: bool) -> Read<Value> {
        let (value, at) = self.slot();
        let value = match &value {
            Value::Nil => {
                if !optional {
                    self.note_missing();
                }
                value
            }
            Value::Instance { class: own, .. } => match class {
                Some(class) if !self.decoding.game.is_a(own, class) => {
                    return Err(Problem::Class { expected: class.to_owned(), found: own.clone() });
                }
                Some(_) | None => value,
            },
            // An optional one takes anything that is no Instance for nil.
            _ if optional => Value::Nil,
            other => {
                let expected = class.unwrap_or("Instance").to_owned();
                return Err(Problem::Class { expected, found: other.type_name().to_owned() });
            }
        };
        self.leaf_value(at, value)
    }
}
