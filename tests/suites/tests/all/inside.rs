//! Specs of others under `blinkblox test`: found in their folders, run inside a side by our own TestEZ, with neither a
//! copy of TestEZ nor a line of ours beside them. Acceptance scenario 13 of the emulator's requirements.

use std::path::{Path, PathBuf};

use blinkblox_emulator::project::discover::{Discovery, discover};
use blinkblox_emulator::shared::SignalMode;
use blinkblox_emulator::testing::report::{RunReport, Status};
use blinkblox_emulator::testing::{RunOptions, run};
use blinkblox_suites::{Place, fetch};

use crate::suites::MODES;
use crate::table::{SUITES, Suite};

fn specs(folder: &Path) -> Vec<PathBuf> {
    let discovery = Discovery { roots: vec![folder.to_owned()], include: Vec::new(), exclude: Vec::new() };
    discover(&discovery, None).unwrap().into_iter().map(|file| file.path).collect()
}

/// Passed, skipped, failed; and the failures' names and texts.
fn counts(report: &RunReport) -> ((usize, usize, usize), String) {
    let mut counts = (0, 0, 0);
    let mut failures = String::new();
    for file in &report.files {
        if let Some(error) = &file.load_error {
            failures.push_str(&format!("\n  {}: {error}", file.path));
        }
        for test in &file.tests {
            match &test.status {
                Status::Passed => counts.0 += 1,
                Status::Skipped | Status::Todo => counts.1 += 1,
                Status::Failed(failure) | Status::Flaky(failure) => {
                    counts.2 += 1;
                    failures.push_str(&format!("\n  {}: {}", test.full_name(), failure.message));
                }
            }
        }
    }
    (counts, failures)
}

/// Runs the specs of a folder, and compares with the table; `own` are tests that fail under our TestEZ alone.
fn check(suite: &Suite, folder: &Path, project: Option<&Path>, client: bool, own: &[&str]) -> String {
    let mut wrong = String::new();
    for mode in MODES {
        let began = std::time::Instant::now();
        let mut options = RunOptions { files: specs(folder), signals: vec![mode], ..RunOptions::default() };
        options.world.project = project.map(Path::to_owned);
        if client {
            options.world.settings.push(("specSide".into(), "client".into()));
        }
        let report = run(&options, |_| {});
        let (found, failures) = counts(&report);
        let meant = (suite.passing(mode) - own.len(), suite.skipped, suite.failing(mode).len() + own.len());
        let missing = own.iter().find(|name| !failures.contains(&format!("{name}: ")));
        assert_eq!(missing, None, "{failures}");
        println!("{} [{mode:?}]: {found:?} in {:.1} s", suite.name, began.elapsed().as_secs_f64());
        if found != meant {
            wrong.push_str(&format!("\n{} [{mode:?}]: {found:?}, not {meant:?}{failures}\n", suite.name));
        }
    }
    wrong
}

fn suite(name: &str) -> &'static Suite {
    SUITES.iter().find(|suite| suite.name == name).unwrap()
}

#[test]
fn specs_run_inside_their_projects() {
    let packages = fetch::rojo_plugin().join("Packages");
    let mut wrong = String::new();
    for (name, folder, client) in [
        ("Promise", "Promise/lib", false),
        ("t", "t/lib", false),
        ("Flipper", "Flipper/src", true),
        ("msgpack", "msgpack-luau/src", false),
        ("Roact", "Roact/src", true),
    ] {
        // It looks for a function of the published TestEZ in a stack trace.
        let own: &[&str] = match name {
            "Promise" => &["Promise.new › should preserve stack traces of resolve-chained promises"],
            _ => &[],
        };
        wrong += &check(suite(name), &packages.join(folder), None, client, own);
    }
    if let Some(modules) = fetch::npm() {
        for (name, folder) in [("matter", "matter/lib"), ("immut", "immut/src")] {
            let folder = modules.join("@rbxts").join(folder);
            let project = Place::new().with(&format!("ReplicatedStorage.{name}"), &folder).write(name);
            wrong += &check(suite(name), &folder, Some(&project), false, &[]);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// What a test of a neighbour's kind sees: `script`, the modules around it, the side's own globals, matchers, mocks,
/// hooks and failures with their place.
#[test]
fn a_spec_inside_a_side_has_the_test_api() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    std::fs::create_dir(folder.path().join("src")).unwrap();
    write(
        "default.project.json",
        r#"{"name": "game", "tree": {"$className": "DataModel",
            "ReplicatedStorage": {"Shared": {"$path": "src"}}}}"#,
    );
    write("src/adder.luau", "return { add = function(a, b) return a + b end, calls = 0 }");
    write(
        "src/adder.spec.luau",
        r#"
        local adder = require(script.Parent.adder)
        describe("adder", function()
            local began = 0
            beforeEach(function() began += 1 end)
            it("adds", function()
                adder.calls += 1
                expect(adder.add(1, 2)):toBe(3)
                expect(began):toBe(1)
            end)
            it("has a world of its own", function()
                expect(adder.calls):toBe(0)
                expect(game:GetService("RunService"):IsServer()):toBe(true)
                expect(typeof(script)):toBe("Instance")
            end)
            it("waits", function()
                local before = os.clock()
                task.wait(0.5)
                expect(os.clock() - before):toBeCloseTo(0.5, 1)
            end)
            it("mocks", function()
                local mock = test.fn()
                mock(1)
                expect(mock):toHaveBeenCalledWith(1)
            end)
            it.skip("is left out", function() end)
            it("fails with its place", function()
                expect({ a = 1 }):toEqual({ a = 2 })
            end)
            it("shows what would go on for ever", function()
                local endless = setmetatable({}, { __iter = function() return function() return 1 end end })
                expect(endless):toEqual({})
                expect(setmetatable({}, { __call = function() return {} end })).to.be.ok()
            end)
            it("throws", function()
                error("thrown")
            end)
        end)"#,
    );
    write(
        "src/ear.client.spec.luau",
        "it('is a client', function() expect(game.Players.LocalPlayer).to.be.ok() end)",
    );
    let options = RunOptions {
        files: specs(&folder.path().join("src")),
        signals: vec![SignalMode::Deferred],
        ..RunOptions::default()
    };
    let report = run(&options, |_| {});
    let (found, failures) = counts(&report);
    assert_eq!(found, (6, 1, 2), "{failures}");
    let failure = |name: &str| {
        let mut tests = report.files.iter().flat_map(|file| &file.tests);
        match &tests.find(|test| test.name == name).unwrap().status {
            Status::Failed(failure) => failure.clone(),
            other => panic!("{name}: {other:?}"),
        }
    };
    let unequal = failure("fails with its place");
    assert!(unequal.place.unwrap().ends_with("src/adder.spec.luau:28"));
    assert!(unequal.expected.unwrap().contains("a = 2") && unequal.actual.unwrap().contains("a = 1"));
    assert!(failure("throws").message.contains("thrown"));
}
