//! Every suite of the table, with both behaviours of signals.

use std::path::Path;

use blinkblox_emulator::shared::SignalMode;
use blinkblox_emulator::value::Value;
use blinkblox_suites::testing::{Outcome, Outcomes, driven, test_ez};
use blinkblox_suites::{Place, Runner, fetch};

use crate::table::{SUITES, Suite};

pub const MODES: [SignalMode; 2] = [SignalMode::Immediate, SignalMode::Deferred];

/// The place all suites stand in.
pub fn place_of(modules: &Path) -> Place {
    let plugin = fetch::rojo_plugin();
    let at = |name: &str| modules.join("@rbxts").join(name);
    Place::new()
        .with_npm(modules)
        .with("ReplicatedStorage.Rojo", &plugin.with_file_name("plugin.project.json"))
        // Its own project leaves its specs out.
        .with("ReplicatedStorage.Msgpack", &plugin.join("Packages/msgpack-luau/src"))
        .with("ReplicatedStorage.Packages.TestEZ", &at("testez/src"))
        .with("ReplicatedStorage.Packages.Promise", &modules.join("roblox-ts/include/Promise.lua"))
        .with("ReplicatedStorage.Packages.lapis", &at("lapis/out/lapis"))
        .with("ReplicatedStorage.DevPackages.DataStoreServiceMock", &at("lapis-mockdatastore/src"))
}

fn run(runner: &Runner, suite: &Suite, mode: SignalMode) -> Result<Outcomes, String> {
    let running = runner.world(suite.on, mode);
    if suite.name == "lapis" {
        let roots = Value::array(suite.roots.iter().map(|root| Value::from(*root)));
        return driven(&running, include_str!("../../luau/lapis.luau"), &[roots]);
    }
    test_ez(&running, suite.roots, suite.prepare)
}

/// What differs between a run and the table; empty if nothing does.
fn differences(suite: &Suite, mode: SignalMode, outcomes: &Outcomes) -> Vec<String> {
    let expected = suite.failing(mode);
    let count = |wanted: fn(&Outcome) -> bool| outcomes.iter().filter(|(_, outcome)| wanted(outcome)).count();
    let found = (
        count(|outcome| *outcome == Outcome::Passed),
        count(|outcome| *outcome == Outcome::Skipped),
        count(|outcome| matches!(outcome, Outcome::Failed(_))),
    );
    let meant = (suite.passing(mode), suite.skipped, expected.len());
    let mut differences = Vec::new();
    if found != meant {
        differences.push(format!("passed, skipped, failed: {found:?}, not {meant:?}"));
    }
    for (name, outcome) in outcomes {
        let is_expected = expected.contains(&name.as_str());
        match outcome {
            Outcome::Failed(problem) if !is_expected => {
                differences.push(format!("failed: {name}\n{problem}"))
            }
            Outcome::Passed | Outcome::Skipped if is_expected => {
                differences.push(format!("meant to fail, and did not: {name}"));
            }
            _ => {}
        }
    }
    differences
}

#[test]
fn suites_pass_as_the_table_says() {
    let Some(modules) = fetch::npm() else { return };
    let runner = Runner::new(place_of(&modules).load("suites"));
    let mut wrong = String::new();
    for suite in SUITES {
        for mode in MODES {
            let began = std::time::Instant::now();
            let differences = match run(&runner, suite, mode) {
                Ok(outcomes) => differences(suite, mode, &outcomes),
                Err(problem) => vec![problem],
            };
            println!("{} [{mode:?}]: {:.1} s", suite.name, began.elapsed().as_secs_f64());
            for difference in differences {
                wrong.push_str(&format!("\n{} [{mode:?}]: {difference}\n", suite.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn nearly_all_tests_pass() {
    for mode in MODES {
        let tests: usize = SUITES.iter().map(|suite| suite.tests - suite.skipped).sum();
        let failed: usize = SUITES.iter().map(|suite| suite.failing(mode).len()).sum();
        assert!(tests >= 740, "only {tests} tests");
        // At least 95 in a hundred.
        assert!(failed * 20 <= tests, "{failed} of {tests} fail under {mode:?}");
    }
}
