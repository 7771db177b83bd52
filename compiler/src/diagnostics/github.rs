//! Annotations of a GitHub workflow, one a diagnostic. Source: tooling specification, 2.14.
//!
//! A workflow command is a line `::error file=..,line=..::message`; the notes follow the headline in the message.

use std::fmt::Write;

use super::{Diagnostic, Severity};
use crate::source::Sources;

/// Every diagnostic as a workflow command, each ended by a line feed.
pub fn render(diagnostics: &[Diagnostic], sources: &Sources) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics {
        let command = match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let mut properties = Vec::new();
        if let Some(span) = diagnostic.span() {
            let (start, end) = (sources.start(span), sources.end(span));
            properties.push(("file", sources[span.file].shown.clone()));
            properties.push(("line", start.line.to_string()));
            properties.push(("endLine", end.line.to_string()));
            // Columns of an annotation over several lines are refused.
            if start.line == end.line {
                properties.push(("col", start.column.to_string()));
                properties.push(("endColumn", end.column.max(start.column + 1).to_string()));
            }
        } else if let Some(file) = &diagnostic.file {
            properties.push(("file", file.clone()));
        }
        properties.push(("title", format!("{} {}", diagnostic.code_text(), diagnostic.code.name())));
        let properties: Vec<String> =
            properties.into_iter().map(|(key, value)| format!("{key}={}", property(&value))).collect();
        let mut text = diagnostic.headline.clone();
        for note in &diagnostic.notes {
            let _ = write!(text, "\n{note}");
        }
        let _ = writeln!(out, "::{command} {}::{}", properties.join(","), message(&text));
    }
    out
}

/// An error about a file that is no diagnostic's, at a line of it if one is known, ended by a line feed.
pub fn annotation(file: &str, line: Option<usize>, title: &str, text: &str) -> String {
    let line = line.map(|line| format!("line={line},")).unwrap_or_default();
    format!("::error file={},{line}title={}::{}\n", property(file), property(title), message(text))
}

/// Text of a message: what would end the command is escaped.
fn message(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Text of a property, where colons and commas mean something too.
fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::Code;
    use crate::source::Span;

    #[test]
    fn an_annotation_has_its_place_and_its_notes() {
        let mut sources = Sources::default();
        let file = sources.add("a,b.blink", "a,b.blink", "type A = Bx\ntype C = u8".to_string());
        let one = Diagnostic::error(Code::AnalyzeUnknownReference, "\"Bx\" is 100% unknown")
            .primary(Span::new(file, 9, 11), "here")
            .note("Declare it.");
        let two = Diagnostic::warning(Code::OutputLongModule, "long").about_file("Server.luau");
        let over = Diagnostic::warning(Code::AnalyzeDeprecated, "old").primary(Span::new(file, 9, 16), "x");
        assert_eq!(
            render(&[one, two, over], &sources),
            "::error file=a%2Cb.blink,line=1,endLine=1,col=10,endColumn=12,title=E3007 AnalyzeUnknownReference::\"Bx\" is 100%25 unknown%0ADeclare it.\n\
             ::warning file=Server.luau,title=W4101 OutputLongModule::long\n\
             ::warning file=a%2Cb.blink,line=1,endLine=2,title=W3017 AnalyzeDeprecated::old\n"
        );
    }
}
