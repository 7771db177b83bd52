//! Sending an event: the members of its table, written from its plan.

use super::ast::*;
use super::context::{Context, Names};
use super::module::{BATCH, EventInfo, OUTGOING, State, member, positional};
use super::{traffic, write};
use crate::schema::{Channel, Delivery};
use crate::wire::plan::{Node, Shape};

/// Locals of a function that writes the item of `info` into `Out`: the statements, and where it ends.
fn writing(
    cx: &mut Context,
    info: &EventInfo,
    values: &[Expr],
    level: u8,
    body: &mut Block,
) -> write::Written {
    let item = &info.wire.item;
    let mut names = Names::default();
    let what = info.event.path.join(".");
    write::item(cx, &mut names, Some(item.header), &item.payload, values, &what, level, body)
}

fn commit(written: &write::Written, body: &mut Block) {
    body.assign(path("Out.cursor"), written.end.clone());
    if written.slots {
        body.assign(path("Out.slots"), name("Slot"));
    }
}

/// Ends an item of a client's reliable batch, which is cut into packets that the server admits.
pub fn commit_reliable(cx: &mut Context, end: Expr, slot: Option<Expr>, body: &mut Block) {
    let end = match end {
        end @ Expr::Name(_) => end,
        end => {
            body.local("End", end);
            name("End")
        }
    };
    let mut full = or(
        ge(path("Out.items"), num(cx.options.max_events_per_packet)),
        gt(end.clone(), path("Out.fullCursor")),
    );
    if let Some(slot) = &slot {
        full = or(full, gt(slot.clone(), path("Out.fullSlots")));
    }
    let split = cx.runtime("ClientBatch", "split");
    body.when(full, block(|b| _ = b.push(Stat::Call(apply(split, [name("Out")])))));
    body.bump(path("Out.items"), num(1));
    body.assign(path("Out.cursor"), end);
    if let Some(slot) = slot {
        body.assign(path("Out.slots"), slot);
    }
}

/// The stamp of this moment.
fn stamp_now(cx: &mut Context) -> Expr {
    let stamp = cx.runtime("Clock", "stamp");
    apply(stamp, [method(name("Workspace"), "GetServerTimeNow", [])])
}

/// `Fire` of a client.
pub fn client(cx: &mut Context, info: &EventInfo, state: &mut State) -> Vec<Entry> {
    let (mut params, mut values) = positional(&info.declared(cx.schema));
    if values.is_empty() && info.event.stamp.is_none() {
        params.push(param("_", ty("nil")));
    }
    if info.event.stamp.is_some() {
        values.push(stamp_now(cx));
    }
    let mut body = refuse_own_table(cx, info, "Fire");
    let counts = traffic::counts(cx, info, state);
    match info.wire.channel {
        Channel::Reliable => {
            body.local_typed("Out", ty(OUTGOING), name("Outgoing"));
            let written = writing(cx, info, &values, 2, &mut body);
            let slot = if written.slots { Some(name("Slot")) } else { None };
            commit_reliable(cx, written.end, slot, &mut body);
            let bytes = binary(path("Out.cursor"), BinaryOp::Sub, name("Start"));
            body.append(traffic::sent(cx, counts.as_ref(), bytes, num(1)));
        }
        Channel::Unreliable => {
            let module = if cx.options.batch_unreliable { "ClientGather" } else { "ClientUnreliable" };
            let item = cx.runtime(module, "item");
            body.local_typed("Out", ty(BATCH), apply(item, []));
            let written = writing(cx, info, &values, 2, &mut body);
            commit(&written, &mut body);
            let send = cx.runtime(module, "send");
            let mut args = vec![name("Out"), text(info.event.name.as_str())];
            if cx.options.batch_unreliable {
                args.push(name("PacketLimits"));
            } else {
                args.insert(0, name("Unreliable"));
                args.push(num(cx.options.max_unreliable_size));
            }
            let mut next = Block::new();
            if info.event.delivery == Delivery::OrderedUnreliable {
                let number = state.declare(&format!("{}Number", info.key), None, num(0));
                args.push(number.clone());
                let following = binary(add(number.clone(), num(1)), BinaryOp::Mod, num(65536));
                next.assign(number, following);
            }
            next.append(traffic::sent(cx, counts.as_ref(), path("Out.cursor"), num(1)));
            if next.is_empty() {
                body.push(Stat::Call(apply(send, args)));
            } else {
                body.when(apply(send, args), next);
            }
        }
    }
    vec![Entry::Named(member(cx.options.casing, "Fire"), lambda(Function::new(params, body)))]
}

