//! `blinkblox build SCHEMA...`, and the form without a command: `blinkblox SCHEMA`.

use std::process::ExitCode;

use blinkblox_compiler::diagnostics::{Code, Diagnostic, json, sort, suggest};
use blinkblox_compiler::schema::Profile;
use blinkblox_compiler::source::{SourceLoader, Sources, parent, resolve_path};
use blinkblox_compiler::{Analysis, Compilation, outputs};
use clap::{Args, Parser};

use super::usage;
use crate::loader::{DiskLoader, forward};
use crate::printer::{ColorChoice, Format, Printer};
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

/// Compiles one schema and writes its modules.
#[derive(Parser)]
#[command(name = "blinkblox", disable_version_flag = true)]
pub struct Direct {
    /// Path of the schema
    #[arg(value_name = "SCHEMA", required = true)]
    schema: String,
    #[command(flatten)]
    flags: DirectFlags,
}

/// Flags of the form without a command.
#[derive(Args)]
pub struct DirectFlags {
    /// Do all the work and write nothing
    #[arg(long, overrides_with = "check")]
    check: bool,
    #[command(flatten)]
    flags: SchemaFlags,
}

impl Direct {
    /// Compiles, and writes unless `--check` is given.
    pub fn run(self) -> ExitCode {
        let mode = if self.flags.check { Mode::Check } else { Mode::Write };
        run_schemas(&[self.schema], &self.flags.flags, mode)
    }
}

/// Flags of every command that reads schemas.
#[derive(Args)]
pub struct SchemaFlags {
    /// Build profile [default: release]
    #[arg(short, long, value_name = "PROFILE", allow_hyphen_values = true, action = clap::ArgAction::Append,
        value_parser = ["dev", "debug", "test", "release"], hide_possible_values = false)]
    profile: Vec<String>,
    /// Print one JSON document and nothing else
    #[arg(long, overrides_with = "json")]
    json: bool,
    /// One line per diagnostic
    #[arg(short, long, overrides_with = "compact")]
    compact: bool,
    /// Print nothing a successful run would print
    #[arg(short, long, overrides_with = "quiet")]
    quiet: bool,
    /// Answer yes to every question
    #[arg(short, long, overrides_with = "yes")]
    yes: bool,
    /// Any warning makes the run fail, with nothing written
    #[arg(long, overrides_with = "deny_warnings")]
    deny_warnings: bool,
    /// When to use colour
    #[arg(long, value_name = "WHEN", overrides_with = "color", value_enum, default_value_t)]
    color: ColorChoice,
}

impl SchemaFlags {
    fn format(&self) -> Format {
        match (self.json, self.compact) {
            (true, _) => Format::Json,
            (false, true) => Format::Compact,
            (false, false) => Format::Human,
        }
    }

    /// The profile named, or the usage error of naming two.
    fn profile(&self) -> Result<Profile, Box<Diagnostic>> {
        let Some(first) = self.profile.first() else { return Ok(Profile::default()) };
        match self.profile.iter().find(|other| *other != first) {
            Some(other) => {
                Err(Box::new(usage::error(format!("--profile is given as `{first}` and as `{other}`"))))
            }
            None => Ok(Profile::from_text(first).unwrap_or_default()),
        }
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
    let profile = match flags.profile() {
        Ok(profile) => profile,
        Err(diagnostic) => return usage::refuse(*diagnostic, flags.format()),
    };
    let printer = Printer::new(flags.format(), flags.quiet, flags.color);
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
        let loader = DiskLoader::new();
        let entry = match resolve_path(&loader, "", &forward(path.as_ref())) {
            Ok(entry) => entry,
            Err(tried) => return self.finish(&[not_found(path, &tried)], &Sources::default()),
        };
        self.printer.progress(&format!("Reading {}", loader.shown(&entry)));
        let mut analysis = blinkblox_compiler::analyze(&loader, &entry, self.profile);
        self.check_outputs(&mut analysis, &entry);
        self.printer.progress("Generating");
        let mut compilation = blinkblox_compiler::generate(analysis);
        if self.flags.deny_warnings && !compilation.analysis.diagnostics.is_empty() {
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
            }
            return valid;
        }
        let asks = !self.flags.yes && !self.flags.json;
        match writer::write(&files, asks) {
            Ok(written) => self.written(&files, written, &loader),
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
        self.report.diagnostics.extend(diagnostics.iter().map(|one| json::diagnostic(one, sources)));
        !diagnostics.iter().any(Diagnostic::is_error)
    }

    fn written(&mut self, files: &[(String, String)], written: Written, loader: &DiskLoader) {
        self.report.outputs.extend(files.iter().map(|(path, _)| loader.shown(path)));
        let plural = |count: usize| if count == 1 { "1 file".to_string() } else { format!("{count} files") };
        let closing =
            format!("Wrote {}; {} already current", plural(written.changed), plural(written.current));
        self.printer.progress(&closing);
    }
}

/// `E4004`, with the paths tried and the schema of that folder that was probably meant.
fn not_found(path: &str, tried: &[String; 3]) -> Diagnostic {
    let folder = match parent(&tried[0]) {
        "" => ".",
        folder => folder,
    };
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.ends_with(".blink"))
        .collect();
    names.sort();
    let wanted = tried[2].rsplit('/').next().unwrap_or_default();
    let near = suggest::nearest(wanted, names.iter().map(String::as_str));
    Diagnostic::error(Code::FileNotFound, format!("there is no schema \"{path}\""))
        .note(format!("Tried {}.", tried.join(", ")))
        .opt_note(near.map(|near| format!("The folder holds \"{near}\".")))
}
