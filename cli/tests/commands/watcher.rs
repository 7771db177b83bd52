//! A `blinkblox watch` that is listened to. The tests beside a real `rojo serve` take this file too.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Longest wait for a line: a busy machine takes its time.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long silence lasts that shows nothing happens.
const SILENCE: Duration = Duration::from_millis(700);

pub struct Watcher {
    child: Child,
    lines: Receiver<String>,
}

impl Watcher {
    /// Starts the program in a folder.
    pub fn start(program: &Path, folder: &Path, arguments: &[&str]) -> Watcher {
        let mut child = Command::new(program)
            .current_dir(folder)
            .arg("watch")
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (sender, lines) = channel();
        let streams: [Box<dyn BufRead + Send>; 2] = [
            Box::new(BufReader::new(child.stdout.take().unwrap())),
            Box::new(BufReader::new(child.stderr.take().unwrap())),
        ];
        for stream in streams {
            let sender = sender.clone();
            std::thread::spawn(move || {
                stream.lines().map_while(Result::ok).for_each(|line| drop(sender.send(line)));
            });
        }
        Watcher { child, lines }
    }

    /// Waits for a line with these words; gives it.
    #[track_caller]
    pub fn hears(&self, words: &str) -> String {
        let (start, mut heard) = (Instant::now(), Vec::new());
        loop {
            match self.lines.recv_timeout(PATIENCE.saturating_sub(start.elapsed())) {
                Ok(line) if line.contains(words) => return line,
                Ok(line) => heard.push(line),
                Err(error) => panic!("{error}: no \"{words}\" in {heard:#?}"),
            }
        }
    }

    /// Waits for a while in which nothing is said.
    #[track_caller]
    #[allow(dead_code, reason = "one of the programs that take this file has no use for it")]
    pub fn hears_nothing(&self) {
        match self.lines.recv_timeout(SILENCE) {
            Err(RecvTimeoutError::Timeout) => {}
            other => panic!("{other:?}"),
        }
    }

    /// Interrupts it, and gives its exit code.
    pub fn stop(mut self) -> Option<i32> {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        // A failed test must not leave it behind.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
