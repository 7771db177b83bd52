//! `Rect`: two corners of a rectangle. Engine page: datatypes/Rect, checked November 2026.

use super::script::{Property, equal, float_or, held, held_or, push_float, return_data, scripted};
use super::text;
use super::vector2::Vector2;
use crate::vm::{Cx, Failure, NativeFn, Outcome, Type, Vm};

/// The lower and the upper corner of a rectangle.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Rect {
    /// The corner with the smaller numbers.
    pub min: Vector2,
    /// The corner with the larger numbers.
    pub max: Vector2,
}

impl Rect {
    /// A rectangle of two opposite corners, in any order.
    pub fn new(a: Vector2, b: Vector2) -> Self {
        Self { min: a.min(b), max: a.max(b) }
    }

    /// The extent along x.
    pub fn width(self) -> f32 {
        self.max.x - self.min.x
    }

    /// The extent along y.
    pub fn height(self) -> f32 {
        self.max.y - self.min.y
    }

    /// The text of the rectangle: `0, 0, 10, 20`.
    pub fn to_text(self) -> String {
        text::floats(&[self.min.x, self.min.y, self.max.x, self.max.y])
    }
}

// ---------------------------------------------------------------- seen from scripts

/// Describes the type to a VM and adds its library.
pub(super) fn install(vm: &Vm) -> Result<(), Failure> {
    vm.register_data::<Rect>(table())?;
    vm.set_library("Rect", &[("new", new)], &[])
}

fn new(cx: &mut Cx<'_>) -> Outcome {
    let (a, b) = if cx.kind(1) == Type::Userdata {
        (held(cx, 1)?, held_or(cx, 2, Vector2::ZERO)?)
    } else {
        let part = |index| float_or(cx, index, 0.0);
        (Vector2::new(part(1)?, part(2)?), Vector2::new(part(3)?, part(4)?))
    };
    return_data(cx, Rect::new(a, b))
}

const PROPERTIES: &[(&str, Property<Rect>)] = &[
    ("Min", |cx, this| cx.push_data(this.min)),
    ("Max", |cx, this| cx.push_data(this.max)),
    ("Width", |cx, this| push_float(cx, this.width())),
    ("Height", |cx, this| push_float(cx, this.height())),
];

const METHODS: &[(&str, NativeFn)] = &[];
const OPERATORS: &[(&str, NativeFn)] = &[("__eq", equal::<Rect>)];

fn script_text(rect: &Rect) -> String {
    rect.to_text()
}

scripted!(Rect, "Rect");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_its_corners() {
        let rect = Rect::new(Vector2::new(10.0, 2.0), Vector2::new(4.0, 8.0));
        assert_eq!(rect.to_text(), "4, 2, 10, 8");
        assert_eq!((rect.width(), rect.height()), (6.0, 6.0));
    }
}
