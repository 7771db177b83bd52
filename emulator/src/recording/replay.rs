//! Playing a recording back: what clients sent reaches a fresh server in the frames in which it arrived once; clients run
//! no scripts. What the server sends then should be what it sent before.
//!
//! A regression test from a recorded session. Source: emulator requirements, 8.8.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::rc::Rc;

use serde_json::Value as Json;

use super::{Call, Entry, Kind, Recording, Sent, Story, seconds, show, values};
use crate::shared::Side;
use crate::trace::PacketKind;
use crate::world::{Fed, JoinOptions, LeaveHow, World, WorldError};

/// How a replay went.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Replayed {
    /// Messages of clients that were played back.
    pub fed: usize,
    /// Those that could not be, each with why.
    pub skipped: Vec<String>,
    /// Messages of the server, then and now.
    pub sent: [usize; 2],
    /// The first message of the server that is another now, for people; `None` when all are the same.
    pub difference: Option<String>,
    /// Errors of the server's scripts.
    pub errors: Vec<String>,
}

/// Plays what clients sent to a world without clients, made from the same project, seed and settings.
///
/// Errors: the world cannot be moved, or a client cannot join.
pub fn replay(recording: &Recording, world: &World) -> Result<Replayed, String> {
    let story = Story::of(recording);
    let mut player = Player { story: &story, world, clients: BTreeMap::new(), done: Replayed::default() };
    for entry in &recording.entries {
        player.act(entry).map_err(|error| error.to_string())?;
    }
    let end = recording.entries.iter().map(|entry| entry.nanos).max().unwrap_or(0);
    player.run_to(end).map_err(|error| error.to_string())?;
    let Player { mut done, .. } = player;
    let text = world.trace().to_text();
    let now = super::read(text.as_bytes()).map_err(|error| error.to_string())?;
    let now = now.first().ok_or("the world wrote no trace")?;
    compare(recording, now, &mut done);
    let errors = world.errors();
    done.errors = errors.iter().filter(|line| line.side.is_server()).map(|line| line.text.clone()).collect();
    Ok(done)
}

struct Player<'a> {
    story: &'a Story<'a>,
    world: &'a World,
    /// Clients by name; a name that joins again is another client.
    clients: BTreeMap<Rc<str>, u32>,
    done: Replayed,
}

