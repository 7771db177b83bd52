//! The byte vectors of `language.md` 16, and what must be refused.

use super::*;
use crate::schema::{NumberKind::*, Payload, RobloxType, Rotation, Type, TypeKind};
use crate::wire::plan::Layout;
use crate::wire::test_types::*;

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(" ")
}

fn unhex(text: &str) -> Vec<u8> {
    text.split(|separator: char| !separator.is_ascii_hexdigit())
        .filter(|part| !part.is_empty())
        .map(|part| u8::from_str_radix(part, 16).unwrap())
        .collect()
}

fn stored(ty: &Type) -> Plan {
    Plan::exported(ty, Layout::Storage)
}

fn traffic(payload: &Payload) -> Plan {
    Plan::payload(payload, Layout::Traffic)
}

/// `value` travels as `bytes`, which read back as `back`, whole, and not at all when cut short.
fn round(plan: &Plan, value: Value, bytes: &str, back: Value) {
    let expected = unhex(bytes);
    let encoded = encode(plan, &value, true).unwrap();
    assert_eq!(hex(&encoded.bytes), hex(&expected), "{value:?}");
    let decoded = decode(plan, &expected, &encoded.slots, Decoding::default()).unwrap();
    // Compared as text, where NaN and -0 are what they are.
    assert_eq!(format!("{:?}", decoded.value), format!("{back:?}"));
    assert_eq!(decoded.bytes, expected.len());
    for cut in 0..expected.len() {
        assert!(decode(plan, &expected[..cut], &encoded.slots, Decoding::default()).is_err(), "cut to {cut}");
    }
}

fn same(plan: &Plan, value: Value, bytes: &str) {
    round(plan, value.clone(), bytes, value);
}

fn refused(plan: &Plan, bytes: &str) -> Problem {
    decode(plan, &unhex(bytes), &[], Decoding::default()).unwrap_err().problem
}

fn number(ty: &Type, value: f64, bytes: &str, back: f64) {
    round(&stored(ty), Value::Number(value), bytes, Value::Number(back));
}

#[test]
fn numbers() {
    number(&num(I24), -2.0, "FE FF FF", -2.0);
    number(&num(F16), 0.1, "66 2E", 0.0999755859375);
    number(&num(F16), f64::NAN, "01 FC", f64::NAN);
    number(&num(F24), 0.1, "33 33 37", 0.09999990463256836);
    number(&num(F24), -2.5, "00 80 C0", -2.5);
    number(&num(F24), 1000.3, "4D E8 51", 1000.30078125);
    number(&scaled(U16, 0.1), 12.34, "7B 00", 12.3);
    number(&scaled(U8, 2.5), 6.3, "03", 7.5);
    number(&stepped(F32, 0.25, 100.0, 200.0), 150.25, "C9 00", 150.25);
    let unit = stepped(F32, 0.01, -1.0, 1.0);
    number(&unit, -1.0, "00", -1.0);
    number(&unit, 0.0, "64", 0.0);
    number(&unit, 1.0, "C8", 1.0);
    let clamped = saturating(ranged(U8, 1.0, 255.0));
    for (value, byte, back) in
        [(300.0, "FF", 255.0), (-4.0, "01", 1.0), (254.5, "FF", 255.0), (f64::NAN, "01", 1.0)]
    {
        number(&clamped, value, byte, back);
    }
}

#[test]
fn integers_without_validation_keep_their_low_bits() {
    let plan = stored(&num(U8));
    for (value, byte) in [(300.0, 44), (-1.0, 255), (-0.9, 0), (7.9, 7)] {
        assert_eq!(encode(&plan, &Value::Number(value), false).unwrap().bytes, [byte]);
    }
    assert!(encode(&plan, &Value::Number(300.0), true).is_err());
    assert!(encode(&plan, &Value::Number(-0.5), true).is_err());
}

