//! The commands, one file each: an argument struct whose doc comments are its help, and one `run`.
//!
//! A first argument that is no command's name is the path of a schema, or a flag of the form without a command
//! (tooling specification, 2.1).

mod build;
mod check;
pub mod compile;
mod completions;
mod convert;
mod diff;
mod direct;
mod emu;
mod emulation;
mod explain;
pub mod flags;
mod fmt;
mod init;
mod lsp;
mod own_fault;
mod plugin;
#[cfg(test)]
mod reference_tests;
mod repl;
mod run;
mod serve;
mod size;
mod test;
mod trace;
pub mod usage;
mod verify;
mod watch;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};

/// Schemas to Luau modules, and games with a network on one machine.
#[derive(Parser)]
#[command(name = "blinkblox", version = blinkblox_compiler::VERSION, disable_version_flag = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

macro_rules! commands {
    ($($name:literal: $variant:ident($arguments:ty)),* $(,)?) => {
        /// What the first argument names.
        #[derive(Subcommand)]
        enum Command {
            $(#[command(name = $name)] $variant($arguments)),*
        }

        impl Command {
            fn run(self) -> ExitCode {
                match self {
                    $(Command::$variant(command) => command.run()),*
                }
            }

            /// The command of that name.
            fn named(name: &str) -> Option<clap::Command> {
                match name {
                    $($name => Some(<$arguments>::augment_args(clap::Command::new($name))),)*
                    _ => None,
                }
            }
        }
    };
}

commands! {
    "init": Init(init::Init),
    "build": Build(build::Build),
    "check": Check(check::Check),
    "verify": Verify(verify::Verify),
    "watch": Watch(watch::Watch),
    "fmt": Fmt(fmt::Fmt),
    "size": Size(size::Size),
    "diff": Diff(diff::DiffCommand),
    "explain": Explain(explain::Explain),
    "convert": Convert(convert::Convert),
    "test": Test(test::Test),
    "run": Run(run::Run),
    "repl": Repl(repl::ReplCommand),
    "trace": Trace(trace::Trace),
    "emu": Emu(emu::Emu),
    "lsp": Lsp(lsp::Lsp),
    "serve": Serve(serve::Serve),
    "plugin": Plugin(plugin::Plugin),
    "completions": Completions(completions::Completions),
}

/// Does what the arguments ask for. `arguments` leaves the program's own name out.
pub fn run(arguments: Vec<OsString>) -> ExitCode {
    if usage::wants_help(&arguments) {
        return usage::print_help(&arguments);
    }
    if usage::wants_version(&arguments) {
        return usage::print_version();
    }
    own_fault::name_it(&arguments);
    if let Some(command) = usage::command(&arguments) {
        // All commands take longer to make than a small schema to compile: it is that one only.
        let program = clap::Command::new("blinkblox").subcommand_required(true).subcommand(command);
        return match parse::<Cli>(program, &arguments) {
            Ok(cli) if emulation::is_one(&arguments) => cli.command.run(),
            Ok(cli) => unless_values_are_amiss(&arguments, || cli.command.run()),
            // Commands of the emulator tell wrong arguments apart from failed runs (emulator requirements, 3.3).
            Err(error) if emulation::is_one(&arguments) => {
                usage::fail(&error, &arguments);
                ExitCode::from(emulation::USAGE)
            }
            Err(error) => usage::fail(&error, &arguments),
        };
    }
    match parse::<direct::Direct>(direct::Direct::command(), &arguments) {
        Ok(direct) => unless_values_are_amiss(&arguments, || direct.run()),
        Err(error) => usage::fail(&error, &arguments),
    }
}

/// Reads arguments. The value of a flag that takes one is the next argument, whatever it looks like.
fn parse<T: FromArgMatches>(command: clap::Command, arguments: &[OsString]) -> Result<T, clap::Error> {
    let mut command = taking_any_value(command);
    let program = std::iter::once(OsString::from("blinkblox"));
    let mut matches = command.try_get_matches_from_mut(program.chain(arguments.iter().cloned()))?;
    T::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
}

fn taking_any_value(command: clap::Command) -> clap::Command {
    command
        .mut_args(|argument| {
            let one = argument.get_num_args().is_none_or(|count| count == 1.into());
            let is_valued = argument.get_long().is_some() && argument.get_action().takes_values() && one;
            if is_valued { argument.allow_hyphen_values(true) } else { argument }
        })
        .mut_subcommands(taking_any_value)
}

/// Runs a command, unless one of its flags is given two values or an argument is empty.
fn unless_values_are_amiss(arguments: &[OsString], run: impl FnOnce() -> ExitCode) -> ExitCode {
    match usage::two_values(arguments).or_else(|| usage::empty_value(arguments)) {
        Some(diagnostic) => usage::refuse(diagnostic, usage::form(arguments)),
        None => run(),
    }
}
