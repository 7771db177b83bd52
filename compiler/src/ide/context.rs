//! What the text in front of a cursor asks for, read off the tokens alone: the tree of an unfinished line is of no help.

use crate::source::{FileId, Span};
use crate::syntax::lexer::lex;
use crate::syntax::token::{Keyword, Primitive, Token, TokenKind};

/// What can be written at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Context {
    /// A statement; whether an option may still come.
    Statement { options: bool },
    /// A word behind `export`.
    Exportable,
    /// A profile, inside the quotes of an attribute.
    Profile,
    /// A name of an option.
    OptionName,
    /// The value of an option.
    OptionValue(String),
    /// A key of a block that has `taken` already.
    Key { block: BlockKind, taken: Vec<String> },
    /// The value of a key.
    KeyValue(String),
    /// Any type.
    Type,
    /// What `type` takes: a primitive, or an alias.
    Alias,
    /// The name of a struct, behind `..`.
    Merge,
    /// Inside the angle brackets of a number.
    Modifier,
    /// Inside the angle brackets of a vector or CFrame.
    Component { rotation: bool },
    /// Inside `Instance(`.
    Class,
    /// Inside `Enum(`.
    Enum,
    /// Inside the string of an import.
    Import,
    /// A new name, a number, or nothing the editor could know.
    Nothing,
}

/// Which block a key belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockKind {
    Event,
    Function,
    Stream,
    State,
    Table,
    Entity,
}

/// A context, and the part of a word or path in front of the cursor that a completion replaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub context: Context,
    /// The word under the cursor, up to the cursor.
    pub written: Span,
}

/// An open bracket, and what stands in it since the last comma.
struct Frame {
    kind: FrameKind,
    item: Vec<Token>,
    taken: Vec<String>,
    /// Commas so far.
    commas: usize,
}

/// A bracket that is open in front of a cursor, or the file itself.
#[derive(Clone, Debug)]
pub(super) struct Around {
    pub kind: FrameKind,
    /// What stands in front of the bracket, since the last comma of the bracket around it.
    pub owner: Vec<Token>,
    /// The bracket; of the file its first token.
    pub open: Token,
    /// What stands in it since its last comma.
    pub item: Vec<Token>,
    /// Commas in it so far.
    pub commas: usize,
}

/// The brackets that are open at a byte offset, outermost first; none in a comment or a string.
///
/// A range or class in parentheses is one token, and open while the cursor is in it.
pub(super) fn around(file: FileId, text: &str, offset: usize) -> Vec<Around> {
    let offset = floor(text, offset);
    let Some(before) = tokens_before(file, text, offset, offset) else { return Vec::new() };
    let mut reader = Reader { text, frames: vec![Frame::new(FrameKind::Statements)], declared: false };
    for token in &before {
        let is_inside = offset < token.span.end as usize;
        match token.kind {
            TokenKind::String if is_inside || is_open(text, token) => return Vec::new(),
            TokenKind::Range | TokenKind::Class if is_inside => {
                let paren = Token {
                    kind: TokenKind::LeftParen,
                    span: Span::new(file, token.span.start as usize, token.span.start as usize + 1),
                };
                reader.token(paren);
                // What of it stands in front of the cursor.
                reader
                    .top()
                    .item
                    .push(Token { span: Span::new(file, token.span.start as usize + 1, offset), ..*token });
            }
            _ => reader.token(*token),
        }
    }
    let mut found: Vec<Around> = Vec::new();
    for frame in reader.frames {
        // A bracket is the last token of what stands around it.
        let around = found.last().map(|around| around.item.as_slice()).unwrap_or_default();
        let (owner, open) = match around.split_last() {
            Some((open, owner)) => (owner.to_vec(), *open),
            None => (Vec::new(), before.first().copied().unwrap_or(END)),
        };
        found.push(Around { kind: frame.kind, owner, open, item: frame.item, commas: frame.commas });
    }
    found
}

/// What stands for the first token of a text without any.
const END: Token = Token { kind: TokenKind::EndOfFile, span: Span { file: FileId(0), start: 0, end: 0 } };

