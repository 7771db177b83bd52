//! The Rust codec and the emitted Luau agree: on drawn values of drawn schemas, on bytes nobody sent, on values that
//! must be refused, and on the vectors of the language specification.
//!
//! Modules run on a bare VM with a stand-in for the platform (`host.luau`), since only bytes are at stake here.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

mod convert;
mod modules;
mod vectors;

use blinkblox_compiler::schema::{Channel, Side};
use blinkblox_compiler::wire::codec::{
    AnyGame, Decoding, EncodeError, Encoded, Refusal, Value, decode, encode,
};
use blinkblox_compiler::wire::draw::{self, Source};
use blinkblox_compiler::wire::plan::{Carrier, Node, Plan, Shape};
use blinkblox_tests::schemas::{self, COUNT, Random};

use modules::{Item, Modules};

/// Drawn schemas of each kind.
const SCHEMAS: u64 = 40;
/// Drawn values of each type and event.
const VALUES: usize = 10;

#[test]
fn drawn_values_agree() {
    let mut tried = 0;
    for seed in 0..SCHEMAS {
        tried += usize::from(agree(seed, seed % 2 == 0));
    }
    assert!(tried as u64 > SCHEMAS / 2, "only {tried} schemas compiled");
}

/// Tries one schema; false when it asks for what the language refuses, such as an unbounded array of nothing.
fn agree(seed: u64, validate: bool) -> bool {
    let mut random = Random(seed);
    let text = schemas::draw(&mut random, validate);
    let Some(modules) = Modules::of(&text, &["AnalyzeFreeElement"]) else { return false };
    let mut items: Vec<Item> = (0..COUNT).map(|index| modules.export(&format!("T{index}"))).collect();
    for (side, letter) in [(Side::Server, 'S'), (Side::Client, 'C')] {
        items.extend((0..COUNT).map(|index| modules.event(side, &format!("{letter}{index}"))));
    }
    for item in &items {
        for _ in 0..VALUES {
            let value = tidy_value(&item.plan, &mut random);
            let context = || format!("seed {seed}, {}\n{text}\nvalue {value:?}", item.name);
            compare_sends(item, &value, validate, &context);
            let mut sent = encode(&item.plan, &value, validate).unwrap();
            compare_reads(item, &sent, &context);
            let mutated = mutate(&item.plan.block.body, &value, &mut random);
            let context = || format!("seed {seed}, {}\n{text}\nvalue {mutated:?}", item.name);
            compare_sends(item, &mutated, validate, &context);
            corrupt(&mut sent, &mut random);
            compare_reads(item, &sent, &context);
        }
    }
    true
}

/// A drawn value that Luau holds as it is: no variable array ends in a hole, where `#` would leave it out, and no map
/// has two entries, whose order is the table's affair.
fn tidy_value(plan: &Plan, random: &mut Random) -> Value {
    for _ in 0..1000 {
        let mut next = || random.next();
        let mut value = draw::value(plan, &mut Source::new(&mut next));
        if tidy(&plan.block.body, &mut value) {
            return value;
        }
    }
    panic!("no value of {plan:?} is without holes");
}

/// Takes holes and second entries out; false when a length will not have it.
fn tidy(node: &Node, value: &mut Value) -> bool {
    match (&node.shape, value) {
        (Shape::Struct(members) | Shape::Pack(members), Value::Struct(fields)) => {
            members.iter().zip(fields).all(|(member, (_, value))| tidy(&member.node, value))
        }
        (Shape::TaggedEnum(tagged), Value::Struct(fields)) => {
            let tag = &fields[0].1;
            let chosen = tagged.variants.iter().find(|variant| *tag == Value::text(&variant.name));
            let Some(Shape::Struct(members)) = chosen.map(|variant| &variant.block.body.shape) else {
                return true;
            };
            members.iter().zip(&mut fields[1..]).all(|(member, (_, value))| tidy(&member.node, value))
        }
        (Shape::Optional { block, .. }, value) => tidy(&block.body, value),
        (Shape::Array(array), Value::Array(elements)) => {
            let present = elements.iter().find(|element| **element != Value::Nil).cloned();
            if array.length.exact().is_none()
                && let Some(last @ Value::Nil) = elements.last_mut()
            {
                match present {
                    Some(present) => *last = present,
                    None => elements.clear(),
                }
            }
            elements.len() >= array.length.min as usize
                && elements.iter_mut().all(|element| tidy(&array.block.body, element))
        }
        (Shape::Map(map), Value::Map(entries)) => {
            entries.truncate(1);
            let Shape::Entry(pair) = &map.entry.body.shape else { return true };
            entries.iter_mut().all(|(_, value)| tidy(&pair[1], value))
        }
        _ => true,
    }
}

