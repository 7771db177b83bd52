//! `NumberRange`: a minimum and a maximum. Engine page: datatypes/NumberRange, checked November 2026.

use super::script::{Property, equal, float, float_or, push_float, return_data, scripted};
use super::text;
use crate::vm::{Cx, Failure, NativeFn, Outcome, Raise, Vm};

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

// ---------------------------------------------------------------- seen from scripts

/// Describes the type to a VM and adds its library.
pub(super) fn install(vm: &Vm) -> Result<(), Failure> {
    vm.register_data::<NumberRange>(table())?;
    vm.set_library("NumberRange", &[("new", new)], &[])
}

fn new(cx: &mut Cx<'_>) -> Outcome {
    let min = float(cx, 1)?;
    let range = NumberRange::new(min, float_or(cx, 2, min)?)
        .ok_or_else(|| Raise::new("NumberRange: invalid range"))?;
    return_data(cx, range)
}

const PROPERTIES: &[(&str, Property<NumberRange>)] =
    &[("Min", |cx, this| push_float(cx, this.min)), ("Max", |cx, this| push_float(cx, this.max))];

const METHODS: &[(&str, NativeFn)] = &[];
const OPERATORS: &[(&str, NativeFn)] = &[("__eq", equal::<NumberRange>)];

fn script_text(range: &NumberRange) -> String {
    range.to_text()
}

scripted!(NumberRange, "NumberRange");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_a_reversed_range() {
        assert_eq!(NumberRange::new(2.0, 1.0), None);
        assert_eq!(NumberRange::new(1.0, 1.0).map(NumberRange::to_text).as_deref(), Some("1 1 "));
    }
}
