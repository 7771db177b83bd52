//! `blinkblox watch [PROJECT or SCHEMA...]`: compiles, then again whenever something changes. Source: tooling
//! specification, 2.11 and 12.1.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::mpsc::{Sender, channel};

use blinkblox_compiler::diagnostics::Diagnostic;
use blinkblox_emulator::config::Config;
use clap::Parser;

use super::flags::SchemaFlags;
use super::usage;
use crate::loader::forward;
use crate::printer::{Format, Printer};
use crate::schemas::{self, Named};
use crate::watch::files::Files;
use crate::watch::{Settings, Watching};

/// Compiles schemas, then again whenever one of their files changes.
#[derive(Parser)]
pub struct Watch {
    /// Schemas, or a Rojo project or folder with a blinkblox.toml; the nearest blinkblox.toml when none is given
    #[arg(value_name = "PROJECT or SCHEMA")]
    paths: Vec<String>,
    /// Do all the work and write nothing
    #[arg(long, overrides_with = "check")]
    check: bool,
    /// Do one round and stop
    #[arg(long, overrides_with = "once")]
    once: bool,
    /// Run the specs beside the project after every compile that succeeds
    #[arg(long, overrides_with = "test")]
    test: bool,
    /// Stop when standard input closes, so that an editor that dies takes its watcher with it
    #[arg(long, overrides_with = "watch_stdin")]
    watch_stdin: bool,
    /// Print one JSON document for every compile, a line each, and nothing else
    #[arg(long, overrides_with = "json_stream", conflicts_with_all = ["json", "test"])]
    json_stream: bool,
    #[command(flatten)]
    flags: SchemaFlags,
}

impl Watch {
    /// Watches until it is interrupted.
    pub fn run(self) -> ExitCode {
        let options = Options {
            check: self.check,
            once: self.once,
            test: self.test,
            stdin: self.watch_stdin,
            stream: self.json_stream,
        };
        watch(&self.paths, &options, &self.flags)
    }
}

/// What a watching run does beside compiling.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Writes nothing.
    pub check: bool,
    /// One round.
    pub once: bool,
    /// Specs after each.
    pub test: bool,
    /// Ends with standard input.
    pub stdin: bool,
    /// Prints a document for every compile.
    pub stream: bool,
}

enum Event {
    Changed,
    Stop,
}

/// Watches schemas named by paths.
pub fn watch(paths: &[String], options: &Options, flags: &SchemaFlags) -> ExitCode {
    let form = flags.report.format();
    if form.is_document() {
        let flag = if form == Format::Json { "--json" } else { "--error-format sarif" };
        let refusal = usage::error(format!("--watch cannot be given with {flag}")).note(
            "There is no moment at which the one document could be closed. `--json-stream` prints one for every compile.",
        );
        return usage::refuse(refusal, form);
    }
    let form = if options.stream { Format::Json } else { form };
    let printer = match flags.report.printer() {
        Ok(printer) if options.stream => printer.in_form(form),
        Ok(printer) => printer,
        Err(diagnostic) => return usage::refuse(*diagnostic, form),
    };
    let subject = flags
        .warnings
        .verdicts()
        .and_then(|_| files_alone(paths, flags))
        .and_then(|()| Subject::of(paths, flags));
    let subject = match subject {
        Ok(subject) => subject,
        Err(diagnostic) => return usage::refuse(*diagnostic, form),
    };
    printer.progress(&format!("BlinkBlox {}", blinkblox_compiler::VERSION));
    if let Some(line) = &subject.line {
        printer.progress(line);
    }
    let mut run = Run { watching: subject.watching(options, flags), subject, printer, options: *options };
    if let Some(code) = run.first() {
        return code;
    }
    run.follow(paths, flags)
}

/// The usage error of standard input, which is read once and never changes.
fn files_alone(paths: &[String], flags: &SchemaFlags) -> Result<(), Box<Diagnostic>> {
    if paths.iter().any(|path| path == "-") {
        let refusal = usage::error("standard input cannot be watched")
            .note("Name the schema's file. `blinkblox check -` reads standard input once.");
        return Err(Box::new(refusal));
    }
    flags.stdin.needs_stdin(&[])
}

/// The schemas of a run and what belongs to them.
struct Subject {
    schemas: Vec<Named>,
    project: Option<PathBuf>,
    /// The `blinkblox.toml` they come from.
    config: Option<PathBuf>,
    /// Where specs are looked for.
    folder: PathBuf,
    /// Which file names the schemas, when people may not expect it.
    line: Option<String>,
}

impl Subject {
    fn of(paths: &[String], flags: &SchemaFlags) -> Result<Subject, Box<Diagnostic>> {
        let asked = flags.profile.asked()?;
        let (projects, schemas): (Vec<&String>, Vec<&String>) =
            paths.iter().partition(|path| is_project(path));
        if let Some(second) = projects.get(1) {
            return Err(Box::new(usage::error(format!("`{second}` is a second project"))));
        }
        if let Some(project) = projects.first() {
            return Subject::of_project(Path::new(project.as_str()), &schemas, asked);
        }
        let schemas: Vec<String> = schemas.into_iter().cloned().collect();
        let nearest = schemas::nearest()?;
        let schemas::Chosen { schemas: named, line } = schemas::named(&schemas, asked, "watch")?;
        let (folder, config) = match &nearest {
            Some(nearest) => (nearest.folder.clone(), nearest.config.clone()),
            None => (PathBuf::new(), Config::default()),
        };
        let project = schemas::project_of(&folder, &config);
        Ok(Subject { schemas: named, project, config: nearest.map(|nearest| nearest.file()), folder, line })
    }

