//! What a test run found, as plain values. Reporters turn it into text; the runner never prints.

use std::time::Duration;

/// How one test ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Status {
    /// It returned.
    Passed,
    /// An expectation, the test's own code or a side of its world failed.
    Failed(Failure),
    /// It was not to be run: `it.skip`, or another test has `.only`.
    Skipped,
    /// `it.todo`
    Todo,
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
}

/// One test.
#[derive(Clone, Debug)]
pub struct TestReport {
    /// Names of the blocks around it, outermost first.
    pub blocks: Vec<String>,
    /// Its own name.
    pub name: String,
    /// Line of its `it`.
    pub line: u32,
    /// Signal mode it ran in, where the run covers both.
    pub mode: Option<&'static str>,
    /// How it ended.
    pub status: Status,
    /// Virtual seconds its worlds ran.
    pub virtual_seconds: f64,
    /// Real time it took.
    pub wall: Duration,
    /// The last lines each side printed, as `[side] text`; kept for failures.
    pub output: Vec<String>,
    /// Traces of its worlds, a JSON document a line; empty unless asked for.
    pub trace: String,
}

impl TestReport {
    /// The full name: blocks and test joined by ` › `, and the signal mode where there are two.
    pub fn full_name(&self) -> String {
        let mut parts = self.blocks.clone();
        parts.push(self.name.clone());
        let mut name = parts.join(" › ");
        if let Some(mode) = self.mode {
            name.push_str(&format!(" [{mode}]"));
        }
        name
    }
}

/// One spec file.
#[derive(Clone, Debug)]
pub struct FileReport {
    /// Its path as shown.
    pub path: String,
    /// Its tests, in order of definition.
    pub tests: Vec<TestReport>,
    /// Why it could not be loaded.
    pub load_error: Option<String>,
}

/// A whole run.
#[derive(Clone, Debug)]
pub struct RunReport {
    /// Files in order of path.
    pub files: Vec<FileReport>,
    /// The seed every world's randomness comes from.
    pub seed: u64,
    /// Real time of the run.
    pub wall: Duration,
}

/// Counts of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Tests that passed.
    pub passed: usize,
    /// Tests that failed.
    pub failed: usize,
    /// Tests skipped or still to write.
    pub skipped: usize,
    /// Files that could not be loaded.
    pub broken_files: usize,
}

impl RunReport {
    /// Counts over all files.
    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        for file in &self.files {
            totals.broken_files += usize::from(file.load_error.is_some());
            for test in &file.tests {
                match test.status {
                    Status::Passed => totals.passed += 1,
                    Status::Failed(_) => totals.failed += 1,
                    Status::Skipped | Status::Todo => totals.skipped += 1,
                }
            }
        }
        totals
    }

    /// The process's exit code: 0 all passed, 1 a test failed, 3 a file could not be loaded, 4 no tests found.
    /// Source: emulator requirements, 3.3.
    pub fn exit_code(&self) -> u8 {
        let totals = self.totals();
        if totals.broken_files > 0 {
            3
        } else if totals.failed > 0 {
            1
        } else if totals.passed + totals.skipped == 0 {
            4
        } else {
            0
        }
    }

    /// The traces of all tests, each behind its header.
    pub fn trace_text(&self) -> String {
        self.files.iter().flat_map(|file| &file.tests).map(|test| test.trace.as_str()).collect()
    }

    /// The command that runs one test of this run again.
    pub fn repro(&self, file: &FileReport, test: &TestReport) -> String {
        let mode = test.mode.map_or(String::new(), |mode| format!(" --signals {mode}"));
        format!("blinkblox test {} -t \"{}\" --seed {}{mode}", file.path, test.name, self.seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(status: Status) -> TestReport {
        TestReport {
            blocks: vec!["swings".into()],
            name: "land".into(),
            line: 3,
            mode: Some("deferred"),
            status,
            virtual_seconds: 1.5,
            wall: Duration::ZERO,
            output: vec![],
            trace: String::new(),
        }
    }

    fn run(files: Vec<FileReport>) -> RunReport {
        RunReport { files, seed: 7, wall: Duration::ZERO }
    }

    fn file(tests: Vec<TestReport>, load_error: Option<String>) -> FileReport {
        FileReport { path: "a.spec.luau".into(), tests, load_error }
    }

    #[test]
    fn exit_codes_follow_the_table() {
        assert_eq!(run(vec![]).exit_code(), 4);
        assert_eq!(run(vec![file(vec![test(Status::Passed)], None)]).exit_code(), 0);
        let failed = test(Status::Failed(Failure::default()));
        assert_eq!(run(vec![file(vec![test(Status::Passed), failed], None)]).exit_code(), 1);
        assert_eq!(run(vec![file(vec![], Some("no".into()))]).exit_code(), 3);
    }

    #[test]
    fn names_and_repro_line() {
        let test = test(Status::Passed);
        let file = file(vec![test.clone()], None);
        assert_eq!(test.full_name(), "swings › land [deferred]");
        assert_eq!(
            run(vec![file.clone()]).repro(&file, &test),
            "blinkblox test a.spec.luau -t \"land\" --seed 7 --signals deferred"
        );
    }
}
