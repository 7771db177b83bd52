//! `NumberSequence` and its keypoints. Engine pages: datatypes/NumberSequence and datatypes/NumberSequenceKeypoint,
//! checked November 2026.

use super::keypoints::{Keypoint, Keypoints};
use super::text;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_each_keypoint() {
        assert_eq!(between(0.0, 2.5).to_text(), "0 0 0 1 2.5 0 ");
    }
}
