//! `Vector2int16`, `Vector3int16` and `Region3int16`: whole numbers of 16 bits. Engine pages: datatypes/Vector2int16,
//! datatypes/Vector3int16 and datatypes/Region3int16, checked November 2026.
//!
//! Arithmetic wraps around at 16 bits; division truncates, and by zero gives 0.

use super::Data;
use super::script::{Property, equal, held_or, return_data, wrong_operand};
use crate::vm::{Cx, Failure, NativeFn, Outcome, Raise, Type, Vm};
/// A whole number of 16 bits from a Luau number: truncated, then wrapped around. Not a number gives 0.
pub fn wrap(value: f64) -> i16 {
    // The cast to i64 saturates; the low 16 bits are then what an integer conversion keeps.
    value as i64 as i16
}

/// An arithmetic operator on one part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Int16Op {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
}

impl Int16Op {
    fn apply(self, a: i16, b: i16) -> i16 {
        match self {
            Self::Add => a.wrapping_add(b),
            Self::Sub => a.wrapping_sub(b),
            Self::Mul => a.wrapping_mul(b),
            Self::Div if b == 0 => 0,
            Self::Div => a.wrapping_div(b),
        }
    }
}

/// Two whole numbers of 16 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Vector2int16 {
    /// The first part.
    pub x: i16,
    /// The second part.
    pub y: i16,
}

/// Three whole numbers of 16 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Vector3int16 {
    /// The first part.
    pub x: i16,
    /// The second part.
    pub y: i16,
    /// The third part.
    pub z: i16,
}

/// A box between two corners of whole numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Region3int16 {
    /// The first corner.
    pub min: Vector3int16,
    /// The other corner.
    pub max: Vector3int16,
}

impl Vector2int16 {
    /// A vector of its parts.
    pub const fn new(x: i16, y: i16) -> Self {
        Self { x, y }
    }

    /// The same number in each part.
    pub const fn splat(value: i16) -> Self {
        Self::new(value, value)
    }

    /// `self op other`, part by part.
    pub fn arithmetic(self, op: Int16Op, other: Self) -> Self {
        Self::new(op.apply(self.x, other.x), op.apply(self.y, other.y))
    }

    /// The text of the vector: `1, 2`.
    pub fn to_text(self) -> String {
        format!("{}, {}", self.x, self.y)
    }
}

impl Vector3int16 {
    /// A vector of its parts.
    pub const fn new(x: i16, y: i16, z: i16) -> Self {
        Self { x, y, z }
    }

    /// The same number in each part.
    pub const fn splat(value: i16) -> Self {
        Self::new(value, value, value)
    }

    /// `self op other`, part by part.
    pub fn arithmetic(self, op: Int16Op, other: Self) -> Self {
        Self::new(op.apply(self.x, other.x), op.apply(self.y, other.y), op.apply(self.z, other.z))
    }

    /// The text of the vector: `1, 2, 3`.
    pub fn to_text(self) -> String {
        format!("{}, {}, {}", self.x, self.y, self.z)
    }
}

impl Region3int16 {
    /// The text of the box: its corners with `; ` between.
    pub fn to_text(self) -> String {
        format!("{}; {}", self.min.to_text(), self.max.to_text())
    }
}

// ---------------------------------------------------------------- seen from scripts

/// Describes the three types to a VM and adds their libraries.
pub(super) fn install(vm: &Vm) -> Result<(), Failure> {
    vm.register_data::<Vector2int16>(two::table())?;
    vm.register_data::<Vector3int16>(three::table())?;
    vm.register_data::<Region3int16>(region::table())?;
    let two: [(&'static str, NativeFn); 1] =
        [("new", |cx| return_data(cx, Vector2int16::new(whole_or_zero(cx, 1)?, whole_or_zero(cx, 2)?)))];
    vm.set_library("Vector2int16", &two, &[])?;
    let three: [(&'static str, NativeFn); 1] = [("new", |cx| {
        let (x, y, z) = (whole_or_zero(cx, 1)?, whole_or_zero(cx, 2)?, whole_or_zero(cx, 3)?);
        return_data(cx, Vector3int16::new(x, y, z))
    })];
    vm.set_library("Vector3int16", &three, &[])?;
    let region: [(&'static str, NativeFn); 1] = [("new", |cx| {
        let corner = |index| held_or(cx, index, Vector3int16::default());
        return_data(cx, Region3int16 { min: corner(1)?, max: corner(2)? })
    })];
    vm.set_library("Region3int16", &region, &[])
}

fn whole_or_zero(cx: &Cx<'_>, index: i32) -> Result<i16, Raise> {
    Ok(cx.opt_number(index)?.map_or(0, wrap))
}

