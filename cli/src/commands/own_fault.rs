//! A fault of the program itself: one readable message in the form of the run, and no place in the source. Source: tooling
//! specification, 2.7.

use std::any::Any;
use std::ffi::OsString;

use blinkblox_compiler::VERSION;
use blinkblox_compiler::diagnostics::{Code, Diagnostic};

use super::{emulation, usage};
use crate::printer::{ColorChoice, Format, Printer};

/// Exit code of a fault of the emulator itself. Source: emulator requirements, 3.3.
const EMULATOR: i32 = 5;

/// Has a fault of the program itself end it with a message and the exit code of its command.
///
/// Studio's service says so and goes on: a request that fails is not the end of those that follow.
pub fn name_it(arguments: &[OsString]) {
    let serves = is_server(arguments, "serve");
    let form = form(arguments);
    let code = if emulation::is_one(arguments) { EMULATOR } else { 1 };
    std::panic::set_hook(Box::new(move |panic| {
        // It becomes an error about the file that is read.
        if blinkblox_emulator::project::is_guarded() {
            return;
        }
        Printer::new(form, false, ColorChoice::Auto).failure(&diagnostic(panic.payload()), "release");
        if !(serves && is_answered(std::thread::current().name())) {
            std::process::exit(code);
        }
    }));
}

/// Whether the arguments start the server of that name.
fn is_server(arguments: &[OsString], name: &str) -> bool {
    let flag = format!("--{name}");
    arguments.first().is_some_and(|first| first == name) || arguments.iter().any(|one| *one == *flag)
}

/// The form a fault is told in. What servers print is for whom they serve, so that they tell it to people.
fn form(arguments: &[OsString]) -> Format {
    let is_server = ["serve", "lsp"].iter().any(|name| is_server(arguments, name));
    if is_server { Format::Human } else { usage::form(arguments) }
}

/// Whether the service answers for what fails on a thread: it does on all but the one that listens.
fn is_answered(thread: Option<&str>) -> bool {
    thread != Some("main")
}

/// What is said of a panic.
fn diagnostic(payload: &(dyn Any + Send)) -> Diagnostic {
    let text = payload.downcast_ref::<&str>().copied();
    let what = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let what = what.and_then(|text| text.lines().next()).unwrap_or("no reason given");
    Diagnostic::error(Code::InternalFault, format!("BlinkBlox itself failed: {what}"))
        .note("This is our mistake. Please report it, with what was run.")
        .note(format!("BlinkBlox {VERSION}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_told_without_a_place_in_the_source() {
        let wrong = std::panic::catch_unwind(|| {
            let none: Option<u8> = std::hint::black_box(None);
            none.expect("a plan has a size")
        });
        let told = diagnostic(&*wrong.unwrap_err());
        assert_eq!(told.code, Code::InternalFault);
        assert_eq!(told.headline, "BlinkBlox itself failed: a plan has a size");
        assert_eq!(told.notes.last().unwrap(), &format!("BlinkBlox {VERSION}"));
        assert!(!format!("{told:?}").contains(".rs"));
        assert_eq!(diagnostic(&7_u8).headline, "BlinkBlox itself failed: no reason given");
    }

    #[test]
    fn servers_tell_people_and_only_what_is_answered_leaves_them_running() {
        let words = |line: &str| line.split(' ').map(OsString::from).collect::<Vec<_>>();
        for line in ["serve --json", "--serve --json", "lsp --error-format json", "--lsp"] {
            assert_eq!(form(&words(line)), Format::Human, "{line}");
        }
        assert_eq!(form(&words("build serve --json")), Format::Json);
        assert!(is_server(&words("serve --port 0"), "serve") && !is_server(&words("test serve"), "serve"));
        assert!(is_answered(Some("tokio-runtime-worker")) && is_answered(None) && !is_answered(Some("main")));
    }
}
