//! `Font`: a family, a weight and a style. Engine page: datatypes/Font, checked November 2026.

use super::inline_text::InlineText;

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

    /// The text of the font, given the names of its two enum items.
    pub fn to_text_with(&self, weight: &str, style: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_family_weight_and_style() {
        let (name, weight, style) = of_legacy_name("SourceSansBold");
        let font = Font::new(&Font::family_of_name(name), weight, style).unwrap();
        assert!(font.bold());
        assert_eq!(
            font.to_text_with("Bold", "Normal"),
            "Font { Family = rbxasset://fonts/families/SourceSansPro.json, Weight = Bold, Style = Normal }"
        );
        assert_eq!(Font::new(&"x".repeat(300), REGULAR, 0), None);
    }
}
