//! What a server sends: `Fire`, `FireAll`, `FireList` and `FireExcept`.

use super::super::ast::*;
use super::super::context::{Context, OUTGOING, Sink};
use super::super::module::{EventInfo, State, positional};
use super::super::{lanes, traffic};
use super::own::{FOLLOW_BELOW, shared_end, take_back};
use super::{Alone, commit, counted, give, held, refuse, writing};
use crate::schema::{Channel, Turn};

/// Statements of a payload up to which each of an event's sends writes it for itself.
const INLINE: usize = 24;
/// The same for the two that are called most, `Fire` and `FireAll`.
const INLINE_OFTEN: usize = 48;

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
    let mut fire_all = refuse::own_table(cx, info, "FireAll");
    fire_all.append(own_fire_all);
    vec![
        counted(cx, "Fire", with(Some(player())), fire),
        counted(cx, "FireAll", with(None), fire_all),
        counted(cx, "FireList", with(Some(list())), fire_list),
        counted(cx, "FireExcept", with(Some(except())), fire_except),
    ]
}

/// What each of an event's sends does to write it into a batch `Out` and commit it.
struct Writer {
    /// For `FireList` and `FireExcept`.
    seldom: Write,
    /// For `Fire` and `FireAll`.
    often: Write,
    slots: bool,
    /// Whether `often` writes it in place.
    is_short: bool,
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
        let statements = count(&inline);
        commit(&written, &mut inline);
        let marks = block(|b| {
            if slots {
                b.local("FirstSlot", path("Out.slots"));
            }
        });
        let inline = Write { body: inline, marks };
        if statements <= INLINE {
            return Writer { seldom: inline.clone(), often: inline, slots, is_short: true };
        }
        let mut body = Block::new();
        let written = writing(cx, info, values, 3, &mut body);
        commit(&written, &mut body);
        let mut params = vec![param("Out", cx.batch_type())];
        params.extend(positional(&info.declared(cx.schema)).0);
        let function = declare_writer(info, Function::new(params, body), state);
        let marks = block(|b| {
            b.local("Start", path("Out.cursor"));
            if slots {
                b.local("FirstSlot", path("Out.slots"));
            }
        });
        let args = std::iter::once(name("Out")).chain(values.iter().cloned());
        let body = block(|b| _ = b.push(Stat::Call(apply(function, args))));
        let seldom = Write { body, marks };
        let is_short = statements <= INLINE_OFTEN;
        let often = if is_short { inline } else { seldom.clone() };
        Writer { seldom, often, slots, is_short }
    }
}

fn declare_writer(info: &EventInfo, function: Function, state: &mut State) -> Expr {
    state.declare(&format!("Write{}", info.key), None, lambda(function))
}

/// Statements of a block, those inside others included.
fn count(block: &Block) -> usize {
    let inside = |stat: &Stat| {
        let function = if let Stat::Function(_, function) = stat { count(&function.body) } else { 0 };
        function + stat.blocks().map(count).sum::<usize>()
    };
    block.stats.iter().map(|stat| 1 + inside(stat)).sum()
}

