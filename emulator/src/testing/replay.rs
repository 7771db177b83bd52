//! Snapshots by repetition: what the test did to a world is written down, and a world made anew from the same seed is
//! taken through it again. Runs are equal, so it ends where the first one was.
//!
//! Written down are the natives a test calls, its calls of functions and instances of sides, the frames the runner
//! lets pass while it waits, and what functions of the test answered when sides called them. The last are answered from
//! the notes the second time, so that nothing of the test itself runs twice. Functions of sides the test holds are
//! counted as they come across; after a repetition each stands for the function that came across in its place.
//!
//! A repetition that goes another way is an error, never a wrong world: the moment and the length of the trace are
//! compared before each entry, and the whole trace at the end.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::{Rc, Weak};

use super::director::Director;
use super::slot::Slot;
use crate::clock::Time;
use crate::membrane::{Membrane, OnEnd, Proxy, Watch};
use crate::value::Value;
use crate::vm::{Cx, NativeFn, Outcome, ThreadEnd};
use crate::world::World;

/// Something a test did to a world.
#[derive(Clone)]
enum Act {
    /// Called a native of the host, its world first among the arguments.
    Native { name: &'static str, arguments: Vec<Value> },
    /// Called a function of a side: the one that came across in that place.
    Call { export: usize, arguments: Vec<Value> },
    /// The runner let a frame pass.
    Frame,
    /// A function of the test that had waited has ended: the answer to that question.
    Answered { ask: usize, end: ThreadEnd },
}

/// An act, and where the world was before it.
#[derive(Clone)]
struct Entry {
    act: Act,
    now: Time,
    records: usize,
}

/// What a function of the test did when a side called it.
#[derive(Clone, Default)]
struct Answer {
    /// What it did to the world before it first waited.
    nested: Vec<Entry>,
    /// What it gave, unless it waited.
    end: Option<ThreadEnd>,
}

/// What was done to one world so far.
#[derive(Default)]
pub struct Journal {
    entries: RefCell<Vec<Entry>>,
    /// Entries of the functions of the test that are running now, the innermost last.
    open: RefCell<Vec<Vec<Entry>>>,
    answers: RefCell<Vec<Answer>>,
    exports: RefCell<Vec<Weak<Proxy>>>,
    again: RefCell<Option<Again>>,
    /// More was done than is kept.
    full: Cell<bool>,
}

/// Most acts and answers that are kept: a world that had more done to it is not repeated in any useful time.
const MOST: usize = 500_000;

/// A repetition under way.
#[derive(Default)]
struct Again {
    exports: Vec<Rc<Proxy>>,
    asked: usize,
    waiting: BTreeMap<usize, OnEnd>,
}

/// Why a server of a universe has no snapshots.
const OF_UNIVERSE: &str =
    "a server of a universe cannot go back alone: what it shares with the others would stay";

/// A moment of a world to come back to.
#[derive(Clone, Copy, Debug)]
pub struct Snapshot {
    entries: usize,
    answers: usize,
    exports: usize,
    problems: usize,
    trace: u64,
}

/// Natives that leave a world as it is, and those about no world.
const PASSIVE: &[&str] = &[
    "newWorld",
    "compile",
    "now",
    "frame",
    "log",
    "errors",
    "packets",
    "decode",
    "diagnostics",
    "trace",
    "stats",
    "linkStats",
    "threads",
    "connections",
    "ping",
    "serverTimeError",
    "get",
    "player",
    "localPlayer",
    "expectError",
    "expectDiagnostic",
    "problems",
    "snapshot",
    "restore",
    "replayTo",
    "sides",
    "draw",
    "testSeed",
    "dropWorlds",
    "worldCount",
    "compareStored",
    "stepAll",
    "remoteClass",
    "dropped",
    "newUniverse",
    "universeOpen",
    "universeServers",
    "universeServer",
    "universeSettle",
    "universeFail",
    "universeMend",
    "universeKill",
    "universeWhere",
    "universeTamper",
    "universeStored",
];

/// Natives that only look at a world that does not change meanwhile.
const LOOKS: &[&str] = &[
    "now",
    "frame",
    "log",
    "errors",
    "packets",
    "diagnostics",
    "stats",
    "linkStats",
    "threads",
    "connections",
    "ping",
    "serverTimeError",
    "get",
];

/// A native that is written down before it runs.
pub struct Recorded {
    director: Weak<Director>,
    name: &'static str,
    function: NativeFn,
}

impl Recorded {
    /// Pushes a native as the Luau half calls it.
    pub fn push(cx: &Cx<'_>, director: &Rc<Director>, name: &'static str, function: NativeFn) {
        if LOOKS.contains(&name) {
            let recorded = Recorded { director: Rc::downgrade(director), name, function };
            cx.push_closure(name, run_look, Rc::new(recorded));
        } else if PASSIVE.contains(&name) {
            cx.push_closure(name, function, director.handle());
        } else {
            let recorded = Recorded { director: Rc::downgrade(director), name, function };
            cx.push_closure(name, run_recorded, Rc::new(recorded));
        }
    }

