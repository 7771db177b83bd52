//! The state of one VM on the host's side, its callbacks, and handles that keep VM values alive.

use std::any::Any;
use std::cell::{Cell, RefCell, UnsafeCell};
use std::ffi::{c_char, c_int, c_void};
use std::fmt;
use std::ptr::null_mut;
use std::rc::{Rc, Weak};

use mlua::ffi::*;

use super::VmOptions;
use super::arena::{Arena, MIN_THRESHOLD};
use super::atoms::Atom;
use super::failure::{self, Failure};
use super::native::Cx;
use super::outside::Outside;
use super::types::{DataType, TypeTable};
use super::values;
use super::watchdog::{Deadline, Watched};
use crate::peer::Peer;
use crate::value::Value;

/// Tags of light userdata a VM can tell apart.
pub(super) const LIGHT_TAGS: usize = 16;
/// Tags of full userdata that datatypes may use; the tag above is ours.
pub(super) const DATA_TAGS: usize = 100;
/// Tag of the userdata that owns a host value.
pub(super) const OWNED_TAG: c_int = 101;

// A thread's data word: owner in the upper half, then whether its end is awaited, then the number of its current wait.
const _: () = assert!(usize::BITS == 64, "a thread's owner and wait number share one pointer");
const WATCHED: u64 = 1 << 31;
const SERIAL: u64 = WATCHED - 1;

/// What a VM needs on the host's side. Reached from Luau through the callbacks' userdata.
pub(super) struct Inner {
    /// The main state; null once the VM is gone.
    pub(super) main: Cell<*mut lua_State>,
    pub(super) arena: UnsafeCell<Box<Arena>>,
    /// The state whose native function runs now, else null.
    pub(super) current: Cell<*mut lua_State>,
    pub(super) light: [Cell<Option<TypeTable>>; LIGHT_TAGS],
    pub(super) data: [Cell<Option<DataType>>; DATA_TAGS],
    pub(super) vector: Cell<Option<TypeTable>>,
    pub(super) host: RefCell<Weak<Peer>>,
    /// Host values behind native functions, by number.
    pub(super) owned: RefCell<Vec<Option<Rc<dyn Any>>>>,
    pub(super) owned_free: RefCell<Vec<u32>>,
    /// Numbers of host values whose userdata was collected, to be dropped at the next safe moment.
    pub(super) collected: RefCell<Vec<u32>>,
    pub(super) ended: RefCell<Vec<Ended>>,
    pub(super) serial: Cell<u32>,
    /// Names known when the VM was made; with more, a cached number may be stale.
    pub(super) atoms: usize,
    pub(super) deadline: Deadline,
    pub(super) outside: Outside,
    /// Whether it is a side's VM, whose resumptions have a limit of their own.
    pub(super) is_side: Cell<bool>,
    pub(super) watched: RefCell<Option<Watched>>,
    /// Registry references of the shared environment metatable and the cache of method functions.
    pub(super) env_metatable: Cell<c_int>,
    pub(super) methods: Cell<c_int>,
    pub(super) collections: Cell<u32>,
    /// A thread that never runs: carries error values from a stack into a protected call.
    pub(super) carrier: Cell<*mut lua_State>,
}

/// A watched thread that has ended.
pub(super) struct Ended {
    pub(super) thread: usize,
    pub(super) result: Result<Vec<Value>, Failure>,
}

impl Inner {
    /// The host state of the VM that `l` belongs to.
    ///
    /// # Safety
    /// `l` is a live state made by this module. The reference is valid while the VM is.
    pub(super) unsafe fn of<'a>(l: *mut lua_State) -> &'a Inner {
        // SAFETY: creation stored this pointer, and the `Rc` outlives the VM.
        unsafe { &*(*lua_callbacks(l)).userdata.cast::<Inner>() }
    }

    pub(super) fn is_alive(&self) -> bool {
        !self.main.get().is_null()
    }

    /// A new wait number, never 0.
    pub(super) fn next_serial(&self) -> u32 {
        let next = if u64::from(self.serial.get()) >= SERIAL { 1 } else { self.serial.get() + 1 };
        self.serial.set(next);
        next
    }

    /// Keeps a host value and gives its number.
    pub(super) fn own(&self, value: Rc<dyn Any>) -> u32 {
        let mut owned = self.owned.borrow_mut();
        if let Some(index) = self.owned_free.borrow_mut().pop() {
            owned[index as usize] = Some(value);
            return index;
        }
        owned.push(Some(value));
        (owned.len() - 1) as u32
    }

    /// Drops host values whose functions were collected. Only outside a collection.
    pub(super) fn release_collected(&self) {
        while let Some(index) = { self.collected.borrow_mut().pop() } {
            let value = self.owned.borrow_mut().get_mut(index as usize).and_then(Option::take);
            self.owned_free.borrow_mut().push(index);
            drop(value);
        }
    }

