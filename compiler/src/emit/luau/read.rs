//! Statements that read a payload, from its wire plan.
//!
//! Every check is made before what it guards: a count against its bounds and the bytes left before anything is
//! allocated for it. What needs no check becomes an expression and is read where its table is built. A read past the
//! end throws by itself.
//!
//! Locals it relies on: `Buffer` and `Cursor`, and `Instances`, `Slot` and `Missing` when the payload has slots.

use super::ast::*;
use super::context::{Context, Names};
use super::number::{self, hold, outside};
use super::types;
use super::write::{packed_bytes, run_bytes};
use crate::wire::plan::{
    Array, BitPlace, Bits, Block as WireBlock, Booleans, Bounds, Bytes, Carrier, Length, Map, Member, Node,
    Number, Place, Plan, Prefix, Room, Shape, TaggedEnum,
};

/// Most bits of an array element's run that are held in one local.
const CHUNK: u32 = 24;
/// Locals above which a struct is read member by member, in a scope each: a function has 200, and calls and table
/// constructors need registers as well.
const CROWDED: usize = 100;

/// Reads a payload that begins `shift` bytes behind `Cursor`, and gives an expression for each parameter.
///
/// `Cursor` is left where the payload ends, except that a payload without a tail leaves it alone: the expressions read
/// relative to it, and the second value says by how much it is still to be advanced.
pub fn payload(
    cx: &mut Context,
    names: &mut Names,
    plan: &Plan,
    shift: u32,
    what: &str,
    out: &mut Block,
) -> (Vec<Expr>, u64) {
    let block = &plan.block;
    let mut reader = Reader { cx, names, live: 16 };
    let head = u64::from(shift + block.head);
    let base = if block.tail {
        let base = reader.names.fresh("Base");
        out.local(&base, name("Cursor"));
        out.bump(name("Cursor"), size(head));
        name(base)
    } else {
        name("Cursor")
    };
    let mut frame = reader.open(block, base, shift, out);
    let values = match &block.body.shape {
        Shape::Pack(members) => members
            .iter()
            .map(|member| reader.node(&member.node, &format!("{what}.{}", member.name), &mut frame, out))
            .collect(),
        _ => vec![reader.node(&block.body, what, &mut frame, out)],
    };
    (values, if block.tail { 0 } else { head })
}

struct Reader<'r, 'a> {
    cx: &'r mut Context<'a>,
    names: &'r mut Names,
    /// About how many locals are in scope.
    live: usize,
}

struct Frame {
    base: Expr,
    shift: u32,
    bits: BitSource,
}

enum BitSource {
    /// The local that holds each bit byte.
    Bytes(Vec<Option<String>>),
    Run(Run),
}

struct Run {
    total: u32,
    /// First and last bit of the element that are in `chunk`.
    first: u32,
    last: u32,
    /// The end of each chunk, found ahead: bits are taken out of the pool a chunk at a time.
    ends: Vec<u32>,
    chunk: String,
    /// Whether `chunk` is a local already.
    declared: bool,
    pool: String,
    weight: String,
    at: String,
}

impl Frame {
    fn at(&self, place: Place) -> Expr {
        match place {
            Place::Head(offset) => add(self.base.clone(), size(u64::from(offset) + u64::from(self.shift))),
            Place::Append => name("Cursor"),
        }
    }
}

fn get(function: &str, at: Expr) -> Expr {
    call(&format!("buffer.{function}"), [name("Buffer"), at])
}

fn fail(message: String) -> Block {
    block(|b| {
        b.call("error", [text(message), num(0)]);
    })
}

