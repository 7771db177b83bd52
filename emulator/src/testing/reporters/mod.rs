//! Turns a [`RunReport`] into text, one file a format.
//!
//! A [`Stream`] writes a report while the run goes on: a part a file, and an end. [`render`] writes a finished one.
//! `read` is the way back: reports of several machines, joined into one.

pub mod dots;
pub mod failures;
pub mod github;
pub mod json;
pub mod junit;
pub mod pretty;
pub mod read;
pub mod tap;
pub mod teamcity;

#[cfg(test)]
mod tests;

use super::report::{FileReport, RunReport};

/// Formats a report can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A tree for people.
    Pretty,
    /// A character a test, for people with many tests.
    Dots,
    /// The Test Anything Protocol, version 14.
    Tap,
    /// JUnit XML for build servers.
    Junit,
    /// One JSON document.
    Json,
    /// Annotations of a GitHub workflow.
    Github,
    /// Service messages of TeamCity.
    Teamcity,
    /// Nothing but the exit code.
    Silent,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 8] = [
        Format::Pretty,
        Format::Dots,
        Format::Tap,
        Format::Junit,
        Format::Json,
        Format::Github,
        Format::Teamcity,
        Format::Silent,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::Pretty => "pretty",
            Format::Dots => "dots",
            Format::Tap => "tap",
            Format::Junit => "junit",
            Format::Json => "json",
            Format::Github => "github",
            Format::Teamcity => "teamcity",
            Format::Silent => "silent",
        }
    }

    /// The format of that name on the command line.
    pub fn parse(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.name() == name)
    }
}

/// Writes one report piece by piece.
pub struct Stream {
    format: Format,
    colour: bool,
    /// Characters on the present line of dots, or points of TAP so far.
    written: usize,
}

impl Stream {
    /// A report that has not begun; `colour` adds terminal colours where the format has them.
    pub fn new(format: Format, colour: bool) -> Stream {
        Stream { format, colour, written: 0 }
    }

    /// Whether people read it as it is, and no program does.
    pub fn is_for_people(&self) -> bool {
        matches!(self.format, Format::Pretty | Format::Dots)
    }

    /// What stands before the first file.
    pub fn begin(&self) -> String {
        match self.format {
            Format::Tap => "TAP version 14\n".to_string(),
            Format::Pretty
            | Format::Dots
            | Format::Junit
            | Format::Json
            | Format::Github
            | Format::Teamcity
            | Format::Silent => String::new(),
        }
    }

    /// What can be said about a file once it has run. `run` is the run so far.
    pub fn file(&mut self, run: &RunReport, file: &FileReport) -> String {
        match self.format {
            Format::Pretty => pretty::file(file, self.colour),
            Format::Dots => dots::file(file, self.colour, &mut self.written),
            Format::Tap => tap::file(run, file, &mut self.written),
            Format::Github => github::file(run, file),
            Format::Teamcity => teamcity::file(file),
            Format::Junit | Format::Json | Format::Silent => String::new(),
        }
    }

    /// What stands at the end.
    pub fn end(&self, run: &RunReport) -> String {
        match self.format {
            Format::Pretty => failures::render(run, self.colour) + &failures::summary(run, self.colour),
            Format::Dots => dots::end(run, self.colour, self.written),
            Format::Tap => tap::end(run, self.written),
            Format::Junit => junit::render(run),
            Format::Json => json::render(run),
            Format::Github => github::end(run),
            Format::Teamcity | Format::Silent => String::new(),
        }
    }
}

/// The whole report in `format`; `colour` adds terminal colours where the format has them.
pub fn render(report: &RunReport, format: Format, colour: bool) -> String {
    let mut stream = Stream::new(format, colour);
    let mut text = stream.begin();
    for file in &report.files {
        text.push_str(&stream.file(report, file));
    }
    text + &stream.end(report)
}

/// A text on one line: what would end the line or move a terminal's cursor is written as an escape.
pub(crate) fn one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}
