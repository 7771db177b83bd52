//! Differences over every schema there is and over small changes to them: what is listed agrees with the signatures, and
//! every change is put in words.

#![allow(clippy::unwrap_used, reason = "in a test, an unwrap is an assertion")]

use blinkblox_compiler::analyze;
use blinkblox_compiler::diff::{Diff, Effect, Kind};
use blinkblox_compiler::schema::{Profile, Schema};
use blinkblox_compiler::source::{FileId, MemoryLoader};
use blinkblox_compiler::syntax::lexer::lex;
use blinkblox_compiler::syntax::token::TokenKind;
use blinkblox_tests::corpus::{Case, ENTRY, corpus, golden};

fn schema(case: &Case, entry: &str) -> Option<Schema> {
    let files = case.files.iter().skip(1);
    let loader = files.fold(MemoryLoader::new().with(ENTRY, entry), |loader, (name, text)| {
        loader.with(name, text.as_str())
    });
    analyze(&loader, ENTRY, Profile::Release).schema
}

/// Compares, and holds the outcome to the laws.
fn compared(old: &Schema, new: &Schema) -> Diff {
    let diff = Diff::of(old, new);
    let met = old.options.remote_scope == new.options.remote_scope
        && old.options.remotes_folder == new.options.remotes_folder;
    assert_eq!(diff.interoperates(), diff.old == diff.new && met, "{}", diff.text("old", "new"));
    for change in &diff.changes {
        let most = change.details.iter().map(|detail| detail.effect).max();
        assert!(most.is_none_or(|most| most == change.effect), "{change:?}");
        for detail in &change.details {
            let unexplained = detail.text.contains("another way") || detail.text.contains("unknown type");
            assert!(!unexplained, "{}", diff.text("old", "new"));
        }
    }
    let back = Diff::of(new, old);
    assert_eq!(diff.interoperates(), back.interoperates());
    diff
}

fn sound() -> Vec<(Case, Schema)> {
    let cases = corpus("ok").into_iter().chain(golden());
    cases.filter_map(|case| schema(&case, &case.files[0].1).map(|schema| (case, schema))).collect()
}

#[test]
fn a_schema_does_not_differ_from_itself() {
    for (case, schema) in sound() {
        assert_eq!(compared(&schema, &schema).changes, [], "{}", case.path.display());
    }
}

#[test]
fn any_two_schemas_can_be_compared() {
    let all = sound();
    for (_, old) in &all {
        for (_, new) in all.iter().step_by(7) {
            compared(old, new);
        }
    }
}

/// What a token may be replaced with, to make a schema that differs in one place.
fn replacements(kind: TokenKind, text: &str) -> Vec<String> {
    match kind {
        TokenKind::Primitive(_) => ["u8", "u16", "f32", "string", "boolean", "vector<f16>", "CFrame<quat32>"]
            .iter()
            .filter(|other| **other != text)
            .map(|other| (*other).to_string())
            .collect(),
        TokenKind::Range => vec!["(1..2)".into(), "(..5)".into(), "(2)".into(), String::new()],
        TokenKind::Array => {
            vec!["[]".into(), "[3]".into(), "[..7]".into(), "[0..65535]".into(), "?".into(), String::new()]
        }
        TokenKind::Question => vec![String::new(), "[..4]".into()],
        TokenKind::Identifier => {
            let words = [
                "Server",
                "Client",
                "Reliable",
                "Unreliable",
                "OrderedUnreliable",
                "ManySync",
                "Low",
                "Coroutine",
            ];
            let mut found: Vec<String> = words.iter().map(|word| (*word).to_string()).collect();
            found.push(format!("{text}2"));
            found
        }
        TokenKind::Number => vec!["7".into(), "0.5".into()],
        TokenKind::String => vec!["\"Other\"".into()],
        _ => vec![String::new()],
    }
}

/// Places changed in one file.
const PLACES: usize = 25;

#[test]
fn every_small_change_is_put_in_words() {
    let (mut pairs, mut refused) = (0, 0);
    for (case, old) in sound() {
        let text = &case.files[0].1;
        if text.len() > 3_000 {
            continue;
        }
        let lexed = lex(FileId(0), text);
        // Of a long file as many places as a short one has.
        for token in lexed.tokens.iter().step_by(1 + lexed.tokens.len() / PLACES) {
            let (start, end) = (token.span.start as usize, token.span.end as usize);
            for replacement in replacements(token.kind, &text[start..end]) {
                let changed = format!("{}{replacement}{}", &text[..start], &text[end..]);
                let Some(new) = schema(&case, &changed) else { continue };
                let diff = compared(&old, &new);
                pairs += 1;
                refused += usize::from(diff.changes.iter().any(|change| change.effect == Effect::Refused));
                let reordered = diff.changes.iter().any(|change| change.kind == Kind::Schema);
                assert!(!reordered || diff.changes.len() == 1, "{}", diff.text("old", "new"));
            }
        }
    }
    assert!(pairs > 1_000 && refused > 300, "only {pairs} pairs, {refused} of them refused");
}
