//! `DateTime`: a moment, in whole milliseconds. Engine page: datatypes/DateTime, checked November 2026.
//!
//! Local time is universal time: no time zone of the host reaches a script.

use super::script::{Property, equal, return_data, return_text, scripted, this};
use crate::vm::{Cx, Failure, NativeFn, Outcome, Raise, Returns, Vm};
/// A moment: milliseconds since the start of 1970, universal time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct DateTime {
    /// Milliseconds since the start of 1970.
    pub millis: i64,
}

/// A moment taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts {
    /// 1400 to 9999.
    pub year: i64,
    /// 1 to 12.
    pub month: i64,
    /// 1 to 31.
    pub day: i64,
    /// 0 to 23.
    pub hour: i64,
    /// 0 to 59.
    pub minute: i64,
    /// 0 to 59.
    pub second: i64,
    /// 0 to 999.
    pub millisecond: i64,
}

impl Default for Parts {
    fn default() -> Self {
        Self { year: 1970, month: 1, day: 1, hour: 0, minute: 0, second: 0, millisecond: 0 }
    }
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const WEEKDAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const DAY_MILLIS: i64 = 86_400_000;

/// Years a moment may have.
const YEARS: std::ops::RangeInclusive<i64> = 1400..=9999;

impl DateTime {
    /// A moment by its milliseconds; nothing outside the years 1400 to 9999.
    pub fn from_millis(millis: f64) -> Option<Self> {
        let moment = Self { millis: millis.trunc() as i64 };
        (millis.is_finite() && YEARS.contains(&moment.parts().year)).then_some(moment)
    }

    /// A moment by its parts. Hours, minutes, seconds and milliseconds roll over; nothing for a day that does not exist
    /// or a year outside 1400 to 9999.
    pub fn from_parts(parts: Parts) -> Option<Self> {
        let days = days_of(parts.year, parts.month, parts.day)?;
        let seconds = parts
            .hour
            .checked_mul(3600)?
            .checked_add(parts.minute.checked_mul(60)?)?
            .checked_add(parts.second)?;
        let millis = seconds.checked_mul(1000)?.checked_add(parts.millisecond)?;
        let moment = Self { millis: days.checked_mul(DAY_MILLIS)?.checked_add(millis)? };
        YEARS.contains(&moment.parts().year).then_some(moment)
    }

    /// A moment by its ISO 8601 text, `2026-11-29T20:47:09.500Z`; the time may be left out, the zone may be `+01:00`.
    pub fn from_iso(text: &str) -> Option<Self> {
        let (date, time) = match text.split_once(['T', ' ']) {
            Some((date, time)) => (date, Some(time)),
            None => (text, None),
        };
        let [year, month, day] = split::<3>(date, '-')?;
        let mut parts = Parts { year, month, day, ..Parts::default() };
        let mut zone_minutes = 0;
        if let Some(time) = time {
            let zone_at = time.find(['Z', '+', '-']).unwrap_or(time.len());
            zone_minutes = zone(&time[zone_at..])?;
            let clock = &time[..zone_at];
            let (clock, fraction) = clock.split_once('.').unwrap_or((clock, ""));
            [parts.hour, parts.minute, parts.second] = split::<3>(clock, ':')?;
            if parts.hour > 23 || parts.minute > 59 || parts.second > 59 {
                return None;
            }
            parts.millisecond = fraction_millis(fraction)?;
        }
        parts.minute -= zone_minutes;
        Self::from_parts(parts)
    }

    /// The moment taken apart.
    pub fn parts(self) -> Parts {
        let days = self.millis.div_euclid(DAY_MILLIS);
        let millis = self.millis.rem_euclid(DAY_MILLIS);
        let (year, month, day) = date_of(days);
        Parts {
            year,
            month,
            day,
            hour: millis / 3_600_000,
            minute: millis / 60_000 % 60,
            second: millis / 1000 % 60,
            millisecond: millis % 1000,
        }
    }

    /// Whole seconds since the start of 1970, rounded down.
    pub fn unix_timestamp(self) -> i64 {
        self.millis.div_euclid(1000)
    }

