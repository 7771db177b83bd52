//! How large values get on the wire (`language.md` 12): by type, by item, against the unreliable limit.

use crate::schema::{Delivery, Event, Options, Type};
use crate::source::Span;
use crate::wire::plan::{Block, Header, HeaderKind, Layout, Node, Plan, Prefix, Shape};

/// What values of a type take. Bytes and slots saturate at the greatest `u64`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Least bytes.
    pub min: u64,
    /// Most bytes.
    pub max: u64,
    /// Bits that wait for a bit byte or a run.
    pub bits: u64,
    /// Most slots.
    pub slots: u64,
    /// Least slots.
    pub least_slots: u64,
    /// The first member whose maximum is a default the schema does not write.
    pub unbounded: Option<Unbounded>,
}

/// A member without a written upper bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unbounded {
    /// Names of the members around it, outermost first, its own last; empty for a payload that is itself unbounded.
    pub path: Vec<String>,
    /// Its type where it is written.
    pub span: Span,
}

impl Size {
    /// Exactly `bytes`.
    pub(crate) fn bytes(bytes: u64) -> Size {
        Size::between(bytes, bytes)
    }

    /// From `min` to `max` bytes.
    pub(crate) fn between(min: u64, max: u64) -> Size {
        Size { min, max, ..Size::default() }
    }

    /// Exactly `bits`.
    pub(crate) fn bits(bits: u64) -> Size {
        Size { bits, ..Size::default() }
    }

    /// One slot.
    pub(crate) fn slot() -> Size {
        Size { slots: 1, least_slots: 1, ..Size::default() }
    }

    /// Bits turned into whole bytes.
    #[must_use]
    pub fn sealed(&self) -> Size {
        let bytes = self.bits.div_ceil(8);
        Size {
            min: self.min.saturating_add(bytes),
            max: self.max.saturating_add(bytes),
            bits: 0,
            ..self.clone()
        }
    }

    /// Both, one after the other.
    #[must_use]
    pub(crate) fn and(self, other: Size) -> Size {
        Size {
            min: self.min.saturating_add(other.min),
            max: self.max.saturating_add(other.max),
            bits: self.bits.saturating_add(other.bits),
            slots: self.slots.saturating_add(other.slots),
            least_slots: self.least_slots.saturating_add(other.least_slots),
            unbounded: self.unbounded.or(other.unbounded),
        }
    }

    /// Either, whichever comes: for the variants of a tagged enum.
    #[must_use]
    pub(crate) fn or(self, other: Size) -> Size {
        Size {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
            bits: self.bits.max(other.bits),
            slots: self.slots.max(other.slots),
            least_slots: self.least_slots.min(other.least_slots),
            unbounded: self.unbounded.or(other.unbounded),
        }
    }

    /// This or nothing.
    #[must_use]
    pub(crate) fn optionally(self) -> Size {
        Size { min: 0, least_slots: 0, ..self }
    }

    /// From `least` to `most` of these in a row, their bits packed without gaps.
    #[must_use]
    pub(crate) fn times(self, least: u64, most: u64) -> Size {
        let bytes = |count: u64, each: u64| {
            count.saturating_mul(each).saturating_add(count.saturating_mul(self.bits).div_ceil(8))
        };
        Size {
            min: bytes(least, self.min),
            max: bytes(most, self.max),
            bits: 0,
            slots: self.slots.saturating_mul(most),
            least_slots: self.least_slots.saturating_mul(least),
            unbounded: self.unbounded,
        }
    }

    /// The same as part of the member `name`.
    #[must_use]
    pub(crate) fn within(mut self, name: &str) -> Size {
        if let Some(unbounded) = &mut self.unbounded {
            unbounded.path.insert(0, name.to_owned());
        }
        self
    }

    /// The same, unbounded at `span` if not already.
    #[must_use]
    pub(crate) fn unbounded_at(mut self, span: Span) -> Size {
        self.unbounded = Some(Unbounded { path: Vec::new(), span });
        self
    }
}

impl Prefix {
    /// Least and most bytes of the prefix of a length of this span (`language.md` 12.1).
    pub fn size(self, span: u32) -> (u64, u64) {
        match self {
            Prefix::None => (0, 0),
            Prefix::U8 => (1, 1),
            Prefix::Varint if span < 16_384 => (1, 2),
            Prefix::Varint => (1, 3),
            Prefix::U16 => (2, 2),
            Prefix::U24 => (3, 3),
            Prefix::U32 => (4, 4),
        }
    }
}

/// Size of a type in a layout, its bits not sealed.
pub fn measure(ty: &Type, layout: Layout) -> Size {
    Plan::exported(ty, layout).block.body.size
}

