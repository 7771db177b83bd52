//! What can be known of a value without running the code that makes it.

use std::sync::LazyLock;

use super::Grade;
use crate::datamodel::classes::{self, ClassId, DataType, class_by_name, enum_by_name, known_class};
use crate::datamodel::members::{self, Entry, Kind, Member, engine};
use crate::datatypes::{self, TypeSurface};
use crate::value::EnumId;
use crate::vm::Atom;

/// A value's type, as far as it is known.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Type {
    /// Nothing is known.
    Unknown,
    /// An instance of a class; `exact` if it is none that extends it.
    Instance {
        class: ClassId,
        exact: bool,
    },
    /// A signal, with what its handlers get.
    Signal(&'static str),
    /// A connection of a signal.
    Connection,
    /// A datatype.
    Value(&'static TypeSurface),
    /// The library of a datatype, or `Instance`.
    Library(&'static str),
    /// `Enum`, and what is in it.
    Enums,
    Enum(EnumId),
    EnumItem,
    /// A method or function that gives this.
    Function(Box<Type>),
}

/// What is to be said of a use.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Remark {
    pub(super) class: String,
    pub(super) grade: Grade,
    pub(super) instead: String,
}

/// A use of a member: what it gives, and what is to be said of it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Looked {
    pub(super) gives: Type,
    pub(super) remark: Option<Remark>,
}

impl Looked {
    fn silent(gives: Type) -> Looked {
        Looked { gives, remark: None }
    }

    fn of(class: &str, grade: Grade, instead: impl Into<String>, gives: Type) -> Looked {
        Looked { gives, remark: Some(Remark { class: class.to_owned(), grade, instead: instead.into() }) }
    }
}

/// The datatypes, in alphabetical order. Empty if there was no memory for the VM that was asked.
fn surfaces() -> &'static [TypeSurface] {
    static SURFACES: LazyLock<Vec<TypeSurface>> = LazyLock::new(|| datatypes::surface().unwrap_or_default());
    &SURFACES
}

pub(super) fn datatype(name: &str) -> Option<&'static TypeSurface> {
    surfaces().iter().find(|one| one.name == name)
}

/// The type that a name stands for in an annotation or in the tables: `Player?`, `Vector3`, `RBXScriptSignal`.
pub(super) fn named(name: &str) -> Type {
    let name = name.trim().trim_end_matches('?');
    if let Some(value) = datatype(name) {
        return Type::Value(value);
    }
    match name {
        "RBXScriptSignal" => return Type::Signal("..."),
        "RBXScriptConnection" => return Type::Connection,
        "EnumItem" => return Type::EnumItem,
        // Code says Instance of anything.
        "Instance" => return Type::Unknown,
        _ if name.starts_with("Enum.") => return Type::EnumItem,
        _ => {}
    }
    class_by_name(name).map_or(Type::Unknown, |class| Type::Instance { class, exact: false })
}

/// An instance that is just of this class.
pub(super) fn exactly(class: ClassId) -> Type {
    Type::Instance { class, exact: true }
}

/// What a global name stands for; `None` for what is no global of the engine.
pub(super) fn global(name: &str, script: ClassId) -> Option<Type> {
    Some(match name {
        "game" | "Game" => exactly(known_class("DataModel")),
        "workspace" | "Workspace" => exactly(known_class("Workspace")),
        "script" => exactly(script),
        "Enum" => Type::Enums,
        "Instance" => Type::Library("Instance"),
        _ => Type::Library(datatype(name)?.name),
    })
}

/// Arguments of an event as types: `player: Player, reason: Enum.PlayerExitReason`.
pub(super) fn parameters(declared: &str) -> Vec<Type> {
    declared
        .split(',')
        .map(|one| one.split_once(':').map_or(Type::Unknown, |(_, name)| named(name)))
        .collect()
}

/// What `value.name` is.
pub(super) fn index(value: &Type, name: &str) -> Looked {
    match value {
        Type::Instance { class, exact } => member(*class, *exact, name, false),
        Type::Library("Instance") => Looked::silent(Type::Unknown),
        Type::Library(library) => match datatype(library) {
            Some(one) if !one.library.iter().any(|known| known == name) => Looked::of(
                library,
                Grade::Missing,
                format!("{library}.{name} is nil: there is no such constructor or constant here"),
                Type::Unknown,
            ),
            Some(one) if name.starts_with(char::is_lowercase) || name.starts_with("from") => {
                Looked::silent(Type::Function(Box::new(Type::Value(one))))
            }
            _ => Looked::silent(Type::Unknown),
        },
        Type::Value(one) => value_member(one, name),
        Type::Enums => match enum_by_name(name) {
            Some(list) => Looked::silent(Type::Enum(list)),
            None if ["GetEnums", "FromName"].contains(&name) => Looked::silent(Type::Unknown),
            None => Looked::of("Enum", Grade::Unknown, "the engine has no enum of this name", Type::Unknown),
        },
        Type::Enum(list) => match list.item_by_name(name) {
            Some(_) => Looked::silent(Type::EnumItem),
            None if ["GetEnumItems", "FromName", "FromValue"].contains(&name) => {
                Looked::silent(Type::Unknown)
            }
            None => {
                let list = format!("Enum.{}", list.name());
                Looked::of(&list, Grade::Unknown, "the enum has no item of this name", Type::Unknown)
            }
        },
        Type::Unknown | Type::Signal(_) | Type::Connection | Type::EnumItem | Type::Function(_) => {
            Looked::silent(Type::Unknown)
        }
    }
}

