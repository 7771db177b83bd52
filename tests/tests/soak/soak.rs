//! Clients that join and leave at random over bad links, with every kind of traffic both ways.
//!
//! Every reliable event must be heard exactly once and in order, nothing may be left of whoever left, and equal seeds
//! must give equal traces.

use std::collections::{BTreeMap, VecDeque};
use std::hash::Hasher;
use std::io;

use blinkblox_emulator::clock::Time;
use blinkblox_emulator::network::LinkSettings;
use blinkblox_emulator::shared::{LogLevel, Side, SignalMode};
use blinkblox_emulator::value::{InstanceId, Value};
use blinkblox_emulator::world::{JoinOptions, LeaveHow, World};
use blinkblox_tests::schemas::Random;
use rustc_hash::FxHasher;

use crate::world::{ask, memory, numbers, start, world};

/// How long and how wide.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Most clients at once.
    pub clients: usize,
    /// Virtual seconds.
    pub seconds: u32,
    /// Of everything drawn.
    pub seed: u64,
    /// Whether unreliable items are gathered until the flush.
    pub batched: bool,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Clients that joined and that left.
    pub joined: usize,
    pub left: usize,
    /// Reliable events that clients were sent and heard, and that the server heard.
    pub down: u64,
    pub up: u64,
    /// Calls answered, both ways.
    pub calls: u64,
    /// Packets of the trace.
    pub packets: usize,
    /// Memory of the server's VM after two minutes, or the first half of a shorter soak, and at the end.
    pub memory: (usize, usize),
    /// Of the whole trace.
    pub hash: u64,
}

/// A client in the game, with what the server sent it and it has not heard yet.
struct Guest {
    index: u32,
    name: String,
    player: InstanceId,
    listened: VecDeque<u64>,
    polled: VecDeque<u64>,
}

struct Soak {
    world: World,
    random: Random,
    guests: Vec<Guest>,
    gone: Vec<InstanceId>,
    down: u64,
    calls: u64,
    memory: usize,
}

/// Runs a soak. Panics at the first event that is lost, doubled or out of order, at an uncaught error, and when anything
/// is left of a player who left.
pub fn soak(plan: Plan) -> Outcome {
    let option = if plan.batched { "option BatchUnreliable = true\n" } else { "" };
    let schema = format!("{option}{}", include_str!("schema.blink"));
    let link = LinkSettings {
        delay: Time::from_seconds(0.03),
        jitter: Time::from_seconds(0.02),
        loss: 0.05,
        ..LinkSettings::default()
    };
    let signals = if plan.batched { SignalMode::Immediate } else { SignalMode::Deferred };
    let mut soak = Soak {
        world: world(&schema, plan.seed, signals, link),
        random: Random(plan.seed),
        guests: Vec::new(),
        gone: Vec::new(),
        down: 0,
        calls: 0,
        memory: 0,
    };
    soak.run(plan)
}

impl Soak {
    fn run(&mut self, plan: Plan) -> Outcome {
        start(&self.world.server().peer, include_str!("server.luau"), &[Value::Number(plan.seed as f64)]);
        for second in 0..plan.seconds {
            self.come_and_go(plan.clients);
            self.world.advance(Time::from_seconds(1.0)).unwrap();
            if second % 5 == 4 {
                self.compare();
            }
            if second % 60 == 59 {
                self.check_gone();
            }
            if second + 1 == 120.min(plan.seconds / 2) {
                self.memory = memory(&self.world.server().peer);
            }
            self.check_errors();
        }
        self.finish()
    }

    fn come_and_go(&mut self, most: usize) {
        let wanted = most - self.random.below(most as u64 / 5 + 1) as usize;
        while self.guests.len() < wanted {
            self.join();
        }
        if self.random.once_in(2) || self.guests.len() > wanted {
            let at = self.random.below(self.guests.len() as u64) as usize;
            self.leave(at);
        }
    }

    fn join(&mut self) {
        let index = self.world.join(JoinOptions { fps: Some(30.0), ..JoinOptions::default() }).unwrap();
        let peer = self.world.peer(Side::Client(index)).unwrap();
        start(&peer, include_str!("client.luau"), &[Value::Number(f64::from(index) + 1.0)]);
        let name = self.world.core().member(Side::Client(index)).unwrap().name.to_string();
        let player = self.world.player(index).unwrap();
        self.guests.push(Guest { index, name, player, listened: VecDeque::new(), polled: VecDeque::new() });
    }

    fn leave(&mut self, at: usize) {
        self.compare_one(at);
        let guest = self.guests.remove(at);
        let how = match self.random.below(3) {
            0 => LeaveHow::Kick("enough".into()),
            _ => LeaveHow::Quit,
        };
        self.world.leave(guest.index, how).unwrap();
        self.gone.push(guest.player);
    }

