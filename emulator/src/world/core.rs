//! What the sides of one world have in common beyond [`Shared`]: the roster of clients, the trace, the frame counts,
//! and what scripts ask of the world.
//!
//! Everything is behind cells that are borrowed for a moment: no borrow is held while a script may run.

use std::cell::{Cell, Ref, RefCell, RefMut};
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::clock::{Time, WorldClock};
use crate::peer::Shared;
use crate::shared::{Diagnostic, DiagnosticCode, LogLine, Settings, Side};
use crate::trace::{Event, Header, Trace};
use crate::value::InstanceId;

/// A client that is or was in the world.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its side.
    pub side: Side,
    /// Its `Player`.
    pub player: InstanceId,
    /// The player's name.
    pub name: Rc<str>,
    /// The player's id.
    pub user_id: i64,
    /// Whether it is still connected.
    pub connected: bool,
}

/// Something a script asked of the world. Granted after the phase it was asked in.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// `Player:Kick(message)`.
    Kick {
        /// Whom.
        client: Side,
        /// What the client is told.
        message: String,
    },
}

/// See the module.
pub struct Core {
    /// Settings, seed, clock and diagnostics, which peers know too.
    pub shared: Rc<Shared>,
    members: RefCell<Vec<Member>>,
    frames: RefCell<Vec<u64>>,
    trace: RefCell<Trace>,
    traced_diagnostics: Cell<usize>,
    order: Cell<u64>,
    calls: Cell<u64>,
    requests: RefCell<Vec<Request>>,
    round_trips: RefCell<BTreeMap<Side, Time>>,
}

/// Where a side is kept in a list of all sides.
fn index(side: Side) -> usize {
    match side {
        Side::Server => 0,
        Side::Client(client) => client as usize + 1,
    }
}

impl Core {
    /// The common part of a new world.
    pub fn new(shared: Rc<Shared>) -> Rc<Core> {
        let header = Header {
            seed: shared.seed.0,
            settings: shared.settings.entries(),
            start: shared.clock.get().unix_start(),
            ..Header::default()
        };
        Rc::new(Core {
            shared,
            members: RefCell::default(),
            frames: RefCell::default(),
            trace: RefCell::new(Trace::new(header)),
            traced_diagnostics: Cell::new(0),
            order: Cell::new(0),
            calls: Cell::new(0),
            requests: RefCell::default(),
            round_trips: RefCell::default(),
        })
    }

    /// The world's settings.
    pub fn settings(&self) -> &Settings {
        &self.shared.settings
    }

    /// The world's clock.
    pub fn clock(&self) -> WorldClock {
        self.shared.clock.get()
    }

    /// Sets the world's clock.
    pub fn set_clock(&self, clock: WorldClock) {
        self.shared.clock.set(clock);
        self.trace.borrow_mut().header_mut().start = clock.unix_start();
    }

    /// Virtual time now.
    pub fn now(&self) -> Time {
        self.clock().now
    }

    /// Moves virtual time.
    pub fn set_now(&self, now: Time) {
        let mut clock = self.clock();
        clock.now = now;
        self.shared.clock.set(clock);
    }

    /// Frames a side has begun.
    pub fn frame(&self, side: Side) -> u64 {
        self.frames.borrow().get(index(side)).copied().unwrap_or(0)
    }

    /// Counts a frame of a side that took `dt`.
    pub fn begin_frame(&self, side: Side, dt: Time) {
        let at = index(side);
        let frame = {
            let mut frames = self.frames.borrow_mut();
            if frames.len() <= at {
                frames.resize(at + 1, 0);
            }
            frames[at] += 1;
            frames[at]
        };
        let mut trace = self.trace.borrow_mut();
        if trace.frames {
            trace.record(self.now(), frame, side, Event::Frame { dt });
        }
    }

