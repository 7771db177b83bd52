//! Natives about a universe of servers: making it, opening and killing servers, what fails, where players are.

use std::rc::Rc;

use super::building::{BUILDING_OPTIONS, nets, world_options};
use super::options::Options;
use super::world::{number_of, wrong};
use crate::clock::Time;
use crate::project::Node;
use crate::services::calls::{decode, encode};
use crate::services::teleport_service::TeleportResult;
use crate::testing::director::Director;
use crate::universe::{Access, Cloud, Fault, Kind, Opening, Service, Universe};
use crate::value::Value;
use crate::vm::{Cx, NativeFn, Outcome, Raise, Returns};
use crate::world::{World, WorldError, WorldOptions};

/// Names as the Luau half calls them.
pub const NATIVES: &[(&str, NativeFn)] = &[
    ("newUniverse", new_universe),
    ("universeOpen", open),
    ("universeServers", servers),
    ("universeServer", server),
    ("universeSettle", settle),
    ("universeFail", fail),
    ("universeMend", mend),
    ("universeKill", kill),
    ("universeWhere", whereabouts),
    ("universeForge", forge),
    ("universeStored", stored),
];

/// The universe of argument 1.
fn universe(cx: &Cx<'_>, director: &Director) -> Result<Rc<Universe>, Raise> {
    Ok(director.worlds.universe(cx.number(1)? as u32)?)
}

/// What a universe alone takes.
const UNIVERSE_OPTIONS: &[&str] = &["servers", "places", "gameId", "server", "client"];

fn new_universe(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let known = [UNIVERSE_OPTIONS, BUILDING_OPTIONS].concat();
    let options = Options::read("test.universe", cx.value(1)?, &known)?;
    let count = options.whole("servers", 1.0, MOST_SERVERS)?.unwrap_or(1.0);
    let tree = scripts(&options)?;
    let (wanted, built) = world_options(&options, &director, tree)?;
    let places = match options.get("places") {
        None => vec![1.0],
        Some(Value::Table(table)) if !table.array.is_empty() => {
            let id = |place: &Value| place.as_number().filter(|id| *id >= 1.0 && id.fract() == 0.0);
            let places: Option<Vec<f64>> = table.array.iter().map(id).collect();
            places.ok_or(PLACES)?
        }
        Some(_) => return Err(PLACES.into()),
    };
    let first = places.first().copied().unwrap_or(1.0);
    let game = options.whole("gameId", 1.0, MOST_ID)?.unwrap_or(1.0);
    let cloud = Cloud::new(wanted.seed, game, places);
    let net = nets(&built);
    let weak = Rc::downgrade(&director);
    let make = move |opening: &Opening| -> Result<Rc<World>, WorldError> {
        let director = weak.upgrade().ok_or_else(|| WorldError::Vm("the test run is over".into()))?;
        let world = World::new(WorldOptions {
            seed: opening.seed,
            seat: Some(opening.seat.clone()),
            begin: opening.begin,
            ..wanted.clone()
        })?;
        built.describe(&mut world.core().trace_mut());
        let world = Rc::new(world);
        director.worlds.add(world.clone(), built.clone());
        Ok(world)
    };
    let number = director.worlds.add_universe(Universe::new(cloud, Box::new(make)));
    cx.push_number(f64::from(number));
    cx.push(&net);
    cx.push_number(count);
    cx.push_number(first);
    Ok(Returns::Values(4))
}

/// Most servers that a universe begins with: each has a VM of its own.
const MOST_SERVERS: f64 = 100.0;
/// The largest whole number that a number holds.
const MOST_ID: f64 = 9_007_199_254_740_991.0;
const PLACES: &str =
    "test.universe: places is a list of ids, which are whole numbers from 1; the start place comes first";

/// The tree of `server` and `client`: a script of each server, and one of each client. With a schema and no source of
/// its own, the server's loads the schema's module.
fn scripts(options: &Options) -> Result<Option<Node>, Raise> {
    let (server, client) = (options.text("server")?, options.text("client")?);
    let other = ["project", "place", "tree", "game"].into_iter().find(|name| options.get(name).is_some());
    if let Some(other) = other {
        if server.is_some() || client.is_some() {
            return Err(format!(
                "test.universe: server and client are scripts beside a schema, not a {other}"
            )
            .into());
        }
        return Ok(None);
    }
    let has_schema = ["schema", "serverSchema"].iter().any(|name| options.get(name).is_some());
    let load = "require(game:GetService(\"ServerScriptService\"):WaitForChild(\"Net\"))";
    let server = server.or_else(|| has_schema.then(|| load.to_owned()));
    let script = |class: &str, name: &str, source: String| {
        let mut node = Node::new(class, name);
        node.source = Some(source.replace("\r\n", "\n").into());
        node
    };
    let mut root = Node::new("DataModel", "Game");
    if let Some(source) = server {
        let mut service = Node::new("ServerScriptService", "ServerScriptService");
        service.children.push(script("Script", "Server", source));
        root.children.push(service);
    }
    if let Some(source) = client {
        let mut starter = Node::new("StarterPlayer", "StarterPlayer");
        let mut scripts = Node::new("StarterPlayerScripts", "StarterPlayerScripts");
        scripts.children.push(script("LocalScript", "Client", source));
        starter.children.push(scripts);
        root.children.push(starter);
    }
    Ok(Some(root))
}

