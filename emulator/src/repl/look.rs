//! Commands that show the world: packets, trees, properties, differences, what waits, output.

use std::collections::BTreeSet;

use super::commands::{Outcome, Words, number};
use super::eval::{show, text_of};
use super::{Repl, Reply};
use crate::clock::Time;
use crate::datamodel::members::{self, Entry};
use crate::datamodel::properties;
use crate::scheduler;
use crate::shared::Side;
use crate::testing::decoding;
use crate::trace::{Packet, Target};
use crate::value::{InstanceId, Value};
use crate::world::PacketFilter;
use blinkblox_compiler::diagnostics::counted;

/// Lines of a difference that are shown.
const MOST_LINES: usize = 60;

/// The stretches of time that `.trace save` leaves out.
#[derive(Default)]
pub(super) struct Recording {
    /// Begin and end in seconds; the last has no end while recording is off.
    off: Vec<(f64, Option<f64>)>,
}

impl Recording {
    fn is_on(&self) -> bool {
        self.off.last().is_none_or(|(_, end)| end.is_some())
    }

    fn holds(&self, at: f64) -> bool {
        !self.off.iter().any(|(begin, end)| at >= *begin && end.is_none_or(|end| at < end))
    }
}

fn lines_or(lines: Vec<String>, none: &str) -> Outcome {
    Ok(Reply::Text(if lines.is_empty() { none.to_string() } else { lines.join("\n") }))
}

impl Repl {
    /// A packet on a line.
    pub(super) fn describe(&self, packet: &Packet) -> String {
        let to = match packet.to {
            Target::Everyone => "everyone".to_string(),
            Target::One(side) => self.side_name(side),
        };
        let fate = packet.fate().map_or("", |fate| fate.name());
        format!(
            "#{} {:.3} s  {} -> {to}  {}  {}  {fate}",
            packet.id,
            packet.sent_at.seconds(),
            self.side_name(packet.from),
            packet.remote,
            counted(packet.size, "byte"),
        )
    }

    pub(super) fn show_packets(&mut self, words: &Words) -> Outcome {
        let mut count = 10.0;
        let mut filter = PacketFilter::default();
        let mut texts = Vec::new();
        let mut fate = None;
        let mut to = None;
        for word in words.from(0) {
            match word.split_once('=') {
                Some(("from", name)) => filter.from = Some(self.named_side(name)?),
                Some(("to", name)) => to = Some(self.named_side(name)?),
                Some(("remote", name)) => filter.remote = Some(name.to_string()),
                Some(("since", at)) => filter.since = Some(Time::from_seconds(number(Some(at), 0.0)?)),
                Some(("fate", name)) => fate = Some(name.to_string()),
                Some((key, _)) => {
                    return Err(format!(
                        "packets are filtered by from, to, remote, since and fate, not {key}"
                    ));
                }
                None if word == "reliable" => filter.reliable = Some(true),
                None if word == "unreliable" => filter.reliable = Some(false),
                None => match word.parse::<f64>() {
                    Ok(number) => count = number,
                    Err(_) => texts.push(word.to_string()),
                },
            }
        }
        let mut found = self.world.packets(&filter);
        found.retain(|packet| {
            let is_to = match (to, packet.to) {
                (None, _) => true,
                (Some(side), Target::One(receiver)) => side == receiver,
                (Some(side), Target::Everyone) => packet.receipt(side).is_some(),
            };
            let has_fate = fate
                .as_ref()
                .is_none_or(|fate| packet.receipts.iter().any(|receipt| receipt.fate.name() == *fate));
            is_to && has_fate && texts.iter().all(|text| self.describe(packet).contains(text.as_str()))
        });
        let tail = &found[found.len().saturating_sub(count.max(0.0) as usize)..];
        lines_or(tail.iter().map(|packet| self.describe(packet)).collect(), "no packets yet")
    }

    fn packet_of(&self, words: &Words, command: &str) -> Result<Packet, String> {
        let id = words
            .get(0)
            .ok_or_else(|| format!(".{command} needs the number of a packet; .packets lists them"))?;
        let id = number(Some(id.trim_start_matches('#')), 0.0)? as u64;
        self.world.trace().packet(id).cloned().ok_or_else(|| format!("there is no packet #{id}"))
    }

