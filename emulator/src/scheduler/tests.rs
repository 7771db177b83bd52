//! The task library and signals, in both modes.

use crate::peer::tests::{Bench, prints, texts};
use crate::shared::{SignalMode, SignalOrder};

#[test]
fn spawn_runs_at_once_and_keeps_errors_to_itself() {
    prints(
        "local t = {}
        local thread = task.spawn(function(a, b) print(a, b == t) coroutine.yield() print('resumed') end, 1, t)
        print(typeof(thread), coroutine.status(thread))
        task.spawn(thread)
        task.spawn(function() error('inner') end)
        print('outer goes on', pcall(task.spawn, thread))",
        &[
            "1 true",
            "thread suspended",
            "resumed",
            "Workspace.Script1:5: inner",
            "outer goes on false cannot resume dead coroutine",
        ],
    );
}

#[test]
fn defer_runs_at_the_end_in_order_and_in_the_same_pass() {
    prints(
        "task.defer(print, 1)
        task.defer(function() print(2) task.defer(print, 4) end)
        local co = coroutine.create(function(...) print('co', ...) end)
        print(task.defer(co, 3) == co)
        print('first')",
        &["true", "first", "1", "2", "co 3", "4"],
    );
}

#[test]
fn waits_and_delays_come_due_by_time_then_call_order() {
    let mut bench = Bench::new();
    bench.run(
        "task.delay(0.05, print, 'c')
        task.delay(0.03, print, 'a')
        task.delay(0.03, function(x) print(x) end, 'b')
        task.delay(0, print, 'next')
        task.delay(math.huge, print, 'never')
        task.delay(-1, print, 'negative')
        task.delay(0/0, print, 'nan')
        print(task.wait(0.04) >= 0.04)
        local start = os.clock()
        local elapsed = task.wait()
        print(math.abs(elapsed - (os.clock() - start)) < 1e-12, elapsed > 0.016 and elapsed < 0.017)",
    );
    assert_eq!(bench.step(), ["next", "negative", "nan"]);
    assert_eq!(bench.step(), ["a", "b"]);
    assert_eq!(bench.step(), ["true", "c"]);
    assert_eq!(bench.steps(3), ["true true"]);
}

#[test]
fn a_wait_made_while_waits_resume_takes_a_frame() {
    let mut bench = Bench::new();
    bench.run("for i = 1, 3 do task.wait() print(i) end");
    assert_eq!(bench.step(), ["1"]);
    assert_eq!(bench.step(), ["2"]);
    assert_eq!(bench.step(), ["3"]);
}

#[test]
fn cancel_ends_waiting_deferred_and_fresh_threads_but_not_running_ones() {
    let mut bench = Bench::new();
    assert_eq!(
        bench.run(
            "local waiting = task.spawn(function() task.wait() print('never') end)
            local deferred = task.defer(print, 'never')
            local delayed = task.delay(0, print, 'never')
            local fresh = coroutine.create(print)
            for _, thread in {waiting, deferred, delayed, fresh} do
                task.cancel(thread) print(coroutine.status(thread))
            end
            task.cancel(fresh)
            print(pcall(task.cancel, coroutine.running()))
            local outer = coroutine.running()
            coroutine.wrap(function() print(pcall(task.cancel, outer)) end)()"
        ),
        ["dead", "dead", "dead", "dead", "false cannot cancel thread", "false cannot cancel thread"]
    );
    assert!(bench.steps(3).is_empty());
}

#[test]
fn a_wait_ended_by_a_script_is_not_ended_again() {
    let mut bench = Bench::new();
    assert_eq!(
        bench.run(
            "local co = coroutine.create(function() print('first', task.wait(0.01)) print('second', task.wait(0.1) > 0.09) end)
            coroutine.resume(co)
            coroutine.resume(co, 'early')"
        ),
        ["first early"]
    );
    assert!(bench.steps(5).is_empty());
    assert_eq!(bench.steps(3), ["second true"]);
    let diagnostics = bench.peer.shared.diagnostics.borrow();
    assert_eq!(diagnostics.iter().map(|one| one.code.name()).collect::<Vec<_>>(), ["E-YIELD"]);
}

#[test]
fn legacy_functions_take_29_milliseconds_at_least() {
    let mut bench = Bench::new();
    bench.run(
        "spawn(function(elapsed, running) print('spawn', elapsed > 0.029, running > 0.029) end)
        delay(0, function() print('delay') end)
        print('wait', wait() > 0.029, select('#', wait(0.1)))",
    );
    assert!(bench.step().is_empty());
    assert_eq!(bench.step(), ["spawn true true", "delay"]);
    assert_eq!(bench.steps(7), ["wait true 2"]);
}

