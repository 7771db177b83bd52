//! The outline of a file.

use crate::Analysis;
use crate::source::{FileId, Span};
use crate::syntax::ast::{Declaration, DeclarationKind, StructMember, Type, TypeKind, Value};

/// What a symbol is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// A scope.
    Scope,
    /// A file under a name.
    Import,
    /// An event.
    Event,
    /// A function.
    Function,
    /// A state.
    State,
    /// A table.
    Table,
    /// An entity.
    Entity,
    /// A struct.
    Struct,
    /// An enum.
    Enum,
    /// A map.
    Map,
    /// A set.
    Set,
    /// Any other type.
    Type,
    /// A field of a struct, a value of an enum or a flag of a set.
    Member,
}

/// A declaration or a member of one.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: SymbolKind,
    /// All of it.
    pub span: Span,
    /// Its name where it is declared.
    pub name_span: Span,
    /// What it holds.
    pub children: Vec<Symbol>,
}

/// The declarations of a file.
pub fn symbols(analysis: &Analysis, file: FileId) -> Vec<Symbol> {
    analysis.index.document(file).map(|document| of(&document.declarations)).unwrap_or_default()
}

fn of(declarations: &[Declaration]) -> Vec<Symbol> {
    declarations.iter().filter_map(symbol).collect()
}

fn symbol(declaration: &Declaration) -> Option<Symbol> {
    use crate::syntax::ast::TypeKeyword;
    let (name, kind, children) = match &declaration.kind {
        DeclarationKind::Scope(scope) => (&scope.name, SymbolKind::Scope, of(&scope.declarations)),
        DeclarationKind::Event(member) => (&member.name, SymbolKind::Event, Vec::new()),
        DeclarationKind::Function(member) => (&member.name, SymbolKind::Function, Vec::new()),
        DeclarationKind::State(member) => (&member.name, SymbolKind::State, entries(member)),
        DeclarationKind::Table(member) => (&member.name, SymbolKind::Table, entries(member)),
        DeclarationKind::Entity(member) => (&member.name, SymbolKind::Entity, Vec::new()),
        DeclarationKind::Import(import) => {
            (import.alias.as_ref().unwrap_or(&import.path), SymbolKind::Import, Vec::new())
        }
        DeclarationKind::Type(declared) => {
            let kind = match declared.keyword {
                TypeKeyword::Struct => SymbolKind::Struct,
                TypeKeyword::Enum => SymbolKind::Enum,
                TypeKeyword::Map => SymbolKind::Map,
                TypeKeyword::Set => SymbolKind::Set,
                TypeKeyword::Type => SymbolKind::Type,
            };
            (&declared.name, kind, members(&declared.ty))
        }
        DeclarationKind::Nothing => return None,
    };
    // A scope whose name was left out is in the tree without one.
    let name_text = if name.text.is_empty() { "(without a name)".to_string() } else { name.text.clone() };
    Some(Symbol { name: name_text, kind, span: declaration.span, name_span: name.span, children })
}

/// Fields of the structs a block holds: a table's columns, a state's data.
fn entries(member: &crate::syntax::ast::Member) -> Vec<Symbol> {
    let held = member.block.entries.iter().filter_map(|entry| match &entry.value {
        Value::Type(ty) => Some(members(ty)),
        Value::Scalar(_)
        | Value::Block(_)
        | Value::Pack(_)
        | Value::Ranged(..)
        | Value::Sync(_)
        | Value::Other(_)
        | Value::Error => None,
    });
    held.flatten().collect()
}

fn members(ty: &Type) -> Vec<Symbol> {
    let member = |name: &crate::syntax::ast::Name, span: Span, children: Vec<Symbol>| Symbol {
        name: name.text.clone(),
        kind: SymbolKind::Member,
        span,
        name_span: name.span,
        children,
    };
    let fields = |fields: &[StructMember]| -> Vec<Symbol> {
        let fields = fields.iter().filter_map(|field| match field {
            StructMember::Field(name, ty) => Some(member(name, name.span.to(ty.span), members(ty))),
            StructMember::Merge(..) => None,
        });
        fields.collect()
    };
    match &ty.kind {
        TypeKind::Struct(inner) => fields(inner),
        TypeKind::UnitEnum(labels) | TypeKind::Set(labels) => {
            labels.names.iter().map(|name| member(name, name.span, Vec::new())).collect()
        }
        TypeKind::TaggedEnum(tagged) => tagged
            .variants
            .iter()
            .map(|variant| {
                let children = fields(&variant.members);
                let end = children.last().map_or(variant.name.span, |last| last.span);
                member(&variant.name, variant.name.span.to(end), children)
            })
            .collect(),
        TypeKind::Optional(inner, _)
        | TypeKind::Array(inner, _)
        | TypeKind::Ranged(inner, _)
        | TypeKind::Broken(inner) => members(inner),
        TypeKind::Map(_, value) => members(value),
        TypeKind::Primitive(_) | TypeKind::Reference(_) | TypeKind::Error => Vec::new(),
    }
}
