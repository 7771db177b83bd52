//! `blinkblox repl`: a prompt on a live world. Lines come from the terminal, from `--eval` or from standard input.

use std::io::{BufRead, IsTerminal};
use std::process::ExitCode;

use blinkblox_emulator::game;
use blinkblox_emulator::repl::{Repl, Reply};
use clap::Args;
use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;

use super::emulation::{Fault, WorldFlags, fault};
use crate::printer::{print_err, print_out};

/// Drive a project's server and clients by hand
#[derive(Args, Debug)]
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
        let mut repl = Repl::new(game::open(&self.world.options()?).map_err(Fault::load)?);
        if !self.eval.is_empty() {
            return Ok(script(&mut repl, self.eval.into_iter()));
        }
        if std::io::stdin().is_terminal() {
            return interact(&mut repl);
        }
        let lines = std::io::stdin().lock().lines().map_while(Result::ok);
        Ok(script(&mut repl, lines))
    }
}

/// Runs lines one after the other; the first problem makes the exit code 1, and the rest still run.
fn script(repl: &mut Repl, lines: impl Iterator<Item = String>) -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    for line in lines {
        match repl.line(&line) {
            Reply::Text(text) if text.is_empty() => {}
            Reply::Text(text) => print_out(&format!("{text}\n")),
            Reply::Problem(text) => {
                print_err(&format!("{text}\n"));
                code = ExitCode::FAILURE;
            }
            Reply::More => {}
            Reply::Quit => return code,
        }
    }
    if repl.is_pending() {
        print_err("the input ends in the middle of a statement\n");
        return ExitCode::FAILURE;
    }
    code
}

fn interact(repl: &mut Repl) -> Result<ExitCode, Fault> {
    let mut editor = DefaultEditor::new()
        .map_err(|error| Fault::usage(format!("the terminal cannot be used: {error}")))?;
    print_out("Luau runs on the current side; .help lists commands, .quit ends.\n");
    loop {
        match editor.readline(&repl.prompt()) {
            Ok(line) => {
                // History is a convenience; a full one is no reason to stop.
                let _ = editor.add_history_entry(&line);
                match repl.line(&line) {
                    Reply::Text(text) if text.is_empty() => {}
                    Reply::Text(text) => print_out(&format!("{text}\n")),
                    Reply::Problem(text) => print_err(&format!("{text}\n")),
                    Reply::More => {}
                    Reply::Quit => return Ok(ExitCode::SUCCESS),
                }
            }
            Err(ReadlineError::Interrupted) => repl.cancel(),
            Err(ReadlineError::Eof) => return Ok(ExitCode::SUCCESS),
            Err(error) => return Err(Fault::usage(format!("the terminal cannot be read: {error}"))),
        }
    }
}
