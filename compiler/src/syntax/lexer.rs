//! Text to tokens. Composite tokens are tried before simple ones, the longest form first.
//!
//! Characters that begin no token are reported and dropped, so that the parser does not stumble over them again.

use super::diagnostics;
use super::token::{Keyword, Primitive, Token, TokenKind};
use crate::diagnostics::Diagnostic;
use crate::source::{FileId, Span};

/// What the lexer found.
#[derive(Clone, Debug)]
pub struct Lexed {
    /// Tokens in order, the last being [`TokenKind::EndOfFile`].
    pub tokens: Vec<Token>,
    /// Comments in order, their marks included.
    pub comments: Vec<Span>,
    /// Characters that begin no token, and open strings.
    pub diagnostics: Vec<Diagnostic>,
}

/// Splits a file into tokens.
pub fn lex(file: FileId, text: &str) -> Lexed {
    let mut lexer = Lexer {
        file,
        text,
        bytes: text.as_bytes(),
        at: 0,
        stray: None,
        open_quotes: vec![],
        open_levels: vec![],
        across: None,
        depth: 0,
    };
    let mut lexed =
        Lexed { tokens: Vec::with_capacity(text.len() / 4), comments: vec![], diagnostics: vec![] };
    while let Some(&byte) = lexer.bytes.get(lexer.at) {
        let start = lexer.at;
        if byte.is_ascii_whitespace() || byte == 0x0B {
            lexer.end_stray(&mut lexed);
            lexer.at += 1;
        } else if let Some(end) = lexer.comment_end(start) {
            lexer.end_stray(&mut lexed);
            lexer.at = end;
            lexed.comments.push(Span::new(file, start, end));
        } else if let Some(kind) = lexer.token(&mut lexed.diagnostics) {
            // A run of stray characters ends where this token begins, not where the token ends.
            lexer.end_stray_at(start, &mut lexed);
            match kind {
                TokenKind::LeftBrace | TokenKind::LeftParen | TokenKind::LeftBracket => lexer.depth += 1,
                TokenKind::RightBrace | TokenKind::RightParen | TokenKind::RightBracket => {
                    lexer.depth = lexer.depth.saturating_sub(1);
                }
                _ => {}
            }
            lexed.tokens.push(Token { kind, span: Span::new(file, start, lexer.at) });
        } else if byte == b';' && lexer.stray.is_none() && lexer.is_comma(&lexed.tokens) {
            // Read as the comma it stands for, so that nothing is missing behind it.
            lexer.at += 1;
            let span = Span::new(file, start, lexer.at);
            lexed.diagnostics.push(diagnostics::stray_characters(span, ";", true));
            lexed.tokens.push(Token { kind: TokenKind::Comma, span });
        } else if lexer.bytes[start..].starts_with(b"//") && lexer.stray.is_none() {
            let line = lexer.bytes[start..].iter().position(|&byte| byte == b'\n');
            lexer.at = line.map_or(lexer.bytes.len(), |at| start + at);
            let span = Span::new(file, start, start + 2);
            lexed.diagnostics.push(diagnostics::stray_characters(span, "//", false));
        } else {
            lexer.stray.get_or_insert(start);
            lexer.at += text[start..].chars().next().map_or(1, char::len_utf8);
        }
    }
    lexer.end_stray(&mut lexed);
    lexed.tokens.push(Token { kind: TokenKind::EndOfFile, span: Span::new(file, text.len(), text.len()) });
    find_contextual(text, &mut lexed.tokens);
    lexed
}

/// Makes keywords of the words that are some only where a declaration stands: a name and `{` follow, which they do
/// nowhere else.
fn find_contextual(text: &str, tokens: &mut [Token]) {
    for at in 0..tokens.len() {
        let [token, name, brace, ..] = &mut tokens[at..] else { return };
        if token.kind != TokenKind::Identifier || !name.kind.is_word() || brace.kind != TokenKind::LeftBrace {
            continue;
        }
        let word = text.get(token.span.start as usize..token.span.end as usize).unwrap_or_default();
        if let Some(keyword) = Keyword::from_text(word).filter(|keyword| keyword.is_contextual()) {
            token.kind = TokenKind::Keyword(keyword);
        }
    }
}

