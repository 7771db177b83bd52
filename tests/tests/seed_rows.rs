//! The rows of the two seeds on streams and stamps that a compile decides. The others run in the emulator.
//!
//! Each test is named by its row in the coverage list.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

use blinkblox_compiler::schema::Profile;
use blinkblox_compiler::source::MemoryLoader;
use blinkblox_compiler::wire::signature::canonical_text;
use blinkblox_compiler::{Analysis, analyze, compile};

fn read(text: &str) -> Analysis {
    analyze(&MemoryLoader::new().with("seed.blink", text), "seed.blink", Profile::Release)
}

/// Compiles `text` and compares its diagnostics, each as its code and the text underlined, then the texts of its
/// other labels.
#[track_caller]
fn check(text: &str, expected: &[(&str, &str, &[&str])]) {
    let analysis = read(text);
    let found: Vec<(String, String, Vec<String>)> = analysis
        .diagnostics
        .iter()
        .map(|one| {
            let under = |span| analysis.sources.text(span).to_string();
            let others =
                one.labels.iter().filter(|label| !label.primary).map(|label| under(label.span)).collect();
            (one.code_text(), one.span().map(under).unwrap_or_default(), others)
        })
        .collect();
    let found: Vec<(&str, &str, Vec<&str>)> = found
        .iter()
        .map(|(code, under, others)| {
            (code.as_str(), under.as_str(), others.iter().map(String::as_str).collect())
        })
        .collect();
    let expected: Vec<(&str, &str, Vec<&str>)> =
        expected.iter().map(|(code, under, others)| (*code, *under, others.to_vec())).collect();
    assert_eq!(found, expected, "in {text}");
}

fn signature(text: &str) -> String {
    let loader = MemoryLoader::new().with("seed.blink", text);
    compile(&loader, "seed.blink", Profile::Release).signature.expect("the schema compiles")
}

/// A stream whose settings and data are given.
fn stream(settings: &str, data: &str) -> String {
    format!(
        "event S {{ From: Server, Type: OrderedUnreliable, Call: SingleSync, Stream: {{ {settings} }}, Data: {data} }}"
    )
}

/// A stamped event of that window.
fn stamp(window: &str) -> String {
    format!("event S {{ From: Client, Type: Reliable, Call: SingleSync, Rate: 1, Stamp: {window} }}")
}

#[test]
fn s7_declared_as_an_event_with_a_stream_block() {
    check(
        "struct Head { Id: u8, At: vector<f24>, Back: boolean }
         event Heads { From: Server, Type: OrderedUnreliable, Call: SingleSync,
            Stream: { Rate: 10, Fast: 20, Keepalive: 1, Epsilon: 0.05 }, Data: Head[..16] }",
        &[],
    );
}

#[test]
fn s8_keeps_its_index_on_the_unreliable_channel() {
    let other = "{ From: Server, Type: Unreliable, Call: SingleSync }";
    let text = format!("event A {other} event B {other} {}", stream("Rate: 10", "f64"));
    let schema = read(&text).schema.unwrap();
    let canonical = canonical_text(&schema);
    let line = canonical.lines().last().unwrap();
    assert_eq!(line, "E|Unreliable|2|Server|OrderedUnreliable|S|u:(Value=o:p:f64,ServerTime=p:u16)");
}

#[test]
fn s11_keeps_its_place_in_the_signature() {
    assert_ne!(signature(&stream("Rate: 10", "f64")), signature(&stream("Rate: 10", "f32")));
}

#[test]
fn s13_must_be_from_server() {
    let text = stream("Rate: 10", "f64").replace("Server", "Client");
    check(&text, &[("E3033", "Client", &["Stream"])]);
}

#[test]
fn s14_must_be_ordered_unreliable() {
    for ty in ["Reliable", "Unreliable"] {
        let text = stream("Rate: 10", "f64").replace("OrderedUnreliable", ty);
        check(&text, &[("E3033", ty, &["Stream"])]);
    }
}

#[test]
fn s15_data_is_one_type() {
    check(&stream("Rate: 10", "(u8, u8)"), &[("E3033", "(u8, u8)", &["Stream"])]);
    check(&stream("Rate: 10", "struct { A: u8, B: u8 }"), &[]);
}

#[test]
fn s16_data_is_not_itself_optional() {
    for data in ["u8?", "u8[]?", "unknown"] {
        check(&stream("Rate: 10", data), &[("E3033", data, &["Stream"])]);
    }
    let declared = format!("map M = {{ [u8]: u8 }}? {}", stream("Rate: 10", "M"));
    check(&declared, &[("E3033", "M", &["Stream"])]);
    check(&stream("Rate: 10", "Instance(Part)"), &[]);
}

#[test]
fn s17_cannot_be_polled() {
    let polling = stream("Rate: 10", "f64").replace("SingleSync", "Polling");
    check(&polling, &[("E3033", "Polling", &["Stream"])]);
    let poll = stream("Rate: 10", "f64").replace("Call: SingleSync", "Call: SingleSync, Poll: true");
    check(&poll, &[("W3017", "Poll", &["SingleSync"]), ("E3033", "true", &["Stream"])]);
}

#[test]
fn s18_use_polling_leaves_a_stream_out() {
    check(&format!("option UsePolling = true {}", stream("Rate: 10", "f64")), &[]);
}

#[test]
fn s19_rate_is_required_and_above_zero() {
    check(&stream("Fast: 10", "f64"), &[("E2005", "S", &[])]);
    check(&stream("Rate: 0", "f64"), &[("E2003", "0", &[])]);
    check(&stream("Rate: 2.5", "f64"), &[]);
}

