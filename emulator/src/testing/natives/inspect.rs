//! Natives that look into a world: waiting threads, live connections, what the traffic comes to.

use std::collections::BTreeMap;

use super::sides::client_index;
use super::world::{slot, slot_and_side, wrong};
use crate::network::{DirectionStats, Way};
use crate::scheduler;
use crate::testing::director::Director;
use crate::trace::Target;
use crate::value::Value;
use crate::vm::{Cx, NativeFn, Outcome, Returns};

/// Names as the Luau half calls them.
pub const NATIVES: &[(&str, NativeFn)] =
    &[("threads", threads), ("connections", connections), ("stats", stats), ("linkStats", link_stats)];

/// Threads of a side that wait: `{ reason, script, position, stack }`; calls of remote functions come last.
fn threads(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let (slot, side) = slot_and_side(cx, &director)?;
    let peer = slot.world.peer(side).map_err(wrong)?;
    let waiting = scheduler::waiting(&peer).into_iter().map(|thread| {
        Value::record([
            ("reason", Value::from(thread.reason)),
            ("script", thread.script.map_or(Value::Nil, |script| Value::from(&*script))),
            ("position", Value::from(thread.position)),
            ("stack", Value::from(thread.stack)),
        ])
    });
    let calls = slot.world.pending_calls(side).map_err(wrong)?;
    let calls = calls.into_iter().map(|(number, remote, ..)| {
        Value::record([
            ("reason", Value::from(format!("invoke #{number} of {}", peer.full_name(remote)))),
            ("position", Value::from("")),
            ("stack", Value::from("")),
        ])
    });
    let rows: Vec<Value> = waiting.chain(calls).collect();
    cx.push(&Value::array(rows));
    Ok(Returns::ONE)
}

/// Live connections of a side's scripts, or of one instance: `{ signal, script }`, in the order they were made.
fn connections(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let (slot, side) = slot_and_side(cx, &director)?;
    let peer = slot.world.peer(side).map_err(wrong)?;
    let only = match cx.opt_instance(3)? {
        Some(handle) => director.membrane.resolve(handle).map(|(_, instance)| instance),
        None => None,
    };
    let found = peer.signals.list();
    // Owner 0 is the emulator itself.
    let theirs = found
        .into_iter()
        .filter(|(_, key, owner)| *owner != 0 && only.is_none_or(|instance| instance == key.instance));
    let rows = theirs.map(|(_, key, owner)| {
        let event = peer.tree().signal_name(key);
        let event = event.rsplit('.').next().unwrap_or_default();
        let script = peer.owner(owner).name;
        Value::record([
            ("signal", Value::from(format!("{}.{event}", peer.full_name(key.instance)))),
            ("script", script.map_or(Value::Nil, |script| Value::from(&*script))),
        ])
    });
    cx.push(&Value::array(rows));
    Ok(Returns::ONE)
}

#[derive(Default)]
struct Sum {
    messages: f64,
    bytes: f64,
}

impl Sum {
    fn record(&self, seconds: f64) -> Value {
        let rate = |amount: f64| Value::Number(if seconds > 0.0 { amount / seconds } else { 0.0 });
        Value::record([
            ("messages", Value::Number(self.messages)),
            ("bytes", Value::Number(self.bytes)),
            ("messagesPerSecond", rate(self.messages)),
            ("bytesPerSecond", rate(self.bytes)),
        ])
    }
}

/// What was sent so far, by one side or by all: in total and for each remote. A message to several clients counts for
/// each; bytes are the estimates of the trace.
fn stats(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let slot = slot(cx, &director)?;
    let only = cx.opt_number(2)?.map(super::world::side_of);
    let mut total = Sum::default();
    let mut remotes: BTreeMap<String, Sum> = BTreeMap::new();
    {
        let trace = slot.world.trace();
        for packet in trace.packets().iter().filter(|packet| only.is_none_or(|side| packet.from == side)) {
            let receivers = match packet.to {
                Target::One(_) => 1.0,
                Target::Everyone => packet.receipts.len() as f64,
            };
            for sum in [&mut total, remotes.entry(packet.remote.to_string()).or_default()] {
                sum.messages += receivers;
                sum.bytes += receivers * packet.size as f64;
            }
        }
    }
    let seconds = slot.world.now().seconds();
    let pairs = remotes.iter().map(|(name, sum)| (name.as_str(), sum.record(seconds)));
    let by_remote = Value::record(pairs.collect::<Vec<_>>());
    cx.push(&total.record(seconds));
    cx.push(&by_remote);
    Ok(Returns::Values(2))
}

/// Counts of a client's link: `{ up, down }`, each `{ messages, bytes, packets, lost, resends }`.
fn link_stats(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let (slot, side) = slot_and_side(cx, &director)?;
    let client = client_index(side)?;
    let describe = |stats: DirectionStats| {
        Value::record([
            ("messages", Value::Number(stats.messages as f64)),
            ("bytes", Value::Number(stats.bytes as f64)),
            ("packets", Value::Number(stats.packets as f64)),
            ("lost", Value::Number(stats.lost as f64)),
            ("resends", Value::Number(stats.resends as f64)),
        ])
    };
    let (up, down) = (
        slot.world.link_stats(client, Way::Up).map_err(wrong)?,
        slot.world.link_stats(client, Way::Down).map_err(wrong)?,
    );
    cx.push(&Value::record([("up", describe(up)), ("down", describe(down))]));
    Ok(Returns::ONE)
}
