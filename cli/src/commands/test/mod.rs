//! `blinkblox test`: finds specs, runs them on virtual servers and clients, reports.

mod keys;
mod merge;
mod sinks;
mod watch;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use blinkblox_emulator::config::Config;
use blinkblox_emulator::network::{LinkSettings, PRESETS};
use blinkblox_emulator::project::discover::{Discovery, discover};
use blinkblox_emulator::shared::{Settings, SignalMode};
use blinkblox_emulator::testing::coverage::Counting;
use blinkblox_emulator::testing::report::RunReport;
use blinkblox_emulator::testing::reporters::{Format, json};
use blinkblox_emulator::testing::stored::StoredMode;
use blinkblox_emulator::testing::{Filter, RunOptions, Shard, WorldDefaults, run};
use clap::{Args, ValueEnum};

use self::sinks::Sinks;
use super::emulation::{
    Fault, colour, fault, fault_in_document, frame_rate, seed, setting, write, write_trace,
};
use crate::printer::{ColorChoice, print_out, say_out};
use crate::schemas;

const EXAMPLES: &str = "\
Examples:
  blinkblox test                 run every spec below the working directory
  blinkblox test specs -t \"swings\" --bail
                                 those named so, up to the first failure
  blinkblox test --signals both --jobs 4
                                 every test in both signal modes, four files at a time
  blinkblox test --watch         again whenever a file changes
  blinkblox test --repeat 50 -t \"lossy\"
                                 one test with fifty seeds
  blinkblox test --shard 2/4 --reporter json=share-2.json
                                 the second of four machines of a CI matrix
  blinkblox test --merge share-*.json --reporter junit=all.xml --reporter pretty
                                 what all of them found, as one report

Exit codes: 0 all passed, 1 a test failed, 2 wrong arguments, 3 a file could not be loaded,
4 no tests found, 124 --wall-timeout-total was up, 130 interrupted.";