    /// A full collection. Luau would pace itself by the wall clock, so its own pacing stays off.
    ///
    /// # Safety
    /// `l` is a live state of this VM at a safepoint.
    pub(super) unsafe fn collect(&self, l: *mut lua_State) {
        // SAFETY: the arena outlives the VM; no reference to it is held here while Luau runs.
        unsafe {
            (*self.arena.get()).threshold = usize::MAX;
            lua_gc(l, LUA_GCCOLLECT, 0);
            lua_gc(l, LUA_GCSTOP, 0);
            self.collections.set(self.collections.get() + 1);
            let arena = &mut *self.arena.get();
            let live = arena.used;
            let mut threshold = MIN_THRESHOLD.max(live * 2);
            if arena.limit > 0 {
                // Collect in time before the limit, but not for every few bytes once it is near.
                let middle = live + arena.limit.saturating_sub(live) / 2;
                threshold = threshold.min(middle.max(live + arena.limit / 64));
            }
            arena.threshold = threshold;
        }
        self.release_collected();
    }
}

/// Owner of a thread: the number of the script run it belongs to, 0 for none.
///
/// # Safety
/// `l` is a live state.
pub(super) unsafe fn owner(l: *mut lua_State) -> u32 {
    // SAFETY: given.
    (unsafe { lua_getthreaddata(l) } as u64 >> 32) as u32
}

/// # Safety
/// `l` is a live state.
unsafe fn edit_data(l: *mut lua_State, edit: impl FnOnce(u64) -> u64) {
    // SAFETY: given; the word is never dereferenced.
    unsafe { lua_setthreaddata(l, edit(lua_getthreaddata(l) as u64) as *mut c_void) };
}

/// # Safety
/// `l` is a live state.
pub(super) unsafe fn set_owner(l: *mut lua_State, owner: u32) {
    // SAFETY: given.
    unsafe { edit_data(l, |data| (data & 0xffff_ffff) | u64::from(owner) << 32) };
}

/// # Safety
/// `l` is a live state.
pub(super) unsafe fn set_serial(l: *mut lua_State, serial: u32) {
    // SAFETY: given.
    unsafe { edit_data(l, |data| (data & !SERIAL) | (u64::from(serial) & SERIAL)) };
}

/// # Safety
/// `l` is a live state.
pub(super) unsafe fn serial(l: *mut lua_State) -> u32 {
    // SAFETY: given.
    (unsafe { lua_getthreaddata(l) } as u64 & SERIAL) as u32
}

/// # Safety
/// `l` is a live state.
pub(super) unsafe fn watch(l: *mut lua_State) {
    // SAFETY: given.
    unsafe { edit_data(l, |data| data | WATCHED) };
}

/// A new thread belongs to the script of the thread that made it.
pub(super) unsafe extern "C-unwind" fn on_thread(parent: *mut lua_State, child: *mut lua_State) {
    if !parent.is_null() {
        // SAFETY: Luau passes live states.
        unsafe { lua_setthreaddata(child, ((owner(parent) as u64) << 32) as *mut c_void) };
    }
}

/// Any resumption ends the wait the thread was in, whoever resumes it.
pub(super) unsafe extern "C-unwind" fn on_resume(l: *mut lua_State) {
    // SAFETY: Luau passes a live state.
    unsafe { set_serial(l, 0) };
}

/// Takes the results of a watched thread that has just ended, before whoever resumed it moves them away.
pub(super) unsafe extern "C-unwind" fn on_resumed(l: *mut lua_State) {
    // SAFETY: Luau passes a live state of a VM of ours.
    unsafe {
        if lua_getthreaddata(l) as u64 & WATCHED == 0 || lua_status(l) == LUA_YIELD {
            return;
        }
        edit_data(l, |data| data & !WATCHED);
        let inner = Inner::of(l);
        let result =
            if lua_status(l) == LUA_OK { values::take_shallow(inner, l) } else { Err(Failure::of_thread(l)) };
        inner.ended.borrow_mut().push(Ended { thread: l as usize, result });
    }
}

/// Ends the watch of a thread that could not even be resumed: the C stack was used up, and nothing else will tell.
///
/// # Safety
/// `l` is a live state that is not running.
pub(super) unsafe fn end_refused(inner: &Inner, l: *mut lua_State, failure: &Failure) {
    // SAFETY: given.
    unsafe {
        if lua_getthreaddata(l) as u64 & WATCHED != 0 {
            edit_data(l, |data| data & !WATCHED);
            inner.ended.borrow_mut().push(Ended { thread: l as usize, result: Err(failure.clone()) });
        }
    }
}

