//! Where text comes from, and how a place in it is named.
//!
//! The compiler does no input or output: files arrive through a [`SourceLoader`]. [`Sources`] keeps what was loaded
//! and turns byte offsets into lines and columns.

use std::collections::BTreeMap;
use std::ops::Index;

/// Index of a file in a [`crate::source::Sources`]; the entry is 0, imports follow as they are first reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// A run of bytes of one file; `end` is the first byte after it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte, from 0.
    pub start: u32,
    /// First byte past the run.
    pub end: u32,
}

impl Span {
    /// The bytes `start..end` of `file`.
    pub fn new(file: FileId, start: usize, end: usize) -> Span {
        Span { file, start: clamp_offset(start), end: clamp_offset(end) }
    }

    /// From the start of `self` to the end of `other`, which must lie in the same file.
    pub fn to(self, other: Span) -> Span {
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The empty span right behind this one.
    pub fn after(self) -> Span {
        Span { file: self.file, start: self.end, end: self.end }
    }

    /// Length in bytes.
    pub fn len(self) -> usize {
        self.end.saturating_sub(self.start) as usize
    }

    /// Whether it covers nothing.
    pub fn is_empty(self) -> bool {
        self.end <= self.start
    }
}

/// Whether a byte of UTF-8 is the first of a character.
fn starts_character(byte: u8) -> bool {
    byte & 0xC0 != 0x80
}

/// Files past 4 GiB are refused when they are loaded, so this never really clamps.
fn clamp_offset(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

/// A place in a file as people count it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Byte column, from 1.
    pub column: u32,
    /// Byte offset, from 0.
    pub offset: u32,
}

/// A loaded file.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// How the file is named to people: forward slashes, relative to the working directory when inside it.
    pub shown: String,
    /// The resolved path, which is what files are told apart by.
    pub path: String,
    /// Its text, without a byte order mark.
    pub text: String,
    line_starts: Vec<u32>,
    /// What lies before every [`STRIDE`]th byte; empty when each byte is a character.
    counts: Vec<Count>,
}

/// How long a text is in other units than bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    characters: u32,
    /// Units of UTF-16.
    units: u32,
}

impl Count {
    /// The count with that of more bytes, which begin where a character does or inside one.
    fn with(self, bytes: &[u8]) -> Count {
        let characters = bytes.iter().filter(|byte| starts_character(**byte)).count();
        // A character of four bytes takes two units.
        let wide = bytes.iter().filter(|byte| **byte >= 0xF0).count();
        Count {
            characters: self.characters + clamp_offset(characters),
            units: self.units + clamp_offset(characters + wide),
        }
    }
}

/// Bytes between two counts of characters: what a column costs at most, however long its line is.
const STRIDE: usize = 256;

impl SourceFile {
    /// What lies before a byte offset, from the start of the file.
    fn before(&self, offset: u32) -> Count {
        let offset = (offset as usize).min(self.text.len());
        match self.counts.get(offset / STRIDE) {
            Some(known) => known.with(&self.text.as_bytes()[offset / STRIDE * STRIDE..offset]),
            None => Count { characters: clamp_offset(offset), units: clamp_offset(offset) },
        }
    }

    /// Column of a byte offset in characters, from 1.
    pub fn character_column(&self, offset: u32) -> u32 {
        let position = self.position(offset);
        let line = position.offset - (position.column - 1);
        self.before(position.offset).characters - self.before(line).characters + 1
    }

    /// Column of a byte offset in units of UTF-16, from 1.
    pub fn utf16_column(&self, offset: u32) -> u32 {
        let position = self.position(offset);
        let line = position.offset - (position.column - 1);
        self.before(position.offset).units - self.before(line).units + 1
    }

    /// Line, column and offset of a byte offset; one past the end is clamped to the end.
    pub fn position(&self, offset: u32) -> Position {
        let offset = offset.min(clamp_offset(self.text.len()));
        let line = self.line_starts.partition_point(|&start| start <= offset).max(1);
        let start = self.line_starts.get(line - 1).copied().unwrap_or(0);
        Position { line: clamp_offset(line), column: offset - start + 1, offset }
    }

    /// Text of a line counted from 1, without its line end.
    pub fn line(&self, line: u32) -> &str {
        let range = self.line_range(line);
        self.text.get(range).unwrap_or("").trim_end_matches(['\r', '\n'])
    }

