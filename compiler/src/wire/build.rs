//! Makes plans: walks a resolved type depth first and lets every item claim its place (`language.md` 9).

use std::sync::Arc;

use crate::schema::{self, NumberKind, Payload, RobloxType, Rotation, Type, TypeKind};
use crate::source::Span;
use crate::wire::bits::{Claims, width_for};
use crate::wire::number::{self, Form};
use crate::wire::plan::{
    Array, Block, BlockKind, Booleans, Bytes, CFrame, Carrier, Layout, Length, Map, Member, Named, Node,
    Number, Place, Plan, Prefix, Room, Set, SetGroup, Shape, TaggedEnum, Variant, Vector,
};
use crate::wire::signature;
use crate::wire::size::Size;

impl Plan {
    /// The plan of what an event, call or answer carries. Its body is a [`Shape::Pack`].
    pub fn payload(payload: &Payload, layout: Layout) -> Plan {
        let (parameters, span) = parameters(payload);
        let block = block(BlockKind::Plain, layout, |claims| {
            let (members, size) = members(claims, layout, parameters);
            node(Shape::Pack(members), size, span)
        });
        Plan { layout, block }
    }

    /// The plan of a type by itself in a plain block, as `Read` and `Write` have it in [`Layout::Storage`].
    pub fn exported(ty: &Type, layout: Layout) -> Plan {
        Plan { layout, block: block(BlockKind::Plain, layout, |claims| walk(claims, layout, ty)) }
    }
}

/// Names, types and spans of a payload's parameters.
fn parameters(payload: &Payload) -> (Vec<(String, &Type, Span)>, Span) {
    match payload {
        Payload::Nothing => (Vec::new(), Span::default()),
        Payload::Single(ty) => (vec![("Value".to_owned(), ty, ty.span)], ty.span),
        Payload::Pack(elements) => {
            let named = elements
                .iter()
                .enumerate()
                .map(|(position, element)| (element.parameter(position), &element.ty, element.span));
            (named.collect(), elements.first().map(|element| element.span).unwrap_or_default())
        }
    }
}

fn node(shape: Shape, size: Size, span: Span) -> Node {
    Node { shape, named: None, size, span }
}

fn block(kind: BlockKind, layout: Layout, body: impl FnOnce(&mut Claims) -> Node) -> Block {
    debug_assert!(kind != BlockKind::Repeated { run: true } || layout == Layout::Traffic);
    let mut claims = Claims::new(kind);
    let body = body(&mut claims);
    let claimed = claims.end();
    let size = match claimed.kind {
        BlockKind::Repeated { run: true } => body.size.clone(),
        BlockKind::Plain | BlockKind::Repeated { run: false } | BlockKind::Sequential => body.size.sealed(),
    };
    Block {
        kind,
        head: claimed.head,
        bit_bytes: claimed.bit_bytes,
        run_bits: claimed.run_bits,
        tail: claimed.tail,
        size,
        body,
    }
}

/// Bytes of a name of an entity: its id as an `f64`, which holds every id there may be; 0 for none.
const REFERENCE_SIZE: u32 = 8;

/// Walks a type. Small, and so are the functions it goes through: types may be hundreds deep.
fn walk(claims: &mut Claims, layout: Layout, ty: &Type) -> Node {
    let span = ty.span;
    match &ty.kind {
        TypeKind::Optional { inner, presence_bit } => optional(claims, layout, inner, *presence_bit, span),
        TypeKind::Array { element, length } => array(claims, layout, element, length, span),
        TypeKind::Map { key, value } => map(claims, layout, key, value, span),
        TypeKind::TaggedEnum { tag, variants } => tagged(claims, layout, tag, variants, span),
        TypeKind::Struct(fields) => record(claims, layout, fields, span),
        TypeKind::Named { decl, args, ty: meaning } => {
            let mut node = walk(claims, layout, meaning);
            node.span = span;
            // Where an alias names another, the inner name is the one that stays.
            node.named.get_or_insert_with(|| Named { decl: *decl, args: signature::exact_text(args) });
            node
        }
        TypeKind::Number(_)
        | TypeKind::Boolean
        | TypeKind::String(_)
        | TypeKind::Buffer(_)
        | TypeKind::Vector { .. }
        | TypeKind::CFrame { .. }
        | TypeKind::Roblox(_)
        | TypeKind::EnumItem(_)
        | TypeKind::Instance(_)
        | TypeKind::Entity { .. }
        | TypeKind::Unknown
        | TypeKind::Set(_)
        | TypeKind::UnitEnum(_)
        | TypeKind::Parameter(_)
        | TypeKind::Error => leaf(claims, layout, ty),
    }
}

