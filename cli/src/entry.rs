//! The schema a run starts from: a path tried in three steps, or standard input. Source: tooling specification, 2.3.

use std::io::Read;
use std::path::PathBuf;

use blinkblox_compiler::diagnostics::{Code, Diagnostic, suggest};
use blinkblox_compiler::source::{SourceLoader, normalize, parent};
use blinkblox_emulator::shared::in_words;

use crate::commands::usage;
use crate::loader::{Asked, DiskLoader, forward};

/// The path of a schema from standard input that was given none.
pub const STDIN: &str = "stdin.blink";

/// A schema that is there, and how it and what it imports are read.
pub struct Entry {
    /// Reads it and its imports.
    pub loader: Box<dyn SourceLoader>,
    /// Its resolved path.
    pub path: String,
}

/// What two spellings of a schema's path have in common: the file they lead to, or the path itself when there is none.
pub fn identity(schema: &str) -> PathBuf {
    if schema == "-" {
        return PathBuf::from(schema);
    }
    let path = forward(schema.as_ref());
    let found = DiskLoader::new().resolve("", &path).unwrap_or(path);
    std::fs::canonicalize(&found).unwrap_or_else(|_| PathBuf::from(normalize(&found)))
}

/// Finds the entry named on the command line; `-` is standard input, taken to stand at `stdin_path`.
pub fn open(schema: &str, stdin_path: Option<&str>) -> Result<Entry, Box<Diagnostic>> {
    open_noting(schema, stdin_path, &Asked::default())
}

/// The same; notes every path that is asked for, now and while the schema is read.
pub fn open_noting(schema: &str, stdin_path: Option<&str>, asked: &Asked) -> Result<Entry, Box<Diagnostic>> {
    if schema == "-" {
        return open_stdin(stdin_path);
    }
    let loader = DiskLoader::noting(asked.clone());
    match loader.resolve("", &forward(schema.as_ref())) {
        Ok(path) => Ok(Entry { loader: Box::new(loader), path }),
        Err(_) => Err(Box::new(not_found(&forward(schema.as_ref())))),
    }
}

fn open_stdin(stdin_path: Option<&str>) -> Result<Entry, Box<Diagnostic>> {
    // Without a name it lies in the working directory.
    open_stdin_at(stdin_path.unwrap_or(STDIN))
}

/// What standard input holds, taken to stand at a path.
pub fn open_stdin_at(path: &str) -> Result<Entry, Box<Diagnostic>> {
    let path = normalize(&forward(path.as_ref()));
    let mut bytes = Vec::new();
    if let Err(error) = std::io::stdin().lock().read_to_end(&mut bytes) {
        let headline = format!("standard input cannot be read: {}", in_words(&error));
        return Err(Box::new(Diagnostic::error(Code::FileUnreadable, headline)));
    }
    let loader = StdinLoader { disk: DiskLoader::new(), path: path.clone(), bytes };
    Ok(Entry { loader: Box::new(loader), path })
}

/// Files on disk, but for one that came from standard input.
struct StdinLoader {
    disk: DiskLoader,
    path: String,
    bytes: Vec<u8>,
}

impl SourceLoader for StdinLoader {
    fn is_file(&self, path: &str) -> bool {
        path == self.path || self.disk.is_file(path)
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        if path == self.path { Ok(self.bytes.clone()) } else { self.disk.read(path) }
    }

    fn shown(&self, path: &str) -> String {
        self.disk.shown(path)
    }

    fn alike(&self, path: &str) -> Option<String> {
        self.disk.alike(path)
    }
}

/// `E4004`, with the paths tried and the schema of that folder that was probably meant.
fn not_found(path: &str) -> Diagnostic {
    if std::path::Path::new(path).is_dir() {
        let names = schemas_in(path);
        let note = match names.as_slice() {
            [] => "It holds no schema. Name a file.".to_string(),
            names => format!("Name a schema in it: {}.", names.join(", ")),
        };
        return Diagnostic::error(Code::FileNotFound, format!("\"{path}\" is a folder, not a schema"))
            .note(note);
    }
    let folder = match parent(path) {
        "" => ".",
        folder => folder,
    };
    let names = schemas_in(folder);
    let tried = [path.to_string(), format!("{path}.txt"), format!("{path}.blink")];
    let wanted = tried[2].rsplit('/').next().unwrap_or_default();
    let near = suggest::nearest(wanted, names.iter().map(String::as_str));
    Diagnostic::error(Code::FileNotFound, format!("there is no schema \"{path}\""))
        .note(format!("Tried {}.", tried.join(", ")))
        .opt_note(near.map(|near| format!("The folder holds \"{near}\".")))
        .opt_note(
            usage::near_command(path).map(|near| format!("Did you mean the command `blinkblox {near}`?")),
        )
}

/// Names of the schemas of a folder, sorted.
fn schemas_in(folder: &str) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.ends_with(".blink"))
        .collect();
    names.sort();
    names
}
