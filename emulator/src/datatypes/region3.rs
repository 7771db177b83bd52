//! `Region3`: a box along the axes. Engine page: datatypes/Region3, checked November 2026.

use super::CFrame;
use super::script::{Property, equal, float, held_or, push_vector3, return_data, scripted, this};
use super::vector3::{self, Vector3};
use crate::vm::{Cx, Failure, NativeFn, Outcome, Raise, Vm};

/// A box between two corners.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Region3 {
    /// The first corner.
    pub min: Vector3,
    /// The other corner; parts may be smaller than those of `min`.
    pub max: Vector3,
}

impl Region3 {
    /// A box between two corners, taken as they are.
    pub const fn new(min: Vector3, max: Vector3) -> Self {
        Self { min, max }
    }

    /// The middle of the box, unturned.
    pub fn cframe(self) -> CFrame {
        CFrame::from_position((self.min + self.max) / 2.0)
    }

    /// From the first corner to the other; parts may be negative.
    pub fn size(self) -> Vector3 {
        self.max - self.min
    }

    /// The smallest box of whole cells of `resolution` that holds this one.
    pub fn expand_to_grid(self, resolution: f32) -> Self {
        Self::new((self.min / resolution).floor() * resolution, (self.max / resolution).ceil() * resolution)
    }

    /// The text of the box: its frame, `; ` and its size.
    pub fn to_text(self) -> String {
        format!("{}; {}", self.cframe().to_text(), vector3::to_text(self.size()))
    }
}

// ---------------------------------------------------------------- seen from scripts

/// Describes the type to a VM and adds its library.
pub(super) fn install(vm: &Vm) -> Result<(), Failure> {
    vm.register_data::<Region3>(table())?;
    let functions: [(&'static str, NativeFn); 1] = [("new", |cx| {
        return_data(cx, Region3::new(held_or(cx, 1, Vector3::ZERO)?, held_or(cx, 2, Vector3::ZERO)?))
    })];
    vm.set_library("Region3", &functions, &[])
}

const PROPERTIES: &[(&str, Property<Region3>)] =
    &[("CFrame", |cx, this| cx.push_data(this.cframe())), ("Size", |cx, this| push_vector3(cx, this.size()))];

const METHODS: &[(&str, NativeFn)] = &[("ExpandToGrid", expand)];
const OPERATORS: &[(&str, NativeFn)] = &[("__eq", equal::<Region3>)];

fn script_text(region: &Region3) -> String {
    region.to_text()
}

scripted!(Region3, "Region3");

fn expand(cx: &mut Cx<'_>) -> Outcome {
    let resolution = float(cx, 1)?;
    if resolution.is_nan() || resolution <= 0.0 {
        return Err(Raise::new("Resolution has to be a positive number"));
    }
    return_data(cx, this::<Region3>(cx)?.expand_to_grid(resolution))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grows_to_the_grid() {
        let region = Region3::new(Vector3::new(-1.0, 0.0, 3.0), Vector3::new(5.0, 4.0, 2.0));
        assert_eq!(region.size(), Vector3::new(6.0, 4.0, -1.0));
        assert_eq!(region.cframe().position, Vector3::new(2.0, 2.0, 2.5));
        let grown = region.expand_to_grid(4.0);
        assert_eq!((grown.min, grown.max), (Vector3::new(-4.0, 0.0, 0.0), Vector3::new(8.0, 4.0, 4.0)));
        assert_eq!(region.to_text(), "2, 2, 2.5, 1, 0, 0, 0, 1, 0, 0, 0, 1; 6, 4, -1");
    }
}