    /// The bytes to delete so that an item of a comma-separated list is gone: the item and one comma beside it.
    ///
    /// The comma behind it goes when there is one, with the white space after it up to a line end; else the comma
    /// in front of it.
    pub fn item_range(&self, item: Span) -> Span {
        let bytes = self.text.as_bytes();
        let (start, end) = (item.start as usize, item.end as usize);
        let white = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_whitespace);
        let blank = |at: usize| matches!(bytes.get(at), Some(b' ' | b'\t'));
        let mut behind = end;
        while white(behind) {
            behind += 1;
        }
        if bytes.get(behind) == Some(&b',') {
            behind += 1;
            while blank(behind) {
                behind += 1;
            }
            return Span::new(item.file, start, behind);
        }
        let mut front = start;
        while front > 0 && white(front - 1) {
            front -= 1;
        }
        if front > 0 && bytes[front - 1] == b',' { Span::new(item.file, front - 1, end) } else { item }
    }

    /// Bytes of a line counted from 1, its line end included.
    pub fn line_range(&self, line: u32) -> std::ops::Range<usize> {
        let index = line.max(1) as usize - 1;
        let end = self.text.len();
        let start = self.line_starts.get(index).map_or(end, |&start| start as usize);
        let next = self.line_starts.get(index + 1).map_or(end, |&start| start as usize);
        start..next
    }
}

/// The files of one compilation.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<SourceFile>,
}

impl Sources {
    /// Adds a file and gives its id. `text` must not carry a byte order mark.
    pub fn add(&mut self, path: &str, shown: &str, text: String) -> FileId {
        let mut line_starts = vec![0];
        line_starts.extend(
            text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| clamp_offset(at + 1)),
        );
        let mut counts = Vec::new();
        if !text.is_ascii() {
            let mut count = Count::default();
            for stride in text.as_bytes().chunks(STRIDE) {
                counts.push(count);
                count = count.with(stride);
            }
            counts.push(count);
        }
        let (shown, path) = (shown.to_string(), path.to_string());
        self.files.push(SourceFile { shown, path, text, line_starts, counts });
        FileId(clamp_offset(self.files.len() - 1))
    }

    /// The file already loaded from a resolved path.
    pub fn find(&self, path: &str) -> Option<FileId> {
        self.files.iter().position(|file| file.path == path).map(|at| FileId(clamp_offset(at)))
    }

    /// Every file, in the order of their ids.
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// Text of a span; empty when it does not lie on character borders of a loaded file.
    pub fn text(&self, span: Span) -> &str {
        self.files
            .get(span.file.0 as usize)
            .and_then(|file| file.text.get(span.start as usize..span.end as usize))
            .unwrap_or("")
    }

    /// The bytes to delete so that an item of a list is gone; see [`SourceFile::item_range`].
    pub fn item_range(&self, item: Span) -> Span {
        self.files.get(item.file.0 as usize).map_or(item, |file| file.item_range(item))
    }

    /// A quoted name with the bracket it stands behind; any other name as it is.
    pub fn bracketed(&self, name: Span) -> Span {
        let Some(file) = self.files.get(name.file.0 as usize) else { return name };
        let before = file.text.get(..name.start as usize).unwrap_or("").trim_end();
        let quoted = self.text(name).starts_with(['"', '\'']);
        match before.strip_suffix('[') {
            Some(rest) if quoted => Span { start: clamp_offset(rest.len()), ..name },
            Some(_) | None => name,
        }
    }

    /// Where a span starts.
    pub fn start(&self, span: Span) -> Position {
        self[span.file].position(span.start)
    }

    /// The first position after a span.
    pub fn end(&self, span: Span) -> Position {
        self[span.file].position(span.end)
    }
}

impl Index<FileId> for Sources {
    type Output = SourceFile;

    fn index(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }
}

/// What the compiler asks of the world: whether a path is a file, and what is in it.
///
/// Paths use forward slashes and have `.` and `..` removed before they get here.
pub trait SourceLoader {
    /// Whether `path` names a regular file. A directory is none.
    fn is_file(&self, path: &str) -> bool;

    /// The bytes of a file, or why they cannot be had, as a phrase such as "permission denied".
    fn read(&self, path: &str) -> Result<Vec<u8>, String>;

    /// How a path is named to people.
    fn shown(&self, path: &str) -> String {
        path.to_string()
    }

    /// A file in the folder of `path` whose name is that of `path` in other letters: on some systems it would be found.
    fn alike(&self, _path: &str) -> Option<String> {
        None
    }

    /// The file a path means, by the three steps of the language specification, 5: as written, with `.txt`, with
    /// `.blink`. `folder` is the directory the path is relative to, empty for the working directory. A loader whose files
    /// are not in folders finds them in its own way: whatever it gives is one file's only path.
    ///
    /// Errors: the paths tried, when none of them is a file.
    fn resolve(&self, folder: &str, path: &str) -> Result<String, Vec<String>> {
        let path = if is_absolute(path) || folder.is_empty() {
            normalize(path)
        } else {
            normalize(&format!("{folder}/{path}"))
        };
        let tried = [path.clone(), format!("{path}.txt"), format!("{path}.blink")];
        tried.iter().find(|path| self.is_file(path)).cloned().ok_or(tried.into())
    }
}

/// Schemas held in memory, by path.
#[derive(Clone, Debug, Default)]
pub struct MemoryLoader {
    files: BTreeMap<String, Vec<u8>>,
}

