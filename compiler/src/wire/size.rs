//! How large values get on the wire (`language.md` 12): by type, by item, against the unreliable limit.

use crate::schema::{Channel, Event, Options, Type};
use crate::source::Span;
use crate::wire::plan::{Block, Header, HeaderKind, Layout, Node, Plan, Prefix, Shape};

/// What values of a type take. Bytes and slots saturate at the greatest `u64`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Size {
    /// Least bytes, length prefixes included.
    pub min: u64,
    /// Most bytes; saturates.
    pub max: u64,
    /// Bits that wait for a bit byte or a run.
    pub bits: u64,
    /// Most Instances and other values that ride beside the buffer.
    pub slots: u64,
    /// Fewest of them.
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
            Prefix::None | Prefix::Rows => (0, 0),
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
    /// Always, or the event rides the reliable remote.
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
    let fit = match event.channel() {
        Channel::Reliable => Fit::Fits,
        Channel::Unreliable if least > limit => Fit::CannotFit,
        Channel::Unreliable if most > limit => Fit::MayNotFit,
        Channel::Unreliable => Fit::Fits,
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
    /// Its type where it is written; that of a variant is its fields.
    pub ty: Span,
    /// Whether its own maximum, and not only that of something in it, is a default the schema does not write.
    pub unbounded: bool,
}

