//! What a number becomes on the wire: its carrier, steps, bounds and clamps (`language.md` 8, 9.6, 10.1 to 10.5).

use crate::schema::{self, NumberKind};
use crate::wire::bits::width_for;
use crate::wire::float::{F16_MAX, F24_MAX, narrow};
use crate::wire::plan::{Bounds, Clamp, Layout, Step};

impl NumberKind {
    /// Bytes on the wire.
    pub fn size(self) -> u32 {
        match self {
            NumberKind::U8 | NumberKind::I8 => 1,
            NumberKind::U16 | NumberKind::I16 | NumberKind::F16 => 2,
            NumberKind::U24 | NumberKind::I24 | NumberKind::F24 => 3,
            NumberKind::U32 | NumberKind::I32 | NumberKind::F32 => 4,
            NumberKind::F64 => 8,
        }
    }

    /// Whether it is an `f` type.
    pub fn is_float(self) -> bool {
        matches!(self, NumberKind::F16 | NumberKind::F24 | NumberKind::F32 | NumberKind::F64)
    }

    /// Least and greatest value of a range on it (`language.md` 8): finite for all but `f32` and `f64`.
    pub fn bounds(self) -> (f64, f64) {
        match self {
            NumberKind::U8 => (0.0, 255.0),
            NumberKind::U16 => (0.0, 65_535.0),
            NumberKind::U24 => (0.0, 16_777_215.0),
            NumberKind::U32 => (0.0, 4_294_967_295.0),
            NumberKind::I8 => (-128.0, 127.0),
            NumberKind::I16 => (-32_768.0, 32_767.0),
            NumberKind::I24 => (-8_388_608.0, 8_388_607.0),
            NumberKind::I32 => (-2_147_483_648.0, 2_147_483_647.0),
            NumberKind::F16 => (-F16_MAX, F16_MAX),
            NumberKind::F24 => (-F24_MAX, F24_MAX),
            NumberKind::F32 | NumberKind::F64 => (f64::NEG_INFINITY, f64::INFINITY),
        }
    }

    /// As a schema writes it.
    pub fn name(self) -> &'static str {
        match self {
            NumberKind::U8 => "u8",
            NumberKind::U16 => "u16",
            NumberKind::U24 => "u24",
            NumberKind::U32 => "u32",
            NumberKind::I8 => "i8",
            NumberKind::I16 => "i16",
            NumberKind::I24 => "i24",
            NumberKind::I32 => "i32",
            NumberKind::F16 => "f16",
            NumberKind::F24 => "f24",
            NumberKind::F32 => "f32",
            NumberKind::F64 => "f64",
        }
    }
}

impl Step {
    /// The conversion a scale stands for (`language.md` 10.4).
    pub fn of(scale: f64) -> Step {
        let inverse = 1.0 / scale;
        let whole = inverse.round();
        if whole >= 1.0 && (inverse - whole).abs() <= whole * 1e-12 {
            Step::Reciprocal(whole)
        } else {
            Step::Multiplied(scale)
        }
    }

    /// Steps of a real value, rounded to nearest, ties away from zero.
    pub fn encode(self, value: f64) -> f64 {
        match self {
            Step::Reciprocal(steps) => (value * steps).round(),
            Step::Multiplied(scale) => (value / scale).round(),
        }
    }

    /// The real value of a step count.
    pub fn decode(self, steps: f64) -> f64 {
        match self {
            Step::Reciprocal(whole) => steps / whole,
            Step::Multiplied(scale) => steps * scale,
        }
    }
}

impl Bounds {
    /// Bounds with the sides that cannot fail left out; `None` when nothing is left to check.
    fn of(min: Option<f64>, max: Option<f64>, nan: bool) -> Option<Bounds> {
        (min.is_some() || max.is_some() || nan).then_some(Bounds { min, max, nan })
    }

    /// Whether `value` is let through.
    pub fn admit(&self, value: f64) -> bool {
        !(self.nan && value.is_nan())
            && self.min.is_none_or(|min| value >= min)
            && self.max.is_none_or(|max| value <= max)
    }
}

impl Clamp {
    /// The value sent for `value`.
    pub fn apply(&self, value: f64) -> f64 {
        if value.is_nan() {
            return self.nan;
        }
        let value = self.min.map_or(value, |min| value.max(min));
        self.max.map_or(value, |max| value.min(max))
    }

