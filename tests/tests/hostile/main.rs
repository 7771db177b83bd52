//! Modules under a hostile client: packets are made from valid ones by flipping, cutting, splicing and lying about
//! lengths, and everything the server's listeners hear of them is held against the Rust codec.
//!
//! The schemas are those of `golden/` with traffic to the server, and drawn ones whose limits are out of the way, for
//! which nothing may be lost either. Every packet is drawn from a fixed seed.

#![allow(clippy::unwrap_used)]

#[path = "../agreement/schemas.rs"]
mod schemas;

use std::fmt::Write;

use blinkblox_compiler::schema::{Channel, Profile, Side};
use blinkblox_compiler::source::MemoryLoader;
use blinkblox_compiler::wire::codec::{Value, encode};
use blinkblox_compiler::wire::draw::{self, Source};
use blinkblox_compiler::wire::plan::{HeaderKind, Shape};
use blinkblox_compiler::wire::{ItemWire, Wire};
use blinkblox_emulator::shared::SignalMode;
use blinkblox_emulator::testing::reporters::{Format, render};
use blinkblox_emulator::testing::{RunOptions, run};
use blinkblox_tests::corpus::golden;

use schemas::Random;

/// Packets for each golden schema.
const GOLDEN_PACKETS: usize = 2000;
/// Drawn schemas, and packets for each.
const DRAWN: u64 = 12;
const DRAWN_PACKETS: usize = 2000;

/// What a client sends in one call of a remote.
#[derive(Clone)]
struct Packet {
    reliable: bool,
    bytes: Vec<u8>,
    slots: Vec<&'static str>,
}

/// Something the server hears.
struct Heard<'a> {
    name: String,
    reliable: bool,
    item: &'a ItemWire,
}

/// Events of clients, their calls, and their answers.
fn heard(wire: &Wire) -> Vec<Heard<'_>> {
    let mut all = Vec::new();
    for event in wire.events.iter().filter(|event| event.from == Side::Client) {
        let reliable = event.channel == Channel::Reliable;
        all.push(Heard { name: event.path.join("."), reliable, item: &event.item });
    }
    for function in &wire.functions {
        let item = if function.from == Side::Client { &function.call } else { &function.answer };
        all.push(Heard { name: function.path.join("."), reliable: true, item });
    }
    all
}

/// A packet with one item, as an honest client makes it.
fn valid(of: &Heard<'_>, random: &mut Random) -> Packet {
    let mut next = || random.next();
    let value = draw::value(&of.item.payload, &mut Source::new(&mut next));
    let sent = encode(&of.item.payload, &value, true).unwrap();
    let mut bytes = vec![of.item.header.index];
    match of.item.header.kind {
        HeaderKind::Event => {}
        HeaderKind::Ordered => bytes.extend((random.next() as u16).to_le_bytes()),
        HeaderKind::Call => bytes.push(random.next() as u8),
        HeaderKind::Answer => bytes.extend([random.next() as u8, 1]),
    }
    bytes.extend(sent.bytes);
    let slot = |value: &Value| match value {
        Value::Instance { class, .. } if class == "Sound" => "Sound",
        Value::Instance { .. } => "Part",
        Value::Nil => "-",
        _ => "1",
    };
    Packet { reliable: of.reliable, bytes, slots: sent.slots.iter().map(slot).collect() }
}

