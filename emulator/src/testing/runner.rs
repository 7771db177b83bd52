//! Runs spec files: loads each into a director, runs its tests one by one, each with worlds of its own.

use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};

use super::director::{Director, DirectorOptions, End, end_cell, shown};
use super::kit::Kit;
use super::report::{Failure, FileReport, RunReport, Status, TestReport};
use crate::clock::Time;
use crate::shared::{LogLevel, Seed, SignalMode};
use crate::value::Value;
use crate::vm::{self, Deadline};

/// What to run and how.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Spec files, in the order they run.
    pub files: Vec<PathBuf>,
    /// Root of all randomness.
    pub seed: u64,
    /// Signal behaviours to run every test under.
    pub signals: Vec<SignalMode>,
    /// Which tests run; all when empty. A test runs when its full name matches any.
    pub filters: Vec<Filter>,
    /// Virtual seconds a test may take.
    pub timeout: f64,
    /// Real time a test may take.
    pub wall_timeout: Duration,
    /// Stop after this many failures.
    pub bail: Option<usize>,
    /// Whether to keep the traces of all worlds.
    pub trace: bool,
    /// Whether to list the tests and run none.
    pub list: bool,
}

impl Default for RunOptions {
    fn default() -> Self {
        RunOptions {
            files: Vec::new(),
            seed: 0,
            signals: vec![SignalMode::Deferred],
            filters: Vec::new(),
            timeout: 30.0,
            wall_timeout: Duration::from_secs(20),
            bail: None,
            trace: false,
            list: false,
        }
    }
}

/// A filter on full test names.
#[derive(Clone, Debug)]
pub enum Filter {
    /// The name contains this text.
    Text(String),
    /// The name matches this expression.
    Pattern(regex::Regex),
}

impl Filter {
    /// A filter as the command line writes it: a text, or `/expression/`.
    ///
    /// Errors: what is wrong with the expression.
    pub fn parse(text: &str) -> Result<Filter, String> {
        match text.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')) {
            Some(pattern) => {
                regex::Regex::new(pattern).map(Filter::Pattern).map_err(|error| error.to_string())
            }
            None => Ok(Filter::Text(text.to_string())),
        }
    }

    fn matches(&self, name: &str) -> bool {
        match self {
            Filter::Text(text) => name.contains(text.as_str()),
            Filter::Pattern(pattern) => pattern.is_match(name),
        }
    }
}

/// Runs every file. `on_file` sees each file's report as it is done.
pub fn run(options: &RunOptions, mut on_file: impl FnMut(&FileReport)) -> RunReport {
    let began = Instant::now();
    let mut report = RunReport { files: Vec::new(), seed: options.seed, wall: Duration::ZERO };
    let mut failures = 0;
    for file in &options.files {
        let done = run_file(options, file, &mut failures);
        on_file(&done);
        report.files.push(done);
        if options.bail.is_some_and(|limit| failures >= limit) {
            break;
        }
    }
    report.wall = began.elapsed();
    report
}

fn run_file(options: &RunOptions, file: &std::path::Path, failures: &mut usize) -> FileReport {
    let mut report = FileReport { path: shown(file), tests: Vec::new(), load_error: None };
    for &signals in &options.signals {
        let deadline = Deadline::new();
        let director_options = DirectorOptions {
            seed: options.seed,
            signals,
            deadline: deadline.clone(),
            file: file.to_path_buf(),
        };
        deadline.set(Some(Instant::now() + options.wall_timeout));
        let loaded = Director::new(director_options).and_then(|director| {
            let kit = Kit::load(&director)?;
            Ok((director, kit))
        });
        let (director, kit) = match loaded {
            Ok(loaded) => loaded,
            Err(failure) => {
                report.load_error = Some(failure.report());
                return report;
            }
        };
        let mode = (options.signals.len() > 1).then(|| mode_name(signals));
        let mut tests = FileRun { options, director: &director, kit: &kit, deadline: &deadline, mode };
        tests.run(&mut report, failures);
        if options.bail.is_some_and(|limit| *failures >= limit) {
            break;
        }
    }
    report
}

fn mode_name(signals: SignalMode) -> &'static str {
    match signals {
        SignalMode::Immediate => "immediate",
        SignalMode::Deferred => "deferred",
    }
}

struct FileRun<'a> {
    options: &'a RunOptions,
    director: &'a Rc<Director>,
    kit: &'a Kit,
    deadline: &'a Deadline,
    mode: Option<&'static str>,
}

