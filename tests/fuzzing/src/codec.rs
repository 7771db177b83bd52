//! The codec in Rust: what is encoded comes back, whatever bytes are decoded are read or refused, and what was read
//! means the same when it is sent again. Whole packets of a schema that has everything likewise.

use std::cell::OnceCell;

use arbitrary::Unstructured;
use blinkblox_compiler::analyze;
use blinkblox_compiler::schema::{Channel, Profile, Side};
use blinkblox_compiler::source::MemoryLoader;
use blinkblox_compiler::wire::Wire;
use blinkblox_compiler::wire::codec::entity::decode_entities;
use blinkblox_compiler::wire::codec::packet::decode_packet;
use blinkblox_compiler::wire::codec::{Decoding, Value, decode, encode};
use blinkblox_compiler::wire::draw::{self, Source};
use blinkblox_compiler::wire::plan::Plan;

use crate::schema;

/// Something of each kind, for packets.
const EVERYTHING: &str = "
struct Row { Id: u24, Names: string(..9)[..4], At: CFrame<quat32>?, Tint: Color3?, Bits: boolean[..70], Any: unknown }
enum Act = \"Kind\" { Move { To: vector<f24>, Fast: boolean }, Say { Text: string }, Rest {} }
event Hit { From: Server, Type: Reliable, Call: ManySync, Data: (Who: Instance(Model), Row, f16?) }
event Acts { From: Client, Type: Reliable, Call: ManySync, Rate: 10, Data: Act[] }
event Aim { From: Client, Type: OrderedUnreliable, Call: SingleSync, Rate: 60, Data: (i16, u8(0..3)) }
event Shot { From: Client, Type: Unreliable, Call: SingleSync, Rate: 60, Stamp: 500, Data: map { [string(..9)]: f64 } }
event Heads { From: Server, Type: OrderedUnreliable, Call: SingleSync, Stream: { Rate: 10 }, Data: Row[..16] }
function Price { Yield: Coroutine, Rate: 3, Data: string, Return: (u16?, set { A, B, C }) }
state Door { Key: string(1..8), Data: struct { Open: boolean, Owner: string(..9)? } }
state Radar { Codec: Custom, Data: struct { X: u8 } }
table Crew { From: Client, Rate: 5, Fields: { Hat: u8, Name: string(..9), Turn: f32<0.01>(-1..1), Up: boolean } }
entity Ship {
    Owner: true, Transform: true, Velocity: true, Named: true, Attributes: true,
    Input: struct { Thrust: f32<0.01>(-1..1) }, Data: struct { Hull: u8, Name: string(..9), Up: boolean }
}
";

thread_local! {
    static WIRE: OnceCell<Wire> = const { OnceCell::new() };
}

fn wire_of(text: &str) -> Option<Wire> {
    let loader = MemoryLoader::new().with("main.blink", text);
    analyze(&loader, "main.blink", Profile::Release).schema.map(|schema| Wire::of(&schema))
}

/// The first byte says what the rest is: a packet, or a type and a value of it, or a type and bytes.
pub(crate) fn run(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else { return };
    match first % 8 {
        0..=4 => {
            let channel = [Channel::Reliable, Channel::Unreliable][usize::from((first % 8) & 1)];
            let from = [Side::Server, Side::Client][usize::from(((first % 8) >> 1) & 1)];
            packet(channel, from, first % 8 == 4, first & 8 != 0, rest);
        }
        kind => typed(rest, kind == 7),
    }
}

/// Packets of one item, and types.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let mut numbers = crate::mutate::Numbers(3);
    let mut drawn = |first: u8, length: usize| {
        let bytes = (0..length).map(|_| numbers.draw() as u8);
        std::iter::once(first).chain(bytes).collect::<Vec<u8>>()
    };
    let mut seeds: Vec<Vec<u8>> =
        (0..40).map(|seed| drawn(5 + seed % 3, 20 + 5 * usize::from(seed))).collect();
    seeds.extend(
        (0..5u8)
            .flat_map(|first| (0..6u8).map(move |index| vec![first, index, 1, 2, 0, 1, 0, 0, 0, 9, 9, 9])),
    );
    // A ship that is new, as the codec's own tests have it.
    seeds.push([&[4u8, 1, 0, 0, 0, 0, 2, 3, 0b1110_0001, 0, 7, 2][..], &[1; 40]].concat());
    seeds
}

