//! A trace read back: what the `trace` command shows, compares, sums up and turns into a page.
//!
//! [`read`] turns text into [`Recording`]s, one a header, and says which line is wrong and why. [`Story`] puts together
//! what belongs to one packet, [`replay`] plays what clients sent to a fresh world. Nothing here opens a file.
//!
//! Files: `read` (text to records), `fields` (members of a line), `story` (packets and their fates), `filter`, `show`
//! (values as text), `values` (values as such), `listing` and `detail` (for a terminal), `summary`, `table` (CSV), `diff`, `replay`, `redact`,
//! `page` (HTML).
//! Source: emulator requirements, 8.

mod detail;
mod diff;
mod fields;
mod filter;
mod listing;
pub mod page;
mod read;
mod redact;
mod replay;
mod show;
mod story;
mod summary;
mod table;
#[cfg(test)]
mod tests;
mod values;

use std::rc::Rc;

pub use detail::detail;
pub use diff::{Difference, diff};
pub use filter::{Anomaly, Filter, anomaly};
pub use listing::{Paint, list};
pub use read::{ReadError, read};
pub use redact::redact;
pub use replay::{Replayed, replay};
pub use show::{seconds, show};
pub use story::{PacketStory, Share, Story};
pub use summary::{Journey, StreamTally, Summary, Tally, summarise};
pub use table::csv;
pub use values::value;

use serde_json::{Map, Value as Json};

/// One world's trace.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Its first line.
    pub header: Header,
    /// Its records, in order.
    pub entries: Vec<Entry>,
}

/// The first line of a trace.
#[derive(Clone, Debug, Default)]
pub struct Header {
    /// Number of its line in the file, from 1.
    pub line: usize,
    /// Version of the program that wrote it.
    pub tool: String,
    /// The world's seed.
    pub seed: u64,
    /// The world's settings, by name.
    pub settings: Vec<(String, String)>,
    /// Frames a second of the server.
    pub fps: f64,
    /// The project.
    pub project: Option<String>,
    /// Digest of the project.
    pub project_hash: Option<String>,
    /// The test that made the world.
    pub test: Option<String>,
    /// Whether that test failed.
    pub failed: bool,
    /// Unix time of the start, in seconds.
    pub start: f64,
    /// Its sides, the server first.
    pub sides: Vec<Rc<str>>,
    /// Streams of its schemas: name, sends a second, sends a second while fast.
    pub streams: Vec<(String, f64, Option<f64>)>,
    /// The line itself.
    pub raw: Rc<str>,
}

/// One record.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Number of its line in the file, from 1.
    pub line: usize,
    /// When it happened, in nanoseconds since the world's start.
    pub nanos: i64,
    /// Frame of its side.
    pub frame: u64,
    /// Its number in the trace.
    pub number: u64,
    /// Its side.
    pub side: Rc<str>,
    /// What happened.
    pub kind: Kind,
    /// The line itself.
    pub raw: Rc<str>,
}

/// What a record says. Members are those of the format.
#[allow(missing_docs, reason = "each is named as the format names it")]
#[derive(Clone, Debug)]
pub enum Kind {
    Join { user_id: i64, name: Rc<str> },
    Leave { user_id: i64, name: Rc<str>, reason: Rc<str> },
    Frame { nanos: i64 },
    Send(Box<Sent>),
    Event(Box<Decoded>),
    Arrive { id: u64, at: i64, queued_for: Option<i64>, resends: u64 },
    Drop { id: u64, why: Rc<str> },
    Handle { id: u64, script: Rc<str>, line: u64, result: Rc<str>, error: Option<Rc<str>>, frames: u64 },
    Replicate { from: Rc<str>, to: Rc<str>, changes: Vec<(Rc<str>, u64)>, size: u64 },
    Log { level: Rc<str>, text: Rc<str>, script: Option<Rc<str>> },
    Diagnostic { code: Rc<str>, text: Rc<str>, script: Option<Rc<str>>, line: Option<u64> },
    Mark { text: Rc<str> },
}

/// A `send`, `invoke` or `reply` record.
#[derive(Clone, Debug)]
pub struct Sent {
    /// Number of the packet.
    pub id: u64,
    /// The sender.
    pub from: Rc<str>,
    /// Whoever it is for.
    pub to: Vec<Rc<str>>,
    /// Whether it is for everybody.
    pub to_all: bool,
    /// Full name of the remote.
    pub remote: Rc<str>,
    /// The remote's class.
    pub class: Rc<str>,
    /// Whether it arrives for certain.
    pub reliable: bool,
    /// Estimated bytes on the wire.
    pub size: u64,
    /// Bytes against the limit of unreliable events.
    pub payload: u64,
    /// The arguments.
    pub args: Vec<Json>,
    /// What it is part of.
    pub call: Call,
    /// Whether a test made it.
    pub injected: bool,
}

