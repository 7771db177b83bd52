//! What stands behind the servers of a universe: who they are, what fails, how long a call takes, what was used up.

use std::cell::{Ref, RefCell, RefMut};
use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::rc::{Rc, Weak};

use super::data::Data;
use super::journeys::Journey;
use super::memory::Memory;
use crate::clock::Time;
use crate::services::http_service::guid_text;
use crate::shared::{Random, Seed};
use crate::value::Value;
use crate::world::World;

/// A world's place in a universe, as its peers know it.
#[derive(Clone, Debug)]
pub struct Seat {
    /// What it shares with the other servers.
    pub cloud: Rc<Cloud>,
    /// Its number, from 1.
    pub server: u32,
}

/// A service whose calls take time and may fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Service {
    /// `MemoryStoreService`
    Memory,
    /// `DataStoreService`
    Data,
    /// `MessagingService`: a message that fails is lost, and nobody is told.
    Messaging,
    /// `TeleportService`: a teleport that fails fires `TeleportInitFailed`.
    Teleport,
    /// `TeleportService:ReserveServerAsync`
    Reserve,
}

impl Service {
    /// All of them.
    pub const ALL: [Service; 5] =
        [Service::Memory, Service::Data, Service::Messaging, Service::Teleport, Service::Reserve];

    /// What tests and traces call it.
    pub fn name(self) -> &'static str {
        match self {
            Service::Memory => "memory",
            Service::Data => "data",
            Service::Messaging => "messaging",
            Service::Teleport => "teleport",
            Service::Reserve => "reserve",
        }
    }

    /// Least and most seconds a call takes. Ours: the platform promises no more than "under a second".
    fn latency(self) -> (f64, f64) {
        match self {
            Service::Memory => (0.02, 0.06),
            Service::Data => (0.05, 0.2),
            Service::Messaging => (0.05, 0.3),
            Service::Teleport | Service::Reserve => (0.1, 0.3),
        }
    }
}

/// Something that is to fail.
#[derive(Clone, Debug)]
pub struct Fault {
    /// What.
    pub service: Service,
    /// How often, from the next time on.
    pub times: u32,
    /// On this server alone, if given.
    pub server: Option<u32>,
    /// About this player alone, if given.
    pub player: Option<String>,
    /// The error's text, or the item of `Enum.TeleportResult`; the usual one if not given.
    pub text: Option<String>,
}

/// A server of the universe.
#[derive(Clone, Debug)]
pub struct Server {
    /// `game.PlaceId`
    pub place: f64,
    /// `game.JobId`
    pub job: String,
    /// `game.PrivateServerId`, empty on a public server.
    pub private: String,
    /// `game.PrivateServerOwnerId`: the player whose private server it is, 0 for others.
    pub owner: f64,
    /// Whether it still runs.
    pub open: bool,
    world: Weak<World>,
}

/// Who comes to a server.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Access {
    /// Anybody.
    Public,
    /// Who has the access code of the reserved server in that place of the list.
    Reserved(usize),
    /// Guests of the player of that id, whose private server it is.
    Owned(f64),
}

/// A server that was reserved, running or not.
#[derive(Clone, Debug)]
pub(super) struct Reserved {
    pub(super) place: f64,
    pub(super) code: String,
    pub(super) private: String,
}

/// See the module.
pub struct Cloud {
    seed: Seed,
    random: RefCell<Random>,
    game: f64,
    places: Vec<f64>,
    servers: RefCell<Vec<Server>>,
    pub(super) reserved: RefCell<Vec<Reserved>>,
    faults: RefCell<Vec<Fault>>,
    /// Teleport data that players forge, by name.
    forged: RefCell<Vec<(String, Value)>>,
    /// Calls under way, by the server that waits for them.
    calls: RefCell<BTreeMap<u32, usize>>,
    pub(super) journeys: RefCell<Vec<Journey>>,
    memory: RefCell<Memory>,
    data: RefCell<Data>,
    /// Request units of memory stores in the last minute, with when.
    units: RefCell<VecDeque<(Time, f64)>>,
    /// Messages published in the last minute: when, by which server, about what.
    pub(super) published: RefCell<VecDeque<(Time, u32, String)>>,
}

