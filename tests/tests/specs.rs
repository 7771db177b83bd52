//! The Luau specs of the whole product, in both signal modes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use blinkblox_emulator::project::discover::{Discovery, discover};
use blinkblox_emulator::shared::SignalMode;
use blinkblox_emulator::testing::reporters::{Format, render};
use blinkblox_emulator::testing::{RunOptions, run};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn options(path: &str) -> RunOptions {
    let discovery = Discovery { roots: vec![root().join(path)], include: Vec::new(), exclude: Vec::new() };
    let files = discover(&discovery, None).expect("the folder can be read");
    RunOptions {
        files: files.into_iter().map(|file| file.path).collect(),
        signals: vec![SignalMode::Immediate, SignalMode::Deferred],
        wall_timeout: std::time::Duration::from_secs(120),
        ..RunOptions::default()
    }
}

fn passes(path: &str) {
    let report = run(&options(path), |_| {});
    let totals = report.totals();
    assert!(totals.passed > 0, "no specs in {path}");
    assert_eq!(report.exit_code(), 0, "\n{}", render(&report, Format::Pretty, false));
}

#[test]
fn streams() {
    passes("tests/luau/streams");
}

#[test]
fn stamps() {
    passes("tests/luau/stamps");
}

#[test]
fn director() {
    passes("tests/luau/director.spec.luau");
}

#[test]
fn lag_compensation_example() {
    passes("examples/lag-compensation");
}

/// Ids such as `S12` at the start of words of a name.
fn ids(name: &str) -> impl Iterator<Item = String> + '_ {
    name.split(|c: char| !c.is_ascii_alphanumeric()).filter_map(|word| {
        let digits = word.strip_prefix('S').or_else(|| word.strip_prefix('T'))?;
        (!digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit())).then(|| word.to_owned())
    })
}

#[test]
fn every_row_of_the_stream_and_stamp_checklist_has_a_spec() {
    let listed = RunOptions { list: true, ..options("tests/luau") };
    let report = run(&listed, |_| {});
    let found: BTreeSet<String> = report
        .files
        .iter()
        .flat_map(|file| &file.tests)
        .flat_map(|test| ids(&test.name).collect::<Vec<_>>())
        .collect();
    let wanted = (1..=82).map(|row| format!("S{row}")).chain((1..=33).map(|row| format!("T{row}")));
    let missing: Vec<String> = wanted.filter(|row| !found.contains(row)).collect();
    assert!(missing.is_empty(), "rows without a spec: {missing:?}");
}

#[test]
fn the_same_run_gives_the_same_trace() {
    let mut options = options("examples/lag-compensation");
    options.trace = true;
    options.seed = 11;
    let first = run(&options, |_| {}).trace_text();
    assert!(first.lines().count() > 1000, "{} lines", first.lines().count());
    assert!(first == run(&options, |_| {}).trace_text(), "two runs with one seed differ");
    options.seed = 12;
    assert!(first != run(&options, |_| {}).trace_text(), "the seed has no effect");
}
