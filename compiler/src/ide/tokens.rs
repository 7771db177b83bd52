//! What each token is, for colours. Source: tooling specification, 7.2.
//!
//! Works on tokens alone, so that a text that does not parse keeps its colours: a stack of the brackets that are open
//! says what a word stands for where it is.

use super::{keys, own_spelling};
use crate::schema::{entity, event};
use crate::source::{FileId, Span};
use crate::syntax::lexer::lex;
use crate::syntax::token::{Keyword, Token, TokenKind};

/// A class of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A comment.
    Comment,
    /// `event`, `struct`, `export`.
    Keyword,
    /// `@profile`.
    Attribute,
    /// `From`, `Rate` in a block.
    Key,
    /// `Reliable`, `true`.
    Constant,
    /// `u8`.
    Primitive,
    /// The class in `Instance(Model)`, brackets included, and those an entity follows.
    RobloxClass,
    /// `saturate`.
    Modifier,
    /// A number, or a range.
    Number,
    /// A string.
    String,
    /// The name a declaration declares.
    Declared,
    /// A field, flag, value or variant.
    Property,
    /// A reference to a type.
    Reference,
    /// The name behind `option`.
    Option,
}

impl Class {
    /// Every class, in the order of their numbers.
    pub const ALL: [Class; 14] = [
        Class::Comment,
        Class::Keyword,
        Class::Attribute,
        Class::Key,
        Class::Constant,
        Class::Primitive,
        Class::RobloxClass,
        Class::Modifier,
        Class::Number,
        Class::String,
        Class::Declared,
        Class::Property,
        Class::Reference,
        Class::Option,
    ];
}

/// The tokens and comments of a text with their classes, in the order of the text. Marks have none.
pub fn classes(file: FileId, text: &str) -> Vec<(Span, Class)> {
    let lexed = lex(file, text);
    let mut found: Vec<(Span, Class)> = lexed.comments.iter().map(|span| (*span, Class::Comment)).collect();
    let mut walk = Walk { text, stack: vec![Frame::of(Place::Document)] };
    for (at, token) in lexed.tokens.iter().enumerate() {
        let after = lexed.tokens.get(at + 1).map(|after| after.kind);
        if let Some(class) = walk.class(*token, after) {
            found.push((token.span, class));
        }
    }
    found.sort_by_key(|(span, _)| span.start);
    found
}

/// What the innermost open bracket holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Declarations, of a file or of a scope.
    Document,
    /// Fields of a struct.
    Fields,
    /// Values of an enum, variants of a tagged one, flags of a set.
    Labels,
    /// The key and value types of a map.
    Map,
    /// Entries of an event, a function or what stands in one.
    Block,
    /// Classes an entity follows.
    Classes,
    /// Elements of a payload.
    Pack,
    /// Types, parameters and modifiers in angle brackets; the key type of a map.
    Types,
}

/// A bracket that is open, and how far what stands in it was read.
struct Frame<'a> {
    place: Place,
    /// The keyword whose name or body is to come.
    keyword: Option<Keyword>,
    /// Whether the next word is the name of a declaration or of an item.
    named_next: bool,
    /// The key of a block whose value is read.
    key: &'a str,
    /// Whether a class was named whose properties are to come.
    class_named: bool,
}

impl Frame<'_> {
    /// Whether the value of that key is read.
    fn is_at(&self, key: &str) -> bool {
        own_spelling(self.key) == key
    }

    fn of(place: Place) -> Frame<'static> {
        let named_next = matches!(place, Place::Fields | Place::Labels | Place::Block);
        Frame { place, keyword: None, named_next, key: "", class_named: false }
    }
}

struct Walk<'a> {
    text: &'a str,
    /// Never empty: the document is at the bottom.
    stack: Vec<Frame<'a>>,
}

