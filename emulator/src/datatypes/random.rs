//! `Random`: a seeded generator of its own. Engine page: datatypes/Random, checked November 2026.
//!
//! PCG32 with the increment of Luau's `math.random`, and numbers drawn as that draws them. Whether the engine's two
//! generators agree for one seed is not documented; here they do.

use super::script::{Property, return_data, return_vector3, scripted, this};
use super::vector3::Vector3;
use crate::vm::{Cx, Failure, NativeFn, Outcome, Raise, Returns, Type, Vm};
use std::cell::Cell;
use std::f64::consts::TAU;

/// A generator; copies go on independently from the same state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Random {
    state: u64,
}

const MULTIPLIER: u64 = 6_364_136_223_846_793_005;
const INCREMENT: u64 = 105;

/// The largest size of a seed: whole numbers up to here are exact.
pub const MOST_SEED: f64 = 9_007_199_254_740_991.0;

impl Random {
    /// The generator of a whole number.
    pub fn new(seed: u64) -> Self {
        let mut random = Self { state: INCREMENT.wrapping_add(seed) };
        random.next_bits();
        random
    }

    /// 32 random bits.
    pub fn next_bits(&mut self) -> u32 {
        let old = self.state;
        self.state = old.wrapping_mul(MULTIPLIER).wrapping_add(INCREMENT);
        let shifted = ((old >> 18) ^ old) >> 27;
        (shifted as u32).rotate_right((old >> 59) as u32)
    }

    /// The generator of a Luau number: rounded down, kept within ±(2^53 - 1).
    pub fn from_number(seed: f64) -> Self {
        let seed = seed.floor().clamp(-MOST_SEED, MOST_SEED);
        Self::new((seed as i64).cast_unsigned())
    }

    /// A number from 0 up to but without 1.
    pub fn next_number(&mut self) -> f64 {
        let low = u64::from(self.next_bits());
        let high = u64::from(self.next_bits());
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
                let drawn = (u64::from(count) + 1) * u64::from(self.next_bits());
                min.wrapping_add_unsigned(drawn >> 32)
            }
            // More values than 32 bits: the high half of a product of 128 bits.
            Err(_) => {
                let bits = u64::from(self.next_bits()) | (u64::from(self.next_bits()) << 32);
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

// ---------------------------------------------------------------- seen from scripts

/// Describes the type to a VM and adds its library.
pub(super) fn install(vm: &Vm) -> Result<(), Failure> {
    vm.register_data::<Random>(table())?;
    vm.set_library("Random", &[("new", new)], &[])
}

/// How many generators a peer has made without a seed.
#[derive(Default)]
struct Unseeded(Cell<u64>);

/// A generator with a seed of the world's, another one at each call.
pub(super) fn unseeded(cx: &Cx<'_>) -> Random {
    let Some(peer) = cx.opt_peer() else { return Random::new(0) };
    let made = peer.part_or_default::<Unseeded>();
    made.0.set(made.0.get() + 1);
    Random::new(peer.shared.seed.derive(&format!("Random {} of {}", made.0.get(), peer.side)))
}

fn new(cx: &mut Cx<'_>) -> Outcome {
    let random = match cx.opt_number(1)? {
        Some(seed) => Random::from_number(seed),
        None => unseeded(cx),
    };
    return_data(cx, random)
}

const PROPERTIES: &[(&str, Property<Random>)] = &[];

const METHODS: &[(&str, NativeFn)] = &[
    ("NextInteger", next_integer),
    ("NextNumber", next_number),
    ("NextUnitVector", |cx| {
        let vector = draw(cx, Random::next_unit_vector)?;
        return_vector3(cx, vector)
    }),
    ("Shuffle", shuffle),
    ("Clone", |cx| return_data(cx, this::<Random>(cx)?)),
];

// Without `__eq` two generators are equal only if they are the same one.
const OPERATORS: &[(&str, NativeFn)] = &[];

fn script_text(_random: &Random) -> String {
    "Random".to_owned()
}

scripted!(Random, "Random");

/// Draws from the generator the method is called on, which moves on.
fn draw<T>(cx: &Cx<'_>, draw: impl FnOnce(&mut Random) -> T) -> Result<T, Raise> {
    let mut random: Random = this(cx)?;
    let drawn = draw(&mut random);
    cx.replace_data(0, random);
    Ok(drawn)
}

fn next_integer(cx: &mut Cx<'_>) -> Outcome {
    let (min, max) = (cx.integer(1)?, cx.integer(2)?);
    let number = draw(cx, |random| random.next_integer(min, max))?;
    cx.push_number(number as f64);
    Ok(Returns::ONE)
}

fn next_number(cx: &mut Cx<'_>) -> Outcome {
    let number = if cx.count() == 0 {
        draw(cx, Random::next_number)?
    } else {
        let (min, max) = (cx.number(1)?, cx.number(2)?);
        draw(cx, |random| random.next_number_between(min, max))?
    };
    cx.push_number(number);
    Ok(Returns::ONE)
}

fn shuffle(cx: &mut Cx<'_>) -> Outcome {
    if cx.kind(1) != Type::Table {
        return Err(cx.wrong_type(1, "table"));
    }
    let len = cx.raw_len(1);
    let mut entries = 0;
    cx.each(1, |_, _| {
        entries += 1;
        Ok(())
    })?;
    if entries != len {
        return Err(Raise::new("Random:Shuffle can only be called on tables that are arrays without holes"));
    }
    let swaps = draw(cx, |random| random.shuffle(len))?;
    cx.push_copy(1);
    for (a, b) in swaps {
        let (a, b) = (a as i32 + 1, b as i32 + 1);
        cx.get_index(1, a);
        cx.get_index(1, b);
        // The value of `b` is on top, that of `a` below it.
        let (of_a, of_b) = (cx.top() - 1, cx.top());
        cx.push_copy(1);
        cx.push_copy(of_b);
        cx.set_index(a);
        cx.push_copy(of_a);
        cx.set_index(b);
        cx.pop(3);
    }
    cx.pop(1);
    Ok(Returns::NONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_pcg32_of_the_reference() {
        use rand_core::Rng;
        // Stream 52 is the increment 105.
        let (mut ours, mut reference) = (Random::new(42), rand_pcg::Pcg32::new(42, 52));
        for _ in 0..100 {
            assert_eq!(ours.next_bits(), reference.next_u32());
        }
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
