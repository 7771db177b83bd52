//! The client module.

use super::ast::*;
use super::channels::Channels;
use super::context::{Context, GATHERED, OUTGOING};
use super::entity::Mirrors;
use super::functions::{self, FunctionInfo};
use super::module::{self, Live, Own, State, events, member};
use super::receive::Inbound;
use super::tables::Tables;
use super::{lobby, net, print, send, session, states, tables, traffic};
use crate::schema::{Options, Schema, Side};
use crate::wire::Wire;

/// Text of the client module.
pub fn emit(schema: &Schema, wire: &Wire) -> String {
    let cx = &mut Context::new(schema, Side::Client);
    let options = &schema.options;
    let all = events(schema, wire);
    let mut functions = functions::functions(schema, wire);
    let bytes = module::expected_bytes(schema, all.len() + functions.len());
    let checked = Options { write_validations: true, ..options.clone() };
    let mut live = Live { states: states::states(schema, wire), tables: tables::tables(schema, wire) };
    let expected = all.len() * 4 + live.states.len() + live.tables.len();
    let mut state = State::new(expected + functions.len() * functions::STATE);

    let mut inbound = Vec::new();
    let mut outgoing = Vec::new();
    for info in all {
        if info.event.from == Side::Server {
            inbound.push(Inbound::declare(cx, info, &mut state));
        } else {
            let entries = send::client(cx, &info, &mut state);
            outgoing.push((info, entries));
        }
    }
    for info in &mut functions {
        info.declare(cx, &mut state);
    }
    for info in &mut live.states {
        info.declare(cx, &checked, &mut state);
    }
    for info in &mut live.tables {
        info.declare(cx, &checked, &mut state);
    }
    let rows = Tables::of(cx, &live.tables);

    let mut code = Block::new();
    let mut channels = Channels::new(cx, &mut inbound, &functions, &live.states);
    code.append(std::mem::take(&mut channels.code));
    let mirrors = Mirrors::new(schema, wire);
    let entities = mirrors.code(cx, &checked);
    let (step, steps) = step(cx, &mirrors, &rows);
    code.append(step);

    let members = {
        let (inbound, outgoing) = (&inbound, &mut outgoing);
        let own = &mut |cx: &mut Context, own: Own| -> Vec<Entry> {
            let event = match own {
                Own::Entity(entity) => return mirrors.members(cx, entity),
                Own::Event(event) => event,
            };
            if let Some(found) = inbound.iter().find(|found| found.info.event.path == event.path) {
                return found.members(cx);
            }
            let found = outgoing.iter_mut().find(|(info, _)| info.event.path == event.path);
            found.map(|(_, entries)| std::mem::take(entries)).unwrap_or_default()
        };
        let mut entries = mirrors.module_members(cx);
        entries.extend(module::members(cx, wire, &schema.root, own, &functions, &live));
        entries
    };
    let table = net::table(cx, &rows, members);

    let mut tail = Block::new();
    tail.local("Net", table);
    tail.blank();
    tail.append(net::edit_mode(cx, &functions));
    tail.append(connect(cx, &channels, &functions, &mirrors, &rows, steps));
    tail.ret([name("Net")]);

    let traffic = traffic::foundations(cx);
    let mut batches = Block::new();
    if cx.uses.has_reliable_batch() {
        batches.append(send::in_packets(cx, &OUTGOING, options.max_packet_size));
    }
    if cx.uses.gathers(options) {
        batches.append(send::in_packets(cx, &GATHERED, options.max_unreliable_size));
    }
    let mut services = vec!["RunService"];
    if functions::needs_storage(cx, &functions) {
        services.insert(0, "ReplicatedStorage");
    }
    let stamped = outgoing.iter().any(|(info, _)| info.event.stamp.is_some());
    if stamped || !mirrors.is_empty() || inbound.iter().any(|event| event.info.event.stream.is_some()) {
        services.push("Workspace");
    }
    let mut file = module::opening(cx, &wire.signature, &services);
    traffic::declare_remotes(cx, &mut file);
    cx.lanes.declare(cx, &mut file);
    let foundations = rows.foundations(cx);
    file.append(foundations);
    file.append(traffic);
    file.append(batches);
    if cx.sends_packets {
        file.local_typed("NoInstances", array(ty("any")), Expr::Table(Vec::new()));
    }
    file.append(functions::foundations(cx, &functions));
    file.append(state.block);
    file.blank();
    file.append(entities);
    file.append(code);
    file.append(tail);
    print::print_expecting(&file, bytes)
}

