//! Flags that judge warnings, move outputs and list them, run as a person or a program runs them.

use std::fs;

use crate::support::{blinkblox, code, err, json, out, project};

/// A schema with one warning, W3017.
const DEPRECATED: &str = "option ServerOutput = \"out/Server\"\noption ClientOutput = \"out/Client\"\n\
    option UseColon = true\nevent Ready { From: Server, Type: Reliable, Call: SingleSync, Data: u8 }\n";

#[test]
fn one_warning_is_denied_or_allowed() {
    let folder = project(&[("game.blink", DEPRECATED)]);
    let warned = blinkblox(&folder, &["check", "game"]);
    assert!(code(&warned) == 0 && err(&warned).contains("[W3017] Warning"), "{}", err(&warned));
    for arguments in [
        &["build", "game", "--deny", "W3017"][..],
        &["game", "--deny=3017"],
        &["build", "game", "--deny", "W4103", "--deny", "W3017"],
    ] {
        let denied = blinkblox(&folder, arguments);
        assert_eq!(code(&denied), 1, "{arguments:?}");
        assert!(err(&denied).contains("[E3017] Error"), "{}", err(&denied));
        assert!(!folder.path().join("out").exists());
    }
    let document = json(&blinkblox(&folder, &["check", "game", "--json", "--deny", "W3017"]));
    assert_eq!(
        (&document["success"], &document["diagnostics"][0]["severity"]),
        (&false.into(), &"error".into())
    );
    let watched = blinkblox(&folder, &["watch", "game", "--once", "--deny", "W3017"]);
    assert!(code(&watched) == 1 && err(&watched).contains("[E3017]"), "{}", err(&watched));
    let allowed = blinkblox(&folder, &["build", "game", "--allow", "W3017", "--deny-warnings"]);
    assert_eq!((code(&allowed), err(&allowed).as_str()), (0, ""));
    // An error stays one.
    fs::write(folder.path().join("broken.blink"), "struct A { X: u8, X: u8 }").unwrap();
    for (arguments, words) in [
        (["--allow", "E3004"], "E3004 is an error"),
        (["--deny", "E3004"], "E3004 is an error"),
        (["--deny", "W301"], "there is no `W301`"),
    ] {
        let refused = blinkblox(&folder, &["check", "broken", arguments[0], arguments[1]]);
        assert!(code(&refused) == 1 && err(&refused).contains(words), "{arguments:?}: {}", err(&refused));
        let refused = blinkblox(&folder, &["watch", "broken", arguments[0], arguments[1]]);
        assert!(code(&refused) == 1 && err(&refused).contains(words), "{arguments:?}: {}", err(&refused));
    }
    let both = blinkblox(&folder, &["check", "game", "--allow", "W3017", "--deny", "W3017"]);
    assert!(err(&both).contains("W3017 is given with --deny and with --allow"), "{}", err(&both));
}

