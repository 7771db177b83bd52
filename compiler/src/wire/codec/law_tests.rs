//! Laws that hold for every type and every value.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};

use crate::schema::{Length, NumberKind, NumberKind::*, Payload, RobloxType, Rotation, Type, TypeKind};
use crate::wire::codec::{Decoding, Value, decode, encode};
use crate::wire::draw::{self, Source};
use crate::wire::plan::{Layout, Plan};
use crate::wire::test_types::*;

fn kind() -> impl Strategy<Value = NumberKind> {
    prop::sample::select(vec![U8, U16, U24, U32, I8, I16, I24, I32, F16, F24, F32, F64])
}

fn integer() -> impl Strategy<Value = NumberKind> {
    prop::sample::select(vec![U8, U16, U24, U32, I8, I16, I24, I32])
}

fn number() -> impl Strategy<Value = Type> {
    prop_oneof![
        kind().prop_map(num),
        kind().prop_map(|kind| saturating(num(kind))),
        (integer(), 0..100u32, 0..120u32).prop_map(|(kind, low, span)| {
            let low = f64::from(low) - if kind.bounds().0 < 0.0 { 50.0 } else { 0.0 };
            ranged(kind, low, (low + f64::from(span)).min(kind.bounds().1))
        }),
        (prop::sample::select(vec![F16, F24, F32, F64]), -50i32..50, 0..100i32)
            .prop_map(|(kind, low, span)| ranged(kind, f64::from(low) / 4.0, f64::from(low + span) / 4.0)),
        (integer(), prop::sample::select(vec![0.1, 0.5, 0.25, 2.5, 0.003]))
            .prop_map(|(kind, scale)| scaled(kind, scale)),
        (prop::sample::select(vec![0.1, 0.5, 2.5]), -300i32..300, 0..500i32).prop_map(
            |(scale, low, span)| {
                stepped(F32, scale, scale * f64::from(low), scale * f64::from(low + span))
            }
        ),
    ]
}

fn length(most: u32) -> impl Strategy<Value = Length> {
    prop_oneof![
        Just(BARE),
        (0..4u32, 0..most).prop_map(|(min, span)| len(min, min + span)),
        (0..12u32).prop_map(|exact| len(exact, exact)),
        Just(Length { min: 1, max: u32::MAX, written: true, max_written: false }),
    ]
}

fn element_length() -> impl Strategy<Value = Length> {
    prop_oneof![
        Just(BARE),
        (0..3u32, 0..400u32).prop_map(|(min, span)| len(min, min + span)),
        (0..12u32).prop_map(|exact| len(exact, exact)),
        Just(Length { min: 1, max: 65_535, written: true, max_written: false }),
    ]
}

fn leaf() -> impl Strategy<Value = Type> {
    let roblox = prop::sample::select(vec![
        RobloxType::Color3,
        RobloxType::BrickColor,
        RobloxType::DateTime,
        RobloxType::DateTimeMillis,
        RobloxType::Vector2,
        RobloxType::UDim,
        RobloxType::UDim2,
        RobloxType::NumberRange,
        RobloxType::TweenInfo,
        RobloxType::ColorSequence,
    ]);
    prop_oneof![
        8 => number(),
        2 => Just(boolean()),
        2 => length(400).prop_map(string),
        1 => length(400).prop_map(|length| ty(TypeKind::Buffer(length))),
        2 => (1..70usize).prop_map(|count| {
            ty(TypeKind::UnitEnum((0..count).map(|index| format!("V{index}")).collect()))
        }),
        1 => (0..70usize).prop_map(|count| {
            ty(TypeKind::Set((0..count).map(|index| format!("F{index}")).collect()))
        }),
        1 => (kind(), any::<bool>()).prop_map(|(component, bounded)| {
            let range = bounded.then_some((2.0, 40.0));
            let magnitude = range.map(|(min, max)| crate::schema::Range { min, max, min_written: true, max_written: true });
            ty(TypeKind::Vector { component, written: Vec::new(), magnitude })
        }),
        1 => (prop::sample::select(vec![Rotation::Quat, Rotation::Quat32, Rotation::Angles(F32)]))
            .prop_map(|rotation| ty(TypeKind::CFrame { rotation, position: F32, written: Vec::new() })),
        1 => roblox.prop_map(|roblox| ty(TypeKind::Roblox(roblox))),
        1 => Just(ty(TypeKind::EnumItem("KeyCode".to_owned()))),
        1 => Just(instance(Some("Part"))),
        1 => Just(optional(instance(None))),
        1 => Just(ty(TypeKind::Unknown)),
    ]
}

