//! What is wrong with a schema, as a plain value, and its renderings.
//!
//! Passes push [`Diagnostic`]s and never know how they are shown; each rendering is one file here. Start at
//! [`Diagnostic`].

mod code;
pub mod compact;
pub mod github;
pub mod human;
pub mod json;
pub mod sarif;
pub mod suggest;

pub use code::Code;

use std::borrow::Cow;
use std::collections::HashSet;

use crate::source::Span;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Stops the run; nothing is written.
    Error,
    /// Reported; the run goes on.
    Warning,
}

impl Severity {
    /// The word in front of a headline.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Error => "Error",
            Severity::Warning => "Warning",
        }
    }
}

/// An underlined piece of a schema, with a few words about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// What is underlined.
    pub span: Span,
    /// A few words about the text underlined, which do not repeat the headline.
    pub message: String,
    /// Whether this is what is wrong, rather than what explains it.
    pub primary: bool,
}

/// A correction a program can make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What the correction does.
    pub title: String,
    /// Replacements, none of which overlap.
    pub edits: Vec<(Span, String)>,
}

/// One problem. Source: tooling specification, 3.1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What it is.
    pub code: Code,
    /// One terse fact that stands alone, without a full stop.
    pub headline: String,
    /// At most one primary label, which comes first, then secondary ones.
    pub labels: Vec<Label>,
    /// What to do about it.
    pub notes: Vec<String>,
    /// Corrections a program can make.
    pub fixes: Vec<Fix>,
    /// The file it is about, as shown to people, when no primary label says so.
    pub file: Option<String>,
}

impl Fix {
    /// Writes `text` in place of `span`.
    pub fn write(span: Span, text: impl Into<String>) -> Fix {
        let text = text.into();
        Fix { title: format!("Write `{text}`"), edits: vec![(span, text)] }
    }

    /// Deletes `span`.
    pub fn delete(span: Span) -> Fix {
        Fix { title: "Delete it".to_string(), edits: vec![(span, String::new())] }
    }

    /// Inserts `text` behind `span`, named without the white space around it.
    pub fn insert_after(span: Span, text: impl Into<String>) -> Fix {
        let text = text.into();
        Fix { title: format!("Insert `{}`", text.trim()), edits: vec![(span.after(), text)] }
    }
}

impl Diagnostic {
    /// An error without labels or notes.
    pub fn error(code: Code, headline: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, code, headline.into())
    }

    /// A warning without labels or notes.
    pub fn warning(code: Code, headline: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, code, headline.into())
    }

    fn new(severity: Severity, code: Code, headline: String) -> Diagnostic {
        Diagnostic { severity, code, headline, labels: vec![], notes: vec![], fixes: vec![], file: None }
    }

    /// The diagnostic with its primary label, which goes in front of any other.
    pub fn primary(mut self, span: Span, message: impl Into<String>) -> Diagnostic {
        self.labels.insert(0, Label { span, message: message.into(), primary: true });
        self
    }

    /// The diagnostic with one more secondary label.
    pub fn secondary(mut self, span: Span, message: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, message: message.into(), primary: false });
        self
    }

    /// The diagnostic with a secondary label when there is a span for one.
    pub fn opt_secondary(self, span: Option<Span>, message: impl Into<String>) -> Diagnostic {
        match span {
            Some(span) => self.secondary(span, message),
            None => self,
        }
    }

    /// The diagnostic with one more note.
    pub fn note(mut self, text: impl Into<String>) -> Diagnostic {
        self.notes.push(text.into());
        self
    }

    /// The diagnostic with a note when there is one.
    pub fn opt_note(self, text: Option<String>) -> Diagnostic {
        match text {
            Some(text) => self.note(text),
            None => self,
        }
    }

    /// The diagnostic with one more correction.
    pub fn fix(mut self, title: impl Into<String>, edits: Vec<(Span, String)>) -> Diagnostic {
        self.fixes.push(Fix { title: title.into(), edits });
        self
    }

    /// The diagnostic with a correction when there is one.
    pub fn opt_fix(mut self, fix: Option<Fix>) -> Diagnostic {
        self.fixes.extend(fix);
        self
    }

    /// The diagnostic with the correction of writing `text` in place of `span`.
    pub fn fix_write(self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.opt_fix(Some(Fix::write(span, text)))
    }

    /// The diagnostic with the correction of deleting `span`.
    pub fn fix_delete(self, span: Span) -> Diagnostic {
        self.opt_fix(Some(Fix::delete(span)))
    }

    /// Offers the name that was probably meant in place of `span`, as a note and as a correction.
    pub fn did_you_mean(self, span: Span, near: Option<&str>) -> Diagnostic {
        match near {
            Some(near) => self.note(format!("Did you mean `{near}`?")).fix_write(span, near),
            None => self,
        }
    }

    /// The diagnostic about a file as a whole.
    pub fn about_file(mut self, shown: impl Into<String>) -> Diagnostic {
        self.file = Some(shown.into());
        self
    }

    /// Where the primary label is.
    pub fn span(&self) -> Option<Span> {
        self.labels.iter().find(|label| label.primary).map(|label| label.span)
    }

    /// Whether it stops the run.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The code as printed: its letter, then its number.
    pub fn code_text(&self) -> String {
        let letter = match self.severity {
            Severity::Error => 'E',
            Severity::Warning => 'W',
        };
        format!("{letter}{}", self.code.number())
    }
}