/// What a packet is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// A fire.
    Fire,
    /// A call of that number.
    Invoke(u64),
    /// The answer to the call of that number, and whether it went well.
    Reply(u64, bool),
}

/// An `event` record: one thing in a packet, read with the schema.
#[derive(Clone, Debug)]
pub struct Decoded {
    /// Number of the packet.
    pub id: u64,
    /// The event or function; absent where no index named one.
    pub event: Option<Rc<str>>,
    /// `event`, `call`, `answer`, `failure` or `unreadable`.
    pub form: Rc<str>,
    /// First byte and the byte behind the last, in the packet's buffer.
    pub at: (usize, usize),
    /// Its fields, in order.
    pub fields: Vec<Field>,
    /// The place of an instance that did not arrive.
    pub missing: Option<Rc<str>>,
    /// Why it could not be read.
    pub error: Option<Rc<str>>,
}

/// One field of an `event` record.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its place in the value.
    pub path: Rc<str>,
    /// `length`, `presence` or `variant` where it is not the value itself.
    pub is: Option<Rc<str>>,
    /// Where it lies.
    pub place: Place,
    /// What it holds.
    pub value: Json,
}

/// Where a field lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Whole bytes: the first, and the one behind the last.
    Bytes(usize, usize),
    /// Bits: byte, lowest bit, width of each part.
    Bits(Vec<[usize; 3]>),
    /// A place in the table beside the buffer, from 0.
    Slot(usize),
}

impl Kind {
    /// The record's `k`.
    pub fn name(&self) -> &'static str {
        match self {
            Kind::Join { .. } => "join",
            Kind::Leave { .. } => "leave",
            Kind::Frame { .. } => "frame",
            Kind::Send(sent) => match sent.call {
                Call::Fire => "send",
                Call::Invoke(_) => "invoke",
                Call::Reply(..) => "reply",
            },
            Kind::Event(_) => "event",
            Kind::Arrive { .. } => "arrive",
            Kind::Drop { .. } => "drop",
            Kind::Handle { .. } => "handle",
            Kind::Replicate { .. } => "repl",
            Kind::Log { .. } => "log",
            Kind::Diagnostic { .. } => "diag",
            Kind::Mark { .. } => "mark",
        }
    }

    /// The packet it is about, if it is about one.
    pub fn packet(&self) -> Option<u64> {
        match self {
            Kind::Send(sent) => Some(sent.id),
            Kind::Event(decoded) => Some(decoded.id),
            Kind::Arrive { id, .. } | Kind::Drop { id, .. } | Kind::Handle { id, .. } => Some(*id),
            Kind::Join { .. }
            | Kind::Leave { .. }
            | Kind::Frame { .. }
            | Kind::Replicate { .. }
            | Kind::Log { .. }
            | Kind::Diagnostic { .. }
            | Kind::Mark { .. } => None,
        }
    }
}

impl Sent {
    /// The bytes of the buffer that comes first, if one does.
    pub fn buffer(&self) -> Option<Vec<u8>> {
        use base64::Engine as _;
        let Some(Json::Object(first)) = self.args.first() else { return None };
        if first.get("$").and_then(Json::as_str) != Some("buffer") {
            return None;
        }
        let text = first.get("b64").and_then(Json::as_str)?;
        base64::engine::general_purpose::STANDARD.decode(text).ok()
    }

    /// The last part of the remote's full name.
    pub fn remote_name(&self) -> &str {
        self.remote.rsplit('.').next().unwrap_or(&self.remote)
    }
}

impl Place {
    /// First byte it touches and the byte behind the last; `None` for a slot, and where nothing travels.
    pub fn bytes(&self) -> Option<(usize, usize)> {
        match self {
            Place::Bytes(from, to) => Some((*from, *to)),
            Place::Bits(parts) => {
                let first = parts.iter().map(|part| part[0]).min()?;
                let last = parts.iter().map(|part| part[0]).max()?;
                Some((first, last + 1))
            }
            Place::Slot(_) => None,
        }
    }
}

/// A JSON object's member names that the format keeps for itself.
fn tag(object: &Map<String, Json>) -> Option<&str> {
    object.get("$").and_then(Json::as_str)
}
