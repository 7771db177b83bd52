//! The index of what shows that the emulator keeps its requirements: every test it names exists.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

use std::path::Path;

#[test]
fn every_requirement_names_a_test_that_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let index = std::fs::read_to_string(root.join("tests/emulator.md")).unwrap();
    let rows = index.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| section "));
    let mut sections = std::collections::BTreeSet::new();
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let [section, requirement, file, test] = cells[..] else { panic!("four cells a row: {row}") };
        let file = file.trim_matches('`');
        let text = std::fs::read_to_string(root.join(file)).unwrap_or_default();
        assert!(text.contains(test), "{section} {requirement}: {file} has no `{test}`");
        sections.insert(section.split('.').next().unwrap().to_owned());
    }
    // Sections 1, 18, 19 and 21 of the requirements ask for nothing.
    for section in [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 20] {
        assert!(sections.contains(&section.to_string()), "no row for section {section}");
    }
}