impl<'a> Walk<'a> {
    fn class(&mut self, token: Token, after: Option<TokenKind>) -> Option<Class> {
        let place = self.top().place;
        Some(match token.kind {
            TokenKind::Attribute => Class::Attribute,
            TokenKind::Number | TokenKind::Range => Class::Number,
            TokenKind::String => Class::String,
            TokenKind::Class => Class::RobloxClass,
            TokenKind::Qualified => self.reference(),
            TokenKind::Identifier | TokenKind::Keyword(_) | TokenKind::Boolean | TokenKind::Primitive(_) => {
                self.word(token, after)
            }
            TokenKind::LeftBrace => {
                let body = self.body();
                return self.open(body);
            }
            TokenKind::LeftAngle | TokenKind::LeftBracket => return self.open(Place::Types),
            TokenKind::LeftParen => return self.open(Place::Pack),
            TokenKind::RightBrace
            | TokenKind::RightAngle
            | TokenKind::RightParen
            | TokenKind::RightBracket => {
                return self.close(token.kind);
            }
            TokenKind::Comma => {
                *self.top() = Frame::of(place);
                return None;
            }
            // A merged type stands where a field's name would, and any word may name it.
            TokenKind::DotDot if place == Place::Fields => {
                let top = self.top();
                (top.named_next, top.key) = (true, "..");
                return None;
            }
            TokenKind::DotDot
            | TokenKind::Equals
            | TokenKind::Colon
            | TokenKind::Question
            | TokenKind::Array
            | TokenKind::EndOfFile => return None,
        })
    }

    fn top(&mut self) -> &mut Frame<'a> {
        match self.stack.last_mut() {
            Some(top) => top,
            None => unreachable!("ide/tokens.rs never closes the document"),
        }
    }

    fn reference(&mut self) -> Class {
        self.top().named_next = false;
        Class::Reference
    }

    /// A word that is not qualified.
    fn word(&mut self, token: Token, after: Option<TokenKind>) -> Class {
        let written = self.text.get(token.span.start as usize..token.span.end as usize).unwrap_or("");
        self.leave_what_is_open(token, after);
        let top = self.top();
        if std::mem::take(&mut top.named_next) {
            return match (top.place, top.keyword) {
                (Place::Document, Some(Keyword::Option)) => Class::Option,
                (Place::Document, _) => Class::Declared,
                (Place::Fields, _) if top.key == ".." => Class::Reference,
                (Place::Block, _) => {
                    top.key = written;
                    if is_key(written) { Class::Key } else { Class::Property }
                }
                (
                    Place::Fields | Place::Labels | Place::Map | Place::Classes | Place::Pack | Place::Types,
                    _,
                ) => Class::Property,
            };
        }
        if top.place == Place::Pack && after == Some(TokenKind::Colon) {
            return Class::Property;
        }
        let follows = top.place == Place::Classes || top.place == Place::Block && top.is_at("Sync");
        if follows && written == "Manual" && top.place == Place::Block && !top.class_named {
            return Class::Constant;
        }
        if follows {
            top.class_named = true;
            return Class::RobloxClass;
        }
        match token.kind {
            TokenKind::Keyword(keyword) => {
                top.keyword = Some(keyword);
                top.named_next =
                    top.place == Place::Document && !matches!(keyword, Keyword::Export | Keyword::Import);
                Class::Keyword
            }
            // A word only here: its block is like an event's.
            TokenKind::Identifier
                if written == "entity"
                    && top.place == Place::Document
                    && top.keyword != Some(Keyword::Option)
                    && after.is_some_and(TokenKind::is_word) =>
            {
                (top.keyword, top.named_next) = (Some(Keyword::Event), true);
                Class::Keyword
            }
            TokenKind::Boolean => Class::Constant,
            TokenKind::Primitive(_) => Class::Primitive,
            _ if written == "saturate" && top.place == Place::Types => Class::Modifier,
            _ if top.place == Place::Document && top.keyword == Some(Keyword::Option) => Class::Constant,
            _ if top.place == Place::Block && has_words(top.key) => Class::Constant,
            _ => Class::Reference,
        }
    }

    /// A keyword of declarations alone, where only a type can stand, begins a declaration: a bracket was not closed.
    fn leave_what_is_open(&mut self, token: Token, after: Option<TokenKind>) {
        let TokenKind::Keyword(keyword) = token.kind else { return };
        let begins = match keyword {
            Keyword::Type
            | Keyword::Event
            | Keyword::Function
            | Keyword::State
            | Keyword::Table
            | Keyword::Scope
            | Keyword::Option
            | Keyword::Export => after.is_some_and(TokenKind::is_word),
            Keyword::Import => after == Some(TokenKind::String),
            Keyword::Struct | Keyword::Enum | Keyword::Map | Keyword::Set | Keyword::As => false,
        };
        if begins && !self.top().named_next {
            let document = self.stack.iter().rposition(|frame| frame.place == Place::Document).unwrap_or(0);
            self.stack.truncate(document + 1);
        }
    }

    /// What a brace holds that opens here.
    fn body(&mut self) -> Place {
        let top = self.top();
        match (top.place, top.keyword) {
            // A variant's fields.
            (Place::Labels, _) => Place::Fields,
            (Place::Classes, _) => Place::Labels,
            (Place::Block, _) if top.is_at("Sync") => {
                if top.class_named {
                    Place::Labels
                } else {
                    Place::Classes
                }
            }
            (_, Some(Keyword::Struct)) => Place::Fields,
            (_, Some(Keyword::Enum | Keyword::Set)) => Place::Labels,
            (_, Some(Keyword::Map)) => Place::Map,
            (_, Some(Keyword::Scope)) => Place::Document,
            (_, Some(Keyword::Event | Keyword::Function | Keyword::State | Keyword::Table)) => Place::Block,
            (Place::Block, _) if matches!(top.key, "Fields" | "fields") => Place::Fields,
            (Place::Block, _) => Place::Block,
            (Place::Document, _) => Place::Document,
            (Place::Fields | Place::Map | Place::Pack | Place::Types, _) => Place::Fields,
        }
    }

    fn open(&mut self, place: Place) -> Option<Class> {
        // Behind the bracket comes what follows a type or a body, or the next item.
        let top = self.top();
        top.named_next = false;
        if place != Place::Types {
            top.keyword = None;
        }
        self.stack.push(Frame::of(place));
        None
    }

    /// Closes the innermost bracket of that form, and what was left open inside it.
    fn close(&mut self, closer: TokenKind) -> Option<Class> {
        let is_opened_by = |frame: &Frame| match closer {
            TokenKind::RightParen => frame.place == Place::Pack,
            TokenKind::RightAngle | TokenKind::RightBracket => frame.place == Place::Types,
            _ => !matches!(frame.place, Place::Pack | Place::Types),
        };
        if let Some(at) = self.stack.iter().rposition(is_opened_by)
            && at > 0
        {
            self.stack.truncate(at);
        }
        None
    }
}

