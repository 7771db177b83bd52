//! Every reporter on one run with an outcome of each kind and odd characters, and what reads the reports back.

use std::time::Duration;

use super::{Format, github, read, render};
use crate::testing::report::{
    Cut, DiagnosticLine, Failure, FileReport, OutputLine, RunReport, Status, TestReport,
};

fn test(number: u32, blocks: &[&str], name: &str, status: Status) -> TestReport {
    TestReport {
        status,
        attempts: 1,
        virtual_seconds: 0.25,
        wall: Duration::from_millis(3),
        ..TestReport::new(number, blocks.iter().map(ToString::to_string).collect(), name.into(), number * 10)
    }
}

fn line(side: &str, at: f64, level: &str, text: &str) -> OutputLine {
    OutputLine { side: side.into(), at, level: level.into(), text: text.into() }
}

/// A run in which everything happens that a reporter has a form for.
fn everything() -> RunReport {
    let odd = "says \"it's\" <b>50% & [ok]</b> | #1 \\ › ü😀\u{1b}[31m, a: b";
    let mut compared = test(2, &["swings"], odd, Status::Passed);
    compared.status = Status::Failed(Failure {
        message: "expected { a = 1 } to equal { a = 2 }\nsecond line ]]> %".into(),
        expected: Some("{\n  a = 2,\n  b = \"x\"\n}".into()),
        actual: Some("{\n  a = 1,\n  b = \"x\"\n}".into()),
        place: Some("specs/a.spec.luau:21".into()),
        trace: "specs/a.spec.luau:21 in function <body>\n[test]/tree:12".into(),
        ..Failure::default()
    });
    compared.output = vec![
        line("server", 0.1, "output", "hello"),
        line("Ada", 0.1167, "warning", "watch out: <x> & 'y'"),
        line("test", 0.0, "output", "from\tthe spec\u{0}"),
    ];
    compared.diagnostics = vec![DiagnosticLine {
        code: "E-MIXED".into(),
        class: "misuse".into(),
        side: "server".into(),
        at: 0.1,
        text: "argument 1 lost keys".into(),
    }];
    let stopped = Failure {
        message: "the test ran for more than 20 real seconds; --wall-timeout allows more".into(),
        is_error: true,
        ..Failure::default()
    };
    let mut flaky = test(
        5,
        &["swings", "again"],
        "now and then",
        Status::Flaky(Failure { message: "expected 1 to be 2".into(), ..Failure::default() }),
    );
    flaky.attempts = 3;
    let mut two_modes = test(1, &["swings"], "land", Status::Passed);
    two_modes.mode = Some("immediate");
    RunReport {
        files: vec![
            FileReport {
                path: "specs/a.spec.luau".into(),
                tests: vec![
                    two_modes,
                    compared,
                    test(3, &["swings"], "skipped", Status::Skipped),
                    test(4, &["swings", "again"], "to write", Status::Todo),
                    flaky,
                    test(6, &[], "loops", Status::Failed(stopped)),
                ],
                ..FileReport::default()
            },
            FileReport {
                path: "specs/b [odd], 100%.spec.luau".into(),
                load_error: Some("specs/b [odd], 100%.spec.luau:3: Expected 'end', got <eof>".into()),
                ..FileReport::default()
            },
        ],
        seed: 7,
        wall: Duration::from_millis(1500),
        settings: vec![("signals".into(), "deferred".into())],
        flags: vec!["--net".into(), "wifi".into()],
        ..RunReport::default()
    }
}

#[test]
fn every_format_has_a_form_for_everything() {
    let run = everything();
    for format in Format::ALL.into_iter().filter(|format| *format != Format::Silent) {
        insta::assert_snapshot!(format.name(), render(&run, format, false));
    }
    insta::assert_snapshot!("pretty-colour", render(&run, Format::Pretty, true));
    insta::assert_snapshot!("github-summary", github::summary(&run));
    assert_eq!(render(&run, Format::Silent, true), "");
}

