//! From files and folders to nodes.

use std::fs;
use std::path::{Path, PathBuf};

use super::json::Document;
use super::paths::{self, clean};
use super::problem::{Problem, Result};
use super::rules::{self, FileKind, IgnoreRule, SyncRule};
use super::scripts::ScriptKind;
use super::tree::{Node, PropertyValue};
use super::{data, localization, meta, model_file, model_json, nodes};

/// What a load carries along: warnings, and which projects it is inside of.
#[derive(Debug, Default)]
pub(super) struct Loader {
    pub(super) warnings: Vec<Problem>,
    /// Project files being loaded, to notice one that contains itself.
    pub(super) open: Vec<PathBuf>,
    depth: usize,
    /// Whether a path of a project that leads nowhere is a folder that is not there yet.
    pub(super) lays_out: bool,
    /// Model files seen, which numbers the references inside each.
    pub(super) models: usize,
}

/// What the project around a file says about it.
#[derive(Debug, Clone)]
pub(super) struct Context {
    pub(super) ignore: Vec<IgnoreRule>,
    pub(super) sync_rules: Vec<SyncRule>,
    pub(super) emit_legacy_scripts: bool,
}

impl Default for Context {
    fn default() -> Self {
        Self { ignore: Vec::new(), sync_rules: Vec::new(), emit_legacy_scripts: true }
    }
}

/// Folders deeper than this are taken for a loop of links.
const MOST_DEPTH: usize = 200;

impl Loader {
    /// One to which a path of a project that leads nowhere is a folder to come.
    pub(super) fn laying_out() -> Loader {
        Loader { lays_out: true, ..Loader::default() }
    }

    /// The node of a file or folder; `None` if there is nothing there, or nothing that becomes an instance.
    pub(super) fn path(&mut self, context: &Context, path: &Path) -> Result<Option<Node>> {
        let metadata = match fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(_) if path.is_symlink() => {
                self.warnings.push(*Problem::of_file(path, "is a link that leads nowhere; it is left out"));
                return Ok(None);
            }
            Err(error) => return Err(Problem::unreadable(path, &error)),
        };
        if metadata.is_dir() && paths::leads_back(path) {
            let problem = Problem::of_file(path, "is a link to a folder that it lies in; it is left out");
            self.warnings.push(*problem);
            return Ok(None);
        }
        if metadata.is_dir() {
            return self.folder(context, path).map(Some);
        }
        let Some(file_name) = paths::name_of(path) else { return Err(bad_name(path)) };
        if rules::is_init(file_name) {
            return Ok(None);
        }
        match rules::classify(&context.sync_rules, path, file_name) {
            Some((kind, name)) => self.file(context, path, kind, name),
            None => Ok(None),
        }
    }

    /// The node of a file of a known kind.
    fn file(&mut self, context: &Context, path: &Path, kind: FileKind, name: &str) -> Result<Option<Node>> {
        let mut node = match kind {
            FileKind::Ignore => return Ok(None),
            FileKind::Project => {
                return nodes::project(self, context, path, Some(name)).map(|(node, _)| node);
            }
            FileKind::JsonModel => {
                return Ok(model_json::load(self, path, name)?.map(|node| of_file(node, path)));
            }
            FileKind::Model(format) => return model_file::load_model(self, path, name, format).map(Some),
            FileKind::Script(kind) => script(path, name, kind, context)?,
            FileKind::Json => module(name, data::json_module(&Document::parse(path, read_text(path)?)?.root)),
            FileKind::Toml => module(name, data::toml_module(path, &read_text(path)?)?),
            FileKind::Yaml => module(name, data::yaml_module(path, &read_text(path)?)?),
            FileKind::Csv => localization_table(path, name)?,
            FileKind::Text => {
                let mut node = Node::new("StringValue", name);
                node.set_property("Value", PropertyValue::string(read_text(path)?));
                node
            }
        };
        node.file = Some(path.to_owned());
        meta::apply_beside(self, path, name, &mut node)?;
        Ok(Some(node))
    }

    /// The node of a folder.
    fn folder(&mut self, context: &Context, path: &Path) -> Result<Node> {
        if self.depth > MOST_DEPTH {
            return Err(Problem::of_file(path, "folders are nested too deeply here")
                .help("Look for a link that leads back to a folder above it."));
        }
        self.depth += 1;
        let node = self.folder_inside(context, path);
        self.depth -= 1;
        node
    }

    fn folder_inside(&mut self, context: &Context, path: &Path) -> Result<Node> {
        let name = folder_name(path)?;
        for file in rules::DEFAULT_PROJECTS {
            let project = path.join(file);
            if project.is_file() {
                let (node, _) = nodes::project(self, context, &project, Some(&name))?;
                return Ok(node.unwrap_or_else(|| Node::new("Folder", &name)));
            }
        }
        let init = rules::INIT_SCRIPTS.iter().find(|(file, _)| path.join(file).is_file());
        let mut node = match init {
            Some((file, kind)) => {
                let path = path.join(file);
                of_file(script(&path, &name, *kind, context)?, &path)
            }
            None if path.join(rules::INIT_CSV).is_file() => {
                let path = path.join(rules::INIT_CSV);
                of_file(localization_table(&path, &name)?, &path)
            }
            None => of_file(Node::new("Folder", &name), path),
        };
        for entry in entries(path)? {
            if rules::is_ignored(&context.ignore, &entry) {
                continue;
            }
            if let Some(child) = self.path(context, &entry)? {
                node.children.push(child);
            }
        }
        meta::apply_inside(self, path, &mut node)?;
        Ok(node)
    }
}

