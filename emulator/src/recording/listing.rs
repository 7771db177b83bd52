//! Records as lines for a terminal: time, a column a side, what happened.

use std::fmt::Write as _;
use std::rc::Rc;

use super::{Anomaly, Call, Decoded, Entry, Kind, Story, anomaly, seconds, show};
use blinkblox_compiler::diagnostics::counted;

/// How text is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// Not at all.
    Plain,
    /// With ANSI codes.
    Ansi,
}

impl Paint {
    fn code(self, code: &str, text: &str) -> String {
        match self {
            Paint::Plain => text.to_owned(),
            Paint::Ansi => format!("\x1b[{code}m{text}\x1b[0m"),
        }
    }

    pub(super) fn bold(self, text: &str) -> String {
        self.code("1", text)
    }

    pub(super) fn dim(self, text: &str) -> String {
        self.code("2", text)
    }

    pub(super) fn bad(self, text: &str) -> String {
        self.code("31", text)
    }

    pub(super) fn odd(self, text: &str) -> String {
        self.code("33", text)
    }
}

/// More sides than this share one column with their names written out.
const MOST_COLUMNS: usize = 8;
/// Widest column.
const WIDEST: usize = 12;

/// Lines for the records of these indices, under a head that names the columns. `late` as in [`anomaly`].
pub fn list(story: &Story<'_>, indices: &[usize], late: i64, paint: Paint) -> String {
    let columns = Columns::of(&story.recording.header.sides);
    let mut out = String::new();
    let head = columns.head();
    let _ = writeln!(out, "{}", paint.bold(&format!("{:>10}  {head}what happened", "seconds")));
    for index in indices {
        let Some(entry) = story.recording.entries.get(*index) else { continue };
        let odd = anomaly(story, entry, late);
        let text = describe(story, entry);
        let text = match odd {
            None => match entry.kind {
                Kind::Send(_) => text,
                _ => paint.dim(&text),
            },
            Some(Anomaly::SentAgain | Anomaly::Queued | Anomaly::Late) => paint.odd(&text),
            Some(_) => paint.bad(&text),
        };
        let _ = writeln!(out, "{:>10}  {}{text}", seconds(entry.nanos), columns.row(entry));
    }
    out
}

/// A column a side.
struct Columns<'a> {
    sides: &'a [Rc<str>],
    width: usize,
}

