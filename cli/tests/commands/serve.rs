//! `blinkblox serve`, as a program that talks HTTP: whom it answers, what it answers, and what it does not survive on.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{blinkblox, code, err, project};

/// A service that runs until it is dropped.
pub struct Service {
    child: Child,
    /// Where it listens.
    pub port: u16,
    /// What it wants to see.
    pub token: String,
}

impl Service {
    /// A service on a free port.
    pub fn start() -> Service {
        Service::start_with(&[])
    }

    fn start_with(more: &[&str]) -> Service {
        let mut child = Command::new(env!("CARGO_BIN_EXE_blinkblox"))
            .args(["serve", "--port", "0", "--json"])
            .args(more)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap();
        let port = u16::try_from(told["port"].as_u64().unwrap()).unwrap();
        assert_eq!(told["address"], format!("http://127.0.0.1:{port}"));
        Service { child, port, token: told["token"].as_str().unwrap().to_string() }
    }

    fn head(&self, path: &str, length: usize) -> String {
        format!(
            "POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nX-BlinkBlox-Token: {}\r\nContent-Length: {length}\r\nConnection: close\r\n",
            self.port, self.token
        )
    }

    fn ask(&self, path: &str, body: &Value) -> Value {
        let body = body.to_string();
        let head = self.head(path, body.len()) + "\r\n";
        let (status, answer) = send(self.port, head.as_bytes(), body.as_bytes());
        let answer = serde_json::from_slice(&answer).unwrap();
        assert_eq!(status, 200, "{answer}");
        answer
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a request to a service and gives the status and body of its answer; status 0 when there is none.
pub fn send(port: u16, head: &[u8], body: &[u8]) -> (u16, Vec<u8>) {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    // A service that has answered already does not read on.
    let _ = stream.write_all(head).and_then(|()| stream.write_all(body));
    let _ = stream.shutdown(Shutdown::Write);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let status = answer.get(9..12).and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").map_or(answer.len(), |at| at + 4);
    (status.unwrap_or(0), answer.split_off(end))
}

#[test]
fn only_requests_of_this_machine_with_the_token_are_answered() {
    let service = Service::start();
    let (port, token) = (service.port, &service.token);
    let ask = |line: &str, headers: &[String]| {
        let head = format!("{line} HTTP/1.1\r\n{}\r\n\r\n", headers.join("\r\n"));
        let (status, body) = send(port, head.as_bytes(), b"{}");
        let answer: Value = serde_json::from_slice(&body).unwrap_or_default();
        (status, answer["error"]["message"].as_str().unwrap_or_default().to_string())
    };
    let host = format!("Host: 127.0.0.1:{port}");
    let key = format!("X-BlinkBlox-Token: {token}");
    let rest = ["Content-Length: 2".to_string(), "Connection: close".to_string()];
    let with = |headers: &[&String]| -> Vec<String> {
        headers.iter().map(|header| (*header).clone()).chain(rest.clone()).collect()
    };
    assert_eq!(ask("POST /v1/hello", &with(&[&host, &key])).0, 200);
    let (status, text) = ask("POST /v1/hello", &with(&[&host]));
    assert!(status == 401 && text.contains("the token is missing"), "{status} {text}");
    let wrong = "X-BlinkBlox-Token: aaaaaaaaaaaaaaaaaaaaaaaaaa".to_string();
    let (status, text) = ask("POST /v1/hello", &with(&[&host, &wrong]));
    assert!(status == 401 && text.contains("copy the one the running `blinkblox serve` prints"), "{text}");
    let origin = "Origin: https://evil.example".to_string();
    let (status, text) = ask("POST /v1/hello", &with(&[&host, &key, &origin]));
    assert!(status == 403 && text.contains("web pages"), "{status} {text}");
    let foreign = format!("Host: evil.example:{port}");
    let (status, text) = ask("POST /v1/hello", &with(&[&foreign, &key]));
    assert!(status == 421 && text.contains("evil.example"), "{status} {text}");
    let (status, text) = ask("GET /v1/hello", &with(&[&host, &key]));
    assert!(status == 405 && text.contains("POST"), "{status} {text}");
    let (status, text) = ask("POST /v2/nothing", &with(&[&host, &key]));
    assert!(status == 404 && text.contains("/v1/compile"), "{status} {text}");
    // A browser that asks first is refused too.
    assert_eq!(ask("OPTIONS /v1/hello", &with(&[&host, &origin])).0, 403);
}

#[test]
fn no_request_ends_the_service() {
    let service = Service::start();
    let port = service.port;
    let long = "a".repeat(100_000);
    let heads: Vec<Vec<u8>> = vec![
        b"".to_vec(),
        b"\0\0\0\0".to_vec(),
        b"GET".to_vec(),
        b"POST / HTTP/9.9\r\n\r\n".to_vec(),
        b"POST /v1/check HTTP/1.1\r\nHost:\r\n\r\n".to_vec(),
        format!("POST /{long} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n").into_bytes(),
        format!("POST / HTTP/1.1\r\nX: {long}\r\n\r\n").into_bytes(),
        (service.head("/v1/check", 5) + "Transfer-Encoding: chunked\r\n\r\nzz\r\n").into_bytes(),
        (service.head("/v1/check", 99_999_999_999) + "\r\n").into_bytes(),
        (service.head("/v1/check", 10) + "\r\nshort").into_bytes(),
        [service.head("/v1/check", 4).as_bytes(), b"X-Odd: \xff\xfe\r\n\r\n\xff\xfe\xfd\xfc"].concat(),
        (service.head("/v1/check", 200_000) + "\r\n" + &"[".repeat(200_000)).into_bytes(),
    ];
    for head in &heads {
        let (status, body) = send(port, head, b"");
        assert!(status == 0 || status >= 400, "{status} for {}", String::from_utf8_lossy(head));
        assert!(status != 500, "{}", String::from_utf8_lossy(&body));
    }
    let (status, _) = send(port, (service.head("/v1/check", 40 << 20) + "\r\n").as_bytes(), b"");
    assert!(status == 413 || status == 400, "{status}");
    // Schemas no better than these requests.
    let deep = format!("type A = {}u8{}", "struct { X: ".repeat(3000), " }".repeat(3000));
    for text in [deep.as_str(), "--[[", "import \"Game\"", "\u{0}", "\u{feff}\u{feff}"] {
        let files = json!([{ "name": "Game", "text": text }]);
        let answer = service.ask("/v1/compile", &json!({ "files": files, "entry": "Game" }));
        assert_eq!(answer["version"], 1);
    }
    assert_eq!(service.ask("/v1/hello", &json!({}))["name"], "BlinkBlox");
}

/// A schema of the tests: its files, the entry first, and the profile it is for.
struct Case {
    name: String,
    files: Vec<(String, String)>,
    profile: String,
}

impl Case {
    /// A text in which a line `---- name.blink` starts another file. Every output is named, so that the command writes it.
    fn of(path: &Path) -> Case {
        let text = std::fs::read_to_string(path).unwrap();
        let profile = text.lines().find_map(|line| line.strip_prefix("-- profile: ")).unwrap_or("release");
        let outputs = ["Server", "Client", "Types"];
        let mut files = vec![("main.blink".to_string(), String::new())];
        files[0].1.extend(outputs.map(|side| format!("option {side}Output = \"{side}\"\n")));
        for line in text.split_inclusive('\n') {
            match line.strip_prefix("---- ") {
                Some(name) => files.push((name.trim().to_string(), String::new())),
                None if outputs.iter().any(|side| line.contains(&format!("option {side}Output"))) => {}
                None => files.last_mut().unwrap().1.push_str(line),
            }
        }
        Case { name: path.display().to_string(), profile: profile.trim().to_string(), files }
    }

    fn all() -> Vec<Case> {
        let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests");
        let list = |folder: &str| -> Vec<_> {
            std::fs::read_dir(tests.join(folder)).unwrap().map(|entry| entry.unwrap().path()).collect()
        };
        let golden = list("golden").into_iter().map(|path| path.join("schema.blink"));
        let corpus = list("corpus/ok").into_iter();
        let mut paths: Vec<_> = golden
            .chain(corpus)
            .filter(|path| path.is_file() && path.extension().is_some_and(|end| end == "blink"))
            .collect();
        paths.sort();
        paths.iter().map(|path| Case::of(path)).collect()
    }
}

#[test]
fn modules_are_the_commands_byte_for_byte() {
    let cases = Case::all();
    assert!(cases.len() >= 180, "{} schemas", cases.len());
    // The command compiles them all at once; each is in a folder of its own.
    let folder = tempfile::tempdir().unwrap();
    for (index, case) in cases.iter().enumerate() {
        for (name, text) in &case.files {
            let path = folder.path().join(format!("{index}/{name}"));
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
    }
    let mut profiles: Vec<&str> = cases.iter().map(|case| case.profile.as_str()).collect();
    profiles.sort_unstable();
    profiles.dedup();
    for profile in profiles {
        let entries = cases.iter().enumerate().filter(|(_, case)| case.profile == profile);
        let entries: Vec<String> = entries.map(|(index, _)| format!("{index}/main.blink")).collect();
        let mut arguments = vec!["build", "-q", "--yes", "-p", profile];
        arguments.extend(entries.iter().map(String::as_str));
        let output = blinkblox(&folder, &arguments);
        assert_eq!(code(&output), 0, "{}", err(&output));
    }
    let service = Service::start();
    for (index, case) in cases.iter().enumerate() {
        let files: Vec<Value> = case
            .files
            .iter()
            .map(|(name, text)| json!({ "name": name.trim_end_matches(".blink"), "text": text }))
            .collect();
        let answer =
            service.ask("/v1/compile", &json!({ "files": files, "entry": "main", "profile": case.profile }));
        for (module, file) in [("server", "Server"), ("client", "Client"), ("types", "Types")] {
            let path = folder.path().join(format!("{index}/{file}.luau"));
            let own = std::fs::read_to_string(path).unwrap();
            assert!(answer["modules"][module].as_str() == Some(&own), "{file} of {} differs", case.name);
        }
    }
}

#[test]
fn a_token_file_keeps_one_token() {
    let folder = project(&[("short", "abc\n")]);
    let path = folder.path().join("token");
    let path = path.to_str().unwrap();
    let first = Service::start_with(&["--token-file", path]).token.clone();
    assert_eq!(std::fs::read_to_string(path).unwrap(), format!("{first}\n"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    assert_eq!(Service::start_with(&["--token-file", path]).token, first);
    let output = blinkblox(&folder, &["serve", "--port", "0", "--token-file", "short"]);
    assert_eq!(code(&output), 1);
    assert!(err(&output).contains("at least 16 characters"), "{}", err(&output));
}

#[cfg(unix)]
#[test]
fn an_interrupt_is_no_failure() {
    let mut service = Service::start();
    let id = service.child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().unwrap().success());
    assert_eq!(service.child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_port_that_is_taken_is_named() {
    let service = Service::start();
    let folder = project(&[]);
    let output = blinkblox(&folder, &["serve", "--port", &service.port.to_string()]);
    assert_eq!(code(&output), 1);
    let told = err(&output);
    assert!(told.contains(&format!("port {}", service.port)) && told.contains("--port 0"), "{told}");
}

#[test]
fn bodies_that_make_no_sense_are_refused_in_words() {
    let service = Service::start();
    let ask = |path: &str, body: &[u8]| {
        let head = service.head(path, body.len()) + "\r\n";
        let (status, answer) = send(service.port, head.as_bytes(), body);
        let answer: Value = serde_json::from_slice(&answer).unwrap_or_default();
        (status, answer["error"]["message"].as_str().unwrap_or_default().to_string())
    };
    let nested = format!("{{\"files\":{}{}}}", "[".repeat(50_000), "]".repeat(50_000));
    let bodies: [&[u8]; 14] = [
        b"",
        b"null",
        b"[]",
        b"3",
        b"\"text\"",
        b"{",
        b"{\"files\": 5, \"entry\": \"A\"}",
        b"{\"files\": [5], \"entry\": \"A\"}",
        b"{\"files\": [{\"name\": 1, \"text\": 2}], \"entry\": \"A\"}",
        b"{\"files\": [{\"name\": \"A\", \"text\": null}], \"entry\": \"A\"}",
        b"{\"files\": [], \"entry\": \"Nobody\"}",
        b"{\"files\": [{\"name\": \"A\", \"text\": \"\\ud800\"}], \"entry\": \"A\"}",
        b"{\"files\": [{\"name\": \"A\", \"text\": \"\"}], \"entry\": \"A\", \"profile\": \"none\"}",
        nested.as_bytes(),
    ];
    let paths = [
        "/v1/check",
        "/v1/compile",
        "/v1/complete",
        "/v1/hover",
        "/v1/definition",
        "/v1/rename",
        "/v1/format",
    ];
    for path in paths {
        for body in bodies {
            let (status, text) = ask(path, body);
            let shown = String::from_utf8_lossy(&body[..body.len().min(80)]).into_owned();
            assert!((400..500).contains(&status), "{path} {shown}: {status}");
            assert!(!text.is_empty() && text.len() < 400, "{path} {shown}: {text}");
        }
    }
    // Places past every end are places.
    let files = json!([{ "name": "A", "text": "event A {" }]);
    for at in [0_u64, 9, 10, 4_000_000_000] {
        for path in ["/v1/complete", "/v1/hover", "/v1/definition", "/v1/rename"] {
            let body =
                json!({ "files": files, "entry": "A", "file": "A", "offset": at, "line": at, "column": at });
            let (status, text) = ask(path, body.to_string().as_bytes());
            assert!(status == 200 || (status == 400 && !text.is_empty()), "{path} {at}: {status} {text}");
        }
    }
    assert_eq!(service.ask("/v1/hello", &json!({}))["name"], "BlinkBlox");
}

/// A body that trickles in holds up nobody else.
#[test]
fn a_slow_body_holds_up_nobody() {
    let service = Service::start();
    let mut slow: Vec<TcpStream> = (0..40)
        .map(|_| {
            let mut stream = TcpStream::connect(("127.0.0.1", service.port)).unwrap();
            let head = service.head("/v1/check", 1000) + "\r\n{";
            stream.write_all(head.as_bytes()).unwrap();
            stream
        })
        .collect();
    for round in 0..3 {
        for stream in &mut slow {
            stream.write_all(b" ").unwrap();
        }
        let began = std::time::Instant::now();
        assert_eq!(service.ask("/v1/hello", &json!({}))["name"], "BlinkBlox");
        assert!(began.elapsed() < Duration::from_secs(10), "round {round}");
    }
}
