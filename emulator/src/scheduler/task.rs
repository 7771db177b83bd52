//! The `task` library. Source: Roblox behaviour, 4.

use std::rc::Rc;

use super::deferred::{Job, next_depth, push_phase};
use super::timers::Wake;
use crate::clock::Time;
use crate::peer::Peer;
use crate::vm::{Cx, Failure, Handle, Outcome, Raise, Resumed, Returns, Type, Vm};

/// Adds `task`.
pub(super) fn install(vm: &Vm) -> Result<(), Failure> {
    vm.set_library(
        "task",
        &[
            ("spawn", spawn),
            ("defer", defer),
            ("delay", delay),
            ("wait", wait),
            ("cancel", cancel),
            ("synchronize", |cx| change_phase(cx, false)),
            ("desynchronize", |cx| change_phase(cx, true)),
        ],
        &[],
    )
}

/// The thread an argument names: itself, or a new one for a function, of the caller's script.
pub(super) fn thread_for(cx: &Cx<'_>, peer: &Rc<Peer>, index: i32) -> Result<Handle, Raise> {
    match cx.kind(index) {
        Type::Function => Ok(peer.vm.thread(&cx.function(index)?, cx.owner())?),
        Type::Thread => cx.thread(index),
        _ => Err(cx.wrong_type(index, "function or thread")),
    }
}

fn spawn(cx: &mut Cx<'_>) -> Outcome {
    let peer = cx.peer();
    let thread = thread_for(cx, &peer, 1)?;
    let arguments = cx.shallow_from(2)?;
    // A stopped script's threads are refused as well, and silently.
    if peer.resume_thread(&thread, &arguments) == Resumed::Refused && peer.may_run(&thread) {
        return Err(refused(&peer, &thread));
    }
    cx.push_handle(&thread);
    Ok(Returns::ONE)
}

fn refused(peer: &Peer, thread: &Handle) -> Raise {
    let state = if peer.vm.is_dead(thread) { "dead" } else { "non-suspended" };
    Raise::located(format!("cannot resume {state} coroutine"))
}

fn defer(cx: &mut Cx<'_>) -> Outcome {
    let peer = cx.peer();
    let thread = thread_for(cx, &peer, 1)?;
    let arguments = cx.shallow_from(2)?;
    if let Some(depth) = next_depth(&peer, || "task.defer".to_owned()) {
        let job = Job::Run { thread: thread.clone(), arguments, depth };
        push_phase(&peer, peer.scheduler.is_parallel(), job);
    }
    cx.push_handle(&thread);
    Ok(Returns::ONE)
}

fn delay(cx: &mut Cx<'_>) -> Outcome {
    let seconds = cx.opt_number(1)?.unwrap_or(0.0);
    let peer = cx.peer();
    let thread = thread_for(cx, &peer, 2)?;
    let arguments = cx.shallow_from(3)?;
    let due = peer.clock.now() + Time::wait(seconds);
    peer.scheduler.add_wait(due, Wake::Delayed { thread: thread.clone(), arguments });
    cx.push_handle(&thread);
    Ok(Returns::ONE)
}

fn wait(cx: &mut Cx<'_>) -> Outcome {
    let seconds = cx.opt_number(1)?.unwrap_or(0.0);
    let parked = cx.park()?;
    let peer = cx.peer();
    let since = peer.clock.now();
    peer.scheduler.add_wait(since + Time::wait(seconds), Wake::Wait { parked, since });
    Ok(Returns::Yield)
}

fn cancel(cx: &mut Cx<'_>) -> Outcome {
    let thread = cx.thread(1)?;
    if cx.peer().cancel(&thread) {
        return Ok(Returns::NONE);
    }
    Err(Raise::located("cannot cancel thread"))
}

/// Has the calling thread go on in the other phase, at the next change of phases. Does nothing in that phase.
fn change_phase(cx: &mut Cx<'_>, parallel: bool) -> Outcome {
    let peer = cx.peer();
    if peer.actor.is_none() {
        let name = if parallel { "desynchronize" } else { "synchronize" };
        return Err(Raise::new(format!(
            "task.{name}() should only be called from a script that is a descendant of an Actor"
        )));
    }
    if peer.scheduler.is_parallel() == parallel {
        return Ok(Returns::NONE);
    }
    let parked = cx.park()?;
    push_phase(&peer, parallel, Job::Wake { parked, values: [].into(), depth: 0 });
    Ok(Returns::Yield)
}
