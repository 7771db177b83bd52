//! One SARIF 2.1.0 document. Source: tooling specification, 2.14; OASIS SARIF 2.1.0.
//!
//! Columns of SARIF count characters, not bytes as everywhere else, so they are counted anew here.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Code, Diagnostic, Severity, json};
use crate::explain;
use crate::source::{Sources, Span};

/// The document of a run whose diagnostics [`result`] made, on one line, ended by a line feed. What the run answers
/// beside them stands in its `properties`, which SARIF leaves to the tool, under the keys of the JSON document.
pub fn render(report: &json::Report) -> String {
    let results = &report.diagnostics;
    let mut used: BTreeSet<&str> = results.iter().filter_map(|result| result["ruleId"].as_str()).collect();
    let mut rules: Vec<Value> = Vec::new();
    for code in Code::ALL {
        // A code that is both an error and a warning is two rules.
        for letter in ["E", "W"] {
            let id = format!("{letter}{}", code.number());
            if used.remove(id.as_str()) {
                rules.push(json!({
                    "id": id,
                    "name": code.name(),
                    "shortDescription": { "text": explain::summary(*code) },
                    "help": { "text": explain::page(*code), "markdown": explain::page(*code) },
                }));
            }
        }
    }
    // What is found in files that are no schemas has no page.
    rules.extend(used.into_iter().map(|id| json!({ "id": id })));
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "BlinkBlox", "version": crate::VERSION, "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "results": results,
            "properties": report.answer(),
        }],
    });
    format!("{document}\n")
}

/// One diagnostic as a SARIF result.
pub fn result(diagnostic: &Diagnostic, sources: &Sources) -> Value {
    let mut text = diagnostic.headline.clone();
    for note in &diagnostic.notes {
        text.push('\n');
        text.push_str(note);
    }
    let mut locations: Vec<Value> =
        diagnostic.span().iter().map(|span| location(*span, sources, None)).collect();
    if let (true, Some(file)) = (locations.is_empty(), &diagnostic.file) {
        locations.push(json!({ "physicalLocation": { "artifactLocation": { "uri": uri(file) } } }));
    }
    let related: Vec<Value> = diagnostic
        .labels
        .iter()
        .filter(|label| !label.primary)
        .map(|label| location(label.span, sources, Some(&label.message)))
        .collect();
    json!({
        "ruleId": diagnostic.code_text(),
        "level": match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        "message": { "text": text },
        "locations": locations,
        "relatedLocations": related,
        "fixes": diagnostic.fixes.iter().map(|fix| correction(fix, sources)).collect::<Vec<_>>(),
    })
}

/// An error about a file that is no diagnostic's, at a line of it if one is known; `rule` is a word for what is wrong.
pub fn finding(file: &str, line: Option<usize>, rule: &str, text: &str) -> Value {
    let mut place = json!({ "artifactLocation": { "uri": uri(file) } });
    if let Some(line) = line {
        place["region"] = json!({ "startLine": line });
    }
    let locations = json!([{ "physicalLocation": place }]);
    json!({ "ruleId": rule, "level": "error", "message": { "text": text }, "locations": locations })
}

fn location(span: Span, sources: &Sources, message: Option<&str>) -> Value {
    let mut location = json!({
        "physicalLocation": {
            "artifactLocation": { "uri": uri(&sources[span.file].shown) },
            "region": region(span, sources),
        },
    });
    if let Some(message) = message {
        location["message"] = json!({ "text": message });
    }
    location
}

fn region(span: Span, sources: &Sources) -> Value {
    let file = &sources[span.file];
    let (start, end) = (file.position(span.start), file.position(span.end));
    json!({
        "startLine": start.line,
        "startColumn": file.character_column(span.start),
        "endLine": end.line,
        "endColumn": file.character_column(span.end),
        "byteOffset": span.start,
        "byteLength": span.len(),
    })
}

fn correction(fix: &super::Fix, sources: &Sources) -> Value {
    // One change a file: its replacements all count from the text as it is.
    let mut files: Vec<crate::source::FileId> = fix.edits.iter().map(|(span, _)| span.file).collect();
    files.dedup();
    let changes: Vec<Value> = files
        .into_iter()
        .map(|file| {
            let edits = fix.edits.iter().filter(|(span, _)| span.file == file);
            let replacements: Vec<Value> = edits
                .map(|(span, text)| {
                    json!({ "deletedRegion": region(*span, sources), "insertedContent": { "text": text } })
                })
                .collect();
            json!({
                "artifactLocation": { "uri": uri(&sources[file].shown) },
                "replacements": replacements,
            })
        })
        .collect();
    json!({ "description": { "text": fix.title }, "artifactChanges": changes })
}

/// A path as a URI reference: relative to the working directory, or absolute.
fn uri(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                out.push(byte as char)
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    match path {
        _ if path.starts_with('/') => format!("file://{out}"),
        _ if path.as_bytes().get(1) == Some(&b':') => format!("file:///{out}"),
        _ => out,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_has_its_rule_and_its_places() {
        let mut sources = Sources::default();
        let file = sources.add("a b.blink", "a b.blink", "-- é\nstruct A { X: u8, X: u8 }".to_string());
        let text = &sources[file].text;
        let (first, second) = (text.find('X').unwrap(), text.rfind('X').unwrap());
        let one = Diagnostic::error(Code::AnalyzeDuplicateMember, "twice")
            .primary(Span::new(file, second, second + 1), "again")
            .secondary(Span::new(file, first, first + 1), "first")
            .note("Rename one.")
            .fix("Rename it", vec![(Span::new(file, second, second + 1), "Y".to_string())]);
        let document: Value = {
            let diagnostics = vec![result(&one, &sources)];
            let extra = vec![("files", vec!["out/S.luau"].into())];
            let report = json::Report { diagnostics, extra, ..json::Report::default() };
            serde_json::from_str(&render(&report)).unwrap()
        };
        assert_eq!(document["version"], "2.1.0");
        let run = &document["runs"][0];
        assert_eq!(
            (&run["properties"]["files"][0], &run["properties"]["success"]),
            (&"out/S.luau".into(), &false.into())
        );
        assert_eq!(run["tool"]["driver"]["rules"][0]["id"], "E3004");
        assert_eq!(run["tool"]["driver"]["rules"][0]["name"], "AnalyzeDuplicateMember");
        let result = &run["results"][0];
        assert_eq!(result["message"]["text"], "twice\nRename one.");
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "a%20b.blink");
        assert_eq!((&place["region"]["startLine"], &place["region"]["startColumn"]), (&2.into(), &19.into()));
        assert_eq!(result["relatedLocations"][0]["message"]["text"], "first");
        assert_eq!(
            result["fixes"][0]["artifactChanges"][0]["replacements"][0]["insertedContent"]["text"],
            "Y"
        );
    }

    #[test]
    fn columns_count_characters() {
        let mut sources = Sources::default();
        let file = sources.add("a", "a", "\"éé\" X".to_string());
        assert_eq!(region(Span::new(file, 7, 8), &sources)["startColumn"], 6);
        assert_eq!(region(Span::new(file, 7, 8), &sources)["endColumn"], 7);
    }
}
