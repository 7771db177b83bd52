//! Statements that write a payload, from its wire plan.
//!
//! The code takes the cursor of the batch `Out`, makes room for all that is of bounded size at once, writes at constant
//! distances and leaves the batch's own cursor alone: whoever called stores it last. So a throw needs no undoing.
//!
//! Locals it relies on: `Out` (the batch), `Start` (where the item begins) and `Buffer`; `Cursor` runs through tails,
//! `Instances` and `Slot` through what travels beside the bytes.

use super::ast::*;
use super::context::{Context, Names};
use super::number::{self, hold, outside};
use crate::wire::plan::{
    Array, BitPlace, Bits, Block as WireBlock, Booleans, Bounds, Bytes, Carrier, Header, Length, Map, Member,
    Node, Number, Place, Plan, Prefix, Shape, TaggedEnum, Vector,
};

/// Most bytes of a variable item that room is made for whether it uses them or not.
const SMALL: u64 = 64;
/// Bits gathered in one local before they enter a run; sums stay below 2^32.
const CHUNK: u32 = 24;
/// Locals after which members get a scope each: a function has 200, and calls need registers as well.
const CROWDED: usize = 100;

/// What a writer leaves to its caller.
pub struct Written {
    /// Where the item ends: an expression of `Start`, or `Cursor`.
    pub end: Expr,
    /// Whether `Slot` was advanced.
    pub slots: bool,
}

/// Writes an item: its header, then the payload of `values`, one expression a parameter. Errors name `what` and are
/// raised `level` calls up; at level 0 they are texts to stand behind another.
#[allow(clippy::too_many_arguments)]
pub fn item(
    cx: &mut Context,
    names: &mut Names,
    header: Option<Header>,
    plan: &Plan,
    values: &[Expr],
    what: &str,
    level: u8,
    out: &mut Block,
) -> Written {
    let block = &plan.block;
    let header_size = header.map_or(0, Header::size);
    let promised = tail_cover(&block.body);
    let mut writer = Writer { names, rest: promised, covered: false, level, live: 16, cx };
    let head = u64::from(header_size + block.head);
    let slots = block.size.slots > 0;

    out.local("Start", path("Out.cursor"));
    out.local("Buffer", path("Out.buffer"));
    if head + promised > 0 {
        let needed = add(name("Start"), size(head + promised));
        let grow = writer.cx.runtime("Batch", "grow");
        let body = block_of(|b| {
            b.assign(name("Buffer"), apply(grow, [name("Out"), needed.clone()]));
        });
        out.when(gt(needed, path("Out.size")), body);
    }
    if slots {
        out.local("Instances", path("Out.instances"));
        out.local("Slot", path("Out.slots"));
    }
    if block.tail {
        out.local("Cursor", add(name("Start"), size(head)));
    }

    let mut frame = Frame::open(block, name("Start"), header_size);
    frame.made = header.map(|header| vec![(0, num(header.index))]);
    writer.declare_bits(&mut frame, block, out);
    match &block.body.shape {
        Shape::Pack(members) => {
            for (member, value) in members.iter().zip(values) {
                let what = format!("{what}.{}", member.name);
                writer.scoped(&member.node, value.clone(), &what, &mut frame, out);
            }
        }
        _ => {
            for value in values {
                writer.node(&block.body, value.clone(), what, &mut frame, out);
            }
        }
    }
    writer.seal(frame, out);
    let end = if block.tail { name("Cursor") } else { add(name("Start"), size(head)) };
    Written { end, slots }
}

fn block_of(build: impl FnOnce(&mut Block)) -> Block {
    block(build)
}

struct Writer<'w, 'a> {
    cx: &'w mut Context<'a>,
    names: &'w mut Names,
    /// Bytes still promised behind what an item makes room for itself.
    rest: u64,
    /// Whether the item at hand lies in room that was made already.
    covered: bool,
    /// Level of errors: that of whoever called the send.
    level: u8,
    /// About how many locals are in scope.
    live: usize,
}

/// Where the claims of a block at hand go.
struct Frame {
    base: Expr,
    shift: u32,
    bits: BitSink,
    /// In the block of a whole item: single bytes the compiler makes, by offset, which are stored together.
    made: Option<Vec<(u32, Expr)>>,
}

