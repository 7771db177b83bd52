//! The parser: one function a production of the grammar (language specification, 2).
//!
//! A production gives `Ok` with a node or `Err(Failed)` once it has reported why not. Lists recover at the next comma,
//! closing bracket or declaration, whichever comes first, and never report a second fault for the same item. Names:
//! `opt_x` may find nothing; any other production finds its node or fails.

mod block;
mod declaration;
mod entity;
mod mend;
mod ty;

use super::ast::{Document, Name};
use super::diagnostics;
use super::token::{Keyword, Token, TokenKind};
use crate::diagnostics::{Diagnostic, Fix};
use crate::source::{FileId, Span};

/// A production could not be read; the diagnostic is already there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Failed;

type Outcome<T> = Result<T, Failed>;

/// Reads a document out of its tokens.
pub(super) fn parse(file: FileId, text: &str, tokens: &[Token]) -> (Document, Vec<Diagnostic>) {
    let mut parser = Parser {
        text,
        tokens,
        at: 0,
        diagnostics: vec![],
        depth: 0,
        construct: Span::new(file, 0, 0),
        construct_line: None,
        unclosed_reported: false,
        open: vec![],
        options: vec![],
        options_end: None,
    };
    let document = parser.document();
    (document, parser.diagnostics)
}

struct Parser<'a> {
    text: &'a str,
    tokens: &'a [Token],
    at: usize,
    diagnostics: Vec<Diagnostic>,
    /// Types, blocks and scopes open around this place.
    depth: usize,
    /// Start of the construct being read, for secondary labels.
    construct: Span,
    /// Where a construct starts, and where its first line ends.
    construct_line: Option<(usize, usize)>,
    /// An open bracket at the end of the file is reported once, not once for each bracket around it.
    unclosed_reported: bool,
    /// Brackets open around this place, the innermost last.
    open: Vec<Open>,
    /// Names of the options read so far.
    options: Vec<&'a str>,
    /// The last option in its right place.
    options_end: Option<Span>,
}

/// An open bracket.
#[derive(Clone, Copy)]
struct Open {
    /// What closes it.
    close: TokenKind,
    /// Whether it is that of a scope, which declarations stand in.
    scope: bool,
}

/// Which words may stand as a new name (language specification, 1.6).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Words {
    /// Declarations, keys, parameters, aliases of imports: anything but a primitive.
    NotPrimitive,
    /// Fields and labels: any word.
    Any,
}

impl<'a> Parser<'a> {
    fn token(&self) -> Token {
        self.peek(0)
    }

    /// The token `ahead` tokens on; the end of the file stays the end of the file.
    fn peek(&self, ahead: usize) -> Token {
        let last = self.tokens.len() - 1;
        self.tokens[(self.at + ahead).min(last)]
    }

    fn kind(&self) -> TokenKind {
        self.token().kind
    }

    fn span(&self) -> Span {
        self.token().span
    }

    /// The token just read.
    fn previous(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    fn text(&self, span: Span) -> &'a str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    fn at(&self, kind: TokenKind) -> bool {
        self.kind() == kind
    }

    fn at_end(&self) -> bool {
        self.at(TokenKind::EndOfFile)
    }

    fn bump(&mut self) -> Token {
        let token = self.token();
        if token.kind != TokenKind::EndOfFile {
            self.at += 1;
        }
        token
    }

    fn eat(&mut self, kind: TokenKind) -> Option<Span> {
        self.at(kind).then(|| self.bump().span)
    }

