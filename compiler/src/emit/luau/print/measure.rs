//! Widths: whether a node fits what is left of its line.

use super::super::ast::{Entry, Expr, LuauType};
use super::{number_width, op_text, quoted_width};

/// Columns of an expression on one line, or nothing when it is longer than `room` or can't be on one line.
pub(super) fn measure(expr: &Expr, room: usize) -> Option<usize> {
    let width = match expr {
        Expr::Nil => 3,
        Expr::Bool(value) => {
            if *value {
                4
            } else {
                5
            }
        }
        Expr::Number(value) => number_width(*value),
        Expr::Text(value) => quoted_width(value),
        Expr::Name(value) | Expr::Path(value) => value.len(),
        Expr::Varargs => 3,
        Expr::Verbatim(text) => text.chars().count(),
        Expr::Field(object, key) => measure(object, room)? + key.len() + 1,
        Expr::Index(object, key) => measure(object, room)? + measure(key, room)? + 2,
        Expr::Call(callee, args) => measure(callee, room)? + measure_all(args, room)? + 2,
        Expr::Method(method) => {
            measure(&method.object, room)? + method.key.len() + measure_all(&method.args, room)? + 3
        }
        Expr::Unary(_, value) => measure(value, room)? + 4,
        Expr::Binary(left, op, right) => {
            let left = measure(left, room)?;
            left + op_text(*op).len() + 2 + measure(right, room.checked_sub(left)?)?
        }
        Expr::Function(function) => {
            if !function.body.is_empty() || !function.params.is_empty() {
                return None;
            }
            18
        }
        Expr::Table(entries) => {
            let mut width = 4;
            for entry in entries {
                width += 2 + match entry {
                    Entry::Item(value) => measure(value, room)?,
                    Entry::Named(key, value) => key.len() + 3 + measure(value, room)?,
                    Entry::Keyed(key, value) => measure(key, room)? + measure(value, room)? + 5,
                    Entry::Comment(_) => return None,
                };
                if width > room + 2 {
                    return None;
                }
            }
            width.saturating_sub(2)
        }
        Expr::If(arms, otherwise) => {
            let mut width = 6 + measure(otherwise, room)?;
            for (condition, value) in arms {
                width += 14 + measure(condition, room)? + measure(value, room)?;
            }
            width
        }
        Expr::Cast(value, ty) => measure(value, room)? + 4 + type_width(ty),
    };
    (width <= room).then_some(width)
}

pub(super) fn measure_all(values: &[Expr], room: usize) -> Option<usize> {
    let mut width: usize = 0;
    for value in values {
        width += measure(value, room)? + 2;
        if width > room + 2 {
            return None;
        }
    }
    Some(width.saturating_sub(2))
}

pub(super) fn type_width(ty: &LuauType) -> usize {
    match ty {
        LuauType::Name(name, args) => name.len() + args.iter().map(|arg| type_width(arg) + 2).sum::<usize>(),
        LuauType::Text(text) => text.len() + 2,
        LuauType::Optional(inner) => type_width(inner) + 1,
        LuauType::Union(members) => members.iter().map(|member| type_width(member) + 3).sum::<usize>(),
        LuauType::Array(element) => type_width(element) + 4,
        LuauType::Map(key, value) => type_width(key) + type_width(value) + 8,
        LuauType::Table(fields) => {
            4 + fields.iter().map(|(key, value)| key.len() + type_width(value) + 4).sum::<usize>()
        }
        LuauType::Function(params, returns) => {
            let named: usize = params
                .iter()
                .map(|(name, ty)| name.as_ref().map_or(0, |name| name.len() + 2) + type_width(ty) + 2)
                .sum();
            named + returns.iter().map(|ty| type_width(ty) + 2).sum::<usize>() + 8
        }
        LuauType::Variadic(inner) => type_width(inner) + 3,
        LuauType::Typeof(_) => 20,
    }
}
