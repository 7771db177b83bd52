//! No text makes the compiler panic, hang or forget what it was not about.
//!
//! Tokens of every valid schema of the corpus are deleted, doubled, swapped and replaced, 100 000 times, always in the
//! same way. A declaration behind the mutation must still be checked: one with an unknown type stands at the end of
//! every mutant, and has to be reported unless the mutation took it into a comment or a string.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

use std::ops::Range;

use blinkblox_compiler::diagnostics::human::{self, Colour, Strokes};
use blinkblox_compiler::diagnostics::{Code, Diagnostic, compact, json};
use blinkblox_compiler::schema::Profile;
use blinkblox_compiler::source::{FileId, MemoryLoader};
use blinkblox_compiler::syntax::lexer::lex;
use blinkblox_compiler::{Analysis, analyze, generate};
use blinkblox_tests::corpus::{ENTRY, corpus};

/// Mutants of one run, over all threads.
const MUTANTS: usize = 100_000;
/// Threads that share them.
const THREADS: usize = 4;
/// Of how many mutants one is also drawn in every form and, when it is sound, generated.
const DRAWN: usize = 25;
/// Longest schema that is mutated, in bytes: longer ones repeat themselves.
const LONGEST: usize = 4_000;
/// What stands at the end of each mutant.
const WITNESS: &str = "\nstruct Witness_ { X: Undeclared_ }\n";

/// A linear congruential generator: the same draws every time.
struct Draws(u64);

impl Draws {
    fn below(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % below.max(1)
    }
}

/// Byte ranges of the tokens of a text.
fn tokens(text: &str) -> Vec<Range<usize>> {
    let lexed = lex(FileId(0), text);
    let ranges = lexed.tokens.iter().map(|token| token.span.start as usize..token.span.end as usize);
    ranges.filter(|range| !range.is_empty()).collect()
}

fn analyzed(text: &str) -> Analysis {
    analyze(&MemoryLoader::new().with(ENTRY, text), ENTRY, Profile::Release)
}

/// Every diagnostic must be drawn, in every form, and modules made of what is sound.
fn survives(analysis: Analysis, text: &str) {
    let sources = &analysis.sources;
    human::render(&analysis.diagnostics, sources, Colour::On, Strokes::Ascii);
    compact::render(&analysis.diagnostics, sources);
    for diagnostic in &analysis.diagnostics {
        json::diagnostic(diagnostic, sources);
    }
    let sound = !analysis.diagnostics.iter().any(Diagnostic::is_error);
    assert_eq!(analysis.schema.is_some(), sound, "in:\n{text}");
    assert_eq!(generate(analysis).outputs.is_some(), sound, "in:\n{text}");
}

/// One mutation of a schema: its token at `at` deleted, doubled, swapped with the next, or replaced by `other`.
fn mutant(text: &str, tokens: &[Range<usize>], at: usize, way: usize, other: &str) -> String {
    let token = &tokens[at];
    let (before, it, after) = (&text[..token.start], &text[token.clone()], &text[token.end..]);
    match (way, tokens.get(at + 1)) {
        (0, _) => format!("{before}{after}"),
        (1, _) => format!("{before}{it} {it}{after}"),
        (2, Some(next)) => {
            let (between, next_text) = (&text[token.end..next.start], &text[next.clone()]);
            format!("{before}{next_text}{between}{it}{}", &text[next.end..])
        }
        _ => format!("{before}{other}{after}"),
    }
}

/// Whether the witness is among the tokens of a mutant.
fn holds_the_witness(text: &str) -> bool {
    let lexed = lex(FileId(0), text);
    lexed
        .tokens
        .iter()
        .any(|token| &text[token.span.start as usize..token.span.end as usize] == "Undeclared_")
}

fn mutate(seed: u64) {
    let texts: Vec<String> = corpus("ok")
        .into_iter()
        .map(|case| case.entry().to_string())
        .filter(|text| text.len() <= LONGEST && !tokens(text).is_empty())
        .collect();
    let cut: Vec<Vec<Range<usize>>> = texts.iter().map(|text| tokens(text)).collect();
    let mut draws = Draws(seed);
    for count in 0..MUTANTS / THREADS {
        // Every schema in turn; where and how is drawn.
        let case = count % texts.len();
        let (text, tokens) = (&texts[case], &cut[case]);
        let lender = draws.below(texts.len());
        let lent = &cut[lender][draws.below(cut[lender].len())];
        let at = draws.below(tokens.len());
        let mut made = mutant(text, tokens, at, draws.below(4), &texts[lender][lent.clone()]);
        made += WITNESS;
        let analysis = analyzed(&made);
        let seen = |one: &Diagnostic| {
            one.code == Code::AnalyzeUnknownReference
                && one.span().is_some_and(|span| analysis.sources.text(span) == "Undeclared_")
        };
        if !analysis.diagnostics.iter().any(seen) && holds_the_witness(&made) {
            let drawn = human::render(&analysis.diagnostics, &analysis.sources, Colour::Off, Strokes::Lines);
            panic!("what follows a fault is not checked:\n{made}\n{drawn}");
        }
        if count % DRAWN == 0 {
            survives(analysis, &made);
        }
    }
}

#[test]
fn what_a_mutation_leaves_alone_is_still_checked() {
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            scope.spawn(move || mutate(thread as u64 + 1));
        }
    });
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
    let mut draws = Draws(1);
    let mut draw = |below: usize| draws.below(below);
    for _ in 0..1500 {
        let length = 1 + draw(60);
        let soup: Vec<&str> = (0..length).map(|_| WORDS[draw(WORDS.len())]).collect();
        let text = soup.join(" ");
        survives(analyzed(&text), &text);
    }
    for _ in 0..500 {
        let length = draw(200);
        let bytes: Vec<u8> = (0..length).map(|_| draw(128) as u8).collect();
        let text = String::from_utf8(bytes).unwrap();
        survives(analyzed(&text), &text);
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
        survives(analyzed(&case), &case);
        let shown: String = case.chars().take(60).collect();
        // An optimised build takes under a second; this one is not, and runs beside other tests.
        assert!(started.elapsed().as_secs() < 60, "{shown} took {:?}", started.elapsed());
    }
}
