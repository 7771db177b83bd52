//! The record of a run: every remote call and what became of it, joins, leaves, replication, logs, diagnostics, marks.
//!
//! Records are kept in order of happening and turned into text on demand ([`Trace::write`]): format
//! `blinkblox-trace/1`, JSON Lines, no clock and no address of the machine in it. Equal runs give equal bytes. What a
//! schema's packets hold is taken apart while writing, so that recording stays cheap.
//!
//! Files: `packet` (a call and its fates), `schemas` (reading packets), `json` (lossless values), `write` (records as
//! lines). Reading a trace back is [`crate::recording`].
//! Source: emulator requirements, 8.

mod json;
mod packet;
mod schemas;
#[cfg(test)]
mod tests;
mod write;

use std::rc::Rc;

pub use json::{of_number, of_value};
pub use packet::{Fate, NamedInstance, Packet, PacketClass, PacketKind, Receipt, Target};
pub use schemas::{StreamRate, TracedSchema, read_packet};
pub use write::{FORMAT, pack};

use crate::clock::Time;
use crate::shared::{Diagnostic, LogLine, Side};

/// The first line of a trace.
#[derive(Clone, Debug, Default)]
pub struct Header {
    /// The world's seed.
    pub seed: u64,
    /// Settings, by the names of the requirements, in order.
    pub settings: Vec<(String, String)>,
    /// Name of the project, if there is one.
    pub project: Option<String>,
    /// A digest of the project's files, if there is one.
    pub project_hash: Option<String>,
    /// Full name of the test that made the world, if one did.
    pub test: Option<String>,
    /// Its number among the servers of a universe, if it is one.
    pub server: Option<u32>,
    /// Whether that test failed.
    pub failed: bool,
    /// Wall-clock start, Unix seconds.
    pub start: f64,
    /// Frames a second of the server.
    pub fps: f64,
}

/// One thing that happened.
#[derive(Clone, Debug)]
pub enum Event {
    /// A client joined.
    Join {
        /// Its user id.
        user_id: i64,
        /// Its player's name.
        name: String,
    },
    /// A client left.
    Leave {
        /// Its user id.
        user_id: i64,
        /// Its player's name.
        name: String,
        /// Why.
        reason: String,
    },
    /// A frame of that many seconds began. Only recorded on request.
    Frame {
        /// Its length.
        dt: Time,
    },
    /// A call was made: the packet of that index.
    Send(usize),
    /// A packet arrived at the side.
    Arrive {
        /// Index of the packet.
        packet: usize,
        /// When it arrived; the record's own time is that of the receive phase.
        at: Time,
        /// Whether it waits for a listener.
        queued: bool,
        /// How often it had to be sent again.
        resends: u32,
    },
    /// A packet will not arrive at the side, or not be handled there.
    Drop {
        /// Index of the packet.
        packet: usize,
        /// Why.
        why: Fate,
    },
    /// A handler was called for a packet.
    Handle {
        /// Id of the packet.
        packet: u64,
        /// Full name of the script that holds the handler; empty when unknown.
        script: Rc<str>,
        /// Its first line, or the line of the `Wait`; 0 when unknown.
        line: u32,
        /// How it ended.
        end: HandlerEnd,
        /// Frames of its side from its beginning to its end.
        frames: u64,
    },
    /// Replication reached the side's send phase: the number of changes by kind.
    Replicate {
        /// Who it is for.
        to: Side,
        /// Created, moved, properties, attributes, tags, destroyed.
        changes: [usize; 6],
        /// Estimated bytes.
        size: usize,
    },
    /// A line of output.
    Log(LogLine),
    /// A diagnostic.
    Diagnostic(Diagnostic),
    /// A test left its mark.
    Mark(String),
}

/// How a handler ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HandlerEnd {
    /// Not yet: it waits.
    Running,
    /// It returned.
    Done,
    /// With this error.
    Failed(Rc<str>),
}

/// An event, when and where.
#[derive(Clone, Debug)]
pub struct Record {
    /// When it happened.
    pub at: Time,
    /// Frame of the side, from 0 before its first.
    pub frame: u64,
    /// The side.
    pub side: Side,
    /// What happened.
    pub event: Event,
}

/// Everything recorded of a world.
#[derive(Debug, Default)]
pub struct Trace {
    /// Whether frames are recorded too.
    pub frames: bool,
    header: Header,
    schemas: Vec<TracedSchema>,
    packets: Vec<Packet>,
    records: Vec<Record>,
    names: Vec<(Side, Rc<str>)>,
}

