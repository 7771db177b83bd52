//! The engine's datatypes: one file each, float32 where the engine has it.
//!
//! A file has the type and its mathematics first, free of any VM, then what scripts see of it: constructors, members,
//! operators. `Vector3` is the VM's own vector and enum items are handles of the VM; every other type is a plain `Copy`
//! structure that the VM keeps in tagged userdata. [`Datatype`] is any of the latter outside a VM: what properties,
//! attributes and packets hold.
//!
//! Start at [`Datatype`] for the list, at `cframe` for the richest type.

use crate::vm::{Failure, Vm};

pub mod axes_faces;
pub mod brick_color;
pub mod cframe;
pub mod color3;
pub mod color_sequence;
pub mod content;
pub mod date_time;
pub mod enums;
pub mod font;
pub mod inline_text;
pub mod keypoints;
#[cfg(test)]
mod law_tests;
pub mod number_range;
pub mod number_sequence;
pub mod path_waypoint;
pub mod physical_properties;
pub mod query_params;
pub mod random;
pub mod ray;
pub mod rect;
pub mod region3;
mod script;
#[cfg(test)]
mod script_tests;
pub mod shared_table;
pub mod text;
pub mod tween_info;
pub mod udim;
pub mod udim2;
pub mod vector2;
pub mod vector3;
pub mod vector_int16;

pub use axes_faces::{Axes, Faces};
pub use brick_color::BrickColor;
pub use cframe::CFrame;
pub use color_sequence::{ColorSequence, ColorSequenceKeypoint};
pub use color3::Color3;
pub use content::Content;
pub use date_time::DateTime;
pub use font::Font;
pub use number_range::NumberRange;
pub use number_sequence::{NumberSequence, NumberSequenceKeypoint};
pub use path_waypoint::PathWaypoint;
pub use physical_properties::PhysicalProperties;
pub use query_params::{OverlapParams, RaycastParams};
pub use random::Random;
pub use ray::Ray;
pub use rect::Rect;
pub use region3::Region3;
pub use shared_table::SharedTable;
pub use tween_info::TweenInfo;
pub use udim::UDim;
pub use udim2::UDim2;
pub use vector_int16::{Region3int16, Vector2int16, Vector3int16};
pub use vector2::Vector2;
pub use vector3::Vector3;

/// Describes every datatype to a VM and adds their libraries, from `Vector3` to `Enum`. Before the VM is sealed.
pub fn install(vm: &Vm) -> Result<(), Failure> {
    vector3::install(vm)?;
    cframe::script::install(vm)?;
    color3::install(vm)?;
    enums::install(vm)?;
    vector2::install(vm)?;
    udim::install(vm)?;
    udim2::install(vm)?;
    number_range::install(vm)?;
    brick_color::install(vm)?;
    color_sequence::install(vm)?;
    color_sequence::keypoint::install(vm)?;
    number_sequence::install(vm)?;
    number_sequence::keypoint::install(vm)?;
    tween_info::install(vm)?;
    date_time::install(vm)?;
    random::install(vm)?;
    rect::install(vm)?;
    ray::install(vm)?;
    region3::install(vm)?;
    vector_int16::install(vm)?;
    physical_properties::install(vm)?;
    axes_faces::install(vm)?;
    font::install(vm)?;
    content::install(vm)?;
    path_waypoint::install(vm)?;
    query_params::install(vm)?;
    shared_table::install(vm)
}

/// A datatype as scripts see it: names alone, for people and tools.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeSurface {
    /// The engine's name of the type.
    pub name: &'static str,
    /// What its library holds: constructors and constants, in alphabetical order.
    pub library: Vec<String>,
    /// Properties of a value.
    pub properties: Vec<&'static str>,
    /// Methods of a value.
    pub methods: Vec<&'static str>,
}

/// What scripts can use of every datatype, in alphabetical order. Errors: there is no memory for a VM.
pub fn surface() -> Result<Vec<TypeSurface>, Failure> {
    let vm = Vm::new(crate::vm::VmOptions::default())?;
    install(&vm)?;
    let mut names = script::names();
    let query = [
        "FilterDescendantsInstances",
        "FilterType",
        "CollisionGroup",
        "RespectCanCollide",
        "BruteForceAllSlow",
    ];
    let with = |more: &[&'static str]| query.iter().chain(more).copied().collect::<Vec<_>>();
    names.insert("RaycastParams", (with(&["IgnoreWater"]), vec!["AddToFilter"]));
    names.insert("OverlapParams", (with(&["MaxParts", "Tolerance"]), vec!["AddToFilter"]));
    names.insert("SharedTable", (Vec::new(), Vec::new()));
    names.insert("EnumItem", (vec!["Name", "Value", "EnumType"], vec!["IsA"]));
    if let Some((properties, _)) = names.get_mut("Vector3") {
        // The parts of a vector are fields of the VM's own.
        properties.extend(
            ["X", "Y", "Z"].iter().filter(|part| !properties.contains(part)).copied().collect::<Vec<_>>(),
        );
    }
    vm.enter(|cx| {
        let mut all = Vec::new();
        for (name, (properties, methods)) in names {
            let mut library = Vec::new();
            cx.get_global(name);
            if cx.kind(-1) == crate::vm::Type::Table {
                cx.each(cx.top(), |key, _| {
                    library.push(cx.text(key)?);
                    Ok(())
                })?;
            }
            cx.pop(1);
            library.sort();
            all.push(TypeSurface { name, library, properties, methods });
        }
        Ok(all)
    })
}

/// A type of [`Datatype`]: its engine name and the way in and out of the enum.
pub trait Data: Clone + 'static {
    /// The engine's name of the type, as `typeof` gives it.
    const NAME: &'static str;
    /// A number of its own from 0, dense: what a VM's userdata tag is made from.
    const INDEX: usize;
    /// The value as any datatype.
    fn into_datatype(self) -> Datatype;
    /// The value of this type in `datatype`, if it is one.
    fn from_datatype(datatype: &Datatype) -> Option<&Self>;
}

