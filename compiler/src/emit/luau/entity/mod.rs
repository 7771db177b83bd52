//! Entities in modules: the codecs of their parts, what the runtime is told of each, and the members they have.
//!
//! `codec` has what both sides share; `server` and `client` have a side each. A schema without entities has none of it.

mod client;
mod codec;
mod server;

use super::ast::*;
use super::context::{Context, Names};
use super::types;
use crate::schema::{Entity, Item, Schema, Scope};
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
}

/// Every entity, in order of declaration; `object` ends the name of the type that stands for one.
fn entities<'a>(schema: &'a Schema, wire: &'a Wire, object: &str) -> Vec<EntityInfo<'a>> {
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
    walk(&schema.root, &mut found);
    let mut names = Names::default();
    let is_type = |name: &str| schema.types.iter().any(|decl| decl.luau_name == name);
    let free = |mut name: String| {
        while is_type(&name) {
            name.push('_');
        }
        name
    };
    let info = |(entity, wire): (&'a Entity, &'a EntityWire)| {
        let key = names.own(&entity.path.join("_"));
        let data = free(format!("{key}_Data"));
        let object = free(format!("{key}_{object}"));
        EntityInfo { entity, wire, key, data, object }
    };
    found.into_iter().zip(&wire.entities).map(info).collect()
}

impl EntityInfo<'_> {
    /// The local that holds what the runtime keeps of it.
    fn kind(&self) -> Expr {
        name(format!("{}Kind", self.key))
    }

    /// `export type Ship_Data = ..`
    fn data_type(&self, schema: &Schema) -> Stat {
        Stat::TypeAlias {
            export: true,
            name: self.data.clone(),
            generics: Vec::new(),
            ty: types::of_type(schema, &self.entity.data),
        }
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
