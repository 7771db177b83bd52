//! `TweenInfo`: how a tween runs. Engine page: datatypes/TweenInfo, checked November 2026.

use super::script::{
    Property, enum_name, enum_value_or, equal, float_or, int_or, push_enum_value, push_float, return_data,
    scripted,
};
use super::text;
use crate::vm::{Cx, Failure, NativeFn, Outcome, Vm};

/// How long, how often and along which curve a tween runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TweenInfo {
    /// Seconds one run takes.
    pub time: f32,
    /// Value of the item of `Enum.EasingStyle`.
    pub easing_style: u32,
    /// Value of the item of `Enum.EasingDirection`.
    pub easing_direction: u32,
    /// Further runs after the first; negative for ever.
    pub repeat_count: i32,
    /// Whether each run goes back again.
    pub reverses: bool,
    /// Seconds before each run.
    pub delay_time: f32,
}

/// The value of `Enum.EasingStyle.Quad`.
const QUAD: u32 = 3;
/// The value of `Enum.EasingDirection.Out`.
const OUT: u32 = 1;

impl Default for TweenInfo {
    fn default() -> Self {
        Self {
            time: 1.0,
            easing_style: QUAD,
            easing_direction: OUT,
            repeat_count: 0,
            reverses: false,
            delay_time: 0.0,
        }
    }
}

impl TweenInfo {
    /// The text of the value: each part with its name.
    pub fn to_text(self) -> String {
        let style = enum_name("EasingStyle", self.easing_style);
        let direction = enum_name("EasingDirection", self.easing_direction);
        let reverses = if self.reverses { "True" } else { "False" };
        format!(
            "Time:{} DelayTime:{} RepeatCount:{} Reverses:{reverses} EasingDirection:{direction} EasingStyle:{style}",
            text::number(f64::from(self.time)),
            text::number(f64::from(self.delay_time)),
            self.repeat_count,
        )
    }
}

// ---------------------------------------------------------------- seen from scripts

/// Describes the type to a VM and adds its library.
pub(super) fn install(vm: &Vm) -> Result<(), Failure> {
    vm.register_data::<TweenInfo>(table())?;
    vm.set_library("TweenInfo", &[("new", new)], &[])
}

fn new(cx: &mut Cx<'_>) -> Outcome {
    let default = TweenInfo::default();
    let info = TweenInfo {
        time: float_or(cx, 1, default.time)?,
        easing_style: enum_value_or(cx, 2, "EasingStyle", default.easing_style)?,
        easing_direction: enum_value_or(cx, 3, "EasingDirection", default.easing_direction)?,
        repeat_count: int_or(cx, 4, default.repeat_count)?,
        reverses: cx.opt_boolean(5)?.unwrap_or(default.reverses),
        delay_time: float_or(cx, 6, default.delay_time)?,
    };
    return_data(cx, info)
}

const PROPERTIES: &[(&str, Property<TweenInfo>)] = &[
    ("Time", |cx, this| push_float(cx, this.time)),
    ("EasingStyle", |cx, this| push_enum_value(cx, "EasingStyle", this.easing_style)),
    ("EasingDirection", |cx, this| push_enum_value(cx, "EasingDirection", this.easing_direction)),
    ("RepeatCount", |cx, this| cx.push_number(f64::from(this.repeat_count))),
    ("Reverses", |cx, this| cx.push_boolean(this.reverses)),
    ("DelayTime", |cx, this| push_float(cx, this.delay_time)),
];

const METHODS: &[(&str, NativeFn)] = &[];
const OPERATORS: &[(&str, NativeFn)] = &[("__eq", equal::<TweenInfo>)];

fn script_text(info: &TweenInfo) -> String {
    info.to_text()
}

scripted!(TweenInfo, "TweenInfo");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_the_engines() {
        assert_eq!(
            TweenInfo::default().to_text(),
            "Time:1 DelayTime:0 RepeatCount:0 Reverses:False EasingDirection:Out EasingStyle:Quad"
        );
    }
}
