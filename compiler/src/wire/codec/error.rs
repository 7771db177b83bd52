//! Why a value cannot be sent, and why bytes cannot be read.

use crate::diagnostics::counted;
use thiserror::Error;

/// A send that throws.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{} {refusal}", place(.path))]
pub struct EncodeError {
    /// Place of the value: `Rows[2].Tag`; empty for the whole.
    pub path: String,
    /// What is wrong with it.
    pub refusal: Refusal,
}

/// What is wrong with a value to send.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum Refusal {
    /// A value of another type.
    #[error("must be a {expected}, this is a {found}")]
    Type {
        /// What the schema asks for.
        expected: String,
        /// What `typeof` calls it.
        found: &'static str,
    },
    /// A number or magnitude out of its range; in steps where there are steps.
    #[error("is {value}, outside {min} to {max}")]
    Range {
        /// What was given.
        value: f64,
        /// Least value.
        min: f64,
        /// Greatest value.
        max: f64,
    },
    /// A length or count out of its bounds.
    #[error("has a length of {length}, outside {min} to {max}")]
    Length {
        /// What was given.
        length: usize,
        /// Least length.
        min: u32,
        /// Greatest length.
        max: u32,
    },
    /// A name no value or variant has.
    #[error("is {0:?}, which is none of its values")]
    Name(String),
    /// An item's `Value` that no `u16` holds.
    #[error("is an item of value {0}, which does not fit two bytes")]
    EnumValue(f64),
    /// A rotation without a quaternion.
    #[error("has a rotation of no length")]
    Rotation,
}

/// A read that abandons the packet.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{} {problem}, at byte {at}", place(.path))]
pub struct DecodeError {
    /// Place of the value: `Rows[2].Tag`; empty for the whole.
    pub path: String,
    /// Where reading stood, from the first byte given.
    pub at: usize,
    /// What is wrong there.
    pub problem: Problem,
}

/// What is wrong with received bytes.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum Problem {
    /// The bytes end inside the value.
    #[error("needs {} and {left} {} left", counted(needed, "byte"), if *left == 1 { "is" } else { "are" })]
    End {
        /// Bytes the read asks for.
        needed: u64,
        /// Bytes there are.
        left: usize,
    },
    /// The slots end before the value's.
    #[error("needs {needed} slots and {left} are left")]
    Slots {
        /// Slots the count asks for.
        needed: u64,
        /// Slots there may be.
        left: u64,
    },
    /// A varint that is not in its shortest form.
    #[error("has a length with a byte to spare")]
    LongVarint,
    /// A varint past 65535.
    #[error("has a length past 65535")]
    GreatVarint,
    /// A length or count out of its bounds.
    #[error("has a length of {length}, above {max}")]
    Length {
        /// What the prefix says.
        length: u64,
        /// Greatest length.
        max: u32,
    },
    /// A number or magnitude out of its range, as it stands on the wire.
    #[error("reads as {0} on the wire, out of its range")]
    Range(f64),
    /// An index with no value or variant.
    #[error("has the index {index} of {count} values")]
    Index {
        /// What the bits say.
        index: u32,
        /// Values there are.
        count: usize,
    },
    /// A `Value` no item of the enum has.
    #[error("reads as {value} of {enum_name}, which no item has")]
    Item {
        /// The Roblox enum.
        enum_name: String,
        /// What the bytes say.
        value: u16,
    },
    /// A slot with something that is no Instance, or one of another class.
    #[error("must be a {expected}, its slot holds a {found}")]
    Class {
        /// The class the schema asks for.
        expected: String,
        /// What is there.
        found: String,
    },
    /// A value its datatype does not allow.
    #[error("{0}")]
    Shape(&'static str),
    /// NaN as a map's key.
    #[error("is NaN, which no table takes as a key")]
    NanKey,
}

fn place(path: &str) -> &str {
    if path.is_empty() { "the value" } else { path }
}
