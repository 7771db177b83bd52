//! A world: one server and its clients, each a VM of its own, on one virtual clock, joined by links.
//!
//! The director moves time ([`World::step`], [`World::advance`]); nothing moves by itself. In each tick the sides with a
//! frame due run it, the server first, then clients by index: phases up to the receive phase, which takes what has
//! arrived, the remaining phases, and the send phase, where outgoing traffic enters the links.
//!
//! All methods take `&self` and hold no borrow while a script may run, so that code that runs inside a frame (a
//! director's callback, say) can look at the world and change links. Only moving time from inside a frame is refused.
//!
//! Files: `sides` (a side and its VM), `frames` (time and phases), `post` (send and receive), `join` (coming and
//! going), `packets` (looking at traffic and meddling with it), `hooks` (telling tests what happens), `output` (what sides print), `core` (what sides have in common).

mod core;
mod feed;
mod frames;
mod hooks;
mod join;
mod output;
mod packets;
mod post;
mod sides;
#[cfg(test)]
mod tests;
mod timer;

use std::cell::{Cell, OnceCell, Ref, RefCell};
use std::rc::{Rc, Weak};
use std::sync::Arc;

pub use self::core::{Core, Member, Request};
pub use feed::Fed;
pub use frames::Phase;
pub use hooks::{Hook, Notice};
pub use join::{JoinOptions, LeaveHow, Loading};
pub use output::OutputReader;
pub use packets::{Injection, PacketFilter, Receiver, Verdict};
pub use sides::{Client, ClientState, ServerSide};
pub use timer::{FPS_RANGE, FrameTimer, LONGEST_STALL};

use crate::clock::{Time, WorldClock};
use crate::datamodel::store::Store;
use crate::network::{LinkSettings, Way};
use crate::peer::{Peer, Shared};
use crate::shared::{Diagnostic, HttpAnswers, LogLine, Seed, Settings, Side};
use crate::trace::Trace;
use crate::universe::{Seat, Universe};
use crate::value::InstanceId;
use crate::vm::{BytecodeCache, Deadline, Failure};
use blinkblox_compiler::diagnostics::counted;
use hooks::Hooks;
use packets::Interceptors;
use post::Carried;

/// How a world is made.
#[derive(Clone)]
pub struct WorldOptions {
    /// Root of all randomness.
    pub seed: Seed,
    /// Settings of all sides.
    pub settings: Settings,
    /// The server's tree before any script runs: a fixture's. `None` for the services alone.
    pub tree: Option<Store>,
    /// Frames a second of the server.
    pub fps: f64,
    /// Frames a second of clients that do not say otherwise.
    pub client_fps: f64,
    /// Links of clients that do not say otherwise, the same both ways.
    pub link: LinkSettings,
    /// Unix time of the start, in seconds; `None` for 2025-01-01T00:00:00Z.
    pub unix_start: Option<f64>,
    /// Compiled sources, shared between worlds of one fixture.
    pub bytecode: Arc<BytecodeCache>,
    /// Real-time deadline of the scripts of all sides.
    pub deadline: Deadline,
    /// Whether the trace has a record for each frame.
    pub trace_frames: bool,
    /// Who answers the requests of `HttpService`; nobody when `None`.
    pub http: Option<HttpAnswers>,
    /// Its place in a universe of servers, if it has one.
    pub seat: Option<Seat>,
    /// When its clock starts: zero but in a universe that has run before.
    pub begin: Time,
}

impl Default for WorldOptions {
    fn default() -> WorldOptions {
        WorldOptions {
            seed: Seed(0),
            settings: Settings::default(),
            tree: None,
            fps: 60.0,
            client_fps: 60.0,
            link: LinkSettings::default(),
            unix_start: None,
            bytecode: Arc::default(),
            deadline: Deadline::new(),
            trace_frames: false,
            http: None,
            seat: None,
            begin: Time::ZERO,
        }
    }
}

impl From<WorldError> for String {
    fn from(error: WorldError) -> String {
        error.to_string()
    }
}

