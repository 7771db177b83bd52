//! Names of files as systems have them: in other letters, with backslashes, and as bytes that are no text.

use std::fs;

use crate::support::{blinkblox, code, err, json, out, project};

const RULES: &str = "type Limit = u8\n";
const GAME: &str = "option ServerOutput = \"out\\\\Server.luau\"\r\noption ClientOutput = \"out\\\\Client.luau\"\r\n\
                    import \"net\\Rules\"\r\nevent Hit { From: Server, Type: Reliable, Call: ManySync, Data: Rules.Limit }\r\n";

#[test]
fn schemas_and_settings_written_on_windows_build_everywhere() {
    let folder = project(&[
        ("blinkblox.toml", "\u{feff}[[schema]]\r\npath = 'schemas\\game.blink'\r\n"),
        ("schemas/game.blink", &format!("\u{feff}{GAME}")),
        ("schemas/net/Rules.blink", &format!("\u{feff}{}", RULES.replace('\n', "\r\n"))),
    ]);
    for arguments in [&["build"][..], &["verify"], &["check"], &["build", "schemas/game.blink"]] {
        let output = blinkblox(folder.path(), arguments);
        assert_eq!(code(&output), 0, "{arguments:?}: {}", err(&output));
    }
    let written = |name: &str| fs::read_to_string(folder.path().join("schemas/out").join(name)).unwrap();
    assert!(!written("Server.luau").contains('\r') && !written("Client.luau").contains('\r'));
}

#[test]
fn an_import_in_other_letters_names_the_file_that_is_there() {
    let text = GAME.replace("net\\Rules", "./net/rules").replace("Data: Rules.", "Data: rules.");
    let folder = project(&[("game.blink", &text), ("net/Rules.blink", RULES)]);
    let output = blinkblox(folder.path(), &["check", "game.blink"]);
    // Where the system tells no letters apart, the file is found.
    if folder.path().join("net/rules.blink").is_file() {
        assert_eq!(code(&output), 0, "{}", err(&output));
        return;
    }
    assert_eq!(code(&output), 1);
    let said = err(&output);
    assert!(
        said.contains("E3014") && said.contains("There is net/Rules.blink: write it with the same"),
        "{said}"
    );
}

/// macOS has no such names, and Windows others.
#[cfg(target_os = "linux")]
#[test]
fn names_that_are_no_text_stop_nothing_that_does_not_need_them() {
    use std::os::unix::ffi::OsStrExt;
    let folder = project(&[
        ("schemas/game.blink", &GAME.replace("net\\Rules", "./Rules")),
        ("schemas/Rules.blink", RULES),
        ("specs/a.spec.luau", "it('runs', function() test.world() end)\n"),
        (
            "default.project.json",
            r#"{"name": "g", "tree": {"$className": "DataModel", "ReplicatedStorage": {"$path": "src"}}}"#,
        ),
        ("src/a.luau", "return 1\n"),
    ]);
    for name in
        [&b"schemas/odd-\xff.blink"[..], b"specs/odd-\xff.spec.luau", b"specs/\xfe/in.spec.luau", b"\xff\xfe"]
    {
        let path = folder.path().join(std::ffi::OsStr::from_bytes(name));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, if name.ends_with(b"luau") { "it('runs', function() end)\n" } else { RULES })
            .unwrap();
    }
    for arguments in
        [&["build", "schemas/game.blink"][..], &["fmt", "."], &["fmt", "--check", "."], &["check"]]
    {
        let output = blinkblox(folder.path(), arguments);
        assert_eq!(code(&output), 0, "{arguments:?}: {}{}", out(&output), err(&output));
        // What is left out is told.
        let is_told = out(&output).contains("Left out schemas/odd-\u{fffd}.blink: its path is not UTF-8\n");
        assert_eq!(is_told, arguments[0] == "fmt", "{arguments:?}: {}", out(&output));
    }
    let document = json(&blinkblox(folder.path(), &["fmt", ".", "--json"]));
    let statuses: Vec<&str> =
        document["format"].as_array().unwrap().iter().map(|one| one["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["skipped", "current", "current"], "{document}");
    // No spec is left out.
    let output = blinkblox(folder.path(), &["test", "specs"]);
    assert_eq!(code(&output), 0, "{}{}", out(&output), err(&output));
    for part in ["specs/odd-\u{fffd}.spec.luau\n", "specs/\u{fffd}/in.spec.luau\n", "\n3 passed, 0 failed\n"]
    {
        assert!(out(&output).contains(part), "{part}: {}", out(&output));
    }
    // What an Instance is made of needs a name that is text.
    fs::write(folder.path().join(std::ffi::OsStr::from_bytes(b"src/odd-\xff.luau")), "").unwrap();
    let output = blinkblox(folder.path(), &["run", "--for", "0.1"]);
    assert_ne!(code(&output), 0);
    assert!(err(&output).contains("has a name that is not UTF-8"), "{}", err(&output));
}

/// Windows has no such names.
#[cfg(unix)]
#[test]
fn control_characters_of_names_are_drawn_in_every_line_for_people() {
    let schema = "option ServerOutput = \"s\u{1b}[31m\"\noption ClientOutput = \"c\"\n";
    let folder = project(&[
        ("g\u{1b}[2J.blink", schema),
        ("a\u{1b}[2J.spec.luau", "it('runs', function() end)"),
        ("odd\u{1b}[2J/blinkblox.toml", "[[schema]]\npath = \"no\u{7f}where\"\n"),
    ]);
    let name = "g\u{1b}[2J.blink";
    fs::write(folder.path().join("blinkblox.toml"), "[[schema]]\npath = \"g\\u001b[2J.blink\"\n").unwrap();
    for arguments in [
        &["build", name][..],
        &["build", name, "--list-outputs"],
        &["check", name],
        &["verify", name],
        &["watch", name, "--once"],
        &["fmt", name, "--check"],
        &["fmt", name],
        &["size", name],
        &["test"],
        &["test", "--list"],
        &["test", "odd\u{1b}[2J"],
        &["run", "odd\u{1b}[2J"],
        &["run", "none\u{1b}[2J"],
        &["build"],
    ] {
        let output = blinkblox(folder.path(), arguments);
        let said = format!("{}{}", out(&output), err(&output));
        assert!(!said.contains('\u{1b}') && !said.contains('\u{7f}'), "{arguments:?}: {said:?}");
    }
    let listed = out(&blinkblox(folder.path(), &["build", name, "--list-outputs"]));
    assert_eq!(listed, "s␛[31m.luau\nc.luau\n");
    let built = out(&blinkblox(folder.path(), &["build", name]));
    assert!(built.contains("Reading g␛[2J.blink\n"), "{built}");
    // A document has what is there, written as JSON writes it.
    let listed = json(&blinkblox(folder.path(), &["build", name, "--list-outputs", "--json"]));
    assert_eq!(listed["files"][0], "s\u{1b}[31m.luau");
}
