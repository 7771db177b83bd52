//! Values of a trace as people read them: close to Luau, short enough for a line.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Map, Value as Json};

use super::tag;
use blinkblox_compiler::diagnostics::counted;

/// Nanoseconds as seconds with three decimals, as people read them.
pub fn seconds(nanos: i64) -> String {
    format!("{:.3}", nanos as f64 / 1e9)
}

/// A value of a trace as text, cut after about `limit` characters.
pub fn show(value: &Json, limit: usize) -> String {
    let mut out = String::new();
    write(value, limit, &mut out);
    if out.chars().count() > limit {
        out = out.chars().take(limit).chain("…".chars()).collect();
    }
    out
}

fn write(value: &Json, limit: usize, out: &mut String) {
    // What is cut off anyway need not be written.
    if out.len() > limit * 4 {
        return;
    }
    match value {
        Json::Null => out.push_str("nil"),
        Json::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Json::Number(number) => out.push_str(number.as_str()),
        Json::String(text) => quote(text, out),
        Json::Array(items) => {
            out.push('{');
            join(items, limit, out);
            out.push('}');
        }
        Json::Object(members) => match tag(members) {
            Some(name) => tagged(name, members, limit, out),
            None => {
                out.push('{');
                for (position, (name, value)) in members.iter().enumerate() {
                    out.push_str(if position == 0 { "" } else { ", " });
                    out.push_str(name);
                    out.push_str(" = ");
                    write(value, limit, out);
                }
                out.push('}');
            }
        },
    }
}

fn join(items: &[Json], limit: usize, out: &mut String) {
    for (position, item) in items.iter().enumerate() {
        out.push_str(if position == 0 { "" } else { ", " });
        write(item, limit, out);
    }
}

fn quote(text: &str, out: &mut String) {
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // Nothing a terminal would obey.
            letter if letter.is_control() => out.push_str(&format!("\\u{{{:x}}}", u32::from(letter))),
            letter => out.push(letter),
        }
    }
    out.push('"');
}

fn tagged(name: &str, members: &Map<String, Json>, limit: usize, out: &mut String) {
    let bytes = || {
        let text = members.get("b64").and_then(Json::as_str)?;
        BASE64.decode(text).ok()
    };
    match name {
        "nil" | "nan" | "inf" | "-inf" => out.push_str(name),
        "string" => match (bytes(), members.get("length")) {
            (Some(bytes), _) => out.push_str(&format!("\"{}\"", bytes.escape_ascii())),
            (None, Some(length)) => out.push_str(&format!("string({}, redacted)", counted(length, "byte"))),
            (None, None) => out.push_str("string"),
        },
        "buffer" => match (bytes(), members.get("length")) {
            (Some(bytes), _) => out.push_str(&format!("buffer({})", counted(bytes.len(), "byte"))),
            (None, Some(length)) => out.push_str(&format!("buffer({}, redacted)", counted(length, "byte"))),
            (None, None) => out.push_str("buffer"),
        },
        "Instance" => {
            let text = |name: &str| members.get(name).and_then(Json::as_str).unwrap_or_default();
            match (text("path"), text("class")) {
                ("", "") => out.push_str("Instance"),
                ("", class) => out.push_str(class),
                (path, "") => out.push_str(path),
                (path, class) => out.push_str(&format!("{path} ({class})")),
            }
        }
        "EnumItem" => out.push_str(members.get("v").and_then(Json::as_str).unwrap_or("EnumItem")),
        "table" => {
            let list = |name: &str| members.get(name).and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
            out.push('{');
            join(list("array"), limit, out);
            for (position, pair) in list("pairs").iter().enumerate() {
                out.push_str(if position == 0 && list("array").is_empty() { "" } else { ", " });
                if let Json::Array(pair) = pair
                    && let [key, value] = pair.as_slice()
                {
                    out.push('[');
                    write(key, limit, out);
                    out.push_str("] = ");
                    write(value, limit, out);
                }
            }
            out.push('}');
        }
        _ => {
            out.push_str(name);
            match members.get("v") {
                Some(Json::Array(parts)) => {
                    let parts: Vec<Json> = parts.iter().map(narrow).collect();
                    out.push('(');
                    join(&parts, limit, out);
                    out.push(')');
                }
                Some(value) => {
                    out.push('(');
                    write(value, limit, out);
                    out.push(')');
                }
                None => {}
            }
        }
    }
}

/// A component of an engine type with the digits of a single, which is what the engine keeps.
fn narrow(value: &Json) -> Json {
    let single = value.as_f64().map(|number| (number, number as f32));
    let text = single
        .filter(|(number, single)| f64::from(*single) == *number)
        .map(|(_, single)| format!("{single}"));
    text.and_then(|text| text.parse().ok()).map_or_else(|| value.clone(), Json::Number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_read_like_luau() {
        let shown = |text: &str| show(&serde_json::from_str(text).unwrap(), 60);
        assert_eq!(shown(r#"[1,0.5,true,{"$":"nil"}]"#), "{1, 0.5, true, nil}");
        assert_eq!(shown(r#"{"a":"x\"\n","b":{"$":"-inf"}}"#), r#"{a = "x\"\n", b = -inf}"#);
        assert_eq!(shown(r#"{"$":"Vector3","v":[1,0.5,-2]}"#), "Vector3(1, 0.5, -2)");
        assert_eq!(shown(r#"{"$":"Vector3","v":[-7.566619873046875,0,1]}"#), "Vector3(-7.56662, 0, 1)");
        assert_eq!(shown(r#"{"$":"buffer","b64":"AQI="}"#), "buffer(2 bytes)");
        assert_eq!(
            shown(r#"{"$":"Instance","path":"Workspace.Door","class":"Part","id":7}"#),
            "Workspace.Door (Part)"
        );
        assert_eq!(shown(r#"{"$":"table","array":[1],"pairs":[[3,"c"]]}"#), r#"{1, [3] = "c"}"#);
        assert_eq!(shown("\"\\u001b[2J\""), r#""\u{1b}[2J""#);
    }

    #[test]
    fn long_values_are_cut() {
        let long = Json::Array(vec![Json::from(12345); 50]);
        assert_eq!(show(&long, 12), "{12345, 1234…");
    }
}
