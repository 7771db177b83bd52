//! Values that `toMatchSnapshot` compares with, kept in a file beside the spec.
//!
//! `__snapshots__/NAME.json` holds a text for each test and place in it, sorted, so that a change reads well in a diff.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What becomes of values that differ from the stored ones, or have none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StoredMode {
    /// Differences fail; a value without a stored one is stored.
    #[default]
    Check,
    /// Differences fail, and so does a value without a stored one: what a build server does.
    Strict,
    /// Everything is stored.
    Update,
}

/// The stored values of one spec file.
pub struct Stored {
    path: PathBuf,
    mode: StoredMode,
    texts: RefCell<Option<BTreeMap<String, String>>>,
    changed: Cell<bool>,
}

/// How a value compares.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is the stored one, or is stored now.
    Same,
    /// The stored one is another.
    Differs(String),
    /// There is none, and none may be stored.
    Missing,
}

impl Stored {
    /// The stored values of a spec file; read at the first use.
    pub fn of(spec: &Path, mode: StoredMode) -> Stored {
        let name = spec.file_name().unwrap_or_default().to_string_lossy();
        let name =
            name.strip_suffix(".luau").or_else(|| name.strip_suffix(".lua")).unwrap_or(&name).to_owned();
        let folder = spec.parent().unwrap_or(Path::new(".")).join("__snapshots__");
        Stored {
            path: folder.join(format!("{name}.json")),
            mode,
            texts: RefCell::default(),
            changed: Cell::new(false),
        }
    }

    /// Compares a value's text with the one stored under `key`. Errors: the file cannot be read.
    pub fn compare(&self, key: &str, text: &str) -> Result<Verdict, String> {
        let mut texts = self.texts.borrow_mut();
        let texts = match &mut *texts {
            Some(texts) => texts,
            none => none.insert(self.read()?),
        };
        match texts.get(key) {
            Some(stored) if stored == text => return Ok(Verdict::Same),
            Some(stored) if self.mode != StoredMode::Update => return Ok(Verdict::Differs(stored.clone())),
            None if self.mode == StoredMode::Strict => return Ok(Verdict::Missing),
            Some(_) | None => {}
        }
        texts.insert(key.to_owned(), text.to_owned());
        self.changed.set(true);
        Ok(Verdict::Same)
    }

    fn read(&self) -> Result<BTreeMap<String, String>, String> {
        match std::fs::read_to_string(&self.path) {
            Ok(text) => serde_json::from_str(&text)
                .map_err(|error| format!("{} is damaged: {error}", super::director::shown(&self.path))),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(BTreeMap::new()),
            Err(error) => {
                let why = crate::shared::in_words(&error);
                Err(format!("{} cannot be read: {why}", super::director::shown(&self.path)))
            }
        }
    }

    /// Writes what is new. Errors: a text for people.
    pub fn save(&self) -> Result<(), String> {
        if !self.changed.replace(false) {
            return Ok(());
        }
        let texts = self.texts.borrow().clone().unwrap_or_default();
        let written =
            serde_json::to_string_pretty(&texts).map_err(|error| error.to_string()).and_then(|text| {
                let folder = self.path.parent().unwrap_or(Path::new("."));
                std::fs::create_dir_all(folder).map_err(|error| error.to_string())?;
                crate::shared::replace(&self.path, (text + "\n").as_bytes())
                    .map_err(|error| crate::shared::in_words(&error))
            });
        written.map_err(|error| format!("{} cannot be written: {error}", super::director::shown(&self.path)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_stored_compared_and_updated() {
        let folder = tempfile::tempdir().unwrap();
        let spec = folder.path().join("a.spec.luau");
        let compare = |mode, text: &str| {
            let stored = Stored::of(&spec, mode);
            let verdict = stored.compare("draws 1", text).unwrap();
            stored.save().unwrap();
            verdict
        };
        assert_eq!(compare(StoredMode::Strict, "{ 1 }"), Verdict::Missing);
        assert_eq!(compare(StoredMode::Check, "{ 1 }"), Verdict::Same);
        assert_eq!(compare(StoredMode::Strict, "{ 1 }"), Verdict::Same);
        assert_eq!(compare(StoredMode::Check, "{ 2 }"), Verdict::Differs("{ 1 }".into()));
        assert_eq!(compare(StoredMode::Update, "{ 2 }"), Verdict::Same);
        assert_eq!(compare(StoredMode::Strict, "{ 2 }"), Verdict::Same);
        let file = folder.path().join("__snapshots__/a.spec.json");
        assert_eq!(std::fs::read_to_string(file).unwrap(), "{\n  \"draws 1\": \"{ 2 }\"\n}\n");
    }
}
