//! Property values: defaults out of the class table, and what an assignment makes of a script's value.

use super::classes::{Constant, DataType, PropertyId};
use super::messages;
use crate::datatypes::{
    Axes, BrickColor, CFrame, Color3, ColorSequence, ColorSequenceKeypoint, Content, Datatype, Faces, Font,
    NumberRange, NumberSequence, NumberSequenceKeypoint, PhysicalProperties, Ray, Rect, Region3,
    Region3int16, UDim, UDim2, Vector2, Vector2int16, Vector3, Vector3int16,
};
use crate::value::{EnumItemId, Value};

/// A default of the class table as a value.
pub fn from_constant(constant: &Constant) -> Value {
    match constant {
        Constant::Nil => Value::Nil,
        Constant::Bool(value) => Value::Boolean(*value),
        Constant::Number(value) => Value::Number(*value),
        Constant::Text(text) => Value::string(text),
        Constant::Enum(list, value) => Value::EnumItem(EnumItemId { enum_: *list, value: *value }),
        Constant::Font(family, weight, style) => {
            let font = Font::new(family, u32::from(*weight), u32::from(*style));
            font.map_or(Value::Nil, |font| Value::Datatype(font.into()))
        }
        Constant::Parts(data_type, parts) => from_parts(*data_type, parts),
    }
}

/// The value of a property that the database knows no default of: false, 0, nothing, the first item.
pub fn zero(data_type: DataType) -> Value {
    match data_type {
        DataType::Bool => Value::Boolean(false),
        DataType::String | DataType::BinaryString | DataType::ContentId => Value::string(""),
        DataType::Int32 | DataType::Int64 | DataType::Float32 | DataType::Float64 => Value::Number(0.0),
        DataType::Enum(list) => list.items().next().map_or(Value::Nil, Value::EnumItem),
        DataType::CFrame => Value::Datatype(CFrame::IDENTITY.into()),
        DataType::BrickColor => from_parts(data_type, &[194.0]),
        DataType::NumberSequence => from_parts(data_type, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0]),
        DataType::ColorSequence => from_parts(data_type, &[0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]),
        DataType::Ref
        | DataType::Other
        | DataType::OptionalCFrame
        | DataType::PhysicalProperties
        | DataType::Font
        | DataType::Content => Value::Nil,
        DataType::Axes
        | DataType::Faces
        | DataType::Color3
        | DataType::Color3uint8
        | DataType::NumberRange
        | DataType::Ray
        | DataType::Rect
        | DataType::Region3
        | DataType::Region3int16
        | DataType::UDim
        | DataType::UDim2
        | DataType::Vector2
        | DataType::Vector2int16
        | DataType::Vector3
        | DataType::Vector3int16 => from_parts(data_type, &[0.0; 6]),
    }
}

/// A composite value from its numbers; nil if there are too few of them.
fn from_parts(data_type: DataType, parts: &[f32]) -> Value {
    composite(data_type, parts).unwrap_or(Value::Nil)
}

