//! Functions that yield promises and futures, over the libraries games use instead of stand-ins.
//!
//! `npm` installs what `tests/packages/package-lock.json` names, once for each content of that file. Where there is no
//! npm the test says so and passes.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

use std::path::{Path, PathBuf};
use std::process::Command;

use blinkblox_emulator::shared::SignalMode;
use blinkblox_emulator::testing::reporters::{Format, render};
use blinkblox_emulator::testing::{RunOptions, run};
use blinkblox_tests::npm;

/// What npm installs from.
const MANIFEST: [&str; 3] = ["package.json", "package-lock.json", ".npmrc"];
/// Files that stand beside what is installed.
const BESIDE: [&str; 2] = ["Future.luau", "libraries.spec.luau"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("packages")
}

/// A folder of the target directory with the libraries.
fn installed() -> PathBuf {
    npm::installed(&folder(), &MANIFEST, env!("CARGO_TARGET_TMPDIR"), "packages")
}

#[test]
fn promises_and_futures_of_real_libraries() {
    if !Command::new("npm").arg("--version").output().is_ok_and(|output| output.status.success()) {
        println!("skipped: there is no npm");
        return;
    }
    let place = installed();
    for file in BESIDE {
        std::fs::copy(folder().join(file), place.join(file)).unwrap();
    }
    let options = RunOptions {
        files: vec![place.join("libraries.spec.luau")],
        signals: vec![SignalMode::Immediate, SignalMode::Deferred],
        ..RunOptions::default()
    };
    let report = run(&options, |_| {});
    assert_eq!(report.exit_code(), 0, "\n{}", render(&report, Format::Pretty, false));
    assert!(report.totals().passed >= 40, "only {} ran", report.totals().passed);
}
