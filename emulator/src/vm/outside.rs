//! Memory outside of VMs: what the host holds for scripts.
//!
//! Instances, calls on their way, stored values and output lie on the host's heap, which no VM's limit sees. A program
//! that wants them bounded makes [`Counted`] its allocator; it counts what each thread holds, and everything of a world
//! is on one thread. [`Outside`] is the view of one VM: how much has come since the VM was made, and in this resumption.
//! Native functions look at it before they take something in ([`super::Cx::check_memory`]), so that whoever takes more
//! gets an error while everything else goes on.

use std::alloc::{GlobalAlloc, Layout};
use std::cell::Cell;

thread_local! {
    /// Bytes this thread has asked for less those it gave back. Below 0 where it frees what another asked for.
    static HELD: Cell<isize> = const { Cell::new(0) };
}

/// The text of Luau's own error.
pub(super) const NOT_ENOUGH: &str = "not enough memory";

/// An allocator that counts what each thread holds, over the one that does the work.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counted<A>(pub A);

fn count(bytes: isize) {
    // A cell without a destructor is there as long as its thread.
    HELD.set(HELD.get().wrapping_add(bytes));
}

// SAFETY: every call is passed on as it came; counting neither allocates nor unwinds.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Counted<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: passed on.
        let block = unsafe { self.0.alloc(layout) };
        if !block.is_null() {
            count(layout.size() as isize);
        }
        block
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: passed on.
        let block = unsafe { self.0.alloc_zeroed(layout) };
        if !block.is_null() {
            count(layout.size() as isize);
        }
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: passed on.
        unsafe { self.0.dealloc(block, layout) };
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: passed on.
        let moved = unsafe { self.0.realloc(block, layout, size) };
        if !moved.is_null() {
            count(size as isize - layout.size() as isize);
        }
        moved
    }
}

/// What the host may hold of memory, seen from one VM.
#[derive(Debug)]
pub(super) struct Outside {
    /// Most bytes; 0 for no limit.
    limit: usize,
    /// What the thread held when the VM was made.
    before: isize,
    /// What it held when the resumption that runs now began.
    turn: Cell<isize>,
}

impl Outside {
    pub(super) fn new(limit: usize) -> Outside {
        let before = HELD.get();
        Outside { limit, before, turn: Cell::new(before) }
    }

    /// A resumption of the VM begins.
    pub(super) fn begin_turn(&self) {
        self.turn.set(HELD.get());
    }

    /// Whether `more` bytes would be too many.
    pub(super) fn is_over(&self, more: usize) -> bool {
        let held = usize::try_from(HELD.get().wrapping_sub(self.before)).unwrap_or(0);
        self.limit > 0 && held.saturating_add(more) > self.limit
    }

    /// Whether there is too much, and no small part of it came in this resumption. One that takes in little is not
    /// ended for what others took in.
    pub(super) fn has_run_away(&self) -> bool {
        let grown = HELD.get().wrapping_sub(self.turn.get());
        self.is_over(0) && usize::try_from(grown).is_ok_and(|grown| grown > self.limit / 16)
    }
}
