//! Coming and going: joins in the engine's order, leaves of every kind, kicks, time-outs, shutdown.
//! Source: Roblox behaviour, 6.6 and 8; emulator requirements, 6.1.

use std::rc::Rc;

use super::core::{Member, Request};
use super::post::Message;
use super::sides::{Client, ClientState, NewClient};
use super::{End, World, WorldError, check_fps};
use crate::clock::Time;
use crate::datamodel::journal::Change;
use crate::datamodel::{instance, replication, scripts};
use crate::network::{LinkSettings, Way};
use crate::peer::Peer;
use crate::scheduler::drain;
use crate::services::players::{self, ExitReason, NewPlayer};
use crate::services::{characters, data_model, teleport_service};
use crate::shared::{LogLevel, Side};
use crate::trace::{Event, Fate};
use crate::universe::Traveller;
use crate::value::Value;

/// Whether a joining client's tree takes time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Loading {
    /// The client has its tree, and its scripts run, when `join` returns, whatever its link.
    #[default]
    Instant,
    /// The tree crosses the link.
    Link,
}

/// How a client joins. Everything has a default.
#[derive(Clone, Debug, Default)]
pub struct JoinOptions {
    /// The player's name; `Player1`, `Player2`, ... unless given.
    pub name: Option<String>,
    /// The player's id; -1, -2, ... unless given.
    pub user_id: Option<i64>,
    /// What others see; the name unless given.
    pub display_name: Option<String>,
    /// The link from the client to the server; the world's unless given.
    pub up: Option<LinkSettings>,
    /// The link from the server to the client.
    pub down: Option<LinkSettings>,
    /// Frames a second; the world's for clients unless given.
    pub fps: Option<f64>,
    /// How far the client's wall clock is ahead.
    pub clock_offset: Time,
    /// The client's clock rate less one.
    pub clock_drift: f64,
    /// Whether the tree takes time.
    pub loading: Loading,
    /// Whether the player joins before the server's scripts run.
    pub before_scripts: bool,
    /// Whether the player gets a character; by the world's settings unless given.
    pub character: Option<bool>,
    /// What `GetJoinData` gives of the player on the server.
    pub join_data: Option<Value>,
    /// What the client's scripts kept on the servers before, by `SetTeleportSetting`.
    pub teleport_settings: Vec<(String, Value)>,
    /// Whether no script of the client runs: it is played back by [`World::feed`].
    pub silent: bool,
}

/// How a client leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeaveHow {
    /// The player quits.
    Quit,
    /// A script kicked the player, with this message.
    Kick(String),
    /// The link dies now; the server removes the player after its time-out.
    Timeout,
    /// The client's process dies now; the server removes the player after its time-out.
    Crash,
}

impl LeaveHow {
    /// The way of that name: `quit`, `kick`, `timeout` or `crash`. Errors: a text that names them.
    pub fn named(name: &str) -> Result<LeaveHow, String> {
        Ok(match name {
            "quit" => LeaveHow::Quit,
            "kick" => LeaveHow::Kick(String::new()),
            "timeout" => LeaveHow::Timeout,
            "crash" => LeaveHow::Crash,
            other => return Err(format!("\"{other}\" is not quit, kick, timeout or crash")),
        })
    }
}

/// A step of joining, on its way to a client behind the instances it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// `ReplicatedFirst` is there.
    First,
    /// Everything is there.
    Loaded,
}

/// What of a player's join data its teleport carried.
fn teleport_data(join_data: &Value) -> Option<Value> {
    let Value::Table(table) = join_data else { return None };
    let found = table.pairs.iter().find(|(key, _)| key.as_bytes() == Some(b"TeleportData"));
    found.map(|(_, value)| value.clone())
}

