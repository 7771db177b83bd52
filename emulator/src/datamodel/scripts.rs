//! Which scripts run where, and when they start and stop. Source: Roblox behaviour, 11.1 and 11.2.
//!
//! The world begins a peer's scripts with [`begin`]; from then on moves, toggles and destruction keep them right.
//! Starting is deferred to the next resumption point, so that a script never runs inside the assignment that made it
//! runnable.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::classes::known_class;
use super::dispatch;
use super::properties::{self, DISABLED, RUN_CONTEXT};
use super::store::{GAME, Store, single_id};
use crate::peer::Peer;
use crate::scheduler;
use crate::shared::RunContext;
use crate::value::{EnumItemId, InstanceId, Value};

/// How far a peer is with its scripts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// No script runs.
    #[default]
    None,
    /// On a client that is still loading: only what is in `ReplicatedFirst`.
    First,
    /// Everything that may run.
    All,
}

/// The scripts of one peer.
#[derive(Default)]
pub(super) struct Scripts {
    stage: Stage,
    /// Scripts that were started and neither disabled nor destroyed since, with the number of that start.
    started: FxHashMap<InstanceId, u64>,
    starts: u64,
}

/// Who runs a script of which kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Context {
    /// A `Script` as it always was.
    Legacy,
    /// A `LocalScript`.
    Local,
    /// A `Script` with `RunContext` Server.
    Server,
    /// A `Script` with `RunContext` Client.
    Client,
    /// A `Script` with `RunContext` Plugin.
    Plugin,
}

fn context(store: &Store, id: InstanceId) -> Option<Context> {
    let class = store.class(id);
    if class.is_a(known_class("LocalScript")) {
        return Some(Context::Local);
    }
    if !class.is_a(known_class("Script")) {
        return None;
    }
    Some(match properties::get(store, id, *RUN_CONTEXT) {
        Value::EnumItem(EnumItemId { value: 1, .. }) => Context::Server,
        Value::EnumItem(EnumItemId { value: 2, .. }) => Context::Client,
        Value::EnumItem(EnumItemId { value: 3, .. }) => Context::Plugin,
        _ => Context::Legacy,
    })
}

/// The container that decides: the nearest ancestor that is a service or belongs to a player.
fn container(store: &Store, id: InstanceId) -> Option<InstanceId> {
    let decides = |other: &InstanceId| {
        let class = store.class(*other);
        class.is_service()
            || ["PlayerScripts", "PlayerGui", "Backpack", "StarterGear"].contains(&class.name())
            || ["StarterPlayerScripts", "StarterCharacterScripts"].contains(&class.name())
    };
    store.ancestors(id).find(decides)
}

/// Whether an enabled script is in a place where this side runs it.
fn belongs(store: &Store, local_player: Option<InstanceId>, id: InstanceId) -> bool {
    let Some(context) = context(store, id) else { return false };
    if !store.in_game(id) || properties::get(store, id, *DISABLED) == Value::Boolean(true) {
        return false;
    }
    let Some(container) = container(store, id) else { return false };
    let place = store.class(container).name();
    let is_local = || local_player.is_some_and(|player| store.is_descendant_of(container, player));
    if store.is_server() {
        match context {
            Context::Legacy => matches!(place, "Workspace" | "ServerScriptService"),
            Context::Server => {
                matches!(place, "Workspace" | "ServerScriptService" | "ReplicatedStorage" | "ReplicatedFirst")
            }
            Context::Local | Context::Client | Context::Plugin => false,
        }
    } else {
        match context {
            Context::Local => match place {
                "ReplicatedFirst" => true,
                "PlayerScripts" | "PlayerGui" | "Backpack" => is_local(),
                "Workspace" => in_character(store, local_player, id),
                _ => false,
            },
            Context::Client => match place {
                "Workspace" | "ReplicatedStorage" | "ReplicatedFirst" => true,
                "StarterPlayerScripts" | "StarterCharacterScripts" => true,
                "PlayerScripts" | "PlayerGui" | "Backpack" => is_local(),
                _ => false,
            },
            Context::Legacy | Context::Server | Context::Plugin => false,
        }
    }
}

/// Where an enabled script runs by its place in a game's tree, for people: what stands in a starter container runs in
/// the copies that players get.
pub fn where_it_runs(store: &Store, id: InstanceId) -> &'static str {
    let Some(context) = context(store, id) else { return "when it is required" };
    if properties::get(store, id, *DISABLED) == Value::Boolean(true) {
        return "nowhere: it is disabled";
    }
    let Some(container) = container(store, id) else { return "nowhere: it is in no container" };
    let place = store.class(container).name();
    let shared = ["Workspace", "ReplicatedStorage", "ReplicatedFirst"].contains(&place);
    match (context, place) {
        (Context::Plugin, _) => "nowhere: it is a plugin's",
        (Context::Legacy, "Workspace" | "ServerScriptService") => "on the server",
        (Context::Legacy, "StarterCharacterScripts" | "StarterPack") => {
            "on the server, in each copy in a character"
        }
        (Context::Server, "ServerScriptService") => "on the server",
        (Context::Server, _) if shared => "on the server",
        (Context::Client, _) if shared => "on each client",
        (Context::Local, "ReplicatedFirst") => "on each client, first",
        (Context::Local, "Workspace") => "on a client, in its own character",
        (
            Context::Local | Context::Client,
            "StarterPlayerScripts" | "StarterCharacterScripts" | "StarterGui" | "StarterPack",
        ) => "on each client, in its copy",
        _ => "nowhere: its container runs no script of its kind",
    }
}

