//! Every flag of the tooling specification, 2.1 and 2.14, every refused combination, and the exit code of each mistake,
//! against the command itself.

use std::fs;

use crate::support::{blinkblox, blinkblox_reading, blinkblox_with, code, err, json, out, project};

const SCHEMA: &str = "option ServerOutput = \"out/Server\"\noption ClientOutput = \"out/Client\"\n\
    event Ready { From: Client, Type: Reliable, Call: SingleSync, Rate: 1, Data: u8 }\n";

/// A schema that compiles with a warning.
const WARNS: &str = "option ServerOutput = \"out/Server\"\noption ClientOutput = \"out/Client\"\n\
    event Said { From: Server, Type: Unreliable, Call: ManySync, Data: string }\n";

#[test]
fn every_flag_does_what_it_says() {
    let folder = project(&[("game.blink", SCHEMA), ("warns.blink", WARNS), ("old.blink", SCHEMA)]);
    // Arguments, exit code, and words that standard output and standard error hold.
    let rows: &[(&[&str], i32, &str, &str)] = &[
        (&[], 0, "Usage:", ""),
        (&["-h"], 0, "Usage:", ""),
        (&["--help"], 0, "--deny-warnings", ""),
        (&["help"], 0, "Usage:", ""),
        (&["build", "--help"], 0, "--depfile", ""),
        (&["-v"], 0, "BlinkBlox 0.1.0\n", ""),
        (&["--version", "--nonsense"], 0, "BlinkBlox 0.1.0\n", ""),
        (&["--nonsense", "--help", "--version"], 0, "Usage:", ""),
        (&["-yv"], 0, "BlinkBlox 0.1.0\n", ""),
        (&["-yh", "game"], 0, "Usage:", ""),
        (&["game", "--check", "-cpdev", "--json"], 0, "\"profile\":\"dev\"", ""),
        (&["game", "--check"], 0, "The schema is valid", ""),
        (&["game", "--check", "-q"], 0, "", ""),
        (&["game", "--check", "--check", "-qq"], 0, "", ""),
        (&["game", "--check", "-c"], 0, "The schema is valid", ""),
        (&["game", "--check", "--compact", "--json"], 0, "{\"version\":1", ""),
        (&["game", "--check", "--quiet", "--json"], 0, "{\"version\":1", ""),
        (&["game", "--check", "-p", "dev", "--json"], 0, "\"profile\":\"dev\"", ""),
        (&["game", "--check", "--profile=test", "--json"], 0, "\"profile\":\"test\"", ""),
        (&["game", "--check", "-p", "dev", "-p", "dev", "--json"], 0, "\"profile\":\"dev\"", ""),
        (&["game", "--check", "--color", "never", "--color", "never", "-q"], 0, "", ""),
        (&["game", "--check", "--error-format", "sarif"], 0, "\"$schema\"", ""),
        (&["warns", "--check", "--error-format", "github"], 0, "", "::warning"),
        (&["warns", "--check", "--error-format", "compact", "-q"], 0, "", "[W3019]"),
        (&["warns", "--check", "--color", "always", "-q"], 0, "", "\u{1b}[33m"),
        (&["warns", "--check", "--color=never", "-q"], 0, "", "[W3019] Warning"),
        (&["warns", "--check", "--deny-warnings"], 1, "Warnings are denied", "[W3019]"),
        (&["game", "--check", "--max-errors", "3"], 0, "The schema is valid", ""),
        (&["game", "--sizes"], 0, "Ready", ""),
        (&["game", "--sizes", "--json"], 0, "\"sizes\":", ""),
        (&["game", "--diff", "old"], 0, "", ""),
        (&["warns", "--diff", "old"], 1, "Said", "[W3019]"),
        (&["--explain", "E3004"], 0, "E3004", ""),
        (&["--explain=w3019"], 0, "W3019", ""),
        (&["game", "--format", "--check"], 1, "Would change game.blink", ""),
        (&["game", "--verify"], 1, "missing  out/Server.luau", ""),
        (&["game", "-y", "--depfile", "out/game.d"], 0, "Wrote 2 files", ""),
        (&["game", "--verify", "--strict-version"], 0, "2 current", ""),
        (&["--", "game"], 0, "2 files already current", ""),
        (&["./game", "--yes"], 0, "2 files already current", ""),
        (&["build", "game", "--depfile=out/game.d"], 0, "2 files already current", ""),
        (&["-qy", "game"], 0, "", ""),
    ];
    for (arguments, expected, said, complained) in rows {
        let output = blinkblox(&folder, arguments);
        let (stdout, stderr) = (out(&output), err(&output));
        assert_eq!(code(&output), *expected, "{arguments:?}: {stdout}{stderr}");
        assert!(stdout.contains(said), "{arguments:?}: {stdout}");
        assert!(stderr.contains(complained), "{arguments:?}: {stderr}");
        let says_nothing = arguments.iter().any(|flag| flag.starts_with("-q")) && *expected == 0;
        assert!(!says_nothing || stdout.is_empty(), "{arguments:?}: {stdout}");
        assert!(!complained.is_empty() || stderr.is_empty(), "{arguments:?}: {stderr}");
    }
    let rules = fs::read_to_string(folder.path().join("out/game.d")).unwrap();
    assert_eq!(rules, "out/Server.luau out/Client.luau: game.blink\n");
    // What is read from standard input lies in the working directory unless it is said where.
    for (arguments, file) in [
        (&["-", "--check"][..], "stdin.blink"),
        (&["check", "-", "--stdin-path", "net/x.blink"], "net/x.blink"),
    ] {
        let output = blinkblox_reading(&folder, arguments, "type A =");
        assert_eq!(code(&output), 1);
        assert!(err(&output).contains(&format!("[{file}:1:")), "{arguments:?}: {}", err(&output));
    }
    let layout = blinkblox_reading(&folder, &["-", "--format"], "type   A=u8");
    assert_eq!((code(&layout), out(&layout).as_str()), (0, "type A = u8\n"));
}

