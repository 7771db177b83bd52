//! The one JSON document of a run. Source: tooling specification, 2.10.

use serde_json::{Map, Value, json};

use super::{Diagnostic, Label};
use crate::source::{Position, Sources, Span};

/// Number of the document format.
pub const FORMAT_VERSION: u32 = 1;

/// What a run reports.
#[derive(Clone, Debug, Default)]
pub struct Report<'a> {
    /// Whether the run did what was asked of it.
    pub success: bool,
    /// Files a compile produced, in the order they are written.
    pub outputs: Vec<String>,
    /// Every diagnostic, as [`diagnostic`] makes it.
    pub diagnostics: Vec<Value>,
    /// Name of the profile.
    pub profile: &'a str,
    /// The schema signature, when the schema compiles.
    pub signature: Option<String>,
    /// What the run was asked for beside compiling, by key.
    pub extra: Vec<(&'static str, Value)>,
}

impl Report<'_> {
    /// Everything but the diagnostics and who wrote it, by key: the answer of the run.
    pub(super) fn answer(&self) -> Map<String, Value> {
        let own = [
            ("success", self.success.into()),
            ("outputs", self.outputs.clone().into()),
            ("profile", self.profile.into()),
            ("signature", self.signature.clone().into()),
        ];
        own.into_iter()
            .chain(self.extra.iter().cloned())
            .map(|(key, value)| (key.to_string(), value))
            .collect()
    }
}

/// The document, on one line, ended by a line feed.
pub fn render(report: &Report) -> String {
    let mut document = json!({
        "version": FORMAT_VERSION,
        "diagnostics": report.diagnostics,
        "compiler": crate::VERSION,
    });
    if let Value::Object(keys) = &mut document {
        keys.extend(report.answer());
    }
    format!("{document}\n")
}

/// One diagnostic, with every key.
pub fn diagnostic(diagnostic: &Diagnostic, sources: &Sources) -> Value {
    let span = diagnostic.span();
    let file = span.map(|span| sources[span.file].shown.clone()).or_else(|| diagnostic.file.clone());
    let fixes: Vec<Value> = diagnostic
        .fixes
        .iter()
        .map(|fix| {
            let edits: Vec<Value> = fix
                .edits
                .iter()
                .map(|(span, text)| {
                    json!({ "file": sources[span.file].shown, "range": range(*span, sources), "text": text })
                })
                .collect();
            json!({ "title": fix.title, "edits": edits })
        })
        .collect();
    json!({
        "severity": match diagnostic.severity {
            super::Severity::Error => "error",
            super::Severity::Warning => "warning",
        },
        "code": diagnostic.code_text(),
        "name": diagnostic.code.name(),
        "message": diagnostic.headline,
        "file": file,
        "range": span.map(|span| range(span, sources)),
        "labels": diagnostic.labels.iter().map(|one| label(one, sources)).collect::<Vec<_>>(),
        "notes": diagnostic.notes,
        "fixes": fixes,
    })
}

fn label(label: &Label, sources: &Sources) -> Value {
    json!({
        "primary": label.primary,
        "message": label.message,
        "file": sources[label.span.file].shown,
        "range": range(label.span, sources),
    })
}

fn range(span: Span, sources: &Sources) -> Value {
    let mut object = Map::new();
    object.insert("start".to_string(), position(sources.start(span)));
    object.insert("end".to_string(), position(sources.end(span)));
    Value::Object(object)
}

fn position(position: Position) -> Value {
    json!({ "line": position.line, "column": position.column, "offset": position.offset })
}
