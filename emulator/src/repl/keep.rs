//! Files the prompt writes: sessions and traces. One that is somebody else's stays, unless the user insists.

use std::path::Path;

use crate::shared::{in_words, replace};

/// The word that lets a file be replaced.
const FORCE: &str = "force";

/// Writes a file. One that is there is replaced when `is_ours` knows its text, or with the word `force`.
///
/// Errors: a text for people.
pub(super) fn write(
    path: &str,
    text: &str,
    word: Option<&str>,
    is_ours: impl Fn(&str) -> bool,
) -> Result<(), String> {
    if let Some(word) = word.filter(|word| *word != FORCE) {
        return Err(format!(
            "`{word}` is one word too many: a file that is there is replaced with `{FORCE}`"
        ));
    }
    let file = Path::new(path);
    if word.is_none() && file.is_file() {
        let present = std::fs::read(file).unwrap_or_default();
        let is_known =
            std::str::from_utf8(&present).is_ok_and(|text| text.trim().is_empty() || is_ours(text));
        if !is_known {
            return Err(format!(
                "{path} is there and not from here, so it stays: name another file, or add `{FORCE}`"
            ));
        }
    }
    replace(file, text.as_bytes()).map_err(|error| format!("{path} cannot be written: {}", in_words(&error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_somebody_else_stays_unless_it_is_forced() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("notes.luau");
        let path = file.to_str().unwrap();
        let save = |text: &str, word| write(path, text, word, |text| text.starts_with("-- ours"));
        std::fs::write(&file, "mine").unwrap();
        assert!(save("-- ours 1", None).unwrap_err().contains("add `force`"));
        assert!(save("-- ours 1", Some("please")).unwrap_err().contains("one word too many"));
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
        save("-- ours 1", Some("force")).unwrap();
        save("-- ours 2", None).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "-- ours 2");
    }
}
