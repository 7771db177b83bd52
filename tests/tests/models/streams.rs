//! Streams: at which steps a state leaves, what it says, whom it is for, and which states share a packet.
//!
//! The model counts in whole nanoseconds, of which a tolerance of a microsecond hides every rounding of the modules.
//! Source: runtime specification, 10.4, 10.6 and 10.7.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use blinkblox_compiler::wire::codec::Value;
use blinkblox_emulator::clock::Time;
use blinkblox_emulator::network::LinkSettings;
use blinkblox_emulator::shared::{Side, SignalMode};
use blinkblox_emulator::trace::Target;
use blinkblox_emulator::value::Value as Luau;
use blinkblox_emulator::world::{JoinOptions, LeaveHow, World};
use blinkblox_tests::schemas::Random;

use crate::observed::{Observer, Seen};
use crate::world::{ask, start, world};

/// Steps of a run.
const STEPS: usize = 700;
/// Most bytes of an unreliable packet.
const LIMIT: usize = 300;
/// Bytes of a state of so long a text: index, presence, stamp, number, the text behind its length of one byte or two.
fn size_of(pad: usize) -> usize {
    1 + 1 + 2 + 8 + if pad < 128 { 1 } else { 2 } + pad
}

/// The longest text that can be sent.
const LONGEST: usize = LIMIT - 14;
const SECOND: i64 = 1_000_000_000;
/// How far a step may fall short and still be due.
const SLACK: i64 = 1_000;

/// What a stream is declared with.
#[derive(Clone, Copy)]
struct Declared {
    name: &'static str,
    rate: f64,
    fast: Option<f64>,
    keepalive: f64,
    epsilon: f64,
    per_player: bool,
}

const fn stream(name: &'static str, rate: f64, fast: Option<f64>, keepalive: f64, epsilon: f64) -> Declared {
    Declared { name, rate, fast, keepalive, epsilon, per_player: false }
}

const fn each(of: Declared) -> Declared {
    Declared { per_player: true, ..of }
}

const STREAMS: [Declared; 6] = [
    stream("A", 10.0, None, 1.0, 0.0),
    stream("B", 7.3, Some(25.0), 0.7, 0.5),
    each(stream("P", 8.0, Some(24.0), 2.0, 0.1)),
    stream("C", 60.0, Some(100.0), 3.0, 0.0),
    stream("D", 2.5, Some(4.0), 0.3, 100.0),
    each(stream("Q", 33.0, None, 0.05, 0.0)),
];

fn schema() -> String {
    let mut text =
        format!("option MaxUnreliableSize = {LIMIT}\nstruct State {{ X: f64, Pad: string(..600) }}\n");
    for declared in STREAMS {
        let Declared { name, rate, keepalive, epsilon, .. } = declared;
        let fast = declared.fast.map_or(String::new(), |fast| format!(", Fast: {fast}"));
        let per = if declared.per_player { ", Per: Player" } else { "" };
        writeln!(
            text,
            "event {name} {{ From: Server, Type: OrderedUnreliable, Call: SingleSync, \
             Stream: {{ Rate: {rate}{fast}, Keepalive: {keepalive}, Epsilon: {epsilon}{per} }}, Data: State }}"
        )
        .unwrap();
    }
    text
}

/// A state as the game holds it. One that is broken has no number.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Value2 {
    x: f64,
    pad: usize,
    broken: bool,
}

impl Value2 {
    fn same(self, other: Value2, epsilon: f64) -> bool {
        // A number and a table are never the same, nor are two tables without their numbers.
        let numbers = match (self.broken, other.broken) {
            (false, false) => self.x == other.x || (self.x - other.x).abs() <= epsilon,
            (left, right) => left == right,
        };
        numbers && self.pad == other.pad
    }

    fn can_be_sent(self) -> bool {
        !self.broken && size_of(self.pad) <= LIMIT
    }
}

/// A stream's state, or a player's.
#[derive(Clone, Debug, Default)]
struct State {
    value: Option<Value2>,
    clearing: bool,
    live: bool,
    last: Option<Value2>,
    moved: bool,
    urgent: bool,
    fast: bool,
    clock: i64,
    since: i64,
}

/// What a step sends: a state, or its end. An error when the state cannot be sent.
type Step = Result<Option<Option<Value2>>, ()>;

impl State {
    fn set(&mut self, value: Value2) {
        self.urgent |= self.value.is_none();
        self.value = Some(value);
        self.clearing = false;
    }

    fn clear(&mut self) {
        self.clearing = self.live;
        self.value = None;
        self.urgent = false;
    }

