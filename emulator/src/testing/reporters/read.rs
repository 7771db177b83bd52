//! Reads reports back and joins them: what the machines of a CI matrix wrote becomes one report.

use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, XmlString};

use super::json;
use super::junit::LOAD;
use crate::testing::report::{Cut, Failure, FileReport, OutputLine, RunReport, Status, TestReport};

/// A report from its text: a JSON document or JUnit XML, told apart by the first character.
///
/// Errors: what is wrong with the text, for people.
pub fn parse(text: &str) -> Result<RunReport, String> {
    let body = text.trim_start_matches('\u{feff}').trim_start();
    match body.chars().next() {
        Some('{') => json::parse(body),
        Some('<') => junit(body),
        _ => Err("it is neither a JSON nor a JUnit report".to_string()),
    }
}

/// One report of several: files with one path become one, each with its tests in order of definition. A test that
/// several ran counts once, the worst outcome of it. Real times add up; the seeds must agree.
///
/// Errors: the reports belong to different runs.
pub fn merge(reports: Vec<RunReport>) -> Result<RunReport, String> {
    all_shares(&reports)?;
    let mut all = reports.into_iter();
    let mut merged = all.next().ok_or("there is no report to join")?;
    merged.shard = None;
    merged.trace_path = None;
    for report in all {
        if report.seed != merged.seed {
            return Err(format!(
                "the reports are of different runs: one has seed {}, another seed {}",
                merged.seed, report.seed
            ));
        }
        if report.settings != merged.settings {
            return Err("the reports are of different runs: their settings differ".to_string());
        }
        merged.wall += report.wall;
        merged.strict |= report.strict;
        merged.cut = worse_cut(merged.cut, report.cut);
        for file in report.files {
            match merged.files.iter_mut().find(|known| known.path == file.path) {
                Some(known) => add(known, file),
                None => merged.files.push(file),
            }
        }
    }
    merged.files.sort_by(|a, b| a.path.cmp(&b.path));
    for file in &mut merged.files {
        file.tests.sort_by_key(order);
    }
    Ok(merged)
}

/// Refuses shares of a run some of which are not there: a lost report must not pass for a green one.
fn all_shares(reports: &[RunReport]) -> Result<(), String> {
    let Some(count) = reports.iter().find_map(|report| report.shard).map(|(_, count)| count) else {
        return Ok(());
    };
    let there = |index: u32| reports.iter().any(|report| report.shard == Some((index, count)));
    let missing: Vec<String> =
        (1..=count).filter(|index| !there(*index)).map(|index| format!("{index}/{count}")).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let are = if missing.len() == 1 { "share" } else { "shares" };
    Err(format!("the report of {are} {} is missing: join the reports of all {count}", missing.join(", ")))
}

/// Runs of one mode stay together, then those of one seed; within them, tests stand as they are defined.
fn order(test: &TestReport) -> (Option<u64>, bool, u32) {
    (test.seed, test.mode == Some("deferred"), test.number)
}

fn worse_cut(a: Option<Cut>, b: Option<Cut>) -> Option<Cut> {
    let weight = |cut: &Option<Cut>| match cut {
        None => 0,
        Some(Cut::Bail) => 1,
        Some(Cut::OutOfTime) => 2,
        Some(Cut::Interrupted) => 3,
    };
    if weight(&b) > weight(&a) { b } else { a }
}

fn add(known: &mut FileReport, file: FileReport) {
    known.load_error = known.load_error.take().or(file.load_error);
    for test in file.tests {
        let same = known
            .tests
            .iter_mut()
            .find(|other| (other.number, other.full_name()) == (test.number, test.full_name()));
        match same {
            Some(other) if weight(&test.status) > weight(&other.status) => *other = test,
            Some(_) => {}
            None => known.tests.push(test),
        }
    }
}

fn weight(status: &Status) -> u8 {
    match status {
        Status::Skipped | Status::Todo => 0,
        Status::Passed => 1,
        Status::Flaky(_) => 2,
        Status::Failed(_) => 3,
    }
}

