//! Generated modules: the resolved schema and its wire plan in, text out.

pub mod bundle;
