//! Signals: connections of one peer, and firing them. Source: Roblox behaviour, 3.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::deferred::{Job, next_depth, push, push_phase};
use crate::peer::Peer;
use crate::shared::{LogLevel, SignalMode, SignalOrder};
use crate::value::{ConnectionId, InstanceId, SignalKey, Value};
use crate::vm::{Failure, Handle, Parked};

/// Nested fires under immediate signals before the engine gives up. Luau's own limit of nested calls would come later.
const IMMEDIATE_DEPTH: u32 = 80;

/// One connection.
pub(super) struct Connection {
    id: ConnectionId,
    key: SignalKey,
    handler: Handler,
    /// The script run that connected.
    owner: u32,
    once: bool,
    /// Whether the handler starts in the parallel phase.
    parallel: bool,
    state: Cell<State>,
    /// Where its function is defined, once somebody wanted to know.
    place: OnceCell<Rc<HandlerPlace>>,
}

/// Where a handler is in its sources.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HandlerPlace {
    /// Full name of the script that holds it; empty when unknown.
    pub script: Rc<str>,
    /// The line at which it begins, or at which the thread waits; 0 when unknown.
    pub line: u32,
}

impl HandlerPlace {
    /// The place of a function.
    pub fn of(peer: &Peer, function: &Handle) -> HandlerPlace {
        let (script, line) = peer.vm.defined_at(function).unwrap_or_default();
        HandlerPlace { script: script.into(), line }
    }

    /// The place at which a thread waits.
    fn of_waiting(peer: &Peer, parked: &Parked) -> HandlerPlace {
        let (position, _) = peer.vm.trace(parked.thread());
        let place = position.trim_end_matches(": ").rsplit_once(':');
        let (script, line) = place.unwrap_or_default();
        HandlerPlace { script: script.into(), line: line.parse().unwrap_or(0) }
    }
}

/// Told of the handlers that a fire runs.
pub trait HandlerWatch {
    /// A handler begins. The number given comes back with its end.
    fn begins(&self, place: &HandlerPlace) -> usize;

    /// A handler has ended, by itself or with an error. One that never ends is never spoken of.
    fn ended(&self, number: usize, failure: Option<&Failure>);
}

/// A watch, if anybody watches.
pub(super) type Watch = Option<Rc<dyn HandlerWatch>>;

enum Handler {
    Script(Handle),
    /// A thread in `Wait`.
    Waiting(Parked),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Connected,
    /// Gets no new fires; what is queued for it still runs.
    Severed,
    /// Nothing runs for it any more.
    Disconnected,
}

type ConnectHook = Rc<dyn Fn(&Rc<Peer>, SignalKey)>;

/// The connections of one peer.
#[derive(Default)]
pub struct Signals {
    /// By instance, then event; connections in the order they were made.
    by_instance: RefCell<FxHashMap<InstanceId, Vec<Event>>>,
    by_id: RefCell<FxHashMap<ConnectionId, Rc<Connection>>>,
    last: Cell<u64>,
    shuffle: RefCell<Option<crate::shared::Random>>,
    hooks: RefCell<Vec<ConnectHook>>,
}

struct Event {
    event: u16,
    connections: Vec<Rc<Connection>>,
}

impl Signals {
    /// Connects a script's function on behalf of script run `owner`.
    pub fn connect(&self, key: SignalKey, function: Handle, owner: u32) -> ConnectionId {
        self.add(key, Handler::Script(function), owner, false, false)
    }

    /// Connects a script's function that starts in the parallel phase.
    pub fn connect_parallel(&self, key: SignalKey, function: Handle, owner: u32) -> ConnectionId {
        self.add(key, Handler::Script(function), owner, false, true)
    }

    /// Connects a script's function for one call.
    pub fn once(&self, key: SignalKey, function: Handle, owner: u32) -> ConnectionId {
        self.add(key, Handler::Script(function), owner, true, false)
    }

    /// Has a parked thread resumed by the next fire.
    pub fn wait(&self, key: SignalKey, parked: Parked) {
        self.add(key, Handler::Waiting(parked), 0, true, false);
    }

    fn add(&self, key: SignalKey, handler: Handler, owner: u32, once: bool, parallel: bool) -> ConnectionId {
        let id = ConnectionId(self.last.get() + 1);
        self.last.set(id.0);
        let state = Cell::new(State::Connected);
        let place = OnceCell::new();
        let connection = Rc::new(Connection { id, key, handler, owner, once, parallel, state, place });
        self.by_id.borrow_mut().insert(id, connection.clone());
        let mut by_instance = self.by_instance.borrow_mut();
        let events = by_instance.entry(key.instance).or_default();
        match events.iter_mut().find(|event| event.event == key.event) {
            Some(event) => event.connections.push(connection),
            None => events.push(Event { event: key.event, connections: vec![connection] }),
        }
        id
    }

