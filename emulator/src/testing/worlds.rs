//! The worlds a test has made.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::coverage::{Counting, Coverage, SourceFiles};
use super::fixture::{Built, Fixture, Unbuilt};
use super::report::{DiagnosticLine, OutputLine};
use super::slot::Slot;
use super::unanswered::unanswered;
use super::unread::unread;
use crate::membrane::HomeId;
use crate::peer::Peer;
use crate::shared::{LogLevel, LogLine, Side};
use crate::universe::Universe;
use crate::vm::{BytecodeCache, Handle};
use crate::world::World;

/// The worlds of the running test, and what a spec file keeps between its tests.
#[derive(Default)]
pub struct Worlds {
    slots: RefCell<Vec<Rc<Slot>>>,
    /// Universes, each with the place of its first world.
    universes: RefCell<Vec<(usize, Rc<Universe>)>>,
    fixtures: RefCell<Vec<(FixtureKey, Result<Built, Unbuilt>)>>,
    /// Errors of a schema that kept the running test from making a world.
    broken_schema: RefCell<Option<String>>,
    helpers: RefCell<FxHashMap<(HomeId, &'static str), Handle>>,
    /// Virtual seconds that each world had run when the test began, by number: none for those it made itself.
    began: RefCell<Vec<f64>>,
    printed: RefCell<Vec<(f64, String)>>,
    seed: Cell<u64>,
    reads: RefCell<BTreeSet<PathBuf>>,
    /// Compiled sources, shared between the worlds of a file.
    pub bytecode: Arc<BytecodeCache>,
    /// Lines that ran in worlds that are gone.
    coverage: RefCell<Coverage>,
    /// Worlds from the first on that a block shares.
    shared: Cell<usize>,
    counting: Option<Counting>,
}

/// What two worlds must have in common to start from one tree.
type FixtureKey = String;

impl Worlds {
    /// Starts a test: worlds it makes draw from `seed`.
    pub fn begin(&self, seed: u64) {
        self.seed.set(seed);
        *self.began.borrow_mut() = self.all().iter().map(|slot| slot.world.now().seconds()).collect();
        self.printed.borrow_mut().clear();
        *self.broken_schema.borrow_mut() = None;
    }

    /// Virtual seconds a world has run since the test began.
    pub fn taken(&self, world: &World) -> f64 {
        let number = self.slots.borrow().iter().position(|slot| std::ptr::eq(&*slot.world, world));
        let began = number.and_then(|number| self.began.borrow().get(number).copied());
        world.now().seconds() - began.unwrap_or(0.0)
    }

    /// Virtual seconds since the test began, by the world that ran longest.
    pub fn elapsed(&self) -> f64 {
        self.all().iter().map(|slot| self.taken(&slot.world)).fold(0.0, f64::max)
    }

    /// The seed of the next world of this test.
    pub fn next_seed(&self) -> u64 {
        let seed = self.seed.get();
        self.seed.set(seed.wrapping_add(0x9e37_79b9_7f4a_7c15));
        seed
    }

    /// The tree of a fixture, put together once a file. Errors: see [`Fixture::build`].
    pub fn fixture(&self, fixture: &Fixture) -> Result<Built, String> {
        let key = format!("{fixture:?}");
        let known =
            self.fixtures.borrow().iter().find(|(known, _)| *known == key).map(|(_, built)| built.clone());
        let built = known.unwrap_or_else(|| {
            self.reads.borrow_mut().extend(fixture.inputs());
            let built = fixture.build();
            self.reads.borrow_mut().extend(built.iter().flat_map(|built| built.reads.iter().cloned()));
            self.fixtures.borrow_mut().push((key, built.clone()));
            built
        });
        if let Err(Unbuilt::Schema(errors)) = &built {
            *self.broken_schema.borrow_mut() = Some(errors.clone());
        }
        built.map_err(String::from)
    }

