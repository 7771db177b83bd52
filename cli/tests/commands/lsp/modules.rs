//! Modules that are shown, built and verified.

use serde_json::json;

use super::{Editor, MAIN, RULES, editor};

pub(super) const BUILT: &str = "option ServerOutput = \"out/Server\"\noption ClientOutput = \"out/Client\"\nimport \"./rules\"\nevent Give { From: Server, Type: Reliable, Call: ManySync, Data: rules.Score }\n";

#[test]
fn a_module_and_a_page_are_shown_without_being_written() {
    let (mut editor, uri) = editor();
    editor.write(&uri, &MAIN.replace("Bag", "Sack"));
    for (side, other) in [("server", "client"), ("client", "server")] {
        let shown = editor.execute("module", json!([uri, side]))["result"].clone();
        assert_eq!(shown["name"], format!("main.{side}.luau"));
        let text = shown["text"].as_str().unwrap();
        assert!(text.starts_with("--!") && text.contains("Sack"), "{text}");
        assert_ne!(text, editor.execute("module", json!([uri, other]))["result"]["text"]);
    }
    let page = editor.execute("explain", json!(["W3020"]))["result"].clone();
    assert_eq!(page["name"], "E3020.md");
    assert!(page["text"].as_str().unwrap().contains("```blink"));
    for (arguments, why) in [
        (json!([uri, "types"]), "main sets no TypesOutput."),
        (json!([uri, "both"]), "\"both\" is not `server`, `client` or `types`."),
        (json!([]), "blinkblox.server.module needs an argument."),
    ] {
        assert_eq!(editor.execute("module", arguments)["error"]["message"], why);
    }
    assert_eq!(editor.execute("explain", json!(["E9"]))["error"]["message"], "there is no code \"E9\".");
    editor.write(&uri, &MAIN.replace("Data: Bag", "Data: Bga"));
    let refused = editor.execute("module", json!([uri, "server"]));
    let why = refused["error"]["message"].as_str().unwrap();
    assert!(why.starts_with("main does not compile: ") && why.ends_with(" (E3007)."), "{why}");
    editor.close();
}

#[test]
fn a_schema_is_built_and_verified_from_the_editor() {
    let mut editor = Editor::open(&[("game.blink", BUILT), ("rules.blink", RULES)]);
    let uri = editor.open_file("game.blink");
    let lenses = editor.ask("textDocument/codeLens", json!({ "textDocument": { "uri": uri } }));
    let titles: Vec<&str> =
        lenses.as_array().unwrap().iter().map(|lens| lens["command"]["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["Compile", "Verify", "index 0 \u{b7} data 3 bytes"]);
    let (compile, verify) = (&lenses[0]["command"], &lenses[1]["command"]);
    editor.ask("workspace/executeCommand", verify.clone());
    let heard = editor.heard(&uri);
    assert!(heard.len() == 1 && heard[0].contains("missing"), "{heard:?}");
    let server = editor.folder.path().join("out/Server.luau");
    assert!(!server.exists());
    for command in [compile, verify] {
        editor.ask("workspace/executeCommand", command.clone());
        assert_eq!(editor.heard(&uri), ["game.blink: its modules are up to date."]);
    }
    assert!(server.is_file());
    // What is not saved is not built.
    editor.write(&uri, &BUILT.replace("Give", "Take"));
    let refused = editor.answer("workspace/executeCommand", compile.clone());
    assert_eq!(refused["error"]["message"], "Save game.blink first: what is on disk is compiled.");
    editor.close();
}

#[test]
fn a_schema_is_built_when_something_it_is_made_of_is_saved() {
    let mut editor = Editor::open(&[("game.blink", BUILT), ("rules.blink", RULES)]);
    let (uri, rules) = (editor.open_file("game.blink"), editor.open_file("rules.blink"));
    let path = editor.folder.path().to_path_buf();
    let saved = |editor: &mut Editor, text: &str| {
        std::fs::write(path.join("rules.blink"), text).unwrap();
        editor.write(&rules, text);
        editor.tell("textDocument/didSave", json!({ "textDocument": { "uri": rules } }));
        editor.heard(&uri)
    };
    // Off until it is asked for.
    assert_eq!(saved(&mut editor, RULES), [] as [&str; 0]);
    assert!(!path.join("out").exists());
    editor.tell(
        "workspace/didChangeConfiguration",
        json!({ "settings": { "blinkblox": { "compileOnSave": true } } }),
    );
    assert_eq!(saved(&mut editor, RULES), [] as [&str; 0]);
    let before = std::fs::read_to_string(path.join("out/Server.luau")).unwrap();
    assert_eq!(saved(&mut editor, &RULES.replace("u16", "u24")), [] as [&str; 0]);
    assert_ne!(std::fs::read_to_string(path.join("out/Server.luau")).unwrap(), before);
    let heard = saved(&mut editor, &RULES.replace("u16", "u99"));
    assert!(heard.len() == 1 && heard[0].starts_with("game.blink: [E3007]"), "{heard:?}");
    editor.close();
}