fn record(claims: &mut Claims, layout: Layout, fields: &[schema::Field], span: Span) -> Node {
    let fields = fields.iter().map(|field| (field.name.clone(), &field.ty, field.span)).collect();
    let (members, size) = members(claims, layout, fields);
    node(Shape::Struct(members), size, span)
}

/// A type with no type inside.
fn leaf(claims: &mut Claims, layout: Layout, ty: &Type) -> Node {
    let span = ty.span;
    match &ty.kind {
        TypeKind::Number(number) => number_node(claims, layout, number, span),
        TypeKind::Boolean => node(Shape::Boolean(claims.bits(1)), Size::bits(1), span),
        TypeKind::String(length) => bytes(claims, false, length, span),
        TypeKind::Buffer(length) => bytes(claims, true, length, span),
        TypeKind::Vector { component, written: _, magnitude } => {
            let size = 3 * component.size();
            let shape = Shape::Vector(Vector {
                component: *component,
                place: claims.bytes(size),
                magnitude: number::magnitude(*magnitude),
                range: *magnitude,
            });
            node(shape, Size::bytes(u64::from(size)), span)
        }
        TypeKind::CFrame { rotation, position, written: _ } => {
            let size = 3 * position.size() + rotation.size();
            let shape =
                Shape::CFrame(CFrame { position: *position, rotation: *rotation, place: claims.bytes(size) });
            node(shape, Size::bytes(u64::from(size)), span)
        }
        TypeKind::Roblox(RobloxType::ColorSequence) => {
            let shape = Shape::Roblox { ty: RobloxType::ColorSequence, place: claims.append() };
            node(shape, Size::between(15, 141), span)
        }
        TypeKind::Roblox(ty) => {
            let size = ty.size();
            node(Shape::Roblox { ty: *ty, place: claims.bytes(size) }, Size::bytes(u64::from(size)), span)
        }
        TypeKind::EnumItem(name) => {
            let shape = Shape::EnumItem { name: name.clone(), place: claims.bytes(2) };
            node(shape, Size::bytes(2), span)
        }
        TypeKind::Instance(class) => {
            node(Shape::Instance { class: class.clone(), optional: false }, Size::slot(), span)
        }
        TypeKind::Unknown => node(Shape::Unknown, Size::slot(), span),
        TypeKind::Entity { path, index } => {
            let shape =
                Shape::Entity { path: path.clone(), index: *index, place: claims.bytes(REFERENCE_SIZE) };
            node(shape, Size::bytes(u64::from(REFERENCE_SIZE)), span)
        }
        TypeKind::Set(flags) => set(claims, flags, span),
        TypeKind::UnitEnum(values) => {
            let bits = claims.bits(index_width(values.len()));
            let size = Size::bits(u64::from(bits.width));
            node(Shape::UnitEnum { values: values.clone(), bits }, size, span)
        }
        // The first two do not get here from a schema without errors, and the rest not at all; a type that takes
        // nothing keeps `measure` going.
        TypeKind::Parameter(_)
        | TypeKind::Error
        | TypeKind::Optional { .. }
        | TypeKind::Array { .. }
        | TypeKind::Map { .. }
        | TypeKind::TaggedEnum { .. }
        | TypeKind::Struct(_)
        | TypeKind::Named { .. } => node(Shape::Struct(Vec::new()), Size::default(), span),
    }
}

