//! `Ray`: an origin and a direction. Engine page: datatypes/Ray, checked November 2026.

use super::script::{
    Property, equal, held, held_or, push_vector3, return_data, return_float, return_vector3, scripted, this,
};
use super::vector3::{self, Vector3};
use crate::vm::{Failure, NativeFn, Vm};

/// A half-line: an origin and a direction of any length.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Ray {
    /// Where it starts.
    pub origin: Vector3,
    /// Where it goes.
    pub direction: Vector3,
}

impl Ray {
    /// A ray of its two parts.
    pub const fn new(origin: Vector3, direction: Vector3) -> Self {
        Self { origin, direction }
    }

    /// The same ray with a direction of length 1.
    pub fn unit(self) -> Self {
        Self::new(self.origin, vector3::unit(self.direction))
    }

    /// The point of the ray nearest to `point`: the origin, for one behind it.
    pub fn closest_point(self, point: Vector3) -> Vector3 {
        let direction = vector3::unit(self.direction);
        let along = vector3::dot(point - self.origin, direction);
        if along > 0.0 { self.origin + direction * along } else { self.origin }
    }

    /// How far `point` is from the nearest point of the ray.
    pub fn distance(self, point: Vector3) -> f32 {
        vector3::magnitude(point - self.closest_point(point))
    }

    /// The text of the ray: `{0, 0, 0}, {0, 1, 0}`.
    pub fn to_text(self) -> String {
        format!("{{{}}}, {{{}}}", vector3::to_text(self.origin), vector3::to_text(self.direction))
    }
}

// ---------------------------------------------------------------- seen from scripts

/// Describes the type to a VM and adds its library.
pub(super) fn install(vm: &Vm) -> Result<(), Failure> {
    vm.register_data::<Ray>(table())?;
    let functions: [(&'static str, NativeFn); 1] = [("new", |cx| {
        return_data(cx, Ray::new(held_or(cx, 1, Vector3::ZERO)?, held_or(cx, 2, Vector3::ZERO)?))
    })];
    vm.set_library("Ray", &functions, &[])
}

const PROPERTIES: &[(&str, Property<Ray>)] = &[
    ("Origin", |cx, this| push_vector3(cx, this.origin)),
    ("Direction", |cx, this| push_vector3(cx, this.direction)),
    ("Unit", |cx, this| cx.push_data(this.unit())),
];

const METHODS: &[(&str, NativeFn)] = &[
    ("ClosestPoint", |cx| return_vector3(cx, this::<Ray>(cx)?.closest_point(held(cx, 1)?))),
    ("Distance", |cx| return_float(cx, this::<Ray>(cx)?.distance(held(cx, 1)?))),
];

const OPERATORS: &[(&str, NativeFn)] = &[("__eq", equal::<Ray>)];

fn script_text(ray: &Ray) -> String {
    ray.to_text()
}

scripted!(Ray, "Ray");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_closest_point() {
        let ray = Ray::new(Vector3::ZERO, Vector3::Y * 4.0);
        assert_eq!(ray.unit().direction, Vector3::Y);
        assert_eq!(ray.closest_point(Vector3::new(3.0, 9.0, 0.0)), Vector3::new(0.0, 9.0, 0.0));
        assert_eq!(ray.closest_point(Vector3::new(3.0, -9.0, 0.0)), Vector3::ZERO);
        assert_eq!(ray.distance(Vector3::new(3.0, 9.0, 4.0)), 5.0);
        assert_eq!(ray.to_text(), "{0, 0, 0}, {0, 4, 0}");
    }
}