impl World {
    /// Lets a client join, and returns its index.
    ///
    /// The `Player` is in the game and `PlayerAdded` has fired when this returns; the server's deferred handlers have
    /// run. The server's scripts are started first unless the options say otherwise.
    ///
    /// Errors: [`WorldError::Full`], [`WorldError::BadOption`] for a rate out of range or a name that is taken,
    /// [`WorldError::Ended`], [`WorldError::Vm`].
    pub fn join(&self, options: JoinOptions) -> Result<u32, WorldError> {
        self.check_running()?;
        if !options.before_scripts {
            self.start();
        }
        let fps = options.fps.unwrap_or(self.options.client_fps);
        check_fps(fps)?;
        let limit = self.core.settings().max_players;
        if self.clients().len() as u64 >= u64::from(limit) {
            return Err(WorldError::Full(limit));
        }
        let index = self.clients.borrow().len() as u32;
        let side = Side::Client(index);
        let name = options.name.unwrap_or_else(|| format!("Player{}", index + 1));
        if self.core.members().iter().any(|member| member.connected && *member.name == *name)
            || name == "server"
        {
            return Err(WorldError::BadOption(format!("there is already a side called {name}")));
        }
        if let Some(universe) = self.universe() {
            universe.admit(&name, options.user_id)?;
        }
        let user_id = options.user_id.unwrap_or(-(i64::from(index) + 1));
        let server = &self.server.peer;

        // What was changed before belongs to the others; the newcomer gets it with its first tree.
        self.carry_changes();
        let new = NewPlayer {
            name: name.clone(),
            display_name: options.display_name.unwrap_or(name.clone()),
            user_id,
        };
        let player = players::make(server, &new);
        // A client learns no more of it than what the teleport carried.
        let carried = options.join_data.as_ref().and_then(teleport_data);
        if let Some(data) = options.join_data {
            players::set_join_data(server, player, data);
        }
        let client = Rc::new(Client::new(
            &self.core,
            NewClient {
                side,
                player,
                name: format!("client {index}"),
                fps,
                up: options.up.unwrap_or_else(|| self.options.link.clone()),
                down: options.down.unwrap_or_else(|| self.options.link.clone()),
                offset: options.clock_offset,
                drift: options.clock_drift,
                silent: options.silent,
            },
        )?);
        if let Some(peer) = client.peer() {
            teleport_service::set_arrival(&peer, carried.unwrap_or(Value::Nil), options.teleport_settings);
        }
        self.core.enrol(Member { side, player, name: name.as_str().into(), user_id, connected: true });
        self.core.record(side, Event::Join { user_id, name });
        players::add(server, player);
        drain(server);
        self.carry_changes();
        self.clients.borrow_mut().push(client.clone());
        self.greet(&client, options.loading);
        if options.character.unwrap_or(self.core.settings().characters) {
            characters::load(server, player);
            drain(server);
        }
        self.grant_requests();
        self.notify();
        Ok(index)
    }

    /// Gives a new client its clock and its first tree.
    fn greet(&self, client: &Rc<Client>, loading: Loading) {
        let Some(peer) = client.peer() else { return };
        let now = self.now();
        // The first measurement belongs to joining and is believed at once.
        let interval = Time::from_seconds(self.core.settings().sync_interval).max(Time::from_millis(1));
        client.next_probe.set(now + interval);
        let measured = client.link.borrow_mut().probe(now);
        let error = measured.map_or(Time::ZERO, |probe| (probe.up - probe.down).half());
        peer.clock.probed(now, now + error);
        self.core.set_round_trip(client.side, client.link.borrow().round_trip());

        let order = self.core.settings().join_order;
        let mut random = self.core.shared.schedule().random(&format!("join order of {}", client.side));
        let mut snapshot = {
            let model = self.server.peer.data_model();
            let store = model.store();
            replication::snapshot_for_join(&store, client.player, order, &mut random)
        };
        // Every client script finds its own player: that comes first of all.
        let own = |change: &Change| change.id() == players::service() || change.id() == client.player;
        let (mine, rest): (Vec<_>, Vec<_>) = snapshot.rest.into_iter().partition(own);
        snapshot.first.splice(0..0, mine);
        players::set_local(&peer, client.player);
        match loading {
            Loading::Instant => {
                players::apply_changes(&peer, snapshot.first);
                self.reach(client, &peer, Stage::First);
                players::apply_changes(&peer, rest);
                self.reach(client, &peer, Stage::Loaded);
                drain(&peer);
            }
            Loading::Link => {
                let messages = vec![
                    Message::Changes(snapshot.first),
                    Message::Stage(Stage::First),
                    Message::Changes(rest),
                    Message::Stage(Stage::Loaded),
                ];
                self.send_snapshot(client, messages);
            }
        }
    }

