//! The tree people read: ticks and times as the run goes on. Failures and counts follow from [`super::failures`].

use std::fmt::Write;

use super::one_line;
use crate::testing::report::{FileReport, Status, TestReport};

/// Colours, when they are wanted.
pub(crate) struct Paint(pub(crate) bool);

impl Paint {
    fn with(&self, code: &str, text: &str) -> String {
        if self.0 { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
    }
    pub(crate) fn good(&self, text: &str) -> String {
        self.with("32", text)
    }
    pub(crate) fn bad(&self, text: &str) -> String {
        self.with("31", text)
    }
    pub(crate) fn doubtful(&self, text: &str) -> String {
        self.with("33", text)
    }
    pub(crate) fn dim(&self, text: &str) -> String {
        self.with("2", text)
    }
    pub(crate) fn strong(&self, text: &str) -> String {
        self.with("1", text)
    }
}

/// A file with its blocks and tests; nothing for one of which no test was asked for.
pub fn file(file: &FileReport, colour: bool) -> String {
    if file.tests.is_empty() && file.load_error.is_none() {
        return String::new();
    }
    let paint = Paint(colour);
    let mut out = format!("{}\n", paint.strong(&one_line(&file.path)));
    if let Some(error) = &file.load_error {
        let _ = writeln!(out, "  {} could not be loaded", paint.bad("✗"));
        for line in error.lines() {
            let _ = writeln!(out, "    {}", one_line(line));
        }
    }
    let mut open: &[String] = &[];
    for test in &file.tests {
        let shared = open.iter().zip(&test.blocks).take_while(|(a, b)| a == b).count();
        for (depth, block) in test.blocks.iter().enumerate().skip(shared) {
            let _ = writeln!(out, "{}{}", "  ".repeat(depth + 1), one_line(block));
        }
        open = &test.blocks;
        out.push_str(&line(test, &paint));
    }
    out.push('\n');
    out
}

fn line(test: &TestReport, paint: &Paint) -> String {
    let indent = "  ".repeat(test.blocks.len() + 1);
    let mark = match test.status {
        Status::Passed => paint.good("✓"),
        Status::Failed(_) => paint.bad("✗"),
        Status::Flaky(_) => paint.doubtful("~"),
        Status::Skipped | Status::Todo => paint.dim("-"),
    };
    let times = format!("{:.2} s virtual, {} ms", test.virtual_seconds, test.wall.as_millis());
    let note = match test.status {
        Status::Skipped => " (skipped)".to_string(),
        Status::Todo => " (to do)".to_string(),
        Status::Passed | Status::Failed(_) => format!(" {times}"),
        Status::Flaky(_) => format!(" (flaky: passed at run {}) {times}", test.attempts),
    };
    format!("{indent}{mark} {}{}{}\n", one_line(&test.name), paint.dim(&test.variant()), paint.dim(&note))
}
