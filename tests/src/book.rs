//! Pages of the book as text, and the fenced blocks in them.

use std::path::{Path, PathBuf};

/// A page of the book, or the README.
pub struct Page {
    /// Its file.
    pub file: PathBuf,
    /// Its path in the book; empty for what is not of the book.
    pub name: String,
    /// Its text.
    pub text: String,
}

impl Page {
    /// Its path as people name it.
    pub fn shown(&self) -> &str {
        if self.name.is_empty() { "README.md" } else { &self.name }
    }
}

/// A fenced block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fence {
    /// What stands behind the opening marks.
    pub info: String,
    /// Line of the opening marks, from 1.
    pub line: usize,
    /// What stands between the marks.
    pub body: String,
}

/// A piece of a page: what stands outside blocks, or a block.
pub enum Piece {
    /// Lines, with their ends.
    Prose(String),
    /// A block.
    Fence(Fence),
}

/// The repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The folder of the book's pages.
pub fn book() -> PathBuf {
    root().join("docs/src")
}

/// Whether pages are written rather than compared.
pub fn update() -> bool {
    std::env::var_os("BLINKBLOX_UPDATE").is_some()
}

/// Holds a file to what it should be, or writes it under [`update`]. `tests` are the arguments of `cargo test` that do.
pub fn hold(file: &Path, found: &str, wanted: &str, tests: &str) {
    if found == wanted {
        return;
    }
    if update() {
        std::fs::write(file, wanted).expect("the file can be written");
        return;
    }
    let lines = found.lines().chain([""]).zip(wanted.lines().chain([""]));
    let differing = lines.enumerate().find(|(_, (has, should))| has != should);
    // They may differ in the end of the last line alone.
    let (before, (has, should)) = differing.unwrap_or_default();
    panic!(
        "{}:{} is not what the tool says:\n  has    {has}\n  should {should}\nwrite it anew with\n    \
         BLINKBLOX_UPDATE=1 cargo test {tests}",
        file.display(),
        before + 1
    );
}

/// Every page of the book by its path, and the README.
pub fn all() -> Vec<Page> {
    let mut found = Vec::new();
    collect(&book(), "", &mut found);
    found.push(page(root().join("README.md"), String::new()));
    found
}

fn page(file: PathBuf, name: String) -> Page {
    let text = std::fs::read_to_string(&file).expect("the page can be read").replace("\r\n", "\n");
    Page { file, name, text }
}

fn collect(folder: &Path, prefix: &str, found: &mut Vec<Page>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder can be read")
        .map(|entry| entry.expect("it can be read").path())
        .collect();
    entries.sort();
    for path in entries {
        let name = format!("{prefix}{}", path.file_name().unwrap_or_default().to_string_lossy());
        if path.is_dir() {
            collect(&path, &format!("{name}/"), found);
        } else if name.ends_with(".md") {
            found.push(page(path, name));
        }
    }
}

/// How many marks a line opens or closes a block with, and what stands behind them.
fn marks(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start_matches('`');
    let count = line.len() - rest.len();
    (count >= 3 && !rest.contains('`')).then_some((count, rest.trim()))
}

/// A page taken apart. Putting the pieces together with [`join`] gives it back.
pub fn pieces(text: &str) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut prose = String::new();
    let mut open: Option<(usize, Fence)> = None;
    for (number, line) in text.lines().enumerate() {
        match (&mut open, marks(line)) {
            (None, Some((count, info))) => {
                found.push(Piece::Prose(std::mem::take(&mut prose)));
                open = Some((count, Fence { info: info.to_owned(), line: number + 1, body: String::new() }));
            }
            (Some((count, _)), Some((closing, ""))) if closing >= *count => {
                found.extend(open.take().map(|(_, fence)| Piece::Fence(fence)));
            }
            (Some((_, fence)), _) => {
                fence.body.push_str(line);
                fence.body.push('\n');
            }
            (None, None) => {
                prose.push_str(line);
                prose.push('\n');
            }
        }
    }
    assert!(open.is_none(), "a block is not closed: {open:?}");
    found.push(Piece::Prose(prose));
    found
}

/// A page put together again.
pub fn join(pieces: &[Piece]) -> String {
    let mut text = String::new();
    for piece in pieces {
        match piece {
            Piece::Prose(prose) => text.push_str(prose),
            Piece::Fence(fence) => {
                let marks = "`".repeat(if fence.body.contains("```") { 4 } else { 3 });
                text.push_str(&format!("{marks}{}\n{}{marks}\n", fence.info, fence.body));
            }
        }
    }
    text
}

/// The prose of a page, blocks left out but for as many empty lines.
pub fn prose(text: &str) -> String {
    let mut out = String::new();
    for piece in pieces(text) {
        match piece {
            Piece::Prose(prose) => out.push_str(&prose),
            Piece::Fence(fence) => out.push_str(&"\n".repeat(fence.body.lines().count() + 2)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_taken_apart_and_put_together() {
        let text = "one\n```blink\ntype A = u8\n```\ntwo\n````md\n```\n````\n";
        let pieces = pieces(text);
        let fences: Vec<&Fence> = pieces
            .iter()
            .filter_map(|piece| match piece {
                Piece::Fence(fence) => Some(fence),
                Piece::Prose(_) => None,
            })
            .collect();
        assert_eq!(fences[0], &Fence { info: "blink".into(), line: 2, body: "type A = u8\n".into() });
        assert_eq!(fences[1].body, "```\n");
        assert_eq!(join(&pieces), text);
        assert_eq!(prose(text).lines().count(), text.lines().count());
    }
}