fn members(inner: impl Strategy<Value = Type>) -> impl Strategy<Value = Vec<Type>> {
    prop::collection::vec(inner, 0..5)
}

fn fields(members: Vec<Type>) -> std::sync::Arc<[crate::schema::Field]> {
    let field =
        |(index, ty)| crate::schema::Field { name: format!("m{index}"), ty, span: Default::default() };
    members.into_iter().enumerate().map(field).collect()
}

fn any_type() -> impl Strategy<Value = Type> {
    leaf().prop_recursive(4, 24, 4, |inner| {
        let key = prop_oneof![number(), length(9).prop_map(string), Just(boolean())];
        let variants = prop::collection::vec(members(inner.clone()), 1..5);
        prop_oneof![
            3 => members(inner.clone()).prop_map(|members| ty(TypeKind::Struct(fields(members)))),
            2 => inner.clone().prop_map(|inner| {
                if matches!(inner.kind, TypeKind::Unknown) { inner } else { optional(inner) }
            }),
            3 => (inner.clone(), element_length()).prop_map(|(element, length)| array(element, length)),
            1 => (key, inner).prop_map(|(key, value)| {
                let bare = matches!(value.kind, TypeKind::Optional { .. });
                map(key, if bare { boolean() } else { value })
            }),
            2 => variants.prop_map(|variants| {
                let variants = variants.into_iter().enumerate().map(|(index, members)| crate::schema::Variant {
                    name: format!("V{index}"),
                    fields: fields(members),
                    span: Default::default(),
                });
                ty(TypeKind::TaggedEnum { tag: "Kind".to_owned(), variants: variants.collect() })
            }),
        ]
    })
}

/// A plan of the type in each layout.
fn plans(ty: &Type) -> [Plan; 2] {
    [Plan::payload(&Payload::Single(ty.clone()), Layout::Traffic), Plan::exported(ty, Layout::Storage)]
}

