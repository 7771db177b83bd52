//! Sending an event: the members of its table, written from its plan.
//!
//! `client`, `server` and `stream` have what each of them sends with, `own` the batches that lie in locals; here is what
//! they share: the statements of an item, where they are written, and how they end.

mod client;
mod own;
pub mod refuse;
mod server;
mod stream;

pub use client::client;
pub use own::{commit_reliable, flush_own, in_packets, shared_end, take_back, to_everyone};
pub use server::server;
pub use stream::stream;

use std::sync::LazyLock;

use super::ast::*;
use super::context::{Context, Names, Sink, shared};
use super::module::{EventInfo, State, member};
use super::{traffic, write};
use crate::schema::Channel;

/// Statements that write the item of `info`, and where it ends.
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
        Sink::Batch | Sink::Own(_) => binary(end.clone(), BinaryOp::Sub, name("Start")),
    };
    let warn = cx.runtime_function("SoftLimit");
    let told = apply(warn, [text(info.event.path.join(".")), bytes.clone(), num(limit)]);
    body.when(gt(bytes, num(limit)), block(|b| _ = b.push(Stat::Call(told))));
}

/// Most bytes an item can have, its header included.
pub fn longest(info: &EventInfo) -> u64 {
    u64::from(info.wire.item.header.size()).saturating_add(info.wire.item.payload.block.size.max)
}

/// The same with those that Instances count for.
fn most(info: &EventInfo) -> u64 {
    longest(info).saturating_add(info.wire.item.payload.block.size.slots.saturating_mul(*SLOT_SIZE))
}

/// Bytes that an Instance beside a packet counts for.
static SLOT_SIZE: LazyLock<u64> = LazyLock::new(|| shared("Packets", "SLOT_SIZE"));
/// Bytes that every working buffer has room for.
static WORKING: LazyLock<u64> = LazyLock::new(|| shared("Batch", "INITIAL"));

/// Whether the item always fits an unreliable packet.
fn fits(cx: &Context, info: &EventInfo) -> bool {
    most(info) <= u64::from(cx.options.max_unreliable_size)
}

/// Stores where the item in `Out` ends.
fn commit(written: &write::Written, body: &mut Block) {
    body.assign(path("Out.cursor"), written.end.clone());
    if written.slots {
        body.assign(path("Out.slots"), name("Slot"));
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

/// Where an unreliable item is written that goes out at once, in a packet of its own and with no Instances beside it: it
/// begins at 0, in a buffer that is the event's own.
enum Alone {
    /// Always as long: written right into the packet, again and again.
    Packet(Expr),
    /// Into a batch to which nothing is ever committed, and out of it into a packet that is used again while the length
    /// repeats.
    Batch(Expr),
}

impl Alone {
    /// Of an event whose items go alone.
    fn declare(cx: &mut Context, info: &EventInfo, state: &mut State) -> Option<Alone> {
        let block = &info.wire.item.payload.block;
        let goes_alone = info.wire.channel == Channel::Unreliable
            && info.wire.turn.is_none()
            && !cx.options.batch_unreliable
            && block.size.slots == 0;
        if !goes_alone {
            return None;
        }
        let size = u64::from(info.wire.item.header.size()) + u64::from(block.head);
        if !block.tail && size <= u64::from(cx.options.max_unreliable_size) {
            let create = call("buffer.create", [super::ast::size(size)]);
            let packet = state.declare(&format!("{}Packet", info.key), None, create);
            return Some(Alone::Packet(packet));
        }
        Some(Alone::batch(cx, info, state))
    }

    /// Of a stream's state.
    fn batch(cx: &mut Context, info: &EventInfo, state: &mut State) -> Alone {
        let create = cx.runtime("Batch", "create");
        Alone::Batch(state.declare(&format!("{}State", info.key), None, apply(create, [])))
    }

    /// Statements that write the item; gives where it ends.
    fn write(
        &self,
        cx: &mut Context,
        info: &EventInfo,
        values: &[Expr],
        level: u8,
        body: &mut Block,
    ) -> Expr {
        match self {
            Alone::Packet(packet) => cx.sink = Sink::Packet(packet.clone()),
            Alone::Batch(batch) => {
                body.local_typed("Out", cx.batch_type(), batch.clone());
                if longest(info) <= *WORKING {
                    cx.sink = Sink::Packet(path("Out.buffer"));
                }
            }
        }
        let end = writing(cx, info, values, level, body).end;
        cx.sink = Sink::Batch;
        match self {
            Alone::Packet(_) => end,
            Alone::Batch(_) => held(end, body),
        }
    }

    /// The packet of an item that ends at `end`.
    fn packet(&self, cx: &mut Context, end: Expr) -> Expr {
        match self {
            Alone::Packet(packet) => packet.clone(),
            Alone::Batch(batch) => apply(cx.runtime("Batch", "cut"), [batch.clone(), num(0), end]),
        }
    }
}

/// The number of an ordered event's next item, behind what the number at hand is done with.
fn following(number: &Expr, body: &mut Block) {
    let next = binary(add(number.clone(), num(1)), BinaryOp::Mod, num(65536));
    body.assign(number.clone(), next);
}

/// A member that sends, and gives to how many.
fn counted(cx: &Context, pascal: &str, params: Vec<Param>, body: Block) -> Entry {
    let function = Function::new(params, body).returning(vec![ty("number")]);
    Entry::Named(member(cx.options.casing, pascal), lambda(function))
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