struct Lexer<'a> {
    file: FileId,
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    /// Start of the run of characters being skipped.
    stray: Option<usize>,
    /// Quotes a string was opened with and never closed: none that follows is closed either. Keeps lexing linear.
    open_quotes: Vec<u8>,
    /// Levels of comment brackets known to close nowhere ahead, for the same reason.
    open_levels: Vec<usize>,
    /// The first string that runs over a line end.
    across: Option<Span>,
    /// Brackets open here.
    depth: usize,
}

impl Lexer<'_> {
    fn end_stray(&mut self, lexed: &mut Lexed) {
        self.end_stray_at(self.at, lexed);
    }

    fn end_stray_at(&mut self, end: usize, lexed: &mut Lexed) {
        if let Some(start) = self.stray.take() {
            let span = Span::new(self.file, start, end);
            lexed.diagnostics.push(diagnostics::stray_characters(span, &self.text[start..end], false));
        }
    }

    /// Whether the `;` here stands for a comma: behind an item of a list, with no comma beside it.
    fn is_comma(&self, tokens: &[Token]) -> bool {
        let next = self.bytes[self.at + 1..].iter().find(|byte| !byte.is_ascii_whitespace());
        let behind_item = tokens.last().is_some_and(|token| match token.kind {
            TokenKind::RightBrace
            | TokenKind::RightParen
            | TokenKind::RightAngle
            | TokenKind::Question
            | TokenKind::Class
            | TokenKind::Range
            | TokenKind::Array
            | TokenKind::Number
            | TokenKind::String
            | TokenKind::Qualified => true,
            kind => kind.is_word(),
        });
        self.depth > 0 && behind_item && next != Some(&b',')
    }

    /// Reads the token here and moves behind it; `None` leaves everything as it was.
    fn token(&mut self, diagnostics: &mut Vec<Diagnostic>) -> Option<TokenKind> {
        let start = self.at;
        let byte = self.bytes[start];
        let (kind, end) = match byte {
            b'@' => (TokenKind::Attribute, identifier_end(self.bytes, start + 1)?),
            b'(' => paren(self.bytes, start),
            b'[' => bracket(self.bytes, start),
            b'"' | b'\'' => (TokenKind::String, self.string(byte, diagnostics)),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => word(self.text, start)?,
            b'0'..=b'9' | b'-' => (TokenKind::Number, number_end(self.bytes, start)?),
            b'.' => match number_end(self.bytes, start) {
                Some(end) => (TokenKind::Number, end),
                None if self.bytes.get(start + 1) == Some(&b'.') => (TokenKind::DotDot, start + 2),
                None => return None,
            },
            _ => (simple(byte)?, start + 1),
        };
        self.at = end;
        Some(kind)
    }

    /// End of the string opening here. An open one ends with its line, so that what follows is still read.
    fn string(&mut self, quote: u8, diagnostics: &mut Vec<Diagnostic>) -> usize {
        let mut escaped = false;
        let body = if self.open_quotes.contains(&quote) { &[] } else { &self.bytes[self.at + 1..] };
        for (offset, &byte) in body.iter().enumerate() {
            if byte == quote && !escaped {
                if body[..offset].contains(&b'\n') {
                    self.across.get_or_insert(Span::new(self.file, self.at, self.at + offset + 2));
                }
                if let Some(nul) = body[..offset].iter().position(|&byte| byte == 0) {
                    let at = self.at + 1 + nul;
                    diagnostics.push(diagnostics::nul_in_string(Span::new(self.file, at, at + 1)));
                }
                return self.at + offset + 2;
            }
            escaped = byte == b'\\' && !escaped;
        }
        self.open_quotes.push(quote);
        let line = self.bytes[self.at..]
            .iter()
            .position(|&byte| byte == b'\n')
            .map_or(self.bytes.len(), |at| self.at + at);
        let end = if self.bytes[line - 1] == b'\r' { line - 1 } else { line };
        let span = Span::new(self.file, self.at, end);
        diagnostics.push(diagnostics::open_string(span, &self.text[self.at..end], self.across));
        end
    }

    /// One past the comment starting here, if one does.
    fn comment_end(&mut self, start: usize) -> Option<usize> {
        let bytes = self.bytes;
        if !bytes[start..].starts_with(b"--") {
            return None;
        }
        let line_end =
            bytes[start..].iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |at| start + at);
        let after = start + 2;
        if bytes.get(after) != Some(&b'[') {
            return Some(line_end);
        }
        let level = bytes[after + 1..].iter().take_while(|&&byte| byte == b'=').count();
        let body = after + 1 + level;
        if bytes.get(body) != Some(&b'[') || self.open_levels.contains(&level) {
            return Some(line_end);
        }
        let close = [b"]", vec![b'='; level].as_slice(), b"]"].concat();
        match bytes[body + 1..].windows(close.len()).position(|window| window == close) {
            Some(at) => Some(body + 1 + at + close.len()),
            // An open `--[[` takes the rest of the file; an open `--[=[` is a comment of one line.
            None if level == 0 => Some(bytes.len()),
            None => {
                self.open_levels.push(level);
                Some(line_end)
            }
        }
    }
}

