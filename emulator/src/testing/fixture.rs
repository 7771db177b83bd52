//! What a world starts from: a project's tree with the schema's modules and a spec's own files in their places.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use blinkblox_compiler::schema::{Options, Profile};
use blinkblox_compiler::source::{MemoryLoader, SourceLoader};
use blinkblox_compiler::wire::Wire;
use blinkblox_compiler::{Analysis, Compilation, compile};

use super::director::{normalise, shown};
use crate::datamodel::classes::class_by_name;
use crate::datamodel::store::Store;
use crate::project::{self, Node, ProjectTree, mount};
use crate::shared::read_script;
use crate::trace::{Trace, TracedSchema};

/// A schema a spec names: its text, or a file.
#[derive(Clone, Debug, PartialEq)]
pub enum SchemaSource {
    /// The text itself.
    Text(String),
    /// A file on disk, and the profile it is built under.
    File(PathBuf, Profile),
}

/// Reads schemas from disk for the compiler, which never does so itself.
struct Disk;

impl SourceLoader for Disk {
    fn is_file(&self, path: &str) -> bool {
        Path::new(path).is_file()
    }

    fn read(&self, path: &str) -> Result<Vec<u8>, String> {
        std::fs::read(path).map_err(|error| error.to_string())
    }
}

impl SchemaSource {
    /// Compiles the schema in memory.
    pub fn compile(&self) -> Compilation {
        match self {
            SchemaSource::Text(text) => {
                let files = MemoryLoader::new().with("schema.blink", text.clone());
                compile(&files, "schema.blink", Profile::Release)
            }
            SchemaSource::File(path, profile) => compile(&Disk, &shown(path), *profile),
        }
    }

    /// The folder output paths are relative to.
    fn folder(&self) -> Option<&Path> {
        match self {
            SchemaSource::Text(_) => None,
            SchemaSource::File(path, _) => path.parent(),
        }
    }
}

/// Why a fixture could not be put together, in words for people.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Unbuilt {
    /// A schema does not compile: its errors, a line each.
    #[error("the schema does not compile:\n{0}")]
    Schema(String),
    /// Anything else.
    #[error("{0}")]
    Other(String),
}

impl From<String> for Unbuilt {
    fn from(text: String) -> Unbuilt {
        Unbuilt::Other(text)
    }
}

impl From<Unbuilt> for String {
    fn from(problem: Unbuilt) -> String {
        problem.to_string()
    }
}

/// What a fixture is put together from.
#[derive(Clone, Debug, Default)]
pub struct Fixture {
    /// A Rojo project, place or folder; the bare services without one.
    pub project: Option<PathBuf>,
    /// A tree that is written out, where there is no project.
    pub tree: Option<Node>,
    /// The schemas of the server's modules.
    pub server_schemas: Vec<SchemaSource>,
    /// The schemas of the clients' modules.
    pub client_schemas: Vec<SchemaSource>,
    /// ModuleScripts of the spec's own: full name, or names joined by `/`, and file.
    pub files: Vec<(String, PathBuf)>,
}

/// A tree to start worlds from, and where the schema's modules are in it.
#[derive(Clone, Debug)]
pub struct Built {
    /// The tree.
    pub tree: Arc<ProjectTree>,
    /// The same as a server's instances: a clone shares them until it changes them.
    pub store: Store,
    /// Full name of the server's first module, if there is a schema.
    pub server_net: Option<String>,
    /// Full name of the client's first module, as a client finds it.
    pub client_net: Option<String>,
    /// Files and folders it was read from.
    pub reads: Arc<[PathBuf]>,
    /// What its maker should know: see [`stale_modules`] and [`shared_scopes`].
    pub warnings: Arc<[String]>,
    /// The schemas, in the order they were named.
    pub schemas: Vec<TracedSchema>,
    /// A digest of the tree.
    hash: String,
}

impl Built {
    /// How the packets of a remote are laid out: as its schema says, else as the first does.
    pub fn wire_of(&self, remote: &str) -> Option<&Arc<Wire>> {
        let own = self.schemas.iter().find(|schema| schema.carries(remote));
        own.or(self.schemas.first()).map(|schema| &schema.wire)
    }

    /// Tells a trace what its world starts from.
    pub fn describe(&self, trace: &mut Trace) {
        trace.set_schemas(self.schemas.clone());
        let header = trace.header_mut();
        header.project = Some(self.tree.root.name.clone());
        header.project_hash = Some(self.hash.clone());
    }
}

