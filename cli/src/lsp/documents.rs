//! The schemas an editor has open, over those on disk, and where the compiler's places are in them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;

use blinkblox_compiler::Analysis;
use blinkblox_compiler::ide::names::{Definition, definition};
use blinkblox_compiler::schema::Profile;
use blinkblox_compiler::source::{FileId, SourceFile, SourceLoader, Span};
use lsp_types::{MessageType, Position, Range, ShowMessageParams, TextDocumentContentChangeEvent, Uri};
use serde_json::Value;

use super::workspace;
use crate::loader::{DiskLoader, forward};

/// What a position's character counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// Halves of UTF-16.
    #[default]
    Utf16,
}

/// Open schemas, by path, and what is known of them.
#[derive(Default)]
pub struct Documents {
    pub encoding: Encoding,
    /// Whether inlay hints are shown: off until the editor asks for them.
    pub hints: bool,
    /// Whether a schema is built when it, or something it imports, is saved.
    pub compile_on_save: bool,
    /// Folders the editor has open.
    pub folders: Vec<PathBuf>,
    /// Schemas that are built, as the settings name them; without, those of each folder's `blinkblox.toml`.
    named_entries: Option<Vec<String>>,
    /// The same as paths, found once after each change of files or settings.
    entries: Option<Vec<String>>,
    profile: Option<Profile>,
    /// What the person is to be told, with the next answer.
    messages: Vec<ShowMessageParams>,
    open: BTreeMap<String, String>,
    analyses: BTreeMap<String, Rc<Analysis>>,
    /// Files that were last told something, so that it can be taken back.
    pub told: Vec<String>,
}

/// A file of an analysis that a request is about.
pub struct Place {
    pub analysis: Rc<Analysis>,
    pub file: FileId,
}

impl Documents {
    pub fn open(&mut self, uri: &Uri, text: String) {
        self.open.insert(path_of(uri), text);
        self.forget();
    }

    pub fn close(&mut self, uri: &Uri) {
        self.open.remove(&path_of(uri));
        self.forget();
    }

    pub fn change(&mut self, uri: &Uri, changes: Vec<TextDocumentContentChangeEvent>) {
        let encoding = self.encoding;
        let path = path_of(uri);
        if let Some(text) = self.open.get_mut(&path) {
            for change in changes {
                match change.range {
                    Some(range) => {
                        let start = offset_in(text, range.start, encoding);
                        let end = offset_in(text, range.end, encoding).max(start);
                        text.replace_range(start..end, &change.text);
                    }
                    None => *text = change.text,
                }
            }
        }
        // Schemas that are not made of it stay as they are.
        self.analyses.retain(|_, analysis| analysis.sources.find(&path).is_none());
    }

    /// Takes settings over: `profile`, the `entries`, whether `inlayHints` are shown, and whether to `compileOnSave`.
    pub fn configure(&mut self, settings: &Value) {
        let settings = settings.get("blinkblox").unwrap_or(settings);
        if let Some(profile) = settings.get("profile").and_then(Value::as_str) {
            self.profile = Profile::from_text(profile);
        }
        if let Some(entries) = settings.get("entries").and_then(Value::as_array) {
            let named = entries.iter().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<_>>();
            self.named_entries = (!named.is_empty()).then_some(named);
        }
        if let Some(hints) = settings.get("inlayHints").and_then(Value::as_bool) {
            self.hints = hints;
        }
        if let Some(compile) = settings.get("compileOnSave").and_then(Value::as_bool) {
            self.compile_on_save = compile;
        }
        self.forget();
    }

    /// Forgets what was made of the schemas: something they are made of changed.
    pub fn forget(&mut self) {
        self.analyses.clear();
        self.entries = None;
    }

    /// Paths of the schemas that are built, open or not.
    pub fn entries(&mut self) -> Vec<String> {
        if self.entries.is_none() {
            self.entries = Some(workspace::entries(&self.folders, self.named_entries.as_deref()));
        }
        self.entries.clone().unwrap_or_default()
    }

