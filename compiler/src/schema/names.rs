//! Scopes while they are being read: what each declares, and how a path finds a type. Source: language
//! specification, 4.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::index::Visible;
use super::{Type, TypeId};
use crate::source::Span;
use crate::syntax::ast::PrimitiveType;

/// Index of a scope in [`Names`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ScopeId(usize);

/// A type a name stands for.
#[derive(Clone, Debug)]
pub(super) struct TypeEntry {
    /// Where its name is declared.
    pub span: Span,
    /// Its place in the schema; `None` when the profile leaves it out.
    pub decl: Option<TypeId>,
    /// What it means.
    pub ty: Arc<Type>,
    /// Parameters, when it has angle brackets.
    pub params: Option<Vec<String>>,
    /// How it is written, when it is an alias of a bare primitive.
    pub bare: Option<Arc<PrimitiveType>>,
    /// The attribute that leaves it out.
    pub excluded: Option<Span>,
}

/// A member a name stands for.
#[derive(Clone, Copy, Debug)]
pub(super) struct MemberEntry {
    /// Where its name is declared.
    pub span: Span,
    /// The scope it opens, when it is a scope or an import.
    pub scope: Option<ScopeId>,
}

/// An entity a name stands for, which is a type as well.
#[derive(Clone, Debug)]
pub(super) struct EntityEntry {
    /// Where its name is declared.
    pub span: Span,
    /// Names from the top level down to its own, with dots.
    pub path: Arc<str>,
    /// Its number among the entities.
    pub index: u8,
    /// The attribute that leaves it out.
    pub excluded: Option<Span>,
}

#[derive(Clone, Debug, Default)]
struct ScopeNames {
    parent: Option<ScopeId>,
    types: BTreeMap<String, TypeEntry>,
    members: BTreeMap<String, MemberEntry>,
    entities: BTreeMap<String, EntityEntry>,
    /// Entities declared further on, whose numbers are known already.
    foreseen: BTreeMap<String, EntityEntry>,
    /// Exported types: where the name and the word `export` are.
    exports: BTreeMap<String, (Span, Span)>,
    /// Types this scope declares anywhere, for messages about order.
    ahead: BTreeMap<String, Span>,
    /// Whether it stands for a file that could not be read, and may hold anything.
    unread: bool,
}

/// What a path leads to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Found<'n> {
    /// A declared type.
    Type(&'n TypeEntry),
    /// An entity.
    Entity(&'n EntityEntry),
    /// Into a file that could not be read; already reported.
    Unread,
    /// Nowhere.
    Nothing,
}

/// Every scope of a compilation.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    scopes: Vec<ScopeNames>,
}

impl Names {
    /// A new scope; without a parent it is the top level of a document.
    pub fn open(&mut self, parent: Option<ScopeId>, ahead: BTreeMap<String, Span>) -> ScopeId {
        self.scopes.push(ScopeNames { parent, ahead, ..ScopeNames::default() });
        ScopeId(self.scopes.len() - 1)
    }

    /// A scope for an import whose file could not be read.
    pub fn open_unread(&mut self) -> ScopeId {
        self.scopes.push(ScopeNames { unread: true, ..ScopeNames::default() });
        ScopeId(self.scopes.len() - 1)
    }

    /// Makes the top level of an imported document behave as a scope of the importing one.
    pub fn attach(&mut self, scope: ScopeId, parent: ScopeId) {
        self.scopes[scope.0].parent = Some(parent);
    }

    fn chain(&self, scope: ScopeId) -> impl Iterator<Item = &ScopeNames> {
        std::iter::successors(Some(&self.scopes[scope.0]), |scope| {
            scope.parent.map(|parent| &self.scopes[parent.0])
        })
    }

    /// The type of that name visible without a path.
    pub fn visible_type(&self, scope: ScopeId, name: &str) -> Option<&TypeEntry> {
        self.chain(scope).find_map(|scope| scope.types.get(name))
    }

    /// The member of that name visible without a path.
    pub fn visible_member(&self, scope: ScopeId, name: &str) -> Option<MemberEntry> {
        self.chain(scope).find_map(|scope| scope.members.get(name)).copied()
    }

    /// The exported type of that name in this very scope: where its name and its `export` are.
    pub fn own_export(&self, scope: ScopeId, name: &str) -> Option<(Span, Span)> {
        self.scopes[scope.0].exports.get(name).copied()
    }

    /// The member of that name in this very scope.
    pub fn own_member(&self, scope: ScopeId, name: &str) -> Option<MemberEntry> {
        self.scopes[scope.0].members.get(name).copied()
    }

    /// Declares a type; an earlier one of the name stays.
    pub fn add_type(&mut self, scope: ScopeId, name: &str, entry: TypeEntry, export: Option<Span>) {
        let scope = &mut self.scopes[scope.0];
        if let Some(word) = export {
            scope.exports.entry(name.to_string()).or_insert((entry.span, word));
        }
        scope.types.entry(name.to_string()).or_insert(entry);
    }

    /// Declares a member; an earlier one of the name stays.
    pub fn add_member(&mut self, scope: ScopeId, name: &str, entry: MemberEntry) {
        self.scopes[scope.0].members.entry(name.to_string()).or_insert(entry);
    }

    /// Declares an entity as the type that its name is; an earlier one of the name stays.
    pub fn add_entity(&mut self, scope: ScopeId, name: &str, entry: EntityEntry) {
        self.scopes[scope.0].entities.entry(name.to_string()).or_insert(entry);
    }

    /// Makes known an entity that is declared further on; what is declared by then under its name comes first.
    pub fn foresee_entity(&mut self, scope: ScopeId, name: &str, entry: EntityEntry) {
        self.scopes[scope.0].foreseen.entry(name.to_string()).or_insert(entry);
    }

