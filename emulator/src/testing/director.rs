//! The VM specs run in: outside every side, with the test API, moving worlds and holding their values.
//!
//! The director's threads wait for calls into sides and for virtual time; the runner moves the worlds while they
//! do. Nothing here prints.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::rc::{Rc, Weak};

use rustc_hash::FxHashMap;

use super::coverage::Counting;
use super::replay::{Recorded, Watcher};
use super::runner::WorldDefaults;
use super::stored::{Stored, StoredMode};
use super::worlds::Worlds;
use crate::membrane::{Home, HomeId, Membrane, OnEnd, Watch};
use crate::shared::{Settings, SignalMode, read_script};
use crate::value::{InstanceId, Value};
use crate::vm::{
    Cx, Deadline, Failure, Handle, Outcome, Parked, Raise, Returns, ThreadEnd, Vm, VmOptions, compile_named,
};

/// What every world of a run has in common.
#[derive(Clone, Debug)]
pub struct DirectorOptions {
    /// Root of all randomness, before the test's name is mixed in.
    pub seed: u64,
    /// Signal behaviour of every world.
    pub signals: SignalMode,
    /// Real-time limit of the running test.
    pub deadline: Deadline,
    /// The spec file; paths in it are relative to its folder.
    pub file: PathBuf,
    /// What becomes of values that `toMatchSnapshot` compares.
    pub stored: StoredMode,
    /// Virtual seconds a test may step a world for, if there is a limit.
    pub most_seconds: Option<f64>,
    /// Whether the lines of sides' scripts are counted, and which.
    pub coverage: Option<Counting>,
    /// What worlds are like that do not say otherwise.
    pub world: WorldDefaults,
    /// What `test.env` holds.
    pub env: Vec<(String, String)>,
}

/// A thread to wake, with what the call it waits for gives or throws.
type Wake = (Parked, Result<Vec<Value>, String>);

/// A VM for one spec file.
pub struct Director {
    vm: Vm,
    /// Values crossing to and from sides.
    pub membrane: Rc<Membrane>,
    /// The worlds the running test has made.
    pub worlds: Worlds,
    /// Values stored beside the spec.
    pub stored: Stored,
    /// Options of the run.
    pub options: DirectorOptions,
    ready: RefCell<VecDeque<Wake>>,
    timers: RefCell<Vec<(f64, Parked)>>,
    ends: RefCell<FxHashMap<usize, (Handle, OnEnd)>>,
    now: Cell<f64>,
    modules: RefCell<FxHashMap<PathBuf, Value>>,
    globals: RefCell<Vec<(String, Value)>>,
    host: RefCell<Option<Handle>>,
    /// Texts of the files loaded so far, by the names errors show.
    sources: RefCell<FxHashMap<String, Rc<str>>>,
    /// How often the test has looked at its worlds without doing anything to them.
    looks: Cell<u32>,
    this: Weak<Director>,
}

impl Director {
    /// A director without worlds; fails only when there is no memory for its VM.
    pub fn new(options: DirectorOptions) -> Result<Rc<Director>, Failure> {
        // A spec may take as much as a server of the run may.
        let mut settings = Settings::default();
        let limits = |name: &String| matches!(name.as_str(), "memoryLimit" | "hostMemoryLimit");
        for (name, value) in options.world.settings.iter().filter(|(name, _)| limits(name)) {
            settings.set(name, value).map_err(Failure::text)?;
        }
        let vm = Vm::new(VmOptions {
            deadline: options.deadline.clone(),
            memory_limit: settings.memory_limit,
            // What its worlds have filled leaves it room to say so.
            host_memory_limit: settings.host_memory_limit.saturating_mul(2),
            ..VmOptions::default()
        })?;
        let membrane = Membrane::new();
        let director = Rc::new_cyclic(|this: &Weak<Director>| Director {
            vm,
            membrane: membrane.clone(),
            worlds: Worlds::new(options.coverage),
            stored: Stored::of(&options.file, options.stored),
            options,
            ready: RefCell::default(),
            timers: RefCell::default(),
            ends: RefCell::default(),
            now: Cell::new(0.0),
            modules: RefCell::default(),
            globals: RefCell::default(),
            host: RefCell::default(),
            sources: RefCell::default(),
            looks: Cell::new(0),
            this: this.clone(),
        });
        membrane.add(Rc::new(DirectorHome(Rc::downgrade(&director))));
        membrane.set_watch(Rc::new(Watcher(Rc::downgrade(&director))));
        CURRENT.set(Rc::downgrade(&director));
        Ok(director)
    }

