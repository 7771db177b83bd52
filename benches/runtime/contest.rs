//! One contestant of a scenario: a server's and a client's module in a VM of their own, frame by frame.
//!
//! The modules are given, as text; the host around them is `host.luau`, the same for everyone. What is measured is what
//! a frame takes: everything fired, flushed, carried over, read and heard.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{CStr, c_int};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use mlua::chunk::Compiler;
use mlua::{Function, Lua, Table, ffi};

/// What plays the engine.
const HOST: &str = include_str!("host.luau");

/// Where the modules of a contestant come from.
pub enum Modules<'a> {
    /// As emitted: the server's and the client's.
    Generated(&'a str, &'a str),
    /// Written by hand: a chunk that is given the host and returns both sides' members.
    Written(&'a str),
}

/// A contestant, warm.
pub struct Contest {
    lua: Lua,
    host: Table,
    frames: Function,
    heard: Function,
    /// Events of a frame.
    pub events: u64,
}

/// What a frame costs without a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Instructions of the interpreter.
    pub instructions: u64,
    /// Bytes allocated, with no collection in between.
    pub allocated: u64,
    /// Bytes of the packets one client sends or is sent.
    pub bytes: u64,
    /// Those packets.
    pub packets: u64,
}

impl Contest {
    /// Loads a scenario. With `native` what can be is compiled to machine code.
    pub fn new(name: &str, drive: &str, modules: &Modules, native: bool) -> Contest {
        let (lua, host) = fresh(native);
        let (server, client): (Table, Table) = match modules {
            Modules::Generated(server, client) => load(&lua, &host, server, client),
            Modules::Written(text) => {
                let sides: Function = run(&lua, "floor", text);
                sides.call(host.clone()).unwrap_or_else(|error| panic!("{name}: {error}"))
            }
        };
        host.get::<Function>("loaded").expect("the host starts").call::<()>(()).expect("the host starts");
        let driver: Function = run(&lua, "scenario", drive);
        let (events, send, heard): (u64, Function, Function) =
            driver.call((server, client, host.clone())).unwrap_or_else(|error| panic!("{name}: {error}"));
        let frames: Function = run(
            &lua,
            "frames",
            "return function(frame, send) return function(count) for _ = 1, count do frame(send) end end end",
        );
        let frame: Function = host.get("frame").expect("the host has frames");
        let frames: Function = frames.call((frame, send)).expect("a function is made");
        let contest = Contest { lua, host, frames, heard, events };
        contest.run(WARM);
        contest.check(name, WARM);
        contest
    }

    /// Runs frames.
    pub fn run(&self, count: u64) {
        self.frames.call::<()>(count).unwrap_or_else(|error| panic!("a frame failed: {error}"));
    }

    /// Panics unless every event of the first `frames` frames was heard and nothing was reported.
    fn check(&self, name: &str, frames: u64) {
        let failures: Vec<String> = self.host.get("failures").expect("the host keeps failures");
        assert!(failures.is_empty(), "{name}: {failures:?}");
        let (heard, _): (f64, f64) = self.heard.call(()).expect("a scenario counts");
        assert_eq!(heard, (frames * self.events) as f64, "{name}: not every event was heard");
    }

    /// What a frame costs, the mean of some.
    pub fn counts(&self) -> Counts {
        let told = |field: &str| self.host.get::<u64>(field).expect("the host counts");
        self.lua.gc_collect().expect("a VM collects");
        self.lua.gc_stop();
        self.run(1);
        let (bytes, packets) = (told("bytes"), told("packets"));
        let used = collectable(&self.lua);
        self.run(FRAMES);
        let allocated = collectable(&self.lua).saturating_sub(used) / FRAMES;
        let (bytes, packets) = ((told("bytes") - bytes) / FRAMES, (told("packets") - packets) / FRAMES);
        let instructions = instructions(&self.lua, || self.run(FRAMES)) / FRAMES;
        self.lua.gc_restart();
        Counts { instructions, allocated, bytes, packets }
    }

    /// Where the instructions of some frames are: how many a frame, by the function's chunk and line, most first.
    #[cfg_attr(test, allow(dead_code, reason = "the guard counts them all"))]
    pub fn functions(&self) -> Vec<(String, f64)> {
        FUNCTIONS.with_borrow_mut(HashMap::clear);
        step(&self.lua, count_function, || self.run(FRAMES));
        let mut found: Vec<(String, f64)> = FUNCTIONS.with_borrow(|all| {
            all.iter().map(|(place, count)| (place.clone(), *count as f64 / FRAMES as f64)).collect()
        });
        found.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        found
    }
}

/// Frames before anything is measured.
const WARM: u64 = 3;
/// Frames of which the mean is counted.
const FRAMES: u64 = 64;

/// A VM with the host in it, and the host.
fn fresh(native: bool) -> (Lua, Table) {
    let lua = Lua::new();
    set_native(&lua, native);
    lua.set_compiler(
        Compiler::new()
            .set_optimization_level(2)
            .set_debug_level(1)
            .set_type_info_level(1)
            .set_vector_ctor("Vector3.new")
            .set_vector_type("Vector3"),
    );
    // SAFETY: the function keeps to what a C function may do.
    let userdata = unsafe { lua.create_c_function(userdata) }.expect("a function is made");
    let host: Function = lua.load(HOST).set_name("=host").into_function().expect("the host compiles");
    let host: Table = host.call(userdata).unwrap_or_else(|error| panic!("host: {error}"));
    set_safe(&lua);
    (lua, host)
}

