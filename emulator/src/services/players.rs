//! Players: who is in the game, how they come and go. Source: Roblox behaviour, 8.
//!
//! The server makes the `Player`; clients get it by replication. Joining and leaving as a whole is the world's work.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::LazyLock;

use crate::datamodel::classes::{ClassId, enum_item, known_class};
use crate::datamodel::instance::this;
use crate::datamodel::journal::Change;
use crate::datamodel::members::{EventRef, Member, event, method, property};
use crate::datamodel::store::single_id;
use crate::datamodel::{instance, messages, properties, replication, tree};
use crate::datatypes::{CFrame, Datatype, Vector3};
use crate::peer::Peer;
use crate::scheduler::fire;
use crate::services::characters;
use crate::services::remotes::Desk;
use crate::shared::{DiagnosticCode, Side};
use crate::value::{InstanceId, Value};
use crate::vm::{Cx, Outcome, Raise, Returns};
use crate::world::Request;

/// What scripts can use.
pub const MEMBERS: &[Member] = &[
    event("Players", "PlayerAdded(player: Player)"),
    event("Players", "PlayerRemoving(player: Player, reason: Enum.PlayerExitReason)"),
    event("Players", "PlayerMembershipChanged(player: Player)"),
    method("Players", "GetPlayers() -> table", get_players),
    method("Players", "getPlayers() -> table", get_players),
    method("Players", "players() -> table", get_players),
    method("Players", "GetPlayerByUserId(userId: number) -> Player?", get_player_by_user_id),
    method("Players", "GetPlayerFromCharacter(character: Instance?) -> Player?", get_player_from_character),
    method("Players", "getPlayerFromCharacter(character: Instance?) -> Player?", get_player_from_character),
    property("Players", "LocalPlayer", local_player),
    property("Players", "MaxPlayers", max_players),
    property("Players", "PreferredPlayers", max_players),
    event("Player", "Chatted(message: string, recipient: Player?)"),
    event("Player", "Idled(time: number)"),
    event("Player", "OnTeleport(teleportState: Enum.TeleportState, placeId: number, spawnName: string)"),
    method("Player", "Kick(message: string?)", kick),
    method("Player", "kick(message: string?)", kick),
    method("Player", "GetNetworkPing() -> number", get_network_ping),
    method("Player", "GetJoinData() -> table", get_join_data).instead("what the test gave as joinData"),
    method("Player", "DistanceFromCharacter(point: Vector3) -> number", distance_from_character),
    method("Player", "HasAppearanceLoaded() -> boolean", has_appearance_loaded),
    method("Players", "GetNameFromUserIdAsync(userId: number) -> string", get_name_from_user_id)
        .yields()
        .instead("knows those who are in the game"),
    method("Players", "GetUserIdFromNameAsync(userName: string) -> number", get_user_id_from_name)
        .yields()
        .instead("knows those who are in the game"),
];

static PLAYER_ADDED: EventRef = EventRef::new("Players", "PlayerAdded");
static PLAYER_REMOVING: EventRef = EventRef::new("Players", "PlayerRemoving");

/// What a peer knows of its place among the players.
#[derive(Debug, Default)]
pub struct Presence {
    /// On a client, its own `Player`.
    pub local: Cell<Option<InstanceId>>,
    // On the server: players were present when PlayerAdded was connected, and nobody has asked for them yet.
    overlooked: Cell<bool>,
    // On a client: players and characters of theirs that are not in the tree yet.
    expected: RefCell<Vec<(InstanceId, InstanceId)>>,
    // On a client: its player has had a character.
    spawned: Cell<bool>,
}

/// Watches a server for code that waits for players who are there already.
pub fn watch_late_listeners(peer: &Rc<Peer>) {
    peer.signals.on_connect(|peer, key| {
        if key == PLAYER_ADDED.on(service()) && !present(peer).is_empty() {
            presence(peer).overlooked.set(true);
        }
    });
}

/// Speaks of players that were overlooked in the frame that ends.
pub fn report_overlooked(peer: &Peer) {
    if presence(peer).overlooked.take() {
        let text = "PlayerAdded was connected while players were in the game, and GetPlayers was not read: they get no \
                    event; go through GetPlayers() as well";
        peer.diagnose(DiagnosticCode::LateJoin, text, None);
    }
}

