//! Roblox's own types: frames, colours, enums and the like, from and to their bytes.

use super::ast::*;
use super::context::{Context, Names};
use super::number;
use crate::schema::{NumberKind, RobloxType, Rotation, Side};
use crate::wire::plan::{CFrame, Node, Place, Shape};

/// Bytes of a type that claims them.
fn claimed(shape: &Shape) -> u32 {
    match shape {
        Shape::CFrame(frame) => frame.position.size() * 3 + frame.rotation.size(),
        Shape::EnumItem { .. } => 2,
        Shape::Entity { .. } => 8,
        // It moves the cursor itself.
        Shape::Roblox { ty: RobloxType::ColorSequence, .. } => 0,
        Shape::Roblox { ty, .. } => ty.size(),
        _ => 0,
    }
}

fn place_of(shape: &Shape) -> Place {
    match shape {
        Shape::CFrame(frame) => frame.place,
        Shape::EnumItem { place, .. } | Shape::Roblox { place, .. } | Shape::Entity { place, .. } => *place,
        _ => Place::Append,
    }
}

fn put(function: &str, at: Expr, value: Expr, out: &mut Block) {
    out.call(&format!("buffer.{function}"), [name("Buffer"), at, value]);
}

fn get(function: &str, at: Expr) -> Expr {
    call(&format!("buffer.{function}"), [name("Buffer"), at])
}

/// Writes `value`, a name, where the node's bytes lie.
#[allow(clippy::too_many_arguments, reason = "each is needed, and there is one caller")]
pub fn write(
    cx: &mut Context,
    names: &mut Names,
    node: &Node,
    value: Expr,
    what: &str,
    level: u8,
    at: impl Fn(Place) -> Expr,
    out: &mut Block,
) {
    let place = place_of(&node.shape);
    let at = at(place);
    let expected = match &node.shape {
        Shape::CFrame(_) => "CFrame",
        Shape::EnumItem { .. } => "EnumItem",
        Shape::Roblox { ty, .. } => ty.class(),
        _ => "",
    };
    // Which entity it is says more, and is asked in any case.
    if cx.options.write_validations && !matches!(node.shape, Shape::Entity { .. }) {
        let message = cx.runtime("Messages", "wrongType");
        let actual = call("typeof", [value.clone()]);
        let body = block(|b| {
            b.call("error", [apply(message, [text(what), text(expected), actual.clone()]), num(level)]);
        });
        out.when(ne(actual, text(expected)), body);
    }
    match &node.shape {
        Shape::CFrame(frame) => write_cframe(cx, names, frame, value, at, out),
        Shape::EnumItem { name: enum_name, .. } => {
            if cx.options.write_validations {
                let expected = field(name("Enum"), enum_name.as_str());
                let body = block(|b| {
                    let message = format!("[BlinkBlox]: {what} must be an item of Enum.{enum_name}.");
                    b.call("error", [text(message), num(level)]);
                });
                out.when(ne(field(value.clone(), "EnumType"), expected), body);
            }
            let number = names.fresh("Value");
            out.local(&number, field(value, "Value"));
            let body = block(|b| {
                let message = format!("[BlinkBlox]: {what} has a Value outside 0 to 65535.");
                b.call("error", [text(message), num(level)]);
            });
            out.when(or(lt(name(&number), num(0)), gt(name(&number), num(65535))), body);
            put("writeu16", at, name(number), out);
        }
        Shape::Roblox { ty, .. } => write_fixed(cx, *ty, value, at, out),
        Shape::Entity { path, index, .. } => {
            let id = cx.runtime("EntityArguments", "idOf");
            let name = path.rsplit('.').next().unwrap_or(path);
            let id = apply(id, [value, num(*index), text(what), text(name), num(level)]);
            put("writef64", at, id, out);
        }
        _ => {}
    }
    if place == Place::Append {
        out.bump(name("Cursor"), num(claimed(&node.shape)));
    }
}

