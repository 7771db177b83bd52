//! The `blinkblox` command: arguments in, an exit code out. What it can do is in `commands`.

mod commands;
mod entry;
mod loader;
mod printer;
mod schemas;
mod watch;
mod writer;

use std::process::ExitCode;

fn main() -> ExitCode {
    commands::run(std::env::args_os().skip(1).collect())
}
