//! Teleports: a player leaves one server and joins another, a while later, with what it was given for the way.
//!
//! A journey has two moments. At the first the destination is found, and opened if need be, or the teleport fails and
//! the player stays; at the second the player joins.

use std::rc::Rc;

use super::{Access, Cloud, Service, Universe};
use crate::clock::Time;
use crate::network::LinkSettings;
use crate::services::teleport_service::{self, TeleportResult};
use crate::shared::Side;
use crate::value::{InstanceId, Value};
use crate::world::JoinOptions;

/// Where a player is to go.
#[derive(Clone, Debug, PartialEq)]
pub enum Destination {
    /// Any public server of a place.
    Place(f64),
    /// The public server of that `JobId`.
    Job(String),
    /// The reserved server of that access code.
    Code(String),
}

/// What a player takes along: all that makes it the same player over there.
#[derive(Clone, Debug)]
pub struct Traveller {
    /// The player's name.
    pub name: String,
    /// Its id.
    pub user_id: i64,
    /// What others see.
    pub display_name: String,
    /// Its links.
    pub links: (LinkSettings, LinkSettings),
    /// Its frames a second.
    pub fps: f64,
    /// Its clock.
    pub clock: (Time, f64),
    /// What its scripts keep from place to place.
    pub settings: Vec<(String, Value)>,
}

/// A player on the way.
#[derive(Clone, Debug)]
pub struct Journey {
    /// When the next thing happens.
    pub due: Time,
    /// From which server.
    pub from: u32,
    /// Its side there.
    pub side: Side,
    /// Where to.
    pub to: Destination,
    /// The place that was named.
    pub place: f64,
    /// What the teleport carries.
    pub data: Value,
    /// The options it was called with, on the server it is called from.
    pub options: Option<InstanceId>,
    /// Ids of those who travel together.
    pub party: Vec<i64>,
    /// Once it has left: who it is, and the server it goes to.
    pub(super) under_way: Option<(Traveller, u32)>,
}

impl Journey {
    /// A journey that nobody has begun: [`Cloud::send`] says when its player leaves.
    pub fn new(from: u32, side: Side, to: Destination, place: f64, data: Value) -> Journey {
        let (due, party) = (Time::ZERO, Vec::new());
        Journey { due, from, side, to, place, data, options: None, party, under_way: None }
    }
}

impl Cloud {
    /// Sends a player on a journey. False if it is on one already.
    pub fn send(&self, mut journey: Journey, now: Time) -> bool {
        let mut journeys = self.journeys.borrow_mut();
        let is_same = |known: &Journey| (known.from, known.side) == (journey.from, journey.side);
        if journeys.iter().any(|known| known.under_way.is_none() && is_same(known)) {
            return false;
        }
        journey.due = now + Time::from_seconds(self.between(0.3, 0.8));
        journeys.push(journey);
        true
    }

    pub(super) fn next_journey(&self) -> Time {
        self.journeys.borrow().iter().map(|journey| journey.due).min().unwrap_or(Time::NEVER)
    }

    /// The earliest journey that is due, taken out.
    fn due(&self, now: Time) -> Option<Journey> {
        let mut journeys = self.journeys.borrow_mut();
        let at = (0..journeys.len()).min_by_key(|at| (journeys[*at].due, *at))?;
        (journeys[at].due <= now).then(|| journeys.remove(at))
    }
}

impl Universe {
    /// Moves everybody on whose time has come.
    pub(super) fn travel(self: &Rc<Self>, now: Time) {
        while let Some(journey) = self.cloud.due(now) {
            match journey.under_way.clone() {
                Some((traveller, server)) => self.arrive(journey, traveller, server),
                None => self.depart(journey, now),
            }
        }
    }

    fn depart(self: &Rc<Self>, mut journey: Journey, now: Time) {
        let Some(world) = self.cloud.world(journey.from) else { return };
        let Side::Client(client) = journey.side else { return };
        let name = world.side_name(journey.side);
        if !world.client(client).is_ok_and(|client| client.is_connected()) {
            return;
        }
        let found = match self.cloud.fails(Service::Teleport, journey.from, Some(&name)) {
            Some(text) => {
                let named = text.as_deref().and_then(TeleportResult::named);
                Err((named.unwrap_or(TeleportResult::Failure), "Teleport failed on request".to_owned()))
            }
            None => self.destination(&journey),
        };
        match found {
            Ok(server) => {
                let Some(traveller) = world.depart(client, journey.place) else { return };
                world.mark(&format!("teleport: {name} leaves for server {server}"));
                journey.due = now + Time::from_seconds(self.cloud.between(0.5, 1.5));
                journey.under_way = Some((traveller, server));
                self.cloud.journeys.borrow_mut().push(journey);
            }
            Err((result, text)) => {
                world.mark(&format!("teleport: {name} stays, {}", result.name()));
                teleport_service::fail(&world, &journey, result, &text);
            }
        }
    }

