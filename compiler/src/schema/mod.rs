//! The resolved schema: what one build compiles, with every name looked up, generics filled in and profiles applied.
//!
//! Nothing here knows how a value travels (that is `wire`) or how it is spelt in Luau (that is `emit`). What the
//! build's profile leaves out has been read and checked, and is absent.

mod ahead;
pub mod classes;
mod declare;
mod diagnostics;
pub mod entity;
pub mod event;
mod extent;
mod generics;
mod import;
pub mod index;
mod lane;
mod names;
pub mod options;
mod primitive;
mod profiles;
pub mod properties;
pub(crate) mod resolve;
pub mod state;
pub mod table;
#[cfg(test)]
mod tests;
mod ty;
mod types;

use std::collections::HashSet;
use std::sync::OnceLock;

pub use entity::{Entity, Following, Ownership, Relevance};
pub use lane::{Lane, Turn};
pub use options::{Casing, Options, PackedBooleanReader, TableGuard};
pub use profiles::Profile;
pub(crate) use resolve::resolve;
pub use state::State;
pub use table::Table;
pub use types::{
    Component, Field, Length, Number, NumberKind, Range, RobloxType, Rotation, Type, TypeKind, Variant,
};

use crate::source::Span;

/// Everything one build compiles.
#[derive(Clone, Debug)]
pub struct Schema {
    /// The entry file's options, defaults filled in.
    pub options: Options,
    /// Every declared type, imported ones and generic templates included, in order of declaration.
    pub types: Vec<TypeDecl>,
    /// The top level: a scope without a name.
    pub root: Scope,
    /// Names of all types in Luau, once somebody has asked.
    luau_names: OnceLock<HashSet<String>>,
}

impl Schema {
    /// A schema of these parts.
    pub fn new(options: Options, types: Vec<TypeDecl>, root: Scope) -> Schema {
        Schema { options, types, root, luau_names: OnceLock::new() }
    }

    /// Whether a type is called so in Luau. Asked for every parameter of a generic, so no list is gone through.
    pub fn has_luau_type(&self, name: &str) -> bool {
        let collect = || self.types.iter().map(|decl| decl.luau_name.clone()).collect();
        self.luau_names.get_or_init(collect).contains(name)
    }

    /// Every entity, in order of declaration.
    pub fn entities(&self) -> Vec<&Entity> {
        fn walk<'a>(scope: &'a Scope, found: &mut Vec<&'a Entity>) {
            for item in &scope.items {
                match item {
                    Item::Entity(entity) => found.push(entity),
                    Item::Scope(inner) => walk(inner, found),
                    Item::Type(_) | Item::Event(_) | Item::Function(_) | Item::State(_) | Item::Table(_) => {}
                }
            }
        }
        let mut found = Vec::new();
        walk(&self.root, &mut found);
        found
    }

    /// Whether `is_so` holds for a type somewhere in the schema, templates of generics left out.
    pub fn any_type(&self, is_so: &dyn Fn(&TypeKind) -> bool) -> bool {
        fn inside(ty: &Type, is_so: &dyn Fn(&TypeKind) -> bool) -> bool {
            is_so(&ty.kind) || ty.parts().into_iter().any(|part| inside(part, is_so))
        }
        fn carried(payload: &Payload, is_so: &dyn Fn(&TypeKind) -> bool) -> bool {
            payload.parameters().into_iter().any(|(_, ty)| inside(ty, is_so))
        }
        fn scope(of: &Scope, is_so: &dyn Fn(&TypeKind) -> bool) -> bool {
            of.items.iter().any(|item| match item {
                Item::Type(_) => false,
                Item::Event(event) => carried(&event.data, is_so),
                Item::Function(function) => {
                    carried(&function.data, is_so) || carried(&function.return_, is_so)
                }
                Item::State(state) => state.types().into_iter().any(|ty| inside(ty, is_so)),
                Item::Table(table) => table.fields.iter().any(|field| inside(&field.ty, is_so)),
                Item::Entity(entity) => [Some(&entity.data), entity.input.as_ref()]
                    .into_iter()
                    .flatten()
                    .any(|ty| inside(ty, is_so)),
                Item::Scope(inner) => scope(inner, is_so),
            })
        }
        self.types.iter().any(|decl| inside(&decl.ty, is_so)) || scope(&self.root, is_so)
    }
}

