//! `Vector2int16`, `Vector3int16` and `Region3int16`: whole numbers of 16 bits. Engine pages: datatypes/Vector2int16,
//! datatypes/Vector3int16 and datatypes/Region3int16, checked November 2026.
//!
//! Arithmetic wraps around at 16 bits; division truncates, and by zero gives 0.

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
