//! Methods and events of `Object` and `Instance`. Engine pages: classes/Object and classes/Instance, checked August 2026.

use std::rc::Rc;

use super::classes::{Access, PropertyId};
use super::members::{Member, event, method};
use super::store::{Name, Store};
use super::{attributes, messages, properties, tags, tree, waiting};
use crate::peer::Peer;
use crate::value::{InstanceId, Value};
use crate::vm::{Cx, Outcome, Raise, Returns};

/// Members of every instance.
pub const MEMBERS: &[Member] = &[
    event("Object", "Changed(property: string)"),
    method(
        "Object",
        "GetPropertyChangedSignal(property: string) -> RBXScriptSignal",
        get_property_changed_signal,
    ),
    method("Object", "IsA(className: string) -> boolean", is_a),
    method("Object", "isA(className: string) -> boolean", is_a),
    event("Instance", "AncestryChanged(child: Instance, parent: Instance?)"),
    event("Instance", "AttributeChanged(attribute: string)"),
    event("Instance", "ChildAdded(child: Instance)"),
    event("Instance", "ChildRemoved(child: Instance)"),
    event("Instance", "DescendantAdded(descendant: Instance)"),
    event("Instance", "DescendantRemoving(descendant: Instance)"),
    event("Instance", "Destroying()"),
    method("Instance", "AddTag(tag: string)", add_tag),
    method("Instance", "ClearAllChildren()", clear_all_children),
    method("Instance", "Clone() -> Instance?", clone),
    method("Instance", "clone() -> Instance?", clone),
    method("Instance", "Destroy()", destroy),
    method("Instance", "destroy()", destroy),
    method("Instance", "FindFirstAncestor(name: string) -> Instance?", find_first_ancestor),
    method(
        "Instance",
        "FindFirstAncestorOfClass(className: string) -> Instance?",
        find_first_ancestor_of_class,
    ),
    method(
        "Instance",
        "FindFirstAncestorWhichIsA(className: string) -> Instance?",
        find_first_ancestor_which_is_a,
    ),
    method(
        "Instance",
        "FindFirstChild(childName: string, recursive: boolean?) -> Instance?",
        find_first_child,
    ),
    method(
        "Instance",
        "findFirstChild(childName: string, recursive: boolean?) -> Instance?",
        find_first_child,
    ),
    method("Instance", "FindFirstChildOfClass(className: string) -> Instance?", find_first_child_of_class),
    method(
        "Instance",
        "FindFirstChildWhichIsA(className: string, recursive: boolean?) -> Instance?",
        find_first_child_which_is_a,
    ),
    method("Instance", "FindFirstDescendant(name: string) -> Instance?", find_first_descendant),
    method("Instance", "GetActor() -> Actor?", get_actor),
    method("Instance", "GetAttribute(attribute: string) -> any", get_attribute),
    method(
        "Instance",
        "GetAttributeChangedSignal(attribute: string) -> RBXScriptSignal",
        get_attribute_changed_signal,
    ),
    method("Instance", "GetAttributes() -> table", get_attributes),
    method("Instance", "GetChildren() -> table", get_children),
    method("Instance", "getChildren() -> table", get_children),
    method("Instance", "children() -> table", get_children),
    method("Instance", "GetDescendants() -> table", get_descendants),
    method("Instance", "GetFullName() -> string", get_full_name),
    method("Instance", "GetTags() -> table", get_tags),
    method("Instance", "HasTag(tag: string) -> boolean", has_tag),
    method("Instance", "IsAncestorOf(descendant: Instance) -> boolean", is_ancestor_of),
    method("Instance", "IsDescendantOf(ancestor: Instance?) -> boolean", is_descendant_of),
    method("Instance", "isDescendantOf(ancestor: Instance?) -> boolean", is_descendant_of),
    method("Instance", "QueryDescendants(selector: string) -> table", query_descendants),
    method("Instance", "IsPropertyModified(property: string) -> boolean", is_property_modified),
    method("Instance", "ResetPropertyToDefault(property: string)", reset_property_to_default),
    method("Instance", "Remove()", remove),
    method("Instance", "remove()", remove),
    method("Instance", "RemoveTag(tag: string)", remove_tag),
    method("Instance", "SetAttribute(attribute: string, value: any)", set_attribute),
    method("Instance", "WaitForChild(childName: string, timeOut: number?) -> Instance?", wait_for_child)
        .yields(),
];

