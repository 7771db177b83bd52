//! Calls of the platform's services: they take time, may fail on request, and happen in a universe of servers alone.

use std::cell::RefCell;
use std::rc::Rc;

use super::http_service::{from_json, to_json};
use super::json;
use crate::clock::Time;
use crate::peer::Peer;
use crate::scheduler::call_after;
use crate::services::remotes::Desk;
use crate::shared::Side;
use crate::trace::Event;
use crate::universe::{Cloud, Seat, Service};
use crate::value::Value;
use crate::vm::{Cx, Failure, Handle, Outcome, Parked, Raise, Returns, ThreadEnd};

/// The server's place in its universe.
///
/// Errors: the text for a world that stands alone, with what to do.
pub fn seat(peer: &Peer, class: &str) -> Result<Seat, Raise> {
    peer.shared.seat.get().cloned().ok_or_else(|| {
        Raise::new(format!(
            "[emulator] {class} works between the servers of a universe: make one with test.universe{{ servers = 2 }}, or \
             stub it with side:stub(\"{class}\", name, fn)"
        ))
    })
}

/// The moment it is, on every server.
pub fn now(peer: &Peer) -> Time {
    peer.shared.clock.get().now
}

/// A value as the platform keeps it. `None` for what JSON has no form for, at any depth.
pub fn encode(value: &Value) -> Option<Rc<[u8]>> {
    if !is_plain(value) {
        return None;
    }
    let text = json::print(&to_json(value));
    // Texts that are no UTF-8 and numbers that are none do not come back.
    json::parse(&text)?;
    Some(text.into())
}

/// What [`encode`] made, as a new value.
pub fn decode(text: &[u8]) -> Value {
    json::parse(text).map_or(Value::Nil, from_json)
}

fn is_plain(value: &Value) -> bool {
    match value {
        Value::Nil | Value::Boolean(_) | Value::Number(_) | Value::String(_) | Value::Buffer(_) => true,
        Value::Table(table) => {
            (table.array.is_empty() || table.pairs.is_empty())
                && table.array.iter().all(is_plain)
                && table
                    .pairs
                    .iter()
                    .all(|(key, value)| matches!(key, Value::String(_) | Value::Number(_)) && is_plain(value))
        }
        _ => false,
    }
}

/// Leaves a line about a call in the trace of its server.
pub fn record(peer: &Peer, text: String) {
    if let Some(desk) = peer.part::<Desk>() {
        desk.core.record(Side::Server, Event::Mark(text));
    }
}

/// What a call gives.
pub type Answer = Result<Vec<Value>, String>;

/// Has the caller wait for a service, which does `work` when the call gets there. `what` is the call for the trace, and
/// `failed` the text of a failure that a test asked for.
pub fn ask(
    cx: &Cx<'_>,
    seat: &Seat,
    service: Service,
    what: String,
    failed: &'static str,
    work: impl FnOnce(&Rc<Peer>, &Rc<Cloud>) -> Answer + 'static,
) -> Outcome {
    let parked = cx.park()?;
    begin(&cx.peer(), seat, service, failed, move |peer, cloud, fault| {
        let answer = match fault {
            Some(text) => Err(text),
            None => work(peer, cloud),
        };
        finish(peer, &parked, service, &what, answer);
    });
    Ok(Returns::Yield)
}

/// Starts a call: `then` is called when it gets there, with what it is to fail with if a test asked for that.
pub fn begin(
    peer: &Peer,
    seat: &Seat,
    service: Service,
    failed: &'static str,
    then: impl FnOnce(&Rc<Peer>, &Rc<Cloud>, Option<String>) + 'static,
) {
    let cloud = seat.cloud.clone();
    cloud.begin_call(seat.server);
    // A message that fails is lost on the way, and a teleport that does keeps the player: their callers are not told.
    let is_silent = matches!(service, Service::Messaging | Service::Teleport);
    let fault = if is_silent { None } else { cloud.fails(service, seat.server, None) };
    let fault = fault.map(|text| text.unwrap_or_else(|| failed.to_owned()));
    let server = seat.server;
    call_after(peer, cloud.latency(service), move |peer| {
        cloud.end_call(server);
        then(peer, &cloud, fault);
    });
}

/// Gives a call's answer to who waits for it.
pub fn finish(peer: &Rc<Peer>, parked: &Parked, service: Service, what: &str, answer: Answer) {
    let outcome = answer.as_ref().err().map_or("ok", String::as_str);
    record(peer, format!("{}: {what}: {outcome}", service.name()));
    match answer {
        Ok(values) => peer.resume(parked, &values),
        Err(text) => peer.fail(parked, &text),
    };
}

