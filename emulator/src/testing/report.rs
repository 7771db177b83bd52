//! What a test run found, as plain values. Reporters turn it into text; the runner never prints.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use super::coverage::Coverage;
use super::shell::{quote, quote_always};

/// How one test ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Status {
    /// It returned.
    Passed,
    /// An expectation, the test's own code or a side of its world failed.
    Failed(Failure),
    /// It failed first and passed when it ran again. Holds the first failure.
    Flaky(Failure),
    /// It was not to be run: `it.skip`, or another test has `.only`.
    Skipped,
    /// `it.todo`
    Todo,
}

impl Status {
    /// The status as reports name it.
    pub fn name(&self) -> &'static str {
        match self {
            Status::Passed => "passed",
            Status::Failed(_) => "failed",
            Status::Flaky(_) => "flaky",
            Status::Skipped => "skipped",
            Status::Todo => "todo",
        }
    }

    /// What went wrong, also in a test that passed later.
    pub fn failure(&self) -> Option<&Failure> {
        match self {
            Status::Failed(failure) | Status::Flaky(failure) => Some(failure),
            Status::Passed | Status::Skipped | Status::Todo => None,
        }
    }
}

/// Why a test failed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Failure {
    /// What happened, in a sentence or more.
    pub message: String,
    /// The expected value over several lines, where the matcher compares two values.
    pub expected: Option<String>,
    /// The actual value, likewise.
    pub actual: Option<String>,
    /// `file:line` of the expectation or the error.
    pub place: Option<String>,
    /// The stack of the test's thread, a frame a line.
    pub trace: String,
    /// True when the host stopped the test (time limits, a crash of a VM) rather than an expectation.
    pub is_error: bool,
    /// The errors of the schema without which its world could not be made, a line each: the same for every test that
    /// names the schema.
    pub schema: Option<String>,
}

impl Failure {
    /// The stack without the test API's own calls, which say nothing to its reader.
    pub fn frames(&self) -> impl Iterator<Item = &str> {
        let is_theirs = |line: &&str| !line.is_empty() && !line.contains("[test]");
        self.trace.lines().map(str::trim).filter(is_theirs)
    }

    /// File and line of the failure, where known.
    pub fn file_and_line(&self) -> Option<(&str, u32)> {
        let (file, line) = self.place.as_deref()?.rsplit_once(':')?;
        Some((file, line.parse().ok()?))
    }
}

/// A line that a side or the test itself printed.
#[derive(Clone, Debug, PartialEq)]
pub struct OutputLine {
    /// `server`, a player's name, or `test`.
    pub side: String,
    /// Virtual seconds since the world began.
    pub at: f64,
    /// `output`, `info`, `warning` or `error`.
    pub level: String,
    /// What was printed.
    pub text: String,
}

impl OutputLine {
    /// The line behind its time, and its level where that is not plain output.
    pub fn shown(&self) -> String {
        match self.level.as_str() {
            "output" => format!("{:.3} s  {}", self.at, self.text),
            level => format!("{:.3} s  {level}: {}", self.at, self.text),
        }
    }
}

/// A diagnostic of a test's world.
#[derive(Clone, Debug, PartialEq)]
pub struct DiagnosticLine {
    /// Its code, such as `E-MIXED`.
    pub code: String,
    /// Its class: `misuse`, `portability` or `info`.
    pub class: String,
    /// The side it is about.
    pub side: String,
    /// Virtual seconds since the world began.
    pub at: f64,
    /// What happened.
    pub text: String,
}

/// One test.
#[derive(Clone, Debug, PartialEq)]
pub struct TestReport {
    /// Its place among the tests of its file, from 1, in order of definition.
    pub number: u32,
    /// Names of the blocks around it, outermost first.
    pub blocks: Vec<String>,
    /// Its own name.
    pub name: String,
    /// Line of its `it`.
    pub line: u32,
    /// Signal mode it ran in, where the run covers both.
    pub mode: Option<&'static str>,
    /// The seed it ran with, where the run repeats tests with several.
    pub seed: Option<u64>,
    /// How it ended.
    pub status: Status,
    /// How often it ran: more than once where failures are tried again.
    pub attempts: u32,
    /// Virtual seconds its worlds ran.
    pub virtual_seconds: f64,
    /// Real time it took.
    pub wall: Duration,
    /// The last lines of each side, side by side; kept for failures.
    pub output: Vec<OutputLine>,
    /// Diagnostics of its worlds.
    pub diagnostics: Vec<DiagnosticLine>,
    /// Traces of its worlds, a JSON document a line; empty unless asked for.
    pub trace: String,
}

impl TestReport {
    /// A test that has not run.
    pub fn new(number: u32, blocks: Vec<String>, name: String, line: u32) -> TestReport {
        TestReport {
            number,
            blocks,
            name,
            line,
            mode: None,
            seed: None,
            status: Status::Skipped,
            attempts: 0,
            virtual_seconds: 0.0,
            wall: Duration::ZERO,
            output: Vec::new(),
            diagnostics: Vec::new(),
            trace: String::new(),
        }
    }

