//! Types the language refuses, made into ones it takes. Source: language specification, 10, 12.3.

use std::collections::{BTreeMap, BTreeSet};

use super::names::{identifier, untaken};
use super::{Draft, Head, Item, Range, Ty, TypeId, each_type, lost};
use crate::report::{Kind, Report};

/// Most elements of an array.
const MOST_ELEMENTS: u64 = 65_535;

/// Most values of an enum.
const MOST_VALUES: usize = 256;

/// Mends every type of a draft and lists what that costs.
pub(super) fn tidy(draft: &mut Draft, report: &mut Report) {
    let declared = declared(&draft.items);
    each_type(&mut draft.items, &mut |ty, head| Tidy { declared: &declared, report, head }.ty(ty));
}

/// Declared types by their number.
pub(super) fn declared(items: &[Item]) -> BTreeMap<TypeId, Ty> {
    let mut found = BTreeMap::new();
    for item in items {
        match item {
            Item::Type(one) => {
                found.insert(one.id, one.ty.clone());
            }
            Item::Scope(scope) => found.extend(self::declared(&scope.items)),
            Item::Event(_) | Item::Function(_) => {}
        }
    }
    found
}

struct Tidy<'a> {
    declared: &'a BTreeMap<TypeId, Ty>,
    report: &'a mut Report,
    head: &'a Head,
}

impl Tidy<'_> {
    fn lost(&mut self, message: impl Into<String>) {
        lost(self.report, self.head, format!("{}: {}", self.head.name, message.into()));
    }

    /// The type behind names.
    fn meaning<'t>(&'t self, ty: &'t Ty) -> &'t Ty {
        match ty {
            Ty::Named(id, _) => self.declared.get(id).map_or(ty, |meant| self.meaning(meant)),
            _ => ty,
        }
    }

    fn ty(&mut self, ty: &mut Ty) {
        for part in ty.parts_mut() {
            self.ty(part);
        }
        match ty {
            Ty::Optional(inner) => {
                match self.meaning(inner) {
                    Ty::Unknown => {
                        *ty = Ty::Unknown;
                        self.lost("an optional `unknown` became `unknown`: send a table or a flag where nil matters");
                    }
                    Ty::Optional(_) if matches!(**inner, Ty::Optional(_)) => *ty = (**inner).clone(),
                    _ => {}
                }
            }
            Ty::Array(inner, range) => {
                let open = range.as_ref().is_none_or(|range| range.max.is_none());
                if open && self.is_free(inner) {
                    range.get_or_insert_default().max = Some(MOST_ELEMENTS.to_string());
                }
                self.range(range, "an array", MOST_ELEMENTS);
            }
            Ty::Struct(fields) => self.fields(fields, None),
            Ty::Enum(values) => {
                let mut seen = BTreeSet::new();
                values.retain(|value| seen.insert(value.clone()));
                if values.is_empty()
                    || values.len() > MOST_VALUES
                    || values.iter().any(|one| quoted(one).is_none())
                {
                    let count = values.len();
                    *ty = Ty::Unknown;
                    self.lost(format!(
                        "an enum of {count} values became `unknown`: an enum has 1 to 256 plain names"
                    ));
                }
            }
            Ty::Tagged(tag, variants) => {
                let plain = quoted(tag).is_some() && variants.iter().all(|(name, _)| quoted(name).is_some());
                let mut seen = BTreeSet::new();
                let unique = variants.iter().all(|(name, _)| seen.insert(name.clone()));
                if variants.is_empty() || variants.len() > MOST_VALUES || !plain || !unique {
                    *ty = Ty::Unknown;
                    self.lost("a tagged enum became `unknown`: it has 1 to 256 variants, each of its own plain name");
                    return;
                }
                let tag = tag.clone();
                for (_, fields) in variants {
                    self.fields(fields, Some(&tag));
                }
            }
            Ty::Map(..) => self.map(ty),
            Ty::Plain(_) | Ty::Number(..) | Ty::Text(..) | Ty::Unknown | Ty::Named(..) => {}
        }
    }

    /// Fields of names that can be written, each once, and none that hides the tag.
    fn fields(&mut self, fields: &mut [(String, Ty)], tag: Option<&str>) {
        let mut taken: BTreeSet<String> = tag.map(str::to_string).into_iter().collect();
        for (name, _) in fields {
            let now = if quoted(name).is_some() { name.clone() } else { identifier(name) };
            let now = untaken(now, &mut taken);
            if now != *name {
                let message = format!("field \"{name}\" of {} became {now}", self.head.name);
                self.report.add(Kind::Renamed, &self.head.name, self.head.place.clone(), message);
                *name = now;
            }
        }
    }

    fn map(&mut self, ty: &mut Ty) {
        let Ty::Map(key, value) = ty else { return };
        for part in [&mut *key, &mut *value] {
            if let Ty::Optional(inner) = &**part {
                **part = (**inner).clone();
                self.lost(
                    "an optional key or value of a map became a plain one: an absent entry is nil already",
                );
            }
        }
        let kind = match self.meaning(key) {
            Ty::Struct(_) => Some("a struct"),
            Ty::Tagged(..) => Some("a tagged enum"),
            Ty::Map(..) => Some("a map"),
            Ty::Array(..) => Some("an array"),
            Ty::Optional(_) => Some("an optional"),
            _ => None,
        };
        if let Some(kind) = kind {
            *ty = Ty::Unknown;
            self.lost(format!(
                "a map keyed by {kind} became `unknown`: every received key would be a new value"
            ));
        } else if matches!(self.meaning(value), Ty::Optional(_)) || self.is_free(key) && self.is_free(value) {
            *ty = Ty::Unknown;
            self.lost("a map became `unknown`: its entries hold nothing, or values that may be absent");
        }
    }

    /// Keeps a length's bounds within what the type has.
    fn range(&mut self, range: &mut Option<Range>, what: &str, most: u64) {
        let Some(range) = range else { return };
        for bound in [&mut range.min, &mut range.max].into_iter().flatten() {
            if bound.parse::<f64>().is_ok_and(|number| number > most as f64) {
                lost(
                    self.report,
                    self.head,
                    format!(
                        "{}: the bound {bound} of {what} became {most}, the most there can be",
                        self.head.name
                    ),
                );
                *bound = most.to_string();
            }
        }
    }

    /// Whether any number of these would take no room.
    fn is_free(&self, ty: &Ty) -> bool {
        let exactly = |range: &Option<Range>, what: Option<&str>| {
            range.as_ref().is_some_and(|range| {
                range.min.is_some()
                    && range.min == range.max
                    && what.is_none_or(|what| range.min.as_deref() == Some(what))
            })
        };
        match self.meaning(ty) {
            Ty::Struct(fields) => fields.iter().all(|(_, ty)| self.is_free(ty)),
            Ty::Number(_, range) => exactly(range, None),
            Ty::Text(_, range) => exactly(range, Some("0")),
            Ty::Array(inner, range) => {
                exactly(range, Some("0")) || exactly(range, None) && self.is_free(inner)
            }
            Ty::Plain(_) | Ty::Unknown | Ty::Optional(_) | Ty::Enum(_) => false,
            Ty::Tagged(..) | Ty::Map(..) | Ty::Named(..) => false,
        }
    }
}

