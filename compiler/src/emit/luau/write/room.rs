//! Room in the buffer: made at once for what is small, by each item for what is not.

use super::super::ast::*;
use super::Writer;
use crate::wire::plan::{Booleans, Bytes, Node, Place, Shape};

/// Most bytes of a variable item that room is made for whether it uses them or not.
const SMALL: u64 = 64;

/// Most bytes of the tail that belong to items of bounded small size.
pub(super) fn tail_cover(node: &Node) -> u64 {
    match &node.shape {
        Shape::Struct(members) | Shape::Pack(members) => {
            members.iter().map(|member| tail_cover(&member.node)).sum()
        }
        Shape::Entry(pair) => pair.iter().map(tail_cover).sum(),
        Shape::Number(_)
        | Shape::Boolean(_)
        | Shape::Vector(_)
        | Shape::CFrame(_)
        | Shape::EnumItem { .. }
        | Shape::Entity { .. }
        | Shape::Instance { .. }
        | Shape::Unknown
        | Shape::Set(_)
        | Shape::UnitEnum { .. }
        | Shape::Bytes(Bytes { place: Place::Head(_), .. })
        | Shape::Booleans(Booleans { place: Place::Head(_), .. }) => 0,
        Shape::Roblox { .. }
        | Shape::Bytes(_)
        | Shape::Booleans(_)
        | Shape::Optional { .. }
        | Shape::Array(_)
        | Shape::TaggedEnum(_)
        | Shape::Map(_) => {
            if is_small(node) {
                node.size.max
            } else {
                0
            }
        }
    }
}

/// Whether room for a variable item is made ahead of it.
pub(super) fn is_small(node: &Node) -> bool {
    match &node.shape {
        Shape::Map(_) => false,
        Shape::Struct(members) | Shape::Pack(members) => members.iter().all(|member| is_small(&member.node)),
        Shape::Entry(pair) => pair.iter().all(is_small),
        Shape::Bytes(Bytes { place: Place::Head(_), .. })
        | Shape::Booleans(Booleans { place: Place::Head(_), .. }) => true,
        Shape::Number(_)
        | Shape::Boolean(_)
        | Shape::Vector(_)
        | Shape::CFrame(_)
        | Shape::EnumItem { .. }
        | Shape::Entity { .. }
        | Shape::Instance { .. }
        | Shape::Unknown
        | Shape::Set(_)
        | Shape::UnitEnum { .. } => true,
        Shape::Roblox { .. }
        | Shape::Bytes(_)
        | Shape::Booleans(_)
        | Shape::Optional { .. }
        | Shape::Array(_)
        | Shape::TaggedEnum(_) => node.size.sealed().max <= SMALL,
    }
}

/// Most bytes of an entry that belong to items of bounded size.
pub(super) fn sequential_cover(node: &Node) -> u64 {
    match &node.shape {
        Shape::Struct(members) => members.iter().map(|member| sequential_cover(&member.node)).sum(),
        Shape::Entry(pair) => pair.iter().map(sequential_cover).sum(),
        Shape::Map(_) => 2,
        _ if is_small(node) => node.size.sealed().max,
        _ => 4,
    }
}

impl Writer<'_, '_> {
    /// Makes room for `needed` bytes at the cursor and what is still promised behind them.
    pub(super) fn room(&mut self, needed: Expr, out: &mut Block) {
        let end = add(add(name("Cursor"), needed), size(self.rest));
        self.reserve(end, out);
    }
}