    /// The moment as ISO 8601 text, with seconds: `2026-11-29T20:47:09Z`.
    pub fn to_iso(self) -> String {
        let p = self.parts();
        format!("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", p.year, p.month, p.day, p.hour, p.minute, p.second)
    }

    /// The moment by a format of moment.js' tokens, in English. Text in square brackets is kept.
    pub fn format(self, format: &str) -> String {
        let mut out = String::new();
        let mut rest = format;
        while let Some(first) = rest.chars().next() {
            if let Some((literal, after)) = rest.strip_prefix('[').and_then(|inner| inner.split_once(']')) {
                out.push_str(literal);
                rest = after;
                continue;
            }
            let run = rest.len() - rest.trim_start_matches(first).len();
            // Tokens are ASCII; a character of several bytes must not be cut.
            let longest = if first.is_ascii() { run.min(4) } else { 0 };
            let len = (1..=longest).rev().find(|len| self.write_token(&rest[..*len], &mut out));
            match len {
                Some(len) => rest = &rest[len..],
                None => {
                    out.push(first);
                    rest = &rest[first.len_utf8()..];
                }
            }
        }
        out
    }

    /// The text of a moment is its milliseconds.
    pub fn to_text(self) -> String {
        self.millis.to_string()
    }

    /// Appends what `token` stands for, if it is a token.
    fn write_token(self, token: &str, out: &mut String) -> bool {
        let p = self.parts();
        let weekday = (self.millis.div_euclid(DAY_MILLIS) + 4).rem_euclid(7);
        let half_day = (p.hour + 11) % 12 + 1;
        let name =
            |names: &[&'static str], index: i64| names.get(index as usize).copied().unwrap_or_default();
        let text = match token {
            "YYYY" => format!("{:04}", p.year),
            "YY" => format!("{:02}", p.year % 100),
            "MMMM" => name(&MONTHS, p.month - 1).to_owned(),
            "MMM" => name(&MONTHS, p.month - 1)[..3].to_owned(),
            "MM" => format!("{:02}", p.month),
            "M" => p.month.to_string(),
            "DD" => format!("{:02}", p.day),
            "D" => p.day.to_string(),
            "dddd" => name(&WEEKDAYS, weekday).to_owned(),
            "ddd" => name(&WEEKDAYS, weekday)[..3].to_owned(),
            "dd" => name(&WEEKDAYS, weekday)[..2].to_owned(),
            "d" => weekday.to_string(),
            "HH" => format!("{:02}", p.hour),
            "H" => p.hour.to_string(),
            "hh" => format!("{half_day:02}"),
            "h" => half_day.to_string(),
            "mm" => format!("{:02}", p.minute),
            "m" => p.minute.to_string(),
            "ss" => format!("{:02}", p.second),
            "s" => p.second.to_string(),
            "SSS" => format!("{:03}", p.millisecond),
            "SS" => format!("{:02}", p.millisecond / 10),
            "S" => (p.millisecond / 100).to_string(),
            "A" => if p.hour < 12 { "AM" } else { "PM" }.to_owned(),
            "a" => if p.hour < 12 { "am" } else { "pm" }.to_owned(),
            "Z" => "+00:00".to_owned(),
            "ZZ" => "+0000".to_owned(),
            "X" => self.unix_timestamp().to_string(),
            "x" => self.millis.to_string(),
            "LT" => self.format("h:mm A"),
            "LTS" => self.format("h:mm:ss A"),
            "L" => self.format("MM/DD/YYYY"),
            "l" => self.format("M/D/YYYY"),
            "LL" => self.format("MMMM D, YYYY"),
            "ll" => self.format("MMM D, YYYY"),
            "LLL" => self.format("MMMM D, YYYY h:mm A"),
            "lll" => self.format("MMM D, YYYY h:mm A"),
            "LLLL" => self.format("dddd, MMMM D, YYYY h:mm A"),
            "llll" => self.format("ddd, MMM D, YYYY h:mm A"),
            _ => return false,
        };
        out.push_str(&text);
        true
    }
}

/// `N` whole numbers with `separator` between them.
fn split<const N: usize>(text: &str, separator: char) -> Option<[i64; N]> {
    let mut numbers = [0; N];
    let mut parts = text.split(separator);
    for number in &mut numbers {
        let part = parts.next()?;
        if part.is_empty() || part.len() > 4 || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        *number = part.parse().ok()?;
    }
    parts.next().is_none().then_some(numbers)
}

/// Minutes a zone is ahead of universal time: of ``, `Z`, `+01:00` or `-0530`.
fn zone(text: &str) -> Option<i64> {
    let (sign, digits) = match text.strip_prefix('+') {
        Some(digits) => (1, digits),
        None => match text.strip_prefix('-') {
            Some(digits) => (-1, digits),
            None => return (text.is_empty() || text == "Z").then_some(0),
        },
    };
    let digits: String = digits.chars().filter(|part| *part != ':').collect();
    if digits.len() != 4 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number: i64 = digits.parse().ok()?;
    Some(sign * (number / 100 * 60 + number % 100))
}

/// Milliseconds of the digits after the point.
fn fraction_millis(digits: &str) -> Option<i64> {
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let padded: String = digits.chars().chain("000".chars()).take(3).collect();
    padded.parse().ok()
}

/// Days since the start of 1970 of a date of the Gregorian calendar; nothing for a day that does not exist.
fn days_of(year: i64, month: i64, day: i64) -> Option<i64> {
    if !YEARS.contains(&year) || !(1..=12).contains(&month) || day < 1 || day > month_days(year, month) {
        return None;
    }
    // Count from March, so that a leap day comes last: 153 days in five months.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let day_of_year = (153 * month + 2) / 5 + day - 1;
    Some(
        365 * year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + day_of_year - 719_468,
    )
}

/// Year, month and day of a number of days since the start of 1970.
fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days.saturating_add(719_468);
    let era = days.div_euclid(146_097);
    let in_era = days.rem_euclid(146_097);
    let year_of_era = (in_era - in_era / 1460 + in_era / 36_524 - in_era / 146_096) / 365;
    let day_of_year = in_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}

fn month_days(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

// ---------------------------------------------------------------- seen from scripts

/// Describes the type to a VM and adds its library.
pub(super) fn install(vm: &Vm) -> Result<(), Failure> {
    vm.register_data::<DateTime>(table())?;
    let functions: [(&'static str, NativeFn); 6] = [
        ("now", now),
        ("fromUnixTimestamp", |cx| of_millis(cx, cx.number(1)?.floor() * 1000.0)),
        ("fromUnixTimestampMillis", |cx| of_millis(cx, cx.number(1)?)),
        ("fromUniversalTime", from_parts),
        ("fromLocalTime", from_parts),
        ("fromIsoDate", from_iso),
    ];
    vm.set_library("DateTime", &functions, &[])
}

fn now(cx: &mut Cx<'_>) -> Outcome {
    let seconds = cx.opt_peer().map_or(0.0, |peer| peer.unix_time());
    return_data(cx, DateTime { millis: (seconds * 1000.0).floor() as i64 })
}

fn of_millis(cx: &Cx<'_>, millis: f64) -> Outcome {
    let moment = DateTime::from_millis(millis).ok_or_else(|| Raise::new("timestamp out of range"))?;
    return_data(cx, moment)
}

fn from_parts(cx: &mut Cx<'_>) -> Outcome {
    let default = Parts::default();
    let part = |index: i32, default: i64| Ok::<i64, Raise>(cx.opt_integer(index)?.unwrap_or(default));
    let parts = Parts {
        year: part(1, default.year)?,
        month: part(2, default.month)?,
        day: part(3, default.day)?,
        hour: part(4, default.hour)?,
        minute: part(5, default.minute)?,
        second: part(6, default.second)?,
        millisecond: part(7, default.millisecond)?,
    };
    let moment = DateTime::from_parts(parts).ok_or_else(|| Raise::new("invalid date"))?;
    return_data(cx, moment)
}

fn from_iso(cx: &mut Cx<'_>) -> Outcome {
    match DateTime::from_iso(&cx.text(1)?) {
        Some(moment) => cx.push_data(moment),
        None => cx.push_nil(),
    }
    Ok(Returns::ONE)
}

const PROPERTIES: &[(&str, Property<DateTime>)] = &[
    ("UnixTimestamp", |cx, this| cx.push_number(this.unix_timestamp() as f64)),
    ("UnixTimestampMillis", |cx, this| cx.push_number(this.millis as f64)),
];

const METHODS: &[(&str, NativeFn)] = &[
    ("ToUniversalTime", to_parts),
    ("ToLocalTime", to_parts),
    ("ToIsoDate", |cx| return_text(cx, this::<DateTime>(cx)?.to_iso())),
    ("FormatUniversalTime", format_method),
    ("FormatLocalTime", format_method),
];

const OPERATORS: &[(&str, NativeFn)] = &[("__eq", equal::<DateTime>)];

fn script_text(moment: &DateTime) -> String {
    moment.to_text()
}

scripted!(DateTime, "DateTime");

fn to_parts(cx: &mut Cx<'_>) -> Outcome {
    let parts = this::<DateTime>(cx)?.parts();
    cx.push_table(0, 7);
    for (name, value) in [
        ("Year", parts.year),
        ("Month", parts.month),
        ("Day", parts.day),
        ("Hour", parts.hour),
        ("Minute", parts.minute),
        ("Second", parts.second),
        ("Millisecond", parts.millisecond),
    ] {
        cx.push_number(value as f64);
        cx.set_field(name);
    }
    Ok(Returns::ONE)
}

/// The locale, argument 2, is required by the engine; the emulator knows English only.
fn format_method(cx: &mut Cx<'_>) -> Outcome {
    let format = cx.text(1)?;
    cx.string(2)?;
    return_text(cx, this::<DateTime>(cx)?.format(&format))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment() -> DateTime {
        DateTime { millis: 1_796_071_629_500 }
    }

    #[test]
    fn takes_apart_and_puts_together() {
        let parts =
            Parts { year: 2026, month: 11, day: 30, hour: 20, minute: 47, second: 9, millisecond: 500 };
        assert_eq!(moment().parts(), parts);
        assert_eq!(DateTime::from_parts(parts), Some(moment()));
        assert_eq!(DateTime::from_parts(Parts::default()), Some(DateTime { millis: 0 }));
        for days in (-208_000..2_900_000).step_by(997) {
            let (year, month, day) = date_of(days);
            if YEARS.contains(&year) {
                assert_eq!(days_of(year, month, day), Some(days));
            }
        }
    }

    #[test]
    fn time_rolls_over_but_days_must_exist() {
        let parts = Parts { hour: 25, second: -1, ..Parts::default() };
        assert_eq!(
            DateTime::from_parts(parts).map(DateTime::to_iso).as_deref(),
            Some("1970-01-02T00:59:59Z")
        );
        assert_eq!(DateTime::from_parts(Parts { month: 2, day: 29, ..Parts::default() }), None);
        assert!(DateTime::from_parts(Parts { year: 2024, month: 2, day: 29, ..Parts::default() }).is_some());
        assert_eq!(DateTime::from_parts(Parts { year: 1399, ..Parts::default() }), None);
        assert_eq!(DateTime::from_millis(1e18), None);
        assert_eq!(DateTime::from_millis(f64::NAN), None);
        assert_eq!(DateTime { millis: -1 }.unix_timestamp(), -1);
    }

    #[test]
    fn reads_iso_text() {
        for (text, millis) in [
            ("2026-11-30T20:47:09.500Z", Some(1_796_071_629_500)),
            ("2026-11-30T21:47:09.5+01:00", Some(1_796_071_629_500)),
            ("1970-01-02", Some(86_400_000)),
            ("1970-01-01T00:00:00Z", Some(0)),
            ("yesterday", None),
            ("2026-13-01", None),
            ("2026-11-30T25:00:00Z", None),
            ("2026-11-30T20:47:09X", None),
        ] {
            assert_eq!(DateTime::from_iso(text).map(|moment| moment.millis), millis, "{text}");
        }
    }

    #[test]
    fn formats_with_tokens() {
        assert_eq!(moment().format("YYYY-MM-DD HH:mm:ss.SSS"), "2026-11-30 20:47:09.500");
        assert_eq!(moment().format("dddd, MMM D [at] h:mm A"), "Monday, Nov 30 at 8:47 PM");
        assert_eq!(moment().format("LL"), "November 30, 2026");
        assert_eq!(moment().format("éé 年YYYY["), "éé 年2026[");
    }
}
