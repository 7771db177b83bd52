//! `CFrame`: a position and a rotation matrix, twelve float32 numbers. Engine page: datatypes/CFrame, checked November
//! 2026.
//!
//! The columns of the matrix are the right, up and back vectors; `GetComponents` lists it row by row. Trigonometry is
//! done in double precision on float32 angles and rounded once, products are float32 throughout.

mod angles;
mod rotation;
pub(super) mod script;

pub use angles::EulerOrder;

use super::text;
use super::vector3::{self, Vector3};
use glam::Mat3;
use std::ops::{Add, Mul, Sub};

/// A position and a rotation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CFrame {
    /// Where it is.
    pub position: Vector3,
    /// How it is turned: columns are the right, up and back (minus look) vectors. Not kept orthonormal.
    pub rotation: Mat3,
}

impl Default for CFrame {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl CFrame {
    /// At the origin, unturned.
    pub const IDENTITY: Self = Self { position: Vector3::ZERO, rotation: Mat3::IDENTITY };

    /// A position without a rotation.
    pub const fn from_position(position: Vector3) -> Self {
        Self { position, rotation: Mat3::IDENTITY }
    }

    /// The twelve numbers `x y z R00 R01 R02 R10 R11 R12 R20 R21 R22`, taken as they are.
    pub fn from_components(c: [f32; 12]) -> Self {
        Self {
            position: Vector3::new(c[0], c[1], c[2]),
            rotation: Mat3::from_cols_array(&[c[3], c[6], c[9], c[4], c[7], c[10], c[5], c[8], c[11]]),
        }
    }

    /// The twelve numbers `x y z R00 R01 R02 R10 R11 R12 R20 R21 R22`.
    pub fn components(&self) -> [f32; 12] {
        let (p, r, u, b) = (self.position, self.right_vector(), self.up_vector(), self.z_vector());
        [p.x, p.y, p.z, r.x, u.x, b.x, r.y, u.y, b.y, r.z, u.z, b.z]
    }

    /// A position and the columns of a matrix, taken as they are; the third defaults to the unit of `x × y`.
    pub fn from_matrix(position: Vector3, x: Vector3, y: Vector3, z: Option<Vector3>) -> Self {
        let z = z.unwrap_or_else(|| vector3::unit(vector3::cross(x, y)));
        Self { position, rotation: Mat3::from_cols(x, y, z) }
    }

    /// At `at`, looking at `target`.
    pub fn look_at(at: Vector3, target: Vector3, up: Vector3) -> Self {
        Self::look_along(at, target - at, up)
    }

    /// At `at`, looking in `direction`. Without a direction unturned; along `up` itself, the x axis (else the y axis)
    /// stands in for it.
    pub fn look_along(at: Vector3, direction: Vector3, up: Vector3) -> Self {
        let back = -vector3::unit(direction);
        if !back.is_finite() {
            return Self::from_position(at);
        }
        let mut right = vector3::cross(up, back);
        // Shorter than this the direction of the product is noise.
        let shortest = 1e-5 * vector3::magnitude(up).max(f32::MIN_POSITIVE);
        for stand_in in [Vector3::X, Vector3::Y] {
            if vector3::magnitude(right) < shortest || vector3::magnitude(right) == 0.0 {
                right = vector3::cross(stand_in, back);
            }
        }
        let right = vector3::unit(right);
        Self { position: at, rotation: Mat3::from_cols(right, vector3::cross(back, right), back) }
    }

    /// The direction it faces: minus the third column.
    pub fn look_vector(&self) -> Vector3 {
        -self.rotation.z_axis
    }

    /// The first column, also read as `XVector`.
    pub fn right_vector(&self) -> Vector3 {
        self.rotation.x_axis
    }

    /// The second column, also read as `YVector`.
    pub fn up_vector(&self) -> Vector3 {
        self.rotation.y_axis
    }

    /// The third column.
    pub fn z_vector(&self) -> Vector3 {
        self.rotation.z_axis
    }

    /// The same rotation at the origin.
    pub fn without_position(&self) -> Self {
        Self { position: Vector3::ZERO, rotation: self.rotation }
    }

    /// The frame that undoes this one, taking the matrix to be orthonormal.
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.transpose();
        Self { position: -(rotation * self.position), rotation }
    }

    /// The frame `alpha` of the way to `goal`: position in a line, rotation by the shortest turn.
    pub fn lerp(&self, goal: &Self, alpha: f32) -> Self {
        if alpha == 0.0 {
            return *self;
        }
        if alpha == 1.0 {
            return *goal;
        }
        let (axis, angle) = rotation::to_axis_angle(&(self.rotation.transpose() * goal.rotation));
        let turn = rotation::from_axis_angle(axis, angle * alpha);
        Self { position: vector3::lerp(self.position, goal.position, alpha), rotation: self.rotation * turn }
    }

    /// The frame with its columns made perpendicular and of length 1, the first keeping its direction.
    pub fn orthonormalize(&self) -> Self {
        let x = vector3::unit(self.rotation.x_axis);
        let y = self.rotation.y_axis;
        let y = vector3::unit(y - x * vector3::dot(x, y));
        Self { position: self.position, rotation: Mat3::from_cols(x, y, vector3::cross(x, y)) }
    }

    /// `self * other`: a frame given within this one, in the world.
    pub fn to_world_space(&self, other: &Self) -> Self {
        *self * *other
    }

