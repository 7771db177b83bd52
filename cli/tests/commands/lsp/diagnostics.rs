//! What is at fault, and what mends it.

use serde_json::{Value, json};

use super::{Editor, MAIN, RULES, editor};

#[test]
fn diagnostics_come_and_go_as_the_text_changes() {
    let (mut editor, uri) = editor();
    assert_eq!(editor.diagnostics(&uri), [] as [&str; 0]);
    editor.write(&uri, &MAIN.replace("Data: Bag", "Data: Bga"));
    assert_eq!(editor.diagnostics(&uri), ["E3007 10"]);
    // The same when they are asked for.
    let pulled = editor.ask("textDocument/diagnostic", json!({ "textDocument": { "uri": uri } }));
    assert_eq!(pulled["kind"], "full");
    assert_eq!(pulled["items"][0]["code"], "E3007");
    assert!(pulled["items"][0]["message"].as_str().unwrap().contains("Did you mean"));
    editor.write(&uri, MAIN);
    assert_eq!(editor.diagnostics(&uri), [] as [&str; 0]);
    editor.close();
}

#[test]
fn of_a_great_many_diagnostics_the_first_are_shown() {
    let (mut editor, uri) = editor();
    editor.write(&uri, &"type A = Nothing ".repeat(3_000));
    assert_eq!(editor.diagnostics(&uri).len(), 500);
    editor.close();
}

#[test]
fn an_unsaved_import_counts() {
    let (mut editor, uri) = editor();
    let rules = editor.open_file("rules.blink");
    editor.write(&rules, "type Other = u16\n");
    assert_eq!(editor.diagnostics(&uri), ["E3007 3"]);
    editor.write(&rules, "type Score = u99\n");
    assert_eq!(editor.diagnostics(&rules), ["E3007 0"]);
    editor.tell("textDocument/didClose", json!({ "textDocument": { "uri": rules } }));
    assert_eq!(editor.diagnostics(&uri), [] as [&str; 0]);
    assert_eq!(editor.diagnostics(&rules), [] as [&str; 0]);
    editor.close();
}

#[test]
fn corrections_are_offered_where_the_fault_is() {
    let (mut editor, uri) = editor();
    editor.write(&uri, &MAIN.replace("Data: Bag", "Data: Bga"));
    let range = json!({ "start": { "line": 10, "character": 8 }, "end": { "line": 10, "character": 8 } });
    let params = |range: &Value| json!({ "textDocument": { "uri": uri }, "range": range, "context": { "diagnostics": [] } });
    let actions = editor.ask("textDocument/codeAction", params(&range));
    assert_eq!(actions[0]["kind"], "quickfix");
    assert_eq!(actions[0]["edit"]["changes"][&uri][0]["newText"], "Bag");
    let elsewhere = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 1 } });
    assert_eq!(editor.ask("textDocument/codeAction", params(&elsewhere)), json!([]));
    editor.close();
}

/// Places on one line are found without walking the line: a file whose faults are all on its first line, and not of one
/// byte a character, is answered for as quickly as any. The pace is held to that of the same file with its lines apart.
#[test]
fn thousands_of_faults_on_one_line_are_no_slower_than_on_many() {
    let mut took = Vec::new();
    for gap in ["\n", " "] {
        let mut text = "-- \u{e9}\u{1F600}".to_string() + "\n";
        text += &format!("type A = Nothing{gap}struct B {{ X: Nowhere, \"\u{e9}\" }}{gap}").repeat(3_000);
        let (mut editor, uri) = editor();
        let started = std::time::Instant::now();
        editor.write(&uri, &text);
        assert_eq!(editor.diagnostics(&uri).len(), 500);
        let document = json!({ "textDocument": { "uri": uri } });
        let tokens = editor.ask("textDocument/semanticTokens/full", document);
        assert!(tokens["data"].as_array().unwrap().len() > 20_000);
        let (start, end) = (json!({ "line": 1, "character": 0 }), json!({ "line": 1, "character": 5 }));
        let range = json!({ "start": start, "end": end });
        let asked =
            json!({ "textDocument": { "uri": uri }, "range": range, "context": { "diagnostics": [] } });
        editor.ask("textDocument/codeAction", asked);
        took.push(started.elapsed());
        editor.close();
    }
    println!("on many lines {:?}, on one {:?}", took[0], took[1]);
    assert!(took[1] < took[0] * 4 + std::time::Duration::from_millis(500), "{took:?}");
}

