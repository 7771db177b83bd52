//! Projects that Rojo refuses: so do we, and say where.

use crate::odd::write;
use crate::{command, ours, rojo};

/// Files, the default project first: path and text.
type Files = &'static [(&'static str, &'static str)];

/// What is wrong, the files, and what our error must contain.
const CASES: &[(&str, Files, &[&str])] = &[
    ("broken JSON", &[("default.project.json", "{\n  \"tree\": {\n}")], &["default.project.json:"]),
    (
        "an unknown field",
        &[("default.project.json", "{\n  \"tre\": {}\n}")],
        &["default.project.json:2:3: `tre`", "no such field"],
    ),
    ("no tree", &[("default.project.json", "{\"name\": \"a\"}")], &["default.project.json:1:1: `tree`"]),
    (
        "an unknown field of a node",
        &[("default.project.json", "{\"tree\": {\n\"$clasName\": \"Folder\"}}")],
        &["default.project.json:2:1: `tree.$clasName`"],
    ),
    (
        "a path that leads nowhere",
        &[(
            "default.project.json",
            "{\"tree\": {\"$className\": \"Folder\",\n  \"A\": {\"$path\": \"gone\"}}}",
        )],
        &["default.project.json:2:", "`tree.A.$path`", "`gone` does not exist"],
    ),
    (
        "nothing says what a node is",
        &[("default.project.json", "{\"tree\": {\"$className\": \"Folder\",\n\"A\": {}}}")],
        &["default.project.json:2:", "`tree.A`"],
    ),
    (
        "a class beside a path of another",
        &[
            ("default.project.json", "{\"tree\": {\n\"$className\": \"Model\", \"$path\": \"a.luau\"}}"),
            ("a.luau", "return 1"),
        ],
        &["default.project.json:2:", "`tree.$className`"],
    ),
    (
        "an enum item that is none",
        &[(
            "default.project.json",
            "{\"tree\": {\"$className\": \"Part\",\n\"$properties\": {\"Material\": \"Cheese\"}}}",
        )],
        &["default.project.json:2:", "`tree.$properties.Material`"],
    ),
    (
        "a value of the wrong type",
        &[(
            "default.project.json",
            "{\"tree\": {\"$className\": \"Part\",\n\"$properties\": {\"Size\": \"big\"}}}",
        )],
        &["default.project.json:2:", "`tree.$properties.Size`"],
    ),
    (
        "a broken meta file",
        &[
            ("default.project.json", "{\"tree\": {\"$path\": \"src\"}}"),
            ("src/a.luau", "return 1"),
            ("src/a.meta.json", "{\n  \"properties\": }"),
        ],
        &["src/a.meta.json:2:"],
    ),
    (
        "a broken model",
        &[
            ("default.project.json", "{\"tree\": {\"$path\": \"src\"}}"),
            ("src/a.model.json", "{\n\n\"ClassName\": }"),
        ],
        &["src/a.model.json:3:"],
    ),
    (
        "broken data",
        &[("default.project.json", "{\"tree\": {\"$path\": \"src\"}}"), ("src/a.json", "{\"a\":\n ]}")],
        &["src/a.json:2:"],
    ),
    (
        "broken TOML",
        &[("default.project.json", "{\"tree\": {\"$path\": \"src\"}}"), ("src/a.toml", "a = 1\nb = ]\n")],
        &["src/a.toml:2:"],
    ),
    (
        "a model that is none",
        &[("default.project.json", "{\"tree\": {\"$path\": \"src\"}}"), ("src/a.rbxmx", "<roblox")],
        &["src/a.rbxmx"],
    ),
    (
        "a glob that is none",
        &[(
            "default.project.json",
            "{\"tree\": {\"$className\": \"Folder\"},\n\"globIgnorePaths\": [\"a[\"]}",
        )],
        &["default.project.json:2:", "`globIgnorePaths`"],
    ),
    (
        "a sync rule of no kind",
        &[(
            "default.project.json",
            "{\"tree\": {\"$className\": \"Folder\"},\n\"syncRules\": [{\"pattern\": \"*\", \"use\": \"magic\"}]}",
        )],
        &["default.project.json:2:", "`syncRules.use`"],
    ),
];

#[test]
fn what_rojo_refuses_is_refused_with_its_place() {
    let mut wrong = String::new();
    for (name, files, expected) in CASES {
        let root = tempfile::tempdir().unwrap();
        let game = root.path().join("game");
        write(&game, files);
        if command().is_some() && rojo(&game, root.path()).is_ok() {
            wrong.push_str(&format!("\n{name}: Rojo takes it\n"));
        }
        match ours(&game) {
            Ok(_) => wrong.push_str(&format!("\n{name}: we take it\n")),
            Err(problem) => {
                let problem = problem.replace('\\', "/");
                for part in *expected {
                    if !problem.contains(part) {
                        wrong.push_str(&format!("\n{name}: `{part}` is not in: {problem}\n"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
