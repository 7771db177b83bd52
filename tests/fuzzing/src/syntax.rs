//! Lexer and parser: spans lie in the text and on characters, tokens stand in order, and nothing of the text is in
//! neither a token, a comment, a complaint nor white space. A text without faults is in its tree from end to end.

use blinkblox_compiler::diagnostics::human::{self, Colour, Strokes};
use blinkblox_compiler::diagnostics::{Diagnostic, compact, github, json};
use blinkblox_compiler::source::{FileId, Sources, Span};
use blinkblox_compiler::syntax::ast::{Declaration, DeclarationKind};
use blinkblox_compiler::syntax::lexer::lex;
use blinkblox_compiler::syntax::parse;

pub(crate) fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let text = text.as_ref();
    lexed(text);
    parsed(text);
}

fn holds(text: &str, span: Span, what: &str) -> std::ops::Range<usize> {
    let range = span.start as usize..span.end as usize;
    assert!(text.get(range.clone()).is_some(), "{what} at {range:?} of {} bytes", text.len());
    range
}

fn lexed(text: &str) {
    let lexed = lex(FileId(0), text);
    let mut covered: Vec<_> = lexed.tokens.iter().map(|token| holds(text, token.span, "a token")).collect();
    for pair in covered.windows(2) {
        assert!(pair[0].end <= pair[1].start, "tokens overlap at {pair:?}");
    }
    covered.extend(lexed.comments.iter().map(|span| holds(text, *span, "a comment")));
    let complaints = lexed.diagnostics.iter().flat_map(|one| &one.labels);
    covered.extend(complaints.map(|label| {
        let range = holds(text, label.span, "a label");
        // The mark of other languages' comments takes the rest of its line with it.
        let line = text[range.start..].find('\n').map_or(text.len(), |at| range.start + at);
        if &text[range.clone()] == "//" { range.start..line } else { range }
    }));
    covered.sort_by_key(|range| range.start);
    let mut end = 0;
    for range in covered {
        if range.start > end {
            blank(text, end..range.start);
        }
        end = end.max(range.end);
    }
    blank(text, end..text.len());
}

fn blank(text: &str, range: std::ops::Range<usize>) {
    let white = |byte: u8| matches!(byte, b' ' | b'\t'..=b'\r');
    let left = &text[range.clone()];
    assert!(left.bytes().all(white), "{left:?} at {range:?} is in no token");
}

fn parsed(text: &str) {
    let parsed = parse(FileId(0), text);
    for diagnostic in &parsed.diagnostics {
        well_placed(text, diagnostic);
    }
    let mut sources = Sources::default();
    sources.add("main.blink", "main.blink", text.to_owned());
    human::render(&parsed.diagnostics, &sources, Colour::On, Strokes::Lines);
    compact::render(&parsed.diagnostics, &sources);
    github::render(&parsed.diagnostics, &sources);
    for diagnostic in &parsed.diagnostics {
        json::diagnostic(diagnostic, &sources);
    }
    let mut statements: Vec<_> =
        parsed.document.options.iter().map(|option| holds(text, option.span, "an option")).collect();
    declarations(text, &parsed.document.declarations, parsed.diagnostics.is_empty(), &mut statements);
    if parsed.diagnostics.is_empty() {
        for token in lex(FileId(0), text).tokens {
            let at = token.span.start as usize..token.span.end as usize;
            let inside = |range: &std::ops::Range<usize>| range.start <= at.start && at.end <= range.end;
            assert!(at.is_empty() || statements.iter().any(inside), "{:?} is in no declaration", &text[at]);
        }
    }
}

/// Declarations of one scope stand one behind the other, and those of a scope in it.
fn declarations(
    text: &str,
    of: &[Declaration],
    is_sound: bool,
    statements: &mut Vec<std::ops::Range<usize>>,
) {
    let mut end = 0;
    for declaration in of {
        let range = holds(text, declaration.span, "a declaration");
        assert!(range.start >= end, "declarations overlap at {range:?}");
        end = range.end;
        if let DeclarationKind::Scope(scope) = &declaration.kind {
            let mut inner = Vec::new();
            declarations(text, &scope.declarations, is_sound, &mut inner);
            let inside =
                |inner: &std::ops::Range<usize>| range.start <= inner.start && inner.end <= range.end;
            // What is still open where its scope ends may reach past it.
            assert!(!is_sound || inner.iter().all(inside), "a declaration outside of its scope at {range:?}");
        }
        statements.push(range);
    }
}

fn well_placed(text: &str, diagnostic: &Diagnostic) {
    for label in &diagnostic.labels {
        holds(text, label.span, "a label");
    }
    for fix in &diagnostic.fixes {
        for (span, _) in &fix.edits {
            holds(text, *span, "an edit");
        }
    }
}
