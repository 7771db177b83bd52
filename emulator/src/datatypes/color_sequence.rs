//! `ColorSequence` and its keypoints. Engine pages: datatypes/ColorSequence and datatypes/ColorSequenceKeypoint,
//! checked November 2026.

use super::keypoints::{Keypoint, Keypoints};
use super::{Color3, text};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_each_keypoint() {
        let sequence = between(Color3::new(1.0, 0.0, 0.0), Color3::new(0.0, 0.0, 0.5));
        assert_eq!(sequence.to_text(), "0 1 0 0 0 1 0 0 0.5 0 ");
    }
}
