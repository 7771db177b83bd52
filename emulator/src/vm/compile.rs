//! Luau source to bytecode, and the cache every world shares.

use std::collections::HashMap;
use std::ffi::{CStr, c_char};
use std::ptr::null;
use std::sync::{Arc, Mutex};

use mlua::ffi::{lua_CompileOptions, luau_compile};
use rustc_hash::FxBuildHasher;

/// Compiled code of one script: immutable, without a name, shared by all worlds and threads.
pub type Bytecode = Arc<[u8]>;

/// Why a source does not compile.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name}:{line}: {message}")]
pub struct CompileError {
    /// Name of the script, as given.
    pub name: String,
    /// Line, from 1.
    pub line: u32,
    /// What is wrong, in Luau's words.
    pub message: String,
}

/// Globals whose value differs by script or changes: never resolved at load.
const MUTABLE: [&CStr; 8] =
    [c"game", c"Game", c"workspace", c"Workspace", c"script", c"plugin", c"shared", c"_G"];

/// Bytecode of `source`. `name` only appears in an error.
///
/// Vectors are built in place for `Vector3.new` with two or three numbers.
pub fn compile(source: &str, name: &str) -> Result<Bytecode, CompileError> {
    compile_with(source, name, Extra::Nothing)
}

/// As [`compile`], with the names of locals and upvalues kept in the code.
pub fn compile_named(source: &str, name: &str) -> Result<Bytecode, CompileError> {
    compile_with(source, name, Extra::Names)
}

/// What code carries besides what runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extra {
    Nothing,
    /// Names of locals and upvalues.
    Names,
    /// A count for each line.
    Counts,
}

fn compile_with(source: &str, name: &str, extra: Extra) -> Result<Bytecode, CompileError> {
    let mut mutable: Vec<*const c_char> = MUTABLE.iter().map(|name| name.as_ptr()).collect();
    mutable.push(null());
    let mut options = lua_CompileOptions::default();
    options.optimizationLevel = 1;
    options.debugLevel = if extra == Extra::Names { 2 } else { 1 };
    options.coverageLevel = if extra == Extra::Counts { 1 } else { 0 };
    options.vectorLib = c"Vector3".as_ptr();
    options.vectorCtor = c"new".as_ptr();
    options.vectorType = c"Vector3".as_ptr();
    options.mutableGlobals = mutable.as_ptr();
    // SAFETY: all pointers in the options outlive the call.
    let code = unsafe { luau_compile(source.as_bytes(), options) };
    // A failed compilation is a zero byte and `:line: message`.
    if code.first() == Some(&0) {
        let text = String::from_utf8_lossy(&code[1..]).into_owned();
        let rest = text.strip_prefix(':').unwrap_or(&text);
        let (line, message) = rest.split_once(": ").unwrap_or(("1", rest));
        return Err(CompileError {
            name: name.to_owned(),
            line: line.parse().unwrap_or(1),
            message: message.to_owned(),
        });
    }
    Ok(code.into())
}

/// Bytecode by source, shared by worlds on any thread.
#[derive(Debug, Default)]
pub struct BytecodeCache {
    compiled: Mutex<HashMap<Arc<str>, Bytecode, FxBuildHasher>>,
    counting: bool,
}

impl BytecodeCache {
    /// A cache whose code counts how often each of its lines runs.
    pub fn with_coverage() -> BytecodeCache {
        BytecodeCache { counting: true, ..BytecodeCache::default() }
    }

    /// Whether its code counts.
    pub fn is_counting(&self) -> bool {
        self.counting
    }

    /// Bytecode of a source, compiled once for all its scripts. Sources that fail are not kept.
    pub fn get(&self, source: &Arc<str>, name: &str) -> Result<Bytecode, CompileError> {
        if let Ok(compiled) = self.compiled.lock()
            && let Some(code) = compiled.get(source)
        {
            return Ok(code.clone());
        }
        let code = compile_with(source, name, if self.counting { Extra::Counts } else { Extra::Nothing })?;
        if let Ok(mut compiled) = self.compiled.lock() {
            compiled.insert(source.clone(), code.clone());
        }
        Ok(code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_line_and_message() {
        let error = compile("local x = 1\nlocal = 2\n", "ReplicatedStorage.Net").unwrap_err();
        assert_eq!(error.line, 2);
        assert!(error.message.starts_with("Expected identifier"), "{}", error.message);
        assert!(error.to_string().starts_with("ReplicatedStorage.Net:2: Expected"));
    }

    #[test]
    fn deep_nesting_is_refused() {
        let deep = format!("return {}1{}", "(".repeat(100_000), ")".repeat(100_000));
        assert!(compile(&deep, "x").is_err());
    }

    #[test]
    fn cache_gives_the_same_code() {
        let cache = BytecodeCache::default();
        let source: Arc<str> = "return 1".into();
        let first = cache.get(&source, "a").unwrap();
        assert!(Arc::ptr_eq(&first, &cache.get(&"return 1".into(), "b").unwrap()));
    }
}
