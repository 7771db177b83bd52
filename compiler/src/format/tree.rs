//! Tokens grouped by statements and brackets, and the comments between them told apart by what they belong to.

use crate::source::Span;
use crate::syntax::ast::{Attribute, Declaration, DeclarationKind, Document};
use crate::syntax::token::{Token, TokenKind};

/// A file, ready to be laid out.
pub(super) struct Tree<'a> {
    /// The text.
    pub text: &'a str,
    /// Its tokens, the end of the file last.
    pub tokens: &'a [Token],
    /// What stands in front of each token.
    pub gaps: Vec<Gap<'a>>,
    /// Statements of the top level.
    pub statements: Vec<Statement>,
}

/// What stands between a token and the one in front of it.
#[derive(Debug, Default)]
pub(super) struct Gap<'a> {
    /// Comments that close the line of the token in front.
    pub trailing: Vec<Comment<'a>>,
    /// Comments that belong to the token behind.
    pub leading: Vec<Comment<'a>>,
    /// Whether a line ends right in front of the token.
    pub newline: bool,
    /// Whether a blank line stands right in front of the token.
    pub blank: bool,
}

impl Gap<'_> {
    /// Whether it holds no comment.
    pub fn is_bare(&self) -> bool {
        self.trailing.is_empty() && self.leading.is_empty()
    }
}

/// A comment, its marks included.
#[derive(Clone, Copy, Debug)]
pub(super) struct Comment<'a> {
    /// As written; without the white space behind one that ends with its line.
    pub text: &'a str,
    /// Whether it ends with its line, so that nothing can follow it there.
    pub line: bool,
    /// Whether it starts a line.
    pub own_line: bool,
    /// Whether a blank line stands in front of it.
    pub blank: bool,
}

/// An option or a declaration.
pub(super) struct Statement {
    /// First token of each part that may stand on a line of its own: attributes, then the statement proper.
    pub starts: Vec<usize>,
    /// Parts of the attributes and of the statement proper, as many as `starts`. A scope's end with its open brace.
    pub segments: Vec<Vec<Part>>,
    /// What a scope holds.
    pub body: Option<Body>,
    /// Whether it is an option.
    pub option: bool,
    /// Last token.
    pub last: usize,
}

/// What stands between the braces of a scope.
pub(super) struct Body {
    /// The token that closes it.
    pub close: usize,
    /// What it holds.
    pub statements: Vec<Statement>,
    /// Whether the scope was written over several lines.
    pub multiline: bool,
}

/// A token or a bracket with what it holds.
pub(super) enum Part {
    /// A token that is no bracket, by its index.
    Token(usize),
    /// Brackets.
    Group(Group),
}

impl Part {
    /// Its first token.
    pub fn first(&self) -> usize {
        match self {
            Part::Token(token) => *token,
            Part::Group(group) => group.open,
        }
    }

    /// Its last token.
    pub fn last(&self) -> usize {
        match self {
            Part::Token(token) => *token,
            Part::Group(group) => group.close,
        }
    }
}

/// Brackets and the items between them.
pub(super) struct Group {
    /// The opening token.
    pub open: usize,
    /// The closing token.
    pub close: usize,
    /// Items in order.
    pub items: Vec<Item>,
    /// Whether it was written over several lines.
    pub multiline: bool,
    /// How it may be broken.
    pub style: Style,
}

/// How a group may be broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// An item a line, each followed by a comma.
    Commas,
    /// An item a line, with no comma behind the last.
    NoLastComma,
    /// Not at all: what it holds may be.
    Tight,
}

/// An item of a list.
pub(super) struct Item {
    /// What it is made of; never empty.
    pub parts: Vec<Part>,
    /// The comma behind it.
    pub comma: Option<usize>,
}

impl<'a> Tree<'a> {
    /// Groups the tokens of a document that parses.
    pub fn of(text: &'a str, tokens: &'a [Token], comments: &[Span], document: &Document) -> Tree<'a> {
        let builder = Builder { tokens, lines: lines(text, tokens) };
        let mut bounds: Vec<Bound> = document
            .options
            .iter()
            .map(|option| {
                // The keyword is the token in front of the name.
                let keyword = builder.token_at(option.name.span).saturating_sub(1);
                Bound { starts: builder.starts(&option.attributes, keyword), declaration: None }
            })
            .collect();
        bounds.extend(builder.bounds(&document.declarations));
        let statements = builder.statements(&bounds, tokens.len() - 1);
        Tree { text, tokens, gaps: gaps(text, tokens, comments), statements }
    }
}

