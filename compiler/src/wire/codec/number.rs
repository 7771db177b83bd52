//! Numbers between a script and the wire, and the bytes of every number type.

use crate::schema::NumberKind;
use crate::wire::codec::error::{Problem, Refusal};
use crate::wire::float::{decode_f16, decode_f24, encode_f16, encode_f24};
use crate::wire::plan::{Bounds, Carrier, Number};

/// Takes a value through everything between the script and the wire: gives the number to write, or the small
/// integer's offset.
pub(crate) fn to_wire(number: &Number, value: f64, validate: bool) -> Result<f64, Refusal> {
    let units = match number.step {
        Some(step) => step.encode(value),
        None => value,
    };
    if let Some(bounds) = number.validated.filter(|_| validate) {
        check(bounds, units)?;
    }
    let units = match (number.clamp, number.step, &number.carrier) {
        (Some(clamp), None, Carrier::Integer { .. } | Carrier::Small { .. }) => clamp.apply(units.round()),
        (Some(clamp), _, _) => clamp.apply(units),
        (None, None, Carrier::Integer { .. } | Carrier::Small { .. }) => units.trunc(),
        (None, _, _) => units,
    };
    if let Some(bounds) = number.always {
        check(bounds, units)?;
    }
    Ok(match number.carrier {
        Carrier::Integer { bias, .. } => units - bias,
        Carrier::Float { .. } => units,
        Carrier::Small { lo, .. } => units - lo,
    })
}

/// Turns what stood on the wire into the script's value.
pub(crate) fn from_wire(number: &Number, raw: f64) -> Result<f64, Problem> {
    if number.receipt.is_some_and(|bounds| !bounds.admit(raw)) {
        return Err(Problem::Range(raw));
    }
    let units = match number.carrier {
        Carrier::Integer { bias, .. } => raw + bias,
        Carrier::Float { .. } => raw,
        Carrier::Small { lo, .. } => raw + lo,
    };
    Ok(number.step.map_or(units, |step| step.decode(units)))
}

pub(crate) fn check(bounds: Bounds, value: f64) -> Result<(), Refusal> {
    if bounds.admit(value) {
        return Ok(());
    }
    let min = bounds.min.unwrap_or(f64::NEG_INFINITY);
    let max = bounds.max.unwrap_or(f64::INFINITY);
    Err(Refusal::Range { value, min, max })
}

/// The bytes of a number, in the first [`NumberKind::size`] of eight.
pub(crate) fn to_bytes(kind: NumberKind, value: f64) -> [u8; 8] {
    match kind {
        NumberKind::F16 => u64::from(encode_f16(value)).to_le_bytes(),
        NumberKind::F24 => u64::from(encode_f24(value)).to_le_bytes(),
        NumberKind::F32 => u64::from((value as f32).to_bits()).to_le_bytes(),
        NumberKind::F64 => value.to_bits().to_le_bytes(),
        NumberKind::U8
        | NumberKind::U16
        | NumberKind::U24
        | NumberKind::U32
        | NumberKind::I8
        | NumberKind::I16
        | NumberKind::I24
        | NumberKind::I32 => (value.trunc() as i64).to_le_bytes(),
    }
}

/// The number in as many bytes as [`NumberKind::size`] says; missing ones count as 0.
pub(crate) fn from_bytes(kind: NumberKind, bytes: &[u8]) -> f64 {
    let mut all = [0u8; 8];
    for (to, from) in all.iter_mut().zip(bytes) {
        *to = *from;
    }
    let bits = u64::from_le_bytes(all);
    let low = bits as u32;
    match kind {
        NumberKind::U8 | NumberKind::U16 | NumberKind::U24 | NumberKind::U32 => f64::from(low),
        NumberKind::I8 => f64::from(low as i8),
        NumberKind::I16 => f64::from(low as i16),
        // Shifting up and down again spreads the sign.
        NumberKind::I24 => f64::from((low << 8) as i32 >> 8),
        NumberKind::I32 => f64::from(low as i32),
        NumberKind::F16 => decode_f16(low as u16),
        NumberKind::F24 => decode_f24(low),
        NumberKind::F32 => f64::from(f32::from_bits(low)),
        NumberKind::F64 => f64::from_bits(bits),
    }
}
