//! Property values of Roblox's files as those of the tree.

use rbx_types::{ContentType, Variant};

use super::tree::PropertyValue;
use crate::datamodel::classes::{DataType, enum_by_name};
use crate::datatypes::{
    Axes, BrickColor, CFrame, Color3, ColorSequence, ColorSequenceKeypoint, Content, Faces, Font,
    NumberRange, NumberSequence, NumberSequenceKeypoint, PhysicalProperties, Ray, Rect, Region3,
    Region3int16, UDim, UDim2, Vector2, Vector2int16, Vector3, Vector3int16,
};

/// The value, given the type the class database declares for its property; `None` for one no script can hold, and
/// for references, which only the file as a whole can resolve.
pub(super) fn convert(value: &Variant, data_type: Option<DataType>) -> Option<PropertyValue> {
    Some(match value {
        Variant::Bool(value) => PropertyValue::Bool(*value),
        Variant::Float32(value) => PropertyValue::Number(f64::from(*value)),
        Variant::Float64(value) => PropertyValue::Number(*value),
        Variant::Int32(value) => PropertyValue::Number(f64::from(*value)),
        Variant::Int64(value) => PropertyValue::Number(*value as f64),
        Variant::String(text) => PropertyValue::string(text),
        Variant::BinaryString(bytes) => PropertyValue::string(AsRef::<[u8]>::as_ref(bytes)),
        Variant::ContentId(content) => PropertyValue::string(content.as_str()),
        Variant::Content(content) => {
            let uri = match content.value() {
                ContentType::Uri(uri) => uri.as_str(),
                _ => "",
            };
            if data_type == Some(DataType::ContentId) {
                PropertyValue::string(uri)
            } else if uri.is_empty() {
                Content::NONE.into()
            } else {
                Content::from_uri(uri)?.into()
            }
        }
        Variant::Enum(value) => match data_type {
            Some(DataType::Enum(id)) => PropertyValue::EnumItem(id, value.to_u32()),
            _ => PropertyValue::Number(f64::from(value.to_u32())),
        },
        Variant::EnumItem(item) => PropertyValue::EnumItem(enum_by_name(&item.ty)?, item.value),
        Variant::Vector2(value) => vector2(*value).into(),
        Variant::Vector3(value) => PropertyValue::Vector3(vector3(*value)),
        Variant::Vector2int16(value) => Vector2int16::new(value.x, value.y).into(),
        Variant::Vector3int16(value) => vector3_int16(*value).into(),
        Variant::CFrame(value) => cframe(value).into(),
        Variant::OptionalCFrame(value) => {
            value.as_ref().map_or(PropertyValue::Nil, |value| cframe(value).into())
        }
        Variant::Color3(value) => Color3::new(value.r, value.g, value.b).into(),
        Variant::Color3uint8(value) => {
            Color3::from_rgb(f64::from(value.r), f64::from(value.g), f64::from(value.b)).into()
        }
        Variant::BrickColor(value) => BrickColor::from_number(f64::from(*value as u16)).into(),
        Variant::UDim(value) => udim(*value).into(),
        Variant::UDim2(value) => UDim2::new(udim(value.x), udim(value.y)).into(),
        Variant::Rect(value) => Rect::new(vector2(value.min), vector2(value.max)).into(),
        Variant::Ray(value) => Ray::new(vector3(value.origin), vector3(value.direction)).into(),
        Variant::Region3(value) => Region3::new(vector3(value.min), vector3(value.max)).into(),
        Variant::Region3int16(value) => {
            Region3int16 { min: vector3_int16(value.min), max: vector3_int16(value.max) }.into()
        }
        Variant::NumberRange(value) => NumberRange { min: value.min, max: value.max }.into(),
        Variant::NumberSequence(value) => {
            let point = |point: &rbx_types::NumberSequenceKeypoint| {
                NumberSequenceKeypoint::new(point.time, point.value, point.envelope)
            };
            let points: Vec<_> = value.keypoints.iter().map(point).collect();
            NumberSequence::new("NumberSequence", &points).ok()?.into()
        }
        Variant::ColorSequence(value) => {
            let point = |point: &rbx_types::ColorSequenceKeypoint| {
                ColorSequenceKeypoint::new(
                    point.time,
                    Color3::new(point.color.r, point.color.g, point.color.b),
                )
            };
            let points: Vec<_> = value.keypoints.iter().map(point).collect();
            ColorSequence::new("ColorSequence", &points).ok()?.into()
        }
        Variant::PhysicalProperties(rbx_types::PhysicalProperties::Default) => PropertyValue::Nil,
        Variant::PhysicalProperties(rbx_types::PhysicalProperties::Custom(value)) => {
            PhysicalProperties::new(value.density(), value.friction(), value.elasticity())
                .with_weights(value.friction_weight(), value.elasticity_weight())
                .into()
        }
        Variant::Axes(value) => {
            let bits = value.bits();
            Axes { parts: std::array::from_fn(|index| bits & (1 << index) != 0) }.into()
        }
        Variant::Faces(value) => {
            let bits = value.bits();
            Faces { parts: std::array::from_fn(|index| bits & (1 << index) != 0) }.into()
        }
        Variant::Font(value) => {
            Font::new(&value.family, u32::from(value.weight.as_u16()), u32::from(value.style.as_u8()))?.into()
        }
        // References belong to the file, the rest to the engine.
        _ => return None,
    })
}

