//! The syntax tree: what the text says, before any name is looked up.
//!
//! Broken places hold `Error` variants, which raise nothing further.

use super::token::Primitive;
use crate::source::Span;

/// A name where it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The text it stands for: without quotes when it is a string.
    pub text: String,
    /// Where it is written, quotes included.
    pub span: Span,
}

/// A whole file.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// Options, those in wrong places left out.
    pub options: Vec<OptionDecl>,
    /// Declarations in order.
    pub declarations: Vec<Declaration>,
}

/// `@profile("test")`
#[derive(Clone, Debug)]
pub struct Attribute {
    /// The word behind `@`; its span takes the `@` in.
    pub name: Name,
    /// What the parentheses hold.
    pub value: Option<Name>,
    /// All of it.
    pub span: Span,
}

/// `option Casing = Camel`
#[derive(Clone, Debug)]
pub struct OptionDecl {
    /// Attributes in front of it.
    pub attributes: Vec<Attribute>,
    /// Name of the option.
    pub name: Name,
    /// Its value; `None` when it could not be read.
    pub value: Option<Scalar>,
    /// All of it, attributes included.
    pub span: Span,
}

/// A value of one token.
#[derive(Clone, Debug)]
pub struct Scalar {
    /// What it is.
    pub kind: ScalarKind,
    /// Where it is.
    pub span: Span,
}

/// What a value of one token is.
#[derive(Clone, Debug, PartialEq)]
pub enum ScalarKind {
    /// `Camel`
    Word(String),
    /// `true`
    Boolean(bool),
    /// `"text"`, without its quotes
    String(String),
    /// `0.25`
    Number(f64),
}

/// One declaration with what stands in front of it.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// Attributes in front of it.
    pub attributes: Vec<Attribute>,
    /// `export` in front of it.
    pub export: Option<Span>,
    /// The keyword.
    pub keyword: Span,
    /// What is declared.
    pub kind: DeclarationKind,
    /// All of it, attributes included.
    pub span: Span,
}

impl Declaration {
    /// `export` with the white space behind it: what to delete to be rid of it.
    pub fn export_word(&self) -> Option<Span> {
        self.export.map(|export| Span { end: self.keyword.start, ..export })
    }
}

/// What is declared.
#[derive(Clone, Debug)]
pub enum DeclarationKind {
    /// `import`
    Import(Import),
    /// `scope`
    Scope(Scope),
    /// `event`
    Event(Member),
    /// `function`
    Function(Member),
    /// `state`
    State(Member),
    /// `table`
    Table(Member),
    /// `entity`
    Entity(Member),
    /// `type`, `struct`, `enum`, `map`, `set`
    Type(Box<TypeDecl>),
    /// Attributes with no statement behind them.
    Nothing,
}

/// `import "./rules" as Rules`
#[derive(Clone, Debug)]
pub struct Import {
    /// The path, and where its string is.
    pub path: Name,
    /// The name after `as`.
    pub alias: Option<Name>,
}

/// `scope Shop { .. }`
#[derive(Clone, Debug)]
pub struct Scope {
    /// Its name.
    pub name: Name,
    /// What it holds.
    pub declarations: Vec<Declaration>,
}

/// An event, a function, a state or a table.
/// An event, a function or an entity.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its name.
    pub name: Name,
    /// Its block.
    pub block: Block,
}

/// `{ From: Server, .. }`
#[derive(Clone, Debug, Default)]
pub struct Block {
    /// Entries in order.
    pub entries: Vec<Entry>,
    /// Braces included.
    pub span: Span,
    /// Whether some of it could not be read, so that nothing must be called missing.
    pub broken: bool,
}

/// `From: Server`
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key.
    pub key: Name,
    /// The value.
    pub value: Value,
}

/// Value of an entry.
#[derive(Clone, Debug)]
pub enum Value {
    /// A value of one token.
    Scalar(Scalar),
    /// `{ Rate: 10 }`
    Block(Block),
    /// One type.
    Type(Type),
    /// A type pack.
    Pack(Pack),
    /// `Radius(512)`
    Ranged(Name, Bounds),
    /// `BasePart { Color }`, in a list of such, or behind `Manual`.
    Sync(Synced),
    /// Tokens that no value looks like; the span is the first of them.
    Other(Span),
    /// Could not be read; already reported.
    Error,
}

impl Value {
    /// Where the value is; `None` for one that could not be read.
    pub fn span(&self) -> Option<Span> {
        match self {
            Value::Scalar(scalar) => Some(scalar.span),
            Value::Block(block) => Some(block.span),
            Value::Type(ty) => Some(ty.span),
            Value::Pack(pack) => Some(pack.span),
            Value::Ranged(name, bounds) => Some(name.span.to(bounds.span)),
            Value::Sync(sync) => Some(sync.span),
            Value::Other(span) => Some(*span),
            Value::Error => None,
        }
    }
}

/// `Manual { BasePart { Color }, PointLight { Brightness } }`
#[derive(Clone, Debug)]
pub struct Synced {
    /// The word `Manual` in front.
    pub manual: Option<Span>,
    /// Classes in order.
    pub classes: Vec<SyncClass>,
    /// All of it.
    pub span: Span,
}

/// `BasePart { Color, Transparency }`
#[derive(Clone, Debug)]
pub struct SyncClass {
    /// The class.
    pub name: Name,
    /// Its properties, in order.
    pub properties: Vec<Name>,
}

/// `(u8, name: string)`
#[derive(Clone, Debug)]
pub struct Pack {
    /// Elements in order.
    pub elements: Vec<Element>,
    /// Parentheses included.
    pub span: Span,
}