fn composite(data_type: DataType, p: &[f32]) -> Option<Value> {
    let at = |index: usize| p.get(index).copied();
    let whole = |index: usize| at(index).map(|part| part as i16);
    let v2 = |from: usize| Some(Vector2::new(at(from)?, at(from + 1)?));
    let v3 = |from: usize| Some(Vector3::new(at(from)?, at(from + 1)?, at(from + 2)?));
    let int3 = |from: usize| Some(Vector3int16 { x: whole(from)?, y: whole(from + 1)?, z: whole(from + 2)? });
    let udim = |from: usize| Some(UDim::new(at(from)?, at(from + 1)? as i32));
    let color = |from: usize| Some(Color3::new(at(from)?, at(from + 1)?, at(from + 2)?));
    let bit = |index: u32| at(0).is_some_and(|bits| bits as u32 & (1 << index) != 0);
    let datatype: Datatype = match data_type {
        DataType::Vector3 => return Some(Value::Vector(v3(0)?.to_array())),
        DataType::CFrame | DataType::OptionalCFrame => {
            CFrame::from_components(p.get(..12)?.try_into().ok()?).into()
        }
        DataType::Axes => Axes { parts: [bit(0), bit(1), bit(2)] }.into(),
        DataType::Faces => Faces { parts: [bit(0), bit(1), bit(2), bit(3), bit(4), bit(5)] }.into(),
        DataType::BrickColor => BrickColor::from_number(f64::from(at(0)?)).into(),
        DataType::Color3 | DataType::Color3uint8 => color(0)?.into(),
        DataType::ColorSequence => {
            let keypoint = |k: &[f32]| ColorSequenceKeypoint::new(k[0], Color3::new(k[1], k[2], k[3]));
            let keypoints: Vec<_> = p.chunks_exact(4).map(keypoint).collect();
            ColorSequence::new("ColorSequence", &keypoints).ok()?.into()
        }
        DataType::NumberSequence => {
            let keypoint = |k: &[f32]| NumberSequenceKeypoint::new(k[0], k[1], k[2]);
            let keypoints: Vec<_> = p.chunks_exact(3).map(keypoint).collect();
            NumberSequence::new("NumberSequence", &keypoints).ok()?.into()
        }
        DataType::NumberRange => NumberRange::new(at(0)?, at(1)?)?.into(),
        DataType::PhysicalProperties => {
            PhysicalProperties::new(at(0)?, at(1)?, at(2)?).with_weights(at(3)?, at(4)?).into()
        }
        DataType::Ray => Ray::new(v3(0)?, v3(3)?).into(),
        DataType::Rect => Rect::new(v2(0)?, v2(2)?).into(),
        DataType::Region3 => Region3::new(v3(0)?, v3(3)?).into(),
        DataType::Region3int16 => Region3int16 { min: int3(0)?, max: int3(3)? }.into(),
        DataType::UDim => udim(0)?.into(),
        DataType::UDim2 => UDim2::new(udim(0)?, udim(2)?).into(),
        DataType::Vector2 => v2(0)?.into(),
        DataType::Vector2int16 => Vector2int16 { x: whole(0)?, y: whole(1)? }.into(),
        DataType::Vector3int16 => int3(0)?.into(),
        DataType::Other
        | DataType::Bool
        | DataType::String
        | DataType::Ref
        | DataType::Enum(_)
        | DataType::Int32
        | DataType::Int64
        | DataType::Float32
        | DataType::Float64
        | DataType::BinaryString
        | DataType::Content
        | DataType::ContentId
        | DataType::Font => return None,
    };
    Some(Value::Datatype(datatype))
}

/// The type's name in the text of a wrong assignment.
pub fn expected_name(data_type: DataType) -> &'static str {
    match data_type {
        DataType::Bool => "bool",
        DataType::String | DataType::BinaryString | DataType::ContentId => "string",
        DataType::Ref => "Instance",
        DataType::Enum(_) => "EnumItem",
        DataType::Int32 | DataType::Int64 | DataType::Float32 | DataType::Float64 => "number",
        DataType::Content => "Content",
        DataType::Font => "Font",
        DataType::Axes => "Axes",
        DataType::BrickColor => "BrickColor",
        DataType::CFrame | DataType::OptionalCFrame => "CFrame",
        DataType::Color3 | DataType::Color3uint8 => "Color3",
        DataType::ColorSequence => "ColorSequence",
        DataType::Faces => "Faces",
        DataType::NumberRange => "NumberRange",
        DataType::NumberSequence => "NumberSequence",
        DataType::PhysicalProperties => "PhysicalProperties",
        DataType::Ray => "Ray",
        DataType::Rect => "Rect",
        DataType::Region3 => "Region3",
        DataType::Region3int16 => "Region3int16",
        DataType::UDim => "UDim",
        DataType::UDim2 => "UDim2",
        DataType::Vector2 => "Vector2",
        DataType::Vector2int16 => "Vector2int16",
        DataType::Vector3 => "Vector3",
        DataType::Vector3int16 => "Vector3int16",
        DataType::Other => "value",
    }
}

