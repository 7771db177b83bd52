//! `blinkblox run`: plays a game for a while, shows what every side prints, and sums the network up.

use std::path::PathBuf;
use std::process::ExitCode;

use blinkblox_emulator::clock::Time;
use blinkblox_emulator::game;
use blinkblox_emulator::shared::LogLevel;
use blinkblox_emulator::world::{OutputReader, PacketFilter, World};
use clap::Args;

use super::emulation::{Fault, WorldFlags, fault, write_trace};
use crate::printer::print_out;

/// Play a project on a virtual server and clients
#[derive(Args, Debug)]
pub struct Run {
    #[command(flatten)]
    world: WorldFlags,
    /// Virtual seconds to play
    #[arg(long = "for", default_value_t = 10.0, value_name = "SECONDS")]
    seconds: f64,
    /// Show the output of one side only: server, or a player's name
    #[arg(long, value_name = "SIDE")]
    only: Option<String>,
    /// Write what crossed the links to FILE, a JSON document a line; compressed if it ends in .gz
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Have a line in the trace for each frame of each side
    #[arg(long, requires = "trace")]
    trace_frames: bool,
    /// Exit with 1 when a script error was logged
    #[arg(long)]
    fail_on_error: bool,
}

impl Run {
    /// Plays the game.
    pub fn run(self) -> ExitCode {
        match self.execute() {
            Ok(code) => code,
            Err(problem) => fault(&problem),
        }
    }

    fn execute(self) -> Result<ExitCode, Fault> {
        if !(self.seconds.is_finite() && self.seconds >= 0.0) {
            return Err(Fault::usage("--for takes a number of seconds"));
        }
        let world = game::open(&self.world.options()?).map_err(Fault::load)?;
        if let Some(only) = self.only.as_deref().filter(|only| world.side_named(only).is_none()) {
            let mut names = vec!["server".to_string()];
            names.extend(world.clients().iter().map(|client| world.side_name(client.side)));
            return Err(Fault::usage(format!(
                "--only: there is no side {only}; there are {}",
                names.join(", ")
            )));
        }
        world.core().trace_mut().frames = self.trace_frames;
        let end = Time::from_seconds(self.seconds);
        let mut output = OutputReader::default();
        while world.now() < end {
            world.step(1).map_err(|error| Fault::load(error.to_string()))?;
            self.show(&world, &mut output);
        }
        print_out(&summary(&world));
        if let Some(path) = &self.trace {
            write_trace(path, &world.trace().to_text())?;
        }
        let failed = self.fail_on_error && !world.errors().is_empty();
        Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
    }

    /// Prints what the sides have printed since the last call.
    fn show(&self, world: &World, output: &mut OutputReader) {
        for line in output.read(world) {
            let name = world.side_name(line.side);
            if self.only.as_ref().is_none_or(|only| *only == name) {
                let level = match line.level {
                    LogLevel::Output => "",
                    LogLevel::Info => "info: ",
                    LogLevel::Warning => "warning: ",
                    LogLevel::Error => "error: ",
                };
                print_out(&format!("[{:8.3} {name}] {level}{}\n", line.at.seconds(), line.text));
            }
        }
    }
}

/// Calls and bytes by remote and direction.
fn summary(world: &World) -> String {
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
    let clients = world.clients().len();
    let plural = if clients == 1 { "" } else { "s" };
    let mut out = format!("{:.1} s played, {clients} client{plural}\n", world.now().seconds());
    for (key, calls, bytes) in rows {
        out.push_str(&format!("  {key}: {calls} calls, about {bytes} bytes\n"));
    }
    out
}
