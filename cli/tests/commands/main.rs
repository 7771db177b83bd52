//! The commands, run as a person or a program runs them: one file a family.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

mod arguments;
mod build;
mod convert;
mod coverage;
mod documents;
mod emu;
mod emulation;
mod explore;
mod flags;
mod library;
mod lsp;
mod names;
mod newcomers;
mod pages;
mod plugin;
mod project;
mod prompt;
mod quick_start;
#[cfg(unix)]
mod release;
mod serve;
mod specs;
mod stored;
mod support;
#[cfg(unix)]
mod terminal;
mod tools;
mod trace;
#[cfg(unix)]
mod watch;
#[cfg(unix)]
mod watcher;
