//! Where in the DataModel the outputs of a schema land, and whether they may be there: `E4010`, `E4011`, `W4103`; whether
//! two schemas of a project answer for the same remotes: `W4104`.
//! Source: tooling specification, 12.1.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use blinkblox_compiler::diagnostics::{Code, Diagnostic};
use blinkblox_compiler::source::normalize;
use blinkblox_emulator::project::{self, Node};

use crate::commands::compile::{Compiled, OutputOption};
use crate::loader::forward;

/// Services whose contents no client receives.
const SERVER_ONLY: [&str; 2] = ["ServerScriptService", "ServerStorage"];

/// Where the files of a Rojo project land, whose tree is a place.
pub struct Placement {
    file: PathBuf,
    /// What each file and folder of the project becomes: names from a service down.
    instances: BTreeMap<PathBuf, Vec<String>>,
}

impl Placement {
    /// The tree of a project file; `None` for a library, which lands wherever it is used. Paths of it that lead nowhere
    /// yet, as those of packages and of outputs do in a fresh clone, hinder nothing. Errors: why the project cannot be
    /// read.
    pub fn of(file: &Path) -> Result<Option<Placement>, String> {
        let tree = project::lay_out_project(file).map_err(|problem| problem.to_string())?;
        let place = tree.root.class == "DataModel";
        Ok(place.then(|| Placement { file: file.to_path_buf(), instances: instances(&tree.root) }))
    }

    /// Names from a service down to the instance a file becomes; `None` outside the project.
    ///
    /// A file that is not there yet lands in the instance of the nearest folder above it.
    pub fn of_file(&self, file: &Path) -> Option<Vec<String>> {
        let whole = resolved(file)?;
        let mut below: Vec<String> = Vec::new();
        for path in whole.ancestors() {
            if let Some(found) = self.instances.get(path) {
                let mut found = found.clone();
                found.extend(below.into_iter().rev());
                return (!found.is_empty()).then_some(found);
            }
            let name = path.file_name()?.to_string_lossy();
            let name = name.strip_suffix(".luau").unwrap_or(&name);
            // A module named `init` is the folder it stands in.
            if name != "init" {
                below.push(name.to_string());
            }
        }
        None
    }

    /// What is wrong with where the outputs of a compile land.
    pub fn check(&self, compiled: &Compiled) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        // roblox-ts brings modules with declarations to where it compiles to, which is what its projects map.
        let is_typescript = compiled.files.iter().any(|(path, _)| path.ends_with(".d.ts"));
        for option in &compiled.options {
            let diagnostic = match self.of_file(Path::new(&option.path)) {
                None if is_typescript => None,
                None => Some(self.outside(option, compiled)),
                Some(path) => misplaced(option, &path, compiled),
            };
            found.extend(diagnostic.map(|one| one.opt_secondary(option.span, "writes it there")));
        }
        found
    }

    /// Whether a module of a side is in the project.
    pub fn holds(&self, compiled: &Compiled) -> bool {
        let is_side = |option: &&OutputOption| option.name != "TypesOutput";
        let mut sides = compiled.options.iter().filter(is_side);
        sides.any(|option| self.of_file(Path::new(&option.path)).is_some())
    }

    fn outside(&self, option: &OutputOption, compiled: &Compiled) -> Diagnostic {
        let headline = format!("the {} is in no part of the project", module(option));
        let project = compiled.shown(&normalize(&forward(&self.file)));
        Diagnostic::warning(Code::OutputOutsideProject, headline)
            .about_file(compiled.shown(&compiled.entry))
            .note(format!("Map its folder in {project}, or write it to one that is mapped."))
    }
}

/// What is wrong with where the outputs of a compile land in the project around its schema: a server module that clients
/// could read, a client module that none can see, an output that is in no part of it.
pub fn faults(compiled: &Compiled, projects: &mut Projects) -> Vec<Diagnostic> {
    if compiled.options.is_empty() || !compiled.is_sound() {
        return vec![];
    }
    let Some(file) = crate::schemas::project_around(&compiled.entry) else { return vec![] };
    let mut found = Vec::new();
    let project = projects.0.entry(file).or_insert_with_key(|file| {
        let placement = Placement::of(file).unwrap_or_else(|problem| {
            found.push(unreadable(file, &problem));
            None
        });
        Project { placement, scopes: BTreeMap::new() }
    });
    let Some(placement) = &project.placement else { return found };
    found.extend(placement.check(compiled));
    if let Some(scope) = compiled.scope.as_ref().filter(|_| placement.holds(compiled)) {
        let own = (compiled.entry.clone(), compiled.scope_place());
        let (entry, place) = project.scopes.entry(scope.base.clone()).or_insert(own);
        if *entry != compiled.entry {
            found.extend(compiled.shared_scope(place));
        }
    }
    found
}

