//! A virtual Roblox server, its clients, clock and network.

pub mod datamodel;
