//! The index of the runtime's rules: every section of the specification with what its specs hold it to.
//!
//! `tests/rules.txt` names each section and, under it, the spec of each rule: the specs whose outermost block begins with
//! the section's number, and tests in Rust where a rule is about text. A spec that goes missing, or is added, shows as a
//! difference; `BLINKBLOX_UPDATE=1` accepts it. No section may be without rules.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use blinkblox_emulator::project::discover::{Discovery, discover};
use blinkblox_emulator::testing::{RunOptions, run};

/// Sections of the specification that have rules of their own: number and title.
const SECTIONS: &[(&str, &str)] = &[
    ("0", "Conventions"),
    ("1.1", "Files"),
    ("1.2", "Load order"),
    ("1.3", "Remotes on the server"),
    ("1.4", "Remotes and signature on the client"),
    ("1.5", "ClientConnectTimeout and AutoStart"),
    ("1.6", "Stubs"),
    ("2", "Module members"),
    ("3.1", "Rules"),
    ("3.2", "Table"),
    ("3.3", "Further rules"),
    ("4.1", "Fields"),
    ("4.2", "Type"),
    ("4.3", "Data and type packs"),
    ("5.1", "Members"),
    ("5.2", "Serialising and rolling back"),
    ("5.3", "The reliable batch"),
    ("5.4", "Unreliable events, unbatched"),
    ("5.5", "Unreliable size limit"),
    ("5.6", "Ordered sequence numbers"),
    ("5.7", "BatchUnreliable"),
    ("5.8", "Outbound budget and Priority"),
    ("5.9", "A client's packets"),
    ("6.1", "When"),
    ("6.2", "What, in order"),
    ("7.1", "Admission on the server"),
    ("7.2", "The decode loop"),
    ("7.3", "One item, in order"),
    ("7.4", "Missing Instances"),
    ("7.5", "Listeners"),
    ("7.6", "Sync listeners"),
    ("7.7", "Queue of events without a listener"),
    ("7.8", "Polling"),
    ("7.9", "Predict"),
    ("8", "Rate limits"),
    ("9.1", "Fields"),
    ("9.2", "Members"),
    ("9.3", "Calling"),
    ("9.4", "Replies"),
    ("9.5", "Answering"),
    ("9.6", "Concurrency"),
    ("9.7", "Ways a call fails"),
    ("10.1", "Declaration"),
    ("10.2", "Members"),
    ("10.3", "State"),
    ("10.4", "One step"),
    ("10.5", "Same, and copying"),
    ("10.6", "Per: Player"),
    ("10.7", "Sending"),
    ("10.8", "On the client"),
    ("11.1", "Declaration"),
    ("11.2", "Members"),
    ("11.3", "Encoding and recovery"),
    ("12", "Handlers and reports"),
    ("12.1", "Rate limit"),
    ("12.2", "Packet drop"),
    ("12.3", "Decode errors"),
    ("12.4", "Listener errors"),
    ("13", "Traffic counters"),
    ("14", "Limits"),
    ("15", "A player leaving"),
    ("16", "Casing"),
    ("17", "Reserved names"),
    ("18", "TypeScript declarations"),
    ("19", "Fixed numbers"),
    ("20", "Diagnostics of this part"),
    ("21", "Texts"),
];

/// Rules that tests in Rust hold: section, file, function.
const IN_RUST: &[(&str, &str, &str)] = &[
    ("1.1", "compiler/tests/golden.rs", "compiling_twice_gives_the_same_bytes"),
    ("1.1", "tests/typecheck/tests/emitted.rs", "schemas_as_large_as_may_be"),
    ("1.1", "tests/typecheck/tests/emitted.rs", "schemas_of_this_crate"),
    ("3.3", "tests/tests/absent.rs", "an_option_that_is_not_set_leaves_no_code"),
    ("3.3", "tests/tests/absent.rs", "a_minimal_schema_stays_small"),
    ("18", "tests/tests/typescript/mirror.rs", "declarations_have_the_members_of_their_modules"),
    ("18", "tests/tests/typescript/compiler.rs", "declarations_compile_and_refuse_misuse"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn heading(number: &str, title: &str) -> String {
    format!("{number} {title}")
}

/// A name on one line.
fn plain(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What holds each section, by its heading: specs in the order they stand in.
fn found() -> BTreeMap<String, Vec<String>> {
    let discovery =
        Discovery { roots: vec![root().join("tests/luau")], include: Vec::new(), exclude: Vec::new() };
    let files = discover(&discovery, None).expect("the folder can be read");
    let files = files.into_iter().map(|file| file.path).collect();
    let report = run(&RunOptions { files, list: true, ..RunOptions::default() }, |_| {});
    let mut sections: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for test in report.files.iter().flat_map(|file| &file.tests) {
        let Some(block) = test.blocks.first().filter(|block| block.starts_with(|c: char| c.is_ascii_digit()))
        else {
            continue;
        };
        let names = test.blocks[1..].iter().chain([&test.name]).map(|name| plain(name));
        sections.entry(plain(block)).or_default().push(names.collect::<Vec<_>>().join(" > "));
    }
    for (section, file, function) in IN_RUST {
        let text = std::fs::read_to_string(root().join(file)).unwrap_or_default();
        assert!(
            text.contains(&format!("fn {function}(")),
            "{file} has no test {function}, which holds {section}"
        );
        let title = SECTIONS.iter().find(|(number, _)| number == section).map_or("", |(_, title)| title);
        sections.entry(heading(section, title)).or_default().push(format!("{file}: {function}"));
    }
    sections
}

fn index(sections: &BTreeMap<String, Vec<String>>) -> String {
    let mut text = String::from(
        "Rules of the runtime, section by section, each by the name of its spec. Written by tests/tests/rules.rs.\n",
    );
    for (number, title) in SECTIONS {
        let heading = heading(number, title);
        text += &format!("\n{heading}\n");
        for rule in sections.get(&heading).into_iter().flatten() {
            text += &format!("    {rule}\n");
        }
    }
    text
}

#[test]
fn every_section_of_the_runtime_has_a_spec_for_each_rule() {
    let sections = found();
    let known: Vec<String> = SECTIONS.iter().map(|(number, title)| heading(number, title)).collect();
    let strange: Vec<&String> = sections.keys().filter(|heading| !known.contains(heading)).collect();
    assert!(strange.is_empty(), "blocks that name no section: {strange:?}");
    let bare: Vec<&String> = known.iter().filter(|heading| !sections.contains_key(*heading)).collect();
    assert!(bare.is_empty(), "sections without a spec: {bare:?}");

    let path = root().join("tests/rules.txt");
    let text = index(&sections);
    if std::env::var_os("BLINKBLOX_UPDATE").is_some() {
        std::fs::write(&path, text).expect("the index can be written");
        return;
    }
    let listed = std::fs::read_to_string(&path).unwrap_or_default();
    let missing: Vec<&str> =
        listed.lines().filter(|line| !text.lines().any(|other| other == *line)).collect();
    let unlisted: Vec<&str> =
        text.lines().filter(|line| !listed.lines().any(|other| other == *line)).collect();
    assert!(
        missing.is_empty() && unlisted.is_empty(),
        "tests/rules.txt differs; BLINKBLOX_UPDATE=1 accepts.\nwithout a spec: {missing:#?}\nnot listed: {unlisted:#?}"
    );
}
