//! What a side sends and hears, by what its schema declares: which parts its module has.

use crate::schema::{Channel, Event, Item, Options, Schema, Scope, Side};

/// What a side sends and hears.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    /// Events that are fired, on any channel.
    pub events: bool,
    /// Those on the reliable remote.
    pub reliable: bool,
    /// Those on the unreliable one that nobody acknowledges, and streams of a state for each player.
    unreliable: bool,
    /// Streams of one state for everyone.
    pub shared_streams: bool,
    /// Calls of functions that the other side answers.
    pub calls: bool,
    /// Frames of states.
    pub states: bool,
    /// Events that are listened to.
    pub listens: bool,
    /// Events that wait for a loop instead.
    pub polls: bool,
    /// Types whose codecs are exported.
    pub exports: bool,
    /// Functions of either side: both calls and answers are reliable.
    functions: bool,
}

impl Uses {
    /// Of a side of the schema.
    pub fn of(schema: &Schema, side: Side) -> Uses {
        let mut uses = Uses::default();
        uses.add(&schema.root, side, schema.options.use_polling);
        uses.exports = schema.types.iter().any(|decl| decl.export);
        uses
    }

    fn add(&mut self, scope: &Scope, side: Side, use_polling: bool) {
        for item in &scope.items {
            match item {
                Item::Scope(inner) => self.add(inner, side, use_polling),
                Item::Event(event) if event.from == side => self.add_sent(event),
                Item::Event(event) if event.is_polled(use_polling) => self.polls = true,
                Item::Event(_) => self.listens = true,
                Item::Function(function) => {
                    self.functions = true;
                    self.calls |= function.from == side;
                }
                Item::State(_) => self.states |= side == Side::Server,
                Item::Type(_) | Item::Table(_) | Item::Entity(_) => {}
            }
        }
    }

    fn add_sent(&mut self, event: &Event) {
        if let Some(stream) = event.stream {
            self.unreliable |= stream.per_player;
            self.shared_streams |= !stream.per_player;
            return;
        }
        self.events = true;
        match (event.channel(), event.turn()) {
            (Channel::Reliable, _) => self.reliable = true,
            // It goes with what its channel keeps.
            (Channel::Unreliable, Some(turn)) if turn.is_acknowledged() => {}
            (Channel::Unreliable, _) => self.unreliable = true,
        }
    }

    /// Whether the module keeps batches for the reliable remote.
    pub fn has_reliable_batch(self) -> bool {
        self.reliable || self.functions || self.states
    }

    /// Whether unreliable items leave at once, each in a packet of its own.
    pub fn sends_at_once(self, options: &Options) -> bool {
        self.unreliable && !options.batch_unreliable
    }

    /// Whether unreliable items are gathered for the flush.
    pub fn gathers(self, options: &Options) -> bool {
        self.shared_streams || (self.unreliable && options.batch_unreliable)
    }
}
