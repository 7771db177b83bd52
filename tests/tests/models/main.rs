//! The real modules in the emulator beside models that know only the rules: when a stream sends, what a batch holds and
//! where it is cut, what a snapshot says. Schedules are drawn from a seed; a model that disagrees names it.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

mod batches;
mod entities;
mod observed;
mod streams;
#[path = "../soak/world.rs"]
#[allow(dead_code, reason = "the soak asks more of a world")]
mod world;
