//! `Stats`: what traffic and memory a side has. Engine page: classes/Stats, checked November 2026.
//!
//! Bytes are those of the size model, over the last virtual second; memory is the VM's.

use std::rc::Rc;

use super::remotes::Desk;
use crate::clock::Time;
use crate::datamodel::classes::known_class;
use crate::datamodel::instance::{property_of, this};
use crate::datamodel::members::{Member, method, property};
use crate::datamodel::store::single_id;
use crate::peer::Peer;
use crate::value::{InstanceId, Value};
use crate::vm::{Cx, Outcome, Returns};

const ESTIMATE: &str = "remote traffic of the last virtual second, by the size model";
const OF_VM: &str = "memory of the side's VMs";

/// What scripts can use.
pub const MEMBERS: &[Member] = &[
    property("Stats", "DataSendKbps", |peer, _| Ok(kilobytes(peer, true))).instead(ESTIMATE),
    property("Stats", "DataReceiveKbps", |peer, _| Ok(kilobytes(peer, false))).instead(ESTIMATE),
    property("Stats", "InstanceCount", |peer, _| {
        Ok(Value::Number(peer.data_model().store().descendants(crate::datamodel::store::GAME).len() as f64))
    }),
    method("Stats", "GetTotalMemoryUsageMb() -> number", memory).instead(OF_VM),
    method("Stats", "GetMemoryUsageMbForTag(tag: EnumItem) -> number", memory).instead(OF_VM),
    method("StatsItem", "GetValue() -> number", get_value)
        .instead("Data Ping, Send kBps and Receive kBps alone"),
    method("StatsItem", "GetValueString() -> string", |cx| {
        let value = value_of(&cx.peer(), this(cx)?);
        cx.push_string(format!("{value:.2}"));
        Ok(Returns::ONE)
    })
    .instead("Data Ping, Send kBps and Receive kBps alone"),
];

const PING: &str = "Data Ping";
const SEND: &str = "Send kBps";
const RECEIVE: &str = "Receive kBps";

/// Gives the service its items: `Stats.Network.ServerStatsItem["Data Ping"]` is what games read.
pub fn fill(peer: &Rc<Peer>) {
    let model = peer.data_model();
    let mut store = model.store_mut();
    let mut add = |parent: InstanceId, name: &str| {
        let item = store.create(known_class("StatsItem"));
        if let Some(instance) = store.get_mut(item) {
            instance.name = name.into();
        }
        store.set_parent(item, Some(parent));
        item
    };
    let network = add(single_id(known_class("Stats")), "Network");
    let server = add(network, "ServerStatsItem");
    for name in [PING, SEND, RECEIVE] {
        add(server, name);
    }
}

/// Kilobytes in the last second, out of the side or into it.
fn kilobytes(peer: &Rc<Peer>, sent: bool) -> Value {
    let Some(desk) = peer.part::<Desk>() else { return Value::Number(0.0) };
    let since = desk.core.now() - Time::from_seconds(1.0);
    let trace = desk.core.trace();
    let recent = trace.packets().iter().rev().take_while(|packet| packet.sent_at >= since);
    let is_ours = |from: crate::shared::Side| (from == peer.side) == sent;
    let bytes: usize = recent
        .filter(|packet| is_ours(packet.from) && (sent || packet.receipt(peer.side).is_some()))
        .map(|packet| packet.size)
        .sum();
    Value::Number(bytes as f64 / 1000.0)
}

fn value_of(peer: &Rc<Peer>, item: InstanceId) -> f64 {
    let number = |value: Value| value.as_number().unwrap_or(0.0);
    match property_of(peer, item, "Name").to_string().as_str() {
        PING => {
            let desk = peer.part::<Desk>().filter(|_| !peer.side.is_server());
            desk.map_or(0.0, |desk| desk.core.round_trip(peer.side).seconds() * 1000.0)
        }
        SEND => number(kilobytes(peer, true)),
        RECEIVE => number(kilobytes(peer, false)),
        _ => 0.0,
    }
}

fn get_value(cx: &mut Cx<'_>) -> Outcome {
    let value = value_of(&cx.peer(), this(cx)?);
    cx.push_number(value);
    Ok(Returns::ONE)
}

fn memory(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    let megabytes = (cx.peer().memory() >> 10) as f64 / 1024.0;
    cx.push_number(megabytes);
    Ok(Returns::ONE)
}
