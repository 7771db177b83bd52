//! `blinkblox test`: finds specs, runs them on virtual servers and clients, reports.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use blinkblox_emulator::project::discover::{Discovery, discover};
use blinkblox_emulator::shared::SignalMode;
use blinkblox_emulator::testing::reporters::{Format, render};
use blinkblox_emulator::testing::{Filter, RunOptions, run};
use clap::{Args, ValueEnum};

use super::emulation::{Fault, colour, fault};
use crate::printer::{ColorChoice, print_out};

/// Run *.spec.luau files on virtual servers and clients
///
/// Exit codes: 0 all passed, 1 a test failed, 2 wrong arguments, 3 a file could not be loaded, 4 no tests found.
#[derive(Args, Debug)]
pub struct Test {
    /// Files and folders with specs
    #[arg(default_value = ".")]
    paths: Vec<PathBuf>,
    /// Run tests whose full name contains TEXT, or matches /TEXT/; may be repeated
    #[arg(short = 't', long = "filter", value_name = "TEXT")]
    filters: Vec<String>,
    /// Root of all randomness
    #[arg(long, default_value_t = 0, value_name = "NUMBER")]
    seed: u64,
    /// How signals run their handlers
    #[arg(long, value_enum, default_value_t = Signals::Deferred)]
    signals: Signals,
    /// Virtual seconds a test may take
    #[arg(long, default_value_t = 30.0, value_name = "SECONDS")]
    timeout: f64,
    /// Real seconds a test may take
    #[arg(long, default_value_t = 20.0, value_name = "SECONDS")]
    wall_timeout: f64,
    /// Stop after N failures, 1 unless given
    #[arg(long, num_args = 0..=1, default_missing_value = "1", value_name = "N")]
    bail: Option<usize>,
    /// pretty, junit or silent, to standard output or to =FILE; may be repeated
    #[arg(long = "reporter", value_name = "NAME[=FILE]", default_value = "pretty")]
    reporters: Vec<String>,
    /// Write what crossed the links of every world to FILE, a JSON document a line
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Print the tests and run none
    #[arg(long)]
    list: bool,
    /// Finding no tests is no failure
    #[arg(long)]
    allow_empty: bool,
    /// When to colour
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    color: ColorChoice,
}

/// Signal behaviours a run covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Signals {
    Immediate,
    Deferred,
    Both,
}

impl Test {
    /// Runs the specs and reports.
    pub fn run(self) -> ExitCode {
        match self.execute() {
            Ok(code) => ExitCode::from(code),
            Err(problem) => fault(&problem),
        }
    }

    fn execute(self) -> Result<u8, Fault> {
        let sinks = self.reporters.iter().map(|text| Sink::parse(text)).collect::<Result<Vec<_>, _>>()?;
        let filters = self.filters.iter().map(|text| Filter::parse(text));
        let filters = filters.collect::<Result<Vec<_>, _>>().map_err(Fault::usage)?;
        for (name, value) in [("--timeout", self.timeout), ("--wall-timeout", self.wall_timeout)] {
            if !(value.is_finite() && value > 0.0) {
                return Err(Fault::usage(format!(
                    "{name} takes a number of seconds above zero, not {value}"
                )));
            }
        }
        let discovery = Discovery { roots: self.paths.clone(), include: Vec::new(), exclude: Vec::new() };
        let found = discover(&discovery, None).map_err(|problem| Fault::load(problem.to_string()))?;
        let options = RunOptions {
            files: found.into_iter().map(|file| file.path).collect(),
            seed: self.seed,
            signals: match self.signals {
                Signals::Immediate => vec![SignalMode::Immediate],
                Signals::Deferred => vec![SignalMode::Deferred],
                Signals::Both => vec![SignalMode::Immediate, SignalMode::Deferred],
            },
            filters,
            timeout: self.timeout,
            wall_timeout: Duration::from_secs_f64(self.wall_timeout),
            bail: self.bail,
            trace: self.trace.is_some(),
            list: self.list,
        };
        let report = run(&options, |_| {});
        if self.list {
            for file in &report.files {
                for test in &file.tests {
                    print_out(&format!("{} › {}\n", file.path, test.full_name()));
                }
            }
        } else {
            for sink in &sinks {
                sink.write(&render(&report, sink.format, colour(self.color)))?;
            }
        }
        if let Some(path) = &self.trace {
            std::fs::write(path, report.trace_text())
                .map_err(|error| Fault::usage(format!("{} cannot be written: {error}", path.display())))?;
        }
        let code = report.exit_code();
        Ok(if code == 4 && self.allow_empty { 0 } else { code })
    }
}

/// Where a report goes.
struct Sink {
    format: Format,
    file: Option<PathBuf>,
}

impl Sink {
    fn parse(text: &str) -> Result<Sink, Fault> {
        let (name, file) = match text.split_once('=') {
            Some((name, file)) => (name, Some(PathBuf::from(file))),
            None => (text, None),
        };
        let format = Format::parse(name)
            .ok_or_else(|| Fault::usage(format!("there is no reporter `{name}`: pretty, junit or silent")))?;
        Ok(Sink { format, file })
    }

    fn write(&self, text: &str) -> Result<(), Fault> {
        match &self.file {
            None => print_out(text),
            Some(file) => std::fs::write(file, text)
                .map_err(|error| Fault::usage(format!("{} cannot be written: {error}", file.display())))?,
        }
        Ok(())
    }
}