/// An element of a pack.
#[derive(Clone, Debug)]
pub struct Element {
    /// Its name, when one is written.
    pub name: Option<Name>,
    /// Its type.
    pub ty: Type,
}

/// Which keyword declares a type.
#[allow(missing_docs, reason = "each is named as the keyword is")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeKeyword {
    Type,
    Struct,
    Enum,
    Map,
    Set,
}

impl TypeKeyword {
    /// The keyword as written.
    pub fn text(self) -> &'static str {
        match self {
            TypeKeyword::Type => "type",
            TypeKeyword::Struct => "struct",
            TypeKeyword::Enum => "enum",
            TypeKeyword::Map => "map",
            TypeKeyword::Set => "set",
        }
    }
}

/// `struct Page<T> { .. }[]`
#[derive(Clone, Debug)]
pub struct TypeDecl {
    /// The keyword.
    pub keyword: TypeKeyword,
    /// Its name.
    pub name: Name,
    /// Parameters, when angle brackets are written.
    pub params: Option<Params>,
    /// What the name stands for, suffixes included.
    pub ty: Type,
    /// The first suffix, if any is written.
    pub suffix: Option<Span>,
}

/// `<T, U>`
#[derive(Clone, Debug)]
pub struct Params {
    /// Names in order.
    pub names: Vec<Name>,
    /// Angle brackets included.
    pub span: Span,
}

/// A type where it is written.
#[derive(Clone, Debug)]
pub struct Type {
    /// What it is.
    pub kind: TypeKind,
    /// All of it, suffixes included.
    pub span: Span,
}

/// What a written type is.
#[derive(Clone, Debug)]
pub enum TypeKind {
    /// `u8<0.5>(0..100)`, `Instance(Part)`
    Primitive(PrimitiveType),
    /// `Shop.Price`, `Page<u8>`, `Percent(0..50)`
    Reference(Reference),
    /// `struct { .. }`
    Struct(Vec<StructMember>),
    /// `enum { A, B }`
    UnitEnum(Labels),
    /// `enum "Tag" { A { .. } }`
    TaggedEnum(TaggedEnum),
    /// `set { A, B }`
    Set(Labels),
    /// `map { [K]: V }`
    Map(Box<Type>, Box<Type>),
    /// `T?`, and where the mark is
    Optional(Box<Type>, Span),
    /// `T[..8]`
    Array(Box<Type>, Bounds),
    /// A type without a range of its own, followed by one.
    Ranged(Box<Type>, Bounds),
    /// A body some item of which could not be read: what is left of it.
    Broken(Box<Type>),
    /// Could not be read; already reported.
    Error,
}

/// A built-in type with what refines it.
#[derive(Clone, Debug)]
pub struct PrimitiveType {
    /// Which one.
    pub primitive: Primitive,
    /// The word alone.
    pub word: Span,
    /// `(Part)`
    pub class: Option<Name>,
    /// What refines it.
    pub refine: Refine,
}

/// A name of a type, with arguments or what refines it.
#[derive(Clone, Debug)]
pub struct Reference {
    /// The name, segments joined by dots.
    pub name: Name,
    /// What follows it. Its angle brackets may be arguments.
    pub refine: Refine,
}

/// What may follow a primitive or a reference.
#[derive(Clone, Debug, Default)]
pub struct Refine {
    /// `<..>`: modifiers, components or arguments.
    pub angles: Option<Angles>,
    /// `(..)`
    pub range: Option<Bounds>,
}

/// `<0.5, saturate>`, `<quat, f16>`, `<u8>`
#[derive(Clone, Debug)]
pub struct Angles {
    /// Items in order.
    pub items: Vec<Angle>,
    /// Angle brackets included.
    pub span: Span,
}

/// An item in angle brackets.
#[derive(Clone, Debug)]
pub enum Angle {
    /// `0.5`
    Number(Number),
    /// A type, or the word `saturate`.
    Type(Type),
}

impl Angle {
    /// Where it is.
    pub fn span(&self) -> Span {
        match self {
            Angle::Number(number) => number.span,
            Angle::Type(ty) => ty.span,
        }
    }
}

/// A number where it is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number {
    /// The nearest 64-bit float.
    pub value: f64,
    /// Where it is.
    pub span: Span,
}

/// What a range or an array suffix says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Lower bound, when written.
    pub min: Option<Number>,
    /// Upper bound, when written; the lower one again in `(5)`.
    pub max: Option<Number>,
    /// Brackets included.
    pub span: Span,
}

/// Labels of a unit enum or set.
#[derive(Clone, Debug)]
pub struct Labels {
    /// Names in order.
    pub names: Vec<Name>,
    /// Braces included.
    pub span: Span,
}

/// `enum "Tag" { .. }`
#[derive(Clone, Debug)]
pub struct TaggedEnum {
    /// The field that says which variant.
    pub tag: Name,
    /// Variants in order.
    pub variants: Vec<Variant>,
    /// Braces included.
    pub span: Span,
}

/// A variant of a tagged enum.
#[derive(Clone, Debug)]
pub struct Variant {
    /// Its name.
    pub name: Name,
    /// Its fields and merges.
    pub members: Vec<StructMember>,
}

/// A member of a struct or variant.
#[derive(Clone, Debug)]
pub enum StructMember {
    /// `Name: T`
    Field(Name, Type),
    /// `..Page<u8>`: where the dots are, and the struct merged
    Merge(Span, Reference),
}
