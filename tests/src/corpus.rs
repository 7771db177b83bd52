//! The schemas of `corpus/` and `golden/`, read from disk.

use std::path::{Path, PathBuf};

use blinkblox_compiler::schema::Profile;
use blinkblox_compiler::source::MemoryLoader;
use blinkblox_compiler::{Analysis, Compilation, analyze, compile};

/// Name of the entry of every case.
pub const ENTRY: &str = "main.blink";

/// A case of the corpus.
pub struct Case {
    /// Its path, for messages.
    pub path: PathBuf,
    /// Its files, the entry first: name and text.
    pub files: Vec<(String, String)>,
}

impl Case {
    /// The text of its entry.
    pub fn entry(&self) -> &str {
        &self.files[0].1
    }

    /// The profile it is built under: what `-- profile: test` says, or `release`.
    pub fn profile(&self) -> Profile {
        let said = self.entry().lines().find_map(|line| line.strip_prefix("-- profile: "));
        let said = said.map(|name| {
            Profile::from_text(name.trim())
                .unwrap_or_else(|| panic!("{}: no profile {name}", self.path.display()))
        });
        said.unwrap_or(Profile::Release)
    }

    /// What the compiler has to say of it.
    pub fn analyze(&self) -> Analysis {
        analyze(&self.loader(str::to_string), ENTRY, self.profile())
    }

    /// What the compiler makes of it.
    pub fn compile(&self) -> Compilation {
        compile(&self.loader(str::to_string), ENTRY, self.profile())
    }

    /// Its file's name without its ending.
    pub fn name(&self) -> String {
        self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// A loader with the files of the case, each text passed through `change`.
    pub fn loader(&self, change: impl Fn(&str) -> String) -> MemoryLoader {
        self.files.iter().fold(MemoryLoader::new(), |loader, (name, text)| loader.with(name, change(text)))
    }
}

/// Cases of `corpus/ok` or `corpus/err`, by path.
pub fn corpus(folder: &str) -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(folder);
    let schemas = paths(&root).into_iter().filter(|path| path.extension().is_some_and(|end| end == "blink"));
    schemas.map(|path| Case { files: files(&read(&path)), path }).collect()
}

/// Schemas of `golden`, by path.
pub fn golden() -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden");
    let schemas = paths(&root).into_iter().map(|path| path.join("schema.blink"));
    schemas
        .filter(|path| path.is_file())
        .map(|path| Case { files: vec![(ENTRY.to_string(), read(&path))], path })
        .collect()
}

fn paths(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A case's text taken apart: a line `---- name.blink` starts another file.
fn files(text: &str) -> Vec<(String, String)> {
    let mut files = vec![(ENTRY.to_string(), String::new())];
    for line in text.split_inclusive('\n') {
        match line.strip_prefix("---- ") {
            Some(name) => files.push((name.trim().to_string(), String::new())),
            None => {
                if let Some((_, text)) = files.last_mut() {
                    text.push_str(line);
                }
            }
        }
    }
    files
}