/// The elements of a list in parentheses that begins at a byte offset, as they are written; without its end, those of
/// the line.
pub(super) fn elements(file: FileId, text: &str, start: usize) -> Vec<String> {
    let (mut depth, mut found, mut from) = (0_usize, Vec::new(), start);
    let line_end = text.get(start..).and_then(|rest| rest.find('\n')).map_or(text.len(), |end| start + end);
    let mut end = None;
    for token in lex(file, text).tokens.iter().filter(|token| token.span.start as usize >= start) {
        match token.kind {
            TokenKind::LeftParen | TokenKind::LeftBrace | TokenKind::LeftBracket | TokenKind::LeftAngle => {
                depth += 1
            }
            TokenKind::RightParen
            | TokenKind::RightBrace
            | TokenKind::RightBracket
            | TokenKind::RightAngle
                if depth > 0 =>
            {
                depth -= 1;
            }
            TokenKind::RightParen => end = Some(token.span.start as usize),
            // A brace that closes more than the list began: its end is missing.
            TokenKind::RightBrace | TokenKind::EndOfFile => break,
            TokenKind::Comma if depth == 0 => {
                found.push((from, token.span.start as usize));
                from = token.span.end as usize;
            }
            _ => {}
        }
        if end.is_some() {
            break;
        }
    }
    if end.is_none() {
        found.retain(|(_, end)| *end <= line_end);
        from = found.last().map_or(start, |(_, end)| end + 1);
    }
    let end = end.unwrap_or(line_end).max(from);
    found.push((from, end));
    let words = |(from, end): (usize, usize)| {
        text.get(from..end).unwrap_or("").split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let found: Vec<String> = found.into_iter().map(words).collect();
    if found.len() == 1 && found[0].is_empty() { Vec::new() } else { found }
}

/// What an open bracket is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameKind {
    /// The file, or a scope.
    Statements,
    Block(BlockKind),
    Struct,
    Tagged,
    Labels,
    Map,
    /// The parentheses of a type pack.
    Pack,
    /// Angle brackets of a primitive.
    Refine(Primitive),
    /// Angle brackets of a name: parameters or arguments.
    Angles,
    /// Square brackets: a map's key or a quoted field.
    Brackets,
    Other,
}

/// What can be written at a byte offset of a text.
pub(super) fn at(file: FileId, text: &str, offset: usize) -> Place {
    let offset = floor(text, offset);
    let start = word_start(text, offset);
    let written = Span::new(file, start, offset);
    let place = |context| Place { context, written };
    let Some(before) = tokens_before(file, text, offset, start) else { return place(Context::Nothing) };
    let mut reader = Reader { text, frames: vec![Frame::new(FrameKind::Statements)], declared: false };
    for (position, token) in before.iter().enumerate() {
        // A token that reaches past the cursor is one it stands in: a string, or a class in parentheses.
        if token.span.end as usize > start || (token.span.end as usize == start && is_open(text, token)) {
            return place(reader.inside(*token, before[..position].last().copied(), &before[..position]));
        }
        reader.token(*token);
    }
    // `Instance(` and `Enum(` open a bracket that closes into one token only later.
    let last = |back: usize| before.len().checked_sub(back).map(|at| before[at]);
    if let (Some(paren), Some(word)) = (last(1), last(2))
        && paren.kind == TokenKind::LeftParen
    {
        match reader.words(word) {
            "Instance" => return place(Context::Class),
            "Enum" => return place(Context::Enum),
            _ => {}
        }
        if word.kind == TokenKind::Attribute {
            return place(Context::Nothing);
        }
    }
    let fresh_line =
        text[..start].trim_end_matches([' ', '\t']).ends_with('\n') || text[..start].trim().is_empty();
    place(reader.context(fresh_line))
}

