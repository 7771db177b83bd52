//! `blinkblox watch`, driven: files change under it, and what it prints is waited for.

use std::fs;
use std::path::Path;

use crate::support::project;
use crate::watcher::Watcher;

/// The command, watching.
fn watch(folder: &Path, arguments: &[&str]) -> Watcher {
    Watcher::start(Path::new(env!("CARGO_BIN_EXE_blinkblox")), folder, arguments)
}

const ENTRY: &str = "option ServerOutput = \"out/Server\"\noption ClientOutput = \"out/Client\"\n\
    import \"middle\"\nevent A { From: Server, Type: Reliable, Call: SingleSync, Data: middle.inner.T }\n";

#[test]
fn changes_are_followed_through_breaking_and_mending() {
    let folder = project(&[
        ("net.blink", ENTRY),
        ("middle.blink", "import \"inner\"\n-- import \"not/read\"\n"),
        ("inner.blink", "export type T = u8\n"),
    ]);
    let path = |name: &str| folder.path().join(name);
    let server = || fs::read_to_string(path("out/Server.luau")).unwrap();
    let watcher = watch(folder.path(), &["net"]);
    watcher.hears("Wrote 2 files");
    watcher.hears("Watching net and 2 imported files");
    // An import of an import.
    let before = server();
    fs::write(path("inner.blink"), "export type T = u16\n").unwrap();
    watcher.hears("Wrote 2 files");
    assert_ne!(server(), before);
    // The same bytes again, in one step: a file that is emptied and filled holds something else for a moment.
    fs::write(path("inner.tmp"), "export type T = u16\n").unwrap();
    fs::rename(path("inner.tmp"), path("inner.blink")).unwrap();
    watcher.hears_nothing();
    // Broken: the last good outputs stay. Mended by renaming a new file over the old one.
    let good = server();
    fs::write(path("inner.blink"), "export type T = u17\n").unwrap();
    watcher.hears("[E3007]");
    watcher.hears("1 error");
    assert_eq!(server(), good);
    fs::write(path("inner.tmp"), "export type T = u24\n").unwrap();
    fs::rename(path("inner.tmp"), path("inner.blink")).unwrap();
    watcher.hears("the errors are gone");
    // An import that is not there, and then is.
    fs::write(path("net.blink"), ENTRY.replace("import", "import \"later\"\nimport")).unwrap();
    watcher.hears("[E3014]");
    fs::write(path("later.blink"), "type U = u8\n").unwrap();
    watcher.hears("the errors are gone");
    // The schema goes and comes back.
    fs::remove_file(path("net.blink")).unwrap();
    watcher.hears("[E4004]");
    fs::write(path("net.blink"), ENTRY).unwrap();
    watcher.hears("the errors are gone");
    assert_eq!(watcher.stop(), Some(0));
}

const PROJECT: &str = r#"{ "name": "x", "tree": { "$className": "DataModel",
    "ServerScriptService": { "Server": { "$path": "src/server" } },
    "ReplicatedStorage": { "Shared": { "$path": "src/shared" } } } }"#;

fn outputs(server: &str, client: &str) -> String {
    format!("option ServerOutput = \"{server}\"\noption ClientOutput = \"{client}\"\ntype A = u8\n")
}

#[test]
fn outputs_land_where_the_right_side_sees_them() {
    let good = outputs("src/server/Net", "src/shared/Net");
    let folder = project(&[
        ("net.blink", &outputs("src/shared/Server", "src/shared/Net")),
        ("blinkblox.toml", "[[schema]]\npath = \"net.blink\"\n"),
        ("default.project.json", PROJECT),
        ("src/server/init.server.luau", ""),
        ("src/shared/Keep.luau", "return 1"),
    ]);
    let watcher = watch(folder.path(), &["-q"]);
    assert!(watcher.hears("[E4010]").contains("ReplicatedStorage.Shared.Server"));
    assert!(!folder.path().join("src/shared/Server.luau").exists());
    fs::write(folder.path().join("net.blink"), &good).unwrap();
    watcher.hears("server module is ServerScriptService.Server.Net");
    watcher.hears("client module is ReplicatedStorage.Shared.Net");
    // The project moves: nothing of the schema has changed.
    let moved = PROJECT.replace("ReplicatedStorage", "ServerStorage");
    fs::write(folder.path().join("default.project.json"), moved).unwrap();
    watcher.hears("[E4011]");
    fs::write(folder.path().join("default.project.json"), PROJECT).unwrap();
    fs::write(folder.path().join("net.blink"), outputs("src/server/Net", "elsewhere/Net")).unwrap();
    watcher.hears("[W4103]");
    // Another schema is named.
    fs::write(folder.path().join("other.blink"), &good).unwrap();
    fs::write(folder.path().join("blinkblox.toml"), "[[schema]]\npath = \"other.blink\"\n").unwrap();
    watcher.hears("Watching other.blink");
    assert_eq!(watcher.stop(), Some(0));
}

