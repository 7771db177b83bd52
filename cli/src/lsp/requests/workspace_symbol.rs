//! Declarations of every open schema and of what they import, by a part of their name.

use std::collections::BTreeSet;

use blinkblox_compiler::ide::symbols::{Symbol, symbols};
use blinkblox_compiler::source::FileId;
use lsp_types::{Location, OneOf, WorkspaceSymbol, WorkspaceSymbolParams, WorkspaceSymbolResponse};

use super::Refusal;
use super::document_symbol::kind;
use crate::lsp::documents::Documents;

pub fn answer(
    documents: &mut Documents,
    params: WorkspaceSymbolParams,
) -> Result<Option<WorkspaceSymbolResponse>, Refusal> {
    let wanted = params.query.to_lowercase();
    let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
    for path in documents.paths() {
        let analysis = documents.analysis(&path);
        for (file, source) in analysis.sources.files().iter().enumerate() {
            let file = FileId(u32::try_from(file).unwrap_or(u32::MAX));
            if !seen.insert(source.path.clone()) {
                continue;
            }
            let mut all = Vec::new();
            flatten(symbols(&analysis, file), "", &mut all);
            for (container, symbol) in all {
                let Some(uri) = documents.uri(&analysis, file) else { continue };
                if symbol.name.to_lowercase().contains(&wanted) {
                    found.push(WorkspaceSymbol {
                        name: symbol.name,
                        kind: kind(symbol.kind),
                        tags: None,
                        container_name: (!container.is_empty()).then_some(container),
                        location: OneOf::Left(Location {
                            uri,
                            range: documents.range(&analysis, symbol.name_span),
                        }),
                        data: None,
                    });
                }
            }
        }
    }
    Ok(Some(WorkspaceSymbolResponse::Nested(found)))
}

/// Declarations with the names around them; members of types are left out.
fn flatten(symbols: Vec<Symbol>, around: &str, all: &mut Vec<(String, Symbol)>) {
    for mut symbol in symbols {
        let children = std::mem::take(&mut symbol.children);
        let inner = if around.is_empty() { symbol.name.clone() } else { format!("{around}.{}", symbol.name) };
        let is_scope = symbol.kind == blinkblox_compiler::ide::symbols::SymbolKind::Scope;
        all.push((around.to_string(), symbol));
        if is_scope {
            flatten(children, &inner, all);
        }
    }
}
