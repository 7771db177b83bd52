//! One side of the world: a VM with its globals, scripts and threads.
//!
//! A peer is always an `Rc<Peer>`; everything inside has interior mutability with short borrows. It knows scripts only
//! through [`ScriptTree`], so that it needs no tree of its own; the data model, the world and the test API hang their
//! own state on it with [`Peer::attach`].
//!
//! Never here: frame phases (`world`), members of instances (`datamodel`), remotes.
//!
//! Start with [`Peer::new`], then [`Peer::start_script`], [`Peer::resume`] and, for signals, [`crate::scheduler`].

mod actors;
mod cover;
mod globals;
mod internals;
mod log;
mod owners;
mod require;
mod script_tree;
#[cfg(test)]
pub(crate) mod tests;
mod time_globals;
mod unicode;

use std::any::{Any, TypeId};
use std::cell::{OnceCell, RefCell};
use std::rc::{Rc, Weak};
use std::sync::Arc;

use rustc_hash::FxHashMap;

pub use cover::Covered;
pub use log::Log;
pub use owners::Owner;
pub use require::{Modules, REQUIRE_BY_NAME};
pub use script_tree::{NoScripts, ScriptTree};

use crate::clock::{PeerClock, WorldClock};
use crate::scheduler::{Scheduler, Signals};
use crate::shared::{Diagnostic, DiagnosticCode, HttpAnswers, LogLevel, Seed, Settings, Side};
use crate::value::{InstanceId, Value};
use crate::vm::{
    Bytecode, BytecodeCache, Deadline, Failure, Handle, Parked, Resumed, ThreadEnd, Vm, VmOptions,
};
use owners::Owners;

/// What all peers of a world share.
#[derive(Debug)]
pub struct Shared {
    /// Settings of the world.
    pub settings: Settings,
    /// Root of the world's randomness.
    pub seed: Seed,
    /// The world's clock.
    pub clock: std::cell::Cell<WorldClock>,
    /// Compiled sources; shared with other worlds.
    pub bytecode: Arc<BytecodeCache>,
    /// Wall clock deadline of whatever runs now.
    pub deadline: Deadline,
    /// What was found doubtful so far, in order.
    pub diagnostics: RefCell<Vec<Diagnostic>>,
    /// Who answers requests to the network; nobody unless it is set.
    pub http: std::cell::OnceCell<HttpAnswers>,
    /// The world's place in a universe of servers, if it has one.
    pub seat: std::cell::OnceCell<crate::universe::Seat>,
}

impl Shared {
    /// Root of the orders the engine leaves open: the world's seed and the schedule's.
    pub fn schedule(&self) -> Seed {
        match self.settings.schedule_seed {
            0 => self.seed,
            other => Seed(self.seed.derive(&format!("schedule {other}"))),
        }
    }

    /// What the peers of a new world share, with a cache of bytecode that outlives it.
    pub fn new(settings: Settings, seed: Seed, bytecode: Arc<BytecodeCache>) -> Rc<Shared> {
        Shared::with_deadline(settings, seed, bytecode, Deadline::new())
    }

    /// As [`Shared::new`], under a deadline that others share.
    pub fn with_deadline(
        settings: Settings,
        seed: Seed,
        bytecode: Arc<BytecodeCache>,
        deadline: Deadline,
    ) -> Rc<Shared> {
        Rc::new(Shared {
            settings,
            seed,
            clock: std::cell::Cell::default(),
            bytecode,
            deadline,
            diagnostics: RefCell::default(),
            http: std::cell::OnceCell::new(),
            seat: std::cell::OnceCell::new(),
        })
    }
}

/// What a thread ends with that others closed.
const CANCELLED: &str = "the thread was cancelled";

/// How a peer is made.
pub struct PeerOptions {
    /// Which side it is.
    pub side: Side,
    /// What it shares with the world.
    pub shared: Rc<Shared>,
    /// Its clocks.
    pub clock: PeerClock,
    /// Its scripts.
    pub tree: Rc<dyn ScriptTree>,
}

/// What a thread's end is answered with.
pub type OnEnd = Box<dyn FnOnce(&Rc<Peer>, ThreadEnd)>;

