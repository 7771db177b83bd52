//! Emitted modules as plain files, one folder a case: what a change does to them is read in its diff.
//!
//! `BLINKBLOX_UPDATE=1 cargo test -p blinkblox-compiler --test golden` writes them anew.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

use std::fs;
use std::path::{Path, PathBuf};

use blinkblox_compiler::schema::Profile;
use blinkblox_compiler::source::MemoryLoader;
use blinkblox_compiler::{Outputs, compile};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden")
}

fn cases() -> Vec<PathBuf> {
    let mut cases: Vec<PathBuf> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("schema.blink").is_file())
        .collect();
    cases.sort();
    cases
}

fn outputs(case: &Path) -> Outputs {
    let text = fs::read_to_string(case.join("schema.blink")).unwrap();
    let loader = MemoryLoader::new().with("schema.blink", text);
    let compiled = compile(&loader, "schema.blink", Profile::Release);
    assert!(!compiled.analysis.has_errors(), "{}: {:#?}", case.display(), compiled.analysis.diagnostics);
    compiled.outputs.unwrap()
}

fn files(outputs: &Outputs) -> Vec<(&'static str, &str)> {
    let mut files = vec![("Server.luau", outputs.server.as_str()), ("Client.luau", outputs.client.as_str())];
    files.extend(outputs.types.as_deref().map(|types| ("Types.luau", types)));
    if let Some(declarations) = &outputs.declarations {
        files.push(("Server.d.ts", declarations.server.as_str()));
        files.push(("Client.d.ts", declarations.client.as_str()));
        files.extend(declarations.types.as_deref().map(|types| ("Types.d.ts", types)));
    }
    files
}

#[test]
fn modules_are_those_on_disk() {
    let update = std::env::var_os("BLINKBLOX_UPDATE").is_some();
    let mut differing = Vec::new();
    for case in cases() {
        for (file, text) in files(&outputs(&case)) {
            let path = case.join(file);
            if update {
                fs::write(&path, text).unwrap();
            } else if fs::read_to_string(&path).ok().as_deref() != Some(text) {
                differing.push(path.display().to_string());
            }
        }
    }
    assert!(differing.is_empty(), "differ; set BLINKBLOX_UPDATE to accept:\n{}", differing.join("\n"));
}

#[test]
fn modules_parse() {
    for case in cases() {
        let outputs = outputs(&case);
        for (file, text) in files(&outputs).into_iter().filter(|(file, _)| file.ends_with(".luau")) {
            if let Err(errors) = full_moon::parse(text) {
                panic!("{}/{file}: {errors:?}", case.display());
            }
        }
    }
}

#[test]
fn compiling_twice_gives_the_same_bytes() {
    for case in cases() {
        assert_eq!(outputs(&case), outputs(&case), "{}", case.display());
    }
}