impl Player<'_> {
    fn act(&mut self, entry: &Entry) -> Result<(), WorldError> {
        match &entry.kind {
            Kind::Join { user_id, name } => {
                self.run_to(entry.nanos)?;
                let options = JoinOptions {
                    name: Some(name.to_string()),
                    user_id: Some(*user_id),
                    silent: true,
                    ..JoinOptions::default()
                };
                let client = self.world.join(options)?;
                self.clients.insert(name.clone(), client);
            }
            Kind::Leave { name, .. } => {
                self.run_to(entry.nanos)?;
                if let Some(client) = self.clients.remove(name) {
                    // The server may have kicked the player by itself.
                    let _ = self.world.leave(client, LeaveHow::Quit);
                }
            }
            Kind::Arrive { id, .. } if entry.side == self.story.recording.header.sides[0] => {
                let Some(packet) = self.story.packet(*id) else { return Ok(()) };
                while self.world.frame(Side::Server) + 1 < entry.frame {
                    self.world.step(1)?;
                }
                self.feed(self.story.sent(packet));
            }
            Kind::Arrive { .. }
            | Kind::Frame { .. }
            | Kind::Send(_)
            | Kind::Event(_)
            | Kind::Drop { .. }
            | Kind::Handle { .. }
            | Kind::Replicate { .. }
            | Kind::Log { .. }
            | Kind::Diagnostic { .. }
            | Kind::Mark { .. } => {}
        }
        Ok(())
    }

    fn run_to(&mut self, nanos: i64) -> Result<(), WorldError> {
        let passed = |world: &World| (world.now().seconds() * 1e9).round() as i64 >= nanos;
        while !passed(self.world) {
            self.world.step(1)?;
        }
        Ok(())
    }

    fn feed(&mut self, sent: &Sent) {
        match self.fed(sent) {
            Ok(fed) => {
                self.world.feed(fed);
                self.done.fed += 1;
            }
            Err(why) => self.done.skipped.push(format!("#{}: {why}", sent.id)),
        }
    }

    fn fed(&self, sent: &Sent) -> Result<Fed, String> {
        let client = self.clients.get(&sent.from).ok_or_else(|| format!("{} is not there", sent.from))?;
        let remote = self.world.find(Side::Server, &sent.remote).map_err(|error| error.to_string())?;
        let remote = remote.ok_or_else(|| format!("there is no {} on the server", sent.remote))?;
        let args = sent.args.iter().map(values::value).collect::<Result<Vec<_>, _>>()?;
        let kind = match sent.call {
            Call::Fire => PacketKind::Event,
            Call::Invoke(_) => PacketKind::Invoke(self.world.core().next_call()),
            Call::Reply(number, ok) => PacketKind::Reply(self.call_of(number)?, ok),
        };
        Ok(Fed { from: Side::Client(*client), remote, kind, args: args.into() })
    }

    /// The number that a call of the server has now: calls are in the order they were in.
    fn call_of(&self, number: u64) -> Result<u64, String> {
        let server = &self.story.recording.header.sides[0];
        let of_server = |kind: &Kind| match kind {
            Kind::Send(sent) if sent.from == *server => match sent.call {
                Call::Invoke(number) => Some(number),
                Call::Fire | Call::Reply(..) => None,
            },
            _ => None,
        };
        let mut calls = self.story.recording.entries.iter().filter_map(|entry| of_server(&entry.kind));
        let place = calls.position(|call| call == number).ok_or("it answers a call that was not recorded")?;
        let trace = self.world.trace();
        let mut now = trace.packets().iter().filter_map(|packet| match packet.kind {
            PacketKind::Invoke(number) if packet.from.is_server() => Some(number),
            PacketKind::Event | PacketKind::Invoke(_) | PacketKind::Reply(..) => None,
        });
        Ok(now.nth(place).ok_or("the server has not made the call it answers")?)
    }
}

/// Messages of the server, in order, with what makes two the same: receivers, remote and arguments.
fn of_server(recording: &Recording) -> Vec<(&Entry, &Sent)> {
    let server = &recording.header.sides[0];
    let sent = recording.entries.iter().filter_map(|entry| match &entry.kind {
        Kind::Send(sent) if sent.from == *server => Some((entry, &**sent)),
        _ => None,
    });
    sent.collect()
}

fn compare(before: &Recording, now: &Recording, done: &mut Replayed) {
    let (then, now) = (of_server(before), of_server(now));
    done.sent = [then.len(), now.len()];
    let same =
        |one: &Sent, other: &Sent| one.to == other.to && one.remote == other.remote && one.args == other.args;
    let common = then.iter().zip(&now).take_while(|(one, other)| same(one.1, other.1)).count();
    let tell = |at: Option<&(&Entry, &Sent)>| match at {
        None => "nothing more".to_owned(),
        Some((entry, sent)) => {
            let args = show(&Json::Array(sent.args.clone()), 160);
            let to = if sent.to_all { "all".to_owned() } else { sent.to.join(", ") };
            let frame = entry.frame;
            format!("at {} s (frame {frame}) on {} to {to}: {args}", seconds(entry.nanos), sent.remote_name())
        }
    };
    let (one, other) = (then.get(common), now.get(common));
    if one.is_some() || other.is_some() {
        let mut text = String::new();
        let _ = match common {
            1 => writeln!(text, "the first message of the server is the same; then"),
            _ => writeln!(text, "the first {common} messages of the server are the same; then"),
        };
        let _ = writeln!(text, "  recorded: {}", tell(one));
        let _ = writeln!(text, "  replayed: {}", tell(other));
        if let (Some((_, one)), Some((_, other))) = (one, other)
            && let (Some(one), Some(other)) = (one.buffer(), other.buffer())
            && let Some(byte) = one.iter().zip(&other).position(|(one, other)| one != other)
        {
            let _ = writeln!(
                text,
                "  byte {byte:#06x}: {:02x} recorded, {:02x} replayed",
                one[byte], other[byte]
            );
        }
        done.difference = Some(text);
    }
}
