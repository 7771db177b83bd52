//! What `test`, `run`, `repl` and `emu` have in common: flags of a world, and how their failures end.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use blinkblox_compiler::diagnostics::{Code, Diagnostic};
use blinkblox_emulator::config::Config;
use blinkblox_emulator::game::GameOptions;
use blinkblox_emulator::network::LinkSettings;
use blinkblox_emulator::shared::{Settings, in_words, replace};
use clap::{Args, ValueEnum};

use super::usage;
use crate::printer::{ColorChoice, Format, say_err};

/// Exit code of wrong arguments.
pub const USAGE: u8 = 2;

/// Whether the first argument names a command of the emulator.
pub fn is_one(arguments: &[OsString]) -> bool {
    let first = arguments.first().and_then(|argument| argument.to_str());
    matches!(first, Some("test" | "run" | "repl" | "trace" | "emu"))
}

/// A failure before or beside the run itself. Source of the codes: emulator requirements, 3.3.
pub struct Fault {
    code: u8,
    text: String,
}

impl Fault {
    /// The arguments are wrong.
    pub fn usage(text: impl Into<String>) -> Fault {
        Fault { code: USAGE, text: text.into() }
    }

    /// A project, place or script could not be loaded.
    pub fn load(text: impl Into<String>) -> Fault {
        Fault { code: 3, text: text.into() }
    }

    /// A file could not be read.
    pub fn unreadable(path: &Path, error: &std::io::Error) -> Fault {
        Fault::load(format!("{} cannot be read: {}", path.display(), in_words(error)))
    }
}

/// Says what went wrong and gives the exit code.
pub fn fault(fault: &Fault) -> ExitCode {
    say_err(&format!("error: {}", fault.text));
    ExitCode::from(fault.code)
}

/// The same where the run was to print one document: it is the one of every failed run.
pub fn fault_in_document(fault: &Fault) -> ExitCode {
    let code = if fault.code == USAGE { Code::UsageError } else { Code::FileUnreadable };
    let mut lines = fault.text.lines().map(str::trim).filter(|line| !line.is_empty());
    let headline = lines.next().unwrap_or_default().trim_end_matches('.');
    let diagnostic = lines.fold(Diagnostic::error(code, headline), |diagnostic, line| diagnostic.note(line));
    usage::refuse(diagnostic, Format::Json);
    ExitCode::from(fault.code)
}

/// Writes a trace, compressed when the file's name ends in `.gz`.
pub fn write_trace(path: &Path, text: &str) -> Result<(), Fault> {
    let packed = path.extension().is_some_and(|extension| extension == "gz");
    let bytes = if packed { blinkblox_emulator::trace::pack(text) } else { text.as_bytes().to_vec() };
    write(path, &bytes)
}

/// Writes a file in one step. Errors: it cannot be written; it is as it was.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Fault> {
    replace(path, bytes)
        .map_err(|error| Fault::usage(format!("{} cannot be written: {}", path.display(), in_words(&error))))
}

/// Frames a second as the command line gives them. Errors: no world runs so.
pub fn frame_rate(flag: &str, rate: f64) -> Result<f64, Fault> {
    if (1.0..=1000.0).contains(&rate) {
        return Ok(rate);
    }
    Err(Fault::usage(format!("{flag} takes frames a second from 1 to 1000, not {rate}")))
}

/// Whether output is coloured.
pub fn colour(choice: ColorChoice) -> bool {
    use std::io::IsTerminal;
    crate::printer::is_coloured(choice, std::io::stdout().is_terminal())
}

/// A setting as `--set` writes it: name and value. Errors: it is none.
pub fn setting(pair: &str) -> Result<(String, String), Fault> {
    let (key, value) =
        pair.split_once('=').ok_or_else(|| Fault::usage(format!("--set takes KEY=VALUE, not `{pair}`")))?;
    Settings::default().set(key, value).map_err(Fault::usage)?;
    Ok((key.to_string(), value.to_string()))
}

/// A seed as the command line writes it: a number, or `random`. Errors: it is neither.
pub fn seed(flag: &str, text: &str) -> Result<u64, Fault> {
    use std::hash::{BuildHasher, Hasher};
    if text == "random" {
        // Small enough that every reader of JSON keeps it exactly.
        let drawn = std::collections::hash_map::RandomState::new().build_hasher().finish();
        return Ok(drawn >> 12);
    }
    text.parse().map_err(|_| Fault::usage(format!("{flag} takes a number or `random`, not `{text}`")))
}

/// Signal behaviour of a single world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Signals {
    Immediate,
    Deferred,
}

/// What a command of the emulator opens: what it is given, else the game around the working directory. Errors: there is
/// no such file, or its `blinkblox.toml` cannot be used.
pub fn project(given: Option<&PathBuf>) -> Result<PathBuf, Fault> {
    let (folder, line) = project_and_line(given)?;
    if let Some(line) = line {
        say_err(&line);
    }
    Ok(folder)
}

