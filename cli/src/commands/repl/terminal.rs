//! The prompt at a terminal: editing, completion, history, time that runs until a key is pressed.

use std::cell::RefCell;
use std::path::Path;
use std::process::ExitCode;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use blinkblox_emulator::repl::{Repl, Reply};
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, Editor, Helper};

use super::history;
use crate::commands::emulation::Fault;
use crate::printer::{print_err, print_out};

/// Inputs that are remembered.
const REMEMBERED: usize = 2000;

/// Completes from the session.
struct Completion<'a>(Rc<RefCell<&'a mut Repl>>);

impl Completer for Completion<'_> {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        cursor: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let completion = self.0.borrow_mut().complete(line, cursor);
        Ok((completion.start, completion.candidates))
    }
}

impl Hinter for Completion<'_> {
    type Hint = String;
}
impl Highlighter for Completion<'_> {}
impl Validator for Completion<'_> {}
impl Helper for Completion<'_> {}

/// Reads inputs until the person leaves. Errors: the terminal cannot be used.
pub(super) fn interact(repl: &mut Repl, project: &Path) -> Result<ExitCode, Fault> {
    let config = Config::builder()
        .completion_type(CompletionType::List)
        .max_history_size(REMEMBERED)
        .and_then(|config| config.history_ignore_dups(true))
        .map_err(|error| Fault::usage(format!("the terminal cannot be used: {error}")))?
        .build();
    let mut editor: Editor<Completion, FileHistory> = Editor::with_config(config)
        .map_err(|error| Fault::usage(format!("the terminal cannot be used: {error}")))?;
    let interrupt = repl.interrupt();
    // Without it Ctrl-C ends the program in the middle of a run, as it does elsewhere.
    let _ = ctrlc::set_handler(move || interrupt.stop());
    let repl = Rc::new(RefCell::new(repl));
    editor.set_helper(Some(Completion(repl.clone())));
    let remembered = history::file(project);
    if let Some(file) = &remembered {
        // There is none before the first session.
        let _ = editor.load_history(file);
    }
    print_out("Luau runs on the current side; .help lists commands, .quit ends.\n");
    let outcome = converse(&repl, &mut editor);
    if let Some(file) = &remembered {
        // History is a convenience; a folder that cannot be written is no reason to fail.
        let _ = file.parent().map(std::fs::create_dir_all);
        let _ = editor.save_history(file);
    }
    outcome
}

fn converse(
    repl: &Rc<RefCell<&mut Repl>>,
    editor: &mut Editor<Completion<'_>, FileHistory>,
) -> Result<ExitCode, Fault> {
    let mut input = String::new();
    loop {
        let prompt = repl.borrow().prompt();
        match editor.readline(&prompt) {
            Ok(line) => {
                if !input.is_empty() {
                    input.push('\n');
                }
                input.push_str(&line);
                let reply = repl.borrow_mut().line(&line);
                if !repl.borrow().is_pending() {
                    // An input over lines is remembered as one.
                    let _ = editor.add_history_entry(std::mem::take(&mut input));
                }
                match reply {
                    Reply::Text(text) if text.is_empty() => {}
                    Reply::Text(text) => print_out(&format!("{text}\n")),
                    Reply::Problem(text) => print_err(&format!("{text}\n")),
                    Reply::More => {}
                    Reply::Play(speed) => play(&mut repl.borrow_mut(), speed),
                    Reply::Quit => return Ok(ExitCode::SUCCESS),
                }
            }
            Err(ReadlineError::Interrupted) => {
                input.clear();
                repl.borrow_mut().cancel();
            }
            Err(ReadlineError::Eof) => return Ok(ExitCode::SUCCESS),
            Err(error) => return Err(Fault::usage(format!("the terminal cannot be read: {error}"))),
        }
    }
}

/// Runs time at `speed` until a key is pressed or something stops it.
fn play(repl: &mut Repl, speed: f64) {
    print_out("time runs; any key stops it\n");
    let pressed = Arc::new(AtomicBool::new(false));
    let told = pressed.clone();
    let keys = std::thread::spawn(move || {
        // A terminal without keys cannot stop time, so time does not run there.
        let _ = console::Term::stderr().read_key();
        told.store(true, Ordering::SeqCst);
    });
    let began = Instant::now();
    let mut passed = 0.0;
    while !pressed.load(Ordering::SeqCst) {
        match repl.play_frame() {
            Ok((seconds, text)) => {
                print_out(&text);
                passed += seconds;
            }
            Err(text) => {
                print_out(&format!("{text}\npress a key to go on\n"));
                break;
            }
        }
        let due = began + Duration::from_secs_f64(passed / speed);
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
    }
    let _ = keys.join();
}
