//! Memory of one VM: a window of address space of its own, aligned to 4 GiB.
//!
//! Luau hashes tables, functions and threads by the low 32 bits of their address. A window that starts at a multiple of
//! 4 GiB and is filled from the bottom in a fixed order therefore gives equal hashes, and so equal iteration order, in
//! every run. Address space is reserved without being committed and committed in steps. Where that is refused, memory
//! comes from the system allocator and [`Arena::is_stable`] says so.
//!
//! The arena also counts bytes: over the limit an allocation fails, and over the collection threshold it arms the VM's
//! interrupt, since only a safepoint may collect.

use std::alloc::Layout;
use std::ffi::c_void;
use std::ptr::null_mut;

use mlua::ffi::lua_Callbacks;

/// Size and alignment of a window, in bytes.
const WINDOW: usize = 1 << 32;
/// Memory is committed in steps of this many bytes at least.
const COMMIT_STEP: usize = 256 << 10;
/// A window that committed more than this is given back to the system instead of being kept for the next VM.
const KEEP_COMMITTED: usize = 8 << 20;
/// Windows kept by a thread for its next VMs.
const KEEP_WINDOWS: usize = 16;
/// The first address handed out lies this far above the base, so that no object prints as address zero.
const FIRST: usize = 64;
/// Blocks up to this size have classes 16 bytes apart; above it four classes to a power of two.
const SMALL: usize = 512;
const SMALL_CLASSES: usize = SMALL / 16 + 1;
const CLASSES: usize = SMALL_CLASSES + 4 * 24;

/// Smallest collection threshold in bytes.
pub(super) const MIN_THRESHOLD: usize = 1 << 20;

/// The allocator state of one VM. Boxed: Luau keeps its address.
pub(super) struct Arena {
    window: Option<Window>,
    /// Next byte never handed out.
    top: usize,
    /// Free blocks of each class, linked through their first word.
    free: [usize; CLASSES],
    /// Bytes the VM has asked for and not given back.
    pub(super) used: usize,
    /// Largest `used` allowed; 0 means no limit.
    pub(super) limit: usize,
    /// `used` above this arms the collector.
    pub(super) threshold: usize,
    /// Where to arm, once the VM exists.
    pub(super) callbacks: *mut lua_Callbacks,
    /// What to arm.
    pub(super) interrupt: Option<unsafe extern "C-unwind" fn(*mut mlua::ffi::lua_State, std::ffi::c_int)>,
}

/// A reserved window. `base` is aligned to [`WINDOW`].
struct Window {
    map: *mut c_void,
    base: usize,
    committed: usize,
}

thread_local! {
    static SPARE: std::cell::RefCell<Vec<Window>> = const { std::cell::RefCell::new(Vec::new()) };
}

impl Arena {
    /// An empty arena. `stable` false asks for the system allocator at once (tests of the fallback).
    pub(super) fn new(stable: bool, limit: usize) -> Box<Arena> {
        let window = if stable {
            SPARE.try_with(|spare| spare.borrow_mut().pop()).ok().flatten().or_else(Window::reserve)
        } else {
            None
        };
        let top = window.as_ref().map_or(0, |window| window.base + FIRST);
        Box::new(Arena {
            window,
            top,
            free: [0; CLASSES],
            used: 0,
            limit,
            threshold: usize::MAX,
            callbacks: null_mut(),
            interrupt: None,
        })
    }

    /// Whether addresses, and with them iteration order, are equal in every run.
    pub(super) fn is_stable(&self) -> bool {
        self.window.is_some()
    }

    /// Whether the host should collect before it allocates: the threshold is passed, or the limit is close.
    pub(super) fn wants_collection(&self) -> bool {
        self.used > self.threshold || (self.limit > 0 && self.used + self.limit / 64 > self.limit)
    }

    /// Lowest address of the window; 0 for the system allocator.
    pub(super) fn base(&self) -> usize {
        self.window.as_ref().map_or(0, |window| window.base)
    }

    /// The address at which Luau finds this arena again.
    pub(super) fn as_userdata(&mut self) -> *mut c_void {
        (self as *mut Arena).cast()
    }

    fn take(&mut self, bytes: usize) -> *mut c_void {
        let Some(window) = &mut self.window else {
            let Ok(layout) = Layout::from_size_align(bytes, 16) else { return null_mut() };
            // SAFETY: the size is not zero; Luau never asks for an empty block.
            return unsafe { std::alloc::alloc(layout) }.cast();
        };
        let Some((class, size)) = class_of(bytes) else { return null_mut() };
        let block = self.free[class];
        if block != 0 {
            // SAFETY: a free block lies in the committed window and holds the link to the next one.
            self.free[class] = unsafe { *(block as *const usize) };
            return block as *mut c_void;
        }
        let block = self.top;
        let Some(end) = block.checked_add(size).filter(|end| *end <= window.base + WINDOW) else {
            return null_mut();
        };
        if !window.commit_to(end) {
            return null_mut();
        }
        self.top = end;
        block as *mut c_void
    }

