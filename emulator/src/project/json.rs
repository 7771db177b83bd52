//! JSON with comments and trailing commas, each value knowing where it stands.

use std::path::{Path, PathBuf};

use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use super::problem::{Problem, Result};

/// A JSON file: its text for the positions of problems, and its value.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) file: PathBuf,
    text: String,
    pub(super) root: Json,
}

/// A value and the byte it starts at.
#[derive(Debug, Clone)]
pub(super) struct Json {
    pub(super) offset: usize,
    pub(super) kind: Kind,
}

#[derive(Debug, Clone)]
pub(super) enum Kind {
    Null,
    Bool(bool),
    Number(f64),
    String(String),
    Array(Vec<Json>),
    /// In order of the text; a repeated name counts where it first stood with its last value.
    Object(Vec<Member>),
}

#[derive(Debug, Clone)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) offset: usize,
    pub(super) value: Json,
}

impl Document {
    /// The document in `text`, or where its syntax breaks. A file without a value is null.
    pub(super) fn parse(file: &Path, text: String) -> Result<Self> {
        let options = ParseOptions {
            allow_comments: true,
            allow_trailing_commas: true,
            allow_non_finite_numbers: true,
            allow_loose_object_property_names: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_extended_string_escapes: false,
        };
        let parsed = parse_to_ast(&text, &CollectOptions::default(), &options).map_err(|error| {
            Problem::of_file(
                file,
                format!("the JSON breaks off here: {}", lower_first(&error.kind().to_string())),
            )
            .at(&text, error.range().start)
        })?;
        let root = parsed.value.map_or(Json { offset: 0, kind: Kind::Null }, |value| lower(&value));
        Ok(Self { file: file.to_owned(), text, root })
    }

    /// A fault at a value of this document.
    pub(super) fn problem(&self, offset: usize, field: &str, message: impl Into<String>) -> Box<Problem> {
        let mut problem = Problem::of_file(&self.file, message).at(&self.text, offset);
        problem.field = field.to_owned();
        problem
    }

    /// A fault about the type of a value.
    pub(super) fn expected(&self, value: &Json, field: &str, what: &str) -> Box<Problem> {
        self.problem(value.offset, field, format!("expected {what}, got {}", value.describe()))
    }

    pub(super) fn string<'a>(&self, value: &'a Json, field: &str) -> Result<&'a str> {
        match &value.kind {
            Kind::String(text) => Ok(text),
            _ => Err(self.expected(value, field, "a string")),
        }
    }

    pub(super) fn bool(&self, value: &Json, field: &str) -> Result<bool> {
        match value.kind {
            Kind::Bool(value) => Ok(value),
            _ => Err(self.expected(value, field, "true or false")),
        }
    }

    pub(super) fn array<'a>(&self, value: &'a Json, field: &str) -> Result<&'a [Json]> {
        match &value.kind {
            Kind::Array(items) => Ok(items),
            _ => Err(self.expected(value, field, "an array")),
        }
    }

    pub(super) fn object<'a>(&self, value: &'a Json, field: &str) -> Result<&'a [Member]> {
        match &value.kind {
            Kind::Object(members) => Ok(members),
            _ => Err(self.expected(value, field, "an object")),
        }
    }

    /// A whole number from 0 to `most`.
    pub(super) fn whole(&self, value: &Json, field: &str, most: f64) -> Result<u64> {
        match value.kind {
            Kind::Number(number) if number >= 0.0 && number <= most && number.fract() == 0.0 => {
                Ok(number as u64)
            }
            _ => Err(self.expected(value, field, &format!("a whole number from 0 to {most}"))),
        }
    }
}

impl Json {
    /// What it is, for an error.
    pub(super) fn describe(&self) -> String {
        match &self.kind {
            Kind::Null => "null".to_owned(),
            Kind::Bool(value) => value.to_string(),
            Kind::Number(value) => format!("the number {}", crate::datatypes::text::number(*value)),
            Kind::String(text) if text.len() <= 40 => format!("the string {text:?}"),
            Kind::String(_) => "a string".to_owned(),
            Kind::Array(items) if items.len() == 1 => "an array of 1 value".to_owned(),
            Kind::Array(items) => format!("an array of {} values", items.len()),
            Kind::Object(_) => "an object".to_owned(),
        }
    }
}

fn lower(value: &ast::Value<'_>) -> Json {
    let offset = value.range().start;
    let kind = match value {
        ast::Value::NullKeyword(_) => Kind::Null,
        ast::Value::BooleanLit(literal) => Kind::Bool(literal.value),
        ast::Value::NumberLit(literal) => Kind::Number(number(literal.value)),
        ast::Value::StringLit(literal) => Kind::String(literal.value.clone().into_owned()),
        ast::Value::Array(array) => Kind::Array(array.elements.iter().map(lower).collect()),
        ast::Value::Object(object) => {
            let mut members: Vec<Member> = Vec::with_capacity(object.properties.len());
            let mut places = rustc_hash::FxHashMap::default();
            for property in &object.properties {
                let name = property.name.as_str().to_owned();
                let member = Member { offset: property.range.start, value: lower(&property.value), name };
                match places.get(&member.name) {
                    Some(place) => {
                        let place: &mut Member = &mut members[*place];
                        *place = member;
                    }
                    None => {
                        places.insert(member.name.clone(), members.len());
                        members.push(member);
                    }
                }
            }
            Kind::Object(members)
        }
    };
    Json { offset, kind }
}

fn number(text: &str) -> f64 {
    match text {
        "Infinity" => f64::INFINITY,
        "-Infinity" => f64::NEG_INFINITY,
        _ => text.parse().unwrap_or(f64::NAN),
    }
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_lowercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Document> {
        Document::parse(Path::new("a.json"), text.to_owned())
    }

    #[test]
    fn allows_comments_and_trailing_commas() {
        let document = parse("// first\n{\"a\": [1, /* two */ 2,], \"b\": -Infinity, \"a\": null,}").unwrap();
        let members = document.object(&document.root, "").unwrap();
        assert_eq!(members.len(), 2);
        assert!(matches!(members[0].value.kind, Kind::Null));
        assert!(matches!(members[1].value.kind, Kind::Number(value) if value == f64::NEG_INFINITY));
        assert!(matches!(parse(" // nothing").unwrap().root.kind, Kind::Null));
    }

    #[test]
    fn broken_syntax_has_a_place() {
        let error = parse("{\n  \"a\": 1\n  \"b\": 2\n}").unwrap_err().to_string();
        assert!(error.starts_with("a.json:2:") || error.starts_with("a.json:3:"), "{error}");
        assert!(parse("{'a': 1}").is_err());
        assert!(parse(&"[".repeat(10_000)).is_err());
    }

    #[test]
    fn types_are_named_in_errors() {
        let document = parse("{\"a\": [1, 2]}").unwrap();
        let value = &document.object(&document.root, "").unwrap()[0].value;
        let error = document.string(value, "tree.a").unwrap_err().to_string();
        assert_eq!(error, "a.json:1:7: `tree.a`: expected a string, got an array of 2 values");
    }
}
