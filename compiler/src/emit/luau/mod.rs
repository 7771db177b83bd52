//! Luau modules from a schema and its wire plan.

pub mod ast;
mod channels;
mod client;
mod clock;
pub mod context;
mod entity;
mod exports;
mod functions;
mod lanes;
pub(in crate::emit) mod limits;
mod lobby;
mod locals;
pub(in crate::emit) mod module;
mod net;
mod number;
pub mod print;
mod rate;
mod read;
mod receive;
mod roblox;
mod send;
mod server;
mod session;
mod snapshot;
mod states;
mod tables;
mod traffic;
pub mod types;
mod types_module;
mod uses;
mod write;

pub use client::emit as client;
pub use server::emit as server;
pub use types_module::emit as types_text;
