//! `Color3`: red, green and blue as float32 numbers. Engine page: datatypes/Color3, checked November 2026.

use super::script::{
    Property, equal, float, float_or, held, push_float, return_data, return_text, scripted, this,
};
use super::text;
use crate::vm::{Cx, Failure, NativeFn, Outcome, Raise, Returns, Vm};

/// Red, green and blue, usually from 0 to 1; other values are kept as they are.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Color3 {
    /// Red.
    pub r: f32,
    /// Green.
    pub g: f32,
    /// Blue.
    pub b: f32,
}

impl Color3 {
    /// A colour of three parts from 0 to 1.
    pub const fn new(r: f32, g: f32, b: f32) -> Self {
        Self { r, g, b }
    }

    /// A colour of three parts from 0 to 255.
    pub fn from_rgb(r: f64, g: f64, b: f64) -> Self {
        Self::new((r / 255.0) as f32, (g / 255.0) as f32, (b / 255.0) as f32)
    }

    /// A colour of hue, saturation and value, each from 0 to 1. The hue wraps around.
    pub fn from_hsv(hue: f32, saturation: f32, value: f32) -> Self {
        let sector = (hue - hue.floor()) * 6.0;
        let part = sector - sector.floor();
        let p = value * (1.0 - saturation);
        let q = value * (1.0 - saturation * part);
        let t = value * (1.0 - saturation * (1.0 - part));
        match sector.floor() as i32 {
            0 => Self::new(value, t, p),
            1 => Self::new(q, value, p),
            2 => Self::new(p, value, t),
            3 => Self::new(p, q, value),
            4 => Self::new(t, p, value),
            _ => Self::new(value, p, q),
        }
    }

    /// A colour of `RRGGBB` or `RGB` with or without a leading `#`; nothing for other text.
    pub fn from_hex(hex: &str) -> Option<Self> {
        let digits = hex.strip_prefix('#').unwrap_or(hex);
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let part = |from: usize, len: usize| {
            let value = u8::from_str_radix(digits.get(from..from + len)?, 16).ok()?;
            Some(f64::from(if len == 1 { value * 17 } else { value }))
        };
        match digits.len() {
            3 => Some(Self::from_rgb(part(0, 1)?, part(1, 1)?, part(2, 1)?)),
            6 => Some(Self::from_rgb(part(0, 2)?, part(2, 2)?, part(4, 2)?)),
            _ => None,
        }
    }

    /// `self + (goal - self) * alpha` for each part.
    pub fn lerp(self, goal: Self, alpha: f32) -> Self {
        Self::new(
            self.r + (goal.r - self.r) * alpha,
            self.g + (goal.g - self.g) * alpha,
            self.b + (goal.b - self.b) * alpha,
        )
    }

    /// Hue, saturation and value, each from 0 to 1; hue and saturation of a grey are 0.
    pub fn to_hsv(self) -> (f32, f32, f32) {
        let value = self.r.max(self.g).max(self.b);
        let range = value - self.r.min(self.g).min(self.b);
        if range == 0.0 {
            return (0.0, 0.0, value);
        }
        let sector = if value == self.r {
            (self.g - self.b) / range
        } else if value == self.g {
            (self.b - self.r) / range + 2.0
        } else {
            (self.r - self.g) / range + 4.0
        };
        let hue = if sector < 0.0 { sector + 6.0 } else { sector } / 6.0;
        (hue, range / value, value)
    }

    /// Six lower-case digits, each part rounded and kept within 0 to 255.
    pub fn to_hex(self) -> String {
        let [r, g, b] = self.to_bytes();
        format!("{r:02x}{g:02x}{b:02x}")
    }

    /// The parts rounded to bytes, kept within 0 to 255.
    pub fn to_bytes(self) -> [u8; 3] {
        // The cast saturates, and takes NaN to 0.
        [self.r, self.g, self.b].map(|part| (f64::from(part) * 255.0).round() as u8)
    }

    /// The text of the colour: `1, 0.5, 0`.
    pub fn to_text(self) -> String {
        text::floats(&[self.r, self.g, self.b])
    }
}

// ---------------------------------------------------------------- seen from scripts

