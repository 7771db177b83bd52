//! `BrickColor`: one of the engine's named colours. Engine page: datatypes/BrickColor, checked November 2026.
//!
//! Names, numbers and colours come from `rbx_types`; the order of the palette is the one of the engine's list of codes.

use super::Color3;
use super::random;
use super::script::{Property, equal, float_or, push_float, return_data, scripted};
use crate::vm::{Cx, Failure, NativeFn, Outcome, Raise, Type, Vm};
use rbx_types::BrickColor as Named;

/// One of the named colours, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BrickColor(u16);

/// The number of "Medium stone grey", which stands in for everything unknown.
const DEFAULT: u16 = 194;

/// Numbers of the palette's colours by their index, 0 to 127.
#[rustfmt::skip]
const PALETTE: [u16; 128] = [
    141, 301, 107, 26, 1012, 303, 1011, 304, 28, 1018, 302, 305, 306, 307, 308, 1021,
    309, 310, 1019, 135, 102, 23, 1010, 312, 313, 37, 1022, 1020, 1027, 311, 315, 1023,
    1031, 316, 151, 317, 318, 319, 1024, 314, 1013, 1006, 321, 322, 104, 1008, 119, 323,
    324, 325, 320, 11, 1026, 1016, 1032, 1015, 327, 1005, 1009, 29, 328, 1028, 208, 45,
    329, 330, 331, 1004, 21, 332, 333, 24, 334, 226, 1029, 335, 336, 342, 343, 338,
    1007, 339, 133, 106, 340, 341, 1001, 1, 9, 1025, 337, 344, 345, 1014, 105, 346,
    347, 348, 349, 1030, 125, 101, 350, 192, 351, 352, 353, 354, 1002, 5, 18, 217,
    355, 356, 153, 357, 358, 359, 360, 38, 361, 362, 199, 194, 363, 364, 365, 1003,
];

impl Default for BrickColor {
    fn default() -> Self {
        Self(DEFAULT)
    }
}

impl BrickColor {
    /// The colour of a number; "Medium stone grey" for an unknown one.
    pub fn from_number(number: f64) -> Self {
        // The cast saturates, and no colour has the number 0 or 65535.
        let number = number as u16;
        Self(Named::from_number(number).map_or(DEFAULT, |_| number))
    }

    /// The colour of a name; "Medium stone grey" for an unknown one.
    pub fn from_name(name: &str) -> Self {
        Self(Named::from_name(name).map_or(DEFAULT, |named| named as u16))
    }

    /// The palette's colour nearest to `color`.
    pub fn from_color(color: Color3) -> Self {
        let distance = |number: u16| {
            let other = Self(number).color();
            let parts = [color.r - other.r, color.g - other.g, color.b - other.b];
            parts.iter().map(|part| part * part).sum::<f32>()
        };
        let mut best = (f32::INFINITY, DEFAULT);
        for number in PALETTE {
            let distance = distance(number);
            if distance < best.0 {
                best = (distance, number);
            }
        }
        Self(best.1)
    }

    /// The palette's colour at an index from 0 to 127; nothing beyond.
    pub fn palette(index: usize) -> Option<Self> {
        PALETTE.get(index).copied().map(Self)
    }

    /// The number that stands for the colour in files.
    pub fn number(self) -> u16 {
        self.0
    }

    /// The colour's name.
    pub fn name(self) -> String {
        self.named().to_string()
    }

    /// The colour itself.
    pub fn color(self) -> Color3 {
        let bytes = self.named().to_color3uint8();
        Color3::from_rgb(f64::from(bytes.r), f64::from(bytes.g), f64::from(bytes.b))
    }

    /// The text of a colour is its name.
    pub fn to_text(self) -> String {
        self.name()
    }

    fn named(self) -> Named {
        Named::from_number(self.0).unwrap_or(Named::MediumStoneGrey)
    }
}

// ---------------------------------------------------------------- seen from scripts

