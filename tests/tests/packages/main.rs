//! Functions that yield promises and futures, over the libraries games use instead of stand-ins.
//!
//! `npm` installs what `tests/packages/package-lock.json` names, once for each content of that file. Where there is no
//! npm the test says so and passes.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use blinkblox_emulator::shared::SignalMode;
use blinkblox_emulator::testing::reporters::{Format, render};
use blinkblox_emulator::testing::{RunOptions, run};

/// What npm installs from.
const MANIFEST: [&str; 3] = ["package.json", "package-lock.json", ".npmrc"];
/// Files that stand beside what is installed.
const BESIDE: [&str; 2] = ["Future.luau", "libraries.spec.luau"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("packages")
}

/// A folder of the target directory with the libraries, made anew when the manifest changes.
fn installed() -> PathBuf {
    let mut hasher = DefaultHasher::new();
    let texts = MANIFEST.map(|file| (file, std::fs::read(folder().join(file)).unwrap()));
    texts.hash(&mut hasher);
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("packages-{:016x}", hasher.finish()));
    let done = place.join("installed");
    if !done.is_file() {
        std::fs::create_dir_all(&place).unwrap();
        for (file, text) in &texts {
            std::fs::write(place.join(file), text).unwrap();
        }
        let arguments = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
        let output = Command::new("npm").args(arguments).current_dir(&place).output().unwrap();
        assert!(output.status.success(), "npm ci: {}", String::from_utf8_lossy(&output.stderr));
        std::fs::write(done, "").unwrap();
    }
    place
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
