//! A recording summed up: bytes and calls by event and direction, journeys, losses, what went wrong.
//! Source: emulator requirements, 8.6.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use super::listing::one_line;
use super::{Kind, Paint, Recording, Story};
use blinkblox_compiler::diagnostics::counted;

/// See the module.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Seconds from the first record to the last.
    pub seconds: f64,
    /// Messages and bytes from the server to clients, and from clients to the server.
    pub down: Journey,
    /// As `down`, the other way.
    pub up: Journey,
    /// Events and functions, those with the most bytes first.
    pub events: Vec<Tally>,
    /// Remotes, those with the most bytes first.
    pub remotes: Vec<Tally>,
    /// Streams, in the order of the schema.
    pub streams: Vec<StreamTally>,
    /// Sides other than the server, with what they sent and got.
    pub clients: Vec<(String, Journey, Journey)>,
    /// Drops by reason.
    pub drops: Vec<(String, u64)>,
    /// Bytes of replication.
    pub replicated: u64,
    /// Handlers that failed.
    pub failed_handlers: u64,
    /// Lines of output that are errors, and the first of them.
    pub errors: (u64, Option<String>),
    /// Diagnostics by code.
    pub diagnostics: Vec<(String, u64)>,
}

/// Messages one way. A message for three receivers counts three times.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Journey {
    /// Messages sent.
    pub messages: u64,
    /// Their estimated bytes.
    pub bytes: u64,
    /// Messages that arrived.
    pub arrived: u64,
    /// Messages that were dropped, for whatever reason.
    pub dropped: u64,
    /// Times a message was sent again.
    pub resends: u64,
    /// Milliseconds from sending to arrival: half of them took no longer, 95 of 100, all.
    pub delay_ms: [f64; 3],
}

/// Calls of one event or remote in one direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Tally {
    /// Its name.
    pub name: String,
    /// `down` or `up`.
    pub way: &'static str,
    /// How many.
    pub count: u64,
    /// Their bytes, once for each receiver.
    pub bytes: u64,
    /// How many were dropped.
    pub dropped: u64,
    /// How often they were sent again.
    pub resends: u64,
}

/// How often a stream was sent, in sends a second to one client.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamTally {
    /// Its name.
    pub name: String,
    /// What the schema says.
    pub rate: f64,
    /// What it says while fast.
    pub fast: Option<f64>,
    /// How often it was sent.
    pub sent: f64,
    /// How often it arrived.
    pub arrived: f64,
}

#[derive(Default)]
struct Counting {
    journey: Journey,
    delays: Vec<i64>,
}

impl Counting {
    fn finish(mut self) -> Journey {
        self.delays.sort_unstable();
        let at = |part: f64| {
            let place = (part * self.delays.len() as f64).ceil() as usize;
            self.delays.get(place.saturating_sub(1)).map_or(0.0, |nanos| *nanos as f64 / 1e6)
        };
        self.journey.delay_ms = [at(0.5), at(0.95), at(1.0)];
        self.journey
    }
}

