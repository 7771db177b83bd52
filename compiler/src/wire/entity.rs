//! How entities travel: which parts a record has, and how large it can be.
//!
//! A packet of the server is a `u16` number, a `u16` of milliseconds on the server's clock, and sections to its end: the
//! index of an entity (255 for removals), a `u8` count, and as many records. A record is the id, as a varint of the
//! distance to the one before it, then a mask, then the parts the mask names. Its bits, lowest first:
//!
//! ```text
//! new mirror | own (with an owner) | active, jump, following (with a transform)
//! | one a part of Data | name, parent, attributes and tags (where it has them) | one a property of Sync
//! | X, Y, Z, rotation (with a transform)
//! ```
//!
//! A part of `Data` is a field in the traffic layout, or several whose bits share one byte; a map is a byte that is 1 for
//! all of it, entries, and unless it is all of it the keys that are gone. Behind an own record come
//! the velocities and the tick of the input consumed last, where the entity has them.

use crate::schema::{Element, Entity, Following, Length, Ownership, Payload, Type, TypeKind};
use crate::wire::plan::{Block, Layout, Node, Plan, Shape};

/// Most bits of a mask: what a Luau number holds without loss.
pub const MAX_PARTS: usize = 48;
/// The index of the section of removals.
pub const REMOVED: u8 = 255;
/// Bytes in front of the sections: number and time.
pub const PACKET_HEADER: u64 = 4;
/// Bytes in front of a section's records.
pub const SECTION_HEADER: u64 = 2;
/// Most bytes of an id.
pub const ID_SIZE: u64 = 8;
/// Bytes of the velocities behind an own record, and of the tick behind them.
pub const VELOCITY_SIZE: u64 = 15;
/// Bytes of the tick of the input consumed last.
pub const TICK_SIZE: u64 = 2;

/// Bytes of a name, of a parent's id, and of one attribute or tag: least and most.
const NAME_SIZE: (u64, u64) = (1, 101);
const PARENT_SIZE: (u64, u64) = (1, 8);
const KEYED_SIZE: (u64, u64) = (1, 1);

/// What an entity has beside its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extra {
    /// A name: a `u8` length and its bytes.
    Name,
    /// The parent's id, 0 for none.
    Parent,
    /// Attributes and tags that changed: a `u8` count, then keys and values.
    Keyed,
}

/// How an entity travels.
#[derive(Clone, Debug)]
pub struct EntityWire {
    /// Names from the top level down to and including its own.
    pub path: Vec<String>,
    /// Its number among the entities.
    pub index: u8,
    /// Parts of `Data`, in the order of their bits.
    pub parts: Vec<Part>,
    /// What it has beside its fields, in the order of their bits.
    pub extras: Vec<Extra>,
    /// Properties of `Sync`, in the order of their bits, with their classes.
    pub synced: Vec<(String, Part)>,
    /// Whether a record says if it is the receiver's own.
    pub owned: bool,
    /// Whether it carries a transform.
    pub transform: bool,
    /// Whether own records end in velocities and a tick.
    pub velocity: bool,
    /// What the owner sends.
    pub input: Option<Plan>,
}

/// Fields that travel together.
#[derive(Clone, Debug)]
pub struct Part {
    /// Their names, in order.
    pub fields: Vec<String>,
    /// A pack of their values in the traffic layout.
    pub plan: Plan,
    /// Of a map, which travels by key: a byte that is 1 for all of it, `plan`, and unless it is all of it this list of the
    /// keys that are gone.
    pub gone: Option<Plan>,
}

impl Part {
    fn of(fields: Vec<(String, Type)>) -> Part {
        let elements = fields
            .iter()
            .map(|(name, ty)| Element { name: Some(name.clone()), span: ty.span, ty: ty.clone() })
            .collect();
        let plan = Plan::payload(&Payload::Pack(elements), Layout::Traffic);
        // Fields that name entities are read again as they came, which takes all of them.
        let gone = match fields.as_slice() {
            [(_, ty)] if !refers(&plan.block) => gone(ty),
            _ => None,
        };
        Part { fields: fields.into_iter().map(|(name, _)| name).collect(), plan, gone }
    }
}

impl Part {
    /// Whether one of its values names an entity.
    pub fn refers(&self) -> bool {
        refers(&self.plan.block)
    }

