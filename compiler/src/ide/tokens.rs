//! What each token is, for colours. Source: tooling specification, 7.2.

use super::{own_spelling, words};
use crate::schema::event;
use crate::source::{FileId, Span};
use crate::syntax::lexer::lex;
use crate::syntax::token::{Token, TokenKind};

/// A class of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// A comment.
    Comment,
    /// `event`, `struct`, `export`.
    Keyword,
    /// `@profile`.
    Attribute,
    /// `From`, `Rate` in front of a colon in a block.
    Key,
    /// `Reliable`, `true`.
    Constant,
    /// `u8`.
    Primitive,
    /// The class in `Instance(Model)`, brackets included.
    RobloxClass,
    /// `saturate`.
    Modifier,
    /// A number, or a range.
    Number,
    /// A string.
    String,
    /// The name a declaration declares.
    Declared,
    /// A field, flag or value.
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
    let tokens = &lexed.tokens;
    for at in 0..tokens.len() {
        let before = at.checked_sub(1).map(|before| tokens[before]);
        if let Some(class) = class(text, tokens[at], before, tokens.get(at + 1).copied()) {
            found.push((tokens[at].span, class));
        }
    }
    found.sort_by_key(|(span, _)| span.start);
    found
}

fn class(text: &str, token: Token, before: Option<Token>, after: Option<Token>) -> Option<Class> {
    let words_of = |token: Token| text.get(token.span.start as usize..token.span.end as usize).unwrap_or("");
    let written = words_of(token);
    let follows = |kind: TokenKind| after.is_some_and(|after| after.kind == kind);
    let behind = |kind: TokenKind| before.is_some_and(|before| before.kind == kind);
    let declares = matches!(before.map(|before| before.kind), Some(TokenKind::Keyword(_)));
    Some(match token.kind {
        TokenKind::Attribute => Class::Attribute,
        TokenKind::Number | TokenKind::Range => Class::Number,
        TokenKind::String => Class::String,
        TokenKind::Class => Class::RobloxClass,
        kind if kind.is_word() && follows(TokenKind::Colon) => {
            let key = own_spelling(written);
            let keys = [event::EVENT_KEYS, event::FUNCTION_KEYS, event::STREAM_KEYS];
            match keys.iter().any(|keys| keys.contains(&key.as_str())) && behind_block(before) {
                true => Class::Key,
                false => Class::Property,
            }
        }
        TokenKind::Keyword(_) if declares && !is_export(text, before) => Class::Declared,
        TokenKind::Keyword(_) => Class::Keyword,
        TokenKind::Boolean => Class::Constant,
        TokenKind::Primitive(_) => Class::Primitive,
        TokenKind::Qualified => Class::Reference,
        TokenKind::Identifier => {
            let previous = before.map(words_of).unwrap_or("");
            if written == "saturate" && (behind(TokenKind::LeftAngle) || behind(TokenKind::Comma)) {
                Class::Modifier
            } else if previous == "option" {
                Class::Option
            } else if declares {
                Class::Declared
            } else if words::value(written).is_some()
                && (behind(TokenKind::Colon) || behind(TokenKind::Equals))
            {
                Class::Constant
            } else if behind(TokenKind::LeftBrace) || (behind(TokenKind::Comma) && !behind(TokenKind::Colon))
            {
                // A label of an enum or set, or the name of a variant.
                Class::Property
            } else {
                Class::Reference
            }
        }
        _ => return None,
    })
}

/// Whether a token in front of a key can be what a key follows: a brace or a comma, or the end of a line without one.
fn behind_block(before: Option<Token>) -> bool {
    before.is_some_and(|before| !matches!(before.kind, TokenKind::LeftParen))
}

fn is_export(text: &str, before: Option<Token>) -> bool {
    before.is_some_and(|before| {
        text.get(before.span.start as usize..before.span.end as usize) == Some("export")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
