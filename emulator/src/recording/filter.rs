//! Which records are meant. Source: emulator requirements, 8.5.

use std::collections::BTreeSet;
use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::{Entry, Kind, Sent, Story};
use crate::trace::Fate;

/// Which records are meant. Absent members do not matter.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// The side it happened on, or a packet's sender or receiver.
    pub side: Option<String>,
    /// A player by name or user id: as `side`, for clients.
    pub player: Option<String>,
    /// Part of the name of an event or function, in any case.
    pub event: Option<String>,
    /// Part of the full name of a remote, in any case.
    pub remote: Option<String>,
    /// Kinds of records; all when empty.
    pub kinds: Vec<String>,
    /// Fates of packets; all when empty.
    pub fates: Vec<String>,
    /// From this moment, in nanoseconds.
    pub from: Option<i64>,
    /// Up to this moment.
    pub until: Option<i64>,
    /// The packet of this number.
    pub id: Option<u64>,
    /// Packets of at least this many bytes.
    pub min_size: Option<u64>,
    /// Text that the record's line contains.
    pub grep: Option<String>,
    /// Only what looks wrong; a packet that took longer than this, in nanoseconds, does.
    pub anomalies: Option<i64>,
}

/// What is odd about a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anomaly {
    /// A packet will not arrive or not be handled.
    Dropped,
    /// A packet had to be sent again.
    SentAgain,
    /// It waited for a listener.
    Queued,
    /// It took longer than the limit.
    Late,
    /// Its bytes do not fit the schema.
    Unreadable,
    /// An instance in it did not arrive.
    MissingInstance,
    /// A handler or script failed.
    Error,
    /// The emulator had something to say.
    Diagnostic,
}

impl Anomaly {
    /// A word for it.
    pub fn name(self) -> &'static str {
        match self {
            Anomaly::Dropped => "dropped",
            Anomaly::SentAgain => "sent again",
            Anomaly::Queued => "queued",
            Anomaly::Late => "late",
            Anomaly::Unreadable => "unreadable",
            Anomaly::MissingInstance => "instance missing",
            Anomaly::Error => "error",
            Anomaly::Diagnostic => "diagnostic",
        }
    }
}

/// What is odd about a record, if anything. `late` is the longest journey, in nanoseconds, that is not odd.
pub fn anomaly(story: &Story<'_>, entry: &Entry, late: i64) -> Option<Anomaly> {
    match &entry.kind {
        Kind::Drop { .. } => Some(Anomaly::Dropped),
        Kind::Arrive { id, at, queued_for, resends } => {
            let sent_at = story.packet(*id).map(|packet| story.sent_at(packet));
            if *resends > 0 {
                Some(Anomaly::SentAgain)
            } else if *queued_for != Some(0) {
                Some(Anomaly::Queued)
            } else if sent_at.is_some_and(|sent_at| at - sent_at > late) {
                Some(Anomaly::Late)
            } else {
                None
            }
        }
        Kind::Event(decoded) if decoded.error.is_some() => Some(Anomaly::Unreadable),
        Kind::Event(decoded) if decoded.missing.is_some() => Some(Anomaly::MissingInstance),
        Kind::Handle { error: Some(_), .. } => Some(Anomaly::Error),
        Kind::Log { level, .. } if &**level == "error" => Some(Anomaly::Error),
        Kind::Diagnostic { .. } => Some(Anomaly::Diagnostic),
        Kind::Join { .. }
        | Kind::Leave { .. }
        | Kind::Frame { .. }
        | Kind::Send(_)
        | Kind::Event(_)
        | Kind::Handle { .. }
        | Kind::Replicate { .. }
        | Kind::Log { .. }
        | Kind::Mark { .. } => None,
    }
}

impl Filter {
    /// Whether it leaves everything in.
    pub fn is_empty(&self) -> bool {
        let Filter { side, player, event, remote, kinds, fates, from, until, id, min_size, grep, anomalies } =
            self;
        side.is_none()
            && player.is_none()
            && event.is_none()
            && remote.is_none()
            && kinds.is_empty()
            && fates.is_empty()
            && from.is_none()
            && until.is_none()
            && id.is_none()
            && min_size.is_none()
            && grep.is_none()
            && anomalies.is_none()
    }

    /// Indices of the records that are meant, in order.
    ///
    /// Errors: a side, player, event or remote that is nowhere in the recording, or a fate that nothing has, naming
    /// those that are.
    pub fn apply(&self, story: &Story<'_>) -> Result<Vec<usize>, String> {
        let sides = self.sides(story)?;
        self.check_fates()?;
        self.check_names(story)?;
        let packets = self.packets(story);
        let meant = |entry: &Entry| {
            self.from.is_none_or(|from| entry.nanos >= from)
                && self.until.is_none_or(|until| entry.nanos <= until)
                && (self.kinds.is_empty() || self.kinds.iter().any(|kind| kind == entry.kind.name()))
                && self.grep.as_ref().is_none_or(|text| entry.raw.contains(text.as_str()))
                && sides.as_ref().is_none_or(|names| touches(story, entry, names))
                && packets
                    .as_ref()
                    .is_none_or(|packets| entry.kind.packet().is_some_and(|id| packets.contains(&id)))
                && self.anomalies.is_none_or(|late| anomaly(story, entry, late).is_some())
        };
        let entries = story.recording.entries.iter().enumerate();
        Ok(entries.filter(|(_, entry)| meant(entry)).map(|(index, _)| index).collect())
    }

