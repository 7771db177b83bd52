//! Help, version and usage errors: what comes before any command. Source: tooling specification, 2.2 and 2.15.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::process::ExitCode;

use blinkblox_compiler::diagnostics::{Code, Diagnostic, suggest};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, Args, CommandFactory};

use super::{Cli, direct};
use crate::printer::{Format, Printer};

/// Flags that take a value, which is never read as a flag of its own.
const VALUED: &[&str] = &[
    "--max-errors",
    "-p",
    "--profile",
    "--color",
    "--error-format",
    "--stdin-path",
    "--indent",
    "--explain",
    "--diff",
    "--from",
    "--bridge",
    "--depfile",
    "--port",
    "--token-file",
    "-o",
    "--output",
    "--folder",
    "--deny",
    "--allow",
    "--server-output",
    "--client-output",
    "--types-output",
];

/// Flags that may have several values, each its own.
const REPEATED: &[&str] = &["--deny", "--allow"];

/// The arguments before `--` that are no flag's value.
fn flags(arguments: &[OsString]) -> impl Iterator<Item = &str> {
    let mut value = false;
    arguments.iter().filter_map(|argument| argument.to_str()).take_while(|argument| *argument != "--").filter(
        move |argument| {
            let skipped = value;
            value = !skipped && VALUED.contains(argument);
            !skipped
        },
    )
}

/// Whether a flag is given: whole, or as a letter of a cluster of short flags.
fn given(arguments: &[OsString], long: &str, short: char) -> bool {
    let mut known = None;
    flags(arguments).any(|argument| {
        argument == long
            || argument.starts_with('-') && !argument.starts_with("--") && {
                let known = known.get_or_insert_with(|| short_flags(arguments));
                cluster(argument, known).contains(&short)
            }
    })
}

/// The letters of a cluster such as `-qy`, up to one that takes what follows as its value. None of an argument that is no
/// cluster: with a letter that is no flag, it is not one.
fn cluster(argument: &str, known: &BTreeMap<char, bool>) -> Vec<char> {
    let Some(rest) = argument.strip_prefix('-').filter(|rest| !rest.starts_with('-')) else { return vec![] };
    let mut letters = Vec::new();
    for letter in rest.chars() {
        let Some(takes_value) = known.get(&letter) else { return vec![] };
        letters.push(letter);
        if *takes_value {
            break;
        }
    }
    letters
}

/// Short flags of the first argument's command, or of the form without one, each with whether it takes a value.
fn short_flags(arguments: &[OsString]) -> BTreeMap<char, bool> {
    let command = command_of(arguments);
    let own = command.get_arguments().filter_map(|argument| {
        let takes_value = argument.get_action().takes_values();
        argument.get_short().map(|letter| (letter, takes_value))
    });
    own.chain([('h', false), ('v', false)]).collect()
}

/// The command that the first argument names, else the form without one.
fn command_of(arguments: &[OsString]) -> clap::Command {
    command(arguments).unwrap_or_else(direct::Direct::command)
}

/// The command that the first argument names.
pub fn command(arguments: &[OsString]) -> Option<clap::Command> {
    arguments.first().and_then(|first| first.to_str()).and_then(super::Command::named)
}

/// The error of a flag that is given two values. The same value twice is harmless.
pub fn two_values(arguments: &[OsString]) -> Option<Diagnostic> {
    let mut given: BTreeMap<&str, &str> = BTreeMap::new();
    let mut rest = arguments.iter().map(|argument| argument.to_str().unwrap_or_default());
    while let Some(argument) = rest.next().filter(|argument| *argument != "--") {
        let cluster = argument.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
        let (flag, value) = match argument.split_once('=') {
            Some((flag, value)) if VALUED.contains(&flag) => (flag, Some(value)),
            _ if VALUED.contains(&argument) => (argument, rest.next()),
            // Of a cluster only the last letter may take a value.
            _ if cluster.is_some_and(|letters| letters.ends_with('p')) => ("-p", rest.next()),
            _ => continue,
        };
        let flag = match flag {
            "-p" => "--profile",
            "-o" => "--output",
            _ => flag,
        };
        let Some(value) = value.filter(|_| !REPEATED.contains(&flag)) else { continue };
        match given.insert(flag, value) {
            Some(other) if other != value => {
                return Some(error(format!("{flag} is given as `{other}` and as `{value}`")));
            }
            _ => {}
        }
    }
    None
}