/// Run *.spec.luau files on virtual servers and clients
///
/// Finds `*.spec.luau` and `*.test.luau` files and those in folders called `__tests__`, and runs each test in worlds
/// of its own. The same seed gives the same run; every failure ends with the command that repeats it.
#[derive(Args, Debug, Clone)]
#[command(after_long_help = EXAMPLES)]
pub struct Test {
    /// Files and folders with specs; with --merge, reports
    #[arg(default_value = ".")]
    paths: Vec<PathBuf>,
    /// Run tests whose full name contains TEXT, or matches /TEXT/; may be repeated
    #[arg(short = 't', long = "filter", value_name = "TEXT")]
    filters: Vec<String>,
    /// Leave out tests whose full name contains TEXT, or matches /TEXT/; may be repeated
    #[arg(long, value_name = "TEXT")]
    exclude: Vec<String>,
    /// Only spec files whose path matches GLOB, such as `combat/**`; may be repeated
    #[arg(long = "path", value_name = "GLOB")]
    globs: Vec<String>,
    /// Root of all randomness: a number, or `random`
    #[arg(long, default_value = "0", value_name = "NUMBER")]
    seed: String,
    /// How signals run their handlers; deferred unless blinkblox.toml says otherwise
    #[arg(long, value_enum)]
    signals: Option<Signals>,
    /// Files that run at a time; the number of processors unless given
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,
    /// Run one of N equal shares of the tests, the I-th: what one machine of a CI matrix does
    #[arg(long, value_name = "I/N")]
    shard: Option<String>,
    /// Try a test that failed N times again, alone and with its seed; one that passes then is flaky
    #[arg(long, default_value_t = 0, value_name = "N")]
    retry: u32,
    /// Run each test N times: with the seed, the seed plus one, and so on
    #[arg(long, default_value_t = 1, value_name = "N")]
    repeat: u32,
    /// Draw the order of tests, and those scripts and handlers are free to have
    #[arg(long, num_args = 0..=1, default_missing_value = "random", value_name = "SEED")]
    shuffle: Option<String>,
    /// Stop after N failures, 1 unless given
    #[arg(long, num_args = 0..=1, default_missing_value = "1", value_name = "N")]
    bail: Option<usize>,
    /// Virtual seconds a test may take; without it 30 of waiting, and any number of steps it takes itself
    #[arg(long, value_name = "SECONDS")]
    timeout: Option<f64>,
    /// Real seconds a test may take
    #[arg(long, default_value_t = 20.0, value_name = "SECONDS")]
    wall_timeout: f64,
    /// Real seconds the whole run may take
    #[arg(long, value_name = "SECONDS")]
    wall_timeout_total: Option<f64>,
    /// A flaky test fails the run, and a diagnostic of the class misuse its test; on unless --no-strict is given
    #[arg(long, overrides_with = "no_strict")]
    strict: bool,
    /// Flaky tests and misuse are reported, and fail nothing
    #[arg(long, overrides_with = "strict")]
    no_strict: bool,
    /// A warning of any side fails its test
    #[arg(long)]
    fail_on_warn: bool,
    /// pretty, dots, tap, junit, json, github, teamcity or silent, to standard output or to =FILE; may be repeated
    ///
    /// Without it: pretty, and github beside it where GITHUB_ACTIONS is set. github also appends to the summary of the
    /// job that GITHUB_STEP_SUMMARY names.
    #[arg(long = "reporter", value_name = "NAME[=FILE]")]
    reporters: Vec<String>,
    /// Print one JSON document and nothing else: the same as --reporter json
    #[arg(long, overrides_with = "json")]
    json: bool,
    /// Print nothing of tests that pass; what fails is reported
    #[arg(short, long, overrides_with = "quiet")]
    quiet: bool,
    /// Join JSON or JUnit reports of earlier runs into one instead of running tests
    #[arg(long, conflicts_with_all = ["watch", "list", "shard"])]
    merge: bool,
    /// Run again when a file changes; keys: a all, f failed, p filter, q quit
    #[arg(short, long, conflicts_with = "list")]
    watch: bool,
    /// Write what crossed the links of every world to FILE, a JSON document a line; compressed if it ends in .gz
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// The Rojo project that specs may be modules of; the nearest one around each unless given
    #[arg(long, value_name = "FILE")]
    project: Option<PathBuf>,
    /// Clients of worlds that do not say how many
    #[arg(long, default_value_t = 0, value_name = "N")]
    clients: u32,
    /// Network of worlds that do not say which: perfect, lan, wifi, typical, mobile, poor, ...
    #[arg(long, value_name = "PRESET")]
    net: Option<String>,
    /// Frames a second of servers that do not say how many
    #[arg(long, value_name = "N")]
    fps: Option<f64>,
    /// Frames a second of clients that do not say how many
    #[arg(long, value_name = "N")]
    client_fps: Option<f64>,
    /// Any setting of a world; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Settings of worlds come from this file's [emulator] section; blinkblox.toml unless given
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Let specs read the environment variable NAME as test.env.NAME; may be repeated
    #[arg(long, value_name = "NAME")]
    pass_env: Vec<String>,
    /// What becomes of values that toMatchSnapshot compares; with CI set, check stores nothing and update is refused
    #[arg(long, value_enum, default_value_t, value_name = "WHAT")]
    snapshot: Snapshots,
    /// Try each test under N other schedules: orders of handlers, scripts and replication, and delays
    ///
    /// A test that ends otherwise under one fails, with the least change that does it and the arguments to repeat it.
    #[arg(long, default_value_t = 0, value_name = "N")]
    explore: u32,
    /// Count the lines of project scripts that ran and write them to lcov.info, or to the file named
    #[arg(long, num_args = 0..=1, default_missing_value = "lcov=lcov.info", value_name = "lcov=FILE")]
    coverage: Option<String>,
    /// Count the modules of schemas too
    #[arg(long, requires = "coverage")]
    coverage_generated: bool,
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

/// What becomes of stored values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Snapshots {
    #[default]
    Check,
    Update,
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
        let is_document = self.is_document();
        match self.execute() {
            Ok(code) => ExitCode::from(code),
            Err(problem) if is_document => fault_in_document(&problem),
            Err(problem) => fault(&problem),
        }
    }

    /// Whether standard output is for one JSON document.
    fn is_document(&self) -> bool {
        let mut printed = self.reporters.iter().filter(|reporter| !reporter.contains(['=', ':'])).peekable();
        self.json || printed.peek().is_some() && printed.all(|reporter| reporter == Format::Json.name())
    }

    fn execute(mut self) -> Result<u8, Fault> {
        let is_document = self.is_document();
        self.sort_out_coverage();
        let coverage = self.coverage_file();
        let others: Vec<&Path> = self.trace.as_deref().into_iter().chain(coverage.as_deref()).collect();
        if self.json {
            self.reporters.push(Format::Json.name().to_string());
        }
        let sinks = Sinks::of(&self.reporters, &others, colour(self.color))?.quietly(self.quiet);
        if self.merge {
            return merge::execute(&self.paths, sinks);
        }
        let mut options = self.options()?;
        options.files = self.files()?;
        if self.list {
            return Ok(self.list(&options));
        }
        if self.watch && is_document {
            return Err(Fault::usage(
                "--watch cannot be given with --json: there is no moment at which the one document could be closed",
            ));
        }
        if self.watch {
            return watch::Watch::new(self, options, sinks).execute();
        }
        let stop = options.stop.clone();
        // A second interrupt does not wait for anything. Where no handler can be set, the first one does not either.
        let _ = ctrlc::set_handler(move || {
            if stop.reason().is_some() {
                std::process::exit(130);
            }
            stop.interrupt();
        });
        let report = self.run_once(&options, sinks)?;
        let code = report.exit_code();
        if code == 4 && !self.allow_empty && !is_document {
            self.say_why_none(report.files.len());
        }
        Ok(if code == 4 && self.allow_empty { 0 } else { code })
    }

    /// Says why no test of so many files was chosen, and what allows that.
    fn say_why_none(&self, files: usize) {
        let why = self.why_none(files);
        crate::printer::print_err(&format!("{why}; --allow-empty makes that no failure\n"));
    }

    /// Why no test of so many files was chosen.
    fn why_none(&self, files: usize) -> String {
        let given = |flag: &str, texts: &[String]| {
            let texts: Vec<String> = texts.iter().map(|text| format!("{flag} \"{text}\"")).collect();
            texts.join(" or ")
        };
        let files = match files {
            0 => return "no *.spec.luau file was found".to_string(),
            1 => "of the 1 file found".to_string(),
            count => format!("of the {count} files found"),
        };
        let excluded = given("--exclude", &self.exclude);
        match (self.filters.is_empty(), self.exclude.is_empty()) {
            (true, true) => format!("there is no test in any {files}"),
            (true, false) => format!("every test {files} matches {excluded}"),
            (false, true) => format!("no test {files} matches {}", given("-t", &self.filters)),
            (false, false) => {
                format!("no test {files} matches {} and not {excluded}", given("-t", &self.filters))
            }
        }
    }

    /// One run, reported as it goes on.
    fn run_once(&self, options: &RunOptions, mut sinks: Sinks) -> Result<RunReport, Fault> {
        sinks.begin();
        let mut report = run(options, |so_far| {
            if let Some(file) = so_far.files.last() {
                sinks.file(so_far, file);
            }
        });
        report.trace_path = self.trace.as_ref().map(|path| path.display().to_string());
        sinks.end(&report)?;
        if !self.is_document() {
            for warning in report.warnings() {
                crate::printer::say_err(&format!("warning: {warning}"));
            }
        }
        if let Some(path) = &self.trace {
            write_trace(path, &report.trace_text())?;
        }
        if let Some(path) = self.coverage_file() {
            write(&path, report.coverage().to_lcov().as_bytes())?;
        }
        Ok(report)
    }

    /// What becomes of stored values. Errors: an update on a build server.
    fn stored(&self) -> Result<StoredMode, Fault> {
        let on_server = std::env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false");
        match self.snapshot {
            Snapshots::Update if on_server => Err(Fault::usage(
                "--snapshot update is refused where CI is set: update where you can read the difference",
            )),
            Snapshots::Update => Ok(StoredMode::Update),
            Snapshots::Check if on_server => Ok(StoredMode::Strict),
            Snapshots::Check => Ok(StoredMode::Check),
        }
    }

    /// Takes what stands behind a bare `--coverage` for the path that it is.
    fn sort_out_coverage(&mut self) {
        let Some(path) = self.coverage.take_if(|value| !value.starts_with("lcov=")) else { return };
        self.coverage = Some("lcov=lcov.info".to_string());
        if self.paths == [PathBuf::from(".")] {
            self.paths.clear();
        }
        self.paths.push(PathBuf::from(path));
    }

    /// Where line coverage goes, if it is asked for.
    fn coverage_file(&self) -> Option<PathBuf> {
        self.coverage.as_deref()?.strip_prefix("lcov=").map(PathBuf::from)
    }

    fn list(&self, options: &RunOptions) -> u8 {
        let report = run(options, |_| {});
        let code = report.exit_code();
        let code = if code == 4 && self.allow_empty { 0 } else { code };
        if self.is_document() {
            print_out(&json::list(&report, code));
            return code;
        }
        for file in &report.files {
            for test in &file.tests {
                say_out(&format!("{} › {}", file.path, test.full_name()));
            }
            if let Some(error) = &file.load_error {
                crate::printer::say_err(error);
            }
        }
        if code == 4 {
            self.say_why_none(report.files.len());
        }
        code
    }

    /// The spec files the arguments name, in order.
    fn files(&self) -> Result<Vec<PathBuf>, Fault> {
        let discovery = Discovery { roots: self.paths.clone(), include: Vec::new(), exclude: Vec::new() };
        let found = discover(&discovery, None).map_err(|problem| Fault::load(problem.to_string()))?;
        let mut globs = globset::GlobSetBuilder::new();
        for glob in &self.globs {
            globs.add(globset::Glob::new(glob).map_err(|error| Fault::usage(format!("--path: {error}")))?);
        }
        let globs = globs.build().map_err(|error| Fault::usage(format!("--path: {error}")))?;
        let is_meant = |path: &Path, name: &str| {
            self.globs.is_empty()
                || globs.is_match(name)
                || globs.is_match(path.strip_prefix(".").unwrap_or(path))
        };
        let files = found.into_iter().filter(|file| is_meant(&file.path, &file.name));
        Ok(files.map(|file| file.path).collect())
    }

    /// The options of a run, without its files.
    fn options(&self) -> Result<RunOptions, Fault> {
        let parse = |name: &str, texts: &[String]| -> Result<Vec<Filter>, Fault> {
            let filters = texts.iter().map(|text| Filter::parse(text));
            filters.collect::<Result<_, _>>().map_err(|error| Fault::usage(format!("{name}: {error}")))
        };
        let total = self.wall_timeout_total;
        let limits = [
            ("--timeout", self.timeout),
            ("--wall-timeout", Some(self.wall_timeout)),
            ("--wall-timeout-total", total),
        ];
        for (name, value) in limits {
            if let Some(value) = value.filter(|value| !(*value > 0.0 && *value < 1e9)) {
                return Err(Fault::usage(format!(
                    "{name} takes a number of seconds above zero, not {value}"
                )));
            }
        }
        if self.jobs == Some(0) || self.repeat == 0 {
            return Err(Fault::usage("--jobs and --repeat take a number from 1"));
        }
        let (world, signals) = self.world()?;
        Ok(RunOptions {
            files: Vec::new(),
            seed: seed("--seed", &self.seed)?,
            signals: match self.signals {
                Some(Signals::Immediate) => vec![SignalMode::Immediate],
                Some(Signals::Deferred) => vec![SignalMode::Deferred],
                Some(Signals::Both) => vec![SignalMode::Immediate, SignalMode::Deferred],
                None => vec![signals],
            },
            filters: parse("--filter", &self.filters)?,
            excludes: parse("--exclude", &self.exclude)?,
            shard: self.shard.as_deref().map(Shard::parse).transpose().map_err(Fault::usage)?,
            shuffle: self.shuffle.as_deref().map(|text| seed("--shuffle", text)).transpose()?,
            repeat: self.repeat,
            retry: self.retry,
            jobs: self.jobs.unwrap_or_else(processors),
            timeout: self.timeout.unwrap_or(RunOptions::default().timeout),
            limits_steps: self.timeout.is_some(),
            wall_timeout: Duration::from_secs_f64(self.wall_timeout),
            wall_timeout_total: total.map(Duration::from_secs_f64),
            bail: self.bail.map(|limit| limit.max(1)),
            strict: !self.no_strict,
            fail_on_warn: self.fail_on_warn,
            trace: self.trace.is_some(),
            list: self.list,
            explore: self.explore,
            stored: self.stored()?,
            coverage: self.coverage_file().map(|_| Counting { generated: self.coverage_generated }),
            world,
            env: self.env()?,
            flags: self.flags(signals)?,
            ..RunOptions::default()
        })
    }

    /// The configuration: the file given, else the nearest one around the first path. Errors: what is wrong with it.
    fn configuration(&self) -> Result<Config, String> {
        if let Some(file) = &self.config {
            return Config::of_file(file);
        }
        let Some(nearest) = schemas::nearest_to(&self.start())? else { return Ok(Config::default()) };
        if let Some(line) = nearest.line().filter(|_| !self.quiet && !self.is_document()) {
            crate::printer::say_err(&line);
        }
        Ok(nearest.config)
    }

    /// The folder of the first path.
    fn start(&self) -> PathBuf {
        let first = self.paths.first().map_or(Path::new(""), PathBuf::as_path);
        let folder = if first.is_dir() { Some(first) } else { first.parent() };
        folder.unwrap_or(Path::new("")).to_path_buf()
    }

    /// What worlds are like that do not say otherwise, and the signal mode the configuration asks for.
    fn world(&self) -> Result<(WorldDefaults, SignalMode), Fault> {
        let config = self.configuration().map_err(Fault::usage)?;
        let mut settings = config.setting_texts();
        for pair in &self.set {
            settings.push(setting(pair)?);
        }
        let mut all = Settings::default();
        for (key, value) in &settings {
            all.set(key, value).map_err(Fault::usage)?;
        }
        let link = match &self.net {
            None => None,
            Some(name) => Some(LinkSettings::preset(name).ok_or_else(|| {
                Fault::usage(format!("there is no network `{name}`: {}", PRESETS.join(", ")))
            })?),
        };
        let defaults = WorldDefaults {
            project: self.project.clone().or(config.project.clone()),
            settings,
            link,
            fps: self.fps.map(|rate| frame_rate("--fps", rate)).transpose()?,
            client_fps: self.client_fps.map(|rate| frame_rate("--client-fps", rate)).transpose()?,
            clients: self.clients,
            http: None,
        };
        Ok((defaults, all.signals))
    }

    /// The environment values that specs may read. Errors: one is not set or no text.
    fn env(&self) -> Result<Vec<(String, String)>, Fault> {
        let value = |name: &String| match std::env::var(name) {
            Ok(value) => Ok(Some((name.clone(), value))),
            Err(std::env::VarError::NotPresent) => Ok(None),
            Err(error) => Err(Fault::usage(format!("--pass-env {name}: {error}"))),
        };
        Ok(self.pass_env.iter().map(value).collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    }

    /// The arguments a line needs that makes the same worlds again.
    fn flags(&self, usual: SignalMode) -> Result<Vec<String>, Fault> {
        let mut flags = Vec::new();
        let mut put = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                flags.extend([name.to_string(), value]);
            }
        };
        // With both modes each test names its own.
        put(
            "--signals",
            match self.signals {
                Some(Signals::Immediate) if usual != SignalMode::Immediate => Some("immediate".into()),
                Some(Signals::Deferred) if usual != SignalMode::Deferred => Some("deferred".into()),
                _ => None,
            },
        );
        put("--timeout", self.timeout.map(text));
        put("--shuffle", self.shuffle.as_deref().map(|text| seed("--shuffle", text)).transpose()?.map(text));
        put("--net", self.net.clone());
        put("--fps", self.fps.map(text));
        put("--client-fps", self.client_fps.map(text));
        put("--clients", (self.clients > 0).then(|| text(self.clients)));
        for pair in &self.set {
            put("--set", Some(pair.clone()));
        }
        put("--config", self.config.as_ref().map(|path| path.display().to_string()));
        for name in &self.pass_env {
            put("--pass-env", Some(name.clone()));
        }
        for (name, given) in [("--no-strict", self.no_strict), ("--fail-on-warn", self.fail_on_warn)] {
            flags.extend(given.then(|| name.to_string()));
        }
        Ok(flags)
    }
}

fn text(value: impl ToString) -> String {
    value.to_string()
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}
