//! `blinkblox build`, `check` and the form without a command, run as a person or a program runs them.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{blinkblox, err, json, out, project};

/// Paths of every file below a folder, sorted.
fn tree(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut left = vec![folder.to_path_buf()];
    while let Some(next) = left.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                left.push(path.clone());
            }
            found.push(path.strip_prefix(folder).unwrap().to_string_lossy().replace('\\', "/"));
        }
    }
    found.sort();
    found
}

const SOUND: &str = "\
option ServerOutput = \"../out/Server\"
option ClientOutput = \"../out/Client.lua\"

event Ready { From: Client, Type: Reliable, Call: SingleSync, Rate: 1, Data: u8 }
";

const FIVE_FAULTS: &str = "\
option ServerOutput = \"../out/Server\"
option ClientOutput = \"../out/Client\"

struct Crate {
    Weight: f32(50..0),
    Owner: string(1..20)
}
event Moved { From: Server, Type: Reliable, Call: Sometimes, Data: Crate }
event Stacked { From: Server, Type: Reliable, Call: ManySync, Data: Crte[..8] }
enum Bay = { North, South, North }
event Heads {
    From: Client,
    Type: OrderedUnreliable,
    Call: SingleSync,
    Stream: { Rate: 10 },
    Data: f64
}
";

#[test]
fn a_build_writes_what_has_changed_and_nothing_else() {
    let folder = project(&[("schemas/game.blink", SOUND)]);
    let first = blinkblox(&folder, &["schemas/game"]);
    assert!(first.status.success(), "{}", err(&first));
    assert_eq!(
        out(&first),
        "BlinkBlox 0.1.0\nReading schemas/game.blink\nGenerating\nWrote 2 files; 0 files already current\n"
    );
    assert_eq!(
        tree(folder.path()),
        ["out", "out/Client.luau", "out/Server.luau", "schemas", "schemas/game.blink"]
    );
    let modified = |path: &str| fs::metadata(folder.path().join(path)).unwrap().modified().unwrap();
    let before = modified("out/Server.luau");
    fs::write(folder.path().join("out/Client.luau"), "stale").unwrap();
    let second = blinkblox(&folder, &["build", "schemas/game.blink"]);
    assert!(out(&second).ends_with("Wrote 1 file; 1 file already current\n"), "{}", out(&second));
    assert_eq!(modified("out/Server.luau"), before);
    let quiet = blinkblox(&folder, &["-q", "schemas/game.blink"]);
    assert_eq!((out(&quiet), err(&quiet)), (String::new(), String::new()));
}

#[test]
fn five_faults_are_five_diagnostics_and_no_file_is_touched() {
    let folder = project(&[("schemas/game.blink", FIVE_FAULTS), ("out/Server.luau", "before")]);
    for arguments in [&["schemas/game", "--json"][..], &["check", "schemas/game", "--json"]] {
        let output = blinkblox(&folder, arguments);
        assert_eq!(output.status.code(), Some(1));
        let document = json(&output);
        assert_eq!(document["success"], false);
        assert_eq!(document["signature"], Value::Null);
        assert_eq!(document["outputs"], serde_json::json!([]));
        let found: Vec<(String, u64, u64, u64, u64)> = document["diagnostics"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| {
                let at = |end: &str, key: &str| one["range"][end][key].as_u64().unwrap();
                assert_eq!(one["file"], "schemas/game.blink");
                let code = one["code"].as_str().unwrap().to_string();
                (code, at("start", "line"), at("start", "column"), at("end", "line"), at("end", "column"))
            })
            .collect();
        let expected = [
            ("E3009", 5, 16, 5, 23),
            ("E2003", 8, 51, 8, 60),
            ("E3007", 9, 69, 9, 73),
            ("E3004", 10, 28, 10, 33),
            ("E3033", 12, 11, 12, 17),
        ];
        assert_eq!(found, expected.map(|(code, a, b, c, d)| (code.to_string(), a, b, c, d)));
    }
    let human = blinkblox(&folder, &["schemas/game"]);
    assert_eq!(human.status.code(), Some(1));
    assert!(err(&human).ends_with("5 errors\n"), "{}", err(&human));
    assert!(!err(&human).contains('\u{1b}'));
    assert_eq!(tree(folder.path()), ["out", "out/Server.luau", "schemas", "schemas/game.blink"]);
    assert_eq!(fs::read_to_string(folder.path().join("out/Server.luau")).unwrap(), "before");
}

