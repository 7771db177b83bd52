//! Which schemas a command is about: those named, or those of the nearest `blinkblox.toml`. Source: tooling
//! specification, 12.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use blinkblox_compiler::diagnostics::Diagnostic;
use blinkblox_compiler::schema::Profile;
use blinkblox_compiler::source::normalize;
use blinkblox_emulator::config::{self, Config};
use blinkblox_emulator::project;

use crate::commands::usage;
use crate::entry;
use crate::loader::forward;

/// A schema, and the profile it is built under.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Its path, as written.
    pub path: String,
    /// Its profile.
    pub profile: Profile,
}

/// The nearest `blinkblox.toml`.
pub struct Nearest {
    /// Its folder; empty for the working directory.
    pub folder: PathBuf,
    /// What it says.
    pub config: Config,
    /// Whether it lies neither in the folder it was looked for in nor in the working directory: people may not expect
    /// it then.
    pub is_elsewhere: bool,
}

impl Nearest {
    /// The file itself.
    pub fn file(&self) -> PathBuf {
        self.folder.join(config::FILE)
    }

    /// A line that says where settings come from, when people may not expect it.
    pub fn line(&self) -> Option<String> {
        self.is_elsewhere.then(|| format!("Using {}", forward(&self.file())))
    }
}

/// The `blinkblox.toml` of a folder or the nearest one above it; `None` when there is none. An empty path is the working
/// directory. Errors: what is wrong with the file, in lines.
pub fn nearest_to(start: &Path) -> Result<Option<Nearest>, String> {
    let Some(folder) = find_above(start, Config::is_in) else { return Ok(None) };
    let config = Config::of_folder(&folder)?;
    let is_elsewhere = folder != normal(start) && !is_working(&folder);
    Ok(Some(Nearest { folder, config, is_elsewhere }))
}

/// The `blinkblox.toml` of the working directory or the nearest folder above it; `None` when there is none.
pub fn nearest() -> Result<Option<Nearest>, Box<Diagnostic>> {
    nearest_to(Path::new("")).map_err(|problem| Box::new(bad_config(&problem)))
}

/// The nearest of a folder and those above it that `is_it`, relative to the working directory where `start` is.
fn find_above(start: &Path, is_it: impl Fn(&Path) -> bool) -> Option<PathBuf> {
    let whole = std::path::absolute(start.join(".")).unwrap_or_default();
    let mut folder = start.to_path_buf();
    for _ in whole.ancestors() {
        let candidate = normal(&folder);
        if is_it(&candidate) {
            return Some(candidate);
        }
        folder.push("..");
    }
    None
}

/// The path without detours; empty for the working directory.
fn normal(path: &Path) -> PathBuf {
    PathBuf::from(normalize(&forward(path)))
}

/// Whether a path is that of the working directory.
fn is_working(folder: &Path) -> bool {
    std::env::current_dir().is_ok_and(|working| normal(&working.join(folder)) == normal(&working))
}

/// The folder of the game around the working directory: that of the nearest `blinkblox.toml`, else of the nearest Rojo
/// project, else the working directory. Beside it a line that says which file decided, when it lies above. Errors: what
/// is wrong with the file.
pub fn home() -> Result<(PathBuf, Option<String>), String> {
    if let Some(nearest) = nearest_to(Path::new(""))? {
        let line = nearest.line();
        return Ok((or_here(nearest.folder), line));
    }
    let found = nearest_project().filter(|folder| !folder.as_os_str().is_empty());
    let file = found.as_deref().and_then(|folder| project::find_project(folder).ok()?);
    let line = file.map(|file| format!("Using {}", forward(&file)));
    Ok((or_here(found.unwrap_or_default()), line))
}

/// The path as other parts take it, to which an empty one is nothing.
fn or_here(folder: PathBuf) -> PathBuf {
    if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder }
}

/// The schemas a command is about.
pub struct Chosen {
    /// Each with its profile.
    pub schemas: Vec<Named>,
    /// A line that says which file names them, when it lies above the working directory.
    pub line: Option<String>,
}

impl Chosen {
    /// Their paths.
    pub fn paths(&self) -> Vec<&str> {
        self.schemas.iter().map(|named| named.path.as_str()).collect()
    }
}

