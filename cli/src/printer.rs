//! What goes to the terminal: which stream, in which form, with colour or without. Source: tooling specification, 2.6.

use std::io::{IsTerminal, Write};

use blinkblox_compiler::diagnostics::human::Colour;
use blinkblox_compiler::diagnostics::{Diagnostic, compact, human, json, summary};
use blinkblox_compiler::source::Sources;

/// Form of diagnostics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Drawn, with source lines.
    #[default]
    Human,
    /// A line each.
    Compact,
    /// One document on standard output, and nothing else.
    Json,
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

    /// A line of progress or result, which `--quiet` and `--json` leave out.
    pub fn progress(&self, line: &str) {
        if !self.quiet && self.format != Format::Json {
            print_out(&format!("{line}\n"));
        }
    }

    /// Diagnostics, on standard error, and their count unless quiet. Nothing under `--json`.
    pub fn diagnostics(&self, diagnostics: &[Diagnostic], sources: &Sources) {
        let mut text = match self.format {
            Format::Human => human::render(diagnostics, sources, self.colour),
            Format::Compact => compact::render(diagnostics, sources),
            Format::Json => return,
        };
        if let Some(count) = summary(diagnostics).filter(|_| !self.quiet) {
            text.push_str(&format!("{count}\n"));
        }
        print_err(&text);
    }

    /// The JSON document of a run, when that is the form.
    pub fn document(&self, report: &json::Report) {
        if self.format == Format::Json {
            print_out(&json::render(report));
        }
    }

    /// Everything a run that failed early has to say.
    pub fn failure(&self, diagnostic: &Diagnostic, profile: &str) {
        let sources = Sources::default();
        self.diagnostics(std::slice::from_ref(diagnostic), &sources);
        let diagnostics = vec![json::diagnostic(diagnostic, &sources)];
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