    /// Blocks and test joined by ` › `.
    pub fn path(&self) -> String {
        let mut parts: Vec<&str> = self.blocks.iter().map(String::as_str).collect();
        parts.push(&self.name);
        parts.join(" › ")
    }

    /// What tells runs of one test apart: the signal mode where there are two, the seed where there are several.
    pub fn variant(&self) -> String {
        let mode = self.mode.map_or(String::new(), |mode| format!(" [{mode}]"));
        let seed = self.seed.map_or(String::new(), |seed| format!(" [seed {seed}]"));
        mode + &seed
    }

    /// The full name: blocks and test, and the variant.
    pub fn full_name(&self) -> String {
        self.path() + &self.variant()
    }

    /// The sides that printed something, in order, each with its lines.
    pub fn output_by_side(&self) -> Vec<(&str, Vec<&OutputLine>)> {
        let mut sides: Vec<(&str, Vec<&OutputLine>)> = Vec::new();
        for line in &self.output {
            match sides.iter_mut().find(|(side, _)| *side == line.side) {
                Some((_, lines)) => lines.push(line),
                None => sides.push((&line.side, vec![line])),
            }
        }
        sides
    }
}

/// One spec file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FileReport {
    /// Its path as shown.
    pub path: String,
    /// Its tests, in the order they ran.
    pub tests: Vec<TestReport>,
    /// Why it could not be loaded.
    pub load_error: Option<String>,
    /// What is doubtful about its worlds, and fails nothing.
    pub warnings: Vec<String>,
    /// Which lines of sides' scripts ran; empty unless counted.
    pub coverage: Coverage,
    /// Files it was made from: the spec, what it requires, schemas and projects. For watching.
    pub reads: BTreeSet<PathBuf>,
}

/// Why a run has an end before its last test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// `--bail`: enough tests have failed.
    Bail,
    /// Somebody stopped it.
    Interrupted,
    /// The time of the whole run was up.
    OutOfTime,
}

impl Cut {
    /// The reason as reports name it.
    pub fn name(self) -> &'static str {
        match self {
            Cut::Bail => "bail",
            Cut::Interrupted => "interrupted",
            Cut::OutOfTime => "timeout",
        }
    }

    /// The reason in a sentence.
    pub fn text(self) -> &'static str {
        match self {
            Cut::Bail => "stopped after enough failures",
            Cut::Interrupted => "interrupted before the end",
            Cut::OutOfTime => "the time of the whole run was up",
        }
    }
}

/// A whole run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunReport {
    /// Files in order of path.
    pub files: Vec<FileReport>,
    /// The seed every world's randomness comes from.
    pub seed: u64,
    /// Real time of the run.
    pub wall: Duration,
    /// Why it ended early.
    pub cut: Option<Cut>,
    /// Which share of the tests this was: number and count, from 1.
    pub shard: Option<(u32, u32)>,
    /// Whether a flaky test is a failure.
    pub strict: bool,
    /// What the run was told apart from files, filters and seed, by name: what a report shows.
    pub settings: Vec<(String, String)>,
    /// Arguments a repro line needs to make the same worlds.
    pub flags: Vec<String>,
    /// Where the trace is written.
    pub trace_path: Option<String>,
}

/// Counts of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Tests that passed.
    pub passed: usize,
    /// Tests that failed.
    pub failed: usize,
    /// Tests that passed when they ran again.
    pub flaky: usize,
    /// Tests skipped or still to write.
    pub skipped: usize,
    /// Files that could not be loaded.
    pub broken_files: usize,
}

impl Totals {
    /// Tests that ran or were left out on purpose.
    pub fn tests(&self) -> usize {
        self.passed + self.failed + self.flaky + self.skipped
    }
}

impl RunReport {
    /// Which lines of sides' scripts ran in all files.
    pub fn coverage(&self) -> Coverage {
        let mut all = Coverage::default();
        for file in &self.files {
            all.merge(file.coverage.clone());
        }
        all
    }

    /// What is doubtful about the worlds of all files, once each.
    pub fn warnings(&self) -> BTreeSet<&str> {
        self.files.iter().flat_map(|file| &file.warnings).map(String::as_str).collect()
    }

