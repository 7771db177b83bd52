//! Drawn schemas with all kinds of traffic: scopes, functions both ways, streams, stamps, limits, every `Call`.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

use std::fmt::Write;

use super::{Drawing, Random};

/// Declarations of each schema.
const COUNT: usize = 14;

/// A schema whose limits may refuse some of what it is sent.
pub fn draw(random: &mut Random) -> String {
    let mut text = String::new();
    for (option, values) in [
        ("WriteValidations", &["true", "false"][..]),
        ("SyncValidation", &["true", "false"]),
        ("BatchUnreliable", &["true", "false"]),
        ("TrafficStats", &["true", "false"]),
        ("Predict", &["true", "false"]),
        ("Casing", &["Pascal", "Camel", "Snake"]),
        ("MaxEventsPerPacket", &["8", "64", "1000"]),
        ("MaxPacketSize", &["200", "8192", "100000"]),
        ("MaxInstancesPerPacket", &["1", "256"]),
    ] {
        writeln!(text, "option {option} = {}", random.one(values)).unwrap();
    }
    if random.once_in(2) {
        text.push_str("option OutboundBytesPerSecond = 2000\n");
    }
    text.push_str("option MaxUnreliableSize = 100000\n");
    text.push_str("option InboundBytesPerSecond = 100000000\noption InboundBurst = 100000000\n\n");
    let mut drawing = Drawing::new(random);
    for index in 0..4 {
        drawing.declare(&mut text, index);
    }
    drawing.allow_slots();
    let mut depth = 0;
    for index in 0..COUNT {
        if depth < 2 && drawing.random.once_in(4) {
            writeln!(text, "scope S{index} {{").unwrap();
            depth += 1;
        }
        declaration(&mut text, index, &mut drawing);
        if depth > 0 && drawing.random.once_in(3) {
            text.push_str("}\n");
            depth -= 1;
        }
    }
    text.push_str(&"}\n".repeat(depth));
    text
}

fn declaration(text: &mut String, index: usize, drawing: &mut Drawing<'_>) {
    let kind = drawing.random.below(10);
    let limits = limits(drawing.random);
    match kind {
        0..5 => {
            let delivery = drawing.random.one(&["Reliable", "Reliable", "Unreliable", "OrderedUnreliable"]);
            let stamp = drawing.random.once_in(4);
            let calls = ["SingleSync", "ManySync", "SingleAsync", "ManyAsync", "Polling"];
            let call = drawing.random.one(if stamp { &calls[..4] } else { &calls[..] });
            let stamp = if stamp { " Stamp: 250," } else { "" };
            let data = data(drawing);
            writeln!(
                text,
                "event C{index} {{ From: Client, Type: {delivery}, Call: {call},{stamp}{limits}{data} }}"
            )
            .unwrap();
        }
        5 => {
            let per = drawing.random.one(&["", ", Per: Player"]);
            writeln!(
                text,
                "event P{index} {{ From: Server, Type: OrderedUnreliable, Call: SingleSync, \
                 Stream: {{ Rate: 10{per} }}, Data: struct {{ At: vector<f24>, Hot: boolean }} }}"
            )
            .unwrap();
        }
        6 => {
            writeln!(text, "event O{index} {{ From: Server, Type: Reliable, Call: ManyAsync, Data: u8 }}")
                .unwrap();
        }
        7 | 8 => {
            let concurrency = drawing.random.one(&["", " Concurrency: 2,"]);
            let data = data(drawing);
            writeln!(
                text,
                "function F{index} {{ Yield: Coroutine,{limits}{concurrency}{data} Return: u8? }}"
            )
            .unwrap();
        }
        _ => {
            let answer = drawing.payload();
            writeln!(
                text,
                "function G{index} {{ Yield: Coroutine, From: Server, Data: u8, Return: {answer} }}"
            )
            .unwrap();
        }
    }
}

/// `Data`, with a comma behind; nothing now and then.
fn data(drawing: &mut Drawing<'_>) -> String {
    if drawing.random.once_in(6) { String::new() } else { format!(" Data: {},", drawing.payload()) }
}

fn limits(random: &mut Random) -> &'static str {
    random.one(&["", "", " Rate: 100000, Burst: 100000,", " Rate: 20,", " Rate: 0.5, Burst: 3,"])
}
