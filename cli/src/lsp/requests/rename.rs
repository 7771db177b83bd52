//! Another name for a declaration and everything that refers to it.

use std::collections::{BTreeMap, HashMap};

use blinkblox_compiler::ide::names::{refused, rename, renameable};
use lsp_types::{
    PrepareRenameResponse, RenameParams, TextDocumentPositionParams, TextEdit, Uri, WorkspaceEdit,
};

use super::Refusal;
use crate::lsp::documents::Documents;

pub fn prepare(
    documents: &mut Documents,
    params: TextDocumentPositionParams,
) -> Result<Option<PrepareRenameResponse>, Refusal> {
    let Some(place) = documents.place(&params.text_document.uri) else { return Ok(None) };
    let offset = documents.offset(&place.analysis.sources[place.file], params.position);
    let span = renameable(&place.analysis, place.file, offset);
    Ok(span.map(|span| PrepareRenameResponse::Range(documents.range(&place.analysis, span))))
}

pub fn answer(documents: &mut Documents, params: RenameParams) -> Result<Option<WorkspaceEdit>, Refusal> {
    let at = params.text_document_position;
    let Some(place) = documents.place(&at.text_document.uri) else { return Ok(None) };
    let analysis = &place.analysis;
    let offset = documents.offset(&analysis.sources[place.file], at.position);
    let edits = rename(analysis, place.file, offset, &params.new_name)?;
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    // From the end, so that the places in front of an edit stay true.
    for edit in edits.iter().rev() {
        let file = &analysis.sources[edit.span.file];
        let text = texts.entry(file.path.clone()).or_insert_with(|| file.text.clone());
        text.replace_range(edit.span.start as usize..edit.span.end as usize, &edit.text);
    }
    let after = documents.analysis_with(&analysis.sources[place.file].path, &texts);
    if let Some(why) = refused(analysis, &after) {
        return Err(format!("\"{}\" cannot be the name: {why}.", params.new_name));
    }
    // The protocol's own type has addresses as keys.
    #[allow(
        clippy::mutable_key_type,
        reason = "the key's cached parts are not part of what it is compared by"
    )]
    let mut changes: HashMap<Uri, Vec<TextEdit>> = HashMap::new();
    for edit in edits {
        if let Some(uri) = documents.uri(analysis, edit.span.file) {
            let range = documents.range(analysis, edit.span);
            changes.entry(uri).or_default().push(TextEdit { range, new_text: edit.text });
        }
    }
    Ok(Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }))
}