    fn of_project(
        path: &Path,
        schemas: &[&String],
        asked: Option<blinkblox_compiler::schema::Profile>,
    ) -> Result<Subject, Box<Diagnostic>> {
        let folder =
            if path.is_dir() { path.to_path_buf() } else { path.parent().unwrap_or(path).to_path_buf() };
        let config = Config::of_folder(&folder).map_err(|problem| Box::new(usage::error(problem)))?;
        let project =
            if path.is_dir() { schemas::project_of(&folder, &config) } else { Some(path.to_path_buf()) };
        let named: Vec<Named> =
            if schemas.is_empty() {
                let entries = config.schema.iter();
                schemas::once(entries.map(|entry| Named {
                    path: forward(&entry.path),
                    profile: asked.unwrap_or(entry.profile),
                }))
            } else {
                let profile = asked.unwrap_or_default();
                schemas::once(schemas.iter().map(|path| Named { path: (*path).clone(), profile }))
            };
        if named.is_empty() {
            let shown = forward(&folder.join(blinkblox_emulator::config::FILE));
            return Err(Box::new(
                usage::error("no schema is named")
                    .note(format!("Add a `[[schema]]` with its `path` to {shown}.")),
            ));
        }
        let config = folder.join(blinkblox_emulator::config::FILE);
        Ok(Subject { schemas: named, project, config: Some(config), folder, line: None })
    }

    fn watching(&self, options: &Options, flags: &SchemaFlags) -> Watching {
        Watching::new(Settings {
            schemas: self.schemas.clone(),
            project: self.project.clone(),
            check: options.check,
            replaces_foreign: flags.yes,
            // Refused before the first round when they are none.
            verdicts: flags.warnings.verdicts().unwrap_or_default(),
        })
    }
}

/// Whether an argument names a project rather than a schema.
fn is_project(path: &str) -> bool {
    path.ends_with(".project.json") || path.ends_with(".project.jsonc") || Path::new(path).is_dir()
}

struct Run {
    watching: Watching,
    subject: Subject,
    printer: Printer,
    options: Options,
}

impl Run {
    /// The first round; an exit code when it is the last one, or when there is nothing to watch.
    fn first(&mut self) -> Option<ExitCode> {
        // A schema that is not there at the start is a mistake of the command line, not of a save.
        let missing =
            self.subject.schemas.iter().find_map(|named| crate::entry::open(&named.path, None).err());
        if let Some(diagnostic) = missing {
            self.printer.failure(&diagnostic, "release");
            return Some(ExitCode::FAILURE);
        }
        let round = self.watching.round(&self.printer);
        let passed = round.failed == 0 && self.test();
        let code = if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE };
        self.options.once.then_some(code)
    }

    /// Rounds after changes, until an interrupt.
    fn follow(mut self, paths: &[String], flags: &SchemaFlags) -> ExitCode {
        let (sender, events) = channel();
        let mut files = match Files::new(teller(sender.clone())) {
            Ok(files) => files,
            Err(why) => {
                self.printer.failure(&usage::error(format!("files cannot be watched: {why}")), "release");
                return ExitCode::FAILURE;
            }
        };
        if self.options.stdin {
            let stop = sender.clone();
            std::thread::spawn(move || {
                // What it says is nobody's; that it ends is what counts.
                let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
                let _ = stop.send(Event::Stop);
            });
        }
        // Without a handler an interrupt ends the program at once, which is no harm: files are replaced in one step.
        let _ = ctrlc::set_handler(move || {
            let _ = sender.send(Event::Stop);
        });
        let config = self.subject.config.clone();
        let mut configured = config.as_deref().map(crate::watch::files::content);
        let mut described = Vec::new();
        loop {
            let mut inputs = self.watching.inputs();
            inputs.extend(config.clone());
            // Something may have changed between the compile and the moment its folder is watched.
            let grown = files.watch(&inputs);
            let lines = self.watching.describe();
            if lines != described {
                // Said whatever flags are given: a watcher that is silent is told apart from one that hangs.
                self.printer.lines(&lines.join("\n"));
                described = lines;
            }
            if !grown && matches!(events.recv(), Ok(Event::Stop) | Err(_)) {
                return ExitCode::SUCCESS;
            }
            files.forget_gone();
            let now = config.as_deref().map(crate::watch::files::content);
            if now != configured {
                configured = now;
                self.configure(paths, flags);
            }
            let round = self.watching.round(&self.printer);
            if round.compiled > 0 && round.failed == 0 {
                self.test();
            }
        }
    }

    /// Reads `blinkblox.toml` anew. One that cannot be used changes nothing.
    fn configure(&mut self, paths: &[String], flags: &SchemaFlags) {
        match Subject::of(paths, flags) {
            Ok(subject) => {
                self.watching = subject.watching(&self.options, flags);
                self.subject = subject;
            }
            Err(diagnostic) => self.printer.failure(&diagnostic, "release"),
        }
    }

    /// Runs the specs when that is asked for and every schema compiles; false when one of them failed.
    fn test(&self) -> bool {
        if !self.options.test || self.watching.failing() > 0 {
            return true;
        }
        let folder =
            if self.subject.folder.as_os_str().is_empty() { Path::new(".") } else { &self.subject.folder };
        // A process of its own: a spec that hangs or crashes must not end the watcher.
        let Ok(program) = std::env::current_exe() else { return false };
        let status = Command::new(program).arg("test").arg(folder).arg("--allow-empty").status();
        status.is_ok_and(|status| status.success())
    }
}

fn teller(sender: Sender<Event>) -> impl Fn(Vec<PathBuf>) + Clone + Send + 'static {
    move |_| {
        // Nobody listens once the run is over.
        let _ = sender.send(Event::Changed);
    }
}
