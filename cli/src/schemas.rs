//! Which schemas a command is about: those named, or those of the nearest `blinkblox.toml`. Source: tooling
//! specification, 12.

use std::path::{Path, PathBuf};

use blinkblox_compiler::diagnostics::Diagnostic;
use blinkblox_compiler::schema::Profile;
use blinkblox_emulator::config::{self, Config};

use crate::commands::usage;
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
}

impl Nearest {
    /// The file itself.
    pub fn file(&self) -> PathBuf {
        self.folder.join(config::FILE)
    }
}

/// The `blinkblox.toml` of the working directory or the nearest folder above it; `None` when there is none.
pub fn nearest() -> Result<Option<Nearest>, Box<Diagnostic>> {
    let working = std::env::current_dir().unwrap_or_default();
    let mut folder = PathBuf::new();
    for above in working.ancestors() {
        if above.join(config::FILE).is_file() {
            let config = Config::of_folder(&folder).map_err(|problem| Box::new(bad_config(&problem)))?;
            return Ok(Some(Nearest { folder, config }));
        }
        folder.push("..");
    }
    Ok(None)
}

/// The schemas a command is about: those given, else those that the nearest `blinkblox.toml` or Rojo project names.
/// `profile` is the one the command line asks for, `command` what a note shows the use of.
pub fn named(
    schemas: &[String],
    profile: Option<Profile>,
    command: &str,
) -> Result<Vec<Named>, Box<Diagnostic>> {
    let of = |path: String| Named { path, profile: profile.unwrap_or_default() };
    if !schemas.is_empty() {
        return Ok(schemas.iter().cloned().map(of).collect());
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
        return Ok(entries.map(named).collect());
    }
    let folder = nearest.as_ref().map(|nearest| nearest.folder.clone()).or_else(nearest_project);
    let found = folder.as_deref().map(of_project).unwrap_or_default();
    if !found.is_empty() {
        return Ok(found.into_iter().map(of).collect());
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

/// The working directory or the nearest folder above it that holds a Rojo project.
fn nearest_project() -> Option<PathBuf> {
    let working = std::env::current_dir().unwrap_or_default();
    let mut folder = PathBuf::new();
    for above in working.ancestors() {
        if matches!(blinkblox_emulator::project::find_project(above), Ok(Some(_))) {
            return Some(folder);
        }
        folder.push("..");
    }
    None
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
    below(place).into_iter().filter(writes).collect()
}

/// Schemas in a folder and the folders in it, sorted; hidden folders, installed packages and links are left out.
pub fn below(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut left = vec![folder.to_path_buf()];
    while let Some(next) = left.pop() {
        for entry in std::fs::read_dir(next).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let Ok(kind) = entry.file_type() else { continue };
            let hidden = name.starts_with('.') || matches!(name.as_str(), "node_modules" | "target");
            if kind.is_dir() && !hidden {
                left.push(entry.path());
            } else if !kind.is_dir() && name.ends_with(".blink") {
                found.push(forward(&entry.path()).trim_start_matches("./").to_string());
            }
        }
    }
    found.sort();
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
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    match &config.project {
        Some(project) => Some(project.clone()),
        None => blinkblox_emulator::project::find_project(folder).ok().flatten(),
    }
}

/// The Rojo project a schema belongs to: that of the nearest `blinkblox.toml`, else the nearest one around the schema.
/// `None` where there is none, and where it cannot be read: what is wrong with it is for Rojo to say.
pub fn project_around(entry: &str) -> Option<PathBuf> {
    if let Ok(Some(Nearest { folder, config })) = nearest()
        && let Some(project) = project_of(&folder, &config)
    {
        return Some(project);
    }
    let entry = std::path::absolute(entry).ok()?;
    entry
        .ancestors()
        .skip(1)
        .find_map(|above| blinkblox_emulator::project::find_project(above).ok().flatten())
}
