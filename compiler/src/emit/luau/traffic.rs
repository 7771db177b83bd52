//! Traffic counters and the outbound budget: absent unless their options ask for them.

use super::ast::*;
use super::context::Context;
use super::lanes;
use super::module::{EventInfo, State, member};
use crate::schema::{Channel, Priority};

/// What is told of reliable packets that are not on the reliable remote, where that one's packets count.
const TOLD_BESIDE: &str = "ToldBeside";

/// Whether packets of this module's remotes are told of.
pub fn is_metered(cx: &Context) -> bool {
    cx.options.traffic_stats || has_budget(cx) || cx.lanes.counts_sent
}

/// Whether packets of the other remotes are told of: what waits for packets of the reliable one is not about these.
pub fn counts_beside(cx: &Context) -> bool {
    cx.options.traffic_stats || has_budget(cx)
}

/// Whether each player's traffic is budgeted.
pub fn has_budget(cx: &Context) -> bool {
    cx.is_server() && cx.options.outbound_bytes_per_second.is_some()
}

/// Whether sends of the event are withheld from players whose budget is spent.
pub fn is_low(cx: &Context, info: &EventInfo) -> bool {
    has_budget(cx) && info.event.priority == Priority::Low
}

/// The counts of an event this module sends or receives.
pub fn counts(cx: &mut Context, info: &EventInfo, state: &mut State) -> Option<Expr> {
    if !cx.options.traffic_stats {
        return None;
    }
    let event = cx.runtime("Traffic", "event");
    let path = text(info.event.path.join("."));
    Some(state.declare(&format!("{}Counts", info.key), None, apply(event, [path])))
}

/// Counts items of `bytes` sent to `recipients`.
pub fn sent(cx: &mut Context, counts: Option<&Expr>, bytes: Expr, recipients: Expr) -> Block {
    let Some(counts) = counts else { return Block::new() };
    let send = cx.runtime("Traffic", "send");
    block(|b| _ = b.push(Stat::Call(apply(send, [counts.clone(), bytes, recipients]))))
}

/// Counts an item or packet of `bytes` received.
pub fn received(cx: &mut Context, counts: Option<&Expr>, bytes: Expr) -> Block {
    let Some(counts) = counts else { return Block::new() };
    let receive = cx.runtime("Traffic", "receive");
    block(|b| _ = b.push(Stat::Call(apply(receive, [counts.clone(), bytes]))))
}

/// Counts a packet of a channel as received; `Packet` is its buffer.
pub fn packet(cx: &mut Context, channel: Channel) -> Block {
    if !cx.options.traffic_stats {
        return Block::new();
    }
    let counts = channel_counts(cx, channel);
    let counted = received(cx, Some(&counts), call("buffer.len", [name("Packet")]));
    if cx.is_server() {
        return counted;
    }
    // A client has no gate: whatever else comes is for what reads it to refuse.
    block(|b| _ = b.when(eq(call("type", [name("Packet")]), text("buffer")), counted))
}

fn channel_counts(cx: &mut Context, channel: Channel) -> Expr {
    match channel {
        Channel::Reliable => cx.runtime("Traffic", "reliable"),
        Channel::Unreliable => cx.runtime("Traffic", "unreliable"),
    }
}

/// How many players there are: the module counts them as they come and go.
pub fn everyone(cx: &mut Context) -> Expr {
    cx.counts_players = true;
    name("Present")
}

/// Declares `Present`, and the function that counts anew.
pub fn declare_present(cx: &Context, out: &mut Block) {
    if cx.counts_players {
        out.local("Present", num(0));
        let players = method(name("Players"), "GetPlayers", []);
        let count = block(|b| _ = b.assign(name("Present"), len(players)));
        out.function("CountPlayers", Function::new(Vec::new(), count));
    }
}

/// The function that is told of packets of remotes beside the two.
pub fn told_beside(cx: &Context, channel: Channel) -> &'static str {
    match channel {
        Channel::Reliable if cx.lanes.counts_sent => TOLD_BESIDE,
        Channel::Reliable => "ToldReliable",
        Channel::Unreliable => "ToldUnreliable",
    }
}

/// A remote beside the two, as sends use it.
pub fn metered(cx: &mut Context, channel: Channel, remote: Expr) -> Expr {
    let meter = cx.runtime_function(if cx.is_server() { "ServerMeter" } else { "ClientMeter" });
    apply(meter, [remote, name(told_beside(cx, channel))])
}

/// Assigns to `local` the remote that `found` gives, as sends use it; its signals are those of the name it gives.
pub fn take_beside(cx: &mut Context, channel: Channel, local: &str, found: Expr, out: &mut Block) -> String {
    if !counts_beside(cx) {
        out.assign(name(local), found);
        return local.to_owned();
    }
    let remote = format!("Found{local}");
    out.local(remote.as_str(), found);
    out.assign(name(local), metered(cx, channel, name(remote.as_str())));
    remote
}

/// A function that counts a packet received, told whether it came over a reliable remote, and its bytes.
pub fn took(cx: &mut Context) -> Option<Expr> {
    if !cx.options.traffic_stats {
        return None;
    }
    let [reliable, unreliable] = [Channel::Reliable, Channel::Unreliable].map(|one| channel_counts(cx, one));
    let counts = choose(name("IsReliable"), reliable, unreliable);
    let body = received(cx, Some(&counts), name("Bytes"));
    Some(lambda(Function::new(vec![param("IsReliable", ty("boolean")), param("Bytes", ty("number"))], body)))
}

