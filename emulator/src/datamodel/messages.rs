//! Every text that the instance tree raises or prints, in one place.
//!
//! Tests of games match these as whole strings. Source: Roblox behaviour, 7, 11, 13 and 15; grade C there unless a line
//! says otherwise, so this is the file to mend when the engine is found to differ.

/// `Instance.new` of a service, an abstract class or no class.
pub fn cannot_create(class: &str) -> String {
    format!("Unable to create an Instance of type \"{class}\"")
}

/// Reading or writing what neither the class nor a child is called.
pub fn not_a_member(member: &str, class: &str, full_name: &str) -> String {
    format!("{member} is not a valid member of {class} \"{full_name}\"")
}

/// Assigning a property that scripts may only read, a method or an event.
pub fn read_only(property: &str) -> String {
    format!("Unable to assign property {property}. Property is read only")
}

/// Assigning a value of the wrong type.
pub fn wrong_type(property: &str, expected: &str, got: &str) -> String {
    format!("Unable to assign property {property}. {expected} expected, got {got}")
}

/// Assigning an enum property a name or number that no item has. Ours (P).
pub fn not_an_item(property: &str, value: &str, list: &str) -> String {
    format!("Unable to assign property {property}. Invalid value \"{value}\" for enum {list}")
}

/// Using a member that plugins alone may use. Ours (P).
pub fn no_capability(member: &str) -> String {
    format!("The current thread cannot access '{member}' (lacking capability Plugin)")
}

/// Calling a method that plugins alone may call. Ours (P).
pub fn no_capability_to_call(member: &str) -> String {
    format!("The current thread cannot call '{member}' (lacking capability Plugin)")
}

/// Calling, in a parallel phase, what may only be called serially.
pub fn unsafe_call(class: &str, member: &str) -> String {
    format!("Function {class}.{member} is not safe to call in parallel")
}

/// Assigning, in a parallel phase, what may only be assigned serially.
pub fn unsafe_write(class: &str, member: &str) -> String {
    format!("Property {class}.{member} is not safe to assign in parallel")
}

/// Connecting to an event that the emulator never fires by itself. Ours.
pub fn never_fires(class: &str, event: &str) -> String {
    format!("{class}.{event} is not emulated: it never fires unless a test fires it")
}

/// Reading a callback.
pub fn callback_get(member: &str, class: &str) -> String {
    format!(
        "{member} is a callback member of {class}; you can only set the callback value, get is not available"
    )
}

/// Assigning a callback something that is no function. Ours (P).
pub fn callback_type(member: &str, got: &str) -> String {
    format!("Unable to assign callback {member}. function expected, got {got}")
}

/// Setting the parent of what was destroyed, or of a service.
pub fn parent_locked(name: &str, parent: &str, new_parent: &str) -> String {
    format!("The Parent property of {name} is locked, current parent: {parent}, new parent {new_parent}")
}

/// Setting an instance's parent to itself.
pub fn own_parent(name: &str) -> String {
    format!("Attempt to set {name} as its own parent")
}

/// Setting an instance's parent to a descendant.
pub fn circular_parent(name: &str, parent: &str) -> String {
    format!("Attempt to set parent of {name} to {parent} would result in circular reference")
}

/// Asking a class for a member that exists in Roblox and not here.
pub fn not_emulated(class: &str, member: &str) -> String {
    format!(
        "[emulator] {class}:{member} is not emulated; stub it with side:stub(\"{class}\", \"{member}\", fn)"
    )
}

/// An argument that must be given and is nil; `index` counts from 1.
pub fn missing_argument(index: usize) -> String {
    format!("Argument {index} missing or nil")
}

/// An argument that cannot become what the function wants. Ours (P).
pub fn cannot_cast(got: &str, wanted: &str) -> String {
    format!("Unable to cast {got} to {wanted}")
}

/// A method called with a dot, so without its instance.
pub fn expected_colon(member: &str) -> String {
    format!("Expected ':' not '.' calling member function {member}")
}

/// Printed once by a `WaitForChild` without timeout after five seconds.
pub fn infinite_yield(full_name: &str, child: &str) -> String {
    format!("Infinite yield possible on '{full_name}:WaitForChild(\"{child}\")'")
}

/// `GetService` of what is no class.
pub fn not_a_service(name: &str) -> String {
    format!("'{name}' is not a valid Service name")
}

/// `FindFirstDescendant`, which the engine has and forbids. Ours (P).
pub const DISABLED: &str = "FindFirstDescendant is not enabled";

/// An attribute of a type that attributes cannot have.
pub fn attribute_type(got: &str) -> String {
    format!("{got} is not a supported attribute type")
}

/// An attribute name of more than 100 characters. Ours (P).
pub const ATTRIBUTE_NAME_LONG: &str = "Attribute name exceeds the maximum length of 100 characters";
/// An empty attribute name. Ours (P).
pub const ATTRIBUTE_NAME_EMPTY: &str = "Attribute name cannot be empty";
/// An attribute name that the engine keeps for itself. Ours (P).
pub const ATTRIBUTE_NAME_RESERVED: &str = "Attribute names starting with 'RBX' are reserved";

/// An attribute name with a space or other character that is not allowed. Ours (P).
pub fn attribute_name_characters(name: &str) -> String {
    format!("Attribute name \"{name}\" contains an invalid character; use letters, digits and _ . - /")
}

/// `GetPropertyChangedSignal` of what is no property.
pub fn not_a_property(name: &str) -> String {
    format!("{name} is not a valid property name.")
}

/// A network request without a stub.
pub const HTTP_DISABLED: &str = "Http requests are not enabled. Enable via game settings";
/// `JSONDecode` of what is no JSON.
pub const BAD_JSON: &str = "Can't parse JSON";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_those_of_the_specification() {
        assert_eq!(
            not_a_member("Foo", "Part", "Workspace.Part"),
            r#"Foo is not a valid member of Part "Workspace.Part""#
        );
        assert_eq!(cannot_create("X"), r#"Unable to create an Instance of type "X""#);
        assert_eq!(
            parent_locked("N", "NULL", "M"),
            "The Parent property of N is locked, current parent: NULL, new parent M"
        );
        assert_eq!(
            not_emulated("Foo", "Bar"),
            r#"[emulator] Foo:Bar is not emulated; stub it with side:stub("Foo", "Bar", fn)"#
        );
        assert_eq!(
            infinite_yield("Workspace", "X"),
            r#"Infinite yield possible on 'Workspace:WaitForChild("X")'"#
        );
    }
}
