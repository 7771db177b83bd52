//! `sourcemap.json`, which other tools write for a project, in place of the project itself.
//!
//! A sourcemap names each instance, its class and its files, but no properties: scripts have their source, data modules
//! are made from their files, everything else is bare.

use std::path::{Path, PathBuf};

use super::files::{Context, Loader, read_text};
use super::json::{Document, Json};
use super::paths;
use super::problem::{Problem, Result};
use super::rules::{FileKind, classify};
use super::scripts::is_script;
use super::tree::Node;

/// The tree of a sourcemap. Paths in it are relative to its folder.
pub(super) fn load(loader: &mut Loader, file: &Path) -> Result<Node> {
    let document = Document::parse(file, read_text(file)?)?;
    let folder = file.parent().unwrap_or(Path::new("")).to_owned();
    node(loader, &document, &document.root, "", &folder)
}

fn node(loader: &mut Loader, document: &Document, value: &Json, field: &str, folder: &Path) -> Result<Node> {
    let below = |name: &str| if field.is_empty() { name.to_owned() } else { format!("{field}.{name}") };
    let mut node = Node::default();
    let mut files = Vec::new();
    for member in document.object(value, field)? {
        let field = below(&member.name);
        match member.name.as_str() {
            "name" => node.name = document.string(&member.value, &field)?.to_owned(),
            "className" => node.class = document.string(&member.value, &field)?.to_owned(),
            "filePaths" => {
                for item in document.array(&member.value, &field)? {
                    // Tools on Windows write them with backslashes, and what they wrote is read elsewhere.
                    let file = document.string(item, &field)?.replace('\\', "/");
                    files.push(paths::clean(&folder.join(file)));
                }
            }
            "children" => {
                for (index, child) in document.array(&member.value, &field)?.iter().enumerate() {
                    node.children.push(self::node(
                        loader,
                        document,
                        child,
                        &format!("{field}[{index}]"),
                        folder,
                    )?);
                }
            }
            // Tools add fields of their own.
            _ => {}
        }
    }
    if node.class.is_empty() {
        return Err(document.problem(value.offset, &below("className"), "the class is missing"));
    }
    if is_script(&node.class) {
        source(loader, &mut node, &files)?;
    }
    node.file = node.file.or_else(|| files.into_iter().next());
    Ok(node)
}

/// Gives a script the source in its files.
fn source(loader: &mut Loader, node: &mut Node, files: &[PathBuf]) -> Result<()> {
    for file in files {
        let name = paths::name_of(file).unwrap_or_default();
        let made = match classify(&[], file, name) {
            Some((FileKind::Script(_), _)) => Some(read_text(file)?.into()),
            Some((FileKind::Json | FileKind::Toml | FileKind::Yaml, _)) => {
                loader.path(&Context::default(), file)?.and_then(|made| made.source)
            }
            _ => None,
        };
        if let Some(made) = made {
            node.source = Some(made);
            node.file = Some(file.clone());
            return Ok(());
        }
    }
    loader.warnings.push(
        *Problem::of_file(
            files.first().map_or(Path::new(&node.name), PathBuf::as_path),
            format!("the sourcemap gives the script `{}` no source file, so it cannot run", node.name),
        )
        .help("A script inside a model file has its source in the project only: use `--project`."),
    );
    Ok(())
}
