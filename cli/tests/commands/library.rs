//! The library for plugins and tools, `packages/library`, as Wally and pesde install it.

use std::fs;
use std::path::{Path, PathBuf};

use blinkblox_emulator::shared::{HttpAnswers, HttpRequest, HttpResponse};
use blinkblox_emulator::testing::reporters::{Format, render};
use blinkblox_emulator::testing::{RunOptions, WorldDefaults, run};

use crate::support::{blinkblox, err, out, project};

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn library() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../packages/library")
}

fn read(path: &str) -> String {
    fs::read_to_string(library().join(path)).unwrap()
}

/// Files of the package that its manager takes.
fn taken(manifest: &str) -> Vec<(String, String)> {
    let list = if manifest == "wally.toml" { "include" } else { "includes" };
    let line =
        read(manifest).lines().find(|line| line.starts_with(&format!("{list} = ["))).unwrap().to_owned();
    let patterns: Vec<&str> = line.split('"').skip(1).step_by(2).collect();
    let mut set = globset::GlobSetBuilder::new();
    for pattern in &patterns {
        set.add(globset::GlobBuilder::new(pattern).literal_separator(true).build().unwrap());
    }
    let set = set.build().unwrap();
    let mut found = Vec::new();
    let mut left = vec![library()];
    while let Some(folder) = left.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(library()).unwrap().to_string_lossy().replace('\\', "/");
            if path.is_dir() {
                left.push(path);
            } else if set.is_match(&name) {
                found.push((name.clone(), read(&name)));
            }
        }
    }
    found.sort();
    found
}

/// What the library does wherever it is installed, without a service.
const SPEC: &str = r#"
local LIBRARY = "ReplicatedStorage.Packages.blinkblox"
local SCHEMA = "event Ready { From: Client, Type: Reliable, Call: SingleSync, Rate: 1 }"

local function problem(options: string): string
	local world = test.world({ project = "." })
	local source = "local library, schema = require(game.ReplicatedStorage.Packages.blinkblox), ..."
		.. " local ok, problem = pcall(library.Compile, schema, " .. options .. ")"
		.. " return if ok then 'compiled' else problem"
	return world.server:eval(source, SCHEMA)
end

it("is of this version", function()
	local library = test.world({ project = "." }).server:require(LIBRARY)
	expect(library.VERSION):toBe("{VERSION}")
end)

it("says which command starts a service", function()
	expect(problem("{}")):toContain('Options.Token is missing: "blinkblox serve" prints it')
	expect(problem("{ Token = 'abcdefghabcdefgh', Port = 1 }")):toContain(
		"no BlinkBlox service answers at http://127.0.0.1:1: start one with \"blinkblox serve\""
	)
end)
"#;

