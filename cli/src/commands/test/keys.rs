//! What a person asks of a watching run: single keys at a terminal, lines from a pipe.

use std::io::{BufRead, IsTerminal};
use std::sync::mpsc::{Receiver, Sender, channel};

use console::{Key, Term};

/// What was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ask {
    /// Run everything.
    All,
    /// Run what failed last.
    Failed,
    /// Run what this filter means from now on; everything when it is empty.
    Filter(String),
    /// Stop watching.
    Quit,
    /// Say what the keys are.
    Help,
}

/// Reads what is asked on a thread of its own.
pub(super) struct Keys {
    /// Lets the thread read on, so that it never reads while a filter is typed or after the last key.
    go_on: Sender<()>,
}

impl Keys {
    /// Starts reading. `tell` gets each request.
    pub(super) fn start(tell: impl Fn(Ask) + Send + 'static) -> Keys {
        let (go_on, wait) = channel();
        std::thread::spawn(move || {
            if std::io::stdin().is_terminal() {
                at_terminal(&tell, &wait);
            } else {
                from_pipe(&tell);
            }
        });
        Keys { go_on }
    }

    /// The last request has been dealt with.
    pub(super) fn done(&self) {
        // The thread of a pipe does not wait.
        let _ = self.go_on.send(());
    }
}

fn at_terminal(tell: &impl Fn(Ask), wait: &Receiver<()>) {
    let term = Term::stderr();
    while let Ok(key) = term.read_key() {
        let ask = match key {
            Key::Char('a') | Key::Enter => Ask::All,
            Key::Char('f') => Ask::Failed,
            Key::Char('q') | Key::Escape | Key::CtrlC => Ask::Quit,
            Key::Char('p') => {
                let _ = term.write_str("filter (empty for none): ");
                match term.read_line() {
                    Ok(text) => Ask::Filter(text.trim().to_string()),
                    Err(_) => return,
                }
            }
            Key::Char(_) => Ask::Help,
            _ => continue,
        };
        tell(ask);
        if wait.recv().is_err() {
            return;
        }
    }
}

fn from_pipe(tell: &impl Fn(Ask)) {
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        tell(of_line(&line));
    }
}

fn of_line(line: &str) -> Ask {
    match line.trim().split_once(' ').unwrap_or((line.trim(), "")) {
        ("a", _) => Ask::All,
        ("f", _) => Ask::Failed,
        ("q", _) => Ask::Quit,
        ("p", text) => Ask::Filter(text.trim().to_string()),
        _ => Ask::Help,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_pipe_are_keys_with_what_follows() {
        assert_eq!(of_line("a"), Ask::All);
        assert_eq!(of_line(" q "), Ask::Quit);
        assert_eq!(of_line("p two words "), Ask::Filter("two words".into()));
        assert_eq!(of_line("p"), Ask::Filter(String::new()));
        assert_eq!(of_line("x"), Ask::Help);
    }
}
