//! `blinkblox completions SHELL`: a script that completes commands and flags. Source: tooling specification, 12.

use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use clap_complete::Shell;

use super::Cli;
use crate::printer::print_out;

/// Prints a script that completes commands and flags in a shell.
///
/// For example: blinkblox completions bash > ~/.local/share/bash-completion/completions/blinkblox
#[derive(Parser)]
pub struct Completions {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    shell: Shell,
}

impl Completions {
    /// Prints the script.
    pub fn run(self) -> ExitCode {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "blinkblox", &mut script);
        print_out(&String::from_utf8_lossy(&script));
        ExitCode::SUCCESS
    }
}