    /// The VM that specs run in, outside of every world.
    pub fn vm(&self) -> &Vm {
        &self.vm
    }

    /// The director behind a native that carries [`Director::handle`].
    pub fn of(cx: &Cx<'_>) -> Result<Rc<Director>, Raise> {
        let plain = cx.captured::<Weak<Director>>().and_then(|director| director.upgrade());
        let director = plain.or_else(|| cx.captured::<Recorded>()?.director());
        director.ok_or_else(|| Raise::new("the test run is over"))
    }

    /// What natives carry to find the director again.
    pub fn handle(&self) -> Rc<Weak<Director>> {
        Rc::new(self.this.clone())
    }

    /// Virtual seconds the director has seen.
    pub fn now(&self) -> f64 {
        self.now.get()
    }

    /// Runs `function` on a new thread; `on_end` is called once it has ended.
    pub fn start(&self, function: &Handle, arguments: &[Value], on_end: OnEnd) {
        let thread = match self.vm.thread(function, 0) {
            Ok(thread) => thread,
            Err(failure) => return on_end(Err(failure)),
        };
        self.vm.watch(&thread);
        self.ends.borrow_mut().insert(thread.key(), (thread.clone(), on_end));
        self.vm.resume(&thread, arguments);
        self.settle_ends();
    }

    /// Calls a function of the test for a world that is in the middle of something: it must not yield.
    pub fn ask(&self, world: u32, body: &Handle, arguments: &[Value]) -> Result<Vec<Value>, Failure> {
        let (answer, on_end) = end_cell();
        let mut run = |on_end: OnEnd| on_end(self.vm.call(body, arguments));
        Watcher(self.this.clone()).asked(world, on_end, &mut run);
        let answer = answer.borrow_mut().take();
        answer.unwrap_or_else(|| Err(Failure::text("the function gave no answer")))
    }

    /// The text of a file of specs by the name errors show.
    pub fn source(&self, name: &str) -> Option<Rc<str>> {
        self.sources.borrow().get(name).cloned()
    }

    /// The test did something to a world, or time passes.
    pub fn acted(&self) {
        self.looks.set(0);
    }

    /// The test looks at a world. Errors: it does nothing else for too long.
    pub fn looked(&self) -> Result<(), String> {
        /// More looks in a row than any test has a reason for.
        const MOST: u32 = 10_000;
        self.looks.set(self.looks.get() + 1);
        if self.looks.get() <= MOST {
            return Ok(());
        }
        Err(format!(
            "the test has looked at its worlds {MOST} times without moving time: nothing changes by itself; call \
             w:step(), w:advance(seconds) or task.wait(seconds) in the loop"
        ))
    }

    /// Remembers the table of natives, to find them by name.
    pub fn set_host(&self, host: Handle) {
        *self.host.borrow_mut() = Some(host);
    }

    /// The native of that name.
    pub fn native(&self, name: &str) -> Option<Handle> {
        let host = self.host.borrow().clone()?;
        let found = self.vm.enter(|cx| {
            cx.push_handle(&host);
            cx.get_field(-1, name);
            cx.function(-1)
        });
        found.ok()
    }

    /// Parks the running thread for `seconds` of virtual time.
    pub fn wait(&self, cx: &Cx<'_>, seconds: f64) -> Outcome {
        let due = self.now.get() + if seconds.is_nan() { 0.0 } else { seconds.max(0.0) };
        self.timers.borrow_mut().push((due, cx.park()?));
        Ok(Returns::Yield)
    }

