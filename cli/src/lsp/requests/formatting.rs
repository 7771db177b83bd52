//! The canonical layout.

use blinkblox_compiler::format::{Indent, format};
use lsp_types::{DocumentFormattingParams, Range, TextEdit};

use super::Refusal;
use crate::lsp::documents::Documents;

pub fn answer(
    documents: &mut Documents,
    params: DocumentFormattingParams,
) -> Result<Option<Vec<TextEdit>>, Refusal> {
    let Some(place) = documents.place(&params.text_document.uri) else { return Ok(None) };
    let source = &place.analysis.sources[place.file];
    let indent = if params.options.insert_spaces { Indent::Spaces } else { Indent::Tabs };
    // A schema that cannot be parsed keeps its layout: its diagnostics say why.
    let Ok(text) = format(place.file, &source.text, indent) else { return Ok(None) };
    if text == source.text {
        return Ok(Some(Vec::new()));
    }
    let end = u32::try_from(source.text.len()).unwrap_or(u32::MAX);
    let range = Range { start: documents.position(source, 0), end: documents.position(source, end) };
    Ok(Some(vec![TextEdit { range, new_text: text }]))
}
