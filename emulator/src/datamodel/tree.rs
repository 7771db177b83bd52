//! Making, moving, copying and destroying instances, with the events of it. Source: Roblox behaviour, 7.1, 7.3, 7.4.
//!
//! A move does, in this order: `DescendantRemoving`, the move itself, `ChildRemoved`, `Changed`, `ChildAdded`,
//! `DescendantAdded`, `AncestryChanged`. Under immediate signals each is a chance for a script to interfere, so
//! nothing read before a fire is trusted after it.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::classes::{ClassId, known_class};
use super::journal::{Change, Created};
use super::members::EventRef;
use super::properties::{ARCHIVABLE, PARENT};
use super::store::{GAME, Store, single_id};
use super::{messages, properties, replication, scripts, tags, waiting};
use crate::peer::Peer;
use crate::value::{InstanceId, Value};

/// `ChildAdded`.
pub static CHILD_ADDED: EventRef = EventRef::new("Instance", "ChildAdded");
/// `ChildRemoved`.
pub static CHILD_REMOVED: EventRef = EventRef::new("Instance", "ChildRemoved");
/// `DescendantAdded`.
pub static DESCENDANT_ADDED: EventRef = EventRef::new("Instance", "DescendantAdded");
/// `DescendantRemoving`.
pub static DESCENDANT_REMOVING: EventRef = EventRef::new("Instance", "DescendantRemoving");
/// `AncestryChanged`.
pub static ANCESTRY_CHANGED: EventRef = EventRef::new("Instance", "AncestryChanged");
/// `Destroying`.
pub static DESTROYING: EventRef = EventRef::new("Instance", "Destroying");

/// Services whose `Name` is not their class.
const NAMES: &[(&str, &str)] = &[
    ("DataModel", "Game"),
    ("RunService", "Run Service"),
    ("ScriptContext", "Script Context"),
    ("TeleportService", "Teleport Service"),
    ("TouchInputService", "TouchInputService"),
];

/// Classes whose instances get a name of their own: the documentation says that it is the class, the engine does this.
const OLD_NAMES: &[(&str, &str)] =
    &[("ValueBase", "Value"), ("BindableEvent", "Event"), ("BindableFunction", "Function")];

/// Makes the only instance of a class under its fixed id, silently. Its parent is locked. What exists is left alone.
pub fn make_single(store: &mut Store, class: ClassId, parent: InstanceId) -> InstanceId {
    let id = single_id(class);
    if store.get(id).is_some() {
        return id;
    }
    let name = NAMES.iter().find(|(other, _)| *other == class.name()).map_or(class.name(), |(_, name)| name);
    store.insert(id, class, name);
    store.set_parent(id, Some(parent));
    if let Some(instance) = store.get_mut(id) {
        instance.locked = true;
    }
    // Children that the engine makes together with their service.
    if class.name() == "StarterPlayer" {
        for child in ["StarterPlayerScripts", "StarterCharacterScripts"] {
            make_single(store, known_class(child), id);
        }
    }
    id
}

/// Makes a client's own `Workspace.CurrentCamera`, silently. Source: engine page of Workspace, checked August 2026.
pub fn make_camera(store: &mut Store) {
    let workspace = single_id(known_class("Workspace"));
    let Some(current) = known_class("Workspace").property("CurrentCamera") else { return };
    let camera = store.create(known_class("Camera"));
    store.set_parent(camera, Some(workspace));
    store.set_property(workspace, current.info().stored_as, Value::Instance(camera));
}

/// `Instance.new`: an instance of a class that scripts can make.
///
/// Errors: the text for a class they cannot make, or a parent that cannot be.
pub fn create(peer: &Rc<Peer>, class: &str, parent: Option<InstanceId>) -> Result<InstanceId, String> {
    let id = super::classes::class_by_name(class).filter(|id| id.is_creatable());
    let id = id.ok_or_else(|| messages::cannot_create(class))?;
    let made = {
        let mut store = peer.data_model().store_mut();
        let made = store.create(id);
        if let Some((_, name)) = OLD_NAMES.iter().find(|(class, _)| id.is_a_name(class))
            && let Some(instance) = store.get_mut(made)
        {
            instance.name = (*name).into();
        }
        made
    };
    if parent.is_some() {
        set_parent(peer, made, parent)?;
    }
    Ok(made)
}

