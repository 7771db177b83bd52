//! `PathWaypoint`: a point along a path. Engine page: datatypes/PathWaypoint, checked November 2026.

use super::inline_text::InlineText;
use super::script::{
    Property, enum_name, enum_value_or, equal, held_or, push_enum_value, push_vector3, return_data, scripted,
};
use super::vector3::{self, Vector3};
use crate::vm::{Cx, Failure, NativeFn, Outcome, Raise, Vm};

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
    /// The text of the value: position, action and label.
    pub fn to_text(&self) -> String {
        let action = enum_name("PathWaypointAction", self.action);
        format!("{{{}}} {action} {}", vector3::to_text(self.position), self.label.as_str())
            .trim_end()
            .to_owned()
    }
}

// ---------------------------------------------------------------- seen from scripts

/// Describes the type to a VM and adds its library.
pub(super) fn install(vm: &Vm) -> Result<(), Failure> {
    vm.register_data::<PathWaypoint>(table())?;
    vm.set_library("PathWaypoint", &[("new", new)], &[])
}

fn new(cx: &mut Cx<'_>) -> Outcome {
    let text = if cx.is_nil(3) { String::new() } else { cx.text(3)? };
    let long =
        || Raise::new(format!("[emulator] a label over {} bytes is not emulated", super::inline_text::MOST));
    let waypoint = PathWaypoint {
        position: held_or(cx, 1, Vector3::ZERO)?,
        action: enum_value_or(cx, 2, "PathWaypointAction", 0)?,
        label: InlineText::new(&text).ok_or_else(long)?,
    };
    return_data(cx, waypoint)
}

const PROPERTIES: &[(&str, Property<PathWaypoint>)] = &[
    ("Position", |cx, this| push_vector3(cx, this.position)),
    ("Action", |cx, this| push_enum_value(cx, "PathWaypointAction", this.action)),
    ("Label", |cx, this| cx.push_string(this.label.as_str())),
];

const METHODS: &[(&str, NativeFn)] = &[];
const OPERATORS: &[(&str, NativeFn)] = &[("__eq", equal::<PathWaypoint>)];

fn script_text(waypoint: &PathWaypoint) -> String {
    waypoint.to_text()
}

scripted!(PathWaypoint, "PathWaypoint");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_its_parts() {
        let label = InlineText::new("").unwrap();
        let waypoint = PathWaypoint { position: Vector3::ONE, action: 1, label };
        assert_eq!(waypoint.to_text(), "{1, 1, 1} Jump");
    }
}
