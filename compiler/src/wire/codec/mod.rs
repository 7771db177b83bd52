//! The wire plan, run in Rust: encodes and decodes values with every check of `language.md` 9 to 11.
//!
//! The tests' oracle for generated modules, and what the packet inspector reads packets with. It favours plainness
//! over speed, never panics, and never allocates for a count the packet has no room for.

pub mod acknowledgements;
pub mod entity;
mod error;
#[cfg(test)]
mod law_tests;
mod number;
pub mod packet;
mod path;
mod read;
mod roblox;
pub mod rows;
pub mod session;
mod show;
#[cfg(test)]
mod tests;
mod value;
mod write;

use std::ops::Range;

pub use error::{DecodeError, EncodeError, Problem, Refusal};
pub use value::{Keypoint, TweenInfo, UDim, Value};

use crate::wire::plan::Plan;

/// What a decoder knows of the game around it.
pub trait Game {
    /// `Instance:IsA(base)` for an Instance of that class.
    fn is_a(&self, class: &str, base: &str) -> bool;

    /// Whether that Roblox enum has an item of that `Value`.
    fn has_item(&self, enum_name: &str, value: u16) -> bool;
}

/// A game in which classes match by name (and everything is an `Instance`), and enums other than the two easing ones
/// have every item.
#[derive(Clone, Copy, Debug, Default)]
pub struct AnyGame;

impl Game for AnyGame {
    fn is_a(&self, class: &str, base: &str) -> bool {
        class == base || base == "Instance"
    }

    fn has_item(&self, enum_name: &str, value: u16) -> bool {
        match enum_name {
            "EasingStyle" => value <= 10,
            "EasingDirection" => value <= 2,
            _ => true,
        }
    }
}

/// Bytes, and the values that ride beside them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Encoded {
    /// The payload.
    pub bytes: Vec<u8>,
    /// A value each slot; `Nil` for a placeholder.
    pub slots: Vec<Value>,
}

/// What a payload held.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoded {
    /// The value.
    pub value: Value,
    /// Bytes read.
    pub bytes: usize,
    /// Slots taken.
    pub slots: usize,
    /// Place of the first value whose slot was empty though it must not be: the item is refused, and decoding goes
    /// on behind it.
    pub missing: Option<String>,
    /// Every leaf in walk order; empty unless asked for.
    pub leaves: Vec<Leaf>,
}

/// How to decode.
#[derive(Clone, Copy)]
pub struct Decoding<'a> {
    /// The game around.
    pub game: &'a dyn Game,
    /// On a server, what `MaxInstancesPerPacket` leaves at the first byte.
    pub slots_left: Option<u64>,
    /// Whether [`Decoded::leaves`] is filled.
    pub leaves: bool,
}

impl Default for Decoding<'_> {
    fn default() -> Self {
        Decoding { game: &AnyGame, slots_left: None, leaves: false }
    }
}

/// Something that took bytes, bits or a slot of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Leaf {
    /// Its place in the value: `Rows[2].Tag`, counted from 1 as Luau does.
    pub path: String,
    /// What it says about that place.
    pub role: Role,
    /// Where it lay.
    pub at: LeafPlace,
    /// What it held: the value, the length, the presence, or the variant's name.
    pub value: Value,
}

/// What a leaf says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The value.
    Value,
    /// A length or count.
    Length,
    /// Whether an optional is there.
    Presence,
    /// Which variant it is.
    Variant,
}

/// Where a leaf lay. Offsets count from the first byte given to the decoder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LeafPlace {
    /// Whole bytes.
    Bytes(Range<usize>),
    /// Bits: byte, lowest bit, width of each part, lowest bits of the value first. Empty when nothing travels.
    Bits(Vec<(usize, u8, u8)>),
    /// A slot, from 0.
    Slot(usize),
}

impl LeafPlace {
    /// The same place, counted from that many bytes and slots earlier.
    fn shift(&mut self, bytes: usize, slots: usize) {
        match self {
            LeafPlace::Bytes(range) => *range = range.start + bytes..range.end + bytes,
            LeafPlace::Bits(parts) => parts.iter_mut().for_each(|(byte, _, _)| *byte += bytes),
            LeafPlace::Slot(slot) => *slot += slots,
        }
    }
}

/// Encodes a value. `validate` makes the checks of `WriteValidations`.
///
/// # Errors
/// Where a generated module's send would throw.
pub fn encode(plan: &Plan, value: &Value, validate: bool) -> Result<Encoded, EncodeError> {
    write::encode(plan, value, validate)
}

/// Decodes a value from the start of `bytes`, ignoring what lies behind it.
///
/// # Errors
/// Where a generated module would abandon the packet.
pub fn decode(
    plan: &Plan,
    bytes: &[u8],
    slots: &[Value],
    decoding: Decoding<'_>,
) -> Result<Decoded, DecodeError> {
    read::decode(plan, bytes, slots, decoding)
}
