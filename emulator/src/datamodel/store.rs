//! The tree of one side: instances by id, with no knowledge of VMs, signals or rules.
//!
//! Every change here is silent. Rules and events are in [`super::tree`], [`super::properties`] and their neighbours,
//! which borrow the store for a moment and never while a handler may run.
//!
//! **Ids.** `1` is `game`. The service (or other single instance) of class `c` is `c + 2` on every side, made or not.
//! Instances of the server count up from [`FIRST_ID`]; those a client makes have [`LOCAL_BIT`] set. An instance that
//! came from the server has the server's id. Ids are never used twice.

use std::rc::Rc;

use super::classes::{ClassId, PropertyId, known_class};
use crate::value::{InstanceId, Value};

/// A shared piece of text.
pub type Name = Rc<str>;

/// `game`, on every side.
pub const GAME: InstanceId = InstanceId(1);
/// The first id an instance can have that is neither `game` nor single of its class.
pub const FIRST_ID: u32 = 1024;
/// Set in the ids of instances that a client made.
pub const LOCAL_BIT: u32 = 1 << 31;

/// The id of the only instance of `class`, a service or one such as `StarterPlayerScripts`.
pub fn single_id(class: ClassId) -> InstanceId {
    InstanceId(u32::from(class.0) + 2)
}

/// One instance.
#[derive(Debug, Clone)]
pub struct Instance {
    /// Its class.
    pub class: ClassId,
    /// Its `Name`.
    pub name: Name,
    /// The instance it is in.
    pub parent: Option<InstanceId>,
    /// What is in it, in order of arrival.
    pub children: Vec<InstanceId>,
    /// `Destroy` was called on it or on an ancestor.
    pub destroyed: bool,
    /// Its `Parent` cannot be set any more.
    pub locked: bool,
    /// Properties that were set, by id. What is not here has its default.
    properties: Vec<(PropertyId, Value)>,
    /// Attributes in alphabetical order.
    attributes: Vec<(Name, Value)>,
    /// Tags in order of arrival.
    tags: Vec<Name>,
}

impl Instance {
    /// Properties that were set, by id.
    pub fn properties(&self) -> &[(PropertyId, Value)] {
        &self.properties
    }

    /// Attributes in alphabetical order.
    pub fn attributes(&self) -> &[(Name, Value)] {
        &self.attributes
    }

    /// Tags in order of arrival.
    pub fn tags(&self) -> &[Name] {
        &self.tags
    }

    /// The value of a property that was set.
    pub fn property(&self, id: PropertyId) -> Option<&Value> {
        let at = self.properties.binary_search_by_key(&id, |(other, _)| *other).ok()?;
        Some(&self.properties[at].1)
    }

    /// The value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&Value> {
        let at = self.attributes.binary_search_by(|(other, _)| (**other).cmp(name)).ok()?;
        Some(&self.attributes[at].1)
    }

    /// Whether it has the tag.
    pub fn has_tag(&self, tag: &str) -> bool {
        self.tags.iter().any(|other| &**other == tag)
    }
}

/// The instances of one side.
#[derive(Debug, Clone)]
pub struct Store {
    is_server: bool,
    /// By id, those of the server and the single ones.
    shared: Vec<Option<Instance>>,
    /// By id without [`LOCAL_BIT`].
    local: Vec<Option<Instance>>,
    /// Instances of each tag, wherever they are, in order of arrival; sorted by tag.
    tagged: Vec<(Name, Vec<InstanceId>)>,
}

impl Store {
    /// A tree of nothing but `game`.
    pub fn new(is_server: bool) -> Store {
        let mut store = Store { is_server, shared: Vec::new(), local: Vec::new(), tagged: Vec::new() };
        store.shared.resize_with(FIRST_ID as usize, || None);
        store.insert(GAME, known_class("DataModel"), "Game");
        store
    }

    /// Whether it is the server's.
    pub fn is_server(&self) -> bool {
        self.is_server
    }

    fn slot(&self, id: InstanceId) -> Option<&Instance> {
        if id.0 & LOCAL_BIT == 0 {
            self.shared.get(id.0 as usize)?.as_ref()
        } else {
            self.local.get((id.0 & !LOCAL_BIT) as usize)?.as_ref()
        }
    }