    /// Counts over all files.
    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for file in &self.files {
            totals.broken_files += usize::from(file.load_error.is_some());
            for test in &file.tests {
                match test.status {
                    Status::Passed => totals.passed += 1,
                    Status::Failed(_) => totals.failed += 1,
                    Status::Flaky(_) => totals.flaky += 1,
                    Status::Skipped | Status::Todo => totals.skipped += 1,
                }
            }
        }
        totals
    }

    /// Whether a test counts as a failure: it failed, or it is flaky in a strict run.
    pub fn is_failure(&self, test: &TestReport) -> bool {
        match test.status {
            Status::Failed(_) => true,
            Status::Flaky(_) => self.strict,
            Status::Passed | Status::Skipped | Status::Todo => false,
        }
    }

    /// Whether everything that ran is well.
    pub fn is_success(&self) -> bool {
        matches!(self.exit_code(), 0 | 4)
    }

    /// The process's exit code: 0 all passed, 1 a test failed, 3 a file could not be loaded, 4 no tests found, 124 the
    /// whole run took too long, 130 interrupted. A share of the tests may be empty. Source: emulator requirements, 3.3.
    pub fn exit_code(&self) -> u8 {
        let totals = self.totals();
        match self.cut {
            Some(Cut::Interrupted) => 130,
            Some(Cut::OutOfTime) => 124,
            Some(Cut::Bail) | None => {
                if totals.broken_files > 0 {
                    3
                } else if totals.failed > 0 || (self.strict && totals.flaky > 0) {
                    1
                } else if totals.tests() == 0 && (self.shard.is_none() || self.files.is_empty()) {
                    4
                } else {
                    0
                }
            }
        }
    }

    /// The traces of all tests, each behind its header.
    pub fn trace_text(&self) -> String {
        self.files.iter().flat_map(|file| &file.tests).map(|test| test.trace.as_str()).collect()
    }

    /// The command that runs one test of this run again, as a shell reads it.
    pub fn repro(&self, file: &FileReport, test: &TestReport) -> String {
        let mut words =
            vec!["blinkblox".to_string(), "test".to_string(), quote(&file.path), "-t".to_string()];
        let name = test.path();
        // A name between slashes would be read as an expression, and no shell takes control characters in a word.
        let is_pattern = name.len() > 1 && name.starts_with('/') && name.ends_with('/');
        let filter = if is_pattern || name.contains(char::is_control) {
            format!("/^{}/", regex::escape(&name).replace(char::is_control, "(?s:.)"))
        } else {
            name
        };
        words.push(quote_always(&filter));
        words.push("--seed".to_string());
        words.push(test.seed.unwrap_or(self.seed).to_string());
        if let Some(mode) = test.mode {
            words.extend(["--signals".to_string(), mode.to_string()]);
        }
        words.extend(self.flags.iter().map(|flag| quote(flag)));
        words.join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(status: Status) -> TestReport {
        let mut test = TestReport::new(1, vec!["swings".into()], "land".into(), 3);
        test.mode = Some("deferred");
        test.status = status;
        test
    }

    fn run(files: Vec<FileReport>) -> RunReport {
        RunReport { files, seed: 7, ..RunReport::default() }
    }

    fn file(tests: Vec<TestReport>, load_error: Option<String>) -> FileReport {
        FileReport { path: "a.spec.luau".into(), tests, load_error, ..FileReport::default() }
    }

    #[test]
    fn exit_codes_follow_the_table() {
        assert_eq!(run(vec![]).exit_code(), 4);
        assert_eq!(run(vec![file(vec![test(Status::Passed)], None)]).exit_code(), 0);
        let failed = test(Status::Failed(Failure::default()));
        assert_eq!(run(vec![file(vec![test(Status::Passed), failed], None)]).exit_code(), 1);
        assert_eq!(run(vec![file(vec![], Some("no".into()))]).exit_code(), 3);
        let cut = |cut| RunReport { cut: Some(cut), ..run(vec![]) }.exit_code();
        assert_eq!((cut(Cut::OutOfTime), cut(Cut::Interrupted)), (124, 130));
    }

    #[test]
    fn a_flaky_test_fails_a_strict_run_and_a_share_may_be_empty() {
        let mut flaky = run(vec![file(vec![test(Status::Flaky(Failure::default()))], None)]);
        assert_eq!(flaky.exit_code(), 0);
        flaky.strict = true;
        assert_eq!(flaky.exit_code(), 1);
        let mut share = run(vec![file(vec![], None)]);
        assert_eq!(share.exit_code(), 4);
        share.shard = Some((2, 3));
        assert_eq!(share.exit_code(), 0);
    }

    #[test]
    fn names_and_repro_line() {
        let test = test(Status::Passed);
        let file = file(vec![test.clone()], None);
        assert_eq!(test.full_name(), "swings › land [deferred]");
        assert_eq!(
            run(vec![file.clone()]).repro(&file, &test),
            "blinkblox test a.spec.luau -t \"swings › land\" --seed 7 --signals deferred"
        );
        let repeated = TestReport { seed: Some(9), mode: None, ..test };
        let flags = vec!["--set".to_string(), "rateLimit=5 000".to_string()];
        assert_eq!(
            RunReport { flags, ..run(vec![]) }.repro(&file, &repeated),
            "blinkblox test a.spec.luau -t \"swings › land\" --seed 9 --set \"rateLimit=5 000\""
        );
    }

    #[test]
    fn a_name_that_looks_like_an_expression_is_written_as_one() {
        let test = TestReport::new(1, Vec::new(), "/a.b/".into(), 1);
        assert!(run(vec![]).repro(&file(vec![], None), &test).contains("-t '/^/a\\.b//'"));
    }
}