/// One past the identifier starting here.
fn identifier_end(bytes: &[u8], start: usize) -> Option<usize> {
    let first = bytes.get(start)?;
    if !(first.is_ascii_alphabetic() || *first == b'_') {
        return None;
    }
    let length =
        bytes[start..].iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    Some(start + length)
}

/// One past the number starting here.
fn number_end(bytes: &[u8], start: usize) -> Option<usize> {
    let digits = |from: usize| {
        bytes.get(from..).map_or(0, |rest| rest.iter().take_while(|byte| byte.is_ascii_digit()).count())
    };
    let from = if bytes.get(start) == Some(&b'-') { start + 1 } else { start };
    let whole = from + digits(from);
    if bytes.get(whole) == Some(&b'.') {
        let fraction = digits(whole + 1);
        if fraction > 0 {
            return Some(whole + 1 + fraction);
        }
    }
    (whole > from).then_some(whole)
}

/// One past the `NUM`, `NUM..`, `..NUM` or `NUM..NUM` starting here.
fn bounds_end(bytes: &[u8], start: usize) -> Option<usize> {
    let low = number_end(bytes, start);
    let at = low.unwrap_or(start);
    if !bytes[at..].starts_with(b"..") {
        return low;
    }
    match number_end(bytes, at + 2) {
        Some(end) => Some(end),
        None => low.map(|_| at + 2),
    }
}

/// A class, a range, or a lone parenthesis.
fn paren(bytes: &[u8], start: usize) -> (TokenKind, usize) {
    let closed = |end: Option<usize>| end.filter(|&end| bytes.get(end) == Some(&b')')).map(|end| end + 1);
    if let Some(end) = closed(identifier_end(bytes, start + 1)) {
        (TokenKind::Class, end)
    } else if let Some(end) = closed(bounds_end(bytes, start + 1)) {
        (TokenKind::Range, end)
    } else {
        (TokenKind::LeftParen, start + 1)
    }
}

/// An array suffix, or a lone bracket.
fn bracket(bytes: &[u8], start: usize) -> (TokenKind, usize) {
    let inner =
        if bytes.get(start + 1) == Some(&b']') { Some(start + 1) } else { bounds_end(bytes, start + 1) };
    match inner.filter(|&end| bytes.get(end) == Some(&b']')) {
        Some(end) => (TokenKind::Array, end + 1),
        None => (TokenKind::LeftBracket, start + 1),
    }
}

/// An identifier, a qualified name, or one of the words of the language.
fn word(text: &str, start: usize) -> Option<(TokenKind, usize)> {
    let bytes = text.as_bytes();
    let first = identifier_end(bytes, start)?;
    let mut end = first;
    loop {
        let dots = bytes[end..].iter().take_while(|&&byte| byte == b'.').count();
        match identifier_end(bytes, end + dots) {
            // More dots than one leave an empty segment, which no name resolves.
            Some(next) if dots > 0 => end = next,
            Some(_) | None => break,
        }
    }
    if end > first {
        return Some((TokenKind::Qualified, end));
    }
    let word = &text[start..end];
    let kind = match (Keyword::from_text(word), Primitive::from_text(word)) {
        // Those the context makes are names until the tokens behind them are known.
        (Some(keyword), _) if keyword.is_contextual() => TokenKind::Identifier,
        (Some(keyword), _) => TokenKind::Keyword(keyword),
        (None, Some(Primitive::Enum)) if bytes.get(end) != Some(&b'(') => TokenKind::Identifier,
        (None, Some(primitive)) => TokenKind::Primitive(primitive),
        (None, None) if word == "true" || word == "false" => TokenKind::Boolean,
        (None, None) => TokenKind::Identifier,
    };
    Some((kind, end))
}

