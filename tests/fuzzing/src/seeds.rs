//! What there is to start from: the schemas and definitions of the tests, and what the fuzzer kept.

use std::path::{Path, PathBuf};

/// Longest file that is taken as a seed, in bytes: longer ones repeat themselves.
const LONGEST: u64 = 4_000;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Files below a folder of the repository whose name has the ending, by path.
pub(crate) fn below(folder: &str, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![root().join(folder)];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.to_string_lossy().ends_with(ending)
                && entry.metadata().is_ok_and(|data| data.len() <= LONGEST)
            {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn read(paths: Vec<PathBuf>) -> Vec<Vec<u8>> {
    paths.into_iter().filter_map(|path| std::fs::read(path).ok()).collect()
}

/// Schemas of the corpora, sound and not.
pub(crate) fn schemas() -> Vec<Vec<u8>> {
    [below("tests/corpus", ".blink"), below("tests/golden", ".blink")].into_iter().flat_map(read).collect()
}

/// What the fuzzer kept of a target, by file name.
pub fn kept(target: &str) -> Vec<Vec<u8>> {
    read(below(&format!("fuzz/corpus/{target}"), ""))
}