#[test]
fn ranges_are_checked_as_the_receiver_sees_them() {
    let narrow = ranged(F32, 0.0, 0.3);
    number(&narrow, 0.3, "9A 99 99 3E", 0.30000001192092896);
    assert!(matches!(refused(&stored(&narrow), "9B 99 99 3E"), Problem::Range(_)));
    assert!(matches!(refused(&stored(&narrow), "00 00 C0 7F"), Problem::Range(_)));
    assert!(matches!(
        refused(&stored(&ranged(F64, 0.0, None)), "00 00 00 00 00 00 F8 7F"),
        Problem::Range(_)
    ));
    assert!(matches!(refused(&stored(&stepped(F32, 0.25, 100.0, 200.0)), "91 01"), Problem::Range(401.0)));
}

fn lengths(length: usize, prefix: &str) {
    let plan = stored(&string(BARE));
    let bytes = encode(&plan, &Value::String(vec![7; length]), true).unwrap().bytes;
    assert_eq!(hex(&bytes[..bytes.len() - length]), prefix);
    assert_eq!(decode(&plan, &bytes, &[], Decoding::default()).unwrap().bytes, bytes.len());
}

#[test]
fn varints() {
    lengths(0, "00");
    lengths(127, "7F");
    lengths(128, "80 01");
    lengths(300, "AC 02");
    lengths(16_383, "FF 7F");
    lengths(16_384, "80 80 01");
    lengths(65_535, "FF FF 03");
    let plan = stored(&string(BARE));
    assert_eq!(refused(&plan, "80 00"), Problem::LongVarint);
    assert_eq!(refused(&plan, "FF FF 00"), Problem::LongVarint);
    assert_eq!(refused(&plan, "80 80 04"), Problem::GreatVarint);
    assert_eq!(refused(&plan, "FF FF 83"), Problem::GreatVarint);
    assert_eq!(refused(&plan, "80 80 80 01"), Problem::GreatVarint);
}

#[test]
fn prefixes_by_span() {
    let bytes = |length, count: usize| {
        let bytes = encode(&stored(&string(length)), &Value::String(vec![0; count]), true).unwrap().bytes;
        hex(&bytes[..bytes.len() - count])
    };
    assert_eq!(bytes(len(5, 5), 5), "");
    assert_eq!(bytes(len(10, 265), 265), "FF");
    assert_eq!(bytes(len(10, 266), 266), "80 02");
    assert_eq!(bytes(len(0, 65_535), 3), "03 00");
    assert_eq!(bytes(len(1, 65_537), 3), "02 00 00");
    assert_eq!(bytes(len(1, u32::MAX), 3), "02 00 00 00");
}

fn guard() -> Type {
    record([
        ("Alive", boolean()),
        ("Name", string(len(0, 12))),
        ("Level", num(U8)),
        ("Armed", boolean()),
        ("Mood", unit(["Calm", "Wary", "Angry"])),
        ("Ammo", optional(num(U16))),
    ])
}

#[test]
fn blocks_and_bits() {
    let value = Value::table([
        ("Alive", true.into()),
        ("Name", "Kit".into()),
        ("Level", 7.0.into()),
        ("Armed", false.into()),
        ("Mood", "Angry".into()),
        ("Ammo", 300.0.into()),
    ]);
    same(&stored(&guard()), value, "19 03 07 4B 69 74 2C 01");
    assert_eq!(refused(&stored(&guard()), "0C 00 07"), Problem::Index { index: 3, count: 3 });
    assert!(matches!(refused(&stored(&guard()), "00 0D 07"), Problem::Length { length: 13, max: 12 }));
}

#[test]
fn tails_follow_all_heads() {
    let tags = array(string(len(0, 9)), len(0, 5));
    let value = vec![Value::text("ab"), "".into(), "xyz".into()];
    same(&stored(&tags), value.into(), "03 | 02 00 03 | 61 62 78 79 7A");

    let row = record([("Id", num(U8)), ("Tag", string(len(0, 9)))]);
    let roster = record([("Rows", array(row, len(0, 5))), ("Version", num(U16))]);
    let row = |id: f64, tag: &str| Value::table([("Id", id.into()), ("Tag", tag.into())]);
    let rows = vec![row(1.0, "ab"), row(2.0, ""), row(3.0, "xyz")];
    let value = Value::table([("Rows", rows.into()), ("Version", 258.0.into())]);
    same(&stored(&roster), value, "03 02 01 | 01 02  02 00  03 03 | 61 62 78 79 7A");
}