#[test]
fn empty_and_cut_runs_are_reports_too() {
    let cut = RunReport { cut: Some(Cut::Interrupted), shard: Some((2, 3)), ..RunReport::default() };
    let all: String = Format::ALL
        .into_iter()
        .map(|format| format!("-- {}\n{}", format.name(), render(&cut, format, false)))
        .collect();
    insta::assert_snapshot!("cut", all);
}

#[test]
fn names_of_formats_are_read_back() {
    for format in Format::ALL {
        assert_eq!(Format::parse(format.name()), Some(format));
    }
    assert_eq!(Format::parse("paper"), None);
}

/// A point of TAP: whether it is ok, its description, its directive, its YAML.
type Point = (bool, String, Option<String>, Option<serde_yaml::Value>);

/// Reads TAP 14 strictly: a version, points numbered from 1, YAML blocks behind them, one plan.
fn tap(text: &str) -> Vec<Point> {
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("TAP version 14"));
    let mut points: Vec<Point> = Vec::new();
    let mut plan = None;
    while let Some(line) = lines.next() {
        if line == "  ---" {
            let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "  ...").collect();
            assert!(block.iter().all(|line| line.is_empty() || line.starts_with("  ")), "{block:?}");
            let last = points.last_mut().unwrap();
            assert!(last.3.is_none(), "two blocks behind a point");
            last.3 = Some(serde_yaml::from_str(&block.join("\n")).unwrap());
            continue;
        }
        if let Some(count) = line.strip_prefix("1..") {
            assert_eq!(plan, None, "two plans");
            plan = Some(count.split(" #").next().unwrap().parse::<usize>().unwrap());
            continue;
        }
        if line.starts_with("Bail out!") {
            continue;
        }
        let (ok, rest) = match line.strip_prefix("not ok ") {
            Some(rest) => (false, rest),
            None => (true, line.strip_prefix("ok ").unwrap_or_else(|| panic!("not TAP: {line:?}"))),
        };
        let (number, rest) = rest.split_once(" - ").unwrap();
        assert_eq!(number.parse::<usize>().unwrap(), points.len() + 1);
        let mut description = String::new();
        let mut directive = None;
        let mut characters = rest.chars();
        while let Some(c) = characters.next() {
            match c {
                '\\' => description.extend(characters.next()),
                '#' => {
                    directive = Some(characters.as_str().trim().to_string());
                    break;
                }
                c => description.push(c),
            }
        }
        points.push((ok, description.trim().to_string(), directive, None));
    }
    assert_eq!(plan, Some(points.len()), "the plan is wrong");
    points
}

#[test]
fn tap_says_what_happened() {
    let run = everything();
    let points = tap(&render(&run, Format::Tap, false));
    let outcomes: Vec<(bool, Option<&str>)> =
        points.iter().map(|point| (point.0, point.2.as_deref())).collect();
    assert_eq!(
        outcomes,
        [
            (true, None),
            (false, None),
            (true, Some("SKIP")),
            (false, Some("TODO")),
            (true, None),
            (false, None),
            (false, None)
        ]
    );
    assert!(points[1].1.contains("50% & [ok]</b> | #1 \\ › ü😀"), "{}", points[1].1);
    let yaml = points[1].3.as_ref().unwrap();
    assert_eq!(yaml["message"].as_str().unwrap(), "expected { a = 1 } to equal { a = 2 }\nsecond line ]]> %");
    assert_eq!(yaml["at"]["line"].as_u64(), Some(21));
    assert_eq!(yaml["output"]["Ada"].as_str().unwrap(), "0.117 s  warning: watch out: <x> & 'y'");
    assert_eq!(yaml["wanted"].as_str().unwrap(), "{\n  a = 2,\n  b = \"x\"\n}");
    assert_eq!(points[4].3.as_ref().unwrap()["severity"].as_str(), Some("flaky"));
    let strict = RunReport { strict: true, ..run };
    assert!(!tap(&render(&strict, Format::Tap, false))[4].0, "a flaky test passes a strict run");
}

