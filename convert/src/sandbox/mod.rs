//! Runs definitions that are Luau, in a VM without files, network or clock, against a stand-in of their library.
//!
//! `core.luau` is what every tool's definitions run in, `<tool>.luau` the stand-in, and [`run`] gives what they recorded
//! as flat lists. Source: tooling specification, 8.3.

mod captured;
mod modules;

use std::rc::Rc;
use std::time::{Duration, Instant};

use blinkblox_compiler::diagnostics::{Code, Diagnostic};
use blinkblox_compiler::source::{FileId, SourceLoader, Sources};
use blinkblox_emulator::value::Value;
use blinkblox_emulator::vm::{self, Deadline, Failure, Handle, Vm, VmOptions};

pub(crate) use captured::{Captured, Node, Record};
use modules::Modules;

use crate::report::Place;
use crate::{Refusal, Tool, line_span, read_text, refused};

/// How far definitions may go.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Wall clock time of the whole run.
    pub time: Duration,
    /// Memory of the VM, in bytes.
    pub memory: usize,
    /// Calls into the stand-in, one inside the other, and modules that require each other.
    pub depth: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { time: Duration::from_secs(5), memory: 256 << 20, depth: 200 }
    }
}

/// Definitions that ran.
pub(crate) struct Ran {
    pub(crate) captured: Captured,
    /// The modules that were run, the definitions first: chunk `n` is file `n - 1`.
    pub(crate) sources: Sources,
}

impl Ran {
    /// A place for people.
    pub(crate) fn place(&self, (chunk, line): (usize, usize)) -> Option<Place> {
        let file = self.sources.files().get(chunk.checked_sub(1)?)?;
        Some(Place { file: file.shown.clone(), line })
    }

    /// The refusal of what stands on a line.
    pub(crate) fn refuse(self, at: (usize, usize), headline: impl Into<String>) -> Box<Refusal> {
        let span = line_span(&self.sources, file_of(at.0), at.1);
        Refusal::new(refused(headline, span, "declared here"), self.sources)
    }
}

/// Runs the definitions at `path`.
pub(crate) fn run(
    tool: Tool,
    loader: &Rc<dyn SourceLoader>,
    path: &str,
    limits: Limits,
) -> Result<Ran, Box<Refusal>> {
    let text = read_text(loader.as_ref(), path)?;
    let modules = Rc::new(Modules::new(loader.clone(), path, text.clone()));
    let code = vm::compile(&text, "#1").map_err(|error| {
        let sources = modules.sources();
        let span = line_span(&sources, FileId(0), error.line as usize);
        Refusal::new(refused("the definitions are no Luau", span, error.message), sources)
    })?;
    let deadline = Deadline::new();
    let options = VmOptions {
        memory_limit: limits.memory,
        // What is recorded of a value is larger than the value.
        host_memory_limit: limits.memory.saturating_mul(4),
        deadline: deadline.clone(),
        ..VmOptions::default()
    };
    let vm = Rc::new(Vm::new(options).map_err(|failure| internal(&failure))?);
    let (enter, finish) = prepare(&vm, tool, &modules, limits.depth).map_err(|failure| internal(&failure))?;
    let main = vm.load(&code, "#1", &[]).map_err(|failure| internal(&failure))?;
    deadline.set(Instant::now().checked_add(limits.time));
    let ended = vm.call(&enter, &[Value::Number(1.0), Value::Function(main)]);
    let told = if ended.is_ok() && !deadline.is_expired() { vm.call(&finish, &[]) } else { Ok(vec![]) };
    let late = deadline.is_expired();
    deadline.set(None);
    let sources = modules.sources();
    if late {
        let headline = format!("the definitions ran for more than {}", seconds(limits.time));
        return Err(over_limit(headline, &sources));
    }
    let failure = |failure: Failure| failed(&failure.report(), limits, &sources, (1, 1));
    let outcome = ended.map_err(failure)?.into_iter().next().unwrap_or(Value::Nil);
    let values = told.map_err(failure)?;
    let captured = Captured::of(values.first().unwrap_or(&Value::Nil));
    // What else went wrong may come of them.
    if let Some(diagnostic) = not_known(tool, &captured.unknowns, &sources) {
        return Err(Refusal::new(diagnostic, sources));
    }
    if let Some((at, message)) = &captured.fault {
        let span = line_span(&sources, file_of(at.0), at.1);
        let version = format!("This converter reads {}.", tool.source());
        return Err(Refusal::new(refused(message.clone(), span, "asked for here").note(version), sources));
    }
    let outcome = Record::of(&outcome);
    if outcome.flag("failed") {
        let mut refusal = failed(&outcome.text("message"), limits, &sources, outcome.at());
        let asked: Vec<String> =
            captured.requires.iter().map(|one| format!("\"{}\"", one.text("asked"))).collect();
        if !asked.is_empty() {
            let note = format!(
                "Modules that are not beside the definitions are placeholders: {}.",
                asked.join(", ")
            );
            refusal.diagnostic.notes.push(note);
        }
        return Err(refusal);
    }
    Ok(Ran { captured, sources })
}

/// Most places shown of names that are not known.
const MOST_PLACES: usize = 12;

