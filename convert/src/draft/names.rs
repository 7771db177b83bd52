//! Names that may stand where they are. Source: language specification, 1.5, 1.6, 4.2 and 4.6.

use std::collections::{BTreeMap, BTreeSet};

use blinkblox_compiler::reserved::{self, Casing};

use super::{Draft, Head, Item, Payload, Ty, TypeId, each_type};
use crate::report::{Kind, Report};

/// The name with `_` in place of each character that no identifier has.
pub(crate) fn identifier(name: &str) -> String {
    let mut text: String = name
        .chars()
        .map(|char| if char.is_ascii_alphanumeric() || char == '_' { char } else { '_' })
        .collect();
    if text.is_empty() || text.starts_with(|first: char| first.is_ascii_digit()) {
        text.insert(0, '_');
    }
    text
}

/// A name, or the name and a number where it is taken. Whatever it gives is taken from then on.
pub(super) fn untaken(name: String, taken: &mut BTreeSet<String>) -> String {
    let mut now = name.clone();
    let mut number = 1;
    while !taken.insert(now.clone()) {
        number += 1;
        now = format!("{name}{number}");
    }
    now
}

/// Names of one scope.
#[derive(Default)]
struct Level {
    types: BTreeSet<String>,
    members: BTreeSet<String>,
}

struct Settling<'a> {
    report: &'a mut Report,
    casing: Casing,
    classes: BTreeSet<String>,
    levels: Vec<Level>,
    /// Names of the scopes around, as they are and as they were.
    path: Vec<(String, String)>,
    /// Names that types have in Luau.
    flat: BTreeSet<String>,
    /// References to types that were renamed, by their number.
    moved: BTreeMap<TypeId, String>,
}

/// Settles the names of all declarations and elements, and mends the references to what was renamed.
pub(super) fn settle(draft: &mut Draft, report: &mut Report) {
    let casing = draft.settings.iter().find(|setting| setting.name == "Casing");
    let casing = match casing.map(|setting| setting.value.as_str()) {
        Some("Camel") => Casing::Camel,
        Some("Snake") => Casing::Snake,
        _ => Casing::Pascal,
    };
    let mut classes = BTreeSet::new();
    each_type(&mut draft.items, &mut |ty, _| classes_of(ty, &mut classes));
    let mut settling = Settling {
        report,
        casing,
        classes,
        levels: vec![Level::default()],
        path: vec![],
        flat: BTreeSet::new(),
        moved: BTreeMap::new(),
    };
    settling.items(&mut draft.items);
    let moved = settling.moved;
    each_type(&mut draft.items, &mut |ty, _| respell(ty, &moved));
}

/// Classes named in `Instance(Class)`.
fn classes_of(ty: &Ty, classes: &mut BTreeSet<String>) {
    if let Ty::Plain(text) = ty
        && let Some(class) = text.strip_prefix("Instance(").and_then(|rest| rest.strip_suffix(')'))
    {
        classes.insert(class.to_string());
    }
    for part in ty.parts() {
        classes_of(part, classes);
    }
}

fn respell(ty: &mut Ty, moved: &BTreeMap<TypeId, String>) {
    if let Ty::Named(id, spelled) = ty
        && let Some(path) = moved.get(id)
    {
        *spelled = path.clone();
    }
    for part in ty.parts_mut() {
        respell(part, moved);
    }
}

impl Settling<'_> {
    fn items(&mut self, items: &mut [Item]) {
        for item in items {
            match item {
                Item::Type(one) => {
                    let was = one.head.name.clone();
                    self.name(&mut one.head, true);
                    let path: Vec<&str> = self.path.iter().map(|(now, _)| now.as_str()).collect();
                    let full = [path.as_slice(), &[one.head.name.as_str()]].concat().join(".");
                    if was != one.head.name || self.path.iter().any(|(now, before)| now != before) {
                        self.moved.insert(one.id, full);
                    }
                }
                Item::Event(one) => {
                    self.name(&mut one.head, false);
                    self.elements(&mut one.data, &one.head);
                }
                Item::Function(one) => {
                    self.name(&mut one.head, false);
                    self.elements(&mut one.data, &one.head);
                    self.elements(&mut one.returns, &one.head);
                }
                Item::Scope(scope) => {
                    let was = scope.head.name.clone();
                    self.name(&mut scope.head, false);
                    self.path.push((scope.head.name.clone(), was));
                    self.levels.push(Level::default());
                    self.items(&mut scope.items);
                    self.levels.pop();
                    self.path.pop();
                }
            }
        }
    }

    /// Settles the name of a type, or of an event, a function or a scope.
    fn name(&mut self, head: &mut Head, is_type: bool) {
        let mut name = identifier(&head.name);
        while self.is_reserved(&name, is_type) {
            name.push('_');
        }
        let base = name.clone();
        let mut number = 1;
        while self.is_taken(&name, is_type) {
            number += 1;
            name = format!("{base}{number}");
        }
        if is_type {
            let flat = self.flat(&name);
            self.flat.insert(flat);
        }
        if let Some(level) = self.levels.last_mut() {
            if is_type {
                level.types.insert(name.clone())
            } else {
                level.members.insert(name.clone())
            };
        }
        if name != head.name {
            let message = format!("\"{}\" became {name}", head.name);
            self.report.add(Kind::Renamed, &name, head.place.clone(), message);
            head.name = name;
        }
    }

    fn is_reserved(&self, name: &str, is_type: bool) -> bool {
        let top = self.levels.len() == 1;
        if reserved::is_built_in(name) || top && reserved::is_module_member(name, self.casing) {
            return true;
        }
        if is_type {
            let module = top && (reserved::is_module_type(name) || self.classes.contains(name));
            return module || reserved::is_luau_type(name);
        }
        reserved::is_member_at_any_depth(name)
    }

    fn is_taken(&self, name: &str, is_type: bool) -> bool {
        let seen =
            |level: &Level| if is_type { level.types.contains(name) } else { level.members.contains(name) };
        self.levels.iter().any(seen) || is_type && self.flat.contains(&self.flat(name))
    }

    fn flat(&self, name: &str) -> String {
        let path: Vec<&str> = self.path.iter().map(|(now, _)| now.as_str()).collect();
        [path.as_slice(), &[name]].concat().join("_")
    }

    fn elements(&mut self, payload: &mut Payload, head: &Head) {
        let Payload::Pack(elements) = payload else { return };
        let mut taken: BTreeSet<String> = BTreeSet::new();
        for (at, (name, _)) in elements.iter_mut().enumerate() {
            let Some(was) = name else {
                taken.insert(format!("Value{}", at + 1));
                continue;
            };
            let mut now = identifier(was);
            while reserved::is_parameter(&now) {
                now.push('_');
            }
            let now = untaken(now, &mut taken);
            if now != *was {
                let message = format!("\"{was}\" of {} became {now}", head.name);
                self.report.add(Kind::Renamed, &head.name, head.place.clone(), message);
                *was = now;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_characters_become_underscores() {
        assert_eq!(identifier("Max HP"), "Max_HP");
        assert_eq!(identifier("2nd"), "_2nd");
        assert_eq!(identifier(""), "_");
        assert_eq!(identifier("größe"), "gr__e");
    }
}
