//! Schema text to a syntax tree. Never fails: what cannot be read becomes a diagnostic, and reading goes on.
//!
//! [`parse`] is the way in. The lexer makes every token up front (composite ones too, language specification 1.4);
//! the parser reads one function a production, recovering at the next field, closing brace or declaration.

pub mod ast;
mod diagnostics;
pub mod lexer;
mod parser;
pub mod token;

use crate::diagnostics::{Code, Diagnostic};
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
    diagnostics.retain(|diagnostic| !beside_a_stray(diagnostic, &lexed));
    diagnostics.splice(0..0, lexed.diagnostics);
    Parsed { document, diagnostics }
}

/// Whether a fault of the parser's is at a token next to characters the lexer refused: it would not be there without
/// them.
fn beside_a_stray(diagnostic: &Diagnostic, lexed: &lexer::Lexed) -> bool {
    let Some(span) = diagnostic.span().filter(|_| diagnostic.code == Code::ParseUnexpectedToken) else {
        return false;
    };
    let at = lexed.tokens.partition_point(|token| token.span.start < span.start);
    let before = at.checked_sub(1).map_or(0, |at| lexed.tokens[at].span.end);
    // A bracket that opens no range may owe it to a character anywhere inside.
    let opens = lexed.tokens.get(at).is_some_and(|token| token.kind.is_opener());
    let next = match opens {
        true => lexed.tokens[at + 1..].iter().take(3).find(|token| token.kind.is_closer()),
        false => lexed.tokens.get(at + 1),
    };
    let after = next.map_or(span.end, |token| token.span.start);
    // Both lists are in the order of the text.
    let starts_before = |stray: &Diagnostic| stray.span().is_none_or(|stray| stray.start < before);
    let first = lexed.diagnostics.partition_point(starts_before);
    lexed.diagnostics.get(first).and_then(Diagnostic::span).is_some_and(|stray| stray.end <= after)
}
