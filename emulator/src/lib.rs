//! A virtual Roblox server, its clients, clock and network.

pub mod clock;
pub mod datamodel;
pub mod datatypes;
pub mod network;
pub mod shared;
