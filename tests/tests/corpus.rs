//! Schemas that compile, and schemas that do not, with every error drawn under its line.
//!
//! In `corpus/err` a comment under a line draws one diagnostic's primary label: `--  ^^^^ E3007`. Words behind the
//! code must be found in the drawn diagnostic. `~~~~` draws a secondary label of the diagnostic last drawn above it.
//! `-- end: E2001` stands for one at the end of the file. A line `---- name.blink` starts another file, which the
//! first may import; `-- profile: test` and `-- also: E4005` (one without a primary label) stand at the top. A file
//! without any of this marks is under `corpus/ok` and must raise nothing.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

use blinkblox_compiler::analyze;
use blinkblox_compiler::diagnostics::human::{self, Colour, Strokes, render_one};
use blinkblox_compiler::diagnostics::{Diagnostic, Label};
use blinkblox_compiler::schema::Profile;
use blinkblox_compiler::source::{MemoryLoader, Sources};
use blinkblox_tests::corpus::{Case, ENTRY, corpus};

/// A label as a case draws it: file, line, first column and one past the last, counted from 0.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    file: String,
    line: u32,
    columns: (usize, usize),
}

/// One drawn mark.
#[derive(Debug)]
struct Mark {
    place: Place,
    /// Empty for a secondary label.
    code: String,
    words: String,
}

fn marks(case: &Case) -> Vec<Mark> {
    let mut found = Vec::new();
    for (file, text) in &case.files {
        let mut under = 0;
        for (number, line) in (1u32..).zip(text.lines()) {
            let body = line.strip_prefix("--").unwrap_or("");
            let drawn = body.trim_start();
            let end = body.strip_prefix(" end: ");
            if let Some(code) = end {
                let place =
                    Place { file: file.clone(), line: text.lines().count() as u32 + 1, columns: (0, 1) };
                found.push(Mark { place, code: code.trim().to_string(), words: String::new() });
            } else if drawn.starts_with('^') || drawn.starts_with('~') {
                let stroke = drawn.chars().next().unwrap();
                let first = line.chars().position(|char| char == stroke).unwrap();
                let width = drawn.chars().take_while(|char| *char == stroke).count();
                let (code, words) = match drawn[width..].trim().split_once(' ') {
                    _ if stroke == '~' => ("", drawn[width..].trim()),
                    Some((code, words)) => (code, words),
                    None => (drawn[width..].trim(), ""),
                };
                let place = Place { file: file.clone(), line: under, columns: (first, first + width) };
                found.push(Mark { place, code: code.to_string(), words: words.to_string() });
            } else {
                under = number;
            }
        }
    }
    found
}

/// Where a label is; of one over several lines, its part of the first.
fn place(label: &Label, sources: &Sources) -> Place {
    let file = &sources[label.span.file];
    let (start, end) = (file.position(label.span.start), file.position(label.span.end));
    let text = file.line(start.line);
    // Cases draw characters; positions count bytes.
    let characters = |bytes: usize| text.char_indices().take_while(|(at, _)| *at < bytes).count();
    let first = characters(start.column as usize - 1);
    let last = characters(if start.line == end.line { end.column as usize - 1 } else { text.len() });
    Place { file: file.shown.clone(), line: start.line, columns: (first, last.max(first + 1)) }
}

fn check_err(case: &Case) -> Result<(), String> {
    let analysis = case.analyze();
    let sources = &analysis.sources;
    let drawn = |diagnostic: &Diagnostic| render_one(diagnostic, sources, Colour::Off);
    let mut left: Vec<&Diagnostic> = analysis.diagnostics.iter().collect();
    let mut problems = Vec::new();
    if let Some(also) = case.entry().lines().find_map(|line| line.strip_prefix("-- also: ")) {
        match left.iter().position(|one| one.span().is_none() && one.code_text() == also.trim()) {
            Some(at) => drop(left.remove(at)),
            None => problems.push(format!("{also} is not raised")),
        }
    }
    let mut last: Option<&Diagnostic> = None;
    for mark in marks(case) {
        if mark.code.is_empty() {
            let labelled = |one: &Diagnostic| {
                one.labels.iter().any(|label| !label.primary && place(label, sources) == mark.place)
            };
            // A secondary label may stand above its primary one: any diagnostic of the file may have it.
            if !last.is_some_and(labelled) && !analysis.diagnostics.iter().any(labelled) {
                problems.push(format!("no secondary label at {:?}", mark.place));
            }
            continue;
        }
        let at = left.iter().position(|one| {
            let primary = one.labels.iter().find(|label| label.primary);
            one.code_text() == mark.code && primary.is_some_and(|label| place(label, sources) == mark.place)
        });
        match at {
            Some(at) => {
                let one = left.remove(at);
                if !drawn(one).contains(&mark.words) {
                    problems.push(format!("\"{}\" is not said by\n{}", mark.words, drawn(one)));
                }
                last = Some(one);
            }
            None => problems.push(format!("{} is not raised at {:?}", mark.code, mark.place)),
        }
    }
    problems.extend(left.into_iter().map(|one| format!("raised, but not drawn:\n{}", drawn(one))));
    if analysis.schema.is_some() && analysis.diagnostics.iter().any(Diagnostic::is_error) {
        problems.push("a schema came out in spite of an error".to_string());
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(format!("{}:\n{}", case.path.display(), problems.join("\n")))
    }
}

