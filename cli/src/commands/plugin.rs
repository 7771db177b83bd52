//! `blinkblox plugin`: the Studio plugin as a model file, or in Studio's folder. Source: tooling specification, 5 and 12.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use blinkblox_compiler::diagnostics::{Code, Diagnostic};
use blinkblox_emulator::shared::in_words;
use clap::{Args, Parser, Subcommand};

use super::usage;
use crate::loader::forward;
use crate::plugin;
use crate::printer::{Format, say_out};
use crate::writer;

/// Name of the plugin's file.
const FILE: &str = "blinkblox-plugin.rbxm";

/// Most bytes of a file that may be the plugin.
const MOST_BYTES: u64 = 64 << 20;

/// Write the Studio plugin, or install it
///
/// This executable carries the plugin, BlinkBlox Editor, for schemas that live in a place.
#[derive(Parser)]
pub struct Plugin {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Write the plugin as a model file
    Build {
        /// Where to
        #[arg(short, long, value_name = "PATH", default_value = FILE)]
        output: PathBuf,
        #[command(flatten)]
        replacing: Replacing,
    },
    /// Put the plugin into Studio's folder of plugins
    Install {
        /// The folder, where it is not the usual one
        #[arg(long, value_name = "FOLDER")]
        folder: Option<PathBuf>,
        #[command(flatten)]
        replacing: Replacing,
    },
}

/// What may be replaced.
#[derive(Args)]
struct Replacing {
    /// Replace a file that is not this plugin
    #[arg(short, long, overrides_with = "yes")]
    yes: bool,
}

impl Plugin {
    /// Writes the plugin's file.
    pub fn run(self) -> ExitCode {
        let written = match self.action {
            Action::Build { output, replacing } => write(&output, &replacing),
            Action::Install { folder, replacing } => match folder.or_else(usual_folder) {
                Some(folder) => write(&folder.join(FILE), &replacing),
                None => Err(Box::new(
                    usage::error("Studio's folder of plugins is not known on this system")
                        .note("Name it with `--folder`; Studio shows it under Plugins > Plugins Folder."),
                )),
            },
        };
        match written {
            Ok(path) => {
                say_out(&format!("wrote {}", forward(&path)));
                ExitCode::SUCCESS
            }
            Err(diagnostic) => usage::refuse(*diagnostic, Format::Human),
        }
    }
}

/// Where Studio looks for plugins of its user.
fn usual_folder() -> Option<PathBuf> {
    let home = |variable| std::env::var_os(variable).filter(|path| !path.is_empty()).map(PathBuf::from);
    if cfg!(windows) {
        home("LOCALAPPDATA").map(|path| path.join("Roblox").join("Plugins"))
    } else if cfg!(target_os = "macos") {
        home("HOME").map(|path| path.join("Documents").join("Roblox").join("Plugins"))
    } else {
        None
    }
}

/// Whether a file is there that is no release of the plugin. An empty one is nobody's.
fn is_foreign(path: &Path) -> bool {
    match std::fs::metadata(path) {
        Ok(there) if there.is_file() && there.len() == 0 => false,
        // No release comes near: what is larger is not read.
        Ok(there) if there.is_file() && there.len() <= MOST_BYTES => {
            !std::fs::read(path).is_ok_and(|bytes| plugin::is_model(&bytes))
        }
        Ok(_) => true,
        Err(_) => path.symlink_metadata().is_ok(),
    }
}

/// Writes the plugin beside its target and renames it over, so that Studio never loads half a file.
fn write(path: &Path, replacing: &Replacing) -> Result<PathBuf, Box<Diagnostic>> {
    let shown = forward(path);
    let failed = |why: String| {
        Box::new(Diagnostic::error(Code::FileUnwritable, format!("{shown} cannot be written: {why}")))
    };
    let model = plugin::model().map_err(failed)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(|error| failed(in_words(&error)))?;
    if path.is_dir() {
        return Err(failed("it is a folder".to_string()));
    }
    if !replacing.yes && is_foreign(path) {
        return Err(Box::new(
            Diagnostic::error(
                Code::FileUnwritable,
                format!("{shown} is not the plugin, and is not replaced"),
            )
            .about_file(shown)
            .note(
                "Nothing was written. Choose another path with `--output`, or replace the file with `--yes`.",
            ),
        ));
    }
    let file = writer::stage(path, &model).map_err(|error| failed(in_words(&error)))?;
    file.persist(path).map_err(|error| failed(in_words(&error.error)))?;
    Ok(path.to_path_buf())
}
