//! Statements that write a payload, from its wire plan.
//!
//! The code takes the cursor of the batch `Out`, makes room for all that is of bounded size at once, writes at constant
//! distances and leaves the batch's own cursor alone: whoever called stores it last. So a throw needs no undoing.
//!
//! Where the bytes go is the context's [`Sink`]. Locals it declares: `Start` (where the item begins) and `Buffer`; `Cursor`
//! runs through tails, `Instances` and `Slot` through what travels beside the bytes. Of an item without a tail in a batch
//! in locals, `End` is where it ends.

mod bits;
mod lists;
mod room;
mod scalars;

use super::ast::*;
use super::context::{Context, Names, Sink};
use super::number::{self, hold};
use crate::wire::plan::{Block as WireBlock, Header, Member, Node, Place, Plan, Shape, TaggedEnum};

use bits::{BitSink, Frame};
pub use lists::{packed_bytes, run_bytes};
use room::{is_small, tail_cover};

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
#[allow(clippy::too_many_arguments, reason = "each caller has its own value for each")]
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

    let start = writer.begin(head, promised, slots, out);
    if block.tail {
        out.local("Cursor", add(start.clone(), size(head)));
    }

    let mut frame = Frame::open(block, start.clone(), header_size);
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
    let end = match (block.tail, &writer.cx.sink) {
        (true, _) => name("Cursor"),
        (false, Sink::Own(_)) => name("End"),
        (false, Sink::Batch | Sink::Packet(_)) => add(start, size(head)),
    };
    Written { end, slots }
}

/// Takes the place of an item of `bytes` bytes, and gives where it ends.
pub fn reserve(cx: &mut Context, bytes: u64, out: &mut Block) -> Expr {
    let mut names = Names::default();
    let mut writer = Writer { names: &mut names, rest: 0, covered: false, level: 0, live: 0, cx };
    let start = writer.begin(bytes, 0, false, out);
    if matches!(writer.cx.sink, Sink::Own(_)) { name("End") } else { add(start, size(bytes)) }
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

fn put(function: &str, at: Expr, value: Expr, out: &mut Block) {
    out.call(&format!("buffer.{function}"), [name("Buffer"), at, value]);
}

fn advance(place: Place, bytes: u64, out: &mut Block) {
    if place == Place::Append {
        out.bump(name("Cursor"), size(bytes));
    }
}

impl Writer<'_, '_> {
    /// Takes the place of an item of `head` bytes and makes room for them and `promised` ones behind. Gives where it
    /// begins.
    fn begin(&mut self, head: u64, promised: u64, slots: bool, out: &mut Block) -> Expr {
        let (cursor, buffer, batch) = match &self.cx.sink {
            Sink::Batch => (path("Out.cursor"), path("Out.buffer"), "Out"),
            Sink::Own(own) => (name(own.cursor), name(own.buffer), own.table),
            Sink::Packet(packet) => {
                out.local("Buffer", packet.clone());
                return num(0);
            }
        };
        out.local("Start", cursor);
        out.local("Buffer", buffer);
        let mut needed = add(name("Start"), size(head + promised));
        if matches!(self.cx.sink, Sink::Own(_)) && promised == 0 {
            out.local("End", needed);
            needed = name("End");
        }
        if head + promised > 0 {
            self.reserve(needed, out);
        }
        if slots {
            out.local("Instances", field(name(batch), "instances"));
            out.local("Slot", field(name(batch), "slots"));
        }
        name("Start")
    }

    /// Makes the buffer reach up to `end`.
    fn reserve(&mut self, end: Expr, out: &mut Block) {
        let (grown, size) = match self.cx.sink {
            // It has room for all that an item can be.
            Sink::Packet(_) => return,
            Sink::Own(own) => (call(own.grow, [end.clone()]), name(own.size)),
            Sink::Batch => {
                let grow = self.cx.runtime("Batch", "grow");
                (apply(grow, [name("Out"), end.clone()]), path("Out.size"))
            }
        };
        out.when(gt(end, size), block_of(|b| _ = b.assign(name("Buffer"), grown)));
    }

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
                    advance(group.place, u64::from(group.kind.size()), out);
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
                let endless = apply(self.cx.runtime_function("Endless"), [value.clone()]);
                let is_table = eq(call("type", [value.clone()]), text("table"));
                self.refuse(
                    and(is_table, endless),
                    &format!("{what} holds itself, or tables deeper than a remote carries"),
                    out,
                );
                let absent = self.cx.runtime("Batch", "absent");
                self.slot(choose(eq(value.clone(), Expr::Nil), absent, value), out);
            }
            Shape::CFrame(_) | Shape::Roblox { .. } | Shape::EnumItem { .. } | Shape::Entity { .. } => {
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
}
