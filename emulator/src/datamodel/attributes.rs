//! Attributes: names, types and events. Source: Roblox behaviour, 7.5.

use std::rc::Rc;

use super::journal::Change;
use super::members::EventRef;
use super::{messages, properties};
use crate::peer::Peer;
use crate::value::{InstanceId, Value};

/// `AttributeChanged`.
pub static ATTRIBUTE_CHANGED: EventRef = EventRef::new("Instance", "AttributeChanged");

/// Most characters of a name.
const LONGEST_NAME: usize = 100;

/// Types of attributes, as `typeof` says them.
const TYPES: &[&str] = &[
    "nil",
    "string",
    "boolean",
    "number",
    "UDim",
    "UDim2",
    "BrickColor",
    "Color3",
    "Vector2",
    "Vector3",
    "CFrame",
    "NumberSequence",
    "ColorSequence",
    "NumberRange",
    "Rect",
    "Font",
    "EnumItem",
];

/// Whether the name may be an attribute's.
///
/// Errors: what is wrong with it.
pub fn check_name(name: &str) -> Result<(), String> {
    if name.is_empty() {
        return Err(messages::ATTRIBUTE_NAME_EMPTY.into());
    }
    if name.chars().count() > LONGEST_NAME {
        return Err(messages::ATTRIBUTE_NAME_LONG.into());
    }
    if name.starts_with("RBX") {
        return Err(messages::ATTRIBUTE_NAME_RESERVED.into());
    }
    let allowed = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '.' | '-' | '/');
    if !name.chars().all(allowed) {
        return Err(messages::attribute_name_characters(name));
    }
    Ok(())
}

/// `SetAttribute` as a script calls it; nil removes.
///
/// Errors: the text for a name or a type that attributes cannot have.
pub fn assign(peer: &Rc<Peer>, id: InstanceId, name: &str, value: Value) -> Result<(), String> {
    check_name(name)?;
    if !TYPES.contains(&value.type_name()) {
        return Err(messages::attribute_type(value.type_name()));
    }
    set(peer, id, name, if value.is_nil() { None } else { Some(value) });
    Ok(())
}

/// Sets or removes an attribute and fires its events if that changes anything.
pub fn set(peer: &Rc<Peer>, id: InstanceId, name: &str, value: Option<Value>) {
    let model = peer.data_model();
    if !model.store_mut().set_attribute(id, name, value.clone()) {
        return;
    }
    model.note(id, |_| Some(Change::Attribute { id, name: name.into(), value }));
    peer.fire(ATTRIBUTE_CHANGED.on(id), &[name.into()]);
    peer.fire(model.attribute_signal(id, name), &[]);
    let is_value_base = model.store().class(id).is_a_name("ValueBase");
    if !is_value_base {
        peer.fire(properties::CHANGED.on(id), &["Attributes".into()]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_rules() {
        assert!(check_name("A-b.c/d_9").is_ok());
        for name in ["", "RBXA", "a b", "é", &"a".repeat(101)] {
            assert!(check_name(name).is_err(), "{name}");
        }
    }
}
