//! From the nodes of a project file to nodes of the tree.

use std::path::Path;

use super::file::{ProjectFile, ProjectNode};
use super::files::{Context, Loader, folder_name, read_text};
use super::paths;
use super::problem::{Problem, Result};
use super::rules;
use super::tree::Node;
use super::values::Values;
use crate::datamodel::classes::class_by_name;

/// The ids a project gives.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Ids {
    pub(super) place: Option<u64>,
    pub(super) game: Option<u64>,
}

/// The tree of a project file. `name` stands in for a project without one; a default project takes its folder's.
///
/// There is no node if the whole tree is optional and its path leads nowhere.
pub(super) fn project(
    loader: &mut Loader,
    outer: &Context,
    file: &Path,
    name: Option<&str>,
) -> Result<(Option<Node>, Ids)> {
    let identity = paths::identity(file);
    if loader.open.contains(&identity) {
        return Err(Problem::of_file(
            file,
            "the project contains itself: one of its paths leads back to its folder",
        )
        .help("Let `$path` name a folder below the project, such as `src`."));
    }
    let project = ProjectFile::parse(file, read_text(file)?)?;
    let name = match (&project.name, name) {
        (Some(name), _) => name.clone(),
        (None, name) => match name.filter(|_| !is_default(file)) {
            Some(name) => name.to_owned(),
            None => folder_name(&project.folder())?,
        },
    };
    let mut context = Context {
        ignore: outer.ignore.clone(),
        sync_rules: project.sync_rules.clone(),
        emit_legacy_scripts: project.emit_legacy_scripts,
    };
    context.ignore.extend(project.ignore.iter().cloned());
    loader.open.push(identity);
    let node = node(loader, &context, &project, &project.tree, &name, None);
    loader.open.pop();
    Ok((node?, Ids { place: project.place_id, game: project.game_id }))
}

fn is_default(file: &Path) -> bool {
    paths::name_of(file).is_some_and(|name| rules::DEFAULT_PROJECTS.contains(&name))
}

fn node(
    loader: &mut Loader,
    context: &Context,
    project: &ProjectFile,
    from: &ProjectNode,
    name: &str,
    parent_class: Option<&str>,
) -> Result<Option<Node>> {
    let mut node = match &from.path {
        None => None,
        Some(path) => {
            let target = project.target(path);
            let found = loader.path(context, &target)?;
            let is_to_come = loader.lays_out && found.is_none() && !path.optional && !target.exists();
            match is_to_come {
                true => Some(Node { file: Some(target), ..Node::new("Folder", name) }),
                false => found,
            }
        }
    };
    let Some(class) =
        class_of(project, from, name, parent_class, node.as_ref().map(|node| node.class.as_str()))?
    else {
        return Ok(None);
    };
    let mut node =
        node.take().unwrap_or_else(|| Node { file: Some(project.document.file.clone()), ..Node::default() });
    node.name = name.to_owned();
    node.class = class;
    if class_by_name(&node.class).is_none() {
        let offset = from.class.as_ref().map_or(from.offset, |class| class.offset);
        let message = format!(
            "`{}` is no class of the database; the instance will have no members of its own",
            node.class
        );
        loader.warnings.push(*project.document.problem(offset, &from.field, message));
    }
    for (name, child) in &from.children {
        if let Some(child) = self::node(loader, context, project, child, name, Some(&node.class))? {
            node.children.push(child);
        }
    }
    let values = Values { document: &project.document, field: &format!("{}.$properties", from.field) };
    values.properties(&mut node, &from.properties, &mut loader.warnings)?;
    let values = Values { document: &project.document, field: &format!("{}.$attributes", from.field) };
    values.attributes(&mut node, &from.attributes)?;
    if let Some(id) = &from.id {
        node.id = Some(id.as_str().into());
    }
    Ok(Some(node))
}

/// The class of a node; `None` for an optional one that leads nowhere.
fn class_of(
    project: &ProjectFile,
    from: &ProjectNode,
    name: &str,
    parent_class: Option<&str>,
    path_class: Option<&str>,
) -> Result<Option<String>> {
    let document = &project.document;
    let inferred = parent_class.and_then(|parent| inferred(parent, name));
    match (&from.class, path_class, &from.path) {
        (Some(class), Some("Folder"), _) | (Some(class), None, None) => Ok(Some(class.value.clone())),
        // Optional and absent: the class given stands.
        (Some(class), None, Some(path)) if path.optional => Ok(Some(class.value.clone())),
        (Some(class), Some(other), _) => Err(document
            .problem(
                class.offset,
                &format!("{}.$className", from.field),
                format!("the class is given as `{}`, but `$path` makes this a `{other}`", class.value),
            )
            .help("Leave `$className` out, or let `$path` name a folder without an init file.")),
        (None, Some("Folder"), _) => Ok(Some(inferred.unwrap_or("Folder").to_owned())),
        (None, Some(class), _) => Ok(Some(class.to_owned())),
        (None, None, path) if path.as_ref().is_none_or(|path| path.optional) => match (inferred, path) {
            (Some(class), _) => Ok(Some(class.to_owned())),
            (None, Some(_)) => Ok(None),
            (None, None) => Err(document
                .problem(from.offset, &from.field, format!("nothing says what `{name}` is"))
                .help("Give it a `$className` or a `$path`; only services and known children have a class by name.")),
        },
        (_, None, Some(path)) => {
            let why = if project.target(path).exists() {
                "exists, but no rule makes an instance of it"
            } else {
                "does not exist"
            };
            let mut help = "Mend the path, or write `{\"optional\": path}` if it may be absent.".to_owned();
            if ["Packages", "ServerPackages", "DevPackages"].iter().any(|folder| path.path.trim_end_matches(['/', '\\']).ends_with(folder)) {
                help = "Run `wally install` to fetch the packages.".to_owned();
            }
            Err(document
                .problem(path.offset, &format!("{}.$path", from.field), format!("`{}` {why}", path.path))
                .help(help))
        }
        (None, None, None) => unreachable!("a node without a path was decided above"),
    }
}

/// The class that a node has by its name alone.
fn inferred<'a>(parent_class: &str, name: &'a str) -> Option<&'a str> {
    match parent_class {
        "DataModel" => class_by_name(name).filter(|class| class.is_service()).map(|_| name),
        "StarterPlayer" => matches!(name, "StarterPlayerScripts" | "StarterCharacterScripts").then_some(name),
        "Workspace" => (name == "Terrain").then_some(name),
        _ => None,
    }
}
