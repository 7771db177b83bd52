//! Where bits go: bit bytes of a block, or the bit run of an array.

use super::super::ast::*;
use super::{Writer, block_of, put};
use crate::wire::plan::{BitPlace, Bits, Block as WireBlock, Place};

/// Bits gathered in one local before they enter a run; sums stay below 2^32.
const CHUNK: u32 = 24;

/// Where the claims of a block at hand go.
pub(super) struct Frame {
    pub(super) base: Expr,
    pub(super) shift: u32,
    pub(super) bits: BitSink,
    /// In the block of a whole item: single bytes the compiler makes, by offset, which are stored together.
    pub(super) made: Option<Vec<(u32, Expr)>>,
}

impl Frame {
    pub(super) fn open(block: &WireBlock, base: Expr, shift: u32) -> Frame {
        Frame { base, shift, bits: BitSink::Bytes(vec![None; block.bit_bytes.len()]), made: None }
    }

    pub(super) fn at(&self, place: Place) -> Expr {
        match place {
            Place::Head(offset) => add(self.base.clone(), size(u64::from(offset) + u64::from(self.shift))),
            Place::Append => name("Cursor"),
        }
    }
}

pub(super) enum BitSink {
    /// A local for each bit byte once it is open, and where the byte lies.
    Bytes(Vec<Option<(String, Expr)>>),
    /// The bit run of an array.
    Run(Run),
}

pub(super) struct Run {
    /// Bits of one element.
    pub(super) total: u32,
    /// First bit of the element that is in the chunk at hand.
    pub(super) first: u32,
    /// Bits gathered in the chunk at hand.
    pub(super) gathered: u32,
    pub(super) chunk: String,
    pub(super) pool: String,
    pub(super) weight: String,
    pub(super) at: String,
}

impl Writer<'_, '_> {
    pub(super) fn declare_bits(&mut self, frame: &mut Frame, block: &WireBlock, out: &mut Block) {
        let places: Vec<(usize, Place)> = block.bit_bytes.iter().copied().enumerate().collect();
        for (index, place) in places {
            if let Place::Head(_) = place {
                let local = self.names.fresh("Bits");
                out.local(&local, num(0));
                let at = frame.at(place);
                if let BitSink::Bytes(bytes) = &mut frame.bits {
                    bytes[index] = Some((local, at));
                }
            }
        }
    }

    /// Stores the bytes the compiler makes of a block that has been walked: bits, and in an item's block the index and
    /// short prefixes, adjacent ones in one write.
    pub(super) fn seal(&mut self, frame: Frame, out: &mut Block) {
        let BitSink::Bytes(bytes) = frame.bits else { return };
        let Some(mut made) = frame.made else {
            for (bits, at) in bytes.into_iter().flatten() {
                put("writeu8", at, name(bits), out);
            }
            return;
        };
        made.extend(bytes.into_iter().flatten().map(|(bits, at)| (offset_of(&at), name(bits))));
        made.sort_by_key(|(offset, _)| *offset);
        let mut rest = made.as_slice();
        while let Some((offset, _)) = rest.first() {
            let run = rest.iter().zip(*offset..).take_while(|((at, _), next)| at == next).count();
            let taken = if run >= 4 { 4 } else { run.min(2) };
            let function = match taken {
                1 => "writeu8",
                2 => "writeu16",
                _ => "writeu32",
            };
            let value = rest[..taken].iter().enumerate().fold(num(0), |sum, (place, (_, byte))| {
                add(sum, mul(byte.clone(), num(1u32 << (8 * place))))
            });
            put(function, add(frame.base.clone(), num(*offset)), value, out);
            rest = &rest[taken..];
        }
    }

    /// Readies the sink for a bit item, in straight-line code ahead of any branch that sets its bits.
    pub(super) fn prepare(&mut self, frame: &mut Frame, bits: &Bits, out: &mut Block) {
        match (&mut frame.bits, &bits.place) {
            (BitSink::Bytes(bytes), BitPlace::Bytes(pieces)) => {
                for piece in pieces {
                    if piece.opens && piece.place == Place::Append {
                        if let Some((_, at)) = &bytes[piece.byte as usize] {
                            out.assign(at.clone(), name("Cursor"));
                        } else {
                            let at = self.names.fresh("BitsAt");
                            let local = self.names.fresh("Bits");
                            out.local(&at, name("Cursor"));
                            out.local(&local, num(0));
                            bytes[piece.byte as usize] = Some((local, name(at)));
                        }
                        out.bump(name("Cursor"), num(1));
                    }
                }
            }
            (BitSink::Run(run), BitPlace::Run { position }) => {
                let width = u32::from(bits.width);
                if *position + width - run.first > CHUNK {
                    flush_run(run, out);
                    run.first = *position;
                    run.gathered = 0;
                    out.assign(name(&run.chunk), num(0));
                }
                run.gathered = *position + width - run.first;
            }
            _ => unreachable!("a plan's bits lie where its block keeps them"),
        }
    }

