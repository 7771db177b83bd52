//! Threads that wait for a moment in virtual time.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::rc::Rc;

use super::deferred::{Job, push_parallel};
use crate::clock::Time;
use crate::peer::Peer;
use crate::shared::DiagnosticCode;
use crate::value::Value;
use crate::vm::{Handle, Parked};

/// A wake-up. The earliest due is the greatest, so that a heap gives it first; among equals the earlier call.
pub(super) struct Timer {
    pub(super) due: Time,
    pub(super) sequence: u64,
    pub(super) wake: Wake,
    /// Whether it was set in a parallel phase, and so is resumed in one.
    pub(super) parallel: bool,
}

/// Whom to wake, and with what.
pub(super) enum Wake {
    /// A thread in `task.wait`: gets the time it waited since.
    Wait { parked: Parked, since: Time },
    /// A thread in `wait`: gets that and the time since the peer's start.
    LegacyWait { parked: Parked, since: Time },
    /// A thread of `task.delay`, with its arguments.
    Delayed { thread: Handle, arguments: Vec<Value> },
    /// A thread of `spawn` or `delay`: gets what `wait` would give.
    LegacyDelayed { thread: Handle, since: Time },
    /// Work of the host.
    Call(super::HostCall),
}

impl PartialEq for Timer {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Timer {}

impl PartialOrd for Timer {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Timer {
    fn cmp(&self, other: &Self) -> Ordering {
        (other.due, other.sequence).cmp(&(self.due, self.sequence))
    }
}

/// Resumes the threads of `task.wait` and `task.delay` that are due at the peer's frame time, earliest first. What
/// these schedule in turn waits for the next frame.
pub fn resume_waits(peer: &Rc<Peer>) {
    let due = take_due(&mut peer.scheduler.waits.borrow_mut(), peer.clock.now());
    run(peer, due);
}

/// Resumes the threads of the legacy `wait`, `spawn` and `delay` that are due.
pub fn resume_legacy(peer: &Rc<Peer>) {
    let due = take_due(&mut peer.scheduler.legacy.borrow_mut(), peer.clock.now());
    run(peer, due);
}

/// Runs work of the host when `task.wait(seconds)` would return.
pub fn call_after(peer: &Peer, seconds: f64, call: impl FnOnce(&Rc<Peer>) + 'static) {
    let due = peer.clock.now() + Time::wait(seconds);
    peer.scheduler.add_wait(due, Wake::Call(Box::new(call)));
}

/// Runs work of the host when a `task.wait` that ends at `due` would return.
pub fn call_at(peer: &Peer, due: Time, call: impl FnOnce(&Rc<Peer>) + 'static) {
    peer.scheduler.add_wait(due, Wake::Call(Box::new(call)));
}

fn take_due(timers: &mut BinaryHeap<Timer>, now: Time) -> Vec<(Wake, bool)> {
    let mut due = Vec::new();
    while timers.peek().is_some_and(|timer| timer.due <= now && timer.due != Time::NEVER) {
        due.extend(timers.pop().map(|timer| (timer.wake, timer.parallel)));
    }
    due
}

fn run(peer: &Rc<Peer>, due: Vec<(Wake, bool)>) {
    let now = peer.clock.now();
    let waited = |since: Time| Value::Number((now - since).seconds());
    for (wake, parallel) in due {
        let wake = match wake {
            Wake::Wait { parked, since } if parallel => {
                push_parallel(peer, Job::Wake { parked, values: [waited(since)].into(), depth: 0 });
                continue;
            }
            Wake::Delayed { thread, arguments } if parallel => {
                push_parallel(peer, Job::Run { thread, arguments, depth: 0 });
                continue;
            }
            wake => wake,
        };
        peer.scheduler.at_depth(0, || match wake {
            Wake::Wait { parked, since } => end_wait(peer, &parked, &[waited(since)]),
            Wake::LegacyWait { parked, since } => {
                end_wait(peer, &parked, &[waited(since), Value::Number(peer.clock.uptime())]);
            }
            Wake::Delayed { thread, arguments } => {
                peer.resume_thread(&thread, &arguments);
            }
            Wake::LegacyDelayed { thread, since } => {
                peer.resume_thread(&thread, &[waited(since), Value::Number(peer.clock.uptime())]);
            }
            Wake::Call(call) => call(peer),
        });
    }
}

/// Ends a wait, unless a script has resumed the thread since: then this wake-up is dropped.
fn end_wait(peer: &Rc<Peer>, parked: &Parked, values: &[Value]) {
    let thread = parked.thread();
    if !peer.resume(parked, values) && !peer.home(thread).vm.is_dead(thread) && peer.may_run(thread) {
        let script = peer.owner(peer.thread_owner(thread)).script;
        let text = "a thread in a timed wait was resumed by a script, so the end of that wait is ignored";
        peer.diagnose(DiagnosticCode::Yield, text, script);
    }
}

impl super::Scheduler {
    pub(super) fn add_wait(&self, due: Time, wake: Wake) {
        let timer = Timer { due, sequence: self.next(), wake, parallel: self.is_parallel() };
        self.waits.borrow_mut().push(timer);
    }

    pub(super) fn add_legacy(&self, due: Time, wake: Wake) {
        let timer = Timer { due, sequence: self.next(), wake, parallel: false };
        self.legacy.borrow_mut().push(timer);
    }
}