    /// The instance, if this side has or had it. Destroyed ones are still here.
    pub fn get(&self, id: InstanceId) -> Option<&Instance> {
        self.slot(id)
    }

    /// The instance, to be changed silently.
    pub fn get_mut(&mut self, id: InstanceId) -> Option<&mut Instance> {
        if id.0 & LOCAL_BIT == 0 {
            self.shared.get_mut(id.0 as usize)?.as_mut()
        } else {
            self.local.get_mut((id.0 & !LOCAL_BIT) as usize)?.as_mut()
        }
    }

    /// Makes an instance of `class` with its defaults and no parent. A single class has its own id and is made once.
    pub fn create(&mut self, class: ClassId) -> InstanceId {
        let id = if self.is_server {
            InstanceId(self.shared.len() as u32)
        } else {
            InstanceId(self.local.len() as u32 | LOCAL_BIT)
        };
        self.insert(id, class, class.name());
        id
    }

    /// Makes an instance under an id that was given elsewhere: a service's, or the server's on a client.
    ///
    /// Nothing happens if the id is taken.
    pub fn insert(&mut self, id: InstanceId, class: ClassId, name: &str) {
        let list = if id.0 & LOCAL_BIT == 0 { &mut self.shared } else { &mut self.local };
        let index = (id.0 & !LOCAL_BIT) as usize;
        if list.len() <= index {
            list.resize_with(index + 1, || None);
        }
        list[index].get_or_insert_with(|| Instance {
            class,
            name: name.into(),
            parent: None,
            children: Vec::new(),
            destroyed: false,
            locked: false,
            properties: Vec::new(),
            attributes: Vec::new(),
            tags: Vec::new(),
        });
    }

    /// Instances made so far, destroyed ones too: their places are never used again.
    pub fn count(&self) -> usize {
        self.shared.len() + self.local.len()
    }

    /// Every instance of this side in order of id, destroyed ones too.
    pub fn ids(&self) -> impl Iterator<Item = InstanceId> {
        let list = |instances: &[Option<Instance>], bit: u32| {
            let taken = instances.iter().enumerate().filter(|(_, slot)| slot.is_some());
            taken.map(|(index, _)| InstanceId(index as u32 | bit)).collect::<Vec<_>>()
        };
        list(&self.shared, 0).into_iter().chain(list(&self.local, LOCAL_BIT))
    }

    /// The class of an instance; that of `game` for an id this side does not know.
    pub fn class(&self, id: InstanceId) -> ClassId {
        self.slot(id).map_or_else(|| known_class("DataModel"), |instance| instance.class)
    }

    /// Its name; empty for an id this side does not know.
    pub fn name(&self, id: InstanceId) -> Name {
        self.slot(id).map_or_else(|| "".into(), |instance| instance.name.clone())
    }

    /// The instance it is in.
    pub fn parent(&self, id: InstanceId) -> Option<InstanceId> {
        self.slot(id)?.parent
    }

    /// What is in it, in order of arrival.
    pub fn children(&self, id: InstanceId) -> &[InstanceId] {
        self.slot(id).map_or(&[], |instance| &instance.children)
    }

    /// Moves an instance, to the end of its new parent's children. Checks nothing.
    pub fn set_parent(&mut self, id: InstanceId, parent: Option<InstanceId>) {
        let old = self.parent(id);
        if let Some(old) = old.and_then(|old| self.get_mut(old))
            && let Some(at) = old.children.iter().rposition(|child| *child == id)
        {
            old.children.remove(at);
        }
        if let Some(instance) = self.get_mut(id) {
            instance.parent = parent;
        }
        if let Some(new) = parent.and_then(|new| self.get_mut(new)) {
            new.children.push(id);
        }
    }

    /// Everything below `id`, depth first, parents before children.
    pub fn descendants(&self, id: InstanceId) -> Vec<InstanceId> {
        let mut found = Vec::new();
        // A stack of our own: a script may nest instances as deep as it likes.
        let mut pending: Vec<_> = self.children(id).iter().rev().copied().collect();
        while let Some(next) = pending.pop() {
            found.push(next);
            pending.extend(self.children(next).iter().rev());
        }
        found
    }

