//! Natives about a world: making it, moving its time, players coming and going, links.

use blinkblox_compiler::schema::Profile;

use super::options::Options;
use super::sides::{SharedSlot, client_index};
use crate::clock::Time;
use crate::datatypes::Vector3;
use crate::network::{LinkSettings, LinkValue, Way};
use crate::project::{Node, PropertyValue};
use crate::shared::{DiagnosticCode, Seed, Settings, Side};
use crate::testing::director::Director;
use crate::testing::fixture::{Built, Fixture, SchemaSource};
use crate::value::{Table, Value};
use crate::vm::{Cx, NativeFn, Outcome, Raise, Returns};
use crate::world::{JoinOptions, LeaveHow, Loading, Phase, World, WorldError, WorldOptions};

/// Names as the Luau half calls them.
pub const NATIVES: &[(&str, NativeFn)] = &[
    ("newWorld", new_world),
    ("start", start),
    ("join", join),
    ("leave", leave),
    ("step", step),
    ("advance", advance),
    ("settle", settle),
    ("stepPhase", step_phase),
    ("now", now),
    ("frame", frame),
    ("setTime", set_time),
    ("setLink", set_link),
    ("cutLink", cut_link),
    ("flapLink", flap_link),
    ("burstLink", burst_link),
    ("mendLink", mend_link),
    ("setPaused", set_paused),
    ("shutdown", shutdown),
    ("expectError", expect_error),
    ("expectDiagnostic", expect_diagnostic),
    ("diagnostics", diagnostics),
    ("trace", trace),
    ("mark", mark),
];

/// A world's refusal as an error of the spec.
pub fn wrong(error: WorldError) -> Raise {
    Raise::new(error.to_string())
}

/// The world of argument 1.
pub fn slot(cx: &Cx<'_>, director: &Director) -> Result<SharedSlot, Raise> {
    Ok(director.worlds.get(cx.number(1)? as u32)?)
}

/// The side of a number the Luau half uses: 0 for the server, clients from 1.
pub fn side_of(number: f64) -> Side {
    if number < 1.0 { Side::Server } else { Side::Client(number as u32 - 1) }
}

/// The number the Luau half uses for a side.
pub fn number_of(side: Side) -> f64 {
    match side {
        Side::Server => 0.0,
        Side::Client(index) => f64::from(index) + 1.0,
    }
}

/// The world and side of arguments 1 and 2.
pub fn slot_and_side(cx: &Cx<'_>, director: &Director) -> Result<(SharedSlot, Side), Raise> {
    Ok((slot(cx, director)?, side_of(cx.number(2)?)))
}

/// The same, for what makes a side run something. Errors: it is the server of a universe and runs no more.
pub fn slot_and_running_side(cx: &Cx<'_>, director: &Director) -> Result<(SharedSlot, Side), Raise> {
    let (slot, side) = slot_and_side(cx, director)?;
    if side.is_server() {
        slot.world.check_running().map_err(wrong)?;
    }
    Ok((slot, side))
}

/// What a world and the worlds of a universe are built from.
pub(super) const BUILDING_OPTIONS: &[&str] = &[
    "net",
    "seed",
    "start",
    "fps",
    "clientFps",
    "settings",
    "schema",
    "serverSchema",
    "clientSchema",
    "project",
    "place",
    "tree",
    "game",
    "files",
];

/// What a world alone takes.
const WORLD_OPTIONS: &[&str] = &["clients", "join", "load"];

fn new_world(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let known = [WORLD_OPTIONS, BUILDING_OPTIONS].concat();
    let options = Options::read("test.world", cx.value(1)?, &known)?;
    let (wanted, built) = world_options(&options, &director, None)?;
    let world = World::new(wanted).map_err(wrong)?;
    let net = nets(&built);
    built.describe(&mut world.core().trace_mut());
    let number = director.worlds.add(world, built);
    cx.push_number(f64::from(number));
    cx.push(&net);
    cx.push_number(f64::from(director.options.world.clients));
    Ok(Returns::Values(3))
}

/// Full names of the first modules of the schema, by side.
pub fn nets(built: &Built) -> Value {
    Value::record(
        [("server", &built.server_net), ("client", &built.client_net)]
            .map(|(side, path)| (side, path.clone().map_or(Value::Nil, Value::from))),
    )
}