#[test]
fn every_mistake_is_named_with_the_exit_code_of_its_command() {
    let folder = project(&[("game.blink", SCHEMA), ("a.spec.luau", "it('is', function() end)")]);
    let rows: &[(&[&str], i32, &[&str])] = &[
        // Of compiling: always 1.
        (&["game", "--nonsense"], 1, &["--nonsense"]),
        (&["game", "--chekc"], 1, &["--chekc", "--check"]),
        (&["game", "--CHECK"], 1, &["--CHECK"]),
        (&["-dash"], 1, &["there is no flag `-dash`", "./"]),
        (&["game", "-qx"], 1, &["there is no flag `-qx`"]),
        (&["game", "--", "--check"], 1, &["`--check` is one argument too many"]),
        (&["trace", "a", "b"], 2, &["`trace` takes one file, or a command in front of all else", "diff"]),
        (&["trace", "--json", "diff", "a", "b"], 2, &["`trace` takes one file, or a command in front"]),
        (&["game", "--watch=1"], 1, &["--watch takes no value"]),
        (&["game", "--max-errors", "-1"], 1, &["--max-errors does not take `-1`", "a whole number"]),
        (&["game", "--max-errors", "99999999999999999999999"], 1, &["does not take `9999", "a whole number"]),
        (&["game", "-p", "--check"], 1, &["--profile does not take `--check`", "dev"]),
        (&["game", "--color", "-x"], 1, &["--color does not take `-x`", "never"]),
        (&["game", "--diff", "-x"], 1, &["E4004", "-x.blink"]),
        (&["game", "--strict-version"], 1, &["--strict-version", "--verify"]),
        (&["game", "--orphans"], 1, &["--orphans", "--verify"]),
        (&["serve", "--port", "many"], 1, &["--port does not take `many`", "a whole number"]),
        (&["serve", "--port", "99999"], 1, &["--port does not take `99999`", "from 0 to 65535"]),
        (&["game", "--verif"], 1, &["--verif", "--verify"]),
        (&["game", "other"], 1, &["other"]),
        (&["--check"], 1, &["no schema is named"]),
        (&["game", "-p"], 1, &["--profile"]),
        (&["game", "-p", "fast"], 1, &["fast", "dev", "debug", "test", "release"]),
        (&["game", "-p", "dev", "-p", "test"], 1, &["dev", "test"]),
        (&["game", "--color", "sometimes"], 1, &["sometimes", "auto", "always", "never"]),
        (&["game", "--error-format", "xml"], 1, &["xml", "human", "sarif"]),
        (&["game", "--error-format", "github", "--error-format", "sarif"], 1, &["github", "sarif"]),
        (&["game", "--color", "auto", "--color=never"], 1, &["--color", "auto", "never"]),
        (&["game", "--max-errors", "1", "--max-errors", "2"], 1, &["--max-errors", "`1`", "`2`"]),
        (&["game", "-qp", "dev", "--profile=test"], 1, &["--profile", "dev", "test"]),
        (&["game", "--stdin-path", "a", "--stdin-path", "b"], 1, &["--stdin-path", "`a`", "`b`"]),
        (&["build", "game", "--depfile", "a", "--depfile", "b"], 1, &["--depfile", "`a`", "`b`"]),
        (&["game", "--max-errors", "many"], 1, &["many"]),
        (&["game", "--depfile"], 1, &["--depfile"]),
        (&["--explain", "E9999"], 1, &["E9999"]),
        (&["nowhere"], 1, &["E4004", "nowhere.txt", "nowhere.blink"]),
        (&["biuld"], 1, &["E4004", "blinkblox build"]),
        (&["gmae"], 1, &["E4004", "game.blink"]),
        // Pairs that are refused name both.
        (&["game", "--watch", "--json"], 1, &["--watch", "--json"]),
        (&["game", "-w", "--verify"], 1, &["--watch", "--verify"]),
        (&["game", "--depfile", "x", "--check"], 1, &["--depfile", "--check"]),
        (&["game", "--depfile", "x", "--verify"], 1, &["--depfile", "--verify"]),
        (&["game", "--sizes", "--format"], 1, &["--sizes", "--format"]),
        (&["game", "--watch", "--error-format", "sarif"], 1, &["--watch", "sarif"]),
        // Of the commands.
        (&["build", "--nonsense"], 1, &["--nonsense"]),
        (&["check"], 1, &["no schema is named", "blinkblox check schemas/game.blink"]),
        (&["verify"], 1, &["no schema is named", "blinkblox verify schemas/game.blink"]),
        (&["watch"], 1, &["no schema is named", "blinkblox watch schemas/game.blink"]),
        (&["size"], 1, &["no schema is named", "blinkblox size schemas/game.blink"]),
        (&["diff", "game"], 1, &["NEW"]),
        (&["explain"], 1, &["CODE"]),
        (&["fmt", "--indent", "three"], 1, &["three", "tabs", "spaces"]),
        (&["completions", "tcsh"], 1, &["tcsh", "bash"]),
        // Of the emulator: 2 for arguments, 3 for what cannot be loaded.
        (&["test", "--nonsense"], 2, &["--nonsense"]),
        (&["test", "--signlas", "both"], 2, &["--signals"]),
        (&["test", "--signals", "some"], 2, &["some", "immediate", "deferred", "both"]),
        (&["test", "--shard", "5/4"], 2, &["5/4", "2/4"]),
        (&["test", "--seed", "x"], 2, &["--seed", "x"]),
        (&["test", "--timeout", "0"], 2, &["--timeout", "above zero"]),
        (&["test", "--timeout", "soon"], 2, &["--timeout does not take `soon`", "It takes a number."]),
        (&["test", "--jobs", "-1"], 2, &["--jobs does not take `-1`", "a whole number"]),
        (&["test", "--bail=x"], 2, &["--bail does not take `x`", "a whole number"]),
        (&["test", "--jobs", "0"], 2, &["--jobs"]),
        (&["test", "--net", "fast"], 2, &["fast", "perfect"]),
        (&["test", "--fps", "0"], 2, &["--fps", "from 1 to 1000"]),
        (&["test", "--fps", "nan"], 2, &["--fps", "from 1 to 1000"]),
        (&["test", "--client-fps", "5000"], 2, &["--client-fps", "from 1 to 1000"]),
        (&["test", "--set", "nope=1"], 2, &["nope"]),
        (&["test", "--set", "nope"], 2, &["KEY=VALUE"]),
        (&["test", "--reporter", "xml"], 2, &["xml", "junit"]),
        (&["test", "--reporter", "json=r", "--reporter", "junit=./r"], 2, &["two reports go to ./r"]),
        (&["test", "--reporter", "json=r", "--trace", "r"], 2, &["two reports go to r"]),
        (&["test", "--watch", "--list"], 2, &["--watch", "--list"]),
        (&["test", "--watch", "--json"], 2, &["--watch", "--json"]),
        (&["test", "--watch", "--reporter", "json"], 2, &["--watch", "--json"]),
        (&["test", "nowhere"], 3, &["nowhere"]),
        (&["test", "-t", "nothing"], 4, &["--allow-empty"]),
        (&["run", "--nonsense"], 2, &["--nonsense"]),
        (&["run", "--for", "soon"], 2, &["--for", "soon"]),
        (&["run", "--fps", "0"], 2, &["--fps", "from 1 to 1000"]),
        (&["run", "--for", "1", "--frames", "2"], 2, &["--for", "--frames"]),
        (&["test", "--config", "nowhere.toml"], 2, &["nowhere.toml"]),
        (&["run", "--config", "nowhere.toml"], 2, &["nowhere.toml"]),
        (&["repl", "--config", "nowhere.toml"], 2, &["nowhere.toml"]),
        (&["run", "--trace-frames"], 2, &["--trace"]),
        (&["run", "nowhere"], 3, &["nowhere"]),
        (&["repl", "--nonsense"], 2, &["--nonsense"]),
        (&["repl", "nowhere"], 3, &["nowhere"]),
        (&["trace"], 2, &["FILE"]),
        (&["trace", "nowhere"], 3, &["nowhere"]),
        (&["trace", "nowhere", "--kind", "odd"], 2, &["odd", "send"]),
        (&["trace", "nowhere", "--csv", "--json"], 2, &["--csv", "--json"]),
        (&["trace", "merge", "a"], 2, &["--out"]),
        (&["emu"], 2, &["doctor"]),
        (&["emu", "doctr"], 2, &["doctr", "doctor"]),
        (&["emu", "doctor", "nowhere"], 3, &["nowhere"]),
    ];
    for (arguments, expected, words) in rows {
        let output = blinkblox(&folder, arguments);
        let (stdout, stderr) = (out(&output), err(&output));
        let said = format!("{stdout}{stderr}");
        assert_eq!(code(&output), *expected, "{arguments:?}: {said}");
        for word in *words {
            assert!(said.contains(word), "{arguments:?} does not say {word}: {said}");
        }
        assert!(!said.contains("panicked") && !said.contains("os error"), "{arguments:?}: {said}");
        // Nor the words of a parser of arguments or numbers.
        for raw in ["unexpected value", "invalid value", "invalid digit", "not in 0..", "<PROFILE>"] {
            assert!(!said.contains(raw), "{arguments:?}: {said}");
        }
    }
    assert!(!folder.path().join("out").exists() && !folder.path().join("x").exists());
}

