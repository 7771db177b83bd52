//! What TypeScript code cannot receive: `W4102`. Source: tooling specification, 4.6.

use super::Checked;
use crate::diagnostics::{Code, Diagnostic};
use crate::schema::event::DeclaredMember;
use crate::schema::{Payload, Yield};

pub(super) fn check(checked: &Checked, sink: &mut Vec<Diagnostic>) {
    if !checked.schema.options.typescript {
        return;
    }
    for declared in checked.declared.iter().filter(|declared| declared.compiled) {
        let DeclaredMember::Function(function) = &declared.member else { continue };
        let Payload::Pack(elements) = &function.return_ else { continue };
        let (Some(returned), Some(yields)) =
            (declared.origin.written("Return"), declared.origin.field("Yield"))
        else {
            continue;
        };
        if function.yield_ == Yield::Promise && elements.len() > 1 {
            let headline =
                format!("TypeScript can receive only the first value of function \"{}\"", function.name);
            sink.push(
                Diagnostic::warning(Code::OutputPromisePack, headline)
                    .primary(returned.key, format!("returns {} values", elements.len()))
                    .secondary(yields.value, "hands over the first value alone")
                    .note("Return a struct with a field for each of them."),
            );
        }
    }
}
