//! Code of others, unmodified, in the emulator: whole suites with their exact counts, libraries in a short use, and the
//! layouts their package managers make. Acceptance scenario 13 of the emulator's requirements.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

mod inside;
mod jest;
mod layouts;
mod libraries;
mod page;
mod place;
mod rojo_cases;
mod suites;
mod table;