/// Index into [`Schema::types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(pub u32);

/// A scope or an import: a nested table of the module.
#[derive(Clone, Debug)]
pub struct Scope {
    /// Its own name; empty for the top level.
    pub name: String,
    /// Names from the top level down to and including this one.
    pub path: Vec<String>,
    /// What it holds, in order of declaration.
    pub items: Vec<Item>,
    /// Its name where it is declared.
    pub span: Span,
}

/// One declaration.
#[derive(Clone, Debug)]
pub enum Item {
    /// `type`, `struct`, `enum`, `map` or `set`.
    Type(TypeId),
    /// `event`
    Event(Event),
    /// `function`
    Function(Function),
    /// `state`
    State(State),
    /// `table`
    Table(Table),
    /// `entity`
    Entity(Box<Entity>),
    /// `scope` or `import`
    Scope(Scope),
}

/// A named type.
#[derive(Clone, Debug)]
pub struct TypeDecl {
    /// Its own name.
    pub name: String,
    /// Names from the top level down to and including this one.
    pub path: Vec<String>,
    /// Name of the Luau type: the path joined by `_`.
    pub luau_name: String,
    /// Parameters of a generic template; empty otherwise.
    pub generics: Vec<String>,
    /// What it means. In a template, parameters stand as [`TypeKind::Parameter`].
    pub ty: Type,
    /// Whether the module has a `Read` and `Write` for it.
    pub export: bool,
    /// Its name where it is declared.
    pub span: Span,
}

/// The side that sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The server.
    Server,
    /// A client.
    Client,
}

impl Side {
    /// Its word in a schema.
    pub const fn word(self) -> &'static str {
        match self {
            Side::Server => "Server",
            Side::Client => "Client",
        }
    }
}

/// How an event is delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Delivery {
    /// Never lost; one order a direction.
    Reliable,
    /// Neither arrival nor order is promised.
    Unreliable,
    /// Unreliable, and stale arrivals are thrown away.
    OrderedUnreliable,
    /// Never lost, in any order.
    ReliableUnordered,
}

impl Delivery {
    /// Its word in a schema.
    pub const fn word(self) -> &'static str {
        match self {
            Delivery::Reliable => "Reliable",
            Delivery::Unreliable => "Unreliable",
            Delivery::OrderedUnreliable => "OrderedUnreliable",
            Delivery::ReliableUnordered => "ReliableUnordered",
        }
    }
}

/// The remote an item rides on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Channel {
    /// The `RemoteEvent`: reliable events and functions.
    Reliable,
    /// The `UnreliableRemoteEvent`.
    Unreliable,
}

impl Channel {
    /// Its name, for documents and signatures.
    pub const fn name(self) -> &'static str {
        match self {
            Channel::Reliable => "Reliable",
            Channel::Unreliable => "Unreliable",
        }
    }
}

/// How listeners are called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Call {
    /// One listener, on the decode thread.
    SingleSync,
    /// Many listeners, on the decode thread.
    ManySync,
    /// One listener, on a thread of its own.
    SingleAsync,
    /// Many listeners, each on a thread of its own.
    ManyAsync,
    /// No listeners: the game takes rows out of a queue.
    Polling,
}

impl Call {
    /// Its word in a schema.
    pub const fn word(self) -> &'static str {
        match self {
            Call::SingleSync => "SingleSync",
            Call::SingleAsync => "SingleAsync",
            Call::ManySync => "ManySync",
            Call::ManyAsync => "ManyAsync",
            Call::Polling => "Polling",
        }
    }
}

/// Whether the outbound budget may withhold an event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Priority {
    /// Withheld while the recipient's budget is spent.
    Low,
    /// Never withheld.
    #[default]
    Normal,
}

/// A token bucket a player.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate {
    /// Tokens a second.
    pub rate: f64,
    /// Capacity in tokens.
    pub burst: f64,
}

