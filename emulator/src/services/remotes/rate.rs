//! The limit on how fast a client fires. Source: Roblox behaviour, 5.2.8.

use crate::clock::Time;

/// Fires a client has in hand: a second's worth at most, refilled all the time.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    per_second: f64,
    left: f64,
    at: Time,
    warned_at: Option<Time>,
}

impl Allowance {
    /// A full allowance of `per_second` fires.
    pub fn new(per_second: f64, now: Time) -> Allowance {
        Allowance { per_second, left: per_second, at: now, warned_at: None }
    }

    fn refill(&mut self, now: Time) {
        let passed = (now - self.at).max(Time::ZERO).seconds();
        self.left = (self.left + passed * self.per_second).min(self.per_second);
        self.at = now;
    }

    /// Takes one fire at `now`; false if there is none left.
    pub fn take(&mut self, now: Time) -> bool {
        self.refill(now);
        // A tolerance for what sums of fractions lose.
        if self.left < 1.0 - 1e-9 {
            return false;
        }
        self.left -= 1.0;
        true
    }

    /// Takes one fire on credit and says how long after `now` it would have been allowed.
    pub fn take_late(&mut self, now: Time) -> Time {
        self.refill(now);
        self.left -= 1.0;
        Time::from_seconds((-self.left / self.per_second).max(0.0))
    }

    /// Whether to speak of the excess: once a second.
    pub fn should_warn(&mut self, now: Time) -> bool {
        let due = self.warned_at.is_none_or(|at| now - at >= Time::from_seconds(1.0));
        if due {
            self.warned_at = Some(now);
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_hundred_a_second_pass() {
        let mut allowance = Allowance::new(500.0, Time::ZERO);
        let passed = (0..800).filter(|_| allowance.take(Time::ZERO)).count();
        assert_eq!(passed, 500);
        let later = (0..60).map(|k| Time::of_frame(k + 1, 60.0));
        let passed: usize = later.map(|now| (0..100).filter(|_| allowance.take(now)).count()).sum();
        assert_eq!(passed, 500);
    }

    #[test]
    fn credit_is_paid_back_in_time() {
        let mut allowance = Allowance::new(10.0, Time::ZERO);
        let late: Vec<Time> = (0..12).map(|_| allowance.take_late(Time::ZERO)).collect();
        assert_eq!(late[9], Time::ZERO);
        assert_eq!(late[11], Time::from_seconds(0.2));
    }
}
