//! Estimated sizes of remote calls, for bandwidth, the unreliable limit and the trace. The real protocol is private:
//! every number here is an estimate. Source: Roblox behaviour, 5.8.

use std::io::Write;

use flate2::Compression;
use flate2::write::DeflateEncoder;

use super::rotation::is_aligned;
use crate::datatypes::Datatype;
use crate::shared::CompressEstimate;
use crate::value::Value;

/// Bytes of a remote event call around its arguments.
const CALL: usize = 9;
/// What a call to the server has on top.
const UPWARDS: usize = 5;
/// What a call of a remote function has on top.
const FUNCTION: usize = 2;

/// Bytes a call or reply counts for, all in all.
pub fn message(arguments: &[Value], upwards: bool, function: bool, compress: CompressEstimate) -> usize {
    let around = CALL + if upwards { UPWARDS } else { 0 } + if function { FUNCTION } else { 0 };
    around + arguments.iter().map(|value| element(value, compress)).sum::<usize>()
}

/// Bytes that count against the limit of an unreliable event: the arguments' contents, without the tag and the length
/// of each. A lone buffer of 1000 bytes fits a limit of 1000.
pub fn payload(arguments: &[Value], compress: CompressEstimate) -> usize {
    let content = |value: &Value| match value {
        Value::String(bytes) => bytes.len(),
        Value::Buffer(bytes) => buffer_bytes(bytes, compress),
        other => body(other, compress),
    };
    arguments.iter().map(content).sum()
}

/// Bytes of a buffer's contents. The engine compresses buffers, in a way of its own; a fast deflate stands in for it.
fn buffer_bytes(bytes: &[u8], compress: CompressEstimate) -> usize {
    if compress == CompressEstimate::None {
        return bytes.len();
    }
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
    // Writing to memory cannot fail.
    let _ = encoder.write_all(bytes);
    encoder.finish().map_or(bytes.len(), |packed| packed.len().min(bytes.len()))
}

fn element(value: &Value, compress: CompressEstimate) -> usize {
    1 + body(value, compress)
}

fn body(value: &Value, compress: CompressEstimate) -> usize {
    match value {
        Value::Nil => 0,
        Value::Boolean(_) => 1,
        Value::Number(_) => 8,
        Value::Vector(_) => 12,
        Value::String(bytes) => varint(bytes.len()) + bytes.len(),
        Value::Buffer(bytes) => varint(bytes.len()) + buffer_bytes(bytes, compress),
        Value::Instance(_) | Value::EnumItem(_) => 4,
        Value::Datatype(datatype) => datatype_body(datatype),
        Value::Table(table) if table.array.is_empty() => {
            let entry = |(key, value): &(Value, Value)| body(key, compress) + element(value, compress);
            varint(table.pairs.len()) + table.pairs.iter().map(entry).sum::<usize>()
        }
        Value::Table(table) => {
            varint(table.array.len())
                + table.array.iter().map(|value| element(value, compress)).sum::<usize>()
        }
        Value::Enum(_)
        | Value::Enums
        | Value::Signal(_)
        | Value::Connection(_)
        | Value::Function(_)
        | Value::Thread(_)
        | Value::Reference(_) => 0,
    }
}

fn datatype_body(datatype: &Datatype) -> usize {
    match datatype {
        Datatype::CFrame(frame) if is_aligned(frame) => 13,
        Datatype::CFrame(_) => 19,
        Datatype::Color3(_) | Datatype::ColorSequenceKeypoint(_) | Datatype::NumberSequenceKeypoint(_) => 12,
        Datatype::Vector2(_) | Datatype::UDim(_) | Datatype::NumberRange(_) | Datatype::DateTime(_) => 8,
        Datatype::UDim2(_) | Datatype::Rect(_) => 16,
        Datatype::BrickColor(_) | Datatype::Vector2int16(_) => 4,
        Datatype::Vector3int16(_) | Datatype::Axes(_) | Datatype::Faces(_) => 6,
        Datatype::Region3int16(_) => 12,
        Datatype::Ray(_) | Datatype::Region3(_) => 24,
        Datatype::PhysicalProperties(_) | Datatype::TweenInfo(_) => 20,
        Datatype::NumberSequence(sequence) => 4 + 12 * sequence.as_slice().len(),
        Datatype::ColorSequence(sequence) => 4 + 16 * sequence.as_slice().len(),
        Datatype::Font(font) => 4 + font.family.as_str().len(),
        Datatype::Content(content) => 4 + content.uri().map_or(0, str::len),
        Datatype::PathWaypoint(point) => 16 + point.label.as_str().len(),
        Datatype::Random(_)
        | Datatype::RaycastParams(_)
        | Datatype::OverlapParams(_)
        | Datatype::SharedTable(_) => 0,
    }
}

fn varint(length: usize) -> usize {
    (usize::BITS - (length | 1).leading_zeros()).div_ceil(7) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    const RAW: CompressEstimate = CompressEstimate::None;

    #[test]
    fn sizes_are_those_of_the_model() {
        let buffer = |len: usize| Value::Buffer(vec![0; len].into());
        assert_eq!(message(&[], false, false, RAW), 9);
        assert_eq!(message(&[Value::Number(1.0), Value::Nil], true, false, RAW), 14 + 9 + 1);
        assert_eq!(message(&[buffer(200)], false, true, RAW), 9 + 2 + 1 + 2 + 200);
        assert_eq!(payload(&[buffer(1000)], RAW), 1000);
        let array = Value::array([Value::Boolean(true), Value::Vector([0.0; 3])]);
        assert_eq!(message(&[array], false, false, RAW), 9 + 1 + 1 + 2 + 13);
        let record = Value::record([("ab", Value::Number(1.0))]);
        assert_eq!(message(&[record], false, false, RAW), 9 + 1 + 1 + 3 + 9);
    }

    #[test]
    fn an_estimate_of_compression_never_makes_larger() {
        let zeros = Value::Buffer(vec![0; 1000].into());
        assert!(payload(&[zeros], CompressEstimate::Zstd) < 100);
        let noise: Vec<u8> = (0..200u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        assert!(payload(&[Value::Buffer(noise.into())], CompressEstimate::Zstd) <= 200);
    }

    #[test]
    fn lengths_take_seven_bits_a_byte() {
        assert_eq!([0, 127, 128, 16_383, 16_384].map(varint), [1, 1, 2, 2, 3]);
    }
}