/// What the world refuses to do.
#[derive(Debug, thiserror::Error)]
pub enum WorldError {
    /// Time was to move while a frame runs.
    #[error("the world is in the middle of a frame; time cannot be moved from inside it")]
    Busy,
    /// No client has that index.
    #[error("there is no {0} in this world, or it has left")]
    NoSuchSide(Side),
    /// The server has no room.
    #[error("the server is full: its limit is {}", counted(.0, "player"))]
    Full(u32),
    /// `settle` or `advance` did not come to an end.
    #[error("{0}")]
    NotSettled(String),
    /// A value an option does not allow.
    #[error("{0}")]
    BadOption(String),
    /// The server runs no more.
    #[error("server {0} {1}: it runs nothing and takes nobody")]
    Ended(u32, End),
    /// A VM could not be made.
    #[error("{0}")]
    Vm(String),
}

/// How a server of a universe came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// At once: see [`Universe::kill`].
    Killed,
    /// In order: see [`World::shutdown`].
    ShutDown,
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            End::Killed => "was killed",
            End::ShutDown => "has shut down",
        })
    }
}

impl From<Failure> for WorldError {
    fn from(failure: Failure) -> WorldError {
        WorldError::Vm(failure.text)
    }
}

/// See the module.
pub struct World {
    core: Rc<Core>,
    server: ServerSide,
    clients: RefCell<Vec<Rc<Client>>>,
    options: WorldOptions,
    started: Cell<bool>,
    moving: Cell<bool>,
    paused: Cell<bool>,
    /// Replication changes that were recorded before the last join and have not left yet.
    carried: RefCell<Vec<Carried>>,
    interceptors: Interceptors,
    /// Calls that are played back, for the next receive phase of the server.
    fed: RefCell<Vec<Fed>>,
    hooks: Hooks,
    /// Frame in which anything last crossed a link or was posted; for settling.
    last_traffic: Cell<Time>,
    /// The universe it is a server of.
    universe: OnceCell<Weak<Universe>>,
    /// How its server came to its end, if it has.
    ended: Cell<Option<End>>,
}

impl World {
    /// A world with a server and no clients. No script runs before [`World::start`].
    ///
    /// Errors: [`WorldError::Vm`] if the server's VM cannot be made.
    pub fn new(options: WorldOptions) -> Result<World, WorldError> {
        let limit = options.settings.script_timeout;
        let limit = (limit > 0.0 && limit < 1e6).then(|| std::time::Duration::from_secs_f64(limit));
        options.deadline.set_limit(limit);
        let mut clock = WorldClock::default();
        if let Some(start) = options.unix_start {
            clock.set_unix_start(start);
        }
        let shared = Shared::with_deadline(
            options.settings.clone(),
            options.seed,
            options.bytecode.clone(),
            options.deadline.clone(),
        );
        clock.now = options.begin;
        shared.clock.set(clock);
        if let Some(seat) = options.seat.clone() {
            shared.seat.get_or_init(|| seat);
        }
        if let Some(http) = options.http.clone() {
            shared.http.get_or_init(|| http);
        }
        let core = Core::new(shared);
        core.trace_mut().frames = options.trace_frames;
        core.trace_mut().header_mut().fps = options.fps;
        core.trace_mut().header_mut().server = options.seat.as_ref().map(|seat| seat.server);
        let server = ServerSide::new(&core, options.tree.clone(), options.fps)?;
        Ok(World {
            core,
            server,
            clients: RefCell::default(),
            options,
            started: Cell::new(false),
            moving: Cell::new(false),
            paused: Cell::new(false),
            carried: RefCell::default(),
            interceptors: Interceptors::default(),
            fed: RefCell::default(),
            hooks: Hooks::default(),
            last_traffic: Cell::new(Time::ZERO),
            universe: OnceCell::new(),
            ended: Cell::new(None),
        })
    }

    /// Makes it a server of a universe, which moves its time from now on.
    pub(crate) fn belong_to(&self, universe: &Rc<Universe>) {
        self.universe.get_or_init(|| Rc::downgrade(universe));
    }

