//! What a stream sends: the state of the moment, to everyone or to one player.

use super::super::ast::*;
use super::super::context::Context;
use super::super::module::{EventInfo, State};
use super::super::{clock, snapshot, traffic};
use super::{Alone, commit, fits, refuse, writing};

/// A function that sends a stream's state to everyone, or to one player, and gives a copy of it. It throws when it can't.
pub fn stream(cx: &mut Context, info: &EventInfo, state: &mut State) -> Expr {
    let per_player = info.event.stream.is_some_and(|stream| stream.per_player);
    let counts = traffic::counts(cx, info, state);
    let values = [name("Value"), clock::stamp()];
    let declared = info.declared(cx.schema);
    let state_type = declared.first().map_or_else(|| ty("any"), |(_, ty)| optional(ty.clone()));
    let mut params = vec![param("Value", state_type)];
    let mut body = Block::new();
    let copied = snapshot::copy(cx, &info.wire.item.payload.block.body, "Value", &mut body);
    body.local("Snapshot", copied);

    if per_player {
        params.push(param("Player", ty("Player")));
        if !cx.options.batch_unreliable && info.wire.item.payload.block.size.slots == 0 {
            at_once(cx, info, &values, counts.as_ref(), state, &mut body);
        } else {
            to_player(cx, info, &values, counts.as_ref(), &mut body);
        }
    } else {
        to_everyone(cx, info, &values, counts.as_ref(), state, &mut body);
    }
    body.ret([name("Snapshot")]);
    lambda(Function::new(params, body).returning(vec![ty("any")]))
}

/// To `Player`, in a packet of its own without Instances.
fn at_once(
    cx: &mut Context,
    info: &EventInfo,
    values: &[Expr],
    counts: Option<&Expr>,
    state: &mut State,
    body: &mut Block,
) {
    let end = Alone::batch(cx, info, state).write(cx, info, values, 0, body);
    if !fits(cx, info) {
        refuse::large_state(cx, end.clone(), body);
    }
    let send = cx.runtime("ServerUnreliable", "sendBytes");
    let sent = apply(send, [name("Player"), name("Out"), end.clone()]);
    tell(cx, counts, end, sent, body);
}

/// To `Player`, gathered or with Instances.
fn to_player(cx: &mut Context, info: &EventInfo, values: &[Expr], counts: Option<&Expr>, body: &mut Block) {
    let module = if cx.options.batch_unreliable { "ServerGather" } else { "ServerUnreliable" };
    let batch = cx.batch_type();
    body.local_typed("Out", batch, apply(cx.runtime(module, "item"), []));
    let written = writing(cx, info, values, 0, body);
    commit(&written, body);
    refuse::large_batch(cx, info, body);
    let sent = if cx.options.batch_unreliable {
        let limit = num(cx.options.max_unreliable_size);
        let args = [name("Player"), name("Out"), text(info.event.name.as_str()), limit];
        apply(cx.runtime(module, "send"), args)
    } else {
        // Its size was asked for above.
        apply(cx.runtime(module, "sendFitting"), [name("Player"), name("Out")])
    };
    tell(cx, counts, path("Out.cursor"), sent, body);
}

/// To everyone: with the other states that are due, or where its priority is low, in the batch of each whose budget is
/// not spent.
fn to_everyone(
    cx: &mut Context,
    info: &EventInfo,
    values: &[Expr],
    counts: Option<&Expr>,
    state: &mut State,
    body: &mut Block,
) {
    let create = cx.runtime("Batch", "create");
    let own = state.declare(&format!("{}State", info.key), None, apply(create, []));
    let reset = cx.runtime("Batch", "reset");
    let batch = cx.batch_type();
    body.local_typed("Out", batch, own);
    body.push(Stat::Call(apply(reset, [name("Out")])));
    let written = writing(cx, info, values, 0, body);
    commit(&written, body);
    refuse::large_batch(cx, info, body);
    if traffic::is_low(cx, info) {
        let send = cx.runtime("ServerGather", "sendList");
        let limit = num(cx.options.max_unreliable_size);
        let open = call("Budget.openExcept", [Expr::Nil]);
        let sent = apply(send, [open, name("Out"), text(info.event.name.as_str()), limit]);
        tell(cx, counts, path("Out.cursor"), sent, body);
        return;
    }
    body.call("table.insert", [name("DueStates"), name("Out")]);
    if counts.is_some() {
        let everyone = traffic::everyone(cx);
        body.append(traffic::sent(cx, counts, path("Out.cursor"), everyone));
    }
}

/// Sends, and counts to how many.
fn tell(cx: &mut Context, counts: Option<&Expr>, bytes: Expr, sent: Expr, body: &mut Block) {
    if counts.is_some() {
        body.append(traffic::sent(cx, counts, bytes, sent));
    } else {
        body.push(Stat::Call(sent));
    }
}