/// Sums a recording up.
pub fn summarise(recording: &Recording) -> Summary {
    let story = Story::of(recording);
    let mut ways: [Counting; 2] = Default::default();
    let mut clients: BTreeMap<usize, [Counting; 2]> = BTreeMap::new();
    let sides = &recording.header.sides;
    let mut events: BTreeMap<(String, &'static str), Tally> = BTreeMap::new();
    let mut remotes: BTreeMap<(String, &'static str), Tally> = BTreeMap::new();
    for packet in &story.packets {
        let sent = story.sent(packet);
        let down = sides.first().is_some_and(|server| *server == sent.from);
        let way = if down { "down" } else { "up" };
        let receivers = packet.shares.len() as u64;
        let dropped = packet.shares.iter().filter(|share| share.is_lost()).count() as u64;
        let resends: u64 = packet.shares.iter().map(|share| share.resends).sum();
        let add = |map: &mut BTreeMap<(String, &'static str), Tally>, name: &str, bytes: u64| {
            let tally = map.entry((name.to_owned(), way)).or_insert_with(|| Tally {
                name: name.to_owned(),
                way,
                count: 0,
                bytes: 0,
                dropped: 0,
                resends: 0,
            });
            tally.count += 1;
            // What a file says is not bounded by what a network could carry.
            tally.bytes = tally.bytes.saturating_add(bytes.saturating_mul(receivers));
            tally.dropped += dropped;
            tally.resends += resends;
        };
        add(&mut remotes, sent.remote_name(), sent.size);
        for decoded in story.decoded(packet) {
            let name = decoded.event.as_deref().unwrap_or("(unreadable)");
            let name = match &*decoded.form {
                "event" | "unreadable" => name.to_owned(),
                form => format!("{name} {form}"),
            };
            add(&mut events, &name, (decoded.at.1 - decoded.at.0) as u64);
        }
        for share in &packet.shares {
            let other = if down { &share.side } else { &sent.from };
            let client = sides.iter().position(|side| side == other);
            let mut counters = vec![&mut ways[usize::from(!down)]];
            if let Some(client) = client.filter(|client| *client > 0) {
                counters.push(&mut clients.entry(client).or_default()[usize::from(!down)]);
            }
            for counter in counters {
                counter.journey.messages += 1;
                counter.journey.bytes += sent.size;
                counter.journey.dropped += u64::from(share.is_lost());
                counter.journey.resends += share.resends;
                if let Some(arrived) = share.arrived {
                    counter.journey.arrived += 1;
                    counter.delays.push(arrived - story.sent_at(packet));
                }
            }
        }
    }
    let [down, up] = ways.map(Counting::finish);
    let mut summary = Summary {
        seconds: span(recording),
        down,
        up,
        events: by_bytes(events),
        remotes: by_bytes(remotes),
        clients: clients
            .into_iter()
            .map(|(client, [down, up])| (sides[client].to_string(), down.finish(), up.finish()))
            .collect(),
        ..Summary::default()
    };
    summary.streams = streams(&story);
    count_troubles(recording, &mut summary);
    summary
}

/// The streams of the schemas, over the time that clients were there.
fn streams(story: &Story<'_>) -> Vec<StreamTally> {
    let recording = story.recording;
    let end = recording.entries.iter().map(|entry| entry.nanos).max().unwrap_or(0);
    let mut there = 0;
    for entry in &recording.entries {
        match &entry.kind {
            Kind::Join { .. } => there += end - entry.nanos,
            Kind::Leave { .. } => there -= end - entry.nanos,
            _ => {}
        }
    }
    let seconds = there as f64 / 1e9;
    let tally = |(name, rate, fast): &(String, f64, Option<f64>)| {
        let (mut sent, mut arrived) = (0_usize, 0_usize);
        for packet in &story.packets {
            let times =
                story.decoded(packet).filter(|decoded| decoded.event.as_deref() == Some(name)).count();
            sent += times * packet.shares.len();
            arrived += times * packet.shares.iter().filter(|share| share.arrived.is_some()).count();
        }
        let per_second = |count: usize| if seconds > 0.0 { count as f64 / seconds } else { 0.0 };
        StreamTally {
            name: name.clone(),
            rate: *rate,
            fast: *fast,
            sent: per_second(sent),
            arrived: per_second(arrived),
        }
    };
    recording.header.streams.iter().map(tally).collect()
}

fn span(recording: &Recording) -> f64 {
    let times = || recording.entries.iter().map(|entry| entry.nanos);
    let (first, last) = (times().min().unwrap_or(0), times().max().unwrap_or(0));
    (last - first) as f64 / 1e9
}

fn by_bytes(map: BTreeMap<(String, &'static str), Tally>) -> Vec<Tally> {
    let mut list: Vec<Tally> = map.into_values().collect();
    list.sort_by(|a, b| b.bytes.cmp(&a.bytes).then_with(|| a.name.cmp(&b.name)));
    list
}

fn count_troubles(recording: &Recording, summary: &mut Summary) {
    let mut drops: BTreeMap<&str, u64> = BTreeMap::new();
    let mut diagnostics: BTreeMap<&str, u64> = BTreeMap::new();
    for entry in &recording.entries {
        match &entry.kind {
            Kind::Drop { why, .. } => *drops.entry(why).or_default() += 1,
            Kind::Replicate { size, .. } => summary.replicated += size,
            Kind::Handle { error: Some(_), .. } => summary.failed_handlers += 1,
            Kind::Log { level, text, .. } if &**level == "error" => {
                summary.errors.0 += 1;
                summary.errors.1.get_or_insert_with(|| text.to_string());
            }
            Kind::Diagnostic { code, .. } => *diagnostics.entry(code).or_default() += 1,
            Kind::Join { .. }
            | Kind::Leave { .. }
            | Kind::Frame { .. }
            | Kind::Send(_)
            | Kind::Event(_)
            | Kind::Arrive { .. }
            | Kind::Handle { .. }
            | Kind::Log { .. }
            | Kind::Mark { .. } => {}
        }
    }
    let owned = |map: BTreeMap<&str, u64>| -> Vec<(String, u64)> {
        map.into_iter().map(|(name, count)| (name.to_owned(), count)).collect()
    };
    summary.drops = owned(drops);
    summary.diagnostics = owned(diagnostics);
}

impl Summary {
    /// The summary for a terminal.
    pub fn text(&self, paint: Paint) -> String {
        let mut out = String::new();
        let _ = writeln!(out, "{}", paint.bold(&format!("{:.3} s recorded", self.seconds)));
        let head = format!(
            "\n{:<24} {:>9} {:>11} {:>9} {:>8} {:>8}  {:<22}",
            "direction", "messages", "bytes", "bytes/s", "dropped", "resends", "delay ms (50, 95, 100 %)"
        );
        let _ = writeln!(out, "{}", paint.bold(&head));
        let mut journey = |name: &str, of: &Journey| {
            let [half, most, all] = of.delay_ms;
            let lost = percent(of.dropped, of.messages);
            let _ = writeln!(
                out,
                "{name:<24} {:>9} {:>11} {:>9} {lost:>8} {:>8}  {half:.1}, {most:.1}, {all:.1}",
                of.messages,
                of.bytes,
                self.rate(of.bytes),
                of.resends,
            );
        };
        journey("server to clients", &self.down);
        journey("clients to server", &self.up);
        for (name, down, up) in &self.clients {
            journey(&format!("  to {name}"), down);
            journey(&format!("  from {name}"), up);
        }
        for (what, tallies) in [("event", &self.events), ("remote", &self.remotes)] {
            if tallies.is_empty() {
                continue;
            }
            let head = format!(
                "\n{what:<34} {:<5} {:>8} {:>9} {:>11} {:>9} {:>8} {:>8}",
                "way", "count", "a second", "bytes", "bytes/s", "dropped", "resends"
            );
            let _ = writeln!(out, "{}", paint.bold(&head));
            for tally in tallies {
                let _ = writeln!(
                    out,
                    "{:<34} {:<5} {:>8} {:>9} {:>11} {:>9} {:>8} {:>8}",
                    tally.name,
                    tally.way,
                    tally.count,
                    self.rate(tally.count),
                    tally.bytes,
                    self.rate(tally.bytes),
                    tally.dropped,
                    tally.resends
                );
            }
        }
        if !self.streams.is_empty() {
            let head = format!(
                "\n{:<34} {:>9} {:>9} {:>9} {:>9}",
                "stream, a second to one client", "declared", "fast", "sent", "arrived"
            );
            let _ = writeln!(out, "{}", paint.bold(&head));
            for stream in &self.streams {
                let fast = stream.fast.map_or_else(|| "-".to_owned(), |fast| fast.to_string());
                let _ = writeln!(
                    out,
                    "{:<34} {:>9} {fast:>9} {:>9.1} {:>9.1}",
                    stream.name, stream.rate, stream.sent, stream.arrived
                );
            }
        }
        out.push('\n');
        if self.replicated > 0 {
            let _ = writeln!(out, "replication: about {}", counted(self.replicated, "byte"));
        }
        for (why, count) in &self.drops {
            let _ = writeln!(out, "{}", paint.odd(&format!("{why}: {count}")));
        }
        for (code, count) in &self.diagnostics {
            let _ = writeln!(out, "{}", paint.odd(&format!("{code}: {count}")));
        }
        if self.failed_handlers > 0 {
            let _ =
                writeln!(out, "{}", paint.bad(&format!("handlers that failed: {}", self.failed_handlers)));
        }
        if let (count, Some(first)) = &self.errors {
            let text = format!("errors of scripts: {count}, the first: {}", one_line(first));
            let _ = writeln!(out, "{}", paint.bad(&text));
        }
        out
    }

    /// The summary as one JSON document.
    pub fn json(&self) -> Json {
        let journey = |of: &Journey| {
            json!({
                "messages": of.messages,
                "bytes": of.bytes,
                "arrived": of.arrived,
                "dropped": of.dropped,
                "resends": of.resends,
                "delayMs": { "p50": of.delay_ms[0], "p95": of.delay_ms[1], "max": of.delay_ms[2] },
            })
        };
        let tallies = |list: &[Tally]| -> Json {
            let tally = |of: &Tally| {
                json!({
                    "name": of.name,
                    "way": of.way,
                    "count": of.count,
                    "bytes": of.bytes,
                    "dropped": of.dropped,
                    "resends": of.resends,
                })
            };
            list.iter().map(tally).collect::<Vec<_>>().into()
        };
        let counts = |list: &[(String, u64)]| -> Json {
            Json::Object(list.iter().map(|(name, count)| (name.clone(), (*count).into())).collect())
        };
        let clients: Vec<Json> = self
            .clients
            .iter()
            .map(|(name, down, up)| json!({ "name": name, "down": journey(down), "up": journey(up) }))
            .collect();
        let streams: Vec<Json> = self
            .streams
            .iter()
            .map(|of| {
                json!({
                    "name": of.name,
                    "rate": of.rate,
                    "fast": of.fast,
                    "sent": of.sent,
                    "arrived": of.arrived,
                })
            })
            .collect();
        json!({
            "seconds": self.seconds,
            "down": journey(&self.down),
            "up": journey(&self.up),
            "clients": clients,
            "events": tallies(&self.events),
            "remotes": tallies(&self.remotes),
            "streams": streams,
            "drops": counts(&self.drops),
            "diagnostics": counts(&self.diagnostics),
            "replicatedBytes": self.replicated,
            "failedHandlers": self.failed_handlers,
            "errors": self.errors.0,
        })
    }

    fn rate(&self, count: u64) -> String {
        if self.seconds <= 0.0 {
            return "-".to_owned();
        }
        let rate = count as f64 / self.seconds;
        if rate < 100.0 { format!("{rate:.1}") } else { format!("{rate:.0}") }
    }
}

fn percent(part: u64, whole: u64) -> String {
    if whole == 0 { "-".to_owned() } else { format!("{:.1} %", part as f64 * 100.0 / whole as f64) }
}
