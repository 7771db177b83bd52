//! `Priority: Low`: `E3035` and `W3035`. Source: runtime specification, 5.8.

use super::Checked;
use crate::diagnostics::{Code, Diagnostic};
use crate::schema::event::DeclaredMember;
use crate::schema::{Priority, Side};

pub(super) fn check(checked: &Checked, sink: &mut Vec<Diagnostic>) {
    for declared in checked.declared {
        let DeclaredMember::Event(event) = &declared.member else { continue };
        let Some(field) = declared.origin.field("Priority").filter(|_| event.priority == Priority::Low)
        else {
            continue;
        };
        let reliable = declared.origin.field("Type").filter(|_| event.delivery.is_reliable());
        let client = declared.origin.field("From").filter(|_| event.from == Side::Client);
        if let Some(ruling) = reliable.or(client) {
            let what = if reliable.is_some() { "is reliable" } else { "is sent by clients" };
            let headline = format!("event \"{}\" {what} and cannot have a low priority", event.name);
            sink.push(
                Diagnostic::error(Code::AnalyzePriority, headline)
                    .primary(field.all(), "cannot be left out of a packet")
                    .secondary(ruling.value, "rules it out")
                    .note("Delete it: only what the server sends unreliably can be withheld.")
                    .fix_delete(field.item),
            );
        } else if declared.compiled && checked.schema.options.outbound_bytes_per_second.is_none() {
            let headline = format!("event \"{}\" has a low priority, and there is no budget", event.name);
            sink.push(
                Diagnostic::warning(Code::AnalyzePriority, headline)
                    .primary(declared.via.unwrap_or(field.all()), "does nothing")
                    .note("Set `option OutboundBytesPerSecond`, or delete it.")
                    .fix_delete(field.item),
            );
        }
    }
}
