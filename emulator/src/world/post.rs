//! Send and receive: how calls and changes of instances leave a side, cross its link, and come in on the other.
//! Source: Roblox behaviour, 2.2, 5.4 and 6; emulator requirements, 7.

use std::rc::Rc;

use super::join::Stage;
use super::{Client, Verdict, World};
use crate::clock::Time;
use crate::datamodel::journal::{Audience, Change, Entry};
use crate::network::{Arrival, Loss, Outgoing, Way};
use crate::peer::Peer;
use crate::services::players;
use crate::services::remotes::{self, Arrived, Call, Posted};
use crate::shared::{CompressEstimate, ReplicationOrder, Side};
use crate::trace::{Event, Fate};
use crate::value::Value;

/// What a link carries.
#[derive(Debug)]
pub enum Message {
    /// A remote call.
    Call {
        /// Who sent it.
        from: Side,
        /// The call.
        call: Rc<Call>,
    },
    /// Changes of instances, in order.
    Changes(Vec<Change>),
    /// A step of joining.
    Stage(Stage),
}

/// A change that was recorded before a client joined whose snapshot holds it already.
#[derive(Debug)]
pub(super) struct Carried {
    entry: Entry,
    /// For clients with a smaller index only.
    below: u32,
}

/// One thing the server sends in a frame.
enum Item {
    Change(Carried),
    Call(Posted),
}

impl Item {
    fn order(&self) -> u64 {
        match self {
            Item::Change(change) => change.entry.order,
            Item::Call(posted) => posted.order,
        }
    }
}

impl World {
    /// Puts changes recorded so far aside for the clients there are, before another joins.
    pub(super) fn carry_changes(&self) {
        let below = self.clients.borrow().len() as u32;
        let entries =
            self.server.peer.data_model().journal().map_or_else(Vec::new, |mut journal| journal.drain());
        let carried = entries.into_iter().map(|entry| Carried { entry, below });
        self.carried.borrow_mut().extend(carried);
    }

    /// The send phase of a side.
    pub(super) fn send(&self, side: Side, _peer: &Rc<Peer>) {
        match side {
            Side::Server => self.send_from_server(),
            Side::Client(index) => {
                if let Ok(client) = self.client(index) {
                    self.send_from_client(&client);
                }
            }
        }
    }

    fn send_from_server(&self) {
        let now = self.now();
        let mut changes = std::mem::take(&mut *self.carried.borrow_mut());
        let entries =
            self.server.peer.data_model().journal().map_or_else(Vec::new, |mut journal| journal.drain());
        changes.extend(entries.into_iter().map(|entry| Carried { entry, below: u32::MAX }));
        let calls = self.server.desk.take_outbox(now);
        if changes.is_empty() && calls.is_empty() {
            return;
        }
        self.drop_for_gone(&calls);
        let items = self.in_order(changes, calls);
        for client in self.clients() {
            let mut parcel = Parcel::default();
            for item in &items {
                match item {
                    Item::Change(carried) => parcel.add_change(&client, carried),
                    Item::Call(posted) if posted.to.contains(&client.side) => {
                        parcel.close_changes();
                        parcel.calls.extend(self.outgoing(posted, Side::Server, client.side));
                        parcel.flush_calls();
                    }
                    Item::Call(_) => {}
                }
            }
            parcel.close_changes();
            self.dispatch(&client, Way::Down, parcel, now);
        }
    }

    /// Calls whose receiver has left go nowhere.
    fn drop_for_gone(&self, calls: &[Posted]) {
        let (now, frame) = (self.now(), self.frame(Side::Server));
        for posted in calls {
            for side in &posted.to {
                let there = self.core.member(*side).is_some_and(|member| member.connected);
                if !there {
                    self.core.trace_mut().settle(posted.call.packet, *side, Fate::DroppedLeave, now, frame);
                }
            }
        }
    }

