//! Makes the class database compact: `rbx_reflection_database` in, `classes.bin` in `OUT_DIR` out.
//!
//! The database takes 8 ms and 4 MiB to load; the blob written here is decoded once a process in well under one.
//! `src/datamodel/classes/decode.rs` reads what this file writes; the two lists of type codes must stay equal.
//! Everything is sorted by name, so that ids are the same on every machine.

use std::collections::BTreeMap;
use std::path::PathBuf;

use rbx_reflection::{
    ClassDescriptor, ClassTag, DataType, PropertyDescriptor, PropertyKind, PropertySerialization,
    PropertyTag, ReflectionDatabase, Scriptability,
};
use rbx_types::{ContentType, PhysicalProperties, Variant, VariantType, Vector3};

/// Append-only bytes of the blob.
#[derive(Default)]
struct Blob(Vec<u8>);

impl Blob {
    fn byte(&mut self, value: u8) {
        self.0.push(value);
    }

    /// Base 128, low group first.
    fn count(&mut self, mut value: usize) {
        while value >= 0x80 {
            self.byte((value & 0x7f) as u8 | 0x80);
            value >>= 7;
        }
        self.byte(value as u8);
    }

    fn text(&mut self, value: &str) {
        self.count(value.len());
        self.0.extend_from_slice(value.as_bytes());
    }

    fn double(&mut self, value: f64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    fn floats(&mut self, values: &[f32]) {
        self.count(values.len());
        for value in values {
            self.0.extend_from_slice(&value.to_le_bytes());
        }
    }
}

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let database = rbx_reflection_database::get_bundled();
    let out = PathBuf::from(std::env::var("OUT_DIR").expect("cargo sets OUT_DIR"));
    std::fs::write(out.join("classes.bin"), encode(database)).expect("OUT_DIR can be written to");
}

fn encode(database: &ReflectionDatabase) -> Vec<u8> {
    let classes: BTreeMap<_, _> = database.classes.iter().map(|(name, class)| (*name, class)).collect();
    let enums: BTreeMap<_, _> = database.enums.iter().map(|(name, list)| (*name, list)).collect();
    let class_index = |name: &str| classes.keys().position(|other| *other == name);
    let enum_index = |name: &str| enums.keys().position(|other| *other == name);

    let mut blob = Blob::default();
    blob.count(enums.len());
    for (name, list) in &enums {
        blob.text(name);
        let mut items: Vec<_> = list.items.iter().map(|(item, value)| (*value, *item)).collect();
        items.sort_unstable();
        blob.count(items.len());
        for (value, item) in items {
            blob.text(item);
            blob.count(value as usize);
        }
    }
    blob.count(classes.len());
    for (name, class) in &classes {
        blob.text(name);
        blob.count(class.superclass.and_then(class_index).map_or(0, |index| index + 1));
        blob.byte(class_tags(class));
        let properties: BTreeMap<_, _> = class.properties.iter().collect();
        blob.count(properties.len());
        for property in properties.values() {
            encode_property(&mut blob, property, &enum_index);
        }
        let defaults = own_defaults(database, class);
        blob.count(defaults.len());
        for (property, value) in defaults {
            blob.text(property);
            let type_of_enum = enum_of(database, class, property).and_then(enum_index);
            encode_value(&mut blob, value, type_of_enum);
        }
    }
    blob.0
}

fn class_tags(class: &ClassDescriptor) -> u8 {
    let bits = [
        (ClassTag::Service, 1),
        (ClassTag::NotCreatable, 2),
        (ClassTag::NotReplicated, 4),
        (ClassTag::PlayerReplicated, 8),
        (ClassTag::Deprecated, 16),
        (ClassTag::Settings, 32),
        (ClassTag::UserSettings, 64),
    ];
    bits.iter().filter(|(tag, _)| class.tags.contains(tag)).map(|(_, bit)| bit).sum()
}

