//! Property values as project, meta and model files write them: implicit, typed by the class database, or explicit as
//! `{"Type": value}`.

mod explicit;

use super::json::{Document, Json, Kind, Member};
use super::problem::{Problem, Result};
use super::tree::{Node, PropertyValue};
use crate::datamodel::classes::{DataType, class_by_name};

/// A reader of the values of one object, `$properties` or `Attributes`.
pub(super) struct Values<'a> {
    pub(super) document: &'a Document,
    /// Path of the object, for problems.
    pub(super) field: &'a str,
}

/// Attributes that tell what a reference property points at: `Rojo_Target_PrimaryPart` holds the target's id.
const TARGET_PREFIX: &str = "Rojo_Target_";
/// An attribute that gives a node its id.
const ID_ATTRIBUTE: &str = "Rojo_Id";

impl Values<'_> {
    /// Sets the properties an object lists on a node, whose class is known by now.
    pub(super) fn properties(
        &self,
        node: &mut Node,
        members: &[Member],
        warnings: &mut Vec<Problem>,
    ) -> Result<()> {
        for member in members {
            let field = format!("{}.{}", self.field, member.name);
            match member.name.as_str() {
                "Name" | "Parent" => warnings.push(
                    *self
                        .document
                        .problem(
                            member.offset,
                            &field,
                            format!("`{}` cannot be set here and is ignored", member.name),
                        )
                        .help("An instance is named by its key or file, and its parent by where it stands."),
                ),
                "Tags" => node.tags = self.tags(&member.value, &field)?,
                "Attributes" => {
                    let attributes = match single(&member.value) {
                        Some(("Attributes", inner)) => inner,
                        _ => &member.value,
                    };
                    self.attributes(node, self.document.object(attributes, &field)?)?;
                }
                "Source" if super::scripts::is_script(&node.class) => {
                    let source = self.text(&member.value, &field)?;
                    node.source = Some(super::files::normalise_lines(source).into());
                }
                name => {
                    if let Some(value) = self.property(&node.class, name, &member.value, &field)? {
                        node.set_property(name, value);
                    }
                }
            }
        }
        Ok(())
    }

    /// Sets the attributes an object lists on a node.
    pub(super) fn attributes(&self, node: &mut Node, members: &[Member]) -> Result<()> {
        for member in members {
            let field = format!("{}.{}", self.field, member.name);
            if let Some(property) = member.name.strip_prefix(TARGET_PREFIX) {
                let target = self.text(&member.value, &field)?;
                node.set_property(property, PropertyValue::Reference(target.into()));
            }
            if member.name == ID_ATTRIBUTE {
                node.id = Some(self.text(&member.value, &field)?.into());
            }
            // Both stay attributes too, as Rojo leaves them.
            let value = match (&member.value.kind, single(&member.value)) {
                (Kind::Bool(value), _) => PropertyValue::Bool(*value),
                (Kind::Number(value), _) => PropertyValue::Number(*value),
                (Kind::String(text), _) => PropertyValue::string(text),
                (_, Some((ty, inner))) => match self.explicit(ty, inner, None, &field)? {
                    Some(value) => value,
                    None => continue,
                },
                _ => {
                    return Err(self
                        .document
                        .expected(&member.value, &field, "true, false, a number, a string or `{\"Type\": value}`")
                        .help("An attribute has no declared type, so write its type, as in `{\"Vector3\": [1, 2, 3]}`."));
                }
            };
            node.set_attribute(&member.name, value);
        }
        Ok(())
    }

    /// A string, written plainly or as `{"String": text}`.
    fn text<'a>(&self, value: &'a Json, field: &str) -> Result<&'a str> {
        match single(value) {
            Some(("String", inner)) => self.document.string(inner, field),
            _ => self.document.string(value, field),
        }
    }

    fn tags(&self, value: &Json, field: &str) -> Result<Vec<String>> {
        let list = match single(value) {
            Some(("Tags", inner)) => inner,
            _ => value,
        };
        let items = self.document.array(list, field)?;
        items.iter().map(|item| self.document.string(item, field).map(str::to_owned)).collect()
    }

    /// The value of a property of a class; `None` for one no script could read.
    fn property(&self, class: &str, name: &str, value: &Json, field: &str) -> Result<Option<PropertyValue>> {
        let data_type =
            class_by_name(class).and_then(|class| class.property(name)).map(|id| id.info().data_type);
        if let Some((ty, inner)) = single(value)
            && is_type(ty)
        {
            let enum_ = match data_type {
                Some(DataType::Enum(id)) => Some(id),
                _ => None,
            };
            return self.explicit(ty, inner, enum_, field);
        }
        let Some(data_type) = data_type else {
            let why = if class_by_name(class).is_none() {
                format!("`{class}` is no class of the database, so the type of this value is unknown")
            } else {
                format!("`{class}` has no property `{name}`")
            };
            return Err(self
                .document
                .problem(value.offset, field, why)
                .help("Mend the name, or give the type: `{\"String\": \"...\"}`."));
        };
        self.implicit(data_type, value, field)
    }

    /// A value whose type comes from the class database.
    fn implicit(&self, data_type: DataType, value: &Json, field: &str) -> Result<Option<PropertyValue>> {
        let ty = match data_type {
            DataType::Enum(id) => return self.enum_item(id, value, field).map(Some),
            DataType::Ref => {
                return Err(self
                    .document
                    .problem(value.offset, field, "this property holds an instance, which a value cannot name")
                    .help(format!(
                        "Give the other instance an `$id`, and this one the attribute `{TARGET_PREFIX}...` with that id."
                    )));
            }
            DataType::Bool => "Bool",
            DataType::String => "String",
            DataType::BinaryString => "String",
            DataType::Int32 => "Int32",
            DataType::Int64 => "Int64",
            DataType::Float32 => "Float32",
            DataType::Float64 => "Float64",
            DataType::Content => "Content",
            DataType::ContentId => "ContentId",
            DataType::Font => "Font",
            DataType::Axes => "Axes",
            DataType::BrickColor => "BrickColor",
            DataType::CFrame => "CFrame",
            DataType::OptionalCFrame => "OptionalCFrame",
            DataType::Color3 => "Color3",
            DataType::Color3uint8 => "Color3uint8",
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
            DataType::Other => return Ok(None),
        };
        self.explicit(ty, value, None, field)
    }
}

/// The one member of an object that has one.
fn single(value: &Json) -> Option<(&str, &Json)> {
    match &value.kind {
        Kind::Object(members) if members.len() == 1 => Some((members[0].name.as_str(), &members[0].value)),
        _ => None,
    }
}

/// Whether `name` is a type that explicit values may have.
fn is_type(name: &str) -> bool {
    const TYPES: [&str; 42] = [
        "Attributes",
        "Axes",
        "BinaryString",
        "Bool",
        "BrickColor",
        "CFrame",
        "Color3",
        "Color3uint8",
        "ColorSequence",
        "Content",
        "ContentId",
        "Enum",
        "EnumItem",
        "Faces",
        "Float32",
        "Float64",
        "Font",
        "Int32",
        "Int64",
        "MaterialColors",
        "NetAssetRef",
        "NumberRange",
        "NumberSequence",
        "OptionalCFrame",
        "PhysicalProperties",
        "Ray",
        "Rect",
        "Ref",
        "Region3",
        "Region3int16",
        "SecurityCapabilities",
        "SharedString",
        "String",
        "Tags",
        "UDim",
        "UDim2",
        "UniqueId",
        "Vector2",
        "Vector2int16",
        "Vector3",
        "Vector3int16",
        "Number",
    ];
    TYPES.contains(&name)
}
