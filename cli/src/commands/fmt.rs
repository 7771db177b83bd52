//! `blinkblox fmt [FILE...]`: schemas in the canonical layout. Source: tooling specification, 7.5.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use blinkblox_compiler::diagnostics::{Code, Diagnostic, json};
use blinkblox_compiler::format::{Indent, format};
use blinkblox_compiler::source::Sources;
use clap::{Parser, ValueEnum};
use serde_json::{Value, json};

use super::flags::{ReportFlags, StdinFlag};
use super::usage;
use super::verify::with_plain_ends;
use crate::entry::{self, Entry};
use crate::loader::forward;
use crate::printer::Printer;
use crate::schemas;
use crate::writer;

/// Writes schemas in the canonical layout; what they mean never changes.
#[derive(Parser)]
pub struct Fmt {
    /// Schemas and folders, or `-` for standard input [default: every schema below the working directory]
    ///
    /// A folder stands for every schema below it, but for those in hidden folders and folders of packages, and those that
    /// `.gitignore` and `.ignore` leave out. Each file that is changed is named.
    #[arg(value_name = "FILE")]
    files: Vec<String>,
    /// Write nothing, and fail if a file would change
    #[arg(long, overrides_with = "check")]
    check: bool,
    /// What a level of indentation is written as
    #[arg(long, value_name = "INDENT", value_enum, default_value_t, overrides_with = "indent")]
    indent: IndentChoice,
    #[command(flatten)]
    stdin: StdinFlag,
    #[command(flatten)]
    report: ReportFlags,
}

/// What a level of indentation is written as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum IndentChoice {
    /// A tab
    #[default]
    Tabs,
    /// Four spaces
    Spaces,
}

/// What a run of the formatter does.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Whether nothing is written.
    pub check: bool,
    /// What a level of indentation is written as.
    pub indent: IndentChoice,
    /// Where a schema from standard input is taken to stand.
    pub stdin: StdinFlag,
}

impl Fmt {
    /// Formats.
    pub fn run(self) -> ExitCode {
        let Fmt { files, check, indent, stdin, report } = self;
        format_files(&files, Settings { check, indent, stdin }, &report)
    }
}

/// Formats schemas; without any, those below the working directory.
pub fn format_files(files: &[String], settings: Settings, flags: &ReportFlags) -> ExitCode {
    let named: Vec<&str> = files.iter().map(String::as_str).collect();
    let printer = match settings.stdin.needs_stdin(&named).and_then(|()| flags.printer()) {
        Ok(printer) => printer,
        Err(diagnostic) => return usage::refuse(*diagnostic, flags.format()),
    };
    let mut run = Run {
        settings,
        printer,
        diagnostics: vec![],
        outcomes: vec![],
        seen: BTreeSet::new(),
        changed: 0,
        current: 0,
        broken: 0,
    };
    let here = [".".to_string()];
    for file in if files.is_empty() { &here } else { files } {
        if Path::new(file).is_dir() {
            let schemas::Below { schemas: found, unnamed } = schemas::below(Path::new(file));
            if found.is_empty() && unnamed.is_empty() {
                let headline = format!("there is no schema in \"{file}\" or below");
                let why = Diagnostic::error(Code::FileNotFound, headline);
                run.fail(file, &[why], &Sources::default());
            }
            for path in unnamed {
                run.leave_out(&path);
            }
            for path in found {
                run.file(&path);
            }
        } else {
            run.file(file);
        }
    }
    run.finish()
}

struct Run {
    settings: Settings,
    printer: Printer,
    diagnostics: Vec<Value>,
    outcomes: Vec<Value>,
    /// Files had already, however they were named.
    seen: BTreeSet<PathBuf>,
    changed: usize,
    current: usize,
    broken: usize,
}

impl Run {
    fn file(&mut self, file: &str) {
        if !self.seen.insert(entry::identity(file)) {
            return;
        }
        match entry::open(file, self.settings.stdin.stdin_path.as_deref()) {
            Ok(entry) => self.entry(&entry, file == "-"),
            Err(diagnostic) => self.fail(file, &[*diagnostic], &Sources::default()),
        }
    }

