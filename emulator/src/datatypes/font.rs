//! `Font`: a family, a weight and a style. Engine page: datatypes/Font, checked November 2026.

use super::inline_text::InlineText;
use super::script::{
    Property, enum_name, enum_value, enum_value_or, equal, push_enum_value, return_data, scripted,
};
use crate::vm::{Cx, Failure, NativeFn, Outcome, Raise, Vm};

/// Where a family lies, and how bold and slanted it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Font {
    /// The asset of the family, as `rbxasset://fonts/families/Arial.json`.
    pub family: InlineText,
    /// Value of the item of `Enum.FontWeight`: 100 to 900.
    pub weight: u32,
    /// Value of the item of `Enum.FontStyle`: 0 normal, 1 italic.
    pub style: u32,
}

/// The value of `Enum.FontWeight.Regular`.
pub const REGULAR: u32 = 400;
/// The least value of `Enum.FontWeight` that counts as bold.
pub const SEMI_BOLD: u32 = 600;

impl Font {
    /// A font of its three parts; nothing for a family's address over the length the emulator keeps.
    pub fn new(family: &str, weight: u32, style: u32) -> Option<Self> {
        Some(Self { family: InlineText::new(family)?, weight, style })
    }

    /// The address of the family that ships with the engine under `name`.
    pub fn family_of_name(name: &str) -> String {
        format!("rbxasset://fonts/families/{name}.json")
    }

    /// Whether the weight is semi-bold or more.
    pub fn bold(&self) -> bool {
        self.weight >= SEMI_BOLD
    }

    /// The text of the font: each part with its name.
    pub fn to_text(&self) -> String {
        let (weight, style) = (enum_name("FontWeight", self.weight), enum_name("FontStyle", self.style));
        format!("Font {{ Family = {}, Weight = {weight}, Style = {style} }}", self.family.as_str())
    }
}

/// Family name, weight and style of an item of `Enum.Font`, by the item's name.
pub fn of_legacy_name(name: &str) -> (&str, u32, u32) {
    match name {
        "Legacy" => ("LegacyArial", REGULAR, 0),
        "SourceSans" => ("SourceSansPro", REGULAR, 0),
        "SourceSansBold" => ("SourceSansPro", 700, 0),
        "SourceSansLight" => ("SourceSansPro", 300, 0),
        "SourceSansItalic" => ("SourceSansPro", REGULAR, 1),
        "SourceSansSemibold" => ("SourceSansPro", 600, 0),
        "ArialBold" => ("Arial", 700, 0),
        "Gotham" => ("GothamSSm", REGULAR, 0),
        "GothamMedium" => ("GothamSSm", 500, 0),
        "GothamBold" => ("GothamSSm", 700, 0),
        "GothamBlack" => ("GothamSSm", 900, 0),
        "Code" => ("Inconsolata", REGULAR, 0),
        "Highway" => ("HighwayGothic", REGULAR, 0),
        "SciFi" => ("Zekton", REGULAR, 0),
        "Arcade" => ("PressStart2P", REGULAR, 0),
        "Fantasy" => ("Balthazar", REGULAR, 0),
        "Antique" => ("RomanAntique", REGULAR, 0),
        "Cartoon" => ("ComicNeueAngular", REGULAR, 0),
        "Garamond" => ("Guru", REGULAR, 0),
        "Bodoni" => ("AccanthisADFStd", REGULAR, 0),
        "RobotoMono" | "Roboto" | "Arial" => (name, REGULAR, 0),
        other => (other, REGULAR, 0),
    }
}

// ---------------------------------------------------------------- seen from scripts

/// Describes the type to a VM and adds its library.
pub(super) fn install(vm: &Vm) -> Result<(), Failure> {
    vm.register_data::<Font>(table())?;
    let functions: [(&'static str, NativeFn); 4] =
        [("new", new), ("fromEnum", from_enum), ("fromName", from_name), ("fromId", from_id)];
    vm.set_library("Font", &functions, &[])
}

/// A font of a family, with weight and style from arguments 2 and 3.
fn with_family(cx: &Cx<'_>, family: &str) -> Outcome {
    let weight = enum_value_or(cx, 2, "FontWeight", REGULAR)?;
    let style = enum_value_or(cx, 3, "FontStyle", 0)?;
    return_data(cx, Font::new(family, weight, style).ok_or_else(too_long)?)
}

fn too_long() -> Raise {
    Raise::new(format!("[emulator] a font family over {} bytes is not emulated", super::inline_text::MOST))
}

fn new(cx: &mut Cx<'_>) -> Outcome {
    let family = cx.text(1)?;
    with_family(cx, &family)
}

fn from_name(cx: &mut Cx<'_>) -> Outcome {
    let family = Font::family_of_name(&cx.text(1)?);
    with_family(cx, &family)
}

fn from_id(cx: &mut Cx<'_>) -> Outcome {
    let family = format!("rbxassetid://{}", cx.integer(1)?);
    with_family(cx, &family)
}

fn from_enum(cx: &mut Cx<'_>) -> Outcome {
    let value = enum_value(cx, 1, "Font")?;
    let (family, weight, style) = of_legacy_name(enum_name("Font", value));
    return_data(cx, Font::new(&Font::family_of_name(family), weight, style).ok_or_else(too_long)?)
}

const PROPERTIES: &[(&str, Property<Font>)] = &[
    ("Family", |cx, this| cx.push_string(this.family.as_str())),
    ("Weight", |cx, this| push_enum_value(cx, "FontWeight", this.weight)),
    ("Style", |cx, this| push_enum_value(cx, "FontStyle", this.style)),
    ("Bold", |cx, this| cx.push_boolean(this.bold())),
];

const METHODS: &[(&str, NativeFn)] = &[];
const OPERATORS: &[(&str, NativeFn)] = &[("__eq", equal::<Font>)];

fn script_text(font: &Font) -> String {
    font.to_text()
}

scripted!(Font, "Font");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_family_weight_and_style() {
        let (name, weight, style) = of_legacy_name("SourceSansBold");
        let font = Font::new(&Font::family_of_name(name), weight, style).unwrap();
        assert!(font.bold());
        assert_eq!(
            font.to_text(),
            "Font { Family = rbxasset://fonts/families/SourceSansPro.json, Weight = Bold, Style = Normal }"
        );
        assert_eq!(Font::new(&"x".repeat(300), REGULAR, 0), None);
    }
}
