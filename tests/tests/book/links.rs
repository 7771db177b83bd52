//! Links lead somewhere, and the summary names every page once.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use blinkblox_compiler::diagnostics::Code;
use blinkblox_compiler::explain;
use blinkblox_tests::book::{self as pages, Page, prose};

/// Links of a page: the line, the text and the target.
pub fn links(text: &str) -> Vec<(usize, String, String)> {
    let mut found = Vec::new();
    for (number, line) in prose(text).lines().enumerate() {
        // What is code is no link.
        let plain: String = line.split('`').step_by(2).collect::<Vec<_>>().join("code");
        for (at, _) in plain.match_indices("](") {
            let Some(target) = plain[at + 2..].split(')').next() else { continue };
            let words = plain[..at].rsplit('[').next().unwrap_or_default();
            found.push((number + 1, words.to_owned(), target.to_owned()));
        }
    }
    found
}

/// The ids of a page's headings, as mdBook makes them.
pub fn anchors(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for line in prose(text).lines() {
        let Some(heading) = line.strip_prefix('#') else { continue };
        let heading = heading.trim_start_matches('#').trim().replace('`', "");
        let id: String = heading
            .chars()
            .filter_map(|c| match c {
                c if c.is_alphanumeric() || c == '_' || c == '-' => Some(c.to_ascii_lowercase()),
                c if c.is_whitespace() => Some('-'),
                _ => None,
            })
            .collect();
        let count = counts.entry(id.clone()).or_insert(0);
        found.insert(if *count == 0 { id } else { format!("{id}-{count}") });
        *count += 1;
    }
    found
}

fn resolved(page: &Page, target: &str) -> PathBuf {
    let mut path = page.file.parent().unwrap().to_path_buf();
    for part in Path::new(target).components() {
        match part {
            std::path::Component::ParentDir if path.ends_with("..") => path.push(".."),
            std::path::Component::ParentDir => drop(path.pop()),
            other => path.push(other),
        }
    }
    path
}