    /// Whether a connection still gets fires.
    pub fn is_connected(&self, id: ConnectionId) -> bool {
        self.by_id.borrow().contains_key(&id)
    }

    /// Disconnects. Invocations queued for it are dropped. Does nothing the second time.
    pub fn disconnect(&self, id: ConnectionId) {
        let connection = self.by_id.borrow_mut().remove(&id);
        if let Some(connection) = connection {
            self.remove(&connection, State::Disconnected);
        }
    }

    fn remove(&self, connection: &Rc<Connection>, state: State) {
        connection.state.set(state);
        self.by_id.borrow_mut().remove(&connection.id);
        let mut by_instance = self.by_instance.borrow_mut();
        let Some(events) = by_instance.get_mut(&connection.key.instance) else { return };
        if let Some(at) = events.iter().position(|event| event.event == connection.key.event) {
            events[at].connections.retain(|other| !Rc::ptr_eq(other, connection));
            if events[at].connections.is_empty() {
                events.remove(at);
            }
        }
        if events.is_empty() {
            by_instance.remove(&connection.key.instance);
        }
    }

    /// Drops all connections of an instance, as its destruction does: no new fires, but what is queued still runs.
    pub fn sever(&self, instance: InstanceId) {
        let events = self.by_instance.borrow_mut().remove(&instance).unwrap_or_default();
        for connection in events.into_iter().flat_map(|event| event.connections) {
            connection.state.set(State::Severed);
            self.by_id.borrow_mut().remove(&connection.id);
        }
    }

    /// Disconnects everything connected by these script runs.
    pub fn disconnect_owned(&self, owners: &[u32]) {
        let mut owned: Vec<ConnectionId> = {
            let by_id = self.by_id.borrow();
            by_id.values().filter(|connection| owners.contains(&connection.owner)).map(|c| c.id).collect()
        };
        owned.sort();
        for id in owned {
            self.disconnect(id);
        }
    }

    /// How many connections and waiting threads a signal has.
    pub fn count(&self, key: SignalKey) -> usize {
        let by_instance = self.by_instance.borrow();
        let events = by_instance.get(&key.instance);
        events
            .and_then(|events| events.iter().find(|event| event.event == key.event))
            .map_or(0, |event| event.connections.len())
    }

    /// Whether anyone would notice a fire. Cheap: ask before building arguments.
    pub fn has_listeners(&self, key: SignalKey) -> bool {
        self.count(key) > 0
    }

    /// All live connections in the order they were made, with their signal and the script run that made them.
    pub fn list(&self) -> Vec<(ConnectionId, SignalKey, u32)> {
        let mut list: Vec<_> = self
            .by_id
            .borrow()
            .values()
            .map(|connection| (connection.id, connection.key, connection.owner))
            .collect();
        list.sort();
        list
    }

    /// Threads in `Wait`, in the order they came.
    pub(super) fn waiting(&self) -> Vec<(SignalKey, Parked)> {
        let by_id = self.by_id.borrow();
        let mut waiting: Vec<_> = by_id
            .values()
            .filter_map(|connection| match &connection.handler {
                Handler::Waiting(parked) => Some((connection.id, connection.key, parked.clone())),
                Handler::Script(_) => None,
            })
            .collect();
        waiting.sort_by_key(|(id, ..)| *id);
        waiting.into_iter().map(|(_, key, parked)| (key, parked)).collect()
    }

    /// Has `hook` called after each `Connect`, `Once` and `Wait` of a script.
    pub fn on_connect(&self, hook: impl Fn(&Rc<Peer>, SignalKey) + 'static) {
        self.hooks.borrow_mut().push(Rc::new(hook));
    }

    pub(super) fn connected(&self, peer: &Rc<Peer>, key: SignalKey) {
        let hooks = self.hooks.borrow().clone();
        for hook in hooks {
            hook(peer, key);
        }
    }

    /// Connections in the order a fire runs them.
    fn ordered(&self, peer: &Peer, key: SignalKey) -> Vec<Rc<Connection>> {
        let mut list = {
            let by_instance = self.by_instance.borrow();
            let Some(events) = by_instance.get(&key.instance) else { return Vec::new() };
            match events.iter().find(|event| event.event == key.event) {
                Some(event) => event.connections.clone(),
                None => return Vec::new(),
            }
        };
        match peer.shared.settings.signal_order {
            SignalOrder::Oldest => {}
            SignalOrder::Newest => list.reverse(),
            SignalOrder::Shuffled => self
                .shuffle
                .borrow_mut()
                .get_or_insert_with(|| peer.shared.schedule().random(&format!("handlers of {}", peer.side)))
                .shuffle(&mut list),
        }
        list
    }
}

