//! The wire plan: how one payload or exported type lies in bytes, bits and slots, without a word of any target.
//!
//! A plan is a [`Block`] whose body is a tree of [`Node`]s in the shape of the type. Every node that puts something
//! on the wire says where (a constant place of the block's head, bits, or the end of what is written so far), how
//! it is coded, what is checked and how large it can be. Readers of the plan (the Luau writer and reader, the Rust
//! codec, the size analysis) walk the tree in order and decide nothing about layout themselves.
//!
//! Start at [`Plan`]; `build` makes it, and `language.md` 9 defines it.

use std::sync::Arc;

use crate::schema::{NumberKind, Range, RobloxType, Rotation, TypeId};
use crate::source::Span;
use crate::wire::size::Size;

/// Which of the two layouts of `language.md` 9 a plan is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// Events, calls and answers (9.6).
    Traffic,
    /// `Read` and `Write` of exported types (9.1 to 9.5).
    Storage,
}

/// How a payload or an exported type travels.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The layout it was planned in.
    pub layout: Layout,
    /// The plain block that holds it. A payload's body is a [`Shape::Pack`], an exported type's is that type.
    /// Offsets count from the block's first byte, which on an item is the byte behind its [`Header`].
    pub block: Block,
}

/// The bytes in front of an item's payload, in this order and without gaps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Value of the first byte: the item's place on its channel.
    pub index: u8,
    /// Claims behind the index byte.
    pub kind: HeaderKind,
}

/// What follows an item's index byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HeaderKind {
    /// Nothing: reliable and `Unreliable` events, and streams.
    Event,
    /// A `u16` sequence number at offset 1: `OrderedUnreliable` events that are not streams.
    Ordered,
    /// A `u16` number at offset 1, one for each reliable item of a channel.
    Numbered,
    /// A `u16` sequence number of the channel at offset 1, and at offset 3 a `u16` of what is reliable there before it.
    Sequenced,
    /// A `u8` call id at offset 1.
    Call,
    /// A `u8` call id at offset 1 and a success flag (1 or 0) at offset 2; a failure ends there.
    Answer,
}

impl Header {
    /// Bytes in front of the payload, the index included (`language.md` 12.2).
    pub fn size(self) -> u32 {
        match self.kind {
            HeaderKind::Event => 1,
            HeaderKind::Call => 2,
            HeaderKind::Ordered | HeaderKind::Numbered | HeaderKind::Answer => 3,
            HeaderKind::Sequenced => 5,
        }
    }
}

/// A run of bytes with a head of constant size and a tail.
#[derive(Clone, Debug)]
pub struct Block {
    /// What opened it.
    pub kind: BlockKind,
    /// Bytes of the head; in a repeated block, of one element's head (the stride); 0 in a sequential one.
    pub head: u32,
    /// Bit bytes in the order they are claimed; none in a block whose bits go to a run.
    pub bit_bytes: Vec<Place>,
    /// Bits an element claims in the bit run. 0 outside repeated blocks and where elements have bit bytes.
    pub run_bits: u32,
    /// Whether anything is appended to the tail: false means the block is its head (and run) and nothing more.
    pub tail: bool,
    /// Bytes and slots of one body. Bit bytes are counted in, a bit run is not (its bits are in `size.bits`).
    pub size: Size,
    /// What it holds; in a repeated block, one element.
    pub body: Node,
}

/// What opened a block, and so how its claims lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlockKind {
    /// Head, then tail items in walk order.
    Plain,
    /// The elements of an array: the bit run when there is one, the heads of all, then the tails of all.
    Repeated {
        /// Whether bits go to a run in front; otherwise each element has bit bytes in its head.
        run: bool,
    },
    /// A map's entry: everything is appended where the walk meets it, bit bytes included.
    Sequential,
}

/// Where a run of bytes of fixed size lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// Offset from the first byte of the block's head, or of the element's head in a repeated block.
    Head(u32),
    /// At the end of what has been written of the block so far: the tail, or anywhere in a sequential block.
    Append,
}

