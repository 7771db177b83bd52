//! Luau types: the schema's named types as `export type`, and the type of any value of a plan.

use super::ast::{Block, LuauType, Stat, TypeAlias, array, optional, ty};
use crate::schema::{Entity, Payload, Schema, Type, TypeDecl, TypeKind};
use crate::wire::plan::{Node, Shape};

/// An `export type` for each declared type, in order of declaration.
pub fn declarations(schema: &Schema) -> Block {
    let mut block = Block::new();
    for decl in &schema.types {
        block.push(declaration(schema, decl));
    }
    block
}

/// The `export type` of one declared type.
pub fn declaration(schema: &Schema, decl: &TypeDecl) -> Stat {
    Stat::TypeAlias(Box::new(TypeAlias {
        export: true,
        name: decl.luau_name.clone(),
        generics: parameters(schema, decl),
        ty: of_type(schema, &decl.ty),
    }))
}

/// Parameters of a generic. Of several with one name the last is meant, and the others are called otherwise.
fn parameters(schema: &Schema, decl: &TypeDecl) -> Vec<String> {
    let mut parameters: Vec<String> = Vec::new();
    for name in decl.generics.iter().rev() {
        let mut own = parameter(schema, name);
        while parameters.contains(&own) {
            own.push('_');
        }
        parameters.insert(0, own);
    }
    parameters
}

/// What a parameter is called in Luau: not like a keyword, nor like a type that its generic may name.
fn parameter(schema: &Schema, name: &str) -> String {
    let mut own = name.to_owned();
    while !crate::luau::is_name(&own)
        || matches!(own.as_str(), "any" | "number" | "Vector3")
        || schema.has_luau_type(&own)
    {
        own.push('_');
    }
    own
}

/// Name and Luau type of each parameter of a payload.
pub fn of_payload(schema: &Schema, payload: &Payload) -> Vec<(String, LuauType)> {
    payload.parameters().into_iter().map(|(name, ty)| (name, of_type(schema, ty))).collect()
}

/// The Luau type of values of a schema type.
pub fn of_type(schema: &Schema, value: &Type) -> LuauType {
    match &value.kind {
        TypeKind::Number(_) => ty("number"),
        TypeKind::Boolean => ty("boolean"),
        TypeKind::String(_) => ty("string"),
        TypeKind::Buffer(_) => ty("buffer"),
        TypeKind::Vector { .. } => ty("Vector3"),
        TypeKind::CFrame { .. } => ty("CFrame"),
        TypeKind::Roblox(roblox) => ty(roblox.class()),
        TypeKind::EnumItem(name) => ty(format!("Enum.{name}")),
        TypeKind::Instance(class) => ty(class.as_deref().unwrap_or("Instance")),
        TypeKind::Unknown | TypeKind::Error => ty("any"),
        TypeKind::Entity { path: _, index } => optional(ty(handle(schema, *index))),
        TypeKind::Optional { inner, .. } => optional(of_type(schema, inner)),
        TypeKind::Array { element, .. } => array(of_type(schema, element)),
        TypeKind::Map { key, value } => {
            LuauType::Map(Box::new(of_type(schema, key)), Box::new(of_type(schema, value)))
        }
        TypeKind::Set(flags) => flags_table(flags),
        TypeKind::UnitEnum(values) => literals(values),
        TypeKind::TaggedEnum { tag, variants } => union(variants.iter().map(|variant| {
            let mut fields = vec![(tag.clone(), LuauType::Text(variant.name.as_str().into()))];
            let own = variant.fields.iter().map(|field| (field.name.clone(), of_type(schema, &field.ty)));
            fields.extend(own);
            LuauType::Table(fields)
        })),
        TypeKind::Struct(fields) => LuauType::Table(
            fields.iter().map(|field| (field.name.clone(), of_type(schema, &field.ty))).collect(),
        ),
        TypeKind::Named { decl, args, .. } => {
            let name = schema.types.get(decl.0 as usize).map_or("any", |decl| decl.luau_name.as_str());
            LuauType::Name(name.into(), args.iter().map(|arg| of_type(schema, arg)).collect())
        }
        TypeKind::Parameter(name) => ty(parameter(schema, name)),
    }
}

