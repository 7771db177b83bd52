//! What stops time at the prompt: values that change (`.watch`), calls and signals that fire (`.break`).

use blinkblox_compiler::wire::Wire;

use super::commands::{Outcome, Words, number};
use super::eval::show;
use super::{Repl, Reply};
use crate::shared::Side;
use crate::testing::decoding;
use crate::trace::Packet;
use crate::value::Value;
use crate::vm::Handle;

/// Everything that stops time.
#[derive(Default)]
pub(super) struct Stops {
    watches: Vec<Watch>,
    breaks: Vec<Break>,
    /// Packets that have been looked at.
    packets: usize,
}

/// An expression whose value is looked at after every frame.
struct Watch {
    side: Side,
    text: String,
    function: Handle,
    last: String,
}

struct Break {
    text: String,
    kind: BreakKind,
}

enum BreakKind {
    /// A remote by its name or full name.
    Remote(String),
    /// An event or function of the schema.
    Event(String),
    /// A signal of a side: a function that counts its fires, and how many there were.
    Signal { side: Side, count: Handle, seen: f64 },
}

impl Stops {
    /// Whether nothing stops time.
    pub(super) fn is_empty(&self) -> bool {
        self.watches.is_empty() && self.breaks.is_empty()
    }
}

/// Counts fires of the signal that follows.
const COUNTER: &str = "\
local count = 0
local signal = SIGNAL
if typeof(signal) ~= \"RBXScriptSignal\" then
	error(`a {typeof(signal)} is no signal`, 0)
end
signal:Connect(function()
	count += 1
end)
return function()
	return count
end";

impl Repl {
    /// What stops time after the frame that just ran, for people.
    pub(super) fn stopped(&mut self) -> Option<String> {
        if self.stops.is_empty() {
            return None;
        }
        let watched = self.changed_watch();
        // All are looked at, so that each is told of once.
        let fired = self.fired_break();
        watched.or(fired)
    }

    fn changed_watch(&mut self) -> Option<String> {
        let mut told = None;
        for index in 0..self.stops.watches.len() {
            let watch = &self.stops.watches[index];
            let now = self.look_at(watch.side, &watch.function);
            let watch = &mut self.stops.watches[index];
            if now != watch.last {
                let before = std::mem::replace(&mut watch.last, now.clone());
                told.get_or_insert(format!("{} became {now} (was {before})", watch.text));
            }
        }
        told
    }

    /// The value of a watch as text; what went wrong is a value too.
    fn look_at(&self, side: Side, function: &Handle) -> String {
        let Ok(peer) = self.world.peer(side) else { return "gone with its side".to_string() };
        match peer.vm.call(function, &[]) {
            Ok(values) => values.first().map_or("nil".to_string(), |value| show(&peer, value)),
            Err(failure) => format!("an error: {}", failure.text),
        }
    }

    fn fired_break(&mut self) -> Option<String> {
        let mut told = None;
        let packets: Vec<Packet> = {
            let trace = self.world.trace();
            trace.packets()[self.stops.packets.min(trace.packets().len())..].to_vec()
        };
        self.stops.packets += packets.len();
        for index in 0..self.stops.breaks.len() {
            let stop = &self.stops.breaks[index];
            let text = stop.text.clone();
            let hit = match &stop.kind {
                BreakKind::Remote(name) => packets.iter().find(|packet| {
                    *packet.remote == **name || packet.remote.rsplit('.').next() == Some(name.as_str())
                }),
                BreakKind::Event(name) => packets.iter().find(|packet| self.holds_event(packet, name)),
                BreakKind::Signal { side, count, seen } => {
                    let now = self.world.peer(*side).ok().and_then(|peer| peer.vm.call(count, &[]).ok());
                    let now =
                        now.and_then(|values| values.first().and_then(Value::as_number)).unwrap_or(*seen);
                    if now > *seen {
                        if let BreakKind::Signal { seen, .. } = &mut self.stops.breaks[index].kind {
                            *seen = now;
                        }
                        told.get_or_insert(format!("{text} fired"));
                    }
                    None
                }
            };
            if let Some(packet) = hit {
                told.get_or_insert(format!("{text} fired: {}", self.describe(packet)));
            }
        }
        told
    }

    fn holds_event(&self, packet: &Packet, name: &str) -> bool {
        let Some(decoded) = self.decoded(packet) else { return false };
        decoding::item_names(&decoded).iter().any(|item| item == name)
    }

