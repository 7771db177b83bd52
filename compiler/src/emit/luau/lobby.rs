//! `option Lobby`: the members of `Net.Lobby`, and how each side begins with them.

use super::ast::*;
use super::context::Context;
use super::module::member;

const SERVER: &[(&str, &str)] = &[
    ("SetCallbacks", "setCallbacks"),
    ("SetMaxConnections", "setMaxConnections"),
    ("Open", "open"),
    ("Join", "join"),
    ("Find", "find"),
    ("Close", "close"),
    ("Kick", "kick"),
];

const CLIENT: &[(&str, &str)] = &[
    ("SetCallbacks", "setCallbacks"),
    ("Leave", "leave"),
    ("OpenMenu", "openMenu"),
    ("MenuRequested", "menuRequested"),
];

/// The runtime module of this side.
fn module(cx: &Context) -> &'static str {
    if cx.is_server() { "LobbyServer" } else { "LobbyClient" }
}

/// `Lobby`
pub fn members(cx: &mut Context) -> Option<Entry> {
    if !cx.options.lobby {
        return None;
    }
    let (casing, own) = (cx.options.casing, module(cx));
    let all = if cx.is_server() { SERVER } else { CLIENT };
    let entries =
        all.iter().map(|(pascal, function)| Entry::Named(member(casing, pascal), cx.runtime(own, function)));
    Some(Entry::Named(member(casing, "Lobby"), Expr::Table(entries.collect())))
}

/// The name of the lobby's remote.
pub fn remote_name(cx: &Context) -> String {
    format!("{}_LOBBY_REMOTE", cx.options.remote_base())
}

/// Starts the lobby of this side; `beside` is the reliable remote. A session knows who is connected and who lives, so
/// that beside one the lobby asks it instead of keeping signs of life and a limit of its own.
pub fn start(cx: &mut Context, beside: &str, out: &mut Block) {
    if !cx.options.lobby {
        return;
    }
    let remote = remote_name(cx);
    let mut call = |function: Expr, args: Vec<Expr>| _ = out.push(Stat::Call(apply(function, args)));
    let mut args = vec![name(beside), text(remote)];
    if cx.is_server() {
        // Rooms of other schemas are kept apart by it.
        args.push(name("BASE"));
    }
    call(cx.runtime(module(cx), "start"), args);
    match (cx.is_server(), cx.options.session) {
        (true, false) => call(cx.runtime("LobbyServer", "beat"), Vec::new()),
        (true, true) => {
            let decide = cx.runtime("LobbyMembers", "decide");
            call(cx.runtime("ServerSession", "consult"), vec![decide]);
        }
        (false, false) => call(cx.runtime("LobbyClient", "watch"), Vec::new()),
        (false, true) => {
            let lose = cx.runtime("LobbyClient", "lose");
            call(cx.runtime("ClientSession", "onDisconnected"), vec![lose]);
        }
    }
}

/// What a frame does behind the session's step: players who wait for a room are asked about again.
pub fn step(cx: &mut Context, out: &mut Block) {
    if cx.options.lobby && cx.options.session && cx.is_server() {
        let again = cx.runtime("LobbyMembers", "again");
        let welcome = cx.runtime("ServerSession", "welcome");
        out.push(Stat::Call(apply(again, [welcome])));
    }
}
