//! The writer: walks a value along its plan.

use crate::schema::NumberKind;
use crate::wire::codec::error::{EncodeError, Refusal};
use crate::wire::codec::number::{self, check, to_bytes};
use crate::wire::codec::path::{Path, Step};
use crate::wire::codec::value::Value;
use crate::wire::codec::{Encoded, roblox};
use crate::wire::plan::{
    Array, BitPlace, Bits, Block, BlockKind, Booleans, Bytes, Carrier, Length, Map, Member, Node, Place,
    Plan, Prefix, Set, Shape, TaggedEnum, Vector,
};

pub(crate) fn encode(plan: &Plan, value: &Value, validate: bool) -> Result<Encoded, EncodeError> {
    let mut writer = Writer { out: Encoded::default(), validate, path: Path::default() };
    match writer.block(&plan.block, value) {
        Ok(()) => Ok(writer.out),
        Err(refusal) => Err(EncodeError { path: writer.path.to_string(), refusal }),
    }
}

type Written = Result<(), Refusal>;

struct Writer<'a> {
    out: Encoded,
    validate: bool,
    /// Left standing where a refusal happens.
    path: Path<'a>,
}

/// Where the claims of one body go.
struct Frame {
    /// First byte of the head.
    head: usize,
    /// First bit of the element's share of the run, counted from the first bit of the output.
    run: usize,
    /// The bit bytes of a sequential block, as they are appended.
    bit_bytes: Vec<usize>,
}

impl<'a> Writer<'a> {
    /// Opens a plain or sequential block for one value.
    fn block(&mut self, block: &'a Block, value: &'a Value) -> Written {
        let head = self.grow(block.head as usize);
        let mut frame = Frame { head, run: 0, bit_bytes: Vec::new() };
        self.node(&mut frame, &block.body, value)
    }

    /// Adds `count` zero bytes and gives the offset of the first.
    fn grow(&mut self, count: usize) -> usize {
        let start = self.out.bytes.len();
        self.out.bytes.resize(start + count, 0);
        start
    }

    /// Puts bytes in their place.
    fn put(&mut self, frame: &Frame, place: Place, bytes: &[u8]) {
        let start = match place {
            Place::Head(offset) => frame.head + offset as usize,
            Place::Append => self.grow(bytes.len()),
        };
        self.out.bytes[start..start + bytes.len()].copy_from_slice(bytes);
    }

    fn put_number(&mut self, frame: &Frame, place: Place, kind: NumberKind, value: f64) {
        self.put(frame, place, &to_bytes(kind, value)[..kind.size() as usize]);
    }

    fn put_bits(&mut self, frame: &mut Frame, bits: &Bits, value: u32) {
        match &bits.place {
            BitPlace::Run { position } => {
                for bit in 0..usize::from(bits.width) {
                    let at = frame.run + *position as usize + bit;
                    self.out.bytes[at / 8] |= ((value >> bit & 1) as u8) << (at % 8);
                }
            }
            BitPlace::Bytes(pieces) => {
                for piece in pieces {
                    let at = match piece.place {
                        Place::Head(offset) => frame.head + offset as usize,
                        Place::Append => {
                            if piece.opens {
                                let at = self.grow(1);
                                frame.bit_bytes.push(at);
                            }
                            frame.bit_bytes[piece.byte as usize]
                        }
                    };
                    let part = value >> piece.shift & ((1 << piece.width) - 1);
                    self.out.bytes[at] |= (part << piece.bit) as u8;
                }
            }
        }
    }