    pub(super) fn watch(&mut self, words: &Words) -> Outcome {
        match words.get(0) {
            None => {
                let lines = self.stops.watches.iter().enumerate();
                let lines: Vec<String> = lines
                    .map(|(index, watch)| format!("{} {} = {}", index + 1, watch.text, watch.last))
                    .collect();
                Ok(Reply::Text(if lines.is_empty() { "nothing is watched".into() } else { lines.join("\n") }))
            }
            Some("off") => {
                take(&mut self.stops.watches, words.get(1))?;
                self.note(format!(".watch {}", words.rest), String::new());
                Ok(Reply::Text(String::new()))
            }
            Some(_) => {
                let function = self.watcher(&words.rest)?;
                let side = self.side();
                let last = self.look_at(side, &function);
                let text = words.rest.clone();
                let shown = format!("{text} = {last}");
                self.stops.watches.push(Watch { side, text, function, last });
                self.note(format!(".watch {}", words.rest), String::new());
                Ok(Reply::Text(shown))
            }
        }
    }

    pub(super) fn break_(&mut self, words: &Words) -> Outcome {
        let (kind, name) = match (words.get(0), words.get(1)) {
            (None, _) => {
                let lines = self.stops.breaks.iter().enumerate();
                let lines: Vec<String> =
                    lines.map(|(index, stop)| format!("{} {}", index + 1, stop.text)).collect();
                let none = "nothing stops time";
                return Ok(Reply::Text(if lines.is_empty() { none.into() } else { lines.join("\n") }));
            }
            (Some("off"), number) => {
                take(&mut self.stops.breaks, number)?;
                self.note(format!(".break {}", words.rest), String::new());
                return Ok(Reply::Text(String::new()));
            }
            (Some(kind @ ("remote" | "event" | "signal")), Some(_)) => {
                (kind, words.rest[kind.len()..].trim().to_string())
            }
            (Some("remote" | "event" | "signal"), None) => return Err(".break needs a name".into()),
            (Some(name), _) if self.event_names().iter().any(|event| event == name) => {
                ("event", words.rest.clone())
            }
            (Some(_), _) => ("remote", words.rest.clone()),
        };
        let text = format!("{kind} {name}");
        let kind = match kind {
            "event" => {
                let known = self.event_names();
                if !known.contains(&name) {
                    let known = if known.is_empty() { "there is no schema".into() } else { known.join(", ") };
                    return Err(format!("there is no event {name}: {known}"));
                }
                BreakKind::Event(name)
            }
            "signal" => {
                let side = self.side();
                let peer = self.world.peer(side)?;
                let session = self.session(&peer).map_err(|failure| failure.text)?;
                let source = COUNTER.replacen("SIGNAL", &name, 1);
                let counter = peer
                    .load_beside(&std::sync::Arc::from(source.as_str()), "input", &session)
                    .and_then(|function| peer.vm.call(&function, &[]))
                    .map_err(|failure| failure.text)?;
                match counter.into_iter().next() {
                    Some(Value::Function(count)) => BreakKind::Signal { side, count, seen: 0.0 },
                    _ => return Err(format!("{name} is no signal")),
                }
            }
            _ => BreakKind::Remote(name),
        };
        // What was sent before does not count.
        if self.stops.breaks.is_empty() {
            self.stops.packets = self.world.trace().packets().len();
        }
        self.stops.breaks.push(Break { text: text.clone(), kind });
        self.note(format!(".break {}", words.rest), String::new());
        Ok(Reply::Text(format!("time stops when {text} fires")))
    }

    /// Names of the schema's events and functions.
    pub(super) fn event_names(&self) -> Vec<String> {
        let of_schema = |wire: &Wire| -> Vec<String> {
            let events = wire.events.iter().map(|event| event.path.join("."));
            events.chain(wire.functions.iter().map(|function| function.path.join("."))).collect()
        };
        self.game.built.schemas.iter().flat_map(|schema| of_schema(&schema.wire)).collect()
    }
}

/// Takes the entry of that number out, or all without one.
fn take<T>(list: &mut Vec<T>, word: Option<&str>) -> Result<(), String> {
    match word {
        None => list.clear(),
        Some(_) => {
            let index = number(word, 0.0)? as usize;
            if index == 0 || index > list.len() {
                return Err(format!("there is no number {index}"));
            }
            list.remove(index - 1);
        }
    }
    Ok(())
}