    /// The profile schemas are checked under.
    pub fn profile(&self) -> Profile {
        self.profile.unwrap_or(Profile::Release)
    }

    /// Tells the person something, with the next answer.
    pub fn say(&mut self, typ: MessageType, message: String) {
        self.messages.push(ShowMessageParams { typ, message });
    }

    /// What the person is to be told now.
    pub fn take_messages(&mut self) -> Vec<ShowMessageParams> {
        std::mem::take(&mut self.messages)
    }

    /// Whether a schema is open and not as it is on disk.
    pub fn is_unsaved(&self, path: &str) -> bool {
        let Some(open) = self.open.get(path) else { return false };
        std::fs::read(path).map_or(true, |disk| {
            let disk = disk.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&disk);
            disk != open.strip_prefix('\u{FEFF}').unwrap_or(open).as_bytes()
        })
    }

    /// Open schemas that name outputs and are made of a file: what is built anew when it is saved.
    pub fn built_of(&mut self, path: &str) -> Vec<String> {
        let mut found = Vec::new();
        for entry in self.paths() {
            let analysis = self.analysis(&entry);
            if analysis.sources.find(path).is_some() && analysis.option_spans.contains_key("ServerOutput") {
                found.push(entry);
            }
        }
        found
    }

    /// Paths of the open schemas.
    pub fn paths(&self) -> Vec<String> {
        self.open.keys().cloned().collect()
    }

    /// The analysis of a schema as an entry, made once after each change.
    pub fn analysis(&mut self, path: &str) -> Rc<Analysis> {
        if let Some(known) = self.analyses.get(path) {
            return Rc::clone(known);
        }
        let profile = self.profile();
        let made = Rc::new(blinkblox_compiler::analyze(&self.loader(), path, profile));
        self.analyses.insert(path.to_string(), Rc::clone(&made));
        made
    }

    /// Open schemas over those on disk, with other texts for some of them.
    pub fn analysis_with(&self, path: &str, texts: &BTreeMap<String, String>) -> Analysis {
        let mut loader = self.loader();
        loader.texts.extend(texts.iter().map(|(path, text)| (path.clone(), text.clone())));
        blinkblox_compiler::analyze(&loader, path, self.profile())
    }

    fn loader(&self) -> Overlay {
        Overlay { disk: DiskLoader::new(), texts: self.open.clone() }
    }

    /// The schema a request is about; `None` when it cannot be read.
    pub fn place(&mut self, uri: &Uri) -> Option<Place> {
        let analysis = self.analysis(&path_of(uri));
        let file = FileId(0);
        (!analysis.sources.files().is_empty()).then_some(Place { analysis, file })
    }

    /// Every schema, open or in a folder of the workspace, that reads the file in which the name at an offset is
    /// declared, each with the span of that declaration in it: a name is used in more files than the one it is asked
    /// about in knows.
    pub fn users(&mut self, place: &Place, offset: u32) -> Vec<(Rc<Analysis>, Span)> {
        let Some(Definition::Name(target)) = definition(&place.analysis, place.file, offset) else {
            return Vec::new();
        };
        let declared_in = place.analysis.sources[target.file].path.clone();
        let mut users = vec![(Rc::clone(&place.analysis), target)];
        let mut paths = self.paths();
        let importers = workspace::importers(&self.folders, &declared_in);
        paths.extend(importers.into_iter().filter(|path| !self.open.contains_key(path)));
        for path in paths {
            let analysis = self.analysis(&path);
            if !Rc::ptr_eq(&analysis, &place.analysis)
                && let Some(file) = analysis.sources.find(&declared_in)
            {
                users.push((analysis, Span { file, ..target }));
            }
        }
        users
    }

    /// A byte offset of a position in a file.
    pub fn offset(&self, file: &SourceFile, position: Position) -> u32 {
        offset_in(&file.text, position, self.encoding) as u32
    }

    /// A span as the editor counts it.
    pub fn range(&self, analysis: &Analysis, span: Span) -> Range {
        let file = &analysis.sources[span.file];
        Range { start: self.position(file, span.start), end: self.position(file, span.end) }
    }

    /// A byte offset as the editor counts it.
    pub fn position(&self, file: &SourceFile, offset: u32) -> Position {
        let place = file.position(offset);
        let column = match self.encoding {
            Encoding::Utf8 => place.column,
            Encoding::Utf16 => file.utf16_column(offset),
        };
        Position { line: place.line - 1, character: column - 1 }
    }

    /// The address of a file of an analysis.
    pub fn uri(&self, analysis: &Analysis, file: FileId) -> Option<Uri> {
        uri_of(&analysis.sources[file].path)
    }
}

