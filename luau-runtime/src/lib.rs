//! The Luau that generated modules are built from.