/// The tokens of a text that begin in front of `end`; `None` where `offset` lies in a comment.
fn tokens_before(file: FileId, text: &str, offset: usize, end: usize) -> Option<Vec<Token>> {
    let lexed = lex(file, text);
    if lexed.comments.iter().any(|comment| in_comment(*comment, text, offset)) {
        return None;
    }
    let is_before = |token: &Token| token.kind != TokenKind::EndOfFile && (token.span.start as usize) < end;
    Some(lexed.tokens.into_iter().filter(is_before).collect())
}

/// Whether a string token lacks its closing quote.
fn is_open(text: &str, token: &Token) -> bool {
    let written = text.get(token.span.start as usize..token.span.end as usize).unwrap_or("");
    let quote = written.chars().next();
    token.kind == TokenKind::String && (written.len() < 2 || written.chars().last() != quote)
}

fn in_comment(comment: Span, text: &str, offset: usize) -> bool {
    let (start, end) = (comment.start as usize, comment.end as usize);
    let line = !text.get(start..end).unwrap_or("").ends_with(']');
    start < offset && (offset < end || (line && offset == end))
}

/// The offset, moved back onto the border of a character.
fn floor(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}

/// Where the word or path in front of an offset starts.
fn word_start(text: &str, offset: usize) -> usize {
    let word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'@');
    let length = text.as_bytes()[..offset].iter().rev().take_while(|byte| word(byte)).count();
    let start = offset - length;
    // `..Base` merges `Base`; the dots are a token of their own.
    let dots = text[start..offset].bytes().take_while(|byte| *byte == b'.').count();
    start + dots
}

impl Frame {
    fn new(kind: FrameKind) -> Frame {
        Frame { kind, item: Vec::new(), taken: Vec::new(), commas: 0 }
    }
}

struct Reader<'a> {
    text: &'a str,
    frames: Vec<Frame>,
    /// Whether a declaration has begun.
    declared: bool,
}