/// A game with the package where its manager puts it, and a spec that uses it.
fn game(packages: &str, place: &str, link: (&str, &str), files: &[(String, String)]) -> tempfile::TempDir {
    let tree = format!(
        r#"{{ "name": "tool", "tree": {{ "$className": "DataModel",
            "ReplicatedStorage": {{ "Packages": {{ "$path": "{packages}" }} }} }} }}"#
    );
    let spec = SPEC.replace("{VERSION}", VERSION);
    let folder = project(&[
        ("default.project.json", &tree),
        (&format!("{packages}/{}", link.0), link.1),
        ("library.spec.luau", &spec),
    ]);
    for (name, text) in files {
        let path = folder.path().join(packages).join(place).join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

#[test]
fn managers_take_what_the_library_needs_and_nothing_else() {
    let names = |manifest| taken(manifest).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    let source = ["src/describe.luau", "src/init.luau"];
    let wally = ["LICENSE", "README.md", "default.project.json"];
    assert_eq!(
        names("wally.toml"),
        wally.into_iter().chain(source).chain(["wally.toml"]).collect::<Vec<_>>()
    );
    let pesde = ["LICENSE", "README.md", "pesde.toml"];
    assert_eq!(names("pesde.toml"), pesde.into_iter().chain(source).collect::<Vec<_>>());
    let own = fs::read_to_string(library().join("../../LICENSE")).unwrap();
    assert_eq!(read("LICENSE"), own);
}

#[test]
fn manifests_and_library_carry_one_version() {
    for (file, line) in [
        ("wally.toml", format!("version = \"{VERSION}\"")),
        ("pesde.toml", format!("version = \"{VERSION}\"")),
        ("wally.toml", "name = \"blinkblox/blinkblox\"".to_string()),
        ("pesde.toml", "name = \"blinkblox/blinkblox\"".to_string()),
        ("wally.toml", "realm = \"shared\"".to_string()),
        ("pesde.toml", "environment = \"roblox\"".to_string()),
        ("pesde.toml", "lib = \"src/init.luau\"".to_string()),
        ("src/init.luau", format!("local VERSION = \"{VERSION}\"")),
        ("README.md", format!("blinkblox/blinkblox@{VERSION}\"`")),
    ] {
        let text = read(file);
        assert!(text.lines().any(|own| own.contains(&line)), "{file} has no line {line}");
    }
}

#[test]
fn the_library_loads_from_where_managers_put_it() {
    // Wally: a package in the index, and a module beside it that stands for it.
    let wally = game(
        "Packages",
        &format!("_Index/blinkblox_blinkblox@{VERSION}/blinkblox"),
        (
            "blinkblox.lua",
            &format!(
                "return require(script.Parent._Index[\"blinkblox_blinkblox@{VERSION}\"][\"blinkblox\"])\n"
            ),
        ),
        &taken("wally.toml"),
    );
    // pesde: the same by paths, up to the module its manifest names.
    let pesde = game(
        "roblox_packages",
        &format!(".pesde/blinkblox+blinkblox/{VERSION}/blinkblox"),
        (
            "blinkblox.luau",
            &format!(
                "local module = require(\"./.pesde/blinkblox+blinkblox/{VERSION}/blinkblox/src\")\n\
                 export type Options = module.Options\nexport type Modules = module.Modules\nreturn module\n"
            ),
        ),
        &taken("pesde.toml"),
    );
    for folder in [wally, pesde] {
        let ran = blinkblox(&folder, &["test"]);
        assert!(ran.status.success(), "{}{}", out(&ran), err(&ran));
        assert!(out(&ran).contains("2 passed"), "{}", out(&ran));
    }
}

/// A service that says what it is told to say.
fn answering(status: u16, body: serde_json::Value) -> HttpAnswers {
    HttpAnswers::new(move |_: &HttpRequest| {
        let body = body.as_str().map_or_else(|| body.to_string(), str::to_owned);
        Ok(HttpResponse { status, reason: String::new(), headers: vec![], body: body.into() })
    })
}

#[test]
fn services_that_do_not_fit_are_named() {
    let rows = [
        (200, serde_json::json!("<html>"), "is no BlinkBlox service"),
        (200, serde_json::json!({ "compiler": "9.9.9" }), "is BlinkBlox 9.9.9, and this library is"),
        (
            401,
            serde_json::json!({ "compiler": VERSION, "error": { "kind": "wrong-token", "message": "the token is not" } }),
            "the BlinkBlox service refuses: the token is not",
        ),
        (
            200,
            serde_json::json!({ "compiler": VERSION, "success": false, "diagnostics": [],
                "drawn": [["error", "[E3004]"], ["plain", " a < b & \"c\""]] }),
            "[E3004] a < b & \"c\"",
        ),
        (
            200,
            serde_json::json!({ "compiler": VERSION, "success": true, "drawn": [],
                "modules": { "server": "s", "client": "c", "types": "t" },
                "diagnostics": [{ "code": "W3019", "message": "unreliable", "file": "Schema.blink",
                    "range": { "start": { "line": 2, "column": 7 } } }] }),
            "sct[W3019] Schema.blink:2:7: unreliable",
        ),
    ];
    for (status, body, words) in rows {
        let folder = game("Packages", "blinkblox", ("Other.luau", "return 1\n"), &taken("wally.toml"));
        let spec = format!(
            "it('says it', function()\n\
             \tlocal world = test.world({{ project = '.' }})\n\
             \tlocal said = world.server:eval([==[\n\
             \t\tlocal library = require(game.ReplicatedStorage.Packages.blinkblox)\n\
             \t\tlocal ok, made = pcall(library.Compile, '', {{ Token = 'x' }})\n\
             \t\treturn if ok then made.Server .. made.Client .. made.Types .. made.Warnings[1] else made\n\
             \t]==])\n\
             \texpect(said):toContain([==[{words}]==])\nend)\n"
        );
        fs::write(folder.path().join("library.spec.luau"), spec).unwrap();
        let options = RunOptions {
            files: vec![folder.path().join("library.spec.luau")],
            world: WorldDefaults { http: Some(answering(status, body)), ..WorldDefaults::default() },
            ..RunOptions::default()
        };
        let report = run(&options, |_| {});
        assert_eq!(report.exit_code(), 0, "{words}\n{}", render(&report, Format::Pretty, false));
    }
}