impl Reader<'_, '_> {
    /// Opens a block of constant head: loads its bit bytes.
    fn open(&mut self, block: &WireBlock, base: Expr, shift: u32, out: &mut Block) -> Frame {
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
    fn bits(&mut self, bits: &Bits, frame: &mut Frame, out: &mut Block) -> Expr {
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
    fn flag(&mut self, bits: &Bits, frame: &mut Frame, out: &mut Block) -> Expr {
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

    /// Keeps `value` from later moves of the cursor: appended values, and what stands in a chunk that is refilled.
    fn settle(&mut self, value: Expr, what: &str, out: &mut Block) -> Expr {
        let hint = what.rsplit('.').next().unwrap_or(what);
        hold(value, hint, self.names, out)
    }

    /// A value read at the cursor, which then moves past it.
    fn take(&mut self, value: Expr, place: Place, bytes: u32, what: &str, out: &mut Block) -> Expr {
        if place == Place::Append {
            let value = self.settle(value, what, out);
            out.bump(name("Cursor"), num(bytes));
            return value;
        }
        value
    }

    fn node(&mut self, node: &Node, what: &str, frame: &mut Frame, out: &mut Block) -> Expr {
        let (live, first) = (self.live, out.stats.len());
        let value = self.shape(node, what, frame, out);
        self.live = live + out.locals_from(first);
        value
    }

    fn shape(&mut self, node: &Node, what: &str, frame: &mut Frame, out: &mut Block) -> Expr {
        match &node.shape {
            Shape::Number(number) => self.number(number, what, frame, out),
            Shape::Boolean(bits) => {
                let value = self.flag(bits, frame, out);
                self.keep_bits(value, frame, what, out)
            }
            Shape::Bytes(bytes) => self.bytes(bytes, what, frame, out),
            Shape::Vector(vector) => {
                let step = number::bytes(vector.component);
                let at = frame.at(vector.place);
                let value = match number::float_module(vector.component) {
                    Some(module) => apply(self.cx.runtime(module, "readVector"), [name("Buffer"), at]),
                    None => {
                        let axis =
                            |axis| number::load(self.cx, vector.component, add(at.clone(), num(step * axis)));
                        call("Vector3.new", (0..3).map(axis).collect::<Vec<Expr>>())
                    }
                };
                let value = self.take(value, vector.place, step * 3, what, out);
                let Some(bounds) = vector.magnitude else { return value };
                let value = self.settle(value, what, out);
                if let Some(condition) = outside(&field(value.clone(), "Magnitude"), bounds) {
                    out.when(condition, fail(format!("{what}: its magnitude is out of range")));
                }
                value
            }
            Shape::Struct(members) => self.members(members, what, frame, out),
            Shape::Optional { presence, block } => {
                let present = self.flag(presence, frame, out);
                let local = self.names.fresh(what.rsplit('.').next().unwrap_or(what));
                let ty = types::of_node(self.cx.schema, node);
                out.local_typed(&local, ty.clone(), Expr::Nil);
                let mut body = Block::new();
                let value = self.plain(block, what, &mut body, Some((&local, &ty)));
                if let Some(value) = value {
                    assign_present(&mut body, &local, &ty, value);
                }
                out.when(present, body);
                name(local)
            }
            Shape::Array(array) => self.array(array, node, what, frame, out),
            Shape::Booleans(list) => self.booleans(list, what, frame, out),
            Shape::Map(map) => self.map(map, node, what, frame, out),
            Shape::Set(set) => {
                let mut entries = Vec::new();
                for group in &set.groups {
                    let local = self.names.fresh("Flags");
                    let value = number::load(self.cx, group.kind, frame.at(group.place));
                    out.local(&local, value);
                    if group.place == Place::Append {
                        out.bump(name("Cursor"), num(number::bytes(group.kind)));
                    }
                    for bit in 0..group.count {
                        let flag = set.flags[(group.first + bit) as usize].clone();
                        let mask = Expr::Number(f64::from(bit).exp2());
                        entries.push(Entry::Named(flag, call("bit32.btest", [name(&local), mask])));
                    }
                }
                Expr::Table(entries)
            }
            Shape::UnitEnum { values, bits } => {
                let code = self.names.fresh("Code");
                let value = self.bits(bits, frame, out);
                out.local(&code, value);
                let local = self.names.fresh(what.rsplit('.').next().unwrap_or(what));
                let kind = types::of_node(self.cx.schema, node);
                out.declare(&local, kind.clone());
                let bodies: Vec<Block> = values
                    .iter()
                    .map(|value| {
                        let value = cast(text(value.as_str()), kind.clone());
                        block(|b| _ = b.assign(name(&local), value))
                    })
                    .collect();
                let full = values.len() == 1 << bits.width;
                branch(&code, 0, &bodies, full, &format!("{what}: no value has this index"), out);
                name(local)
            }
            Shape::TaggedEnum(tagged) => self.tagged(tagged, node, what, frame, out),
            Shape::Instance { class, optional } => self.instance(class.as_deref(), *optional, what, out),
            Shape::Unknown => {
                let local = self.slot(what, out);
                let missing = block(|b| _ = b.assign(name("Missing"), Expr::Bool(true)));
                out.when(eq(name(&local), Expr::Nil), missing);
                name(local)
            }
            Shape::CFrame(_) | Shape::Roblox { .. } | Shape::EnumItem { .. } => {
                super::roblox::read(self.cx, self.names, node, what, |place| frame.at(place), out)
            }
            Shape::Pack(_) | Shape::Entry(_) => {
                unreachable!("packs and entries are taken apart by their blocks")
            }
        }
    }

    /// A flag out of a run lives in locals that the next element, or chunk, overwrites.
    fn keep_bits(&mut self, value: Expr, frame: &Frame, what: &str, out: &mut Block) -> Expr {
        match &frame.bits {
            BitSource::Run(run) if run.ends.len() > 1 => self.settle(value, what, out),
            _ => value,
        }
    }

    fn number(&mut self, number: &Number, what: &str, frame: &mut Frame, out: &mut Block) -> Expr {
        let (raw, offset) = match &number.carrier {
            Carrier::Integer { kind, bias, place } => {
                let value = number::load(self.cx, *kind, frame.at(*place));
                (self.take(value, *place, number::bytes(*kind), what, out), *bias)
            }
            Carrier::Float { kind, place } => {
                let value = number::load(self.cx, *kind, frame.at(*place));
                (self.take(value, *place, number::bytes(*kind), what, out), 0.0)
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
    fn length(&mut self, length: &Length, what: &str, frame: &Frame, out: &mut Block) -> Expr {
        if let Some(exact) = length.exact() {
            return size(u64::from(exact));
        }
        let local = self.names.fresh("Length");
        let at = frame.at(length.place);
        let (raw, bytes) = match length.prefix {
            Prefix::None => (num(0), 0),
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
    fn room(&mut self, needed: Expr, what: &str, out: &mut Block) {
        let left = sub(call("buffer.len", [name("Buffer")]), name("Cursor"));
        out.when(gt(needed, left), fail(format!("{what}: more than the packet holds")));
    }

    fn repetitions(&mut self, room: &Room, count: &Expr, what: &str, out: &mut Block) {
        if *count == Expr::Number(0.0) {
            return;
        }
        if room.bytes > 0 || room.bits > 0 {
            let needed = add(mul(count.clone(), size(room.bytes)), run_bytes(count, room.bits));
            self.room(needed, what, out);
        }
        if room.slots > 0 && room.bytes == 0 && self.cx.server {
            let left = sub(num(self.cx.options.max_instances_per_packet), name("Slot"));
            out.when(
                gt(mul(count.clone(), size(room.slots)), left),
                fail(format!("{what}: more than the packet holds")),
            );
        }
    }

    fn bytes(&mut self, bytes: &Bytes, what: &str, frame: &mut Frame, out: &mut Block) -> Expr {
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

    /// A struct: one constructor with the reads inside it, or steps where that would take too many locals.
    fn members(&mut self, members: &[Member], what: &str, frame: &mut Frame, out: &mut Block) -> Expr {
        let needed: usize = members.iter().map(|member| locals(&member.node)).sum();
        if self.live + needed > CROWDED {
            return self.members_in_steps(members, what, frame, out);
        }
        let entries = members
            .iter()
            .map(|member| {
                let what = format!("{what}.{}", member.name);
                Entry::Named(member.name.clone(), self.node(&member.node, &what, frame, out))
            })
            .collect();
        Expr::Table(entries)
    }

    fn members_in_steps(
        &mut self,
        members: &[Member],
        what: &str,
        frame: &mut Frame,
        out: &mut Block,
    ) -> Expr {
        // What outlives a member's scope is declared ahead.
        match &mut frame.bits {
            BitSource::Bytes(bytes) => {
                for byte in bytes.iter_mut().filter(|byte| byte.is_none()) {
                    let local = self.names.fresh("Bits");
                    out.local(&local, num(0));
                    *byte = Some(local);
                }
            }
            BitSource::Run(run) if run.total > 1 && !run.declared => {
                out.local(&run.chunk, num(0));
                run.declared = true;
            }
            BitSource::Run(_) => {}
        }
        let table = self.names.fresh(what.rsplit('.').next().unwrap_or(what));
        out.local_typed(&table, ty("any"), Expr::Table(Vec::new()));
        self.live += 1;
        for member in members {
            let what = format!("{what}.{}", member.name);
            let live = self.live;
            let mut body = Block::new();
            let value = self.node(&member.node, &what, frame, &mut body);
            body.assign(field(name(&table), member.name.as_str()), value);
            self.live = live;
            if body.locals_from(0) == 0 {
                out.append(body)
            } else {
                out.scope(body)
            };
        }
        name(table)
    }

    /// A plain block inside another. Gives the value, unless it was put into `target` already.
    fn plain(
        &mut self,
        block: &WireBlock,
        what: &str,
        out: &mut Block,
        target: Option<(&str, &LuauType)>,
    ) -> Option<Expr> {
        let base = if block.tail {
            let base = self.names.fresh("Base");
            out.local(&base, name("Cursor"));
            out.bump(name("Cursor"), num(block.head));
            name(base)
        } else {
            name("Cursor")
        };
        let mut frame = self.open(block, base, 0, out);
        self.live += 2 + block.bit_bytes.len();
        let value = self.node(&block.body, what, &mut frame, out);
        if block.tail || block.head == 0 {
            return Some(value);
        }
        match target {
            Some((target, ty)) => {
                assign_present(out, target, ty, value);
                out.bump(name("Cursor"), num(block.head));
                None
            }
            None => {
                let value = self.settle(value, what, out);
                out.bump(name("Cursor"), num(block.head));
                Some(value)
            }
        }
    }

    fn tagged(
        &mut self,
        tagged: &TaggedEnum,
        node: &Node,
        what: &str,
        frame: &mut Frame,
        out: &mut Block,
    ) -> Expr {
        let code = self.names.fresh("Code");
        let value = self.bits(&tagged.bits, frame, out);
        out.local(&code, value);
        let local = self.names.fresh(what.rsplit('.').next().unwrap_or(what));
        let kind = types::of_node(self.cx.schema, node);
        out.declare(&local, kind.clone());
        let mut bodies = Vec::new();
        for variant in &tagged.variants {
            let mut body = Block::new();
            let block = &variant.block;
            let what = format!("{what}.{}", variant.name);
            let base = if block.tail {
                let base = self.names.fresh("Base");
                body.local(&base, name("Cursor"));
                body.bump(name("Cursor"), num(block.head));
                name(base)
            } else {
                name("Cursor")
            };
            let mut frame = self.open(block, base, 0, &mut body);
            let live = self.live;
            self.live += 3 + block.bit_bytes.len();
            let tag = text(variant.name.as_str());
            let mut entries = vec![Entry::Named(tagged.tag.clone(), tag.clone())];
            if let Shape::Struct(members) = &block.body.shape {
                match self.members(members, &what, &mut frame, &mut body) {
                    Expr::Table(own) => {
                        entries.extend(own);
                        body.assign(name(&local), cast(Expr::Table(entries), kind.clone()));
                    }
                    table => {
                        body.assign(field(table.clone(), tagged.tag.as_str()), tag);
                        body.assign(name(&local), table);
                    }
                }
            }
            self.live = live;
            if !block.tail {
                body.bump(name("Cursor"), num(block.head));
            }
            bodies.push(body);
        }
        let full = bodies.len() == 1 << tagged.bits.width;
        branch(&code, 0, &bodies, full, &format!("{what}: no variant has this index"), out);
        name(local)
    }

    fn slot(&mut self, what: &str, out: &mut Block) -> String {
        let local = self.names.fresh(what.rsplit('.').next().unwrap_or(what));
        out.bump(name("Slot"), num(1));
        out.local_typed(&local, ty("any"), index(name("Instances"), name("Slot")));
        local
    }

    fn instance(&mut self, class: Option<&str>, optional: bool, what: &str, out: &mut Block) -> Expr {
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

    fn array(&mut self, array: &Array, node: &Node, what: &str, frame: &mut Frame, out: &mut Block) -> Expr {
        let count = self.length(&array.length, what, frame, out);
        self.repetitions(&array.room, &count, what, out);
        let block = &array.block;
        let mut run = None;
        if block.run_bits > 0 {
            let at = self.names.fresh("RunAt");
            out.local(&at, name("Cursor"));
            out.bump(name("Cursor"), run_bytes(&count, block.run_bits));
            let pool = self.names.fresh("Pool");
            let weight = self.names.fresh("Weight");
            let start = if block.run_bits == 1 { 128 } else { 1 };
            out.push(Stat::Local(vec![bare(&pool), bare(&weight)], vec![num(0), num(start)]));
            run = Some(Run {
                total: block.run_bits,
                first: 0,
                last: 0,
                ends: chunks(&block.body),
                chunk: self.names.fresh("Bits"),
                declared: false,
                pool,
                weight,
                at,
            });
        }
        let head = if block.tail && block.head > 0 {
            let head = self.names.fresh("Head");
            out.local(&head, name("Cursor"));
            out.bump(name("Cursor"), mul(count.clone(), num(block.head)));
            name(head)
        } else {
            name("Cursor")
        };

        let list = self.names.fresh(what.rsplit('.').next().unwrap_or(what));
        let kind = types::of_node(self.cx.schema, node);
        out.local(&list, cast(call("table.create", [count.clone()]), kind));
        let place = self.names.fresh("Position");
        let mut body = Block::new();
        let mut element = match run {
            Some(run) => {
                run.fill(&mut body);
                Frame { base: head.clone(), shift: 0, bits: BitSource::Run(run) }
            }
            None => self.open(block, head.clone(), 0, &mut body),
        };
        // The list and its count, the loop, the run.
        self.live += 12 + block.bit_bytes.len();
        let value = self.node(&block.body, &format!("{what}.Element"), &mut element, &mut body);
        body.assign(index(name(&list), name(&place)), value);
        body.bump(head, num(block.head));
        out.push(Stat::Count(place, num(1), count, None, body));
        name(list)
    }

    fn booleans(&mut self, list: &Booleans, what: &str, frame: &mut Frame, out: &mut Block) -> Expr {
        let count = self.length(&list.length, what, frame, out);
        let packed = packed_bytes(&count);
        let at = frame.at(list.place);
        if list.place == Place::Append {
            self.room(packed.clone(), what, out);
        } else if count != Expr::Number(0.0) {
            let left = sub(call("buffer.len", [name("Buffer")]), at.clone());
            out.when(gt(packed.clone(), left), fail(format!("{what}: more than the packet holds")));
        }
        let read = self.cx.boolean_reader();
        let local = self.names.fresh(what.rsplit('.').next().unwrap_or(what));
        out.local(&local, apply(read, [name("Buffer"), at, count]));
        if list.place == Place::Append {
            out.bump(name("Cursor"), packed);
        }
        name(local)
    }

    fn map(&mut self, map: &Map, node: &Node, what: &str, frame: &mut Frame, out: &mut Block) -> Expr {
        let count = self.names.fresh("Count");
        out.local(&count, get("readu16", frame.at(map.place)));
        if map.place == Place::Append {
            out.bump(name("Cursor"), num(2));
        }
        self.repetitions(&map.room, &name(&count), what, out);
        let table = self.names.fresh(what.rsplit('.').next().unwrap_or(what));
        out.local_typed(&table, types::of_node(self.cx.schema, node), Expr::Table(Vec::new()));
        let Shape::Entry(pair) = &map.entry.body.shape else { unreachable!("a map's block holds an entry") };
        let [key, item] = pair.as_ref();
        let mut body = Block::new();
        let mut entry = Frame {
            base: name("Cursor"),
            shift: 0,
            bits: BitSource::Bytes(vec![None; map.entry.bit_bytes.len()]),
        };
        self.live += 12;
        let key_value = self.node(key, &format!("{what}.Key"), &mut entry, &mut body);
        let key_value = self.settle(key_value, "Key", &mut body);
        let item_value = self.node(item, &format!("{what}.Value"), &mut entry, &mut body);
        match &key.shape {
            Shape::Instance { .. } | Shape::Unknown => {
                let store = block(|b| _ = b.assign(index(name(&table), key_value.clone()), item_value));
                body.when(ne(key_value, Expr::Nil), store);
            }
            Shape::Number(number) => {
                if can_be_nan(number) {
                    body.when(
                        ne(key_value.clone(), key_value.clone()),
                        fail(format!("{what}: a key is not a number")),
                    );
                }
                body.assign(index(name(&table), key_value), item_value);
            }
            _ => {
                body.assign(index(name(&table), key_value), item_value);
            }
        }
        let place = self.names.fresh("Position");
        out.push(Stat::Count(place, num(1), name(count), None, body));
        name(table)
    }
}

/// Opens a bit byte at the cursor.
fn open_byte(names: &mut Names, byte: &mut Option<String>, out: &mut Block) {
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

/// About how many locals reading a node leaves in scope.
fn locals(node: &Node) -> usize {
    match &node.shape {
        Shape::Struct(members) | Shape::Pack(members) => {
            members.iter().map(|member| locals(&member.node)).sum()
        }
        Shape::Number(number) => {
            let appended = matches!(
                number.carrier,
                Carrier::Integer { place: Place::Append, .. } | Carrier::Float { place: Place::Append, .. }
            );
            let bits = matches!(number.carrier, Carrier::Small { .. });
            usize::from(number.receipt.is_some() || appended || bits)
        }
        Shape::Boolean(bits) => usize::from(matches!(bits.place, BitPlace::Run { .. })),
        Shape::Vector(vector) => usize::from(vector.magnitude.is_some() || vector.place == Place::Append),
        Shape::Optional { .. } | Shape::Instance { .. } | Shape::Unknown => 1,
        Shape::CFrame(_) | Shape::EnumItem { .. } => 1,
        Shape::Bytes(_)
        | Shape::Booleans(_)
        | Shape::Roblox { .. }
        | Shape::UnitEnum { .. }
        | Shape::TaggedEnum(_) => 2,
        Shape::Map(_) => 3,
        Shape::Set(set) => set.groups.len(),
        Shape::Array(_) => 6,
        Shape::Entry(pair) => pair.iter().map(locals).sum(),
    }
}

fn can_be_nan(number: &Number) -> bool {
    matches!(number.carrier, Carrier::Float { .. })
        && !number.receipt.is_some_and(|bounds: Bounds| bounds.nan)
}

fn extract(local: &str, bit: u32, width: u8) -> Expr {
    call("bit32.extract", [name(local), num(bit), num(width)])
}

/// Runs the body of the index that `code` holds: a chain of up to six, halves beyond. Without `full`, an index past the
/// last fails.
fn branch(code: &str, first: usize, bodies: &[Block], full: bool, message: &str, out: &mut Block) {
    if bodies.len() > 6 {
        let middle = bodies.len() / 2;
        let mut low = Block::new();
        branch(code, first, &bodies[..middle], true, message, &mut low);
        let mut high = Block::new();
        branch(code, first + middle, &bodies[middle..], full, message, &mut high);
        out.when_else(lt(name(code), size((first + middle) as u64)), low, high);
        return;
    }
    let mut arms: Vec<(Expr, Block)> = bodies
        .iter()
        .enumerate()
        .map(|(place, body)| (eq(name(code), size((first + place) as u64)), body.clone()))
        .collect();
    if full {
        let Some((_, last)) = arms.pop() else { return };
        if arms.is_empty() {
            out.append(last);
        } else {
            out.push(Stat::If(arms, Some(last)));
        }
    } else {
        out.push(Stat::If(arms, Some(fail(message.to_owned()))));
    }
}

/// Ends of the groups of an element's bits that are taken out of the pool together, each at the end of a bit item.
fn chunks(body: &Node) -> Vec<u32> {
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

impl Run {
    fn none() -> Run {
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
    fn fill(&self, out: &mut Block) {
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
    fn reach(&mut self, position: u32, width: u32, out: &mut Block) {
        if position + width <= self.last {
            return;
        }
        let is_first = self.last == 0;
        let end = self.ends.iter().copied().find(|end| *end >= position + width).unwrap_or(self.total);
        let taken = end - position;
        let span = Expr::Number(f64::from(taken).exp2());
        let more = block(|b| {
            b.bump(name(&self.pool), mul(get("readu8", name(&self.at)), name(&self.weight)));
            b.push(Stat::Compound(name(&self.weight), BinaryOp::Mul, num(256)));
            b.bump(name(&self.at), num(1));
        });
        let short = lt(name(&self.weight), span.clone());
        if taken <= 8 {
            out.when(short, more);
        } else {
            out.push(Stat::While(short, more));
        }
        let bits = binary(name(&self.pool), BinaryOp::Mod, span.clone());
        if is_first && !self.declared {
            out.local(&self.chunk, bits);
            self.declared = true;
        } else {
            out.assign(name(&self.chunk), bits);
        }
        out.push(Stat::Compound(name(&self.pool), BinaryOp::FloorDiv, span.clone()));
        out.push(Stat::Compound(name(&self.weight), BinaryOp::Div, span));
        self.first = position;
        self.last = end;
    }
}

/// Puts a value that is present into the local of an optional type.
fn assign_present(out: &mut Block, local: &str, optional: &LuauType, value: Expr) {
    // The checker can infer only so much in a module, and a table put into a union is some of it: its type is said.
    let value = match (value, optional) {
        (table @ Expr::Table(_), LuauType::Optional(inner)) => cast(table, (**inner).clone()),
        (value, _) => value,
    };
    out.assign(name(local), value);
}