/// Whether a type costs nothing (`language.md` 12.3): what `E3021` refuses to repeat without a bound.
pub fn costs_nothing(ty: &Type) -> bool {
    let size = measure(ty, Layout::Traffic).sealed();
    size.max == 0 && size.slots == 0
}

/// What an event takes on its remote, and what that makes of the unreliable limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventSize {
    /// Bytes in front of the payload.
    pub header: u64,
    /// The payload, sealed.
    pub payload: Size,
    /// Least bytes that matter for the limit: header, payload and 6 a slot; a stream's state counts as present.
    pub least: u64,
    /// Most bytes, counted the same way.
    pub most: u64,
    /// What `MaxUnreliableSize` says of it.
    pub fit: Fit,
}

/// Whether an event stays within `MaxUnreliableSize`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// Always, or the event is reliable.
    Fits,
    /// Not at its largest: `W3019`.
    MayNotFit,
    /// Not even at its smallest: `E3018`.
    CannotFit,
}

/// Bytes a slot counts for on the unreliable remote.
pub const SLOT_BYTES: u64 = 6;

/// Measures an event in the traffic layout (`language.md` 12.2 and 12.4).
pub fn measure_event(event: &Event, options: &Options) -> EventSize {
    let header = u64::from(Header { index: event.index, kind: HeaderKind::of_event(event) }.size());
    let payload = Plan::payload(&event.wire_payload(), Layout::Traffic).block.size;
    let mut least =
        header.saturating_add(payload.min).saturating_add(payload.least_slots.saturating_mul(SLOT_BYTES));
    if let (Some(_), crate::schema::Payload::Single(state)) = (&event.stream, &event.data) {
        let state = measure(state, Layout::Traffic).sealed();
        least = least.saturating_add(state.min).saturating_add(state.least_slots.saturating_mul(SLOT_BYTES));
    }
    let most = header.saturating_add(payload.max).saturating_add(payload.slots.saturating_mul(SLOT_BYTES));
    let limit = u64::from(options.max_unreliable_size);
    let fit = match event.delivery {
        Delivery::Reliable => Fit::Fits,
        Delivery::Unreliable | Delivery::OrderedUnreliable if least > limit => Fit::CannotFit,
        Delivery::Unreliable | Delivery::OrderedUnreliable if most > limit => Fit::MayNotFit,
        Delivery::Unreliable | Delivery::OrderedUnreliable => Fit::Fits,
    };
    EventSize { header, payload, least, most, fit }
}

/// A member's share of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldSize {
    /// Its place in the value: `Rows[].Tag`.
    pub path: String,
    /// What one of it takes, bits not sealed.
    pub size: Size,
    /// How deep it lies, from 0.
    pub depth: u32,
}

/// Every member of a plan in walk order, containers before what they contain.
pub fn fields(plan: &Plan) -> Vec<FieldSize> {
    let mut found = Vec::new();
    fields_of_block(&plan.block, "", 0, &mut found);
    found
}

fn fields_of_block(block: &Block, path: &str, depth: u32, found: &mut Vec<FieldSize>) {
    fields_of(&block.body, path, depth, found);
}

fn fields_of(node: &Node, path: &str, depth: u32, found: &mut Vec<FieldSize>) {
    match &node.shape {
        Shape::Struct(members) | Shape::Pack(members) => {
            for member in members {
                let path =
                    if path.is_empty() { member.name.clone() } else { format!("{path}.{}", member.name) };
                found.push(FieldSize { path: path.clone(), size: member.node.size.clone(), depth });
                fields_of(&member.node, &path, depth + 1, found);
            }
        }
        Shape::Optional { block, .. } => fields_of_block(block, path, depth, found),
        Shape::Array(array) => fields_of_block(&array.block, &format!("{path}[]"), depth, found),
        Shape::Map(map) => fields_of_block(&map.entry, path, depth, found),
        Shape::Entry(entry) => {
            for (node, path) in entry.iter().zip([format!("{path}[key]"), format!("{path}[value]")]) {
                found.push(FieldSize { path: path.clone(), size: node.size.clone(), depth });
                fields_of(node, &path, depth + 1, found);
            }
        }
        Shape::TaggedEnum(tagged) => {
            for variant in &tagged.variants {
                let path = format!("{path}<{}>", variant.name);
                found.push(FieldSize { path: path.clone(), size: variant.block.size.clone(), depth });
                fields_of_block(&variant.block, &path, depth + 1, found);
            }
        }
        Shape::Number(_)
        | Shape::Boolean(_)
        | Shape::Bytes(_)
        | Shape::Vector(_)
        | Shape::CFrame(_)
        | Shape::Roblox { .. }
        | Shape::EnumItem { .. }
        | Shape::Instance { .. }
        | Shape::Unknown
        | Shape::Booleans(_)
        | Shape::Set(_)
        | Shape::UnitEnum { .. } => {}
    }
}
