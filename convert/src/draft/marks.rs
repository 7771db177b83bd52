//! Lengths that clients choose without a bound. Source: tooling specification, 8.1.

use std::collections::BTreeSet;

use super::{Draft, Event, Function, Item, Known, Payload, Side, Ty, TypeId};
use crate::report::{Kind, Report};

/// Adds the marks of all declarations to their comments, and lists them.
pub(super) fn set(draft: &mut Draft, report: &mut Report) {
    let mut reached = BTreeSet::new();
    members(&mut draft.items, report, &mut reached);
    // What a reached type names is reached too; types are declared before they are named, so one walk backwards does.
    types(&mut draft.items, report, &mut reached);
}

fn members(items: &mut [Item], report: &mut Report, reached: &mut BTreeSet<TypeId>) {
    for item in items {
        let found = match item {
            Item::Event(event) => lengths(from_client(event), reached),
            Item::Function(function) => lengths(read_by_server(function), reached),
            Item::Scope(scope) => {
                members(&mut scope.items, report, reached);
                continue;
            }
            Item::Type(_) => continue,
        };
        mark(item, found, report);
    }
}

fn types(items: &mut [Item], report: &mut Report, reached: &mut BTreeSet<TypeId>) {
    for item in items.iter_mut().rev() {
        let found = match item {
            Item::Type(one) if reached.contains(&one.id) => {
                let mut found = Vec::new();
                lengths_of(&one.ty, "", &mut found, reached);
                // What is no field is called by the type's own name.
                for (path, _) in &mut found {
                    if !path.starts_with('.') {
                        path.insert_str(0, &one.head.name);
                    }
                }
                found
            }
            Item::Scope(scope) => {
                types(&mut scope.items, report, reached);
                continue;
            }
            Item::Type(_) | Item::Event(_) | Item::Function(_) => continue,
        };
        mark(item, found, report);
    }
}

fn from_client(event: &Event) -> Option<&Payload> {
    (event.from != Known::Stated(Side::Server)).then_some(&event.data)
}

fn read_by_server(function: &Function) -> Option<&Payload> {
    match function.from {
        Known::Stated(Side::Server) => Some(&function.returns),
        Known::Stated(Side::Client) | Known::Asked => Some(&function.data),
    }
}

fn lengths(payload: Option<&Payload>, reached: &mut BTreeSet<TypeId>) -> Vec<(String, &'static str)> {
    let mut found = Vec::new();
    let Some(payload) = payload else { return found };
    for (name, ty) in payload.named() {
        let mut inner = Vec::new();
        lengths_of(ty, "", &mut inner, reached);
        let alone = matches!(payload, Payload::One(_));
        found.extend(inner.into_iter().map(|(path, kind)| {
            let path = match (path.as_str(), alone) {
                ("", _) => name.clone(),
                // Fields of the one value there is need no number in front.
                (path, true) if path.starts_with('.') => path.trim_start_matches('.').to_string(),
                (path, true) => format!("#1{path}"),
                (path, false) => format!("{name}{path}"),
            };
            (path, kind)
        }));
    }
    found
}

/// Paths and kinds of the lengths of a type without an upper bound.
fn lengths_of(ty: &Ty, path: &str, found: &mut Vec<(String, &'static str)>, reached: &mut BTreeSet<TypeId>) {
    let open = |range: &Option<super::Range>| range.as_ref().is_none_or(|range| range.max.is_none());
    match ty {
        Ty::Text(kind, range) if open(range) => found.push((path.to_string(), kind)),
        Ty::Array(inner, range) => {
            if open(range) {
                found.push((path.to_string(), "array"));
            }
            lengths_of(inner, &format!("{path}[]"), found, reached);
        }
        Ty::Optional(inner) => lengths_of(inner, path, found, reached),
        Ty::Struct(fields) => {
            for (name, ty) in fields {
                lengths_of(ty, &format!("{path}.{name}"), found, reached);
            }
        }
        Ty::Tagged(_, variants) => {
            for (variant, fields) in variants {
                for (name, ty) in fields {
                    lengths_of(ty, &format!("{path}.{variant}.{name}"), found, reached);
                }
            }
        }
        Ty::Map(key, value) => {
            lengths_of(key, &format!("{path}[key]"), found, reached);
            lengths_of(value, &format!("{path}[value]"), found, reached);
        }
        Ty::Named(id, _) => {
            reached.insert(*id);
        }
        Ty::Text(..) | Ty::Plain(_) | Ty::Number(..) | Ty::Unknown | Ty::Enum(_) => {}
    }
}

fn mark(item: &mut Item, found: Vec<(String, &'static str)>, report: &mut Report) {
    for (path, kind) in found {
        let path = path.trim_start_matches('.');
        let head = item.head_mut();
        // A field's own name may hold a line end.
        let shown = path.replace(['\n', '\r'], " ");
        head.comments.push(format!("-- TODO(convert): a bound for {shown} ({kind})"));
        let message = format!("{}: a bound for {shown} ({kind})", head.name);
        report.todos.push(crate::report::Todo {
            kind: Kind::Bound,
            name: head.name.clone(),
            place: head.place.clone(),
            message,
        });
    }
}
