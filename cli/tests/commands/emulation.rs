//! `blinkblox test`, `run` and `repl`, run as a person or a build server runs them.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::support::{blinkblox, blinkblox_reading, code, err, out, project};

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/lag-compensation")
}

fn spec(text: &str) -> TempDir {
    project(&[("a.spec.luau", text)])
}

#[test]
fn passing_and_failing_specs_end_with_0_and_1() {
    let folder = spec("it('adds', function() expect(1 + 1):toBe(2) end)");
    let output = blinkblox(folder.path(), &["test"]);
    assert_eq!((code(&output), err(&output).as_str()), (0, ""));
    assert!(out(&output).contains("✓ adds"), "{}", out(&output));
    assert!(out(&output).contains("1 passed, 0 failed"));

    let folder = spec("it('adds', function() expect(1 + 1):toBe(3) end)");
    let output = blinkblox(folder.path(), &["test", "a.spec.luau"]);
    assert_eq!(code(&output), 1);
    let text = out(&output);
    assert!(text.contains("expected 2 to be 3"), "{text}");
    assert!(text.contains("again: blinkblox test a.spec.luau -t \"adds\" --seed 0"), "{text}");
}

#[test]
fn wrong_arguments_end_with_2() {
    let folder = spec("");
    for arguments in [
        &["test", "--sed", "3"][..],
        &["test", "--signals", "sometimes"],
        &["test", "--reporter", "paper"],
        &["test", "-t", "/(/"],
        &["run", "--net", "telepathy"],
        &["repl", "--set", "speed"],
    ] {
        let output = blinkblox(folder.path(), arguments);
        assert_eq!(code(&output), 2, "{arguments:?}: {}", err(&output));
        assert!(!err(&output).is_empty(), "{arguments:?}");
    }
}

#[test]
fn broken_files_end_with_3_and_are_named() {
    let folder = spec("it('is never closed', function()");
    let output = blinkblox(folder.path(), &["test"]);
    assert_eq!(code(&output), 3);
    assert!(out(&output).contains("a.spec.luau:1:"), "{}", out(&output));

    let output = blinkblox(folder.path(), &["run", "nowhere"]);
    assert_eq!(code(&output), 3);
    assert!(err(&output).contains("nowhere"), "{}", err(&output));
}

#[test]
fn no_tests_end_with_4_unless_that_is_fine() {
    let folder = tempfile::tempdir().unwrap();
    let output = blinkblox(folder.path(), &["test"]);
    assert_eq!(code(&output), 4);
    assert!(err(&output).contains("no *.spec.luau file was found"), "{}", err(&output));
    assert_eq!(code(&blinkblox(folder.path(), &["test", "--allow-empty"])), 0);

    // One that no test was asked of has no heading over nothing.
    let folder = project(&[
        ("a.spec.luau", "it('swings', function() end)"),
        ("b.spec.luau", "it('b', function() end)"),
    ]);
    for (arguments, why) in [
        (&["test", "-t", "zzz"][..], "no test of the 2 files found matches -t \"zzz\"; --allow-empty"),
        (
            &["test", "a.spec.luau", "-t", "/z+/", "-t", "y"],
            "no test of the 1 file found matches -t \"/z+/\" or -t \"y\";",
        ),
        (&["test", "--exclude", "/./"], "every test of the 2 files found matches --exclude \"/./\";"),
        (&["test", "-t", "w", "--exclude", "s"], "matches -t \"w\" and not --exclude \"s\";"),
    ] {
        let output = blinkblox(folder.path(), arguments);
        assert_eq!(code(&output), 4, "{arguments:?}");
        assert!(err(&output).contains(why), "{arguments:?}: {}", err(&output));
        assert!(out(&output).starts_with("0 passed, 0 failed\n"), "{arguments:?}: {}", out(&output));
        let listed = blinkblox(folder.path(), &[arguments, &["--list"]].concat());
        assert_eq!((code(&listed), out(&listed).as_str()), (4, ""), "{arguments:?}");
        assert!(err(&listed).contains(why), "{arguments:?}: {}", err(&listed));
    }
    let output = blinkblox(folder.path(), &["test", "-t", "swings"]);
    assert!(
        out(&output).contains("a.spec.luau\n") && !out(&output).contains("b.spec.luau"),
        "{}",
        out(&output)
    );
}

