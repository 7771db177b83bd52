//! Randomness of a world: one seed, split by purpose, and generators that give equal numbers everywhere.

use rand_core::{Rng, SeedableRng};
use rand_pcg::Pcg32;

/// The root of all randomness of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed(pub u64);

impl Seed {
    /// A generator for one purpose. Purposes are independent: a draw added to one shifts no other.
    pub fn random(self, purpose: &str) -> Random {
        Random(Pcg32::new(self.derive(purpose), fnv(purpose.as_bytes())))
    }

    /// A seed for a part of the world that splits its own randomness further.
    pub fn derive(self, purpose: &str) -> u64 {
        mix(self.0 ^ mix(fnv(purpose.as_bytes())))
    }
}

fn fnv(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

fn mix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// A seeded generator: the same numbers for the same seed and purpose, on every platform.
#[derive(Clone, Debug)]
pub struct Random(Pcg32);

impl Random {
    /// A generator from a bare number.
    pub fn from_seed(seed: u64) -> Random {
        Random(Pcg32::seed_from_u64(seed))
    }

    /// A whole number below 2^64.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number in [0, 1), in steps of 2^-53.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// True with probability `p`. Draws nothing for a `p` of 0 or less, or of 1 or more.
    pub fn chance(&mut self, p: f64) -> bool {
        if p <= 0.0 {
            return false;
        }
        p >= 1.0 || self.unit() < p
    }

    /// A whole number in 0..n; 0 for n = 0.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// About a standard normal, between -6 and 6: a sum of twelve draws, so that it needs no platform's logarithm.
    pub fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }

    /// Puts `items` in a drawn order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn purposes_are_independent_and_seeds_matter() {
        let draw = |seed: u64, purpose: &str| {
            let mut random = Seed(seed).random(purpose);
            [random.bits(), random.bits()]
        };
        assert_eq!(draw(1, "loss"), draw(1, "loss"));
        assert_ne!(draw(1, "loss"), draw(2, "loss"));
        assert_ne!(draw(1, "loss"), draw(1, "jitter"));
    }

    #[test]
    fn draws_have_the_shape_they_claim() {
        let mut random = Seed(7).random("test");
        let mean = (0..20_000).map(|_| random.unit()).sum::<f64>() / 20_000.0;
        assert!((mean - 0.5).abs() < 0.01, "{mean}");
        let hits = (0..20_000).filter(|_| random.chance(0.2)).count();
        assert!((3_800..4_200).contains(&hits), "{hits}");
        let spread = (0..20_000).map(|_| random.normal().powi(2)).sum::<f64>() / 20_000.0;
        assert!((spread - 1.0).abs() < 0.05, "{spread}");
        assert!((0..1000).all(|_| random.below(3) < 3));
        let mut order: Vec<u32> = (0..50).collect();
        random.shuffle(&mut order);
        assert_ne!(order, (0..50).collect::<Vec<_>>());
        order.sort_unstable();
        assert_eq!(order, (0..50).collect::<Vec<_>>());
    }
}
