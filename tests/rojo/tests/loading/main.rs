//! Our project loader beside Rojo itself, on Rojo's own cases and on odder projects: the same trees with the same
//! properties; and where one refuses a project, so does the other, ours naming file, line and field.
//!
//! `cargo test -p blinkblox-rojo --features oracle` builds Rojo first. Without the feature the tests say that they skip,
//! unless the variable `BLINKBLOX_ROJO` names a `rojo` to compare with.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

mod odd;
mod refused;

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use blinkblox_emulator::project;
use blinkblox_suites::{compare, fetch};

/// Rojo's command, where there is one.
fn command() -> Option<Command> {
    // Cargo names the program whether it builds it or not.
    let built = option_env!("CARGO_BIN_EXE_blinkblox-rojo").filter(|_| cfg!(feature = "oracle"));
    let program = built.map(OsString::from).or_else(|| std::env::var_os("BLINKBLOX_ROJO"));
    if program.is_none() {
        println!("skipped: Rojo is not built; `--features oracle` does");
    }
    program.map(Command::new)
}

/// What Rojo makes of a project, as text; or its error.
fn rojo(project: &Path, scratch: &Path) -> Result<String, String> {
    let output = scratch.join("built.rbxmx");
    let _ = std::fs::remove_file(&output);
    let run = command()
        .unwrap()
        .args(["build".as_ref(), project.as_os_str(), "--output".as_ref(), output.as_os_str()])
        .output()
        .unwrap();
    if !run.status.success() {
        return Err(String::from_utf8_lossy(&run.stderr).into_owned());
    }
    Ok(compare::text(&compare::from_file(&output)))
}

/// What we make of it.
fn ours(project: &Path) -> Result<String, String> {
    let tree = project::load(project).map_err(|problem| problem.to_string())?;
    Ok(compare::text(&tree.root))
}

/// How the two differ; nothing if they do not.
fn difference(project: &Path) -> Option<String> {
    let scratch = tempfile::tempdir().unwrap();
    match (ours(project), rojo(project, scratch.path())) {
        (Ok(ours), Ok(theirs)) => compare::difference(&ours, &theirs),
        (Err(ours), Ok(_)) => Some(format!("only ours refuses it: {ours}")),
        (Ok(_), Err(theirs)) => Some(format!("only Rojo refuses it: {theirs}")),
        (Err(ours), Err(theirs)) => Some(format!("both refuse it:\n{ours}\n{theirs}")),
    }
}

#[test]
fn rojos_own_projects_load_alike() {
    if command().is_none() {
        return;
    }
    let cases = fetch::crate_folder("rojo").join("rojo-test");
    let mut wrong = String::new();
    let mut count = 0;
    for kind in ["build-tests", "serve-tests"] {
        let mut paths: Vec<_> =
            std::fs::read_dir(cases.join(kind)).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        for path in paths {
            count += 1;
            if let Some(difference) = difference(&path) {
                wrong.push_str(&format!("\n{}: {difference}\n", path.display()));
            }
        }
    }
    assert_eq!(count, 65);
    assert!(wrong.is_empty(), "{wrong}");
}
