//! `blinkblox convert FROM FILE`: a draft schema of another tool's definitions. Source: tooling specification, 2.13, 8.

use std::path::Path;
use std::process::ExitCode;
use std::rc::Rc;

use blinkblox_compiler::diagnostics::{Code, Diagnostic, json};
use blinkblox_compiler::source::{SourceLoader, Sources, normalize};
use blinkblox_convert::{Conversion, Limits, Refusal, Tool, bridge, convert};
use clap::builder::PossibleValuesParser;
use clap::{Args, Parser};
use serde_json::json;

use super::flags::{ReportFlags, StdinFlag};
use super::usage;
use crate::entry;
use crate::loader::{DiskLoader, forward};
use crate::printer::{Printer, print_err, print_out};
use crate::writer::{self, Wishes};

/// Drafts a schema from another tool's definitions, or from a game's plain remotes.
///
/// The draft compiles as it is. What the definitions do not say is marked `TODO(convert)` in it, and listed with what was
/// lost. Definitions of ByteNet, Packet, QuickNet and Warp are Luau code, which is run: without files or network, for 5
/// seconds at most.
#[derive(Parser)]
#[command(
    after_help = "Examples:\n  blinkblox convert zap net/game.zap\n  blinkblox convert bytenet src/shared/packets.luau\n  blinkblox convert remotes default.project.json --output net/game.blink\n  blinkblox convert zap - --output - < net/game.zap"
)]
pub struct Convert {
    /// What the definitions are of
    #[arg(value_name = "FROM", value_parser = tools())]
    tool: String,
    /// The file of definitions, or `-` for standard input; for `remotes` a project, a place, a folder or a script
    #[arg(value_name = "FILE", allow_hyphen_values = false)]
    file: String,
    #[command(flatten)]
    flags: ConvertFlags,
    /// Write no file: the draft goes to standard output, the list to standard error
    #[arg(long, overrides_with = "check")]
    check: bool,
    /// Replace what is there already
    #[arg(short, long, overrides_with = "yes")]
    yes: bool,
    #[command(flatten)]
    stdin: StdinFlag,
    #[command(flatten)]
    report: ReportFlags,
}

/// Where a draft and its wrapper are written.
#[derive(Args)]
pub struct ConvertFlags {
    /// Write the draft to PATH, or to standard output for `-` [default: beside the definitions, as .blink; `-` when they
    /// come from standard input]
    #[arg(short, long, value_name = "PATH", overrides_with = "output")]
    pub output: Option<String>,
    /// Also write to PATH the wrapper that puts the tool's calls on a generated module
    #[arg(long, value_name = "PATH", overrides_with = "bridge")]
    pub bridge: Option<String>,
}

/// Names of the tools, as an argument takes them.
pub fn tools() -> PossibleValuesParser {
    PossibleValuesParser::new(Tool::ALL.map(Tool::name))
}

/// How definitions are converted.
pub struct Settings {
    /// Name of the tool.
    pub tool: String,
    /// The definitions.
    pub file: String,
    /// Whether nothing is written.
    pub check: bool,
    /// Whether what is there may be replaced.
    pub yes: bool,
    /// Where definitions from standard input are taken to stand.
    pub stdin: StdinFlag,
}

impl Convert {
    /// Converts and writes.
    pub fn run(self) -> ExitCode {
        let settings = Settings {
            tool: self.tool,
            file: self.file,
            check: self.check,
            yes: self.yes,
            stdin: self.stdin,
        };
        run(&settings, &self.flags, &self.report)
    }
}

