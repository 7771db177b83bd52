//! Values of a named type: what `{"Type": value}` may hold, and what the class database's type expects.

use super::Values;
use crate::datamodel::classes::{EnumId, enum_by_name};
use crate::datatypes::{
    Axes, BrickColor, CFrame, Color3, ColorSequence, ColorSequenceKeypoint, Content, Faces, Font,
    NumberRange, NumberSequence, NumberSequenceKeypoint, PhysicalProperties, Ray, Rect, Region3,
    Region3int16, UDim, UDim2, Vector2, Vector2int16, Vector3, Vector3int16, axes_faces,
};
use crate::project::json::{Json, Kind, Member};
use crate::project::problem::Result;
use crate::project::tree::PropertyValue;

impl Values<'_> {
    /// A value of a named type; `None` for a type no script can hold.
    pub(super) fn explicit(
        &self,
        ty: &str,
        value: &Json,
        enum_: Option<EnumId>,
        field: &str,
    ) -> Result<Option<PropertyValue>> {
        let document = self.document;
        Ok(Some(match ty {
            "Bool" => PropertyValue::Bool(document.bool(value, field)?),
            "String" => PropertyValue::string(document.string(value, field)?),
            "BinaryString" => {
                use base64::Engine;
                let text = document.string(value, field)?;
                let bytes = base64::engine::general_purpose::STANDARD.decode(text).map_err(|error| {
                    document.problem(value.offset, field, format!("this is not base64: {error}"))
                })?;
                PropertyValue::string(bytes)
            }
            "ContentId" => PropertyValue::string(document.string(value, field)?),
            "Content" => self.content(value, field)?.into(),
            "Float64" => PropertyValue::Number(self.number(value, field)?),
            "Float32" => PropertyValue::Number(f64::from(self.number(value, field)? as f32)),
            "Int32" => PropertyValue::Number(f64::from(self.number(value, field)? as i32)),
            "Int64" => PropertyValue::Number((self.number(value, field)? as i64) as f64),
            "Enum" => {
                let number = document.whole(value, field, f64::from(u32::MAX))? as u32;
                enum_.map_or(PropertyValue::Number(f64::from(number)), |id| {
                    PropertyValue::EnumItem(id, number)
                })
            }
            "EnumItem" => self.explicit_enum_item(value, field)?,
            "Vector2" => vector2(self.floats::<2>(value, field)?).into(),
            "Vector3" => PropertyValue::Vector3(self.floats::<3>(value, field)?.into()),
            "Vector2int16" => {
                let [x, y] = self.floats::<2>(value, field)?.map(|part| part as i16);
                Vector2int16::new(x, y).into()
            }
            "Vector3int16" => self.vector3_int16(value, field)?.into(),
            "Color3" => {
                let [r, g, b] = self.floats::<3>(value, field)?;
                Color3::new(r, g, b).into()
            }
            "Color3uint8" => self.color_bytes(value, field)?.into(),
            "CFrame" => self.cframe(value, field)?.into(),
            "OptionalCFrame" if matches!(value.kind, Kind::Null) => PropertyValue::Nil,
            "OptionalCFrame" => self.cframe(value, field)?.into(),
            "UDim" => self.udim(value, field)?.into(),
            "UDim2" => self.udim2(value, field)?.into(),
            "Rect" => self.rect(value, field)?.into(),
            "Ray" => {
                Ray::new(self.part3(value, "origin", field)?, self.part3(value, "direction", field)?).into()
            }
            "Region3" => {
                let [min, max] = self.pair(value, field)?;
                Region3::new(self.floats::<3>(min, field)?.into(), self.floats::<3>(max, field)?.into())
                    .into()
            }
            "Region3int16" => {
                let [min, max] = self.pair(value, field)?;
                Region3int16 { min: self.vector3_int16(min, field)?, max: self.vector3_int16(max, field)? }
                    .into()
            }
            "NumberRange" => self.number_range(value, field)?.into(),
            "NumberSequence" => self.number_sequence(value, field)?.into(),
            "ColorSequence" => self.color_sequence(value, field)?.into(),
            "BrickColor" => match &value.kind {
                Kind::String(name) => BrickColor::from_name(name).into(),
                _ => BrickColor::from_number(self.number(value, field)?).into(),
            },
            "Axes" => self.axes(value, field)?.into(),
            "Faces" => self.faces(value, field)?.into(),
            "PhysicalProperties" => match &value.kind {
                Kind::String(text) if text == "Default" => PropertyValue::Nil,
                _ => self.physical_properties(value, field)?.into(),
            },
            "Font" => self.font(value, field)?.into(),
            _ => return Ok(None),
        }))
    }

    fn number(&self, value: &Json, field: &str) -> Result<f64> {
        match &value.kind {
            Kind::Number(number) => Ok(*number),
            Kind::String(text) => match text.to_ascii_lowercase().as_str() {
                "inf" | "+inf" | "infinity" => Ok(f64::INFINITY),
                "-inf" | "-infinity" => Ok(f64::NEG_INFINITY),
                "nan" => Ok(f64::NAN),
                _ => Err(self.document.expected(value, field, "a number")),
            },
            _ => Err(self.document.expected(value, field, "a number")),
        }
    }

    fn floats<const N: usize>(&self, value: &Json, field: &str) -> Result<[f32; N]> {
        let wrong = || self.document.expected(value, field, &format!("an array of {N} numbers"));
        let Kind::Array(items) = &value.kind else { return Err(wrong()) };
        if items.len() != N {
            return Err(wrong());
        }
        let mut numbers = [0.0; N];
        for (number, item) in numbers.iter_mut().zip(items) {
            *number = self.number(item, field)? as f32;
        }
        Ok(numbers)
    }

    fn pair<'a>(&self, value: &'a Json, field: &str) -> Result<&'a [Json; 2]> {
        let Kind::Array(items) = &value.kind else {
            return Err(self.document.expected(value, field, "a pair"));
        };
        items.as_slice().try_into().map_err(|_| self.document.expected(value, field, "a pair"))
    }

    fn part<'a>(&self, value: &'a Json, name: &str, field: &str) -> Result<&'a Json> {
        let members = self.document.object(value, field)?;
        opt_part(members, name)
            .ok_or_else(|| self.document.problem(value.offset, field, format!("`{name}` is missing here")))
    }

    fn part3(&self, value: &Json, name: &str, field: &str) -> Result<Vector3> {
        Ok(self.floats::<3>(self.part(value, name, field)?, field)?.into())
    }

    fn content(&self, value: &Json, field: &str) -> Result<Content> {
        let uri = match &value.kind {
            Kind::Null => return Ok(Content::NONE),
            Kind::Object(_) => self.document.string(self.part(value, "Uri", field)?, field)?,
            Kind::String(text) if text.is_empty() || text == "None" => return Ok(Content::NONE),
            _ => self.document.string(value, field)?,
        };
        Content::from_uri(uri)
            .ok_or_else(|| self.document.problem(value.offset, field, "this address is too long"))
    }

    pub(super) fn enum_item(&self, id: EnumId, value: &Json, field: &str) -> Result<PropertyValue> {
        let found = match &value.kind {
            Kind::String(name) => id.item_by_name(name),
            _ => None,
        };
        match found {
            Some(item) => Ok(PropertyValue::EnumItem(id, item.value)),
            None => {
                let names: Vec<&str> = id.info().items.iter().map(|(name, _)| *name).take(8).collect();
                let more = if id.info().items.len() > names.len() { ", ..." } else { "" };
                let what = format!("the name of an item of Enum.{}", id.name());
                Err(self
                    .document
                    .expected(value, field, &what)
                    .help(format!("Its items are {}{more}.", names.join(", "))))
            }
        }
    }

    fn explicit_enum_item(&self, value: &Json, field: &str) -> Result<PropertyValue> {
        let name = self.document.string(self.part(value, "type", field)?, field)?;
        let number =
            self.document.whole(self.part(value, "value", field)?, field, f64::from(u32::MAX))? as u32;
        let id = enum_by_name(name)
            .ok_or_else(|| self.document.problem(value.offset, field, format!("there is no Enum.{name}")))?;
        Ok(PropertyValue::EnumItem(id, number))
    }

    fn vector3_int16(&self, value: &Json, field: &str) -> Result<Vector3int16> {
        let [x, y, z] = self.floats::<3>(value, field)?.map(|part| part as i16);
        Ok(Vector3int16::new(x, y, z))
    }

    /// A colour of three parts from 0 to 255.
    fn color_bytes(&self, value: &Json, field: &str) -> Result<Color3> {
        let [r, g, b] = self.floats::<3>(value, field)?.map(f64::from);
        Ok(Color3::from_rgb(r, g, b))
    }

    fn cframe(&self, value: &Json, field: &str) -> Result<CFrame> {
        if !matches!(value.kind, Kind::Object(_)) {
            return Ok(CFrame::from_components(self.floats::<12>(value, field)?));
        }
        let position = self.part3(value, "position", field)?;
        let rows = self.part(value, "orientation", field)?;
        let Kind::Array(rows) = &rows.kind else {
            return Err(self.document.expected(rows, field, "three rows"));
        };
        let mut components = [0.0; 12];
        components[..3].copy_from_slice(&position.to_array());
        if rows.len() != 3 {
            return Err(self.document.problem(value.offset, field, "an orientation has three rows"));
        }
        for (row, into) in rows.iter().zip(components[3..].chunks_exact_mut(3)) {
            into.copy_from_slice(&self.floats::<3>(row, field)?);
        }
        Ok(CFrame::from_components(components))
    }

    fn udim(&self, value: &Json, field: &str) -> Result<UDim> {
        let [scale, offset] = self.floats::<2>(value, field)?;
        Ok(UDim::new(scale, offset as i32))
    }

    fn udim2(&self, value: &Json, field: &str) -> Result<UDim2> {
        if let Kind::Array(items) = &value.kind
            && items.len() == 4
        {
            let [xs, xo, ys, yo] = self.floats::<4>(value, field)?;
            return Ok(UDim2::new(UDim::new(xs, xo as i32), UDim::new(ys, yo as i32)));
        }
        let [x, y] = self.pair(value, field)?;
        Ok(UDim2::new(self.udim(x, field)?, self.udim(y, field)?))
    }

    fn rect(&self, value: &Json, field: &str) -> Result<Rect> {
        if let Kind::Array(items) = &value.kind
            && items.len() == 4
        {
            let [x0, y0, x1, y1] = self.floats::<4>(value, field)?;
            return Ok(Rect::new(Vector2::new(x0, y0), Vector2::new(x1, y1)));
        }
        let [min, max] = self.pair(value, field)?;
        Ok(Rect::new(vector2(self.floats::<2>(min, field)?), vector2(self.floats::<2>(max, field)?)))
    }

    fn number_range(&self, value: &Json, field: &str) -> Result<NumberRange> {
        let [min, max] = match value.kind {
            Kind::Array(_) => self.floats::<2>(value, field)?,
            _ => [self.number(value, field)? as f32; 2],
        };
        NumberRange::new(min, max)
            .ok_or_else(|| self.document.problem(value.offset, field, "the minimum is above the maximum"))
    }

    fn keypoints<'a>(&self, value: &'a Json, field: &str) -> Result<&'a [Json]> {
        match value.kind {
            Kind::Array(_) => self.document.array(value, field),
            _ => self.document.array(self.part(value, "keypoints", field)?, field),
        }
    }

    fn number_sequence(&self, value: &Json, field: &str) -> Result<NumberSequence> {
        let point = |item: &Json| {
            let part =
                |name: &str| self.number(self.part(item, name, field)?, field).map(|number| number as f32);
            let envelope = match opt_part(self.document.object(item, field)?, "envelope") {
                Some(envelope) => self.number(envelope, field)? as f32,
                None => 0.0,
            };
            Ok(NumberSequenceKeypoint::new(part("time")?, part("value")?, envelope))
        };
        let points: Vec<_> = self.keypoints(value, field)?.iter().map(point).collect::<Result<_>>()?;
        NumberSequence::new("NumberSequence", &points)
            .map_err(|message| self.document.problem(value.offset, field, message))
    }

    fn color_sequence(&self, value: &Json, field: &str) -> Result<ColorSequence> {
        let point = |item: &Json| {
            let time = self.number(self.part(item, "time", field)?, field)? as f32;
            let [r, g, b] = self.floats::<3>(self.part(item, "color", field)?, field)?;
            Ok(ColorSequenceKeypoint::new(time, Color3::new(r, g, b)))
        };
        let points: Vec<_> = self.keypoints(value, field)?.iter().map(point).collect::<Result<_>>()?;
        ColorSequence::new("ColorSequence", &points)
            .map_err(|message| self.document.problem(value.offset, field, message))
    }

    fn names(&self, value: &Json, known: &[&str], field: &str, mut insert: impl FnMut(u32)) -> Result<()> {
        for item in self.document.array(value, field)? {
            let name = self.document.string(item, field)?;
            let Some(at) = known.iter().position(|known| *known == name) else {
                return Err(self.document.expected(item, field, &format!("one of {}", known.join(", "))));
            };
            insert(at as u32);
        }
        Ok(())
    }

    fn axes(&self, value: &Json, field: &str) -> Result<Axes> {
        let mut axes = Axes::default();
        self.names(value, &axes_faces::AXES, field, |at| axes.insert_axis(at))?;
        Ok(axes)
    }

    fn faces(&self, value: &Json, field: &str) -> Result<Faces> {
        let mut faces = Faces::default();
        self.names(value, &axes_faces::FACES, field, |at| faces.insert(at))?;
        Ok(faces)
    }

    fn physical_properties(&self, value: &Json, field: &str) -> Result<PhysicalProperties> {
        let part =
            |name: &str| self.number(self.part(value, name, field)?, field).map(|number| number as f32);
        let weight = |name: &str| match opt_part(self.document.object(value, field)?, name) {
            Some(weight) => self.number(weight, field).map(|number| number as f32),
            None => Ok(1.0),
        };
        let properties = PhysicalProperties::new(part("density")?, part("friction")?, part("elasticity")?);
        Ok(properties.with_weights(weight("frictionWeight")?, weight("elasticityWeight")?))
    }

    fn font(&self, value: &Json, field: &str) -> Result<Font> {
        let family = self.document.string(self.part(value, "family", field)?, field)?;
        let members = self.document.object(value, field)?;
        let item = |name: &str, list: &str, default: u32| match opt_part(members, name) {
            None => Ok(default),
            Some(item) => {
                let text = self.document.string(item, field)?;
                let found = enum_by_name(list).and_then(|list| list.item_by_name(text));
                found.map(|item| item.value).ok_or_else(|| {
                    self.document.expected(item, field, &format!("the name of an item of Enum.{list}"))
                })
            }
        };
        let (weight, style) = (item("weight", "FontWeight", 400)?, item("style", "FontStyle", 0)?);
        Font::new(family, weight, style)
            .ok_or_else(|| self.document.problem(value.offset, field, "this family's address is too long"))
    }
}

fn vector2([x, y]: [f32; 2]) -> Vector2 {
    Vector2::new(x, y)
}

fn opt_part<'a>(members: &'a [Member], name: &str) -> Option<&'a Json> {
    members.iter().find(|member| member.name == name).map(|member| &member.value)
}
