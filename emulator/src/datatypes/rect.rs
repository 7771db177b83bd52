//! `Rect`: two corners of a rectangle. Engine page: datatypes/Rect, checked November 2026.

use super::text;
use super::vector2::Vector2;

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