enum BitSink {
    /// A local for each bit byte once it is open, and where the byte lies.
    Bytes(Vec<Option<(String, Expr)>>),
    /// The bit run of an array.
    Run(Run),
}

struct Run {
    /// Bits of one element.
    total: u32,
    /// First bit of the element that is in the chunk at hand.
    first: u32,
    /// Bits gathered in the chunk at hand.
    gathered: u32,
    chunk: String,
    pool: String,
    weight: String,
    at: String,
}

impl Frame {
    fn open(block: &WireBlock, base: Expr, shift: u32) -> Frame {
        Frame { base, shift, bits: BitSink::Bytes(vec![None; block.bit_bytes.len()]), made: None }
    }

    fn at(&self, place: Place) -> Expr {
        match place {
            Place::Head(offset) => add(self.base.clone(), size(u64::from(offset) + u64::from(self.shift))),
            Place::Append => name("Cursor"),
        }
    }
}

fn put(function: &str, at: Expr, value: Expr, out: &mut Block) {
    out.call(&format!("buffer.{function}"), [name("Buffer"), at, value]);
}

fn advance(place: Place, bytes: u64, out: &mut Block) {
    if place == Place::Append {
        out.bump(name("Cursor"), size(bytes));
    }
}

/// Most bytes of the tail that belong to items of bounded small size.
fn tail_cover(node: &Node) -> u64 {
    match &node.shape {
        Shape::Struct(members) | Shape::Pack(members) => {
            members.iter().map(|member| tail_cover(&member.node)).sum()
        }
        Shape::Entry(pair) => pair.iter().map(tail_cover).sum(),
        Shape::Number(_)
        | Shape::Boolean(_)
        | Shape::Vector(_)
        | Shape::CFrame(_)
        | Shape::EnumItem { .. }
        | Shape::Instance { .. }
        | Shape::Unknown
        | Shape::Set(_)
        | Shape::UnitEnum { .. }
        | Shape::Bytes(Bytes { place: Place::Head(_), .. })
        | Shape::Booleans(Booleans { place: Place::Head(_), .. }) => 0,
        Shape::Roblox { .. }
        | Shape::Bytes(_)
        | Shape::Booleans(_)
        | Shape::Optional { .. }
        | Shape::Array(_)
        | Shape::TaggedEnum(_)
        | Shape::Map(_) => {
            if is_small(node) {
                node.size.max
            } else {
                0
            }
        }
    }
}

/// Whether room for a variable item is made ahead of it.
fn is_small(node: &Node) -> bool {
    match &node.shape {
        Shape::Map(_) => false,
        Shape::Struct(members) | Shape::Pack(members) => members.iter().all(|member| is_small(&member.node)),
        Shape::Entry(pair) => pair.iter().all(is_small),
        Shape::Bytes(Bytes { place: Place::Head(_), .. })
        | Shape::Booleans(Booleans { place: Place::Head(_), .. }) => true,
        Shape::Number(_)
        | Shape::Boolean(_)
        | Shape::Vector(_)
        | Shape::CFrame(_)
        | Shape::EnumItem { .. }
        | Shape::Instance { .. }
        | Shape::Unknown
        | Shape::Set(_)
        | Shape::UnitEnum { .. } => true,
        Shape::Roblox { .. }
        | Shape::Bytes(_)
        | Shape::Booleans(_)
        | Shape::Optional { .. }
        | Shape::Array(_)
        | Shape::TaggedEnum(_) => node.size.sealed().max <= SMALL,
    }
}

impl Writer<'_, '_> {
    fn refuse(&self, condition: Expr, text_of: &str, out: &mut Block) {
        out.when(condition, self.failure(text_of));
    }

    fn failure(&self, text_of: &str) -> Block {
        block_of(|b| {
            let prefix = if self.level == 0 { "" } else { "[BlinkBlox]: " };
            b.call("error", [text(format!("{prefix}{text_of}.")), num(self.level)]);
        })
    }

    /// Under `WriteValidations`: refuses a value of another Luau type.
    fn expect(&mut self, value: &Expr, kind: &str, what: &str, out: &mut Block) {
        if self.cx.options.write_validations {
            let actual = call("type", [value.clone()]);
            self.expect_that(ne(actual, text(kind)), value, kind, what, out);
        }
    }

