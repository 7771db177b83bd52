//! Reliable batches: what each side hears is what it was sent, in order and once; a flush makes as few packets as the
//! rules have, shared with everyone where nobody's differs; a client's are cut at its limits and not before; and what
//! cannot be sent leaves no trace. Source: runtime specification, 1.5, 5.3, 5.9 and 6.2.

use std::collections::BTreeMap;

use blinkblox_compiler::wire::codec::Value;
use blinkblox_compiler::wire::codec::packet::ItemKind;
use blinkblox_emulator::clock::Time;
use blinkblox_emulator::network::LinkSettings;
use blinkblox_emulator::shared::{Side, SignalMode};
use blinkblox_emulator::trace::Target;
use blinkblox_emulator::value::Value as Luau;
use blinkblox_emulator::world::{JoinOptions, LeaveHow, World};
use blinkblox_tests::schemas::Random;

use crate::observed::{Observer, Seen};
use crate::world::{ask, numbers, start, world};

/// Steps of a run.
const STEPS: usize = 300;
/// Limits of a client's packet.
const MOST_BYTES: usize = 400;
const MOST_ITEMS: usize = 7;
const MOST_SLOTS: usize = 3;

const SCHEMA: &str = "
option MaxPacketSize = 400
option MaxEventsPerPacket = 7
option MaxInstancesPerPacket = 3
option InboundBytesPerSecond = 100000000
option InboundBurst = 100000000
event Down { From: Server, Type: Reliable, Call: ManySync, Data: (Id: u32, Pad: string(..500), Who: Instance?) }
event Also { From: Server, Type: Reliable, Call: ManyAsync, Data: (Id: u32, Pad: string(..500), Who: Instance?) }
event Up { From: Client, Type: Reliable, Call: ManySync, Rate: 100000, Burst: 100000,
    Data: (Id: u32, Pad: string(..500)) }
event With { From: Client, Type: Reliable, Call: ManySync, Rate: 100000, Burst: 100000,
    Data: (Id: u32, Pad: string(..500), Who: Instance?) }
function Ask { From: Server, Yield: Coroutine, Data: u32, Return: u32 }
";

const SERVER: &str = r#"
    local Net = require(game.ServerScriptService.Net)
    local Players = game:GetService("Players")
    _G.failed, _G.answered = 0, {}
    local function players(names)
        local list = {}
        for _, name in names do
            table.insert(list, Players:FindFirstChild(name))
        end
        return list
    end
    function _G.send(event, how, names, id, pad, part)
        local event, who = Net[event], if part then workspace else nil
        -- A text of no string cannot be sent.
        local text = if pad < 0 then {} else string.rep("x", pad)
        local list = players(names)
        local ok
        if how == "FireAll" then
            ok = pcall(event.FireAll, id, text, who)
        elseif how == "FireList" then
            ok = pcall(event.FireList, list, id, text, who)
        else
            ok = pcall(event[how], list[1], id, text, who)
        end
        if not ok then
            _G.failed += 1
        end
    end
    function _G.ask(name, id)
        task.spawn(function()
            local answer = Net.Ask.Invoke(Players:FindFirstChild(name), id)
            assert(answer == id, "another call's answer")
            table.insert(_G.answered, id)
        end)
    end
    _G.heard = {}
    Net.Up.On(function(player, id)
        if id % 5 == 0 then
            error(`cannot hear {id}`, 0)
        end
    end)
    local function hear(player, id)
        _G.heard[player.Name] = _G.heard[player.Name] or {}
        table.insert(_G.heard[player.Name], id)
    end
    Net.Up.On(hear)
    Net.With.On(hear)
    _G.flush = Net.StepReplication
    _G.start = Net.Start
"#;

const CLIENT: &str = r#"
    local Net = require(game.ReplicatedStorage.Net)
    _G.heard, _G.failed = {}, 0
    local function hear(id)
        table.insert(_G.heard, id)
    end
    Net.Down.On(function(id)
        if id % 7 == 0 then
            error(`cannot hear {id}`, 0)
        end
    end)
    Net.Down.On(hear)
    Net.Also.On(hear)
    Net.Ask.On(function(id)
        hear(id)
        return id
    end)
    function _G.send(id, pad, part)
        local text = if pad < 0 then {} else string.rep("x", pad)
        local event = if part then Net.With else Net.Up
        -- An instance that is not there takes its place all the same.
        if not pcall(event.Fire, id, text, if id % 2 == 0 then workspace else nil) then
            _G.failed += 1
        end
    end
