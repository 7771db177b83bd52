//! Services of the engine and other classes with behaviour of their own, one file each.
//!
//! A file declares its members in a `MEMBERS` table that [`crate::datamodel::members`] gathers.

pub mod actors;
pub mod bindables;
pub mod calls;
pub mod characters;
pub mod collection_service;
pub mod context_action_service;
pub mod data_model;
pub mod data_stores;
pub mod debris;
pub mod easing;
pub mod http_service;
pub mod humanoid;
pub mod json;
pub mod log_service;
pub mod memory_stores;
pub mod messaging_service;
pub mod model;
pub mod players;
pub mod reflection_service;
pub mod remotes;
pub mod run_service;
pub mod screen;
pub mod stats;
pub mod teams;
pub mod teleport_service;
pub mod test_service;
pub mod tween_service;
pub mod user_input_service;
pub mod workspace;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use crate::datamodel::members::Callback;
use crate::peer::Peer;
use crate::shared::Random;
use crate::value::Value;
use crate::vm::{Cx, Outcome, Parked, Returns, ThreadEnd};

/// State of single services of one side that is neither a property nor an instance.
#[derive(Default)]
pub struct Extras {
    /// What place runs.
    pub place: data_model::Place,
    /// Whether a client has its first tree.
    pub is_loaded: bool,
    /// Functions given to `BindToClose`.
    pub on_close: Vec<Value>,
    /// What identifiers are drawn from.
    pub guids: Option<Random>,
    /// The last lines of output.
    pub log: VecDeque<log_service::LogEntry>,
    /// Calls that wait for their `OnInvoke`.
    pub invocations: bindables::Invocations,
}

/// Calls a script's function on behalf of the calling native function, and gives its results to the caller: at once
/// if it returns at once, else by suspending the caller. An error of the function is the caller's.
///
/// `finish` sees the results in the calling peer before the caller does.
pub fn invoke(
    cx: &mut Cx<'_>,
    peer: &Rc<Peer>,
    callback: &Callback,
    arguments: &[Value],
    finish: fn(&Rc<Peer>, ThreadEnd) -> ThreadEnd,
) -> Outcome {
    enum State {
        Running,
        Waiting(Parked),
        Ended(ThreadEnd),
    }
    // A place where nothing may wait must not start what it cannot wait for.
    drop(cx.park()?);
    let state = Rc::new(RefCell::new(State::Running));
    let shared = state.clone();
    let end = Box::new(move |peer: &Rc<Peer>, end: ThreadEnd| {
        let end = finish(peer, end);
        let before = shared.replace(State::Running);
        match before {
            State::Waiting(parked) => answer(peer, &parked, end),
            State::Running | State::Ended(_) => *shared.borrow_mut() = State::Ended(end),
        }
    });
    peer.spawn_then(&callback.function, callback.owner, arguments, end)?;
    let before = state.replace(State::Running);
    match before {
        State::Ended(end) => {
            let values = end?;
            for value in &values {
                cx.push(value);
            }
            Ok(Returns::Values(i32::try_from(values.len()).unwrap_or(0)))
        }
        State::Running | State::Waiting(_) => {
            *state.borrow_mut() = State::Waiting(cx.park()?);
            Ok(Returns::Yield)
        }
    }
}

/// Gives a thread's end to whoever waits for it.
pub fn answer(peer: &Rc<Peer>, parked: &Parked, end: ThreadEnd) {
    match end {
        Ok(values) => peer.resume(parked, &values),
        Err(failure) => peer.fail_with(parked, &failure.value),
    };
}

/// Results as they are.
pub fn as_they_are(_: &Rc<Peer>, end: ThreadEnd) -> ThreadEnd {
    end
}