/// A digest of the names, classes and sources of a tree: 16 hexadecimal digits.
fn digest(root: &Node) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |bytes: &[u8]| {
        // The length in front keeps neighbours apart.
        for byte in (bytes.len() as u64).to_le_bytes().iter().chain(bytes) {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    root.walk(&mut |node, path| {
        add(&(path.len() as u64).to_le_bytes());
        add(node.name.as_bytes());
        add(node.class.as_bytes());
        add(node.source.as_deref().unwrap_or_default().as_bytes());
    });
    format!("{hash:016x}")
}

impl Fixture {
    /// Puts the tree together. Errors: a file, and what is wrong with it.
    pub fn build(&self) -> Result<Built, Unbuilt> {
        let mut tree = match &self.project {
            Some(path) => load_project(path)?,
            None => {
                ProjectTree::of(self.tree.clone().map_or_else(|| Node::new("DataModel", "Game"), as_place))
            }
        };
        let mut nets = [None, None];
        let (mut fresh, mut homeless) = (Vec::new(), Vec::new());
        let mut known: Vec<TracedSchema> = Vec::new();
        // Both sides usually name the same schemas.
        let mut compiled: Vec<(&SchemaSource, Compilation)> = Vec::new();
        for (is_server, schemas) in [(true, &self.server_schemas), (false, &self.client_schemas)] {
            for schema in schemas {
                let at = compiled.iter().position(|(known, _)| *known == schema).unwrap_or_else(|| {
                    compiled.push((schema, schema.compile()));
                    compiled.len() - 1
                });
                let compilation = &compiled[at].1;
                let (place, output) = mount_net(&mut tree, schema, compilation, is_server)?;
                match (output, schema) {
                    (Some(output), _) => fresh.push(output),
                    (None, SchemaSource::File(file, _)) => {
                        homeless.push((at, file, is_server, place.clone()))
                    }
                    (None, SchemaSource::Text(_)) => {}
                }
                nets[usize::from(!is_server)].get_or_insert(place);
                if let Some(resolved) = compilation.analysis.schema.as_ref().filter(|_| at == known.len()) {
                    known.push(TracedSchema::of(resolved));
                }
            }
        }
        let shared: BTreeSet<String> = [&self.server_schemas, &self.client_schemas]
            .into_iter()
            .flat_map(|side| shared_scopes(side, &compiled))
            .collect();
        let warnings = homeless.iter().flat_map(|(at, file, is_server, place)| {
            let options = compiled[*at].1.analysis.schema.as_ref().map(|schema| &schema.options);
            let stale = |options| stale_modules(&tree.root, &fresh, options, file, *is_server, place);
            options.map(stale).unwrap_or_default()
        });
        let warnings = warnings.chain(shared).collect();
        let mut reads = Vec::new();
        tree.root.walk(&mut |node, _| reads.extend(node.file.clone()));
        for (_, compilation) in &compiled {
            let sources = &compilation.analysis.sources;
            reads.extend(sources.files().iter().map(|source| PathBuf::from(&source.shown)));
        }
        let [server_net, client_net] = nets;
        for (name, file) in &self.files {
            let source = read_script(file).map_err(|error| {
                format!("files: {} cannot be read: {}", shown(file), crate::shared::in_words(&error))
            })?;
            // Names may have dots in them where slashes part them.
            let path: Vec<&str> = name.split(if name.contains('/') { '/' } else { '.' }).collect();
            insert(&mut tree.root, &path, source.replace("\r\n", "\n"), Some(file.clone()))
                .map_err(|problem| format!("files: {name}: {problem}"))?;
        }
        let store = mount::store(&tree, true)?;
        let hash = digest(&tree.root);
        Ok(Built {
            tree: Arc::new(tree),
            store,
            server_net,
            client_net,
            schemas: known,
            reads: reads.into(),
            warnings,
            hash,
        })
    }

    /// The files it names itself, there or not.
    pub fn inputs(&self) -> Vec<PathBuf> {
        let schemas = self.server_schemas.iter().chain(&self.client_schemas);
        let schemas = schemas.filter_map(|schema| match schema {
            SchemaSource::Text(_) => None,
            SchemaSource::File(path, _) => Some(path.clone()),
        });
        let files = self.files.iter().map(|(_, file)| file.clone());
        schemas.chain(files).chain(self.project.clone()).collect()
    }
}

/// A written-out tree as a whole place: the place itself, a service of it, or something for ReplicatedStorage.
fn as_place(node: Node) -> Node {
    if node.class == "DataModel" {
        return node;
    }
    let mut root = Node::new("DataModel", "Game");
    let is_service = class_by_name(&node.class).is_some_and(|class| class.is_service());
    if is_service {
        root.children.push(node);
    } else {
        let mut storage = Node::new("ReplicatedStorage", "ReplicatedStorage");
        storage.children.push(node);
        root.children.push(storage);
    }
    root
}

/// Puts one of a schema's modules where its output would land. Gives the module's full name, and the file of the
/// project that it stands for, if the schema names one.
fn mount_net(
    tree: &mut ProjectTree,
    schema: &SchemaSource,
    compilation: &Compilation,
    is_server: bool,
) -> Result<(String, Option<PathBuf>), Unbuilt> {
    let Some(outputs) = &compilation.outputs else {
        return Err(Unbuilt::Schema(first_errors(compilation)));
    };
    let source = if is_server { &outputs.server } else { &outputs.client };
    let options = compilation.analysis.schema.as_ref().map(|schema| &schema.options);
    let output = options.and_then(|options| {
        let path = if is_server { &options.server_output } else { &options.client_output };
        path.clone().zip(schema.folder())
    });
    // A project says where the file would land; without one there is a usual place.
    let placed = output.and_then(|(path, folder)| {
        let file = normalise(&folder.join(path)).with_extension("luau");
        Some((place_of(&tree.root, &file)?, file))
    });
    let (path, file) = match placed {
        Some((path, file)) => (path, Some(file)),
        None => (vec![usual_place(is_server).to_string(), "Net".to_string()], None),
    };
    let names: Vec<&str> = path.iter().map(String::as_str).collect();
    insert(&mut tree.root, &names, source.clone(), file.clone())?;
    Ok((if is_server { path.join(".") } else { as_client_sees(&path) }, file))
}

/// A warning for each schema of a side whose remotes have the names of an earlier one's.
fn shared_scopes(side: &[SchemaSource], compiled: &[(&SchemaSource, Compilation)]) -> Vec<String> {
    let mut known: Vec<(String, &Path)> = Vec::new();
    let mut found = Vec::new();
    for schema in side {
        let compilation = compiled.iter().find(|(known, _)| *known == schema);
        let resolved = compilation.and_then(|(_, compilation)| compilation.analysis.schema.as_ref());
        let (SchemaSource::File(file, _), Some(resolved)) = (schema, resolved) else { continue };
        let base = resolved.options.remote_base();
        match known.iter().find(|(other, _)| *other == base) {
            Some((_, other)) if *other != file => found.push(format!(
                "{} and {} have one `RemoteScope`, so that their modules cannot run together; \
                 write `option RemoteScope` with a name of its own in the second",
                shown(other),
                shown(file)
            )),
            Some(_) => {}
            None => known.push((base, file)),
        }
    }
    found
}

/// A warning for each module in a tree that an earlier build wrote for a schema which no longer says where its module
/// goes: the game would go on to play the old one. `fresh` are files of modules made just now. One under another
/// `RemoteScope` is another schema's.
fn stale_modules(
    root: &Node,
    fresh: &[PathBuf],
    options: &Options,
    schema: &Path,
    is_server: bool,
    place: &str,
) -> Vec<String> {
    let (side, option) = if is_server { ("server", "ServerOutput") } else { ("client", "ClientOutput") };
    let header = format!("-- The {side} module of schema ");
    let base = format!("local BASE = \"{}\"\n", options.remote_base());
    let named = if is_server { &options.server_output } else { &options.client_output };
    let why = match named {
        None => format!("names no {option}"),
        Some(_) => format!("has a {option} that is in no part of the project"),
    };
    let mut found = Vec::new();
    root.walk(&mut |node, path| {
        let (Some(source), Some(file)) = (node.source.as_deref(), &node.file) else { return };
        let is_generated = source.lines().take(5).any(|line| line.starts_with(&header));
        if is_generated && source.contains(&base) && !fresh.contains(file) {
            found.push(format!(
                "{} {why}: its {side} module is {place}, and {} ({}) is played as an earlier build left it; \
                 name that file by `option {option}`, or delete it",
                shown(schema),
                path[1..].join("."),
                shown(file)
            ));
        }
    });
    found
}

fn usual_place(is_server: bool) -> &'static str {
    if is_server { "ServerScriptService" } else { "ReplicatedStorage" }
}