    fn step(&mut self, declared: Declared, delta: i64) -> Step {
        if self.clearing {
            *self = State { fast: self.fast, urgent: self.urgent, ..State::default() };
            return Ok(Some(None));
        }
        let Some(value) = self.value else { return Ok(None) };
        let before = self.since;
        self.clock += delta;
        self.since += delta;
        let rate = declared.fast.filter(|_| self.fast).unwrap_or(declared.rate);
        let interval = (SECOND as f64 / rate).round() as i64;
        let forced = std::mem::take(&mut self.urgent);
        if !forced && self.clock < interval - SLACK {
            return Ok(None);
        }
        self.clock = if forced { 0 } else { (self.clock - interval).max(0) };
        if self.clock >= interval {
            self.clock = 0;
        }
        let changed = !self.live || !self.last.is_some_and(|last| value.same(last, declared.epsilon));
        let keepalive = (declared.keepalive * SECOND as f64).round() as i64;
        if !(forced || changed || self.moved || self.since >= keepalive - SLACK) {
            return Ok(None);
        }
        if !value.can_be_sent() {
            self.value = None;
            self.since = before;
            return Err(());
        }
        self.moved = self.live && changed;
        self.live = true;
        self.last = Some(value);
        self.since = 0;
        Ok(Some(Some(value)))
    }
}

/// The states put into as few packets as first-fit finds, largest first, unless one packet takes them all.
fn packed(states: Vec<(usize, Option<Value2>)>) -> Vec<Vec<(usize, Option<Value2>)>> {
    let size = |state: &(usize, Option<Value2>)| state.1.map_or(4, |value| size_of(value.pad));
    let mut sorted = states.clone();
    sorted.sort_by_key(|state| std::cmp::Reverse(size(state)));
    let mut packets: Vec<Vec<(usize, Option<Value2>)>> = Vec::new();
    for state in sorted {
        let room = |packet: &&mut Vec<(usize, Option<Value2>)>| {
            packet.iter().map(size).sum::<usize>() + size(&state) <= LIMIT
        };
        match packets.iter_mut().find(room) {
            Some(packet) => packet.push(state),
            None => packets.push(vec![state]),
        }
    }
    packets
}

/// What the server's script does for the test.
const SERVER: &str = r#"
    local Net = require(game.ServerScriptService.Net)
    local Players = game:GetService("Players")
    local held = {}
    local function value(x, pad, broken)
        return { X = if broken then {} else x, Pad = string.rep("x", pad) }
    end
    function _G.run(name, what, who, x, pad, broken)
        local stream = Net[name]
        local key = `{name}/{who}`
        local function call(member, ...)
            if who then
                stream[member](Players:FindFirstChild(who), ...)
            else
                stream[member](...)
            end
        end
        if what == "Set" then
            held[key] = value(x, pad, broken)
            call("Set", held[key])
        elseif what == "Change" then
            -- What a stream holds, it holds by reference.
            held[key].X, held[key].Pad = value(x, pad, broken).X, string.rep("x", pad)
        elseif what == "SetFast" then
            call("SetFast", broken)
        else
            call(what)
        end
    end
"#;

struct Run {
    world: World,
    random: Random,
    observer: Observer,
    /// Of each stream: its state, or that of each player by name.
    states: BTreeMap<(usize, String), State>,
    /// States of players, in the order in which they were made.
    made: Vec<(usize, String)>,
    players: Vec<(u32, String)>,
    stepped: Time,
    errors: usize,
    sent: usize,
    shared: usize,
    cleared: usize,
}

impl Run {
    fn new(seed: u64) -> Run {
        let schema = schema();
        let signals = if seed.is_multiple_of(2) { SignalMode::Deferred } else { SignalMode::Immediate };
        let world = world(&schema, seed, signals, LinkSettings::default());
        start(&world.server().peer, SERVER, &[]);
        let everyone = (0..STREAMS.len()).filter(|index| !STREAMS[*index].per_player);
        let states = everyone.map(|index| ((index, String::new()), State::default())).collect();
        Run {
            stepped: world.now(),
            world,
            random: Random(seed),
            observer: Observer::of(&schema),
            states,
            made: Vec::new(),
            players: Vec::new(),
            errors: 0,
            sent: 0,
            shared: 0,
            cleared: 0,
        }
    }

    fn join(&mut self) {
        let index = self.world.join(JoinOptions { fps: Some(30.0), ..JoinOptions::default() }).unwrap();
        let name = self.world.core().member(Side::Client(index)).unwrap().name.to_string();
        self.players.push((index, name));
    }