/// Sets the parent as a script does.
///
/// Errors: the text for a locked parent, itself, or one of its descendants.
pub fn set_parent(peer: &Rc<Peer>, id: InstanceId, parent: Option<InstanceId>) -> Result<(), String> {
    {
        let store = peer.data_model().store();
        let Some(instance) = store.get(id) else { return Ok(()) };
        if instance.parent == parent {
            return Ok(());
        }
        let name_or_null = |id: Option<InstanceId>| id.map_or_else(|| "NULL".into(), |id| store.name(id));
        if instance.locked || id == GAME {
            let (current, new) = (name_or_null(instance.parent), name_or_null(parent));
            return Err(messages::parent_locked(&instance.name, &current, &new));
        }
        if parent == Some(id) {
            return Err(messages::own_parent(&instance.name));
        }
        if let Some(parent) = parent
            && store.is_descendant_of(parent, id)
        {
            return Err(messages::circular_parent(&instance.name, &store.name(parent)));
        }
    }
    relocate(peer, id, parent, Leaving::Move);
    Ok(())
}

/// Why an instance moves, for what clients are told.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Leaving {
    Move,
    Destroy,
}

/// Moves an instance with all events, whether its parent is locked or not: for replication and the engine itself.
pub fn move_to(peer: &Rc<Peer>, id: InstanceId, parent: Option<InstanceId>) {
    let allowed = {
        let store = peer.data_model().store();
        let under = |parent| parent == id || store.is_descendant_of(parent, id);
        store.get(id).is_some_and(|instance| instance.parent != parent) && !parent.is_some_and(under)
    };
    if allowed {
        relocate(peer, id, parent, Leaving::Move);
    }
}

fn relocate(peer: &Rc<Peer>, id: InstanceId, parent: Option<InstanceId>, leaving: Leaving) {
    let model = peer.data_model();
    let old = model.store().parent(id);
    if let Some(old) = old {
        fire_along(peer, old, id, &DESCENDANT_REMOVING);
        let undone = {
            let store = model.store();
            let cyclic = parent.is_some_and(|parent| parent == id || store.is_descendant_of(parent, id));
            store.parent(id) != Some(old) || cyclic
        };
        if undone {
            // A handler moved it elsewhere, and that was later than this call.
            return;
        }
    }
    let was_in_game = model.store().in_game(id);
    shift(peer, id, parent, leaving);
    let is_in_game = model.store().in_game(id);

    if let Some(old) = old {
        peer.fire(CHILD_REMOVED.on(old), &[Value::Instance(id)]);
    }
    properties::fire_changed(peer, id, *PARENT);
    let still_there = |peer: &Rc<Peer>| peer.data_model().store().parent(id) == parent;
    if let Some(parent) = parent
        && still_there(peer)
    {
        peer.fire(CHILD_ADDED.on(parent), &[Value::Instance(id)]);
        waiting::arrived(peer, parent, id);
        if still_there(peer) {
            fire_along(peer, parent, id, &DESCENDANT_ADDED);
        }
    }
    let family = family(&model.store(), id);
    for member in &family {
        peer.fire(ANCESTRY_CHANGED.on(*member), &[Value::Instance(id), parent.into()]);
    }
    if was_in_game != is_in_game {
        for member in &family {
            if is_in_game {
                tags::instance_entered(peer, *member);
            } else {
                tags::instance_left(peer, *member);
            }
        }
    }
    for member in family {
        scripts::reconsider(peer, member, false);
    }
}

/// The move itself, and what clients are told of it.
fn shift(peer: &Rc<Peer>, id: InstanceId, parent: Option<InstanceId>, leaving: Leaving) {
    let model = peer.data_model();
    let mut store = model.store_mut();
    let before = model.is_server().then(|| replication::audience(&store, id)).flatten();
    store.set_parent(id, parent);
    if leaving == Leaving::Destroy
        && let Some(instance) = store.get_mut(id)
    {
        instance.destroyed = true;
        instance.locked = true;
    }
    let Some(mut journal) = model.journal() else { return };
    let after = replication::audience(&store, id);
    match (before, after) {
        (Some(before), Some(after)) if before == after => {
            journal.record(after, Change::Parent { id, parent })
        }
        (before, after) => {
            if let Some(before) = before {
                let change = match leaving {
                    Leaving::Move => Change::Parent { id, parent: None },
                    Leaving::Destroy => Change::Destroy { id },
                };
                journal.record(before, change);
            }
            if after.is_some() {
                for member in family(&store, id) {
                    // Part of the family may be for one player only, or for none.
                    if let Some(audience) = replication::audience(&store, member)
                        && let Some(created) = Created::of(&store, member)
                    {
                        journal.record(audience, Change::Create(Box::new(created)));
                    }
                }
            }
        }
    }
}

/// An instance and everything in it, parents first.
fn family(store: &Store, id: InstanceId) -> Vec<InstanceId> {
    let mut family = vec![id];
    family.extend(store.descendants(id));
    family
}

