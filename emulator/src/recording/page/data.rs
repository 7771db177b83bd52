//! The data of the page: one JSON document of lists, small enough for a hundred thousand packets.

use indexmap::IndexSet;
use serde_json::{Value as Json, json};

use super::super::{Call, Decoded, Field, Kind, PacketStory, Place, Recording, Share, Story, show};

/// Longest text of a value.
const VALUE: usize = 200;

/// See `data.js` for the shape.
pub(super) fn rows(recording: &Recording, title: &str) -> Json {
    let story = Story::of(recording);
    let mut rows = Rows { story: &story, texts: IndexSet::new() };
    // The empty text has number 0.
    rows.text("");
    let packets: Vec<Json> = story.packets.iter().map(|packet| rows.packet(packet)).collect();
    let notes: Vec<Json> = recording.entries.iter().filter_map(|entry| rows.note(entry)).collect();
    let header = &recording.header;
    let end = recording.entries.iter().map(|entry| entry.nanos).max().unwrap_or(0);
    let streams: Vec<Json> =
        header.streams.iter().map(|(name, rate, fast)| json!([rows.text(name), rate, fast])).collect();
    let sides: Vec<&str> = header.sides.iter().map(|name| &**name).collect();
    json!({
        "title": title,
        "seed": header.seed.to_string(),
        "tool": header.tool,
        "test": header.test,
        "project": header.project,
        "fps": header.fps,
        "end": seconds(end),
        "sides": sides,
        "streams": streams,
        "packets": packets,
        "notes": notes,
        "texts": rows.texts.iter().collect::<Vec<_>>(),
    })
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

    fn packet(&mut self, packet: &PacketStory) -> Json {
        let sent = self.story.sent(packet);
        let flags = u8::from(sent.reliable) | u8::from(sent.to_all) << 1 | u8::from(sent.injected) << 2;
        let call = match sent.call {
            Call::Fire => String::new(),
            Call::Invoke(number) => format!("call {number}"),
            Call::Reply(number, true) => format!("answer to call {number}"),
            Call::Reply(number, false) => format!("failure of call {number}"),
        };
        let events: Vec<usize> = packet.events.clone();
        let items: Vec<Json> = events
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
        let shares: Vec<Json> = packet.shares.iter().map(|share| self.share(share)).collect();
        let raw = bytes.map_or(Json::Null, |bytes| {
            use base64::Engine as _;
            base64::engine::general_purpose::STANDARD.encode(bytes).into()
        });
        json!([
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
        ])
    }

    fn share(&mut self, share: &Share) -> Json {
        let handlers: Vec<Json> = share
            .handlers
            .iter()
            .filter_map(|index| {
                let entry = &self.story.recording.entries[*index];
                let Kind::Handle { script, line, result, error, frames, .. } = &entry.kind else {
                    return None;
                };
                let error = error.as_deref().unwrap_or_default();
                Some(json!([
                    self.text(script),
                    line,
                    self.text(result),
                    self.text(error),
                    frames,
                    seconds(entry.nanos)
                ]))
            })
            .collect();
        json!([
            self.side(&share.side),
            self.text(&share.fate),
            share.arrived.map(seconds),
            share.handled.map(seconds),
            share.resends,
            share.copies,
            handlers,
        ])
    }

    fn item(&mut self, decoded: &Decoded) -> Json {
        let name = decoded.event.as_deref().unwrap_or("(unreadable)");
        let trouble = match (&decoded.error, &decoded.missing) {
            (Some(error), _) => format!("cannot be read: {error}"),
            (None, Some(place)) => format!("refused: the instance at {place} did not arrive"),
            (None, None) => String::new(),
        };
        let fields: Vec<Json> = decoded.fields.iter().map(|field| self.field(field)).collect();
        let form = if &*decoded.form == "event" { "" } else { &decoded.form };
        json!([self.text(name), self.text(form), decoded.at.0, decoded.at.1, self.text(&trouble), fields])
    }

    fn field(&mut self, field: &Field) -> Json {
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
        json!([self.text(&field.path), self.text(is), from, to, self.text(&place), self.text(&value)])
    }

    /// Everything that is no packet: `[seconds, side, kind, text]`.
    fn note(&mut self, entry: &super::super::Entry) -> Option<Json> {
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
        Some(json!([seconds(entry.nanos), side, kind, self.text(&text)]))
    }
}

/// Nanoseconds as seconds: six decimals, which is finer than any page shows.
fn seconds(nanos: i64) -> Json {
    json!((nanos as f64 / 1e3).round() / 1e6)
}
