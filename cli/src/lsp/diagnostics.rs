//! Diagnostics as editors show them. Source: tooling specification, 3.1 and 7.4.

use std::collections::{BTreeMap, BTreeSet};

use blinkblox_compiler::Analysis;
use blinkblox_compiler::diagnostics::{Code, Diagnostic, Severity};
use blinkblox_compiler::explain;
use blinkblox_compiler::source::FileId;
use lsp_server::Notification;
use lsp_types::notification::{Notification as _, PublishDiagnostics};
use lsp_types::{
    CodeDescription, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, Location,
    NumberOrString, PublishDiagnosticsParams, Range,
};

use super::documents::{Documents, uri_of};

/// Most diagnostics of one schema that are shown: nobody reads more, and finding the place of each takes a while.
const MAX_SHOWN: usize = 500;

/// What to tell the editor now: the diagnostics of every open schema and every entry and of what they import, and nothing
/// any more for files that had some.
pub fn publish(documents: &mut Documents) -> Vec<Notification> {
    let mut by_file: BTreeMap<String, Vec<lsp_types::Diagnostic>> = BTreeMap::new();
    let open: BTreeSet<String> = documents.paths().into_iter().collect();
    let mut told_of = open.clone();
    told_of.extend(documents.entries());
    for path in &told_of {
        let analysis = documents.analysis(path);
        by_file.entry(path.clone()).or_default();
        for diagnostic in analysis.diagnostics.iter().take(MAX_SHOWN) {
            let (file, shown) = converted(documents, &analysis, diagnostic, path);
            // An open import speaks for itself.
            if file == *path || !open.contains(&file) {
                let of_file = by_file.entry(file).or_default();
                if !of_file.contains(&shown) {
                    of_file.push(shown);
                }
            }
        }
    }
    let gone: Vec<String> = documents.told.drain(..).filter(|path| !by_file.contains_key(path)).collect();
    documents.told = by_file.keys().cloned().collect();
    let gone = gone.into_iter().map(|path| (path, Vec::new()));
    by_file
        .into_iter()
        .chain(gone)
        .filter_map(|(path, diagnostics)| {
            let params = PublishDiagnosticsParams { uri: uri_of(&path)?, diagnostics, version: None };
            Some(Notification::new(PublishDiagnostics::METHOD.to_string(), params))
        })
        .collect()
}

/// The diagnostics of one schema, as the editor asks for them.
pub fn of(documents: &mut Documents, path: &str) -> Vec<lsp_types::Diagnostic> {
    let analysis = documents.analysis(path);
    let all =
        analysis.diagnostics.iter().take(MAX_SHOWN).map(|one| converted(documents, &analysis, one, path));
    all.filter(|(file, _)| file == path).map(|(_, shown)| shown).collect()
}

/// A diagnostic, and the path of the file it belongs to: the entry's when it has no place.
fn converted(
    documents: &Documents,
    analysis: &Analysis,
    diagnostic: &Diagnostic,
    entry: &str,
) -> (String, lsp_types::Diagnostic) {
    let primary = diagnostic.labels.iter().find(|label| label.primary);
    let path = diagnostic.span().map_or(entry, |span| analysis.sources[span.file].path.as_str()).to_string();
    let range = diagnostic.span().map_or(Range::default(), |span| documents.range(analysis, span));
    let mut message = diagnostic.headline.clone();
    if let Some(label) = primary.filter(|label| !label.message.is_empty()) {
        message += &format!(": {}", label.message);
    }
    for note in &diagnostic.notes {
        message += &format!("\n{note}");
    }
    let related = diagnostic.labels.iter().filter(|label| !label.primary).filter_map(|label| {
        Some(DiagnosticRelatedInformation {
            location: Location {
                uri: documents.uri(analysis, label.span.file)?,
                range: documents.range(analysis, label.span),
            },
            message: label.message.clone(),
        })
    });
    let related: Vec<DiagnosticRelatedInformation> = related.collect();
    let tags = match diagnostic.code {
        Code::AnalyzeDeprecated => Some(vec![DiagnosticTag::DEPRECATED]),
        Code::AnalyzePriority | Code::AnalyzeIdleSetting if !diagnostic.is_error() => {
            Some(vec![DiagnosticTag::UNNECESSARY])
        }
        _ => None,
    };
    let shown = lsp_types::Diagnostic {
        range,
        severity: Some(match diagnostic.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
        }),
        code: Some(NumberOrString::String(diagnostic.code_text())),
        code_description: explain::address(diagnostic.code).parse().ok().map(|href| CodeDescription { href }),
        source: Some("blinkblox".to_string()),
        message,
        related_information: (!related.is_empty()).then_some(related),
        tags,
        ..lsp_types::Diagnostic::default()
    };
    (path, shown)
}

/// Whether a diagnostic of an analysis is shown in its entry and touches a range.
pub fn touches(documents: &Documents, analysis: &Analysis, diagnostic: &Diagnostic, range: Range) -> bool {
    let Some(span) = diagnostic.span().filter(|span| span.file == FileId(0)) else { return false };
    let own = documents.range(analysis, span);
    own.start <= range.end && range.start <= own.end
}