/// What a property becomes when a script assigns `value`: enum items by name or number, numbers from text and text
/// from numbers, float32 and integer properties with their precision.
///
/// Errors: the engine's text for a value of the wrong type.
pub fn coerce(property: PropertyId, value: Value) -> Result<Value, String> {
    let data_type = property.info().data_type;
    let wrong =
        |value: &Value| messages::wrong_type(property.name(), expected_name(data_type), value.type_name());
    match data_type {
        DataType::Bool => match value {
            Value::Boolean(_) => Ok(value),
            other => Err(wrong(&other)),
        },
        DataType::Int32 | DataType::Int64 | DataType::Float32 | DataType::Float64 => {
            let number = number_of(&value).ok_or_else(|| wrong(&value))?;
            Ok(Value::Number(match data_type {
                DataType::Float32 => f64::from(number as f32),
                DataType::Int32 => f64::from(number as i32),
                DataType::Int64 => number.trunc(),
                _ => number,
            }))
        }
        DataType::String | DataType::BinaryString | DataType::ContentId => match value {
            Value::String(_) => Ok(value),
            Value::Number(_) => Ok(Value::string(value.to_string())),
            other => Err(wrong(&other)),
        },
        DataType::Ref => match value {
            Value::Instance(_) | Value::Nil => Ok(value),
            other => Err(wrong(&other)),
        },
        DataType::Enum(list) => enum_item(property, list, value),
        DataType::Vector3 => match value {
            Value::Vector(_) => Ok(value),
            other => Err(wrong(&other)),
        },
        DataType::Content => match &value {
            Value::String(uri) => {
                let content = Content::from_uri(&String::from_utf8_lossy(uri));
                content.map(|content| Value::Datatype(content.into())).ok_or_else(|| wrong(&value))
            }
            Value::Datatype(Datatype::Content(_)) => Ok(value),
            other => Err(wrong(other)),
        },
        DataType::OptionalCFrame | DataType::PhysicalProperties if value.is_nil() => Ok(value),
        DataType::Other => Err(wrong(&value)),
        DataType::Font
        | DataType::Axes
        | DataType::BrickColor
        | DataType::CFrame
        | DataType::OptionalCFrame
        | DataType::Color3
        | DataType::Color3uint8
        | DataType::ColorSequence
        | DataType::Faces
        | DataType::NumberRange
        | DataType::NumberSequence
        | DataType::PhysicalProperties
        | DataType::Ray
        | DataType::Rect
        | DataType::Region3
        | DataType::Region3int16
        | DataType::UDim
        | DataType::UDim2
        | DataType::Vector2
        | DataType::Vector2int16
        | DataType::Vector3int16 => {
            if value.type_name() == expected_name(data_type) {
                Ok(value)
            } else {
                Err(wrong(&value))
            }
        }
    }
}

/// A number, or a text that reads as one.
fn number_of(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => Some(*number),
        Value::String(text) => std::str::from_utf8(text).ok()?.trim().parse().ok(),
        _ => None,
    }
}

fn enum_item(property: PropertyId, list: crate::value::EnumId, value: Value) -> Result<Value, String> {
    let found = match &value {
        Value::EnumItem(item) if item.enum_ == list => Some(*item),
        Value::String(name) => list.item_by_name(&String::from_utf8_lossy(name)),
        Value::Number(number) if *number >= 0.0 && number.fract() == 0.0 => {
            list.item_by_value(*number as u32)
        }
        Value::Number(_) | Value::EnumItem(_) => None,
        other => return Err(messages::wrong_type(property.name(), "EnumItem", other.type_name())),
    };
    let shown = |value: &Value| match value {
        Value::EnumItem(item) => format!("Enum.{}.{}", item.enum_.name(), item.name()),
        other => other.to_string(),
    };
    match found {
        Some(item) => Ok(Value::EnumItem(item)),
        None => Err(messages::not_an_item(property.name(), &shown(&value), list.name())),
    }
}