    /// Whether one of its values is a table, which who holds it could change.
    pub fn holds_tables(&self) -> bool {
        is_table(&self.plan.block.body)
    }
}

/// Whether a value of a plan may be a table of its own; of a pack, whether one of them may.
fn is_table(node: &Node) -> bool {
    match &node.shape {
        Shape::Array(_)
        | Shape::Booleans(_)
        | Shape::Map(_)
        | Shape::Set(_)
        | Shape::TaggedEnum(_)
        | Shape::Struct(_) => true,
        Shape::Optional { block, .. } => is_table(&block.body),
        Shape::Pack(members) => members.iter().any(|member| is_table(&member.node)),
        Shape::Entry(pair) => pair.iter().any(is_table),
        Shape::Number(_)
        | Shape::Boolean(_)
        | Shape::Bytes(_)
        | Shape::Vector(_)
        | Shape::CFrame(_)
        | Shape::Roblox { .. }
        | Shape::EnumItem { .. }
        | Shape::Instance { .. }
        | Shape::Unknown
        | Shape::Entity { .. }
        | Shape::UnitEnum { .. } => false,
    }
}

/// The list of the keys that are gone of a map.
fn gone(ty: &Type) -> Option<Plan> {
    let TypeKind::Map { key, .. } = &ty.meaning().kind else { return None };
    let length = Length { min: 0, max: 65_535, written: false, max_written: false };
    let list = Type { kind: TypeKind::Array { element: key.clone(), length }, span: ty.span };
    let keys = Element { name: Some("Gone".to_owned()), span: ty.span, ty: list };
    Some(Plan::payload(&Payload::Pack(vec![keys]), Layout::Traffic))
}

/// Whether something in a block names an entity.
fn refers(block: &Block) -> bool {
    names_entity(&block.body)
}

/// Whether a value of a plan is an entity's name, or has one inside.
pub fn names_entity(node: &Node) -> bool {
    match &node.shape {
        Shape::Entity { .. } => true,
        Shape::Optional { block, .. } => refers(block),
        Shape::Array(array) => refers(&array.block),
        Shape::Map(map) => refers(&map.entry),
        Shape::TaggedEnum(tagged) => tagged.variants.iter().any(|variant| refers(&variant.block)),
        Shape::Struct(members) | Shape::Pack(members) => {
            members.iter().any(|member| names_entity(&member.node))
        }
        Shape::Entry(pair) => pair.iter().any(names_entity),
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
        | Shape::UnitEnum { .. } => false,
    }
}

impl EntityWire {
    /// Whether `Data` names entities.
    pub fn refers(&self) -> bool {
        self.parts.iter().any(Part::refers)
    }

    /// Plans one entity.
    pub fn of(entity: &Entity) -> EntityWire {
        let synced = entity.sync.iter().flat_map(|class| {
            class
                .properties
                .iter()
                .map(|(name, ty)| (class.class.clone(), Part::of(vec![(name.clone(), ty.clone())])))
        });
        EntityWire {
            path: entity.path.clone(),
            index: entity.index,
            parts: parts(entity),
            extras: [
                (entity.named, Extra::Name),
                (entity.parent, Extra::Parent),
                (entity.tags || entity.attributes, Extra::Keyed),
            ]
            .into_iter()
            .filter(|(there, _)| *there)
            .map(|(_, extra)| extra)
            .collect(),
            synced: synced.collect(),
            owned: entity.owner != Ownership::Never,
            transform: entity.transform != Following::Never,
            velocity: entity.velocity,
            input: entity.input.as_ref().map(input_plan),
        }
    }

    /// Bits in front of the parts.
    pub fn flags(&self) -> usize {
        1 + usize::from(self.owned) + if self.transform { 3 } else { 0 }
    }

    /// Bits of a mask.
    pub fn bits(&self) -> usize {
        self.flags()
            + self.parts.len()
            + self.extras.len()
            + self.synced.len()
            + if self.transform { 4 } else { 0 }
    }

    /// Bytes of a mask.
    pub fn mask_size(&self) -> usize {
        self.bits().div_ceil(8)
    }

    /// Bytes behind an own record.
    pub fn tail_size(&self) -> u64 {
        let velocity = if self.velocity { VELOCITY_SIZE } else { 0 };
        velocity + if self.input.is_some() { TICK_SIZE } else { 0 }
    }

