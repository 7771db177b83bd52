//! `UDim`: a scale and an offset in pixels. Engine page: datatypes/UDim, checked November 2026.

use super::text;
use std::ops::{Add, Neg, Sub};

/// A part of the parent's size and a number of pixels.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct UDim {
    /// Part of the parent's size, a float32.
    pub scale: f32,
    /// Pixels, an int32.
    pub offset: i32,
}

impl UDim {
    /// A scale and an offset.
    pub const fn new(scale: f32, offset: i32) -> Self {
        Self { scale, offset }
    }

    /// The value `alpha` of the way to `goal`; the offset is rounded.
    pub fn lerp(self, goal: Self, alpha: f32) -> Self {
        let offset =
            f64::from(self.offset) + f64::from(goal.offset.wrapping_sub(self.offset)) * f64::from(alpha);
        Self::new(self.scale + (goal.scale - self.scale) * alpha, offset.round() as i32)
    }

    /// The text of the value: `0.5, 10`.
    pub fn to_text(self) -> String {
        format!("{}, {}", text::number(f64::from(self.scale)), self.offset)
    }
}

impl Add for UDim {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::new(self.scale + other.scale, self.offset.wrapping_add(other.offset))
    }
}

impl Sub for UDim {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::new(self.scale - other.scale, self.offset.wrapping_sub(other.offset))
    }
}

impl Neg for UDim {
    type Output = Self;
    fn neg(self) -> Self {
        Self::new(-self.scale, self.offset.wrapping_neg())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds_and_subtracts_both_parts() {
        let sum = UDim::new(0.5, 10) + UDim::new(0.25, -4);
        assert_eq!(sum, UDim::new(0.75, 6));
        assert_eq!(sum - UDim::new(0.25, 6), UDim::new(0.5, 0));
        assert_eq!(-sum, UDim::new(-0.75, -6));
        assert_eq!(sum.to_text(), "0.75, 6");
    }
}
