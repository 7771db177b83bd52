//! The instances of one side: classes, the tree, properties, attributes, tags, and how they are seen from scripts.
//!
//! [`store`] holds the instances and knows no rules. [`tree`], [`properties`], [`attributes`] and [`tags`] are the
//! rules: they change the store, write to the [`journal`] and fire events, in the order the engine does. They borrow
//! the store for a moment only, since a fired handler may run at once and change anything. [`members`] is the one
//! table of what scripts can use; [`dispatch`] answers `x.Name`, `x.Name = y` and `x:Name()` by it.
//! Start at [`DataModel`] and [`members`].

pub mod attributes;
pub mod classes;
pub mod dispatch;
pub mod globals;
pub mod instance;
pub mod journal;
pub mod members;
pub mod messages;
pub mod properties;
pub mod query;
pub mod replication;
pub mod scripts;
pub mod store;
pub mod tags;
pub mod tree;
pub mod values;
pub mod waiting;

#[cfg(test)]
mod tests;

use std::cell::{Cell, Ref, RefCell, RefMut};
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use classes::{ClassId, known_class};
use journal::{Change, Journal};
use members::Callback;
use store::{GAME, Store};

use crate::peer::{Peer, ScriptTree};
use crate::scheduler;
use crate::value::{InstanceId, SignalKey, Value};
use crate::vm::{Atom, Failure, Handle};

/// First number of events that are named at run time: attributes and tags.
const NAMED_EVENTS: u16 = 0x4000;
/// First number of events that are a property's: its id is added.
const PROPERTY_EVENTS: u16 = 0x8000;

/// Services that the engine has before any script asks; a client has those that are replicated.
const SERVICES: [&str; 12] = [
    "Workspace",
    "Players",
    "Lighting",
    "ReplicatedFirst",
    "ReplicatedStorage",
    "ServerScriptService",
    "ServerStorage",
    "StarterGui",
    "StarterPack",
    "StarterPlayer",
    "Teams",
    "SoundService",
];

/// What a peer holds of instances.
pub struct DataModel {
    store: RefCell<Store>,
    /// On the server, what clients have to be told.
    journal: Option<RefCell<Journal>>,
    /// Names of events that scripts asked for, by number.
    names: RefCell<Names>,
    /// Functions assigned to callbacks, by instance and name.
    callbacks: RefCell<FxHashMap<(InstanceId, &'static str), Callback>>,
    stubs: RefCell<FxHashMap<(ClassId, Atom), Handle>>,
    has_stubs: Cell<bool>,
    waiting: RefCell<waiting::Waiting>,
    scripts: RefCell<scripts::Scripts>,
    /// On a client, what the test took away from it.
    hidden: RefCell<FxHashSet<InstanceId>>,
    /// Events that never fire by themselves and that scripts asked for: class and name.
    silent: RefCell<FxHashSet<(&'static str, &'static str)>>,
    extras: RefCell<crate::services::Extras>,
}

#[derive(Default)]
struct Names {
    ids: FxHashMap<Rc<str>, u16>,
    list: Vec<Rc<str>>,
}

impl DataModel {
    /// A tree of `game` and the services that are always there.
    pub fn new(is_server: bool) -> DataModel {
        let store = Store::new(is_server);
        DataModel::with_store(store)
    }

    /// The same over a tree made before: a fixture's, cloned for a world. Services that it lacks are added.
    pub fn with_store(mut store: Store) -> DataModel {
        for class in SERVICES.map(known_class) {
            if store.is_server() || !class.is_not_replicated() {
                tree::make_single(&mut store, class, GAME);
            }
        }
        if !store.is_server() {
            tree::make_camera(&mut store);
        }

        let journal = store.is_server().then(RefCell::default);
        DataModel {
            store: RefCell::new(store),
            journal,
            names: RefCell::default(),
            callbacks: RefCell::default(),
            stubs: RefCell::default(),
            has_stubs: Cell::new(false),
            waiting: RefCell::default(),
            scripts: RefCell::default(),
            hidden: RefCell::default(),
            silent: RefCell::default(),
            extras: RefCell::default(),
        }
    }

    /// The tree, to be read. Give it back before anything may run a script.
    pub fn store(&self) -> Ref<'_, Store> {
        self.store.borrow()
    }

