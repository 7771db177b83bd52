//! `Channel` where it does nothing: `W3043`. Source: answer on channels of the replication design.

use super::Checked;
use crate::diagnostics::{Code, Diagnostic};
use crate::schema::Delivery;
use crate::schema::event::DeclaredMember;

pub(super) fn check(checked: &Checked, sink: &mut Vec<Diagnostic>) {
    for declared in checked.declared {
        let DeclaredMember::Event(event) = &declared.member else { continue };
        let (Some(field), Some(ty)) = (declared.origin.field("Channel"), declared.origin.field("Type"))
        else {
            continue;
        };
        let why = match event.delivery {
            Delivery::Unreliable => "keeps no order that a channel could hold",
            Delivery::ReliableUnordered => "keeps no order, and waits for nothing on any channel",
            Delivery::Reliable | Delivery::OrderedUnreliable => continue,
        };
        let headline = format!("the channel of event \"{}\" has no effect", event.name);
        sink.push(
            Diagnostic::warning(Code::AnalyzeIdleSetting, headline)
                .primary(declared.via.unwrap_or(field.all()), "does nothing")
                .secondary(ty.value, why)
                .note("Delete it.")
                .fix_delete(field.item),
        );
    }
}
