//! `Actor` and `SharedTableRegistry`: messages and shared tables between the VMs of one side.
//! Engine pages: classes/Actor and classes/SharedTableRegistry, checked November 2026. Source: Roblox behaviour, 11.4.

use std::rc::Rc;

use super::remotes::Sender;
use crate::datamodel::instance::{text, this};
use crate::datamodel::members::{Member, method};
use crate::datatypes::shared_table;
use crate::peer::Peer;
use crate::scheduler::{Signals, send};
use crate::value::{ConnectionId, InstanceId, SignalKey};
use crate::vm::{Cx, Handle, Outcome, Raise, Returns};

/// What scripts can use.
pub const MEMBERS: &[Member] = &[
    method("Actor", "BindToMessage(topic: string, callback: function) -> RBXScriptConnection", |cx| {
        bind(cx, Signals::connect)
    }),
    method(
        "Actor",
        "BindToMessageParallel(topic: string, callback: function) -> RBXScriptConnection",
        |cx| bind(cx, Signals::connect_parallel),
    ),
    method("Actor", "SendMessage(topic: string, ...)", send_message),
    method("SharedTableRegistry", "GetSharedTable(name: string) -> SharedTable", get_shared_table),
    method("SharedTableRegistry", "SetSharedTable(name: string, st: SharedTable?)", set_shared_table),
];

type Bind = fn(&Signals, SignalKey, Handle, u32) -> ConnectionId;

/// Has a function of a script under the Actor called with each message about a topic.
fn bind(cx: &mut Cx<'_>, connect: Bind) -> Outcome {
    let (actor, topic) = (this(cx)?, text(cx, 1)?);
    let function = cx.function(2)?;
    let peer = cx.peer();
    if peer.actor != Some(actor) {
        return Err(Raise::new(format!(
            "{} can only be called from a script that is a descendant of the Actor",
            cx.callee()
        )));
    }
    let key = peer.data_model().message_signal(actor, &topic);
    cx.push_connection(connect(&peer.signals, key, function, cx.owner()));
    Ok(Returns::ONE)
}

/// Sends a message. Without anyone bound to the topic it is lost.
fn send_message(cx: &mut Cx<'_>) -> Outcome {
    let (actor, topic) = (this(cx)?, text(cx, 1)?);
    let peer = cx.peer();
    let given = cx.values_from(2)?;
    let mut sender = Sender::message(&peer.shared.settings, peer.data_model());
    let message = sender.convert(&given)?;
    let remarks = sender.take_remarks();
    for (code, text) in remarks {
        peer.diagnose(code, format!("{}: {text}", name(&peer, actor)), None);
    }
    send(&peer, peer.data_model().message_signal(actor, &topic), &message);
    Ok(Returns::NONE)
}

fn name(peer: &Rc<Peer>, actor: InstanceId) -> String {
    format!("{}:SendMessage", peer.full_name(actor))
}

fn get_shared_table(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    let table = shared_table::registered(&cx.peer(), &text(cx, 1)?);
    cx.push_data(table);
    Ok(Returns::ONE)
}

fn set_shared_table(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    let name = text(cx, 1)?;
    let table = if cx.is_nil(2) { None } else { Some(shared_table::argument(cx, 2)?) };
    shared_table::register(&cx.peer(), &name, table);
    Ok(Returns::NONE)
}