impl fmt::Debug for Cloud {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cloud").field("seed", &self.seed).finish_non_exhaustive()
    }
}

/// What limits are counted in.
pub(super) const MINUTE: Time = Time::from_millis(60_000);

impl Cloud {
    /// What servers of these places share; servers without a place of their own are of the first.
    pub fn new(seed: Seed, game: f64, places: Vec<f64>) -> Rc<Cloud> {
        Rc::new(Cloud {
            seed,
            random: RefCell::new(seed.random("services")),
            game,
            places,
            servers: RefCell::default(),
            reserved: RefCell::default(),
            faults: RefCell::default(),
            forged: RefCell::default(),
            calls: RefCell::default(),
            journeys: RefCell::default(),
            memory: RefCell::default(),
            data: RefCell::default(),
            units: RefCell::default(),
            published: RefCell::default(),
        })
    }

    /// Root of the universe's randomness.
    pub fn seed(&self) -> Seed {
        self.seed
    }

    /// `game.GameId`
    pub fn game(&self) -> f64 {
        self.game
    }

    /// Whether the game has a place of that id.
    pub fn has_place(&self, place: f64) -> bool {
        self.places.contains(&place)
    }

    /// The memory stores.
    pub fn memory(&self) -> RefMut<'_, Memory> {
        self.memory.borrow_mut()
    }

    /// The data stores.
    pub fn data(&self) -> RefMut<'_, Data> {
        self.data.borrow_mut()
    }

    /// All servers so far, by number from 1.
    pub fn servers(&self) -> Ref<'_, Vec<Server>> {
        self.servers.borrow()
    }

    /// The server of that number.
    pub fn server(&self, number: u32) -> Option<Server> {
        self.servers.borrow().get(number.checked_sub(1)? as usize).cloned()
    }

    /// The world of an open server.
    pub fn world(&self, number: u32) -> Option<Rc<World>> {
        self.server(number).filter(|server| server.open)?.world.upgrade()
    }

    /// Numbers of the open servers, in order.
    pub fn open_servers(&self) -> Vec<u32> {
        let servers = self.servers.borrow();
        (1..).zip(servers.iter()).filter(|(_, server)| server.open).map(|(number, _)| number).collect()
    }

    /// Players on all open servers.
    pub fn users(&self) -> usize {
        self.open_servers().iter().map(|number| self.users_of(*number)).sum()
    }

    /// Players on one server.
    pub fn users_of(&self, number: u32) -> usize {
        self.world(number).map_or(0, |world| world.clients().len())
    }

    pub(super) fn add_server(&self, place: f64, kind: Access) -> u32 {
        let mut servers = self.servers.borrow_mut();
        let number = servers.len() as u32 + 1;
        let (private, owner) = match kind {
            Access::Public => (None, 0.0),
            Access::Reserved(at) => (self.reserved.borrow().get(at).map(|one| one.private.clone()), 0.0),
            Access::Owned(user) => {
                (Some(self.guid(&format!("private id of server {number}")).to_lowercase()), user)
            }
        };
        servers.push(Server {
            place,
            job: self.guid(&format!("job id of server {number}")).to_lowercase(),
            private: private.unwrap_or_default(),
            owner,
            open: true,
            world: Weak::new(),
        });
        number
    }

    pub(super) fn set_world(&self, number: u32, world: &Rc<World>) {
        if let Some(server) = self.servers.borrow_mut().get_mut(number as usize - 1) {
            server.world = Rc::downgrade(world);
        }
    }

    /// Takes back the newest server, which could not be made: its number is given again.
    pub(super) fn withdraw_server(&self) {
        self.servers.borrow_mut().pop();
    }

    /// Nobody comes to a server any more, and what it waited for it never hears.
    pub(super) fn close(&self, number: u32) {
        if let Some(server) = self.servers.borrow_mut().get_mut(number as usize - 1) {
            server.open = false;
        }
        self.calls.borrow_mut().remove(&number);
    }

    fn guid(&self, purpose: &str) -> String {
        let mut random = self.seed.random(purpose);
        guid_text([random.bits(), random.bits()])
    }

    /// Reserves a server of a place: its access code and its private id.
    pub fn reserve(&self, place: f64) -> (String, String) {
        let mut reserved = self.reserved.borrow_mut();
        let at = reserved.len() + 1;
        let code = self.guid(&format!("access code {at}")).replace('-', "");
        let private = self.guid(&format!("private id {at}")).to_lowercase();
        reserved.push(Reserved { place, code: code.clone(), private: private.clone() });
        (code, private)
    }

    /// Seconds that a call takes.
    pub fn latency(&self, service: Service) -> f64 {
        let (least, most) = service.latency();
        self.between(least, most)
    }

    pub(super) fn between(&self, least: f64, most: f64) -> f64 {
        least + (most - least) * self.random.borrow_mut().unit()
    }

    /// A server begins to wait for a service: for an answer, or for a message that is on the way to it.
    pub fn begin_call(&self, server: u32) {
        *self.calls.borrow_mut().entry(server).or_default() += 1;
    }

    /// What a server waited for is there.
    pub fn end_call(&self, server: u32) {
        let mut calls = self.calls.borrow_mut();
        if let Some(count) = calls.get_mut(&server) {
            *count -= 1;
            if *count == 0 {
                calls.remove(&server);
            }
        }
    }

    /// Servers that wait for services, each with how many calls of it are under way.
    pub fn calls(&self) -> Vec<(u32, usize)> {
        self.calls.borrow().iter().map(|(server, count)| (*server, *count)).collect()
    }

    /// Has something fail.
    pub fn fail(&self, fault: Fault) {
        self.faults.borrow_mut().push(fault);
    }

    /// Ends what [`Cloud::fail`] began, of one service or of all.
    pub fn mend(&self, service: Option<Service>) {
        self.faults.borrow_mut().retain(|fault| service.is_some_and(|service| fault.service != service));
    }

    /// Has a player arrive with other teleport data the next time, as one who forges it does.
    pub fn forge(&self, player: &str, data: Value) {
        self.forged.borrow_mut().push((player.to_owned(), data));
    }

    pub(super) fn take_forged(&self, player: &str) -> Option<Value> {
        let mut forged = self.forged.borrow_mut();
        let at = forged.iter().position(|(name, _)| name == player)?;
        Some(forged.remove(at).1)
    }

    /// Whether this time it fails, and with which text if the fault says one.
    pub fn fails(&self, service: Service, server: u32, player: Option<&str>) -> Option<Option<String>> {
        let mut faults = self.faults.borrow_mut();
        let hits = |fault: &Fault| {
            fault.service == service
                && fault.server.is_none_or(|only| only == server)
                && fault.player.as_deref().is_none_or(|only| Some(only) == player)
        };
        let at = faults.iter().position(hits)?;
        let fault = &mut faults[at];
        let text = fault.text.clone();
        fault.times -= 1;
        if fault.times == 0 {
            faults.remove(at);
        }
        Some(text)
    }

    /// Uses up request units of memory stores. False if the game has none left: 1 000 and 120 a player each minute.
    pub fn charge(&self, now: Time, units: f64) -> bool {
        let mut used = self.units.borrow_mut();
        while used.front().is_some_and(|(at, _)| *at + MINUTE <= now) {
            used.pop_front();
        }
        let limit = 1000.0 + 120.0 * self.users() as f64;
        let sum: f64 = used.iter().map(|(_, units)| units).sum();
        if sum + units > limit {
            return false;
        }
        used.push_back((now, units));
        true
    }

    /// Bytes that memory stores may hold: 64 KB and 1.2 KB a player.
    pub fn memory_limit(&self) -> usize {
        64 * 1024 + self.users() * 1229
    }
}
