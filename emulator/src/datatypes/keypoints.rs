//! What `NumberSequence` and `ColorSequence` share: a short list of keypoints in order of time.
//!
//! The list is held in place, without an allocation: a sequence is plain memory inside the VM, so that a VM can be
//! copied and restored.

use super::Data;
use crate::vm::{Cx, Raise};
/// Most keypoints a sequence can have, as in the engine.
pub const MOST: usize = 20;

/// A point of a sequence.
pub trait Keypoint: Copy + Default + PartialEq {
    /// When, from 0 to 1.
    fn time(&self) -> f32;
    /// Its text, with a space at the end.
    fn to_text(&self) -> String;
}

/// 2 to 20 keypoints, times ascending from 0 to 1.
#[derive(Debug, Clone, Copy)]
pub struct Keypoints<K> {
    len: u8,
    points: [K; MOST],
}

impl<K: Keypoint> Keypoints<K> {
    /// A sequence of two keypoints, which the caller gives the times 0 and 1.
    pub fn pair(first: K, last: K) -> Self {
        let mut points = [K::default(); MOST];
        points[0] = first;
        points[1] = last;
        Self { len: 2, points }
    }

    /// A sequence of `keypoints`.
    ///
    /// The error is the engine's text about what is wrong with them, after the constructor's name `name`.
    pub fn new(name: &str, keypoints: &[K]) -> Result<Self, String> {
        let count = keypoints.len();
        if count < 2 {
            return Err(format!("{name}: requires at least 2 keypoints"));
        }
        if count > MOST {
            return Err(format!("{name}: table is too long ({count} keypoints, at most {MOST})"));
        }
        let (first, last) = (keypoints[0].time(), keypoints[count - 1].time());
        if first != 0.0 {
            return Err(format!("{name}: must start at time=0.0"));
        }
        if last != 1.0 {
            return Err(format!("{name}: must end at time=1.0"));
        }
        if keypoints.windows(2).any(|pair| pair[0].time() > pair[1].time()) {
            return Err(format!("{name}: all keypoints must be ordered by time"));
        }
        let mut points = [K::default(); MOST];
        points[..count].copy_from_slice(keypoints);
        Ok(Self { len: count as u8, points })
    }

    /// The keypoints in order of time.
    pub fn as_slice(&self) -> &[K] {
        &self.points[..usize::from(self.len).min(MOST)]
    }

    /// The text of each keypoint, one after the other.
    pub fn to_text(&self) -> String {
        self.as_slice().iter().map(Keypoint::to_text).collect()
    }
}

impl<K: Keypoint> PartialEq for Keypoints<K> {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

/// The sequence of a table of keypoints at argument 1 of the constructor `name`.
pub(super) fn from_table<K: Keypoint + Data>(cx: &Cx<'_>, name: &str) -> Result<Keypoints<K>, Raise> {
    let mut points = Vec::new();
    // One more than fits is enough to know that there are too many.
    for index in 1..=MOST as i32 + 1 {
        cx.get_index(1, index);
        if cx.is_nil(-1) {
            cx.pop(1);
            break;
        }
        let point = cx.try_data::<K>(-1);
        let found = cx.type_name(-1);
        cx.pop(1);
        let wrong = || Raise::new(format!("{name}: table must be an array of {}s, got {found}", K::NAME));
        points.push(point.ok_or_else(wrong)?);
    }
    Keypoints::new(name, &points).map_err(Raise::new)
}

/// Pushes a new table of keypoints.
pub(super) fn push_table<K: Keypoint + Data>(cx: &Cx<'_>, points: &[K]) {
    cx.push_table(points.len(), 0);
    for (index, point) in points.iter().enumerate() {
        cx.push_data(*point);
        cx.set_index(index as i32 + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::super::NumberSequenceKeypoint;
    use super::*;

    #[test]
    fn checks_count_ends_and_order() {
        let point = |time| NumberSequenceKeypoint::new(time, 1.0, 0.0);
        let check = |times: &[f32]| {
            let points: Vec<_> = times.iter().copied().map(point).collect();
            Keypoints::new("NumberSequence.new()", &points).map(|sequence| sequence.as_slice().len())
        };
        assert_eq!(check(&[0.0, 0.5, 1.0]), Ok(3));
        assert_eq!(check(&[0.0]), Err("NumberSequence.new(): requires at least 2 keypoints".to_owned()));
        assert_eq!(check(&[0.1, 1.0]), Err("NumberSequence.new(): must start at time=0.0".to_owned()));
        assert_eq!(check(&[0.0, 0.9]), Err("NumberSequence.new(): must end at time=1.0".to_owned()));
        assert_eq!(
            check(&[0.0, 0.6, 0.5, 1.0]),
            Err("NumberSequence.new(): all keypoints must be ordered by time".to_owned())
        );
        assert!(check(&[0.0; 21]).is_err());
    }
}
