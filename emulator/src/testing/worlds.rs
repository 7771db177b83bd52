//! The worlds a test has made, and what the test announced about them.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::rc::{Rc, Weak};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::coverage::{Counting, Coverage, SourceFiles};
use super::fixture::{Built, Fixture, Unbuilt};
use super::replay::{Journal, Snapshot};
use super::report::{DiagnosticLine, OutputLine};
use super::unanswered::unanswered;
use crate::membrane::{Home, HomeId, Membrane, OnEnd, copy};
use crate::peer::Peer;
use crate::shared::{DiagnosticClass, LogLevel, LogLine, Side};
use crate::universe::Universe;
use crate::value::{InstanceId, Value};
use crate::vm::{BytecodeCache, Failure, Handle, Parked, ThreadEnd, Vm};
use crate::world::World;

/// A world with the homes of its sides.
pub struct Slot {
    /// Its number in the running test.
    pub number: u32,
    /// The world.
    pub world: Rc<World>,
    /// What it started from.
    pub built: Built,
    homes: RefCell<FxHashMap<Side, HomeId>>,
    expected: RefCell<Vec<String>>,
    expected_codes: RefCell<Vec<String>>,
    reads_diagnostics: Cell<bool>,
    /// What went wrong in functions the test gave the world to call.
    problems: RefCell<Vec<LogLine>>,
    /// Faults of earlier tests of a block that shares the world.
    forgiven: Cell<usize>,
    /// What the test did to it.
    pub journal: Rc<Journal>,
    snapshots: RefCell<Vec<Option<Snapshot>>>,
    /// Homes that sides of this place had in a world that was replaced.
    old_homes: RefCell<FxHashMap<Side, HomeId>>,
}

/// See the module.
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
        slots.push(Rc::new(Slot {
            number,
            world: world.into(),
            built,
            homes: RefCell::default(),
            expected: RefCell::default(),
            expected_codes: RefCell::default(),
            reads_diagnostics: Cell::default(),
            problems: RefCell::default(),
            forgiven: Cell::new(0),
            journal: Rc::default(),
            snapshots: RefCell::default(),
            old_homes: RefCell::default(),
        }));
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
        let mut homes = old.old_homes.borrow().clone();
        homes.extend(old.homes.borrow().iter().map(|(side, home)| (*side, *home)));
        self.helpers.borrow_mut().retain(|(home, _), _| !homes.values().any(|gone| gone == home));
        let slot = Rc::new(Slot {
            number: old.number,
            world: Rc::new(world),
            built: old.built.clone(),
            homes: RefCell::default(),
            expected: RefCell::new(old.expected.borrow().clone()),
            expected_codes: RefCell::new(old.expected_codes.borrow().clone()),
            reads_diagnostics: old.reads_diagnostics.clone(),
            problems: RefCell::new(old.problems.borrow().clone()),
            forgiven: Cell::new(0),
            journal: old.journal.clone(),
            snapshots: RefCell::new(old.snapshots.borrow().clone()),
            old_homes: RefCell::new(homes),
        });
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
        for slot in self.all() {
            slot.forgiven.set(slot.faults().len());
        }
    }

    /// How many worlds a block shares.
    pub fn shared(&self) -> usize {
        self.shared.get()
    }

    /// The homes of the sides of all worlds after the first `kept`.
    pub fn homes(&self, kept: usize) -> Vec<HomeId> {
        let slots = self.slots.borrow();
        let mut homes: Vec<HomeId> = Vec::new();
        for slot in slots.iter().skip(kept) {
            homes.extend(slot.homes.borrow().values());
            homes.extend(slot.old_homes.borrow().values());
        }
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

    /// Calls of functions that arrived in any world and got no answer, a sentence each.
    pub fn unanswered(&self) -> Vec<String> {
        self.all().iter().flat_map(|slot| unanswered(slot)).collect()
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
        self.all().iter().find_map(|slot| {
            let side = slot.homes.borrow().iter().find(|(_, id)| **id == home).map(|(side, _)| *side)?;
            slot.world.peer(side).ok()
        })
    }
}

impl Slot {
    /// The home of a side in the membrane, made at the first use. Errors: the side is not there.
    pub fn home(&self, membrane: &Rc<Membrane>, side: Side) -> Result<HomeId, String> {
        if let Some(known) = self.homes.borrow().get(&side) {
            return Ok(*known);
        }
        let peer = self.world.peer(side).map_err(|error| error.to_string())?;
        let home = Rc::new(SideHome { number: self.number, world: Rc::downgrade(&self.world), side, peer });
        let id = match self.old_homes.borrow_mut().remove(&side) {
            Some(id) => {
                membrane.replace(id, home);
                id
            }
            None => membrane.add(home),
        };
        self.homes.borrow_mut().insert(side, id);
        Ok(id)
    }

