//! One spec file: loaded into a director once a signal mode and seed, its tests run one by one, each with worlds of its
//! own.

use std::path::Path;
use std::rc::Rc;
use std::time::Instant;

use super::{Interruptible, RunOptions, explore, jobs, select};
use crate::clock::Time;
use crate::shared::{LogLevel, Seed, SignalMode};
use crate::testing::director::{Director, DirectorOptions, End, end_cell, shown};
use crate::testing::kit::Kit;
use crate::testing::report::{Cut, Failure, FileReport, Status, TestReport};
use crate::testing::shell::{quote, quote_always};
use crate::value::Value;
use crate::vm::{self, Deadline};
use blinkblox_compiler::diagnostics::counted;

/// Runs a file under every signal mode and seed. `end` is the moment the whole run must be over.
pub(super) fn run_file(options: &RunOptions, path: &Path, end: Option<Instant>) -> FileReport {
    let mut report = FileReport { path: shown(path), ..FileReport::default() };
    let mut failures = 0;
    for repetition in 0..options.repeat.max(1) {
        for &signals in &options.signals {
            let run = Run { options, path, end, signals, seed: options.seed.wrapping_add(repetition.into()) };
            let loaded = match run.load() {
                Ok(loaded) => loaded,
                Err((failure, director)) => {
                    report.reads.extend(director.iter().flat_map(|director| director.worlds.reads()));
                    report.reads.insert(path.to_path_buf());
                    report.warnings.extend(director.iter().flat_map(|director| director.worlds.warnings()));
                    report.load_error = Some(run.load_error(&failure));
                    if end.is_some_and(|end| Instant::now() >= end) {
                        options.stop.set(Cut::OutOfTime);
                    }
                    return report;
                }
            };
            run.tests(&loaded, &mut report, &mut failures);
            report.reads.extend(loaded.director.worlds.reads());
            report.warnings.extend(loaded.director.worlds.warnings());
            if let Err(problem) = loaded.director.stored.save() {
                report.load_error = Some(problem);
            }
            report.coverage.merge(loaded.director.worlds.coverage());
            let is_enough = options.bail.is_some_and(|limit| failures >= limit);
            if is_enough || options.stop.reason().is_some() {
                return report;
            }
        }
    }
    report
}

/// A signal mode as reports and arguments name it.
pub(super) fn mode_name(signals: SignalMode) -> &'static str {
    match signals {
        SignalMode::Immediate => "immediate",
        SignalMode::Deferred => "deferred",
    }
}

/// A file under one signal mode and seed.
struct Run<'a> {
    options: &'a RunOptions,
    path: &'a Path,
    end: Option<Instant>,
    signals: SignalMode,
    seed: u64,
}

/// A file that has been loaded.
struct Loaded {
    director: Rc<Director>,
    kit: Kit,
    deadline: Deadline,
    _interruptible: Interruptible,
}

