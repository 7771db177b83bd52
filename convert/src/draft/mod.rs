//! A schema to be: what a converter found, before names are settled and marks are set.
//!
//! Converters build a [`Draft`] and nothing else. [`finish`] settles names (`names`), types (`tidy`) and shapes used more
//! than once (`shapes`), and writes the text (`write`), so that every source is drafted by the same rules
//! (tooling specification, 8.1).

mod marks;
mod names;
mod shapes;
mod tidy;
mod write;

use crate::report::{Place, Report};

pub(crate) use names::identifier;
pub(crate) use tidy::quoted;
pub(crate) use write::{finish, header};

/// A whole schema.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    /// Options in order.
    pub(crate) settings: Vec<Setting>,
    /// Declarations in order.
    pub(crate) items: Vec<Item>,
    /// Comments behind the last declaration.
    pub(crate) footer: Vec<String>,
    /// Whether the source says where modules go.
    pub(crate) has_outputs: bool,
}

/// `option Casing = Camel`
#[derive(Debug)]
pub(crate) struct Setting {
    pub(crate) name: &'static str,
    /// As it is written, quotes included.
    pub(crate) value: String,
    /// What is to be decided about it.
    pub(crate) mark: Option<String>,
    /// Comments of the source, markers included.
    pub(crate) comments: Vec<String>,
}

/// A declaration.
#[derive(Debug)]
pub(crate) enum Item {
    Type(TypeDecl),
    Event(Event),
    Function(Function),
    Scope(Scope),
}

/// What every declaration has.
#[derive(Debug, Default)]
pub(crate) struct Head {
    pub(crate) name: String,
    /// Comments of the source, markers included.
    pub(crate) comments: Vec<String>,
    pub(crate) place: Option<Place>,
}

/// Number of a declared type in its draft: what [`Ty::Named`] refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TypeId(pub(crate) usize);

/// `struct Item { .. }`
#[derive(Debug)]
pub(crate) struct TypeDecl {
    pub(crate) head: Head,
    pub(crate) id: TypeId,
    pub(crate) ty: Ty,
}

/// `scope Yard { .. }`
#[derive(Debug)]
pub(crate) struct Scope {
    pub(crate) head: Head,
    pub(crate) items: Vec<Item>,
}

/// A side of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Client,
    Server,
}

/// Something the source states, or a safe answer under a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known<T> {
    Stated(T),
    /// Not stated: a person has to.
    Asked,
}

/// How often a client may send.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Rate {
    /// Not stated: a person has to.
    Asked,
    /// As it is written.
    Stated(String),
    /// With how many may come at once, where it is not the rate rounded up.
    Burst(String, String),
}

/// `event Chat { .. }`
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) head: Head,
    pub(crate) from: Known<Side>,
    /// `Reliable`, `Unreliable` or `OrderedUnreliable`.
    pub(crate) kind: Known<&'static str>,
    pub(crate) call: &'static str,
    pub(crate) rate: Rate,
    pub(crate) data: Payload,
}

/// `function Buy { .. }`
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) head: Head,
    /// Who calls. [`Known::Asked`] is drafted as the client.
    pub(crate) from: Known<Side>,
    pub(crate) yields: &'static str,
    pub(crate) rate: Rate,
    pub(crate) data: Payload,
    pub(crate) returns: Payload,
}

