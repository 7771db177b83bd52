//! The language server: messages in, answers of `blinkblox_compiler::ide` out. Source: tooling specification, 7.4.
//!
//! One file a request in `requests/`: each converts positions, calls one function of `ide`, and converts back.

mod diagnostics;
mod documents;
mod requests;
mod transport;
mod workspace;

use std::io::{Stdout, Write};
use std::process::ExitCode;

use lsp_server::{ErrorCode, Message, Notification, Request, Response};
use lsp_types::notification::{
    DidChangeTextDocument, DidCloseTextDocument, DidOpenTextDocument, DidSaveTextDocument, Notification as _,
    ShowMessage,
};
use lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionProviderCapability, CodeLensOptions, CompletionOptions,
    DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    DidSaveTextDocumentParams, DocumentLinkOptions, DocumentOnTypeFormattingOptions, ExecuteCommandOptions,
    FoldingRangeProviderCapability, HoverProviderCapability, InitializeParams, InitializeResult, OneOf,
    PositionEncodingKind, RenameOptions, SelectionRangeProviderCapability, SemanticTokensFullOptions,
    SemanticTokensOptions, SemanticTokensServerCapabilities, ServerCapabilities, ServerInfo,
    SignatureHelpOptions, TextDocumentSyncCapability, TextDocumentSyncKind, TextDocumentSyncOptions,
    TextDocumentSyncSaveOptions, WorkDoneProgressOptions,
};
use serde_json::Value;

use documents::{Documents, Encoding};

/// Why the server stopped before it was told to.
type Fatal = String;

/// Serves one editor over standard input and output until it says `exit`.
pub fn serve() -> ExitCode {
    match Server::start() {
        Ok(clean) => ExitCode::from(u8::from(!clean)),
        Err(why) => {
            eprintln!("blinkblox lsp: {why}");
            ExitCode::FAILURE
        }
    }
}

/// The server as it stands between two messages; what it says goes to `W`.
pub struct Server<W> {
    documents: Documents,
    out: transport::Writer<W>,
    /// Whether the editor has said who it is, before which it may ask nothing else.
    initialized: bool,
    /// Whether the editor asked to shut down.
    stopping: bool,
}

impl Server<Stdout> {
    /// Runs until the editor leaves; whether it shut the server down first, as it should.
    fn start() -> Result<bool, Fatal> {
        let mut input = transport::Reader::of_stdin();
        let mut server = Server::new(std::io::stdout());
        while let Some(message) = input.next()? {
            if let Some(clean) = server.handle(message)? {
                return Ok(clean);
            }
        }
        Ok(server.stopping)
    }
}

impl<W: Write> Server<W> {
    /// A server that has heard nothing yet.
    pub fn new(out: W) -> Server<W> {
        Server {
            documents: Documents::default(),
            out: transport::Writer(out),
            initialized: false,
            stopping: false,
        }
    }

    /// Takes one message and says what there is to say to it. Once the editor leaves: whether it shut the server down
    /// first.
    ///
    /// Errors: the editor no longer reads.
    pub fn handle(&mut self, message: Message) -> Result<Option<bool>, Fatal> {
        match message {
            Message::Request(request) => self.request(request)?,
            Message::Notification(note) if note.method == "exit" => return Ok(Some(self.stopping)),
            Message::Notification(note) if self.initialized => self.notification(note)?,
            // The protocol has what is told too early dropped.
            Message::Notification(_) => {}
            // Nothing is asked of the editor that needs an answer.
            Message::Response(_) => {}
        }
        Ok(None)
    }

    fn request(&mut self, request: Request) -> Result<(), Fatal> {
        let id = request.id.clone();
        let response = match request.method.as_str() {
            "initialize" => match serde_json::from_value::<InitializeParams>(request.params) {
                Ok(params) => {
                    self.initialized = true;
                    Response::new_ok(id, self.initialize(&params))
                }
                Err(error) => Response::new_err(id, ErrorCode::InvalidParams as i32, error.to_string()),
            },
            _ if !self.initialized => {
                let code = ErrorCode::ServerNotInitialized as i32;
                Response::new_err(id, code, "The server waits for `initialize`.".to_string())
            }
            "shutdown" => {
                self.stopping = true;
                Response::new_ok(id, Value::Null)
            }
            _ if self.stopping => {
                let code = ErrorCode::InvalidRequest as i32;
                Response::new_err(id, code, "The server was told to shut down.".to_string())
            }
            _ => requests::answer(&mut self.documents, request),
        };
        self.out.send(&Message::Response(response))?;
        self.tell_person()
    }

    /// Sends what the person is to be told.
    fn tell_person(&mut self) -> Result<(), Fatal> {
        for message in self.documents.take_messages() {
            let note = Notification::new(ShowMessage::METHOD.to_string(), message);
            self.out.send(&Message::Notification(note))?;
        }
        Ok(())
    }

