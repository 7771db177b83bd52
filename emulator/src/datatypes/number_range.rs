//! `NumberRange`: a minimum and a maximum. Engine page: datatypes/NumberRange, checked November 2026.

use super::text;

/// A minimum and a maximum, float32 each.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct NumberRange {
    /// The lower end.
    pub min: f32,
    /// The upper end.
    pub max: f32,
}

impl NumberRange {
    /// A range of two ends; nothing where `min` is above `max`.
    pub fn new(min: f32, max: f32) -> Option<Self> {
        if min > max { None } else { Some(Self { min, max }) }
    }

    /// The text of the range, with a space after each number: `0 1 `.
    pub fn to_text(self) -> String {
        format!("{} {} ", text::number(f64::from(self.min)), text::number(f64::from(self.max)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_a_reversed_range() {
        assert_eq!(NumberRange::new(2.0, 1.0), None);
        assert_eq!(NumberRange::new(1.0, 1.0).map(NumberRange::to_text).as_deref(), Some("1 1 "));
    }
}
