//! A run of the command in a scratch folder, and what it wrote.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// Runs the command in a folder, its environment cleared of what decides about colour.
pub fn blinkblox(folder: impl AsRef<Path>, arguments: &[&str]) -> Output {
    blinkblox_reading(folder, arguments, "")
}

/// The same with text on its standard input.
pub fn blinkblox_reading(folder: impl AsRef<Path>, arguments: &[&str], stdin: &str) -> Output {
    start(folder, arguments, stdin, &[])
}

/// The same with these values in its environment.
pub fn blinkblox_with(folder: impl AsRef<Path>, arguments: &[&str], values: &[(&str, &str)]) -> Output {
    start(folder, arguments, "", values)
}

fn start(folder: impl AsRef<Path>, arguments: &[&str], stdin: &str, values: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_blinkblox"));
    for name in ["CLICOLOR_FORCE", "NO_COLOR", "CI", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"] {
        command.env_remove(name);
    }
    let mut child = command
        .current_dir(folder)
        .args(arguments)
        .envs(values.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A run that reads no input may be over already.
    let _ = child.stdin.take().unwrap().write_all(stdin.as_bytes());
    child.wait_with_output().unwrap()
}

/// A scratch folder with these files.
pub fn project(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

/// The exit status.
pub fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

/// What was written to standard output.
pub fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// What was written to standard error.
pub fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// The JSON document a run writes as its one line, with nothing beside it.
pub fn json(output: &Output) -> Value {
    let text = out(output);
    assert_eq!(text.matches('\n').count(), 1, "{text}");
    assert_eq!(err(output), "");
    serde_json::from_str(&text).unwrap()
}