#[test]
fn maps_are_sequential() {
    let doors = map(num(U8), record([("Open", boolean()), ("Note", string(BARE))]));
    let door = Value::table([("Open", true.into()), ("Note", "hi".into())]);
    let value = Value::Map(vec![(7.0.into(), door)]);
    same(&stored(&doors), value, "01 00 | 07 01 02 68 69");
    // A key sent twice keeps the later value.
    let twice = decode(&stored(&map(num(U8), num(U8))), &[2, 0, 5, 1, 5, 2], &[], Decoding::default());
    assert_eq!(twice.unwrap().value, Value::Map(vec![(5.0.into(), 2.0.into())]));
    let floats = stored(&map(num(F16), num(U8)));
    assert_eq!(refused(&floats, "01 00 01 FC 00"), Problem::NanKey);
    assert!(matches!(refused(&floats, "02 00 00 00 00 00 00"), Problem::End { needed: 6, left: 5 }));
}

#[test]
fn tagged_enums() {
    let shape = tagged(
        "Kind",
        [
            variant("Dot", []),
            variant("Disc", [("Radius", num(U8)), ("Filled", boolean())]),
            variant("Box", [("W", num(U8)), ("H", num(U8))]),
        ],
    );
    let marker = record([("Visible", boolean()), ("Shape", shape), ("Layer", num(I8))]);
    let disc = Value::table([("Kind", "Disc".into()), ("Radius", 9.0.into()), ("Filled", true.into())]);
    let value = Value::table([("Visible", true.into()), ("Shape", disc), ("Layer", (-1.0).into())]);
    same(&stored(&marker), value, "03 FF | 09 01");
    assert_eq!(refused(&stored(&marker), "06 FF"), Problem::Index { index: 3, count: 3 });
}

#[test]
fn booleans_are_packed() {
    let switches = [true, false, true, true, false, false, false, true, true, false];
    let value: Vec<Value> = switches.into_iter().map(Value::Boolean).collect();
    same(&stored(&array(boolean(), len(0, 20))), value.clone().into(), "0A | 8D 01");
    same(&stored(&array(boolean(), len(10, 10))), value.into(), "8D 01");
}

/// A turn about Y.
fn turned(degrees: f64, position: [f32; 3]) -> Value {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let (sin, cos) = (sin as f32, cos as f32);
    let [x, y, z] = position;
    Value::CFrame([x, y, z, cos, 0.0, sin, 0.0, 1.0, 0.0, -sin, 0.0, cos])
}

fn cframe(rotation: Rotation) -> Plan {
    stored(&ty(TypeKind::CFrame { rotation, position: F32, written: Vec::new() }))
}

#[test]
fn turns() {
    let zeros = "00 ".repeat(12);
    for (rotation, bytes) in [(Rotation::Quat, "03 00 00 82 5A 00 00"), (Rotation::Quat32, "FF 87 F6 7F")] {
        let plan = cframe(rotation);
        let encoded = encode(&plan, &turned(60.0, [0.0; 3]), true).unwrap();
        assert_eq!(hex(&encoded.bytes), format!("{zeros}{bytes}"));
    }
    assert!(matches!(
        refused(&cframe(Rotation::Quat), &format!("{zeros}04 00 00 00 00 00 00")),
        Problem::Shape(_)
    ));
    assert!(matches!(refused(&cframe(Rotation::Quat32), &format!("{zeros}FF 0F F0 7F")), Problem::Shape(_)));
}

