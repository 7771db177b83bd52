//! What whole-product tests share.

pub mod corpus;
