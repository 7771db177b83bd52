//! `TeleportService` in a universe of servers: players who leave one and join another. Engine pages:
//! classes/TeleportService, classes/TeleportOptions and the guide on teleports, checked November 2026.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::calls::{ask, decode, encode, now, seat};
use crate::datamodel::classes::{enum_item, known_class};
use crate::datamodel::instance::{self, text, this};
use crate::datamodel::members::{EventRef, Member, event, method};
use crate::datamodel::properties;
use crate::peer::Peer;
use crate::scheduler::{drain, fire};
use crate::services::remotes::Desk;
use crate::shared::Side;
use crate::universe::{Cloud, Destination, Journey, Seat, Service};
use crate::value::{InstanceId, Value};
use crate::vm::{Cx, Outcome, Raise, Returns};
use crate::world::World;
use blinkblox_compiler::diagnostics::counted;

const UNIVERSE: &str = "in a universe of servers; elsewhere raises that it needs one";

/// What scripts can use.
pub const MEMBERS: &[Member] = &[
    method(
        "TeleportService",
        "TeleportAsync(placeId: number, players: table, options: TeleportOptions?) -> TeleportAsyncResult",
        teleport,
    )
    .on_server()
    .yields()
    .instead(UNIVERSE),
    method("TeleportService", "ReserveServerAsync(placeId: number) -> any", reserve)
        .on_server()
        .yields()
        .instead(UNIVERSE),
    method("TeleportService", "ReserveServer(placeId: number) -> ...", reserve)
        .on_server()
        .yields()
        .instead(UNIVERSE),
    method("TeleportService", "GetPlayerPlaceInstanceAsync(userId: number) -> ...", place_of_player)
        .on_server()
        .yields()
        .instead(UNIVERSE),
    method("TeleportService", "GetLocalPlayerTeleportData() -> any", local_data).on_client(),
    method("TeleportService", "GetArrivingTeleportGui() -> ScreenGui?", |cx| {
        this(cx)?;
        cx.push_nil();
        Ok(Returns::ONE)
    })
    .on_client()
    .instead("nothing: there is no screen"),
    method("TeleportService", "SetTeleportGui(gui: ScreenGui)", |cx| {
        this(cx)?;
        Ok(Returns::NONE)
    })
    .on_client()
    .instead("does nothing: there is no screen"),
    method("TeleportService", "GetTeleportSetting(setting: string) -> any", setting).on_client(),
    method("TeleportService", "SetTeleportSetting(setting: string, value: table)", set_setting)
        .on_client()
        .checks_arguments(),
    event("TeleportService", "LocalPlayerArrivedFromTeleport(loadingGui: ScreenGui, dataTable: any)"),
    event(
        "TeleportService",
        "TeleportInitFailed(player: Player, teleportResult: Enum.TeleportResult, errorMessage: string, placeId: number, \
         teleportOptions: TeleportOptions)",
    ),
    method("TeleportOptions", "GetTeleportData() -> any", option_data),
    method("TeleportOptions", "SetTeleportData(teleportData: any)", set_option_data).checks_arguments(),
];

static FAILED: EventRef = EventRef::new("TeleportService", "TeleportInitFailed");
static ARRIVED: EventRef = EventRef::new("TeleportService", "LocalPlayerArrivedFromTeleport");
static ON_TELEPORT: EventRef = EventRef::new("Player", "OnTeleport");

/// Why a teleport did not happen: `Enum.TeleportResult`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TeleportResult {
    /// For no reason that is known.
    Failure,
    /// The place is not there.
    GameNotFound,
    /// The server is not there any more.
    GameEnded,
    /// The server has no room.
    GameFull,
    /// The access code is none.
    Unauthorized,
    /// There were too many.
    Flooded,
    /// The player is on the way already.
    IsTeleporting,
}

impl TeleportResult {
    /// The item's name.
    pub fn name(self) -> &'static str {
        match self {
            TeleportResult::Failure => "Failure",
            TeleportResult::GameNotFound => "GameNotFound",
            TeleportResult::GameEnded => "GameEnded",
            TeleportResult::GameFull => "GameFull",
            TeleportResult::Unauthorized => "Unauthorized",
            TeleportResult::Flooded => "Flooded",
            TeleportResult::IsTeleporting => "IsTeleporting",
        }
    }

    /// The item of that name.
    pub fn named(name: &str) -> Option<TeleportResult> {
        use TeleportResult::*;
        let all = [Failure, GameNotFound, GameEnded, GameFull, Unauthorized, Flooded, IsTeleporting];
        all.into_iter().find(|result| result.name() == name)
    }
}

/// What a peer knows of teleports.
#[derive(Default)]
pub struct Teleports {
    /// What options carry, by their instance.
    data: RefCell<BTreeMap<InstanceId, Rc<[u8]>>>,
    /// On a client: what it arrived with.
    arrived_with: RefCell<Option<Value>>,
    /// On a client: what its scripts keep from place to place.
    settings: RefCell<Vec<(String, Value)>>,
}

