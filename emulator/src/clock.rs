//! Virtual time: the world's one clock, and what each peer's own clocks make of it.
//!
//! All time is counted in whole units ([`UNITS_PER_SECOND`] a second), chosen so that a frame of any usual rate and a
//! nanosecond are whole numbers of units: sixty frames are exactly one second, and a wait of `6 / 60` from frame 1 is
//! due in frame 7. Frame k of a peer lies at `k / fps`, computed from k and never added up. Seconds as floating point
//! appear only where scripts read them.
//!
//! Nothing here reads the machine's clock.

use std::cell::Cell;
use std::ops::{Add, AddAssign, Sub, SubAssign};

/// Units of [`Time`] in a second: a common multiple of 10^9 and of the frame rates in use (60, 90, 144, 165, 240, ...).
pub const UNITS_PER_SECOND: i64 = 693_000_000_000;

/// Unix time at which a world starts unless told otherwise: 2025-01-01T00:00:00Z.
pub const DEFAULT_UNIX_START: i64 = 1_735_689_600;

/// A point in virtual time since the world's start, or a length of it.
///
/// Unit: 1 / [`UNITS_PER_SECOND`] s. The range is 154 days either way; arithmetic saturates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(i64);

impl Time {
    /// The world's start, and the empty length.
    pub const ZERO: Time = Time(0);
    /// Later than any frame: the due time of something that never comes.
    pub const NEVER: Time = Time(i64::MAX);

    /// `units` as a time.
    pub const fn from_units(units: i64) -> Time {
        Time(units)
    }

    /// The number of units.
    pub const fn units(self) -> i64 {
        self.0
    }

    /// Seconds to the nearest unit. NaN gives zero; what lies outside the range saturates, so `math.huge` never comes.
    pub fn from_seconds(seconds: f64) -> Time {
        // A float-to-integer cast saturates and turns NaN into 0.
        Time((seconds * UNITS_PER_SECOND as f64).round() as i64)
    }

    /// A length a script asked to wait: as [`Time::from_seconds`], negative lengths being zero.
    pub fn wait(seconds: f64) -> Time {
        Time::from_seconds(seconds).max(Time::ZERO)
    }

    /// `millis` milliseconds.
    pub const fn from_millis(millis: i64) -> Time {
        Time(millis.saturating_mul(UNITS_PER_SECOND / 1000))
    }

    /// Seconds as the nearest double. Frame k at 60 a second reads as exactly the double nearest `k / 60`.
    pub fn seconds(self) -> f64 {
        const EXACT: u64 = 1 << 53;
        if self.0.unsigned_abs() < EXACT {
            return self.0 as f64 / UNITS_PER_SECOND as f64;
        }
        // Past three hours the count has more digits than a double: cancel the common factor first.
        let divisor = gcd(self.0.unsigned_abs(), UNITS_PER_SECOND.unsigned_abs());
        let (up, down) = (self.0 / divisor as i64, UNITS_PER_SECOND / divisor as i64);
        up as f64 / down as f64
    }

    /// Where frame `index` of a rate of `fps` frames a second lies, counted from zero.
    pub fn of_frame(index: u64, fps: f64) -> Time {
        if fps.fract() == 0.0 && (1.0..=1e6).contains(&fps) {
            let units = i128::from(index) * i128::from(UNITS_PER_SECOND) / (fps as i128);
            return Time(i64::try_from(units).unwrap_or(i64::MAX));
        }
        Time((index as f64 * (UNITS_PER_SECOND as f64 / fps)).round() as i64)
    }

    /// This length times `factor`, to the nearest unit.
    pub fn scaled(self, factor: f64) -> Time {
        Time((self.0 as f64 * factor).round() as i64)
    }

    /// Half of this length, rounded down.
    pub const fn half(self) -> Time {
        Time(self.0.div_euclid(2))
    }

    /// This length rounded to the nearest multiple of `step`; unchanged for a step of zero.
    pub fn rounded_to(self, step: Time) -> Time {
        if step.0 <= 0 || self == Time::NEVER {
            return self;
        }
        Time((self.0.saturating_add(step.0 / 2)).div_euclid(step.0).saturating_mul(step.0))
    }

    /// Seconds with nine decimals, for traces: exact digits, rounded down, never a float's text.
    pub fn to_decimal(self) -> String {
        let magnitude = self.0.unsigned_abs();
        let nanos = magnitude / (UNITS_PER_SECOND as u64 / 1_000_000_000);
        let sign = if self.0 < 0 { "-" } else { "" };
        format!("{sign}{}.{:09}", nanos / 1_000_000_000, nanos % 1_000_000_000)
    }
}