fn vector2(value: rbx_types::Vector2) -> Vector2 {
    Vector2::new(value.x, value.y)
}

fn vector3(value: rbx_types::Vector3) -> Vector3 {
    Vector3::new(value.x, value.y, value.z)
}

fn vector3_int16(value: rbx_types::Vector3int16) -> Vector3int16 {
    Vector3int16::new(value.x, value.y, value.z)
}

fn udim(value: rbx_types::UDim) -> UDim {
    UDim::new(value.scale, value.offset)
}

/// The rows of the matrix are what the file keeps.
fn cframe(value: &rbx_types::CFrame) -> CFrame {
    let (p, m) = (value.position, value.orientation);
    CFrame::from_components([p.x, p.y, p.z, m.x.x, m.x.y, m.x.z, m.y.x, m.y.y, m.y.z, m.z.x, m.z.y, m.z.z])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_their_meaning() {
        let matrix = rbx_types::Matrix3::new(
            rbx_types::Vector3::new(1.0, 2.0, 3.0),
            rbx_types::Vector3::new(4.0, 5.0, 6.0),
            rbx_types::Vector3::new(7.0, 8.0, 9.0),
        );
        let value = Variant::CFrame(rbx_types::CFrame::new(rbx_types::Vector3::new(0.5, 0.0, 0.0), matrix));
        let expected = CFrame::from_components([0.5, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
        assert_eq!(convert(&value, None), Some(expected.into()));
        let material = enum_by_name("Material").unwrap();
        let value = Variant::Enum(rbx_types::Enum::from_u32(256));
        assert_eq!(
            convert(&value, Some(DataType::Enum(material))),
            Some(PropertyValue::EnumItem(material, 256))
        );
        assert_eq!(convert(&value, None), Some(PropertyValue::Number(256.0)));
        let color = Variant::Color3uint8(rbx_types::Color3uint8::new(255, 0, 51));
        assert_eq!(convert(&color, None), Some(Color3::new(1.0, 0.0, 0.2).into()));
        assert_eq!(convert(&Variant::UniqueId(rbx_types::UniqueId::nil()), None), None);
        let faces = Variant::Faces(rbx_types::Faces::TOP);
        let mut expected = Faces::default();
        expected.insert(1);
        assert_eq!(convert(&faces, None), Some(expected.into()));
    }
}
