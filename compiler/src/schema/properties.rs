//! Properties of Roblox classes that `Sync` may name, from the lines of `classes`.

use super::classes::{self, Class};
use super::{Length, Number, NumberKind, RobloxType, Rotation, TypeKind};
use crate::diagnostics::suggest;

/// What is known of a property.
#[derive(Clone, Debug)]
pub enum Property {
    /// It can follow, and travels as this.
    Synced(TypeKind),
    /// It cannot, for this reason.
    Refused(&'static str),
    /// The class has none of that name.
    Unknown,
}

/// A class and those it inherits from, nearest first.
fn ancestry(class: &str) -> impl Iterator<Item = Class> {
    std::iter::successors(classes::find(class), |class| classes::find(class.superclass))
}

/// Why no property of a class may follow, when none may.
pub fn unsyncable(class: &str) -> Option<&'static str> {
    let is = |wanted: &str| ancestry(class).any(|class| class.name == wanted);
    if is("Camera") {
        Some("each client has a camera of its own")
    } else if is("GuiBase") {
        Some("interfaces are each client's own")
    } else if is("LuaSourceContainer") {
        Some("scripts do not follow")
    } else {
        None
    }
}

/// What is known of a class's property, inherited ones included.
pub fn of(class: &str, property: &str) -> Property {
    let found = ancestry(class).flat_map(Class::properties).find(|(name, _)| *name == property);
    match found {
        None => Property::Unknown,
        Some((_, word)) => match word.strip_prefix('!') {
            Some(why) => Property::Refused(why),
            None => kind(word).map_or(Property::Unknown, Property::Synced),
        },
    }
}

/// Every property of a class that may follow.
pub fn synced(class: &str) -> impl Iterator<Item = &'static str> {
    ancestry(class)
        .flat_map(Class::properties)
        .filter(|(_, word)| !word.starts_with('!'))
        .map(|(name, _)| name)
}

/// The property that was meant, if one is near.
pub fn nearest(class: &str, property: &str) -> Option<&'static str> {
    suggest::nearest(property, synced(class))
}

fn kind(word: &str) -> Option<TypeKind> {
    let number = |kind| TypeKind::Number(Number { kind, range: None, scale: None, saturate: false });
    Some(match word {
        "boolean" => TypeKind::Boolean,
        "f32" => number(NumberKind::F32),
        "f64" => number(NumberKind::F64),
        "i32" => number(NumberKind::I32),
        "string" => TypeKind::String(Length { min: 0, max: 65_535, written: false, max_written: false }),
        "vector" => TypeKind::Vector { component: NumberKind::F32, written: Vec::new(), magnitude: None },
        "CFrame" => {
            TypeKind::CFrame { rotation: Rotation::Quat, position: NumberKind::F32, written: Vec::new() }
        }
        "BrickColor" => TypeKind::Roblox(RobloxType::BrickColor),
        "Color3" => TypeKind::Roblox(RobloxType::Color3),
        "ColorSequence" => TypeKind::Roblox(RobloxType::ColorSequence),
        "NumberRange" => TypeKind::Roblox(RobloxType::NumberRange),
        "UDim" => TypeKind::Roblox(RobloxType::UDim),
        "UDim2" => TypeKind::Roblox(RobloxType::UDim2),
        "Vector2" => TypeKind::Roblox(RobloxType::Vector2),
        _ => TypeKind::EnumItem(word.strip_prefix("Enum")?.to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_are_those_of_the_class_database() {
        assert!(matches!(of("Part", "Color"), Property::Synced(TypeKind::Roblox(RobloxType::Color3))));
        assert!(matches!(of("Part", "Transparency"), Property::Synced(TypeKind::Number(_))));
        assert!(matches!(of("BasePart", "Anchored"), Property::Synced(TypeKind::Boolean)));
        assert!(
            matches!(of("BasePart", "Material"), Property::Synced(TypeKind::EnumItem(name)) if name == "Material")
        );
        assert!(matches!(of("PointLight", "Brightness"), Property::Synced(_)));
        assert!(matches!(of("BasePart", "AssemblyMass"), Property::Refused(_)));
        assert!(matches!(of("BasePart", "Brightness"), Property::Unknown));
        assert_eq!(nearest("BasePart", "Colour"), Some("Color"));
    }

    #[test]
    fn some_classes_never_follow() {
        for class in ["Camera", "Frame", "Script", "ModuleScript"] {
            assert!(unsyncable(class).is_some(), "{class}");
        }
        assert!(unsyncable("BasePart").is_none() && unsyncable("PointLight").is_none());
    }
}