"#;

/// An item as the model has it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Item {
    id: u64,
    /// Bytes, header included.
    size: usize,
    slots: usize,
}

struct Guest {
    index: u32,
    name: String,
    /// What it was sent in all, and what the server was sent by it.
    sent: Vec<u64>,
    up: Vec<u64>,
    /// What the present flush holds: items of its own and shared ones, in order; whether some are its own.
    down: Vec<u64>,
    own: bool,
    out: Vec<Item>,
}

struct Run {
    world: World,
    random: Random,
    observer: Observer,
    guests: Vec<Guest>,
    next: u64,
    shared: Vec<u64>,
    failed: usize,
    started: bool,
    /// Packets seen: shared, of one player's, of a client's flush that was cut.
    counts: [usize; 3],
}

impl Run {
    fn new(seed: u64, link: LinkSettings, auto_start: bool) -> Run {
        let option = if auto_start { "" } else { "option AutoStart = false\n" };
        let schema = format!("{option}{SCHEMA}");
        let signals = if seed.is_multiple_of(2) { SignalMode::Deferred } else { SignalMode::Immediate };
        let world = world(&schema, seed, signals, link);
        start(&world.server().peer, SERVER, &[]);
        world.start();
        Run {
            world,
            random: Random(seed),
            observer: Observer::of(&schema),
            guests: Vec::new(),
            next: 1,
            shared: Vec::new(),
            failed: 0,
            started: auto_start,
            counts: [0; 3],
        }
    }

    fn join(&mut self) {
        let index = self.world.join(JoinOptions::default()).unwrap();
        start(&self.world.peer(Side::Client(index)).unwrap(), CLIENT, &[]);
        let name = self.world.core().member(Side::Client(index)).unwrap().name.to_string();
        let guest = Guest {
            index,
            name,
            sent: Vec::new(),
            up: Vec::new(),
            down: Vec::new(),
            own: false,
            out: Vec::new(),
        };
        self.guests.push(guest);
    }

    fn pad(&mut self) -> i64 {
        match self.random.below(20) {
            0 => -1,
            1 => self.random.one(&[127, 128, 250, 392, 393, 394, 450]),
            2..5 => self.random.below(130) as i64,
            _ => self.random.below(9) as i64,
        }
    }

    /// A send or a call of the server's.
    fn serve(&mut self) {
        let id = self.next;
        self.next += 1;
        let count = self.guests.len() as u64;
        let one = self.random.below(count) as usize;
        if self.started && self.random.once_in(8) {
            let name = self.guests[one].name.clone();
            ask(
                &self.world.server().peer,
                "_G.ask(...)",
                &[Luau::from(name.as_str()), Luau::Number(id as f64)],
            );
            self.guests[one].down.push(id);
            self.guests[one].own = true;
            return;
        }
        let how = self.random.one(&["FireAll", "FireAll", "Fire", "FireList", "FireExcept"]);
        let event = self.random.one(&["Down", "Also"]);
        let to: Vec<usize> = match how {
            "Fire" | "FireExcept" => vec![one],
            "FireList" => (0..self.guests.len()).filter(|_| self.random.once_in(2)).collect(),
            _ => Vec::new(),
        };
        let pad = self.pad();
        let part = self.random.once_in(4);
        let names = to.iter().map(|at| Luau::from(self.guests[*at].name.as_str()));
        let arguments = [
            Luau::from(event),
            Luau::from(how),
            Luau::array(names),
            Luau::Number(id as f64),
            Luau::Number(pad as f64),
            Luau::Boolean(part),
        ];
        ask(&self.world.server().peer, "_G.send(...)", &arguments);
        if pad < 0 {
            self.failed += 1;
            return;
        }
        if !self.started {
            return;
        }
        match how {
            "FireAll" => {
                self.shared.push(id);
                self.guests.iter_mut().for_each(|guest| guest.down.push(id));
            }
            _ => {
                for (at, guest) in self.guests.iter_mut().enumerate() {
                    if to.contains(&at) != (how == "FireExcept") {
                        guest.down.push(id);
                        guest.own = true;
                    }
                }
            }
        }
    }