fn reliable(cx: &mut Context, info: &EventInfo, values: &[Expr], state: &mut State) -> [Block; 4] {
    let counts = traffic::counts(cx, info, state);
    let writer = Writer::new(cx, info, values, state);
    let counted = counts.is_some();
    let batch = cx.batch_type();
    let from = |source: Expr, write: &Write, marked: bool| {
        block(|b| {
            b.local_typed("Out", batch.clone(), source);
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
        block(|b| _ = b.when(gt(path("Out.recipients"), num(0)), sent))
    };
    let own = own(cx, name("Player"));
    let mut fire = from(own, &writer.often, counted);
    fire.append(count_kept(cx, num(1)));
    fire.ret([path("Out.recipients")]);

    let mut fire_all = Block::new();
    if cx.options.auto_start && writer.is_short {
        into_locals(cx, info, values, &mut fire_all);
    } else {
        into_table(cx, &writer, &mut fire_all);
    }
    let everyone = traffic::everyone(cx);
    let bytes = binary(name(OUTGOING.cursor), BinaryOp::Sub, name("Start"));
    fire_all.append(traffic::sent(cx, counts.as_ref(), bytes, everyone.clone()));
    fire_all.ret([everyone]);

    let append = |cx: &mut Context, function: &str, to: &str, body: &mut Block| {
        let args = [name(to), name("Out"), shared_end(cx)];
        let append = apply(cx.runtime("ServerBatch", function), args);
        let sent = give(cx, counts.as_ref(), path("Out.cursor"), append);
        body.append(once_started(cx, sent));
    };
    let item = apply(cx.runtime("ServerBatch", "item"), []);
    let mut fire_list = refuse::no_players(cx);
    fire_list.append(from(item.clone(), &writer.seldom, false));
    append(cx, "appendList", "List", &mut fire_list);
    let mut fire_except = refuse::no_player(cx, "Except");
    fire_except.append(from(item, &writer.seldom, false));
    append(cx, "appendExcept", "Except", &mut fire_except);
    [fire, fire_all, fire_list, fire_except]
}

/// Writes an item for everyone into the batch that the module keeps in locals.
fn into_locals(cx: &mut Context, info: &EventInfo, values: &[Expr], out: &mut Block) {
    cx.sink = Sink::Own(&OUTGOING);
    let written = writing(cx, info, values, 2, out);
    cx.sink = Sink::Batch;
    let end = held(written.end, out);
    out.assign(name(OUTGOING.cursor), end.clone());
    let slots = path("Outgoing.slots");
    let mut marks = Block::new();
    if written.slots {
        // Whoever follows copies up to `slots`, from where they were.
        marks.local("FirstSlot", slots.clone());
        marks.assign(slots.clone(), name("Slot"));
    }
    follow(cx, marks, written.slots, end, out);
    if written.slots {
        out.assign(slots, name("Slot"));
    }
}

/// The same by what writes into any batch: the table is told how far it is written, and the locals take it back. Before the
/// start it goes nowhere.
fn into_table(cx: &mut Context, writer: &Writer, out: &mut Block) {
    let everyone = name(OUTGOING.table);
    let batch = if cx.options.auto_start {
        everyone
    } else {
        let nowhere = apply(cx.runtime("ServerBatch", "unstartedShared"), []);
        choose(name("IsStarted"), everyone, nowhere)
    };
    out.local_typed("Out", cx.batch_type(), batch);
    out.assign(path("Out.cursor"), name(OUTGOING.cursor));
    out.append(writer.often.marks.clone());
    out.append(writer.often.body.clone());
    if !cx.options.auto_start {
        out.when(not(name("IsStarted")), block(|b| _ = b.ret([num(0)])));
    }
    out.push(take_back(path("Outgoing.cursor")));
    follow(cx, Block::new(), writer.slots, name(OUTGOING.cursor), out);
}

/// Has those follow, behind `marks`, who have more than what goes to everyone. An item with Instances begins at `FirstSlot`.
fn follow(cx: &mut Context, mut marks: Block, has_slots: bool, end: Expr, out: &mut Block) {
    let first_slot = if has_slots { name("FirstSlot") } else { path("Outgoing.slots") };
    let follow = cx.runtime("ServerBatch", "follow");
    marks.push(Stat::Call(apply(follow, [name("Start"), first_slot, end])));
    out.when(lt(name("Start"), name(FOLLOW_BELOW)), marks);
}

/// The own batch of a player. What `Start` has to start is asked first whether it was.
fn own(cx: &mut Context, player: Expr) -> Expr {
    let made = apply(cx.runtime("ServerBatch", "own"), [player.clone(), shared_end(cx)]);
    let own = or(index(name("Ready"), player.clone()), made);
    if cx.options.auto_start {
        return own;
    }
    let nowhere = apply(cx.runtime("ServerBatch", "unstartedOwn"), [player]);
    choose(name("IsStarted"), own, nowhere)
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

/// An unreliable item as its sends write it, and what they hand on.
struct Item {
    /// For `FireList` and `FireExcept`.
    seldom: Block,
    /// For `Fire` and `FireAll`.
    often: Block,
    bytes: Expr,
    /// Behind the player or players, in front of what stands for its order.
    args: Vec<Expr>,
    /// Whether it is a packet of its own, beside no other items.
    is_alone: bool,
}

impl Item {
    /// An item that goes out alone.
    fn alone(cx: &mut Context, info: &EventInfo, alone: &Alone, values: &[Expr], state: &mut State) -> Item {
        let mut inline = Block::new();
        let end = alone.write(cx, info, values, 2, &mut inline);
        let statements = count(&inline);
        refuse::large_item(cx, info, &end, &mut inline);
        let args = vec![alone.packet(cx, end.clone())];
        if statements <= INLINE {
            return Item { seldom: inline.clone(), often: inline, bytes: end, args, is_alone: true };
        }
        let mut body = Block::new();
        let written = alone.write(cx, info, values, 3, &mut body);
        let params = positional(&info.declared(cx.schema)).0;
        let mut function = Function::new(params, body);
        let is_long = matches!(alone, Alone::Batch(_));
        if is_long {
            function.body.ret([written]);
            function = function.returning(vec![ty("number")]);
        }
        let write = apply(declare_writer(info, function, state), values.iter().cloned());
        let mut seldom = Block::new();
        // Where it ends has the same name as behind an item written in place.
        match &end {
            Expr::Name(local) if is_long => {
                seldom.local(local.as_str(), write);
                refuse::large_item(cx, info, &end, &mut seldom);
            }
            _ => _ = seldom.push(Stat::Call(write)),
        }
        let often = if statements <= INLINE_OFTEN { inline } else { seldom.clone() };
        Item { seldom, often, bytes: end, args, is_alone: true }
    }

    /// An item that what `module` has of it is written into.
    fn batched(cx: &mut Context, info: &EventInfo, module: &str, values: &[Expr], state: &mut State) -> Item {
        let writer = Writer::new(cx, info, values, state);
        let item = apply(cx.runtime(module, "item"), []);
        let [seldom, often] = [writer.seldom, writer.often].map(|write| {
            block(|b| {
                b.local_typed("Out", cx.batch_type(), item.clone());
                b.append(write.body);
            })
        });
        let limit = num(cx.options.max_unreliable_size);
        let args = vec![name("Out"), text(info.event.name.as_str()), limit];
        Item { seldom, often, bytes: path("Out.cursor"), args, is_alone: false }
    }
}

/// To whom a function of the runtime library sends.
#[derive(Clone, Copy)]
enum Recipients {
    One,
    List,
    Except,
    All,
}

impl Recipients {
    /// The end of the function's name.
    fn suffix(self) -> &'static str {
        match self {
            Recipients::One => "",
            Recipients::List => "List",
            Recipients::Except => "Except",
            Recipients::All => "All",
        }
    }
}

fn unreliable(cx: &mut Context, info: &EventInfo, values: &[Expr], state: &mut State) -> [Block; 4] {
    let usual = if cx.options.batch_unreliable { "ServerGather" } else { "ServerUnreliable" };
    let turn = info.wire.turn;
    let module = if info.is_acknowledged() { "ServerLanes" } else { usual };
    let sender = if turn.is_some() { "ServerLanes" } else { usual };
    // Where each player has numbers of their own, nothing goes to everyone at once.
    let is_shared = !info.is_ordered() && turn.is_none();
    let low = traffic::is_low(cx, info);
    let counts = traffic::counts(cx, info, state);
    let numbers = info.is_ordered().then(|| {
        let counter = cx.runtime(module, "counter");
        state.declare(&format!("{}Numbers", info.key), None, apply(counter, []))
    });
    // Behind an item's own arguments: its lane, and for one that may be lost, what sends it.
    let mut in_turn: Vec<Expr> = turn.map(|turn| num(lanes::number(turn))).into_iter().collect();
    if matches!(turn, Some(Turn::Sequenced(_))) {
        in_turn.push(cx.runtime(usual, "send"));
    }

    let item = match Alone::declare(cx, info, state) {
        Some(alone) => Item::alone(cx, info, &alone, values, state),
        None => Item::batched(cx, info, module, values, state),
    };
    let function = |recipients: Recipients| match (turn, recipients) {
        (Some(Turn::Sequenced(_)), Recipients::One) => "sequencedTo".to_owned(),
        (Some(Turn::Sequenced(_)), _) => format!("sequenced{}", recipients.suffix()),
        _ if item.is_alone => format!("sendPacket{}", recipients.suffix()),
        _ => format!("send{}", recipients.suffix()),
    };
    let send = |cx: &mut Context, recipients: Recipients, first: Expr| {
        let function = cx.runtime(sender, &function(recipients));
        let args = std::iter::once(first).chain(item.args.iter().cloned());
        let args = args.chain(numbers.clone()).chain(in_turn.iter().cloned());
        let sent = give(cx, counts.as_ref(), item.bytes.clone(), apply(function, args));
        once_started(cx, sent)
    };
    // Those whose budget is spent are left out of sends of low priority.
    let open = |function: &str, to: Expr| call(&format!("Budget.{function}"), [to]);

    let mut fire = refuse::no_player(cx, "Player");
    fire.append(item.often.clone());
    let to_player = send(cx, Recipients::One, name("Player"));
    if low {
        fire.when(open("isSpent", name("Player")), block(|b| _ = b.ret([num(0)])));
    }
    fire.append(to_player);

    let mut fire_all = item.often.clone();
    fire_all.append(if low {
        send(cx, Recipients::List, open("openExcept", Expr::Nil))
    } else if !is_shared {
        send(cx, Recipients::Except, Expr::Nil)
    } else {
        let function = cx.runtime(module, &function(Recipients::All));
        let sent = apply(function, item.args.iter().cloned());
        let everyone = traffic::everyone(cx);
        let mut count = traffic::sent(cx, counts.as_ref(), item.bytes.clone(), everyone.clone());
        let sent = block(|b| {
            if item.is_alone {
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

    let mut fire_list = refuse::no_players(cx);
    fire_list.append(item.seldom.clone());
    let list = if low { open("open", name("List")) } else { name("List") };
    fire_list.append(send(cx, Recipients::List, list));

    let mut fire_except = refuse::no_player(cx, "Except");
    fire_except.append(item.seldom.clone());
    fire_except.append(if low {
        send(cx, Recipients::List, open("openExcept", name("Except")))
    } else {
        send(cx, Recipients::Except, name("Except"))
    });
    [fire, fire_all, fire_list, fire_except]
}