/// How a world is to be made, and what it starts from: a tree given here, or what the options say.
pub fn world_options(
    options: &Options,
    director: &Director,
    tree: Option<Node>,
) -> Result<(WorldOptions, Built), Raise> {
    let game =
        options.text("game")?.map(|path| crate::game::fixture(&director.resolve(&path), None)).transpose()?;
    let (fixture, mut settings) = match &game {
        Some((fixture, config)) => (fixture.clone(), config.settings()?),
        None => (fixture(options, director)?, Settings::default()),
    };
    let fixture = match tree {
        Some(_) => Fixture { tree, ..fixture },
        None => fixture,
    };
    let built = director.worlds.fixture(&fixture)?;
    let run = &director.options.world;
    settings.internals = true;
    // A test has a limit of its own, and a busy machine may take long over a single resumption.
    if settings.script_timeout == Settings::default().script_timeout {
        settings.script_timeout = 0.0;
    }
    for (key, value) in &run.settings {
        settings.set(key, value)?;
    }
    settings.signals = director.options.signals;
    if let Some(table) = options.table("settings")? {
        for (key, value) in &table.pairs {
            settings.set(&key.to_string(), &value.to_string())?;
        }
    }
    let seed = match options.number("seed")? {
        Some(seed) => seed as u64,
        None => director.worlds.next_seed(),
    };
    let defaults = WorldOptions::default();
    let wanted = WorldOptions {
        seed: Seed(seed),
        settings,
        tree: Some(built.store.clone()),
        fps: options.number("fps")?.or(run.fps).unwrap_or(defaults.fps),
        client_fps: options.number("clientFps")?.or(run.client_fps).unwrap_or(defaults.client_fps),
        link: options.get("net").map_or_else(
            || Ok(run.link.clone().unwrap_or_default()),
            |value| link(LinkSettings::default(), value),
        )?,
        unix_start: options.number("start")?,
        bytecode: director.worlds.bytecode.clone(),
        deadline: director.options.deadline.clone(),
        http: run.http.clone(),
        ..defaults
    };
    Ok((wanted, built))
}

fn fixture(options: &Options, director: &Director) -> Result<Fixture, Raise> {
    let schema = |name: &str| match options.get(name) {
        None => Ok(None),
        Some(value) => schema_source(name, value, director).map(Some),
    };
    let both = schema("schema")?;
    let mut files = Vec::new();
    if let Some(table) = options.table("files")? {
        for (name, file) in &table.pairs {
            files.push((name.to_string(), director.resolve(&file.to_string())));
        }
        files.sort();
    }
    let project = options.text("project")?.or(options.text("place")?).map(|path| director.resolve(&path));
    if let Some(why) = project.as_deref().and_then(crate::game::without_project) {
        return Err(format!("test.world: {why}").into());
    }
    Ok(Fixture {
        project,
        tree: options.get("tree").map(|tree| literal(tree, "tree")).transpose()?,
        server_schemas: schema("serverSchema")?.or_else(|| both.clone()).into_iter().collect(),
        client_schemas: schema("clientSchema")?.or(both).into_iter().collect(),
        files,
    })
}

/// An instance written out: `{ class, name, properties, attributes, tags, source, children }`.
fn literal(value: &Value, place: &str) -> Result<Node, Raise> {
    const FIELDS: [&str; 7] = ["class", "name", "properties", "attributes", "tags", "source", "children"];
    let options = Options::read("test.world: an instance of the tree", value.clone(), &FIELDS)?;
    let class = options.text("class")?.ok_or_else(|| format!("{place} needs a class"))?;
    let mut node = Node::new(&class, &options.text("name")?.unwrap_or_else(|| class.clone()));
    node.source = options.text("source")?.map(|source| source.replace("\r\n", "\n").into());
    for (field, attributes) in [("properties", false), ("attributes", true)] {
        for (key, value) in options.table(field)?.iter().flat_map(|table| &table.pairs) {
            let key = key.to_string();
            let value = property(value)
                .ok_or_else(|| format!("{place}: {field}.{key} cannot be a {}", value.type_name()))?;
            if attributes { node.set_attribute(&key, value) } else { node.set_property(&key, value) }
        }
    }
    node.tags =
        options.table("tags")?.iter().flat_map(|table| &table.array).map(ToString::to_string).collect();
    if let Some(children) = options.table("children")? {
        for (index, child) in children.array.iter().enumerate() {
            node.children.push(literal(child, &format!("{place}.children[{}]", index + 1))?);
        }
    }
    Ok(node)
}