/// Both writers refuse the value, or both make the same bytes of it.
fn compare_sends(item: &Item, value: &Value, validate: bool, context: &dyn Fn() -> String) {
    let rust = encode(&item.plan, value, validate);
    let luau = item.send(value);
    match (rust, luau) {
        (Ok(rust), Ok(luau)) => {
            assert_eq!(hex(&luau.bytes), hex(&rust.bytes), "{}", context());
            assert_eq!(luau.slots, rust.slots, "{}", context());
        }
        (Err(_), Err(_)) => {}
        (Ok(_), Err(failure)) => panic!("only Luau refuses: {failure}\n{}", context()),
        // Without validation nothing looks at a missing value of which nothing travels.
        (Err(EncodeError { refusal: Refusal::Type { found: "nil", .. }, .. }), Ok(_)) if !validate => {}
        (Err(refusal), Ok(sent)) => {
            panic!("only Rust refuses: {refusal}; Luau {}\n{}", hex(&sent.bytes), context())
        }
    }
}

/// Both readers refuse the packet, or both make the same value of it.
fn compare_reads(item: &Item, sent: &Encoded, context: &dyn Fn() -> String) {
    let decoding = Decoding { game: &AnyGame, slots_left: None, leaves: false };
    let rust = decode(&item.plan, &sent.bytes, &sent.slots, decoding);
    let context = || format!("bytes {}\nslots {:?}\n{}", hex(&sent.bytes), sent.slots, context());
    match (rust, item.receive(&sent.bytes, &sent.slots)) {
        (Ok(rust), Ok(luau)) => {
            assert_eq!(shown(&luau), shown(&rust.value), "{}", context());
            assert_eq!(rust.missing, None, "{}", context());
        }
        (Err(_), Err(_)) => {}
        (Ok(rust), Err(failure)) => {
            assert!(rust.missing.is_some(), "only Luau refuses: {failure}; {}\n{}", rust.value, context());
            assert!(failure.starts_with("An Instance it carried did not arrive"), "{failure}\n{}", context());
        }
        (Err(problem), Ok(luau)) => panic!("only Rust refuses: {problem}; Luau {luau}\n{}", context()),
    }
}

/// As text, in which NaN equals itself and -0 differs from 0; holes at the end of an array, which Luau does not keep,
/// are left out, and the entries of maps are put in order.
fn shown(value: &Value) -> String {
    fn trim(value: &Value) -> Value {
        match value {
            Value::Array(elements) => {
                let kept =
                    elements.iter().rposition(|element| *element != Value::Nil).map_or(0, |last| last + 1);
                Value::Array(elements[..kept].iter().map(trim).collect())
            }
            Value::Struct(fields) => {
                Value::Struct(fields.iter().map(|(name, value)| (name.clone(), trim(value))).collect())
            }
            Value::Map(entries) => {
                let mut entries: Vec<_> =
                    entries.iter().map(|(key, value)| (key.clone(), trim(value))).collect();
                entries.sort_by_key(|entry| format!("{entry:?}"));
                Value::Map(entries)
            }
            other => other.clone(),
        }
    }
    format!("{:?}", trim(value))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(" ")
}

