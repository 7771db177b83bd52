//! A syntax tree of what TypeScript declarations consist of. Text comes only from [`super::print`].

/// A whole declaration file, or the body of a namespace.
pub type Body = Vec<Statement>;

/// A statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Statement {
    /// An empty line.
    Blank,
    /// `type Name<T> = ..`
    Type {
        /// The comment in front of it.
        doc: Option<String>,
        /// Whether it is exported where it stands. Ignored in a namespace, which ends with its list of exports.
        exported: bool,
        /// Its name.
        name: String,
        /// Its parameters.
        params: Vec<String>,
        /// What it means.
        ty: Type,
    },
    /// `const Name: ..`
    Const {
        /// The comment in front of it.
        doc: Option<String>,
        /// As of a type.
        exported: bool,
        /// Its name.
        name: String,
        /// Its type.
        ty: Type,
    },
    /// `namespace Name { .. }`
    Namespace {
        /// The comment in front of it.
        doc: Option<String>,
        /// As of a type.
        exported: bool,
        /// Its name.
        name: String,
        /// What it holds.
        body: Body,
    },
    /// `export interface Name<..> { .. }`
    Interface {
        /// The comment in front of it.
        doc: Option<String>,
        /// Its name.
        name: String,
        /// Its parameter with its bound, `T extends unknown[]`.
        param: Option<String>,
        /// What it has.
        members: Vec<Member>,
    },
    /// `export { A, type B, _c as c };`
    Exports(Vec<Export>),
}

/// A member of an interface.
#[derive(Clone, Debug, PartialEq)]
pub enum Member {
    /// `Name(..): T`, called with `:` in Luau.
    Method(String, Vec<Param>, Type),
    /// `Name: T`
    Field(String, Type),
}

/// A name in a list of exports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Export {
    /// Its name in the file.
    pub local: String,
    /// Its name outside.
    pub name: String,
    /// Whether it is a type and nothing else.
    pub only_type: bool,
}

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// `Name` or `Name<A, B>`
    Name(String, Vec<Type>),
    /// `"text"`
    Text(String),
    /// `1.5`
    Number(f64),
    /// `A | B`
    Union(Vec<Type>),
    /// `T[]`
    Array(Box<Type>),
    /// `readonly T[]`
    ReadonlyArray(Box<Type>),
    /// `[Name: T, ...Rest: U]`
    Tuple(Vec<Label>),
    /// `{ A: T; B?: U }`, on one line where there is room.
    Object(Vec<Property>),
    /// The same with a line for each property.
    OpenObject(Vec<Property>),
    /// `(A: T, B?: U) => R`
    Function(Vec<Param>, Box<Type>),
}

/// A property of an object type.
#[derive(Clone, Debug, PartialEq)]
pub struct Property {
    /// The comment in front of it.
    pub doc: Option<String>,
    /// Whether it cannot be assigned.
    pub readonly: bool,
    /// Its name.
    pub name: Key,
    /// Whether it may be left out.
    pub optional: bool,
    /// Its type.
    pub ty: Type,
}

/// The name of a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// Any text; digits in it are text.
    Text(String),
    /// A number.
    Place(u64),
}

impl<T: Into<String>> From<T> for Key {
    fn from(text: T) -> Key {
        Key::Text(text.into())
    }
}

/// A parameter of a function type.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// Its name.
    pub name: String,
    /// Whether it may be left out.
    pub optional: bool,
    /// Its type.
    pub ty: Type,
}

/// An element of a tuple.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// Its name.
    pub name: String,
    /// Whether it stands for any number of elements.
    pub rest: bool,
    /// Its type.
    pub ty: Type,
}

/// `name`
pub fn ty(name: impl Into<String>) -> Type {
    Type::Name(name.into(), Vec::new())
}

/// `members | ..`; unions inside are spread, and a union of one is that one.
pub fn union(members: impl IntoIterator<Item = Type>) -> Type {
    let mut flat: Vec<Type> = Vec::new();
    for member in members {
        match member {
            Type::Union(inner) => flat.extend(inner),
            other => flat.push(other),
        }
    }
    if flat.len() == 1 { flat.remove(0) } else { Type::Union(flat) }
}

/// `inner | undefined`
pub fn or_undefined(inner: Type) -> Type {
    let undefined = ty("undefined");
    match &inner {
        Type::Union(members) if members.contains(&undefined) => inner,
        _ => union([inner, undefined]),
    }
}

/// `(params) => result`
pub fn function(params: Vec<Param>, result: Type) -> Type {
    Type::Function(params, Box::new(result))
}

/// `(params) => void`
pub fn procedure(params: Vec<Param>) -> Type {
    function(params, ty("void"))
}

/// `name: ty`
pub fn param(name: impl Into<String>, ty: Type) -> Param {
    Param { name: name.into(), optional: false, ty }
}

/// `name: ty`
pub fn label(name: impl Into<String>, ty: Type) -> Label {
    Label { name: name.into(), rest: false, ty }
}

/// `readonly name: ty`
pub fn readonly(name: impl Into<Key>, ty: Type) -> Property {
    Property { doc: None, readonly: true, name: name.into(), optional: false, ty }
}
