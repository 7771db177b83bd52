//! Several servers of one game: worlds on one clock, with the stores, messages and teleports they share.
//!
//! [`Cloud`] is what stands behind the servers; members of services find it through [`Seat`], which the peers of a world
//! share. [`Universe`] moves the worlds: at each moment somebody has a frame, the servers run in order of their numbers,
//! then come players who travel. Servers are opened when a player is on the way to one that is not there.
//!
//! Latencies are drawn from the universe's seed, so that equal runs are equal. Engine pages: classes/TeleportService,
//! classes/MemoryStoreService, classes/MessagingService and the guides on them, checked November 2026.

mod cloud;
mod data;
mod journeys;
mod memory;
mod messages;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

pub use cloud::{Access, Cloud, Fault, Seat, Server, Service};
pub use data::Entry;
pub use journeys::{Destination, Journey, Traveller};
pub use memory::{
    Bound, Item, Kind, LONGEST_KEY, LONGEST_LIFE, LONGEST_VALUE, MOST_RANGE, MOST_READ, SortKey,
};
pub use messages::{LONGEST_MESSAGE, LONGEST_TOPIC};

use blinkblox_compiler::diagnostics::counted;

use crate::clock::Time;
use crate::shared::{Seed, Side};
use crate::world::{End, LeaveHow, World, WorldError};

/// A server that is about to open.
#[derive(Clone, Debug)]
pub struct Opening {
    /// Its place behind the universe's stores.
    pub seat: Seat,
    /// When its clock starts.
    pub begin: Time,
    /// Root of its randomness.
    pub seed: Seed,
}

/// Makes the world of a server; it must have the opening's seat, begin and seed.
pub type Make = Box<dyn Fn(&Opening) -> Result<Rc<World>, WorldError>>;

/// See the module.
pub struct Universe {
    cloud: Rc<Cloud>,
    worlds: RefCell<Vec<Rc<World>>>,
    make: Make,
    moving: Cell<bool>,
    /// What went wrong where no script could be told.
    troubles: RefCell<Vec<String>>,
}

/// Keeps time from being moved from inside a frame.
struct Moving<'a>(&'a Universe);

impl Drop for Moving<'_> {
    fn drop(&mut self) {
        self.0.moving.set(false);
    }
}

impl Universe {
    /// A universe without servers.
    pub fn new(cloud: Rc<Cloud>, make: Make) -> Rc<Universe> {
        Rc::new(Universe {
            cloud,
            worlds: RefCell::default(),
            make,
            moving: Cell::new(false),
            troubles: RefCell::default(),
        })
    }

    /// What the servers share.
    pub fn cloud(&self) -> &Rc<Cloud> {
        &self.cloud
    }

    /// The servers, by number from 1, gone or not.
    pub fn worlds(&self) -> Vec<Rc<World>> {
        self.worlds.borrow().clone()
    }

    /// The server of that number, from 1.
    pub fn world(&self, number: u32) -> Option<Rc<World>> {
        self.worlds.borrow().get(number.checked_sub(1)? as usize).cloned()
    }

    /// Virtual time since the start.
    pub fn now(&self) -> Time {
        self.worlds.borrow().iter().map(|world| world.now()).max().unwrap_or_default()
    }

    /// Whether a frame is running on any server.
    pub fn is_moving(&self) -> bool {
        self.moving.get()
    }

    /// What went wrong where no script could be told: servers that would not open, players that could not join.
    pub fn troubles(&self) -> Vec<String> {
        self.troubles.borrow().clone()
    }

    /// Opens a server of a place, and runs its scripts. Gives its number.
    ///
    /// Errors: those of making a world; [`WorldError::BadOption`] for a place that the universe has not.
    pub fn open(self: &Rc<Self>, place: f64, access: Access) -> Result<u32, WorldError> {
        if !self.cloud.has_place(place) {
            return Err(WorldError::BadOption(format!("this universe has no place {place}")));
        }
        let number = self.cloud.add_server(place, access);
        let opening = Opening {
            seat: Seat { cloud: self.cloud.clone(), server: number },
            begin: self.now(),
            seed: Seed(self.cloud.seed().derive(&format!("server {number}"))),
        };
        let world = match (self.make)(&opening) {
            Ok(world) => world,
            Err(error) => {
                self.cloud.withdraw_server();
                return Err(error);
            }
        };
        world.belong_to(self);
        self.cloud.set_world(number, &world);
        self.worlds.borrow_mut().push(world.clone());
        world.start();
        Ok(number)
    }

