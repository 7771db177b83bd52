//! Entities: `E3040`, with `E3018`, `W3019` and `W3043` where an entity is at fault. Source: `replication.md`, entity;
//! `seed-coverage.md`, G1, G5 to G7, G16 to G29.

use super::{Checked, find_slot, is_broken};
use crate::diagnostics::{Code, Diagnostic, Fix, counted, suggest};
use crate::schema::event::{Declared, DeclaredMember};
use crate::schema::{Entity, Following, Ownership, Relevance, TypeKind};
use crate::source::Span;
use crate::wire::entity::{EntityWire, MAX_PARTS};

pub(super) fn check(checked: &Checked, sink: &mut Vec<Diagnostic>) {
    for declared in checked.declared {
        let DeclaredMember::Entity(entity) = &declared.member else { continue };
        fields(entity, declared, sink);
        if is_broken(&entity.data) {
            continue;
        }
        data(entity, declared, sink);
        if let Some(input) = entity.input.as_ref().filter(|input| !is_broken(input))
            && let Some(slot) = find_slot(input)
        {
            sink.push(slot_refused(slot, "Input"));
        }
        if declared.compiled && find_slot(&entity.data).is_none() {
            size(entity, checked.schema.options.max_unreliable_size, sink);
        }
    }
}

/// Rules between fields.
fn fields(entity: &Entity, declared: &Declared, sink: &mut Vec<Diagnostic>) {
    let written = |key: &str| declared.origin.field(key);
    let still = entity.transform == Following::Never;
    if let (Relevance::Radius(_), Some(field), true) = (entity.relevance, written("Relevance"), still) {
        sink.push(
            refused(field.value, "Relevance by distance needs a transform")
                .note("Add `Transform: true`: distances are taken from where the entity is."),
        );
    }
    if let (true, Some(field), true) = (entity.velocity, written("Velocity"), still) {
        sink.push(
            refused(field.value, "Velocity needs a transform")
                .note("Add `Transform: true`, or leave `Velocity` out."),
        );
    }
    if let (true, Some(field)) = (entity.owner == Ownership::Never, written("Input")) {
        sink.push(
            refused(field.key, format!("Input of \"{}\" has no owner to send it", entity.name))
                .note("Add `Owner: true`: the owner's client is the one that sends `Input`."),
        );
    }
    for key in ["Interpolate", "MaxDelay"] {
        if let (true, Some(field)) = (still, written(key)) {
            sink.push(
                Diagnostic::warning(Code::AnalyzeIdleSetting, format!("{key} has no effect"))
                    .primary(field.key, "nothing here moves")
                    .note("Only a transform is interpolated; add `Transform: true`.")
                    .opt_fix(Some(Fix::delete(field.item))),
            );
        }
    }
}

/// What `Data` may be.
fn data(entity: &Entity, declared: &Declared, sink: &mut Vec<Diagnostic>) {
    let Some(field) = declared.origin.field("Data") else { return };
    if !matches!(entity.data.meaning().kind, TypeKind::Struct(_)) {
        sink.push(
            refused(field.value, format!("Data of \"{}\" is no struct", entity.name))
                .note("Write a struct: its fields are what follows, each by itself."),
        );
        return;
    }
    if let Some(slot) = find_slot(&entity.data) {
        sink.push(slot_refused(slot, "Data"));
        return;
    }
    let parts = EntityWire::of(entity).bits();
    if parts > MAX_PARTS {
        sink.push(
            refused(field.value, format!("Data of \"{}\" has too many fields", entity.name)).note(format!(
                "A record marks at most {MAX_PARTS} parts of an entity, this has {parts}; put some fields into a struct \
                 of their own."
            )),
        );
    }
}

/// Whether the record of a new mirror fits a packet.
fn size(entity: &Entity, limit: u32, sink: &mut Vec<Diagnostic>) {
    let (least, most) = EntityWire::of(entity).packet_size();
    let name = &entity.name;
    if least > u64::from(limit) {
        sink.push(
            Diagnostic::error(Code::AnalyzeOversizedEvent, format!("entity \"{name}\" fits no packet"))
                .primary(entity.span, format!("at least {least} of {}", counted(limit, "byte")))
                .note("The record that makes a mirror is sent in one piece; bound `Data` more tightly."),
        );
    } else if most > u64::from(limit) {
        sink.push(
            Diagnostic::warning(
                Code::AnalyzeUnboundedEvent,
                format!("entity \"{name}\" may not fit a packet of {}", counted(limit, "byte")),
            )
            .primary(entity.span, "its record can be longer")
            .note("A `Spawn` or `Patch` that makes it too long throws; bound strings, arrays and maps."),
        );
    }
}

fn refused(at: Span, headline: impl Into<String>) -> Diagnostic {
    Diagnostic::error(Code::AnalyzeInvalidEntity, headline).primary(at, "not for an entity like this")
}

fn slot_refused(at: Span, field: &str) -> Diagnostic {
    Diagnostic::error(
        Code::AnalyzeInvalidEntity,
        format!("{field} of an entity holds an Instance or `unknown`"),
    )
    .primary(at, "cannot be sent again from memory")
    .note("Records consist of bytes alone. To hand mirrors an Instance, call `Bind` on the server.")
}

/// A pack where one type is needed.
pub(crate) fn pack(at: Span, key: &str) -> Diagnostic {
    refused(at, format!("{key} of an entity is one type"))
        .note("Write a struct with the elements as its fields.")
}

/// The 256th entity.
pub(crate) fn too_many(at: Span) -> Diagnostic {
    refused(at, "there are more than 255 entities")
        .note("Make some of them one entity with a tagged enum in `Data`.")
}

/// `Radius` alone.
pub(crate) fn radius_without_studs(at: Span) -> Diagnostic {
    refused(at, "Radius needs a number of studs").note("Write it as in `Relevance: Radius(512)`.")
}

/// A class nobody knows.
pub(crate) fn unknown_class(at: Span, class: &str) -> Diagnostic {
    refused(at, format!("Sync names \"{class}\", which is no class"))
        .did_you_mean(at, suggest::nearest(class, crate::schema::classes::names()))
        .note("Names are those of Roblox classes, such as BasePart or PointLight.")
}

/// A class of which nothing follows.
pub(crate) fn class_not_synced(at: Span, class: &str, why: &str) -> Diagnostic {
    refused(at, format!("Sync does not take \"{class}\"")).note(format!("It cannot follow: {why}."))
}

/// A property written twice.
pub(crate) fn property_twice(at: Span, property: &str) -> Diagnostic {
    refused(at, format!("\"{property}\" is there already")).note("Leave the second one out.")
}

/// A property that does not follow.
pub(crate) fn property_not_synced(at: Span, class: &str, property: &str, why: &str) -> Diagnostic {
    refused(at, format!("Sync cannot follow {class}.{property}")).note(format!("The reason: {why}."))
}

/// A property the class has not.
pub(crate) fn unknown_property(at: Span, class: &str, property: &str, near: Option<&str>) -> Diagnostic {
    refused(at, format!("{class} has no property \"{property}\" that Sync can follow"))
        .did_you_mean(at, near)
        .note("Writable, replicated properties of a type the schema has can follow.")
}