    /// The frame's changes and calls in the order the settings ask for.
    fn in_order(&self, changes: Vec<Carried>, calls: Vec<Posted>) -> Vec<Item> {
        let mut changes: Vec<Item> = changes.into_iter().map(Item::Change).collect();
        let mut calls: Vec<Item> = calls.into_iter().map(Item::Call).collect();
        changes.sort_by_key(Item::order);
        calls.sort_by_key(Item::order);
        match self.core.settings().replication_order {
            ReplicationOrder::Together => {
                changes.extend(calls);
                changes.sort_by_key(Item::order);
                changes
            }
            ReplicationOrder::RemotesLate => {
                changes.extend(calls);
                changes
            }
            ReplicationOrder::RemotesEarly => {
                calls.extend(changes);
                calls
            }
            ReplicationOrder::Shuffled => {
                let frame = self.frame(Side::Server);
                let mut random =
                    self.core.shared.schedule().random(&format!("replication order of frame {frame}"));
                let mut merged = Vec::with_capacity(changes.len() + calls.len());
                let (mut changes, mut calls) = (changes.into_iter().peekable(), calls.into_iter().peekable());
                while changes.peek().is_some() || calls.peek().is_some() {
                    let left = changes.len() + calls.len();
                    let from_changes = random.below(left) < changes.len();
                    merged.extend(if from_changes { changes.next() } else { calls.next() });
                }
                merged
            }
        }
    }

    fn send_from_client(&self, client: &Rc<Client>) {
        let now = self.now();
        let mut parcel = Parcel::default();
        for posted in client.desk.take_outbox(now) {
            parcel.calls.extend(self.outgoing(&posted, client.side, Side::Server));
            parcel.flush_calls();
        }
        self.dispatch(client, Way::Up, parcel, now);
    }

    /// A call as it enters the link to `to`, after what tests do to it; `None` if a test takes it away.
    fn outgoing(&self, posted: &Posted, from: Side, to: Side) -> Option<Outgoing<Rc<Message>>> {
        let id = posted.call.packet;
        let verdict = if self.interceptors.is_empty() {
            Verdict::default()
        } else {
            let packet = self.core.trace().packet(id).cloned()?;
            self.interceptors.judge(&packet, to)
        };
        if verdict.drop {
            let frame = self.frame(from);
            self.core.trace_mut().settle(id, to, Fate::DroppedTest, self.now(), frame);
            return None;
        }
        let call = match verdict.args {
            None => posted.call.clone(),
            Some(args) => Rc::new(Call {
                packet: id,
                kind: posted.call.kind,
                class: posted.call.class,
                remote: posted.call.remote,
                args: args.into(),
            }),
        };
        Some(Outgoing {
            id,
            size: posted.size,
            reliable: call.class.is_reliable(),
            payload: Rc::new(Message::Call { from, call }),
            lose: verdict.lose,
            hold: verdict.hold,
            copies: verdict.copies,
        })
    }

    /// Hands a parcel to a link, and notes what will never arrive.
    fn dispatch(&self, client: &Client, way: Way, parcel: Parcel, now: Time) {
        if parcel.batch.is_empty() {
            return;
        }
        self.last_traffic.set(now);
        let (from, to) = match way {
            Way::Down => (Side::Server, client.side),
            Way::Up => (client.side, Side::Server),
        };
        if parcel.counts.iter().any(|count| *count > 0) {
            let event =
                Event::Replicate { to: client.side, changes: parcel.counts, size: parcel.change_bytes };
            self.core.record(Side::Server, event);
        }
        let losses = client.link.borrow_mut().send(way, now, parcel.batch);
        let frame = self.frame(from);
        for (packet, loss) in losses {
            let fate = match loss {
                Loss::Lost => Fate::Lost,
                Loss::QueueFull => Fate::DroppedQueue,
            };
            self.core.trace_mut().settle(packet, to, fate, now, frame);
        }
    }

    /// Sends changes to one client outside a send phase: its first tree.
    pub(super) fn send_snapshot(&self, client: &Client, messages: Vec<Message>) {
        let now = self.now();
        let mut parcel = Parcel::default();
        for message in messages {
            match message {
                Message::Changes(changes) => {
                    changes.into_iter().for_each(|change| parcel.push_change(change));
                    parcel.close_changes();
                }
                other => parcel.batch.push(small(Rc::new(other))),
            }
        }
        self.dispatch(client, Way::Down, parcel, now);
    }

    /// The receive phase of a side.
    pub(super) fn receive(&self, side: Side, peer: &Rc<Peer>) {
        match side {
            Side::Server => self.receive_on_server(peer),
            Side::Client(index) => {
                if let Ok(client) = self.client(index) {
                    self.receive_on_client(&client, peer);
                }
            }
        }
    }