#[test]
fn s20_fast_must_exceed_rate() {
    check(&stream("Rate: 10, Fast: 10", "f64"), &[("E3033", "10", &["10"])]);
    check(&stream("Rate: 10, Fast: 10.5", "f64"), &[]);
}

#[test]
fn s21_keepalive_defaults_to_one() {
    let schema = read(&stream("Rate: 10", "f64")).schema.unwrap();
    let blinkblox_compiler::schema::Item::Event(event) = &schema.root.items[0] else {
        panic!("not an event")
    };
    let stream = event.stream.unwrap();
    assert_eq!((stream.keepalive, stream.epsilon, stream.fast, stream.per_player), (1.0, 0.0, None, false));
}

#[test]
fn s22_epsilon_is_at_least_zero() {
    check(&stream("Rate: 10, Epsilon: 0", "f64"), &[]);
    check(&stream("Rate: 10, Epsilon: -0.1", "f64"), &[("E2003", "-0.1", &[])]);
}

#[test]
fn s23_per_takes_player_alone() {
    check(&stream("Rate: 10, Per: Player", "f64"), &[]);
    check(&stream("Rate: 10, Per: Team", "f64"), &[("E2003", "Team", &[])]);
}

#[test]
fn s24_settings_are_not_in_the_signature() {
    let rich = stream("Rate: 30, Fast: 60, Epsilon: 1, Keepalive: 9, Per: Player", "f64");
    assert_eq!(signature(&rich), signature(&stream("Rate: 10", "f64")));
}

#[test]
fn s80_the_size_analysis_counts_the_state_in_full() {
    check(&stream("Rate: 10", "u8[976]"), &[]);
    check(&stream("Rate: 10", "u8[977]"), &[("E3018", "S", &["u8[977]"])]);
    check(&stream("Rate: 10", "u8[..2000]"), &[("W3019", "S", &["u8[..2000]"])]);
    let analysis = read(
        "event Snapshot { From: Server, Type: OrderedUnreliable, Call: SingleSync, Stream: { Rate: 10 }, Data: u8[980] }",
    );
    assert!(analysis.diagnostics[0].labels[0].message.contains("984 of 980"));
}

#[test]
fn t4_a_stamp_is_a_field_of_the_event() {
    check(
        "event Swing { From: Client, Type: Reliable, Call: SingleSync, Rate: 2, Stamp: 250 }
         event Aim { From: Client, Type: OrderedUnreliable, Call: ManySync, Rate: 30, Stamp: 100,
            Data: (Target: u8, At: vector<f24>) }",
        &[],
    );
}

#[test]
fn t5_from_1_to_30000() {
    for window in ["1", "30000"] {
        check(&stamp(window), &[]);
    }
    for window in ["0", "0.5", "30000.5", "30001", "-5"] {
        check(&stamp(window), &[("E3034", window, &[])]);
    }
}

#[test]
fn t7_from_client_only() {
    let text = "event S { From: Server, Type: Reliable, Call: SingleSync, Stamp: 5 }";
    check(text, &[("E3034", "Server", &["Stamp"])]);
}

#[test]
fn t8_never_polled() {
    let polling = stamp("5").replace("SingleSync", "Polling");
    check(&polling, &[("E3034", "Polling", &["Stamp"])]);
    let poll = stamp("5").replace("Call: SingleSync", "Call: SingleSync, Poll: true");
    check(&poll, &[("W3017", "Poll", &["SingleSync"]), ("E3034", "true", &["Stamp"])]);
}

#[test]
fn t9_use_polling_leaves_it_out() {
    check(&format!("option UsePolling = true {}", stamp("5")), &[]);
}

#[test]
fn t10_no_element_named_sent_at() {
    let with = |data: &str| stamp("5").replace("Stamp: 5", &format!("Stamp: 5, Data: {data}"));
    check(&with("(SentAt: u8)"), &[("E3034", "SentAt", &["Stamp"])]);
    check(&with("struct { SentAt: u8 }"), &[]);
}

#[test]
fn t29_the_size_analysis_counts_the_two_bytes() {
    let of = |length: u32| {
        stamp("5")
            .replace("Reliable", "Unreliable")
            .replace("Stamp: 5", &format!("Stamp: 5, Data: u8[{length}]"))
    };
    check(&of(977), &[]);
    check(&of(978), &[("E3018", "S", &["u8[978]"])]);
    assert!(read(&of(978)).diagnostics[0].labels[0].message.contains("981"));
}

#[test]
fn g3_a_keepalive_between_two_due_steps_says_so() {
    check(&stream("Rate: 4, Keepalive: 0.9", "f64"), &[]);
    check(&stream("Rate: 4, Keepalive: 0.2", "f64"), &[("W3043", "0.2", &["4"])]);
    check(&stream("Rate: 0.4", "f64"), &[]);
}

#[test]
fn the_signature_of_the_specification_comes_out() {
    let text = "
        event Throw { From: Client, Type: Reliable, Call: SingleSync, Rate: 4,
            Data: struct { At: vector<f24>, Power: u8<0.5, saturate>(0..100) } }
        function Price { Yield: Coroutine, Rate: 2, Data: u16, Return: u32? }
        event Sold { From: Server, Type: Reliable, Call: ManyAsync, Data: (string(1..20), Amount: i16) }
        event Wind { From: Server, Type: OrderedUnreliable, Call: SingleSync,
            Stream: { Rate: 5 }, Data: f32<0.01>(-1..1) }";
    assert_eq!(signature(text), "2dcd696f08e06c61");
    assert_eq!(signature(""), "8af847c600597406");
}
