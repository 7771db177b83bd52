//! Traces that can be shown around: what strings hold is replaced by their length and a digest, so that equal ones can
//! still be told. Source: emulator requirements, 8.9.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use blinkblox_compiler::diagnostics::counted;
use serde_json::{Map, Value as Json, json};

/// A line of a trace without the contents of strings: arguments, fields, buffers, output and error texts.
///
/// Names stay: of sides, remotes, events, scripts and instances. Errors: a line that is no JSON.
pub fn redact(line: &str) -> Result<String, String> {
    let mut record: Map<String, Json> = serde_json::from_str(line).map_err(|error| error.to_string())?;
    if let Some(Json::Array(args)) = record.get_mut("args") {
        args.iter_mut().for_each(value);
    }
    if let Some(Json::Array(fields)) = record.get_mut("fields") {
        for field in fields.iter_mut().filter_map(Json::as_object_mut) {
            if let Some(held) = field.get_mut("value") {
                let is_text = matches!(held, Json::String(_)) && field_is_value(field);
                if let Some(held) = field.get_mut("value") {
                    value(held);
                }
                if is_text {
                    field.remove("hex");
                }
            }
        }
    }
    if record.get("k").and_then(Json::as_str).is_some_and(|kind| matches!(kind, "log" | "diag" | "mark")) {
        mask(&mut record, "text");
    }
    mask(&mut record, "error");
    Ok(Json::Object(record).to_string())
}

/// Whether a field holds a value of its own, not the name of a variant.
fn field_is_value(field: &Map<String, Json>) -> bool {
    !field.contains_key("is")
}

fn mask(record: &mut Map<String, Json>, name: &str) {
    if let Some(Json::String(text)) = record.get(name) {
        let masked = format!("{}, {}", counted(text.len(), "byte"), digest(text.as_bytes()));
        record.insert(name.to_owned(), masked.into());
    }
}

fn value(held: &mut Json) {
    match held {
        Json::String(text) => {
            *held = json!({ "$": "string", "length": text.len(), "hash": digest(text.as_bytes()) });
        }
        Json::Array(items) => items.iter_mut().for_each(value),
        Json::Object(members) => match super::tag(members) {
            Some("string" | "buffer") => {
                let bytes =
                    members.get("b64").and_then(Json::as_str).and_then(|text| BASE64.decode(text).ok());
                if let Some(bytes) = bytes {
                    let kind = members.get("$").cloned().unwrap_or_default();
                    *held = json!({ "$": kind, "length": bytes.len(), "hash": digest(&bytes) });
                }
            }
            Some("table") => {
                for name in ["array", "pairs"] {
                    if let Some(list) = members.get_mut(name) {
                        value(list);
                    }
                }
            }
            Some(_) => {}
            None => members.values_mut().for_each(value),
        },
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

/// Sixteen hexadecimal digits.
fn digest(bytes: &[u8]) -> String {
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::redact;

    #[test]
    fn contents_go_and_names_stay() {
        let line = r#"{"k":"send","remote":"R","args":["secret",{"$":"buffer","b64":"c2VjcmV0"},[1,{"a":"secret"}]]}"#;
        let text = redact(line).unwrap();
        assert!(!text.contains("\"secret\"") && !text.contains("c2VjcmV0"), "{text}");
        assert!(text.contains(r#""remote":"R""#) && text.contains(r#""length":6"#), "{text}");
        let log = redact(r#"{"k":"log","text":"secret","script":"S"}"#).unwrap();
        assert!(!log.contains("secret") && log.contains("6 bytes"), "{log}");
        let event = r#"{"k":"event","event":"Say","fields":[{"path":"Text","at":[2,8],"hex":"736563726574","value":"secret"}]}"#;
        let event = redact(event).unwrap();
        assert!(!event.contains("secret") && !event.contains("736563"), "{event}");
    }
}