/// The same, with the line that says where it was found when people may not expect it.
pub fn project_and_line(given: Option<&PathBuf>) -> Result<(PathBuf, Option<String>), Fault> {
    let Some(path) = given else {
        return crate::schemas::home().map_err(Fault::usage);
    };
    match path.symlink_metadata() {
        Ok(_) => match path.metadata() {
            Ok(_) => Ok((path.clone(), None)),
            Err(error) => Err(Fault::unreadable(path, &error)),
        },
        Err(_) => Err(Fault::load(format!("there is no {}", path.display()))),
    }
}

/// Flags of a world.
#[derive(Args, Debug)]
pub struct WorldFlags {
    /// A folder with a Rojo project, a project file, or a place [default: the nearest one here or above]
    #[arg(value_name = "PROJECT")]
    path: Option<PathBuf>,
    /// The project file to open, in place of PROJECT
    #[arg(long, value_name = "FILE", conflicts_with_all = ["path", "place"])]
    project: Option<PathBuf>,
    /// The place or model file to open, in place of PROJECT
    #[arg(long, value_name = "FILE", conflicts_with = "path")]
    place: Option<PathBuf>,
    /// Root of all randomness: a number, or `random` [default: random for run, 0 for repl]
    #[arg(long, value_name = "NUMBER")]
    seed: Option<String>,
    /// How signals run their handlers; deferred unless blinkblox.toml says otherwise
    #[arg(long, value_enum)]
    signals: Option<Signals>,
    /// Clients that join at the start [default: 1]
    #[arg(long, value_name = "N")]
    clients: Option<u32>,
    /// Network between them: perfect, lan, wifi, typical, mobile, poor, satellite, hostile, ...
    #[arg(long, default_value = "perfect", value_name = "PRESET")]
    net: String,
    /// Frames a second of the server
    #[arg(long, default_value_t = 60.0, value_name = "N")]
    fps: f64,
    /// Frames a second of clients
    #[arg(long, default_value_t = 60.0, value_name = "N")]
    client_fps: f64,
    /// Any setting of a world; may be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// The configuration to read, in place of the blinkblox.toml beside the project
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl WorldFlags {
    /// The options the flags stand for; `usual_seed` and `usual_clients` are those of the command.
    pub fn options(&self, usual_seed: &str, usual_clients: u32) -> Result<GameOptions, Fault> {
        let mut settings = Vec::new();
        if let Some(signals) = self.signals {
            let name = match signals {
                Signals::Immediate => "immediate",
                Signals::Deferred => "deferred",
            };
            settings.push(("signals".to_string(), name.to_string()));
        }
        for pair in &self.set {
            settings.push(setting(pair)?);
        }
        let link = LinkSettings::preset(&self.net).ok_or_else(|| {
            let known = blinkblox_emulator::network::PRESETS.join(", ");
            Fault::usage(format!("there is no network `{}`: {known}", self.net))
        })?;
        let given = self.project.as_ref().or(self.place.as_ref()).or(self.path.as_ref());
        let path = &project(given)?;
        // A configuration that cannot be used is a fault of the arguments, not of the project.
        let folder = if path.is_dir() { path.as_path() } else { path.parent().unwrap_or(Path::new("")) };
        let config = self.config.as_deref().map_or_else(|| Config::of_folder(folder), Config::of_file);
        config.map_err(Fault::usage)?;
        Ok(GameOptions {
            path: path.clone(),
            seed: seed("--seed", self.seed.as_deref().unwrap_or(usual_seed))?,
            settings,
            clients: self.clients.unwrap_or(usual_clients),
            link,
            fps: frame_rate("--fps", self.fps)?,
            client_fps: frame_rate("--client-fps", self.client_fps)?,
            config: self.config.clone(),
        })
    }
}

/// A length of time as people write it: `10`, `10s`, `500ms`, `2m`. Errors: it is none.
pub fn seconds(flag: &str, text: &str) -> Result<f64, Fault> {
    let (number, unit) = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0)]
        .into_iter()
        .find_map(|(suffix, unit)| text.strip_suffix(suffix).map(|number| (number, unit)))
        .unwrap_or((text, 1.0));
    match number.parse::<f64>() {
        Ok(number) if number.is_finite() && number >= 0.0 => Ok(number * unit),
        _ => Err(Fault::usage(format!("{flag} takes a number of seconds, such as 10 or 1.5m, not `{text}`"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_time_have_units() {
        let read = |text| seconds("--for", text).ok();
        assert_eq!(
            (read("10"), read("10s"), read("500ms"), read("1.5m")),
            (Some(10.0), Some(10.0), Some(0.5), Some(90.0))
        );
        assert_eq!((read("-1"), read("soon"), read("inf"), read("")), (None, None, None, None));
    }
}
