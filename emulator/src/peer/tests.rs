//! Peers with made-up trees, and what every script must find.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use super::*;
use crate::clock::Time;
use crate::scheduler::{drain, resume_legacy, resume_waits};
use crate::shared::{LogLine, SignalMode};
use crate::value::SignalKey;
use crate::vm::{Cx, Outcome, Returns, TypeTable, light};

/// A tree of scripts and folders.
#[derive(Default)]
pub(crate) struct Scripts {
    nodes: RefCell<BTreeMap<InstanceId, Node>>,
}

struct Node {
    name: String,
    parent: Option<InstanceId>,
    source: Option<Arc<str>>,
    module: bool,
}

impl Scripts {
    /// Adds a node at a path; missing parts become folders.
    pub(crate) fn add(&self, path: &str, source: Option<&str>, module: bool) -> InstanceId {
        let (parent, name) = match path.rsplit_once('.') {
            Some((parent, name)) => (self.find(parent).or_else(|| Some(self.add(parent, None, false))), name),
            None => (self.root(), path),
        };
        self.push(name, parent, source, module)
    }

    fn push(&self, name: &str, parent: Option<InstanceId>, source: Option<&str>, module: bool) -> InstanceId {
        let id = InstanceId(self.nodes.borrow().len() as u32 + 1);
        let node = Node { name: name.into(), parent, source: source.map(Arc::from), module };
        self.nodes.borrow_mut().insert(id, node);
        id
    }

    pub(crate) fn find(&self, path: &str) -> Option<InstanceId> {
        path.split('.').try_fold(self.root()?, |at, part| self.child(at, part))
    }
}

impl ScriptTree for Scripts {
    fn source_of(&self, id: InstanceId) -> Option<Arc<str>> {
        self.nodes.borrow().get(&id)?.source.clone()
    }

    fn full_name(&self, id: InstanceId) -> String {
        let nodes = self.nodes.borrow();
        let mut names = Vec::new();
        let mut at = Some(id);
        while let Some(node) = at.and_then(|id| nodes.get(&id)) {
            if node.parent.is_some() {
                names.push(node.name.clone());
            }
            at = node.parent;
        }
        names.reverse();
        names.join(".")
    }

    fn is_module(&self, id: InstanceId) -> bool {
        self.nodes.borrow().get(&id).is_some_and(|node| node.module)
    }

    fn parent(&self, id: InstanceId) -> Option<InstanceId> {
        self.nodes.borrow().get(&id)?.parent
    }

    fn child(&self, id: InstanceId, name: &str) -> Option<InstanceId> {
        let nodes = self.nodes.borrow();
        nodes.iter().find(|(_, node)| node.parent == Some(id) && node.name == name).map(|(id, _)| *id)
    }

    fn root(&self) -> Option<InstanceId> {
        self.nodes.borrow().iter().find(|(_, node)| node.parent.is_none()).map(|(id, _)| *id)
    }

    fn signal_name(&self, key: SignalKey) -> String {
        format!("Folder.Event{}", key.event)
    }
}

/// A peer, its scripts and a frame counter at 60 a second.
pub(crate) struct Bench {
    pub(crate) peer: Rc<Peer>,
    pub(crate) scripts: Rc<Scripts>,
    frame: u64,
}

/// `script` members enough to get about: children and `Parent`, and signals `Event0`...
fn member(cx: &mut Cx<'_>, _atom: crate::vm::Atom) -> Outcome {
    let id = cx.instance(1)?;
    let name = cx.text(2)?;
    let peer = cx.peer();
    if let Some(event) = name.strip_prefix("Event").and_then(|event| event.parse().ok()) {
        cx.push_signal(SignalKey { instance: id, event });
    } else if name == "Parent" {
        cx.push_opt_instance(peer.tree().parent(id));
    } else if let Some(child) = peer.tree().child(id, &name) {
        cx.push_instance(child);
    } else {
        let full_name = peer.full_name(id);
        return Err(format!("{name} is not a valid member of Folder \"{full_name}\"").into());
    }
    Ok(Returns::ONE)
}

