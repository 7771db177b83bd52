//! Where a name is used: in every file, and in this one.

use blinkblox_compiler::ide::names::{Definition, definition, references};
use lsp_types::{
    DocumentHighlight, DocumentHighlightKind, DocumentHighlightParams, Location, ReferenceParams,
};

use super::Refusal;
use crate::lsp::documents::Documents;

pub fn answer(documents: &mut Documents, params: ReferenceParams) -> Result<Option<Vec<Location>>, Refusal> {
    let at = params.text_document_position;
    let Some(place) = documents.place(&at.text_document.uri) else { return Ok(None) };
    let offset = documents.offset(&place.analysis.sources[place.file], at.position);
    let mut located: Vec<Location> = Vec::new();
    for (analysis, target) in documents.users(&place, offset) {
        for span in references(&analysis, target, params.context.include_declaration) {
            let Some(uri) = documents.uri(&analysis, span.file) else { continue };
            let location = Location { uri, range: documents.range(&analysis, span) };
            if !located.contains(&location) {
                located.push(location);
            }
        }
    }
    Ok(Some(located))
}

pub fn highlights(
    documents: &mut Documents,
    params: DocumentHighlightParams,
) -> Result<Option<Vec<DocumentHighlight>>, Refusal> {
    let at = params.text_document_position_params;
    let Some(place) = documents.place(&at.text_document.uri) else { return Ok(None) };
    let offset = documents.offset(&place.analysis.sources[place.file], at.position);
    let Some(Definition::Name(target)) = definition(&place.analysis, place.file, offset) else {
        return Ok(Some(Vec::new()));
    };
    let spans = references(&place.analysis, target, true);
    let here = spans.into_iter().filter(|span| span.file == place.file);
    let shown = here.map(|span| DocumentHighlight {
        range: documents.range(&place.analysis, span),
        kind: Some(DocumentHighlightKind::TEXT),
    });
    Ok(Some(shown.collect()))
}