#[test]
fn a_diagnostic_leads_to_its_page_and_to_what_it_is_about() {
    let (mut editor, uri) = editor();
    editor.write(&uri, "option UseColon = true\ntype A = u8\ntype A = u16\nevent E { From: Client, Type: Reliable, Call: SingleSync, Poll: true, Priority: Low }\n");
    let pulled = editor.ask("textDocument/diagnostic", json!({ "textDocument": { "uri": uri } }));
    let of = |code: &str| {
        let items = pulled["items"].as_array().unwrap();
        let found = items.iter().find(|item| item["code"] == code);
        found.unwrap_or_else(|| panic!("{code}: {items:?}")).clone()
    };
    let twice = of("E3010");
    assert_eq!(
        twice["codeDescription"]["href"],
        "https://blinkblox.github.io/blinkblox/codes.html#e3010-analyzeduplicatedeclaration"
    );
    assert_eq!(twice["relatedInformation"][0]["location"]["range"]["start"]["line"], 1);
    // Deprecated, with the tag editors strike it through by.
    assert_eq!(of("W3017")["tags"], json!([2]));
    editor.close();
}

/// What does nothing is faded: the tag is on it alone, and on nothing that is at fault for another reason.
#[test]
fn what_has_no_effect_is_tagged_as_unnecessary() {
    let (mut editor, uri) = editor();
    let low = "event Far { From: Server, Type: Unreliable, Call: SingleSync, Data: u8, Priority: Low }\n";
    let idle = "event Heads { From: Server, Type: OrderedUnreliable, Call: SingleSync, Stream: { Rate: 2, Keepalive: 0.1 }, Data: vector }\n";
    let channel =
        "event Spark { From: Server, Type: Unreliable, Channel: Controls, Call: SingleSync, Data: u8 }\n";
    let rate = "event Told { From: Server, Type: Reliable, Call: SingleSync, Rate: 5, Data: u8 }\n";
    let text = format!("{low}{idle}{channel}{rate}");
    editor.write(&uri, &text);
    let pulled = editor.ask("textDocument/diagnostic", json!({ "textDocument": { "uri": uri } }));
    let items = pulled["items"].as_array().unwrap();
    let seen: Vec<(&str, &Value, &str)> = items
        .iter()
        .map(|item| {
            let (start, end) = (&item["range"]["start"], &item["range"]["end"]);
            let line = text.lines().nth(start["line"].as_u64().unwrap() as usize).unwrap();
            let column = |place: &Value| place["character"].as_u64().unwrap() as usize;
            (item["code"].as_str().unwrap(), &item["tags"], &line[column(start)..column(end)])
        })
        .collect();
    let unnecessary = json!([1]);
    let expected = [
        ("W3035", &unnecessary, "Priority: Low"),
        ("W3043", &unnecessary, "0.1"),
        ("W3043", &unnecessary, "Channel: Controls"),
        // The limit does nothing, but what is marked is the event.
        ("W3020", &Value::Null, "Told"),
    ];
    assert_eq!(seen, expected);
    // Told unasked, too; and an error of the same code is no dead weight.
    editor.write(
        &uri,
        "event Far { From: Server, Type: Reliable, Call: SingleSync, Data: u8, Priority: Low }\n",
    );
    let pulled = editor.ask("textDocument/diagnostic", json!({ "textDocument": { "uri": uri } }));
    assert_eq!((&pulled["items"][0]["code"], &pulled["items"][0]["tags"]), (&"E3035".into(), &Value::Null));
    editor.close();
}

#[test]
fn entries_are_checked_though_nobody_has_them_open() {
    let broken = "type A = Nothing\n";
    let files = [
        ("blinkblox.toml", "[[schema]]\npath = \"net/game.blink\"\n"),
        ("net/game.blink", broken),
        ("net/other.blink", broken),
        ("main.blink", MAIN),
        ("rules.blink", RULES),
    ];
    for (settings, wanted) in [
        (Value::Null, "net/game.blink"),
        (json!({ "entries": ["net/other.blink", "net/missing.blink"] }), "net/other.blink"),
    ] {
        let mut editor = Editor::open_as(&files, &json!({}), &settings);
        for name in ["net/game.blink", "net/other.blink"] {
            let uri = editor.uri(name);
            let expected: &[&str] = if name == wanted { &["E3007 0"] } else { &[] };
            assert_eq!(editor.diagnostics(&uri), expected, "{name}");
        }
        // It is mended on disk.
        std::fs::write(editor.folder.path().join(wanted), "type A = u8\n").unwrap();
        editor.tell("workspace/didChangeWatchedFiles", json!({ "changes": [] }));
        let uri = editor.uri(wanted);
        assert_eq!(editor.diagnostics(&uri), [] as [&str; 0]);
        editor.close();
    }
}