/// What an event or a function carries.
#[derive(Debug, Default)]
pub(crate) enum Payload {
    #[default]
    Nothing,
    One(Ty),
    Pack(Vec<(Option<String>, Ty)>),
}

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Ty {
    /// A primitive as it is written: `vector<f16>`, `Instance(Part)`.
    Plain(String),
    /// A number type with the range written behind it, such as `0..100`.
    Number(&'static str, Option<Range>),
    /// `string` or `buffer`, with its length.
    Text(&'static str, Option<Range>),
    /// Any value, with nothing checked.
    Unknown,
    Array(Box<Ty>, Option<Range>),
    Optional(Box<Ty>),
    Struct(Vec<(String, Ty)>),
    Enum(Vec<String>),
    Tagged(String, Vec<(String, Vec<(String, Ty)>)>),
    Map(Box<Ty>, Box<Ty>),
    /// A type of the draft, as the source spells it.
    Named(TypeId, String),
}

impl Ty {
    pub(crate) fn plain(text: impl Into<String>) -> Ty {
        Ty::Plain(text.into())
    }

    pub(crate) fn optional(self) -> Ty {
        Ty::Optional(Box::new(self))
    }

    pub(crate) fn array(self) -> Ty {
        Ty::Array(Box::new(self), None)
    }

    pub(crate) fn map(key: Ty, value: Ty) -> Ty {
        Ty::Map(Box::new(key), Box::new(value))
    }

    /// The types written inside this one.
    pub(crate) fn parts_mut(&mut self) -> Vec<&mut Ty> {
        match self {
            Ty::Plain(_) | Ty::Number(..) | Ty::Text(..) | Ty::Unknown | Ty::Enum(_) => vec![],
            Ty::Named(..) => vec![],
            Ty::Array(inner, _) | Ty::Optional(inner) => vec![inner],
            Ty::Struct(fields) => fields.iter_mut().map(|(_, ty)| ty).collect(),
            Ty::Tagged(_, variants) => {
                variants.iter_mut().flat_map(|(_, fields)| fields).map(|(_, ty)| ty).collect()
            }
            Ty::Map(key, value) => vec![key, value],
        }
    }

    /// The types written inside this one.
    pub(crate) fn parts(&self) -> Vec<&Ty> {
        match self {
            Ty::Plain(_) | Ty::Number(..) | Ty::Text(..) | Ty::Unknown | Ty::Enum(_) => vec![],
            Ty::Named(..) => vec![],
            Ty::Array(inner, _) | Ty::Optional(inner) => vec![inner],
            Ty::Struct(fields) => fields.iter().map(|(_, ty)| ty).collect(),
            Ty::Tagged(_, variants) => {
                variants.iter().flat_map(|(_, fields)| fields).map(|(_, ty)| ty).collect()
            }
            Ty::Map(key, value) => vec![key, value],
        }
    }
}

/// `0..100`: bounds as they are written, either of which may be missing.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Range {
    pub(crate) min: Option<String>,
    pub(crate) max: Option<String>,
}

impl Range {
    /// At most so many.
    pub(crate) fn up_to(max: usize) -> Range {
        Range { min: None, max: Some(max.to_string()) }
    }

    /// Exactly so many.
    pub(crate) fn exactly(count: impl ToString) -> Range {
        Range { min: Some(count.to_string()), max: Some(count.to_string()) }
    }

    /// What stands between the brackets.
    pub(crate) fn text(&self) -> String {
        match (&self.min, &self.max) {
            (Some(min), Some(max)) if min == max => min.clone(),
            (min, max) => {
                let text = |bound: &Option<String>| bound.clone().unwrap_or_default();
                format!("{}..{}", text(min), text(max))
            }
        }
    }
}

impl Payload {
    /// Its types with what a person calls each: its name, or `#n` by its place.
    pub(crate) fn named(&self) -> Vec<(String, &Ty)> {
        match self {
            Payload::Nothing => vec![],
            Payload::One(ty) => vec![("#1".to_string(), ty)],
            Payload::Pack(elements) => elements
                .iter()
                .enumerate()
                .map(|(at, (name, ty))| (name.clone().unwrap_or_else(|| format!("#{}", at + 1)), ty))
                .collect(),
        }
    }

    /// The type of each parameter, in order, to be changed.
    pub(crate) fn types_mut(&mut self) -> Vec<&mut Ty> {
        match self {
            Payload::Nothing => vec![],
            Payload::One(ty) => vec![ty],
            Payload::Pack(elements) => elements.iter_mut().map(|(_, ty)| ty).collect(),
        }
    }
}

impl Item {
    pub(crate) fn head(&self) -> &Head {
        match self {
            Item::Type(one) => &one.head,
            Item::Event(one) => &one.head,
            Item::Function(one) => &one.head,
            Item::Scope(one) => &one.head,
        }
    }

    pub(crate) fn head_mut(&mut self) -> &mut Head {
        match self {
            Item::Type(one) => &mut one.head,
            Item::Event(one) => &mut one.head,
            Item::Function(one) => &mut one.head,
            Item::Scope(one) => &mut one.head,
        }
    }
}

/// Calls `visit` with every type written in a declaration, outermost ones only.
pub(crate) fn each_type(items: &mut [Item], visit: &mut impl FnMut(&mut Ty, &Head)) {
    for item in items {
        match item {
            Item::Type(one) => visit(&mut one.ty, &one.head),
            Item::Event(one) => {
                for ty in one.data.types_mut() {
                    visit(ty, &one.head);
                }
            }
            Item::Function(one) => {
                for ty in one.data.types_mut().into_iter().chain(one.returns.types_mut()) {
                    visit(ty, &one.head);
                }
            }
            Item::Scope(scope) => each_type(&mut scope.items, visit),
        }
    }
}

/// Notes that something was lost.
pub(crate) fn lost(report: &mut Report, head: &Head, message: impl Into<String>) {
    report.lost(&head.name, head.place.clone(), message);
}