    /// Writes a node. Small, since values may be hundreds deep.
    fn node(&mut self, frame: &mut Frame, node: &'a Node, value: &'a Value) -> Written {
        match &node.shape {
            Shape::Optional { presence, block } => {
                self.put_bits(frame, presence, u32::from(*value != Value::Nil));
                if *value == Value::Nil { Ok(()) } else { self.block(block, value) }
            }
            Shape::Array(array) => self.array(frame, array, value),
            Shape::Map(map) => self.map(frame, map, value),
            Shape::TaggedEnum(tagged) => self.tagged(frame, tagged, value),
            Shape::Struct(members) => {
                if !matches!(value, Value::Struct(_)) {
                    return wrong_type("table", value);
                }
                self.members(frame, members, value)
            }
            Shape::Pack(members) => self.members(frame, members, value),
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
            | Shape::Entry(_) => self.leaf(frame, node, value),
        }
    }

    /// Writes a node with no node inside.
    fn leaf(&mut self, frame: &mut Frame, node: &'a Node, value: &'a Value) -> Written {
        match &node.shape {
            Shape::Number(number) => {
                let Value::Number(given) = value else { return wrong_type("number", value) };
                let raw = number::to_wire(number, *given, self.validate)?;
                match &number.carrier {
                    Carrier::Integer { kind, place, .. } | Carrier::Float { kind, place } => {
                        self.put_number(frame, *place, *kind, raw);
                    }
                    Carrier::Small { bits, .. } => self.put_bits(frame, bits, raw as u32),
                }
                Ok(())
            }
            Shape::Boolean(bits) => {
                let truth = self.truth(value)?;
                self.put_bits(frame, bits, u32::from(truth));
                Ok(())
            }
            Shape::Bytes(bytes) => self.bytes(frame, bytes, value),
            Shape::Vector(vector) => self.vector(frame, vector, value),
            Shape::CFrame(cframe) => {
                let Value::CFrame(components) = value else { return wrong_type("CFrame", value) };
                let bytes = roblox::encode_cframe(cframe, components)?;
                self.put(frame, cframe.place, &bytes);
                Ok(())
            }
            Shape::Roblox { ty, place } => {
                let bytes = roblox::encode(*ty, value)?;
                self.put(frame, *place, &bytes);
                Ok(())
            }
            Shape::EnumItem { name, place } => {
                let Value::EnumItem { enum_name, value: item } = value else {
                    return wrong_type(&format!("Enum.{name}"), value);
                };
                if self.validate && enum_name != name {
                    return wrong_type(&format!("Enum.{name}"), value);
                }
                if !(0.0..=65_535.0).contains(item) {
                    return Err(Refusal::EnumValue(*item));
                }
                self.put_number(frame, *place, NumberKind::U16, *item);
                Ok(())
            }
            Shape::Entity { path, place, .. } => {
                let id = match value {
                    Value::Nil => 0.0,
                    Value::Number(id) => *id,
                    _ => return wrong_type(path, value),
                };
                self.put_number(frame, *place, NumberKind::F64, id);
                Ok(())
            }
            Shape::Instance { class, optional: _ } => {
                if self.validate && !matches!(value, Value::Nil | Value::Instance { .. }) {
                    return wrong_type(class.as_deref().unwrap_or("Instance"), value);
                }
                self.out.slots.push(value.clone());
                Ok(())
            }
            Shape::Unknown => {
                self.out.slots.push(value.clone());
                Ok(())
            }
            Shape::Booleans(booleans) => self.booleans(frame, booleans, value),
            Shape::Set(set) => self.set(frame, set, value),
            Shape::UnitEnum { values, bits } => {
                let index = name_index(value, values.iter().map(String::as_str))?;
                self.put_bits(frame, bits, index);
                Ok(())
            }
            Shape::Optional { .. }
            | Shape::Array(_)
            | Shape::Map(_)
            | Shape::TaggedEnum(_)
            | Shape::Struct(_)
            | Shape::Pack(_) => unreachable!("`node` writes what holds nodes"),
            Shape::Entry(_) => unreachable!("entries are written by their map"),
        }
    }

    fn members(&mut self, frame: &mut Frame, members: &'a [Member], value: &'a Value) -> Written {
        for member in members {
            self.path.0.push(Step::Field(&member.name));
            self.node(frame, &member.node, value.field(&member.name))?;
            self.path.0.pop();
        }
        Ok(())
    }

