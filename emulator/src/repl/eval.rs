//! Luau on the current side: a bare expression shows its values with their types.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use super::{Place, Repl, Reply};
use crate::membrane::copy;
use crate::peer::Peer;
use crate::scheduler::drain;
use crate::shared::Side;
use crate::value::Value;
use crate::vm::{Failure, Handle, ThreadEnd};

/// Most virtual seconds an input may wait before the prompt returns and leaves it running.
pub(super) const PATIENCE: f64 = 5.0;

/// How an input ended.
pub(super) struct Ended {
    /// Values it gave, copied; `None` while it still waits.
    pub(super) values: Option<Result<Vec<Value>, String>>,
    /// Frames that ran while it waited.
    pub(super) frames: u64,
}

impl Repl {
    /// Runs the pending input, or says that it goes on.
    pub(super) fn evaluate(&mut self) -> Reply {
        let source = self.pending.clone();
        let side = match self.place {
            Place::Director => return self.evaluate_outside(&source),
            Place::Side(side) => side,
        };
        let compiled = self.compile_on(side, &source);
        match compiled {
            Ok((function, text)) => {
                self.pending.clear();
                let ended = self.run_on(side, &function);
                self.note_input(side, &source, &text, &ended);
                self.answer(side, ended)
            }
            Err(failure) if is_incomplete(&failure.text) => Reply::More,
            Err(failure) => {
                self.pending.clear();
                Reply::Problem(failure.text)
            }
        }
    }

    /// An input as a function of a side: an expression's values, or what the statements return. Gives the text that
    /// was compiled too.
    fn compile_on(&mut self, side: Side, source: &str) -> Result<(Handle, String), Failure> {
        let peer = self.world.peer(side).map_err(|error| Failure::text(error.to_string()))?;
        let session = self.session(&peer)?;
        let load = |text: String| {
            peer.load_beside(&Arc::from(text.as_str()), "input", &session).map(|function| (function, text))
        };
        let expression = source.strip_prefix('=').unwrap_or(source);
        load(format!("return {expression}")).or_else(|_| load(source.to_string()))
    }

    /// What all inputs on a side share their globals with.
    pub(super) fn session(&mut self, peer: &Peer) -> Result<Handle, Failure> {
        if let Some(session) = self.sessions.get(&peer.side) {
            return Ok(session.clone());
        }
        let session = peer.load(&Arc::from(""), "input", &[])?;
        self.sessions.insert(peer.side, session.clone());
        Ok(session)
    }

    /// A function of the current side that gives an expression's value. Errors: it is none.
    pub(super) fn watcher(&mut self, expression: &str) -> Result<Handle, String> {
        let peer = self.world.peer(self.side())?;
        let session = self.session(&peer).map_err(|failure| failure.text)?;
        peer.load_beside(&Arc::from(format!("return {expression}").as_str()), "input", &session)
            .map_err(|failure| failure.text)
    }

    /// Runs a function on a side; while it waits, the world goes on for a while.
    pub(super) fn run_on(&mut self, side: Side, function: &Handle) -> Ended {
        let failed = |text: String| Ended { values: Some(Err(text)), frames: 0 };
        let peer = match self.world.peer(side) {
            Ok(peer) => peer,
            Err(error) => return failed(error.to_string()),
        };
        let ended: Rc<RefCell<Option<ThreadEnd>>> = Rc::default();
        let filled = ended.clone();
        let owner = peer.new_owner(None, "input");
        let started =
            peer.spawn_then(function, owner, &[], Box::new(move |_, end| *filled.borrow_mut() = Some(end)));
        if let Err(failure) = started {
            return failed(failure.report());
        }
        drain(&peer);
        let until = self.world.now().seconds() + PATIENCE;
        let mut frames = 0;
        while ended.borrow().is_none() && self.world.now().seconds() < until && !self.interrupt.is_set() {
            self.extend_deadline();
            if let Err(text) = self.step_frame() {
                return Ended { values: Some(Err(text)), frames };
            }
            frames += 1;
        }
        let end = ended.borrow_mut().take();
        let values = end.map(|end| match end {
            Ok(values) => peer.vm.enter(|cx| copy::for_show(cx, &values)).map_err(|failure| failure.text),
            Err(failure) => Err(failure.text),
        });
        Ended { values, frames }
    }

    fn answer(&mut self, side: Side, ended: Ended) -> Reply {
        match ended.values {
            Some(Ok(values)) => {
                let shown = match self.world.peer(side) {
                    Ok(peer) => values.iter().map(|value| show(&peer, value)).collect::<Vec<_>>().join("\n"),
                    // The input made its own side leave.
                    Err(_) => String::new(),
                };
                self.with_output(shown)
            }
            Some(Err(text)) => {
                let output = self.new_output();
                Reply::Problem(format!("{output}{text}"))
            }
            None => self.with_output(format!("(still running after {PATIENCE} virtual seconds)")),
        }
    }
}

/// What a thread returned, as people read it: tables by what is in them.
pub fn shown(peer: &Peer, values: &[Value]) -> Vec<String> {
    let copied = peer.vm.enter(|cx| copy::for_show(cx, values));
    // What nests too deeply to be copied is named.
    copied.unwrap_or_else(|_| values.to_vec()).iter().map(|value| printed(peer, value)).collect()
}

fn printed(peer: &Peer, value: &Value) -> String {
    match value {
        Value::Table(_) => text_of(peer, value, 0),
        // As `print` writes it, without quotes.
        other => peer.vm.display(other),
    }
}

/// Entries of a table that are shown.
const MOST_ENTRIES: usize = 50;

/// A value with its type.
pub(super) fn show(peer: &Peer, value: &Value) -> String {
    match value {
        Value::Nil => "nil".to_string(),
        Value::Table(_) => text_of(peer, value, 0),
        other => format!("{} : {}", text_of(peer, other, 0), other.type_name()),
    }
}

/// A value as Luau would write it; instances by full name.
pub(super) fn text_of(peer: &Peer, value: &Value, depth: usize) -> String {
    match value {
        Value::String(bytes) => format!("{:?}", String::from_utf8_lossy(bytes)),
        Value::Instance(id) => peer.full_name(*id),
        Value::Reference(_) if depth > 0 => "<cycle>".to_string(),
        Value::Table(_) if depth > 4 => "{...}".to_string(),
        Value::Table(table) => {
            let array = table.array.iter().map(|value| text_of(peer, value, depth + 1));
            let pairs = table.pairs.iter().map(|(key, value)| {
                let key = match key {
                    Value::String(bytes) => String::from_utf8_lossy(bytes).into_owned(),
                    other => format!("[{}]", text_of(peer, other, depth + 1)),
                };
                format!("{key} = {}", text_of(peer, value, depth + 1))
            });
            let mut parts: Vec<String> = array.chain(pairs).take(MOST_ENTRIES).collect();
            if table.array.len() + table.pairs.len() > MOST_ENTRIES {
                parts.push("...".to_string());
            }
            if parts.is_empty() { "{}".to_string() } else { format!("{{ {} }}", parts.join(", ")) }
        }
        other => peer.vm.display(other),
    }
}

/// Whether a syntax error only says that the text ends too early.
pub(super) fn is_incomplete(text: &str) -> bool {
    text.contains("got <eof>") || text.contains("near <eof>")
}
