//! The programs of the test: where `blinkblox` is, and `rojo serve` with what is asked of it.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::messagepack;

/// Longest wait for anything: a busy machine takes its time.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often a condition is looked at.
const PAUSE: Duration = Duration::from_millis(25);

/// Waits until something can be had.
#[track_caller]
pub fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < PATIENCE, "waited too long: {what}");
        std::thread::sleep(PAUSE);
    }
}

/// The command `blinkblox` of this workspace, built when it is missing or older than a file it was made of.
pub fn blinkblox() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    // target/debug/deps/watching-0123
    let folder = tests.ancestors().nth(2).unwrap();
    let program = folder.join(format!("blinkblox{}", std::env::consts::EXE_SUFFIX));
    if !is_current(&program, &folder.join("blinkblox.d")) {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let built = Command::new(cargo)
            .args(["build", "-p", "blinkblox"])
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .status()
            .unwrap();
        assert!(built.success());
    }
    program
}

/// Whether a program is newer than every file that Cargo says it was made of.
fn is_current(program: &Path, list: &Path) -> bool {
    let changed = |path: &Path| path.metadata().and_then(|about| about.modified()).ok();
    let (Some(made), Ok(list)) = (changed(program), std::fs::read_to_string(list)) else { return false };
    let Some((_, files)) = list.split_once(": ") else { return false };
    // A space in a path is written behind a backslash.
    let files = files.trim_end().replace("\\ ", "\0");
    files.split(' ').all(|file| changed(Path::new(&file.replace('\0', " "))).is_some_and(|time| time <= made))
}

/// `rojo serve` on a project.
pub struct Rojo {
    child: Child,
    port: u16,
}

impl Rojo {
    /// Starts it and waits until it answers.
    pub fn serve(project: &Path) -> Rojo {
        // Free a moment ago; nobody else asks for it now.
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let child = Command::new(env!("CARGO_BIN_EXE_blinkblox-rojo"))
            .arg("serve")
            .arg(project)
            .args(["--port", &port.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut rojo = Rojo { child, port };
        until("Rojo answers", || {
            assert!(rojo.child.try_wait().unwrap().is_none(), "Rojo ended");
            rojo.ask("/api/rojo")
        });
        rojo
    }

    /// The answer at an address of its interface.
    fn ask(&self, address: &str) -> Option<Value> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        let host = format!("localhost:{}", self.port);
        write!(stream, "GET {address} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").ok()?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).ok()?;
        let body = answer.windows(4).position(|window| window == b"\r\n\r\n")? + 4;
        assert!(answer.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&answer));
        Some(messagepack::read(&answer[body..]).expect("an answer of Rojo is MessagePack"))
    }

    /// The `Source` of a script by its path from the root, as Studio would get it; `None` when there is no such script.
    pub fn source(&self, path: &str) -> Option<String> {
        let about = self.ask("/api/rojo")?;
        let root = about["rootInstanceId"].as_str().expect("the root has an id").to_string();
        let tree = self.ask(&format!("/api/read/{root}"))?;
        let instances = &tree["instances"];
        let mut at = &instances[&root];
        for name in path.split('.') {
            let children = at["Children"].as_array().into_iter().flatten();
            let mut children = children.filter_map(|id| instances.get(id.as_str()?));
            at = children.find(|child| child["Name"] == name)?;
        }
        Some(at["Properties"]["Source"]["String"].as_str()?.to_string())
    }
}

impl Drop for Rojo {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
