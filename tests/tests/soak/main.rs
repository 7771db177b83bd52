//! Long runs: everything arrives exactly once while clients come and go, nothing is left of them, and memory stays flat
//! under a flood. `benches/hostile.rs` runs them at full length.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

mod flood;
mod soak;
mod world;

use soak::{Plan, soak};

const SHORT: Plan = Plan { clients: 20, seconds: 30, seed: 1, batched: false };

#[test]
fn everything_arrives_once_and_nothing_is_left() {
    let outcome = soak(SHORT);
    assert!(outcome.down > 1000 && outcome.up > 500 && outcome.left > 20, "{outcome:?}");
    assert_eq!(soak(SHORT), outcome, "equal seeds give equal traces");
}

#[test]
fn everything_arrives_once_when_gathered() {
    let outcome = soak(Plan { batched: true, seed: 2, ..SHORT });
    assert!(outcome.down > 1000 && outcome.up > 500 && outcome.left > 20, "{outcome:?}");
}

#[test]
fn memory_stays_flat_for_ten_minutes_of_flood() {
    let outcome = flood::flood(10, 2);
    assert!(outcome.packets >= 30_000);
    // What is left over at the end of a minute goes up and down with the buffers in use then; what leaks goes up alone.
    let (early, late) = outcome.minutes.split_at(5);
    let most = |minutes: &[usize]| minutes.iter().max().copied().unwrap();
    assert!(most(late) <= most(early) + (16 << 10), "{:?}", outcome.minutes);
}
