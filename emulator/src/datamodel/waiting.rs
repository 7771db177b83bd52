//! Threads in `WaitForChild`. Source: Roblox behaviour, 7.3.

use std::rc::Rc;

use super::messages;
use super::store::Name;
use crate::peer::Peer;
use crate::scheduler;
use crate::shared::{DiagnosticCode, LogLevel, SignalMode};
use crate::value::{InstanceId, Value};
use crate::vm::Parked;

/// Seconds after which a wait without a timeout is worth a warning.
const WARN_AFTER: f64 = 5.0;

/// Threads that wait for children, in order of their calls.
#[derive(Default)]
pub(super) struct Waiting {
    waiters: Vec<Waiter>,
    next: u64,
}

struct Waiter {
    number: u64,
    parent: InstanceId,
    name: Name,
    parked: Parked,
}

/// Has a parked thread wait for a child called `name`: it gets the child, or nil after `timeout` seconds.
pub(super) fn wait(peer: &Rc<Peer>, parent: InstanceId, name: &str, timeout: Option<f64>, parked: Parked) {
    let script = peer.owner(peer.thread_owner(parked.thread())).script;
    let number = {
        let mut waiting = peer.data_model().waiting.borrow_mut();
        waiting.next += 1;
        let number = waiting.next;
        waiting.waiters.push(Waiter { number, parent, name: name.into(), parked });
        number
    };
    match timeout {
        Some(seconds) => scheduler::call_after(peer, seconds, move |peer| {
            if let Some(waiter) = take(peer, number) {
                peer.resume(&waiter.parked, &[Value::Nil]);
            }
        }),
        None => scheduler::call_after(peer, WARN_AFTER, move |peer| warn(peer, number, script)),
    }
}

fn take(peer: &Peer, number: u64) -> Option<Waiter> {
    let mut waiting = peer.data_model().waiting.borrow_mut();
    let at = waiting.waiters.iter().position(|waiter| waiter.number == number)?;
    Some(waiting.waiters.remove(at))
}

fn warn(peer: &Rc<Peer>, number: u64, script: Option<InstanceId>) {
    let text = {
        let waiting = peer.data_model().waiting.borrow();
        let Some(waiter) = waiting.waiters.iter().find(|waiter| waiter.number == number) else { return };
        if !peer.is_parked(&waiter.parked) || !peer.may_run(waiter.parked.thread()) {
            return;
        }
        messages::infinite_yield(&peer.full_name(waiter.parent), &waiter.name)
    };
    peer.diagnose(DiagnosticCode::Yield, text.clone(), script);
    let name = script.map(|script| peer.full_name(script));
    peer.write(LogLevel::Warning, text, name.as_deref());
}

/// A child came to `parent`: threads that wait for its name go on.
pub(super) fn arrived(peer: &Rc<Peer>, parent: InstanceId, child: InstanceId) {
    let ready: Vec<Waiter> = {
        let name = peer.data_model().store().name(child);
        let mut waiting = peer.data_model().waiting.borrow_mut();
        if waiting.waiters.is_empty() {
            return;
        }
        let is_ready = |waiter: &Waiter| waiter.parent == parent && waiter.name == name;
        let (ready, rest) = std::mem::take(&mut waiting.waiters).into_iter().partition(is_ready);
        waiting.waiters = rest;
        ready
    };
    for waiter in ready {
        match peer.shared.settings.signals {
            SignalMode::Immediate => {
                peer.resume(&waiter.parked, &[Value::Instance(child)]);
            }
            SignalMode::Deferred => scheduler::resume_later(peer, waiter.parked, [Value::Instance(child)]),
        }
    }
}

/// A child has another name, which may be one that is waited for.
pub(super) fn renamed(peer: &Rc<Peer>, child: InstanceId) {
    if !peer.shared.settings.wait_for_child_rename {
        return;
    }
    let parent = peer.data_model().store().parent(child);
    if let Some(parent) = parent {
        arrived(peer, parent, child);
    }
}