#[test]
fn loops_and_waits_without_end_are_stopped() {
    let folder = spec("it('spins', function() while true do end end)\nit('goes on', function() end)");
    let output = blinkblox(folder.path(), &["test", "--wall-timeout", "0.5"]);
    assert_eq!(code(&output), 1);
    let text = out(&output);
    assert!(text.contains("more than 0.5 real seconds") && text.contains("✓ goes on"), "{text}");

    let folder = spec("it('waits', function() test.world() task.wait(1e9) end)");
    let output = blinkblox(folder.path(), &["test", "--timeout", "5"]);
    assert!(out(&output).contains("still waits after 5 virtual seconds"), "{}", out(&output));

    let folder =
        spec("it('runs away over there', function() test.world().server:eval('while true do end') end)");
    let output = blinkblox(folder.path(), &["test", "--wall-timeout", "0.5"]);
    assert_eq!(code(&output), 1, "{}", out(&output));
}

#[test]
fn filters_lists_and_both_signal_modes() {
    let folder = spec("describe('a', function() it('one', function() end) it('two', function() end) end)");
    let list = out(&blinkblox(folder.path(), &["test", "--list"]));
    assert_eq!(list.lines().count(), 2, "{list}");
    assert!(list.contains("a.spec.luau › a › one"), "{list}");
    let one = out(&blinkblox(folder.path(), &["test", "-t", "/a › o/", "--signals", "both"]));
    assert!(
        one.contains("one [immediate]") && one.contains("one [deferred]") && !one.contains("two"),
        "{one}"
    );
}

#[test]
fn junit_goes_to_a_file_beside_the_tree() {
    let folder = spec("it('fails & tells', function() error('<no>', 0) end)");
    let output =
        blinkblox(folder.path(), &["test", "--reporter", "pretty", "--reporter", "junit=report.xml"]);
    assert_eq!(code(&output), 1);
    let xml = fs::read_to_string(folder.path().join("report.xml")).unwrap();
    assert!(xml.contains("<testsuite name=\"a.spec.luau\""), "{xml}");
    assert!(xml.contains("fails &amp; tells") && xml.contains("&lt;no&gt;"), "{xml}");
}

#[test]
fn the_same_spec_run_twice_writes_the_same_trace() {
    let folder = tempfile::tempdir().unwrap();
    let project = example();
    let project = project.to_str().unwrap();
    let trace = |name: &str, seed: &str| {
        let output =
            blinkblox(folder.path(), &["test", project, "-t", "honest", "--seed", seed, "--trace", name]);
        assert_eq!(code(&output), 0, "{}", out(&output));
        fs::read(folder.path().join(name)).unwrap()
    };
    let first = trace("a.jsonl", "5");
    assert!(first.len() > 10_000);
    assert!(first == trace("b.jsonl", "5"), "two runs with one seed differ");
    assert!(first != trace("c.jsonl", "6"), "the seed has no effect");
}

#[test]
fn run_plays_a_game_and_sums_the_network_up() {
    let folder = tempfile::tempdir().unwrap();
    let project = example();
    let arguments = [
        "run",
        project.to_str().unwrap(),
        "--clients",
        "3",
        "--net",
        "wifi",
        "--for",
        "2",
        "--fail-on-error",
    ];
    let output = blinkblox(folder.path(), &arguments);
    assert_eq!(code(&output), 0, "{}", err(&output));
    let text = out(&output);
    assert!(text.contains("2.0 s played, 3 clients"), "{text}");
    assert!(text.contains("BLINK_UNRELIABLE_REMOTE: 20 calls"), "{text}");
}

