//! The schema signature: sixteen digits that stand for everything deciding what bytes mean (`language.md` 14).

use std::fmt::Write;

use crate::schema::{
    Component, Entity, Following, Item, Length, NumberKind, Ownership, Payload, Range, Schema, Scope, State,
    Table, Turn, Type, TypeKind,
};
use crate::wire::number::quantized_integer;
use crate::wire::plan::Step;

/// First line of every canonical text; raised whenever the traffic bytes of any type change.
const WIRE_VERSION: &str = "W4";

/// The signature of a schema: 16 lower-case hexadecimal digits.
pub fn signature(schema: &Schema) -> String {
    hash(&canonical_text(schema))
}

/// What the signature is the hash of: a line for the wire version and one for each event and function.
pub fn canonical_text(schema: &Schema) -> String {
    let mut text = WIRE_VERSION.to_owned();
    write_scope(&mut text, &schema.root);
    write_entities(&mut text, &schema.root);
    write_tables(&mut text, &schema.root);
    if schema.options.session {
        // A module with a session waits for a welcome that one without never sends.
        text.push_str("\nS");
    }
    text
}

/// Hash of a canonical text: two 32-bit lanes of eight digits.
pub fn hash(text: &str) -> String {
    let (mut a, mut b) = (2_166_136_261u32, 5_381u32);
    for byte in text.bytes() {
        a = (a ^ u32::from(byte)).wrapping_mul(16_777_619);
        b = b.wrapping_mul(33) ^ u32::from(byte);
    }
    format!("{a:08x}{b:08x}")
}

/// A type as the canonical text writes it: equal for types whose values travel alike under equal names.
pub fn type_text(ty: &Type) -> String {
    let mut text = String::new();
    Writer { text: &mut text, exact: false }.ty(ty);
    text
}

/// Spelling of generic arguments that tells apart whatever a writer or reader would: canonical, and `saturate` too.
pub(crate) fn exact_text(args: &[Type]) -> String {
    let mut text = String::new();
    for (position, ty) in args.iter().enumerate() {
        if position > 0 {
            text.push(',');
        }
        Writer { text: &mut text, exact: true }.ty(ty);
    }
    text
}

fn write_scope(text: &mut String, scope: &Scope) {
    for item in &scope.items {
        match item {
            Item::Type(_) | Item::Table(_) | Item::Entity(_) => {}
            Item::Scope(inner) => write_scope(text, inner),
            Item::State(state) => text.push_str(&state_line(state)),
            Item::Event(event) => {
                let (channel, from) = (event.channel().name(), event.from.word());
                let delivery = event.delivery.word();
                put(text, format_args!("\nE|{channel}|{}|{from}|{delivery}|", event.index));
                // The channel where it changes the bytes, or what waits for what.
                if let Some(Turn::InOrder(lane) | Turn::Sequenced(lane)) = event.turn() {
                    put(text, format_args!("{}|", lane.word()));
                }
                let mut writer = Writer { text, exact: false };
                writer.name(&event.name);
                writer.text.push('|');
                writer.payload(&event.wire_payload());
            }
            Item::Function(function) => {
                put(text, format_args!("\nF|{}|{}|", function.index, function.from.word()));
                let mut writer = Writer { text, exact: false };
                writer.name(&function.name);
                writer.text.push('|');
                writer.payload(&function.data);
                writer.text.push('|');
                writer.payload(&function.return_);
            }
        }
    }
}

/// Lines of the tables, behind all others.
fn write_tables(text: &mut String, scope: &Scope) {
    for item in &scope.items {
        match item {
            Item::Scope(inner) => write_tables(text, inner),
            Item::Table(table) => text.push_str(&table_line(table)),
            Item::Type(_) | Item::Event(_) | Item::Function(_) | Item::State(_) | Item::Entity(_) => {}
        }
    }
}

/// Lines of the entities, behind those of all that has a place on a channel.
fn write_entities(text: &mut String, scope: &Scope) {
    for item in &scope.items {
        match item {
            Item::Type(_) | Item::Event(_) | Item::Function(_) | Item::State(_) | Item::Table(_) => {}
            Item::Scope(inner) => write_entities(text, inner),
            Item::Entity(entity) => text.push_str(&entity_line(entity)),
        }
    }
}

