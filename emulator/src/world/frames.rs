//! Time: ticks, frames and their phases. Source: Roblox behaviour, 2.1; emulator requirements, 6.6.

use std::rc::Rc;

use super::{Client, ClientState, World, WorldError};
use crate::clock::Time;
use crate::datamodel::scripts;
use crate::peer::Peer;
use crate::scheduler::{self, drain, resume_legacy, resume_waits};
use crate::services::remotes::Desk;
use crate::services::{players, run_service};
use crate::shared::{RunContext, Side};
use blinkblox_compiler::diagnostics::counted;

/// A phase of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Input events; clients only.
    Input,
    /// What is bound to the render step; clients only.
    RenderStep,
    /// `RenderStepped` and `PreRender`; clients only.
    PreRender,
    /// What has arrived is applied.
    Receive,
    /// `wait`, `spawn` and `delay` resume.
    Legacy,
    /// `PreAnimation`.
    PreAnimation,
    /// `Stepped` and `PreSimulation`.
    PreSimulation,
    /// The emulator has no physics.
    Physics,
    /// `PostSimulation`.
    PostSimulation,
    /// `task.wait` and `task.delay` resume.
    Waits,
    /// `Heartbeat`.
    Heartbeat,
    /// Outgoing traffic enters the links.
    Send,
}

impl Phase {
    /// All phases in their order.
    pub const ALL: [Phase; 12] = [
        Phase::Input,
        Phase::RenderStep,
        Phase::PreRender,
        Phase::Receive,
        Phase::Legacy,
        Phase::PreAnimation,
        Phase::PreSimulation,
        Phase::Physics,
        Phase::PostSimulation,
        Phase::Waits,
        Phase::Heartbeat,
        Phase::Send,
    ];

    /// The phase's name in tests.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Input => "input",
            Phase::RenderStep => "renderStep",
            Phase::PreRender => "preRender",
            Phase::Receive => "receive",
            Phase::Legacy => "legacy",
            Phase::PreAnimation => "preAnimation",
            Phase::PreSimulation => "preSimulation",
            Phase::Physics => "physics",
            Phase::PostSimulation => "postSimulation",
            Phase::Waits => "waits",
            Phase::Heartbeat => "heartbeat",
            Phase::Send => "send",
        }
    }

    /// The phase of that name.
    pub fn from_name(name: &str) -> Option<Phase> {
        Phase::ALL.into_iter().find(|phase| phase.name() == name)
    }
}

/// Keeps time from being moved from inside a frame.
struct Moving<'a>(&'a World);

impl Drop for Moving<'_> {
    fn drop(&mut self) {
        self.0.moving.set(false);
    }
}