    /// What the makers of the fixtures should know, once each.
    pub fn warnings(&self) -> Vec<String> {
        let fixtures = self.fixtures.borrow();
        let built = fixtures.iter().filter_map(|(_, built)| built.as_ref().ok());
        let all: BTreeSet<&String> = built.flat_map(|built| built.warnings.iter()).collect();
        all.into_iter().cloned().collect()
    }

    /// The errors of a schema behind a failure, if it failed for want of its world.
    pub fn broken_schema(&self, message: &str) -> Option<String> {
        self.broken_schema.borrow().clone().filter(|errors| message.contains(errors.as_str()))
    }

    /// Notes a file that a spec was made from.
    pub fn note_read(&self, file: &Path) {
        self.reads.borrow_mut().insert(file.to_path_buf());
    }

    /// Files that specs, projects and schemas were read from so far.
    pub fn reads(&self) -> BTreeSet<PathBuf> {
        self.reads.borrow().clone()
    }

    /// Adds a world and gives its number.
    pub fn add(&self, world: impl Into<Rc<World>>, built: Built) -> u32 {
        let mut slots = self.slots.borrow_mut();
        let number = slots.len() as u32;
        slots.push(Rc::new(Slot::new(number, world.into(), built)));
        number
    }

    /// Adds a universe, whose worlds come next, and gives its number.
    pub fn add_universe(&self, universe: Rc<Universe>) -> u32 {
        let first = self.slots.borrow().len();
        self.universes.borrow_mut().push((first, universe));
        self.universes.borrow().len() as u32
    }

    /// The universe of that number. Errors: the text of one that is gone.
    pub fn universe(&self, number: u32) -> Result<Rc<Universe>, String> {
        let universes = self.universes.borrow();
        let found = (number as usize).checked_sub(1).and_then(|at| universes.get(at));
        found.map(|(_, universe)| universe.clone()).ok_or_else(|| {
            "this universe belongs to a test that is over: make one in the test or in `beforeEach`".to_owned()
        })
    }

    /// The number of a world that is in a slot.
    pub fn number_of(&self, world: &Rc<World>) -> Option<u32> {
        self.slots.borrow().iter().find(|slot| Rc::ptr_eq(&slot.world, world)).map(|slot| slot.number)
    }

    /// Puts another world in the place of a slot's; what the test announced, did and kept stays.
    pub fn replace(&self, old: &Slot, world: World) -> Rc<Slot> {
        let gone = old.homes();
        self.helpers.borrow_mut().retain(|(home, _), _| !gone.contains(home));
        let slot = Rc::new(old.with(world));
        self.slots.borrow_mut()[old.number as usize] = slot.clone();
        slot
    }

    /// The world of that number. Errors: the text of a world that is gone.
    pub fn get(&self, number: u32) -> Result<Rc<Slot>, String> {
        let found = self.slots.borrow().get(number as usize).cloned();
        found.ok_or_else(|| {
            "this world belongs to a test that is over: make one in `beforeEach`, or give `test.options` \
             and use `world`"
                .to_string()
        })
    }

    /// All worlds of the test.
    pub fn all(&self) -> Vec<Rc<Slot>> {
        self.slots.borrow().clone()
    }

    /// Whether the test has made no world.
    pub fn is_empty(&self) -> bool {
        self.slots.borrow().is_empty()
    }

    /// Without worlds, and with code that counts its lines if that is asked for.
    pub fn new(counting: Option<Counting>) -> Worlds {
        let bytecode =
            if counting.is_some() { BytecodeCache::with_coverage() } else { BytecodeCache::default() };
        Worlds { bytecode: Arc::new(bytecode), counting, ..Worlds::default() }
    }

    /// Adds what ran in a world that is about to go.
    fn count(&self, slot: &Slot) {
        if let Some(counting) = self.counting {
            let files = SourceFiles::of(&slot.built.tree, counting.generated);
            self.coverage.borrow_mut().add(&slot.world.coverage(), &files);
        }
    }