    /// `self⁻¹ * other`: a frame of the world, seen from this one.
    pub fn to_object_space(&self, other: &Self) -> Self {
        self.inverse() * *other
    }

    /// A point given within this frame, in the world.
    pub fn point_to_world_space(&self, point: Vector3) -> Vector3 {
        *self * point
    }

    /// A point of the world, seen from this frame.
    pub fn point_to_object_space(&self, point: Vector3) -> Vector3 {
        self.rotation.transpose() * (point - self.position)
    }

    /// A direction given within this frame, in the world.
    pub fn vector_to_world_space(&self, vector: Vector3) -> Vector3 {
        self.rotation * vector
    }

    /// A direction of the world, seen from this frame.
    pub fn vector_to_object_space(&self, vector: Vector3) -> Vector3 {
        self.rotation.transpose() * vector
    }

    /// Whether each of the twelve numbers is near that of `other`.
    pub fn fuzzy_eq(&self, other: &Self, epsilon: f32) -> bool {
        self.components().iter().zip(other.components()).all(|(a, b)| vector3::near(*a, b, epsilon))
    }

    /// The text of the frame: its twelve numbers.
    pub fn to_text(&self) -> String {
        text::floats(&self.components())
    }
}

impl Mul for CFrame {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Self { position: self * other.position, rotation: self.rotation * other.rotation }
    }
}

impl Mul<Vector3> for CFrame {
    type Output = Vector3;
    fn mul(self, point: Vector3) -> Vector3 {
        self.rotation * point + self.position
    }
}

impl Add<Vector3> for CFrame {
    type Output = Self;
    fn add(self, offset: Vector3) -> Self {
        Self { position: self.position + offset, rotation: self.rotation }
    }
}

impl Sub<Vector3> for CFrame {
    type Output = Self;
    fn sub(self, offset: Vector3) -> Self {
        self + -offset
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f32::consts::{FRAC_PI_2, PI};

    fn check(actual: CFrame, expected: [f32; 12]) {
        let expected = CFrame::from_components(expected);
        assert!(actual.fuzzy_eq(&expected, 1e-6), "{} against {}", actual.to_text(), expected.to_text());
    }

    #[test]
    fn components_go_row_by_row() {
        let numbers = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0];
        let frame = CFrame::from_components(numbers);
        assert_eq!(frame.components(), numbers);
        assert_eq!(frame.right_vector(), Vector3::new(4.0, 7.0, 10.0));
        assert_eq!(frame.look_vector(), Vector3::new(-6.0, -9.0, -12.0));
        assert_eq!(frame.to_text(), "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12");
    }

    #[test]
    fn looks_at_a_target() {
        let frame = CFrame::look_at(Vector3::ZERO, Vector3::new(5.0, 0.0, 0.0), Vector3::Y);
        check(frame, [0.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0]);
        let up = CFrame::look_at(Vector3::ZERO, Vector3::Y, Vector3::Y);
        check(up, [0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, -1.0, -1.0, 0.0, 0.0]);
        assert_eq!(
            CFrame::look_at(Vector3::ONE, Vector3::ONE, Vector3::Y),
            CFrame::from_position(Vector3::ONE)
        );
        let along = CFrame::look_along(Vector3::ONE, Vector3::X * 3.0, Vector3::X);
        assert!(along.is_rotation());
    }

    #[test]
    fn multiplies_frames_and_points() {
        let turn = CFrame::from_orientation(0.0, FRAC_PI_2, 0.0) + Vector3::new(10.0, 0.0, 0.0);
        let moved = turn * Vector3::new(0.0, 0.0, -1.0);
        assert!(vector3::fuzzy_eq(moved, Vector3::new(9.0, 0.0, 0.0), 1e-6));
        check(turn * turn.inverse(), CFrame::IDENTITY.components());
        check(turn.to_object_space(&turn), CFrame::IDENTITY.components());
        assert!(vector3::fuzzy_eq(turn.point_to_object_space(moved), Vector3::NEG_Z, 1e-6));
        assert!(vector3::fuzzy_eq(turn.vector_to_world_space(Vector3::NEG_Z), Vector3::NEG_X, 1e-6));
        assert_eq!((turn - turn.position).position, Vector3::ZERO);
    }

    #[test]
    fn lerps_by_the_shortest_turn() {
        let start = CFrame::IDENTITY;
        let goal = CFrame::from_orientation(0.0, FRAC_PI_2, 0.0) + Vector3::new(2.0, 4.0, 6.0);
        let middle = start.lerp(&goal, 0.5);
        let expected = CFrame::from_orientation(0.0, FRAC_PI_2 / 2.0, 0.0) + Vector3::new(1.0, 2.0, 3.0);
        assert!(middle.fuzzy_eq(&expected, 1e-6));
        assert_eq!(start.lerp(&goal, 1.0), goal);
        let half_turn = start.lerp(&CFrame::from_orientation(0.0, PI, 0.0), 0.5);
        assert!((half_turn.angle_between(&start) - FRAC_PI_2).abs() < 1e-6);
    }

    #[test]
    fn orthonormalizes_from_the_first_column() {
        let skewed = CFrame::from_matrix(
            Vector3::ONE,
            Vector3::X * 2.0,
            Vector3::new(1.0, 3.0, 0.0),
            Some(Vector3::ONE),
        );
        assert_eq!(skewed.orthonormalize(), CFrame::from_position(Vector3::ONE));
    }
}
