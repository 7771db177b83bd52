//! What whole-product tests share.

pub mod book;
pub mod corpus;
