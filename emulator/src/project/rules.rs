//! Which file becomes what, and which are left out.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use globset::{Glob, GlobMatcher};

use super::paths;
use super::scripts::ScriptKind;

/// What a file becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    Script(ScriptKind),
    Project,
    JsonModel,
    Json,
    Toml,
    Yaml,
    Csv,
    Text,
    Model(ModelFormat),
    /// Nothing: a sync rule says so.
    Ignore,
}

/// Whether a model file is binary or XML.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ModelFormat {
    /// `.rbxm`, `.rbxl`
    Binary,
    /// `.rbxmx`, `.rbxlx`
    Xml,
}

impl FileKind {
    /// The kind of a sync rule's `use`.
    pub(super) fn from_use(name: &str) -> Option<Self> {
        Some(match name {
            "serverScript" => Self::Script(ScriptKind::Server),
            "clientScript" => Self::Script(ScriptKind::Client),
            "moduleScript" => Self::Script(ScriptKind::Module),
            "pluginScript" => Self::Script(ScriptKind::Plugin),
            "legacyServerScript" => Self::Script(ScriptKind::LegacyServer),
            "legacyClientScript" => Self::Script(ScriptKind::LegacyClient),
            "runContextServerScript" => Self::Script(ScriptKind::RunContextServer),
            "runContextClientScript" => Self::Script(ScriptKind::RunContextClient),
            "project" => Self::Project,
            "jsonModel" => Self::JsonModel,
            "json" => Self::Json,
            "toml" => Self::Toml,
            "yaml" => Self::Yaml,
            "csv" => Self::Csv,
            "text" => Self::Text,
            "rbxm" => Self::Model(ModelFormat::Binary),
            "rbxmx" => Self::Model(ModelFormat::Xml),
            "ignore" => Self::Ignore,
            _ => return None,
        })
    }

    /// The names `use` may have.
    pub(super) const USES: &str = "serverScript, clientScript, moduleScript, pluginScript, legacyServerScript, \
        legacyClientScript, runContextServerScript, runContextClientScript, project, jsonModel, json, toml, yaml, csv, \
        text, rbxm, rbxmx, ignore";
}

/// Makes a kind of the files that match a pattern.
#[derive(Debug, Clone)]
pub(super) struct SyncRule {
    pub(super) include: GlobMatcher,
    pub(super) exclude: Option<GlobMatcher>,
    pub(super) kind: FileKind,
    /// What to cut from the end of the file's name; `None` cuts the extension.
    pub(super) suffix: Option<String>,
    /// The folder the patterns are relative to.
    pub(super) base: PathBuf,
}

impl SyncRule {
    fn matches(&self, path: &Path) -> bool {
        let Some(relative) = paths::relative(path, &self.base) else { return false };
        self.include.is_match(&relative)
            && !self.exclude.as_ref().is_some_and(|exclude| exclude.is_match(&relative))
    }

    /// The instance's name: the file's without the suffix.
    fn name_of<'a>(&self, file_name: &'a str) -> &'a str {
        match &self.suffix {
            Some(suffix) => file_name.strip_suffix(suffix.as_str()).unwrap_or(file_name),
            None => file_name
                .rsplit_once('.')
                .map_or(file_name, |(stem, _)| if stem.is_empty() { file_name } else { stem }),
        }
    }
}

/// A pattern of `globIgnorePaths`.
#[derive(Debug, Clone)]
pub(super) struct IgnoreRule {
    pub(super) glob: GlobMatcher,
    /// Written with `!`: brings back what an earlier pattern left out.
    pub(super) negated: bool,
    pub(super) base: PathBuf,
}

impl IgnoreRule {
    /// The rule of a pattern below `base`.
    pub(super) fn new(pattern: &str, base: &Path) -> Result<Self, globset::Error> {
        let (pattern, negated) = match pattern.strip_prefix('!') {
            Some(rest) => (rest, true),
            None => {
                (pattern.strip_prefix('\\').filter(|rest| rest.starts_with('!')).unwrap_or(pattern), false)
            }
        };
        Ok(Self { glob: Glob::new(pattern)?.compile_matcher(), negated, base: base.to_owned() })
    }
}

/// Whether the last rule that matches a path leaves it out.
pub(super) fn is_ignored(rules: &[IgnoreRule], path: &Path) -> bool {
    rules.iter().fold(false, |ignored, rule| {
        let matches = paths::relative(path, &rule.base).is_some_and(|relative| rule.glob.is_match(relative));
        if matches { !rule.negated } else { ignored }
    })
}

/// What a file becomes and how the instance is called: by the first user rule that matches, else the first built in.
pub(super) fn classify<'a>(
    user: &[SyncRule],
    path: &Path,
    file_name: &'a str,
) -> Option<(FileKind, &'a str)> {
    if let Some(rule) = user.iter().find(|rule| rule.matches(path)) {
        return Some((rule.kind, rule.name_of(file_name)));
    }
    let built_in =
        built_in().iter().find(|rule| rule.suffixes.iter().any(|suffix| file_name.ends_with(suffix)))?;
    let suffix = built_in.suffixes.iter().find(|suffix| file_name.ends_with(**suffix))?;
    let is_meta = file_name.ends_with(".meta.json") || file_name.ends_with(".meta.jsonc");
    if built_in.kind == FileKind::Json && is_meta {
        return None;
    }
    Some((built_in.kind, file_name.strip_suffix(suffix)?))
}

