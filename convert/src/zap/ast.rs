//! What zap definitions say, before any name is looked up.

use blinkblox_compiler::source::Span;

/// A word or text with its place.
#[derive(Clone, Debug)]
pub(super) struct Name {
    pub(super) text: String,
    pub(super) span: Span,
}

/// A whole file.
#[derive(Debug, Default)]
pub(super) struct Config {
    pub(super) options: Vec<Opt>,
    pub(super) items: Vec<Item>,
    /// Comments behind the last statement.
    pub(super) footer: Vec<String>,
}

/// `opt casing = "camelCase"`
#[derive(Debug)]
pub(super) struct Opt {
    pub(super) name: Name,
    pub(super) value: Value,
    pub(super) comments: Vec<String>,
}

/// What an option is set to.
#[derive(Debug)]
pub(super) struct Value {
    pub(super) kind: ValueKind,
    pub(super) span: Span,
}

#[derive(Debug, PartialEq)]
pub(super) enum ValueKind {
    Text(String),
    Boolean(bool),
    Number,
}

/// A declaration.
#[derive(Debug)]
pub(super) struct Item {
    pub(super) name: Name,
    pub(super) kind: ItemKind,
    pub(super) comments: Vec<String>,
}

#[derive(Debug)]
pub(super) enum ItemKind {
    Type(Ty),
    Event(Event),
    Function(Function),
    Namespace(Vec<Item>),
}

/// `event X = { .. }`
#[derive(Debug)]
pub(super) struct Event {
    pub(super) from: Name,
    pub(super) kind: Name,
    pub(super) call: Option<Name>,
    pub(super) data: Vec<Parameter>,
    /// Whether the values stand in parentheses.
    pub(super) packed: bool,
}

/// `funct X = { .. }`
#[derive(Debug)]
pub(super) struct Function {
    pub(super) call: Option<Name>,
    pub(super) args: Vec<Parameter>,
    pub(super) args_packed: bool,
    pub(super) rets: Vec<Parameter>,
    pub(super) rets_packed: bool,
}

/// A value of an event or function.
#[derive(Debug)]
pub(super) struct Parameter {
    pub(super) name: Option<Name>,
    pub(super) ty: Ty,
}

/// A type with its place.
#[derive(Debug)]
pub(super) struct Ty {
    pub(super) kind: TyKind,
    pub(super) span: Span,
}

#[derive(Debug)]
pub(super) enum TyKind {
    /// `u8 (0..100)`, `Shop.Item`, `Instance (Part)`, `vector(f32, f32)`
    Word {
        path: String,
        group: Option<Group>,
    },
    Struct(Vec<(Name, Ty)>),
    Enum(Vec<Name>),
    Tagged(Name, Vec<(Name, Vec<(Name, Ty)>)>),
    Map(Box<Ty>, Box<Ty>),
    Set(Box<Ty>),
    Optional(Box<Ty>),
    Array(Box<Ty>, Option<Range>),
    Union,
}

/// What parentheses behind a word hold.
#[derive(Debug)]
pub(super) enum Group {
    Range(Range),
    Words(Vec<Name>),
}

/// `0..100`; a bound may be missing.
#[derive(Clone, Debug)]
pub(super) struct Range {
    pub(super) min: Option<Name>,
    pub(super) max: Option<Name>,
    pub(super) span: Span,
}
