//! Looking at remote traffic and meddling with it: lists of packets, hostile messages, packets held, lost or changed.
//! Source: emulator requirements, 6.4 and 10.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::{World, WorldError};
use crate::clock::Time;
use crate::network::{DirectionStats, Way};
use crate::shared::Side;
use crate::trace::{Packet, PacketClass, PacketKind, Target};
use crate::value::{InstanceId, Value};

/// Who a packet is for, when looking for packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receiver {
    /// Packets that side gets, alone or with everyone.
    Side(Side),
    /// Packets of `FireAllClients`.
    Everyone,
}

/// Which packets are meant. Absent fields do not matter.
#[derive(Clone, Debug, Default)]
pub struct PacketFilter {
    /// The sender.
    pub from: Option<Side>,
    /// The receiver.
    pub to: Option<Receiver>,
    /// The remote's full name on the sender's side, or its name alone.
    pub remote: Option<String>,
    /// The channel.
    pub reliable: Option<bool>,
    /// Sent at this moment or later.
    pub since: Option<Time>,
}

impl PacketFilter {
    /// Whether a packet is meant.
    pub fn matches(&self, packet: &Packet) -> bool {
        let to = |to: &Receiver| match to {
            Receiver::Everyone => packet.to == Target::Everyone,
            Receiver::Side(side) => packet.receipt(*side).is_some(),
        };
        let remote = |name: &String| {
            let full = &*packet.remote;
            full == name || full.strip_suffix(name.as_str()).is_some_and(|above| above.ends_with('.'))
        };
        self.from.is_none_or(|from| packet.from == from)
            && self.to.as_ref().is_none_or(to)
            && self.remote.as_ref().is_none_or(remote)
            && self.reliable.is_none_or(|reliable| packet.class.is_reliable() == reliable)
            && self.since.is_none_or(|since| packet.sent_at >= since)
    }
}

/// What a test does to a packet on its way into a link. The default lets it pass.
#[derive(Clone, Debug, Default)]
pub struct Verdict {
    /// Takes it away altogether, reliable or not.
    pub drop: bool,
    /// How many copies are lost on the way: a reliable packet is late by a resend time each, and holds back what
    /// follows; an unreliable one is lost.
    pub lose: u32,
    /// Extra delay.
    pub hold: Time,
    /// Extra copies of an unreliable packet.
    pub copies: u32,
    /// Arguments to travel instead of its own.
    pub args: Option<Vec<Value>>,
}

impl Verdict {
    /// This verdict and another on the same packet.
    fn and(mut self, other: Verdict) -> Verdict {
        self.drop |= other.drop;
        self.lose = self.lose.max(other.lose);
        self.hold += other.hold;
        self.copies += other.copies;
        self.args = other.args.or(self.args);
        self
    }
}

/// Judges a packet on its way to a side.
pub type Judge = Box<dyn FnMut(&Packet, Side) -> Verdict>;

struct Interceptor {
    id: u64,
    filter: PacketFilter,
    judge: Judge,
}

/// The tests' hands in the traffic.
#[derive(Default)]
pub(super) struct Interceptors {
    list: RefCell<Vec<Interceptor>>,
    removed: RefCell<Vec<u64>>,
    count: Cell<usize>,
    next: Cell<u64>,
}

impl Interceptors {
    pub(super) fn is_empty(&self) -> bool {
        self.count.get() == 0
    }

    fn add(&self, filter: PacketFilter, judge: Judge) -> u64 {
        let id = self.next.get() + 1;
        self.next.set(id);
        self.count.set(self.count.get() + 1);
        self.list.borrow_mut().push(Interceptor { id, filter, judge });
        id
    }

    fn remove(&self, id: u64) {
        self.removed.borrow_mut().push(id);
        if let Ok(mut list) = self.list.try_borrow_mut() {
            self.sweep(&mut list);
        }
    }

    fn sweep(&self, list: &mut Vec<Interceptor>) {
        let removed = std::mem::take(&mut *self.removed.borrow_mut());
        list.retain(|interceptor| !removed.contains(&interceptor.id));
        self.count.set(list.len());
    }