    /// Bytes of a packet with nothing but the record of a new mirror: least and most.
    pub fn packet_size(&self) -> (u64, u64) {
        let fixed = PACKET_HEADER + SECTION_HEADER + ID_SIZE + self.mask_size() as u64;
        let own = if self.transform { 16 } else { 0 } + self.tail_size();
        let parts = self.parts.iter().chain(self.synced.iter().map(|(_, part)| part));
        let extras = self.extras.iter().map(|extra| match extra {
            Extra::Name => NAME_SIZE,
            Extra::Parent => PARENT_SIZE,
            // What does not fit is refused when it is set.
            Extra::Keyed => KEYED_SIZE,
        });
        let fixed =
            extras.fold((fixed + own, fixed + own), |(least, most), (min, max)| (least + min, most + max));
        parts.fold(fixed, |(least, most), part| {
            let (size, flag) = (part.plan.block.size.sealed(), u64::from(part.gone.is_some()));
            (least.saturating_add(size.min + flag), most.saturating_add(size.max.saturating_add(flag)))
        })
    }
}

/// The parts of `Data`: a field each, except that fields of nothing but bits share a byte while they fit.
fn parts(entity: &Entity) -> Vec<Part> {
    let mut groups: Vec<Vec<(String, Type)>> = Vec::new();
    let mut shared: Option<(usize, u64)> = None;
    for field in entity.fields() {
        let one = (field.name.clone(), field.ty.clone());
        let alone = Part::of(vec![one.clone()]);
        let block = &alone.plan.block;
        let bits = block.body.size.bits;
        let only_bits = !block.tail && u64::from(block.head) == bits.div_ceil(8) && (1..8).contains(&bits);
        match shared {
            Some((at, taken)) if only_bits && taken + bits <= 8 => {
                groups[at].push(one);
                shared = Some((at, taken + bits));
            }
            _ => {
                if only_bits {
                    shared = Some((groups.len(), bits));
                }
                groups.push(vec![one]);
            }
        }
    }
    groups.into_iter().map(Part::of).collect()
}

/// The plan of an input, whose name in errors and listings is that of its field in the block.
fn input_plan(input: &Type) -> Plan {
    let element = Element { name: Some("Input".to_owned()), ty: input.clone(), span: input.span };
    Plan::payload(&Payload::Pack(vec![element]), Layout::Traffic)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Item, Profile};
    use crate::source::MemoryLoader;

    fn wire(block: &str) -> EntityWire {
        let text = format!("entity Ship {{ {block} }}");
        let analysis = crate::analyze(&MemoryLoader::new().with("x", text), "x", Profile::Release);
        assert!(!analysis.has_errors(), "{:?}", analysis.diagnostics);
        let schema = analysis.schema.unwrap();
        let Item::Entity(entity) = &schema.root.items[0] else { panic!("not an entity") };
        EntityWire::of(entity)
    }

    #[test]
    fn bits_share_a_byte_and_bytes_stand_alone() {
        let wire =
            wire("Data: struct { Hull: u8(0..100), Name: string(1..24), Boost: boolean, Lit: boolean }");
        let fields: Vec<_> = wire.parts.iter().map(|part| part.fields.join("+")).collect();
        assert_eq!(fields, ["Hull", "Name", "Boost+Lit"]);
        assert_eq!((wire.flags(), wire.bits(), wire.mask_size()), (1, 4, 1));
        assert_eq!(wire.packet_size(), (4 + 2 + 8 + 1 + 1 + 2 + 1, 4 + 2 + 8 + 1 + 1 + 25 + 1));
    }

    #[test]
    fn a_map_travels_by_key_unless_it_names_entities() {
        let wire = wire("Data: struct { Score: map { [u8]: u16 }, Who: map { [u8]: struct { By: Ship? } } }");
        assert!(wire.parts[0].gone.is_some() && !wire.parts[0].refers());
        assert!(wire.parts[1].gone.is_none() && wire.parts[1].refers());
        assert_eq!(wire.packet_size().0, 4 + 2 + 8 + 1 + 3 + 2);
    }

    #[test]
    fn a_transform_takes_flags_and_four_parts() {
        let wire = wire("Owner: true, Transform: true, Data: struct { Hull: u8 }");
        assert_eq!((wire.flags(), wire.bits(), wire.mask_size()), (5, 10, 2));
        assert_eq!(wire.packet_size().0, 4 + 2 + 8 + 2 + 1 + 16);
    }
}
