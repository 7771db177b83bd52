//! The byte vectors of the language specification, 16.1 to 16.3 and 16.5, through emitted modules.

use blinkblox_compiler::schema::Side;
use blinkblox_compiler::wire::codec::Value;
use blinkblox_compiler::wire::signature::canonical_text;

use crate::modules::{Item, Modules};
use crate::{hex, shown};

fn unhex(text: &str) -> Vec<u8> {
    text.split(|separator: char| !separator.is_ascii_hexdigit())
        .filter(|part| !part.is_empty())
        .map(|part| u8::from_str_radix(part, 16).unwrap())
        .collect()
}

fn round(item: &Item, value: Value, bytes: &str, back: Value) {
    assert_eq!(hex(&item.send(&value).unwrap().bytes), hex(&unhex(bytes)), "{value:?}");
    assert_eq!(shown(&item.receive(&unhex(bytes), &[]).unwrap()), shown(&back));
}

fn same(item: &Item, value: Value, bytes: &str) {
    round(item, value.clone(), bytes, value);
}

fn stored(declaration: &str) -> Item {
    let text = format!("option TypesOutput = \"Types.luau\"\n{declaration}");
    Modules::of(&text, &[]).unwrap().export("V")
}

fn refused(item: &Item, bytes: &str) {
    assert!(item.receive(&unhex(bytes), &[]).is_err(), "{bytes}");
}

#[test]
fn numbers() {
    let check = |ty: &str, cases: &[(f64, &str, f64)]| {
        let item = stored(&format!("export type V = {ty}"));
        for (value, bytes, back) in cases {
            round(&item, Value::Number(*value), bytes, Value::Number(*back));
        }
    };
    check("i24", &[(-2.0, "FE FF FF", -2.0)]);
    check(
        "f16",
        &[
            (0.1, "66 2E", 0.0999755859375),
            (2051.0, "01 68", 2050.0),
            (65504.0, "FF 7B", 65504.0),
            (65504.5, "00 7C", f64::INFINITY),
            (2f64.powi(-25), "01 00", 2f64.powi(-24)),
            (2f64.powi(-26), "00 00", 0.0),
            (6.1e-5, "FF 03", 1023.0 * 2f64.powi(-24)),
            (6.103e-5, "00 04", 2f64.powi(-14)),
            (-0.0, "00 80", -0.0),
            (f64::NAN, "01 FC", f64::NAN),
        ],
    );
    check(
        "f24",
        &[
            (0.1, "33 33 37", 0.09999990463256836),
            (-2.5, "00 80 C0", -2.5),
            (1000.3, "4D E8 51", 1000.30078125),
            (1023.9999999, "00 00 52", 1024.0),
            (2f64.powi(-48), "01 00 00", 2f64.powi(-47)),
            (2f64.powi(-49), "00 00 00", 0.0),
            (4294959103.0, "FF FF 7D", 4294950912.0),
            (4294959104.0, "00 00 7E", f64::INFINITY),
        ],
    );
    check("u16<0.1>", &[(12.34, "7B 00", 12.3)]);
    check("u8<2.5>", &[(6.3, "03", 7.5)]);
    check("f32<0.25>(100..200)", &[(150.25, "C9 00", 150.25)]);
    check("f32<0.01>(-1..1)", &[(-1.0, "00", -1.0), (0.0, "64", 0.0), (1.0, "C8", 1.0)]);
    check(
        "u8<saturate>(1..255)",
        &[(300.0, "FF", 255.0), (-4.0, "01", 1.0), (254.5, "FF", 255.0), (f64::NAN, "01", 1.0)],
    );
}

#[test]
fn varints() {
    let item = stored("export type V = string");
    for (length, prefix) in [
        (0, "00"),
        (127, "7F"),
        (128, "80 01"),
        (300, "AC 02"),
        (16_383, "FF 7F"),
        (16_384, "80 80 01"),
        (65_535, "FF FF 03"),
    ] {
        let value = Value::String(vec![b'x'; length]);
        let mut expected = unhex(prefix);
        expected.resize(expected.len() + length, b'x');
        assert_eq!(item.send(&value).unwrap().bytes, expected);
        assert_eq!(item.receive(&expected, &[]).unwrap(), value);
    }
    for bytes in ["80 00", "FF FF 00", "80 80 04", "FF FF 83"] {
        // Room for whatever the prefix might mean, so that only its form can be refused.
        refused(&item, &format!("{bytes}{}", " 00".repeat(70_000)));
    }
}