/// Statements of a payload up to which each of an event's sends writes it for itself.
const INLINE: usize = 16;

/// What each of an event's sends does to write it into `Out` and commit it.
struct Writer {
    /// Behind a declaration of `Out`.
    body: Block,
    /// In front of `body`, for who needs to know where the item begins: `Start`, and `FirstSlot` with slots.
    marks: Block,
    slots: bool,
}

impl Writer {
    /// A small payload is written in place; a larger one by a function that the sends share.
    fn new(cx: &mut Context, info: &EventInfo, values: &[Expr], state: &mut State) -> Writer {
        let mut inline = Block::new();
        let written = writing(cx, info, values, 2, &mut inline);
        let slots = written.slots;
        if count(&inline) <= INLINE {
            commit(&written, &mut inline);
            let marks = block(|b| {
                if slots {
                    b.local("FirstSlot", path("Out.slots"));
                }
            });
            return Writer { body: inline, marks, slots };
        }
        let mut body = Block::new();
        let written = writing(cx, info, values, 3, &mut body);
        commit(&written, &mut body);
        let mut params = vec![param("Out", ty(BATCH))];
        params.extend(positional(&info.declared(cx.schema)).0);
        let function = lambda(Function::new(params, body));
        let function = state.declare(&format!("Write{}", info.key), None, function);
        let mut args = vec![name("Out")];
        args.extend(values.iter().cloned());
        let marks = block(|b| {
            b.local("Start", path("Out.cursor"));
            if slots {
                b.local("FirstSlot", path("Out.slots"));
            }
        });
        let body = block(|b| _ = b.push(Stat::Call(apply(function, args))));
        Writer { body, marks, slots }
    }
}

/// Statements of a block, those inside others included.
fn count(block: &Block) -> usize {
    let inner = |stat: &Stat| match stat {
        Stat::If(arms, otherwise) => {
            arms.iter().map(|(_, body)| count(body)).sum::<usize>() + otherwise.as_ref().map_or(0, count)
        }
        Stat::While(_, body) | Stat::Count(_, _, _, _, body) | Stat::Each(_, _, body) => count(body),
        _ => 0,
    };
    block.stats.iter().map(|stat| 1 + inner(stat)).sum()
}

/// `Fire`, `FireAll`, `FireList` and `FireExcept` of the server.
pub fn server(cx: &mut Context, info: &EventInfo, state: &mut State) -> Vec<Entry> {
    let declared = info.declared(cx.schema);
    let (mut rest, values) = positional(&declared);
    if values.is_empty() {
        rest.push(param("_", ty("nil")));
    }
    let with = |first: Option<Param>| -> Vec<Param> { first.into_iter().chain(rest.clone()).collect() };
    let player = || param("Player", ty("Player"));
    let list = || param("List", array(ty("Player")));
    let except = || param("Except", ty("Player"));

    let bodies = match info.wire.channel {
        Channel::Reliable => reliable(cx, info, &values, state),
        Channel::Unreliable => unreliable(cx, info, &values, state),
    };
    let casing = cx.options.casing;
    let [fire, own_fire_all, fire_list, fire_except] = bodies;
    let mut fire_all = refuse_own_table(cx, info, "FireAll");
    fire_all.append(own_fire_all);
    let entry = |member_name: &str, params, body| {
        Entry::Named(member(casing, member_name), lambda(Function::new(params, body)))
    };
    vec![
        entry("Fire", with(Some(player())), fire),
        entry("FireAll", with(None), fire_all),
        entry("FireList", with(Some(list())), fire_list),
        entry("FireExcept", with(Some(except())), fire_except),
    ]
}

