//! A world of a test, with what the test announced about it, did to it and kept of it.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::fixture::Built;
use super::replay::{Journal, Snapshot};
use super::report::DiagnosticLine;
use super::side_home::SideHome;
use crate::membrane::{HomeId, Membrane};
use crate::peer::Peer;
use crate::shared::{DiagnosticClass, LogLevel, LogLine, Side};
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

impl Slot {
    /// A world that nothing has been announced of yet.
    pub fn new(number: u32, world: Rc<World>, built: Built) -> Slot {
        Slot {
            number,
            world,
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
        }
    }

    /// The same place with another world in it; what the test announced, did and kept stays.
    pub fn with(&self, world: World) -> Slot {
        let mut homes = self.old_homes.borrow().clone();
        homes.extend(self.homes.borrow().iter().map(|(side, home)| (*side, *home)));
        Slot {
            expected: self.expected.clone(),
            expected_codes: self.expected_codes.clone(),
            reads_diagnostics: self.reads_diagnostics.clone(),
            problems: self.problems.clone(),
            journal: self.journal.clone(),
            snapshots: self.snapshots.clone(),
            old_homes: RefCell::new(homes),
            ..Slot::new(self.number, Rc::new(world), self.built.clone())
        }
    }

    /// The homes of its sides, those they had in a world that was replaced included; in no order.
    pub fn homes(&self) -> Vec<HomeId> {
        self.homes.borrow().values().chain(self.old_homes.borrow().values()).copied().collect()
    }

    /// The side whose home that is.
    pub fn peer_of(&self, home: HomeId) -> Option<Rc<Peer>> {
        let side = self.homes.borrow().iter().find(|(_, id)| **id == home).map(|(side, _)| *side)?;
        self.world.peer(side).ok()
    }

    /// What went wrong so far is over.
    pub fn forgive(&self) {
        self.forgiven.set(self.faults().len());
    }

    /// The home of a side in the membrane, made at the first use. Errors: the side is not there.
    pub fn home(&self, membrane: &Rc<Membrane>, side: Side) -> Result<HomeId, String> {
        if let Some(known) = self.homes.borrow().get(&side) {
            return Ok(*known);
        }
        let peer = self.world.peer(side).map_err(|error| error.to_string())?;
        let home = Rc::new(SideHome::new(self.number, &self.world, side, peer));
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
    pub fn unmet(&self) -> Option<String> {
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

    pub fn diagnostics(&self) -> Vec<DiagnosticLine> {
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

    pub fn unexpected_misuse(&self) -> Option<DiagnosticLine> {
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
    pub fn side_name(&self, side: Side) -> String {
        let name = self.world.side_name(side);
        match self.world.server_number() {
            Some(number) if side.is_server() => format!("server {number}"),
            Some(number) => format!("{name} (server {number})"),
            None => name,
        }
    }

    pub fn unexpected_error(&self) -> Option<LogLine> {
        let expected = self.expected.borrow();
        let is_expected = |line: &LogLine| expected.iter().any(|text| line.text.contains(text.as_str()));
        self.faults().into_iter().skip(self.forgiven.get()).find(|line| !is_expected(line))
    }
}