    /// The server a journey goes to, open and with room.
    fn destination(self: &Rc<Self>, journey: &Journey) -> Result<u32, (TeleportResult, String)> {
        let cloud = &self.cloud;
        let is_full = |number: u32| {
            let limit = cloud.world(number).map_or(0, |world| world.core().settings().max_players);
            let coming = cloud.journeys.borrow();
            let coming =
                coming.iter().filter(|other| matches!(&other.under_way, Some((_, to)) if *to == number));
            cloud.users_of(number) + coming.count() >= limit as usize
        };
        let full = || (TeleportResult::GameFull, "Requested experience is full".to_owned());
        let opened = |place: f64, access: Access| {
            self.open(place, access).map_err(|error| {
                self.complain(format!("a server of place {place} would not open: {error}"));
                (TeleportResult::Failure, error.to_string())
            })
        };
        match &journey.to {
            Destination::Job(job) => {
                let is_it = |number: &u32| {
                    let server = cloud.server(*number);
                    server.is_some_and(|server| server.job == *job && server.private.is_empty())
                };
                match cloud.open_servers().into_iter().find(is_it) {
                    Some(number) if is_full(number) => Err(full()),
                    Some(number) => Ok(number),
                    None => Err((TeleportResult::GameEnded, "Requested experience has ended".into())),
                }
            }
            Destination::Code(code) => {
                let found = {
                    let reserved = cloud.reserved.borrow();
                    let at = reserved.iter().position(|known| known.code == *code);
                    at.map(|at| (at, reserved[at].clone()))
                };
                let Some((at, reserved)) = found else {
                    let text = "Unauthorized: no server has this access code".to_owned();
                    return Err((TeleportResult::Unauthorized, text));
                };
                let is_it = |number: &u32| {
                    cloud.server(*number).is_some_and(|server| server.private == reserved.private)
                };
                match cloud.open_servers().into_iter().find(is_it) {
                    Some(number) if is_full(number) => Err(full()),
                    Some(number) => Ok(number),
                    None => opened(reserved.place, Access::Reserved(at)),
                }
            }
            Destination::Place(place) => {
                if !cloud.has_place(*place) {
                    let text = format!("Place {place} is not part of this experience");
                    return Err((TeleportResult::GameNotFound, text));
                }
                let has_room = |number: &u32| {
                    let server = cloud.server(*number);
                    let is_public = server.is_some_and(|it| it.place == *place && it.private.is_empty());
                    is_public && *number != journey.from && !is_full(*number)
                };
                let there = cloud.open_servers().into_iter().find(has_room);
                there.map_or_else(|| opened(*place, Access::Public), Ok)
            }
        }
    }

    fn arrive(self: &Rc<Self>, journey: Journey, traveller: Traveller, server: u32) {
        let name = traveller.name.clone();
        let data = self.cloud.take_forged(&name).unwrap_or(journey.data);
        let Some(world) = self.cloud.world(server) else {
            self.complain(format!("{name} was on the way to server {server}, which is gone"));
            return;
        };
        let source = self.cloud.server(journey.from).map_or(0.0, |server| server.place);
        let party = journey.party.iter().map(|id| Value::Number(*id as f64));
        let join_data = Value::record([
            ("SourceGameId", Value::Number(self.cloud.game())),
            ("SourcePlaceId", Value::Number(source)),
            ("Members", Value::array(party)),
            ("TeleportData", data.clone()),
        ]);
        world.mark(&format!("teleport: {name} arrives from server {}", journey.from));
        let joined = world.join(JoinOptions {
            name: Some(traveller.name),
            user_id: Some(traveller.user_id),
            display_name: Some(traveller.display_name),
            up: Some(traveller.links.0),
            down: Some(traveller.links.1),
            fps: Some(traveller.fps),
            clock_offset: traveller.clock.0,
            clock_drift: traveller.clock.1,
            join_data: Some(join_data),
            teleport_settings: traveller.settings,
            ..JoinOptions::default()
        });
        match joined {
            Ok(client) => teleport_service::arrived(&world, client, data),
            Err(error) => self.complain(format!("{name} could not join server {server}: {error}")),
        }
    }
}
