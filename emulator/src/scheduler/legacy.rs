//! `wait`, `spawn` and `delay` as globals. Source: Roblox behaviour, 4.

use super::timers::Wake;
use crate::clock::Time;
use crate::vm::{Cx, Failure, Outcome, Returns, Vm};

/// The shortest wait of the legacy functions.
const SHORTEST: Time = Time::from_millis(29);
/// What `wait()` waits without an argument, in seconds.
const DEFAULT_SECONDS: f64 = 0.03;

/// Adds the globals, in both spellings.
pub(super) fn install(vm: &Vm) -> Result<(), Failure> {
    for name in ["wait", "Wait"] {
        vm.set_function(name, wait)?;
    }
    for name in ["spawn", "Spawn"] {
        vm.set_function(name, spawn)?;
    }
    for name in ["delay", "Delay"] {
        vm.set_function(name, delay)?;
    }
    Ok(())
}

fn wait(cx: &mut Cx<'_>) -> Outcome {
    let seconds = cx.opt_number(1)?.unwrap_or(DEFAULT_SECONDS);
    let parked = cx.park()?;
    let peer = cx.peer();
    let since = peer.clock.now();
    let due = since + Time::wait(seconds).max(SHORTEST);
    peer.scheduler.add_legacy(due, Wake::LegacyWait { parked, since });
    Ok(Returns::Yield)
}

fn spawn(cx: &mut Cx<'_>) -> Outcome {
    later(cx, 0.0, 1)
}

fn delay(cx: &mut Cx<'_>) -> Outcome {
    let seconds = cx.number(1)?;
    later(cx, seconds, 2)
}

fn later(cx: &mut Cx<'_>, seconds: f64, function: i32) -> Outcome {
    let peer = cx.peer();
    let thread = peer.vm.thread(&cx.function(function)?, cx.owner())?;
    let since = peer.clock.now();
    let due = since + Time::wait(seconds).max(SHORTEST);
    peer.scheduler.add_legacy(due, Wake::LegacyDelayed { thread, since });
    Ok(Returns::NONE)
}