    /// The tree, to be changed without events or journal: for loading, before any script runs.
    pub fn store_mut(&self) -> RefMut<'_, Store> {
        self.store.borrow_mut()
    }

    /// Whether this is the server's.
    pub fn is_server(&self) -> bool {
        self.journal.is_some()
    }

    /// The journal of a server.
    pub fn journal(&self) -> Option<RefMut<'_, Journal>> {
        self.journal.as_ref().map(RefCell::borrow_mut)
    }

    /// State of single services that is neither a property nor an instance.
    pub fn extras(&self) -> RefMut<'_, crate::services::Extras> {
        self.extras.borrow_mut()
    }

    /// Writes a change down if clients have to know it.
    fn note(&self, id: InstanceId, change: impl FnOnce(&Store) -> Option<Change>) {
        let Some(journal) = &self.journal else { return };
        let store = self.store.borrow();
        if let Some(audience) = replication::audience(&store, id)
            && let Some(change) = change(&store)
        {
            journal.borrow_mut().record(audience, change);
        }
    }

    /// The service of a class, made if it is not there yet. `None` for a class that is no service.
    pub fn service(&self, class: ClassId) -> Option<InstanceId> {
        if class == known_class("DataModel") {
            return Some(GAME);
        }
        if !class.is_service() {
            return None;
        }
        let existing = self.store.borrow().service(class);
        if existing.is_some() {
            return existing;
        }
        let id = tree::make_single(&mut self.store.borrow_mut(), class, GAME);
        self.note(id, |store| {
            journal::Created::of(store, id).map(|created| Change::Create(Box::new(created)))
        });
        Some(id)
    }

    /// [`Self::service`] by the name of a class that is surely a service.
    pub fn known_service(&self, class: &str) -> InstanceId {
        self.service(known_class(class)).unwrap_or(GAME)
    }

    /// The number of an event that is named at run time, the same for the same name.
    fn named_event(&self, name: &str) -> u16 {
        let mut names = self.names.borrow_mut();
        if let Some(id) = names.ids.get(name) {
            return *id;
        }
        // With 16 384 names the last number is shared: such signals fire too often, which no script relies on.
        let index = names.list.len().min(usize::from(PROPERTY_EVENTS - NAMED_EVENTS) - 1);
        let id = NAMED_EVENTS + index as u16;
        let name: Rc<str> = name.into();
        names.ids.insert(name.clone(), id);
        names.list.push(name);
        id
    }

    /// `GetPropertyChangedSignal`.
    pub fn property_signal(&self, instance: InstanceId, property: classes::PropertyId) -> SignalKey {
        SignalKey { instance, event: PROPERTY_EVENTS | property.info().stored_as.0 }
    }

    /// `GetAttributeChangedSignal`.
    pub fn attribute_signal(&self, instance: InstanceId, attribute: &str) -> SignalKey {
        SignalKey { instance, event: self.named_event(attribute) }
    }

    /// `CollectionService:GetInstanceAddedSignal`.
    pub fn tag_added_signal(&self, tag: &str) -> SignalKey {
        // No attribute is called so: the signs are not allowed in one.
        let event = self.named_event(&format!("+{tag}"));
        SignalKey { instance: store::single_id(known_class("CollectionService")), event }
    }

    /// `CollectionService:GetInstanceRemovedSignal`.
    pub fn tag_removed_signal(&self, tag: &str) -> SignalKey {
        let event = self.named_event(&format!("-{tag}"));
        SignalKey { instance: store::single_id(known_class("CollectionService")), event }
    }

    /// The signal of messages to an Actor about a topic.
    pub fn message_signal(&self, actor: InstanceId, topic: &str) -> SignalKey {
        // No attribute and no tag is numbered so: the sign is not allowed in one, nor in front of the other.
        SignalKey { instance: actor, event: self.named_event(&format!("@{topic}")) }
    }

    /// Whether nobody has asked for this event before, which never fires by itself.
    pub fn is_first_use(&self, event: &members::EngineMember) -> bool {
        self.silent.borrow_mut().insert((event.class, event.name))
    }

    /// A signal's name for messages: `BindableEvent.Event`.
    pub fn signal_name(&self, key: SignalKey) -> String {
        let class = self.store.borrow().class(key.instance).name();
        let event = match key.event {
            0..NAMED_EVENTS => members::event_name(key.event).to_owned(),
            NAMED_EVENTS..PROPERTY_EVENTS => {
                let names = self.names.borrow();
                names
                    .list
                    .get(usize::from(key.event - NAMED_EVENTS))
                    .map_or_else(String::new, |name| name.to_string())
            }
            _ => classes::PropertyId(key.event - PROPERTY_EVENTS).name().to_owned(),
        };
        format!("{class}.{event}")
    }

    /// The function assigned to a callback.
    pub fn callback(&self, instance: InstanceId, name: &'static str) -> Option<Callback> {
        self.callbacks.borrow().get(&(instance, name)).cloned()
    }

    fn set_callback(&self, instance: InstanceId, name: &'static str, function: Option<Callback>) {
        let mut callbacks = self.callbacks.borrow_mut();
        match function {
            Some(function) => callbacks.insert((instance, name), function),
            None => callbacks.remove(&(instance, name)),
        };
    }

    /// Puts `function` in the place of a member of a class and of what extends it: `None` takes it away again.
    ///
    /// A stub is called as a method, with the instance first. Errors: the text for a class that does not exist.
    pub fn set_stub(&self, class: &str, member: &str, function: Option<Handle>) -> Result<(), String> {
        let id = classes::class_by_name(class).ok_or_else(|| format!("there is no class called {class}"))?;
        let member = members::name_atom(member);
        let mut stubs = self.stubs.borrow_mut();
        match function {
            Some(function) => stubs.insert((id, member), function),
            None => stubs.remove(&(id, member)),
        };
        self.has_stubs.set(!stubs.is_empty());
        Ok(())
    }

    /// The stub in the place of a member, the nearest class first.
    fn stub(&self, class: ClassId, member: Atom) -> Option<Handle> {
        if !self.has_stubs.get() {
            return None;
        }
        let stubs = self.stubs.borrow();
        class.lineage().find_map(|class| stubs.get(&(class, member)).cloned())
    }
}

