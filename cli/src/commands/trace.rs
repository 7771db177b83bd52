//! `blinkblox trace`: looks into a trace, sums it up, turns it into a page, compares two of them.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use blinkblox_compiler::diagnostics::counted;
use blinkblox_emulator::game::{self, GameOptions};
use blinkblox_emulator::network::LinkSettings;
use blinkblox_emulator::recording::{
    self, Filter, Paint, Recording, Story, csv, detail, list, redact, summarise,
};
use clap::{Args, Subcommand};

use super::emulation::{Fault, colour, fault, fault_in_document, write, write_trace};
use crate::printer::{ColorChoice, print_err, print_out, say_out};

/// Look into a trace that `test --trace` or `run --trace` wrote
///
/// Without further flags it lists the records. Exit codes: 0 done, 2 wrong arguments, 3 a file could not be read.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Trace {
    #[command(subcommand)]
    command: Option<Command>,
    /// The trace, compressed or not
    #[arg(required = true, value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    filter: FilterFlags,
    #[command(flatten)]
    form: FormFlags,
}

#[derive(Subcommand, Debug)]
enum Command {
    Diff(Diff),
    Replay(Replay),
    Merge(Merge),
}

/// Join traces into one file, such as those of the machines of a CI matrix
///
/// The worlds of all files stand one after the other; `trace FILE --world N` shows one of them.
#[derive(Args, Debug)]
struct Merge {
    /// The traces, compressed or not
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// The file to write; compressed if its name ends in .gz
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

/// Which records are meant.
#[derive(Args, Debug)]
#[command(next_help_heading = "Which records")]
struct FilterFlags {
    /// What happened on a side, and packets it sent or got: server, or a player's name
    #[arg(long, value_name = "SIDE")]
    side: Option<String>,
    /// What a player sent, got and did, by name or user id
    #[arg(long, value_name = "PLAYER", allow_hyphen_values = true)]
    player: Option<String>,
    /// Packets with an event or function whose name contains TEXT
    #[arg(long, value_name = "TEXT")]
    event: Option<String>,
    /// Packets on a remote whose full name contains TEXT
    #[arg(long, value_name = "TEXT")]
    remote: Option<String>,
    /// Kinds of records: send, event, arrive, drop, handle, repl, invoke, reply, join, leave, frame, log, diag, mark
    #[arg(long = "kind", value_name = "KIND", value_delimiter = ',')]
    kinds: Vec<String>,
    /// Packets of a fate: delivered, queued, sent, lost, dropped-size, dropped-rate, dropped-queue, dropped-leave, ...
    #[arg(long = "fate", value_name = "FATE", value_delimiter = ',')]
    fates: Vec<String>,
    /// From this second on
    #[arg(long, value_name = "SECONDS")]
    from: Option<f64>,
    /// Up to this second
    #[arg(long, value_name = "SECONDS")]
    until: Option<f64>,
    /// Half a second around this one
    #[arg(long, value_name = "SECONDS", conflicts_with_all = ["from", "until"])]
    at: Option<f64>,
    /// Packets of at least this many bytes
    #[arg(long, value_name = "BYTES")]
    min_size: Option<u64>,
    /// Records whose line in the file contains TEXT
    #[arg(long, value_name = "TEXT")]
    grep: Option<String>,
    /// Only what looks wrong: drops, resends, waits, errors, and journeys of more than --late
    #[arg(long)]
    anomalies: bool,
    /// Milliseconds a journey may take before it counts as late
    #[arg(long, default_value_t = 500.0, value_name = "MS")]
    late: f64,
    /// Which world of a file that holds several, from 1 [default: the first whose test failed, else the first]
    #[arg(long, value_name = "N")]
    world: Option<usize>,
}

/// What to make of them.
#[derive(Args, Debug)]
#[command(next_help_heading = "What to make of them")]
struct FormFlags {
    /// One packet from send to handler, with its fields and bytes
    #[arg(long, value_name = "NUMBER")]
    id: Option<u64>,
    /// Bytes, losses, resends and delays by event, direction and player
    #[arg(long)]
    summary: bool,
    /// The records as they are in the file, a JSON document a line; with --summary one document
    #[arg(long)]
    json: bool,
    /// A row for each packet and receiver, with commas
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Write a page to OUT that shows the trace in any browser
    #[arg(long, value_name = "OUT")]
    html: Option<PathBuf>,
    /// Replace what strings hold by length and digest; with --json
    #[arg(long, value_name = "WHAT", value_parser = ["strings"], requires = "json")]
    redact: Option<String>,
    /// When to colour
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    color: ColorChoice,
}

/// Compare two traces and explain the first difference
///
/// Exit codes: 0 equal, 1 different, 2 wrong arguments, 3 a file could not be read.
#[derive(Args, Debug)]
struct Diff {
    /// One trace
    #[arg(value_name = "A")]
    a: PathBuf,
    /// The other
    #[arg(value_name = "B")]
    b: PathBuf,
}

/// Play what clients sent once to a fresh server, and see whether it answers as it did
///
/// Clients join and leave as recorded and run no scripts; each of their messages reaches the server in the frame in
/// which it arrived. Exit codes: 0 the server sent the same, 1 it sent something else or had an error, 2 wrong
/// arguments, 3 a file or the project could not be read.
#[derive(Args, Debug)]
struct Replay {
    /// The trace, of `run --trace`
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// A folder with a Rojo project, a project file, or a place
    #[arg(default_value = ".", value_name = "PROJECT")]
    project: PathBuf,
    /// Whom to play to
    #[arg(long, default_value = "server", value_parser = ["server"], value_name = "SIDE")]
    to: String,
    /// Which world of a file that holds several, from 1
    #[arg(long, default_value_t = 1, value_name = "N")]
    world: usize,
    /// Read this file in place of the project's blinkblox.toml
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Write the trace of the replay to OUT
    #[arg(long, value_name = "OUT")]
    trace: Option<PathBuf>,
}

impl Trace {
    /// Shows the trace, or does what the command within says.
    pub fn run(self) -> ExitCode {
        let is_document = self.form.json;
        let done = match &self.command {
            Some(Command::Diff(diff)) => diff.execute(),
            Some(Command::Merge(merge)) => merge.execute().map(|()| ExitCode::SUCCESS),
            Some(Command::Replay(replay)) => replay.execute(),
            None => self.execute().map(|()| ExitCode::SUCCESS),
        };
        done.unwrap_or_else(|problem| if is_document { fault_in_document(&problem) } else { fault(&problem) })
    }

