//! The corrections of the diagnostics in a range.

use std::collections::HashMap;

use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, CodeActionResponse, TextEdit, Uri,
    WorkspaceEdit,
};

use super::Refusal;
use crate::lsp::diagnostics::touches;
use crate::lsp::documents::Documents;

pub fn answer(
    documents: &mut Documents,
    params: CodeActionParams,
) -> Result<Option<CodeActionResponse>, Refusal> {
    let Some(place) = documents.place(&params.text_document.uri) else { return Ok(None) };
    let analysis = &place.analysis;
    let mut actions = Vec::new();
    for diagnostic in &analysis.diagnostics {
        if !touches(documents, analysis, diagnostic, params.range) {
            continue;
        }
        let code = diagnostic.code_text();
        let same_code = |shown: &&lsp_types::Diagnostic| matches!(&shown.code, Some(lsp_types::NumberOrString::String(text)) if *text == code);
        let about: Vec<lsp_types::Diagnostic> =
            params.context.diagnostics.iter().filter(same_code).cloned().collect();
        for fix in &diagnostic.fixes {
            #[allow(clippy::mutable_key_type, reason = "the protocol's own type has addresses as keys")]
            let mut changes: HashMap<Uri, Vec<TextEdit>> = HashMap::new();
            for (span, text) in &fix.edits {
                if let Some(uri) = documents.uri(analysis, span.file) {
                    let range = documents.range(analysis, *span);
                    changes.entry(uri).or_default().push(TextEdit { range, new_text: text.clone() });
                }
            }
            actions.push(CodeActionOrCommand::CodeAction(CodeAction {
                title: fix.title.clone(),
                kind: Some(CodeActionKind::QUICKFIX),
                diagnostics: (!about.is_empty()).then(|| about.clone()),
                edit: Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }),
                is_preferred: Some(diagnostic.fixes.len() == 1),
                ..CodeAction::default()
            }));
        }
    }
    Ok(Some(actions))
}
