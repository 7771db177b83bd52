//! The statements of `tests/statements.txt`: each is held by a spec that has its id in front of its name, or by a test in
//! Rust for what a compile decides; or stands among those without a meaning on Roblox, and is held by none.
//!
//! `docs/src/statements.md` says which spec holds which. `BLINKBLOX_UPDATE=1` writes it anew.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use blinkblox_emulator::project::discover::{Discovery, discover};
use blinkblox_emulator::testing::{RunOptions, run};

/// Tests in Rust with ids in front of their names.
const IN_RUST: &str = "tests/tests/seed_rows.rs";
/// The line behind which statements are held by nothing.
const WITHOUT: &str = "Without a meaning on Roblox";
/// Letters of ids, with what they are about.
const FAMILIES: &[(char, &str)] = &[
    ('S', "Streams"),
    ('T', "Stamps"),
    ('N', "Sessions, messages and entities"),
    ('P', "Snapshots and tables"),
    ('B', "States"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A line of the list.
struct Statement {
    id: String,
    text: String,
    is_held: bool,
}

fn statements() -> Vec<Statement> {
    let text = std::fs::read_to_string(root().join("tests/statements.txt")).unwrap();
    let mut is_held = true;
    let mut found = Vec::new();
    for line in text.lines() {
        if line == WITHOUT {
            is_held = false;
        } else if let Some((id, text)) = line.split_once(' ').filter(|(id, _)| is_id(id)) {
            found.push(Statement { id: id.to_owned(), text: text.to_owned(), is_held });
        }
    }
    found
}

/// A letter of a family, and a number from 1.
fn is_id(word: &str) -> bool {
    let mut chars = word.chars();
    let letter = chars.next();
    let number = chars.as_str();
    FAMILIES.iter().any(|(own, _)| Some(*own) == letter)
        && number.parse::<u32>().is_ok_and(|number| number > 0)
        && !number.starts_with(['0', '+'])
}

/// The ids in front of a name, which may have commas, `and` and `to` between them, and what follows them.
fn ids(name: &str) -> (Vec<String>, String) {
    let mut found: Vec<String> = Vec::new();
    let mut is_range = false;
    let mut rest = name;
    while let Some(word) = rest.split_whitespace().next() {
        let bare = word.trim_end_matches([',', ':']);
        if is_id(bare) {
            let number = |id: &str| id[1..].parse::<u32>().unwrap_or(0);
            if is_range && let Some(last) = found.last().cloned() {
                let (letter, from, to) = (&last[..1], number(&last), number(bare));
                assert!(bare.starts_with(letter) && from < to, "{name}: no range of ids");
                found.extend((from + 1..to).map(|number| format!("{letter}{number}")));
            }
            found.push(bare.to_owned());
            is_range = false;
        } else if !found.is_empty() && matches!(word, "and" | "to") {
            is_range = word == "to";
        } else {
            break;
        }
        rest = rest.trim_start()[word.len()..].trim_start();
    }
    (found, rest.to_owned())
}

/// Where each id is held: file and name.
fn held() -> BTreeMap<String, Vec<(String, String)>> {
    let mut held: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    let root = root().canonicalize().unwrap();
    let roots = vec![root.join("tests/luau")];
    let files = discover(&Discovery { roots, include: Vec::new(), exclude: Vec::new() }, None)
        .expect("it can be read");
    for file in files {
        let path = file.path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
        let options = RunOptions { files: vec![file.path], list: true, ..RunOptions::default() };
        for test in run(&options, |_| {}).files.iter().flat_map(|file| &file.tests) {
            let name = test.name.split_whitespace().collect::<Vec<_>>().join(" ");
            let (found, rest) = ids(&name);
            for id in found {
                held.entry(id).or_default().push((path.clone(), rest.clone()));
            }
        }
    }
    let text = std::fs::read_to_string(root.join(IN_RUST)).unwrap();
    for name in text.lines().filter_map(|line| line.strip_prefix("fn ")?.split('(').next()) {
        let (id, rest) = name.split_once('_').unwrap_or((name, ""));
        if is_id(&id.to_uppercase()) {
            held.entry(id.to_uppercase()).or_default().push((IN_RUST.to_owned(), rest.replace('_', " ")));
        }
    }
    held
}

/// The page of the book.
fn page(statements: &[Statement], held: &BTreeMap<String, Vec<(String, String)>>) -> String {
    let mut page = String::from(
        "# Statements and their specs\n\n\
         What BlinkBlox promises of streams, stamps, networking, tables and states, a row a statement, with the specs that\n\
         hold it. Paths are those of the repository; `tests/tests/statements.rs` writes this page.\n",
    );
    let cell = |text: &str| text.replace('|', "\\|").replace('<', "&lt;").replace('[', "\\[");
    for (letter, title) in FAMILIES {
        let _ = write!(page, "\n## {title}\n\n| Id | Statement | Spec |\n|---|---|---|\n");
        for one in statements.iter().filter(|one| one.is_held && one.id.starts_with(*letter)) {
            let specs: Vec<String> = held
                .get(&one.id)
                .into_iter()
                .flatten()
                .map(|(file, name)| format!("`{file}`: {}", cell(name)))
                .collect();
            let _ = writeln!(page, "| {} | {} | {} |", one.id, cell(&one.text), specs.join("<br>"));
        }
    }
    page.push_str(
        "\n## Without a meaning on Roblox\n\n| Id | Statement, and why none holds it |\n|---|---|\n",
    );
    for one in statements.iter().filter(|one| !one.is_held) {
        let _ = writeln!(page, "| {} | {} |", one.id, cell(&one.text));
    }
    page
}

#[test]
fn every_statement_is_held_by_a_spec() {
    let (statements, held) = (statements(), held());
    for (letter, title) in FAMILIES {
        let numbers = statements.iter().filter(|one| one.id.starts_with(*letter)).count();
        let all =
            (1..=numbers).all(|number| statements.iter().any(|one| one.id == format!("{letter}{number}")));
        assert!(numbers > 0 && all, "{title}: an id is left out, or there twice");
    }
    let strange: Vec<_> =
        held.iter().filter(|(id, _)| !statements.iter().any(|one| one.is_held && one.id == **id)).collect();
    assert!(strange.is_empty(), "specs of ids that have no statement: {strange:?}");
    let missing: Vec<&str> = statements
        .iter()
        .filter(|one| one.is_held && !held.contains_key(&one.id))
        .map(|one| one.id.as_str())
        .collect();
    assert!(missing.is_empty(), "statements that no spec holds: {}", missing.join(" "));

    let path = root().join("docs/src/statements.md");
    let wanted = page(&statements, &held);
    if std::env::var_os("BLINKBLOX_UPDATE").is_some() {
        std::fs::write(&path, wanted).unwrap();
        return;
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = found.lines().zip(wanted.lines()).find(|(found, wanted)| found != wanted);
    assert!(found == wanted, "docs/src/statements.md differs; BLINKBLOX_UPDATE=1 writes it: {differs:?}");
}

#[test]
fn ids_are_read_off_names() {
    let read = |name: &str| {
        let (found, rest) = ids(name);
        (found.join(" "), rest)
    };
    assert_eq!(read("N4 mirrors follow"), ("N4".into(), "mirrors follow".into()));
    assert_eq!(read("N82 N83, N84 and N85 rates"), ("N82 N83 N84 N85".into(), "rates".into()));
    assert_eq!(read("N59 to N62: causes"), ("N59 N60 N61 N62".into(), "causes".into()));
    assert_eq!(read("Shows what"), (String::new(), "Shows what".into()));
    assert_eq!(read("T0 is none"), (String::new(), "T0 is none".into()));
}
