//! The two channels of a module: the functions that read their packets, and the connections that call them.

use super::ast::*;
use super::context::Context;
use super::functions::FunctionInfo;
use super::lanes::Lanes;
use super::module::{dispatch, index_names};
use super::receive::Inbound;
use super::states::StateInfo;
use super::traffic;
use crate::schema::Channel;

/// Each channel, with the name of the function that reads its packets.
const CHANNELS: [(Channel, &str); 2] =
    [(Channel::Reliable, "ReadReliable"), (Channel::Unreliable, "ReadUnreliable")];

/// What reads the packets of this side.
pub struct Channels {
    /// The reading functions, and tables that name their items.
    pub code: Block,
    /// Whether anything is received, on each of [`CHANNELS`].
    reads: [bool; 2],
    /// Whether anything that is received has Instances.
    slots: bool,
    lanes: Lanes,
}

/// What is added to an index to tell items of the two channels apart.
fn offset(channel: Channel) -> Expr {
    num(if channel == Channel::Reliable { 0 } else { 256 })
}

impl Channels {
    /// Readers of every channel that this side receives anything on.
    pub fn new(
        cx: &mut Context,
        inbound: &mut [Inbound],
        functions: &[FunctionInfo],
        states: &[StateInfo],
    ) -> Channels {
        // Only clients are sent frames of states.
        let states = if cx.is_server() { &[] } else { states };
        let slots = functions.iter().any(|info| info.reads_slots(cx.side))
            || states.iter().any(StateInfo::has_slots)
            || inbound.iter().any(|event| event.info.wire.item.payload.block.size.slots > 0);
        let readers =
            CHANNELS.map(|(channel, function)| decode(cx, function, inbound, functions, states, channel));
        let reads = [readers[0].is_some(), readers[1].is_some()];
        let mut code = Block::new();
        if reads.contains(&true) {
            code.append(place(cx, slots));
        }
        for ((channel, function), reader) in CHANNELS.into_iter().zip(readers) {
            let Some(reader) = reader else { continue };
            let on_channel =
                inbound.iter().map(|event| &event.info).filter(|info| info.wire.channel == channel);
            let own = if channel == Channel::Reliable { functions } else { &[] };
            let kind = LuauType::Map(Box::new(ty("number")), Box::new(ty("string")));
            let mut names = index_names(on_channel, own);
            if let (Channel::Reliable, Expr::Table(entries)) = (channel, &mut names) {
                entries.extend(states.iter().flat_map(StateInfo::index_names));
            }
            code.local_typed(format!("{function}Names"), kind, names);
            if cx.is_server() {
                let thrown = cx.runtime("ServerListeners", "thrown");
                let told = apply(thrown, [name(format!("{function}Names")), offset(channel)]);
                code.local(format!("{function}Thrown"), told);
            }
            code.blank();
            code.push(reader);
            code.blank();
        }
        let lanes = cx.lanes;
        if lanes.takes {
            code.push(take(cx, slots));
            code.blank();
        }
        Channels { code, reads, slots, lanes }
    }

    /// Connects both remotes, which are called `remotes`. On the server the gate is asked first.
    pub fn connect(&self, cx: &mut Context, remotes: [&str; 2], out: &mut Block) {
        for (((channel, function), reads), remote) in CHANNELS.into_iter().zip(self.reads).zip(remotes) {
            let mut read = traffic::packet(cx, channel);
            if self.lanes.takes && channel == Channel::Unreliable {
                let player = cx.is_server().then(|| name("Player"));
                let args: Vec<Expr> = player.into_iter().chain([name("Packet"), name("Beside")]).collect();
                read.call("TakeUnreliable", args);
            } else {
                read.append(receive(cx, channel, reads.then_some(function), self.slots));
            }
            if let Some(drain) = self.lanes.drain(cx, channel) {
                read.push(drain);
            }
            let counted = self.lanes.count(cx, channel);
            let (event, params, body) = if cx.is_server() {
                let admit = apply(path("Gate.admit"), [name("Player"), name("Packet"), name("Beside")]);
                let any = |local: &str| param(local, ty("any"));
                let params = vec![param("Player", ty("Player")), any("Packet"), any("Beside")];
                let mut body = Block::new();
                counted.into_iter().for_each(|stat| _ = body.push(stat));
                body.when(admit, read);
                ("OnServerEvent", params, body)
            } else {
                let params = vec![param("Packet", ty("buffer")), param("Beside", array(ty("any")))];
                let mut body = Block::new();
                counted.into_iter().for_each(|stat| _ = body.push(stat));
                body.append(read);
                ("OnClientEvent", params, body)
            };
            let handler = lambda(Function { params, varargs: None, returns: None, body });
            out.push(Stat::Call(method(field(name(remote), event), "Connect", [handler])));
        }
    }
}