    /// Lets a server die at once: it has no more frames, runs nothing that was bound to its closing and hears nobody,
    /// while its clients go on and find their links dead.
    ///
    /// Errors: [`WorldError::BadOption`] for a number no server has; [`WorldError::Ended`] for one that runs no more.
    pub fn kill(&self, number: u32) -> Result<(), WorldError> {
        let world = self.world(number);
        let world = world.ok_or_else(|| WorldError::BadOption(format!("there is no server {number}")))?;
        world.check_running()?;
        self.cloud.close(number);
        world.end(End::Killed);
        Ok(())
    }

    /// A server has shut down.
    pub(crate) fn closed(&self, world: &World) {
        if let Some(number) = world.server_number() {
            self.cloud.close(number);
        }
    }

    /// Whether a player of that name and id may join one of the servers. A client that still hangs on a server which
    /// was killed gives up there.
    ///
    /// Errors: [`WorldError::BadOption`] when such a player is on another server or on the way to one.
    pub(crate) fn admit(&self, name: &str, user_id: Option<i64>) -> Result<(), WorldError> {
        const ONE_PLACE: &str = "a player is on one server at a time";
        let is_same = |known: &str, id: i64| known == name || user_id == Some(id);
        for journey in self.cloud.journeys.borrow().iter() {
            if let Some((traveller, to)) = &journey.under_way
                && is_same(&traveller.name, traveller.user_id)
            {
                let (name, id) = (&traveller.name, traveller.user_id);
                let text = format!("{name} (id {id}) is on the way to server {to}: {ONE_PLACE}");
                return Err(WorldError::BadOption(text));
            }
        }
        for (number, world) in (1..).zip(self.worlds()) {
            let known = {
                let members = world.core().members();
                members.iter().find(|one| one.connected && is_same(&one.name, one.user_id)).cloned()
            };
            let Some(known) = known else { continue };
            if world.ended().is_none() {
                let (name, id) = (&known.name, known.user_id);
                let text = format!("there already is {name} (id {id}) on server {number}: {ONE_PLACE}");
                return Err(WorldError::BadOption(text));
            }
            if let Side::Client(client) = known.side {
                world.leave(client, LeaveHow::Quit)?;
            }
        }
        Ok(())
    }

    /// Runs the clock for `length`, with every frame due until its end on every server.
    ///
    /// Errors: [`WorldError::Busy`].
    pub fn advance(self: &Rc<Self>, length: Time) -> Result<(), WorldError> {
        self.run_until(self.now() + length.max(Time::ZERO))
    }

    /// Runs everything up to `end`.
    ///
    /// Errors: [`WorldError::Busy`].
    pub(crate) fn run_until(self: &Rc<Self>, end: Time) -> Result<(), WorldError> {
        if self.moving.replace(true) {
            return Err(WorldError::Busy);
        }
        let _moving = Moving(self);
        loop {
            let worlds = self.worlds();
            if worlds.first().is_some_and(|world| world.options().deadline.is_expired()) {
                return Ok(());
            }
            let due = worlds.iter().map(|world| world.next_due()).min().unwrap_or(Time::NEVER);
            let next = due.min(self.cloud.next_journey());
            if next > end {
                break;
            }
            for world in &worlds {
                world.run_to(next)?;
            }
            self.travel(next);
        }
        for world in self.worlds() {
            world.run_to(end)?;
        }
        Ok(())
    }