#[test]
fn the_example_of_the_specification_is_reported_as_written_there() {
    let text = "option ServerOutput = \"../out/Server\"\noption ClientOutput = \"../out/Client\"\n\n-- What a forklift carries.\nstruct Crate {\n    Weight: f32(0..50),\n    Owner: string(1..20),\n    Weight: u8\n}\n\nevent CrateMoved {\n    From: Server,\n    Type: Reliable,\n    Call: ManySync,\n    Data: Crate\n}\n";
    let folder = project(&[("schemas/warehouse.blink", text)]);
    let document = json(&blinkblox(&folder, &["schemas/warehouse", "--check", "--json"]));
    let expected = serde_json::json!({
        "version": 1, "success": false,
        "diagnostics": [{
            "severity": "error", "code": "E3004", "name": "AnalyzeDuplicateMember",
            "message": "struct \"Crate\" names the field \"Weight\" twice",
            "file": "schemas/warehouse.blink",
            "range": { "start": { "line": 8, "column": 5, "offset": 174 }, "end": { "line": 8, "column": 11, "offset": 180 } },
            "labels": [
                { "primary": true, "message": "named again here", "file": "schemas/warehouse.blink",
                  "range": { "start": { "line": 8, "column": 5, "offset": 174 }, "end": { "line": 8, "column": 11, "offset": 180 } } },
                { "primary": false, "message": "first named here", "file": "schemas/warehouse.blink",
                  "range": { "start": { "line": 6, "column": 5, "offset": 124 }, "end": { "line": 6, "column": 11, "offset": 130 } } }
            ],
            "notes": ["Rename one of the two, or delete it."],
            "fixes": []
        }],
        "outputs": [], "compiler": "0.1.0", "profile": "release", "signature": null
    });
    assert_eq!(document, expected);
    let compact = blinkblox(&folder, &["schemas/warehouse.blink", "-qc"]);
    assert_eq!(
        err(&compact),
        "[E3004] [L008:L008] [schemas/warehouse.blink] Error: struct \"Crate\" names the field \"Weight\" twice\n"
    );
}

#[test]
fn check_writes_nothing_and_says_the_same() {
    let folder = project(&[("game.blink", &SOUND.replace("../", ""))]);
    let output = blinkblox(&folder, &["check", "game"]);
    assert!(output.status.success());
    assert!(out(&output).ends_with("The schema is valid; nothing was written\n"));
    assert_eq!(tree(folder.path()), ["game.blink"]);
    let document = json(&blinkblox(&folder, &["game.blink", "--json"]));
    assert_eq!(document["outputs"], serde_json::json!(["out/Server.luau", "out/Client.luau"]));
    assert_eq!(document["signature"].as_str().unwrap().len(), 16);
}

