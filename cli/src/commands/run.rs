//! `blinkblox run`: plays a game for a while, shows what every side prints, and sums the network up.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use blinkblox_compiler::diagnostics::counted;
use blinkblox_emulator::clock::Time;
use blinkblox_emulator::game::{self, Game};
use blinkblox_emulator::network::Way;
use blinkblox_emulator::peer::Peer;
use blinkblox_emulator::repl::shown;
use blinkblox_emulator::shared::{DiagnosticClass, LogLevel};
use blinkblox_emulator::vm::ThreadEnd;
use blinkblox_emulator::world::{OutputReader, PacketFilter, World};
use clap::{Args, ValueEnum};

use super::emulation::{Fault, WorldFlags, fault, seconds, write_trace};
use crate::printer::{print_err, print_out, say_err};

const EXAMPLES: &str = "\
Examples:
  blinkblox run --clients 3 --net mobile --for 30s
                                 the project of the working directory, half a minute of it
  blinkblox run --clients 4 --bots bots.luau
                                 bots.luau drives each of four clients
  blinkblox run --script check.luau
                                 runs check.luau on the server, prints what it returns
  blinkblox run --as luau-execution --script job.luau
                                 the same where no script of the place starts by itself
  blinkblox run place.rbxl --until-idle --fail-on-error
                                 a place, until nothing is under way; 1 if a script failed

Exit codes: 0 it ran, 1 a script error with --fail-on-error, a misuse with --strict or a failed
--script, 2 wrong arguments, 3 the project could not be loaded, 130 interrupted.";

/// Play a project on a virtual server and clients
///
/// Runs server and clients as in a live game for a while of virtual time, prints what they print behind side and time,
/// and sums up what crossed the network.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct Run {
    #[command(flatten)]
    world: WorldFlags,
    /// Virtual time to play, such as 10, 10s or 2m [default: 10s; 60s with --until-idle or --script]
    #[arg(long = "for", value_name = "TIME", conflicts_with = "frames")]
    length: Option<String>,
    /// Server frames to play
    #[arg(long, value_name = "N")]
    frames: Option<u64>,
    /// End as soon as nothing is in flight, queued or due
    #[arg(long)]
    until_idle: bool,
    /// Let virtual time pass as real time does
    #[arg(long)]
    realtime: bool,
    /// Run FILE on the server before anything else, print what it returns, and end when it does
    #[arg(long, value_name = "FILE")]
    script: Option<PathBuf>,
    /// What the run stands for
    #[arg(long = "as", value_enum, default_value_t, value_name = "KIND")]
    kind: Kind,
    /// Run FILE on each client once it has joined
    #[arg(long, value_name = "FILE")]
    bots: Option<PathBuf>,
    /// Show the output of one side only: server, or a player's name
    #[arg(long, value_name = "SIDE")]
    only: Option<String>,
    /// Diagnostics to show: misuse at warn, what rests on undocumented behaviour at info, all at debug
    #[arg(long, value_enum, default_value_t, value_name = "LEVEL")]
    log: Log,
    /// Write what crossed the links to FILE, a JSON document a line; compressed if it ends in .gz
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Have a line in the trace for each frame of each side
    #[arg(long, requires = "trace")]
    trace_frames: bool,
    /// Exit with 1 when a script error was logged
    #[arg(long)]
    fail_on_error: bool,
    /// Exit with 1 when a diagnostic of the class misuse was made
    #[arg(long)]
    strict: bool,
}

/// What a run stands for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// A live server with clients
    #[default]
    Live,
    /// A script run in the cloud: no script starts by itself, `IsRunning` is false
    LuauExecution,
}

/// Which diagnostics are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
enum Log {
    Error,
    #[default]
    Warn,
    Info,
    Debug,
}

/// A script whose end is waited for.
type End = Rc<RefCell<Option<ThreadEnd>>>;

impl Run {
    /// Plays the game.
    pub fn run(self) -> ExitCode {
        match self.execute() {
            Ok(code) => code,
            Err(problem) => fault(&problem),
        }
    }

