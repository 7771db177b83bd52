//! Layout, of a text and of parts.

use serde_json::{Value, json};

use super::editor;

#[test]
fn formatting_is_that_of_the_formatter() {
    let (mut editor, uri) = editor();
    let options = json!({ "tabSize": 4, "insertSpaces": false });
    let params = json!({ "textDocument": { "uri": uri }, "options": options });
    editor.write(&uri, "type   A=u8");
    let edits = editor.ask("textDocument/formatting", params.clone());
    assert_eq!(edits[0]["newText"], "type A = u8\n");
    editor.write(&uri, "type A = u8\n");
    assert_eq!(editor.ask("textDocument/formatting", params.clone()), json!([]));
    editor.write(&uri, "type A = {");
    assert_eq!(editor.ask("textDocument/formatting", params), Value::Null);
    editor.close();
}

#[test]
fn a_selection_and_what_a_brace_closes_are_laid_out_alone() {
    let (mut editor, uri) = editor();
    editor.write(&uri, "type   A=u8\nstruct  B{X:A}\ntype   C=u8\n");
    let options = json!({ "tabSize": 4, "insertSpaces": false });
    let document = json!({ "uri": uri });
    let range = json!({ "start": { "line": 1, "character": 3 }, "end": { "line": 1, "character": 4 } });
    let params = json!({ "textDocument": document, "range": range, "options": options });
    let edits = editor.ask("textDocument/rangeFormatting", params);
    assert_eq!(edits[0]["newText"], "struct B { X: A }");
    assert_eq!(edits[0]["range"]["start"], json!({ "line": 1, "character": 0 }));
    assert_eq!(edits[0]["range"]["end"], json!({ "line": 1, "character": 14 }));
    for (character, expected) in [(14, 1), (9, 0)] {
        let position = json!({ "line": 1, "character": character });
        let params = json!({ "textDocument": document, "position": position, "ch": "}", "options": options });
        let edits = editor.ask("textDocument/onTypeFormatting", params);
        assert_eq!(edits.as_array().map_or(0, Vec::len), expected, "{edits}");
    }
    editor.write(&uri, "struct B {\n");
    let position = json!({ "line": 0, "character": 10 });
    let params = json!({ "textDocument": document, "position": position, "ch": "}", "options": options });
    assert_eq!(editor.ask("textDocument/onTypeFormatting", params), Value::Null);
    editor.close();
}