impl World {
    fn begin_moving(&self) -> Result<Moving<'_>, WorldError> {
        if self.moving.replace(true) {
            return Err(WorldError::Busy);
        }
        Ok(Moving(self))
    }

    /// Runs the server's scripts. Moving time does it, if nobody has before.
    pub fn start(&self) {
        if self.started.replace(true) {
            return;
        }
        // Code run in the cloud is alone: no script of the place starts by itself.
        if self.core.settings().context != RunContext::LuauExecution {
            scripts::begin(&self.server.peer, scripts::Stage::All);
        }
        drain(&self.server.peer);
        self.grant_requests();
        self.notify();
    }

    /// Runs `count` frames of the server, and all frames of clients up to the end of the last.
    ///
    /// Errors: [`WorldError::Busy`].
    pub fn step(&self, count: u64) -> Result<(), WorldError> {
        self.start();
        if let Some(universe) = self.universe() {
            for _ in 0..count {
                // A server that has ended has no frames to go by.
                let frame = self.now() + Time::of_frame(1, self.server.timer.get().fps());
                universe.run_until(if self.ended().is_some() {
                    frame
                } else {
                    self.server.timer.get().next()
                })?;
            }
            return Ok(());
        }
        let _moving = self.begin_moving()?;
        for _ in 0..count {
            if self.options.deadline.is_expired() {
                break;
            }
            let end = self.server.timer.get().next();
            self.run_until(end, None);
        }
        Ok(())
    }

    /// Runs one frame of the server that takes `length`: a hitch. Clients keep their own rate meanwhile.
    ///
    /// Errors: [`WorldError::Busy`], [`WorldError::BadOption`] for a length that is not above zero.
    pub fn step_by(&self, length: Time) -> Result<(), WorldError> {
        if length <= Time::ZERO {
            return Err(WorldError::BadOption("a frame takes more than no time".into()));
        }
        if self.universe().is_some() {
            let text = "a server of a universe cannot have a frame of another length: stall it instead";
            return Err(WorldError::BadOption(text.into()));
        }
        self.start();
        let _moving = self.begin_moving()?;
        let end = self.server.timer.get().last().max(self.now()) + length;
        self.run_until(end, Some(end));
        Ok(())
    }

    /// Runs the clock for `length`, with every frame due until its end on every side.
    ///
    /// Errors: [`WorldError::Busy`].
    pub fn advance(&self, length: Time) -> Result<(), WorldError> {
        self.start();
        if let Some(universe) = self.universe() {
            return universe.run_until(self.now() + length.max(Time::ZERO));
        }
        let _moving = self.begin_moving()?;
        self.run_until(self.now() + length.max(Time::ZERO), None);
        Ok(())
    }

    /// When somebody has a frame next.
    pub(crate) fn next_due(&self) -> Time {
        let own = if self.ended().is_some() { Time::NEVER } else { self.server.timer.get().next() };
        let clients = self.clients().into_iter().filter(|client| client.peer().is_some());
        clients.map(|client| client.timer.get().next()).fold(own, Time::min)
    }

    /// Runs the clock up to `end`, as part of a universe that moves.
    pub(crate) fn run_to(&self, end: Time) -> Result<(), WorldError> {
        self.start();
        let _moving = self.begin_moving()?;
        self.run_until(end, None);
        Ok(())
    }

    /// What keeps the world from being settled, the last frame's traffic included.
    pub(crate) fn restless(&self) -> Vec<String> {
        let mut busy = self.unsettled();
        if busy.is_empty() && self.last_traffic.get() >= self.now() {
            busy.push("something was sent in the last frame".to_owned());
        }
        busy
    }

    /// Runs frames until nothing is in flight, nothing waits to be sent, no client is joining, and two frames of the
    /// server in a row have had no traffic.
    ///
    /// Errors: [`WorldError::NotSettled`] after `within`, saying what was still going on; [`WorldError::Busy`].
    pub fn settle(&self, within: Time) -> Result<(), WorldError> {
        let limit = self.now() + within;
        let mut quiet = 0;
        loop {
            self.step(1)?;
            let busy = self.unsettled();
            quiet = if busy.is_empty() && self.last_traffic.get() < self.now() { quiet + 1 } else { 0 };
            if quiet >= 2 {
                return Ok(());
            }
            if self.now() >= limit {
                let what = if busy.is_empty() {
                    "something was sent in every frame".to_owned()
                } else {
                    busy.join(", ")
                };
                let within = counted(within.seconds(), "virtual second");
                return Err(WorldError::NotSettled(format!("not settled within {within}: {what}")));
            }
        }
    }

    /// Whether nothing would happen any more by itself: nothing is in flight, nothing is queued, no timer runs, and the
    /// last frame had no traffic.
    pub fn is_idle(&self) -> bool {
        let has_timers = |peer: &Rc<Peer>| peer.scheduler.pending().0 > 0;
        let timers = has_timers(&self.server.peer)
            || self.clients().iter().filter_map(|client| client.peer()).any(|peer| has_timers(&peer));
        !timers && self.unsettled().is_empty() && self.last_traffic.get() < self.now()
    }

    /// Whether scripts or what is on the way could still make an instance on that side: something is on its way to
    /// it, or a script there or on the server has yet to run, waits, or listens.
    pub fn may_change(&self, side: Side) -> bool {
        let active = |peer: &Rc<Peer>| {
            let waits = scheduler::waiting(peer).iter().any(|thread| thread.script.is_some());
            waits || peer.signals.list().into_iter().any(|(_, _, owner)| peer.owner(owner).script.is_some())
        };
        let there = self.peer(side).is_ok_and(|peer| active(&peer));
        let unstarted = !self.started.get() && !scripts::runnable_scripts(&self.server.peer).is_empty();
        there || unstarted || active(&self.server.peer) || !self.unsettled().is_empty()
    }

    /// What keeps the world from being settled, for people.
    fn unsettled(&self) -> Vec<String> {
        let mut busy = Vec::new();
        let mut side = |name: &str, peer: &Rc<Peer>, outbox: bool| {
            if peer.scheduler.has_deferred() {
                busy.push(format!("{name} has deferred work"));
            }
            if outbox {
                busy.push(format!("{name} has calls to send"));
            }
        };
        side("the server", &self.server.peer, self.server.desk.has_outbox());
        for client in self.clients() {
            if let Some(peer) = client.peer() {
                side(&self.core.name(client.side), &peer, client.desk.has_outbox());
            }
        }
        for client in self.clients() {
            let name = self.core.name(client.side);
            let in_flight = client.link.borrow().in_flight();
            if in_flight > 0 {
                let are = if in_flight == 1 { "is" } else { "are" };
                let messages = counted(in_flight, "message");
                busy.push(format!("{messages} {are} in flight between the server and {name}"));
            }
            if client.state() < ClientState::Loaded {
                busy.push(format!("{name} is joining"));
            }
        }
        busy
    }

    /// Runs one phase of a side without moving the clock, as part of the frame it began last.
    ///
    /// Errors: [`WorldError::Busy`], [`WorldError::NoSuchSide`], [`WorldError::Ended`].
    pub fn step_phase(&self, side: Side, phase: Phase) -> Result<(), WorldError> {
        if side.is_server() {
            self.check_running()?;
        }
        self.start();
        let _moving = self.begin_moving()?;
        let peer = self.peer(side)?;
        let fps = match side {
            Side::Server => self.server.timer.get().fps(),
            Side::Client(index) => self.client(index)?.timer.get().fps(),
        };
        self.run_phase(side, &peer, phase, Time::of_frame(1, fps));
        self.grant_requests();
        self.notify();
        Ok(())
    }

    /// Ticks up to `end`. With `server_at`, the server has exactly one frame, then.
    fn run_until(&self, end: Time, server_at: Option<Time>) {
        loop {
            // Sides without scripts run nothing that would notice. Whoever moves time is stopped at its next step.
            if self.options.deadline.is_expired() {
                return;
            }
            let mut next = server_at.unwrap_or_else(|| self.server.timer.get().next());
            if self.ended().is_some() || server_at.is_some_and(|at| self.server.timer.get().last() == at) {
                next = Time::NEVER;
            }
            for client in self.clients() {
                if client.peer().is_some() {
                    next = next.min(client.timer.get().next());
                }
            }
            if next > end {
                break;
            }
            self.core.set_now(next.max(self.now()));
            self.tick(server_at);
        }
        self.core.set_now(end.max(self.now()));
        self.sync_clocks();
    }

    /// Has every side read the moment of the world: code that runs between frames runs now, not in the last frame.
    fn sync_clocks(&self) {
        let now = self.now();
        let peers = self.clients().into_iter().filter_map(|client| client.peer());
        for peer in peers.chain([self.server.peer.clone()]) {
            if peer.clock.now() != now {
                peer.clock.begin_frame(now);
            }
        }
    }

    fn tick(&self, server_at: Option<Time>) {
        let now = self.now();
        self.probe_links();
        self.remove_silent();
        let server_due = match server_at {
            _ if self.ended().is_some() => false,
            Some(at) => at <= now && self.server.timer.get().last() < at,
            None => self.server.timer.get().next() <= now,
        };
        if server_due {
            self.server_frame(now);
        }
        for client in self.clients() {
            if client.timer.get().next() <= now {
                self.client_frame(&client, now);
            }
        }
    }

    fn server_frame(&self, now: Time) {
        let mut timer = self.server.timer.get();
        let dt = timer.begin(now);
        self.server.timer.set(timer);
        self.run_frame(Side::Server, &self.server.peer, dt);
    }

    fn client_frame(&self, client: &Rc<Client>, now: Time) {
        let Some(peer) = client.peer() else { return };
        let mut timer = client.timer.get();
        let dt = timer.begin(now);
        client.timer.set(timer);
        self.take_probes(client, &peer);
        self.run_frame(client.side, &peer, dt);
    }

    fn run_frame(&self, side: Side, peer: &Rc<Peer>, dt: Time) {
        self.core.begin_frame(side, dt);
        peer.clock.begin_frame(self.now());
        self.notify_frame(side, dt);
        for phase in Phase::ALL {
            // A client may be kicked or leave between two phases of its own frame, and a test may kill the server.
            if self.peer(side).is_err() || (side.is_server() && self.ended().is_some()) {
                return;
            }
            self.run_phase(side, peer, phase, dt);
            self.grant_requests();
            self.notify();
        }
    }

    fn run_phase(&self, side: Side, peer: &Rc<Peer>, phase: Phase, dt: Time) {
        let paused = self.paused.get();
        match phase {
            Phase::Input | Phase::RenderStep | Phase::PreRender if side.is_server() => return,
            Phase::Input | Phase::Physics => {}
            Phase::RenderStep => run_service::run_render_steps(peer, dt),
            Phase::PreRender => run_service::pre_render(peer, dt),
            Phase::Receive => self.receive(side, peer),
            Phase::Legacy => resume_legacy(peer),
            Phase::PreAnimation if !paused => run_service::pre_animation(peer, dt),
            Phase::PreSimulation if !paused => run_service::pre_simulation(peer, dt),
            Phase::PostSimulation if !paused => run_service::post_simulation(peer, dt),
            Phase::PreAnimation | Phase::PreSimulation | Phase::PostSimulation => {}
            Phase::Waits => resume_waits(peer),
            Phase::Heartbeat => run_service::heartbeat(peer, dt),
            Phase::Send => {
                if side.is_server() {
                    players::report_overlooked(peer);
                }
                if let Some(desk) = peer.part::<Desk>() {
                    desk.report_long_waits(peer);
                }
                self.send(side, peer);
                return;
            }
        }
        drain(peer);
    }

    /// Measures links whose turn it is, and has clients ask for the server's time.
    fn probe_links(&self) {
        let now = self.now();
        let interval = Time::from_seconds(self.core.settings().sync_interval).max(Time::from_millis(1));
        for client in self.clients() {
            while client.next_probe.get() <= now {
                let at = client.next_probe.get();
                client.next_probe.set(at + interval);
                let mut link = client.link.borrow_mut();
                if let Some(probe) = link.probe(at) {
                    client.probes.borrow_mut().push_back(probe);
                }
                self.core.set_round_trip(client.side, link.round_trip());
            }
        }
    }

    /// Gives a client's clock the answers that are back by now.
    pub(super) fn take_probes(&self, client: &Client, peer: &Rc<Peer>) {
        let now = self.now();
        let mut probes = client.probes.borrow_mut();
        // Answers may overtake each other: take them in the order in which they are back.
        let mut back: Vec<_> = probes.iter().copied().filter(|probe| probe.answered_at <= now).collect();
        probes.retain(|probe| probe.answered_at > now);
        back.sort_by_key(|probe| probe.answered_at);
        for probe in back {
            // The client takes half the round trip for the way back: it is off by half the difference.
            let measured = probe.answered_at + (probe.up - probe.down).half();
            peer.clock.probed(probe.answered_at, measured);
        }
    }
}
