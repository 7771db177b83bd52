//! `option Session`: the members of `Net.Session`, and what each side does for them.

use super::ast::*;
use super::context::Context;
use super::module::member;
use super::traffic;
use crate::schema::Channel;

/// Seconds of silence after which a client gives its server up, unless the options say otherwise.
const SILENCE: f64 = 30.0;

/// Names of the remotes that a session has of its own: what is said once, and what measures.
pub fn remotes(cx: &Context) -> [String; 2] {
    let base = cx.options.remote_base();
    [format!("{base}_SESSION_REMOTE"), format!("{base}_ECHO_REMOTE")]
}

/// The gate of a server's packets, behind which only connected players come.
pub fn guard(cx: &mut Context, gate: Expr) -> Expr {
    if !cx.options.session {
        return gate;
    }
    let options = cx.options;
    let mut settings = vec![
        Entry::Named("base".into(), name("BASE")),
        Entry::Named("signature".into(), name("SIGNATURE")),
        Entry::Named("size".into(), num(options.max_packet_size)),
        Entry::Named("rate".into(), num(options.inbound_bytes_per_second)),
        Entry::Named("players".into(), num(options.session_max_players)),
    ];
    settings
        .extend(options.session_inactivity.map(|seconds| Entry::Named("inactivity".into(), num(seconds))));
    apply(cx.runtime("ServerSession", "guard"), [gate, Expr::Table(settings)])
}

/// A function that takes packets of a remote with a gate of its own, held to the same.
pub fn connected_only(cx: &mut Context, take: Expr) -> Expr {
    if !cx.options.session {
        return take;
    }
    apply(cx.runtime("ServerSession", "connectedOnly"), [take])
}

/// Begins the clock of a server, or takes that of a client; `beside` is the reliable remote. Entities have it as well.
pub fn clock(cx: &mut Context, entities: bool, beside: &str, out: &mut Block) {
    if cx.options.session || entities {
        let own = if cx.is_server() { "publish" } else { "follow" };
        let begin = cx.runtime("SessionClock", own);
        out.push(Stat::Call(apply(begin, [name(beside)])));
    }
}

/// What a side does behind its other remotes: takes those of the session, and connects them.
pub fn start(cx: &mut Context, beside: [&str; 2], out: &mut Block) {
    if !cx.options.session {
        return;
    }
    let server = cx.is_server();
    let [session, echo] = remotes(cx);
    let ways = if server { ["make", "makeUnreliable"] } else { ["find", "findUnreliable"] };
    let mut args: Vec<Expr> = ways
        .into_iter()
        .zip([session, echo])
        .map(|(way, remote)| apply(cx.runtime("SideRemotes", way), [name(beside[0]), text(remote)]))
        .collect();
    let counted = counted(cx, &mut args, out);
    if server {
        args.extend(counted);
        let begin = cx.runtime("ServerSession", "start");
        out.push(Stat::Call(apply(begin, args)));
        return;
    }
    let silence = cx.options.session_inactivity.unwrap_or(SILENCE);
    args.extend([name("SIGNATURE"), num(silence), cx.runtime("ClientReports", "decodeFailed")]);
    args.extend(counted);
    let begin = cx.runtime("ClientSession", "start");
    out.push(Stat::Call(apply(begin, args)));
    let heard = cx.runtime("ClientSession", "heard");
    for remote in beside {
        let signal = field(name(remote), "OnClientEvent");
        out.push(Stat::Call(method(signal, "Connect", [heard.clone()])));
    }
}

/// How the packets of the session's remotes are counted, where any are. The remotes are locals then.
fn counted(cx: &mut Context, remotes: &mut [Expr], out: &mut Block) -> Option<Expr> {
    if !traffic::counts_beside(cx) {
        return None;
    }
    let own = [("FoundSession", "session", Channel::Reliable), ("FoundEcho", "echo", Channel::Unreliable)];
    let mut entries = Vec::new();
    for (remote, (local, key, channel)) in remotes.iter_mut().zip(own) {
        out.local(local, std::mem::replace(remote, name(local)));
        entries.push(Entry::Named(key.into(), traffic::metered(cx, channel, name(local))));
    }
    if let Some(took) = traffic::took(cx) {
        entries.push(Entry::Named("took".into(), took));
    }
    Some(Expr::Table(entries))
}

/// Says, when a server's module is required, that it is to be started.
pub fn announce(cx: &mut Context, out: &mut Block) {
    if cx.options.session && !cx.options.auto_start {
        let announce = cx.runtime("ServerSession", "announce");
        out.push(Stat::Call(apply(announce, [])));
    }
}

/// Notes that the wait for a server was in vain.
pub fn unreached(cx: &mut Context, out: &mut Block) {
    if cx.options.session {
        let unreached = cx.runtime("ClientSession", "unreached");
        out.push(Stat::Call(apply(unreached, [name("BASE")])));
    }
}

/// Whether the server is of another schema, as a condition; `beside` is what was found of the reliable remote.
pub fn mismatch(cx: &mut Context, beside: &str) -> Option<Expr> {
    if !cx.options.session {
        return None;
    }
    let [session, _] = remotes(cx);
    let mismatches = cx.runtime("ClientSession", "mismatches");
    Some(apply(mismatches, [name(beside), text(session), name("SIGNATURE")]))
}

/// What a frame does in front of the flush.
pub fn step(cx: &mut Context, out: &mut Block) {
    if cx.options.session {
        let step = cx.runtime(module(cx), "step");
        out.push(Stat::Call(apply(step, [])));
    }
}

/// What forgets a player who is leaving, and tells the game.
pub fn drop(cx: &mut Context) -> Option<Expr> {
    cx.options.session.then(|| cx.runtime("ServerSession", "drop"))
}

fn module(cx: &Context) -> &'static str {
    if cx.is_server() { "ServerSession" } else { "ClientSession" }
}

/// `Session`
pub fn members(cx: &mut Context) -> Option<Entry> {
    if !cx.options.session {
        return None;
    }
    let casing = cx.options.casing;
    let own = module(cx);
    let mut all = vec![
        ("Connected", own, "onConnected"),
        ("Disconnected", own, "onDisconnected"),
        ("Ping", own, "ping"),
        ("RoundTrip", own, "roundTrip"),
        ("SyncTime", "SessionClock", "time"),
        ("FixedTick", "SessionClock", "tick"),
        ("OnFixedTick", "FixedTicks", "on"),
        ("HasNetwork", own, "hasNetwork"),
        ("IsServer", own, "isServer"),
    ];
    if cx.is_server() {
        all.extend([("Kick", own, "kick"), ("SetMaxPlayers", own, "setMaxPlayers")]);
    }
    all.push(("Causes", "SessionCauses", "codes"));
    let entries = all
        .into_iter()
        .map(|(pascal, module, function)| Entry::Named(member(casing, pascal), cx.runtime(module, function)))
        .collect();
    Some(Entry::Named(member(casing, "Session"), Expr::Table(entries)))
}
