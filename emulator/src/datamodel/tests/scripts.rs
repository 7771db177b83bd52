//! Which scripts run where, and their lives. Source: Roblox behaviour, 11.1 and 11.2.

use std::rc::Rc;

use super::{log, peer, run, run_frames, unindented};
use crate::datamodel::classes::known_class;
use crate::datamodel::scripts::{Stage, begin, runnable_scripts};
use crate::datamodel::store::GAME;
use crate::datamodel::{properties, tree};
use crate::peer::Peer;
use crate::shared::{Side, SignalMode};
use crate::value::{EnumItemId, InstanceId, Value};

/// A script in a service, silently, with a run context by number.
fn script(
    peer: &Peer,
    class: &str,
    parent: InstanceId,
    name: &str,
    context: u32,
    source: &str,
) -> InstanceId {
    let mut store = peer.data_model().store_mut();
    let id = store.create(known_class(class));
    let property = |name: &str| known_class(class).property(name).unwrap();
    store.set_property(id, property("Source"), source.into());
    if context > 0 {
        let enum_ = crate::datamodel::classes::enum_by_name("RunContext").unwrap();
        let item = EnumItemId { enum_, value: context };
        store.set_property(id, *properties::RUN_CONTEXT, Value::EnumItem(item));
    }
    store.get_mut(id).unwrap().name = name.into();
    store.set_parent(id, Some(parent));
    id
}

fn runnable(side: Side) -> String {
    let peer = peer(side, SignalMode::Deferred);
    let model = peer.data_model();
    let player = {
        let mut store = model.store_mut();
        let player = store.create(known_class("Player"));
        let players = store.service(known_class("Players")).unwrap();
        store.set_parent(player, Some(players));
        player
    };
    if !side.is_server() {
        crate::services::players::set_local(&peer, player);
    }
    let inside = |class: &str| {
        let mut store = model.store_mut();
        let id = store.create(known_class(class));
        store.set_parent(id, Some(player));
        id
    };
    let mut containers = Vec::new();
    for name in ["Workspace", "ServerScriptService", "ServerStorage", "ReplicatedStorage", "ReplicatedFirst"]
    {
        containers.push((name, model.known_service(name)));
    }
    let starter = model.known_service("StarterPlayer");
    let starter_scripts = model.store().find_child(starter, "StarterPlayerScripts").unwrap();
    containers.push(("StarterPlayerScripts", starter_scripts));
    containers.push(("PlayerScripts", inside("PlayerScripts")));
    let mut rows = Vec::new();
    for (name, container) in containers {
        let kinds = [("Script", 0), ("LocalScript", 0), ("Script", 1), ("Script", 2)];
        let scripts = kinds.map(|(class, context)| script(&peer, class, container, class, context, ""));
        let runnable = runnable_scripts(&peer);
        let marks = scripts.map(|script| if runnable.contains(&script) { "yes" } else { "no" });
        rows.push(format!("{name}: {}", marks.join(" ")));
    }
    rows.join("\n")
}

#[test]
fn the_server_runs_what_the_table_says() {
    let expected = "
        Workspace: yes no yes no
        ServerScriptService: yes no yes no
        ServerStorage: no no no no
        ReplicatedStorage: no no yes no
        ReplicatedFirst: no no yes no
        StarterPlayerScripts: no no no no
        PlayerScripts: no no no no";
    assert_eq!(runnable(Side::Server), unindented(expected));
}

#[test]
fn a_client_runs_what_the_table_says() {
    let expected = "
        Workspace: no no no yes
        ServerScriptService: no no no no
        ServerStorage: no no no no
        ReplicatedStorage: no no no yes
        ReplicatedFirst: no yes no yes
        StarterPlayerScripts: no no no yes
        PlayerScripts: no yes no yes";
    // A client has no server containers; that a script there would not run is a matter of the table all the same.
    assert_eq!(runnable(Side::Client(0)), unindented(expected));
}

fn started(source: &str) -> (Rc<Peer>, InstanceId) {
    let peer = peer(Side::Server, SignalMode::Deferred);
    let container = peer.data_model().known_service("ServerScriptService");
    let id = script(&peer, "Script", container, "Main", 0, source);
    begin(&peer, Stage::All);
    run_frames(&peer);
    (peer, id)
}

#[test]
fn scripts_know_themselves_and_modules_are_required_once() {
    let peer = peer(Side::Server, SignalMode::Deferred);
    let container = peer.data_model().known_service("ServerScriptService");
    let main =
        "print(script:GetFullName()) print(require(script.Parent.Shared) == require(script.Parent.Shared))";
    script(&peer, "Script", container, "Main", 0, main);
    script(&peer, "ModuleScript", container, "Shared", 0, "print(\"loaded\") return {}");
    begin(&peer, Stage::All);
    begin(&peer, Stage::All);
    run_frames(&peer);
    assert_eq!(log(&peer), "ServerScriptService.Main\nloaded\ntrue");
}

#[test]
fn disabling_drops_threads_and_enabling_runs_again() {
    let (peer, id) = started("print(\"run\") task.spawn(function() task.wait(1) print(\"late\") end)");
    assert_eq!(log(&peer), "run\nlate");
    properties::set(&peer, id, *properties::ENABLED, Value::Boolean(true));
    run_frames(&peer);
    assert_eq!(log(&peer), "run\nlate", "it was enabled before");
    run(
        &peer,
        "local main = game.ServerScriptService.Main main.Disabled = true main.Enabled = true task.wait() \
         main.Enabled = false",
    );
    assert_eq!(log(&peer), "run\nlate\nrun");
}

#[test]
fn destruction_stops_a_script_and_leaving_the_tree_does_not() {
    let source = "workspace.Changed:Connect(function() print(\"heard\") end) task.wait(0.1) print(\"on\")";
    let (peer, id) = started(source);
    tree::set_parent(&peer, id, None).unwrap();
    run(&peer, "workspace.Name = \"A\"");
    assert_eq!(log(&peer), "on\nheard");
    tree::destroy(&peer, id).unwrap();
    run(&peer, "workspace.Name = \"B\"");
    assert_eq!(log(&peer), "on\nheard");
}

#[test]
fn a_script_made_at_run_time_runs_when_it_arrives() {
    let (peer, _) = started("");
    let id = script(&peer, "Script", GAME, "Late", 0, "print(\"late\", script.Parent)");
    let workspace = peer.data_model().known_service("Workspace");
    tree::set_parent(&peer, id, Some(workspace)).unwrap();
    assert_eq!(log(&peer), "", "starting waits for the next resumption point");
    run_frames(&peer);
    assert_eq!(log(&peer), "late Workspace");
}

#[test]
fn an_uncaught_error_has_its_place() {
    let (peer, _) = started("\nlocal x = workspace.Nope");
    assert_eq!(
        log(&peer),
        "ServerScriptService.Main:2: Nope is not a valid member of Workspace \"Workspace\""
    );
}

#[test]
fn toggling_before_the_start_starts_once() {
    let (peer, id) = started("print(\"run\")");
    for disabled in [true, false, true, false] {
        properties::set(&peer, id, *properties::DISABLED, Value::Boolean(disabled));
    }
    run_frames(&peer);
    assert_eq!(log(&peer), "run\nrun");
}

#[test]
fn a_new_context_restarts() {
    let (peer, _) = started("print(\"run\")");
    run(&peer, "game.ServerScriptService.Main.RunContext = 1");
    assert_eq!(log(&peer), "run\nrun");
}