fn members(claims: &mut Claims, layout: Layout, fields: Vec<(String, &Type, Span)>) -> (Vec<Member>, Size) {
    let mut size = Size::default();
    let mut members = Vec::with_capacity(fields.len());
    for (name, ty, span) in fields {
        let node = walk(claims, layout, ty);
        size = size.and(node.size.clone().within(&name));
        members.push(Member { name, node, span });
    }
    (members, size)
}

fn number_node(claims: &mut Claims, layout: Layout, number: &schema::Number, span: Span) -> Node {
    let coding = number::coding(number, layout);
    let (carrier, size) = match coding.form {
        Form::Integer { kind, bias } => {
            let place = claims.bytes(kind.size());
            (Carrier::Integer { kind, bias, place }, Size::bytes(u64::from(kind.size())))
        }
        Form::Float(kind) => {
            let place = claims.bytes(kind.size());
            (Carrier::Float { kind, place }, Size::bytes(u64::from(kind.size())))
        }
        Form::Small { lo, hi, width } => {
            let bits = claims.bits(width);
            (Carrier::Small { lo, hi, bits }, Size::bits(u64::from(width)))
        }
    };
    let shape = Shape::Number(Number {
        kind: number.kind,
        step: coding.step,
        carrier,
        clamp: coding.clamp,
        always: coding.always,
        validated: coding.validated,
        receipt: coding.receipt,
        range: number.range,
    });
    node(shape, size, span)
}

/// Claims or appends the prefix of a length.
fn length(claims: &mut Claims, length: &schema::Length) -> Length {
    let span = length.max.saturating_sub(length.min);
    let (prefix, most) = match span {
        0 => (Prefix::None, 0),
        1..=255 => (Prefix::U8, 255),
        256..=16_383 => (Prefix::Varint, 65_535),
        16_384..=65_535 if !length.written => (Prefix::Varint, 65_535),
        16_384..=65_535 => (Prefix::U16, 65_535),
        65_536..=16_777_215 => (Prefix::U24, 16_777_215),
        _ => (Prefix::U32, u32::MAX),
    };
    let place = match prefix {
        Prefix::None | Prefix::Rows => Place::Append,
        Prefix::U8 => claims.bytes(1),
        Prefix::Varint => claims.append(),
        Prefix::U16 => claims.bytes(2),
        Prefix::U24 => claims.bytes(3),
        Prefix::U32 => claims.bytes(4),
    };
    Length { min: length.min, max: length.max, prefix, place, max_can_fail: most > span }
}

/// Bytes of a length's prefix and of what it counts, `each` giving the bytes of a count.
fn prefixed(length: Length, each: impl Fn(u64) -> u64) -> Size {
    let (least, most) = length.prefix.size(length.max - length.min);
    Size::between(
        least.saturating_add(each(u64::from(length.min))),
        most.saturating_add(each(u64::from(length.max))),
    )
}

fn bytes(claims: &mut Claims, buffer: bool, written: &schema::Length, span: Span) -> Node {
    let length = length(claims, written);
    let place = match length.exact() {
        Some(exact) => claims.bytes(exact),
        None => claims.append(),
    };
    let mut size = prefixed(length, |count| count);
    if !written.written {
        size = size.unbounded_at(span);
    }
    node(Shape::Bytes(Bytes { buffer, length, place }), size, span)
}

fn optional(claims: &mut Claims, layout: Layout, inner: &Type, presence_bit: bool, span: Span) -> Node {
    if !presence_bit && let TypeKind::Instance(class) = &inner.meaning().kind {
        return node(Shape::Instance { class: class.clone(), optional: true }, Size::slot(), span);
    }
    let presence = claims.bits(1);
    let _ = claims.append();
    let block = Box::new(block(BlockKind::Plain, layout, |claims| walk(claims, layout, inner)));
    let size = Size { bits: 1, ..block.size.clone().optionally() };
    node(Shape::Optional { presence, block }, size, span)
}

