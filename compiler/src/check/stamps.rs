//! Stamps: `E3034`. Source: runtime specification, 11.1.

use super::Checked;
use super::streams::{polled, unpolled};
use crate::diagnostics::{Code, Diagnostic, Fix};
use crate::schema::event::DeclaredMember;
use crate::schema::{Payload, Side};
use crate::source::Span;
use crate::wire::signature::number_text;

/// Widths a window may have, in milliseconds.
const WINDOW_MS: std::ops::RangeInclusive<f64> = 1.0..=30_000.0;
/// The parameter the stamp arrives in.
const STAMP_NAME: &str = "SentAt";

pub(super) fn check(checked: &Checked, sink: &mut Vec<Diagnostic>) {
    for declared in checked.declared {
        let DeclaredMember::Event(event) = &declared.member else { continue };
        let (Some(window), Some(field)) = (event.stamp, declared.origin.field("Stamp")) else { continue };
        let name = &event.name;
        if !WINDOW_MS.contains(&window) {
            sink.push(
                Diagnostic::error(Code::AnalyzeInvalidStamp, "Stamp is outside 1 to 30000")
                    .primary(field.value, "milliseconds a stamp cannot express")
                    .note("Give the widest rewind in milliseconds, from 1 to 30000.")
                    .fix_write(field.value, number_text(window.clamp(*WINDOW_MS.start(), *WINDOW_MS.end()))),
            );
        }
        if let Some(from) = declared.origin.field("From").filter(|_| event.from == Side::Server) {
            let headline = format!("stamped event \"{name}\" is sent by the server");
            sink.push(refused(
                from.value,
                field.key,
                headline,
                "Write `From: Client`, or leave `Stamp` out.",
                Some(Fix::delete(field.item)),
            ));
        }
        if let Some(polled) = polled(event, declared) {
            let headline = format!("stamped event \"{name}\" is polled");
            let note = "Write another `Call`: the listener turns the stamp back into seconds.";
            sink.push(refused(polled, field.key, headline, note, unpolled(declared)));
        }
        if let Payload::Pack(elements) = &event.data {
            for element in elements.iter().filter(|element| element.name.as_deref() == Some(STAMP_NAME)) {
                let headline = format!("stamped event \"{name}\" has an element named \"{STAMP_NAME}\"");
                sink.push(refused(
                    element.span,
                    field.key,
                    headline,
                    "Rename it: the stamp arrives under that name.",
                    None,
                ));
            }
        }
    }
}

fn refused(at: Span, stamp: Span, headline: String, note: &str, fix: Option<Fix>) -> Diagnostic {
    Diagnostic::error(Code::AnalyzeInvalidStamp, headline)
        .primary(at, "not for a stamped event")
        .secondary(stamp, "stamps it")
        .note(note)
        .opt_fix(fix)
}