#[test]
fn yields_work_where_luau_allows_them() {
    let mut bench = Bench::new();
    bench.run(
        "print('pcall', pcall(function() return task.wait() > 0 end))
        print('xpcall', xpcall(function() return task.wait() > 0 end, print))
        for value in function(_, last) if last then return nil end return task.wait() > 0 end do print('iterator', value) end
        print('wrap', coroutine.wrap(function() return coroutine.isyieldable() end)())
        print('sort', pcall(table.sort, {3, 2, 1}, function() task.wait() end))
        print('index', pcall(function() return setmetatable({}, {__index = function() task.wait() end}).x end))
        print('method', pcall(function() return setmetatable({}, {__index = function() return game.Event1:Wait() end}).x end))",
    );
    let boundary = "attempt to yield across metamethod/C-call boundary";
    assert_eq!(
        bench.steps(3),
        [
            "pcall true true".to_owned(),
            "xpcall true true".to_owned(),
            "iterator true".to_owned(),
            "wrap true".to_owned(),
            format!("sort false Workspace.Script1:5: {boundary}"),
            format!("index false Workspace.Script1:6: {boundary}"),
            format!("method false Workspace.Script1:7: {boundary}"),
        ]
    );
}

#[test]
fn immediate_handlers_run_inside_the_fire_newest_first() {
    let bench = Bench::signals(SignalMode::Immediate);
    assert_eq!(
        bench.run(
            "local signal = game.Event1
            signal:Connect(function(x) print('old', x) task.wait() print('never seen here') end)
            signal:Connect(function(x) print('new', x) if x == 1 then game:Fire(1, 2) end end)
            signal:Connect(function() error('alone') end)
            game:Fire(1, 1)
            print('after')"
        ),
        [
            "Workspace.Script1:4: alone",
            "new 1",
            "Workspace.Script1:4: alone",
            "new 2",
            "old 2",
            "old 1",
            "after"
        ]
    );
}

#[test]
fn deferred_handlers_run_at_the_next_resumption_point() {
    let bench = Bench::signals(SignalMode::Deferred);
    assert_eq!(
        bench.run(
            "local signal = game.Event1
            local state = 'fired'
            signal:Connect(function(x) print('old', x, state) end)
            signal:Connect(function(x) print('new', x, state) if x == 1 then game:Fire(1, 2) end end)
            game:Fire(1, 1)
            state = 'later'
            print('after')"
        ),
        ["after", "new 1 later", "old 1 later", "new 2 later", "old 2 later"]
    );
    let bench = Bench::with(|settings| settings.signal_order = SignalOrder::Oldest);
    assert_eq!(
        bench.run("game.Event1:Connect(function() print(1) end) game.Event1:Connect(function() print(2) end) game:Fire(1)"),
        ["1", "2"]
    );
}

#[test]
fn disconnecting_drops_what_is_queued_and_destruction_does_not() {
    let source = "local signal = game.Event1
        local kept = signal:Connect(function() print('kept') end)
        local dropped = signal:Connect(function() print('dropped') end)
        game:Fire(1)
        dropped:Disconnect()
        dropped:Disconnect()
        print(kept.Connected, dropped.Connected, tostring(dropped), pcall(function() kept.Connected = true end))
        game:Sever()
        print(kept.Connected)
        game:Fire(1)";
    assert_eq!(
        Bench::signals(SignalMode::Deferred).run(source),
        [
            "true false Connection false Unable to assign property Connected. Property is read only",
            "false",
            "kept",
        ]
    );
    assert_eq!(
        Bench::signals(SignalMode::Immediate).run(source),
        [
            "dropped",
            "kept",
            "true false Connection false Unable to assign property Connected. Property is read only",
            "false",
        ]
    );
}

#[test]
fn once_and_wait_take_the_first_fire_only() {
    for mode in [SignalMode::Immediate, SignalMode::Deferred] {
        let bench = Bench::signals(mode);
        let lines = bench.run(
            "local connection
            connection = game.Event1:Once(function(x) print('once', x, connection.Connected) end)
            task.spawn(function() print('wait', game.Event1:Wait()) end)
            game:Fire(1, 1) game:Fire(1, 2)",
        );
        assert_eq!(lines, ["wait 1", "once 1 false"], "{mode:?}");
    }
}

#[test]
fn wait_can_be_set_to_resume_at_once() {
    let bench = Bench::with(|settings| settings.wait_immediate = true);
    assert_eq!(
        bench.run("task.spawn(function() print(game.Event1:Wait()) end) game:Fire(1, 'x') print('after')"),
        ["x", "after"]
    );
}