/// The function that reads an unreliable packet: one that came, or an item that was kept for its turn.
fn take(cx: &mut Context, slots: bool) -> Stat {
    let body = receive(cx, Channel::Unreliable, Some("ReadUnreliable"), slots);
    let player = cx.is_server().then(|| param("Player", ty("Player")));
    let packet = [param("Packet", ty("buffer")), param("Beside", array(ty("any")))];
    let params = player.into_iter().chain(packet).collect();
    local_function("TakeUnreliable".to_owned(), Function::new(params, body))
}

/// What tells where the reader at work is: the beginning of its item, and in front of a listener where to go on behind it,
/// with how many items and Instances read.
fn kept(cx: &Context, slots: bool) -> Vec<&'static str> {
    let mut kept = vec!["ItemAt", "ResumeAt"];
    if slots {
        kept.push("SlotsRead");
    }
    if cx.is_server() {
        kept.push("ItemsRead");
    }
    kept
}

fn place(cx: &mut Context, slots: bool) -> Block {
    let kept = kept(cx, slots);
    block(|b| {
        if !cx.options.sync_validation {
            b.local("Place", cx.runtime("Decoding", "place"));
        }
        b.push(Stat::Local(kept.iter().copied().map(bare).collect(), vec![num(0); kept.len()]));
        let locate = block(|b| _ = b.ret([name("ItemAt"), name("ResumeAt")]));
        let number = || ty("number");
        b.function("Locate", Function::new(Vec::new(), locate).returning(vec![number(), number()]));
    })
}

/// The function that reads packets of a channel, when this side receives anything on it.
fn decode(
    cx: &mut Context,
    function: &str,
    inbound: &mut [Inbound],
    functions: &[FunctionInfo],
    states: &[StateInfo],
    channel: Channel,
) -> Option<Stat> {
    let mut cases = Vec::new();
    let mut slots = false;
    for info in functions.iter().filter(|_| channel == Channel::Reliable) {
        slots |= info.reads_slots(cx.side);
        let mut commented = Block::new();
        commented.comment(info.function.path.join("."));
        commented.append(info.read(cx));
        cases.push((info.function.index, commented));
    }
    for info in states.iter().filter(|_| channel == Channel::Reliable) {
        slots |= info.has_slots();
        cases.extend(info.cases(cx));
    }
    let on_channel = |event: &&mut Inbound| event.info.wire.channel == channel;
    slots |=
        inbound.iter_mut().filter(on_channel).any(|event| event.info.wire.item.payload.block.size.slots > 0);
    for event in inbound.iter_mut().filter(on_channel) {
        event.reads_slots = slots;
        let body = event.item(cx);
        let mut commented = Block::new();
        commented.comment(event.info.event.path.join("."));
        commented.append(body);
        cases.push((event.info.event.index, commented));
    }
    if cases.is_empty() {
        return None;
    }
    cases.sort_by_key(|(index, _)| *index);

    let mut body = Block::new();
    body.local("End", call("buffer.len", [name("Buffer")]));
    body.local_typed("Cursor", ty("number"), name("ResumeAt"));
    if slots {
        body.local("Slot", name("SlotsRead"));
    }
    let mut item = Block::new();
    item.assign(name("ItemAt"), name("Cursor"));
    item.local("Index", call("buffer.readu8", [name("Buffer"), name("Cursor")]));
    let unknown = cx.runtime("Messages", "unknownIndex");
    let otherwise = block(|b| {
        b.call("error", [apply(unknown, [name("Index")]), num(0)]);
    });
    item.append(dispatch(&cases, &otherwise));
    if cx.is_server() {
        let limit = num(cx.options.max_events_per_packet);
        let first = add(name("ItemsRead"), num(1));
        let ended = ge(name("Cursor"), name("End"));
        let mut items = block(|b| _ = b.when(ended, block(|b| _ = b.ret([]))));
        items.append(item);
        body.push(count_loop("Items", first, limit.clone(), items));
        let dropped = cx.runtime("Reports", "packetDropped");
        let rate = num(cx.options.inbound_bytes_per_second);
        let report = apply(dropped, [name("Player"), text("Events"), limit, rate]);
        body.when(lt(name("Cursor"), name("End")), block(|b| _ = b.push(Stat::Call(report))));
    } else {
        body.push(while_loop(lt(name("Cursor"), name("End")), item));
    }

    let mut params = Vec::new();
    if cx.is_server() {
        params.push(param("Player", ty("Player")));
    }
    params.push(param("Buffer", ty("buffer")));
    let instances = if slots { "Instances" } else { "_Instances" };
    params.push(param(instances, array(ty("any"))));
    Some(local_function(function.to_owned(), Function::new(params, body)))
}

