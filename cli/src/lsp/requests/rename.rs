//! Another name for a declaration and everything that refers to it.

use std::collections::{BTreeMap, HashMap};

use blinkblox_compiler::Analysis;
use blinkblox_compiler::ide::names::{check_renamed, rename_everywhere, renameable};
use blinkblox_compiler::source::Span;
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
    let offset = documents.offset(&place.analysis.sources[place.file], at.position);
    let users = documents.users(&place, offset);
    let users: Vec<(&Analysis, Span)> =
        users.iter().map(|(analysis, target)| (&**analysis, *target)).collect();
    let renaming = rename_everywhere(&users, &params.new_name)?;
    check_renamed(&users, &params.new_name, |entry| documents.analysis_with(entry, &renaming.texts))?;
    let mut changes = Changes::new();
    for (analysis, edit) in renaming.edits.into_iter().rev() {
        let Some(uri) = documents.uri(analysis, edit.span.file) else { continue };
        let edit = TextEdit { range: documents.range(analysis, edit.span), new_text: edit.text };
        changes.entry(uri.as_str().to_string()).or_insert_with(|| (uri, Vec::new())).1.push(edit);
    }
    #[allow(clippy::mutable_key_type, reason = "the protocol's own type has addresses as keys")]
    let changes: HashMap<Uri, Vec<TextEdit>> = changes.into_values().collect();
    Ok(Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }))
}

/// The edits of each file, by its address.
type Changes = BTreeMap<String, (Uri, Vec<TextEdit>)>;
