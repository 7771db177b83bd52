//! Text to tokens and comments.

use blinkblox_compiler::diagnostics::Diagnostic;
use blinkblox_compiler::source::{FileId, Span};

use crate::refused;

/// A word, number, string or sign of zap's language, with its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Span,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    Number,
    /// Quotes included.
    Text,
    /// `..`
    Dots,
    /// Any other sign.
    Sign(char),
    End,
}

/// Tokens, ended by [`Kind::End`], and comments.
pub(super) struct Lexed {
    pub(super) tokens: Vec<Token>,
    pub(super) comments: Vec<Span>,
}

/// Signs of one character.
const SIGNS: &str = "={}()[]:,?|.";

/// Takes a text apart. Errors: a character that begins no token, or a text or comment without an end.
pub(super) fn lex(file: FileId, text: &str) -> Result<Lexed, Box<Diagnostic>> {
    let bytes = text.as_bytes();
    let mut lexed = Lexed { tokens: vec![], comments: vec![] };
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let rest = &text[at..];
        let (kind, len) = match byte {
            b' ' | b'\t' | b'\r' | b'\n' => {
                at += 1;
                continue;
            }
            b'-' if rest.starts_with("--[[") => {
                let Some(end) = rest.find("]]") else {
                    let span = Span::new(file, at, at + 4);
                    return Err(Box::new(refused("a comment is never closed", span, "opened here")));
                };
                lexed.comments.push(Span::new(file, at, at + end + 2));
                at += end + 2;
                continue;
            }
            b'-' if rest.starts_with("--") => {
                let len = rest.find('\n').unwrap_or(rest.len());
                lexed.comments.push(Span::new(file, at, at + rest[..len].trim_end().len()));
                at += len;
                continue;
            }
            b'"' | b'\'' => match rest[1..].find(char::from(byte)) {
                Some(end) => (Kind::Text, end + 2),
                None => {
                    let len = rest.lines().next().unwrap_or_default().len();
                    let span = Span::new(file, at, at + len);
                    return Err(Box::new(refused("a text is never closed", span, "opened here")));
                }
            },
            b'.' if rest.starts_with("..") => (Kind::Dots, 2),
            _ if byte.is_ascii_digit()
                || byte == b'-' && bytes.get(at + 1).is_some_and(u8::is_ascii_digit) =>
            {
                (Kind::Number, number(rest))
            }
            _ if byte.is_ascii_alphabetic() || byte == b'_' => {
                let len = rest.find(|char: char| !char.is_ascii_alphanumeric() && char != '_');
                (Kind::Word, len.unwrap_or(rest.len()))
            }
            _ if SIGNS.contains(char::from(byte)) => (Kind::Sign(char::from(byte)), 1),
            _ => {
                let len = rest.chars().next().map_or(1, char::len_utf8);
                let span = Span::new(file, at, at + len);
                return Err(Box::new(refused("zap has no use for this character", span, "here")));
            }
        };
        lexed.tokens.push(Token { kind, span: Span::new(file, at, at + len) });
        at += len;
    }
    lexed.tokens.push(Token { kind: Kind::End, span: Span::new(file, text.len(), text.len()) });
    Ok(lexed)
}

/// Length of the number a text begins with. A point belongs to it when a digit follows, so that `0..9` is a range.
fn number(text: &str) -> usize {
    let digits = |from: usize| {
        text[from..].find(|char: char| !char.is_ascii_digit()).map_or(text.len(), |len| from + len)
    };
    let whole = digits(usize::from(text.starts_with('-')));
    let fraction =
        text[whole..].strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    if fraction { digits(whole + 1) } else { whole }
}