/// First and last line of each token, counted from any number.
fn lines(text: &str, tokens: &[Token]) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let count = |from: usize, to: usize| bytes[from..to].iter().filter(|byte| **byte == b'\n').count();
    let (mut line, mut at) = (0, 0);
    let mut found = Vec::with_capacity(tokens.len());
    for token in tokens {
        let (start, end) = (token.span.start as usize, token.span.end as usize);
        let first = line + count(at, start);
        line = first + count(start, end);
        at = end;
        found.push((first, line));
    }
    found
}

/// Tells the comments between tokens apart.
fn gaps<'a>(text: &'a str, tokens: &[Token], comments: &[Span]) -> Vec<Gap<'a>> {
    let mut left = comments.iter().peekable();
    let mut found = Vec::with_capacity(tokens.len());
    let mut at = 0;
    for (index, token) in tokens.iter().enumerate() {
        let start = token.span.start as usize;
        let mut between = Vec::new();
        while let Some(span) =
            left.next_if(|span| (span.start as usize) < start.max(1) || token.kind == TokenKind::EndOfFile)
        {
            let breaks = newlines(text, at, span.start as usize);
            let (comment, line) = comment_text(&text[span.start as usize..span.end as usize]);
            let own_line = breaks > 0 || (index == 0 && between.is_empty());
            between.push(Comment { text: comment, line, own_line, blank: breaks > 1 });
            at = span.end as usize;
        }
        let breaks = newlines(text, at, start.max(at));
        let ends_line = breaks > 0 || token.kind == TokenKind::EndOfFile;
        let same_line = between.iter().take_while(|comment| !comment.own_line).count();
        let closes = same_line < between.len() || ends_line;
        let leading = between.split_off(if closes { same_line } else { 0 });
        found.push(Gap { trailing: between, leading, newline: breaks > 0, blank: breaks > 1 });
        at = token.span.end as usize;
    }
    found
}

fn newlines(text: &str, from: usize, to: usize) -> usize {
    text.as_bytes()[from..to].iter().filter(|byte| **byte == b'\n').count()
}

/// A comment as it is written out, and whether it ends with its line (language specification, 1.2).
fn comment_text(text: &str) -> (&str, bool) {
    let body = text.strip_prefix("--[").unwrap_or("");
    let level = body.bytes().take_while(|byte| *byte == b'=').count();
    let close = format!("]{}]", "=".repeat(level));
    let opens = body[level..].strip_prefix('[');
    match opens {
        Some(inner) if inner.ends_with(&close) => (text, false),
        // An open `--[[` runs to the end of the file, where nothing follows it.
        Some(_) | None => (text.trim_end(), true),
    }
}

/// Where a statement starts.
struct Bound<'a> {
    starts: Vec<usize>,
    declaration: Option<&'a Declaration>,
}

struct Builder<'a> {
    tokens: &'a [Token],
    lines: Vec<(usize, usize)>,
}

