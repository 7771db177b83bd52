//! The formatter: twice is once, and tokens and comments stay.

use blinkblox_compiler::format::{Indent, format, format_part};
use blinkblox_compiler::source::{FileId, Span};
use blinkblox_compiler::syntax::lexer::lex;
use blinkblox_compiler::syntax::parse;
use blinkblox_compiler::syntax::token::TokenKind;

/// Tokens but for commas, which the formatter may add and drop, then comments without what trails them.
fn essence(text: &str) -> (Vec<&str>, Vec<&str>) {
    let lexed = lex(FileId(0), text);
    let of = |span: Span| &text[span.start as usize..span.end as usize];
    let tokens = lexed.tokens.iter().filter(|token| token.kind != TokenKind::Comma);
    (
        tokens.map(|token| of(token.span)).collect(),
        lexed.comments.iter().map(|span| of(*span).trim_end()).collect(),
    )
}

pub(crate) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    for indent in [Indent::Tabs, Indent::Spaces] {
        let once = match format(FileId(0), text, indent) {
            Ok(once) => once,
            Err(diagnostics) => {
                assert!(!diagnostics.is_empty(), "refused without a reason");
                assert_eq!(diagnostics, parse(FileId(0), text).diagnostics);
                return;
            }
        };
        assert_eq!(format(FileId(0), &once, indent).as_ref(), Ok(&once), "formatted twice");
        assert_eq!(essence(text), essence(&once), "as\n{once}");
        assert!(once.is_empty() || once.ends_with('\n'), "{once:?}");
        // Any part of it alone leaves what parses, with the same tokens.
        let middle = (0..=text.len() / 2).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let part = format_part(text, Span::new(FileId(0), middle, middle), indent);
        if let Some((span, new)) = part.expect("the whole could be formatted") {
            let (before, after) = (&text[..span.start as usize], &text[span.end as usize..]);
            let joined = format!("{before}{new}{after}");
            assert_eq!(essence(&joined), essence(text), "a part as\n{joined}");
        }
    }
}
