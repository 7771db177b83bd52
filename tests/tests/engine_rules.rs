//! Each documented or measured rule of Roblox has a spec that names it.
//!
//! The rules are listed in `tests/luau/emulator/rules.txt`. A spec names the rules it holds to in its title or in a
//! comment above it, as in `R 3.3.4`, `R 7.5.3-4` or `R 7.3/Destroy, 7.3/Parent`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("luau/emulator")
}

/// A rule that is listed.
struct Rule {
    id: String,
    /// Why it has no spec.
    without: Option<String>,
}

fn rules() -> Vec<Rule> {
    let text = std::fs::read_to_string(folder().join("rules.txt")).expect("the list can be read");
    let body = text.split_once("\n\n").expect("a heading comes first").1;
    let lines = body.lines().filter(|line| !line.is_empty());
    lines
        .map(|line| {
            let mut words = line.splitn(3, ' ');
            let (id, grade, rule) = (words.next(), words.next(), words.next());
            assert!(matches!(grade, Some("D" | "X")), "a grade of D or X comes second in: {line}");
            let rule = rule.unwrap_or_else(|| panic!("the rule is missing in: {line}"));
            let without = rule.split_once(" - ").map(|(_, why)| why.to_owned());
            Rule { id: id.unwrap_or_default().to_owned(), without }
        })
        .collect()
}

/// The ids at the start of `text`: one, several between commas, or a range of the last number.
fn ids(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for part in text.split(", ") {
        let end =
            part.find(|sign: char| !(sign.is_alphanumeric() || "./-".contains(sign))).unwrap_or(part.len());
        let id = part[..end].trim_end_matches(['.', '-']);
        if !id.starts_with(|sign: char| sign.is_ascii_digit()) {
            break;
        }
        let range = id.rsplit_once('-').and_then(|(first, last)| {
            let (section, first) = first.rsplit_once('.')?;
            Some((section, first.parse::<u32>().ok()?, last.parse::<u32>().ok()?))
        });
        match range {
            Some((section, first, last)) => {
                found.extend((first..=last).map(|number| format!("{section}.{number}")));
            }
            None => found.push(id.to_owned()),
        }
        if end < part.len() {
            break;
        }
    }
    found
}

/// Rules that specs name, each with the files that do.
fn named() -> BTreeMap<String, BTreeSet<String>> {
    let mut named: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let entries = std::fs::read_dir(folder()).expect("the folder can be read");
    for entry in entries {
        let path = entry.expect("its entries can be read").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !name.ends_with(".spec.luau") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a spec can be read");
        for (at, _) in text.match_indices("R ") {
            // "R" of its own, not the end of a word.
            if text[..at].ends_with(|sign: char| sign.is_alphanumeric()) {
                continue;
            }
            let line = text[at + 2..].lines().next().unwrap_or_default();
            for id in ids(line) {
                named.entry(id).or_default().insert(name.clone());
            }
        }
    }
    named
}

#[test]
fn each_rule_has_a_spec_that_names_it() {
    let named = named();
    let rules = rules();
    let missing: Vec<&str> = rules
        .iter()
        .filter(|rule| rule.without.is_none() && !named.contains_key(&rule.id))
        .map(|rule| rule.id.as_str())
        .collect();
    assert!(missing.is_empty(), "rules of rules.txt without a spec that names them: {missing:#?}");
    let excused: Vec<&str> = rules
        .iter()
        .filter(|rule| rule.without.as_ref().is_some_and(String::is_empty))
        .map(|rule| rule.id.as_str())
        .collect();
    assert!(excused.is_empty(), "rules without a spec and without a reason: {excused:?}");
    let mut seen = BTreeSet::new();
    let twice: Vec<&str> =
        rules.iter().map(|rule| rule.id.as_str()).filter(|id| !seen.insert(id.to_owned())).collect();
    assert!(twice.is_empty(), "rules that are listed twice: {twice:?}");
}

#[test]
fn rows_that_specs_name_are_rules() {
    let rules: BTreeSet<String> = rules().into_iter().map(|rule| rule.id).collect();
    // Numbers alone may be rules of other grades; a row of a table is listed or misspelt.
    let unknown: Vec<(String, BTreeSet<String>)> =
        named().into_iter().filter(|(id, _)| id.contains('/') && !rules.contains(id)).collect();
    assert!(unknown.is_empty(), "rows that rules.txt does not list: {unknown:#?}");
}

#[test]
fn names_are_read_as_they_are_written() {
    assert_eq!(ids("3.3.4 drops what is queued"), ["3.3.4"]);
    assert_eq!(ids("7.5.3-4 go with nil"), ["7.5.3", "7.5.4"]);
    assert_eq!(ids("7.3/Destroy, 7.3/Parent, 8"), ["7.3/Destroy", "7.3/Parent", "8"]);
    assert_eq!(ids("A1 is none"), Vec::<String>::new());
    assert_eq!(ids("14.10-11 lengths"), ["14.10", "14.11"]);
}