impl MemoryLoader {
    /// A loader without files.
    pub fn new() -> MemoryLoader {
        MemoryLoader::default()
    }

    /// The loader with one more file.
    pub fn with(mut self, path: &str, text: impl Into<Vec<u8>>) -> MemoryLoader {
        self.files.insert(normalize(path), text.into());
        self
    }
}

impl SourceLoader for MemoryLoader {
    fn is_file(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        self.files.get(path).cloned().ok_or_else(|| "no such file".to_string())
    }

    fn alike(&self, path: &str) -> Option<String> {
        self.files.keys().find(|file| file.eq_ignore_ascii_case(path)).cloned()
    }
}

/// Whether a path starts with `/` or has a drive letter.
pub fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || path.as_bytes().get(1) == Some(&b':')
}

/// The path with `.` and `..` removed where they can be.
pub fn normalize(path: &str) -> String {
    let absolute = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => match parts.last() {
                Some(&last) if last != ".." => {
                    parts.pop();
                }
                Some(_) | None if absolute => {}
                Some(_) | None => parts.push(".."),
            },
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    if absolute { format!("/{joined}") } else { joined }
}

/// The directory of a path; empty when it has none.
pub fn parent(path: &str) -> &str {
    match path.rfind('/') {
        Some(0) => "/",
        Some(at) => &path[..at],
        None => "",
    }
}

/// The last component of a path without its last extension.
pub fn stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    match name.rfind('.') {
        Some(at) if at > 0 => &name[..at],
        Some(_) | None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_from_one() {
        let mut sources = Sources::default();
        let file = sources.add("a.blink", "a.blink", "one\r\ntwo\n".to_string());
        assert_eq!(sources[file].position(0), Position { line: 1, column: 1, offset: 0 });
        assert_eq!(sources[file].position(6), Position { line: 2, column: 2, offset: 6 });
        assert_eq!(sources[file].position(99), Position { line: 3, column: 1, offset: 9 });
        assert_eq!(sources[file].line(1), "one");
        assert_eq!(sources[file].line(2), "two");
        assert_eq!(sources[file].line(3), "");
    }

    #[test]
    fn characters_are_counted_from_the_last_stride() {
        let mut sources = Sources::default();
        let text = format!("é\n{}x", "漢".repeat(400));
        let file = sources.add("a", "a", text.clone());
        for (at, _) in text.char_indices().skip(2) {
            let expected = text[3..at].chars().count() as u32 + 1;
            assert_eq!(sources[file].character_column(at as u32), expected);
        }
        assert_eq!(sources[file].character_column(2), 2);
        let wide = sources.add("b", "b", format!("a\n{}x", "\u{1F600}\u{e9}".repeat(200)));
        assert_eq!(sources[wide].utf16_column(2 + 4), 3);
        assert_eq!(sources[wide].utf16_column(2 + 6), 4);
        assert_eq!(sources[wide].utf16_column(2 + 200 * 6), 601);
        assert_eq!(sources[wide].character_column(2 + 200 * 6), 401);
        assert_eq!(sources[file].character_column(u32::MAX), 402);
    }

    #[test]
    fn an_item_goes_with_one_comma() {
        let check = |text: &str, item: &str, expected: &str| {
            let mut sources = Sources::default();
            let file = sources.add("a", "a", text.to_string());
            let at = text.find(item).unwrap();
            let gone = sources.item_range(Span::new(file, at, at + item.len()));
            let mut left = text.to_string();
            left.replace_range(gone.start as usize..gone.end as usize, "");
            assert_eq!(left, expected);
        };
        check("{ A, B, C }", "B", "{ A, C }");
        check("{ A, B }", "B", "{ A }");
        check("{ B }", "B", "{  }");
        check("{\n    A,\n    B,\n}", "B", "{\n    A,\n    \n}");
        check("<A, B>", "A", "<B>");
    }

    #[test]
    fn paths_are_resolved_in_three_steps() {
        let loader = MemoryLoader::new()
            .with("game/rules.blink", "")
            .with("game/rules.txt", "")
            .with("game/exact", "");
        assert_eq!(loader.resolve("game", "./rules").as_deref(), Ok("game/rules.txt"));
        assert_eq!(loader.resolve("game/sub", "../exact").as_deref(), Ok("game/exact"));
        let tried = ["game/none", "game/none.txt", "game/none.blink"].map(String::from).to_vec();
        assert_eq!(loader.resolve("game", "none"), Err(tried));
    }

    #[test]
    fn normalize_keeps_what_it_cannot_remove() {
        assert_eq!(normalize("a/./b/../c"), "a/c");
        assert_eq!(normalize("../../a"), "../../a");
        assert_eq!(normalize("/../a"), "/a");
        assert_eq!(stem("dir/a.b.blink"), "a.b");
        assert_eq!(stem(".blink"), ".blink");
        assert_eq!(parent("dir/a"), "dir");
    }
}
