//! Values of a trace made into what they were: the way back of [`crate::trace::of_value`].

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Map, Value as Json};

use super::tag;
use crate::datamodel::classes::enum_item;
use crate::datatypes::{
    Axes, BrickColor, CFrame, Color3, ColorSequence, ColorSequenceKeypoint, Content, Data, Datatype,
    DateTime, Faces, Font, NumberRange, NumberSequence, NumberSequenceKeypoint, PathWaypoint,
    PhysicalProperties, Ray, Rect, Region3, Region3int16, TweenInfo, UDim, UDim2, Vector2, Vector2int16,
    Vector3, Vector3int16,
};
use crate::value::{InstanceId, Table, Value};

/// A value of a trace as a value. Errors: what cannot be made again, for people.
pub fn value(json: &Json) -> Result<Value, String> {
    Ok(match json {
        Json::Null => Value::Nil,
        Json::Bool(value) => Value::Boolean(*value),
        Json::Number(_) => Value::Number(number(json)?),
        Json::String(text) => Value::string(text),
        Json::Array(items) => array(items)?,
        Json::Object(members) => match tag(members) {
            Some(name) => tagged(name, members)?,
            None => {
                let pair = |(key, held): (&String, &Json)| Ok((Value::string(key), value(held)?));
                let pairs = members.iter().map(pair).collect::<Result<Vec<_>, String>>()?;
                Value::Table(Table { array: Vec::new(), pairs }.into())
            }
        },
    })
}

fn array(items: &[Json]) -> Result<Value, String> {
    Ok(Value::array(items.iter().map(value).collect::<Result<Vec<_>, _>>()?))
}

fn number(json: &Json) -> Result<f64, String> {
    if let Some(number) = json.as_f64() {
        return Ok(number);
    }
    match json.as_object().and_then(tag) {
        Some("nan") => Ok(f64::NAN),
        Some("inf") => Ok(f64::INFINITY),
        Some("-inf") => Ok(f64::NEG_INFINITY),
        _ => Err(format!("{json} is no number")),
    }
}

fn tagged(name: &str, members: &Map<String, Json>) -> Result<Value, String> {
    let bytes = || -> Result<Vec<u8>, String> {
        let text = members.get("b64").and_then(Json::as_str).ok_or("its bytes were redacted or left out")?;
        BASE64.decode(text).map_err(|error| format!("its bytes are no base64: {error}"))
    };
    Ok(match name {
        "nil" => Value::Nil,
        "nan" | "inf" | "-inf" => Value::Number(number(&Json::Object(members.clone()))?),
        "string" => Value::string(bytes().map_err(|error| format!("a string: {error}"))?),
        "buffer" => Value::Buffer(bytes().map_err(|error| format!("a buffer: {error}"))?.into()),
        "Instance" => {
            let id = members.get("id").and_then(Json::as_u64).and_then(|id| u32::try_from(id).ok());
            Value::Instance(InstanceId(id.ok_or("an instance has no id")?))
        }
        "EnumItem" => {
            let text = members.get("v").and_then(Json::as_str).unwrap_or_default();
            let mut parts = text.trim_start_matches("Enum.").splitn(2, '.');
            let item = parts.next().zip(parts.next()).and_then(|(list, item)| enum_item(list, item));
            Value::EnumItem(item.ok_or_else(|| format!("there is no {text}"))?)
        }
        "table" => {
            let list = |name: &str| members.get(name).and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
            let mut pairs = Vec::new();
            for pair in list("pairs") {
                let Some([key, held]) = pair.as_array().map(Vec::as_slice) else {
                    return Err("a table has an entry that is no key and value".into());
                };
                pairs.push((value(key)?, value(held)?));
            }
            let array = list("array").iter().map(value).collect::<Result<Vec<_>, _>>()?;
            Value::Table(Table { array, pairs }.into())
        }
        "Vector3" => match parts(members)?.as_slice() {
            [x, y, z] => Value::Vector([*x, *y, *z]),
            _ => return Err("a Vector3 has no three components".into()),
        },
        _ => Value::Datatype(datatype(name, members)?),
    })
}

