//! Luau on the current side: a bare expression shows its values with their types.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use super::{Repl, Reply};
use crate::membrane::copy::shallow_to_deep;
use crate::peer::Peer;
use crate::scheduler::drain;
use crate::value::Value;
use crate::vm::{Failure, Handle, ThreadEnd};

/// Most virtual seconds an input may wait before the prompt returns and leaves it running.
const PATIENCE: f64 = 5.0;

impl Repl {
    pub(super) fn evaluate(&mut self) -> Reply {
        let source = self.pending.clone();
        let peer = match self.world.peer(self.side) {
            Ok(peer) => peer,
            Err(error) => {
                self.pending.clear();
                return Reply::Problem(error.to_string());
            }
        };
        let session = match self.session(&peer) {
            Ok(session) => session,
            Err(failure) => {
                self.pending.clear();
                return Reply::Problem(failure.text);
            }
        };
        let load = |text: &str| peer.load_beside(&Arc::from(text), "input", &session);
        let expression = source.strip_prefix('=').unwrap_or(&source);
        let function = match load(&format!("return {expression}")).or_else(|_| load(&source)) {
            Ok(function) => function,
            Err(failure) if is_incomplete(&failure) => return Reply::More,
            Err(failure) => {
                self.pending.clear();
                return Reply::Problem(failure.text);
            }
        };
        self.pending.clear();
        self.run(&function)
    }

    /// What all inputs on the current side share their globals with.
    fn session(&mut self, peer: &Peer) -> Result<Handle, Failure> {
        if let Some(session) = self.sessions.get(&self.side) {
            return Ok(session.clone());
        }
        let session = peer.load(&Arc::from(""), "input", &[])?;
        self.sessions.insert(self.side, session.clone());
        Ok(session)
    }

    fn run(&mut self, function: &Handle) -> Reply {
        let Ok(peer) = self.world.peer(self.side) else { return Reply::Problem("this side is gone".into()) };
        let ended: Rc<RefCell<Option<ThreadEnd>>> = Rc::default();
        let filled = ended.clone();
        let owner = peer.new_owner(None, "input");
        let started =
            peer.spawn_then(function, owner, &[], Box::new(move |_, end| *filled.borrow_mut() = Some(end)));
        if let Err(failure) = started {
            return Reply::Problem(failure.report());
        }
        drain(&peer);
        let until = self.world.now().seconds() + PATIENCE;
        while ended.borrow().is_none() && self.world.now().seconds() < until {
            if let Err(error) = self.world.step(1) {
                return Reply::Problem(error.to_string());
            }
        }
        let end = ended.borrow_mut().take();
        match end {
            Some(Ok(values)) => {
                let copied = peer.vm.enter(|cx| shallow_to_deep(cx, &values));
                let shown: Vec<String> = match copied {
                    Ok(values) => values.iter().map(|value| show(&peer, value)).collect(),
                    Err(failure) => vec![failure.text],
                };
                self.with_output(shown.join("\n"))
            }
            Some(Err(failure)) => {
                let output = self.new_output();
                Reply::Problem(format!("{output}{}", failure.text))
            }
            None => self.with_output(format!("(still running after {PATIENCE} virtual seconds)")),
        }
    }
}

/// Entries of a table that are shown.
const MOST_ENTRIES: usize = 50;

/// A value with its type.
fn show(peer: &Peer, value: &Value) -> String {
    match value {
        Value::Nil => "nil".to_string(),
        Value::Table(_) => text_of(peer, value, 0),
        other => format!("{} : {}", text_of(peer, other, 0), other.type_name()),
    }
}

/// A value as Luau would write it; instances by full name.
fn text_of(peer: &Peer, value: &Value, depth: usize) -> String {
    match value {
        Value::String(bytes) => format!("{:?}", String::from_utf8_lossy(bytes)),
        Value::Instance(id) => peer.full_name(*id),
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
fn is_incomplete(failure: &Failure) -> bool {
    failure.text.contains("got <eof>") || failure.text.contains("near <eof>")
}
