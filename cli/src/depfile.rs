//! What the outputs of a run were made from, as Make and Ninja read it. Source: tooling specification, 2.14.

use std::path::{Path, PathBuf};

use blinkblox_compiler::diagnostics::{Code, Diagnostic};
use blinkblox_compiler::source::normalize;
use blinkblox_emulator::shared::{in_words, replace};

use crate::commands::compile::Compiled;
use crate::loader::forward;

/// The rules of a run, one a schema.
#[derive(Debug, Default)]
pub struct Depfile {
    text: String,
}

impl Depfile {
    /// Adds the rule of a schema: its outputs, a colon, every file of its unit.
    pub fn add(&mut self, compiled: &Compiled) {
        let outputs = compiled.files.iter().map(|(path, _)| quoted(&compiled.shown(path)));
        let sources = compiled.sources.files().iter().map(|file| quoted(&file.shown));
        let list = |words: &mut dyn Iterator<Item = String>| words.collect::<Vec<_>>().join(" ");
        self.text += &format!("{}: {}\n", list(&mut outputs.into_iter()), list(&mut sources.into_iter()));
    }

    /// Writes the rules, and makes their folder. Errors: the file cannot be written.
    pub fn write(&self, file: &Path) -> Result<(), Box<Diagnostic>> {
        let made = file.parent().map_or(Ok(()), std::fs::create_dir_all);
        made.and_then(|()| replace(file, self.text.as_bytes())).map_err(|error| {
            let headline = format!("\"{}\" could not be written: {}", forward(file), in_words(&error));
            let note = "The modules are written; what they depend on is not.";
            Box::new(Diagnostic::error(Code::FileUnwritable, headline).about_file(forward(file)).note(note))
        })
    }
}

/// Whether rules can be written to a file, before anything else is. Errors: they cannot.
pub fn check(file: &Path) -> Result<(), Box<Diagnostic>> {
    let refuse = |why: String| {
        let headline = format!("\"{}\" could not be written: {why}", forward(file));
        let note = "Nothing was written. Choose another path with `--depfile`.";
        Err(Box::new(Diagnostic::error(Code::FileUnwritable, headline).about_file(forward(file)).note(note)))
    };
    // A schema that no rule of the run names is a source all the same.
    if file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("blink")) {
        return refuse("a file of that name is a schema".to_string());
    }
    match std::fs::metadata(file) {
        Ok(there) if there.is_dir() => return refuse("a folder of that name is in the way".to_string()),
        // A device or a pipe takes what it is given.
        Ok(there) if !there.is_file() => return Ok(()),
        _ => {}
    }
    let above =
        file.ancestors().skip(1).map(|path| if path == Path::new("") { Path::new(".") } else { path });
    let Some(folder) = above.into_iter().find(|path| path.exists()) else { return Ok(()) };
    if !folder.is_dir() {
        return refuse(format!("{} is a file, and no folder", forward(folder)));
    }
    // What is made here goes again at once.
    match tempfile::Builder::new().prefix(".blinkblox").tempfile_in(folder) {
        Ok(_) => Ok(()),
        Err(error) => refuse(in_words(&error)),
    }
}

/// What a schema has against rules in a file: it, or what it imports or writes, is that file.
pub fn clash(file: &Path, compiled: &Compiled) -> Option<Diagnostic> {
    let place = place(file);
    let shown = forward(file);
    let sources = compiled.sources.files().iter().map(|file| (file.path.as_str(), "is made from"));
    let outputs = compiled.files.iter().map(|(path, _)| (path.as_str(), "writes"));
    let (_, what) = sources.chain(outputs).find(|(path, _)| self::place(Path::new(path)) == place)?;
    let headline = format!("--depfile would replace \"{shown}\", which the build {what}");
    let note = "Nothing of this schema was written. Choose another path with `--depfile`.";
    Some(Diagnostic::error(Code::OutputSamePath, headline).about_file(shown).note(note))
}

/// The file a path leads to, whatever links and detours it takes; one that is not there yet is in a folder that may be.
fn place(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let in_folder = || Some(whole.parent()?.canonicalize().ok()?.join(whole.file_name()?));
    whole.canonicalize().ok().or_else(in_folder).unwrap_or_else(|| normalize(&forward(&whole)).into())
}

/// A path as a word of a rule.
fn quoted(path: &str) -> String {
    let mut word = String::new();
    for c in path.chars() {
        match c {
            '$' => word.push_str("$$"),
            ' ' | '#' | '\\' | ':' if c != ':' || !is_drive(path) => {
                word.push('\\');
                word.push(c);
            }
            _ => word.push(c),
        }
    }
    word
}

/// Whether a path begins with a drive of Windows, whose colon Make knows.
fn is_drive(path: &str) -> bool {
    let bytes = path.as_bytes();
    bytes.len() > 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':' && bytes[2] == b'/'
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn signs_of_make_are_quoted() {
        for (path, word) in [
            ("out/Net.luau", "out/Net.luau"),
            ("my game/a.blink", "my\\ game/a.blink"),
            ("a$b#c.blink", "a$$b\\#c.blink"),
            ("C:/game/a.blink", "C:/game/a.blink"),
            ("odd:name.blink", "odd\\:name.blink"),
        ] {
            assert_eq!(quoted(path), word);
        }
    }
}