fn method(cx: &mut Cx<'_>, _atom: crate::vm::Atom) -> Outcome {
    match cx.callee().as_str() {
        "Fire" => {
            let instance = cx.instance(0)?;
            let event = cx.integer(1)? as u16;
            let arguments = cx.values_from(2)?;
            let peer = cx.peer();
            crate::scheduler::fire(&peer, SignalKey { instance, event }, arguments);
            Ok(Returns::NONE)
        }
        "Sever" => {
            cx.peer().signals.sever(cx.instance(0)?);
            Ok(Returns::NONE)
        }
        "Wait" => {
            cx.peer().attach(Rc::new(cx.park()?));
            Ok(Returns::Yield)
        }
        "Fail" => Err("it went wrong".into()),
        "Panic" => panic!("a panic in native code"),
        name => Err(format!("{name} is not a valid member of Folder").into()),
    }
}

impl Bench {
    pub(crate) fn new() -> Bench {
        Bench::with(|_| {})
    }

    pub(crate) fn signals(mode: SignalMode) -> Bench {
        Bench::with(|settings| settings.signals = mode)
    }

    pub(crate) fn with(change: impl FnOnce(&mut Settings)) -> Bench {
        let mut settings = Settings::default();
        change(&mut settings);
        let scripts = Rc::new(Scripts::default());
        scripts.push("Game", None, None, false);
        let options = PeerOptions {
            side: Side::Server,
            shared: Shared::new(settings, Seed(7), Arc::default()),
            clock: PeerClock::new(Time::ZERO, Time::ZERO, 0.0),
            tree: scripts.clone(),
        };
        let peer = Peer::new(options, |peer| {
            let mut table = TypeTable::named("Instance");
            table.index = Some(member);
            table.namecall = Some(method);
            peer.vm.register_light(light::INSTANCE, table)?;
            peer.vm.set_global("game", &Value::Instance(InstanceId(1)))
        })
        .unwrap();
        Bench { peer, scripts, frame: 0 }
    }

    /// Runs a script to its first wait and gives its log since.
    pub(crate) fn run(&self, source: &str) -> Vec<String> {
        self.run_as(&format!("Workspace.Script{}", self.scripts.nodes.borrow().len()), source)
    }

    pub(crate) fn run_as(&self, path: &str, source: &str) -> Vec<String> {
        let before = self.peer.log.len();
        let script = self.scripts.add(path, Some(source), false);
        self.peer.start_script(script);
        drain(&self.peer);
        texts(&self.peer.log.since(before))
    }

    pub(crate) fn module(&self, path: &str, source: &str) -> InstanceId {
        self.scripts.add(path, Some(source), true)
    }

    /// One frame: legacy waits, waits, and resumption points after each.
    pub(crate) fn step(&mut self) -> Vec<String> {
        let before = self.peer.log.len();
        self.frame += 1;
        self.peer.clock.begin_frame(Time::of_frame(self.frame, 60.0));
        resume_legacy(&self.peer);
        drain(&self.peer);
        resume_waits(&self.peer);
        drain(&self.peer);
        texts(&self.peer.log.since(before))
    }

    pub(crate) fn steps(&mut self, count: u32) -> Vec<String> {
        (0..count).flat_map(|_| self.step()).collect()
    }
}

pub(crate) fn texts(lines: &[LogLine]) -> Vec<String> {
    lines.iter().map(|line| line.text.clone()).collect()
}

/// What a script prints.
pub(crate) fn prints(source: &str, expected: &[&str]) {
    assert_eq!(Bench::new().run(source), expected, "{source}");
}

#[test]
fn globals_are_the_engines() {
    prints(
        "print(_VERSION, integer, _G ~= shared, type(_G), type(shared))
        _G.x = 1 shared.y = 2 print(_G.x, shared.y)
        print(pcall(function() string.format = 1 end))
        print(pcall(collectgarbage), type(collectgarbage('count')))
        print(pcall(loadstring, 'return 1'))
        foo = 1 print(foo, getfenv().foo, rawget(_G, 'foo'))
        print(os.time(), os.date('!%Y-%m-%d'), os.date('*t').year, os.time({year = 2025, month = 1, day = 2, hour = 0}))
        print(tick(), time(), os.clock(), elapsedTime())
        print(setmetatable({}, {__tostring = function() return 'shown' end}), nil, true, 1.5, 'a b')
        print(typeof(game), type(game), typeof(game.Event1), typeof(game.Event1:Connect(print)))
        print(getmetatable(game), getmetatable('').__index == string, select('#', ...))
        print(debug.info(1, 's'), debug.info(1, 'l'), pcall(os.execute))",
        &[
            "Luau nil true table table",
            "1 2",
            "false Workspace.Script1:3: attempt to modify a readonly table",
            "false number",
            "false loadstring() is not available",
            "1 1 nil",
            "1735689600 2025-01-01 2025 1735776000",
            "1735689600 0 0 0",
            "shown nil true 1.5 a b",
            "Instance userdata RBXScriptSignal RBXScriptConnection",
            "The metatable is locked true 0",
            "Workspace.Script1 12 false attempt to call a nil value",
        ],
    );
}

