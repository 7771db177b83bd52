//! `blinkblox repl` by its commands, from a pipe; at a terminal on Unix, in `terminal`.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::support::{blinkblox, blinkblox_reading, code, err, out, project};

/// A game with a door, a remote, scripts on both sides and a schema.
fn game() -> TempDir {
    let tree = r#"{ "name": "game", "tree": { "$className": "DataModel",
        "Workspace": { "Door": { "$className": "Part", "$properties": { "Transparency": 0.5 } } },
        "ReplicatedStorage": { "Ask": { "$className": "RemoteEvent" }, "$path": "shared" },
        "ServerScriptService": { "$path": "server" },
        "StarterPlayer": { "StarterPlayerScripts": { "$path": "client" } } } }"#;
    project(&[
        ("default.project.json", tree),
        ("shared/Sizes.luau", "return { Large = 3, Small = 1 }"),
        (
            "server/Main.server.luau",
            "game.ReplicatedStorage.Ask.OnServerEvent:Connect(function(player, text)\n\
            print(player.Name, text)\n\
            workspace.Door.Transparency += 0.25\n\
            task.wait(100)\n\
         end)",
        ),
        (
            "client/Main.client.luau",
            "task.delay(1, function() game.ReplicatedStorage.Ask:FireServer('knock') end)",
        ),
    ])
}

fn prompt(folder: impl AsRef<Path>, input: &[&str]) -> (i32, String, String) {
    let output = blinkblox_reading(folder, &["repl"], &(input.join("\n") + "\n"));
    (code(&output), out(&output), err(&output))
}

#[test]
fn an_unfinished_input_is_told_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let (code, out, err) = prompt(
        &folder,
        &["x = 1", "local function f(", ".step", "x + 1", "for i = 1, 2 do", "  print(i)", "x = 9"],
    );
    assert_eq!((code, out.as_str()), (1, "2 : number\n"));
    assert_eq!(
        err,
        "line 2: the input `local function f(` is not finished and was given up; .step was not run\n\
         line 5: the input that begins here is in the middle of a statement at the end; its 3 lines were not run\n"
    );
    // A member that begins a line is no command.
    let (code, out, _) = prompt(&folder, &["print((workspace", ".Name))", ".steps"]);
    assert_eq!((code, out.as_str()), (1, "[server] Workspace\n"));
}

#[test]
fn time_stops_where_it_was_asked_to() {
    let folder = game();
    let (code, out, err) = prompt(
        &folder,
        &[
            ".watch workspace.Door.Transparency",
            ".break remote Ask",
            ".break signal workspace.Door.Changed",
            ".watch",
            ".break",
            ".advance 5",
            ".advance 5",
            ".break off",
            ".watch off 1",
            ".until workspace.Door.Transparency > 0.7",
            ".packets from=Player1",
        ],
    );
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(
        &lines[..6],
        [
            "workspace.Door.Transparency = 0.5 : number",
            "time stops when remote Ask fires",
            "time stops when signal workspace.Door.Changed fires",
            "1 workspace.Door.Transparency = 0.5 : number",
            "1 remote Ask",
            "2 signal workspace.Door.Changed",
        ]
    );
    assert!(lines[6].starts_with("stopped at 1.") && lines[6].contains("remote Ask fired: #1"), "{out}");
    assert_eq!(lines[7], "[server] Player1 knock");
    assert!(lines[8].contains("Transparency became 0.75 : number (was 0.5 : number)"), "{out}");
    assert_eq!(lines[9], "it is true already");
    assert!(lines[10].starts_with("#1 1.") && lines[10].contains("delivered"), "{out}");
}