/// `E4008` for names of the library that the converter does not know: all of them, each where it is asked for first.
fn not_known(tool: Tool, unknowns: &[Record], sources: &Sources) -> Option<Diagnostic> {
    let span = |one: &Record| line_span(sources, file_of(one.at().0), one.at().1);
    let names: Vec<String> = unknowns.iter().map(|one| format!("\"{}\"", one.text("name"))).collect();
    let first = unknowns.first()?;
    let names = match names.as_slice() {
        [one] => one.clone(),
        [all @ .., last] => format!("{} and no {last}", all.join(", no ")),
        [] => return None,
    };
    let headline = format!("{} has no {names} that the converter knows", first.text("what"));
    let mut diagnostic = refused(headline, span(first), "asked for here");
    let mut seen = vec![span(first)];
    for one in unknowns.iter().take(MOST_PLACES) {
        let span = span(one);
        if !seen.contains(&span) {
            seen.push(span);
            diagnostic = diagnostic.secondary(span, format!("\"{}\" is asked for here", one.text("name")));
        }
    }
    Some(diagnostic.note(format!(
        "This converter reads {}. Take out of a copy what another version has, convert that, and write the rest by hand.",
        tool.source()
    )))
}

fn file_of(chunk: usize) -> FileId {
    FileId(u32::try_from(chunk.saturating_sub(1)).unwrap_or(0))
}

fn seconds(time: Duration) -> String {
    match time.as_secs() {
        0 => format!("{} milliseconds", time.as_millis()),
        1 => "1 second".to_string(),
        seconds => format!("{seconds} seconds"),
    }
}

/// Loads the core and the stand-in, and gives what runs a module and what tells the record.
fn prepare(vm: &Rc<Vm>, tool: Tool, modules: &Rc<Modules>, depth: u32) -> Result<(Handle, Handle), Failure> {
    let text = |error: vm::CompileError| Failure::text(error.to_string());
    modules::silence(vm)?;
    vm.seal(&[])?;
    let given = [modules::native(vm, modules)?, Value::string(tool.name()), Value::Number(f64::from(depth))];
    let core = vm::compile(include_str!("core.luau"), "core").map_err(text)?;
    let core = vm.load(&core, "core", &[])?;
    let core = shallow(vm, &core, &given)?;
    let stand_in = match tool {
        Tool::ByteNet => include_str!("bytenet.luau"),
        Tool::Packet => include_str!("packet.luau"),
        Tool::QuickNet => include_str!("quicknet.luau"),
        Tool::Warp => include_str!("warp.luau"),
        Tool::Zap | Tool::Blink | Tool::Remotes => "",
    };
    let code = vm::compile(stand_in, tool.name()).map_err(text)?;
    let code = vm.load(&code, tool.name(), &[])?;
    shallow(vm, &code, std::slice::from_ref(&core))?;
    vm.enter(|cx| {
        cx.push(&core);
        let table = cx.top();
        cx.get_field(table, "run");
        let run = cx.function(-1)?;
        cx.get_field(table, "finish");
        let finish = cx.function(-1)?;
        Ok((run, finish))
    })
}

/// Runs a function to its end and gives its first result, a table as itself.
fn shallow(vm: &Vm, function: &Handle, arguments: &[Value]) -> Result<Value, Failure> {
    let thread = vm.thread(function, 0)?;
    vm.watch(&thread);
    vm.resume(&thread, arguments);
    let (_, end) = vm.take_ended().pop().ok_or_else(|| Failure::text("the stand-in waits"))?;
    Ok(end?.into_iter().next().unwrap_or(Value::Nil))
}

/// `E4008` for an error, whose text may begin with a place such as `#1:12: `.
fn failed(message: &str, limits: Limits, sources: &Sources, at: (usize, usize)) -> Box<Refusal> {
    if message.contains("not enough memory") {
        let headline = format!("the definitions took more than {} MB of memory", limits.memory >> 20);
        return over_limit(headline, sources);
    }
    let (place, message) = located(message).unwrap_or((at, message));
    let span = line_span(sources, file_of(place.0), place.1);
    // Chunks are numbered; people know files.
    let mut message = message.to_string();
    for (number, file) in sources.files().iter().enumerate() {
        message = message.replace(&format!("#{}:", number + 1), &format!("{}:", file.shown));
    }
    Refusal::new(refused("the definitions raised an error", span, message), sources.clone())
}

/// The chunk and line a message begins with.
fn located(message: &str) -> Option<((usize, usize), &str)> {
    let (chunk, rest) = message.strip_prefix('#')?.split_once(':')?;
    let (line, rest) = rest.split_once(": ")?;
    Some(((chunk.parse().ok()?, line.parse().ok()?), rest))
}

fn over_limit(headline: String, sources: &Sources) -> Box<Refusal> {
    let shown = sources.files().first().map_or_else(String::new, |file| file.shown.clone());
    let diagnostic = Diagnostic::error(Code::ConvertRefused, headline)
        .about_file(shown)
        .note("Point the converter at a module that defines packets and does nothing else.");
    Refusal::new(diagnostic, sources.clone())
}

fn internal(failure: &Failure) -> Box<Refusal> {
    Refusal::internal(&failure.report(), None)
}

#[cfg(test)]
mod tests;
