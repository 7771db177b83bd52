//! What it takes to run other people's Luau, as it was published, inside the emulator: fetching it, mounting it, running
//! it on a side and counting.
//!
//! Nothing that is fetched is kept in the repository. Packages of npm are installed into the target folder, with the
//! exact versions of `package-lock.json`; what crates carry is read where cargo unpacked it.
//!
//! Start at [`fetch`], then [`Place`] and [`run`].

#![allow(clippy::unwrap_used, reason = "this is test code: an unwrap is an assertion")]

pub mod compare;
pub mod fetch;
mod place;
mod run;
pub mod testing;

pub use place::Place;
pub use run::{On, Runner};
