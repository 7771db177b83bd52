//! Odd projects: one folder each, a file a line of the case.

use std::path::Path;

use crate::{command, difference};

/// Writes files below a folder.
pub fn write(root: &Path, files: &[(&str, &str)]) {
    for (file, text) in files {
        let path = root.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

/// The files load alike under a project of that tree.
fn check(name: &str, project: &str, files: &[(&str, &str)], wrong: &mut String) {
    let root = tempfile::tempdir().unwrap();
    // A project without a name takes that of its folder.
    let folder = root.path().join(name);
    std::fs::create_dir_all(&folder).unwrap();
    write(&folder, files);
    write(&folder, &[("default.project.json", project)]);
    if let Some(difference) = difference(&folder) {
        wrong.push_str(&format!("\n{name}: {difference}\n"));
    }
}

#[test]
fn odd_projects_load_alike() {
    if command().is_none() {
        return;
    }
    let mut wrong = String::new();
    let src = r#"{"tree": {"$path": "src"}}"#;
    let mut case =
        |name: &str, project: &str, files: &[(&str, &str)]| check(name, project, files, &mut wrong);

    case(
        "nested-projects",
        r#"{"name": "outer", "tree": {"$className": "Folder", "A": {"$path": "a"}, "B": {"$path": "b.project.json"}}}"#,
        &[
            ("a/default.project.json", r#"{"name": "inner", "tree": {"$path": "deep"}}"#),
            ("a/deep/init.luau", "return 1"),
            (
                "a/deep/child/default.project.json",
                r#"{"name": "innermost", "tree": {"$className": "StringValue"}}"#,
            ),
            ("b.project.json", r#"{"tree": {"$path": "a"}}"#),
        ],
    );
    case(
        "comments-and-commas",
        "{ // why\n \"tree\": { \"$className\": \"Folder\", /* and */ \"A\": { \"$className\": \"Folder\", }, }, }",
        &[],
    );
    case(
        "globs",
        r#"{"globIgnorePaths": ["**/*.spec.luau", "src/skip", "**/deep/*.txt", "!**/keep.spec.luau"], "tree": {"$path": "src"}}"#,
        &[
            ("src/a.luau", "return 1"),
            ("src/a.spec.luau", "return 2"),
            ("src/keep.spec.luau", "return 3"),
            ("src/skip/b.luau", "return 4"),
            ("src/deep/c.txt", "text"),
            ("src/deep/d.luau", "return 5"),
        ],
    );
    case(
        "init-precedence",
        src,
        &[
            ("src/both/init.luau", "return 'luau'"),
            ("src/both/init.lua", "return 'lua'"),
            ("src/server/init.server.luau", "print(1)"),
            ("src/server/child.luau", "return 1"),
            ("src/client/init.client.lua", "print(2)"),
            ("src/plugin/init.plugin.luau", "print(3)"),
            ("src/table/init.csv", "Key,Source,Context,Example,en\na,b,,,c\n"),
            ("src/table/child.luau", "return 1"),
            ("src/init.spec.luau", "return nil"),
        ],
    );
    case(
        "script-kinds",
        src,
        &[
            ("src/a.server.luau", "print(1)"),
            ("src/a.client.luau", "print(2)"),
            ("src/a.plugin.luau", "print(3)"),
            ("src/a.legacy.luau", "print(4)"),
            ("src/a.luau", "return 5"),
            ("src/b.server.lua", "print(6)"),
            ("src/two.dots.luau", "return 7"),
            ("src/.hidden.luau", "return 8"),
            ("src/no-extension", "nothing"),
            ("src/picture.png", "nothing"),
        ],
    );
    case(
        "run-contexts",
        r#"{"emitLegacyScripts": false, "tree": {"$path": "src"}}"#,
        &[
            ("src/a.server.luau", "print(1)"),
            ("src/a.client.luau", "print(2)"),
            ("src/a.plugin.luau", "print(3)"),
            ("src/folder/init.server.luau", "print(4)"),
        ],
    );
    case(
        "meta-files",
        src,
        &[
            ("src/a.server.luau", "print(1)"),
            (
                "src/a.meta.json",
                r#"{"properties": {"Disabled": true}, "attributes": {"Level": 3, "Name": "x"}}"#,
            ),
            ("src/words.txt", "one\ntwo\n"),
            ("src/words.meta.json", r#"{"attributes": {"Flag": true}}"#),
            (
                "src/model/init.meta.json",
                r#"{"className": "Model", "properties": {"LevelOfDetail": "Disabled"}}"#,
            ),
            (
                "src/model/part.model.json",
                r#"{"ClassName": "Part", "Properties": {"Size": [1, 2, 3], "Anchored": true}}"#,
            ),
            ("src/module/init.luau", "return 1"),
            ("src/module/init.meta.json", r#"{"attributes": {"Vector": {"Vector3": [1, 2, 3]}}}"#),
            ("src/tags.luau", "return 1"),
            ("src/tags.meta.json", r#"{"properties": {"Tags": ["a", "b"]}}"#),
        ],
    );
    case(
        "models",
        src,
        &[
            (
                "src/tree.model.json",
                r#"{"className": "Folder", "children": [
                    {"name": "Fire", "className": "RemoteEvent"},
                    {"Name": "Old", "ClassName": "Folder", "Children": [{"Name": "Deep", "ClassName": "IntValue",
                        "Properties": {"Value": 7}}]},
                    {"name": "Colour", "className": "Color3Value", "properties": {"Value": [0.5, 0.25, 1]}}]}"#,
            ),
            (
                "src/named.model.json",
                r#"{"Name": "Ignored", "ClassName": "StringValue", "Properties": {"Value": "v"}}"#,
            ),
        ],
    );
    case(
        "data-modules",
        src,
        &[
            (
                "src/a.json",
                r#"{"array": [1, "two", null, [true]], "empty": {}, "nested": {"end": 1, "ok": -2.5e3}}"#,
            ),
            ("src/b.toml", "array = [1, 2]\ndate = 2026-11-29\nname = \"x\"\n[table]\nkey = 'literal'\n"),
            ("src/c.yaml", "list:\n  - 1\n  - two\nmap:\n  key: value\n"),
            ("src/d.yml", "just: text\n"),
            ("src/strings.json", r#"["quote \" slash \\ tab \t line \n", "ü"]"#),
        ],
    );
    case(
        "tables",
        src,
        &[
            (
                "src/plain.csv",
                "Key,Source,Context,Example,en,de\nhello,Hello,ui,,Hello,Hallo\n,\"a, b\",,,x,\n",
            ),
            ("src/empty.csv", "Key,Source,Context,Example,en\n"),
        ],
    );
    case(
        "texts",
        src,
        &[
            ("src/a.txt", "line\r\nline"),
            ("src/empty.txt", ""),
            ("src/ünï.txt", "ü"),
            ("src/crlf.luau", "return 1\r\n"),
        ],
    );
    case(
        "optional-paths",
        r#"{"tree": {"$className": "Folder", "Gone": {"$path": {"optional": "gone"}}, "There": {"$path": {"optional": "src"}},
            "Kept": {"$className": "Model", "$path": {"optional": "gone"}}}}"#,
        &[("src/a.luau", "return 1")],
    );
    case(
        "sync-rules",
        r#"{"syncRules": [{"pattern": "*.md", "use": "text", "exclude": "*.skip.md"}, {"pattern": "*.data", "use": "json", "suffix": ".data"},
            {"pattern": "*.secret.luau", "use": "ignore"}, {"pattern": "*.run.luau", "use": "serverScript", "suffix": ".run.luau"}],
            "tree": {"$path": "src"}}"#,
        &[
            ("src/a.md", "text"),
            ("src/b.skip.md", "text"),
            ("src/c.data", "[1]"),
            ("src/d.secret.luau", "return 1"),
            ("src/e.run.luau", "print(1)"),
            ("src/f.luau", "return 2"),
        ],
    );
    case(
        "services",
        r#"{"tree": {"$className": "DataModel",
            "ReplicatedStorage": {"Shared": {"$path": "src"}, "$properties": {"Archivable": true}},
            "StarterPlayer": {"StarterPlayerScripts": {"A": {"$className": "Folder"}}, "StarterCharacterScripts": {}},
            "Workspace": {"$properties": {"Gravity": 50, "StreamingEnabled": false}, "Terrain": {}},
            "Lighting": {"$properties": {"Ambient": [0, 0.5, 1], "Technology": "Voxel"}},
            "HttpService": {"$properties": {"HttpEnabled": true}}}}"#,
        &[("src/a.luau", "return 1")],
    );
    case(
        "property-forms",
        r#"{"tree": {"$className": "Folder",
            "Part": {"$className": "Part", "$properties": {"Size": [1, 2, 3], "Material": "Grass", "Transparency": 0.5,
                "CFrame": {"CFrame": {"position": [1, 2, 3], "orientation": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}}}},
            "Frame": {"$className": "Frame", "$properties": {"Size": {"UDim2": [[0.5, 10], [1, -10]]},
                "AnchorPoint": {"Vector2": [0.5, 0.5]}}},
            "Number": {"$className": "NumberValue", "$properties": {"Value": {"Float64": 1.25}}},
            "Int": {"$className": "IntValue", "$properties": {"Value": 9007199254740991}},
            "Light": {"$className": "PointLight", "$properties": {"Range": 12, "Shadows": true}},
            "Emitter": {"$className": "ParticleEmitter", "$properties": {"Lifetime": {"NumberRange": [1, 2]},
                "Size": {"NumberSequence": {"keypoints": [{"time": 0, "value": 1, "envelope": 0}, {"time": 1, "value": 2, "envelope": 0}]}}}}}}"#,
        &[],
    );
    case(
        "attributes",
        r#"{"tree": {"$className": "Folder", "$attributes": {"Text": "t", "Number": 1.5, "Flag": false,
            "Vector": {"Vector3": [1, 2, 3]}, "Colour": {"Color3": [1, 0, 0]}, "Size": {"UDim2": [[0, 1], [1, 0]]},
            "Range": {"NumberRange": [1, 2]}, "Brick": {"BrickColor": 21}}}}"#,
        &[],
    );
    case(
        "references",
        r#"{"tree": {"$className": "Folder", "Model": {"$className": "Model", "$attributes": {"Rojo_Target_PrimaryPart": "core"},
            "Core": {"$className": "Part", "$id": "core"}}, "Value": {"$className": "ObjectValue",
                "$attributes": {"Rojo_Target_Value": "own"}}, "Own": {"$className": "Folder", "$attributes": {"Rojo_Id": "own"}}}}"#,
        &[],
    );
    case(
        "children-over-paths",
        r#"{"tree": {"$path": "src", "More": {"$className": "Folder"}, "Extra": {"$path": "extra.luau"}}}"#,
        &[("src/init.luau", "return 1"), ("src/a.luau", "return 2"), ("extra.luau", "return 3")],
    );
    case("unknown-class", r#"{"tree": {"$className": "Folder", "Odd": {"$className": "Gizmo"}}}"#, &[]);
    case(
        "case-and-order",
        src,
        &[
            ("src/B.luau", "return 1"),
            ("src/a.luau", "return 2"),
            ("src/Z/x.luau", "return 3"),
            ("src/_under.luau", "return 4"),
            ("src/10.luau", "return 5"),
            ("src/9.luau", "return 6"),
        ],
    );
    assert!(wrong.is_empty(), "{wrong}");
}

/// Models in Roblox's own formats, made by Rojo itself, inside a project.
#[test]
fn model_files_load_alike() {
    if command().is_none() {
        return;
    }
    let root = tempfile::tempdir().unwrap();
    write(
        root.path(),
        &[
            (
                "model.project.json",
                r#"{"name": "Thing", "tree": {"$className": "Model", "$attributes": {"A": 1, "Rojo_Target_PrimaryPart": "p"},
                    "P": {"$className": "Part", "$id": "p", "$properties": {"Size": [1, 2, 3], "Tags": ["x"]}},
                    "S": {"$path": "s.server.luau"}}}"#,
            ),
            ("s.server.luau", "print('in a model')\n"),
            ("game/default.project.json", r#"{"tree": {"$path": "src"}}"#),
        ],
    );
    std::fs::create_dir_all(root.path().join("game/src")).unwrap();
    for name in ["a.rbxm", "b.rbxmx"] {
        let status = command()
            .unwrap()
            .args(["build", "model.project.json", "--output", &format!("game/src/{name}")])
            .current_dir(root.path())
            .status();
        assert!(status.unwrap().success());
    }
    let difference = difference(&root.path().join("game"));
    assert_eq!(difference, None);
}
