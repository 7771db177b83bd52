//! Index and bytes above each event and function.

use blinkblox_compiler::ide::hints::lenses;
use lsp_types::{CodeLens, CodeLensParams, Command};

use super::Refusal;
use crate::lsp::documents::Documents;

pub fn answer(documents: &mut Documents, params: CodeLensParams) -> Result<Option<Vec<CodeLens>>, Refusal> {
    let Some(place) = documents.place(&params.text_document.uri) else { return Ok(None) };
    let shown = lenses(&place.analysis, place.file).into_iter().map(|lens| CodeLens {
        range: documents.range(&place.analysis, lens.span),
        // A command without a name is text alone.
        command: Some(Command { title: lens.text, command: String::new(), arguments: None }),
        data: None,
    });
    Ok(Some(shown.collect()))
}
