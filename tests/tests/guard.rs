//! Guards what generated code costs, without a clock: text, bytecode, instructions, memory and bytes of every scenario
//! of the benchmark `runtime`, and of snapshots of entities, of which nothing is written by hand to compare with, against
//! the figures recorded in `guard.json`.
//!
//! All of them are the same on every machine. What grew fails, by name and by how much. Where that is wanted, or where
//! something shrank, `BLINKBLOX_UPDATE=1 cargo test -p blinkblox-tests --test guard` records the figures anew.

#![allow(clippy::unwrap_used, reason = "a failure here has no one to go to")]

#[path = "../../benches/runtime/contest.rs"]
mod contest;
#[path = "../../benches/runtime/scenarios.rs"]
mod scenarios;

use std::collections::BTreeMap;
use std::path::Path;

use blinkblox_compiler::compile;
use blinkblox_compiler::schema::Profile;
use blinkblox_compiler::source::MemoryLoader;
use mlua::chunk::Compiler;

use contest::{Contest, Counts, Modules};
use scenarios::{SCENARIOS, Scenario};

/// How much a figure may grow unnoticed: the allocator's rounding.
const TOLERANCE: f64 = 0.005;

/// Entities, and what changes and reads them.
const REPLICATION: &str = include_str!("../../benches/runtime/scenarios/replication.blink");
const REPLICATION_DRIVE: &str = include_str!("../../benches/runtime/scenarios/replication.luau");

type Figures = BTreeMap<String, BTreeMap<String, u64>>;

/// What a scenario costs, which has to take as many bytes as what is written by hand.
fn figures(scenario: &Scenario) -> BTreeMap<String, u64> {
    let (contest, counts, figures) = costs(scenario.name, scenario.schema, scenario.drive);
    let floor =
        Contest::new(scenario.name, scenario.drive, &Modules::Written(&scenario.floor("BooleanRows")), false);
    let least = floor.counts();
    assert_eq!(counts.bytes, least.bytes, "{}: as many bytes as written by hand", scenario.name);
    assert_eq!(contest.events, floor.events);
    let times = counts.instructions as f64 / least.instructions as f64;
    println!(
        "{:16} {:8} instructions, {:8} of the floor: {times:.3}; {} bytes allocated, {} of the floor",
        scenario.name, counts.instructions, least.instructions, counts.allocated, least.allocated
    );
    figures
}

/// What is emitted for a schema costs: of both modules, and of a frame of what drives them.
fn costs(name: &str, schema: &str, drive: &str) -> (Contest, Counts, BTreeMap<String, u64>) {
    // By default the quicker reader of booleans is chosen by timing.
    let schema = format!("option PackedBooleanReader = \"Rows\"\n{schema}");
    let loader = MemoryLoader::new().with("main.blink", schema);
    let outputs = compile(&loader, "main.blink", Profile::Release).outputs.unwrap();
    let (server, client) = (&outputs.server, &outputs.client);
    // Without the numbers of lines: what they take leaps by thousands of bytes with any line that moves.
    let bytecode = |text: &str| {
        let compiler = Compiler::new().set_optimization_level(2).set_debug_level(0);
        compiler.compile(text).unwrap().len() as u64
    };
    let contest = Contest::new(name, drive, &Modules::Generated(server, client), false);
    let counts = contest.counts();
    let figures = [
        ("text", (server.len() + client.len()) as u64),
        ("bytecode", bytecode(server) + bytecode(client)),
        ("instructions", counts.instructions),
        ("allocated", counts.allocated),
        ("packets", counts.packets),
        ("bytes", counts.bytes),
    ]
    .map(|(name, figure)| (name.to_owned(), figure))
    .into();
    (contest, counts, figures)
}

#[test]
fn nothing_costs_more_than_recorded() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("guard.json");
    let mut found: Figures =
        SCENARIOS.iter().map(|scenario| (scenario.name.to_owned(), figures(scenario))).collect();
    found.insert("replication".to_owned(), costs("replication", REPLICATION, REPLICATION_DRIVE).2);
    if std::env::var_os("BLINKBLOX_UPDATE").is_some() {
        std::fs::write(&path, serde_json::to_string_pretty(&found).unwrap() + "\n").unwrap();
        return;
    }
    let recorded: Figures = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    let (mut grown, mut shrunk) = (Vec::new(), Vec::new());
    for (scenario, figures) in &found {
        for (name, &figure) in figures {
            let Some(&was) = recorded.get(scenario).and_then(|figures| figures.get(name)) else {
                grown.push(format!("{scenario}: {name} is not recorded"));
                continue;
            };
            let change = 100.0 * (figure as f64 / was.max(1) as f64 - 1.0);
            let line = format!("{scenario}: {name} {was} -> {figure} ({change:+.1} %)");
            if figure as f64 > was as f64 * (1.0 + TOLERANCE) {
                grown.push(line);
            } else if (figure as f64) < was as f64 * (1.0 - TOLERANCE) {
                shrunk.push(line);
            }
        }
    }
    let record = "BLINKBLOX_UPDATE=1 cargo test -p blinkblox-tests --test guard";
    if !shrunk.is_empty() {
        println!("cheaper than recorded; to keep it so, {record}\n{}", shrunk.join("\n"));
    }
    assert!(grown.is_empty(), "dearer than recorded; if that is wanted, {record}\n{}", grown.join("\n"));
}
