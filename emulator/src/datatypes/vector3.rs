//! `Vector3`: three float32 numbers. Engine page: datatypes/Vector3, checked November 2026.
//!
//! The VM's own vector is the value scripts hold, so the arithmetic operators are Luau's. This file has the functions
//! and members around them; every part is rounded to float32 after each operation.

use super::script::{
    Property, enum_value, float, float_or, held, held_or, push_float, push_vector3, return_bool,
    return_float, return_vector3, scripted, this,
};
use super::text;
use crate::value::Value;
use crate::vm::{Cx, Failure, NativeFn, Outcome, Raise, Vm};

/// Three float32 numbers, the VM's own vector.
pub use glam::Vec3 as Vector3;

/// The length of `v`, a float32.
pub fn magnitude(v: Vector3) -> f32 {
    (v.x * v.x + v.y * v.y + v.z * v.z).sqrt()
}

/// `v` scaled to length 1. Each part of the zero vector's is NaN, as in the engine.
pub fn unit(v: Vector3) -> Vector3 {
    v / magnitude(v)
}

/// The scalar product.
pub fn dot(a: Vector3, b: Vector3) -> f32 {
    a.x * b.x + a.y * b.y + a.z * b.z
}

/// The vector product.
pub fn cross(a: Vector3, b: Vector3) -> Vector3 {
    Vector3::new(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
}

/// -1, 0 or 1 for each part.
pub fn sign(v: Vector3) -> Vector3 {
    v.to_array().map(sign_of).into()
}

/// `a + (b - a) * alpha`, `alpha` unclamped.
pub fn lerp(a: Vector3, b: Vector3, alpha: f32) -> Vector3 {
    a + (b - a) * alpha
}

/// The angle between two vectors, in radians from 0 to π; with an axis, signed: positive where the turn from `a` to `b`
/// is anticlockwise seen from the axis' tip.
pub fn angle(a: Vector3, b: Vector3, axis: Option<Vector3>) -> f32 {
    let normal = cross(a, b);
    let angle = f64::from(magnitude(normal)).atan2(f64::from(dot(a, b))) as f32;
    match axis {
        Some(axis) if dot(normal, axis) < 0.0 => -angle,
        _ => angle,
    }
}

/// Whether each part of `a` is near that of `b`; the tolerance grows with the size of the part.
pub fn fuzzy_eq(a: Vector3, b: Vector3, epsilon: f32) -> bool {
    near(a.x, b.x, epsilon) && near(a.y, b.y, epsilon) && near(a.z, b.z, epsilon)
}

/// Whether `a` is within `epsilon * (|a| + 1)` of `b`, or equal to it (infinities).
pub fn near(a: f32, b: f32, epsilon: f32) -> bool {
    a == b || (a - b).abs() <= epsilon * (a.abs() + 1.0)
}

/// The text of a vector: `1, 2, 3`.
pub fn to_text(v: Vector3) -> String {
    text::floats(&v.to_array())
}

/// The direction of an item of `Enum.NormalId`, by the item's value: Right, Top, Back, Left, Bottom, Front.
pub fn from_normal_id(value: u32) -> Option<Vector3> {
    let mut parts = [0.0; 3];
    let axis = usize::try_from(value).ok().filter(|value| *value < 6)?;
    parts[axis % 3] = if axis < 3 { 1.0 } else { -1.0 };
    Some(parts.into())
}

/// The direction of an item of `Enum.Axis`, by the item's value: X, Y, Z.
pub fn from_axis(value: u32) -> Option<Vector3> {
    from_normal_id(value).filter(|_| value < 3)
}

/// -1, 0 or 1; NaN counts as 0.
pub(super) fn sign_of(part: f32) -> f32 {
    if part > 0.0 {
        1.0
    } else if part < 0.0 {
        -1.0
    } else {
        0.0
    }
}

// ---------------------------------------------------------------- seen from scripts

/// Describes the type to a VM and adds its library.
pub(super) fn install(vm: &Vm) -> Result<(), Failure> {
    vm.register_vector(table())?;
    let constant = |vector: Vector3| Value::Vector(vector.to_array());
    let constants = [
        ("zero", constant(Vector3::ZERO)),
        ("one", constant(Vector3::ONE)),
        ("xAxis", constant(Vector3::X)),
        ("yAxis", constant(Vector3::Y)),
        ("zAxis", constant(Vector3::Z)),
    ];
    let functions: [(&'static str, NativeFn); 5] = [
        ("new", new),
        ("FromNormalId", from_normal_id_item),
        ("fromNormalId", from_normal_id_item),
        ("FromAxis", from_axis_item),
        ("fromAxis", from_axis_item),
    ];
    vm.set_library("Vector3", &functions, &constants)
}

fn new(cx: &mut Cx<'_>) -> Outcome {
    let vector = Vector3::new(float_or(cx, 1, 0.0)?, float_or(cx, 2, 0.0)?, float_or(cx, 3, 0.0)?);
    return_vector3(cx, vector)
}

fn from_normal_id_item(cx: &mut Cx<'_>) -> Outcome {
    let value = enum_value(cx, 1, "NormalId")?;
    return_vector3(cx, from_normal_id(value).unwrap_or_default())
}

fn from_axis_item(cx: &mut Cx<'_>) -> Outcome {
    let value = enum_value(cx, 1, "Axis")?;
    return_vector3(cx, from_axis(value).unwrap_or_default())
}

// The VM answers X, Y and Z itself; they are listed for access by a computed name.
const PROPERTIES: &[(&str, Property<Vector3>)] = &[
    ("X", |cx, this| push_float(cx, this.x)),
    ("Y", |cx, this| push_float(cx, this.y)),
    ("Z", |cx, this| push_float(cx, this.z)),
    ("x", |cx, this| push_float(cx, this.x)),
    ("y", |cx, this| push_float(cx, this.y)),
    ("z", |cx, this| push_float(cx, this.z)),
    ("Magnitude", |cx, this| push_float(cx, magnitude(*this))),
    ("magnitude", |cx, this| push_float(cx, magnitude(*this))),
    ("Unit", |cx, this| push_vector3(cx, unit(*this))),
    ("unit", |cx, this| push_vector3(cx, unit(*this))),
];

const METHODS: &[(&str, NativeFn)] = &[
    ("Abs", |cx| return_vector3(cx, this::<Vector3>(cx)?.abs())),
    ("Ceil", |cx| return_vector3(cx, this::<Vector3>(cx)?.ceil())),
    ("Floor", |cx| return_vector3(cx, this::<Vector3>(cx)?.floor())),
    ("Sign", |cx| return_vector3(cx, sign(this(cx)?))),
    ("Dot", |cx| return_float(cx, dot(this(cx)?, held(cx, 1)?))),
    ("Cross", |cx| return_vector3(cx, cross(this(cx)?, held(cx, 1)?))),
    ("Lerp", |cx| return_vector3(cx, lerp(this(cx)?, held(cx, 1)?, float(cx, 2)?))),
    ("Angle", angle_method),
    ("FuzzyEq", fuzzy_eq_method),
    ("isClose", fuzzy_eq_method),
    ("Max", |cx| fold(cx, Vector3::max)),
    ("Min", |cx| fold(cx, Vector3::min)),
    ("dot", |cx| return_float(cx, dot(this(cx)?, held(cx, 1)?))),
    ("cross", |cx| return_vector3(cx, cross(this(cx)?, held(cx, 1)?))),
    ("lerp", |cx| return_vector3(cx, lerp(this(cx)?, held(cx, 1)?, float(cx, 2)?))),
];

// Arithmetic and equality are the VM's own.
const OPERATORS: &[(&str, NativeFn)] = &[];

fn script_text(vector: &Vector3) -> String {
    to_text(*vector)
}

scripted!(Vector3, "Vector3");

fn angle_method(cx: &mut Cx<'_>) -> Outcome {
    let axis = if cx.is_nil(2) { None } else { Some(held(cx, 2)?) };
    return_float(cx, angle(this(cx)?, held(cx, 1)?, axis))
}

fn fuzzy_eq_method(cx: &mut Cx<'_>) -> Outcome {
    return_bool(cx, fuzzy_eq(this(cx)?, held_or(cx, 1, Vector3::ZERO)?, float_or(cx, 2, 1e-5)?))
}

fn fold(cx: &mut Cx<'_>, pick: fn(Vector3, Vector3) -> Vector3) -> Outcome {
    let mut result: Vector3 = this(cx)?;
    for index in 1..=cx.count() {
        let other: Result<Vector3, Raise> = held(cx, index);
        result = pick(result, other?);
    }
    return_vector3(cx, result)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f32::consts::FRAC_PI_2;

    #[test]
    fn members_have_known_values() {
        let v = Vector3::new(1.0, 2.0, 3.0);
        assert_eq!(f64::from(magnitude(v)), 3.741_657_495_498_657_2);
        assert_eq!(dot(v, Vector3::new(4.0, 5.0, 6.0)), 32.0);
        assert_eq!(cross(v, Vector3::new(4.0, 5.0, 6.0)), Vector3::new(-3.0, 6.0, -3.0));
        assert_eq!(lerp(Vector3::ZERO, v, 0.5), Vector3::new(0.5, 1.0, 1.5));
        assert_eq!(sign(Vector3::new(-2.0, 0.0, 5.0)), Vector3::new(-1.0, 0.0, 1.0));
        assert_eq!(unit(Vector3::new(0.0, 3.0, 4.0)), Vector3::new(0.0, 0.6, 0.8));
        assert!(unit(Vector3::ZERO).x.is_nan());
    }

    #[test]
    fn angles_are_signed_about_an_axis() {
        assert_eq!(angle(Vector3::X, Vector3::Y, None), FRAC_PI_2);
        assert_eq!(angle(Vector3::X, Vector3::Y, Some(Vector3::Z)), FRAC_PI_2);
        assert_eq!(angle(Vector3::X, Vector3::Y, Some(-Vector3::Z)), -FRAC_PI_2);
        assert_eq!(angle(Vector3::X, Vector3::NEG_X, None), std::f32::consts::PI);
    }

    #[test]
    fn tolerance_scales_with_size() {
        let far = Vector3::splat(100_000.0);
        assert!(fuzzy_eq(far, far + Vector3::splat(0.5), 1e-5));
        assert!(!fuzzy_eq(Vector3::ZERO, Vector3::splat(0.5), 1e-5));
    }

    #[test]
    fn normal_ids_point_along_the_axes() {
        assert_eq!(from_normal_id(0), Some(Vector3::X));
        assert_eq!(from_normal_id(1), Some(Vector3::Y));
        assert_eq!(from_normal_id(2), Some(Vector3::Z));
        assert_eq!(from_normal_id(5), Some(Vector3::NEG_Z));
        assert_eq!(from_normal_id(6), None);
        assert_eq!(from_axis(3), None);
    }

    #[test]
    fn prints_widened_parts() {
        assert_eq!(to_text(Vector3::new(0.1, 2.0, -3.5)), "0.10000000149011612, 2, -3.5");
    }
}