impl FileRun<'_> {
    fn run(&mut self, report: &mut FileReport, failures: &mut usize) {
        for (index, case) in self.kit.cases().iter().enumerate() {
            let mut test = TestReport {
                blocks: case.blocks.clone(),
                name: case.name.clone(),
                line: case.line,
                mode: self.mode,
                status: Status::Skipped,
                virtual_seconds: 0.0,
                wall: Duration::ZERO,
                output: Vec::new(),
                trace: String::new(),
            };
            let name = test.full_name();
            let filters = &self.options.filters;
            if !filters.is_empty() && !filters.iter().any(|filter| filter.matches(&name)) {
                self.kit.skip(index);
                continue;
            }
            match case.mode.as_str() {
                _ if self.options.list => self.kit.skip(index),
                "skip" => self.kit.skip(index),
                "todo" => {
                    test.status = Status::Todo;
                    self.kit.skip(index);
                }
                _ => self.run_test(index, &mut test),
            }
            *failures += usize::from(matches!(test.status, Status::Failed(_)));
            report.tests.push(test);
            if self.options.bail.is_some_and(|limit| *failures >= limit) {
                return;
            }
        }
    }

    fn run_test(&mut self, index: usize, test: &mut TestReport) {
        let began = Instant::now();
        self.deadline.set(Some(began + self.options.wall_timeout));
        let seed = Seed(self.options.seed).derive(&format!("{}/{}", test.blocks.join("/"), test.name));
        self.director.worlds.begin(seed);
        let start = self.director.now();
        let (end, on_end) = end_cell();
        self.director.start(self.kit.run_function(), &[Value::Number((index + 1) as f64)], on_end);
        let failure = self.drive(&end, start, began);
        test.virtual_seconds = self.director.now() - start + self.director.worlds.seconds();
        test.wall = began.elapsed();
        let failure = failure.or_else(|| self.unexpected_error());
        test.status = match failure {
            Some(failure) => {
                test.output = self.director.worlds.last_output(12);
                Status::Failed(failure)
            }
            None => Status::Passed,
        };
        if self.options.trace {
            test.trace = self.director.worlds.trace();
        }
        self.director.clear();
        self.deadline.set(None);
    }

    /// Moves time until the test has ended. `None` when it passed.
    fn drive(&self, end: &End, start: f64, began: Instant) -> Option<Failure> {
        let frame = Time::of_frame(1, 60.0).seconds();
        loop {
            self.director.pump();
            if let Some(end) = end.borrow_mut().take() {
                return end.err().map(|failure| self.explain(&failure, began));
            }
            let waited = self.director.now() - start;
            if waited > self.options.timeout {
                return Some(stopped(format!(
                    "the test still waits after {} virtual seconds; --timeout allows more",
                    self.options.timeout
                )));
            }
            if began.elapsed() > self.options.wall_timeout {
                return Some(self.out_of_time());
            }
            if !self.director.can_move() {
                return Some(stopped(
                    "the test waits for something that cannot happen: no time is left to pass, no world runs"
                        .into(),
                ));
            }
            self.director.worlds.step_all();
            self.director.advance(frame);
        }
    }

    fn out_of_time(&self) -> Failure {
        stopped(format!(
            "the test ran for more than {} real seconds; --wall-timeout allows more",
            self.options.wall_timeout.as_secs_f64()
        ))
    }

    /// What a test threw, for people: an expectation's record, or any error with its place.
    fn explain(&self, failure: &vm::Failure, began: Instant) -> Failure {
        if began.elapsed() > self.options.wall_timeout {
            let mut stopped = self.out_of_time();
            stopped.trace = failure.report();
            return stopped;
        }
        self.kit.explain(&failure.value).unwrap_or_else(|| Failure {
            message: failure.report(),
            trace: failure.stack.clone(),
            ..Failure::default()
        })
    }

    fn unexpected_error(&self) -> Option<Failure> {
        let (side, line) = self.director.worlds.unexpected_error()?;
        debug_assert_eq!(line.level, LogLevel::Error);
        Some(Failure {
            message: format!("uncaught error on {side}: {}", line.text),
            trace: line.stack.unwrap_or_default(),
            ..Failure::default()
        })
    }
}

fn stopped(message: String) -> Failure {
    Failure { message, is_error: true, ..Failure::default() }
}
