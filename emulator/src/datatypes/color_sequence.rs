//! `ColorSequence` and its keypoints. Engine pages: datatypes/ColorSequence and datatypes/ColorSequenceKeypoint,
//! checked November 2026.

use super::keypoints;
use super::keypoints::{Keypoint, Keypoints};
use super::script::{Property, equal, held, held_or, return_data, scripted};
use super::{Color3, text};
use crate::vm::{Cx, Failure, NativeFn, Outcome, Type, Vm};

/// A colour at a time from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ColorSequenceKeypoint {
    /// From 0 to 1.
    pub time: f32,
    /// The colour at that time.
    pub color: Color3,
}

/// At least two keypoints from time 0 to time 1.
pub type ColorSequence = Keypoints<ColorSequenceKeypoint>;

impl ColorSequenceKeypoint {
    /// A keypoint of its two parts.
    pub const fn new(time: f32, color: Color3) -> Self {
        Self { time, color }
    }

    /// The text of the keypoint: `0.5 1 1 1 0 `; the last number is an envelope that no script can set.
    pub fn to_text(self) -> String {
        let parts =
            [self.time, self.color.r, self.color.g, self.color.b].map(|part| text::number(f64::from(part)));
        format!("{} 0 ", parts.join(" "))
    }
}

impl Keypoint for ColorSequenceKeypoint {
    fn time(&self) -> f32 {
        self.time
    }

    fn to_text(&self) -> String {
        (*self).to_text()
    }
}

/// A sequence from one colour to another.
pub fn between(first: Color3, last: Color3) -> ColorSequence {
    Keypoints::pair(ColorSequenceKeypoint::new(0.0, first), ColorSequenceKeypoint::new(1.0, last))
}

// ---------------------------------------------------------------- seen from scripts

/// Describes the sequence to a VM and adds its library.
pub(super) fn install(vm: &Vm) -> Result<(), Failure> {
    vm.register_data::<ColorSequence>(table())?;
    vm.set_library("ColorSequence", &[("new", new)], &[])
}

fn new(cx: &mut Cx<'_>) -> Outcome {
    let sequence = match cx.kind(1) {
        Type::Table => keypoints::from_table(cx, "ColorSequence.new()")?,
        _ => {
            let first = held::<Color3>(cx, 1)?;
            between(first, held_or(cx, 2, first)?)
        }
    };
    return_data(cx, sequence)
}

const PROPERTIES: &[(&str, Property<ColorSequence>)] =
    &[("Keypoints", |cx, this| keypoints::push_table(cx, this.as_slice()))];

const METHODS: &[(&str, NativeFn)] = &[];
const OPERATORS: &[(&str, NativeFn)] = &[("__eq", equal::<ColorSequence>)];

fn script_text(sequence: &ColorSequence) -> String {
    sequence.to_text()
}

scripted!(ColorSequence, "ColorSequence");

/// A keypoint as scripts see it.
pub(super) mod keypoint {
    use super::super::script::{Property, equal, float, held, push_float, return_data, scripted};
    use super::ColorSequenceKeypoint;
    use crate::vm::{Failure, NativeFn, Vm};

    /// Describes the keypoint to a VM and adds its library.
    pub(in super::super) fn install(vm: &Vm) -> Result<(), Failure> {
        vm.register_data::<ColorSequenceKeypoint>(table())?;
        let functions: [(&'static str, NativeFn); 1] =
            [("new", |cx| return_data(cx, ColorSequenceKeypoint::new(float(cx, 1)?, held(cx, 2)?)))];
        vm.set_library("ColorSequenceKeypoint", &functions, &[])
    }

    const PROPERTIES: &[(&str, Property<ColorSequenceKeypoint>)] =
        &[("Time", |cx, this| push_float(cx, this.time)), ("Value", |cx, this| cx.push_data(this.color))];

    const METHODS: &[(&str, NativeFn)] = &[];
    const OPERATORS: &[(&str, NativeFn)] = &[("__eq", equal::<ColorSequenceKeypoint>)];

    fn script_text(keypoint: &ColorSequenceKeypoint) -> String {
        keypoint.to_text()
    }

    scripted!(ColorSequenceKeypoint, "ColorSequenceKeypoint");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_each_keypoint() {
        let sequence = between(Color3::new(1.0, 0.0, 0.0), Color3::new(0.0, 0.0, 0.5));
        assert_eq!(sequence.to_text(), "0 1 0 0 0 1 0 0 0.5 0 ");
    }
}
