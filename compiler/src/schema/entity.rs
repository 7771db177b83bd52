//! Blocks of entities to their resolved form. Source: `replication.md`, entity; rules between fields are in
//! `check/entities.rs`.

use super::event::{Declared, DeclaredMember};
use super::names::EntityEntry;
use super::properties::{self, Property};
use super::resolve::{NameKind, Resolver};
use super::{Item, Payload, Type, TypeKind};
use crate::check::blocks as say;
use crate::check::entities as refuse;
use crate::source::Span;
use crate::syntax::ast::{Member, Scalar, ScalarKind, SyncClass as WrittenClass, Synced, Value};

/// Keys of an entity's block.
pub const ENTITY_KEYS: &[&str] = &[
    "Rate",
    "Relevance",
    "Owner",
    "Transform",
    "Velocity",
    "Parent",
    "Named",
    "Tags",
    "Attributes",
    "Interpolate",
    "MaxDelay",
    "Sync",
    "Input",
    "Data",
];

/// Snapshots a second where none are written.
pub const DEFAULT_RATE: f64 = 20.0;
/// Seconds a mirror may be drawn late where none are written.
pub const DEFAULT_MAX_DELAY: f64 = 0.25;
/// Entities of a schema: an index is one byte, the last of which marks removals.
pub const MAX_ENTITIES: usize = 255;

/// An entity: state on the server that mirrors on clients follow.
#[derive(Clone, Debug)]
pub struct Entity {
    /// Its own name.
    pub name: String,
    /// Names from the top level down to and including this one.
    pub path: Vec<String>,
    /// Snapshots a second.
    pub rate: f64,
    /// Who sees it.
    pub relevance: Relevance,
    /// Whether it may have an owner, and what a leave does to that.
    pub owner: Ownership,
    /// Whether it carries a transform.
    pub transform: Following,
    /// Whether its owner is sent velocities and the tick of the input that was consumed last.
    pub velocity: bool,
    /// Whether it may be inside another.
    pub parent: bool,
    /// Whether it has a name that mirrors follow.
    pub named: bool,
    /// Whether it has tags that mirrors follow.
    pub tags: bool,
    /// Whether it has attributes that mirrors follow.
    pub attributes: bool,
    /// Whether mirrors are interpolated from the start.
    pub interpolate: bool,
    /// Most seconds a mirror is drawn late.
    pub max_delay: f64,
    /// Whether the properties of `Sync` follow only where the game says so.
    pub sync_manual: bool,
    /// Properties of a bound Instance that mirrors follow, in order.
    pub sync: Vec<SyncClass>,
    /// What the owner sends.
    pub input: Option<Type>,
    /// The replicated fields, a struct.
    pub data: Type,
    /// Its number among the entities, from 0.
    pub index: u8,
    /// Its name where it is declared.
    pub span: Span,
}

/// Properties of one class.
#[derive(Clone, Debug)]
pub struct SyncClass {
    /// The class.
    pub class: String,
    /// Properties with the types they travel as, in order.
    pub properties: Vec<(String, Type)>,
}

/// Who sees an entity.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Relevance {
    /// Everyone.
    #[default]
    All,
    /// Whoever is within so many studs.
    Radius(f64),
    /// Whoever the game shows it to.
    Manual,
}

/// Whether an entity may have an owner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ownership {
    /// It may not.
    #[default]
    Never,
    /// It may, and the same user inherits it on return.
    Kept,
    /// It may, and a leave clears it.
    Cleared,
}

/// Whether mirrors follow something of an entity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Following {
    /// It has no such thing.
    #[default]
    Never,
    /// From the start.
    Always,
    /// Only while the game says so.
    Manual,
}

impl Entity {
    /// Fields of `Data`, in order; none when it could not be made out.
    pub fn fields(&self) -> &[super::Field] {
        match &self.data.meaning().kind {
            TypeKind::Struct(fields) => fields,
            _ => &[],
        }
    }
}

/// The words a key of an entity takes; none when it takes something else.
pub fn words(key: &str) -> Vec<&'static str> {
    match key {
        "Relevance" => vec!["All", "Radius", "Manual"],
        "Owner" => vec!["true", "false", "Clear"],
        "Transform" => vec!["true", "false", "Manual"],
        "Velocity" | "Parent" | "Named" | "Tags" | "Attributes" | "Interpolate" => vec!["true", "false"],
        _ => Vec::new(),
    }
}

