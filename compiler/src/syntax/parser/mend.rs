//! Corrections of a text that does not parse, where only one can be meant.

use super::{Failed, Parser};
use crate::diagnostics::{Fix, suggest};
use crate::source::Span;
use crate::syntax::diagnostics;
use crate::syntax::token::{Keyword, TokenKind};

/// Keywords that start a declaration.
const DECLARING: &[Keyword] = &[
    Keyword::Type,
    Keyword::Struct,
    Keyword::Enum,
    Keyword::Map,
    Keyword::Set,
    Keyword::Event,
    Keyword::Function,
    Keyword::Scope,
    Keyword::Import,
    Keyword::Option,
    Keyword::Export,
];

impl Parser<'_> {
    /// What makes the token here, or its absence, into what is `needed`.
    pub(super) fn mended(&self, needed: &str) -> Option<Fix> {
        let token = self.token();
        let (kind, next) = (token.kind, self.peek(1).kind);
        let before = self.previous();
        match needed {
            "`:`" if kind == TokenKind::Equals => Some(Fix::write(token.span, ":")),
            "`:`" if starts_value(kind) && !assigns(next) && !self.at_declaration() => {
                Some(Fix::insert_after(before, ":"))
            }
            "`=`" if kind == TokenKind::Colon => Some(Fix::write(token.span, "=")),
            "`=`" if starts_value(kind) && !assigns(next) && !self.at_declaration() => {
                Some(Fix::insert_after(before, " ="))
            }
            "`{`" if matches!(kind, TokenKind::Equals | TokenKind::Colon) && next == TokenKind::LeftBrace => {
                Some(Fix::delete(Span { start: before.end, ..token.span }))
            }
            "`]`" => Some(Fix::insert_after(before, "]")),
            "`}`" if kind == TokenKind::Comma && next == TokenKind::RightBrace => {
                Some(Fix::delete(token.span))
            }
            "the path of a schema in quotes"
                if matches!(kind, TokenKind::Identifier | TokenKind::Qualified) =>
            {
                Some(self.quoted(token.span))
            }
            "a profile's name in quotes" if kind == TokenKind::Class => {
                let inner = self.text(token.span).trim_matches(['(', ')']).to_string();
                Some(Fix::write(token.span, format!("(\"{inner}\")")))
            }
            "the name of a field in quotes" if kind.is_word() => Some(self.quoted(token.span)),
            _ if self.at_declaration() && matches!(needed, "`}`" | "`)`" | "`]`" | "`>`") => {
                Some(Fix::insert_after(before, self.closers(false)))
            }
            _ => self.mended_list(needed),
        }
    }

    /// Goes on behind a mark that is missing or miswritten and can be no other, as if it were there.
    pub(super) fn as_if_mended(&mut self, kind: TokenKind) -> Option<Span> {
        match kind {
            TokenKind::Colon | TokenKind::Equals => {
                let other = matches!(self.kind(), TokenKind::Colon | TokenKind::Equals);
                Some(if other { self.bump().span } else { self.previous().after() })
            }
            TokenKind::LeftBrace => {
                self.bump();
                self.eat(TokenKind::LeftBrace)
            }
            TokenKind::RightBracket if self.at(TokenKind::Colon) => Some(self.previous().after()),
            _ => None,
        }
    }

    /// What is missing between an item of a list and the token here.
    fn mended_list(&self, needed: &str) -> Option<Fix> {
        needed.strip_prefix("`,` or ")?;
        let (kind, before) = (self.kind(), self.previous());
        if self.at_declaration() {
            return Some(Fix::insert_after(before, self.closers(false)));
        }
        if kind.is_closer() || kind == TokenKind::RightAngle {
            // The bracket of an outer list: those in between are what is missing.
            let at = self.open.iter().rposition(|open| open.close == kind)?;
            let missing: String = self.open[at + 1..].iter().rev().map(|open| closing(open.close)).collect();
            return (!missing.is_empty()).then(|| Fix::insert_after(before, missing));
        }
        let next = self.peek(1).kind;
        let ends = next == TokenKind::Comma || next.is_closer() || next == TokenKind::RightAngle;
        let starts = match kind {
            TokenKind::DotDot => true,
            TokenKind::LeftBracket => next == TokenKind::String,
            TokenKind::String | TokenKind::Number => ends && !self.in_block(),
            _ if kind.is_word() || kind == TokenKind::Qualified => {
                next == TokenKind::Colon || (ends && !self.in_block())
            }
            _ => false,
        };
        starts.then(|| Fix::insert_after(before, ","))
    }

    /// Whether the innermost bracket is a brace whose items have keys: the token before the last colon says so.
    fn in_block(&self) -> bool {
        if self.open.last().is_none_or(|open| open.close != TokenKind::RightBrace) {
            return false;
        }
        // A label has no colon in front of it on its way back to the bracket or the comma.
        self.tokens[..self.at]
            .iter()
            .rev()
            .take_while(|token| !matches!(token.kind, TokenKind::Comma | TokenKind::LeftBrace))
            .any(|token| token.kind == TokenKind::Colon)
    }

    fn quoted(&self, span: Span) -> Fix {
        Fix::write(span, format!("\"{}\"", self.text(span)))
    }

    /// The keyword that was probably meant where a declaration is needed.
    pub(super) fn keyword_meant(&self) -> Option<&'static str> {
        let token = self.token();
        let begins = token.kind == TokenKind::Identifier
            && (self.peek(1).kind.is_word() || self.peek(1).kind == TokenKind::String);
        let words = DECLARING.iter().map(|keyword| keyword.text());
        begins.then(|| suggest::nearest(self.text(token.span), words)).flatten()
    }

    /// Brackets that close what is open here: all of it, or up to the innermost scope.
    pub(super) fn closers(&self, all: bool) -> String {
        let open = self.open.iter().rev().take_while(|open| all || !open.scope);
        open.map(|open| closing(open.close)).collect()
    }

    /// A pack that runs on into the block around it.
    pub(super) fn unclosed_pack(&mut self, open: Span) -> Failed {
        let (span, before) = (self.span(), self.previous());
        let construct = diagnostics::unclosed_pack(span, &self.found(), open);
        // A pack of one bare name would read as a class, which a comma prevents.
        let fix = match self.text(before) {
            "," => Fix { title: "Insert `)`".to_string(), edits: vec![(before, ",),".to_string())] },
            _ if self.at(TokenKind::RightBrace) => Fix::insert_after(before, ",)"),
            _ => Fix::insert_after(before, ",),"),
        };
        self.report(construct.opt_fix(Some(fix)))
    }

    /// Whether a field that only a block of an event or a function has starts on a line of its own here.
    pub(super) fn at_block_field(&self) -> bool {
        if !self.at_item() {
            return false;
        }
        let value = self.peek(2);
        let word = self.text(value.span);
        match self.text(self.span()) {
            "From" | "from" => matches!(word, "Client" | "Server"),
            "Type" | "type" => {
                matches!(word, "Reliable" | "Unreliable" | "OrderedUnreliable" | "ReliableUnordered")
            }
            "Channel" | "channel" => matches!(word, "Default" | "Controls" | "Events"),
            "Call" | "call" => {
                matches!(word, "SingleSync" | "SingleAsync" | "ManySync" | "ManyAsync" | "Polling")
            }
            "Yield" | "yield" => matches!(word, "Future" | "Promise" | "Coroutine"),
            "Priority" | "priority" => matches!(word, "Low" | "Normal"),
            "Rate" | "rate" | "Burst" | "burst" | "Stamp" | "stamp" | "Concurrency" | "concurrency" => {
                value.kind == TokenKind::Number
            }
            "Stream" | "stream" => value.kind == TokenKind::LeftBrace,
            "Data" | "data" | "Return" | "return" => value.kind == TokenKind::LeftParen,
            _ => false,
        }
    }

    /// Bounds in brackets that were not read as one token: with spaces, or without a closing bracket.
    pub(super) fn loose_bounds(&self, close: TokenKind) -> LooseBounds {
        let open = self.span();
        let (mut ahead, mut text) = (1, String::new());
        while matches!(self.peek(ahead).kind, TokenKind::Number | TokenKind::DotDot) && ahead <= 3 {
            text.push_str(self.text(self.peek(ahead).span));
            ahead += 1;
        }
        if ahead == 1 {
            return LooseBounds::None;
        }
        let end = self.peek(ahead);
        if end.kind != close {
            let last = self.peek(ahead - 1).span;
            let between = self.text.get(last.end as usize..end.span.start as usize);
            let over = matches!(end.kind, TokenKind::Comma | TokenKind::Question | TokenKind::EndOfFile)
                || end.kind.is_closer()
                || between.is_some_and(|between| between.contains('\n'));
            return if over { LooseBounds::Open(open.to(last)) } else { LooseBounds::None };
        }
        let span = open.to(end.span);
        LooseBounds::Spaced(Fix::write(span, format!("{}{text}{}", self.text(open), self.text(end.span))))
    }
}

/// What stands behind a bracket that opens no range.
pub(super) enum LooseBounds {
    /// No bounds.
    None,
    /// Bounds with spaces around them; the fix takes them out.
    Spaced(Fix),
    /// Bounds that nothing closes, bracket included.
    Open(Span),
}

/// Whether a token stands between a name and what it is.
fn assigns(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Equals | TokenKind::Colon)
}

/// Whether a token begins a value or a type.
fn starts_value(kind: TokenKind) -> bool {
    kind.is_word()
        || matches!(
            kind,
            TokenKind::Qualified
                | TokenKind::String
                | TokenKind::Number
                | TokenKind::LeftBrace
                | TokenKind::LeftParen
                | TokenKind::Class
        )
}

/// A closing bracket as it is inserted.
fn closing(kind: TokenKind) -> &'static str {
    match kind {
        TokenKind::RightBrace => " }",
        TokenKind::RightParen => ")",
        TokenKind::RightBracket => "]",
        TokenKind::RightAngle => ">",
        _ => unreachable!("only closing brackets close a list"),
    }
}
