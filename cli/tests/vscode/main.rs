//! The extension for VS Code, as it is packed and as it runs: its grammar beside the compiler's own classes, its code in
//! a stand-in of the editor against the real command, and what is in its package.
//!
//! `npm` installs what `plugins/vscode/package-lock.json` names, once for each content of that file. Where there is no
//! Node.js the tests say so and pass, except in CI.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use blinkblox_compiler::ide;
use blinkblox_compiler::schema::options;
use blinkblox_compiler::syntax::token::{Keyword, Primitive};
use serde_json::Value;

/// Files and folders of the extension that a package is made of or that test it.
const PARTS: [&str; 14] = [
    ".npmrc",
    ".vscodeignore",
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "build.mjs",
    "language-configuration.json",
    "package-lock.json",
    "package.json",
    "snippets",
    "src",
    "syntaxes",
    "test",
    "tsconfig.json",
];
/// What is in a package, and nothing else.
const ENTRIES: [&str; 12] = [
    "[Content_Types].xml",
    "extension.vsixmanifest",
    "extension/LICENSE.txt",
    "extension/changelog.md",
    "extension/dist/NOTICES.txt",
    "extension/dist/extension.js",
    "extension/language-configuration.json",
    "extension/package.json",
    "extension/readme.md",
    "extension/snippets/blink.json",
    "extension/syntaxes/blink.markdown.tmLanguage.json",
    "extension/syntaxes/blink.tmLanguage.json",
];
const PROGRAM: &str = env!("CARGO_BIN_EXE_blinkblox");

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn plugin() -> PathBuf {
    repository().join("plugins/vscode")
}

fn json(name: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(plugin().join(name)).unwrap()).unwrap()
}

#[test]
fn the_extension_is_packed_and_works() {
    let has =
        |program: &str| Command::new(program).arg("--version").output().is_ok_and(|it| it.status.success());
    if !has("node") || !has("npm") {
        assert!(std::env::var_os("CI").is_none(), "there is no node or no npm");
        println!("skipped: there is no node or no npm");
        return;
    }
    let place = installed();
    colours_agree_with_the_compiler(&place);
    package_holds_what_it_should(&place);
    the_client_starts_the_server(&place);
}

/// Every token of the schemas of the tests has the scope of its class, which the language server gives.
fn colours_agree_with_the_compiler(place: &Path) {
    let corpus = repository().join("tests/corpus/ok");
    let listings = repository().join("docs/listings");
    let output =
        node(place, &["test/grammar.mjs", PROGRAM, corpus.to_str().unwrap(), listings.to_str().unwrap()]);
    println!("{}", String::from_utf8_lossy(&output.stdout));
    succeeded("test/grammar.mjs", &output);
}

fn package_holds_what_it_should(place: &Path) {
    succeeded("syntaxes/make.mjs", &node(place, &["syntaxes/make.mjs", "--check"]));
    // Type-checks and bundles on the way.
    let arguments =
        ["node_modules/@vscode/vsce/vsce", "package", "--no-dependencies", "-o", "blinkblox.vsix"];
    succeeded("vsce", &node(place, &arguments));
    let listed = node(place, &["test/entries.mjs", "blinkblox.vsix"]);
    succeeded("test/entries.mjs", &listed);
    let listed = String::from_utf8(listed.stdout).unwrap();
    let found: BTreeSet<&str> = listed.lines().collect();
    assert_eq!(found, BTreeSet::from(ENTRIES));
    let manifest = node(place, &["test/entries.mjs", "blinkblox.vsix", "extension/package.json"]);
    let manifest: Value = serde_json::from_slice(&manifest.stdout).unwrap();
    assert_eq!(manifest["main"], "./dist/extension.js");
    // Every file that the manifest names is in the package.
    let mut named = BTreeSet::new();
    paths(&manifest["contributes"], &mut named);
    assert!(named.len() >= 4, "{named:?}");
    for path in named {
        assert!(found.contains(format!("extension/{path}").as_str()), "{path}");
    }
    let notices = node(place, &["test/entries.mjs", "blinkblox.vsix", "extension/dist/NOTICES.txt"]);
    let notices = String::from_utf8(notices.stdout).unwrap();
    assert!(notices.contains("vscode-languageclient 9.0.1") && notices.contains("Microsoft"), "{notices}");
}

fn the_client_starts_the_server(place: &Path) {
    let folder = tempfile::tempdir().unwrap();
    let schema = folder.path().join("game.blink");
    // A rate on what the server sends is warned of, and compiles.
    let text = "event Give { From: Server, Type: Reliable, Call: ManySync, Rate: 5, Data: u8 }\n";
    std::fs::write(&schema, text).unwrap();
    let output = node(place, &["test/client.mjs", PROGRAM, schema.to_str().unwrap()]);
    succeeded("test/client.mjs", &output);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "the extension works\n");
}

