//! `convert` and `--from`: streams, files, exit codes and the document. What drafts hold is tested by the corpus under
//! `tests/convert`.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

use std::fs;

use tempfile::TempDir;

use crate::support::{blinkblox, blinkblox_reading, code, err, json, out, project};

const ZAP: &str = "event Arrived = { from: Client, type: Reliable, call: ManyAsync, data: string }\n";

fn read(folder: &TempDir, path: &str) -> String {
    fs::read_to_string(folder.path().join(path)).unwrap()
}

fn names(folder: &TempDir) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_draft_is_written_beside_its_definitions_and_builds() {
    let folder = project(&[("net/depot.zap", ZAP)]);
    let run = blinkblox(&folder, &["convert", "zap", "net/depot.zap"]);
    assert_eq!((code(&run), err(&run).as_str()), (0, ""));
    let list = out(&run);
    assert!(
        list.starts_with("The draft is net/depot.blink\n1 event that clients send has no Rate: Arrived\n"),
        "{list}"
    );
    assert!(list.contains("1 length that clients choose has no bound\n"), "{list}");
    let draft = read(&folder, "net/depot.blink");
    assert!(
        draft.starts_with("-- Drafted by `blinkblox convert` from definitions for zap 0.6.29.\n"),
        "{draft}"
    );
    assert_eq!(code(&blinkblox(&folder, &["check", "net/depot.blink"])), 0);
    assert_eq!(code(&blinkblox(&folder, &["fmt", "--check", "net/depot.blink"])), 0);
}

#[test]
fn a_draft_that_is_there_is_kept_unless_told_otherwise() {
    let folder = project(&[("depot.zap", ZAP), ("depot.blink", "type Mine = u8\n")]);
    let refused = blinkblox(&folder, &["depot.zap", "--from", "zap"]);
    assert_eq!((code(&refused), out(&refused).as_str()), (1, ""));
    assert!(
        err(&refused).starts_with("[E4009] Error: \"depot.blink\" is there already"),
        "{}",
        err(&refused)
    );
    assert_eq!(read(&folder, "depot.blink"), "type Mine = u8\n");
    let elsewhere = blinkblox(&folder, &["convert", "zap", "depot.zap", "--output", "new/other.blink", "-q"]);
    assert_eq!((code(&elsewhere), out(&elsewhere).as_str(), err(&elsewhere).as_str()), (0, "", ""));
    let replaced = blinkblox(&folder, &["depot.zap", "--from=zap", "-y"]);
    assert_eq!(code(&replaced), 0, "{}", err(&replaced));
    assert_eq!(read(&folder, "depot.blink"), read(&folder, "new/other.blink"));
}

#[test]
fn check_prints_the_draft_and_writes_nothing() {
    let folder = project(&[("depot.zap", ZAP), ("depot.blink", "")]);
    let run = blinkblox(&folder, &["--check", "--from", "zap", "depot.zap"]);
    assert_eq!(code(&run), 0);
    assert!(out(&run).starts_with("-- Drafted by") && out(&run).contains("event Arrived {"), "{}", out(&run));
    assert!(err(&run).starts_with("1 event that clients send has no Rate"), "{}", err(&run));
    assert_eq!(read(&folder, "depot.blink"), "");
    assert_eq!(names(&folder), ["depot.blink", "depot.zap"]);
}

