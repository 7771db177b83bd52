//! Streams: `E3033` and `W3043`. Source: runtime specification, 10.1.

use super::{Checked, find_entity};
use crate::diagnostics::{Code, Diagnostic, Fix};
use crate::schema::event::{Declared, DeclaredMember};
use crate::schema::{Delivery, Event, Payload, Side, Stream, Type, TypeKind};
use crate::source::Span;
use crate::wire::signature::number_text;

pub(super) fn check(checked: &Checked, sink: &mut Vec<Diagnostic>) {
    for declared in checked.declared {
        let DeclaredMember::Event(event) = &declared.member else { continue };
        let (Some(stream), Some(field)) = (&event.stream, declared.origin.field("Stream")) else { continue };
        event_fields(event, declared, field.key, sink);
        data(event, declared, field.key, sink);
        settings(stream, declared, sink);
    }
}

/// Side, type and call.
fn event_fields(event: &Event, declared: &Declared, stream: Span, sink: &mut Vec<Diagnostic>) {
    let name = &event.name;
    let mut refuse = |value: Span, headline: String, note: &str, fix: Option<Fix>| {
        sink.push(
            Diagnostic::error(Code::AnalyzeInvalidStream, headline)
                .primary(value, "not for a stream")
                .secondary(stream, "makes it a stream")
                .note(note)
                .opt_fix(fix),
        );
    };
    if let Some(from) = declared.origin.field("From").filter(|_| event.from == Side::Client) {
        let headline = format!("stream \"{name}\" is sent by clients");
        refuse(from.value, headline, "Write `From: Server`.", Some(Fix::write(from.value, "Server")));
    }
    if let Some(ty) = declared.origin.field("Type").filter(|_| event.delivery != Delivery::OrderedUnreliable)
    {
        let headline = format!("stream \"{name}\" is not OrderedUnreliable");
        let note = "Write `Type: OrderedUnreliable`: a lost state is replaced by the next.";
        refuse(ty.value, headline, note, Some(Fix::write(ty.value, "OrderedUnreliable")));
    }
    if let Some(channel) = declared.origin.field("Channel") {
        let headline = format!("stream \"{name}\" names a channel");
        let note = "Delete it: a stream is ordered by its own stamps.";
        refuse(channel.all(), headline, note, Some(Fix::delete(channel.item)));
    }
    if let Some(polled) = polled(event, declared) {
        let headline = format!("stream \"{name}\" is polled");
        let note = "Write another `Call`: the listener turns the stamp back into seconds.";
        refuse(polled, headline, note, unpolled(declared));
    }
}

/// The value that makes an event polled.
pub(super) fn polled(event: &Event, declared: &Declared) -> Option<Span> {
    if event.call != crate::schema::Call::Polling {
        return None;
    }
    // `Poll: true` overrides whatever `Call` says; where there is no `Poll`, `Call` says it.
    declared.origin.field("Poll").or_else(|| declared.origin.field("Call")).map(|field| field.value)
}

/// What makes an event be heard through `On`.
pub(super) fn unpolled(declared: &Declared) -> Option<Fix> {
    match (declared.origin.field("Poll"), declared.origin.field("Call")) {
        (Some(poll), _) => Some(Fix::delete(poll.item)),
        (None, Some(call)) => Some(Fix::write(call.value, "SingleSync")),
        (None, None) => None,
    }
}

/// One value that may be absent, and is not declared so.
fn data(event: &Event, declared: &Declared, stream: Span, sink: &mut Vec<Diagnostic>) {
    let name = &event.name;
    let written = declared.origin.written("Data");
    let (at, headline, note) = match &event.data {
        Payload::Nothing if written.is_none() && declared.origin.broken => return,
        Payload::Nothing => match written {
            None => (
                event.span,
                format!("stream \"{name}\" has no Data"),
                "Add the state it streams: `Data: f32`.",
            ),
            Some(data) if data.key == data.value => return,
            Some(data) => {
                (data.value, format!("the Data of stream \"{name}\" is a type pack"), "Use one type.")
            }
        },
        Payload::Pack(_) => (
            written.map_or(event.span, |data| data.value),
            format!("the Data of stream \"{name}\" is a type pack"),
            "Use one type: a struct for several values.",
        ),
        Payload::Single(ty) => match &ty.meaning().kind {
            TypeKind::Optional { .. } => (
                ty.span,
                format!("the Data of stream \"{name}\" is optional"),
                "Delete the `?`: nil is how a cleared stream arrives.",
            ),
            TypeKind::Unknown => (
                ty.span,
                format!("the Data of stream \"{name}\" cannot be optional"),
                "Use a type that may be nil: that is how a cleared stream arrives.",
            ),
            _ => match find_entity(ty) {
                Some(entity) => (
                    entity,
                    format!("the Data of stream \"{name}\" names an entity"),
                    "Send its `Id`: a stream copies and compares what it carries, and an entity cannot be copied.",
                ),
                None => return,
            },
        },
    };
    // The `?` of a type that is written with one here, not by the name it has.
    let mark = match &event.data {
        Payload::Single(Type { kind: TypeKind::Optional { .. }, span }) => {
            Some(Span { start: span.end.saturating_sub(1), ..*span })
        }
        Payload::Single(_) | Payload::Pack(_) | Payload::Nothing => None,
    };
    sink.push(
        Diagnostic::error(Code::AnalyzeInvalidStream, headline)
            .primary(at, "a stream carries one value")
            .secondary(stream, "makes it a stream")
            .note(note)
            .opt_fix(mark.map(Fix::delete)),
    );
}

fn settings(stream: &Stream, declared: &Declared, sink: &mut Vec<Diagnostic>) {
    let setting = |key| declared.origin.stream.get(key).filter(|field| field.sound);
    let Some(rate) = setting("Rate") else { return };
    if let (Some(field), Some(fast)) = (setting("Fast"), stream.fast)
        && fast <= stream.rate
    {
        sink.push(
            Diagnostic::error(Code::AnalyzeInvalidStream, "Fast is not above Rate")
                .primary(field.value, "not the faster one")
                .secondary(rate.value, "the rate it should exceed")
                .note("Raise `Fast`, or leave it out."),
        );
    }
    if let Some(field) = setting("Keepalive").filter(|_| stream.keepalive < 1.0 / stream.rate) {
        sink.push(
            Diagnostic::warning(Code::AnalyzeIdleSetting, "Keepalive is shorter than the time between two sends")
                .primary(field.value, "shorter than that")
                .secondary(rate.value, format!("a send every {} s", number_text(1.0 / stream.rate)))
                .note("A state is sent at due steps only, so it is kept alive at each of them. Raise `Keepalive` or `Rate`."),
        );
    }
}
