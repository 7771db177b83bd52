//! Stops runaway code: once a wall clock deadline has passed, the next safepoint of every VM under it raises.
//!
//! One thread a process waits for the earliest deadline and then arms the interrupt of the VMs concerned, so code that
//! keeps its deadline pays nothing. `pcall` cannot hold it off: every later safepoint raises again, until the deadline
//! is set anew.
//!
//! Beside the deadline stands a limit for each single resumption of a side: one that takes longer is stopped alone, and
//! everything else goes on. The watchdog only looks now and then whether the same resumption is still running.

use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use mlua::ffi::lua_Callbacks;

use super::state::on_interrupt;

/// A wall clock deadline shared by the VMs of a world. Clones are the same deadline.
#[derive(Clone, Default, Debug)]
pub struct Deadline(Arc<Shared>);

#[derive(Default, Debug)]
struct Shared {
    expired: AtomicBool,
    /// Whether the resumption that runs now has passed the limit.
    stuck: AtomicBool,
    /// Sides that run now, one inside the other.
    running: AtomicU32,
    /// Resumptions begun and ended so far.
    turns: AtomicU64,
    state: Mutex<State>,
}

#[derive(Default, Debug)]
struct State {
    at: Option<Instant>,
    /// Whether it has ended for good.
    is_final: bool,
    /// Calls of what it stopped first, from the inside out.
    stopped: Option<String>,
    limit: Option<Duration>,
    /// The count of turns last seen, and since when.
    seen: Option<(u64, Instant)>,
    targets: Vec<Target>,
}

/// Address of a VM's callbacks. Only used under the lock that its VM takes to remove itself.
#[derive(Debug, PartialEq)]
struct Target(*mut lua_Callbacks);

// SAFETY: the other thread only writes one pointer-sized field, atomically, while the VM is registered.
unsafe impl Send for Target {}

/// A VM under a deadline; dropped before the VM is.
#[derive(Debug)]
pub(super) struct Watched {
    deadline: Deadline,
    callbacks: *mut lua_Callbacks,
}

impl Deadline {
    /// No deadline yet.
    pub fn new() -> Deadline {
        Deadline::default()
    }

    /// Sets or clears the deadline. A deadline that had passed is forgiven, unless by [`Deadline::end`].
    pub fn set(&self, at: Option<Instant>) {
        {
            let mut state = self.lock();
            if state.is_final {
                return;
            }
            state.at = at;
            state.stopped = None;
            self.0.expired.store(false, Ordering::SeqCst);
        }
        if at.is_some() {
            watch(self);
        }
    }

    /// Has it pass now and for good, from any thread.
    pub fn end(&self) {
        let mut state = self.lock();
        state.at = None;
        state.is_final = true;
        self.0.expired.store(true, Ordering::SeqCst);
        state.arm();
    }

    /// Sets or clears the time a single resumption of a side may take.
    pub fn set_limit(&self, limit: Option<Duration>) {
        let changed = {
            let mut state = self.lock();
            std::mem::replace(&mut state.limit, limit) != limit
        };
        if changed && limit.is_some() {
            watch(self);
        }
    }