    /// A client has come a step further.
    pub(super) fn reach(&self, client: &Client, peer: &Rc<Peer>, stage: Stage) {
        match stage {
            Stage::First if client.silent => client.state.set(ClientState::First),
            Stage::Loaded if client.silent => client.state.set(ClientState::Loaded),
            Stage::First => {
                client.state.set(ClientState::First);
                scripts::begin(peer, scripts::Stage::First);
                // They run before the rest of the tree comes in, even if that is here already.
                drain(peer);
            }
            Stage::Loaded => {
                client.state.set(ClientState::Loaded);
                data_model::set_loaded(peer);
                players::copy_starter_scripts(peer, client.player);
                players::copy_starter_gui(peer, client.player, false);
                scripts::begin(peer, scripts::Stage::All);
            }
        }
    }

    /// Lets a client leave.
    ///
    /// After `Quit` and `Kick` the player is gone and the server's handlers have run. After `Timeout` and `Crash` the
    /// server still believes in the player until it has heard nothing for its time-out.
    ///
    /// Errors: [`WorldError::NoSuchSide`].
    pub fn leave(&self, client: u32, how: LeaveHow) -> Result<(), WorldError> {
        let client = self.client(client)?;
        if !client.is_connected() {
            return Err(WorldError::NoSuchSide(client.side));
        }
        match how {
            LeaveHow::Quit => self.remove(&client, ExitReason::Unknown, "quit"),
            LeaveHow::Kick(message) => self.kick(&client, &message),
            LeaveHow::Timeout => client.link.borrow_mut().cut(self.now(), Time::NEVER),
            LeaveHow::Crash => {
                client.link.borrow_mut().cut(self.now(), Time::NEVER);
                client.end();
            }
        }
        Ok(())
    }

    /// Lets a client leave for a server of that place, and gives what it takes along. `None` if it is not there.
    pub(crate) fn depart(&self, client: u32, place: f64) -> Option<Traveller> {
        let client = self.client(client).ok().filter(|client| client.is_connected())?;
        let member = self.core.member(client.side)?;
        teleport_service::state(self, client.index(), "InProgress", place);
        let peer = client.peer()?;
        let display = instance::property_of(&self.server.peer, client.player, "DisplayName");
        let links = {
            let link = client.link.borrow();
            (link.direction(Way::Up).settings().clone(), link.direction(Way::Down).settings().clone())
        };
        let traveller = Traveller {
            name: member.name.to_string(),
            user_id: member.user_id,
            display_name: display.to_string(),
            links,
            fps: client.timer.get().fps(),
            clock: (peer.clock.offset(), peer.clock.drift()),
            settings: teleport_service::settings_of(&peer),
        };
        self.remove(&client, ExitReason::Unknown, "teleport");
        Some(traveller)
    }

    /// Ends the server: it runs nothing any more, and clients that are still there find their links dead.
    pub(crate) fn end(&self, how: End) {
        self.ended.set(Some(how));
        for client in self.clients() {
            client.link.borrow_mut().cut(self.now(), Time::NEVER);
        }
        self.mark(match how {
            End::Killed => "the server dies",
            End::ShutDown => "the server has shut down",
        });
    }

    fn kick(&self, client: &Rc<Client>, message: &str) {
        if let Some(peer) = client.peer() {
            peer.write(LogLevel::Warning, format!("Disconnected from game: {message}"), None);
        }
        self.remove(client, ExitReason::CreatorKick, "kick");
    }

    fn remove(&self, client: &Rc<Client>, reason: ExitReason, why: &str) {
        let server = &self.server.peer;
        // A server that has ended notices nothing.
        let notices = self.ended().is_none();
        if notices {
            players::fire_removing(server, client.player, reason);
            drain(server);
        }
        if !client.is_connected() {
            // A handler of the leave made it leave again.
            return;
        }
        self.core.dismiss(client.side);
        client.state.set(ClientState::Left);
        self.drop_in_flight(client);
        let member = self.core.member(client.side);
        if let Some(member) = member {
            let name = member.name.to_string();
            self.core
                .record(client.side, Event::Leave { user_id: member.user_id, name, reason: why.to_owned() });
        }
        if notices {
            characters::remove(server, client.player);
            players::remove(server, client.player);
            self.server.desk.forget(server, client.side);
            drain(server);
        }
        client.end();
        self.notify();
    }

