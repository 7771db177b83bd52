//! Meta files: `name.meta.json` beside a file, `init.meta.json` inside a folder.

use std::path::Path;

use super::files::{Loader, read_text};
use super::json::Document;
use super::problem::Result;
use super::tree::Node;
use super::values::Values;

/// Applies the meta files beside a file to its node.
pub(super) fn apply_beside(loader: &mut Loader, file: &Path, name: &str, node: &mut Node) -> Result<()> {
    for ending in ["meta.json", "meta.jsonc"] {
        apply(loader, &file.with_file_name(format!("{name}.{ending}")), node, false)?;
    }
    Ok(())
}

/// Applies the meta files inside a folder to its node.
pub(super) fn apply_inside(loader: &mut Loader, folder: &Path, node: &mut Node) -> Result<()> {
    for file in ["init.meta.json", "init.meta.jsonc"] {
        apply(loader, &folder.join(file), node, true)?;
    }
    Ok(())
}

fn apply(loader: &mut Loader, file: &Path, node: &mut Node, of_folder: bool) -> Result<()> {
    if !file.is_file() {
        return Ok(());
    }
    let document = Document::parse(file, read_text(file)?)?;
    let members = document.object(&document.root, "")?;
    // The class decides what the properties mean, wherever it stands.
    for member in members.iter().filter(|member| member.name == "className") {
        let class = document.string(&member.value, "className")?;
        if !of_folder {
            return Err(document
                .problem(member.offset, "className", "only `init.meta.json` can change a class")
                .help("Use a `.model.json` to describe an instance of another class."));
        }
        if node.class != "Folder" {
            return Err(document
                .problem(member.offset, "className", format!("this folder is a `{}` already", node.class))
                .help("A class can be given only to a folder without an init file."));
        }
        node.class = class.to_owned();
    }
    for member in members {
        match member.name.as_str() {
            "properties" => {
                let values = Values { document: &document, field: "properties" };
                values.properties(
                    node,
                    document.object(&member.value, "properties")?,
                    &mut loader.warnings,
                )?;
            }
            "attributes" => {
                let values = Values { document: &document, field: "attributes" };
                values.attributes(node, document.object(&member.value, "attributes")?)?;
            }
            "id" => {
                if node.id.is_some() {
                    return Err(document.problem(
                        member.offset,
                        "id",
                        "the instance has an id from elsewhere already",
                    ));
                }
                node.id = Some(document.string(&member.value, "id")?.into());
            }
            "ignoreUnknownInstances" => {
                document.bool(&member.value, "ignoreUnknownInstances")?;
            }
            "className" | "$schema" => {}
            other => loader.warnings.push(
                *document
                    .problem(member.offset, other, "a meta file has no such field; it is ignored")
                    .help("Fields are className, properties, attributes, id and ignoreUnknownInstances."),
            ),
        }
    }
    Ok(())
}
