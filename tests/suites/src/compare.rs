//! Trees as text, to be compared: ours and what Rojo made of the same project.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use blinkblox_emulator::datatypes::{Content, Datatype};
use blinkblox_emulator::project::{self, Node, PropertyValue};

/// A tree with a line an instance and a value, in order; references by the path of what they lead to.
pub fn text(root: &Node) -> String {
    let mut paths = BTreeMap::new();
    name_targets(root, "", &mut paths);
    let mut out = String::new();
    write_node(root, 0, &paths, &mut out);
    out
}

/// The tree of a place or model file, its topmost instances below a node of their own.
///
/// A model's one topmost instance keeps its name, which as a file of a project it would not.
pub fn from_file(file: &Path) -> Node {
    let tree = project::load_place(file).unwrap_or_else(|problem| panic!("{problem}"));
    let mut roots = tree.root.children;
    assert_eq!(roots.len(), 1, "{}", file.display());
    roots.remove(0)
}

/// The first lines that differ, or nothing.
pub fn difference(ours: &str, theirs: &str) -> Option<String> {
    let (mut ours, mut theirs) = (ours.lines(), theirs.lines());
    let mut line = 0;
    loop {
        line += 1;
        match (ours.next(), theirs.next()) {
            (None, None) => return None,
            (a, b) if a == b => {}
            (a, b) => {
                return Some(format!(
                    "line {line}\n  ours:  {}\n  rojo:  {}",
                    a.unwrap_or("(nothing)"),
                    b.unwrap_or("(nothing)")
                ));
            }
        }
    }
}

fn name_targets(node: &Node, path: &str, paths: &mut BTreeMap<String, String>) {
    let path = format!("{path}/{}", node.name);
    if let Some(id) = &node.id {
        paths.insert(id.to_string(), path.clone());
    }
    for (index, child) in node.children.iter().enumerate() {
        name_targets(child, &format!("{path}#{index}"), paths);
    }
}

/// A table's source with its lines in alphabetical order; any other as it is.
///
/// Keys of a table made of JSON stand in no order that means anything: Rojo's own depends on what else it is built with.
fn unordered(source: &str) -> String {
    if !source.starts_with("return {\n") {
        return source.to_string();
    }
    let mut lines: Vec<&str> = source.lines().collect();
    lines.sort_unstable();
    lines.join("\n")
}

fn write_node(node: &Node, depth: usize, paths: &BTreeMap<String, String>, out: &mut String) {
    let indent = "  ".repeat(depth);
    let _ = writeln!(out, "{indent}{} {:?}", node.class, node.name);
    if let Some(source) = &node.source {
        let _ = writeln!(out, "{indent}  = source {:?}", unordered(source));
    }
    for (kind, values) in [("", &node.properties), ("@", &node.attributes)] {
        for (name, value) in values {
            let shown = match value {
                // Nothing there, and nothing said, are the same.
                PropertyValue::Nil => continue,
                // What Rojo tells Studio about models it made; no script can see it.
                _ if name == "NeedsPivotMigration" => continue,
                PropertyValue::Reference(id) => match paths.get(&**id) {
                    Some(path) => format!("-> {path}"),
                    None => continue,
                },
                // Model files keep the colour of a part in bytes.
                PropertyValue::Datatype(Datatype::Color3(color)) if name == "Color" => {
                    format!("{:?}", [color.r, color.g, color.b].map(|part| (part * 255.0).round() as u8))
                }
                // Model files write the addresses of a mesh under their newer names.
                PropertyValue::String(bytes) if name == "MeshId" || name == "TextureID" => {
                    let name = if name == "MeshId" { "MeshContent" } else { "TextureContent" };
                    let content = Content::from_uri(&String::from_utf8_lossy(bytes)).map(Datatype::from);
                    let content = content.map(PropertyValue::Datatype).unwrap();
                    let _ = writeln!(out, "{indent}  = {kind}{name} {content:?}");
                    continue;
                }
                PropertyValue::String(bytes) => format!("{:?}", String::from_utf8_lossy(bytes)),
                value => format!("{value:?}"),
            };
            let _ = writeln!(out, "{indent}  = {kind}{name} {shown}");
        }
    }
    for tag in &node.tags {
        let _ = writeln!(out, "{indent}  # {tag}");
    }
    for child in &node.children {
        write_node(child, depth + 1, paths, out);
    }
}
