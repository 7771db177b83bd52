//! Values as lossless JSON: what a packet carried can be read back from its trace.
//!
//! Strings that are not UTF-8, special numbers, nil and every engine type are objects with a `"$"` member.
//! Source: emulator requirements, 8.4.

use std::rc::Rc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use blinkblox_compiler::wire::codec;
use serde_json::{Map, Value as Json, json};

use super::Packet;
use crate::datamodel::classes::enum_by_name;
use crate::datatypes::Datatype;
use crate::value::{InstanceId, Value};

/// Full name and class of an instance; empty when unknown.
pub type InstanceName<'a> = &'a dyn Fn(InstanceId) -> (Rc<str>, &'static str);

/// A Luau value as JSON. `path` names instances.
pub fn of_value(value: &Value, path: InstanceName<'_>) -> Json {
    match value {
        Value::Nil => json!({ "$": "nil" }),
        Value::Boolean(value) => Json::Bool(*value),
        Value::Number(number) => of_number(*number),
        Value::Vector(parts) => typed("Vector3", parts),
        Value::String(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Json::String(text.to_owned()),
            Err(_) => json!({ "$": "string", "b64": BASE64.encode(bytes) }),
        },
        Value::Buffer(bytes) => json!({ "$": "buffer", "b64": BASE64.encode(bytes) }),
        Value::Instance(id) => {
            let (path, class) = path(*id);
            json!({ "$": "Instance", "path": path.as_ref(), "class": class, "id": id.0 })
        }
        Value::EnumItem(_) => json!({ "$": "EnumItem", "v": value.to_string() }),
        Value::Datatype(datatype) => of_datatype(datatype),
        Value::Table(table) if table.pairs.is_empty() => {
            Json::Array(table.array.iter().map(|value| of_value(value, path)).collect())
        }
        Value::Table(table) => {
            let text_keys = table.array.is_empty()
                && table.pairs.iter().all(|(key, _)| key.as_bytes().is_some_and(is_plain_key));
            if text_keys {
                let member = |(key, value): &(Value, Value)| (key.to_string(), of_value(value, path));
                return Json::Object(table.pairs.iter().map(member).collect());
            }
            let array: Vec<Json> = table.array.iter().map(|value| of_value(value, path)).collect();
            let entry = |(key, value): &(Value, Value)| json!([of_value(key, path), of_value(value, path)]);
            let pairs: Vec<Json> = table.pairs.iter().map(entry).collect();
            json!({ "$": "table", "array": array, "pairs": pairs })
        }
        other => json!({ "$": other.type_name() }),
    }
}

/// A member name that cannot be taken for one of ours.
fn is_plain_key(key: &[u8]) -> bool {
    key != b"$" && std::str::from_utf8(key).is_ok()
}

/// A number; those JSON has no way to write become objects.
pub fn of_number(number: f64) -> Json {
    if number.is_nan() {
        return json!({ "$": "nan" });
    }
    if number.is_infinite() {
        return json!({ "$": if number > 0.0 { "inf" } else { "-inf" } });
    }
    // Whole numbers without a point, as Luau prints them; -0 keeps its sign.
    if number.fract() == 0.0 && number.abs() < 1e15 && !(number == 0.0 && number.is_sign_negative()) {
        return Json::from(number as i64);
    }
    Json::from(number)
}

fn typed(name: &str, parts: &[f32]) -> Json {
    let parts: Vec<Json> = parts.iter().map(|part| of_number(f64::from(*part))).collect();
    json!({ "$": name, "v": parts })
}

fn of_datatype(datatype: &Datatype) -> Json {
    let name = datatype.type_name();
    let list = |parts: &[f32]| typed(name, parts);
    match datatype {
        Datatype::CFrame(frame) => list(&frame.components()),
        Datatype::Color3(color) => list(&[color.r, color.g, color.b]),
        Datatype::Vector2(vector) => list(&[vector.x, vector.y]),
        Datatype::UDim(size) => list(&[size.scale, size.offset as f32]),
        Datatype::UDim2(size) => {
            list(&[size.x.scale, size.x.offset as f32, size.y.scale, size.y.offset as f32])
        }
        Datatype::NumberRange(range) => list(&[range.min, range.max]),
        Datatype::BrickColor(color) => json!({ "$": name, "v": color.number() }),
        Datatype::ColorSequence(sequence) => {
            let points = sequence.as_slice().iter();
            list(&points.flat_map(|at| [at.time, at.color.r, at.color.g, at.color.b]).collect::<Vec<_>>())
        }
        Datatype::ColorSequenceKeypoint(at) => list(&[at.time, at.color.r, at.color.g, at.color.b]),
        Datatype::NumberSequence(sequence) => {
            let points = sequence.as_slice().iter();
            list(&points.flat_map(|at| [at.time, at.value, at.envelope]).collect::<Vec<_>>())
        }
        Datatype::NumberSequenceKeypoint(at) => list(&[at.time, at.value, at.envelope]),
        Datatype::DateTime(time) => json!({ "$": name, "v": time.millis }),
        Datatype::Rect(rect) => list(&[rect.min.x, rect.min.y, rect.max.x, rect.max.y]),
        Datatype::Ray(ray) => list(&[ray.origin.to_array(), ray.direction.to_array()].concat()),
        Datatype::Region3(region) => list(&[region.min.to_array(), region.max.to_array()].concat()),
        Datatype::Vector2int16(vector) => list(&[vector.x.into(), vector.y.into()]),
        Datatype::Vector3int16(vector) => list(&[vector.x.into(), vector.y.into(), vector.z.into()]),
        Datatype::Region3int16(region) => {
            let corner =
                |at: &crate::datatypes::Vector3int16| [f32::from(at.x), f32::from(at.y), f32::from(at.z)];
            list(&[corner(&region.min), corner(&region.max)].concat())
        }
        Datatype::PhysicalProperties(of) => list(&[
            of.density,
            of.friction,
            of.elasticity,
            of.friction_weight,
            of.elasticity_weight,
            of.acoustic_absorption,
        ]),
        Datatype::Axes(axes) => json!({ "$": name, "v": axes.parts }),
        Datatype::Faces(faces) => json!({ "$": name, "v": faces.parts }),
        Datatype::Font(font) => {
            json!({ "$": name, "family": font.family.as_str(), "weight": font.weight, "style": font.style })
        }
        Datatype::Content(content) => json!({ "$": name, "uri": content.uri() }),
        Datatype::PathWaypoint(point) => {
            let Json::Object(mut fields) = list(&point.position.to_array()) else { return Json::Null };
            fields.insert("action".into(), point.action.into());
            fields.insert("label".into(), point.label.as_str().into());
            Json::Object(fields)
        }
        Datatype::TweenInfo(tween) => json!({
            "$": name,
            "v": [
                of_number(tween.time.into()),
                tween.easing_style,
                tween.easing_direction,
                tween.repeat_count,
                tween.reverses,
                of_number(tween.delay_time.into()),
            ],
        }),
        Datatype::Random(_)
        | Datatype::RaycastParams(_)
        | Datatype::OverlapParams(_)
        | Datatype::SharedTable(_) => json!({ "$": name }),
    }
}

/// A field of a decoded packet as JSON, in the forms of [`of_value`].
pub fn of_codec(value: &codec::Value, packet: &Packet) -> Json {
    let list = |values: &[codec::Value]| -> Json {
        values.iter().map(|value| of_codec(value, packet)).collect::<Vec<_>>().into()
    };
    match value {
        codec::Value::Nil => json!({ "$": "nil" }),
        codec::Value::Boolean(value) => Json::Bool(*value),
        codec::Value::Number(number) => of_number(*number),
        codec::Value::String(bytes) => of_value(&Value::string(bytes), &|_| (Rc::from(""), "")),
        codec::Value::Buffer(bytes) => json!({ "$": "buffer", "b64": BASE64.encode(bytes) }),
        codec::Value::Vector(parts) => typed("Vector3", parts),
        codec::Value::CFrame(parts) => typed("CFrame", parts),
        codec::Value::Color3(parts) => typed("Color3", parts),
        codec::Value::BrickColor(number) => json!({ "$": "BrickColor", "v": number }),
        codec::Value::DateTime(millis) => json!({ "$": "DateTime", "v": of_number(*millis) }),
        codec::Value::Vector2(parts) => typed("Vector2", parts),
        codec::Value::UDim(udim) => typed("UDim", &[udim.scale, udim.offset as f32]),
        codec::Value::UDim2(x, y) => typed("UDim2", &[x.scale, x.offset as f32, y.scale, y.offset as f32]),
        codec::Value::NumberRange(min, max) => typed("NumberRange", &[*min, *max]),
        codec::Value::TweenInfo(tween) => json!({
            "$": "TweenInfo",
            "v": [
                of_number(tween.time.into()),
                tween.style,
                tween.direction,
                tween.repeats,
                tween.reverses,
                of_number(tween.delay.into()),
            ],
        }),
        codec::Value::ColorSequence(points) => {
            let parts: Vec<f32> = points
                .iter()
                .flat_map(|point| [point.time, point.color[0], point.color[1], point.color[2]])
                .collect();
            typed("ColorSequence", &parts)
        }
        codec::Value::EnumItem { enum_name, value } => {
            let item = enum_by_name(enum_name).and_then(|known| known.item_by_value(*value as u32));
            let name = item.map_or_else(|| of_number(*value).to_string(), |item| item.name().to_owned());
            json!({ "$": "EnumItem", "v": format!("Enum.{enum_name}.{name}") })
        }
        codec::Value::Instance { id, class } => {
            let known = packet.instance(InstanceId(u32::try_from(*id).unwrap_or(u32::MAX)));
            let path = known.map_or("", |known| &known.path);
            json!({ "$": "Instance", "path": path, "class": class, "id": id })
        }
        codec::Value::Array(values) => list(values),
        codec::Value::Map(entries) => {
            let pairs: Vec<Json> = entries
                .iter()
                .map(|(key, value)| json!([of_codec(key, packet), of_codec(value, packet)]))
                .collect();
            json!({ "$": "table", "array": [], "pairs": pairs })
        }
        codec::Value::Struct(fields) => {
            Json::Object(fields.iter().map(|(name, value)| (name.clone(), of_codec(value, packet))).collect())
        }
    }
}

/// Makes an object of members in the order given.
pub fn object<const N: usize>(members: [(&str, Json); N]) -> Map<String, Json> {
    members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
