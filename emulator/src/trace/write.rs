//! A trace as text: a header, then a line a record, in order of happening.
//!
//! Behind the record of a call stands an `event` record for each thing a schema says it holds. Lines are numbered in the
//! order of the text. Source: emulator requirements, 8.1 to 8.4.

use std::io::{self, Write};
use std::rc::Rc;

use flate2::{Compression, GzBuilder};
use serde_json::{Map, Value as Json, json};

use super::json::{object, of_number, of_value};
use super::{Event, HandlerEnd, Packet, PacketKind, Record, Target, Trace};
use crate::clock::Time;
use crate::value::InstanceId;

/// The first member of a trace's first line.
pub const FORMAT: &str = "blinkblox-trace/1";

/// Names of the changes [`Event::Replicate`] counts.
const CHANGE_KINDS: [&str; 6] = ["create", "parent", "property", "attribute", "tags", "destroy"];

/// The text of a trace compressed with gzip; equal texts give equal bytes.
pub fn pack(text: &str) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut encoder =
        GzBuilder::new().mtime(0).operating_system(255).write(&mut packed, Compression::default());
    // Writing to memory cannot fail.
    let _ = encoder.write_all(text.as_bytes()).and_then(|()| encoder.try_finish());
    drop(encoder);
    packed
}

impl Trace {
    /// Writes the trace as JSON Lines.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", Json::Object(self.header_line()))?;
        let mut number = 0;
        for record in &self.records {
            number += 1;
            writeln!(out, "{}", Json::Object(self.line(number, record)))?;
            if let Event::Send(packet) = record.event {
                for fields in self.decoded(&self.packets[packet]) {
                    number += 1;
                    let mut line = self.start("event", number, record);
                    line.extend(fields);
                    writeln!(out, "{}", Json::Object(line))?;
                }
            }
        }
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
        let schemas: Vec<Json> = self.schemas.iter().map(|schema| schema.to_json()).collect();
        let mut line = object([
            ("format", FORMAT.into()),
            ("tool", env!("CARGO_PKG_VERSION").into()),
            ("luau", crate::vm::LUAU_VERSION.into()),
            // Seeds use all 64 bits, more than a reader's number may hold.
            ("seed", header.seed.to_string().into()),
            ("settings", Json::Object(settings)),
            ("fps", of_number(header.fps)),
            ("project", header.project.clone().into()),
            ("projectHash", header.project_hash.clone().into()),
            ("test", header.test.clone().into()),
            ("schemas", schemas.into()),
            ("start", of_number(header.start)),
            ("sides", sides.into()),
        ]);
        if let Some(server) = header.server {
            line.insert("server".into(), server.into());
        }
        if header.failed {
            line.insert("failed".into(), true.into());
        }
        line
    }

    fn start(&self, kind: &str, number: usize, record: &Record) -> Map<String, Json> {
        object([
            ("k", kind.into()),
            ("t", seconds(record.at)),
            ("f", record.frame.into()),
            ("n", number.into()),
            ("side", (*self.name(record.side)).into()),
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
            Event::Handle { .. } => "handle",
            Event::Replicate { .. } => "repl",
            Event::Log(_) => "log",
            Event::Diagnostic(_) => "diag",
            Event::Mark(_) => "mark",
        };
        let mut line = self.start(kind, number, record);
        line.extend(self.fields(record));
        line
    }

    fn fields(&self, record: &Record) -> Map<String, Json> {
        match &record.event {
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
            Event::Arrive { packet, at, queued, resends } => {
                let packet = &self.packets[*packet];
                let handled_at = packet.receipt(record.side).and_then(|receipt| receipt.handled_at);
                let queued_for = match (queued, handled_at) {
                    (false, _) => seconds(Time::ZERO),
                    (true, Some(handled_at)) => seconds(handled_at - record.at),
                    (true, None) => Json::Null,
                };
                object([
                    ("id", packet.id.into()),
                    ("at", seconds(*at)),
                    ("queuedFor", queued_for),
                    ("resends", (*resends).into()),
                ])
            }
            Event::Drop { packet, why } => {
                object([("id", self.packets[*packet].id.into()), ("why", why.name().into())])
            }
            Event::Handle { packet, script, line, end, frames } => {
                let (result, error) = match end {
                    HandlerEnd::Running => ("running", None),
                    HandlerEnd::Done => ("done", None),
                    HandlerEnd::Failed(text) => ("error", Some(&**text)),
                };
                object([
                    ("id", (*packet).into()),
                    ("script", (**script).into()),
                    ("line", (*line).into()),
                    ("result", result.into()),
                    ("error", error.into()),
                    ("frames", (*frames).into()),
                ])
            }
            Event::Replicate { to, changes, size } => {
                let counts = CHANGE_KINDS.iter().zip(changes).filter(|(_, count)| **count > 0);
                let counts: Map<String, Json> =
                    counts.map(|(kind, count)| ((*kind).to_owned(), (*count).into())).collect();
                object([
                    ("from", (*self.name(record.side)).into()),
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
        let path = |id: InstanceId| -> (Rc<str>, &'static str) {
            packet.instance(id).map_or((Rc::from(""), ""), |known| (known.path.clone(), known.class))
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
        if packet.to == Target::Everyone {
            let receivers: Vec<Json> =
                packet.receipts.iter().map(|receipt| (*self.name(receipt.side)).into()).collect();
            fields.insert("receivers".into(), receivers.into());
        }
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

    /// The members of the `event` records of a packet, one for each item of its schema; empty without one.
    fn decoded(&self, packet: &Packet) -> Vec<Map<String, Json>> {
        let schema = self.schemas.iter().find(|schema| schema.carries(&packet.remote));
        let read = schema.and_then(|schema| super::read_packet(&schema.wire, packet));
        let Some(read) = read else { return Vec::new() };
        let Some(bytes) = packet.buffer() else { return Vec::new() };
        let head = |id: u64, event: Json, kind: &str, from: usize, to: usize| {
            object([("id", id.into()), ("event", event), ("as", kind.into()), ("at", json!([from, to]))])
        };
        let mut lines: Vec<Map<String, Json>> = read
            .items
            .iter()
            .map(|item| {
                let (kind, number) = super::schemas::kind_of(item);
                let (from, to) = (item.bytes.start, item.bytes.end);
                let mut line = head(packet.id, item.name.as_str().into(), kind, from, to);
                if let Some((name, number)) = number {
                    line.insert(name.into(), number.into());
                }
                if let Some(payload) = &item.payload {
                    if let Some(missing) = &payload.missing {
                        line.insert("missing".into(), missing.as_str().into());
                    }
                    let fields = payload.leaves.iter().map(|leaf| super::schemas::field(leaf, bytes, packet));
                    line.insert("fields".into(), fields.collect::<Vec<_>>().into());
                }
                line
            })
            .collect();
        if let Some(stopped) = &read.stopped {
            let name = stopped.name.as_deref().map_or(Json::Null, Json::from);
            let mut line = head(packet.id, name, "unreadable", stopped.at, bytes.len());
            line.insert("error".into(), stopped.text.as_str().into());
            lines.push(line);
        }
        lines
    }
}

/// A time with all nine decimals, as a JSON number.
fn seconds(at: Time) -> Json {
    at.to_decimal().parse().map_or(Json::Null, Json::Number)
}
