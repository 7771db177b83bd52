//! Schemas on disk.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::rc::Rc;

use blinkblox_compiler::source::{SourceLoader, is_absolute, normalize, parent};
use blinkblox_emulator::shared::in_words;

/// Paths that a loader was asked for, with the [`digest`] of what was read; none of what was not there.
pub type Asked = Rc<RefCell<BTreeMap<String, Option<u64>>>>;

/// A number that changes with the bytes of a file.
pub fn digest(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

/// Reads files; names them relative to the working directory when they lie in it.
pub struct DiskLoader {
    working: Option<String>,
    asked: Asked,
}

impl DiskLoader {
    /// A loader that shows paths relative to the present working directory.
    pub fn new() -> DiskLoader {
        DiskLoader::noting(Asked::default())
    }

    /// The same; notes every path it is asked for.
    pub fn noting(asked: Asked) -> DiskLoader {
        let working = std::env::current_dir().ok().map(|path| normalize(&forward(&path)));
        DiskLoader { working, asked }
    }
}

impl Default for DiskLoader {
    fn default() -> DiskLoader {
        DiskLoader::new()
    }
}

impl SourceLoader for DiskLoader {
    fn is_file(&self, path: &str) -> bool {
        self.asked.borrow_mut().entry(path.to_string()).or_default();
        Path::new(path).is_file()
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        let read = std::fs::read(path).map_err(|error| in_words(&error));
        self.asked.borrow_mut().insert(path.to_string(), read.as_deref().ok().map(digest));
        read
    }

    fn shown(&self, path: &str) -> String {
        let Some(working) = self.working.as_deref() else { return path.to_string() };
        let absolute =
            if is_absolute(path) { path.to_string() } else { normalize(&format!("{working}/{path}")) };
        let inside = absolute.strip_prefix(working).and_then(|rest| rest.strip_prefix('/'));
        inside.unwrap_or(path).to_string()
    }

    fn alike(&self, path: &str) -> Option<String> {
        let (folder, name) = (parent(path), path.rsplit('/').next()?);
        let entries = std::fs::read_dir(if folder.is_empty() { "." } else { folder }).ok()?;
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
        names.sort();
        let found = names.into_iter().find(|found| found.eq_ignore_ascii_case(name))?;
        Some(format!("{}{found}", &path[..path.len() - name.len()]))
    }
}

/// A path with forward slashes.
pub fn forward(path: &Path) -> String {
    let text = path.to_string_lossy();
    if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() }
}
