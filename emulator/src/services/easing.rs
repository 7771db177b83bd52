//! The curves of `Enum.EasingStyle`: how far a tween is, for how much of its time has passed.
//! Engine page: enums/EasingStyle, checked August 2026; the formulas are the well-known ones of those names.

use std::f64::consts::PI;

/// Value of `Enum.EasingDirection.In`.
const IN: u32 = 0;
/// Value of `Enum.EasingDirection.InOut`.
const IN_OUT: u32 = 2;

/// The share of the way at a share `t` of the time, both from 0 to 1. Styles and directions by the values of their items.
pub fn eased(t: f64, style: u32, direction: u32) -> f64 {
    match direction {
        IN => rising(t, style),
        IN_OUT if t < 0.5 => rising(t * 2.0, style) / 2.0,
        IN_OUT => 1.0 - rising(2.0 - t * 2.0, style) / 2.0,
        _ => 1.0 - rising(1.0 - t, style),
    }
}

/// The curve of direction `In`.
fn rising(t: f64, style: u32) -> f64 {
    const OVERSHOOT: f64 = 1.70158;
    if t <= 0.0 {
        return 0.0;
    }
    if t >= 1.0 {
        return 1.0;
    }
    match style {
        1 => 1.0 - (t * PI / 2.0).cos(),
        2 => t * t * ((OVERSHOOT + 1.0) * t - OVERSHOOT),
        3 => t.powi(2),
        4 => t.powi(4),
        5 => t.powi(5),
        6 => 1.0 - bounce(1.0 - t),
        7 => {
            let late = t - 1.0;
            -(10.0 * late).exp2() * ((late - 0.075) * 2.0 * PI / 0.3).sin()
        }
        8 => (10.0 * (t - 1.0)).exp2(),
        9 => 1.0 - (1.0 - t * t).sqrt(),
        10 => t.powi(3),
        _ => t,
    }
}

/// A ball that comes to rest: the curve of `Bounce` in direction `Out`.
fn bounce(t: f64) -> f64 {
    const HEIGHT: f64 = 7.5625;
    const WIDTH: f64 = 2.75;
    let (from, floor) = match t * WIDTH {
        x if x < 1.0 => (0.0, 0.0),
        x if x < 2.0 => (1.5, 0.75),
        x if x < 2.5 => (2.25, 0.9375),
        _ => (2.625, 0.984375),
    };
    let t = t - from / WIDTH;
    HEIGHT * t * t + floor
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_curve_begins_at_nothing_and_ends_at_all() {
        for style in 0..=10 {
            for direction in 0..=2 {
                assert!(eased(0.0, style, direction).abs() < 1e-9, "{style} {direction}");
                assert!((eased(1.0, style, direction) - 1.0).abs() < 1e-9, "{style} {direction}");
            }
        }
    }

    #[test]
    fn curves_pass_through_their_known_points() {
        assert_eq!(eased(0.25, 0, 0), 0.25);
        assert_eq!(eased(0.5, 3, 0), 0.25);
        assert_eq!(eased(0.5, 3, 1), 0.75);
        assert_eq!(eased(0.25, 3, 2), 0.125);
        assert_eq!(eased(0.5, 10, 0), 0.125);
        assert!((eased(0.5, 1, 0) - (1.0 - (PI / 4.0).cos())).abs() < 1e-12);
        assert!(eased(0.3, 2, 0) < 0.0);
        assert!((eased(1.0 / 2.75, 6, 1) - 1.0).abs() < 1e-9);
    }
}
