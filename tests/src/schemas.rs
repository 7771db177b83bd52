//! Schemas to try: text of exported types and of events in both directions, drawn from a seed.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

pub mod traffic;

use std::fmt::Write;

/// SplitMix64 (Steele, Lea, Flood 2014): every seed gives another sequence.
pub struct Random(pub u64);

impl Random {
    /// The next number.
    #[allow(clippy::should_implement_trait, reason = "a sequence without an end is no iterator's")]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number below `count`.
    pub fn below(&mut self, count: u64) -> u64 {
        self.next() % count
    }

    /// One of several.
    pub fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize]
    }

    /// True once in so many times.
    pub fn once_in(&mut self, of: u64) -> bool {
        self.below(of) == 0
    }
}

/// Types and events of each drawn schema.
pub const COUNT: usize = 6;

/// A schema of `COUNT` exported types `T0`.., events `S0`.. of the server and `C0`.. of the client, each with a
/// payload of its own.
pub fn draw(random: &mut Random, validate: bool) -> String {
    let mut text = String::new();
    writeln!(text, "option WriteValidations = {validate}").unwrap();
    text.push_str(
        "option TypesOutput = \"Types.luau\"\n\
         option ManualReplication = true\n\
         option MaxPacketSize = 1000000\n\
         option InboundBytesPerSecond = 1000000000\n\
         option InboundBurst = 1000000000\n\
         option MaxInstancesPerPacket = 100000\n\n",
    );
    let mut drawing = Drawing::new(random);
    for index in 0..COUNT {
        drawing.declare(&mut text, index);
    }
    drawing.allow_slots();
    for (side, letter, rate) in [("Server", 'S', ""), ("Client", 'C', " Rate: 1000000, Burst: 1000000,")] {
        for index in 0..COUNT {
            let data = drawing.payload();
            writeln!(
                text,
                "event {letter}{index} {{ From: {side}, Type: Reliable, Call: SingleSync,{rate} Data: {data} }}"
            )
            .unwrap();
        }
    }
    text
}

/// What a schema's declarations are drawn with.
pub struct Drawing<'a> {
    /// Where everything is drawn from.
    pub random: &'a mut Random,
    /// Types declared so far that may be used by name.
    named: Vec<String>,
    /// Whether Instances and `unknown` may stand here, which no exported type holds.
    slots: bool,
}

impl<'a> Drawing<'a> {
    /// One that has declared nothing yet.
    pub fn new(random: &'a mut Random) -> Drawing<'a> {
        Drawing { random, named: Vec::new(), slots: false }
    }

    /// Lets what is drawn from now on carry Instances and `unknown`.
    pub fn allow_slots(&mut self) {
        self.slots = true;
    }

    /// Declares the exported type `T{index}`.
    pub fn declare(&mut self, text: &mut String, index: usize) {
        let name = format!("T{index}");
        match self.random.below(6) {
            0..3 => {
                let body = self.struct_body(3);
                writeln!(text, "export struct {name} {body}").unwrap();
            }
            3 => writeln!(text, "export type {name} = {}", self.primitive()).unwrap(),
            4 => {
                let values = self.values();
                writeln!(text, "export enum {name} = {values}").unwrap();
            }
            _ => {
                let (primitive, length) = (self.primitive(), self.length(true));
                writeln!(text, "export type {name} = {primitive}{length}").unwrap();
            }
        }
        self.named.push(name);
    }

    /// What stands behind `Data:`.
    pub fn payload(&mut self) -> String {
        if self.random.once_in(2) {
            return self.ty(3);
        }
        let count = self.random.below(4) + 2;
        let elements: Vec<String> = (0..count).map(|index| format!("p{index}: {}", self.ty(2))).collect();
        format!("({})", elements.join(", "))
    }

    fn ty(&mut self, depth: u32) -> String {
        if self.slots && self.random.once_in(12) {
            return self.random.one(&["Instance", "Instance(Part)", "Instance(Part)?", "unknown"]).to_owned();
        }
        match self.random.below(if depth == 0 { 5 } else { 14 }) {
            0..4 => self.primitive(),
            4 => self.values_type(),
            5 => {
                let inner = self.ty(depth - 1);
                // A third mark would not parse.
                if inner.ends_with("??") || inner == "unknown" { inner } else { format!("{inner}?") }
            }
            6..8 => {
                let element = self.ty(depth - 1);
                // The grammar ends a suffix at its second mark.
                if element.ends_with("??") { element } else { format!("{element}{}", self.length(true)) }
            }
            8 if !self.named.is_empty() => {
                let index = self.random.below(self.named.len() as u64) as usize;
                self.named[index].clone()
            }
            8..11 => format!("struct {}", self.struct_body(depth - 1)),
            11 => {
                let count = self.random.one(&[1, 3, 8, 9, 17, 33, 40]);
                let flags: Vec<String> = (0..count).map(|index| format!("F{index}")).collect();
                format!("set {{ {} }}", flags.join(", "))
            }
            12 => {
                let count = self.random.below(4) + 1;
                let variants: Vec<String> =
                    (0..count).map(|index| format!("V{index} {}", self.struct_body(depth - 1))).collect();
                format!("enum \"Kind\" {{ {} }}", variants.join(", "))
            }
            _ => {
                let key = match self.random.below(3) {
                    0 => self.integer(),
                    1 => format!("string{}", self.bytes()),
                    _ => self.values_type(),
                };
                // Neither side of an entry may be optional.
                let value = self.ty(depth - 1);
                let value = if value.ends_with('?') { "boolean".to_owned() } else { value };
                format!("map {{ [{key}]: {value} }}")
            }
        }
    }

    fn struct_body(&mut self, depth: u32) -> String {
        let count = self.random.below(6) + u64::from(depth > 1);
        let members: Vec<String> = (0..count).map(|index| format!("m{index}: {}", self.ty(depth))).collect();
        format!("{{ {} }}", members.join(", "))
    }

    fn values(&mut self) -> String {
        let count = self.random.one(&[1, 2, 3, 4, 5, 9, 70]);
        let values: Vec<String> = (0..count).map(|index| format!("V{index}")).collect();
        format!("{{ {} }}", values.join(", "))
    }

    fn values_type(&mut self) -> String {
        format!("enum {}", self.values())
    }

    fn primitive(&mut self) -> String {
        match self.random.below(12) {
            0..3 => self.integer(),
            3 => self.fixed(),
            4 => self.float(),
            5 => self.quantized(),
            6..8 => "boolean".to_owned(),
            8..10 => format!("string{}", self.bytes()),
            10 => format!("buffer{}", self.bytes()),
            _ => self.vector(),
        }
    }

    fn saturate(&mut self) -> &'static str {
        if self.random.once_in(5) { "<saturate>" } else { "" }
    }

