//! The Test Anything Protocol, version 14: a point a test, a YAML block behind each that has more to say.
//! Source: the TAP 14 specification, testanything.org, read in November 2026.

use serde_yaml::{Mapping, Value};

use crate::testing::report::{FileReport, RunReport, Status, TestReport};

/// The points of a file. `count` counts all points so far.
pub fn file(run: &RunReport, file: &FileReport, count: &mut usize) -> String {
    let mut out = String::new();
    if let Some(error) = &file.load_error {
        *count += 1;
        out.push_str(&format!("not ok {count} - {} (load)\n", escape(&file.path)));
        let fields = [("message", Value::from(error.as_str())), ("severity", Value::from("error"))];
        out.push_str(&block(fields));
    }
    for test in &file.tests {
        *count += 1;
        let ok = match test.status {
            Status::Passed | Status::Skipped => "ok",
            // Unfinished tests are points that may fail.
            Status::Todo => "not ok",
            Status::Failed(_) | Status::Flaky(_) if run.is_failure(test) => "not ok",
            Status::Failed(_) | Status::Flaky(_) => "ok",
        };
        let directive = match test.status {
            Status::Skipped => " # SKIP",
            Status::Todo => " # TODO",
            Status::Passed | Status::Failed(_) | Status::Flaky(_) => "",
        };
        let name = format!("{} › {}", file.path, test.full_name());
        out.push_str(&format!("{ok} {count} - {}{directive}\n", escape(&name)));
        out.push_str(&details(run, file, test));
    }
    out
}

/// The plan, and the reason when the run was cut short.
pub fn end(run: &RunReport, count: usize) -> String {
    let cut = run.cut.map_or(String::new(), |cut| format!("Bail out! {}\n", cut.text()));
    let none = if count == 0 { " # no tests" } else { "" };
    format!("{cut}1..{count}{none}\n")
}

fn details(run: &RunReport, file: &FileReport, test: &TestReport) -> String {
    let ran = !matches!(test.status, Status::Skipped | Status::Todo);
    if !ran {
        return String::new();
    }
    let mut fields = vec![
        ("duration_ms", Value::from(test.wall.as_millis() as u64)),
        ("virtual_seconds", Value::from(test.virtual_seconds)),
    ];
    if let Some(failure) = test.status.failure() {
        fields.push(("message", Value::from(failure.message.as_str())));
        let severity = match test.status {
            Status::Flaky(_) => "flaky",
            _ if failure.is_error => "error",
            _ => "fail",
        };
        fields.push(("severity", Value::from(severity)));
        let at = failure.file_and_line().unwrap_or((&file.path, test.line));
        let mut place = Mapping::new();
        place.insert("file".into(), at.0.into());
        place.insert("line".into(), at.1.into());
        fields.push(("at", Value::Mapping(place)));
        if let Some(expected) = &failure.expected {
            fields.push(("wanted", Value::from(expected.as_str())));
        }
        if let Some(actual) = &failure.actual {
            fields.push(("found", Value::from(actual.as_str())));
        }
        let stack: Vec<&str> = failure.frames().collect();
        if !stack.is_empty() {
            fields.push(("stack", Value::from(stack.join("\n"))));
        }
        for (side, lines) in test.output_by_side() {
            let text: Vec<String> = lines.iter().map(|line| line.shown()).collect();
            if let Some((_, Value::Mapping(output))) = fields.iter_mut().find(|(name, _)| *name == "output") {
                output.insert(side.into(), text.join("\n").into());
            } else {
                let mut output = Mapping::new();
                output.insert(side.into(), text.join("\n").into());
                fields.push(("output", Value::Mapping(output)));
            }
        }
        fields.push(("again", Value::from(run.repro(file, test))));
    }
    block(fields)
}

/// A YAML block as it stands behind a point.
fn block(fields: impl IntoIterator<Item = (&'static str, Value)>) -> String {
    let mapping: Mapping = fields.into_iter().map(|(name, value)| (name.into(), value)).collect();
    // A mapping of texts and numbers has a form in YAML.
    let text = serde_yaml::to_string(&mapping).unwrap_or_default();
    let lines: String =
        text.lines().map(|line| if line.is_empty() { "\n".into() } else { format!("  {line}\n") }).collect();
    format!("  ---\n{lines}  ...\n")
}

/// A description: on one line, and nothing in it that reads as a directive.
fn escape(text: &str) -> String {
    super::one_line(&text.replace('\\', "\\\\").replace('#', "\\#"))
}
