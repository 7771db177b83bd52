//! The sides of a world: the server, and clients with their links.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;

use super::core::Core;
use super::timer::FrameTimer;
use super::{WorldError, post::Message};
use crate::clock::{PeerClock, Time};
use crate::datamodel::journal::{Change, Created};
use crate::datamodel::store::Store;
use crate::datamodel::{DataModel, replication};
use crate::network::{Link, LinkSettings};
use crate::peer::{Covered, NoScripts, Peer, PeerOptions};
use crate::services::players;
use crate::services::remotes::{self, Desk};
use crate::shared::{DiagnosticCode, LogLine, Side};
use crate::value::InstanceId;

/// The server's side.
pub struct ServerSide {
    /// Its VM and tree.
    pub peer: Rc<Peer>,
    /// Its remote calls.
    pub desk: Rc<Desk>,
    /// Its frames.
    pub timer: Cell<FrameTimer>,
}

/// How far a client has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ClientState {
    /// Its tree is on the way.
    Joining,
    /// `ReplicatedFirst` is there and its scripts run.
    First,
    /// The tree is there, `game.Loaded` has fired, and all its scripts run.
    Loaded,
    /// It is gone.
    Left,
}

/// A client's side. Stays in the world after it left, for its log.
pub struct Client {
    /// Which one.
    pub side: Side,
    /// Its remote calls.
    pub desk: Rc<Desk>,
    /// Its frames.
    pub timer: Cell<FrameTimer>,
    /// Its link.
    pub link: RefCell<Link<Rc<Message>>>,
    /// Its `Player`.
    pub player: InstanceId,
    /// Whether its scripts rest.
    pub(super) silent: bool,
    pub(super) peer: RefCell<Option<Rc<Peer>>>,
    pub(super) state: Cell<ClientState>,
    pub(super) next_probe: Cell<Time>,
    pub(super) probes: RefCell<VecDeque<crate::network::Probe>>,
    hidden: RefCell<BTreeSet<InstanceId>>,
    old_log: RefCell<Vec<LogLine>>,
    old_coverage: RefCell<Vec<Covered>>,
}

/// Makes a peer with everything scripts of a side can reach.
fn make_peer(
    core: &Rc<Core>,
    side: Side,
    model: DataModel,
    clock: PeerClock,
) -> Result<(Rc<Peer>, Rc<Desk>), WorldError> {
    let options = PeerOptions { side, shared: core.shared.clone(), clock, tree: Rc::new(NoScripts) };
    let peer = Peer::new(options, |peer| {
        crate::datatypes::install(&peer.vm)?;
        crate::datamodel::install(peer, Rc::new(model))
    })?;
    if !peer.vm.is_stable() {
        let text = "this platform gives VMs no memory of their own: tables keyed by tables or functions may be walked in \
                    another order in the next run";
        peer.diagnose(DiagnosticCode::Order, text, None);
    }
    let desk = Rc::new(Desk::new(side, core.clone()));
    remotes::attach(&peer, desk.clone());
    let recorder = core.clone();
    peer.log.listen(move |_, line| recorder.record_line(line));
    Ok((peer, desk))
}

impl ServerSide {
    /// The server of a world over a tree.
    pub(super) fn new(core: &Rc<Core>, tree: Option<Store>, fps: f64) -> Result<ServerSide, WorldError> {
        super::check_fps(fps)?;
        let model = tree.map_or_else(|| DataModel::new(true), DataModel::with_store);
        let clock = PeerClock::new(core.now(), Time::ZERO, 0.0);
        let (peer, desk) = make_peer(core, Side::Server, model, clock)?;
        players::watch_late_listeners(&peer);
        Ok(ServerSide { peer, desk, timer: Cell::new(FrameTimer::new(fps, core.now())) })
    }
}

