//! A remote call as the trace keeps it: what was sent, to whom, and what became of it for each receiver.

use std::rc::Rc;

use crate::clock::Time;
use crate::shared::Side;
use crate::value::{InstanceId, Value};

/// The class of the remote a packet was fired on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketClass {
    /// Reliable and ordered.
    RemoteEvent,
    /// Neither.
    UnreliableRemoteEvent,
    /// A call with a reply.
    RemoteFunction,
}

impl PacketClass {
    /// The class's name in the engine.
    pub fn name(self) -> &'static str {
        match self {
            PacketClass::RemoteEvent => "RemoteEvent",
            PacketClass::UnreliableRemoteEvent => "UnreliableRemoteEvent",
            PacketClass::RemoteFunction => "RemoteFunction",
        }
    }

    /// Whether the network delivers it for certain, in order.
    pub fn is_reliable(self) -> bool {
        self != PacketClass::UnreliableRemoteEvent
    }
}

/// What a packet is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketKind {
    /// A fire.
    Event,
    /// A call of a remote function, with the number its reply carries.
    Invoke(u64),
    /// The answer to the call of that number, and whether it went well.
    Reply(u64, bool),
}

/// Who a packet is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// One side.
    One(Side),
    /// Everyone who was connected: one `FireAllClients`.
    Everyone,
}

/// What became of a packet for one receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Waits for the send phase, or is on its way.
    Sent,
    /// Arrived, and waits for somebody to listen.
    Queued,
    /// Handed to its handlers.
    Delivered,
    /// Lost on the way.
    Lost,
    /// Over the size limit of unreliable events.
    DroppedSize,
    /// Over the client's rate.
    DroppedRate,
    /// Arrived while the queue was full, nobody listened to an unreliable event, or the link's own queue was full.
    DroppedQueue,
    /// Its sender or receiver left first.
    DroppedLeave,
    /// A test took it away.
    DroppedTest,
}

impl Fate {
    /// Every fate.
    pub const ALL: [Fate; 9] = [
        Fate::Sent,
        Fate::Queued,
        Fate::Delivered,
        Fate::Lost,
        Fate::DroppedSize,
        Fate::DroppedRate,
        Fate::DroppedQueue,
        Fate::DroppedLeave,
        Fate::DroppedTest,
    ];

    /// The name the requirements give it.
    pub fn name(self) -> &'static str {
        match self {
            Fate::Sent => "sent",
            Fate::Queued => "queued",
            Fate::Delivered => "delivered",
            Fate::Lost => "lost",
            Fate::DroppedSize => "dropped-size",
            Fate::DroppedRate => "dropped-rate",
            Fate::DroppedQueue => "dropped-queue",
            Fate::DroppedLeave => "dropped-leave",
            Fate::DroppedTest => "dropped-test",
        }
    }

    /// Whether nothing more will become of it.
    pub fn is_final(self) -> bool {
        !matches!(self, Fate::Sent | Fate::Queued)
    }
}

/// One receiver's share of a packet.
#[derive(Clone, Debug, PartialEq)]
pub struct Receipt {
    /// The receiver.
    pub side: Side,
    /// What became of it there.
    pub fate: Fate,
    /// When it arrived, if it did.
    pub arrived_at: Option<Time>,
    /// How often it had to be sent again.
    pub resends: u32,
    /// When it was handed to its handlers, if it was.
    pub handled_at: Option<Time>,
}

impl Receipt {
    /// The share of a receiver that has heard nothing yet.
    pub fn new(side: Side) -> Receipt {
        Receipt { side, fate: Fate::Sent, arrived_at: None, resends: 0, handled_at: None }
    }
}

/// An instance among a packet's arguments, as it was at sending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedInstance {
    /// Which one.
    pub id: InstanceId,
    /// Its full name.
    pub path: Rc<str>,
    /// Its class.
    pub class: &'static str,
}

/// One call of a remote, whoever it was for.
#[derive(Clone, Debug)]
pub struct Packet {
    /// Counts from 1 in order of sending.
    pub id: u64,
    /// The sender.
    pub from: Side,
    /// The receiver or receivers.
    pub to: Target,
    /// Full name of the remote on the sender's side.
    pub remote: Rc<str>,
    /// The remote.
    pub remote_id: InstanceId,
    /// Its class.
    pub class: PacketClass,
    /// What it is part of.
    pub kind: PacketKind,
    /// The arguments as they travel.
    pub args: Rc<[Value]>,
    /// The instances among the arguments.
    pub instances: Vec<NamedInstance>,
    /// Estimated bytes.
    pub size: usize,
    /// Bytes against the limit of unreliable events.
    pub payload: usize,
    /// When the call was made.
    pub sent_at: Time,
    /// The sender's frame it was made in.
    pub frame: u64,
    /// Whether a test made it, not the sender's code.
    pub injected: bool,
    /// One entry for each receiver; for a packet to everyone, those connected at the call, by index.
    pub receipts: Vec<Receipt>,
}

impl Packet {
    /// The receiver's share, if the packet was for it.
    pub fn receipt(&self, side: Side) -> Option<&Receipt> {
        self.receipts.iter().find(|receipt| receipt.side == side)
    }

    /// The buffer that comes first, if one does: what a schema's packets are made of.
    pub fn buffer(&self) -> Option<&[u8]> {
        match self.args.first() {
            Some(Value::Buffer(bytes)) => Some(bytes),
            _ => None,
        }
    }

    /// The instance of that id among the arguments.
    pub fn instance(&self, id: InstanceId) -> Option<&NamedInstance> {
        self.instances.iter().find(|known| known.id == id)
    }

    /// The fate all receivers share; the first one's where they differ. `None` with no receiver.
    pub fn fate(&self) -> Option<Fate> {
        self.receipts.first().map(|receipt| receipt.fate)
    }

    /// When the first receiver got it.
    pub fn arrived_at(&self) -> Option<Time> {
        self.receipts.iter().filter_map(|receipt| receipt.arrived_at).min()
    }
}
