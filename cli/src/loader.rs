//! Schemas on disk.

use std::path::Path;

use blinkblox_compiler::source::{SourceLoader, is_absolute, normalize};

/// Reads files; names them relative to the working directory when they lie in it.
pub struct DiskLoader {
    working: Option<String>,
}

impl DiskLoader {
    /// A loader that shows paths relative to the present working directory.
    pub fn new() -> DiskLoader {
        let working = std::env::current_dir().ok().map(|path| normalize(&forward(&path)));
        DiskLoader { working }
    }
}

impl SourceLoader for DiskLoader {
    fn is_file(&self, path: &str) -> bool {
        Path::new(path).is_file()
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        std::fs::read(path).map_err(|error| error.kind().to_string())
    }

    fn shown(&self, path: &str) -> String {
        let Some(working) = self.working.as_deref() else { return path.to_string() };
        let absolute =
            if is_absolute(path) { path.to_string() } else { normalize(&format!("{working}/{path}")) };
        let inside = absolute.strip_prefix(working).and_then(|rest| rest.strip_prefix('/'));
        inside.unwrap_or(path).to_string()
    }
}

/// A path with forward slashes.
pub fn forward(path: &Path) -> String {
    let text = path.to_string_lossy();
    if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() }
}
