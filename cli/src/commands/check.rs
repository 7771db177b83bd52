//! `blinkblox check [SCHEMA...]`: all the work of a build, and nothing written.

use std::process::ExitCode;

use clap::Parser;

use super::build::{Job, Mode, run_schemas};
use super::flags::{OutputFlags, SchemaFlags};

/// Compiles schemas and writes nothing.
#[derive(Parser)]
pub struct Check {
    /// Paths of the schemas; those of the nearest blinkblox.toml when none is given
    #[arg(value_name = "SCHEMA")]
    schemas: Vec<String>,
    #[command(flatten)]
    outputs: OutputFlags,
    #[command(flatten)]
    flags: SchemaFlags,
}

impl Check {
    /// Compiles without writing.
    pub fn run(self) -> ExitCode {
        let job = Job { overrides: self.outputs.overrides(), ..Job::of(Mode::Check) };
        run_schemas(&self.schemas, &self.flags, &job)
    }
}