    fn initialize(&mut self, params: &InitializeParams) -> InitializeResult {
        let offered =
            params.capabilities.general.as_ref().and_then(|general| general.position_encodings.as_ref());
        let utf8 = offered.is_some_and(|offered| offered.contains(&PositionEncodingKind::UTF8));
        self.documents.encoding = if utf8 { Encoding::Utf8 } else { Encoding::Utf16 };
        self.documents.folders = workspace::folders(params);
        if let Some(options) = &params.initialization_options {
            self.documents.configure(options);
        }
        InitializeResult {
            capabilities: capabilities(self.documents.encoding),
            server_info: Some(ServerInfo {
                name: "blinkblox".to_string(),
                version: Some(blinkblox_compiler::VERSION.to_string()),
            }),
        }
    }

    fn notification(&mut self, note: Notification) -> Result<(), Fatal> {
        // What cannot be read is ignored, as the protocol asks of notifications.
        let changed = match note.method.as_str() {
            DidOpenTextDocument::METHOD => serde_json::from_value::<DidOpenTextDocumentParams>(note.params)
                .is_ok_and(|params| {
                    self.documents.open(&params.text_document.uri, params.text_document.text);
                    true
                }),
            DidChangeTextDocument::METHOD => {
                serde_json::from_value::<DidChangeTextDocumentParams>(note.params).is_ok_and(|params| {
                    self.documents.change(&params.text_document.uri, params.content_changes);
                    true
                })
            }
            DidCloseTextDocument::METHOD => serde_json::from_value::<DidCloseTextDocumentParams>(note.params)
                .is_ok_and(|params| {
                    self.documents.close(&params.text_document.uri);
                    true
                }),
            // Schemas that nobody has open are spoken of from the start.
            "initialized" => !self.documents.entries().is_empty(),
            "workspace/didChangeConfiguration" => {
                self.documents.configure(note.params.get("settings").unwrap_or(&Value::Null));
                true
            }
            "workspace/didChangeWatchedFiles" => {
                self.documents.forget();
                true
            }
            DidSaveTextDocument::METHOD => {
                self.documents.forget();
                if let Ok(params) = serde_json::from_value::<DidSaveTextDocumentParams>(note.params) {
                    requests::execute_command::saved(&mut self.documents, &params.text_document.uri);
                }
                true
            }
            _ => false,
        };
        if changed {
            for note in diagnostics::publish(&mut self.documents) {
                self.out.send(&Message::Notification(note))?;
            }
        }
        self.tell_person()
    }
}

fn capabilities(encoding: Encoding) -> ServerCapabilities {
    let progress = WorkDoneProgressOptions::default;
    ServerCapabilities {
        position_encoding: Some(match encoding {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
        }),
        text_document_sync: Some(TextDocumentSyncCapability::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::INCREMENTAL),
            save: Some(TextDocumentSyncSaveOptions::Supported(true)),
            ..TextDocumentSyncOptions::default()
        })),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some([".", ":", "<", "(", "\"", "@", "["].map(str::to_string).to_vec()),
            ..CompletionOptions::default()
        }),
        signature_help_provider: Some(SignatureHelpOptions {
            trigger_characters: Some(["(", "<", "{", ":", "=", ","].map(str::to_string).to_vec()),
            retrigger_characters: Some([")", ">", "}"].map(str::to_string).to_vec()),
            work_done_progress_options: progress(),
        }),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        document_highlight_provider: Some(OneOf::Left(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: progress(),
        })),
        document_symbol_provider: Some(OneOf::Left(true)),
        workspace_symbol_provider: Some(OneOf::Left(true)),
        folding_range_provider: Some(FoldingRangeProviderCapability::Simple(true)),
        selection_range_provider: Some(SelectionRangeProviderCapability::Simple(true)),
        document_formatting_provider: Some(OneOf::Left(true)),
        document_range_formatting_provider: Some(OneOf::Left(true)),
        document_on_type_formatting_provider: Some(DocumentOnTypeFormattingOptions {
            first_trigger_character: "}".to_string(),
            more_trigger_character: None,
        }),
        document_link_provider: Some(DocumentLinkOptions {
            resolve_provider: Some(false),
            work_done_progress_options: progress(),
        }),
        code_action_provider: Some(CodeActionProviderCapability::Options(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QUICKFIX]),
            ..CodeActionOptions::default()
        })),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: requests::execute_command::ALL.map(str::to_string).to_vec(),
            work_done_progress_options: progress(),
        }),
        code_lens_provider: Some(CodeLensOptions { resolve_provider: Some(false) }),
        inlay_hint_provider: Some(OneOf::Left(true)),
        semantic_tokens_provider: Some(SemanticTokensServerCapabilities::SemanticTokensOptions(
            SemanticTokensOptions {
                legend: requests::semantic_tokens::legend(),
                full: Some(SemanticTokensFullOptions::Bool(true)),
                ..SemanticTokensOptions::default()
            },
        )),
        diagnostic_provider: Some(lsp_types::DiagnosticServerCapabilities::Options(
            lsp_types::DiagnosticOptions {
                identifier: Some("blinkblox".to_string()),
                inter_file_dependencies: true,
                workspace_diagnostics: false,
                work_done_progress_options: progress(),
            },
        )),
        ..ServerCapabilities::default()
    }
}