/// The error of an argument that is empty, as of a variable that holds nothing: it names no file, and must not be taken for
/// one.
pub fn empty_value(arguments: &[OsString]) -> Option<Diagnostic> {
    let mut rest = arguments.iter().map(|argument| argument.to_str().unwrap_or("?"));
    while let Some(argument) = rest.next() {
        let (flag, value) = match argument.split_once('=') {
            Some((flag, value)) if VALUED.contains(&flag) => (Some(flag), value),
            _ if VALUED.contains(&argument) => (Some(argument), rest.next().unwrap_or("?")),
            _ => (None, argument),
        };
        if value.is_empty() {
            let headline = match flag {
                Some("-o") => "--output is given an empty value".to_string(),
                Some("-p") => "--profile is given an empty value".to_string(),
                Some(flag) => format!("{flag} is given an empty value"),
                None => "an argument is empty".to_string(),
            };
            let note = "Is it a variable that holds nothing? Name what is meant, or leave it out.";
            return Some(error(headline).note(note));
        }
    }
    None
}

/// Whether help is asked for, which wins over everything; no arguments at all ask for it.
pub fn wants_help(arguments: &[OsString]) -> bool {
    arguments.is_empty() || given(arguments, "--help", 'h') || arguments[0] == "help"
}

/// Whether the version is asked for.
pub fn wants_version(arguments: &[OsString]) -> bool {
    given(arguments, "--version", 'v')
}

/// The command that a first argument which is none was probably meant to be.
pub fn near_command(text: &str) -> Option<String> {
    let cli = Cli::command();
    let names: Vec<&str> = cli.get_subcommands().map(clap::Command::get_name).collect();
    suggest::nearest(text, names.iter().copied()).map(str::to_string)
}

/// Prints the help of the command named first, or of the whole program.
pub fn print_help(arguments: &[OsString]) -> ExitCode {
    let mut cli = Cli::command().disable_help_subcommand(true);
    let mut named =
        arguments.iter().filter_map(|argument| argument.to_str()).filter(|argument| *argument != "help");
    let command = match named.next().and_then(|named| cli.find_subcommand_mut(named)) {
        Some(command) => {
            let outer = command.get_name().to_owned();
            // `blinkblox emu doctor --help` is about the question, not about all of them.
            match named.next().and_then(|named| command.find_subcommand(named)) {
                Some(inner) => inner.clone().bin_name(format!("blinkblox {outer} {}", inner.get_name())),
                None => command.clone().bin_name(format!("blinkblox {outer}")),
            }
        }
        None => direct::DirectFlags::augment_args(cli)
            .about("Schemas to Luau modules, and games with a network on one machine.")
            .override_usage("blinkblox SCHEMA [FLAGS]\n       blinkblox COMMAND [ARGUMENTS]")
            .subcommand_help_heading("Commands, as the first argument")
            .arg(
                Arg::new("version")
                    .short('v')
                    .long("version")
                    .action(ArgAction::Version)
                    .help("Print the version"),
            ),
    };
    let help = Arg::new("help").short('h').long("help").action(ArgAction::HelpShort);
    // Of a command, `--help` tells everything, with examples; `-h` has a line or two a flag.
    let is_long = !command.has_subcommands() && !arguments.iter().any(|argument| argument == "-h");
    let text = if is_long {
        let help = help.help("Print this; -h prints less");
        command.disable_help_flag(true).arg(help).render_long_help()
    } else {
        command.disable_help_flag(true).arg(help.help("Print this")).render_help()
    };
    crate::printer::print_out(&text.to_string());
    ExitCode::SUCCESS
}

/// Prints the name and version of the program.
pub fn print_version() -> ExitCode {
    crate::printer::print_out(&format!("BlinkBlox {}\n", blinkblox_compiler::VERSION));
    ExitCode::SUCCESS
}

/// Reports arguments clap refuses, in the form the arguments ask for.
pub fn fail(error: &clap::Error, arguments: &[OsString]) -> ExitCode {
    refuse(diagnostic(error, arguments), form(arguments))
}

