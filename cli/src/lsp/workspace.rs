//! Schemas in the folders an editor has open, of which most are not open themselves.

use std::path::{Path, PathBuf};

use blinkblox_compiler::source::{FileId, normalize};
use blinkblox_compiler::syntax::lexer::lex;
use blinkblox_compiler::syntax::token::{Keyword, TokenKind};
use blinkblox_emulator::config::Config;
use blinkblox_emulator::project::is_set_aside;
use lsp_types::InitializeParams;

use super::documents::path_of;
use crate::loader::forward;

/// Most schemas that are looked into; a workspace with more is searched as far as that.
const MAX_SCHEMAS: usize = 1_000;
/// Most entries of folders that are looked at on the way.
const MAX_ENTRIES: usize = 50_000;
/// How deep folders are looked into.
const MAX_DEPTH: usize = 16;

/// The folders an editor says it has open.
#[allow(deprecated, reason = "older editors name one folder and not several")]
pub fn folders(params: &InitializeParams) -> Vec<PathBuf> {
    let several = params.workspace_folders.iter().flatten().map(|folder| path_of(&folder.uri));
    let mut found: Vec<PathBuf> = several.map(PathBuf::from).collect();
    if found.is_empty() {
        found.extend(params.root_uri.iter().map(|uri| PathBuf::from(path_of(uri))));
    }
    found.retain(|folder| folder.is_absolute());
    found
}

/// The schemas that are built: those named, relative to a folder, or those of each folder's `blinkblox.toml`. One that is
/// not there is left out, and so is a configuration that cannot be read: the commands say what is wrong with it.
pub fn entries(folders: &[PathBuf], named: Option<&[String]>) -> Vec<String> {
    let mut found = Vec::new();
    for folder in folders {
        let paths: Vec<PathBuf> = match named {
            Some(named) => named.iter().map(|path| folder.join(path)).collect(),
            None => {
                let config = Config::of_folder(folder).unwrap_or_default();
                config.schema.into_iter().map(|schema| folder.join(schema.path)).collect()
            }
        };
        found.extend(paths.iter().filter(|path| path.is_file()).map(|path| normalize(&forward(path))));
    }
    found.sort();
    found.dedup();
    found
}

/// Schemas of the folders, and of the folder a file lies in, that import anything: those that may read the file. In the
/// order of their paths.
pub fn importers(folders: &[PathBuf], file: &str) -> Vec<String> {
    let mut search = Search { found: Vec::new(), entries: 0 };
    for folder in folders {
        search.folder(folder, 0);
    }
    // A file outside of every folder is used by its neighbours, if by any.
    let own = Path::new(file).parent().filter(|own| own.is_absolute());
    if let Some(own) = own.filter(|own| !folders.iter().any(|folder| own.starts_with(folder))) {
        search.folder(own, MAX_DEPTH);
    }
    search.found.sort();
    search.found.dedup();
    search.found.retain(|path| path != file && imports(path));
    search.found
}

struct Search {
    found: Vec<String>,
    entries: usize,
}

impl Search {
    fn folder(&mut self, folder: &Path, depth: usize) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        // In the order of their names, so that what is left out of too many is the same every time.
        let mut entries: Vec<_> = entries.flatten().map(|entry| (entry.file_name(), entry)).collect();
        entries.sort_by(|left, right| left.0.cmp(&right.0));
        for (name, entry) in entries {
            self.entries += 1;
            if self.found.len() >= MAX_SCHEMAS || self.entries > MAX_ENTRIES {
                return;
            }
            // A link is not followed: it may lead in a circle.
            let Ok(kind) = entry.file_type() else { continue };
            let Some(name) = name.to_str() else { continue };
            if kind.is_dir() && depth < MAX_DEPTH && !is_set_aside(&entry.path()) {
                self.folder(&entry.path(), depth + 1);
            } else if kind.is_file() && name.ends_with(".blink") {
                self.found.push(forward(&entry.path()));
            }
        }
    }
}

/// Whether a schema on disk has an import.
fn imports(path: &str) -> bool {
    let Ok(text) = std::fs::read_to_string(path) else { return false };
    // The word alone is quick to look for, and most schemas do not have it.
    text.contains("import")
        && lex(FileId(0), &text).tokens.iter().any(|token| token.kind == TokenKind::Keyword(Keyword::Import))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn importers_are_found_in_folders_and_beside_the_file() {
        let place = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = place.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("open/rules.blink", "type A = u8");
        write("open/deep/down/user.blink", "import \"../../rules\"");
        write("open/says.blink", "-- import \"./rules\"");
        write("open/node_modules/other.blink", "import \"../rules\"");
        write("open/.git/other.blink", "import \"../rules\"");
        write("beside/rules.blink", "");
        write("beside/user.blink", "import \"./rules\"");
        write("beside/deep/user.blink", "import \"../rules\"");
        let root = place.path();
        let shown = |folders: &[PathBuf], file: &str| -> Vec<String> {
            let found = importers(folders, &forward(&root.join(file)));
            let prefix = format!("{}/", forward(root));
            found.into_iter().map(|path| path.strip_prefix(&prefix).unwrap().to_string()).collect()
        };
        let open = [root.join("open")];
        assert_eq!(shown(&open, "open/rules.blink"), ["open/deep/down/user.blink"]);
        assert_eq!(shown(&open, "beside/rules.blink"), ["beside/user.blink", "open/deep/down/user.blink"]);
        assert_eq!(shown(&[], "open/rules.blink"), [] as [&str; 0]);
    }
}
