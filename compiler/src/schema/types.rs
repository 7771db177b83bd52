//! What a type is once it is resolved: its kind, what it holds, and the bounds written on it. `ty` and `primitive` make them.

use std::sync::Arc;

use super::TypeId;
use crate::source::Span;

/// A type as used in one place.
#[derive(Clone, Debug)]
pub struct Type {
    /// What it is.
    pub kind: TypeKind,
    /// Where it is written.
    pub span: Span,
}

impl Type {
    /// The type itself, names of declarations looked through.
    pub fn meaning(&self) -> &Type {
        let mut ty = self;
        while let TypeKind::Named { ty: inner, .. } = &ty.kind {
            ty = inner;
        }
        ty
    }

    /// The types right inside this one, in the order they are written: what a container holds, the fields of a struct
    /// or of all variants. Inside a name is what it means; arguments of a generic are in there.
    pub fn parts(&self) -> Vec<&Type> {
        match &self.kind {
            TypeKind::Optional { inner, .. } => vec![inner],
            TypeKind::Array { element, .. } => vec![element],
            TypeKind::Map { key, value } => vec![key, value],
            TypeKind::Struct(fields) => fields.iter().map(|field| &field.ty).collect(),
            TypeKind::TaggedEnum { variants, .. } => {
                variants.iter().flat_map(|variant| variant.fields.iter()).map(|field| &field.ty).collect()
            }
            TypeKind::Named { ty, .. } => vec![ty],
            TypeKind::Number(_)
            | TypeKind::Boolean
            | TypeKind::String(_)
            | TypeKind::Buffer(_)
            | TypeKind::Vector { .. }
            | TypeKind::CFrame { .. }
            | TypeKind::Roblox(_)
            | TypeKind::EnumItem(_)
            | TypeKind::Instance(_)
            | TypeKind::Entity { .. }
            | TypeKind::Unknown
            | TypeKind::Set(_)
            | TypeKind::UnitEnum(_)
            | TypeKind::Parameter(_)
            | TypeKind::Error => Vec::new(),
        }
    }
}

/// What a type is.
#[derive(Clone, Debug)]
pub enum TypeKind {
    /// Integers, floats, fixed point and quantized floats.
    Number(Number),
    /// `boolean`
    Boolean,
    /// `string`, its length in bytes.
    String(Length),
    /// `buffer`, its length in bytes.
    Buffer(Length),
    /// `vector<component>(magnitude)`
    Vector {
        /// Component type; `f32` unless written.
        component: NumberKind,
        /// The components as written, for the signature; empty when none are.
        written: Vec<Component>,
        /// Bounds of the magnitude.
        magnitude: Option<Range>,
    },
    /// `CFrame<rotation, position>`
    CFrame {
        /// How the rotation travels.
        rotation: Rotation,
        /// Component type of the position.
        position: NumberKind,
        /// The components as written, for the signature; empty when none are.
        written: Vec<Component>,
    },
    /// The Roblox types of one fixed form.
    Roblox(RobloxType),
    /// `Enum(Name)`: an item of that Roblox enum.
    EnumItem(String),
    /// `Instance` or `Instance(Class)`
    Instance(Option<String>),
    /// `unknown`
    Unknown,
    /// `Ship?`, the name of an entity: what stands for it on either side, or nil.
    Entity {
        /// Names from the top level down to its own, with dots between them.
        path: Arc<str>,
        /// Its number among the entities.
        index: u8,
    },
    /// `T?`
    Optional {
        /// `T`
        inner: Arc<Type>,
        /// Whether a bit says if it is there. False only for `Instance?` outside a stream, where the slot says it.
        presence_bit: bool,
    },
    /// `T[..]`
    Array {
        /// `T`
        element: Arc<Type>,
        /// Count of elements; `written` is false for a bare `[]`.
        length: Length,
    },
    /// `map { [K]: V }`
    Map {
        /// `K`
        key: Arc<Type>,
        /// `V`
        value: Arc<Type>,
    },
    /// `set { A, B }`: flag names, in order.
    Set(Arc<[String]>),
    /// `enum { A, B }`: value names, in order.
    UnitEnum(Arc<[String]>),
    /// `enum "Tag" { Variant { .. } }`
    TaggedEnum {
        /// The field holding the variant's name.
        tag: String,
        /// Variants, in order.
        variants: Arc<[Variant]>,
    },
    /// `struct { .. }`, merges already put in their places.
    Struct(Arc<[Field]>),
    /// A use of a declared type under its name; means exactly what `ty` means.
    Named {
        /// The declaration.
        decl: TypeId,
        /// Arguments of a generic.
        args: Arc<[Type]>,
        /// What it means here, arguments filled in.
        ty: Arc<Type>,
    },
    /// A parameter, inside a generic template only.
    Parameter(String),
    /// Stands for a type that could not be made out; raises nothing further and never reaches `wire`.
    Error,
}

