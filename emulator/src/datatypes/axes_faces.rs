//! `Axes` and `Faces`: sets of directions. Engine pages: datatypes/Axes and datatypes/Faces, checked November 2026.

use super::script::{Property, enum_value, equal, return_data};
use crate::datamodel::classes::enum_by_name;
use crate::vm::{Cx, Failure, NativeFn, Outcome, Vm};
/// A set of the axes x, y and z.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Axes {
    /// Whether x, y and z are in the set.
    pub parts: [bool; 3],
}

/// A set of the faces of a box.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Faces {
    /// Whether each item of `Enum.NormalId` is in the set, by the item's value.
    pub parts: [bool; 6],
}

/// Names of the axes, in the order of `Enum.Axis`.
pub const AXES: [&str; 3] = ["X", "Y", "Z"];
/// Names of the faces, in the order of `Enum.NormalId`.
pub const FACES: [&str; 6] = ["Right", "Top", "Back", "Left", "Bottom", "Front"];

impl Axes {
    /// Adds the axis of an item of `Enum.Axis`, by its value.
    pub fn insert_axis(&mut self, value: u32) {
        if let Some(part) = self.parts.get_mut(value as usize) {
            *part = true;
        }
    }

    /// Adds the axis along which an item of `Enum.NormalId` lies, by its value.
    pub fn insert_normal(&mut self, value: u32) {
        if value < 6 {
            self.insert_axis(value % 3);
        }
    }

    /// The names in the set, joined with `, `.
    pub fn to_text(self) -> String {
        names(&AXES, &self.parts)
    }
}

impl Faces {
    /// Adds the face of an item of `Enum.NormalId`, by its value.
    pub fn insert(&mut self, value: u32) {
        if let Some(part) = self.parts.get_mut(value as usize) {
            *part = true;
        }
    }

    /// The names in the set, joined with `, `.
    pub fn to_text(self) -> String {
        names(&FACES, &self.parts)
    }
}

fn names(names: &[&str], parts: &[bool]) -> String {
    let chosen: Vec<&str> =
        names.iter().zip(parts).filter(|(_, part)| **part).map(|(name, _)| *name).collect();
    chosen.join(", ")
}

// ---------------------------------------------------------------- seen from scripts

/// Describes both types to a VM and adds their libraries.
pub(super) fn install(vm: &Vm) -> Result<(), Failure> {
    vm.register_data::<Axes>(axes::table())?;
    vm.register_data::<Faces>(faces::table())?;
    vm.set_library("Axes", &[("new", new_axes)], &[])?;
    vm.set_library("Faces", &[("new", new_faces)], &[])
}

/// Items of `Enum.Axis` or `Enum.NormalId`; anything else is passed over, as in the engine.
fn new_axes(cx: &mut Cx<'_>) -> Outcome {
    let mut axes = Axes::default();
    for index in 1..=cx.count() {
        let Ok(item) = cx.enum_item(index) else { continue };
        if enum_by_name("Axis").is_some_and(|list| list == item.enum_) {
            axes.insert_axis(item.value);
        } else if let Ok(value) = enum_value(cx, index, "NormalId") {
            axes.insert_normal(value);
        }
    }
    return_data(cx, axes)
}

fn new_faces(cx: &mut Cx<'_>) -> Outcome {
    let mut faces = Faces::default();
    for index in 1..=cx.count() {
        if let Ok(value) = enum_value(cx, index, "NormalId") {
            faces.insert(value);
        }
    }
    return_data(cx, faces)
}

/// `Axes` as scripts see it.
mod axes {
    use super::super::script::scripted;
    use super::{Axes, NativeFn, Property, equal};

    const PROPERTIES: &[(&str, Property<Axes>)] = &[
        ("X", |cx, this| cx.push_boolean(this.parts[0])),
        ("Y", |cx, this| cx.push_boolean(this.parts[1])),
        ("Z", |cx, this| cx.push_boolean(this.parts[2])),
        ("Right", |cx, this| cx.push_boolean(this.parts[0])),
        ("Top", |cx, this| cx.push_boolean(this.parts[1])),
        ("Back", |cx, this| cx.push_boolean(this.parts[2])),
        ("Left", |cx, this| cx.push_boolean(this.parts[0])),
        ("Bottom", |cx, this| cx.push_boolean(this.parts[1])),
        ("Front", |cx, this| cx.push_boolean(this.parts[2])),
    ];

    const METHODS: &[(&str, NativeFn)] = &[];
    const OPERATORS: &[(&str, NativeFn)] = &[("__eq", equal::<Axes>)];

    fn script_text(axes: &Axes) -> String {
        axes.to_text()
    }

    scripted!(Axes, "Axes");
}

/// `Faces` as scripts see it.
mod faces {
    use super::super::script::scripted;
    use super::{Faces, NativeFn, Property, equal};

    const PROPERTIES: &[(&str, Property<Faces>)] = &[
        ("Right", |cx, this| cx.push_boolean(this.parts[0])),
        ("Top", |cx, this| cx.push_boolean(this.parts[1])),
        ("Back", |cx, this| cx.push_boolean(this.parts[2])),
        ("Left", |cx, this| cx.push_boolean(this.parts[3])),
        ("Bottom", |cx, this| cx.push_boolean(this.parts[4])),
        ("Front", |cx, this| cx.push_boolean(this.parts[5])),
    ];

    const METHODS: &[(&str, NativeFn)] = &[];
    const OPERATORS: &[(&str, NativeFn)] = &[("__eq", equal::<Faces>)];

    fn script_text(faces: &Faces) -> String {
        faces.to_text()
    }

    scripted!(Faces, "Faces");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_list_their_parts() {
        let mut axes = Axes::default();
        axes.insert_axis(2);
        axes.insert_normal(3);
        assert_eq!(axes.to_text(), "X, Z");
        let mut faces = Faces::default();
        faces.insert(5);
        faces.insert(0);
        faces.insert(9);
        assert_eq!(faces.to_text(), "Right, Front");
    }
}