#[test]
fn the_prompt_takes_a_script_from_standard_input() {
    let script = "1 + 1\n.step 60\n#game.Players:GetPlayers()\nlocal function f()\n  return 7\nend print(f())\n\
                  .client Player2\ngame.Players.LocalPlayer.Name\n.join Ada\n.sides\n.net Ada lan loss=0.5\n.packets 1\n\
                  { a = 1, b = { true } }\n.leave Ada\n.sides\n.quit\n";
    let output = blinkblox_reading(example(), &["repl", ".", "--clients", "2"], script);
    let text = out(&output);
    assert_eq!(code(&output), 0, "{text}{}", err(&output));
    for expected in [
        "2 : number",
        "[server] 7",
        "\"Player2\" : string",
        "Ada joined",
        "Ada up: 1 ms, jitter 0 ms, loss 50.0 %",
        "BLINK_UNRELIABLE_REMOTE",
        "{ a = 1, b = { true } }",
    ] {
        assert!(text.contains(expected), "{expected} is missing in\n{text}");
    }
}

#[test]
fn a_problem_at_the_prompt_ends_with_1_and_the_rest_still_runs() {
    let folder = tempfile::tempdir().unwrap();
    let output =
        blinkblox(folder.path(), &["repl", "--eval", "error('no', 0)", "--eval", ".nonsense", "--eval", "3"]);
    assert_eq!(code(&output), 1);
    assert!(
        err(&output).contains("no") && err(&output).contains("there is no command .nonsense"),
        "{}",
        err(&output)
    );
    assert!(out(&output).contains("3 : number"));
}

/// A project with a module on each side, and a spec a folder below it.
fn small_project() -> TempDir {
    let tree = r#"{ "name": "small", "tree": { "$className": "DataModel",
        "ServerScriptService": { "Farm": { "$path": "farm.luau" } },
        "StarterPlayer": { "StarterPlayerScripts": { "View": { "$path": "farm.luau" } } } } }"#;
    let spec = "it('opens the project above', function()\n\
                local world = test.world({ project = '..', clients = 1 })\n\
                expect(world.server:require('ServerScriptService.Farm').size):toBe(3)\nend)";
    project(&[
        ("default.project.json", tree),
        ("farm.luau", "return { size = 3 }"),
        ("specs/farm.spec.luau", spec),
    ])
}

#[test]
fn a_spec_reaches_the_working_directory_from_below() {
    let folder = small_project();
    for arguments in [&["test"][..], &["test", "specs"], &["test", "specs/farm.spec.luau"]] {
        let output = blinkblox(folder.path(), arguments);
        assert_eq!(code(&output), 0, "{arguments:?}: {}", out(&output));
        assert!(out(&output).contains("1 file, seed 0"), "{}", out(&output));
    }
}

#[test]
fn the_prompt_keeps_what_is_not_local_a_side_and_names_what_it_requires() {
    let folder = small_project();
    let input = [
        "x = 5",
        "x + 1",
        ".require ServerScriptService.Farm",
        "Farm.size",
        ".client",
        "x",
        ".step 60",
        ".require Players.LocalPlayer.PlayerScripts.View",
        "View.size + 1",
        ".tree Players.LocalPlayer.PlayerScripts",
    ];
    let mut arguments = vec!["repl"];
    arguments.extend(input.iter().flat_map(|line| ["--eval", line]));
    let output = blinkblox(folder.path(), &arguments);
    let text = out(&output);
    assert_eq!(code(&output), 0, "{text}{}", err(&output));
    let wanted = "6 : number\n{ size = 3 }\n3 : number\nnil\n{ size = 3 }\n4 : number\nPlayerScripts (PlayerScripts)\n";
    assert!(text.starts_with(wanted), "{text}");

    for (line, wanted) in [
        (".require ReplicatedStorage.Nowhere", "there is no ReplicatedStorage.Nowhere on this side"),
        (".packet", ".packet needs the number"),
        (".net nobody", "there is no client or network called nobody"),
    ] {
        let output = blinkblox(folder.path(), &["repl", "--eval", line]);
        assert_eq!(code(&output), 1, "{line}");
        assert!(err(&output).starts_with(wanted), "{line}: {}", err(&output));
    }
}

#[test]
fn a_schema_that_does_not_compile_says_where() {
    let folder = small_project();
    fs::write(folder.path().join("blinkblox.toml"), "[[schema]]\npath = 'game.blink'\n").unwrap();
    fs::write(folder.path().join("game.blink"), "-- Empty.\nevent\n").unwrap();
    let output = blinkblox(folder.path(), &["run"]);
    assert_eq!(code(&output), 3);
    assert!(err(&output).contains("game.blink:3:1: the file ends"), "{}", err(&output));
}

