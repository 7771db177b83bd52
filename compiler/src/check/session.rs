//! Options of sessions: `E3050` and `W3043`. Source: `replication.md`, Session.

use super::Checked;
use crate::diagnostics::{Code, Diagnostic};

/// Seconds within which each side of a session says something.
const KEEP_ALIVE: f64 = 2.0;

pub(super) fn check(checked: &Checked, sink: &mut Vec<Diagnostic>) {
    let options = &checked.schema.options;
    if !options.session {
        for name in ["SessionMaxPlayers", "SessionInactivity"] {
            if let Some(value) = checked.option(name) {
                sink.push(
                    Diagnostic::warning(Code::AnalyzeIdleSetting, format!("{name} has no effect"))
                        .primary(value, "set without a session")
                        .opt_secondary(checked.option("Session"), "turned off here")
                        .note("Add `option Session = true`, or delete this option."),
                );
            }
        }
        return;
    }
    let Some(value) = checked.option("SessionInactivity") else { return };
    if options.session_inactivity.is_some_and(|seconds| seconds <= KEEP_ALIVE) {
        sink.push(
            Diagnostic::error(Code::AnalyzeInvalidSession, "SessionInactivity would remove every player")
                .primary(value, "not longer than the time between two signs of life")
                .note("Each side of a session says something every 2 seconds. Use a time well above that, such as 20."),
        );
    }
}
