//! Tables that several declarations use, declared once. Source: tooling specification, 8.3.

use std::collections::{BTreeMap, BTreeSet};

use super::{Draft, Head, Item, Ty, TypeDecl, TypeId};
use crate::report::{Kind, Report};

/// Struct types by their text, which is equal exactly when they are.
type Key = String;

/// What a struct stands in: an event or function by its number, or another shape.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Holder {
    Declaration(usize),
    Shape(Key),
}

/// Declares each struct used by more than one declaration, in order of first use. For drafts without types of their own.
pub(super) fn share(draft: &mut Draft, report: &mut Report) {
    let mut shapes = candidates(draft);
    // A struct that only ever stands in one shared shape is written there; leaving it out can make another such.
    loop {
        let holders = holders(draft, &shapes);
        let before = shapes.len();
        shapes.retain(|key| holders.get(key).is_some_and(|holders| holders.len() > 1));
        if shapes.len() == before {
            break;
        }
    }
    let mut declared: Vec<(Key, Ty)> = Vec::new();
    each_member(&mut draft.items, &mut 0, &mut |ty, _| replace(ty, &shapes, &mut declared));
    let names: Vec<String> = (1..=declared.len()).map(shape_name).collect();
    if !names.is_empty() {
        let message = match names.as_slice() {
            [name] => format!("{name} is a table that several declarations use: give it a better name"),
            _ => format!(
                "{} are tables that several declarations use: give them better names",
                names.join(", ")
            ),
        };
        report.add(Kind::Advice, names.join(", "), None, message);
    }
    let types = declared.into_iter().enumerate().map(|(at, (_, ty))| {
        let head = Head { name: shape_name(at + 1), ..Head::default() };
        Item::Type(TypeDecl { head, id: TypeId(at), ty })
    });
    draft.items.splice(0..0, types.collect::<Vec<_>>());
}

fn shape_name(number: usize) -> String {
    format!("Shape{number}")
}

fn key(ty: &Ty) -> Key {
    format!("{ty:?}")
}

/// Calls `visit` with every type of every event and function, and the number of that declaration.
fn each_member(items: &mut [Item], number: &mut usize, visit: &mut impl FnMut(&mut Ty, usize)) {
    for item in items {
        match item {
            Item::Event(event) => event.data.types_mut().into_iter().for_each(|ty| visit(ty, *number)),
            Item::Function(function) => {
                let types = function.data.types_mut().into_iter().chain(function.returns.types_mut());
                types.for_each(|ty| visit(ty, *number));
            }
            Item::Scope(scope) => each_member(&mut scope.items, number, visit),
            Item::Type(_) => {}
        }
        *number += 1;
    }
}

/// Structs with fields that occur in more than one declaration.
fn candidates(draft: &mut Draft) -> BTreeSet<Key> {
    fn collect(ty: &Ty, number: usize, found: &mut BTreeMap<Key, BTreeSet<usize>>) {
        if matches!(ty, Ty::Struct(fields) if !fields.is_empty()) {
            found.entry(key(ty)).or_default().insert(number);
        }
        for part in ty.parts() {
            collect(part, number, found);
        }
    }
    let mut found = BTreeMap::new();
    each_member(&mut draft.items, &mut 0, &mut |ty, number| collect(ty, number, &mut found));
    found.into_iter().filter(|(_, users)| users.len() > 1).map(|(key, _)| key).collect()
}

/// What each shape stands in.
fn holders(draft: &mut Draft, shapes: &BTreeSet<Key>) -> BTreeMap<Key, BTreeSet<Holder>> {
    fn collect(
        ty: &Ty,
        holder: &Holder,
        shapes: &BTreeSet<Key>,
        found: &mut BTreeMap<Key, BTreeSet<Holder>>,
    ) {
        let own = key(ty);
        let inside = if shapes.contains(&own) {
            found.entry(own.clone()).or_default().insert(holder.clone());
            Holder::Shape(own)
        } else {
            holder.clone()
        };
        for part in ty.parts() {
            collect(part, &inside, shapes, found);
        }
    }
    let mut found = BTreeMap::new();
    each_member(&mut draft.items, &mut 0, &mut |ty, number| {
        collect(ty, &Holder::Declaration(number), shapes, &mut found);
    });
    found
}

/// Puts names in place of shapes; what a shape holds is declared before it.
fn replace(ty: &mut Ty, shapes: &BTreeSet<Key>, declared: &mut Vec<(Key, Ty)>) {
    let own = key(ty);
    for part in ty.parts_mut() {
        replace(part, shapes, declared);
    }
    if !shapes.contains(&own) {
        return;
    }
    let at = declared.iter().position(|(known, _)| *known == own).unwrap_or_else(|| {
        declared.push((own, ty.clone()));
        declared.len() - 1
    });
    *ty = Ty::Named(TypeId(at), shape_name(at + 1));
}
