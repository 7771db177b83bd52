//! The queue of deferred work and its drain at resumption points. Source: Roblox behaviour, 3.3.

use std::rc::Rc;

use super::signal::{Connection, invoke};
use crate::peer::Peer;
use crate::shared::{DiagnosticCode, LogLevel};
use crate::value::Value;
use crate::vm::{Handle, Parked};

/// One piece of deferred work.
pub(super) enum Job {
    /// A handler, with the arguments of its fire.
    Invoke { connection: Rc<Connection>, arguments: Rc<[Value]>, depth: u32 },
    /// A thread of `task.defer`.
    Run { thread: Handle, arguments: Vec<Value>, depth: u32 },
    /// A parked thread that gets values.
    Wake { parked: Parked, values: Rc<[Value]>, depth: u32 },
    /// A parked thread that gets an error.
    Fail { parked: Parked, error: Value },
    /// Work of the host.
    Call(super::HostCall),
}

/// A resumption point: runs everything deferred, and what that defers, in order.
pub fn drain(peer: &Rc<Peer>) {
    let scheduler = &peer.scheduler;
    for _ in 0..peer.shared.settings.deferred_limit {
        let Some(job) = scheduler.queue.borrow_mut().pop_front() else { return };
        run(peer, job);
    }
    let left = scheduler.queue.borrow().len();
    if left > 0 {
        let text = format!("Maximum number of deferred events exceeded ({left} dropped)");
        scheduler.queue.borrow_mut().clear();
        peer.write(LogLevel::Error, text, None);
    }
}

fn run(peer: &Rc<Peer>, job: Job) {
    let scheduler = &peer.scheduler;
    match job {
        Job::Invoke { connection, arguments, depth } => invoke(peer, &connection, &arguments, depth),
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
