//! What repeats: arrays, packed booleans and maps.

use super::super::ast::*;
use super::super::types;
use super::super::write::{packed_bytes, run_bytes};
use super::bits::{BitSource, Frame, Run, chunks};
use super::scalars::can_be_nan;
use super::{Reader, fail, get};
use crate::wire::plan::{Array, Booleans, Map, Node, Place, Room, Shape};

impl Reader<'_, '_> {
    pub(super) fn repetitions(&mut self, room: &Room, count: &Expr, what: &str, out: &mut Block) {
        if *count == Expr::Number(0.0) {
            return;
        }
        if room.bytes > 0 || room.bits > 0 {
            let needed = add(mul(count.clone(), size(room.bytes)), run_bytes(count, room.bits));
            self.room(needed, what, out);
        }
        if room.slots > 0 && room.bytes == 0 && self.cx.is_server() {
            let left = sub(num(self.cx.options.max_instances_per_packet), name("Slot"));
            out.when(
                gt(mul(count.clone(), size(room.slots)), left),
                fail(format!("{what}: more than the packet holds")),
            );
        }
    }

    pub(super) fn array(
        &mut self,
        array: &Array,
        node: &Node,
        what: &str,
        frame: &mut Frame,
        out: &mut Block,
    ) -> Expr {
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
            if block.run_bits != 8 {
                out.push(Stat::Local(vec![bare(&pool), bare(&weight)], vec![num(0), num(start)]));
            }
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
        out.push(count_loop(place, num(1), count, body));
        name(list)
    }

    pub(super) fn booleans(
        &mut self,
        list: &Booleans,
        what: &str,
        frame: &mut Frame,
        out: &mut Block,
    ) -> Expr {
        let count = self.length(&list.length, what, frame, out);
        let packed = packed_bytes(&count);
        let at = frame.at(list.place);
        if list.place == Place::Append {
            self.room(packed.clone(), what, out);
        } else if count != Expr::Number(0.0) {
            self.cx.asks_end = true;
            let left = sub(name("End"), at.clone());
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

    pub(super) fn map(
        &mut self,
        map: &Map,
        node: &Node,
        what: &str,
        frame: &mut Frame,
        out: &mut Block,
    ) -> Expr {
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
        out.push(count_loop(place, num(1), name(count), body));
        name(table)
    }
}