fn property(value: &Value) -> Option<PropertyValue> {
    Some(match value {
        Value::Boolean(value) => PropertyValue::Bool(*value),
        Value::Number(number) => PropertyValue::Number(*number),
        Value::String(bytes) => PropertyValue::String(bytes.to_vec().into()),
        Value::Vector([x, y, z]) => PropertyValue::Vector3(Vector3::new(*x, *y, *z)),
        Value::EnumItem(item) => PropertyValue::EnumItem(item.enum_, item.value),
        Value::Datatype(datatype) => PropertyValue::Datatype(datatype.clone()),
        _ => return None,
    })
}

/// A schema as specs name it: its text, a path that ends in `.blink`, or `{ file = path }`.
pub fn schema_source(name: &str, value: &Value, director: &Director) -> Result<SchemaSource, Raise> {
    match value {
        Value::String(_) => {
            let text = value.to_string();
            Ok(if text.ends_with(".blink") && !text.contains('\n') {
                SchemaSource::File(director.resolve(&text), Profile::Release)
            } else {
                SchemaSource::Text(text)
            })
        }
        Value::Table(table) => {
            let field = |key| crate::testing::kit::field(table, key);
            let file = field("file").ok_or_else(|| Raise::new(format!("{name}: the table needs a file")))?;
            let profile = match field("profile") {
                None | Some(Value::Nil) => Profile::Release,
                Some(given) => {
                    let given = given.to_string();
                    let found = Profile::ALL.into_iter().find(|profile| profile.text() == given);
                    found.ok_or_else(|| {
                        let known = Profile::ALL.map(Profile::text).join(", ");
                        Raise::new(format!("{name}: there is no profile \"{given}\"; there are {known}"))
                    })?
                }
            };
            Ok(SchemaSource::File(director.resolve(&file.to_string()), profile))
        }
        other => Err(format!("{name} is a text or a path, not a {}", other.type_name()).into()),
    }
}

/// Link settings: a preset's name, or parameters over `base`.
fn link(base: LinkSettings, value: &Value) -> Result<LinkSettings, Raise> {
    match value {
        Value::String(_) => {
            let name = value.to_string();
            LinkSettings::preset(&name).ok_or_else(|| {
                let known = crate::network::PRESETS.join(", ");
                Raise::new(format!("there is no network called \"{name}\"; there are {known}"))
            })
        }
        Value::Table(table) => {
            let mut settings = base;
            for (key, value) in &table.pairs {
                settings.set(&key.to_string(), &link_value(value)?)?;
            }
            Ok(settings)
        }
        other => Err(format!("link settings are a table or a name, not a {}", other.type_name()).into()),
    }
}

fn link_value(value: &Value) -> Result<LinkValue, Raise> {
    Ok(match value {
        Value::Number(number) => LinkValue::Number(*number),
        Value::String(_) => LinkValue::Text(value.to_string()),
        Value::Table(table) if table.pairs.is_empty() => {
            LinkValue::List(table.array.iter().filter_map(Value::as_number).collect())
        }
        Value::Table(_) => {
            const PARTS: [&str; 4] = ["p", "r", "lossGood", "lossBad"];
            let options = Options::read("lossModel", value.clone(), &PARTS)?;
            let mut parts = [0.0; 4];
            for (part, name) in parts.iter_mut().zip(PARTS) {
                *part = options.number(name)?.unwrap_or(0.0);
            }
            LinkValue::Gilbert(parts)
        }
        other => return Err(format!("a link parameter cannot be a {}", other.type_name()).into()),
    })
}

/// Settings of both directions: `{ up = {...}, down = {...} }`, or one for both.
fn links(base: &LinkSettings, value: &Value) -> Result<(LinkSettings, LinkSettings), Raise> {
    if let Value::Table(table) = value {
        let (up, down) = (direction(table, "up"), direction(table, "down"));
        if up.is_some() || down.is_some() {
            let one =
                |value: Option<&Value>| value.map_or(Ok(base.clone()), |value| link(base.clone(), value));
            return Ok((one(up)?, one(down)?));
        }
    }
    let both = link(base.clone(), value)?;
    Ok((both.clone(), both))
}

fn direction<'a>(table: &'a Table, name: &str) -> Option<&'a Value> {
    crate::testing::kit::field(table, name)
}

