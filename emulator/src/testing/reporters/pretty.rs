//! The tree people read: ticks, times, differences, the sides' last words, and a line that runs a failure again.

use std::fmt::Write;

use similar::{ChangeTag, TextDiff};

use crate::testing::report::{Failure, FileReport, RunReport, Status, TestReport};

struct Paint(bool);

impl Paint {
    fn with(&self, code: &str, text: &str) -> String {
        if self.0 { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_string() }
    }
    fn good(&self, text: &str) -> String {
        self.with("32", text)
    }
    fn bad(&self, text: &str) -> String {
        self.with("31", text)
    }
    fn dim(&self, text: &str) -> String {
        self.with("2", text)
    }
    fn strong(&self, text: &str) -> String {
        self.with("1", text)
    }
}

/// The report as a tree of files, blocks and tests, then each failure in full, then the counts.
pub fn render(report: &RunReport, colour: bool) -> String {
    let paint = Paint(colour);
    let mut out = String::new();
    for file in &report.files {
        render_file(&mut out, file, &paint);
    }
    for file in &report.files {
        for test in &file.tests {
            if let Status::Failed(failure) = &test.status {
                render_failure(&mut out, report, file, test, failure, &paint);
            }
        }
    }
    render_summary(&mut out, report, &paint);
    out
}

fn render_file(out: &mut String, file: &FileReport, paint: &Paint) {
    let _ = writeln!(out, "{}", paint.strong(&file.path));
    if let Some(error) = &file.load_error {
        let _ = writeln!(out, "  {} could not be loaded", paint.bad("✗"));
        for line in error.lines() {
            let _ = writeln!(out, "    {line}");
        }
    }
    let mut open: &[String] = &[];
    for test in &file.tests {
        let shared = open.iter().zip(&test.blocks).take_while(|(a, b)| a == b).count();
        for (depth, block) in test.blocks.iter().enumerate().skip(shared) {
            let _ = writeln!(out, "{}{block}", "  ".repeat(depth + 1));
        }
        open = &test.blocks;
        let indent = "  ".repeat(test.blocks.len() + 1);
        let mark = match test.status {
            Status::Passed => paint.good("✓"),
            Status::Failed(_) => paint.bad("✗"),
            Status::Skipped | Status::Todo => paint.dim("-"),
        };
        let mode = test.mode.map_or(String::new(), |mode| paint.dim(&format!(" [{mode}]")));
        let time = match test.status {
            Status::Skipped => paint.dim(" (skipped)"),
            Status::Todo => paint.dim(" (to do)"),
            Status::Passed | Status::Failed(_) => {
                paint.dim(&format!(" {:.2} s virtual, {} ms", test.virtual_seconds, test.wall.as_millis()))
            }
        };
        let _ = writeln!(out, "{indent}{mark} {}{mode}{time}", test.name);
    }
    out.push('\n');
}

fn render_failure(
    out: &mut String,
    report: &RunReport,
    file: &FileReport,
    test: &TestReport,
    failure: &Failure,
    paint: &Paint,
) {
    let _ = writeln!(out, "{} {} › {}", paint.bad("✗"), file.path, paint.strong(&test.full_name()));
    for line in failure.message.lines() {
        let _ = writeln!(out, "    {line}");
    }
    if let (Some(expected), Some(actual)) = (&failure.expected, &failure.actual)
        && (expected.contains('\n') || actual.contains('\n'))
    {
        let _ = writeln!(out, "    {}", paint.dim("- expected   + actual"));
        let diff = TextDiff::from_lines(expected, actual);
        for (index, group) in diff.grouped_ops(3).iter().enumerate() {
            if index > 0 {
                let _ = writeln!(out, "    {}", paint.dim("..."));
            }
            for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
                let text = change.value().trim_end_matches('\n');
                let line = match change.tag() {
                    ChangeTag::Delete => paint.bad(&format!("- {text}")),
                    ChangeTag::Insert => paint.good(&format!("+ {text}")),
                    ChangeTag::Equal => format!("  {text}"),
                };
                let _ = writeln!(out, "    {line}");
            }
        }
    }
    if let Some(place) = &failure.place {
        let _ = writeln!(out, "    {}", paint.dim(&format!("at {place}")));
    }
    // The test API's own calls say nothing to its reader.
    let is_theirs = |line: &&str| !line.trim().is_empty() && !line.contains("[test]");
    for line in failure.trace.lines().filter(is_theirs) {
        let _ = writeln!(out, "      {}", paint.dim(line.trim()));
    }
    if !test.output.is_empty() {
        let _ = writeln!(out, "    {}", paint.dim("last output:"));
        for line in &test.output {
            let _ = writeln!(out, "      {line}");
        }
    }
    let _ = writeln!(out, "    {}\n", paint.dim(&format!("again: {}", report.repro(file, test))));
}

/// What stands behind a noun of that many.
fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

fn render_summary(out: &mut String, report: &RunReport, paint: &Paint) {
    let totals = report.totals();
    let mut parts = vec![format!("{} passed", totals.passed)];
    parts.push(format!("{} failed", totals.failed));
    if totals.skipped > 0 {
        parts.push(format!("{} skipped", totals.skipped));
    }
    if totals.broken_files > 0 {
        parts.push(format!("{} file{} not loaded", totals.broken_files, plural(totals.broken_files)));
    }
    let line = parts.join(", ");
    let calm = totals.failed == 0 && totals.broken_files == 0;
    let line = if calm { paint.good(&line) } else { paint.bad(&line) };
    let _ = writeln!(
        out,
        "{line}\n{}",
        paint.dim(&format!(
            "{} file{}, seed {}, {:.2} s",
            report.files.len(),
            plural(report.files.len()),
            report.seed,
            report.wall.as_secs_f64()
        ))
    );
}
