//! JSON as `HttpService` reads and writes it, apart from any VM.
//!
//! The engine writes NaN and infinities although JSON has no such numbers, and reads only real JSON.
//! Source: class HttpService, August 2026.

/// A JSON value. Texts are bytes, for Luau strings need not be UTF-8.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, NaN and infinities included.
    Number(f64),
    /// A text.
    Text(Vec<u8>),
    /// Values in order.
    Array(Vec<Json>),
    /// Keys and values in order.
    Object(Vec<(Vec<u8>, Json)>),
}

/// Reads one JSON document; `None` for anything else, too deep nesting (128) included.
pub fn parse(text: &[u8]) -> Option<Json> {
    let text = std::str::from_utf8(text).ok()?;
    serde_json::from_str::<serde_json::Value>(text).ok().map(from_serde)
}

/// More bytes than a document needs while it is read, whatever is in it.
pub fn most_memory(text: &[u8]) -> usize {
    /// Of an entry of an object: its key, its value and its place, in two forms at once.
    const ENTRY: usize = 200;
    let entries = text.iter().filter(|byte| matches!(byte, b'[' | b'{' | b',' | b':')).count();
    2 * text.len() + ENTRY * entries
}

fn from_serde(value: serde_json::Value) -> Json {
    match value {
        serde_json::Value::Null => Json::Null,
        serde_json::Value::Bool(value) => Json::Bool(value),
        // The text may exceed what a double holds; it then becomes an infinity.
        serde_json::Value::Number(number) => Json::Number(number.to_string().parse().unwrap_or(f64::NAN)),
        serde_json::Value::String(text) => Json::Text(text.into_bytes()),
        serde_json::Value::Array(items) => Json::Array(items.into_iter().map(from_serde).collect()),
        serde_json::Value::Object(fields) => Json::Object(
            fields.into_iter().map(|(key, value)| (key.into_bytes(), from_serde(value))).collect(),
        ),
    }
}

/// Writes a value without spaces.
pub fn print(value: &Json) -> Vec<u8> {
    let mut out = Vec::new();
    write(&mut out, value);
    out
}

fn write(out: &mut Vec<u8>, value: &Json) {
    match value {
        Json::Null => out.extend_from_slice(b"null"),
        Json::Bool(value) => out.extend_from_slice(if *value { b"true" } else { b"false" }),
        Json::Number(number) => out.extend_from_slice(number_text(*number).as_bytes()),
        Json::Text(text) => write_text(out, text),
        Json::Array(items) => {
            out.push(b'[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write(out, item);
            }
            out.push(b']');
        }
        Json::Object(fields) => {
            out.push(b'{');
            for (index, (key, item)) in fields.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                }
                write_text(out, key);
                out.push(b':');
                write(out, item);
            }
            out.push(b'}');
        }
    }
}

fn write_text(out: &mut Vec<u8>, text: &[u8]) {
    out.push(b'"');
    for byte in text {
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0x08 => out.extend_from_slice(b"\\b"),
            0x0c => out.extend_from_slice(b"\\f"),
            0..0x20 => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
            _ => out.push(*byte),
        }
    }
    out.push(b'"');
}

/// The shortest text that reads back as the same number, as Luau prints numbers.
pub fn number_text(number: f64) -> String {
    if number.is_nan() {
        return "nan".into();
    }
    if number.is_infinite() {
        return if number > 0.0 { "inf".into() } else { "-inf".into() };
    }
    let size = number.abs();
    if size != 0.0 && !(1e-5..1e21).contains(&size) {
        let text = format!("{number:e}");
        return match text.split_once('e') {
            Some((digits, exponent)) if !exponent.starts_with('-') => format!("{digits}e+{exponent}"),
            _ => text,
        };
    }
    format!("{number}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, printed: &str) {
        assert_eq!(String::from_utf8(print(&parse(text.as_bytes()).unwrap())).unwrap(), printed);
    }

    #[test]
    fn documents_come_back_as_they_were() {
        check("null", "null");
        check(" [ 1, 2.5, -0.1, 1e30, true, \"a\\n\\u00e9\" ] ", "[1,2.5,-0.1,1e+30,true,\"a\\né\"]");
        check("{\"b\":{},\"a\":[]}", "{\"b\":{},\"a\":[]}");
    }

    #[test]
    fn numbers_are_short_and_odd_ones_are_written() {
        assert_eq!(number_text(100.0), "100");
        assert_eq!(number_text(0.1), "0.1");
        assert_eq!(number_text(9_007_199_254_740_992.0), "9007199254740992");
        assert_eq!(number_text(1e-7), "1e-7");
        assert_eq!(
            print(&Json::Array(vec![Json::Number(f64::NAN), Json::Number(f64::NEG_INFINITY)])),
            b"[nan,-inf]"
        );
    }

    #[test]
    fn anything_else_is_refused() {
        for text in ["", "nan", "{1:2}", "[1,]", "\"open"] {
            assert_eq!(parse(text.as_bytes()), None, "{text}");
        }
        assert_eq!(parse("[".repeat(4000).as_bytes()), None);
    }
}
