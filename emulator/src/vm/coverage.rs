//! Which lines of a loaded script ran. Only code compiled for it counts; other code has no lines here.

use std::ffi::{CStr, c_char, c_int, c_void};

use mlua::ffi::*;

use super::{Handle, Vm};

/// How often the lines of one function ran.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FunctionHits {
    /// Its name; `None` for a function without one, and for the script itself.
    pub name: Option<String>,
    /// The line it begins in; 0 for the script itself.
    pub line: u32,
    /// How deep it lies: 0 for the script itself.
    pub depth: u32,
    /// Lines with code, from 1 and in order, and how often each ran.
    pub lines: Vec<(u32, u64)>,
}

impl Vm {
    /// How often the lines of a script's main function, and of every function in it, ran so far.
    pub fn coverage(&self, main: &Handle) -> Vec<FunctionHits> {
        let mut functions: Vec<FunctionHits> = Vec::new();
        let context = (&raw mut functions).cast::<c_void>();
        let read = self.enter(|cx| {
            cx.push_handle(main);
            // SAFETY: a Luau function is on top; the list outlives the call, which runs no code.
            unsafe {
                if lua_iscfunction(cx.state(), -1) == 0 && lua_type(cx.state(), -1) == LUA_TFUNCTION {
                    lua_getcoverage(cx.state(), -1, context, add);
                }
            }
            Ok(())
        });
        if read.is_err() { Vec::new() } else { functions }
    }
}

/// Takes one function's counts.
unsafe extern "C-unwind" fn add(
    context: *mut c_void,
    function: *const c_char,
    line: c_int,
    depth: c_int,
    hits: *const c_int,
    size: usize,
) {
    // SAFETY: the context is the list of `Vm::coverage`; Luau passes a name or null, and `size` counts.
    let (functions, name, hits) = unsafe {
        let name = (!function.is_null()).then(|| CStr::from_ptr(function).to_string_lossy().into_owned());
        (&mut *context.cast::<Vec<FunctionHits>>(), name, std::slice::from_raw_parts(hits, size))
    };
    let counted = hits.iter().enumerate().filter(|(_, count)| **count >= 0);
    functions.push(FunctionHits {
        name: name.filter(|_| depth > 0),
        line: line.max(0) as u32,
        depth: depth.max(0) as u32,
        lines: counted.map(|(line, count)| (line as u32, *count as u64)).collect(),
    });
}