fn entropy(mut seed: u64) -> impl FnMut() -> u64 {
    // SplitMix64 (Steele, Lea, Flood 2014): every seed gives another sequence.
    move || {
        seed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (seed ^ (seed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }
}

/// As text, in which NaN equals itself and -0 differs from 0.
fn shown(value: &Value) -> String {
    format!("{value:?}")
}

/// Whether a CFrame is in it: its rotation comes back rounded.
fn has_rotation(ty: &Type) -> bool {
    format!("{ty:?}").contains("CFrame")
}

/// Whether what a receiver accepts may be sent as something else: clamped, or cut to whole seconds.
fn resends_otherwise(ty: &Type) -> bool {
    let text = format!("{ty:?}");
    ["CFrame", "saturate: true", "DateTime"].iter().any(|word| text.contains(word))
}

proptest! {
    #![proptest_config(Config {
        cases: 400,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(4),
        ..Config::default()
    })]

    #[test]
    fn values_come_back_within_their_measure(ty in any_type(), seed in any::<u64>()) {
        for plan in plans(&ty) {
            let mut next = entropy(seed);
            let value = draw::value(&plan, &mut Source::new(&mut next));
            let sent = match encode(&plan, &value, true) {
                Ok(sent) => sent,
                Err(error) => return Err(TestCaseError::fail(format!("{error}: {value:?}"))),
            };
            let size = &plan.block.size;
            prop_assert!((size.min..=size.max).contains(&(sent.bytes.len() as u64)), "{} bytes", sent.bytes.len());
            prop_assert!((size.least_slots..=size.slots).contains(&(sent.slots.len() as u64)));
            let mut bytes = sent.bytes.clone();
            bytes.extend([0xFF; 3]);
            let read = decode(&plan, &bytes, &sent.slots, Decoding::default());
            let read = match read {
                Ok(read) => read,
                Err(error) => return Err(TestCaseError::fail(format!("{error}: {value:?}"))),
            };
            prop_assert_eq!(read.bytes, sent.bytes.len());
            prop_assert_eq!(read.slots, sent.slots.len());
            if !has_rotation(&ty) {
                prop_assert_eq!(shown(&read.value), shown(&value));
                prop_assert_eq!(&encode(&plan, &read.value, true).map(|again| again.bytes), &Ok(sent.bytes.clone()));
            }
            // Nothing is read that was not sent.
            if !sent.bytes.is_empty() {
                let cut = seed as usize % sent.bytes.len();
                prop_assert!(decode(&plan, &sent.bytes[..cut], &sent.slots, Decoding::default()).is_err());
            }
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(ty in any_type(), bytes in prop::collection::vec(any::<u8>(), 0..80)) {
        for plan in plans(&ty) {
            let decoding = Decoding { slots_left: Some(20), leaves: true, ..Decoding::default() };
            let slots = vec![Value::Instance { id: 1, class: "Part".to_owned() }; 20];
            if let Ok(read) = decode(&plan, &bytes, &slots, decoding) {
                prop_assert!(read.bytes <= bytes.len());
                // What was accepted can be sent again, and means the same.
                if read.missing.is_none() && !resends_otherwise(&ty) {
                    let again = encode(&plan, &read.value, false);
                    prop_assert!(again.is_ok(), "{:?} of {:?}", again, read.value);
                    let again = again.unwrap();
                    let twice = decode(&plan, &again.bytes, &again.slots, Decoding::default()).unwrap();
                    prop_assert_eq!(shown(&twice.value), shown(&read.value));
                }
            }
        }
    }
}

#[test]
fn a_count_is_refused_before_anything_is_made_for_it() {
    // 65535 elements of at least one byte, from four bytes.
    let rows = Plan::exported(&array(string(len(0, 9)), len(0, 65_535)), Layout::Storage);
    let problem = decode(&rows, &[0xFF, 0xFF, 0, 0], &[], Decoding::default()).unwrap_err().problem;
    assert_eq!(problem, super::Problem::End { needed: 65_535, left: 2 });
    // 256 exact rows of 256, from nothing: refused before the outer row is made.
    let grid = Plan::exported(&array(array(num(U8), len(256, 256)), len(256, 256)), Layout::Storage);
    let problem = decode(&grid, &[], &[], Decoding::default()).unwrap_err().problem;
    assert_eq!(problem, super::Problem::End { needed: 65_536, left: 0 });
    // 65535 bits, from one byte.
    let lamps = Plan::payload(&Payload::Single(array(unit(["A", "B"]), len(0, 65_535))), Layout::Traffic);
    let problem = decode(&lamps, &[0xFF, 0xFF, 0], &[], Decoding::default()).unwrap_err().problem;
    assert_eq!(problem, super::Problem::End { needed: 8192, left: 1 });
}

#[test]
fn the_deepest_types_fit_the_stack() {
    // Twice the 200 levels a schema may have, since names stand between them.
    let mut ty = num(U8);
    let mut value = Value::Number(7.0);
    for level in 0..400 {
        ty = match level % 3 {
            0 => array(ty, len(0, 3)),
            1 => optional(ty),
            _ => record([("m", ty)]),
        };
        value = match level % 3 {
            0 => Value::Array(vec![value]),
            1 => value,
            _ => Value::table([("m", value)]),
        };
    }
    for plan in plans(&ty) {
        let sent = match plan.layout {
            Layout::Traffic => encode(&plan, &Value::table([("Value", value.clone())]), true),
            Layout::Storage => encode(&plan, &value, true),
        };
        let sent = sent.unwrap();
        assert_eq!(decode(&plan, &sent.bytes, &[], Decoding::default()).unwrap().bytes, sent.bytes.len());
    }
}