#[test]
fn the_document_holds_the_draft_and_what_is_left_to_decide() {
    let folder = project(&[("depot.zap", ZAP), ("bad.zap", "type = u8\n")]);
    let document = json(&blinkblox(&folder, &["convert", "zap", "depot.zap", "--json", "--check"]));
    let convert = &document["convert"];
    assert_eq!(
        (&document["success"], &convert["tool"], &convert["written"]),
        (&true.into(), &"zap".into(), &false.into())
    );
    assert!(convert["draft"].as_str().unwrap().contains("event Arrived {"));
    let kinds: Vec<&str> = (0..3).map(|at| convert["todos"][at]["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["rate", "bound", "outputs"]);
    assert_eq!(convert["todos"][0]["name"], "Arrived");
    assert_eq!(convert["todos"][0]["line"], 1);
    let refused = json(&blinkblox(&folder, &["bad.zap", "--from", "zap", "--json"]));
    assert_eq!(refused["success"], false);
    assert_eq!(refused["diagnostics"][0]["code"], "E4008");
    assert_eq!(refused["diagnostics"][0]["range"]["start"]["line"], 1);
    assert_eq!(names(&folder), ["bad.zap", "depot.zap"]);
}

#[test]
fn wrong_arguments_are_told() {
    let folder = project(&[("depot.zap", ZAP), ("a.bytes", "\u{0}")]);
    let said = |arguments: &[&str]| {
        let output = blinkblox(&folder, arguments);
        assert_eq!((code(&output), out(&output).as_str()), (1, ""), "{arguments:?}");
        err(&output).lines().next().unwrap().to_string()
    };
    assert!(said(&["convert", "zip", "depot.zap"]).contains("[E4007] Error: "));
    assert!(said(&["depot.zap", "--from", "zip"]).contains("[E4007] Error: "));
    assert!(said(&["depot.zap", "--from", "zap", "--watch"]).contains("[E4007] Error: "));
    assert!(said(&["depot.zap", "--from", "zap", "--verify"]).contains("[E4007] Error: "));
    assert!(said(&["depot.zap", "--from", "zap", "--sizes"]).contains("[E4007] Error: "));
    assert!(said(&["depot.blink", "--output", "x.blink"]).contains("--output says where a draft goes"));
    assert!(said(&["convert", "blink", "depot.zap", "--bridge", "x.luau"]).contains("[E4007] Error: "));
    assert!(said(&["convert", "zap", "none.zap"]).contains("[E4008] Error: \"none.zap\" cannot be read"));
    assert!(said(&["convert", "zap", "."]).contains("[E4008] Error: "));
    assert!(said(&["convert", "remotes", "none"]).contains("[E4008] Error: "));
    assert!(said(&["convert", "zap", "a.bytes"]).contains("[E4008] Error: "));
    assert!(said(&["convert", "packet", "a.bytes"]).contains("[E4008] Error: "));
    assert_eq!(names(&folder), ["a.bytes", "depot.zap"]);
}

#[test]
fn a_schema_of_blink_gets_a_copy_beside_it() {
    let folder =
        project(&[("net.blink", "event Hurt { From: Client, Type: Reliable, Call: ManyAsync, Data: u8 }\n")]);
    let run = blinkblox(&folder, &["convert", "blink", "net.blink"]);
    assert_eq!(code(&run), 0, "{}", err(&run));
    assert!(out(&run).starts_with("The draft is net.draft.blink\n"), "{}", out(&run));
    assert!(read(&folder, "net.draft.blink").contains("TODO(convert): Rate and Burst"));
}

#[test]
fn a_game_of_plain_remotes_is_read_from_its_project() {
    let folder = project(&[
        (
            "default.project.json",
            r#"{ "name": "game", "tree": { "$className": "DataModel",
                "ReplicatedStorage": { "Chat": { "$className": "RemoteEvent" } },
                "ServerScriptService": { "Main": { "$path": "src" } } } }"#,
        ),
        (
            "src/init.server.luau",
            "game.ReplicatedStorage.Chat.OnServerEvent:Connect(function(player: Player, text: string)\nend)\n",
        ),
    ]);
    let run =
        blinkblox(&folder, &["convert", "remotes", "default.project.json", "--output", "net/game.blink"]);
    assert_eq!((code(&run), err(&run).as_str()), (0, ""));
    let draft = read(&folder, "net/game.blink");
    assert!(draft.contains("Data: (text: string)"), "{draft}");
    assert_eq!(code(&blinkblox(&folder, &["check", "net/game.blink"])), 0);
}

#[test]
fn the_working_directory_is_a_folder_of_remotes_too() {
    let script = "game.ReplicatedStorage.Hit.OnServerEvent:Connect(function(player, amount: number) end)\n";
    for folder_given in [".", "./"] {
        let folder = project(&[("src/a.server.luau", script)]);
        let run = blinkblox(&folder, &["convert", "remotes", folder_given]);
        assert_eq!(code(&run), 0, "{folder_given}: {}", err(&run));
        assert!(read(&folder, "remotes.blink").contains("event Hit"), "{}", out(&run));
    }
}

#[test]
fn the_bridge_of_zap_follows_its_casing() {
    for (casing, on, fire_set, call) in [
        ("PascalCase", "SetCallback", "FireSet", "Call"),
        ("camelCase", "setCallback", "fireSet", "call"),
        ("snake_case", "set_callback", "fire_set", "call"),
    ] {
        let zap = format!(
            "opt casing = \"{casing}\"\n\
             event Said = {{ from: Server, type: Reliable, call: ManyAsync, data: u8 }}\n\
             funct Buy = {{ call: Async, args: u8, rets: u32 }}\n"
        );
        let spec = format!(
            "local NET = 'local Z = require(game.ReplicatedStorage.Bridge)(require(game.%s.Net)) '\n\
             it('plays', function()\n\
               local bridge = {{ ['ReplicatedStorage.Bridge'] = './bridge.luau' }}\n\
               local w = test.world({{ schema = 'depot.blink', clients = 1, files = bridge }})\n\
               w:advance(1)\n\
               local client = w:clients()[1]\n\
               w.server:eval(NET:format('ServerScriptService') .. [[\n\
                 Z.Buy.{on}(function(player, count)\n\
                   Z.Said.{fire_set}({{ [player] = true }}, count)\n\
                   return count * 2\n\
                 end)]])\n\
               local bought = client:eval(NET:format('ReplicatedStorage') .. [[\n\
                 Z.Said.{on}(function(count) _G.said = count end)\n\
                 return Z.Buy.{call}(21)]])\n\
               w:advance(1)\n\
               expect(bought):toBe(42)\n\
               expect(client:eval('return _G.said')):toBe(21)\n\
             end)\n"
        );
        let folder = project(&[("depot.zap", &zap), ("a.spec.luau", &spec)]);
        let run = blinkblox(&folder, &["convert", "zap", "depot.zap", "--bridge", "bridge.luau"]);
        assert_eq!(code(&run), 0, "{casing}: {}", err(&run));
        let played = blinkblox(&folder, &["test", "a.spec.luau"]);
        assert_eq!(code(&played), 0, "{casing}: {}{}", out(&played), err(&played));
    }
}

