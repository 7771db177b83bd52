//! The files that imports name, and those that output options name, where they are.

use blinkblox_compiler::outputs::output_path;
use blinkblox_compiler::syntax::ast::{Declaration, DeclarationKind};
use lsp_types::{DocumentLink, DocumentLinkParams};

use super::Refusal;
use crate::lsp::documents::{Documents, path_of, uri_of};

pub fn answer(
    documents: &mut Documents,
    params: DocumentLinkParams,
) -> Result<Option<Vec<DocumentLink>>, Refusal> {
    let Some(place) = documents.place(&params.text_document.uri) else { return Ok(None) };
    let mut links = Vec::new();
    if let Some(document) = place.analysis.index.document(place.file) {
        imports(&document.declarations, &mut |path| {
            let file = place.analysis.index.imported(path);
            let target = file.and_then(|file| documents.uri(&place.analysis, file));
            if let Some(target) = target {
                links.push(DocumentLink {
                    range: documents.range(&place.analysis, path),
                    target: Some(target),
                    tooltip: None,
                    data: None,
                });
            }
        });
    }
    let entry = path_of(&params.text_document.uri);
    let options = place.analysis.index.document(place.file).map(|document| document.options.as_slice());
    for option in options.unwrap_or_default() {
        if !["ServerOutput", "ClientOutput", "TypesOutput"].contains(&option.name.text.as_str()) {
            continue;
        }
        let Some(value) = &option.value else { continue };
        let written = place.analysis.sources.text(value.span);
        let module = output_path(&entry, written.trim_matches(['"', '\'']));
        // What has not been built yet cannot be opened.
        let target = uri_of(&module).filter(|_| std::path::Path::new(&module).is_file());
        if target.is_some() {
            let range = documents.range(&place.analysis, value.span);
            links.push(DocumentLink { range, target, tooltip: None, data: None });
        }
    }
    Ok(Some(links))
}

fn imports(declarations: &[Declaration], see: &mut impl FnMut(blinkblox_compiler::source::Span)) {
    for declaration in declarations {
        match &declaration.kind {
            DeclarationKind::Import(import) => see(import.path.span),
            DeclarationKind::Scope(scope) => imports(&scope.declarations, see),
            DeclarationKind::Event(_)
            | DeclarationKind::Function(_)
            | DeclarationKind::State(_)
            | DeclarationKind::Table(_)
            | DeclarationKind::Entity(_)
            | DeclarationKind::Type(_)
            | DeclarationKind::Nothing => {}
        }
    }
}