/// Describes the type to a VM and adds its library.
pub(super) fn install(vm: &Vm) -> Result<(), Failure> {
    vm.register_data::<BrickColor>(table())?;
    let functions: [(&'static str, NativeFn); 13] = [
        ("new", new),
        ("palette", palette),
        ("random", draw),
        ("Random", draw),
        ("White", |cx| named(cx, "White")),
        ("Gray", |cx| named(cx, "Medium stone grey")),
        ("DarkGray", |cx| named(cx, "Dark stone grey")),
        ("Black", |cx| named(cx, "Black")),
        ("Red", |cx| named(cx, "Bright red")),
        ("Yellow", |cx| named(cx, "Bright yellow")),
        ("Green", |cx| named(cx, "Dark green")),
        ("Blue", |cx| named(cx, "Bright blue")),
        ("Grey", |cx| named(cx, "Medium stone grey")),
    ];
    vm.set_library("BrickColor", &functions, &[])
}

fn new(cx: &mut Cx<'_>) -> Outcome {
    let color = match cx.kind(1) {
        Type::String => BrickColor::from_name(&cx.text(1)?),
        Type::Userdata => BrickColor::from_color(cx.data(1)?),
        _ if cx.count() >= 3 => BrickColor::from_color(Color3::new(
            float_or(cx, 1, 0.0)?,
            float_or(cx, 2, 0.0)?,
            float_or(cx, 3, 0.0)?,
        )),
        Type::None => BrickColor::default(),
        _ => BrickColor::from_number(cx.number(1)?),
    };
    return_data(cx, color)
}

fn palette(cx: &mut Cx<'_>) -> Outcome {
    let index = cx.integer(1)?;
    let color = usize::try_from(index).ok().and_then(BrickColor::palette);
    return_data(cx, color.ok_or_else(|| Raise::new(format!("color palette index out of bounds ({index})")))?)
}

fn draw(cx: &mut Cx<'_>) -> Outcome {
    let index = random::unseeded(cx).next_integer(0, PALETTE.len() as i64 - 1);
    return_data(cx, BrickColor::palette(index as usize).unwrap_or_default())
}

fn named(cx: &mut Cx<'_>, name: &str) -> Outcome {
    return_data(cx, BrickColor::from_name(name))
}

const PROPERTIES: &[(&str, Property<BrickColor>)] = &[
    ("Number", |cx, this| cx.push_number(f64::from(this.number()))),
    ("Name", |cx, this| cx.push_string(this.name())),
    ("Color", |cx, this| cx.push_data(this.color())),
    ("number", |cx, this| cx.push_number(f64::from(this.number()))),
    ("name", |cx, this| cx.push_string(this.name())),
    ("color", |cx, this| cx.push_data(this.color())),
    ("r", |cx, this| push_float(cx, this.color().r)),
    ("g", |cx, this| push_float(cx, this.color().g)),
    ("b", |cx, this| push_float(cx, this.color().b)),
];

const METHODS: &[(&str, NativeFn)] = &[];
const OPERATORS: &[(&str, NativeFn)] = &[("__eq", equal::<BrickColor>)];

fn script_text(color: &BrickColor) -> String {
    color.to_text()
}

scripted!(BrickColor, "BrickColor");

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn finds_colours_by_number_name_and_nearness() {
        assert_eq!(BrickColor::from_number(21.0).name(), "Bright red");
        assert_eq!(BrickColor::from_name("Bright red").number(), 21);
        assert_eq!(BrickColor::from_name("No such colour").name(), "Medium stone grey");
        assert_eq!(BrickColor::from_number(-5.0).number(), 194);
        assert_eq!(BrickColor::from_number(2e9).number(), 194);
        assert_eq!(BrickColor::from_color(Color3::new(1.0, 0.0, 0.0)).name(), "Really red");
    }

    #[test]
    fn every_palette_entry_is_a_colour_of_its_own() {
        let distinct: BTreeSet<u16> = PALETTE.into_iter().collect();
        assert_eq!(distinct.len(), 128);
        for number in PALETTE {
            assert!(Named::from_number(number).is_some(), "{number}");
        }
        assert_eq!(BrickColor::palette(0).map(BrickColor::name).as_deref(), Some("Earth green"));
        assert_eq!(BrickColor::palette(127).map(BrickColor::name).as_deref(), Some("Really black"));
        assert_eq!(BrickColor::palette(128), None);
    }
}
