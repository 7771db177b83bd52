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
    let offset = documents.offset(&place.analysis.sources[place.file], at.position);
    let users = documents.users(&place, offset);
    if users.is_empty() {
        return Err("There is no name here that can be changed.".to_string());
    }
    let (mut texts, mut changes) = (BTreeMap::new(), Changes::new());
    for (analysis, target) in &users {
        let edits = rename(analysis, *target, &params.new_name)?;
        let mut changed: BTreeMap<String, String> = BTreeMap::new();
        // From the end, so that the places in front of an edit stay true.
        for edit in edits.iter().rev() {
            let file = &analysis.sources[edit.span.file];
            let text = changed.entry(file.path.clone()).or_insert_with(|| file.text.clone());
            text.replace_range(edit.span.start as usize..edit.span.end as usize, &edit.text);
        }
        texts.extend(changed);
        for edit in edits {
            let Some(uri) = documents.uri(analysis, edit.span.file) else { continue };
            let edit = TextEdit { range: documents.range(analysis, edit.span), new_text: edit.text };
            let of_file = changes.entry(uri.as_str().to_string()).or_insert_with(|| (uri, Vec::new()));
            if !of_file.1.contains(&edit) {
                of_file.1.push(edit);
            }
        }
    }
    for (analysis, _) in &users {
        let entry = &analysis.sources.files()[0].path;
        if let Some(why) = refused(analysis, &documents.analysis_with(entry, &texts)) {
            return Err(format!("\"{}\" cannot be the name: {why}.", params.new_name));
        }
    }
    #[allow(clippy::mutable_key_type, reason = "the protocol's own type has addresses as keys")]
    let changes: HashMap<Uri, Vec<TextEdit>> = changes.into_values().collect();
    Ok(Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }))
}

/// The edits of each file, by its address.
type Changes = BTreeMap<String, (Uri, Vec<TextEdit>)>;
