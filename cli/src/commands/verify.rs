//! `blinkblox verify [SCHEMA...]`: whether the files on disk are those a build would write. Source: tooling
//! specification, 2.9.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use blinkblox_compiler::source::SourceLoader;
use clap::Parser;
use serde_json::{Value, json};

use super::build::{Job, Mode, run_schemas};
use super::compile::Compiled;
use super::flags::{OutputFlags, SchemaFlags};
use crate::loader::{DiskLoader, forward};

/// Compares what a build would write with what is on disk.
#[derive(Parser)]
pub struct Verify {
    /// Paths of the schemas; those of the nearest blinkblox.toml when none is given
    #[arg(value_name = "SCHEMA")]
    schemas: Vec<String>,
    /// A file that another release wrote is stale even when nothing else differs
    #[arg(long, overrides_with = "strict_version")]
    strict_version: bool,
    /// A generated file beside the outputs that no schema of the run writes fails it too
    #[arg(long, overrides_with = "orphans")]
    orphans: bool,
    #[command(flatten)]
    outputs: OutputFlags,
    #[command(flatten)]
    flags: SchemaFlags,
}

impl Verify {
    /// Compiles and compares.
    pub fn run(self) -> ExitCode {
        let mode = Mode::Verify { strict_version: self.strict_version, orphans: self.orphans };
        let job = Job { overrides: self.outputs.overrides(), ..Job::of(mode) };
        run_schemas(&self.schemas, &self.flags, &job)
    }
}

/// How a file on disk stands to the one that would be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The same, but perhaps for the version in its header.
    Current,
    /// It differs, first in this line, counted from 1.
    Stale(usize),
    /// It is not there.
    Missing,
    /// A build has written it, and none of this run would.
    Orphan,
}

impl Status {
    /// The word for it.
    pub fn text(self) -> &'static str {
        match self {
            Status::Current => "current",
            Status::Stale(_) => "stale",
            Status::Missing => "missing",
            Status::Orphan => "orphan",
        }
    }
}

/// A file that was compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// Its path, as shown.
    pub file: String,
    /// What was found.
    pub status: Status,
    /// Names both versions when they are all that differs.
    pub note: Option<String>,
}

impl Checked {
    /// What is printed of it; nothing for a current file without a note.
    pub fn line(&self) -> Option<String> {
        let word = self.status.text();
        match (self.status, &self.note) {
            (Status::Current, None) => None,
            (Status::Current, Some(note)) => Some(format!("{word:8} {} ({note})", self.file)),
            (Status::Stale(line), _) => Some(format!("{word:8} {} (line {line})", self.file)),
            (Status::Missing | Status::Orphan, _) => Some(format!("{word:8} {}", self.file)),
        }
    }

    /// The first line that differs, if some does.
    pub fn line_at(&self) -> Option<usize> {
        match self.status {
            Status::Stale(line) => Some(line),
            Status::Current | Status::Missing | Status::Orphan => None,
        }
    }

    /// What is wrong with it and what to do, for an annotation; nothing of a current file.
    pub fn finding(&self) -> Option<&'static str> {
        match self.status {
            Status::Current => None,
            Status::Stale(_) => Some(
                "this generated module is not what its schema makes: from here on it differs. Run `blinkblox build` and commit it.",
            ),
            Status::Missing => {
                Some("this generated module is not there. Run `blinkblox build`, and commit what it writes.")
            }
            Status::Orphan => Some("no schema writes this generated module any more. Delete it."),
        }
    }

    /// What the document of a run says of it.
    pub fn value(&self) -> Value {
        let (status, line) = (self.status.text(), self.line_at());
        json!({ "file": self.file, "status": status, "line": line, "note": self.note })
    }
}

/// Compares each output of a compile with the file at its path.
pub fn compare(compiled: &Compiled, strict_version: bool) -> Vec<Checked> {
    let files = compiled.files.iter();
    files
        .map(|(path, text)| {
            let (status, note) = match std::fs::read(path) {
                Ok(present) => status(&present, text, strict_version),
                Err(_) => (Status::Missing, None),
            };
            Checked { file: compiled.shown(path), status, note }
        })
        .collect()
}

/// Files in the folders of these outputs whose header says that a build has written them, and which are none of them.
pub fn orphans<'a>(outputs: impl Iterator<Item = &'a PathBuf> + Clone) -> Vec<Checked> {
    let own: BTreeSet<&PathBuf> = outputs.clone().collect();
    let folders: BTreeSet<&Path> = outputs.filter_map(|path| path.parent()).collect();
    let entries =
        folders.into_iter().flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten().flatten());
    let mut found: Vec<PathBuf> = entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
        .map(|entry| entry.path())
        .filter(|path| !own.contains(path) && is_generated(path))
        .collect();
    found.sort();
    let loader = DiskLoader::new();
    let checked =
        |path: &PathBuf| Checked { file: loader.shown(&forward(path)), status: Status::Orphan, note: None };
    found.iter().map(checked).collect()
}

/// Whether the header of a module or of a declaration is a build's.
fn is_generated(path: &Path) -> bool {
    let named = path.extension().is_some_and(|suffix| suffix == "luau" || suffix == "ts");
    let mut head = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(1024).read_to_end(&mut head));
    named
        && read.is_ok()
        && String::from_utf8_lossy(&head).lines().take(HEADER_LINES).any(|line| version_in(line).is_some())
}

/// Lines a module's header has at most: directives, then the line with the version.
const HEADER_LINES: usize = 5;
/// What stands before the version.
const MARK: &str = "generated by BlinkBlox ";