impl FieldSize {
    fn of(path: &str, depth: u32, node: &Node, size: &Size) -> FieldSize {
        let unbounded = size.unbounded.as_ref().is_some_and(|unbounded| unbounded.path.is_empty());
        FieldSize { path: path.to_owned(), size: size.clone(), depth, ty: node.span, unbounded }
    }
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
                found.push(FieldSize::of(&path, depth, &member.node, &member.node.size));
                fields_of(&member.node, &path, depth + 1, found);
            }
        }
        Shape::Optional { block, .. } => fields_of_block(block, path, depth, found),
        Shape::Array(array) => fields_of_block(&array.block, &format!("{path}[]"), depth, found),
        Shape::Map(map) => fields_of_block(&map.entry, path, depth, found),
        Shape::Entry(entry) => {
            for (node, path) in entry.iter().zip([format!("{path}[key]"), format!("{path}[value]")]) {
                found.push(FieldSize::of(&path, depth, node, &node.size));
                fields_of(node, &path, depth + 1, found);
            }
        }
        Shape::TaggedEnum(tagged) => {
            for variant in &tagged.variants {
                let path = format!("{path}<{}>", variant.name);
                found.push(FieldSize::of(&path, depth, &variant.block.body, &variant.block.size));
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
        | Shape::Entity { .. }
        | Shape::Instance { .. }
        | Shape::Unknown
        | Shape::Booleans(_)
        | Shape::Set(_)
        | Shape::UnitEnum { .. } => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Delivery, Length, NumberKind::*, Payload, TypeKind};
    use crate::wire::test_types::*;

    fn stored(ty: &Type) -> (u64, u64, u64, u64) {
        let size = measure(ty, Layout::Storage);
        (size.min, size.max, size.bits, size.slots)
    }

    fn sent(ty: &Type) -> (u64, u64, u64, u64) {
        let size = measure(ty, Layout::Traffic);
        (size.min, size.max, size.bits, size.slots)
    }

    #[test]
    fn sizes_in_storage() {
        assert_eq!(stored(&num(U24)), (3, 3, 0, 0));
        assert_eq!(stored(&stepped(F32, 0.25, 100.0, 200.0)), (2, 2, 0, 0));
        assert_eq!(stored(&boolean()), (0, 0, 1, 0));
        assert_eq!(stored(&string(BARE)), (1, 65_538, 0, 0));
        assert_eq!(stored(&string(len(5, 5))), (5, 5, 0, 0));
        assert_eq!(stored(&string(len(2, 300))), (3, 302, 0, 0));
        assert_eq!(stored(&string(len(0, 65_535))), (2, 65_537, 0, 0));
        assert_eq!(stored(&optional(num(U16))), (0, 2, 1, 0));
        assert_eq!(stored(&optional(boolean())), (0, 1, 1, 0));
        assert_eq!(stored(&optional(instance(None))), (0, 0, 0, 1));
        assert_eq!(stored(&array(boolean(), len(0, 20))), (1, 4, 0, 0));
        assert_eq!(stored(&array(boolean(), len(9, 9))), (2, 2, 0, 0));
        assert_eq!(stored(&array(instance(None), len(2, 5))), (1, 1, 0, 5));
        assert_eq!(stored(&unit(["A", "B", "C"])), (0, 0, 2, 0));
        assert_eq!(stored(&set(["A", "B"])), (1, 1, 0, 0));
        let entry = map(ranged(U8, 0.0, 3.0), boolean());
        assert_eq!(stored(&entry), (2, 2 + 65_535 * 2, 0, 0));
        assert_eq!(sent(&entry), (2, 2 + 65_535, 0, 0));
        let shape = tagged("T", [variant("A", []), variant("B", [("X", num(U32)), ("Y", boolean())])]);
        assert_eq!(stored(&shape), (0, 5, 1, 0));
    }

    #[test]
    fn traffic_packs_the_bits_of_elements() {
        let row = || record([("Id", num(U8)), ("Back", boolean()), ("Team", ranged(U8, 0.0, 3.0))]);
        assert_eq!(stored(&array(row(), len(0, 16))), (1, 1 + 16 * 3, 0, 0));
        assert_eq!(sent(&array(row(), len(0, 16))), (1, 1 + 16 + 6, 0, 0));
        assert_eq!(sent(&array(row(), len(16, 16))), (22, 22, 0, 0));
        // The figures of the specification, 9.6.
        let at = ty(TypeKind::Vector { component: F24, written: Vec::new(), magnitude: None });
        let head = record([("Id", num(U8)), ("At", at), ("Back", boolean())]);
        assert_eq!(sent(&array(head, len(0, 16))).1, 163);
        let packed =
            record([("Team", ranged(U8, 0.0, 3.0)), ("Slot", ranged(U8, 0.0, 15.0)), ("Alive", boolean())]);
        assert_eq!(measure(&packed, Layout::Traffic).sealed().max, 1);
    }

    #[test]
    fn what_costs_nothing() {
        assert!(costs_nothing(&record([])));
        assert!(costs_nothing(&set([])));
        assert!(costs_nothing(&array(num(U8), len(0, 0))));
        assert!(costs_nothing(&string(len(0, 0))));
        assert!(costs_nothing(&record([("Only", ranged(U8, 5.0, 5.0))])));
        assert!(!costs_nothing(&boolean()));
        assert!(!costs_nothing(&optional(instance(None))));
        assert!(!costs_nothing(&unit(["Single"])));
    }

    #[test]
    fn the_first_member_without_a_bound_is_named() {
        let row = record([("Id", num(U8)), ("Tag", string(BARE)), ("Note", string(BARE))]);
        let payload = pack([("Count", num(U8)), ("Rows", array(row, len(0, 4)))]);
        let size = Plan::payload(&payload, Layout::Traffic).block.size;
        assert_eq!(size.unbounded.map(|unbounded| unbounded.path.join(".")), Some("Rows.Tag".to_owned()));
        let half = Length { min: 1, max: 65_535, written: true, max_written: false };
        assert_eq!(measure(&array(num(U8), half), Layout::Traffic).unbounded, None);
        assert!(measure(&array(num(U8), BARE), Layout::Traffic).unbounded.is_some());
        assert!(measure(&map(num(U8), num(U8)), Layout::Traffic).unbounded.is_some());
    }

    fn unreliable(data: Payload) -> Event {
        Event { delivery: Delivery::Unreliable, ..event("Shot", data) }
    }

    #[test]
    fn events_against_the_unreliable_limit() {
        let options = Options::default();
        let measured = |event: &Event| {
            let size = measure_event(event, &options);
            (size.least, size.most, size.fit)
        };
        // Dust, of the run-time specification 5.5.
        let speck = ty(TypeKind::Vector { component: F16, written: Vec::new(), magnitude: None });
        assert_eq!(measured(&unreliable(Payload::Single(array(speck, len(0, 40))))), (2, 242, Fit::Fits));
        assert_eq!(measured(&unreliable(Payload::Single(string(len(979, 979))))), (980, 980, Fit::Fits));
        assert_eq!(measured(&unreliable(Payload::Single(string(len(980, 980))))), (981, 981, Fit::CannotFit));
        assert_eq!(measured(&unreliable(Payload::Single(string(len(0, 979))))), (2, 982, Fit::MayNotFit));
        let slots = unreliable(Payload::Single(array(instance(None), len(100, 200))));
        assert_eq!(measured(&slots), (602, 1202, Fit::MayNotFit));
        let ordered =
            Event { delivery: Delivery::OrderedUnreliable, ..event("Ordered", Payload::Single(num(U8))) };
        assert_eq!(measured(&ordered), (4, 4, Fit::Fits));
        let stamped = Event { stamp: Some(100.0), ..unreliable(Payload::Nothing) };
        assert_eq!(measured(&stamped), (3, 3, Fit::Fits));
        let reliable = event("Reliable", Payload::Single(string(len(5000, 5000))));
        assert_eq!(measured(&reliable), (5001, 5001, Fit::Fits));
    }

    #[test]
    fn a_streams_state_counts_as_present() {
        let fits = measure_event(&stream("State", string(len(976, 976))), &Options::default());
        assert_eq!((fits.header, fits.least, fits.most, fits.fit), (1, 980, 980, Fit::Fits));
        let cannot = measure_event(&stream("State", string(len(977, 977))), &Options::default());
        assert_eq!(cannot.fit, Fit::CannotFit);
        let held = measure_event(&stream("Held", instance(None)), &Options::default());
        assert_eq!((held.least, held.most), (10, 10));
    }

    #[test]
    fn every_member_has_its_share() {
        let row = record([("Id", num(U8)), ("Tag", string(len(0, 9)))]);
        let payload = pack([("Rows", array(row, len(0, 4))), ("Mood", optional(unit(["A", "B", "C"])))]);
        let plan = Plan::payload(&payload, Layout::Traffic);
        let found: Vec<_> = fields(&plan)
            .into_iter()
            .map(|field| (field.path, field.depth, field.size.min, field.size.max, field.size.bits))
            .collect();
        let expected = [
            ("Rows", 0, 1, 1 + 4 * 11, 0),
            ("Rows[].Id", 1, 1, 1, 0),
            ("Rows[].Tag", 1, 1, 10, 0),
            ("Mood", 0, 0, 1, 1),
        ];
        assert_eq!(
            found,
            expected.map(|(path, depth, min, max, bits)| (path.to_owned(), depth, min, max, bits))
        );
    }
}
