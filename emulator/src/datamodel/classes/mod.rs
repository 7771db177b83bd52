//! Classes, properties, defaults and enums of Roblox, as small ids into one static table.
//!
//! The table is made by `build.rs` from `rbx_reflection_database` and decoded at first use, once a process. It holds no
//! methods, events or callbacks: those are in [`super::members`]. Ids follow the alphabet, so they are the same in
//! every build of one database; never store them in a file.
//! Start at [`class_by_name`], [`enum_by_name`] and the methods of the ids.

mod decode;

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

pub use crate::value::{EnumId, EnumItemId};

/// A class: an index into the class table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClassId(pub u16);

/// A property as declared by one class: an index into the table of all properties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PropertyId(pub u16);

/// What the database says of a class.
#[derive(Debug)]
pub struct Class {
    /// Its name: `"Part"`.
    pub name: &'static str,
    /// The class it extends; `None` for the root.
    pub superclass: Option<ClassId>,
    tags: u8,
    /// Position in a depth-first walk of the class tree, and the position after its last subclass.
    span: (u16, u16),
    defaults: Vec<(PropertyId, Constant)>,
}

/// What the database says of a property.
#[derive(Debug)]
pub struct Property {
    /// Its name: `"Transparency"`.
    pub name: &'static str,
    /// The class that declares it.
    pub class: ClassId,
    /// The type of its values.
    pub data_type: DataType,
    flags: u8,
    /// The property its value is kept under: itself, but for aliases and serialised forms.
    pub stored_as: PropertyId,
}

/// An enum and its items, in order of value.
#[derive(Debug)]
pub struct EnumInfo {
    /// Its name: `"Material"`.
    pub name: &'static str,
    /// Names and values, lowest value first.
    pub items: Vec<(&'static str, u32)>,
}

/// How scripts may use a property.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Not at all: to a script it is no member.
    None,
    /// Read and assign.
    ReadWrite,
    /// Read only.
    Read,
    /// Assign only.
    Write,
    /// Only through methods, such as tags.
    Custom,
}

/// Type of a property's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is the Roblox type of that name")]
pub enum DataType {
    /// A type no script can hold.
    Other,
    Bool,
    String,
    /// An instance or nil.
    Ref,
    Enum(EnumId),
    Int32,
    Int64,
    Float32,
    Float64,
    BinaryString,
    Content,
    ContentId,
    Font,
    Axes,
    BrickColor,
    CFrame,
    OptionalCFrame,
    Color3,
    Color3uint8,
    ColorSequence,
    Faces,
    NumberRange,
    NumberSequence,
    PhysicalProperties,
    Ray,
    Rect,
    Region3,
    Region3int16,
    UDim,
    UDim2,
    Vector2,
    Vector2int16,
    Vector3,
    Vector3int16,
}

/// A default value, free of any VM.
#[derive(Debug, Clone, PartialEq)]
pub enum Constant {
    /// No instance.
    Nil,
    /// `true` or `false`.
    Bool(bool),
    /// Any of the number types.
    Number(f64),
    /// A string, a binary string or an asset's address.
    Text(&'static str),
    /// An enum and the value of one of its items.
    Enum(EnumId, u32),
    /// A font face: family, weight (100 to 900), style (0 normal, 1 italic).
    Font(&'static str, u16, u8),
    /// A composite value by its numbers, in the order of its widest constructor: a `CFrame` is its position and three
    /// rows of rotation; keypoints are time, then value and envelope or red, green, blue; `BrickColor` its number;
    /// `Axes` and `Faces` a bit set; `PhysicalProperties` empty for those of the material.
    Parts(DataType, Box<[f32]>),
}

/// All tables.
#[derive(Debug, Default)]
struct Tables {
    classes: Vec<Class>,
    class_ids: FxHashMap<&'static str, ClassId>,
    properties: Vec<Property>,
    /// Every property of a name, whichever class declares it.
    property_ids: FxHashMap<&'static str, Vec<PropertyId>>,
    enums: Vec<EnumInfo>,
    enum_ids: FxHashMap<&'static str, EnumId>,
}

fn tables() -> &'static Tables {
    static TABLES: OnceLock<Tables> = OnceLock::new();
    TABLES.get_or_init(|| decode::decode(include_bytes!(concat!(env!("OUT_DIR"), "/classes.bin"))))
}

/// The class called `name`, upper and lower case distinguished.
pub fn class_by_name(name: &str) -> Option<ClassId> {
    tables().class_ids.get(name).copied()
}

/// The class called `name`, for names written in our own source.
///
/// Panics on a name that the database lacks, so a test that reaches the line once is enough to trust it.
pub fn known_class(name: &str) -> ClassId {
    class_by_name(name).unwrap_or_else(|| unreachable!("the class database has {name}"))
}

/// All classes, in alphabetical order.
pub fn all_classes() -> impl Iterator<Item = ClassId> {
    (0..tables().classes.len()).map(|index| ClassId(index as u16))
}

/// The enum called `name`.
pub fn enum_by_name(name: &str) -> Option<EnumId> {
    tables().enum_ids.get(name).copied()
}

/// All enums, in alphabetical order.
pub fn all_enums() -> impl Iterator<Item = EnumId> {
    (0..tables().enums.len()).map(|index| EnumId(index as u16))
}

/// All property names of all classes, in no particular order.
pub fn property_names() -> impl Iterator<Item = &'static str> {
    tables().property_ids.keys().copied()
}

