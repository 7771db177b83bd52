//! A world of a project, as `run` and `repl` open it: its schemas compiled in memory, its server and clients started.

use std::path::{Path, PathBuf};

use crate::config::Config;
use crate::network::LinkSettings;
use crate::project;
use crate::shared::Seed;
use crate::testing::fixture::{Fixture, SchemaSource};
use crate::world::{JoinOptions, World, WorldOptions};

/// How a game is opened.
#[derive(Clone, Debug)]
pub struct GameOptions {
    /// A folder, a project file or a place; the folder's project or configuration decides what is in it.
    pub path: PathBuf,
    /// Root of all randomness.
    pub seed: u64,
    /// Settings of all sides that win over the configuration's, by name and value.
    pub settings: Vec<(String, String)>,
    /// Clients that join at the start.
    pub clients: u32,
    /// Links of clients.
    pub link: LinkSettings,
    /// Frames a second of the server.
    pub fps: f64,
    /// Frames a second of clients.
    pub client_fps: f64,
}

/// Opens a game. Its scripts have started and its clients have joined. Errors: a text for people.
pub fn open(options: &GameOptions) -> Result<World, String> {
    let folder =
        if options.path.is_dir() { &options.path } else { options.path.parent().unwrap_or(Path::new(".")) };
    let config = Config::of_folder(folder)?;
    let schemas: Vec<SchemaSource> =
        config.schema.iter().map(|schema| SchemaSource::File(schema.path.clone(), schema.profile)).collect();
    let mut settings = config.settings()?;
    for (name, value) in &options.settings {
        settings.set(name, value)?;
    }
    let project = match (&config.project, options.path.is_dir()) {
        (Some(project), true) => Some(project.clone()),
        (None, true) => project::find_project(&options.path)
            .map_err(|problem| problem.to_string())?
            .or_else(|| Some(options.path.clone())),
        (_, false) => Some(options.path.clone()),
    };
    let fixture =
        Fixture { project, server_schemas: schemas.clone(), client_schemas: schemas, files: Vec::new() };
    let built = fixture.build()?;
    let world = World::new(WorldOptions {
        seed: Seed(options.seed),
        settings,
        tree: Some(built.store.clone()),
        fps: options.fps,
        client_fps: options.client_fps,
        link: options.link.clone(),
        ..WorldOptions::default()
    })
    .map_err(|error| error.to_string())?;
    built.describe(&mut world.core().trace_mut());
    world.start();
    for _ in 0..options.clients {
        world.join(JoinOptions::default()).map_err(|error| error.to_string())?;
    }
    Ok(world)
}
