//! What is left of a script error once it has reached the host.

use std::ffi::{CStr, c_int};

use mlua::ffi::*;

use super::native::Raise;
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
    pub position: String,
    /// Calls from the inside out, one a line: `Script 'Full.Name', Line 12 - function f`.
    pub stack: String,
    /// Whether memory ran out.
    pub out_of_memory: bool,
}

impl Failure {
    /// A failure with a text and no position.
    pub fn text(text: impl Into<String>) -> Failure {
        let text = text.into();
        Failure {
            value: Value::string(&text),
            text,
            position: String::new(),
            stack: String::new(),
            out_of_memory: false,
        }
    }

    /// The text as an uncaught error is reported: with its position, once.
    pub fn report(&self) -> String {
        if self.position.is_empty() || self.text.starts_with(&self.position) {
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
            (failure.position, failure.stack) = trace(l);
            failure.out_of_memory = lua_status(l) == LUA_ERRMEM;
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
                failure.out_of_memory = bytes == b"not enough memory";
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
    /// More calls than anyone reads.
    const MOST: usize = 100;
    let mut position = String::new();
    let mut lines = Vec::new();
    for level in 0.. {
        // SAFETY: a zeroed record is what Luau fills; the strings live as long as the call it describes.
        let (name, source, line) = unsafe {
            let mut at: lua_Debug = std::mem::zeroed();
            if lua_getinfo(l, level as c_int, c"sln".as_ptr(), &mut at) == 0 {
                break;
            }
            if at.currentline <= 0 {
                continue;
            }
            let name = (!at.name.is_null()).then(|| CStr::from_ptr(at.name).to_string_lossy().into_owned());
            let source = CStr::from_ptr(at.short_src).to_string_lossy().into_owned();
            (name.filter(|name| !name.is_empty()), source, at.currentline)
        };
        if position.is_empty() {
            position = format!("{source}:{line}: ");
        }
        if lines.len() == MOST {
            lines.push("...".to_owned());
            break;
        }
        lines.push(match name {
            Some(name) => format!("Script '{source}', Line {line} - function {name}"),
            None => format!("Script '{source}', Line {line}"),
        });
    }
    (position, lines.join("\n"))
}
