//! What is wrong with a project, said for its author: where, what, why and what to do.

use std::fmt;
use std::path::{Path, PathBuf};

/// A fault of a project or place, or a warning about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file it lies in, as the loader was given it.
    pub file: PathBuf,
    /// Line and column in the file, both from 1, columns in characters; `None` for a fault of the file as a whole.
    pub place: Option<(usize, usize)>,
    /// The field it lies in, as `tree.ReplicatedStorage.$path`; empty if there is none.
    pub field: String,
    /// What is wrong, and why that is wrong.
    pub message: String,
    /// What to do about it; empty if the message says it all.
    pub help: String,
}

/// What a loading step ends in.
pub type Result<T> = std::result::Result<T, Box<Problem>>;

impl Problem {
    /// A fault of a file as a whole.
    pub fn of_file(file: &Path, message: impl Into<String>) -> Box<Self> {
        Box::new(Self {
            file: file.to_owned(),
            place: None,
            field: String::new(),
            message: message.into(),
            help: String::new(),
        })
    }

    /// A file or folder that could not be read.
    pub fn unreadable(file: &Path, error: &std::io::Error) -> Box<Self> {
        Self::of_file(file, format!("cannot be read: {}", crate::shared::in_words(error)))
    }

    /// The same, with what to do about it.
    pub fn help(mut self: Box<Self>, help: impl Into<String>) -> Box<Self> {
        self.help = help.into();
        self
    }

    /// The same, at a byte of the file's text.
    pub fn at(mut self: Box<Self>, text: &str, offset: usize) -> Box<Self> {
        let end = (0..=offset.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
        let before = &text[..end.unwrap_or(0)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        self.place = Some((before.matches('\n').count() + 1, before[line_start..].chars().count() + 1));
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let Some((line, column)) = self.place {
            write!(f, ":{line}:{column}")?;
        }
        f.write_str(": ")?;
        if !self.field.is_empty() {
            write!(f, "`{}`: ", self.field)?;
        }
        f.write_str(&self.message)?;
        if !self.help.is_empty() {
            write!(f, "\n  help: {}", self.help)?;
        }
        Ok(())
    }
}

impl std::error::Error for Problem {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_place_field_and_help() {
        let text = "{\n  \"é\": 5,\n}";
        let mut problem =
            Problem::of_file(Path::new("a.json"), "is not right").at(text, 9).help("Change it.");
        problem.field = "tree.x".to_owned();
        assert_eq!(problem.to_string(), "a.json:2:7: `tree.x`: is not right\n  help: Change it.");
        assert_eq!(Problem::of_file(Path::new("a"), "m").at("", 5).place, Some((1, 1)));
    }
}