fn status(present: &[u8], wanted: &str, strict_version: bool) -> (Status, Option<String>) {
    if present == wanted.as_bytes() {
        return (Status::Current, None);
    }
    let present = String::from_utf8_lossy(present);
    let present = with_plain_ends(&present);
    let mut versions: Option<(String, String)> = None;
    let (mut old, mut new) = (present.split('\n'), wanted.split('\n'));
    for number in 1.. {
        match (old.next(), new.next()) {
            (None, None) => break,
            (Some(old), Some(new)) if old == new => {}
            (Some(old), Some(new)) if number <= HEADER_LINES && !strict_version => {
                match (version_in(old), version_in(new)) {
                    (Some((was, rest)), Some((is, same))) if rest == same => {
                        versions = Some((was.to_string(), is.to_string()));
                    }
                    _ => return (Status::Stale(number), None),
                }
            }
            _ => return (Status::Stale(number), None),
        }
    }
    let note = versions.map(|(was, is)| format!("generated by {was}, and this is {is}"));
    (Status::Current, note)
}

/// A text all of whose lines end as Windows ends them with the ends a build writes, as a clone with `core.autocrlf` has it
/// and a commit of it would not. One with both kinds stays as it is: nothing but a hand makes that.
pub fn with_plain_ends(text: &str) -> Cow<'_, str> {
    let ends = text.matches('\n').count();
    if ends > 0 && text.matches("\r\n").count() == ends {
        text.replace("\r\n", "\n").into()
    } else {
        text.into()
    }
}

/// The version a header line names, and the line without it.
fn version_in(line: &str) -> Option<(&str, String)> {
    let lower = line.find(MARK).or_else(|| line.find("Generated by BlinkBlox "))?;
    let (before, rest) = line.split_at(lower + MARK.len());
    let end = rest.find(' ').unwrap_or(rest.len());
    // A version at the end of a sentence has its full stop behind it.
    let version = rest[..end].trim_end_matches('.');
    Some((version, format!("{before}{}", &rest[version.len()..])))
}

/// The line that counts what was found, and says how to bring files up to date.
pub fn count(all: &[Checked]) -> String {
    let of = |wanted: fn(Status) -> bool| all.iter().filter(|one| wanted(one.status)).count();
    let current = of(|status| status == Status::Current);
    let stale = of(|status| matches!(status, Status::Stale(_)));
    let missing = of(|status| status == Status::Missing);
    let files = if all.len() == 1 { "file" } else { "files" };
    let orphans = of(|status| status == Status::Orphan);
    let others = if orphans == 0 { String::new() } else { format!(", {orphans} orphaned") };
    let rewrite = if stale + missing == 0 { "" } else { " Run `blinkblox build` to rewrite them." };
    let delete = if orphans == 0 { "" } else { " Delete what no schema writes any more." };
    format!(
        "{} {files} checked: {current} current, {stale} stale, {missing} missing{others}.{rewrite}{delete}",
        all.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEW: &str = "--!strict\n-- The server module of schema a, generated by BlinkBlox 0.2.0. Edits are lost.\nreturn 1\n";

    #[test]
    fn a_version_alone_is_no_difference() {
        let old = NEW.replace("0.2.0", "0.1.12");
        let note = Some("generated by 0.1.12, and this is 0.2.0".to_string());
        assert_eq!(status(old.as_bytes(), NEW, false), (Status::Current, note));
        assert_eq!(status(old.as_bytes(), NEW, true), (Status::Stale(2), None));
        assert_eq!(status(NEW.as_bytes(), NEW, true), (Status::Current, None));
        let d_ts = "// Generated by BlinkBlox 0.2.0 -- do not edit.\n";
        assert_eq!(status(d_ts.replace("0.2", "0.3").as_bytes(), d_ts, false).0, Status::Current);
    }

    #[test]
    fn the_first_line_that_differs_is_named() {
        assert_eq!(status(NEW.replace("return 1", "return 2").as_bytes(), NEW, false).0, Status::Stale(3));
        assert_eq!(status(NEW.replace("schema a", "schema b").as_bytes(), NEW, false).0, Status::Stale(2));
        assert_eq!(status(format!("{NEW}x").as_bytes(), NEW, false).0, Status::Stale(4));
        assert_eq!(status(b"", NEW, false).0, Status::Stale(1));
        assert_eq!(status(b"\xff", NEW, false).0, Status::Stale(1));
    }

    #[test]
    fn line_ends_of_windows_are_no_difference() {
        let windows = NEW.replace('\n', "\r\n");
        assert_eq!(status(windows.as_bytes(), NEW, true), (Status::Current, None));
        let edited = windows.replace("return 1", "return 2");
        assert_eq!(status(edited.as_bytes(), NEW, true).0, Status::Stale(3));
        let mixed = NEW.replacen('\n', "\r\n", 1);
        assert_eq!(status(mixed.as_bytes(), NEW, true).0, Status::Stale(1));
    }

    #[test]
    fn lines_are_those_of_the_specification() {
        let one = |status| Checked { file: "a.luau".to_string(), status, note: None };
        assert_eq!(one(Status::Stale(88)).line().unwrap(), "stale    a.luau (line 88)");
        assert_eq!(one(Status::Missing).line().unwrap(), "missing  a.luau");
        assert_eq!(one(Status::Current).line(), None);
        let all = [one(Status::Current), one(Status::Stale(1)), one(Status::Missing)];
        assert_eq!(
            count(&all),
            "3 files checked: 1 current, 1 stale, 1 missing. Run `blinkblox build` to rewrite them."
        );
    }
}
