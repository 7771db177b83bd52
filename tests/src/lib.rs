//! What whole-product tests share.

pub mod book;
pub mod corpus;
pub mod large;
pub mod npm;
pub mod packets;
pub mod schemas;