    /// Wakes what is ready. True if anything ran.
    pub fn pump(&self) -> bool {
        let mut ran = false;
        loop {
            let next = self.ready.borrow_mut().pop_front();
            let Some((parked, result)) = next else { return ran };
            ran = true;
            if self.vm.is_parked(&parked) {
                match result {
                    Ok(values) => self.vm.resume(parked.thread(), &values),
                    Err(text) => self.vm.resume_error(parked.thread(), &Value::string(text)),
                };
                self.settle_ends();
            }
        }
    }

    /// Moves the director's own time, and makes ready whose wait is over.
    pub fn advance(&self, seconds: f64) {
        self.acted();
        let before = self.now.get();
        let now = before + seconds;
        self.now.set(now);
        let mut timers = std::mem::take(&mut *self.timers.borrow_mut());
        timers.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (due, parked) in timers {
            if due <= now + 1e-9 {
                self.ready.borrow_mut().push_back((parked, Ok(vec![Value::Number(now - before)])));
            } else {
                self.timers.borrow_mut().push((due, parked));
            }
        }
    }

    /// Whether moving time can wake anybody: a wait is running, or a world may answer a call.
    pub fn can_move(&self) -> bool {
        !self.timers.borrow().is_empty() || !self.worlds.is_empty()
    }

    /// Forgets the worlds and everything that waits, after a test.
    pub fn clear(&self) {
        // Worlds go with the test, whoever of it still holds something of them.
        let had_worlds = !self.worlds.is_empty();
        self.worlds.homes(0).into_iter().for_each(|home| self.membrane.retire(home));
        self.worlds.clear();
        self.ready.borrow_mut().clear();
        self.timers.borrow_mut().clear();
        self.ends.borrow_mut().clear();
        // What a test holds of a world would keep it alive. A collection goes over all of the file's tests, so that
        // without a world it is left to the VM.
        if had_worlds {
            self.vm.collect();
        }
    }

    /// After a test while a block still shares worlds: they stay, and so do those of the test itself if it is `inside`.
    pub fn rest(&self, inside: bool) {
        if inside {
            self.worlds.share();
        } else {
            self.drop_worlds(self.worlds.shared());
        }
        self.ready.borrow_mut().clear();
        self.timers.borrow_mut().clear();
        self.ends.borrow_mut().clear();
    }

    /// Forgets the worlds of the test after the first `kept`. Gives the first uncaught error in them.
    pub fn drop_worlds(&self, kept: usize) -> Option<String> {
        self.worlds.homes(kept).into_iter().for_each(|home| self.membrane.retire(home));
        self.worlds.drop_from(kept)
    }

    fn settle_ends(&self) {
        loop {
            let ended = self.vm.take_ended();
            if ended.is_empty() {
                return;
            }
            for (key, end) in ended {
                let waiting = self.ends.borrow_mut().remove(&key);
                if let Some((_thread, on_end)) = waiting {
                    on_end(end);
                }
            }
        }
    }

    /// A path of a spec, relative to the folder of its file.
    pub fn resolve(&self, path: &str) -> PathBuf {
        let folder = self.options.file.parent().unwrap_or(Path::new("."));
        normalise(&folder.join(path))
    }

    /// Loads a Luau file of the specs and gives the one value it returns; once a file.
    pub fn require_file(&self, cx: &mut Cx<'_>, path: &str, from: &Path) -> Outcome {
        let folder = from.parent().unwrap_or(Path::new("."));
        let wanted = normalise(&folder.join(path));
        let file = [wanted.clone(), with_suffix(&wanted, ".luau"), wanted.join("init.luau")]
            .into_iter()
            .find(|candidate| candidate.is_file())
            .ok_or_else(|| format!("require(\"{path}\"): no file {}.luau", wanted.display()))?;
        let known = self.modules.borrow().get(&file).cloned();
        let value = match known {
            Some(value) => value,
            None => {
                let function = self.load_file(&file).map_err(|failure| failure.report())?;
                cx.push_handle(&function);
                cx.call(0, 1);
                let value = cx.shallow(-1)?;
                self.modules.borrow_mut().insert(file, value.clone());
                value
            }
        };
        cx.push(&value);
        Ok(Returns::ONE)
    }

    /// The main function of the director's own file, with the test API's globals.
    pub fn load_spec(&self, globals: &[(String, Value)]) -> Result<Handle, Failure> {
        self.load_with(&self.options.file, globals)
    }