#[test]
fn each_mistake_is_one_document_under_json() {
    let folder = project(&[("game.blink", SCHEMA)]);
    for arguments in [
        &["game", "--nonsense", "--json"][..],
        &["game", "-p", "fast", "--json"],
        &["game", "--watch", "--json"],
        &["game", "--verify", "--watch", "--json"],
        &["--json"],
        &["nowhere", "--json"],
        &["--json", "game", "game"],
        &["check", "--json"],
        &["explain", "E0", "--json"],
    ] {
        let document = json(&blinkblox(&folder, arguments));
        assert_eq!(document["success"], false, "{arguments:?}");
        let code = document["diagnostics"][0]["code"].as_str().unwrap();
        assert!(code == "E4007" || code == "E4004", "{arguments:?}: {code}");
    }
}

#[test]
fn a_rojo_project_names_the_schemas_beside_it() {
    let place = "{ \"name\": \"x\", \"tree\": { \"$className\": \"DataModel\", \
        \"ServerScriptService\": { \"S\": { \"$path\": \"net/out\" } } } }";
    let folder = project(&[
        ("default.project.json", place),
        ("net/b.blink", &SCHEMA.replace("Ready", "Other").replace("out/", "out/b/")),
        (
            "net/a.blink",
            &SCHEMA
                .replace("ClientOutput = \"out", "ClientOutput = \"shared")
                .replace("event", "import \"./types\"\nevent"),
        ),
        ("net/types.blink", "type A = u8\n"),
        ("node_modules/c.blink", SCHEMA),
        ("net/out/.keep", ""),
        ("deep/er/.keep", ""),
    ]);
    // The client module of the second would be where no client sees it: that is said of a build too.
    let refused = blinkblox(&folder, &["build"]);
    assert_eq!(code(&refused), 1);
    assert!(err(&refused).contains("[E4011]"), "{}", err(&refused));
    let moved = SCHEMA
        .replace("Ready", "Other")
        .replace("ServerOutput = \"out/", "ServerOutput = \"out/b/")
        .replace("ClientOutput = \"out/", "ClientOutput = \"shared/b/");
    fs::write(folder.path().join("net/b.blink"), moved).unwrap();
    let built = json(&blinkblox(folder.path().join("deep/er"), &["check", "--json"]));
    assert_eq!(built["success"], true, "{built}");
    let built = json(&blinkblox(&folder, &["build", "--json"]));
    let expected = ["out/Server.luau", "shared/Client.luau", "out/b/Server.luau", "shared/b/Client.luau"];
    assert_eq!(built["outputs"], serde_json::json!(expected.map(|path| format!("net/{path}"))));
}

