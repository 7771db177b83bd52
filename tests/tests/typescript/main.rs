//! Emitted declarations: the TypeScript compiler takes them, with roblox-ts's types, and code that uses them as meant;
//! it refuses code that does not; roblox-ts makes a game of it that plays, and of the example; and the members are those of
//! the modules.
//!
//! `npm` installs what `tests/typescript/package-lock.json` names, once for each content of that file. Where there is no
//! Node.js the compiler's part says so and passes.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

mod compiler;
mod example;
mod mirror;

use std::path::{Path, PathBuf};

use blinkblox_compiler::schema::Profile;
use blinkblox_compiler::source::MemoryLoader;
use blinkblox_compiler::{Outputs, compile};

/// A folder of this crate.
fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// A schema of the tests: a name made of letters, digits and hyphens, and its files, the entry first.
struct Case {
    name: String,
    files: Vec<(String, String)>,
}

/// Every schema of the tests that compiles, with declarations asked for.
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (kind, folder) in [
        ("golden", folder("golden")),
        ("corpus", folder("corpus/ok")),
        ("check", folder("typecheck/schemas")),
    ] {
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        for path in paths {
            let is_case = path.is_dir() || path.extension().is_some_and(|extension| extension == "blink");
            if !is_case {
                continue;
            }
            let schema = if path.is_dir() { path.join("schema.blink") } else { path.clone() };
            let Ok(text) = std::fs::read_to_string(schema) else { continue };
            let stem = path.file_stem().unwrap().to_string_lossy().replace('_', "-");
            cases.push(Case { name: format!("{kind}-{stem}"), files: files(&text) });
        }
    }
    assert!(cases.len() > 60, "only {} schemas", cases.len());
    cases
}

/// The files of a case of the corpus: a line `---- name` starts another.
fn files(text: &str) -> Vec<(String, String)> {
    let mut files = vec![("main.blink".to_owned(), "option Typescript = true\n".to_owned())];
    for line in text.lines().filter(|line| !line.starts_with("option Typescript")) {
        match line.strip_prefix("---- ") {
            Some(name) => files.push((name.trim().to_owned(), String::new())),
            None => {
                let (_, text) = files.last_mut().unwrap();
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    files
}

impl Case {
    fn compile(&self) -> Outputs {
        let loader = self
            .files
            .iter()
            .fold(MemoryLoader::new(), |loader, (name, text)| loader.with(name, text.as_str()));
        let compilation = compile(&loader, "main.blink", Profile::Release);
        assert!(compilation.outputs.is_some(), "{}: {:#?}", self.name, compilation.analysis.diagnostics);
        compilation.outputs.unwrap()
    }
}
