//! States: `E3042`. Source: replication design, state; seed coverage, G35 and G37.

use super::{Checked, find_entity, is_broken};
use crate::diagnostics::{Code, Diagnostic};
use crate::schema::TypeKind;
use crate::schema::state::DeclaredState;

/// Most bytes of a key: its length is one byte.
const MAX_KEY: u32 = 255;

pub(super) fn check(checked: &Checked, sink: &mut Vec<Diagnostic>) {
    for declared in checked.states {
        key(declared, sink);
        data(declared, sink);
    }
}

/// A string whose length fits one byte.
fn key(declared: &DeclaredState, sink: &mut Vec<Diagnostic>) {
    let name = &declared.state.name;
    let Some(written) = declared.key.filter(|written| written.key != written.value) else { return };
    let (label, note) = match declared.state.key.as_ref().map(|key| &key.meaning().kind) {
        Some(TypeKind::Error) => return,
        Some(TypeKind::String(length)) if length.max <= MAX_KEY => return,
        Some(TypeKind::String(_)) => (
            "may be longer than 255 bytes",
            "Bound it, as in `Key: string(1..32)`: its length travels in one byte.",
        ),
        Some(_) | None => (
            "no string",
            "Write `Key: string(1..32)`, or delete `Key`: without one the state is a single object.",
        ),
    };
    sink.push(
        Diagnostic::error(
            Code::AnalyzeInvalidState,
            format!("the Key of state \"{name}\" is not a string of at most {MAX_KEY} bytes"),
        )
        .primary(written.value, label)
        .note(note),
    );
}

/// A struct.
fn data(declared: &DeclaredState, sink: &mut Vec<Diagnostic>) {
    let state = &declared.state;
    let Some(written) = declared.data.filter(|written| written.key != written.value) else { return };
    let pack = matches!(state.data.kind, TypeKind::Error) && state.data.span == state.span;
    let is_struct = matches!(state.data.meaning().kind, TypeKind::Struct(_));
    if let (true, Some(entity)) = (is_struct, find_entity(&state.data)) {
        sink.push(
            Diagnostic::error(
                Code::AnalyzeInvalidState,
                format!("the Data of state \"{}\" names an entity", state.name),
            )
            .primary(entity, "cannot be copied")
            .note("Keep its `Id`: a state copies and compares what it holds."),
        );
        return;
    }
    if is_struct || (!pack && is_broken(&state.data)) {
        return;
    }
    sink.push(
        Diagnostic::error(
            Code::AnalyzeInvalidState,
            format!("the Data of state \"{}\" is no struct", state.name),
        )
        .primary(written.value, "has no fields that could change one by one")
        .note("Write a struct: what changes of a state are its fields."),
    );
}
