//! A live world by hand: Luau on any side, and commands that move time, players and the network.
//!
//! Line in, text out: reading lines and printing is the caller's. A line that starts with a dot is a command
//! (`commands`); everything else is Luau for the current side (`eval`) or for the director (`director`). What changed
//! the world is kept (`history`), so that it can be taken back, repeated and saved as a spec. `complete` says what may
//! stand at the cursor.

mod commands;
mod complete;
mod director;
mod eval;
mod history;
mod keep;
mod look;
mod run;
mod stops;
mod time;

pub use eval::shown;

use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;

pub use commands::listed as commands;
pub use complete::Completion;

use crate::game::{self, Game, GameOptions};
use crate::shared::Side;
use crate::vm::{Deadline, Handle};
use crate::world::{OutputReader, World};

/// Real time that code may run before it is stopped: a loop without end gives the prompt back.
const LONGEST: Duration = Duration::from_secs(20);

/// Where input runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Side(Side),
    Director,
}

/// A session on one world.
pub struct Repl {
    options: GameOptions,
    game: Game,
    world: Rc<World>,
    place: Place,
    pending: String,
    /// Files that are being loaded, one by another.
    loading: usize,
    output: OutputReader,
    /// A function a side, in whose environment every input on it runs.
    sessions: FxHashMap<Side, Handle>,
    director: Option<director::Desk>,
    history: history::History,
    stops: stops::Stops,
    recording: look::Recording,
    interrupt: Interrupt,
    /// Lines the director printed and nobody has shown.
    printed: Vec<String>,
}

/// What a line led to.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// Text to show; may be empty.
    Text(String),
    /// Something went wrong, for people.
    Problem(String),
    /// The input is not complete yet; the next line goes on.
    More,
    /// Time is to run at that many times its pace, with [`Repl::play_frame`], until a key is pressed.
    Play(f64),
    /// The session is over.
    Quit,
}

/// Stops what a session runs, from another thread.
#[derive(Clone, Debug, Default)]
pub struct Interrupt {
    flag: Arc<AtomicBool>,
    deadline: Arc<Mutex<Deadline>>,
}

impl Interrupt {
    /// Stops what runs now: a script in the middle, time after the frame.
    pub fn stop(&self) {
        self.flag.store(true, Ordering::SeqCst);
        self.deadline.lock().unwrap_or_else(PoisonError::into_inner).set(Some(Instant::now()));
    }

    fn is_set(&self) -> bool {
        self.flag.load(Ordering::SeqCst)
    }

    fn clear(&self) {
        self.flag.store(false, Ordering::SeqCst);
    }

    fn follow(&self, deadline: &Deadline) {
        *self.deadline.lock().unwrap_or_else(PoisonError::into_inner) = deadline.clone();
    }
}

impl Repl {
    /// Opens a game and a session that starts on its server. Errors: a text for people.
    pub fn open(options: GameOptions) -> Result<Repl, String> {
        let game = game::open_game(&options)?;
        let interrupt = Interrupt::default();
        interrupt.follow(&game.world.core().shared.deadline);
        Ok(Repl {
            world: game.world.clone(),
            options,
            game,
            place: Place::Side(Side::Server),
            pending: String::new(),
            loading: 0,
            output: OutputReader::default(),
            sessions: FxHashMap::default(),
            director: None,
            history: history::History::default(),
            stops: stops::Stops::default(),
            recording: look::Recording::default(),
            interrupt,
            printed: Vec::new(),
        })
    }

    /// What is doubtful about the game.
    pub fn warnings(&self) -> &[String] {
        &self.game.built.warnings
    }

    /// What stops this session from another thread.
    pub fn interrupt(&self) -> Interrupt {
        self.interrupt.clone()
    }

    /// What stands in front of the input: the side and the time, or a mark that more is expected.
    pub fn prompt(&self) -> String {
        if self.pending.is_empty() {
            format!("{} {:.3} s> ", self.place_name(), self.world.now().seconds())
        } else {
            "... ".to_string()
        }
    }

    /// Takes a line.
    pub fn line(&mut self, line: &str) -> Reply {
        let trimmed = line.trim();
        let command = trimmed.strip_prefix('.').filter(|text| {
            // In the middle of an input a dot may begin a member; only a command's own name does not.
            self.pending.is_empty() || commands::is_command(text)
        });
        if let Some(command) = command {
            if !self.pending.is_empty() {
                let began = self.pending.lines().next().unwrap_or_default().to_string();
                self.pending.clear();
                return Reply::Problem(format!(
                    "the input `{began}` is not finished and was given up; .{} was not run",
                    command.split_whitespace().next().unwrap_or_default()
                ));
            }
            let command = command.to_string();
            return self.guarded(|repl| repl.command(&command));
        }
        if self.pending.is_empty() {
            if trimmed.is_empty() {
                return Reply::Text(String::new());
            }
        } else {
            self.pending.push('\n');
        }
        self.pending.push_str(line);
        self.guarded(Repl::evaluate)
    }

    /// Gives up input that is not complete.
    pub fn cancel(&mut self) {
        self.pending.clear();
    }

    /// Whether a line is expected to go on.
    pub fn is_pending(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Runs something that scripts may make endless.
    fn guarded(&mut self, body: impl FnOnce(&mut Repl) -> Reply) -> Reply {
        self.interrupt.clear();
        self.extend_deadline();
        let reply = body(self);
        self.deadline().set(None);
        self.interrupt.clear();
        reply
    }

    fn deadline(&self) -> &Deadline {
        &self.world.core().shared.deadline
    }

    /// Gives what runs next the usual time, unless somebody wants it to stop.
    fn extend_deadline(&self) {
        if !self.interrupt.is_set() {
            self.deadline().set(Some(Instant::now() + LONGEST));
        }
    }

    fn side_name(&self, side: Side) -> String {
        self.world.side_name(side)
    }

    fn place_name(&self) -> String {
        match self.place {
            Place::Side(side) => self.side_name(side),
            Place::Director => "director".to_string(),
        }
    }

    /// The side commands look at: the current one, the server for the director.
    fn side(&self) -> Side {
        match self.place {
            Place::Side(side) => side,
            Place::Director => Side::Server,
        }
    }

    /// Output of all sides since the last look, as `[side] text` lines.
    fn new_output(&mut self) -> String {
        let lines = self.output.read(&self.world);
        let printed =
            std::mem::take(&mut self.printed).into_iter().map(|line| format!("[director] {line}\n"));
        let of_sides = lines.iter().map(|line| format!("[{}] {}\n", self.side_name(line.side), line.text));
        of_sides.chain(printed).collect()
    }

    fn with_output(&mut self, text: impl AsRef<str>) -> Reply {
        let mut out = self.new_output();
        out.push_str(text.as_ref());
        Reply::Text(out.trim_end().to_string())
    }
}
