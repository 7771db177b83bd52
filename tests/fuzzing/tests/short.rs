//! Every target over its seeds, what the fuzzer kept, and mutations of both that are the same in every run. At length
//! they are run by `fuzz/`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use blinkblox_fuzzing::mutate::{Numbers, mutated};
use blinkblox_fuzzing::{kept, target};

/// Longest input that is mutated, in bytes.
const LONGEST: usize = 4_000;

/// Runs a target over its seeds and `mutants` of them.
fn short(name: &str, mutants: usize) {
    let target = target(name);
    let mut inputs = (target.seeds)();
    inputs.extend(kept(name));
    assert!(inputs.len() >= 10, "{name} has only {} inputs", inputs.len());
    let tried = |input: &[u8], what: &str| {
        let started = Instant::now();
        let outcome = catch_unwind(AssertUnwindSafe(|| (target.run)(input)));
        assert!(outcome.is_ok(), "{what} of {name} fails: {}", input.escape_ascii());
        // A tenth of it is plenty; the machine may be busy.
        assert!(
            started.elapsed() < Duration::from_secs(20),
            "{what} of {name} takes {:?}",
            started.elapsed()
        );
    };
    for (index, input) in inputs.iter().enumerate() {
        tried(input, &format!("input {index}"));
    }
    inputs.retain(|input| !input.is_empty() && input.len() <= LONGEST);
    let mut numbers = Numbers(1);
    for count in 0..mutants {
        let of = &inputs[count % inputs.len()];
        let other = &inputs[numbers.below(inputs.len())];
        tried(&mutated(of, other, &mut numbers), &format!("mutant {count}"));
    }
}

#[test]
fn syntax() {
    short("syntax", 3_000);
}

#[test]
fn compile() {
    short("compile", 400);
}

#[test]
fn format() {
    short("format", 2_000);
}

#[test]
fn codec() {
    short("codec", 4_000);
}

#[test]
fn project() {
    short("project", 1_000);
}

#[test]
fn trace() {
    short("trace", 500);
}

#[test]
fn editor() {
    short("editor", 150);
}

#[test]
fn convert() {
    short("convert", 500);
}

/// The mutants are those of the last run.
#[test]
fn mutations_repeat() {
    let made = |seed| mutated(b"struct A { X: u8 }", b"event B {}", &mut Numbers(seed));
    assert_eq!(made(5), made(5));
    assert!((0..50).any(|seed| made(seed) != made(5)));
}