/// Where a bit item lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bits {
    /// Bits of the value, 0 to 8. With 0 nothing travels.
    pub width: u8,
    /// The bits themselves.
    pub place: BitPlace,
}

/// The bits of a bit item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BitPlace {
    /// In one or two bit bytes of the block, lowest bits first; empty for a width of 0.
    Bytes(Vec<BitPiece>),
    /// From this bit of the element's share of the run: element `i` has it at run bit `i * run_bits + position`.
    Run {
        /// Bit within the element's `run_bits`, lowest bit of the value first.
        position: u32,
    },
}

/// A part of a bit item inside one bit byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitPiece {
    /// Index into [`Block::bit_bytes`].
    pub byte: u32,
    /// Where that byte lies.
    pub place: Place,
    /// Whether this is the first piece of that byte: in a sequential block the byte is appended here.
    pub opens: bool,
    /// Lowest bit of the byte it takes.
    pub bit: u8,
    /// Bits it takes.
    pub width: u8,
    /// Lowest bit of the value it holds.
    pub shift: u8,
}

/// One value of the type, where it lies and what it is.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it is.
    pub shape: Shape,
    /// The declared type it is used under, the innermost name where an alias names another.
    pub named: Option<Named>,
    /// What it adds to the block it stands in, bits not turned into bytes (`language.md` 12.1).
    pub size: Size,
    /// Where its type is written.
    pub span: Span,
}

/// Identity of a declared type's use. Equal identities mean equal values and equal Luau types; two plain blocks of
/// one layout whose bodies have equal identities are laid out alike, byte for byte.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Named {
    /// The declaration.
    pub decl: TypeId,
    /// Arguments of a generic in one exact spelling; empty for a plain type.
    pub args: String,
}

/// What a node is, and how it travels.
#[derive(Clone, Debug)]
pub enum Shape {
    /// Any number.
    Number(Number),
    /// `boolean`: 1 for true.
    Boolean(Bits),
    /// `string` or `buffer`.
    Bytes(Bytes),
    /// `vector`
    Vector(Vector),
    /// `CFrame`
    CFrame(CFrame),
    /// A Roblox type of one fixed form. `ColorSequence` appends, the rest claim.
    Roblox {
        /// Which.
        ty: RobloxType,
        /// Where its bytes lie.
        place: Place,
    },
    /// `Enum(Name)`: the item's `Value` as a `u16`.
    EnumItem {
        /// The Roblox enum.
        name: String,
        /// Where the `u16` lies.
        place: Place,
    },
    /// `Instance`: one slot.
    Instance {
        /// The class that `IsA` must admit; `None` for any Instance.
        class: Option<String>,
        /// `Instance?` outside a stream: an empty slot is nil instead of refusing the item.
        optional: bool,
    },
    /// `unknown`: one slot; an empty one refuses the item.
    Unknown,
    /// The name of an entity: its id as an `f64`, 0 for nil. One that is not known to who reads it is nil.
    Entity {
        /// Its path, with dots.
        path: Arc<str>,
        /// Its number among the entities.
        index: u8,
        /// Where the id lies.
        place: Place,
    },
    /// `T?` with a presence bit; the block is there when the bit is 1.
    Optional {
        /// 1 when present.
        presence: Bits,
        /// A plain block holding `T`, appended.
        block: Box<Block>,
    },
    /// `T[..]`, but not of plain booleans.
    Array(Array),
    /// `boolean[..]`
    Booleans(Booleans),
    /// `map { [K]: V }`
    Map(Map),
    /// `set { .. }`
    Set(Set),
    /// `enum { .. }`: the value's index.
    UnitEnum {
        /// Names, in order.
        values: Arc<[String]>,
        /// Where the index lies.
        bits: Bits,
    },
    /// `enum "Tag" { .. }`
    TaggedEnum(TaggedEnum),
    /// `struct { .. }`: members in the block at hand.
    Struct(Vec<Member>),
    /// The parameters of a payload, in order. One type is the parameter `Value`; a stream's is `Value` (optional)
    /// and `ServerTime`, and a stamped event's ends in `SentAt`.
    Pack(Vec<Member>),
    /// A map's entry: key, then value.
    Entry(Box<[Node; 2]>),
}