/// Defaults that are not the same as the superclass's.
fn own_defaults<'a>(
    database: &'a ReflectionDatabase<'a>,
    class: &'a ClassDescriptor<'a>,
) -> BTreeMap<&'a str, &'a Variant> {
    let superclass = class.superclass.and_then(|name| database.classes.get(name));
    class
        .default_properties
        .iter()
        .filter(|(name, value)| {
            superclass.and_then(|other| database.find_default_property(other, name)) != Some(*value)
        })
        .filter(|(_, value)| type_code(value.ty()) != 0)
        .map(|(name, value)| (*name, value))
        .collect()
}

fn enum_of<'a>(
    database: &'a ReflectionDatabase<'a>,
    class: &'a ClassDescriptor<'a>,
    property: &str,
) -> Option<&'a str> {
    let found = database.superclasses_iter(class).find_map(|class| class.properties.get(property))?;
    match found.data_type {
        DataType::Enum(name) => Some(name),
        _ => None,
    }
}

fn encode_property(
    blob: &mut Blob,
    property: &PropertyDescriptor,
    enum_index: &impl Fn(&str) -> Option<usize>,
) {
    blob.text(property.name);
    match property.data_type {
        DataType::Enum(name) => {
            blob.byte(ENUM);
            blob.count(enum_index(name).map_or(0, |index| index + 1));
        }
        DataType::Value(ty) => blob.byte(type_code(ty)),
        _ => blob.byte(0),
    }
    let access = match property.scriptability {
        Scriptability::ReadWrite => 1,
        Scriptability::Read => 2,
        Scriptability::Write => 3,
        Scriptability::Custom => 4,
        _ => 0,
    };
    let tags = [
        (PropertyTag::NotReplicated, 8),
        (PropertyTag::ReadOnly, 16),
        (PropertyTag::Hidden, 64),
        (PropertyTag::NotScriptable, 128),
    ];
    let tags: u8 = tags.iter().filter(|(tag, _)| property.tags.contains(tag)).map(|(_, bit)| bit).sum();
    blob.byte(access | tags);
    match &property.kind {
        PropertyKind::Alias { alias_for } => {
            blob.byte(1);
            blob.text(alias_for);
        }
        PropertyKind::Canonical { serialization: PropertySerialization::SerializesAs(name) } => {
            blob.byte(2);
            blob.text(name);
        }
        _ => blob.byte(0),
    }
}

const ENUM: u8 = 4;

/// The code of a type in the blob; 0 for what no script and no default can hold.
fn type_code(ty: VariantType) -> u8 {
    match ty {
        VariantType::Bool => 1,
        VariantType::String => 2,
        VariantType::Ref => 3,
        VariantType::Enum | VariantType::EnumItem => ENUM,
        VariantType::Int32 => 5,
        VariantType::Int64 => 6,
        VariantType::Float32 => 7,
        VariantType::Float64 => 8,
        VariantType::BinaryString => 9,
        VariantType::Content => 10,
        VariantType::ContentId => 11,
        VariantType::Font => 12,
        VariantType::Axes => 13,
        VariantType::BrickColor => 14,
        VariantType::CFrame => 15,
        VariantType::OptionalCFrame => 16,
        VariantType::Color3 => 17,
        VariantType::Color3uint8 => 18,
        VariantType::ColorSequence => 19,
        VariantType::Faces => 20,
        VariantType::NumberRange => 21,
        VariantType::NumberSequence => 22,
        VariantType::PhysicalProperties => 23,
        VariantType::Ray => 24,
        VariantType::Rect => 25,
        VariantType::Region3 => 26,
        VariantType::Region3int16 => 27,
        VariantType::UDim => 28,
        VariantType::UDim2 => 29,
        VariantType::Vector2 => 30,
        VariantType::Vector2int16 => 31,
        VariantType::Vector3 => 32,
        VariantType::Vector3int16 => 33,
        _ => 0,
    }
}

