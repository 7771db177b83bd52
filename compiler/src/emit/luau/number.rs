//! Numbers: from the value a game gives to what travels, and back.

use smol_str::format_smolstr;

use super::ast::*;
use super::context::{Context, Names};
use crate::schema::NumberKind;
use crate::wire::plan::{Bounds, Clamp, Number, Step};

/// Writes `value` at `at` of `Buffer`.
pub fn store(cx: &mut Context, kind: NumberKind, at: Expr, value: Expr, names: &mut Names, out: &mut Block) {
    let plain = |name: &str| path(format_smolstr!("buffer.{name}"));
    let writer = match kind {
        NumberKind::U8 => plain("writeu8"),
        NumberKind::I8 => plain("writei8"),
        NumberKind::U16 => plain("writeu16"),
        NumberKind::I16 => plain("writei16"),
        NumberKind::U32 => plain("writeu32"),
        NumberKind::I32 => plain("writei32"),
        NumberKind::F32 => plain("writef32"),
        NumberKind::F64 => plain("writef64"),
        NumberKind::F16 => cx.runtime("Float16", "write"),
        NumberKind::F24 => cx.runtime("Float24", "write"),
        NumberKind::U24 | NumberKind::I24 => {
            let value = match value {
                value @ (Expr::Name(_) | Expr::Number(_)) => value,
                value => {
                    let local = names.fresh("Whole");
                    out.local(&local, value);
                    name(local)
                }
            };
            let high = call("bit32.rshift", [value.clone(), num(16)]);
            out.call("buffer.writeu16", [name("Buffer"), at.clone(), value]);
            out.call("buffer.writeu8", [name("Buffer"), add(at, num(2)), high]);
            return;
        }
    };
    out.push(Stat::Call(apply(writer, [name("Buffer"), at, value])));
}

/// The number at `at` of `Buffer`.
pub fn load(cx: &mut Context, kind: NumberKind, at: Expr) -> Expr {
    let read = |function: &str, at: Expr| call(&format!("buffer.{function}"), [name("Buffer"), at]);
    match kind {
        NumberKind::U8 => read("readu8", at),
        NumberKind::I8 => read("readi8", at),
        NumberKind::U16 => read("readu16", at),
        NumberKind::I16 => read("readi16", at),
        NumberKind::U32 => read("readu32", at),
        NumberKind::I32 => read("readi32", at),
        NumberKind::F32 => read("readf32", at),
        NumberKind::F64 => read("readf64", at),
        NumberKind::U24 => {
            let high = read("readu8", add(at.clone(), num(2)));
            binary(read("readu16", at), BinaryOp::Add, mul(high, num(65536)))
        }
        NumberKind::I24 => {
            let high = read("readi8", add(at.clone(), num(2)));
            binary(read("readu16", at), BinaryOp::Add, mul(high, num(65536)))
        }
        NumberKind::F16 => apply(cx.runtime("Float16", "read"), [name("Buffer"), at]),
        NumberKind::F24 => apply(cx.runtime("Float24", "read"), [name("Buffer"), at]),
    }
}

/// The runtime module of a float that the engine's buffers don't have.
pub fn float_module(kind: NumberKind) -> Option<&'static str> {
    match kind {
        NumberKind::F16 => Some("Float16"),
        NumberKind::F24 => Some("Float24"),
        NumberKind::U8
        | NumberKind::U16
        | NumberKind::U24
        | NumberKind::U32
        | NumberKind::I8
        | NumberKind::I16
        | NumberKind::I24
        | NumberKind::I32
        | NumberKind::F32
        | NumberKind::F64 => None,
    }
}

/// The condition under which `value` is outside `bounds`.
pub fn outside(value: &Expr, bounds: Bounds) -> Option<Expr> {
    let sides = |less: fn(Expr, Expr) -> Expr, more: fn(Expr, Expr) -> Expr, join: fn(Expr, Expr) -> Expr| {
        let low = bounds.min.map(|min| less(value.clone(), num(min)));
        let high = bounds.max.map(|max| more(value.clone(), num(max)));
        match (low, high) {
            (Some(low), Some(high)) => Some(join(low, high)),
            (low, high) => low.or(high),
        }
    };
    if !bounds.nan {
        return sides(lt, gt, or);
    }
    Some(sides(ge, le, and).map_or_else(|| ne(value.clone(), value.clone()), not))
}

/// A local that holds `value`, unless it is one already.
pub fn hold(value: Expr, hint: &str, names: &mut Names, out: &mut Block) -> Expr {
    match value {
        Expr::Name(_) | Expr::Number(_) => value,
        value => {
            let local = names.fresh(hint);
            out.local(&local, value);
            name(local)
        }
    }
}

/// What of `value` travels, `bias` or the lower bound not yet taken off. `refuse(condition, out)` refuses the send.
pub fn to_wire(
    number: &Number,
    value: Expr,
    validate: bool,
    names: &mut Names,
    out: &mut Block,
    refuse: &mut dyn FnMut(Expr, &mut Block),
) -> Expr {
    let mut value = value;
    if let Some(step) = number.step {
        let scaled = match step {
            Step::Reciprocal(reciprocal) => mul(value, num(reciprocal)),
            Step::Multiplied(size) => binary(value, BinaryOp::Div, num(size)),
        };
        value = call("math.round", [scaled]);
    } else if let Some(validated) = number.validated.filter(|_| validate) {
        value = hold(value, "Number", names, out);
        if let Some(condition) = outside(&value, validated) {
            refuse(condition, out);
        }
    }
    if let Some(clamp) = number.clamp {
        let whole = number.step.is_none() && !is_float(number.kind);
        value = hold(value, "Number", names, out);
        value = clamped(value, clamp, whole);
    } else if number.always.is_some() && number.step.is_none() {
        // The whole part alone, which is what a game means by a fraction in an integer.
        value = call("math.modf", [value]);
    }
    if number.step.is_some()
        && let Some(validated) = number.validated.filter(|_| validate)
    {
        value = hold(value, "Steps", names, out);
        if let Some(condition) = outside(&value, validated) {
            refuse(condition, out);
        }
    }
    if let Some(always) = number.always {
        value = hold(value, "Whole", names, out);
        if let Some(condition) = outside(&value, always) {
            refuse(condition, out);
        }
    }
    value
}

fn is_float(kind: NumberKind) -> bool {
    matches!(kind, NumberKind::F16 | NumberKind::F24 | NumberKind::F32 | NumberKind::F64)
}

fn clamped(value: Expr, clamp: Clamp, round: bool) -> Expr {
    let rounded = if round { call("math.round", [value.clone()]) } else { value.clone() };
    let held = match (clamp.min, clamp.max) {
        (Some(min), Some(max)) => call("math.clamp", [rounded, num(min), num(max)]),
        (Some(min), None) => call("math.max", [rounded, num(min)]),
        (None, Some(max)) => call("math.min", [rounded, num(max)]),
        (None, None) => rounded,
    };
    choose(eq(value.clone(), value), held, num(clamp.nan))
}

/// The value meant by `wire`, a number as it travelled with `offset` taken off it.
pub fn from_wire(number: &Number, wire: Expr, offset: f64) -> Expr {
    let whole = if offset < 0.0 { sub(wire, num(-offset)) } else { add(wire, num(offset)) };
    match number.step {
        None => whole,
        Some(Step::Reciprocal(1.0)) => whole,
        Some(Step::Reciprocal(reciprocal)) => binary(whole, BinaryOp::Div, num(reciprocal)),
        Some(Step::Multiplied(size)) => mul(whole, num(size)),
    }
}