/// What a folder holds, sorted by name.
pub(super) fn entries(path: &Path) -> Result<Vec<PathBuf>> {
    let read = |error: std::io::Error| Problem::unreadable(path, &error);
    let mut entries = Vec::new();
    for entry in fs::read_dir(path).map_err(read)? {
        entries.push(path.join(entry.map_err(read)?.file_name()));
    }
    entries.sort();
    Ok(entries)
}

/// The text of a file, lines ended by LF, without a byte order mark.
pub(super) fn read_text(path: &Path) -> Result<String> {
    let bytes = fs::read(path).map_err(|error| Problem::unreadable(path, &error))?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Problem::of_file(path, format!("is not UTF-8 text: the byte at {at} starts no character"))
            .help("Save the file as UTF-8.")
    })?;
    Ok(normalise_lines(text.strip_prefix('\u{feff}').unwrap_or(&text)))
}

/// The text with lines ended by LF.
pub(super) fn normalise_lines(text: &str) -> String {
    if text.contains('\r') { text.replace("\r\n", "\n") } else { text.to_owned() }
}

/// The name a folder gives its instance.
pub(super) fn folder_name(path: &Path) -> Result<String> {
    let path = clean(path);
    if let Some(name) = paths::name_of(&path) {
        return Ok(name.to_owned());
    }
    // A path such as `.` has no name of its own.
    let full = paths::identity(&path);
    paths::name_of(&full).map(str::to_owned).ok_or_else(|| bad_name(&full))
}

fn bad_name(path: &Path) -> Box<Problem> {
    Problem::of_file(path, "has a name that is not UTF-8, so no instance can have it").help("Rename it.")
}

fn script(path: &Path, name: &str, kind: ScriptKind, context: &Context) -> Result<Node> {
    let mut node = kind.node(name, context.emit_legacy_scripts);
    node.source = Some(read_text(path)?.into());
    Ok(node)
}

fn module(name: &str, source: String) -> Node {
    let mut node = Node::new("ModuleScript", name);
    node.source = Some(source.into());
    node
}

fn localization_table(path: &Path, name: &str) -> Result<Node> {
    let mut node = Node::new("LocalizationTable", name);
    let contents = localization::contents(path, &read_text(path)?)?;
    node.set_property("Contents", PropertyValue::string(contents));
    Ok(node)
}

fn of_file(mut node: Node, path: &Path) -> Node {
    node.file = Some(path.to_owned());
    node
}
