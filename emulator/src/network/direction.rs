//! One direction of a link: a reliable ordered channel and an unreliable one over the same lossy wire.
//!
//! Reliable messages are packed into packets; a lost packet is sent again after the resend time and holds back all that
//! follow, which then arrive together. Unreliable messages travel alone: lost, late, overtaking, never again.
//! Attempts are worked out when their time has come, so a cut or a new setting bears on every later resend.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};

use super::settings::{Distribution, LinkSettings, LossModel};
use crate::clock::Time;
use crate::shared::{Random, Seed};

/// A message about to enter a direction.
#[derive(Clone, Debug)]
pub struct Outgoing<P> {
    /// The sender's name for it; comes back in arrivals and losses.
    pub id: u64,
    /// Bytes it counts for.
    pub size: usize,
    /// Which channel it takes.
    pub reliable: bool,
    /// What it carries.
    pub payload: P,
    /// How many of its copies a test wants lost: a reliable message is late by a resend time each, an unreliable one
    /// is lost.
    pub lose: u32,
    /// Delay a test adds to the link's.
    pub hold: Time,
    /// Extra copies a test wants of an unreliable message.
    pub copies: u32,
}

/// A message that came out at the other end.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrival<P> {
    /// The sender's name for it.
    pub id: u64,
    /// What it carries.
    pub payload: P,
    /// When it was sent.
    pub sent_at: Time,
    /// When it could first be handled: for a reliable message, not before all in front of it.
    pub arrived_at: Time,
    /// Which channel it took.
    pub reliable: bool,
    /// How often its packet was sent again.
    pub resends: u32,
}

/// Why a message will never arrive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// The packet was lost on the way.
    Lost,
    /// The queue before the bandwidth was full.
    QueueFull,
}

/// Counts of one direction since the link began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DirectionStats {
    /// Messages sent.
    pub messages: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Packets put on the wire, resends included.
    pub packets: u64,
    /// Packets lost.
    pub lost: u64,
    /// Packets sent again.
    pub resends: u64,
}

#[derive(Debug)]
struct Message<P> {
    id: u64,
    payload: P,
    order: u64,
    sent_at: Time,
}

#[derive(Debug)]
struct ReliablePacket<P> {
    messages: Vec<Message<P>>,
    size: usize,
    hold: Time,
    lose: u32,
    resends: u32,
    arrival: Option<Time>,
}

/// The five independent sources of chance of a direction.
#[derive(Debug)]
struct Chances {
    loss: Random,
    jitter: Random,
    reorder: Random,
    duplicate: Random,
    probe: Random,
}

/// One direction of a link, carrying messages with payload `P`.
#[derive(Debug)]
pub struct Direction<P> {
    settings: LinkSettings,
    chances: Chances,
    bad: bool,
    probe_bad: bool,
    list_at: usize,
    busy_until: Time,
    cuts: Vec<(Time, Time)>,
    bursts: Vec<(Time, Time, f64)>,
    reliable: VecDeque<ReliablePacket<P>>,
    // Number of the packet at the front of `reliable`.
    first: u64,
    retries: BinaryHeap<Reverse<(Time, u64)>>,
    last_arrival: Time,
    // Unreliable messages in flight, by arrival and rank. A rank is the order of sending, in steps that leave room for
    // overtakers.
    unreliable: BTreeMap<(Time, u64), Message<P>>,
    last_unreliable: Option<(Time, u64)>,
    next_order: u64,
    stats: DirectionStats,
}

const RANK_STEP: u64 = 1 << 16;

impl<P: Clone> Direction<P> {
    /// A direction of the given settings; `purpose` names it among the users of `seed`.
    pub fn new(settings: LinkSettings, seed: Seed, purpose: &str) -> Direction<P> {
        let chance = |what: &str| seed.random(&format!("{purpose}/{what}"));
        Direction {
            settings,
            chances: Chances {
                loss: chance("loss"),
                jitter: chance("jitter"),
                reorder: chance("reorder"),
                duplicate: chance("duplicate"),
                probe: chance("probe"),
            },
            bad: false,
            probe_bad: false,
            list_at: 0,
            busy_until: Time::ZERO,
            cuts: Vec::new(),
            bursts: Vec::new(),
            reliable: VecDeque::new(),
            first: 0,
            retries: BinaryHeap::new(),
            last_arrival: Time::ZERO,
            unreliable: BTreeMap::new(),
            last_unreliable: None,
            next_order: 1,
            stats: DirectionStats::default(),
        }
    }

