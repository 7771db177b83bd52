//! `Random`: a seeded generator of its own. Engine page: datatypes/Random, checked November 2026.
//!
//! PCG32 with the increment of Luau's `math.random`, and numbers drawn as that draws them. Whether the engine's two
//! generators agree for one seed is not documented; here they do.

use super::vector3::Vector3;
use rand_core::Rng;
use rand_pcg::Pcg32;
use std::f64::consts::TAU;

/// A generator; copies go on independently from the same state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Random(Pcg32);

/// Half of Luau's increment 105: the stream that makes `rand_pcg` agree with it.
const STREAM: u64 = 52;

/// The largest size of a seed: whole numbers up to here are exact.
pub const MOST_SEED: f64 = 9_007_199_254_740_991.0;

impl Random {
    /// The generator of a whole number.
    pub fn new(seed: u64) -> Self {
        Self(Pcg32::new(seed, STREAM))
    }

    /// The generator of a Luau number: rounded down, kept within ±(2^53 - 1).
    pub fn from_number(seed: f64) -> Self {
        let seed = seed.floor().clamp(-MOST_SEED, MOST_SEED);
        Self::new((seed as i64).cast_unsigned())
    }

    /// A number from 0 up to but without 1.
    pub fn next_number(&mut self) -> f64 {
        let low = u64::from(self.0.next_u32());
        let high = u64::from(self.0.next_u32());
        let bits = low | (high << 32);
        // 64 bits times 2^-64. The largest would round up to 1, so it is kept just below.
        (bits as f64 * 2f64.powi(-64)).min(1.0 - f64::EPSILON / 2.0)
    }

    /// A number from `min` to `max`.
    pub fn next_number_between(&mut self, min: f64, max: f64) -> f64 {
        min + (max - min) * self.next_number()
    }

    /// A whole number from `min` to `max`, both included; the bounds may be in either order.
    pub fn next_integer(&mut self, min: i64, max: i64) -> i64 {
        let (min, max) = (min.min(max), min.max(max));
        let count = max.wrapping_sub(min).cast_unsigned();
        match u32::try_from(count) {
            Ok(count) => {
                let drawn = (u64::from(count) + 1) * u64::from(self.0.next_u32());
                min.wrapping_add_unsigned(drawn >> 32)
            }
            // More values than 32 bits: the high half of a product of 128 bits.
            Err(_) => {
                let bits = u64::from(self.0.next_u32()) | (u64::from(self.0.next_u32()) << 32);
                let drawn = (u128::from(count) + 1) * u128::from(bits);
                min.wrapping_add_unsigned((drawn >> 64) as u64)
            }
        }
    }

    /// A direction, each as likely as any other.
    pub fn next_unit_vector(&mut self) -> Vector3 {
        let z = self.next_number_between(-1.0, 1.0);
        let (sin, cos) = (self.next_number() * TAU).sin_cos();
        let radius = (1.0 - z * z).sqrt();
        Vector3::new((radius * cos) as f32, (radius * sin) as f32, z as f32)
    }

    /// The places to swap, in order, to shuffle `len` items: pairs of indices from 0.
    pub fn shuffle(&mut self, len: usize) -> Vec<(usize, usize)> {
        (1..len)
            .rev()
            .map(|last| {
                let other = self.next_integer(0, i64::try_from(last).unwrap_or(i64::MAX));
                (last, usize::try_from(other).unwrap_or(0))
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The generator as Luau's `math` library has it.
    struct Luau(u64);

    impl Luau {
        fn new(seed: u64) -> Self {
            let mut luau = Self(0);
            luau.next();
            luau.0 = luau.0.wrapping_add(seed);
            luau.next();
            luau
        }

        fn next(&mut self) -> u32 {
            let old = self.0;
            self.0 = old.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(105);
            ((((old >> 18) ^ old) >> 27) as u32).rotate_right((old >> 59) as u32)
        }
    }

    #[test]
    fn draws_the_numbers_of_math_random() {
        let (mut ours, mut luau) = (Random::new(42), Luau::new(42));
        for _ in 0..100 {
            let expected = 1 + (100 * u64::from(luau.next()) >> 32) as i64;
            assert_eq!(ours.next_integer(1, 100), expected);
        }
        let (low, high) = (u64::from(luau.next()), u64::from(luau.next()));
        assert_eq!(ours.next_number(), (low | (high << 32)) as f64 * 2f64.powi(-64));
    }

    #[test]
    fn equal_seeds_give_equal_sequences() {
        let mut a = Random::from_number(7.9);
        let mut b = Random::from_number(7.0);
        let mut other = Random::from_number(-7.0);
        let drawn: Vec<i64> = (0..20).map(|_| a.next_integer(-5, 5)).collect();
        assert_eq!(drawn, (0..20).map(|_| b.next_integer(5, -5)).collect::<Vec<_>>());
        assert_ne!(drawn, (0..20).map(|_| other.next_integer(-5, 5)).collect::<Vec<_>>());
        assert!(drawn.iter().all(|value| (-5..=5).contains(value)));
    }

    #[test]
    fn stays_within_wide_bounds() {
        let mut random = Random::new(1);
        for _ in 0..100 {
            random.next_integer(i64::MIN, i64::MAX);
            let number = random.next_number_between(-2.0, 3.0);
            assert!((-2.0..3.0).contains(&number));
            let length = random.next_unit_vector().length();
            assert!((length - 1.0).abs() < 1e-6);
        }
        let swaps = random.shuffle(5);
        assert_eq!(swaps.len(), 4);
        assert!(swaps.iter().all(|(last, other)| other <= last));
        assert!(random.shuffle(0).is_empty());
    }
}
