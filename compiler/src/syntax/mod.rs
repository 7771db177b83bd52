//! Schema text to a syntax tree. Never fails: what cannot be read becomes a diagnostic, and reading goes on.
//!
//! [`parse`] is the way in. The lexer makes every token up front (composite ones too, language specification 1.4);
//! the parser reads one function a production, recovering at the next field, closing brace or declaration.

pub mod ast;
mod diagnostics;
pub mod lexer;
mod parser;
pub mod token;

use crate::diagnostics::Diagnostic;
use crate::source::FileId;

/// A tree, whatever was wrong with the text.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// What could be read.
    pub document: ast::Document,
    /// What could not, in the order it was met.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads the text of one file.
pub fn parse(file: FileId, text: &str) -> Parsed {
    let lexed = lexer::lex(file, text);
    let (document, mut diagnostics) = parser::parse(file, text, &lexed.tokens);
    diagnostics.splice(0..0, lexed.diagnostics);
    Parsed { document, diagnostics }
}