fn array(claims: &mut Claims, layout: Layout, element: &Type, written: &schema::Length, span: Span) -> Node {
    let length = length(claims, written);
    if matches!(element.meaning().kind, TypeKind::Boolean) {
        return booleans(claims, length, written, span);
    }
    let _ = claims.append();
    let run = layout == Layout::Traffic && (written.max_written || !is_bare_table(element, layout));
    let block = Box::new(block(BlockKind::Repeated { run }, layout, |claims| walk(claims, layout, element)));
    let (least, most) = length.prefix.size(length.max - length.min);
    let elements = block.size.clone().times(u64::from(length.min), u64::from(length.max));
    let mut size = Size::between(least, most).and(elements);
    if !written.written {
        size = size.unbounded_at(span);
    }
    let room = Room {
        bytes: block.size.min,
        bits: block.run_bits,
        slots: if block.size.min == 0 { block.size.slots } else { 0 },
    };
    node(Shape::Array(Array { length, room, block }), size, span)
}

/// Whether an element is a table without head bytes: unbounded, it keeps a bit byte an element (`language.md` 9.6),
/// since otherwise one hostile byte would buy eight tables.
fn is_bare_table(element: &Type, layout: Layout) -> bool {
    match element.meaning().kind {
        TypeKind::Struct(_)
        | TypeKind::TaggedEnum { .. }
        | TypeKind::Set(_)
        | TypeKind::Map { .. }
        | TypeKind::Array { .. } => {}
        TypeKind::Number(_)
        | TypeKind::Boolean
        | TypeKind::String(_)
        | TypeKind::Buffer(_)
        | TypeKind::Vector { .. }
        | TypeKind::CFrame { .. }
        | TypeKind::Roblox(_)
        | TypeKind::EnumItem(_)
        | TypeKind::Instance(_)
        | TypeKind::Entity { .. }
        | TypeKind::Unknown
        | TypeKind::Optional { .. }
        | TypeKind::UnitEnum(_)
        | TypeKind::Named { .. }
        | TypeKind::Parameter(_)
        | TypeKind::Error => return false,
    }
    !claims_head(element, layout)
}

/// Whether a type claims bytes of a head in which bits go to a run.
fn claims_head(ty: &Type, layout: Layout) -> bool {
    match &ty.meaning().kind {
        TypeKind::Struct(fields) => fields.iter().any(|field| claims_head(&field.ty, layout)),
        // What they append is in blocks of their own.
        TypeKind::TaggedEnum { .. } | TypeKind::Optional { .. } => false,
        TypeKind::Array { element, length: written } => {
            let mut probe = Claims::new(BlockKind::Plain);
            let length = length(&mut probe, written);
            let packed = matches!(element.meaning().kind, TypeKind::Boolean);
            probe.end().head > 0 || (packed && length.exact().is_some_and(|count| count > 0))
        }
        TypeKind::Map { .. } => true,
        TypeKind::Number(_)
        | TypeKind::Boolean
        | TypeKind::String(_)
        | TypeKind::Buffer(_)
        | TypeKind::Vector { .. }
        | TypeKind::CFrame { .. }
        | TypeKind::Roblox(_)
        | TypeKind::EnumItem(_)
        | TypeKind::Instance(_)
        | TypeKind::Entity { .. }
        | TypeKind::Unknown
        | TypeKind::Set(_)
        | TypeKind::UnitEnum(_)
        | TypeKind::Named { .. }
        | TypeKind::Parameter(_)
        | TypeKind::Error => {
            let mut probe = Claims::new(BlockKind::Repeated { run: true });
            walk(&mut probe, layout, ty.meaning());
            probe.end().head > 0
        }
    }
}