#[test]
fn nested_fires_stop_at_depth_ten() {
    let bench = Bench::signals(SignalMode::Deferred);
    assert_eq!(
        bench.run(
            "local count = 0
            game.Event1:Connect(function() count += 1 game:Fire(1) end)
            game:Fire(1)
            task.wait()
            print(count)"
        ),
        ["Maximum event re-entrancy depth exceeded for Folder.Event1"]
    );
    assert_eq!(bench.peer.shared.diagnostics.borrow().len(), 1);
    let mut bench = bench;
    assert_eq!(bench.step(), ["10"]);
    let lines = Bench::signals(SignalMode::Immediate).run(
        "local count = 0
        game.Event1:Connect(function() count += 1 game:Fire(1) end)
        game:Fire(1)
        print(count)",
    );
    assert_eq!(lines, ["Maximum event re-entrancy depth exceeded for Folder.Event1", "80"]);
    let lines = Bench::new().run("local function again(n) if n > 0 then task.defer(again, n - 1) else print('end') end end again(10) again(11)");
    assert_eq!(lines, ["end", "Maximum event re-entrancy depth exceeded for task.defer"]);
}

#[test]
fn each_handler_gets_its_own_tables() {
    let bench = Bench::new();
    assert_eq!(
        bench.run(
            "local seen = {}
            for i = 1, 2 do game.Event1:Connect(function(t, f) table.insert(seen, t) t.x += 1 print(t.x, t[1], f == print) end) end
            game:Fire(1, {7, x = 1}, print)
            task.defer(function() print(seen[1] ~= seen[2]) end)"
        ),
        ["2 7 true", "2 7 true", "true"]
    );
}

#[test]
fn signals_are_values() {
    prints(
        "print(game.Event1 == game.Event1, game.Event1 ~= game.Event2, ({[game.Event1] = 5})[game.Event1])
        print(tostring(game.Event1), pcall(function() return game.Event1:Nope() end))
        print(pcall(function() game.Event1:Connect(5) end))
        print(game.Event1.Connect == game.Event1.Connect, pcall(function() game.Event1:ConnectParallel(print) end))",
        &[
            "true true 5",
            "Signal Event1 false Nope is not a valid member of RBXScriptSignal",
            "false Attempt to connect failed: Passed value is not a function",
            "true false ConnectParallel can only be used by a script under an Actor",
        ],
    );
}

#[test]
fn connect_hooks_are_told_of_connections() {
    use std::cell::RefCell;
    use std::rc::Rc;

    use crate::value::{InstanceId, SignalKey};
    let bench = Bench::new();
    let seen: Rc<RefCell<Vec<String>>> = Rc::default();
    let key = SignalKey { instance: InstanceId(1), event: 1 };
    let log = seen.clone();
    bench.peer.signals.on_connect(move |_, key| log.borrow_mut().push(format!("connected {}", key.event)));
    bench.run(
        "local c = game.Event1:Connect(print) game:Fire(1, 1, 'x', nil)
        task.defer(function() game.Event1:Connect(print) c:Disconnect() end)",
    );
    assert_eq!(*seen.borrow(), ["connected 1", "connected 1"]);
    assert_eq!(texts(&bench.peer.log.lines()), ["1 x nil"]);
    assert_eq!((bench.peer.signals.count(key), bench.peer.signals.list().len()), (1, 1));
}

#[test]
fn too_much_deferred_work_is_cut() {
    let bench = Bench::with(|settings| settings.deferred_limit = 100);
    let lines = bench.run("for i = 1, 150 do task.defer(function() end) end");
    assert_eq!(lines, ["Maximum number of deferred events exceeded (50 dropped)"]);
}

#[test]
fn waiting_threads_say_what_for() {
    let mut bench = Bench::new();
    bench.run_as(
        "Main",
        "task.delay(0.5, print)
        task.spawn(function() game.Event1:Wait() end)
        task.spawn(function() wait(1) end)
        local cancelled = task.spawn(function() task.wait(9) end) task.cancel(cancelled)
        task.wait(0.25)",
    );
    let reasons = |bench: &Bench| {
        let waiting = crate::scheduler::waiting(&bench.peer);
        waiting.into_iter().map(|one| format!("{} {}", one.position, one.reason)).collect::<Vec<_>>()
    };
    assert_eq!(
        reasons(&bench),
        ["Main:5:  wait 0.25 s", " delay 0.5 s", "Main:3:  wait 1 s", "Main:2:  signal Folder.Event1"]
    );
    bench.run("game:Fire(1)");
    bench.steps(90);
    assert!(reasons(&bench).is_empty());
}
