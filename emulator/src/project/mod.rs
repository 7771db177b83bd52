//! Projects, places, models and folders as plain trees.
//!
//! The loader reads Rojo's project format with errors that point at a line: project files and their nodes (`file`,
//! `nodes`), files and folders by rules (`rules`, `files`), meta files, described models, data modules, translation
//! tables, and Roblox's own files (`model_file`). It knows neither VM nor world: [`ProjectTree`] is data, which
//! [`mount`] turns into instances. Children of a folder are sorted by file name, so that one project gives one tree on
//! every machine.
//!
//! Start at [`load`]; [`discover`] finds the test files around a project.

mod data;
pub mod discover;
mod file;
mod files;
mod foreign;
mod json;
mod localization;
mod meta;
mod model_file;
mod model_json;
pub mod mount;
mod nodes;
mod paths;
mod problem;
mod rules;
mod scripts;
mod sourcemap;
#[cfg(test)]
mod tests;
mod tree;
mod values;
mod variant;

use std::path::{Path, PathBuf};

pub use foreign::is_guarded;
pub use paths::{is_of_packages, is_set_aside};
pub use problem::{Problem, Result};
pub use tree::{Node, ProjectTree, PropertyValue};

use files::{Context, Loader};
use rules::ModelFormat;

/// The tree of whatever `path` is: a project file, a folder with or without a default project, a place or a model, or the
/// `sourcemap.json` of a project.
///
/// A place file gives a `DataModel`. Anything else may be a library; see [`ProjectTree::into_place`].
pub fn load(path: &Path) -> Result<ProjectTree> {
    let name = paths::name_of(path).unwrap_or_default();
    if name.ends_with(".rbxl") || name.ends_with(".rbxlx") {
        return load_place(path);
    }
    if name.ends_with("sourcemap.json") {
        return load_sourcemap(path);
    }
    if path.is_dir() {
        return match find_project(path)? {
            Some(project) => load_project(&project),
            None => load_folder(path),
        };
    }
    if name.ends_with(".project.json") || name.ends_with(".project.jsonc") {
        return load_project(path);
    }
    let mut loader = Loader::default();
    match loader.path(&Context::default(), path)? {
        Some(root) => Ok(ProjectTree { warnings: loader.warnings, ..ProjectTree::of(root) }),
        None if path.exists() => Err(Problem::of_file(path, "no rule makes an instance of this file")
            .help("Give a project, a place, a model, a script or a folder.")),
        None => Err(Problem::of_file(path, "does not exist")),
    }
}

/// The tree of a project file.
pub fn load_project(file: &Path) -> Result<ProjectTree> {
    project_tree(file, Loader::default())
}

/// The tree of a project file as it will be: a path that leads nowhere, such as that of packages which are not installed
/// yet, is an empty folder.
pub fn lay_out_project(file: &Path) -> Result<ProjectTree> {
    project_tree(file, Loader::laying_out())
}

fn project_tree(file: &Path, mut loader: Loader) -> Result<ProjectTree> {
    let stem = paths::name_of(file).map(|name| name.split(".project.json").next().unwrap_or(name).to_owned());
    let (root, ids) = nodes::project(&mut loader, &Context::default(), file, stem.as_deref())?;
    let Some(root) = root else {
        return Err(Problem::of_file(file, "the whole tree is optional, and its path leads nowhere"));
    };
    Ok(ProjectTree { root, place_id: ids.place, game_id: ids.game, warnings: loader.warnings })
}

/// The tree of a `sourcemap.json`: scripts with their sources, everything else without properties.
fn load_sourcemap(file: &Path) -> Result<ProjectTree> {
    let mut loader = Loader::default();
    let root = sourcemap::load(&mut loader, file)?;
    Ok(ProjectTree { warnings: loader.warnings, ..ProjectTree::of(root) })
}

/// The tree of a folder as it is, without looking for a project at its top.
pub fn load_folder(folder: &Path) -> Result<ProjectTree> {
    let mut loader = Loader::default();
    match loader.path(&Context::default(), folder)? {
        Some(root) => Ok(ProjectTree { warnings: loader.warnings, ..ProjectTree::of(root) }),
        None => Err(Problem::of_file(folder, "does not exist")),
    }
}

/// The tree of a place file, `.rbxl` or `.rbxlx`.
pub fn load_place(file: &Path) -> Result<ProjectTree> {
    let mut loader = Loader::default();
    let format = match paths::name_of(file) {
        Some(name) if name.ends_with('x') => ModelFormat::Xml,
        _ => ModelFormat::Binary,
    };
    let mut root = Node::new("DataModel", "Game");
    root.file = Some(file.to_owned());
    root.children = model_file::load(&mut loader, file, format)?;
    Ok(ProjectTree { warnings: loader.warnings, ..ProjectTree::of(root) })
}

/// The project of a folder: `default.project.json(c)`, else the first other `*.project.json(c)` by name.
pub fn find_project(folder: &Path) -> Result<Option<PathBuf>> {
    for name in rules::DEFAULT_PROJECTS {
        let file = folder.join(name);
        if file.is_file() {
            return Ok(Some(file));
        }
    }
    let is_project = |path: &PathBuf| {
        paths::name_of(path)
            .is_some_and(|name| name.ends_with(".project.json") || name.ends_with(".project.jsonc"))
    };
    Ok(files::entries(folder)?.into_iter().find(|path| is_project(path) && path.is_file()))
}