#[test]
fn a_watcher_ends_with_its_standard_input() {
    let schema = "option ServerOutput = \"out/Server\"\noption ClientOutput = \"out/Client\"\n";
    let folder = crate::support::project(&[("game.blink", schema)]);
    for arguments in [&["game", "--watch-stdin"][..], &["watch", "game", "--watch-stdin"]] {
        // Standard input is closed once the text is written.
        let output = crate::support::blinkblox_reading(&folder, arguments, "nobody reads this\n");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert!(crate::support::out(&output).contains("Watching game"), "{arguments:?}");
    }
}

/// A document a line for every compile, and nothing else on either stream.
#[test]
fn a_program_that_follows_gets_a_document_for_every_compile() {
    let folder = project(&[
        ("net.blink", "option ServerOutput = \"out/S\"\noption ClientOutput = \"out/C\"\ntype A = u8\n"),
        ("other.blink", "option ServerOutput = \"out/T\"\noption ClientOutput = \"out/D\"\ntype A = u8\n"),
    ]);
    let watcher = watch(folder.path(), &["net", "other", "--json-stream"]);
    let next = || -> serde_json::Value { serde_json::from_str(&watcher.hears("")).unwrap() };
    let (first, second) = (next(), next());
    for (document, schema, outputs) in [
        (&first, "net.blink", ["out/S.luau", "out/C.luau"]),
        (&second, "other.blink", ["out/T.luau", "out/D.luau"]),
    ] {
        assert_eq!((&document["version"], &document["success"]), (&1.into(), &true.into()), "{document}");
        assert_eq!(
            (&document["schema"], &document["outputs"]),
            (&schema.into(), &serde_json::json!(outputs))
        );
        assert!(document["signature"].is_string());
    }
    watcher.hears_nothing();
    let path = folder.path().join("net.blink");
    let good = fs::read_to_string(&path).unwrap();
    // Each compile that fails says so, the same fault again as well.
    for faulty in ["type A = u17\n", "type A =  u17\n"] {
        fs::write(folder.path().join("tmp"), format!("{good}{faulty}")).unwrap();
        fs::rename(folder.path().join("tmp"), &path).unwrap();
        let broken = next();
        assert_eq!((&broken["success"], &broken["outputs"]), (&false.into(), &serde_json::json!([])));
        assert_eq!(broken["signature"], serde_json::Value::Null);
        let codes: Vec<_> =
            broken["diagnostics"].as_array().unwrap().iter().map(|one| &one["code"]).collect();
        assert!(codes.contains(&&"E3007".into()), "{broken}");
    }
    fs::remove_file(&path).unwrap();
    assert_eq!(next()["diagnostics"][0]["code"], "E4004");
    fs::write(folder.path().join("tmp"), &good).unwrap();
    fs::rename(folder.path().join("tmp"), &path).unwrap();
    let mended = next();
    assert_eq!((&mended["success"], &mended["diagnostics"]), (&true.into(), &serde_json::json!([])));
    watcher.hears_nothing();
    assert_eq!(watcher.stop(), Some(0));
}