/// What of a state decides its bytes: `S|<index>|<name>|<key>|<data>|<codec>`, on a line of its own.
pub(crate) fn state_line(state: &State) -> String {
    let mut text = format!("\nS|{}|", state.index);
    let mut writer = Writer { text: &mut text, exact: false };
    writer.name(&state.name);
    writer.text.push('|');
    match &state.key {
        Some(key) => writer.ty(key),
        None => writer.text.push('_'),
    }
    writer.text.push('|');
    writer.ty(&state.data);
    writer.text.push_str(if state.custom { "|Custom" } else { "|Plan" });
    text
}

/// What of a table decides its bytes: `T|<index>|<From>|<name>|<fields>`, on a line of its own.
pub(crate) fn table_line(table: &Table) -> String {
    let mut text = format!("\nT|{}|{}|", table.index, table.from.word());
    let mut writer = Writer { text: &mut text, exact: false };
    writer.name(&table.name);
    writer.text.push('|');
    writer.fields(&table.fields);
    text
}

/// What of an entity decides its bytes: `N|<index>|<name>|<flags>|<data>|<input>`, on a line of its own.
pub(crate) fn entity_line(entity: &Entity) -> String {
    let mut text = String::new();
    put(&mut text, format_args!("\nN|{}|", entity.index));
    let mut writer = Writer { text: &mut text, exact: false };
    writer.name(&entity.name);
    writer.text.push('|');
    // Whether there is an owner decides a bit of every record.
    let flags = [
        (entity.owner != Ownership::Never, 'o'),
        (entity.transform != Following::Never, 't'),
        (entity.velocity, 'v'),
        (entity.parent, 'p'),
        (entity.named, 'n'),
        (entity.tags, 'g'),
        (entity.attributes, 'a'),
    ];
    writer.text.extend(flags.iter().filter(|(on, _)| *on).map(|(_, letter)| letter));
    for class in &entity.sync {
        for (property, ty) in &class.properties {
            put(writer.text, format_args!("{}.{property}=", class.class));
            writer.ty(ty);
            writer.text.push(';');
        }
    }
    writer.text.push('|');
    writer.ty(&entity.data);
    writer.text.push('|');
    match &entity.input {
        Some(input) => writer.ty(input),
        None => writer.text.push('_'),
    }
    text
}

fn put(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    // Writing to a `String` cannot fail.
    let _ = text.write_fmt(arguments);
}

struct Writer<'a> {
    text: &'a mut String,
    /// Whether `saturate` shows, which the canonical text leaves out.
    exact: bool,
}

