//! The only place that sees a `lua_State`: a small safe API over Luau's C API.
//!
//! A [`Vm`] is one Luau state on memory of its own, so that iteration order, addresses and collections are equal in
//! every run. Functions in Rust are [`NativeFn`]s: they read arguments from a [`Cx`], push results, and return an
//! [`Outcome`]. Engine types are described by a [`TypeTable`]. [`Handle`]s keep functions, threads and tables alive.
//!
//! Nothing here knows of scripts, signals or instances: that is `peer`, `scheduler` and `datamodel`.
//!
//! Rules for everyone who writes native functions:
//! - Never use `catch_unwind` around anything that calls into a VM: Luau's raises pass through Rust frames.
//! - Never hold a `RefCell` borrow across a resume or a call into a VM.
//! - Raise with `Err(Raise)`, wait with `cx.park()` and `Ok(Returns::Yield)`.
//!
//! Start with [`Vm::new`], then `native.rs`, `arguments.rs` and `stack.rs` for [`Cx`].

mod arena;
mod arguments;
mod atoms;
mod census;
mod closures;
mod compile;
mod coverage;
mod failure;
mod math;
mod native;
mod outside;
mod stack;
mod state;
#[cfg(test)]
mod tests;
mod types;
mod values;
mod watchdog;

use std::ffi::c_int;
use std::rc::{Rc, Weak};

use mlua::ffi::*;

pub use arguments::Type;
pub use atoms::{Atom, AtomMap};
pub use compile::{Bytecode, BytecodeCache, CompileError, compile, compile_named};
pub use coverage::FunctionHits;
pub use failure::Failure;
pub use native::{Cx, Method, NativeFn, Outcome, Raise, Returns};
pub use outside::Counted;
pub use state::{Handle, Kind, Parked};
pub use types::{MemberFn, TypeTable, light, not_a_member};
pub use values::MAX_DEPTH;
pub use watchdog::Deadline;

/// The release of Luau that is linked in.
pub const LUAU_VERSION: &str = "0.740";

use crate::peer::Peer;
use crate::value::Value;
use arena::{Arena, MIN_THRESHOLD};
use state::Inner;

/// How a VM is made.
#[derive(Clone, Debug)]
pub struct VmOptions {
    /// Seed of `math.random`.
    pub seed: i32,
    /// Most memory the VM may use, in bytes; 0 for no limit.
    pub memory_limit: usize,
    /// Most memory the host may hold for scripts while the VM is there, in bytes; 0 for no limit. Without effect unless
    /// [`Counted`] is the program's allocator.
    pub host_memory_limit: usize,
    /// Wall clock deadline of the world the VM belongs to.
    pub deadline: Deadline,
    /// Whether memory comes from a window of its own. Off only to test the fallback.
    pub stable: bool,
}

impl Default for VmOptions {
    fn default() -> Self {
        VmOptions {
            seed: 0,
            memory_limit: 256 << 20,
            host_memory_limit: 2 << 30,
            deadline: Deadline::new(),
            stable: true,
        }
    }
}

/// Loads a chunk in the environment on top of the stack, and gives its main function.
///
/// # Safety
/// The environment is on top of the stack of `l`, and the bytecode comes from our compiler.
unsafe fn load_top(l: *mut lua_State, chunk: &std::ffi::CStr, code: &Bytecode) -> Result<Handle, Raise> {
    // SAFETY: as the caller promises.
    unsafe {
        if luau_load(l, chunk.as_ptr(), code.as_ptr().cast(), code.len(), -1) != LUA_OK {
            let text = String::from_utf8_lossy(values::string_at(l, -1)).into_owned();
            return Err(Raise::new(text));
        }
        Ok(Handle::take(l, -1))
    }
}

/// A name as Luau takes it for a chunk: shown as it is.
fn chunk_name(name: &str) -> std::ffi::CString {
    std::ffi::CString::new(format!("={}", name.replace('\0', "?"))).unwrap_or_default()
}

/// One Luau state. Dropping it frees everything in it; handles that remain name nothing.
pub struct Vm {
    inner: Rc<Inner>,
}

/// How a resumption ended.
#[derive(Debug, PartialEq)]
pub enum Resumed {
    /// The thread's function returned. A watched thread's results are delivered through [`Vm::take_ended`].
    Returned,
    /// It waits: for a [`Parked`] to be used, or for a script to resume it.
    Yielded,
    /// It ended with an error.
    Failed(Failure),
    /// It was not suspended: dead, running, or waiting for a thread it resumed.
    Refused,
}

