//! Simulated links: one a client, each with two directions of their own.
//!
//! Pure: no peer, no instance and no script is known here. A link carries payloads of any type from a send phase to a
//! receive phase, and decides when, in which order and whether they come out. Start at [`Link`]; the work is in
//! [`Direction`]. Source: emulator requirements, 7.

mod direction;
mod settings;
#[cfg(test)]
mod tests;

pub use direction::{Arrival, Direction, DirectionStats, Loss, Outgoing};
pub use settings::{Distribution, LinkSettings, LinkValue, LossModel, PRESETS};

use crate::clock::Time;
use crate::shared::Seed;

/// A direction of a link, seen from the client: `Up` is what Studio calls outbound, `Down` inbound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Way {
    /// From the client to the server.
    Up,
    /// From the server to the client.
    Down,
}

/// The link between the server and one client.
#[derive(Debug)]
pub struct Link<P> {
    up: Direction<P>,
    down: Direction<P>,
    // Smoothed round trip; `None` until the first probe after a change of settings.
    round_trip: Option<Time>,
    heard_at: Time,
    closed: bool,
}

/// What a probe found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// When the answer was back.
    pub answered_at: Time,
    /// The delays it met.
    pub up: Time,
    /// The delay of the answer.
    pub down: Time,
}

/// Least resend time of a lost reliable packet.
const LEAST_RTO: Time = Time::from_millis(200);

impl<P: Clone> Link<P> {
    /// A link that begins at `now`, with the same settings both ways. `name` sets its chances apart from other links'.
    pub fn new(settings: LinkSettings, seed: Seed, name: &str, now: Time) -> Link<P> {
        Link {
            up: Direction::new(settings.clone(), seed, &format!("link/{name}/up")),
            down: Direction::new(settings, seed, &format!("link/{name}/down")),
            round_trip: None,
            heard_at: now,
            closed: false,
        }
    }

    /// One direction, to read.
    pub fn direction(&self, way: Way) -> &Direction<P> {
        match way {
            Way::Up => &self.up,
            Way::Down => &self.down,
        }
    }

    fn direction_mut(&mut self, way: Way) -> &mut Direction<P> {
        match way {
            Way::Up => &mut self.up,
            Way::Down => &mut self.down,
        }
    }

    /// Changes one direction's settings, for packets sent from now on.
    pub fn set(&mut self, way: Way, settings: LinkSettings) {
        self.direction_mut(way).set_settings(settings);
        self.round_trip = None;
    }

    /// Resend time of reliable packets of one direction at this moment.
    pub fn rto(&self, way: Way) -> Time {
        let round_trip = self.round_trip();
        self.direction(way).settings().rto.unwrap_or_else(|| LEAST_RTO.max(round_trip + round_trip))
    }

    /// Smoothed round trip, as `Player:GetNetworkPing` tells it: both delays with their waiting for bandwidth, without
    /// waiting for frames.
    pub fn round_trip(&self) -> Time {
        self.round_trip
            .unwrap_or_else(|| self.up.settings().typical_delay() + self.down.settings().typical_delay())
    }

    /// Sends a frame's messages; see [`Direction::send`]. A closed link takes nothing.
    pub fn send(&mut self, way: Way, now: Time, batch: Vec<Outgoing<P>>) -> Vec<(u64, Loss)> {
        if self.closed {
            return batch.into_iter().map(|outgoing| (outgoing.id, Loss::Lost)).collect();
        }
        let rto = self.rto(way);
        self.direction_mut(way).send(now, batch, rto)
    }

    /// Takes out what has arrived; see [`Direction::receive`].
    pub fn receive(&mut self, way: Way, now: Time) -> Vec<Arrival<P>> {
        let rto = self.rto(way);
        let arrivals = self.direction_mut(way).receive(now, rto);
        if let Some(last) = arrivals.last() {
            self.heard_at = self.heard_at.max(last.arrived_at);
        }
        arrivals
    }

    /// Measures both delays with a packet sent at `now`; `None` if it or its answer is lost.
    pub fn probe(&mut self, now: Time) -> Option<Probe> {
        let up = self.up.probe(now);
        let down = self.down.probe(up.map_or(now, |up| now + up));
        let (up, down) = (up?, down?);
        let answered_at = now + up + down;
        let smoothed = match self.round_trip {
            None => up + down,
            // One eighth of each new sample, as TCP has it.
            Some(before) => before + (up + down - before).scaled(0.125),
        };
        self.round_trip = Some(smoothed);
        self.heard_at = self.heard_at.max(answered_at);
        Some(Probe { answered_at, up, down })
    }

    /// When either end last heard from the other.
    pub fn heard_at(&self) -> Time {
        self.heard_at
    }

    /// Messages in flight, both ways.
    pub fn in_flight(&self) -> usize {
        self.up.in_flight() + self.down.in_flight()
    }

    /// Loses everything sent from `now` for `length`, both ways. [`Time::NEVER`] cuts for good.
    pub fn cut(&mut self, now: Time, length: Time) {
        for way in [Way::Up, Way::Down] {
            self.direction_mut(way).cut(now, now + length);
        }
    }

    /// Cuts for `down`, then works for `up`, `times` times over from `now`.
    pub fn flap(&mut self, now: Time, down: Time, up: Time, times: u32) {
        let mut from = now;
        for _ in 0..times {
            self.cut(from, down);
            from += down + up;
        }
    }

    /// Loses packets with probability `loss`, both ways, from `now` for `length`.
    pub fn burst(&mut self, now: Time, loss: f64, length: Time) {
        for way in [Way::Up, Way::Down] {
            self.direction_mut(way).burst(now, now + length, loss);
        }
    }

    /// Ends all cuts, flaps and bursts.
    pub fn mend(&mut self) {
        self.up.mend();
        self.down.mend();
    }

    /// Closes the link and returns the ids of what was in flight: upwards, then downwards.
    pub fn close(&mut self) -> (Vec<u64>, Vec<u64>) {
        self.closed = true;
        (self.up.close(), self.down.close())
    }
}