/// What is in a starter container reaches a client as a copy of its own.
fn as_client_sees(path: &[String]) -> String {
    match path {
        [starter, scripts, rest @ ..] if starter == "StarterPlayer" && scripts == "StarterPlayerScripts" => {
            format!("Players.LocalPlayer.PlayerScripts.{}", rest.join("."))
        }
        path => path.join("."),
    }
}

/// Loads a project, place or folder as a whole place.
pub fn load_project(path: &Path) -> Result<ProjectTree, String> {
    project::load(path).map(|tree| tree.into_place(None)).map_err(|problem| problem.to_string())
}

/// The headline and place of each error.
pub fn first_errors(compilation: &Compilation) -> String {
    let Analysis { diagnostics, sources, .. } = &compilation.analysis;
    let lines = diagnostics.iter().filter(|diagnostic| diagnostic.is_error());
    lines
        .map(|diagnostic| {
            let place = diagnostic.span().map(|span| {
                let start = sources.start(span);
                format!("{}:{}:{}: ", sources[span.file].shown, start.line, start.column)
            });
            let place = place.unwrap_or_default();
            format!("  [{}] {place}{}", diagnostic.code_text(), diagnostic.headline)
        })
        .collect::<Vec<_>>()
        .join("\n")
}

/// Names of the instance that `file` would be, judged by the folder it lies in: below what that folder is, or beside what
/// another file of it is.
pub fn place_of(root: &Node, file: &Path) -> Option<Vec<String>> {
    let (folder, stem) = (file.parent()?, file.file_stem()?.to_str()?);
    let wanted = absolute(folder);
    let mut found = None;
    let mut beside = None;
    root.walk(&mut |node, path| {
        let Some(made_from) = node.file.as_deref().map(absolute) else { return };
        let is_init = made_from
            .file_name()
            .and_then(|name| name.to_str())
            .is_some_and(|name| name.starts_with("init."));
        let is_in_folder = made_from.parent() == Some(wanted.as_path());
        let place = |names: &[&str]| {
            let mut names: Vec<String> = names.iter().map(ToString::to_string).collect();
            names.push(stem.to_string());
            names
        };
        if found.is_none() && (made_from == wanted || (is_init && is_in_folder)) {
            found = Some(place(&path[1..]));
        } else if beside.is_none() && is_in_folder && node.source.is_some() && path.len() > 2 {
            beside = Some(place(&path[1..path.len() - 1]));
        }
    });
    found.or(beside)
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).map_or_else(|_| path.to_path_buf(), |path| normalise(&path))
}