/// A side: a VM and everything scripts on it can reach.
pub struct Peer {
    /// Which side it is.
    pub side: Side,
    /// Its VM.
    pub vm: Vm,
    /// The Actor whose scripts run here; `None` for the peer of the side itself.
    pub actor: Option<InstanceId>,
    /// Its waiting and deferred threads.
    pub scheduler: Rc<Scheduler>,
    /// Its connections.
    pub signals: Rc<Signals>,
    /// Its clocks.
    pub clock: Rc<PeerClock>,
    /// What it shares with the other sides.
    pub shared: Rc<Shared>,
    /// Its output.
    pub log: Rc<Log>,
    /// Its instances, once the data model is installed.
    pub(crate) model: OnceCell<Rc<crate::datamodel::DataModel>>,
    tree: Rc<RefCell<Rc<dyn ScriptTree>>>,
    parts: Rc<RefCell<FxHashMap<TypeId, Rc<dyn Any>>>>,
    owners: Rc<RefCell<Owners>>,
    /// The peers of this side's Actors, and on those the way back.
    actors: RefCell<Vec<Rc<Peer>>>,
    root: Weak<Peer>,
    modules: Modules,
    ends: RefCell<FxHashMap<usize, (Handle, OnEnd)>>,
    /// Scripts whose lines are counted.
    covered: RefCell<Vec<cover::Loaded>>,
    /// Parts of script names whose next thread is to fail, and with what.
    failing: Rc<RefCell<Vec<(String, String)>>>,
    /// Luau's own `os.date` and `os.time`, which ours finish in.
    system_time: OnceCell<(Handle, Handle)>,
    this: Weak<Peer>,
}

impl Peer {
    /// A peer with the language's globals. `setup` adds the engine's: types, libraries, `game`. Globals are frozen
    /// after it.
    pub fn new(
        options: PeerOptions,
        setup: impl FnOnce(&Rc<Peer>) -> Result<(), Failure>,
    ) -> Result<Rc<Peer>, Failure> {
        let PeerOptions { side, shared, clock, tree } = options;
        let vm = new_vm(&shared, side, None)?;
        let peer = Rc::new_cyclic(|this| Peer {
            side,
            vm,
            actor: None,
            scheduler: Rc::default(),
            signals: Rc::default(),
            clock: Rc::new(clock),
            log: Rc::default(),
            model: OnceCell::new(),
            tree: Rc::new(RefCell::new(tree)),
            parts: Rc::default(),
            owners: Rc::default(),
            actors: RefCell::default(),
            root: this.clone(),
            modules: Modules::default(),
            ends: RefCell::default(),
            covered: RefCell::default(),
            failing: Rc::default(),
            system_time: OnceCell::new(),
            this: this.clone(),
            shared,
        });
        peer.furnish(setup)?;
        Ok(peer)
    }

    /// Gives a new VM its globals, and freezes them.
    fn furnish(self: &Rc<Self>, setup: impl FnOnce(&Rc<Peer>) -> Result<(), Failure>) -> Result<(), Failure> {
        self.vm.set_peer(self.this.clone());
        globals::install(self)?;
        setup(self)?;
        self.vm.seal(&["_G", "shared"])
    }

    /// The peer as shared ownership.
    pub fn rc(&self) -> Rc<Peer> {
        self.this.upgrade().expect("a peer that is borrowed is alive")
    }

    /// Its scripts.
    pub fn tree(&self) -> Rc<dyn ScriptTree> {
        self.tree.borrow().clone()
    }

    /// Gives it other scripts, as when the tree is built after the VM.
    pub fn set_tree(&self, tree: Rc<dyn ScriptTree>) {
        *self.tree.borrow_mut() = tree;
    }