impl Resolver<'_> {
    pub(super) fn entity(&mut self, member: &Member) -> Option<Item> {
        let name = &member.name;
        self.declare_member(name, NameKind::Entity, None);
        // Its own fields may name it, so its name is there before they are read.
        let index = u8::try_from(self.entities).unwrap_or(u8::MAX);
        let entry = EntityEntry {
            span: name.span,
            path: self.path_of(&name.text).join(".").into(),
            index,
            excluded: self.here.excluded,
        };
        self.names.add_entity(self.here.scope, &name.text, entry);
        let mut block = self.block(name.span, &name.text, "entity", &member.block, ENTITY_KEYS);
        self.require(&block, &["Data"]);
        let rate =
            self.number(&mut block, "Rate", "a number from 1 to 60", |rate| (1.0..=60.0).contains(&rate));
        let max_delay = self.number(&mut block, "MaxDelay", "a number above 0", |delay| delay > 0.0);
        let relevance = self.relevance(&mut block);
        let owner = self.switch(&mut block, "Owner", Some(("Clear", Ownership::Cleared)), Ownership::Kept);
        let transform =
            self.switch(&mut block, "Transform", Some(("Manual", Following::Manual)), Following::Always);
        let velocity = self.switch(&mut block, "Velocity", None, true);
        let parent = self.switch(&mut block, "Parent", None, true);
        let named = self.switch(&mut block, "Named", None, true);
        let tags = self.switch(&mut block, "Tags", None, true);
        let attributes = self.switch(&mut block, "Attributes", None, true);
        let interpolate = self.switch(&mut block, "Interpolate", None, true);
        let (sync_manual, sync) = match block.entries.get("Sync").map(|entry| &entry.value) {
            Some(Value::Sync(written)) => {
                let read = self.synced(written);
                block.accept("Sync");
                (written.manual.is_some(), read)
            }
            _ => (false, Vec::new()),
        };
        let input = self.single(&block, "Input");
        if input.is_some() {
            block.accept("Input");
        }
        let data = self.single(&block, "Data");
        if data.is_some() {
            block.accept("Data");
        }
        let owner = owner.unwrap_or_default();
        let implied = owner != Ownership::Never && input.is_some() && transform.is_some();
        let compiled = self.here.excluded.is_none();
        if compiled && self.entities == MAX_ENTITIES {
            self.report(refuse::too_many(self.here.via.unwrap_or(name.span)));
        }
        let entity = Entity {
            name: name.text.clone(),
            path: self.path_of(&name.text),
            rate: rate.unwrap_or(DEFAULT_RATE),
            relevance: relevance.unwrap_or_default(),
            owner,
            transform: transform.unwrap_or_default(),
            velocity: velocity.unwrap_or(implied),
            parent: parent.unwrap_or(false),
            named: named.unwrap_or(false),
            tags: tags.unwrap_or(false),
            attributes: attributes.unwrap_or(false),
            interpolate: interpolate.unwrap_or(false),
            max_delay: max_delay.unwrap_or(DEFAULT_MAX_DELAY),
            sync_manual,
            sync,
            input,
            data: data.unwrap_or(Type { kind: TypeKind::Error, span: name.span }),
            index,
            span: name.span,
        };
        self.entities += usize::from(compiled);
        let entity = Box::new(entity);
        self.declared.push(Declared {
            member: DeclaredMember::Entity(entity.clone()),
            origin: block.origin,
            compiled,
            via: self.here.via,
        });
        Some(Item::Entity(entity))
    }

    /// One type, the value of a key. A pack is refused.
    fn single(&mut self, block: &super::event::Fields, key: &'static str) -> Option<Type> {
        match self.payload(block, key) {
            Payload::Single(ty) => Some(ty),
            Payload::Nothing | Payload::Pack(_) => {
                if let Some(Value::Pack(pack)) = block.entries.get(key).map(|entry| &entry.value) {
                    self.report(refuse::pack(pack.span, key));
                }
                None
            }
        }
    }

    /// `true`, or a word beside the booleans. `None` for `false` and for what is not there.
    fn switch<T: Copy>(
        &mut self,
        block: &mut super::event::Fields,
        key: &'static str,
        word: Option<(&str, T)>,
        on: T,
    ) -> Option<T> {
        let kind = if word.is_some() { "a boolean or a word" } else { "a boolean" };
        let (entry, scalar) = self.scalar(block, key, kind)?;
        let found = match &scalar.kind {
            ScalarKind::Boolean(true) => Some(on),
            ScalarKind::Boolean(false) => {
                block.accept(key);
                return None;
            }
            ScalarKind::Word(text) => word.filter(|(word, _)| word == text).map(|(_, value)| value),
            ScalarKind::String(_) | ScalarKind::Number(_) => None,
        };
        match found {
            Some(value) => {
                block.accept(key);
                Some(value)
            }
            None => {
                self.wrong(scalar, &entry.key.text, &words(key));
                None
            }
        }
    }

    fn wrong(&mut self, scalar: &Scalar, key: &str, known: &[&str]) {
        match &scalar.kind {
            ScalarKind::Word(word) => self.report(say::unknown_word(scalar.span, key, word, known)),
            ScalarKind::Boolean(_) | ScalarKind::String(_) | ScalarKind::Number(_) => {
                self.report(say::field_kind(scalar.span, key, "one of its words", None));
            }
        }
    }

    fn relevance(&mut self, block: &mut super::event::Fields) -> Option<Relevance> {
        let entry = *block.entries.get("Relevance")?;
        if let Value::Ranged(name, bounds) = &entry.value {
            if name.text != "Radius" {
                self.report(say::unknown_word(name.span, &entry.key.text, &name.text, &words("Relevance")));
                return None;
            }
            let radius = bounds.min.filter(|min| bounds.max.is_none_or(|max| max.value == min.value));
            let Some(radius) = radius.filter(|radius| radius.value > 0.0) else {
                self.report(say::field_value(bounds.span, "Radius", "a number of studs above 0", None));
                return None;
            };
            block.accept("Relevance");
            return Some(Relevance::Radius(radius.value));
        }
        let (entry, scalar) = self.scalar(block, "Relevance", "a word")?;
        match &scalar.kind {
            ScalarKind::Word(word) if word == "All" => {
                block.accept("Relevance");
                Some(Relevance::All)
            }
            ScalarKind::Word(word) if word == "Manual" => {
                block.accept("Relevance");
                Some(Relevance::Manual)
            }
            ScalarKind::Word(word) if word == "Radius" => {
                self.report(refuse::radius_without_studs(scalar.span));
                None
            }
            _ => {
                self.wrong(scalar, &entry.key.text, &words("Relevance"));
                None
            }
        }
    }

    fn synced(&mut self, written: &Synced) -> Vec<SyncClass> {
        written.classes.iter().filter_map(|class| self.sync_class(class)).collect()
    }

    fn sync_class(&mut self, written: &WrittenClass) -> Option<SyncClass> {
        let class = &written.name;
        if !super::classes::is_known(&class.text) {
            self.report(refuse::unknown_class(class.span, &class.text));
            return None;
        }
        if let Some(why) = properties::unsyncable(&class.text) {
            self.report(refuse::class_not_synced(class.span, &class.text, why));
            return None;
        }
        let mut found: Vec<(String, Type)> = Vec::new();
        for property in &written.properties {
            if found.iter().any(|(name, _)| *name == property.text) {
                self.report(refuse::property_twice(property.span, &property.text));
                continue;
            }
            match properties::of(&class.text, &property.text) {
                Property::Synced(kind) => {
                    found.push((property.text.clone(), Type { kind, span: property.span }));
                }
                Property::Refused(why) => {
                    self.report(refuse::property_not_synced(property.span, &class.text, &property.text, why));
                }
                Property::Unknown => {
                    let near = properties::nearest(&class.text, &property.text);
                    self.report(refuse::unknown_property(property.span, &class.text, &property.text, near));
                }
            }
        }
        Some(SyncClass { class: class.text.clone(), properties: found })
    }
}