impl Trace {
    /// An empty trace.
    pub fn new(header: Header) -> Trace {
        Trace { header, names: vec![(Side::Server, "server".into())], ..Trace::default() }
    }

    /// Changes the header, until the trace is written.
    pub fn header_mut(&mut self) -> &mut Header {
        &mut self.header
    }

    /// Names the schemas whose packets are taken apart in the text.
    pub fn set_schemas(&mut self, schemas: Vec<TracedSchema>) {
        self.schemas = schemas;
    }

    /// The name records give a side.
    pub fn set_name(&mut self, side: Side, name: &str) {
        match self.names.iter_mut().find(|(known, _)| *known == side) {
            Some(entry) => entry.1 = name.into(),
            None => self.names.push((side, name.into())),
        }
    }

    /// The name of a side in records.
    pub fn name(&self, side: Side) -> Rc<str> {
        let known = self.names.iter().find(|(known, _)| *known == side);
        known.map_or_else(|| side.to_string().into(), |(_, name)| name.clone())
    }

    /// Adds a record.
    pub fn record(&mut self, at: Time, frame: u64, side: Side, event: Event) {
        self.records.push(Record { at, frame, side, event });
    }

    /// Adds a packet with its `send` record and gives it its id, which is returned.
    pub fn send(&mut self, mut packet: Packet) -> u64 {
        packet.id = self.packets.len() as u64 + 1;
        let (at, frame, side, id) = (packet.sent_at, packet.frame, packet.from, packet.id);
        self.packets.push(packet);
        self.record(at, frame, side, Event::Send(id as usize - 1));
        id
    }

    /// All packets so far, in order of sending.
    pub fn packets(&self) -> &[Packet] {
        &self.packets
    }

    /// The packet of that id.
    pub fn packet(&self, id: u64) -> Option<&Packet> {
        self.packets.get(usize::try_from(id).ok()?.checked_sub(1)?)
    }

    /// All records so far.
    pub fn records(&self) -> &[Record] {
        &self.records
    }

    /// Notes what became of packet `id` at `side`. `now` and `frame` are those of the side.
    pub fn settle(&mut self, id: u64, side: Side, fate: Fate, now: Time, frame: u64) {
        let change = |receipt: &mut Receipt| {
            receipt.fate = fate;
            if fate == Fate::Delivered {
                receipt.handled_at = Some(now);
            }
        };
        let Some(index) = self.update(id, side, change) else { return };
        if fate.is_final() && fate != Fate::Delivered {
            self.record(now, frame, side, Event::Drop { packet: index, why: fate });
        }
    }

    /// Notes the arrival of packet `id`: what is to be its receipt. `now` and `frame` are those of the receiver.
    pub fn arrive(&mut self, id: u64, receipt: Receipt, now: Time, frame: u64) {
        let (side, fate, arrived_at, resends) =
            (receipt.side, receipt.fate, receipt.arrived_at, receipt.resends);
        let Some(index) = self.update(id, side, |known| *known = receipt) else { return };
        let event = match fate {
            Fate::Delivered | Fate::Queued => {
                let at = arrived_at.unwrap_or(now);
                Event::Arrive { packet: index, at, queued: fate == Fate::Queued, resends }
            }
            why => Event::Drop { packet: index, why },
        };
        self.record(now, frame, side, event);
    }

    /// Notes how the handler of record `index` ended, in frame `frame` of its side. Ignored when that is no handler of
    /// the packet (any more).
    pub fn end_handler(&mut self, index: usize, id: u64, ended: HandlerEnd, frame: u64) {
        let Some(record) = self.records.get_mut(index) else { return };
        if let Event::Handle { packet, end, frames, .. } = &mut record.event
            && *packet == id
        {
            *end = ended;
            *frames = frame.saturating_sub(record.frame);
        }
    }

    fn update(&mut self, id: u64, side: Side, change: impl FnOnce(&mut Receipt)) -> Option<usize> {
        let index = usize::try_from(id).ok()?.checked_sub(1)?;
        let packet = self.packets.get_mut(index)?;
        // Receipts are in order of side.
        let at = packet.receipts.binary_search_by_key(&side, |receipt| receipt.side).ok()?;
        change(&mut packet.receipts[at]);
        Some(index)
    }
}