    fn receive_on_server(&self, peer: &Rc<Peer>) {
        let now = self.now();
        self.server.desk.serve_waiting(peer);
        let mut arrivals: Vec<(Rc<Client>, Arrival<Rc<Message>>)> = Vec::new();
        for client in self.clients() {
            let arrived = client.link.borrow_mut().receive(Way::Up, now);
            arrivals.extend(arrived.into_iter().map(|arrival| (client.clone(), arrival)));
        }
        // Stable: one client's messages keep their order, and of equal moments the earlier client comes first.
        arrivals.sort_by_key(|(_, arrival)| arrival.arrived_at);
        for (client, arrival) in arrivals {
            self.last_traffic.set(now);
            let Message::Call { from, call } = &*arrival.payload else { continue };
            if client.is_connected() {
                self.server.desk.receive(peer, call, arrived(*from, &arrival));
            } else {
                self.server.desk.settle(call.packet, Fate::DroppedLeave);
            }
        }
        self.receive_fed(peer);
    }

    fn receive_on_client(&self, client: &Rc<Client>, peer: &Rc<Peer>) {
        let now = self.now();
        client.desk.serve_waiting(peer);
        let arrivals = client.link.borrow_mut().receive(Way::Down, now);
        for arrival in arrivals {
            self.last_traffic.set(now);
            match &*arrival.payload {
                Message::Call { from, call } => client.desk.receive(peer, call, arrived(*from, &arrival)),
                Message::Changes(changes) => players::apply_changes(peer, changes.iter().cloned()),
                Message::Stage(stage) => self.reach(client, peer, *stage),
            }
        }
    }
}

fn arrived(from: Side, arrival: &Arrival<Rc<Message>>) -> Arrived {
    Arrived { from, at: arrival.arrived_at, resends: arrival.resends }
}

/// A message that is no call: without a packet, always reliable.
fn small(message: Rc<Message>) -> Outgoing<Rc<Message>> {
    Outgoing { id: 0, size: 8, reliable: true, payload: message, lose: 0, hold: Time::ZERO, copies: 0 }
}

/// What one client is sent in one frame.
#[derive(Default)]
struct Parcel {
    batch: Vec<Outgoing<Rc<Message>>>,
    calls: Vec<Outgoing<Rc<Message>>>,
    changes: Vec<Change>,
    size: usize,
    change_bytes: usize,
    counts: [usize; 6],
}

impl Parcel {
    fn add_change(&mut self, client: &Client, carried: &Carried) {
        let change = &carried.entry.change;
        let for_client = match carried.entry.audience {
            Audience::Everyone => true,
            Audience::Player(player) => player == client.player,
        };
        let moves_hidden = matches!(change, Change::Parent { id, .. } if client.is_hidden(*id));
        if client.index() < carried.below && for_client && !moves_hidden {
            self.push_change(change.clone());
        }
    }

    fn push_change(&mut self, change: Change) {
        let kind = match &change {
            Change::Create(_) => 0,
            Change::Parent { .. } => 1,
            Change::Property { .. } => 2,
            Change::Attribute { .. } => 3,
            Change::Tags { .. } => 4,
            Change::Destroy { .. } => 5,
        };
        self.counts[kind] += 1;
        self.size += change_size(&change);
        self.changes.push(change);
    }

    /// Makes a message of the changes so far, so that what follows stays behind them.
    fn close_changes(&mut self) {
        if self.changes.is_empty() {
            return;
        }
        let changes = std::mem::take(&mut self.changes);
        let size = std::mem::take(&mut self.size);
        self.change_bytes += size;
        let message = Rc::new(Message::Changes(changes));
        self.batch.push(Outgoing { size, ..small(message) });
    }

    fn flush_calls(&mut self) {
        self.batch.append(&mut self.calls);
    }
}

/// Estimated bytes of a change; the real protocol is private.
fn change_size(change: &Change) -> usize {
    let value = |value: &Value| remotes::payload(std::slice::from_ref(value), CompressEstimate::None) + 1;
    match change {
        Change::Create(created) => {
            let properties: usize = created.properties.iter().map(|(_, held)| 2 + value(held)).sum();
            let attributes: usize =
                created.attributes.iter().map(|(name, held)| name.len() + 2 + value(held)).sum();
            let tags: usize = created.tags.iter().map(|tag| tag.len() + 1).sum();
            12 + created.name.len() + properties + attributes + tags
        }
        Change::Parent { .. } => 9,
        Change::Property { value: held, .. } => 7 + value(held),
        Change::Attribute { name, value: held, .. } => 6 + name.len() + held.as_ref().map_or(1, value),
        Change::Tags { tags, .. } => 6 + tags.iter().map(|tag| tag.len() + 1).sum::<usize>(),
        Change::Destroy { .. } => 5,
    }
}
