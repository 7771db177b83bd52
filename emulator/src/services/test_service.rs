//! `TestService`: what reporters of test libraries print through. Engine page: classes/TestService, checked August 2026.

use crate::datamodel::instance::{text, this};
use crate::datamodel::members::{Member, method};
use crate::shared::LogLevel;
use crate::vm::{Cx, Outcome, Returns};

/// Members of the class.
pub const MEMBERS: &[Member] = &[
    method(
        "TestService",
        "Check(condition: boolean, description: string, source: Instance?, line: number?)",
        check,
    ),
    method("TestService", "Checkpoint(text: string, source: Instance?, line: number?)", message),
    method("TestService", "Done()", done),
    method("TestService", "Error(description: string, source: Instance?, line: number?)", error),
    method("TestService", "Fail(description: string, source: Instance?, line: number?)", fail),
    method("TestService", "Message(text: string, source: Instance?, line: number?)", message),
    method(
        "TestService",
        "Require(condition: boolean, description: string, source: Instance?, line: number?)",
        require,
    ),
    method(
        "TestService",
        "Warn(condition: boolean, description: string, source: Instance?, line: number?)",
        warn,
    ),
];

fn say(cx: &Cx<'_>, level: LogLevel, argument: i32) -> Result<(), crate::vm::Raise> {
    this(cx)?;
    let said = text(cx, argument)?;
    cx.peer().write(level, format!("TestService: {said}"), None);
    Ok(())
}

fn message(cx: &mut Cx<'_>) -> Outcome {
    say(cx, LogLevel::Info, 1)?;
    Ok(Returns::NONE)
}

fn error(cx: &mut Cx<'_>) -> Outcome {
    say(cx, LogLevel::Error, 1)?;
    Ok(Returns::NONE)
}

/// Warns of a condition that does not hold.
fn warn(cx: &mut Cx<'_>) -> Outcome {
    if !cx.truthy(1) {
        say(cx, LogLevel::Warning, 2)?;
    }
    Ok(Returns::NONE)
}

/// Reports a condition that does not hold, and goes on.
fn check(cx: &mut Cx<'_>) -> Outcome {
    if !cx.truthy(1) {
        say(cx, LogLevel::Error, 2)?;
    }
    Ok(Returns::NONE)
}

/// Raises if a condition does not hold.
fn require(cx: &mut Cx<'_>) -> Outcome {
    if !cx.truthy(1) {
        this(cx)?;
        return Err(text(cx, 2)?.into());
    }
    Ok(Returns::NONE)
}

fn fail(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    Err(text(cx, 1)?.into())
}

fn done(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    Ok(Returns::NONE)
}
