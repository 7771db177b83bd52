//! The largest schemas of each kind: a channel has 256 declarations at most.

use std::fmt::Write;

/// How an event's listeners are called, every way.
pub const CALLS: [&str; 5] = ["SingleSync", "ManySync", "SingleAsync", "ManyAsync", "Polling"];

fn declared(one: impl Fn(usize) -> String) -> String {
    (0..256).fold(String::new(), |mut schema, index| {
        writeln!(schema, "{}", one(index)).expect("writing to a string does not fail");
        schema
    })
}

/// As many events on both channels as may be, both ways and in every way to listen.
pub fn events() -> String {
    declared(|index| {
        let from = if index % 2 == 0 { "Server" } else { "Client" };
        let call = CALLS[index % 5];
        let rate = if (from, call) == ("Server", "SingleSync") { "" } else { " Rate: 5," };
        let ty = if index % 3 == 0 { "Unreliable" } else { "OrderedUnreliable" };
        format!(
            "event E{index} {{ From: {from}, Type: Reliable, Call: {call},{rate} Data: u8(0..9) }}\n\
             event U{index} {{ From: {from}, Type: {ty}, Call: {call}, Data: (u8, boolean) }}"
        )
    })
}

/// As many functions as may be, both ways.
pub fn functions() -> String {
    declared(|index| {
        let from = if index % 2 == 0 { "From: Client, Rate: 5, Concurrency: 2" } else { "From: Server" };
        format!("function F{index} {{ Yield: Coroutine, {from}, Data: u8, Return: (u8, string) }}")
    })
}

/// As many streams as may be, of everybody and of each player.
pub fn streams() -> String {
    declared(|index| {
        let per = if index % 2 == 0 { "" } else { ", Per: Player" };
        format!(
            "event S{index} {{ From: Server, Type: OrderedUnreliable, Call: SingleSync, \
             Stream: {{ Rate: 10{per} }}, Data: struct {{ At: vector, Lit: boolean }} }}"
        )
    })
}