    fn expect(&mut self, kind: TokenKind, needed: &str) -> Outcome<Span> {
        match self.eat(kind) {
            Some(span) => Ok(span),
            None => {
                let certain = self.mended(needed).is_some();
                let failed = self.unexpected(needed);
                if certain { self.as_if_mended(kind).ok_or(failed) } else { Err(failed) }
            }
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) -> Failed {
        // Each bracket left open in front of one declaration would say the same of it.
        let same = |last: &Diagnostic| last.code == diagnostic.code && last.span() == diagnostic.span();
        if self.diagnostics.last().is_some_and(same) {
            return Failed;
        }
        self.diagnostics.push(diagnostic);
        Failed
    }

    /// Reports that the token here is not what is needed.
    fn unexpected(&mut self, needed: &str) -> Failed {
        let token = self.token();
        let construct = self.distant_construct();
        if token.kind == TokenKind::EndOfFile {
            return self.report_end(diagnostics::unexpected_end(token.span, needed, construct));
        }
        let found = self.found();
        let mended = self.mended(needed);
        let mut diagnostic = diagnostics::unexpected(token.span, &found, needed, construct);
        if needed == "a declaration" {
            diagnostic = diagnostic.did_you_mean(token.span, self.keyword_meant());
        }
        self.report(diagnostic.opt_fix(mended))
    }

    /// How a message names the token here.
    fn found(&self) -> String {
        let token = self.token();
        match token.kind {
            TokenKind::Identifier | TokenKind::Keyword(_) | TokenKind::Boolean | TokenKind::Primitive(_) => {
                format!("\"{}\"", self.text(token.span))
            }
            kind => kind.describe().to_string(),
        }
    }

    /// Reports that a bracket is still open at the end of the file.
    fn unclosed(&mut self, open: Span, close: TokenKind) -> Failed {
        let diagnostic = diagnostics::unclosed(self.span(), open, close.describe());
        let closers = self.closers(true);
        let fix = Fix::insert_after(self.previous(), closers);
        self.report_end(diagnostic.opt_fix(Some(fix)))
    }

    /// Reports the end of the file, once.
    fn report_end(&mut self, diagnostic: Diagnostic) -> Failed {
        if !self.unclosed_reported {
            self.unclosed_reported = true;
            self.diagnostics.push(diagnostic);
        }
        Failed
    }

    /// The construct being read, when it starts on another line.
    fn distant_construct(&mut self) -> Option<Span> {
        let start = self.construct.start as usize;
        // A line end that was found is found again at once: a construct may hold thousands of faults.
        let line_end = match self.construct_line {
            Some((of, end)) if of == start => end,
            Some(_) | None => {
                let end = self.text.get(start..)?.find('\n').map_or(self.text.len(), |at| start + at);
                self.construct_line = Some((start, end));
                end
            }
        };
        (self.span().start as usize > line_end).then_some(self.construct)
    }

    /// Runs a production one level deeper, or refuses.
    fn nested<T>(&mut self, production: impl FnOnce(&mut Self) -> Outcome<T>) -> Outcome<T> {
        if self.depth >= diagnostics::NESTING_LIMIT {
            let span = self.span();
            return Err(self.report(diagnostics::too_deep(span)));
        }
        self.depth += 1;
        let outcome = production(self);
        self.depth -= 1;
        outcome
    }

    /// Items up to `close`, separated by commas, the last of which may stand behind the last item. The opening bracket
    /// `open` has been read. Gives the items that could be read, the span of `close`, and whether all could be.
    fn list<T>(
        &mut self,
        open: Span,
        close: TokenKind,
        item: impl FnMut(&mut Self) -> Outcome<T>,
    ) -> Outcome<List<T>> {
        self.open.push(Open { close, scope: false });
        let list = self.items(open, close, item);
        self.open.pop();
        list
    }

    fn items<T>(
        &mut self,
        open: Span,
        close: TokenKind,
        mut item: impl FnMut(&mut Self) -> Outcome<T>,
    ) -> Outcome<List<T>> {
        let mut list = List { items: vec![], close: open, complete: true };
        loop {
            if let Some(span) = self.eat(close) {
                list.close = span;
                return Ok(list);
            }
            if self.at_end() {
                return Err(self.unclosed(open, close));
            }
            if close == TokenKind::RightParen && self.at_block_field() {
                return Err(self.unclosed_pack(open));
            }
            if self.at_declaration() {
                return Err(self.unexpected(close.describe()));
            }
            let start = self.at;
            let read = item(self);
            let failed = read.is_err();
            list.items.extend(read);
            if failed {
                list.complete = false;
                self.skip_item();
            }
            if self.eat(TokenKind::Comma).is_some() || self.at(close) || self.at_end() {
                continue;
            }
            // Here an item is followed by something else. One fault an item, and then the next item.
            if !failed {
                list.complete = false;
                if close == TokenKind::RightParen && (self.at(TokenKind::RightBrace) || self.at_block_field())
                {
                    return Err(self.unclosed_pack(open));
                }
                self.unexpected(&format!("`,` or {}", close.describe()));
                if !self.at_item() {
                    self.skip_item();
                    self.eat(TokenKind::Comma);
                }
            }
            if self.at_declaration() || self.at_foreign_closer(close) {
                return Err(Failed);
            }
            if self.at == start {
                self.bump();
            }
        }
    }

    /// Skips to the end of a broken item: a comma, or a closing bracket that was not opened in it, or what can only be
    /// the next declaration.
    fn skip_item(&mut self) {
        let mut open = 0usize;
        while !self.at_end() {
            let kind = self.kind();
            if self.at_declaration() || (open == 0 && (kind == TokenKind::Comma || self.at_item())) {
                return;
            }
            if kind.is_opener() {
                open += 1;
            } else if kind.is_closer() {
                if open > 0 {
                    open -= 1;
                } else if self.open.iter().any(|open| open.close == kind) {
                    return;
                }
            } else if kind == TokenKind::RightAngle && open == 0 {
                return;
            }
            self.bump();
        }
    }

    /// Whether the token closes a bracket around the one being read.
    fn at_foreign_closer(&self, close: TokenKind) -> bool {
        let kind = self.kind();
        kind != close && kind.is_closer() && self.open.iter().any(|open| open.close == kind)
    }

    /// Whether a keyed item starts here on a line of its own: the next field of a block after a missing comma.
    fn at_item(&self) -> bool {
        let token = self.token();
        if self.at == 0 || !token.kind.is_word() || self.peek(1).kind != TokenKind::Colon {
            return false;
        }
        self.on_new_line()
    }

    /// Whether a line ends between the token just read and the one here.
    fn on_new_line(&self) -> bool {
        let between = self.text.get(self.previous().end as usize..self.span().start as usize);
        between.is_some_and(|between| between.contains('\n'))
    }

    /// Whether what stands here can only be the start of a declaration. Keywords alone do not decide it, since they
    /// may name fields.
    fn at_declaration(&self) -> bool {
        if self.opener().is_some() {
            return true;
        }
        let (next, after) = (self.peek(1).kind, self.peek(2).kind);
        let named = next.is_word() || next == TokenKind::Qualified;
        let TokenKind::Keyword(keyword) = self.kind() else {
            return self.at(TokenKind::Attribute) && next == TokenKind::LeftParen;
        };
        match keyword {
            Keyword::Event | Keyword::Function | Keyword::Scope | Keyword::State | Keyword::Table => {
                named && after == TokenKind::LeftBrace
            }
            Keyword::Struct => named && matches!(after, TokenKind::LeftBrace | TokenKind::LeftAngle),
            Keyword::Enum | Keyword::Map | Keyword::Set | Keyword::Type => {
                named && matches!(after, TokenKind::Equals | TokenKind::LeftAngle)
            }
            Keyword::Option => named && after == TokenKind::Equals,
            Keyword::Import => next == TokenKind::String,
            Keyword::Export => matches!(
                next,
                TokenKind::Keyword(
                    Keyword::Type
                        | Keyword::Struct
                        | Keyword::Enum
                        | Keyword::Map
                        | Keyword::Set
                        | Keyword::Event
                        | Keyword::Function
                        | Keyword::State
                        | Keyword::Table
                        | Keyword::Scope
                )
            ),
            Keyword::As => false,
        }
    }

    /// A new name.
    fn name(&mut self, words: Words, needed: &str) -> Outcome<Name> {
        let token = self.token();
        let text = self.text(token.span);
        match token.kind {
            TokenKind::Primitive(_) if words == Words::NotPrimitive => {
                Err(self.report(diagnostics::built_in_name(token.span, text)))
            }
            TokenKind::Qualified => Err(self.report(diagnostics::qualified_new_name(token.span, text))),
            // The name was left out, and the next declaration follows: its keyword is no name.
            TokenKind::Keyword(_) if self.at_declaration() => Err(self.unexpected(needed)),
            kind if kind.is_word() => {
                self.bump();
                Ok(Name { text: text.to_string(), span: token.span })
            }
            _ => Err(self.unexpected(needed)),
        }
    }

    /// A string, its quotes taken off.
    fn string(&mut self, needed: &str) -> Outcome<Name> {
        // A word in brackets is a field's name without its quotes.
        let bare = self.kind().is_word() && self.peek(1).kind == TokenKind::RightBracket;
        if bare {
            self.unexpected(needed);
            let span = self.bump().span;
            return Ok(Name { text: self.text(span).to_string(), span });
        }
        let span = self.expect(TokenKind::String, needed)?;
        Ok(Name { text: unquote(self.text(span)).to_string(), span })
    }
}

/// What [`Parser::list`] read.
struct List<T> {
    items: Vec<T>,
    close: Span,
    /// Whether every item could be read.
    complete: bool,
}

/// A string's value: what stands between its quotes. An open string has no closing one.
fn unquote(text: &str) -> &str {
    let quote = text.chars().next().unwrap_or('"');
    let body = text.get(1..).unwrap_or("");
    body.strip_suffix(quote).unwrap_or(body)
}

#[cfg(test)]
mod tests {
    use crate::source::{FileId, Sources};
    use crate::syntax::parse;