    /// Adds a constant to the bits of a prepared item.
    pub(super) fn add_constant(&mut self, frame: &Frame, bits: &Bits, value: u32, out: &mut Block) {
        if value == 0 {
            return;
        }
        match (&frame.bits, &bits.place) {
            (BitSink::Bytes(bytes), BitPlace::Bytes(pieces)) => {
                for piece in pieces {
                    let part = (value >> piece.shift) & ((1 << piece.width) - 1);
                    if let Some((local, _)) = &bytes[piece.byte as usize] {
                        out.bump(name(local), num(part << piece.bit));
                    }
                }
            }
            (BitSink::Run(run), BitPlace::Run { position }) => {
                if run.total == 1 {
                    out.bump(name(&run.pool), name(&run.weight));
                } else {
                    out.bump(name(&run.chunk), num(value << (position - run.first)));
                }
            }
            _ => unreachable!("a plan's bits lie where its block keeps them"),
        }
    }

    /// Adds a whole number, within the item's width, to the bits of a prepared item.
    pub(super) fn add_value(&mut self, frame: &Frame, bits: &Bits, value: Expr, out: &mut Block) {
        match (&frame.bits, &bits.place) {
            (BitSink::Bytes(bytes), BitPlace::Bytes(pieces)) => {
                let single = pieces.len() == 1;
                for (place, piece) in pieces.iter().enumerate() {
                    let mut part = value.clone();
                    if !single {
                        part = if place == 0 {
                            binary(part, BinaryOp::Mod, num(1u32 << piece.width))
                        } else {
                            binary(part, BinaryOp::FloorDiv, num(1u32 << piece.shift))
                        };
                    }
                    if let Some((local, _)) = &bytes[piece.byte as usize] {
                        out.bump(name(local), mul(part, num(1u32 << piece.bit)));
                    }
                }
            }
            (BitSink::Run(run), BitPlace::Run { position }) => {
                if run.total == 1 {
                    out.bump(name(&run.pool), mul(value, name(&run.weight)));
                } else {
                    let factor = num(1u32 << (position - run.first));
                    out.bump(name(&run.chunk), mul(value, factor));
                }
            }
            _ => unreachable!("a plan's bits lie where its block keeps them"),
        }
    }
}

/// How far behind `Start` an address of an item's head is.
pub(super) fn offset_of(at: &Expr) -> u32 {
    match at {
        Expr::Number(offset) => *offset as u32,
        Expr::Binary(_, BinaryOp::Add, offset) => match **offset {
            Expr::Number(offset) => offset as u32,
            _ => 0,
        },
        _ => 0,
    }
}

/// Moves the gathered bits of an element into the run, whole bytes into the buffer. Where an element has eight, they are
/// a byte as they are.
pub(super) fn flush_run(run: &Run, out: &mut Block) {
    if run.total == 8 {
        put("writeu8", name(&run.at), name(&run.chunk), out);
        out.bump(name(&run.at), num(1));
        return;
    }
    let store = |b: &mut Block| {
        put("writeu8", name(&run.at), name(&run.pool), b);
        b.bump(name(&run.at), num(1));
    };
    if run.total == 1 {
        out.bump(name(&run.weight), name(&run.weight));
        let body = block_of(|b| {
            store(b);
            b.push(Stat::Assign(vec![name(&run.pool), name(&run.weight)], vec![num(0), num(1)]));
        });
        out.when(eq(name(&run.weight), num(256)), body);
        return;
    }
    if run.gathered == 0 {
        return;
    }
    out.bump(name(&run.pool), mul(name(&run.chunk), name(&run.weight)));
    out.push(compound(name(&run.weight), BinaryOp::Mul, Expr::Number(f64::from(run.gathered).exp2())));
    let body = block_of(|b| {
        store(b);
        b.push(compound(name(&run.pool), BinaryOp::FloorDiv, num(256)));
        b.push(compound(name(&run.weight), BinaryOp::Div, num(256)));
    });
    let full = ge(name(&run.weight), num(256));
    if run.gathered <= 8 {
        out.when(full, body);
    } else {
        out.push(while_loop(full, body));
    }
}