#[test]
fn junit_is_well_formed_and_counts_right() {
    let text = render(&everything(), Format::Junit, false);
    let document = roxmltree::Document::parse(&text).unwrap();
    let root = document.root_element();
    assert_eq!(root.tag_name().name(), "testsuites");
    let counts = ["tests", "failures", "errors"].map(|name| root.attribute(name).unwrap());
    assert_eq!(counts, ["7", "1", "2"]);
    let cases: Vec<_> = root.descendants().filter(|node| node.has_tag_name("testcase")).collect();
    let child = |index: usize, name: &str| cases[index].children().find(|node| node.has_tag_name(name));
    assert_eq!(cases[0].attribute("name"), Some("swings › land [immediate]"));
    assert_eq!(
        (cases[1].attribute("file"), cases[1].attribute("line")),
        (Some("specs/a.spec.luau"), Some("20"))
    );
    let failure = child(1, "failure").unwrap();
    assert_eq!(failure.attribute("message").unwrap().lines().count(), 1, "attributes hold one line");
    assert!(failure.text().unwrap().contains("second line ]]> %"));
    assert!(
        child(1, "system-out").unwrap().text().unwrap().contains("[Ada]\n0.117 s  warning: watch out: <x>")
    );
    assert!(child(2, "skipped").is_some() && child(3, "skipped").is_some());
    assert!(child(4, "flakyFailure").is_some() && child(4, "failure").is_none());
    assert!(child(5, "error").is_some() && child(6, "error").is_some());
}

#[test]
fn json_is_read_back_as_it_was() {
    let run = everything();
    let text = render(&run, Format::Json, false);
    let back = read::parse(&text).unwrap();
    assert_eq!(back, run);
    assert_eq!(render(&back, Format::Json, false), text);
    let error = read::parse("{\"format\": 3}").unwrap_err();
    assert!(error.contains("line 1"), "{error}");
    assert!(read::parse("ok 1 - x").unwrap_err().contains("neither a JSON nor a JUnit report"));
}

#[test]
fn junit_is_read_back_as_far_as_it_goes() {
    let run = everything();
    let back = read::parse(&render(&run, Format::Junit, false)).unwrap();
    assert_eq!((back.totals(), back.seed, &back.flags), (run.totals(), 7, &run.flags));
    let first = &back.files[0].tests[0];
    assert_eq!((first.mode, first.full_name().as_str()), (Some("immediate"), "swings › land [immediate]"));
    let failure = back.files[0].tests[1].status.failure().unwrap();
    assert_eq!(failure.place.as_deref(), Some("specs/a.spec.luau:21"));
    // What was written from it says the same again.
    let again = read::parse(&render(&back, Format::Junit, false)).unwrap();
    assert_eq!(again.totals(), run.totals());
    assert_eq!(again.files[0].tests[1].name, back.files[0].tests[1].name);
}

#[test]
fn shares_join_to_the_whole() {
    let whole = everything();
    let share = |keep: &dyn Fn(&TestReport) -> bool, index| {
        let mut share = whole.clone();
        share.shard = Some((index, 2));
        for file in &mut share.files {
            file.tests.retain(|test| keep(test));
        }
        share
    };
    let odd = share(&|test| test.number % 2 == 1, 1);
    let even = share(&|test| test.number % 2 == 0, 2);
    let mut joined = read::merge(vec![even.clone(), odd.clone()]).unwrap();
    assert_eq!(joined.wall, whole.wall * 2);
    joined.wall = whole.wall;
    // The mode sorts before the number; the one test with a mode of its own is the first anyway.
    joined.files[0].tests.sort_by_key(|test| test.number);
    assert_eq!(joined, whole);

    let other = RunReport { seed: 8, ..odd };
    assert!(read::merge(vec![even, other]).unwrap_err().contains("seed 7, another seed 8"));
    assert!(read::merge(Vec::new()).is_err());
}

#[test]
fn the_worst_outcome_of_a_test_stays() {
    let of = |status: Status| RunReport {
        files: vec![FileReport {
            path: "a".into(),
            tests: vec![test(1, &[], "x", status)],
            ..FileReport::default()
        }],
        ..RunReport::default()
    };
    let failed = || of(Status::Failed(Failure::default()));
    for reports in [vec![of(Status::Passed), failed()], vec![failed(), of(Status::Passed)]] {
        let totals = read::merge(reports).unwrap().totals();
        assert_eq!((totals.tests(), totals.failed), (1, 1));
    }
}
