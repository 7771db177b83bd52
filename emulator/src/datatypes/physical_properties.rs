//! `PhysicalProperties`: how a part behaves in the physics. Engine page: datatypes/PhysicalProperties, checked November
//! 2026.
//!
//! Nothing here simulates physics; the value is kept and read back.

use super::script::{Property, enum_value, equal, float, float_or, push_float, return_data, scripted};
use super::text;
use crate::vm::{Cx, Failure, NativeFn, Outcome, Type, Vm};

/// Density, friction, elasticity and their weights.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PhysicalProperties {
    /// Mass of a cubic stud.
    pub density: f32,
    /// Resistance to sliding.
    pub friction: f32,
    /// Part of the speed kept in a bounce.
    pub elasticity: f32,
    /// Share of this friction against another part's.
    pub friction_weight: f32,
    /// Share of this elasticity against another part's.
    pub elasticity_weight: f32,
    /// Part of the sound that does not come back.
    pub acoustic_absorption: f32,
}

/// Density, friction and elasticity of items of `Enum.Material`, by the item's value.
const MATERIALS: [(u32, f32, f32, f32); 22] = [
    (256, 0.7, 0.3, 0.5),
    (272, 0.7, 0.2, 0.5),
    (288, 0.7, 0.3, 0.2),
    (512, 0.35, 0.48, 0.2),
    (528, 0.35, 0.48, 0.2),
    (784, 2.563, 0.2, 0.17),
    (788, 2.691, 0.4, 0.2),
    (800, 2.691, 0.4, 0.2),
    (816, 2.403, 0.7, 0.2),
    (832, 2.691, 0.4, 0.2),
    (848, 1.922, 0.8, 0.15),
    (864, 2.403, 0.4, 0.17),
    (880, 2.691, 0.5, 0.17),
    (1040, 7.85, 0.7, 0.2),
    (1056, 7.85, 0.35, 0.25),
    (1072, 7.7, 0.4, 0.25),
    (1088, 7.85, 0.4, 0.25),
    (1280, 0.9, 0.4, 0.1),
    (1296, 1.602, 0.5, 0.05),
    (1312, 0.7, 0.35, 0.05),
    (1536, 0.919, 0.02, 0.15),
    (1568, 2.403, 0.25, 0.2),
];

impl PhysicalProperties {
    /// Three numbers, each kept within the engine's bounds, with weights of 1.
    pub fn new(density: f32, friction: f32, elasticity: f32) -> Self {
        Self {
            density: density.clamp(0.0001, 100.0),
            friction: friction.clamp(0.0, 2.0),
            elasticity: elasticity.clamp(0.0, 1.0),
            friction_weight: 1.0,
            elasticity_weight: 1.0,
            acoustic_absorption: 1.0,
        }
    }

    /// The same with weights, kept within 0 to 100.
    pub fn with_weights(self, friction_weight: f32, elasticity_weight: f32) -> Self {
        Self {
            friction_weight: friction_weight.clamp(0.0, 100.0),
            elasticity_weight: elasticity_weight.clamp(0.0, 100.0),
            ..self
        }
    }

    /// The same with another absorption of sound, kept within 0 to 1.
    pub fn with_absorption(self, acoustic_absorption: f32) -> Self {
        Self { acoustic_absorption: acoustic_absorption.clamp(0.0, 1.0), ..self }
    }

    /// Those of an item of `Enum.Material`, by its value; plastic's for a material not in the list.
    pub fn from_material(value: u32) -> Self {
        let known = MATERIALS.iter().find(|(material, ..)| *material == value).unwrap_or(&MATERIALS[0]);
        Self::new(known.1, known.2, known.3)
    }

    /// The text of the value: its first five numbers.
    pub fn to_text(self) -> String {
        text::floats(&[
            self.density,
            self.friction,
            self.elasticity,
            self.friction_weight,
            self.elasticity_weight,
        ])
    }
}

// ---------------------------------------------------------------- seen from scripts

/// Describes the type to a VM and adds its library.
pub(super) fn install(vm: &Vm) -> Result<(), Failure> {
    vm.register_data::<PhysicalProperties>(table())?;
    vm.set_library("PhysicalProperties", &[("new", new)], &[])
}

fn new(cx: &mut Cx<'_>) -> Outcome {
    let properties = if cx.count() == 1 && cx.kind(1) != Type::Number {
        PhysicalProperties::from_material(enum_value(cx, 1, "Material")?)
    } else {
        PhysicalProperties::new(float(cx, 1)?, float(cx, 2)?, float(cx, 3)?)
            .with_weights(float_or(cx, 4, 1.0)?, float_or(cx, 5, 1.0)?)
            .with_absorption(float_or(cx, 6, 1.0)?)
    };
    return_data(cx, properties)
}

const PROPERTIES: &[(&str, Property<PhysicalProperties>)] = &[
    ("Density", |cx, this| push_float(cx, this.density)),
    ("Friction", |cx, this| push_float(cx, this.friction)),
    ("Elasticity", |cx, this| push_float(cx, this.elasticity)),
    ("FrictionWeight", |cx, this| push_float(cx, this.friction_weight)),
    ("ElasticityWeight", |cx, this| push_float(cx, this.elasticity_weight)),
    ("AcousticAbsorption", |cx, this| push_float(cx, this.acoustic_absorption)),
];

const METHODS: &[(&str, NativeFn)] = &[];
const OPERATORS: &[(&str, NativeFn)] = &[("__eq", equal::<PhysicalProperties>)];

fn script_text(properties: &PhysicalProperties) -> String {
    properties.to_text()
}

scripted!(PhysicalProperties, "PhysicalProperties");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_numbers_within_bounds() {
        let value = PhysicalProperties::new(200.0, -1.0, 0.5).with_weights(2.0, 300.0);
        assert_eq!(value.to_text(), "100, 0, 0.5, 2, 100");
        assert_eq!(PhysicalProperties::from_material(1536).density, 0.919);
        assert_eq!(PhysicalProperties::from_material(7).friction, 0.3);
    }
}