/// Puts a ModuleScript at a path of names, making folders on the way; replaces the source of one that is there.
fn insert(root: &mut Node, path: &[&str], source: String, file: Option<PathBuf>) -> Result<(), String> {
    let Some((name, parents)) = path.split_last() else {
        return Err("a full name such as ReplicatedStorage.Thing is needed".into());
    };
    let mut at = root;
    for (depth, parent) in parents.iter().enumerate() {
        let index = match at.children.iter().position(|child| child.name == *parent) {
            Some(index) => index,
            None => {
                at.children.push(Node::new(if depth == 0 { parent } else { "Folder" }, parent));
                at.children.len() - 1
            }
        };
        at = &mut at.children[index];
    }
    let index = match at.children.iter().position(|child| child.name == *name) {
        Some(index) => index,
        None => {
            at.children.push(Node::new("ModuleScript", name));
            at.children.len() - 1
        }
    };
    at.children[index].source = Some(Arc::from(source));
    at.children[index].file = file;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_put_where_they_are_named() {
        let mut root = Node::new("DataModel", "Game");
        insert(&mut root, &["ReplicatedStorage", "Lib", "Thing"], "return 1".into(), None).unwrap();
        let storage = root.child("ReplicatedStorage").unwrap();
        assert_eq!(storage.class, "ReplicatedStorage");
        let thing = storage.child("Lib").unwrap().child("Thing").unwrap();
        assert_eq!((thing.class.as_str(), thing.source.as_deref()), ("ModuleScript", Some("return 1")));
        insert(&mut root, &["ReplicatedStorage", "Lib", "Thing"], "return 2".into(), None).unwrap();
        let lib = root.child("ReplicatedStorage").unwrap().child("Lib").unwrap();
        assert_eq!((lib.children.len(), lib.children[0].source.as_deref()), (1, Some("return 2")));
    }

    #[test]
    fn an_output_lands_beside_the_files_of_its_folder() {
        let mut root = Node::new("DataModel", "Game");
        let mut service = Node::new("ServerScriptService", "ServerScriptService");
        let mut script = Node::new("Script", "Server");
        script.file = Some("game/src/server/init.server.luau".into());
        service.children.push(script);
        root.children.push(service);
        let place = place_of(&root, Path::new("game/src/server/Net.luau"));
        assert_eq!(place.unwrap(), ["ServerScriptService", "Server", "Net"]);
        assert_eq!(place_of(&root, Path::new("game/src/other/Net.luau")), None);
        // A module that stands for one file of its folder has its neighbours beside it.
        let mut storage = Node::new("ReplicatedStorage", "ReplicatedStorage");
        let mut module = Node::new("ModuleScript", "Pack");
        module.file = Some("pack/src/pack.luau".into());
        module.source = Some("".into());
        storage.children.push(module);
        root.children.push(storage);
        let place = place_of(&root, Path::new("pack/src/pack.spec.luau"));
        assert_eq!(place.unwrap(), ["ReplicatedStorage", "pack.spec"]);
    }

    #[test]
    fn starter_scripts_are_found_in_the_player() {
        let path = ["StarterPlayer", "StarterPlayerScripts", "Client", "Net"].map(String::from);
        assert_eq!(as_client_sees(&path), "Players.LocalPlayer.PlayerScripts.Client.Net");
    }
}