fn write_cframe(cx: &mut Context, names: &mut Names, frame: &CFrame, value: Expr, at: Expr, out: &mut Block) {
    let step = frame.position.size();
    for (place, axis) in ["X", "Y", "Z"].into_iter().enumerate() {
        let at = add(at.clone(), num(step * place as u32));
        number::store(cx, frame.position, at, field(value.clone(), axis), names, out);
    }
    let behind = add(at, num(step * 3));
    match frame.rotation {
        Rotation::Angles(kind) => {
            let angles: Vec<String> =
                ["AngleX", "AngleY", "AngleZ"].iter().map(|hint| names.fresh(hint)).collect();
            let locals = angles.iter().map(bare).collect();
            out.push(Stat::Local(locals, vec![method(value, "ToOrientation", [])]));
            for (place, angle) in angles.into_iter().enumerate() {
                let at = add(behind.clone(), num(kind.size() * place as u32));
                number::store(cx, kind, at, name(angle), names, out);
            }
        }
        Rotation::Quat => {
            let write = cx.runtime("Quaternion", "write");
            out.push(Stat::Call(apply(write, [name("Buffer"), behind, value])));
        }
        Rotation::Quat32 => {
            let write = cx.runtime("Quaternion", "write32");
            out.push(Stat::Call(apply(write, [name("Buffer"), behind, value])));
        }
    }
}

fn write_fixed(cx: &mut Context, ty: RobloxType, value: Expr, at: Expr, out: &mut Block) {
    let of = |key: &str| field(value.clone(), key);
    let behind = |bytes: u32| add(at.clone(), num(bytes));
    match ty {
        RobloxType::Color3 => {
            let write = cx.runtime("Colors", "write");
            out.push(Stat::Call(apply(write, [name("Buffer"), at.clone(), value.clone()])));
        }
        RobloxType::BrickColor => put("writeu16", at.clone(), of("Number"), out),
        RobloxType::DateTime => put("writef64", at.clone(), of("UnixTimestamp"), out),
        RobloxType::DateTimeMillis => put("writef64", at.clone(), of("UnixTimestampMillis"), out),
        RobloxType::Vector2 => {
            put("writef32", at.clone(), of("X"), out);
            put("writef32", behind(4), of("Y"), out);
        }
        RobloxType::UDim => {
            put("writef32", at.clone(), of("Scale"), out);
            put("writei32", behind(4), of("Offset"), out);
        }
        RobloxType::UDim2 => {
            for (place, axis) in ["X", "Y"].into_iter().enumerate() {
                put("writef32", behind(place as u32 * 8), field(of(axis), "Scale"), out);
                put("writei32", behind(place as u32 * 8 + 4), field(of(axis), "Offset"), out);
            }
        }
        RobloxType::NumberRange => {
            put("writef32", at.clone(), of("Min"), out);
            put("writef32", behind(4), of("Max"), out);
        }
        RobloxType::TweenInfo => {
            put("writef32", at.clone(), of("Time"), out);
            put("writeu8", behind(4), field(of("EasingStyle"), "Value"), out);
            put("writeu8", behind(5), field(of("EasingDirection"), "Value"), out);
            put("writei32", behind(6), of("RepeatCount"), out);
            put("writeu8", behind(10), choose(of("Reverses"), num(1), num(0)), out);
            put("writef32", behind(11), of("DelayTime"), out);
        }
        RobloxType::ColorSequence => {
            let write = cx.runtime("Colors", "writeSequence");
            out.assign(name("Cursor"), apply(write, [name("Buffer"), name("Cursor"), value.clone()]));
        }
    }
}

