//! `TweenInfo`: how a tween runs. Engine page: datatypes/TweenInfo, checked November 2026.

use super::text;

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
    /// The text of the value, given the names of its two enum items.
    pub fn to_text_with(self, style: &str, direction: &str) -> String {
        let reverses = if self.reverses { "True" } else { "False" };
        format!(
            "Time:{} DelayTime:{} RepeatCount:{} Reverses:{reverses} EasingDirection:{direction} EasingStyle:{style}",
            text::number(f64::from(self.time)),
            text::number(f64::from(self.delay_time)),
            self.repeat_count,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_the_engines() {
        assert_eq!(
            TweenInfo::default().to_text_with("Quad", "Out"),
            "Time:1 DelayTime:0 RepeatCount:0 Reverses:False EasingDirection:Out EasingStyle:Quad"
        );
    }
}