    /// The type a path means.
    pub fn lookup(&self, scope: ScopeId, path: &str) -> Option<&TypeEntry> {
        match self.find(scope, path) {
            Found::Type(entry) => Some(entry),
            Found::Entity(_) | Found::Unread | Found::Nothing => None,
        }
    }

    /// What a path leads to, by the steps of the language specification, 4.3. A reference to an entity is its id, so the
    /// name of one that is declared further on will do.
    pub fn find(&self, scope: ScopeId, path: &str) -> Found<'_> {
        match self.declared(scope, path) {
            Found::Nothing => {
                let foreseen = self.chain(scope).find_map(|scope| scope.foreseen.get(path));
                foreseen.map_or(Found::Nothing, Found::Entity)
            }
            found @ (Found::Type(_) | Found::Entity(_) | Found::Unread) => found,
        }
    }

    /// What a path leads to among what has been declared.
    fn declared(&self, scope: ScopeId, path: &str) -> Found<'_> {
        let segments: Vec<&str> = path.split('.').collect();
        let (mut scope, mut at) = (scope, 0);
        loop {
            let here = &self.scopes[scope.0];
            if here.unread {
                return Found::Unread;
            }
            if at + 1 < segments.len() {
                if let Some(inner) = here.members.get(segments[at]).and_then(|member| member.scope) {
                    (scope, at) = (inner, at + 1);
                    continue;
                }
            } else if let Some(entry) = here.types.get(segments[at]) {
                return Found::Type(entry);
            } else if let Some(entry) = here.entities.get(segments[at]) {
                return Found::Entity(entry);
            }
            match here.parent {
                Some(parent) => scope = parent,
                None => return Found::Nothing,
            }
        }
    }

    /// Where each segment of a path is declared, as far as it leads.
    pub fn places(&self, scope: ScopeId, path: &str) -> Vec<Option<Span>> {
        let segments: Vec<&str> = path.split('.').collect();
        let mut places = vec![None; segments.len()];
        let (mut scope, mut at) = (scope, 0);
        loop {
            let here = &self.scopes[scope.0];
            if at + 1 < segments.len() {
                if let Some((member, inner)) =
                    here.members.get(segments[at]).and_then(|member| Some((member.span, member.scope?)))
                {
                    places[at] = Some(member);
                    (scope, at) = (inner, at + 1);
                    continue;
                }
            } else if let Some(entry) = here.types.get(segments[at]) {
                places[at] = Some(entry.span);
                return places;
            } else if let Some(entry) = here.entities.get(segments[at]) {
                places[at] = Some(entry.span);
                return places;
            }
            match here.parent {
                Some(parent) => scope = parent,
                None => return places,
            }
        }
    }

    /// Every type that can be named from a scope, and how, the nearest first.
    pub fn visible_paths(&self, scope: ScopeId) -> Vec<Visible> {
        let mut found = Vec::new();
        for scope in self.chain(scope) {
            self.paths_in(scope, "", &mut found);
        }
        found
    }

    /// The types of a scope and of those inside it, each behind `prefix`.
    fn paths_in(&self, scope: &ScopeNames, prefix: &str, found: &mut Vec<Visible>) {
        for (name, entry) in &scope.types {
            let params = entry.params.as_ref().map(Vec::len);
            found.push(Visible { path: format!("{prefix}{name}"), span: entry.span, params });
        }
        for (name, entry) in &scope.entities {
            found.push(Visible { path: format!("{prefix}{name}?"), span: entry.span, params: None });
        }
        for (name, member) in &scope.members {
            if let Some(inner) = member.scope {
                self.paths_in(&self.scopes[inner.0], &format!("{prefix}{name}."), found);
            }
        }
    }

    /// Where a type of that name is declared further on.
    pub fn declared_ahead(&self, scope: ScopeId, name: &str) -> Option<Span> {
        self.chain(scope).find_map(|scope| scope.ahead.get(name)).copied()
    }

    /// Names of the types visible without a path, innermost scope first.
    pub fn visible_names(&self, scope: ScopeId) -> impl Iterator<Item = &str> {
        self.chain(scope)
            .flat_map(|scope| scope.types.keys().chain(scope.entities.keys()).map(String::as_str))
    }

    /// The path to a type of that very name in a scope inside one of those around here, when there is one alone.
    pub fn inside(&self, scope: ScopeId, name: &str) -> Option<String> {
        let mut found = self.chain(scope).flat_map(|scope| &scope.members).filter_map(|(path, member)| {
            let inner = &self.scopes[member.scope?.0];
            inner.types.contains_key(name).then(|| format!("{path}.{name}"))
        });
        found.next().filter(|_| found.next().is_none())
    }

    /// The scope a path leads into, and what its last segment would have to be one of.
    pub fn within(&self, scope: ScopeId, path: &str) -> Option<impl Iterator<Item = &str>> {
        let mut segments = path.split('.');
        let first = segments.next()?;
        let mut inner =
            self.chain(scope).find_map(|scope| scope.members.get(first)).and_then(|one| one.scope)?;
        for segment in segments {
            inner = self.scopes[inner.0].members.get(segment).and_then(|member| member.scope)?;
        }
        Some(self.scopes[inner.0].types.keys().map(String::as_str))
    }

    /// Names of the scopes and imports visible without a path, innermost scope first.
    pub fn visible_scopes(&self, scope: ScopeId) -> impl Iterator<Item = &str> {
        self.chain(scope)
            .flat_map(|scope| scope.members.iter().filter(|(_, member)| member.scope.is_some()))
            .map(|(name, _)| name.as_str())
    }
}
