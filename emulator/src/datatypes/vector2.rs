//! `Vector2`: two float32 numbers. Engine page: datatypes/Vector2, checked November 2026.

use super::text;
use super::vector3::{near, sign_of};

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