/// Converts definitions.
pub fn run(settings: &Settings, flags: &ConvertFlags, report: &ReportFlags) -> ExitCode {
    let printer = match settings.stdin.needs_stdin(&[&settings.file]).and_then(|()| report.printer()) {
        Ok(printer) => printer,
        Err(diagnostic) => return usage::refuse(*diagnostic, report.format()),
    };
    let mut outcome = json::Report { profile: "release", ..json::Report::default() };
    outcome.success = match converted(settings, flags, &printer, &mut outcome) {
        Ok(()) => true,
        Err(refusal) => {
            let Refusal { diagnostic, sources, .. } = *refusal;
            printer.diagnostics(std::slice::from_ref(&diagnostic), &sources);
            outcome.diagnostics = printer.values(std::slice::from_ref(&diagnostic), &sources);
            false
        }
    };
    printer.document(&outcome);
    if outcome.success { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn converted(
    settings: &Settings,
    flags: &ConvertFlags,
    printer: &Printer,
    outcome: &mut json::Report,
) -> Result<(), Box<Refusal>> {
    let refuse = |diagnostic| Box::new(Refusal { diagnostic, sources: Sources::default(), draft: None });
    let Some(tool) = Tool::from_name(&settings.tool) else {
        return Err(refuse(usage::error(format!("there is no tool `{}` to convert from", settings.tool))));
    };
    let Definitions { loader, path } = definitions(tool, settings).map_err(refuse)?;
    let target = |path: &String| normalize(&forward(path.as_ref()));
    let wrapper = match &flags.bridge {
        Some(bridge) if bridge == STREAM => {
            return Err(refuse(
                usage::error("--bridge cannot be `-`: standard output is for a draft").note("Name a file."),
            ));
        }
        Some(bridge) => Some((target(bridge), wrapper(tool).map_err(refuse)?)),
        None => None,
    };
    // `None` for standard output, where a draft goes whose definitions came from standard input.
    let draft_path = match &flags.output {
        Some(output) if output == STREAM => None,
        Some(output) => Some(target(output)),
        None if settings.file == STREAM => None,
        None => Some(tool.draft_path(&path)),
    };
    distinct(settings, &path, draft_path.as_deref(), wrapper.as_ref().map(|(path, _)| path.as_str()))
        .map_err(refuse)?;
    if !settings.check && !settings.yes {
        let mut targets = draft_path.iter().chain(wrapper.as_ref().map(|(path, _)| path));
        if let Some(taken) = targets.find(|path| Path::new(path.as_str()).exists()) {
            return Err(refuse(exists(taken)));
        }
    }
    let Conversion { draft, report, compiles } = match convert(tool, &loader, &path, Limits::default()) {
        Ok(conversion) => conversion,
        Err(refusal) => {
            // A draft at fault is evidence.
            if let (Some(draft), Some(path), false) = (&refusal.draft, draft_path, settings.check) {
                write(&[(path, draft.clone())], settings.yes)?;
            }
            return Err(refusal);
        }
    };
    // Under --check no file is written, and the draft is shown in place of being written.
    let written = draft_path.clone().filter(|_| !settings.check);
    if !settings.check {
        let own = written.iter().map(|path| (path.clone(), draft.clone()));
        let files: Vec<_> = own.chain(wrapper.map(|(path, text)| (path, text.to_string()))).collect();
        write(&files, settings.yes)?;
    }
    let shown = draft_path.as_ref().map(|path| loader.shown(path));
    let mut list = String::new();
    match shown.as_ref().filter(|_| written.is_some()) {
        Some(shown) => list.push_str(&format!("The draft is {shown}\n")),
        None => printer.result(&draft),
    }
    if !compiles {
        list.push_str("It does not compile before what is refused below is settled\n");
    }
    list.push_str(&report.text());
    if !printer.is_quiet() && !printer.is_document() {
        if written.is_some() { print_out(&list) } else { print_err(&list) }
    }
    let document = json!({
        "tool": tool.name(),
        "draft": draft,
        "path": shown,
        "written": written.is_some(),
        "compiles": compiles,
        "todos": report.json(),
    });
    outcome.extra.push(("convert", document));
    Ok(())
}

/// What is written for standard input and standard output.
const STREAM: &str = "-";

/// Definitions that are there.
struct Definitions {
    loader: Rc<dyn SourceLoader>,
    path: String,
}

/// The definitions a run is about: a file, or what standard input holds.
fn definitions(tool: Tool, settings: &Settings) -> Result<Definitions, Diagnostic> {
    if settings.file != STREAM {
        let path = normalize(&forward(settings.file.as_ref()));
        // The working directory is a folder as any other.
        let path = if path.is_empty() { ".".to_string() } else { path };
        return match no_definitions(tool, &path) {
            Some(diagnostic) => Err(diagnostic),
            None => Ok(Definitions { loader: Rc::new(DiskLoader::new()), path }),
        };
    }
    if tool == Tool::Remotes {
        return Err(usage::error("plain remotes are read from a game, not from standard input")
            .note("Name a project, a place, a folder or a script: `blinkblox convert remotes default.project.json`."));
    }
    let usual = match tool {
        Tool::Zap => "stdin.zap",
        Tool::Blink => entry::STDIN,
        Tool::ByteNet | Tool::Packet | Tool::QuickNet | Tool::Warp | Tool::Remotes => "stdin.luau",
    };
    let entry = entry::open_stdin_at(settings.stdin.stdin_path.as_deref().unwrap_or(usual))
        .map_err(|fault| *fault)?;
    Ok(Definitions { loader: Rc::from(entry.loader), path: entry.path })
}

fn write(files: &[(String, String)], yes: bool) -> Result<(), Box<Refusal>> {
    writer::write(files, Wishes { asks: !yes, replaces_foreign: true }).map(drop).map_err(|diagnostic| {
        Box::new(Refusal { diagnostic: *diagnostic, sources: Sources::default(), draft: None })
    })
}

fn wrapper(tool: Tool) -> Result<&'static str, Diagnostic> {
    bridge::source(tool).ok_or_else(|| {
        usage::error("--bridge has nothing to write for blink").note("Blink's calls are the module's own.")
    })
}

/// Why nothing at a path can be definitions, if so: `E4008`.
fn no_definitions(tool: Tool, path: &str) -> Option<Diagnostic> {
    let title = tool.title();
    let (what, note) = match std::fs::metadata(path) {
        Ok(there) if there.is_dir() && tool != Tool::Remotes => {
            ("is a folder".to_string(), Some(format!("Name the file of {title} definitions in it.")))
        }
        Ok(there) if !there.is_dir() && !there.is_file() => ("is no regular file".to_string(), None),
        Ok(_) => return None,
        Err(error) if std::fs::symlink_metadata(path).is_ok() => {
            let note = "It is a link: look at where it leads.".to_string();
            (format!("cannot be read: {}", blinkblox_emulator::shared::in_words(&error)), Some(note))
        }
        Err(_) => ("cannot be read: there is no such file".to_string(), None),
    };
    let headline = format!("\"{path}\" {what}");
    Some(Diagnostic::error(Code::ConvertRefused, headline).about_file(path).opt_note(note))
}

/// Definitions, draft and wrapper are three files: not even `--yes` lets one be written over another.
fn distinct(
    settings: &Settings,
    definitions: &str,
    draft: Option<&str>,
    wrapper: Option<&str>,
) -> Result<(), Diagnostic> {
    let same = |a: &str, b: &str| {
        a == b
            || matches!((Path::new(a).canonicalize(), Path::new(b).canonicalize()), (Ok(a), Ok(b)) if a == b)
    };
    // A file whose text an editor sends through standard input is its definitions all the same, unless it is not there.
    let is_there = settings.file != STREAM || Path::new(definitions).exists();
    if draft.is_some_and(|draft| is_there && same(draft, definitions)) {
        return Err(usage::error(format!("the draft would replace the definitions, \"{definitions}\""))
            .note("Nothing was written. Choose another path with `--output`."));
    }
    match wrapper {
        Some(wrapper) if is_there && same(wrapper, definitions) => {
            Err(usage::error(format!("the wrapper would replace the definitions, \"{definitions}\""))
                .note("Nothing was written. Choose another path with `--bridge`."))
        }
        Some(wrapper) if draft.is_some_and(|draft| same(wrapper, draft)) => {
            Err(usage::error(format!("--output and --bridge both write \"{wrapper}\""))
                .note("Nothing was written. Give each a path of its own."))
        }
        _ => Ok(()),
    }
}

fn exists(path: &str) -> Diagnostic {
    Diagnostic::error(Code::ConvertDraftExists, format!("\"{path}\" is there already and is not replaced"))
        .about_file(path)
        .note("Nothing was written. Move it away, choose another path with `--output` or `--bridge`, or replace it with `--yes`.")
}
