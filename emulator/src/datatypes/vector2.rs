//! `Vector2`: two float32 numbers. Engine page: datatypes/Vector2, checked November 2026.

use super::script::{
    Property, equal, float, float_or, held, operand, push_float, return_bool, return_data, return_float,
    scripted, this, wrong_operand,
};
use super::text;
use super::vector3::{near, sign_of};
use crate::value::Value;
use crate::vm::{Cx, Failure, NativeFn, Outcome, Type, Vm};

/// Two float32 numbers.
pub use glam::Vec2 as Vector2;

/// The length of `v`, a float32.
pub fn magnitude(v: Vector2) -> f32 {
    (v.x * v.x + v.y * v.y).sqrt()
}

/// `v` scaled to length 1. Each part of the zero vector's is NaN, as in the engine.
pub fn unit(v: Vector2) -> Vector2 {
    v / magnitude(v)
}

/// The scalar product.
pub fn dot(a: Vector2, b: Vector2) -> f32 {
    a.x * b.x + a.y * b.y
}

/// The z part of the vector product of the two in the plane.
pub fn cross(a: Vector2, b: Vector2) -> f32 {
    a.x * b.y - a.y * b.x
}

/// -1, 0 or 1 for each part.
pub fn sign(v: Vector2) -> Vector2 {
    v.to_array().map(sign_of).into()
}

/// `a + (b - a) * alpha`, `alpha` unclamped.
pub fn lerp(a: Vector2, b: Vector2, alpha: f32) -> Vector2 {
    a + (b - a) * alpha
}

/// The angle between two vectors in radians: 0 to π, or -π to π when `signed` (positive anticlockwise).
pub fn angle(a: Vector2, b: Vector2, signed: bool) -> f32 {
    let angle = f64::from(cross(a, b)).atan2(f64::from(dot(a, b))) as f32;
    if signed { angle } else { angle.abs() }
}

/// Whether each part of `a` is near that of `b`; the tolerance grows with the size of the part.
pub fn fuzzy_eq(a: Vector2, b: Vector2, epsilon: f32) -> bool {
    near(a.x, b.x, epsilon) && near(a.y, b.y, epsilon)
}

/// The text of a vector: `1, 2`.
pub fn to_text(v: Vector2) -> String {
    text::floats(&v.to_array())
}

// ---------------------------------------------------------------- seen from scripts

/// Describes the type to a VM and adds its library.
pub(super) fn install(vm: &Vm) -> Result<(), Failure> {
    vm.register_data::<Vector2>(table())?;
    let constant = |vector: Vector2| Value::Datatype(vector.into());
    let constants = [
        ("zero", constant(Vector2::ZERO)),
        ("one", constant(Vector2::ONE)),
        ("xAxis", constant(Vector2::X)),
        ("yAxis", constant(Vector2::Y)),
    ];
    vm.set_library("Vector2", &[("new", new)], &constants)
}

fn new(cx: &mut Cx<'_>) -> Outcome {
    let vector = Vector2::new(float_or(cx, 1, 0.0)?, float_or(cx, 2, 0.0)?);
    return_data(cx, vector)
}

const PROPERTIES: &[(&str, Property<Vector2>)] = &[
    ("X", |cx, this| push_float(cx, this.x)),
    ("Y", |cx, this| push_float(cx, this.y)),
    ("x", |cx, this| push_float(cx, this.x)),
    ("y", |cx, this| push_float(cx, this.y)),
    ("Magnitude", |cx, this| push_float(cx, magnitude(*this))),
    ("magnitude", |cx, this| push_float(cx, magnitude(*this))),
    ("Unit", |cx, this| cx.push_data(unit(*this))),
    ("unit", |cx, this| cx.push_data(unit(*this))),
];

