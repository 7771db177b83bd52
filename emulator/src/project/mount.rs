//! From a tree of nodes to the instances of a side.
//!
//! The instances are made silently, before any script could see them made. A place's services get their fixed ids; what
//! stands under `StarterPlayer` and `Workspace` once only is merged with what the engine makes there.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::problem::{Problem, Result};
use super::tree::{Node, ProjectTree, PropertyValue};
use crate::datamodel::classes::{ClassId, DataType, PropertyId, class_by_name, known_class};
use crate::datamodel::store::{GAME, Store};
use crate::datamodel::{DataModel, tree as model, values};
use crate::value::{EnumItemId, InstanceId, Value};

/// Instances made from a tree.
#[derive(Debug, Clone)]
pub struct Mounted {
    /// The side's instances, with the services that are always there.
    pub store: Store,
    /// The file each script was made from.
    pub files: FxHashMap<InstanceId, PathBuf>,
}

/// The instances of a tree, for a side that has no others. Errors: the text of [`mount`]'s.
pub fn store(tree: &ProjectTree, is_server: bool) -> std::result::Result<Store, String> {
    mount(tree, is_server).map(|mounted| mounted.store).map_err(|problem| problem.to_string())
}

/// The instances of a tree and the files of its scripts. A library is put under `ReplicatedStorage`; see
/// [`ProjectTree::into_place`] for another place.
///
/// Errors: a property whose value has the wrong type, named with its file. What Roblox's own files hold of types that
/// the class database does not expect is left out instead.
pub fn mount(tree: &ProjectTree, is_server: bool) -> Result<Mounted> {
    let store = DataModel::new(is_server).store().clone();
    let mut mounting = Mounting {
        mounted: Mounted { store, files: FxHashMap::default() },
        ids: FxHashMap::default(),
        references: Vec::new(),
    };
    if tree.is_place() {
        mounting.fill(&tree.root, GAME)?;
    } else {
        let parent = model::make_single(&mut mounting.mounted.store, known_class("ReplicatedStorage"), GAME);
        mounting.node(&tree.root, parent)?;
    }
    Ok(mounting.finish())
}

impl PropertyValue {
    /// The value as scripts hold it; a reference by `instance`, which gives the instance of an id.
    pub fn to_value(&self, instance: impl FnOnce(&str) -> Option<InstanceId>) -> Value {
        match self {
            Self::Nil => Value::Nil,
            Self::Bool(value) => Value::Boolean(*value),
            Self::Number(value) => Value::Number(*value),
            Self::String(bytes) => Value::string(bytes),
            Self::EnumItem(list, value) => Value::EnumItem(EnumItemId { enum_: *list, value: *value }),
            Self::Vector3(value) => Value::Vector(value.to_array()),
            Self::Datatype(value) => Value::Datatype(value.clone()),
            Self::Reference(id) => instance(id).map_or(Value::Nil, Value::Instance),
        }
    }
}

/// Classes that stand in one place once, made together with the service around them or by it.
const SINGLE: [&str; 3] = ["StarterPlayerScripts", "StarterCharacterScripts", "Terrain"];

/// Classes without a row in the database become this one: an instance with a name and children.
const UNKNOWN: &str = "Instance";

struct Mounting {
    mounted: Mounted,
    /// Instances that others refer to.
    ids: FxHashMap<Arc<str>, InstanceId>,
    /// References to be set once all instances are there.
    references: Vec<(InstanceId, PropertyId, Arc<str>)>,
}

impl Mounting {
    fn node(&mut self, node: &Node, parent: InstanceId) -> Result<()> {
        let class = class_by_name(&node.class).unwrap_or_else(|| known_class(UNKNOWN));
        let store = &mut self.mounted.store;
        let single = (parent == GAME && class.is_service()) || SINGLE.contains(&class.name());
        let id = if single {
            model::make_single(store, class, parent)
        } else {
            let id = store.create(class);
            if let Some(instance) = store.get_mut(id) {
                instance.name = node.name.as_str().into();
            }
            store.set_parent(id, Some(parent));
            id
        };
        self.fill(node, id)
    }

