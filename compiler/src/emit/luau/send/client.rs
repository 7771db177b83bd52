//! What a client sends: `Fire`.

use super::super::ast::*;
use super::super::context::{Context, Sink};
use super::super::module::{EventInfo, State, positional};
use super::super::{clock, lanes, traffic};
use super::{Alone, commit, counted, fits, following, give, held, refuse, writing};
use crate::schema::{Channel, Lane, Turn};

/// `Fire` of a client.
pub fn client(cx: &mut Context, info: &EventInfo, state: &mut State) -> Vec<Entry> {
    let (mut params, mut values) = positional(&info.declared(cx.schema));
    if values.is_empty() && info.event.stamp.is_none() {
        params.push(param("_", ty("nil")));
    }
    if info.event.stamp.is_some() {
        values.push(clock::stamp());
    }
    let mut body = refuse::own_table(cx, info, "Fire");
    let counts = traffic::counts(cx, info, state);
    if info.wire.channel == Channel::Reliable {
        reliable(cx, info, &values, counts.as_ref(), &mut body);
    } else if let Some(alone) = Alone::declare(cx, info, state) {
        at_once(cx, info, &alone, &values, counts.as_ref(), state, &mut body);
    } else if info.is_acknowledged() {
        acknowledged(cx, info, &values, counts.as_ref(), &mut body);
    } else {
        unreliable(cx, info, &values, counts.as_ref(), state, &mut body);
    }
    vec![counted(cx, "Fire", params, body)]
}

/// Into the reliable batch.
fn reliable(cx: &mut Context, info: &EventInfo, values: &[Expr], counts: Option<&Expr>, body: &mut Block) {
    cx.sink = Sink::Own;
    let written = writing(cx, info, values, 2, body);
    cx.sink = Sink::Batch;
    let slot = if written.slots { Some(name("Slot")) } else { None };
    commit_reliable(cx, written.end, slot, body);
    let bytes = binary(name("OutCursor"), BinaryOp::Sub, name("Start"));
    body.append(traffic::sent(cx, counts, bytes, num(1)));
    body.ret([num(1)]);
}

/// Ends an item of a client's reliable batch, which is cut into packets that the server admits.
pub fn commit_reliable(cx: &Context, end: Expr, slot: Option<Expr>, body: &mut Block) {
    let mut full =
        or(ge(name("OutItems"), num(cx.options.max_events_per_packet)), gt(end.clone(), name("OutFull")));
    if let Some(slot) = &slot {
        full = or(full, gt(slot.clone(), path("Outgoing.fullSlots")));
    }
    body.when(full, block(|b| _ = b.call("SplitOut", [])));
    body.bump(name("OutItems"), num(1));
    body.assign(name("OutCursor"), end);
    if let Some(slot) = slot {
        body.assign(path("Outgoing.slots"), slot);
    }
}

/// In a packet of its own, without Instances.
fn at_once(
    cx: &mut Context,
    info: &EventInfo,
    alone: &Alone,
    values: &[Expr],
    counts: Option<&Expr>,
    state: &mut State,
    body: &mut Block,
) {
    let end = alone.write(cx, info, values, 2, body);
    refuse::large_item(cx, info, &end, body);
    cx.sends_packets = true;
    if info.is_ordered() {
        let number = state.declare(&format!("{}Number", info.key), None, num(0));
        body.call("buffer.writeu16", [name("Buffer"), num(1), number.clone()]);
        following(&number, body);
    }
    let packet = alone.packet(cx, end.clone());
    body.push(Stat::Call(method(name("Unreliable"), "FireServer", [packet, name("NoInstances")])));
    body.append(traffic::sent(cx, counts, end, num(1)));
    body.ret([num(1)]);
}

