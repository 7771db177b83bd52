//! Schemas drawn from bytes, most of them sound: names are new where they are declared and known where they are used,
//! and what would be refused in most places is drawn in few.

use std::fmt::Write as _;

use arbitrary::{Result, Unstructured};

/// Most declarations of one schema.
const MOST: usize = 12;
/// How deep types are drawn.
const DEEP: u32 = 4;

/// The text of a schema.
pub(crate) fn drawn(bytes: &mut Unstructured<'_>) -> String {
    let mut draw = Draw { bytes, out: String::new(), types: Vec::new(), count: 0 };
    // Out of bytes is the end of the schema, wherever it is: what is begun is left as it stands.
    let _ = draw.document();
    draw.out
}

/// The text of one exported struct, alone.
pub(crate) fn drawn_type(bytes: &mut Unstructured<'_>) -> String {
    let mut draw = Draw { bytes, out: String::new(), types: Vec::new(), count: 0 };
    let body = draw.members(0).unwrap_or_default();
    format!(
        "export struct Drawn {{ {body} }}\nevent Sent {{ From: Server, Type: Reliable, Call: SingleSync, Data: Drawn }}\n"
    )
}

struct Draw<'a, 'b> {
    bytes: &'a mut Unstructured<'b>,
    out: String,
    /// Names of types that can be referred to.
    types: Vec<String>,
    count: usize,
}

const NUMBERS: &[&str] = &["u8", "u16", "u24", "u32", "i8", "i16", "i24", "i32", "f16", "f24", "f32", "f64"];
const PLAIN: &[&str] = &[
    "boolean",
    "string",
    "buffer",
    "vector",
    "CFrame",
    "Color3",
    "BrickColor",
    "DateTime",
    "DateTimeMillis",
    "Vector2",
    "UDim",
    "UDim2",
    "NumberRange",
    "ColorSequence",
    "TweenInfo",
    "Instance",
    "unknown",
    "Instance(Model)",
    "Enum(Font)",
    "Enum(EasingStyle)",
    "vector<f24>",
    "vector<i16>(0..100)",
    "CFrame<quat32>",
    "CFrame<quat, f24>",
    "CFrame<i16>",
    "string(1..20)",
    "string(..255)",
    "string(4)",
    "buffer(..300)",
    "string(1..)",
    "unknown?",
    "set { On, Off }",
    "enum { Up, Down, Left }",
];
const OPTIONS: &[&str] = &[
    "Casing = Camel",
    "Casing = Snake",
    "UsePolling = true",
    "Typescript = true",
    "SyncValidation = true",
    "WriteValidations = true",
    "ManualReplication = true",
    "BatchUnreliable = true",
    "RequireRates = true",
    "Predict = true",
    "AutoStart = false",
    "TrafficStats = true",
    "ExportLimits = true",
    "PackedBooleanReader = \"Rows\"",
    "PackedBooleanReader = \"Bits\"",
    "MaxPacketSize = 300",
    "MaxEventsPerPacket = 9",
    "MaxInstancesPerPacket = 0",
    "OutboundBytesPerSecond = 9000",
    "InboundBytesPerSecond = 500",
    "ClientFlushRate = 20",
    "DefaultRate = 7",
    "InvocationTimeout = 3",
    "TypesOutput = \"types.luau\"",
    "FutureLibrary = \"x\"",
    "RemoteScope = \"deep\"",
    "TableGuard = Report",
];

