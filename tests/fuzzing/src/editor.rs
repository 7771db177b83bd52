//! The language server: whatever an editor says, in whatever order, it is answered once and in the protocol's form.
//!
//! What starts a process or looks through folders is left out: building, verifying, and naming folders.

use std::io::Write;
use std::sync::{Arc, LazyLock, Mutex};

use arbitrary::{Result, Unstructured};
use blinkblox_command::lsp::Server;
use lsp_server::Message;
use serde_json::{Value, json};

use crate::seeds;

/// Requests about a place in a document.
const PLACED: &[&str] = &[
    "textDocument/completion",
    "textDocument/hover",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/prepareRename",
    "textDocument/rename",
    "textDocument/selectionRange",
    "textDocument/onTypeFormatting",
];

/// Requests about a document or a part of it.
const WHOLE: &[&str] = &[
    "textDocument/documentSymbol",
    "textDocument/foldingRange",
    "textDocument/formatting",
    "textDocument/rangeFormatting",
    "textDocument/documentLink",
    "textDocument/codeAction",
    "textDocument/codeLens",
    "textDocument/inlayHint",
    "textDocument/semanticTokens/full",
    "textDocument/diagnostic",
    "workspace/symbol",
];

/// Addresses whose folders are not there.
const URIS: &[&str] = &[
    "file:///nowhere/blinkblox/main.blink",
    "file:///nowhere/blinkblox/other.blink",
    "untitled:Untitled-1",
    "file:///nowhere/%C3%A9%20x.blink",
];

/// What is typed.
const TYPED: &[&str] = &[
    "",
    "\n",
    " ",
    "}",
    "{",
    "struct A { X: u8 }\n",
    "event E { From: ",
    "type é = ",
    "\u{1F600}",
    "import \"./other\" as O\n",
    "O.A",
    "..",
    "-- x\n",
    "--[[",
    "]]",
    "\"",
    "@profile(\"test\") ",
    "option Casing = ",
    "\r\n",
    "u8(0..",
    "state S { Data: A }\n",
];

/// Takes everything, and keeps it.
#[derive(Clone, Default)]
struct Said(Arc<Mutex<Vec<u8>>>);