/// A packet no honest client makes.
fn hostile(all: &[Heard<'_>], random: &mut Random) -> Packet {
    let pick = |random: &mut Random| &all[random.below(all.len() as u64) as usize];
    let of = pick(random);
    let mut packet = valid(of, random);
    let place = |packet: &Packet, random: &mut Random| random.below(packet.bytes.len() as u64) as usize;
    match random.below(12) {
        0 => {}
        1 | 2 => {
            let at = place(&packet, random);
            packet.bytes[at] ^= 1 << random.below(8);
        }
        3 => {
            let at = place(&packet, random);
            packet.bytes[at] = random.one(&[0, 1, 2, 0x7F, 0x80, 0xFE, 0xFF]);
        }
        4 => packet.bytes.truncate(random.below(packet.bytes.len() as u64 + 1) as usize),
        5 => {
            // A length or count of almost everything.
            let at = place(&packet, random);
            let end = packet.bytes.len().min(at + random.below(4) as usize + 1);
            packet.bytes[at..end].fill(0xFF);
        }
        6 => {
            let other = valid(pick(random), random);
            let (cut, from) = (place(&packet, random), place(&other, random));
            packet.bytes.truncate(cut);
            packet.bytes.extend(&other.bytes[from..]);
            packet.slots.extend(other.slots);
        }
        7 => {
            for _ in 0..random.below(6) {
                let other = valid(pick(random), random);
                packet.bytes.extend(other.bytes);
                packet.slots.extend(other.slots);
            }
        }
        8 => packet.reliable = !packet.reliable,
        9 => packet.bytes[0] = random.next() as u8,
        10 => {
            let count = random.below(60) as usize;
            packet.bytes = (0..count).map(|_| random.next() as u8).collect();
            if let Some(first) = packet.bytes.first_mut().filter(|_| !random.once_in(3)) {
                *first = of.item.header.index;
            }
        }
        _ => {
            let other = random.one(&["Part", "Sound", "-", "1"]);
            match packet.slots.len() {
                0 => packet.slots.push(other),
                count => packet.slots[random.below(count as u64) as usize] = other,
            }
        }
    }
    packet
}

/// The module of Luau that says what to do to one schema.
fn data(name: &str, text: &str, exact: bool, packets: usize, random: &mut Random) -> Option<String> {
    let loader = MemoryLoader::new().with("main.blink", text);
    let schema = blinkblox_compiler::analyze(&loader, "main.blink", Profile::Release).schema?;
    let wire = Wire::of(&schema);
    let all = heard(&wire);
    if all.is_empty() {
        return None;
    }
    let mut out =
        format!("return {{ name = {name:?}, exact = {exact}, schema = [====[\n{text}]====],\nmembers = {{");
    for one in &all {
        let Shape::Pack(members) = &one.item.payload.block.body.shape else { unreachable!() };
        let names: Vec<String> = members.iter().map(|member| format!("{:?}", member.name)).collect();
        write!(out, "[{:?}] = {{ {} }}, ", one.name, names.join(", ")).unwrap();
    }
    out.push_str("},\n");
    let line = |packet: &Packet| {
        let hex: String = packet.bytes.iter().map(|byte| format!("{byte:02X}")).collect();
        let channel = if packet.reliable { "R" } else { "U" };
        format!("{{ \"{channel}\", \"{hex}\", \"{}\" }}", packet.slots.join(","))
    };
    let plain = (0..50).map(|_| valid(&all[0], random)).find(|packet| packet.slots.is_empty());
    if let Some(honest) = plain {
        writeln!(out, "honest = {},", line(&honest)).unwrap();
    }
    out.push_str("packets = {\n");
    for _ in 0..packets {
        writeln!(out, "{},", line(&hostile(&all, random))).unwrap();
    }
    out.push_str("} }\n");
    Some(out)
}

/// The schema with nothing it needs from elsewhere, and a budget that pays for an attack.
fn self_contained(text: &str) -> String {
    let kept: Vec<&str> = text
        .lines()
        .filter(|line| {
            !line.starts_with("option PromiseLibrary") && !line.starts_with("option FutureLibrary")
        })
        .collect();
    let text = kept
        .join("\n")
        .replace("Yield: Promise", "Yield: Coroutine")
        .replace("Yield: Future", "Yield: Coroutine");
    let budget = "option InboundBytesPerSecond = 100000000\noption InboundBurst = 100000000\n";
    if text.contains("InboundB") { text } else { format!("{budget}{text}") }
}

/// Runs the attacks of schemas under one signal mode; gives how many packets they sent.
fn attack(cases: &[(String, String, bool, usize)], signals: SignalMode) -> usize {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("attack.luau"), include_str!("attack.luau")).unwrap();
    let mut files = Vec::new();
    let mut sent = 0;
    for (at, (name, text, exact, packets)) in cases.iter().enumerate() {
        let mut random = Random(at as u64 + 1);
        let Some(data) = data(name, text, *exact, *packets, &mut random) else { continue };
        sent += packets;
        std::fs::write(folder.path().join(format!("data{at}.luau")), data).unwrap();
        let spec = folder.path().join(format!("case{at}.spec.luau"));
        std::fs::write(&spec, format!("require(\"./attack\")(require(\"./data{at}\"))\n")).unwrap();
        files.push(spec);
    }
    let options = RunOptions {
        files,
        signals: vec![signals],
        wall_timeout: std::time::Duration::from_secs(120),
        ..RunOptions::default()
    };
    let report = run(&options, |_| {});
    assert_eq!(report.exit_code(), 0, "\n{}", render(&report, Format::Pretty, false));
    sent
}

#[test]
fn golden_schemas_stand() {
    let cases: Vec<_> = golden()
        .iter()
        .map(|case| {
            let name = case.path.file_name().unwrap().to_string_lossy().into_owned();
            (name, self_contained(&case.files[0].1), false, GOLDEN_PACKETS)
        })
        .collect();
    let sent = attack(&cases, SignalMode::Deferred);
    assert!(sent >= 8 * GOLDEN_PACKETS, "only {sent} packets");
}

#[test]
fn drawn_schemas_stand() {
    let cases: Vec<_> = (0..DRAWN)
        .map(|seed| {
            let text = schemas::draw(&mut Random(seed + 1000), false);
            let limits = "option MaxEventsPerPacket = 100000\n";
            (format!("drawn {seed}"), format!("{limits}{text}"), true, DRAWN_PACKETS)
        })
        .collect();
    let sent = attack(&cases, SignalMode::Immediate);
    assert!(sent >= 6 * DRAWN_PACKETS, "only {sent} packets");
}
