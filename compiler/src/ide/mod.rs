//! What an editor asks of a schema: completion, hover, definitions, renames, symbols. Knows no protocol.
//!
//! Every function takes an [`Analysis`](crate::Analysis) and a place in one of its files, and gives spans and text
//! back. The analysis may be of a broken schema: what could be read of it is answered for.

pub mod completion;
mod context;
pub mod folding;
pub mod hints;
pub mod hover;
pub mod names;
pub mod signature;
pub mod symbols;
pub mod tokens;
pub mod words;

use crate::schema::{entity, event, state, table};
use crate::source::Span;
use crate::syntax::ast::{Declaration, DeclarationKind, Document};

/// Whether a byte offset lies in a span, its end included, so that a cursor right behind a name is on it.
fn touches(span: Span, offset: u32) -> bool {
    span.start <= offset && offset <= span.end
}

/// Calls `see` with each declaration of a document, those of a scope behind the scope itself.
fn each_declaration<'a>(declarations: &'a [Declaration], see: &mut impl FnMut(&'a Declaration)) {
    for declaration in declarations {
        see(declaration);
        if let DeclarationKind::Scope(scope) = &declaration.kind {
            each_declaration(&scope.declarations, see);
        }
    }
}

/// The name of the innermost scope around an offset; `None` at the top level.
fn scope_at(document: &Document, offset: u32) -> Option<Span> {
    let mut found = None;
    each_declaration(&document.declarations, &mut |declaration| {
        if let DeclarationKind::Scope(scope) = &declaration.kind
            && scope.name.span.end < offset
            && offset <= declaration.span.end
        {
            found = Some(scope.name.span);
        }
    });
    found
}

/// The keys of every kind of block.
pub fn keys() -> impl Iterator<Item = &'static str> {
    let all = [
        event::EVENT_KEYS,
        event::FUNCTION_KEYS,
        event::STREAM_KEYS,
        entity::ENTITY_KEYS,
        state::STATE_KEYS,
        table::TABLE_KEYS,
    ];
    all.into_iter().flatten().copied()
}

/// A key of a block in its own spelling: `from` is `From`. What is no key stays as it is.
fn own_spelling(key: &str) -> &str {
    keys().find(|own| *own == key || own.to_lowercase() == key).unwrap_or(key)
}

/// The name a declaration declares.
fn declared_name(declaration: &Declaration) -> Option<&crate::syntax::ast::Name> {
    match &declaration.kind {
        DeclarationKind::Scope(scope) => Some(&scope.name),
        DeclarationKind::Event(member)
        | DeclarationKind::Function(member)
        | DeclarationKind::State(member)
        | DeclarationKind::Table(member)
        | DeclarationKind::Entity(member) => Some(&member.name),
        DeclarationKind::Type(declared) => Some(&declared.name),
        DeclarationKind::Import(import) => import.alias.as_ref(),
        DeclarationKind::Nothing => None,
    }
}