    /// The director it belongs to.
    pub fn director(&self) -> Option<Rc<Director>> {
        self.director.upgrade()
    }
}

fn run_look(cx: &mut Cx<'_>) -> Outcome {
    let native = cx.captured::<Recorded>().ok_or("the test run is over")?;
    Director::of(cx)?.looked()?;
    (native.function)(cx)
}

fn run_recorded(cx: &mut Cx<'_>) -> Outcome {
    let native = cx.captured::<Recorded>().ok_or("the test run is over")?;
    let director = Director::of(cx)?;
    director.acted();
    let slot = cx.number(1).ok().and_then(|number| director.worlds.get(number as u32).ok());
    if let Some(slot) = slot {
        let arguments = Membrane::arguments(cx, 1)?;
        slot.journal.note(&slot.world, Act::Native { name: native.name, arguments });
    }
    (native.function)(cx)
}

fn digest(world: &World) -> u64 {
    let mut hasher = DefaultHasher::new();
    world.trace().to_text().hash(&mut hasher);
    hasher.finish()
}

impl Journal {
    fn note(&self, world: &World, act: Act) {
        if self.again.borrow().is_some() || self.is_full() {
            return;
        }
        let entry = Entry { act, now: world.now(), records: world.core().trace().records().len() };
        match self.open.borrow_mut().last_mut() {
            Some(inner) => inner.push(entry),
            None => self.entries.borrow_mut().push(entry),
        }
    }

    /// The runner lets a frame pass.
    pub fn note_frame(&self, world: &World) {
        self.note(world, Act::Frame);
    }

    /// The test reads, writes or calls a member of a side's instance.
    pub fn note_member(&self, world: &World, arguments: Vec<Value>) {
        self.note(world, Act::Native { name: "forward", arguments });
    }

    /// Whether more was done than is kept. What was kept until then is let go.
    fn is_full(&self) -> bool {
        if !self.full.get() && self.entries.borrow().len() + self.answers.borrow().len() > MOST {
            self.full.set(true);
            self.entries.take();
            self.answers.take();
        }
        self.full.get()
    }

    fn is_repeating(&self) -> bool {
        self.again.borrow().is_some()
    }
}

/// Writes down what crosses between a director and its sides.
pub struct Watcher(pub Weak<Director>);

impl Watcher {
    fn slot(&self, world: u32) -> Option<Rc<Slot>> {
        self.0.upgrade()?.worlds.get(world).ok()
    }
}

impl Watch for Watcher {
    fn exported(&self, world: u32, proxy: &Rc<Proxy>) {
        let Some(slot) = self.slot(world) else { return };
        if let Some(again) = &mut *slot.journal.again.borrow_mut() {
            proxy.set_export(again.exports.len());
            again.exports.push(proxy.clone());
            return;
        }
        let mut exports = slot.journal.exports.borrow_mut();
        proxy.set_export(exports.len());
        exports.push(Rc::downgrade(proxy));
    }

    fn called(&self, world: u32, export: usize, arguments: &[Value]) {
        if let Some(slot) = self.slot(world) {
            slot.journal.note(&slot.world, Act::Call { export, arguments: arguments.to_vec() });
        }
    }

