//! `blinkblox build [SCHEMA...]`: compiles schemas and writes their modules.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use blinkblox_compiler::diagnostics::{Code, Diagnostic, json};
use blinkblox_compiler::source::Sources;
use clap::Parser;
use serde_json::Value;

use super::compile::{Compiled, Stage, compile};
use super::flags::SchemaFlags;
use super::usage;
use super::verify;
use crate::depfile::Depfile;
use crate::printer::Printer;
use crate::schemas::{self, Named};
use crate::watch::placement;
use crate::writer::{self, Written};

/// Compiles schemas and writes their modules.
#[derive(Parser)]
pub struct Build {
    /// Paths of the schemas; those of the nearest blinkblox.toml when none is given
    #[arg(value_name = "SCHEMA")]
    schemas: Vec<String>,
    /// Write what the outputs are made from to PATH, as Make reads it
    #[arg(long, value_name = "PATH", overrides_with = "depfile")]
    depfile: Option<PathBuf>,
    #[command(flatten)]
    flags: SchemaFlags,
}

impl Build {
    /// Compiles and writes.
    pub fn run(self) -> ExitCode {
        run_schemas(&self.schemas, &self.flags, Mode::Write, self.depfile.as_deref())
    }
}

/// What becomes of generated modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// They are written.
    Write,
    /// They are made and thrown away.
    Check,
    /// They are compared with what is on disk.
    Verify {
        /// Whether another version in the header counts.
        strict_version: bool,
    },
}

impl Mode {
    /// The command that does so.
    fn command(self) -> &'static str {
        match self {
            Mode::Write => "build",
            Mode::Check => "check",
            Mode::Verify { .. } => "verify",
        }
    }
}