#[test]
fn outputs_are_needed_and_must_differ() {
    let folder = project(&[
        ("a.blink", "type A = u8\n"),
        ("b.blink", "option ServerOutput = \"x\"\noption ClientOutput = \"x.lua\"\n"),
    ]);
    let missing = blinkblox(&folder, &["a", "--check", "--compact"]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(err(&missing).contains("sets no ServerOutput") && err(&missing).contains("sets no ClientOutput"));
    let same = json(&blinkblox(&folder, &["b", "--json"]));
    assert_eq!(same["diagnostics"][0]["code"], "E4002");
    assert_eq!(same["diagnostics"][0]["range"]["start"]["line"], 2);
    assert_eq!(tree(folder.path()), ["a.blink", "b.blink"]);
}

#[test]
fn profiles_and_warnings_decide_what_is_written() {
    let text = format!(
        "{}@profile(\"test\") event Debug {{ From: Server, Type: Unreliable, Call: ManySync, Data: string }}\n",
        SOUND.replace("../", "")
    );
    let folder = project(&[("game.blink", &text)]);
    let release = json(&blinkblox(&folder, &["game", "--json"]));
    let test = json(&blinkblox(&folder, &["game", "--json", "--profile=test"]));
    assert_eq!((&release["profile"], &test["profile"]), (&"release".into(), &"test".into()));
    assert_ne!(release["signature"], test["signature"]);
    assert_eq!(test["success"], true);
    assert_eq!(test["diagnostics"][0]["code"], "W3019");
    fs::remove_dir_all(folder.path().join("out")).unwrap();
    let denied = blinkblox(&folder, &["game", "-p", "test", "--deny-warnings"]);
    assert_eq!(denied.status.code(), Some(1));
    assert_eq!(tree(folder.path()), ["game.blink"]);
}

#[test]
fn a_file_that_cannot_be_written_leaves_the_others_alone() {
    let folder = project(&[("game.blink", &SOUND.replace("../", "")), ("out/Server.luau", "before")]);
    fs::create_dir_all(folder.path().join("out/Client.luau")).unwrap();
    let document = json(&blinkblox(&folder, &["game", "--json"]));
    assert_eq!((&document["success"], &document["outputs"]), (&false.into(), &serde_json::json!([])));
    assert_eq!(document["diagnostics"][0]["code"], "E4006");
    assert_eq!(document["diagnostics"][0]["file"], "out/Client.luau");
    assert_eq!(tree(folder.path()), ["game.blink", "out", "out/Client.luau", "out/Server.luau"]);
    assert_eq!(fs::read_to_string(folder.path().join("out/Server.luau")).unwrap(), "before");
}

#[test]
fn a_schema_that_is_not_there_is_named_with_what_was_tried() {
    let folder = project(&[("game.blink", SOUND)]);
    let output = blinkblox(&folder, &["gmae", "-q"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(
        err(&output),
        "[E4004] Error: there is no schema \"gmae\"\n    = note: Tried gmae, gmae.txt, gmae.blink.\n    = note: The folder holds \"game.blink\".\n"
    );
}

#[test]
fn text_that_is_not_utf_8_and_marks_at_its_start() {
    let folder =
        project(&[("good.blink", &format!("\u{feff}{}", SOUND.replace("../", "").replace('\n', "\r\n")))]);
    fs::write(folder.path().join("bad.blink"), b"type A = \xff").unwrap();
    assert!(blinkblox(&folder, &["good", "--check"]).status.success());
    let bad = json(&blinkblox(&folder, &["bad", "--check", "--json"]));
    assert_eq!(bad["diagnostics"][0]["code"], "E4005");
    assert_eq!(bad["diagnostics"][0]["file"], "bad.blink");
}

#[test]
fn arguments_are_read_as_the_specification_says() {
    let folder = project(&[("game.blink", &SOUND.replace("../", ""))]);
    let fails = |arguments: &[&str], words: &str| {
        let output = blinkblox(&folder, arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(
            err(&output).contains("[E4007]") && err(&output).contains(words),
            "{arguments:?}: {}",
            err(&output)
        );
        let with_json: Vec<&str> = arguments.iter().copied().chain(["--json"]).collect();
        if !arguments.contains(&"--") && !arguments.ends_with(&["--profile"]) {
            assert_eq!(
                json(&blinkblox(&folder, &with_json))["diagnostics"][0]["code"],
                "E4007",
                "{arguments:?}"
            );
        }
    };
    fails(&["game", "--chekc"], "`--check`");
    fails(&["game", "--CHECK"], "--CHECK");
    fails(&["game", "other"], "`other`");
    fails(&["game", "--profile"], "value");
    fails(&["game", "--profile", "prod"], "dev, debug, test, release");
    fails(&["game", "-p", "dev", "-p", "test"], "`dev` and as `test`");
    fails(&["--check"], "no schema");
    fails(&["build"], "no schema");
    for arguments in [
        &["game", "--check", "--check", "-p", "dev", "-p", "dev"][..],
        &["-qyc", "game", "--check"],
        &["--check", "--", "game"],
        &["--profile=dev", "game", "--check"],
    ] {
        let output = blinkblox(&folder, arguments);
        assert!(output.status.success(), "{arguments:?}: {}", err(&output));
    }
    assert_eq!(tree(folder.path()), ["game.blink"]);
}

#[test]
fn help_and_version_win() {
    let folder = project(&[]);
    for arguments in [&["--version"][..], &["-v"], &["--bogus", "--version"]] {
        let output = blinkblox(&folder, arguments);
        assert!(output.status.success());
        assert_eq!(out(&output), "BlinkBlox 0.1.0\n");
    }
    for arguments in [&[][..], &["--help"], &["-h"], &["--bogus", "-h", "--version"], &["-qh"]] {
        let output = blinkblox(&folder, arguments);
        assert!(output.status.success(), "{arguments:?}");
        let text = out(&output);
        for word in
            ["blinkblox SCHEMA", "--check", "--json", "--quiet", "--compact", "--profile", "build", "check"]
        {
            assert!(text.contains(word), "{word} is not in\n{text}");
        }
    }
    let build = out(&blinkblox(&folder, &["build", "--help"]));
    assert!(build.contains("blinkblox build"), "{build}");
}

#[test]
fn declarations_are_written_after_the_modules() {
    let schema = "option Typescript = true\noption ServerOutput = \"init\"\noption ClientOutput = \"Client\"\n\
        option TypesOutput = \"Types\"\nstruct A { B: u8 }\n";
    let folder = project(&[("net.blink", schema)]);
    let document = json(&blinkblox(&folder, &["build", "net.blink", "--json"]));
    let files = ["init.luau", "Client.luau", "Types.luau", "index.d.ts", "Client.d.ts", "Types.d.ts"];
    assert_eq!(document["outputs"], serde_json::json!(files));
    assert!(files.iter().all(|file| folder.path().join(file).is_file()));
}
