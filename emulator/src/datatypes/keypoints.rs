//! What `NumberSequence` and `ColorSequence` share: a short list of keypoints in order of time.
//!
//! The list is held in place, without an allocation: a sequence is plain memory inside the VM, so that a VM can be
//! copied and restored.

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