#[test]
fn what_was_done_is_taken_back_repeated_and_saved() {
    let folder = game();
    fs::create_dir(folder.path().join("saved")).unwrap();
    let (code, out, err) = prompt(
        &folder,
        &[
            "count = 1",
            "count += 1",
            "count",
            ".undo 2",
            "count",
            ".step 3",
            ".join Ada userId=7",
            ".net Ada wifi loss=0.25",
            ".client Ada",
            "local a, b = 1, 'two\\n\"lines\"'",
            "{ count, game.Players.LocalPlayer.UserId, text = 'ü]=]' }",
            "error('no', 0)",
            ".server",
            "task.wait(0.5)",
            "task.wait(1000)",
            ".director",
            "#world:clients()",
            "world.server:get('workspace.Door').Transparency",
            "world:clients()[2].link:stats().up.messages >= 0",
            ".server",
            ".advance 0.7",
            ".settle",
            ".leave Player1 crash",
            "#game.Players:GetPlayers()",
            "workspace.Door.Transparency",
            ".history",
            ".save saved/session.spec.luau",
        ],
    );
    assert_eq!(code, 1, "{out}{err}");
    assert_eq!(err, "line 12: no\n");
    assert!(out.starts_with("2 : number\nundone: count += 1\nundone: count\n1 : number\n"), "{out}");
    for expected in [
        "7, text = \"ü]=]\"",
        "(still running after 5 virtual seconds)",
        "2 : number",
        "1 : number",
        "true : boolean",
        "  1 server> count = 1",
        "saved/session.spec.luau repeats them",
    ] {
        assert!(out.contains(expected), "{expected} is missing in\n{out}");
    }

    let spec = folder.path().join("saved/session.spec.luau");
    let text = fs::read_to_string(&spec).unwrap();
    let output = blinkblox(folder.path(), &["test", "saved"]);
    assert_eq!(code_of(&output), 0, "{}\n{text}", crate::support::out(&output));
    // It checks what it repeats.
    fs::write(&spec, text.replacen("toEqual({ 2.0 })", "toEqual({ 3.0 })", 1)).unwrap();
    let output = blinkblox(folder.path(), &["test", "saved"]);
    assert_eq!(code_of(&output), 1, "{text}");
}

fn code_of(output: &std::process::Output) -> i32 {
    code(output)
}

#[test]
fn the_world_is_looked_at_from_every_side() {
    let folder = game();
    let (code, out, err) = prompt(
        &folder,
        &[
            ".advance 2",
            ".tree ReplicatedStorage",
            ".props workspace.Door",
            "workspace.Door.Transparency = 0.25",
            ".diff server Player1",
            ".step 5",
            ".diff server Player1",
            ".threads",
            ".conns ReplicatedStorage.Ask",
            ".queue",
            ".mem",
            ".log server 1",
            ".errors",
            ".seed",
            ".packet 1",
            ".trace off",
            ".advance 1",
            ".trace on",
            ".trace save trace.jsonl",
            ".help undo",
            ".pause",
            ".pause",
        ],
    );
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    for expected in [
        "[server] Player1 knock\n",
        "ReplicatedStorage (ReplicatedStorage)\n",
        "  Ask (RemoteEvent)\n",
        "  Sizes (ModuleScript)",
        "  Anchored = false : boolean\n",
        "Workspace.Door Transparency: server 0.25, Player1 0.75\n",
        "ServerScriptService (ServerScriptService): only on server, with 1 inside\n",
        "wait 9",
        "in ServerScriptService.Main  ServerScriptService.Main:4",
        "ReplicatedStorage.Ask.OnServerEvent  by ServerScriptService.Main\n",
        "timers: 1\n",
        "in flight to and from Player1: 0\n",
        "server: ",
        " MiB\n",
        "s output: Player1 knock\n",
        "no errors\n",
        "\n0\n",
        "  1: knock\n",
        " records are in trace.jsonl\n",
        ".undo [N]",
        "simulation rests\nsimulation goes on\n",
    ] {
        assert!(out.contains(expected), "{expected:?} is missing in\n{out}");
    }
    assert_eq!(out.matches("Door Transparency: server").count(), 1, "{out}");
    let trace = fs::read_to_string(folder.path().join("trace.jsonl")).unwrap();
    assert!(trace.lines().count() > 2, "{trace}");
}

#[test]
fn files_are_loaded_reloaded_and_specs_run() {
    let folder = game();
    fs::write(folder.path().join("make.luau"), "made = 4\nlocal double = made * 2\nreturn double").unwrap();
    fs::write(folder.path().join("inputs.txt"), "made + 1\n.step\nif made then\n  print('yes')\nend\n")
        .unwrap();
    fs::write(folder.path().join("broken.txt"), "made\nfor\n").unwrap();
    fs::write(
        folder.path().join("a.spec.luau"),
        "it('is quick', function() end)\nit('is other', function() end)",
    )
    .unwrap();
    let (code, out, err) = prompt(
        &folder,
        &[
            ".load make.luau",
            ".load inputs.txt",
            ".load broken.txt",
            ".run test \"is quick\"",
            ".run test \"nothing so\"",
            ".require ReplicatedStorage.Sizes",
            ".reload replay",
            "Sizes.Large + made",
            ".reset",
            "made",
            ".load nowhere",
        ],
    );
    assert_eq!(code, 1);
    for expected in [
        "8 : number\n",
        "5 : number\n[server] yes\n",
        "✓ is quick",
        "1 passed, 0 failed",
        "the files are read again, 6 inputs repeated\n",
        "7 : number\na fresh world\nnil\n",
    ] {
        assert!(out.contains(expected), "{expected:?} is missing in\n{out}");
    }
    assert!(err.contains("broken.txt:2: this input is not finished at the end of the file"), "{err}");
    assert!(err.contains("nowhere cannot be read") && err.contains("0 passed, 0 failed"), "{err}");
}

