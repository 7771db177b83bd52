//! `UDim2`: a `UDim` for each axis of a screen. Engine page: datatypes/UDim2, checked November 2026.

use super::UDim;
use std::ops::{Add, Neg, Sub};

/// A `UDim` for x and one for y.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct UDim2 {
    /// Horizontal, also read as `Width`.
    pub x: UDim,
    /// Vertical, also read as `Height`.
    pub y: UDim,
}

impl UDim2 {
    /// A value of its two axes.
    pub const fn new(x: UDim, y: UDim) -> Self {
        Self { x, y }
    }

    /// The value `alpha` of the way to `goal`.
    pub fn lerp(self, goal: Self, alpha: f32) -> Self {
        Self::new(self.x.lerp(goal.x, alpha), self.y.lerp(goal.y, alpha))
    }

    /// The text of the value: `{0.5, 10}, {1, 0}`.
    pub fn to_text(self) -> String {
        format!("{{{}}}, {{{}}}", self.x.to_text(), self.y.to_text())
    }
}

impl Add for UDim2 {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::new(self.x + other.x, self.y + other.y)
    }
}

impl Sub for UDim2 {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::new(self.x - other.x, self.y - other.y)
    }
}

impl Neg for UDim2 {
    type Output = Self;
    fn neg(self) -> Self {
        Self::new(-self.x, -self.y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn works_on_each_axis() {
        let a = UDim2::new(UDim::new(0.5, 10), UDim::new(1.0, 0));
        let b = UDim2::new(UDim::new(0.5, -10), UDim::new(0.0, 8));
        assert_eq!(a + b, UDim2::new(UDim::new(1.0, 0), UDim::new(1.0, 8)));
        assert_eq!(a - b, UDim2::new(UDim::new(0.0, 20), UDim::new(1.0, -8)));
        assert_eq!(a.lerp(b, 0.5), UDim2::new(UDim::new(0.5, 0), UDim::new(0.5, 4)));
        assert_eq!(a.to_text(), "{0.5, 10}, {1, 0}");
    }
}
