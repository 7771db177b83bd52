//! The prompt and the watch mode at a terminal.

use std::fs;
use std::path::Path;
use std::process::Command;

use rexpect::session::{PtySession, spawn_command};

use crate::support::project;

/// Milliseconds a reaction may take on a busy machine.
const PATIENCE: u64 = 60_000;

fn start(folder: &Path, state: &Path, arguments: &[&str]) -> PtySession {
    let mut command = Command::new(env!("CARGO_BIN_EXE_blinkblox"));
    command.current_dir(folder).args(arguments);
    command.env("TERM", "xterm").env("XDG_STATE_HOME", state).env("NO_COLOR", "1");
    for name in ["CI", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"] {
        command.env_remove(name);
    }
    spawn_command(command, Some(PATIENCE)).unwrap()
}

#[test]
fn the_prompt_completes_remembers_and_is_interrupted() {
    let folder = project(&[("Sizes.luau", "return { Large = 3, Small = 1 }")]);
    let state = tempfile::tempdir().unwrap();
    let mut session = start(folder.path(), state.path(), &["repl"]);
    session.exp_string("server 0.000 s> ").unwrap();

    // Members, services, globals, commands and keys of modules.
    session.send("workspace.ClassN\t").unwrap();
    session.flush().unwrap();
    session.exp_string("workspace.ClassName").unwrap();
    session.send_line("").unwrap();
    session.exp_string("\"Workspace\" : string").unwrap();
    session.send("game:GetService(\"ReplicatedSt\t").unwrap();
    session.flush().unwrap();
    session.exp_string("game:GetService(\"ReplicatedStorage").unwrap();
    session.send_line("\").Name").unwrap();
    session.exp_string("\"ReplicatedStorage\" : string").unwrap();
    session.send(".adv\t 0.5").unwrap();
    session.send_line("").unwrap();
    session.exp_string("server 0.500 s> ").unwrap();
    session.send_line("things = { LargeOne = 31 }").unwrap();
    session.exp_string("server 0.500 s> ").unwrap();
    session.send("thin\t.Lar\t").unwrap();
    session.send_line("").unwrap();
    session.exp_string("31 : number").unwrap();

    // An input over lines, then one that never ends.
    session.send_line("for i = 1, 2 do").unwrap();
    session.exp_string("... ").unwrap();
    session.send_line("print('line ' .. i) end").unwrap();
    session.exp_string("[server] line 2").unwrap();
    session.exp_string("server 0.500 s> ").unwrap();
    session.send_line("while true do end").unwrap();
    std::thread::sleep(std::time::Duration::from_millis(500));
    session.send_control('c').unwrap();
    session.exp_string("server 0.500 s> ").unwrap();

    // Time runs until a key is pressed.
    session.send_line(".play 10").unwrap();
    session.exp_string("any key stops it").unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    session.send("x").unwrap();
    session.flush().unwrap();
    session.exp_regex("server [0-9.]+ s> ").unwrap();
    session.send_line(".quit").unwrap();
    session.exp_eof().unwrap();

    // The next session knows the inputs: the loop over lines is one of them.
    let mut session = start(folder.path(), state.path(), &["repl"]);
    session.exp_string("server 0.000 s> ").unwrap();
    for _ in 0..4 {
        session.send("\u{1b}[A").unwrap();
    }
    session.flush().unwrap();
    session.exp_string("print('line '").unwrap();
    session.send_line("").unwrap();
    session.exp_string("[server] line 2").unwrap();
    session.send_control('d').unwrap();
    session.exp_eof().unwrap();
    assert_eq!(fs::read_dir(state.path().join("blinkblox/history")).unwrap().count(), 1);
}

#[test]
fn a_watching_run_follows_changes_and_keys() {
    let folder = project(&[
        ("a.spec.luau", "local lib = require('./lib')\nit('adds', function() expect(lib.one):toBe(1) end)"),
        ("b.spec.luau", "it('is alone', function() end)"),
        ("lib.luau", "return { one = 1 }"),
    ]);
    let mut session = start(folder.path(), folder.path(), &["test", "--watch"]);
    session.exp_string("2 passed, 0 failed").unwrap();
    session.exp_string("watching 2 spec files").unwrap();

    // What a spec requires affects it, and only it.
    fs::write(folder.path().join("lib.luau"), "return { one = 2 }").unwrap();
    session.exp_string("expected 2 to be 1").unwrap();
    session.exp_string("0 passed, 1 failed").unwrap();
    session.exp_string("watching").unwrap();
    session.send("f").unwrap();
    session.flush().unwrap();
    session.exp_string("0 passed, 1 failed").unwrap();
    session.exp_string("watching").unwrap();

    // An editor that saves by renaming mends it.
    fs::write(folder.path().join("lib.new"), "return { one = 1 }").unwrap();
    fs::rename(folder.path().join("lib.new"), folder.path().join("lib.luau")).unwrap();
    session.exp_string("1 passed, 0 failed").unwrap();
    session.exp_string("watching").unwrap();

    // A new spec runs by itself.
    fs::write(folder.path().join("c.spec.luau"), "it('is new', function() end)").unwrap();
    session.exp_string("is new").unwrap();
    session.exp_string("watching 3 spec files").unwrap();

    session.send("p").unwrap();
    session.flush().unwrap();
    session.exp_string("filter").unwrap();
    session.send_line("alone").unwrap();
    session.exp_string("1 passed, 0 failed").unwrap();
    session.exp_string("watching").unwrap();
    session.send("a").unwrap();
    session.flush().unwrap();
    session.exp_string("1 passed, 0 failed").unwrap();
    session.exp_string("watching").unwrap();
    session.send("q").unwrap();
    session.flush().unwrap();
    session.exp_eof().unwrap();
}
