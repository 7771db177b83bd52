//! `blinkblox lsp`: the language server. Source: tooling specification, 7.4.

use std::process::ExitCode;

use clap::Parser;

/// Serves an editor over standard input and output, in the language server protocol.
#[derive(Parser)]
pub struct Lsp {
    /// Accepted for editors that say so: there is no other way
    #[arg(long)]
    stdio: bool,
}

impl Lsp {
    /// Serves until the editor leaves.
    pub fn run(self) -> ExitCode {
        let Lsp { stdio: _ } = self;
        crate::lsp::serve()
    }
}
