//! `blinkblox build SCHEMA...`: compiles schemas and writes their modules.

use std::process::ExitCode;

use blinkblox_compiler::diagnostics::{Diagnostic, json, sort};
use blinkblox_compiler::schema::Profile;
use blinkblox_compiler::source::{SourceLoader, Sources};
use blinkblox_compiler::{Analysis, Compilation, outputs};
use clap::Parser;

use super::flags::SchemaFlags;
use super::usage;
use crate::entry::{self, Entry};
use crate::printer::Printer;
use crate::writer::{self, Written};

/// Compiles schemas and writes their modules.
#[derive(Parser)]
pub struct Build {
    /// Paths of the schemas
    #[arg(value_name = "SCHEMA", required = true)]
    schemas: Vec<String>,
    #[command(flatten)]
    flags: SchemaFlags,
}

impl Build {
    /// Compiles and writes.
    pub fn run(self) -> ExitCode {
        run_schemas(&self.schemas, &self.flags, Mode::Write)
    }
}

/// What becomes of generated modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// They are written.
    Write,
    /// They are made and thrown away.
    Check,
}

/// Compiles schemas one after the other; the run fails if one of them does.
pub fn run_schemas(schemas: &[String], flags: &SchemaFlags, mode: Mode) -> ExitCode {
    let (profile, printer) = match (flags.profile.profile(), flags.report.printer()) {
        (Ok(profile), Ok(printer)) => (profile, printer),
        (Err(diagnostic), _) | (_, Err(diagnostic)) => {
            return usage::refuse(*diagnostic, flags.report.format());
        }
    };
    printer.progress(&format!("BlinkBlox {}", blinkblox_compiler::VERSION));
    let mut run = Run { flags, mode, profile, printer: &printer, report: json::Report::default() };
    run.report.success = true;
    run.report.profile = profile.text();
    for schema in schemas {
        if !run.schema(schema) {
            run.report.success = false;
        }
    }
    if !run.report.success {
        run.report.outputs.clear();
    }
    if schemas.len() > 1 || !run.report.success {
        run.report.signature = None;
    }
    printer.document(&run.report);
    if run.report.success { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// One run of the command.
struct Run<'a> {
    flags: &'a SchemaFlags,
    mode: Mode,
    profile: Profile,
    printer: &'a Printer,
    report: json::Report<'a>,
}

impl Run<'_> {
    /// Compiles one schema; false when it failed.
    fn schema(&mut self, path: &str) -> bool {
        let Entry { loader, path: entry } = match entry::open(path, self.flags.stdin.stdin_path.as_deref()) {
            Ok(entry) => entry,
            Err(diagnostic) => return self.finish(&[*diagnostic], &Sources::default()),
        };
        let loader = &*loader;
        self.printer.progress(&format!("Reading {}", loader.shown(&entry)));
        let mut analysis = blinkblox_compiler::analyze(loader, &entry, self.profile);
        self.check_outputs(&mut analysis, &entry);
        self.printer.progress("Generating");
        let mut compilation = blinkblox_compiler::generate(analysis);
        let denied = self.flags.deny_warnings && !compilation.analysis.diagnostics.is_empty();
        if denied {
            compilation.signature = None;
        }
        let files = compilation.files(&entry);
        let compiled = compilation.signature.is_some();
        let Compilation { analysis, signature, .. } = compilation;
        self.report.signature = signature;
        if !compiled || self.mode == Mode::Check {
            let valid = self.finish(&analysis.diagnostics, &analysis.sources) && compiled;
            if valid {
                self.printer.progress("The schema is valid; nothing was written");
            } else if denied && !analysis.has_errors() {
                self.printer.progress("Warnings are denied; nothing was written");
            }
            return valid;
        }
        let asks = !self.flags.yes && !self.flags.report.format().is_document();
        match writer::write(&files, asks) {
            Ok(written) => self.written(&files, written, loader),
            Err(diagnostic) => {
                let mut diagnostics = analysis.diagnostics;
                diagnostics.push(*diagnostic);
                return self.finish(&diagnostics, &analysis.sources);
            }
        }
        self.finish(&analysis.diagnostics, &analysis.sources)
    }

    /// Adds what a compile with files needs: output paths that are there and differ.
    fn check_outputs(&self, analysis: &mut Analysis, entry: &str) {
        let found = outputs::check(analysis, entry);
        analysis.diagnostics.extend(found);
        sort(&mut analysis.diagnostics);
    }

    /// Reports diagnostics; false when one of them is an error.
    fn finish(&mut self, diagnostics: &[Diagnostic], sources: &Sources) -> bool {
        self.printer.diagnostics(diagnostics, sources);
        self.report.diagnostics.extend(self.printer.values(diagnostics, sources));
        !diagnostics.iter().any(Diagnostic::is_error)
    }

    fn written(&mut self, files: &[(String, String)], written: Written, loader: &dyn SourceLoader) {
        self.report.outputs.extend(files.iter().map(|(path, _)| loader.shown(path)));
        let plural = |count: usize| if count == 1 { "1 file".to_string() } else { format!("{count} files") };
        let closing =
            format!("Wrote {}; {} already current", plural(written.changed), plural(written.current));
        self.printer.progress(&closing);
    }
}