impl Run<'_> {
    /// Loads the file into a fresh director, which is given back also when that fails.
    fn load(&self) -> Result<Loaded, (vm::Failure, Option<Rc<Director>>)> {
        let deadline = Deadline::new();
        let interruptible = self.options.stop.covers(&deadline);
        let mut world = self.options.world.clone();
        if self.options.shuffle.is_some() {
            world.settings.push(("shuffle".into(), "true".into()));
        }
        let director_options = DirectorOptions {
            seed: self.seed,
            signals: self.signals,
            deadline: deadline.clone(),
            file: self.path.to_path_buf(),
            world,
            env: self.options.env.clone(),
            stored: self.options.stored,
            most_seconds: self.options.limits_steps.then_some(self.options.timeout),
            coverage: self.options.coverage,
        };
        deadline.set(Some(jobs::deadline(Instant::now(), self.options.wall_timeout, self.end)));
        let director = Director::new(director_options).map_err(|failure| (failure, None))?;
        match Kit::load(&director) {
            Ok(kit) => Ok(Loaded { director, kit, deadline, _interruptible: interruptible }),
            Err(failure) => Err((failure, Some(director))),
        }
    }

    /// Why the file could not be loaded.
    fn load_error(&self, failure: &vm::Failure) -> String {
        let report = failure.report();
        let is_cut = self.options.stop.is_interrupted();
        if is_cut { format!("interrupted while it was loaded: {report}") } else { report }
    }

    fn tests(&self, loaded: &Loaded, report: &mut FileReport, failures: &mut usize) {
        let options = self.options;
        for index in select::order(loaded.kit.cases(), &report.path, options.shuffle) {
            let case = &loaded.kit.cases()[index];
            let mut test =
                TestReport::new(index as u32 + 1, case.blocks.clone(), case.name.clone(), case.line);
            test.mode = (options.signals.len() > 1).then(|| mode_name(self.signals));
            test.seed = (options.repeat > 1).then_some(self.seed);
            if !self.is_wanted(&report.path, &test) {
                loaded.kit.skip(index);
                continue;
            }
            match case.mode.as_str() {
                _ if options.list => loaded.kit.skip(index),
                "skip" => loaded.kit.skip(index),
                "todo" => {
                    test.status = Status::Todo;
                    loaded.kit.skip(index);
                }
                _ => {
                    self.test(loaded, index, &mut test);
                    self.try_again(index, &mut test);
                    self.explore(index, &mut test);
                }
            }
            let failed = match test.status {
                Status::Failed(_) => true,
                Status::Flaky(_) => options.strict,
                Status::Passed | Status::Skipped | Status::Todo => false,
            };
            *failures += usize::from(failed);
            report.tests.push(test);
            if self.end.is_some_and(|end| Instant::now() >= end) {
                options.stop.set(Cut::OutOfTime);
            }
            if options.bail.is_some_and(|limit| *failures >= limit) || options.stop.reason().is_some() {
                return;
            }
        }
    }

    fn is_wanted(&self, file: &str, test: &TestReport) -> bool {
        let RunOptions { filters, excludes, shard, .. } = self.options;
        let name = test.full_name();
        (filters.is_empty() || filters.iter().any(|filter| filter.matches(&name)))
            && !excludes.iter().any(|filter| filter.matches(&name))
            && shard.is_none_or(|shard| shard.holds(file, &test.blocks, &test.name))
    }

    /// Runs a test that failed again, alone in a fresh director, as often as the options allow. One that passes then
    /// is flaky.
    fn try_again(&self, index: usize, test: &mut TestReport) {
        let first = match &test.status {
            Status::Failed(failure) => failure.clone(),
            _ => return,
        };
        for attempt in 0..self.options.retry {
            if self.options.stop.reason().is_some() {
                return;
            }
            let Some(loaded) = self.load_alone(index, &test.name) else { return };
            let mut again = test.clone();
            self.test(&loaded, index, &mut again);
            test.attempts = attempt + 2;
            test.wall += again.wall;
            if again.status == Status::Passed {
                test.status = Status::Flaky(first);
                return;
            }
        }
    }

    /// Tries the test under other schedules, each time alone in a fresh director.
    fn explore(&self, index: usize, test: &mut TestReport) {
        if self.options.explore == 0 {
            return;
        }
        let seed = Seed(Seed(self.seed).derive(&format!("explore {}", test.path())));
        let signals = mode_name(self.signals);
        let again = format!(
            "blinkblox test {} -t {} --seed {} --signals {signals}",
            quote(&shown(self.path)),
            quote_always(&test.path()),
            self.seed
        );
        let fresh = test.clone();
        explore::explore(self.options, seed, &again, test, |choices| {
            let options = explore::under(self.options, choices);
            let run = Run { options: &options, ..*self };
            let mut again = fresh.clone();
            let loaded = run.load_alone(index, &again.name)?;
            run.test(&loaded, index, &mut again);
            Some(again.status)
        });
    }

    /// Loads the file afresh, with every test but one left out.
    fn load_alone(&self, index: usize, name: &str) -> Option<Loaded> {
        let loaded = self.load().ok()?;
        for other in (0..loaded.kit.cases().len()).filter(|other| *other != index) {
            loaded.kit.skip(other);
        }
        loaded.kit.cases().get(index).is_some_and(|case| case.name == name).then_some(loaded)
    }

    fn test(&self, loaded: &Loaded, index: usize, test: &mut TestReport) {
        let Loaded { director, kit, deadline, .. } = loaded;
        let began = Instant::now();
        deadline.set(Some(jobs::deadline(began, self.options.wall_timeout, self.end)));
        let seed = Seed(self.seed).derive(&format!("{}/{}", test.blocks.join("/"), test.name));
        director.worlds.begin(seed);
        let start = director.now();
        let (end, on_end) = end_cell();
        director.start(kit.run_function(), &[Value::Number((index + 1) as f64)], on_end);
        let mut alone = 0.0;
        let failure = self.drive(loaded, &end, start, began, &mut alone);
        test.attempts = 1;
        test.virtual_seconds = alone + director.worlds.elapsed();
        test.wall = began.elapsed();
        test.diagnostics = director.worlds.diagnostics();
        let mut failure = failure.or_else(|| self.unexpected(director));
        for note in failure.iter().flat_map(|_| director.worlds.notes()).collect::<Vec<_>>() {
            failure.iter_mut().for_each(|failure| failure.message += &format!("\n{note}"));
        }
        if let Some(failure) = &mut failure {
            failure.schema = director.worlds.broken_schema(&failure.message);
        }
        test.status = match failure {
            Some(failure) => {
                test.output = director.worlds.last_output(12);
                Status::Failed(failure)
            }
            None => Status::Passed,
        };
        if self.options.trace {
            let failed = matches!(test.status, Status::Failed(_));
            test.trace = director.worlds.trace(&test.full_name(), failed);
        }
        match kit.keeps(index) {
            (true, inside) => director.rest(inside),
            (false, _) => director.clear(),
        }
        deadline.set(None);
    }

    /// Moves time until the test has ended. `None` when it passed. `alone` counts the virtual seconds the test waited
    /// while no world ran.
    fn drive(
        &self,
        loaded: &Loaded,
        end: &End,
        start: f64,
        began: Instant,
        alone: &mut f64,
    ) -> Option<Failure> {
        let Loaded { director, .. } = loaded;
        let frame = Time::of_frame(1, 60.0).seconds();
        let last = jobs::deadline(began, self.options.wall_timeout, self.end);
        loop {
            director.pump();
            if let Some(end) = end.borrow_mut().take() {
                return end.err().map(|failure| self.explain(loaded, &failure, last));
            }
            let waited = director.now() - start;
            if waited > self.options.timeout {
                let waits = format!(
                    "the test still waits after {}; --timeout allows more",
                    counted(self.options.timeout, "virtual second")
                );
                // A script that failed, or was no Luau, is the likely reason of a wait for what it would have done.
                return Some(stopped(match director.worlds.first_error() {
                    Some(error) => format!("{error}\n{waits}"),
                    None => waits,
                }));
            }
            if self.options.stop.is_interrupted() {
                return Some(interrupted());
            }
            if Instant::now() > last {
                return Some(self.out_of_time());
            }
            if !director.can_move() {
                return Some(stopped(
                    "the test waits for something that cannot happen: no time is left to pass, no world runs"
                        .into(),
                ));
            }
            let before = director.worlds.elapsed();
            director.worlds.step_all();
            if director.worlds.elapsed() <= before {
                *alone += frame;
            }
            director.advance(frame);
        }
    }

    fn out_of_time(&self) -> Failure {
        if self.end.is_some_and(|end| Instant::now() >= end) {
            self.options.stop.set(Cut::OutOfTime);
            return stopped("the time of the whole run was up; --wall-timeout-total allows more".into());
        }
        stopped(format!(
            "the test ran for more than {}; --wall-timeout allows more",
            counted(self.options.wall_timeout.as_secs_f64(), "real second")
        ))
    }

    /// What a test threw, for people: an expectation's record, or any error with its place.
    fn explain(&self, loaded: &Loaded, failure: &vm::Failure, last: Instant) -> Failure {
        let cut = if self.options.stop.is_interrupted() {
            Some(interrupted())
        } else {
            (Instant::now() > last).then(|| self.out_of_time())
        };
        if let Some(mut cut) = cut {
            // The error itself may come from the test API, which is stopped as well.
            cut.trace = loaded.deadline.stopped().unwrap_or_else(|| failure.report());
            return cut;
        }
        loaded.kit.explain(&failure.value).unwrap_or_else(|| Failure {
            message: failure.report(),
            trace: failure.stack.clone(),
            ..Failure::default()
        })
    }

    /// What fails a test that returned: an uncaught error, and under the stricter rules a warning or a misuse.
    fn unexpected(&self, director: &Director) -> Option<Failure> {
        if let Some((side, line)) = director.worlds.unexpected_error() {
            debug_assert_eq!(line.level, LogLevel::Error);
            return Some(Failure {
                message: format!("uncaught error on {side}: {}", line.text),
                trace: line.stack.unwrap_or_default(),
                ..Failure::default()
            });
        }
        let text = if self.options.fail_on_warn { director.worlds.warning() } else { None };
        let text = text.map(|(side, text)| format!("warning on {side}, with --fail-on-warn: {text}"));
        let misuse = || director.worlds.unexpected_misuse().filter(|_| self.options.strict);
        let text = text.or_else(|| {
            misuse().map(|line| {
                format!(
                    "{} on {}: {}; a test that means to do this says world:expectDiagnostic(\"{}\")",
                    line.code, line.side, line.text, line.code
                )
            })
        });
        let text = text.or_else(|| director.worlds.unmet().filter(|_| self.options.strict));
        text.map(|message| Failure { message, ..Failure::default() })
    }
}

fn interrupted() -> Failure {
    stopped("interrupted while it ran".into())
}

fn stopped(message: String) -> Failure {
    Failure { message, is_error: true, ..Failure::default() }
}