/// Texts in memory in front of those on disk.
struct Overlay {
    disk: DiskLoader,
    texts: BTreeMap<String, String>,
}

impl SourceLoader for Overlay {
    fn is_file(&self, path: &str) -> bool {
        self.texts.contains_key(path) || self.disk.is_file(path)
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        match self.texts.get(path) {
            Some(text) => Ok(text.clone().into_bytes()),
            None => self.disk.read(path),
        }
    }

    fn shown(&self, path: &str) -> String {
        self.disk.shown(path)
    }

    fn alike(&self, path: &str) -> Option<String> {
        self.disk.alike(path)
    }
}

/// The path an address names: of a file its path, of anything else the address itself.
pub fn path_of(uri: &Uri) -> String {
    let parsed = url::Url::parse(uri.as_str()).ok().filter(|url| url.scheme() == "file");
    match parsed.and_then(|url| url.to_file_path().ok()) {
        Some(path) => forward(&path),
        None => uri.as_str().to_string(),
    }
}

/// The address of a path.
pub fn uri_of(path: &str) -> Option<Uri> {
    match url::Url::from_file_path(path) {
        Ok(url) => url.as_str().parse().ok(),
        Err(()) => path.parse().ok(),
    }
}

/// The byte offset of a position; one past the end of its line or of the text is moved back onto it.
fn offset_in(text: &str, position: Position, encoding: Encoding) -> usize {
    let mut start = 0;
    for _ in 0..position.line {
        match text[start..].find('\n') {
            Some(end) => start += end + 1,
            None => return text.len(),
        }
    }
    let line = text[start..].split('\n').next().unwrap_or("").trim_end_matches('\r');
    let wanted = position.character as usize;
    let mut counted = 0;
    for (at, char) in line.char_indices() {
        if counted >= wanted {
            return start + at;
        }
        counted += match encoding {
            Encoding::Utf8 => char.len_utf8(),
            Encoding::Utf16 => char.len_utf16(),
        };
    }
    start + line.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_what_was_agreed_on() {
        let text = "a\u{1F600}b\r\nsecond";
        let at = |line, character, encoding| offset_in(text, Position { line, character }, encoding);
        assert_eq!(at(0, 3, Encoding::Utf16), 5);
        assert_eq!(at(0, 5, Encoding::Utf8), 5);
        // Past the end of a line is its end, past the end of the text the text's.
        assert_eq!(at(0, 99, Encoding::Utf16), 6);
        assert_eq!(at(1, 3, Encoding::Utf16), 11);
        assert_eq!(at(9, 0, Encoding::Utf16), text.len());
    }

    #[test]
    fn addresses_are_paths_and_back() {
        let uri: Uri = "file:///home/a%20b/game.blink".parse().unwrap();
        assert_eq!(path_of(&uri), "/home/a b/game.blink");
        assert_eq!(uri_of("/home/a b/game.blink").unwrap().as_str(), uri.as_str());
        let untitled: Uri = "untitled:Untitled-1".parse().unwrap();
        assert_eq!(path_of(&untitled), "untitled:Untitled-1");
    }
}
