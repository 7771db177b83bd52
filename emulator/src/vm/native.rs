//! Functions written in Rust that scripts call.
//!
//! A native function gets a [`Cx`] and gives back an [`Outcome`]. The trampoline here turns that into Luau's way of
//! returning, yielding or raising after every Rust value is dropped. A raise of Luau itself (memory, a called function)
//! passes through a native function like a panic: its locals are dropped. Never catch it with `catch_unwind`.

use std::any::Any;
use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_int, c_void};
use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::RwLock;

use mlua::ffi::*;

use super::atoms::Atom;
use super::outside::NOT_ENOUGH;
use super::state::{self, Inner, OWNED_TAG};
use crate::peer::Peer;
use crate::value::Value;

/// A function scripts can call.
pub type NativeFn = fn(&mut Cx<'_>) -> Outcome;

/// What a native function ends in.
pub type Outcome = Result<Returns, Raise>;

/// How a native function goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returns {
    /// Returns this many values from the top of the stack.
    Values(i32),
    /// Suspends the calling thread, which must have been parked with [`Cx::park`]. What it is resumed with is what the
    /// call returns.
    Yield,
}

impl Returns {
    /// No value.
    pub const NONE: Returns = Returns::Values(0);
    /// The value on top.
    pub const ONE: Returns = Returns::Values(1);
}

/// An error for the script that called.
///
/// The text is what `pcall` shows: engine-shaped, without a position. The log adds the position when nobody catches it.
#[derive(Debug)]
pub struct Raise(Box<Raised>);

#[derive(Debug)]
enum Raised {
    Text(String),
    /// With `Script:line: ` of the caller in front, like `error()`.
    Located(String),
    Value(Value),
}

impl Raise {
    /// The bare text.
    pub fn new(text: impl Into<String>) -> Raise {
        Raise(Box::new(Raised::Text(text.into())))
    }

    /// The text with the caller's position in front, as the VM's own errors have it.
    pub fn located(text: impl Into<String>) -> Raise {
        Raise(Box::new(Raised::Located(text.into())))
    }

    /// Any value.
    pub fn value(value: Value) -> Raise {
        Raise(Box::new(Raised::Value(value)))
    }

    /// The error in other words, unless it says that memory has run out.
    pub fn reworded(self, text: impl Into<String>) -> Raise {
        match &*self.0 {
            Raised::Text(known) if known == NOT_ENOUGH => self,
            Raised::Text(_) | Raised::Located(_) | Raised::Value(_) => Raise::new(text),
        }
    }

    pub(super) fn into_value(self) -> Value {
        match *self.0 {
            Raised::Text(text) | Raised::Located(text) => Value::string(text),
            Raised::Value(value) => value,
        }
    }
}

impl From<String> for Raise {
    fn from(text: String) -> Raise {
        Raise::new(text)
    }
}

impl From<&str> for Raise {
    fn from(text: &str) -> Raise {
        Raise::new(text)
    }
}

impl From<super::Failure> for Raise {
    fn from(failure: super::Failure) -> Raise {
        Raise::value(failure.value)
    }
}

/// A member function: its name for errors, and what it does.
///
/// In its [`Cx`] the object is at index 0 and the arguments start at 1, whether it is called as `x:f()` or `x.f(x)`.
#[derive(Clone, Copy, Debug)]
pub struct Method {
    /// Name in errors and in `debug.info`.
    pub name: &'static str,
    /// What it does.
    pub call: NativeFn,
}

/// A native function's view of the call: arguments by index from 1, and a stack to push results on.
///
/// Values pushed come after the arguments: their indexes are those [`Cx::top`] gives after the push. Negative indexes
/// count from the top.
pub struct Cx<'a> {
    pub(super) l: *mut lua_State,
    pub(super) inner: &'a Inner,
    /// Arguments at call time, without the object of a method.
    pub(super) arguments: i32,
    /// How far stack positions are ahead of argument indexes: 1 in a method.
    pub(super) shift: i32,
    /// Stack slots known to be free.
    pub(super) room: std::cell::Cell<i32>,
    thread_bound: PhantomData<*mut ()>,
}