    /// Which lines ran in the worlds that are gone, and those of their projects that did not. Empty unless counted.
    pub fn coverage(&self) -> Coverage {
        let mut coverage = self.coverage.take();
        if let Some(counting) = self.counting {
            for built in self.fixtures.borrow().iter().filter_map(|(_, built)| built.as_ref().ok()) {
                coverage.add_unseen(&SourceFiles::of(&built.tree, counting.generated), &self.bytecode);
            }
        }
        coverage
    }

    /// Has a block share the worlds there are; what went wrong in them so far is over.
    pub fn share(&self) {
        self.shared.set(self.slots.borrow().len());
        self.all().iter().for_each(|slot| slot.forgive());
    }

    /// How many worlds a block shares.
    pub fn shared(&self) -> usize {
        self.shared.get()
    }

    /// The homes of the sides of all worlds after the first `kept`.
    pub fn homes(&self, kept: usize) -> Vec<HomeId> {
        let slots = self.slots.borrow();
        let mut homes: Vec<HomeId> = slots.iter().skip(kept).flat_map(|slot| slot.homes()).collect();
        homes.sort_unstable_by_key(|home| home.0);
        homes
    }

    /// Forgets the worlds after the first `kept`. Gives the first uncaught error in them.
    pub fn drop_from(&self, kept: usize) -> Option<String> {
        let gone: Vec<Rc<Slot>> = self.all().into_iter().skip(kept).collect();
        let homes = self.homes(kept);
        self.helpers.borrow_mut().retain(|(home, _), _| !homes.contains(home));
        self.universes.borrow_mut().retain(|(first, _)| *first < kept);
        self.slots.borrow_mut().truncate(kept);
        gone.iter().for_each(|slot| self.count(slot));
        let trouble = gone.iter().find_map(|slot| slot.unexpected_error());
        trouble.map(|line| format!("an uncaught error on {}: {}", line.side, line.text))
    }

    /// Forgets the worlds.
    pub fn clear(&self) {
        self.shared.set(0);
        for slot in self.all() {
            self.count(&slot);
        }
        self.helpers.borrow_mut().clear();
        self.universes.borrow_mut().clear();
        self.slots.borrow_mut().clear();
    }

    /// Runs one server frame of each world; a world that runs already is left alone.
    pub fn step_all(&self) {
        let mut moved: Vec<*const Universe> = Vec::new();
        for slot in self.all() {
            // The servers of a universe move together.
            if let Some(universe) = slot.world.universe() {
                let this = Rc::as_ptr(&universe);
                if moved.contains(&this) || universe.is_moving() {
                    continue;
                }
                moved.push(this);
            }
            if !slot.world.is_moving() {
                slot.journal.note_frame(&slot.world);
                let _ = slot.world.step(1);
            }
        }
    }

    /// Virtual seconds of the longest running world.
    pub fn seconds(&self) -> f64 {
        self.all().iter().map(|slot| slot.world.now().seconds()).fold(0.0, f64::max)
    }

    /// The traces of all worlds of a test, one after the other.
    pub fn trace(&self, test: &str, failed: bool) -> String {
        let text = |slot: &Rc<Slot>| {
            let core = slot.world.core();
            let mut trace = core.trace_mut();
            let header = trace.header_mut();
            header.test = Some(test.to_owned());
            header.failed = failed;
            drop(trace);
            slot.world.trace().to_text()
        };
        self.all().iter().map(text).collect()
    }

    /// A line the spec itself prints.
    pub fn print(&self, line: &str) {
        self.printed.borrow_mut().push((self.seconds(), line.to_string()));
    }

    /// How many lines the spec itself has printed.
    pub fn printed(&self) -> usize {
        self.printed.borrow().len()
    }

    /// Lines the spec itself printed after the first `count`.
    pub fn printed_since(&self, count: usize) -> Vec<String> {
        self.printed.borrow().iter().skip(count).map(|(_, line)| line.clone()).collect()
    }