/// The instance a method is called on.
///
/// Errors: the engine's text for a method called with a dot and without an instance.
pub fn this(cx: &Cx<'_>) -> Result<InstanceId, Raise> {
    match cx.light(0, crate::vm::light::INSTANCE) {
        Some(id) => Ok(InstanceId(id as u32)),
        None => Err(messages::expected_colon(&cx.callee()).into()),
    }
}

/// A text argument that must be given.
pub fn text(cx: &Cx<'_>, index: i32) -> Result<String, Raise> {
    if cx.is_nil(index) {
        return Err(messages::missing_argument(index.unsigned_abs() as usize).into());
    }
    cx.text(index).map_err(|raise| raise.reworded(messages::cannot_cast(&cx.type_name(index), "string")))
}

/// An instance argument that must be given.
pub fn instance(cx: &Cx<'_>, index: i32) -> Result<InstanceId, Raise> {
    if cx.is_nil(index) {
        return Err(messages::missing_argument(index.unsigned_abs() as usize).into());
    }
    cx.instance(index).map_err(|_| Raise::new(messages::cannot_cast(&cx.type_name(index), "Object")))
}

/// Pushes an array of instances.
pub fn push_instances(cx: &Cx<'_>, ids: &[InstanceId]) -> Outcome {
    cx.push_table(ids.len(), 0);
    for (index, id) in (1..).zip(ids) {
        cx.push_instance(*id);
        cx.set_index(index);
    }
    Ok(Returns::ONE)
}

/// Pushes an array of strings.
pub fn push_names(cx: &Cx<'_>, names: &[Name]) -> Outcome {
    cx.push_table(names.len(), 0);
    for (index, name) in (1..).zip(names) {
        cx.push_string(&**name);
        cx.set_index(index);
    }
    Ok(Returns::ONE)
}

fn answer(cx: &Cx<'_>, value: bool) -> Outcome {
    cx.push_boolean(value);
    Ok(Returns::ONE)
}

fn found(cx: &Cx<'_>, id: Option<InstanceId>) -> Outcome {
    cx.push_opt_instance(id);
    Ok(Returns::ONE)
}

fn get_property_changed_signal(cx: &mut Cx<'_>) -> Outcome {
    let (id, name) = (this(cx)?, text(cx, 1)?);
    let peer = cx.peer();
    let model = peer.data_model();
    let property = model.store().class(id).property(&name);
    let property = property.ok_or_else(|| Raise::new(messages::not_a_property(&name)))?;
    cx.push_signal(model.property_signal(id, property));
    Ok(Returns::ONE)
}

fn is_a(cx: &mut Cx<'_>) -> Outcome {
    let (id, name) = (this(cx)?, text(cx, 1)?);
    let class = cx.peer().data_model().store().class(id);
    answer(cx, class.is_a_name(&name))
}

/// The property a script names, with its default for the instance.
fn named_property(cx: &Cx<'_>) -> Result<(InstanceId, PropertyId, Value), Raise> {
    let (id, name) = (this(cx)?, text(cx, 1)?);
    let class = cx.peer().data_model().store().class(id);
    let property = class.property(&name).ok_or_else(|| Raise::new(messages::not_a_property(&name)))?;
    let default = if property == *properties::NAME {
        class.name().into()
    } else {
        properties::default(class, property)
    };
    Ok((id, property, default))
}

fn is_property_modified(cx: &mut Cx<'_>) -> Outcome {
    let (id, property, default) = named_property(cx)?;
    let modified = properties::get(&cx.peer().data_model().store(), id, property) != default;
    answer(cx, modified)
}

fn reset_property_to_default(cx: &mut Cx<'_>) -> Outcome {
    let (id, property, default) = named_property(cx)?;
    if property.info().access() == Access::ReadWrite && property != *properties::PARENT {
        properties::set(&cx.peer(), id, property, default);
    }
    Ok(Returns::NONE)
}