#[test]
fn turns_come_back() {
    for (rotation, tolerance) in
        [(Rotation::Angles(F32), 1e-6), (Rotation::Quat, 1e-4), (Rotation::Quat32, 4e-3)]
    {
        let plan = cframe(rotation);
        for degrees in [0.0, 30.0, 90.0, 135.0, 180.0, -120.0] {
            let sent = turned(degrees, [1.0, -2.5, 3.0]);
            let bytes = encode(&plan, &sent, true).unwrap().bytes;
            let read = decode(&plan, &bytes, &[], Decoding::default()).unwrap().value;
            let (Value::CFrame(sent), Value::CFrame(read)) = (sent, read) else { panic!("no CFrame") };
            for (sent, read) in sent.iter().zip(read) {
                assert!((sent - read).abs() < tolerance, "{rotation:?} {degrees}: {sent} {read}");
            }
        }
    }
}

#[test]
fn fixed_types() {
    let check = |roblox, value, bytes: &str| same(&stored(&ty(TypeKind::Roblox(roblox))), value, bytes);
    check(RobloxType::Color3, Value::Color3([1.0, 0.0, 0.2]), "FF 00 33");
    check(RobloxType::BrickColor, Value::BrickColor(194), "C2 00");
    check(RobloxType::DateTime, Value::DateTime(1000.0), "00 00 00 00 00 00 F0 3F");
    check(RobloxType::Vector2, Value::Vector2([1.0, -2.0]), "00 00 80 3F 00 00 00 C0");
    check(RobloxType::UDim, Value::UDim(UDim { scale: 1.0, offset: -2 }), "00 00 80 3F FE FF FF FF");
    check(RobloxType::NumberRange, Value::NumberRange(1.0, 2.0), "00 00 80 3F 00 00 00 40");
    let info = TweenInfo { time: 1.0, style: 10, direction: 2, repeats: -1, reverses: true, delay: 0.0 };
    check(RobloxType::TweenInfo, Value::TweenInfo(info), "00 00 80 3F 0A 02 FF FF FF FF 01 00 00 00 00");
    let point = |time| Keypoint { time, color: [0.0, 1.0, 0.0] };
    check(
        RobloxType::ColorSequence,
        Value::ColorSequence(vec![point(0.0), point(1.0)]),
        "02 00 00 00 00 00 FF 00 00 00 80 3F 00 FF 00",
    );
    let refused = |roblox, bytes: &str| {
        assert!(
            decode(&stored(&ty(TypeKind::Roblox(roblox))), &unhex(bytes), &[], Decoding::default()).is_err()
        );
    };
    refused(RobloxType::NumberRange, "00 00 00 40 00 00 80 3F");
    refused(RobloxType::TweenInfo, "00 00 80 3F 0B 02 FF FF FF FF 01 00 00 00 00");
    refused(RobloxType::ColorSequence, "01 00 00 00 00 00 FF 00");
    refused(RobloxType::ColorSequence, "02 00 00 00 00 00 FF 00 00 00 00 3F 00 FF 00");
}

#[test]
fn sets_go_in_groups() {
    let few = stored(&set(["A", "B", "C"]));
    let value = Value::table([("A", true.into()), ("B", false.into()), ("C", true.into())]);
    same(&few, value, "05");
}

#[test]
fn small_integers_are_bits() {
    let tune = pack([
        ("Lean", ranged(I8, -3.0, 3.0)),
        ("Gain", stepped(F32, 0.25, 0.0, 1.0)),
        ("Mode", ranged(U8, 7.0, 7.0)),
        ("Top", ranged(U8, 200.0, None)),
        ("Hull", ranged(U8, 0.0, 100.0)),
    ]);
    let value = |lean: f64| {
        Value::table([
            ("Lean", lean.into()),
            ("Gain", 0.75.into()),
            ("Mode", 7.0.into()),
            ("Top", 243.0.into()),
            ("Hull", 90.0.into()),
        ])
    };
    let plan = traffic(&tune);
    same(&plan, value(-1.0), "DA 0A 5A");
    let spare = decode(&plan, &unhex("DA FA 5A"), &[], Decoding::default()).unwrap();
    assert_eq!(spare.value, value(-1.0));
    assert_eq!(refused(&plan, "DA 0F 5A"), Problem::Range(63.0));
    same(&Plan::payload(&tune, Layout::Storage), value(-1.0), "FF 03 07 F3 5A");
    // Refused on send with validation or without.
    for wrong in [4.0, f64::NAN] {
        assert!(encode(&plan, &value(wrong), false).is_err());
    }
    assert!(encode(&plan, &value(3.9), false).is_ok());
}