    pub(super) fn show_packet(&mut self, words: &Words) -> Outcome {
        let packet = self.packet_of(words, "packet")?;
        let mut lines = vec![self.describe(&packet)];
        for (index, value) in packet.args.iter().enumerate() {
            let shown = match value {
                Value::Buffer(bytes) => hex(bytes),
                other => other.to_string(),
            };
            lines.push(format!("  {}: {shown}", index + 1));
        }
        for receipt in &packet.receipts {
            let at = receipt.arrived_at.map_or(String::new(), |at| format!(" at {:.3} s", at.seconds()));
            lines.push(format!("  {}: {}{at}", self.side_name(receipt.side), receipt.fate.name()));
        }
        Ok(Reply::Text(lines.join("\n")))
    }

    /// A packet's items as the schema reads them; `None` without a schema or a buffer.
    pub(super) fn decoded(&self, packet: &Packet) -> Option<Value> {
        let wire = self.game.built.wire_of(&packet.remote)?;
        decoding::decode(wire, packet)
    }

    pub(super) fn decode(&mut self, words: &Words) -> Outcome {
        let packet = self.packet_of(words, "decode")?;
        if self.game.built.schemas.is_empty() {
            return Err("there is no schema: name it in blinkblox.toml".into());
        }
        let decoded = self.decoded(&packet).ok_or("this packet carries no buffer of a schema")?;
        let mut lines = vec![self.describe(&packet)];
        let peer = &self.world.server().peer;
        for item in decoding::items(&decoded) {
            let values = text_of(peer, &item.values, 0);
            lines.push(format!("  bytes {}..{}  {} {}  {values}", item.from, item.to, item.kind, item.name));
        }
        if let Some(stopped) = decoding::stopped(&decoded) {
            lines.push(format!("  reading stopped: {stopped}"));
        }
        Ok(Reply::Text(lines.join("\n")))
    }

    /// The instance of a path on the current side. Errors: there is none.
    fn at_path(&self, path: &str) -> Result<InstanceId, String> {
        let found = self.world.find(self.side(), path)?;
        found.ok_or_else(|| format!("there is no {path} on this side"))
    }

    pub(super) fn tree(&mut self, words: &Words) -> Outcome {
        let (path, depth) = match (words.get(0), words.get(1)) {
            (Some(word), None) if word.parse::<f64>().is_ok() => ("game", Some(word)),
            (path, depth) => (path.unwrap_or("game"), depth),
        };
        let depth = number(depth, 2.0)?.max(0.0) as usize;
        let root = self.at_path(path)?;
        let peer = self.world.peer(self.side())?;
        let store = peer.data_model().store();
        let mut lines = Vec::new();
        let mut stack = vec![(root, 0)];
        while let Some((id, level)) = stack.pop() {
            lines.push(format!("{}{} ({})", "  ".repeat(level), store.name(id), store.class(id).name()));
            if level < depth {
                stack.extend(store.children(id).iter().rev().map(|child| (*child, level + 1)));
            }
        }
        Ok(Reply::Text(lines.join("\n")))
    }

    pub(super) fn props(&mut self, words: &Words) -> Outcome {
        let path = words.get(0).ok_or(".props needs a path, such as workspace.Door")?;
        let id = self.at_path(path)?;
        let peer = self.world.peer(self.side())?;
        let class = peer.data_model().store().class(id);
        let mut rows: Vec<(String, String)> = Vec::new();
        for (name, entry) in members::of(class).by_name.iter() {
            let value = match entry {
                Entry::Property(property) if !properties::is_for_plugins(*property) => {
                    Some(properties::get(&peer.data_model().store(), id, *property))
                }
                Entry::Computed(_, get, ..) => get(&peer, id).ok(),
                _ => None,
            };
            if let Some(value) = value {
                rows.push((name.to_string(), show(&peer, &value)));
            }
        }
        rows.sort();
        let store = peer.data_model().store();
        let mut lines = vec![format!("{} ({})", store.full_name(id), class.name())];
        lines.extend(rows.into_iter().map(|(name, value)| format!("  {name} = {value}")));
        if let Some(instance) = store.get(id) {
            for (name, value) in instance.attributes() {
                lines.push(format!("  attribute {name} = {}", show(&peer, value)));
            }
            for tag in instance.tags() {
                lines.push(format!("  tag {tag}"));
            }
        }
        Ok(Reply::Text(lines.join("\n")))
    }