    /// The main function of a Luau file the spec requires. It sees the test API too.
    fn load_file(&self, file: &Path) -> Result<Handle, Failure> {
        let globals = self.globals.borrow().clone();
        self.load_with(file, &globals)
    }

    fn load_with(&self, file: &Path, globals: &[(String, Value)]) -> Result<Handle, Failure> {
        *self.globals.borrow_mut() = globals.to_vec();
        let name = shown(file);
        self.worlds.note_read(file);
        let source = read_script(file).map_err(|error| {
            Failure::text(format!("{name} cannot be read: {}", crate::shared::in_words(&error)))
        })?;
        let code = compile_named(&source, &name).map_err(|error| Failure::text(error.to_string()))?;
        self.sources.borrow_mut().insert(name.clone(), Rc::from(source));
        let origin = Rc::new(Origin { director: self.this.clone(), file: file.to_path_buf() });
        let require = self.vm.enter(|cx| {
            cx.push_closure("require", require, origin);
            cx.function(-1)
        })?;
        let mut environment: Vec<(&str, Value)> = vec![("require", Value::Function(require))];
        environment.extend(globals.iter().map(|(name, value)| (name.as_str(), value.clone())));
        self.vm.load(&code, &name, &environment)
    }
}

thread_local! {
    /// The director whose specs run on this thread, for metamethods of instance handles, which carry nothing.
    static CURRENT: RefCell<Weak<Director>> = RefCell::default();
}

impl Director {
    /// The director whose specs run on this thread.
    pub fn current() -> Option<Rc<Director>> {
        CURRENT.with_borrow(Weak::upgrade)
    }
}

struct Origin {
    director: Weak<Director>,
    file: PathBuf,
}

fn require(cx: &mut Cx<'_>) -> Outcome {
    let origin = cx.captured::<Origin>().ok_or("the test run is over")?;
    let director = origin.director.upgrade().ok_or("the test run is over")?;
    let path = cx.text(1)?;
    director.require_file(cx, &path, &origin.file)
}

/// The director as a home of its membrane; weak, since the membrane belongs to it.
struct DirectorHome(Weak<Director>);

impl DirectorHome {
    fn director(&self) -> Rc<Director> {
        self.0.upgrade().expect("the membrane lives in its director")
    }
}

impl Home for DirectorHome {
    fn with_vm(&self, body: &mut dyn FnMut(&Vm)) {
        body(&self.director().vm);
    }

    fn world(&self) -> Option<u32> {
        None
    }

    fn knows(&self, _: InstanceId) -> bool {
        false
    }

    fn start(&self, function: &Handle, arguments: &[Value], on_end: OnEnd) {
        self.director().start(function, arguments, on_end);
    }

    fn stand_in(&self, held: &Value) -> Result<Value, String> {
        Err(format!("a {} of the test cannot be passed to a side", held.type_name()))
    }

    fn wake(&self, parked: Parked, result: Result<Vec<Value>, String>) {
        self.director().ready.borrow_mut().push_back((parked, result));
    }
}

/// A path without `.` and `..` where they can be taken out.
pub fn normalise(path: &Path) -> PathBuf {
    use std::path::Component;
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(out.components().next_back(), Some(Component::Normal(_))) => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    // An empty path is no folder to anybody; the working directory has a name.
    if out.as_os_str().is_empty() { PathBuf::from(".") } else { out }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut text = path.as_os_str().to_owned();
    text.push(suffix);
    PathBuf::from(text)
}

/// A path as messages show it: without detours, with forward slashes.
pub fn shown(path: &Path) -> String {
    normalise(path).display().to_string().replace('\\', "/")
}

/// What a director function that ended gives the runner.
pub type End = Rc<RefCell<Option<ThreadEnd>>>;

/// A place for the end of a thread, and the callback that fills it.
pub fn end_cell() -> (End, OnEnd) {
    let cell: End = Rc::default();
    let filled = cell.clone();
    (cell, Box::new(move |end| *filled.borrow_mut() = Some(end)))
}

/// The director's id in its membrane.
pub const DIRECTOR: HomeId = HomeId::DIRECTOR;
