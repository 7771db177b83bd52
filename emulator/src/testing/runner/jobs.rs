//! Files on threads. The outcome does not depend on how many there are: reports come in the order of the files, and
//! what `--bail` leaves out is decided in that order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::{RunOptions, file};
use crate::testing::report::{Cut, FileReport, RunReport};

/// Stack of a thread that runs specs, in bytes; the same whatever the main thread's is.
const STACK: usize = 16 << 20;

/// Runs every file. `on_file` sees the run so far, of which the last file is new.
pub fn run(options: &RunOptions, mut on_file: impl FnMut(&RunReport)) -> RunReport {
    let began = Instant::now();
    let end = options.wall_timeout_total.map(|total| began + total);
    let mut report = RunReport {
        seed: options.seed,
        shard: options.shard.map(|shard| (shard.index, shard.count)),
        strict: options.strict,
        settings: settings(options),
        flags: options.flags.clone(),
        ..RunReport::default()
    };
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        for job in 0..options.jobs.clamp(1, options.files.len().max(1)) {
            let (sender, next) = (sender.clone(), &next);
            let work = move || {
                while options.stop.reason().is_none() {
                    let index = next.fetch_add(1, Ordering::SeqCst);
                    let Some(path) = options.files.get(index) else { return };
                    // The receiver is gone only when the run is over.
                    let _ = sender.send((index, file::run_file(options, path, end)));
                }
            };
            let thread = std::thread::Builder::new().name(format!("specs {job}")).stack_size(STACK);
            // Without a thread the others do its work; without any, nothing is sent and the run says so.
            let _ = thread.spawn_scoped(scope, work);
        }
        drop(sender);
        collect(options, &receiver, &mut report, &mut on_file);
    });
    report.cut = report.cut.or(options.stop.reason());
    report.wall = began.elapsed();
    report
}

/// Takes what threads send and puts it in order.
fn collect(
    options: &RunOptions,
    receiver: &mpsc::Receiver<(usize, FileReport)>,
    report: &mut RunReport,
    on_file: &mut impl FnMut(&RunReport),
) {
    let mut early: BTreeMap<usize, FileReport> = BTreeMap::new();
    let mut wanted = 0;
    let mut failures = 0;
    let mut take = |report: &mut RunReport, file: FileReport| {
        // Once enough have failed, the files behind count no more, even those that ran already.
        if report.cut == Some(Cut::Bail) {
            return;
        }
        report.files.push(file);
        if let Some(limit) = options.bail {
            cut_at(report, limit, &mut failures);
        }
        if report.cut.is_some() {
            options.stop.set(Cut::Bail);
        }
        on_file(report);
    };
    for (index, file) in receiver {
        early.insert(index, file);
        while let Some(file) = early.remove(&wanted) {
            wanted += 1;
            take(report, file);
        }
    }
    // A run that was stopped has holes.
    for file in std::mem::take(&mut early).into_values() {
        take(report, file);
    }
}

/// Leaves out what comes behind the `limit`-th failure of the run; `failures` is their count before the last file.
fn cut_at(report: &mut RunReport, limit: usize, failures: &mut usize) {
    let strict = report.strict;
    let Some(file) = report.files.last_mut() else { return };
    *failures += usize::from(file.load_error.is_some());
    let mut last = None;
    for (index, test) in file.tests.iter().enumerate() {
        let failed = match test.status {
            crate::testing::report::Status::Failed(_) => true,
            crate::testing::report::Status::Flaky(_) => strict,
            _ => false,
        };
        *failures += usize::from(failed);
        if *failures >= limit {
            last = Some(index);
            break;
        }
    }
    if let Some(last) = last {
        file.tests.truncate(last + 1);
    }
    if *failures >= limit {
        report.cut = Some(Cut::Bail);
    }
}

/// What a report shows of the options, by name.
fn settings(options: &RunOptions) -> Vec<(String, String)> {
    let signals: Vec<&str> = options.signals.iter().map(|mode| file::mode_name(*mode)).collect();
    let mut settings = vec![("signals".to_string(), signals.join(","))];
    let mut put = |name: &str, value: Option<String>| {
        settings.extend(value.map(|value| (name.to_string(), value)));
    };
    put("shuffle", options.shuffle.map(|seed| seed.to_string()));
    put("repeat", (options.repeat > 1).then(|| options.repeat.to_string()));
    put("retry", (options.retry > 0).then(|| options.retry.to_string()));
    put("timeout", Some(options.timeout.to_string()));
    put("strict", options.strict.then(|| "true".to_string()));
    put("failOnWarn", options.fail_on_warn.then(|| "true".to_string()));
    put("fps", options.world.fps.map(|fps| fps.to_string()));
    put("clientFps", options.world.client_fps.map(|fps| fps.to_string()));
    put("clients", (options.world.clients > 0).then(|| options.world.clients.to_string()));
    settings.extend(options.world.settings.iter().cloned());
    settings
}

/// The moment the running test must end by: its own limit or the run's.
pub(super) fn deadline(began: Instant, own: Duration, end: Option<Instant>) -> Instant {
    let own = began + own;
    end.map_or(own, |end| own.min(end))
}
