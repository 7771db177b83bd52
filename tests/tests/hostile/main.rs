//! Modules under hostile clients. Packets are made from valid ones by flipping, cutting, splicing and lying about
//! lengths, and everything the server's listeners hear of them is held against the Rust codec; floods are held against
//! models of each limit; clients leave inside each window, and nothing may be left of them.
//!
//! The schemas are those of `golden/` and `corpus/ok` with traffic to the server, and drawn ones. Every packet is drawn
//! from a fixed seed. `benches/hostile.rs` sends a million more.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

mod attack;

use std::path::{Path, PathBuf};

use blinkblox_emulator::shared::SignalMode;
use blinkblox_emulator::testing::reporters::{Format, render};
use blinkblox_emulator::testing::{RunOptions, run};
use blinkblox_tests::corpus::{corpus, golden};
use blinkblox_tests::packets;
use blinkblox_tests::schemas::{self, Random, traffic};

use attack::{Target, attack};

/// Packets drawn for each golden schema.
const GOLDEN_PACKETS: usize = 1000;
/// Drawn schemas, and packets for each.
const DRAWN: u64 = 10;
const DRAWN_PACKETS: usize = 1000;
/// Longest packet whose every byte is changed.
const LONGEST: usize = 40;

#[test]
fn golden_schemas_stand() {
    let targets: Vec<_> = golden().iter().map(Target::of).collect();
    let plan = |all: &[packets::Heard<'_>], random: &mut Random| {
        (0..GOLDEN_PACKETS).map(|_| packets::hostile(all, random)).collect()
    };
    let (attacked, sent) = attack(&targets, SignalMode::Deferred, 1, &plan);
    assert!(attacked >= 8 && sent >= 8 * GOLDEN_PACKETS, "only {sent} packets to {attacked} schemas");
}

#[test]
fn every_byte_may_change() {
    let targets: Vec<_> = golden().iter().map(Target::of).collect();
    let plan =
        |all: &[packets::Heard<'_>], random: &mut Random| packets::systematic(all, false, LONGEST, random);
    let (_, sent) = attack(&targets, SignalMode::Immediate, 2, &plan);
    assert!(sent >= 4000, "only {sent} packets");
}

#[test]
fn every_index_may_come() {
    let targets: Vec<_> = golden().iter().chain(&corpus("ok")).map(Target::of).collect();
    let plan = |_: &[packets::Heard<'_>], random: &mut Random| packets::indices(random);
    let (attacked, sent) = attack(&targets, SignalMode::Deferred, 3, &plan);
    assert!(attacked >= 20 && sent == attacked * 512, "only {sent} packets to {attacked} schemas");
}

#[test]
fn drawn_schemas_stand() {
    let targets: Vec<_> = (0..DRAWN)
        .map(|seed| {
            let text = schemas::draw(&mut Random(seed + 1000), false);
            let text = format!("option MaxEventsPerPacket = 100000\n{text}");
            Target { name: format!("drawn {seed}"), files: vec![("main.blink".into(), text)], exact: true }
        })
        .collect();
    let plan = |all: &[packets::Heard<'_>], random: &mut Random| {
        (0..DRAWN_PACKETS).map(|_| packets::hostile(all, random)).collect()
    };
    let (attacked, sent) = attack(&targets, SignalMode::Immediate, 4, &plan);
    assert!(attacked >= 6 && sent >= 6 * DRAWN_PACKETS, "only {sent} packets to {attacked} schemas");
}

#[test]
fn drawn_schemas_of_every_kind_stand() {
    let targets: Vec<_> = (0..DRAWN)
        .map(|seed| {
            let text = traffic::draw(&mut Random(seed + 2000));
            Target { name: format!("mixed {seed}"), files: vec![("main.blink".into(), text)], exact: false }
        })
        .collect();
    let plan = |all: &[packets::Heard<'_>], random: &mut Random| {
        (0..DRAWN_PACKETS).map(|_| packets::hostile(all, random)).collect()
    };
    let (attacked, _) = attack(&targets, SignalMode::Deferred, 5, &plan);
    assert_eq!(attacked as u64, DRAWN);
}

#[test]
fn floods_forgeries_and_leaves() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hostile");
    let specs = ["floods", "replies", "leaving", "listeners", "misuse", "replication"];
    let files: Vec<PathBuf> = specs.iter().map(|name| folder.join(format!("{name}.spec.luau"))).collect();
    let options = RunOptions {
        files,
        signals: vec![SignalMode::Immediate, SignalMode::Deferred],
        wall_timeout: std::time::Duration::from_secs(120),
        timeout: 120.0,
        ..RunOptions::default()
    };
    let report = run(&options, |_| {});
    assert_eq!(report.exit_code(), 0, "\n{}", render(&report, Format::Pretty, false));
    assert!(report.totals().passed > 100, "only {} ran", report.totals().passed);
}
