//! Whole projects on disk, rule by rule.

use std::fmt::Write as _;
use std::path::Path;

use super::*;
use crate::datatypes::{CFrame, Color3, UDim2, Vector2};

fn project(files: &[(&str, &str)]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let path = root.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    root
}

fn load_files(files: &[(&str, &str)]) -> ProjectTree {
    let root = project(files);
    load(root.path()).unwrap_or_else(|problem| panic!("{problem}"))
}

/// `Class Name`, a line each, indented by depth.
fn outline(node: &Node) -> String {
    fn go(node: &Node, depth: usize, out: &mut String) {
        writeln!(out, "{}{} {}", "  ".repeat(depth), node.class, node.name).unwrap();
        for child in &node.children {
            go(child, depth + 1, out);
        }
    }
    let mut out = String::new();
    go(node, 0, &mut out);
    out
}

fn check(files: &[(&str, &str)], expected: &[&str]) {
    let tree = load_files(files);
    let outline = outline(&tree.root);
    let actual: Vec<&str> = outline.lines().collect();
    assert_eq!(actual, expected);
}

fn error(files: &[(&str, &str)]) -> String {
    let root = project(files);
    let text = load(root.path()).unwrap_err().to_string();
    text.replace(&format!("{}/", root.path().display()), "")
}

fn at<'a>(tree: &'a ProjectTree, path: &str) -> &'a Node {
    path.split('/').fold(&tree.root, |node, name| {
        node.child(name).unwrap_or_else(|| panic!("no {name} in {}", node.name))
    })
}