#[test]
fn the_global_table_holds_nothing_unknown() {
    let bench = Bench::new();
    let mut names = bench
        .peer
        .vm
        .enter(|cx| {
            let mut names = Vec::new();
            cx.get_global("getfenv");
            cx.push_number(0.0);
            cx.call(1, 1);
            let globals = cx.top();
            cx.each(globals, |key, _| {
                names.push(cx.text(key)?);
                Ok(())
            })?;
            Ok(names)
        })
        .unwrap();
    names.sort();
    let expected = "Delay ElapsedTime Spawn Wait _G _VERSION assert bit32 buffer collectgarbage coroutine debug \
        delay elapsedTime error game gcinfo getfenv getmetatable ipairs loadstring math newproxy next os pairs pcall \
        print rawequal rawget rawlen rawset require select setfenv setmetatable shared spawn string table task tick \
        time tonumber tostring type typeof unpack utf8 vector wait warn xpcall";
    assert_eq!(names.join(" "), expected.split_whitespace().collect::<Vec<_>>().join(" "));
}

#[test]
fn engine_errors_are_bare_when_caught_and_located_in_the_log() {
    let bench = Bench::new();
    assert_eq!(
        bench.run(
            "print(pcall(function() return game.Nope end))
            print(pcall(function() game:Fail() end))
            print(pcall(function() game:Nope() end))
            print(pcall(function() return game.Event1.Nope end))
            print(pcall(function() error('mine') end))
            print(pcall(function() error('bare', 0) end))
            print(pcall(function() return nil + 1 end))
            print(select(2, pcall(error, {code = 7})).code, typeof(select(2, pcall(game.Event1.Connect, game.Event1))))
            print(pcall(game.Event1.Connect, 1, print))
            print(pcall(task.wait, {}))
            print(pcall(task.spawn))
            print(xpcall(function() return game.Nope end, function(e) return 'handled ' .. e end))"
        ),
        [
            "false Nope is not a valid member of Folder \"\"",
            "false it went wrong",
            "false Nope is not a valid member of Folder",
            "false Nope is not a valid member of RBXScriptSignal",
            "false Workspace.Script1:5: mine",
            "false bare",
            "false Workspace.Script1:7: attempt to perform arithmetic (add) on nil and number",
            "7 string",
            "false Expected ':' not '.' calling member function Connect",
            "false invalid argument #1 to 'wait' (number expected, got table)",
            "false missing argument #1 to 'spawn' (function or thread expected)",
            "false handled Nope is not a valid member of Folder \"\"",
        ]
    );
    let bench = Bench::new();
    let uncaught =
        bench.run_as("ServerScriptService.Main", "local function inner()\n game:Fail()\nend\n\ninner()");
    assert_eq!(uncaught, ["ServerScriptService.Main:2: it went wrong"]);
    let line = bench.peer.log.lines().pop().unwrap();
    assert_eq!(line.level, LogLevel::Error);
    assert_eq!(line.script.as_deref(), Some("ServerScriptService.Main"));
    assert_eq!(
        line.stack.as_deref(),
        Some(
            "Script 'ServerScriptService.Main', Line 2 - function inner\nScript 'ServerScriptService.Main', Line 5"
        )
    );
    assert_eq!(
        bench.run_as("A", "local x = nil + 1"),
        ["A:1: attempt to perform arithmetic (add) on nil and number"]
    );
    assert_eq!(bench.run_as("B", "\nerror('x')"), ["B:2: x"]);
    assert_eq!(
        bench.run_as("C", "error(setmetatable({}, {__tostring = function() return 'object' end}))"),
        ["C:1: object"]
    );
    assert_eq!(
        bench.run_as("D", "local x = = 1"),
        ["D:1: Expected identifier when parsing expression, got '='"]
    );
}

