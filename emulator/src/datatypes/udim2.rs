//! `UDim2`: a `UDim` for each axis of a screen. Engine page: datatypes/UDim2, checked November 2026.

use super::UDim;
use super::script::{
    Property, equal, float, float_or, held, held_or, int_or, operand, operands, return_data, scripted, this,
};
use crate::vm::{Cx, Failure, NativeFn, Outcome, Type, Vm};
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

// ---------------------------------------------------------------- seen from scripts

/// Describes the type to a VM and adds its library.
pub(super) fn install(vm: &Vm) -> Result<(), Failure> {
    vm.register_data::<UDim2>(table())?;
    let functions: [(&'static str, NativeFn); 3] = [
        ("new", new),
        ("fromScale", |cx| {
            let (x, y) = (float_or(cx, 1, 0.0)?, float_or(cx, 2, 0.0)?);
            return_data(cx, UDim2::new(UDim::new(x, 0), UDim::new(y, 0)))
        }),
        ("fromOffset", |cx| {
            let (x, y) = (int_or(cx, 1, 0)?, int_or(cx, 2, 0)?);
            return_data(cx, UDim2::new(UDim::new(0.0, x), UDim::new(0.0, y)))
        }),
    ];
    vm.set_library("UDim2", &functions, &[])
}

fn new(cx: &mut Cx<'_>) -> Outcome {
    let value = if cx.kind(1) == Type::Userdata {
        UDim2::new(held(cx, 1)?, held_or(cx, 2, UDim::default())?)
    } else {
        let x = UDim::new(float_or(cx, 1, 0.0)?, int_or(cx, 2, 0)?);
        UDim2::new(x, UDim::new(float_or(cx, 3, 0.0)?, int_or(cx, 4, 0)?))
    };
    return_data(cx, value)
}

const PROPERTIES: &[(&str, Property<UDim2>)] = &[
    ("X", |cx, this| cx.push_data(this.x)),
    ("Y", |cx, this| cx.push_data(this.y)),
    ("Width", |cx, this| cx.push_data(this.x)),
    ("Height", |cx, this| cx.push_data(this.y)),
];

const METHODS: &[(&str, NativeFn)] =
    &[("Lerp", |cx| return_data(cx, this::<UDim2>(cx)?.lerp(held(cx, 1)?, float(cx, 2)?)))];

const OPERATORS: &[(&str, NativeFn)] = &[
    ("__add", |cx| {
        let (a, b) = operands::<UDim2>(cx)?;
        return_data(cx, a + b)
    }),
    ("__sub", |cx| {
        let (a, b) = operands::<UDim2>(cx)?;
        return_data(cx, a - b)
    }),
    ("__unm", |cx| return_data(cx, -operand::<UDim2>(cx, 1)?)),
    ("__eq", equal::<UDim2>),
];

fn script_text(value: &UDim2) -> String {
    value.to_text()
}

scripted!(UDim2, "UDim2");

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