/// Gives what the enum holds in place, and what it holds in a box since it is large.
macro_rules! datatypes {
    ($($index:literal $name:ident $(($boxed:ident))?,)*) => {
        /// A value of any of the engine's datatypes but `Vector3` and `EnumItem`, owned and free of a VM.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Datatype {
            $(
                #[doc = concat!("A `", stringify!($name), "`.")]
                $name(datatypes!(@held $name $($boxed)?)),
            )*
        }

        impl Datatype {
            /// The engine's names of all types, by their index.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),*];

            /// The index of the value's type.
            pub fn index(&self) -> usize {
                match self {
                    $(Self::$name(_) => $index,)*
                }
            }

            /// The engine's name of the value's type, as `typeof` gives it.
            pub fn type_name(&self) -> &'static str {
                match self {
                    $(Self::$name(_) => stringify!($name),)*
                }
            }
        }

        $(
            impl Data for $name {
                const NAME: &'static str = stringify!($name);
                const INDEX: usize = $index;

                fn into_datatype(self) -> Datatype {
                    Datatype::$name(self.into())
                }

                fn from_datatype(datatype: &Datatype) -> Option<&Self> {
                    match datatype {
                        Datatype::$name(value) => Some(value),
                        _ => None,
                    }
                }
            }

            impl From<$name> for Datatype {
                fn from(value: $name) -> Self {
                    value.into_datatype()
                }
            }
        )*
    };
    (@held $name:ident) => { $name };
    (@held $name:ident $boxed:ident) => { Box<$name> };
}

datatypes! {
    0 CFrame,
    1 Color3,
    2 Vector2,
    3 UDim,
    4 UDim2,
    5 NumberRange,
    6 BrickColor,
    7 ColorSequence (Box),
    8 ColorSequenceKeypoint,
    9 NumberSequence (Box),
    10 NumberSequenceKeypoint,
    11 TweenInfo,
    12 DateTime,
    13 Random,
    14 Rect,
    15 Ray,
    16 Region3,
    17 Vector2int16,
    18 Vector3int16,
    19 Region3int16,
    20 PhysicalProperties,
    21 Axes,
    22 Faces,
    23 Font (Box),
    24 Content (Box),
    25 PathWaypoint (Box),
    26 RaycastParams,
    27 OverlapParams,
    28 SharedTable,
}

impl Datatype {
    /// The text of the value, as `tostring` gives it.
    pub fn to_text(&self) -> String {
        match self {
            Self::CFrame(value) => value.to_text(),
            Self::Color3(value) => value.to_text(),
            Self::Vector2(value) => vector2::to_text(*value),
            Self::UDim(value) => value.to_text(),
            Self::UDim2(value) => value.to_text(),
            Self::NumberRange(value) => value.to_text(),
            Self::BrickColor(value) => value.to_text(),
            Self::ColorSequence(value) => value.to_text(),
            Self::ColorSequenceKeypoint(value) => value.to_text(),
            Self::NumberSequence(value) => value.to_text(),
            Self::NumberSequenceKeypoint(value) => value.to_text(),
            Self::TweenInfo(value) => value.to_text(),
            Self::DateTime(value) => value.to_text(),
            Self::Random(_) => "Random".to_owned(),
            Self::Rect(value) => value.to_text(),
            Self::Ray(value) => value.to_text(),
            Self::Region3(value) => value.to_text(),
            Self::Vector2int16(value) => value.to_text(),
            Self::Vector3int16(value) => value.to_text(),
            Self::Region3int16(value) => value.to_text(),
            Self::PhysicalProperties(value) => value.to_text(),
            Self::Axes(value) => value.to_text(),
            Self::Faces(value) => value.to_text(),
            Self::Font(value) => value.to_text(),
            Self::Content(value) => value.to_text(),
            Self::PathWaypoint(value) => value.to_text(),
            Self::RaycastParams(_) => "RaycastParams".to_owned(),
            Self::OverlapParams(_) => "OverlapParams".to_owned(),
            Self::SharedTable(_) => "SharedTable".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_dense_and_name_their_type() {
        assert_eq!(Datatype::NAMES.len(), SharedTable::INDEX + 1);
        assert_eq!(Datatype::NAMES[CFrame::INDEX], "CFrame");
        assert_eq!(Datatype::NAMES[Vector3int16::INDEX], "Vector3int16");
        assert_eq!(Datatype::NAMES[PathWaypoint::INDEX], PathWaypoint::NAME);
    }

    #[test]
    fn values_come_back_out() {
        let value = Datatype::from(UDim::new(0.5, 3));
        assert_eq!(value.type_name(), "UDim");
        assert_eq!(UDim::from_datatype(&value), Some(&UDim::new(0.5, 3)));
        assert_eq!(Color3::from_datatype(&value), None);
        assert_eq!(value, UDim::new(0.5, 3).into());
        // A property list holds many of these.
        assert!(size_of::<Datatype>() <= 64, "{}", size_of::<Datatype>());
    }
}
