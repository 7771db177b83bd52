//! `MessagingService` in a universe of servers: messages by topic, to every server that listens when they arrive. Engine
//! page: classes/MessagingService, checked November 2026; texts of errors are ours (P).

use std::rc::Rc;

use super::calls::{ask, decode, encode, now, seat};
use crate::clock::Time;
use crate::datamodel::instance::{text, this};
use crate::datamodel::members::{Member, method};
use crate::peer::Peer;
use crate::scheduler::{call_at, fire};
use crate::universe::{Cloud, LONGEST_MESSAGE, LONGEST_TOPIC, Seat, Service};
use crate::value::{SignalKey, Value};
use crate::vm::{Cx, Outcome, Raise};

/// What scripts can use.
pub const MEMBERS: &[Member] = &[
    method("MessagingService", "PublishAsync(topic: string, message: any)", publish)
        .yields()
        .checks_arguments()
        .instead("in a universe of servers; elsewhere raises that it needs one"),
    method(
        "MessagingService",
        "SubscribeAsync(topic: string, callback: function) -> RBXScriptConnection",
        subscribe,
    )
    .yields()
    .instead("in a universe of servers; elsewhere raises that it needs one"),
];

fn topic(cx: &Cx<'_>) -> Result<(Seat, String), Raise> {
    this(cx)?;
    let peer = cx.peer();
    let seat = seat(&peer, "MessagingService")?;
    if !peer.side.is_server() {
        return Err("MessagingService can only be used on the server".into());
    }
    let topic = text(cx, 1)?;
    let length = topic.chars().count();
    if length == 0 || length > LONGEST_TOPIC {
        return Err(format!("The topic must have 1 to {LONGEST_TOPIC} characters, not {length}").into());
    }
    Ok((seat, topic))
}

/// The signal of a topic on one server.
fn signal(peer: &Peer, topic: &str) -> SignalKey {
    let model = peer.data_model();
    model.message_signal(model.known_service("MessagingService"), topic)
}

/// Topics a server listens to.
fn topics(peer: &Peer) -> Vec<SignalKey> {
    let service = peer.data_model().known_service("MessagingService");
    let all = peer.signals.list();
    let mut keys: Vec<SignalKey> = Vec::new();
    for (_, key, _) in all {
        if key.instance == service && !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}

fn subscribe(cx: &mut Cx<'_>) -> Outcome {
    let (seat, topic) = topic(cx)?;
    let (function, owner) = (cx.function(2)?, cx.owner());
    let what = format!("SubscribeAsync(\"{topic}\")");
    let number = seat.server;
    ask(cx, &seat, Service::Messaging, what, "", move |peer, cloud| {
        let (key, known) = (signal(peer, &topic), topics(peer));
        let most = cloud.most_subscriptions(number);
        if !known.contains(&key) && known.len() >= most {
            return Err(format!("This server listens to {most} topics already, which is its limit"));
        }
        Ok(vec![Value::Connection(peer.signals.connect(key, function, owner))])
    })
}

fn publish(cx: &mut Cx<'_>) -> Outcome {
    let (seat, topic) = topic(cx)?;
    const NO_JSON: &str = "The message has no form in JSON";
    let message = cx.value(2).map_err(|raise| raise.reworded(NO_JSON))?;
    let message = encode(&message).ok_or(NO_JSON)?;
    if message.len() > LONGEST_MESSAGE {
        let length = message.len();
        return Err(format!("The message has {length} bytes; {LONGEST_MESSAGE} is the limit").into());
    }
    let what = format!("PublishAsync(\"{topic}\")");
    let number = seat.server;
    ask(cx, &seat, Service::Messaging, what, "", move |peer, cloud| {
        if !cloud.may_publish(number, &topic, now(peer)) {
            return Err("This server has published too many messages in the last minute".into());
        }
        if cloud.fails(Service::Messaging, number, None).is_none() && cloud.may_deliver(&topic) {
            deliver(peer, cloud, &topic, &message);
        } else {
            super::calls::record(peer, format!("messaging: a message about \"{topic}\" is lost"));
        }
        Ok(Vec::new())
    })
}

/// Sends a message on its way to every server, the sender's own too. Each hears it in a moment of its own.
fn deliver(peer: &Rc<Peer>, cloud: &Rc<Cloud>, topic: &str, message: &Rc<[u8]>) {
    let sent = peer.shared.clock.get().unix(now(peer)).floor();
    for number in cloud.open_servers() {
        let Some(world) = cloud.world(number) else { continue };
        let (topic, message) = (topic.to_owned(), message.clone());
        let due = now(peer) + Time::from_seconds(cloud.latency(Service::Messaging));
        cloud.begin_call(number);
        let ended = cloud.clone();
        call_at(&world.server().peer, due, move |peer| {
            ended.end_call(number);
            let data = Value::record([("Data", decode(&message)), ("Sent", Value::Number(sent))]);
            super::calls::record(peer, format!("messaging: a message about \"{topic}\" arrives"));
            fire(peer, signal(peer, &topic), [data]);
        });
    }
}