/// Type code, then bool: one byte; numbers: a double; texts: a text; enums: index + 1 and value; the rest: floats.
fn encode_value(blob: &mut Blob, value: &Variant, type_of_enum: Option<usize>) {
    blob.byte(type_code(value.ty()));
    match value {
        Variant::Bool(value) => blob.byte(u8::from(*value)),
        Variant::Int32(value) => blob.double(f64::from(*value)),
        Variant::Int64(value) => blob.double(*value as f64),
        Variant::Float32(value) => blob.double(f64::from(*value)),
        Variant::Float64(value) => blob.double(*value),
        Variant::String(value) => blob.text(value),
        Variant::BinaryString(value) => {
            let bytes: &[u8] = value.as_ref();
            blob.text(&String::from_utf8_lossy(bytes));
        }
        Variant::ContentId(value) => blob.text(value.as_str()),
        Variant::Content(value) => match value.value() {
            ContentType::Uri(uri) => blob.text(uri),
            _ => blob.text(""),
        },
        Variant::Ref(_) => {}
        Variant::Enum(value) => {
            blob.count(type_of_enum.map_or(0, |index| index + 1));
            blob.count(value.to_u32() as usize);
        }
        Variant::Font(font) => {
            blob.text(&font.family);
            blob.count(usize::from(font.weight.as_u16()));
            blob.byte(font.style.as_u8());
        }
        other => blob.floats(&parts(other)),
    }
}

/// The numbers a composite value is made of, in the order of its constructor.
fn parts(value: &Variant) -> Vec<f32> {
    let v3 = |v: &Vector3| [v.x, v.y, v.z];
    let frame = |frame: &rbx_types::CFrame| {
        let m = &frame.orientation;
        [v3(&frame.position), v3(&m.x), v3(&m.y), v3(&m.z)].concat()
    };
    match value {
        Variant::Axes(value) => vec![f32::from(value.bits())],
        Variant::Faces(value) => vec![f32::from(value.bits())],
        Variant::BrickColor(value) => vec![f32::from(*value as u16)],
        Variant::CFrame(value) => frame(value),
        Variant::OptionalCFrame(value) => value.as_ref().map(frame).unwrap_or_default(),
        Variant::Color3(c) => vec![c.r, c.g, c.b],
        Variant::Color3uint8(c) => [c.r, c.g, c.b].map(|part| f32::from(part) / 255.0).to_vec(),
        Variant::ColorSequence(value) => {
            value.keypoints.iter().flat_map(|k| [k.time, k.color.r, k.color.g, k.color.b]).collect()
        }
        Variant::NumberRange(range) => vec![range.min, range.max],
        Variant::NumberSequence(value) => {
            value.keypoints.iter().flat_map(|k| [k.time, k.value, k.envelope]).collect()
        }
        Variant::PhysicalProperties(PhysicalProperties::Custom(custom)) => vec![
            custom.density(),
            custom.friction(),
            custom.elasticity(),
            custom.friction_weight(),
            custom.elasticity_weight(),
        ],
        Variant::Ray(ray) => [v3(&ray.origin), v3(&ray.direction)].concat(),
        Variant::Rect(rect) => vec![rect.min.x, rect.min.y, rect.max.x, rect.max.y],
        Variant::Region3(region) => [v3(&region.min), v3(&region.max)].concat(),
        Variant::UDim(d) => vec![d.scale, d.offset as f32],
        Variant::UDim2(d) => vec![d.x.scale, d.x.offset as f32, d.y.scale, d.y.offset as f32],
        Variant::Vector2(v) => vec![v.x, v.y],
        Variant::Vector2int16(v) => vec![f32::from(v.x), f32::from(v.y)],
        Variant::Vector3(v) => v3(v).to_vec(),
        Variant::Vector3int16(v) => vec![f32::from(v.x), f32::from(v.y), f32::from(v.z)],
        Variant::Region3int16(region) => {
            let (a, b) = (&region.min, &region.max);
            [a.x, a.y, a.z, b.x, b.y, b.z].map(f32::from).to_vec()
        }
        _ => Vec::new(),
    }
}
