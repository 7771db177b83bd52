//! One line a diagnostic. Source: tooling specification, 3.4.

use std::fmt::Write;

use super::{Diagnostic, visible};
use crate::source::Sources;

/// Every diagnostic on a line of its own, each ended by a line feed.
pub fn render(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics {
        let _ = write!(out, "[{}] ", diagnostic.code_text());
        if let Some(span) = diagnostic.span() {
            let (first, last) = (sources.start(span).line, last_line(sources, span));
            let _ = write!(out, "[L{first:03}:L{last:03}] [{}] ", visible(&sources[span.file].shown));
        } else if let Some(file) =
            diagnostic.file.as_ref().filter(|file| !diagnostic.headline.contains(file.as_str()))
        {
            let _ = write!(out, "[{}] ", visible(file));
        }
        let _ = writeln!(out, "{}: {}", diagnostic.severity.word(), visible(&diagnostic.headline));
    }
    out
}

/// The line holding the last byte of a span.
fn last_line(sources: &Sources, span: crate::source::Span) -> u32 {
    let last = if span.is_empty() { span.end } else { span.end - 1 };
    sources[span.file].position(last).line
}