#[test]
fn a_stream_of_documents_keeps_to_its_form_in_every_mistake() {
    let folder = project(&[("net.blink", "type A = u8\n")]);
    for (arguments, words) in [
        (&["watch", "nowhere", "--json-stream"][..], "nowhere"),
        (&["watch", "--json-stream"], "no schema is named"),
        (&["watch", "net", "--json-stream", "--json"], "--json"),
        (&["watch", "net", "--json-stream", "--test"], "--test"),
        (&["watch", "net", "--json-stream", "--nonsense"], "--nonsense"),
        (&["net", "--json-stream"], "needs --watch"),
        (&["net", "--watch", "--json-stream", "--verify"], "--verify"),
        (&["watch", "net", "--json"], "--json"),
    ] {
        let output = crate::support::blinkblox(&folder, arguments);
        let document = crate::support::json(&output);
        assert_eq!((output.status.code(), &document["success"]), (Some(1), &false.into()), "{arguments:?}");
        assert!(
            document["diagnostics"][0]["message"].as_str().unwrap().contains(words),
            "{arguments:?}: {document}"
        );
    }
    // One round of it, and the form without a command.
    let once = crate::support::json(&crate::support::blinkblox(
        &folder,
        &["watch", "net", "--once", "--json-stream"],
    ));
    assert_eq!(once["diagnostics"][0]["code"], "E4001");
    let arguments = ["net", "--watch-stdin", "--json-stream", "--check", "-q"];
    let stdin = crate::support::json(&crate::support::blinkblox_reading(&folder, &arguments, ""));
    assert_eq!(stdin["schema"], "net.blink");
}

#[test]
fn two_schemas_do_not_share_an_output() {
    let schema = |name: &str, output: &str| {
        format!(
            "option ServerOutput = \"{output}s\"\noption ClientOutput = \"{output}c\"\n\
            event {name} {{ From: Server, Type: Reliable, Call: SingleSync }}\n"
        )
    };
    let folder = project(&[("a.blink", &schema("One", "")), ("b.blink", &schema("Two", ""))]);
    let once = crate::support::blinkblox(&folder, &["watch", "--once", "a.blink", "b.blink"]);
    let told = crate::support::err(&once);
    assert_eq!(crate::support::code(&once), 1, "{told}");
    assert!(told.contains("[E4002]") && told.contains("a.blink has the same output"), "{told}");
    let module = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert!(module("s.luau").contains("One") && !module("s.luau").contains("Two"));
    // The first lets go of them, and the second, of which nothing changed, gets them.
    let watcher = watch(folder.path(), &["a.blink", "b.blink"]);
    watcher.hears("[E4002]");
    fs::write(folder.path().join("a.blink"), schema("One", "x/")).unwrap();
    watcher.hears("b.blink: Wrote 2 files; 0 files already current, and the errors are gone");
    assert!(module("s.luau").contains("Two") && module("x/s.luau").contains("One"));
    // And the other way.
    fs::write(folder.path().join("a.blink"), schema("One", "")).unwrap();
    watcher.hears("b.blink has the same output");
    fs::write(folder.path().join("b.blink"), schema("Two", "y/")).unwrap();
    watcher.hears("a.blink: Wrote 2 files; 0 files already current, and the errors are gone");
    assert_eq!(watcher.stop(), Some(0));
}

#[test]
fn outputs_that_are_deleted_or_edited_are_written_again() {
    let folder = project(&[("net.blink", &outputs("out/deep/S", "out/C"))]);
    let (server, client) = (folder.path().join("out/deep/S.luau"), folder.path().join("out/C.luau"));
    let watcher = watch(folder.path(), &["net"]);
    watcher.hears("Watching net");
    let built = [&server, &client].map(|path| fs::read(path).unwrap());
    // In one step: what is half written is an edit of its own.
    let put = |bytes: &[u8]| {
        let beside = folder.path().join("beside");
        fs::write(&beside, bytes).unwrap();
        fs::rename(beside, &client).unwrap();
    };
    let is_whole = || [&server, &client].map(|path| fs::read(path).unwrap_or_default()) == built;

    fs::remove_file(&server).unwrap();
    watcher.hears("out/deep/S.luau was deleted and is written anew");
    watcher.hears("Wrote 1 file; 1 file already current");
    assert!(is_whole());
    put(&[&built[1][..], b"-- mine\n"].concat());
    watcher.hears("out/C.luau was edited and is written anew");
    watcher.hears("Wrote 1 file");
    assert!(is_whole());
    // A folder goes and comes, and is still watched.
    for _ in 0..2 {
        // It may be there again before it is gone.
        let _ = fs::remove_dir_all(server.parent().unwrap());
        watcher.hears("out/deep/S.luau was deleted");
        watcher.hears("Wrote 1 file");
        assert!(is_whole());
    }
    // The same bytes again are no change.
    put(&built[1]);
    watcher.hears_nothing();
    // While the schema is broken there is nothing to write.
    let path = folder.path().join("net.blink");
    let good = fs::read_to_string(&path).unwrap();
    fs::write(&path, "type A = u17\n").unwrap();
    watcher.hears("] Error");
    fs::remove_file(&server).unwrap();
    watcher.hears("out/deep/S.luau was deleted and is written anew once the errors are gone");
    fs::write(&path, good).unwrap();
    watcher.hears("the errors are gone (");
    assert!(is_whole());
    // Who keeps writing a module is left alone in the end.
    for round in 0.. {
        put(format!("-- The client module of Blink, {round}\n").as_bytes());
        if watcher.hears("out/C.luau was edited").contains("stays so until the schema changes") {
            break;
        }
        watcher.hears("Wrote 1 file");
        assert!(round < 20 && is_whole());
    }
    watcher.hears_nothing();
    assert!(!is_whole());
    assert_eq!(watcher.stop(), Some(0));
}

