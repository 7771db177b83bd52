//! The formatter over every schema there is, and over schemas with white space and comments anywhere in them: twice is
//! once, no token or comment is lost, and the modules stay the same.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

use std::path::{Path, PathBuf};

use blinkblox_compiler::compile;
use blinkblox_compiler::format::{Indent, format};
use blinkblox_compiler::schema::Profile;
use blinkblox_compiler::source::FileId;
use blinkblox_compiler::syntax::lexer::lex;
use blinkblox_compiler::syntax::token::TokenKind;
use blinkblox_tests::corpus::{Case, ENTRY, corpus, golden};

/// Tokens but for commas, which the formatter may add and drop, then comments.
fn essence(text: &str) -> (Vec<String>, Vec<String>) {
    let lexed = lex(FileId(0), text);
    let tokens = lexed.tokens.iter().filter(|token| token.kind != TokenKind::Comma);
    let tokens = tokens
        .map(|token| {
            format!("{:?} {}", token.kind, &text[token.span.start as usize..token.span.end as usize])
        })
        .collect();
    let comments = lexed.comments.iter();
    let comments =
        comments.map(|span| text[span.start as usize..span.end as usize].trim_end().to_string()).collect();
    (tokens, comments)
}

/// Formats a text, if it parses, and holds the outcome to the laws.
fn formatted(text: &str) -> Option<String> {
    let once = format(FileId(0), text, Indent::Tabs).ok()?;
    let again = format(FileId(0), &once, Indent::Tabs);
    assert_eq!(again.as_ref(), Ok(&once), "formatted twice:\n{text}");
    assert_eq!(essence(text), essence(&once), "formatted:\n{text}\nas:\n{once}");
    assert!(once.is_empty() || once.ends_with('\n'), "{once:?}");
    Some(once)
}

fn all() -> Vec<Case> {
    [corpus("ok"), corpus("err"), golden()].into_iter().flatten().collect()
}

#[test]
fn every_schema_that_parses_keeps_the_laws() {
    let mut count = 0;
    for case in all() {
        for (_, text) in &case.files {
            count += usize::from(formatted(text).is_some());
        }
    }
    assert!(count > 100, "only {count} schemas parse");
}

#[test]
fn modules_stay_the_same() {
    for case in corpus("ok").iter().chain(&golden()) {
        for profile in [Profile::Release, Profile::Test] {
            let before = compile(&case.loader(str::to_string), ENTRY, profile);
            if before.signature.is_none() && profile != case.profile() {
                continue;
            }
            let after = compile(&case.loader(|text| formatted(text).unwrap()), ENTRY, profile);
            assert!(after.signature.is_some(), "{} compiles no more", case.path.display());
            assert_eq!(before.signature, after.signature, "{}", case.path.display());
            assert!(before.outputs == after.outputs, "{} gives other modules", case.path.display());
        }
    }
}

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}

/// What may stand between any two tokens.
const BETWEEN: &[&str] = &[
    " ",
    " ",
    " ",
    "\n",
    "\r\n\t",
    "\n\n\n",
    " --[[ block ]] ",
    "--[[ two\n\t lines ]]",
    "\n--[=[ own ]=]\n",
    " -- behind\n",
    "\n\n  -- own line  \n",
    "\n-- one\n\n\n--two\n",
    " --[[ x ]] --[==[ y ]==] -- z\n",
];

/// The tokens of a text with other white space and comments between them.
fn shaken(text: &str, numbers: &mut Numbers, density: usize) -> String {
    let lexed = lex(FileId(0), text);
    let mut out = String::new();
    for token in &lexed.tokens {
        let piece = if numbers.below(density) == 0 { BETWEEN[numbers.below(BETWEEN.len())] } else { " " };
        out.push_str(piece);
        out.push_str(&text[token.span.start as usize..token.span.end as usize]);
    }
    out
}

#[test]
fn white_space_and_comments_may_stand_anywhere() {
    let mut numbers = Numbers(7);
    let mut count = 0;
    for case in all() {
        for (_, text) in &case.files {
            // The longest cases repeat one line; a piece of them is as good.
            if text.len() > 4_000 {
                continue;
            }
            for density in [1, 2, 5, 12] {
                count += usize::from(formatted(&shaken(text, &mut numbers, density)).is_some());
            }
        }
    }
    assert!(count > 400, "only {count} shaken schemas parse");
}

/// Schemas of the examples, which people start from.
fn examples(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            examples(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "blink") {
            found.push(path);
        }
    }
}

#[test]
fn examples_are_formatted() {
    let mut found = Vec::new();
    examples(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples"), &mut found);
    assert!(!found.is_empty());
    for path in found {
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(formatted(&text).as_ref(), Some(&text), "run `blinkblox fmt {}`", path.display());
    }
}
