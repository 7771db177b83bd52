//! `HttpService`: JSON and identifiers; requests are answered by the embedding program, or not at all. Engine page: classes/HttpService, checked August 2026.

use std::rc::Rc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::json::{self, Json};
use crate::datamodel::instance::{text, this};
use crate::datamodel::members::{Member, method};
use crate::datamodel::messages;
use crate::shared::{HttpRequest, HttpResponse};
use crate::value::{Table, Value};
use crate::vm::{Cx, Outcome, Raise, Returns};

/// Members of the class.
pub const MEMBERS: &[Member] = &[
    method("HttpService", "GenerateGUID(wrapInCurlyBraces: boolean?) -> string", generate_guid),
    method("HttpService", "GetAsync(url: string, nocache: boolean?, headers: table?) -> string", get).yields(),
    method("HttpService", "JSONDecode(input: string) -> any", json_decode),
    method("HttpService", "JSONEncode(input: any) -> string", json_encode),
    method("HttpService", "PostAsync(url: string, data: string, content_type: EnumItem?, compress: boolean?, headers: table?) -> string", no_network).yields(),
    method("HttpService", "RequestAsync(requestOptions: table) -> table", request).yields(),
    method("HttpService", "UrlEncode(input: string) -> string", url_encode),
];

fn no_network(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    Err(messages::HTTP_DISABLED.into())
}

/// The answer to a request of a script, of whoever runs the world.
fn answer(cx: &Cx<'_>, request: &HttpRequest) -> Result<HttpResponse, Raise> {
    let peer = cx.peer();
    let answers = peer.shared.http.get().ok_or(messages::HTTP_DISABLED)?;
    Ok(answers.answer(request)?)
}

fn get(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    let (url, method) = (text(cx, 1)?, "GET".to_owned());
    let response = answer(cx, &HttpRequest { url, method, headers: Vec::new(), body: Vec::new() })?;
    if !(200..300).contains(&response.status) {
        return Err(format!("HTTP {} ({})", response.status, response.reason).into());
    }
    cx.push(&Value::string(response.body));
    Ok(Returns::ONE)
}

fn request(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    let asked = match cx.value(1)? {
        Value::Table(table) => asked(&table)?,
        other => return Err(format!("RequestAsync takes a table, not a {}", other.type_name()).into()),
    };
    let response = answer(cx, &asked)?;
    let headers = response.headers.into_iter().map(|(name, value)| (name, Value::from(value)));
    cx.push(&Value::record([
        ("Success", Value::Boolean((200..300).contains(&response.status))),
        ("StatusCode", Value::Number(f64::from(response.status))),
        ("StatusMessage", Value::from(response.reason)),
        ("Headers", Value::record(headers)),
        ("Body", Value::string(response.body)),
    ]));
    Ok(Returns::ONE)
}

/// A request out of the table that describes it.
fn asked(table: &Table) -> Result<HttpRequest, String> {
    let field = |name: &str| {
        let found = table.pairs.iter().find(|(key, _)| key.as_bytes() == Some(name.as_bytes()));
        found.map(|(_, value)| value)
    };
    let words = |value: &Value| value.as_bytes().map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    let url = field("Url").and_then(words).ok_or("Url of RequestAsync is a string")?;
    let method = match field("Method") {
        None => "GET".to_owned(),
        Some(value) => words(value).ok_or("Method of RequestAsync is a string")?,
    };
    let headers = match field("Headers") {
        None => Vec::new(),
        Some(Value::Table(headers)) => {
            let header = |(name, value): &(Value, Value)| Some((words(name)?, value.to_string()));
            let headers: Option<Vec<_>> = headers.pairs.iter().map(header).collect();
            headers.ok_or("Headers of RequestAsync have names")?
        }
        Some(_) => return Err("Headers of RequestAsync are a table".to_owned()),
    };
    let body = match field("Body") {
        None => Vec::new(),
        Some(value) => value.as_bytes().ok_or("Body of RequestAsync is a string")?.to_vec(),
    };
    if method == "GET" && !body.is_empty() {
        return Err("Http requests with method GET cannot have a body".to_owned());
    }
    Ok(HttpRequest { url, method, headers, body })
}

fn generate_guid(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    let wrap = cx.is_nil(1) || cx.truthy(1);
    let peer = cx.peer();
    let bits = {
        let mut extras = peer.data_model().extras();
        let random =
            extras.guids.get_or_insert_with(|| peer.shared.seed.random(&format!("GUIDs of {}", peer.side)));
        [random.bits(), random.bits()]
    };
    let guid = guid_text(bits);
    cx.push_string(if wrap { format!("{{{guid}}}") } else { guid });
    Ok(Returns::ONE)
}

