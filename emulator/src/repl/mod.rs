//! A live world by hand: Luau on any side, and commands that move time, players and the network.
//!
//! Line in, text out: reading lines and printing is the caller's. A line that starts with a dot is a command
//! (`commands`); everything else is Luau for the current side (`eval`).

mod commands;
mod eval;

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::shared::Side;
use crate::vm::Handle;
use crate::world::{OutputReader, World};

/// A session on one world.
pub struct Repl {
    world: Rc<World>,
    side: Side,
    pending: String,
    output: OutputReader,
    /// A function a side, in whose environment every input on it runs.
    sessions: FxHashMap<Side, Handle>,
}

/// What a line led to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Text to show; may be empty.
    Text(String),
    /// Something went wrong, for people.
    Problem(String),
    /// The input is not complete yet; the next line goes on.
    More,
    /// The session is over.
    Quit,
}

impl Repl {
    /// A session that starts on the server.
    pub fn new(world: World) -> Repl {
        Repl {
            world: Rc::new(world),
            side: Side::Server,
            pending: String::new(),
            output: OutputReader::default(),
            sessions: FxHashMap::default(),
        }
    }

    /// What stands in front of the input: the side and the time, or a mark that more is expected.
    pub fn prompt(&self) -> String {
        if self.pending.is_empty() {
            format!("{} {:.3} s> ", self.side_name(self.side), self.world.now().seconds())
        } else {
            "... ".to_string()
        }
    }

    /// Takes a line.
    pub fn line(&mut self, line: &str) -> Reply {
        let trimmed = line.trim();
        if self.pending.is_empty() {
            if trimmed.is_empty() {
                return Reply::Text(String::new());
            }
            if let Some(command) = trimmed.strip_prefix('.') {
                return self.command(command);
            }
        }
        if !self.pending.is_empty() {
            self.pending.push('\n');
        }
        self.pending.push_str(line);
        self.evaluate()
    }

    /// Gives up input that is not complete.
    pub fn cancel(&mut self) {
        self.pending.clear();
    }

    /// Whether a line is expected to go on.
    pub fn is_pending(&self) -> bool {
        !self.pending.is_empty()
    }

    fn side_name(&self, side: Side) -> String {
        self.world.side_name(side)
    }

    /// Output of all sides since the last look, as `[side] text` lines.
    fn new_output(&mut self) -> String {
        let lines = self.output.read(&self.world);
        lines.iter().map(|line| format!("[{}] {}\n", self.side_name(line.side), line.text)).collect()
    }

    fn with_output(&mut self, text: String) -> Reply {
        let mut out = self.new_output();
        out.push_str(&text);
        Reply::Text(out.trim_end().to_string())
    }
}