    /// What all who mean the packet want of it, in the order in which they came.
    pub(super) fn judge(&self, packet: &Packet, to: Side) -> Verdict {
        // Taken out, so that a judge may add or remove some. One that is called from another's judgement sees none.
        let mut taken = std::mem::take(&mut *self.list.borrow_mut());
        let mut verdict = Verdict::default();
        for interceptor in &mut taken {
            let for_this = match interceptor.filter.to {
                Some(Receiver::Side(side)) => side == to,
                Some(Receiver::Everyone) | None => true,
            };
            if for_this && interceptor.filter.matches(packet) {
                verdict = verdict.and((interceptor.judge)(packet, to));
            }
        }
        let mut list = self.list.borrow_mut();
        let added = std::mem::replace(&mut *list, taken);
        list.extend(added);
        self.sweep(&mut list);
        verdict
    }
}

/// A message that no code of its sender made.
#[derive(Clone, Debug)]
pub struct Injection {
    /// Who seems to have sent it.
    pub from: Side,
    /// Who gets it: a client or, from the server, everyone. Ignored for a client's message.
    pub to: Receiver,
    /// The remote, by the id both sides know.
    pub remote: InstanceId,
    /// The arguments, as they arrive: nothing is converted or checked.
    pub args: Vec<Value>,
}

impl World {
    /// Recorded packets that the filter means, oldest first.
    pub fn packets(&self, filter: &PacketFilter) -> Vec<Packet> {
        let trace = self.core.trace();
        trace.packets().iter().filter(|packet| filter.matches(packet)).cloned().collect()
    }

    /// Has `judge` look at each packet the filter means before it enters its link, once for each receiver. Returns a
    /// number for [`World::stop_intercepting`].
    ///
    /// The judge may look at the world and change links; it cannot move time.
    pub fn intercept(&self, filter: PacketFilter, judge: Judge) -> u64 {
        self.interceptors.add(filter, judge)
    }

    /// Ends an interception.
    pub fn stop_intercepting(&self, interception: u64) {
        self.interceptors.remove(interception);
    }

    /// Sends a message that its sender's code never sent. It leaves with the sender's next send phase. Returns its
    /// packet.
    ///
    /// Errors: [`WorldError::NoSuchSide`]; [`WorldError::BadOption`] for a remote that is none.
    pub fn inject(&self, injection: Injection) -> Result<u64, WorldError> {
        let peer = self.peer(injection.from)?;
        let class = {
            let model = self.server.peer.data_model();
            let store = model.store();
            store.class(injection.remote).name()
        };
        if !matches!(class, "RemoteEvent" | "UnreliableRemoteEvent" | "RemoteFunction") {
            return Err(WorldError::BadOption(format!("cannot inject through a {class}; name a remote")));
        }
        let to = match (injection.from, injection.to) {
            (Side::Client(_), _) => Target::One(Side::Server),
            (Side::Server, Receiver::Everyone) => Target::Everyone,
            (Side::Server, Receiver::Side(side)) => {
                self.peer(side)?;
                Target::One(side)
            }
        };
        let desk = match injection.from {
            Side::Server => self.server.desk.clone(),
            Side::Client(index) => self.client(index)?.desk.clone(),
        };
        let kind = if class == PacketClass::RemoteFunction.name() {
            PacketKind::Invoke(self.core.next_call())
        } else {
            PacketKind::Event
        };
        Ok(desk.post(&peer, injection.remote, kind, to, Rc::from(injection.args), true))
    }

    /// Counts of one direction of a client's link since it joined.
    ///
    /// Errors: [`WorldError::NoSuchSide`].
    pub fn link_stats(&self, client: u32, way: Way) -> Result<DirectionStats, WorldError> {
        Ok(self.client(client)?.link.borrow().direction(way).stats())
    }

    /// Messages in flight on a client's link, both ways.
    ///
    /// Errors: [`WorldError::NoSuchSide`].
    pub fn in_flight(&self, client: u32) -> Result<usize, WorldError> {
        Ok(self.client(client)?.link.borrow().in_flight())
    }
}