/// The warning about a project of which nobody knows where modules land.
fn unreadable(file: &Path, problem: &str) -> Diagnostic {
    let shown = forward(file);
    let mut lines = problem.lines().map(str::trim).filter(|line| !line.is_empty());
    let headline = format!("the project \"{shown}\" cannot be read");
    Diagnostic::warning(Code::ProjectUnreadable, headline)
        .about_file(shown)
        .opt_note(lines.next().map(str::to_string))
        .note("Where the modules land in the place was not looked at.")
}

/// Projects that have been read, each once a run.
#[derive(Default)]
pub struct Projects(BTreeMap<PathBuf, Project>);

struct Project {
    /// `None` for one that is no place or cannot be read.
    placement: Option<Placement>,
    /// The first schema of each base name of remotes: its path, and the place to show.
    scopes: BTreeMap<String, (String, String)>,
}

fn misplaced(option: &OutputOption, path: &[String], compiled: &Compiled) -> Option<Diagnostic> {
    let hidden = path.first().is_some_and(|service| SERVER_ONLY.contains(&service.as_str()));
    let at = path.join(".");
    let (code, headline, note) = match (option.name, hidden) {
        ("ServerOutput", false) => (
            Code::OutputExposed,
            format!("the server module lands in {at}, where every player can read it"),
            "Write it to a folder that the project maps into ServerScriptService or ServerStorage.",
        ),
        ("ClientOutput", true) => (
            Code::OutputHidden,
            format!("the client module lands in {at}, where no client sees it"),
            "Write it to a folder that the project maps into ReplicatedStorage or StarterPlayerScripts.",
        ),
        _ => return None,
    };
    Some(Diagnostic::error(code, headline).about_file(compiled.shown(&compiled.entry)).note(note))
}

/// How an output is called.
pub fn module(option: &OutputOption) -> &'static str {
    match option.name {
        "ServerOutput" => "server module",
        "ClientOutput" => "client module",
        _ => "types module",
    }
}

/// The path from the root, links resolved as far as it is there.
fn resolved(file: &Path) -> Option<PathBuf> {
    let whole = std::path::absolute(file).ok()?;
    for (gone, above) in whole.ancestors().enumerate() {
        if let Ok(present) = above.canonicalize() {
            let rest: Vec<_> = whole.components().rev().take(gone).collect();
            return Some(present.join(rest.into_iter().rev().collect::<PathBuf>()));
        }
    }
    None
}

/// The first node made from each path, the root left out.
fn instances(root: &Node) -> BTreeMap<PathBuf, Vec<String>> {
    let mut found = BTreeMap::new();
    root.walk(&mut |node, names| {
        let Some(file) = node.file.as_deref().and_then(resolved) else { return };
        let names: Vec<String> = names.iter().skip(1).map(|name| (*name).to_string()).collect();
        // A script `init` is its folder, which is what other files of the folder stand in.
        let folder = file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("init."));
        if let Some(folder) = file.parent().filter(|_| folder) {
            found.entry(folder.to_path_buf()).or_insert_with(|| names.clone());
        }
        found.entry(file).or_insert(names);
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_land_where_the_project_maps_them() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("src/server/init.server.luau", "");
        write("src/shared/Deep/Other.luau", "return 1");
        let project = r#"{ "name": "x", "tree": { "$className": "DataModel",
            "ServerScriptService": { "Game": { "$path": "src/server" } },
            "ReplicatedStorage": { "Shared": { "$path": "src/shared" } } } }"#;
        write("default.project.json", project);
        let placement = Placement::of(&folder.path().join("default.project.json")).unwrap().unwrap();
        let of = |path: &str| placement.of_file(&folder.path().join(path)).map(|path| path.join("."));
        assert_eq!(of("src/server/Net.luau").as_deref(), Some("ServerScriptService.Game.Net"));
        assert_eq!(of("src/shared/Deep/Other.luau").as_deref(), Some("ReplicatedStorage.Shared.Deep.Other"));
        assert_eq!(of("src/shared/New/Net/init.luau").as_deref(), Some("ReplicatedStorage.Shared.New.Net"));
        assert_eq!(of("generated/Net.luau"), None);
    }
}