/// The form of diagnostics that arguments ask for, as far as they can be understood.
pub fn form(arguments: &[OsString]) -> Format {
    // Who reads documents wants one, whatever else is asked for.
    let named = Format::ALL.iter().filter(|format| format.is_document()).chain(Format::ALL).find(|format| {
        let text = format.text();
        arguments.windows(2).any(|pair| pair[0] == "--error-format" && pair[1] == text)
            || flags(arguments).any(|argument| argument.strip_prefix("--error-format=") == Some(text))
    });
    if flags(arguments).any(|argument| argument == "--json" || argument == "--json-stream") {
        Format::Json
    } else if let Some(format) = named {
        *format
    } else if given(arguments, "--compact", 'c') {
        Format::Compact
    } else {
        Format::Human
    }
}

/// Reports one usage error and gives the exit code of a failed run.
pub fn refuse(diagnostic: Diagnostic, format: Format) -> ExitCode {
    let printer = Printer::new(format, false, crate::printer::ColorChoice::Auto);
    printer.failure(&diagnostic, "release");
    ExitCode::FAILURE
}

/// A usage error that says `headline`.
pub fn error(headline: impl Into<String>) -> Diagnostic {
    Diagnostic::error(Code::UsageError, headline)
}

fn diagnostic(error: &clap::Error, arguments: &[OsString]) -> Diagnostic {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        Some(ContextValue::Strings(texts)) => Some(texts.join(", ")),
        _ => None,
    };
    let argument = text(ContextKind::InvalidArg).unwrap_or_default();
    // The name alone: what clap shows has the name of the value behind it.
    let flag = argument.split([' ', '=']).next().unwrap_or_default();
    let value = text(ContextKind::InvalidValue).unwrap_or_default();
    let values = text(ContextKind::ValidValue).filter(|values| !values.is_empty());
    match error.kind() {
        ErrorKind::UnknownArgument if argument == "--from" && arguments[0] == "convert" => {
            self::error("`convert` takes the tool as its first word, without --from")
                .note("Write `blinkblox convert zap FILE`, or `blinkblox FILE --from zap`.")
        }
        ErrorKind::UnknownArgument
            if argument.starts_with('-') && argument != "-" && !is_behind_dashes(&argument, arguments) =>
        {
            let argument = whole(&argument, arguments);
            let note = suggest::nearest(&argument, known_flags(arguments).iter().map(String::as_str))
                .map(|flag| format!("Did you mean `{flag}`?"));
            self::error(format!("there is no flag `{argument}`"))
                .opt_note(note)
                .note("A file of that name is reached with `--` in front of it, or as `./` and the name.")
        }
        ErrorKind::UnknownArgument => self::error(format!("`{argument}` is one argument too many")),
        ErrorKind::InvalidValue if value.is_empty() => empty_value(arguments).unwrap_or_else(|| {
            self::error(format!("{flag} needs a value"))
                .opt_note(values.map(|values| format!("It takes {values}.")))
        }),
        ErrorKind::InvalidValue => self::error(format!("{flag} does not take `{value}`"))
            .opt_note(values.map(|values| format!("It takes {values}."))),
        ErrorKind::ValueValidation => {
            let source = std::error::Error::source(error).map(ToString::to_string).unwrap_or_default();
            self::error(format!("{flag} does not take `{value}`")).note(wanted(&source))
        }
        ErrorKind::TooManyValues => self::error(format!("{flag} takes no value"))
            .note(format!("It is a switch: write `{flag}` alone, or leave it out.")),
        ErrorKind::MissingRequiredArgument => missing(error, arguments),
        ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let outer = arguments.first().map(|first| first.to_string_lossy()).unwrap_or_default();
            self::error(format!("`{outer}` needs a command")).note(there_are(&inner_commands(arguments)))
        }
        ErrorKind::InvalidSubcommand => {
            let given = text(ContextKind::InvalidSubcommand).unwrap_or_default();
            let known = inner_commands(arguments);
            let near = suggest::nearest(&given, known.iter().map(String::as_str));
            self::error(format!("there is no command `{given}` here"))
                .opt_note(near.map(|near| format!("Did you mean `{near}`?")))
                .opt_note((!known.is_empty()).then(|| there_are(&known)))
        }
        // Of a word behind a file or a flag clap makes a command, which it does not name.
        ErrorKind::ArgumentConflict if argument.is_empty() => {
            let command = arguments.first().map(|first| first.to_string_lossy()).unwrap_or_default();
            self::error(format!("`{command}` takes one file, or a command in front of all else"))
                .note(there_are(&inner_commands(arguments)))
        }
        ErrorKind::ArgumentConflict => {
            let others = match error.get(ContextKind::PriorArg) {
                Some(ContextValue::String(other)) => vec![other.clone()],
                Some(ContextValue::Strings(others)) => others.clone(),
                _ => vec![],
            };
            conflict(&argument, &others, arguments)
        }
        _ => {
            let rendered = error.to_string();
            let first = rendered.lines().next().unwrap_or("the arguments are wrong");
            self::error(first.trim_start_matches("error: ").trim_end_matches('.'))
        }
    }
}

