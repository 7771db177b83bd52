//! The server module.

use super::ast::*;
use super::channels::Channels;
use super::context::{Context, OUTGOING};
use super::entity::Authority;
use super::functions::{self, FunctionInfo};
use super::module::{self, EventInfo, Live, Own, State, events, member};
use super::receive::Inbound;
use super::states::StateInfo;
use super::tables::Tables;
use super::{lobby, net, print, rate, send, session, snapshot, states, tables, traffic};
use crate::schema::{Options, Schema, Side};
use crate::wire::Wire;

const BATCHED: &str = "ServerGather";
const IMMEDIATE: &str = "ServerUnreliable";

/// Text of the server module.
pub fn emit(schema: &Schema, wire: &Wire) -> String {
    let cx = &mut Context::new(schema, Side::Server);
    let options = &schema.options;
    let all = events(schema, wire);
    cx.charges_in_place = all.iter().filter(|info| info.event.rate.is_some()).count() <= rate::MOST;
    let expected: usize = all.iter().map(|info| expected_state(info)).sum();
    let mut functions = functions::functions(schema, wire);
    let bytes = module::expected_bytes(schema, all.len() + functions.len());
    let checked = Options { write_validations: true, ..options.clone() };
    let mut live = Live { states: states::states(schema, wire), tables: tables::tables(schema, wire) };
    let expected = expected + live.states.len() + live.tables.len();
    let mut state = State::new(expected + functions.len() * functions::STATE);
    let mut code = Block::new();

    let mut inbound = Vec::new();
    let mut streams: Vec<(EventInfo, Expr)> = Vec::new();
    let mut outgoing = Vec::new();
    for info in all {
        if info.event.from == Side::Client {
            inbound.push(Inbound::declare(cx, info, &mut state));
        } else if info.event.stream.is_some() {
            let object = declare_stream(cx, &info, &mut state);
            streams.push((info, object));
        } else {
            let entries = send::server(cx, &info, &mut state);
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
    let mut channels = Channels::new(cx, &mut inbound, &functions, &live.states);
    code.append(std::mem::take(&mut channels.code));
    let authority = Authority::new(schema, wire);
    let entities = authority.code(cx, &checked);
    let (step, steps) = step(cx, &streams, &authority, &live.states, &rows);
    code.append(start(cx, &channels, &authority, &rows, steps));
    let mut more: Vec<Expr> = session::drop(cx).into_iter().collect();
    more.extend(live.states.iter().map(StateInfo::drop));
    more.extend(rows.drops(cx));
    more.extend(authority.drops(cx));
    more.extend(cx.lanes.drop(cx));
    let forget = forget(cx, &inbound, &streams, &functions, more);
    code.append(forget);

    let members = {
        let inbound = &inbound;
        let streams = &streams;
        let outgoing = &mut outgoing;
        let own = &mut |cx: &mut Context, own: Own| -> Vec<Entry> {
            let event = match own {
                Own::Entity(entity) => return authority.members(cx, entity),
                Own::Event(event) => event,
            };
            if let Some(found) = inbound.iter().find(|found| found.info.event.path == event.path) {
                return found.members(cx);
            }
            if let Some((info, object)) = streams.iter().find(|(info, _)| info.event.path == event.path) {
                return stream_members(cx, info, object);
            }
            let found = outgoing.iter_mut().find(|(info, _)| info.event.path == event.path);
            found.map(|(_, entries)| std::mem::take(entries)).unwrap_or_default()
        };
        let mut entries = authority.module_members(cx);
        entries.extend(module::members(cx, wire, &schema.root, own, &functions, &live));
        entries
    };
    let table = net::table(cx, &rows, members);

    let mut tail = Block::new();
    tail.local("Net", table);
    tail.blank();
    tail.append(net::edit_mode(cx, &functions));
    let wrong_side = cx.runtime("Messages", "wrongSide");
    let refuse = block(|b| _ = b.call("error", [apply(wrong_side, [text("server")]), num(0)]));
    tail.when(not(method(name("RunService"), "IsServer", [])), refuse);
    tail.append(leaving(cx));
    session::announce(cx, &mut tail);
    if options.auto_start {
        tail.call("Start", []);
    }
    tail.ret([name("Net")]);

    let traffic = traffic::foundations(cx);
    let foundations = rows.foundations(cx);
    let mut batches = Block::new();
    if cx.uses.has_reliable_batch() {
        batches.local("Ready", cx.runtime("ServerBatch", "ready"));
    }
    if cx.uses.reliable {
        batches.append(send::to_everyone(cx));
    }
    traffic::declare_present(cx, &mut batches);
    let mut services = vec!["Players", "RunService"];
    let needs_clock = !authority.is_empty()
        || !streams.is_empty()
        || inbound.iter().any(|event| event.info.event.stamp.is_some());
    if functions::needs_storage(cx, &functions) {
        services.insert(1, "ReplicatedStorage");
    }
    if needs_clock {
        services.push("Workspace");
    }
    let mut file = module::opening(cx, &wire.signature, &services);
    if inbound.iter().any(|event| event.info.is_polled(options.use_polling)) {
        let rows = mul(num(256), call("math.max", [path("Players.MaxPlayers"), num(1)]));
        file.local("PollCapacity", rows);
    }
    if cx.uses.shared_streams {
        let create = LuauType::Typeof(Box::new(call("Batch.create", [])));
        file.local_typed("DueStates", array(create), Expr::Table(Vec::new()));
    }
    if cx.asks_metatables {
        file.append(snapshot::foundations());
    }
    file.append(batches);
    file.append(traffic);
    file.append(functions::foundations(cx, &functions));
    file.append(state.block);
    file.blank();
    file.append(foundations);
    file.append(entities);
    file.append(step);
    file.append(code);
    file.append(tail);
    print::print_expecting(&file, bytes)
}

/// Pieces of state an event takes at most.
fn expected_state(info: &EventInfo) -> usize {
    match info.event.from {
        // Listeners, the one there is, order, rate, counts.
        Side::Client => 5,
        // A writer, a packet or a stream with its batch, numbers, counts.
        Side::Server => 4,
    }
}

fn declare_stream(cx: &mut Context, info: &EventInfo, state: &mut State) -> Expr {
    let Some(stream) = info.event.stream else { return Expr::Nil };
    let transmit = send::stream(cx, info, state);
    let same = snapshot::same(cx, &info.wire.item.payload.block.body, stream.epsilon);
    let settings = vec![
        Entry::Named("name".into(), text(info.event.name.as_str())),
        Entry::Named("interval".into(), num(1.0 / stream.rate)),
        Entry::Named("fastInterval".into(), num(1.0 / stream.fast.unwrap_or(stream.rate))),
        Entry::Named("keepalive".into(), num(stream.keepalive)),
        Entry::Named("same".into(), same),
    ];
    let mut args = vec![Expr::Table(settings), transmit];
    if stream.per_player && traffic::is_low(cx, info) {
        args.push(path("Budget.isSpent"));
    }
    let create = cx.runtime("Stream", if stream.per_player { "forPlayers" } else { "forEveryone" });
    state.declare(&format!("{}Stream", info.key), None, apply(create, args))
}

fn stream_members(cx: &Context, info: &EventInfo, object: &Expr) -> Vec<Entry> {
    let casing = cx.options.casing;
    let per_player = info.event.stream.is_some_and(|stream| stream.per_player);
    let value = info.declared(cx.schema).into_iter().next().map_or_else(|| ty("any"), |(_, ty)| ty);
    let entry = |pascal: &str, own: &str, extra: Option<(&str, LuauType)>| {
        let mut params = Vec::new();
        if per_player {
            params.push((Some("Player".to_owned()), ty("Player")));
        }
        params.extend(extra.map(|(name, ty)| (Some(name.to_owned()), ty)));
        // The member itself and no function around it: its errors name the line that called it.
        let function = cast(field(object.clone(), own), LuauType::Function(params, Vec::new()));
        Entry::Named(member(casing, pascal), function)
    };
    vec![
        entry("Set", "set", Some(("Value", value))),
        entry("Clear", "clear", None),
        entry("Urgent", "urgent", None),
        entry("SetFast", "setFast", Some(("Fast", ty("boolean")))),
    ]
}

/// `StepReplication`, and whether there is anything for it to do.
fn step(
    cx: &mut Context,
    streams: &[(EventInfo, Expr)],
    authority: &Authority,
    states: &[StateInfo],
    rows: &Tables,
) -> (Block, bool) {
    let mut out = Block::new();
    traffic::declare_remotes(cx, &mut out);
    cx.lanes.declare(cx, &mut out);
    let deferred = !cx.options.auto_start;
    if deferred {
        out.local("IsStarted", Expr::Bool(false));
    }
    let is_timed = !streams.is_empty() || !authority.is_empty();
    if is_timed {
        out.local("SteppedAt", call("os.clock", []));
    }
    out.blank();

    let mut body = Block::new();
    if is_timed {
        body.local("Now", call("os.clock", []));
        body.local("Delta", sub_names("Now", "SteppedAt"));
        body.assign(name("SteppedAt"), name("Now"));
        let per_player = |info: &EventInfo| info.event.stream.is_some_and(|stream| stream.per_player);
        let (own, shared): (Vec<_>, Vec<_>) = streams.iter().partition(|(info, _)| per_player(info));
        for (_, object) in shared.iter().chain(&own) {
            body.push(Stat::Call(apply(field(object.clone(), "step"), [name("Delta")])));
        }
    }
    if cx.uses.reliable {
        // States are written behind what is in the batch to everyone, and the flush sends it all.
        body.assign(field(name(OUTGOING.table), "cursor"), name(OUTGOING.cursor));
    }
    states.iter().for_each(|info| _ = body.push(info.step()));
    authority.step(cx, &mut body);
    cx.lanes.flush(cx, &mut body);
    if cx.uses.shared_streams {
        let flush = cx.runtime(BATCHED, "flushStates");
        let limit = num(cx.options.max_unreliable_size);
        body.push(Stat::Call(apply(flush, [name("Unreliable"), name("DueStates"), limit])));
    } else if cx.uses.gathers(cx.options) {
        let flush = cx.runtime(BATCHED, "flush");
        body.push(Stat::Call(apply(flush, [name("Unreliable")])));
    }
    if cx.uses.has_reliable_batch() {
        let flush = cx.runtime("ServerBatch", "flush");
        body.push(Stat::Call(apply(flush, [name("Reliable")])));
    }
    if cx.uses.reliable {
        body.push(send::take_back(num(0)));
    }
    states.iter().filter_map(StateInfo::deliver).for_each(|deliver| _ = body.push(deliver));
    rows.flush(cx, &mut body);
    let has_work = !body.is_empty();
    if deferred && has_work {
        let not_started = block(|b| _ = b.ret([]));
        let mut guarded = block(|b| _ = b.when(not(name("IsStarted")), not_started));
        guarded.append(body);
        body = guarded;
    }
    out.function("StepReplication", Function::new(Vec::new(), body));
    out.blank();
    (out, has_work)
}

fn sub_names(left: &str, right: &str) -> Expr {
    binary(name(left), BinaryOp::Sub, name(right))
}

/// `Start`: remotes, then connections.
fn start(cx: &mut Context, channels: &Channels, authority: &Authority, rows: &Tables, steps: bool) -> Block {
    let options = cx.options;
    let inbound = cx.runtime_function("Inbound");
    let mut out = Block::new();
    let limits = Expr::Table(vec![
        Entry::Named("size".into(), num(options.max_packet_size)),
        Entry::Named("slots".into(), num(options.max_instances_per_packet)),
        Entry::Named("rate".into(), num(options.inbound_bytes_per_second)),
        Entry::Named("burst".into(), num(options.inbound_burst)),
    ]);
    out.local("Gate", session::guard(cx, apply(inbound, [limits])));
    out.blank();

    let mut body = Block::new();
    if !options.auto_start {
        let again = block(|b| _ = b.ret([]));
        body.when(name("IsStarted"), again);
    }
    let mut args = vec![name("BASE"), name("SIGNATURE")];
    let place = if let Some(folder) = &options.remotes_folder {
        args.push(text(folder.as_str()));
        "inFolder"
    } else {
        "inStorage"
    };
    let found = apply(cx.runtime("ServerRemotes", place), args);
    let signals = traffic::take_remotes(cx, found, &mut body);
    session::clock(cx, !authority.is_empty(), signals[0], &mut body);
    if !options.auto_start {
        body.assign(name("IsStarted"), Expr::Bool(true));
    }
    if cx.uses.sends_at_once(cx.options) {
        let begin = cx.runtime(IMMEDIATE, "start");
        body.push(Stat::Call(apply(begin, [name("Unreliable")])));
    }
    if cx.uses.states {
        let begin = cx.runtime("ServerState", "start");
        body.push(Stat::Call(apply(begin, [name("Reliable")])));
    }
    cx.lanes.connect(cx, signals[0], &mut body);
    channels.connect(cx, signals, &mut body);
    rows.connect(cx, signals[0], &mut body);
    authority.start(cx, signals[0], &mut body);
    lobby::start(cx, signals[0], &mut body);
    cx.lanes.greet(cx, &mut body);
    session::start(cx, signals, &mut body);
    if let Some(beat) = beat(cx, steps && !cx.options.manual_replication) {
        let heartbeat = path("RunService.Heartbeat");
        body.push(Stat::Call(method(heartbeat, "Connect", [beat])));
    }
    out.function("Start", Function::new(Vec::new(), body));
    out.blank();
    out
}

/// What a frame does: what a session has to do, then the flush if it is to.
fn beat(cx: &mut Context, flushes: bool) -> Option<Expr> {
    let mut body = Block::new();
    session::step(cx, &mut body);
    lobby::step(cx, &mut body);
    match (body.is_empty(), flushes) {
        (true, false) => None,
        (true, true) => Some(name("StepReplication")),
        (false, flushes) => {
            if flushes {
                body.call("StepReplication", []);
            }
            Some(lambda(Function { params: Vec::new(), varargs: None, returns: None, body }))
        }
    }
}

/// `Forget`: everything held for a player who is leaving.
fn forget(
    cx: &mut Context,
    inbound: &[Inbound],
    streams: &[(EventInfo, Expr)],
    functions: &[FunctionInfo],
    more: Vec<Expr>,
) -> Block {
    let mut body = Block::new();
    let mut drops = vec![path("Gate.drop"), cx.runtime("Throttle", "drop")];
    if cx.uses.has_reliable_batch() {
        drops.push(cx.runtime("ServerBatch", "drop"));
    }
    if cx.uses.sends_at_once(cx.options) {
        drops.push(cx.runtime(IMMEDIATE, "drop"));
    }
    if cx.uses.gathers(cx.options) {
        drops.push(cx.runtime(BATCHED, "drop"));
    }
    if inbound.iter().any(|event| event.info.is_ordered()) {
        drops.push(cx.runtime("Orders", "drop"));
    }
    drops.extend(inbound.iter().filter_map(Inbound::drop));
    for (info, object) in streams {
        if info.event.stream.is_some_and(|stream| stream.per_player) {
            drops.push(field(object.clone(), "drop"));
        }
    }
    if traffic::has_budget(cx) {
        drops.push(path("Budget.drop"));
    }
    drops.extend(functions.iter().flat_map(FunctionInfo::drops));
    if cx.uses.calls {
        drops.push(path("OpenCalls.sweep"));
    }
    drops.extend(more);
    for drop in drops {
        body.push(Stat::Call(apply(drop, [name("Player")])));
    }
    if cx.counts_players {
        body.call("CountPlayers", []);
    }
    block(|b| {
        b.comment("Drops everything held for a player who is leaving.");
        // Whoever connects it to a signal of any child gives it an Instance.
        b.function("Forget", Function::new(vec![param("Player", ty("any"))], body));
        b.blank();
    })
}

/// Connections that forget a player: as they leave, and once they are gone, for what was made in between. A call made
/// in between is left to its timer.
fn leaving(cx: &Context) -> Block {
    let connect = |signal: &str, handler: Expr| Stat::Call(method(path(signal), "Connect", [handler]));
    block(|b| {
        if cx.counts_players {
            b.push(connect("Players.PlayerAdded", name("CountPlayers")));
            b.call("CountPlayers", []);
        }
        if cx.uses.calls {
            b.push(connect("Players.PlayerRemoving", path("OpenCalls.drop")));
        }
        b.push(connect("Players.PlayerRemoving", name("Forget")));
        b.push(connect("Players.ChildRemoved", name("Forget")));
    })
}
