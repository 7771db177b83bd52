//! Types compared member by member, down to the one that changed.

use super::{Detail, Effect, describe};
use crate::schema::{Field, Payload, Type, TypeKind};
use crate::wire::signature::type_text;

/// What is found while two declarations are compared.
pub(super) struct Differences {
    /// What was found.
    pub details: Vec<Detail>,
    /// What anything found from here on means.
    pub effect: Effect,
}

impl Differences {
    pub fn new(effect: Effect) -> Differences {
        Differences { details: Vec::new(), effect }
    }

    /// Notes that `path` had one value and has another, when they differ.
    pub fn compare(&mut self, path: &str, old: &str, new: &str) {
        if old != new {
            self.push(path, format!("{old} became {new}"));
        }
    }

    fn push(&mut self, path: &str, text: String) {
        self.details.push(Detail { path: path.to_owned(), text, effect: self.effect });
    }

    /// Compares what is carried. `key` stands for the whole where no member can be named.
    pub fn payload(&mut self, key: &str, old: &Payload, new: &Payload) {
        if payload_text(old) == payload_text(new) {
            return;
        }
        match (old, new) {
            (Payload::Single(old), Payload::Single(new)) => {
                let from = self.details.len();
                self.types("", old, new);
                for detail in self.details[from..].iter_mut().filter(|detail| detail.path.is_empty()) {
                    detail.path = key.to_owned();
                }
            }
            (Payload::Pack(old), Payload::Pack(new)) => {
                let members = |elements: &[crate::schema::Element]| -> Vec<(String, Type)> {
                    let named = elements.iter().enumerate();
                    named.map(|(position, one)| (one.parameter(position), one.ty.clone())).collect()
                };
                let (before, after) = (members(old), members(new));
                let from = self.details.len();
                self.members("", &borrowed(&before), &borrowed(&after));
                if self.details.len() == from {
                    // `(u8)` and `(Value1: u8)` differ in the signature, though not in what they are called.
                    self.compare(
                        key,
                        &describe::payload(&Payload::Pack(old.clone())),
                        &describe::payload(&Payload::Pack(new.clone())),
                    );
                }
            }
            (Payload::Nothing | Payload::Single(_) | Payload::Pack(_), _) => {
                self.compare(key, &describe::payload(old), &describe::payload(new));
            }
        }
    }

    /// Compares two types at `path`.
    pub fn types(&mut self, path: &str, old: &Type, new: &Type) {
        if type_text(old) == type_text(new) {
            return;
        }
        let from = self.details.len();
        match (&old.meaning().kind, &new.meaning().kind) {
            (TypeKind::Struct(old), TypeKind::Struct(new)) => self.members(path, &fields(old), &fields(new)),
            (
                TypeKind::Array { element: old, length: before },
                TypeKind::Array { element: new, length: after },
            ) => {
                self.compare(path, &describe::array(before), &describe::array(after));
                self.types(&format!("{path}[]"), old, new);
            }
            (TypeKind::Optional { inner: old, .. }, TypeKind::Optional { inner: new, .. }) => {
                self.types(path, old, new);
            }
            (TypeKind::Map { key: old, value: from }, TypeKind::Map { key: new, value: to }) => {
                self.types(&format!("{path}[key]"), old, new);
                self.types(&format!("{path}[value]"), from, to);
            }
            (TypeKind::UnitEnum(old), TypeKind::UnitEnum(new)) | (TypeKind::Set(old), TypeKind::Set(new)) => {
                self.names(path, old, new);
            }
            (
                TypeKind::TaggedEnum { tag: before, variants: old },
                TypeKind::TaggedEnum { tag: after, variants: new },
            ) => {
                if before != after {
                    self.push(path, format!("the tag \"{before}\" became \"{after}\""));
                }
                let names = |variants: &[crate::schema::Variant]| -> Vec<String> {
                    variants.iter().map(|variant| variant.name.clone()).collect()
                };
                self.names(path, &names(old), &names(new));
                for variant in old.iter() {
                    if let Some(other) = new.iter().find(|other| other.name == variant.name) {
                        let path = format!("{path}<{}>", variant.name);
                        self.members(&path, &fields(&variant.fields), &fields(&other.fields));
                    }
                }
            }
            _ => {}
        }
        if self.details.len() == from {
            self.compare(path, &describe::ty(old), &describe::ty(new));
        }
        if self.details.len() == from {
            self.push(path, format!("{} travels another way", describe::ty(new)));
        }
    }

    fn members(&mut self, path: &str, old: &[(&str, &Type)], new: &[(&str, &Type)]) {
        let inside = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        let find = |list: &[(&str, &Type)], name: &str| list.iter().position(|(other, _)| *other == name);
        for (name, ty) in old {
            match find(new, name) {
                Some(at) => self.types(&inside(name), ty, new[at].1),
                None => self.push(&inside(name), "removed".to_owned()),
            }
        }
        for (name, ty) in new {
            if find(old, name).is_none() {
                self.push(&inside(name), format!("added, {}", describe::ty(ty)));
            }
        }
        let names = |list: &[(&str, &Type)], other: &[(&str, &Type)]| -> Vec<String> {
            let common = list.iter().filter(|(name, _)| find(other, name).is_some());
            common.map(|(name, _)| (*name).to_owned()).collect()
        };
        let (before, after) = (names(old, new), names(new, old));
        if before != after {
            self.push(&inside(&before.join(", ")), format!("now in the order {}", after.join(", ")));
        }
    }

    fn names(&mut self, path: &str, old: &[String], new: &[String]) {
        let missing = |list: &[String], other: &[String]| -> Vec<String> {
            list.iter().filter(|name| !other.contains(name)).cloned().collect()
        };
        let (removed, added) = (missing(old, new), missing(new, old));
        if !removed.is_empty() {
            self.push(path, format!("{} removed", removed.join(", ")));
        }
        if !added.is_empty() {
            self.push(path, format!("{} added", added.join(", ")));
        }
        let common = |list: &[String], other: &[String]| -> Vec<String> {
            list.iter().filter(|name| other.contains(name)).cloned().collect()
        };
        let (before, after) = (common(old, new), common(new, old));
        if before != after {
            self.push(path, format!("{} now in the order {}", before.join(", "), after.join(", ")));
        }
    }
}

/// A payload as the signature writes its types and names, good enough to tell two apart.
pub(super) fn payload_text(payload: &Payload) -> String {
    match payload {
        Payload::Nothing => "_".to_owned(),
        Payload::Single(ty) => type_text(ty),
        Payload::Pack(elements) => {
            let element =
                |element: &crate::schema::Element| format!("{:?}={}", element.name, type_text(&element.ty));
            format!("({})", elements.iter().map(element).collect::<Vec<_>>().join(","))
        }
    }
}

fn fields(fields: &[Field]) -> Vec<(&str, &Type)> {
    fields.iter().map(|field| (field.name.as_str(), &field.ty)).collect()
}

fn borrowed(members: &[(String, Type)]) -> Vec<(&str, &Type)> {
    members.iter().map(|(name, ty)| (name.as_str(), ty)).collect()
}
