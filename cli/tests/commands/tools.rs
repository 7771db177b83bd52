//! `fmt`, `explain`, `size`, `diff`, forms of diagnostics and standard input, run as a person or a program runs them.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

use std::fs;

use tempfile::TempDir;

use crate::support::{blinkblox, blinkblox_reading, err, json, out, project};

fn read(folder: &TempDir, path: &str) -> String {
    fs::read_to_string(folder.path().join(path)).unwrap()
}

const LOOSE: &str = "type  A=u8 -- health\ntype B = A(0..5)";
const NEAT: &str = "type A = u8 -- health\n\ntype B = A(0..5)\n";

#[test]
fn fmt_rewrites_what_is_loose_and_leaves_the_rest_alone() {
    let folder = project(&[
        ("loose.blink", LOOSE),
        ("in/neat.blink", NEAT),
        ("in/broken.blink", "type A ="),
        ("in/.hidden/skipped.blink", LOOSE),
        ("in/other.txt", LOOSE),
    ]);
    let modified = |path: &str| fs::metadata(folder.path().join(path)).unwrap().modified().unwrap();
    let before = modified("in/neat.blink");
    let check = blinkblox(&folder, &["fmt", "--check", "loose.blink", "in/neat.blink"]);
    assert_eq!(check.status.code(), Some(1));
    assert_eq!(
        out(&check),
        "Would change loose.blink\n1 file would change; 1 already in the canonical layout\n"
    );
    assert_eq!(read(&folder, "loose.blink"), LOOSE);
    let all = blinkblox(&folder, &["fmt"]);
    assert_eq!(all.status.code(), Some(1));
    assert!(err(&all).contains("[E2001]") && err(&all).contains("in/broken.blink"), "{}", err(&all));
    assert_eq!(
        out(&all),
        "Formatted loose.blink\n1 file changed; 1 already in the canonical layout; 1 cannot be formatted\n"
    );
    assert_eq!(read(&folder, "loose.blink"), NEAT);
    assert_eq!(read(&folder, "in/broken.blink"), "type A =");
    assert_eq!(read(&folder, "in/.hidden/skipped.blink"), LOOSE);
    assert_eq!(modified("in/neat.blink"), before);
    // A file is had once, however it is named.
    let twice = blinkblox(&folder, &["fmt", "--check", "loose", "./loose.blink", "loose.blink"]);
    assert_eq!(out(&twice), "0 files would change; 1 already in the canonical layout\n");
    let again = blinkblox(&folder, &["fmt", "-q", "loose"]);
    assert_eq!((again.status.code(), out(&again), err(&again)), (Some(0), String::new(), String::new()));
}

#[test]
fn fmt_of_a_folder_leaves_alone_what_is_not_the_projects_own() {
    let folder = project(&[
        (".gitignore", "drafts/\nlocal.blink\n"),
        ("net/.ignore", "kept.blink\n"),
        ("net/loose.blink", LOOSE),
        ("net/target/loose.blink", LOOSE),
        ("net/kept.blink", LOOSE),
        ("local.blink", LOOSE),
        ("drafts/a.blink", LOOSE),
        ("node_modules/a.blink", LOOSE),
        ("Packages/_Index/a.blink", LOOSE),
        ("built/CACHEDIR.TAG", ""),
        ("built/a.blink", LOOSE),
        ("empty/x", ""),
    ]);
    let all = blinkblox(&folder, &["fmt"]);
    let expected = "Formatted net/loose.blink\nFormatted net/target/loose.blink\n\
        2 files changed; 0 already in the canonical layout\n";
    assert_eq!((all.status.code(), out(&all).as_str()), (Some(0), expected), "{}", err(&all));
    // One that is named is meant.
    assert!(blinkblox(&folder, &["fmt", "local.blink"]).status.success());
    assert_eq!(read(&folder, "local.blink"), NEAT);
    // A check that looks at nothing must not pass.
    let nothing = blinkblox(&folder, &["fmt", "--check", "empty"]);
    assert_eq!(nothing.status.code(), Some(1));
    assert!(err(&nothing).contains("there is no schema in \"empty\" or below"), "{}", err(&nothing));
}

