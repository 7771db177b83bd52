//! What is left of a script error once it has reached the host.

use std::ffi::{CStr, c_int};

use mlua::ffi::*;

use super::native::Raise;
use super::outside::NOT_ENOUGH;
use super::state::{Inner, protect};
use super::values;
use crate::value::Value;

/// An error that ended a thread or a protected call.
#[derive(Clone, Debug, PartialEq)]
pub struct Failure {
    /// The value that was thrown: a string for every engine and VM error.
    pub value: Value,
    /// The value as text, exactly as `pcall` would show it: engine errors carry no position.
    pub text: String,
    /// `Script.Full.Name:12: ` of the innermost Luau code, or empty when there is none.
    pub position: Box<str>,
    /// Calls from the inside out, one a line: `Script 'Full.Name', Line 12 - function f`.
    pub stack: String,
}

impl Failure {
    /// A failure with a text and no position.
    pub fn text(text: impl Into<String>) -> Failure {
        let text = text.into();
        Failure { value: Value::string(&text), text, position: "".into(), stack: String::new() }
    }

    /// Whether memory ran out.
    pub fn is_out_of_memory(&self) -> bool {
        self.text == NOT_ENOUGH
    }

    /// The text as an uncaught error is reported: with its position, once.
    pub fn report(&self) -> String {
        if self.position.is_empty() || is_located(&self.text) {
            self.text.clone()
        } else {
            format!("{}{}", self.position, self.text)
        }
    }

    /// The error on top of a dead thread, with position and stack.
    ///
    /// # Safety
    /// `l` is a live state that has just failed.
    pub(super) unsafe fn of_thread(l: *mut lua_State) -> Failure {
        // SAFETY: given; looking at a dead thread's calls neither allocates nor raises.
        unsafe {
            let mut failure = Failure::on_stack(l);
            let (position, stack) = trace(l);
            failure.position = position.into();
            failure.stack = stack;
            failure
        }
    }

    /// The error on top of a stack.
    ///
    /// # Safety
    /// `l` is a live state with a value on top.
    pub(super) unsafe fn on_stack(l: *mut lua_State) -> Failure {
        // SAFETY: given.
        unsafe {
            if lua_type(l, -1) == LUA_TSTRING {
                let bytes = values::string_at(l, -1);
                let mut failure = Failure::text(String::from_utf8_lossy(bytes));
                failure.value = Value::string(bytes);
                return failure;
            }
            let inner = Inner::of(l);
            // By way of the carrier, which has room: `l` may be the very state the call below runs on.
            let carrier = inner.carrier.get();
            lua_xpush(l, carrier, -1);
            let named = protect(inner, |cx| {
                cx.reserve(1);
                lua_xpush(carrier, cx.state(), -1);
                let value = cx.shallow(1)?;
                Ok((value, cx.display(1)))
            });
            lua_pop(carrier, 1);
            match named {
                Ok((value, text)) => Failure { value, ..Failure::text(text) },
                Err(failure) => failure,
            }
        }
    }
}

/// Whether a text begins with a position, of whatever script: an error caught and raised again keeps its own.
fn is_located(text: &str) -> bool {
    text.split_once(": ").and_then(|(head, _)| head.rsplit_once(':')).is_some_and(|(name, line)| {
        !name.is_empty()
            && !name.contains('\n')
            && !line.is_empty()
            && line.bytes().all(|byte| byte.is_ascii_digit())
    })
}

impl From<Raise> for Failure {
    fn from(raise: Raise) -> Failure {
        let value = raise.into_value();
        let text = match &value {
            Value::String(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            other => other.to_string(),
        };
        Failure { value, ..Failure::text(text) }
    }
}

/// Position of the innermost Luau code, and the calls from the inside out.
///
/// # Safety
/// `l` is a live state.
pub(super) unsafe fn trace(l: *mut lua_State) -> (String, String) {
    // SAFETY: given.
    let calls = unsafe { levels(l) };
    let position = calls.first().map_or_else(String::new, |call| format!("{}:{}: ", call.source, call.line));
    let line = |call: &Call| match &call.name {
        Some(name) => format!("Script '{}', Line {} - function {name}", call.source, call.line),
        None => format!("Script '{}', Line {}", call.source, call.line),
    };
    (position, joined(&calls, line))
}

/// The calls of a state from the inside out, as `debug.traceback` writes them.
///
/// # Safety
/// `l` is a live state.
pub(super) unsafe fn calls(l: *mut lua_State) -> String {
    let line = |call: &Call| match &call.name {
        Some(name) => format!("{}:{} function {name}", call.source, call.line),
        None => format!("{}:{}", call.source, call.line),
    };
    // SAFETY: given.
    joined(&unsafe { levels(l) }, line)
}

/// More calls than anyone reads.
const MOST_CALLS: usize = 100;

/// A call of Luau code that has not returned.
struct Call {
    name: Option<String>,
    source: String,
    line: c_int,
}

fn joined(calls: &[Call], line: impl Fn(&Call) -> String) -> String {
    let mut lines: Vec<String> = calls.iter().take(MOST_CALLS).map(line).collect();
    if calls.len() > MOST_CALLS {
        lines.push("...".to_owned());
    }
    lines.join("\n")
}

/// The innermost calls, one more than are shown where there are more.
///
/// # Safety
/// `l` is a live state.
unsafe fn levels(l: *mut lua_State) -> Vec<Call> {
    let mut calls = Vec::new();
    for level in 0.. {
        // SAFETY: a zeroed record is what Luau fills; the strings live as long as the call it describes.
        unsafe {
            let mut at: lua_Debug = std::mem::zeroed();
            if calls.len() > MOST_CALLS || lua_getinfo(l, level, c"sln".as_ptr(), &mut at) == 0 {
                break;
            }
            if at.currentline <= 0 {
                continue;
            }
            let name = (!at.name.is_null()).then(|| CStr::from_ptr(at.name).to_string_lossy().into_owned());
            let source = CStr::from_ptr(at.short_src).to_string_lossy().into_owned();
            calls.push(Call { name: name.filter(|name| !name.is_empty()), source, line: at.currentline });
        }
    }
    calls
}

/// Chunk and first line of the function on top of the stack; `None` for a function of the host, or no function.
///
/// # Safety
/// `l` is a live state with at least one value.
pub(super) unsafe fn defined_at(l: *mut lua_State) -> Option<(String, u32)> {
    // SAFETY: as in `trace`; a negative level is a place on the stack.
    unsafe {
        if lua_isfunction(l, -1) == 0 {
            return None;
        }
        let mut at: lua_Debug = std::mem::zeroed();
        if lua_getinfo(l, -1, c"s".as_ptr(), &mut at) == 0 || at.linedefined < 0 || at.short_src.is_null() {
            return None;
        }
        let source = CStr::from_ptr(at.short_src).to_string_lossy().into_owned();
        Some((source, u32::try_from(at.linedefined).unwrap_or(0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_carry_one_position() {
        let report = |text: &str| Failure { position: "Main:3: ".into(), ..Failure::text(text) }.report();
        assert_eq!(report("it broke"), "Main:3: it broke");
        assert_eq!(report("Main:3: it broke"), "Main:3: it broke");
        assert_eq!(report("Storage.My Module:12: it broke"), "Storage.My Module:12: it broke");
        assert_eq!(report("got x: 5"), "Main:3: got x: 5");
        assert_eq!(report(":5: x"), "Main:3: :5: x");
        assert_eq!(Failure::text("alone").report(), "alone");
    }
}