/// What became of a watched thread.
pub type ThreadEnd = Result<Vec<Value>, Failure>;

impl Vm {
    /// A VM with Luau's libraries, not yet sealed. Fails only when there is no memory for it.
    pub fn new(options: VmOptions) -> Result<Vm, Failure> {
        math::keep();
        let mut arena = Arena::new(options.stable, options.memory_limit);
        let userdata = arena.as_userdata();
        let base = arena.base();
        arena.interrupt = Some(state::on_interrupt);
        let vm = Vm { inner: state::new_inner(arena, &options) };
        // SAFETY: the arena is boxed inside `inner` and outlives the state. Callbacks are set before anything runs.
        unsafe {
            let main = lua_newstate(arena::allocate, userdata);
            if main.is_null() {
                return Err(Failure::text(outside::NOT_ENOUGH));
            }
            vm.inner.main.set(main);
            let callbacks = lua_callbacks(main);
            (*callbacks).userdata = Rc::as_ptr(&vm.inner).cast_mut().cast();
            (*callbacks).useratom = Some(state::on_atom);
            (*callbacks).userthread = Some(state::on_thread);
            (*callbacks).preresume = Some(state::on_resume);
            (*callbacks).postresume = Some(state::on_resumed);
            lua_gc(main, LUA_GCSTOP, 0);
            lua_setpointerencodekey(main, 0, 1, 0, (base as u64).wrapping_neg());
            lua_setuserdatadtor(main, state::OWNED_TAG, Some(state::on_owned_collected));
            let arena = &mut *vm.inner.arena.get();
            arena.callbacks = callbacks;
            arena.threshold = MIN_THRESHOLD;
            *vm.inner.watched.borrow_mut() = Some(options.deadline.register(callbacks));
        }
        vm.enter(|cx| {
            // SAFETY: a protected call on a fresh state.
            unsafe {
                luaL_openlibs(cx.state());
                cx.push_table(0, 64);
                vm.inner.methods.set(lua_ref(cx.state(), -1));
                let carrier = lua_newthread(cx.state());
                lua_ref(cx.state(), -1);
                vm.inner.carrier.set(carrier);
                cx.pop(1);
                // The userdata behind native closures answers to nothing.
                cx.push_table(0, 0);
                cx.freeze();
                lua_setuserdatametatable(cx.state(), state::OWNED_TAG);
            }
            cx.get_global("math");
            cx.get_field(-1, "randomseed");
            cx.push_number(f64::from(options.seed));
            cx.call(1, 0);
            Ok(())
        })?;
        vm.register_light_metatable()?;
        Ok(vm)
    }

    fn inner(&self) -> &Inner {
        &self.inner
    }

    /// Names the peer this VM belongs to, which its native functions reach through [`Cx::peer`].
    pub fn set_peer(&self, peer: Weak<Peer>) {
        self.inner.is_side.set(true);
        *self.inner.host.borrow_mut() = peer;
    }

    /// Whether `handle` names a value of this VM.
    pub fn owns(&self, handle: &Handle) -> bool {
        handle.belongs_to(&self.inner)
    }

    /// Whether addresses, and with them the order of tables keyed by tables or functions, are equal in every run.
    pub fn is_stable(&self) -> bool {
        // SAFETY: nothing else refers to the arena while Luau is not running.
        unsafe { (*self.inner.arena.get()).is_stable() }
    }

    /// Memory in use, in bytes.
    pub fn memory(&self) -> usize {
        // SAFETY: as above.
        unsafe { (*self.inner.arena.get()).used }
    }

    /// Full collections so far.
    pub fn collections(&self) -> u32 {
        self.inner.collections.get()
    }

    /// Collects now. Also what the host does once memory has run out.
    pub fn collect(&self) {
        // SAFETY: the state is alive; between resumes and inside native functions collecting is allowed.
        unsafe { self.inner.collect(self.inner.main.get()) };
    }

