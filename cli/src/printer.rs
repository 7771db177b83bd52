//! What goes to the terminal: which stream, in which form, with colour or without. Source: tooling specification, 2.6.

use std::io::{IsTerminal, Write};

use blinkblox_compiler::diagnostics::human::Colour;
use blinkblox_compiler::diagnostics::{Diagnostic, compact, github, human, json, sarif, summary};
use blinkblox_compiler::source::Sources;
use serde_json::Value;

/// Form of diagnostics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// Drawn, with source lines
    #[default]
    Human,
    /// A line each
    Compact,
    /// One JSON document on standard output, and nothing else
    Json,
    /// Annotations of a GitHub workflow
    Github,
    /// One SARIF 2.1.0 document on standard output, and nothing else
    Sarif,
}

impl Format {
    /// Every form.
    pub const ALL: &[Format] = &[Format::Human, Format::Compact, Format::Json, Format::Github, Format::Sarif];

    /// The form as `--error-format` names it.
    pub fn text(self) -> &'static str {
        match self {
            Format::Human => "human",
            Format::Compact => "compact",
            Format::Json => "json",
            Format::Github => "github",
            Format::Sarif => "sarif",
        }
    }

    /// Whether a run prints one document and nothing else.
    pub fn is_document(self) -> bool {
        matches!(self, Format::Json | Format::Sarif)
    }
}

/// When to colour.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ColorChoice {
    /// As the terminal and the environment say.
    #[default]
    Auto,
    /// On, into pipes too.
    Always,
    /// Off.
    Never,
}

/// Prints the progress and the outcome of a run.
pub struct Printer {
    format: Format,
    quiet: bool,
    colour: Colour,
}

impl Printer {
    /// A printer for the standard streams.
    pub fn new(format: Format, quiet: bool, color: ColorChoice) -> Printer {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let on = match color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto if set("NO_COLOR").is_some() => false,
            ColorChoice::Auto if set("CLICOLOR_FORCE").is_some_and(|value| value != "0") => true,
            ColorChoice::Auto => std::io::stderr().is_terminal(),
        };
        Printer { format, quiet, colour: if on { Colour::On } else { Colour::Off } }
    }

    /// A line of progress, which `--quiet` and forms of one document leave out.
    pub fn progress(&self, line: &str) {
        if !self.quiet && !self.format.is_document() {
            print_out(&format!("{line}\n"));
        }
    }

    /// What was asked for, on standard output; forms of one document leave it out.
    pub fn result(&self, text: &str) {
        if !self.format.is_document() {
            print_out(text);
        }
    }

    /// Diagnostics, on standard error, and their count unless quiet. Nothing where one document is the form.
    pub fn diagnostics(&self, diagnostics: &[Diagnostic], sources: &Sources) {
        let mut text = match self.format {
            Format::Human => human::render(diagnostics, sources, self.colour),
            Format::Compact => compact::render(diagnostics, sources),
            Format::Github => github::render(diagnostics, sources),
            Format::Json | Format::Sarif => return,
        };
        let counted = self.format != Format::Github && !self.quiet;
        if let Some(count) = summary(diagnostics).filter(|_| counted) {
            text.push_str(&format!("{count}\n"));
        }
        print_err(&text);
    }

    /// Diagnostics as the document of the run holds them.
    pub fn values(&self, diagnostics: &[Diagnostic], sources: &Sources) -> Vec<Value> {
        let value = |one: &Diagnostic| match self.format {
            Format::Sarif => sarif::result(one, sources),
            Format::Human | Format::Compact | Format::Json | Format::Github => json::diagnostic(one, sources),
        };
        diagnostics.iter().map(value).collect()
    }

    /// The document of a run, when that is the form. Its diagnostics come from [`Printer::values`].
    pub fn document(&self, report: &json::Report) {
        match self.format {
            Format::Json => print_out(&json::render(report)),
            Format::Sarif => print_out(&sarif::render(&report.diagnostics)),
            Format::Human | Format::Compact | Format::Github => {}
        }
    }

    /// Everything a run that failed early has to say.
    pub fn failure(&self, diagnostic: &Diagnostic, profile: &str) {
        let sources = Sources::default();
        self.diagnostics(std::slice::from_ref(diagnostic), &sources);
        let diagnostics = self.values(std::slice::from_ref(diagnostic), &sources);
        self.document(&json::Report { profile, diagnostics, ..json::Report::default() });
    }
}

/// Writes to standard output. A closed pipe is no failure.
pub fn print_out(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

/// Writes to standard error.
pub fn print_err(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}