    /// Runs frames until no server is busy, no call of a service is under way and nobody travels.
    ///
    /// Errors: [`WorldError::NotSettled`] after `within`, saying what was still going on; [`WorldError::Busy`].
    pub fn settle(self: &Rc<Self>, within: Time) -> Result<(), WorldError> {
        let limit = self.now() + within;
        let mut quiet = 0;
        loop {
            self.advance(Time::of_frame(1, 60.0))?;
            let mut busy: Vec<String> = Vec::new();
            for (index, world) in
                self.worlds().iter().enumerate().filter(|(_, world)| world.ended().is_none())
            {
                busy.extend(world.restless().into_iter().map(|what| format!("server {}: {what}", index + 1)));
            }
            busy.extend(self.cloud.calls().into_iter().map(|(server, count)| match count {
                1 => format!("server {server}: a call of a service is under way"),
                _ => format!("server {server}: {count} calls of services are under way"),
            }));
            busy.extend(self.travelling());
            quiet = if busy.is_empty() { quiet + 1 } else { 0 };
            if quiet >= 2 {
                return Ok(());
            }
            if self.now() >= limit {
                let (within, busy) = (counted(within.seconds(), "virtual second"), busy.join(", "));
                return Err(WorldError::NotSettled(format!("not settled within {within}: {busy}")));
            }
        }
    }

    /// Players who are on the way or about to be, a sentence each.
    fn travelling(&self) -> Vec<String> {
        let sentence = |journey: &Journey| match &journey.under_way {
            Some((traveller, to)) => format!("{} is on the way to server {to}", traveller.name),
            None => {
                let world = self.world(journey.from);
                let name = world.map_or_else(String::new, |world| world.side_name(journey.side));
                format!("server {}: {name} is about to be teleported", journey.from)
            }
        };
        self.cloud.journeys.borrow().iter().map(sentence).collect()
    }

    /// Where the player of that name is: a server's number, and its side there. `None` on the way and elsewhere.
    pub fn whereabouts(&self, name: &str) -> Option<(u32, Side)> {
        self.worlds().iter().enumerate().find_map(|(index, world)| {
            let side = world.side_named(name).filter(|side| !side.is_server())?;
            let Side::Client(client) = side else { return None };
            world.client(client).is_ok_and(|client| client.is_connected()).then_some((index as u32 + 1, side))
        })
    }

    fn complain(&self, text: String) {
        self.troubles.borrow_mut().push(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::WorldOptions;

    /// A universe of one place, which cannot make a server when `broken` says so.
    fn universe(broken: &Rc<Cell<bool>>) -> Rc<Universe> {
        let broken = broken.clone();
        let make = move |opening: &Opening| {
            if broken.get() {
                return Err(WorldError::Vm("there is no memory left".into()));
            }
            let options = WorldOptions {
                seed: opening.seed,
                seat: Some(opening.seat.clone()),
                begin: opening.begin,
                ..WorldOptions::default()
            };
            World::new(options).map(Rc::new)
        };
        Universe::new(Cloud::new(Seed(1), 1.0, vec![1.0]), Box::new(make))
    }

    #[test]
    fn a_server_that_cannot_be_made_leaves_no_gap_among_the_numbers() {
        let broken = Rc::new(Cell::new(false));
        let universe = universe(&broken);
        assert_eq!(universe.open(1.0, Access::Public).unwrap(), 1);
        broken.set(true);
        assert!(universe.open(1.0, Access::Public).is_err());
        assert_eq!(universe.cloud().open_servers(), [1]);
        broken.set(false);
        assert_eq!(universe.open(1.0, Access::Public).unwrap(), 2);
        for number in [1, 2] {
            let world = universe.world(number).unwrap();
            assert_eq!(world.server_number(), Some(number));
            assert!(Rc::ptr_eq(&world, &universe.cloud().world(number).unwrap()));
        }
        universe.kill(2).unwrap();
        assert_eq!(universe.cloud().open_servers(), [1]);
        assert_eq!(universe.world(2).unwrap().ended(), Some(End::Killed));
    }

    #[test]
    fn calls_of_a_server_that_dies_are_given_up() {
        let universe = universe(&Rc::default());
        let cloud = universe.cloud().clone();
        for number in [1, 2] {
            universe.open(1.0, Access::Public).unwrap();
            cloud.begin_call(number);
            cloud.begin_call(number);
        }
        assert_eq!(cloud.calls(), [(1, 2), (2, 2)]);
        cloud.end_call(1);
        universe.kill(2).unwrap();
        assert_eq!(cloud.calls(), [(1, 1)]);
        // One that ends all the same changes nothing.
        cloud.end_call(2);
        cloud.end_call(1);
        assert_eq!(cloud.calls(), []);
    }
}
