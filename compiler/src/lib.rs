//! Schema text in, diagnostics and Luau modules out.
//!
//! Pure: no file access of its own, no clock, nothing printed. `ARCHITECTURE.md` follows the data through.

pub mod diagnostics;
pub mod emit;
pub mod schema;
pub mod source;
pub mod syntax;
pub mod wire;

/// Version of every part of the release.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