#[test]
fn fmt_as_a_flag_and_as_a_document() {
    let folder = project(&[("loose.blink", LOOSE), ("gone.blink", "")]);
    let check = json(&blinkblox(&folder, &["loose", "--format", "--check", "--json"]));
    assert_eq!(check["success"], false);
    assert_eq!(check["format"], serde_json::json!([{ "file": "loose.blink", "status": "changed" }]));
    assert!(blinkblox(&folder, &["--format", "loose"]).status.success());
    assert_eq!(read(&folder, "loose.blink"), NEAT);
    let spaces = project(&[("a.blink", "set A = {\nB }")]);
    assert!(blinkblox(&spaces, &["fmt", "--indent", "spaces"]).status.success());
    assert_eq!(read(&spaces, "a.blink"), "set A = {\n    B,\n}\n");
    let missing = blinkblox(&folder, &["fmt", "nowhere"]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(err(&missing).contains("[E4004]"), "{}", err(&missing));
}

#[cfg(unix)]
#[test]
fn fmt_keeps_links_and_permissions() {
    use std::os::unix::fs::{PermissionsExt, symlink};

    let folder = project(&[("real.blink", LOOSE)]);
    let real = folder.path().join("real.blink");
    fs::set_permissions(&real, PermissionsExt::from_mode(0o640)).unwrap();
    symlink(&real, folder.path().join("link.blink")).unwrap();
    assert!(blinkblox(&folder, &["fmt", "link.blink"]).status.success());
    assert_eq!(read(&folder, "real.blink"), NEAT);
    assert!(fs::symlink_metadata(folder.path().join("link.blink")).unwrap().is_symlink());
    assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn standard_input_stands_where_it_is_said_to() {
    let folder = project(&[("schemas/Rules.blink", "type Limit = u8(0..5)\n")]);
    let formatted = blinkblox_reading(&folder, &["fmt", "-", "--stdin-path", "a.blink"], LOOSE);
    assert_eq!(
        (formatted.status.code(), out(&formatted).as_str(), err(&formatted).as_str()),
        (Some(0), NEAT, "")
    );
    let text = "option ServerOutput = \"../out/S\"\noption ClientOutput = \"../out/C\"\nimport \"./Rules\"\n";
    let arguments = ["-", "--stdin-path", "schemas/new.blink"];
    assert!(blinkblox_reading(&folder, &arguments, text).status.success());
    assert!(folder.path().join("out/S.luau").is_file());
    let broken =
        blinkblox_reading(&folder, &["-", "--stdin-path=schemas/new.blink", "--check", "-c"], "type A =");
    assert!(err(&broken).contains("[schemas/new.blink] Error"), "{}", err(&broken));
    let unnamed = blinkblox_reading(&folder, &["-", "--check"], text);
    assert_eq!(unnamed.status.code(), Some(1));
    // Without a name it stands in the working directory, where there is nothing of that name to import.
    assert!(err(&unnamed).contains("[stdin.blink:3:8]"), "{}", err(&unnamed));
}

#[test]
fn explain_prints_a_page() {
    let folder = project(&[]);
    for arguments in
        [&["explain", "E3004"][..], &["--explain", "3004"], &["explain", "AnalyzeDuplicateMember"]]
    {
        let output = blinkblox(&folder, arguments);
        assert!(output.status.success(), "{arguments:?}: {}", err(&output));
        assert!(out(&output).starts_with("# E3004: AnalyzeDuplicateMember\n"), "{}", out(&output));
        assert!(out(&output).contains("## Fixed"));
    }
    let document = json(&blinkblox(&folder, &["explain", "W3019", "--json"]));
    assert_eq!(document["explain"]["name"], "AnalyzeUnboundedEvent");
    let near = blinkblox(&folder, &["explain", "E3040x"]);
    assert_eq!(near.status.code(), Some(1));
    assert!(err(&near).contains("[E4007]"), "{}", err(&near));
}

/// The commands that pages show: the first raises the code, the second does not.
#[test]
fn commands_on_pages_do_what_they_say() {
    let schema = "option ServerOutput = \"out/S\"\noption ClientOutput = \"out/C\"\n";
    let folder = project(&[("game.blink", schema)]);
    for code in ["E4004", "E4007"] {
        let page = out(&blinkblox(&folder, &["explain", code]));
        let commands: Vec<Vec<&str>> = page
            .lines()
            .filter_map(|line| line.strip_prefix("blinkblox "))
            .map(|line| line.split(' ').collect())
            .collect();
        assert_eq!(commands.len(), 2, "{page}");
        let raised = blinkblox(&folder, &commands[0]);
        assert!(
            raised.status.code() == Some(1) && err(&raised).contains(&format!("[{code}]")),
            "{}",
            err(&raised)
        );
        let mended = blinkblox(&folder, &commands[1]);
        assert!(mended.status.success(), "{}", err(&mended));
    }
}

const FAULTY: &str = "\
option ServerOutput = \"out/S\"
option ClientOutput = \"out/C\"
struct Crate { Weight: u8, Weight: u8 }
";

const WARNED: &str = "\
option ServerOutput = \"out/S\"
option ClientOutput = \"out/C\"
event Dust { From: Server, Type: Unreliable, Call: ManySync, Data: string }
";

#[test]
fn diagnostics_have_forms_for_programs() {
    let folder = project(&[("faulty.blink", FAULTY), ("warned.blink", WARNED)]);
    let github = blinkblox(&folder, &["check", "faulty", "--error-format", "github", "-q"]);
    assert_eq!(github.status.code(), Some(1));
    assert_eq!(
        err(&github),
        "::error file=faulty.blink,line=3,endLine=3,col=28,endColumn=34,title=E3004 AnalyzeDuplicateMember::struct \
         \"Crate\" names the field \"Weight\" twice%0ARename one of the two, or delete it.\n"
    );
    let sarif = json(&blinkblox(&folder, &["check", "faulty", "warned", "--error-format=sarif"]));
    assert_eq!(sarif["version"], "2.1.0");
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let ids: Vec<&str> = results.iter().map(|result| result["ruleId"].as_str().unwrap()).collect();
    assert_eq!(ids, ["E3004", "W3019"]);
    assert_eq!((&results[0]["level"], &results[1]["level"]), (&"error".into(), &"warning".into()));
    let region = &results[0]["locations"][0]["physicalLocation"]["region"];
    assert_eq!((&region["startLine"], &region["startColumn"]), (&3.into(), &28.into()));
    let usage = json(&blinkblox(&folder, &["warned", "--error-format", "sarif", "--bogus"]));
    assert_eq!(usage["runs"][0]["results"][0]["ruleId"], "E4007");
    for (form, start) in [("human", "[E3004] Error: "), ("compact", "[E3004] [L003:L003] ")] {
        let output = blinkblox(&folder, &["faulty", "--error-format", form]);
        assert!(err(&output).starts_with(start), "{}", err(&output));
    }
    assert_eq!(json(&blinkblox(&folder, &["faulty", "--error-format", "json"]))["success"], false);
    let two = blinkblox(&folder, &["faulty", "--error-format", "json", "--error-format", "human"]);
    assert!(two.status.code() == Some(1) && out(&two).contains("E4007"), "{}", out(&two));
}

#[test]
fn denied_warnings_stop_the_run() {
    let folder = project(&[("warned.blink", WARNED)]);
    let denied = json(&blinkblox(&folder, &["warned", "--deny-warnings", "--json"]));
    assert_eq!((&denied["success"], &denied["outputs"]), (&false.into(), &serde_json::json!([])));
    assert!(!folder.path().join("out").exists());
    let said = out(&blinkblox(&folder, &["check", "warned", "--deny-warnings"]));
    assert!(said.ends_with("Warnings are denied; nothing was written\n"), "{said}");
    assert!(blinkblox(&folder, &["warned"]).status.success());
}

const OLD: &str = "\
event Dust { From: Server, Type: Unreliable, Call: ManySync, Data: string(..40) }
export struct Held { Open: boolean }
";

#[test]
fn sizes_are_printed_without_outputs() {
    let folder = project(&[("game.blink", OLD), ("faulty.blink", "type A = B")]);
    let table = "event Dust, from the server, unreliable index 0\n  data: 1 to 41 bytes; 2 to 42 bytes with the header\n    \
                 Value  string(..40)  1 to 41 bytes\n\ntype Held, as stored\n  stored: 1 byte\n    Open  boolean  1 bit\n";
    for arguments in [&["size", "game"][..], &["game", "--sizes"]] {
        let output = blinkblox(&folder, arguments);
        assert!(output.status.success(), "{}", err(&output));
        assert_eq!(out(&output), table);
    }
    let document = json(&blinkblox(&folder, &["size", "game", "--json"]));
    assert_eq!(document["success"], true);
    assert_eq!(document["sizes"]["events"][0]["data"]["max"], 41);
    assert_eq!(document["sizes"]["types"][0]["stored"]["max"], 1);
    let piped = blinkblox_reading(&folder, &["size", "-", "--stdin-path", "x.blink"], OLD);
    assert_eq!(out(&piped), table);
    let faulty = json(&blinkblox(&folder, &["faulty", "--sizes", "--json"]));
    assert_eq!((&faulty["success"], &faulty["diagnostics"][0]["code"]), (&false.into(), &"E3007".into()));
    assert_eq!(faulty.get("sizes"), None);
}

#[test]
fn differences_decide_the_exit_code() {
    let folder = project(&[
        ("old.blink", OLD),
        ("same.blink", &OLD.replace("ManySync", "SingleAsync")),
        ("new.blink", &OLD.replace("40", "60")),
    ]);
    let same = blinkblox(&folder, &["diff", "old", "same"]);
    assert_eq!(same.status.code(), Some(0));
    let lines: Vec<String> = out(&same).lines().map(str::to_string).collect();
    assert_eq!(&lines[..2], ["event Dust: changed (still accepted)", "  Call: ManySync became SingleAsync"]);
    assert!(lines[2].starts_with("Modules of old.blink and of same.blink accept each other"), "{lines:?}");
    for arguments in [&["diff", "old", "new"][..], &["new", "--diff", "old"]] {
        let output = blinkblox(&folder, arguments);
        assert_eq!(output.status.code(), Some(1));
        let text = out(&output);
        assert!(
            text.starts_with(
                "event Dust: changed\n  Data: string(..40) became string(..60)\nModules of old.blink refuse"
            ),
            "{text}"
        );
    }
    let document = json(&blinkblox(&folder, &["diff", "old", "new", "--json"]));
    assert_eq!((&document["success"], &document["diff"]["interoperable"]), (&false.into(), &false.into()));
    assert_eq!(document["diff"]["changes"][0]["details"][0]["message"], "string(..40) became string(..60)");
    assert_eq!(document["diff"]["changes"][0]["effect"], "refused");
    // A schema with an error is compared with nothing.
    fs::write(folder.path().join("faulty.blink"), format!("{OLD}type A = Nowhere\n")).unwrap();
    for arguments in [["diff", "old", "faulty"], ["diff", "faulty", "old"], ["diff", "faulty", "faulty"]] {
        let output = blinkblox(&folder, &arguments);
        assert_eq!((output.status.code(), out(&output).as_str()), (Some(1), ""), "{arguments:?}");
        assert!(err(&output).contains("[E3007]"), "{}", err(&output));
    }
    let both = blinkblox(&folder, &["old", "--sizes", "--format"]);
    assert!(both.status.code() == Some(1) && err(&both).contains("[E4007]"), "{}", err(&both));
}

#[test]
fn the_book_describes_every_flag_of_the_tools() {
    let folder = project(&[]);
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/src/tools.md")).unwrap();
    for command in ["fmt", "size", "diff", "explain"] {
        assert!(page.contains(&format!("blinkblox {command}")), "{command}");
        let help = out(&blinkblox(&folder, &[command, "--help"]));
        let flags = help.split_whitespace().map(|word| word.trim_end_matches([',', '.']));
        for flag in flags.filter(|word| word.starts_with("--") && word.len() > 2 && *word != "--help") {
            assert!(page.contains(&format!("`{flag}")), "{flag} of {command} is not in the book");
        }
    }
    let help = out(&blinkblox(&folder, &["--help"]));
    for flag in
        ["--format", "--sizes", "--diff", "--explain", "--error-format", "--deny-warnings", "--stdin-path"]
    {
        assert!(help.contains(flag), "{flag} is not in\n{help}");
        assert!(page.contains(flag), "{flag} is not in the book");
    }
}
