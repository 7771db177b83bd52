//! Numbers, texts and vectors, Instances, and lengths with their prefixes.

use super::super::ast::*;
use super::super::number::{self, outside};
use super::bits::Frame;
use super::{Reader, fail, get};
use crate::wire::plan::{Bounds, Bytes, Carrier, Length, Number, Place, Prefix};

impl Reader<'_, '_> {
    pub(super) fn number(&mut self, number: &Number, what: &str, frame: &mut Frame, out: &mut Block) -> Expr {
        let (raw, offset) = match &number.carrier {
            Carrier::Integer { kind, bias, place } => {
                let value = number::load(self.cx, *kind, frame.at(*place));
                (self.take(value, *place, kind.size(), what, out), *bias)
            }
            Carrier::Float { kind, place } => {
                let value = number::load(self.cx, *kind, frame.at(*place));
                (self.take(value, *place, kind.size(), what, out), 0.0)
            }
            Carrier::Small { lo, bits, .. } => {
                if bits.width == 0 {
                    return number::from_wire(number, num(0), *lo);
                }
                let value = self.bits(bits, frame, out);
                (self.keep_bits(value, frame, what, out), *lo)
            }
        };
        let mut raw = raw;
        if let Some(bounds) = number.receipt {
            raw = self.settle(raw, what, out);
            if let Some(condition) = outside(&raw, bounds) {
                out.when(condition, fail(format!("{what}: out of range")));
            }
        }
        number::from_wire(number, raw, offset)
    }

    /// The length or count, read and checked against its bounds.
    pub(super) fn length(&mut self, length: &Length, what: &str, frame: &Frame, out: &mut Block) -> Expr {
        if let Some(exact) = length.exact() {
            return size(u64::from(exact));
        }
        if length.prefix == Prefix::Rows {
            return name("Rows");
        }
        let local = self.names.fresh("Length");
        let at = frame.at(length.place);
        let (raw, bytes) = match length.prefix {
            Prefix::None | Prefix::Rows => (num(0), 0),
            Prefix::U8 | Prefix::Varint => (get("readu8", at), 1),
            Prefix::U16 => (get("readu16", at), 2),
            Prefix::U24 => (number::load(self.cx, crate::schema::NumberKind::U24, at), 3),
            Prefix::U32 => (get("readu32", at), 4),
        };
        let min = num(length.min);
        if length.prefix == Prefix::Varint {
            let rest = self.cx.runtime("Varint", "rest");
            out.local_typed(&local, ty("number"), raw);
            out.bump(name("Cursor"), num(1));
            let long = block(|b| {
                b.push(Stat::Assign(
                    vec![name(&local), name("Cursor")],
                    vec![apply(rest, [name("Buffer"), name("Cursor"), name(&local)])],
                ));
            });
            out.when(ge(name(&local), num(128)), long);
            out.bump(name(&local), min);
        } else {
            out.local_typed(&local, ty("number"), add(raw, min));
            if length.place == Place::Append {
                out.bump(name("Cursor"), num(bytes));
            }
        }
        if length.max_can_fail {
            out.when(
                gt(name(&local), size(u64::from(length.max))),
                fail(format!("{what}: longer than {}", length.max)),
            );
        }
        name(local)
    }

    /// Refuses a count that the rest of the packet cannot hold.
    pub(super) fn room(&mut self, needed: Expr, what: &str, out: &mut Block) {
        self.cx.asks_end = true;
        let left = sub(name("End"), name("Cursor"));
        out.when(gt(needed, left), fail(format!("{what}: more than the packet holds")));
    }

    pub(super) fn bytes(&mut self, bytes: &Bytes, what: &str, frame: &mut Frame, out: &mut Block) -> Expr {
        let count = self.length(&bytes.length, what, frame, out);
        let at = frame.at(bytes.place);
        if bytes.length.exact().is_none() {
            self.room(count.clone(), what, out);
        }
        let local = self.names.fresh(what.rsplit('.').next().unwrap_or(what));
        if bytes.buffer {
            if bytes.length.exact().is_some() && bytes.place == Place::Append {
                self.room(count.clone(), what, out);
            }
            out.local(&local, call("buffer.create", [count.clone()]));
            out.call("buffer.copy", [name(&local), num(0), name("Buffer"), at, count.clone()]);
        } else {
            let value = call("buffer.readstring", [name("Buffer"), at, count.clone()]);
            if bytes.place != Place::Append {
                return value;
            }
            out.local(&local, value);
        }
        if bytes.place == Place::Append {
            out.bump(name("Cursor"), count);
        }
        name(local)
    }

    pub(super) fn slot(&mut self, what: &str, out: &mut Block) -> String {
        let local = self.names.fresh(what.rsplit('.').next().unwrap_or(what));
        out.bump(name("Slot"), num(1));
        out.local_typed(&local, ty("any"), index(name("Instances"), name("Slot")));
        local
    }

    pub(super) fn instance(
        &mut self,
        class: Option<&str>,
        optional: bool,
        what: &str,
        out: &mut Block,
    ) -> Expr {
        let local = self.slot(what, out);
        let is_none = ne(call("typeof", [name(&local)]), text("Instance"));
        let wrong_class = class
            .filter(|class| *class != "Instance")
            .map(|class| (not(method(name(&local), "IsA", [text(class)])), format!("{what}: not a {class}")));
        let mut arms = Vec::new();
        if optional {
            arms.push((is_none, block(|b| _ = b.assign(name(&local), Expr::Nil))));
        } else {
            arms.push((
                eq(name(&local), Expr::Nil),
                block(|b| _ = b.assign(name("Missing"), Expr::Bool(true))),
            ));
            arms.push((is_none, fail(format!("{what}: not an Instance"))));
        }
        if let Some((condition, message)) = wrong_class {
            arms.push((condition, fail(message)));
        }
        out.push(Stat::If(arms, None));
        name(local)
    }
}

pub(super) fn can_be_nan(number: &Number) -> bool {
    matches!(number.carrier, Carrier::Float { .. })
        && !number.receipt.is_some_and(|bounds: Bounds| bounds.nan)
}
