//! `UDim`: a scale and an offset in pixels. Engine page: datatypes/UDim, checked November 2026.

use super::script::{
    Property, equal, float_or, int_or, operand, operands, push_float, return_data, scripted,
};
use super::text;
use crate::vm::{Failure, NativeFn, Vm};
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

// ---------------------------------------------------------------- seen from scripts

/// Describes the type to a VM and adds its library.
pub(super) fn install(vm: &Vm) -> Result<(), Failure> {
    vm.register_data::<UDim>(table())?;
    vm.set_library(
        "UDim",
        &[("new", |cx| return_data(cx, UDim::new(float_or(cx, 1, 0.0)?, int_or(cx, 2, 0)?)))],
        &[],
    )
}

const PROPERTIES: &[(&str, Property<UDim>)] = &[
    ("Scale", |cx, this| push_float(cx, this.scale)),
    ("Offset", |cx, this| cx.push_number(f64::from(this.offset))),
];

const METHODS: &[(&str, NativeFn)] = &[];

const OPERATORS: &[(&str, NativeFn)] = &[
    ("__add", |cx| {
        let (a, b) = operands::<UDim>(cx)?;
        return_data(cx, a + b)
    }),
    ("__sub", |cx| {
        let (a, b) = operands::<UDim>(cx)?;
        return_data(cx, a - b)
    }),
    ("__unm", |cx| return_data(cx, -operand::<UDim>(cx, 1)?)),
    ("__eq", equal::<UDim>),
];

fn script_text(value: &UDim) -> String {
    value.to_text()
}

scripted!(UDim, "UDim");

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
