//! `ARCHITECTURE.md` speaks of what is there: every crate has its row, and every file and folder it names exists.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Folders that paths in the text are relative to, nearest first: each part of it speaks of one crate.
const BASES: [&str; 7] = ["", "compiler/src", "compiler", "emulator/src", "cli/src", "convert/src", "tests"];

/// `a/{b,c}` is `a/b` and `a/c`.
fn spelled_out(path: &str) -> Vec<String> {
    let Some((before, rest)) = path.split_once('{') else { return vec![path.to_owned()] };
    let (choices, behind) = rest.split_once('}').unwrap_or_else(|| panic!("{path} has no end"));
    choices.split(',').flat_map(|choice| spelled_out(&format!("{before}{choice}{behind}"))).collect()
}

/// Whether a path, as written without the ending of a module, is there.
fn exists(path: &str) -> bool {
    let found = |base: &&str| {
        let at = root().join(base).join(path.trim_end_matches('/'));
        at.exists() || at.with_extension("rs").exists()
    };
    BASES.iter().any(found)
}

/// Whether a word in code is a path: it has folders and nothing that no path here has. `NAME` stands for one to come.
fn is_path(word: &str) -> bool {
    let plain = |char: char| char.is_ascii_alphanumeric() || "/._-{},*".contains(char);
    word.contains('/') && word.chars().all(plain) && !word.contains("NAME")
}

#[test]
fn every_file_and_folder_it_names_exists() {
    let text = read("ARCHITECTURE.md");
    let mut seen = 0;
    for (number, line) in text.lines().enumerate() {
        for word in line.split('`').skip(1).step_by(2).filter(|word| is_path(word)) {
            for path in spelled_out(word) {
                seen += 1;
                // A family of files is there when its folder is, and some file of it.
                let is_there = match path.split_once('*') {
                    None => exists(&path),
                    Some((before, behind)) => {
                        let (folder, stem) = before.rsplit_once('/').unwrap_or(("", before));
                        BASES.iter().any(|base| {
                            let entries = std::fs::read_dir(root().join(base).join(folder));
                            entries.is_ok_and(|mut entries| {
                                entries.any(|entry| {
                                    entry.is_ok_and(|entry| {
                                        let name = entry.file_name();
                                        let name = name.to_string_lossy();
                                        // A path is written without the ending of a module.
                                        let rest = name.strip_prefix(stem);
                                        let bare = rest.and_then(|rest| rest.strip_suffix(".rs"));
                                        rest.into_iter().chain(bare).any(|rest| rest.ends_with(behind))
                                    })
                                })
                            })
                        })
                    }
                };
                assert!(is_there, "ARCHITECTURE.md:{}: there is no {path}", number + 1);
            }
        }
    }
    assert!(seen > 60, "only {seen} paths were found");
}

/// `FILE::NAME` is a function or a type of that file.
#[test]
fn every_function_and_type_it_names_is_in_its_file() {
    let text = read("ARCHITECTURE.md");
    let mut seen = 0;
    for (number, line) in text.lines().enumerate() {
        let words = line.split('`').skip(1).step_by(2);
        for (path, name) in
            words.filter_map(|word| word.split_once("::")).filter(|(path, _)| path.contains('.'))
        {
            let file = BASES.iter().map(|base| root().join(base).join(path)).find(|file| file.is_file());
            let file = file.unwrap_or_else(|| panic!("ARCHITECTURE.md:{}: there is no {path}", number + 1));
            let source = std::fs::read_to_string(file).unwrap();
            let words: Vec<&str> = source
                .split(|char: char| !(char.is_alphanumeric() || char == '_'))
                .filter(|one| !one.is_empty())
                .collect();
            let declares = |pair: &[&str]| {
                ["fn", "struct", "enum", "trait", "function"].contains(&pair[0]) && pair[1] == name
            };
            assert!(words.windows(2).any(declares), "ARCHITECTURE.md:{}: {path} has no {name}", number + 1);
            seen += 1;
        }
    }
    assert!(seen > 15, "only {seen} were found");
}

#[test]
fn every_crate_has_its_row() {
    let text = read("ARCHITECTURE.md");
    let rows: BTreeSet<(String, String)> = text
        .lines()
        .filter_map(|line| {
            let mut cells = line.strip_prefix("| `")?.split(" | ");
            let folder = cells.next()?.trim_matches('`').trim_end_matches('/').to_owned();
            Some((folder, cells.next()?.trim_matches('`').to_owned()))
        })
        .collect();
    let manifest = read("Cargo.toml");
    let (members, _) = manifest.split_once("members = [").unwrap().1.split_once(']').unwrap();
    let members: Vec<&str> = members.split('"').skip(1).step_by(2).collect();
    assert!(members.len() > 8);
    for member in members {
        let package = read(&format!("{member}/Cargo.toml"));
        let name = package.lines().find_map(|line| line.strip_prefix("name = ")).unwrap().trim_matches('"');
        let row = (member.to_owned(), name.to_owned());
        assert!(rows.contains(&row), "ARCHITECTURE.md has no row for {member} with the crate {name}");
    }
}

/// Dependencies point one way, as it says.
#[test]
fn dependencies_point_one_way() {
    let order = ["luau-runtime", "compiler", "emulator", "convert", "cli"];
    for (place, folder) in order.iter().enumerate() {
        let manifest = read(&format!("{folder}/Cargo.toml"));
        let (_, rest) = manifest.split_once("[dependencies]").unwrap_or(("", ""));
        let section = rest.split("\n[").next().unwrap();
        for later in &order[place..] {
            let line = format!("blinkblox-{later}.workspace");
            assert!(!section.contains(&line), "{folder} depends on {later}");
        }
    }
}