/// The components of `v`.
fn parts(members: &Map<String, Json>) -> Result<Vec<f32>, String> {
    let list = members.get("v").and_then(Json::as_array).ok_or("its components are missing")?;
    list.iter().map(|part| number(part).map(|part| part as f32)).collect()
}

fn datatype(name: &str, members: &Map<String, Json>) -> Result<Datatype, String> {
    let wrong = || format!("a {name} of this trace cannot be made again");
    let text = |name: &str| members.get(name).and_then(Json::as_str).unwrap_or_default();
    let whole = |name: &str| members.get(name).and_then(Json::as_u64).and_then(|n| u32::try_from(n).ok());
    let flags = || -> Vec<bool> {
        members.get("v").and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_bool).collect()
    };
    match name {
        "BrickColor" => {
            let number = members.get("v").and_then(Json::as_f64).ok_or_else(wrong)?;
            return Ok(BrickColor::from_number(number).into_datatype());
        }
        "DateTime" => {
            let millis = members.get("v").and_then(Json::as_f64).and_then(DateTime::from_millis);
            return Ok(millis.ok_or_else(wrong)?.into_datatype());
        }
        "Axes" => return Ok(Axes { parts: flags().try_into().map_err(|_| wrong())? }.into_datatype()),
        "Faces" => return Ok(Faces { parts: flags().try_into().map_err(|_| wrong())? }.into_datatype()),
        "Content" => {
            let content = match members.get("uri").and_then(Json::as_str) {
                None => Content::NONE,
                Some(uri) => Content::from_uri(uri).ok_or_else(wrong)?,
            };
            return Ok(content.into_datatype());
        }
        "Font" => {
            let font = whole("weight").zip(whole("style"));
            let font = font.and_then(|(weight, style)| Font::new(text("family"), weight, style));
            return Ok(font.ok_or_else(wrong)?.into_datatype());
        }
        "TweenInfo" => {
            let list = members.get("v").and_then(Json::as_array).map(Vec::as_slice);
            let Some([time, style, direction, repeats, reverses, delay]) = list else { return Err(wrong()) };
            let small = |value: &Json| value.as_u64().and_then(|n| u32::try_from(n).ok()).ok_or_else(wrong);
            let repeats = repeats.as_i64().and_then(|n| i32::try_from(n).ok()).ok_or_else(wrong)?;
            return Ok(TweenInfo {
                time: number(time)? as f32,
                easing_style: small(style)?,
                easing_direction: small(direction)?,
                repeat_count: repeats,
                reverses: reverses.as_bool().ok_or_else(wrong)?,
                delay_time: number(delay)? as f32,
            }
            .into_datatype());
        }
        _ => {}
    }
    let v = parts(members).map_err(|_| wrong())?;
    let vector = |at: usize| Vector3::new(v[at], v[at + 1], v[at + 2]);
    let short = |at: usize| v[at] as i16;
    let shorts = |at: usize| Vector3int16::new(short(at), short(at + 1), short(at + 2));
    Ok(match (name, v.len()) {
        ("CFrame", 12) => {
            let components: [f32; 12] = v.as_slice().try_into().map_err(|_| wrong())?;
            CFrame::from_components(components).into_datatype()
        }
        ("Color3", 3) => Color3::new(v[0], v[1], v[2]).into_datatype(),
        ("Vector2", 2) => Vector2 { x: v[0], y: v[1] }.into_datatype(),
        ("UDim", 2) => UDim::new(v[0], v[1] as i32).into_datatype(),
        ("UDim2", 4) => {
            UDim2::new(UDim::new(v[0], v[1] as i32), UDim::new(v[2], v[3] as i32)).into_datatype()
        }
        ("NumberRange", 2) => NumberRange::new(v[0], v[1]).ok_or_else(wrong)?.into_datatype(),
        ("Rect", 4) => {
            Rect { min: Vector2 { x: v[0], y: v[1] }, max: Vector2 { x: v[2], y: v[3] } }.into_datatype()
        }
        ("Ray", 6) => Ray::new(vector(0), vector(3)).into_datatype(),
        ("Region3", 6) => Region3::new(vector(0), vector(3)).into_datatype(),
        ("Vector2int16", 2) => Vector2int16::new(short(0), short(1)).into_datatype(),
        ("Vector3int16", 3) => shorts(0).into_datatype(),
        ("Region3int16", 6) => Region3int16 { min: shorts(0), max: shorts(3) }.into_datatype(),
        ("PhysicalProperties", 6) => PhysicalProperties {
            density: v[0],
            friction: v[1],
            elasticity: v[2],
            friction_weight: v[3],
            elasticity_weight: v[4],
            acoustic_absorption: v[5],
        }
        .into_datatype(),
        ("ColorSequenceKeypoint", 4) => {
            ColorSequenceKeypoint::new(v[0], Color3::new(v[1], v[2], v[3])).into_datatype()
        }
        ("NumberSequenceKeypoint", 3) => NumberSequenceKeypoint::new(v[0], v[1], v[2]).into_datatype(),
        ("ColorSequence", count) if count % 4 == 0 => {
            let points: Vec<_> = v
                .chunks_exact(4)
                .map(|at| ColorSequenceKeypoint::new(at[0], Color3::new(at[1], at[2], at[3])))
                .collect();
            ColorSequence::new(name, &points)?.into_datatype()
        }
        ("NumberSequence", count) if count % 3 == 0 => {
            let points: Vec<_> =
                v.chunks_exact(3).map(|at| NumberSequenceKeypoint::new(at[0], at[1], at[2])).collect();
            NumberSequence::new(name, &points)?.into_datatype()
        }
        ("PathWaypoint", 3) => {
            let label = crate::datatypes::inline_text::InlineText::new(text("label")).ok_or_else(wrong)?;
            let action = whole("action").ok_or_else(wrong)?;
            PathWaypoint { position: vector(0), action, label }.into_datatype()
        }
        _ => return Err(wrong()),
    })
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::trace::of_value;

    #[test]
    fn values_come_back_as_they_were() {
        let curve = [NumberSequenceKeypoint::new(0.0, 1.0, 0.0), NumberSequenceKeypoint::new(1.0, 0.5, 0.25)];
        let values = [
            Value::Nil,
            Value::Number(-0.0),
            Value::Number(f64::NAN),
            Value::Number(f64::NEG_INFINITY),
            Value::string(b"\xff\0"),
            Value::Buffer([1, 2, 3].as_slice().into()),
            Value::Vector([0.1, -2.0, f32::INFINITY]),
            Value::Instance(InstanceId(7)),
            Value::EnumItem(enum_item("Material", "Grass").unwrap()),
            Value::array([Value::Nil, Value::from(1.0)]),
            Value::record([("$", Value::from(1.0)), ("b", Value::from(true))]),
            Value::Datatype(CFrame::IDENTITY.into_datatype()),
            Value::Datatype(Color3::new(0.1, 0.2, 0.3).into_datatype()),
            Value::Datatype(UDim2::new(UDim::new(0.5, -3), UDim::new(1.0, 4)).into_datatype()),
            Value::Datatype(BrickColor::from_number(21.0).into_datatype()),
            Value::Datatype(NumberSequence::new("NumberSequence", &curve).unwrap().into_datatype()),
            Value::Datatype(PhysicalProperties::new(1.0, 0.5, 0.25).into_datatype()),
            Value::Datatype(Content::NONE.into_datatype()),
        ];
        for before in values {
            let json = of_value(&before, &|_| (Rc::from("P"), "Part"));
            let after = value(&json).unwrap_or_else(|error| panic!("{json}: {error}"));
            assert_eq!(of_value(&after, &|_| (Rc::from("P"), "Part")), json);
            assert_eq!(after.type_name(), before.type_name());
        }
    }

    #[test]
    fn what_is_gone_is_named() {
        let read = |text: &str| value(&serde_json::from_str(text).unwrap()).unwrap_err();
        assert_eq!(
            read(r#"{"$":"buffer","length":3,"hash":"0"}"#),
            "a buffer: its bytes were redacted or left out"
        );
        assert_eq!(read(r#"{"$":"Random"}"#), "a Random of this trace cannot be made again");
        assert_eq!(read(r#"{"$":"EnumItem","v":"Enum.Material.Nope"}"#), "there is no Enum.Material.Nope");
        assert!(read(r#"{"$":"CFrame","v":[1]}"#).contains("cannot be made again"));
    }
}