impl Writer<'_> {
    fn payload(&mut self, payload: &Payload) {
        match payload {
            Payload::Nothing => self.text.push('_'),
            Payload::Single(ty) => self.ty(ty),
            Payload::Pack(elements) => {
                self.text.push_str("u:(");
                self.list(elements, |writer, element| {
                    if let Some(name) = &element.name {
                        writer.name(name);
                        writer.text.push('=');
                    }
                    writer.ty(&element.ty);
                });
                self.text.push(')');
            }
        }
    }

    fn ty(&mut self, ty: &Type) {
        match &ty.kind {
            TypeKind::Number(number) => self.number(number),
            TypeKind::Boolean => self.text.push_str("p:boolean"),
            TypeKind::String(length) => self.bytes("string", length),
            TypeKind::Buffer(length) => self.bytes("buffer", length),
            TypeKind::Vector { component: _, written, magnitude } => {
                self.text.push_str("p:vector");
                self.opt_range(magnitude.as_ref());
                self.components(written);
            }
            TypeKind::CFrame { rotation: _, position: _, written } => {
                self.text.push_str("p:CFrame");
                self.components(written);
            }
            TypeKind::Roblox(ty) => {
                self.text.push_str("p:");
                self.text.push_str(ty.name());
            }
            TypeKind::EnumItem(name) => self.class("Enum", name),
            TypeKind::Instance(class) => self.class("Instance", class.as_deref().unwrap_or("Instance")),
            TypeKind::Unknown => self.text.push_str("p:unknown"),
            TypeKind::Entity { path: _, index } => put(self.text, format_args!("r:{index}")),
            TypeKind::Optional { inner, presence_bit: _ } => {
                self.text.push_str("o:");
                self.ty(inner);
            }
            TypeKind::Array { element, length } => {
                self.text.push_str("a:[");
                self.ty(element);
                self.text.push(']');
                self.length(length);
            }
            TypeKind::Map { key, value } => {
                self.text.push_str("m:{");
                self.ty(key);
                self.text.push_str("=>");
                self.ty(value);
                self.text.push('}');
            }
            TypeKind::Set(flags) => self.names("n:[", flags),
            TypeKind::UnitEnum(values) => self.names("e:[", values),
            TypeKind::TaggedEnum { tag, variants } => {
                self.text.push_str("g:");
                self.name(tag);
                self.text.push('{');
                self.list(variants, |writer, variant| {
                    writer.name(&variant.name);
                    writer.text.push('=');
                    writer.fields(&variant.fields);
                });
                self.text.push('}');
            }
            TypeKind::Struct(fields) => self.fields(fields),
            TypeKind::Named { ty, .. } => self.ty(ty),
            TypeKind::Parameter(name) => self.name(name),
            TypeKind::Error => self.text.push('!'),
        }
    }

    fn fields(&mut self, fields: &[crate::schema::Field]) {
        self.text.push_str("s:{");
        self.list(fields, |writer, field| {
            writer.name(&field.name);
            writer.text.push('=');
            writer.ty(&field.ty);
        });
        self.text.push('}');
    }

    fn number(&mut self, number: &crate::schema::Number) {
        self.text.push_str("p:");
        match number.scale {
            Some(scale) if number.kind.is_float() => {
                let (lo, _, kind) = quantized_integer(number, Step::of(scale));
                self.text.push_str(kind.name());
                if lo > 0.0 {
                    self.text.push('q');
                }
            }
            Some(_) | None => self.text.push_str(number.kind.name()),
        }
        self.opt_range(number.range.as_ref());
        if let Some(scale) = number.scale {
            self.text.push('k');
            self.text.push_str(&number_text(scale));
        }
        if self.exact {
            // Which float a quantized one was written with decides no byte, but texts name it.
            put(self.text, format_args!("/{}{}", number.kind.name(), if number.saturate { "s" } else { "" }));
        }
    }

    fn bytes(&mut self, name: &str, length: &Length) {
        self.text.push_str("p:");
        self.text.push_str(name);
        if length.written {
            self.length(length);
        }
    }

    fn length(&mut self, length: &Length) {
        put(self.text, format_args!("r{}..{}", length.min, length.max));
        // A written range of a bare one's bounds has another prefix.
        if length.written && length.min == 0 && length.max == 65_535 {
            self.text.push('w');
        }
    }

    fn opt_range(&mut self, range: Option<&Range>) {
        if let Some(range) = range {
            put(self.text, format_args!("r{}..{}", number_text(range.min), number_text(range.max)));
        }
    }

    fn components(&mut self, components: &[Component]) {
        if !components.is_empty() {
            self.text.push('c');
            self.list(components, |writer, component| {
                writer.text.push_str(match component {
                    Component::Number(kind) => NumberKind::name(*kind),
                    Component::Quat => "quat",
                    Component::Quat32 => "quat32",
                });
            });
        }
    }

    fn class(&mut self, name: &str, class: &str) {
        put(self.text, format_args!("p:{name}({class})"));
    }

    fn names(&mut self, open: &str, names: &[String]) {
        self.text.push_str(open);
        self.list(names, |writer, name| writer.name(name));
        self.text.push(']');
    }

    fn list<T>(&mut self, items: &[T], mut write: impl FnMut(&mut Self, &T)) {
        for (position, item) in items.iter().enumerate() {
            if position > 0 {
                self.text.push(',');
            }
            write(self, item);
        }
    }

    /// A name, so written that it cannot imitate the text around it.
    fn name(&mut self, name: &str) {
        for character in name.chars() {
            match character {
                '\n' => self.text.push_str("\\n"),
                '\\' | '|' | ',' | '=' | '{' | '}' | '[' | ']' | '(' | ')' => {
                    self.text.push('\\');
                    self.text.push(character);
                }
                _ => self.text.push(character),
            }
        }
    }
}

