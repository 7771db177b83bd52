//! What the outputs of a run were made from, as Make and Ninja read it. Source: tooling specification, 2.14.

use std::path::Path;

use blinkblox_compiler::diagnostics::{Code, Diagnostic};
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

    /// Writes the rules. Errors: the file cannot be written.
    pub fn write(&self, file: &Path) -> Result<(), Box<Diagnostic>> {
        replace(file, self.text.as_bytes()).map_err(|error| {
            let headline = format!("\"{}\" could not be written: {}", forward(file), in_words(&error));
            let note = "The modules are written; what they depend on is not.";
            Box::new(Diagnostic::error(Code::FileUnwritable, headline).about_file(forward(file)).note(note))
        })
    }
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