#[test]
fn events_of_a_schema_are_decoded_and_stop_time() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/lag-compensation");
    let (code, out, err) = prompt(
        example,
        &[".break event Heads", ".advance 3", ".packets 1", ".decode 1", ".break event Nope"],
    );
    assert_eq!(code, 1);
    assert!(out.contains("stopped at ") && out.contains("event Heads fired"), "{out}{err}");
    assert!(out.contains("event Heads"), "{out}");
    assert!(err.contains("there is no event Nope: "), "{err}");
}

#[test]
fn a_loop_without_end_gives_the_prompt_back() {
    let folder = tempfile::tempdir().unwrap();
    let (code, out, err) = prompt(&folder, &["while true do end", "1 + 1"]);
    assert_eq!((code, out.as_str()), (1, "2 : number\n"), "{err}");
}

#[test]
fn what_runs_away_at_the_prompt_ends_with_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let lines = [
        "function f() return 1 + f() end f()",
        "local t = {} while true do table.insert(t, buffer.create(2 ^ 24)) end",
        "error(setmetatable({}, { __tostring = function() error('again', 0) end }))",
        "setmetatable({}, { __tostring = function() error('shown', 0) end })",
        "string.rep('x', 2 ^ 31)",
        "1 + 1",
    ];
    let (code, out, err) = prompt(&folder, &lines);
    assert_eq!(code, 1, "{err}");
    assert!(out.ends_with("2 : number\n"), "{out}\n{err}");
    for text in ["stack overflow", "not enough memory", "again"] {
        assert!(err.contains(text), "no {text} in:\n{err}");
    }
}

#[test]
fn run_plays_scripts_bots_and_idle_places() {
    let folder = game();
    fs::write(folder.path().join("check.luau"), "task.wait(0.5) return workspace.Door.Name, 7").unwrap();
    fs::write(folder.path().join("fails.luau"), "error('not today', 0)").unwrap();
    fs::write(
        folder.path().join("bots.luau"),
        "game.ReplicatedStorage.Ask:FireServer('from ' .. game.Players.LocalPlayer.Name)",
    )
    .unwrap();
    let run = |arguments: &[&str]| {
        let mut all = vec!["run"];
        all.extend(arguments);
        let output = blinkblox(folder.path(), &all);
        (code(&output), out(&output), err(&output))
    };
    let (code, out, err) = run(&["--script", "check.luau", "--seed", "3"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.starts_with("Door\n7\n0.5 s played, 1 client\n") && out.ends_with("seed 3\n"), "{out}");
    let (code, _, err) = run(&["--script", "fails.luau"]);
    assert_eq!(code, 1);
    assert!(err.contains("not today"), "{err}");
    let (code, out, _) = run(&["--script", "check.luau", "--as", "luau-execution"]);
    assert_eq!(code, 0);
    assert!(out.contains("0 clients"), "{out}");
    let (code, out, _) = run(&["--clients", "2", "--bots", "bots.luau", "--frames", "30"]);
    assert_eq!(code, 0);
    assert!(out.contains("Player1 from Player1") && out.contains("Player2 from Player2"), "{out}");
    assert!(out.contains("0.5 s played, 2 clients"), "{out}");
    assert!(out.contains("Player1: up 1 message, "), "{out}");
    // What a bot throws is an uncaught error of its client.
    let (code, out, _) = run(&["--bots", "fails.luau", "--frames", "5", "--fail-on-error"]);
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("Player1") && out.contains("not today"), "{out}");
    let (code, out, _) = run(&["--until-idle", "--as", "luau-execution"]);
    assert_eq!(code, 0);
    assert!(out.starts_with("0."), "{out}");
    let (code, _, err) = run(&["--for", "soon"]);
    assert_eq!(code, 2);
    assert!(err.contains("such as 10 or 1.5m"), "{err}");
}

#[test]
fn files_that_load_themselves_are_told_so() {
    let folder = game();
    fs::write(folder.path().join("self.txt"), ".load self.txt\n").unwrap();
    let output = blinkblox_reading(folder.path(), &["repl"], ".load self.txt\n");
    assert_eq!(code(&output), 1, "{}", err(&output));
    assert!(err(&output).contains("is loaded by a file that it loads"), "{}{}", out(&output), err(&output));
}
