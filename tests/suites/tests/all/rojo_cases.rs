//! The projects that Rojo tests itself with, each against the tree Rojo's own test expects of it.
//!
//! `tests/rojo` compares with Rojo itself, on these and on odder projects; that takes minutes to build.

use blinkblox_emulator::project;
use blinkblox_suites::{compare, fetch};

#[test]
fn projects_load_as_rojo_says() {
    let cases = fetch::crate_folder("rojo").join("rojo-test");
    let scratch = fetch::scratch().join("rojo-cases");
    std::fs::create_dir_all(&scratch).unwrap();
    let mut names: Vec<_> = std::fs::read_dir(cases.join("build-tests"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names.len(), 45);
    let mut wrong = String::new();
    for name in names {
        let name = name.to_str().unwrap();
        let snapshot = cases.join(format!("build-test-snapshots/end_to_end__tests__build__{name}.snap"));
        // Two lines `---` end what is not the model itself.
        let text = std::fs::read_to_string(snapshot).unwrap();
        let model = text.splitn(3, "---\n").nth(2).unwrap();
        let file = scratch.join(format!("{name}.rbxmx"));
        std::fs::write(&file, model).unwrap();
        let theirs = compare::text(&compare::from_file(&file));
        let ours = match project::load(&cases.join("build-tests").join(name)) {
            Ok(tree) => compare::text(&tree.root),
            Err(problem) => format!("error: {problem}\n"),
        };
        if let Some(difference) = compare::difference(&ours, &theirs) {
            wrong.push_str(&format!("\n{name}: {difference}\n"));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
