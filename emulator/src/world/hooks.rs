//! Telling tests what happens while it happens. Source: emulator requirements, 6.4.
//!
//! Most notices are read off the trace at the end of each phase, when no borrow is held and what was recorded is whole.
//! A hook may look at the world, change links and send messages; it cannot move time.

use std::cell::{Cell, RefCell};

use super::World;
use crate::clock::Time;
use crate::shared::{LogLine, Side};
use crate::trace::{Event, Fate, Packet};

/// Something that happened.
#[derive(Clone, Debug)]
pub enum Notice {
    /// A remote call was made.
    Send(Packet),
    /// A packet arrived.
    Arrive {
        /// The packet.
        packet: Packet,
        /// Where.
        side: Side,
        /// Whether it waits for a listener.
        queued: bool,
    },
    /// A packet will not arrive, or was not handled.
    Drop {
        /// The packet.
        packet: Packet,
        /// Where it was to go.
        side: Side,
        /// Why.
        why: Fate,
    },
    /// A client joined.
    Join {
        /// Its side.
        side: Side,
        /// Its player's name.
        name: String,
    },
    /// A client left.
    Leave {
        /// Its side.
        side: Side,
        /// Its player's name.
        name: String,
        /// Why.
        reason: String,
    },
    /// A side begins a frame.
    Frame {
        /// The side.
        side: Side,
        /// Time since its last one.
        dt: Time,
    },
    /// A side printed a line.
    Log(LogLine),
}

impl Notice {
    /// What hooks on it are asked for by.
    pub fn name(&self) -> &'static str {
        match self {
            Notice::Send(_) => "send",
            Notice::Arrive { .. } => "arrive",
            Notice::Drop { .. } => "drop",
            Notice::Join { .. } => "join",
            Notice::Leave { .. } => "leave",
            Notice::Frame { .. } => "frame",
            Notice::Log(_) => "log",
        }
    }

    /// All names.
    pub const NAMES: [&str; 7] = ["send", "arrive", "drop", "join", "leave", "frame", "log"];
}

/// What is called with a notice.
pub type Hook = Box<dyn FnMut(&Notice)>;

struct Entry {
    id: u64,
    name: &'static str,
    hook: Hook,
}

/// The hooks of a world.
#[derive(Default)]
pub(super) struct Hooks {
    list: RefCell<Vec<Entry>>,
    removed: RefCell<Vec<u64>>,
    count: Cell<usize>,
    next: Cell<u64>,
    /// Records of the trace that hooks have been told of.
    seen: Cell<usize>,
    telling: Cell<bool>,
}

impl World {
    /// Has `hook` told of every notice of that name (see [`Notice::NAMES`]) from now on. Returns a number for
    /// [`World::unhook`]; `None` for a name that is none.
    pub fn hook(&self, name: &str, hook: Hook) -> Option<u64> {
        let name = Notice::NAMES.into_iter().find(|known| *known == name)?;
        let hooks = &self.hooks;
        if hooks.count.get() == 0 {
            hooks.seen.set(self.core.trace().records().len());
        }
        let id = hooks.next.get() + 1;
        hooks.next.set(id);
        hooks.count.set(hooks.count.get() + 1);
        hooks.list.borrow_mut().push(Entry { id, name, hook });
        Some(id)
    }

    /// Ends what [`World::hook`] began.
    pub fn unhook(&self, id: u64) {
        self.hooks.removed.borrow_mut().push(id);
        if !self.hooks.telling.get() {
            self.hooks.sweep();
        }
    }

    /// Tells hooks what was recorded since the last time.
    pub(super) fn notify(&self) {
        if self.hooks.count.get() == 0 || self.hooks.telling.get() {
            return;
        }
        self.core.trace_diagnostics();
        loop {
            let notice = {
                let trace = self.core.trace();
                let at = self.hooks.seen.get();
                let Some(record) = trace.records().get(at) else { return };
                self.hooks.seen.set(at + 1);
                let packet = |index: usize| trace.packets()[index].clone();
                match &record.event {
                    Event::Send(index) => Notice::Send(packet(*index)),
                    Event::Arrive { packet: index, queued, .. } => {
                        Notice::Arrive { packet: packet(*index), side: record.side, queued: *queued }
                    }
                    Event::Drop { packet: index, why } => {
                        Notice::Drop { packet: packet(*index), side: record.side, why: *why }
                    }
                    Event::Join { name, .. } => Notice::Join { side: record.side, name: name.clone() },
                    Event::Leave { name, reason, .. } => {
                        Notice::Leave { side: record.side, name: name.clone(), reason: reason.clone() }
                    }
                    Event::Log(line) => Notice::Log(line.clone()),
                    _ => continue,
                }
            };
            self.hooks.tell(&notice);
        }
    }

    /// Tells hooks that a side begins a frame.
    pub(super) fn notify_frame(&self, side: Side, dt: Time) {
        if self.hooks.count.get() > 0 && !self.hooks.telling.get() {
            self.hooks.tell(&Notice::Frame { side, dt });
        }
    }
}

impl Hooks {
    fn tell(&self, notice: &Notice) {
        // Taken out, so that a hook may add and remove some. What hooks themselves cause is told of afterwards.
        let mut taken = std::mem::take(&mut *self.list.borrow_mut());
        self.telling.set(true);
        for entry in &mut taken {
            if entry.name == notice.name() && !self.removed.borrow().contains(&entry.id) {
                (entry.hook)(notice);
            }
        }
        self.telling.set(false);
        let added = std::mem::replace(&mut *self.list.borrow_mut(), taken);
        self.list.borrow_mut().extend(added);
        self.sweep();
    }

    fn sweep(&self) {
        let removed = std::mem::take(&mut *self.removed.borrow_mut());
        let mut list = self.list.borrow_mut();
        list.retain(|entry| !removed.contains(&entry.id));
        self.count.set(list.len());
    }
}