    /// The parameters in force.
    pub fn settings(&self) -> &LinkSettings {
        &self.settings
    }

    /// Changes the parameters, for packets sent (or sent again) from now on.
    pub fn set_settings(&mut self, settings: LinkSettings) {
        self.settings = settings;
        self.list_at = 0;
    }

    /// Loses every packet sent in `from..until`.
    pub fn cut(&mut self, from: Time, until: Time) {
        self.cuts.push((from, until));
    }

    /// Ends every cut and burst, those to come included.
    pub fn mend(&mut self) {
        self.cuts.clear();
        self.bursts.clear();
    }

    /// Loses packets sent in `from..until` with probability `loss`, on top of the usual.
    pub fn burst(&mut self, from: Time, until: Time, loss: f64) {
        self.bursts.push((from, until, loss));
    }

    /// Counts since the link began.
    pub fn stats(&self) -> DirectionStats {
        self.stats
    }

    /// Messages that have been sent and neither arrived nor been lost.
    pub fn in_flight(&self) -> usize {
        self.unreliable.len() + self.reliable.iter().map(|packet| packet.messages.len()).sum::<usize>()
    }

    /// Sends a frame's messages at `now`, in order. `rto` is the resend time of this moment.
    ///
    /// Returns the ids of those that will never arrive, with the reason.
    pub fn send(&mut self, now: Time, batch: Vec<Outgoing<P>>, rto: Time) -> Vec<(u64, Loss)> {
        self.pump(now, rto);
        let mut losses = Vec::new();
        let mut open: Option<ReliablePacket<P>> = None;
        for outgoing in batch {
            self.stats.messages += 1;
            self.stats.bytes += outgoing.size as u64;
            if outgoing.reliable {
                self.pack(&mut open, now, outgoing, rto);
            } else {
                // What was sent before it goes on the wire before it.
                if let Some(packet) = open.take() {
                    self.post(now, packet, rto);
                }
                self.send_unreliable(now, outgoing, &mut losses);
            }
        }
        if let Some(packet) = open {
            self.post(now, packet, rto);
        }
        losses
    }

    fn next_order(&mut self) -> u64 {
        let order = self.next_order;
        self.next_order += 1;
        order
    }

    fn pack(&mut self, open: &mut Option<ReliablePacket<P>>, now: Time, outgoing: Outgoing<P>, rto: Time) {
        let alone = outgoing.lose > 0 || outgoing.hold > Time::ZERO;
        let full = open.as_ref().is_some_and(|packet| packet.size + outgoing.size > self.settings.mtu);
        if (alone || full)
            && let Some(packet) = open.take()
        {
            self.post(now, packet, rto);
        }
        // A message larger than a packet fills several; it is whole when its last piece is.
        let mut size = outgoing.size;
        while size > self.settings.mtu {
            let piece = ReliablePacket::new(self.settings.mtu, outgoing.hold);
            self.post(now, piece, rto);
            size -= self.settings.mtu;
        }
        let order = self.next_order();
        let message = Message { id: outgoing.id, payload: outgoing.payload, order, sent_at: now };
        let packet = open.get_or_insert_with(|| ReliablePacket::new(0, Time::ZERO));
        packet.messages.push(message);
        packet.size += size;
        packet.lose = packet.lose.max(outgoing.lose);
        packet.hold = packet.hold.max(outgoing.hold);
        if alone && let Some(packet) = open.take() {
            self.post(now, packet, rto);
        }
    }

    fn post(&mut self, now: Time, packet: ReliablePacket<P>, rto: Time) {
        let number = self.first + self.reliable.len() as u64;
        self.reliable.push_back(packet);
        self.attempt(number, now, rto);
    }

