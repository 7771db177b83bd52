//! `blinkblox repl`: a prompt on a live world. Lines come from the terminal, from `--eval` or from standard input.

mod history;
mod terminal;

use std::io::{BufRead, IsTerminal};
use std::process::ExitCode;

use blinkblox_emulator::repl::{Repl, Reply};
use clap::Args;

use super::emulation::{Fault, WorldFlags, fault};
use crate::printer::{print_err, print_out, say_err};

const EXAMPLES: &str = "\
Examples:
  blinkblox repl                 the project of the working directory, with one client
  blinkblox repl game --clients 3 --net wifi
                                 three clients on a network like at home
  blinkblox repl --eval '.step 60' --eval '#game.Players:GetPlayers()'
                                 two inputs, then the end
  blinkblox repl < session.txt   inputs from a file, a line each

At the prompt, .help lists the commands. Tab completes commands, paths, globals, members and
the names of required modules. Inputs are remembered a project.

Exit codes: 0 every input went well, 1 one did not, 2 wrong arguments, 3 the project could not
be loaded.";

/// Drive a project's server and clients by hand
///
/// Opens the project with its server and clients and lets time stand still. A line with a dot in front is a command;
/// everything else is Luau on the current side.
#[derive(Args, Debug)]
#[command(after_long_help = EXAMPLES)]
pub struct ReplCommand {
    #[command(flatten)]
    world: WorldFlags,
    /// Run this input and end; may be repeated
    #[arg(long, value_name = "CODE")]
    eval: Vec<String>,
}

impl ReplCommand {
    /// Runs the session.
    pub fn run(self) -> ExitCode {
        match self.execute() {
            Ok(code) => code,
            Err(problem) => fault(&problem),
        }
    }

    fn execute(self) -> Result<ExitCode, Fault> {
        let options = self.world.options("0", 1)?;
        let path = options.path.clone();
        let mut repl = Repl::open(options).map_err(Fault::load)?;
        for warning in repl.warnings() {
            say_err(&format!("warning: {warning}"));
        }
        if !self.eval.is_empty() {
            let inputs = self.eval.into_iter().map(|input| (None, Ok(input)));
            return Ok(script(&mut repl, inputs));
        }
        if std::io::stdin().is_terminal() {
            return terminal::interact(&mut repl, &path);
        }
        let lines = std::io::stdin().lock().lines().enumerate();
        Ok(script(&mut repl, lines.map(|(index, line)| (Some(index + 1), line))))
    }
}

/// Runs inputs one after the other; the first problem makes the exit code 1, and the rest still run. Lines of a file
/// have numbers, which problems name.
fn script(
    repl: &mut Repl,
    lines: impl Iterator<Item = (Option<usize>, std::io::Result<String>)>,
) -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    let mut began = None;
    let mut count = 0;
    let mut complain = |number: Option<usize>, text: &str| {
        let place = number.map_or(String::new(), |number| format!("line {number}: "));
        print_err(&format!("{place}{text}\n"));
        code = ExitCode::FAILURE;
    };
    for (number, line) in lines {
        let line = match line {
            Ok(line) => line,
            Err(error) => {
                complain(
                    number,
                    &format!(
                        "the input cannot be read from here on: {}",
                        blinkblox_emulator::shared::in_words(&error)
                    ),
                );
                break;
            }
        };
        if !repl.is_pending() {
            (began, count) = (number, 0);
        }
        count += 1;
        match repl.line(&line) {
            Reply::Text(text) if text.is_empty() => {}
            Reply::Text(text) => print_out(&format!("{text}\n")),
            Reply::Problem(text) => complain(began, &text),
            Reply::More => {}
            Reply::Play(_) => complain(began, ".play needs a person at a terminal; use .advance"),
            Reply::Quit => return code,
        }
    }
    if repl.is_pending() {
        let lines = if count == 1 { "its line was".to_string() } else { format!("its {count} lines were") };
        complain(
            began,
            &format!(
                "the input that begins here is in the middle of a statement at the end; {lines} not run"
            ),
        );
    }
    code
}
