//! Sending an event: the members of its table, written from its plan.

use super::ast::*;
use super::context::{Context, Names, Sink};
use super::module::{BATCH, EventInfo, State, member, positional};
use super::{clock, lanes, snapshot, traffic, write};
use crate::schema::{Channel, Delivery, Item, Lane, Scope, Side, Turn};
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
    let written = write::item(cx, &mut names, Some(item.header), &item.payload, values, &what, level, body);
    warn_large(cx, info, &written.end, body);
    written
}

/// Warns of an item of more bytes than `SoftMessageSize`, where it can have as many.
fn warn_large(cx: &mut Context, info: &EventInfo, end: &Expr, body: &mut Block) {
    let Some(limit) = cx.options.soft_message_size.filter(|limit| longest(info) > u64::from(*limit)) else {
        return;
    };
    let bytes = match cx.sink {
        Sink::Packet(_) => end.clone(),
        Sink::Batch | Sink::Own => binary(end.clone(), BinaryOp::Sub, name("Start")),
    };
    let warn = cx.runtime_function("SoftLimit");
    let told = apply(warn, [text(info.event.path.join(".")), bytes.clone(), num(limit)]);
    body.when(gt(bytes, num(limit)), block(|b| _ = b.push(Stat::Call(told))));
}

/// Most bytes an item can have, its header included.
pub fn longest(info: &EventInfo) -> u64 {
    u64::from(info.wire.item.header.size()).saturating_add(info.wire.item.payload.block.size.max)
}

