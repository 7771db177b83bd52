//! What repeats: arrays, packed booleans and maps.

use super::super::ast::*;
use super::bits::{BitSink, Frame, Run, flush_run};
use super::room::{is_small, sequential_cover, tail_cover};
use super::{Writer, block_of, put};
use crate::wire::plan::{Array, Booleans, Map, Node, Place, Prefix, Shape};

impl Writer<'_, '_> {
    pub(super) fn array(
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
            if block.run_bits != 8 {
                out.push(Stat::Local(vec![bare(&pool), bare(&weight)], vec![num(0), num(1)]));
            }
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
        out.push(count_loop(index_name, num(1), count, body));
        if let Some(run) = run.filter(|run| run.total != 8) {
            let rest = block_of(|b| put("writeu8", name(&run.at), name(&run.pool), b));
            out.when(gt(name(&run.weight), num(1)), rest);
        }
        (self.covered, self.rest) = was;
    }

    pub(super) fn booleans(
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

    pub(super) fn map(&mut self, map: &Map, value: Expr, what: &str, frame: &mut Frame, out: &mut Block) {
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
        out.push(each_loop(vec![key_name, item_name], vec![value], body));
        self.refuse(gt(name(&count), num(65535)), &format!("{what} has more than 65535 entries"), out);
        put("writeu16", count_at, name(&count), out);
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
    if bits.is_multiple_of(8) {
        return mul(count.clone(), num(bits / 8));
    }
    packed_bytes(&mul(count.clone(), num(bits)))
}
