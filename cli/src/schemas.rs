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

/// The schemas a command is about. `profile` is the one the command line asks for.
pub fn named(schemas: &[String], profile: Option<Profile>) -> Result<Vec<Named>, Box<Diagnostic>> {
    if !schemas.is_empty() {
        let profile = profile.unwrap_or_default();
        return Ok(schemas.iter().map(|path| Named { path: path.clone(), profile }).collect());
    }
    let Some(Nearest { folder, config }) = nearest()? else {
        return Err(Box::new(nothing_named("There is no blinkblox.toml here or above that names one.")));
    };
    if config.schema.is_empty() {
        let file = forward(&folder.join(config::FILE));
        return Err(Box::new(nothing_named(&format!(
            "{file} names none either: add a `[[schema]]` with its `path`."
        ))));
    }
    let entries = config.schema.iter();
    Ok(entries
        .map(|entry| Named { path: forward(&entry.path), profile: profile.unwrap_or(entry.profile) })
        .collect())
}

fn nothing_named(note: &str) -> Diagnostic {
    usage::error("no schema is named").note("Give its path: `blinkblox build schemas/game.blink`.").note(note)
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
