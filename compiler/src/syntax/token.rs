//! The vocabulary: kinds of token and the words of the language. Source: language specification, 1.3 to 1.6.

use crate::schema::{NumberKind, RobloxType};
use crate::source::Span;

/// A token; white space and comments make none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it is.
    pub span: Span,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// `=`
    Equals,
    /// `:`
    Colon,
    /// `,`
    Comma,
    /// `{`
    LeftBrace,
    /// `}`
    RightBrace,
    /// `<`
    LeftAngle,
    /// `>`
    RightAngle,
    /// `(`
    LeftParen,
    /// `)`
    RightParen,
    /// `[`
    LeftBracket,
    /// `]`
    RightBracket,
    /// `?`
    Question,
    /// `..`, the merge mark
    DotDot,
    /// `@profile`
    Attribute,
    /// `(BasePart)`
    Class,
    /// `(0..100)`
    Range,
    /// `[..8]`
    Array,
    /// `-0.25`
    Number,
    /// `"text"`
    String,
    /// `Crate`
    Identifier,
    /// `Shop.Price`
    Qualified,
    /// `struct`
    Keyword(Keyword),
    /// `true`, `false`
    Boolean,
    /// `u8`
    Primitive(Primitive),
    /// Behind the last token.
    EndOfFile,
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[allow(missing_docs, reason = "each is named as the word is")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name {
            $($variant,)+
        }

        impl $name {
            /// Every word of the kind, in the order of the specification.
            pub const ALL: &'static [$name] = &[$($name::$variant,)+];

            /// The word as written.
            pub fn text(self) -> &'static str {
                match self {
                    $($name::$variant => $text,)+
                }
            }

            /// The word of that spelling.
            pub fn from_text(text: &str) -> Option<$name> {
                match text {
                    $($text => Some($name::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

words! {
    /// Keywords and import words.
    Keyword {
        Type = "type",
        Struct = "struct",
        Enum = "enum",
        Map = "map",
        Set = "set",
        Event = "event",
        Function = "function",
        Scope = "scope",
        Option = "option",
        Export = "export",
        Import = "import",
        As = "as",
        State = "state",
        Table = "table",
    }
}

impl Keyword {
    /// Whether it is a keyword only where a declaration stands: behind it a name and `{`. Anywhere else it is a name.
    pub fn is_contextual(self) -> bool {
        matches!(self, Keyword::State | Keyword::Table)
    }
}

words! {
    /// Types the language brings along. `Enum` is one only right in front of `(`.
    Primitive {
        U8 = "u8",
        U16 = "u16",
        U24 = "u24",
        U32 = "u32",
        I8 = "i8",
        I16 = "i16",
        I24 = "i24",
        I32 = "i32",
        F16 = "f16",
        F24 = "f24",
        F32 = "f32",
        F64 = "f64",
        Quat = "quat",
        Quat32 = "quat32",
        Boolean = "boolean",
        String = "string",
        Buffer = "buffer",
        Vector = "vector",
        CFrame = "CFrame",
        Color3 = "Color3",
        BrickColor = "BrickColor",
        DateTime = "DateTime",
        DateTimeMillis = "DateTimeMillis",
        Vector2 = "Vector2",
        UDim = "UDim",
        UDim2 = "UDim2",
        NumberRange = "NumberRange",
        ColorSequence = "ColorSequence",
        TweenInfo = "TweenInfo",
        Instance = "Instance",
        Unknown = "unknown",
        Enum = "Enum",
    }
}

impl Primitive {
    /// The number type it names, if it names one.
    pub fn number(self) -> Option<NumberKind> {
        Some(match self {
            Primitive::U8 => NumberKind::U8,
            Primitive::U16 => NumberKind::U16,
            Primitive::U24 => NumberKind::U24,
            Primitive::U32 => NumberKind::U32,
            Primitive::I8 => NumberKind::I8,
            Primitive::I16 => NumberKind::I16,
            Primitive::I24 => NumberKind::I24,
            Primitive::I32 => NumberKind::I32,
            Primitive::F16 => NumberKind::F16,
            Primitive::F24 => NumberKind::F24,
            Primitive::F32 => NumberKind::F32,
            Primitive::F64 => NumberKind::F64,
            _ => return None,
        })
    }

    /// The Roblox type of one fixed form it names, if it names one.
    pub fn roblox(self) -> Option<RobloxType> {
        Some(match self {
            Primitive::Color3 => RobloxType::Color3,
            Primitive::BrickColor => RobloxType::BrickColor,
            Primitive::DateTime => RobloxType::DateTime,
            Primitive::DateTimeMillis => RobloxType::DateTimeMillis,
            Primitive::Vector2 => RobloxType::Vector2,
            Primitive::UDim => RobloxType::UDim,
            Primitive::UDim2 => RobloxType::UDim2,
            Primitive::NumberRange => RobloxType::NumberRange,
            Primitive::ColorSequence => RobloxType::ColorSequence,
            Primitive::TweenInfo => RobloxType::TweenInfo,
            _ => return None,
        })
    }
}

impl TokenKind {
    /// Whether it is a word of any kind but a qualified name.
    pub fn is_word(self) -> bool {
        matches!(
            self,
            TokenKind::Identifier | TokenKind::Keyword(_) | TokenKind::Boolean | TokenKind::Primitive(_)
        )
    }

    /// Whether it opens a brace, a parenthesis or a bracket.
    pub fn is_opener(self) -> bool {
        matches!(self, TokenKind::LeftBrace | TokenKind::LeftParen | TokenKind::LeftBracket)
    }

    /// Whether it closes a brace, a parenthesis or a bracket.
    pub fn is_closer(self) -> bool {
        matches!(self, TokenKind::RightBrace | TokenKind::RightParen | TokenKind::RightBracket)
    }

    /// The token as a message names it.
    pub fn describe(self) -> &'static str {
        match self {
            TokenKind::Equals => "`=`",
            TokenKind::Colon => "`:`",
            TokenKind::Comma => "`,`",
            TokenKind::LeftBrace => "`{`",
            TokenKind::RightBrace => "`}`",
            TokenKind::LeftAngle => "`<`",
            TokenKind::RightAngle => "`>`",
            TokenKind::LeftParen => "`(`",
            TokenKind::RightParen => "`)`",
            TokenKind::LeftBracket => "`[`",
            TokenKind::RightBracket => "`]`",
            TokenKind::Question => "`?`",
            TokenKind::DotDot => "`..`",
            TokenKind::Attribute => "an attribute",
            TokenKind::Class => "a class in parentheses",
            TokenKind::Range => "a range",
            TokenKind::Array => "an array suffix",
            TokenKind::Number => "a number",
            TokenKind::String => "a string",
            TokenKind::Identifier => "a name",
            TokenKind::Qualified => "a qualified name",
            TokenKind::Keyword(_) => "a keyword",
            TokenKind::Boolean => "a boolean",
            TokenKind::Primitive(_) => "a built-in type",
            TokenKind::EndOfFile => "the end of the file",
        }
    }
}
