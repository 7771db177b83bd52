//! Games as package managers lay them out: Wally's and pesde's index of packages with modules that link into it, and what
//! roblox-ts compiles to.

use std::path::Path;

use blinkblox_emulator::project;
use blinkblox_emulator::shared::SignalMode;
use blinkblox_suites::{On, Runner};

fn write(root: &Path, files: &[(&str, &str)]) {
    for (file, text) in files {
        let path = root.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

/// Loads a game and runs a chunk on a side; gives what it returned.
fn run(root: &Path, on: On, source: &str) -> String {
    let tree = project::load(root).unwrap_or_else(|problem| panic!("{problem}"));
    let running = Runner::new(tree).world(on, SignalMode::Deferred);
    let result = running.run(source, &[], 60.0).unwrap_or_else(|problem| panic!("{problem}"));
    assert!(running.world.errors().is_empty(), "{}", running.output());
    result
}

#[test]
fn wally_links_its_packages() {
    let game = tempfile::tempdir().unwrap();
    write(
        game.path(),
        &[
            (
                "default.project.json",
                r#"{"name": "game", "tree": {"$className": "DataModel",
                    "ReplicatedStorage": {"Packages": {"$path": "Packages"}},
                    "ServerScriptService": {"ServerPackages": {"$path": "ServerPackages"}}}}"#,
            ),
            // Links as Wally writes them, with the types passed on.
            (
                "Packages/Greeter.lua",
                "local REQUIRED_MODULE = require(script.Parent._Index[\"somebody_greeter@1.2.0\"][\"greeter\"])\n\
                 export type Greeting = REQUIRED_MODULE.Greeting \nreturn REQUIRED_MODULE\n",
            ),
            (
                "Packages/_Index/somebody_greeter@1.2.0/greeter/init.lua",
                "local Words = require(script.Parent.Words)\nexport type Greeting = string\n\
                 return function(name: string): Greeting return `{Words.hello}, {name}` end\n",
            ),
            (
                "Packages/_Index/somebody_greeter@1.2.0/Words.lua",
                "return require(script.Parent.Parent[\"other_words@0.1.0\"][\"words\"])\n",
            ),
            // A package may be a project of its own, whose name is not its folder's.
            (
                "Packages/_Index/other_words@0.1.0/words/default.project.json",
                r#"{"name": "words", "tree": {"$path": "src"}}"#,
            ),
            ("Packages/_Index/other_words@0.1.0/words/src/init.luau", "return { hello = \"hello\" }\n"),
            (
                "ServerPackages/Keeper.lua",
                "return require(script.Parent._Index[\"somebody_keeper@0.3.1\"][\"keeper\"])\n",
            ),
            (
                "ServerPackages/_Index/somebody_keeper@0.3.1/keeper.lua",
                "return require(game:GetService(\"ReplicatedStorage\").Packages.Greeter)\n",
            ),
        ],
    );
    let greet = "return require(game.ReplicatedStorage.Packages.Greeter)('Ada')";
    assert_eq!(run(game.path(), On::Server, greet), "hello, Ada");
    assert_eq!(run(game.path(), On::Client, greet), "hello, Ada");
    let keep = "return require(game.ServerScriptService.ServerPackages.Keeper)('Bo')";
    assert_eq!(run(game.path(), On::Server, keep), "hello, Bo");

    std::fs::remove_dir_all(game.path().join("Packages")).unwrap();
    let problem = project::load(game.path()).unwrap_err().to_string();
    assert!(
        problem.contains("default.project.json:2:") && problem.contains("`Packages` does not exist"),
        "{problem}"
    );
    assert!(problem.contains("tree.ReplicatedStorage.Packages.$path"), "{problem}");
    assert!(problem.contains("wally install"), "{problem}");
}