/// What `value:name(...)` gives.
pub(super) fn call(value: &Type, name: &str) -> Looked {
    match value {
        Type::Instance { class, exact } => member(*class, *exact, name, true),
        Type::Value(one) => value_member(one, name),
        Type::Signal(_) if ["Connect", "Once", "ConnectParallel"].contains(&name) => {
            Looked::silent(Type::Connection)
        }
        _ => Looked::silent(Type::Unknown),
    }
}

fn value_member(one: &'static TypeSurface, name: &str) -> Looked {
    // A shared table has whatever keys it is given.
    let known =
        one.name == "SharedTable" || one.properties.iter().chain(&one.methods).any(|known| *known == name);
    if known {
        return Looked::silent(Type::Unknown);
    }
    let text = format!("raises that {name} is not a valid member of {}", one.name);
    Looked::of(one.name, Grade::Missing, text, Type::Unknown)
}

fn member(class: ClassId, exact: bool, name: &str, called: bool) -> Looked {
    let found = members::of(class);
    let entry = Atom::find(name.as_bytes()).and_then(|atom| found.by_name.get(atom).copied());
    match entry {
        Some(Entry::Property(property)) => Looked::silent(held(class, name, property.info().data_type)),
        Some(Entry::Computed(member, _, _, property)) => {
            let gives = property.map_or(Type::Unknown, |known| held(class, name, known.info().data_type));
            declared(member, gives)
        }
        Some(Entry::Method(member, ..)) => {
            let gives = named(member.signature.result);
            declared(member, if called { gives } else { Type::Function(Box::new(gives)) })
        }
        Some(Entry::Event(member, _)) => declared(member, Type::Signal(member.signature.arguments)),
        Some(Entry::Callback(member)) => declared(member, Type::Unknown),
        Some(Entry::Silent(event, _)) => Looked::of(
            event.class,
            Grade::Partial,
            "never fires unless a test fires it",
            Type::Signal(event.arguments),
        ),
        Some(Entry::Missing(member)) if member.is_for_plugins => Looked::of(
            member.class,
            Grade::Missing,
            "raises that the capability Plugin is lacking, as in a game",
            named(member.result),
        ),
        Some(Entry::Missing(member)) => Looked::of(
            member.class,
            Grade::Missing,
            format!("raises an error; stub it with side:stub(\"{}\", \"{}\", fn)", member.class, member.name),
            named(member.result),
        ),
        // By name, a service; otherwise a child, which nobody can know.
        None if !called => {
            let service =
                class_by_name(name).filter(|found| found.is_service() && class.name() == "DataModel");
            Looked::silent(service.map_or(Type::Unknown, exactly))
        }
        None if exact && found.is_complete => Looked::of(
            class.name(),
            Grade::Unknown,
            format!("raises that {name} is not a valid member of {}", class.name()),
            Type::Unknown,
        ),
        None => Looked::silent(Type::Unknown),
    }
}

fn declared(member: &Member, gives: Type) -> Looked {
    if member.instead.is_empty() {
        return Looked::silent(gives);
    }
    Looked::of(member.class, Grade::Partial, member.instead, gives)
}

/// The type of a property's value.
fn held(class: ClassId, name: &str, data_type: DataType) -> Type {
    let by_name = |name: &str| datatype(name).map_or(Type::Unknown, Type::Value);
    match data_type {
        DataType::Ref => {
            let held = class.lineage().find_map(|class| engine::held_class(class.name(), name));
            held.and_then(class_by_name).map_or(Type::Unknown, |class| Type::Instance { class, exact: false })
        }
        DataType::Enum(_) => Type::EnumItem,
        DataType::Vector3 => by_name("Vector3"),
        DataType::Vector2 => by_name("Vector2"),
        DataType::CFrame => by_name("CFrame"),
        DataType::Color3 | DataType::Color3uint8 => by_name("Color3"),
        DataType::UDim2 => by_name("UDim2"),
        DataType::UDim => by_name("UDim"),
        DataType::BrickColor => by_name("BrickColor"),
        _ => Type::Unknown,
    }
}

/// A class of Roblox that has a method of this name, if the emulator has no method of it at all.
pub(super) fn only_missing(name: &str) -> Option<&'static engine::EngineMember> {
    let emulated = members::all().any(|member| member.name == name && matches!(member.kind, Kind::Method(_)));
    let known = engine::all()
        .iter()
        .filter(|member| member.name == name && member.kind == engine::EngineKind::Method);
    let first = known.min_by_key(|member| member.is_deprecated)?;
    let property = classes::property_names().any(|property| property == name);
    (!emulated && !property && !first.is_for_plugins).then_some(first)
}
