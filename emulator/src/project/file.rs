//! The project file itself, `*.project.json`: its fields, checked.

use std::path::{Path, PathBuf};

use globset::Glob;

use super::json::{Document, Json, Kind, Member};
use super::paths::clean;
use super::problem::{Problem, Result};
use super::rules::{FileKind, IgnoreRule, SyncRule};

/// A project file read and checked; the paths it names are not looked at.
#[derive(Debug)]
pub(super) struct ProjectFile {
    pub(super) document: Document,
    pub(super) name: Option<String>,
    pub(super) tree: ProjectNode,
    pub(super) ignore: Vec<IgnoreRule>,
    pub(super) sync_rules: Vec<SyncRule>,
    pub(super) emit_legacy_scripts: bool,
    pub(super) place_id: Option<u64>,
    pub(super) game_id: Option<u64>,
}

/// A node of `tree`.
#[derive(Debug)]
pub(super) struct ProjectNode {
    /// Where the node's object starts, for problems.
    pub(super) offset: usize,
    /// Path of the node, as `tree.ReplicatedStorage`.
    pub(super) field: String,
    pub(super) class: Option<Placed<String>>,
    pub(super) path: Option<NodePath>,
    pub(super) properties: Vec<Member>,
    pub(super) attributes: Vec<Member>,
    pub(super) id: Option<String>,
    /// In alphabetical order, as Rojo has them.
    pub(super) children: Vec<(String, ProjectNode)>,
}

/// A value and where it stands.
#[derive(Debug)]
pub(super) struct Placed<T> {
    pub(super) value: T,
    pub(super) offset: usize,
}

#[derive(Debug)]
pub(super) struct NodePath {
    pub(super) path: String,
    pub(super) optional: bool,
    pub(super) offset: usize,
}

/// Fields that Rojo uses and that mean nothing here.
const ACCEPTED: [&str; 7] = [
    "$schema",
    "servePort",
    "serveAddress",
    "servePlaceIds",
    "blockedPlaceIds",
    "serveAllowedHosts",
    "syncbackRules",
];

/// Whole numbers up to here are exact.
const MOST_ID: f64 = 9_007_199_254_740_991.0;

impl ProjectFile {
    /// The project in `text`, which was read from `file`.
    pub(super) fn parse(file: &Path, text: String) -> Result<Self> {
        let document = Document::parse(file, text)?;
        let base = file.parent().unwrap_or(Path::new("")).to_owned();
        let mut name = None;
        let mut tree = None;
        let mut ignore = Vec::new();
        let mut sync_rules = Vec::new();
        let mut emit_legacy_scripts = true;
        let (mut place_id, mut game_id) = (None, None);
        for member in document.object(&document.root, "")? {
            let value = &member.value;
            match member.name.as_str() {
                "name" => name = Some(document.string(value, "name")?.to_owned()),
                "tree" => tree = Some(node(&document, value, "tree".to_owned())?),
                "globIgnorePaths" => {
                    for item in document.array(value, "globIgnorePaths")? {
                        let pattern = document.string(item, "globIgnorePaths")?;
                        let rule = IgnoreRule::new(pattern, &base)
                            .map_err(|error| bad_glob(&document, item, "globIgnorePaths", &error))?;
                        ignore.push(rule);
                    }
                }
                "syncRules" => {
                    for item in document.array(value, "syncRules")? {
                        sync_rules.push(sync_rule(&document, item, &base)?);
                    }
                }
                "emitLegacyScripts" => emit_legacy_scripts = document.bool(value, "emitLegacyScripts")?,
                "placeId" => place_id = Some(document.whole(value, "placeId", MOST_ID)?),
                "gameId" => game_id = Some(document.whole(value, "gameId", MOST_ID)?),
                other if ACCEPTED.contains(&other) => {}
                other => {
                    return Err(document.problem(member.offset, other, "a project has no such field").help(
                        "Fields are name, tree, globIgnorePaths, emitLegacyScripts, syncRules, placeId and gameId, and \
                         those for serving.",
                    ));
                }
            }
        }
        let Some(tree) = tree else {
            return Err(document
                .problem(document.root.offset, "tree", "the project has no tree")
                .help("Add `\"tree\": { \"$path\": \"src\" }`."));
        };
        Ok(Self { document, name, tree, ignore, sync_rules, emit_legacy_scripts, place_id, game_id })
    }