    /// What is on the way to or from a client that leaves never arrives.
    fn drop_in_flight(&self, client: &Client) {
        let now = self.now();
        let (up, down) = client.link.borrow_mut().close();
        let unsent = client.desk.take_outbox(Time::NEVER).into_iter().map(|posted| posted.call.packet);
        let up: Vec<u64> = up.into_iter().chain(unsent).collect();
        let mut trace = self.core.trace_mut();
        for (packets, to) in [(up, Side::Server), (down, client.side)] {
            let frame = self.core.frame(to);
            for packet in packets {
                trace.settle(packet, to, Fate::DroppedLeave, now, frame);
            }
        }
    }

    /// Does what scripts asked for.
    pub(super) fn grant_requests(&self) {
        for request in self.core.take_requests() {
            match request {
                Request::Kick { client: Side::Client(index), message } => {
                    if let Ok(client) = self.client(index)
                        && client.is_connected()
                    {
                        self.kick(&client, &message);
                    }
                }
                Request::Kick { client: Side::Server, .. } => {}
            }
        }
    }

    /// Removes players who have not been heard of for the time-out.
    pub(super) fn remove_silent(&self) {
        // A server that has ended notices nothing.
        if self.ended().is_some() {
            return;
        }
        let limit = Time::from_seconds(self.core.settings().timeout_seconds);
        for client in self.clients() {
            let silent = self.now() - client.link.borrow().heard_at();
            if silent >= limit {
                if let Some(peer) = client.peer() {
                    peer.write(LogLevel::Warning, "Disconnected from game: connection lost", None);
                }
                self.remove(&client, ExitReason::Unknown, "timeout");
            }
        }
    }

    /// Shuts the server down: runs what was given to `BindToClose`, for 30 s of virtual time at most, then lets every
    /// client leave. Returns whether everything ended in time.
    ///
    /// Errors: [`WorldError::Busy`], [`WorldError::Ended`].
    pub fn shutdown(&self, reason: &str) -> Result<bool, WorldError> {
        use std::cell::Cell;

        use crate::datamodel::classes::enum_item;
        use crate::value::Value;
        const LONGEST: Time = Time::from_millis(30_000);

        self.check_running()?;
        self.start();
        let server = &self.server.peer;
        let reason = enum_item("CloseReason", reason).or_else(|| enum_item("CloseReason", "Unknown"));
        let reason = reason.map_or(Value::Nil, Value::EnumItem);
        let running = Rc::new(Cell::new(0_usize));
        for function in data_model::close_functions(server) {
            let Value::Function(function) = function else { continue };
            running.set(running.get() + 1);
            let ended = running.clone();
            let end = move |peer: &Rc<Peer>, end: crate::vm::ThreadEnd| {
                ended.set(ended.get() - 1);
                if let Err(failure) = end {
                    peer.report(&failure, None);
                }
            };
            if let Err(failure) =
                server.spawn_then(&function, 0, std::slice::from_ref(&reason), Box::new(end))
            {
                running.set(running.get() - 1);
                server.report(&failure, None);
            }
        }
        drain(server);
        let limit = self.now() + LONGEST;
        while running.get() > 0 && self.now() < limit {
            self.step(1)?;
        }
        for client in self.clients() {
            self.remove(&client, ExitReason::Unknown, "shutdown");
        }
        if let Some(universe) = self.universe() {
            universe.closed(self);
            self.end(End::ShutDown);
        }
        Ok(running.get() == 0)
    }

    /// Makes both directions of a client's link what `settings` gives for each.
    ///
    /// Errors: [`WorldError::NoSuchSide`].
    pub fn set_links(&self, client: u32, up: &LinkSettings, down: &LinkSettings) -> Result<(), WorldError> {
        self.set_link(client, Some(Way::Up), up)?;
        self.set_link(client, Some(Way::Down), down)
    }
}
