//! A character a test: `.` passed, `F` failed, `E` stopped by the host, `~` flaky, `-` skipped, `?` to do, `!` a file
//! that could not be loaded. Failures and counts follow.

use super::failures;
use super::one_line;
use super::pretty::Paint;
use crate::testing::report::{FileReport, RunReport, Status, TestReport};

/// Characters on a line.
const WIDTH: usize = 80;

/// The characters of a file. `column` counts those on the present line.
pub fn file(file: &FileReport, colour: bool, column: &mut usize) -> String {
    let paint = Paint(colour);
    let mut out = String::new();
    let mut put = |mark: String| {
        if *column == WIDTH {
            out.push('\n');
            *column = 0;
        }
        out.push_str(&mark);
        *column += 1;
    };
    if file.load_error.is_some() {
        put(paint.bad("!"));
    }
    for test in &file.tests {
        put(mark(test, &paint));
    }
    out
}

fn mark(test: &TestReport, paint: &Paint) -> String {
    match &test.status {
        Status::Passed => paint.good("."),
        Status::Failed(failure) if failure.is_error => paint.bad("E"),
        Status::Failed(_) => paint.bad("F"),
        Status::Flaky(_) => paint.doubtful("~"),
        Status::Skipped => paint.dim("-"),
        Status::Todo => paint.dim("?"),
    }
}

/// The rest: files that could not be loaded, failures, counts.
pub fn end(run: &RunReport, colour: bool, column: usize) -> String {
    let paint = Paint(colour);
    let mut out = if column > 0 { "\n\n".to_string() } else { String::new() };
    for file in &run.files {
        if let Some(error) = &file.load_error {
            out.push_str(&format!("{} {} could not be loaded\n", paint.bad("✗"), one_line(&file.path)));
            for line in error.lines() {
                out.push_str(&format!("    {}\n", one_line(line)));
            }
            out.push('\n');
        }
    }
    out + &failures::render(run, colour) + &failures::summary(run, colour)
}
