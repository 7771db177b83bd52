//! The project loader: whatever is in a project's files, they are read or refused with a place.
//!
//! An input is one file among others that are always the same. Inputs that name a place outside of the project are
//! left out: what lies there is none of a test's business.

use std::fs;
use std::path::Path;

use blinkblox_emulator::config::Config;
use blinkblox_emulator::project;
use blinkblox_emulator::project::discover::{self, Discovery};

/// What an input is written as.
const FILES: &[&str] = &[
    "default.project.json",
    "src/model.rbxmx",
    "src/model.rbxm",
    "place.rbxlx",
    "place.rbxl",
    "sourcemap.json",
    "blinkblox.toml",
    "src/thing.model.json",
    "src/init.meta.json",
    "src/words.csv",
    "src/data.toml",
    "src/data.yaml",
    "src/data.json",
    "src/inner.project.json",
];

const PROJECT: &str =
    r#"{ "name": "Game", "tree": { "$className": "DataModel", "ReplicatedStorage": { "$path": "src" } } }"#;

/// The first byte says which file the rest is.
pub(crate) fn run(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else { return };
    if leaves(rest) {
        return;
    }
    let name = FILES[usize::from(*first) % FILES.len()];
    let folder = tempfile::tempdir_in(memory()).expect("a folder can be made");
    let at = folder.path();
    fs::create_dir(at.join("src")).expect("a folder can be made");
    let write = |name: &str, bytes: &[u8]| fs::write(at.join(name), bytes).expect("a file can be written");
    write("default.project.json", PROJECT.as_bytes());
    write("src/init.luau", b"return {}");
    write("src/main.server.luau", b"print(1)");
    write(name, rest);
    let loaded = match name {
        "sourcemap.json" => project::load(&at.join(name)),
        "place.rbxlx" | "place.rbxl" | "default.project.json" => project::load(&at.join(name)),
        "blinkblox.toml" => {
            if let Ok(config) = Config::of_folder(at) {
                let _ = config.settings();
            }
            return;
        }
        _ => project::load(at),
    };
    match loaded {
        Ok(tree) => {
            let _ = tree.into_place(None);
        }
        Err(problem) => assert!(!problem.to_string().is_empty()),
    }
    if name.ends_with("project.json") {
        let _ = project::find_project(at);
        let roots = vec![at.to_owned()];
        let _ = discover::discover(&Discovery { roots, include: Vec::new(), exclude: Vec::new() }, None);
    }
}

/// A folder in memory, where there is one: thousands are made.
fn memory() -> std::path::PathBuf {
    let shared = Path::new("/dev/shm");
    if shared.is_dir() { shared.to_owned() } else { std::env::temp_dir() }
}

/// Whether a text may name a place outside of its folder.
fn leaves(bytes: &[u8]) -> bool {
    let has = |piece: &[u8]| bytes.windows(piece.len()).any(|window| window == piece);
    has(b"..") || has(b"\"/") || has(b"'/") || has(b"\\u")
}

/// A file of each kind.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let texts: &[(u8, &str)] = &[
        (0, PROJECT),
        (
            0,
            r#"{ "name": "A", "servePort": 1, "globIgnorePaths": ["**/*.spec.luau"], "emitLegacyScripts": false,
            "tree": { "$className": "DataModel", "Workspace": { "$properties": { "Gravity": 10.5 }, "$ignoreUnknownInstances": true,
            "Part": { "$className": "Part", "$properties": { "Size": [1, 2, 3], "Color": { "Color3": [1, 0, 0] }, "Anchored": true },
            "$attributes": { "A": 1, "B": "x" } } }, "S": { "$path": { "optional": "nothing" } } } } // end"#,
        ),
        (
            1,
            "<roblox version=\"4\"><Item class=\"Folder\" referent=\"A\"><Properties><string name=\"Name\">F</string>\
            </Properties><Item class=\"ModuleScript\"><Properties><ProtectedString name=\"Source\"><![CDATA[return 1]]>\
            </ProtectedString></Properties></Item></Item></roblox>",
        ),
        (
            3,
            "<roblox version=\"4\"><Item class=\"Workspace\" referent=\"W\"><Properties><float name=\"Gravity\">5</float>\
            </Properties><Item class=\"Part\" referent=\"P\"><Properties><Vector3 name=\"size\"><X>1</X><Y>2</Y><Z>3</Z></Vector3>\
            <CoordinateFrame name=\"CFrame\"><X>0</X><Y>0</Y><Z>0</Z><R00>1</R00><R01>0</R01><R02>0</R02><R10>0</R10><R11>1</R11>\
            <R12>0</R12><R20>0</R20><R21>0</R21><R22>1</R22></CoordinateFrame><token name=\"Material\">256</token>\
            <Ref name=\"X\">null</Ref></Properties></Item></Item></roblox>",
        ),
        (
            5,
            r#"{ "name": "G", "className": "DataModel", "children": [ { "name": "S", "className": "ModuleScript",
            "filePaths": ["src/init.luau"], "children": [ { "name": "F", "className": "Folder" } ] } ] }"#,
        ),
        (
            6,
            "project = \"default.project.json\"\n[[schema]]\npath = \"net/game.blink\"\nprofile = \"test\"\n[emulator]\nfps = 30\n",
        ),
        (
            7,
            r#"{ "className": "Part", "properties": { "Size": [1, 2, 3], "Material": "Wood" }, "attributes": { "A": { "Vector3": [1, 2, 3] } },
            "children": [ { "name": "C", "className": "IntValue", "properties": { "Value": 4 } } ] }"#,
        ),
        (8, r#"{ "className": "Folder", "ignoreUnknownInstances": false, "properties": { "Tags": ["a"] } }"#),
        (9, "Key,Source,Context,Example,en,es\nHi,\"Hello, you\",,,Hello,Hola\n"),
        (10, "a = 1\n[b]\nc = [1, 2.5, \"x\"]\nd = 1979-05-27\n"),
        (11, "a: 1\nb: [x, y]\nc:\n  - {d: 1.5}\n  - null\n"),
        (12, r#"{ "a": [1, 2.5, null, true], "b": { "c": "d" } }"#),
        (13, r#"{ "name": "Inner", "tree": { "$path": "init.luau" } }"#),
    ];
    let mut seeds: Vec<Vec<u8>> =
        texts.iter().map(|(kind, text)| [&[*kind], text.as_bytes()].concat()).collect();
    // An empty binary model: its header, and the chunk that ends it.
    let model = b"<roblox!\x89\xff\x0d\x0a\x1a\x0a\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0END\0\0\0\0\0\x09\0\0\0\0\0\0\0</roblox>";
    seeds.extend([2u8, 4].map(|kind| [&[kind], model.as_slice()].concat()));
    seeds
}