/// A call without an answer, from one side to the other.
#[derive(Clone, Debug)]
pub struct Event {
    /// Its own name.
    pub name: String,
    /// Names from the top level down to and including this one.
    pub path: Vec<String>,
    /// The side that sends it.
    pub from: Side,
    /// How it is delivered.
    pub delivery: Delivery,
    /// The channel it names.
    pub lane: Option<Lane>,
    /// How listeners are called, as declared (`Poll: true` makes it [`Call::Polling`]).
    pub call: Call,
    /// Effective rate of a client's event (`DefaultRate` applied); `None` without one, and for a server's.
    pub rate: Option<Rate>,
    /// Whether the outbound budget may withhold it.
    pub priority: Priority,
    /// Settings of a stream.
    pub stream: Option<Stream>,
    /// Width of a stamped event's window, in milliseconds.
    pub stamp: Option<f64>,
    /// What the schema's `Data` says. [`Event::wire_payload`] gives what travels.
    pub data: Payload,
    /// Place on its channel, from 0.
    pub index: u8,
    /// Its name where it is declared.
    pub span: Span,
}

impl Event {
    /// Whether it waits in a queue for a loop instead of being told to listeners; `use_polling` is the option.
    pub fn is_polled(&self, use_polling: bool) -> bool {
        self.call == Call::Polling || (use_polling && self.stream.is_none() && self.stamp.is_none())
    }
}

/// Settings of a `Stream` block; rates in sends a second, times in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stream {
    /// Due steps a second.
    pub rate: f64,
    /// Due steps a second while fast.
    pub fast: Option<f64>,
    /// Longest silence while a state is held.
    pub keepalive: f64,
    /// Tolerance of "unchanged"; 0 means exact.
    pub epsilon: f64,
    /// Whether each player has a state of their own.
    pub per_player: bool,
}

/// How `Invoke` gives its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Yield {
    /// Yields the caller.
    Coroutine,
    /// Returns a Future of `FutureLibrary`.
    Future,
    /// Returns a Promise of `PromiseLibrary`.
    Promise,
}

/// A call with an answer, from one side to the other.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its own name.
    pub name: String,
    /// Names from the top level down to and including this one.
    pub path: Vec<String>,
    /// The side that invokes it.
    pub from: Side,
    /// How `Invoke` gives its answer.
    pub yield_: Yield,
    /// Effective rate of a client's calls.
    pub rate: Option<Rate>,
    /// Most calls of one player running at once.
    pub concurrency: Option<u32>,
    /// What the caller sends.
    pub data: Payload,
    /// What the listener answers.
    pub return_: Payload,
    /// Place on the reliable channel, from 0.
    pub index: u8,
    /// Its name where it is declared.
    pub span: Span,
}

/// What an event, call or answer carries.
#[derive(Clone, Debug, Default)]
pub enum Payload {
    /// Nothing declared, or `()`.
    #[default]
    Nothing,
    /// One type, the parameter `Value`.
    Single(Type),
    /// A type pack, a parameter each. Never empty.
    Pack(Vec<Element>),
}

impl Payload {
    /// Name and type of each parameter, in order.
    pub fn parameters(&self) -> Vec<(String, &Type)> {
        match self {
            Payload::Nothing => Vec::new(),
            Payload::Single(ty) => vec![("Value".to_owned(), ty)],
            Payload::Pack(elements) => {
                let elements = elements.iter().enumerate();
                elements.map(|(position, element)| (element.parameter(position), &element.ty)).collect()
            }
        }
    }
}

/// An element of a type pack.
#[derive(Clone, Debug)]
pub struct Element {
    /// Its written name; without one it is `Value<position>`, from 1.
    pub name: Option<String>,
    /// Its type.
    pub ty: Type,
    /// The name, or the type where there is none.
    pub span: Span,
}

impl Element {
    /// Its name as a parameter: its own, or `Value` and its place from 1. `position` counts from 0.
    pub fn parameter(&self, position: usize) -> String {
        self.name.clone().unwrap_or_else(|| format!("Value{}", position + 1))
    }
}