impl Cx<'_> {
    /// # Safety
    /// `l` is a live state inside a C function call; the context does not outlive that.
    pub(super) unsafe fn new<'a>(l: *mut lua_State, shift: i32) -> Cx<'a> {
        // SAFETY: given.
        unsafe {
            let inner = state::entered(l);
            let arguments = lua_gettop(l) - shift;
            // Luau guarantees 20 free slots to a C function.
            Cx { l, inner, arguments, shift, room: std::cell::Cell::new(20), thread_bound: PhantomData }
        }
    }

    pub(super) fn state(&self) -> *mut lua_State {
        self.l
    }

    /// The peer whose VM calls.
    ///
    /// Panics only if a native function outlives its peer, which the peer's own calls rule out.
    pub fn peer(&self) -> Rc<Peer> {
        self.inner.host.borrow().upgrade().expect("a VM only runs under its peer")
    }

    /// The peer, if the VM belongs to one.
    pub fn opt_peer(&self) -> Option<Rc<Peer>> {
        self.inner.host.borrow().upgrade()
    }

    /// The host value behind the running function, as given to [`Cx::push_closure`].
    pub fn captured<T: 'static>(&self) -> Option<Rc<T>> {
        // SAFETY: upvalue 2 of a closure made by `push_closure` is its userdata; other functions have none there.
        unsafe { owned_at(self.inner, self.l, lua_upvalueindex(2)) }?.downcast().ok()
    }

    /// The host value behind a native closure at `index`, if it is one.
    pub fn captured_by<T: 'static>(&self, index: i32) -> Option<Rc<T>> {
        // SAFETY: the slot is checked to be a native function of ours before its upvalue is read.
        unsafe {
            let at = self.slot(index);
            if at == 0 || lua_tocfunction(self.l, at)? as usize != call_closure as *const () as usize {
                return None;
            }
            self.reserve(1);
            if lua_getupvalue(self.l, at, 2).is_null() {
                return None;
            }
            let owned = owned_at(self.inner, self.l, -1);
            lua_pop(self.l, 1);
            owned?.downcast().ok()
        }
    }

    /// Pushes a native function. `name` appears in its errors.
    pub fn push_native(&self, name: &str, function: NativeFn) {
        // SAFETY: room is reserved; the function pointer is the only upvalue.
        unsafe {
            self.reserve(2);
            lua_pushlightuserdatatagged(self.l, function as *mut c_void, 0);
            push_named(self.l, call_native, name, 1);
        }
    }

    /// Pushes a native function that carries a host value, read with [`Cx::captured`]. The value is dropped some time
    /// after the function is collected.
    ///
    /// A VM that holds such functions cannot be copied byte by byte.
    pub fn push_closure(&self, name: &str, function: NativeFn, captured: Rc<dyn Any>) {
        self.inner.release_collected();
        // SAFETY: room is reserved; the number is written before anything else can run.
        unsafe {
            self.reserve(3);
            lua_pushlightuserdatatagged(self.l, function as *mut c_void, 0);
            let data = lua_newuserdatatagged(self.l, std::mem::size_of::<u32>(), OWNED_TAG).cast::<u32>();
            data.write(self.inner.own(captured));
            push_named(self.l, call_closure, name, 2);
        }
    }

    /// Pushes a method as a function value. The same method gives the same function.
    pub fn push_method(&self, method: &Method) {
        // SAFETY: the cache is a table made with the VM; room is reserved.
        unsafe {
            self.reserve(4);
            let key = method.call as *const c_void;
            lua_rawgeti_(self.l, LUA_REGISTRYINDEX, self.inner.methods.get());
            if lua_rawgetptagged(self.l, -1, key, 0) == LUA_TNIL {
                lua_pop(self.l, 1);
                lua_pushlightuserdatatagged(self.l, key.cast_mut(), 0);
                push_named(self.l, call_method, method.name, 1);
                lua_pushvalue(self.l, -1);
                lua_rawsetptagged(self.l, -3, key, 0);
            }
            lua_remove(self.l, -2);
        }
    }

    /// Whether the host may hold `bytes` more for scripts. For whatever takes something of any size or number in.
    ///
    /// Errors: Luau's own for memory that has run out.
    pub fn check_memory(&self, bytes: usize) -> Result<(), Raise> {
        if !self.inner.outside.is_over(bytes) {
            return Ok(());
        }
        // The host also holds what hangs on garbage.
        // SAFETY: inside of a native function collecting is allowed.
        unsafe { self.inner.collect(self.l) };
        if self.inner.outside.is_over(bytes) { Err(Raise::new(NOT_ENOUGH)) } else { Ok(()) }
    }

    /// Ends a resumption of a side that has made the host hold too much, whatever it calls.
    fn check_turn(&self) -> Result<(), Raise> {
        if self.inner.is_side.get() && self.inner.outside.has_run_away() {
            self.check_memory(0)
        } else {
            Ok(())
        }
    }

    /// The member name at `index` as an atom, [`Atom::NONE`] for any other string or value.
    pub fn atom(&self, index: i32) -> Atom {
        // SAFETY: any index is allowed; a non-string gives null.
        unsafe {
            let mut number = -1;
            let at = self.slot(index);
            if at == 0 || lua_type(self.l, at) != LUA_TSTRING {
                return Atom::NONE;
            }
            let mut len = 0;
            let text = lua_tolstringatom(self.l, at, &mut len, &mut number);
            if number < 0 && self.inner.atoms != Atom::count() {
                let bytes = std::slice::from_raw_parts(text.cast::<u8>(), len);
                return Atom::find(bytes).unwrap_or(Atom::NONE);
            }
            Atom::from_number(number)
        }
    }
}