    /// A resumption of a side begins; it ends when the value is dropped.
    pub(super) fn begin_turn(&self) -> Turn<'_> {
        self.0.running.fetch_add(1, Ordering::Relaxed);
        self.0.turns.fetch_add(1, Ordering::Relaxed);
        Turn(&self.0)
    }

    /// Calls of the code that it stopped first, from the inside out, a line each.
    pub fn stopped(&self) -> Option<String> {
        self.lock().stopped.clone()
    }

    /// It stops code with these calls.
    pub(super) fn note_stop(&self, calls: impl FnOnce() -> String) {
        if self.is_expired() {
            self.lock().stopped.get_or_insert_with(calls);
        }
    }

    /// Whether both are the same deadline.
    pub fn is(&self, other: &Deadline) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Whether the code that runs now is to be stopped.
    pub(super) fn is_over(&self) -> bool {
        self.is_expired() || self.0.stuck.load(Ordering::Relaxed)
    }

    /// Whether it has passed and stopped, or is about to stop, the code under it.
    pub fn is_expired(&self) -> bool {
        self.0.expired.load(Ordering::SeqCst)
    }

    pub(super) fn register(&self, callbacks: *mut lua_Callbacks) -> Watched {
        let mut state = self.lock();
        state.targets.push(Target(callbacks));
        // A VM that comes too late runs no further than the others.
        if self.is_expired() {
            state.arm();
        }
        drop(state);
        Watched { deadline: self.clone(), callbacks }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Arms all VMs if the time has come; gives the time still to wait for. `None` when there is nothing to watch.
    fn look(&self, now: Instant) -> Option<Instant> {
        let mut state = self.lock();
        // The world is gone once only the watchdog knows its deadline.
        if Arc::strong_count(&self.0) == 1 {
            return None;
        }
        let next = self.look_at_turn(&mut state, now);
        let Some(at) = state.at else { return next };
        if at > now {
            return Some(next.map_or(at, |next| next.min(at)));
        }
        state.at = None;
        self.0.expired.store(true, Ordering::SeqCst);
        state.arm();
        next
    }

    /// Arms all VMs if one resumption has run too long; gives when to look again.
    fn look_at_turn(&self, state: &mut State, now: Instant) -> Option<Instant> {
        let limit = state.limit?;
        let turn = self.0.turns.load(Ordering::Relaxed);
        let since = match state.seen {
            Some((seen, since)) if seen == turn && self.0.running.load(Ordering::Relaxed) > 0 => since,
            _ => now,
        };
        state.seen = Some((turn, since));
        if now.duration_since(since) >= limit {
            self.0.stuck.store(true, Ordering::SeqCst);
            // It may have ended just now: the next one is not to pay for it.
            if self.0.turns.load(Ordering::SeqCst) != turn {
                self.0.stuck.store(false, Ordering::SeqCst);
            }
            state.arm();
        }
        Some(now + (limit / 8).max(Duration::from_millis(5)))
    }
}

impl State {
    fn arm(&self) {
        for target in &self.targets {
            // SAFETY: the VM is alive, since it removes itself under this lock. An `Option` of a function pointer and a
            // pointer have one layout, and the field is aligned.
            unsafe {
                let field = (&raw mut (*target.0).interrupt).cast::<AtomicPtr<()>>();
                (*field).store(on_interrupt as *mut (), Ordering::SeqCst);
            }
        }
    }
}

/// A resumption that runs.
pub(super) struct Turn<'a>(&'a Shared);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let Shared { running, turns, stuck, .. } = self.0;
        running.fetch_sub(1, Ordering::Relaxed);
        turns.fetch_add(1, Ordering::SeqCst);
        if stuck.load(Ordering::Relaxed) {
            stuck.store(false, Ordering::SeqCst);
        }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        self.deadline.lock().targets.retain(|target| target.0 != self.callbacks);
    }
}

struct Watchdog {
    deadlines: Mutex<Vec<Deadline>>,
    changed: Condvar,
}

/// Puts a deadline under the process's watchdog, starting that when it is the first.
fn watch(deadline: &Deadline) {
    static WATCHDOG: OnceLock<Arc<Watchdog>> = OnceLock::new();
    let watchdog = WATCHDOG.get_or_init(|| {
        let watchdog = Arc::new(Watchdog { deadlines: Mutex::default(), changed: Condvar::new() });
        let run = watchdog.clone();
        // Without the thread nothing is stopped, and nothing else breaks.
        let _ = std::thread::Builder::new().name("script watchdog".into()).spawn(move || run.run());
        watchdog
    });
    let mut deadlines = watchdog.deadlines.lock().unwrap_or_else(PoisonError::into_inner);
    if !deadlines.iter().any(|known| known.is(deadline)) {
        deadlines.push(deadline.clone());
    }
    watchdog.changed.notify_one();
}

impl Watchdog {
    fn run(&self) {
        let mut deadlines = self.deadlines.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let now = Instant::now();
            let mut next = None;
            deadlines.retain(|deadline| match deadline.look(now) {
                Some(at) => {
                    next = Some(next.map_or(at, |known: Instant| known.min(at)));
                    true
                }
                None => false,
            });
            deadlines = match next {
                Some(at) => {
                    let wait = self.changed.wait_timeout(deadlines, at.saturating_duration_since(now));
                    wait.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.changed.wait(deadlines).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
}
