//! Threads over virtual time: the task library, signals and resumption points of one peer.
//!
//! The world calls, in each frame of a peer and in its order of phases: [`resume_legacy`] (phase 5), [`resume_waits`]
//! (phase 10), [`fire`] for signals, and [`drain`] wherever the engine has a resumption point. Nothing here knows what
//! a frame is.
//!
//! Source: Roblox behaviour, 3 and 4.

mod deferred;
mod legacy;
mod signal;
mod signal_members;
mod task;
#[cfg(test)]
mod tests;
mod timers;
mod waiting;

use std::cell::{Cell, RefCell};
use std::collections::{BinaryHeap, VecDeque};

pub use deferred::{call_later, drain, fail_later, resume_later};
pub use signal::{HandlerPlace, HandlerWatch, Signals, fire, fire_watched, send};
pub use timers::{call_after, call_at, resume_legacy, resume_waits};
pub use waiting::{WaitingThread, waiting};

use deferred::Job;
use timers::Timer;

use crate::peer::Peer;
use crate::vm::Failure;

/// Work of the host, run among a peer's threads.
type HostCall = Box<dyn FnOnce(&std::rc::Rc<Peer>)>;

/// What waits on one peer.
#[derive(Default)]
pub struct Scheduler {
    /// `task.wait` and `task.delay`.
    waits: RefCell<BinaryHeap<Timer>>,
    /// `wait`, `spawn` and `delay`.
    legacy: RefCell<BinaryHeap<Timer>>,
    /// Work for the next resumption point, in order.
    queue: RefCell<VecDeque<Job>>,
    /// Work for the next parallel phase, in order.
    parallel: RefCell<VecDeque<Job>>,
    /// Whether a parallel phase is running.
    in_parallel: Cell<bool>,
    sequence: Cell<u64>,
    /// How deep the handler that runs now is nested in fires; 0 outside handlers.
    depth: Cell<u32>,
}

impl Scheduler {
    /// Threads in timers, and jobs waiting for a resumption point.
    pub fn pending(&self) -> (usize, usize) {
        let deferred = self.queue.borrow().len() + self.parallel.borrow().len();
        (self.waits.borrow().len() + self.legacy.borrow().len(), deferred)
    }

    /// Whether work waits for a resumption point.
    pub fn has_deferred(&self) -> bool {
        self.pending().1 > 0
    }

    /// Whether a parallel phase is running: nothing may be changed in it.
    pub fn is_parallel(&self) -> bool {
        self.in_parallel.get()
    }

    fn next(&self) -> u64 {
        self.sequence.set(self.sequence.get() + 1);
        self.sequence.get()
    }

    /// Runs `f` as a handler of that depth.
    fn at_depth<R>(&self, depth: u32, f: impl FnOnce() -> R) -> R {
        let before = self.depth.replace(depth);
        let result = f();
        self.depth.set(before);
        result
    }
}

/// Adds the task library, the legacy functions and the signal types to a peer's globals.
pub(crate) fn install(peer: &Peer) -> Result<(), Failure> {
    task::install(&peer.vm)?;
    legacy::install(&peer.vm)?;
    signal_members::install(&peer.vm)
}