fn open(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let universe = universe(cx, &director)?;
    let options = Options::read("universe:open", cx.value(3)?, &["owner"])?;
    let owner = options.whole("owner", -MOST_ID, MOST_ID)?;
    let access = owner.filter(|owner| *owner != 0.0).map_or(Access::Public, Access::Owned);
    let number = universe.open(cx.number(2)?, access).map_err(wrong)?;
    cx.push_number(f64::from(number));
    Ok(Returns::ONE)
}

/// Numbers of the worlds of all servers, in order.
fn servers(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let worlds = universe(cx, &director)?.worlds();
    let numbers = worlds.iter().filter_map(|world| director.worlds.number_of(world));
    cx.push(&Value::array(numbers.map(Value::from)));
    Ok(Returns::ONE)
}

fn server(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let number = cx.number(2)? as u32;
    let found = universe(cx, &director)?.cloud().server(number);
    let server = found.ok_or_else(|| format!("there is no server {number}"))?;
    cx.push(&Value::record([
        ("placeId", Value::Number(server.place)),
        ("jobId", Value::from(server.job)),
        ("privateServerId", Value::from(server.private)),
        ("privateServerOwnerId", Value::Number(server.owner)),
        ("open", Value::Boolean(server.open)),
    ]));
    Ok(Returns::ONE)
}

fn settle(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    universe(cx, &director)?.settle(Time::from_seconds(cx.number(2)?)).map_err(wrong)?;
    Ok(Returns::NONE)
}

fn service(name: &str) -> Result<Service, Raise> {
    let found = Service::ALL.into_iter().find(|service| service.name() == name);
    found.ok_or_else(|| {
        let known = Service::ALL.map(Service::name).join(", ");
        Raise::new(format!("there is no service \"{name}\" that fails; there are {known}"))
    })
}

fn fail(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let universe = universe(cx, &director)?;
    let service = service(&cx.text(2)?)?;
    let options =
        Options::read("universe:fail", cx.value(3)?, &["times", "server", "player", "text", "result"])?;
    let result = options.text("result")?;
    if let Some(result) = result.as_deref().filter(|result| TeleportResult::named(result).is_none()) {
        return Err(format!("universe:fail: there is no Enum.TeleportResult.{result}").into());
    }
    universe.cloud().fail(Fault {
        service,
        times: options.whole("times", 1.0, 1e9)?.map_or(1, |times| times as u32),
        server: options.whole("server", 1.0, 1e9)?.map(|number| number as u32),
        player: options.text("player")?,
        text: options.text("text")?.or(result),
    });
    Ok(Returns::NONE)
}

fn mend(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let universe = universe(cx, &director)?;
    let one = if cx.is_nil(2) { None } else { Some(service(&cx.text(2)?)?) };
    universe.cloud().mend(one);
    Ok(Returns::NONE)
}

fn kill(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    universe(cx, &director)?.kill(cx.number(2)? as u32).map_err(wrong)?;
    Ok(Returns::NONE)
}

/// The server's number and the side of a player, or nothing.
fn whereabouts(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let found = universe(cx, &director)?.whereabouts(&cx.text(2)?);
    let Some((server, side)) = found else { return Ok(Returns::NONE) };
    cx.push_number(f64::from(server));
    cx.push_number(number_of(side));
    Ok(Returns::Values(2))
}

fn forge(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let universe = universe(cx, &director)?;
    let (player, data) = (cx.text(2)?, cx.value(3)?);
    let data = encode(&data).ok_or(
        "universe:forge: teleport data are plain: tables without mixed keys, strings, numbers and booleans",
    )?;
    universe.cloud().forge(&player, decode(&data));
    Ok(Returns::NONE)
}

/// What a map of the memory stores holds: values by key.
fn stored(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let universe = universe(cx, &director)?;
    let (kind, name) = (cx.text(2)?, cx.text(3)?);
    let kind = match &*kind {
        "sortedMap" => Kind::Sorted,
        "hashMap" => Kind::Hash,
        other => {
            return Err(
                format!("universe:stored reads a \"sortedMap\" or a \"hashMap\", not a \"{other}\"").into()
            );
        }
    };
    let items = universe.cloud().memory().items(kind, &name, universe.now());
    cx.push(&Value::record(items.iter().map(|(key, item)| (key.clone(), decode(&item.value)))));
    Ok(Returns::ONE)
}
