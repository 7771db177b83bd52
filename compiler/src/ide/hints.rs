//! Bytes beside what costs them, and what stands above a declaration. Source: tooling specification, 7.4.

use crate::Analysis;
use crate::diagnostics::counted;
use crate::schema::{Item, Scope};
use crate::sizes::{ItemSizes, Sizes};
use crate::source::{FileId, Span};
use crate::wire::size::Size;

/// Text beside a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The place: text stands behind its end.
    pub span: Span,
    /// The text.
    pub text: String,
}

/// Bytes behind the name of every event, function, state and table of a file.
pub fn hints(analysis: &Analysis, file: FileId) -> Vec<Hint> {
    lines(analysis, file, |item| {
        let parts: Vec<String> = item.parts.iter().map(|part| total(&part.size, part.header)).collect();
        parts.join(", ")
    })
}

/// Index and bytes of every event and function of a file, to stand above it.
pub fn lenses(analysis: &Analysis, file: FileId) -> Vec<Hint> {
    lines(analysis, file, |item| {
        let parts: Vec<String> = item
            .parts
            .iter()
            .map(|part| format!("{} {}", part.name, total(&part.size, part.header)))
            .collect();
        let index = item.index.map(|index| format!("index {index} \u{b7} ")).unwrap_or_default();
        format!("{index}{}", parts.join(" \u{b7} "))
    })
}

fn lines(analysis: &Analysis, file: FileId, text: impl Fn(&ItemSizes) -> String) -> Vec<Hint> {
    let (Some(schema), Some(sizes)) = (&analysis.schema, Sizes::of(analysis)) else { return Vec::new() };
    let mut places = Vec::new();
    collect(&schema.root, &mut places);
    let mut hints: Vec<Hint> = places
        .into_iter()
        .filter(|(_, span)| span.file == file)
        .filter_map(|(name, span)| {
            let item = sizes.items.iter().find(|item| item.name == name && item.index.is_some())?;
            Some(Hint { span, text: text(item) })
        })
        .collect();
    hints.sort_by_key(|hint| hint.span.start);
    hints.dedup_by_key(|hint| hint.span);
    hints
}

fn collect(scope: &Scope, places: &mut Vec<(String, Span)>) {
    for item in &scope.items {
        match item {
            Item::Event(event) => places.push((event.path.join("."), event.span)),
            Item::Function(function) => places.push((function.path.join("."), function.span)),
            Item::State(state) => places.push((state.path.join("."), state.span)),
            Item::Table(table) => places.push((table.path.join("."), table.span)),
            Item::Entity(entity) => places.push((entity.path.join("."), entity.span)),
            Item::Scope(inner) => collect(inner, places),
            Item::Type(_) => {}
        }
    }
}

/// A size with its header: `3 to 7 bytes`.
fn total(size: &Size, header: u32) -> String {
    let size = size.sealed();
    let (min, max) = (size.min + u64::from(header), size.max + u64::from(header));
    match (min == max, size.unbounded.is_some()) {
        (true, _) => counted(min, "byte"),
        (false, true) => format!("{} or more", counted(min, "byte")),
        (false, false) => format!("{min} to {max} bytes"),
    }
}