/// Changes one or two bytes, cuts the end off, or changes a slot.
fn corrupt(sent: &mut Encoded, random: &mut Random) {
    if !sent.slots.is_empty() && random.once_in(2) {
        let at = random.below(sent.slots.len() as u64) as usize;
        let other = Value::Instance { id: 9, class: "Sound".to_owned() };
        sent.slots[at] = if random.once_in(2) { Value::Nil } else { other };
        return;
    }
    let bytes = &mut sent.bytes;
    if bytes.is_empty() || random.once_in(4) {
        bytes.truncate(random.below(bytes.len() as u64 + 1) as usize);
        return;
    }
    for _ in 0..random.below(2) + 1 {
        let at = random.below(bytes.len() as u64) as usize;
        bytes[at] = random.one(&[0, 1, 0x7F, 0x80, 0xFF, bytes[at] ^ 1, bytes[at].wrapping_add(1)]);
    }
}

/// The value with something in it that may have to be refused.
fn mutate(node: &Node, value: &Value, random: &mut Random) -> Value {
    match (&node.shape, value) {
        (Shape::Struct(members) | Shape::Pack(members), Value::Struct(fields)) if !fields.is_empty() => {
            let chosen = random.below(fields.len() as u64) as usize;
            let mut fields = fields.clone();
            fields[chosen].1 = mutate(&members[chosen].node, &fields[chosen].1, random);
            Value::Struct(fields)
        }
        (Shape::Optional { .. }, Value::Nil) => Value::Nil,
        (Shape::Optional { block, .. }, value) => mutate(&block.body, value, random),
        (Shape::Array(array), Value::Array(elements)) => {
            let mut elements = elements.clone();
            let chosen = random.below(elements.len() as u64 + 1) as usize;
            match elements.get_mut(chosen) {
                Some(element) => *element = mutate(&array.block.body, element, random),
                None => resize(&mut elements, random),
            }
            // A hole made at the end would be left out by `#`.
            while elements.last() == Some(&Value::Nil) {
                elements.pop();
            }
            Value::Array(elements)
        }
        (Shape::Booleans(_), Value::Array(elements)) => {
            let mut elements = elements.clone();
            resize(&mut elements, random);
            Value::Array(elements)
        }
        (Shape::Bytes(bytes), Value::String(data) | Value::Buffer(data)) => {
            let mut data = data.clone();
            resize(&mut data, random);
            if bytes.buffer { Value::Buffer(data) } else { Value::String(data) }
        }
        (Shape::UnitEnum { .. }, _) => Value::text("Nobody"),
        (Shape::TaggedEnum(tagged), Value::Struct(fields)) => {
            let mut fields = fields.clone();
            if random.once_in(2) {
                fields[0].1 = Value::text("Nobody");
                return Value::Struct(fields);
            }
            let chosen = tagged.variants.iter().find(|variant| fields[0].1 == Value::text(&variant.name));
            if let Some(Shape::Struct(members)) = chosen.map(|variant| &variant.block.body.shape)
                && !members.is_empty()
            {
                let place = random.below(members.len() as u64) as usize;
                fields[place + 1].1 = mutate(&members[place].node, &fields[place + 1].1, random);
            }
            Value::Struct(fields)
        }
        (Shape::Map(map), Value::Map(entries)) => {
            let Shape::Entry(pair) = &map.entry.body.shape else { return value.clone() };
            let mut entries = entries.clone();
            if let Some((key, value)) = entries.first_mut() {
                if random.once_in(2) {
                    *key = mutate(&pair[0], key, random);
                } else {
                    *value = mutate(&pair[1], value, random);
                }
            }
            // Neither can be in a table.
            entries.retain(|(key, value)| {
                *value != Value::Nil && !matches!(key, Value::Number(key) if key.is_nan())
            });
            Value::Map(entries)
        }
        (Shape::Number(number), Value::Number(value)) => {
            let free = number.clamp.is_some() || !matches!(number.carrier, Carrier::Integer { .. });
            // What NaN sends without a clamp is not specified for whole integers.
            let nan = if free { f64::NAN } else { 0.0 };
            let near = [value + 1.0, value - 1.0, value + 0.5, value - 0.25, -value];
            let far = [300.0, -1.0, 0.0, -0.5, 1e6, -4e9, 1e10, 65_504.5, nan, nan];
            Value::Number(if random.once_in(2) { random.one(&near) } else { random.one(&far) })
        }
        (Shape::Vector(_), Value::Vector([x, y, z])) => Value::Vector(random.one(&[
            [x + 0.5, *y, *z],
            [60.0, 60.0, 60.0],
            [0.0, 0.25, 0.0],
            [-3.0, 1.5, 300.0],
        ])),
        (_, value) => value.clone(),
    }
}