#[test]
fn pesde_links_its_packages() {
    let game = tempfile::tempdir().unwrap();
    write(
        game.path(),
        &[
            (
                "default.project.json",
                r#"{"name": "game", "tree": {"$className": "DataModel",
                    "ReplicatedStorage": {"roblox_packages": {"$path": "roblox_packages"}}}}"#,
            ),
            (
                "roblox_packages/greeter.luau",
                "local module = require(\"./.pesde/somebody+greeter/1.2.0/greeter\")\nreturn module\n",
            ),
            (
                "roblox_packages/.pesde/somebody+greeter/1.2.0/greeter/init.luau",
                "local words = require(\"./words\")\nlocal own = require(\"@self/own\")\n\
                 return function(name) return own(words.hello, name) end\n",
            ),
            (
                "roblox_packages/.pesde/somebody+greeter/1.2.0/greeter/own.luau",
                "return function(word, name) return `{word}, {name}` end\n",
            ),
            (
                "roblox_packages/.pesde/somebody+greeter/1.2.0/words.luau",
                "return require(\"../../other+words/0.1.0/words\")\n",
            ),
            ("roblox_packages/.pesde/other+words/0.1.0/words.luau", "return { hello = \"hello\" }\n"),
        ],
    );
    let greet = "return require(game.ReplicatedStorage.roblox_packages.greeter)('Ada')";
    assert_eq!(run(game.path(), On::Server, greet), "hello, Ada");
}

#[test]
fn roblox_ts_finds_runtime_and_packages() {
    let Some(modules) = blinkblox_suites::fetch::npm() else { return };
    let game = tempfile::tempdir().unwrap();
    let include = modules.join("roblox-ts/include");
    let scope = modules.join("@rbxts");
    write(
        game.path(),
        &[
            (
                "default.project.json",
                &serde_json::json!({
                    "name": "game",
                    "globIgnorePaths": ["**/package.json", "**/tsconfig.json"],
                    "tree": {
                        "$className": "DataModel",
                        "ServerScriptService": { "TS": { "$path": "out/server" } },
                        "ReplicatedStorage": {
                            "rbxts_include": {
                                "$path": include,
                                "node_modules": {
                                    "$className": "Folder",
                                    "@rbxts": {
                                        "$className": "Folder",
                                        "t": { "$path": scope.join("t") },
                                        "services": { "$path": scope.join("services") }
                                    }
                                }
                            },
                            "TS": { "$path": "out/shared" }
                        },
                        "StarterPlayer": { "StarterPlayerScripts": { "TS": { "$path": "out/client" } } }
                    }
                })
                .to_string(),
            ),
            // As roblox-ts 3 compiles a module, a server's and a client's script.
            (
                "out/shared/module.luau",
                "-- Compiled with roblox-ts v3.0.0\n\
                 local TS = require(game:GetService(\"ReplicatedStorage\"):WaitForChild(\"rbxts_include\"):WaitForChild(\"RuntimeLib\"))\n\
                 local t = TS.import(script, game:GetService(\"ReplicatedStorage\"), \"rbxts_include\", \"node_modules\", \"@rbxts\", \"t\", \"lib\", \"ts\").t\n\
                 local isCount = t.integer\nreturn { isCount = isCount }\n",
            ),
            (
                "out/server/main.server.luau",
                "-- Compiled with roblox-ts v3.0.0\n\
                 local TS = require(game:GetService(\"ReplicatedStorage\"):WaitForChild(\"rbxts_include\"):WaitForChild(\"RuntimeLib\"))\n\
                 local isCount = TS.import(script, game:GetService(\"ReplicatedStorage\"), \"TS\", \"module\").isCount\n\
                 local Workspace = TS.import(script, game:GetService(\"ReplicatedStorage\"), \"rbxts_include\", \"node_modules\", \"@rbxts\", \"services\").Workspace\n\
                 Workspace:SetAttribute(\"Server\", isCount(3))\n",
            ),
            (
                "out/client/main.client.luau",
                "-- Compiled with roblox-ts v3.0.0\n\
                 local TS = require(game:GetService(\"ReplicatedStorage\"):WaitForChild(\"rbxts_include\"):WaitForChild(\"RuntimeLib\"))\n\
                 local isCount = TS.import(script, game:GetService(\"ReplicatedStorage\"), \"TS\", \"module\").isCount\n\
                 workspace:SetAttribute(\"Client\", isCount(3.5))\n",
            ),
        ],
    );
    let both = "task.wait(1) return `{workspace:GetAttribute('Server')} {workspace:GetAttribute('Client')}`";
    assert_eq!(run(game.path(), On::Client, both), "true false");
}