    /// Everything of a node but its name and class.
    fn fill(&mut self, node: &Node, id: InstanceId) -> Result<()> {
        let class = self.mounted.store.class(id);
        if let Some(own) = &node.id {
            self.ids.insert(own.clone(), id);
        }
        if let Some(source) = &node.source {
            if let Some(property) = class.property("Source") {
                self.mounted.store.set_property(id, property.info().stored_as, Value::string(&**source));
            }
            if let Some(file) = &node.file {
                self.mounted.files.insert(id, file.clone());
            }
        }
        for (name, value) in &node.properties {
            self.property(node, id, class, name, value)?;
        }
        for (name, value) in &node.attributes {
            self.mounted.store.set_attribute(id, name, Some(value.to_value(|_| None)));
        }
        for tag in &node.tags {
            self.mounted.store.add_tag(id, tag);
        }
        for child in &node.children {
            self.node(child, id)?;
        }
        Ok(())
    }

    fn property(
        &mut self,
        node: &Node,
        id: InstanceId,
        class: ClassId,
        name: &str,
        value: &PropertyValue,
    ) -> Result<()> {
        let Some(property) = class.property(name) else { return Ok(()) };
        let stored = property.info().stored_as;
        if let PropertyValue::Reference(target) = value {
            self.references.push((id, stored, target.clone()));
            return Ok(());
        }
        let value = value.to_value(|_| None);
        // What may be nil and is: nothing to set.
        if value.is_nil() || stored.info().data_type == DataType::Other {
            return Ok(());
        }
        let is_model = node.file.as_deref().is_some_and(is_roblox_file);
        let value = match values::coerce(stored, value) {
            Ok(value) => value,
            Err(_) if is_model => return Ok(()),
            Err(text) => {
                let file = node.file.as_deref().unwrap_or(Path::new("the project"));
                let mut problem = Problem::of_file(file, text);
                problem.field = format!("{}.{name}", node.name);
                return Err(problem);
            }
        };
        let store = &mut self.mounted.store;
        // `Enabled` of a script is kept as its opposite.
        if stored.name() == "Enabled"
            && let Some(disabled) = class.property("Disabled").filter(|_| class.is_a_name("BaseScript"))
        {
            let value = Value::Boolean(value != Value::Boolean(true));
            store.set_property(id, disabled.info().stored_as, value);
        } else {
            store.set_property(id, stored, value);
        }
        Ok(())
    }

    fn finish(mut self) -> Mounted {
        for (id, property, target) in self.references {
            if let Some(target) = self.ids.get(&target) {
                self.mounted.store.set_property(id, property, Value::Instance(*target));
            }
        }
        self.mounted
    }
}