#[test]
fn a_side_nobody_is_on_is_refused() {
    let folder = small_project();
    let output = blinkblox(folder.path(), &["run", "--for", "0.1", "--only", "Nobody"]);
    assert_eq!(code(&output), 2);
    assert!(err(&output).contains("there is no side Nobody; there are server, Player1"), "{}", err(&output));
    let output = blinkblox(folder.path(), &["run", "--for", "0.1", "--only", "Player1"]);
    assert_eq!(code(&output), 0, "{}", err(&output));
    assert!(out(&output).contains("0.1 s played, 1 client\n"), "{}", out(&output));
}

#[test]
fn what_a_spec_prints_is_bounded() {
    let spec = "it('prints', function()\n\
        local long = string.rep('x', 2 ^ 20)\n\
        expect(function() for _ = 1, 4000 do print(long) end end):toThrow('not enough memory')\n\
        end)\n";
    let folder = project(&[("print.spec.luau", spec)]);
    let output = blinkblox(folder.path(), &["test", "--set", "hostMemoryLimit=24MiB"]);
    assert_eq!(code(&output), 0, "{:.2000}", out(&output));
}

#[test]
fn a_module_of_an_earlier_build_that_no_output_replaces_is_named() {
    let schema = "option ServerOutput = \"src/server/Net\"\noption ClientOutput = \"src/client/Net\"\nevent Hit { From: Client, Type: Reliable, Call: SingleSync, Rate: 5, Data: u8 }\n";
    let without = schema.lines().filter(|line| !line.starts_with("option")).collect::<Vec<_>>().join("\n");
    let folder = project(&[
        (
            "default.project.json",
            r#"{"name":"g","tree":{"$className":"DataModel","ServerScriptService":{"Game":{"$path":"src/server"}},
            "ReplicatedStorage":{"Game":{"$path":"src/client"}}}}"#,
        ),
        ("blinkblox.toml", "[[schema]]\npath = \"net.blink\"\n"),
        ("net.blink", schema),
        ("src/server/a.server.luau", "require(script.Parent.Net)"),
        ("src/client/b.luau", "return nil"),
        ("specs/a.spec.luau", "it('plays', function() test.world({ game = '..' }):step(3) end)"),
    ]);
    assert_eq!(code(&blinkblox(folder.path(), &["build"])), 0);
    for arguments in [&["run", "--for", "1"][..], &["test"], &["repl", "--eval", "1"]] {
        let output = blinkblox(folder.path(), arguments);
        assert_eq!((code(&output), err(&output).as_str()), (0, ""), "{arguments:?}");
    }

    fs::write(folder.path().join("net.blink"), &without).unwrap();
    let told = |side: &str, service: &str| {
        format!(
            "net.blink names no {side}Output: its {} module is {service}.Net, and {service}.Game.Net (",
            side.to_lowercase()
        )
    };
    for arguments in [&["run", "--for", "1"][..], &["test"], &["repl", "--eval", "1"]] {
        let output = blinkblox(folder.path(), arguments);
        let said = err(&output);
        assert_eq!((code(&output), said.matches("warning: ").count()), (0, 2), "{arguments:?}: {said}");
        for part in [
            told("Server", "ServerScriptService"),
            told("Client", "ReplicatedStorage"),
            "src/server/Net.luau) is played as an earlier build left it; name that file by `option ServerOutput`, or delete it".into(),
        ] {
            assert!(said.contains(&part), "{arguments:?}: {part}: {said}");
        }
    }
    let output = blinkblox(folder.path(), &["test", "--json"]);
    assert_eq!(err(&output), "");
    let document: serde_json::Value = serde_json::from_str(&out(&output)).unwrap();
    assert_eq!(document["files"][0]["warnings"].as_array().unwrap().len(), 2, "{document}");

    // Another schema's module, under a scope of its own, has nothing to do with it.
    fs::write(folder.path().join("net.blink"), format!("option RemoteScope = \"SHOP\"\n{without}")).unwrap();
    let output = blinkblox(folder.path(), &["run", "--for", "1"]);
    assert!(!err(&output).contains("warning"), "{}", err(&output));
}
