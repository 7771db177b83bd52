//! The language server, spoken to as an editor speaks to it: the editor is here, what it sees is by topic.

mod answers;
mod diagnostics;
mod formatting;
mod modules;
mod names;
mod session;

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// An editor with a folder open.
struct Editor {
    server: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    folder: TempDir,
    asked: i32,
    /// Diagnostics last told of each file.
    told: Vec<(String, Value)>,
    /// What the person was told.
    messages: Vec<String>,
}

impl Editor {
    /// Starts the server on a folder of files.
    fn open(files: &[(&str, &str)]) -> Editor {
        Editor::open_as(files, &json!({}), &Value::Null)
    }

    /// The same with what the editor can do, and its settings.
    fn open_as(files: &[(&str, &str)], capabilities: &Value, settings: &Value) -> Editor {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::create_dir_all(folder.path().join(name).parent().unwrap()).unwrap();
            std::fs::write(folder.path().join(name), text).unwrap();
        }
        let mut server = Command::new(env!("CARGO_BIN_EXE_blinkblox"))
            .args(["lsp", "--stdio"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (server.stdin.take().unwrap(), server.stdout.take().unwrap());
        let output = BufReader::new(output);
        let (told, messages) = (Vec::new(), Vec::new());
        let mut editor = Editor { server, input, output, folder, asked: 0, told, messages };
        let root = url::Url::from_directory_path(editor.folder.path()).unwrap().to_string();
        let folders = json!([{ "uri": root, "name": "game" }]);
        let params = json!({
            "capabilities": capabilities,
            "initializationOptions": settings,
            "processId": null,
            "rootUri": null,
            "workspaceFolders": folders,
        });
        let answer = editor.ask("initialize", params);
        assert_eq!(answer["serverInfo"]["name"], "blinkblox");
        let is_utf8 = capabilities["general"]["positionEncodings"][0] == "utf-8";
        let encoding = if is_utf8 { "utf-8" } else { "utf-16" };
        assert_eq!(answer["capabilities"]["positionEncoding"], encoding);
        editor.tell("initialized", json!({}));
        editor
    }

    fn uri(&self, name: &str) -> String {
        url::Url::from_file_path(self.folder.path().join(name)).unwrap().to_string()
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        self.input.flush().unwrap();
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "the server left");
            match line.trim_end() {
                "" => break,
                line => {
                    if let Some(value) = line.strip_prefix("Content-Length: ") {
                        length = value.parse().unwrap();
                    }
                }
            }
        }
        let mut text = vec![0; length];
        self.output.read_exact(&mut text).unwrap();
        serde_json::from_slice(&text).unwrap()
    }

    /// The answer to a request, whole.
    fn answer(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.receive();
            if message["method"] == "textDocument/publishDiagnostics" {
                let params = message["params"].clone();
                let uri = params["uri"].as_str().unwrap().to_string();
                self.told.retain(|(told, _)| *told != uri);
                self.told.push((uri, params["diagnostics"].clone()));
            } else if message["method"] == "window/showMessage" {
                self.messages.push(message["params"]["message"].as_str().unwrap().to_string());
            } else if message["id"] == id {
                return message;
            }
        }
    }

    /// The result of a request that must have one.
    fn ask(&mut self, method: &str, params: Value) -> Value {
        let answer = self.answer(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    fn open_file(&mut self, name: &str) -> String {
        let text = std::fs::read_to_string(self.folder.path().join(name)).unwrap();
        let uri = self.uri(name);
        let document = json!({ "uri": uri, "languageId": "blink", "version": 1, "text": text });
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
        uri
    }

    /// Replaces the text of an open file.
    fn write(&mut self, uri: &str, text: &str) {
        self.tell(
            "textDocument/didChange",
            json!({ "textDocument": { "uri": uri, "version": 2 }, "contentChanges": [{ "text": text }] }),
        );
    }

    /// Params of a request about a place.
    fn at(uri: &str, line: u32, character: u32) -> Value {
        json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": character } })
    }

    /// Code and line of each diagnostic last told of a file.
    fn diagnostics(&mut self, uri: &str) -> Vec<String> {
        // An answer comes behind everything told before it.
        self.answer("textDocument/foldingRange", json!({ "textDocument": { "uri": uri } }));
        let told = self.told.iter().find(|(told, _)| told == uri).map(|(_, told)| told.clone());
        let told = told.unwrap_or(Value::Null);
        let all = told.as_array().cloned().unwrap_or_default();
        all.iter()
            .map(|one| format!("{} {}", one["code"].as_str().unwrap(), one["range"]["start"]["line"]))
            .collect()
    }

    fn close(mut self) {
        assert_eq!(self.ask("shutdown", Value::Null), Value::Null);
        self.tell("exit", Value::Null);
        assert!(self.server.wait().unwrap().success());
    }
}

impl Editor {
    fn execute(&mut self, command: &str, arguments: Value) -> Value {
        let command = format!("blinkblox.server.{command}");
        self.answer("workspace/executeCommand", json!({ "command": command, "arguments": arguments }))
    }

    /// What the person was told since the last look.
    fn heard(&mut self, uri: &str) -> Vec<String> {
        // An answer comes behind everything told before it.
        self.answer("textDocument/foldingRange", json!({ "textDocument": { "uri": uri } }));
        std::mem::take(&mut self.messages)
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        let _ = self.server.kill();
    }
}

const RULES: &str = "type Score = u16\nscope Deep {\n\ttype Row = Score\n}\n";
const MAIN: &str = "import \"./rules\" as Rules\n\nstruct Bag {\n\tPoints: Rules.Score,\n}\n\nevent Give {\n\tFrom: Server,\n\tType: Reliable,\n\tCall: ManySync,\n\tData: Bag,\n}\n";

fn editor() -> (Editor, String) {
    let mut editor = Editor::open(&[("main.blink", MAIN), ("rules.blink", RULES)]);
    let uri = editor.open_file("main.blink");
    (editor, uri)
}