    fn check_fates(&self) -> Result<(), String> {
        let known = Fate::ALL.map(Fate::name);
        match self.fates.iter().find(|fate| !known.contains(&fate.as_str())) {
            Some(wrong) => Err(format!("there is no fate {wrong}; there are {}", known.join(", "))),
            None => Ok(()),
        }
    }

    fn check_names(&self, story: &Story<'_>) -> Result<(), String> {
        let names = |of: fn(&Kind) -> Option<&Rc<str>>| -> BTreeSet<Rc<str>> {
            story.recording.entries.iter().filter_map(|entry| of(&entry.kind)).cloned().collect()
        };
        let events: fn(&Kind) -> Option<&Rc<str>> = |kind| match kind {
            Kind::Event(decoded) => decoded.event.as_ref(),
            _ => None,
        };
        let remotes: fn(&Kind) -> Option<&Rc<str>> = |kind| match kind {
            Kind::Send(sent) => Some(&sent.remote),
            _ => None,
        };
        for (what, wanted, of) in [("event", &self.event, events), ("remote", &self.remote, remotes)] {
            let Some(wanted) = wanted else { continue };
            let (known, text) = (names(of), wanted.to_lowercase());
            if !known.iter().any(|name| name.to_lowercase().contains(&text)) {
                return Err(unknown(what, wanted, known.iter()));
            }
        }
        Ok(())
    }

    /// Names of the sides that `side` and `player` mean; `None` when neither is given.
    fn sides(&self, story: &Story<'_>) -> Result<Option<Vec<Rc<str>>>, String> {
        let known = &story.recording.header.sides;
        let mut wanted = Vec::new();
        if let Some(side) = &self.side {
            let found = known.iter().find(|name| name.eq_ignore_ascii_case(side));
            wanted.push(found.cloned().ok_or_else(|| unknown("side", side, known.iter()))?);
        }
        if let Some(player) = &self.player {
            let id: Option<i64> = player.parse().ok();
            let by_id = story.recording.entries.iter().find_map(|entry| match &entry.kind {
                Kind::Join { user_id, name } if Some(*user_id) == id => Some(name.clone()),
                _ => None,
            });
            let by_name = || known.iter().skip(1).find(|name| name.eq_ignore_ascii_case(player)).cloned();
            let found = by_id.or_else(by_name);
            wanted.push(found.ok_or_else(|| unknown("player", player, known.iter().skip(1)))?);
        }
        Ok((!wanted.is_empty()).then_some(wanted))
    }

    /// Numbers of the packets that are meant; `None` when nothing about packets is asked.
    fn packets(&self, story: &Story<'_>) -> Option<FxHashSet<u64>> {
        let asked = self.event.is_some()
            || self.remote.is_some()
            || !self.fates.is_empty()
            || self.id.is_some()
            || self.min_size.is_some();
        if !asked {
            return None;
        }
        let event = self.event.as_ref().map(|name| name.to_lowercase());
        let remote = self.remote.as_ref().map(|name| name.to_lowercase());
        let mut found = FxHashSet::default();
        for packet in &story.packets {
            let sent = story.sent(packet);
            let has_event = |wanted: &String| {
                story.decoded(packet).any(|decoded| {
                    decoded.event.as_deref().is_some_and(|name| name.to_lowercase().contains(wanted.as_str()))
                })
            };
            let has_fate =
                || packet.shares.iter().any(|share| self.fates.iter().any(|fate| **fate == *share.fate));
            let meant = self.id.is_none_or(|id| sent.id == id)
                && self.min_size.is_none_or(|least| sent.size >= least)
                && remote.as_ref().is_none_or(|name| sent.remote.to_lowercase().contains(name.as_str()))
                && event.as_ref().is_none_or(has_event)
                && (self.fates.is_empty() || has_fate());
            if meant {
                found.insert(sent.id);
            }
        }
        Some(found)
    }
}

fn unknown<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a Rc<str>>) -> String {
    let known: Vec<&str> = known.map(|name| &**name).collect();
    match known.as_slice() {
        [] => format!("there is no {what} {name} in this trace, and no other"),
        known => format!("there is no {what} {name} in this trace; there are {}", known.join(", ")),
    }
}

/// Whether a record happened on all of these sides, or its packet went between them.
fn touches(story: &Story<'_>, entry: &Entry, names: &[Rc<str>]) -> bool {
    let between = |sent: &Sent, name: &Rc<str>| sent.from == *name || sent.to.contains(name);
    names.iter().all(|name| match &entry.kind {
        Kind::Send(sent) => between(sent, name),
        Kind::Event(decoded) => {
            story.packet(decoded.id).is_some_and(|packet| between(story.sent(packet), name))
        }
        Kind::Arrive { id, .. } | Kind::Drop { id, .. } | Kind::Handle { id, .. } => {
            entry.side == *name || story.packet(*id).is_some_and(|packet| story.sent(packet).from == *name)
        }
        Kind::Replicate { from, to, .. } => from == name || to == name,
        Kind::Join { .. }
        | Kind::Leave { .. }
        | Kind::Frame { .. }
        | Kind::Log { .. }
        | Kind::Diagnostic { .. }
        | Kind::Mark { .. } => entry.side == *name,
    })
}