    fn of(min: Option<f64>, max: Option<f64>) -> Clamp {
        let low = min.unwrap_or(f64::NEG_INFINITY);
        let high = max.unwrap_or(f64::INFINITY);
        let nan = if low > 0.0 {
            low
        } else if high < 0.0 {
            high
        } else {
            0.0
        };
        Clamp { min, max, nan }
    }
}

/// The carrier of a number, before it has a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Form {
    Integer { kind: NumberKind, bias: f64 },
    Float(NumberKind),
    Small { lo: f64, hi: f64, width: u8 },
}

/// Everything about a number but its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Coding {
    pub(crate) step: Option<Step>,
    pub(crate) form: Form,
    pub(crate) clamp: Option<Clamp>,
    pub(crate) always: Option<Bounds>,
    pub(crate) validated: Option<Bounds>,
    pub(crate) receipt: Option<Bounds>,
}

/// Most values of a range that still makes a small integer.
const SMALL_VALUES: f64 = 64.0;

pub(crate) fn coding(number: &schema::Number, layout: Layout) -> Coding {
    match (number.kind.is_float(), number.scale) {
        (true, None) => float(number),
        (true, Some(scale)) => quantized(number, Step::of(scale), layout),
        (false, scale) => integer(number, scale.map(Step::of), layout),
    }
}

/// Bounds in steps of a quantized float, and the integer its offset travels in.
pub(crate) fn quantized_integer(number: &schema::Number, step: Step) -> (f64, f64, NumberKind) {
    let range = number.range.map_or((0.0, 0.0), |range| (range.min, range.max));
    let (lo, hi) = (step.encode(range.0), step.encode(range.1));
    let kind = [NumberKind::U8, NumberKind::U16, NumberKind::U24]
        .into_iter()
        .find(|kind| hi - lo <= kind.bounds().1)
        .unwrap_or(NumberKind::U32);
    (lo, hi, kind)
}

fn quantized(number: &schema::Number, step: Step, layout: Layout) -> Coding {
    let (lo, hi, kind) = quantized_integer(number, step);
    let most = hi - lo;
    let receipt = Bounds::of(None, (most < kind.bounds().1).then_some(most), false);
    let form = Form::Integer { kind, bias: lo };
    stepped(number, Some(step), (lo, hi), (form, receipt), layout)
}

fn integer(number: &schema::Number, step: Option<Step>, layout: Layout) -> Coding {
    let own = number.kind.bounds();
    let form = Form::Integer { kind: number.kind, bias: 0.0 };
    let Some(range) = number.range else {
        return stepped(number, step, own, (form, None), layout);
    };
    let in_steps = |bound: f64| step.map_or(bound, |step| step.encode(bound));
    // An open side holds the type's own bound in real units, which may be a step off once divided back.
    let lo = if range.min_written { in_steps(range.min) } else { own.0 };
    let hi = if range.max_written { in_steps(range.max) } else { own.1 };
    let receipt = Bounds::of((lo > own.0).then_some(lo), (hi < own.1).then_some(hi), false);
    stepped(number, step, (lo, hi), (form, receipt), layout)
}

/// What integers of every kind share; `lo` and `hi` are in steps, or values where there are none.
fn stepped(
    number: &schema::Number,
    step: Option<Step>,
    (lo, hi): (f64, f64),
    (form, receipt): (Form, Option<Bounds>),
    layout: Layout,
) -> Coding {
    let inside = Some(Bounds { min: Some(lo), max: Some(hi), nan: true });
    let clamp = number.saturate.then(|| Clamp::of(Some(lo), Some(hi)));
    let checked = if clamp.is_some() { None } else { inside };
    let plain = Coding { step, form, clamp, always: None, validated: checked, receipt };
    if layout == Layout::Storage || number.range.is_none() || hi - lo + 1.0 > SMALL_VALUES {
        return plain;
    }
    let most = hi - lo;
    let width = width_for(most as u64 + 1);
    let can_fail = most + 1.0 < f64::from(1u32 << width);
    Coding {
        form: Form::Small { lo, hi, width },
        always: checked,
        receipt: Bounds::of(None, can_fail.then_some(most), false),
        ..plain
    }
}

