//! Service messages of TeamCity: a suite a file and block, a message a step of a test.
//! Source: TeamCity's documentation of service messages, read in November 2026.

use std::fmt::Write;

use crate::testing::report::{FileReport, Status, TestReport};

/// The messages of a file.
pub fn file(file: &FileReport) -> String {
    let mut out = String::new();
    message(&mut out, "testSuiteStarted", &[("name", &file.path)]);
    if let Some(error) = &file.load_error {
        message(&mut out, "testStarted", &[("name", "(load)")]);
        let text = "the file could not be loaded";
        message(&mut out, "testFailed", &[("name", "(load)"), ("message", text), ("details", error)]);
        message(&mut out, "testFinished", &[("name", "(load)")]);
    }
    let mut open: Vec<&String> = Vec::new();
    for test in &file.tests {
        let shared = open.iter().zip(&test.blocks).take_while(|(a, b)| **a == *b).count();
        for block in open.drain(shared..).rev() {
            message(&mut out, "testSuiteFinished", &[("name", block)]);
        }
        for block in &test.blocks[shared..] {
            message(&mut out, "testSuiteStarted", &[("name", block)]);
            open.push(block);
        }
        one(&mut out, test);
    }
    for block in open.into_iter().rev() {
        message(&mut out, "testSuiteFinished", &[("name", block)]);
    }
    message(&mut out, "testSuiteFinished", &[("name", &file.path)]);
    out
}

fn one(out: &mut String, test: &TestReport) {
    let name = format!("{}{}", test.name, test.variant());
    match &test.status {
        Status::Skipped => {
            return message(out, "testIgnored", &[("name", &name), ("message", "skipped")]);
        }
        Status::Todo => return message(out, "testIgnored", &[("name", &name), ("message", "to do")]),
        Status::Passed | Status::Failed(_) | Status::Flaky(_) => {}
    }
    message(out, "testStarted", &[("name", &name)]);
    for (side, lines) in test.output_by_side() {
        let lines: Vec<String> = lines.iter().map(|line| line.shown()).collect();
        let text = format!("[{side}]\n{}\n", lines.join("\n"));
        message(out, "testStdOut", &[("name", &name), ("out", &text)]);
    }
    if let Some(failure) = test.status.failure() {
        let mut details: Vec<&str> = failure.place.as_deref().into_iter().collect();
        details.extend(failure.frames());
        let details = details.join("\n");
        let mut fields = vec![("name", name.as_str()), ("message", &failure.message), ("details", &details)];
        if let (Some(expected), Some(actual)) = (&failure.expected, &failure.actual) {
            fields.extend([("type", "comparisonFailure"), ("expected", expected), ("actual", actual)]);
        }
        message(out, "testFailed", &fields);
    }
    let milliseconds = test.wall.as_millis().to_string();
    message(out, "testFinished", &[("name", &name), ("duration", &milliseconds)]);
    if let Status::Flaky(_) = test.status {
        // A test that starts again after its failure is what TeamCity takes for flaky.
        message(out, "testStarted", &[("name", &name)]);
        message(out, "testFinished", &[("name", &name), ("duration", &milliseconds)]);
    }
}

fn message(out: &mut String, kind: &str, fields: &[(&str, &str)]) {
    let fields: String = fields.iter().map(|(name, value)| format!(" {name}='{}'", escape(value))).collect();
    let _ = writeln!(out, "##teamcity[{kind}{fields}]");
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '|' | '\'' | '[' | ']' => out.extend(['|', c]),
            '\n' => out.push_str("|n"),
            '\r' => out.push_str("|r"),
            '\u{85}' => out.push_str("|x"),
            '\u{2028}' => out.push_str("|l"),
            '\u{2029}' => out.push_str("|p"),
            c if c.is_ascii() && !c.is_control() => out.push(c),
            c => {
                // Characters outside the basic plane are two units.
                for unit in c.encode_utf16(&mut [0; 2]) {
                    out.push_str(&format!("|0x{unit:04X}"));
                }
            }
        }
    }
    out
}
