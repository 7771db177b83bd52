//! The diagnostics of a schema, asked for.

use lsp_types::{
    DocumentDiagnosticParams, DocumentDiagnosticReport, DocumentDiagnosticReportResult,
    FullDocumentDiagnosticReport, RelatedFullDocumentDiagnosticReport,
};

use super::Refusal;
use crate::lsp::diagnostics;
use crate::lsp::documents::{Documents, path_of};

pub fn answer(
    documents: &mut Documents,
    params: DocumentDiagnosticParams,
) -> Result<DocumentDiagnosticReportResult, Refusal> {
    let items = diagnostics::of(documents, &path_of(&params.text_document.uri));
    let report = RelatedFullDocumentDiagnosticReport {
        related_documents: None,
        full_document_diagnostic_report: FullDocumentDiagnosticReport { result_id: None, items },
    };
    Ok(DocumentDiagnosticReportResult::Report(DocumentDiagnosticReport::Full(report)))
}