    /// Runs `f` with a context outside any script, protected: whatever raises ends up in the `Err`.
    ///
    /// Inside, no thread can be parked.
    pub fn enter<R>(&self, f: impl FnOnce(&mut Cx<'_>) -> Result<R, Raise>) -> Result<R, Failure> {
        state::protect(&self.inner, f)
    }

    /// Sets a global. Before [`Vm::seal`].
    pub fn set_global(&self, name: &str, value: &Value) -> Result<(), Failure> {
        self.enter(|cx| {
            cx.push(value);
            cx.set_global(name);
            Ok(())
        })
    }

    /// Sets a global to a native function. Before [`Vm::seal`].
    pub fn set_function(&self, name: &'static str, function: NativeFn) -> Result<(), Failure> {
        self.enter(|cx| {
            cx.push_native(name, function);
            cx.set_global(name);
            Ok(())
        })
    }

    /// Sets a global to a table of native functions and values, such as `Color3`. Before [`Vm::seal`].
    pub fn set_library(
        &self,
        name: &'static str,
        functions: &[(&'static str, NativeFn)],
        values: &[(&'static str, Value)],
    ) -> Result<(), Failure> {
        self.enter(|cx| {
            cx.push_functions(functions);
            for (field, value) in values {
                cx.push(value);
                cx.set_field(field);
            }
            cx.set_global(name);
            Ok(())
        })
    }

    /// Freezes all globals, libraries and built-in metatables, except the tables named in `open`. Fast paths of the VM
    /// are on from here.
    pub fn seal(&self, open: &[&str]) -> Result<(), Failure> {
        self.enter(|cx| {
            // SAFETY: globals are tables of this state; the metatable is a new table.
            unsafe {
                let l = cx.state();
                luaL_sandbox(l, 1);
                for name in open {
                    cx.get_global(name);
                    if cx.kind(-1) == Type::Table {
                        lua_setreadonly(l, -1, 0);
                    }
                    cx.pop(1);
                }
                cx.push_table(0, 1);
                lua_pushvalue(l, LUA_GLOBALSINDEX);
                cx.set_field("__index");
                cx.push_string("The metatable is locked");
                cx.set_field("__metatable");
                cx.freeze();
                self.inner.env_metatable.set(lua_ref(l, -1));
            }
            Ok(())
        })
    }

    /// The main function of a chunk that shares the environment of `beside`, another one's main function: what one
    /// writes to a global, the other sees.
    pub fn load_beside(&self, code: &Bytecode, name: &str, beside: &Handle) -> Result<Handle, Failure> {
        self.enter(|cx| {
            let chunk = chunk_name(name);
            cx.reserve(3);
            cx.push_handle(beside);
            // SAFETY: room is reserved; the function's environment is on top for the load; the bytecode comes from
            // our compiler. The environment changes between chunks, so no shortcut may rest on it.
            unsafe {
                let l = cx.state();
                lua_getfenv(l, -1);
                lua_setsafeenv(l, -1, 0);
                load_top(l, &chunk, code)
            }
        })
    }

    /// The main function of a script, with an environment of its own: `environment`, then the sealed globals.
    ///
    /// `name` is the script's full name as errors show it. Errors: the VM is not sealed, or the code is of another Luau.
    pub fn load(
        &self,
        code: &Bytecode,
        name: &str,
        environment: &[(&str, Value)],
    ) -> Result<Handle, Failure> {
        // Without the metatable that sealing makes, a script would have no globals at all.
        if self.inner.env_metatable.get() == LUA_NOREF {
            return Err(Failure::text(format!("{name} cannot be loaded: the VM is not sealed yet")));
        }
        self.enter(|cx| {
            let chunk = chunk_name(name);
            // SAFETY: the environment is on top for the load; the bytecode comes from our compiler.
            unsafe {
                let l = cx.state();
                cx.push_table(0, environment.len());
                for (field, value) in environment {
                    cx.push(value);
                    cx.set_field(field);
                }
                cx.reserve(2);
                lua_rawgeti_(l, LUA_REGISTRYINDEX, self.inner.env_metatable.get());
                cx.set_metatable();
                lua_setsafeenv(l, -1, 1);
                load_top(l, &chunk, code)
            }
        })
    }

    /// A new thread ready to run `function`, belonging to script run `owner`.
    pub fn thread(&self, function: &Handle, owner: u32) -> Result<Handle, Failure> {
        self.enter(|cx| {
            cx.reserve(2);
            // SAFETY: room is reserved; a new thread has room for its function.
            unsafe {
                let thread = lua_newthread(cx.state());
                state::set_owner(thread, owner);
                cx.push_handle(function);
                lua_xmove(cx.state(), thread, 1);
                Ok(Handle::take(cx.state(), -1))
            }
        })
    }

    /// Runs `function` on a new thread of `owner` to its first wait. `Err` only when there is no memory for the thread.
    ///
    /// What a [`Vm::thread`] and a [`Vm::resume`] do, for half their cost: signals live on it.
    pub fn start(
        &self,
        function: &Handle,
        owner: u32,
        values: &[Value],
    ) -> Result<(Handle, Resumed), Failure> {
        let count = c_int::try_from(values.len()).unwrap_or(c_int::MAX - 1);
        let (thread, l) = self.enter(|cx| {
            cx.reserve(2);
            // SAFETY: room is reserved; moving makes room on the new thread.
            unsafe {
                let l = lua_newthread(cx.state());
                state::set_owner(l, owner);
                cx.push_handle(function);
                for value in values {
                    cx.push(value);
                }
                lua_xmove(cx.state(), l, count + 1);
                Ok((Handle::take(cx.state(), -1), l))
            }
        })?;
        // SAFETY: the thread is new and alive through its handle.
        let resumed = self.run(l, |from| unsafe { lua_resume_(l, from, count) });
        Ok((thread, resumed))
    }

    /// Resumes a suspended thread with values.
    pub fn resume(&self, thread: &Handle, values: &[Value]) -> Resumed {
        let Some(l) = self.suspended(thread) else { return Resumed::Refused };
        // SAFETY: the thread is suspended, alive through its handle, and of this VM.
        match unsafe { values::give(&self.inner, l, values) } {
            Ok(count) => self.run(l, |from| unsafe { lua_resume_(l, from, count) }),
            Err(failure) => Resumed::Failed(failure),
        }
    }

    /// Resumes a suspended thread by raising `error` where it waits.
    pub fn resume_error(&self, thread: &Handle, error: &Value) -> Resumed {
        let Some(l) = self.suspended(thread) else { return Resumed::Refused };
        // SAFETY: as above.
        match unsafe { values::give(&self.inner, l, std::slice::from_ref(error)) } {
            Ok(_) => self.run(l, |from| unsafe { lua_resumeerror(l, from) }),
            Err(failure) => Resumed::Failed(failure),
        }
    }

    fn run(&self, l: *mut lua_State, resume: impl FnOnce(*mut lua_State) -> c_int) -> Resumed {
        let from = state::resumer(&self.inner);
        // What a resumption resumes itself belongs to its own time.
        let _turn = (self.inner.is_side.get() && from.is_null()).then(|| {
            self.inner.outside.begin_turn();
            self.inner.deadline.begin_turn()
        });
        self.inner.current.set(l);
        let status = resume(from);
        self.inner.current.set(from);
        match status {
            // SAFETY: the thread is alive and not running any more.
            LUA_OK => unsafe {
                lua_settop(l, 0);
                Resumed::Returned
            },
            LUA_YIELD | LUA_BREAK => Resumed::Yielded,
            _ => {
                // SAFETY: as above; its error is on top.
                let failure = unsafe { Failure::of_thread(l) };
                // SAFETY: as above.
                unsafe { state::end_refused(&self.inner, l, &failure) };
                if failure.is_out_of_memory() {
                    self.collect();
                }
                Resumed::Failed(failure)
            }
        }
    }

    fn suspended(&self, thread: &Handle) -> Option<*mut lua_State> {
        let l = thread.thread_of(&self.inner)?;
        (self.status(thread)? == LUA_COSUS).then_some(l)
    }

    fn status(&self, thread: &Handle) -> Option<c_int> {
        let l = thread.thread_of(&self.inner)?;
        let current = self.inner.current.get();
        let seen_from = if current.is_null() { self.inner.main.get() } else { current };
        // SAFETY: both are live states of this VM.
        Some(unsafe { lua_costatus(seen_from, l) })
    }

    /// Whether the thread could be resumed now.
    pub fn is_suspended(&self, thread: &Handle) -> bool {
        self.suspended(thread).is_some()
    }

    /// Whether the thread has ended.
    pub fn is_dead(&self, thread: &Handle) -> bool {
        matches!(self.status(thread), None | Some(LUA_COFIN | LUA_COERR))
    }

    /// Whether the thread waits for exactly this wake-up.
    pub fn is_parked(&self, parked: &Parked) -> bool {
        let Some(l) = self.suspended(&parked.thread) else { return false };
        // SAFETY: the thread is alive.
        unsafe { state::serial(l) == parked.serial }
    }

    /// Ends a suspended or finished thread; false if it is running or waits for one it resumed.
    pub fn close(&self, thread: &Handle) -> bool {
        let Some(l) = thread.thread_of(&self.inner) else { return false };
        if !matches!(self.status(thread), Some(LUA_COSUS | LUA_COFIN | LUA_COERR)) {
            return false;
        }
        self.enter(|_| {
            // SAFETY: the thread is not active.
            unsafe {
                state::set_serial(l, 0);
                lua_resetthread(l);
            }
            Ok(())
        })
        .is_ok()
    }

    /// The script run a thread belongs to, 0 for none.
    pub fn owner(&self, thread: &Handle) -> u32 {
        // SAFETY: the thread is alive.
        thread.thread_of(&self.inner).map_or(0, |l| unsafe { state::owner(l) })
    }

    /// Position of the innermost Luau code of a waiting thread, and its calls.
    pub fn trace(&self, thread: &Handle) -> (String, String) {
        // SAFETY: the thread is alive.
        thread.thread_of(&self.inner).map_or_else(Default::default, |l| unsafe { failure::trace(l) })
    }

    /// Where a function is defined: the name of its chunk and its first line. `None` for one of the host.
    pub fn defined_at(&self, function: &Handle) -> Option<(String, u32)> {
        let found = self.enter(|cx| {
            cx.push_handle(function);
            // SAFETY: a negative level names a stack place, which holds the function or nil; the record is what Luau
            // fills, and its text lives as long as the function.
            Ok(unsafe { failure::defined_at(cx.state()) })
        });
        found.ok().flatten()
    }

    /// Asks for the end of a thread that has not ended: it will be among [`Vm::take_ended`], whoever resumes it.
    pub fn watch(&self, thread: &Handle) {
        if let Some(l) = thread.thread_of(&self.inner) {
            // SAFETY: the thread is alive.
            unsafe { state::watch(l) };
        }
    }

    /// Watched threads that have ended since the last call, by [`Handle::key`], in order.
    pub fn take_ended(&self) -> Vec<(usize, ThreadEnd)> {
        if self.inner.ended.borrow().is_empty() {
            return Vec::new();
        }
        let ended = std::mem::take(&mut *self.inner.ended.borrow_mut());
        ended.into_iter().map(|ended| (ended.thread, ended.result)).collect()
    }

    /// Calls a function that must not yield, and copies what it returns.
    pub fn call(&self, function: &Handle, arguments: &[Value]) -> Result<Vec<Value>, Failure> {
        self.enter(|cx| {
            cx.push_handle(function);
            for argument in arguments {
                cx.push(argument);
            }
            cx.call(c_int::try_from(arguments.len()).unwrap_or(c_int::MAX), LUA_MULTRET);
            (1..=cx.top()).map(|index| cx.value(index)).collect()
        })
    }

    /// What `tostring` gives for a value, errors of `__tostring` included as text.
    pub fn display(&self, value: &Value) -> String {
        let shown = self.enter(|cx| {
            cx.push(value);
            Ok(cx.display(-1))
        });
        shown.unwrap_or_else(|failure| failure.text)
    }

    /// The host value behind a function made with [`Cx::push_closure`].
    pub fn captured<T: 'static>(&self, function: &Handle) -> Option<Rc<T>> {
        self.enter(|cx| {
            cx.push_handle(function);
            Ok(cx.captured_by(-1))
        })
        .ok()?
    }
}

impl Drop for Vm {
    fn drop(&mut self) {
        // The watchdog must not touch the callbacks from here on, and handles must not touch the state.
        *self.inner.watched.borrow_mut() = None;
        let main = self.inner.main.replace(std::ptr::null_mut());
        if !main.is_null() && !self.is_stable() {
            // SAFETY: nothing refers to the state any more. Its userdata only write numbers to `inner`, which is alive.
            unsafe { lua_close(main) };
        }
        // A window is given up as a whole: no object in it owns anything outside.
        let owned = std::mem::take(&mut *self.inner.owned.borrow_mut());
        drop(owned);
        self.inner.ended.borrow_mut().clear();
        // SAFETY: the state is gone; an empty arena of the fallback kind stands in for the dropped one.
        unsafe { *self.inner.arena.get() = Arena::new(false, 0) };
    }
}