#[test]
fn blocks_and_bits() {
    let guard = stored(
        "export struct V { Alive: boolean, Name: string(..12), Level: u8, Armed: boolean,
            Mood: enum { Calm, Wary, Angry }, Ammo: u16? }",
    );
    let value = Value::table([
        ("Alive", true.into()),
        ("Name", "Kit".into()),
        ("Level", 7.0.into()),
        ("Armed", false.into()),
        ("Mood", "Angry".into()),
        ("Ammo", 300.0.into()),
    ]);
    same(&guard, value, "19 03 07 4B 69 74 2C 01");
    refused(&guard, "0C 00 07");

    let tags = stored("export type V = string(..9)[..5]");
    same(&tags, vec![Value::text("ab"), "".into(), "xyz".into()].into(), "03 | 02 00 03 | 61 62 78 79 7A");

    let roster = stored("export struct V { Rows: struct { Id: u8, Tag: string(..9) }[..5], Version: u16 }");
    let row = |id: f64, tag: &str| Value::table([("Id", id.into()), ("Tag", tag.into())]);
    let rows = vec![row(1.0, "ab"), row(2.0, ""), row(3.0, "xyz")];
    let value = Value::table([("Rows", rows.into()), ("Version", 258.0.into())]);
    same(&roster, value, "03 02 01 | 01 02  02 00  03 03 | 61 62 78 79 7A");

    let switches = [true, false, true, true, false, false, false, true, true, false];
    let value: Vec<Value> = switches.into_iter().map(Value::Boolean).collect();
    same(&stored("export type V = boolean[..20]"), value.into(), "0A | 8D 01");
}

#[test]
fn maps_and_variants() {
    let doors = stored("export map V = { [u8]: struct { Open: boolean, Note: string } }");
    let door = Value::table([("Open", true.into()), ("Note", "hi".into())]);
    same(&doors, Value::Map(vec![(7.0.into(), door)]), "01 00 | 07 01 02 68 69");

    let marker = stored(
        "enum Shape = \"Kind\" { Dot {}, Disc { Radius: u8, Filled: boolean }, Box { W: u8, H: u8 } }
         export struct V { Visible: boolean, Shape: Shape, Layer: i8 }",
    );
    let disc = Value::table([("Kind", "Disc".into()), ("Radius", 9.0.into()), ("Filled", true.into())]);
    let value = Value::table([("Visible", true.into()), ("Shape", disc), ("Layer", (-1.0).into())]);
    same(&marker, value, "03 FF | 09 01");

    let modules = Modules::of(
        "enum Step = \"Kind\" {
             Halt {}, Move { X: i8, Run: boolean }, Use { Slot: u8(1..9), Times: u8(0..20) } }
         event Plan { From: Server, Type: Reliable, Call: SingleSync, Data: Step[..3][2] }
         event Lamps { From: Server, Type: Reliable, Call: SingleSync,
             Data: map { [u8(0..31)]: struct { On: boolean, Level: u8, Marks: u8(0..3)[..5] } } }",
        &[],
    )
    .unwrap();
    let halt = || Value::table([("Kind", "Halt".into())]);
    let walk =
        |x: f64, run: bool| Value::table([("Kind", "Move".into()), ("X", x.into()), ("Run", run.into())]);
    let take = Value::table([("Kind", "Use".into()), ("Slot", 9.0.into()), ("Times", 5.0.into())]);
    let value = vec![
        Value::Array(vec![walk(-4.0, true), halt()]),
        Value::Array(vec![take, halt(), walk(7.0, false)]),
    ];
    let plan = modules.event(Side::Server, "Plan");
    same(&plan, Value::table([("Value", value.into())]), "02 03 | 01 FC 01 | 12 58 00 07 00");

    let marks = vec![Value::Number(1.0), 2.0.into(), 3.0.into()];
    let lamp = Value::table([("On", true.into()), ("Level", 200.0.into()), ("Marks", marks.into())]);
    let value = Value::table([("Value", Value::Map(vec![(5.0.into(), lamp)]))]);
    same(&modules.event(Side::Server, "Lamps"), value, "01 00 | 25 C8 03 39");
}