/// The text as a string of a schema, which knows no escapes; `None` when no quotes can hold it.
pub(crate) fn quoted(text: &str) -> Option<String> {
    ['"', '\''].into_iter().find_map(|quote| {
        let mut backslashes = 0;
        for char in text.chars() {
            match char {
                '\\' => backslashes += 1,
                _ if char == quote && backslashes % 2 == 0 => return None,
                _ => backslashes = 0,
            }
        }
        (backslashes % 2 == 0).then(|| format!("{quote}{text}{quote}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(ty: Ty, expected: Ty, losses: usize) {
        let mut report = Report::default();
        let mut ty = ty;
        let head = Head { name: "A".to_string(), ..Head::default() };
        Tidy { declared: &BTreeMap::new(), report: &mut report, head: &head }.ty(&mut ty);
        assert_eq!(ty, expected);
        assert_eq!(report.todos.len(), losses, "{report:?}");
    }

    #[test]
    fn what_the_language_refuses_is_mended_and_listed() {
        let number = || Ty::Number("u8", None);
        check(Ty::Unknown.optional(), Ty::Unknown, 1);
        check(number().optional().optional(), number().optional(), 0);
        check(Ty::map(Ty::Struct(vec![]), number()), Ty::Unknown, 1);
        check(Ty::map(number().optional(), number()), Ty::map(number(), number()), 1);
        check(Ty::Enum(vec![]), Ty::Unknown, 1);
        check(Ty::Enum(vec!["A".into(), "A".into()]), Ty::Enum(vec!["A".into()]), 0);
        let bounded = Ty::Array(Box::new(Ty::Struct(vec![])), Some(Range::up_to(65_535)));
        check(Ty::Struct(vec![]).array(), bounded, 0);
        let long = Ty::Array(Box::new(number()), Some(Range::up_to(70_000)));
        check(long, Ty::Array(Box::new(number()), Some(Range::up_to(65_535))), 1);
    }

    #[test]
    fn strings_are_quoted_without_escapes() {
        assert_eq!(quoted("Max HP").as_deref(), Some("\"Max HP\""));
        assert_eq!(quoted("say \"hi\"").as_deref(), Some("'say \"hi\"'"));
        assert_eq!(quoted("both ' and \""), None);
        assert_eq!(quoted("ends in \\"), None);
    }
}