    fn execute(self) -> Result<ExitCode, Fault> {
        let limit = self.limit()?;
        let is_cloud = self.kind == Kind::LuauExecution;
        let mut options = self.world.options("random", if is_cloud { 0 } else { 1 })?;
        if is_cloud {
            options.settings.push(("context".into(), "luauExecution".into()));
        }
        if let Some(why) = game::without_project(&options.path) {
            // A script of its own runs anywhere; without one nothing would.
            if self.script.is_none() && self.bots.is_none() {
                return Err(Fault::load(why));
            }
            say_err(&format!("warning: {why}"));
        }
        let script = self.script.as_deref().map(read).transpose()?;
        let bots = self.bots.as_deref().map(read).transpose()?;
        let game = game::prepare(&options).map_err(Fault::load)?;
        for warning in game.built.warnings.iter() {
            say_err(&format!("warning: {warning}"));
        }
        let interrupted = Arc::new(AtomicBool::new(false));
        let (told, deadline) = (interrupted.clone(), game.world.core().shared.deadline.clone());
        // Where no handler can be set, an interrupt ends the run without its summary.
        let _ = ctrlc::set_handler(move || {
            if told.swap(true, Ordering::SeqCst) {
                std::process::exit(130);
            }
            deadline.end();
        });
        let end = match (&self.script, &script) {
            (Some(path), Some(text)) => Some(spawn(&game.world.server().peer, path, text)?),
            _ => None,
        };
        let played = self.begin(&game, options.clients, bots.as_ref());
        let played = played.and_then(|()| self.play(&game, limit, end.as_ref(), &interrupted));
        let is_interrupted = interrupted.load(Ordering::SeqCst);
        // An interrupt also keeps clients from joining.
        if !is_interrupted {
            played?;
        }
        let answer = end.and_then(|end| end.borrow_mut().take());
        let script_failed = self.script.is_some() && !returned(&game, answer, is_interrupted);
        if is_interrupted {
            print_err("interrupted before the end\n");
        }
        let seed = options.seed;
        print_out(&summary(&game.world, seed));
        if let Some(path) = &self.trace {
            write_trace(path, &game.world.trace().to_text())?;
        }
        if is_interrupted {
            return Ok(ExitCode::from(130));
        }
        let misused =
            || game.world.diagnostics().iter().any(|one| one.code.class() == DiagnosticClass::Misuse);
        let failed = script_failed
            || (self.fail_on_error && !game.world.errors().is_empty())
            || (self.strict && misused());
        Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }

    /// Starts the server, lets clients join and their bots begin.
    fn begin(&self, game: &Game, clients: u32, bots: Option<&Arc<str>>) -> Result<(), Fault> {
        game.begin(clients).map_err(Fault::load)?;
        if let Some(only) = self.only.as_deref().filter(|only| game.world.side_named(only).is_none()) {
            let mut names = vec!["server".to_string()];
            names.extend(game.world.clients().iter().map(|client| game.world.side_name(client.side)));
            return Err(Fault::usage(format!(
                "--only: there is no side {only}; there are {}",
                names.join(", ")
            )));
        }
        game.world.core().trace_mut().frames = self.trace_frames;
        if let (Some(path), Some(text)) = (&self.bots, bots) {
            for peer in game.world.clients().iter().filter_map(|client| client.peer()) {
                start(&peer, path, text)?;
            }
        }
        Ok(())
    }

    /// Virtual time the run may take.
    fn limit(&self) -> Result<Limit, Fault> {
        if let Some(frames) = self.frames {
            return Ok(Limit::Frames(frames));
        }
        let usual = if self.until_idle || self.script.is_some() { "60s" } else { "10s" };
        Ok(Limit::Seconds(seconds("--for", self.length.as_deref().unwrap_or(usual))?))
    }

    /// Moves time until the limit, the script's end or an interrupt.
    fn play(&self, game: &Game, limit: Limit, end: Option<&End>, stop: &AtomicBool) -> Result<(), Fault> {
        let world = &game.world;
        let mut shown = Shown::default();
        let began = Instant::now();
        let mut frames = 0;
        let mut quiet = 0;
        self.show(world, &mut shown);
        while !stop.load(Ordering::SeqCst) {
            let is_over = match limit {
                Limit::Frames(count) => frames >= count,
                Limit::Seconds(seconds) => world.now() >= Time::from_seconds(seconds),
            };
            if is_over || end.is_some_and(|end| end.borrow().is_some()) {
                break;
            }
            world.step(1).map_err(|error| Fault::load(error.to_string()))?;
            frames += 1;
            self.show(world, &mut shown);
            if self.until_idle {
                // Two frames in a row: what one sends, the next receives.
                quiet = if world.is_idle() { quiet + 1 } else { 0 };
                if quiet >= 2 {
                    break;
                }
            }
            if self.realtime {
                let due = began + Duration::from_secs_f64(world.now().seconds());
                std::thread::sleep(due.saturating_duration_since(Instant::now()));
            }
        }
        Ok(())
    }

