//! Where the inputs of a project are remembered between sessions.

use std::path::{Path, PathBuf};

use blinkblox_emulator::shared::digest;

/// The file of a project, in the folder the system keeps the state of programs in. `None` where it has no such folder.
pub(super) fn file(project: &Path) -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let state = set("XDG_STATE_HOME")
        .or_else(|| set("LOCALAPPDATA"))
        .or_else(|| set("HOME").map(|home| home.join(".local/state")))?;
    let project = std::fs::canonicalize(project).unwrap_or_else(|_| project.to_path_buf());
    // The same in every release: a new one goes on with the history of the last.
    let name = project.file_stem().and_then(|name| name.to_str()).unwrap_or("project").to_string();
    Some(
        state
            .join("blinkblox")
            .join("history")
            .join(format!("{name}-{:016x}", digest(project.as_os_str().as_encoded_bytes()))),
    )
}