/// The Luau type of values of a plan's node.
pub fn of_node(schema: &Schema, node: &Node) -> LuauType {
    if let Some(named) = node.named.as_ref().filter(|named| named.args.is_empty())
        && let Some(decl) = schema.types.get(named.decl.0 as usize)
    {
        return ty(decl.luau_name.as_str());
    }
    match &node.shape {
        Shape::Number(_) => ty("number"),
        Shape::Boolean(_) => ty("boolean"),
        Shape::Bytes(bytes) => ty(if bytes.buffer { "buffer" } else { "string" }),
        Shape::Vector(_) => ty("Vector3"),
        Shape::CFrame(_) => ty("CFrame"),
        Shape::Roblox { ty: roblox, .. } => ty(roblox.class()),
        Shape::EnumItem { name, .. } => ty(format!("Enum.{name}")),
        Shape::Instance { class, optional: is_optional } => {
            let class = ty(class.as_deref().unwrap_or("Instance"));
            if *is_optional { optional(class) } else { class }
        }
        Shape::Unknown => ty("any"),
        Shape::Entity { path: _, index, place: _ } => optional(ty(handle(schema, *index))),
        Shape::Optional { block, .. } => optional(of_node(schema, &block.body)),
        Shape::Array(list) => array(of_node(schema, &list.block.body)),
        Shape::Booleans(_) => array(ty("boolean")),
        Shape::Map(map) => match &map.entry.body.shape {
            Shape::Entry(entry) => {
                let [key, value] = entry.as_ref();
                LuauType::Map(Box::new(of_node(schema, key)), Box::new(of_node(schema, value)))
            }
            _ => ty("any"),
        },
        Shape::Set(set) => flags_table(&set.flags),
        Shape::UnitEnum { values, .. } => literals(values),
        Shape::TaggedEnum(tagged) => union(tagged.variants.iter().map(|variant| {
            let mut fields = vec![(tagged.tag.clone(), LuauType::Text(variant.name.as_str().into()))];
            if let Shape::Struct(members) = &variant.block.body.shape {
                let own = members.iter().map(|member| (member.name.clone(), of_node(schema, &member.node)));
                fields.extend(own);
            }
            LuauType::Table(fields)
        })),
        Shape::Struct(members) | Shape::Pack(members) => LuauType::Table(
            members.iter().map(|member| (member.name.clone(), of_node(schema, &member.node))).collect(),
        ),
        Shape::Entry(_) => ty("any"),
    }
}

/// Name of the type of what stands for an entity on the side at hand: a type of its own name on neither.
pub fn handle(schema: &Schema, index: u8) -> String {
    let entities = schema.entities();
    let joined = |entity: &Entity| entity.path.join("_");
    let Some(own) = entities.iter().find(|entity| entity.index == index) else { return "any".to_owned() };
    let mut name = joined(own);
    if entities.iter().any(|other| other.index < index && joined(other) == name) {
        name = format!("{name}{index}");
    }
    name.push_str("_Handle");
    while schema.has_luau_type(&name) {
        name.push('_');
    }
    name
}

fn flags_table(flags: &[String]) -> LuauType {
    LuauType::Table(flags.iter().map(|flag| (flag.clone(), ty("boolean"))).collect())
}

fn literals(values: &[String]) -> LuauType {
    union(values.iter().map(|value| LuauType::Text(value.as_str().into())))
}

fn union(members: impl Iterator<Item = LuauType>) -> LuauType {
    let mut members: Vec<LuauType> = members.collect();
    if members.len() == 1 { members.remove(0) } else { LuauType::Union(members) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::luau::print;
    use crate::schema::Profile;
    use crate::source::MemoryLoader;

    fn declared(schema: &str) -> String {
        let analysis = crate::analyze(&MemoryLoader::new().with("x", schema), "x", Profile::Release);
        let schema = analysis.schema.unwrap_or_else(|| panic!("{:?}", analysis.diagnostics));
        print::print(&declarations(&schema)).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn parameters_of_generics_are_names_of_their_own() {
        assert_eq!(declared("struct A<T, V> { X: T, Y: V }"), "export type A<T, V> = { X: T, Y: V }");
        assert_eq!(
            declared("struct A<end, number> { X: end, Y: number, Z: u8 }"),
            "export type A<end_, number_> = { X: end_, Y: number_, Z: number }"
        );
        assert_eq!(declared("struct A<T, T> { X: T }"), "export type A<T_, T> = { X: T }");
        assert_eq!(
            declared("type T = u8 struct A<T> { X: T }"),
            "export type T = number export type A<T_> = { X: T_ }"
        );
    }
}
