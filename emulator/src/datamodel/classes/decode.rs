//! Reads the blob that `build.rs` writes. The two lists of type codes must stay equal.
//!
//! The blob is a part of this binary, so reading past its end is a fault of the build and may panic.

use super::{Class, ClassId, Constant, DataType, EnumId, EnumInfo, Property, PropertyId, Tables};

const NOT_REPLICATED: u8 = 8;

struct Reader {
    rest: &'static [u8],
}

impl Reader {
    fn take(&mut self, count: usize) -> &'static [u8] {
        let (head, rest) = self.rest.split_at(count);
        self.rest = rest;
        head
    }

    fn byte(&mut self) -> u8 {
        self.take(1)[0]
    }

    fn count(&mut self) -> usize {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = self.byte();
            value |= usize::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return value;
            }
            shift += 7;
        }
    }

    /// A count where 0 means none and n means index n - 1.
    fn opt_index(&mut self) -> Option<u16> {
        self.count().checked_sub(1).map(|index| index as u16)
    }

    fn text(&mut self) -> &'static str {
        let len = self.count();
        std::str::from_utf8(self.take(len)).unwrap_or_else(|_| unreachable!("build.rs writes UTF-8"))
    }

    fn double(&mut self) -> f64 {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(self.take(8));
        f64::from_le_bytes(bytes)
    }

    fn floats(&mut self) -> Box<[f32]> {
        let count = self.count();
        let float = |bytes: &[u8]| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        self.take(count * 4).chunks_exact(4).map(float).collect()
    }

    fn data_type(&mut self) -> DataType {
        match self.byte() {
            1 => DataType::Bool,
            2 => DataType::String,
            3 => DataType::Ref,
            4 => self.opt_index().map_or(DataType::Other, |index| DataType::Enum(EnumId(index))),
            5 => DataType::Int32,
            6 => DataType::Int64,
            7 => DataType::Float32,
            8 => DataType::Float64,
            9 => DataType::BinaryString,
            10 => DataType::Content,
            11 => DataType::ContentId,
            12 => DataType::Font,
            13 => DataType::Axes,
            14 => DataType::BrickColor,
            15 => DataType::CFrame,
            16 => DataType::OptionalCFrame,
            17 => DataType::Color3,
            18 => DataType::Color3uint8,
            19 => DataType::ColorSequence,
            20 => DataType::Faces,
            21 => DataType::NumberRange,
            22 => DataType::NumberSequence,
            23 => DataType::PhysicalProperties,
            24 => DataType::Ray,
            25 => DataType::Rect,
            26 => DataType::Region3,
            27 => DataType::Region3int16,
            28 => DataType::UDim,
            29 => DataType::UDim2,
            30 => DataType::Vector2,
            31 => DataType::Vector2int16,
            32 => DataType::Vector3,
            33 => DataType::Vector3int16,
            _ => DataType::Other,
        }
    }

    fn constant(&mut self) -> Constant {
        let data_type = self.data_type();
        match data_type {
            DataType::Bool => Constant::Bool(self.byte() != 0),
            DataType::Int32 | DataType::Int64 | DataType::Float32 | DataType::Float64 => {
                Constant::Number(self.double())
            }
            DataType::String | DataType::BinaryString | DataType::Content | DataType::ContentId => {
                Constant::Text(self.text())
            }
            DataType::Ref => Constant::Nil,
            DataType::Enum(id) => Constant::Enum(id, self.count() as u32),
            DataType::Other => {
                // An enum default whose enum the database does not list.
                self.count();
                Constant::Nil
            }
            DataType::Font => {
                let family = self.text();
                let weight = self.count() as u16;
                Constant::Font(family, weight, self.byte())
            }
            composite => Constant::Parts(composite, self.floats()),
        }
    }
}

/// A property before names of other properties can be looked up.
struct Link {
    own: PropertyId,
    kind: u8,
    other: &'static str,
}

pub(super) fn decode(blob: &'static [u8]) -> Tables {
    let mut reader = Reader { rest: blob };
    let mut tables = Tables::default();
    for index in 0..reader.count() {
        let name = reader.text();
        let items = (0..reader.count()).map(|_| (reader.text(), reader.count() as u32)).collect();
        tables.enum_ids.insert(name, EnumId(index as u16));
        tables.enums.push(EnumInfo { name, items });
    }

    let mut links = Vec::new();
    let mut defaults = Vec::new();
    for index in 0..reader.count() {
        let class = ClassId(index as u16);
        let name = reader.text();
        let superclass = reader.opt_index().map(ClassId);
        let tags = reader.byte();
        for _ in 0..reader.count() {
            links.extend(property(&mut reader, &mut tables, class));
        }
        let own: Vec<_> = (0..reader.count()).map(|_| (reader.text(), reader.constant())).collect();
        defaults.push(own);
        tables.class_ids.insert(name, class);
        tables.classes.push(Class { name, superclass, tags, span: (0, 0), defaults: Vec::new() });
    }
    number(&mut tables);
    for link in links {
        resolve(&mut tables, &link);
    }
    join_old_spellings(&mut tables);
    join_stored_twins(&mut tables);
    share_replication(&mut tables);
    for (index, own) in defaults.into_iter().enumerate() {
        let class = ClassId(index as u16);
        let mut resolved: Vec<(PropertyId, Constant)> = own
            .into_iter()
            .filter_map(|(name, value)| {
                let id = find(&tables, class, name)?;
                Some((tables.properties[id.0 as usize].stored_as, value))
            })
            .collect();
        resolved.sort_by_key(|(id, _)| *id);
        resolved.dedup_by_key(|(id, _)| *id);
        tables.classes[index].defaults = resolved;
    }
    tables
}