    /// # Safety
    /// `block` came from `take` of this arena with the same size.
    unsafe fn give(&mut self, block: *mut c_void, bytes: usize) {
        if self.window.is_none() {
            // SAFETY: the same layout was used to allocate it.
            unsafe { std::alloc::dealloc(block.cast(), Layout::from_size_align_unchecked(bytes, 16)) };
            return;
        }
        if let Some((class, _)) = class_of(bytes) {
            // SAFETY: every class is at least 16 bytes, so the link fits.
            unsafe { *block.cast::<usize>() = self.free[class] };
            self.free[class] = block as usize;
        }
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        if let Some(window) = self.window.take() {
            window.retire();
        }
    }
}

/// Class and rounded size of a request; `None` when it is larger than a window.
fn class_of(bytes: usize) -> Option<(usize, usize)> {
    if bytes <= SMALL {
        let size = bytes.max(16).div_ceil(16) * 16;
        return Some((size / 16, size));
    }
    if bytes > WINDOW {
        return None;
    }
    let power = (bytes - 1).ilog2() as usize; // 2^power < bytes <= 2^(power+1)
    let quarter = 1usize << (power - 2);
    let steps = (bytes - (1 << power)).div_ceil(quarter); // 1..=4
    let class = SMALL_CLASSES + (power - 9) * 4 + steps - 1;
    Some((class, (1 << power) + steps * quarter))
}

/// Luau's allocator. `userdata` is the arena.
///
/// # Safety
/// Called by Luau with blocks of this arena only.
pub(super) unsafe extern "C" fn allocate(
    userdata: *mut c_void,
    block: *mut c_void,
    old: usize,
    new: usize,
) -> *mut c_void {
    // SAFETY: the arena outlives the VM that was made with it, and a VM is used by one thread.
    let arena = unsafe { &mut *userdata.cast::<Arena>() };
    let old = if block.is_null() { 0 } else { old };
    if new == 0 {
        if !block.is_null() {
            arena.used -= old;
            // SAFETY: passed on from Luau.
            unsafe { arena.give(block, old) };
        }
        return null_mut();
    }
    if new > old && arena.limit > 0 && arena.used + (new - old) > arena.limit {
        return null_mut();
    }
    let stays = !block.is_null()
        && arena.window.is_some()
        && class_of(old).zip(class_of(new)).is_some_and(|(a, b)| a.0 == b.0);
    let moved = if stays {
        block
    } else {
        let moved = arena.take(new);
        if moved.is_null() {
            return null_mut();
        }
        if !block.is_null() {
            // SAFETY: both blocks are alive, distinct, and at least this long.
            unsafe {
                std::ptr::copy_nonoverlapping(block.cast::<u8>(), moved.cast::<u8>(), old.min(new));
                arena.give(block, old);
            }
        }
        moved
    };
    arena.used = arena.used + new - old;
    if arena.used > arena.threshold && !arena.callbacks.is_null() {
        // SAFETY: the callbacks live in the VM that is allocating right now.
        unsafe { (*arena.callbacks).interrupt = arena.interrupt };
    }
    moved
}

impl Window {
    /// Address space for one VM, nothing committed. `None` when the system refuses.
    fn reserve() -> Option<Window> {
        let map = system::reserve(2 * WINDOW)?;
        let base = (map as usize).next_multiple_of(WINDOW);
        Some(Window { map, base, committed: base })
    }

    /// Makes everything below `end` usable.
    fn commit_to(&mut self, end: usize) -> bool {
        if end <= self.committed {
            return true;
        }
        // Steps grow with the window, so that a large heap costs few system calls.
        let step = COMMIT_STEP.max((self.committed - self.base) / 4);
        let target = end.max(self.committed + step).next_multiple_of(COMMIT_STEP).min(self.base + WINDOW);
        let ok = system::commit(self.committed, target - self.committed);
        if ok {
            self.committed = target;
        }
        ok
    }

    /// Keeps a small window for the next VM of this thread, gives a large one back.
    fn retire(self) {
        if self.committed - self.base <= KEEP_COMMITTED {
            let mut window = Some(self);
            let _ = SPARE.try_with(|spare| {
                let mut spare = spare.borrow_mut();
                if spare.len() < KEEP_WINDOWS {
                    spare.extend(window.take());
                }
            });
        }
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        system::release(self.map, 2 * WINDOW);
    }
}

