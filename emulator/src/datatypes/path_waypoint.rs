//! `PathWaypoint`: a point along a path. Engine page: datatypes/PathWaypoint, checked November 2026.

use super::inline_text::InlineText;
use super::vector3::{self, Vector3};

/// A position, what to do there, and a label.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathWaypoint {
    /// Where it is.
    pub position: Vector3,
    /// Value of the item of `Enum.PathWaypointAction`: 0 walk, 1 jump.
    pub action: u32,
    /// The label of the area or link it belongs to.
    pub label: InlineText,
}

impl PathWaypoint {
    /// The text of the value, given the name of its action.
    pub fn to_text_with(&self, action: &str) -> String {
        format!("{{{}}} {action} {}", vector3::to_text(self.position), self.label.as_str())
            .trim_end()
            .to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_its_parts() {
        let label = InlineText::new("").unwrap();
        let waypoint = PathWaypoint { position: Vector3::ONE, action: 1, label };
        assert_eq!(waypoint.to_text_with("Jump"), "{1, 1, 1} Jump");
    }
}
