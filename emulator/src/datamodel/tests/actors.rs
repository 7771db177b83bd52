//! Actors: VMs of their own, messages, parallel phases, shared tables. Source: Roblox behaviour, 1.2 and 11.4.

use std::rc::Rc;

use super::{log, peer, run, run_frames, unindented};
use crate::datamodel::scripts::{self, Stage};
use crate::peer::Peer;
use crate::shared::{Side, SignalMode};
use crate::value::{InstanceId, Value};

/// Adds a script in `parent`, a path of names below `game`; what is missing is made of the class after a colon.
fn add(peer: &Rc<Peer>, class: &str, parent: &str, name: &str, source: &str) -> InstanceId {
    let model = peer.data_model();
    let mut store = model.store_mut();
    let mut at = crate::datamodel::store::GAME;
    for part in parent.split('.') {
        let (part, made_of) = part.split_once(':').unwrap_or((part, "Folder"));
        let found = store.find_child(at, part);
        at = found.unwrap_or_else(|| {
            let made = store.create(crate::datamodel::classes::known_class(made_of));
            store.set_parent(made, Some(at));
            store.get_mut(made).expect("it was just made").name = part.into();
            made
        });
    }
    let id = store.create(crate::datamodel::classes::known_class(class));
    store.get_mut(id).expect("it was just made").name = name.into();
    let property = store.class(id).property("Source").expect("a script has a source");
    store.set_property(id, property, Value::string(source));
    store.set_parent(id, Some(at));
    id
}

/// Runs the scripts, by path of their parents, and compares what they print in both signal modes.
#[track_caller]
fn plays(added: &[(&str, &str, &str, &str)], expected: &str) {
    for signals in [SignalMode::Immediate, SignalMode::Deferred] {
        let peer = peer(Side::Server, signals);
        for (class, parent, name, source) in added {
            add(&peer, class, parent, name, source);
        }
        scripts::begin(&peer, Stage::All);
        run_frames(&peer);
        super::similar_asserts(&unindented(expected), &log(&peer), signals);
    }
}

const COUNTER: &str = "local m = { n = 0 } function m.add() m.n += 1 return m.n end return m";
const COUNT: &str =
    "print(script.Name, require(game.ReplicatedStorage.Counter).add(), _G.who) _G.who = script.Name";

#[test]
fn an_actor_has_a_vm_of_its_own() {
    plays(
        &[
            ("ModuleScript", "ReplicatedStorage", "Counter", COUNTER),
            ("Script", "ServerScriptService", "Plain", COUNT),
            ("Script", "ServerScriptService", "Plain2", COUNT),
            ("Script", "ServerScriptService.A:Actor", "InA", COUNT),
            ("Script", "ServerScriptService.A.Deeper", "AlsoInA", COUNT),
            ("Script", "ServerScriptService.B:Actor", "InB", COUNT),
        ],
        "
        Plain 1 nil
        Plain2 2 Plain
        InA 1 nil
        AlsoInA 2 InA
        InB 1 nil
        ",
    );
}

#[test]
fn instances_and_their_events_are_the_same_for_all() {
    plays(
        &[
            (
                "Script",
                "ServerScriptService.A:Actor",
                "Listener",
                "local event = Instance.new('BindableEvent', workspace)
                event.Event:Connect(function(t, f) print('heard', t.x, f) end)
                workspace.ChildAdded:Connect(function(child) print('added', child.Name) end)
                workspace:SetAttribute('Ready', true)",
            ),
            (
                "Script",
                "ServerScriptService",
                "Speaker",
                "if not workspace:GetAttribute('Ready') then workspace:GetAttributeChangedSignal('Ready'):Wait() end
                workspace.Event:Fire({ x = 1 }, print)
                Instance.new('Folder', workspace)
                task.wait()
                script.Parent.A:Destroy()
                Instance.new('Model', workspace)
                print('end')",
            ),
        ],
        "
        heard 1 nil
        added Folder
        end
        ",
    );
}

#[test]
fn waiting_threads_wake_in_their_own_vm() {
    plays(
        &[
            (
                "Script",
                "ServerScriptService.A:Actor",
                "Waiter",
                "print('child', workspace:WaitForChild('Late').Name)
                print('answer', workspace.Function:Invoke(20).sum)
                print(pcall(function() return workspace.Function:Invoke('x') end))",
            ),
            (
                "Script",
                "ServerScriptService.B:Actor",
                "Maker",
                "local f = Instance.new('BindableFunction', workspace) f.Name = 'Function'
                f.OnInvoke = function(n) task.wait() return { sum = n + 1 } end
                task.wait()
                Instance.new('Folder', workspace).Name = 'Late'",
            ),
        ],
        "
        child Late
        answer 21
        false ServerScriptService.B.Maker:2: attempt to perform arithmetic (add) on string and number
        ",
    );
}

