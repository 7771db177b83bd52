//! Numbers, texts and vectors, and lengths with their prefixes.

use super::super::ast::*;
use super::super::number::{self, hold, outside};
use super::bits::{Frame, offset_of};
use super::room::is_small;
use super::{Writer, advance, block_of, put};
use crate::wire::plan::{BitPlace, Bounds, Bytes, Carrier, Length, Node, Number, Place, Prefix, Vector};

impl Writer<'_, '_> {
    pub(super) fn number(
        &mut self,
        number: &Number,
        value: Expr,
        what: &str,
        frame: &mut Frame,
        out: &mut Block,
    ) {
        let validate = self.cx.options.write_validations;
        let value = if validate { self.hold(value, what, out) } else { value };
        self.expect(&value, "number", what, out);
        let failure = self.failure(&out_of_range(number, what));
        let value = number::to_wire(number, value, validate, self.names, out, &mut |condition, out| {
            out.when(condition, failure.clone());
        });
        match &number.carrier {
            Carrier::Integer { kind, bias, place } => {
                let at = frame.at(*place);
                let wire = if *bias < 0.0 { add(value, num(-bias)) } else { sub(value, num(*bias)) };
                number::store(self.cx, *kind, at, wire, self.names, out);
                advance(*place, u64::from(kind.size()), out);
            }
            Carrier::Float { kind, place } => {
                number::store(self.cx, *kind, frame.at(*place), value, self.names, out);
                advance(*place, u64::from(kind.size()), out);
            }
            Carrier::Small { lo, bits, .. } => {
                if bits.width > 0 {
                    let offset = if *lo < 0.0 { add(value, num(-lo)) } else { sub(value, num(*lo)) };
                    let offset = if matches!(&bits.place, BitPlace::Bytes(pieces) if pieces.len() > 1) {
                        hold(offset, "Offset", self.names, out)
                    } else {
                        offset
                    };
                    self.prepare(frame, bits, out);
                    self.add_value(frame, bits, offset, out);
                }
            }
        }
    }

    /// The count of a table or the length of a text, its prefix written.
    pub(super) fn length(&mut self, length: &Length, actual: Expr, what: &str, out: &mut Block) -> Expr {
        if let Some(exact) = length.exact() {
            return size(u64::from(exact));
        }
        if length.prefix == Prefix::Rows {
            return name("Rows");
        }
        let count = self.names.fresh("Length");
        out.local(&count, actual);
        let count = name(count);
        let bounds = Bounds {
            min: (length.min > 0).then_some(f64::from(length.min)),
            max: Some(f64::from(length.max)),
            nan: false,
        };
        if let Some(condition) = outside(&count, bounds) {
            let text = format!("the length of {what} must be {} to {}", length.min, length.max);
            self.refuse(condition, &text, out);
        }
        count
    }

    pub(super) fn prefix(&mut self, length: &Length, count: &Expr, frame: &mut Frame, out: &mut Block) {
        let wire = sub(count.clone(), size(u64::from(length.min)));
        let at = frame.at(length.place);
        match length.prefix {
            Prefix::None | Prefix::Rows => {}
            Prefix::U8 => match (&mut frame.made, length.place) {
                (Some(made), Place::Head(_)) => made.push((offset_of(&at), wire)),
                _ => {
                    put("writeu8", at, wire, out);
                    advance(length.place, 1, out);
                }
            },
            Prefix::U16 => {
                put("writeu16", at, wire, out);
                advance(length.place, 2, out);
            }
            Prefix::U24 => {
                number::store(self.cx, crate::schema::NumberKind::U24, at, wire, self.names, out);
                advance(length.place, 3, out);
            }
            Prefix::U32 => {
                put("writeu32", at, wire, out);
                advance(length.place, 4, out);
            }
            Prefix::Varint => {
                let write = self.cx.runtime("Varint", "write");
                let wire = hold(wire, "Length", self.names, out);
                let short = block_of(|b| {
                    put("writeu8", name("Cursor"), wire.clone(), b);
                    b.bump(name("Cursor"), num(1));
                });
                let long = block_of(|b| {
                    b.assign(name("Cursor"), apply(write, [name("Buffer"), name("Cursor"), wire.clone()]));
                });
                out.when_else(lt(wire, num(128)), short, long);
            }
        }
    }

    pub(super) fn bytes(
        &mut self,
        bytes: &Bytes,
        node: &Node,
        value: Expr,
        what: &str,
        frame: &mut Frame,
        out: &mut Block,
    ) {
        let value = self.hold(value, what, out);
        let kind = if bytes.buffer { "buffer" } else { "string" };
        self.expect(&value, kind, what, out);
        let measured = if bytes.buffer { call("buffer.len", [value.clone()]) } else { len(value.clone()) };
        let count = self.length(&bytes.length, measured.clone(), what, out);
        if bytes.length.exact().is_some() && self.cx.options.write_validations {
            let text = format!("the length of {what} must be {}", bytes.length.min);
            self.refuse(ne(measured, count.clone()), &text, out);
        }
        let sequential_exact = bytes.length.exact().is_some() && bytes.place == Place::Append;
        if !self.covered && !is_small(node) && (bytes.length.exact().is_none() || sequential_exact) {
            let prefix = if bytes.length.prefix == Prefix::Varint { 3 } else { 4 };
            self.room(add(count.clone(), num(prefix)), out);
        }
        self.prefix(&bytes.length, &count, frame, out);
        let at = frame.at(bytes.place);
        if bytes.buffer {
            out.call("buffer.copy", [name("Buffer"), at, value, num(0), count.clone()]);
        } else if bytes.length.exact().is_some() {
            out.call("buffer.writestring", [name("Buffer"), at, value, count.clone()]);
        } else {
            out.call("buffer.writestring", [name("Buffer"), at, value]);
        }
        if bytes.place == Place::Append {
            out.bump(name("Cursor"), count);
        }
    }

    pub(super) fn vector(
        &mut self,
        vector: &Vector,
        value: Expr,
        what: &str,
        frame: &mut Frame,
        out: &mut Block,
    ) {
        let value = self.hold(value, what, out);
        if self.cx.options.write_validations {
            let wrong = ne(call("typeof", [value.clone()]), text("Vector3"));
            self.expect_that(wrong, &value, "Vector3", what, out);
        }
        if let Some(bounds) = vector.magnitude.filter(|_| self.cx.options.write_validations)
            && let Some(condition) = outside(&field(value.clone(), "Magnitude"), bounds)
        {
            self.refuse(condition, &format!("the magnitude of {what} is out of its range"), out);
        }
        let step = vector.component.size();
        let at = frame.at(vector.place);
        if let Some(module) = number::float_module(vector.component) {
            let write = self.cx.runtime(module, "writeVector");
            out.push(Stat::Call(apply(write, [name("Buffer"), at, value])));
            advance(vector.place, u64::from(step) * 3, out);
            return;
        }
        for (place, axis) in ["X", "Y", "Z"].into_iter().enumerate() {
            let at = add(at.clone(), num(step * place as u32));
            number::store(self.cx, vector.component, at, field(value.clone(), axis), self.names, out);
        }
        advance(vector.place, u64::from(step) * 3, out);
    }
}

pub(super) fn out_of_range(number: &Number, what: &str) -> String {
    match number.range {
        Some(range) => format!("{what} must be {} to {}", range.min, range.max),
        None => format!("{what} is out of its type's range"),
    }
}