impl Draw<'_, '_> {
    fn one<'t>(&mut self, of: &[&'t str]) -> Result<&'t str> {
        self.bytes.choose(of).copied()
    }

    fn once_in(&mut self, of: u8) -> Result<bool> {
        Ok(self.bytes.int_in_range(1..=of)? == 1)
    }

    fn name(&mut self) -> String {
        self.count += 1;
        format!("N{}", self.count)
    }

    fn document(&mut self) -> Result<()> {
        let options = self.bytes.int_in_range(0..=4)?;
        let mut set: Vec<&str> = Vec::new();
        for _ in 0..options {
            let option = self.one(OPTIONS)?;
            let key = option.split(' ').next().unwrap_or_default();
            if !set.contains(&key) {
                set.push(key);
                let profile = if self.once_in(6)? { "@profile(\"test\") " } else { "" };
                let _ = writeln!(self.out, "{profile}option {option}");
            }
        }
        for _ in 0..self.bytes.int_in_range(1..=MOST)? {
            self.declaration(0)?;
        }
        Ok(())
    }

    fn declaration(&mut self, deep: u32) -> Result<()> {
        let name = self.name();
        if self.once_in(12)? {
            self.out += "@profile(\"test\") ";
        }
        let made = match self.bytes.int_in_range(0..=16)? {
            0 => {
                let number = self.number()?;
                let prefix = self.export(&name)?;
                format!("{prefix}type {name} = {number}")
            }
            1..=3 => {
                let members = self.members(1)?;
                let prefix = self.export(&name)?;
                format!("{prefix}struct {name} {{ {members} }}")
            }
            4 => {
                let labels = self.labels()?;
                let prefix = self.export(&name)?;
                format!("{prefix}enum {name} = {{ {labels} }}")
            }
            5 => {
                let variants = self.variants(1)?;
                let prefix = self.export(&name)?;
                format!("{prefix}enum {name} = \"Kind\" {{ {variants} }}")
            }
            6 => {
                let entry = self.map(1)?;
                self.types.push(name.clone());
                format!("map {name} = {entry}")
            }
            7 => {
                let labels = self.labels()?;
                self.types.push(name.clone());
                format!("set {name} = {{ {labels} }}")
            }
            8 => {
                let member = self.ty(2)?;
                let argument = self.ty(2)?;
                format!(
                    "struct {name}<T> {{ A: T, B: {member}, C: T?[..3] }}\nstruct U{name} {{ D: {name}<{argument}> }}"
                )
            }
            9..=11 => self.event(&name)?,
            12 => self.function(&name)?,
            13 => {
                let key = if self.once_in(2)? { " Key: string(1..20)," } else { "" };
                let per = if self.once_in(3)? { " Per: Player," } else { "" };
                let codec = self.one(&["", " Codec: Plan,", " Codec: Custom,"])?;
                let members = self.members(2)?;
                format!("state {name} {{{key}{per}{codec} Data: struct {{ {members} }} }}")
            }
            14 => {
                let from = self.one(&["Client", "Server"])?;
                let rate = self.one(&["", " Rate: 5,", " Rate: 60,"])?;
                let members = self.members(2)?;
                format!("table {name} {{ From: {from},{rate} Fields: {{ {members} }} }}")
            }
            15 => self.entity(&name)?,
            _ if deep < 3 => {
                let _ = writeln!(self.out, "scope {name} {{");
                let known = self.types.len();
                let inner = (0..self.bytes.int_in_range(0..=4)?).try_for_each(|_| self.declaration(deep + 1));
                self.types.truncate(known);
                self.out += "}\n";
                return inner;
            }
            _ => String::new(),
        };
        let _ = writeln!(self.out, "{made}");
        Ok(())
    }

    fn export(&mut self, name: &str) -> Result<&'static str> {
        self.types.push(name.to_owned());
        Ok(if self.once_in(3)? { "export " } else { "" })
    }

    fn event(&mut self, name: &str) -> Result<String> {
        let from = self.one(&["Server", "Client"])?;
        let delivery = self.one(&["Reliable", "Unreliable", "OrderedUnreliable"])?;
        let call = self.one(&["SingleSync", "SingleAsync", "ManySync", "ManyAsync", "Polling"])?;
        let mut more = String::new();
        if from == "Client" && !self.once_in(4)? {
            more += " Rate: 10,";
        }
        if delivery == "OrderedUnreliable" && from == "Server" && self.once_in(2)? {
            let members =
                self.one(&["", ", Fast: 20", ", Keepalive: 2", ", Epsilon: 0.5", ", Per: Player"])?;
            let _ = write!(more, " Stream: {{ Rate: 10{members} }},");
        } else if self.once_in(5)? {
            let _ = write!(more, " Stamp: {},", self.bytes.int_in_range(1..=30_000)?);
        }
        if self.once_in(8)? {
            more += " Priority: Low,";
        }
        let data = if self.once_in(2)? || more.contains("Stream") { self.ty(1)? } else { self.pack()? };
        Ok(format!("event {name} {{ From: {from}, Type: {delivery}, Call: {call},{more} Data: {data} }}"))
    }

    fn function(&mut self, name: &str) -> Result<String> {
        let from = self.one(&["", " From: Server,", " From: Client, Rate: 3,"])?;
        let yields = self.one(&["Future", "Promise", "Coroutine"])?;
        let most = self.one(&["", " Concurrency: 4,"])?;
        let (data, back) = (self.pack()?, self.pack()?);
        Ok(format!("function {name} {{{from} Yield: {yields},{most} Data: {data}, Return: {back} }}"))
    }

    fn entity(&mut self, name: &str) -> Result<String> {
        let mut more = String::new();
        for (of, key) in [
            (2, "Rate: 30"),
            (3, "Relevance: Radius(512)"),
            (3, "Owner: true"),
            (2, "Transform: true"),
            (3, "Interpolate: true"),
            (4, "Named: true"),
            (4, "Tags: true"),
            (4, "Attributes: true"),
            (5, "Parent: true"),
            (6, "Velocity: true"),
        ] {
            if self.once_in(of)? {
                let _ = write!(more, " {key},");
            }
        }
        if more.contains("Owner") && self.once_in(2)? {
            let members = self.members(3)?;
            let _ = write!(more, " Input: struct {{ {members} }},");
        }
        let members = self.members(2)?;
        Ok(format!("entity {name} {{{more} Data: struct {{ {members} }} }}"))
    }

    fn pack(&mut self) -> Result<String> {
        let mut out = String::from("( ");
        for index in 0..self.bytes.int_in_range(0..=4)? {
            let ty = self.ty(1)?;
            let name = if self.once_in(2)? { format!("p{index}: ") } else { String::new() };
            let _ = write!(out, "{name}{ty}, ");
        }
        Ok(out + ")")
    }

    fn members(&mut self, deep: u32) -> Result<String> {
        let mut out = String::new();
        for index in 0..self.bytes.int_in_range(0..=5)? {
            let ty = self.ty(deep + 1)?;
            let _ = write!(out, "M{index}: {ty}, ");
        }
        Ok(out)
    }

    fn labels(&mut self) -> Result<String> {
        let count = self.bytes.int_in_range(1..=40u32)?;
        Ok((0..count).map(|label| format!("L{label}")).collect::<Vec<_>>().join(", "))
    }

    fn variants(&mut self, deep: u32) -> Result<String> {
        let mut out = String::new();
        for index in 0..self.bytes.int_in_range(1..=5)? {
            let members = self.members(deep + 1)?;
            let _ = write!(out, "V{index} {{ {members} }}, ");
        }
        Ok(out)
    }

    fn map(&mut self, deep: u32) -> Result<String> {
        let key = self.one(&[
            "string",
            "u8",
            "u32",
            "boolean",
            "f64",
            "string(..9)",
            "i16(-9..9)",
            "enum { A, B }",
        ])?;
        let value = self.ty(deep + 1)?;
        Ok(format!("{{ [{key}]: {value} }}"))
    }

    fn number(&mut self) -> Result<String> {
        let kind = self.one(NUMBERS)?;
        let low: i16 = self.bytes.int_in_range(-40..=40)?;
        let span: u16 = self.bytes.int_in_range(0..=300)?;
        let low = if kind.starts_with('u') { low.unsigned_abs() as i16 } else { low };
        let high = low.saturating_add(span as i16);
        let high = if kind.ends_with("i8") {
            high.min(127)
        } else if kind == "u8" {
            high.min(255)
        } else {
            high
        };
        Ok(match self.bytes.int_in_range(0..=6)? {
            0 => format!("{kind}({low}..{high})"),
            1 => format!("{kind}({low}..)"),
            2 => format!("{kind}<saturate>({low}..{high})"),
            3 => format!("{kind}<0.1>"),
            4 => format!("f32<0.25>({low}..{high})"),
            _ => kind.to_owned(),
        })
    }

    fn ty(&mut self, deep: u32) -> Result<String> {
        let base = match self.bytes.int_in_range(0..=11)? {
            0..=3 => self.number()?,
            4..=6 => self.one(PLAIN)?.to_owned(),
            7 if !self.types.is_empty() => self.bytes.choose(&self.types)?.clone(),
            8 if deep < DEEP => format!("struct {{ {} }}", self.members(deep)?),
            9 if deep < DEEP => format!("map {}", self.map(deep)?),
            10 if deep < DEEP => format!("enum \"Kind\" {{ {} }}", self.variants(deep)?),
            _ => "boolean".to_owned(),
        };
        let suffix = match self.bytes.int_in_range(0..=9)? {
            0 | 1 => "?".to_owned(),
            2 => "[..8]".to_owned(),
            3 => "[]".to_owned(),
            4 => format!("[{}]", self.bytes.int_in_range(0..=40)?),
            5 => "[1..3]?".to_owned(),
            _ => String::new(),
        };
        // A value that may be anything may be nothing.
        let twice = suffix.starts_with('?') && base.ends_with('?');
        Ok(if twice || base.starts_with("unknown") && suffix.contains('?') { base } else { base + &suffix })
    }
}