    fn integer(&mut self) -> String {
        let (name, low, high) = self.random.one(&[
            ("u8", 0i64, 255),
            ("u16", 0, 65_535),
            ("u24", 0, 16_777_215),
            ("u32", 0, 4_294_967_295),
            ("i8", -128, 127),
            ("i16", -32_768, 32_767),
            ("i24", -8_388_608, 8_388_607),
            ("i32", -2_147_483_648, 2_147_483_647),
        ]);
        let saturate = self.saturate();
        let span = high - low;
        match self.random.below(4) {
            0 => format!("{name}{saturate}"),
            1 => {
                let start = low + self.random.below(span as u64) as i64;
                let end = start + self.random.below(70).min((high - start) as u64) as i64;
                format!("{name}{saturate}({start}..{end})")
            }
            2 => {
                let start = low + self.random.below(span as u64) as i64;
                let end = start + self.random.below((high - start) as u64 + 1) as i64;
                format!("{name}{saturate}({start}..{end})")
            }
            _ => {
                let near = self.random.below(60) as i64;
                if self.random.once_in(2) {
                    format!("{name}{saturate}({}..)", high - near)
                } else {
                    format!("{name}{saturate}(..{})", low + near)
                }
            }
        }
    }

    fn modifiers(&mut self, scale: &str) -> String {
        if self.random.once_in(5) { format!("<{scale}, saturate>") } else { format!("<{scale}>") }
    }

    fn fixed(&mut self) -> String {
        let name = self.random.one(&["u8", "i16", "u24", "i32"]);
        let (scale, value) = self.random.one(&[("0.5", 0.5), ("0.1", 0.1), ("2.5", 2.5), ("3", 3.0)]);
        let modifiers = self.modifiers(scale);
        match self.random.below(3) {
            0 => format!("{name}{modifiers}"),
            1 => format!("{name}{modifiers}(0..{})", value * self.random.below(100) as f64),
            _ => {
                let start = self.random.below(90);
                let end = start + self.random.below(30);
                format!("{name}{modifiers}({}..{})", value * start as f64, value * end as f64)
            }
        }
    }

    fn quantized(&mut self) -> String {
        let name = self.random.one(&["f32", "f64"]);
        let (scale, value) = self.random.one(&[("0.25", 0.25), ("0.01", 0.01), ("2.5", 2.5)]);
        let start = self.random.below(400) as f64 - 200.0;
        let span = self.random.one(&[0.0, 1.0, 20.0, 63.0, 64.0, 255.0, 256.0, 70_000.0, 17_000_000.0]);
        let modifiers = self.modifiers(scale);
        format!("{name}{modifiers}({}..{})", value * start, value * (start + span))
    }

    fn float(&mut self) -> String {
        let name = self.random.one(&["f16", "f24", "f32", "f64"]);
        let saturate = self.saturate();
        let low = self.random.below(100) as f64 / 10.0 - 5.0;
        match self.random.below(4) {
            0 | 1 => format!("{name}{saturate}"),
            2 => format!("{name}{saturate}({low}..{})", low + self.random.below(100) as f64 / 10.0),
            _ => format!("{name}{saturate}({low}..)"),
        }
    }

    fn vector(&mut self) -> String {
        let component = self
            .random
            .one(&["", "<f16>", "<f24>", "<f32>", "<f64>", "<i8>", "<u8>", "<i16>", "<u24>", "<i32>"]);
        let range = self.random.one(&["", "", "(..90)", "(2..50)"]);
        format!("vector{component}{range}")
    }

    fn bytes(&mut self) -> String {
        self.random
            .one(&["", "(..9)", "(3)", "(0)", "(2..4)", "(..300)", "(1..)", "(0..65535)", "(5..70000)"])
            .to_owned()
    }

    /// Bounds of an array; without `bare`, always with a written one.
    fn length(&mut self, bare: bool) -> String {
        let all =
            ["[]", "[1..]", "[..4]", "[3]", "[..16]", "[2..300]", "[0]", "[9]", "[..65535]", "[1..40000]"];
        let of = if bare { &all[..] } else { &all[1..] };
        self.random.one(of).to_owned()
    }
}
