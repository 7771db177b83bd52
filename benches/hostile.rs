//! The long runs: a million hostile packets, ten minutes of flood, half an hour of clients that come and go.
//!
//! `cargo bench -p blinkblox-tests --bench hostile`, with `packets`, `flood` or `soak` behind `--` for one of them. Each
//! panics at the first thing that is not as it must be; `benches/RESULTS.md` keeps what was measured.

#![allow(clippy::unwrap_used, reason = "as in the tests this runs at length")]

#[path = "../tests/tests/hostile/attack.rs"]
mod attack;
#[path = "../tests/tests/hostile/drawn.rs"]
mod drawn;
#[path = "../tests/tests/soak/flood.rs"]
mod flood;
#[path = "../tests/tests/hostile/packets.rs"]
mod packets;
#[path = "../tests/tests/agreement/schemas.rs"]
mod schemas;
#[path = "../tests/tests/soak/soak.rs"]
mod soak;
#[path = "../tests/tests/soak/world.rs"]
mod world;

use std::time::Instant;

use blinkblox_emulator::shared::SignalMode;
use blinkblox_tests::corpus::{corpus, golden};

use attack::{Target, attack};
use packets::Heard;
use schemas::Random;

/// Packets that are sent at least.
const PACKETS: usize = 1_000_000;
/// Drawn schemas of each kind, and how many packets are drawn for one schema.
const DRAWN: u64 = 50;
const EACH: usize = 2500;
/// Longest packet whose every byte is made every other one.
const LONGEST: usize = 24;

fn targets() -> Vec<Target> {
    let mut targets: Vec<Target> = golden().iter().chain(&corpus("ok")).map(Target::of).collect();
    for seed in 0..DRAWN {
        let file = |text: String| vec![("main.blink".to_owned(), text)];
        let plain = schemas::draw(&mut Random(seed + 10_000), false);
        let plain = format!("option MaxEventsPerPacket = 100000\n{plain}");
        targets.push(Target { name: format!("drawn {seed}"), files: file(plain), exact: true });
        let mixed = drawn::draw(&mut Random(seed + 20_000));
        targets.push(Target { name: format!("mixed {seed}"), files: file(mixed), exact: false });
    }
    targets
}

/// Everything that is done to packets, on two threads, until a million are sent.
fn million() {
    let began = Instant::now();
    let plan = |all: &[Heard<'_>], random: &mut Random| {
        let mut made = packets::systematic(all, true, LONGEST, random);
        made.extend(packets::indices(random));
        made.extend((0..EACH).map(|_| packets::hostile(all, random)));
        made
    };
    let halves = std::thread::scope(|scope| {
        let halves = [(SignalMode::Immediate, 11), (SignalMode::Deferred, 12)].map(|(signals, seed)| {
            let plan = &plan;
            scope.spawn(move || {
                let targets = targets();
                let (mut attacked, mut sent) = (0, 0);
                for (at, part) in targets.chunks(8).enumerate() {
                    let (some, packets) = attack(part, signals, seed * 1000 + at as u64, plan);
                    attacked += some;
                    sent += packets;
                }
                (attacked, sent)
            })
        });
        halves.map(|half| half.join().unwrap())
    });
    let sent = halves[0].1 + halves[1].1;
    let seconds = began.elapsed().as_secs_f64();
    println!(
        "{sent} hostile packets to {} schemas, in both signal modes: {seconds:.0} s, {:.0} a second",
        halves[0].0,
        sent as f64 / seconds
    );
    assert!(sent >= PACKETS, "only {sent} packets");
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