fn add_tag(cx: &mut Cx<'_>) -> Outcome {
    tags::add(&cx.peer(), this(cx)?, &text(cx, 1)?);
    Ok(Returns::NONE)
}

fn remove_tag(cx: &mut Cx<'_>) -> Outcome {
    tags::remove(&cx.peer(), this(cx)?, &text(cx, 1)?);
    Ok(Returns::NONE)
}

fn has_tag(cx: &mut Cx<'_>) -> Outcome {
    let (id, tag) = (this(cx)?, text(cx, 1)?);
    let has = cx.peer().data_model().store().get(id).is_some_and(|instance| instance.has_tag(&tag));
    answer(cx, has)
}

fn get_tags(cx: &mut Cx<'_>) -> Outcome {
    let id = this(cx)?;
    let tags =
        cx.peer().data_model().store().get(id).map_or_else(Vec::new, |instance| instance.tags().to_vec());
    push_names(cx, &tags)
}

fn clear_all_children(cx: &mut Cx<'_>) -> Outcome {
    tree::clear_children(&cx.peer(), this(cx)?)?;
    Ok(Returns::NONE)
}

fn clone(cx: &mut Cx<'_>) -> Outcome {
    cx.check_memory(0)?;
    let copy = tree::clone(&cx.peer(), this(cx)?);
    found(cx, copy)
}

fn destroy(cx: &mut Cx<'_>) -> Outcome {
    tree::destroy(&cx.peer(), this(cx)?)?;
    Ok(Returns::NONE)
}

/// Old code's way to take an instance and its descendants out, without locking them.
fn remove(cx: &mut Cx<'_>) -> Outcome {
    tree::set_parent(&cx.peer(), this(cx)?, None)?;
    Ok(Returns::NONE)
}

fn find_first_ancestor(cx: &mut Cx<'_>) -> Outcome {
    let (id, name) = (this(cx)?, text(cx, 1)?);
    let ancestor = ancestor(&cx.peer(), id, |store, other| *store.name(other) == *name);
    found(cx, ancestor)
}

fn find_first_ancestor_of_class(cx: &mut Cx<'_>) -> Outcome {
    let (id, class) = (this(cx)?, text(cx, 1)?);
    let ancestor = ancestor(&cx.peer(), id, |store, other| store.class(other).name() == class);
    found(cx, ancestor)
}

fn find_first_ancestor_which_is_a(cx: &mut Cx<'_>) -> Outcome {
    let (id, class) = (this(cx)?, text(cx, 1)?);
    let ancestor = ancestor(&cx.peer(), id, |store, other| store.class(other).is_a_name(&class));
    found(cx, ancestor)
}

fn ancestor(
    peer: &Rc<Peer>,
    id: InstanceId,
    is_it: impl Fn(&Store, InstanceId) -> bool,
) -> Option<InstanceId> {
    let store = peer.data_model().store();
    store.ancestors(id).find(|other| is_it(&store, *other))
}

fn find_first_child(cx: &mut Cx<'_>) -> Outcome {
    let (id, name) = (this(cx)?, text(cx, 1)?);
    let child = below(&cx.peer(), id, cx.truthy(2), |store, other| *store.name(other) == *name);
    found(cx, child)
}

fn find_first_child_of_class(cx: &mut Cx<'_>) -> Outcome {
    let (id, class) = (this(cx)?, text(cx, 1)?);
    let child = below(&cx.peer(), id, false, |store, other| store.class(other).name() == class);
    found(cx, child)
}

fn find_first_child_which_is_a(cx: &mut Cx<'_>) -> Outcome {
    let (id, class) = (this(cx)?, text(cx, 1)?);
    let child = below(&cx.peer(), id, cx.truthy(2), |store, other| store.class(other).is_a_name(&class));
    found(cx, child)
}

/// The first child, or with `deep` the first descendant, children before what is in them.
fn below(
    peer: &Rc<Peer>,
    id: InstanceId,
    deep: bool,
    is_it: impl Fn(&Store, InstanceId) -> bool,
) -> Option<InstanceId> {
    let store = peer.data_model().store();
    let child = store.children(id).iter().copied().find(|other| is_it(&store, *other));
    if child.is_some() || !deep {
        return child;
    }
    store.descendants(id).into_iter().find(|other| is_it(&store, *other))
}