fn float(number: &schema::Number) -> Coding {
    let kind = number.kind;
    let finite = |bound: f64| bound.is_finite().then_some(bound);
    let clamp = number.saturate.then(|| {
        let own = kind.bounds();
        let (min, max) = match number.range {
            Some(range) => (
                if range.min_written { range.min } else { own.0 },
                if range.max_written { range.max } else { own.1 },
            ),
            None => own,
        };
        Clamp::of(finite(min), finite(max))
    });
    let validated = match number.range {
        Some(range) if clamp.is_none() => Bounds::of(finite(range.min), finite(range.max), true),
        Some(_) | None => None,
    };
    let receipt = number
        .range
        .and_then(|range| Bounds::of(finite(narrow(kind, range.min)), finite(narrow(kind, range.max)), true));
    Coding { step: None, form: Form::Float(kind), clamp, always: None, validated, receipt }
}

/// Bounds of a magnitude: not narrowed, and never below 0.
pub(crate) fn magnitude(range: Option<schema::Range>) -> Option<Bounds> {
    let range = range?;
    Bounds::of((range.min > 0.0).then_some(range.min), range.max.is_finite().then_some(range.max), true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Number, Range};

    fn number(kind: NumberKind, scale: Option<f64>, range: Option<(f64, f64)>) -> Number {
        let range = range.map(|(min, max)| Range { min, max, min_written: true, max_written: true });
        Number { kind, range, scale, saturate: false }
    }

    #[test]
    fn steps_are_reciprocal_where_the_inverse_is_whole() {
        assert_eq!(Step::of(0.1), Step::Reciprocal(10.0));
        assert_eq!(Step::of(1.0), Step::Reciprocal(1.0));
        assert_eq!(Step::of(2.5), Step::Multiplied(2.5));
        assert_eq!(Step::of(0.1).encode(12.34), 123.0);
        assert_eq!(Step::of(0.1).decode(123.0), 12.3);
        assert_eq!(Step::of(2.5).encode(6.3), 3.0);
    }

    #[test]
    fn quantized_floats_take_the_narrowest_integer() {
        let coding = coding(&number(NumberKind::F32, Some(0.25), Some((100.0, 200.0))), Layout::Storage);
        assert_eq!(coding.form, Form::Integer { kind: NumberKind::U16, bias: 400.0 });
        assert_eq!(coding.receipt, Some(Bounds { min: None, max: Some(400.0), nan: false }));
    }

    #[test]
    fn small_integers_are_bits_in_traffic_only() {
        let slot = number(NumberKind::U8, None, Some((200.0, 255.0)));
        assert_eq!(coding(&slot, Layout::Traffic).form, Form::Small { lo: 200.0, hi: 255.0, width: 6 });
        assert_eq!(coding(&slot, Layout::Storage).form, Form::Integer { kind: NumberKind::U8, bias: 0.0 });
        let wide = number(NumberKind::U8, None, Some((0.0, 64.0)));
        assert!(matches!(coding(&wide, Layout::Traffic).form, Form::Integer { .. }));
        let full = number(NumberKind::U8, None, Some((0.0, 63.0)));
        assert_eq!(coding(&full, Layout::Traffic).receipt, None);
        let quarters = number(NumberKind::F32, Some(0.25), Some((0.0, 1.0)));
        assert_eq!(coding(&quarters, Layout::Traffic).form, Form::Small { lo: 0.0, hi: 4.0, width: 3 });
    }

    #[test]
    fn bounds_of_floats_are_narrowed_on_receipt_only() {
        let coding = coding(&number(NumberKind::F32, None, Some((0.0, 0.3))), Layout::Traffic);
        assert_eq!(coding.validated.and_then(|bounds| bounds.max), Some(0.3));
        assert_eq!(coding.receipt.and_then(|bounds| bounds.max), Some(0.30000001192092896));
    }

    #[test]
    fn nan_saturates_to_the_bound_nearest_zero() {
        assert_eq!(Clamp::of(Some(1.0), Some(255.0)).apply(f64::NAN), 1.0);
        assert_eq!(Clamp::of(Some(-9.0), Some(-2.0)).apply(f64::NAN), -2.0);
        assert_eq!(Clamp::of(None, None).apply(f64::NAN), 0.0);
    }
}