/// On a channel whose items are sent until the server says that it has them.
fn acknowledged(
    cx: &mut Context,
    info: &EventInfo,
    values: &[Expr],
    counts: Option<&Expr>,
    body: &mut Block,
) {
    let lane = info.wire.turn.map_or(0, lanes::number);
    let batch = cx.batch_type();
    body.local_typed("Out", batch, apply(cx.runtime("ClientLanes", "item"), []));
    let written = writing(cx, info, values, 2, body);
    commit(&written, body);
    let limit = num(cx.options.max_unreliable_size);
    let args = [name("Out"), text(info.event.name.as_str()), limit, num(lane)];
    let sent = apply(cx.runtime("ClientLanes", "send"), args);
    body.append(give(cx, counts, path("Out.cursor"), sent));
}

/// With whatever else is gathered, or at once with Instances beside it.
fn unreliable(
    cx: &mut Context,
    info: &EventInfo,
    values: &[Expr],
    counts: Option<&Expr>,
    state: &mut State,
    body: &mut Block,
) {
    let batched = cx.options.batch_unreliable;
    let module = if batched { "ClientGather" } else { "ClientUnreliable" };
    let out = if batched { name("Gathered") } else { apply(cx.runtime(module, "item"), []) };
    let batch = cx.batch_type();
    body.local_typed("Out", batch, out);
    let written = writing(cx, info, values, 2, body);
    let is_plain = !written.slots && !info.is_ordered() && info.wire.turn.is_none();
    if batched && fits(cx, info) && is_plain && counts.is_none() {
        gather(cx, written.end, body);
        body.ret([num(1)]);
        return;
    }
    let event = text(info.event.name.as_str());
    let (send, mut args, bytes) = if batched {
        let slots = if written.slots { name("Slot") } else { path("Out.slots") };
        let bytes = binary(path("Out.cursor"), BinaryOp::Sub, name("Start"));
        let args = vec![written.end, slots, event, name("PacketLimits")];
        (cx.runtime(module, "add"), args, bytes)
    } else {
        commit(&written, body);
        let limit = num(cx.options.max_unreliable_size);
        let args = vec![name("Unreliable"), name("Out"), event, limit];
        (cx.runtime(module, "send"), args, path("Out.cursor"))
    };
    let mut next = Block::new();
    if let Some(Turn::Sequenced(lane)) = info.wire.turn {
        let number = num(lanes::number(Turn::Sequenced(lane)));
        let start = if batched { name("Start") } else { num(0) };
        let mut stamped = vec![path("Out.buffer"), start, number.clone()];
        if lane == Lane::Default {
            stamped.push(unsent_packets(cx));
        }
        let stamp = cx.runtime("ClientLanes", "stamp");
        body.push(Stat::Call(apply(stamp, stamped)));
        let advance = cx.runtime("ClientLanes", "advance");
        next.push(Stat::Call(apply(advance, [number])));
    } else if info.is_ordered() {
        let number = state.declare(&format!("{}Number", info.key), None, num(0));
        args.push(number.clone());
        following(&number, &mut next);
    }
    next.append(traffic::sent(cx, counts, bytes, num(1)));
    if next.is_empty() {
        body.ret([choose(apply(send, args), num(1), num(0))]);
    } else {
        next.ret([num(1)]);
        body.when(apply(send, args), next);
        body.ret([num(0)]);
    }
}

/// Ends an item of a client's unreliable batch that has no Instances and is never too large.
fn gather(cx: &mut Context, end: Expr, body: &mut Block) {
    let end = held(end, body);
    let split = apply(cx.runtime("ClientGather", "split"), [name("PacketLimits")]);
    let items = ge(path("Filling.items"), num(cx.options.max_events_per_packet));
    let full = or(gt(end.clone(), path("Filling.full")), items);
    body.when(full, block(|b| _ = b.push(Stat::Call(split))));
    body.bump(path("Filling.items"), num(1));
    body.assign(path("Out.cursor"), end);
}

/// Packets of a client's reliable batch that wait for the flush.
fn unsent_packets(cx: &Context) -> Expr {
    if !cx.uses.has_reliable_batch() {
        return num(0);
    }
    add(len(path("Outgoing.cuts")), choose(gt(name("OutItems"), num(0)), num(1), num(0)))
}