fn property(reader: &mut Reader, tables: &mut Tables, class: ClassId) -> Option<Link> {
    let own = PropertyId(tables.properties.len() as u16);
    let name = reader.text();
    let data_type = reader.data_type();
    let flags = reader.byte();
    tables.properties.push(Property { name, class, data_type, flags, stored_as: own });
    tables.property_ids.entry(name).or_default().push(own);
    match reader.byte() {
        0 => None,
        kind => Some(Link { own, kind, other: reader.text() }),
    }
}

/// Numbers the class tree depth first, so that "is a" becomes two comparisons.
fn number(tables: &mut Tables) {
    let mut children = vec![Vec::new(); tables.classes.len()];
    let mut roots = Vec::new();
    for (index, class) in tables.classes.iter().enumerate() {
        match class.superclass {
            Some(parent) => children[parent.0 as usize].push(index),
            None => roots.push(index),
        }
    }
    let mut next = 0;
    for root in roots {
        number_one(tables, &children, root, &mut next);
    }
}

fn number_one(tables: &mut Tables, children: &[Vec<usize>], index: usize, next: &mut u16) {
    let first = *next;
    *next += 1;
    for child in &children[index] {
        number_one(tables, children, *child, next);
    }
    tables.classes[index].span = (first, *next);
}

/// [`ClassId::property`] before the tables are public.
fn find(tables: &Tables, class: ClassId, name: &str) -> Option<PropertyId> {
    let own = tables.classes[class.0 as usize].span.0;
    tables.property_ids.get(name)?.iter().copied().find(|id| {
        let (first, end) = tables.classes[tables.properties[id.0 as usize].class.0 as usize].span;
        first <= own && own < end
    })
}

fn resolve(tables: &mut Tables, link: &Link) {
    let class = tables.properties[link.own.0 as usize].class;
    let Some(other) = find(tables, class, link.other) else { return };
    // An alias is kept under the property it stands for; a serialised form under the property scripts see.
    let (own_type, other_type) =
        (tables.properties[link.own.0 as usize].data_type, tables.properties[other.0 as usize].data_type);
    match link.kind {
        1 if own_type == other_type => tables.properties[link.own.0 as usize].stored_as = other,
        1 if other_type != DataType::Color3uint8 || own_type != DataType::Color3 => {}
        _ => tables.properties[other.0 as usize].stored_as = link.own,
    }
}

/// What files store under another name and the database does not link: `Health_XML` is the default and the stored form
/// of `Health`.
fn join_stored_twins(tables: &mut Tables) {
    for index in 0..tables.properties.len() {
        let Property { name, class, data_type, .. } = tables.properties[index];
        let Some(other) = name.strip_suffix("_XML").and_then(|name| find(tables, class, name)) else {
            continue;
        };
        if tables.properties[other.0 as usize].data_type == data_type {
            tables.properties[index].stored_as = tables.properties[other.0 as usize].stored_as;
        }
    }
}

/// Old lower-case spellings that the database does not list as aliases: `userId` for `UserId`.
fn join_old_spellings(tables: &mut Tables) {
    for index in 0..tables.properties.len() {
        let property = &tables.properties[index];
        let name = property.name;
        if property.stored_as != PropertyId(index as u16)
            || !name.starts_with(|first: char| first.is_ascii_lowercase())
        {
            continue;
        }
        let mut upper = name.to_owned();
        upper[..1].make_ascii_uppercase();
        let Some(other) = find(tables, property.class, &upper) else { continue };
        if tables.properties[other.0 as usize].data_type == property.data_type {
            tables.properties[index].stored_as = tables.properties[other.0 as usize].stored_as;
        }
    }
}

/// Roblox replicates `Color3uint8` and not `Color`: here, where both are one, the one that is kept replicates.
fn share_replication(tables: &mut Tables) {
    for index in 0..tables.properties.len() {
        let stored = tables.properties[index].stored_as;
        if tables.properties[index].flags & NOT_REPLICATED == 0 {
            tables.properties[stored.0 as usize].flags &= !NOT_REPLICATED;
        }
    }
}