    fn leave(&mut self) {
        let at = self.random.below(self.players.len() as u64) as usize;
        let (index, name) = self.players.remove(at);
        self.world.leave(index, LeaveHow::Quit).unwrap();
        self.states.retain(|(_, player), _| *player != name);
        self.made.retain(|(_, player)| *player != name);
    }

    /// One call of the game's, to the module and to the model.
    fn act(&mut self) {
        let index = self.random.below(STREAMS.len() as u64) as usize;
        let declared = STREAMS[index];
        let who = match declared.per_player {
            true => self.players[self.random.below(self.players.len() as u64) as usize].1.clone(),
            false => String::new(),
        };
        let key = (index, who.clone());
        let held = self.states.get(&key).and_then(|state| state.value);
        let what = self.random.one(&["Set", "Set", "Set", "Change", "Change", "Clear", "Urgent", "SetFast"]);
        if what == "Change" && held.is_none() {
            return;
        }
        let value = self.value(held, declared.epsilon);
        let fast = self.random.once_in(2);
        let third = if what == "SetFast" { fast } else { value.broken };
        let name = if declared.per_player { Luau::from(who.as_str()) } else { Luau::Nil };
        let arguments = [
            Luau::from(declared.name),
            Luau::from(what),
            name,
            Luau::Number(value.x),
            Luau::Number(value.pad as f64),
            Luau::Boolean(third),
        ];
        ask(&self.world.server().peer, "_G.run(...)", &arguments);
        if !self.states.contains_key(&key) {
            if !matches!(what, "Set" | "SetFast") {
                return;
            }
            self.made.push(key.clone());
        }
        let state = self.states.entry(key).or_default();
        match what {
            "Set" => state.set(value),
            "Change" => state.value = Some(value),
            "Clear" => state.clear(),
            "Urgent" => state.urgent = true,
            _ => state.fast = fast,
        }
    }

    /// Like what is held, a little or far from it; seldom one that cannot be sent.
    fn value(&mut self, held: Option<Value2>, epsilon: f64) -> Value2 {
        let near = held.unwrap_or(Value2 { x: 0.0, pad: 3, broken: false });
        let x = near.x + self.random.one(&[0.0, 0.0, epsilon / 2.0, epsilon, epsilon * 3.0, 1.0, -7.0]);
        let x = if self.random.once_in(60) { f64::NAN } else { x };
        let x = if near.x.is_nan() { 1.0 } else { x };
        let pad = match self.random.below(12) {
            0 => self.random.one(&[0, 10, 60, 100, 150, 200, 280, 127, 128, LONGEST]),
            1 if self.random.once_in(3) => LONGEST + 1,
            _ => near.pad,
        };
        Value2 { x, pad, broken: self.random.once_in(50) }
    }

    /// What a flush `delta` after the last sends, each packet with its receiver.
    fn expected(&mut self, delta: i64) -> Vec<String> {
        let mut everyone = Vec::new();
        for (index, declared) in STREAMS.into_iter().enumerate().filter(|(_, one)| !one.per_player) {
            let state = self.states.get_mut(&(index, String::new())).unwrap();
            match state.step(declared, delta) {
                Ok(Some(sent)) => everyone.push((index, sent)),
                Ok(None) => {}
                Err(()) => self.errors += 1,
            }
        }
        let packets = packed(everyone);
        self.shared += packets.iter().filter(|packet| packet.len() > 1).count();
        let mut expected: Vec<String> = packets.into_iter().map(|packet| line("all", packet)).collect();
        for (index, declared) in STREAMS.into_iter().enumerate().filter(|(_, one)| one.per_player) {
            for key in self.made.iter().filter(|(own, _)| *own == index) {
                match self.states.get_mut(key).unwrap().step(declared, delta) {
                    Ok(Some(sent)) => expected.push(line(&key.1, vec![(index, sent)])),
                    Ok(None) => {}
                    Err(()) => self.errors += 1,
                }
            }
        }
        expected.sort();
        expected
    }

    fn observed(&mut self) -> Vec<String> {
        let seen = self.observer.take(&self.world);
        let mut lines: Vec<String> = seen.iter().map(|packet| self.shown(packet)).collect();
        lines.sort();
        lines
    }

