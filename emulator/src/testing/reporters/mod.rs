//! Turns a [`RunReport`] into text, one file a format.

pub mod junit;
pub mod pretty;

use super::report::RunReport;

/// Formats a report can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A tree for people.
    Pretty,
    /// JUnit XML for build servers.
    Junit,
    /// Nothing but the exit code.
    Silent,
}

impl Format {
    /// The format of that name on the command line.
    pub fn parse(name: &str) -> Option<Format> {
        match name {
            "pretty" => Some(Format::Pretty),
            "junit" => Some(Format::Junit),
            "silent" => Some(Format::Silent),
            _ => None,
        }
    }
}

/// The whole report in `format`; `colour` adds terminal colours where the format has them.
pub fn render(report: &RunReport, format: Format, colour: bool) -> String {
    match format {
        Format::Pretty => pretty::render(report, colour),
        Format::Junit => junit::render(report),
        Format::Silent => String::new(),
    }
}
