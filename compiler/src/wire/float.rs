//! `f16` and `f24` bit by bit (`language.md` 10.2): the two floats no processor rounds as the wire asks.

use crate::schema::NumberKind;

/// Largest finite `f16`.
pub const F16_MAX: f64 = 65504.0;
/// Largest finite `f24`.
pub const F24_MAX: f64 = 4_294_950_912.0;

const F64_MANTISSA: u32 = 52;
const F64_BIAS: i64 = 1023;

/// The two bytes of `value`. Truncates normals towards zero; rounds subnormals to nearest, ties away from zero.
pub fn encode_f16(value: f64) -> u16 {
    if value.is_nan() {
        return 0xFC01;
    }
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    if value.abs() > F16_MAX {
        return sign | 0x7C00;
    }
    let dropped = F64_MANTISSA - 10;
    let cut = value.abs().to_bits() >> dropped << dropped;
    let magnitude = f64::from_bits(cut);
    if magnitude < 2f64.powi(-14) {
        // 1024 units is the smallest normal: the carry lands in the exponent by itself.
        return sign | (magnitude * 2f64.powi(24)).round() as u16;
    }
    let exponent = (cut >> F64_MANTISSA) as i64 - F64_BIAS + 15;
    sign | (exponent as u16) << 10 | (cut >> dropped & 0x3FF) as u16
}

/// The value of two bytes.
pub fn decode_f16(bits: u16) -> f64 {
    decode(u32::from(bits), 5, 10)
}

/// The low three bytes of `value`. Rounds to nearest, ties away from zero.
pub fn encode_f24(value: f64) -> u32 {
    if value.is_nan() {
        return 0xFE0001;
    }
    let sign = if value.is_sign_negative() { 0x80_0000 } else { 0 };
    let magnitude = value.abs();
    if magnitude < 2f64.powi(-30) {
        return sign | (magnitude * 2f64.powi(47)).round() as u32;
    }
    if magnitude.is_infinite() {
        return sign | 0x7E_0000;
    }
    let dropped = F64_MANTISSA - 17;
    // Adding half a unit rounds ties away from zero, and a carry out of the mantissa raises the exponent.
    let rounded = (magnitude.to_bits() + (1 << (dropped - 1))) >> dropped << dropped;
    if f64::from_bits(rounded) > F24_MAX {
        return sign | 0x7E_0000;
    }
    let exponent = (rounded >> F64_MANTISSA) as i64 - F64_BIAS + 31;
    sign | (exponent as u32) << 17 | (rounded >> dropped & 0x1_FFFF) as u32
}

/// The value of the low three bytes; the top one is ignored.
pub fn decode_f24(bits: u32) -> f64 {
    decode(bits & 0xFF_FFFF, 6, 17)
}

fn decode(bits: u32, exponent_bits: u32, mantissa_bits: u32) -> f64 {
    let mantissa = bits & ((1 << mantissa_bits) - 1);
    let exponent = bits >> mantissa_bits & ((1 << exponent_bits) - 1);
    let bias = (1i32 << (exponent_bits - 1)) - 1;
    let one = f64::from(1u32 << mantissa_bits);
    let magnitude = if exponent == (1 << exponent_bits) - 1 {
        if mantissa == 0 { f64::INFINITY } else { return f64::NAN }
    } else if exponent == 0 {
        f64::from(mantissa) / one * 2f64.powi(1 - bias)
    } else {
        (1.0 + f64::from(mantissa) / one) * 2f64.powi(exponent as i32 - bias)
    };
    if bits >> (exponent_bits + mantissa_bits) == 1 { -magnitude } else { magnitude }
}

/// `value` as the receiver of a float `kind` sees it; integers are left as they are.
pub fn narrow(kind: NumberKind, value: f64) -> f64 {
    match kind {
        NumberKind::F16 => decode_f16(encode_f16(value)),
        NumberKind::F24 => decode_f24(encode_f24(value)),
        NumberKind::F32 => f64::from(value as f32),
        NumberKind::F64
        | NumberKind::U8
        | NumberKind::U16
        | NumberKind::U24
        | NumberKind::U32
        | NumberKind::I8
        | NumberKind::I16
        | NumberKind::I24
        | NumberKind::I32 => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f16(value: f64, bits: u16, back: f64) {
        assert_eq!(encode_f16(value), bits, "f16 of {value}");
        assert_eq!(decode_f16(bits).to_bits(), back.to_bits(), "f16 {bits:04X}");
    }

    fn f24(value: f64, bits: u32, back: f64) {
        assert_eq!(encode_f24(value), bits, "f24 of {value}");
        assert_eq!(decode_f24(bits).to_bits(), back.to_bits(), "f24 {bits:06X}");
    }

    #[test]
    fn f16_vectors() {
        f16(0.1, 0x2E66, 0.0999755859375);
        f16(2051.0, 0x6801, 2050.0);
        f16(65504.0, 0x7BFF, 65504.0);
        f16(65504.5, 0x7C00, f64::INFINITY);
        f16(-1e300, 0xFC00, f64::NEG_INFINITY);
        f16(2f64.powi(-25), 1, 2f64.powi(-24));
        f16(2f64.powi(-26), 0, 0.0);
        f16(-2f64.powi(-26), 0x8000, -0.0);
        f16(6.1e-5, 0x03FF, 1023.0 * 2f64.powi(-24));
        f16(6.103e-5, 0x0400, 2f64.powi(-14));
        f16(-0.0, 0x8000, -0.0);
        assert_eq!(encode_f16(f64::NAN), 0xFC01);
        assert!(decode_f16(0xFC01).is_nan());
    }

    #[test]
    fn f24_vectors() {
        f24(0.1, 0x373333, 0.09999990463256836);
        f24(-2.5, 0xC08000, -2.5);
        f24(1000.3, 0x51E84D, 1000.30078125);
        f24(1023.9999999, 0x520000, 1024.0);
        f24(2f64.powi(-48), 1, 2f64.powi(-47));
        f24(2f64.powi(-49), 0, 0.0);
        f24(4294959103.0, 0x7DFFFF, F24_MAX);
        f24(4294959104.0, 0x7E0000, f64::INFINITY);
        f24(f64::NEG_INFINITY, 0xFE0000, f64::NEG_INFINITY);
        assert_eq!(encode_f24(f64::NAN), 0xFE0001);
    }

    #[test]
    fn every_pattern_but_nan_reads_and_writes_itself() {
        for bits in 0..=u16::MAX {
            let value = decode_f16(bits);
            let expected = if value.is_nan() { 0xFC01 } else { bits };
            assert_eq!(encode_f16(value), expected);
        }
        for bits in 0..1u32 << 24 {
            let value = decode_f24(bits);
            let expected = if value.is_nan() { 0xFE0001 } else { bits };
            assert_eq!(encode_f24(value), expected);
        }
    }
}
