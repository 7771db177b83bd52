//! Annotations of a GitHub workflow, and the summary of its job in Markdown.
//! Source: GitHub's documentation of workflow commands and job summaries, read in November 2026.

use std::fmt::Write;

use super::failures::{counts, plural};
use crate::testing::report::{FileReport, RunReport, Status, TestReport};

/// An annotation for each failure of a file.
pub fn file(run: &RunReport, file: &FileReport) -> String {
    let mut out = String::new();
    if let Some(error) = &file.load_error {
        let line = line_of(error, &file.path).map_or(String::new(), |line| format!(",line={line}"));
        let _ = writeln!(
            out,
            "::error file={}{line},title={}::{}",
            property(&file.path),
            property(&format!("{} could not be loaded", file.path)),
            data(error)
        );
    }
    for test in &file.tests {
        let Some(failure) = test.status.failure() else { continue };
        let (at, line) = failure.file_and_line().unwrap_or((&file.path, test.line));
        let level = if run.is_failure(test) { "error" } else { "warning" };
        let flaky = match test.status {
            Status::Flaky(_) => format!("flaky: passed at run {}; before that: ", test.attempts),
            _ => String::new(),
        };
        let text = format!("{flaky}{}\nagain: {}", failure.message, run.repro(file, test));
        let title = property(&test.full_name());
        let _ = writeln!(out, "::{level} file={},line={line},title={title}::{}", property(at), data(&text));
    }
    out
}

/// The counts, as a line of the log.
pub fn end(run: &RunReport) -> String {
    let cut = run.cut.map_or(String::new(), |cut| format!("::error::{}\n", data(cut.text())));
    format!("{cut}{}\n", counts(run))
}

/// The summary of the job, in Markdown.
pub fn summary(run: &RunReport) -> String {
    let files = run.files.len();
    let mark = if run.is_success() { "✅" } else { "❌" };
    let mut out = format!("### {mark} {}\n\n", counts(run));
    let share = run.shard.map_or(String::new(), |(index, count)| format!("share {index} of {count}, "));
    let seconds = run.wall.as_secs_f64();
    let _ = writeln!(out, "{files} file{}, {share}seed {}, {seconds:.2} s\n", plural(files), run.seed);
    if let Some(cut) = run.cut {
        let _ = writeln!(out, "**{}**\n", cut.text());
    }
    for file in &run.files {
        if let Some(error) = &file.load_error {
            let _ = writeln!(out, "#### {} could not be loaded\n\n{}", inline(&file.path), fenced(error));
        }
        for test in &file.tests {
            if let Some(failure) = test.status.failure() {
                let kind = if run.is_failure(test) { "✗" } else { "~ flaky:" };
                let place = format!("{} › {}", file.path, test.full_name());
                let _ = writeln!(out, "#### {kind} {}\n\n{}", inline(&place), fenced(&body(run, file, test)));
                let _ = failure;
            }
        }
    }
    out
}

fn body(run: &RunReport, file: &FileReport, test: &TestReport) -> String {
    let Some(failure) = test.status.failure() else { return String::new() };
    let mut lines = vec![failure.message.clone()];
    lines.extend(failure.place.iter().map(|place| format!("at {place}")));
    lines.push(format!("again: {}", run.repro(file, test)));
    lines.join("\n")
}

/// The line an error of loading names behind the file's own path.
fn line_of(error: &str, path: &str) -> Option<u32> {
    let after = error.split_once(&format!("{path}:"))?.1;
    let digits: String = after.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// The message of a workflow command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property of a workflow command.
fn property(text: &str) -> String {
    data(&super::one_line(text)).replace(':', "%3A").replace(',', "%2C")
}

/// A text in a heading: nothing in it is markup.
fn inline(text: &str) -> String {
    let mut out = String::new();
    for c in super::one_line(text).chars() {
        if c.is_ascii_punctuation() && !"./-:,'()".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// A text as code, fenced by more backticks than are in it.
fn fenced(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}text\n{}\n{fence}\n", text.trim_end())
}
