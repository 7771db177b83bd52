//! Rules between things that are each fine by themselves: one file a family. Each rule names its code.
//!
//! Checks read the resolved schema and where its parts are written, and push diagnostics; they change nothing.

pub(crate) mod blocks;
pub(crate) mod entities;
mod exports;
mod kinds;
mod lanes;
mod libraries;
pub(crate) mod names;
pub(crate) mod packs;
mod priority;
mod rates;
mod session;
mod sizes;
mod stamps;
mod states;
mod streams;
mod tables;
mod typescript;

use std::collections::{BTreeMap, HashMap};

use crate::diagnostics::Diagnostic;
use crate::schema::event::Declared;
use crate::schema::resolve::{DeclaredName, Uses};
use crate::schema::state::DeclaredState;
use crate::schema::table::DeclaredTable;
use crate::schema::{Schema, Type, TypeId, TypeKind};
use crate::source::Span;

/// What the checks look at.
pub(crate) struct Checked<'a> {
    /// What the build compiles.
    pub schema: &'a Schema,
    /// Every event and function, those the profile leaves out included.
    pub declared: &'a [Declared],
    /// Every state, likewise.
    pub states: &'a [DeclaredState],
    /// Every table, likewise.
    pub tables: &'a [DeclaredTable],
    /// Every compiled name, in order of declaration.
    pub names: &'a [DeclaredName],
    /// What brings Roblox types into the modules.
    pub uses: &'a Uses,
    /// Where the entry's options in force are set.
    pub option_spans: &'a BTreeMap<&'static str, Span>,
    /// Types the profile leaves out, templates not among them.
    pub excluded_types: &'a [Type],
    /// Where the word `export` of exported types is, with the white space behind it.
    pub export_words: &'a HashMap<TypeId, Span>,
}

impl Checked<'_> {
    /// The value of an option the entry sets.
    fn option(&self, name: &str) -> Option<Span> {
        self.option_spans.get(name).copied()
    }
}

/// Runs every check.
pub(crate) fn run(checked: &Checked, sink: &mut Vec<Diagnostic>) {
    names::check(checked, sink);
    packs::check(checked, sink);
    kinds::check(checked, sink);
    lanes::check(checked, sink);
    exports::check(checked, sink);
    rates::check(checked, sink);
    streams::check(checked, sink);
    stamps::check(checked, sink);
    priority::check(checked, sink);
    states::check(checked, sink);
    tables::check(checked, sink);
    libraries::check(checked, sink);
    typescript::check(checked, sink);
    sizes::check(checked, sink);
    entities::check(checked, sink);
    session::check(checked, sink);
}

/// The first type, in walk order, that `wanted` picks out. Names are looked through.
fn find<'t>(ty: &'t Type, wanted: &dyn Fn(&TypeKind) -> bool) -> Option<&'t Type> {
    if wanted(&ty.kind) {
        return Some(ty);
    }
    ty.parts().into_iter().find_map(|part| find(part, wanted))
}

/// Whether some of a type could not be made out, so that nothing can be said of the whole.
fn is_broken(ty: &Type) -> bool {
    find(ty, &|kind| matches!(kind, TypeKind::Error | TypeKind::Parameter(_))).is_some()
}

/// The first name of an entity in a type.
fn find_entity(ty: &Type) -> Option<Span> {
    find(ty, &|kind| matches!(kind, TypeKind::Entity { .. })).map(|ty| ty.span)
}

/// The first `Instance` or `unknown` in a type.
fn find_slot(ty: &Type) -> Option<Span> {
    find(ty, &|kind| matches!(kind, TypeKind::Instance(_) | TypeKind::Unknown)).map(|ty| ty.span)
}