fn commit(written: &write::Written, body: &mut Block) {
    body.assign(path("Out.cursor"), written.end.clone());
    if written.slots {
        body.assign(path("Out.slots"), name("Slot"));
    }
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

/// The end of an item as a name.
fn held(end: Expr, body: &mut Block) -> Expr {
    match end {
        end @ Expr::Name(_) => end,
        end => {
            body.local("End", end);
            name("End")
        }
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

/// Bytes of an unreliable item that is always as long, has no Instances and goes out in a packet of its own: it is
/// written right into that packet, again and again.
fn packet_size(cx: &Context, info: &EventInfo) -> Option<u64> {
    let block = &info.wire.item.payload.block;
    let whole = u64::from(info.wire.item.header.size()) + u64::from(block.head);
    let fits = whole <= u64::from(cx.options.max_unreliable_size);
    let alone =
        info.wire.channel == Channel::Unreliable && info.wire.turn.is_none() && !cx.options.batch_unreliable;
    (alone && fits && !block.tail && block.size.slots == 0).then_some(whole)
}

/// Declares the packet of such an item, and has items written into it.
fn packet(cx: &mut Context, info: &EventInfo, state: &mut State) -> Option<Expr> {
    let whole = packet_size(cx, info)?;
    let packet = state.declare(&format!("{}Packet", info.key), None, call("buffer.create", [size(whole)]));
    cx.sink = Sink::Packet(packet.clone());
    Some(packet)
}

/// `Fire` of a client.
pub fn client(cx: &mut Context, info: &EventInfo, state: &mut State) -> Vec<Entry> {
    let (mut params, mut values) = positional(&info.declared(cx.schema));
    if values.is_empty() && info.event.stamp.is_none() {
        params.push(param("_", ty("nil")));
    }
    if info.event.stamp.is_some() {
        values.push(clock::stamp());
    }
    let mut body = refuse_own_table(cx, info, "Fire");
    let counts = traffic::counts(cx, info, state);
    match info.wire.channel {
        Channel::Reliable => {
            cx.sink = Sink::Own;
            let written = writing(cx, info, &values, 2, &mut body);
            cx.sink = Sink::Batch;
            let slot = if written.slots { Some(name("Slot")) } else { None };
            commit_reliable(cx, written.end, slot, &mut body);
            let bytes = binary(name("OutCursor"), BinaryOp::Sub, name("Start"));
            body.append(traffic::sent(cx, counts.as_ref(), bytes, num(1)));
            body.ret([num(1)]);
        }
        Channel::Unreliable if packet_size(cx, info).is_some() => {
            packet(cx, info, state);
            let written = writing(cx, info, &values, 2, &mut body);
            cx.sink = Sink::Batch;
            cx.sends_packets = true;
            let number = (info.event.delivery == Delivery::OrderedUnreliable)
                .then(|| state.declare(&format!("{}Number", info.key), None, num(0)));
            if let Some(number) = &number {
                body.call("buffer.writeu16", [name("Buffer"), num(1), number.clone()]);
                let following = binary(add(number.clone(), num(1)), BinaryOp::Mod, num(65536));
                body.assign(number.clone(), following);
            }
            let args = [name("Buffer"), name("NoInstances")];
            body.push(Stat::Call(method(name("Unreliable"), "FireServer", args)));
            body.append(traffic::sent(cx, counts.as_ref(), written.end, num(1)));
            body.ret([num(1)]);
        }
        Channel::Unreliable if info.wire.turn.is_some_and(lanes::is_acknowledged) => {
            let lane = info.wire.turn.map_or(0, lanes::number);
            body.local_typed("Out", ty(BATCH), apply(cx.runtime("ClientLanes", "item"), []));
            let written = writing(cx, info, &values, 2, &mut body);
            commit(&written, &mut body);
            let limit = num(cx.options.max_unreliable_size);
            let args = [name("Out"), text(info.event.name.as_str()), limit, num(lane)];
            let sent = apply(cx.runtime("ClientLanes", "send"), args);
            body.append(give(cx, counts.as_ref(), path("Out.cursor"), sent));
        }
        Channel::Unreliable => {
            let batched = cx.options.batch_unreliable;
            let module = if batched { "ClientGather" } else { "ClientUnreliable" };
            let out = if batched { name("Gathered") } else { apply(cx.runtime(module, "item"), []) };
            body.local_typed("Out", ty(BATCH), out);
            let written = writing(cx, info, &values, 2, &mut body);
            let ordered = info.event.delivery == Delivery::OrderedUnreliable;
            let fits = most(info) <= u64::from(cx.options.max_unreliable_size);
            if batched && fits && !written.slots && !ordered && counts.is_none() {
                gather(cx, written.end, &mut body);
                body.ret([num(1)]);
                return vec![counted(cx, "Fire", params, body)];
            }
            let event = text(info.event.name.as_str());
            let (send, mut args, bytes) = if batched {
                let slots = if written.slots { name("Slot") } else { path("Out.slots") };
                let bytes = binary(path("Out.cursor"), BinaryOp::Sub, name("Start"));
                let args = vec![written.end, slots, event, name("PacketLimits")];
                (cx.runtime(module, "add"), args, bytes)
            } else {
                commit(&written, &mut body);
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
            } else if ordered {
                let number = state.declare(&format!("{}Number", info.key), None, num(0));
                args.push(number.clone());
                let following = binary(add(number.clone(), num(1)), BinaryOp::Mod, num(65536));
                next.assign(number, following);
            }
            next.append(traffic::sent(cx, counts.as_ref(), bytes, num(1)));
            if next.is_empty() {
                body.ret([choose(apply(send, args), num(1), num(0))]);
            } else {
                next.ret([num(1)]);
                body.when(apply(send, args), next);
                body.ret([num(0)]);
            }
        }
    }
    vec![counted(cx, "Fire", params, body)]
}

/// Packets of a client's reliable batch that wait for the flush.
fn unsent_packets(cx: &Context) -> Expr {
    if !sends_reliably(&cx.schema.root) {
        return num(0);
    }
    add(len(path("Outgoing.cuts")), choose(gt(name("OutItems"), num(0)), num(1), num(0)))
}

/// Whether clients have a reliable batch: for an event, or for a function of either side.
fn sends_reliably(scope: &Scope) -> bool {
    scope.items.iter().any(|item| match item {
        Item::Event(event) => event.from == Side::Client && event.channel() == Channel::Reliable,
        Item::Function(_) => true,
        Item::Scope(inner) => sends_reliably(inner),
        Item::Type(_) | Item::State(_) | Item::Table(_) | Item::Entity(_) => false,
    })
}

/// A member that sends, and gives to how many.
fn counted(cx: &Context, pascal: &str, params: Vec<Param>, body: Block) -> Entry {
    let function = Function::new(params, body).returning(vec![ty("number")]);
    Entry::Named(member(cx.options.casing, pascal), lambda(function))
}

/// Bytes that every working buffer has room for, as `Batch` makes them.
const WORKING: u64 = 256;

/// Statements of a payload up to which each of an event's sends writes it for itself.
const INLINE: usize = 24;
/// The same for the two that are called most, `Fire` and `FireAll`.
const INLINE_OFTEN: usize = 48;

/// What each of an event's sends does to write it into `Out` and commit it.
struct Writer {
    /// For `FireList` and `FireExcept`.
    seldom: Write,
    /// For `Fire` and `FireAll`.
    often: Write,
    slots: bool,
}

#[derive(Clone)]
struct Write {
    /// Behind a declaration of `Out`.
    body: Block,
    /// In front of `body`, for who needs to know where the item begins: `Start`, and `FirstSlot` with slots.
    marks: Block,
}

impl Writer {
    /// A small payload is written in place; a larger one by a function that the sends share.
    fn new(cx: &mut Context, info: &EventInfo, values: &[Expr], state: &mut State) -> Writer {
        let mut inline = Block::new();
        let written = writing(cx, info, values, 2, &mut inline);
        let slots = written.slots;
        let batched = cx.sink == Sink::Batch;
        let statements = count(&inline);
        if batched {
            commit(&written, &mut inline);
        }
        let marks = block(|b| {
            if slots {
                b.local("FirstSlot", path("Out.slots"));
            }
        });
        let inline = Write { body: inline, marks };
        if statements <= INLINE {
            return Writer { seldom: inline.clone(), often: inline, slots };
        }
        let mut body = Block::new();
        let written = writing(cx, info, values, 3, &mut body);
        let mut params = Vec::new();
        let mut args = Vec::new();
        if batched {
            commit(&written, &mut body);
            params.push(param("Out", ty(BATCH)));
            args.push(name("Out"));
        }
        params.extend(positional(&info.declared(cx.schema)).0);
        let function = lambda(Function::new(params, body));
        let function = state.declare(&format!("Write{}", info.key), None, function);
        args.extend(values.iter().cloned());
        let marks = block(|b| {
            b.local("Start", path("Out.cursor"));
            if slots {
                b.local("FirstSlot", path("Out.slots"));
            }
        });
        let body = block(|b| _ = b.push(Stat::Call(apply(function, args))));
        let seldom = Write { body, marks };
        let often = if statements <= INLINE_OFTEN { inline } else { seldom.clone() };
        Writer { seldom, often, slots }
    }
}

/// Statements of a block, those inside others included.
fn count(block: &Block) -> usize {
    let inner = |stat: &Stat| match stat {
        Stat::If(arms, otherwise) => {
            arms.iter().map(|(_, body)| count(body)).sum::<usize>() + otherwise.as_ref().map_or(0, count)
        }
        Stat::While(_, body) => count(body),
        Stat::Count(counted) => count(&counted.body),
        Stat::Each(each) => count(&each.body),
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
    let [fire, own_fire_all, fire_list, fire_except] = bodies;
    let mut fire_all = refuse_own_table(cx, info, "FireAll");
    fire_all.append(own_fire_all);
    vec![
        counted(cx, "Fire", with(Some(player())), fire),
        counted(cx, "FireAll", with(None), fire_all),
        counted(cx, "FireList", with(Some(list())), fire_list),
        counted(cx, "FireExcept", with(Some(except())), fire_except),
    ]
}

fn reliable(cx: &mut Context, info: &EventInfo, values: &[Expr], state: &mut State) -> [Block; 4] {
    let counts = traffic::counts(cx, info, state);
    let writer = Writer::new(cx, info, values, state);
    let counted = counts.is_some();
    let from = |source: Expr, write: &Write, marked: bool| {
        block(|b| {
            b.local_typed("Out", ty(BATCH), source);
            if marked {
                b.append(write.marks.clone());
            }
            b.append(write.body.clone());
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
    let own = own(cx, name("Player"));
    let mut fire = from(own, &writer.often, counted);
    fire.append(count_kept(cx, num(1)));
    fire.ret([choose(eq(name("Out"), name("Nowhere")), num(0), num(1))]);

    let everyone = if cx.options.auto_start {
        name("Everyone")
    } else {
        let nowhere = apply(cx.runtime("ServerBatch", "unstartedShared"), []);
        choose(name("IsStarted"), name("Everyone"), nowhere)
    };
    let mut fire_all = from(everyone, &writer.often, true);
    let follow = cx.runtime("ServerBatch", "follow");
    let first_slot = if writer.slots { name("FirstSlot") } else { path("Out.slots") };
    let follow = block(|b| _ = b.push(Stat::Call(apply(follow, [name("Start"), first_slot]))));
    fire_all.when(lt(name("Start"), path("Diverged.below")), follow);
    let everyone = traffic::everyone(cx);
    fire_all.append(count_kept(cx, everyone.clone()));
    fire_all.ret([if cx.options.auto_start {
        everyone
    } else {
        choose(name("IsStarted"), everyone, num(0))
    }]);

    let append = |cx: &mut Context, function: &str, to: &str, body: &mut Block| {
        let append = apply(cx.runtime("ServerBatch", function), [name(to), name("Out")]);
        let sent = give(cx, counts.as_ref(), path("Out.cursor"), append);
        body.append(once_started(cx, sent));
    };
    let item = apply(cx.runtime("ServerBatch", "item"), []);
    let mut fire_list = from(item.clone(), &writer.seldom, false);
    append(cx, "appendList", "List", &mut fire_list);
    let mut fire_except = expect_player(cx, "Except");
    fire_except.append(from(item, &writer.seldom, false));
    append(cx, "appendExcept", "Except", &mut fire_except);
    [fire, fire_all, fire_list, fire_except]
}

/// The own batch of a player. What `Start` has to start is asked first whether it was.
pub fn own(cx: &mut Context, player: Expr) -> Expr {
    let made = apply(cx.runtime("ServerBatch", "own"), [player.clone()]);
    let own = or(index(name("Ready"), player.clone()), made);
    if cx.options.auto_start {
        return own;
    }
    let nowhere = apply(cx.runtime("ServerBatch", "unstartedOwn"), [player]);
    choose(name("IsStarted"), own, nowhere)
}

/// Statements that send with `send`, which gives to how many, count that, and give it.
fn give(cx: &mut Context, counts: Option<&Expr>, bytes: Expr, send: Expr) -> Block {
    let sent = traffic::sent(cx, counts, bytes, name("Count"));
    block(|b| {
        if sent.is_empty() {
            b.ret([send]);
        } else {
            b.local("Count", send);
            b.append(sent);
            b.ret([name("Count")]);
        }
    })
}

/// Statements that send what is written and give to how many, in a module that `Start` has started.
fn once_started(cx: &mut Context, send: Block) -> Block {
    if cx.options.auto_start {
        return send;
    }
    let warn = apply(cx.runtime_function("Unstarted"), []);
    let unsent = block(|b| {
        b.push(Stat::Call(warn));
        b.ret([num(0)]);
    });
    block(|b| _ = b.when_else(name("IsStarted"), send, unsent))
}

fn unreliable(cx: &mut Context, info: &EventInfo, values: &[Expr], state: &mut State) -> [Block; 4] {
    let usual = if cx.options.batch_unreliable { "ServerGather" } else { "ServerUnreliable" };
    let turn = info.wire.turn;
    let module = if turn.is_some_and(lanes::is_acknowledged) { "ServerLanes" } else { usual };
    let sender = if turn.is_some() { "ServerLanes" } else { usual };
    let ordered = info.event.delivery == Delivery::OrderedUnreliable && turn.is_none();
    // Each player has numbers of their own.
    let is_shared = !ordered && turn.is_none();
    let low = traffic::is_low(cx, info);
    let counts = traffic::counts(cx, info, state);
    let numbers = ordered.then(|| {
        let counter = cx.runtime(module, "counter");
        state.declare(&format!("{}Numbers", info.key), None, apply(counter, []))
    });
    let limit = num(cx.options.max_unreliable_size);
    let event = text(info.event.name.as_str());
    // Behind an item's own arguments: its lane, and for one that may be lost, what sends it.
    let mut in_turn: Vec<Expr> = turn.map(|turn| num(lanes::number(turn))).into_iter().collect();
    if matches!(turn, Some(Turn::Sequenced(_))) {
        in_turn.push(cx.runtime(usual, "send"));
    }

    let packet = packet(cx, info, state);
    let writer = Writer::new(cx, info, values, state);
    cx.sink = Sink::Batch;
    let item = packet.is_none().then(|| apply(cx.runtime(module, "item"), []));
    let [once, often] = [writer.seldom, writer.often].map(|write| {
        block(|b| {
            if let Some(item) = &item {
                b.local_typed("Out", ty(BATCH), item.clone());
            }
            b.append(write.body);
        })
    });
    let bytes = packet_size(cx, info).map_or_else(|| path("Out.cursor"), size);
    // A packet known ahead has its own functions, which ask nothing of its size.
    let function = |name: &str| match (packet.as_ref(), turn) {
        (_, Some(Turn::Sequenced(_))) if name == "send" => "sequencedTo".to_owned(),
        (_, Some(Turn::Sequenced(_))) => name.replace("send", "sequenced"),
        (Some(_), _) => name.replace("send", "sendPacket"),
        (None, _) => name.to_owned(),
    };
    let item = |first: Option<Expr>| -> Vec<Expr> {
        let rest = match &packet {
            Some(packet) => vec![packet.clone()],
            None => vec![name("Out"), event.clone(), limit.clone()],
        };
        first.into_iter().chain(rest).collect()
    };
    let send = |cx: &mut Context, name: &str, first: Expr| {
        let function = cx.runtime(sender, &function(name));
        let mut args = item(Some(first));
        args.extend(numbers.clone());
        args.extend(in_turn.iter().cloned());
        let sent = give(cx, counts.as_ref(), bytes.clone(), apply(function, args));
        once_started(cx, sent)
    };
    // Those whose budget is spent are left out of sends of low priority.
    let open = |function: &str, to: Expr| call(&format!("Budget.{function}"), [to]);

    let mut fire = expect_player(cx, "Player");
    fire.append(often.clone());
    let to_player = send(cx, "send", name("Player"));
    if low {
        fire.when(open("isSpent", name("Player")), block(|b| _ = b.ret([num(0)])));
        fire.append(to_player);
    } else {
        fire.append(to_player);
    }

    let mut fire_all = often;
    fire_all.append(if low {
        send(cx, "sendList", open("openExcept", Expr::Nil))
    } else if !is_shared {
        send(cx, "sendExcept", Expr::Nil)
    } else {
        let function = cx.runtime(module, &function("sendAll"));
        let sent = apply(function, item(None));
        let everyone = traffic::everyone(cx);
        let mut count = traffic::sent(cx, counts.as_ref(), bytes.clone(), everyone.clone());
        let sent = block(|b| {
            if packet.is_some() {
                b.push(Stat::Call(sent));
                b.append(count);
                b.ret([everyone]);
            } else if count.is_empty() {
                b.ret([choose(sent, everyone, num(0))]);
            } else {
                count.ret([everyone]);
                b.when(sent, count);
                b.ret([num(0)]);
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
        | Shape::Entity { .. }
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
        let module = if cx.options.batch_unreliable { "ServerGather" } else { "ServerUnreliable" };
        // Bytes that nothing precedes need no more than where they end.
        let is_bare = !cx.options.batch_unreliable && info.wire.item.payload.block.size.slots == 0;
        let item = if is_bare {
            let create = cx.runtime("Batch", "create");
            state.declare(&format!("{}State", info.key), None, apply(create, []))
        } else {
            apply(cx.runtime(module, "item"), [])
        };
        body.local_typed("Out", ty(BATCH), item);
        if is_bare && write::is_covered(&info.wire.item.payload) && most(info) <= WORKING {
            let buffer = field(name("Out"), "buffer");
            cx.sink = Sink::Packet(buffer);
        }
        let written = writing(cx, info, &values, 0, &mut body);
        cx.sink = Sink::Batch;
        let end = if is_bare { held(written.end.clone(), &mut body) } else { Expr::Nil };
        if is_bare {
            if most(info) > u64::from(cx.options.max_unreliable_size) {
                refuse_size(cx, end.clone(), &mut body);
            }
        } else {
            commit(&written, &mut body);
            too_large(cx, info, &mut body);
        }
        let bytes = if is_bare { end.clone() } else { path("Out.cursor") };
        let sent = if is_bare {
            apply(cx.runtime(module, "sendBytes"), [name("Player"), name("Out"), end])
        } else if cx.options.batch_unreliable {
            let send = cx.runtime(module, "send");
            let limit = num(cx.options.max_unreliable_size);
            apply(send, [name("Player"), name("Out"), text(info.event.name.as_str()), limit])
        } else {
            // Its size was asked for above.
            apply(cx.runtime(module, "sendFitting"), [name("Player"), name("Out")])
        };
        if counts.is_some() {
            body.append(traffic::sent(cx, counts.as_ref(), bytes, sent));
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
        too_large(cx, info, &mut body);
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
            if counts.is_some() {
                let everyone = traffic::everyone(cx);
                body.append(traffic::sent(cx, counts.as_ref(), path("Out.cursor"), everyone));
            }
        }
    }
    body.ret([name("Snapshot")]);
    lambda(Function::new(params, body).returning(vec![ty("any")]))
}

/// Most bytes an item can have, those that Instances count for included.
fn most(info: &EventInfo) -> u64 {
    let size = &info.wire.item.payload.block.size;
    u64::from(info.wire.item.header.size()) + size.max + size.slots * 6
}

fn too_large(cx: &mut Context, info: &EventInfo, body: &mut Block) {
    if most(info) <= u64::from(cx.options.max_unreliable_size) {
        return;
    }
    let size_of = cx.runtime("Packets", "sizeOf");
    refuse_size(cx, apply(size_of, [name("Out")]), body);
}

fn refuse_size(cx: &mut Context, size: Expr, body: &mut Block) {
    let message = cx.runtime("Messages", "tooLargeToSend");
    let limit = num(cx.options.max_unreliable_size);
    body.local("Size", size);
    let refuse = block(|b| {
        b.call("error", [apply(message, [name("Size"), limit.clone()]), num(0)]);
    });
    body.when(gt(name("Size"), limit), refuse);
}
