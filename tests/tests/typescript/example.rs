//! `examples/typescript` as a reader builds it: modules from its schema, Luau from its TypeScript, its specs over that.

use std::path::{Path, PathBuf};

use blinkblox_compiler::compile;
use blinkblox_compiler::schema::Profile;
use blinkblox_compiler::source::MemoryLoader;
use blinkblox_emulator::shared::SignalMode;
use blinkblox_emulator::testing::reporters::{Format, render};
use blinkblox_emulator::testing::{RunOptions, run};
use serde_json::Value;

use crate::compiler::{has_tools, installed, roblox_ts};
use crate::folder;

const SCHEMA: &str = "net/lights.blink";

/// What a build makes, and a fresh copy has not.
const MADE: [&str; 3] = ["node_modules", "out", "include"];

#[test]
fn the_example_compiles_and_its_specs_pass() {
    let source = folder("../examples/typescript");
    assert_eq!(packages(&source), packages(&folder("typescript")), "one set of tools for both");
    if !has_tools() {
        return;
    }
    let tools = installed();
    let place = tools.join("example");
    let _ = std::fs::remove_dir_all(&place);
    copy(&source, &place);
    link(&tools.join("node_modules"), &place.join("node_modules"));

    let schema = std::fs::read_to_string(source.join(SCHEMA)).unwrap();
    let mut compilation = compile(&MemoryLoader::new().with(SCHEMA, schema), SCHEMA, Profile::Release);
    let files = compilation.take_files(SCHEMA);
    let names: Vec<&str> = files.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(
        names,
        ["src/server/Net.luau", "src/client/Net.luau", "src/server/Net.d.ts", "src/client/Net.d.ts"]
    );
    for (path, text) in &files {
        std::fs::write(place.join(path), text).unwrap();
    }
    roblox_ts(&place, "tsconfig.json");

    let options = RunOptions {
        files: vec![place.join("specs/lights.spec.luau")],
        signals: vec![SignalMode::Immediate, SignalMode::Deferred],
        ..RunOptions::default()
    };
    let report = run(&options, |_| {});
    assert_eq!(report.exit_code(), 0, "{}", render(&report, Format::Pretty, false));
    assert_eq!(report.totals().passed, 10);
}

/// What a lock file installs, the project itself left out.
fn packages(folder: &Path) -> Value {
    let text = std::fs::read_to_string(folder.join("package-lock.json")).unwrap();
    let mut lock: Value = serde_json::from_str(&text).unwrap();
    let packages = lock["packages"].as_object_mut().unwrap();
    packages.remove("");
    lock["packages"].take()
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_owned();
        let target: PathBuf = to.join(&name);
        if path.is_dir() {
            if !MADE.contains(&name.to_str().unwrap()) {
                copy(&path, &target);
            }
        } else if !name.to_str().unwrap().starts_with("Net.") {
            std::fs::copy(&path, &target).unwrap();
        }
    }
}

/// The tools installed once, where the project looks for them.
#[cfg(unix)]
fn link(from: &Path, to: &Path) {
    std::os::unix::fs::symlink(from, to).unwrap();
}

/// The same with a junction, which needs no privilege.
#[cfg(windows)]
fn link(from: &Path, to: &Path) {
    let made = std::process::Command::new("cmd").args(["/C", "mklink", "/J"]).arg(to).arg(from).status();
    assert!(made.unwrap().success());
}