/// A variant of a tagged enum.
#[derive(Clone, Debug)]
pub struct Variant {
    /// Its name, the value of the tag.
    pub name: String,
    /// Its fields, in order.
    pub fields: Arc<[Field]>,
    /// Its name where it is declared.
    pub span: Span,
}

/// A field of a struct or variant.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name; any text.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its name where it is declared.
    pub span: Span,
}

/// A primitive number type.
#[allow(missing_docs, reason = "each is named as the type is written")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NumberKind {
    U8,
    U16,
    U24,
    U32,
    I8,
    I16,
    I24,
    I32,
    F16,
    F24,
    F32,
    F64,
}

/// A number with its modifiers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number {
    /// As written: `f32<0.25>(100..200)` has `F32` here.
    pub kind: NumberKind,
    /// The written range in real units; an open side holds the type's own bound.
    pub range: Option<Range>,
    /// The size of a step. On an integer: fixed point. On a float: a quantized float.
    pub scale: Option<f64>,
    /// Clamp on send instead of refusing or wrapping.
    pub saturate: bool,
}

/// Bounds in real units, both included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Least value.
    pub min: f64,
    /// Greatest value.
    pub max: f64,
    /// Whether the schema writes the lower bound.
    pub min_written: bool,
    /// Whether the schema writes the upper bound.
    pub max_written: bool,
}

/// Bounds of a length or count, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Length {
    /// Least length.
    pub min: u32,
    /// Greatest length; 65535 where no range is written.
    pub max: u32,
    /// Whether a range token other than `[]` is present, even a half-open one.
    pub written: bool,
    /// Whether the schema writes the upper bound.
    pub max_written: bool,
}

/// An item of a component list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Component {
    /// A number type.
    Number(NumberKind),
    /// `quat`
    Quat,
    /// `quat32`
    Quat32,
}

/// How a `CFrame`'s rotation travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rotation {
    /// Three angles of `ToOrientation()`.
    Angles(NumberKind),
    /// A quaternion in 7 bytes.
    Quat,
    /// A quaternion in 4 bytes.
    Quat32,
}

/// Roblox types that take no range and no components.
#[allow(missing_docs, reason = "each is named as the type is")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RobloxType {
    Color3,
    BrickColor,
    DateTime,
    DateTimeMillis,
    Vector2,
    UDim,
    UDim2,
    NumberRange,
    TweenInfo,
    ColorSequence,
}

impl RobloxType {
    /// As a schema writes it.
    pub fn name(self) -> &'static str {
        match self {
            RobloxType::Color3 => "Color3",
            RobloxType::BrickColor => "BrickColor",
            RobloxType::DateTime => "DateTime",
            RobloxType::DateTimeMillis => "DateTimeMillis",
            RobloxType::Vector2 => "Vector2",
            RobloxType::UDim => "UDim",
            RobloxType::UDim2 => "UDim2",
            RobloxType::NumberRange => "NumberRange",
            RobloxType::TweenInfo => "TweenInfo",
            RobloxType::ColorSequence => "ColorSequence",
        }
    }

    /// Name of the class of its values: what `typeof` says, and their type in Luau and TypeScript.
    pub fn class(self) -> &'static str {
        match self {
            RobloxType::Color3 => "Color3",
            RobloxType::BrickColor => "BrickColor",
            RobloxType::DateTime | RobloxType::DateTimeMillis => "DateTime",
            RobloxType::Vector2 => "Vector2",
            RobloxType::UDim => "UDim",
            RobloxType::UDim2 => "UDim2",
            RobloxType::NumberRange => "NumberRange",
            RobloxType::TweenInfo => "TweenInfo",
            RobloxType::ColorSequence => "ColorSequence",
        }
    }
}