#[test]
fn what_is_wrong_is_reported_where_it_is_drawn() {
    let cases = corpus("err");
    assert!(cases.len() >= 250, "only {} cases", cases.len());
    let problems: Vec<String> = cases.iter().filter_map(|case| check_err(case).err()).collect();
    assert!(problems.is_empty(), "{} of {} cases:\n{}", problems.len(), cases.len(), problems.join("\n\n"));
}

#[test]
fn what_is_right_raises_nothing() {
    let cases = corpus("ok");
    assert!(cases.len() >= 150, "only {} cases", cases.len());
    let mut problems = Vec::new();
    for case in cases {
        let analysis = case.analyze();
        let drawn: Vec<String> =
            analysis.diagnostics.iter().map(|one| render_one(one, &analysis.sources, Colour::Off)).collect();
        if !drawn.is_empty() || analysis.schema.is_none() {
            problems.push(format!("{}:\n{}", case.path.display(), drawn.join("\n")));
        }
    }
    assert!(problems.is_empty(), "{} cases:\n{}", problems.len(), problems.join("\n"));
}

/// Longest case whose drawing is kept; longer ones say nothing more.
const KEPT_BYTES: usize = 4096;

#[test]
fn every_message_reads_as_it_did() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../corpus/err/drawn");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for case in corpus("err") {
            if case.files.iter().map(|(_, text)| text.len()).sum::<usize>() > KEPT_BYTES {
                continue;
            }
            let analysis = case.analyze();
            let drawn = human::render(&analysis.diagnostics, &analysis.sources, Colour::Off, Strokes::Lines);
            insta::assert_snapshot!(case.name(), drawn);
        }
    });
}

#[test]
fn imports_in_a_row_are_limited() {
    let chain = (0..150).fold(MemoryLoader::new(), |loader, n| {
        let path = if n == 0 { ENTRY.to_string() } else { format!("file{n}.blink") };
        loader.with(&path, format!("import \"file{}\"", n + 1))
    });
    let chain = chain.with("file150.blink", "type A = u8");
    let codes: Vec<String> =
        analyze(&chain, ENTRY, Profile::Release).diagnostics.iter().map(Diagnostic::code_text).collect();
    assert_eq!(codes, ["E4005"]);
    let doubling = (0..60).fold(MemoryLoader::new(), |loader, n| {
        let path = if n == 0 { ENTRY.to_string() } else { format!("file{n}.blink") };
        loader.with(&path, format!("import \"file{0}\" as A import \"file{0}\" as B", n + 1))
    });
    let doubling = doubling.with("file60.blink", "type A = u8");
    assert!(
        analyze(&doubling, ENTRY, Profile::Release).diagnostics.iter().all(|one| one.code_text() == "E4005")
    );
}

#[test]
fn what_is_right_makes_modules_that_parse() {
    let mut problems = Vec::new();
    for case in corpus("ok") {
        let Some(made) = case.compile().outputs else {
            problems.push(format!("{} makes no modules", case.path.display()));
            continue;
        };
        assert_eq!(Some(&made), case.compile().outputs.as_ref(), "{} differs", case.path.display());
        for (side, text) in [("server", &made.server), ("client", &made.client)] {
            if let Some(error) = luau_error(text.clone()) {
                problems.push(format!("{side} of {}: {error}", case.path.display()));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// What full_moon has against a module. It needs more stack than a test has for types nested to the limit.
fn luau_error(text: String) -> Option<String> {
    let parse = move || {
        let parsed = full_moon::parse_fallible(&text, full_moon::LuaVersion::luau());
        parsed.errors().first().map(ToString::to_string)
    };
    std::thread::Builder::new().stack_size(64 << 20).spawn(parse).unwrap().join().unwrap()
}
