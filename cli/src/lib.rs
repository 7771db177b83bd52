//! What of the command others drive in memory: the language server. Everything else is the command itself, `main.rs`.

pub mod loader;
pub mod lsp;