    fn truth(&self, value: &Value) -> Result<bool, Refusal> {
        match value {
            Value::Boolean(truth) => Ok(*truth),
            other if self.validate => wrong_type("boolean", other).map(|()| false),
            Value::Nil => Ok(false),
            _ => Ok(true),
        }
    }

    fn vector(&mut self, frame: &Frame, vector: &Vector, value: &Value) -> Written {
        let Value::Vector(components) = value else { return wrong_type("Vector3", value) };
        if let Some(bounds) = vector.magnitude.filter(|_| self.validate) {
            check(bounds, roblox::magnitude(components))?;
        }
        let bytes: Vec<u8> = components
            .iter()
            .flat_map(|component| {
                let bytes = to_bytes(vector.component, f64::from(*component));
                bytes.into_iter().take(vector.component.size() as usize)
            })
            .collect();
        self.put(frame, vector.place, &bytes);
        Ok(())
    }

    /// Checks a variable length and writes its prefix.
    fn prefix(&mut self, frame: &Frame, length: Length, given: usize) -> Written {
        let (min, max) = (length.min, length.max);
        let Some(count) = u32::try_from(given).ok().filter(|count| (min..=max).contains(count)) else {
            return Err(Refusal::Length { length: given, min, max });
        };
        let rest = count - min;
        match length.prefix {
            Prefix::None | Prefix::Rows => {}
            Prefix::U8 => self.put_number(frame, length.place, NumberKind::U8, f64::from(rest)),
            Prefix::U16 => self.put_number(frame, length.place, NumberKind::U16, f64::from(rest)),
            Prefix::U24 => self.put_number(frame, length.place, NumberKind::U24, f64::from(rest)),
            Prefix::U32 => self.put_number(frame, length.place, NumberKind::U32, f64::from(rest)),
            Prefix::Varint => {
                let mut left = rest;
                while left > 127 {
                    self.out.bytes.push(left as u8 | 0x80);
                    left >>= 7;
                }
                self.out.bytes.push(left as u8);
            }
        }
        Ok(())
    }

    fn bytes(&mut self, frame: &Frame, bytes: &Bytes, value: &Value) -> Written {
        let data = match (bytes.buffer, value) {
            (false, Value::String(data)) | (true, Value::Buffer(data)) => data,
            (false, other) => return wrong_type("string", other),
            (true, other) => return wrong_type("buffer", other),
        };
        let Some(exact) = bytes.length.exact() else {
            self.prefix(frame, bytes.length, data.len())?;
            self.put(frame, bytes.place, data);
            return Ok(());
        };
        let fits = if self.validate { data.len() == exact as usize } else { data.len() >= exact as usize };
        if !fits {
            return Err(Refusal::Length { length: data.len(), min: exact, max: exact });
        }
        self.put(frame, bytes.place, &data[..exact as usize]);
        Ok(())
    }

    /// Writes the prefix of an array and gives the number of elements to send.
    fn count(
        &mut self,
        frame: &Frame,
        length: Length,
        given: usize,
        optional: bool,
    ) -> Result<usize, Refusal> {
        let Some(exact) = length.exact() else {
            self.prefix(frame, length, given)?;
            return Ok(given);
        };
        let exact_size = exact as usize;
        if self.validate && (given > exact_size || (given < exact_size && !optional)) {
            return Err(Refusal::Length { length: given, min: exact, max: exact });
        }
        Ok(exact_size)
    }

