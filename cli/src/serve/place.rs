//! The schemas of a place, which have names and no folders. Source: tooling specification, 5.6.

use std::collections::{BTreeMap, HashSet};

use blinkblox_compiler::source::{SourceLoader, normalize};

/// Schemas by name, as they lie side by side in a place.
#[derive(Clone, Debug, Default)]
pub struct Place {
    files: Vec<(String, String)>,
}

impl Place {
    /// A place with these files, name and text. Of two with one name the first is meant, and a byte order mark is no
    /// part of a text: offsets count from behind it.
    pub fn new(files: Vec<(String, String)>) -> Place {
        let mut known = HashSet::new();
        let first = files.into_iter().filter(|(name, _)| known.insert(name.clone()));
        let files = first.map(|(name, text)| match text.strip_prefix('\u{feff}') {
            Some(text) => (name, text.to_string()),
            None => (name, text),
        });
        Place { files: files.collect() }
    }

    /// Names of all files, as an import writes them.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|(name, _)| name.as_str())
    }

    /// The place with other texts in some of its files.
    pub fn with(&self, texts: &BTreeMap<String, String>) -> Place {
        let files =
            self.files.iter().map(|(name, text)| (name.clone(), texts.get(name).unwrap_or(text).clone()));
        Place { files: files.collect() }
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.files.iter().find(|(known, _)| known == name).map(|(_, text)| text.as_str())
    }

    /// The file an import means: of that name, or else the one file of its last component's name.
    fn meant(&self, path: &str) -> Option<&str> {
        let path = normalize(path);
        let wanted = bare(&path);
        if let Some(name) = self.names().find(|name| *name == path || bare(name) == wanted) {
            return Some(name);
        }
        let last = last(wanted);
        let mut named = self.names().filter(|name| bare(self::last(name)) == last);
        let first = named.next()?;
        named.all(|other| other == first).then_some(first)
    }
}

impl SourceLoader for Place {
    fn is_file(&self, path: &str) -> bool {
        self.text(path).is_some()
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        self.text(path).map(|text| text.as_bytes().to_vec()).ok_or_else(|| "no such file".to_string())
    }

    fn shown(&self, path: &str) -> String {
        shown(path)
    }

    /// Every way to write a file's name leads to that name: `./Dock`, `Dock.blink` and `shared/Dock` are one file.
    fn resolve(&self, _folder: &str, path: &str) -> Result<String, Vec<String>> {
        self.meant(path).map(str::to_string).ok_or_else(|| vec![bare(&normalize(path)).to_string()])
    }
}

/// A file's name in diagnostics.
pub fn shown(name: &str) -> String {
    format!("{}.blink", bare(name))
}

/// A name without the ending of a schema.
fn bare(name: &str) -> &str {
    [".blink", ".txt"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
}

/// The last component of a path.
fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_find_files_by_name() {
        let files = ["Dock", "shared/Crate", "a/Twin", "b/Twin", "Old.txt"];
        let place = Place::new(files.map(|name| (name.to_string(), String::new())).to_vec());
        let check = |path: &str, found: Option<&str>| {
            let resolved = place.resolve("", path).ok();
            assert_eq!(resolved.as_deref(), found, "{path}");
        };
        for path in ["Dock", "./Dock", "Dock.blink", "./Dock.txt", "lib/Dock", "../Dock"] {
            check(path, Some("Dock"));
        }
        check("shared/Crate", Some("shared/Crate"));
        check("Crate", Some("shared/Crate"));
        check("elsewhere/Crate.blink", Some("shared/Crate"));
        // Two files have that last component.
        check("Twin", None);
        check("b/Twin", Some("b/Twin"));
        check("Old", Some("Old.txt"));
        check("dock", None);
        assert_eq!(place.shown("Dock"), "Dock.blink");
        assert_eq!(place.shown("Old.txt"), "Old.blink");
    }
}