    /// A send of a client's.
    fn climb(&mut self) {
        let id = self.next;
        self.next += 1;
        let at = self.random.below(self.guests.len() as u64) as usize;
        let pad = self.pad();
        let part = self.random.once_in(3);
        let arguments = [Luau::Number(id as f64), Luau::Number(pad as f64), Luau::Boolean(part)];
        let peer = self.world.peer(Side::Client(self.guests[at].index)).unwrap();
        let before = self.number(&peer, "return _G.failed");
        ask(&peer, "_G.send(...)", &arguments);
        let failed = self.number(&peer, "return _G.failed") - before;
        assert_eq!(failed, f64::from(u8::from(pad < 0)), "a text of {pad}");
        if pad >= 0 {
            // Index, number, length of the text.
            let size = 1 + 4 + if pad < 128 { 1 } else { 2 } + pad as usize;
            let item = Item { id, size, slots: usize::from(part) };
            self.guests[at].out.push(item);
        }
    }

    fn number(&self, peer: &blinkblox_emulator::peer::Peer, source: &str) -> f64 {
        ask(peer, source, &[])[0].as_number().unwrap()
    }

    /// The packets a flush of the server makes: whom each is for, and what it holds.
    fn flushed(&mut self) -> Vec<(String, Vec<u64>)> {
        let shared = std::mem::take(&mut self.shared);
        let someone = self.guests.iter().any(|guest| guest.own);
        let mut packets = Vec::new();
        if !someone && !shared.is_empty() {
            packets.push(("all".to_owned(), shared));
        }
        for guest in &mut self.guests {
            let down = std::mem::take(&mut guest.down);
            guest.own = false;
            guest.sent.extend(&down);
            if someone && !down.is_empty() {
                packets.push((guest.name.clone(), down));
            }
        }
        packets.sort();
        packets
    }

    /// The packets a client's flush is cut into: each ends where the next item would break a limit.
    fn cut(items: &[Item]) -> Vec<Vec<u64>> {
        let mut packets: Vec<Vec<Item>> = Vec::new();
        for item in items {
            let fits = packets.last().is_some_and(|packet| {
                packet.len() < MOST_ITEMS
                    && packet.iter().map(|own| own.size).sum::<usize>() + item.size <= MOST_BYTES
                    && packet.iter().map(|own| own.slots).sum::<usize>() + item.slots <= MOST_SLOTS
            });
            match packets.last_mut().filter(|_| fits) {
                Some(packet) => packet.push(*item),
                None => packets.push(vec![*item]),
            }
        }
        packets.into_iter().map(|packet| packet.iter().map(|item| item.id).collect()).collect()
    }

    /// Compares what left since the last time; `climbed` says whether the clients flushed as well.
    fn compare(&mut self, expected: Vec<(String, Vec<u64>)>, context: &str) {
        let mut observed = Vec::new();
        let mut climbed: BTreeMap<Side, Vec<Vec<u64>>> = BTreeMap::new();
        for seen in self.observer.take(&self.world).iter().filter(|seen| seen.reliable) {
            let ids = ids(seen);
            match (seen.from, seen.to) {
                (Side::Server, Target::Everyone) => observed.push(("all".to_owned(), ids)),
                (Side::Server, Target::One(side)) => {
                    observed.push((self.world.core().name(side).to_string(), ids));
                }
                // Answers are not part of this model.
                (from, _) if !ids.is_empty() => climbed.entry(from).or_default().push(ids),
                _ => {}
            }
        }
        observed.sort();
        self.counts[0] += observed.iter().filter(|(to, _)| to == "all").count();
        self.counts[1] += observed.iter().filter(|(to, _)| to != "all").count();
        assert_eq!(observed, expected, "{context}");
        for guest in &mut self.guests {
            let cut = Run::cut(&guest.out);
            let out = std::mem::take(&mut guest.out);
            self.counts[2] += usize::from(cut.len() > 1);
            assert_eq!(
                climbed.remove(&Side::Client(guest.index)).unwrap_or_default(),
                cut,
                "{context}: {out:?}"
            );
            // A packet of one that is too large is refused by the server, whole.
            let heard = out.iter().filter(|item| item.size <= MOST_BYTES);
            guest.up.extend(heard.map(|item| item.id));
        }
        assert!(climbed.is_empty(), "{context}: {climbed:?}");
    }