struct BuiltIn {
    suffixes: &'static [&'static str],
    kind: FileKind,
}

fn built_in() -> &'static [BuiltIn] {
    static RULES: OnceLock<Vec<BuiltIn>> = OnceLock::new();
    RULES.get_or_init(|| {
        let rules: [(&'static [&'static str], FileKind); 13] = [
            (&[".server.lua", ".server.luau"], FileKind::Script(ScriptKind::Server)),
            (&[".client.lua", ".client.luau"], FileKind::Script(ScriptKind::Client)),
            (&[".plugin.lua", ".plugin.luau"], FileKind::Script(ScriptKind::Plugin)),
            (&[".lua", ".luau"], FileKind::Script(ScriptKind::Module)),
            (&[".project.json", ".project.jsonc"], FileKind::Project),
            (&[".model.json", ".model.jsonc"], FileKind::JsonModel),
            (&[".json", ".jsonc"], FileKind::Json),
            (&[".toml"], FileKind::Toml),
            (&[".csv"], FileKind::Csv),
            (&[".txt"], FileKind::Text),
            (&[".rbxmx"], FileKind::Model(ModelFormat::Xml)),
            (&[".rbxm"], FileKind::Model(ModelFormat::Binary)),
            (&[".yml", ".yaml"], FileKind::Yaml),
        ];
        rules.into_iter().map(|(suffixes, kind)| BuiltIn { suffixes, kind }).collect()
    })
}

/// Files that make a folder something else than a folder, the first that is there counts.
pub(super) const INIT_SCRIPTS: [(&str, ScriptKind); 8] = [
    ("init.luau", ScriptKind::Module),
    ("init.lua", ScriptKind::Module),
    ("init.server.luau", ScriptKind::Server),
    ("init.server.lua", ScriptKind::Server),
    ("init.client.luau", ScriptKind::Client),
    ("init.client.lua", ScriptKind::Client),
    ("init.plugin.lua", ScriptKind::Plugin),
    ("init.plugin.luau", ScriptKind::Plugin),
];
/// A folder with this file is a `LocalizationTable`, unless it has an init script.
pub(super) const INIT_CSV: &str = "init.csv";
/// A folder with one of these is what the project says.
pub(super) const DEFAULT_PROJECTS: [&str; 2] = ["default.project.json", "default.project.jsonc"];

/// Whether a file speaks for its folder and so is no instance of its own.
pub(super) fn is_init(file_name: &str) -> bool {
    file_name == INIT_CSV || INIT_SCRIPTS.iter().any(|(init, _)| *init == file_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_rules_name_and_classify() {
        for (file, kind, name) in [
            ("a.server.luau", FileKind::Script(ScriptKind::Server), "a"),
            ("a.client.lua", FileKind::Script(ScriptKind::Client), "a"),
            ("a.spec.luau", FileKind::Script(ScriptKind::Module), "a.spec"),
            ("a.server.spec.luau", FileKind::Script(ScriptKind::Module), "a.server.spec"),
            ("a.project.json", FileKind::Project, "a"),
            ("a.model.jsonc", FileKind::JsonModel, "a"),
            ("a.b.json", FileKind::Json, "a.b"),
            ("a.yml", FileKind::Yaml, "a"),
            ("a.rbxmx", FileKind::Model(ModelFormat::Xml), "a"),
        ] {
            assert_eq!(classify(&[], Path::new(file), file), Some((kind, name)), "{file}");
        }
        assert_eq!(classify(&[], Path::new("a.meta.json"), "a.meta.json"), None);
        assert_eq!(classify(&[], Path::new("a.md"), "a.md"), None);
    }

    #[test]
    fn user_rules_come_first_and_cut_their_suffix() {
        let glob = |pattern: &str| Glob::new(pattern).unwrap().compile_matcher();
        let rule = |pattern: &str, exclude: Option<&str>, suffix: Option<&str>| SyncRule {
            include: glob(pattern),
            exclude: exclude.map(glob),
            kind: FileKind::Text,
            suffix: suffix.map(str::to_owned),
            base: PathBuf::from("p"),
        };
        let rules = [rule("*.dog.luau", None, Some(".dog.luau")), rule("*.md", Some("*.skip.md"), None)];
        assert_eq!(
            classify(&rules, Path::new("p/x/cat.dog.luau"), "cat.dog.luau"),
            Some((FileKind::Text, "cat"))
        );
        assert_eq!(classify(&rules, Path::new("p/a.b.md"), "a.b.md"), Some((FileKind::Text, "a.b")));
        assert_eq!(classify(&rules, Path::new("p/a.skip.md"), "a.skip.md"), None);
        assert_eq!(classify(&rules, Path::new("elsewhere/a.md"), "a.md"), None);
    }

    #[test]
    fn the_last_matching_pattern_decides() {
        let rules: Vec<_> = ["**/*.spec.luau", "!keep/**"]
            .iter()
            .map(|pattern| IgnoreRule::new(pattern, Path::new("p")).unwrap())
            .collect();
        assert!(is_ignored(&rules, Path::new("p/a/b.spec.luau")));
        assert!(!is_ignored(&rules, Path::new("p/keep/b.spec.luau")));
        assert!(!is_ignored(&rules, Path::new("p/a/b.luau")));
        assert!(!is_ignored(&rules, Path::new("q/b.spec.luau")));
        assert!(IgnoreRule::new("a[", Path::new("p")).is_err());
    }
}