/// A field of a struct or variant, or a parameter.
#[derive(Clone, Debug)]
pub struct Member {
    /// Its name; any text for fields.
    pub name: String,
    /// Its value.
    pub node: Node,
    /// Its name where it is declared.
    pub span: Span,
}

/// A number. Sending goes: type check, then steps, rounding, clamping, checks, carrier; receipt the other way.
#[derive(Clone, Debug, PartialEq)]
pub struct Number {
    /// As written: `f32<0.25>(100..200)` has `F32` here.
    pub kind: NumberKind,
    /// Turns real values into step counts; absent, the value itself is what is meant below.
    pub step: Option<Step>,
    /// What travels.
    pub carrier: Carrier,
    /// `saturate`. Without steps an integer is rounded to nearest first, a float is not.
    pub clamp: Option<Clamp>,
    /// Refused on send whatever `WriteValidations` says: bounds of a small integer, on the step count or on the
    /// value truncated towards zero. Absent where clamping has seen to it.
    pub always: Option<Bounds>,
    /// Refused on send under `WriteValidations`: on the step count, or on the value as given (before truncation).
    /// That the value is a number is checked in any case under that option.
    pub validated: Option<Bounds>,
    /// Refused on receipt: on the number as read off the wire, before `bias` or `lo` is added and steps are scaled
    /// back. Narrowed for `f16`, `f24` and `f32`.
    pub receipt: Option<Bounds>,
    /// The written range in real units, for texts.
    pub range: Option<Range>,
}

/// Conversion between real values and step counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// `k = round(v * R)`, `v = k / R`.
    Reciprocal(f64),
    /// `k = round(v / s)`, `v = k * s`.
    Multiplied(f64),
}

/// What of a number goes on the wire.
#[derive(Clone, Debug, PartialEq)]
pub enum Carrier {
    /// An integer, little-endian. Low bits are kept of what does not fit.
    Integer {
        /// Its width and sign.
        kind: NumberKind,
        /// Subtracted before writing, added after reading: the lower bound of a quantized float in steps, else 0.
        bias: f64,
        /// Where it lies.
        place: Place,
    },
    /// A float.
    Float {
        /// Which.
        kind: NumberKind,
        /// Where it lies.
        place: Place,
    },
    /// A small integer: the offset from `lo`.
    Small {
        /// Least value or step count.
        lo: f64,
        /// Greatest value or step count.
        hi: f64,
        /// Where the offset lies; with a width of 0 the value is `lo`.
        bits: Bits,
    },
}

/// Bounds a value must be within, both included. A side that cannot fail is absent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Least value.
    pub min: Option<f64>,
    /// Greatest value.
    pub max: Option<f64>,
    /// Whether NaN can arrive here and is refused. With both sides absent that is all there is to check.
    pub nan: bool,
}

/// What `saturate` clamps to, in step counts or values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clamp {
    /// Least value; absent where nothing is clamped.
    pub min: Option<f64>,
    /// Greatest value; absent where nothing is clamped.
    pub max: Option<f64>,
    /// What is sent for NaN.
    pub nan: f64,
}

/// A length or count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    /// Least length; what the prefix holds is the length less this.
    pub min: u32,
    /// Greatest length.
    pub max: u32,
    /// How it travels.
    pub prefix: Prefix,
    /// Where the prefix lies; `Append` and meaningless without one.
    pub place: Place,
    /// Whether a received prefix can stand for a length above `max`; what it always exceeds is `min`.
    pub max_can_fail: bool,
}

impl Length {
    /// The length itself when it is exact.
    pub fn exact(self) -> Option<u32> {
        (self.min == self.max).then_some(self.min)
    }
}