/// Puts diagnostics in the order they are reported in, and drops repetitions of one problem.
///
/// By file as first reached, then the primary label's offset, then code; those without a label come last. Source:
/// tooling specification, 3.7.
pub fn sort(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort_by_key(|diagnostic| {
        let place = diagnostic.span().map_or((u32::MAX, u32::MAX), |span| (span.file.0, span.start));
        (place, diagnostic.code)
    });
    // One problem found twice need not be adjacent to its twin: an import read twice repeats runs of them.
    let mut seen = HashSet::with_capacity(diagnostics.len());
    diagnostics.retain(|diagnostic| {
        seen.insert((diagnostic.span(), diagnostic.code, diagnostic.severity, diagnostic.headline.clone()))
    });
}

/// The diagnostics up to and including the `most`-th error, and how many errors follow.
pub fn limit(diagnostics: &[Diagnostic], most: usize) -> (&[Diagnostic], usize) {
    let mut errors = 0;
    let end = diagnostics.iter().position(|diagnostic| {
        errors += usize::from(diagnostic.is_error());
        errors > most
    });
    let (told, rest) = diagnostics.split_at(end.unwrap_or(diagnostics.len()));
    (told, rest.iter().filter(|diagnostic| diagnostic.is_error()).count())
}

/// The line that counts errors and warnings after the last diagnostic; `None` when there are none.
pub fn summary(diagnostics: &[Diagnostic]) -> Option<String> {
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.is_error()).count();
    let warnings = diagnostics.len() - errors;
    let count = |count: usize, word: &str| (count > 0).then(|| counted(count, word));
    match (count(errors, "error"), count(warnings, "warning")) {
        (Some(errors), Some(warnings)) => Some(format!("{errors} and {warnings}")),
        (errors, warnings) => errors.or(warnings),
    }
}

/// A count with what it counts, which takes an `s` behind any number but 1: `1 byte`, `2 bytes`.
pub fn counted(count: impl std::fmt::Display, noun: &str) -> String {
    let count = count.to_string();
    let end = if count == "1" { "" } else { "s" };
    format!("{count} {noun}{end}")
}

/// A text as it may stand in a terminal: each control character in it, which would move the cursor or change colours, is
/// a picture of itself, one column wide.
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.chars().any(char::is_control) { text.chars().map(picture).collect() } else { Cow::Borrowed(text) }
}

/// What stands for a control character; any other stands for itself.
fn picture(char: char) -> char {
    match char {
        '\0'..='\x1f' => char::from_u32(0x2400 + char as u32).unwrap_or('\u{fffd}'),
        '\x7f' => '\u{2421}',
        other if other.is_control() => '\u{fffd}',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn one_is_told_as_one() {
        let told = [0, 1, 2, 21].map(|count| counted(count, "byte"));
        assert_eq!(told, ["0 bytes", "1 byte", "2 bytes", "21 bytes"]);
        assert_eq!(counted(1.5, "second"), "1.5 seconds");
    }
}