fn presence(peer: &Peer) -> Rc<Presence> {
    peer.part_or_default::<Presence>()
}

/// Tells a client which `Player` is its own.
pub fn set_local(peer: &Peer, player: InstanceId) {
    presence(peer).local.set(Some(player));
}

static PLAYER: LazyLock<ClassId> = LazyLock::new(|| known_class("Player"));
static SERVICE: LazyLock<InstanceId> = LazyLock::new(|| single_id(known_class("Players")));

/// The `Players` service.
pub fn service() -> InstanceId {
    *SERVICE
}

/// Takes changes of the server's in on a client, with the events that players have there.
pub fn apply_changes(peer: &Rc<Peer>, changes: impl IntoIterator<Item = Change>) {
    for change in changes {
        apply_change(peer, change);
    }
    let presence = presence(peer);
    let expected = std::mem::take(&mut *presence.expected.borrow_mut());
    for (player, character) in expected {
        if !characters::try_announce(peer, player, character) {
            presence.expected.borrow_mut().push((player, character));
        } else if presence.local.get() == Some(player) && presence.spawned.replace(true) {
            copy_starter_gui(peer, player, true);
        }
    }
}

fn apply_change(peer: &Rc<Peer>, change: Change) {
    let is_player = |id: InstanceId| {
        let store = peer.data_model().store();
        store.get(id).is_some() && store.class(id) == *PLAYER
    };
    match &change {
        Change::Create(created) if created.class == *PLAYER => {
            let id = created.id;
            let known = is_player(id);
            replication::apply(peer, change);
            if !known {
                fire(peer, PLAYER_ADDED.on(service()), [Value::Instance(id)]);
            }
            return;
        }
        Change::Destroy { id } if is_player(*id) => fire_removing(peer, *id, ExitReason::Unknown),
        Change::Property { id, property, value } if *property == *characters::CHARACTER && is_player(*id) => {
            characters::replaced(peer, *id);
            if let Value::Instance(character) = value {
                presence(peer).expected.borrow_mut().push((*id, *character));
            }
        }
        _ => {}
    }
    replication::apply(peer, change);
}

/// The `Player`s in the service, in order of joining.
fn present(peer: &Peer) -> Vec<InstanceId> {
    let model = peer.data_model();
    let store = model.store();
    let player = known_class("Player");
    store.children(service()).iter().copied().filter(|id| store.class(*id) == player).collect()
}

/// What a new player is.
#[derive(Clone, Debug)]
pub struct NewPlayer {
    /// `Name`.
    pub name: String,
    /// `DisplayName`.
    pub display_name: String,
    /// `UserId`.
    pub user_id: i64,
}

/// Makes a `Player` with what is in it, not yet in the game.
pub fn make(peer: &Rc<Peer>, new: &NewPlayer) -> InstanceId {
    let model = peer.data_model();
    let player = model.store_mut().create(known_class("Player"));
    let set = |name: &str, value: Value| {
        if let Some(property) = known_class("Player").property(name) {
            properties::set(peer, player, property, value);
        }
    };
    set("Name", Value::string(&new.name));
    set("UserId", Value::Number(new.user_id as f64));
    set("DisplayName", Value::string(&new.display_name));
    for class in ["Backpack", "PlayerGui", "StarterGear"] {
        let mut store = model.store_mut();
        let child = store.create(known_class(class));
        store.set_parent(child, Some(player));
    }
    player
}

/// Gives a client its `PlayerScripts`: a copy of what is in `StarterPlayerScripts`. Source: Roblox behaviour, 8.10.
pub fn copy_starter_scripts(peer: &Rc<Peer>, player: InstanceId) {
    let model = peer.data_model();
    let scripts = model.store_mut().create(known_class("PlayerScripts"));
    let starters = {
        let store = model.store();
        let starter = single_id(known_class("StarterPlayerScripts"));
        store.children(starter).to_vec()
    };
    for starter in starters {
        if let Some(copy) = tree::clone(peer, starter) {
            model.store_mut().set_parent(copy, Some(scripts));
        }
    }
    tree::move_to(peer, scripts, Some(player));
}

