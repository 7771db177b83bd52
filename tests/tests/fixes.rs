//! Corrections that diagnostics offer: applied alone, each takes its problem away and makes no new one of reading.
//!
//! Also that every diagnostic of the corpus says where the problem is and what to do about it.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

use std::collections::BTreeSet;

use blinkblox_compiler::Analysis;
use blinkblox_compiler::analyze;
use blinkblox_compiler::diagnostics::{Diagnostic, Fix};
use blinkblox_compiler::schema::Profile;
use blinkblox_compiler::source::{MemoryLoader, Sources};
use blinkblox_tests::corpus::{ENTRY, corpus};

type Files = Vec<(String, String)>;

/// Codes that have one certain correction in at least one of their forms.
const CORRECTED: &[&str] = &[
    "E1001", "E2001", "E2002", "E2003", "E2005", "E3002", "E3004", "E3007", "E3008", "E3009", "E3010",
    "E3012", "E3013", "E3016", "W3017", "W3020", "E3023", "E3024", "E3025", "E3026", "E3028", "E3032",
    "E3033", "E3034", "E3035", "W3035", "E3037", "W3038",
];

fn read(files: &Files) -> Analysis {
    let profile = files[0].1.lines().find_map(|line| line.strip_prefix("-- profile: ")).unwrap_or("release");
    let loader =
        files.iter().fold(MemoryLoader::new(), |loader, (name, text)| loader.with(name, text.clone()));
    analyze(&loader, ENTRY, Profile::from_text(profile.trim()).unwrap())
}

/// The files with the edits made, last first, so that earlier places stay right.
fn apply(files: &Files, fix: &Fix, sources: &Sources) -> Files {
    let mut files = files.clone();
    let mut edits = fix.edits.clone();
    edits.sort_by_key(|(span, _)| std::cmp::Reverse((span.start, span.end)));
    for pair in edits.windows(2).filter(|pair| pair[0].0.file == pair[1].0.file) {
        assert!(pair[1].0.end <= pair[0].0.start, "edits of \"{}\" overlap", fix.title);
    }
    for (span, replacement) in edits {
        let path = &sources[span.file].path;
        let text = &mut files.iter_mut().find(|(name, _)| name == path).unwrap().1;
        text.replace_range(span.start as usize..span.end as usize, &replacement);
    }
    files
}

fn named(diagnostic: &Diagnostic) -> String {
    format!("{} {}", diagnostic.code_text(), diagnostic.headline)
}

fn count(analysis: &Analysis, wanted: impl Fn(&Diagnostic) -> bool) -> usize {
    analysis.diagnostics.iter().filter(|one| wanted(one)).count()
}

/// Whether a diagnostic is about the text itself rather than what it means.
fn of_reading(diagnostic: &Diagnostic) -> bool {
    matches!(diagnostic.code.number(), 1001..=2002)
}

/// What is wrong with a correction, when something is.
fn check_fix(files: &Files, before: &Analysis, diagnostic: &Diagnostic, fix: &Fix) -> Option<String> {
    let fixed = apply(files, fix, &before.sources);
    let after = read(&fixed);
    let this = named(diagnostic);
    let same = |one: &Diagnostic| named(one) == this;
    let left = count(&after, same) >= count(before, same);
    let worse = count(&after, of_reading) > count(before, of_reading);
    let what = match (left, worse) {
        (true, _) => "does not take the problem away",
        (false, true) => "makes another problem of reading",
        (false, false) => return None,
    };
    let problems: Vec<String> = after.diagnostics.iter().map(named).collect();
    let texts: Vec<&str> = fixed.iter().map(|(_, text)| text.as_str()).collect();
    Some(format!("\"{}\" for {this} {what}:\n{}\nafter it: {problems:#?}", fix.title, texts.join("\n----\n")))
}

#[test]
fn a_correction_takes_its_problem_away() {
    let (mut applied, mut corrected) = (0, BTreeSet::new());
    let mut problems = Vec::new();
    for case in corpus("err") {
        let before = read(&case.files);
        for diagnostic in &before.diagnostics {
            for fix in &diagnostic.fixes {
                if let Some(problem) = check_fix(&case.files, &before, diagnostic, fix) {
                    problems.push(format!("{}: {problem}", case.path.display()));
                }
                applied += 1;
                corrected.insert(diagnostic.code_text());
            }
        }
    }
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n\n"));
    let missing: Vec<&&str> = CORRECTED.iter().filter(|code| !corrected.contains(**code)).collect();
    assert!(missing.is_empty(), "no case has a correction of {missing:?}");
    assert!(applied >= 200, "only {applied} corrections were tried");
}

#[test]
fn every_diagnostic_says_where_and_what_to_do() {
    let mut problems = Vec::new();
    for case in corpus("err") {
        for diagnostic in read(&case.files).diagnostics {
            let placed = diagnostic.span().is_some() || diagnostic.file.is_some();
            let worded = diagnostic.labels.iter().all(|label| !label.message.is_empty());
            let first = diagnostic.headline.chars().next();
            let terse = !diagnostic.headline.ends_with('.') && !diagnostic.headline.contains('\n');
            if !placed || !worded || diagnostic.notes.is_empty() || first.is_none() || !terse {
                problems.push(format!("{}: {diagnostic:?}", case.path.display()));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