    /// The parents of `id`, nearest first.
    pub fn ancestors(&self, id: InstanceId) -> impl Iterator<Item = InstanceId> {
        std::iter::successors(self.parent(id), |next| self.parent(*next))
    }

    /// Whether `id` is somewhere below `ancestor`. No instance is below itself.
    pub fn is_descendant_of(&self, id: InstanceId, ancestor: InstanceId) -> bool {
        self.ancestors(id).any(|other| other == ancestor)
    }

    /// Whether it is `game` or below it.
    pub fn in_game(&self, id: InstanceId) -> bool {
        id == GAME || self.is_descendant_of(id, GAME)
    }

    /// The first child called `name`.
    pub fn find_child(&self, id: InstanceId, name: &str) -> Option<InstanceId> {
        self.children(id)
            .iter()
            .copied()
            .find(|child| self.slot(*child).is_some_and(|found| &*found.name == name))
    }

    /// Names from the outermost ancestor inward, joined by dots, without `game`.
    pub fn full_name(&self, id: InstanceId) -> String {
        let mut names: Vec<Name> = vec![self.name(id)];
        names.extend(self.ancestors(id).filter(|other| *other != GAME).map(|other| self.name(other)));
        names.reverse();
        names.join(".")
    }

    /// Sets a property's own value. Returns whether it is another than before, so a first one always.
    pub fn set_property(&mut self, id: InstanceId, property: PropertyId, value: Value) -> bool {
        let Some(instance) = self.get_mut(id) else { return false };
        match instance.properties.binary_search_by_key(&property, |(other, _)| *other) {
            Ok(at) if instance.properties[at].1 == value => false,
            Ok(at) => {
                instance.properties[at].1 = value;
                true
            }
            Err(at) => {
                instance.properties.insert(at, (property, value));
                true
            }
        }
    }

    /// Sets an attribute, or removes it with `None`. Returns whether that changed anything.
    pub fn set_attribute(&mut self, id: InstanceId, name: &str, value: Option<Value>) -> bool {
        let Some(instance) = self.get_mut(id) else { return false };
        let found = instance.attributes.binary_search_by(|(other, _)| (**other).cmp(name));
        match (found, value) {
            (Ok(at), Some(value)) if instance.attributes[at].1 == value => false,
            (Ok(at), Some(value)) => {
                instance.attributes[at].1 = value;
                true
            }
            (Ok(at), None) => {
                instance.attributes.remove(at);
                true
            }
            (Err(at), Some(value)) => {
                instance.attributes.insert(at, (name.into(), value));
                true
            }
            (Err(_), None) => false,
        }
    }

    /// Adds a tag. Returns whether it was not there yet.
    pub fn add_tag(&mut self, id: InstanceId, tag: &str) -> bool {
        let Some(instance) = self.get_mut(id) else { return false };
        if instance.has_tag(tag) {
            return false;
        }
        let name: Name = tag.into();
        instance.tags.push(name.clone());
        match self.tagged.binary_search_by(|(other, _)| (**other).cmp(tag)) {
            Ok(at) => self.tagged[at].1.push(id),
            Err(at) => self.tagged.insert(at, (name, vec![id])),
        }
        true
    }

    /// Removes a tag. Returns whether it was there.
    pub fn remove_tag(&mut self, id: InstanceId, tag: &str) -> bool {
        let Some(instance) = self.get_mut(id) else { return false };
        let before = instance.tags.len();
        instance.tags.retain(|other| &**other != tag);
        if instance.tags.len() == before {
            return false;
        }
        if let Ok(at) = self.tagged.binary_search_by(|(other, _)| (**other).cmp(tag)) {
            self.tagged[at].1.retain(|other| *other != id);
            if self.tagged[at].1.is_empty() {
                self.tagged.remove(at);
            }
        }
        true
    }