/// An operator between two vectors, or a vector and a number on either side.
fn operator<T: Data + Copy>(cx: &Cx<'_>, splat: fn(i16) -> T, apply: impl FnOnce(T, T) -> T) -> Outcome {
    let part = |index: i32| match cx.kind(index) {
        Type::Number => Ok(splat(wrap(cx.number(index)?))),
        _ => cx.try_data(index).ok_or_else(|| wrong_operand(cx, index, T::NAME)),
    };
    return_data(cx, apply(part(1)?, part(2)?))
}

/// `Vector2int16` as scripts see it.
mod two {
    use super::super::script::{operand, scripted};
    use super::{Int16Op, NativeFn, Property, Vector2int16, equal, operator, return_data};

    const PROPERTIES: &[(&str, Property<Vector2int16>)] = &[
        ("X", |cx, this| cx.push_number(f64::from(this.x))),
        ("Y", |cx, this| cx.push_number(f64::from(this.y))),
    ];

    const METHODS: &[(&str, NativeFn)] = &[];

    const OPERATORS: &[(&str, NativeFn)] = &[
        ("__add", |cx| operator(cx, Vector2int16::splat, |a, b| a.arithmetic(Int16Op::Add, b))),
        ("__sub", |cx| operator(cx, Vector2int16::splat, |a, b| a.arithmetic(Int16Op::Sub, b))),
        ("__mul", |cx| operator(cx, Vector2int16::splat, |a, b| a.arithmetic(Int16Op::Mul, b))),
        ("__div", |cx| operator(cx, Vector2int16::splat, |a, b| a.arithmetic(Int16Op::Div, b))),
        ("__unm", |cx| return_data(cx, Vector2int16::default().arithmetic(Int16Op::Sub, operand(cx, 1)?))),
        ("__eq", equal::<Vector2int16>),
    ];

    fn script_text(vector: &Vector2int16) -> String {
        vector.to_text()
    }

    scripted!(Vector2int16, "Vector2int16");
}

/// `Vector3int16` as scripts see it.
mod three {
    use super::super::script::{operand, scripted};
    use super::{Int16Op, NativeFn, Property, Vector3int16, equal, operator, return_data};

    const PROPERTIES: &[(&str, Property<Vector3int16>)] = &[
        ("X", |cx, this| cx.push_number(f64::from(this.x))),
        ("Y", |cx, this| cx.push_number(f64::from(this.y))),
        ("Z", |cx, this| cx.push_number(f64::from(this.z))),
    ];

    const METHODS: &[(&str, NativeFn)] = &[];

    const OPERATORS: &[(&str, NativeFn)] = &[
        ("__add", |cx| operator(cx, Vector3int16::splat, |a, b| a.arithmetic(Int16Op::Add, b))),
        ("__sub", |cx| operator(cx, Vector3int16::splat, |a, b| a.arithmetic(Int16Op::Sub, b))),
        ("__mul", |cx| operator(cx, Vector3int16::splat, |a, b| a.arithmetic(Int16Op::Mul, b))),
        ("__div", |cx| operator(cx, Vector3int16::splat, |a, b| a.arithmetic(Int16Op::Div, b))),
        ("__unm", |cx| return_data(cx, Vector3int16::default().arithmetic(Int16Op::Sub, operand(cx, 1)?))),
        ("__eq", equal::<Vector3int16>),
    ];

    fn script_text(vector: &Vector3int16) -> String {
        vector.to_text()
    }

    scripted!(Vector3int16, "Vector3int16");
}

/// `Region3int16` as scripts see it.
mod region {
    use super::super::script::scripted;
    use super::{NativeFn, Property, Region3int16, equal};

    const PROPERTIES: &[(&str, Property<Region3int16>)] =
        &[("Min", |cx, this| cx.push_data(this.min)), ("Max", |cx, this| cx.push_data(this.max))];

    const METHODS: &[(&str, NativeFn)] = &[];
    const OPERATORS: &[(&str, NativeFn)] = &[("__eq", equal::<Region3int16>)];

    fn script_text(region: &Region3int16) -> String {
        region.to_text()
    }

    scripted!(Region3int16, "Region3int16");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_truncate_and_wrap() {
        for (value, expected) in [(1.9, 1), (-1.9, -1), (32_768.0, -32_768), (65_537.0, 1), (f64::NAN, 0)] {
            assert_eq!(wrap(value), expected);
        }
    }

    #[test]
    fn arithmetic_goes_part_by_part() {
        let a = Vector3int16::new(7, -8, 32_767);
        assert_eq!(a.arithmetic(Int16Op::Add, Vector3int16::splat(1)), Vector3int16::new(8, -7, -32_768));
        assert_eq!(a.arithmetic(Int16Op::Div, Vector3int16::new(2, 3, 0)), Vector3int16::new(3, -2, 0));
        assert_eq!(
            Vector2int16::new(2, 3).arithmetic(Int16Op::Mul, Vector2int16::new(4, 5)),
            Vector2int16::new(8, 15)
        );
        assert_eq!(
            Vector2int16::new(2, 3).arithmetic(Int16Op::Sub, Vector2int16::splat(5)).to_text(),
            "-3, -2"
        );
    }
}