/// Fires a signal: runs its handlers now or defers them, as the world's signal mode says.
///
/// Arguments are shared by all handlers; each gets its own copy of tables and buffers among them.
pub fn fire(peer: &Rc<Peer>, key: SignalKey, arguments: impl Into<Rc<[Value]>>) {
    run(peer, key, arguments.into(), None);
}

/// As [`fire`]; `watch` is told of the scripts' handlers.
pub fn fire_watched(
    peer: &Rc<Peer>,
    key: SignalKey,
    arguments: impl Into<Rc<[Value]>>,
    watch: Rc<dyn HandlerWatch>,
) {
    run(peer, key, arguments.into(), Some(watch));
}

fn run(peer: &Rc<Peer>, key: SignalKey, arguments: Rc<[Value]>, watch: Watch) {
    let connections = peer.signals.ordered(peer, key);
    if connections.is_empty() {
        return;
    }
    match peer.shared.settings.signals {
        SignalMode::Immediate => {
            let depth = peer.scheduler.depth.get() + 1;
            if depth > IMMEDIATE_DEPTH {
                let text =
                    format!("Maximum event re-entrancy depth exceeded for {}", peer.tree().signal_name(key));
                peer.write(LogLevel::Error, text, None);
                return;
            }
            for connection in connections {
                if connection.parallel || peer.scheduler.is_parallel() {
                    // In a parallel phase, serial handlers wait for its end.
                    let parallel = connection.parallel;
                    let (arguments, watch) = (arguments.clone(), watch.clone());
                    push_phase(peer, parallel, Job::Invoke { connection, arguments, depth, watch });
                } else if connection.state.get() == State::Connected {
                    invoke(peer, &connection, &arguments, depth, &watch);
                }
            }
        }
        SignalMode::Deferred => {
            let Some(depth) = next_depth(peer, || peer.tree().signal_name(key)) else { return };
            for connection in connections {
                match &connection.handler {
                    Handler::Waiting(parked) => {
                        // Only the first fire counts, however many come before it runs.
                        peer.signals.remove(&connection, State::Disconnected);
                        note_waiting(peer, parked, &watch);
                        if peer.shared.settings.wait_immediate {
                            peer.scheduler.at_depth(depth, || peer.resume(parked, &arguments));
                        } else {
                            push(
                                peer,
                                Job::Wake { parked: parked.clone(), values: arguments.clone(), depth },
                            );
                        }
                    }
                    Handler::Script(_) => {
                        let parallel = connection.parallel;
                        let (arguments, watch) = (arguments.clone(), watch.clone());
                        push_phase(peer, parallel, Job::Invoke { connection, arguments, depth, watch });
                    }
                }
            }
        }
    }
}

/// Sends a message to a signal's handlers: they run at the next resumption point in both signal modes, those that
/// asked for it in the parallel phase.
pub fn send(peer: &Rc<Peer>, key: SignalKey, arguments: &Rc<[Value]>) {
    for connection in peer.signals.ordered(peer, key) {
        let parallel = connection.parallel;
        let arguments = arguments.clone();
        push_phase(peer, parallel, Job::Invoke { connection, arguments, depth: 1, watch: None });
    }
}

/// Runs one handler, unless it was disconnected since.
pub(super) fn invoke(
    peer: &Rc<Peer>,
    connection: &Rc<Connection>,
    arguments: &Rc<[Value]>,
    depth: u32,
    watch: &Watch,
) {
    if connection.state.get() == State::Disconnected {
        return;
    }
    if connection.once {
        peer.signals.remove(connection, State::Disconnected);
    }
    peer.scheduler.at_depth(depth, || match &connection.handler {
        Handler::Script(function) => {
            if peer.owner(connection.owner).stopped {
                return;
            }
            let started = match watch {
                None => peer.spawn(function, connection.owner, arguments),
                Some(watch) => spawn_watched(peer, connection, function, arguments, watch),
            };
            if let Err(failure) = started {
                peer.report(&failure, None);
            }
        }
        Handler::Waiting(parked) => {
            note_waiting(peer, parked, watch);
            peer.resume(parked, arguments);
        }
    });
}

fn spawn_watched(
    peer: &Rc<Peer>,
    connection: &Connection,
    function: &Handle,
    arguments: &[Value],
    watch: &Rc<dyn HandlerWatch>,
) -> Result<Handle, Failure> {
    let place = connection.place.get_or_init(|| Rc::new(HandlerPlace::of(peer, function)));
    let number = watch.begins(place);
    let watch = watch.clone();
    peer.spawn_seen(function, connection.owner, arguments, move |end| watch.ended(number, end))
}

/// A thread in `Wait` is a handler that is over as soon as it is woken.
fn note_waiting(peer: &Peer, parked: &Parked, watch: &Watch) {
    if let Some(watch) = watch {
        let number = watch.begins(&HandlerPlace::of_waiting(peer, parked));
        watch.ended(number, None);
    }
}