/// Statements of a remote's connection: read the packet, report why it was given up. `Packet` and `Beside` are what
/// came; on the server they have been admitted.
fn receive(cx: &mut Context, channel: Channel, function: Option<&str>, slots: bool) -> Block {
    let reliable = Expr::Bool(channel == Channel::Reliable);
    let mut out = Block::new();
    let Some(function) = function else {
        let message = apply(cx.runtime("Messages", "silentChannel"), []);
        let report = if cx.is_server() {
            let report = cx.runtime("Reports", "decodeFailed");
            apply(report, [name("Player"), reliable, Expr::Nil, Expr::Nil, message])
        } else {
            apply(cx.runtime("ClientReports", "decodeFailed"), [Expr::Nil, message])
        };
        out.push(Stat::Call(report));
        return out;
    };
    // The reader starts anew.
    out.local("Before", name("ItemAt"));
    let kept: Vec<Expr> = kept(cx, slots).into_iter().map(name).collect();
    let zeros = vec![num(0); kept.len()];
    out.push(Stat::Assign(kept, zeros));
    let names = name(format!("{function}Names"));
    let mut args = vec![name("Packet"), name("Before")];
    if cx.options.sync_validation {
        args.push(names.clone());
    }
    args.push(name("Locate"));
    args.push(if cx.is_server() {
        name(format!("{function}Thrown"))
    } else {
        cx.runtime("ClientListeners", "thrown")
    });
    args.push(name(function));
    if cx.is_server() {
        args.push(name("Player"));
    }
    args.extend([name("Packet"), name("Beside")]);
    if !cx.is_server() {
        args.push(Expr::Nil);
    }
    let run = cx.runtime("Decoding", if cx.options.sync_validation { "runWatched" } else { "run" });
    out.push(Stat::Local(vec![bare("Done"), bare("Index"), bare("Failure")], vec![apply(run, args)]));
    let mut failed = Block::new();
    let found = and(name("Index"), index(names, name("Index")));
    failed.local_typed("Event", optional(ty("string")), found);
    let report = if cx.is_server() {
        let report = cx.runtime("Reports", "decodeFailed");
        let key = and(name("Event"), add(cast(name("Index"), ty("number")), offset(channel)));
        apply(report, [name("Player"), reliable, key, name("Event"), name("Failure")])
    } else {
        apply(cx.runtime("ClientReports", "decodeFailed"), [name("Event"), name("Failure")])
    };
    failed.push(Stat::Call(report));
    out.when(not(name("Done")), failed);
    out
}