#[test]
fn environments_are_one_a_script() {
    let bench = Bench::new();
    bench.module(
        "Storage.Net",
        "value = 1 return {script = script, fenv = getfenv(), value = function() return value end}",
    );
    assert_eq!(
        bench.run(
            "local net = require(game.Storage.Net)
            print(net.script == game.Storage.Net, net.fenv.script == net.script, script == net.script, value, net.value())
            print(rawget(getfenv(), 'script') == script, math.floor(1.5), script.Parent == game.Workspace)
            math = {floor = function() return 'own' end}
            print(math.floor(1.5), getfenv(net.value).math.floor(1.5))"
        ),
        ["true true false nil 1", "true 1 true", "own 1"]
    );
}

#[test]
fn require_runs_a_module_once_and_hands_out_the_same_value() {
    let bench = Bench::new();
    bench.module(
        "Storage.A",
        "print('A runs') local B = require('./B') return {b = B, up = require('@self/Child')}",
    );
    bench.module("Storage.A.Child", "return 'child'");
    bench.module("Storage.B", "print('B runs') return {}");
    assert_eq!(
        bench.run(
            "local a = require(game.Storage.A)
            print(a == require('@game/Storage/A'), a.b == require(game.Storage.B), a.up, rawequal(a, require('../Storage/A')))
            local ok, b = pcall(require, game.Storage.B)
            print(ok, b == a.b)"
        ),
        ["A runs", "B runs", "true true child true", "true true"]
    );
}

#[test]
fn require_fails_like_the_engine() {
    let bench = Bench::new();
    bench.module("Storage.Nothing", "");
    bench.module("Storage.Two", "return 1, 2");
    bench.module("Storage.Nil", "return nil");
    bench.module("Storage.Bad", "\nerror('inside')");
    bench.module("Storage.Syntax", "return return");
    bench.module("Storage.X", "return require('./Y')");
    bench.module("Storage.Y", "return require('./X')");
    bench.module("Storage.Self", "return require(script)");
    let errors = "Requested module experienced an error while loading";
    let one = "Module code did not return exactly one value";
    assert_eq!(
        bench.run(
            "local S = game.Storage
            for _, name in {'Nothing', 'Two', 'Nil', 'Bad', 'Bad', 'Syntax', 'X', 'Self'} do
                print(select(2, pcall(require, S[name])))
            end
            print(select(2, pcall(require, './Nope')))
            print(select(2, pcall(require, 'Nope')))
            print(select(2, pcall(require, './Script9')))
            print(select(2, pcall(require, 5)))
            print(select(2, pcall(require)))
            print(select(2, pcall(require, game.Storage)))"
        ),
        [
            one,
            one,
            // A module of types alone may end with `return nil`.
            "nil",
            "Storage.Bad:2: inside",
            errors,
            errors,
            "Storage.Syntax:1: Expected identifier when parsing expression, got 'return'",
            errors,
            "Storage.Y:1: Requested module was required recursively",
            "Storage.X:1: Requested module experienced an error while loading",
            errors,
            "Storage.Self:1: Requested module was required recursively",
            errors,
            "Failed to require \"./Nope\": Workspace has no child \"Nope\"",
            "Failed to require \"Nope\": a path must start with ./, ../, @self/ or @game/",
            "Failed to require \"./Script9\": Workspace has no child \"Script9\"",
            "asset modules are not available; mount the module in the project",
            "Attempted to call require with invalid argument(s).",
            "Attempted to call require with invalid argument(s).",
        ]
    );
}

#[test]
fn modules_that_yield_hold_all_their_requirers() {
    let mut bench = Bench::new();
    bench.module("Storage.Slow", "task.wait(0.05) return {}");
    bench.module("Storage.SlowBad", "task.wait(0.05) error('late')");
    bench.run(
        "for i = 1, 2 do task.spawn(function()
            local value = require(game.Storage.Slow)
            print(i, value == require(game.Storage.Slow), pcall(require, game.Storage.SlowBad))
        end) end",
    );
    let slow = bench.scripts.find("Storage.Slow").unwrap();
    assert!(bench.peer.loaded(slow).is_none());
    assert_eq!(
        bench.steps(8),
        [
            "Storage.SlowBad:1: late",
            "1 true false Requested module experienced an error while loading",
            "2 true false Requested module experienced an error while loading",
        ]
    );
    assert_eq!(bench.peer.loaded(slow).unwrap().type_name(), "table");
}