#[test]
fn definitions_draft_and_wrapper_never_replace_one_another() {
    let text = "event Hurt = { from: Server, type: Reliable, call: SingleAsync, data: u8 }\n";
    let folder = project(&[("net.zap", text)]);
    for paths in [
        &["--output", "net.zap"][..],
        &["--output", "x/../net.zap"],
        &["--bridge", "net.zap"],
        &["--output", "a.blink", "--bridge", "./a.blink"],
    ] {
        let run = blinkblox(&folder, &[&["convert", "zap", "net.zap", "--yes"], paths].concat());
        assert_eq!(code(&run), 1, "{paths:?}");
        assert!(err(&run).contains("[E4007] Error: "), "{}", err(&run));
        assert_eq!(
            (names(&folder), read(&folder, "net.zap")),
            (vec!["net.zap".to_string()], text.to_string())
        );
    }
}

#[test]
fn what_are_no_definitions_is_named() {
    let folder = project(&[("net/a.zap", "")]);
    let said = |arguments: &[&str]| {
        let output = blinkblox(&folder, arguments);
        assert_eq!(code(&output), 1, "{arguments:?}");
        err(&output)
    };
    for tool in ["zap", "bytenet", "blink"] {
        let told = said(&["convert", tool, "net"]);
        assert!(told.contains("[E4008]") && told.contains("\"net\" is a folder"), "{told}");
    }
    assert!(said(&["convert", "zap", "gone.zap"]).contains("there is no such file"));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("loop.zap", folder.path().join("loop.zap")).unwrap();
        std::os::unix::fs::symlink("nowhere", folder.path().join("dangling")).unwrap();
        for (tool, path) in [("zap", "loop.zap"), ("remotes", "loop.zap"), ("packet", "dangling")] {
            let told = said(&["convert", tool, path]);
            assert!(told.contains("cannot be read") && told.contains("It is a link"), "{told}");
        }
        assert!(said(&["convert", "zap", "/dev/null"]).contains("is no regular file"));
    }
}

#[test]
fn the_draft_goes_where_a_short_flag_says() {
    let folder = project(&[("a.zap", "event A = { from: Server, type: Reliable, call: SingleSync }\n")]);
    let output = blinkblox(&folder, &["convert", "zap", "a.zap", "-o", "drafts/b.blink"]);
    assert_eq!(code(&output), 0, "{}", err(&output));
    assert!(folder.path().join("drafts/b.blink").is_file());
    let twice = blinkblox(&folder, &["convert", "zap", "a.zap", "-o", "b.blink", "--output", "c.blink"]);
    assert!(err(&twice).contains("--output is given as `b.blink` and as `c.blink`"), "{}", err(&twice));
}