const SRC: (&str, &str) = ("default.project.json", r#"{"name": "p", "tree": {"$path": "src"}}"#);

#[test]
fn every_kind_of_file_becomes_its_class() {
    let files = [
        SRC,
        ("src/a.server.luau", ""),
        ("src/b.client.lua", ""),
        ("src/c.plugin.lua", ""),
        ("src/d.luau", "return 1\r\n"),
        ("src/e.json", "{\"x\": null}"),
        ("src/f.toml", "x = 1"),
        ("src/g.yml", "x: 1"),
        ("src/h.csv", "Key,Source\na,b\n"),
        ("src/i.txt", "text"),
        ("src/j.model.json", r#"{"className": "Folder"}"#),
        ("src/k.md", ""),
        ("src/l/m.lua", ""),
        ("src/n.project.json", r#"{"tree": {"$className": "Folder"}}"#),
    ];
    check(
        &files,
        &[
            "Folder p",
            "  Script a",
            "  LocalScript b",
            "  Script c",
            "  ModuleScript d",
            "  ModuleScript e",
            "  ModuleScript f",
            "  ModuleScript g",
            "  LocalizationTable h",
            "  StringValue i",
            "  Folder j",
            "  Folder l",
            "    ModuleScript m",
            "  Folder n",
        ],
    );
    let tree = load_files(&files);
    assert_eq!(at(&tree, "d").source.as_deref(), Some("return 1\n"));
    assert_eq!(at(&tree, "e").source.as_deref(), Some("return {\n\tx = nil,\n}"));
    assert_eq!(at(&tree, "i").property("Value"), Some(&PropertyValue::string("text")));
    assert!(at(&tree, "d").file.as_ref().unwrap().ends_with("src/d.luau"));
}

#[test]
fn init_files_decide_what_a_folder_is() {
    for (file, class) in [
        ("init.luau", "ModuleScript"),
        ("init.lua", "ModuleScript"),
        ("init.server.luau", "Script"),
        ("init.server.lua", "Script"),
        ("init.client.luau", "LocalScript"),
        ("init.client.lua", "LocalScript"),
        ("init.plugin.luau", "Script"),
        ("init.plugin.lua", "Script"),
        ("init.csv", "LocalizationTable"),
    ] {
        let path = format!("src/x/{file}");
        let folder = format!("  {class} x");
        check(
            &[SRC, (&path, "Key,Source\n"), ("src/x/child.luau", "")],
            &["Folder p", &folder, "    ModuleScript child"],
        );
    }
    // The first of the list counts, and the others are no instances.
    let both = [SRC, ("src/init.server.luau", "s"), ("src/init.lua", "m")];
    check(&both, &["ModuleScript p"]);
    assert!(load_files(&both).root.file.unwrap().ends_with("src/init.lua"));
}

#[test]
fn a_default_project_takes_over_its_folder() {
    let inner = r#"{"tree": {"$path": "lib", "Extra": {"$className": "Folder"}}}"#;
    check(
        &[
            SRC,
            ("src/pkg/default.project.json", inner),
            ("src/pkg/lib/init.luau", ""),
            ("src/pkg/ignored.luau", ""),
        ],
        &["Folder p", "  ModuleScript pkg", "    Folder Extra"],
    );
    let named = r#"{"name": "Better", "tree": {"$className": "Folder"}}"#;
    check(&[SRC, ("src/pkg/default.project.jsonc", named)], &["Folder p", "  Folder Better"]);
    // Named by a node, the node's name wins.
    let outer = (
        "default.project.json",
        r#"{"name": "p", "tree": {"$className": "Folder", "Mine": {"$path": "pkg"}}}"#,
    );
    check(&[outer, ("pkg/default.project.json", named)], &["Folder p", "  Folder Mine"]);
}

#[test]
fn projects_without_a_name_take_their_folders_or_files() {
    let root = project(&[("game/default.project.json", r#"{"tree": {"$className": "Folder"}}"#)]);
    assert_eq!(load(&root.path().join("game")).unwrap().root.name, "game");
    let root = project(&[("game/other.project.json", r#"{"tree": {"$className": "Folder"}}"#)]);
    assert_eq!(load(&root.path().join("game/other.project.json")).unwrap().root.name, "other");
    assert_eq!(load(&root.path().join("game")).unwrap().root.name, "other");
}

#[test]
fn classes_come_from_field_path_or_name() {
    let tree = r#"{"name": "g", "tree": {
        "$className": "DataModel",
        "ReplicatedStorage": {"$path": "shared", "Remotes": {"$className": "Folder"}},
        "StarterPlayer": {"StarterPlayerScripts": {"$path": "client"}, "StarterCharacterScripts": {}},
        "Workspace": {"Terrain": {}, "Model": {"$className": "Model", "$path": "shared"}},
        "HttpService": {"$properties": {"HttpEnabled": true}}
    }}"#;
    check(
        &[("default.project.json", tree), ("shared/a.luau", ""), ("client/b.client.luau", "")],
        &[
            "DataModel g",
            "  HttpService HttpService",
            "  ReplicatedStorage ReplicatedStorage",
            "    ModuleScript a",
            "    Folder Remotes",
            "  StarterPlayer StarterPlayer",
            "    StarterCharacterScripts StarterCharacterScripts",
            "    StarterPlayerScripts StarterPlayerScripts",
            "      LocalScript b",
            "  Workspace Workspace",
            "    Model Model",
            "      ModuleScript a",
            "    Terrain Terrain",
        ],
    );
}

#[test]
fn wrong_classes_and_paths_say_where_and_why() {
    let one = |tree: &str| {
        error(&[("default.project.json", tree), ("m.luau", ""), ("notes.md", ""), ("d/a.luau", "")])
    };
    assert_eq!(
        one(r#"{"tree": {"$className": "Folder", "$path": "m.luau"}}"#),
        "default.project.json:1:25: `tree.$className`: the class is given as `Folder`, but `$path` makes this a \
         `ModuleScript`\n  help: Leave `$className` out, or let `$path` name a folder without an init file."
    );
    assert_eq!(
        one(r#"{"tree": {"$path": "none"}}"#),
        "default.project.json:1:20: `tree.$path`: `none` does not exist\n  help: Mend the path, or write `{\"optional\": \
         path}` if it may be absent."
    );
    assert!(
        one(r#"{"tree": {"$path": "notes.md"}}"#)
            .contains("`notes.md` exists, but no rule makes an instance of it")
    );
    assert!(
        one(r#"{"tree": {"$className": "Folder", "P": {"$path": "Packages"}}}"#).contains("wally install")
    );
    assert!(
        one(r#"{"tree": {"$className": "Folder", "Thing": {}}}"#)
            .contains("`tree.Thing`: nothing says what `Thing` is")
    );
    assert!(one(r#"{"tree": {"$path": "."}}"#).contains("the project contains itself"));
    let broken = one("{\"tree\": {\n  \"$path\": \"d\",,\n}}");
    assert!(
        broken.starts_with("default.project.json:2:") && broken.contains("the JSON breaks off here"),
        "{broken}"
    );
}

#[test]
fn optional_paths_may_be_absent() {
    let tree = r#"{"name": "p", "tree": {"$className": "Folder",
        "Gone": {"$path": {"optional": "gone"}},
        "Here": {"$path": {"optional": "here"}},
        "Kept": {"$className": "Folder", "$path": {"optional": "gone"}}}}"#;
    check(
        &[("default.project.json", tree), ("here/a.luau", "")],
        &["Folder p", "  Folder Here", "    ModuleScript a", "  Folder Kept"],
    );
}

#[test]
fn unknown_classes_load_with_a_warning() {
    let tree = load_files(&[("default.project.json", r#"{"name": "p", "tree": {"$className": "Gizmo"}}"#)]);
    assert_eq!(tree.root.class, "Gizmo");
    assert!(tree.warnings[0].to_string().contains("`Gizmo` is no class of the database"));
}

#[test]
fn properties_are_typed_by_the_class_or_by_themselves() {
    let tree = load_files(&[(
        "default.project.json",
        r#"{"name": "p", "tree": {"$className": "Folder",
            "Part": {"$className": "Part", "$properties": {
                "Anchored": true, "Material": "Grass", "Color": [1, 0.5, 0], "Size": [1, 2, 3],
                "CFrame": [1, 2, 3, 1, 0, 0, 0, 1, 0, 0, 0, 1], "Transparency": 0.5, "Name": "Other"}},
            "Frame": {"$className": "Frame", "$properties": {
                "Size": {"UDim2": [[0.5, 10], [1, -4]]}, "AnchorPoint": [0.5, 1], "ZIndex": 3.0}},
            "Number": {"$className": "NumberValue", "$properties": {"Value": "inf"}},
            "Word": {"$className": "NumberValue", "$properties": {"Value": {"Float64": -Infinity}}},
            "Tagged": {"$className": "Folder", "$properties": {"Tags": ["b", "a"], "Attributes": {"On": true}},
                "$attributes": {"Speed": 16, "Where": {"Vector3": [1, 2, 3]}}}
        }}"#,
    )]);
    let part = at(&tree, "Part");
    assert_eq!(part.name, "Part");
    assert_eq!(part.property("Anchored"), Some(&PropertyValue::Bool(true)));
    assert!(
        matches!(part.property("Material"), Some(PropertyValue::EnumItem(id, 1280)) if id.name() == "Material")
    );
    assert_eq!(part.property("Color"), Some(&Color3::new(1.0, 0.5, 0.0).into()));
    assert_eq!(part.property("CFrame"), Some(&CFrame::from_position([1.0, 2.0, 3.0].into()).into()));
    assert_eq!(part.property("Size"), Some(&PropertyValue::Vector3([1.0, 2.0, 3.0].into())));
    assert!(tree.warnings[0].to_string().contains("`Name` cannot be set here and is ignored"));
    let size = UDim2::new(crate::datatypes::UDim::new(0.5, 10), crate::datatypes::UDim::new(1.0, -4));
    assert_eq!(at(&tree, "Frame").property("Size"), Some(&size.into()));
    assert_eq!(at(&tree, "Frame").property("AnchorPoint"), Some(&Vector2::new(0.5, 1.0).into()));
    assert_eq!(at(&tree, "Number").property("Value"), Some(&PropertyValue::Number(f64::INFINITY)));
    assert_eq!(at(&tree, "Word").property("Value"), Some(&PropertyValue::Number(f64::NEG_INFINITY)));
    let tagged = at(&tree, "Tagged");
    assert_eq!(tagged.tags, ["b", "a"]);
    assert_eq!(tagged.attribute("Speed"), Some(&PropertyValue::Number(16.0)));
    assert_eq!(tagged.attribute("On"), Some(&PropertyValue::Bool(true)));
    assert_eq!(tagged.attribute("Where"), Some(&PropertyValue::Vector3([1.0, 2.0, 3.0].into())));
}

#[test]
fn wrong_values_name_the_property_and_what_fits() {
    let one = |class: &str, property: &str| {
        error(&[(
            "default.project.json",
            &format!("{{\"tree\": {{\"$className\": \"{class}\",\n\"$properties\": {{{property}}}}}}}"),
        )])
    };
    assert_eq!(
        one("Part", r#""Material": "Gras""#),
        "default.project.json:2:29: `tree.$properties.Material`: expected the name of an item of Enum.Material, got the \
         string \"Gras\"\n  help: Its items are Plastic, SmoothPlastic, Neon, Wood, WoodPlanks, Marble, Basalt, Slate, ..."
    .to_owned()
            + ".",
    );
    assert!(one("Part", r#""Anchored": 1"#).contains("expected true or false, got the number 1"));
    assert!(
        one("Part", r#""Size": [1, 2]"#).contains("expected an array of 3 numbers, got an array of 2 values")
    );
    assert!(one("Part", r#""Sise": 1"#).contains("`Part` has no property `Sise`"));
    assert!(one("Gizmo", r#""X": 1"#).contains("`Gizmo` is no class of the database"));
    assert!(one("Model", r#""PrimaryPart": "x""#).contains("which a value cannot name"));
    assert!(
        one("NumberValue", r#""Value": {"NumberRange": [2, 1]}"#)
            .contains("the minimum is above the maximum")
    );
}

#[test]
fn references_go_by_id() {
    let tree = load_files(&[(
        "default.project.json",
        r#"{"name": "p", "tree": {"$className": "Model", "$attributes": {"Rojo_Target_PrimaryPart": "core"},
            "Core": {"$className": "Part", "$id": "core"}}}"#,
    )]);
    assert_eq!(tree.root.property("PrimaryPart"), Some(&PropertyValue::Reference("core".into())));
    assert_eq!(at(&tree, "Core").id.as_deref(), Some("core"));
    // The attribute stays, as in Rojo.
    assert_eq!(tree.root.attribute("Rojo_Target_PrimaryPart"), Some(&PropertyValue::string("core")));
}

#[test]
fn meta_files_add_properties_and_classes() {
    let tree = load_files(&[
        SRC,
        ("src/a.server.luau", ""),
        ("src/a.meta.json", r#"{"properties": {"Disabled": true}, "attributes": {"X": 1}, "id": "it"}"#),
        (
            "src/t/init.meta.jsonc",
            "{\"className\": \"Tool\", \"properties\": {\"Grip\": {\"CFrame\": {\"position\": [0, 1, 0], \"orientation\": [[1,0,0],[0,1,0],[0,0,1]]}}},} // ok",
        ),
        ("src/s/init.luau", ""),
        ("src/s/init.meta.json", r#"{"attributes": {"Y": "z"}, "odd": 1}"#),
    ]);
    let a = at(&tree, "a");
    assert_eq!(a.property("Disabled"), Some(&PropertyValue::Bool(true)));
    assert_eq!((a.attribute("X"), a.id.as_deref()), (Some(&PropertyValue::Number(1.0)), Some("it")));
    let tool = at(&tree, "t");
    assert_eq!(tool.class, "Tool");
    assert_eq!(tool.property("Grip"), Some(&CFrame::from_position([0.0, 1.0, 0.0].into()).into()));
    assert_eq!(at(&tree, "s").attribute("Y"), Some(&PropertyValue::string("z")));
    assert!(tree.warnings[0].to_string().contains("a meta file has no such field"));

    let beside = error(&[SRC, ("src/a.luau", ""), ("src/a.meta.json", r#"{"className": "Tool"}"#)]);
    assert!(
        beside.starts_with("src/a.meta.json:1:2: `className`: only `init.meta.json` can change a class"),
        "{beside}"
    );
    let twice = error(&[SRC, ("src/init.luau", ""), ("src/init.meta.json", r#"{"className": "Tool"}"#)]);
    assert!(twice.contains("this folder is a `ModuleScript` already"), "{twice}");
}

#[test]
fn described_models_take_either_spelling() {
    let tree = load_files(&[
        SRC,
        (
            "src/m.model.json",
            r#"{"Name": "ignored", "ClassName": "Model", "Properties": {"ModelStreamingMode": "Atomic"}, "Children": [
                {"className": "Part", "name": "Core", "properties": {"Anchored": true}, "attributes": {"A": 1}},
                {"className": "ModuleScript", "properties": {"Source": "return 1"}}]}"#,
        ),
        ("src/empty.model.json", " "),
    ]);
    let model = at(&tree, "m");
    assert_eq!(
        outline(model).lines().collect::<Vec<_>>(),
        ["Model m", "  Part Core", "  ModuleScript ModuleScript"]
    );
    assert_eq!(model.child("Core").unwrap().attribute("A"), Some(&PropertyValue::Number(1.0)));
    assert_eq!(model.children[1].source.as_deref(), Some("return 1"));
    assert!(model.children[1].properties.is_empty());
    assert!(tree.warnings[0].to_string().contains("the topmost instance is named by its file"));
    let missing = error(&[SRC, ("src/m.model.json", r#"{"Children": []}"#)]);
    assert!(missing.starts_with("src/m.model.json:1:1: `className`: the class is missing"), "{missing}");
    let deep =
        error(&[SRC, ("src/m.model.json", r#"{"ClassName": "Folder", "Children": [{"ClassName": 5}]}"#)]);
    assert!(deep.contains("`Children[0].className`: expected a string"), "{deep}");
}

#[test]
fn legacy_scripts_can_be_switched_off_for_each_project() {
    let tree = load_files(&[
        ("default.project.json", r#"{"name": "p", "emitLegacyScripts": false, "tree": {"$path": "src"}}"#),
        ("src/a.server.luau", ""),
        ("src/b.client.luau", ""),
        ("src/old/default.project.json", r#"{"tree": {"$path": "src"}}"#),
        ("src/old/src/c.client.luau", ""),
    ]);
    let context = |path: &str| match at(&tree, path).property("RunContext") {
        Some(PropertyValue::EnumItem(_, value)) => Some(*value),
        _ => None,
    };
    assert_eq!((context("a"), context("b"), context("old/c")), (Some(1), Some(2), None));
    assert_eq!((at(&tree, "b").class.as_str(), at(&tree, "old/c").class.as_str()), ("Script", "LocalScript"));
}

#[test]
fn sync_rules_belong_to_their_project() {
    let rules = r#"{"name": "p", "tree": {"$path": "src"}, "syncRules": [
        {"pattern": "*.module", "use": "moduleScript"},
        {"pattern": "*.rojo", "exclude": "*.ignore.rojo", "use": "project"},
        {"pattern": "*.dog.x", "use": "text", "suffix": ".dog.x"},
        {"pattern": "*.lua", "use": "ignore"}]}"#;
    check(
        &[
            ("default.project.json", rules),
            ("src/foo.module", ""),
            ("src/qux.rojo", r#"{"tree": {"$className": "StringValue"}}"#),
            ("src/rat.ignore.rojo", "nonsense"),
            ("src/cat.dog.x", ""),
            ("src/gone.lua", ""),
            ("src/pkg/default.project.json", r#"{"tree": {"$path": "src"}}"#),
            ("src/pkg/src/foo.module", ""),
            ("src/pkg/src/bar.lua", ""),
        ],
        &[
            "Folder p",
            "  StringValue cat",
            "  ModuleScript foo",
            "  Folder pkg",
            "    ModuleScript bar",
            "  StringValue qux",
        ],
    );
}

#[test]
fn ignored_paths_are_left_out_and_can_be_brought_back() {
    let ignore = r#"{"name": "p", "tree": {"$path": "src"}, "globIgnorePaths": ["**/*.spec.luau", "!src/keep/**", "src/out"]}"#;
    check(
        &[
            ("default.project.json", ignore),
            ("src/a.luau", ""),
            ("src/a.spec.luau", ""),
            ("src/keep/b.spec.luau", ""),
            ("src/out/c.luau", ""),
            // A nested project keeps the outer patterns, relative to the outer folder.
            (
                "src/pkg/default.project.json",
                r#"{"tree": {"$path": "lib"}, "globIgnorePaths": ["lib/x.luau"]}"#,
            ),
            ("src/pkg/lib/x.luau", ""),
            ("src/pkg/lib/y.luau", ""),
            ("src/pkg/lib/y.spec.luau", ""),
        ],
        &[
            "Folder p",
            "  ModuleScript a",
            "  Folder keep",
            "    ModuleScript b.spec",
            "  Folder pkg",
            "    ModuleScript y",
        ],
    );
}

#[test]
fn roblox_files_give_their_instances() {
    use rbx_dom_weak::{InstanceBuilder, WeakDom};
    let root = project(&[SRC, ("src/a.luau", "")]);
    let part = InstanceBuilder::new("Part").with_name("Core").with_property("Anchored", true);
    let model = InstanceBuilder::new("Model")
        .with_name("Saved")
        .with_property("PrimaryPart", rbx_types::Variant::Ref(part.referent()))
        .with_child(part)
        .with_child(
            InstanceBuilder::new("ModuleScript").with_name("M").with_property("Source", "return 1\r\n"),
        );
    let dom = WeakDom::new(InstanceBuilder::new("DataModel").with_child(model));
    let top = dom.root().children().to_vec();
    let mut binary = Vec::new();
    rbx_binary::to_writer(&mut binary, &dom, &top).unwrap();
    std::fs::write(root.path().join("src/bin.rbxm"), &binary).unwrap();
    std::fs::write(root.path().join("place.rbxl"), &binary).unwrap();
    let mut xml = Vec::new();
    rbx_xml::to_writer_default(&mut xml, &dom, &top).unwrap();
    std::fs::write(root.path().join("src/text.rbxmx"), &xml).unwrap();

    let tree = load(root.path()).unwrap();
    for name in ["bin", "text"] {
        let model = at(&tree, name);
        assert_eq!(outline(model).lines().skip(1).collect::<Vec<_>>(), ["  Part Core", "  ModuleScript M"]);
        let core = model.child("Core").unwrap();
        assert_eq!(core.property("Anchored"), Some(&PropertyValue::Bool(true)));
        assert_eq!(model.property("PrimaryPart"), Some(&PropertyValue::Reference(core.id.clone().unwrap())));
        assert_eq!(model.child("M").unwrap().source.as_deref(), Some("return 1\n"));
    }
    let place = load(&root.path().join("place.rbxl")).unwrap();
    assert!(place.is_place());
    assert_eq!(place.root.children[0].name, "Saved");

    std::fs::write(root.path().join("src/broken.rbxm"), "not a model").unwrap();
    let problem = load(root.path()).unwrap_err().to_string();
    assert!(problem.contains("broken.rbxm: cannot be read as a binary file of Roblox"), "{problem}");
}

#[test]
fn a_folder_without_a_project_is_a_folder() {
    let root = project(&[("lib/a.luau", ""), ("lib/b/init.luau", "")]);
    let tree = load(&root.path().join("lib")).unwrap();
    assert_eq!(
        outline(&tree.root).lines().collect::<Vec<_>>(),
        ["Folder lib", "  ModuleScript a", "  ModuleScript b"]
    );
    let place = tree.into_place(None);
    assert_eq!(at(&place, "ReplicatedStorage/lib/a").class, "ModuleScript");
    assert!(load(&root.path().join("none")).unwrap_err().to_string().ends_with("does not exist"));
    let single = load(&root.path().join("lib/a.luau")).unwrap();
    assert_eq!(single.root.name, "a");
}

#[test]
fn sourcemaps_stand_in_for_projects() {
    let root = project(&[
        (
            "sourcemap.json",
            r#"{"name": "g", "className": "DataModel", "filePaths": ["default.project.json"], "children": [
                {"name": "ReplicatedStorage", "className": "ReplicatedStorage", "children": [
                    {"name": "Net", "className": "ModuleScript", "filePaths": ["src/net/init.luau", "src/net/init.meta.json"]},
                    {"name": "Data", "className": "ModuleScript", "filePaths": ["src\\data.json"]},
                    {"name": "Saved", "className": "ModuleScript", "filePaths": ["src/saved.rbxm"]}]}]}"#,
        ),
        ("src/net/init.luau", "return 1\r\n"),
        ("src/data.json", "[1]"),
    ]);
    let tree = load(&root.path().join("sourcemap.json")).unwrap();
    assert_eq!(at(&tree, "ReplicatedStorage/Net").source.as_deref(), Some("return 1\n"));
    assert!(at(&tree, "ReplicatedStorage/Net").file.as_ref().unwrap().ends_with("src/net/init.luau"));
    assert_eq!(at(&tree, "ReplicatedStorage/Data").source.as_deref(), Some("return {1}"));
    assert!(tree.warnings[0].to_string().contains("gives the script `Saved` no source file"));
    std::fs::write(root.path().join("sourcemap.json"), r#"{"name": "g"}"#).unwrap();
    let problem = load(&root.path().join("sourcemap.json")).unwrap_err().to_string();
    assert!(problem.contains("`className`: the class is missing"), "{problem}");
}

#[test]
fn text_must_be_utf8() {
    let root = project(&[SRC]);
    std::fs::create_dir(root.path().join("src")).unwrap();
    std::fs::write(root.path().join("src/a.luau"), [b'-', b'-', 0xff]).unwrap();
    let problem = load(root.path()).unwrap_err().to_string();
    assert!(problem.contains("a.luau: is not UTF-8 text: the byte at 2 starts no character"), "{problem}");
    std::fs::write(root.path().join("src/a.luau"), "\u{feff}return 1").unwrap();
    assert_eq!(at(&load(root.path()).unwrap(), "a").source.as_deref(), Some("return 1"));
}

#[test]
fn projects_written_on_windows_load_everywhere() {
    let project = "\u{feff}{\r\n\"name\": \"p\",\r\n\"tree\": {\r\n\"$path\": \"src\\\\game\",\r\n\
                   \"Up\": { \"$path\": \".\\\\src\\\\..\\\\up.luau\" },\r\n\
                   \"Opt\": { \"$path\": { \"optional\": \"src\\\\opt\" } } } }\r\n";
    let files = [
        ("default.project.json", project),
        ("src/game/a.luau", "\u{feff}return [[\r\n]]\r\n"),
        ("src/game/a.meta.json", "\u{feff}{\r\n\"properties\": {}\r\n}\r\n"),
        ("src/game/t.toml", "\u{feff}x = 1\r\ny = 2\r\n"),
        ("src/game/m.model.json", "\u{feff}{\r\n\"className\": \"Folder\" }\r\n"),
        ("src/opt/b.luau", ""),
        ("up.luau", ""),
    ];
    check(
        &files,
        &[
            "Folder p",
            "  ModuleScript a",
            "  Folder m",
            "  ModuleScript t",
            "  Folder Opt",
            "    ModuleScript b",
            "  ModuleScript Up",
        ],
    );
    let tree = load_files(&files);
    assert_eq!(at(&tree, "a").source.as_deref(), Some("return [[\n]]\n"));
    let missing = r#"{"name": "p", "tree": {"$path": "src\\none"}}"#;
    let problem = error(&[("default.project.json", missing)]);
    assert!(problem.contains("`src\\none` does not exist"), "{problem}");
}

/// Everywhere but on Windows a backslash is a character as any other.
#[cfg(unix)]
#[test]
fn a_name_with_a_backslash_is_one_where_it_exists() {
    let project = r#"{"name": "p", "tree": {"$className": "Folder", "A": {"$path": "a\\b.luau"}}}"#;
    let files = [("default.project.json", project), ("a\\b.luau", "return 1"), ("a/b.luau", "return 2")];
    assert_eq!(at(&load_files(&files), "A").source.as_deref(), Some("return 1"));
}

/// macOS has no such names.
#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_no_utf8_is_an_error_unless_it_is_ignored() {
    use std::os::unix::ffi::OsStrExt;
    let odd = std::ffi::OsStr::from_bytes(b"odd-\xff.luau");
    for (ignored, is_folder) in [(false, false), (false, true), (true, false), (true, true)] {
        let glob = if ignored { r#""globIgnorePaths": ["**/odd-*"], "# } else { "" };
        let project_file = format!(r#"{{"name": "p", {glob}"tree": {{"$path": "src"}}}}"#);
        let root = project(&[("default.project.json", &project_file), ("src/a.luau", "")]);
        let path = root.path().join("src").join(odd);
        if is_folder {
            std::fs::create_dir(path).unwrap()
        } else {
            std::fs::write(path, "").unwrap()
        }
        let loaded = load(root.path());
        if ignored {
            assert_eq!(loaded.unwrap().root.children.len(), 1);
        } else {
            let problem = loaded.unwrap_err().to_string();
            assert!(problem.contains("src/odd-\u{fffd}.luau: has a name that is not UTF-8"), "{problem}");
            assert!(problem.contains("Rename it."), "{problem}");
        }
    }
}

/// Roblox tells names apart by case; where the file system does not, one of the two cannot be there.
#[cfg(target_os = "linux")]
#[test]
fn names_that_differ_in_case_alone_are_two() {
    let files = [SRC, ("src/Net.luau", "return 1"), ("src/net.luau", "return 2"), ("src/NET/a.luau", "")];
    check(
        &files,
        &["Folder p", "  Folder NET", "    ModuleScript a", "  ModuleScript Net", "  ModuleScript net"],
    );
    let tree = load_files(&files);
    assert_eq!(at(&tree, "net").source.as_deref(), Some("return 2"));
    assert_eq!(at(&tree, "Net").source.as_deref(), Some("return 1"));
    // No name but these is that of what a folder is made of.
    check(
        &[SRC, ("src/Init.luau", ""), ("src/a.Server.luau", "")],
        &["Folder p", "  ModuleScript Init", "  ModuleScript a.Server"],
    );
}

#[cfg(unix)]
#[test]
fn links_in_a_circle_are_left_out_with_a_warning() {
    use std::os::unix::fs::symlink;
    let root = project(&[SRC, ("src/a.luau", ""), ("src/in/b.luau", ""), ("other/c.luau", "")]);
    let at_root = |path: &str| root.path().join(path);
    symlink(at_root("src"), at_root("src/again")).unwrap();
    symlink("..", at_root("src/in/up")).unwrap();
    symlink("self", at_root("src/self")).unwrap();
    // Two folders that lead into each other, and one that leads nowhere near itself.
    symlink("../other", at_root("src/other")).unwrap();
    symlink("../src", at_root("other/back")).unwrap();
    let tree = load(root.path()).unwrap();
    let names: Vec<&str> = tree.root.children.iter().map(|child| child.name.as_str()).collect();
    assert_eq!(names, ["a", "in", "other"]);
    assert_eq!(at(&tree, "other").children.len(), 1);
    let warnings: Vec<String> = tree.warnings.iter().map(ToString::to_string).collect();
    let of = |end: &str, text: &str| {
        assert!(
            warnings.iter().any(|warning| warning.contains(end) && warning.contains(text)),
            "{warnings:?}"
        );
    };
    of("src/again", "a link to a folder that it lies in");
    of("src/in/up", "a link to a folder that it lies in");
    of("src/other/back", "a link to a folder that it lies in");
    of("src/self", "a link that leads nowhere");
}

#[test]
fn loading_twice_gives_equal_trees() {
    let root = project(&[SRC, ("src/b.luau", ""), ("src/a/init.server.luau", ""), ("src/a/c.json", "[1]")]);
    assert_eq!(load(root.path()).unwrap().root, load(Path::new(root.path())).unwrap().root);
}
