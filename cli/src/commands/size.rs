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
}

impl Size {
    /// Measures and prints.
    pub fn run(self) -> ExitCode {
        let schemas: Vec<String> = self.schema.into_iter().collect();
        sizes(&schemas, &self.profile, &self.report, &self.stdin)
    }
}

/// Prints the sizes of the schema given, or of those that the nearest `blinkblox.toml` names.
pub fn sizes(schemas: &[String], profile: &ProfileFlag, report: &ReportFlags, stdin: &StdinFlag) -> ExitCode {
    let named = profile.asked().and_then(|profile| schemas::named(schemas, profile, "size"));
    let (Chosen { schemas: named, line }, printer) = match (named, report.printer()) {
        (Ok(named), Ok(printer)) => (named, printer),
        (Err(diagnostic), _) | (_, Err(diagnostic)) => return usage::refuse(*diagnostic, report.format()),
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
            printer.result(&format!("{gap}{}\n\n", schema.path));
        }
        let stdin_path = stdin.stdin_path.as_deref();
        let analysis = analyzed(&schema.path, stdin_path, schema.profile, &printer, &mut outcome);
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
