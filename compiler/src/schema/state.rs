//! States: live objects of the server that clients follow, field by field. Source: replication design, state.

use super::event::{FieldSpans, PERS};
use super::resolve::{NameKind, Resolver};
use super::{Channel, Field, Item, Payload, Scope, Type, TypeKind};
use crate::source::Span;
use crate::syntax::ast::Member;

/// Keys of a state's block.
pub const STATE_KEYS: &[&str] = &["Key", "Data", "Per", "Codec"];
/// Words of `Codec`, and whether the game packs what changes.
pub(super) const CODECS: &[(&str, bool)] = &[("Plan", false), ("Custom", true)];

/// A live object of the server, or one for each key, whose changed fields clients follow.
#[derive(Clone, Debug)]
pub struct State {
    /// Its own name.
    pub name: String,
    /// Names from the top level down to and including this one.
    pub path: Vec<String>,
    /// What names an object, a bounded string; without one there is a single object.
    pub key: Option<Type>,
    /// What an object holds: a struct.
    pub data: Type,
    /// Whether each player has objects of their own.
    pub per_player: bool,
    /// Whether the game packs what changes; whole objects are packed by the plan either way.
    pub custom: bool,
    /// Place on the reliable channel, from 0. With a codec of the game's it is that of what changes, and the one
    /// behind it that of whole objects.
    pub index: u8,
    /// Its name where it is declared.
    pub span: Span,
}

impl State {
    /// What an object's fields are, in order; none of a `Data` that is no struct, which is refused.
    pub fn fields(&self) -> &[Field] {
        match &self.data.meaning().kind {
            TypeKind::Struct(fields) => fields,
            _ => &[],
        }
    }

    /// Place on the reliable channel of what the plan packs.
    pub fn plan_index(&self) -> u8 {
        self.index.saturating_add(u8::from(self.custom))
    }

    /// The types of it that travel.
    pub fn types(&self) -> Vec<&Type> {
        self.key.iter().chain([&self.data]).collect()
    }
}

impl Scope {
    /// Whether it or a scope in it holds a state.
    pub fn has_state(&self) -> bool {
        self.items.iter().any(|item| match item {
            Item::State(_) => true,
            Item::Scope(inner) => inner.has_state(),
            Item::Type(_) | Item::Event(_) | Item::Function(_) | Item::Table(_) | Item::Entity(_) => false,
        })
    }
}

/// A state with where it is written, whether or not the build compiles it.
#[derive(Clone, Debug)]
pub(crate) struct DeclaredState {
    pub state: State,
    pub key: Option<FieldSpans>,
    pub data: Option<FieldSpans>,
    /// Whether this build compiles it.
    pub compiled: bool,
}

impl Resolver<'_> {
    pub(super) fn state(&mut self, member: &Member) -> Option<Item> {
        let name = &member.name;
        self.declare_member(name, NameKind::State, None);
        let mut block = self.block(name.span, &name.text, "state", &member.block, STATE_KEYS);
        self.require(&block, &["Data"]);
        let per = self.word(&mut block, "Per", PERS);
        let custom = self.word(&mut block, "Codec", CODECS).unwrap_or(false);
        let single = |payload: Payload| match payload {
            Payload::Single(ty) => Some(ty),
            Payload::Nothing | Payload::Pack(_) => None,
        };
        let key = single(self.payload(&block, "Key"));
        let data = single(self.payload(&block, "Data"));
        let compiled = self.here.excluded.is_none();
        let index = if compiled { self.next_index(Channel::Reliable, name.span) } else { 0 };
        if compiled && custom {
            self.next_index(Channel::Reliable, name.span);
        }
        let state = State {
            name: name.text.clone(),
            path: self.path_of(&name.text),
            key,
            data: data.unwrap_or(Type { kind: TypeKind::Error, span: name.span }),
            per_player: per.is_some(),
            custom,
            index,
            span: name.span,
        };
        self.states.push(DeclaredState {
            state: state.clone(),
            key: block.origin.written("Key"),
            data: block.origin.written("Data"),
            compiled,
        });
        Some(Item::State(state))
    }
}
