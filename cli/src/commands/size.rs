//! `blinkblox size SCHEMA`: bytes of every event, function and exported type. Source: tooling specification, 2.14.

use std::process::ExitCode;

use blinkblox_compiler::Analysis;
use blinkblox_compiler::diagnostics::{Diagnostic, json};
use blinkblox_compiler::schema::Profile;
use blinkblox_compiler::sizes::Sizes;
use blinkblox_compiler::source::Sources;
use clap::Parser;

use super::flags::{ProfileFlag, ReportFlags, StdinFlag, Verdicts, WarningFlags};
use super::usage;
use crate::entry;
use crate::printer::Printer;
use crate::schemas::{self, Chosen};

/// Prints what every event, function and exported type takes: bytes, fields, channel and index.
#[derive(Parser)]
pub struct Size {
    /// Path of the schema, or `-` for standard input; those of the nearest blinkblox.toml when none is given
    #[arg(value_name = "SCHEMA")]
    schema: Option<String>,
    #[command(flatten)]
    profile: ProfileFlag,
    #[command(flatten)]
    report: ReportFlags,
    #[command(flatten)]
    stdin: StdinFlag,
    #[command(flatten)]
    warnings: WarningFlags,
}

impl Size {
    /// Measures and prints.
    pub fn run(self) -> ExitCode {
        let schemas: Vec<String> = self.schema.into_iter().collect();
        sizes(&schemas, &self.profile, &self.report, &self.stdin, &self.warnings)
    }
}

/// Prints the sizes of the schema given, or of those that the nearest `blinkblox.toml` names.
pub fn sizes(
    schemas: &[String],
    profile: &ProfileFlag,
    report: &ReportFlags,
    stdin: &StdinFlag,
    warnings: &WarningFlags,
) -> ExitCode {
    let named = profile.asked().and_then(|profile| schemas::named(schemas, profile, "size"));
    let read = named.and_then(|named| {
        stdin.needs_stdin(&named.paths())?;
        Ok((named, warnings.verdicts()?, report.printer()?))
    });
    let (Chosen { schemas: named, line }, verdicts, printer) = match read {
        Ok(read) => read,
        Err(diagnostic) => return usage::refuse(*diagnostic, report.format()),
    };
    if named.len() > 1 && report.format().is_document() {
        let paths: Vec<&str> = named.iter().map(|one| one.path.as_str()).collect();
        let refusal = usage::error(format!("{} schemas are named, and a document is about one", named.len()))
            .note(format!("Name one of {}.", paths.join(", ")));
        return usage::refuse(refusal, report.format());
    }
    if let Some(line) = line {
        printer.progress(&line);
    }
    let profile = named.first().map_or("release", |first| first.profile.text());
    let mut outcome = json::Report { profile, success: true, ..json::Report::default() };
    for (index, schema) in named.iter().enumerate() {
        if named.len() > 1 {
            let gap = if index > 0 { "\n" } else { "" };
            printer.lines(&format!("{gap}{}\n\n", schema.path));
        }
        let reading =
            Reading { stdin_path: stdin.stdin_path.as_deref(), profile: schema.profile, verdicts: &verdicts };
        let analysis = reading.analyzed(&schema.path, &printer, &mut outcome);
        match analysis.and_then(|analysis| Some((Sizes::of(&analysis)?, analysis.signature()))) {
            Some((sizes, signature)) => {
                printer.result(&sizes.text());
                outcome.signature = signature;
                outcome.extra.push(("sizes", sizes.json()));
            }
            None => outcome.success = false,
        }
    }
    printer.document(&outcome);
    if outcome.success { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// How a schema is read that nothing is generated from.
#[derive(Clone, Copy)]
pub struct Reading<'a> {
    /// Where a schema from standard input is taken to stand.
    pub stdin_path: Option<&'a str>,
    /// The profile it is read under.
    pub profile: Profile,
    /// What becomes of its warnings.
    pub verdicts: &'a Verdicts,
}

impl Reading<'_> {
    /// Reads and resolves a schema, reporting what is wrong with it; `None` when it cannot be read, has an error, or has a
    /// warning that is denied.
    pub fn analyzed(self, schema: &str, printer: &Printer, outcome: &mut json::Report) -> Option<Analysis> {
        let mut report = |diagnostics: &[Diagnostic], sources: &Sources| {
            printer.diagnostics(diagnostics, sources);
            outcome.diagnostics.extend(printer.values(diagnostics, sources));
        };
        let entry = match entry::open(schema, self.stdin_path) {
            Ok(entry) => entry,
            Err(diagnostic) => {
                report(&[*diagnostic], &Sources::default());
                return None;
            }
        };
        let mut analysis = blinkblox_compiler::analyze(&*entry.loader, &entry.path, self.profile);
        self.verdicts.judge(&mut analysis.diagnostics);
        report(&analysis.diagnostics, &analysis.sources);
        if analysis.has_errors() {
            return None;
        }
        let denied = self.verdicts.refuse(&analysis.diagnostics);
        if denied {
            printer.progress("Warnings are denied");
        }
        (!denied).then_some(analysis)
    }
}
