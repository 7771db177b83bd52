//! Entities in modules: the codecs of their parts, what the runtime is told of each, and the members they have.
//!
//! `codec` has what both sides share; `server` and `client` have a side each. A schema without entities has none of it.

mod client;
mod codec;
mod server;

use super::ast::*;
use super::context::{Context, Names};
use super::types;
use crate::schema::{Entity, Schema, TypeKind};
use crate::wire::Wire;
use crate::wire::entity::EntityWire;

pub use client::Mirrors;
pub use server::Authority;

/// An entity with its plan and names.
pub struct EntityInfo<'a> {
    /// As resolved.
    pub entity: &'a Entity,
    /// As it travels.
    pub wire: &'a EntityWire,
    /// Its path joined by `_`: unique, and a name.
    pub key: String,
    /// The Luau type of its fields.
    pub data: String,
    /// The Luau type of what stands for one on this side.
    pub object: String,
    /// Whether the module has so many that their functions must not all be locals of its own.
    is_crowded: bool,
}

/// Functions and kinds of entities that a module may have as locals of its own.
const MOST_LOCALS: usize = 60;

/// The entities of a module, in order of declaration.
pub struct Entities<'a> {
    all: Vec<EntityInfo<'a>>,
}

impl<'a> Entities<'a> {
    /// Of a schema; `object` ends the name of the type that stands for one.
    fn new(schema: &'a Schema, wire: &'a Wire, object: &str) -> Entities<'a> {
        Entities { all: entities(schema, wire, object) }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    fn any(&self, is_so: impl Fn(&EntityInfo) -> bool) -> bool {
        self.all.iter().any(is_so)
    }

    /// What the kinds are put into, when they are not locals.
    fn kinds(&self) -> Option<Stat> {
        let is_crowded = self.any(|info| info.is_crowded);
        is_crowded.then(|| Stat::Local(vec![bare("Kinds")], vec![cast(Expr::Table(Vec::new()), ty("any"))]))
    }

    fn find(&self, entity: &Entity) -> Option<&EntityInfo<'a>> {
        self.all.iter().find(|info| info.entity.path == entity.path)
    }
}

fn entities<'a>(schema: &'a Schema, wire: &'a Wire, object: &str) -> Vec<EntityInfo<'a>> {
    let mut names = Names::default();
    let is_type = |name: &str| schema.types.iter().any(|decl| decl.luau_name == name);
    let free = |mut name: String| {
        while is_type(&name) {
            name.push('_');
        }
        name
    };
    let locals: usize = wire.entities.iter().map(|one| one.parts.len() + one.synced.len() + 3).sum();
    let is_crowded = locals > MOST_LOCALS;
    let info = |(entity, wire): (&'a Entity, &'a EntityWire)| {
        let key = names.own(&entity.path.join("_"));
        let data = free(format!("{key}_Data"));
        let object = free(format!("{key}_{object}"));
        EntityInfo { entity, wire, key, data, object, is_crowded }
    };
    schema.entities().into_iter().zip(&wire.entities).map(info).collect()
}

/// The name of the remote that entities have of their own: a lost event holds no snapshot back.
pub fn remote_name(cx: &Context) -> String {
    format!("{}_ENTITY_REMOTE", cx.options.remote_base())
}

impl EntityInfo<'_> {
    /// What holds what the runtime keeps of it.
    fn kind(&self) -> Expr {
        if self.is_crowded {
            field(name("Kinds"), self.key.as_str())
        } else {
            name(format!("{}Kind", self.key))
        }
    }

    /// `export type Ship_Data = ..`
    fn data_type(&self, schema: &Schema) -> Stat {
        Stat::TypeAlias(Box::new(TypeAlias {
            export: true,
            name: self.data.clone(),
            generics: Vec::new(),
            ty: types::of_type(schema, &self.entity.data),
        }))
    }

    /// What types have for one of them on this side, where the schema uses its name as a type.
    fn handle_type(&self, schema: &Schema) -> Option<Stat> {
        is_named(schema, self.entity.index).then(|| {
            Stat::TypeAlias(Box::new(TypeAlias {
                export: false,
                name: types::handle(schema, self.entity.index),
                generics: Vec::new(),
                ty: ty(&self.object),
            }))
        })
    }

    /// The fields, each of which may be left out.
    fn partial(&self, schema: &Schema) -> LuauType {
        let fields = self.entity.fields().iter();
        LuauType::Table(
            fields.map(|field| (field.name.clone(), optional(types::of_type(schema, &field.ty)))).collect(),
        )
    }

    /// The bits of the mask, which both sides are told in the same words.
    fn bits(&self) -> Vec<Entry> {
        let wire = self.wire;
        let mut bit = 2.0;
        let mut next = |there: bool| {
            let own = if there { bit } else { 0.0 };
            if there {
                bit *= 2.0;
            }
            num(own)
        };
        let own = next(wire.owned);
        let active = next(wire.transform);
        let jump = next(wire.transform);
        let following = next(wire.transform);
        vec![
            Entry::Named("own".into(), own),
            Entry::Named("active".into(), active),
            Entry::Named("jump".into(), jump),
            Entry::Named("following".into(), following),
            Entry::Named("first".into(), num((wire.flags() as f64).exp2())),
            Entry::Named("maskSize".into(), size(wire.mask_size() as u64)),
            Entry::Named("velocity".into(), Expr::Bool(wire.velocity)),
            Entry::Named("takesInput".into(), Expr::Bool(wire.input.is_some())),
        ]
    }

    /// Adds what was made for it, whose last statement keeps `kind`.
    fn keep(&self, kind: Expr, mut own: Block, out: &mut Block) {
        if self.is_crowded {
            own.assign(self.kind(), kind);
            out.scope(own);
        } else {
            out.append(own);
            out.local(format!("{}Kind", self.key), kind);
        }
    }

    /// The Luau type of an input.
    fn input_type(&self, schema: &Schema) -> Option<LuauType> {
        self.entity.input.as_ref().map(|input| types::of_type(schema, input))
    }

    fn has_transform(&self) -> bool {
        self.wire.transform
    }

    fn has_owner(&self) -> bool {
        self.wire.owned
    }
}

/// Whether a type names the entity of that number.
pub fn is_named(schema: &Schema, index: u8) -> bool {
    let names = |kind: &TypeKind| matches!(kind, TypeKind::Entity { index: own, .. } if *own == index);
    schema.any_type(&names)
}

/// What marks Instances bound to the entities of this schema.
fn tag(cx: &Context) -> String {
    format!("{}_ENTITY", cx.options.remote_base())
}

/// A member called with `:`, as the field of a table type.
fn method_type(object: &str, params: Vec<(&str, LuauType)>, returns: Vec<LuauType>) -> LuauType {
    let mut all = vec![(Some("self".to_owned()), ty(object))];
    all.extend(params.into_iter().map(|(name, ty)| (Some(name.to_owned()), ty)));
    LuauType::Function(all, returns)
}

/// A function type with named parameters.
fn function_type(params: Vec<(&str, LuauType)>, returns: Vec<LuauType>) -> LuauType {
    LuauType::Function(params.into_iter().map(|(name, ty)| (Some(name.to_owned()), ty)).collect(), returns)
}
