//! Where names lead, and renames.

use serde_json::{Value, json};

use super::modules::BUILT;
use super::{Editor, MAIN, RULES, editor};

#[test]
fn hovers_and_definitions_lead_across_files() {
    let (mut editor, uri) = editor();
    let hover = editor.ask("textDocument/hover", Editor::at(&uri, 3, 17));
    let text = hover["contents"]["value"].as_str().unwrap();
    assert!(text.contains("export type Rules_Score = number"), "{text}");
    assert!(text.contains("2 bytes"), "{text}");
    let found = editor.ask("textDocument/definition", Editor::at(&uri, 3, 17));
    assert_eq!(found["uri"], editor.uri("rules.blink"));
    assert_eq!(found["range"]["start"], json!({ "line": 0, "character": 5 }));
    let mut params = Editor::at(&uri, 3, 17);
    params["context"] = json!({ "includeDeclaration": false });
    let uses = editor.ask("textDocument/references", params);
    assert_eq!(uses.as_array().unwrap().len(), 2);
    let marks = editor.ask("textDocument/documentHighlight", Editor::at(&uri, 2, 8));
    assert_eq!(marks.as_array().unwrap().len(), 2);
    let links = editor.ask("textDocument/documentLink", json!({ "textDocument": { "uri": uri } }));
    assert_eq!(links[0]["target"], editor.uri("rules.blink"));
    assert_eq!(editor.ask("textDocument/hover", Editor::at(&uri, 1, 0)), Value::Null);
    editor.close();
}

#[test]
fn renames_reach_every_file_or_say_why_not() {
    let (mut editor, uri) = editor();
    let range = editor.ask("textDocument/prepareRename", Editor::at(&uri, 3, 17));
    assert_eq!(range["start"], json!({ "line": 3, "character": 15 }));
    let mut params = Editor::at(&uri, 3, 17);
    params["newName"] = json!("Points");
    let edit = editor.ask("textDocument/rename", params);
    assert_eq!(edit["changes"][&uri][0]["newText"], "Points");
    assert_eq!(edit["changes"][editor.uri("rules.blink")].as_array().unwrap().len(), 2);
    let mut params = Editor::at(&uri, 2, 8);
    params["newName"] = json!("Player");
    let refused = editor.answer("textDocument/rename", params);
    let why = refused["error"]["message"].as_str().unwrap().to_string();
    assert!(why.contains("\"Player\" cannot be the name"), "{why}");
    editor.close();
}

#[test]
fn an_import_without_a_name_gets_one() {
    let text = "import \"./rules\"\nstruct A {\n\tX: rules.Score,\n\tY: rules.Score,\n}\n";
    let mut editor = Editor::open(&[("main.blink", text), ("rules.blink", RULES)]);
    let uri = editor.open_file("main.blink");
    let mut params = Editor::at(&uri, 2, 5);
    params["newName"] = json!("Rules");
    let edit = editor.ask("textDocument/rename", params);
    let edits = edit["changes"][&uri].as_array().unwrap();
    let texts: Vec<&str> = edits.iter().map(|one| one["newText"].as_str().unwrap()).collect();
    assert_eq!(texts, [" as Rules", "Rules", "Rules"]);
    let mut params = Editor::at(&uri, 2, 5);
    params["context"] = json!({ "includeDeclaration": false });
    assert_eq!(editor.ask("textDocument/references", params).as_array().unwrap().len(), 2);
    editor.close();
}

#[test]
fn a_name_is_renamed_in_every_open_schema_that_imports_it() {
    let second = "import \"./rules\" as R\nstruct Other {\n\tX: R.Score,\n}\n";
    let mut editor = Editor::open(&[("main.blink", MAIN), ("rules.blink", RULES), ("second.blink", second)]);
    let main = editor.open_file("main.blink");
    let second = editor.open_file("second.blink");
    let rules = editor.open_file("rules.blink");
    // Asked where it is declared, and where one of the importers uses it.
    for (uri, line, character) in [(&rules, 0, 6), (&main, 3, 17)] {
        let mut params = Editor::at(uri, line, character);
        params["newName"] = json!("Points");
        let edit = editor.ask("textDocument/rename", params);
        let changes = edit["changes"].as_object().unwrap();
        let count = |uri: &String| changes[uri].as_array().unwrap().len();
        assert_eq!((changes.len(), count(&main), count(&second), count(&rules)), (3, 1, 1, 2));
        let mut params = Editor::at(uri, line, character);
        params["context"] = json!({ "includeDeclaration": true });
        let uses = editor.ask("textDocument/references", params);
        assert_eq!(uses.as_array().unwrap().len(), 4);
    }
    editor.close();
}

#[test]
fn a_name_is_renamed_in_schemas_that_nobody_has_open() {
    let user = "import \"../rules\" as R\nstruct Other {\n\tX: R.Score,\n}\n";
    let through = "import \"./user\"\nstruct More {\n\tX: user.R.Score,\n}\n";
    let folder = [
        ("main.blink", MAIN),
        ("rules.blink", RULES),
        ("deep/user.blink", user),
        ("deep/through.blink", through),
        ("deep/stranger.blink", "import \"./lonely\"\nstruct Score { X: u8 }\n"),
        ("deep/lonely.blink", "type Score = u8\n"),
    ];
    let mut editor = Editor::open(&folder);
    let main = editor.open_file("main.blink");
    let mut params = Editor::at(&main, 3, 17);
    params["newName"] = json!("Points");
    let edit = editor.ask("textDocument/rename", params);
    let changes = edit["changes"].as_object().unwrap();
    let found: std::collections::BTreeMap<&str, usize> =
        changes.iter().map(|(uri, edits)| (uri.as_str(), edits.as_array().unwrap().len())).collect();
    let uris =
        ["deep/through.blink", "deep/user.blink", "main.blink", "rules.blink"].map(|name| editor.uri(name));
    let expected = [1, 1, 1, 2];
    assert_eq!(found, uris.iter().map(String::as_str).zip(expected).collect());
    // They are read anew when they change.
    std::fs::write(
        editor.folder.path().join("deep/user.blink"),
        user.replace("as R", "as R\nscope Inner { }"),
    )
    .unwrap();
    editor.tell("workspace/didChangeWatchedFiles", json!({ "changes": [] }));
    let mut params = Editor::at(&main, 3, 17);
    params["context"] = json!({ "includeDeclaration": true });
    assert_eq!(editor.ask("textDocument/references", params).as_array().unwrap().len(), 5);
    editor.close();
}

#[test]
fn links_lead_to_modules_that_are_there() {
    let mut editor = Editor::open(&[("game.blink", BUILT), ("rules.blink", RULES), ("out/Server.luau", "")]);
    let uri = editor.open_file("game.blink");
    let links = editor.ask("textDocument/documentLink", json!({ "textDocument": { "uri": uri } }));
    let links = links.as_array().unwrap();
    let targets: Vec<&Value> = links.iter().map(|link| &link["target"]).collect();
    assert_eq!(targets, [&json!(editor.uri("rules.blink")), &json!(editor.uri("out/Server.luau"))]);
    assert_eq!(links[1]["range"]["start"], json!({ "line": 0, "character": 22 }));
    editor.close();
}
