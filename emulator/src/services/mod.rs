//! Services of the engine whose work is more than their members: remotes, players, frames.

pub mod remotes;
