//! What goes to the terminal: which stream, in which form, with colour or without. Source: tooling specification, 2.6.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use blinkblox_compiler::diagnostics::human::{Colour, Strokes};
use blinkblox_compiler::diagnostics::{
    Diagnostic, compact, github, human, json, limit, sarif, summary, visible,
};
use blinkblox_compiler::source::Sources;
use indicatif::{ProgressBar, ProgressStyle};
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

/// Whether a stream is coloured. Source: tooling specification, 2.6.
pub fn is_coloured(choice: ColorChoice, is_terminal: bool) -> bool {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    match choice {
        ColorChoice::Always => true,
        ColorChoice::Never => false,
        ColorChoice::Auto if set("NO_COLOR").is_some() => false,
        ColorChoice::Auto if set("CLICOLOR_FORCE").is_some_and(|value| value != "0") => true,
        ColorChoice::Auto => is_terminal,
    }
}

/// What a terminal can show: lines, unless its locale names other characters than UTF-8. A pipe has UTF-8.
fn usual_strokes() -> Strokes {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG"));
    match locale {
        Some(locale) if cfg!(unix) && std::io::stderr().is_terminal() && !is_utf8(&locale) => Strokes::Ascii,
        _ => Strokes::Lines,
    }
}

/// Whether a locale's characters are UTF-8.
fn is_utf8(locale: &str) -> bool {
    let locale = locale.to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

/// Prints the progress and the outcome of a run.
pub struct Printer {
    format: Format,
    quiet: bool,
    colour: Colour,
    /// Characters drawings are made of.
    strokes: Strokes,
    /// Errors told before the rest is only counted; `None` for all.
    max_errors: Option<usize>,
}

/// Errors told unless the command line says otherwise.
const DEFAULT_MAX_ERRORS: usize = 50;

impl Printer {
    /// A printer for the standard streams.
    pub fn new(format: Format, quiet: bool, color: ColorChoice) -> Printer {
        let on = is_coloured(color, std::io::stderr().is_terminal());
        let colour = if on { Colour::On } else { Colour::Off };
        // A document holds everything: what reads it can stop by itself.
        let max_errors = Some(DEFAULT_MAX_ERRORS).filter(|_| !format.is_document());
        Printer { format, quiet, colour, strokes: usual_strokes(), max_errors }
    }

    /// The printer, drawing in ASCII when `ascii`.
    pub fn in_ascii(mut self, ascii: bool) -> Printer {
        if ascii {
            self.strokes = Strokes::Ascii;
        }
        self
    }

    /// The printer of another form.
    pub fn in_form(self, format: Format) -> Printer {
        Printer { format, ..self }
    }

    /// The printer without progress.
    pub fn quietly(self) -> Printer {
        Printer { quiet: true, ..self }
    }

    /// The printer, telling no more errors than this; 0 is no limit, and `None` leaves it as it is.
    pub fn limited_to(mut self, max_errors: Option<usize>) -> Printer {
        if let Some(most) = max_errors {
            self.max_errors = (most > 0).then_some(most);
        }
        self
    }

    /// The diagnostics that are told, and how many errors are not.
    fn told<'d>(&self, diagnostics: &'d [Diagnostic]) -> (&'d [Diagnostic], usize) {
        match self.max_errors {
            Some(most) => limit(diagnostics, most),
            None => (diagnostics, 0),
        }
    }

    /// Whether what a successful run would print is left out.
    pub fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Whether the run prints one document and nothing else.
    pub fn is_document(&self) -> bool {
        self.format.is_document()
    }

    /// Progress of work on `count` things: drawn on a terminal that people read, and nothing elsewhere.
    pub fn busy(&self, count: usize) -> Busy {
        let shown = !self.quiet && !self.format.is_document() && std::io::stderr().is_terminal();
        if !shown || count < 2 {
            return Busy { bar: ProgressBar::hidden() };
        }
        let style = ProgressStyle::with_template("{pos}/{len} {wide_msg}");
        let bar = ProgressBar::new(count as u64);
        Busy { bar: style.map_or(bar.clone(), |style| bar.with_style(style)) }
    }

    /// A line of progress beside a bar that is drawn.
    pub fn progress_beside(&self, line: &str, busy: &Busy) {
        busy.apart(|| self.progress(line));
    }

    /// A line of progress, which `--quiet` and forms of one document leave out.
    pub fn progress(&self, line: &str) {
        if !self.quiet && !self.format.is_document() {
            say_out(line);
        }
    }

    /// Lines of what was asked for that hold names of files, which are drawn as in diagnostics. Otherwise as
    /// [`Printer::result`].
    pub fn lines(&self, text: &str) {
        if !self.format.is_document() {
            say_out(text);
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
        let (told, untold) = self.told(diagnostics);
        let mut text = match self.format {
            Format::Human => human::render(told, sources, self.colour, self.strokes),
            Format::Compact => compact::render(told, sources),
            Format::Github => github::render(told, sources),
            Format::Json | Format::Sarif => return,
        };
        let counted = self.format != Format::Github && !self.quiet;
        if let Some(count) = summary(diagnostics).filter(|_| counted) {
            text.push_str(&format!("{count}\n"));
        }
        if untold > 0 && self.format != Format::Github {
            text.push_str(&format!("{untold} of them not shown; --max-errors 0 shows all\n"));
        }
        print_err(&text);
    }

    /// Diagnostics as the document of the run holds them.
    pub fn values(&self, diagnostics: &[Diagnostic], sources: &Sources) -> Vec<Value> {
        let value = |one: &Diagnostic| match self.format {
            Format::Sarif => sarif::result(one, sources),
            Format::Human | Format::Compact | Format::Json | Format::Github => json::diagnostic(one, sources),
        };
        self.told(diagnostics).0.iter().map(value).collect()
    }

    /// A finding about a file that is no diagnostic: an annotation of a workflow is printed, a result of SARIF given for
    /// the document. Other forms say it in a way of their own.
    pub fn finding(&self, file: &str, line: Option<usize>, title: &str, text: &str) -> Option<Value> {
        match self.format {
            Format::Github => {
                print_out(&github::annotation(file, line, title, text));
                None
            }
            Format::Sarif => Some(sarif::finding(file, line, title, text)),
            Format::Human | Format::Compact | Format::Json => None,
        }
    }

    /// The document of a run, when that is the form. Its diagnostics come from [`Printer::values`].
    pub fn document(&self, report: &json::Report) {
        match self.format {
            Format::Json => print_out(&json::render(report)),
            Format::Sarif => print_out(&sarif::render(report)),
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

/// How far a run has come, where a terminal shows it.
pub struct Busy {
    bar: ProgressBar,
}

impl Busy {
    /// What is being worked on.
    pub fn at(&self, what: &str) {
        self.bar.inc(1);
        self.bar.set_message(what.to_string());
    }

    /// Does something that prints, with the bar out of its way.
    pub fn apart<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }

    /// Takes the bar away.
    pub fn end(&self) {
        self.bar.finish_and_clear();
    }
}

/// Whether something that was to be on standard output is not.
static LOST: AtomicBool = AtomicBool::new(false);

/// Writes to standard output. A closed pipe is no failure; anything else fails the run, see [`is_lost`].
pub fn print_out(text: &str) {
    let mut out = std::io::stdout().lock();
    let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush()) else { return };
    if error.kind() != std::io::ErrorKind::BrokenPipe && !LOST.swap(true, Ordering::Relaxed) {
        let why = blinkblox_emulator::shared::in_words(&error);
        print_err(&format!("error: standard output could not be written: {why}\n"));
    }
}

/// Whether something that was to be on standard output could not be written. It has been said.
pub fn is_lost() -> bool {
    LOST.load(Ordering::Relaxed)
}

/// Lines for people on standard output. Names of files in them may hold anything: what would move the cursor or change
/// colours is drawn as a picture.
pub fn say_out(text: &str) {
    print_out(&drawn(text));
}

/// The same on standard error.
pub fn say_err(text: &str) {
    print_err(&drawn(text));
}

/// Lines whose control characters are pictures, the last one ended.
fn drawn(text: &str) -> String {
    text.lines().map(|line| visible(line).into_owned() + "\n").collect()
}

/// Writes to standard error.
pub fn print_err(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}