    fn array(&mut self, frame: &Frame, array: &'a Array, value: &'a Value) -> Written {
        const NIL: &Value = &Value::Nil;
        let Value::Array(elements) = value else { return wrong_type("table", value) };
        let block = &array.block;
        let optional =
            matches!(block.body.shape, Shape::Optional { .. } | Shape::Instance { optional: true, .. });
        let count = self.count(frame, array.length, elements.len(), optional)?;
        let run = self.grow((count * block.run_bits as usize).div_ceil(8));
        let heads = self.grow(count * block.head as usize);
        for index in 0..count {
            let mut frame = Frame {
                head: heads + index * block.head as usize,
                run: run * 8 + index * block.run_bits as usize,
                bit_bytes: Vec::new(),
            };
            self.path.0.push(Step::Element(index));
            self.node(&mut frame, &block.body, elements.get(index).unwrap_or(NIL))?;
            self.path.0.pop();
        }
        Ok(())
    }

    fn booleans(&mut self, frame: &Frame, booleans: &Booleans, value: &'a Value) -> Written {
        let Value::Array(elements) = value else { return wrong_type("table", value) };
        let count = self.count(frame, booleans.length, elements.len(), false)?;
        let mut packed = vec![0u8; count.div_ceil(8)];
        for (index, element) in elements.iter().take(count).enumerate() {
            self.path.0.push(Step::Element(index));
            packed[index / 8] |= u8::from(self.truth(element)?) << (index % 8);
            self.path.0.pop();
        }
        self.put(frame, booleans.place, &packed);
        Ok(())
    }

    fn map(&mut self, frame: &Frame, map: &'a Map, value: &'a Value) -> Written {
        let Value::Map(entries) = value else { return wrong_type("table", value) };
        if entries.len() > 65_535 {
            return Err(Refusal::Length { length: entries.len(), min: 0, max: 65_535 });
        }
        self.put_number(frame, map.place, NumberKind::U16, entries.len() as f64);
        let Shape::Entry(pair) = &map.entry.body.shape else {
            unreachable!("a map's block holds an entry");
        };
        for (index, (key, value)) in entries.iter().enumerate() {
            debug_assert_eq!(map.entry.kind, BlockKind::Sequential);
            let mut frame = Frame { head: self.out.bytes.len(), run: 0, bit_bytes: Vec::new() };
            self.path.0.push(Step::Key(index));
            self.node(&mut frame, &pair[0], key)?;
            self.path.0.pop();
            self.path.0.push(Step::Entry(index));
            self.node(&mut frame, &pair[1], value)?;
            self.path.0.pop();
        }
        Ok(())
    }

    fn set(&mut self, frame: &Frame, set: &Set, value: &Value) -> Written {
        if !matches!(value, Value::Struct(_)) {
            return wrong_type("table", value);
        }
        for group in &set.groups {
            let flags = &set.flags[group.first as usize..][..group.count as usize];
            let mut packed = 0u32;
            for (bit, flag) in flags.iter().enumerate() {
                if *value.field(flag) == Value::Boolean(true) {
                    packed |= 1 << bit;
                }
            }
            self.put_number(frame, group.place, group.kind, f64::from(packed));
        }
        Ok(())
    }

    fn tagged(&mut self, frame: &mut Frame, tagged: &'a TaggedEnum, value: &'a Value) -> Written {
        if !matches!(value, Value::Struct(_)) {
            return wrong_type("table", value);
        }
        let names = tagged.variants.iter().map(|variant| variant.name.as_str());
        let index = name_index(value.field(&tagged.tag), names)?;
        self.put_bits(frame, &tagged.bits, index);
        self.block(&tagged.variants[index as usize].block, value)
    }
}

fn wrong_type(expected: &str, value: &Value) -> Written {
    Err(Refusal::Type { expected: expected.to_owned(), found: value.type_name() })
}

fn name_index<'n>(value: &Value, mut names: impl Iterator<Item = &'n str>) -> Result<u32, Refusal> {
    let Value::String(name) = value else {
        return Err(Refusal::Type { expected: "string".to_owned(), found: value.type_name() });
    };
    match names.position(|own| own.as_bytes() == name) {
        Some(index) => Ok(index as u32),
        None => Err(Refusal::Name(String::from_utf8_lossy(name).into_owned())),
    }
}
