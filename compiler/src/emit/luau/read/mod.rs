//! Statements that read a payload, from its wire plan.
//!
//! Every check is made before what it guards: a count against its bounds and the bytes left before anything is
//! allocated for it. What needs no check becomes an expression and is read where its table is built. A read past the
//! end throws by itself.
//!
//! Locals it relies on: `Buffer`, `End` (its length) and `Cursor`, and `Instances`, `Slot` and `Missing` when the payload has slots.

mod bits;
mod lists;
mod scalars;

use super::ast::*;
use super::context::{Context, Names};
use super::number::{self, hold, outside};
use super::types;
use crate::wire::plan::{
    BitPlace, Block as WireBlock, Carrier, Member, Node, Place, Plan, Shape, TaggedEnum,
};

use bits::{BitSource, Frame};

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

/// Reads a table's column, which begins at `Cursor`, and gives the list it is.
pub fn column(cx: &mut Context, names: &mut Names, plan: &Plan, what: &str, out: &mut Block) -> Expr {
    let mut reader = Reader { cx, names, live: 16 };
    let mut frame = reader.open(&plan.block, name("Cursor"), 0, out);
    match &plan.block.body.shape {
        Shape::Pack(members) => members.first().map_or(Expr::Nil, |member| {
            reader.node(&member.node, &format!("{what}.{}", member.name), &mut frame, out)
        }),
        _ => reader.node(&plan.block.body, what, &mut frame, out),
    }
}

/// The body of a function of its own that reads: `build` gives its statements, in front of which `End` is declared when they
/// ask for it. The readers of packets have it anyway.
pub fn alone(cx: &mut Context, build: impl FnOnce(&mut Context, &mut Block)) -> Block {
    let before = std::mem::take(&mut cx.asks_end);
    let mut body = Block::new();
    build(cx, &mut body);
    let asked = std::mem::replace(&mut cx.asks_end, before);
    if !asked {
        return body;
    }
    block(|b| {
        b.local("End", call("buffer.len", [name("Buffer")]));
        b.append(body);
    })
}

/// Reads values of a payload now, each into a local under the name and of the type that go with it; what needs no
/// reading stays as it is.
pub fn held(
    names: &mut Names,
    values: Vec<Expr>,
    kinds: Vec<(String, LuauType)>,
    out: &mut Block,
) -> Vec<Expr> {
    let hold = |(value, (hint, kind)): (Expr, (String, LuauType))| {
        if matches!(value, Expr::Name(_) | Expr::Number(_) | Expr::Nil) {
            return value;
        }
        let local = names.fresh(&hint);
        keep(&local, kind, value, out);
        name(local)
    };
    values.into_iter().zip(kinds).map(hold).collect()
}

/// Puts what was read into a new local of the type `kind`.
///
/// What a call gives is not annotated: the checker knows what the function returns. The local's register holds the table
/// that the function is taken from before it holds the value, and machine code believes the annotation for all of that
/// time: as a vector, the table sends the rest of the function back to the interpreter.
pub fn keep(local: &str, kind: LuauType, value: Expr, out: &mut Block) {
    if matches!(value, Expr::Call(..)) {
        out.local(local, value);
    } else {
        out.local_typed(local, kind, value);
    }
}

struct Reader<'r, 'a> {
    cx: &'r mut Context<'a>,
    names: &'r mut Names,
    /// About how many locals are in scope.
    live: usize,
}

fn get(function: &str, at: Expr) -> Expr {
    call(&format!("buffer.{function}"), [name("Buffer"), at])
}

fn fail(message: String) -> Block {
    block(|b| {
        b.call("error", [text(message), num(0)]);
    })
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
        Shape::CFrame(_) | Shape::EnumItem { .. } | Shape::Entity { .. } => 1,
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

/// Puts a value that is present into the local of an optional type.
fn assign_present(out: &mut Block, local: &str, optional: &LuauType, value: Expr) {
    // The checker can infer only so much in a module, and a table put into a union is some of it: its type is said.
    let value = match (value, optional) {
        (table @ Expr::Table(_), LuauType::Optional(inner)) => cast(table, (**inner).clone()),
        (value, _) => value,
    };
    out.assign(name(local), value);
}

impl Reader<'_, '_> {
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
                let step = vector.component.size();
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
                        out.bump(name("Cursor"), num(group.kind.size()));
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
            Shape::CFrame(_) | Shape::Roblox { .. } | Shape::EnumItem { .. } | Shape::Entity { .. } => {
                super::roblox::read(self.cx, self.names, node, what, |place| frame.at(place), out)
            }
            Shape::Pack(_) | Shape::Entry(_) => {
                unreachable!("packs and entries are taken apart by their blocks")
            }
        }
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
}
