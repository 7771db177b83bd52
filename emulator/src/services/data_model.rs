//! `game`: services, loading, closing, what place this is. Engine pages: classes/DataModel and classes/ServiceProvider,
//! checked August 2026.

use std::rc::Rc;

use crate::datamodel::classes::{ClassId, class_by_name, known_class};
use crate::datamodel::instance::{text, this};
use crate::datamodel::members::{EventRef, Member, event, method, property};
use crate::datamodel::messages;
use crate::datamodel::store::GAME;
use crate::peer::Peer;
use crate::services::http_service::guid_text;
use crate::shared::RunContext;
use crate::value::Value;
use crate::vm::{Cx, Outcome, Raise, Returns};

/// Members of the class.
pub const MEMBERS: &[Member] = &[
    method("ServiceProvider", "FindService(className: string) -> Instance?", find_service),
    method("ServiceProvider", "GetService(className: string) -> Instance?", get_service),
    method("ServiceProvider", "getService(className: string) -> Instance?", get_service),
    method("ServiceProvider", "service(className: string) -> Instance?", get_service),
    event("ServiceProvider", "Close()"),
    event("ServiceProvider", "ServiceAdded(service: any)"),
    event("ServiceProvider", "ServiceRemoving(service: any)"),
    event("DataModel", "Loaded()"),
    method("DataModel", "BindToClose(callback: function)", bind_to_close).on_server(),
    method("DataModel", "IsLoaded() -> boolean", is_loaded),
    method("DataModel", "isLoaded() -> boolean", is_loaded),
    property("DataModel", "CreatorId", |_, _| Ok(Value::Number(0.0))),
    property("DataModel", "GameId", |peer, _| {
        let seat = peer.shared.seat.get();
        Ok(Value::Number(
            seat.map_or_else(|| peer.data_model().extras().place.game_id, |seat| seat.cloud.game()),
        ))
    }),
    property("DataModel", "JobId", job_id),
    property("DataModel", "PlaceId", |peer, _| {
        let server = server(peer);
        Ok(Value::Number(
            server.map_or_else(|| peer.data_model().extras().place.place_id, |server| server.place),
        ))
    }),
    property("DataModel", "PrivateServerId", |peer, _| {
        let server = server(peer).filter(|_| peer.side.is_server());
        Ok(server.map_or_else(|| Value::string(""), |server| Value::from(server.private)))
    })
    .instead("empty on clients, and outside a universe"),
    property("DataModel", "PrivateServerOwnerId", |peer, _| {
        let server = server(peer).filter(|_| peer.side.is_server());
        Ok(Value::Number(server.map_or(0.0, |server| server.owner)))
    })
    .instead("0 on clients, and outside a universe"),
    property("DataModel", "PlaceVersion", |peer, _| {
        Ok(Value::Number(peer.data_model().extras().place.version))
    }),
    property("DataModel", "Workspace", workspace),
    property("DataModel", "workspace", workspace),
];

static LOADED: EventRef = EventRef::new("DataModel", "Loaded");
static SERVICE_ADDED: EventRef = EventRef::new("ServiceProvider", "ServiceAdded");

/// What a place is to the platform; zeros for one that was never published.
#[derive(Debug, Clone, Default)]
pub struct Place {
    /// `game.PlaceId`
    pub place_id: f64,
    /// `game.GameId`
    pub game_id: f64,
    /// `game.PlaceVersion`
    pub version: f64,
    /// `game.JobId`: the same on all sides of one server, empty in Studio.
    pub job_id: String,
}

/// The server of its universe that a peer belongs to.
fn server(peer: &Peer) -> Option<crate::universe::Server> {
    let seat = peer.shared.seat.get()?;
    seat.cloud.server(seat.server)
}

/// The same on all sides of a server; drawn from the seed unless the place was given one.
fn job_id(peer: &Rc<Peer>, _: crate::value::InstanceId) -> Result<Value, String> {
    if let Some(server) = server(peer) {
        return Ok(Value::from(server.job));
    }
    let given = peer.data_model().extras().place.job_id.clone();
    let is_live = peer.shared.settings.context != RunContext::Studio;
    if given.is_empty() && is_live {
        let mut random = peer.shared.seed.random("job id");
        return Ok(Value::from(guid_text([random.bits(), random.bits()]).to_lowercase()));
    }
    Ok(Value::from(given))
}

fn workspace(peer: &Rc<Peer>, _: crate::value::InstanceId) -> Result<Value, String> {
    Ok(Value::Instance(peer.data_model().known_service("Workspace")))
}

/// Services of the engine's own tools, which no game can get: libraries ask for them to learn where they run.
const TOOLS_ONLY: [&str; 3] = ["CoreScriptSyncService", "FileSystemService", "ProcessService"];

/// The class a script asks for as a service.
fn service_class(cx: &Cx<'_>) -> Result<ClassId, Raise> {
    this(cx)?;
    let name = text(cx, 1)?;
    let known = class_by_name(&name).filter(|_| !TOOLS_ONLY.contains(&name.as_str()));
    known.ok_or_else(|| Raise::new(messages::not_a_service(&name)))
}

fn get_service(cx: &mut Cx<'_>) -> Outcome {
    let class = service_class(cx)?;
    let peer = cx.peer();
    let model = peer.data_model();
    let known = model.store().service(class);
    let service = if class == known_class("DataModel") { None } else { model.service(class) };
    if let (None, Some(made)) = (known, service) {
        if class == known_class("Stats") {
            super::stats::fill(&peer);
        }
        peer.fire(SERVICE_ADDED.on(GAME), &[Value::Instance(made)]);
    }
    cx.push_opt_instance(service);
    Ok(Returns::ONE)
}

fn find_service(cx: &mut Cx<'_>) -> Outcome {
    let class = service_class(cx)?;
    let service = cx.peer().data_model().store().service(class).filter(|_| class.is_service());
    cx.push_opt_instance(service);
    Ok(Returns::ONE)
}

fn is_loaded(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    let peer = cx.peer();
    let model = peer.data_model();
    let loaded = model.is_server() || model.extras().is_loaded;
    cx.push_boolean(loaded);
    Ok(Returns::ONE)
}

/// Tells a client that its first tree is there: `IsLoaded` turns true and `Loaded` fires.
pub fn set_loaded(peer: &Rc<Peer>) {
    if !std::mem::replace(&mut peer.data_model().extras().is_loaded, true) {
        peer.fire(LOADED.on(GAME), &[]);
    }
}

fn bind_to_close(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    let function = cx.function(1)?;
    cx.peer().data_model().extras().on_close.push(Value::Function(function));
    Ok(Returns::NONE)
}

/// Functions given to `BindToClose`, in the order they were given.
pub fn close_functions(peer: &Rc<Peer>) -> Vec<Value> {
    peer.data_model().extras().on_close.clone()
}
