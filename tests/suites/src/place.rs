//! Places put together from files of others, by a Rojo project written for them.

use std::path::{Path, PathBuf};

use blinkblox_emulator::project::{self, ProjectTree};
use serde_json::{Map, Value, json};

/// A place to be: which file or folder stands where.
#[derive(Default)]
pub struct Place {
    tree: Map<String, Value>,
    ignored: Vec<String>,
}

impl Place {
    /// A place without anything.
    pub fn new() -> Place {
        Place::default()
    }

    /// Puts a file or folder at a path of names, as in `ReplicatedStorage.Packages.TestEZ`; folders are made on the way.
    pub fn with(mut self, path: &str, file: &Path) -> Place {
        let mut names = path.split('.').peekable();
        let mut at = &mut self.tree;
        while let Some(name) = names.next() {
            let node = at.entry(name).or_insert_with(|| json!({})).as_object_mut().unwrap();
            if names.peek().is_none() {
                node.insert("$path".into(), json!(file.to_str().unwrap()));
            } else if !is_known(name) && !node.contains_key("$path") {
                node.insert("$className".into(), json!("Folder"));
            }
            at = node;
        }
        self
    }

    /// Leaves out files that match a glob.
    pub fn without(mut self, glob: &str) -> Place {
        self.ignored.push(glob.to_owned());
        self
    }

    /// The packages of npm as roblox-ts mounts them: `ReplicatedStorage.rbxts_include` with its runtime, and
    /// `node_modules` beside it.
    pub fn with_npm(self, modules: &Path) -> Place {
        let include = modules.join("roblox-ts/include");
        self.with("ReplicatedStorage.rbxts_include", &include)
            .with("ReplicatedStorage.rbxts_include.node_modules.@rbxts", &modules.join("@rbxts"))
            .with("ReplicatedStorage.rbxts_include.node_modules.@rbxts-js", &modules.join("@rbxts-js"))
            // Rojo makes a module of every JSON file, which would stand in the way of none but also help nobody.
            .without("**/package.json")
            .without("**/tsconfig.json")
    }

    /// Writes the project into a folder of that name below the target folder, and loads it.
    pub fn load(&self, name: &str) -> ProjectTree {
        let tree = project::load_project(&self.write(name)).unwrap_or_else(|problem| panic!("{problem}"));
        assert!(tree.warnings.is_empty(), "{:?}", tree.warnings);
        tree
    }

    /// Writes the project file, and gives its path.
    pub fn write(&self, name: &str) -> PathBuf {
        let folder = crate::fetch::scratch().join("places").join(name);
        std::fs::create_dir_all(&folder).unwrap();
        let mut tree = self.tree.clone();
        tree.insert("$className".into(), json!("DataModel"));
        let project = json!({ "name": name, "tree": tree, "globIgnorePaths": self.ignored });
        let file = folder.join("default.project.json");
        std::fs::write(&file, serde_json::to_string_pretty(&project).unwrap()).unwrap();
        file
    }
}

/// Names that need no class: services, and what stands in them once.
fn is_known(name: &str) -> bool {
    let services = [
        "ReplicatedStorage",
        "ServerScriptService",
        "ServerStorage",
        "StarterPlayer",
        "StarterPlayerScripts",
    ];
    services.contains(&name)
}
