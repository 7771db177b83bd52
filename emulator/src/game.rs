//! A world of a project, as `run` and `repl` open it: its schemas compiled in memory, its server and clients started.

use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::config::Config;
use crate::network::LinkSettings;
use crate::project;
use crate::shared::Seed;
use crate::testing::fixture::{Built, Fixture, SchemaSource};
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
    /// The configuration to read in place of the `blinkblox.toml` beside the project.
    pub config: Option<PathBuf>,
}

/// A game that has been opened.
pub struct Game {
    /// Its world.
    pub world: Rc<World>,
    /// What it started from.
    pub built: Built,
}

/// What a path stands for: a fixture of its project with the schemas of its configuration, and the configuration: the
/// file given, or the `blinkblox.toml` beside the project.
///
/// Errors: a text for people.
pub fn fixture(path: &Path, config: Option<&Path>) -> Result<(Fixture, Config), String> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let folder = if path.is_dir() { path } else { parent.unwrap_or(Path::new(".")) };
    let config = match config {
        Some(file) => Config::of_file(file)?,
        None => Config::of_folder(folder)?,
    };
    let schemas: Vec<SchemaSource> =
        config.schema.iter().map(|schema| SchemaSource::File(schema.path.clone(), schema.profile)).collect();
    let project = match (&config.project, path.is_dir()) {
        (Some(project), true) => Some(project.clone()),
        (None, true) => project::find_project(path)
            .map_err(|problem| problem.to_string())?
            .or_else(|| Some(path.to_path_buf())),
        (_, false) => Some(path.to_path_buf()),
    };
    let fixture =
        Fixture { project, server_schemas: schemas.clone(), client_schemas: schemas, ..Fixture::default() };
    Ok((fixture, config))
}

/// Why no script of a path runs, if none does: it is a folder without a Rojo project.
pub fn without_project(path: &Path) -> Option<String> {
    let config = if path.is_dir() { Config::of_folder(path).unwrap_or_default() } else { Config::default() };
    let has_project = config.project.is_some() || !matches!(project::find_project(path), Ok(None));
    (path.is_dir() && !has_project).then(|| {
        format!(
            "there is no Rojo project in {}: its files are modules of ReplicatedStorage, and no script of it starts. \
             Name a project or a place, or lay one down with `blinkblox init`",
            path.display()
        )
    })
}

/// Opens a game. Its scripts have started and its clients have joined. Errors: a text for people.
pub fn open(options: &GameOptions) -> Result<Rc<World>, String> {
    open_game(options).map(|game| game.world)
}

/// Opens a game with what it was made from. Errors: a text for people.
pub fn open_game(options: &GameOptions) -> Result<Game, String> {
    let game = prepare(options)?;
    game.begin(options.clients)?;
    Ok(game)
}

/// Opens a game in which nothing runs yet and nobody has joined: [`Game::begin`] does that. Errors: a text for people.
pub fn prepare(options: &GameOptions) -> Result<Game, String> {
    let (fixture, config) = fixture(&options.path, options.config.as_deref())?;
    let mut settings = config.settings()?;
    for (name, value) in &options.settings {
        settings.set(name, value)?;
    }
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
    Ok(Game { world: Rc::new(world), built })
}

impl Game {
    /// Starts the server's scripts and lets clients join. Errors: a text for people.
    pub fn begin(&self, clients: u32) -> Result<(), String> {
        self.world.start();
        for _ in 0..clients {
            self.world.join(JoinOptions::default()).map_err(|error| error.to_string())?;
        }
        Ok(())
    }
}