    /// Prints what the sides have printed, and what was found doubtful, since the last call.
    fn show(&self, world: &World, shown: &mut Shown) {
        let is_meant = |name: &str| self.only.as_ref().is_none_or(|only| *only == name);
        for line in shown.output.read(world) {
            let name = world.side_name(line.side);
            if is_meant(&name) {
                let level = match line.level {
                    LogLevel::Output => "",
                    LogLevel::Info => "info: ",
                    LogLevel::Warning => "warning: ",
                    LogLevel::Error => "error: ",
                };
                print_out(&format!("[{:8.3} {name}] {level}{}\n", line.at.seconds(), line.text));
            }
        }
        let diagnostics = world.diagnostics();
        for one in &diagnostics[shown.diagnostics.min(diagnostics.len())..] {
            let level = match one.code.class() {
                DiagnosticClass::Misuse => Log::Warn,
                DiagnosticClass::Portability => Log::Info,
                DiagnosticClass::Info => Log::Debug,
            };
            let name = world.side_name(one.side);
            if level <= self.log && is_meant(&name) {
                let at = one.at.seconds();
                print_err(&format!("[{at:8.3} {name}] {}: {}\n", one.code.name(), one.text));
            }
        }
        shown.diagnostics = diagnostics.len();
    }
}

/// How long a run goes on.
#[derive(Clone, Copy, Debug)]
enum Limit {
    Frames(u64),
    Seconds(f64),
}

/// What has been printed.
#[derive(Default)]
struct Shown {
    output: OutputReader,
    diagnostics: usize,
}

fn read(path: &Path) -> Result<Arc<str>, Fault> {
    blinkblox_emulator::shared::read_script(path)
        .map(Arc::from)
        .map_err(|error| Fault::unreadable(path, &error))
}

/// Runs a file on a side; what it throws is an uncaught error of that side.
fn start(peer: &Rc<Peer>, path: &Path, text: &Arc<str>) -> Result<(), Fault> {
    let name = path.display().to_string();
    let function = peer.load(text, &name, &[]).map_err(|failure| Fault::load(failure.text))?;
    let owner = peer.new_owner(None, &name);
    peer.spawn(&function, owner, &[]).map_err(|failure| Fault::load(failure.report()))?;
    Ok(())
}

/// Runs a file on a side. Gives the place its end will be in.
fn spawn(peer: &Rc<Peer>, path: &Path, text: &Arc<str>) -> Result<End, Fault> {
    let name = path.display().to_string();
    let function = peer.load(text, &name, &[]).map_err(|failure| Fault::load(failure.text))?;
    let end: End = Rc::default();
    let filled = end.clone();
    let owner = peer.new_owner(None, &name);
    let on_end = Box::new(move |_: &Rc<Peer>, ended| *filled.borrow_mut() = Some(ended));
    peer.spawn_then(&function, owner, &[], on_end).map_err(|failure| Fault::load(failure.report()))?;
    Ok(end)
}

/// Prints what the script returned, or why it did not. Whether it did.
fn returned(game: &Game, answer: Option<ThreadEnd>, is_interrupted: bool) -> bool {
    let peer = &game.world.server().peer;
    match answer {
        Some(Ok(values)) => {
            for text in shown(peer, &values) {
                print_out(&format!("{text}\n"));
            }
            true
        }
        Some(Err(failure)) => {
            print_err(&format!("error: {}\n", failure.report()));
            false
        }
        None if is_interrupted => false,
        None => {
            print_err("error: the script had not returned at the end of the run; --for allows more time\n");
            false
        }
    }
}

/// Calls and bytes by remote and direction, and what each link made of them.
fn summary(world: &World, seed: u64) -> String {
    let mut rows: Vec<(String, usize, usize)> = Vec::new();
    for packet in world.packets(&PacketFilter::default()) {
        let way = if packet.from.is_server() { "down" } else { "up" };
        let key = format!("{way:4} {}", packet.remote);
        match rows.iter_mut().find(|row| row.0 == key) {
            Some(row) => {
                row.1 += 1;
                row.2 += packet.size;
            }
            None => rows.push((key, 1, packet.size)),
        }
    }
    rows.sort_by(|a, b| b.2.cmp(&a.2).then_with(|| a.0.cmp(&b.0)));
    let clients = world.clients();
    let mut out = format!("{:.1} s played, {}\n", world.now().seconds(), counted(clients.len(), "client"));
    for (key, calls, bytes) in rows {
        out.push_str(&format!("  {key}: {}, about {}\n", counted(calls, "call"), counted(bytes, "byte")));
    }
    for client in clients {
        let ways = [(Way::Up, "up"), (Way::Down, "down")].into_iter().filter_map(|(way, name)| {
            let stats = world.link_stats(client.index(), way).ok()?;
            let resent =
                if stats.resends > 0 { format!(", {} resent", stats.resends) } else { String::new() };
            Some(format!(
                "{name} {}, {}, {} lost{resent}",
                counted(stats.messages, "message"),
                counted(stats.bytes, "byte"),
                stats.lost
            ))
        });
        let ways: Vec<String> = ways.collect();
        out.push_str(&format!("  {}: {}\n", world.side_name(client.side), ways.join("; ")));
    }
    out.push_str(&format!("seed {seed}\n"));
    out
}