/// The form of a length prefix (`language.md` 9.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Prefix {
    /// An exact length.
    None,
    /// One byte, claimed.
    U8,
    /// One to three bytes, appended.
    Varint,
    /// Two bytes, claimed.
    U16,
    /// Three bytes, claimed.
    U24,
    /// Four bytes, claimed.
    U32,
    /// None of its own: the number of rows of the table it is a column of.
    Rows,
}

/// A `string` or `buffer`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes {
    /// Whether it is a `buffer`; a `string` otherwise.
    pub buffer: bool,
    /// Bounds of the length, in bytes.
    pub length: Length,
    /// Where the bytes lie: in the head for an exact length, appended behind the prefix otherwise.
    pub place: Place,
}

/// A `vector`: X, Y and Z, one behind the other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vector {
    /// Form of X, Y and Z, in that order.
    pub component: NumberKind,
    /// Where X lies.
    pub place: Place,
    /// Bounds of the magnitude: on send under `WriteValidations`, and on receipt.
    pub magnitude: Option<Bounds>,
    /// The written range, for texts.
    pub range: Option<Range>,
}

/// A `CFrame`: position X, Y, Z, then the rotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CFrame {
    /// Form of the position.
    pub position: NumberKind,
    /// Form of the rotation.
    pub rotation: Rotation,
    /// Where position X lies.
    pub place: Place,
}

/// What must be left of the packet before anything is allocated for `n` repetitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Least bytes of one, run bits excluded.
    pub bytes: u64,
    /// Bits of one in the run: refused when `n * bytes + ceil(n * bits / 8)` exceeds the bytes left.
    pub bits: u32,
    /// Slots of one; more than 0 only where `bytes` is 0: on a server, refused when `n * slots` exceeds the
    /// slots left.
    pub slots: u64,
}

/// An array of anything but plain booleans: its count where it may vary, then its elements.
#[derive(Clone, Debug)]
pub struct Array {
    /// Bounds of the count of elements.
    pub length: Length,
    /// Room for its elements.
    pub room: Room,
    /// The repeated block of its elements, appended.
    pub block: Box<Block>,
}

/// An array of plain booleans: `ceil(n / 8)` bytes, the first element in bit 0 of the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Booleans {
    /// Its count. Refused on receipt when `ceil(n / 8)` exceeds the bytes left.
    pub length: Length,
    /// Where the bytes lie: in the head for an exact length, appended otherwise.
    pub place: Place,
}

/// A map: its count, then its entries.
#[derive(Clone, Debug)]
pub struct Map {
    /// Where the `u16` count lies.
    pub place: Place,
    /// Room for its entries.
    pub room: Room,
    /// The sequential block of one entry, whose body is a [`Shape::Entry`].
    pub entry: Box<Block>,
}

/// A set: a bit a flag, in integers of up to 32 bits.
#[derive(Clone, Debug)]
pub struct Set {
    /// Flag names, in order.
    pub flags: Arc<[String]>,
    /// Groups of up to 32 flags.
    pub groups: Vec<SetGroup>,
}

/// Flags that share an integer, the first in bit 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetGroup {
    /// Index of its first flag.
    pub first: u32,
    /// Number of flags.
    pub count: u32,
    /// `U8`, `U16` or `U32`.
    pub kind: NumberKind,
    /// Where the integer lies.
    pub place: Place,
}

/// A tagged enum: the variant's index in bits, and a block holding its fields.
#[derive(Clone, Debug)]
pub struct TaggedEnum {
    /// The field holding the variant's name.
    pub tag: String,
    /// Where the variant's index lies.
    pub bits: Bits,
    /// Variants, in order.
    pub variants: Vec<Variant>,
}

/// A variant of a tagged enum.
#[derive(Clone, Debug)]
pub struct Variant {
    /// The value of the tag.
    pub name: String,
    /// A plain block whose body is the [`Shape::Struct`] of its fields, appended.
    pub block: Block,
}