    /// Keeps a snapshot and gives its number.
    pub fn keep(&self, snapshot: Snapshot) -> usize {
        self.snapshots.borrow_mut().push(Some(snapshot));
        self.snapshots.borrow().len()
    }

    /// The snapshot of that number.
    pub fn kept(&self, number: usize) -> Option<Snapshot> {
        self.snapshots.borrow().get(number.checked_sub(1)?).copied().flatten()
    }

    /// Forgets the snapshots that `is_kept` does not want, which is asked with their numbers.
    pub fn forget_snapshots(&self, is_kept: impl Fn(usize, &Snapshot) -> bool) {
        for (place, snapshot) in self.snapshots.borrow_mut().iter_mut().enumerate() {
            if snapshot.as_ref().is_some_and(|snapshot| !is_kept(place + 1, snapshot)) {
                *snapshot = None;
            }
        }
    }

    /// Forgets what went wrong in functions of the test after the first `count` faults.
    pub fn forget_problems(&self, count: usize) {
        self.problems.borrow_mut().truncate(count);
    }

    /// Announces an uncaught error whose text contains `text`.
    pub fn expect_error(&self, text: String) {
        self.expected.borrow_mut().push(text);
    }

    /// Announces diagnostics of a code.
    pub fn expect_diagnostic(&self, code: String) {
        self.expected_codes.borrow_mut().push(code);
    }

    /// The first announcement that nothing came of. An empty text announces nothing in particular.
    fn unmet(&self) -> Option<String> {
        // A world that was set back has forgotten what came of them.
        if !self.snapshots.borrow().is_empty() {
            return None;
        }
        let diagnostics = self.diagnostics();
        let said = |text: &str| {
            self.world.output().iter().any(|line| line.text.contains(text))
                || self.faults().iter().any(|line| line.text.contains(text))
                || diagnostics.iter().any(|line| line.text.contains(text))
        };
        let texts = self.expected.borrow();
        if let Some(text) = texts.iter().find(|text| !text.is_empty() && !said(text)) {
            return Some(format!(
                "world:expectError({text:?}) was met by nothing: no side had such an error"
            ));
        }
        let codes = self.expected_codes.borrow();
        let code = codes.iter().find(|code| !diagnostics.iter().any(|line| line.code == **code))?;
        Some(format!(
            "world:expectDiagnostic({code:?}) was met by nothing: nothing of that code was reported"
        ))
    }

    fn diagnostics(&self) -> Vec<DiagnosticLine> {
        let all = self.world.diagnostics();
        all.into_iter()
            .map(|one| DiagnosticLine {
                code: one.code.name().to_string(),
                class: one.code.class().name().to_string(),
                side: self.side_name(one.side),
                at: one.at.seconds(),
                text: one.text,
            })
            .collect()
    }

    /// The test looks at the diagnostics itself: none of them fails it any more.
    pub fn read_diagnostics(&self) {
        self.reads_diagnostics.set(true);
    }

    fn unexpected_misuse(&self) -> Option<DiagnosticLine> {
        if self.reads_diagnostics.get() {
            return None;
        }
        let codes = self.expected_codes.borrow();
        // An announced error is announced as a diagnostic too.
        let errors = self.expected.borrow();
        let is_expected = |line: &DiagnosticLine| {
            codes.contains(&line.code) || errors.iter().any(|text| line.text.contains(text.as_str()))
        };
        self.diagnostics()
            .into_iter()
            .find(|line| line.class == DiagnosticClass::Misuse.name() && !is_expected(line))
    }

    /// Fails the test for what went wrong in a function it gave the world to call.
    pub fn complain(&self, text: String) {
        self.problems.borrow_mut().push(LogLine {
            at: self.world.now(),
            side: Side::Server,
            level: LogLevel::Error,
            text,
            script: None,
            stack: None,
        });
    }

    /// What went wrong in functions of the test so far.
    pub fn problems(&self) -> Vec<String> {
        self.problems.borrow().iter().map(|line| line.text.clone()).collect()
    }

