//! Runs specs: finds the files, loads each into a VM of its own, the *director*, and runs its tests one by one against
//! fresh worlds.
//!
//! `runner` drives; `director` is the VM; `kit` loads the test API, half of it Luau (`luau/`), half of it natives
//! (`natives/`); `worlds` and `fixture` make what a test asks for, and a `slot` has what it announced of one; `inside` is
//! for specs that are modules of their project; `replay` takes a world back to where it was; `report` holds what came
//! out, and `reporters` turn it into text. Nothing here prints.

pub mod coverage;
pub mod decoding;
pub mod director;
pub mod fixture;
mod inside;
pub(crate) mod kit;
mod natives;
mod pure;
mod replay;
pub mod report;
pub mod reporters;
mod runner;
mod shell;
mod side_home;
mod slot;
pub mod stored;
mod unanswered;
mod unread;
mod worlds;

pub use runner::{Filter, RunOptions, Shard, Stop, WorldDefaults, run};