    /// The last lines of every side and of the spec itself.
    pub fn last_output(&self, count: usize) -> Vec<OutputLine> {
        let mut lines: Vec<OutputLine> = Vec::new();
        for slot in self.all() {
            let all = slot.world.output();
            let mut sides: Vec<Side> = all.iter().map(|line| line.side).collect();
            sides.sort_unstable();
            sides.dedup();
            for side in sides {
                let of_side: Vec<&LogLine> = all.iter().filter(|line| line.side == side).collect();
                lines.extend(of_side[of_side.len().saturating_sub(count)..].iter().map(|line| OutputLine {
                    side: slot.side_name(side),
                    at: line.at.seconds(),
                    level: line.level.name().to_string(),
                    text: line.text.clone(),
                }));
            }
        }
        let printed = self.printed.borrow();
        lines.extend(printed[printed.len().saturating_sub(count)..].iter().map(|(at, line)| OutputLine {
            side: "test".to_string(),
            at: *at,
            level: LogLevel::Output.name().to_string(),
            text: line.clone(),
        }));
        lines
    }

    /// Diagnostics of all worlds.
    pub fn diagnostics(&self) -> Vec<DiagnosticLine> {
        self.all().iter().flat_map(|slot| slot.diagnostics()).collect()
    }

    /// The first uncaught error of the worlds' sides, with the side it is of.
    pub fn first_error(&self) -> Option<String> {
        self.all().iter().find_map(|slot| {
            let error = slot.world.errors().into_iter().next()?;
            Some(format!("{}: {}", slot.side_name(error.side), error.text))
        })
    }

    /// What a test that fails is told of: calls of functions that arrived in any world and got no answer, a sentence
    /// each, and the first packet of each world that does not fit its schema.
    pub fn notes(&self) -> Vec<String> {
        let mut notes: Vec<String> = self.all().iter().flat_map(|slot| unanswered(slot)).collect();
        for (why, line) in self.all().iter().filter_map(|slot| unread(slot)) {
            // An answer that could not be read is told of already.
            if !notes.iter().any(|note| note.contains(&why)) {
                notes.push(line);
            }
        }
        notes
    }

    /// What a test announced and nothing came of, in words. Worlds that go on after it may still get there.
    pub fn unmet(&self) -> Option<String> {
        self.all().iter().skip(self.shared()).find_map(|slot| slot.unmet())
    }

    /// The first diagnostic of the class *misuse* that no test announced.
    pub fn unexpected_misuse(&self) -> Option<DiagnosticLine> {
        self.all().iter().find_map(|slot| slot.unexpected_misuse())
    }

    /// The first warning of any side, with the side's name.
    pub fn warning(&self) -> Option<(String, String)> {
        self.all().iter().find_map(|slot| {
            let lines = slot.world.output();
            let line = lines.into_iter().find(|line| line.level == LogLevel::Warning)?;
            Some((slot.side_name(line.side), line.text))
        })
    }

    /// The first uncaught error no test announced.
    pub fn unexpected_error(&self) -> Option<(String, LogLine)> {
        self.all()
            .iter()
            .find_map(|slot| slot.unexpected_error().map(|line| (slot.side_name(line.side), line)))
    }

    /// A function compiled from `source` on a side, once.
    pub fn helper(&self, home: HomeId, source: &'static str) -> Result<Handle, String> {
        if let Some(known) = self.helpers.borrow().get(&(home, source)) {
            return Ok(known.clone());
        }
        let peer = self.peer_of(home).ok_or("this instance's side is gone")?;
        let function = peer.load(&Arc::from(source), "[test]", &[]).map_err(|failure| failure.report())?;
        self.helpers.borrow_mut().insert((home, source), function.clone());
        Ok(function)
    }

    fn peer_of(&self, home: HomeId) -> Option<Rc<Peer>> {
        self.all().iter().find_map(|slot| slot.peer_of(home))
    }
}
