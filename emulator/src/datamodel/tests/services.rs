//! `game`, its services, tags, bindables and small services. Source: Roblox behaviour, 5.7, 7.6, 7.7 and 13.

use std::cell::RefCell;
use std::rc::Rc;

use super::{both, deferred, immediate, log, peer, run};
use crate::shared::{Side, SignalMode};
use crate::value::Value;

#[test]
fn services_are_made_when_asked_for() {
    both(
        r##"
        print(game.ClassName, game.Name, game == workspace.Parent, game.Workspace == workspace)
        print(game:FindService("HttpService"))
        local http = game:GetService("HttpService")
        print(http.Parent == game, game:FindService("HttpService") == http, game:GetService("HttpService") == http)
        print(game:GetService("RunService").Name, game:GetService("Folder"))
        print(pcall(function() return game:GetService("Nope") end))
        print(game.ReplicatedStorage == game:GetService("ReplicatedStorage"))
        print(pcall(function() return game.Parent end))
        print(game:IsLoaded(), game.PlaceVersion, type(game.JobId))
        "##,
        r##"
        DataModel Game true true
        nil
        true true true
        Run Service nil
        false 'Nope' is not a valid Service name
        true
        true nil
        true 0 string
        "##,
    );
}

#[test]
fn tags_follow_the_tree() {
    both(
        r##"
        local tags = game:GetService("CollectionService")
        tags:GetInstanceAddedSignal("Door"):Connect(function(instance) print("added", instance.Name) end)
        tags:GetInstanceRemovedSignal("Door"):Connect(function(instance) print("removed", instance.Name) end)
        print(tags:GetInstanceAddedSignal("Door") == tags:GetInstanceAddedSignal("Door"))
        local part = Instance.new("Part")
        part:AddTag("Door")
        print(part:HasTag("Door"), tags:HasTag(part, "Door"), #tags:GetTagged("Door"), #part:GetTags())
        part.Parent = workspace
        task.wait()
        print(#tags:GetTagged("Door"), tags:GetTagged("Door")[1] == part, tags:GetAllTags()[1])
        tags:AddTag(part, "Door")
        tags:AddTag(part, "Red")
        print(tags:GetTags(part)[2])
        part.Parent = nil
        task.wait()
        part.Parent = workspace
        part:RemoveTag("Door")
        task.wait()
        part:Destroy()
        print(#tags:GetTagged("Door"), #tags:GetTagged("Red"))
        "##,
        r##"
        true
        true true 0 1
        added Part
        1 true Door
        Red
        removed Part
        added Part
        removed Part
        0 0
        "##,
    );
}

const BINDABLE: &str = r##"
    local event = Instance.new("BindableEvent")
    event.Event:Connect(function(...) print("event", select("#", ...), ...) end)
    event:Fire(1, nil, "x", nil)
    print("fired")
"##;

#[test]
fn bindable_events_fire_at_once() {
    immediate(BINDABLE, "event 4 1 nil x nil\nfired");
}

#[test]
fn bindable_events_fire_later() {
    deferred(BINDABLE, "fired\nevent 4 1 nil x nil");
}

#[test]
fn bindables_copy_tables() {
    both(
        r##"
        local event = Instance.new("BindableEvent")
        local sent = setmetatable({ list = { 1, 2 } }, { __index = { hidden = true } })
        local f = function() return "called" end
        event.Event:Connect(function(got, g)
            print(got ~= sent, got.list[2], got.list ~= sent.list, got.hidden, g())
        end)
        event.Event:Connect(function(mixed) print(mixed[1] == nil) end)
        event:Fire(sent, f)
        task.wait()
        "##,
        r##"
        true
        true 2 true nil called
        "##,
    );
}

#[test]
fn bindable_functions_answer() {
    both(
        r##"
        local f = Instance.new("BindableFunction")
        print(pcall(function() return f.OnInvoke end))
        task.spawn(function() print("early", f:Invoke(1)) end)
        f.OnInvoke = function(a) task.wait() return a + 1, "two" end
        print(f:Invoke(2))
        f.OnInvoke = function() error("bad", 0) end
        print(pcall(f.Invoke, f))
        print(pcall(function() f.OnInvoke = 1 end))
        "##,
        r##"
        false OnInvoke is a callback member of BindableFunction; you can only set the callback value, get is not available
        early 2 two
        3 two
        false bad
        false Unable to assign callback OnInvoke. function expected, got number
        "##,
    );
}

#[test]
fn json_and_guids() {
    both(
        r##"
        local http = game:GetService("HttpService")
        local guid, bare = http:GenerateGUID(), http:GenerateGUID(false)
        print(#guid, #bare, string.match(guid, "^{%x+%-%x+%-4%x+%-%x+%-%x+}$") ~= nil, guid ~= bare)
        print(http:JSONEncode({ 1, "a", true, { x = 1.5 } }), http:JSONEncode({}), http:JSONEncode({ 1, 2, a = 3 }))
        local got = http:JSONDecode('{"a": [1, null, "x"], "b": {"c": true}}')
        print(got.a[1], got.a[2], got.a[3], got.b.c)
        print(pcall(http.JSONDecode, http, "{"))
        local cycle = {}
        cycle[1] = cycle
        print(pcall(http.JSONEncode, http, cycle))
        print(pcall(http.GetAsync, http, "http://example.com"))
        "##,
        r##"
        38 36 true true
        [1,"a",true,{"x":1.5}] [] [1,2]
        1 nil x true
        false Can't parse JSON
        false tables cannot be cyclic
        false Http requests are not enabled. Enable via game settings
        "##,
    );
}

#[test]
fn debris_removes_in_time() {
    both(
        r##"
        local part = Instance.new("Part", workspace)
        game:GetService("Debris"):AddItem(part, 0.05)
        task.wait()
        print(part.Parent)
        task.wait(0.1)
        print(part.Parent)
        "##,
        r##"
        Workspace
        nil
        "##,
    );
}

#[test]
fn what_is_not_emulated_says_so() {
    both(
        r##"
        local part = Instance.new("Part", workspace)
        print(select(2, pcall(function() part:ApplyImpulse(1) end)))
        print(part.Touched, typeof(part.Touched:Connect(print)))
        print(select(2, pcall(function() part:SetNetworkOwner() end)))
        print(select(2, pcall(function() game:GetService("DataStoreService"):GetDataStore("x") end)))
        print(select(2, pcall(function() game:GetService("ProcessService") end)))
        print(select(2, pcall(function() game:GetService("GamePassService"):Anything() end)))
        print(select(2, pcall(function() game:GetService("Selection"):Get() end)))
        "##,
        r##"
        [emulator] Part:ApplyImpulse is not emulated; stub it with side:stub("Part", "ApplyImpulse", fn)
        Signal Touched RBXScriptConnection
        [emulator] Part:SetNetworkOwner is not emulated; stub it with side:stub("Part", "SetNetworkOwner", fn)
        You must publish this place to the web to access DataStore. ([emulator] Data stores are not emulated; stub them with side:stub("DataStoreService", "GetDataStore", fn))
        'ProcessService' is not a valid Service name
        Anything is not a valid member of GamePassService "GamePassService"
        The current thread cannot call 'Get' (lacking capability Plugin)
        "##,
    );
}

#[test]
fn stubs_take_the_place_of_members() {
    for signals in [SignalMode::Immediate, SignalMode::Deferred] {
        let peer = peer(Side::Server, signals);
        let source = "return function(self, a) if a == 'wait' then task.wait() end \
                      if a == 'fail' then error('stubbed', 0) end return self.Name, a end";
        let chunk = peer.load(&source.into(), "Stub", &[]).unwrap();
        let stub = Rc::new(RefCell::new(None));
        let slot = stub.clone();
        peer.spawn_then(&chunk, 0, &[], Box::new(move |_, end| *slot.borrow_mut() = end.unwrap().pop()))
            .unwrap();
        let Some(Value::Function(function)) = stub.take() else { panic!("the chunk returns a function") };
        let model = peer.data_model();
        model.set_stub("HttpService", "RequestAsync", Some(function.clone())).unwrap();
        model.set_stub("DataStoreService", "GetDataStore", Some(function)).unwrap();
        assert!(model.set_stub("Nope", "X", None).is_err());
        run(
            &peer,
            r##"
            local http = game:GetService("HttpService")
            print(http:RequestAsync(1))
            print(http:RequestAsync("wait"))
            print(pcall(http.RequestAsync, http, "fail"))
            print(pcall(function() return http:RequestAsync("fail") end))
            print(game:GetService("DataStoreService"):GetDataStore("x"))
            "##,
        );
        let expected = "HttpService 1\nHttpService wait\nfalse stubbed\nfalse stubbed\nDataStoreService x";
        assert_eq!(log(&peer), expected);
    }
}

#[test]
fn output_is_mirrored() {
    both(
        r##"
        local service = game:GetService("LogService")
        local seen = {}
        service.MessageOut:Connect(function(message, kind)
            if message ~= "stop" then table.insert(seen, message) end
        end)
        print("one", 2)
        warn("three")
        task.wait()
        print(seen[1], seen[2], #service:GetLogHistory() >= 2, service:GetLogHistory()[2].message)
        game:GetService("TestService"):Message("told")
        game:GetService("TestService"):Check(true, "silent")
        print(pcall(function() game:GetService("TestService"):Fail("failed") end))
        "##,
        r##"
        one 2
        three
        one 2 three true three
        TestService: told
        false failed
        "##,
    );
}

#[test]
fn closing_functions_are_kept_and_clients_load() {
    let server = peer(Side::Server, SignalMode::Deferred);
    run(&server, "game:BindToClose(function() end) game:BindToClose(print)");
    assert_eq!(crate::services::data_model::close_functions(&server).len(), 2);
    let client = peer(Side::Client(0), SignalMode::Deferred);
    run(
        &client,
        "print(game:IsLoaded(), pcall(function() game:BindToClose(print) end)) \
         game.Loaded:Connect(function() print('loaded', game:IsLoaded()) end)",
    );
    crate::services::data_model::set_loaded(&client);
    crate::services::data_model::set_loaded(&client);
    run(&client, "");
    assert_eq!(log(&client), "false false BindToClose can only be called from the server\nloaded true");
}

#[test]
fn clocks_are_read_from_the_peer() {
    let source =
        "print(workspace.DistributedGameTime, pcall(function() return workspace:GetServerTimeNow() end))";
    let server = peer(Side::Server, SignalMode::Deferred);
    run(&server, source);
    assert_eq!(log(&server), "0 true 1735689600");
    let client = peer(Side::Client(0), SignalMode::Deferred);
    run(&client, source);
    assert_eq!(log(&client), "0 false GetServerTimeNow is not available before the client is connected");
}
