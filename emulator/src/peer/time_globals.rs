//! Clocks as scripts read them, all from the peer's virtual clock. Source: Roblox behaviour, 10; emulator
//! requirements, 9.

use std::rc::Rc;

use super::{Peer, globals};
use crate::vm::{Cx, Failure, Outcome, Raise, Returns, Type};

/// Adds `tick`, `time`, `elapsedTime` and a new `os`.
pub(super) fn install(peer: &Rc<Peer>) -> Result<(), Failure> {
    let date = globals::builtin(peer, "os", "date")?;
    let time = globals::builtin(peer, "os", "time")?;
    // Set once, right after the peer is made.
    let _ = peer.system_time.set((date, time));
    let vm = &peer.vm;
    vm.set_function("tick", tick)?;
    vm.set_function("time", uptime)?;
    for name in ["elapsedTime", "ElapsedTime"] {
        vm.set_function(name, uptime)?;
    }
    let functions: [(&'static str, crate::vm::NativeFn); 4] =
        [("clock", os_clock), ("date", os_date), ("difftime", os_difftime), ("time", os_time)];
    vm.set_library("os", &functions, &[])
}

impl Peer {
    /// The peer's wall clock, in Unix seconds.
    pub fn unix_time(&self) -> f64 {
        self.shared.clock.get().unix(self.clock.local())
    }
}

fn number(cx: &mut Cx<'_>, value: f64) -> Outcome {
    cx.push_number(value);
    Ok(Returns::ONE)
}

fn tick(cx: &mut Cx<'_>) -> Outcome {
    let now = cx.peer().unix_time();
    number(cx, now)
}

fn uptime(cx: &mut Cx<'_>) -> Outcome {
    let uptime = cx.peer().clock.uptime();
    number(cx, uptime)
}

fn os_clock(cx: &mut Cx<'_>) -> Outcome {
    let now = cx.peer().clock.os_clock();
    number(cx, now)
}

fn os_difftime(cx: &mut Cx<'_>) -> Outcome {
    let difference = cx.number(1)? - cx.opt_number(2)?.unwrap_or(0.0);
    number(cx, difference)
}

fn os_time(cx: &mut Cx<'_>) -> Outcome {
    let peer = cx.peer();
    if cx.is_nil(1) {
        return number(cx, peer.unix_time().floor());
    }
    let (_, time) = system(&peer)?;
    cx.push_handle(&time);
    cx.push_copy(1);
    drop((peer, time));
    cx.call(1, 1);
    Ok(Returns::ONE)
}

/// Luau's `os.date`, held to UTC: the machine's time zone must not be seen.
fn os_date(cx: &mut Cx<'_>) -> Outcome {
    let peer = cx.peer();
    let format = if cx.kind(1) == Type::None || cx.is_nil(1) { "%c".to_owned() } else { cx.text(1)? };
    let at = match cx.opt_number(2)? {
        Some(at) => at,
        None => peer.unix_time().floor(),
    };
    let (date, _) = system(&peer)?;
    cx.push_handle(&date);
    cx.push_string(format!("!{}", format.trim_start_matches('!')));
    cx.push_number(at);
    drop((peer, date, format));
    cx.call(2, 1);
    Ok(Returns::ONE)
}

fn system(peer: &Peer) -> Result<(crate::vm::Handle, crate::vm::Handle), Raise> {
    peer.system_time.get().cloned().ok_or_else(|| Raise::new("os is not ready"))
}