/// Values under `path` and `configuration` that are paths.
fn paths<'a>(value: &'a Value, found: &mut BTreeSet<&'a str>) {
    match value {
        Value::Object(map) => {
            for value in map.values() {
                match value.as_str().and_then(|text| text.strip_prefix("./")) {
                    Some(path) => drop(found.insert(path)),
                    None => paths(value, found),
                }
            }
        }
        Value::Array(all) => all.iter().for_each(|value| paths(value, found)),
        _ => {}
    }
}

fn node(place: &Path, arguments: &[&str]) -> Output {
    Command::new("node").args(arguments).current_dir(place).env_remove("NODE_OPTIONS").output().unwrap()
}

#[track_caller]
fn succeeded(what: &str, output: &Output) {
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{what}:\n{out}\n{err}");
}

/// A folder of the target directory with the extension as it is now and the packages it needs.
fn installed() -> PathBuf {
    let mut hasher = DefaultHasher::new();
    std::fs::read(plugin().join("package-lock.json")).unwrap().hash(&mut hasher);
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("vscode-{:016x}", hasher.finish()));
    let done = place.join("installed");
    std::fs::create_dir_all(&place).unwrap();
    for part in PARTS {
        copy(&plugin().join(part), &place.join(part));
    }
    if !done.is_file() {
        let arguments = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
        let output = Command::new("npm").args(arguments).current_dir(&place).output().unwrap();
        succeeded("npm ci", &output);
        std::fs::write(done, "").unwrap();
    }
    place
}

/// Copies a file, or a folder with what is in it now and nothing of what was.
fn copy(from: &Path, to: &Path) {
    if !from.is_dir() {
        std::fs::copy(from, to).unwrap();
        return;
    }
    let _ = std::fs::remove_dir_all(to);
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        copy(&entry.path(), &to.join(entry.file_name()));
    }
}

#[test]
fn the_extension_carries_the_version_of_the_command() {
    let (package, lock) = (json("package.json"), json("package-lock.json"));
    assert_eq!(package["version"], blinkblox_compiler::VERSION);
    assert_eq!(lock["version"], blinkblox_compiler::VERSION);
    let licence = |path: PathBuf| std::fs::read_to_string(path).unwrap();
    assert_eq!(licence(plugin().join("LICENSE")), licence(repository().join("LICENSE")));
}

/// A word that the language gets is a word of the grammar.
#[test]
fn the_grammar_knows_every_word() {
    let grammar = std::fs::read_to_string(plugin().join("syntaxes/blink.tmLanguage.json")).unwrap();
    let words: BTreeSet<&str> = grammar.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    let keywords = Keyword::ALL.iter().map(|word| word.text());
    let wanted = keywords.chain(Primitive::ALL.iter().map(|word| word.text())).chain(ide::keys());
    let missing: Vec<&str> = wanted.filter(|word| !words.contains(word)).collect();
    assert!(missing.is_empty(), "add to plugins/vscode/syntaxes/make.mjs: {missing:?}");
}

/// Snippets are schemas: with their first choices they compile.
#[test]
fn snippets_are_schemas() {
    let snippets = json("snippets/blink.json");
    let known: BTreeSet<&str> = options::all().map(|(name, _)| name).collect();
    for (name, snippet) in snippets.as_object().unwrap() {
        let lines: Vec<&str> =
            snippet["body"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
        let text = filled(&lines.join("\n"));
        let loader = blinkblox_compiler::source::MemoryLoader::new()
            .with("main.blink", text.as_str())
            .with("file.blink", "type A = u8\n");
        let compiled =
            blinkblox_compiler::compile(&loader, "main.blink", blinkblox_compiler::schema::Profile::Release);
        assert_eq!(compiled.analysis.diagnostics, [], "{name}:\n{text}");
        let set = text.lines().filter_map(|line| line.strip_prefix("option ")?.split(' ').next());
        assert!(set.clone().all(|option| known.contains(option)), "{name}");
    }
}

/// A snippet with what stands in its places: `${1:text}`, or the first of `${1|one,two|}`.
fn filled(snippet: &str) -> String {
    let mut text = snippet.replace("$0", "");
    while let Some(start) = text.find("${") {
        let end = start + closing(&text[start..]);
        let inner = &text[start + 2..end];
        let inner = match inner.split_once('|') {
            Some((number, choices)) if number.bytes().all(|byte| byte.is_ascii_digit()) => {
                choices.split(',').next().unwrap().trim_end_matches('|').to_string()
            }
            _ => inner.split_once(':').unwrap().1.to_string(),
        };
        text.replace_range(start..=end, &inner);
    }
    text
}

/// Where the brace closes that opens at the second byte.
fn closing(text: &str) -> usize {
    let mut depth = 0;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 1 => return at,
            b'}' => depth -= 1,
            _ => {}
        }
    }
    panic!("{text}")
}
