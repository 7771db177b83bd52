//! The data of the page: one JSON document of lists, small enough for a hundred thousand packets.

use indexmap::IndexSet;
use serde::Serialize;

use super::super::{Call, Decoded, Entry, Field, Kind, PacketStory, Place, Recording, Share, Story, show};

/// Longest text of a value.
const VALUE: usize = 200;

/// Places in `texts`.
type Text = usize;
type FieldRow = (Text, Text, usize, usize, Text, Text);
type ItemRow = (Text, Text, usize, usize, Text, Vec<FieldRow>);
type HandlerRow = (Text, u64, Text, Text, u64, f64);
type ShareRow = (usize, Text, Option<f64>, Option<f64>, u64, u64, Vec<HandlerRow>);
type PacketRow =
    (u64, f64, usize, u8, u64, Text, Text, Vec<ShareRow>, Vec<ItemRow>, Option<String>, Vec<Text>);
type NoteRow = (f64, usize, &'static str, Text);

/// See `data.js` for the shape. Rows are tuples and not JSON values: there may be a hundred thousand of them.
#[derive(Serialize)]
pub(super) struct Document<'a> {
    title: &'a str,
    seed: String,
    tool: &'a str,
    test: Option<&'a str>,
    project: Option<&'a str>,
    fps: f64,
    end: f64,
    sides: Vec<&'a str>,
    streams: Vec<(Text, f64, Option<f64>)>,
    packets: Vec<PacketRow>,
    notes: Vec<NoteRow>,
    texts: Vec<String>,
}

/// The document of a recording.
pub(super) fn document<'a>(recording: &'a Recording, title: &'a str) -> Document<'a> {
    let story = Story::of(recording);
    let mut rows = Rows { story: &story, texts: IndexSet::new() };
    // The empty text has number 0.
    rows.text("");
    let packets: Vec<PacketRow> = story.packets.iter().map(|packet| rows.packet(packet)).collect();
    let notes: Vec<NoteRow> = recording.entries.iter().filter_map(|entry| rows.note(entry)).collect();
    let header = &recording.header;
    let end = recording.entries.iter().map(|entry| entry.nanos).max().unwrap_or(0);
    let streams = header.streams.iter().map(|(name, rate, fast)| (rows.text(name), *rate, *fast)).collect();
    Document {
        title,
        seed: header.seed.to_string(),
        tool: &header.tool,
        test: header.test.as_deref(),
        project: header.project.as_deref(),
        fps: header.fps,
        end: seconds(end),
        sides: header.sides.iter().map(|name| &**name).collect(),
        streams,
        packets,
        notes,
        texts: rows.texts.into_iter().collect(),
    }
}

struct Rows<'a> {
    story: &'a Story<'a>,
    texts: IndexSet<String>,
}

