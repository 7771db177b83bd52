//! JSON, TOML and YAML files as modules that return their value, written to the letter as Rojo writes them.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use blinkblox_compiler::luau::is_name;

use super::json::{Json, Kind};
use super::problem::{Problem, Result};

/// Source of a module that returns a JSON value; null is nil.
pub(super) fn json_module(value: &Json) -> String {
    module(&from_json(value))
}

/// Source of a module that returns a TOML document; dates are strings.
pub(super) fn toml_module(file: &Path, text: &str) -> Result<String> {
    let table: toml::Table = toml::from_str(text).map_err(|error| {
        let problem = Problem::of_file(file, format!("the TOML breaks off here: {}", error.message()));
        match error.span() {
            Some(span) => problem.at(text, span.start),
            None => problem,
        }
    })?;
    Ok(module(&Luau::Table(
        table.iter().map(|(key, value)| (Luau::String(key.clone()), from_toml(value))).collect(),
    )))
}

/// Source of a module that returns a YAML document.
pub(super) fn yaml_module(file: &Path, text: &str) -> Result<String> {
    let value: serde_yaml::Value = serde_yaml::from_str(text).map_err(|error| {
        let problem = Problem::of_file(file, format!("the YAML breaks off here: {error}"));
        match error.location() {
            Some(location) => problem.at(text, location.index()),
            None => problem,
        }
    })?;
    let value = from_yaml(&value).ok_or_else(|| {
        Problem::of_file(
            file,
            "a key of a mapping is itself a list or a mapping, which Luau cannot write down",
        )
        .help("Use strings, numbers or booleans as keys.")
    })?;
    Ok(module(&value))
}

/// A value as Luau can write it.
enum Luau {
    Nil,
    Bool(bool),
    Number(f64),
    String(String),
    Array(Vec<Luau>),
    Table(Vec<(Luau, Luau)>),
}

fn from_json(value: &Json) -> Luau {
    match &value.kind {
        Kind::Null => Luau::Nil,
        Kind::Bool(value) => Luau::Bool(*value),
        Kind::Number(value) => Luau::Number(*value),
        Kind::String(text) => Luau::String(text.clone()),
        Kind::Array(items) => Luau::Array(items.iter().map(from_json).collect()),
        // In order of the keys; of several values for one key the last counts.
        Kind::Object(members) => {
            let members: BTreeMap<&str, &Json> =
                members.iter().map(|member| (member.name.as_str(), &member.value)).collect();
            let pair = |(name, value): (&str, &Json)| (Luau::String(name.to_owned()), from_json(value));
            Luau::Table(members.into_iter().map(pair).collect())
        }
    }
}

fn from_toml(value: &toml::Value) -> Luau {
    match value {
        toml::Value::String(text) => Luau::String(text.clone()),
        toml::Value::Integer(value) => Luau::Number(*value as f64),
        toml::Value::Float(value) => Luau::Number(*value),
        toml::Value::Boolean(value) => Luau::Bool(*value),
        toml::Value::Datetime(value) => Luau::String(value.to_string()),
        toml::Value::Array(items) => Luau::Array(items.iter().map(from_toml).collect()),
        toml::Value::Table(table) => Luau::Table(
            table.iter().map(|(key, value)| (Luau::String(key.clone()), from_toml(value))).collect(),
        ),
    }
}

/// `None` if a key cannot be one in Luau.
fn from_yaml(value: &serde_yaml::Value) -> Option<Luau> {
    use serde_yaml::Value;
    Some(match value {
        Value::Null => Luau::Nil,
        Value::Bool(value) => Luau::Bool(*value),
        Value::Number(value) => Luau::Number(value.as_f64().unwrap_or(f64::NAN)),
        Value::String(text) => Luau::String(text.clone()),
        Value::Sequence(items) => Luau::Array(items.iter().map(from_yaml).collect::<Option<_>>()?),
        Value::Mapping(mapping) => {
            let mut pairs = Vec::with_capacity(mapping.len());
            for (key, value) in mapping {
                let key = match from_yaml(key)? {
                    Luau::Nil => Luau::String("null".to_owned()),
                    Luau::Array(_) | Luau::Table(_) => return None,
                    key => key,
                };
                pairs.push((key, from_yaml(value)?));
            }
            Luau::Table(pairs)
        }
        // A tag says how to read a value in some other language.
        Value::Tagged(tagged) => from_yaml(&tagged.value)?,
    })
}