    fn execute(&self) -> Result<(), Fault> {
        let file = self.file.as_deref().ok_or_else(|| Fault::usage("trace needs a FILE"))?;
        let filter = self.filter.filter()?;
        let recordings = read(file)?;
        let count = recordings.len();
        let failed = recordings.iter().position(|recording| recording.header.failed);
        let world = self.filter.world.unwrap_or(failed.unwrap_or(0) + 1);
        let recording = pick(&recordings, world, file)?;
        if count > 1 {
            let test = recording.header.test.as_deref().unwrap_or("without a test");
            let outcome = if recording.header.failed { ", which failed" } else { "" };
            print_err(&format!(
                "{} holds {count} worlds; this is {world} of them: {test}{outcome}. --world N shows another.\n",
                file.display()
            ));
        }
        self.show(file, recording, &filter)
    }

    fn show(&self, file: &Path, recording: &Recording, filter: &Filter) -> Result<(), Fault> {
        let form = &self.form;
        let paint = if colour(form.color) { Paint::Ansi } else { Paint::Plain };
        if let Some(out) = &form.html {
            if out.canonicalize().is_ok_and(|out| file.canonicalize().is_ok_and(|file| file == out)) {
                return Err(Fault::usage("--html would replace the trace itself: name another file"));
            }
            let page = recording::page::page(recording, &title(file, recording));
            write(out, page.as_bytes())?;
            say_out(&format!("wrote {}", out.display()));
            return Ok(());
        }
        if form.summary {
            let summary = summarise(recording);
            let text = if form.json { format!("{:#}\n", summary.json()) } else { summary.text(paint) };
            print_out(&text);
            return Ok(());
        }
        let story = Story::of(recording);
        if let Some(id) = form.id {
            let text = detail(&story, id, paint);
            print_out(&text.ok_or_else(|| Fault::usage(format!("--id {id}: there is no such packet")))?);
            return Ok(());
        }
        let found = filter.apply(&story).map_err(Fault::usage)?;
        let late = (self.filter.late * 1e6) as i64;
        let text = if form.json {
            let mut text = String::new();
            let lines = found.iter().map(|index| &recording.entries[*index].raw);
            for line in std::iter::once(&recording.header.raw).chain(lines) {
                match &form.redact {
                    Some(_) => text.push_str(&redact(line).map_err(Fault::load)?),
                    None => text.push_str(line),
                }
                text.push('\n');
            }
            text
        } else if form.csv {
            let mut ids: Vec<u64> =
                found.iter().filter_map(|index| recording.entries[*index].kind.packet()).collect();
            ids.sort_unstable();
            csv(recording, (!filter.is_empty()).then_some(ids.as_slice()))
        } else {
            list(&story, &found, late, paint)
        };
        print_out(&text);
        Ok(())
    }
}

impl FilterFlags {
    fn filter(&self) -> Result<Filter, Fault> {
        const KINDS: &[&str] = &[
            "send", "event", "arrive", "drop", "handle", "repl", "invoke", "reply", "join", "leave", "frame",
            "log", "diag", "mark",
        ];
        if let Some(wrong) = self.kinds.iter().find(|kind| !KINDS.contains(&kind.as_str())) {
            return Err(Fault::usage(format!(
                "--kind: there is no kind {wrong}; there are {}",
                KINDS.join(", ")
            )));
        }
        for (name, value) in
            [("--from", self.from), ("--until", self.until), ("--at", self.at), ("--late", Some(self.late))]
        {
            if value.is_some_and(|value| !value.is_finite()) {
                return Err(Fault::usage(format!("{name} takes a number")));
            }
        }
        let nanos = |seconds: f64| (seconds * 1e9) as i64;
        let around = |offset: f64| self.at.map(|at| nanos(at + offset));
        Ok(Filter {
            side: self.side.clone(),
            player: self.player.clone(),
            event: self.event.clone(),
            remote: self.remote.clone(),
            kinds: self.kinds.clone(),
            fates: self.fates.clone(),
            from: self.from.map(nanos).or_else(|| around(-0.25)),
            until: self.until.map(nanos).or_else(|| around(0.25)),
            id: None,
            min_size: self.min_size,
            grep: self.grep.clone(),
            anomalies: self.anomalies.then_some((self.late * 1e6) as i64),
        })
    }
}

impl Diff {
    fn execute(&self) -> Result<ExitCode, Fault> {
        let (a, b) = (read(&self.a)?, read(&self.b)?);
        let Some(difference) = recording::diff(&a, &b) else {
            let records: usize = a.iter().map(|recording| recording.entries.len()).sum();
            print_out(&format!("no difference in {}\n", counted(records, "record")));
            return Ok(ExitCode::SUCCESS);
        };
        for (name, file, line) in [("A", &self.a, difference.lines[0]), ("B", &self.b, difference.lines[1])] {
            let place = line.map_or_else(|| "at its end".to_owned(), |line| format!("line {line}"));
            say_out(&format!("{name} is {}, {place}", file.display()));
        }
        print_out(&difference.text);
        Ok(ExitCode::FAILURE)
    }
}

impl Merge {
    fn execute(&self) -> Result<(), Fault> {
        let mut text = String::new();
        let mut worlds = 0;
        for file in &self.files {
            for recording in read(file)? {
                worlds += 1;
                let entries = recording.entries.iter().map(|entry| &entry.raw);
                for line in std::iter::once(&recording.header.raw).chain(entries) {
                    text.push_str(line);
                    text.push('\n');
                }
            }
        }
        write_trace(&self.out, &text)?;
        let are = if worlds == 1 { "is" } else { "are" };
        say_out(&format!("{} {are} in {}", counted(worlds, "world"), self.out.display()));
        Ok(())
    }
}

impl Replay {
    fn execute(&self) -> Result<ExitCode, Fault> {
        let recordings = read(&self.file)?;
        let recording = pick(&recordings, self.world, &self.file)?;
        let header = &recording.header;
        if !self.project.exists() {
            return Err(Fault::load(format!("there is no {}", self.project.display())));
        }
        let world = game::open(&GameOptions {
            path: self.project.clone(),
            seed: header.seed,
            settings: header.settings.clone(),
            clients: 0,
            link: LinkSettings::default(),
            fps: header.fps,
            client_fps: header.fps,
            config: self.config.clone(),
        })
        .map_err(Fault::load)?;
        let now = world.core().trace_mut().header_mut().project_hash.clone();
        if now != header.project_hash {
            print_err("note: the project is not as it was when the trace was recorded\n");
        }
        let done = recording::replay(recording, &world).map_err(Fault::load)?;
        if let Some(out) = &self.trace {
            write_trace(out, &world.trace().to_text())?;
        }
        print_out(&format!("{} of clients played back\n", counted(done.fed, "message")));
        for skipped in &done.skipped {
            print_out(&format!("left out {skipped}\n"));
        }
        match &done.difference {
            None => print_out(&format!("the server sent the same {}\n", counted(done.sent[0], "message"))),
            Some(text) => {
                let [then, now] = done.sent;
                print_out(&format!(
                    "the server sent {} then and {now} now: {text}",
                    counted(then, "message")
                ));
            }
        }
        for error in &done.errors {
            print_out(&format!("error: {error}\n"));
        }
        let same = done.difference.is_none() && done.errors.is_empty();
        Ok(if same { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

/// The recording of that number, from 1.
fn pick<'a>(recordings: &'a [Recording], world: usize, file: &Path) -> Result<&'a Recording, Fault> {
    let found = world.checked_sub(1).and_then(|index| recordings.get(index));
    found.ok_or_else(|| {
        let count = recordings.len();
        Fault::usage(format!("--world {world}: {} holds {count}, counted from 1", file.display()))
    })
}

/// What a trace is called: its test, else its project, else its file.
fn title(file: &Path, recording: &Recording) -> String {
    let header = &recording.header;
    let name =
        file.file_name().map_or_else(|| file.display().to_string(), |name| name.to_string_lossy().into());
    header.test.clone().or_else(|| header.project.clone()).unwrap_or(name)
}

/// The recordings of a file. Errors name the file, the line and what is wrong.
pub fn read(file: &Path) -> Result<Vec<Recording>, Fault> {
    let bytes = std::fs::read(file).map_err(|error| Fault::unreadable(file, &error))?;
    recording::read(&bytes).map_err(|error| match error.line {
        0 => Fault::load(format!("{}: {}", file.display(), error.text)),
        line => Fault::load(format!("{}:{line}: {}", file.display(), error.text)),
    })
}