impl Rows<'_> {
    fn text(&mut self, text: &str) -> usize {
        match self.texts.get_index_of(text) {
            Some(index) => index,
            None => self.texts.insert_full(text.to_owned()).0,
        }
    }

    fn side(&self, name: &str) -> usize {
        self.story.recording.header.sides.iter().position(|side| &**side == name).unwrap_or(0)
    }

    fn packet(&mut self, packet: &PacketStory) -> PacketRow {
        let sent = self.story.sent(packet);
        let flags = u8::from(sent.reliable) | u8::from(sent.to_all) << 1 | u8::from(sent.injected) << 2;
        let call = match sent.call {
            Call::Fire => String::new(),
            Call::Invoke(number) => format!("call {number}"),
            Call::Reply(number, true) => format!("answer to call {number}"),
            Call::Reply(number, false) => format!("failure of call {number}"),
        };
        let events: Vec<usize> = packet.events.clone();
        let items: Vec<ItemRow> = events
            .iter()
            .filter_map(|index| match &self.story.recording.entries[*index].kind {
                Kind::Event(decoded) => Some(self.item(decoded)),
                _ => None,
            })
            .collect();
        let bytes = sent.buffer();
        // What the schema's fields do not show is shown as it is.
        let skipped = usize::from(bytes.is_some());
        let args: Vec<usize> = if items.is_empty() {
            sent.args
                .iter()
                .skip(skipped)
                .map(|value| show(value, VALUE * 4))
                .map(|text| self.text(&text))
                .collect()
        } else {
            Vec::new()
        };
        let shares: Vec<ShareRow> = packet.shares.iter().map(|share| self.share(share)).collect();
        let raw = bytes.map(|bytes| {
            use base64::Engine as _;
            base64::engine::general_purpose::STANDARD.encode(bytes)
        });
        (
            sent.id,
            seconds(self.story.sent_at(packet)),
            self.side(&sent.from),
            flags,
            sent.size,
            self.text(&sent.remote),
            self.text(&call),
            shares,
            items,
            raw,
            args,
        )
    }

    fn share(&mut self, share: &Share) -> ShareRow {
        let handlers: Vec<HandlerRow> = share
            .handlers
            .iter()
            .filter_map(|index| {
                let entry = &self.story.recording.entries[*index];
                let Kind::Handle { script, line, result, error, frames, .. } = &entry.kind else {
                    return None;
                };
                let error = error.as_deref().unwrap_or_default();
                Some((
                    self.text(script),
                    *line,
                    self.text(result),
                    self.text(error),
                    *frames,
                    seconds(entry.nanos),
                ))
            })
            .collect();
        (
            self.side(&share.side),
            self.text(&share.fate),
            share.arrived.map(seconds),
            share.handled.map(seconds),
            share.resends,
            share.copies,
            handlers,
        )
    }

    fn item(&mut self, decoded: &Decoded) -> ItemRow {
        let name = decoded.event.as_deref().unwrap_or("(unreadable)");
        let trouble = match (&decoded.error, &decoded.missing) {
            (Some(error), _) => format!("cannot be read: {error}"),
            (None, Some(place)) => format!("refused: the instance at {place} did not arrive"),
            (None, None) => String::new(),
        };
        let fields: Vec<FieldRow> = decoded.fields.iter().map(|field| self.field(field)).collect();
        let form = if &*decoded.form == "event" { "" } else { &decoded.form };
        (self.text(name), self.text(form), decoded.at.0, decoded.at.1, self.text(&trouble), fields)
    }

    fn field(&mut self, field: &Field) -> FieldRow {
        let (from, to) = field.place.bytes().unwrap_or((0, 0));
        let place = match &field.place {
            Place::Bytes(..) => String::new(),
            Place::Bits(parts) => {
                let parts = parts.iter().map(|[byte, bit, width]| match width {
                    1 => format!("{byte}.{bit}"),
                    width => format!("{byte}.{bit}–{}", bit + width - 1),
                });
                format!("bits {}", parts.collect::<Vec<_>>().join(" "))
            }
            Place::Slot(slot) => format!("slot {}", slot.saturating_add(1)),
        };
        let is = field.is.as_deref().unwrap_or_default();
        let value = show(&field.value, VALUE);
        (self.text(&field.path), self.text(is), from, to, self.text(&place), self.text(&value))
    }

    /// Everything that is no packet: `[seconds, side, kind, text]`.
    fn note(&mut self, entry: &Entry) -> Option<NoteRow> {
        let (kind, text) = match &entry.kind {
            Kind::Join { name, user_id } => ("join", format!("{name} joins, user {user_id}")),
            Kind::Leave { name, reason, .. } => ("leave", format!("{name} leaves: {reason}")),
            Kind::Log { level, text, .. } if matches!(&**level, "output" | "info") => {
                ("log", text.to_string())
            }
            Kind::Log { level, text, .. } => {
                (if &**level == "error" { "error" } else { "warning" }, text.to_string())
            }
            Kind::Diagnostic { code, text, .. } => ("warning", format!("{code}: {text}")),
            Kind::Mark { text } => ("mark", text.to_string()),
            Kind::Frame { .. }
            | Kind::Send(_)
            | Kind::Event(_)
            | Kind::Arrive { .. }
            | Kind::Drop { .. }
            | Kind::Handle { .. }
            | Kind::Replicate { .. } => return None,
        };
        let side = self.side(&entry.side);
        Some((seconds(entry.nanos), side, kind, self.text(&text)))
    }
}

/// Nanoseconds as seconds: six decimals, which is finer than any page shows.
fn seconds(nanos: i64) -> f64 {
    (nanos as f64 / 1e3).round() / 1e6
}