/// What judges warnings does so wherever warnings are told.
#[test]
fn warnings_are_judged_alike_by_every_command_that_tells_them() {
    let other = DEPRECATED.replace("option UseColon = true\n", "");
    let folder = project(&[("game.blink", DEPRECATED), ("old.blink", &other)]);
    let runs: &[&[&str]] = &[
        &["build", "game"],
        &["check", "game"],
        &["verify", "game"],
        &["watch", "game", "--once"],
        &["size", "game"],
        &["diff", "old", "game"],
        &["diff", "game", "old"],
        &["game"],
        &["game", "--check"],
        &["game", "--verify"],
        &["game", "--list-outputs"],
        &["game", "--sizes"],
        &["game", "--diff", "old"],
        &["old", "--diff", "game"],
    ];
    for run in runs {
        let with = |flags: &[&str]| blinkblox(&folder, &[run, flags].concat());
        let denied = with(&["--deny", "W3017"]);
        assert_eq!(code(&denied), 1, "{run:?}");
        assert!(err(&denied).contains("[E3017] Error"), "{run:?}: {}", err(&denied));
        let denied = with(&["--deny-warnings"]);
        assert_eq!(code(&denied), 1, "{run:?}");
        assert!(err(&denied).contains("[W3017] Warning"), "{run:?}: {}", err(&denied));
        // Nothing is answered about a schema that is refused.
        assert!(
            !out(&denied).contains("Ready") && !out(&denied).contains("accept each other"),
            "{run:?}: {}",
            out(&denied)
        );
        let allowed = with(&["--allow", "W3017", "--deny-warnings"]);
        assert_eq!(err(&allowed), "", "{run:?}");
        let usual = with(&[]);
        assert!(err(&usual).contains("[W3017] Warning"), "{run:?}: {}", err(&usual));
        assert_eq!(code(&usual), code(&allowed), "{run:?}");
        let refused = with(&["--deny", "E3004"]);
        assert!(
            code(&refused) == 1 && err(&refused).contains("E3004 is an error"),
            "{run:?}: {}",
            err(&refused)
        );
        if !run.contains(&"watch") {
            let document = json(&with(&["--json", "--deny", "W3017"]));
            assert_eq!(
                (&document["success"], &document["diagnostics"][0]["code"]),
                (&false.into(), &"E3017".into()),
                "{run:?}"
            );
        }
        let _ = fs::remove_dir_all(folder.path().join("out"));
    }
    // Where no warning is told, a flag about warnings is a mistake.
    for (run, tool) in [
        (&["game", "--format"][..], "--format"),
        (&["game", "--explain", "E3004"], "--explain"),
        (&["game.zap", "--from", "zap"], "--from"),
    ] {
        for flag in [&["--deny-warnings"][..], &["--deny", "W3017"], &["--allow", "W3017"]] {
            let refused = blinkblox(&folder, &[run, flag].concat());
            let headline = format!("[E4007] Error: {} cannot be given with {tool}", flag[0]);
            assert!(
                code(&refused) == 1 && err(&refused).starts_with(&headline),
                "{run:?}: {}",
                err(&refused)
            );
        }
    }
}

#[test]
fn drawings_are_ascii_when_asked_for() {
    let long = format!("type A = Nowhere{}\n", " ".repeat(400));
    let folder = project(&[("game.blink", "struct A { X: u8, X: u8 }\n"), ("long.blink", &long)]);
    let lines = err(&blinkblox(&folder, &["check", "game"]));
    assert!(lines.contains('╭') && !lines.is_ascii());
    let drawn = err(&blinkblox(&folder, &["check", "game", "--ascii"]));
    assert!(drawn.is_ascii(), "{drawn}");
    assert_eq!(drawn.lines().count(), lines.lines().count());
    for part in [
        "    +-[game.blink:1:19]",
        "001 | struct A",
        "    |                   ^",
        "+-- named again here",
        "----+\n",
    ] {
        assert!(drawn.contains(part), "{part}: {drawn}");
    }
    assert!(err(&blinkblox(&folder, &["check", "long", "--ascii"])).is_ascii());
    // Coloured the same.
    let coloured = err(&blinkblox(&folder, &["check", "game", "--ascii", "--color", "always"]));
    assert!(coloured.is_ascii() && coloured.contains("\u{1b}[31m^"), "{coloured}");
}