#[test]
fn traffic() {
    let modules = Modules::of(
        "event Tune { From: Client, Type: Reliable, Call: SingleSync, Rate: 1, Burst: 100,
             Data: (Lean: i8(-3..3), Gain: f32<0.25>(0..1), Mode: u8(7), Top: u8(200..), Hull: u8(0..100)) }
         struct Mate { Slot: u8(0..9), Note: string(..9)?, Mood: enum { Calm, Wary, Angry }, Ammo: u8 }
         event Crew { From: Server, Type: Reliable, Call: SingleSync, Data: Mate[..4] }",
        &[],
    )
    .unwrap();
    let tune = modules.event(Side::Client, "Tune");
    let value = Value::table([
        ("Lean", (-1.0).into()),
        ("Gain", 0.75.into()),
        ("Mode", 7.0.into()),
        ("Top", 243.0.into()),
        ("Hull", 90.0.into()),
    ]);
    same(&tune, value.clone(), "DA 0A 5A");
    assert_eq!(tune.receive(&unhex("DA FA 5A"), &[]).unwrap(), value);
    refused(&tune, "DA 0F 5A");

    let mate = |slot: f64, note: Value, mood: &str, ammo: f64| {
        Value::table([("Slot", slot.into()), ("Note", note), ("Mood", mood.into()), ("Ammo", ammo.into())])
    };
    let mates = vec![
        mate(3.0, "hi".into(), "Angry", 30.0),
        mate(9.0, Value::Nil, "Calm", 0.0),
        mate(0.0, "".into(), "Wary", 255.0),
    ];
    let crew = modules.event(Side::Server, "Crew");
    same(&crew, Value::table([("Value", mates.into())]), "03 | D3 04 0C | 1E 00 FF | 02 68 69 00");
}

#[test]
fn streams() {
    let modules = Modules::of(
        "event Board { From: Server, Type: OrderedUnreliable, Call: SingleSync, Stream: { Rate: 5 },
             Data: struct { Cells: enum { Open, Wall, Door, Trap }[..300], Phase: u8(0..2) } }",
        &[],
    )
    .unwrap();
    let cells: Vec<Value> = ["Wall", "Trap", "Open", "Door", "Wall"].into_iter().map(Value::text).collect();
    let state = Value::table([("Cells", cells.into()), ("Phase", 2.0.into())]);
    let sent = modules.stream("Board", 4.66, &state);
    assert_eq!(hex(&sent.bytes), "00 01 34 12 02 05 8D 01");
    assert_eq!(modules.hear_stream("Board", 5.0, &sent), Ok((state, 4.66)));
    // The same stamp again, 65536 ms later.
    let cleared = modules.stream("Board", 4.66 + 65.536, &Value::Nil);
    assert_eq!(hex(&cleared.bytes), "00 00 34 12");
    let (state, time) = modules.hear_stream("Board", 70.5, &cleared).unwrap();
    assert_eq!((state, (time * 1000.0).round()), (Value::Nil, 70_196.0));
}

#[test]
fn signature() {
    let text = "event Throw { From: Client, Type: Reliable, Call: SingleSync, Rate: 4,
            Data: struct { At: vector<f24>, Power: u8<0.5, saturate>(0..100) } }
        function Price { Yield: Coroutine, Rate: 2, Data: u16, Return: u32? }
        event Sold { From: Server, Type: Reliable, Call: ManyAsync, Data: (string(1..20), Amount: i16) }
        event Wind { From: Server, Type: OrderedUnreliable, Call: SingleSync,
            Stream: { Rate: 5 }, Data: f32<0.01>(-1..1) }";
    let signature = |text: &str| {
        use blinkblox_compiler::{
            analyze, schema::Profile, source::MemoryLoader, wire::signature::signature,
        };
        let loader = MemoryLoader::new().with("net.blink", text);
        let analysis = analyze(&loader, "net.blink", Profile::Release);
        let schema = analysis.schema.unwrap_or_else(|| panic!("{:?}", analysis.diagnostics));
        (signature(&schema), canonical_text(&schema))
    };
    assert_eq!(signature(text).0, "2dcd696f08e06c61", "{}", signature(text).1);
    assert_eq!(signature("").0, "8af847c600597406");
}
