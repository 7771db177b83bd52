//! Claims inside one block: the next head offset, the open bit byte, the run.

use crate::wire::plan::{BitPiece, BitPlace, Bits, BlockKind, Place};

/// What has been claimed of a block so far.
pub(crate) struct Claims {
    kind: BlockKind,
    head: u32,
    bit_bytes: Vec<Place>,
    /// Bits taken of the newest bit byte; 8 when the next bit opens another.
    filled: u8,
    run_bits: u32,
    tail: bool,
}

/// A block's claims once its walk has ended.
pub(crate) struct Claimed {
    pub(crate) kind: BlockKind,
    pub(crate) head: u32,
    pub(crate) bit_bytes: Vec<Place>,
    pub(crate) run_bits: u32,
    pub(crate) tail: bool,
}

impl Claims {
    pub(crate) fn new(kind: BlockKind) -> Claims {
        Claims { kind, head: 0, bit_bytes: Vec::new(), filled: 8, run_bits: 0, tail: false }
    }

    /// Claims `size` bytes of the head, or appends them in a sequential block.
    pub(crate) fn bytes(&mut self, size: u32) -> Place {
        match self.kind {
            BlockKind::Sequential => self.append(),
            BlockKind::Plain | BlockKind::Repeated { .. } => {
                let offset = self.head;
                self.head = self.head.saturating_add(size);
                Place::Head(offset)
            }
        }
    }

    /// Appends an item to the tail.
    pub(crate) fn append(&mut self) -> Place {
        self.tail = true;
        Place::Append
    }

    /// Claims `width` bits, lowest first.
    pub(crate) fn bits(&mut self, width: u8) -> Bits {
        if self.kind == (BlockKind::Repeated { run: true }) {
            let position = self.run_bits;
            self.run_bits += u32::from(width);
            return Bits { width, place: BitPlace::Run { position } };
        }
        let mut pieces = Vec::new();
        let mut shift = 0;
        while shift < width {
            let opens = self.filled == 8;
            if opens {
                let place = self.bytes(1);
                self.bit_bytes.push(place);
                self.filled = 0;
            }
            let byte = self.bit_bytes.len() - 1;
            let taken = (width - shift).min(8 - self.filled);
            pieces.push(BitPiece {
                byte: byte as u32,
                place: self.bit_bytes[byte],
                opens,
                bit: self.filled,
                width: taken,
                shift,
            });
            self.filled += taken;
            shift += taken;
        }
        Bits { width, place: BitPlace::Bytes(pieces) }
    }

    pub(crate) fn end(self) -> Claimed {
        let Claims { kind, head, bit_bytes, run_bits, tail, filled: _ } = self;
        Claimed { kind, head, bit_bytes, run_bits, tail }
    }
}

/// Bits an index below `count` takes: the least `w` with `2^w` not below `count`.
pub(crate) fn width_for(count: u64) -> u8 {
    count.next_power_of_two().trailing_zeros() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_straddles_two_bit_bytes() {
        let mut claims = Claims::new(BlockKind::Plain);
        claims.bits(6);
        claims.bytes(2);
        let bits = claims.bits(5);
        let BitPlace::Bytes(pieces) = bits.place else { panic!("bits of a plain block lie in bytes") };
        assert_eq!(
            pieces,
            [
                BitPiece { byte: 0, place: Place::Head(0), opens: false, bit: 6, width: 2, shift: 0 },
                BitPiece { byte: 1, place: Place::Head(3), opens: true, bit: 0, width: 3, shift: 2 },
            ]
        );
    }

    #[test]
    fn widths() {
        let widths: Vec<u8> = [1, 2, 3, 4, 5, 56, 64, 129, 256].into_iter().map(width_for).collect();
        assert_eq!(widths, [0, 1, 2, 2, 3, 6, 6, 8, 8]);
    }
}
