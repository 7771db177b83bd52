//! Channels whose delivery the modules see to: what a module has of them, and where it is woven in.

use super::ast::*;
use super::context::Context;
use super::module::EventInfo;
use super::traffic;
use crate::schema::{Channel, Item, Lane, Schema, Scope, Side, Turn};

/// The lane of what has no order, behind those of the channels.
const UNORDERED: u8 = 3;

/// The number of a delivery's lane in packets and at run time.
pub fn number(turn: Turn) -> u8 {
    match turn {
        Turn::InOrder(lane) | Turn::Sequenced(lane) => match lane {
            Lane::Default => 0,
            Lane::Controls => 1,
            Lane::Events => 2,
        },
        Turn::Once => UNORDERED,
    }
}

/// The name of the remote of acknowledgements.
pub fn remote_name(cx: &Context) -> String {
    format!("{}_CHANNEL_REMOTE", cx.options.remote_base())
}

/// What of it a module has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lanes {
    /// It sends what is acknowledged.
    sends: bool,
    /// It hears what is acknowledged.
    hears: bool,
    /// It hears anything in turn.
    pub takes: bool,
    /// It sends or hears anything of it.
    any: bool,
    /// Its reliable packets count, for what waits for them on the other side.
    pub counts_sent: bool,
    /// Reliable packets that come count, for what waits for them here.
    pub counts_heard: bool,
}

impl Lanes {
    /// Of a side of the schema.
    pub fn of(schema: &Schema, side: Side) -> Lanes {
        let mut lanes = Lanes::default();
        lanes.add(&schema.root, side);
        lanes
    }

    fn add(&mut self, scope: &Scope, side: Side) {
        for item in &scope.items {
            match item {
                Item::Scope(inner) => self.add(inner, side),
                Item::Event(event) => {
                    let Some(turn) = event.turn() else { continue };
                    let is_sent = event.from == side;
                    let waits = turn == Turn::Sequenced(Lane::Default);
                    self.any = true;
                    self.sends |= is_sent && turn.is_acknowledged();
                    self.hears |= !is_sent && turn.is_acknowledged();
                    self.takes |= !is_sent;
                    self.counts_sent |= is_sent && waits;
                    self.counts_heard |= !is_sent && waits;
                }
                Item::Type(_) | Item::Function(_) | Item::State(_) | Item::Table(_) | Item::Entity(_) => {}
            }
        }
    }

    /// Whether it has the remote of acknowledgements.
    pub fn acknowledges(self) -> bool {
        self.sends || self.hears
    }

    /// Declares the remote of acknowledgements, ahead of what flushes, and limits of packets.
    pub fn declare(self, cx: &Context, out: &mut Block) {
        if self.acknowledges() {
            let class = if traffic::counts_beside(cx) { "any" } else { "UnreliableRemoteEvent" };
            out.declare("ChannelRemote", ty(class));
        }
        if self.sends && !cx.is_server() {
            let limits = Expr::Table(vec![
                Entry::Named("bytes".into(), num(cx.options.max_unreliable_size)),
                Entry::Named("items".into(), num(cx.options.max_events_per_packet)),
                Entry::Named("slots".into(), num(cx.options.max_instances_per_packet)),
            ]);
            out.local("ChannelLimits", limits);
        }
    }

    /// What a flush does, ahead of the other packets.
    pub fn flush(self, cx: &mut Context, body: &mut Block) {
        let module = module(cx);
        if self.sends {
            let limit =
                if cx.is_server() { num(cx.options.max_unreliable_size) } else { name("ChannelLimits") };
            let flush = cx.runtime(module, "flush");
            body.push(Stat::Call(apply(flush, [name("Unreliable"), limit])));
        }
        if self.hears {
            let acknowledge = cx.runtime(module, "acknowledge");
            body.push(Stat::Call(apply(acknowledge, [name("ChannelRemote")])));
        }
    }

