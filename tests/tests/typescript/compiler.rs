//! The TypeScript compiler, run over the declarations of every schema and the code in `tests/typescript/src`; and
//! roblox-ts, which turns that code into Luau, a small game among it that is played.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use blinkblox_emulator::shared::SignalMode;
use blinkblox_emulator::testing::reporters::{Format, render};
use blinkblox_emulator::testing::{RunOptions, run};
use blinkblox_tests::npm;

use crate::{cases, folder};

/// Files that stand beside what is installed.
const MANIFEST: [&str; 8] = [
    "package.json",
    "package-lock.json",
    ".npmrc",
    "tsconfig.json",
    "game.tsconfig.json",
    "default.project.json",
    "Future.luau",
    "play.spec.luau",
];

/// Methods that code compiled by roblox-ts may call: those of services, futures and promises, and none of a module's.
const METHODS: [&str; 5] = ["Await", "GetService", "IsComplete", "WaitForChild", "andThen"];

/// Where code that must not compile stands.
const MISTAKES: &str = "mistakes.ts";

#[test]
fn declarations_compile_and_refuse_misuse() {
    if !has_tools() {
        return;
    }
    let place = installed();
    let source = place.join("src");
    let _ = std::fs::remove_dir_all(&source);
    std::fs::create_dir_all(&source).unwrap();
    for entry in std::fs::read_dir(folder("typescript/src")).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, source.join(path.file_name().unwrap())).unwrap();
    }
    for case in cases() {
        let outputs = case.compile();
        let declarations = outputs.declarations.unwrap();
        let folder = source.join(&case.name);
        std::fs::create_dir_all(&folder).unwrap();
        let write = |file: &str, text: &str| std::fs::write(folder.join(file), text).unwrap();
        write("Server.d.ts", &declarations.server);
        write("Client.d.ts", &declarations.client);
        if let Some(types) = &declarations.types {
            write("Types.d.ts", types);
        }
        // The cases that code is written for.
        if case.name.starts_with("golden-typescript") {
            write("Server.luau", &outputs.server);
            write("Client.luau", &outputs.client);
            write("Types.luau", outputs.types.as_deref().unwrap_or_default());
        }
    }

    check_types(place);
    check_calls(place);
    play(place);
}

/// No error but those that the mistakes are marked with.
fn check_types(place: &Path) {
    let errors = errors(place);
    let (mistakes, others): (Vec<_>, Vec<_>) =
        errors.into_iter().partition(|error| error.file == format!("src/{MISTAKES}"));
    let others: Vec<String> = others.iter().map(|error| error.text.clone()).collect();
    assert!(others.is_empty(), "{}", others.join("\n"));

    let expected = marks(&std::fs::read_to_string(place.join("src").join(MISTAKES)).unwrap());
    assert!(expected.len() >= 30, "only {} mistakes", expected.len());
    let found: BTreeSet<(usize, String)> =
        mistakes.iter().map(|error| (error.line, error.code.clone())).collect();
    let missing: Vec<_> = expected.difference(&found).collect();
    let raised: Vec<_> = mistakes
        .iter()
        .filter(|error| !expected.contains(&(error.line, error.code.clone())))
        .map(|error| error.text.as_str())
        .collect();
    assert!(missing.is_empty() && raised.is_empty(), "missing {missing:?}\nraised {raised:#?}");
}

/// Code that is meant to compile does, and calls a module's members with a dot.
fn check_calls(place: &Path) {
    roblox_ts(place, "game.tsconfig.json");
    let mut methods = BTreeSet::new();
    for file in ["server.luau", "client.luau", "names.luau", "playServer.luau", "playClient.luau"] {
        let text = std::fs::read_to_string(place.join("out").join(file)).unwrap();
        assert!(text.contains("."), "{file} is empty");
        methods.extend(methods_called(&text));
    }
    assert_eq!(methods, BTreeSet::from(METHODS.map(str::to_owned)));
}

/// The compiled game plays on the modules, a server and a client.
fn play(place: &Path) {
    let files = vec![place.join("play.spec.luau")];
    let signals = vec![SignalMode::Immediate, SignalMode::Deferred];
    let report = run(&RunOptions { files, signals, ..RunOptions::default() }, |_| {});
    assert_eq!(report.exit_code(), 0, "{}", render(&report, Format::Pretty, false));
    assert_eq!(report.totals().passed, 2);
}

/// Names called as methods in Luau text.
fn methods_called(text: &str) -> impl Iterator<Item = String> {
    text.split(':').skip(1).filter_map(|rest| {
        let name: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        (!name.is_empty() && rest[name.len()..].starts_with('(')).then_some(name)
    })
}

/// Runs roblox-ts in a folder, which must have no complaint.
pub fn roblox_ts(place: &Path, config: &str) {
    let output = Command::new("node")
        .args(["node_modules/roblox-ts/out/CLI/cli.js", "-p", config])
        .current_dir(place)
        .output()
        .unwrap();
    assert!(output.status.success(), "roblox-ts: {}", String::from_utf8_lossy(&output.stdout));
}

/// Whether there are Node.js and npm; says so where there are not.
pub fn has_tools() -> bool {
    let both = has("node") && has("npm");
    if !both {
        println!("skipped: there is no node or no npm");
    }
    both
}

fn has(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// A folder of the target directory with the compiler and the types, made anew when the manifest changes.
pub fn installed() -> &'static Path {
    static PLACE: OnceLock<PathBuf> = OnceLock::new();
    PLACE.get_or_init(install)
}

fn install() -> PathBuf {
    npm::installed(&folder("typescript"), &MANIFEST, env!("CARGO_TARGET_TMPDIR"), "typescript")
}

/// An error of the compiler.
struct Error {
    file: String,
    line: usize,
    code: String,
    /// As it is printed.
    text: String,
}

/// What the compiler reports, faults of the types it is given left out.
fn errors(place: &Path) -> Vec<Error> {
    let output = Command::new("node")
        .args(["node_modules/typescript/bin/tsc", "--pretty", "false", "-p", "."])
        .current_dir(place)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    // Lines with a space in front go on with what is above them.
    let errors: Vec<Error> = text.lines().filter(|line| !line.starts_with(' ')).map(error).collect();
    assert!(!errors.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    errors.into_iter().filter(|error| !error.file.starts_with("node_modules/")).collect()
}

/// `src/file.ts(12,3): error TS2345: ..`
fn error(line: &str) -> Error {
    let parts = || {
        let (file, rest) = line.split_once('(')?;
        let (place, rest) = rest.split_once("): error ")?;
        let (code, _) = rest.split_once(':')?;
        let (row, _) = place.split_once(',')?;
        Some(Error {
            file: file.to_owned(),
            line: row.parse().ok()?,
            code: code.to_owned(),
            text: line.to_owned(),
        })
    };
    parts().unwrap_or_else(|| panic!("tsc: {line}"))
}

/// Lines that must have an error, with its code: each stands above its mark.
fn marks(text: &str) -> BTreeSet<(usize, String)> {
    let marked = |(above, line): (usize, &str)| Some((above, line.strip_prefix("//^ ")?.to_owned()));
    text.lines().enumerate().filter_map(marked).collect()
}
