//! Where bits come from: bit bytes of a block, or the bit run of an array.

use super::super::ast::*;
use super::super::context::Names;
use super::{Reader, get};
use crate::wire::plan::{BitPlace, Bits, Block as WireBlock, Carrier, Node, Number, Place, Shape};

/// Most bits of an array element's run that are held in one local.
const CHUNK: u32 = 24;

pub(super) struct Frame {
    pub(super) base: Expr,
    pub(super) shift: u32,
    pub(super) bits: BitSource,
}

impl Frame {
    pub(super) fn at(&self, place: Place) -> Expr {
        match place {
            Place::Head(offset) => add(self.base.clone(), size(u64::from(offset) + u64::from(self.shift))),
            Place::Append => name("Cursor"),
        }
    }
}

pub(super) enum BitSource {
    /// The local that holds each bit byte.
    Bytes(Vec<Option<String>>),
    Run(Run),
}

pub(super) struct Run {
    pub(super) total: u32,
    /// First and last bit of the element that are in `chunk`.
    pub(super) first: u32,
    pub(super) last: u32,
    /// The end of each chunk, found ahead: bits are taken out of the pool a chunk at a time.
    pub(super) ends: Vec<u32>,
    pub(super) chunk: String,
    /// Whether `chunk` is a local already.
    pub(super) declared: bool,
    pub(super) pool: String,
    pub(super) weight: String,
    pub(super) at: String,
}

impl Run {
    pub(super) fn none() -> Run {
        Run {
            total: 0,
            first: 0,
            last: 0,
            ends: Vec::new(),
            chunk: String::new(),
            declared: false,
            pool: String::new(),
            weight: String::new(),
            at: String::new(),
        }
    }

    /// At the start of an element of one bit: moves to the next bit.
    pub(super) fn fill(&self, out: &mut Block) {
        if self.total != 1 {
            return;
        }
        out.bump(name(&self.weight), name(&self.weight));
        let next = block(|b| {
            b.assign(name(&self.pool), get("readu8", name(&self.at)));
            b.assign(name(&self.weight), num(1));
            b.bump(name(&self.at), num(1));
        });
        out.when(eq(name(&self.weight), num(256)), next);
    }

    /// Makes `chunk` hold the bits from `position` on.
    pub(super) fn reach(&mut self, position: u32, width: u32, out: &mut Block) {
        if position + width <= self.last {
            return;
        }
        if self.total == 8 {
            // A byte as it is.
            out.local(&self.chunk, get("readu8", name(&self.at)));
            out.bump(name(&self.at), num(1));
            self.last = 8;
            return;
        }
        let is_first = self.last == 0;
        let end = self.ends.iter().copied().find(|end| *end >= position + width).unwrap_or(self.total);
        let taken = end - position;
        let span = Expr::Number(f64::from(taken).exp2());
        let more = block(|b| {
            b.bump(name(&self.pool), mul(get("readu8", name(&self.at)), name(&self.weight)));
            b.push(compound(name(&self.weight), BinaryOp::Mul, num(256)));
            b.bump(name(&self.at), num(1));
        });
        let short = lt(name(&self.weight), span.clone());
        if taken <= 8 {
            out.when(short, more);
        } else {
            out.push(while_loop(short, more));
        }
        let bits = binary(name(&self.pool), BinaryOp::Mod, span.clone());
        if is_first && !self.declared {
            out.local(&self.chunk, bits);
            self.declared = true;
        } else {
            out.assign(name(&self.chunk), bits);
        }
        out.push(compound(name(&self.pool), BinaryOp::FloorDiv, span.clone()));
        out.push(compound(name(&self.weight), BinaryOp::Div, span));
        self.first = position;
        self.last = end;
    }
}

impl Reader<'_, '_> {
    /// Opens a block of constant head: loads its bit bytes.
    pub(super) fn open(&mut self, block: &WireBlock, base: Expr, shift: u32, out: &mut Block) -> Frame {
        let mut frame = Frame { base, shift, bits: BitSource::Run(Run::none()) };
        let mut bytes = Vec::new();
        for place in &block.bit_bytes {
            bytes.push(match place {
                Place::Head(_) => {
                    let local = self.names.fresh("Bits");
                    out.local(&local, get("readu8", frame.at(*place)));
                    Some(local)
                }
                Place::Append => None,
            });
        }
        frame.bits = BitSource::Bytes(bytes);
        frame
    }

