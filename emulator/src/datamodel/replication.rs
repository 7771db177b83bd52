//! From the server's tree to a client's: who gets what, the first tree of a client, and how a client takes changes in.
//!
//! Source: Roblox behaviour, 6. A client's own changes never leave it. Taking a change in fires that client's events
//! as a local change would, and is never told to anyone.

use std::rc::Rc;

use super::journal::{Audience, Change, Created};
use super::store::{GAME, Store};
use super::{attributes, properties, tags, tree};
use crate::peer::Peer;
use crate::shared::{JoinOrder, Random};
use crate::value::{InstanceId, Value};

/// Who is told of changes of `id`: `None` for what stays on the server.
pub fn audience(store: &Store, id: InstanceId) -> Option<Audience> {
    if id == GAME {
        return None;
    }
    let mut audience = Audience::Everyone;
    let mut top = id;
    for next in std::iter::once(id).chain(store.ancestors(id)) {
        if next == GAME {
            // Only what is in a service is replicated; `game` itself has nothing to tell.
            return store.class(top).is_service().then_some(audience);
        }
        let class = store.class(next);
        if class.is_not_replicated() {
            return None;
        }
        if class.is_player_replicated() {
            let owner = store.ancestors(next).find(|other| store.class(*other).is_a_name("Player"));
            // In `StarterPlayer` and the like it belongs to nobody and goes to all.
            if let Some(owner) = owner {
                audience = Audience::Player(owner);
            }
        }
        top = next;
    }
    // The walk never came to `game`.
    None
}

/// Whether `id` reaches the client of `player`.
pub fn reaches(store: &Store, id: InstanceId, player: InstanceId) -> bool {
    match audience(store, id) {
        Some(Audience::Everyone) => true,
        Some(Audience::Player(owner)) => owner == player,
        None => false,
    }
}

/// What a joining client is sent: first `ReplicatedFirst` with its contents, then everything else.
#[derive(Debug, Clone, Default)]
pub struct JoinSnapshot {
    /// The creations that arrive before any script of the client runs.
    pub first: Vec<Change>,
    /// The rest of the tree.
    pub rest: Vec<Change>,
}

/// The tree as the client of `player` meets it, parents before their children.
///
/// `random` is drawn from only for a shuffled order.
pub fn snapshot_for_join(
    store: &Store,
    player: InstanceId,
    order: JoinOrder,
    random: &mut Random,
) -> JoinSnapshot {
    let is_first = |id: &InstanceId| store.class(*id).name() == "ReplicatedFirst";
    let (first, rest): (Vec<_>, Vec<_>) = store.children(GAME).iter().copied().partition(is_first);
    let mut part = |roots: Vec<InstanceId>| {
        let mut changes = Vec::new();
        let mut pending: Vec<_> = roots.into_iter().rev().collect();
        loop {
            let next = match order {
                JoinOrder::Tree => pending.pop(),
                JoinOrder::Shuffle if pending.is_empty() => None,
                JoinOrder::Shuffle => Some(pending.swap_remove(random.below(pending.len()))),
            };
            let Some(id) = next else { return changes };
            if !reaches(store, id, player) {
                continue;
            }
            changes.extend(Created::of(store, id).map(|created| Change::Create(Box::new(created))));
            pending.extend(store.children(id).iter().rev());
        }
    };
    JoinSnapshot { first: part(first), rest: part(rest) }
}

/// Takes a change of the server's in, on a client, with the events it has there.
pub fn apply(peer: &Rc<Peer>, change: Change) {
    match change {
        Change::Create(created) => apply_creation(peer, *created),
        Change::Parent { id, parent } => move_here(peer, id, parent),
        Change::Property { id, property, value } => {
            if is_known(peer, id) {
                properties::set(peer, id, property, value);
            }
        }
        Change::Attribute { id, name, value } => {
            if is_known(peer, id) {
                attributes::set(peer, id, &name, value);
            }
        }
        Change::Tags { id, tags } => {
            if is_known(peer, id) {
                tags::replace(peer, id, &tags);
            }
        }
        Change::Destroy { id } => {
            if is_known(peer, id) && !is_destroyed(peer, id) {
                tree::force_destroy(peer, id);
            }
        }
    }
}

/// Takes an instance away from a client, as streaming out does: it loses its parent there and nothing else, and
/// moves of the server's do not bring it back until [`show`] does.
pub fn hide(peer: &Rc<Peer>, id: InstanceId) {
    peer.data_model().hidden.borrow_mut().insert(id);
    tree::move_to(peer, id, None);
}

/// Gives an instance back to a client that it was hidden from, where the server has it now.
pub fn show(peer: &Rc<Peer>, id: InstanceId, parent: Option<InstanceId>) {
    let was_hidden = peer.data_model().hidden.borrow_mut().remove(&id);
    if was_hidden {
        move_here(peer, id, parent);
    }
}

/// Moves an instance as the server did, unless this client destroyed it or it is hidden.
fn move_here(peer: &Rc<Peer>, id: InstanceId, parent: Option<InstanceId>) {
    let parent = parent.filter(|parent| is_known(peer, *parent));
    let is_hidden = peer.data_model().hidden.borrow().contains(&id);
    if !is_hidden && !is_destroyed(peer, id) {
        tree::move_to(peer, id, parent);
    }
}

fn is_known(peer: &Rc<Peer>, id: InstanceId) -> bool {
    peer.data_model().store().get(id).is_some()
}

/// Whether the client destroyed its copy. The server's later moves do not bring it back.
fn is_destroyed(peer: &Rc<Peer>, id: InstanceId) -> bool {
    peer.data_model().store().get(id).is_some_and(|instance| instance.destroyed)
}

fn apply_creation(peer: &Rc<Peer>, created: Created) {
    let Created { id, class, name, parent, properties, attributes, tags } = created;
    let model = peer.data_model();
    if !is_known(peer, id) {
        // Nobody can hold it yet, so it gets its values in silence.
        let mut store = model.store_mut();
        store.insert(id, class, &name);
        if (class.is_service() || id.0 < super::store::FIRST_ID)
            && let Some(instance) = store.get_mut(id)
        {
            instance.locked = true;
        }
        for (property, value) in properties {
            store.set_property(id, property, value);
        }
        for (name, value) in attributes {
            store.set_attribute(id, &name, Some(value));
        }
        for tag in tags {
            store.add_tag(id, &tag);
        }
    } else {
        // A service the client asked for before, or an instance that comes back.
        properties::set(peer, id, *properties::NAME, Value::string(&*name));
        for (property, value) in properties {
            properties::set(peer, id, property, value);
        }
        let old: Vec<_> = model.store().get(id).map_or_else(Vec::new, |found| found.attributes().to_vec());
        for (name, _) in old.iter().filter(|(name, _)| !attributes.iter().any(|(other, _)| other == name)) {
            attributes::set(peer, id, name, None);
        }
        for (name, value) in attributes {
            attributes::set(peer, id, &name, Some(value));
        }
        tags::replace(peer, id, &tags);
    }
    move_here(peer, id, parent);
}
