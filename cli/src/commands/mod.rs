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

use clap::{Parser, Subcommand};

/// Schemas to Luau modules, and games with a network on one machine.
#[derive(Parser)]
#[command(name = "blinkblox", version = blinkblox_compiler::VERSION, disable_version_flag = true)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// What the first argument names.
#[derive(Subcommand)]
enum Command {
    Init(init::Init),
    Build(build::Build),
    Check(check::Check),
    Verify(verify::Verify),
    Watch(watch::Watch),
    Fmt(fmt::Fmt),
    Size(size::Size),
    Diff(diff::DiffCommand),
    Explain(explain::Explain),
    Convert(convert::Convert),
    Test(test::Test),
    Run(run::Run),
    Repl(repl::ReplCommand),
    Trace(trace::Trace),
    Emu(emu::Emu),
    Lsp(lsp::Lsp),
    Serve(serve::Serve),
    Plugin(plugin::Plugin),
    Completions(completions::Completions),
}

impl Command {
    fn run(self) -> ExitCode {
        match self {
            Command::Init(command) => command.run(),
            Command::Build(command) => command.run(),
            Command::Check(command) => command.run(),
            Command::Verify(command) => command.run(),
            Command::Watch(command) => command.run(),
            Command::Fmt(command) => command.run(),
            Command::Size(command) => command.run(),
            Command::Diff(command) => command.run(),
            Command::Explain(command) => command.run(),
            Command::Convert(command) => command.run(),
            Command::Test(command) => command.run(),
            Command::Run(command) => command.run(),
            Command::Repl(command) => command.run(),
            Command::Trace(command) => command.run(),
            Command::Emu(command) => command.run(),
            Command::Lsp(command) => command.run(),
            Command::Serve(command) => command.run(),
            Command::Plugin(command) => command.run(),
            Command::Completions(command) => command.run(),
        }
    }
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
    let program = std::iter::once(OsString::from("blinkblox"));
    if usage::is_command(&arguments) {
        return match parse::<Cli>(program.chain(arguments.iter().cloned())) {
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
    match parse::<direct::Direct>(program.chain(arguments.iter().cloned())) {
        Ok(direct) => unless_values_are_amiss(&arguments, || direct.run()),
        Err(error) => usage::fail(&error, &arguments),
    }
}

/// Reads arguments. The value of a flag that takes one is the next argument, whatever it looks like.
fn parse<T: Parser>(arguments: impl Iterator<Item = OsString>) -> Result<T, clap::Error> {
    let mut command = taking_any_value(T::command());
    let mut matches = command.try_get_matches_from_mut(arguments)?;
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