    /// The folder the project's paths are relative to.
    pub(super) fn folder(&self) -> PathBuf {
        self.document.file.parent().unwrap_or(Path::new("")).to_owned()
    }

    /// The file or folder that a `$path` names.
    ///
    /// Projects written on Windows may have backslashes in it, which elsewhere are part of a name. They are one here
    /// only where there is something of that name.
    pub(super) fn target(&self, path: &NodePath) -> PathBuf {
        let written = clean(&self.folder().join(&path.path));
        if path.path.contains('\\') && !written.exists() {
            return clean(&self.folder().join(path.path.replace('\\', "/")));
        }
        written
    }
}

fn node(document: &Document, value: &Json, field: String) -> Result<ProjectNode> {
    let mut node = ProjectNode {
        offset: value.offset,
        class: None,
        path: None,
        properties: Vec::new(),
        attributes: Vec::new(),
        id: None,
        children: Vec::new(),
        field,
    };
    for member in document.object(value, &node.field)? {
        let field = format!("{}.{}", node.field, member.name);
        let value = &member.value;
        match member.name.as_str() {
            "$className" => {
                let class = document.string(value, &field)?.to_owned();
                node.class = Some(Placed { value: class, offset: value.offset });
            }
            "$path" => node.path = Some(path(document, value, &field)?),
            "$properties" => node.properties = document.object(value, &field)?.to_vec(),
            "$attributes" => node.attributes = document.object(value, &field)?.to_vec(),
            "$id" => node.id = Some(document.string(value, &field)?.to_owned()),
            // It tells a live sync what to leave alone; a fresh tree has nothing unknown.
            "$ignoreUnknownInstances" => {
                document.bool(value, &field)?;
            }
            name if name.starts_with('$') => {
                return Err(document.problem(member.offset, &field, "a node has no such field").help(
                    "Fields of a node are $className, $path, $properties, $attributes, $id and \
                     $ignoreUnknownInstances; a child's name cannot start with `$`.",
                ));
            }
            name => node.children.push((name.to_owned(), self::node(document, value, field)?)),
        }
    }
    node.children.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(node)
}

fn path(document: &Document, value: &Json, field: &str) -> Result<NodePath> {
    match &value.kind {
        Kind::String(path) => Ok(NodePath { path: path.clone(), optional: false, offset: value.offset }),
        Kind::Object(members) if members.len() == 1 && members[0].name == "optional" => {
            let path = document.string(&members[0].value, field)?.to_owned();
            Ok(NodePath { path, optional: true, offset: value.offset })
        }
        _ => Err(document.expected(value, field, "a path or `{\"optional\": path}`")),
    }
}

fn sync_rule(document: &Document, value: &Json, base: &Path) -> Result<SyncRule> {
    let field = "syncRules";
    let (mut include, mut exclude, mut kind, mut suffix) = (None, None, None, None);
    for member in document.object(value, field)? {
        let text = document.string(&member.value, field)?;
        let glob = || {
            Glob::new(text)
                .map(|glob| glob.compile_matcher())
                .map_err(|error| bad_glob(document, &member.value, field, &error))
        };
        match member.name.as_str() {
            "pattern" => include = Some(glob()?),
            "exclude" => exclude = Some(glob()?),
            "use" => match FileKind::from_use(text) {
                Some(known) => kind = Some(known),
                None => {
                    return Err(document
                        .problem(
                            member.value.offset,
                            "syncRules.use",
                            format!("there is no kind of file `{text}`"),
                        )
                        .help(format!("Kinds are {}.", FileKind::USES)));
                }
            },
            "suffix" => suffix = Some(text.to_owned()),
            other => {
                return Err(document
                    .problem(member.offset, &format!("syncRules.{other}"), "a sync rule has no such field")
                    .help("Fields are pattern, exclude, use and suffix."));
            }
        }
    }
    let (Some(include), Some(kind)) = (include, kind) else {
        return Err(document.problem(value.offset, field, "a sync rule needs both `pattern` and `use`"));
    };
    Ok(SyncRule { include, exclude, kind, suffix, base: base.to_owned() })
}