impl<'a> Reader<'a> {
    fn words(&self, token: Token) -> &'a str {
        self.text.get(token.span.start as usize..token.span.end as usize).unwrap_or("")
    }

    fn top(&mut self) -> &mut Frame {
        if self.frames.is_empty() {
            self.frames.push(Frame::new(FrameKind::Statements));
        }
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    fn token(&mut self, token: Token) {
        match token.kind {
            TokenKind::LeftBrace => {
                let kind = self.brace();
                self.push(token, kind);
            }
            TokenKind::LeftParen => self.push(token, FrameKind::Pack),
            TokenKind::LeftBracket => self.push(token, FrameKind::Brackets),
            TokenKind::LeftAngle => {
                let kind = match self.top().item.last().map(|token| token.kind) {
                    Some(TokenKind::Primitive(primitive)) => FrameKind::Refine(primitive),
                    _ => FrameKind::Angles,
                };
                self.push(token, kind);
            }
            TokenKind::RightBrace
            | TokenKind::RightParen
            | TokenKind::RightBracket
            | TokenKind::RightAngle => {
                if self.frames.len() > 1 {
                    self.frames.pop();
                }
                self.top().item.push(token);
            }
            TokenKind::Comma => {
                let top = self.top();
                top.item.clear();
                top.commas += 1;
            }
            TokenKind::Keyword(keyword) if self.top().kind == FrameKind::Statements => {
                if starts_statement(&self.top().item, keyword) {
                    self.top().item.clear();
                }
                self.declared |= keyword != Keyword::Option && keyword != Keyword::As;
                self.top().item.push(token);
            }
            TokenKind::Attribute if self.top().kind == FrameKind::Statements => {
                self.top().item.clear();
                self.top().item.push(token);
            }
            _ => {
                let text = self.words(token).to_string();
                let top = self.top();
                let line_break = top.item.last().is_some_and(|last| {
                    let (end, start) = (last.span.end as usize, token.span.start as usize);
                    matches!(top.kind, FrameKind::Block(_)) && token.kind.is_word() && end < start
                });
                // A comma left out between two fields on lines of their own.
                if line_break && top.item.len() >= 3 && breaks(self.text, &self.frames, token) {
                    self.top().item.clear();
                }
                let top = self.top();
                if top.item.is_empty() && matches!(top.kind, FrameKind::Block(_)) {
                    top.taken.push(text);
                }
                top.item.push(token);
            }
        }
    }

    fn push(&mut self, token: Token, kind: FrameKind) {
        self.top().item.push(token);
        self.frames.push(Frame::new(kind));
    }

    /// What an open brace holds, by what stands in front of it.
    fn brace(&mut self) -> FrameKind {
        let text = self.text;
        let top = self.top();
        let keyword = |token: &Token| match token.kind {
            TokenKind::Keyword(keyword) => Some(keyword),
            _ => None,
        };
        if top.kind == FrameKind::Tagged {
            return FrameKind::Struct;
        }
        let key = top.item.first().map(|token| &text[token.span.start as usize..token.span.end as usize]);
        if top.kind == FrameKind::Block(BlockKind::Event) && matches!(key, Some("Stream" | "stream")) {
            return FrameKind::Block(BlockKind::Stream);
        }
        if top.kind == FrameKind::Block(BlockKind::Table) && matches!(key, Some("Fields" | "fields")) {
            return FrameKind::Struct;
        }
        let behind = |back: usize| top.item.len().checked_sub(back).map(|at| top.item[at]);
        let opener = behind(2).is_some_and(|token| {
            token.kind == TokenKind::Identifier
                && &text[token.span.start as usize..token.span.end as usize] == "entity"
        });
        if top.kind == FrameKind::Statements && opener {
            return FrameKind::Block(BlockKind::Entity);
        }
        // The word that opens the body is the last keyword: of a declaration the first, but for `export`.
        let word = match top.kind {
            FrameKind::Statements => {
                top.item.iter().filter_map(keyword).find(|keyword| *keyword != Keyword::Export)
            }
            _ => top.item.iter().rev().find_map(keyword),
        };
        let tagged = top.item.last().is_some_and(|token| token.kind == TokenKind::String);
        match word {
            Some(Keyword::Event) => FrameKind::Block(BlockKind::Event),
            Some(Keyword::Function) => FrameKind::Block(BlockKind::Function),
            Some(Keyword::State) => FrameKind::Block(BlockKind::State),
            Some(Keyword::Table) => FrameKind::Block(BlockKind::Table),
            Some(Keyword::Scope) => FrameKind::Statements,
            Some(Keyword::Struct) => FrameKind::Struct,
            Some(Keyword::Enum) if tagged => FrameKind::Tagged,
            Some(Keyword::Enum | Keyword::Set) => FrameKind::Labels,
            Some(Keyword::Map) => FrameKind::Map,
            Some(Keyword::Type | Keyword::Option | Keyword::Export | Keyword::Import | Keyword::As)
            | None => FrameKind::Other,
        }
    }

    /// The context inside a token that reaches past the cursor.
    fn inside(&mut self, token: Token, previous: Option<Token>, before: &[Token]) -> Context {
        let previous_words = previous.map(|token| self.words(token)).unwrap_or("");
        match token.kind {
            TokenKind::String => {
                if previous_words == "import" {
                    return Context::Import;
                }
                let attribute = before.len().checked_sub(2).map(|at| before[at].kind);
                if previous.is_some_and(|token| token.kind == TokenKind::LeftParen)
                    && attribute == Some(TokenKind::Attribute)
                {
                    return Context::Profile;
                }
                Context::Nothing
            }
            TokenKind::Class if previous_words == "Instance" => Context::Class,
            TokenKind::Class if previous_words == "Enum" => Context::Enum,
            _ => Context::Nothing,
        }
    }

    /// The context behind everything read.
    fn context(&mut self, fresh_line: bool) -> Context {
        let text = self.text;
        let declared = self.declared;
        let depth = self.frames.len();
        let words = |token: &Token| &text[token.span.start as usize..token.span.end as usize];
        let top = self.top();
        let (first, last) = (top.item.first(), top.item.last());
        let last_kind = last.map(|token| token.kind);
        match top.kind {
            FrameKind::Statements => {
                let statement = Context::Statement { options: !declared && depth == 1 };
                let Some(last) = last else { return statement };
                match last.kind {
                    TokenKind::Keyword(Keyword::Export) => return Context::Exportable,
                    TokenKind::Keyword(Keyword::Option) => return Context::OptionName,
                    TokenKind::Keyword(_) | TokenKind::Attribute => return Context::Nothing,
                    TokenKind::Equals => {
                        return match first.map(|token| token.kind) {
                            Some(TokenKind::Keyword(Keyword::Option)) => {
                                let name = top.item.get(1).map(words).unwrap_or("");
                                Context::OptionValue(name.to_string())
                            }
                            _ if top
                                .item
                                .iter()
                                .any(|token| token.kind == TokenKind::Keyword(Keyword::Type)) =>
                            {
                                Context::Alias
                            }
                            _ => Context::Type,
                        };
                    }
                    _ => {}
                }
                let attribute = first.is_some_and(|token| token.kind == TokenKind::Attribute);
                if fresh_line || attribute || last.kind == TokenKind::RightBrace {
                    return statement;
                }
                Context::Nothing
            }
            FrameKind::Block(block) => match (top.item.len(), last_kind) {
                (0, _) => Context::Key { block, taken: top.taken.clone() },
                (2, Some(TokenKind::Colon)) => {
                    let key = first.map(words).unwrap_or("");
                    if matches!(key, "Data" | "data" | "Return" | "return" | "Key" | "key") {
                        Context::Type
                    } else {
                        Context::KeyValue(key.to_string())
                    }
                }
                _ if fresh_line && top.item.len() >= 3 => Context::Key { block, taken: top.taken.clone() },
                _ => Context::Nothing,
            },
            FrameKind::Struct => match last_kind {
                Some(TokenKind::Colon) => Context::Type,
                Some(TokenKind::DotDot) => Context::Merge,
                _ => Context::Nothing,
            },
            FrameKind::Map => match last_kind {
                Some(TokenKind::Colon) => Context::Type,
                _ => Context::Nothing,
            },
            FrameKind::Brackets => {
                if top.item.is_empty() && depth > 1 && self.frames[depth - 2].kind == FrameKind::Map {
                    Context::Type
                } else {
                    Context::Nothing
                }
            }
            FrameKind::Pack => match last_kind {
                None | Some(TokenKind::Colon) => Context::Type,
                _ => Context::Nothing,
            },
            FrameKind::Refine(primitive) => match primitive {
                _ if !top.item.is_empty() => Context::Nothing,
                Primitive::Vector => Context::Component { rotation: false },
                Primitive::CFrame => Context::Component { rotation: true },
                _ => Context::Modifier,
            },
            FrameKind::Angles => {
                // Arguments stand in a type, parameters behind the name of a declaration.
                let declares = depth == 2
                    && self.frames[0]
                        .item
                        .iter()
                        .rev()
                        .nth(2)
                        .is_some_and(|token| matches!(token.kind, TokenKind::Keyword(_)));
                if self.frames[depth - 1].item.is_empty() && !declares {
                    Context::Type
                } else {
                    Context::Nothing
                }
            }
            FrameKind::Tagged | FrameKind::Labels | FrameKind::Other => Context::Nothing,
        }
    }
}

/// Whether a keyword behind an item of a statement list starts another statement.
fn starts_statement(item: &[Token], keyword: Keyword) -> bool {
    let Some(last) = item.last() else { return false };
    match last.kind {
        // `export type`, and names that are words.
        TokenKind::Keyword(_) | TokenKind::Equals => false,
        TokenKind::RightParen if item[0].kind == TokenKind::Attribute => false,
        _ => keyword != Keyword::As,
    }
}

/// Whether a line ends between the last token of the innermost bracket and this one.
fn breaks(text: &str, frames: &[Frame], token: Token) -> bool {
    let last = frames.last().and_then(|frame| frame.item.last());
    last.is_some_and(|last| {
        text.get(last.span.end as usize..token.span.start as usize)
            .is_some_and(|between| between.contains('\n'))
    })
}
