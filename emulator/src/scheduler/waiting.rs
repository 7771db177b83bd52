//! What the threads of a peer wait for, to show people and to find leaks.

use std::rc::Rc;

use super::deferred::Job;
use super::timers::Wake;
use crate::clock::Time;
use crate::peer::Peer;
use crate::vm::Handle;

/// A thread that something here will resume.
#[derive(Clone, Debug, PartialEq)]
pub struct WaitingThread {
    /// What for: `wait 0.4 s`, `signal Folder.ChildAdded`, `defer`.
    pub reason: String,
    /// Full name of the script it belongs to, if any.
    pub script: Option<Rc<str>>,
    /// Where it waits: `Full.Name:12: `, or empty for a thread that has not begun.
    pub position: String,
    /// Its calls, from the inside out.
    pub stack: String,
}

/// Threads waiting for time, in the order they are due; then for signals and for the next resumption point, in the
/// order they came. Threads of stopped scripts, and those something else has resumed or ended, are left out.
pub fn waiting(peer: &Peer) -> Vec<WaitingThread> {
    let mut found = Vec::new();
    let mut add = |thread: &Handle, still: bool, reason: String| {
        let home = peer.home(thread);
        if still && home.vm.is_suspended(thread) && peer.may_run(thread) {
            let (position, stack) = home.vm.trace(thread);
            let script = peer.owner(peer.thread_owner(thread)).name;
            found.push(WaitingThread { reason, script, position, stack });
        }
    };
    let now = peer.clock.now();
    let left = |due: Time| match due {
        Time::NEVER => "wait forever".to_owned(),
        due => format!("wait {} s", (due - now).max(Time::ZERO).seconds()),
    };
    for heap in [&peer.scheduler.waits, &peer.scheduler.legacy] {
        let heap = heap.borrow();
        let mut timers: Vec<_> = heap.iter().collect();
        timers.sort_by(|a, b| b.cmp(a));
        for timer in timers {
            match &timer.wake {
                Wake::Wait { parked, .. } | Wake::LegacyWait { parked, .. } => {
                    add(parked.thread(), peer.is_parked(parked), left(timer.due));
                }
                Wake::Delayed { thread, .. } | Wake::LegacyDelayed { thread, .. } => {
                    add(thread, true, left(timer.due).replacen("wait", "delay", 1));
                }
                Wake::Call(_) => {}
            }
        }
    }
    for (key, parked) in peer.signals.waiting() {
        add(parked.thread(), peer.is_parked(&parked), format!("signal {}", peer.tree().signal_name(key)));
    }
    let queues = [(&peer.scheduler.queue, "resumption point"), (&peer.scheduler.parallel, "parallel phase")];
    for (queue, point) in queues {
        for job in &*queue.borrow() {
            match job {
                Job::Run { thread, .. } => add(thread, true, "defer".to_owned()),
                Job::Wake { parked, .. } | Job::Fail { parked, .. } => {
                    add(parked.thread(), peer.is_parked(parked), point.to_owned());
                }
                Job::Invoke { .. } | Job::Call(_) => {}
            }
        }
    }
    found
}