    /// Takes the remote beside the reliable one, whose local is `reliable`, and connects it.
    pub fn connect(self, cx: &mut Context, reliable: &str, body: &mut Block) {
        if !self.acknowledges() {
            return;
        }
        let server = cx.is_server();
        let take = cx.runtime("SideRemotes", if server { "makeUnreliable" } else { "findUnreliable" });
        let found = apply(take, [name(reliable), text(remote_name(cx))]);
        let signals = traffic::take_beside(cx, Channel::Unreliable, "ChannelRemote", found, body);
        if self.sends {
            let acknowledged = cx.runtime(module(cx), "acknowledged");
            let mut read = traffic::packet(cx, Channel::Unreliable);
            let (event, params, read) = if server {
                let admit = call("Gate.admit", [name("Player"), name("Packet"), Expr::Table(Vec::new())]);
                let rate = num(cx.options.inbound_bytes_per_second);
                read.push(Stat::Call(apply(acknowledged, [name("Player"), name("Packet"), rate])));
                let params = vec![param("Player", ty("Player")), param("Packet", ty("any"))];
                ("OnServerEvent", params, block(|b| _ = b.when(admit, read)))
            } else {
                read.push(Stat::Call(apply(acknowledged, [name("Packet")])));
                ("OnClientEvent", vec![param("Packet", ty("buffer"))], read)
            };
            let handler = lambda(Function { params, varargs: None, returns: None, body: read });
            let signal = field(name(signals), event);
            body.push(Stat::Call(method(signal, "Connect", [handler])));
        }
    }

    /// Lets the server know that a client is there, once it listens. What it was sent before is repeated then.
    pub fn greet(self, cx: &mut Context, body: &mut Block) {
        if cx.options.session {
            // The hello of the session, which is never lost, says so.
            if cx.is_server() && self.sends {
                let connected = cx.runtime("ServerSession", "onConnected");
                let greet = cx.runtime("ServerLanes", "greet");
                body.push(Stat::Call(apply(connected, [greet])));
            }
        } else if self.hears && !cx.is_server() {
            let greet = cx.runtime("ClientLanes", "greet");
            body.push(Stat::Call(apply(greet, [name("ChannelRemote")])));
        }
    }

    /// What forgets a player, if anything is kept of one.
    pub fn drop(self, cx: &mut Context) -> Option<Expr> {
        self.any.then(|| cx.runtime("ServerLanes", "drop"))
    }

    /// Reads what was kept for the packet that was just read.
    pub fn drain(self, cx: &mut Context, channel: Channel) -> Option<Stat> {
        if !self.takes || (channel == Channel::Reliable && !self.counts_heard) {
            return None;
        }
        let drain = cx.runtime(module(cx), "drain");
        let player = cx.is_server().then(|| name("Player"));
        Some(Stat::Call(apply(drain, player.into_iter().chain([name("TakeUnreliable")]))))
    }

    /// Counts a packet of the reliable remote, whether or not it is read.
    pub fn count(self, cx: &mut Context, channel: Channel) -> Option<Stat> {
        if channel != Channel::Reliable || !self.counts_heard {
            return None;
        }
        let counted = cx.runtime(module(cx), "counted");
        let player = cx.is_server().then(|| name("Player"));
        Some(Stat::Call(apply(counted, player)))
    }
}

/// The runtime part of the side.
fn module(cx: &Context) -> &'static str {
    if cx.is_server() { "ServerLanes" } else { "ClientLanes" }
}

/// Counts a packet of the reliable remote that is sent; on the server `Recipients` are who to.
pub fn sent_packet(cx: &mut Context) -> Block {
    if !cx.lanes.counts_sent {
        return Block::new();
    }
    let sent = cx.runtime(module(cx), "sentPacket");
    let recipients = cx.is_server().then(|| name("Recipients"));
    block(|b| _ = b.push(Stat::Call(apply(sent, recipients))))
}

/// Statements that read the header of an item in turn, and whether it is taken now. The item begins at `ItemAt` and goes
/// up to `end`; with `slots` it has Instances, and `Missing` says whether one that it needs did not arrive.
pub fn taken(cx: &mut Context, info: &EventInfo, end: Expr, slots: bool, out: &mut Block) -> Option<Expr> {
    let turn = info.wire.turn?;
    let at = |offset: u32| add(name("ItemAt"), num(offset));
    out.local("Number", call("buffer.readu16", [name("Buffer"), at(1)]));
    let mut args: Vec<Expr> = cx.is_server().then(|| name("Player")).into_iter().collect();
    args.extend([num(number(turn)), name("Number")]);
    let function = match turn {
        Turn::InOrder(_) => "inOrder",
        Turn::Once => "once",
        Turn::Sequenced(_) => {
            out.local("Behind", call("buffer.readu16", [name("Buffer"), at(3)]));
            args.push(name("Behind"));
            "sequenced"
        }
    };
    if turn != Turn::Once {
        args.extend([name("Buffer"), name("ItemAt"), end]);
        if slots {
            args.extend([name("Instances"), name("SlotAt"), name("Slot")]);
        } else {
            args.extend([cast(Expr::Nil, ty("any")), num(0), num(0)]);
        }
    }
    // What a server has none of will not come later.
    if slots && turn.is_acknowledged() && !cx.is_server() {
        args.push(name("Missing"));
    }
    Some(apply(cx.runtime(module(cx), function), args))
}
