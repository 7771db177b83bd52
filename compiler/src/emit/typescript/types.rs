//! TypeScript types of a schema's types. Source: tooling specification, 4.3.

use super::ast::{Property, Type, or_undefined, ty, union};
use super::names::{Names, Place};
use crate::docs::Docs;
use crate::schema::{self, Entity, Field, Schema, Side, TypeKind};

/// What naming a type takes.
pub struct Types<'a> {
    /// The schema.
    pub schema: &'a Schema,
    /// Its names.
    pub names: Names<'a>,
    /// Comments of its files.
    pub docs: &'a Docs<'a>,
    /// Whose module it is; `None` for types alone.
    pub side: Option<Side>,
}

impl Types<'_> {
    /// The type of values of a schema type.
    pub fn of(&self, value: &schema::Type, place: &Place) -> Type {
        match &value.kind {
            TypeKind::Number(_) => ty("number"),
            TypeKind::Boolean => ty("boolean"),
            TypeKind::String(_) => ty("string"),
            TypeKind::Buffer(_) => self.global("buffer", place),
            TypeKind::Vector { .. } => self.global("Vector3", place),
            TypeKind::CFrame { .. } => self.global("CFrame", place),
            TypeKind::Roblox(roblox) => self.global(roblox.class(), place),
            TypeKind::EnumItem(name) => ty(self.names.global_member("Enum", name, place)),
            TypeKind::Instance(class) => self.global(class.as_deref().unwrap_or("Instance"), place),
            TypeKind::Unknown | TypeKind::Error => ty("unknown"),
            TypeKind::Entity { path: _, index } => or_undefined(self.handle(*index, place)),
            TypeKind::Optional { inner, .. } => or_undefined(self.of(inner, place)),
            TypeKind::Array { element, .. } => Type::Array(Box::new(self.of(element, place))),
            TypeKind::Map { key, value } => {
                let args = vec![self.of(key, place), self.of(value, place)];
                Type::Name(self.names.global("Map", place), args)
            }
            TypeKind::Set(flags) => {
                let flag = |flag: &String| Property {
                    doc: None,
                    readonly: false,
                    name: flag.into(),
                    optional: false,
                    ty: ty("boolean"),
                };
                Type::Object(flags.iter().map(flag).collect())
            }
            TypeKind::UnitEnum(values) => union(values.iter().map(|value| Type::Text(value.clone()))),
            TypeKind::TaggedEnum { tag, variants } => union(variants.iter().map(|variant| {
                let mut fields = vec![Property {
                    doc: None,
                    readonly: false,
                    name: tag.into(),
                    optional: false,
                    ty: Type::Text(variant.name.clone()),
                }];
                fields.extend(self.fields(&variant.fields, place));
                Type::Object(fields)
            })),
            TypeKind::Struct(fields) => Type::Object(self.fields(fields, place)),
            TypeKind::Named { decl, args, .. } => match self.schema.types.get(decl.0 as usize) {
                Some(decl) => {
                    let args = args.iter().map(|arg| self.of(arg, place)).collect();
                    Type::Name(self.names.reference(decl, place), args)
                }
                None => ty("unknown"),
            },
            TypeKind::Parameter(name) => ty(place.params.get(name).unwrap_or(name).as_str()),
        }
    }

    /// What stands for an entity on this side. Where it is on neither, nothing is known of it.
    fn handle(&self, index: u8, place: &Place) -> Type {
        let entities = self.schema.entities();
        match (self.side, entities.into_iter().find(|entity| entity.index == index)) {
            (Some(side), Some(entity)) => self.global(&self.object_name(entity, side), place),
            _ => ty("unknown"),
        }
    }

    /// The interface that stands for an entity on a side.
    pub fn object_name(&self, entity: &Entity, side: Side) -> String {
        let end = if side == Side::Server { "Entity" } else { "Mirror" };
        self.names.own(&format!("{}{end}", entity.path.concat()))
    }

    /// A type of the platform or of roblox-ts.
    pub fn global(&self, name: &str, place: &Place) -> Type {
        ty(self.names.global(name, place))
    }

    fn fields(&self, fields: &[Field], place: &Place) -> Vec<Property> {
        let field = |field: &Field| Property {
            doc: self.docs.above(field.span),
            readonly: false,
            name: (&field.name).into(),
            optional: is_optional(&field.ty),
            ty: self.present(&field.ty, place),
        };
        fields.iter().map(field).collect()
    }

    /// The type of values that are there, of what a `?` behind the name already says may be missing.
    pub fn present(&self, value: &schema::Type, place: &Place) -> Type {
        match &value.kind {
            TypeKind::Optional { inner, .. } => self.of(inner, place),
            TypeKind::Entity { path: _, index } => self.handle(*index, place),
            _ => self.of(value, place),
        }
    }
}

/// Whether a value may be nil, also when only an alias says so.
pub fn is_optional(value: &schema::Type) -> bool {
    matches!(value.meaning().kind, TypeKind::Optional { .. } | TypeKind::Entity { .. })
}