/// The number of a member name, asked once for each string.
pub(super) unsafe extern "C-unwind" fn on_atom(_l: *mut lua_State, text: *const c_char, len: usize) -> i16 {
    // SAFETY: Luau passes the bytes of a live string.
    let bytes = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), len) };
    Atom::find(bytes).unwrap_or(Atom::NONE).number()
}

/// The safepoint handler: runaway code first, then a due collection.
pub(super) unsafe extern "C-unwind" fn on_interrupt(l: *mut lua_State, gc: c_int) {
    if gc >= 0 {
        return;
    }
    // SAFETY: Luau passes a live state of a VM of ours, at a safepoint.
    unsafe {
        let inner = Inner::of(l);
        if !inner.deadline.is_over() {
            (*lua_callbacks(l)).interrupt = None;
            if !inner.deadline.is_over() {
                if (*inner.arena.get()).used > (*inner.arena.get()).threshold {
                    inner.collect(l);
                }
                return;
            }
            // The deadline passed between the two looks; its order must not be lost.
            (*lua_callbacks(l)).interrupt = Some(on_interrupt);
        }
        inner.deadline.note_stop(|| failure::calls(l));
        lua_rawcheckstack(l, 3);
        let mut at: lua_Debug = std::mem::zeroed();
        let mut level = 0;
        while lua_getinfo(l, level, c"l".as_ptr(), &mut at) != 0 && at.currentline <= 0 {
            level += 1;
        }
        luaL_where(l, level);
        lua_pushstring_(l, c"Script timeout: exhausted allowed execution time".as_ptr());
        lua_concat(l, 2);
        lua_error(l)
    }
}

/// The userdata of a host value was collected.
pub(super) unsafe extern "C" fn on_owned_collected(l: *mut lua_State, data: *mut c_void) {
    // SAFETY: the userdata holds the number written when it was made.
    unsafe {
        let index = *data.cast::<u32>();
        Inner::of(l).collected.borrow_mut().push(index);
    }
}

/// What kind of value a [`Handle`] keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A function.
    Function,
    /// A thread.
    Thread,
    /// A table.
    Table,
    /// Userdata or anything else.
    Other,
}

impl Kind {
    /// Luau's name for it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Function => "function",
            Kind::Thread => "thread",
            Kind::Table => "table",
            Kind::Other => "userdata",
        }
    }

    pub(super) fn of(type_: c_int) -> Kind {
        match type_ {
            LUA_TFUNCTION => Kind::Function,
            LUA_TTHREAD => Kind::Thread,
            LUA_TTABLE => Kind::Table,
            _ => Kind::Other,
        }
    }
}

/// Keeps one value of a VM alive. Cheap to clone; dropping the last clone lets the collector have it.
///
/// A handle that outlives its VM is harmless and names nothing.
#[derive(Clone)]
pub struct Handle(Rc<HandleInner>);

struct HandleInner {
    vm: Rc<Inner>,
    reference: c_int,
    kind: Kind,
    /// Address of the value, and for a thread its state.
    address: *mut c_void,
}

impl Handle {
    /// A handle for the value at `index`.
    ///
    /// # Safety
    /// `l` is a live state with a slot at `index`; may raise.
    pub(super) unsafe fn take(l: *mut lua_State, index: c_int) -> Handle {
        // SAFETY: given. The `Rc` behind `Inner::of` is alive, so its count may be raised.
        unsafe {
            let vm: *const Inner = Inner::of(l);
            let kind = Kind::of(lua_type(l, index));
            let address = match kind {
                Kind::Thread => lua_tothread(l, index).cast(),
                _ => lua_topointer(l, index).cast_mut(),
            };
            let reference = lua_ref(l, index);
            Rc::increment_strong_count(vm);
            Handle(Rc::new(HandleInner { vm: Rc::from_raw(vm), reference, kind, address }))
        }
    }

    /// What it keeps.
    pub fn kind(&self) -> Kind {
        self.0.kind
    }

    /// Whether both name the same value.
    pub fn same(&self, other: &Handle) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
            || (Rc::ptr_eq(&self.0.vm, &other.0.vm)
                && self.0.kind == other.0.kind
                && self.0.address == other.0.address
                && !self.0.address.is_null())
    }

    /// The peer whose VM it names, while that is alive.
    pub fn peer(&self) -> Option<Rc<Peer>> {
        self.0.vm.host.borrow().upgrade()
    }

    /// A number that tells values of one VM apart while they are alive. Differs between runs: never show it.
    pub fn key(&self) -> usize {
        self.0.address as usize
    }

    pub(super) fn belongs_to(&self, vm: &Inner) -> bool {
        std::ptr::eq(Rc::as_ptr(&self.0.vm), vm) && vm.is_alive()
    }

    /// The thread's state, if it is a live thread of `vm`.
    pub(super) fn thread_of(&self, vm: &Inner) -> Option<*mut lua_State> {
        (self.0.kind == Kind::Thread && self.belongs_to(vm)).then_some(self.0.address.cast())
    }

    pub(super) fn reference(&self) -> c_int {
        self.0.reference
    }
}

