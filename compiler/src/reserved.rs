//! Names that declarations may not have, for those who write schemas by program. Source: language specification, 4.6.

pub use crate::schema::Casing;

use crate::check::{names, packs};
use crate::luau;
use crate::syntax::token::Primitive;

/// Whether a name is a primitive's, which nothing can be named after.
pub fn is_built_in(name: &str) -> bool {
    Primitive::from_text(name).is_some()
}

/// Whether a top-level event, function, scope or exported type of this name would hide a member of the module, with no
/// option set that adds members.
pub fn is_module_member(name: &str, casing: Casing) -> bool {
    names::MEMBERS.iter().chain(&["Remotes"]).any(|member| names::spelled(member, casing) == name)
}

/// Whether a type, event or function cannot have this name at any depth, whatever the casing.
pub fn is_member_at_any_depth(name: &str) -> bool {
    names::MEMBERS.contains(&name)
}

/// Whether a type cannot have this name at any depth.
pub fn is_luau_type(name: &str) -> bool {
    names::LUAU_TYPES.contains(&name) || is_member_at_any_depth(name)
}

/// Whether a top-level type cannot have this name in some schema, classes in `Instance(..)` left out.
pub fn is_module_type(name: &str) -> bool {
    luau::KEYWORDS.contains(&name)
        || names::MODULE_TYPES.contains(&name)
        || names::ROBLOX_TYPES.contains(&name)
        || matches!(name, "Enum" | "EnumItem" | "ColorSequenceKeypoint")
}

/// Whether an element of a type pack cannot have this name.
pub fn is_parameter(name: &str) -> bool {
    !luau::is_name(name) || is_built_in(name) || packs::FUNCTION_NAMES.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_the_specification() {
        assert!(is_built_in("u8") && !is_built_in("Coins"));
        assert!(
            is_module_member("stepReplication", Casing::Camel) && is_module_member("remotes", Casing::Snake)
        );
        assert!(!is_module_member("stepReplication", Casing::Pascal));
        assert!(is_member_at_any_depth("StepReplication") && !is_member_at_any_depth("Remotes"));
        assert!(is_luau_type("number") && is_module_type("Player") && is_module_type("end"));
        assert!(is_parameter("Player") && is_parameter("end") && is_parameter("a b") && is_parameter("u8"));
        assert!(!is_parameter("player"));
    }
}