/// The host value behind an owning userdata.
///
/// # Safety
/// `l` is a live state of `inner`'s VM.
unsafe fn owned_at(inner: &Inner, l: *mut lua_State, index: c_int) -> Option<Rc<dyn Any>> {
    // SAFETY: only `push_closure` makes userdata with this tag, and it writes a number.
    unsafe {
        let data = lua_touserdatatagged(l, index, OWNED_TAG).cast::<u32>();
        let number = *data.as_ref()?;
        inner.owned.borrow().get(number as usize)?.clone()
    }
}

/// Pushes a C closure with a name, taking `upvalues` values off the stack.
///
/// # Safety
/// `l` is a live state with that many values on top.
pub(super) unsafe fn push_named(l: *mut lua_State, function: lua_CFunction, name: &str, upvalues: c_int) {
    // SAFETY: given; the name is never freed.
    unsafe { lua_pushcclosurek(l, function, lasting(name).as_ptr(), upvalues, None) };
}

/// The name as a C string that lives as long as the process: Luau keeps the pointer to a function's name.
pub(super) fn lasting(name: &str) -> &'static CStr {
    static NAMES: RwLock<BTreeMap<String, &'static CStr>> = RwLock::new(BTreeMap::new());
    if let Some(known) = NAMES.read().ok().and_then(|names| names.get(name).copied()) {
        return known;
    }
    let kept: &'static CStr = Box::leak(CString::new(name).unwrap_or_default().into_boxed_c_str());
    if let Ok(mut names) = NAMES.write() {
        names.entry(name.to_owned()).or_insert(kept);
    }
    kept
}

/// # Safety
/// As [`Cx::new`]; upvalue 1 of the running function is a `NativeFn`.
unsafe fn call(l: *mut lua_State, shift: i32) -> c_int {
    // SAFETY: given; the pushing functions above store a `NativeFn` there.
    unsafe {
        let function = lua_tolightuserdatatagged(l, lua_upvalueindex(1), 0);
        let function = std::mem::transmute::<*mut c_void, NativeFn>(function);
        let mut cx = Cx::new(l, shift);
        let outcome = cx.check_turn().and_then(|()| function(&mut cx));
        finish(l, outcome)
    }
}

unsafe extern "C-unwind" fn call_native(l: *mut lua_State) -> c_int {
    // SAFETY: Luau calls it with a live state; `push_native` set the upvalue.
    unsafe { call(l, 0) }
}

unsafe extern "C-unwind" fn call_closure(l: *mut lua_State) -> c_int {
    // SAFETY: as above, by `push_closure`.
    unsafe { call(l, 0) }
}

unsafe extern "C-unwind" fn call_method(l: *mut lua_State) -> c_int {
    // SAFETY: as above, by `push_method`.
    unsafe { call(l, 1) }
}

/// Ends a native function in Luau's way.
///
/// # Safety
/// `l` is the state of the running native function.
pub(super) unsafe fn finish(l: *mut lua_State, outcome: Outcome) -> c_int {
    // SAFETY: given. The raise is dropped by `push_raise` before Luau unwinds.
    unsafe {
        match outcome {
            // Claiming more than there is would read past the stack.
            Ok(Returns::Values(count)) => count.clamp(0, lua_gettop(l)),
            Ok(Returns::Yield) => lua_yield(l, 0),
            Err(raise) => {
                push_raise(l, raise);
                lua_error(l)
            }
        }
    }
}

/// # Safety
/// As [`finish`].
unsafe fn push_raise(l: *mut lua_State, raise: Raise) {
    // SAFETY: given; two slots are made free.
    unsafe {
        lua_rawcheckstack(l, 2);
        match *raise.0 {
            Raised::Text(text) => lua_pushlstring_(l, text.as_ptr().cast(), text.len()),
            Raised::Located(text) => {
                luaL_where(l, 1);
                lua_pushlstring_(l, text.as_ptr().cast(), text.len());
                lua_concat(l, 2);
            }
            Raised::Value(value) => Cx::new(l, 0).push(&value),
        }
    }
}
