//! What may stand in a map, behind a `?`, or in a bare array: `E3001`, `E3002`, `E3021`. Source: language
//! specification, 10.13 to 10.16.
//!
//! Looks at every declared type and payload once, and at each copy of a generic where it is used. Templates are not
//! judged.

use std::collections::HashSet;
use std::sync::Arc;

use super::{Checked, is_broken};
use crate::diagnostics::{Code, Diagnostic, Fix};
use crate::schema::event::DeclaredMember;
use crate::schema::{Payload, Type, TypeKind};
use crate::source::Span;
use crate::wire::size::costs_nothing;

pub(super) fn check(checked: &Checked, sink: &mut Vec<Diagnostic>) {
    let mut walk = Walk { checked, sink, compiled: true, argument: None, owner: None, seen: HashSet::new() };
    for decl in checked.schema.types.iter().filter(|decl| decl.generics.is_empty()) {
        walk.owner = Some(decl.span);
        walk.ty(&decl.ty);
    }
    walk.owner = None;
    for declared in checked.declared {
        walk.compiled = declared.compiled;
        match &declared.member {
            DeclaredMember::Event(event) => walk.payload(&event.data),
            DeclaredMember::Function(function) => {
                walk.payload(&function.data);
                walk.payload(&function.return_);
            }
            DeclaredMember::Entity(entity) => {
                walk.ty(&entity.data);
                entity.input.iter().for_each(|input| walk.ty(input));
            }
        }
    }
    for declared in checked.states {
        walk.compiled = declared.compiled;
        declared.state.types().into_iter().for_each(|ty| walk.ty(ty));
    }
    for declared in checked.tables {
        walk.compiled = declared.compiled;
        declared.table.fields.iter().for_each(|field| walk.ty(&field.ty));
    }
    walk.compiled = false;
    for ty in checked.excluded_types {
        walk.ty(ty);
    }
}

struct Walk<'a> {
    checked: &'a Checked<'a>,
    sink: &'a mut Vec<Diagnostic>,
    /// Whether the build compiles it. What it leaves out is judged less.
    compiled: bool,
    /// The first argument of the generic whose copy this is.
    argument: Option<Span>,
    /// The declaration this is in.
    owner: Option<Span>,
    /// Copies of generics looked at, by what they mean. A copy holds its arguments twice, so that copies within copies
    /// would be looked at twice as often with every level.
    seen: HashSet<(*const Type, bool)>,
}

impl Walk<'_> {
    fn payload(&mut self, payload: &Payload) {
        payload.parameters().into_iter().for_each(|(_, ty)| self.ty(ty));
    }

    fn ty(&mut self, ty: &Type) {
        match &ty.kind {
            TypeKind::Optional { inner, .. } => {
                if matches!(inner.meaning().kind, TypeKind::Unknown) {
                    self.sink.push(optional_unknown(ty.span).opt_fix(self.without_mark(ty)));
                }
                self.ty(inner);
            }
            TypeKind::Array { element, length } => {
                if !length.written && self.compiled && !is_broken(element) && costs_nothing(element) {
                    let brackets =
                        Span { start: ty.span.end.saturating_sub(2).max(ty.span.start), ..ty.span };
                    let declared = self.declaration(element);
                    self.sink.push(free_element(brackets, declared));
                }
                self.ty(element);
            }
            TypeKind::Map { key, value } => self.map(ty.span, key, value),
            TypeKind::Named { args, ty, .. } => {
                let Some(first) = args.first() else { return };
                if !self.seen.insert((Arc::as_ptr(ty), self.compiled)) {
                    return;
                }
                args.iter().for_each(|argument| self.ty(argument));
                let outer = self.argument.replace(first.span);
                self.ty(ty);
                self.argument = outer;
            }
            _ => ty.parts().into_iter().for_each(|part| self.ty(part)),
        }
    }

    fn map(&mut self, span: Span, key: &Type, value: &Type) {
        for (part, what) in [(key, "key"), (value, "value")] {
            if matches!(part.meaning().kind, TypeKind::Entity { .. }) {
                self.sink.push(entity_entry(part.span, what));
            } else if matches!(part.meaning().kind, TypeKind::Optional { .. }) {
                let owner = self.owner.or(self.argument);
                self.sink.push(optional_entry(part.span, what, owner).opt_fix(self.without_mark(part)));
            }
        }
        let table = matches!(
            key.meaning().kind,
            TypeKind::Struct(_)
                | TypeKind::TaggedEnum { .. }
                | TypeKind::Map { .. }
                | TypeKind::Set(_)
                | TypeKind::Array { .. }
        );
        if table && self.compiled {
            let found = self.declaration(key).or(self.argument);
            self.sink.push(table_key(key.span, found));
        }
        let free = self.compiled
            && !is_broken(key)
            && !is_broken(value)
            && costs_nothing(key)
            && costs_nothing(value);
        if free {
            let declared = self.declaration(value);
            self.sink.push(free_element(span, declared));
        }
        self.ty(key);
        self.ty(value);
    }

    /// Takes the `?` off a type that is written with one here: not by the name it has, nor in a template.
    fn without_mark(&self, ty: &Type) -> Option<Fix> {
        let mark = Span { start: ty.span.end.saturating_sub(1), ..ty.span };
        let written = matches!(ty.kind, TypeKind::Optional { .. }) && self.argument.is_none();
        written.then(|| Fix::delete(mark))
    }

    /// Where a named type is declared.
    fn declaration(&self, ty: &Type) -> Option<Span> {
        match &ty.kind {
            TypeKind::Named { decl, .. } => {
                self.checked.schema.types.get(decl.0 as usize).map(|decl| decl.span)
            }
            _ => None,
        }
    }
}

fn optional_unknown(span: Span) -> Diagnostic {
    Diagnostic::error(Code::AnalyzeInvalidOptional, "unknown cannot be optional")
        .primary(span, "nil already travels in it")
        .note("Delete the `?`.")
}

fn optional_entry(span: Span, what: &str, owner: Option<Span>) -> Diagnostic {
    Diagnostic::error(Code::AnalyzeInvalidOptional, format!("the {what} of a map cannot be optional"))
        .primary(span, "an entry has no way to be absent")
        .opt_secondary(owner.filter(|owner| *owner != span), "in this type")
        .note("Delete the `?`; leave the entry out instead.")
}

fn entity_entry(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error(Code::AnalyzeInvalidOptional, format!("the {what} of a map cannot be an entity"))
        .primary(span, "arrives as nil where it is not known")
        .note("Use its `Id`, or as the value a struct that holds it.")
}

fn table_key(span: Span, found: Option<Span>) -> Diagnostic {
    Diagnostic::error(Code::AnalyzeWrongKind, "the key of a map must survive a lookup")
        .primary(span, "every received key is a table of its own")
        .opt_secondary(found.filter(|found| *found != span), "a table")
        .note("Use a string, a number or an enum as the key.")
}

fn free_element(span: Span, declared: Option<Span>) -> Diagnostic {
    Diagnostic::error(Code::AnalyzeFreeElement, "elements that cost nothing are repeated without a bound")
        .primary(span, "a count alone could keep the reader busy")
        .opt_secondary(declared, "costs nothing on the wire")
        .note("Write a bound, as in `[..16]`.")
}