#[cfg(unix)]
mod system {
    //! Address space on Unix.
    use std::ffi::c_void;

    pub(super) fn reserve(bytes: usize) -> Option<*mut c_void> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: an anonymous mapping at an address of the system's choice touches nothing that exists.
        let map = unsafe { libc::mmap(std::ptr::null_mut(), bytes, libc::PROT_NONE, flags, -1, 0) };
        (map != libc::MAP_FAILED).then_some(map)
    }

    pub(super) fn commit(start: usize, bytes: usize) -> bool {
        // SAFETY: the range lies in a window reserved by us.
        unsafe { libc::mprotect(start as *mut c_void, bytes, libc::PROT_READ | libc::PROT_WRITE) == 0 }
    }

    pub(super) fn release(map: *mut c_void, bytes: usize) {
        // SAFETY: the mapping is ours and nothing points into it any more.
        unsafe { libc::munmap(map, bytes) };
    }
}

#[cfg(windows)]
mod system {
    //! Address space on Windows.
    use std::ffi::c_void;

    const MEM_COMMIT: u32 = 0x1000;
    const MEM_RESERVE: u32 = 0x2000;
    const MEM_RELEASE: u32 = 0x8000;
    const PAGE_NOACCESS: u32 = 1;
    const PAGE_READWRITE: u32 = 4;

    unsafe extern "system" {
        fn VirtualAlloc(address: *mut c_void, size: usize, kind: u32, protect: u32) -> *mut c_void;
        fn VirtualFree(address: *mut c_void, size: usize, kind: u32) -> i32;
    }

    pub(super) fn reserve(bytes: usize) -> Option<*mut c_void> {
        // SAFETY: reserving address space touches nothing that exists.
        let map = unsafe { VirtualAlloc(std::ptr::null_mut(), bytes, MEM_RESERVE, PAGE_NOACCESS) };
        (!map.is_null()).then_some(map)
    }

    pub(super) fn commit(start: usize, bytes: usize) -> bool {
        // SAFETY: the range lies in a window reserved by us.
        !unsafe { VirtualAlloc(start as *mut c_void, bytes, MEM_COMMIT, PAGE_READWRITE) }.is_null()
    }

    pub(super) fn release(map: *mut c_void, _bytes: usize) {
        // SAFETY: the reservation is ours and nothing points into it any more.
        unsafe { VirtualFree(map, 0, MEM_RELEASE) };
    }
}

#[cfg(not(any(unix, windows)))]
mod system {
    //! Systems whose address space we do not manage: the system allocator serves.
    use std::ffi::c_void;

    pub(super) fn reserve(_bytes: usize) -> Option<*mut c_void> {
        None
    }

    pub(super) fn commit(_start: usize, _bytes: usize) -> bool {
        false
    }

    pub(super) fn release(_map: *mut c_void, _bytes: usize) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_hold_what_was_asked_and_waste_at_most_a_quarter() {
        let mut last = 0;
        for bytes in (1..100_000).chain([1 << 20, (1 << 20) + 1, 3 << 29, WINDOW]) {
            let (class, size) = class_of(bytes).unwrap();
            assert!(size >= bytes && class < CLASSES, "{bytes}");
            assert!(bytes <= SMALL || size <= bytes + bytes / 4, "{bytes} -> {size}");
            assert!(class >= last);
            last = class;
        }
        assert!(class_of(WINDOW + 1).is_none());
    }

    #[test]
    fn blocks_come_from_the_bottom_and_are_reused() {
        let mut arena = Arena::new(true, 0);
        let ud = arena.as_userdata();
        // SAFETY: blocks are used as Luau would.
        unsafe {
            let a = allocate(ud, null_mut(), 0, 100);
            let b = allocate(ud, null_mut(), 0, 100);
            assert_eq!(a as usize - arena.base(), FIRST);
            assert_eq!(b as usize - a as usize, 112);
            assert_eq!(allocate(ud, a, 100, 110), a);
            allocate(ud, a, 110, 0);
            assert_eq!(allocate(ud, null_mut(), 0, 105), a);
            assert_eq!(arena.used, 205);
        }
    }

    #[test]
    fn limit_refuses() {
        for stable in [true, false] {
            let mut arena = Arena::new(stable, 1000);
            let ud = arena.as_userdata();
            // SAFETY: as above.
            unsafe {
                let a = allocate(ud, null_mut(), 0, 900);
                assert!(!a.is_null());
                assert!(allocate(ud, null_mut(), 0, 200).is_null());
                let a = allocate(ud, a, 900, 1000);
                assert!(!a.is_null());
                allocate(ud, a, 1000, 0);
                assert_eq!(arena.used, 0);
            }
        }
    }
}
