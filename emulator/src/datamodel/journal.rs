//! What changed on the server since the last send, in order, for the clients.
//!
//! Only instances under replicated containers are recorded (Roblox behaviour, 6). A property that changes twice before
//! the journal is drained leaves once, at the place of its first change with its last value, as the engine sends what
//! is marked dirty; changes of an instance that was created since the last send become part of its creation.
//! [`super::replication`] applies the changes on a client.

use rustc_hash::FxHashMap;

use super::classes::{ClassId, PropertyId};
use super::store::{Name, Store};
use crate::value::{InstanceId, Value};

/// Who gets a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// Every client.
    Everyone,
    /// The client of one `Player`: what is in its `PlayerGui` and the like.
    Player(InstanceId),
}

/// One change, complete in itself: no reader needs the server's tree.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// An instance appears, with all that differs from its class's defaults.
    Create(Box<Created>),
    /// An instance moves; `None` when it left the replicated containers.
    Parent {
        /// Which.
        id: InstanceId,
        /// Where to.
        parent: Option<InstanceId>,
    },
    /// A property, `Name` included, has another value.
    Property {
        /// Of which instance.
        id: InstanceId,
        /// Which property, under the id it is stored as.
        property: PropertyId,
        /// The value now.
        value: Value,
    },
    /// An attribute has another value, or none.
    Attribute {
        /// Of which instance.
        id: InstanceId,
        /// Its name.
        name: Name,
        /// The value now; `None` when it was removed.
        value: Option<Value>,
    },
    /// The tags of an instance are now these, all of them.
    Tags {
        /// Of which instance.
        id: InstanceId,
        /// All tags.
        tags: Vec<Name>,
    },
    /// `Destroy` was called on it; its descendants go with it.
    Destroy {
        /// Which.
        id: InstanceId,
    },
}

/// An instance as a client meets it.
#[derive(Debug, Clone, PartialEq)]
pub struct Created {
    /// The server's id of it.
    pub id: InstanceId,
    /// Its class.
    pub class: ClassId,
    /// Its name.
    pub name: Name,
    /// Where it is.
    pub parent: Option<InstanceId>,
    /// Properties that differ from the default, by id; only replicated ones.
    pub properties: Vec<(PropertyId, Value)>,
    /// Attributes in alphabetical order.
    pub attributes: Vec<(Name, Value)>,
    /// Tags in order of arrival.
    pub tags: Vec<Name>,
}

impl Change {
    /// The instance it is about.
    pub fn id(&self) -> InstanceId {
        match self {
            Change::Create(created) => created.id,
            Change::Parent { id, .. }
            | Change::Property { id, .. }
            | Change::Attribute { id, .. }
            | Change::Tags { id, .. }
            | Change::Destroy { id } => *id,
        }
    }
}

impl Created {
    /// What a client has to know of `id`; `None` for an id the store does not have.
    pub fn of(store: &Store, id: InstanceId) -> Option<Created> {
        let instance = store.get(id)?;
        let replicated = |(property, _): &&(PropertyId, Value)| property.info().replicates();
        Some(Created {
            id,
            class: instance.class,
            name: instance.name.clone(),
            parent: instance.parent,
            properties: instance.properties().iter().filter(replicated).cloned().collect(),
            attributes: instance.attributes().to_vec(),
            tags: instance.tags().to_vec(),
        })
    }
}

/// A change, for whom, and its place among everything the server sends in the frame.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// From [`Journal::next_order`], which remote calls draw from as well.
    pub order: u64,
    /// Who gets it.
    pub audience: Audience,
    /// What happened.
    pub change: Change,
}

/// What identifies a change that a later one can be merged into.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Slot {
    Create(InstanceId),
    Property(InstanceId, PropertyId),
    Attribute(InstanceId, Name),
    Tags(InstanceId),
}

/// Changes since the last [`Journal::drain`].
#[derive(Debug, Clone, Default)]
pub struct Journal {
    next_order: u64,
    entries: Vec<Entry>,
    /// Where in `entries` a change can still be merged.
    open: FxHashMap<Slot, usize>,
}

impl Journal {
    /// The next place in the order of what the server does: for remote calls that are to be merged with changes.
    pub fn next_order(&mut self) -> u64 {
        self.next_order += 1;
        self.next_order
    }

    /// Whether nothing changed since the last drain.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Takes everything recorded, oldest first.
    pub fn drain(&mut self) -> Vec<Entry> {
        self.open.clear();
        std::mem::take(&mut self.entries)
    }

