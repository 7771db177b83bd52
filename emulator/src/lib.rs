//! A virtual Roblox server, its clients, clock and network.

pub mod clock;
pub mod config;
pub mod datamodel;
pub mod datatypes;
pub mod game;
pub mod membrane;
pub mod network;
pub mod peer;
pub mod project;
pub mod recording;
pub mod repl;
pub mod scheduler;
pub mod services;
pub mod shared;
pub mod surface;
pub mod syntax;
pub mod testing;
pub mod trace;
pub mod universe;
pub mod value;
pub mod vm;
pub mod world;

/// Tests of limits go by what is counted.
#[cfg(test)]
#[global_allocator]
static ALLOCATOR: vm::Counted<std::alloc::System> = vm::Counted(std::alloc::System);