impl Add for Time {
    type Output = Time;
    fn add(self, other: Time) -> Time {
        Time(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Time {
    fn add_assign(&mut self, other: Time) {
        *self = *self + other;
    }
}

impl Sub for Time {
    type Output = Time;
    fn sub(self, other: Time) -> Time {
        Time(self.0.saturating_sub(other.0))
    }
}

impl SubAssign for Time {
    fn sub_assign(&mut self, other: Time) {
        *self = *self - other;
    }
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

/// The world's clock: where virtual time stands and which wall-clock moment it started at.
#[derive(Clone, Copy, Debug)]
pub struct WorldClock {
    /// Virtual time since the world's start.
    pub now: Time,
    unix_seconds: i64,
    unix_fraction: Time,
}

impl Default for WorldClock {
    fn default() -> WorldClock {
        WorldClock { now: Time::ZERO, unix_seconds: DEFAULT_UNIX_START, unix_fraction: Time::ZERO }
    }
}

impl WorldClock {
    /// Sets the Unix time, in seconds, that virtual time zero stands for.
    pub fn set_unix_start(&mut self, seconds: f64) {
        let whole = seconds.floor();
        self.unix_seconds = whole as i64;
        self.unix_fraction = Time::from_seconds(seconds - whole);
    }

    /// The Unix time, in seconds, that virtual time zero stands for.
    pub fn unix_start(&self) -> f64 {
        self.unix(Time::ZERO)
    }

    /// Unix seconds of the true (server's) wall clock at virtual time `at`.
    pub fn unix(&self, at: Time) -> f64 {
        self.unix_seconds as f64 + (self.unix_fraction + at).seconds()
    }
}

/// How many `os.clock` calls of one frame read the frame's own time before the clock starts to creep.
const STILL_CALLS: u32 = 1000;
/// What each later call of the frame adds, so that a loop that waits on `os.clock` ends.
const CREEP: Time = Time(UNITS_PER_SECOND / 1_000_000);
/// Most the reported server clock may run fast or slow against the local clock: 0.6 %.
const SLEW_PARTS_PER_THOUSAND: i64 = 6;

/// One peer's clocks: its wall clock with an offset and a drift, its monotonic clock, its estimate of server time.
///
/// All methods take `&self`, so that native functions can hold it shared.
#[derive(Debug)]
pub struct PeerClock {
    boot: Time,
    frame: Cell<Time>,
    // A change of drift starts a new straight piece of the local clock: `local = base + (t - since) * (1 + drift)`.
    since: Cell<Time>,
    base: Cell<Time>,
    drift: Cell<f64>,
    offset: Cell<Time>,
    calls: Cell<u32>,
    last_clock: Cell<Time>,
    server: Cell<Option<Estimate>>,
}

/// A client's estimate of server time, a straight line from its last probe on.
#[derive(Clone, Copy, Debug)]
struct Estimate {
    // The reported server time at local time `local`, and the offset it slews towards.
    local: Time,
    reported: Time,
    target: Time,
}

impl Estimate {
    fn at(self, local: Time) -> Time {
        let elapsed = (local - self.local).max(Time::ZERO);
        let gap = (local + self.target) - (self.reported + elapsed);
        let bound = elapsed.units() / 1000 * SLEW_PARTS_PER_THOUSAND;
        self.reported + elapsed + Time(gap.units().clamp(-bound, bound))
    }
}

impl PeerClock {
    /// The clocks of a peer that starts at `boot`, with a wall clock `offset` ahead of the true one and a rate of
    /// `1 + drift`.
    pub fn new(boot: Time, offset: Time, drift: f64) -> PeerClock {
        PeerClock {
            boot,
            frame: Cell::new(boot),
            since: Cell::new(boot),
            base: Cell::new(boot),
            drift: Cell::new(drift),
            offset: Cell::new(offset),
            calls: Cell::new(0),
            last_clock: Cell::new(Time::ZERO),
            server: Cell::new(None),
        }
    }

    /// Begins a frame at virtual time `now`: what scripts read is this moment until the next frame.
    pub fn begin_frame(&self, now: Time) {
        self.frame.set(now);
        self.calls.set(0);
    }

    /// Virtual time of the frame under way.
    pub fn now(&self) -> Time {
        self.frame.get()
    }

    /// Virtual time at which the peer started.
    pub fn boot(&self) -> Time {
        self.boot
    }

    /// The wall clock's offset against the true one, without what drift has added since.
    pub fn offset(&self) -> Time {
        self.offset.get()
    }

    /// The clock's rate less one.
    pub fn drift(&self) -> f64 {
        self.drift.get()
    }

    /// Moves the wall clock to be `offset` ahead. A step: `os.clock` does not notice.
    pub fn set_offset(&self, offset: Time) {
        self.offset.set(offset);
    }

    /// Changes the clock's rate to `1 + drift` from now on.
    pub fn set_drift(&self, drift: f64) {
        let now = self.frame.get();
        self.base.set(self.running(now));
        self.since.set(now);
        self.drift.set(drift);
    }

    fn running(&self, at: Time) -> Time {
        let elapsed = at - self.since.get();
        let drift = self.drift.get();
        let gained = if drift == 0.0 { Time::ZERO } else { elapsed.scaled(drift) };
        self.base.get() + elapsed + gained
    }

    /// The peer's wall clock at virtual time `at`, on the scale of virtual time.
    pub fn local_at(&self, at: Time) -> Time {
        self.running(at) + self.offset.get()
    }

    /// The peer's wall clock now, on the scale of virtual time; [`WorldClock::unix`] turns it into Unix seconds.
    pub fn local(&self) -> Time {
        self.local_at(self.frame.get())
    }

    /// Seconds for `os.clock`: since the peer's start, by its own rate, never going back.
    ///
    /// Stands still inside a frame for the first 1 000 calls, then creeps by 1 µs a call.
    pub fn os_clock(&self) -> f64 {
        let calls = self.calls.get().saturating_add(1);
        self.calls.set(calls);
        let mut now = self.running(self.frame.get()) - self.boot;
        now += Time(CREEP.0.saturating_mul(i64::from(calls.saturating_sub(STILL_CALLS))));
        let now = now.max(self.last_clock.get());
        self.last_clock.set(now);
        now.seconds()
    }

    /// Seconds for `time()` and `Workspace.DistributedGameTime`: how long the peer has run, in virtual time.
    pub fn uptime(&self) -> f64 {
        (self.frame.get() - self.boot).seconds()
    }

    /// Takes a probe's answer: at virtual time `at` the peer believes server time to be `measured`.
    ///
    /// The first answer is believed at once; later ones only steer the slew.
    pub fn probed(&self, at: Time, measured: Time) {
        // The slew runs on the monotonic clock: a step of the wall clock is no news about the server.
        let local = self.running(at);
        let reported = self.server.get().map_or(measured, |estimate| estimate.at(local));
        self.server.set(Some(Estimate { local, reported, target: measured - local }));
    }

    /// Server time as the peer estimates it at virtual time `at`; `None` before the first probe. Never decreases.
    pub fn server_time_at(&self, at: Time) -> Option<Time> {
        self.server.get().map(|estimate| estimate.at(self.running(at)))
    }

    /// Server time as the peer estimates it now; `None` before the first probe.
    pub fn server_time(&self) -> Option<Time> {
        self.server_time_at(self.frame.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(k: u64) -> Time {
        Time::of_frame(k, 60.0)
    }

    #[test]
    fn the_ends_of_the_range_are_times_like_any_other() {
        for seconds in [f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e300] {
            let time = Time::from_seconds(seconds);
            assert_eq!(time.seconds().is_sign_negative(), seconds < 0.0);
            assert!(!time.to_decimal().is_empty());
            let _ = (
                time.half(),
                time.scaled(-2.0),
                time.rounded_to(Time::from_millis(1)),
                time + time,
                Time::ZERO - time,
            );
        }
    }

    #[test]
    fn sixty_frames_are_a_second_and_every_wait_of_whole_frames_is_on_time() {
        assert_eq!(frame(60), Time::from_seconds(1.0));
        for k in 0..2000u64 {
            assert_eq!(frame(k).seconds(), k as f64 / 60.0, "frame {k}");
            assert_eq!(frame(k) + Time::wait(6.0 / 60.0), frame(k + 6));
            assert_eq!(frame(k) + Time::wait(0.1), frame(k + 6));
        }
        let day = 60 * 86_400 + 7;
        assert_eq!(frame(day).seconds(), day as f64 / 60.0);
        for fps in [24.0, 30.0, 45.0, 75.0, 90.0, 120.0, 144.0, 165.0, 240.0] {
            assert_eq!(Time::of_frame(fps as u64, fps), Time::from_seconds(1.0), "{fps}");
        }
    }

    #[test]
    fn odd_waits() {
        assert_eq!(Time::wait(f64::NAN), Time::ZERO);
        assert_eq!(Time::wait(-1.0), Time::ZERO);
        assert_eq!(Time::wait(f64::NEG_INFINITY), Time::ZERO);
        assert_eq!(Time::wait(f64::INFINITY), Time::NEVER);
        assert_eq!(frame(5) + Time::NEVER, Time::NEVER);
    }

    #[test]
    fn decimals_are_exact() {
        assert_eq!(frame(1).to_decimal(), "0.016666666");
        assert_eq!(frame(90).to_decimal(), "1.500000000");
        assert_eq!((Time::ZERO - frame(30)).to_decimal(), "-0.500000000");
        assert_eq!(Time::from_seconds(0.0014).rounded_to(Time::from_millis(1)), Time::from_millis(1));
        assert_eq!(Time::from_seconds(0.0016).rounded_to(Time::from_millis(1)), Time::from_millis(2));
    }

    #[test]
    fn wall_clock_starts_in_2025() {
        let clock = WorldClock::default();
        assert_eq!(clock.unix(Time::ZERO), 1_735_689_600.0);
        // Source: seed coverage, the tests' conventions and S5.
        // What a stamp of two bytes says at that moment.
        let stamp = |clock: &WorldClock, at| (clock.unix(at) * 1000.0).floor() as i64 % 65_536;
        assert_eq!((stamp(&clock, Time::ZERO), stamp(&clock, frame(7))), (31_744, 31_860));
        let mut late = WorldClock::default();
        late.set_unix_start(1_735_689_633.756);
        assert_eq!((stamp(&late, frame(1)), stamp(&late, frame(7))), (65_516, 80));
    }

    #[test]
    fn os_clock_stands_still_then_creeps_and_never_goes_back() {
        let clock = PeerClock::new(frame(60), Time::from_seconds(3600.0), 0.0);
        clock.begin_frame(frame(66));
        for _ in 0..1000 {
            assert_eq!(clock.os_clock(), 0.1);
        }
        assert!((clock.os_clock() - 0.100001).abs() < 1e-12);
        for _ in 0..50_000 {
            clock.os_clock();
        }
        let before = clock.os_clock();
        clock.begin_frame(frame(67));
        assert!(clock.os_clock() >= before);
        clock.set_offset(Time::from_seconds(-3600.0));
        clock.begin_frame(frame(80));
        assert_eq!(clock.os_clock(), 20.0 / 60.0);
    }

    #[test]
    fn drift_changes_the_rate_without_a_jump() {
        let clock = PeerClock::new(Time::ZERO, Time::ZERO, 200e-6);
        clock.begin_frame(Time::from_seconds(10.0));
        assert!((clock.local().seconds() - 10.002).abs() < 1e-9);
        clock.set_drift(0.0);
        assert!((clock.local().seconds() - 10.002).abs() < 1e-9);
        clock.begin_frame(Time::from_seconds(20.0));
        assert!((clock.local().seconds() - 20.002).abs() < 1e-9);
    }

    #[test]
    fn the_first_probe_is_believed_and_later_ones_slew() {
        let clock = PeerClock::new(Time::ZERO, Time::from_seconds(3600.0), 0.0);
        assert_eq!(clock.server_time(), None);
        clock.probed(Time::ZERO, Time::from_seconds(0.09));
        assert_eq!(clock.server_time_at(Time::from_seconds(1.0)), Some(Time::from_seconds(1.09)));
        clock.probed(Time::from_seconds(1.0), Time::from_seconds(1.0));
        let mut last = Time::ZERO;
        for k in 60..1200 {
            let now = clock.server_time_at(frame(k)).expect("probed");
            assert!(now >= last);
            if k > 60 {
                let rate = (now - last).seconds() * 60.0;
                assert!((0.9939..=1.0061).contains(&rate), "rate {rate} in frame {k}");
            }
            last = now;
        }
        // 0.09 s at 0.6 % take 15 s.
        assert!(
            (clock.server_time_at(Time::from_seconds(10.0)).expect("probed").seconds() - 10.036).abs() < 1e-6
        );
        assert_eq!(clock.server_time_at(Time::from_seconds(17.0)), Some(Time::from_seconds(17.0)));
    }
}