fn module(value: &Luau) -> String {
    let mut out = String::from("return ");
    write(&mut out, value, 0);
    out
}

fn write(out: &mut String, value: &Luau, depth: usize) {
    match value {
        Luau::Nil => out.push_str("nil"),
        Luau::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Luau::Number(value) => write_number(out, *value),
        Luau::String(text) => write_string(out, text),
        Luau::Array(items) => {
            out.push('{');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push_str(", ");
                }
                write(out, item, depth);
            }
            out.push('}');
        }
        Luau::Table(pairs) => {
            out.push_str("{\n");
            for (key, value) in pairs {
                indent(out, depth + 1);
                write_key(out, key, depth + 1);
                out.push_str(" = ");
                write(out, value, depth + 1);
                out.push_str(",\n");
            }
            indent(out, depth);
            out.push('}');
        }
    }
}

fn indent(out: &mut String, depth: usize) {
    out.extend(std::iter::repeat_n('\t', depth));
}

fn write_key(out: &mut String, key: &Luau, depth: usize) {
    match key {
        Luau::String(name) if is_name(name) => out.push_str(name),
        _ => {
            out.push('[');
            write(out, key, depth);
            out.push(']');
        }
    }
}

fn write_number(out: &mut String, value: f64) {
    if value.is_nan() {
        out.push_str("0/0");
    } else if value.is_infinite() {
        out.push_str(if value > 0.0 { "math.huge" } else { "-math.huge" });
    } else {
        let _ = write!(out, "{value}");
    }
}

fn write_string(out: &mut String, text: &str) {
    out.push('"');
    for part in text.chars() {
        match part {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control if control.is_ascii_control() => out.push_str(&format!("\\{:03}", control as u32)),
            other => out.push(other),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::super::json::Document;
    use super::*;

    #[test]
    fn json_becomes_a_module() {
        let text = r#"{"a": [1, null, {}], "end": "x\"\n", "1b": -0.5, "inf": Infinity}"#;
        let document = Document::parse(Path::new("a.json"), text.to_owned()).unwrap();
        assert_eq!(
            json_module(&document.root),
            "return {\n\t[\"1b\"] = -0.5,\n\ta = {1, nil, {\n\t}},\n\t[\"end\"] = \"x\\\"\\n\",\n\tinf = math.huge,\n}"
        );
    }

    #[test]
    fn toml_dates_become_strings() {
        let source = toml_module(Path::new("a.toml"), "day = 2026-11-29\n[t]\nn = 1_000\n").unwrap();
        assert_eq!(source, "return {\n\tday = \"2026-11-29\",\n\tt = {\n\t\tn = 1000,\n\t},\n}");
        let error = toml_module(Path::new("a.toml"), "a = 1\nb = ]\n").unwrap_err();
        assert_eq!(error.place.map(|(line, _)| line), Some(2));
    }

    #[test]
    fn yaml_keys_may_be_numbers() {
        let source = yaml_module(Path::new("a.yaml"), "1: one\nlist: [true, ~]\n").unwrap();
        assert_eq!(source, "return {\n\t[1] = \"one\",\n\tlist = {true, nil},\n}");
        assert!(yaml_module(Path::new("a.yaml"), "[1, 2]: x\n").is_err());
        let error = yaml_module(Path::new("a.yaml"), "a: 1\nb: [\n").unwrap_err();
        assert!(error.place.is_some());
    }
}