impl Write for Said {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().map_err(|_| std::io::ErrorKind::Other)?.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A first byte of 0 says that the rest is messages, one a line; any other, that they are drawn from it.
pub(crate) fn run(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else { return };
    let messages = match first {
        0 => {
            let lines = rest.split(|byte| *byte == b'\n');
            lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()
        }
        _ => {
            let mut drawn = Vec::new();
            // Out of bytes is the end of the session.
            let _ = draw(&mut Unstructured::new(rest), &mut drawn);
            drawn
        }
    };
    let said = Said::default();
    let mut server = Server::new(said.clone());
    let mut asked = 0;
    for message in messages.into_iter().filter(is_harmless) {
        let Ok(message) = serde_json::from_value::<Message>(message) else { continue };
        asked += usize::from(matches!(message, Message::Request(_)));
        if server.handle(message).expect("the editor reads").is_some() {
            break;
        }
    }
    let said = said.0.lock().expect("nobody else has it");
    assert_eq!(answers(&said), asked, "requests and answers");
}

/// How many answers there are among messages in the protocol's form.
fn answers(mut said: &[u8]) -> usize {
    let mut count = 0;
    while let Some(message) = Message::read(&mut said).expect("a message in form") {
        count += usize::from(matches!(message, Message::Response(_)));
    }
    count
}

/// Whether a message stays in memory.
fn is_harmless(message: &Value) -> bool {
    let method = message.get("method").and_then(Value::as_str).unwrap_or_default();
    let text = message.to_string();
    // An address of a file that may be there, or a command that starts a process.
    let elsewhere = text.contains("file:///") && !text.contains("file:///nowhere/");
    method != "textDocument/didSave"
        && !text.contains("blinkblox.server.")
        && !elsewhere
        && !text.contains("\"/")
}

fn draw(bytes: &mut Unstructured<'_>, messages: &mut Vec<Value>) -> Result<()> {
    let utf8 = bytes.arbitrary::<bool>()?;
    let encodings = if utf8 { json!(["utf-8"]) } else { json!(["utf-16"]) };
    let capabilities = json!({ "general": { "positionEncodings": encodings } });
    messages.push(json!({ "id": 0, "method": "initialize", "params": { "capabilities": capabilities } }));
    static TEXTS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(seeds::schemas);
    let mut id = 1;
    while !bytes.is_empty() {
        let uri = *bytes.choose(URIS)?;
        let document = json!({ "uri": uri });
        let mut place = || {
            Ok(json!({ "line": bytes.int_in_range(0..=12u32)?, "character": bytes.int_in_range(0..=40u32)? }))
        };
        let (from, to) = (place()?, place()?);
        let range = json!({ "start": from, "end": to });
        let note = match bytes.int_in_range(0..=9u8)? {
            0 => {
                // A schema of the tests, as far as somebody has written it.
                let text = String::from_utf8_lossy(bytes.choose(&TEXTS)?).into_owned();
                let cut = bytes.int_in_range(0..=text.len())?;
                let cut = (cut..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
                let text = if bytes.arbitrary()? { &text[..] } else { &text[..cut] };
                let document = json!({ "uri": uri, "languageId": "blink", "version": 1, "text": text });
                Some(("textDocument/didOpen", json!({ "textDocument": document })))
            }
            1..=3 => {
                let typed = *bytes.choose(TYPED)?;
                let change = if bytes.ratio(1u8, 8u8)? {
                    json!({ "text": typed })
                } else {
                    json!({ "range": range, "text": typed })
                };
                let document = json!({ "uri": uri, "version": 2 });
                Some((
                    "textDocument/didChange",
                    json!({ "textDocument": document, "contentChanges": [change] }),
                ))
            }
            4 if bytes.ratio(1u8, 6u8)? => {
                Some(("textDocument/didClose", json!({ "textDocument": document })))
            }
            4 => {
                let settings = json!({ "profile": bytes.choose(&["test", "release", "none"])?, "inlayHints": bytes.arbitrary::<bool>()? });
                Some(("workspace/didChangeConfiguration", json!({ "settings": { "blinkblox": settings } })))
            }
            _ => None,
        };
        if let Some((method, params)) = note {
            messages.push(json!({ "method": method, "params": params }));
            continue;
        }
        let placed = bytes.arbitrary::<bool>()?;
        let method = *bytes.choose(if placed { PLACED } else { WHOLE })?;
        let params = json!({
            "textDocument": document,
            "position": from,
            "positions": [from, to],
            "range": range,
            "newName": bytes.choose(&["Fresh", "u8", "a b", "", "é", "type", "A.B"])?,
            "context": { "includeDeclaration": true, "diagnostics": [], "triggerKind": 1 },
            "options": { "tabSize": 4, "insertSpaces": placed },
            "ch": "}",
            "query": bytes.choose(&["", "A", "ev"])?,
        });
        messages.push(json!({ "id": id, "method": method, "params": params }));
        id += 1;
    }
    Ok(())
}

/// Sessions drawn, and one written out.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let mut numbers = crate::mutate::Numbers(11);
    let drawn = (0..30usize).map(|seed| {
        let bytes = (0..40 + 20 * seed).map(|_| numbers.draw() as u8);
        std::iter::once(1).chain(bytes).collect::<Vec<u8>>()
    });
    let mut all: Vec<Vec<u8>> = drawn.collect();
    let opened = json!({ "uri": URIS[0], "languageId": "blink", "version": 1, "text": "struct A { X: u8 }\nevent B { From: Server }" });
    let place = json!({ "line": 0, "character": 8 });
    let written = [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": { "capabilities": {} } }),
        json!({ "jsonrpc": "2.0", "method": "textDocument/didOpen", "params": { "textDocument": opened } }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "textDocument/hover",
            "params": { "textDocument": { "uri": URIS[0] }, "position": place } }),
        json!({ "jsonrpc": "2.0", "id": "x", "method": "textDocument/codeAction",
            "params": { "textDocument": { "uri": URIS[0] }, "range": { "start": place, "end": place }, "context": { "diagnostics": [] } } }),
        json!({ "jsonrpc": "2.0", "id": 3, "method": "shutdown" }),
        json!({ "jsonrpc": "2.0", "method": "exit" }),
    ];
    let written: Vec<String> = written.iter().map(Value::to_string).collect();
    all.push([&[0], written.join("\n").as_bytes()].concat());
    all
}