fn reliable(cx: &mut Context, info: &EventInfo, values: &[Expr], state: &mut State) -> [Block; 4] {
    let counts = traffic::counts(cx, info, state);
    let writer = Writer::new(cx, info, values, state);
    let counted = counts.is_some();
    let from = |cx: &mut Context, function: &str, args: Vec<Expr>, marked: bool| {
        let source = source(cx, function, args);
        block(|b| {
            b.local_typed("Out", ty(BATCH), source);
            if marked {
                b.append(writer.marks.clone());
            }
            b.append(writer.body.clone());
        })
    };
    // What goes nowhere is written too, and not counted.
    let count_kept = |cx: &mut Context, recipients: Expr| {
        let bytes = binary(path("Out.cursor"), BinaryOp::Sub, name("Start"));
        let sent = traffic::sent(cx, counts.as_ref(), bytes, recipients);
        if sent.is_empty() {
            return sent;
        }
        let kept = cx.runtime("ServerBatch", "isKept");
        block(|b| _ = b.when(apply(kept, [name("Out")]), sent))
    };
    let mut fire = from(cx, "own", vec![name("Player")], counted);
    fire.append(count_kept(cx, num(1)));

    let mut fire_all = from(cx, "shared", Vec::new(), true);
    let spread = cx.runtime("ServerBatch", "spread");
    let first_slot = if writer.slots { name("FirstSlot") } else { path("Out.slots") };
    fire_all.push(Stat::Call(apply(spread, [name("Out"), name("Start"), first_slot])));
    fire_all.append(count_kept(cx, traffic::everyone()));

    let append = |cx: &mut Context, function: &str, to: &str, body: &mut Block| {
        let append = apply(cx.runtime("ServerBatch", function), [name(to), name("Out")]);
        let sent = if counted {
            traffic::sent(cx, counts.as_ref(), path("Out.cursor"), append)
        } else {
            block(|b| _ = b.push(Stat::Call(append)))
        };
        body.append(once_started(cx, sent));
    };
    let mut fire_list = from(cx, "item", Vec::new(), false);
    append(cx, "appendList", "List", &mut fire_list);
    let mut fire_except = expect_player(cx, "Except");
    fire_except.append(from(cx, "item", Vec::new(), false));
    append(cx, "appendExcept", "Except", &mut fire_except);
    [fire, fire_all, fire_list, fire_except]
}

/// Where a reliable send writes its item. What `Start` has to start is asked first whether it was.
fn source(cx: &mut Context, function: &str, args: Vec<Expr>) -> Expr {
    let batch = apply(cx.runtime("ServerBatch", function), args.clone());
    let unstarted = match function {
        "own" => "unstartedOwn",
        "shared" => "unstartedShared",
        _ => return batch,
    };
    if cx.options.auto_start {
        return batch;
    }
    let nowhere = apply(cx.runtime("ServerBatch", unstarted), args);
    choose(name("IsStarted"), batch, nowhere)
}

/// Statements that send what is written, in a module that `Start` has started.
fn once_started(cx: &mut Context, send: Block) -> Block {
    if cx.options.auto_start {
        return send;
    }
    let warn = apply(cx.runtime_function("Unstarted"), []);
    block(|b| _ = b.when_else(name("IsStarted"), send, block(|b| _ = b.push(Stat::Call(warn)))))
}