    /// Puts a reliable packet on the wire at `at`: it gets its arrival, or another attempt.
    fn attempt(&mut self, number: u64, at: Time, rto: Time) {
        let Some(index) = number.checked_sub(self.first).map(|index| index as usize) else { return };
        let Some(packet) = self.reliable.get_mut(index) else { return };
        let (size, hold) = (packet.size, packet.hold);
        let forced = packet.lose > 0;
        packet.lose = packet.lose.saturating_sub(1);
        self.stats.packets += 1;
        let depart = self.serialise(at, size);
        let lost = forced | self.draw_loss(at);
        let delay = self.draw_delay();
        let packet = &mut self.reliable[index];
        if lost {
            packet.resends += 1;
            self.stats.lost += 1;
            self.stats.resends += 1;
            self.retries.push(Reverse((depart + rto.max(Time::from_units(1)), number)));
        } else {
            packet.arrival = Some(depart + delay + hold);
        }
    }

    /// Makes every attempt that is due by `now`, in order of time.
    fn pump(&mut self, now: Time, rto: Time) {
        while let Some(Reverse((at, number))) = self.retries.peek().copied() {
            if at > now {
                break;
            }
            self.retries.pop();
            self.attempt(number, at, rto);
        }
    }

    fn send_unreliable(&mut self, now: Time, outgoing: Outgoing<P>, losses: &mut Vec<(u64, Loss)>) {
        self.stats.packets += 1;
        let order = self.next_order();
        if let (Some(limit), Some(bandwidth)) = (self.settings.queue_bytes, self.settings.bandwidth) {
            let waiting = (self.busy_until - now).max(Time::ZERO).seconds() * bandwidth;
            if waiting + outgoing.size as f64 > limit as f64 {
                losses.push((outgoing.id, Loss::QueueFull));
                return;
            }
        }
        let depart = self.serialise(now, outgoing.size);
        let lost = (outgoing.lose > 0) | self.draw_loss(now);
        let delay = self.draw_delay();
        if lost {
            self.stats.lost += 1;
            losses.push((outgoing.id, Loss::Lost));
            return;
        }
        let mut key = (depart + delay + outgoing.hold, order * RANK_STEP);
        if self.chances.reorder.chance(self.settings.reorder) {
            // Take the place just before the message sent last, if that is still on its way.
            if let Some((at, rank)) = self.last_unreliable.filter(|last| self.unreliable.contains_key(last)) {
                key = (key.0.min(at), rank.saturating_sub(1).min(key.1));
            }
        }
        let mut copies = outgoing.copies;
        if self.chances.duplicate.chance(self.settings.duplicate) {
            copies += 1;
        }
        let message = |payload| Message { id: outgoing.id, payload, order, sent_at: now };
        for copy in 0..copies {
            let key = (depart + self.draw_delay() + outgoing.hold, order * RANK_STEP + 1 + u64::from(copy));
            self.unreliable.insert(key, message(outgoing.payload.clone()));
        }
        self.unreliable.insert(key, message(outgoing.payload));
        self.last_unreliable = Some(key);
    }

    /// When the last byte of `size` leaves, if the first may leave at `at`.
    fn serialise(&mut self, at: Time, size: usize) -> Time {
        let Some(bandwidth) = self.settings.bandwidth else { return at };
        let depart = at.max(self.busy_until) + Time::from_seconds(size as f64 / bandwidth);
        self.busy_until = depart;
        depart
    }

    fn draw_loss(&mut self, at: Time) -> bool {
        if self.cuts.iter().any(|(from, until)| *from <= at && at < *until) {
            return true;
        }
        let burst = self.bursts.iter().filter(|(from, until, _)| *from <= at && at < *until);
        let burst = burst.fold(0.0, |most: f64, (_, _, loss)| most.max(*loss));
        let usual = step_loss(&self.settings, &mut self.bad, &mut self.chances.loss);
        usual | self.chances.loss.chance(burst)
    }

    fn draw_delay(&mut self) -> Time {
        let extra = match &self.settings.distribution {
            Distribution::List(delays) if delays.is_empty() => Time::ZERO,
            Distribution::List(delays) => {
                let delay = delays[self.list_at % delays.len()];
                self.list_at += 1;
                delay
            }
            Distribution::Uniform | Distribution::Normal | Distribution::Pareto => {
                draw_jitter(&self.settings, &mut self.chances.jitter)
            }
        };
        (self.settings.delay + extra).rounded_to(self.settings.max_delay_step)
    }