    fn asked(&self, world: u32, on_end: OnEnd, run: &mut dyn FnMut(OnEnd)) {
        let Some(slot) = self.slot(world) else { return run(on_end) };
        if slot.journal.is_full() {
            return run(on_end);
        }
        if slot.journal.is_repeating() {
            if let Some(director) = self.0.upgrade() {
                answer_again(&director, &slot, on_end);
            }
            return;
        }
        let journal = slot.journal.clone();
        let ask = {
            let mut answers = journal.answers.borrow_mut();
            answers.push(Answer::default());
            answers.len() - 1
        };
        journal.open.borrow_mut().push(Vec::new());
        let inside = Rc::new(Cell::new(true));
        let (held, still_inside) = (Rc::downgrade(&slot), inside.clone());
        run(Box::new(move |end: ThreadEnd| {
            if let Some(slot) = held.upgrade() {
                if still_inside.get() {
                    if let Some(answer) = slot.journal.answers.borrow_mut().get_mut(ask) {
                        answer.end = Some(end.clone());
                    }
                } else {
                    slot.journal.note(&slot.world, Act::Answered { ask, end: end.clone() });
                }
            }
            on_end(end);
        }));
        inside.set(false);
        let nested = journal.open.borrow_mut().pop().unwrap_or_default();
        if let Some(answer) = journal.answers.borrow_mut().get_mut(ask) {
            answer.nested = nested;
        }
    }
}

/// Answers a question of a side from the notes.
fn answer_again(director: &Rc<Director>, slot: &Rc<Slot>, on_end: OnEnd) {
    let journal = slot.journal.clone();
    let ask = {
        let mut again = journal.again.borrow_mut();
        let Some(again) = &mut *again else { return };
        again.asked += 1;
        again.asked - 1
    };
    let answer = journal.answers.borrow().get(ask).cloned().unwrap_or_default();
    for entry in answer.nested {
        perform(director, slot, entry.act);
    }
    match answer.end {
        Some(end) => on_end(end),
        None => {
            if let Some(again) = &mut *journal.again.borrow_mut() {
                again.waiting.insert(ask, on_end);
            }
        }
    }
}

fn perform(director: &Rc<Director>, slot: &Rc<Slot>, act: Act) {
    match act {
        Act::Native { name, arguments } => {
            if let Some(function) = director.native(name) {
                director.start(&function, &arguments, Box::new(|_| {}));
            }
        }
        Act::Call { export, arguments } => {
            let proxy =
                slot.journal.again.borrow().as_ref().and_then(|again| again.exports.get(export).cloned());
            if let Some(proxy) = proxy {
                director.membrane.call_again(&proxy, &arguments);
            }
        }
        Act::Frame => {
            let _ = slot.world.step(1);
        }
        Act::Answered { ask, end } => {
            let waiting =
                slot.journal.again.borrow_mut().as_mut().and_then(|again| again.waiting.remove(&ask));
            if let Some(on_end) = waiting {
                on_end(end);
            }
        }
    }
}

impl Director {
    /// The present of a world, to come back to.
    ///
    /// Errors: the text of a world in the middle of a frame.
    pub fn snapshot(&self, slot: &Slot) -> Result<Snapshot, String> {
        if slot.world.universe().is_some() {
            return Err(OF_UNIVERSE.into());
        }
        let journal = &slot.journal;
        if journal.is_full() {
            return Err(TOO_MUCH.into());
        }
        if slot.world.is_moving() || !journal.open.borrow().is_empty() {
            return Err("a snapshot cannot be taken in the middle of a frame".into());
        }
        Ok(Snapshot {
            entries: journal.entries.borrow().len(),
            answers: journal.answers.borrow().len(),
            exports: journal.exports.borrow().len(),
            problems: slot.problems().len(),
            trace: digest(&slot.world),
        })
    }

    /// Takes the world of a slot back to a snapshot of it.
    ///
    /// Errors: the world is in the middle of a frame; the repetition went another way.
    pub fn restore(self: &Rc<Self>, slot: &Rc<Slot>, snapshot: Snapshot) -> Result<(), String> {
        let slot = self.begin_again(slot)?;
        slot.journal.entries.borrow_mut().truncate(snapshot.entries);
        slot.journal.answers.borrow_mut().truncate(snapshot.answers);
        let acts = slot.journal.entries.borrow().clone();
        let ended = acts.into_iter().try_for_each(|entry| self.repeat(&slot, entry));
        self.end_again(&slot, snapshot.exports);
        ended?;
        slot.forget_problems(snapshot.problems);
        if digest(&slot.world) == snapshot.trace { Ok(()) } else { Err(other_way(slot.world.now())) }
    }

