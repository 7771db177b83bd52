//! Rotations of a `CFrame` by axis and angle, by quaternion and between vectors.

use super::super::vector3::{self, Vector3};
use super::CFrame;
use glam::{DMat3, DQuat, DVec3, Mat3};

impl CFrame {
    /// A position and a quaternion, which is scaled to length 1; a zero quaternion is no rotation.
    pub fn from_quaternion(position: Vector3, x: f64, y: f64, z: f64, w: f64) -> Self {
        let length = (x * x + y * y + z * z + w * w).sqrt();
        if length == 0.0 {
            return Self::from_position(position);
        }
        let quaternion = DQuat::from_xyzw(x / length, y / length, z / length, w / length);
        Self { position, rotation: narrow(DMat3::from_quat(quaternion)) }
    }

    /// The rotation as a quaternion `x, y, z, w` of length 1.
    pub fn to_quaternion(&self) -> [f64; 4] {
        DQuat::from_mat3(&self.rotation.as_dmat3()).normalize().to_array()
    }

    /// A turn by `angle` radians about `axis`, of any length; about a zero axis, none.
    pub fn from_axis_angle(axis: Vector3, angle: f32) -> Self {
        Self { rotation: from_axis_angle(axis, angle), ..Self::IDENTITY }
    }

    /// The axis of the rotation, of length 1, and its angle from 0 to π. No rotation has the x axis.
    pub fn to_axis_angle(&self) -> (Vector3, f32) {
        to_axis_angle(&self.rotation)
    }

    /// The shortest turn that takes the direction of `from` to that of `to`.
    pub fn from_rotation_between(from: Vector3, to: Vector3) -> Self {
        let (from, to) = (from.as_dvec3(), to.as_dvec3());
        let (Some(from), Some(to)) = (from.try_normalize(), to.try_normalize()) else {
            return Self::IDENTITY;
        };
        Self { rotation: narrow(DMat3::from_quat(DQuat::from_rotation_arc(from, to))), ..Self::IDENTITY }
    }

    /// The angle in radians from 0 to π of the turn between two rotations.
    pub fn angle_between(&self, other: &Self) -> f32 {
        to_axis_angle(&(self.rotation.transpose() * other.rotation)).1
    }

    /// Whether the matrix is a rotation: columns perpendicular, of length 1, right-handed.
    #[cfg(test)]
    pub(super) fn is_rotation(&self) -> bool {
        let product = self.rotation * self.rotation.transpose();
        product.abs_diff_eq(Mat3::IDENTITY, 1e-4) && self.rotation.determinant() > 0.0
    }
}

/// The matrix of a turn by `angle` radians about `axis`, of any length; about a zero axis, none.
pub(super) fn from_axis_angle(axis: Vector3, angle: f32) -> Mat3 {
    match axis.as_dvec3().try_normalize() {
        Some(axis) => narrow(DMat3::from_axis_angle(axis, f64::from(angle))),
        None => Mat3::IDENTITY,
    }
}

/// Axis and angle of a rotation matrix.
pub(super) fn to_axis_angle(rotation: &Mat3) -> (Vector3, f32) {
    let m = rotation.as_dmat3();
    // Twice the sine of the angle, times the axis.
    let sines = DVec3::new(m.y_axis.z - m.z_axis.y, m.z_axis.x - m.x_axis.z, m.x_axis.y - m.y_axis.x);
    let cosine = (m.x_axis.x + m.y_axis.y + m.z_axis.z - 1.0) / 2.0;
    let angle = (sines.length() / 2.0).atan2(cosine);
    if sines.length() > 1e-6 {
        return ((sines / sines.length()).as_vec3(), angle as f32);
    }
    if cosine > 0.0 {
        return (Vector3::X, angle as f32);
    }
    // A half turn: the matrix is 2 a aᵀ - 1, so the longest column of it plus 1 lies along the axis.
    let columns = [m.x_axis + DVec3::X, m.y_axis + DVec3::Y, m.z_axis + DVec3::Z];
    let longest = columns.into_iter().fold(DVec3::ZERO, |best, column| {
        if column.length_squared() > best.length_squared() { column } else { best }
    });
    (vector3::unit(longest.as_vec3()), angle as f32)
}

/// The matrix rounded to float32.
fn narrow(matrix: DMat3) -> Mat3 {
    matrix.as_mat3()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f32::consts::{FRAC_PI_2, PI};

    #[test]
    fn axis_and_angle_read_back() {
        let frame = CFrame::from_axis_angle(Vector3::new(0.0, 2.0, 0.0), FRAC_PI_2);
        let (axis, angle) = frame.to_axis_angle();
        assert!(vector3::fuzzy_eq(axis, Vector3::Y, 1e-6));
        assert!((angle - FRAC_PI_2).abs() < 1e-6);
        assert!(vector3::fuzzy_eq(frame.look_vector(), Vector3::NEG_X, 1e-6));
        assert_eq!(CFrame::IDENTITY.to_axis_angle(), (Vector3::X, 0.0));
        let (axis, angle) = CFrame::from_axis_angle(Vector3::new(1.0, 1.0, 0.0), PI).to_axis_angle();
        assert!(vector3::near(angle, PI, 1e-6) && vector3::near(axis.x.abs(), 0.707_106_77, 1e-6));
    }

    #[test]
    fn quaternions_are_normalised() {
        let frame = CFrame::from_quaternion(Vector3::ONE, 0.0, 2.0, 0.0, 2.0);
        assert!(frame.fuzzy_eq(&(CFrame::from_orientation(0.0, FRAC_PI_2, 0.0) + Vector3::ONE), 1e-6));
        let [_, y, _, w] = frame.to_quaternion();
        assert!((y - 0.5f64.sqrt()).abs() < 1e-6 && (w - 0.5f64.sqrt()).abs() < 1e-6);
        assert_eq!(
            CFrame::from_quaternion(Vector3::ONE, 0.0, 0.0, 0.0, 0.0),
            CFrame::from_position(Vector3::ONE)
        );
    }

    #[test]
    fn turns_one_vector_into_another() {
        let frame = CFrame::from_rotation_between(Vector3::X * 2.0, Vector3::Y * 5.0);
        assert!(vector3::fuzzy_eq(frame * Vector3::X, Vector3::Y, 1e-6));
        let back = CFrame::from_rotation_between(Vector3::X, Vector3::NEG_X);
        assert!(vector3::fuzzy_eq(back * Vector3::X, Vector3::NEG_X, 1e-6));
        assert!(back.is_rotation());
        assert_eq!(CFrame::from_rotation_between(Vector3::ZERO, Vector3::X), CFrame::IDENTITY);
    }
}
