//! What a client sends: `Fire`.

use super::super::ast::*;
use super::super::context::{Context, GATHERED, OUTGOING, Sink};
use super::super::module::{EventInfo, State, positional};
use super::super::{clock, lanes, traffic};
use super::own::{self, commit_reliable};
use super::{Alone, SLOT_SIZE, commit, counted, following, give, held, refuse, writing};
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
    } else if cx.options.batch_unreliable {
        gathered(cx, info, &values, counts.as_ref(), state, &mut body);
    } else {
        with_instances(cx, info, &values, counts.as_ref(), state, &mut body);
    }
    vec![counted(cx, "Fire", params, body)]
}

/// Into the reliable batch.
fn reliable(cx: &mut Context, info: &EventInfo, values: &[Expr], counts: Option<&Expr>, body: &mut Block) {
    cx.sink = Sink::Own(&OUTGOING);
    let written = writing(cx, info, values, 2, body);
    cx.sink = Sink::Batch;
    let slot = if written.slots { Some(name("Slot")) } else { None };
    commit_reliable(cx, written.end, slot, body);
    let bytes = binary(name("OutCursor"), BinaryOp::Sub, name("Start"));
    body.append(traffic::sent(cx, counts, bytes, num(1)));
    body.ret([num(1)]);
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

/// At once, with Instances beside it.
fn with_instances(
    cx: &mut Context,
    info: &EventInfo,
    values: &[Expr],
    counts: Option<&Expr>,
    state: &mut State,
    body: &mut Block,
) {
    let batch = cx.batch_type();
    body.local_typed("Out", batch, apply(cx.runtime("ClientUnreliable", "item"), []));
    let written = writing(cx, info, values, 2, body);
    commit(&written, body);
    let mut next = Block::new();
    let limit = num(cx.options.max_unreliable_size);
    let mut args = vec![name("Unreliable"), name("Out"), text(info.event.name.as_str()), limit];
    if let Some(Turn::Sequenced(lane)) = info.wire.turn {
        body.push(stamp(cx, lane, path("Out.buffer"), num(0)));
        next.push(advance(cx, lane));
    } else if info.is_ordered() {
        let number = state.declare(&format!("{}Number", info.key), None, num(0));
        args.push(number.clone());
        following(&number, &mut next);
    }
    next.append(traffic::sent(cx, counts, path("Out.cursor"), num(1)));
    let sent = apply(cx.runtime("ClientUnreliable", "send"), args);
    if next.is_empty() {
        body.ret([choose(sent, num(1), num(0))]);
    } else {
        next.ret([num(1)]);
        body.when(sent, next);
        body.ret([num(0)]);
    }
}

/// With whatever else is gathered until the flush.
fn gathered(
    cx: &mut Context,
    info: &EventInfo,
    values: &[Expr],
    counts: Option<&Expr>,
    state: &mut State,
    body: &mut Block,
) {
    cx.sink = Sink::Own(&GATHERED);
    let written = writing(cx, info, values, 2, body);
    cx.sink = Sink::Batch;
    let end = held(written.end, body);
    let bytes = binary(end.clone(), BinaryOp::Sub, name("Start"));
    let slots = written.slots.then(|| {
        let count = binary(name("Slot"), BinaryOp::Sub, path("Gathered.slots"));
        body.local("Beside", mul(count, size(*SLOT_SIZE)));
        (name("Slot"), name("Beside"))
    });
    let whole = if slots.is_some() { add(bytes, name("Beside")) } else { bytes };
    refuse::large_item(cx, info, &whole, body);
    let mut next = Block::new();
    if let Some(Turn::Sequenced(lane)) = info.wire.turn {
        body.push(stamp(cx, lane, name("Buffer"), name("Start")));
        next.push(advance(cx, lane));
    } else if info.is_ordered() {
        let number = state.declare(&format!("{}Number", info.key), None, num(0));
        body.call("buffer.writeu16", [name("Buffer"), add(name("Start"), num(1)), number.clone()]);
        following(&number, body);
    }
    own::commit(cx, &GATHERED, end, slots, body);
    body.append(next);
    let bytes = binary(name(GATHERED.cursor), BinaryOp::Sub, name("Start"));
    body.append(traffic::sent(cx, counts, bytes, num(1)));
    body.ret([num(1)]);
}

/// Numbers the item at `start` of a channel that has the newest only.
fn stamp(cx: &mut Context, lane: Lane, buffer: Expr, start: Expr) -> Stat {
    let mut args = vec![buffer, start, num(lanes::number(Turn::Sequenced(lane)))];
    if lane == Lane::Default {
        args.push(unsent_packets(cx));
    }
    Stat::Call(apply(cx.runtime("ClientLanes", "stamp"), args))
}

/// Tells such a channel that its item went out.
fn advance(cx: &mut Context, lane: Lane) -> Stat {
    let number = num(lanes::number(Turn::Sequenced(lane)));
    Stat::Call(apply(cx.runtime("ClientLanes", "advance"), [number]))
}

/// Packets of a client's reliable batch that wait for the flush.
fn unsent_packets(cx: &Context) -> Expr {
    if !cx.uses.has_reliable_batch() {
        return num(0);
    }
    add(len(path("Outgoing.cuts")), choose(gt(name("OutItems"), num(0)), num(1), num(0)))
}
