//! Copies of values that may leave their VM. A table met again inside itself is left out, since module tables commonly
//! name themselves as their own `__index`.

use std::rc::Rc;

use crate::value::{Table, Value};
use crate::vm::{Cx, MAX_DEPTH, Raise, Type};

/// A copy of the value at `index`: tables by content, functions by handle.
pub fn value(cx: &Cx<'_>, index: i32) -> Result<Value, Raise> {
    walk(cx, index, &mut Vec::new(), Again::Nothing)
}

/// Copies of values for people to look at: a table met again inside itself stays a reference, so that it can be seen.
pub fn for_show(cx: &Cx<'_>, values: &[Value]) -> Result<Vec<Value>, Raise> {
    copied(cx, values, Again::Reference)
}

/// Turns what a thread returned, where tables still are references, into copies.
pub fn shallow_to_deep(cx: &Cx<'_>, values: &[Value]) -> Result<Vec<Value>, Raise> {
    copied(cx, values, Again::Nothing)
}

fn copied(cx: &Cx<'_>, values: &[Value], again: Again) -> Result<Vec<Value>, Raise> {
    let copy = |shallow: &Value| match shallow {
        Value::Reference(_) => {
            cx.push(shallow);
            let copied = walk(cx, cx.top(), &mut Vec::new(), again);
            cx.pop(1);
            copied
        }
        other => Ok(other.clone()),
    };
    values.iter().map(copy).collect()
}

/// What becomes of a table met again inside itself.
#[derive(Clone, Copy)]
enum Again {
    /// It is left out.
    Nothing,
    /// A reference to it.
    Reference,
}

fn walk(cx: &Cx<'_>, index: i32, inside: &mut Vec<usize>, again: Again) -> Result<Value, Raise> {
    if cx.kind(index) != Type::Table {
        return cx.shallow(index);
    }
    let identity = cx.identity(index);
    if inside.contains(&identity) {
        return match again {
            Again::Nothing => Ok(Value::Nil),
            Again::Reference => cx.shallow(index),
        };
    }
    if inside.len() >= MAX_DEPTH {
        return Err(Raise::new("exceeded maximum nesting"));
    }
    inside.push(identity);
    let mut table = Table::default();
    cx.each(index, |key, entry| {
        let key = walk(cx, key, inside, again)?;
        match (key, walk(cx, entry, inside, again)?) {
            (Value::Nil, _) | (_, Value::Nil) => {}
            (Value::Number(number), value) if number == (table.array.len() + 1) as f64 => {
                table.array.push(value)
            }
            pair => table.pairs.push(pair),
        }
        Ok(())
    })?;
    inside.pop();
    Ok(Value::Table(Rc::new(table)))
}