    /// What went wrong on any side or in a function of the test.
    fn faults(&self) -> Vec<LogLine> {
        let mut faults = self.problems.borrow().clone();
        faults.extend(self.world.errors());
        // What went wrong between the servers of a universe is told once, with the first.
        let universe = self.world.universe().filter(|_| self.world.server_number() == Some(1));
        for text in universe.map(|universe| universe.troubles()).unwrap_or_default() {
            let (at, level) = (self.world.now(), LogLevel::Error);
            faults.push(LogLine { at, side: Side::Server, level, text, script: None, stack: None });
        }
        faults
    }

    /// What people call a side: of a universe, with the server it is on.
    fn side_name(&self, side: Side) -> String {
        let name = self.world.side_name(side);
        match self.world.server_number() {
            Some(number) if side.is_server() => format!("server {number}"),
            Some(number) => format!("{name} (server {number})"),
            None => name,
        }
    }

    fn unexpected_error(&self) -> Option<LogLine> {
        let expected = self.expected.borrow();
        let is_expected = |line: &LogLine| expected.iter().any(|text| line.text.contains(text.as_str()));
        self.faults().into_iter().skip(self.forgiven.get()).find(|line| !is_expected(line))
    }
}

/// A side as a home of the membrane.
struct SideHome {
    number: u32,
    world: Weak<World>,
    side: Side,
    peer: Rc<Peer>,
}

/// Gives functions that stand for the methods of a signal or a connection: those are what they are on their side alone.
const STAND_IN: &str = r#"
local held = ...
if typeof(held) == "RBXScriptSignal" then
	return {
		Connect = function(_, listener)
			return held:Connect(listener)
		end,
		Once = function(_, listener)
			return held:Once(listener)
		end,
		Wait = function()
			return held:Wait()
		end,
	}
end
return {
	Disconnect = function()
		held:Disconnect()
	end,
	IsConnected = function()
		return held.Connected
	end,
}
"#;

impl SideHome {
    /// Errors: it is the server of a universe and runs no more.
    fn check_running(&self) -> Result<(), String> {
        match self.world.upgrade() {
            Some(world) if self.side.is_server() => world.check_running().map_err(|error| error.to_string()),
            _ => Ok(()),
        }
    }
}

impl Home for SideHome {
    fn with_vm(&self, body: &mut dyn FnMut(&Vm)) {
        body(&self.peer.vm);
    }

    fn world(&self) -> Option<u32> {
        Some(self.number)
    }

    fn knows(&self, instance: InstanceId) -> bool {
        self.peer.data_model().store().get(instance).is_some()
    }

    fn start(&self, function: &Handle, arguments: &[Value], on_end: OnEnd) {
        if let Err(text) = self.check_running() {
            on_end(Err(Failure::text(text)));
            return;
        }
        let owner = self.peer.new_owner(None, "[test]");
        let end = Rc::new(RefCell::new(Some(on_end)));
        let later = end.clone();
        let started = self.peer.spawn_then(
            function,
            owner,
            arguments,
            Box::new(move |_, result| {
                if let Some(on_end) = later.borrow_mut().take() {
                    on_end(result);
                }
            }),
        );
        if let Err(failure) = started {
            let on_end = end.borrow_mut().take();
            if let Some(on_end) = on_end {
                on_end(Err(failure));
            }
        }
    }

    fn stand_in(&self, held: &Value) -> Result<Value, String> {
        let function =
            self.peer.load(&Arc::from(STAND_IN), "[test]", &[]).map_err(|failure| failure.report())?;
        let ended: Rc<RefCell<Option<ThreadEnd>>> = Rc::default();
        let slot = ended.clone();
        let on_end: OnEnd = Box::new(move |end| *slot.borrow_mut() = Some(end));
        self.start(&function, std::slice::from_ref(held), on_end);
        let end = ended.borrow_mut().take().unwrap_or(Ok(Vec::new()));
        let values = end.map_err(|failure| failure.report())?;
        let copied = self.peer.vm.enter(|cx| copy::shallow_to_deep(cx, &values));
        let made = copied.map_err(|failure| failure.text)?.into_iter().next();
        made.ok_or_else(|| format!("a {} has nothing to stand for it", held.type_name()))
    }

    fn wake(&self, parked: Parked, result: Result<Vec<Value>, String>) {
        // What a server that has ended waited for comes too late.
        if self.check_running().is_err() {
            return;
        }
        match result {
            Ok(values) => self.peer.resume(&parked, &values),
            Err(text) => self.peer.fail(&parked, &text),
        };
    }
}