impl Drop for HandleInner {
    fn drop(&mut self) {
        let main = self.vm.main.get();
        if !main.is_null() {
            // SAFETY: the VM is alive; giving up a reference neither allocates nor raises.
            unsafe { lua_unref(main, self.reference) };
        }
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.kind.name())
    }
}

/// Waiting of one thread: who resumes it needs this. Stale once anything else has resumed the thread.
#[derive(Clone, Debug)]
pub struct Parked {
    pub(super) thread: Handle,
    pub(super) serial: u32,
}

impl Parked {
    /// The waiting thread.
    pub fn thread(&self) -> &Handle {
        &self.thread
    }
}

/// Marks the native function of `l` as running, for the C depth of resumptions it makes.
///
/// # Safety
/// `l` is the live state that called the native function.
pub(super) unsafe fn entered<'a>(l: *mut lua_State) -> &'a Inner {
    // SAFETY: given.
    let inner = unsafe { Inner::of(l) };
    inner.current.set(l);
    inner
}

/// The state to name as the resumer: the running one, or null.
pub(super) fn resumer(inner: &Inner) -> *mut lua_State {
    inner.current.get()
}

/// Runs `f` with a context on the main state, protected. A raise of Luau ends in `Err`.
pub(super) fn protect<R>(
    inner: &Inner,
    f: impl FnOnce(&mut Cx<'_>) -> Result<R, super::native::Raise>,
) -> Result<R, Failure> {
    struct Call<F, R> {
        f: Option<F>,
        result: Option<Result<R, super::native::Raise>>,
    }
    unsafe extern "C-unwind" fn run<F, R>(l: *mut lua_State) -> c_int
    where
        F: FnOnce(&mut Cx<'_>) -> Result<R, super::native::Raise>,
    {
        // SAFETY: `protect` passes the address of its `Call`, alive until the protected call returns.
        unsafe {
            let call = &mut *lua_tolightuserdata(l, 1).cast::<Call<F, R>>();
            lua_settop(l, 0);
            if let Some(f) = call.f.take() {
                let mut cx = Cx::new(l, 0);
                call.result = Some(f(&mut cx));
            }
        }
        0
    }
    fn runner<F, R>(_: &Call<F, R>) -> lua_CFunction
    where
        F: FnOnce(&mut Cx<'_>) -> Result<R, super::native::Raise>,
    {
        run::<F, R>
    }

    let main = inner.main.get();
    if main.is_null() {
        return Err(Failure::text("the VM is closed"));
    }
    // A safepoint of the host: near the limit nothing could be allocated below.
    // SAFETY: no reference into the arena is held across the collection.
    unsafe {
        if (*inner.arena.get()).wants_collection() {
            inner.collect(main);
        }
    }
    let mut call = Call { f: Some(f), result: None };
    let function = runner(&call);
    let before = inner.current.replace(main);
    // SAFETY: the main state is alive and never suspended; `call` outlives the call.
    let status = unsafe { lua_cpcall(main, function, (&raw mut call).cast()) };
    inner.current.set(before);
    if status != LUA_OK {
        // SAFETY: a failed protected call leaves its error on top.
        let failure = unsafe { Failure::on_stack(main) };
        unsafe { lua_pop(main, 1) };
        return Err(failure);
    }
    match call.result.take() {
        Some(result) => result.map_err(Failure::from),
        None => Err(Failure::text("the VM did not run the call")),
    }
}

/// A fresh host state; the VM's main state comes later.
pub(super) fn new_inner(arena: Box<Arena>, options: &VmOptions) -> Rc<Inner> {
    Rc::new(Inner {
        main: Cell::new(null_mut()),
        arena: UnsafeCell::new(arena),
        current: Cell::new(null_mut()),
        light: std::array::from_fn(|_| Cell::new(None)),
        data: std::array::from_fn(|_| Cell::new(None)),
        vector: Cell::new(None),
        host: RefCell::new(Weak::new()),
        owned: RefCell::default(),
        owned_free: RefCell::default(),
        collected: RefCell::default(),
        ended: RefCell::default(),
        serial: Cell::new(0),
        atoms: Atom::count(),
        deadline: options.deadline.clone(),
        outside: Outside::new(options.host_memory_limit),
        is_side: Cell::new(false),
        watched: RefCell::new(None),
        env_metatable: Cell::new(LUA_NOREF),
        methods: Cell::new(LUA_NOREF),
        collections: Cell::new(0),
        carrier: Cell::new(null_mut()),
    })
}