#[test]
fn messages_are_copied_and_come_later() {
    plays(
        &[
            (
                "Script",
                "ServerScriptService.A:Actor",
                "Receiver",
                "local t = { 1 }
                script.Parent:BindToMessage('add', function(list, f, shared)
                    print('got', list[1], list.x, f, shared.n)
                    shared.n += 1
                end)
                script.Parent:BindToMessageParallel('other', function()
                    print('parallel', pcall(function() workspace.Name = 'X' end))
                    task.synchronize()
                    workspace.Name = 'World'
                    print('serial')
                end)",
            ),
            (
                "Script",
                "ServerScriptService",
                "Sender",
                "local actor = script.Parent.A
                local shared = SharedTable.new({ n = 1 })
                actor:SendMessage('nobody', 1)
                actor:SendMessage('add', { 5 }, print, shared)
                actor:SendMessage('other')
                print('sent', shared.n)
                print(pcall(function() actor:BindToMessage('add', print) end))
                task.wait()
                print(shared.n, workspace.Name)",
            ),
        ],
        "
        sent 1
        false BindToMessage can only be called from a script that is a descendant of the Actor
        got 5 nil nil 1
        parallel false Property Workspace.Name is not safe to assign in parallel
        serial
        2 World
        ",
    );
}

#[test]
fn parallel_phases_follow_serial_ones_and_change_nothing() {
    plays(
        &[(
            "Script",
            "ServerScriptService.A:Actor",
            "Main",
            "local event = Instance.new('BindableEvent', script)
            event.Event:Connect(function(n) if n == 2 then event.Name = 'Y' print('serial handler', n) end end)
            event.Event:ConnectParallel(function(n)
                if n > 1 then return end
                print('handler', n, pcall(function() event.Name = 'X' end))
                event:Fire(n + 1)
            end)
            print('serial')
            task.defer(print, 'deferred')
            task.desynchronize()
            print('parallel', workspace.Name, #workspace:GetChildren(), pcall(function() script.Name = 'Z' end))
            print(pcall(function() Instance.new('Folder', workspace) end))
            print(pcall(function() script:Destroy() end))
            print(pcall(require, script))
            task.desynchronize()
            print(typeof(Instance.new('Folder')))
            task.wait()
            print('still parallel', pcall(function() script.Name = 'Z' end))
            task.defer(function() print('defer', pcall(function() script.Name = 'Z' end)) task.synchronize() print('back') end)
            task.synchronize()
            task.synchronize()
            script.Name = 'Renamed'
            print('serial', script.Name)
            event:Fire(1)
            print('fired')",
        )],
        "
        serial
        deferred
        parallel Workspace 0 false Property Script.Name is not safe to assign in parallel
        false Property Folder.Parent is not safe to assign in parallel
        false Function Script.Destroy is not safe to call in parallel
        false Function require is not safe to call in parallel
        Instance
        still parallel false Property Script.Name is not safe to assign in parallel
        serial Renamed
        fired
        defer false Property Script.Name is not safe to assign in parallel
        handler 1 false Property BindableEvent.Name is not safe to assign in parallel
        back
        serial handler 2
        ",
    );
}

#[test]
fn destroying_a_script_of_an_actor_stops_it() {
    plays(
        &[
            (
                "Script",
                "ServerScriptService.A:Actor",
                "Loop",
                "workspace.ChildAdded:Connect(print)
                for i = 1, 5 do print('loop', i) task.wait() end",
            ),
            (
                "Script",
                "ServerScriptService",
                "Main",
                "task.wait() script.Parent.A.Loop:Destroy() Instance.new('Folder', workspace)",
            ),
        ],
        "
        loop 1
        loop 2
        ",
    );
}

#[test]
fn nothing_parallel_outside_an_actor() {
    let peer = peer(Side::Server, SignalMode::Deferred);
    run(
        &peer,
        "print(pcall(task.desynchronize)) print(pcall(function() workspace.Changed:ConnectParallel(print) end))",
    );
    let expected = "
        false task.desynchronize() should only be called from a script that is a descendant of an Actor
        false ConnectParallel can only be used by a script under an Actor
    ";
    assert_eq!(log(&peer), unindented(expected));
}

#[test]
fn shared_tables_hold_values_by_key() {
    super::both(
        r##"
        local t = SharedTable.new({ 10, 20, a = "x", inner = { deep = 1 } })
        print(typeof(t), #t, SharedTable.size(t), t[1], t.a, t.inner.deep, t.nothing)
        for key, value in t do print(key, value) end
        t.a = nil
        t[5] = Vector3.one
        print(t == t, t == SharedTable.new(), t[5], SharedTable.increment(t, "n", 2), t.n)
        SharedTable.update(t, "n", function(old) return old * 10 end)
        print(t.n, SharedTable.clone(t).inner == t.inner, SharedTable.clone(t, true).inner == t.inner)
        local frozen = SharedTable.cloneAndFreeze(t)
        print(SharedTable.isFrozen(frozen), SharedTable.isFrozen(t), pcall(function() frozen.n = 1 end))
        print(pcall(function() t[1.5] = 1 end))
        print(pcall(function() t.f = print end))
        print(pcall(function() t.t = {} end))
        SharedTable.clear(t)
        print(SharedTable.size(t))
        local registry = game:GetService("SharedTableRegistry")
        registry:SetSharedTable("mine", frozen)
        print(registry:GetSharedTable("mine") == frozen, #registry:GetSharedTable("new"))
        print(registry:GetSharedTable("new") == registry:GetSharedTable("new"))
        "##,
        r##"
        SharedTable 4 4 10 x 1 nil
        1 10
        2 20
        a x
        inner SharedTable
        true false 1, 1, 1 0 2
        20 true false
        true false false Cannot modify a frozen SharedTable
        false SharedTable keys must be strings or whole numbers from 0, got number
        false a function cannot be stored in a SharedTable
        false a table cannot be stored in a SharedTable
        0
        true 0
        true
        "##,
    );
}
