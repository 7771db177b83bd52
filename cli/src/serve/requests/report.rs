//! What is wrong with a schema, as an editor shows it: in the entry, and drawn.

use std::collections::BTreeMap;

use blinkblox_compiler::diagnostics::human::{self, Colour, Strokes};
use blinkblox_compiler::diagnostics::{Diagnostic, json};
use blinkblox_compiler::schema::Profile;
use blinkblox_compiler::source::{FileId, Sources, Span};
use blinkblox_compiler::{Analysis, VERSION};
use serde_json::{Value, json};

/// A document in the form of the command's, and what an editor needs beside it: where each diagnostic is shown in
/// the entry, and all of them drawn.
pub fn document(analysis: &Analysis, profile: Profile, signature: Option<String>) -> Value {
    let through = Through::of(analysis);
    let diagnostics: Vec<Value> = analysis
        .diagnostics
        .iter()
        .map(|one| {
            let mut value = json::diagnostic(one, &analysis.sources);
            value["place"] = through.place(one, &analysis.sources);
            value
        })
        .collect();
    let drawn = human::render(&analysis.diagnostics, &analysis.sources, Colour::On, Strokes::Lines);
    json!({
        "version": json::FORMAT_VERSION,
        "compiler": VERSION,
        "success": !analysis.has_errors(),
        "profile": profile.text(),
        "signature": signature,
        "unit": analysis.sources.files().iter().map(|file| file.path.as_str()).collect::<Vec<_>>(),
        "diagnostics": diagnostics,
        "drawn": pieces(&drawn),
    })
}

/// Which import of the entry leads to which files.
struct Through(BTreeMap<FileId, Span>);

impl Through {
    fn of(analysis: &Analysis) -> Through {
        let mut found = BTreeMap::new();
        let mut next: Vec<(Span, FileId)> = analysis.index.imports_of(FileId(0));
        next.reverse();
        while let Some((import, file)) = next.pop() {
            if file == FileId(0) || found.contains_key(&file) {
                continue;
            }
            found.insert(file, import);
            next.extend(analysis.index.imports_of(file).into_iter().map(|(_, inner)| (import, inner)));
        }
        Through(found)
    }

    /// Where a diagnostic is shown in the entry, and the file that a click on it opens when that is another.
    fn place(&self, diagnostic: &Diagnostic, sources: &Sources) -> Value {
        let Some(span) = diagnostic.span() else { return Value::Null };
        if span.file == FileId(0) {
            return json!({ "start": span.start, "end": span.end, "opens": null });
        }
        let opens = &sources[span.file].path;
        match self.0.get(&span.file) {
            Some(import) => json!({ "start": import.start, "end": import.end, "opens": opens }),
            None => Value::Null,
        }
    }
}

/// A drawing as pieces of one style each: pairs of style and text. The styles are `plain`, `dim`, `error`, `warning`
/// and `note`.
fn pieces(drawn: &str) -> Vec<[String; 2]> {
    let mut pieces: Vec<[String; 2]> = Vec::new();
    let mut add = |style: &str, text: &str| match pieces.last_mut() {
        _ if text.is_empty() => {}
        Some([last, so_far]) if last == style => so_far.push_str(text),
        Some(_) | None => pieces.push([style.to_string(), text.to_string()]),
    };
    let mut parts = drawn.split('\x1b');
    add("plain", parts.next().unwrap_or_default());
    for part in parts {
        let (code, text) = part.split_once('m').unwrap_or(("", part));
        let style = match code {
            "[2" => "dim",
            "[31" => "error",
            "[33" => "warning",
            "[34" => "note",
            _ => "plain",
        };
        add(style, text);
    }
    pieces
}
