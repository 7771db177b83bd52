//! `blinkblox size SCHEMA`: bytes of every event, function and exported type. Source: tooling specification, 2.14.

use std::process::ExitCode;

use blinkblox_compiler::Analysis;
use blinkblox_compiler::diagnostics::{Diagnostic, json};
use blinkblox_compiler::schema::Profile;
use blinkblox_compiler::sizes::Sizes;
use blinkblox_compiler::source::Sources;
use clap::Parser;

use super::flags::{ProfileFlag, ReportFlags, StdinFlag};
use super::usage;
use crate::entry;
use crate::printer::Printer;

/// Prints what every event, function and exported type takes: bytes, fields, channel and index.
#[derive(Parser)]
pub struct Size {
    /// Path of the schema, or `-` for standard input
    #[arg(value_name = "SCHEMA")]
    schema: String,
    #[command(flatten)]
    profile: ProfileFlag,
    #[command(flatten)]
    report: ReportFlags,
    #[command(flatten)]
    stdin: StdinFlag,
}

impl Size {
    /// Measures and prints.
    pub fn run(self) -> ExitCode {
        sizes(&self.schema, &self.profile, &self.report, &self.stdin)
    }
}

/// Prints the sizes of one schema.
pub fn sizes(schema: &str, profile: &ProfileFlag, report: &ReportFlags, stdin: &StdinFlag) -> ExitCode {
    let (profile, printer) = match (profile.profile(), report.printer()) {
        (Ok(profile), Ok(printer)) => (profile, printer),
        (Err(diagnostic), _) | (_, Err(diagnostic)) => return usage::refuse(*diagnostic, report.format()),
    };
    let mut outcome = json::Report { profile: profile.text(), ..json::Report::default() };
    let analysis = analyzed(schema, stdin.stdin_path.as_deref(), profile, &printer, &mut outcome);
    if let Some(analysis) = analysis
        && let Some(sizes) = Sizes::of(&analysis)
    {
        printer.result(&sizes.text());
        outcome.signature = analysis.signature();
        outcome.extra.push(("sizes", sizes.json()));
        outcome.success = true;
    }
    printer.document(&outcome);
    if outcome.success { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Reads and resolves a schema, reporting what is wrong with it; `None` when it cannot be read.
pub fn analyzed(
    schema: &str,
    stdin_path: Option<&str>,
    profile: Profile,
    printer: &Printer,
    outcome: &mut json::Report,
) -> Option<Analysis> {
    let mut report = |diagnostics: &[Diagnostic], sources: &Sources| {
        printer.diagnostics(diagnostics, sources);
        outcome.diagnostics.extend(printer.values(diagnostics, sources));
    };
    match entry::open(schema, stdin_path) {
        Ok(entry) => {
            let analysis = blinkblox_compiler::analyze(&*entry.loader, &entry.path, profile);
            report(&analysis.diagnostics, &analysis.sources);
            Some(analysis)
        }
        Err(diagnostic) => {
            report(&[*diagnostic], &Sources::default());
            None
        }
    }
}
