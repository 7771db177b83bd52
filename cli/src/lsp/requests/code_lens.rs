//! Index and bytes above each event and function; above a schema that names outputs, what can be done with it.

use blinkblox_compiler::ide::hints::lenses;
use lsp_types::{CodeLens, CodeLensParams, Command, Range};
use serde_json::json;

use super::{Refusal, execute_command};
use crate::lsp::documents::Documents;

pub fn answer(documents: &mut Documents, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>, Refusal> {
    let uri = params.text_document.uri;
    let Some(place) = documents.place(&uri) else { return Ok(None) };
    let mut shown = Vec::new();
    if place.analysis.option_spans.contains_key("ServerOutput") {
        for (title, command) in [("Compile", execute_command::COMPILE), ("Verify", execute_command::VERIFY)] {
            let arguments = Some(vec![json!(uri.as_str())]);
            let command = Command { title: title.to_string(), command: command.to_string(), arguments };
            shown.push(CodeLens { range: Range::default(), command: Some(command), data: None });
        }
    }
    shown.extend(lenses(&place.analysis, place.file).into_iter().map(|lens| CodeLens {
        range: documents.range(&place.analysis, lens.span),
        // A command without a name is text alone.
        command: Some(Command { title: lens.text, command: String::new(), arguments: None }),
        data: None,
    }));
    Ok(Some(shown))
}