/// `StepReplication`, and whether there is anything for it to do.
fn step(cx: &mut Context, mirrors: &Mirrors, rows: &Tables) -> (Block, bool) {
    let mut body = Block::new();
    mirrors.step(cx, &mut body);
    cx.lanes.flush(cx, &mut body);
    let options = cx.options;
    if cx.uses.gathers(options) {
        body.push(send::flush_own(cx, &GATHERED, "Unreliable", options.max_unreliable_size));
    }
    if cx.uses.has_reliable_batch() {
        body.push(send::flush_own(cx, &OUTGOING, "Reliable", options.max_packet_size));
    }
    rows.flush(cx, &mut body);
    let has_work = !body.is_empty();
    let mut out = Block::new();
    out.function("StepReplication", Function::new(Vec::new(), body));
    out.blank();
    (out, has_work)
}

/// Waits for the remotes, checks them, and connects.
fn connect(
    cx: &mut Context,
    channels: &Channels,
    functions: &[FunctionInfo],
    mirrors: &Mirrors,
    rows: &Tables,
    steps: bool,
) -> Block {
    let options = cx.options;
    let is_client = method(name("RunService"), "IsClient", []);
    let wrong_side = cx.runtime("Messages", "wrongSide");
    let refuse = block(|b| _ = b.call("error", [apply(wrong_side, [text("client")]), num(0)]));
    let mut out = Block::new();
    out.when(not(is_client), refuse);

    let join = cx.runtime("ClientRemotes", "join");
    let timeout = options.client_connect_timeout;
    let folder = options.remotes_folder.as_deref();
    let wait = match (timeout, folder) {
        (None, None) => "wait",
        (None, Some(_)) => "waitInFolder",
        (Some(_), None) => "waitUntil",
        (Some(_), Some(_)) => "waitUntilInFolder",
    };
    let args = [Some(name("BASE")), timeout.map(num), folder.map(text)];
    out.push(Stat::Local(
        vec![bare("FoundReliable"), bare("FoundUnreliable")],
        vec![apply(cx.runtime("ClientRemotes", wait), args.into_iter().flatten())],
    ));
    if timeout.is_some() {
        let missing = or(not(name("FoundReliable")), not(name("FoundUnreliable")));
        let mut body = Block::new();
        session::unreached(cx, &mut body);
        body.append(net::return_stubs(cx, functions, true));
        out.when(missing, body);
    }
    if let Some(mismatch) = session::mismatch(cx, "FoundReliable") {
        let body = net::return_stubs(cx, functions, true);
        out.when(mismatch, body);
    }
    let args = [name("BASE"), name("FoundReliable"), name("FoundUnreliable"), name("SIGNATURE")];
    let signals = traffic::take_remotes(cx, apply(join, args), &mut out);
    if options.client_connect_timeout.is_some() {
        out.assign(field(name("Net"), member(options.casing, "Connected")), Expr::Bool(true));
    }
    cx.lanes.connect(cx, signals[0], &mut out);
    session::clock(cx, !mirrors.is_empty(), signals[0], &mut out);
    channels.connect(cx, signals, &mut out);
    rows.connect(cx, signals[0], &mut out);
    mirrors.connect(cx, signals[0], &mut out);
    lobby::start(cx, signals[0], &mut out);
    session::start(cx, signals, &mut out);
    cx.lanes.greet(cx, &mut out);
    let mut frame = Block::new();
    session::step(cx, &mut frame);
    if steps && !options.manual_replication {
        out.append(heartbeat(options.client_flush_rate, frame));
    } else if options.session {
        let step = cx.runtime("ClientSession", "step");
        out.push(Stat::Call(method(path("RunService.Heartbeat"), "Connect", [step])));
    }
    out
}

/// Flushes on Heartbeat, at most so many times a second; what a frame is over its share goes to the next. `body` is what
/// each frame does first.
fn heartbeat(rate: u32, mut body: Block) -> Block {
    let interval = 1.0 / f64::from(rate);
    body.local("Now", call("os.clock", []));
    body.bump(name("Waited"), binary(name("Now"), BinaryOp::Sub, name("BeatAt")));
    body.assign(name("BeatAt"), name("Now"));
    body.when(lt(name("Waited"), num(interval - 1e-6)), block(|b| _ = b.ret([])));
    body.push(compound(name("Waited"), BinaryOp::Sub, num(interval)));
    body.when(ge(name("Waited"), num(interval)), block(|b| _ = b.assign(name("Waited"), num(0))));
    body.call("StepReplication", []);
    block(|b| {
        b.push(Stat::Local(vec![bare("Waited"), bare("BeatAt")], vec![num(0), call("os.clock", [])]));
        let beat = Function { params: Vec::new(), varargs: None, returns: None, body };
        b.push(Stat::Call(method(path("RunService.Heartbeat"), "Connect", [lambda(beat)])));
    })
}
