//! One file a request.

mod code_action;
mod code_lens;
mod completion;
mod definition;
mod document_link;
mod document_symbol;
pub mod execute_command;
mod folding_range;
mod formatting;
mod hover;
mod inlay_hint;
mod pull_diagnostics;
mod references;
mod rename;
mod selection_range;
pub mod semantic_tokens;
mod signature_help;
mod workspace_symbol;

use lsp_server::{ErrorCode, Request, Response};
use lsp_types::request::{
    CodeActionRequest, CodeLensRequest, Completion, DocumentDiagnosticRequest, DocumentHighlightRequest,
    DocumentLinkRequest, DocumentSymbolRequest, ExecuteCommand, FoldingRangeRequest, Formatting,
    GotoDefinition, HoverRequest, InlayHintRequest, OnTypeFormatting, PrepareRenameRequest, RangeFormatting,
    References, Rename, Request as Method, SelectionRangeRequest, SemanticTokensFullRequest,
    SignatureHelpRequest, WorkspaceSymbolRequest,
};

use super::documents::Documents;

/// Why a request has no answer, as a sentence for the person at the editor.
pub type Refusal = String;

/// Answers a request, or says why not.
pub fn answer(documents: &mut Documents, request: Request) -> Response {
    let mut router = Router { documents, request: Some(request), response: None };
    router
        .on::<Completion>(completion::answer)
        .on::<SignatureHelpRequest>(signature_help::answer)
        .on::<HoverRequest>(hover::answer)
        .on::<GotoDefinition>(definition::answer)
        .on::<References>(references::answer)
        .on::<DocumentHighlightRequest>(references::highlights)
        .on::<PrepareRenameRequest>(rename::prepare)
        .on::<Rename>(rename::answer)
        .on::<DocumentSymbolRequest>(document_symbol::answer)
        .on::<WorkspaceSymbolRequest>(workspace_symbol::answer)
        .on::<FoldingRangeRequest>(folding_range::answer)
        .on::<SelectionRangeRequest>(selection_range::answer)
        .on::<Formatting>(formatting::answer)
        .on::<RangeFormatting>(formatting::range)
        .on::<OnTypeFormatting>(formatting::on_type)
        .on::<DocumentLinkRequest>(document_link::answer)
        .on::<CodeActionRequest>(code_action::answer)
        .on::<CodeLensRequest>(code_lens::answer)
        .on::<ExecuteCommand>(execute_command::answer)
        .on::<InlayHintRequest>(inlay_hint::answer)
        .on::<SemanticTokensFullRequest>(semantic_tokens::answer)
        .on::<DocumentDiagnosticRequest>(pull_diagnostics::answer);
    router.finish()
}

/// Hands a request to the one function for its method.
struct Router<'a> {
    documents: &'a mut Documents,
    request: Option<Request>,
    response: Option<Response>,
}

impl Router<'_> {
    fn on<M: Method>(
        &mut self,
        answer: impl FnOnce(&mut Documents, M::Params) -> Result<M::Result, Refusal>,
    ) -> &mut Self {
        let Some(request) = self.request.take_if(|request| request.method == M::METHOD) else { return self };
        self.response = Some(match serde_json::from_value::<M::Params>(request.params) {
            Ok(params) => match answer(self.documents, params) {
                Ok(result) => Response::new_ok(request.id, result),
                Err(why) => Response::new_err(request.id, ErrorCode::RequestFailed as i32, why),
            },
            Err(error) => Response::new_err(request.id, ErrorCode::InvalidParams as i32, error.to_string()),
        });
        self
    }

    fn finish(&mut self) -> Response {
        match (self.response.take(), self.request.take()) {
            (Some(response), _) => response,
            (None, Some(request)) => {
                let why = format!("\"{}\" is not a request this server answers.", request.method);
                Response::new_err(request.id, ErrorCode::MethodNotFound as i32, why)
            }
            // The request is taken only where a response is made.
            (None, None) => {
                Response::new_err(0.into(), ErrorCode::InternalError as i32, "no request".to_string())
            }
        }
    }
}