/// Compiles schemas one after the other; the run fails if one of them does. What they depend on goes to `depfile`.
pub fn run_schemas(schemas: &[String], flags: &SchemaFlags, mode: Mode, depfile: Option<&Path>) -> ExitCode {
    let named = flags.profile.asked().and_then(|profile| schemas::named(schemas, profile, mode.command()));
    let (schemas::Chosen { schemas: named, line }, printer) = match (named, flags.report.printer()) {
        (Ok(named), Ok(printer)) => (named, printer),
        (Err(diagnostic), _) | (_, Err(diagnostic)) => {
            return usage::refuse(*diagnostic, flags.report.format());
        }
    };
    printer.progress(&format!("BlinkBlox {}", blinkblox_compiler::VERSION));
    if let Some(line) = line {
        printer.progress(&line);
    }
    let mut run = Run {
        flags,
        mode,
        printer: &printer,
        report: json::Report::default(),
        statuses: vec![],
        outputs: BTreeMap::new(),
        rules: Depfile::default(),
        projects: placement::Projects::default(),
    };
    run.report.success = true;
    run.report.profile = named.first().map_or("release", |first| first.profile.text());
    let busy = printer.busy(named.len());
    for schema in &named {
        busy.at(&schema.path);
        if !run.schema(schema, &busy) {
            run.report.success = false;
        }
    }
    busy.end();
    if let Some(file) = depfile.filter(|_| run.report.success)
        && let Err(diagnostic) = run.rules.write(file)
    {
        run.finish(&[*diagnostic], &Sources::default(), &busy);
        run.report.success = false;
    }
    run.close();
    if !run.report.success {
        run.report.outputs.clear();
    }
    if named.len() > 1 || !run.report.success && !matches!(mode, Mode::Verify { .. }) {
        run.report.signature = None;
    }
    printer.document(&run.report);
    if run.report.success { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// One run of the command.
struct Run<'a> {
    flags: &'a SchemaFlags,
    mode: Mode,
    printer: &'a Printer,
    report: json::Report<'a>,
    /// What a verification found, file by file.
    statuses: Vec<verify::Checked>,
    /// The schema each output is of, by the output's whole path.
    outputs: BTreeMap<PathBuf, PathBuf>,
    /// What the outputs are made from.
    rules: Depfile,
    /// Where outputs land.
    projects: placement::Projects,
}

impl Run<'_> {
    /// Compiles one schema; false when it failed.
    fn schema(&mut self, schema: &Named, busy: &crate::printer::Busy) -> bool {
        let stdin_path = self.flags.stdin.stdin_path.as_deref();
        let mode = self.mode;
        let mut compiled = compile(&schema.path, schema.profile, stdin_path, |stage| match (stage, mode) {
            (Stage::Reading(path), _) => self.printer.progress_beside(&format!("Reading {path}"), busy),
            (Stage::Generating, Mode::Write) => self.printer.progress_beside("Generating", busy),
            (Stage::Generating, Mode::Check | Mode::Verify { .. }) => {
                self.printer.progress_beside("Checking", busy);
            }
        });
        let misplaced = placement::faults(&compiled, &mut self.projects);
        if misplaced.iter().any(Diagnostic::is_error) {
            compiled.fail();
        }
        compiled.diagnostics.extend(misplaced);
        if let Some(clash) = self.take_outputs(schema, &compiled) {
            compiled.diagnostics.push(clash);
            compiled.fail();
        }
        let sound = compiled.is_sound();
        let denied = self.flags.deny_warnings && sound && !compiled.diagnostics.is_empty();
        if denied {
            compiled.fail();
        }
        self.report.signature = compiled.signature.clone();
        if !sound || denied {
            self.finish(&compiled.diagnostics, &compiled.sources, busy);
            if denied {
                self.printer.progress_beside("Warnings are denied; nothing was written", busy);
            }
            return false;
        }
        match mode {
            Mode::Check => {
                self.finish(&compiled.diagnostics, &compiled.sources, busy);
                self.printer.progress_beside("The schema is valid; nothing was written", busy);
                true
            }
            Mode::Verify { strict_version } => {
                self.finish(&compiled.diagnostics, &compiled.sources, busy);
                self.statuses.extend(verify::compare(&compiled, strict_version));
                true
            }
            Mode::Write => self.write(compiled, busy),
        }
    }

    /// Takes a schema's outputs, or says which is another's.
    fn take_outputs(&mut self, schema: &Named, compiled: &Compiled) -> Option<Diagnostic> {
        let whole = |path: &str| std::path::absolute(path).unwrap_or_else(|_| PathBuf::from(path));
        let own = whole(&schema.path);
        let mut clash = None;
        for (path, _) in &compiled.files {
            let other = self.outputs.entry(whole(path)).or_insert_with(|| own.clone());
            if *other != own {
                let headline = format!("{} would be written by two schemas", compiled.shown(path));
                let note = format!(
                    "{} has the same output. Give each schema outputs of its own.",
                    compiled.shown(&crate::loader::forward(other))
                );
                clash = Some(Diagnostic::error(Code::OutputSamePath, headline).note(note));
            }
        }
        clash
    }

    fn write(&mut self, mut compiled: Compiled, busy: &crate::printer::Busy) -> bool {
        let asks = !self.flags.yes && !self.flags.report.format().is_document();
        let wishes = writer::Wishes { asks, replaces_foreign: self.flags.yes };
        match busy.apart(|| writer::write(&compiled.files, wishes)) {
            Ok(written) => self.written(&compiled, written, busy),
            Err(diagnostic) => compiled.diagnostics.push(*diagnostic),
        }
        self.finish(&compiled.diagnostics, &compiled.sources, busy)
    }

    /// Reports diagnostics; false when one of them is an error.
    fn finish(&mut self, diagnostics: &[Diagnostic], sources: &Sources, busy: &crate::printer::Busy) -> bool {
        busy.apart(|| self.printer.diagnostics(diagnostics, sources));
        self.report.diagnostics.extend(self.printer.values(diagnostics, sources));
        !diagnostics.iter().any(Diagnostic::is_error)
    }

    fn written(&mut self, compiled: &Compiled, written: Written, busy: &crate::printer::Busy) {
        self.rules.add(compiled);
        self.report.outputs.extend(compiled.files.iter().map(|(path, _)| compiled.shown(path)));
        self.printer.progress_beside(&written.text(), busy);
    }

    /// The lines and the outcome of a verification.
    fn close(&mut self) {
        let Mode::Verify { .. } = self.mode else { return };
        let stale = self.statuses.iter().any(|one| one.status != verify::Status::Current);
        for line in self.statuses.iter().filter_map(verify::Checked::line) {
            self.printer.result(&format!("{line}\n"));
        }
        if self.report.success || !self.statuses.is_empty() {
            let text = verify::count(&self.statuses);
            if stale {
                self.printer.result(&format!("{text}\n"));
            } else {
                self.printer.progress(&text);
            }
        }
        let values: Vec<Value> = match self.report.success {
            true => self.statuses.iter().map(verify::Checked::value).collect(),
            false => vec![],
        };
        self.report.extra.push(("verify", Value::Array(values)));
        self.report.success &= !stale;
    }
}
