//! What the product is built of, without asking anybody: `Cargo.lock`, the root manifest and `deny.toml` agree.
//! `cargo deny check` judges the rest: licences, and advisories, which have to be fetched.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Each package of a lock file: its keys with a text for value.
fn packages(lock: &str) -> Vec<BTreeMap<String, String>> {
    let pair = |line: &str| {
        let (key, value) = line.split_once(" = ")?;
        Some((key.to_owned(), value.trim_matches('"').to_owned()))
    };
    lock.split("[[package]]").skip(1).map(|block| block.lines().filter_map(pair).collect()).collect()
}

#[test]
fn every_crate_is_of_the_registry_and_known_by_its_sum() {
    for lock in ["Cargo.lock", "fuzz/Cargo.lock"] {
        let packages = packages(&read(lock));
        assert!(packages.len() > 200, "{lock} has only {} packages", packages.len());
        for package in packages {
            let name = &package["name"];
            let Some(source) = package.get("source") else {
                let ours = name.starts_with("blinkblox") || name == "tree-sitter-blink";
                assert!(ours, "{lock}: {name} comes from nowhere");
                continue;
            };
            assert_eq!(source, "registry+https://github.com/rust-lang/crates.io-index", "{lock}: {name}");
            assert_eq!(package["checksum"].len(), 64, "{lock}: {name}");
        }
    }
}

#[test]
fn every_dependency_is_named_once_and_pinned() {
    let manifest = read("Cargo.toml");
    let (_, rest) = manifest.split_once("[workspace.dependencies]").unwrap();
    let section = rest.split("\n[").next().unwrap();
    let mut count = 0;
    for line in section.lines().filter(|line| line.contains(" = ") && !line.starts_with('#')) {
        let pinned = line.contains("\"=") || line.contains("{ path = \"");
        assert!(pinned, "not pinned: {line}");
        count += 1;
    }
    assert!(count > 60, "only {count} dependencies were found");
}

#[test]
fn what_is_there_twice_is_there_for_a_reason() {
    let locked: BTreeSet<String> = packages(&read("Cargo.lock"))
        .iter()
        .map(|package| format!("{}@{}", package["name"], package["version"]))
        .collect();
    let deny = read("deny.toml");
    let skipped: Vec<&str> =
        deny.lines().filter_map(|line| line.trim().strip_prefix("{ crate = \"")?.split('"').next()).collect();
    assert!(skipped.len() > 10);
    for one in skipped {
        assert!(locked.contains(one), "{one} is used no longer: delete its line of deny.toml");
        let name = one.split('@').next().unwrap();
        let versions = locked.iter().filter(|other| other.split('@').next() == Some(name)).count();
        assert!(versions > 1, "{one} is there once: delete its line of deny.toml");
    }
}