#[test]
fn element_bits_go_first() {
    let mate = record([
        ("Slot", ranged(U8, 0.0, 9.0)),
        ("Note", optional(string(len(0, 9)))),
        ("Mood", unit(["Calm", "Wary", "Angry"])),
        ("Ammo", num(U8)),
    ]);
    let crew = traffic(&Payload::Single(array(mate, len(0, 4))));
    let mate = |slot: f64, note: Value, mood: &str, ammo: f64| {
        Value::table([("Slot", slot.into()), ("Note", note), ("Mood", mood.into()), ("Ammo", ammo.into())])
    };
    let mates = vec![
        mate(3.0, "hi".into(), "Angry", 30.0),
        mate(9.0, Value::Nil, "Calm", 0.0),
        mate(0.0, "".into(), "Wary", 255.0),
    ];
    same(&crew, Value::table([("Value", mates.into())]), "03 | D3 04 0C | 1E 00 FF | 02 68 69 00");
}

#[test]
fn arrays_inside_arrays_have_runs_of_their_own() {
    let step = tagged(
        "Kind",
        [
            variant("Halt", []),
            variant("Move", [("X", num(I8)), ("Run", boolean())]),
            variant("Use", [("Slot", ranged(U8, 1.0, 9.0)), ("Times", ranged(U8, 0.0, 20.0))]),
        ],
    );
    let plan = traffic(&Payload::Single(array(array(step, len(0, 3)), len(2, 2))));
    let halt = || Value::table([("Kind", "Halt".into())]);
    let walk =
        |x: f64, run: bool| Value::table([("Kind", "Move".into()), ("X", x.into()), ("Run", run.into())]);
    let take = Value::table([("Kind", "Use".into()), ("Slot", 9.0.into()), ("Times", 5.0.into())]);
    let value = vec![
        Value::Array(vec![walk(-4.0, true), halt()]),
        Value::Array(vec![take, halt(), walk(7.0, false)]),
    ];
    same(&plan, Value::table([("Value", value.into())]), "02 03 | 01 FC 01 | 12 58 00 07 00");
}

#[test]
fn map_entries_hold_small_integers() {
    let lamp =
        record([("On", boolean()), ("Level", num(U8)), ("Marks", array(ranged(U8, 0.0, 3.0), len(0, 5)))]);
    let plan = traffic(&Payload::Single(map(ranged(U8, 0.0, 31.0), lamp)));
    let marks = vec![Value::Number(1.0), 2.0.into(), 3.0.into()];
    let lamp = Value::table([("On", true.into()), ("Level", 200.0.into()), ("Marks", marks.into())]);
    let value = Value::table([("Value", Value::Map(vec![(5.0.into(), lamp)]))]);
    same(&plan, value, "01 00 | 25 C8 03 39");
}

#[test]
fn streams() {
    let cells = array(unit(["Open", "Wall", "Door", "Trap"]), len(0, 300));
    let state = record([("Cells", cells), ("Phase", ranged(U8, 0.0, 2.0))]);
    let plan = traffic(&stream("Board", state).wire_payload());
    let cells: Vec<Value> = ["Wall", "Trap", "Open", "Door", "Wall"].into_iter().map(Value::text).collect();
    let state = Value::table([("Cells", cells.into()), ("Phase", 2.0.into())]);
    let value = |state: Value| Value::table([("Value", state), ("ServerTime", 4660.0.into())]);
    same(&plan, value(state), "01 34 12 | 02 | 05 8D 01");
    same(&plan, value(Value::Nil), "00 34 12");
}

#[test]
fn a_cleared_stream_is_not_a_missing_instance() {
    let plan = traffic(&stream("Held", instance(Some("Tool"))).wire_payload());
    let clear = decode(&plan, &[0, 0, 0], &[], Decoding::default()).unwrap();
    assert_eq!((clear.missing, clear.slots), (None, 0));
    let missing = decode(&plan, &[1, 0, 0], &[], Decoding::default()).unwrap();
    assert_eq!((missing.missing.as_deref(), missing.slots), (Some("Value"), 1));
}