const JOIN_OPTIONS: &[&str] = &[
    "name",
    "userId",
    "displayName",
    "net",
    "fps",
    "clock",
    "beforeScripts",
    "loading",
    "character",
    "joinData",
];

/// Runs the server's scripts, as opening a game does.
fn start(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    slot(cx, &director)?.world.start();
    Ok(Returns::NONE)
}

fn join(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let slot = slot(cx, &director)?;
    let options = Options::read("join", cx.value(2)?, JOIN_OPTIONS)?;
    let mut wanted = JoinOptions {
        name: options.text("name")?,
        user_id: options.number("userId")?.map(|id| id as i64),
        display_name: options.text("displayName")?,
        fps: options.number("fps")?,
        before_scripts: options.boolean("beforeScripts")?.unwrap_or(false),
        character: options.boolean("character")?,
        join_data: options.table("joinData")?.map(Value::Table),
        ..JoinOptions::default()
    };
    if let Some(value) = options.get("net") {
        let (up, down) = links(&LinkSettings::default(), value)?;
        (wanted.up, wanted.down) = (Some(up), Some(down));
    }
    if let Some(clock) = options.get("clock") {
        let clock = Options::read("join: clock", clock.clone(), &["offset", "drift"])?;
        wanted.clock_offset = Time::from_seconds(clock.number("offset")?.unwrap_or(0.0));
        wanted.clock_drift = clock.number("drift")?.unwrap_or(0.0);
    }
    wanted.loading = match options.text("loading")?.as_deref() {
        None | Some("instant") => Loading::Instant,
        Some("link") => Loading::Link,
        Some(other) => {
            return Err(format!("join: loading is \"instant\" or \"link\", not \"{other}\"").into());
        }
    };
    let index = slot.world.join(wanted).map_err(wrong)?;
    let name = slot
        .world
        .core()
        .member(Side::Client(index))
        .map_or_else(String::new, |member| member.name.to_string());
    cx.push_number(number_of(Side::Client(index)));
    cx.push_string(name);
    Ok(Returns::Values(2))
}

fn leave(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let (slot, side) = slot_and_side(cx, &director)?;
    let how = LeaveHow::named(&cx.text(3)?).map_err(|problem| format!("leave: {problem}"))?;
    slot.world.leave(client_index(side)?, how).map_err(wrong)?;
    Ok(Returns::NONE)
}

/// Frames that run between two looks at the limits of a test.
const STRETCH: u64 = 600;

/// Errors: the test has no time left to move a world on by so many seconds.
fn check_limit(director: &Director, world: &World, seconds: f64) -> Result<(), Raise> {
    let most = director.options.most_seconds.unwrap_or(f64::INFINITY);
    if director.worlds.taken(world) + seconds > most {
        return Err(format!("the test takes more than {most} virtual seconds; --timeout allows more").into());
    }
    // Frames in which no script runs are no resumption that the clock could end.
    if director.options.deadline.is_expired() {
        return Err("the test's real time is up; --wall-timeout allows more".into());
    }
    Ok(())
}

fn step(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let slot = slot(cx, &director)?;
    let length = cx.opt_number(3)?;
    let mut left = cx.integer(2)?.max(0) as u64;
    while left > 0 {
        check_limit(&director, &slot.world, 0.0)?;
        let count = left.min(STRETCH);
        match length {
            None => slot.world.step(count).map_err(wrong)?,
            Some(length) => {
                for _ in 0..count {
                    slot.world.step_by(Time::from_seconds(length)).map_err(wrong)?;
                }
            }
        }
        left -= count;
    }
    Ok(Returns::NONE)
}

fn advance(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let slot = slot(cx, &director)?;
    let seconds = cx.number(2)?;
    if !(seconds >= 0.0 && seconds.is_finite()) {
        return Err(format!(
            "world:advance takes seconds of at least 0, not {seconds}: time goes forward only"
        )
        .into());
    }
    check_limit(&director, &slot.world, seconds)?;
    slot.world.advance(Time::from_seconds(seconds)).map_err(wrong)?;
    Ok(Returns::NONE)
}

fn settle(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let slot = slot(cx, &director)?;
    check_limit(&director, &slot.world, 0.0)?;
    slot.world.settle(Time::from_seconds(cx.number(2)?)).map_err(wrong)?;
    Ok(Returns::NONE)
}