fn unreliable(cx: &mut Context, info: &EventInfo, values: &[Expr], state: &mut State) -> [Block; 4] {
    let module = if cx.options.batch_unreliable { "ServerGather" } else { "ServerUnreliable" };
    let ordered = info.event.delivery == Delivery::OrderedUnreliable;
    let low = traffic::is_low(cx, info);
    let counts = traffic::counts(cx, info, state);
    let numbers = ordered.then(|| {
        let counter = cx.runtime(module, "counter");
        state.declare(&format!("{}Numbers", info.key), None, apply(counter, []))
    });
    let limit = num(cx.options.max_unreliable_size);
    let event = text(info.event.name.as_str());

    let writer = Writer::new(cx, info, values, state);
    let item = cx.runtime(module, "item");
    let once = block(|b| {
        b.local_typed("Out", ty(BATCH), apply(item, []));
        b.append(writer.body);
    });
    let send = |cx: &mut Context, function: &str, first: Expr| {
        let function = cx.runtime(module, function);
        let mut args = vec![first, name("Out"), event.clone(), limit.clone()];
        args.extend(numbers.clone());
        let sent = apply(function, args);
        let sent = if counts.is_some() {
            traffic::sent(cx, counts.as_ref(), path("Out.cursor"), sent)
        } else {
            block(|b| _ = b.push(Stat::Call(sent)))
        };
        once_started(cx, sent)
    };
    // Those whose budget is spent are left out of sends of low priority.
    let open = |function: &str, to: Expr| call(&format!("Budget.{function}"), [to]);

    let mut fire = expect_player(cx, "Player");
    fire.append(once.clone());
    let to_player = send(cx, "send", name("Player"));
    if low {
        fire.when(not(open("isSpent", name("Player"))), to_player);
    } else {
        fire.append(to_player);
    }

    let mut fire_all = once.clone();
    fire_all.append(if low {
        send(cx, "sendList", open("openExcept", Expr::Nil))
    } else if ordered {
        send(cx, "sendExcept", Expr::Nil)
    } else {
        let function = cx.runtime(module, "sendAll");
        let sent = apply(function, [name("Out"), event.clone(), limit.clone()]);
        let count = traffic::sent(cx, counts.as_ref(), path("Out.cursor"), traffic::everyone());
        let sent = block(|b| {
            if count.is_empty() {
                b.push(Stat::Call(sent));
            } else {
                b.when(sent, count);
            }
        });
        once_started(cx, sent)
    });

    let mut fire_list = once.clone();
    let list = if low { open("open", name("List")) } else { name("List") };
    fire_list.append(send(cx, "sendList", list));

    let mut fire_except = expect_player(cx, "Except");
    fire_except.append(once);
    fire_except.append(if low {
        send(cx, "sendList", open("openExcept", name("Except")))
    } else {
        send(cx, "sendExcept", name("Except"))
    });
    [fire, fire_all, fire_list, fire_except]
}

/// Refuses the event's own table, which a call with a colon gives for a first value. Where a table cannot be written
/// anyway, that error has to do: what is sent most costs nothing more.
fn refuse_own_table(cx: &mut Context, info: &EventInfo, sender: &str) -> Block {
    let body = &info.wire.item.payload.block.body;
    let first = match &body.shape {
        Shape::Pack(members) => members.first().map(|member| &member.node),
        _ => Some(body),
    };
    if !first.is_some_and(passes_for_any_table) {
        return Block::new();
    }
    let message = apply(cx.runtime("Messages", "ownTable"), [text(info.event.name.as_str())]);
    let refusal = block(|b| _ = b.call("error", [message, num(2)]));
    let own = field(name("First"), member(cx.options.casing, sender));
    // No value that is sent holds a function.
    let is_own =
        and(eq(call("type", [name("First")]), text("table")), eq(call("type", [own]), text("function")));
    block(|b| {
        // The checker would make something of what is asked about the value itself.
        b.local_typed("First", ty("any"), name("Value1"));
        b.when(is_own, refusal);
    })
}

/// Whether writing a table of anything could do without an error.
fn passes_for_any_table(node: &Node) -> bool {
    match &node.shape {
        Shape::Boolean(_)
        | Shape::Booleans(_)
        | Shape::Array(_)
        | Shape::Map(_)
        | Shape::Set(_)
        | Shape::Instance { .. }
        | Shape::Unknown => true,
        Shape::Optional { block, .. } => passes_for_any_table(&block.body),
        // None of its fields would be found.
        Shape::Struct(members) => members.iter().all(|member| {
            matches!(
                &member.node.shape,
                Shape::Boolean(_) | Shape::Optional { .. } | Shape::Instance { .. } | Shape::Unknown
            )
        }),
        Shape::Number(_)
        | Shape::Bytes(_)
        | Shape::Vector(_)
        | Shape::CFrame(_)
        | Shape::EnumItem { .. }
        | Shape::Roblox { .. }
        | Shape::UnitEnum { .. }
        | Shape::TaggedEnum(_)
        | Shape::Pack(_)
        | Shape::Entry(_) => false,
    }
}

