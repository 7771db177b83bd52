//! `Limits`: a frozen table that mirrors the schema and holds its bounds (`runtime.md` 14).
//!
//! It depends on the schema alone, and on nothing of how a value travels.

use super::ast::*;
use super::context::Context;
use super::module::member;
use crate::schema::{Casing, Function, Item, Length, Number, Payload, Range, Schema, Scope, Type, TypeKind};

/// The member, when the options ask for it.
pub fn entry(cx: &mut Context) -> Option<Entry> {
    let (word, table) = table(cx.schema)?;
    // Frozen in one call: calls inside calls are more than the older type checker can follow.
    let freeze = cx.runtime_function("Freeze");
    Some(Entry::Named(word, apply(freeze, [table])))
}

/// The member's name and its table, when the options ask for it.
pub fn table(schema: &Schema) -> Option<(String, Expr)> {
    let words = Words { casing: schema.options.casing, schema };
    let found = || (words.word("Limits"), Expr::Table(words.scope(&schema.root)));
    schema.options.export_limits.then(found)
}

struct Words<'a> {
    casing: Casing,
    schema: &'a Schema,
}

impl Words<'_> {
    fn word(&self, pascal: &str) -> String {
        member(self.casing, pascal)
    }

    fn scope(&self, scope: &Scope) -> Vec<Entry> {
        let mut entries: Vec<Entry> = Vec::new();
        for item in &scope.items {
            let (name, found) = match item {
                Item::Type(id) => match self.schema.types.get(id.0 as usize) {
                    Some(decl) if decl.generics.is_empty() => (&decl.name, self.ty(&decl.ty)),
                    _ => continue,
                },
                Item::Event(event) => (&event.name, self.payload(&event.data)),
                Item::Function(function) => (&function.name, self.function(function)),
                Item::State(state) => (&state.name, self.ty(&state.data)),
                Item::Table(table) => (&table.name, self.columns(&table.fields)),
                Item::Entity(entity) => (&entity.name, self.ty(&entity.data)),
                Item::Scope(inner) => (&inner.name, some_table(self.scope(inner))),
            };
            let Some(found) = found else { continue };
            // A type may share its name with an event, function or scope, whose limits then stand.
            let same = |entry: &Entry| matches!(entry, Entry::Named(other, _) if other == name);
            match entries.iter().position(same) {
                Some(_) if matches!(item, Item::Type(_)) => {}
                Some(at) => entries[at] = Entry::Named(name.clone(), found),
                None => entries.push(Entry::Named(name.clone(), found)),
            }
        }
        entries
    }

    fn function(&self, function: &Function) -> Option<Expr> {
        let data = self.payload(&function.data).map(|limits| Entry::Named("Data".into(), limits));
        let answer = self.payload(&function.return_).map(|limits| Entry::Named("Return".into(), limits));
        some_table(data.into_iter().chain(answer).collect())
    }

    fn payload(&self, payload: &Payload) -> Option<Expr> {
        match payload {
            Payload::Nothing => None,
            Payload::Single(ty) => self.ty(ty),
            Payload::Pack(elements) => {
                let named = |(place, element): (usize, &crate::schema::Element)| {
                    let limits = self.ty(&element.ty)?;
                    Some(match &element.name {
                        Some(name) => Entry::Named(name.clone(), limits),
                        // Positions would share one type, which the older type checker takes from the first.
                        None => Entry::Keyed(size(place as u64 + 1), cast(limits, ty("any"))),
                    })
                };
                some_table(elements.iter().enumerate().filter_map(named).collect())
            }
        }
    }

    fn columns(&self, fields: &[crate::schema::Field]) -> Option<Expr> {
        let field =
            |field: &crate::schema::Field| Some(Entry::Named(field.name.clone(), self.ty(&field.ty)?));
        some_table(fields.iter().filter_map(field).collect())
    }

    fn ty(&self, ty: &Type) -> Option<Expr> {
        match &ty.kind {
            TypeKind::Number(number) => self.number(number),
            TypeKind::String(length) | TypeKind::Buffer(length) => self.length(length),
            TypeKind::Vector { magnitude, .. } => {
                magnitude.as_ref().map(|range| Expr::Table(self.range(range.min, range.max)))
            }
            TypeKind::Optional { inner, .. } => self.ty(inner),
            TypeKind::Named { ty, .. } => self.ty(ty),
            TypeKind::Array { element, length } => {
                self.pair(("Length", self.length(length)), ("Element", self.ty(element)))
            }
            TypeKind::Map { key, value } => self.pair(("Key", self.ty(key)), ("Value", self.ty(value))),
            TypeKind::Struct(fields) => self.columns(fields),
            TypeKind::TaggedEnum { variants, .. } => {
                let variant = |variant: &crate::schema::Variant| {
                    let field = |field: &crate::schema::Field| {
                        Some(Entry::Named(field.name.clone(), self.ty(&field.ty)?))
                    };
                    let inner = some_table(variant.fields.iter().filter_map(field).collect())?;
                    Some(Entry::Named(variant.name.clone(), inner))
                };
                some_table(variants.iter().filter_map(variant).collect())
            }
            TypeKind::Boolean
            | TypeKind::CFrame { .. }
            | TypeKind::Roblox(_)
            | TypeKind::EnumItem(_)
            | TypeKind::Instance(_)
            | TypeKind::Entity { .. }
            | TypeKind::Unknown
            | TypeKind::Set(_)
            | TypeKind::UnitEnum(_)
            | TypeKind::Parameter(_)
            | TypeKind::Error => None,
        }
    }

    fn number(&self, number: &Number) -> Option<Expr> {
        if number.range.is_none() && number.scale.is_none() && !number.saturate {
            return None;
        }
        let (min, max) = match &number.range {
            Some(range) => open_sides(range),
            None => {
                let (min, max) = number.kind.bounds();
                let scale = number.scale.unwrap_or(1.0);
                (min * scale, max * scale)
            }
        };
        let mut entries = self.range(min, max);
        entries.extend(number.scale.map(|step| Entry::Named(self.word("Step"), num(step))));
        Some(Expr::Table(entries))
    }

    fn length(&self, length: &Length) -> Option<Expr> {
        let max = if length.max_written { f64::from(length.max) } else { f64::INFINITY };
        length.written.then(|| Expr::Table(self.range(f64::from(length.min), max)))
    }

    fn range(&self, min: f64, max: f64) -> Vec<Entry> {
        vec![Entry::Named(self.word("Min"), bound(min)), Entry::Named(self.word("Max"), bound(max))]
    }

    fn pair(&self, first: (&str, Option<Expr>), second: (&str, Option<Expr>)) -> Option<Expr> {
        let entry =
            |(word, limits): (&str, Option<Expr>)| limits.map(|limits| Entry::Named(self.word(word), limits));
        some_table(entry(first).into_iter().chain(entry(second)).collect())
    }
}