#[test]
fn a_server_module_that_players_could_read_is_no_build() {
    let place = "{ \"name\": \"x\", \"tree\": { \"$className\": \"DataModel\", \
        \"ReplicatedStorage\": { \"Shared\": { \"$path\": \"out\" } } } }";
    let folder = project(&[("default.project.json", place), ("game.blink", SCHEMA), ("out/.keep", "")]);
    for arguments in [&["build", "game"][..], &["game"], &["check", "game"], &["verify", "game"]] {
        let output = blinkblox(&folder, arguments);
        assert_eq!(code(&output), 1, "{arguments:?}");
        assert!(
            err(&output).contains("[E4010]") && err(&output).contains("ReplicatedStorage.Shared.Server"),
            "{arguments:?}: {}",
            err(&output)
        );
    }
    assert!(!folder.path().join("out/Server.luau").exists());
    // A fresh clone, before packages are installed and anything is built.
    let place = place.replace("\"Shared\"", "\"Packages\": { \"$path\": \"Packages\" }, \"Shared\"");
    let folder = project(&[("default.project.json", &place), ("game.blink", SCHEMA)]);
    let output = blinkblox(&folder, &["build", "game"]);
    assert!(code(&output) == 1 && err(&output).contains("[E4010]"), "{}{}", out(&output), err(&output));
    assert!(err(&output).contains("ReplicatedStorage.Shared.Server"), "{}", err(&output));
}

