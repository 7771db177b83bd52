//! What the converters run definitions of other tools against passes the type checker in strict mode, and so do the
//! wrappers they write.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

use std::path::Path;

use blinkblox_typecheck::assert_checks;

#[test]
fn stand_ins_of_other_tools_pass() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../convert/src/sandbox");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|suffix| suffix == "luau"));
    paths.sort();
    assert_eq!(paths.len(), 5, "{paths:?}");
    for path in &paths {
        let text = std::fs::read_to_string(path).unwrap();
        assert!(text.starts_with("--!strict\n"), "{} is not strict", path.display());
        assert_checks(&path.display().to_string(), &text);
    }
}

/// The wrappers that `convert --bridge` writes into a game, as they are and behind the calls of the guides.
#[test]
fn wrappers_of_other_tools_pass() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../convert/bridges");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert_eq!(paths.len(), 6, "{paths:?}");
    for path in &paths {
        let text = std::fs::read_to_string(path).unwrap();
        assert!(text.starts_with("--!strict\n"), "{} is not strict", path.display());
        assert_checks(&path.display().to_string(), &text);
    }
}
