//! Reading and setting properties, and the events of it. Source: Roblox behaviour, 7.2 and 7.4.

use std::rc::Rc;
use std::sync::LazyLock;

use super::classes::{Access, ClassId, PropertyId, known_class};
use super::journal::Change;
use super::members::EventRef;
use super::messages;
use super::store::{Name, Store};
use super::{tree, values};
use crate::peer::Peer;
use crate::value::{InstanceId, Value};

/// `Changed`.
pub static CHANGED: EventRef = EventRef::new("Object", "Changed");

/// Most characters of a `Name`.
const LONGEST_NAME: usize = 100;

macro_rules! known_properties {
    ($($name:ident = $class:literal . $property:literal;)*) => { $(
        #[doc = concat!("`", $class, ".", $property, "`.")]
        pub static $name: LazyLock<PropertyId> = LazyLock::new(|| {
            let found = known_class($class).property($property);
            found.unwrap_or_else(|| unreachable!("the class database has {}", $property))
        });
    )* };
}

known_properties! {
    NAME = "Instance"."Name";
    PARENT = "Instance"."Parent";
    CLASS_NAME = "Object"."ClassName";
    ARCHIVABLE = "Instance"."Archivable";
    DISABLED = "BaseScript"."Disabled";
    ENABLED = "BaseScript"."Enabled";
    RUN_CONTEXT = "BaseScript"."RunContext";
}

/// Whether a member of this name is for plugins only. The database does not say; these are the ones games meet.
pub fn is_for_plugins(property: PropertyId) -> bool {
    matches!(property.name(), "Source" | "LinkedSource" | "RobloxLocked" | "RunState" | "SourceAssetId")
}

/// The value of a property, its default if it was never set.
///
/// A reference to an instance that this side does not have reads as nil.
pub fn get(store: &Store, id: InstanceId, property: PropertyId) -> Value {
    let stored = property.info().stored_as;
    if stored == *NAME {
        return Value::string(&*store.name(id));
    }
    if stored == *PARENT {
        return store.parent(id).into();
    }
    if stored == *CLASS_NAME {
        return store.class(id).name().into();
    }
    if stored == *ENABLED {
        return Value::Boolean(get(store, id, *DISABLED) != Value::Boolean(true));
    }
    match store.get(id).and_then(|instance| instance.property(stored)) {
        Some(Value::Instance(other)) if store.get(*other).is_none() => Value::Nil,
        Some(value) => value.clone(),
        None => default(store.class(id), property),
    }
}

/// [`get`] by name, nil for a name that is no property of the class.
pub fn get_by_name(store: &Store, id: InstanceId, name: &str) -> Value {
    store.class(id).property(name).map_or(Value::Nil, |property| get(store, id, property))
}

/// The value a fresh instance of the class has.
pub fn default(class: ClassId, property: PropertyId) -> Value {
    match class.default(property) {
        Some(constant) => values::from_constant(constant),
        None => values::zero(property.info().data_type),
    }
}

/// Sets a property as a script does: the value is checked and converted first.
///
/// Errors: the engine's text, for a read-only property and a value of the wrong type.
pub fn assign(peer: &Rc<Peer>, id: InstanceId, property: PropertyId, value: Value) -> Result<(), String> {
    if is_for_plugins(property) {
        return Err(messages::no_capability(property.name()));
    }
    match property.info().access() {
        Access::ReadWrite | Access::Write => {}
        Access::Read | Access::None | Access::Custom => return Err(messages::read_only(property.name())),
    }
    let value = values::coerce(property, value)?;
    if property.info().stored_as == *PARENT {
        let parent = if let Value::Instance(parent) = value { Some(parent) } else { None };
        return tree::set_parent(peer, id, parent);
    }
    set(peer, id, property, value);
    Ok(())
}

/// Sets a property to a value of its type, whatever its access, and fires its events if the value is another one.
pub fn set(peer: &Rc<Peer>, id: InstanceId, property: PropertyId, value: Value) {
    let stored = property.info().stored_as;
    if stored == *ENABLED {
        let disabled = Value::Boolean(value != Value::Boolean(true));
        return set(peer, id, *DISABLED, disabled);
    }
    let Some(old) = replace(peer, id, property, &value) else { return };
    fire_changed(peer, id, property);
    let class = peer.data_model().store().class(id);
    for name in crate::services::model::shown_by(class, stored.name(), &old, &value) {
        if let Some(other) = class.property(name) {
            fire_changed(peer, id, other);
        }
    }
}

/// Sets a property as [`set`] does, without firing its events, and gives what it was. `None` if it is no other value.
///
/// For what the engine tells later than at once: follow with [`fire_changed`].
pub fn replace(peer: &Rc<Peer>, id: InstanceId, property: PropertyId, value: &Value) -> Option<Value> {
    let stored = property.info().stored_as;
    let model = peer.data_model();
    let old = {
        let mut store = model.store_mut();
        let old = get(&store, id, stored);
        if old == *value {
            return None;
        }
        if stored == *NAME {
            let name = name_of(value);
            if store.name(id) == name {
                return None;
            }
            if let Some(instance) = store.get_mut(id) {
                instance.name = name;
            }
        } else {
            store.set_property(id, stored, value.clone());
        }
        old
    };
    if stored.info().replicates() {
        model
            .note(id, |store| Some(Change::Property { id, property: stored, value: get(store, id, stored) }));
    }
    after_change(peer, id, property);
    Some(old)
}

/// A name as the engine keeps it: its first 100 characters.
fn name_of(value: &Value) -> Name {
    let text = value.as_bytes().map(String::from_utf8_lossy).unwrap_or_default();
    match text.char_indices().nth(LONGEST_NAME) {
        Some((end, _)) => text[..end].into(),
        None => (*text).into(),
    }
}

/// What other parts do about a changed property.
fn after_change(peer: &Rc<Peer>, id: InstanceId, property: PropertyId) {
    let stored = property.info().stored_as;
    if stored == *NAME {
        super::waiting::renamed(peer, id);
    } else if stored == *DISABLED || stored == *RUN_CONTEXT {
        super::scripts::reconsider(peer, id, stored == *RUN_CONTEXT);
    }
}

/// Fires `Changed` and the property's own signal.
pub fn fire_changed(peer: &Rc<Peer>, id: InstanceId, property: PropertyId) {
    let model = peer.data_model();
    let is_value_base = model.store().class(id).is_a(known_class("ValueBase"));
    let argument = match property.name() {
        "Value" if is_value_base => Some(get(&model.store(), id, property)),
        _ if is_value_base => None,
        name => Some(name.into()),
    };
    if let Some(argument) = argument {
        peer.fire(CHANGED.on(id), &[argument]);
    }
    if property.info().stored_as == *DISABLED {
        let enabled = model.property_signal(id, *ENABLED);
        peer.fire(CHANGED.on(id), &["Enabled".into()]);
        peer.fire(enabled, &[]);
    }
    peer.fire(model.property_signal(id, property), &[]);
}