    /// Each diagnostic as its code, line, column and underlined text.
    fn check(text: &str, expected: &[&str]) {
        let mut sources = Sources::default();
        let file = sources.add("a.blink", "a.blink", text.to_string());
        let mut diagnostics = parse(file, text).diagnostics;
        crate::diagnostics::sort(&mut diagnostics);
        let found: Vec<String> = diagnostics
            .iter()
            .map(|diagnostic| {
                let span = diagnostic.span().unwrap();
                let start = sources.start(span);
                format!("{} {}:{} {}", diagnostic.code_text(), start.line, start.column, sources.text(span))
            })
            .collect();
        assert_eq!(found, expected, "in {text}");
    }

    #[test]
    fn the_examples_beside_the_productions_parse() {
        let files = [
            include_str!("declaration.rs"),
            include_str!("block.rs"),
            include_str!("entity.rs"),
            include_str!("ty.rs"),
        ];
        let mut count = 0;
        for line in files.iter().flat_map(|file| file.lines()) {
            if let Some((_, text)) =
                line.trim_start().strip_prefix("// test ").and_then(|rest| rest.split_once(": "))
            {
                check(text, &[]);
                count += 1;
            }
        }
        assert!(count >= 10, "only {count} examples were found");
    }

    #[test]
    fn five_faults_in_five_declarations() {
        let text = "\
struct A { X: , Y: u8 }
event B { From: Server, Type Reliable, Call: ManySync }
type C u8
enum D = { One Two }
scope E { map F = { string: u8 } }
event G { From: Server }
";
        check(
            text,
            &["E2002 1:15 ,", "E2002 2:30 Reliable", "E2002 3:8 u8", "E2002 4:16 Two", "E2002 5:21 string"],
        );
    }