#[test]
fn outputs_are_listed_without_being_written() {
    let typed = DEPRECATED.replace("option UseColon = true", "option Typescript = true");
    let folder = project(&[("net/game.blink", &typed), ("broken.blink", "type A =")]);
    let expected = "net/out/Server.luau\nnet/out/Client.luau\nnet/out/Server.d.ts\nnet/out/Client.d.ts\n";
    for arguments in [&["build", "net/game", "--list-outputs"][..], &["net/game", "--list-outputs"]] {
        let listed = blinkblox(&folder, arguments);
        assert_eq!((code(&listed), out(&listed).as_str(), err(&listed).as_str()), (0, expected, ""));
    }
    assert!(!folder.path().join("net/out").exists());
    let document = json(&blinkblox(&folder, &["build", "net/game", "--list-outputs", "--json"]));
    let paths: Vec<&str> = expected.lines().collect();
    assert_eq!(document["files"], serde_json::json!(paths));
    assert_eq!(document["outputs"], serde_json::json!([]));
    // Every form has the list: documents hold it, the others stand beside it.
    for (form, key) in [("json", "/files"), ("sarif", "/runs/0/properties/files")] {
        let listed = blinkblox(&folder, &["net/game", "--list-outputs", "--error-format", form]);
        assert_eq!(code(&listed), 0, "{form}");
        assert_eq!(json(&listed).pointer(key), Some(&serde_json::json!(paths)), "{form}");
    }
    for form in ["human", "compact", "github"] {
        let listed = blinkblox(&folder, &["net/game", "--list-outputs", "--error-format", form]);
        assert_eq!((code(&listed), out(&listed).as_str()), (0, expected), "{form}");
    }
    // A schema is listed once, however often and in whatever spelling it is named.
    let twice =
        blinkblox(&folder, &["build", "net/game", "net/game.blink", "./net/../net/game", "--list-outputs"]);
    assert_eq!((code(&twice), out(&twice).as_str(), err(&twice).as_str()), (0, expected, ""));
    let broken = blinkblox(&folder, &["build", "broken", "--list-outputs"]);
    assert_eq!((code(&broken), out(&broken).as_str()), (1, ""));
}

/// What excludes each other is named, that alone, with what to do.
#[test]
fn flags_that_exclude_each_other_are_two() {
    let folder = project(&[("game.blink", DEPRECATED)]);
    let rows: &[(&[&str], &str)] = &[
        (&["--list-outputs", "--sizes"], "--list-outputs cannot be given with --sizes"),
        (&["--sizes", "--list-outputs"], "--list-outputs cannot be given with --sizes"),
        (&["--list-outputs", "--check"], "--list-outputs cannot be given with --check"),
        (&["--verify", "--diff=old"], "--verify cannot be given with --diff"),
        (&["--sizes", "--format"], "--sizes cannot be given with --format"),
        (&["-w", "--verify"], "--watch cannot be given with --verify"),
        (&["--from", "zap", "--lsp"], "--from cannot be given with --lsp"),
        (&["--depfile", "x", "--explain", "E3004"], "--depfile cannot be given with --explain"),
    ];
    for (flags, headline) in rows {
        let refused = blinkblox(&folder, &[&["game"], *flags].concat());
        let said = err(&refused);
        assert_eq!(code(&refused), 1, "{flags:?}");
        let names: Vec<&str> = headline.split(" cannot be given with ").collect();
        let other_order = format!("{} cannot be given with {}", names[1], names[0]);
        assert!(said.contains(headline) || said.contains(&other_order), "{flags:?}: {said}");
        assert_eq!(said.matches("--").count(), 2, "{flags:?}: {said}");
        assert!(said.contains("note: Give one of the two."), "{flags:?}: {said}");
    }
}

#[test]
fn arguments_that_are_empty_name_nothing() {
    let folder = project(&[("game.blink", DEPRECATED), ("a.zap", "")]);
    for (arguments, flag) in [
        (&["build", "game", "--depfile", ""][..], "--depfile"),
        (&["game", "--server-output="], "--server-output"),
        (&["convert", "zap", "a.zap", "-o", ""], "--output"),
        (&["convert", "zap", "a.zap", "--bridge", ""], "--bridge"),
        (&["check", "-", "--stdin-path", ""], "--stdin-path"),
        (&["game", "--diff", ""], "--diff"),
        (&["check", ""], "an argument is empty"),
        (&[""], "an argument is empty"),
        (&["", "--check"], "an argument is empty"),
        (&["convert", "zap", ""], "an argument is empty"),
        (&["plugin", "build", "-o", ""], "--output"),
    ] {
        let refused = blinkblox(&folder, arguments);
        assert_eq!((code(&refused), out(&refused).as_str()), (1, ""), "{arguments:?}");
        let said = err(&refused);
        assert!(said.contains("[E4007]") && said.contains(flag), "{arguments:?}: {said}");
        assert!(said.contains("variable that holds nothing"), "{arguments:?}: {said}");
    }
    let names: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
}

