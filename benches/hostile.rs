//! The long runs: a million hostile packets, ten minutes of flood, half an hour of clients that come and go.
//!
//! `cargo bench -p blinkblox-tests --bench hostile`, with `packets`, `flood` or `soak` behind `--` for one of them. Each
//! panics at the first thing that is not as it must be; `benches/RESULTS.md` keeps what was measured.

#![allow(clippy::unwrap_used, reason = "as in the tests this runs at length")]

#[path = "../tests/tests/hostile/attack.rs"]
mod attack;
#[path = "../tests/tests/soak/flood.rs"]
mod flood;
#[path = "../tests/tests/soak/soak.rs"]
mod soak;
#[path = "../tests/tests/soak/world.rs"]
mod world;

use std::time::Instant;

use blinkblox_emulator::shared::SignalMode;
use blinkblox_tests::corpus::{corpus, golden};
use blinkblox_tests::packets::{self, Heard};
use blinkblox_tests::schemas::{self, Random, traffic};

use attack::{Target, attack};

/// Packets that are sent at least.
const PACKETS: usize = 1_000_000;
/// Drawn schemas of each kind, and how many packets are drawn for one schema.
const DRAWN: u64 = 30;
const EACH: usize = 1200;
/// Longest packet whose every byte is made every other one, and whose every bit is flipped.
const EVERY_BYTE: usize = 8;
const EVERY_BIT: usize = 24;

/// Kinds of schemas, with whether every byte of their packets is made every other one. Each round draws others.
fn kinds(round: u64) -> [(&'static str, bool, Vec<Target>); 3] {
    let mut drawn = Vec::new();
    for seed in round * DRAWN..(round + 1) * DRAWN {
        let file = |text: String| vec![("main.blink".to_owned(), text)];
        let plain = schemas::draw(&mut Random(seed + 10_000), false);
        let plain = format!("option MaxEventsPerPacket = 100000\n{plain}");
        drawn.push(Target { name: format!("drawn {seed}"), files: file(plain), exact: true });
        let mixed = traffic::draw(&mut Random(seed + 20_000));
        drawn.push(Target { name: format!("mixed {seed}"), files: file(mixed), exact: false });
    }
    [
        ("golden", true, golden().iter().map(Target::of).collect()),
        ("corpus", false, corpus("ok").iter().map(Target::of).collect()),
        ("drawn", false, drawn),
    ]
}

/// Everything that is done to packets, in both signal modes, one on each of two threads, until a million are sent.
fn million() {
    let began = Instant::now();
    let mut sent = 0;
    for round in 0.. {
        let modes = [SignalMode::Immediate, SignalMode::Deferred];
        sent += std::thread::scope(|scope| {
            let modes = modes.map(|signals| scope.spawn(move || send(signals, round)));
            modes.map(|mode| mode.join().unwrap()).iter().sum::<usize>()
        });
        if sent >= PACKETS {
            break;
        }
    }
    let seconds = began.elapsed().as_secs_f64();
    println!("{sent} hostile packets in {seconds:.0} s, {:.0} a second", sent as f64 / seconds);
}

fn send(signals: SignalMode, round: u64) -> usize {
    let mut all = 0;
    for (kind, every, targets) in kinds(round) {
        let plan = move |all: &[Heard<'_>], random: &mut Random| {
            let longest = if every { EVERY_BYTE } else { EVERY_BIT };
            let mut made = packets::systematic(all, every, longest, random);
            made.extend(packets::indices(random));
            made.extend((0..EACH).map(|_| packets::hostile(all, random)));
            made
        };
        let (mut attacked, mut sent) = (0, 0);
        for (at, part) in targets.chunks(8).enumerate() {
            let (some, packets) =
                attack(part, signals, (round * 2 + signals as u64) * 1000 + at as u64, &plan);
            attacked += some;
            sent += packets;
        }
        println!("{kind} schemas, {signals:?} signals: {sent} packets to {attacked}");
        all += sent;
    }
    all
}

fn flooding() {
    let began = Instant::now();
    let outcome = flood::flood(10, 4);
    println!(
        "10 minutes of flood, {} packets: {:.0} s; server's VM by minute, KiB: {}",
        outcome.packets,
        began.elapsed().as_secs_f64(),
        outcome.minutes.iter().map(|bytes| (bytes / 1024).to_string()).collect::<Vec<_>>().join(" ")
    );
}

fn soaking() {
    for batched in [false, true] {
        let began = Instant::now();
        let plan = soak::Plan { clients: 50, seconds: 1800, seed: 5, batched };
        let runs = std::thread::scope(|scope| {
            [(); 2].map(|()| scope.spawn(|| soak::soak(plan))).map(|run| run.join().unwrap())
        });
        assert_eq!(runs[0], runs[1], "equal seeds give equal traces");
        println!("soak of 30 minutes, twice, {:.0} s: {:?}", began.elapsed().as_secs_f64(), runs[0]);
    }
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let runs: [(&str, fn()); 3] = [("packets", million), ("flood", flooding), ("soak", soaking)];
    for (name, run) in runs {
        if wanted.is_empty() || wanted.iter().any(|word| word == name) {
            run();
        }
    }
}