/// Gives a client copies of what is in `StarterGui`, in its `PlayerGui`: when it has loaded, and anew with each
/// character. What has `ResetOnSpawn` off is copied once.
pub fn copy_starter_gui(peer: &Rc<Peer>, player: InstanceId, respawned: bool) {
    let model = peer.data_model();
    let (gui, starters, old) = {
        let store = model.store();
        let children = store.children(player).iter().copied();
        let Some(gui) = children.into_iter().find(|child| store.class(*child).name() == "PlayerGui") else {
            return;
        };
        let starters = store.children(single_id(known_class("StarterGui"))).to_vec();
        let names: Vec<_> = starters.iter().map(|starter| store.name(*starter)).collect();
        let old = store.children(gui).iter().copied().filter(|child| names.contains(&store.name(*child)));
        (gui, starters, old.collect::<Vec<_>>())
    };
    let stays = |id: InstanceId| instance::property_of(peer, id, "ResetOnSpawn") == Value::Boolean(false);
    if respawned {
        old.into_iter().filter(|id| !stays(*id)).for_each(|id| tree::force_destroy(peer, id));
    }
    for starter in starters.into_iter().filter(|starter| !(respawned && stays(*starter))) {
        if let Some(copy) = tree::clone(peer, starter) {
            tree::move_to(peer, copy, Some(gui));
        }
    }
}

/// Puts a `Player` into the game and fires `PlayerAdded`.
pub fn add(peer: &Rc<Peer>, player: InstanceId) {
    tree::move_to(peer, player, Some(service()));
    fire(peer, PLAYER_ADDED.on(service()), [Value::Instance(player)]);
}

/// Why a player leaves: `Enum.PlayerExitReason`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitReason {
    /// Any other reason: the player quit, or the connection died.
    Unknown,
    /// The platform removed the player.
    PlatformKick,
    /// A script called `Kick`.
    CreatorKick,
}

impl ExitReason {
    /// Name of the item.
    pub fn name(self) -> &'static str {
        match self {
            ExitReason::Unknown => "Unknown",
            ExitReason::PlatformKick => "PlatformKick",
            ExitReason::CreatorKick => "CreatorKick",
        }
    }
}

/// Fires `PlayerRemoving`. The player is still in the game while handlers start, in both signal modes.
pub fn fire_removing(peer: &Rc<Peer>, player: InstanceId, reason: ExitReason) {
    let reason = enum_item("PlayerExitReason", reason.name()).map_or(Value::Nil, Value::EnumItem);
    fire(peer, PLAYER_REMOVING.on(service()), [Value::Instance(player), reason]);
}

/// Takes a `Player` out of the game for good.
pub fn remove(peer: &Rc<Peer>, player: InstanceId) {
    tree::force_destroy(peer, player);
}

fn get_players(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    let peer = cx.peer();
    presence(&peer).overlooked.set(false);
    instance::push_instances(cx, &present(&peer))
}

fn get_player_by_user_id(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    let wanted = cx.number(1)?;
    let peer = cx.peer();
    let found = present(&peer)
        .into_iter()
        .find(|id| instance::property_of(&peer, *id, "UserId").as_number() == Some(wanted));
    cx.push_opt_instance(found);
    Ok(Returns::ONE)
}

fn get_player_from_character(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    let peer = cx.peer();
    let character = cx.opt_instance(1)?;
    let found = character.and_then(|character| {
        let is_its =
            |id: &InstanceId| instance::property_of(&peer, *id, "Character") == Value::Instance(character);
        present(&peer).into_iter().find(is_its)
    });
    cx.push_opt_instance(found);
    Ok(Returns::ONE)
}

fn local_player(peer: &Rc<Peer>, players: InstanceId) -> Result<Value, String> {
    // Without a world, as in tests of the tree alone, the property says.
    let stored = || instance::property_of(peer, players, "LocalPlayer");
    Ok(presence(peer).local.get().map_or_else(stored, Value::Instance))
}

fn max_players(peer: &Rc<Peer>, _: InstanceId) -> Result<Value, String> {
    Ok(Value::from(peer.shared.settings.max_players))
}

/// What a kicked player is told when the script says nothing.
const KICKED: &str = "You have been kicked from the game";