fn teleports(peer: &Peer) -> Rc<Teleports> {
    peer.part_or_default::<Teleports>()
}

/// Tells a client, before its scripts run, what it arrived with and what it kept.
pub fn set_arrival(peer: &Peer, data: Value, settings: Vec<(String, Value)>) {
    let teleports = teleports(peer);
    *teleports.arrived_with.borrow_mut() = Some(data);
    *teleports.settings.borrow_mut() = settings;
}

/// What a client's scripts keep from place to place.
pub fn settings_of(peer: &Peer) -> Vec<(String, Value)> {
    teleports(peer).settings.borrow().clone()
}

/// Most players that one call teleports.
const MOST_PLAYERS: usize = 50;

fn teleport(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    let peer = cx.peer();
    let seat = seat(&peer, "TeleportService")?;
    let place = cx.number(1)?;
    if place < 0.0 || place.is_nan() {
        return Err("Invalid placeId".into());
    }
    let Value::Table(listed) = cx.value(2)? else { return Err(cx.wrong_type(2, "table")) };
    if listed.array.is_empty() {
        return Err("Players empty".into());
    }
    if listed.array.len() > MOST_PLAYERS {
        return Err(format!("No more than {MOST_PLAYERS} players can be teleported at once").into());
    }
    let members = listed.array.iter().map(|value| member(&peer, value)).collect::<Option<Vec<_>>>();
    let members = members.ok_or("List of players instances is incorrect")?;
    let options = match cx.opt_instance(3)? {
        Some(id) if peer.data_model().store().class(id) != known_class("TeleportOptions") => {
            return Err("TeleportOptions not of correct type".into());
        }
        options => options,
    };
    let wanted = Wanted::of(&peer, options)?;
    let what = format!("TeleportAsync({place}, {})", counted(members.len(), "player"));
    ask(cx, &seat, Service::Teleport, what, "", {
        let seat = seat.clone();
        move |peer, cloud| Ok(wanted.start(peer, cloud, &seat, place, &members, options))
    })
}

/// The player's side and id, if the value is a player who is there.
fn member(peer: &Peer, value: &Value) -> Option<(Side, InstanceId, i64)> {
    let Value::Instance(player) = value else { return None };
    let member = peer.part::<Desk>()?.core.member_of(*player)?;
    Some((member.side, *player, member.user_id))
}

/// What options ask for.
struct Wanted {
    code: String,
    job: String,
    reserve: bool,
    data: Value,
}

