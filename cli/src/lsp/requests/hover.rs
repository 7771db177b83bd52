//! What the word under the cursor means.

use blinkblox_compiler::ide::hover;
use lsp_types::{Hover, HoverContents, HoverParams, MarkupContent, MarkupKind};

use super::Refusal;
use crate::lsp::documents::Documents;

pub fn answer(documents: &mut Documents, params: HoverParams) -> Result<Option<Hover>, Refusal> {
    let at = params.text_document_position_params;
    let Some(place) = documents.place(&at.text_document.uri) else { return Ok(None) };
    let offset = documents.offset(&place.analysis.sources[place.file], at.position);
    Ok(hover::hover(&place.analysis, place.file, offset).map(|found| Hover {
        contents: HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value: found.markdown }),
        range: Some(documents.range(&place.analysis, found.span)),
    }))
}