/// The client's own player, as its scripts see it.
fn local_player(peer: &Rc<Peer>) -> Option<InstanceId> {
    if peer.data_model().is_server() {
        return None;
    }
    match dispatch::read(peer, single_id(known_class("Players")), "LocalPlayer") {
        Ok(Value::Instance(player)) => Some(player),
        _ => None,
    }
}

fn in_character(store: &Store, player: Option<InstanceId>, id: InstanceId) -> bool {
    match player.map(|player| properties::get_by_name(store, player, "Character")) {
        Some(Value::Instance(character)) => store.is_descendant_of(id, character),
        _ => false,
    }
}

/// Whether this stage of loading runs a script already.
fn is_due(store: &Store, id: InstanceId, stage: Stage) -> bool {
    match stage {
        Stage::None => false,
        Stage::First => store.is_descendant_of(id, single_id(known_class("ReplicatedFirst"))),
        Stage::All => true,
    }
}

/// Scripts that run on this side in the places where they are now, in tree order, whether started or not.
pub fn runnable_scripts(peer: &Rc<Peer>) -> Vec<InstanceId> {
    let local = local_player(peer);
    let store = peer.data_model().store();
    store.descendants(GAME).into_iter().filter(|id| belongs(&store, local, *id)).collect()
}

/// Begins a stage: starts, at the next resumption point, every script that is due and has not been started.
///
/// Order: the tree's, or drawn under the world's `shuffle` setting.
pub fn begin(peer: &Rc<Peer>, stage: Stage) {
    let settings = &peer.shared.settings;
    if !settings.run_scripts || settings.context == RunContext::LuauExecution {
        return;
    }
    let model = peer.data_model();
    let runnable = runnable_scripts(peer);
    let mut due = {
        let store = model.store();
        let mut scripts = model.scripts.borrow_mut();
        scripts.stage = scripts.stage.max(stage);
        let stage = scripts.stage;
        let is_new = |id: &InstanceId| is_due(&store, *id, stage) && !scripts.started.contains_key(id);
        runnable.into_iter().filter(is_new).collect::<Vec<_>>()
    };
    if peer.shared.settings.shuffle {
        peer.shared
            .schedule()
            .random(&format!("script order of {} in stage {stage:?}", peer.side))
            .shuffle(&mut due);
    }
    for script in due {
        start(peer, script);
    }
}

fn start(peer: &Rc<Peer>, script: InstanceId) {
    let number = {
        let mut scripts = peer.data_model().scripts.borrow_mut();
        if scripts.started.contains_key(&script) {
            return;
        }
        scripts.starts += 1;
        let number = scripts.starts;
        scripts.started.insert(script, number);
        number
    };
    scheduler::call_later(peer, move |peer| {
        // It may have been disabled or destroyed since, and even enabled again.
        let still_started = peer.data_model().scripts.borrow().started.get(&script) == Some(&number);
        if still_started {
            match super::peer_of_script(peer, script) {
                Ok(home) => home.start_script(script),
                Err(failure) => peer.report(&failure, Some(&peer.full_name(script))),
            }
        }
    });
}

/// A script moved, was enabled or disabled, or changed its `RunContext`.
///
/// Leaving the tree does not stop a script; only disabling and destruction do. A new context starts it afresh.
pub(super) fn reconsider(peer: &Rc<Peer>, id: InstanceId, new_context: bool) {
    let model = peer.data_model();
    let stage = model.scripts.borrow().stage;
    if stage == Stage::None {
        return;
    }
    let is_script = context(&model.store(), id).is_some();
    if !is_script {
        return;
    }
    let local = local_player(peer);
    let (disabled, runs) = {
        let store = model.store();
        let disabled = properties::get(&store, id, *DISABLED) == Value::Boolean(true);
        (disabled, belongs(&store, local, id) && is_due(&store, id, stage))
    };
    if disabled || new_context {
        stop(peer, id);
    }
    if runs {
        start(peer, id);
    }
}

/// A script was destroyed.
pub(super) fn destroyed(peer: &Rc<Peer>, id: InstanceId) {
    stop(peer, id);
}

fn stop(peer: &Rc<Peer>, id: InstanceId) {
    if peer.data_model().scripts.borrow_mut().started.remove(&id).is_some() {
        peer.stop_script(id);
    }
}
