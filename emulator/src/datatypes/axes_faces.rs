//! `Axes` and `Faces`: sets of directions. Engine pages: datatypes/Axes and datatypes/Faces, checked November 2026.

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

    /// Whether the set has the axis, or the axis of the face, of that name.
    pub fn contains(self, name: &str) -> Option<bool> {
        let index = AXES.iter().position(|axis| *axis == name);
        index
            .or_else(|| FACES.iter().position(|face| *face == name).map(|face| face % 3))
            .map(|index| self.parts[index])
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

    /// Whether the set has the face of that name.
    pub fn contains(self, name: &str) -> Option<bool> {
        FACES.iter().position(|face| *face == name).map(|index| self.parts[index])
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_list_their_parts() {
        let mut axes = Axes::default();
        axes.insert_axis(2);
        axes.insert_normal(3);
        assert_eq!(axes.to_text(), "X, Z");
        assert_eq!(
            (axes.contains("Right"), axes.contains("Y"), axes.contains("W")),
            (Some(true), Some(false), None)
        );
        let mut faces = Faces::default();
        faces.insert(5);
        faces.insert(0);
        faces.insert(9);
        assert_eq!(faces.to_text(), "Right, Front");
        assert_eq!((faces.contains("Top"), faces.contains("X")), (Some(false), None));
    }
}