#[test]
fn a_watcher_that_writes_nothing_restores_nothing() {
    let folder = project(&[("net.blink", &outputs("S", "C"))]);
    assert!(crate::support::blinkblox(folder.path(), &["build", "net"]).status.success());
    let watcher = watch(folder.path(), &["net", "--check"]);
    watcher.hears("Watching net");
    fs::remove_file(folder.path().join("S.luau")).unwrap();
    watcher.hears_nothing();
    assert_eq!(watcher.stop(), Some(0));
}

/// What cannot be written is written once somebody has cleared the way, from the start or later.
#[test]
fn outputs_are_written_once_nothing_is_in_their_way() {
    let folder =
        project(&[("net.blink", &outputs("out/S", "out/C")), ("out/S.luau", "return 1 -- by hand\n")]);
    let server = folder.path().join("out/S.luau");
    let watcher = watch(folder.path(), &["net"]);
    watcher.hears("is no generated module and is not replaced");
    watcher.hears("Watching net");
    fs::remove_file(&server).unwrap();
    watcher.hears("Wrote 2 files; 0 files already current, and the errors are gone");
    let built = fs::read(&server).unwrap();
    // A folder in the place of the module, which then goes again. The module may be there anew before the folder is.
    while fs::create_dir(&server).is_err() {
        let _ = fs::remove_file(&server);
    }
    watcher.hears("a folder of that name is in the way");
    fs::remove_dir(&server).unwrap();
    watcher.hears("Wrote 1 file; 1 file already current, and the errors are gone");
    assert_eq!(fs::read(&server).unwrap(), built);
    assert_eq!(watcher.stop(), Some(0));
}

#[test]
fn a_schema_that_fails_for_its_scope_is_built_once_the_scope_is_free() {
    let schema = |scope: &str, to: &str| {
        let (server, client) = (format!("src/server/{to}"), format!("src/shared/{to}"));
        format!("option RemoteScope = \"{scope}\"\n{}", outputs(&server, &client))
    };
    let folder = project(&[
        ("a.blink", &schema("ONE", "A")),
        ("b.blink", &schema("ONE", "B")),
        ("blinkblox.toml", "[[schema]]\npath = \"a.blink\"\n[[schema]]\npath = \"b.blink\"\n"),
        ("default.project.json", PROJECT),
        ("src/server/init.server.luau", ""),
        ("src/shared/Keep.luau", "return 1"),
    ]);
    for flags in [&["--deny", "W4104"][..], &["--deny-warnings"]] {
        let put = |name: &str, text: String| fs::write(folder.path().join(name), text).unwrap();
        put("a.blink", schema("ONE", "A"));
        put("b.blink", schema("ONE", "B"));
        let watcher = watch(folder.path(), flags);
        watcher.hears("4104]");
        put("a.blink", schema("TWO", "A"));
        watcher.hears("b.blink: Wrote");
        assert_eq!(watcher.stop(), Some(0));
    }
}