    /// The universe it is a server of, if it is one.
    pub fn universe(&self) -> Option<Rc<Universe>> {
        self.universe.get()?.upgrade()
    }

    /// Its number among the servers of its universe.
    pub fn server_number(&self) -> Option<u32> {
        self.core.shared.seat.get().map(|seat| seat.server)
    }

    /// How its server came to its end, if it has.
    pub fn ended(&self) -> Option<End> {
        self.ended.get()
    }

    /// Errors: [`WorldError::Ended`] for a server of a universe that runs no more.
    pub fn check_running(&self) -> Result<(), WorldError> {
        match self.ended() {
            Some(how) => Err(WorldError::Ended(self.server_number().unwrap_or_default(), how)),
            None => Ok(()),
        }
    }

    /// What all sides have in common.
    pub fn core(&self) -> &Rc<Core> {
        &self.core
    }

    /// What the world knows of its server: one, always.
    pub fn server(&self) -> &ServerSide {
        &self.server
    }

    /// The client of that index, gone or not.
    ///
    /// Errors: [`WorldError::NoSuchSide`].
    pub fn client(&self, index: u32) -> Result<Rc<Client>, WorldError> {
        let found = self.clients.borrow().get(index as usize).cloned();
        found.ok_or(WorldError::NoSuchSide(Side::Client(index)))
    }

    /// The clients that are connected, by index.
    pub fn clients(&self) -> Vec<Rc<Client>> {
        self.clients.borrow().iter().filter(|client| client.is_connected()).cloned().collect()
    }

    /// The peer of a side.
    ///
    /// Errors: [`WorldError::NoSuchSide`] for a client that is not there or has no VM any more.
    pub fn peer(&self, side: Side) -> Result<Rc<Peer>, WorldError> {
        match side {
            Side::Server => Ok(self.server.peer.clone()),
            Side::Client(index) => self.client(index)?.peer().ok_or(WorldError::NoSuchSide(side)),
        }
    }

    /// The side called `name`: `server`, or a connected player's name.
    pub fn side_named(&self, name: &str) -> Option<Side> {
        if name == "server" {
            return Some(Side::Server);
        }
        let members = self.core.members();
        let found = members.iter().rev().find(|member| &*member.name == name);
        found.map(|member| member.side)
    }

    /// How it was made.
    pub fn options(&self) -> &WorldOptions {
        &self.options
    }

    /// Whether a frame is running.
    pub fn is_moving(&self) -> bool {
        self.moving.get()
    }

    /// Virtual time since the start.
    pub fn now(&self) -> Time {
        self.core.now()
    }

    /// Frames the side has begun.
    pub fn frame(&self, side: Side) -> u64 {
        self.core.frame(side)
    }

    /// Sets the Unix time, in seconds, that the world's start stands for. Scripts see their wall clocks jump.
    pub fn set_unix_start(&self, seconds: f64) {
        let mut clock = self.core.clock();
        clock.set_unix_start(seconds);
        self.core.set_clock(clock);
    }

