//! Runs spec files: each in a director of its own on a thread of its own, its tests one by one.
//!
//! `select` decides which tests run and in which order, `file` runs one file, `explore` tries other schedules, `jobs` spreads files over threads and
//! puts the outcomes back in order.

mod explore;
mod file;
mod jobs;
mod select;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

pub use jobs::run;
pub use select::{Filter, Shard};

use super::coverage::Counting;
use super::report::Cut;
use super::stored::StoredMode;
use crate::network::LinkSettings;
use crate::shared::{HttpAnswers, SignalMode};
use crate::vm::Deadline;

/// What to run and how.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Spec files, in the order they are reported.
    pub files: Vec<PathBuf>,
    /// Root of all randomness.
    pub seed: u64,
    /// Signal behaviours to run every test under.
    pub signals: Vec<SignalMode>,
    /// Which tests run; all when empty. A test runs when its full name matches any.
    pub filters: Vec<Filter>,
    /// Which of those do not.
    pub excludes: Vec<Filter>,
    /// The share of the tests that runs.
    pub shard: Option<Shard>,
    /// Draws the order of tests, and the orders scripts and handlers are free to have.
    pub shuffle: Option<u64>,
    /// How often every test runs: with the seed, the seed plus one, and so on.
    pub repeat: u32,
    /// How often a test that failed is tried again, on its own and with its seed.
    pub retry: u32,
    /// Files that run at a time.
    pub jobs: usize,
    /// Virtual seconds a test may take.
    pub timeout: f64,
    /// Whether steps that a test takes itself count against it, and not its waits alone.
    pub limits_steps: bool,
    /// Real time a test may take.
    pub wall_timeout: Duration,
    /// Real time the whole run may take.
    pub wall_timeout_total: Option<Duration>,
    /// Stop after this many failures.
    pub bail: Option<usize>,
    /// Whether flaky tests fail the run, and diagnostics of the class *misuse* their test.
    pub strict: bool,
    /// Whether a warning of any side fails its test.
    pub fail_on_warn: bool,
    /// Whether to keep the traces of all worlds.
    pub trace: bool,
    /// Whether to list the tests and run none.
    pub list: bool,
    /// What becomes of values that `toMatchSnapshot` compares.
    pub stored: StoredMode,
    /// How many other schedules each test is tried under.
    pub explore: u32,
    /// Whether to count the lines of sides' scripts, and of which.
    pub coverage: Option<Counting>,
    /// What worlds are like that do not say otherwise.
    pub world: WorldDefaults,
    /// What `test.env` holds.
    pub env: Vec<(String, String)>,
    /// Arguments a repro line needs besides file, name, seed and signals.
    pub flags: Vec<String>,
    /// Stops the run from outside.
    pub stop: Stop,
}

impl Default for RunOptions {
    fn default() -> Self {
        RunOptions {
            files: Vec::new(),
            seed: 0,
            signals: vec![SignalMode::Deferred],
            filters: Vec::new(),
            excludes: Vec::new(),
            shard: None,
            shuffle: None,
            repeat: 1,
            retry: 0,
            jobs: 1,
            timeout: 30.0,
            limits_steps: false,
            wall_timeout: Duration::from_secs(20),
            wall_timeout_total: None,
            bail: None,
            strict: false,
            fail_on_warn: false,
            trace: false,
            list: false,
            stored: StoredMode::default(),
            explore: 0,
            coverage: None,
            world: WorldDefaults::default(),
            env: Vec::new(),
            flags: Vec::new(),
            stop: Stop::default(),
        }
    }
}

/// What worlds of a run are like that do not say otherwise.
#[derive(Clone, Debug, Default)]
pub struct WorldDefaults {
    /// The project that specs may be modules of, instead of the nearest one around each.
    pub project: Option<PathBuf>,
    /// Settings over the usual ones, by name and value.
    pub settings: Vec<(String, String)>,
    /// The link of clients.
    pub link: Option<LinkSettings>,
    /// Frames a second of the server.
    pub fps: Option<f64>,
    /// Frames a second of clients.
    pub client_fps: Option<f64>,
    /// Clients that join at the start.
    pub clients: u32,
    /// Who answers the requests of `HttpService`; nobody when `None`.
    pub http: Option<HttpAnswers>,
}

/// Stops a run from another thread. Clones stop the same run.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<Stopping>);

#[derive(Debug, Default)]
struct Stopping {
    reason: AtomicU8,
    /// Of what runs now.
    deadlines: Mutex<Vec<Deadline>>,
}

/// What an interrupt ends; no longer once this is dropped.
pub(super) struct Interruptible {
    stop: Stop,
    deadline: Deadline,
}

impl Stop {
    /// Ends the run, and in the middle of a script what runs now.
    pub fn interrupt(&self) {
        self.set(Cut::Interrupted);
        self.deadlines().iter().for_each(Deadline::end);
    }

    /// Why the run is to end, if it is.
    pub fn reason(&self) -> Option<Cut> {
        match self.0.reason.load(Ordering::SeqCst) {
            1 => Some(Cut::Bail),
            2 => Some(Cut::Interrupted),
            3 => Some(Cut::OutOfTime),
            _ => None,
        }
    }

    /// Has an interrupt end what runs under this deadline.
    pub(super) fn covers(&self, deadline: &Deadline) -> Interruptible {
        let mut deadlines = self.deadlines();
        deadlines.push(deadline.clone());
        // Looked at under the lock: the interrupt either comes later or was told of already.
        if self.is_interrupted() {
            deadline.end();
        }
        Interruptible { stop: self.clone(), deadline: deadline.clone() }
    }

    pub(super) fn is_interrupted(&self) -> bool {
        self.reason() == Some(Cut::Interrupted)
    }

    /// The first reason counts.
    fn set(&self, cut: Cut) {
        let value = match cut {
            Cut::Bail => 1,
            Cut::Interrupted => 2,
            Cut::OutOfTime => 3,
        };
        let _ = self.0.reason.compare_exchange(0, value, Ordering::SeqCst, Ordering::SeqCst);
    }

    fn deadlines(&self) -> std::sync::MutexGuard<'_, Vec<Deadline>> {
        self.0.deadlines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Interruptible {
    fn drop(&mut self) {
        self.stop.deadlines().retain(|known| !known.is(&self.deadline));
    }
}
