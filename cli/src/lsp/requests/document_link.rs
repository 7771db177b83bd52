//! The files imports name.

use blinkblox_compiler::syntax::ast::{Declaration, DeclarationKind};
use lsp_types::{DocumentLink, DocumentLinkParams};

use super::Refusal;
use crate::lsp::documents::Documents;

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