    /// The value of a bit item as a number.
    pub(super) fn bits(&mut self, bits: &Bits, frame: &mut Frame, out: &mut Block) -> Expr {
        match (&mut frame.bits, &bits.place) {
            (BitSource::Bytes(bytes), BitPlace::Bytes(pieces)) => {
                let mut value = num(0);
                for piece in pieces {
                    if piece.opens && piece.place == Place::Append {
                        open_byte(self.names, &mut bytes[piece.byte as usize], out);
                    }
                    let Some(local) = &bytes[piece.byte as usize] else { continue };
                    let whole = piece.bit == 0 && piece.width == 8;
                    let part =
                        if whole { name(local) } else { extract(local, piece.bit.into(), piece.width) };
                    value = add(value, mul(part, num(1u32 << piece.shift)));
                }
                value
            }
            (BitSource::Run(run), BitPlace::Run { position }) => {
                if run.total == 1 {
                    let set = call("bit32.btest", [name(&run.pool), name(&run.weight)]);
                    return choose(set, num(1), num(0));
                }
                run.reach(*position, u32::from(bits.width), out);
                extract(&run.chunk, position - run.first, bits.width)
            }
            _ => unreachable!("a plan's bits lie where its block keeps them"),
        }
    }

    /// Whether a bit is set.
    pub(super) fn flag(&mut self, bits: &Bits, frame: &mut Frame, out: &mut Block) -> Expr {
        match (&mut frame.bits, &bits.place) {
            (BitSource::Bytes(bytes), BitPlace::Bytes(pieces)) => {
                let Some(piece) = pieces.first() else { return Expr::Bool(false) };
                if piece.opens && piece.place == Place::Append {
                    open_byte(self.names, &mut bytes[piece.byte as usize], out);
                }
                match &bytes[piece.byte as usize] {
                    Some(local) => call("bit32.btest", [name(local), num(1u32 << piece.bit)]),
                    None => Expr::Bool(false),
                }
            }
            (BitSource::Run(run), BitPlace::Run { position }) => {
                if run.total == 1 {
                    return call("bit32.btest", [name(&run.pool), name(&run.weight)]);
                }
                run.reach(*position, 1, out);
                call("bit32.btest", [name(&run.chunk), num(1u32 << (position - run.first))])
            }
            _ => unreachable!("a plan's bits lie where its block keeps them"),
        }
    }

    /// A flag out of a run lives in locals that the next element, or chunk, overwrites.
    pub(super) fn keep_bits(&mut self, value: Expr, frame: &Frame, what: &str, out: &mut Block) -> Expr {
        match &frame.bits {
            BitSource::Run(run) if run.ends.len() > 1 => self.settle(value, what, out),
            _ => value,
        }
    }
}

/// Opens a bit byte at the cursor.
pub(super) fn open_byte(names: &mut Names, byte: &mut Option<String>, out: &mut Block) {
    let value = get("readu8", name("Cursor"));
    match byte {
        Some(local) => _ = out.assign(name(&*local), value),
        None => {
            let local = names.fresh("Bits");
            out.local(&local, value);
            *byte = Some(local);
        }
    }
    out.bump(name("Cursor"), num(1));
}

pub(super) fn extract(local: &str, bit: u32, width: u8) -> Expr {
    call("bit32.extract", [name(local), num(bit), num(width)])
}

/// Ends of the groups of an element's bits that are taken out of the pool together, each at the end of a bit item.
pub(super) fn chunks(body: &Node) -> Vec<u32> {
    fn walk(node: &Node, widths: &mut Vec<(u32, u32)>) {
        let mut add = |bits: &Bits| {
            if let BitPlace::Run { position } = bits.place {
                widths.push((position, u32::from(bits.width)));
            }
        };
        match &node.shape {
            Shape::Boolean(bits) | Shape::UnitEnum { bits, .. } => add(bits),
            Shape::Optional { presence, .. } => add(presence),
            Shape::TaggedEnum(tagged) => add(&tagged.bits),
            Shape::Number(Number { carrier: Carrier::Small { bits, .. }, .. }) => add(bits),
            Shape::Struct(members) => members.iter().for_each(|member| walk(&member.node, widths)),
            _ => {}
        }
    }
    let mut widths = Vec::new();
    walk(body, &mut widths);
    let mut ends = Vec::new();
    let (mut first, mut end) = (0, 0);
    for (position, width) in widths {
        if position + width - first > CHUNK {
            ends.push(end);
            first = position;
        }
        end = position + width;
    }
    ends.push(end);
    ends
}