impl Wanted {
    /// Errors: two of them exclude each other.
    fn of(peer: &Rc<Peer>, options: Option<InstanceId>) -> Result<Wanted, Raise> {
        let Some(options) = options else {
            return Ok(Wanted { code: String::new(), job: String::new(), reserve: false, data: Value::Nil });
        };
        let words = |name: &str| match instance::property_of(peer, options, name) {
            Value::String(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            _ => String::new(),
        };
        let data = teleports(peer).data.borrow().get(&options).map_or(Value::Nil, |data| decode(data));
        let wanted = Wanted {
            code: words("ReservedServerAccessCode"),
            job: words("ServerInstanceId"),
            reserve: instance::property_of(peer, options, "ShouldReserveServer") == Value::Boolean(true),
            data,
        };
        let set = [!wanted.code.is_empty(), !wanted.job.is_empty(), wanted.reserve];
        if set.into_iter().filter(|set| *set).count() > 1 {
            return Err("Incompatible Parameters: options name more than one server".into());
        }
        Ok(wanted)
    }

    /// Sends everybody on the way. Gives what the call gives.
    fn start(
        &self,
        peer: &Rc<Peer>,
        cloud: &Cloud,
        seat: &Seat,
        place: f64,
        members: &[(Side, InstanceId, i64)],
        options: Option<InstanceId>,
    ) -> Vec<Value> {
        let (mut code, mut private) = (self.code.clone(), String::new());
        // Without the place there is nothing to reserve: that the teleport fails tells why.
        if self.reserve && cloud.has_place(place) {
            (code, private) = cloud.reserve(place);
        }
        let to = match (&*code, &*self.job) {
            ("", "") => Destination::Place(place),
            ("", job) => Destination::Job(job.to_owned()),
            (code, _) => Destination::Code(code.to_owned()),
        };
        let party: Vec<i64> = members.iter().map(|(.., id)| *id).collect();
        for (side, player, _) in members {
            let mut journey = Journey::new(seat.server, *side, to.clone(), place, self.data.clone());
            (journey.options, journey.party) = (options, party.clone());
            if !cloud.send(journey.clone(), now(peer)) {
                let text = "This player is teleporting already";
                fire_failed(peer, *player, TeleportResult::IsTeleporting, text, &journey);
            }
        }
        let Some(_) = options else { return vec![Value::Nil] };
        let result = {
            let class = known_class("TeleportAsyncResult");
            let id = peer.data_model().store_mut().create(class);
            for (name, value) in [("ReservedServerAccessCode", &code), ("PrivateServerId", &private)] {
                if let Some(property) = class.property(name) {
                    properties::set(peer, id, property, Value::string(value));
                }
            }
            id
        };
        vec![Value::Instance(result)]
    }
}

fn fire_failed(peer: &Rc<Peer>, player: InstanceId, result: TeleportResult, text: &str, journey: &Journey) {
    let service = peer.data_model().known_service("TeleportService");
    let item = enum_item("TeleportResult", result.name()).map_or(Value::Nil, Value::EnumItem);
    let options = if peer.side.is_server() { journey.options } else { None };
    fire(
        peer,
        FAILED.on(service),
        [
            Value::Instance(player),
            item,
            Value::string(text),
            Value::Number(journey.place),
            Value::from(options),
        ],
    );
}

/// Tells a server and the player's client that a teleport did not happen.
pub fn fail(world: &World, journey: &Journey, result: TeleportResult, text: &str) {
    let Side::Client(client) = journey.side else { return };
    let Ok(player) = world.player(client) else { return };
    for side in [Side::Server, journey.side] {
        let Ok(peer) = world.peer(side) else { continue };
        fire_failed(&peer, player, result, text, journey);
        drain(&peer);
    }
    state(world, client, "Failed", journey.place);
}

/// Fires `OnTeleport` on a client.
pub fn state(world: &World, client: u32, state: &str, place: f64) {
    let (Ok(peer), Ok(player)) = (world.peer(Side::Client(client)), world.player(client)) else { return };
    let state = enum_item("TeleportState", state).map_or(Value::Nil, Value::EnumItem);
    fire(&peer, ON_TELEPORT.on(player), [state, Value::Number(place), Value::string("")]);
    drain(&peer);
}

/// Tells a client that it has arrived.
pub fn arrived(world: &World, client: u32, data: Value) {
    let Ok(peer) = world.peer(Side::Client(client)) else { return };
    let service = peer.data_model().known_service("TeleportService");
    fire(&peer, ARRIVED.on(service), [Value::Nil, data]);
    drain(&peer);
}

fn reserve(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    let seat = seat(&cx.peer(), "TeleportService")?;
    let place = cx.number(1)?;
    if !seat.cloud.has_place(place) {
        return Err(format!("ReserveServer: place {place} is not part of this experience").into());
    }
    let what = format!("ReserveServerAsync({place})");
    ask(cx, &seat, Service::Reserve, what, "HTTP 500 (Internal Server Error)", move |_, cloud| {
        let (code, private) = cloud.reserve(place);
        Ok(vec![Value::from(code), Value::from(private)])
    })
}

fn place_of_player(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    let seat = seat(&cx.peer(), "TeleportService")?;
    let user = cx.number(1)?;
    let what = format!("GetPlayerPlaceInstanceAsync({user})");
    let own = seat.server;
    ask(cx, &seat, Service::Teleport, what, "", move |_, cloud| {
        let is_there = |number: &u32| {
            let world = cloud.world(*number);
            world.is_some_and(|world| {
                let members = world.core().members();
                members.iter().any(|member| member.connected && member.user_id as f64 == user)
            })
        };
        let number = cloud.open_servers().into_iter().find(is_there);
        let server = number.and_then(|number| Some((number, cloud.server(number)?)));
        let (number, server) = server.ok_or("The user is not in this experience")?;
        Ok(vec![
            Value::Boolean(number == own),
            Value::string(""),
            Value::Number(server.place),
            Value::from(server.job),
        ])
    })
}

fn local_data(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    let data = teleports(&cx.peer()).arrived_with.borrow().clone();
    cx.push(&data.unwrap_or(Value::Nil));
    Ok(Returns::ONE)
}

fn setting(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    let name = text(cx, 1)?;
    let peer = cx.peer();
    let teleports = teleports(&peer);
    let found =
        teleports.settings.borrow().iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone());
    cx.push(&found.unwrap_or(Value::Nil));
    Ok(Returns::ONE)
}

fn set_setting(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    let name = text(cx, 1)?;
    let value = encode(&cx.value(2)?).ok_or("A teleport setting is plain data")?;
    let peer = cx.peer();
    let teleports = teleports(&peer);
    let mut settings = teleports.settings.borrow_mut();
    settings.retain(|(known, _)| *known != name);
    settings.push((name, decode(&value)));
    Ok(Returns::NONE)
}

fn option_data(cx: &mut Cx<'_>) -> Outcome {
    let id = this(cx)?;
    let data = teleports(&cx.peer()).data.borrow().get(&id).map_or(Value::Nil, |data| decode(data));
    cx.push(&data);
    Ok(Returns::ONE)
}

fn set_option_data(cx: &mut Cx<'_>) -> Outcome {
    let id = this(cx)?;
    const PLAIN: &str = "Teleport data is plain: tables without mixed keys, strings, numbers and booleans";
    let data = cx.value(1).map_err(|raise| raise.reworded(PLAIN))?;
    let data = encode(&data).ok_or(PLAIN)?;
    teleports(&cx.peer()).data.borrow_mut().insert(id, data);
    Ok(Returns::NONE)
}
