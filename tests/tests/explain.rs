//! The examples of every page under `compiler/errors`: the first raises exactly its code, the second raises nothing.
//!
//! A heading `## Raises E3004` names what the code blocks under it raise. A block marked `blink` is the entry, one
//! marked `blink Name.blink` another file. A line `-- ... and so on, up to Ping257` repeats the line above it. Pages whose
//! examples run the command are tested with it, in `cli/tests/commands/pages.rs`.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

use blinkblox_compiler::diagnostics::human::{Colour, render_one};
use blinkblox_compiler::diagnostics::{Code, Diagnostic};
use blinkblox_compiler::schema::Profile;
use blinkblox_compiler::source::MemoryLoader;
use blinkblox_compiler::{analyze, explain, generate, outputs};
use blinkblox_tests::corpus::corpus;

/// Codes whose examples run the command, or are about other tools' definitions or faults of the compiler's own.
const WITHOUT_SCHEMA: &[Code] = &[
    Code::FileNotFound,
    Code::FileUnreadable,
    Code::FileUnwritable,
    Code::UsageError,
    Code::ConvertRefused,
    Code::ConvertDraftExists,
    Code::OutputExposed,
    Code::OutputHidden,
    Code::InternalFault,
    Code::OutputOutsideProject,
    Code::OutputSharedScope,
    Code::ProjectUnreadable,
];

/// Codes about output paths, which other examples do without.
const ABOUT_OUTPUTS: &[Code] = &[Code::OutputMissingPath, Code::OutputSamePath];

/// A section with code: the code it raises, if any, and its files.
struct Example {
    raises: Option<String>,
    files: Vec<(String, String)>,
}

fn examples(page: &str) -> Vec<Example> {
    let mut found: Vec<Example> = Vec::new();
    let mut open = false;
    for line in page.lines() {
        let fence = line.strip_prefix("```");
        if let Some(heading) = line.strip_prefix("## ").filter(|_| !open) {
            found
                .push(Example { raises: heading.strip_prefix("Raises ").map(str::to_string), files: vec![] });
        } else if let Some(info) = fence {
            if !open && let Some(name) = info.strip_prefix("blink") {
                let name = if name.is_empty() { "main.blink" } else { name.trim() };
                found.last_mut().unwrap().files.push((name.to_string(), String::new()));
            }
            open = !open;
        } else if let (true, Some((_, text))) = (open, found.last_mut().and_then(|one| one.files.last_mut()))
        {
            match line.strip_prefix("-- ... and so on, up to ") {
                Some(last) => text.push_str(&repeated(text, last)),
                None => text.push_str(&format!("{line}\n")),
            }
        }
    }
    found
}

/// The last line of a text again, with the number of the name it declares counted up to that of `last`.
fn repeated(text: &str, last: &str) -> String {
    let line = text.lines().last().unwrap();
    let stem = last.trim_end_matches(|digit: char| digit.is_ascii_digit());
    let until: u32 = last[stem.len()..].parse().unwrap();
    let from = (1..until).find(|number| line.contains(&format!("{stem}{number} "))).unwrap();
    (from + 1..=until)
        .map(|number| format!("{}\n", line.replace(&format!("{stem}{from} "), &format!("{stem}{number} "))))
        .collect()
}

/// Codes an example raises, drawn.
fn raised(code: Code, example: &Example) -> Vec<(String, String)> {
    let loader = example
        .files
        .iter()
        .fold(MemoryLoader::new(), |loader, (name, text)| loader.with(name, text.as_str()));
    let mut analysis = analyze(&loader, "main.blink", Profile::Release);
    if ABOUT_OUTPUTS.contains(&code) {
        let found = outputs::check(&analysis, "main.blink");
        analysis.diagnostics.extend(found);
    }
    if code == Code::OutputLongModule {
        analysis = generate(analysis).analysis;
    }
    let drawn = |one: &Diagnostic| (one.code_text(), render_one(one, &analysis.sources, Colour::Off));
    analysis.diagnostics.iter().map(drawn).collect()
}

#[test]
fn examples_raise_their_code_and_mended_ones_nothing() {
    let mut problems = Vec::new();
    for &code in Code::ALL {
        let examples = examples(explain::page(code));
        let bad = examples.iter().filter(|example| example.raises.is_some()).count();
        assert!(bad > 0 && examples.len() == bad * 2, "{code:?} needs examples and the same examples mended");
        if WITHOUT_SCHEMA.contains(&code) {
            continue;
        }
        for example in &examples {
            assert!(!example.files.is_empty(), "{code:?} has an example without a schema");
            let found = raised(code, example);
            let sound = match &example.raises {
                Some(raises) => {
                    assert!(raises.ends_with(&code.number().to_string()), "{code:?} shows {raises}");
                    !found.is_empty() && found.iter().all(|(code, _)| code == raises)
                }
                None => found.is_empty(),
            };
            if !sound {
                let drawn: String = found.into_iter().map(|(_, drawn)| drawn).collect();
                let wanted = example.raises.as_deref().unwrap_or("nothing");
                problems.push(format!("{code:?}: {wanted} is wanted, raised is\n{drawn}"));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Of what a code is raised for its page leaves nothing out, where each case has a setting to be named by.
#[test]
fn each_setting_without_effect_is_on_the_page() {
    let page = explain::page(Code::AnalyzeIdleSetting);
    let mut found = 0;
    for case in corpus("err") {
        for one in case.analyze().diagnostics.iter().filter(|one| one.code == Code::AnalyzeIdleSetting) {
            found += 1;
            // The setting is the subject: `Interpolate has no effect`, `the channel of event "A" has no effect`.
            let subject = one.headline.strip_prefix("the ").unwrap_or(&one.headline);
            let setting = subject.split(' ').next().unwrap();
            let setting = setting[..1].to_uppercase() + &setting[1..];
            let is_named = [format!("`{setting}`"), format!("`option {setting}`")]
                .iter()
                .any(|name| page.contains(name));
            assert!(is_named, "{}: the page does not say: {}", case.name(), one.headline);
        }
    }
    assert!(found >= 5, "only {found} cases");
}

#[test]
fn pages_fit_a_terminal() {
    for &code in Code::ALL {
        for line in explain::page(code).lines() {
            assert!(line.chars().count() <= 120, "{code:?}: {line}");
        }
    }
}