/// A version 4 UUID out of 128 drawn bits, in upper case as the engine writes it.
pub fn guid_text([high, low]: [u64; 2]) -> String {
    let high = high & !0xf000 | 0x4000;
    let low = low & !(3 << 62) | 2 << 62;
    format!(
        "{:08X}-{:04X}-{:04X}-{:04X}-{:012X}",
        high >> 32,
        high >> 16 & 0xffff,
        high & 0xffff,
        low >> 48,
        low & 0xffff_ffff_ffff
    )
}

fn json_encode(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    cx.push_string(json::print(&to_json(&cx.value(1)?)));
    Ok(Returns::ONE)
}

/// A table with an array part is that array alone; what JSON has no form for is null.
pub(super) fn to_json(value: &Value) -> Json {
    match value {
        Value::Boolean(value) => Json::Bool(*value),
        Value::Number(number) => Json::Number(*number),
        Value::String(bytes) => Json::Text(bytes.to_vec()),
        Value::Buffer(bytes) => Json::Object(vec![
            (b"m".to_vec(), Json::Null),
            (b"t".to_vec(), Json::Text(b"buffer".to_vec())),
            (b"base64".to_vec(), Json::Text(STANDARD.encode(bytes).into_bytes())),
        ]),
        Value::Table(table) if !table.array.is_empty() || table.pairs.is_empty() => {
            Json::Array(table.array.iter().map(to_json).collect())
        }
        Value::Table(table) => Json::Object(
            table
                .pairs
                .iter()
                .filter_map(|(key, value)| match key {
                    Value::String(key) => Some((key.to_vec(), to_json(value))),
                    Value::Number(key) => Some((json::number_text(*key).into_bytes(), to_json(value))),
                    _ => None,
                })
                .collect(),
        ),
        Value::Nil
        | Value::Vector(_)
        | Value::Instance(_)
        | Value::EnumItem(_)
        | Value::Enum(_)
        | Value::Enums
        | Value::Datatype(_)
        | Value::Signal(_)
        | Value::Connection(_)
        | Value::Function(_)
        | Value::Thread(_)
        | Value::Reference(_) => Json::Null,
    }
}

fn json_decode(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    if cx.is_nil(1) {
        return Err(messages::missing_argument(1).into());
    }
    let text = cx.string(1)?;
    cx.check_memory(json::most_memory(text))?;
    let parsed = json::parse(text).ok_or_else(|| Raise::from(messages::BAD_JSON))?;
    cx.push(&from_json(parsed));
    Ok(Returns::ONE)
}

/// A JSON value as a new value of Luau.
pub(super) fn from_json(value: Json) -> Value {
    match value {
        Json::Null => Value::Nil,
        Json::Bool(value) => Value::Boolean(value),
        Json::Number(number) => Value::Number(number),
        Json::Text(text) => Value::string(text),
        Json::Array(items) => Value::array(items.into_iter().map(from_json)),
        Json::Object(fields) => {
            if let Some(bytes) = buffer_of(&fields) {
                return Value::Buffer(bytes.into());
            }
            let pairs =
                fields.into_iter().map(|(key, value)| (Value::string(key), from_json(value))).collect();
            Value::Table(Rc::new(Table { array: Vec::new(), pairs }))
        }
    }
}

/// The bytes of an object that stands for a buffer.
fn buffer_of(fields: &[(Vec<u8>, Json)]) -> Option<Vec<u8>> {
    let field = |name: &str| fields.iter().find(|(key, _)| key == name.as_bytes()).map(|(_, value)| value);
    match (field("t")?, field("base64")?) {
        (Json::Text(kind), Json::Text(text)) if kind == b"buffer" => STANDARD.decode(text).ok(),
        _ => None,
    }
}

fn url_encode(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    let mut encoded = String::new();
    for byte in text(cx, 1)?.bytes() {
        if byte.is_ascii_alphanumeric() {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    cx.push_string(encoded);
    Ok(Returns::ONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guids_are_of_version_four() {
        let guid = guid_text([u64::MAX, u64::MAX]);
        assert_eq!(guid, "FFFFFFFF-FFFF-4FFF-BFFF-FFFFFFFFFFFF");
        assert_eq!(guid_text([0, 0]), "00000000-0000-4000-8000-000000000000");
    }

    #[test]
    fn buffers_survive_json() {
        let buffer = Value::Buffer(b"\0\xff!".as_slice().into());
        assert_eq!(from_json(to_json(&buffer)), buffer);
    }
}
