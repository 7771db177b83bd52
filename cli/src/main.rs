//! The `blinkblox` command: arguments in, an exit code out. What it can do is in `commands`.

mod commands;
mod depfile;
mod entry;
mod plugin;
mod printer;
mod schemas;
mod serve;
mod watch;
mod writer;

use std::process::ExitCode;

use blinkblox_command::{loader, lsp};
use blinkblox_emulator::vm::Counted;

/// A compile makes and drops many small trees, which the system's allocators are slow at. What is counted is what scripts
/// make the emulator hold.
#[global_allocator]
static ALLOCATOR: Counted<mimalloc::MiMalloc> = Counted(mimalloc::MiMalloc);

fn main() -> ExitCode {
    let code = commands::run(std::env::args_os().skip(1).collect());
    // Whoever reads the exit code takes what it was to read for whole.
    if code == ExitCode::SUCCESS && printer::is_lost() { ExitCode::FAILURE } else { code }
}
