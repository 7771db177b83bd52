//! The table a module returns, and what is returned in its place where nothing is sent or received.

use super::ast::*;
use super::context::Context;
use super::functions::FunctionInfo;
use super::module::member;
use super::tables::{self, Tables};
use super::{entity, lanes, lobby, session, traffic};
use crate::schema::Side;

/// The members of the module itself, then those of its declarations.
pub fn table(cx: &mut Context, tables: &Tables, declared: Vec<Entry>) -> Expr {
    let casing = cx.options.casing;
    let mut entries = vec![Entry::Named(member(casing, "StepReplication"), name("StepReplication"))];
    match cx.side {
        Side::Server if !cx.options.auto_start => {
            entries.push(Entry::Named(member(casing, "Start"), name("Start")));
        }
        Side::Client if cx.options.client_connect_timeout.is_some() => {
            entries.push(Entry::Named(member(casing, "Connected"), Expr::Bool(false)));
        }
        Side::Server | Side::Client => {}
    }
    // A client takes all four handlers, and has reports for one.
    let (reports, ignored) = match cx.side {
        Side::Server => ("Reports", None),
        Side::Client => ("ClientReports", Some("ignoreHandler")),
    };
    for (pascal, own) in [
        ("SetRateLimitHandler", ignored.unwrap_or("setRateLimitHandler")),
        ("SetDecodeErrorHandler", "setDecodeErrorHandler"),
        ("SetPacketDropHandler", ignored.unwrap_or("setPacketDropHandler")),
        ("SetListenerErrorHandler", ignored.unwrap_or("setListenerErrorHandler")),
    ] {
        entries.push(Entry::Named(member(casing, pascal), cx.runtime(reports, own)));
    }
    entries.push(remotes(cx, tables));
    entries.extend(tables.members(cx));
    entries.extend(session::members(cx));
    entries.extend(traffic::members(cx));
    entries.extend(lobby::members(cx));
    entries.extend(super::limits::entry(cx));
    entries.extend(declared);
    Expr::Table(entries)
}

/// `Remotes`
fn remotes(cx: &Context, tables: &Tables) -> Entry {
    let base = cx.options.remote_base();
    let mut remotes = vec![
        Entry::Named("Reliable".into(), text(format!("{base}_RELIABLE_REMOTE"))),
        Entry::Named("Unreliable".into(), text(format!("{base}_UNRELIABLE_REMOTE"))),
    ];
    if tables.any() {
        remotes.push(Entry::Named("Tables".into(), text(tables::remote_name(cx))));
    }
    if cx.lanes.acknowledges() {
        remotes.push(Entry::Named("Channel".into(), text(lanes::remote_name(cx))));
    }
    if !cx.schema.entities().is_empty() {
        remotes.push(Entry::Named("Entity".into(), text(entity::remote_name(cx))));
    }
    if cx.options.session {
        let own = ["Session", "Echo"].into_iter().zip(session::remotes(cx));
        remotes.extend(own.map(|(key, remote)| Entry::Named(key.into(), text(remote))));
    }
    if cx.options.lobby {
        remotes.push(Entry::Named("Lobby".into(), text(lobby::remote_name(cx))));
    }
    Entry::Named(member(cx.options.casing, "Remotes"), Expr::Table(remotes))
}

/// Returns the members that do nothing.
pub fn return_stubs(cx: &mut Context, functions: &[FunctionInfo], refuse_calls: bool) -> Block {
    let make = cx.runtime("Stubs", "make");
    let instead = instead(cx, functions, refuse_calls);
    block(|b| {
        b.local_typed("Stub", ty("any"), apply(make, [name("Net"), Expr::Table(instead)]));
        let options = cx.options;
        let tables = [("Remotes", true), ("Limits", options.export_limits), ("Session", options.session)];
        for (pascal, _) in tables.into_iter().filter(|(_, there)| *there) {
            let key = member(options.casing, pascal);
            b.assign(field(name("Stub"), key.as_str()), field(name("Net"), key.as_str()));
        }
        b.ret([cast(name("Stub"), LuauType::Typeof(Box::new(name("Net"))))]);
    })
}

/// What stands for members that give something.
fn instead(cx: &mut Context, functions: &[FunctionInfo], refuse_calls: bool) -> Vec<Entry> {
    let casing = cx.options.casing;
    let uses = cx.uses;
    let senders: &[&str] = match cx.side {
        Side::Server => &["Fire", "FireAll", "FireList", "FireExcept"],
        Side::Client => &["Fire"],
    };
    let mut entries = Vec::new();
    let mut stand = |cx: &mut Context, there: bool, names: &[&str], own: &str| {
        for pascal in names.iter().filter(|_| there) {
            entries.push(Entry::Named(member(casing, pascal), cx.runtime("Stubs", own)));
        }
    };
    stand(cx, uses.events, senders, "nobody");
    stand(cx, uses.listens, &["On"], "disconnected");
    stand(cx, uses.polls, &["Iter", "Next"], "noRows");
    let mut real: Vec<&str> = Vec::new();
    if uses.exports {
        real.extend(["Read", "Write"]);
    }
    if cx.options.traffic_stats {
        real.extend(["GetTrafficStats", "ResetTrafficStats"]);
    }
    if !cx.is_server() && cx.schema.root.has_state() {
        // A client without a server has states without objects.
        real.extend(["OnChange", "OnMount", "OnUnmount", "Get", "All"]);
    }
    entries.extend(real.into_iter().map(|pascal| Entry::Named(member(casing, pascal), Expr::Bool(true))));
    for info in functions {
        let place = info.function.path.iter().fold(name("Net"), |table, key| field(table, key.as_str()));
        if info.is_answered(cx.side) && uses.listens {
            // Only events give a disconnect.
            let on = cast(field(place, member(casing, "On")), ty("any"));
            entries.push(Entry::Keyed(on, cx.runtime("Stubs", "nothing")));
        }
    }
    if refuse_calls && uses.calls {
        let refusal = apply(cx.runtime("Messages", "notConnected"), []);
        let refusing = apply(cx.runtime("Stubs", "refusing"), [refusal]);
        entries.push(Entry::Named(member(casing, "Invoke"), refusing));
    }
    entries
}

/// Returns stubs in edit mode.
pub fn edit_mode(cx: &mut Context, functions: &[FunctionInfo]) -> Block {
    let body = return_stubs(cx, functions, false);
    block(|b| {
        b.when(not(method(name("RunService"), "IsRunning", [])), body);
    })
}