/// What a client is made of.
pub(super) struct NewClient {
    pub(super) side: Side,
    pub(super) player: InstanceId,
    pub(super) name: String,
    pub(super) fps: f64,
    pub(super) up: LinkSettings,
    pub(super) down: LinkSettings,
    pub(super) offset: Time,
    pub(super) drift: f64,
    pub(super) silent: bool,
}

impl Client {
    /// A client with an empty tree and a link that works.
    pub(super) fn new(core: &Rc<Core>, new: NewClient) -> Result<Client, WorldError> {
        let now = core.now();
        let clock = PeerClock::new(now, new.offset, new.drift);
        let (peer, desk) = make_peer(core, new.side, DataModel::new(false), clock)?;
        let mut link = Link::new(new.down, core.shared.seed, &new.name, now);
        link.set(crate::network::Way::Up, new.up);
        core.set_round_trip(new.side, link.round_trip());
        Ok(Client {
            side: new.side,
            desk,
            timer: Cell::new(FrameTimer::new(new.fps, now)),
            link: RefCell::new(link),
            player: new.player,
            silent: new.silent,
            peer: RefCell::new(Some(peer)),
            state: Cell::new(ClientState::Joining),
            next_probe: Cell::new(now),
            probes: RefCell::default(),
            hidden: RefCell::default(),
            old_log: RefCell::default(),
            old_coverage: RefCell::default(),
        })
    }

    /// Its number.
    pub fn index(&self) -> u32 {
        match self.side {
            Side::Client(index) => index,
            Side::Server => 0,
        }
    }

    /// Its VM and tree; `None` once it is gone.
    pub fn peer(&self) -> Option<Rc<Peer>> {
        self.peer.borrow().clone()
    }

    /// How far it has come.
    pub fn state(&self) -> ClientState {
        self.state.get()
    }

    /// Whether the server counts it among its players.
    pub fn is_connected(&self) -> bool {
        self.state.get() != ClientState::Left
    }

    /// Lines of its output.
    pub fn log(&self) -> Vec<LogLine> {
        self.log_since(0)
    }

    /// Lines of its output from the `first`-th on, counted from 0.
    pub fn log_since(&self, first: usize) -> Vec<LogLine> {
        match &*self.peer.borrow() {
            Some(peer) => peer.log.since(first),
            None => self.old_log.borrow().get(first..).unwrap_or_default().to_vec(),
        }
    }

    /// How often the lines of its scripts ran, until it left if it did.
    pub fn coverage(&self) -> Vec<Covered> {
        match &*self.peer.borrow() {
            Some(peer) => peer.coverage(),
            None => self.old_coverage.borrow().clone(),
        }
    }

    /// Ends its VM. Its log stays.
    pub(super) fn end(&self) {
        let peer = self.peer.borrow_mut().take();
        if let Some(peer) = peer {
            *self.old_log.borrow_mut() = peer.log.lines();
            *self.old_coverage.borrow_mut() = peer.coverage();
        }
    }

    pub(super) fn is_hidden(&self, instance: InstanceId) -> bool {
        self.hidden.borrow().contains(&instance)
    }

    pub(super) fn hide(&self, instance: InstanceId) -> Result<(), WorldError> {
        let peer = self.peer().ok_or(WorldError::NoSuchSide(self.side))?;
        if self.hidden.borrow_mut().insert(instance) {
            replication::apply(&peer, Change::Parent { id: instance, parent: None });
        }
        Ok(())
    }

    pub(super) fn show(&self, server: &Rc<Peer>, instance: InstanceId) -> Result<(), WorldError> {
        let peer = self.peer().ok_or(WorldError::NoSuchSide(self.side))?;
        if !self.hidden.borrow_mut().remove(&instance) {
            return Ok(());
        }
        let created = {
            let model = server.data_model();
            let store = model.store();
            let there = replication::reaches(&store, instance, self.player);
            if there { Created::of(&store, instance) } else { None }
        };
        if let Some(created) = created {
            replication::apply(&peer, Change::Create(Box::new(created)));
        }
        Ok(())
    }
}
