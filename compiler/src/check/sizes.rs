//! The unreliable limit: `E3018` and `W3019`. Source: language specification, 12.4.

use super::{Checked, is_broken};
use crate::diagnostics::{Code, Diagnostic, counted};
use crate::schema::event::{Declared, DeclaredMember};
use crate::schema::{Channel, Event, Payload, Type, TypeKind};
use crate::source::Span;
use crate::wire::plan::Layout;
use crate::wire::size::{EventSize, Fit, SLOT_BYTES, measure, measure_event};

pub(super) fn check(checked: &Checked, sink: &mut Vec<Diagnostic>) {
    for declared in checked.declared.iter().filter(|declared| declared.compiled) {
        let DeclaredMember::Event(event) = &declared.member else { continue };
        if event.channel() == Channel::Reliable || !measurable(event, declared) {
            continue;
        }
        let limit = checked.schema.options.max_unreliable_size;
        let size = measure_event(event, &checked.schema.options);
        match size.fit {
            Fit::Fits => {}
            Fit::CannotFit => sink.push(cannot_fit(event, &size, limit)),
            Fit::MayNotFit => sink.push(may_not_fit(event, &size, limit)),
        }
    }
}

/// Whether nothing is wrong with the payload that would make its size meaningless.
fn measurable(event: &Event, declared: &Declared) -> bool {
    let data = declared.origin.written("Data");
    let lost = matches!(event.data, Payload::Nothing) && data.is_some_and(|data| data.key == data.value);
    let stateless = event.stream.is_some()
        && match &event.data {
            Payload::Single(ty) => matches!(
                ty.meaning().kind,
                TypeKind::Optional { .. } | TypeKind::Unknown | TypeKind::Entity { .. }
            ),
            Payload::Nothing | Payload::Pack(_) => true,
        };
    !lost && !stateless && !types(event).any(is_broken)
}

/// What the payload is made of: elements of the pack, or the one type.
fn types(event: &Event) -> impl Iterator<Item = &Type> {
    event.data.parameters().into_iter().map(|(_, ty)| ty)
}

fn cannot_fit(event: &Event, size: &EventSize, limit: u32) -> Diagnostic {
    let headline = format!(
        "{} \"{}\" needs at least {}, over the limit of {limit}",
        kind(event),
        event.name,
        counted(size.least, "byte")
    );
    let largest = largest(event, |ty| {
        let size = measure(ty, Layout::Traffic).sealed();
        size.min.saturating_add(size.least_slots.saturating_mul(SLOT_BYTES))
    });
    let note = if event.stream.is_some() {
        "Stream less at once: split the state over several streams, or bound it."
    } else if event.delivery.is_reliable() {
        "It is not split: send less at once, or declare it `Reliable` on the channel Default."
    } else {
        "Send less at once, or declare `Type: Reliable`."
    };
    Diagnostic::error(Code::AnalyzeOversizedEvent, headline)
        .primary(
            event.span,
            format!(
                "{} of {} at the least, {} of them header",
                size.least,
                counted(limit, "byte"),
                size.header
            ),
        )
        .opt_secondary(
            largest.map(|(span, _)| span),
            largest.map_or(String::new(), |(_, bytes)| at_least(bytes)),
        )
        .note(note)
}

fn may_not_fit(event: &Event, size: &EventSize, limit: u32) -> Diagnostic {
    let mut open: Vec<Span> = Vec::new();
    types(event).for_each(|ty| unbounded(ty, &mut open));
    let (reach, label) = if size.payload.unbounded.is_some() {
        ("has no greatest size".to_string(), format!("unbounded; the limit is {}", counted(limit, "byte")))
    } else {
        (
            format!("can reach {}", counted(size.most, "byte")),
            format!("{} of {} at the most", size.most, counted(limit, "byte")),
        )
    };
    let headline = format!("{} \"{}\" {reach}, over the limit of {limit}", kind(event), event.name);
    let mut diagnostic =
        Diagnostic::warning(Code::AnalyzeUnboundedEvent, headline).primary(event.span, label);
    for span in &open {
        diagnostic = diagnostic.secondary(*span, "has no upper bound");
    }
    if open.is_empty() {
        let largest = largest(event, |ty| {
            let size = measure(ty, Layout::Traffic).sealed();
            size.max.saturating_add(size.slots.saturating_mul(SLOT_BYTES))
        });
        if let Some((span, bytes)) = largest {
            diagnostic = diagnostic.secondary(span, format!("at most {}", counted(bytes, "byte")));
        }
    }
    if event.delivery.is_reliable() {
        return diagnostic
            .note("A send over the limit is an error: it is not split. Bound what is underlined.");
    }
    let reliable = if event.stream.is_some() { "" } else { ", or declare `Type: Reliable`" };
    diagnostic.note(format!("A send over the limit is dropped. Bound what is underlined{reliable}."))
}

/// What the limit calls the event.
fn kind(event: &Event) -> &'static str {
    if event.delivery.is_reliable() { "event" } else { "unreliable event" }
}

fn at_least(bytes: u64) -> String {
    format!("at least {}", counted(bytes, "byte"))
}

/// The largest part of the payload: an element, a field of a struct that is the whole payload, or the one type.
fn largest(event: &Event, bytes: impl Fn(&Type) -> u64) -> Option<(Span, u64)> {
    let parts: Vec<&Type> = match &event.data {
        Payload::Single(ty) => match &ty.kind {
            TypeKind::Struct(fields) => fields.iter().map(|field| &field.ty).collect(),
            _ => vec![ty],
        },
        Payload::Nothing | Payload::Pack(_) => types(event).collect(),
    };
    let mut best: Option<(Span, u64)> = None;
    for part in parts {
        let bytes = bytes(part);
        if best.is_none_or(|(_, most)| bytes > most) {
            best = Some((part.span, bytes));
        }
    }
    best
}

/// Parts whose greatest size the author did not write, in walk order, each place once.
fn unbounded(ty: &Type, open: &mut Vec<Span>) {
    let mut add = |span: Span| {
        if !open.contains(&span) {
            open.push(span);
        }
    };
    match &ty.kind {
        TypeKind::String(length) | TypeKind::Buffer(length) if !length.written => add(ty.span),
        TypeKind::Map { .. } => add(ty.span),
        TypeKind::Array { length, .. } if !length.written => add(ty.span),
        _ => ty.parts().into_iter().for_each(|part| unbounded(part, open)),
    }
}
