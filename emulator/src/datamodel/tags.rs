//! Tags of instances and what `CollectionService` tells of them. Source: Roblox behaviour, 7.6.

use std::rc::Rc;

use super::DataModel;
use super::journal::Change;
use super::members::EventRef;
use super::store::{Name, single_id};
use crate::datamodel::classes::known_class;
use crate::peer::Peer;
use crate::value::{InstanceId, SignalKey, Value};

/// `CollectionService.TagAdded`.
pub static TAG_ADDED: EventRef = EventRef::new("CollectionService", "TagAdded");
/// `CollectionService.TagRemoved`.
pub static TAG_REMOVED: EventRef = EventRef::new("CollectionService", "TagRemoved");

fn service(event: &EventRef) -> SignalKey {
    event.on(single_id(known_class("CollectionService")))
}

/// Adds a tag; an instance in the tree counts at once.
pub fn add(peer: &Rc<Peer>, id: InstanceId, tag: &str) {
    let model = peer.data_model();
    if !model.store_mut().add_tag(id, tag) {
        return;
    }
    note(model, id);
    if model.store().in_game(id) {
        entered(peer, id, tag);
    }
}

/// Removes a tag.
pub fn remove(peer: &Rc<Peer>, id: InstanceId, tag: &str) {
    let model = peer.data_model();
    let in_game = model.store().in_game(id);
    if !model.store_mut().remove_tag(id, tag) {
        return;
    }
    note(model, id);
    if in_game {
        left(peer, id, tag);
    }
}

/// Gives an instance exactly these tags, in this order.
pub fn replace(peer: &Rc<Peer>, id: InstanceId, tags: &[Name]) {
    let old: Vec<Name> =
        peer.data_model().store().get(id).map_or_else(Vec::new, |found| found.tags().to_vec());
    for tag in old.iter().filter(|tag| !tags.contains(tag)) {
        remove(peer, id, tag);
    }
    for tag in tags {
        add(peer, id, tag);
    }
}

/// An instance came under `game`.
pub(super) fn instance_entered(peer: &Rc<Peer>, id: InstanceId) {
    for tag in tags_of(peer, id) {
        entered(peer, id, &tag);
    }
}

/// An instance is no longer under `game`.
pub(super) fn instance_left(peer: &Rc<Peer>, id: InstanceId) {
    for tag in tags_of(peer, id) {
        left(peer, id, &tag);
    }
}

fn tags_of(peer: &Rc<Peer>, id: InstanceId) -> Vec<Name> {
    peer.data_model().store().get(id).map_or_else(Vec::new, |instance| instance.tags().to_vec())
}

fn entered(peer: &Rc<Peer>, id: InstanceId, tag: &str) {
    let model = peer.data_model();
    let first = model.store().tagged(tag).len() == 1;
    peer.fire(model.tag_added_signal(tag), &[Value::Instance(id)]);
    if first {
        peer.fire(service(&TAG_ADDED), &[tag.into()]);
    }
}

fn left(peer: &Rc<Peer>, id: InstanceId, tag: &str) {
    let model = peer.data_model();
    let last = model.store().tagged(tag).is_empty();
    peer.fire(model.tag_removed_signal(tag), &[Value::Instance(id)]);
    if last {
        peer.fire(service(&TAG_REMOVED), &[tag.into()]);
    }
}

/// All tags of an instance replicate together.
fn note(model: &DataModel, id: InstanceId) {
    model.note(id, |store| Some(Change::Tags { id, tags: store.get(id)?.tags().to_vec() }));
}