impl ClassId {
    /// The class's row of the table.
    pub fn info(self) -> &'static Class {
        &tables().classes[self.0 as usize]
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Whether it is `other` or extends it, however far.
    pub fn is_a(self, other: ClassId) -> bool {
        let (first, end) = other.info().span;
        let own = self.info().span.0;
        first <= own && own < end
    }

    /// [`Self::is_a`] by name; true for every class if `name` is `"Object"`, false for a name that is no class.
    pub fn is_a_name(self, name: &str) -> bool {
        name == "Object" || class_by_name(name).is_some_and(|other| self.is_a(other))
    }

    /// The class, its superclass, and so on to the root.
    pub fn lineage(self) -> impl Iterator<Item = ClassId> {
        std::iter::successors(Some(self), |class| class.info().superclass)
    }

    /// A service: made by `GetService`, at most one of it.
    pub fn is_service(self) -> bool {
        self.info().tags & 1 != 0
    }

    /// Whether `Instance.new` makes it. Services and abstract classes cannot be made.
    pub fn is_creatable(self) -> bool {
        self.info().tags & (1 | 2 | 32 | 64) == 0
    }

    /// Whether instances of the class stay on the side that made them.
    pub fn is_not_replicated(self) -> bool {
        self.info().tags & 4 != 0
    }

    /// Whether instances of the class go to one player only, the one they belong to.
    pub fn is_player_replicated(self) -> bool {
        self.info().tags & 8 != 0
    }

    /// The property of that name, own or inherited, whatever its access.
    pub fn property(self, name: &str) -> Option<PropertyId> {
        let candidates = tables().property_ids.get(name)?;
        candidates.iter().copied().find(|id| self.is_a(id.info().class))
    }

    /// All properties, those of superclasses first, each class's in alphabetical order.
    pub fn properties(self) -> Vec<PropertyId> {
        let lineage: Vec<_> = self.lineage().collect();
        let all = &tables().properties;
        // The table is ordered by class, so each class's properties are one run of it.
        let run = |class: &ClassId| {
            let start = all.partition_point(|property| property.class < *class);
            let end = all.partition_point(|property| property.class <= *class);
            (start..end).map(|index| PropertyId(index as u16))
        };
        lineage.iter().rev().flat_map(run).collect()
    }

    /// The value a fresh instance has, if the database knows it.
    pub fn default(self, property: PropertyId) -> Option<&'static Constant> {
        let stored = property.info().stored_as;
        self.lineage().find_map(|class| {
            let defaults = &class.info().defaults;
            let at = defaults.binary_search_by_key(&stored, |(id, _)| *id).ok()?;
            Some(&defaults[at].1)
        })
    }
}

impl PropertyId {
    /// The property's row of the table.
    pub fn info(self) -> &'static Property {
        &tables().properties[self.0 as usize]
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.info().name
    }
}

impl Property {
    /// What scripts may do with it.
    pub fn access(&self) -> Access {
        if self.flags & 128 != 0 {
            return Access::None;
        }
        match self.flags & 7 {
            1 if self.flags & 16 != 0 => Access::Read,
            1 => Access::ReadWrite,
            2 => Access::Read,
            3 => Access::Write,
            4 => Access::Custom,
            _ => Access::None,
        }
    }

    /// Whether a change on the server reaches clients.
    pub fn replicates(&self) -> bool {
        self.flags & 8 == 0
    }
}

