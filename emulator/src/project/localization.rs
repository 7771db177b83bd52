//! `*.csv`: tables of translations.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;

use super::problem::{Problem, Result};

/// A row, in the form of `LocalizationTable.Contents`.
#[derive(Debug, Default, Serialize)]
struct Entry {
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    example: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    values: BTreeMap<String, String>,
}

/// `Contents` of the table: a JSON list of entries, one a row that has a key or a source.
pub(super) fn contents(file: &Path, text: &str) -> Result<String> {
    let broken = |error: csv::Error| {
        let mut problem = Problem::of_file(file, format!("the table breaks off here: {error}"));
        if let Some(position) = error.position() {
            problem = problem.at(text, usize::try_from(position.byte()).unwrap_or(0));
        }
        problem
    };
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let headers = reader.headers().map_err(broken)?.clone();
    let mut entries = Vec::new();
    for record in reader.records() {
        let record = record.map_err(broken)?;
        let mut entry = Entry::default();
        for (header, value) in headers.iter().zip(&record) {
            let value = value.to_owned();
            match header {
                _ if header.is_empty() || value.is_empty() => {}
                "Key" => entry.key = Some(value),
                "Context" => entry.context = Some(value),
                "Example" => entry.example = Some(value),
                "Source" => entry.source = Some(value),
                language => {
                    entry.values.insert(language.to_owned(), value);
                }
            }
        }
        if entry.key.is_some() || entry.source.is_some() {
            entries.push(entry);
        }
    }
    serde_json::to_string(&entries)
        .map_err(|error| Problem::of_file(file, format!("cannot be written as JSON: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_entries() {
        let text = "Key,Source,Context,Example,es\nAck,Ack!,,An exclamation,¡Ay!\n,,,,nothing\n";
        assert_eq!(
            contents(Path::new("a.csv"), text).unwrap(),
            r#"[{"key":"Ack","example":"An exclamation","source":"Ack!","values":{"es":"¡Ay!"}}]"#
        );
        let error = contents(Path::new("a.csv"), "Key,Source\na,b,c\n").unwrap_err();
        assert_eq!(error.place, Some((2, 1)));
    }
}