const METHODS: &[(&str, NativeFn)] = &[
    ("Abs", |cx| return_data(cx, this::<Vector2>(cx)?.abs())),
    ("Ceil", |cx| return_data(cx, this::<Vector2>(cx)?.ceil())),
    ("Floor", |cx| return_data(cx, this::<Vector2>(cx)?.floor())),
    ("Sign", |cx| return_data(cx, sign(this(cx)?))),
    ("Dot", |cx| return_float(cx, dot(this(cx)?, held(cx, 1)?))),
    ("Cross", |cx| return_float(cx, cross(this(cx)?, held(cx, 1)?))),
    ("Lerp", |cx| return_data(cx, lerp(this(cx)?, held(cx, 1)?, float(cx, 2)?))),
    ("Angle", |cx| return_float(cx, angle(this(cx)?, held(cx, 1)?, cx.opt_boolean(2)?.unwrap_or(false)))),
    ("FuzzyEq", |cx| return_bool(cx, fuzzy_eq(this(cx)?, held(cx, 1)?, float_or(cx, 2, 1e-5)?))),
    ("Max", |cx| fold(cx, Vector2::max)),
    ("Min", |cx| fold(cx, Vector2::min)),
    ("lerp", |cx| return_data(cx, lerp(this(cx)?, held(cx, 1)?, float(cx, 2)?))),
];

const OPERATORS: &[(&str, NativeFn)] = &[
    ("__add", |cx| return_data(cx, operand::<Vector2>(cx, 1)? + operand::<Vector2>(cx, 2)?)),
    ("__sub", |cx| return_data(cx, operand::<Vector2>(cx, 1)? - operand::<Vector2>(cx, 2)?)),
    ("__mul", |cx| scaled(cx, |a, b| a * b)),
    ("__div", |cx| scaled(cx, |a, b| a / b)),
    ("__idiv", |cx| scaled(cx, |a, b| (a / b).floor())),
    ("__unm", |cx| return_data(cx, -operand::<Vector2>(cx, 1)?)),
    ("__eq", equal::<Vector2>),
];

fn script_text(vector: &Vector2) -> String {
    to_text(*vector)
}

scripted!(Vector2, "Vector2");

/// An operator between two vectors, or a vector and a number on either side.
fn scaled(cx: &mut Cx<'_>, op: fn(Vector2, Vector2) -> Vector2) -> Outcome {
    let part = |index: i32| match cx.kind(index) {
        Type::Number => Ok(Vector2::splat(float(cx, index)?)),
        _ => cx.try_data(index).ok_or_else(|| wrong_operand(cx, index, "Vector2")),
    };
    return_data(cx, op(part(1)?, part(2)?))
}

fn fold(cx: &mut Cx<'_>, pick: fn(Vector2, Vector2) -> Vector2) -> Outcome {
    let mut result: Vector2 = this(cx)?;
    for index in 1..=cx.count() {
        result = pick(result, held(cx, index)?);
    }
    return_data(cx, result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f32::consts::FRAC_PI_2;

    #[test]
    fn members_have_known_values() {
        let v = Vector2::new(3.0, 4.0);
        assert_eq!(magnitude(v), 5.0);
        assert_eq!(unit(v), Vector2::new(0.6, 0.8));
        assert!(unit(Vector2::ZERO).x.is_nan());
        assert_eq!(dot(v, Vector2::new(1.0, 2.0)), 11.0);
        assert_eq!(cross(v, Vector2::new(1.0, 2.0)), 2.0);
        assert_eq!(lerp(Vector2::ZERO, v, 0.25), Vector2::new(0.75, 1.0));
        assert_eq!(sign(Vector2::new(-3.0, 0.0)), Vector2::new(-1.0, 0.0));
        assert_eq!(to_text(Vector2::new(1.0, -0.5)), "1, -0.5");
    }

    #[test]
    fn angles_are_absolute_unless_signed() {
        assert_eq!(angle(Vector2::Y, Vector2::X, false), FRAC_PI_2);
        assert_eq!(angle(Vector2::Y, Vector2::X, true), -FRAC_PI_2);
    }
}
