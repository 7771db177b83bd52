//! The record of a run: every remote call and what became of it, joins, leaves, replication, logs, diagnostics, marks.
//!
//! Records are kept in order of happening and turned into text on demand ([`Trace::write`]): format
//! `blinkblox-trace/1`, JSON Lines, no clock and no address of the machine in it. Equal runs give equal bytes.
//! Source: emulator requirements, 8.

mod json;
mod packet;
#[cfg(test)]
mod tests;

use std::io::{self, Write};
use std::rc::Rc;

use flate2::{Compression, GzBuilder};
use serde_json::{Map, Value as Json};

pub use json::{of_number, of_value};
pub use packet::{Fate, Packet, PacketClass, PacketKind, Receipt, Target};

use crate::clock::Time;
use crate::shared::{Diagnostic, LogLine, Side};
use crate::value::InstanceId;
use json::object;

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
    /// Signatures of the schemas in use.
    pub schemas: Vec<String>,
    /// Wall-clock start, Unix seconds.
    pub start: f64,
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
    },
    /// A packet will not arrive at the side, or not be handled there.
    Drop {
        /// Index of the packet.
        packet: usize,
        /// Why.
        why: Fate,
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

/// Names of the changes [`Event::Replicate`] counts.
const CHANGE_KINDS: [&str; 6] = ["create", "parent", "property", "attribute", "tags", "destroy"];

/// Everything recorded of a world.
#[derive(Debug, Default)]
pub struct Trace {
    /// Whether frames are recorded too.
    pub frames: bool,
    header: Header,
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
        let Some(index) = self.update(id, side, |receipt| receipt.fate = fate) else { return };
        if fate.is_final() && fate != Fate::Delivered {
            self.record(now, frame, side, Event::Drop { packet: index, why: fate });
        }
    }

    /// Notes the arrival of packet `id`: what is to be its receipt. `now` and `frame` are those of the receiver.
    pub fn arrive(&mut self, id: u64, receipt: Receipt, now: Time, frame: u64) {
        let (side, fate, arrived_at) = (receipt.side, receipt.fate, receipt.arrived_at);
        let Some(index) = self.update(id, side, |known| *known = receipt) else { return };
        let event = match fate {
            Fate::Delivered | Fate::Queued => {
                let at = arrived_at.unwrap_or(now);
                Event::Arrive { packet: index, at, queued: fate == Fate::Queued }
            }
            why => Event::Drop { packet: index, why },
        };
        self.record(now, frame, side, event);
    }

    fn update(&mut self, id: u64, side: Side, change: impl FnOnce(&mut Receipt)) -> Option<usize> {
        let index = usize::try_from(id).ok()?.checked_sub(1)?;
        let packet = self.packets.get_mut(index)?;
        // Receipts are in order of side.
        let at = packet.receipts.binary_search_by_key(&side, |receipt| receipt.side).ok()?;
        change(&mut packet.receipts[at]);
        Some(index)
    }

    /// Writes the trace as JSON Lines.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", Json::Object(self.header_line()))?;
        for (number, record) in self.records.iter().enumerate() {
            writeln!(out, "{}", Json::Object(self.line(number, record)))?;
        }
        Ok(())
    }

    /// Writes the trace compressed with gzip; equal traces give equal bytes.
    pub fn write_gzip(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut encoder = GzBuilder::new().mtime(0).operating_system(255).write(out, Compression::default());
        self.write(&mut encoder)?;
        encoder.finish()?;
        Ok(())
    }

    /// The trace as text.
    pub fn to_text(&self) -> String {
        let mut bytes = Vec::new();
        // Writing to memory cannot fail.
        let _ = self.write(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn header_line(&self) -> Map<String, Json> {
        let header = &self.header;
        let settings: Map<String, Json> =
            header.settings.iter().map(|(name, value)| (name.clone(), value.as_str().into())).collect();
        let sides: Vec<Json> = self.names.iter().map(|(_, name)| Json::from(&**name)).collect();
        object([
            ("format", "blinkblox-trace/1".into()),
            ("tool", env!("CARGO_PKG_VERSION").into()),
            ("luau", crate::vm::LUAU_VERSION.into()),
            // Seeds use all 64 bits, more than a reader's number may hold.
            ("seed", header.seed.to_string().into()),
            ("settings", Json::Object(settings)),
            ("project", header.project.clone().into()),
            ("projectHash", header.project_hash.clone().into()),
            ("schemas", header.schemas.clone().into()),
            ("start", of_number(header.start)),
            ("sides", sides.into()),
        ])
    }

    fn line(&self, number: usize, record: &Record) -> Map<String, Json> {
        let kind = match &record.event {
            Event::Join { .. } => "join",
            Event::Leave { .. } => "leave",
            Event::Frame { .. } => "frame",
            Event::Send(packet) => match self.packets[*packet].kind {
                PacketKind::Event => "send",
                PacketKind::Invoke(_) => "invoke",
                PacketKind::Reply(..) => "reply",
            },
            Event::Arrive { .. } => "arrive",
            Event::Drop { .. } => "drop",
            Event::Replicate { .. } => "repl",
            Event::Log(_) => "log",
            Event::Diagnostic(_) => "diag",
            Event::Mark(_) => "mark",
        };
        let mut line = object([
            ("k", kind.into()),
            ("t", seconds(record.at)),
            ("f", record.frame.into()),
            ("n", (number + 1).into()),
            ("side", (*self.name(record.side)).into()),
        ]);
        line.extend(self.fields(&record.event));
        line
    }

    fn fields(&self, event: &Event) -> Map<String, Json> {
        match event {
            Event::Join { user_id, name } => {
                object([("userId", (*user_id).into()), ("name", name.as_str().into())])
            }
            Event::Leave { user_id, name, reason } => object([
                ("userId", (*user_id).into()),
                ("name", name.as_str().into()),
                ("reason", reason.as_str().into()),
            ]),
            Event::Frame { dt } => object([("dt", seconds(*dt))]),
            Event::Send(packet) => self.send_fields(&self.packets[*packet]),
            Event::Arrive { packet, at, queued } => object([
                ("id", self.packets[*packet].id.into()),
                ("at", seconds(*at)),
                ("queued", (*queued).into()),
            ]),
            Event::Drop { packet, why } => {
                object([("id", self.packets[*packet].id.into()), ("why", why.name().into())])
            }
            Event::Replicate { to, changes, size } => {
                let counts = CHANGE_KINDS.iter().zip(changes).filter(|(_, count)| **count > 0);
                let counts: Map<String, Json> =
                    counts.map(|(kind, count)| ((*kind).to_owned(), (*count).into())).collect();
                object([
                    ("to", (*self.name(*to)).into()),
                    ("changes", counts.into()),
                    ("size", (*size).into()),
                ])
            }
            Event::Log(line) => object([
                ("level", line.level.name().into()),
                ("text", line.text.as_str().into()),
                ("script", line.script.clone().into()),
            ]),
            Event::Diagnostic(diagnostic) => object([
                ("code", diagnostic.code.name().into()),
                ("text", diagnostic.text.as_str().into()),
                ("script", diagnostic.script.clone().into()),
                ("line", diagnostic.line.into()),
            ]),
            Event::Mark(text) => object([("text", text.as_str().into())]),
        }
    }

    fn send_fields(&self, packet: &Packet) -> Map<String, Json> {
        let to = match packet.to {
            Target::One(side) => self.name(side),
            Target::Everyone => "all".into(),
        };
        let path = |id: InstanceId| {
            let known = packet.instances.iter().find(|(known, _)| *known == id);
            known.map_or_else(|| Rc::from(""), |(_, path)| path.clone())
        };
        let args: Vec<Json> = packet.args.iter().map(|value| of_value(value, &path)).collect();
        let mut fields = object([
            ("id", packet.id.into()),
            ("from", (*self.name(packet.from)).into()),
            ("to", (*to).into()),
            ("remote", (*packet.remote).into()),
            ("class", packet.class.name().into()),
            ("reliable", packet.class.is_reliable().into()),
            ("size", packet.size.into()),
            ("sizeRaw", packet.payload.into()),
            ("args", args.into()),
        ]);
        match packet.kind {
            PacketKind::Event => {}
            PacketKind::Invoke(call) => {
                fields.insert("call".into(), call.into());
            }
            PacketKind::Reply(call, ok) => {
                fields.insert("call".into(), call.into());
                fields.insert("ok".into(), ok.into());
            }
        }
        if packet.injected {
            fields.insert("injected".into(), true.into());
        }
        fields
    }
}

/// A time with all nine decimals, as a JSON number.
fn seconds(at: Time) -> Json {
    at.to_decimal().parse().map_or(Json::Null, Json::Number)
}
