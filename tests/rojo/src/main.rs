//! The real `rojo` command, from its own library, for tests that need one beside our loader and watcher:
//! `blinkblox-rojo build PROJECT -o FILE`, `blinkblox-rojo serve PROJECT --port N`.

use std::process::ExitCode;

use clap3::Parser;
use librojo::cli::Options;

fn main() -> ExitCode {
    match Options::parse().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