/// Describes the type to a VM and adds its library.
pub(super) fn install(vm: &Vm) -> Result<(), Failure> {
    vm.register_data::<Color3>(table())?;
    let functions: [(&'static str, NativeFn); 5] = [
        ("new", |cx| {
            return_data(cx, Color3::new(float_or(cx, 1, 0.0)?, float_or(cx, 2, 0.0)?, float_or(cx, 3, 0.0)?))
        }),
        ("fromRGB", from_rgb),
        ("fromHSV", |cx| return_data(cx, Color3::from_hsv(float(cx, 1)?, float(cx, 2)?, float(cx, 3)?))),
        ("toHSV", |cx| return_hsv(cx, held(cx, 1)?)),
        ("fromHex", from_hex),
    ];
    vm.set_library("Color3", &functions, &[])
}

fn from_rgb(cx: &mut Cx<'_>) -> Outcome {
    let part = |index: i32| Ok::<f64, Raise>(cx.opt_number(index)?.unwrap_or(0.0));
    return_data(cx, Color3::from_rgb(part(1)?, part(2)?, part(3)?))
}

fn from_hex(cx: &mut Cx<'_>) -> Outcome {
    let color = Color3::from_hex(&cx.text(1)?)
        .ok_or_else(|| Raise::new("Unable to convert characters to hex value"))?;
    return_data(cx, color)
}

const PROPERTIES: &[(&str, Property<Color3>)] = &[
    ("R", |cx, this| push_float(cx, this.r)),
    ("G", |cx, this| push_float(cx, this.g)),
    ("B", |cx, this| push_float(cx, this.b)),
    ("r", |cx, this| push_float(cx, this.r)),
    ("g", |cx, this| push_float(cx, this.g)),
    ("b", |cx, this| push_float(cx, this.b)),
];

const METHODS: &[(&str, NativeFn)] = &[
    ("Lerp", |cx| return_data(cx, this::<Color3>(cx)?.lerp(held(cx, 1)?, float(cx, 2)?))),
    ("lerp", |cx| return_data(cx, this::<Color3>(cx)?.lerp(held(cx, 1)?, float(cx, 2)?))),
    ("ToHSV", |cx| return_hsv(cx, this(cx)?)),
    ("ToHex", |cx| return_text(cx, this::<Color3>(cx)?.to_hex())),
];

const OPERATORS: &[(&str, NativeFn)] = &[("__eq", equal::<Color3>)];

fn script_text(color: &Color3) -> String {
    color.to_text()
}

scripted!(Color3, "Color3");

fn return_hsv(cx: &Cx<'_>, color: Color3) -> Outcome {
    let (hue, saturation, value) = color.to_hsv();
    push_float(cx, hue);
    push_float(cx, saturation);
    push_float(cx, value);
    Ok(Returns::Values(3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constructors_agree() {
        assert_eq!(Color3::from_rgb(255.0, 0.0, 51.0), Color3::new(1.0, 0.0, 0.2));
        assert_eq!(Color3::from_hex("#ff0033"), Some(Color3::new(1.0, 0.0, 0.2)));
        assert_eq!(Color3::from_hex("F03"), Some(Color3::new(1.0, 0.0, 0.2)));
        assert_eq!(Color3::from_hex("#ff003"), None);
        assert_eq!(Color3::from_hex("gg0033"), None);
        assert_eq!(Color3::from_hex("+f0033"), None);
        assert_eq!(Color3::from_hsv(0.0, 1.0, 1.0), Color3::new(1.0, 0.0, 0.0));
        assert_eq!(Color3::from_hsv(1.0, 1.0, 1.0), Color3::new(1.0, 0.0, 0.0));
        assert_eq!(Color3::from_hsv(0.5, 1.0, 0.5), Color3::new(0.0, 0.5, 0.5));
    }

    #[test]
    fn hsv_and_hex_round_trip() {
        assert_eq!(Color3::new(0.0, 0.5, 0.5).to_hsv(), (0.5, 1.0, 0.5));
        assert_eq!(Color3::new(0.25, 0.25, 0.25).to_hsv(), (0.0, 0.0, 0.25));
        assert_eq!(Color3::new(1.0, 0.0, 0.5).to_hsv(), (11.0 / 12.0, 1.0, 1.0));
        assert_eq!(Color3::new(1.0, 0.0, 0.2).to_hex(), "ff0033");
        assert_eq!(Color3::new(2.0, -1.0, f32::NAN).to_hex(), "ff0000");
        assert_eq!(Color3::new(1.0, 0.5, 0.0).to_text(), "1, 0.5, 0");
    }
}
