//! What a world is built from, as specs say it: a project, a tree written out, schemas, settings.

use blinkblox_compiler::schema::Profile;

use super::links::link;
use super::options::Options;
use crate::datatypes::Vector3;
use crate::network::LinkSettings;
use crate::project::{Node, PropertyValue};
use crate::shared::{Seed, Settings};
use crate::testing::director::Director;
use crate::testing::fixture::{Built, Fixture, SchemaSource};
use crate::value::Value;
use crate::vm::Raise;
use crate::world::WorldOptions;

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
