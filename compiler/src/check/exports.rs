//! Instances where none may be: exported types (`E3013`) and what clients send under `MaxInstancesPerPacket = 0`
//! (`E3031`). Source: language specification, 13; runtime specification, 3.3.

use super::{Checked, find_entity, find_slot};
use crate::diagnostics::{Code, Diagnostic, Fix};
use crate::schema::event::DeclaredMember;
use crate::schema::{Payload, Side, TypeId};
use crate::source::Span;

pub(super) fn check(checked: &Checked, sink: &mut Vec<Diagnostic>) {
    let exported =
        checked.schema.types.iter().zip(0..).filter(|(decl, _)| decl.export && decl.generics.is_empty());
    for (decl, id) in exported {
        let found = find_slot(&decl.ty)
            .map(|slot| (slot, "holds an Instance or unknown", "travels outside the buffer"));
        let found = found.or_else(|| {
            find_entity(&decl.ty).map(|at| (at, "names an entity", "means nothing after the session"))
        });
        if let Some((slot, why, label)) = found {
            sink.push(
                Diagnostic::error(
                    Code::AnalyzeNotExportable,
                    format!("\"{}\" cannot be exported: it {why}", decl.name),
                )
                .primary(decl.span, "yields a buffer alone")
                .secondary(slot, label)
                .note("Delete `export`, or send an id in its place.")
                .opt_fix(checked.export_words.get(&TypeId(id)).copied().map(Fix::delete)),
            );
        }
    }
    if checked.schema.options.max_instances_per_packet == 0 {
        forbidden(checked, sink);
    }
}

fn forbidden(checked: &Checked, sink: &mut Vec<Diagnostic>) {
    for declared in checked.declared.iter().filter(|declared| declared.compiled) {
        let (name, span, sent) = match &declared.member {
            DeclaredMember::Event(event) if event.from == Side::Client => {
                (&event.name, event.span, &event.data)
            }
            DeclaredMember::Event(_) | DeclaredMember::Entity(_) => continue,
            DeclaredMember::Function(function) if function.from == Side::Client => {
                (&function.name, function.span, &function.data)
            }
            DeclaredMember::Function(function) => (&function.name, function.span, &function.return_),
        };
        if let Some(slot) = slot(sent) {
            sink.push(
                Diagnostic::error(
                    Code::AnalyzeForbiddenInstance,
                    format!("clients send an Instance in \"{name}\", and no packet may carry one"),
                )
                .primary(declared.via.unwrap_or(span), "every packet of it would be refused")
                .secondary(slot, "this one")
                .opt_secondary(checked.option("MaxInstancesPerPacket"), "allows none")
                .note("Raise `MaxInstancesPerPacket`, or send an id in its place."),
            );
        }
    }
}

fn slot(payload: &Payload) -> Option<Span> {
    payload.parameters().into_iter().find_map(|(_, ty)| find_slot(ty))
}
