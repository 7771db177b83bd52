//! Schemas that compile, and schemas that do not, with every error drawn under its line.
//!
//! In `corpus/err` a comment under a line draws one diagnostic's primary label: `--  ^^^^ E3007`. Words behind the
//! code must be found in the drawn diagnostic. `~~~~` draws a secondary label of the diagnostic last drawn above it.
//! `-- end: E2001` stands for one at the end of the file. A line `---- name.blink` starts another file, which the
//! first may import; `-- profile: test` and `-- also: E4005` (one without a primary label) stand at the top. A file
//! without any of this marks is under `corpus/ok` and must raise nothing.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

use std::path::{Path, PathBuf};

use blinkblox_compiler::diagnostics::human::{self, Colour, render_one};
use blinkblox_compiler::diagnostics::{Diagnostic, Label};
use blinkblox_compiler::schema::Profile;
use blinkblox_compiler::source::{MemoryLoader, Sources};
use blinkblox_compiler::{Analysis, analyze, compile, generate};

const ENTRY: &str = "main.blink";

fn cases(folder: &str) -> Vec<(PathBuf, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(folder);
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "blink"));
    paths.into_iter().map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect()
}

/// The files of a case: name and text. The text before any `----` line is the entry.
fn files(text: &str) -> Vec<(String, String)> {
    let mut files = vec![(ENTRY.to_string(), String::new())];
    for line in text.lines() {
        match line.strip_prefix("---- ") {
            Some(name) => files.push((name.trim().to_string(), String::new())),
            None => {
                let text = &mut files.last_mut().unwrap().1;
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    files
}

fn analyze_case(text: &str) -> Analysis {
    let profile = text.lines().find_map(|line| line.strip_prefix("-- profile: ")).unwrap_or("release");
    let loader =
        files(text).into_iter().fold(MemoryLoader::new(), |loader, (path, text)| loader.with(&path, text));
    analyze(&loader, ENTRY, Profile::from_text(profile.trim()).unwrap())
}

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

fn marks(text: &str) -> Vec<Mark> {
    let mut found = Vec::new();
    for (file, text) in files(text) {
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

fn check_err(path: &Path, text: &str) -> Result<(), String> {
    let analysis = analyze_case(text);
    let sources = &analysis.sources;
    let drawn = |diagnostic: &Diagnostic| render_one(diagnostic, sources, Colour::Off);
    let mut left: Vec<&Diagnostic> = analysis.diagnostics.iter().collect();
    let mut problems = Vec::new();
    if let Some(also) = text.lines().find_map(|line| line.strip_prefix("-- also: ")) {
        match left.iter().position(|one| one.span().is_none() && one.code_text() == also.trim()) {
            Some(at) => drop(left.remove(at)),
            None => problems.push(format!("{also} is not raised")),
        }
    }
    let mut last: Option<&Diagnostic> = None;
    for mark in marks(text) {
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
    if problems.is_empty() { Ok(()) } else { Err(format!("{}:\n{}", path.display(), problems.join("\n"))) }
}

#[test]
fn what_is_wrong_is_reported_where_it_is_drawn() {
    let cases = cases("err");
    assert!(cases.len() >= 250, "only {} cases", cases.len());
    let problems: Vec<String> = cases.iter().filter_map(|(path, text)| check_err(path, text).err()).collect();
    assert!(problems.is_empty(), "{} of {} cases:\n{}", problems.len(), cases.len(), problems.join("\n\n"));
}

#[test]
fn what_is_right_raises_nothing() {
    let cases = cases("ok");
    assert!(cases.len() >= 150, "only {} cases", cases.len());
    let mut problems = Vec::new();
    for (path, text) in cases {
        let analysis = analyze_case(&text);
        let drawn: Vec<String> =
            analysis.diagnostics.iter().map(|one| render_one(one, &analysis.sources, Colour::Off)).collect();
        if !drawn.is_empty() || analysis.schema.is_none() {
            problems.push(format!("{}:\n{}", path.display(), drawn.join("\n")));
        }
    }
    assert!(problems.is_empty(), "{} cases:\n{}", problems.len(), problems.join("\n"));
}

/// Longest case whose drawing is kept; longer ones say nothing more.
const KEPT_BYTES: u64 = 4096;

#[test]
fn every_message_reads_as_it_did() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../corpus/err/drawn");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for (path, text) in cases("err") {
            if std::fs::metadata(&path).unwrap().len() > KEPT_BYTES {
                continue;
            }
            let analysis = analyze_case(&text);
            let drawn = human::render(&analysis.diagnostics, &analysis.sources, Colour::Off);
            insta::assert_snapshot!(path.file_stem().unwrap().to_str().unwrap(), drawn);
        }
    });
}

/// Every diagnostic must be drawn, in every form, without a panic; and none may take long.
fn survives(text: &str) {
    let analysis = analyze_case(text);
    let sources = &analysis.sources;
    human::render(&analysis.diagnostics, sources, Colour::On);
    blinkblox_compiler::diagnostics::compact::render(&analysis.diagnostics, sources);
    for diagnostic in &analysis.diagnostics {
        blinkblox_compiler::diagnostics::json::diagnostic(diagnostic, sources);
    }
    let sound = !analysis.diagnostics.iter().any(Diagnostic::is_error);
    assert_eq!(analysis.schema.is_some(), sound, "in:\n{text}");
    assert_eq!(generate(analysis).outputs.is_some(), sound, "in:\n{text}");
}

/// Byte ranges of the tokens of a text, good enough to cut at.
fn tokens(text: &str) -> Vec<std::ops::Range<usize>> {
    let lexed = blinkblox_compiler::syntax::lexer::lex(blinkblox_compiler::source::FileId(0), text);
    lexed
        .tokens
        .iter()
        .map(|token| token.span.start as usize..token.span.end as usize)
        .filter(|range| !range.is_empty())
        .collect()
}

/// Places mutated in one file.
const PLACES: usize = 60;

#[test]
fn no_mutation_of_a_schema_panics_or_hangs() {
    let mut count = 0u32;
    for (_, text) in cases("ok") {
        let tokens = tokens(&text);
        // Long files repeat themselves: of each, as many places as a short one has.
        for (at, token) in tokens.iter().enumerate().step_by(1 + tokens.len() / PLACES) {
            let (before, it, after) = (&text[..token.start], &text[token.clone()], &text[token.end..]);
            survives(&format!("{before}{after}"));
            survives(&format!("{before}{it} {it}{after}"));
            if let Some(next) = tokens.get(at + 1) {
                let (between, other) = (&text[token.end..next.start], &text[next.clone()]);
                survives(&format!("{before}{other}{between}{it}{}", &text[next.end..]));
            }
            count += 3;
        }
    }
    assert!(count > 1000, "only {count} mutations");
}

#[test]
fn no_soup_of_tokens_panics_or_hangs() {
    const WORDS: &[&str] = &[
        "type",
        "struct",
        "enum",
        "map",
        "set",
        "event",
        "function",
        "scope",
        "option",
        "export",
        "import",
        "as",
        "A",
        "B",
        "T",
        "A.B",
        "u8",
        "f32",
        "string",
        "vector",
        "CFrame",
        "quat",
        "Instance",
        "unknown",
        "Enum",
        "(0..9)",
        "(9..0)",
        "(Part)",
        "(",
        ")",
        "[",
        "]",
        "[]",
        "[4]",
        "[..8]",
        "{",
        "}",
        "{",
        "}",
        "<",
        ">",
        "=",
        ":",
        ",",
        ",",
        "?",
        "..",
        "0.5",
        "-1",
        "\"text\"",
        "'",
        "true",
        "From",
        "Server",
        "Client",
        "Type",
        "Reliable",
        "OrderedUnreliable",
        "Call",
        "Polling",
        "Data",
        "Return",
        "Stream",
        "Rate",
        "Stamp",
        "Yield",
        "Coroutine",
        "@profile",
        "(\"test\")",
        "saturate",
        "Casing",
        "Camel",
        "--[[",
        "]]",
        "\n",
        "%",
        "é",
    ];
    // A linear congruential generator: the same soups every time.
    let mut state = 1u64;
    let mut draw = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for _ in 0..1500 {
        let length = 1 + draw(60);
        let soup: Vec<&str> = (0..length).map(|_| WORDS[draw(WORDS.len())]).collect();
        survives(&soup.join(" "));
    }
    for _ in 0..500 {
        let length = draw(200);
        let bytes: Vec<u8> = (0..length).map(|_| draw(128) as u8).collect();
        survives(&String::from_utf8(bytes).unwrap());
    }
}

#[test]
fn hostile_schemas_end_soon() {
    let doubling: String =
        (1..400).map(|n| format!("struct S{n} {{ A: S{}, B: S{} }}\n", n - 1, n - 1)).collect();
    let generic =
        format!("struct P<T> {{ A: T, B: T }}\nstruct Q {{ X: {}u8{} }}", "P<".repeat(150), ">".repeat(150));
    let chain: String = (1..3000).map(|n| format!("struct S{n} {{ A: S{}? }}\n", n - 1)).collect();
    let names: String = (1..9000).map(|n| format!("type T{n} = T{}\n", n - 1)).collect();
    let squaring: String =
        (1..400).map(|n| format!("struct S{n}<T> {{ A: S{m}<S{m}<T>> }}\n", m = n - 1)).collect();
    let boxes = format!("struct B<T> {{ A: T }}\nstruct Q {{ X: {}u8{} }}", "B<".repeat(90), ">".repeat(90));
    let unused = "struct U<T> {}\nstruct P<T> { A: U<struct { X: T, Y: T }> }\n";
    let unused = format!("{unused}struct Q {{ X: {}u8{} }}", "P<".repeat(90), ">".repeat(90));
    let copied: String =
        (1..12).map(|n| format!("struct S{n}<T> {{ A: S{m}<T>, B: S{m}<T> }}\n", m = n - 1)).collect();
    let copies: String = (0..3000).map(|n| format!("struct C{n} {{ A: S11<u8> }}\n")).collect();
    let cases = [
        format!("type T0 = u8\n{names}"),
        format!("struct S0<T> {{ A: T, B: T }}\n{squaring}struct Q {{ X: S399<u8> }}"),
        format!("struct S0<T> {{}}\n{squaring}struct Q {{ X: S399<u8> }}"),
        boxes,
        unused,
        format!("struct S0<T> {{ A: T }}\n{copied}{copies}"),
        format!("struct S0 {{ X: u8 }}\n{doubling}"),
        generic,
        format!("struct S0 {{ X: u8 }}\n{chain}"),
        "\\\"\n".repeat(30_000),
        "--[=[".repeat(20_000),
        "{[(<".repeat(25_000),
        "struct A { X: struct { X: ".repeat(4_000),
        "event A { Stream: { Stream: ".repeat(4_000),
        "@profile(\"x\") ".repeat(7_000),
        format!("enum A = {{ {} }}", "B, ".repeat(30_000)),
        format!(
            "event A {{ From: Server, Type: Reliable, Call: ManySync, Data: ({}) }}",
            "u8, ".repeat(25_000)
        ),
        format!("type A = u8({}..{})", "9".repeat(50_000), "9".repeat(40_000)),
    ];
    for case in cases {
        let started = std::time::Instant::now();
        survives(&case);
        let shown: String = case.chars().take(60).collect();
        // An optimised build takes under a second; this one is not, and runs beside other tests.
        assert!(started.elapsed().as_secs() < 60, "{shown} took {:?}", started.elapsed());
    }
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
    for (path, text) in cases("ok") {
        let profile = text.lines().find_map(|line| line.strip_prefix("-- profile: ")).unwrap_or("release");
        let loader = files(&text)
            .into_iter()
            .fold(MemoryLoader::new(), |loader, (path, text)| loader.with(&path, text));
        let profile = Profile::from_text(profile.trim()).unwrap();
        let Some(made) = compile(&loader, ENTRY, profile).outputs else {
            problems.push(format!("{} makes no modules", path.display()));
            continue;
        };
        assert_eq!(
            Some(&made),
            compile(&loader, ENTRY, profile).outputs.as_ref(),
            "{} differs",
            path.display()
        );
        for (side, text) in [("server", &made.server), ("client", &made.client)] {
            if let Some(error) = luau_error(text.clone()) {
                problems.push(format!("{side} of {}: {error}", path.display()));
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
