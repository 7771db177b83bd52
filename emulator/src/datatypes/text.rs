//! Numbers as Luau prints them, for the text of every datatype.
//!
//! Luau prints the shortest digits that read back as the same double, without an exponent while the decimal point stays
//! within five places before or 21 places after the first digit. A float32 is widened first, so that 0.1 shows all the
//! digits of its double: the engine prints `Vector3.new(0.1, 0, 0)` as `0.10000000149011612, 0, 0`.

use std::fmt::Write;

/// The text of `value` as `tostring` gives it in Luau.
pub fn number(value: f64) -> String {
    let mut out = String::new();
    write_number(&mut out, value);
    out
}

/// The text of each float32 of `parts`, joined with `, `.
pub fn floats(parts: &[f32]) -> String {
    let mut out = String::new();
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        write_number(&mut out, f64::from(*part));
    }
    out
}

/// Appends the text of `value` to `out`.
pub fn write_number(out: &mut String, value: f64) {
    if value.is_nan() {
        out.push_str("nan");
        return;
    }
    if value.is_infinite() {
        out.push_str(if value < 0.0 { "-inf" } else { "inf" });
        return;
    }
    if value == 0.0 {
        out.push_str(if value.is_sign_negative() { "-0" } else { "0" });
        return;
    }
    // Rust's `{:e}` gives the shortest digits that round-trip, as `d.ddde±x`.
    let scientific = format!("{:e}", value.abs());
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return };
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let point = exponent.parse::<i32>().unwrap_or(0) + 1;
    if value < 0.0 {
        out.push('-');
    }
    if (-5..=21).contains(&point) {
        write_fixed(out, &digits, point);
    } else {
        out.push_str(&digits[..1]);
        if digits.len() > 1 {
            out.push('.');
            out.push_str(&digits[1..]);
        }
        let exponent = point - 1;
        let sign = if exponent < 0 { '-' } else { '+' };
        // Writing to a string cannot fail.
        let _ = write!(out, "e{sign}{:02}", exponent.abs());
    }
}

/// Appends `digits` with the decimal point after the first `point` of them.
fn write_fixed(out: &mut String, digits: &str, point: i32) {
    let count = digits.len();
    match usize::try_from(point) {
        Ok(point) if point >= count => {
            out.push_str(digits);
            out.extend(std::iter::repeat_n('0', point - count));
        }
        Ok(point) if point > 0 => {
            out.push_str(&digits[..point]);
            out.push('.');
            out.push_str(&digits[point..]);
        }
        _ => {
            out.push_str("0.");
            out.extend(std::iter::repeat_n('0', point.unsigned_abs() as usize));
            out.push_str(digits);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_numbers_as_luau_does() {
        for (value, text) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (-2.5, "-2.5"),
            (0.1, "0.1"),
            (f64::from(0.1f32), "0.10000000149011612"),
            (1e15, "1000000000000000"),
            (1e20, "100000000000000000000"),
            (1e21, "1e+21"),
            (1e100, "1e+100"),
            (0.000_01, "0.00001"),
            (0.000_001, "0.000001"),
            (1e-7, "1e-07"),
            (1.5e-9, "1.5e-09"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
            (f64::NAN, "nan"),
        ] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn joins_widened_floats() {
        assert_eq!(floats(&[1.0, 0.1, -3.0]), "1, 0.10000000149011612, -3");
    }
}