#[test]
fn links_lead_somewhere() {
    let all = pages::all();
    let mut wrong = Vec::new();
    let mut count = 0;
    for page in &all {
        for (line, _, target) in links(&page.text) {
            if target.starts_with("http://")
                || target.starts_with("https://")
                || target.starts_with("mailto:")
            {
                continue;
            }
            count += 1;
            let (path, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let file = if path.is_empty() { page.file.clone() } else { resolved(page, path) };
            let at = format!("{}:{line}: {target}", page.shown());
            if !file.exists() {
                wrong.push(at);
            } else if !page.name.is_empty()
                && !path.is_empty()
                && path.ends_with(".md")
                && !file.starts_with(pages::book())
            {
                wrong.push(format!("{at}: outside the book, where no reader of the book gets"));
            } else if !anchor.is_empty()
                && !anchors(&std::fs::read_to_string(&file).unwrap()).contains(anchor)
            {
                wrong.push(format!("{at}: no such heading"));
            }
        }
    }
    assert!(wrong.is_empty(), "links that lead nowhere:\n{}", wrong.join("\n"));
    assert!(count > 10, "only {count} links were found");
}

#[test]
fn the_summary_names_every_page_once() {
    let all = pages::all();
    let summary = all.iter().find(|page| page.name == "SUMMARY.md").unwrap();
    let mut named: Vec<String> = links(&summary.text).into_iter().map(|(_, _, target)| target).collect();
    named.sort();
    let mut wanted: Vec<String> = all
        .iter()
        .map(|page| page.name.clone())
        .filter(|name| !name.is_empty() && name != "SUMMARY.md")
        .collect();
    wanted.sort();
    assert_eq!(named, wanted);
}

#[test]
fn every_page_begins_with_its_one_title() {
    for page in pages::all().iter().filter(|page| !page.name.is_empty()) {
        let text = prose(&page.text);
        let titles = text.lines().filter(|line| line.starts_with("# ")).count();
        let parts = if page.name == "SUMMARY.md" { titles } else { 1 };
        assert!(titles == parts && titles > 0, "{} has {titles} titles", page.name);
    }
}

/// Editors link a diagnostic to the page of its code.
#[test]
fn addresses_of_codes_lead_to_headings() {
    let page = std::fs::read_to_string(pages::book().join("codes.md")).unwrap();
    let known = anchors(&page);
    for code in Code::ALL {
        let address = explain::address(*code);
        let anchor = address.strip_prefix("https://blinkblox.github.io/blinkblox/codes.html#").unwrap();
        assert!(known.contains(anchor), "{address}");
    }
}

/// The workflow that publishes the book: it parses, builds what `book.toml` describes, and makes the texts for programs.
#[test]
fn the_workflow_publishes_what_mdbook_builds() {
    let text = std::fs::read_to_string(pages::root().join(".github/workflows/book.yml")).unwrap();
    let workflow: serde_json::Value = serde_yaml::from_str(&text).unwrap();
    let steps = workflow["jobs"]["publish"]["steps"].as_array().unwrap();
    let place = |wanted: &str| {
        let is_it = |step: &serde_json::Value| {
            ["run", "uses"].iter().any(|key| step[key].as_str().is_some_and(|step| step.starts_with(wanted)))
        };
        steps.iter().position(is_it).unwrap_or_else(|| panic!("no step is {wanted}"))
    };
    let order = [
        "test -x ~/.cargo/bin/mdbook || cargo install mdbook ",
        "cargo test -p blinkblox-tests --test book --locked texts",
        "mdbook build docs",
        "actions/upload-pages-artifact@",
        "actions/deploy-pages@",
    ];
    assert!(order.map(place).is_sorted());
    assert_eq!(steps[place(order[1])]["env"]["BLINKBLOX_UPDATE"], "1");
    // mdBook writes beside its configuration unless that says otherwise.
    assert_eq!(steps[place(order[3])]["with"]["path"], "docs/book");
    let book = std::fs::read_to_string(pages::root().join("docs/book.toml")).unwrap();
    assert!(!book.contains("build-dir"));
    for permission in ["pages", "id-token"] {
        assert_eq!(workflow["permissions"][permission], "write");
    }
}

#[test]
fn the_book_is_one_mdbook_reads() {
    let text = std::fs::read_to_string(pages::root().join("docs/book.toml")).unwrap();
    // The keys mdBook knows; another one stops it.
    let known = [
        "title",
        "description",
        "language",
        "src",
        "authors",
        "git-repository-url",
        "edit-url-template",
        "no-section-label",
        "additional-css",
        "additional-js",
        "default-theme",
        "build-dir",
        "create-missing",
        "smart-punctuation",
        "enable",
        "level",
        "limit-results",
    ];
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with(['#', '['])) {
        let key = line.split('=').next().unwrap().trim();
        assert!(known.contains(&key), "book.toml: {line}");
    }
    assert!(text.contains("src = \"src\"") && text.starts_with("[book]\n"));
}

#[test]
fn ids_are_those_of_mdbook() {
    let text = "# One & two\n## `--flag`, again\n## What?\n## What?\n```\n# no\n```\n";
    let wanted = ["one--two", "--flag-again", "what", "what-1"];
    assert_eq!(anchors(text), wanted.into_iter().map(String::from).collect());
    assert_eq!(links("see [a](b.md#c) and `[x](y)`"), [(1, "a".into(), "b.md#c".into())]);
}

#[test]
fn every_example_stands_in_the_book() {
    let all = pages::all();
    let mut count = 0;
    for entry in std::fs::read_dir(pages::root().join("examples")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.join("README.md").is_file() {
            let is_named = |page: &Page| {
                !page.name.is_empty() && prose(&page.text).contains(&format!("`examples/{name}`"))
            };
            assert!(all.iter().any(is_named), "no page speaks of examples/{name}");
            count += 1;
        }
    }
    assert!(count >= 5, "only {count} examples were found");
}
