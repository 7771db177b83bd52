//! What people read at the end of a run: each failure in full, then the counts.

use std::fmt::Write;

use similar::{ChangeTag, TextDiff};

use super::one_line;
use super::pretty::Paint;
use crate::testing::report::{Failure, FileReport, RunReport, Status, TestReport};

/// Each failure: what happened, the difference, the place, what every side printed last, the line that runs it again.
pub fn render(run: &RunReport, colour: bool) -> String {
    let paint = Paint(colour);
    let mut out = String::new();
    let mut schemas: Vec<&str> = Vec::new();
    for file in &run.files {
        for test in &file.tests {
            match test.status.failure() {
                // Told of already.
                Some(Failure { schema: Some(errors), .. }) if schemas.contains(&errors.as_str()) => {}
                Some(Failure { schema: Some(errors), .. }) => {
                    schemas.push(errors);
                    broken_schema(&mut out, run, errors, &paint);
                }
                Some(failure) => one(&mut out, run, file, test, failure, &paint),
                None => {}
            }
        }
    }
    out
}

/// A schema that does not compile, told of once for all tests whose world needs it.
fn broken_schema(out: &mut String, run: &RunReport, errors: &str, paint: &Paint) {
    let needs = |test: &&TestReport| {
        test.status.failure().is_some_and(|failure| failure.schema.as_deref() == Some(errors))
    };
    let count = run.files.iter().flat_map(|file| &file.tests).filter(needs).count();
    let head = format!(
        "a schema does not compile, which {count} test{} for a world",
        if count == 1 { " needs" } else { "s need" }
    );
    let _ = writeln!(out, "{} {}", paint.bad("✗"), paint.strong(&head));
    for line in errors.lines() {
        let _ = writeln!(out, "  {}", one_line(line));
    }
    for file in &run.files {
        let count = file.tests.iter().filter(needs).count();
        if count > 0 {
            let text = format!("{}: {count} test{}", one_line(&file.path), plural(count));
            let _ = writeln!(out, "    {}", paint.dim(&text));
        }
    }
    out.push('\n');
}

fn one(
    out: &mut String,
    run: &RunReport,
    file: &FileReport,
    test: &TestReport,
    failure: &Failure,
    paint: &Paint,
) {
    let mark = match test.status {
        Status::Flaky(_) => paint.doubtful("~"),
        _ => paint.bad("✗"),
    };
    let name = paint.strong(&one_line(&test.full_name()));
    let _ = writeln!(out, "{mark} {} › {name}", one_line(&file.path));
    if let Status::Flaky(_) = test.status {
        let _ = writeln!(out, "    flaky: it passed at run {}; before that:", test.attempts);
    }
    for line in failure.message.lines() {
        let _ = writeln!(out, "    {}", one_line(line));
    }
    if let (Some(expected), Some(actual)) = (&failure.expected, &failure.actual)
        && (expected.contains('\n') || actual.contains('\n'))
    {
        difference(out, expected, actual, paint);
    }
    if let Some(place) = &failure.place {
        let _ = writeln!(out, "    {}", paint.dim(&format!("at {}", one_line(place))));
    }
    for line in failure.frames().filter(|line| failure.place.as_deref() != Some(*line)) {
        let _ = writeln!(out, "      {}", paint.dim(&one_line(line)));
    }
    for (side, lines) in test.output_by_side() {
        let _ = writeln!(out, "    {}", paint.dim(&format!("last output of {}:", one_line(side))));
        // What is said many times over is said once.
        for same in lines.chunk_by(|one, next| one.text == next.text && one.level == next.level) {
            let times = match same.len() {
                1 => String::new(),
                count => paint.dim(&format!("  ({count} times)")),
            };
            if let Some(line) = same.first() {
                let _ = writeln!(out, "      {}{times}", one_line(&line.shown()));
            }
        }
    }
    for line in &test.diagnostics {
        let text = format!("{} on {} at {:.3} s: {}", line.code, line.side, line.at, line.text);
        let _ = writeln!(out, "    {}", paint.dim(&one_line(&text)));
    }
    let _ = writeln!(out, "    {}\n", paint.dim(&format!("again: {}", run.repro(file, test))));
}

fn difference(out: &mut String, expected: &str, actual: &str, paint: &Paint) {
    let _ = writeln!(out, "    {}", paint.dim("- expected   + actual"));
    let diff = TextDiff::from_lines(expected, actual);
    for (index, group) in diff.grouped_ops(3).iter().enumerate() {
        if index > 0 {
            let _ = writeln!(out, "    {}", paint.dim("..."));
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let text = one_line(change.value().trim_end_matches('\n'));
            let line = match change.tag() {
                ChangeTag::Delete => paint.bad(&format!("- {text}")),
                ChangeTag::Insert => paint.good(&format!("+ {text}")),
                ChangeTag::Equal => format!("  {text}"),
            };
            let _ = writeln!(out, "    {line}");
        }
    }
}

/// What stands behind a noun of that many.
pub(crate) fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// The counts in words: `3 passed, 1 failed`.
pub(crate) fn counts(run: &RunReport) -> String {
    let totals = run.totals();
    let mut parts = vec![format!("{} passed", totals.passed), format!("{} failed", totals.failed)];
    if totals.flaky > 0 {
        parts.push(format!("{} flaky", totals.flaky));
    }
    if totals.skipped > 0 {
        parts.push(format!("{} skipped", totals.skipped));
    }
    if totals.broken_files > 0 {
        parts.push(format!("{} file{} not loaded", totals.broken_files, plural(totals.broken_files)));
    }
    parts.join(", ")
}

/// Two lines: the counts, and what the run was.
pub fn summary(run: &RunReport, colour: bool) -> String {
    let paint = Paint(colour);
    let line = counts(run);
    let line = if run.is_success() { paint.good(&line) } else { paint.bad(&line) };
    let files = run.files.len();
    let share = run.shard.map_or(String::new(), |(index, count)| format!("share {index} of {count}, "));
    let cut = run.cut.map_or(String::new(), |cut| format!("{}\n", paint.bad(cut.text())));
    let what =
        format!("{files} file{}, {share}seed {}, {:.2} s", plural(files), run.seed, run.wall.as_secs_f64());
    format!("{cut}{line}\n{}\n", paint.dim(&what))
}