/// Whether a file is Roblox's own, which may be newer than the class database.
fn is_roblox_file(file: &Path) -> bool {
    file.extension()
        .and_then(|extension| extension.to_str())
        .is_some_and(|extension| matches!(extension, "rbxm" | "rbxmx" | "rbxl" | "rbxlx"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datamodel::properties::get_by_name;

    fn mounted(tree: &str, files: &[(&str, &str)]) -> Result<Mounted> {
        let root = tempfile::tempdir().unwrap();
        std::fs::write(root.path().join("default.project.json"), tree).unwrap();
        for (name, content) in files {
            std::fs::write(root.path().join(name), content).unwrap();
        }
        mount(&super::super::load(root.path())?, true)
    }

    fn find(store: &Store, path: &str) -> InstanceId {
        path.split('.').fold(GAME, |id, name| {
            store.find_child(id, name).unwrap_or_else(|| panic!("no {name} in {}", store.full_name(id)))
        })
    }

    #[test]
    fn a_place_becomes_services_and_their_instances() {
        let tree = r#"{"name": "g", "tree": {"$className": "DataModel",
            "ReplicatedStorage": {"$attributes": {"Round": 3},
                "Net": {"$path": "net.luau"}, "Fire": {"$className": "RemoteEvent", "$properties": {"Tags": ["t"]}}},
            "StarterPlayer": {"StarterPlayerScripts": {"Main": {"$path": "main.client.luau"}}},
            "Workspace": {"$properties": {"Gravity": 50},
                "Part": {"$className": "Part", "$properties": {"Color": [1, 0, 0], "Material": "Grass", "Size": [1, 2, 3]}}},
            "ServerScriptService": {"Run": {"$path": "run.server.luau", "$properties": {"Enabled": false}}}}}"#;
        let files = [("net.luau", "return 1"), ("main.client.luau", "x()"), ("run.server.luau", "y()")];
        let Mounted { store, files } = mounted(tree, &files).unwrap();
        let net = find(&store, "ReplicatedStorage.Net");
        assert_eq!(store.class(net).name(), "ModuleScript");
        assert_eq!(get_by_name(&store, net, "Source"), Value::string("return 1"));
        assert!(files[&net].ends_with("net.luau"));
        let storage = find(&store, "ReplicatedStorage");
        assert_eq!(storage, crate::datamodel::store::single_id(known_class("ReplicatedStorage")));
        assert_eq!(store.get(storage).unwrap().attribute("Round"), Some(&Value::Number(3.0)));
        assert!(store.get(find(&store, "ReplicatedStorage.Fire")).unwrap().has_tag("t"));
        assert_eq!(store.tagged("t").len(), 1);
        find(&store, "StarterPlayer.StarterPlayerScripts.Main");
        assert_eq!(get_by_name(&store, find(&store, "Workspace"), "Gravity"), Value::Number(50.0));
        let part = find(&store, "Workspace.Part");
        assert_eq!(get_by_name(&store, part, "Size"), Value::Vector([1.0, 2.0, 3.0]));
        let red = Value::Datatype(crate::datatypes::Color3::new(1.0, 0.0, 0.0).into());
        assert_eq!(get_by_name(&store, part, "Color"), red);
        let run = find(&store, "ServerScriptService.Run");
        assert_eq!(get_by_name(&store, run, "Disabled"), Value::Boolean(true));
        assert_eq!(get_by_name(&store, run, "Enabled"), Value::Boolean(false));
        // Services nobody named are there as well, once.
        let names: Vec<_> = store.children(GAME).iter().map(|id| store.name(*id).to_string()).collect();
        assert_eq!(names.iter().filter(|name| *name == "Workspace").count(), 1);
        assert!(names.iter().any(|name| name == "Players"));
    }

    #[test]
    fn references_find_their_target() {
        let tree = r#"{"name": "g", "tree": {"$className": "DataModel", "Workspace": {
            "Model": {"$className": "Model", "$attributes": {"Rojo_Target_PrimaryPart": "core"},
                "Core": {"$className": "Part", "$id": "core"}},
            "Lost": {"$className": "Model", "$attributes": {"Rojo_Target_PrimaryPart": "nobody"}}}}}"#;
        let store = mounted(tree, &[]).unwrap().store;
        let core = find(&store, "Workspace.Model.Core");
        assert_eq!(
            get_by_name(&store, find(&store, "Workspace.Model"), "PrimaryPart"),
            Value::Instance(core)
        );
        assert_eq!(get_by_name(&store, find(&store, "Workspace.Lost"), "PrimaryPart"), Value::Nil);
    }

    #[test]
    fn libraries_and_unknown_classes_have_a_place() {
        let tree = r#"{"name": "Lib", "tree": {"$path": "lib.luau", "Odd": {"$className": "Gizmo"}}}"#;
        let store = mounted(tree, &[("lib.luau", "return 1")]).unwrap().store;
        assert_eq!(store.class(find(&store, "ReplicatedStorage.Lib")).name(), "ModuleScript");
        assert_eq!(store.class(find(&store, "ReplicatedStorage.Lib.Odd")).name(), "Instance");
    }

    #[test]
    fn wrong_types_are_errors_of_the_project() {
        let tree =
            r#"{"name": "g", "tree": {"$className": "Part", "$properties": {"Anchored": {"Float64": 5}}}}"#;
        let problem = mounted(tree, &[]).unwrap_err().to_string();
        assert!(problem.contains("`g.Anchored`: "), "{problem}");
    }
}