fn find_first_descendant(_: &mut Cx<'_>) -> Outcome {
    Err(messages::DISABLED.into())
}

fn get_actor(cx: &mut Cx<'_>) -> Outcome {
    let id = this(cx)?;
    let peer = cx.peer();
    let own = peer.data_model().store().class(id).is_a_name("Actor");
    let actor = if own {
        Some(id)
    } else {
        ancestor(&peer, id, |store, other| store.class(other).is_a_name("Actor"))
    };
    found(cx, actor)
}

fn get_attribute(cx: &mut Cx<'_>) -> Outcome {
    let (id, name) = (this(cx)?, text(cx, 1)?);
    let value =
        cx.peer().data_model().store().get(id).and_then(|instance| instance.attribute(&name).cloned());
    cx.push(&value.unwrap_or(Value::Nil));
    Ok(Returns::ONE)
}

fn get_attribute_changed_signal(cx: &mut Cx<'_>) -> Outcome {
    let (id, name) = (this(cx)?, text(cx, 1)?);
    cx.push_signal(cx.peer().data_model().attribute_signal(id, &name));
    Ok(Returns::ONE)
}

fn get_attributes(cx: &mut Cx<'_>) -> Outcome {
    let id = this(cx)?;
    let peer = cx.peer();
    let attributes =
        peer.data_model().store().get(id).map_or_else(Vec::new, |instance| instance.attributes().to_vec());
    cx.push_table(0, attributes.len());
    for (name, value) in &attributes {
        cx.push(value);
        cx.set_field(name);
    }
    Ok(Returns::ONE)
}

fn set_attribute(cx: &mut Cx<'_>) -> Outcome {
    let (id, name) = (this(cx)?, text(cx, 1)?);
    attributes::assign(&cx.peer(), id, &name, cx.shallow(2)?)?;
    Ok(Returns::NONE)
}

fn get_children(cx: &mut Cx<'_>) -> Outcome {
    let children = cx.peer().data_model().store().children(this(cx)?).to_vec();
    push_instances(cx, &children)
}

fn get_descendants(cx: &mut Cx<'_>) -> Outcome {
    let descendants = cx.peer().data_model().store().descendants(this(cx)?);
    push_instances(cx, &descendants)
}

fn query_descendants(cx: &mut Cx<'_>) -> Outcome {
    let (id, selector) = (this(cx)?, super::query::Selector::parse(&text(cx, 1)?)?);
    let found = selector.all(&cx.peer().data_model().store(), id);
    push_instances(cx, &found)
}

fn get_full_name(cx: &mut Cx<'_>) -> Outcome {
    let name = cx.peer().data_model().store().full_name(this(cx)?);
    cx.push_string(name);
    Ok(Returns::ONE)
}

fn is_ancestor_of(cx: &mut Cx<'_>) -> Outcome {
    let (id, other) = (this(cx)?, instance(cx, 1)?);
    let below = cx.peer().data_model().store().is_descendant_of(other, id);
    answer(cx, below)
}

/// Whether it is below another. Everything is below nil, so that nil is no test of removal.
fn is_descendant_of(cx: &mut Cx<'_>) -> Outcome {
    let id = this(cx)?;
    if cx.is_nil(1) {
        return answer(cx, true);
    }
    let below = cx.peer().data_model().store().is_descendant_of(id, instance(cx, 1)?);
    answer(cx, below)
}

fn wait_for_child(cx: &mut Cx<'_>) -> Outcome {
    let (id, name) = (this(cx)?, text(cx, 1)?);
    let peer = cx.peer();
    let child = peer.data_model().store().find_child(id, &name);
    if child.is_some() {
        return found(cx, child);
    }
    let timeout = cx.opt_number(2)?;
    waiting::wait(&peer, id, &name, timeout, cx.park()?);
    Ok(Returns::Yield)
}

/// The value of a property by name, for other files' methods.
pub fn property_of(peer: &Rc<Peer>, id: InstanceId, name: &str) -> Value {
    properties::get_by_name(&peer.data_model().store(), id, name)
}
