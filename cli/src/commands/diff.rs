//! `blinkblox diff OLD NEW`: what changed between two schemas, and whether their modules accept each other. Source:
//! tooling specification, 2.14.

use std::process::ExitCode;

use blinkblox_compiler::Analysis;
use blinkblox_compiler::diagnostics::json;
use blinkblox_compiler::diff::Diff;
use clap::Parser;

use super::flags::{ProfileFlag, ReportFlags, StdinFlag, WarningFlags};
use super::size::Reading;
use super::usage;

/// Compares two schemas: what was added, removed, renumbered or changed, and whether their modules accept each other.
#[derive(Parser)]
pub struct DiffCommand {
    /// Path of the older schema, or `-` for standard input
    #[arg(value_name = "OLD")]
    old: String,
    /// Path of the newer schema, or `-` for standard input
    #[arg(value_name = "NEW")]
    new: String,
    #[command(flatten)]
    profile: ProfileFlag,
    #[command(flatten)]
    report: ReportFlags,
    #[command(flatten)]
    stdin: StdinFlag,
    #[command(flatten)]
    warnings: WarningFlags,
}

impl DiffCommand {
    /// Compares and prints; fails when modules of one schema refuse those of the other.
    pub fn run(self) -> ExitCode {
        diff(&self.old, &self.new, &self.profile, &self.report, &self.stdin, &self.warnings)
    }
}

/// Compares two schemas.
pub fn diff(
    old: &str,
    new: &str,
    profile: &ProfileFlag,
    report: &ReportFlags,
    stdin: &StdinFlag,
    warnings: &WarningFlags,
) -> ExitCode {
    let read = profile.profile().and_then(|profile| {
        stdin.needs_stdin(&[old, new])?;
        Ok((profile, warnings.verdicts()?, report.printer()?))
    });
    let (profile, verdicts, printer) = match read {
        Ok(read) => read,
        Err(diagnostic) => return usage::refuse(*diagnostic, report.format()),
    };
    if old == "-" && new == "-" {
        let refusal = usage::error("only one of two schemas can come from standard input");
        return usage::refuse(refusal, report.format());
    }
    let mut outcome = json::Report { profile: profile.text(), ..json::Report::default() };
    let reading = Reading { stdin_path: stdin.stdin_path.as_deref(), profile, verdicts: &verdicts };
    let before = reading.analyzed(old, &printer, &mut outcome);
    let after = reading.analyzed(new, &printer, &mut outcome);
    if let (Some(before), Some(after)) = (before, after)
        && let (Some(old_schema), Some(new_schema)) = (&before.schema, &after.schema)
    {
        let diff = Diff::of(old_schema, new_schema);
        // Named as every diagnostic names them.
        let shown = |analysis: &Analysis, given: &str| {
            analysis.sources.files().first().map_or(given.to_owned(), |file| file.shown.clone())
        };
        let (old, new) = (shown(&before, old), shown(&after, new));
        printer.result(&diff.text(&old, &new));
        outcome.extra.push(("diff", diff.json(&old, &new)));
        outcome.signature = Some(diff.new.clone());
        outcome.success = diff.interoperates();
    }
    printer.document(&outcome);
    if outcome.success { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