/// Gives a peer its instances: types, globals, and the tree its scripts are in. Once, while the peer is set up.
pub fn install(peer: &Rc<Peer>, model: Rc<DataModel>) -> Result<(), Failure> {
    peer.set_tree(model.clone());
    if peer.model.set(model).is_err() {
        return Err(Failure::text("the peer has a data model already"));
    }
    furnish(peer)?;
    peer.log.listen(|peer, line| crate::services::log_service::line_written(peer, line.level, &line.text));
    Ok(())
}

/// Gives a VM what scripts see of instances.
fn furnish(peer: &Rc<Peer>) -> Result<(), Failure> {
    dispatch::register(&peer.vm)?;
    peer.vm.enter(|cx| {
        globals::register(cx);
        Ok(())
    })
}

/// The peer a script runs on: of the Actor it is in, made at its first script, or of the side.
pub fn peer_of_script(peer: &Rc<Peer>, script: InstanceId) -> Result<Rc<Peer>, Failure> {
    peer.peer_of_script(script, |actor| {
        crate::datatypes::install(&actor.vm)?;
        furnish(actor)
    })
}

impl Peer {
    /// Its instances.
    ///
    /// Panics before [`install`], when nothing that a script can reach needs them.
    pub fn data_model(&self) -> &DataModel {
        self.model.get().expect("a peer has a data model before its scripts run")
    }

    /// Fires a signal with these arguments.
    pub(crate) fn fire(&self, key: SignalKey, arguments: &[Value]) {
        if self.signals.has_listeners(key) {
            scheduler::fire(&self.rc(), key, arguments);
        }
    }
}

impl ScriptTree for DataModel {
    fn source_of(&self, id: InstanceId) -> Option<Arc<str>> {
        let store = self.store.borrow();
        let property = store.class(id).property("Source")?;
        match properties::get(&store, id, property) {
            Value::String(source) => Some(String::from_utf8_lossy(&source).into()),
            _ => None,
        }
    }

    fn full_name(&self, id: InstanceId) -> String {
        self.store.borrow().full_name(id)
    }

    fn is_module(&self, id: InstanceId) -> bool {
        self.store.borrow().class(id) == known_class("ModuleScript")
    }

    fn is_actor(&self, id: InstanceId) -> bool {
        self.store.borrow().class(id) == known_class("Actor")
    }

    fn allows_loadstring(&self) -> bool {
        let store = self.store.borrow();
        let service = store.service(known_class("ServerScriptService"));
        let allowed = service.map(|id| properties::get_by_name(&store, id, "LoadStringEnabled"));
        allowed == Some(Value::Boolean(true))
    }

    fn parent(&self, id: InstanceId) -> Option<InstanceId> {
        self.store.borrow().parent(id)
    }

    fn child(&self, id: InstanceId, name: &str) -> Option<InstanceId> {
        self.store.borrow().find_child(id, name)
    }

    fn root(&self) -> Option<InstanceId> {
        Some(GAME)
    }

    fn signal_name(&self, key: SignalKey) -> String {
        DataModel::signal_name(self, key)
    }
}