    /// Takes the world of a slot back to a moment.
    ///
    /// Errors: as for [`Director::restore`]; the moment has not been yet.
    pub fn replay_to(self: &Rc<Self>, slot: &Rc<Slot>, moment: Time) -> Result<(), String> {
        let present = slot.world.now();
        if moment > present {
            let (moment, present) = (moment.seconds(), present.seconds());
            return Err(format!("the world is at {present} s; it cannot be replayed to {moment} s"));
        }
        let slot = self.begin_again(slot)?;
        let entries = std::mem::take(&mut *slot.journal.entries.borrow_mut());
        // Where the world was after an entry is noted in the next one.
        let ends = entries.iter().skip(1).map(|entry| entry.now).chain([present]).collect::<Vec<_>>();
        let mut ended = Ok(());
        for (entry, end) in entries.into_iter().zip(ends) {
            if end > moment {
                break;
            }
            slot.journal.entries.borrow_mut().push(entry.clone());
            ended = self.repeat(&slot, entry);
            if ended.is_err() {
                break;
            }
        }
        let (asked, exports) = match &*slot.journal.again.borrow() {
            Some(again) => (again.asked, again.exports.len()),
            None => (0, 0),
        };
        slot.journal.answers.borrow_mut().truncate(asked);
        self.end_again(&slot, exports);
        let entries = slot.journal.entries.borrow().len();
        slot.forget_snapshots(|_, snapshot| snapshot.entries <= entries);
        ended?;
        let left = moment - slot.world.now();
        if left > Time::ZERO {
            let arguments = vec![Value::from(slot.number), Value::Number(left.seconds())];
            slot.journal.note(&slot.world, Act::Native { name: "advance", arguments });
            slot.world.advance(left).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn repeat(self: &Rc<Self>, slot: &Rc<Slot>, entry: Entry) -> Result<(), String> {
        let records = slot.world.core().trace().records().len();
        if slot.world.now() != entry.now || records != entry.records {
            return Err(other_way(entry.now));
        }
        perform(self, slot, entry.act);
        Ok(())
    }

    /// Puts a new world in the place of a slot's.
    fn begin_again(self: &Rc<Self>, slot: &Rc<Slot>) -> Result<Rc<Slot>, String> {
        if slot.world.universe().is_some() {
            return Err(OF_UNIVERSE.into());
        }
        if slot.journal.is_full() {
            return Err(TOO_MUCH.into());
        }
        if slot.world.is_moving() || !slot.journal.open.borrow().is_empty() {
            return Err("a world cannot be restored in the middle of a frame".into());
        }
        let world = World::new(slot.world.options().clone()).map_err(|error| error.to_string())?;
        slot.built.describe(&mut world.core().trace_mut());
        let slot = self.worlds.replace(slot, world);
        *slot.journal.again.borrow_mut() = Some(Again::default());
        Ok(slot)
    }

    /// Gives the functions the test holds their new meaning. Those beyond `kept` have none any more.
    fn end_again(&self, slot: &Slot, kept: usize) {
        // Threads that only repeated a wait have nothing left to do.
        self.pump();
        let again = slot.journal.again.borrow_mut().take().unwrap_or_default();
        let mut exports = slot.journal.exports.borrow_mut();
        for (place, held) in exports.iter().enumerate() {
            let Some(proxy) = held.upgrade() else { continue };
            proxy.become_like(again.exports.get(place).filter(|_| place < kept).map(Rc::as_ref));
        }
        exports.truncate(kept);
    }
}

const TOO_MUCH: &str =
    "too much was done to this world to repeat it: take snapshots of worlds that are younger";

fn other_way(now: Time) -> String {
    format!(
        "the world did not come back to where it was: at {} s the repetition went another way. Code of a side depends \
         on something besides its world's seed and what the test did to it",
        now.seconds()
    )
}
