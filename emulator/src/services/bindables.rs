//! `BindableEvent` and `BindableFunction`: events and calls inside one side. Engine pages: classes/BindableEvent and
//! classes/BindableFunction, checked August 2026. Source: Roblox behaviour, 5.7.

use std::rc::Rc;

use super::remotes::{Names, Sender};
use crate::datamodel::DataModel;
use crate::datamodel::instance::this;
use crate::datamodel::members::{EventRef, Member, callback, event, method};
use crate::peer::Peer;
use crate::value::{InstanceId, Value};
use crate::vm::{Cx, Failure, Outcome, Parked, Raise, Returns, ThreadEnd};

/// Members of both classes.
pub const MEMBERS: &[Member] = &[
    event("BindableEvent", "Event(...)"),
    method("BindableEvent", "Fire(...)", fire),
    callback("BindableFunction", "OnInvoke(...) -> ..."),
    method("BindableFunction", "Invoke(...) -> ...", invoke).yields(),
];

static EVENT: EventRef = EventRef::new("BindableEvent", "Event");

/// Calls that came before their callback was set, oldest first.
#[derive(Default)]
pub struct Invocations(Vec<Invocation>);

struct Invocation {
    function: InstanceId,
    arguments: Rc<[Value]>,
    parked: Parked,
}

impl Names for DataModel {
    fn name(&self, instance: InstanceId) -> String {
        self.store().name(instance).to_string()
    }
}

/// Values as they pass through a bindable: tables are copies that lost what remotes lose, functions stay.
fn copied(peer: &Peer, values: &[Value]) -> Result<Rc<[Value]>, String> {
    Sender::bindable(&peer.shared.settings, peer.data_model()).convert(values)
}

fn arguments(cx: &Cx<'_>) -> Result<Rc<[Value]>, Raise> {
    let given: Vec<Value> = (1..=cx.count()).map(|index| cx.value(index)).collect::<Result<_, _>>()?;
    Ok(copied(&cx.peer(), &given)?)
}

fn fire(cx: &mut Cx<'_>) -> Outcome {
    let id = this(cx)?;
    let arguments = arguments(cx)?;
    crate::scheduler::fire(&cx.peer(), EVENT.on(id), arguments);
    Ok(Returns::NONE)
}

fn invoke(cx: &mut Cx<'_>) -> Outcome {
    let id = this(cx)?;
    let arguments = arguments(cx)?;
    let peer = cx.peer();
    match peer.data_model().callback(id, "OnInvoke") {
        Some(callback) => super::invoke(cx, &peer, &callback, &arguments, copy_results),
        None => {
            let parked = cx.park()?;
            let waiting = Invocation { function: id, arguments, parked };
            peer.data_model().extras().invocations.0.push(waiting);
            Ok(Returns::Yield)
        }
    }
}

/// Tables among results are copies too.
fn copy_results(peer: &Rc<Peer>, end: ThreadEnd) -> ThreadEnd {
    let values: Vec<Value> =
        end?.into_iter().map(|value| table_of(peer, value)).collect::<Result<_, Failure>>()?;
    copied(peer, &values).map(|values| values.to_vec()).map_err(Failure::text)
}

/// The contents of a value that a handle names.
fn table_of(peer: &Rc<Peer>, value: Value) -> Result<Value, Failure> {
    match value {
        Value::Reference(handle) => peer.vm.enter(|cx| {
            cx.push_handle(&handle);
            cx.value(-1)
        }),
        other => Ok(other),
    }
}

/// Answers the calls that waited for the callback of a `BindableFunction`.
pub(super) fn callback_set(peer: &Rc<Peer>, id: InstanceId) {
    let Some(callback) = peer.data_model().callback(id, "OnInvoke") else { return };
    let waiting = {
        let mut extras = peer.data_model().extras();
        let (ready, rest) =
            std::mem::take(&mut extras.invocations.0).into_iter().partition(|call| call.function == id);
        extras.invocations.0 = rest;
        let ready: Vec<Invocation> = ready;
        ready
    };
    for Invocation { arguments, parked, .. } in waiting {
        let started = peer.spawn_then(
            &callback.function,
            callback.owner,
            &arguments,
            Box::new({
                let parked = parked.clone();
                move |peer: &Rc<Peer>, end| super::answer(peer, &parked, copy_results(peer, end))
            }),
        );
        if let Err(failure) = started {
            super::answer(peer, &parked, Err(failure));
        }
    }
}

/// A script assigned a callback of any class: whoever waited for it is served.
pub fn any_callback_set(peer: &Rc<Peer>, id: InstanceId) {
    let class = peer.data_model().store().class(id).name();
    match class {
        "BindableFunction" => callback_set(peer, id),
        "RemoteFunction" => super::remotes::callback_set(peer),
        _ => {}
    }
}
