//! The outline of a file.

use blinkblox_compiler::Analysis;
use blinkblox_compiler::ide::symbols::{Symbol, SymbolKind, symbols};
use lsp_types::{DocumentSymbol, DocumentSymbolParams, DocumentSymbolResponse};

use super::Refusal;
use crate::lsp::documents::Documents;

/// How deep an outline goes. Types may be nested further than readers of JSON follow.
const MOST_DEPTH: usize = 40;

pub fn answer(
    documents: &mut Documents,
    params: DocumentSymbolParams,
) -> Result<Option<DocumentSymbolResponse>, Refusal> {
    let Some(place) = documents.place(&params.text_document.uri) else { return Ok(None) };
    let found = symbols(&place.analysis, place.file);
    let shown = found.iter().map(|symbol| shown(documents, &place.analysis, symbol, 1)).collect();
    Ok(Some(DocumentSymbolResponse::Nested(shown)))
}

#[allow(deprecated, reason = "the protocol's struct has a field of its past that must be given")]
fn shown(documents: &Documents, analysis: &Analysis, symbol: &Symbol, depth: usize) -> DocumentSymbol {
    let followed = if depth < MOST_DEPTH { symbol.children.as_slice() } else { &[] };
    let children: Vec<DocumentSymbol> =
        followed.iter().map(|child| shown(documents, analysis, child, depth + 1)).collect();
    DocumentSymbol {
        name: symbol.name.clone(),
        detail: None,
        kind: kind(symbol.kind),
        tags: None,
        deprecated: None,
        range: documents.range(analysis, symbol.span.to(symbol.name_span)),
        selection_range: documents.range(analysis, symbol.name_span),
        children: (!children.is_empty()).then_some(children),
    }
}

/// The protocol's kind that looks most alike.
pub fn kind(kind: SymbolKind) -> lsp_types::SymbolKind {
    match kind {
        SymbolKind::Scope => lsp_types::SymbolKind::NAMESPACE,
        SymbolKind::Import => lsp_types::SymbolKind::MODULE,
        SymbolKind::Event => lsp_types::SymbolKind::EVENT,
        SymbolKind::Function => lsp_types::SymbolKind::FUNCTION,
        SymbolKind::State => lsp_types::SymbolKind::OBJECT,
        SymbolKind::Table => lsp_types::SymbolKind::ARRAY,
        SymbolKind::Entity => lsp_types::SymbolKind::CLASS,
        SymbolKind::Struct => lsp_types::SymbolKind::STRUCT,
        SymbolKind::Enum | SymbolKind::Set => lsp_types::SymbolKind::ENUM,
        SymbolKind::Map => lsp_types::SymbolKind::OBJECT,
        SymbolKind::Type => lsp_types::SymbolKind::TYPE_PARAMETER,
        SymbolKind::Member => lsp_types::SymbolKind::FIELD,
    }
}
