//! When the frames of one side are: a rate, a start, and what stalls and hitches do to it.

use crate::clock::Time;

/// Frames of one side. Frame k after the last change of rate lies at `base + k / fps`, so nothing adds up.
#[derive(Clone, Copy, Debug)]
pub struct FrameTimer {
    fps: f64,
    base: Time,
    index: u64,
    last: Time,
    stalled_until: Time,
}

/// Longest a side may be stalled, in seconds: a day.
pub const LONGEST_STALL: f64 = 86_400.0;

/// Slowest and fastest rate a side may have, in frames a second.
pub const FPS_RANGE: std::ops::RangeInclusive<f64> = 1.0..=1000.0;

impl FrameTimer {
    /// Frames at `fps` a second, the first one frame after `now`.
    pub fn new(fps: f64, now: Time) -> FrameTimer {
        let fps = if fps.is_finite() { fps.clamp(*FPS_RANGE.start(), *FPS_RANGE.end()) } else { 60.0 };
        FrameTimer { fps, base: now, index: 0, last: now, stalled_until: now }
    }

    /// Frames a second.
    pub fn fps(&self) -> f64 {
        self.fps
    }

    /// Time of the frame that comes next.
    pub fn next(&self) -> Time {
        let next = self.base + Time::of_frame(self.index + 1, self.fps);
        // A stall ends in the first frame of the grid that is past it.
        if next < self.stalled_until { self.at_or_after(self.stalled_until).1 } else { next }
    }

    /// The first frame of the grid, from the present one on, that is not before `moment`: its index and its time.
    fn at_or_after(&self, moment: Time) -> (u64, Time) {
        // Close to it by arithmetic, then by steps: a stall of a day is millions of frames.
        let frames = (moment - self.base).seconds() * self.fps;
        let mut index = self.index.max((frames - 1.0).max(0.0) as u64);
        loop {
            let at = self.base + Time::of_frame(index, self.fps);
            if at >= moment {
                return (index, at);
            }
            index += 1;
        }
    }

    /// Begins the frame at `now` and returns how long ago the last one was.
    pub fn begin(&mut self, now: Time) -> Time {
        let passed = now - self.last;
        self.last = now;
        // Steps on the grid; off it (a hitch) the grid starts again here.
        let (index, at) = self.at_or_after(now);
        self.index = index;
        if at > now {
            self.base = now;
            self.index = 0;
        }
        passed
    }

    /// Changes the rate from `now` on.
    pub fn set_fps(&mut self, fps: f64, now: Time) {
        let last = self.last;
        *self = FrameTimer { last, stalled_until: self.stalled_until, ..FrameTimer::new(fps, now) };
    }

    /// No frame before `until`.
    pub fn stall(&mut self, until: Time) {
        self.stalled_until = self.stalled_until.max(until);
    }

    /// Time of the last frame begun.
    pub fn last(&self) -> Time {
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(k: u64) -> Time {
        Time::of_frame(k, 60.0)
    }

    #[test]
    fn frames_lie_on_the_grid() {
        let mut timer = FrameTimer::new(60.0, Time::ZERO);
        for k in 1..200 {
            assert_eq!(timer.next(), at(k));
            assert_eq!(timer.begin(at(k)), at(k) - at(k - 1));
        }
    }

    #[test]
    fn a_hitch_moves_the_grid() {
        let mut timer = FrameTimer::new(60.0, Time::ZERO);
        timer.begin(at(1));
        let hitch = at(1) + Time::from_seconds(0.123);
        assert_eq!(timer.begin(hitch), Time::from_seconds(0.123));
        assert_eq!(timer.next(), hitch + at(1));
        // A hitch of whole frames keeps it.
        let mut timer = FrameTimer::new(60.0, Time::ZERO);
        assert_eq!(timer.begin(at(15)), at(15));
        assert_eq!(timer.next(), at(16));
    }

    #[test]
    fn a_stall_ends_on_the_grid() {
        let mut timer = FrameTimer::new(60.0, Time::ZERO);
        timer.begin(at(1));
        timer.stall(at(1) + Time::from_seconds(0.2));
        assert_eq!(timer.next(), at(13));
        timer.stall(at(20) + Time::from_units(1));
        assert_eq!(timer.next(), at(21));
        assert_eq!(timer.begin(at(21)), at(20));
        assert_eq!(timer.next(), at(22));
    }

    #[test]
    fn a_stall_of_a_day_is_over_at_once() {
        let mut timer = FrameTimer::new(1000.0, Time::ZERO);
        let day = Time::from_seconds(LONGEST_STALL);
        timer.stall(day);
        assert_eq!(timer.next(), day);
        assert_eq!(timer.begin(day), day);
        assert_eq!(timer.next(), day + Time::of_frame(1, 1000.0));
    }

    #[test]
    fn rates_change_from_now_on() {
        let mut timer = FrameTimer::new(60.0, Time::ZERO);
        timer.begin(at(3));
        timer.set_fps(30.0, at(3));
        assert_eq!(timer.next(), at(5));
        assert_eq!(FrameTimer::new(f64::NAN, Time::ZERO).fps(), 60.0);
        assert_eq!(FrameTimer::new(0.0, Time::ZERO).fps(), 1.0);
    }
}