fn kick(cx: &mut Cx<'_>) -> Outcome {
    let player = this(cx)?;
    let peer = cx.peer();
    if !peer.side.is_server() && presence(&peer).local.get() != Some(player) {
        return Err(Raise::new("Cannot kick a non-local Player from a LocalScript"));
    }
    let message = if cx.is_nil(1) { KICKED.to_owned() } else { cx.display(1) };
    if let Some(desk) = peer.part::<Desk>()
        && let Some(member) = desk.core.member_of(player)
        && member.connected
    {
        desk.core.request(Request::Kick { client: member.side, message });
    }
    Ok(Returns::NONE)
}

fn get_network_ping(cx: &mut Cx<'_>) -> Outcome {
    let player = this(cx)?;
    let peer = cx.peer();
    if !peer.side.is_server() && presence(&peer).local.get() != Some(player) {
        return Err(Raise::new("GetNetworkPing can only be called on the local player from a client"));
    }
    let core = peer.part::<Desk>().map(|desk| desk.core.clone());
    let side: Option<Side> = core.as_ref().and_then(|core| core.member_of(player)).map(|member| member.side);
    let ping = core.zip(side).map_or(0.0, |(core, side)| core.round_trip(side).seconds());
    cx.push_number(ping);
    Ok(Returns::ONE)
}

/// What players brought along when they joined, by player.
#[derive(Debug, Default)]
pub struct JoinData(RefCell<std::collections::BTreeMap<InstanceId, Value>>);

/// Says what `GetJoinData` gives of a player: a record, for the server.
pub fn set_join_data(peer: &Peer, player: InstanceId, data: Value) {
    let all = peer.part_or_default::<JoinData>();
    all.0.borrow_mut().insert(player, data);
}

fn get_join_data(cx: &mut Cx<'_>) -> Outcome {
    let player = this(cx)?;
    let given = cx.peer().part::<JoinData>().and_then(|all| all.0.borrow().get(&player).cloned());
    cx.push(&given.unwrap_or_else(|| Value::array([])));
    Ok(Returns::ONE)
}

/// Where a player's head is.
fn head(peer: &Rc<Peer>, player: InstanceId) -> Option<CFrame> {
    let Value::Instance(character) = instance::property_of(peer, player, "Character") else { return None };
    let head = peer.data_model().store().find_child(character, "Head")?;
    match instance::property_of(peer, head, "CFrame") {
        Value::Datatype(Datatype::CFrame(frame)) => Some(frame),
        _ => None,
    }
}

/// How far a point is from the player's head; 0 without a character.
fn distance_from_character(cx: &mut Cx<'_>) -> Outcome {
    let (player, point) = (this(cx)?, cx.vector(1)?);
    let distance =
        head(&cx.peer(), player).map_or(0.0, |frame| (frame.position - Vector3::from_array(point)).length());
    cx.push_number(f64::from(distance));
    Ok(Returns::ONE)
}

fn has_appearance_loaded(cx: &mut Cx<'_>) -> Outcome {
    let player = this(cx)?;
    let character = instance::property_of(&cx.peer(), player, "Character");
    cx.push_boolean(!character.is_nil());
    Ok(Returns::ONE)
}

/// The player of whom a property has this value.
fn found_by(peer: &Rc<Peer>, property: &str, value: &Value) -> Option<InstanceId> {
    present(peer).into_iter().find(|player| instance::property_of(peer, *player, property) == *value)
}

fn get_name_from_user_id(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    let id = cx.number(1)?;
    let peer = cx.peer();
    let player = found_by(&peer, "UserId", &Value::Number(id))
        .ok_or_else(|| Raise::new(messages::not_emulated("Players", "GetNameFromUserIdAsync")))?;
    cx.push(&instance::property_of(&peer, player, "Name"));
    Ok(Returns::ONE)
}

fn get_user_id_from_name(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    let name = instance::text(cx, 1)?;
    let peer = cx.peer();
    let player = found_by(&peer, "Name", &name.into())
        .ok_or_else(|| Raise::new(messages::not_emulated("Players", "GetUserIdFromNameAsync")))?;
    cx.push(&instance::property_of(&peer, player, "UserId"));
    Ok(Returns::ONE)
}