    /// Hangs state of another module on the peer, one value a type.
    pub fn attach<T: 'static>(&self, part: Rc<T>) {
        self.parts.borrow_mut().insert(TypeId::of::<T>(), part);
    }

    /// State hung on with [`Peer::attach`].
    pub fn part<T: 'static>(&self) -> Option<Rc<T>> {
        self.parts.borrow().get(&TypeId::of::<T>())?.clone().downcast().ok()
    }

    /// State hung on with [`Peer::attach`]: a default value where there was none yet.
    pub fn part_or_default<T: Default + 'static>(&self) -> Rc<T> {
        self.part().unwrap_or_else(|| {
            let part = Rc::new(T::default());
            self.attach(part.clone());
            part
        })
    }

    /// Full name of a script or other instance, as errors show it.
    pub fn full_name(&self, id: InstanceId) -> String {
        self.tree().full_name(id)
    }

    /// Notes something doubtful about the code that runs now.
    pub fn diagnose(&self, code: DiagnosticCode, text: impl Into<String>, script: Option<InstanceId>) {
        let diagnostic = Diagnostic {
            at: self.clock.now(),
            side: self.side,
            code,
            text: text.into(),
            script: script.map(|id| self.full_name(id)),
            line: None,
        };
        self.shared.diagnostics.borrow_mut().push(diagnostic);
    }

    // ---------------------------------------------------------------- scripts

    /// Starts a script: compiles its source, gives it an environment and runs it to its first wait.
    ///
    /// Errors go to the log, as for any script. Follow with [`crate::scheduler::drain`].
    pub fn start_script(self: &Rc<Self>, script: InstanceId) {
        let name = self.full_name(script);
        let Some(source) = self.tree().source_of(script) else { return };
        let owner = self.new_owner(Some(script), &name);
        match self.load(&source, &name, &[("script", script.into())]) {
            Ok(function) => {
                if let Err(failure) = self.spawn(&function, owner, &[]) {
                    self.report(&failure, Some(&name));
                }
            }
            Err(failure) => self.report(&failure, Some(&name)),
        }
    }

    /// Stops every thread a script started, now and in future, and disconnects what it connected. Code of it that is
    /// running goes on to its next wait.
    pub fn stop_script(&self, script: InstanceId) {
        let stopped = self.owners.borrow_mut().stop(script);
        self.signals.disconnect_owned(&stopped);
    }

    /// Compiles a source and loads it with an environment of its own. A syntax error is a failure whose text names
    /// script and line.
    pub fn load(
        &self,
        source: &Arc<str>,
        name: &str,
        environment: &[(&str, Value)],
    ) -> Result<Handle, Failure> {
        let code: Bytecode =
            self.shared.bytecode.get(source, name).map_err(|error| Failure::text(error.to_string()))?;
        let main = self.vm.load(&code, name, environment)?;
        // Chunks without an environment are the test's own.
        if self.shared.bytecode.is_counting() && !environment.is_empty() {
            let loaded = cover::Loaded { name: name.to_owned(), source: source.clone(), main: main.clone() };
            self.covered.borrow_mut().push(loaded);
        }
        Ok(main)
    }

    /// Compiles a source and loads it into the environment of `beside`, a main function loaded before. A syntax error
    /// is a failure whose text names script and line.
    pub fn load_beside(&self, source: &Arc<str>, name: &str, beside: &Handle) -> Result<Handle, Failure> {
        let code: Bytecode =
            self.shared.bytecode.get(source, name).map_err(|error| Failure::text(error.to_string()))?;
        self.vm.load_beside(&code, name, beside)
    }

    /// A new owner of threads: a run of a script, or of a chunk without one.
    pub fn new_owner(&self, script: Option<InstanceId>, name: &str) -> u32 {
        self.owners.borrow_mut().add(script, name)
    }

    /// The owner of that number.
    pub fn owner(&self, number: u32) -> Owner {
        self.owners.borrow().get(number)
    }

    // ---------------------------------------------------------------- threads

    /// Runs a function on a new thread of `owner` to its first wait, and gives the thread.
    ///
    /// An error in the function goes to the log; `Err` only means that there was no memory for the thread.
    pub fn spawn(
        self: &Rc<Self>,
        function: &Handle,
        owner: u32,
        arguments: &[Value],
    ) -> Result<Handle, Failure> {
        if let Some(home) = self.other_home(function) {
            return home.spawn(function, owner, arguments);
        }
        if !self.owners.borrow().is_alive(owner) {
            return self.vm.thread(function, owner);
        }
        if let Some(text) = self.takes_failure(owner) {
            let thread = self.vm.thread(function, owner)?;
            self.resumed(&thread, Resumed::Failed(Failure::text(text)));
            return Ok(thread);
        }
        let (thread, resumed) = self.vm.start(function, owner, arguments)?;
        self.resumed(&thread, resumed);
        Ok(thread)
    }

    /// Has the next thread that a script whose full name contains `script` begins fail with `text`.
    pub fn fail_next(&self, script: &str, text: &str) {
        self.failing.borrow_mut().push((script.to_owned(), text.to_owned()));
    }

    /// What the next thread of `owner` is to fail with, once.
    fn takes_failure(&self, owner: u32) -> Option<String> {
        if self.failing.borrow().is_empty() {
            return None;
        }
        let name = self.owner(owner).name?;
        let mut failing = self.failing.borrow_mut();
        let at = failing.iter().position(|(part, _)| name.contains(part.as_str()))?;
        Some(failing.remove(at).1)
    }

    /// Runs a function on a new thread and answers its end with `end`, be it now or after any number of waits.
    pub fn spawn_then(
        self: &Rc<Self>,
        function: &Handle,
        owner: u32,
        arguments: &[Value],
        end: OnEnd,
    ) -> Result<Handle, Failure> {
        if let Some(home) = self.other_home(function) {
            return home.spawn_then(function, owner, arguments, end);
        }
        let thread = self.vm.thread(function, owner)?;
        if let Some(text) = self.takes_failure(owner) {
            end(self, Err(Failure::text(text)));
            return Ok(thread);
        }
        self.on_thread_end(&thread, end);
        self.resume_thread(&thread, arguments);
        Ok(thread)
    }

    /// As [`Peer::spawn`], and tells `seen` when the thread has ended, with its error if it had one. Errors go to the
    /// log all the same.
    pub fn spawn_seen(
        self: &Rc<Self>,
        function: &Handle,
        owner: u32,
        arguments: &[Value],
        seen: impl FnOnce(Option<&Failure>) + 'static,
    ) -> Result<Handle, Failure> {
        if !self.owners.borrow().is_alive(owner) {
            return self.vm.thread(function, owner);
        }
        let (thread, resumed) = self.vm.start(function, owner, arguments)?;
        match self.resumed(&thread, resumed) {
            Resumed::Returned | Resumed::Refused => seen(None),
            Resumed::Failed(failure) => seen(Some(&failure)),
            // Only what waits is watched: most handlers end at once.
            Resumed::Yielded => self.on_thread_end(
                &thread,
                Box::new(move |peer, end| {
                    // Whoever closes a thread knows of it: that is no error of the thread's.
                    if let Err(failure) = &end
                        && failure.text != CANCELLED
                    {
                        peer.report(failure, peer.owner(owner).name.as_deref());
                    }
                    seen(end.as_ref().err());
                }),
            ),
        }
        Ok(thread)
    }

    /// Answers the end of a thread that has not ended, whoever resumes it last. Its error is then the callback's and
    /// does not go to the log. Tables among the results are [`Value::Reference`]s.
    pub fn on_thread_end(&self, thread: &Handle, end: OnEnd) {
        self.vm.watch(thread);
        self.ends.borrow_mut().insert(thread.key(), (thread.clone(), end));
    }

    /// Resumes a suspended thread, unless its script was stopped. An error goes to the log.
    pub fn resume_thread(self: &Rc<Self>, thread: &Handle, values: &[Value]) -> Resumed {
        if let Some(home) = self.other_home(thread) {
            return home.resume_thread(thread, values);
        }
        if !self.may_run(thread) {
            return Resumed::Refused;
        }
        let resumed = self.vm.resume(thread, values);
        self.resumed(thread, resumed)
    }

    /// Whether the script a thread belongs to still runs.
    pub fn may_run(&self, thread: &Handle) -> bool {
        self.owners.borrow().is_alive(self.thread_owner(thread))
    }

    /// The script run a thread belongs to, 0 for none.
    pub fn thread_owner(&self, thread: &Handle) -> u32 {
        match self.other_home(thread) {
            Some(home) => home.vm.owner(thread),
            None => self.vm.owner(thread),
        }
    }

    /// Whether a thread waits for exactly this wake-up.
    pub fn is_parked(&self, parked: &Parked) -> bool {
        match self.other_home(parked.thread()) {
            Some(home) => home.vm.is_parked(parked),
            None => self.vm.is_parked(parked),
        }
    }

    fn resumed(self: &Rc<Self>, thread: &Handle, resumed: Resumed) -> Resumed {
        if let Resumed::Failed(failure) = &resumed
            && !self.ends.borrow().contains_key(&thread.key())
        {
            let owner = self.owner(self.vm.owner(thread));
            self.report(failure, owner.name.as_deref());
        }
        self.answer_ended();
        resumed
    }

    fn answer_ended(self: &Rc<Self>) {
        for (key, result) in self.vm.take_ended() {
            let end = self.ends.borrow_mut().remove(&key);
            if let Some((_thread, end)) = end {
                end(self, result);
            }
        }
    }

    /// Resumes a parked thread with values, now. False if the wait is over already: the thread was resumed by other
    /// means, cancelled, or its script was stopped.
    pub fn resume(self: &Rc<Self>, parked: &Parked, values: &[Value]) -> bool {
        self.is_parked(parked) && self.resume_thread(&parked.thread().clone(), values) != Resumed::Refused
    }

    /// Resumes a parked thread by raising a text at its call, now. `pcall` there catches it. False as for
    /// [`Peer::resume`].
    pub fn fail(self: &Rc<Self>, parked: &Parked, text: &str) -> bool {
        self.fail_with(parked, &Value::string(text))
    }

    /// As [`Peer::fail`] with any value.
    pub fn fail_with(self: &Rc<Self>, parked: &Parked, error: &Value) -> bool {
        if let Some(home) = self.other_home(parked.thread()) {
            return home.fail_with(parked, error);
        }
        if !self.vm.is_parked(parked) || !self.may_run(parked.thread()) {
            return false;
        }
        let resumed = self.vm.resume_error(parked.thread(), error);
        self.resumed(parked.thread(), resumed) != Resumed::Refused
    }

    /// Ends a thread that is not running, as `task.cancel` does. False if it is running or waits for another.
    pub fn cancel(self: &Rc<Self>, thread: &Handle) -> bool {
        if let Some(home) = self.other_home(thread) {
            return home.cancel(thread);
        }
        if !self.vm.close(thread) {
            return false;
        }
        let end = self.ends.borrow_mut().remove(&thread.key());
        if let Some((_thread, end)) = end {
            end(self, Err(Failure::text(CANCELLED)));
        }
        true
    }

    // ---------------------------------------------------------------- output

    /// Writes a line to the peer's output.
    pub fn write(self: &Rc<Self>, level: LogLevel, text: impl Into<String>, script: Option<&str>) {
        self.log.write(self, level, text.into(), script.map(str::to_owned), None);
    }

    /// Writes an uncaught error to the peer's output: `Full.Name:12: text` and the stack.
    pub fn report(self: &Rc<Self>, failure: &Failure, script: Option<&str>) {
        let stack = (!failure.stack.is_empty()).then(|| failure.stack.clone());
        self.log.write(self, LogLevel::Error, failure.report(), script.map(str::to_owned), stack);
    }
}

/// A VM of a side: its own, or with a number one of its Actors'.
fn new_vm(shared: &Shared, side: Side, actor: Option<usize>) -> Result<Vm, Failure> {
    let settings = &shared.settings;
    let whose = match actor {
        Some(number) => format!("math.random of {side}, actor {number}"),
        None => format!("math.random of {side}"),
    };
    Vm::new(VmOptions {
        // `math.randomseed` takes 32 bits.
        seed: shared.seed.derive(&whose) as i32,
        memory_limit: if side.is_server() { settings.memory_limit } else { settings.client_memory_limit },
        host_memory_limit: settings.host_memory_limit,
        deadline: shared.deadline.clone(),
        stable: true,
    })
}
