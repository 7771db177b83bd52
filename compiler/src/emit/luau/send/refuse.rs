//! What a send refuses ahead of what its codec does: wrong callers, and items that are too large.

use super::super::ast::*;
use super::super::context::Context;
use super::super::module::{EventInfo, member};
use crate::wire::plan::{Node, Shape};

/// Refuses the event's own table, which a call with a colon gives for a first value. Where a table cannot be written
/// anyway, that error has to do: what is sent most costs nothing more.
pub fn own_table(cx: &mut Context, info: &EventInfo, sender: &str) -> Block {
    let body = &info.wire.item.payload.block.body;
    let first = match &body.shape {
        Shape::Pack(members) => members.first().map(|member| &member.node),
        _ => Some(body),
    };
    let Some(first) = first.filter(|first| passes_for_any_table(first)) else { return Block::new() };
    let message = apply(cx.runtime("Messages", "ownTable"), [text(info.event.name.as_str())]);
    let is_table = is_always_table(first) && !cx.options.write_validations;
    holder(member(cx.options.casing, sender), is_table, message)
}

/// Throws `message` where the first value is the table that holds a member, which no value that is sent is. `is_table`:
/// whether a first value that is no table fails here as well as it would later.
pub fn holder(member: String, is_table: bool, message: Expr) -> Block {
    let own = field(name("First"), member);
    let is_function = eq(call("type", [own.clone()]), text("function"));
    let is_own = if is_table {
        // Few values have a member of that name, so its type is hardly ever asked for.
        and(own, is_function)
    } else {
        and(eq(call("type", [name("First")]), text("table")), is_function)
    };
    block(|b| {
        // The checker would make something of what is asked about the value itself.
        b.local_typed("First", ty("any"), name("Value1"));
        b.when(is_own, block(|b| _ = b.call("error", [message, num(2)])));
    })
}

/// Whether every value that can be written is a table.
fn is_always_table(node: &Node) -> bool {
    matches!(
        &node.shape,
        Shape::Booleans(_) | Shape::Array(_) | Shape::Map(_) | Shape::Set(_) | Shape::Struct(_)
    )
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
pub fn no_player(cx: &mut Context, param: &str) -> Block {
    let expect = cx.runtime("ServerBatch", "expectPlayer");
    block(|b| {
        let body = block(|b| _ = b.push(Stat::Call(apply(expect, [name(param), num(2)]))));
        b.when(ne(call("typeof", [name(param)]), text("Instance")), body);
    })
}

/// Refuses a first argument that is no list of players, before anyone of it is sent anything.
pub fn no_players(cx: &mut Context) -> Block {
    let expect = cx.runtime("ServerBatch", "expectPlayers");
    block(|b| _ = b.push(Stat::Call(apply(expect, [name("List"), num(2)]))))
}

/// Throws where a stream's state in the batch `Out` could be too large, and is.
pub fn large_batch(cx: &mut Context, info: &EventInfo, body: &mut Block) {
    if !super::fits(cx, info) {
        let size_of = cx.runtime("Packets", "sizeOf");
        large_state(cx, apply(size_of, [name("Out")]), body);
    }
}

/// Throws for a stream's state of more bytes than a packet holds.
pub fn large_state(cx: &mut Context, size: Expr, body: &mut Block) {
    let message = cx.runtime("Messages", "tooLargeToSend");
    let limit = num(cx.options.max_unreliable_size);
    body.local("Size", size);
    let refuse = block(|b| {
        b.call("error", [apply(message, [name("Size"), limit.clone()]), num(0)]);
    });
    body.when(gt(name("Size"), limit), refuse);
}

/// Leaves unsent what ends at `end` and could be too large, and is: a warning says so.
pub fn large_item(cx: &mut Context, info: &EventInfo, end: &Expr, body: &mut Block) {
    if super::fits(cx, info) {
        return;
    }
    let limit = num(cx.options.max_unreliable_size);
    let message = apply(
        cx.runtime("Messages", "tooLarge"),
        [text(info.event.name.as_str()), end.clone(), limit.clone()],
    );
    let unsent = block(|b| {
        b.call("warn", [message]);
        b.ret([num(0)]);
    });
    body.when(gt(end.clone(), limit), unsent);
}