/// The outbound budget, and what the remotes tell of their packets.
pub fn foundations(cx: &mut Context) -> Block {
    let mut out = Block::new();
    if !is_metered(cx) {
        return out;
    }
    let budget = has_budget(cx);
    if let Some(rate) = cx.options.outbound_bytes_per_second.filter(|_| budget) {
        let outbound = cx.runtime_function("Outbound");
        let burst = cx.options.outbound_burst.unwrap_or(rate);
        out.local("Budget", apply(outbound, [num(rate), num(burst)]));
    }
    for (channel, told) in [(Channel::Reliable, "ToldReliable"), (Channel::Unreliable, "ToldUnreliable")] {
        let mut body = Block::new();
        let mut params = Vec::new();
        if cx.is_server() {
            params.push(param("Recipients", array(ty("Player"))));
        }
        params.push(param("Bytes", ty("number")));
        if cx.options.traffic_stats {
            let counts = channel_counts(cx, channel);
            let recipients = if cx.is_server() { len(name("Recipients")) } else { num(1) };
            body.append(sent(cx, Some(&counts), name("Bytes"), recipients));
        }
        if budget {
            body.call("Budget.charge", [name("Recipients"), name("Bytes")]);
        }
        let own = lanes::sent_packet(cx);
        if channel == Channel::Reliable && !own.is_empty() {
            if counts_beside(cx) {
                out.function(TOLD_BESIDE, Function::new(params.clone(), body.clone()));
            }
            body.append(own);
        }
        out.function(told, Function::new(params, body));
    }
    out.blank();
    out
}

/// Declares the two remotes that sends use.
pub fn declare_remotes(cx: &Context, out: &mut Block) {
    let metered = is_metered(cx);
    for (local, class) in [("Reliable", "RemoteEvent"), ("Unreliable", "UnreliableRemoteEvent")] {
        out.declare(local, ty(if metered { "any" } else { class }));
    }
}

/// Assigns the two remotes that `found` gives; their signals are those of the second name of each.
pub fn take_remotes(cx: &mut Context, found: Expr, out: &mut Block) -> [&'static str; 2] {
    if !is_metered(cx) {
        out.push(Stat::Assign(vec![name("Reliable"), name("Unreliable")], vec![found]));
        return ["Reliable", "Unreliable"];
    }
    out.push(Stat::Local(vec![bare("ReliableRemote"), bare("UnreliableRemote")], vec![found]));
    let meter = cx.runtime_function(if cx.is_server() { "ServerMeter" } else { "ClientMeter" });
    for (local, remote, told) in
        [("Reliable", "ReliableRemote", "ToldReliable"), ("Unreliable", "UnreliableRemote", "ToldUnreliable")]
    {
        out.assign(name(local), apply(meter.clone(), [name(remote), name(told)]));
    }
    ["ReliableRemote", "UnreliableRemote"]
}

/// `GetTrafficStats` and `ResetTrafficStats`.
pub fn members(cx: &mut Context) -> Vec<Entry> {
    if !cx.options.traffic_stats {
        return Vec::new();
    }
    let casing = cx.options.casing;
    let spelled = |pascal: &str| member(casing, pascal);
    let fields = [
        ("Sent", "sent"),
        ("SentBytes", "sentBytes"),
        ("Received", "received"),
        ("ReceivedBytes", "receivedBytes"),
    ];
    let counts_type =
        LuauType::Table(fields.iter().map(|(pascal, _)| (spelled(pascal), ty("number"))).collect());
    let copied = Expr::Table(
        fields
            .iter()
            .map(|(pascal, own)| Entry::Named(spelled(pascal), path(format!("Counts.{own}"))))
            .collect(),
    );
    let own_type = LuauType::Table(fields.iter().map(|(_, own)| ((*own).to_owned(), ty("number"))).collect());
    let make = lambda(
        Function::new(vec![param("Counts", own_type)], block(|b| _ = b.ret([copied])))
            .returning(vec![counts_type.clone()]),
    );
    let stats = cx.runtime("Traffic", "stats");
    let body = block(|b| {
        b.push(Stat::Local(
            vec![bare("Events"), bare("ReliableCounts"), bare("UnreliableCounts")],
            vec![apply(stats, [make])],
        ));
        b.ret([Expr::Table(vec![
            Entry::Named(spelled("Events"), name("Events")),
            Entry::Named(spelled("Reliable"), name("ReliableCounts")),
            Entry::Named(spelled("Unreliable"), name("UnreliableCounts")),
        ])]);
    });
    let events = LuauType::Map(Box::new(ty("string")), Box::new(counts_type.clone()));
    let result = LuauType::Table(vec![
        (spelled("Events"), events),
        (spelled("Reliable"), counts_type.clone()),
        (spelled("Unreliable"), counts_type),
    ]);
    vec![
        Entry::Named(
            spelled("GetTrafficStats"),
            lambda(Function::new(Vec::new(), body).returning(vec![result])),
        ),
        Entry::Named(spelled("ResetTrafficStats"), cx.runtime("Traffic", "reset")),
    ]
}