#[test]
fn outputs_go_where_the_command_line_says() {
    let bare = "event Ready { From: Server, Type: Reliable, Call: SingleSync, Data: u8 }\n";
    let folder = project(&[
        ("net/bare.blink", bare),
        ("net/game.blink", &DEPRECATED.replace("option UseColon = true\n", "")),
    ]);
    let built = json(&blinkblox(
        &folder,
        &["build", "net/bare", "--server-output", "a/Server.lua", "--client-output=b/Client", "--json"],
    ));
    assert_eq!(built["outputs"], serde_json::json!(["a/Server.luau", "b/Client.luau"]), "{built}");
    let same = ["verify", "net/bare", "--server-output", "a/Server", "--client-output", "b/Client"];
    assert_eq!(code(&blinkblox(&folder, &same)), 0);
    // One of them alone, and the other as the schema says.
    let listed = blinkblox(&folder, &["net/game", "--list-outputs", "--server-output", "s/Net"]);
    assert_eq!(out(&listed), "s/Net.luau\nnet/out/Client.luau\n");
    let missing = blinkblox(&folder, &["check", "net/bare", "--client-output", "b/Client"]);
    assert!(err(&missing).contains("[E4001]"), "{}", err(&missing));
    let clash = blinkblox(&folder, &["check", "net/bare", "--client-output", "x", "--server-output", "x"]);
    assert!(err(&clash).contains("[E4002]"), "{}", err(&clash));
    for arguments in [
        &["net/game", "--watch", "--server-output", "x"][..],
        &["check", "net/game", "net/bare", "--server-output", "x"],
    ] {
        assert_eq!(code(&blinkblox(&folder, arguments)), 1, "{arguments:?}");
    }
}

#[test]
fn modules_that_no_schema_writes_any_more_are_orphans() {
    let schema = DEPRECATED.replace("option UseColon = true\n", "");
    let folder = project(&[("game.blink", &schema), ("out/mine.luau", "return 1\n")]);
    assert_eq!(code(&blinkblox(&folder, &["build", "game"])), 0);
    assert_eq!(code(&blinkblox(&folder, &["verify", "game", "--orphans"])), 0);
    let module = fs::read(folder.path().join("out/Server.luau")).unwrap();
    fs::write(folder.path().join("out/Old.luau"), &module).unwrap();
    fs::write(folder.path().join("out/Notes.md"), &module).unwrap();
    assert_eq!(code(&blinkblox(&folder, &["verify", "game"])), 0);
    for arguments in [&["verify", "game", "--orphans", "-q"][..], &["game", "--verify", "--orphans", "-q"]] {
        let output = blinkblox(&folder, arguments);
        let expected = "orphan   out/Old.luau\n3 files checked: 2 current, 0 stale, 0 missing, 1 orphaned. \
            Delete what no schema writes any more.\n";
        assert_eq!((code(&output), out(&output).as_str()), (1, expected), "{}", err(&output));
    }
    let document = json(&blinkblox(&folder, &["verify", "game", "--orphans", "--json"]));
    assert_eq!(
        document["verify"][2],
        serde_json::json!({ "file": "out/Old.luau", "status": "orphan", "line": null, "note": null })
    );
}

#[test]
fn a_warning_that_shares_its_number_with_an_error_is_judged() {
    let folder = project(&[(
        "low.blink",
        "option ServerOutput = \"s\"\noption ClientOutput = \"c\"\n\
        event A { From: Server, Type: Unreliable, Call: SingleSync, Priority: Low }\n",
    )]);
    let plain = blinkblox(&folder, &["check", "low"]);
    assert!(code(&plain) == 0 && err(&plain).contains("[W3035]"), "{}", err(&plain));
    for name in ["W3035", "w3035", "3035", "AnalyzePriority"] {
        let allowed = blinkblox(&folder, &["check", "low", "--allow", name, "--deny-warnings"]);
        assert_eq!((code(&allowed), err(&allowed).as_str()), (0, ""), "{name}");
        let denied = blinkblox(&folder, &["check", "low", "--deny", name]);
        assert!(code(&denied) == 1 && err(&denied).contains("3035]"), "{name}: {}", err(&denied));
    }
    assert_eq!(code(&blinkblox(&folder, &["check", "low", "--deny", "W3020"])), 0);
    let error = blinkblox(&folder, &["check", "low", "--deny", "E3035"]);
    assert!(code(&error) == 1 && err(&error).contains("is W3035"), "{}", err(&error));
}

