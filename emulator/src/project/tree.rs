//! What loading gives: plain nodes, free of any VM or world.

use std::path::PathBuf;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::problem::Problem;
use crate::datamodel::classes::EnumId;
use crate::datatypes::{Datatype, Vector3};

/// A loaded project, place, model or folder.
#[derive(Debug, Clone)]
pub struct ProjectTree {
    /// The topmost node: a `DataModel` for a place, anything else for a library.
    pub root: Node,
    /// `placeId` of the project.
    pub place_id: Option<u64>,
    /// `gameId` of the project.
    pub game_id: Option<u64>,
    /// What is doubtful but loads.
    pub warnings: Vec<Problem>,
}

/// An instance to be: everything a file says about it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Node {
    /// `Name`.
    pub name: String,
    /// `ClassName`; may be one the class database lacks.
    pub class: String,
    /// Properties by name, in alphabetical order, without those of attributes, tags and source.
    pub properties: Vec<(String, PropertyValue)>,
    /// Attributes by name, in alphabetical order.
    pub attributes: Vec<(String, PropertyValue)>,
    /// Tags, in the order given.
    pub tags: Vec<String>,
    /// Children in order.
    pub children: Vec<Node>,
    /// Source text of a script, lines ended by LF.
    pub source: Option<Arc<str>>,
    /// The file or folder it was made from; for what a project file describes itself, that file.
    pub file: Option<PathBuf>,
    /// What references to this node in the same tree use.
    pub id: Option<Arc<str>>,
}

/// The value of a property or an attribute.
#[derive(Debug, Clone, PartialEq)]
pub enum PropertyValue {
    /// No value.
    Nil,
    /// `true` or `false`.
    Bool(bool),
    /// A number of any type.
    Number(f64),
    /// Text or bytes.
    String(Arc<[u8]>),
    /// The item of an enum by its value.
    EnumItem(EnumId, u32),
    /// A `Vector3`.
    Vector3(Vector3),
    /// Any other datatype.
    Datatype(Datatype),
    /// The node of the tree whose `id` this is.
    Reference(Arc<str>),
}

impl PropertyValue {
    /// A string value.
    pub fn string(text: impl AsRef<[u8]>) -> Self {
        Self::String(text.as_ref().into())
    }
}

impl<T: crate::datatypes::Data> From<T> for PropertyValue {
    fn from(value: T) -> Self {
        Self::Datatype(value.into_datatype())
    }
}

impl Node {
    /// A node without properties or children.
    pub fn new(class: &str, name: &str) -> Self {
        Self { name: name.to_owned(), class: class.to_owned(), ..Self::default() }
    }

    /// The child of that name, the first if there are several.
    pub fn child(&self, name: &str) -> Option<&Node> {
        self.children.iter().find(|child| child.name == name)
    }

    /// The value of a property.
    pub fn property(&self, name: &str) -> Option<&PropertyValue> {
        self.properties
            .binary_search_by(|(key, _)| key.as_str().cmp(name))
            .ok()
            .map(|at| &self.properties[at].1)
    }

    /// The value of an attribute.
    pub fn attribute(&self, name: &str) -> Option<&PropertyValue> {
        self.attributes
            .binary_search_by(|(key, _)| key.as_str().cmp(name))
            .ok()
            .map(|at| &self.attributes[at].1)
    }

    /// Sets a property, replacing an earlier value.
    pub fn set_property(&mut self, name: &str, value: PropertyValue) {
        set(&mut self.properties, name, value);
    }

    /// Sets an attribute, replacing an earlier value.
    pub fn set_attribute(&mut self, name: &str, value: PropertyValue) {
        set(&mut self.attributes, name, value);
    }

    /// Calls `visit` with every node below and including this one and its path of names, parents first.
    pub fn walk<'a>(&'a self, visit: &mut impl FnMut(&'a Node, &[&'a str])) {
        fn go<'a>(node: &'a Node, path: &mut Vec<&'a str>, visit: &mut impl FnMut(&'a Node, &[&'a str])) {
            path.push(&node.name);
            visit(node, path);
            for child in &node.children {
                go(child, path, visit);
            }
            path.pop();
        }
        go(self, &mut Vec::new(), visit);
    }
}

impl ProjectTree {
    /// A tree without warnings.
    pub fn of(root: Node) -> Self {
        Self { root, place_id: None, game_id: None, warnings: Vec::new() }
    }

    /// Whether the root is a whole place.
    pub fn is_place(&self) -> bool {
        self.root.class == "DataModel"
    }