#[test]
fn a_dash_is_standard_input_and_standard_output() {
    let folder = project(&[("depot.zap", ZAP), ("net/.keep", "")]);
    let file = blinkblox(&folder, &["convert", "zap", "depot.zap", "--check"]);
    let draft = out(&file);
    // To standard output, with the list beside it, and nothing written.
    for arguments in
        [&["convert", "zap", "depot.zap", "-o", "-"][..], &["depot.zap", "--from", "zap", "--output=-"]]
    {
        let run = blinkblox(&folder, arguments);
        assert_eq!(
            (code(&run), out(&run).as_str(), err(&run)),
            (0, draft.as_str(), err(&file)),
            "{arguments:?}"
        );
    }
    // From standard input; without a path for the draft it goes to standard output.
    for arguments in [
        &["convert", "zap", "-"][..],
        &["convert", "zap", "-", "-o", "-"],
        &["convert", "zap", "-", "--check"],
        &["-", "--from", "zap"],
        &["convert", "zap", "-", "--stdin-path", "depot.zap"],
    ] {
        let run = blinkblox_reading(&folder, arguments, ZAP);
        assert_eq!((code(&run), out(&run).as_str()), (0, draft.as_str()), "{arguments:?}: {}", err(&run));
    }
    assert_eq!(names(&folder), ["depot.zap", "net"]);
    let run = blinkblox_reading(&folder, &["convert", "zap", "-", "-o", "net/depot.blink"], ZAP);
    assert!(out(&run).starts_with("The draft is net/depot.blink\n"), "{}", out(&run));
    assert_eq!(read(&folder, "net/depot.blink"), draft);
    let document = json(&blinkblox_reading(&folder, &["convert", "zap", "-", "--json"], ZAP));
    let convert = &document["convert"];
    assert_eq!((&convert["draft"], &convert["path"]), (&draft.as_str().into(), &serde_json::Value::Null));
    assert_eq!(convert["written"], false);
    // Faults name it.
    for (arguments, file) in [
        (&["convert", "zap", "-"][..], "stdin.zap"),
        (&["convert", "zap", "-", "--stdin-path", "net/x.zap"], "net/x.zap"),
    ] {
        let run = blinkblox_reading(&folder, arguments, "type = u8\n");
        assert_eq!((code(&run), out(&run).as_str()), (1, ""), "{arguments:?}");
        assert!(err(&run).contains(&format!("[{file}:1:")), "{}", err(&run));
    }
    // Luau that is run finds what it requires beside where it is said to stand.
    let packets = "local ByteNet = require(\"./ByteNet\")\nlocal kinds = require(\"./kinds\")\nreturn \
        ByteNet.defineNamespace(\"Yard\", function() return { Move = ByteNet.definePacket({ value = kinds.Count(ByteNet) }) } end)\n";
    std::fs::write(
        folder.path().join("net/kinds.luau"),
        "return { Count = function(b) return b.uint8 end }\n",
    )
    .unwrap();
    let run =
        blinkblox_reading(&folder, &["convert", "bytenet", "-", "--stdin-path", "net/packets.luau"], packets);
    assert!(code(&run) == 0 && out(&run).contains("u8"), "{}{}", out(&run), err(&run));
    // What cannot be: a game is more than a text, and a wrapper is no draft.
    for (arguments, words) in [
        (&["convert", "remotes", "-"][..], "not from standard input"),
        (&["convert", "zap", "depot.zap", "--bridge", "-"], "--bridge cannot be `-`"),
    ] {
        let run = blinkblox_reading(&folder, arguments, "");
        assert!(code(&run) == 1 && err(&run).contains(words), "{arguments:?}: {}", err(&run));
    }
    assert_eq!(names(&folder), ["depot.zap", "net"]);
}

#[test]
fn mistakes_of_paths_and_words_are_told_as_people_say_them() {
    let folder = project(&[("depot.zap", ZAP), ("text", "")]);
    let before = names(&folder);
    for (path, words) in [
        ("depot.zap/x", "\"depot.zap\" could not be written: depot.zap is a file, and no folder"),
        ("text/a/b/x.blink", "\"text/a/b\" could not be written: text is a file, and no folder"),
    ] {
        let run = blinkblox(&folder, &["convert", "zap", "depot.zap", "-o", path]);
        let said = err(&run);
        assert_eq!((code(&run), out(&run).as_str()), (1, ""), "{path}");
        assert!(said.contains("[E4006]") && said.contains(words), "{path}: {said}");
        assert!(!said.contains("entity") && !said.contains("os error"), "{path}: {said}");
    }
    let run = blinkblox(&folder, &["convert", "--from", "zap", "depot.zap"]);
    assert_eq!(code(&run), 1);
    assert!(err(&run).contains("Write `blinkblox convert zap FILE`"), "{}", err(&run));
    assert_eq!(names(&folder), before);
}

#[test]
fn zap_types_that_grow_without_end_are_refused() {
    let lines = |ty: fn(usize) -> String| {
        let types: String = (1..40).map(|at| format!("type T{at} = {}\n", ty(at - 1))).collect();
        format!(
            "type T0 = u8[]\n{types}event E = {{ from: Client, type: Reliable, call: ManyAsync, data: T39 }}\n"
        )
    };
    let folder = project(&[
        ("twice.zap", &lines(|below| format!("struct {{ a: T{below}, b: T{below} }}[]"))),
        ("fields.zap", &lines(|below| format!("struct {{ a: T{below}[], b: T{below}[] }}"))),
    ]);
    for file in ["twice.zap", "fields.zap"] {
        let output = blinkblox(&folder, &["convert", "zap", file, "--check"]);
        assert!(code(&output) == 1 && err(&output).contains("[E4008]"), "{file}: {}", err(&output));
    }
}