fn open_sides(range: &Range) -> (f64, f64) {
    let min = if range.min_written { range.min } else { f64::NEG_INFINITY };
    let max = if range.max_written { range.max } else { f64::INFINITY };
    (min, max)
}

fn bound(value: f64) -> Expr {
    if value == f64::INFINITY {
        path("math.huge")
    } else if value == f64::NEG_INFINITY {
        Expr::Unary(UnaryOp::Negate, Box::new(path("math.huge")))
    } else {
        num(value)
    }
}

fn some_table(entries: Vec<Entry>) -> Option<Expr> {
    (!entries.is_empty()).then_some(Expr::Table(entries))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emit::luau::print;
    use crate::schema::Profile;
    use crate::source::MemoryLoader;

    /// The table of a schema, on one line.
    fn limits(schema: &str) -> String {
        let text = format!("option ExportLimits = true\n{schema}");
        let analysis = crate::analyze(&MemoryLoader::new().with("x", text), "x", Profile::Release);
        assert!(!analysis.has_errors(), "{:?}", analysis.diagnostics);
        let (name, table) = table(&analysis.schema.unwrap()).expect("asked for");
        let mut block = Block::new();
        block.local(name, table);
        let printed = print::print(&block);
        printed.split_whitespace().collect::<Vec<_>>().join(" ").replace(", }", " }")
    }

    #[test]
    fn absent_unless_asked_for() {
        let analysis = crate::analyze(&MemoryLoader::new().with("x", ""), "x", Profile::Release);
        assert!(table(&analysis.schema.unwrap()).is_none());
    }

    #[test]
    fn numbers() {
        assert_eq!(
            limits(
                "struct A { B: u8(5..10), C: u8, D: i16(..5), E: f64(0..), F: u8<saturate>, G: u16<0.25>, H: f32<0.5>(0..100) }"
            ),
            "local Limits = { A = { B = { Min = 5, Max = 10 }, D = { Min = -math.huge, Max = 5 }, \
             E = { Min = 0, Max = math.huge }, F = { Min = 0, Max = 255 }, \
             G = { Min = 0, Max = 16383.75, Step = 0.25 }, H = { Min = 0, Max = 100, Step = 0.5 } } }"
        );
    }

    #[test]
    fn lengths_and_magnitudes() {
        assert_eq!(
            limits(
                "struct A { B: string(1..8), C: string, D: buffer(..16), E: string(4), F: vector(0..1), G: string(2..) }"
            ),
            "local Limits = { A = { B = { Min = 1, Max = 8 }, D = { Min = 0, Max = 16 }, E = { Min = 4, Max = 4 }, \
             F = { Min = 0, Max = 1 }, G = { Min = 2, Max = math.huge } } }"
        );
    }

    #[test]
    fn containers_mirror_the_schema() {
        assert_eq!(
            limits(
                "struct A { B: u8[..20], C: string(..4)[], D: u8[], E: map { [string(..3)]: u8 }, F: u8(1..2)?,\n\
                 G: enum \"Kind\" { One { X: u8(0..3) }, Two { Y: u8 } } }"
            ),
            "local Limits = { A = { B = { Length = { Min = 0, Max = 20 } }, \
             C = { Element = { Min = 0, Max = 4 } }, E = { Key = { Min = 0, Max = 3 } }, F = { Min = 1, Max = 2 }, \
             G = { One = { X = { Min = 0, Max = 3 } } } } }"
        );
    }

    #[test]
    fn events_functions_and_scopes() {
        assert_eq!(
            limits(
                "event E { From: Client, Type: Reliable, Call: SingleSync, Rate: 1, Data: (at: u8(0..3), u8(0..4), u8) }\n\
                 event S { From: Server, Type: OrderedUnreliable, Call: SingleSync, Stream: { Rate: 8 }, Data: u8[..20] }\n\
                 function F { Yield: Coroutine, Data: u8(0..5), Return: (u8(0..6), u8) }\n\
                 scope Inner { type T = u8(0..7) scope Empty { type U = u8 } }"
            ),
            "local Limits = { E = { at = { Min = 0, Max = 3 }, [2] = { Min = 0, Max = 4 } :: any }, \
             S = { Length = { Min = 0, Max = 20 } }, \
             F = { Data = { Min = 0, Max = 5 }, Return = { [1] = { Min = 0, Max = 6 } :: any } }, \
             Inner = { T = { Min = 0, Max = 7 } } }"
        );
    }

    #[test]
    fn words_follow_the_casing_and_names_do_not() {
        assert_eq!(
            limits("option Casing = Snake\nstruct A { MaxAmount: u8(1..2)[..3] }"),
            "local limits = { A = { MaxAmount = { length = { min = 0, max = 3 }, element = { min = 1, max = 2 } } } }"
        );
    }

    #[test]
    fn a_member_stands_for_a_type_of_its_name() {
        assert_eq!(
            limits(
                "type Same = u8(0..1)\nevent Same { From: Server, Type: Reliable, Call: SingleSync, Data: u8(0..2) }"
            ),
            "local Limits = { Same = { Min = 0, Max = 2 } }"
        );
    }
}