    fn expect_that(&mut self, wrong: Expr, value: &Expr, kind: &str, what: &str, out: &mut Block) {
        let message = self.cx.runtime("Messages", "wrongType");
        let level = num(self.level);
        let body = block_of(|b| {
            let got = call("typeof", [value.clone()]);
            b.call("error", [apply(message, [text(what), text(kind), got]), level]);
        });
        out.when(wrong, body);
    }

    /// Makes room for `needed` bytes at the cursor and what is still promised behind them.
    fn room(&mut self, needed: Expr, out: &mut Block) {
        let end = add(add(name("Cursor"), needed), size(self.rest));
        let grow = self.cx.runtime("Batch", "grow");
        let body = block_of(|b| {
            b.assign(name("Buffer"), apply(grow, [name("Out"), end.clone()]));
        });
        out.when(gt(end, path("Out.size")), body);
    }

    fn declare_bits(&mut self, frame: &mut Frame, block: &WireBlock, out: &mut Block) {
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
    fn seal(&mut self, frame: Frame, out: &mut Block) {
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
            put(function, add(name("Start"), num(*offset)), value, out);
            rest = &rest[taken..];
        }
    }

    /// Readies the sink for a bit item, in straight-line code ahead of any branch that sets its bits.
    fn prepare(&mut self, frame: &mut Frame, bits: &Bits, out: &mut Block) {
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
    fn add_constant(&mut self, frame: &Frame, bits: &Bits, value: u32, out: &mut Block) {
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
    fn add_value(&mut self, frame: &Frame, bits: &Bits, value: Expr, out: &mut Block) {
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

    fn node(&mut self, node: &Node, value: Expr, what: &str, frame: &mut Frame, out: &mut Block) {
        let (live, first) = (self.live, out.stats.len());
        self.shape(node, value, what, frame, out);
        self.live = live + out.locals_from(first);
    }

    /// A node in a scope of its own, once there are many locals; what outlives it is declared ahead.
    fn scoped(&mut self, node: &Node, value: Expr, what: &str, frame: &mut Frame, out: &mut Block) {
        if self.live <= CROWDED {
            return self.node(node, value, what, frame, out);
        }
        if let BitSink::Bytes(bytes) = &mut frame.bits {
            for byte in bytes.iter_mut().filter(|byte| byte.is_none()) {
                let at = self.names.fresh("BitsAt");
                let local = self.names.fresh("Bits");
                out.push(Stat::Local(vec![bare(&at), bare(&local)], vec![num(0), num(0)]));
                *byte = Some((local, name(at)));
            }
        }
        let live = self.live;
        // Lengths do not outlive the scope, so their prefixes are stored inside it.
        let made = frame.made.take();
        let body = block_of(|b| self.node(node, value, what, frame, b));
        frame.made = made;
        self.live = live;
        out.scope(body);
    }

    fn shape(&mut self, node: &Node, value: Expr, what: &str, frame: &mut Frame, out: &mut Block) {
        match &node.shape {
            Shape::Number(number) => self.number(number, value, what, frame, out),
            Shape::Boolean(bits) => {
                let value =
                    if self.cx.options.write_validations { self.hold(value, what, out) } else { value };
                self.expect(&value, "boolean", what, out);
                self.prepare(frame, bits, out);
                let body = block_of(|b| self.add_constant(frame, bits, 1, b));
                out.when(value, body);
            }
            Shape::Bytes(bytes) => self.bytes(bytes, node, value, what, frame, out),
            Shape::Vector(vector) => self.vector(vector, value, what, frame, out),
            Shape::Struct(members) => self.members(members, value, what, frame, out),
            Shape::Optional { presence, block } => {
                let value = self.hold(value, what, out);
                self.prepare(frame, presence, out);
                let small = is_small(node);
                let body = block_of(|b| {
                    self.add_constant(frame, presence, 1, b);
                    self.plain(block, small, value.clone(), what, b);
                });
                out.when(ne(value, Expr::Nil), body);
            }
            Shape::Array(array) => self.array(array, node, value, what, frame, out),
            Shape::Booleans(list) => self.booleans(list, node, value, what, frame, out),
            Shape::Map(map) => self.map(map, value, what, frame, out),
            Shape::Set(set) => {
                let value = self.hold(value, what, out);
                self.expect(&value, "table", what, out);
                for group in &set.groups {
                    let local = self.names.fresh("Flags");
                    out.local(&local, num(0));
                    for bit in 0..group.count {
                        let flag = &set.flags[(group.first + bit) as usize];
                        let body = block_of(|b| {
                            b.bump(name(&local), Expr::Number(f64::from(bit).exp2()));
                        });
                        out.when(eq(field(value.clone(), flag.as_str()), Expr::Bool(true)), body);
                    }
                    let at = frame.at(group.place);
                    number::store(self.cx, group.kind, at, name(&local), self.names, out);
                    advance(group.place, u64::from(number::bytes(group.kind)), out);
                }
            }
            Shape::UnitEnum { values, bits } => {
                let value = self.hold(value, what, out);
                self.prepare(frame, bits, out);
                let bodies: Vec<(String, Block)> = values
                    .iter()
                    .enumerate()
                    .map(|(index, name)| {
                        (name.clone(), block_of(|b| self.add_constant(frame, bits, index as u32, b)))
                    })
                    .collect();
                self.cases(value, bodies, what, out);
            }
            Shape::TaggedEnum(tagged) => self.tagged(tagged, node, value, what, frame, out),
            Shape::Instance { class, .. } => {
                let value = self.hold(value, what, out);
                if self.cx.options.write_validations {
                    let class = class.as_deref().unwrap_or("Instance");
                    let wrong = or(
                        ne(call("typeof", [value.clone()]), text("Instance")),
                        not(method(value.clone(), "IsA", [text(class)])),
                    );
                    // The type says it is there, yet nil may come: without the cast the comparison is a type error.
                    let given = cast(value.clone(), super::ast::optional(ty("Instance")));
                    let wrong = and(ne(given, Expr::Nil), wrong);
                    self.expect_that(wrong, &value, class, what, out);
                }
                let absent = self.cx.runtime("Batch", "absent");
                self.slot(or(value, absent), out);
            }
            Shape::Unknown => {
                let value = self.hold(value, what, out);
                let absent = self.cx.runtime("Batch", "absent");
                self.slot(choose(eq(value.clone(), Expr::Nil), absent, value), out);
            }
            Shape::CFrame(_) | Shape::Roblox { .. } | Shape::EnumItem { .. } => {
                let value = self.hold(value, what, out);
                if !self.covered && !is_small(node) {
                    self.room(size(node.size.max), out);
                }
                let at = |place| frame.at(place);
                super::roblox::write(self.cx, self.names, node, value, what, self.level, at, out);
            }
            Shape::Pack(_) | Shape::Entry(_) => {
                unreachable!("packs and entries are taken apart by their blocks")
            }
        }
    }

    fn hold(&mut self, value: Expr, what: &str, out: &mut Block) -> Expr {
        let hint = what.rsplit('.').next().unwrap_or(what);
        hold(value, hint, self.names, out)
    }

    /// Puts a value, or what stands for its absence, beside the bytes.
    fn slot(&mut self, value: Expr, out: &mut Block) {
        out.bump(name("Slot"), num(1));
        out.assign(index(name("Instances"), name("Slot")), value);
    }

    /// Runs the body of the name that `value` is; refuses what is none of them.
    fn cases(&mut self, value: Expr, bodies: Vec<(String, Block)>, what: &str, out: &mut Block) {
        let mut arms = Vec::new();
        let mut silent: Option<Expr> = None;
        for (case, body) in bodies {
            if body.is_empty() {
                let other = ne(value.clone(), text(case));
                silent = Some(match silent {
                    Some(others) => and(others, other),
                    None => other,
                });
            } else {
                arms.push((eq(value.clone(), text(case)), body));
            }
        }
        let failure = self.failure(&format!("{what} is none of its values"));
        match (arms.is_empty(), silent) {
            (true, Some(others)) => {
                out.when(others, failure);
            }
            (true, None) => {
                out.append(failure);
            }
            (false, Some(others)) => {
                arms.push((others, failure));
                out.push(Stat::If(arms, None));
            }
            (false, None) => {
                out.push(Stat::If(arms, Some(failure)));
            }
        }
    }

    fn number(&mut self, number: &Number, value: Expr, what: &str, frame: &mut Frame, out: &mut Block) {
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
                advance(*place, u64::from(number::bytes(*kind)), out);
            }
            Carrier::Float { kind, place } => {
                number::store(self.cx, *kind, frame.at(*place), value, self.names, out);
                advance(*place, u64::from(number::bytes(*kind)), out);
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
    fn length(&mut self, length: &Length, actual: Expr, what: &str, out: &mut Block) -> Expr {
        if let Some(exact) = length.exact() {
            return size(u64::from(exact));
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

    fn prefix(&mut self, length: &Length, count: &Expr, frame: &mut Frame, out: &mut Block) {
        let wire = sub(count.clone(), size(u64::from(length.min)));
        let at = frame.at(length.place);
        match length.prefix {
            Prefix::None => {}
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

    fn bytes(
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

    fn vector(&mut self, vector: &Vector, value: Expr, what: &str, frame: &mut Frame, out: &mut Block) {
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
        let step = number::bytes(vector.component);
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

    fn members(&mut self, members: &[Member], value: Expr, what: &str, frame: &mut Frame, out: &mut Block) {
        let value = self.hold(value, what, out);
        self.expect(&value, "table", what, out);
        for member in members {
            let what = format!("{what}.{}", member.name);
            self.scoped(&member.node, field(value.clone(), member.name.as_str()), &what, frame, out);
        }
    }

    /// A plain block inside another: the payload of an optional, or a variant.
    fn plain(&mut self, block: &WireBlock, covered: bool, value: Expr, what: &str, out: &mut Block) {
        let was = (self.covered, self.rest);
        if !was.0 && !covered {
            let promised = tail_cover(&block.body);
            self.room(size(u64::from(block.head) + promised), out);
            self.rest += promised;
        }
        self.covered |= covered;
        let base = if block.tail {
            let base = self.names.fresh("Base");
            out.local(&base, name("Cursor"));
            out.bump(name("Cursor"), num(block.head));
            name(base)
        } else {
            name("Cursor")
        };
        let mut frame = Frame::open(block, base, 0);
        self.declare_bits(&mut frame, block, out);
        self.live += 1 + block.bit_bytes.len();
        self.node(&block.body, value, what, &mut frame, out);
        self.seal(frame, out);
        if !block.tail {
            out.bump(name("Cursor"), num(block.head));
        }
        (self.covered, self.rest) = was;
    }

    fn tagged(
        &mut self,
        tagged: &TaggedEnum,
        node: &Node,
        value: Expr,
        what: &str,
        frame: &mut Frame,
        out: &mut Block,
    ) {
        let value = self.hold(value, what, out);
        self.expect(&value, "table", what, out);
        let tag = self.names.fresh(&tagged.tag);
        out.local(&tag, field(value.clone(), tagged.tag.as_str()));
        self.prepare(frame, &tagged.bits, out);
        let small = is_small(node);
        let mut bodies = Vec::new();
        for (place, variant) in tagged.variants.iter().enumerate() {
            let mut body = Block::new();
            self.add_constant(frame, &tagged.bits, place as u32, &mut body);
            // The checker follows which variant it is on its own from the tag, but not through a local of it.
            let value = cast(value.clone(), ty("any"));
            let fields = matches!(&variant.block.body.shape, Shape::Struct(members) if members.is_empty());
            if !fields {
                let what = format!("{what}.{}", variant.name);
                self.plain(&variant.block, small, value, &what, &mut body);
            }
            bodies.push((variant.name.clone(), body));
        }
        self.cases(name(tag), bodies, &format!("{what}.{}", tagged.tag), out);
    }

    fn array(
        &mut self,
        array: &Array,
        node: &Node,
        value: Expr,
        what: &str,
        frame: &mut Frame,
        out: &mut Block,
    ) {
        let list = self.hold(value, what, out);
        self.expect(&list, "table", what, out);
        let count = self.length(&array.length, len(list.clone()), what, out);
        let block = &array.block;
        if let Some(exact) = array.length.exact().filter(|_| self.cx.options.write_validations) {
            let optional =
                matches!(block.body.shape, Shape::Optional { .. } | Shape::Instance { optional: true, .. });
            let condition = if optional { gt } else { ne }(len(list.clone()), size(u64::from(exact)));
            self.refuse(condition, &format!("the length of {what} must be {exact}"), out);
        }

        let own_room = !self.covered && !is_small(node);
        let was = (self.covered, self.rest);
        let element_small = is_small(&block.body);
        let element_tail = tail_cover(&block.body);
        let heads = mul(count.clone(), num(block.head));
        let run_bytes = run_bytes(&count, block.run_bits);
        if own_room {
            let each = if element_small { u64::from(block.head) + element_tail } else { block.head.into() };
            let prefix = if array.length.prefix == Prefix::Varint { 3 } else { 0 };
            self.room(add(add(mul(count.clone(), size(each)), run_bytes.clone()), num(prefix)), out);
        }
        self.covered |= !own_room || element_small;
        self.prefix(&array.length, &count, frame, out);

        let mut run = None;
        if block.run_bits > 0 {
            let at = self.names.fresh("RunAt");
            out.local(&at, name("Cursor"));
            out.bump(name("Cursor"), run_bytes);
            let pool = self.names.fresh("Pool");
            let weight = self.names.fresh("Weight");
            out.push(Stat::Local(vec![bare(&pool), bare(&weight)], vec![num(0), num(1)]));
            let chunk = self.names.fresh("Bits");
            run = Some(Run { total: block.run_bits, first: 0, gathered: 0, chunk, pool, weight, at });
        }
        let head = if block.tail && block.head > 0 {
            let head = self.names.fresh("Head");
            out.local(&head, name("Cursor"));
            out.bump(name("Cursor"), heads);
            name(head)
        } else {
            name("Cursor")
        };

        let index_name = self.names.fresh("Position");
        let mut body = Block::new();
        if !self.covered {
            self.rest += element_tail;
            if element_tail > 0 {
                self.room(num(0), &mut body);
            }
        }
        let mut element = Frame {
            base: head.clone(),
            shift: 0,
            bits: match run {
                Some(run) => BitSink::Run(run),
                None => BitSink::Bytes(vec![None; block.bit_bytes.len()]),
            },
            made: None,
        };
        if let BitSink::Run(run) = &element.bits
            && run.total > 1
        {
            body.local(&run.chunk, num(0));
        }
        self.declare_bits(&mut element, block, &mut body);
        // The list and its count, the loop, the run.
        self.live += 12 + block.bit_bytes.len();
        let item = index(list, name(&index_name));
        self.node(&block.body, item, &format!("{what}.Element"), &mut element, &mut body);
        let run = match element.bits {
            BitSink::Run(run) => {
                flush_run(&run, &mut body);
                Some(run)
            }
            bits => {
                let frame = Frame { base: head.clone(), shift: 0, bits, made: None };
                self.seal(frame, &mut body);
                None
            }
        };
        body.bump(head, num(block.head));
        out.push(Stat::Count(index_name, num(1), count, None, body));
        if let Some(run) = run {
            let rest = block_of(|b| put("writeu8", name(&run.at), name(&run.pool), b));
            out.when(gt(name(&run.weight), num(1)), rest);
        }
        (self.covered, self.rest) = was;
    }

    fn booleans(
        &mut self,
        list: &Booleans,
        node: &Node,
        value: Expr,
        what: &str,
        frame: &mut Frame,
        out: &mut Block,
    ) {
        let value = self.hold(value, what, out);
        self.expect(&value, "table", what, out);
        let count = self.length(&list.length, len(value.clone()), what, out);
        if let Some(exact) = list.length.exact().filter(|_| self.cx.options.write_validations) {
            let condition = ne(len(value.clone()), size(u64::from(exact)));
            self.refuse(condition, &format!("the length of {what} must be {exact}"), out);
        }
        if self.cx.options.write_validations {
            let check = self.cx.runtime("Booleans", "expect");
            out.push(Stat::Call(apply(check, [value.clone(), count.clone(), text(what)])));
        }
        if !self.covered && !is_small(node) {
            self.room(add(packed_bytes(&count), num(3)), out);
        }
        self.prefix(&list.length, &count, frame, out);
        let write = self.cx.runtime("Booleans", "write");
        let at = frame.at(list.place);
        out.push(Stat::Call(apply(write, [name("Buffer"), at, value, count.clone()])));
        if list.place == Place::Append {
            out.bump(name("Cursor"), packed_bytes(&count));
        }
    }

    fn map(&mut self, map: &Map, value: Expr, what: &str, frame: &mut Frame, out: &mut Block) {
        let value = self.hold(value, what, out);
        self.expect(&value, "table", what, out);
        let count = self.names.fresh("Count");
        let count_at = if map.place == Place::Append {
            let at = self.names.fresh("CountAt");
            out.local(&at, name("Cursor"));
            out.bump(name("Cursor"), num(2));
            name(at)
        } else {
            frame.at(map.place)
        };
        out.local(&count, num(0));
        let Shape::Entry(pair) = &map.entry.body.shape else { unreachable!("a map's block holds an entry") };
        let [key, item] = pair.as_ref();
        let key_name = self.names.fresh("Key");
        let item_name = self.names.fresh("Entry");
        let was = (self.covered, self.rest);
        let mut body = Block::new();
        body.bump(name(&count), num(1));
        // Claims of an entry are appended like the rest, so all that is of bounded size counts here.
        let promised = sequential_cover(&map.entry.body) + map.entry.bit_bytes.len() as u64;
        self.covered = false;
        self.room(size(promised), &mut body);
        self.rest += promised;
        let mut entry = Frame {
            base: name("Cursor"),
            shift: 0,
            bits: BitSink::Bytes(vec![None; map.entry.bit_bytes.len()]),
            made: None,
        };
        self.live += 12;
        self.node(key, name(&key_name), &format!("{what}.Key"), &mut entry, &mut body);
        self.node(item, name(&item_name), &format!("{what}.Value"), &mut entry, &mut body);
        self.seal(entry, &mut body);
        (self.covered, self.rest) = was;
        out.push(Stat::Each(vec![key_name, item_name], vec![value], body));
        self.refuse(gt(name(&count), num(65535)), &format!("{what} has more than 65535 entries"), out);
        put("writeu16", count_at, name(&count), out);
    }
}

/// Most bytes of an entry that belong to items of bounded size.
fn sequential_cover(node: &Node) -> u64 {
    match &node.shape {
        Shape::Struct(members) => members.iter().map(|member| sequential_cover(&member.node)).sum(),
        Shape::Entry(pair) => pair.iter().map(sequential_cover).sum(),
        Shape::Map(_) => 2,
        _ if is_small(node) => node.size.sealed().max,
        _ => 4,
    }
}

/// How far behind `Start` an address of an item's head is.
fn offset_of(at: &Expr) -> u32 {
    match at {
        Expr::Binary(_, BinaryOp::Add, offset) => match **offset {
            Expr::Number(offset) => offset as u32,
            _ => 0,
        },
        _ => 0,
    }
}

/// `ceil(count / 8)`
pub fn packed_bytes(count: &Expr) -> Expr {
    match count {
        Expr::Number(count) => num((count / 8.0).ceil()),
        count => binary(add(count.clone(), num(7)), BinaryOp::FloorDiv, num(8)),
    }
}

/// `ceil(count * bits / 8)`
pub fn run_bytes(count: &Expr, bits: u32) -> Expr {
    if bits == 0 {
        return num(0);
    }
    packed_bytes(&mul(count.clone(), num(bits)))
}

/// Moves the gathered bits of an element into the run, whole bytes into the buffer.
fn flush_run(run: &Run, out: &mut Block) {
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
    out.push(Stat::Compound(name(&run.weight), BinaryOp::Mul, Expr::Number(f64::from(run.gathered).exp2())));
    let body = block_of(|b| {
        store(b);
        b.push(Stat::Compound(name(&run.pool), BinaryOp::FloorDiv, num(256)));
        b.push(Stat::Compound(name(&run.weight), BinaryOp::Div, num(256)));
    });
    let full = ge(name(&run.weight), num(256));
    if run.gathered <= 8 {
        out.when(full, body);
    } else {
        out.push(Stat::While(full, body));
    }
}

fn out_of_range(number: &Number, what: &str) -> String {
    match number.range {
        Some(range) => format!("{what} must be {} to {}", range.min, range.max),
        None => format!("{what} is out of its type's range"),
    }
}
