//! `*.model.json`: instances described in JSON.

use std::path::Path;

use super::files::{Loader, read_text};
use super::json::{Document, Json, Kind};
use super::problem::Result;
use super::tree::Node;
use super::values::Values;
use crate::datamodel::classes::class_by_name;

/// The node a file describes, named `name`; `None` for an empty file.
pub(super) fn load(loader: &mut Loader, file: &Path, name: &str) -> Result<Option<Node>> {
    let document = Document::parse(file, read_text(file)?)?;
    if matches!(document.root.kind, Kind::Null) {
        return Ok(None);
    }
    let mut node = node(loader, &document, &document.root, "")?;
    for member in document.object(&document.root, "")? {
        if matches!(member.name.as_str(), "name" | "Name") {
            loader.warnings.push(
                *document
                    .problem(
                        member.offset,
                        &member.name,
                        "the topmost instance is named by its file; this is ignored",
                    )
                    .help("Remove the field, or rename the file."),
            );
        }
    }
    node.name = name.to_owned();
    Ok(Some(node))
}

fn node(loader: &mut Loader, document: &Document, value: &Json, field: &str) -> Result<Node> {
    let members = document.object(value, field)?;
    let below = |name: &str| if field.is_empty() { name.to_owned() } else { format!("{field}.{name}") };
    let mut node = Node { file: Some(document.file.clone()), ..Node::default() };
    let class = members.iter().find(|member| matches!(member.name.as_str(), "className" | "ClassName"));
    let Some(class) = class else {
        return Err(document
            .problem(value.offset, &below("className"), "the class is missing")
            .help("Add `\"className\": \"Folder\"`, or the class it is meant to be."));
    };
    node.class = document.string(&class.value, &below("className"))?.to_owned();
    node.name.clone_from(&node.class);
    if class_by_name(&node.class).is_none() {
        let message = format!(
            "`{}` is no class of the database; the instance will have no members of its own",
            node.class
        );
        loader.warnings.push(*document.problem(class.value.offset, &below("className"), message));
    }
    for member in members {
        let field = below(&member.name);
        match member.name.as_str() {
            "name" | "Name" => node.name = document.string(&member.value, &field)?.to_owned(),
            "properties" | "Properties" => {
                let values = Values { document, field: &field };
                values.properties(
                    &mut node,
                    document.object(&member.value, &field)?,
                    &mut loader.warnings,
                )?;
            }
            "attributes" | "Attributes" => {
                let values = Values { document, field: &field };
                values.attributes(&mut node, document.object(&member.value, &field)?)?;
            }
            "children" | "Children" => {
                for (index, child) in document.array(&member.value, &field)?.iter().enumerate() {
                    node.children.push(self::node(loader, document, child, &format!("{field}[{index}]"))?);
                }
            }
            "id" | "Id" => node.id = Some(document.string(&member.value, &field)?.into()),
            "className" | "ClassName" | "$schema" | "ignoreUnknownInstances" => {}
            _ => loader.warnings.push(
                *document
                    .problem(member.offset, &field, "a model has no such field; it is ignored")
                    .help("Fields are name, className, properties, attributes, children and id."),
            ),
        }
    }
    Ok(node)
}