/// A number with the fewest digits that read back as the same double.
pub fn number_text(value: f64) -> String {
    if !value.is_finite() || value == 0.0 {
        // `inf`, `-inf`, `0`, `-0`; a schema holds no NaN.
        return format!("{value}");
    }
    let scientific = format!("{value:e}");
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or_default();
    if (-5..=21).contains(&(exponent + 1)) {
        return format!("{value}");
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Event, Function, Side, Yield};
    use crate::wire::test_types::*;

    #[test]
    fn numbers_have_the_fewest_digits() {
        let text = |value| number_text(value);
        assert_eq!(text(-0.0), "-0");
        assert_eq!(text(0.1), "0.1");
        assert_eq!(text(-1234.5), "-1234.5");
        assert_eq!(text(f64::NEG_INFINITY), "-inf");
        // The first digit stands at 10^-5 to 10^21: 0.d x 10^p with p of -5 to 21 is plain.
        assert_eq!(text(0.000001), "0.000001");
        assert_eq!(text(0.0000012), "0.0000012");
        assert_eq!(text(0.00000012), "1.2e-07");
        assert_eq!(text(1e20), "100000000000000000000");
        assert_eq!(text(1e21), "1e+21");
        assert_eq!(text(1.5e300), "1.5e+300");
    }

    #[test]
    fn hash_of_nothing_declared() {
        assert_eq!(hash("W4"), "8af847c600597406");
    }

    fn scope(name: &str, items: Vec<Item>) -> Scope {
        Scope { name: name.to_owned(), path: Vec::new(), items, span: Default::default() }
    }

    #[test]
    fn the_vector_of_the_specification() {
        let at = ty(TypeKind::Vector {
            component: NumberKind::F24,
            written: vec![Component::Number(NumberKind::F24)],
            magnitude: None,
        });
        let power = saturating(stepped(NumberKind::U8, 0.5, 0.0, 100.0));
        let throw = record([("At", at), ("Power", power)]);
        let throw = Event { from: Side::Client, ..event("Throw", Payload::Single(throw)) };
        let price = Function {
            name: "Price".to_owned(),
            path: Vec::new(),
            from: Side::Client,
            yield_: Yield::Coroutine,
            rate: None,
            concurrency: None,
            data: Payload::Single(num(NumberKind::U16)),
            return_: Payload::Single(optional(num(NumberKind::U32))),
            index: 1,
            span: Default::default(),
        };
        let sold = pack([("", string(len(1, 20))), ("Amount", num(NumberKind::I16))]);
        let sold = Event { index: 2, ..event("Sold", sold) };
        let wind = stream("Wind", stepped(NumberKind::F32, 0.01, -1.0, 1.0));
        // Scopes show in the order of the lines and nowhere else.
        let inner = scope("Shop", vec![Item::Function(price), Item::Event(sold)]);
        let root = scope("", vec![Item::Event(throw), Item::Scope(inner), Item::Event(wind)]);
        let schema = Schema::new(Default::default(), Vec::new(), root);
        assert_eq!(signature(&schema), "2dcd696f08e06c61", "{}", canonical_text(&schema));
    }

    #[test]
    fn parts_of_a_type() {
        let text = |ty: &Type| {
            let mut text = String::new();
            Writer { text: &mut text, exact: false }.ty(ty);
            text
        };
        assert_eq!(text(&stepped(NumberKind::F32, 0.25, 100.0, 200.0)), "p:u16qr100..200k0.25");
        assert_eq!(text(&ranged(NumberKind::F32, 0.0, None)), "p:f32r0..inf");
        assert_eq!(text(&array(boolean(), BARE)), "a:[p:boolean]r0..65535");
        assert_eq!(text(&array(boolean(), len(0, 65_535))), "a:[p:boolean]r0..65535w");
        assert_eq!(text(&string(len(0, 65_535))), "p:stringr0..65535w");
        assert_eq!(text(&string(BARE)), "p:string");
        assert_eq!(text(&instance(None)), "p:Instance(Instance)");
        assert_eq!(text(&map(string(BARE), unit(["A,B"]))), "m:{p:string=>e:[A\\,B]}");
        assert_eq!(text(&set(["X", "Y"])), "n:[X,Y]");
        assert_eq!(text(&tagged("K", [variant("A", [("x", boolean())])])), "g:K{A=s:{x=p:boolean}}");
    }

    #[test]
    fn hash_of_the_vector() {
        let text = "W4\n\
            E|Reliable|0|Client|Reliable|Throw|s:{At=p:vectorcf24,Power=p:u8r0..100k0.5}\n\
            F|1|Client|Price|p:u16|o:p:u32\n\
            E|Reliable|2|Server|Reliable|Sold|u:(p:stringr1..20,Amount=p:i16)\n\
            E|Unreliable|0|Server|OrderedUnreliable|Wind|u:(Value=o:p:u8r-1..1k0.01,ServerTime=p:u16)";
        assert_eq!(hash(text), "2dcd696f08e06c61");
    }

    #[test]
    fn names_cannot_imitate_the_text_around_them() {
        let mut text = String::new();
        Writer { text: &mut text, exact: false }.name("a|b\\[c]\n");
        assert_eq!(text, "a\\|b\\\\\\[c\\]\\n");
    }
}
