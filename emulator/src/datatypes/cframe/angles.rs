//! Euler angles of a `CFrame`, in every order the engine knows.
//!
//! An order `ABC` means the rotation `Ra(a) * Rb(b) * Rc(c)`. "Orientation" is the order YXZ, the one Studio shows.

use super::CFrame;
use glam::Mat3;

/// An item of `Enum.RotationOrder`: which axis turns first, from the outside in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EulerOrder {
    /// `Rx * Ry * Rz`, value 0.
    #[default]
    Xyz,
    /// `Rx * Rz * Ry`, value 1.
    Xzy,
    /// `Ry * Rz * Rx`, value 2.
    Yzx,
    /// `Ry * Rx * Rz`, value 3: orientation.
    Yxz,
    /// `Rz * Rx * Ry`, value 4.
    Zxy,
    /// `Rz * Ry * Rx`, value 5.
    Zyx,
}

impl EulerOrder {
    /// The order of an enum item's value.
    pub fn from_value(value: u32) -> Option<Self> {
        use EulerOrder::{Xyz, Xzy, Yxz, Yzx, Zxy, Zyx};
        [Xyz, Xzy, Yzx, Yxz, Zxy, Zyx].get(usize::try_from(value).ok()?).copied()
    }

    /// The axes from the outside in: 0 for x, 1 for y, 2 for z.
    fn axes(self) -> [usize; 3] {
        match self {
            Self::Xyz => [0, 1, 2],
            Self::Xzy => [0, 2, 1],
            Self::Yzx => [1, 2, 0],
            Self::Yxz => [1, 0, 2],
            Self::Zxy => [2, 0, 1],
            Self::Zyx => [2, 1, 0],
        }
    }

    /// 1 where the axes follow each other as x, y, z do, -1 otherwise.
    fn parity(self) -> f64 {
        let [first, second, _] = self.axes();
        if (first + 1) % 3 == second { 1.0 } else { -1.0 }
    }
}

impl CFrame {
    /// A rotation by angles in radians about x, y and z, in `order`.
    pub fn from_euler_angles(rx: f32, ry: f32, rz: f32, order: EulerOrder) -> Self {
        let angles = [rx, ry, rz];
        let [a, b, c] = order.axes().map(|axis| about(axis, angles[axis]));
        Self { rotation: a * b * c, ..Self::IDENTITY }
    }

    /// A rotation by angles in radians in the order YXZ, as Studio shows an orientation.
    pub fn from_orientation(rx: f32, ry: f32, rz: f32) -> Self {
        Self::from_euler_angles(rx, ry, rz, EulerOrder::Yxz)
    }

    /// The angles in radians about x, y and z that give the rotation in `order`.
    ///
    /// The middle angle is within ±π/2. Where it is exactly ±π/2 the last one is 0, since only the sum or difference of
    /// the outer two is defined.
    pub fn to_euler_angles(&self, order: EulerOrder) -> [f32; 3] {
        let [i, j, k] = order.axes();
        let parity = order.parity();
        let at = |row: usize, column: usize| f64::from(self.rotation.col(column)[row]);
        let sine = parity * at(i, k);
        let middle = sine.clamp(-1.0, 1.0).asin();
        let (first, last) = if sine.abs() < 1.0 {
            ((-parity * at(j, k)).atan2(at(k, k)), (-parity * at(i, j)).atan2(at(i, i)))
        } else {
            ((parity * at(k, j)).atan2(at(j, j)), 0.0)
        };
        let mut angles = [0.0; 3];
        angles[i] = first as f32;
        angles[j] = middle as f32;
        angles[k] = last as f32;
        angles
    }

    /// The angles in radians about x, y and z in the order YXZ.
    pub fn to_orientation(&self) -> [f32; 3] {
        self.to_euler_angles(EulerOrder::Yxz)
    }
}

/// The rotation by `angle` radians about one axis.
fn about(axis: usize, angle: f32) -> Mat3 {
    let (sin, cos) = f64::from(angle).sin_cos();
    let (sin, cos) = (sin as f32, cos as f32);
    let columns = match axis {
        0 => [1.0, 0.0, 0.0, 0.0, cos, sin, 0.0, -sin, cos],
        1 => [cos, 0.0, -sin, 0.0, 1.0, 0.0, sin, 0.0, cos],
        _ => [cos, sin, 0.0, -sin, cos, 0.0, 0.0, 0.0, 1.0],
    };
    Mat3::from_cols_array(&columns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f32::consts::{FRAC_PI_2, PI};

    const ORDERS: [EulerOrder; 6] = [
        EulerOrder::Xyz,
        EulerOrder::Xzy,
        EulerOrder::Yzx,
        EulerOrder::Yxz,
        EulerOrder::Zxy,
        EulerOrder::Zyx,
    ];

    #[test]
    fn every_order_reads_back() {
        for order in ORDERS {
            let frame = CFrame::from_euler_angles(0.3, -0.5, 0.7, order);
            let [x, y, z] = frame.to_euler_angles(order);
            assert!((x - 0.3).abs() < 1e-6 && (y + 0.5).abs() < 1e-6 && (z - 0.7).abs() < 1e-6, "{order:?}");
        }
    }

    #[test]
    fn order_values_follow_the_enum() {
        for (value, order) in ORDERS.into_iter().enumerate() {
            assert_eq!(EulerOrder::from_value(value as u32), Some(order));
        }
        assert_eq!(EulerOrder::from_value(6), None);
    }

    #[test]
    fn orientation_is_yaw_then_pitch_then_roll() {
        // Pitched up by 30 degrees and turned left by 90: looks along -x, upwards.
        let frame = CFrame::from_orientation(PI / 6.0, FRAC_PI_2, 0.0);
        let look = frame.look_vector();
        assert!((look.x + 0.866_025_4).abs() < 1e-6 && (look.y - 0.5).abs() < 1e-6 && look.z.abs() < 1e-6);
        let xyz = CFrame::from_euler_angles(PI / 6.0, FRAC_PI_2, 0.0, EulerOrder::Xyz).look_vector();
        assert!((xyz.x + 1.0).abs() < 1e-6);
    }

    #[test]
    fn half_turn_shows_float32_pi() {
        let frame = CFrame::from_orientation(0.0, PI, 0.0);
        assert_eq!(frame.components()[3], -1.0);
        assert_eq!(frame.components()[5], -8.742_278e-8);
    }

    #[test]
    fn straight_up_and_down_leave_the_last_angle_zero() {
        for pitch in [FRAC_PI_2, -FRAC_PI_2] {
            let frame = CFrame::from_orientation(pitch, 0.4, 0.0);
            let [x, y, z] = frame.to_orientation();
            assert!((x - pitch).abs() < 1e-6 && (y - 0.4).abs() < 1e-6 && z == 0.0, "{x} {y} {z}");
        }
    }
}
