//! What must hold of any input at all: a function a part of the product, which takes bytes and panics if it does not.
//!
//! Two things run them. `fuzz/`, a crate of its own, drives each with a fuzzer that follows which code an input
//! reaches. The tests of this crate drive all of them for a few seconds: over the seeds, over what the fuzzer kept, and
//! over mutations of both that are the same in every run.

mod codec;
mod compile;
mod convert;
mod editor;
mod format;
pub mod mutate;
mod project;
mod schema;
mod seeds;
mod syntax;
mod trace;

use std::panic::{catch_unwind, take_hook};
use std::sync::Once;

pub use seeds::kept;

/// A function and what it is started from.
pub struct Target {
    /// Its name, which is also that of its corpus.
    pub name: &'static str,
    /// Panics if something does not hold of the input.
    pub run: fn(&[u8]),
    /// Inputs to start from.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// Every one of them.
pub const TARGETS: [Target; 8] = [
    Target { name: "syntax", run: syntax::run, seeds: seeds::schemas },
    Target { name: "compile", run: compile::run, seeds: compile::seeds },
    Target { name: "format", run: format::run, seeds: seeds::schemas },
    Target { name: "codec", run: codec::run, seeds: codec::seeds },
    Target { name: "project", run: project::run, seeds: project::seeds },
    Target { name: "trace", run: trace::run, seeds: trace::seeds },
    Target { name: "editor", run: editor::run, seeds: editor::seeds },
    Target { name: "convert", run: convert::run, seeds: convert::seeds },
];

/// Runs the one of that name for a fuzzer, which takes an abort for a finding. A panic that the product catches is none.
pub fn fuzzed(name: &str, input: &[u8]) {
    static QUIET: Once = Once::new();
    // The fuzzer's own hook aborts at every panic.
    QUIET.call_once(|| drop(take_hook()));
    if catch_unwind(|| (target(name).run)(input)).is_err() {
        std::process::abort();
    }
}

/// The one of that name.
///
/// # Panics
/// If there is none.
pub fn target(name: &str) -> &'static Target {
    TARGETS.iter().find(|target| target.name == name).unwrap_or_else(|| panic!("no target is called {name}"))
}
