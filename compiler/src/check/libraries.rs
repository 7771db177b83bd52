//! Libraries that `Yield` needs: `E4003`. Source: runtime specification, 3.3.

use super::Checked;
use crate::diagnostics::{Code, Diagnostic};
use crate::schema::Yield;
use crate::schema::event::DeclaredMember;

pub(super) fn check(checked: &Checked, sink: &mut Vec<Diagnostic>) {
    let options = &checked.schema.options;
    for declared in checked.declared.iter().filter(|declared| declared.compiled) {
        let DeclaredMember::Function(function) = &declared.member else { continue };
        let Some(field) = declared.origin.field("Yield") else { continue };
        let (word, option, library) = match function.yield_ {
            Yield::Coroutine => continue,
            Yield::Future => ("Future", "FutureLibrary", &options.future_library),
            Yield::Promise => ("Promise", "PromiseLibrary", &options.promise_library),
        };
        if library.as_deref().is_none_or(str::is_empty) {
            let headline = format!("function \"{}\" yields a {word}, and {option} is not set", function.name);
            sink.push(
                Diagnostic::error(Code::OutputMissingLibrary, headline)
                    .primary(field.value, "needs a library")
                    .opt_secondary(checked.option(option), "is empty")
                    .note(format!(
                        "Set `option {option} = \"ReplicatedStorage.{word}\"`, or yield a Coroutine."
                    )),
            );
        }
    }
}
