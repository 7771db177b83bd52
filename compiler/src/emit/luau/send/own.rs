//! Batches that a module keeps in locals, as every item asks where it begins: declared, filled, sent and emptied.

use super::super::ast::*;
use super::super::context::{Context, OUTGOING, OwnBatch, shared};

/// Declares where a batch's bytes are written, at first `buffer` of so many bytes, and the function that makes room.
fn in_locals(own: &OwnBatch, buffer: [Expr; 2], grown: Expr) -> Block {
    let mut grow = Block::new();
    grow.assign(name(own.buffer), grown);
    grow.assign(name(own.size), call("buffer.len", [name(own.buffer)]));
    grow.ret([name(own.buffer)]);
    let needed = vec![param("Needed", ty("number"))];
    block(|b| {
        b.push(Stat::Local([own.buffer, own.size].map(bare).to_vec(), buffer.to_vec()));
        b.function(own.grow, Function::new(needed, grow).returning(vec![ty("buffer")]));
    })
}

/// Declares a client's batch, which is cut into packets of at most so many bytes.
pub fn in_packets(cx: &mut Context, own: &OwnBatch, bytes: u32) -> Block {
    let create = cx.runtime("ClientBatch", "create");
    let split = cx.runtime("ClientBatch", "split");
    let larger = cx.runtime("Batch", "larger");
    let mut out = Block::new();
    let slots = num(cx.options.max_instances_per_packet);
    out.local(own.table, apply(create, [num(bytes), slots]));
    let size = size(shared("ClientBatch", "INITIAL"));
    let buffer = [call("buffer.create", [size.clone()]), size];
    out.append(in_locals(own, buffer, apply(larger, [name(own.buffer), name("Needed")])));
    let fill = [own.cursor, own.items, own.full];
    out.push(Stat::Local(fill.map(bare).to_vec(), vec![num(0), num(0), num(bytes)]));

    let begin = block(|b| {
        let next = apply(split, [name(own.table), name(own.cursor)]);
        b.push(Stat::Assign(vec![name(own.items), name(own.full)], vec![num(0), next]));
    });
    let split = block(|b| _ = b.when(gt(name(own.items), num(0)), begin));
    out.function(own.split, Function::new(Vec::new(), split));
    out
}

/// Declares a server's batch to everyone. Its table has all of a batch; of its cursor it is told.
pub fn to_everyone(cx: &mut Context) -> Block {
    let batch = cx.batch_type();
    let everyone = cx.runtime("ServerBatch", "everyone");
    let grow = cx.runtime("Batch", "grow");
    let mut out = Block::new();
    out.local_typed(OUTGOING.table, batch, everyone);
    let grown = apply(grow, [name(OUTGOING.table), name("Needed")]);
    out.append(in_locals(&OUTGOING, [path("Outgoing.buffer"), path("Outgoing.size")], grown));
    let places = [OUTGOING.cursor, FOLLOW_BELOW];
    out.push(Stat::Local(places.map(bare).to_vec(), vec![num(0), num(1)]));
    let watch = cx.runtime("ServerBatch", "watch");
    let body = block(|b| _ = b.assign(name(FOLLOW_BELOW), name("Place")));
    let told = Function::new(vec![param("Place", ty("number"))], body);
    out.push(Stat::Call(apply(watch, [lambda(told)])));
    out
}

/// Below which place in a server's batch to everyone an item is to be followed.
pub const FOLLOW_BELOW: &str = "FollowBelow";

/// Where a server's batch to everyone ends, for those that copy what is in it.
pub fn shared_end(cx: &Context) -> Expr {
    if cx.uses.reliable { name(OUTGOING.cursor) } else { num(0) }
}

/// Has the locals of a server's batch say what its table says.
pub fn take_back(end: Expr) -> Stat {
    Stat::Assign(
        [OUTGOING.buffer, OUTGOING.size, OUTGOING.cursor].map(name).to_vec(),
        vec![path("Outgoing.buffer"), path("Outgoing.size"), end],
    )
}

/// Sends a client's batch over `remote`, unless it is empty. It is emptied first: what the engine refuses to carry is lost,
/// and not tried again in each frame.
pub fn flush_own(cx: &mut Context, own: &OwnBatch, remote: &str, bytes: u32) -> Stat {
    let flush = cx.runtime("ClientBatch", "flush");
    let args = [name(own.table), name(remote), name(own.buffer), name("Used")];
    let send = block(|b| {
        b.local("Used", name(own.cursor));
        let emptied = [own.cursor, own.items, own.full].map(name).to_vec();
        b.push(Stat::Assign(emptied, vec![num(0), num(0), num(bytes)]));
        b.assign(name(own.buffer), apply(flush, args));
        b.assign(name(own.size), call("buffer.len", [name(own.buffer)]));
    });
    Stat::If(vec![(gt(name(own.cursor), num(0)), send)], None)
}

/// Ends an item of a client's reliable batch, which is cut into packets that the server admits.
pub fn commit_reliable(cx: &Context, end: Expr, slot: Option<Expr>, body: &mut Block) {
    let slots = slot.map(|slot| (slot, num(0)));
    commit(cx, &OUTGOING, end, slots, body);
}

/// Ends an item of a client's batch at `end`. With Instances it is told how far these reach, and how many bytes those of
/// the item count for.
pub fn commit(cx: &Context, own: &OwnBatch, end: Expr, slots: Option<(Expr, Expr)>, body: &mut Block) {
    let most = num(cx.options.max_events_per_packet);
    let bytes = match &slots {
        Some((_, bytes)) => add(end.clone(), bytes.clone()),
        None => end.clone(),
    };
    let mut full = or(ge(name(own.items), most), gt(bytes, name(own.full)));
    if let Some((slot, _)) = &slots {
        full = or(full, gt(slot.clone(), field(name(own.table), "fullSlots")));
    }
    body.when(full, block(|b| _ = b.call(own.split, [])));
    body.bump(name(own.items), num(1));
    body.assign(name(own.cursor), end);
    if let Some((slot, bytes)) = slots {
        if bytes != num(0) {
            body.push(compound(name(own.full), BinaryOp::Sub, bytes));
        }
        body.assign(field(name(own.table), "slots"), slot);
    }
}