/// The schemas a command is about: those given, else those that the nearest `blinkblox.toml` or Rojo project names.
/// `profile` is the one the command line asks for, `command` what a note shows the use of.
pub fn named(schemas: &[String], profile: Option<Profile>, command: &str) -> Result<Chosen, Box<Diagnostic>> {
    let of = |path: String| Named { path, profile: profile.unwrap_or_default() };
    if !schemas.is_empty() {
        return Ok(Chosen { schemas: once(schemas.iter().cloned().map(of)), line: None });
    }
    let nearest = nearest()?;
    if let Some(Nearest { config, .. }) = &nearest
        && !config.schema.is_empty()
    {
        let entries = config.schema.iter();
        let named = |entry: &config::SchemaEntry| Named {
            path: forward(&entry.path),
            profile: profile.unwrap_or(entry.profile),
        };
        let line = nearest.as_ref().and_then(Nearest::line);
        return Ok(Chosen { schemas: once(entries.map(named)), line });
    }
    let folder = nearest.as_ref().map(|nearest| nearest.folder.clone()).or_else(nearest_project);
    let found = folder.as_deref().map(of_project).unwrap_or_default();
    if !found.is_empty() {
        let above = folder.filter(|folder| !folder.as_os_str().is_empty());
        let line = above.map(|folder| format!("Using the schemas of {}", forward(&folder)));
        return Ok(Chosen { schemas: found.into_iter().map(of).collect(), line });
    }
    let note = match &nearest {
        Some(nearest) => {
            let file = forward(&nearest.file());
            format!("{file} names none either: add a `[[schema]]` with its `path`.")
        }
        None if folder.is_some() => {
            "There is no blinkblox.toml here or above, and the Rojo project holds no schema that writes modules."
                .to_string()
        }
        None => "There is no blinkblox.toml here or above that names one, and no Rojo project.".to_string(),
    };
    let example = format!("Give its path: `blinkblox {command} schemas/game.blink`.");
    Err(Box::new(usage::error("no schema is named").note(example).note(note)))
}

/// Each schema once under each profile, however often and in whatever spelling it is named.
pub fn once(all: impl Iterator<Item = Named>) -> Vec<Named> {
    let mut seen = BTreeSet::new();
    all.filter(|named| seen.insert((entry::identity(&named.path), named.profile.text()))).collect()
}

/// The working directory or the nearest folder above it that holds a Rojo project.
fn nearest_project() -> Option<PathBuf> {
    let holds = |folder: &Path| {
        let found = project::find_project(&or_here(folder.to_path_buf()));
        matches!(found, Ok(Some(_)))
    };
    find_above(Path::new(""), holds)
}

/// Schemas beside a Rojo project that write modules, in order of their paths. One that writes none is there to be
/// imported.
fn of_project(folder: &Path) -> Vec<String> {
    let place = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let writes = |path: &String| {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let is_output = |line: &str| line.trim_start().starts_with("option ServerOutput");
        text.lines().any(is_output)
    };
    below(place).schemas.into_iter().filter(writes).collect()
}

/// Schemas in a folder and the folders in it.
pub struct Below {
    /// Their paths, sorted.
    pub schemas: Vec<String>,
    /// Those whose paths are not UTF-8, which no text can name: as they are shown, sorted.
    pub unnamed: Vec<String>,
}

/// Schemas in a folder and the folders in it. Left out are folders that are not the project's own and what `.gitignore`
/// and `.ignore` name; links to folders are not followed.
pub fn below(folder: &Path) -> Below {
    let own = |entry: &ignore::DirEntry| {
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        entry.depth() == 0 || !is_folder || !project::is_set_aside(entry.path())
    };
    // What git is told for one person or one clone is left alone: every machine finds the same.
    let walk = ignore::WalkBuilder::new(folder)
        .hidden(false)
        .git_global(false)
        .git_exclude(false)
        .require_git(false)
        .filter_entry(own)
        .build();
    let mut found = Below { schemas: vec![], unnamed: vec![] };
    for entry in walk.flatten().filter(|entry| entry.file_type().is_some_and(|kind| !kind.is_dir())) {
        let path = entry.path();
        let shown = forward(path).trim_start_matches("./").to_string();
        if shown.ends_with(".blink") {
            let list = if path.to_str().is_some() { &mut found.schemas } else { &mut found.unnamed };
            list.push(shown);
        }
    }
    found.schemas.sort();
    found.unnamed.sort();
    found
}

fn bad_config(problem: &str) -> Diagnostic {
    let mut lines = problem.lines();
    let headline = lines.next().unwrap_or("blinkblox.toml cannot be used").trim_end_matches('.').to_string();
    let mut diagnostic = usage::error(headline);
    for line in lines.filter(|line| !line.trim().is_empty()) {
        diagnostic = diagnostic.note(line.trim_end());
    }
    diagnostic
}

/// The Rojo project of a folder with its configuration: the one it names, else the folder's own.
pub fn project_of(folder: &Path, config: &Config) -> Option<PathBuf> {
    match &config.project {
        Some(project) => Some(project.clone()),
        None => project::find_project(&or_here(folder.to_path_buf())).ok().flatten(),
    }
}

/// The Rojo project a schema belongs to: that of the nearest `blinkblox.toml`, else the nearest one around the schema.
/// `None` where there is none.
pub fn project_around(entry: &str) -> Option<PathBuf> {
    if let Ok(Some(Nearest { folder, config, .. })) = nearest()
        && let Some(project) = project_of(&folder, &config)
    {
        return Some(project);
    }
    let entry = std::path::absolute(entry).ok()?;
    entry.ancestors().skip(1).find_map(|above| project::find_project(above).ok().flatten())
}
