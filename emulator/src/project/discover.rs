//! Finding test files.
//!
//! A test file is one whose name says so (`*.spec.luau`, `*.test.lua`, ...) or that lies in a folder `__tests__`. Files
//! are looked for on disk, not in the tree: a project may keep its specs out of the built place.

use std::path::{Path, PathBuf};

use globset::{Glob, GlobSet, GlobSetBuilder};

use super::problem::{Problem, Result};
use super::tree::ProjectTree;
use super::{files, paths};

/// Where to look, and what counts.
#[derive(Debug, Clone)]
pub struct Discovery {
    /// Files and folders; a file is a test file whatever its name.
    pub roots: Vec<PathBuf>,
    /// Globs over paths below a root; empty for the usual names.
    pub include: Vec<String>,
    /// Globs over paths below a root of what to leave out, besides the folders that [`paths::is_set_aside`].
    pub exclude: Vec<String>,
}

/// On which side a test file runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestSide {
    /// Inside the server.
    Server,
    /// Inside a client.
    Client,
    /// Outside both, driving them.
    Director,
}

/// A file with tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestFile {
    /// The file, below the root it was found in.
    pub path: PathBuf,
    /// The path with `/` between names, relative to its root: what it is sorted and filtered by.
    pub name: String,
    /// The names from a service down to its instance, if it is a part of the project's tree.
    pub instance: Option<Vec<String>>,
    /// The side its name or container asks for.
    pub side: TestSide,
}

const NAMES: [&str; 4] = [".spec.luau", ".spec.lua", ".test.luau", ".test.lua"];
const FOLDER: &str = "__tests__";
/// Folders deeper than this are taken for a loop of links.
const MOST_DEPTH: usize = 200;

/// The test files below the roots, in alphabetical order of their paths, each with its instance if it has one in `tree`.
pub fn discover(discovery: &Discovery, tree: Option<&ProjectTree>) -> Result<Vec<TestFile>> {
    let include = globs(&discovery.include)?;
    let exclude = globs(&discovery.exclude)?;
    let mut found: Vec<(PathBuf, String)> = Vec::new();
    for root in &discovery.roots {
        let root = paths::clean(root);
        if root.is_file() {
            let name = paths::shown_name(&root).into_owned();
            found.push((root, name));
            continue;
        }
        if !root.is_dir() {
            return Err(Problem::of_file(&root, "does not exist"));
        }
        let mut walk =
            Walk { root: &root, include: include.as_ref(), exclude: exclude.as_ref(), found: &mut found };
        walk.folder(&root, false, 0)?;
    }
    // Roots may overlap, and links lead to what is found without them; a file counts once, under its own name.
    let through_link = |path: &Path| paths::real(path) != paths::identity(path);
    found.sort_by_cached_key(|(path, _)| through_link(path));
    let mut seen = std::collections::BTreeSet::new();
    found.retain(|(path, _)| seen.insert(paths::real(path)));
    found.sort_by(|(a, _), (b, _)| a.cmp(b));
    let scripts = tree.map(ProjectTree::script_files).unwrap_or_default();
    Ok(found
        .into_iter()
        .map(|(path, name)| {
            let instance = scripts.get(&paths::identity(&path)).cloned();
            let side = asked_side(&name, instance.as_deref());
            TestFile { path, name, instance, side }
        })
        .collect())
}

/// The side a file's name asks for, else its container, else the director's.
pub fn asked_side(name: &str, instance: Option<&[String]>) -> TestSide {
    let file = name.rsplit('/').next().unwrap_or(name);
    for ending in NAMES {
        if let Some(stem) = file.strip_suffix(ending) {
            if stem.ends_with(".server") || stem == "server" {
                return TestSide::Server;
            }
            if stem.ends_with(".client") || stem == "client" {
                return TestSide::Client;
            }
        }
    }
    let containers: Vec<&str> = instance.unwrap_or_default().iter().take(2).map(String::as_str).collect();
    match containers[..] {
        ["ServerScriptService" | "ServerStorage", ..] => TestSide::Server,
        ["StarterPlayer", "StarterPlayerScripts" | "StarterCharacterScripts"] => TestSide::Client,
        _ => TestSide::Director,
    }
}

fn globs(patterns: &[String]) -> Result<Option<GlobSet>> {
    if patterns.is_empty() {
        return Ok(None);
    }
    let wrong = |error: &globset::Error| {
        let pattern = error.glob().unwrap_or("the pattern");
        Problem::of_file(Path::new(pattern), format!("this pattern does not parse: {}", error.kind()))
    };
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        set.add(Glob::new(pattern).map_err(|error| wrong(&error))?);
    }
    set.build().map(Some).map_err(|error| wrong(&error))
}