    #[test]
    fn a_missing_comma_hides_nothing() {
        check(
            "event A {\n From: Server\n Type: Reliable,\n Call: 5 6,\n Data: (u8 u9),\n}",
            &["E2002 3:2 Type", "E2002 5:12 u9"],
        );
    }

    #[test]
    fn a_missing_brace_ends_with_the_next_declaration() {
        check(
            "struct A {\n X: u8,\n Y: struct { Z: u8,\nevent B { From: Server }\ntype C = ;",
            &["E2002 4:1 event", "E1001 5:10 ;", "E2001 5:11 "],
        );
        check(
            "scope S { event A { From: Server\n event B { From: Server } }\n type T = u8",
            &["E2002 2:2 event"],
        );
        // The name behind `..` may be a keyword, but not that of the next declaration.
        check("struct A { X: u8, ..\nstruct B { Y: ; }", &["E2002 2:1 struct", "E1001 2:15 ;"]);
        check("struct A { ..struct }", &[]);
        check("struct A { X: u8", &["E2001 1:17 "]);
        check("scope S { struct A { X: u8 }", &["E2001 1:29 "]);
    }

    #[test]
    fn stray_tokens_and_braces() {
        check("type A = u8 }\ntype B = u8", &["E2002 1:13 }"]);
        check("foo bar\ntype B = u8", &["E2002 1:1 foo"]);
        check("event A B { From: Server }\nevent C", &["E2002 1:9 B", "E2001 2:8 "]);
        check("type u8 = u8\nstruct A.B { }\nmap A = u8", &["E2002 1:6 u8", "E2002 2:8 A.B", "E2002 3:9 u8"]);
    }

    #[test]
    fn types_that_are_miswritten() {
        check("event A { Data: (Coins) }", &["E2002 1:17 (Coins)"]);
        check("struct A { X: u8( 0..9 ), Y: u8[ 4 ], Z: u8 }", &["E2002 1:17 (", "E2002 1:32 ["]);
        check(
            "struct A { X: u8???, Y: u8??[], Z: (u8, u8) }",
            &["E2002 1:19 ?", "E2002 1:29 []", "E2002 1:36 ("],
        );
        check("struct A { X: Enum( Font ), Y: string(Name) }", &["E3037 1:15 Enum(", "E2002 1:38 (Name)"]);
    }

    #[test]
    fn options_and_exports() {
        check(
            "type A = u8\noption Casing = Camel\nscope S { option Casing = Snake }",
            &["E3016 2:1 option Casing", "E3016 3:11 option Casing"],
        );
        check(
            "export option Casing = Camel\nexport import \"a\"\nexport 5",
            &["E3016 1:1 export", "E2002 2:1 export", "E2002 3:8 5"],
        );
    }

    #[test]
    fn nesting_is_limited() {
        let deep = |depth: usize| {
            format!("struct A {{ X: {}u8{} }}", "struct { X: ".repeat(depth), " }".repeat(depth))
        };
        check(&deep(198), &[]);
        assert_eq!(parse(FileId(0), &deep(100_000)).diagnostics.len(), 1);
        let scopes = format!("{}{}", "scope S { ".repeat(300), "}".repeat(300));
        assert!(!parse(FileId(0), &scopes).diagnostics.is_empty());
        let suffixes = format!("type A = u8{}", "[]".repeat(5000));
        assert_eq!(parse(FileId(0), &suffixes).diagnostics.len(), 1);
        let angles = format!("type A = u8{}", "<A".repeat(50_000));
        assert!(!parse(FileId(0), &angles).diagnostics.is_empty());
        let blocks = format!("event A {}", "{ a: ".repeat(50_000));
        assert!(!parse(FileId(0), &blocks).diagnostics.is_empty());
    }
}