/// Fires an event of descendants on `first` and its ancestors: for `id`, then for each of its descendants.
fn fire_along(peer: &Rc<Peer>, first: InstanceId, id: InstanceId, event: &EventRef) {
    let (listening, family) = {
        let store = peer.data_model().store();
        let mut above = vec![first];
        above.extend(store.ancestors(first));
        let listening: Vec<_> =
            above.into_iter().filter(|above| peer.signals.has_listeners(event.on(*above))).collect();
        // Most trees have no such listener, and families can be large.
        let family = if listening.is_empty() { Vec::new() } else { family(&store, id) };
        (listening, family)
    };
    for member in family {
        for above in &listening {
            peer.fire(event.on(*above), &[Value::Instance(member)]);
        }
    }
}

/// `Destroy`: twice is once.
///
/// Errors: the text for a service, whose parent is locked.
pub fn destroy(peer: &Rc<Peer>, id: InstanceId) -> Result<(), String> {
    {
        let store = peer.data_model().store();
        let Some(instance) = store.get(id) else { return Ok(()) };
        if instance.destroyed {
            return Ok(());
        }
        if instance.locked || id == GAME {
            let parent = instance.parent.map_or_else(|| "NULL".into(), |parent| store.name(parent));
            return Err(messages::parent_locked(&instance.name, &parent, "NULL"));
        }
    }
    force_destroy(peer, id);
    Ok(())
}

/// Destroys whatever the class: for replication and for players who leave.
pub fn force_destroy(peer: &Rc<Peer>, id: InstanceId) {
    let model = peer.data_model();
    let family = family(&model.store(), id);
    for member in family {
        peer.fire(DESTROYING.on(member), &[]);
    }
    // Children are looked up as each parent goes: a handler may have moved some out or put others in.
    let mut doomed = vec![id];
    while let Some(member) = doomed.pop() {
        let gone = model.store().get(member).is_none_or(|instance| instance.destroyed);
        if gone {
            continue;
        }
        relocate(peer, member, None, Leaving::Destroy);
        scripts::destroyed(peer, member);
        peer.signals.sever(member);
        let mut store = model.store_mut();
        if let Some(instance) = store.get_mut(member) {
            // A handler that moved it meanwhile does not save it.
            instance.destroyed = true;
            instance.locked = true;
        }
        doomed.extend(store.children(member).iter().rev());
    }
}

/// `ClearAllChildren`.
pub fn clear_children(peer: &Rc<Peer>, id: InstanceId) -> Result<(), String> {
    let children = peer.data_model().store().children(id).to_vec();
    children.into_iter().try_for_each(|child| destroy(peer, child))
}

/// `Clone`: the copy's id, `None` if the instance is not archivable. References inside the tree go to the copies.
pub fn clone(peer: &Rc<Peer>, id: InstanceId) -> Option<InstanceId> {
    let model = peer.data_model();
    let mut store = model.store_mut();
    if !is_archivable(&store, id) || store.class(id).is_service() || id == GAME {
        return None;
    }
    let mut copies = vec![(id, copy_one(&mut store, id))];
    let mut next = 0;
    while next < copies.len() {
        let (original, copy) = copies[next];
        for child in store.children(original).to_vec() {
            if is_archivable(&store, child) {
                let made = copy_one(&mut store, child);
                store.set_parent(made, Some(copy));
                copies.push((child, made));
            }
        }
        next += 1;
    }
    let by_original: FxHashMap<_, _> = copies.iter().copied().collect();
    for (_, copy) in &copies {
        redirect(&mut store, *copy, &by_original);
    }
    Some(copies[0].1)
}

/// `Instance.fromExisting`: a copy without children.
pub fn copy_alone(peer: &Rc<Peer>, id: InstanceId) -> InstanceId {
    copy_one(&mut peer.data_model().store_mut(), id)
}

fn is_archivable(store: &Store, id: InstanceId) -> bool {
    properties::get(store, id, *ARCHIVABLE) == Value::Boolean(true)
}

fn copy_one(store: &mut Store, id: InstanceId) -> InstanceId {
    let copy = store.create(store.class(id));
    let Some(original) = store.get(id).cloned() else { return copy };
    if let Some(instance) = store.get_mut(copy) {
        instance.name = original.name.clone();
    }
    for (property, value) in original.properties() {
        store.set_property(copy, *property, value.clone());
    }
    for (name, value) in original.attributes() {
        store.set_attribute(copy, name, Some(value.clone()));
    }
    for tag in original.tags() {
        store.add_tag(copy, tag);
    }
    copy
}

/// Points an instance's references at the copies of what they point at.
fn redirect(store: &mut Store, id: InstanceId, copies: &FxHashMap<InstanceId, InstanceId>) {
    let Some(instance) = store.get(id) else { return };
    let copy_of = |value: &Value| match value {
        Value::Instance(other) => copies.get(other).copied(),
        _ => None,
    };
    let found: Vec<_> = instance
        .properties()
        .iter()
        .filter_map(|(property, value)| Some((*property, copy_of(value)?)))
        .collect();
    for (property, copy) in found {
        store.set_property(id, property, Value::Instance(copy));
    }
}