fn booleans(claims: &mut Claims, length: Length, written: &schema::Length, span: Span) -> Node {
    let place = match length.exact() {
        Some(exact) => claims.bytes(exact.div_ceil(8)),
        None => claims.append(),
    };
    let mut size = prefixed(length, |count| count.div_ceil(8));
    if !written.written {
        size = size.unbounded_at(span);
    }
    node(Shape::Booleans(Booleans { length, place }), size, span)
}

fn map(claims: &mut Claims, layout: Layout, key: &Type, value: &Type, span: Span) -> Node {
    let place = claims.bytes(2);
    let _ = claims.append();
    let entry = Box::new(block(BlockKind::Sequential, layout, |claims| {
        let pair = [walk(claims, layout, key), walk(claims, layout, value)];
        let size = pair[0].size.clone().and(pair[1].size.clone());
        node(Shape::Entry(Box::new(pair)), size, span)
    }));
    let room = Room {
        bytes: entry.size.min,
        bits: 0,
        slots: if entry.size.min == 0 { entry.size.slots } else { 0 },
    };
    let size = Size::bytes(2).and(entry.size.clone().times(0, 65_535)).unbounded_at(span);
    node(Shape::Map(Map { place, room, entry }), size, span)
}

fn set(claims: &mut Claims, flags: &Arc<[String]>, span: Span) -> Node {
    let mut groups = Vec::new();
    let mut size = 0;
    for (position, group) in flags.chunks(32).enumerate() {
        let kind = match group.len() {
            0..=8 => NumberKind::U8,
            9..=16 => NumberKind::U16,
            _ => NumberKind::U32,
        };
        size += u64::from(kind.size());
        groups.push(SetGroup {
            first: position as u32 * 32,
            count: group.len() as u32,
            kind,
            place: claims.bytes(kind.size()),
        });
    }
    node(Shape::Set(Set { flags: flags.clone(), groups }), Size::bytes(size), span)
}

fn tagged(
    claims: &mut Claims,
    layout: Layout,
    tag: &str,
    variants: &Arc<[schema::Variant]>,
    span: Span,
) -> Node {
    let bits = claims.bits(index_width(variants.len()));
    let _ = claims.append();
    let mut size: Option<Size> = None;
    let mut planned = Vec::with_capacity(variants.len());
    for variant in variants.iter() {
        let block =
            block(BlockKind::Plain, layout, |claims| record(claims, layout, &variant.fields, variant.span));
        let own = block.size.clone();
        size = Some(match size {
            Some(others) => others.or(own),
            None => own,
        });
        planned.push(Variant { name: variant.name.clone(), block });
    }
    let size = Size { bits: u64::from(bits.width), ..size.unwrap_or_default() };
    node(Shape::TaggedEnum(TaggedEnum { tag: tag.to_owned(), bits, variants: planned }), size, span)
}

/// Bits of an enum's index: at least one, also for a single value.
fn index_width(count: usize) -> u8 {
    width_for(count as u64).max(1)
}

impl RobloxType {
    /// Bytes on the wire; of a `ColorSequence`, of its least form.
    pub fn size(self) -> u32 {
        match self {
            RobloxType::Color3 => 3,
            RobloxType::BrickColor => 2,
            RobloxType::DateTime
            | RobloxType::DateTimeMillis
            | RobloxType::Vector2
            | RobloxType::UDim
            | RobloxType::NumberRange => 8,
            RobloxType::UDim2 => 16,
            RobloxType::TweenInfo => 15,
            RobloxType::ColorSequence => 15,
        }
    }
}

impl Rotation {
    /// Bytes on the wire.
    pub fn size(self) -> u32 {
        match self {
            Rotation::Angles(kind) => 3 * kind.size(),
            Rotation::Quat => 7,
            Rotation::Quat32 => 4,
        }
    }
}
