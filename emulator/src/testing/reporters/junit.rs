//! JUnit XML: a suite a file, a case a test, properties for the seed.

use quick_junit::{NonSuccessKind, Property, Report, TestCase, TestCaseStatus, TestSuite};

use crate::testing::report::{FileReport, RunReport, Status, TestReport};

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
    suite.add_property(Property::new("seed", report.seed.to_string()));
    if let Some(error) = &file.load_error {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_message("the file could not be loaded").set_description(error.clone());
        suite.add_test_case(TestCase::new("(load)", status));
    }
    for test in &file.tests {
        suite.add_test_case(case(file, test));
    }
    suite
}

fn case(file: &FileReport, test: &TestReport) -> TestCase {
    let status = match &test.status {
        Status::Passed => TestCaseStatus::success(),
        Status::Skipped | Status::Todo => TestCaseStatus::skipped(),
        Status::Failed(failure) => {
            let kind = if failure.is_error { NonSuccessKind::Error } else { NonSuccessKind::Failure };
            let mut status = TestCaseStatus::non_success(kind);
            status.set_message(failure.message.clone()).set_description(failure.trace.clone());
            status
        }
    };
    let mut case = TestCase::new(test.full_name(), status);
    case.set_classname(file.path.clone());
    case.set_time(test.wall);
    case.extra.insert("file".into(), file.path.clone().into());
    case.extra.insert("line".into(), test.line.to_string().into());
    if !test.output.is_empty() {
        case.set_system_out(test.output.join("\n"));
    }
    case
}