    fn compare(&mut self) {
        for at in 0..self.guests.len() {
            self.compare_one(at);
        }
    }

    /// What a client heard is what it was sent, in that order, up to what is still on the way.
    fn compare_one(&mut self, at: usize) {
        let guest = &mut self.guests[at];
        let name = Value::from(guest.name.as_str());
        let sent = ask(&self.world.server().peer, "return _G.soak.take(...)", &[name]);
        let peer = self.world.peer(Side::Client(guest.index)).unwrap();
        // A client that joined just now has no script yet that could have heard anything.
        let heard = ask(&peer, "if _G.soak then return _G.soak.take() end return {}, {}", &[]);
        for (what, queue, sent, heard) in [
            ("listeners", &mut guest.listened, &sent[0], &heard[0]),
            ("loops", &mut guest.polled, &sent[1], &heard[1]),
        ] {
            queue.extend(numbers(sent));
            for id in numbers(heard) {
                let expected = queue.pop_front();
                assert_eq!(Some(id), expected, "{what} of {}, then {:?}", guest.name, queue);
                self.down += 1;
            }
        }
    }

    /// Nothing that code of the server can reach holds a player who left.
    fn check_gone(&mut self) {
        self.world.step(2).unwrap();
        let peer = &self.world.server().peer;
        for player in &self.gone {
            let holders = peer.vm.holders(*player).unwrap();
            assert_eq!(holders, 0, "the server holds player {player:?} {holders} times");
        }
        // Nothing makes state of them later on, so each is looked for in the minute it left and in the one after.
        let keep = self.gone.len().min(40);
        self.gone.drain(..self.gone.len() - keep);
    }

    fn check_errors(&self) {
        let errors = self.world.errors();
        assert!(errors.is_empty(), "{errors:#?}");
    }

    /// Lets everything arrive, and counts.
    fn finish(&mut self) -> Outcome {
        let server = self.world.server().peer.clone();
        ask(&server, "_G.soak.stop()", &[]);
        for guest in &self.guests {
            ask(&self.world.peer(Side::Client(guest.index)).unwrap(), "_G.soak.stop()", &[]);
        }
        self.world.advance(Time::from_seconds(12.0)).unwrap();
        self.compare();
        for guest in &self.guests {
            let unheard = (&guest.listened, &guest.polled);
            assert!(unheard.0.is_empty() && unheard.1.is_empty(), "{} never heard {unheard:?}", guest.name);
            let sent =
                ask(&self.world.peer(Side::Client(guest.index)).unwrap(), "return _G.soak.sent()", &[]);
            let heard = ask(&server, "return _G.soak.heard(...)", &[Value::from(guest.name.as_str())]);
            let number = |values: &[Value], at: usize| values[at].as_number().unwrap();
            assert_eq!(number(&sent, 0), number(&heard, 0), "events of {}", guest.name);
            assert_eq!(number(&sent, 1), number(&heard, 1), "polled events of {}", guest.name);
            assert_eq!(number(&sent, 2), number(&sent, 3), "calls of {}", guest.name);
            self.calls += number(&sent, 3) as u64;
        }
        self.check_gone();
        let counts = count(&ask(&server, "return _G.soak.counts()", &[])[0]);
        assert_eq!(counts["heard"], counts["received"], "listeners heard what the counters count");
        let joined = self.world.core().members().len();
        while !self.guests.is_empty() {
            self.leave(0);
        }
        self.world.step(2).unwrap();
        self.check_gone();
        self.check_errors();
        let warnings = self.world.log(Side::Server).unwrap();
        let warnings: Vec<_> = warnings.iter().filter(|line| line.level == LogLevel::Warning).collect();
        assert!(warnings.is_empty(), "{warnings:#?}");
        let trace = self.world.trace();
        let mut hash = Hash::default();
        trace.write(&mut hash).unwrap();
        Outcome {
            joined,
            left: joined,
            down: self.down,
            up: counts["heard"],
            calls: self.calls + counts["calls"],
            packets: trace.packets().len(),
            memory: (self.memory, memory(&server)),
            hash: hash.0.finish(),
        }
    }
}

/// A table of counts by name.
fn count(value: &Value) -> BTreeMap<String, u64> {
    let Value::Table(table) = value else { return BTreeMap::new() };
    let entry = |(key, value): &(Value, Value)| (key.to_string(), value.as_number().unwrap_or(0.0) as u64);
    table.pairs.iter().map(entry).collect()
}

/// Digests what is written, so that a trace need not be held as text.
#[derive(Default)]
struct Hash(FxHasher);

impl io::Write for Hash {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Byte by byte: how a writer cuts its text must not show.
        for byte in bytes {
            self.0.write_u8(*byte);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