    fn shown(&self, packet: &Seen) -> String {
        assert!(!packet.reliable && packet.bytes <= LIMIT, "{packet:?}");
        let to = match packet.to {
            Target::Everyone => "all".to_owned(),
            Target::One(side) => self.world.core().name(side).to_string(),
        };
        let items = packet.items.iter().map(|item| {
            let index = STREAMS.iter().position(|declared| declared.name == item.name).unwrap();
            let value = item.payload.as_ref().unwrap().value.field("Value").clone();
            let sent = match &value {
                Value::Nil => None,
                value => {
                    let Value::Number(x) = value.field("X") else { panic!("{value:?}") };
                    let Value::String(pad) = value.field("Pad") else { panic!("{value:?}") };
                    Some(Value2 { x: *x, pad: pad.len(), broken: false })
                }
            };
            assert_eq!(item.bytes.len(), sent.map_or(4, |value| size_of(value.pad)));
            (index, sent)
        });
        line(&to, items.collect())
    }

    fn step(&mut self) {
        match self.random.below(12) {
            0 => {
                let length = Time::from_seconds(0.001 + self.random.below(400) as f64 / 1000.0);
                self.world.step_by(length).unwrap();
            }
            _ => self.world.step(1).unwrap(),
        }
    }
}

fn line(to: &str, mut states: Vec<(usize, Option<Value2>)>) -> String {
    states.sort_by_key(|(index, _)| *index);
    let states = states.iter().map(|(index, value)| match value {
        None => format!("{} ends", STREAMS[*index].name),
        Some(value) => format!("{} {} {}", STREAMS[*index].name, value.x, value.pad),
    });
    format!("{to}: {}", states.collect::<Vec<_>>().join(", "))
}

/// A run of a seed: how many packets left, how many of them were shared, how many said the end of a state, and how many
/// states could not be sent.
fn run(seed: u64) -> [usize; 4] {
    let mut run = Run::new(seed);
    run.world.start();
    run.join();
    run.join();
    let _ = run.observed();
    for step in 0..STEPS {
        if run.random.once_in(60) && run.players.len() < 5 {
            run.join();
        } else if run.random.once_in(90) && run.players.len() > 1 {
            run.leave();
        }
        // Now and then nobody does anything for a while.
        let quiet = step / 40 % 4 == 3;
        for _ in 0..run.random.below(if quiet { 1 } else { 5 }) {
            run.act();
        }
        // What joining and leaving sent is none of the streams'.
        run.step();
        let delta = run.world.now() - run.stepped;
        run.stepped = run.world.now();
        let expected = run.expected((delta.seconds() * SECOND as f64).round() as i64);
        let observed = run.observed();
        assert_eq!(observed, expected, "seed {seed}, step {step}, after {delta:?}");
        let failed = run.world.errors();
        assert_eq!(failed.len(), run.errors, "failures of seed {seed}, step {step}: {:?}", failed.last());
        run.sent += observed.len();
        run.cleared += observed.iter().filter(|line| line.contains("ends")).count();
    }
    [run.sent, run.shared, run.cleared, run.errors]
}

#[test]
fn streams_send_when_the_rules_say() {
    let mut all = [0; 4];
    for seed in 0..10 {
        let of_run = run(seed);
        all = [0, 1, 2, 3].map(|at| all[at] + of_run[at]);
    }
    // The schedules reach what the model is about.
    assert!(all[0] > 5_000 && all[1] > 300 && all[2] > 300 && all[3] > 50, "{all:?}");
}

#[test]
fn who_joins_late_hears_a_state_within_its_keepalive() {
    let world = world(&schema(), 1, SignalMode::Deferred, LinkSettings::default());
    start(&world.server().peer, SERVER, &[]);
    world.start();
    let set = [Luau::from("B"), Luau::from("Set"), Luau::Nil, Luau::Number(4.0), Luau::Number(1.0)];
    ask(&world.server().peer, "_G.run(...)", &set);
    for wait in [0.0, 0.11, 0.35, 0.52, 0.68] {
        world.advance(Time::from_seconds(2.0 + wait)).unwrap();
        let index = world.join(JoinOptions::default()).unwrap();
        let peer = world.peer(Side::Client(index)).unwrap();
        start(&peer, "require(game.ReplicatedStorage.Net).B.On(function(state) _G.heard = state.X end)", &[]);
        let heard = || ask(&peer, "return _G.heard", &[]);
        // The longest silence, up to one interval until the stream is due, and a frame of each side.
        world.advance(Time::from_seconds(0.7 + 1.0 / 7.3 + 2.0 / 60.0)).unwrap();
        assert_eq!(heard(), [Luau::Number(4.0)], "joined after {wait}");
        world.leave(index, LeaveHow::Quit).unwrap();
    }
}