    fn step(&mut self, context: &str) {
        let mut expected = Vec::new();
        if self.random.once_in(5) {
            // The game flushes for itself, and sends more in the same frame.
            ask(&self.world.server().peer, "_G.flush()", &[]);
            if self.started {
                expected = self.flushed();
            }
            for _ in 0..self.random.below(4) {
                self.serve();
            }
        }
        let flushed = if self.started { self.flushed() } else { Vec::new() };
        expected.extend(flushed);
        expected.sort();
        self.world.step(1).unwrap();
        self.compare(expected, context);
    }

    /// Every client, and the server of each, heard what it was sent.
    fn heard(&self, context: &str) {
        for guest in &self.guests {
            let peer = self.world.peer(Side::Client(guest.index)).unwrap();
            assert_eq!(
                numbers(&ask(&peer, "return _G.heard", &[])[0]),
                guest.sent,
                "{context}: {}",
                guest.name
            );
            let name = [Luau::from(guest.name.as_str())];
            let up = ask(&self.world.server().peer, "return _G.heard[...] or {}", &name);
            assert_eq!(numbers(&up[0]), guest.up, "{context}: from {}", guest.name);
        }
        let failed = self.number(&self.world.server().peer, "return _G.failed");
        assert_eq!(failed as usize, self.failed, "{context}");
    }
}

/// The numbers a packet's items carry; calls have theirs as their payload, answers none that matter.
fn ids(seen: &Seen) -> Vec<u64> {
    let id = |item: &blinkblox_compiler::wire::codec::packet::PacketItem| {
        if matches!(item.kind, ItemKind::Answer { .. }) {
            return None;
        }
        let value = &item.payload.as_ref().unwrap().value;
        let id = if item.name == "Ask" { value.field("Value") } else { value.field("Id") };
        let Value::Number(id) = id else { panic!("{item:?}") };
        Some(*id as u64)
    };
    seen.items.iter().filter_map(id).collect()
}

fn run(seed: u64, auto_start: bool) -> [usize; 3] {
    // Packets that are late and lost: what is reliable is sent again, and stays in order.
    let link = LinkSettings {
        delay: Time::from_seconds(0.02),
        jitter: Time::from_seconds(0.03),
        loss: 0.1,
        ..LinkSettings::default()
    };
    let mut run =
        Run::new(seed, if seed.is_multiple_of(3) { LinkSettings::default() } else { link }, auto_start);
    for _ in 0..3 {
        run.join();
    }
    if auto_start {
        run.world.advance(Time::from_seconds(2.0)).unwrap();
    } else {
        // Nobody's module finds remotes yet.
        for step in 0..20 {
            for _ in 0..run.random.below(5) {
                run.serve();
            }
            run.step(&format!("seed {seed}, step {step} before the start"));
        }
        ask(&run.world.server().peer, "_G.start() _G.start()", &[]);
        run.started = true;
        run.world.advance(Time::from_seconds(2.0)).unwrap();
    }
    let _ = run.observer.take(&run.world);
    for step in 0..STEPS {
        let context = format!("seed {seed}, step {step}");
        if step % 100 == 99 {
            run.world.settle(Time::from_seconds(5.0)).unwrap();
            run.heard(&context);
            let _ = run.observer.take(&run.world);
            let at = run.random.below(run.guests.len() as u64) as usize;
            let guest = run.guests.remove(at);
            run.world.leave(guest.index, LeaveHow::Quit).unwrap();
            run.join();
            run.world.advance(Time::from_seconds(2.0)).unwrap();
            let _ = run.observer.take(&run.world);
        }
        let busy = run.random.once_in(3);
        for _ in 0..run.random.below(if busy { 12 } else { 3 }) {
            if run.random.once_in(2) {
                run.serve();
            } else {
                run.climb();
            }
        }
        run.step(&context);
    }
    run.world.settle(Time::from_seconds(5.0)).unwrap();
    run.heard(&format!("seed {seed}, at the end"));
    run.counts
}

#[test]
fn batches_hold_what_was_sent_in_order() {
    let mut all = [0; 3];
    for seed in 0..6 {
        let of_run = run(seed, true);
        all = [0, 1, 2].map(|at| all[at] + of_run[at]);
    }
    assert!(all[0] > 100 && all[1] > 1_000 && all[2] > 20, "{all:?}");
}

#[test]
fn what_is_sent_before_the_start_is_gone() {
    for seed in 20..23 {
        run(seed, false);
    }
}