/// Loads both sides' modules, and gives what each returns.
fn load(lua: &Lua, host: &Table, server: &str, client: &str) -> (Table, Table) {
    let become_side: Function = host.get("become").expect("the host has sides");
    let load = |name: &str, text: &str| {
        become_side.call::<()>(name == "Server").expect("the host changes sides");
        run(lua, name, text)
    };
    (load("Server", server), load("Client", client))
}

/// What loading both modules takes in a VM of their own: from their texts to what they return.
#[cfg_attr(test, allow(dead_code, reason = "the guard measures no time"))]
pub fn loading(server: &str, client: &str, native: bool, now: fn() -> Duration) -> Duration {
    let (lua, host) = fresh(native);
    let start = now();
    load(&lua, &host, server, client);
    now() - start
}

fn run<T: mlua::FromLuaMulti>(lua: &Lua, name: &str, text: &str) -> T {
    lua.load(text).set_name(format!("={name}")).call(()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[cfg(feature = "native")]
fn set_native(lua: &Lua, native: bool) {
    lua.enable_jit(native);
}

#[cfg(not(feature = "native"))]
fn set_native(_: &Lua, native: bool) {
    assert!(!native, "machine code takes the feature `native`");
}

/// Bytes the collector knows of: what the allocator has is counted in whole pages.
fn collectable(lua: &Lua) -> u64 {
    // SAFETY: both only read counters.
    unsafe {
        lua.exec_raw((), |state| {
            let kilobytes = ffi::lua_gc(state, ffi::LUA_GCCOUNT, 0);
            let rest = ffi::lua_gc(state, ffi::LUA_GCCOUNTB, 0);
            ffi::lua_pushnumber(state, f64::from(kilobytes) * 1024.0 + f64::from(rest));
        })
        .expect("counters are read")
    }
}

/// Turns resolved imports and calls of built-in functions on, as the engine has them. The last global must be there.
fn set_safe(lua: &Lua) {
    // SAFETY: the bit of a table that is there is set, and the stack left as it was.
    unsafe {
        lua.exec_raw::<()>((), |state| ffi::lua_setsafeenv(state, ffi::LUA_GLOBALSINDEX, 1))
            .expect("a bit is set");
    }
}

/// A userdata with the metatable it is given, which can give it a type's name as the engine's instances have one.
unsafe extern "C-unwind" fn userdata(state: *mut ffi::lua_State) -> c_int {
    // SAFETY: the stack has room for what is pushed, and a table at its bottom or an error is raised.
    unsafe {
        ffi::luaL_checktype(state, 1, ffi::LUA_TTABLE);
        ffi::lua_newuserdata(state, 1);
        ffi::lua_pushvalue(state, 1);
        ffi::lua_setmetatable(state, -2);
    }
    1
}

static STEPS: AtomicU64 = AtomicU64::new(0);

thread_local! {
    static FUNCTIONS: RefCell<HashMap<String, u64>> = RefCell::default();
}

unsafe extern "C-unwind" fn count_step(_: *mut ffi::lua_State, _: *mut ffi::lua_Debug) {
    STEPS.fetch_add(1, Ordering::Relaxed);
}

unsafe extern "C-unwind" fn count_function(state: *mut ffi::lua_State, at: *mut ffi::lua_Debug) {
    // SAFETY: the record is the VM's own, filled in for the function that runs, and its texts end with a zero.
    let place = unsafe {
        ffi::lua_getinfo(state, 0, c"sn".as_ptr(), at);
        let name = (*at).name;
        let name = if name.is_null() { c"" } else { CStr::from_ptr(name) };
        let source = CStr::from_ptr((*at).short_src);
        format!("{}:{} {}", source.to_string_lossy(), (*at).linedefined, name.to_string_lossy())
    };
    FUNCTIONS.with_borrow_mut(|all| *all.entry(place).or_default() += 1);
}

/// Instructions that the interpreter takes for `work`. One VM at a time.
fn instructions(lua: &Lua, work: impl FnOnce()) -> u64 {
    let before = STEPS.load(Ordering::Relaxed);
    step(lua, count_step, work);
    STEPS.load(Ordering::Relaxed) - before
}

/// Calls `each` ahead of every instruction that the interpreter takes for `work`.
fn step(
    lua: &Lua,
    each: unsafe extern "C-unwind" fn(*mut ffi::lua_State, *mut ffi::lua_Debug),
    work: impl FnOnce(),
) {
    let enable = |enabled: c_int| {
        // SAFETY: the callback keeps to what is its own, and the mode is one of the state that runs `work`.
        unsafe {
            lua.exec_raw::<()>((), |state| {
                (*ffi::lua_callbacks(state)).debugstep = (enabled == 1).then_some(each);
                ffi::lua_singlestep(ffi::lua_mainthread(state), enabled);
                ffi::lua_singlestep(state, enabled);
            })
            .expect("a mode is set");
        }
    };
    enable(1);
    work();
    enable(0);
}