/// Whether a key of a block takes words.
fn has_words(key: &str) -> bool {
    let key = own_spelling(key);
    !event::words(key).is_empty() || !entity::words(key).is_empty()
}

/// Whether a word is a key of a block, in its own spelling or in lower case.
fn is_key(written: &str) -> bool {
    let own = own_spelling(written);
    keys().any(|key| key == own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_that_an_entity_follows() {
        check(
            "entity A { maxdelay: 1, maxDelay: 1, Sync: BasePart { Color, Size }, sync: Manual { Part { Color }, Model { A } } }",
            &[
                ("entity", Class::Keyword),
                ("A", Class::Declared),
                ("maxdelay", Class::Key),
                ("1", Class::Number),
                ("maxDelay", Class::Property),
                ("1", Class::Number),
                ("Sync", Class::Key),
                ("BasePart", Class::RobloxClass),
                ("Color", Class::Property),
                ("Size", Class::Property),
                ("sync", Class::Key),
                ("Manual", Class::Constant),
                ("Part", Class::RobloxClass),
                ("Color", Class::Property),
                ("Model", Class::RobloxClass),
                ("A", Class::Property),
            ],
        );
    }

    #[test]
    fn an_entity_is_a_declaration_and_a_name_elsewhere() {
        check(
            "entity Ship { Relevance: All, Data: struct { entity: u8 } }",
            &[
                ("entity", Class::Keyword),
                ("Ship", Class::Declared),
                ("Relevance", Class::Key),
                ("All", Class::Constant),
                ("Data", Class::Key),
                ("struct", Class::Keyword),
                ("entity", Class::Property),
                ("u8", Class::Primitive),
            ],
        );
    }

    #[track_caller]
    fn check(text: &str, expected: &[(&str, Class)]) {
        let found: Vec<(&str, Class)> = classes(FileId(0), text)
            .into_iter()
            .map(|(span, class)| (&text[span.start as usize..span.end as usize], class))
            .collect();
        assert_eq!(found, expected, "in {text}");
    }

    #[test]
    fn declarations() {
        check(
            "-- note\nexport struct A { X: u8(0..9), Y: Shop.B? }",
            &[
                ("-- note", Class::Comment),
                ("export", Class::Keyword),
                ("struct", Class::Keyword),
                ("A", Class::Declared),
                ("X", Class::Property),
                ("u8", Class::Primitive),
                ("(0..9)", Class::Number),
                ("Y", Class::Property),
                ("Shop.B", Class::Reference),
            ],
        );
    }

    #[test]
    fn blocks_and_options() {
        check(
            "option Casing = Camel\n@profile(\"test\") event A { From: Client, Rate: 2.5 }",
            &[
                ("option", Class::Keyword),
                ("Casing", Class::Option),
                ("Camel", Class::Constant),
                ("@profile", Class::Attribute),
                ("\"test\"", Class::String),
                ("event", Class::Keyword),
                ("A", Class::Declared),
                ("From", Class::Key),
                ("Client", Class::Constant),
                ("Rate", Class::Key),
                ("2.5", Class::Number),
            ],
        );
    }

    #[test]
    fn classes_and_modifiers() {
        check(
            "type A = u8<0.5, saturate> struct B { X: Instance(Model) }",
            &[
                ("type", Class::Keyword),
                ("A", Class::Declared),
                ("u8", Class::Primitive),
                ("0.5", Class::Number),
                ("saturate", Class::Modifier),
                ("struct", Class::Keyword),
                ("B", Class::Declared),
                ("X", Class::Property),
                ("Instance", Class::Primitive),
                ("(Model)", Class::RobloxClass),
            ],
        );
    }

    #[test]
    fn words_are_what_they_stand_for() {
        check(
            "struct event { type: u8, Client: Client, ..struct, [\"Max HP\"]: Pair<A, B> }",
            &[
                ("struct", Class::Keyword),
                ("event", Class::Declared),
                ("type", Class::Property),
                ("u8", Class::Primitive),
                ("Client", Class::Property),
                ("Client", Class::Reference),
                ("struct", Class::Reference),
                ("\"Max HP\"", Class::String),
                ("Pair", Class::Reference),
                ("A", Class::Reference),
                ("B", Class::Reference),
            ],
        );
        check(
            "import \"./a\" as map enum E = \"Kind\" { A { u8: u16 }, type {} } set S = { A, u8 }",
            &[
                ("import", Class::Keyword),
                ("\"./a\"", Class::String),
                ("as", Class::Keyword),
                ("map", Class::Declared),
                ("enum", Class::Keyword),
                ("E", Class::Declared),
                ("\"Kind\"", Class::String),
                ("A", Class::Property),
                ("u8", Class::Property),
                ("u16", Class::Primitive),
                ("type", Class::Property),
                ("set", Class::Keyword),
                ("S", Class::Declared),
                ("A", Class::Property),
                ("u8", Class::Property),
            ],
        );
    }

    #[test]
    fn payloads_and_settings() {
        check(
            "event E { type: Reliable, Stream: { Rate: 20, Per: Player }, Data: (enum: enum { A }, Server) }",
            &[
                ("event", Class::Keyword),
                ("E", Class::Declared),
                ("type", Class::Key),
                ("Reliable", Class::Constant),
                ("Stream", Class::Key),
                ("Rate", Class::Key),
                ("20", Class::Number),
                ("Per", Class::Key),
                ("Player", Class::Constant),
                ("Data", Class::Key),
                ("enum", Class::Property),
                ("enum", Class::Keyword),
                ("A", Class::Property),
                ("Server", Class::Reference),
            ],
        );
    }

    #[test]
    fn a_bracket_left_open_ends_at_the_next_declaration() {
        check(
            "struct A { X: Pair<u8 event B { From: Client }",
            &[
                ("struct", Class::Keyword),
                ("A", Class::Declared),
                ("X", Class::Property),
                ("Pair", Class::Reference),
                ("u8", Class::Primitive),
                ("event", Class::Keyword),
                ("B", Class::Declared),
                ("From", Class::Key),
                ("Client", Class::Constant),
            ],
        );
        check(
            "} > ) type A = u8",
            &[("type", Class::Keyword), ("A", Class::Declared), ("u8", Class::Primitive)],
        );
    }
}
