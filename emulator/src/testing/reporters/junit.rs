//! JUnit XML: a suite a file, a case a test, properties for the seed and the settings.

use quick_junit::{
    FlakyOrRerun, NonSuccessKind, Property, Report, TestCase, TestCaseStatus, TestRerun, TestSuite,
};

use crate::testing::report::{Failure, FileReport, RunReport, Status, TestReport};

/// The name of the case that stands for a file that could not be loaded.
pub(super) const LOAD: &str = "(load)";

/// The report as one JUnit document.
pub fn render(report: &RunReport) -> String {
    let mut document = Report::new("blinkblox");
    document.set_time(report.wall);
    for file in &report.files {
        document.add_test_suite(suite(report, file));
    }
    // Writing into memory fails only when a name holds what XML cannot say; quick-junit strips that itself.
    document
        .to_string()
        .unwrap_or_else(|error| format!("<!-- the report could not be written: {error} -->\n"))
}

fn suite(report: &RunReport, file: &FileReport) -> TestSuite {
    let mut suite = TestSuite::new(file.path.clone());
    suite.set_time(file.tests.iter().map(|test| test.wall).sum());
    suite.add_property(Property::new("seed", report.seed.to_string()));
    for (name, value) in &report.settings {
        suite.add_property(Property::new(name.clone(), value.clone()));
    }
    if !report.flags.is_empty() {
        suite.add_property(Property::new("flags", serde_json::Value::from(report.flags.clone()).to_string()));
    }
    if let Some((index, count)) = report.shard {
        suite.add_property(Property::new("shard", format!("{index}/{count}")));
    }
    if let Some(cut) = report.cut {
        suite.add_property(Property::new("ended", cut.name()));
    }
    if let Some(error) = &file.load_error {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_message("the file could not be loaded").set_type("load").set_description(error.clone());
        let mut case = TestCase::new(LOAD, status);
        case.set_classname(file.path.clone());
        case.extra.insert("file".into(), file.path.clone().into());
        suite.add_test_case(case);
    }
    for test in &file.tests {
        suite.add_test_case(case(report, file, test));
    }
    suite
}

fn case(report: &RunReport, file: &FileReport, test: &TestReport) -> TestCase {
    let kind = |failure: &Failure| match failure.is_error {
        true => NonSuccessKind::Error,
        false => NonSuccessKind::Failure,
    };
    let status = match &test.status {
        Status::Passed => TestCaseStatus::success(),
        Status::Skipped => TestCaseStatus::skipped(),
        Status::Todo => {
            let mut status = TestCaseStatus::skipped();
            status.set_message("to do");
            status
        }
        Status::Failed(failure) => {
            let mut status = TestCaseStatus::non_success(kind(failure));
            status.set_message(failure.message.clone()).set_type(type_of(failure));
            status.set_description(description(failure));
            status
        }
        Status::Flaky(failure) => {
            let mut first = TestRerun::new(kind(failure));
            first.set_message(failure.message.clone()).set_type(type_of(failure));
            first.set_description(description(failure));
            let mut status = if report.strict {
                let mut status = TestCaseStatus::non_success(kind(failure));
                status.set_message(format!("flaky: {}", failure.message)).set_type("flaky");
                status.set_rerun_kind(FlakyOrRerun::Flaky);
                status
            } else {
                TestCaseStatus::success()
            };
            status.add_rerun(first);
            status
        }
    };
    let mut case = TestCase::new(test.full_name(), status);
    case.set_classname(file.path.clone());
    case.set_time(test.wall);
    case.extra.insert("file".into(), file.path.clone().into());
    case.extra.insert("line".into(), test.line.to_string().into());
    case.add_property(Property::new("number", test.number.to_string()));
    if let Some(mode) = test.mode {
        case.add_property(Property::new("signals", mode));
    }
    if let Some(seed) = test.seed {
        case.add_property(Property::new("seed", seed.to_string()));
    }
    if !matches!(test.status, Status::Skipped | Status::Todo) {
        case.add_property(Property::new("virtual_seconds", format!("{:.6}", test.virtual_seconds)));
    }
    if test.status.failure().is_some() {
        case.add_property(Property::new("again", report.repro(file, test)));
    }
    if !test.output.is_empty() {
        case.set_system_out(output(test));
    }
    case
}

fn type_of(failure: &Failure) -> &'static str {
    if failure.is_error { "error" } else { "expectation" }
}

/// Place, values and stack, as build servers show them below the message.
fn description(failure: &Failure) -> String {
    let mut lines = vec![failure.message.clone()];
    for (name, value) in [("expected", &failure.expected), ("actual", &failure.actual)] {
        if let Some(value) = value {
            lines.push(format!("{name}: {value}"));
        }
    }
    if let Some(place) = &failure.place {
        lines.push(format!("at {place}"));
    }
    lines.extend(failure.frames().map(|frame| format!("  {frame}")));
    lines.join("\n")
}

/// What each side printed last, a heading a side.
fn output(test: &TestReport) -> String {
    let mut lines = Vec::new();
    for (side, of_side) in test.output_by_side() {
        lines.push(format!("[{side}]"));
        lines.extend(of_side.iter().map(|line| line.shown()));
    }
    lines.join("\n")
}