    /// Delay of a small packet of the engine's own sent at `at`, from chances of its own; `None` if it is lost.
    pub fn probe(&mut self, at: Time) -> Option<Time> {
        let cut = self.cuts.iter().any(|(from, until)| *from <= at && at < *until);
        let lost = step_loss(&self.settings, &mut self.probe_bad, &mut self.chances.probe);
        let extra = match &self.settings.distribution {
            Distribution::List(_) => self.settings.typical_delay() - self.settings.delay,
            Distribution::Uniform | Distribution::Normal | Distribution::Pareto => {
                draw_jitter(&self.settings, &mut self.chances.probe)
            }
        };
        let waiting = (self.busy_until - at).max(Time::ZERO);
        if cut || lost {
            return None;
        }
        Some(waiting + (self.settings.delay + extra).rounded_to(self.settings.max_delay_step))
    }

    /// Takes out what has arrived by `now`, in order of arrival, then of sending.
    pub fn receive(&mut self, now: Time, rto: Time) -> Vec<Arrival<P>> {
        self.pump(now, rto);
        let mut arrivals: Vec<((Time, u64), Arrival<P>)> = Vec::new();
        while let Some(front) = self.reliable.front() {
            let Some(arrival) = front.arrival else { break };
            let at = arrival.max(self.last_arrival);
            if at > now {
                break;
            }
            self.last_arrival = at;
            self.first += 1;
            let Some(packet) = self.reliable.pop_front() else { break };
            for message in packet.messages {
                let key = (at, message.order * RANK_STEP);
                arrivals.push((key, message.arrival(at, true, packet.resends)));
            }
        }
        while let Some(entry) = self.unreliable.first_entry() {
            let (at, rank) = *entry.key();
            if at > now {
                break;
            }
            arrivals.push(((at, rank), entry.remove().arrival(at, false, 0)));
        }
        arrivals.sort_by_key(|(key, _)| *key);
        arrivals.into_iter().map(|(_, arrival)| arrival).collect()
    }

    /// Gives up on everything in flight and returns its ids, in order of sending.
    pub fn close(&mut self) -> Vec<u64> {
        let mut ids: Vec<(u64, u64)> = Vec::new();
        for packet in self.reliable.drain(..) {
            self.first += 1;
            ids.extend(packet.messages.iter().map(|message| (message.order, message.id)));
        }
        ids.extend(std::mem::take(&mut self.unreliable).values().map(|message| (message.order, message.id)));
        self.retries.clear();
        ids.sort_unstable();
        ids.dedup();
        ids.into_iter().map(|(_, id)| id).collect()
    }
}

impl<P> ReliablePacket<P> {
    fn new(size: usize, hold: Time) -> ReliablePacket<P> {
        ReliablePacket { messages: Vec::new(), size, hold, lose: 0, resends: 0, arrival: None }
    }
}

impl<P> Message<P> {
    fn arrival(self, at: Time, reliable: bool, resends: u32) -> Arrival<P> {
        Arrival {
            id: self.id,
            payload: self.payload,
            sent_at: self.sent_at,
            arrived_at: at,
            reliable,
            resends,
        }
    }
}

fn step_loss(settings: &LinkSettings, bad: &mut bool, random: &mut Random) -> bool {
    let [p, r, loss_good, loss_bad] = match settings.loss_model {
        LossModel::Independent => return random.chance(settings.loss),
        LossModel::Bursty => LossModel::bursts(settings.loss),
        LossModel::Gilbert { p, r, loss_good, loss_bad } => [p, r, loss_good, loss_bad],
    };
    let turns = random.chance(if *bad { r } else { p });
    *bad ^= turns;
    random.chance(if *bad { loss_bad } else { loss_good })
}

fn draw_jitter(settings: &LinkSettings, random: &mut Random) -> Time {
    let jitter = settings.jitter;
    if jitter == Time::ZERO {
        return Time::ZERO;
    }
    let share = match settings.distribution {
        Distribution::Uniform | Distribution::List(_) => random.unit(),
        Distribution::Normal => (0.5 + 0.25 * random.normal()).max(0.0),
        // A tail of exponent two; its square root is exact everywhere.
        Distribution::Pareto => (0.5 * (1.0 / (1.0 - random.unit()).sqrt() - 1.0)).min(20.0),
    };
    jitter.scaled(share)
}