fn step_phase(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let (slot, side) = slot_and_side(cx, &director)?;
    let name = cx.text(3)?;
    let phase = Phase::from_name(&name).ok_or_else(|| {
        let known: Vec<_> = Phase::ALL.iter().map(|phase| phase.name()).collect();
        format!("there is no phase \"{name}\"; a frame has {}", known.join(", "))
    })?;
    slot.world.step_phase(side, phase).map_err(wrong)?;
    Ok(Returns::NONE)
}

fn now(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    cx.push_number(slot(cx, &director)?.world.now().seconds());
    Ok(Returns::ONE)
}

fn frame(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    cx.push_number(slot(cx, &director)?.world.frame(Side::Server) as f64);
    Ok(Returns::ONE)
}

fn set_time(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let options = Options::read("setTime", cx.value(2)?, &["unix", "server"])?;
    if let Some(unix) = options.number("unix")? {
        slot(cx, &director)?.world.set_unix_start(unix);
    }
    // What the server's clock is to show now.
    if let Some(server) = options.number("server")? {
        let world = &slot(cx, &director)?.world;
        world.set_unix_start(server - world.now().seconds());
    }
    Ok(Returns::NONE)
}

fn set_link(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let (slot, side) = slot_and_side(cx, &director)?;
    let client = client_index(side)?;
    let now = slot.world.link_settings(client, Way::Up).map_err(wrong)?;
    let (up, down) = links(&now, &cx.value(3)?)?;
    slot.world.set_links(client, &up, &down).map_err(wrong)?;
    Ok(Returns::NONE)
}

fn cut_link(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let (slot, side) = slot_and_side(cx, &director)?;
    slot.world.cut_link(client_index(side)?, Time::from_seconds(cx.number(3)?)).map_err(wrong)?;
    Ok(Returns::NONE)
}

fn flap_link(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let (slot, side) = slot_and_side(cx, &director)?;
    let (down, up, times) = super::inspect::flap(cx.value(3)?)?;
    let (down, up) = (Time::from_seconds(down), Time::from_seconds(up));
    slot.world.flap_link(client_index(side)?, down, up, times).map_err(wrong)?;
    Ok(Returns::NONE)
}

fn burst_link(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let (slot, side) = slot_and_side(cx, &director)?;
    let (loss, seconds) = super::inspect::burst(cx.value(3)?)?;
    slot.world.burst_link(client_index(side)?, loss, Time::from_seconds(seconds)).map_err(wrong)?;
    Ok(Returns::NONE)
}

fn mend_link(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let (slot, side) = slot_and_side(cx, &director)?;
    slot.world.mend_link(client_index(side)?).map_err(wrong)?;
    Ok(Returns::NONE)
}

fn set_paused(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    slot(cx, &director)?.world.set_paused(cx.boolean(2)?);
    Ok(Returns::NONE)
}

/// Whether all functions given to `BindToClose` ended in time.
fn shutdown(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let ended = slot(cx, &director)?.world.shutdown(&cx.text(2)?).map_err(wrong)?;
    cx.push_boolean(ended);
    Ok(Returns::ONE)
}

fn expect_error(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    slot(cx, &director)?.expect_error(cx.text(2)?);
    Ok(Returns::NONE)
}

fn expect_diagnostic(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let code = cx.text(2)?;
    if DiagnosticCode::named(&code).is_none() {
        let known = DiagnosticCode::ALL.iter().map(|code| code.name()).collect::<Vec<_>>().join(", ");
        return Err(format!("there is no diagnostic \"{code}\"; there are {known}").into());
    }
    slot(cx, &director)?.expect_diagnostic(code);
    Ok(Returns::NONE)
}

fn diagnostics(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let slot = slot(cx, &director)?;
    slot.read_diagnostics();
    let rows = slot.world.diagnostics().into_iter().map(|diagnostic| {
        Value::record([
            ("code", Value::from(diagnostic.code.name())),
            ("text", Value::from(diagnostic.text)),
            ("side", Value::from(diagnostic.side.to_string())),
        ])
    });
    cx.push(&Value::array(rows));
    Ok(Returns::ONE)
}

fn trace(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let text = slot(cx, &director)?.world.trace().to_text();
    cx.push_string(text);
    Ok(Returns::ONE)
}

fn mark(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    slot(cx, &director)?.world.mark(&cx.text(2)?);
    Ok(Returns::NONE)
}
