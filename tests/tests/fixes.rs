//! Corrections that diagnostics offer: applied, the problem is gone.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

use blinkblox_compiler::Analysis;
use blinkblox_compiler::analyze;
use blinkblox_compiler::diagnostics::{Diagnostic, Fix};
use blinkblox_compiler::schema::Profile;
use blinkblox_compiler::source::{FileId, MemoryLoader};
use blinkblox_tests::corpus::{ENTRY, corpus};

fn read(files: &[(String, String)]) -> Analysis {
    let loader =
        files.iter().fold(MemoryLoader::new(), |loader, (name, text)| loader.with(name, text.clone()));
    analyze(&loader, ENTRY, Profile::Release)
}

/// The entry's text with the edits made, last first, so that earlier places stay right.
fn apply(text: &str, fix: &Fix) -> String {
    let mut edits = fix.edits.clone();
    edits.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
    let mut fixed = text.to_string();
    for (span, replacement) in edits {
        fixed.replace_range(span.start as usize..span.end as usize, &replacement);
    }
    fixed
}

fn problems(diagnostics: &[Diagnostic]) -> Vec<String> {
    diagnostics
        .iter()
        .map(|diagnostic| format!("{} {}", diagnostic.code_text(), diagnostic.headline))
        .collect()
}

#[test]
fn a_correction_takes_its_problem_away() {
    let mut applied = 0;
    for case in corpus("err") {
        let before = read(&case.files);
        for diagnostic in &before.diagnostics {
            for fix in &diagnostic.fixes {
                if fix.edits.iter().any(|(span, _)| span.file != FileId(0)) {
                    continue;
                }
                let mut files = case.files.clone();
                files[0].1 = apply(&files[0].1, fix);
                let after = read(&files);
                let (had, has) = (problems(&before.diagnostics), problems(&after.diagnostics));
                let this = format!("{} {}", diagnostic.code_text(), diagnostic.headline);
                let count = |list: &[String]| list.iter().filter(|problem| **problem == this).count();
                let place = format!("{}: {}: {}", case.path.display(), fix.title, this);
                assert!(count(&has) < count(&had), "{place}\n{}", files[0].1);
                applied += 1;
            }
        }
    }
    assert!(applied >= 10, "only {applied} corrections were tried");
}
