//! What can be folded away, and how a selection grows.

use crate::Analysis;
use crate::source::{FileId, Span};
use crate::syntax::lexer::lex;
use crate::syntax::token::TokenKind;

/// A run of lines that can be folded, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fold {
    /// The line that stays.
    pub first: u32,
    /// The last line that goes.
    pub last: u32,
    /// Whether it is a comment.
    pub comment: bool,
}

/// Brackets and comments over several lines, in the order of the text.
pub fn folds(analysis: &Analysis, file: FileId) -> Vec<Fold> {
    let source = &analysis.sources[file];
    let lexed = lex(file, &source.text);
    let mut open = Vec::new();
    let mut folds = Vec::new();
    for token in &lexed.tokens {
        if token.kind.is_opener() {
            open.push(token.span);
        } else if token.kind.is_closer()
            && let Some(start) = open.pop()
        {
            let (first, last) = (source.position(start.start).line, source.position(token.span.start).line);
            if last > first + 1 {
                // The line of the closing bracket stays, as editors show it.
                folds.push(Fold { first, last: last - 1, comment: false });
            }
        }
    }
    let mut run: Option<Fold> = None;
    for comment in &lexed.comments {
        let (first, last) = (source.position(comment.start).line, source.position(comment.end).line);
        match &mut run {
            Some(fold) if first == fold.last + 1 => fold.last = last,
            _ => {
                folds.extend(run.take().filter(|fold| fold.last > fold.first));
                run = Some(Fold { first, last, comment: true });
            }
        }
    }
    folds.extend(run.filter(|fold| fold.last > fold.first));
    folds.sort_by_key(|fold| (fold.first, fold.last));
    folds
}

/// The spans a growing selection takes from an offset on, the smallest first: the word, the brackets around it, the
/// file.
pub fn selections(analysis: &Analysis, file: FileId, offset: u32) -> Vec<Span> {
    let text = &analysis.sources[file].text;
    let tokens = lex(file, text).tokens;
    let mut spans: Vec<Span> = tokens
        .iter()
        .filter(|token| token.kind != TokenKind::EndOfFile && super::touches(token.span, offset))
        .map(|token| token.span)
        .take(1)
        .collect();
    let (mut open, mut around) = (Vec::new(), Vec::new());
    for token in &tokens {
        if token.kind.is_opener() {
            open.push(token.span);
        } else if token.kind.is_closer()
            && let Some(start) = open.pop()
            && start.start <= offset
            && offset <= token.span.end
        {
            around.push(Span { start: start.end, end: token.span.start, ..start });
            around.push(start.to(token.span));
        }
    }
    around.retain(|span| super::touches(*span, offset));
    spans.extend(around);
    if let Some(document) = analysis.index.document(file) {
        super::each_declaration(&document.declarations, &mut |declaration| {
            if super::touches(declaration.span, offset) {
                spans.push(declaration.span);
            }
        });
    }
    spans.push(Span::new(file, 0, text.len()));
    spans.sort_by_key(|span| span.len());
    spans.dedup();
    // Each holds the one before it.
    let mut nested: Vec<Span> = Vec::new();
    for span in spans {
        if nested.last().is_none_or(|inner| span.start <= inner.start && inner.end <= span.end) {
            nested.push(span);
        }
    }
    nested
}