/// Refuses a first argument that is no player, which a call with a colon gives.
fn expect_player(cx: &mut Context, param: &str) -> Block {
    let expect = cx.runtime("ServerBatch", "expectPlayer");
    block(|b| {
        let body = block(|b| _ = b.push(Stat::Call(apply(expect, [name(param), num(2)]))));
        b.when(ne(call("typeof", [name(param)]), text("Instance")), body);
    })
}

/// A function that sends a stream's state to everyone, or to one player. It throws when it can't.
pub fn stream(cx: &mut Context, info: &EventInfo, state: &mut State) -> Expr {
    let per_player = info.event.stream.is_some_and(|stream| stream.per_player);
    let counts = traffic::counts(cx, info, state);
    let values = [name("Value"), stamp_now(cx)];
    let declared = info.declared(cx.schema);
    let state_type = declared.first().map_or_else(|| ty("any"), |(_, ty)| optional(ty.clone()));
    let mut params = vec![param("Value", state_type)];
    let mut body = Block::new();

    if per_player {
        params.push(param("Player", ty("Player")));
        let module = if cx.options.batch_unreliable { "ServerGather" } else { "ServerUnreliable" };
        let item = cx.runtime(module, "item");
        body.local_typed("Out", ty(BATCH), apply(item, []));
        let written = writing(cx, info, &values, 0, &mut body);
        commit(&written, &mut body);
        too_large(cx, &mut body);
        let send = cx.runtime(module, "send");
        let limit = num(cx.options.max_unreliable_size);
        let args = [name("Player"), name("Out"), text(info.event.name.as_str()), limit];
        let sent = apply(send, args);
        if counts.is_some() {
            body.append(traffic::sent(cx, counts.as_ref(), path("Out.cursor"), sent));
        } else {
            body.push(Stat::Call(sent));
        }
    } else {
        let create = cx.runtime("Batch", "create");
        let own = state.declare(&format!("{}State", info.key), None, apply(create, []));
        let reset = cx.runtime("Batch", "reset");
        body.local_typed("Out", ty(BATCH), own);
        body.push(Stat::Call(apply(reset, [name("Out")])));
        let written = writing(cx, info, &values, 0, &mut body);
        commit(&written, &mut body);
        too_large(cx, &mut body);
        if traffic::is_low(cx, info) {
            // To each whose budget is not spent, in their own batch.
            let send = cx.runtime("ServerGather", "sendList");
            let limit = num(cx.options.max_unreliable_size);
            let open = call("Budget.openExcept", [Expr::Nil]);
            let sent = apply(send, [open, name("Out"), text(info.event.name.as_str()), limit]);
            if counts.is_some() {
                body.append(traffic::sent(cx, counts.as_ref(), path("Out.cursor"), sent));
            } else {
                body.push(Stat::Call(sent));
            }
        } else {
            body.call("table.insert", [name("DueStates"), name("Out")]);
            body.append(traffic::sent(cx, counts.as_ref(), path("Out.cursor"), traffic::everyone()));
        }
    }
    lambda(Function::new(params, body))
}

fn too_large(cx: &mut Context, body: &mut Block) {
    let size_of = cx.runtime("Packets", "sizeOf");
    let message = cx.runtime("Messages", "tooLargeToSend");
    let limit = num(cx.options.max_unreliable_size);
    body.local("Size", apply(size_of, [name("Out")]));
    let refuse = block(|b| {
        b.call("error", [apply(message, [name("Size"), limit.clone()]), num(0)]);
    });
    body.when(gt(name("Size"), limit), refuse);
}
