//! A game's plain remotes: what its scripts send, call and hear, by name. Scripts are read, never run.
//!
//! `script` reads one script, `handler` a function that handles a remote, `hints` knows what annotations and literals say,
//! `drafted` puts what was found together. Source: tooling specification, 8.9.

mod drafted;
mod handler;
mod hints;
mod script;

use std::path::Path;

use blinkblox_compiler::diagnostics::{Code, Diagnostic};
use blinkblox_compiler::source::Sources;
use blinkblox_emulator::project::{self, Node};

use crate::Refusal;
use crate::draft::Draft;
use crate::report::{Kind, Place, Report};
use drafted::Found;

/// Whether a class is one of remotes.
fn is_remote(class: &str) -> bool {
    matches!(class, "RemoteEvent" | "UnreliableRemoteEvent" | "RemoteFunction")
}

/// Reads a project, a place, a folder or a script.
pub(crate) fn read(path: &Path, report: &mut Report) -> Result<Draft, Box<Refusal>> {
    let refuse = |why: String| Refusal::new(Diagnostic::error(Code::ConvertRefused, why), Sources::default());
    let tree = project::load(path).map_err(|problem| refuse(problem.to_string()))?;
    let folder = if path.is_dir() { path } else { path.parent().unwrap_or(path) };
    let root = &folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
    let mut found = Found::default();
    let mut failed = Vec::new();
    let mut scripts = 0;
    tree.root.walk(&mut |node, _| {
        let file = shown(node, root);
        if is_remote(&node.class) {
            found.instance(&node.name, &node.class, Place { file, line: 1 });
        } else if let Some(source) = &node.source {
            scripts += 1;
            match script::read(source) {
                Ok(script) => found.script(&file, script),
                Err(why) => failed.push((file, why)),
            }
        }
    });
    for (file, why) in failed {
        let message = format!("this script could not be read, so what it sends is not here: {why}");
        report.add(Kind::Loss, file.clone(), Some(Place { file, line: 1 }), message);
    }
    let draft = found.draft(report);
    if draft.items.is_empty() {
        return Err(refuse(format!(
            "no remote is made or used in \"{}\" ({} read)",
            path.display(),
            match scripts {
                1 => "1 script was".to_string(),
                scripts => format!("{scripts} scripts were"),
            }
        )));
    }
    Ok(draft)
}

/// The file of a node as people know it: below what was given.
fn shown(node: &Node, root: &Path) -> String {
    let Some(file) = &node.file else { return node.name.clone() };
    let whole = file.canonicalize().unwrap_or_else(|_| file.clone());
    let inside = whole.strip_prefix(root).unwrap_or(file);
    let shown = inside.to_string_lossy().replace('\\', "/");
    if shown.is_empty() { node.name.clone() } else { shown }
}