    /// Instances with the tag that are under `game`, in order of tagging.
    pub fn tagged(&self, tag: &str) -> Vec<InstanceId> {
        match self.tagged.binary_search_by(|(other, _)| (**other).cmp(tag)) {
            Ok(at) => self.tagged[at].1.iter().copied().filter(|id| self.in_game(*id)).collect(),
            Err(_) => Vec::new(),
        }
    }

    /// Tags that at least one instance under `game` has, in alphabetical order.
    pub fn all_tags(&self) -> Vec<Name> {
        let used = |ids: &[InstanceId]| ids.iter().any(|id| self.in_game(*id));
        self.tagged.iter().filter(|(_, ids)| used(ids)).map(|(tag, _)| tag.clone()).collect()
    }

    /// The service of that class, if this side has made it.
    pub fn service(&self, class: ClassId) -> Option<InstanceId> {
        let id = single_id(class);
        self.slot(id).is_some().then_some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(store: &mut Store, name: &str, parent: InstanceId) -> InstanceId {
        let id = store.create(known_class("Folder"));
        store.get_mut(id).unwrap().name = name.into();
        store.set_parent(id, Some(parent));
        id
    }

    #[test]
    fn ids_tell_who_made_an_instance() {
        let mut server = Store::new(true);
        assert_eq!(server.create(known_class("Folder")), InstanceId(FIRST_ID));
        let mut client = Store::new(false);
        assert_eq!(client.create(known_class("Folder")), InstanceId(LOCAL_BIT));
        client.insert(InstanceId(5000), known_class("Part"), "Replicated");
        assert_eq!(&*client.name(InstanceId(5000)), "Replicated");
        assert_eq!(client.create(known_class("Folder")), InstanceId(LOCAL_BIT | 1));
    }

    #[test]
    fn children_keep_their_order_of_arrival() {
        let mut store = Store::new(true);
        let [a, b, c] = ["A", "B", "C"].map(|name| folder(&mut store, name, GAME));
        let inner = folder(&mut store, "Inner", a);
        store.set_parent(a, None);
        assert_eq!(store.children(GAME), [b, c]);
        store.set_parent(a, Some(GAME));
        assert_eq!(store.children(GAME), [b, c, a]);
        assert_eq!(store.descendants(GAME), [b, c, a, inner]);
        assert!(store.is_descendant_of(inner, GAME) && !store.is_descendant_of(GAME, GAME));
        assert_eq!(store.full_name(inner), "A.Inner");
        assert_eq!(store.full_name(GAME), "Game");
        assert_eq!(store.find_child(a, "Inner"), Some(inner));
    }

    #[test]
    fn only_differences_are_changes() {
        let mut store = Store::new(true);
        let part = store.create(known_class("Part"));
        let anchored = known_class("Part").property("Anchored").unwrap();
        assert!(store.set_property(part, anchored, Value::Boolean(true)));
        assert!(!store.set_property(part, anchored, Value::Boolean(true)));
        assert!(store.set_attribute(part, "b", Some(Value::Boolean(true))));
        assert!(store.set_attribute(part, "a", Some(Value::Boolean(true))));
        assert!(!store.set_attribute(part, "b", Some(Value::Boolean(true))));
        let names: Vec<_> =
            store.get(part).unwrap().attributes().iter().map(|(name, _)| name.to_string()).collect();
        assert_eq!(names, ["a", "b"]);
        assert!(store.set_attribute(part, "b", None) && !store.set_attribute(part, "b", None));
    }

    #[test]
    fn tags_count_only_under_game() {
        let mut store = Store::new(true);
        let part = store.create(known_class("Part"));
        assert!(store.add_tag(part, "Door") && !store.add_tag(part, "Door"));
        assert!(store.tagged("Door").is_empty() && store.all_tags().is_empty());
        store.set_parent(part, Some(GAME));
        assert_eq!(store.tagged("Door"), [part]);
        assert!(store.remove_tag(part, "Door") && !store.remove_tag(part, "Door"));
        assert!(store.tagged("Door").is_empty());
    }

    #[test]
    fn a_clone_is_apart_from_its_original() {
        let mut store = Store::new(true);
        let a = folder(&mut store, "A", GAME);
        let copy = store.clone();
        store.set_parent(a, None);
        assert_eq!(copy.children(GAME), [a]);
    }
}
