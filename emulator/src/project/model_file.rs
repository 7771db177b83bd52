//! Model and place files, `.rbxm .rbxmx .rbxl .rbxlx`, through the crates that read Roblox's formats.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use rbx_dom_weak::WeakDom;
use rbx_types::{Ref, Variant};
use rustc_hash::FxHashMap;

use super::files::{Loader, normalise_lines};
use super::foreign::{self, MOST_DEPTH};
use super::problem::{Problem, Result};
use super::rules::ModelFormat;
use super::scripts::is_script;
use super::tree::{Node, PropertyValue};
use super::variant;
use crate::datamodel::classes::class_by_name;

/// The one topmost instance of a model file, named `name`.
pub(super) fn load_model(loader: &mut Loader, file: &Path, name: &str, format: ModelFormat) -> Result<Node> {
    let mut roots = load(loader, file, format)?;
    match (roots.pop(), roots.is_empty()) {
        (Some(mut root), true) => {
            root.name = name.to_owned();
            Ok(root)
        }
        (first, _) => {
            let count = roots.len() + usize::from(first.is_some());
            Err(Problem::of_file(
                file,
                format!("the model has {count} topmost instances, and a file is one instance"),
            )
            .help("Put them in a folder or model and save that."))
        }
    }
}

/// All topmost instances of a model or place file.
pub(super) fn load(loader: &mut Loader, file: &Path, format: ModelFormat) -> Result<Vec<Node>> {
    let bytes = std::fs::read(file).map_err(|error| Problem::unreadable(file, &error))?;
    let broken = |error: &dyn std::fmt::Display, kind: &str| {
        Problem::of_file(file, format!("cannot be read as {kind} of Roblox: {error}"))
            .help("Save it again from Studio; `.rbxm` and `.rbxl` are binary, `.rbxmx` and `.rbxlx` are XML.")
    };
    let dom = match format {
        ModelFormat::Binary => foreign::binary(&bytes).map_err(|error| broken(&error, "a binary file"))?,
        ModelFormat::Xml => foreign::xml(&bytes).map_err(|error| broken(&error, "an XML file"))?,
    };
    loader.models += 1;
    let ids = referenced(&dom, loader.models);
    let mut reader = Reader { loader, file, dom: &dom, ids, unknown: BTreeSet::new() };
    let roots =
        dom.root().children().iter().map(|child| reader.node(*child, 0)).collect::<Result<Vec<_>>>()?;
    let unknown = std::mem::take(&mut reader.unknown);
    if !unknown.is_empty() {
        let names: Vec<_> = unknown.into_iter().collect();
        loader.warnings.push(*Problem::of_file(
            file,
            format!(
                "classes that the database lacks load without members of their own: {}",
                names.join(", ")
            ),
        ));
    }
    Ok(roots)
}

/// An id for each instance that another one refers to, by its place in the file.
fn referenced(dom: &WeakDom, model: usize) -> FxHashMap<Ref, Arc<str>> {
    let mut targets = rustc_hash::FxHashSet::default();
    for instance in dom.descendants() {
        for value in instance.properties.values() {
            if let Variant::Ref(target) = value {
                targets.insert(*target);
            }
        }
    }
    let mut ids = FxHashMap::default();
    for (index, instance) in dom.descendants().enumerate() {
        if targets.contains(&instance.referent()) {
            ids.insert(instance.referent(), format!("model {model}, instance {index}").into());
        }
    }
    ids
}

struct Reader<'a> {
    loader: &'a mut Loader,
    file: &'a Path,
    dom: &'a WeakDom,
    ids: FxHashMap<Ref, Arc<str>>,
    unknown: BTreeSet<String>,
}

impl Reader<'_> {
    fn node(&mut self, referent: Ref, depth: usize) -> Result<Node> {
        let Some(instance) = self.dom.get_by_ref(referent) else {
            return Err(Problem::of_file(self.file, "names a child that it does not hold"));
        };
        if depth > MOST_DEPTH {
            return Err(Problem::of_file(
                self.file,
                format!("instances are nested more than {MOST_DEPTH} deep"),
            ));
        }
        let mut node = Node::new(&instance.class, &instance.name);
        node.file = Some(self.file.to_owned());
        node.id = self.ids.get(&referent).cloned();
        let class = class_by_name(&node.class);
        if class.is_none() {
            self.unknown.insert(node.class.clone());
        }
        for (name, value) in &instance.properties {
            match (name.as_str(), value) {
                ("Source", Variant::String(source)) if is_script(&node.class) => {
                    node.source = Some(normalise_lines(source).into());
                }
                ("Tags", Variant::Tags(tags)) => node.tags = tags.iter().map(str::to_owned).collect(),
                ("Attributes", Variant::Attributes(attributes)) => {
                    for (name, value) in attributes.iter() {
                        if let Some(value) = variant::convert(value, None) {
                            node.set_attribute(name, value);
                        }
                    }
                }
                (_, Variant::Ref(target)) => {
                    let value = match self.ids.get(target) {
                        Some(id) if target.is_some() => PropertyValue::Reference(id.clone()),
                        _ => PropertyValue::Nil,
                    };
                    node.set_property(name, value);
                }
                (name, value) => {
                    let data_type =
                        class.and_then(|class| class.property(name)).map(|id| id.info().data_type);
                    if let Some(value) = variant::convert(value, data_type) {
                        node.set_property(name, value);
                    }
                }
            }
        }
        if is_script(&node.class) && node.source.is_none() {
            self.loader.warnings.push(
                *Problem::of_file(
                    self.file,
                    format!("the script `{}` has no source, so it cannot run", node.name),
                )
                .help("Save the file from Studio with the script's source in it."),
            );
        }
        for child in instance.children() {
            let child = self.node(*child, depth + 1)?;
            node.children.push(child);
        }
        Ok(node)
    }
}
