//! Bytes behind the name of each event and function; off until the editor's settings ask for them.

use blinkblox_compiler::ide::hints::hints;
use lsp_types::{InlayHint, InlayHintLabel, InlayHintParams};

use super::Refusal;
use crate::lsp::documents::Documents;

pub fn answer(documents: &mut Documents, params: InlayHintParams) -> Result<Option<Vec<InlayHint>>, Refusal> {
    if !documents.hints {
        return Ok(None);
    }
    let Some(place) = documents.place(&params.text_document.uri) else { return Ok(None) };
    let shown = hints(&place.analysis, place.file).into_iter().map(|hint| InlayHint {
        position: documents.range(&place.analysis, hint.span).end,
        label: InlayHintLabel::String(hint.text),
        kind: None,
        text_edits: None,
        tooltip: None,
        padding_left: Some(true),
        padding_right: None,
        data: None,
    });
    let (start, end) = (params.range.start, params.range.end);
    Ok(Some(shown.filter(|hint| start <= hint.position && hint.position <= end).collect()))
}
