//! The queue of deferred work and its drain at resumption points, each followed by a parallel phase if an Actor's code
//! asked for one. Source: Roblox behaviour, 3.3 and 11.4.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use super::signal::{Connection, Watch, invoke};
use crate::peer::Peer;
use crate::shared::{DiagnosticCode, LogLevel};
use crate::value::Value;
use crate::vm::{Handle, Parked};

/// One piece of deferred work.
pub(super) enum Job {
    /// A handler, with the arguments of its fire.
    Invoke { connection: Rc<Connection>, arguments: Rc<[Value]>, depth: u32, watch: Watch },
    /// A thread of `task.defer`.
    Run { thread: Handle, arguments: Vec<Value>, depth: u32 },
    /// A parked thread that gets values.
    Wake { parked: Parked, values: Rc<[Value]>, depth: u32 },
    /// A parked thread that gets an error.
    Fail { parked: Parked, error: Value },
    /// Work of the host.
    Call(super::HostCall),
}

/// A resumption point: runs everything deferred, and what that defers, in order. What asked for the parallel phase
/// runs after it, Actor after Actor in the order they asked, and what goes back to the serial phase after that.
pub fn drain(peer: &Rc<Peer>) {
    let scheduler = &peer.scheduler;
    let outer = scheduler.in_parallel.replace(false);
    let mut left = peer.shared.settings.deferred_limit;
    while run_all(peer, &scheduler.queue, &mut left) && !scheduler.parallel.borrow().is_empty() {
        scheduler.in_parallel.set(true);
        let phase = RefCell::new(std::mem::take(&mut *scheduler.parallel.borrow_mut()));
        run_all(peer, &phase, &mut left);
        scheduler.in_parallel.set(false);
    }
    scheduler.in_parallel.set(outer);
}

/// Runs a queue until it is empty; false if `left` jobs did not suffice, when the rest is dropped.
fn run_all(peer: &Rc<Peer>, queue: &RefCell<VecDeque<Job>>, left: &mut usize) -> bool {
    loop {
        if *left == 0 {
            break;
        }
        let Some(job) = queue.borrow_mut().pop_front() else { return true };
        *left -= 1;
        run(peer, job);
    }
    let dropped = queue.borrow().len();
    if dropped > 0 {
        queue.borrow_mut().clear();
        peer.write(
            LogLevel::Error,
            format!("Maximum number of deferred events exceeded ({dropped} dropped)"),
            None,
        );
    }
    dropped == 0
}

fn run(peer: &Rc<Peer>, job: Job) {
    let scheduler = &peer.scheduler;
    match job {
        Job::Invoke { connection, arguments, depth, watch } => {
            invoke(peer, &connection, &arguments, depth, &watch);
        }
        Job::Run { thread, arguments, depth } => {
            scheduler.at_depth(depth, || peer.resume_thread(&thread, &arguments));
        }
        Job::Wake { parked, values, depth } => {
            scheduler.at_depth(depth, || peer.resume(&parked, &values));
        }
        Job::Fail { parked, error } => {
            scheduler.at_depth(0, || peer.fail_with(&parked, &error));
        }
        Job::Call(call) => scheduler.at_depth(0, || call(peer)),
    }
}

/// The depth of work deferred by what runs now, unless that is nested too deeply. `what` is named in the error.
pub(super) fn next_depth(peer: &Rc<Peer>, what: impl FnOnce() -> String) -> Option<u32> {
    let depth = peer.scheduler.depth.get() + 1;
    if depth <= peer.shared.settings.reentrancy_depth {
        return Some(depth);
    }
    let text = format!("Maximum event re-entrancy depth exceeded for {}", what());
    peer.diagnose(DiagnosticCode::Depth, text.clone(), None);
    peer.write(LogLevel::Error, text, None);
    None
}

pub(super) fn push(peer: &Peer, job: Job) {
    peer.scheduler.queue.borrow_mut().push_back(job);
}

/// Queues work for the next parallel phase.
pub(super) fn push_parallel(peer: &Peer, job: Job) {
    peer.scheduler.parallel.borrow_mut().push_back(job);
}

/// Queues work for the phase that code of that kind is in.
pub(super) fn push_phase(peer: &Peer, parallel: bool, job: Job) {
    if parallel { push_parallel(peer, job) } else { push(peer, job) }
}

/// Resumes a parked thread at the next resumption point, after what is deferred already.
pub fn resume_later(peer: &Peer, parked: Parked, values: impl Into<Rc<[Value]>>) {
    push(peer, Job::Wake { parked, values: values.into(), depth: 0 });
}

/// Raises an error in a parked thread at the next resumption point.
pub fn fail_later(peer: &Peer, parked: Parked, error: Value) {
    push(peer, Job::Fail { parked, error });
}

/// Runs work of the host at the next resumption point.
pub fn call_later(peer: &Peer, call: impl FnOnce(&Rc<Peer>) + 'static) {
    push(peer, Job::Call(Box::new(call)));
}