    /// Tells of a schema that no text can name.
    fn leave_out(&mut self, shown: &str) {
        self.printer.progress(&format!("Left out {shown}: its path is not UTF-8"));
        self.outcomes.push(json!({ "file": shown, "status": "skipped" }));
    }

    fn entry(&mut self, entry: &Entry, stdin: bool) {
        let shown = entry.loader.shown(&entry.path);
        let bytes = match entry.loader.read(&entry.path) {
            Ok(bytes) => bytes,
            Err(why) => return self.fail(&shown, &[unreadable(&shown, &why)], &Sources::default()),
        };
        let Ok(written) = String::from_utf8(bytes) else {
            return self.fail(&shown, &[unreadable(&shown, "it is not UTF-8")], &Sources::default());
        };
        let text = written.strip_prefix('\u{feff}').unwrap_or(&written);
        let mut sources = Sources::default();
        let id = sources.add(&entry.path, &shown, text.to_string());
        let indent = match self.settings.indent {
            IndentChoice::Tabs => Indent::Tabs,
            IndentChoice::Spaces => Indent::Spaces,
        };
        match format(id, text, indent) {
            Ok(formatted) => self.formatted(entry, &shown, &written, formatted, stdin),
            Err(diagnostics) => self.fail(&shown, &diagnostics, &sources),
        }
    }

    fn formatted(&mut self, entry: &Entry, shown: &str, before: &str, after: String, stdin: bool) {
        // Line ends that a clone on Windows has made are git's, and no layout.
        let changes = with_plain_ends(before) != after;
        let status = if changes { "changed" } else { "current" };
        let mut outcome = json!({ "file": shown, "status": status });
        if stdin && !self.settings.check {
            outcome["text"] = after.as_str().into();
            self.printer.result(&after);
        } else if changes && self.settings.check {
            self.printer.lines(&format!("Would change {shown}"));
        } else if changes {
            // A link stays one: what it leads to is replaced.
            let target = std::fs::canonicalize(&entry.path);
            let target = target.map_or_else(|_| entry.path.clone(), |target| forward(&target));
            let whole = writer::Wishes { asks: false, replaces_foreign: true };
            if let Err(diagnostic) = writer::write(&[(target, after)], whole) {
                return self.fail(shown, &[*diagnostic], &Sources::default());
            }
            self.printer.progress(&format!("Formatted {shown}"));
        }
        self.outcomes.push(outcome);
        self.changed += usize::from(changes);
        self.current += usize::from(!changes);
    }

    fn fail(&mut self, shown: &str, diagnostics: &[Diagnostic], sources: &Sources) {
        self.broken += 1;
        self.printer.diagnostics(diagnostics, sources);
        self.diagnostics.extend(self.printer.values(diagnostics, sources));
        self.outcomes.push(json!({ "file": shown, "status": "broken" }));
    }

    fn finish(self) -> ExitCode {
        let success = self.broken == 0 && !(self.settings.check && self.changed > 0);
        let count = |count: usize| match count {
            1 => "1 file".to_string(),
            _ => format!("{count} files"),
        };
        let to_stdout = self.outcomes.iter().any(|outcome| outcome.get("text").is_some());
        if !to_stdout {
            let (changed, verb) =
                (count(self.changed), if self.settings.check { "would change" } else { "changed" });
            let mut closing = format!("{changed} {verb}; {} already in the canonical layout", self.current);
            if self.broken > 0 {
                closing.push_str(&format!("; {} cannot be formatted", self.broken));
            }
            self.printer.progress(&closing);
        }
        let report = json::Report {
            success,
            diagnostics: self.diagnostics,
            profile: "release",
            extra: vec![("format", Value::Array(self.outcomes))],
            ..json::Report::default()
        };
        self.printer.document(&report);
        if success { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

fn unreadable(shown: &str, why: &str) -> Diagnostic {
    Diagnostic::error(Code::FileUnreadable, format!("\"{shown}\" cannot be read: {why}")).about_file(shown)
}
