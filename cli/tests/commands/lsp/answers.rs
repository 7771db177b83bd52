//! Completion, hovers, outlines and the rest of what is shown of a text.

use serde_json::{Value, json};

use super::{Editor, MAIN, editor};

#[test]
fn completion_replaces_what_is_written() {
    let (mut editor, uri) = editor();
    editor.write(&uri, &MAIN.replace("Data: Bag", "Data: B"));
    let items = editor.ask("textDocument/completion", Editor::at(&uri, 10, 8));
    let first = &items[0];
    assert_eq!(first["label"], "Bag");
    assert_eq!(first["textEdit"]["newText"], "Bag");
    assert_eq!(first["textEdit"]["range"]["start"], json!({ "line": 10, "character": 7 }));
    assert_eq!(first["textEdit"]["range"]["end"], json!({ "line": 10, "character": 8 }));
    editor.write(&uri, "import \"\"\n");
    let files = editor.ask("textDocument/completion", Editor::at(&uri, 0, 8));
    assert_eq!(files[0]["label"], "./rules");
    editor.close();
}

#[test]
fn answers_about_deep_types_can_be_read() {
    let (mut editor, uri) = editor();
    let text = format!("struct A {{ X: {}u8{} }}\n", "struct { X: ".repeat(180), " }".repeat(180));
    editor.write(&uri, &text);
    let symbols = editor.ask("textDocument/documentSymbol", json!({ "textDocument": { "uri": uri } }));
    let mut depth = 0;
    let mut at = &symbols;
    while let Some(inner) = at[0].get("name") {
        assert_eq!(inner, if depth == 0 { "A" } else { "X" });
        (depth, at) = (depth + 1, &at[0]["children"]);
    }
    assert_eq!(depth, 40);
    let middle = json!({ "line": 0, "character": text.find("u8").unwrap() });
    let params = json!({ "textDocument": { "uri": uri }, "positions": [middle] });
    let grown = editor.ask("textDocument/selectionRange", params);
    let mut steps = 1;
    let mut at = &grown[0];
    assert_eq!(at["range"]["end"]["character"], text.find("u8").unwrap() + 2);
    while at["parent"].is_object() {
        (steps, at) = (steps + 1, &at["parent"]);
    }
    assert_eq!(steps, 80);
    editor.close();
}

#[test]
fn outlines_folds_colours_and_sizes() {
    let (mut editor, uri) = editor();
    let document = json!({ "textDocument": { "uri": uri } });
    let symbols = editor.ask("textDocument/documentSymbol", document.clone());
    let names: Vec<&str> =
        symbols.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Rules", "Bag", "Give"]);
    assert_eq!(symbols[1]["children"][0]["name"], "Points");
    let everywhere = editor.ask("workspace/symbol", json!({ "query": "ro" }));
    assert_eq!(everywhere[0]["name"], "Row");
    assert_eq!(everywhere[0]["containerName"], "Deep");
    let folds = editor.ask("textDocument/foldingRange", document.clone());
    assert_eq!((&folds[0]["startLine"], &folds[0]["endLine"]), (&json!(2), &json!(3)));
    assert_eq!((&folds[1]["startLine"], &folds[1]["endLine"]), (&json!(6), &json!(10)));
    let tokens = editor.ask("textDocument/semanticTokens/full", document.clone());
    // `import` at the very start, a keyword of six letters.
    assert_eq!(tokens["data"].as_array().unwrap()[..5], [json!(0), json!(0), json!(6), json!(1), json!(0)]);
    let lenses = editor.ask("textDocument/codeLens", document);
    assert_eq!(lenses[0]["command"]["title"], "index 0 \u{b7} data 3 bytes");
    let whole = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
    let params = json!({ "textDocument": { "uri": uri }, "range": whole });
    assert_eq!(editor.ask("textDocument/inlayHint", params.clone()), Value::Null);
    editor.tell(
        "workspace/didChangeConfiguration",
        json!({ "settings": { "blinkblox": { "inlayHints": true } } }),
    );
    let hints = editor.ask("textDocument/inlayHint", params);
    assert_eq!(hints[0]["label"], "3 bytes");
    let grown = editor.ask(
        "textDocument/selectionRange",
        json!({ "textDocument": { "uri": uri }, "positions": [{ "line": 3, "character": 2 }] }),
    );
    assert_eq!(grown[0]["range"]["start"], json!({ "line": 3, "character": 1 }));
    assert!(grown[0]["parent"]["parent"].is_object());
    editor.close();
}

