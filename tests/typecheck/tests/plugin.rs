//! The Studio plugin's sources pass the type checker in strict mode.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

use std::path::{Path, PathBuf};

use blinkblox_typecheck::errors_knowing;

/// What Studio gives a plugin beside what games have.
const STUDIO: &str = "declare plugin: any\n\
    declare DockWidgetPluginGuiInfo: any\n\
    declare function settings(): any\n";

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            sources(&path, found);
        } else if !name.ends_with(".spec.luau") {
            found.push(path);
        }
    }
}

/// Replaces whole words.
fn replace_word(text: &str, word: &str, with: &str) -> String {
    let is_part = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let mut out = String::new();
    let mut rest = 0;
    for (at, _) in text.match_indices(word) {
        let before = at.checked_sub(1).and_then(|at| text.as_bytes().get(at));
        if !is_part(before) && before != Some(&b'.') && !is_part(text.as_bytes().get(at + word.len())) {
            out += &text[rest..at];
            out += with;
            rest = at + word.len();
        }
    }
    out + &text[rest..]
}

/// The types that modules share, each with a prefix: the checker sees one file at a time, so they are put into each.
fn shared(types: &str) -> (String, Vec<String>) {
    let names: Vec<String> = types
        .lines()
        .filter_map(|line| line.strip_prefix("export type "))
        .map(|rest| rest.split([' ', '=']).next().unwrap().to_string())
        .collect();
    let mut text = types.replace("--!strict\n", "").replace("export type ", "type ").replace("return {}", "");
    for name in &names {
        text = replace_word(&text, name, &format!("Types_{name}"));
    }
    (text, names)
}

#[test]
fn sources_of_the_plugin_pass() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../plugins/studio/src");
    let (types, names) = shared(&std::fs::read_to_string(folder.join("Types.luau")).unwrap());
    assert!(names.len() >= 10, "{names:?}");
    let mut paths = Vec::new();
    sources(&folder, &mut paths);
    paths.sort();
    assert!(paths.len() >= 25);
    let mut failed = String::new();
    for path in paths {
        let shown = path.strip_prefix(&folder).unwrap().display().to_string();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.starts_with("--!strict\n"), "{shown} is not strict");
        let mut source = text.clone();
        if shown != "Types.luau" && text.contains("local Types = require(") {
            for name in &names {
                source = replace_word(&source, &format!("Types.{name}"), &format!("Types_{name}"));
            }
            let require =
                source.lines().find(|line| line.starts_with("local Types = require(")).unwrap().to_string();
            // On one line, so that errors keep their lines.
            let inlined: Vec<&str> =
                types.lines().filter(|line| !line.trim_start().starts_with("--")).collect();
            source = source.replacen(&require, &inlined.join(" "), 1);
        }
        for error in errors_knowing(STUDIO, &source) {
            let line = error.split(':').next().and_then(|line| line.parse::<usize>().ok()).unwrap_or(1);
            failed +=
                &format!("{shown}:{error}\n    {}\n", text.lines().nth(line - 1).unwrap_or_default().trim());
        }
    }
    assert!(failed.is_empty(), "{failed}");
}
