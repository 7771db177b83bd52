//! Definitions of the corpus with bytes taken out, doubled and swapped: each gives a draft that compiles or a refusal, and
//! never a fault of the converter's own.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

use std::fs;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use blinkblox_compiler::diagnostics::Code;
use blinkblox_compiler::source::{MemoryLoader, SourceLoader};
use blinkblox_convert::{Limits, Tool, convert};

/// A small generator of numbers, the same on every machine.
struct Dice(u64);

impl Dice {
    /// A number below `sides`.
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % sides.max(1)
    }
}

/// How often each case is spoilt, by the dozen or so: enough to meet every kind of fault once, and quick.
const ROUNDS: usize = 2;

/// Words that mean something somewhere.
const WORDS: [&str; 16] = [
    "?",
    "[]",
    "{",
    "}",
    "(",
    ")",
    ",",
    "unknown",
    "struct {}",
    "..",
    "\"",
    "--[[",
    "\n",
    "u8",
    "nil",
    "65536",
];

fn mutated(bytes: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=dice.roll(2) {
        let at = dice.roll(bytes.len());
        let end = (at + 1 + dice.roll(12)).min(bytes.len());
        match dice.roll(5) {
            0 => drop(bytes.drain(at..end)),
            1 => {
                let again = bytes[at..end].to_vec();
                bytes.splice(at..at, again);
            }
            2 => drop(bytes.splice(at..at, WORDS[dice.roll(WORDS.len())].bytes())),
            3 => {
                let (at, other) = (at.min(bytes.len() - 1), dice.roll(bytes.len()));
                bytes.swap(at, other);
            }
            _ => bytes[at] = u8::try_from(dice.roll(256)).unwrap(),
        }
        if bytes.is_empty() {
            bytes.push(b' ');
        }
    }
    bytes
}

fn inputs(tool: Tool, file: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let mut folders: Vec<PathBuf> = fs::read_dir(format!("../tests/convert/{}", tool.name()))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join(file).is_file() && path.join("expected.blink").is_file())
        .collect();
    folders.sort();
    folders.into_iter().map(|path| (path.clone(), fs::read(path.join(file)).unwrap())).collect()
}

#[track_caller]
fn check(tool: Tool, file: &str, rounds: usize) {
    let mut dice = Dice(11);
    let limits = Limits { time: Duration::from_millis(200), memory: 16 << 20, ..Limits::default() };
    let mut drafts = 0;
    for (case, bytes) in inputs(tool, file) {
        for _ in 0..rounds {
            let mutant = mutated(&bytes, &mut dice);
            let loader: Rc<dyn SourceLoader> = Rc::new(MemoryLoader::new().with(file, mutant.clone()));
            match convert(tool, &loader, file, limits) {
                Ok(_) => drafts += 1,
                Err(refusal) => assert_eq!(
                    refusal.diagnostic.code,
                    Code::ConvertRefused,
                    "{}: {}\n{}",
                    case.display(),
                    refusal.diagnostic.headline,
                    String::from_utf8_lossy(&mutant)
                ),
            }
        }
    }
    assert!(drafts >= 4, "only {drafts} mutants gave a draft");
}

#[test]
fn of_zap() {
    check(Tool::Zap, "input.zap", ROUNDS * 60);
}

#[test]
fn of_blink() {
    check(Tool::Blink, "input.blink", ROUNDS * 20);
}

#[test]
fn of_luau() {
    check(Tool::ByteNet, "input.luau", ROUNDS * 6);
    check(Tool::Packet, "input.luau", ROUNDS * 6);
    check(Tool::QuickNet, "input.luau", ROUNDS * 6);
    check(Tool::Warp, "input.luau", ROUNDS * 6);
}