    /// Everything recorded so far.
    pub fn trace(&self) -> Ref<'_, Trace> {
        self.core.trace_diagnostics();
        self.core.trace()
    }

    /// Leaves a mark in the trace.
    pub fn mark(&self, text: &str) {
        self.core.record(Side::Server, crate::trace::Event::Mark(text.to_owned()));
    }

    /// Diagnostics so far, in order.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        self.core.shared.diagnostics.borrow().clone()
    }

    /// Lines of output of a side, in order; of a client that has left, those until then.
    ///
    /// Errors: [`WorldError::NoSuchSide`].
    pub fn log(&self, side: Side) -> Result<Vec<LogLine>, WorldError> {
        match side {
            Side::Server => Ok(self.server.peer.log.lines()),
            Side::Client(index) => Ok(self.client(index)?.log()),
        }
    }

    /// Changes a client's link from now on: its direction `way`, or both.
    ///
    /// Errors: [`WorldError::NoSuchSide`].
    pub fn set_link(&self, client: u32, way: Option<Way>, settings: &LinkSettings) -> Result<(), WorldError> {
        let client = self.client(client)?;
        for each in [Way::Up, Way::Down] {
            if way.is_none_or(|way| way == each) {
                client.link.borrow_mut().set(each, settings.clone());
            }
        }
        self.core.set_round_trip(client.side, client.link.borrow().round_trip());
        Ok(())
    }

    /// A client's link settings in one direction.
    ///
    /// Errors: [`WorldError::NoSuchSide`].
    pub fn link_settings(&self, client: u32, way: Way) -> Result<LinkSettings, WorldError> {
        Ok(self.client(client)?.link.borrow().direction(way).settings().clone())
    }

    /// Loses everything a client's link carries, both ways, for `length` from now. [`Time::NEVER`] cuts for good.
    ///
    /// Errors: [`WorldError::NoSuchSide`].
    pub fn cut_link(&self, client: u32, length: Time) -> Result<(), WorldError> {
        self.client(client)?.link.borrow_mut().cut(self.now(), length);
        Ok(())
    }

    /// Cuts a client's link for `down`, lets it work for `up`, `times` times over.
    ///
    /// Errors: [`WorldError::NoSuchSide`].
    pub fn flap_link(&self, client: u32, down: Time, up: Time, times: u32) -> Result<(), WorldError> {
        self.client(client)?.link.borrow_mut().flap(self.now(), down, up, times);
        Ok(())
    }

    /// Loses packets of a client's link with probability `loss` for `length` from now.
    ///
    /// Errors: [`WorldError::NoSuchSide`].
    pub fn burst_link(&self, client: u32, loss: f64, length: Time) -> Result<(), WorldError> {
        self.client(client)?.link.borrow_mut().burst(self.now(), loss, length);
        Ok(())
    }

    /// Ends all cuts, flaps and bursts of a client's link.
    ///
    /// Errors: [`WorldError::NoSuchSide`].
    pub fn mend_link(&self, client: u32) -> Result<(), WorldError> {
        self.client(client)?.link.borrow_mut().mend();
        Ok(())
    }

    /// A client's smoothed round trip.
    ///
    /// Errors: [`WorldError::NoSuchSide`].
    pub fn ping(&self, client: u32) -> Result<Time, WorldError> {
        Ok(self.client(client)?.link.borrow().round_trip())
    }

    /// How far a client's estimate of server time is ahead of the truth, in seconds.
    ///
    /// Errors: [`WorldError::NoSuchSide`].
    pub fn server_time_error(&self, client: u32) -> Result<f64, WorldError> {
        let peer = self.peer(Side::Client(client))?;
        let now = self.now();
        let estimate = peer.clock.server_time_at(now).unwrap_or(now);
        Ok((estimate - now).seconds())
    }

    /// Moves a client's wall clock to be `offset` ahead, and changes its rate to `1 + drift`; `None` leaves as is.
    ///
    /// Errors: [`WorldError::NoSuchSide`].
    pub fn set_client_clock(
        &self,
        client: u32,
        offset: Option<Time>,
        drift: Option<f64>,
    ) -> Result<(), WorldError> {
        let peer = self.peer(Side::Client(client))?;
        if let Some(offset) = offset {
            peer.clock.set_offset(offset);
        }
        if let Some(drift) = drift {
            peer.clock.set_drift(drift);
        }
        Ok(())
    }

    /// Changes a side's frame rate from now on.
    ///
    /// Errors: [`WorldError::NoSuchSide`], [`WorldError::BadOption`] for a rate out of [`FPS_RANGE`].
    pub fn set_fps(&self, side: Side, fps: f64) -> Result<(), WorldError> {
        check_fps(fps)?;
        self.with_timer(side, |timer, now| timer.set_fps(fps, now))
    }

    /// Gives a side no frames for `length` from now. What arrives piles up.
    ///
    /// Errors: [`WorldError::NoSuchSide`]; [`WorldError::BadOption`] for more than [`LONGEST_STALL`].
    pub fn stall(&self, side: Side, length: Time) -> Result<(), WorldError> {
        if length.seconds() > LONGEST_STALL {
            let text = format!(
                "a stall lasts at most {LONGEST_STALL} seconds; end a client with leave(client, \"crash\")"
            );
            return Err(WorldError::BadOption(text));
        }
        self.with_timer(side, |timer, now| timer.stall(now + length))
    }

    fn with_timer(&self, side: Side, change: impl FnOnce(&mut FrameTimer, Time)) -> Result<(), WorldError> {
        let client;
        let cell = match side {
            Side::Server => &self.server.timer,
            Side::Client(index) => {
                client = self.client(index)?;
                &client.timer
            }
        };
        let mut timer = cell.get();
        change(&mut timer, self.now());
        cell.set(timer);
        Ok(())
    }

    /// Stops simulation as Studio's pause does: `PreAnimation`, `Stepped`, `PreSimulation` and `PostSimulation` rest.
    pub fn set_paused(&self, paused: bool) {
        self.paused.set(paused);
    }

    /// Whether simulation rests.
    pub fn is_paused(&self) -> bool {
        self.paused.get()
    }

    /// The `Player` of a client, on the server.
    ///
    /// Errors: [`WorldError::NoSuchSide`].
    pub fn player(&self, client: u32) -> Result<InstanceId, WorldError> {
        let member = self.core.member(Side::Client(client));
        member.map(|member| member.player).ok_or(WorldError::NoSuchSide(Side::Client(client)))
    }

    /// The instance of that full name on a side; `game` for `game` and the empty text. `Players.LocalPlayer` is a
    /// client's own player, and `workspace` does for `Workspace`.
    ///
    /// Errors: [`WorldError::NoSuchSide`].
    pub fn find(&self, side: Side, path: &str) -> Result<Option<InstanceId>, WorldError> {
        let peer = self.peer(side)?;
        let model = peer.data_model();
        let store = model.store();
        let mut at = crate::datamodel::store::GAME;
        for name in path.split('.').skip_while(|name| *name == "game" || name.is_empty()) {
            let local_player = || match side {
                Side::Client(index) if name == "LocalPlayer" => self.player(index).ok(),
                _ => None,
            };
            let is_short = name == "workspace" && at == crate::datamodel::store::GAME;
            let name = if is_short { "Workspace" } else { name };
            let child = store.find_child(at, name).or_else(local_player);
            match child.filter(|child| store.parent(*child) == Some(at)) {
                Some(child) => at = child,
                None => return Ok(None),
            }
        }
        Ok(Some(at))
    }

    /// Takes an instance and what is in it away from one client, as streaming out does. At once, without a journey.
    ///
    /// Errors: [`WorldError::NoSuchSide`].
    pub fn hide(&self, client: u32, instance: InstanceId) -> Result<(), WorldError> {
        self.client(client)?.hide(instance)
    }

    /// Gives a client back what was hidden, as it is on the server now.
    ///
    /// Errors: [`WorldError::NoSuchSide`].
    pub fn show(&self, client: u32, instance: InstanceId) -> Result<(), WorldError> {
        self.client(client)?.show(&self.server.peer, instance)
    }

    /// Fires an event of an instance on a side, as the engine would, and runs what is deferred.
    ///
    /// Errors: [`WorldError::NoSuchSide`].
    pub fn run_deferred(&self, side: Side) -> Result<(), WorldError> {
        crate::scheduler::drain(&self.peer(side)?);
        Ok(())
    }

    /// Calls that threads of a side wait for: number, remote, who owes the reply, since when.
    ///
    /// Errors: [`WorldError::NoSuchSide`].
    pub fn pending_calls(&self, side: Side) -> Result<Vec<(u64, InstanceId, Side, Time)>, WorldError> {
        Ok(match side {
            Side::Server => self.server.desk.pending(),
            Side::Client(index) => self.client(index)?.desk.pending(),
        })
    }
}

fn check_fps(fps: f64) -> Result<(), WorldError> {
    if FPS_RANGE.contains(&fps) {
        return Ok(());
    }
    let (least, most) = (FPS_RANGE.start(), FPS_RANGE.end());
    Err(WorldError::BadOption(format!("{fps} frames a second: a frame rate lies between {least} and {most}")))
}