impl Builder<'_> {
    /// The token that starts where `span` does.
    fn token_at(&self, span: Span) -> usize {
        self.tokens.partition_point(|token| token.span.start < span.start)
    }

    fn starts(&self, attributes: &[Attribute], keyword: usize) -> Vec<usize> {
        let mut starts: Vec<usize> =
            attributes.iter().map(|attribute| self.token_at(attribute.span)).collect();
        starts.push(keyword);
        starts
    }

    fn bounds<'d>(&self, declarations: &'d [Declaration]) -> Vec<Bound<'d>> {
        let bound = |declaration: &'d Declaration| {
            let keyword = self.token_at(declaration.export.unwrap_or(declaration.keyword));
            let mut starts = self.starts(&declaration.attributes, keyword);
            if matches!(declaration.kind, DeclarationKind::Nothing) {
                starts.pop();
            }
            Bound { starts, declaration: Some(declaration) }
        };
        declarations.iter().map(bound).collect()
    }

    /// Statements up to, and not including, the token `end`.
    fn statements(&self, bounds: &[Bound], end: usize) -> Vec<Statement> {
        let mut found = Vec::with_capacity(bounds.len());
        for (position, bound) in bounds.iter().enumerate() {
            let next = bounds.get(position + 1).map_or(end, |next| next.starts[0]);
            found.push(self.statement(bound, next));
        }
        found
    }

    fn statement(&self, bound: &Bound, end: usize) -> Statement {
        let proper = *bound.starts.last().unwrap_or(&0);
        let multiline = self.is_multiline(proper, end - 1);
        let (mut block, mut body, mut head_end) = (None, None, end);
        match bound.declaration.map(|declaration| &declaration.kind) {
            Some(
                DeclarationKind::Event(member)
                | DeclarationKind::Function(member)
                | DeclarationKind::State(member)
                | DeclarationKind::Table(member)
                | DeclarationKind::Entity(member),
            ) => {
                block = Some(self.token_at(member.block.span));
            }
            Some(DeclarationKind::Scope(scope)) => {
                head_end = self.token_at(scope.name.span) + 2;
                let statements = self.statements(&self.bounds(&scope.declarations), end - 1);
                body = Some(Body { close: end - 1, statements, multiline });
            }
            Some(DeclarationKind::Import(_) | DeclarationKind::Type(_) | DeclarationKind::Nothing) | None => {
            }
        }
        let mut segments = Vec::with_capacity(bound.starts.len());
        for (position, &start) in bound.starts.iter().enumerate() {
            let last = position + 1 == bound.starts.len();
            let end = if last { head_end } else { bound.starts[position + 1] };
            let mut parts = self.parts(start, end, block);
            for part in &mut parts {
                if let Part::Group(group) = part {
                    let braces = self.tokens[group.open].kind == TokenKind::LeftBrace;
                    group.multiline |= braces && last && multiline;
                }
            }
            segments.push(parts);
        }
        let option = bound.declaration.is_none();
        Statement { starts: bound.starts.clone(), segments, body, option, last: end - 1 }
    }

    fn is_multiline(&self, first: usize, last: usize) -> bool {
        self.lines[first].0 != self.lines[last].1
    }

    /// The tokens `start..end`, brackets matched; one left open stands as a token.
    fn parts(&self, start: usize, end: usize, block: Option<usize>) -> Vec<Part> {
        let mut at = start;
        let mut parts = Vec::new();
        while at < end {
            parts.push(self.part(&mut at, end, block));
        }
        parts
    }

    /// The group or the token at `at`, which moves behind it.
    fn part(&self, at: &mut usize, end: usize, block: Option<usize>) -> Part {
        let first = *at;
        match closing(self.tokens[first].kind).and_then(|close| self.group(first, end, close, block)) {
            Some(group) => {
                *at = group.close + 1;
                Part::Group(group)
            }
            None => {
                *at += 1;
                Part::Token(first)
            }
        }
    }

    fn group(&self, open: usize, end: usize, close: TokenKind, block: Option<usize>) -> Option<Group> {
        let mut items = Vec::new();
        let mut parts = Vec::new();
        let mut at = open + 1;
        while at < end {
            let kind = self.tokens[at].kind;
            if kind == close {
                if !parts.is_empty() {
                    items.push(Item { parts, comma: None });
                }
                let style = self.style(open, items.len(), block);
                return Some(Group { open, close: at, items, multiline: self.is_multiline(open, at), style });
            }
            if kind == TokenKind::Comma {
                items.push(Item { parts: std::mem::take(&mut parts), comma: Some(at) });
                at += 1;
                continue;
            }
            parts.push(self.part(&mut at, end, block));
        }
        None
    }

    fn style(&self, open: usize, items: usize, block: Option<usize>) -> Style {
        let kind = |at: usize| self.tokens[at].kind;
        match kind(open) {
            TokenKind::LeftBracket => Style::Tight,
            TokenKind::LeftParen if open > 0 && kind(open - 1) == TokenKind::Attribute => Style::Tight,
            TokenKind::LeftAngle if items <= 1 => Style::Tight,
            TokenKind::LeftBrace if block == Some(open) => Style::NoLastComma,
            // `{ [K]: V }` of a map, but not `{ ["Max HP"]: u8 }` of a struct.
            TokenKind::LeftBrace
                if kind(open + 1) == TokenKind::LeftBracket && kind(open + 2) != TokenKind::String =>
            {
                Style::NoLastComma
            }
            _ => Style::Commas,
        }
    }
}

/// What closes a bracket.
fn closing(kind: TokenKind) -> Option<TokenKind> {
    match kind {
        TokenKind::LeftBrace => Some(TokenKind::RightBrace),
        TokenKind::LeftParen => Some(TokenKind::RightParen),
        TokenKind::LeftAngle => Some(TokenKind::RightAngle),
        TokenKind::LeftBracket => Some(TokenKind::RightBracket),
        _ => None,
    }
}
