//! The output of a peer: what scripts print and the errors nobody catches.

use std::cell::RefCell;
use std::rc::Rc;

use super::Peer;
use crate::shared::{LogLevel, LogLine};

/// Lines in order, and whoever listens to them.
#[derive(Default)]
pub struct Log {
    lines: RefCell<Vec<LogLine>>,
    listeners: RefCell<Vec<Listener>>,
}

type Listener = Rc<dyn Fn(&Rc<Peer>, &LogLine)>;

impl Log {
    /// All lines so far.
    pub fn lines(&self) -> Vec<LogLine> {
        self.lines.borrow().clone()
    }

    /// How many lines there are.
    pub fn len(&self) -> usize {
        self.lines.borrow().len()
    }

    /// Whether nothing was written yet.
    pub fn is_empty(&self) -> bool {
        self.lines.borrow().is_empty()
    }

    /// Lines from the `first`-th on, counted from 0.
    pub fn since(&self, first: usize) -> Vec<LogLine> {
        self.lines.borrow().get(first..).unwrap_or_default().to_vec()
    }

    /// Has `listener` called with each line from now on.
    pub fn listen(&self, listener: impl Fn(&Rc<Peer>, &LogLine) + 'static) {
        self.listeners.borrow_mut().push(Rc::new(listener));
    }

    pub(super) fn write(
        &self,
        peer: &Rc<Peer>,
        level: LogLevel,
        text: String,
        script: Option<String>,
        stack: Option<String>,
    ) {
        let line = LogLine { at: peer.clock.now(), side: peer.side, level, text, script, stack };
        self.lines.borrow_mut().push(line.clone());
        // A listener may write or listen itself, so no borrow is held while it runs.
        let listeners = self.listeners.borrow().clone();
        for listener in listeners {
            listener(peer, &line);
        }
    }
}
