//! What the wire does to a CFrame: the position stays exact, a rotation keeps three 16-bit parts of a quaternion unless
//! it is one of the 24 that are aligned with the axes. Source: Roblox behaviour, 5.3.

use crate::datatypes::CFrame;

/// Largest size a part of a unit quaternion can have when it is not the largest.
const REACH: f64 = std::f64::consts::FRAC_1_SQRT_2;
const STEPS: f64 = 32_767.0;

/// Whether the rotation maps each axis onto an axis.
pub fn is_aligned(frame: &CFrame) -> bool {
    frame.components()[3..].iter().all(|part| *part == 0.0 || part.abs() == 1.0)
}

/// `frame` after a journey.
pub fn quantised(frame: CFrame) -> CFrame {
    if is_aligned(&frame) {
        return frame;
    }
    let parts = frame.to_quaternion();
    if !parts.iter().all(|part| part.is_finite()) {
        return frame;
    }
    let length = parts.iter().map(|part| part * part).sum::<f64>().sqrt();
    let largest = (0..4).fold(0, |best, at| if parts[at].abs() > parts[best].abs() { at } else { best });
    if length == 0.0 {
        return frame;
    }
    // Both signs of a quaternion mean one rotation: make the part that is left out positive.
    let sign = if parts[largest] < 0.0 { -1.0 } else { 1.0 };
    let mut rest = 1.0;
    let mut sent = [0.0; 4];
    for at in (0..4).filter(|at| *at != largest) {
        let step = (sign * parts[at] / length / REACH * STEPS).round().clamp(-STEPS, STEPS);
        sent[at] = step / STEPS * REACH;
        rest -= sent[at] * sent[at];
    }
    sent[largest] = rest.max(0.0).sqrt();
    CFrame::from_quaternion(frame.position, sent[0], sent[1], sent[2], sent[3])
}