struct Walk<'a> {
    root: &'a Path,
    include: Option<&'a GlobSet>,
    exclude: Option<&'a GlobSet>,
    found: &'a mut Vec<(PathBuf, String)>,
}

impl Walk<'_> {
    fn folder(&mut self, folder: &Path, in_tests: bool, depth: usize) -> Result<()> {
        if depth > MOST_DEPTH {
            return Err(Problem::of_file(folder, "folders are nested too deeply here")
                .help("Look for a link that leads back to a folder above it."));
        }
        for entry in files::entries(folder)? {
            // One that is no text is run like any other: left out, its tests would be missed by nobody.
            let name = paths::shown_name(&entry);
            let Some(relative) = paths::relative(&entry, self.root) else { continue };
            if self.exclude.is_some_and(|exclude| exclude.is_match(&relative)) {
                continue;
            }
            if entry.is_dir() {
                if !paths::is_set_aside(&entry) && !paths::leads_back(&entry) {
                    self.folder(&entry, in_tests || name == FOLDER, depth + 1)?;
                }
            } else if self.is_test(&name, &relative, in_tests) {
                self.found.push((entry, relative));
            }
        }
        Ok(())
    }

    fn is_test(&self, name: &str, relative: &str, in_tests: bool) -> bool {
        match self.include {
            Some(include) => include.is_match(relative),
            None => {
                let luau = name.ends_with(".luau") || name.ends_with(".lua");
                NAMES.iter().any(|ending| name.ends_with(ending)) || (in_tests && luau)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn discovery(root: &Path) -> Discovery {
        Discovery { roots: vec![root.to_owned()], include: Vec::new(), exclude: Vec::new() }
    }

    fn write(root: &Path, files: &[&str]) {
        for file in files {
            let path = root.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "return nil").unwrap();
        }
    }

    #[test]
    fn finds_tests_by_name_and_folder() {
        let root = tempfile::tempdir().unwrap();
        let files = [
            "b.spec.luau",
            "a/c.test.lua",
            "a/plain.luau",
            "a/__tests__/deep/x.luau",
            "a/__tests__/notes.txt",
            ".git/y.spec.luau",
            "node_modules/z.spec.luau",
            "Packages/_Index/w.spec.luau",
        ];
        write(root.path(), &files);
        let names = |discovery: &Discovery| -> Vec<String> {
            discover(discovery, None).unwrap().into_iter().map(|file| file.name).collect()
        };
        let all = discovery(root.path());
        assert_eq!(names(&all), ["a/__tests__/deep/x.luau", "a/c.test.lua", "b.spec.luau"]);
        assert_eq!(
            names(&Discovery { exclude: vec!["a/__tests__/**".into()], ..all.clone() }),
            ["a/c.test.lua", "b.spec.luau"]
        );
        assert_eq!(names(&Discovery { include: vec!["a/plain.*".into()], ..all.clone() }), ["a/plain.luau"]);
        let single =
            Discovery { roots: vec![root.path().join("a/plain.luau"), root.path().to_owned()], ..all };
        assert_eq!(discover(&single, None).unwrap().len(), 4);
    }

    #[test]
    fn maps_files_to_instances_and_sides() {
        let root = tempfile::tempdir().unwrap();
        write(
            root.path(),
            &["src/a.spec.luau", "src/b.client.spec.luau", "server/c.spec.luau", "out/d.server.spec.luau"],
        );
        let project = r#"{"name": "g", "tree": {"$className": "DataModel",
            "ReplicatedStorage": {"Net": {"$path": "src"}}, "ServerScriptService": {"$path": "server"}}}"#;
        std::fs::write(root.path().join("default.project.json"), project).unwrap();
        let tree = super::super::load(root.path()).unwrap();
        let found = discover(&discovery(root.path()), Some(&tree)).unwrap();
        let seen: Vec<_> = found
            .iter()
            .map(|file| (file.name.as_str(), file.instance.as_ref().map(|path| path.join(".")), file.side))
            .collect();
        assert_eq!(
            seen,
            [
                ("out/d.server.spec.luau", None, TestSide::Server),
                ("server/c.spec.luau", Some("ServerScriptService.c.spec".to_owned()), TestSide::Server),
                ("src/a.spec.luau", Some("ReplicatedStorage.Net.a.spec".to_owned()), TestSide::Director),
                (
                    "src/b.client.spec.luau",
                    Some("ReplicatedStorage.Net.b.client.spec".to_owned()),
                    TestSide::Client
                ),
            ]
        );
    }

    #[test]
    fn wrong_roots_and_patterns_are_errors() {
        assert!(discover(&discovery(Path::new("/no/such/folder")), None).is_err());
        let bad = Discovery { roots: Vec::new(), include: vec!["a[".to_owned()], exclude: Vec::new() };
        assert!(discover(&bad, None).unwrap_err().to_string().contains("does not parse"));
    }
}