impl<'a> Columns<'a> {
    fn of(sides: &'a [Rc<str>]) -> Columns<'a> {
        let longest = sides.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        Columns { sides, width: (longest + 1).clamp(4, WIDEST) }
    }

    fn head(&self) -> String {
        if self.sides.len() > MOST_COLUMNS {
            return format!("{:<width$}", "side", width = self.width + 1);
        }
        let name = |name: &Rc<str>| {
            let short: String = name.chars().take(self.width - 1).collect();
            format!("{short:<width$}", width = self.width)
        };
        self.sides.iter().map(name).collect::<String>() + " "
    }

    fn row(&self, entry: &Entry) -> String {
        if self.sides.len() > MOST_COLUMNS {
            let short: String = entry.side.chars().take(self.width).collect();
            return format!("{short:<width$}", width = self.width + 1);
        }
        let place = |name: &Rc<str>| self.sides.iter().position(|side| side == name);
        let (from, to): (Option<usize>, Vec<usize>) = match &entry.kind {
            Kind::Send(sent) => (place(&sent.from), sent.to.iter().filter_map(place).collect()),
            Kind::Replicate { from, to, .. } => (place(from), place(to).into_iter().collect()),
            _ => (None, Vec::new()),
        };
        let ends = from.iter().chain(&to);
        let (first, last) = (ends.clone().min().copied(), ends.max().copied());
        let own = place(&entry.side);
        let mut row = String::new();
        for column in 0..self.sides.len() {
            let mark = if from == Some(column) {
                '●'
            } else if to.contains(&column) {
                if from.is_some_and(|from| from > column) { '◁' } else { '▷' }
            } else if from.is_none() && own == Some(column) {
                mark(&entry.kind)
            } else if first.is_some_and(|first| first < column) && last.is_some_and(|last| column < last) {
                '─'
            } else {
                '·'
            };
            row.push(mark);
            let inside = first.is_some_and(|first| first <= column) && last.is_some_and(|last| column < last);
            row.extend(std::iter::repeat_n(if inside { '─' } else { ' ' }, self.width - 1));
        }
        row.push(' ');
        row
    }
}

fn mark(kind: &Kind) -> char {
    match kind {
        Kind::Arrive { .. } => '◆',
        Kind::Drop { .. } => '✗',
        Kind::Handle { .. } => '▸',
        Kind::Join { .. } => '+',
        Kind::Leave { .. } => '−',
        Kind::Frame { .. } => '|',
        Kind::Log { .. } => '"',
        Kind::Diagnostic { .. } => '!',
        Kind::Mark { .. } => '*',
        Kind::Send(_) | Kind::Event(_) | Kind::Replicate { .. } => '·',
    }
}

/// A record in words, without its time and side.
pub(super) fn describe(story: &Story<'_>, entry: &Entry) -> String {
    let about = |id: u64| {
        let title = story.packet(id).map(|packet| story.title(packet));
        title.map_or_else(|| format!("#{id}"), |title| format!("#{id} {title}"))
    };
    match &entry.kind {
        Kind::Join { user_id, name } => format!("{name} joins, user {user_id}"),
        Kind::Leave { name, reason, .. } => format!("{name} leaves: {reason}"),
        Kind::Frame { nanos } => format!("frame {} of {:.1} ms", entry.frame, *nanos as f64 / 1e6),
        Kind::Send(sent) => {
            let to = if sent.to_all { "all".to_owned() } else { sent.to.join(", ") };
            let channel = if sent.reliable { "reliable" } else { "unreliable" };
            let call = match sent.call {
                Call::Fire => String::new(),
                Call::Invoke(number) => format!(", call {number}"),
                Call::Reply(number, true) => format!(", answers call {number}"),
                Call::Reply(number, false) => format!(", fails call {number}"),
            };
            let injected = if sent.injected { ", injected" } else { "" };
            format!("{} to {to}, {} B {channel}{call}{injected}", about(sent.id), sent.size)
        }
        Kind::Event(decoded) => format!("#{} {}", decoded.id, describe_event(decoded)),
        Kind::Arrive { id, at, queued_for, resends } => {
            let mut text = format!("{} arrives", about(*id));
            if let Some(packet) = story.packet(*id) {
                let took = (at - story.sent_at(packet)) as f64 / 1e6;
                let _ = write!(text, " after {took:.1} ms");
            }
            match queued_for {
                None => text.push_str(", waits for a listener"),
                Some(0) => {}
                Some(waited) => {
                    let _ = write!(text, ", waited {} s for a listener", seconds(*waited));
                }
            }
            match resends {
                0 => {}
                1 => text.push_str(", sent again once"),
                times => {
                    let _ = write!(text, ", sent again {times} times");
                }
            }
            text
        }
        Kind::Drop { id, why } => format!("{} dropped: {why}", about(*id)),
        Kind::Handle { id, script, line, result, error, frames } => {
            let place = match (&**script, line) {
                ("", _) => "a handler".to_owned(),
                (script, 0) => script.to_owned(),
                (script, line) => format!("{script}:{line}"),
            };
            let outcome = match (error, &**result) {
                (Some(error), _) => format!("fails: {error}"),
                (None, "running") => "has not ended".to_owned(),
                (None, result) => result.to_owned(),
            };
            let after =
                if *frames > 0 { format!(" after {}", counted(frames, "frame")) } else { String::new() };
            format!("{} handled by {place}, {outcome}{after}", about(*id))
        }
        Kind::Replicate { to, changes, size, .. } => {
            let changes = changes.iter().map(|(kind, count)| format!("{count} {kind}"));
            format!("replicates {} to {to}, {size} B", changes.collect::<Vec<_>>().join(", "))
        }
        Kind::Log { level, text, .. } if &**level == "output" => format!("\"{}\"", one_line(text)),
        Kind::Log { level, text, .. } => format!("{level}: {}", one_line(text)),
        Kind::Diagnostic { code, text, .. } => format!("{code}: {}", one_line(text)),
        Kind::Mark { text } => format!("mark: {}", one_line(text)),
    }
}

/// A decoded event with its values on one line.
pub(super) fn describe_event(decoded: &Decoded) -> String {
    let name = decoded.event.as_deref().unwrap_or("an unknown index");
    if let Some(error) = &decoded.error {
        return format!("{name} cannot be read at byte {}: {error}", decoded.at.0);
    }
    let mut text = name.to_owned();
    if &*decoded.form != "event" {
        let _ = write!(text, " {}", decoded.form);
    }
    let values: Vec<String> = decoded
        .fields
        .iter()
        .filter(|field| field.is.as_deref().is_none_or(|is| is == "variant"))
        .map(|field| format!("{} = {}", field.path, show(&field.value, 40)))
        .collect();
    let mut values = values.join(", ");
    if values.chars().count() > 160 {
        values = values.chars().take(160).chain("…".chars()).collect();
    }
    let _ = write!(text, " {{{values}}}, {} B", decoded.at.1 - decoded.at.0);
    if let Some(missing) = &decoded.missing {
        let _ = write!(text, ", the instance at {missing} did not arrive");
    }
    text
}

/// Text without line ends and control characters, for one line of a terminal.
pub(super) fn one_line(text: &str) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}