impl EnumId {
    /// The enum's row of the table.
    pub fn info(self) -> &'static EnumInfo {
        &tables().enums[self.0 as usize]
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// All items, lowest value first.
    pub fn items(self) -> impl Iterator<Item = EnumItemId> {
        self.info().items.iter().map(move |(_, value)| EnumItemId { enum_: self, value: *value })
    }

    /// The item called `name`.
    pub fn item_by_name(self, name: &str) -> Option<EnumItemId> {
        // The engine renamed this one and still knows it by its old name, which most code uses.
        let name = if name == "Unknown" && self.info().name == "KeyCode" { "None" } else { name };
        let found = self.info().items.iter().find(|(item, _)| *item == name)?;
        Some(EnumItemId { enum_: self, value: found.1 })
    }

    /// The item of that value.
    pub fn item_by_value(self, value: u32) -> Option<EnumItemId> {
        let found = self.info().items.iter().find(|(_, other)| *other == value)?;
        Some(EnumItemId { enum_: self, value: found.1 })
    }
}

impl EnumItemId {
    /// Its name; the first in the alphabet where the enum has several of one value. Empty for a value no item has.
    pub fn name(self) -> &'static str {
        let found = self.enum_.info().items.iter().find(|(_, value)| *value == self.value);
        found.map_or("", |(name, _)| name)
    }
}

/// The item `name` of the enum `list`, if both exist.
pub fn enum_item(list: &str, name: &str) -> Option<EnumItemId> {
    enum_by_name(list)?.item_by_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn constant(class: &str, property: &str) -> Option<Constant> {
        let class = class_by_name(class).unwrap();
        class.default(class.property(property).unwrap()).cloned()
    }

    #[test]
    fn classes_know_their_kin() {
        let part = class_by_name("Part").unwrap();
        assert!(part.is_a_name("BasePart") && part.is_a_name("Instance") && part.is_a_name("Object"));
        assert!(!part.is_a_name("Model") && !part.is_a_name("Nonsense"));
        let names: Vec<_> = part.lineage().map(ClassId::name).collect();
        assert_eq!(names[..3], ["Part", "FormFactorPart", "BasePart"]);
        assert!(class_by_name("part").is_none());
    }

    #[test]
    fn tags_decide_what_can_be_made() {
        assert!(known_class("Folder").is_creatable());
        assert!(!known_class("BasePart").is_creatable());
        assert!(!known_class("ReplicatedStorage").is_creatable());
        assert!(known_class("RunService").is_service() && !known_class("Folder").is_service());
        assert!(known_class("ServerStorage").is_not_replicated());
    }

    #[test]
    fn properties_have_types_access_and_defaults() {
        let part = known_class("Part");
        let anchored = part.property("Anchored").unwrap();
        assert_eq!(anchored.info().data_type, DataType::Bool);
        assert_eq!(anchored.info().access(), Access::ReadWrite);
        assert_eq!(part.property("ClassName").unwrap().info().access(), Access::Read);
        assert_eq!(constant("Part", "Anchored"), Some(Constant::Bool(false)));
        assert_eq!(constant("Part", "Transparency"), Some(Constant::Number(0.0)));
        assert_eq!(constant("StringValue", "Value"), Some(Constant::Text("")));
        let size = Constant::Parts(DataType::Vector3, Box::new([4.0, 1.2, 2.0]));
        assert_eq!(constant("Part", "Size"), Some(size));
        let plastic = enum_by_name("Material").unwrap().item_by_name("Plastic").unwrap();
        assert_eq!(constant("Part", "Material"), Some(Constant::Enum(plastic.enum_, plastic.value)));
        assert!(part.property("Nope").is_none());
    }

    #[test]
    fn a_serialised_form_is_kept_under_the_name_scripts_use() {
        let part = known_class("Part");
        let color = part.property("Color").unwrap();
        assert_eq!(part.property("Color3uint8").unwrap().info().stored_as, color);
        assert_eq!(
            part.property("brickColor").unwrap().info().stored_as,
            part.property("BrickColor").unwrap()
        );
        assert!(part.default(color).is_some());
    }

    #[test]
    fn enums_are_found_by_name_and_value() {
        let material = enum_by_name("SignalBehavior").unwrap();
        let deferred = material.item_by_name("Deferred").unwrap();
        assert_eq!((deferred.name(), deferred.value, deferred.enum_), ("Deferred", 2, material));
        assert_eq!(material.item_by_value(1).unwrap().name(), "Immediate");
        assert!(material.item_by_name("Nope").is_none() && enum_by_name("Nope").is_none());
        assert_eq!(enum_item("CloseReason", "ServerEmpty").unwrap().value, 4);
    }
}
