//! The TypeScript compiler, run once over the declarations of every schema and the code in `tests/typescript/src`.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{cases, folder};

/// Files that say what is installed and how.
const MANIFEST: [&str; 4] = ["package.json", "package-lock.json", ".npmrc", "tsconfig.json"];

/// Where code of a game that must compile, and code that must not, stands.
const MISTAKES: &str = "mistakes.ts";

#[test]
fn declarations_compile_and_refuse_misuse() {
    if !has("node") || !has("npm") {
        println!("skipped: there is no node or no npm");
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
        let declarations = case.compile().declarations.unwrap();
        let folder = source.join(&case.name);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("Server.d.ts"), declarations.server).unwrap();
        std::fs::write(folder.join("Client.d.ts"), declarations.client).unwrap();
        if let Some(types) = declarations.types {
            std::fs::write(folder.join("Types.d.ts"), types).unwrap();
        }
    }

    let errors = check(&place);
    let (mistakes, others): (Vec<_>, Vec<_>) =
        errors.into_iter().partition(|error| error.file == format!("src/{MISTAKES}"));
    let others: Vec<String> = others.iter().map(|error| error.text.clone()).collect();
    assert!(others.is_empty(), "{}", others.join("\n"));

    let expected = marks(&std::fs::read_to_string(source.join(MISTAKES)).unwrap());
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

fn has(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// A folder of the target directory with the compiler and the types, made anew when the manifest changes.
fn installed() -> PathBuf {
    let mut hasher = DefaultHasher::new();
    let texts = MANIFEST.map(|file| (file, std::fs::read(folder("typescript").join(file)).unwrap()));
    texts.hash(&mut hasher);
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("typescript-{:016x}", hasher.finish()));
    let done = place.join("installed");
    if done.is_file() {
        return place;
    }
    std::fs::create_dir_all(&place).unwrap();
    for (file, text) in &texts {
        std::fs::write(place.join(file), text).unwrap();
    }
    let arguments = ["ci", "--ignore-scripts", "--no-audit", "--no-fund"];
    let output = Command::new("npm").args(arguments).current_dir(&place).output().unwrap();
    assert!(output.status.success(), "npm ci: {}", String::from_utf8_lossy(&output.stderr));
    std::fs::write(done, "").unwrap();
    place
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
fn check(place: &Path) -> Vec<Error> {
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