#[test]
fn a_signature_is_shown_for_what_is_being_written() {
    let (mut editor, uri) = editor();
    editor.write(&uri, "-- é\nstruct Page<T> { Rows: T[] }\nevent A { Data: (\"é\": u8, At: Page<u8");
    let help = editor.ask("textDocument/signatureHelp", Editor::at(&uri, 2, 36));
    let signature = &help["signatures"][0];
    assert_eq!((&signature["label"], &help["activeParameter"]), (&json!("Page<T>"), &json!(0)));
    assert_eq!(signature["parameters"][0]["label"], json!([5, 6]));
    let help = editor.ask("textDocument/signatureHelp", Editor::at(&uri, 2, 28));
    let signature = &help["signatures"][0];
    assert_eq!(signature["label"], "Data: (\"é\": u8, At: Page<u8)");
    // Counted in halves of UTF-16, in which the letter with an accent is one.
    assert_eq!(signature["parameters"][1]["label"], json!([16, 27]));
    assert_eq!(help["activeParameter"], 1);
    editor.write(&uri, "event A { Call: ");
    let help = editor.ask("textDocument/signatureHelp", Editor::at(&uri, 0, 16));
    let signature = &help["signatures"][0];
    assert_eq!(signature["label"], "Call: SingleSync | SingleAsync | ManySync | ManyAsync | Polling");
    assert_eq!(signature["documentation"]["value"], "How listeners are called.");
    assert_eq!(editor.ask("textDocument/signatureHelp", Editor::at(&uri, 0, 0)), Value::Null);
    editor.close();
}

#[test]
fn completion_and_hovers_tell_bytes_while_a_line_is_being_written() {
    let (mut editor, uri) = editor();
    editor.write(&uri, "-- What a player has.\nstruct Bag { Coins: u16, Full: boolean, Note: string(..9) }\nexport type Id = u24\nevent A { Data: Ba");
    let items = editor.ask("textDocument/completion", Editor::at(&uri, 3, 18));
    let bag = items.as_array().unwrap().iter().find(|item| item["label"] == "Bag").unwrap();
    assert_eq!(bag["detail"], "3 to 12 bytes and 1 bit");
    assert_eq!(bag["documentation"], "What a player has.");
    editor.write(&uri, "struct Bag { Coins: u16, Full: boolean, Note: string(..9) }\nexport type Id = u24\n");
    let mut text = |line: u32, character: u32| {
        let hover = editor.ask("textDocument/hover", Editor::at(&uri, line, character));
        hover["contents"]["value"].as_str().unwrap().to_owned()
    };
    let bag = text(0, 8);
    for part in [
        "export type Bag = { Coins: number, Full: boolean, Note: string }",
        "```typescript",
        "As traffic: 3 to 12 bytes and 1 bit.",
        "Layout: 4 bytes in front, one of them bits, then what varies in length.",
    ] {
        assert!(bag.contains(part), "{part}: {bag}");
    }
    let id = text(1, 13);
    for part in ["As traffic: 3 bytes.", "As stored by `Write`: 3 bytes.", "Layout: 3 bytes in fixed places."]
    {
        assert!(id.contains(part), "{part}: {id}");
    }
    editor.close();
}

#[test]
fn hovers_tell_of_options_keys_and_declarations() {
    let (mut editor, uri) = editor();
    editor.write(
        &uri,
        "option DefaultRate = 7\nevent Say { From: Client, Type: Unreliable, Call: SingleSync, Data: u16 }\n",
    );
    let mut text = |line: u32, character: u32| {
        let hover = editor.ask("textDocument/hover", Editor::at(&uri, line, character));
        hover["contents"]["value"].as_str().unwrap().to_owned()
    };
    let option = text(0, 10);
    assert!(
        option.contains("`Rate` of everything a client sends that names none.") && option.contains("none"),
        "{option}"
    );
    assert!(text(1, 13).contains("The side that sends it."));
    let event = text(1, 7);
    for part in [
        "Event 0 of the unreliable channel, sent by clients",
        "At most 7 a second",
        "3 bytes, its index included",
    ] {
        assert!(event.contains(part), "{part}: {event}");
    }
    editor.close();
}