    pub(super) fn diff(&mut self, words: &Words) -> Outcome {
        let (Some(first), Some(second)) = (words.get(0), words.get(1)) else {
            return Err(".diff needs two sides, such as `.diff server Player1`".into());
        };
        let sides = [self.named_side(first)?, self.named_side(second)?];
        let [a, b] = [self.world.peer(sides[0]), self.world.peer(sides[1])];
        let (a, b) = (a?, b?);
        let names = sides.map(|side| self.side_name(side));
        let (mine, theirs) = (a.data_model().store(), b.data_model().store());
        let ids: BTreeSet<InstanceId> = mine.ids().chain(theirs.ids()).collect();
        let mut lines = Vec::new();
        for id in ids {
            let is_in = |store: &crate::datamodel::store::Store| store.get(id).is_some() && store.in_game(id);
            match (is_in(&mine), is_in(&theirs)) {
                (false, false) => {}
                (true, false) => lines.extend(only(&mine, &theirs, id, &names[0])),
                (false, true) => lines.extend(only(&theirs, &mine, id, &names[1])),
                (true, true) => {
                    let changed = different(&mine, &theirs, id).into_iter().map(|(what, here, there)| {
                        format!("{} {what}: {} {here}, {} {there}", mine.full_name(id), names[0], names[1])
                    });
                    lines.extend(changed);
                }
            }
        }
        let more = lines.len().saturating_sub(MOST_LINES);
        lines.truncate(MOST_LINES);
        if more > 0 {
            lines.push(format!("... and {more} more"));
        }
        lines_or(lines, "no difference")
    }

    pub(super) fn threads(&mut self, _: &Words) -> Outcome {
        let peer = self.world.peer(self.side())?;
        let mut lines: Vec<String> = scheduler::waiting(&peer)
            .into_iter()
            .map(|thread| {
                let script = thread.script.map_or(String::new(), |script| format!("  in {script}"));
                let place = thread.position.trim_end_matches([':', ' ']).to_string();
                format!("{}{script}  {place}", thread.reason).trim_end().to_string()
            })
            .collect();
        for (call, remote, to, since) in self.world.pending_calls(self.side())? {
            lines.push(format!(
                "invoke #{call} of {}, asked of {} at {:.3} s",
                peer.full_name(remote),
                self.side_name(to),
                since.seconds()
            ));
        }
        lines_or(lines, "no thread waits")
    }

    pub(super) fn connections(&mut self, words: &Words) -> Outcome {
        let only = words.get(0).map(|path| self.at_path(path)).transpose()?;
        let peer = self.world.peer(self.side())?;
        // Owner 0 is the emulator itself.
        let theirs =
            peer.signals.list().into_iter().filter(|(_, key, owner)| {
                *owner != 0 && only.is_none_or(|instance| instance == key.instance)
            });
        let lines: Vec<String> = theirs
            .map(|(_, key, owner)| {
                let name = peer.tree().signal_name(key);
                let event = name.rsplit('.').next().unwrap_or_default().to_string();
                let script = peer.owner(owner).name;
                let script = script.map_or(String::new(), |script| format!("  by {script}"));
                format!("{}.{event}{script}", peer.full_name(key.instance))
            })
            .collect();
        lines_or(lines, "no connections")
    }

    pub(super) fn memory(&mut self, _: &Words) -> Outcome {
        let mut sides = vec![Side::Server];
        sides.extend(self.world.clients().iter().map(|client| client.side));
        let mut lines = Vec::new();
        for side in sides {
            let peer = self.world.peer(side)?;
            peer.vm.collect();
            lines.push(format!("{}: {:.2} MiB", self.side_name(side), peer.vm.memory() as f64 / 1_048_576.0));
        }
        Ok(Reply::Text(lines.join("\n")))
    }

    pub(super) fn queue(&mut self, _: &Words) -> Outcome {
        let side = self.side();
        let peer = self.world.peer(side)?;
        let (timers, deferred) = peer.scheduler.pending();
        let calls = self.world.pending_calls(side)?.len();
        let desk = match side {
            Side::Server => self.world.server().desk.clone(),
            Side::Client(index) => self.world.client(index)?.desk.clone(),
        };
        let mut lines = vec![
            format!("timers: {timers}"),
            format!("deferred: {deferred}"),
            format!("calls that wait for an answer: {calls}"),
            format!("messages that wait for a listener: {}", desk.waiting()),
        ];
        for client in self.world.clients().iter().filter(|client| side.is_server() || client.side == side) {
            let flying = self.world.in_flight(client.index())?;
            lines.push(format!("in flight to and from {}: {flying}", self.side_name(client.side)));
        }
        Ok(Reply::Text(lines.join("\n")))
    }