/// Reads what a script's function is given, and the version of the value.
pub type Read = dyn Fn(&Peer, &Cloud) -> Result<(Vec<Value>, u64), String>;

/// Writes what a script's function gave, if the value's version still is that one. `None` if it is not.
pub type Write = dyn Fn(&Peer, &Cloud, &[Value], u64) -> Option<Answer>;

/// A change of a value that is read, given to a script's function, and written unless somebody was faster.
pub struct Update {
    /// The server's place.
    pub seat: Seat,
    /// Which service.
    pub service: Service,
    /// The call for the trace.
    pub what: String,
    /// The text of a failure that a test asked for.
    pub failed: &'static str,
    /// Reads what the function is given, and the version.
    pub read: Box<Read>,
    /// Writes what it gave, if the version still is that one. `None` if it is not.
    pub write: Box<Write>,
}

/// How often a change is tried again when others were faster.
const MOST_TRIES: u32 = 5;

/// Has the caller wait for a change by the function of argument `at`.
pub fn update(cx: &Cx<'_>, at: i32, update: Update) -> Outcome {
    let (function, owner, parked) = (cx.function(at)?, cx.owner(), cx.park()?);
    attempt(&cx.peer(), Rc::new(Attempt { update, function, owner, parked }), 1);
    Ok(Returns::Yield)
}

struct Attempt {
    update: Update,
    function: Handle,
    owner: u32,
    parked: Parked,
}

fn attempt(peer: &Rc<Peer>, all: Rc<Attempt>, tries: u32) {
    let Update { seat, service, failed, .. } = &all.update;
    let (service, seat) = (*service, seat.clone());
    let once = all.clone();
    begin(peer, &seat, service, failed, move |peer, cloud, fault| {
        let end = |peer: &Rc<Peer>, answer: Answer| {
            finish(peer, &once.parked, service, &once.update.what, answer);
        };
        if let Some(text) = fault {
            return end(peer, Err(text));
        }
        let (given, version) = match (once.update.read)(peer, cloud) {
            Ok(read) => read,
            Err(text) => return end(peer, Err(text)),
        };
        let made = match transform(peer, &once, &given) {
            Ok(made) if made.first().is_none_or(Value::is_nil) => return end(peer, Ok(Vec::new())),
            Ok(made) => made,
            Err(text) => return end(peer, Err(text)),
        };
        let all = once.clone();
        begin(peer, &once.update.seat.clone(), service, once.update.failed, move |peer, cloud, fault| {
            let answer = match fault {
                Some(text) => Some(Err(text)),
                None => (all.update.write)(peer, cloud, &made, version),
            };
            match answer {
                Some(answer) => finish(peer, &all.parked, service, &all.update.what, answer),
                None if tries < MOST_TRIES => attempt(peer, all, tries + 1),
                None => {
                    let text = "UpdateConflict: Exceeded max number of retries.".to_owned();
                    finish(peer, &all.parked, service, &all.update.what, Err(text));
                }
            }
        });
    });
}

/// What the script's function makes of the old value, tables as copies. It must not wait.
fn transform(peer: &Rc<Peer>, attempt: &Attempt, given: &[Value]) -> Result<Vec<Value>, String> {
    const FAILED: &str = "TransformCallbackFailed: Failed to invoke transformation callback function.";
    let ended: Rc<RefCell<Option<ThreadEnd>>> = Rc::default();
    let slot = ended.clone();
    let end = Box::new(move |_: &Rc<Peer>, end: ThreadEnd| *slot.borrow_mut() = Some(end));
    let thread =
        peer.spawn_then(&attempt.function, attempt.owner, given, end).map_err(|problem| problem.text)?;
    let end = ended.borrow_mut().take();
    match end {
        Some(Ok(values)) => copies(peer, &values).map_err(|problem| problem.text),
        Some(Err(failure)) => Err(format!("{FAILED} {}", failure.report())),
        None => {
            peer.cancel(&thread);
            Err(format!("{FAILED} It must not wait."))
        }
    }
}

fn copies(peer: &Rc<Peer>, values: &[Value]) -> Result<Vec<Value>, Failure> {
    peer.vm.enter(|cx| {
        let copy = |value: &Value| {
            cx.push(value);
            let copied = cx.value(-1);
            cx.pop(1);
            copied
        };
        values.iter().map(copy).collect()
    })
}