    /// The next place in the order of what sides do, on a side without a journal.
    pub fn next_order(&self) -> u64 {
        self.order.set(self.order.get() + 1);
        self.order.get()
    }

    /// A number for a call that will have a reply.
    pub fn next_call(&self) -> u64 {
        self.calls.set(self.calls.get() + 1);
        self.calls.get()
    }

    /// The trace, to read.
    pub fn trace(&self) -> Ref<'_, Trace> {
        self.trace.borrow()
    }

    /// The trace, to write to.
    pub fn trace_mut(&self) -> RefMut<'_, Trace> {
        self.trace.borrow_mut()
    }

    /// Adds a record about `side`, now.
    pub fn record(&self, side: Side, event: Event) {
        self.trace_diagnostics();
        let frame = self.frame(side);
        self.trace.borrow_mut().record(self.now(), frame, side, event);
    }

    /// Records a line of a side's output.
    pub fn record_line(&self, line: &LogLine) {
        self.record(line.side, Event::Log(line.clone()));
    }

    /// Adds a diagnostic about `side`.
    pub fn diagnose(&self, side: Side, code: DiagnosticCode, text: impl Into<String>) {
        let diagnostic =
            Diagnostic { at: self.now(), side, code, text: text.into(), script: None, line: None };
        self.shared.diagnostics.borrow_mut().push(diagnostic);
        self.trace_diagnostics();
    }

    /// Records the diagnostics that peers have made since the last time.
    pub fn trace_diagnostics(&self) {
        let diagnostics = self.shared.diagnostics.borrow();
        let mut trace = self.trace.borrow_mut();
        for diagnostic in diagnostics.iter().skip(self.traced_diagnostics.get()) {
            let (at, side) = (diagnostic.at, diagnostic.side);
            trace.record(at, self.frame(side), side, Event::Diagnostic(diagnostic.clone()));
        }
        self.traced_diagnostics.set(diagnostics.len());
    }

    /// Asks something of the world.
    pub fn request(&self, request: Request) {
        self.requests.borrow_mut().push(request);
    }

    /// Takes what was asked, in order.
    pub fn take_requests(&self) -> Vec<Request> {
        std::mem::take(&mut *self.requests.borrow_mut())
    }

    /// The smoothed round trip of a client's link.
    pub fn round_trip(&self, side: Side) -> Time {
        self.round_trips.borrow().get(&side).copied().unwrap_or_default()
    }

    /// Notes the smoothed round trip of a client's link.
    pub fn set_round_trip(&self, side: Side, round_trip: Time) {
        self.round_trips.borrow_mut().insert(side, round_trip);
    }

    /// Adds a client to the roster.
    pub fn enrol(&self, member: Member) {
        self.trace.borrow_mut().set_name(member.side, &member.name);
        self.members.borrow_mut().push(member);
    }

    /// Marks a client as gone. It stays on the roster, so that who fires to it learns what is wrong.
    pub fn dismiss(&self, side: Side) {
        if let Some(member) = self.members.borrow_mut().iter_mut().find(|member| member.side == side) {
            member.connected = false;
        }
    }

    /// Everyone who is or was in the world, in order of joining.
    pub fn members(&self) -> Vec<Member> {
        self.members.borrow().clone()
    }

    /// The clients that are connected, in order of joining.
    pub fn connected(&self) -> Vec<Side> {
        self.members.borrow().iter().filter(|member| member.connected).map(|member| member.side).collect()
    }

    /// The client whose `Player` that is.
    pub fn member_of(&self, player: InstanceId) -> Option<Member> {
        self.members.borrow().iter().find(|member| member.player == player).cloned()
    }

    /// The client of that side.
    pub fn member(&self, side: Side) -> Option<Member> {
        self.members.borrow().iter().find(|member| member.side == side).cloned()
    }

    /// The name of a side: a player's name, or `server`.
    pub fn name(&self, side: Side) -> Rc<str> {
        self.trace.borrow().name(side)
    }
}
