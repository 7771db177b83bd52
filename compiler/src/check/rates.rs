//! Rate limits: `E3020` and `W3020`. Source: runtime specification, 8.

use super::Checked;
use crate::diagnostics::{Code, Diagnostic, Fix};
use crate::schema::Side;
use crate::schema::event::{Declared, DeclaredMember, FieldSpans};
use crate::source::Span;

pub(super) fn check(checked: &Checked, sink: &mut Vec<Diagnostic>) {
    for declared in checked.declared {
        let (what, name, span, from, known) = match &declared.member {
            DeclaredMember::Event(event) => {
                ("event", &event.name, event.span, event.from, declared.origin.field("From").is_some())
            }
            DeclaredMember::Function(function) => {
                let from = declared.origin.written("From");
                ("function", &function.name, function.span, function.from, from.is_none_or(|from| from.sound))
            }
            DeclaredMember::Entity(_) => continue,
        };
        let title = format!("{what} \"{name}\"");
        match from {
            _ if !known => {}
            Side::Server => sink.extend(idle(declared, &title, span)),
            Side::Client => sink.extend(missing(checked, declared, &title, span)),
        }
    }
}

/// Limits on what the server sends.
fn idle(declared: &Declared, title: &str, span: Span) -> Option<Diagnostic> {
    let written: Vec<_> =
        ["Rate", "Burst", "Concurrency"].iter().filter_map(|key| declared.origin.written(key)).collect();
    if written.is_empty() {
        return None;
    }
    let mut diagnostic = Diagnostic::warning(
        Code::AnalyzeMissingRateLimit,
        format!("{title} is sent by the server, which no rate limits"),
    )
    .primary(span, "sent by the server");
    for field in &written {
        diagnostic = diagnostic.secondary(field.all(), "does nothing here");
    }
    let diagnostic = diagnostic.opt_fix(without(&written));
    Some(diagnostic.note("Delete it: limits apply to what clients send."))
}

/// Deletes fields. Two in a row may each want the comma between them: then it is one deletion.
fn without(fields: &[FieldSpans]) -> Option<Fix> {
    let mut items: Vec<Span> = fields.iter().map(|field| field.item).collect();
    items.sort_by_key(|item| item.start);
    let mut edits: Vec<(Span, String)> = Vec::new();
    for item in items {
        match edits.last_mut() {
            Some((last, _)) if item.start < last.end => *last = last.to(item),
            Some(_) | None => edits.push((item, String::new())),
        }
    }
    Some(Fix { title: "Delete it".to_string(), edits })
}

/// Nothing that limits what a client sends, where something must.
fn missing(checked: &Checked, declared: &Declared, title: &str, span: Span) -> Option<Diagnostic> {
    let options = &checked.schema.options;
    if declared.origin.written("Rate").is_some() || options.default_rate.is_some() {
        return None;
    }
    if let Some(burst) = declared.origin.field("Burst") {
        return Some(
            Diagnostic::error(Code::AnalyzeMissingRateLimit, format!("{title} has a burst and no rate"))
                .primary(burst.all(), "would run dry for good")
                .note("Add a `Rate` beside it, or set `option DefaultRate`."),
        );
    }
    (options.require_rates && !declared.origin.broken).then(|| {
        Diagnostic::error(Code::AnalyzeMissingRateLimit, format!("{title} has no rate"))
            .primary(span, "a client could send this without limit")
            .opt_secondary(checked.option("RequireRates"), "asks for one")
            .note("Add a `Rate`, or set `option DefaultRate`.")
    })
}