#[test]
fn instances_take_slots_in_walk_order() {
    let payload = pack([("", instance(Some("Tool"))), ("At", num(U8)), ("", optional(instance(None)))]);
    let plan = traffic(&payload);
    let tool = || Value::Instance { id: 7, class: "Tool".to_owned() };
    let value = Value::table([("Value1", tool()), ("At", 3.0.into()), ("Value3", Value::Nil)]);
    let encoded = encode(&plan, &value, true).unwrap();
    assert_eq!(encoded, Encoded { bytes: vec![3], slots: vec![tool(), Value::Nil] });
    let other = Value::Instance { id: 8, class: "Part".to_owned() };
    assert!(matches!(
        decode(&plan, &[3], &[other], Decoding::default()).unwrap_err().problem,
        Problem::Class { .. }
    ));
}

#[test]
fn counts_without_bytes_are_held_to_the_slots_left() {
    let plan = traffic(&Payload::Single(array(instance(None), len(0, 200))));
    let decoding = Decoding { slots_left: Some(10), ..Decoding::default() };
    let problem = decode(&plan, &[11], &[], decoding).unwrap_err().problem;
    assert_eq!(problem, Problem::Slots { needed: 11, left: 10 });
    assert_eq!(decode(&plan, &[10], &[], decoding).unwrap().slots, 10);
}

#[test]
fn an_unbounded_table_of_bits_keeps_a_byte_an_element() {
    let flag = record([("On", boolean()), ("Mode", ranged(U8, 0.0, 3.0))]);
    let bare = traffic(&Payload::Single(array(flag.clone(), BARE)));
    let flags = |count| vec![Value::table([("On", true.into()), ("Mode", 2.0.into())]); count];
    let value = |count| Value::table([("Value", flags(count).into())]);
    same(&bare, value(3), "03 | 05 05 05");
    let bounded = traffic(&Payload::Single(array(flag, len(0, 65_534))));
    same(&bounded, value(3), "03 00 | 6D 01");
}

#[test]
fn exact_lengths_without_validation_are_cut() {
    let text = stored(&string(len(3, 3)));
    assert_eq!(encode(&text, &"abcd".into(), false).unwrap().bytes, b"abc");
    assert!(encode(&text, &"ab".into(), false).is_err());
    assert!(encode(&text, &"abcd".into(), true).is_err());
    let row = stored(&array(optional(num(U8)), len(2, 2)));
    assert_eq!(encode(&row, &vec![5.0.into()].into(), true).unwrap().bytes, [1, 0, 5]);
    let numbers = vec![Value::Number(1.0), 2.0.into(), 3.0.into()];
    assert_eq!(encode(&row, &numbers.clone().into(), false).unwrap().bytes, [1, 1, 1, 2]);
    assert!(encode(&row, &numbers.into(), true).is_err());
}

#[test]
fn leaves_say_where_everything_lay() {
    let plan = traffic(&pack([("Id", num(U16)), ("Mood", unit(["A", "B"])), ("Name", string(len(0, 9)))]));
    let decoding = Decoding { leaves: true, ..Decoding::default() };
    let leaves = decode(&plan, &unhex("02 01 01 02 68 69"), &[], decoding).unwrap().leaves;
    let found: Vec<_> = leaves.into_iter().map(|leaf| (leaf.path, leaf.role, leaf.at)).collect();
    assert_eq!(
        found,
        [
            ("Id".to_owned(), Role::Value, LeafPlace::Bytes(0..2)),
            ("Mood".to_owned(), Role::Value, LeafPlace::Bits(vec![(2, 0, 1)])),
            ("Name".to_owned(), Role::Length, LeafPlace::Bytes(3..4)),
            ("Name".to_owned(), Role::Value, LeafPlace::Bytes(4..6)),
        ]
    );
}