/// One more, one fewer, or many more of the same.
fn resize<T: Clone>(items: &mut Vec<T>, random: &mut Random) {
    let Some(last) = items.last().cloned() else { return };
    match random.below(3) {
        0 => {
            items.pop();
        }
        1 => items.push(last),
        _ => items.resize(items.len() + 300, last),
    }
}

#[test]
fn channels_and_sides_are_as_declared() {
    let text = "event One { From: Server, Type: Unreliable, Call: SingleSync, Data: u8 }\n\
                event Two { From: Client, Type: OrderedUnreliable, Call: SingleSync, Rate: 100, Data: u8 }";
    let modules = Modules::of(text, &[]).unwrap();
    assert_eq!(modules.wire.event_at(Channel::Unreliable, 1).unwrap().path, ["Two"]);
    for (side, name) in [(Side::Server, "One"), (Side::Client, "Two")] {
        let item = modules.event(side, name);
        assert_eq!(item.send(&Value::table([("Value", 7.0.into())])).unwrap().bytes, [7]);
        assert_eq!(item.receive(&[7], &[]).unwrap(), Value::table([("Value", 7.0.into())]));
    }
}

/// A function has 200 local registers: no width or depth of a type may run out of them.
#[test]
fn wide_types_load_and_agree() {
    for member in
        ["u8", "boolean", "string(..9)", "u8(0..5)?", "struct { a: vector(..9), b: string }", "f16[..4]"]
    {
        let members: Vec<String> = (0..250).map(|index| format!("m{index}: {member}")).collect();
        let text = format!(
            "option WriteValidations = true\noption TypesOutput = \"Types.luau\"\n\
             option MaxPacketSize = 100000\noption InboundBytesPerSecond = 1000000\n\
             option InboundBurst = 1000000\n\
             export struct T0 {{ {} }}\n\
             event S0 {{ From: Server, Type: Reliable, Call: SingleSync, Data: T0[..2] }}\n\
             event C0 {{ From: Client, Type: Reliable, Call: SingleSync, Rate: 1000, Data: T0 }}\n\
             event M0 {{ From: Server, Type: Reliable, Call: SingleSync, Data: map {{ [u8]: T0 }} }}",
            members.join(", ")
        );
        let modules = Modules::of(&text, &[]).unwrap();
        let items =
            [modules.export("T0"), modules.event(Side::Server, "S0"), modules.event(Side::Client, "C0")];
        for item in items {
            let mut random = Random(7);
            let value = tidy_value(&item.plan, &mut random);
            let context = || format!("{member} in {}", item.name);
            compare_sends(&item, &value, true, &context);
            compare_reads(&item, &encode(&item.plan, &value, true).unwrap(), &context);
        }
        let item = modules.event(Side::Server, "M0");
        let row = tidy_value(&modules.export("T0").plan, &mut Random(8));
        // One entry: which of several comes first is the table's affair.
        let value = Value::table([("Value", Value::Map(vec![(9.0.into(), row)]))]);
        let context = || format!("{member} in {}", item.name);
        compare_sends(&item, &value, true, &context);
        compare_reads(&item, &encode(&item.plan, &value, true).unwrap(), &context);
    }
}
