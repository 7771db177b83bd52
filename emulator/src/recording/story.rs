//! What belongs to one packet, put together: its call, what it holds, and what became of it for each receiver.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::{Decoded, Kind, Recording, Sent};

/// The packets of a recording.
pub struct Story<'a> {
    /// The recording.
    pub recording: &'a Recording,
    /// Its packets, in order of sending.
    pub packets: Vec<PacketStory>,
    by_id: FxHashMap<u64, usize>,
}

/// One packet.
#[derive(Clone, Debug)]
pub struct PacketStory {
    /// Index of its `send`, `invoke` or `reply` record.
    pub entry: usize,
    /// Indices of its `event` records.
    pub events: Vec<usize>,
    /// What became of it, receiver by receiver.
    pub shares: Vec<Share>,
}

/// What became of a packet for one receiver.
#[derive(Clone, Debug)]
pub struct Share {
    /// The receiver.
    pub side: Rc<str>,
    /// `delivered`, `queued`, `sent` (still on its way), or why it was dropped.
    pub fate: Rc<str>,
    /// When it arrived, in nanoseconds.
    pub arrived: Option<i64>,
    /// When it was handed to its handlers.
    pub handled: Option<i64>,
    /// How often it was sent again.
    pub resends: u64,
    /// How often it arrived beyond the first time.
    pub copies: u64,
    /// Indices of the `handle` records.
    pub handlers: Vec<usize>,
}

impl<'a> Story<'a> {
    /// Puts the packets of a recording together. Records about packets whose call is not there are left out.
    pub fn of(recording: &'a Recording) -> Story<'a> {
        let mut story = Story { recording, packets: Vec::new(), by_id: FxHashMap::default() };
        for (index, entry) in recording.entries.iter().enumerate() {
            match &entry.kind {
                Kind::Send(sent) => {
                    story.by_id.insert(sent.id, story.packets.len());
                    let shares = sent.to.iter().map(|side| Share::new(side.clone())).collect();
                    story.packets.push(PacketStory { entry: index, events: Vec::new(), shares });
                }
                Kind::Event(decoded) => {
                    if let Some(packet) = story.packet_mut(decoded.id) {
                        packet.events.push(index);
                    }
                }
                Kind::Arrive { id, at, queued_for, resends } => {
                    let handled = queued_for.map(|waited| entry.nanos + waited);
                    story.share(*id, &entry.side, |share| {
                        if share.arrived.is_some() {
                            share.copies += 1;
                            return;
                        }
                        share.arrived = Some(*at);
                        share.handled = handled;
                        share.resends = *resends;
                        share.fate = if handled.is_some() { "delivered".into() } else { "queued".into() };
                    });
                }
                Kind::Drop { id, why } => story.share(*id, &entry.side, |share| {
                    // A copy may be dropped after the first was handled.
                    if share.handled.is_none() {
                        share.fate = why.clone();
                    }
                }),
                Kind::Handle { id, .. } => {
                    story.share(*id, &entry.side, |share| share.handlers.push(index));
                }
                Kind::Join { .. }
                | Kind::Leave { .. }
                | Kind::Frame { .. }
                | Kind::Replicate { .. }
                | Kind::Log { .. }
                | Kind::Diagnostic { .. }
                | Kind::Mark { .. } => {}
            }
        }
        story
    }

    /// The packet of that id.
    pub fn packet(&self, id: u64) -> Option<&PacketStory> {
        self.packets.get(*self.by_id.get(&id)?)
    }

    fn packet_mut(&mut self, id: u64) -> Option<&mut PacketStory> {
        self.packets.get_mut(*self.by_id.get(&id)?)
    }

    fn share(&mut self, id: u64, side: &str, change: impl FnOnce(&mut Share)) {
        let packet = self.packet_mut(id);
        let share = packet.and_then(|packet| packet.shares.iter_mut().find(|share| &*share.side == side));
        if let Some(share) = share {
            change(share);
        }
    }

    /// The call of a packet.
    pub fn sent(&self, packet: &PacketStory) -> &'a Sent {
        match &self.recording.entries[packet.entry].kind {
            Kind::Send(sent) => sent,
            _ => unreachable!("a packet's entry is its call"),
        }
    }

    /// When a packet was sent, in nanoseconds.
    pub fn sent_at(&self, packet: &PacketStory) -> i64 {
        self.recording.entries[packet.entry].nanos
    }

    /// What a packet holds.
    pub fn decoded(&self, packet: &'a PacketStory) -> impl Iterator<Item = &'a Decoded> {
        packet.events.iter().filter_map(|index| match &self.recording.entries[*index].kind {
            Kind::Event(decoded) => Some(&**decoded),
            _ => None,
        })
    }

    /// What people call a packet: the names of its events, equal ones counted, else its remote's name.
    pub fn title(&self, packet: &'a PacketStory) -> String {
        let mut names: Vec<(String, usize)> = Vec::new();
        for decoded in self.decoded(packet) {
            let name = decoded.event.as_deref().unwrap_or("?");
            let name = match &*decoded.form {
                "event" => name.to_owned(),
                form => format!("{name} {form}"),
            };
            match names.iter_mut().find(|known| known.0 == name) {
                Some(known) => known.1 += 1,
                None => names.push((name, 1)),
            }
        }
        if names.is_empty() {
            return self.sent(packet).remote_name().to_owned();
        }
        let shown = names.into_iter().map(|(name, count)| match count {
            1 => name,
            count => format!("{name} ×{count}"),
        });
        shown.collect::<Vec<_>>().join(", ")
    }
}

impl Share {
    fn new(side: Rc<str>) -> Share {
        Share {
            side,
            fate: "sent".into(),
            arrived: None,
            handled: None,
            resends: 0,
            copies: 0,
            handlers: Vec::new(),
        }
    }

    /// Whether it will never be handled.
    pub fn is_lost(&self) -> bool {
        !matches!(&*self.fate, "delivered" | "queued" | "sent")
    }
}