/// A report from JUnit XML. What XML cannot tell (blocks, expected values) is in names and messages.
fn junit(text: &str) -> Result<RunReport, String> {
    let document = Report::deserialize_from_str(text).map_err(|error| error.to_string())?;
    let mut report = RunReport { wall: document.time.unwrap_or_default(), ..RunReport::default() };
    for (index, suite) in document.test_suites.iter().enumerate() {
        let mut settings = Vec::new();
        for property in &suite.properties {
            let (name, value) = (property.name.as_str(), property.value.as_str());
            match name {
                "seed" => report.seed = value.parse().map_err(|_| format!("\"{value}\" is no seed"))?,
                "shard" => {
                    let parts =
                        value.split_once('/').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
                    report.shard = Some(parts.ok_or_else(|| format!("\"{value}\" is no share of a run"))?);
                }
                "ended" => {
                    report.cut = [Cut::Bail, Cut::Interrupted, Cut::OutOfTime]
                        .into_iter()
                        .find(|cut| cut.name() == value);
                }
                "flags" => report.flags = serde_json::from_str(value).map_err(|error| error.to_string())?,
                _ => settings.push((name.to_string(), value.to_string())),
            }
        }
        if index == 0 {
            report.settings = settings;
        }
        let mut file = FileReport { path: suite.name.as_str().to_string(), ..FileReport::default() };
        for (number, case) in suite.test_cases.iter().enumerate() {
            if case.name.as_str() == LOAD {
                file.load_error = Some(load_error(case));
            } else {
                file.tests.push(test(case, number as u32 + 1));
            }
        }
        report.files.push(file);
    }
    Ok(report)
}

fn load_error(case: &TestCase) -> String {
    match &case.status {
        TestCaseStatus::NonSuccess { description, message, .. } => {
            let text = description.as_ref().or(message.as_ref());
            text.map_or(String::new(), |text| text.as_str().to_string())
        }
        TestCaseStatus::Success { .. } | TestCaseStatus::Skipped { .. } => String::new(),
    }
}

fn test(case: &TestCase, position: u32) -> TestReport {
    let property = |name: &str| {
        let found = case.properties.iter().find(|property| property.name.as_str() == name);
        found.map(|property| property.value.as_str())
    };
    let line = case.extra.get("line").and_then(|line| line.as_str().parse().ok()).unwrap_or(0);
    let number = property("number").and_then(|number| number.parse().ok()).unwrap_or(position);
    let mut test = TestReport::new(number, Vec::new(), String::new(), line);
    test.mode = ["immediate", "deferred"].into_iter().find(|mode| property("signals") == Some(mode));
    test.seed = property("seed").and_then(|seed| seed.parse().ok());
    let name = case.name.as_str();
    test.name = name.strip_suffix(&test.variant()).unwrap_or(name).to_string();
    test.wall = case.time.unwrap_or(Duration::ZERO);
    test.virtual_seconds = property("virtual_seconds").and_then(|text| text.parse().ok()).unwrap_or(0.0);
    test.status = status(case);
    test.attempts = match &test.status {
        Status::Skipped | Status::Todo => 0,
        Status::Flaky(_) => 2,
        Status::Passed | Status::Failed(_) => 1,
    };
    if let Some(output) = &case.system_out {
        test.output = output.as_str().lines().map(output_line).collect();
    }
    test
}

/// A line of a case's output; sides and times stay part of the text.
fn output_line(text: &str) -> OutputLine {
    OutputLine { side: "all".into(), at: 0.0, level: "output".into(), text: text.to_string() }
}

/// A failure from its message and the text below it, which repeats the message.
fn fault(kind: NonSuccessKind, message: &Option<XmlString>, description: &Option<XmlString>) -> Failure {
    let text =
        |text: &Option<XmlString>| text.as_ref().map_or(String::new(), |text| text.as_str().to_string());
    let (message, description) = (text(message), text(description));
    let rest = description.strip_prefix(&message).unwrap_or(&description);
    let place = |line: &&str| line.starts_with("at ");
    Failure {
        place: rest.lines().find(place).map(|line| line["at ".len()..].to_string()),
        trace: rest.lines().filter(|line| !place(line)).collect::<Vec<_>>().join("\n"),
        is_error: matches!(kind, NonSuccessKind::Error),
        message,
        ..Failure::default()
    }
}

fn status(case: &TestCase) -> Status {
    match &case.status {
        TestCaseStatus::Success { flaky_runs } => match flaky_runs.first() {
            None => Status::Passed,
            Some(first) => Status::Flaky(fault(first.kind, &first.message, &first.description)),
        },
        TestCaseStatus::NonSuccess { kind, message, description, .. } => {
            Status::Failed(fault(*kind, message, description))
        }
        TestCaseStatus::Skipped { message, .. } => match message.as_ref().map(|text| text.as_str()) {
            Some("to do") => Status::Todo,
            _ => Status::Skipped,
        },
    }
}
