//! The channel an event names (`Channel: Controls`), and what that asks of its delivery beyond what a remote does.
//!
//! [`Channel`] is the remote an item rides on; a channel of a schema is a [`Lane`] here, to tell the two apart.

use super::{Channel, Delivery, Event, Item, Scope};

/// A channel a schema can name. Order holds inside one, and none waits for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Lane {
    /// What an event rides that names none; its reliable events are those of the `RemoteEvent`.
    Default,
    /// Meant for what is sent each frame.
    Controls,
    /// Meant for what must not wait for a packet lost on `Default`.
    Events,
}

impl Lane {
    /// Every channel, in order.
    pub const ALL: [Lane; 3] = [Lane::Default, Lane::Controls, Lane::Events];

    /// Its word.
    pub const fn word(self) -> &'static str {
        match self {
            Lane::Default => "Default",
            Lane::Controls => "Controls",
            Lane::Events => "Events",
        }
    }
}

/// A delivery that the modules see to themselves, over the unreliable remote.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Turn {
    /// Once, in the order of its channel.
    InOrder(Lane),
    /// Once, in any order.
    Once,
    /// Perhaps lost, never older than the newest of its channel, and behind what is reliable there.
    Sequenced(Lane),
}

impl Turn {
    /// Whether what takes it is numbered for the other side to acknowledge, and sent again until it does.
    pub fn is_acknowledged(self) -> bool {
        match self {
            Turn::InOrder(_) | Turn::Once => true,
            Turn::Sequenced(_) => false,
        }
    }
}

impl Scope {
    /// Whether it or a scope in it holds an event that is acknowledged.
    pub fn has_acknowledged(&self) -> bool {
        self.items.iter().any(|item| match item {
            Item::Event(event) => event.turn().is_some_and(Turn::is_acknowledged),
            Item::Scope(inner) => inner.has_acknowledged(),
            Item::Type(_) | Item::Function(_) | Item::State(_) | Item::Table(_) | Item::Entity(_) => false,
        })
    }
}

impl Delivery {
    /// Whether it promises to arrive.
    pub fn is_reliable(self) -> bool {
        match self {
            Delivery::Reliable | Delivery::ReliableUnordered => true,
            Delivery::Unreliable | Delivery::OrderedUnreliable => false,
        }
    }
}

impl Event {
    /// The delivery its modules see to; `None` where the remote's own is enough.
    pub fn turn(&self) -> Option<Turn> {
        match (self.delivery, self.lane) {
            (Delivery::Reliable, Some(lane)) if lane != Lane::Default => Some(Turn::InOrder(lane)),
            (Delivery::ReliableUnordered, _) => Some(Turn::Once),
            (Delivery::OrderedUnreliable, Some(lane)) if self.stream.is_none() => Some(Turn::Sequenced(lane)),
            (Delivery::Reliable | Delivery::Unreliable | Delivery::OrderedUnreliable, _) => None,
        }
    }

    /// The remote it rides on.
    pub fn channel(&self) -> Channel {
        match (self.delivery, self.turn()) {
            (Delivery::Reliable, None) => Channel::Reliable,
            _ => Channel::Unreliable,
        }
    }
}
