//! `blinkblox build [SCHEMA...]`: compiles schemas and writes their modules.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use blinkblox_compiler::diagnostics::{Diagnostic, json};
use blinkblox_compiler::source::Sources;
use clap::Parser;
use serde_json::Value;

use super::compile::{Compiled, Overrides, Owner, Stage, compile_to, whole};
use super::flags::{OutputFlags, SchemaFlags, Verdicts};
use super::usage;
use super::verify;
use crate::depfile::{self, Depfile};
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
    /// Print the paths of what would be written, a line each, and write nothing
    #[arg(long, overrides_with = "list_outputs", conflicts_with = "depfile")]
    list_outputs: bool,
    #[command(flatten)]
    outputs: OutputFlags,
    #[command(flatten)]
    flags: SchemaFlags,
}

impl Build {
    /// Compiles and writes.
    pub fn run(self) -> ExitCode {
        let mode = if self.list_outputs { Mode::List } else { Mode::Write };
        let job = Job { mode, depfile: self.depfile, overrides: self.outputs.overrides() };
        run_schemas(&self.schemas, &self.flags, &job)
    }
}

/// What becomes of generated modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// They are written.
    Write,
    /// They are made and thrown away.
    Check,
    /// Their paths are printed.
    List,
    /// They are compared with what is on disk.
    Verify {
        /// Whether another version in the header counts.
        strict_version: bool,
        /// Whether modules that no schema writes any more fail it.
        orphans: bool,
    },
}

/// What is done with schemas.
pub struct Job {
    /// What becomes of generated modules.
    pub mode: Mode,
    /// Where what they depend on goes.
    pub depfile: Option<PathBuf>,
    /// Outputs elsewhere than the options say.
    pub overrides: Overrides,
}

impl Job {
    /// A job without anything beside its mode.
    pub fn of(mode: Mode) -> Job {
        Job { mode, depfile: None, overrides: Overrides::default() }
    }
}

impl Mode {
    /// The command that does so.
    fn command(self) -> &'static str {
        match self {
            Mode::Write | Mode::List => "build",
            Mode::Check => "check",
            Mode::Verify { .. } => "verify",
        }
    }
}

/// Compiles schemas one after the other; the run fails if one of them does.
pub fn run_schemas(schemas: &[String], flags: &SchemaFlags, job: &Job) -> ExitCode {
    let mode = job.mode;
    let named = flags.profile.asked().and_then(|profile| schemas::named(schemas, profile, mode.command()));
    let read = named.and_then(|named| {
        flags.stdin.needs_stdin(&named.paths())?;
        Ok((named, flags.warnings.verdicts()?, flags.report.printer()?))
    });
    let (schemas::Chosen { schemas: named, line }, verdicts, printer) = match read {
        Ok(read) => read,
        Err(diagnostic) => return usage::refuse(*diagnostic, flags.report.format()),
    };
    if job.overrides.is_any() && named.len() > 1 {
        let refusal = usage::error(format!("{} schemas cannot share one output", named.len()))
            .note("Give `--server-output` and its like with one schema.");
        return usage::refuse(refusal, flags.report.format());
    }
    // Found out before a module is written.
    if let Some(Err(refusal)) = job.depfile.as_deref().map(depfile::check) {
        return usage::refuse(*refusal, flags.report.format());
    }
    // A list is for a program: nothing stands beside it.
    let printer = if mode == Mode::List { printer.quietly() } else { printer };
    printer.progress(&format!("BlinkBlox {}", blinkblox_compiler::VERSION));
    if let Some(line) = line {
        printer.progress(&line);
    }
    let mut run = Run {
        flags,
        job,
        verdicts,
        printer: &printer,
        report: json::Report::default(),
        statuses: vec![],
        listed: vec![],
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
    if let Some(file) = job.depfile.as_deref().filter(|_| run.report.success)
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
    job: &'a Job,
    verdicts: Verdicts,
    printer: &'a Printer,
    report: json::Report<'a>,
    /// What a verification found, file by file.
    statuses: Vec<verify::Checked>,
    /// Paths of what would be written.
    listed: Vec<String>,
    /// The schema each output is of, and its profile, by the output's whole path.
    outputs: BTreeMap<PathBuf, Owner>,
    /// What the outputs are made from.
    rules: Depfile,
    /// Where outputs land.
    projects: placement::Projects,
}

impl Run<'_> {
    /// Compiles one schema; false when it failed.
    fn schema(&mut self, schema: &Named, busy: &crate::printer::Busy) -> bool {
        let stdin_path = self.flags.stdin.stdin_path.as_deref();
        let mode = self.job.mode;
        let stage = |stage: Stage| match (stage, mode) {
            (Stage::Reading(path), _) => self.printer.progress_beside(&format!("Reading {path}"), busy),
            (Stage::Generating, Mode::Write) => self.printer.progress_beside("Generating", busy),
            (Stage::Generating, Mode::Check | Mode::List | Mode::Verify { .. }) => {
                self.printer.progress_beside("Checking", busy);
            }
        };
        let mut compiled = compile_to(&schema.path, schema.profile, stdin_path, &self.job.overrides, stage);
        let misplaced = placement::faults(&compiled, &mut self.projects);
        compiled.diagnostics.extend(misplaced);
        compiled.judge(&self.verdicts);
        if let Some(clash) = self.take_outputs(schema, &compiled) {
            compiled.diagnostics.push(clash);
            compiled.fail();
        }
        let depfile = self.job.depfile.as_deref();
        if let Some(clash) = depfile.and_then(|file| depfile::clash(file, &compiled)) {
            compiled.diagnostics.push(clash);
            compiled.fail();
        }
        let sound = compiled.is_sound();
        let denied = sound && self.verdicts.refuse(&compiled.diagnostics);
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
            Mode::List => {
                self.finish(&compiled.diagnostics, &compiled.sources, busy);
                self.listed.extend(compiled.files.iter().map(|(path, _)| compiled.shown(path)));
                true
            }
            Mode::Verify { strict_version, .. } => {
                self.finish(&compiled.diagnostics, &compiled.sources, busy);
                self.statuses.extend(verify::compare(&compiled, strict_version));
                true
            }
            Mode::Write => self.write(compiled, busy),
        }
    }

    /// Takes a schema's outputs, or says which is another's.
    fn take_outputs(&mut self, schema: &Named, compiled: &Compiled) -> Option<Diagnostic> {
        let own = (whole(&compiled.entry), schema.profile);
        let mut clash = None;
        for (path, _) in &compiled.files {
            let other = self.outputs.entry(whole(path)).or_insert_with(|| own.clone());
            clash = compiled.clash(path, &own, other).or(clash);
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
        if self.job.mode == Mode::List {
            let lines: String = self.listed.iter().map(|path| format!("{path}\n")).collect();
            if self.report.success {
                self.printer.lines(&lines);
            }
            self.report.extra.push(("files", self.listed.iter().cloned().collect()));
        }
        let Mode::Verify { orphans, .. } = self.job.mode else { return };
        if orphans && self.report.success {
            self.statuses.extend(verify::orphans(self.outputs.keys()));
        }
        let stale = self.statuses.iter().any(|one| one.status != verify::Status::Current);
        for (checked, text) in self.statuses.iter().filter_map(|one| Some((one, one.finding()?))) {
            let title = checked.status.text();
            let found = self.printer.finding(&checked.file, checked.line_at(), title, text);
            self.report.diagnostics.extend(found);
        }
        for line in self.statuses.iter().filter_map(verify::Checked::line) {
            self.printer.lines(&line);
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