    /// Adds a change, merging it into an earlier one of the same thing where that shows no difference but the last
    /// value.
    pub fn record(&mut self, audience: Audience, change: Change) {
        if self.merge(&change) {
            return;
        }
        let id = change.id();
        let slot = match &change {
            Change::Create(_) => Some(Slot::Create(id)),
            Change::Property { property, .. } => Some(Slot::Property(id, *property)),
            Change::Attribute { name, .. } => Some(Slot::Attribute(id, name.clone())),
            Change::Tags { .. } => Some(Slot::Tags(id)),
            Change::Parent { .. } | Change::Destroy { .. } => {
                // What comes after a move stays after it.
                self.open.remove(&Slot::Create(id));
                None
            }
        };
        if let Some(slot) = slot {
            self.open.insert(slot, self.entries.len());
        }
        let order = self.next_order();
        self.entries.push(Entry { order, audience, change });
    }

    fn merge(&mut self, change: &Change) -> bool {
        let id = change.id();
        let own = match change {
            Change::Property { property, .. } => Slot::Property(id, *property),
            Change::Attribute { name, .. } => Slot::Attribute(id, name.clone()),
            Change::Tags { .. } => Slot::Tags(id),
            Change::Create(_) | Change::Parent { .. } | Change::Destroy { .. } => return false,
        };
        if let Some(at) = self.open.get(&Slot::Create(id)) {
            if let Change::Create(created) = &mut self.entries[*at].change {
                created.absorb(change);
            }
            return true;
        }
        let Some(at) = self.open.get(&own) else { return false };
        self.entries[*at].change = change.clone();
        true
    }
}

impl Created {
    /// Takes a later change of the same instance in.
    fn absorb(&mut self, change: &Change) {
        match change {
            Change::Property { property, value, .. } if property.name() == "Name" => {
                if let Value::String(name) = value {
                    self.name = String::from_utf8_lossy(name).into();
                }
            }
            Change::Property { property, value, .. } => {
                match self.properties.binary_search_by_key(property, |(other, _)| *other) {
                    Ok(at) => self.properties[at].1 = value.clone(),
                    Err(at) => self.properties.insert(at, (*property, value.clone())),
                }
            }
            Change::Attribute { name, value, .. } => {
                self.attributes.retain(|(other, _)| other != name);
                if let Some(value) = value {
                    let at = self.attributes.partition_point(|(other, _)| other < name);
                    self.attributes.insert(at, (name.clone(), value.clone()));
                }
            }
            Change::Tags { tags, .. } => self.tags.clone_from(tags),
            Change::Create(_) | Change::Parent { .. } | Change::Destroy { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datamodel::classes::known_class;

    const ID: InstanceId = InstanceId(2000);

    fn property(name: &str, value: Value) -> Change {
        Change::Property { id: ID, property: known_class("Part").property(name).unwrap(), value }
    }

    fn recorded(changes: impl IntoIterator<Item = Change>) -> Vec<Change> {
        let mut journal = Journal::default();
        for change in changes {
            journal.record(Audience::Everyone, change);
        }
        journal.drain().into_iter().map(|entry| entry.change).collect()
    }

    #[test]
    fn a_property_leaves_once_with_its_last_value() {
        let parent = Change::Parent { id: ID, parent: None };
        let changes = recorded([
            property("Transparency", 0.1.into()),
            property("Anchored", true.into()),
            parent.clone(),
            property("Transparency", 0.5.into()),
        ]);
        assert_eq!(
            changes,
            [property("Transparency", 0.5.into()), property("Anchored", true.into()), parent]
        );
    }

    #[test]
    fn a_creation_takes_in_what_follows() {
        let mut store = Store::new(true);
        store.insert(ID, known_class("Part"), "Part");
        let created = || Change::Create(Box::new(Created::of(&store, ID).unwrap()));
        let changes = recorded([
            created(),
            property("Name", "Door".into()),
            property("Transparency", 0.5.into()),
            Change::Attribute { id: ID, name: "A".into(), value: Some(true.into()) },
            Change::Tags { id: ID, tags: vec!["T".into()] },
        ]);
        let [Change::Create(made)] = changes.as_slice() else { panic!("{changes:?}") };
        assert_eq!(
            (&*made.name, made.properties.len(), made.attributes.len(), made.tags.len()),
            ("Door", 1, 1, 1)
        );
        let moved = Change::Parent { id: ID, parent: None };
        assert_eq!(recorded([created(), moved, property("Anchored", true.into())]).len(), 3);
    }

    #[test]
    fn order_is_shared_with_remote_calls() {
        let mut journal = Journal::default();
        let call = journal.next_order();
        journal.record(Audience::Everyone, property("Anchored", true.into()));
        let entries = journal.drain();
        assert!(entries[0].order > call && journal.is_empty() && journal.next_order() > entries[0].order);
    }
}
