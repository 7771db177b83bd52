//! A suite of ours under the published Jest: some 55 000 lines of Luau that load modules themselves, with an environment
//! of their own for each test file, and fake the clock.

use std::path::Path;

use blinkblox_emulator::shared::Settings;
use blinkblox_suites::testing::{Outcome, driven};
use blinkblox_suites::{On, Place, Runner, fetch};

use crate::suites::MODES;

#[test]
fn jest_runs_a_suite() {
    let Some(modules) = fetch::npm() else { return };
    let specs = Path::new(env!("CARGO_MANIFEST_DIR")).join("luau/jest");
    let place = Place::new().with_npm(&modules).with("ReplicatedStorage.JestSuite", &specs);
    let runner = Runner::new(place.load("jest"));
    for signals in MODES {
        // Jest wants a function that Roblox keeps for its own: the setting that `blinkblox test` turns on.
        let settings = Settings { signals, internals: true, ..Settings::default() };
        let running = runner.world_with(On::Server, settings);
        let outcomes = driven(&running, include_str!("../../luau/jest.luau"), &[]);
        let outcomes = outcomes.unwrap_or_else(|problem| panic!("{problem}"));
        let (passed, rest): (Vec<_>, Vec<_>) =
            outcomes.into_iter().partition(|(_, outcome)| *outcome == Outcome::Passed);
        let (skipped, failed): (Vec<_>, Vec<_>) =
            rest.into_iter().partition(|(_, outcome)| *outcome == Outcome::Skipped);
        assert_eq!((passed.len(), skipped.len()), (7, 1), "{signals:?}: {failed:#?}");
        let [(name, Outcome::Failed(problem))] = &failed[..] else { panic!("{failed:#?}") };
        assert_eq!(name, "a game under Jest fails where it should");
        // Jest's own difference of the two tables.
        assert!(problem.contains("coins") && problem.contains("Expected"), "{problem}");
    }
}