/// Reads the node's value.
pub fn read(
    cx: &mut Context,
    names: &mut Names,
    node: &Node,
    what: &str,
    at: impl Fn(Place) -> Expr,
    out: &mut Block,
) -> Expr {
    let place = place_of(&node.shape);
    let at = at(place);
    let mut value = match &node.shape {
        Shape::CFrame(frame) => read_cframe(cx, frame, at),
        Shape::EnumItem { name: enum_name, .. } => {
            cx.enums.insert(enum_name.clone());
            let local = names.fresh(enum_name);
            out.local(&local, index(name(enum_table(enum_name)), get("readu16", at)));
            let body = block(|b| {
                let message = format!("{what}: no item of Enum.{enum_name} has this value");
                b.call("error", [text(message), num(0)]);
            });
            out.when(eq(name(&local), Expr::Nil), body);
            name(local)
        }
        Shape::Roblox { ty, .. } => read_fixed(cx, names, *ty, what, at, out),
        Shape::Entity { index, .. } => {
            let named = match cx.side {
                Side::Server => cx.runtime("EntityStore", "named"),
                Side::Client => cx.runtime("EntityMirrors", "named"),
            };
            apply(named, [num(*index), get("readf64", at)])
        }
        _ => Expr::Nil,
    };
    if place == Place::Append {
        if !matches!(value, Expr::Name(_)) {
            let local = names.fresh(what.rsplit('.').next().unwrap_or(what));
            out.local(&local, value);
            value = name(local);
        }
        out.bump(name("Cursor"), num(claimed(&node.shape)));
    }
    value
}

/// Name of the module's table of an enum's items by value.
pub fn enum_table(enum_name: &str) -> String {
    format!("{enum_name}ByValue")
}

fn read_cframe(cx: &mut Context, frame: &CFrame, at: Expr) -> Expr {
    let axes = |cx: &mut Context, kind: NumberKind, at: &Expr| -> Vec<Expr> {
        (0..3).map(|place| number::load(cx, kind, add(at.clone(), num(kind.size() * place)))).collect()
    };
    let mut position = axes(cx, frame.position, &at);
    let behind = add(at, num(frame.position.size() * 3));
    match frame.rotation {
        Rotation::Angles(kind) => {
            let angles = axes(cx, kind, &behind);
            mul(call("CFrame.new", position), call("CFrame.fromOrientation", angles))
        }
        Rotation::Quat | Rotation::Quat32 => {
            let member = if frame.rotation == Rotation::Quat { "read" } else { "read32" };
            let read = cx.runtime("Quaternion", member);
            position.push(apply(read, [name("Buffer"), behind]));
            call("CFrame.new", position)
        }
    }
}

fn read_fixed(
    cx: &mut Context,
    names: &mut Names,
    ty: RobloxType,
    what: &str,
    at: Expr,
    out: &mut Block,
) -> Expr {
    let behind = |bytes: u32| add(at.clone(), num(bytes));
    match ty {
        RobloxType::Color3 => apply(cx.runtime("Colors", "read"), [name("Buffer"), at]),
        RobloxType::BrickColor => call("BrickColor.new", [get("readu16", at)]),
        RobloxType::DateTime => call("DateTime.fromUnixTimestamp", [get("readf64", at)]),
        RobloxType::DateTimeMillis => call("DateTime.fromUnixTimestampMillis", [get("readf64", at)]),
        RobloxType::Vector2 => call("Vector2.new", [get("readf32", at.clone()), get("readf32", behind(4))]),
        RobloxType::UDim => call("UDim.new", [get("readf32", at.clone()), get("readi32", behind(4))]),
        RobloxType::UDim2 => call(
            "UDim2.new",
            [
                get("readf32", at.clone()),
                get("readi32", behind(4)),
                get("readf32", behind(8)),
                get("readi32", behind(12)),
            ],
        ),
        RobloxType::NumberRange => {
            let least = names.fresh("Least");
            let greatest = names.fresh("Greatest");
            out.local(&least, get("readf32", at.clone()));
            out.local(&greatest, get("readf32", behind(4)));
            let body = block(|b| {
                b.call("error", [text(format!("{what}: its bounds are out of order")), num(0)]);
            });
            out.when(not(le(name(&least), name(&greatest))), body);
            call("NumberRange.new", [name(least), name(greatest)])
        }
        RobloxType::TweenInfo => apply(cx.runtime("Tweens", "read"), [name("Buffer"), at]),
        RobloxType::ColorSequence => {
            let local = names.fresh("Colors");
            let read = cx.runtime("Colors", "readSequence");
            out.declare(&local, super::ast::ty("ColorSequence"));
            out.push(Stat::Assign(
                vec![name(&local), name("Cursor")],
                vec![apply(read, [name("Buffer"), name("Cursor")])],
            ));
            name(local)
        }
    }
}
