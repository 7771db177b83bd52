//! Where a name is declared.

use blinkblox_compiler::ide::names::{Definition, definition};
use lsp_types::{GotoDefinitionParams, GotoDefinitionResponse, Location, Range};

use super::Refusal;
use crate::lsp::documents::Documents;

pub fn answer(
    documents: &mut Documents,
    params: GotoDefinitionParams,
) -> Result<Option<GotoDefinitionResponse>, Refusal> {
    let at = params.text_document_position_params;
    let Some(place) = documents.place(&at.text_document.uri) else { return Ok(None) };
    let offset = documents.offset(&place.analysis.sources[place.file], at.position);
    let location = match definition(&place.analysis, place.file, offset) {
        None => None,
        Some(Definition::Name(span)) => documents
            .uri(&place.analysis, span.file)
            .map(|uri| Location { uri, range: documents.range(&place.analysis, span) }),
        Some(Definition::File(file)) => {
            documents.uri(&place.analysis, file).map(|uri| Location { uri, range: Range::default() })
        }
    };
    Ok(location.map(GotoDefinitionResponse::Scalar))
}