    pub(super) fn show_log(&mut self, words: &Words) -> Outcome {
        let (side, count) = match (words.get(0), words.get(1)) {
            (Some(word), None) if word.parse::<f64>().is_ok() => (self.side(), Some(word)),
            (Some(name), count) => (self.named_side(name)?, count),
            (None, _) => (self.side(), None),
        };
        let count = number(count, 20.0)?.max(0.0) as usize;
        let lines = self.world.log(side)?;
        let tail = &lines[lines.len().saturating_sub(count)..];
        let lines: Vec<String> = tail
            .iter()
            .map(|line| format!("{:.3} s {}: {}", line.at.seconds(), line.level.name(), line.text))
            .collect();
        lines_or(lines, "nothing was printed")
    }

    pub(super) fn errors(&mut self, _: &Words) -> Outcome {
        let lines: Vec<String> = self
            .world
            .errors()
            .iter()
            .map(|line| format!("[{}] {}", self.side_name(line.side), line.text))
            .collect();
        lines_or(lines, "no errors")
    }

    pub(super) fn trace(&mut self, words: &Words) -> Outcome {
        let now = self.world.now().seconds();
        match (words.get(0), words.get(1)) {
            (Some("on"), None) => {
                if let Some((_, end @ None)) = self.recording.off.last_mut() {
                    *end = Some(now);
                }
                Ok(Reply::Text("recording".into()))
            }
            (Some("off"), None) => {
                if self.recording.is_on() {
                    self.recording.off.push((now, None));
                }
                Ok(Reply::Text("not recording".into()))
            }
            (Some("save"), Some(path)) => {
                let text = self.world.trace().to_text();
                let is_meant = |line: &&str| {
                    let at = serde_json::from_str::<serde_json::Value>(line)
                        .ok()
                        .and_then(|record| record.get("t").and_then(serde_json::Value::as_f64));
                    at.is_none_or(|at| self.recording.holds(at))
                };
                let kept: Vec<&str> = text.lines().filter(is_meant).collect();
                let is_ours = |text: &str| crate::recording::read(text.as_bytes()).is_ok();
                super::keep::write(path, &format!("{}\n", kept.join("\n")), words.get(2), is_ours)?;
                let records = kept.len().saturating_sub(1);
                let are = if records == 1 { "is" } else { "are" };
                Ok(Reply::Text(format!("{} {are} in {path}", counted(records, "record"))))
            }
            _ => Err(".trace takes `on`, `off` or `save FILE [force]`".into()),
        }
    }
}

/// The line of an instance that only one side has, unless its parent is missing too.
fn only(
    here: &crate::datamodel::store::Store,
    there: &crate::datamodel::store::Store,
    id: InstanceId,
    name: &str,
) -> Option<String> {
    let parent = here.parent(id)?;
    let parent_is_there = there.get(parent).is_some() && there.in_game(parent);
    if !parent_is_there {
        return None;
    }
    let inside = here.descendants(id).len();
    let more = if inside > 0 { format!(", with {inside} inside") } else { String::new() };
    Some(format!("{} ({}): only on {name}{more}", here.full_name(id), here.class(id).name()))
}

/// What is different about an instance: name, parent, properties that replicate, attributes.
fn different(
    here: &crate::datamodel::store::Store,
    there: &crate::datamodel::store::Store,
    id: InstanceId,
) -> Vec<(String, String, String)> {
    let mut found = Vec::new();
    let mut compare = |what: String, a: String, b: String| {
        if a != b {
            found.push((what, a, b));
        }
    };
    compare("name".into(), here.name(id).to_string(), there.name(id).to_string());
    let parent = |store: &crate::datamodel::store::Store| {
        store.parent(id).map_or("nil".to_string(), |parent| store.full_name(parent))
    };
    compare("parent".into(), parent(here), parent(there));
    for property in here.class(id).properties() {
        if property.info().replicates() {
            let text = |store| properties::get(store, id, property).to_string();
            compare(property.name().to_string(), text(here), text(there));
        }
    }
    let names: BTreeSet<String> = [here, there]
        .iter()
        .filter_map(|store| store.get(id))
        .flat_map(|instance| instance.attributes().iter().map(|(name, _)| name.to_string()))
        .collect();
    for name in names {
        let text = |store: &crate::datamodel::store::Store| {
            let value = store.get(id).and_then(|instance| instance.attribute(&name).cloned());
            value.map_or("nil".to_string(), |value| value.to_string())
        };
        compare(format!("attribute {name}"), text(here), text(there));
    }
    found
}

fn hex(bytes: &[u8]) -> String {
    let shown: Vec<String> = bytes.iter().take(256).map(|byte| format!("{byte:02X}")).collect();
    let tail = if bytes.len() > 256 { " ..." } else { "" };
    format!("buffer of {}: {}{tail}", counted(bytes.len(), "byte"), shown.join(" "))
}
