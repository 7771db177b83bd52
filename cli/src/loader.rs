//! Schemas on disk.

use std::path::Path;

use blinkblox_compiler::source::{SourceLoader, normalize};

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
        let inside =
            self.working.as_deref().and_then(|working| path.strip_prefix(working)?.strip_prefix('/'));
        inside.unwrap_or(path).to_string()
    }
}

/// A path with forward slashes.
pub fn forward(path: &Path) -> String {
    let text = path.to_string_lossy();
    if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() }
}