fn packet(channel: Channel, from: Side, entities: bool, client: bool, bytes: &[u8]) {
    WIRE.with(|wire| {
        let wire = wire.get_or_init(|| wire_of(EVERYTHING).expect("it is sound"));
        let decoding = Decoding { slots_left: Some(20), leaves: true, ..Decoding::default() };
        let slots = vec![Value::Instance { id: 1, class: "Model".to_owned() }; 4];
        let packet = match entities {
            true => decode_entities(wire, if client { Side::Client } else { Side::Server }, bytes, decoding),
            false => decode_packet(wire, channel, from, bytes, &slots, decoding),
        };
        let _ = packet.to_string();
        let mut end = 0;
        for item in &packet.items {
            let range = item.bytes.clone();
            assert!(
                range.start >= end && range.start <= range.end && range.end <= bytes.len(),
                "an item at {range:?}"
            );
            end = range.end;
        }
        assert!(packet.stopped.is_none_or(|stopped| stopped.at <= bytes.len()));
    });
}

fn typed(bytes: &[u8], raw: bool) {
    // The type takes the first half, so that neither starves the other.
    let (of_type, of_value) = bytes.split_at(bytes.len() / 2);
    let text = schema::drawn_type(&mut Unstructured::new(of_type));
    let Some(wire) = wire_of(&text) else { return };
    let plans = wire.exports.iter().map(|export| &export.plan);
    for plan in plans.chain(wire.events.iter().map(|event| &event.item.payload)) {
        if raw { read(plan, of_value, &text) } else { sent(plan, of_value, &text) }
    }
}

/// As text, in which NaN equals itself and -0 differs from 0.
fn shown(value: &Value) -> String {
    format!("{value:?}")
}

fn sent(plan: &Plan, bytes: &[u8], text: &str) {
    let mut entropy = Unstructured::new(bytes);
    let mut numbers = crate::mutate::Numbers(bytes.len() as u64);
    // Once the bytes are used up, what follows is drawn from their number.
    let mut next = || match entropy.is_empty() {
        true => numbers.draw(),
        false => {
            entropy.arbitrary::<u16>().map_or(0, |drawn| u64::from(drawn).wrapping_mul(0x9E37_79B9_7F4A_7C15))
        }
    };
    let value = draw::value(plan, &mut Source::new(&mut next));
    let sent = encode(plan, &value, true).unwrap_or_else(|error| panic!("{error}: {value:?} of {text}"));
    let size = &plan.block.size;
    assert!(
        (size.min..=size.max).contains(&(sent.bytes.len() as u64)),
        "{} bytes of {text}",
        sent.bytes.len()
    );
    let read = decode(plan, &sent.bytes, &sent.slots, Decoding::default());
    let read = read.unwrap_or_else(|error| panic!("{error}: {value:?} of {text}"));
    assert_eq!((read.bytes, read.slots), (sent.bytes.len(), sent.slots.len()), "{text}");
    if !text.contains("CFrame") {
        assert_eq!(shown(&read.value), shown(&value), "{text}");
    }
    for cut in 0..sent.bytes.len().min(40) {
        let read = decode(plan, &sent.bytes[..cut], &sent.slots, Decoding::default());
        assert!(read.is_err(), "{cut} of {} bytes are enough for {text}", sent.bytes.len());
    }
}

fn read(plan: &Plan, bytes: &[u8], text: &str) {
    let decoding = Decoding { slots_left: Some(20), leaves: true, ..Decoding::default() };
    let slots = vec![Value::Instance { id: 1, class: "Model".to_owned() }; 20];
    let Ok(read) = decode(plan, bytes, &slots, decoding) else { return };
    assert!(read.bytes <= bytes.len());
    // What a receiver accepts may be sent as something else: clamped, turned a little, or cut to whole seconds.
    let otherwise = ["CFrame", "saturate", "DateTime"].iter().any(|word| text.contains(word));
    if read.missing.is_some() || otherwise {
        return;
    }
    let again = encode(plan, &read.value, false);
    let again = again.unwrap_or_else(|error| panic!("{error}: {:?} of {text}", read.value));
    let twice = decode(plan, &again.bytes, &again.slots, Decoding::default());
    let twice = twice.unwrap_or_else(|error| panic!("{error}: {:?} of {text}", read.value));
    assert_eq!(shown(&twice.value), shown(&read.value), "{text}");
}
