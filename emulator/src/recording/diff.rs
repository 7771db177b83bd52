//! Where two traces part: the first record that differs, what differs in it, and what came before.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::Value as Json;

use super::listing::{describe, one_line};
use super::{Entry, Recording, Story, seconds, show};
use blinkblox_compiler::diagnostics::counted;

/// Members of the header that say who wrote a trace, not what happened in it.
const WRITER: &[&str] = &["tool", "luau"];
/// Members of the header that a change of the game's code changes, whatever came of it.
const CODE: &[&str] = &["projectHash"];
/// How many common records stand in front of a difference.
const CONTEXT: usize = 3;
/// How many members are named before the rest is counted.
const MOST: usize = 6;

/// The first difference between two traces.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// What differs, for people; several lines.
    pub text: String,
    /// Lines of it in the two files; absent where one file ends.
    pub lines: [Option<usize>; 2],
}

/// The first difference between two lists of recordings; `None` for equal ones.
pub fn diff(a: &[Recording], b: &[Recording]) -> Option<Difference> {
    for (one, other) in a.iter().zip(b) {
        if let Some(difference) = diff_one(one, other) {
            return Some(difference);
        }
    }
    if a.len() == b.len() {
        return None;
    }
    let text = format!("the first holds {} worlds, the second {}\n", a.len(), b.len());
    let common = a.len().min(b.len());
    let line = |list: &[Recording]| list.get(common).map(|recording| recording.header.line);
    Some(Difference { text, lines: [line(a), line(b)] })
}

fn diff_one(a: &Recording, b: &Recording) -> Option<Difference> {
    let mut is_other_code = false;
    if a.header.raw != b.header.raw {
        let differing = members(&a.header.raw, &b.header.raw);
        let differing: Vec<_> =
            differing.into_iter().filter(|(path, ..)| !WRITER.contains(&path.as_str())).collect();
        let (code, differing): (Vec<_>, Vec<_>) =
            differing.into_iter().partition(|(path, ..)| CODE.contains(&path.as_str()));
        is_other_code = !code.is_empty();
        if !differing.is_empty() {
            let mut text = "the worlds were set up differently:\n".to_owned();
            write_members(&mut text, &differing);
            return Some(Difference { text, lines: [Some(a.header.line), Some(b.header.line)] });
        }
    }
    let common = a.entries.iter().zip(&b.entries).take_while(|(one, other)| one.raw == other.raw).count();
    let (one, other) = (a.entries.get(common), b.entries.get(common));
    if one.is_none() && other.is_none() {
        return None;
    }
    let (story_a, story_b) = (Story::of(a), Story::of(b));
    let mut text = String::new();
    if is_other_code {
        text.push_str("the project is not the same in both (projectHash)\n");
    }
    let before = common.saturating_sub(CONTEXT);
    if common > 0 {
        let _ = match common {
            1 => writeln!(text, "the first record is equal:"),
            _ => writeln!(text, "the first {common} records are equal; the last of them:"),
        };
        for entry in &a.entries[before..common] {
            let _ = writeln!(text, "    {}", brief(&story_a, entry));
        }
    }
    match (one, other) {
        (Some(one), Some(other)) => {
            let _ = writeln!(text, "then they part:");
            let _ = writeln!(text, "  A {}", brief(&story_a, one));
            let _ = writeln!(text, "  B {}", brief(&story_b, other));
            if one.kind.name() == other.kind.name() {
                write_members(&mut text, &members(&one.raw, &other.raw));
            }
        }
        (Some(more), None) => {
            let left = a.entries.len() - common;
            let _ = writeln!(text, "then B ends, and A goes on with {left} more:");
            let _ = writeln!(text, "  A {}", brief(&story_a, more));
        }
        (None, Some(more)) => {
            let left = b.entries.len() - common;
            let _ = writeln!(text, "then A ends, and B goes on with {left} more:");
            let _ = writeln!(text, "  B {}", brief(&story_b, more));
        }
        (None, None) => {}
    }
    Some(Difference { text, lines: [one.map(|entry| entry.line), other.map(|entry| entry.line)] })
}

fn brief(story: &Story<'_>, entry: &Entry) -> String {
    let kind = entry.kind.name();
    format!("{:>9} {:<10} {kind:<6} {}", seconds(entry.nanos), entry.side, one_line(&describe(story, entry)))
}

/// Paths of the members in which two lines differ, with both values; absent ones are `None`.
fn members(a: &str, b: &str) -> Vec<(String, Option<Json>, Option<Json>)> {
    let read = |line: &str| serde_json::from_str::<Json>(line).ok();
    let mut found = Vec::new();
    compare("", read(a).as_ref(), read(b).as_ref(), &mut found);
    found
}

fn compare(
    path: &str,
    a: Option<&Json>,
    b: Option<&Json>,
    found: &mut Vec<(String, Option<Json>, Option<Json>)>,
) {
    if a == b {
        return;
    }
    match (a, b) {
        (Some(Json::Object(one)), Some(Json::Object(other))) => {
            let more = other.keys().filter(|key| !one.contains_key(*key));
            for key in one.keys().chain(more) {
                let inner = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                compare(&inner, one.get(key), other.get(key), found);
            }
        }
        (Some(Json::Array(one)), Some(Json::Array(other))) if one.len() == other.len() => {
            for (place, (one, other)) in one.iter().zip(other).enumerate() {
                compare(&format!("{path}[{}]", place + 1), Some(one), Some(other), found);
            }
        }
        (a, b) => found.push((path.to_owned(), a.cloned(), b.cloned())),
    }
}

/// How two buffers or strings of bytes differ: their first other byte, or their lengths. `None` for other members.
fn bytes(path: &str, a: Option<&Json>, b: Option<&Json>) -> Option<String> {
    let path = path.strip_suffix(".b64")?;
    let read = |value: Option<&Json>| BASE64.decode(value?.as_str()?).ok();
    let (a, b) = (read(a)?, read(b)?);
    let lengths = if a.len() == b.len() {
        counted(a.len(), "byte")
    } else {
        format!("A {}, B {}", counted(a.len(), "byte"), b.len())
    };
    let first = a.iter().zip(&b).position(|(one, other)| one != other);
    Some(match first {
        Some(at) => format!("{path} ({lengths}): byte {at:#06x}: A {:02x}, B {:02x}", a[at], b[at]),
        None => format!("{path} ({lengths}): equal as far as both go"),
    })
}

fn write_members(text: &mut String, differing: &[(String, Option<Json>, Option<Json>)]) {
    let shown =
        |value: &Option<Json>| value.as_ref().map_or_else(|| "absent".to_owned(), |value| show(value, 80));
    for (path, a, b) in differing.iter().take(MOST) {
        if let Some(told) = bytes(path, a.as_ref(), b.as_ref()) {
            let _ = writeln!(text, "    {told}");
            continue;
        }
        let _ = writeln!(text, "    {path}: A {}, B {}", shown(a), shown(b));
    }
    if differing.len() > MOST {
        let _ = writeln!(text, "    and {} more", differing.len() - MOST);
    }
}
