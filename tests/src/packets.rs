//! Packets of one client: those an honest client makes, and everything that can be made of them.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

use blinkblox_compiler::schema::{Channel, Side};
use blinkblox_compiler::wire::codec::{Value, encode};
use blinkblox_compiler::wire::draw::{self, Source};
use blinkblox_compiler::wire::entity::names_entity;
use blinkblox_compiler::wire::plan::{HeaderKind, Shape};
use blinkblox_compiler::wire::{ItemWire, Wire};

use crate::schemas::Random;

/// What a client sends in one call of a remote.
#[derive(Clone)]
pub struct Packet {
    /// Over which remote.
    pub reliable: bool,
    /// The buffer.
    pub bytes: Vec<u8>,
    /// What stands beside it: a class, `-` for a hole, `1` for a number.
    pub slots: Vec<&'static str>,
}

/// Something the server hears.
pub struct Heard<'a> {
    /// Its path.
    pub name: String,
    reliable: bool,
    item: &'a ItemWire,
}

impl Heard<'_> {
    /// Names of its listener's parameters; `None` for one with an entity in it, which arrives as what stands for it.
    pub fn parameters(&self) -> Vec<Option<&str>> {
        let Shape::Pack(members) = &self.item.payload.block.body.shape else {
            unreachable!("an item is a pack")
        };
        members.iter().map(|member| (!names_entity(&member.node)).then_some(member.name.as_str())).collect()
    }
}

/// Events of clients, their calls, and their answers.
pub fn heard(wire: &Wire) -> Vec<Heard<'_>> {
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
pub fn valid(of: &Heard<'_>, random: &mut Random) -> Packet {
    let mut next = || random.next();
    let value = draw::value(&of.item.payload, &mut Source::new(&mut next));
    let sent = encode(&of.item.payload, &value, true).unwrap();
    let mut bytes = vec![of.item.header.index];
    match of.item.header.kind {
        HeaderKind::Event => {}
        HeaderKind::Sequenced => bytes.extend((random.next() as u32).to_le_bytes()),
        HeaderKind::Ordered | HeaderKind::Numbered => bytes.extend((random.next() as u16).to_le_bytes()),
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

/// A short valid packet of an item, so that what is done to each of its bytes stays affordable.
fn short(of: &Heard<'_>, most: usize, random: &mut Random) -> Packet {
    let drawn = (0..12).map(|_| valid(of, random)).min_by_key(|packet| packet.bytes.len()).unwrap();
    let mut packet = drawn;
    packet.bytes.truncate(most);
    packet
}

fn place(packet: &Packet, random: &mut Random) -> usize {
    random.below(packet.bytes.len() as u64) as usize
}

/// A packet no honest client makes.
pub fn hostile(all: &[Heard<'_>], random: &mut Random) -> Packet {
    let pick = |random: &mut Random| &all[random.below(all.len() as u64) as usize];
    let of = pick(random);
    let mut packet = valid(of, random);
    match random.below(15) {
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
        5 => claim(&mut packet, random),
        6 => splice(&mut packet, &valid(pick(random), random), random),
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
        11 => {
            // An answer to nothing, or of another function: any id, any flag.
            let flag = random.one(&[0, 0, 1, 1, 2, 0xFF]);
            packet.bytes.splice(0..0, [pick(random).item.header.index, random.next() as u8, flag]);
        }
        12 => {
            // More beside the buffer than anything reads.
            let more = random.one(&[1, 2, 40, 300]);
            packet.slots.extend((0..more).map(|_| random.one(&["Part", "-", "1"])));
        }
        13 => {
            // The same item over and over.
            let (one, slots) = (packet.bytes.clone(), packet.slots.clone());
            for _ in 0..random.below(80) {
                packet.bytes.extend(&one);
                packet.slots.extend(&slots);
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

/// A length or count of almost everything.
fn claim(packet: &mut Packet, random: &mut Random) {
    let at = place(packet, random);
    let end = packet.bytes.len().min(at + random.below(4) as usize + 1);
    packet.bytes[at..end].fill(0xFF);
}

/// The front of one packet and the back of another.
fn splice(packet: &mut Packet, other: &Packet, random: &mut Random) {
    let (cut, from) = (place(packet, random), place(other, random));
    packet.bytes.truncate(cut);
    packet.bytes.extend(&other.bytes[from..]);
    packet.slots.extend(&other.slots);
}

/// Every bit of a packet of each item flipped, everything it can be cut to, every place at which another can take over,
/// and every place at which a length could be that claims everything. With `every`, each byte is made every other one.
pub fn systematic(all: &[Heard<'_>], every: bool, longest: usize, random: &mut Random) -> Vec<Packet> {
    let mut packets = Vec::new();
    for of in all {
        let packet = short(of, longest, random);
        let with = |bytes: Vec<u8>| Packet { bytes, ..packet.clone() };
        for at in 0..packet.bytes.len() {
            for way in 0..if every { 255 } else { 8 } {
                let mut bytes = packet.bytes.clone();
                bytes[at] ^= if every { way + 1 } else { 1 << way };
                packets.push(with(bytes));
            }
            packets.push(with(packet.bytes[..at].to_vec()));
            for length in 1..=4 {
                let mut bytes = packet.bytes.clone();
                let end = bytes.len().min(at + length);
                bytes[at..end].fill(0xFF);
                packets.push(with(bytes));
            }
            let other = short(&all[random.below(all.len() as u64) as usize], longest, random);
            let from = place(&other, random);
            packets.push(Packet {
                bytes: [&packet.bytes[..at], &other.bytes[from..]].concat(),
                slots: [&packet.slots[..], &other.slots[..]].concat(),
                ..packet.clone()
            });
        }
    }
    packets
}

/// Each of the 256 indices on both channels, with something behind it.
pub fn indices(random: &mut Random) -> Vec<Packet> {
    let mut packets = Vec::new();
    for index in 0..=255 {
        for reliable in [true, false] {
            let count = random.below(9) as usize;
            let tail = (0..count).map(|_| random.next() as u8);
            let bytes = std::iter::once(index).chain(tail).collect();
            packets.push(Packet { reliable, bytes, slots: vec!["Part", "1"] });
        }
    }
    packets
}