#[test]
fn colour_follows_the_environment_and_the_flag() {
    let folder = project(&[("warns.blink", WARNS), ("a.spec.luau", "it('is', function() end)")]);
    let check: &[&str] = &["check", "warns"];
    let test: &[&str] = &["test"];
    for arguments in [check, test] {
        let is_coloured = |more: &[&str], values: &[(&str, &str)]| {
            let output = blinkblox_with(&folder, &[arguments, more].concat(), values);
            format!("{}{}", out(&output), err(&output)).contains('\u{1b}')
        };
        // A pipe is plain unless somebody asks; the flag is stronger than the environment, NO_COLOR than the other.
        let (force, none) = (("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1"));
        assert!(!is_coloured(&[], &[]), "{arguments:?}");
        assert!(is_coloured(&[], &[force]), "{arguments:?}");
        assert!(!is_coloured(&[], &[("CLICOLOR_FORCE", "0")]), "{arguments:?}");
        assert!(!is_coloured(&[], &[force, none]), "{arguments:?}");
        assert!(is_coloured(&[], &[force, ("NO_COLOR", "")]), "{arguments:?}");
        assert!(is_coloured(&["--color", "always"], &[none]), "{arguments:?}");
        assert!(!is_coloured(&["--color", "never"], &[force]), "{arguments:?}");
    }
}