/// The commands there are, in a sentence.
fn there_are(commands: &[String]) -> String {
    match commands {
        [one] => format!("There is {one}."),
        [rest @ .., last] => format!("There are {} and {last}.", rest.join(", ")),
        [] => String::new(),
    }
}

/// Whether an argument stands behind `--`, where nothing is a flag.
fn is_behind_dashes(argument: &str, arguments: &[OsString]) -> bool {
    arguments.iter().skip_while(|one| *one != "--").skip(1).any(|one| one == argument)
}

/// The argument as it was written, of which clap names one letter.
fn whole(letter: &str, arguments: &[OsString]) -> String {
    let mut written = flags(arguments).filter(|one| one.starts_with('-') && !one.starts_with("--"));
    let is_letter = letter.chars().count() == 2 && !letter.starts_with("--");
    let found = written.find(|one| is_letter && one.len() > letter.len() && one.contains(&letter[1..]));
    found.unwrap_or(letter).to_string()
}

/// What a value has to be, in a sentence, by what is wrong with the one given.
fn wanted(fault: &str) -> String {
    if let Some((low, high)) = fault.rsplit(' ').next().and_then(|range| range.split_once("..=")) {
        return format!("It takes a whole number from {low} to {high}.");
    }
    match fault {
        "invalid float literal" => "It takes a number.".to_string(),
        _ if fault.contains("digit") || fault.contains("too large") || fault.contains("too small") => {
            "It takes a whole number.".to_string()
        }
        _ => format!("{}.", fault.trim_end_matches('.')),
    }
}

/// Two flags that exclude each other. Of a group of flags clap names each that could be the other; only those given are.
fn conflict(argument: &str, others: &[String], arguments: &[OsString]) -> Diagnostic {
    let bare = |flag: &str| flag.split([' ', '=']).next().unwrap_or_default().to_string();
    let argument = bare(argument);
    let is_given = |flag: &String| {
        flags(arguments).any(|one| bare(one) == *flag) || flag == "--watch" && given(arguments, flag, 'w')
    };
    let others: Vec<String> =
        others.iter().map(|other| bare(other)).filter(|other| *other != argument).collect();
    let other = others.iter().find(|other| is_given(other)).or(others.first());
    let Some(other) = other else {
        return error(format!("{argument} is given twice")).note("Give it once.");
    };
    let pair = [argument.as_str(), other.as_str()];
    let note = if pair.contains(&"--json") && pair.iter().any(|flag| flag.starts_with("--watch")) {
        "There is no moment at which the one document could be closed. `--json-stream` prints one for every compile."
    } else {
        "Give one of the two."
    };
    error(format!("{argument} cannot be given with {other}")).note(note)
}

/// What is said of arguments that are not there.
fn missing(error: &clap::Error, arguments: &[OsString]) -> Diagnostic {
    let named = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::Strings(names)) => names.as_slice(),
        _ => &[],
    };
    if named.iter().all(|name| name.contains("SCHEMA")) {
        let command = command(arguments).map_or(String::new(), |command| format!("{} ", command.get_name()));
        return self::error("no schema is named")
            .note(format!("Give its path: `blinkblox {command}schemas/game.blink`."));
    }
    let verb = if named.len() == 1 { "is" } else { "are" };
    self::error(format!("{} {verb} missing", named.join(" and ")))
}

/// Names of the commands within the first argument's command.
fn inner_commands(arguments: &[OsString]) -> Vec<String> {
    let outer = command(arguments);
    let inner = outer.iter().flat_map(clap::Command::get_subcommands);
    inner.map(|one| one.get_name().to_string()).collect()
}

/// Every flag the first argument's command takes, or those of the form without one.
fn known_flags(arguments: &[OsString]) -> Vec<String> {
    let command = command_of(arguments);
    let mut known: Vec<String> = command
        .get_arguments()
        .filter_map(|argument| argument.get_long().map(|long| format!("--{long}")))
        .collect();
    known.extend(["--help".to_string(), "--version".to_string()]);
    known
}