fn simple(byte: u8) -> Option<TokenKind> {
    Some(match byte {
        b'=' => TokenKind::Equals,
        b':' => TokenKind::Colon,
        b',' => TokenKind::Comma,
        b'{' => TokenKind::LeftBrace,
        b'}' => TokenKind::RightBrace,
        b'<' => TokenKind::LeftAngle,
        b'>' => TokenKind::RightAngle,
        b')' => TokenKind::RightParen,
        b']' => TokenKind::RightBracket,
        b'?' => TokenKind::Question,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[(&str, &str)]) {
        let lexed = lex(FileId(0), text);
        let found: Vec<(String, &str)> = lexed
            .tokens
            .iter()
            .filter(|token| token.kind != TokenKind::EndOfFile)
            .map(|token| {
                (format!("{:?}", token.kind), &text[token.span.start as usize..token.span.end as usize])
            })
            .collect();
        let found: Vec<(&str, &str)> = found.iter().map(|(kind, text)| (kind.as_str(), *text)).collect();
        assert_eq!(found, expected);
        assert_eq!(lexed.diagnostics, []);
    }

    #[test]
    fn a_string_holds_anything_but_nul() {
        let text = "enum A = \"Kind\u{1}\0\0\" { B { [\"\0\"]: u8 } }";
        let lexed = lex(FileId(0), text);
        let places: Vec<u32> =
            lexed.diagnostics.iter().filter_map(|one| one.span()).map(|span| span.start).collect();
        assert_eq!(places, [15, 27]);
        assert!(lexed.diagnostics.iter().all(|one| one.headline == "a string holds a NUL character"));
        assert_eq!(lexed.tokens.iter().filter(|token| token.kind == TokenKind::String).count(), 2);
        check("'\u{1}\u{7f}é\n'", &[("String", "'\u{1}\u{7f}é\n'")]);
    }

    #[test]
    fn composite_tokens() {
        check("u8(0..9)", &[("Primitive(U8)", "u8"), ("Range", "(0..9)")]);
        check("(0...5)", &[("Range", "(0...5)")]);
        check("(-.5..)", &[("Range", "(-.5..)")]);
        check("[..8][][3]", &[("Array", "[..8]"), ("Array", "[]"), ("Array", "[3]")]);
        check("(Part)", &[("Class", "(Part)")]);
        check("( Part)", &[("LeftParen", "("), ("Identifier", "Part"), ("RightParen", ")")]);
        check("[Coins]", &[("LeftBracket", "["), ("Identifier", "Coins"), ("RightBracket", "]")]);
        check("(..)", &[("LeftParen", "("), ("DotDot", ".."), ("RightParen", ")")]);
        check(
            "@profile(\"x\")",
            &[("Attribute", "@profile"), ("LeftParen", "("), ("String", "\"x\""), ("RightParen", ")")],
        );
    }

    #[test]
    fn words_and_names() {
        check("Enum Enum(Font)", &[("Identifier", "Enum"), ("Primitive(Enum)", "Enum"), ("Class", "(Font)")]);
        check("A.b A..b", &[("Qualified", "A.b"), ("Qualified", "A..b")]);
        check("..Page", &[("DotDot", ".."), ("Identifier", "Page")]);
        check("1e3", &[("Number", "1"), ("Identifier", "e3")]);
        check("true struct", &[("Boolean", "true"), ("Keyword(Struct)", "struct")]);
    }

    #[test]
    fn strings_keep_their_escapes() {
        check(r#""a\"b" 'c'"#, &[("String", r#""a\"b""#), ("String", "'c'")]);
        check(r#""a\\" b"#, &[("String", r#""a\\""#), ("Identifier", "b")]);
        check("\"two\nlines\"", &[("String", "\"two\nlines\"")]);
    }

    #[test]
    fn comments() {
        check("-- a\nb", &[("Identifier", "b")]);
        check("--[[ a\n ]] b", &[("Identifier", "b")]);
        check("--[==[ ]] ]=] ]==] b", &[("Identifier", "b")]);
        check("--[=[ open\nb", &[("Identifier", "b")]);
        check("--[[ open\nb", &[]);
    }

    #[test]
    fn stray_characters_are_one_run() {
        let lexed = lex(FileId(0), "a ;;é- b");
        assert_eq!(lexed.diagnostics.len(), 1);
        assert_eq!(lexed.diagnostics[0].span(), Some(Span::new(FileId(0), 2, 7)));
        assert_eq!(lexed.tokens.len(), 3);
        let lexed = lex(FileId(0), "a \"open\nb");
        assert_eq!(lexed.diagnostics[0].span(), Some(Span::new(FileId(0), 2, 7)));
        assert_eq!(lexed.tokens.len(), 4);
    }
}