fn bad_glob(document: &Document, value: &Json, field: &str, error: &globset::Error) -> Box<Problem> {
    document.problem(value.offset, field, format!("this pattern does not parse: {}", error.kind()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<ProjectFile> {
        ProjectFile::parse(Path::new("game/default.project.json"), text.to_owned())
    }

    fn check_error(text: &str, expected: &str) {
        let error = parse(text).unwrap_err().to_string();
        assert!(error.starts_with(&format!("game/default.project.json:{expected}")), "{error}");
    }

    #[test]
    fn reads_every_field() {
        let project = parse(
            r#"{
                // A comment.
                "$schema": "x", "name": "Game", "servePort": 34872, "placeId": 12, "gameId": 34,
                "emitLegacyScripts": false,
                "globIgnorePaths": ["**/*.spec.luau", "!a"],
                "syncRules": [{"pattern": "*.md", "use": "text", "exclude": "b*", "suffix": ".md"}],
                "tree": {
                    "$className": "DataModel",
                    "A": {"$path": {"optional": "a"}, "$id": "x", "$ignoreUnknownInstances": true},
                    "B": {"$path": "b", "$properties": {"P": 1}, "$attributes": {"Q": 2}},
                },
            }"#,
        )
        .unwrap();
        assert_eq!(
            (project.name.as_deref(), project.place_id, project.game_id),
            (Some("Game"), Some(12), Some(34))
        );
        assert!(!project.emit_legacy_scripts);
        assert_eq!((project.ignore.len(), project.sync_rules.len()), (2, 1));
        assert_eq!(project.folder(), Path::new("game"));
        let [(first, a), (second, b)] = &project.tree.children[..] else { panic!("two children") };
        assert_eq!((first.as_str(), second.as_str()), ("A", "B"));
        assert!(a.path.as_ref().unwrap().optional && a.id.as_deref() == Some("x"));
        assert_eq!((b.properties.len(), b.attributes.len(), b.field.as_str()), (1, 1, "tree.B"));
    }

    #[test]
    fn faults_have_place_field_and_help() {
        check_error(
            "{\n  \"tre\": {}\n}",
            "2:3: `tre`: a project has no such field\n  help: Fields are name",
        );
        check_error("{\"name\": \"a\"}", "1:1: `tree`: the project has no tree");
        check_error(
            "{\"tree\": {\"A\": {\"$clasName\": \"x\"}}}",
            "1:17: `tree.A.$clasName`: a node has no such field",
        );
        check_error(
            "{\"tree\": {\"$path\": 5}}",
            "1:20: `tree.$path`: expected a path or `{\"optional\": path}`, got the",
        );
        check_error("{\"tree\": {\"A\": 1}}", "1:16: `tree.A`: expected an object, got the number 1");
        check_error(
            "{\"globIgnorePaths\": [\"a[\"]}",
            "1:22: `globIgnorePaths`: this pattern does not parse",
        );
        check_error(
            "{\"syncRules\": [{\"pattern\": \"*\", \"use\": \"x\"}]}",
            "1:40: `syncRules.use`: there is no kind",
        );
        check_error("{\"syncRules\": [{\"use\": \"text\"}]}", "1:16: `syncRules`: a sync rule needs both");
        check_error("{\"placeId\": 1.5}", "1:13: `placeId`: expected a whole number");
        check_error("[]", "1:1: expected an object, got an array of 0 values");
    }
}