/// A flag that would be ignored is a mistake of whoever wrote it, and is told.
#[test]
fn flags_that_would_be_ignored_are_refused() {
    let folder = project(&[
        ("game.blink", DEPRECATED),
        ("a.zap", "event A = { from: Client, type: Reliable, call: SingleAsync }"),
        ("named/blinkblox.toml", "[[schema]]\npath = \"../game.blink\"\n"),
    ]);
    let refused = |arguments: &[&str], headline: &str, note: &str| {
        let refused = blinkblox(&folder, arguments);
        let said = err(&refused);
        assert_eq!((code(&refused), out(&refused).as_str()), (1, ""), "{arguments:?}: {said}");
        assert!(said.starts_with(&format!("[E4007] Error: {headline}\n")), "{arguments:?}: {said}");
        assert!(said.contains(note), "{arguments:?}: {said}");
    };
    for run in [
        &["build", "game"][..],
        &["check", "game"],
        &["verify", "game"],
        &["size", "game"],
        &["diff", "game", "game"],
        &["fmt", "game"],
        &["fmt"],
        &["convert", "zap", "a.zap"],
        &["watch", "game", "--once"],
        &["game"],
        &["game", "--check"],
        &["game", "--verify"],
        &["game", "--watch"],
        &["game", "--list-outputs"],
        &["game", "--sizes"],
        &["game", "--format"],
        &["game", "--diff", "game"],
        &["a.zap", "--from", "zap"],
    ] {
        let arguments = [run, &["--stdin-path", "x.blink"]].concat();
        refused(&arguments, "--stdin-path says where standard input stands, which is not read", "Name `-`");
    }
    let document = json(&blinkblox(folder.path().join("named"), &["build", "--stdin-path", "x", "--json"]));
    assert_eq!(document["diagnostics"][0]["code"], "E4007", "{document}");
    refused(&["watch", "-", "--once"], "standard input cannot be watched", "Name the schema's file");
    refused(&["-", "--watch", "--stdin-path", "x"], "standard input cannot be watched", "blinkblox check -");

    let tools: [&[&str]; 7] = [
        &["game", "--sizes"],
        &["game", "--diff", "game"],
        &["game", "--format"],
        &["a.zap", "--from", "zap"],
        &["--explain", "E3004"],
        &["--lsp"],
        &["--serve"],
    ];
    for run in tools {
        let tool = run.iter().find(|argument| argument.starts_with("--")).unwrap();
        for flag in ["--server-output", "--client-output", "--types-output"] {
            let headline = format!("{flag} cannot be given with {tool}");
            refused(
                &[run, &[flag, "x"]].concat(),
                &headline,
                &format!("{tool} writes no modules. Leave {flag} out."),
            );
        }
        if !["--sizes", "--diff"].contains(tool) {
            let headline = format!("--profile cannot be given with {tool}");
            refused(&[run, &["--profile", "dev"]].concat(), &headline, "compiles under no profile");
        }
        if ["--explain", "--lsp", "--serve"].contains(tool) {
            let headline = format!("--stdin-path cannot be given with {tool}");
            refused(&[run, &["--stdin-path", "x"]].concat(), &headline, "reads no schema");
        }
    }
    // Nothing was written on the way.
    assert!(!folder.path().join("out").exists() && !folder.path().join("x").exists());
    assert_eq!(fs::read_to_string(folder.path().join("game.blink")).unwrap(), DEPRECATED);
}