#[test]
fn parked_threads_are_resumed_once_with_values_or_an_error() {
    let bench = Bench::new();
    let parked = || bench.peer.part::<Parked>().unwrap();
    bench.run("print('got', game:Wait())");
    let first = parked();
    assert!(bench.peer.resume(&first, &[1.0.into(), "two".into()]));
    assert!(!bench.peer.resume(&first, &[]));
    bench.run("print(pcall(function() game:Wait() end)) print('goes on')");
    assert!(bench.peer.fail(&parked(), "remote said no"));
    bench.run("local e = select(2, xpcall(function() return game:Wait() end, function(e) return e .. '!' end)) print(e)");
    assert!(bench.peer.fail(&parked(), "again"));
    // A script that resumes the thread itself ends the wait.
    bench.run("local co = coroutine.create(function() print('by', game:Wait()) end) coroutine.resume(co) coroutine.resume(co, 'script')");
    assert!(!bench.peer.resume(&parked(), &["host".into()]));
    // So does cancelling.
    bench.run("local co = task.spawn(function() game:Wait() print('never') end) task.cancel(co) print(coroutine.status(co))");
    assert!(!bench.peer.resume(&parked(), &[]));
    // Uncaught at the call that waited.
    bench.run_as("Last", "\ngame:Wait()");
    assert!(bench.peer.fail(&parked(), "gone"));
    assert_eq!(
        texts(&bench.peer.log.lines()),
        ["got 1 two", "false remote said no", "goes on", "again!", "by script", "dead", "Last:2: gone",]
    );
}

#[test]
fn the_end_of_a_thread_is_answered_whoever_resumes_it() {
    let mut bench = Bench::new();
    let ends: Rc<RefCell<Vec<ThreadEnd>>> = Rc::default();
    let start = |source: &str| {
        let function = bench.peer.load(&source.into(), "Chunk", &[]).unwrap();
        let seen = ends.clone();
        let end = Box::new(move |_: &Rc<Peer>, end| seen.borrow_mut().push(end));
        bench.peer.spawn_then(&function, 0, &[5.0.into()], end).unwrap()
    };
    start("return ..., 'at once'");
    start("task.wait() return 'later', {}");
    start("\nerror('failed')");
    start("_G.co = coroutine.running() coroutine.yield() return 'by hand'");
    let cancelled = start("task.wait(1)");
    bench.run("coroutine.resume(_G.co)");
    bench.peer.cancel(&cancelled);
    bench.step();
    let ends = ends.borrow();
    assert_eq!(ends[0], Ok(vec![5.0.into(), "at once".into()]));
    let failure = ends[1].as_ref().unwrap_err();
    assert_eq!((failure.text.as_str(), &*failure.position), ("Chunk:2: failed", "Chunk:2: "));
    assert_eq!(ends[2], Ok(vec!["by hand".into()]));
    assert_eq!(ends[3].as_ref().unwrap_err().text, "the thread was cancelled");
    let later = ends[4].as_ref().unwrap();
    assert_eq!(later[0], "later".into());
    assert!(matches!(&later[1], Value::Reference(_)));
    assert!(bench.peer.log.is_empty());
}

#[test]
fn stopping_a_script_stops_its_threads_and_connections() {
    let mut bench = Bench::new();
    bench.run_as(
        "Workspace.Main",
        "game.Event1:Connect(function() print('handled') end)
        coroutine.wrap(function() task.wait(0.02) print('coroutine') end)()
        task.delay(0.02, print, 'delayed')
        task.defer(function() print('deferred') task.wait() print('never') end)
        task.wait(0.02) print('never')",
    );
    bench.run("task.wait(0.02) print('other')");
    bench.peer.stop_script(bench.scripts.find("Workspace.Main").unwrap());
    bench.run("game:Fire(1)");
    assert_eq!(bench.steps(4), ["other"]);
    assert_eq!(texts(&bench.peer.log.lines()), ["deferred", "other"]);
}

/// Prints what a bare peer costs; asserts nothing about time.
///
/// A development build on two cores: 0.2 to 0.4 ms for the language's globals and the signal types.
#[test]
fn costs() {
    let start = std::time::Instant::now();
    for _ in 0..50 {
        drop(Bench::new());
    }
    println!("make and drop a peer: {:.1} us", start.elapsed().as_micros() as f64 / 50.0);
    let bench = Bench::new();
    println!("its VM: {} KiB", bench.peer.vm.memory() >> 10);
}