    /// The tree as a place: a library's root becomes the child of the service or folder path `mount`, by default
    /// `ReplicatedStorage`, as in `ReplicatedStorage.Packages`.
    pub fn into_place(mut self, mount: Option<&str>) -> Self {
        if self.is_place() {
            return self;
        }
        let mut node = self.root;
        let path: Vec<&str> =
            mount.unwrap_or("ReplicatedStorage").split('.').filter(|part| *part != "game").collect();
        for (depth, name) in path.iter().enumerate().rev() {
            // Below a service only folders can be meant.
            let mut parent = Node::new(if depth == 0 { name } else { "Folder" }, name);
            parent.children.push(node);
            node = parent;
        }
        let mut root = Node::new("DataModel", "Game");
        root.children.push(node);
        self.root = root;
        self
    }

    /// Lays `over` on this tree, as serving a project over a place does: nodes of equal name and class merge, `over`
    /// winning, the rest is added.
    pub fn overlay(mut self, over: ProjectTree) -> Self {
        overlay(&mut self.root, over.root);
        self.place_id = over.place_id.or(self.place_id);
        self.game_id = over.game_id.or(self.game_id);
        self.warnings.extend(over.warnings);
        self
    }

    /// The names from below the root down to the script made from a file.
    pub fn script_of(&self, file: &std::path::Path) -> Option<Vec<String>> {
        self.script_files().remove(&super::paths::identity(file))
    }

    /// The path of names below the root of each script, by the file it was made from. Where several were made from one
    /// file, the first counts.
    pub(super) fn script_files(&self) -> FxHashMap<PathBuf, Vec<String>> {
        let mut files = FxHashMap::default();
        self.root.walk(&mut |node, path| {
            if let (Some(_), Some(file)) = (&node.source, &node.file) {
                let names = || path[1..].iter().map(|name| (*name).to_owned()).collect();
                files.entry(super::paths::identity(file)).or_insert_with(names);
            }
        });
        files
    }
}

fn set(list: &mut Vec<(String, PropertyValue)>, name: &str, value: PropertyValue) {
    match list.binary_search_by(|(key, _)| key.as_str().cmp(name)) {
        Ok(at) => list[at].1 = value,
        Err(at) => list.insert(at, (name.to_owned(), value)),
    }
}

fn overlay(base: &mut Node, over: Node) {
    for (name, value) in over.properties {
        set(&mut base.properties, &name, value);
    }
    for (name, value) in over.attributes {
        set(&mut base.attributes, &name, value);
    }
    for tag in over.tags {
        if !base.tags.contains(&tag) {
            base.tags.push(tag);
        }
    }
    base.source = over.source.or(base.source.take());
    base.file = over.file.or(base.file.take());
    base.id = over.id.or(base.id.take());
    let mut taken = vec![false; base.children.len()];
    for child in over.children {
        let twin = (0..taken.len()).find(|at| {
            !taken[*at] && base.children[*at].name == child.name && base.children[*at].class == child.class
        });
        match twin {
            Some(at) => {
                taken[at] = true;
                overlay(&mut base.children[at], child);
            }
            None => base.children.push(child),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_is_mounted_in_a_place() {
        let tree = ProjectTree::of(Node::new("ModuleScript", "Net")).into_place(None);
        assert_eq!(tree.root.class, "DataModel");
        assert_eq!(
            tree.root.child("ReplicatedStorage").and_then(|storage| storage.child("Net")).unwrap().class,
            "ModuleScript"
        );
        let tree = ProjectTree::of(Node::new("Folder", "Net")).into_place(Some("game.ServerStorage.Libs"));
        let libs = tree.root.child("ServerStorage").unwrap().child("Libs").unwrap();
        assert_eq!((libs.class.as_str(), libs.children[0].name.as_str()), ("Folder", "Net"));
    }

    #[test]
    fn overlaying_merges_twins_and_adds_the_rest() {
        let mut base = Node::new("DataModel", "Game");
        let mut storage = Node::new("ReplicatedStorage", "ReplicatedStorage");
        storage.children.push(Node::new("Folder", "Old"));
        storage.set_property("Archivable", PropertyValue::Bool(true));
        base.children.push(storage);
        let mut over = Node::new("DataModel", "Project");
        let mut storage = Node::new("ReplicatedStorage", "ReplicatedStorage");
        storage.children.push(Node::new("Folder", "New"));
        storage.set_property("Archivable", PropertyValue::Bool(false));
        over.children.push(storage);
        let merged = ProjectTree::of(base).overlay(ProjectTree::of(over)).root;
        assert_eq!(merged.children.len(), 1);
        let names: Vec<_> = merged.children[0].children.iter().map(|child| child.name.as_str()).collect();
        assert_eq!(names, ["Old", "New"]);
        assert_eq!(merged.children[0].property("Archivable"), Some(&PropertyValue::Bool(false)));
    }

    #[test]
    fn walking_goes_parents_first() {
        let mut root = Node::new("Folder", "A");
        root.children.push(Node::new("Folder", "B"));
        root.children.push(Node::new("Folder", "C"));
        let mut paths = Vec::new();
        root.walk(&mut |_, path| paths.push(path.join(".")));
        assert_eq!(paths, ["A", "A.B", "A.C"]);
    }
}
