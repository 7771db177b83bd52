//! `NumberSequence` and its keypoints. Engine pages: datatypes/NumberSequence and datatypes/NumberSequenceKeypoint,
//! checked November 2026.

use super::keypoints;
use super::keypoints::{Keypoint, Keypoints};
use super::script::{Property, equal, float, float_or, return_data, scripted};
use super::text;
use crate::vm::{Cx, Failure, NativeFn, Outcome, Type, Vm};

/// A value at a time from 0 to 1, and how far it may stray.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct NumberSequenceKeypoint {
    /// From 0 to 1.
    pub time: f32,
    /// The value at that time.
    pub value: f32,
    /// How far a drawn value may lie from `value`, on either side.
    pub envelope: f32,
}

/// At least two keypoints from time 0 to time 1.
pub type NumberSequence = Keypoints<NumberSequenceKeypoint>;

impl NumberSequenceKeypoint {
    /// A keypoint of its three parts.
    pub const fn new(time: f32, value: f32, envelope: f32) -> Self {
        Self { time, value, envelope }
    }

    /// The text of the keypoint: `0.5 2 0 `.
    pub fn to_text(self) -> String {
        let [time, value, envelope] =
            [self.time, self.value, self.envelope].map(|part| text::number(f64::from(part)));
        format!("{time} {value} {envelope} ")
    }
}

impl Keypoint for NumberSequenceKeypoint {
    fn time(&self) -> f32 {
        self.time
    }

    fn to_text(&self) -> String {
        (*self).to_text()
    }
}

/// A sequence from one value to another.
pub fn between(first: f32, last: f32) -> NumberSequence {
    Keypoints::pair(NumberSequenceKeypoint::new(0.0, first, 0.0), NumberSequenceKeypoint::new(1.0, last, 0.0))
}

// ---------------------------------------------------------------- seen from scripts

/// Describes the sequence to a VM and adds its library.
pub(super) fn install(vm: &Vm) -> Result<(), Failure> {
    vm.register_data::<NumberSequence>(table())?;
    vm.set_library("NumberSequence", &[("new", new)], &[])
}

fn new(cx: &mut Cx<'_>) -> Outcome {
    let sequence = match cx.kind(1) {
        Type::Table => keypoints::from_table(cx, "NumberSequence.new()")?,
        _ => {
            let first = float(cx, 1)?;
            between(first, float_or(cx, 2, first)?)
        }
    };
    return_data(cx, sequence)
}

const PROPERTIES: &[(&str, Property<NumberSequence>)] =
    &[("Keypoints", |cx, this| keypoints::push_table(cx, this.as_slice()))];

const METHODS: &[(&str, NativeFn)] = &[];
const OPERATORS: &[(&str, NativeFn)] = &[("__eq", equal::<NumberSequence>)];

fn script_text(sequence: &NumberSequence) -> String {
    sequence.to_text()
}

scripted!(NumberSequence, "NumberSequence");

/// A keypoint as scripts see it.
pub(super) mod keypoint {
    use super::super::script::{Property, equal, float, float_or, push_float, return_data, scripted};
    use super::NumberSequenceKeypoint;
    use crate::vm::{Failure, NativeFn, Vm};

    /// Describes the keypoint to a VM and adds its library.
    pub(in super::super) fn install(vm: &Vm) -> Result<(), Failure> {
        vm.register_data::<NumberSequenceKeypoint>(table())?;
        let functions: [(&'static str, NativeFn); 1] = [("new", |cx| {
            let (time, value, envelope) = (float(cx, 1)?, float(cx, 2)?, float_or(cx, 3, 0.0)?);
            return_data(cx, NumberSequenceKeypoint::new(time, value, envelope))
        })];
        vm.set_library("NumberSequenceKeypoint", &functions, &[])
    }

    const PROPERTIES: &[(&str, Property<NumberSequenceKeypoint>)] = &[
        ("Time", |cx, this| push_float(cx, this.time)),
        ("Value", |cx, this| push_float(cx, this.value)),
        ("Envelope", |cx, this| push_float(cx, this.envelope)),
    ];

    const METHODS: &[(&str, NativeFn)] = &[];
    const OPERATORS: &[(&str, NativeFn)] = &[("__eq", equal::<NumberSequenceKeypoint>)];

    fn script_text(keypoint: &NumberSequenceKeypoint) -> String {
        keypoint.to_text()
    }

    scripted!(NumberSequenceKeypoint, "NumberSequenceKeypoint");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_each_keypoint() {
        assert_eq!(between(0.0, 2.5).to_text(), "0 0 0 1 2.5 0 ");
    }
}
