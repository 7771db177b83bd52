//! What can be written at the cursor.

use std::collections::BTreeMap;
use std::path::Path;

use blinkblox_compiler::ide::completion::{OfferKind, above, complete_with};
use blinkblox_emulator::project::is_set_aside;
use lsp_types::{
    CompletionItem, CompletionItemKind, CompletionParams, CompletionResponse, CompletionTextEdit,
    Documentation, TextEdit,
};

use super::Refusal;
use crate::lsp::documents::{Documents, path_of};

/// Most files an import is offered.
const MAX_FILES: usize = 200;

pub fn answer(
    documents: &mut Documents,
    params: CompletionParams,
) -> Result<Option<CompletionResponse>, Refusal> {
    let at = params.text_document_position;
    let Some(place) = documents.place(&at.text_document.uri) else { return Ok(None) };
    let offset = documents.offset(&place.analysis.sources[place.file], at.position);
    let files = importable(&path_of(&at.text_document.uri));
    let path = path_of(&at.text_document.uri);
    let text = above(&place.analysis, place.file, offset);
    let above = documents.analysis_with(&path, &BTreeMap::from([(path.clone(), text)]));
    let found = complete_with(&place.analysis, Some(&above), place.file, offset, &files);
    let range = documents.range(&place.analysis, found.written);
    let items = found.offers.into_iter().enumerate().map(|(position, offer)| CompletionItem {
        kind: Some(match offer.kind {
            OfferKind::Keyword => CompletionItemKind::KEYWORD,
            OfferKind::Property => CompletionItemKind::PROPERTY,
            OfferKind::Value => CompletionItemKind::ENUM_MEMBER,
            OfferKind::Primitive => CompletionItemKind::TYPE_PARAMETER,
            OfferKind::Type => CompletionItemKind::STRUCT,
            OfferKind::Class => CompletionItemKind::CLASS,
            OfferKind::File => CompletionItemKind::FILE,
        }),
        detail: (!offer.detail.is_empty()).then_some(offer.detail),
        documentation: (!offer.documentation.is_empty())
            .then_some(Documentation::String(offer.documentation)),
        // The order is ours: best first.
        sort_text: Some(format!("{position:05}")),
        text_edit: Some(CompletionTextEdit::Edit(TextEdit { range, new_text: offer.label.clone() })),
        label: offer.label,
        ..CompletionItem::default()
    });
    Ok(Some(CompletionResponse::Array(items.collect())))
}

/// Schemas beside and below a file, as it would import them.
fn importable(path: &str) -> Vec<String> {
    let own = Path::new(path);
    let mut found = Vec::new();
    if let Some(folder) = own.parent() {
        collect(folder, "./", own, 2, &mut found);
        if let Some(above) = folder.parent() {
            collect(above, "../", own, 0, &mut found);
        }
    }
    found.sort();
    found.truncate(MAX_FILES);
    found
}

fn collect(folder: &Path, prefix: &str, own: &Path, depth: usize, found: &mut Vec<String>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let Ok(name) = entry.file_name().into_string() else { continue };
        if found.len() >= MAX_FILES {
            return;
        }
        match name.strip_suffix(".blink") {
            Some(stem) if path != own => found.push(format!("{prefix}{stem}")),
            None if depth > 0 && path.is_dir() && !is_set_aside(&path) => {
                collect(&path, &format!("{prefix}{name}/"), own, depth - 1, found);
            }
            Some(_) | None => {}
        }
    }
}
