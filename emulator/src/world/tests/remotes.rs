//! Remote events across real VMs. Source: Roblox behaviour, 5.1 to 5.5.

use super::*;

const LISTEN: &str = r#"
local storage = game:GetService("ReplicatedStorage")
local function show(value)
    if type(value) ~= "table" then return typeof(value) == "Instance" and value:GetFullName() or tostring(value) end
    local parts = {}
    for key, inner in value do table.insert(parts, `{tostring(key)}={show(inner)}`) end
    table.sort(parts)
    return "{" .. table.concat(parts, ",") .. "}"
end
local function log(name)
    return function(...)
        local parts = {}
        for i = 1, select('#', ...) do parts[i] = show((select(i, ...))) end
        print(name, select('#', ...), table.concat(parts, " "))
    end
end
for _, name in { "Event", "Loose" } do
    local remote = storage:WaitForChild(name)
    if game:GetService("RunService"):IsServer() then
        remote.OnServerEvent:Connect(log(name))
    else
        remote.OnClientEvent:Connect(log(name))
    end
end
"#;

/// A server and clients that print what they hear.
fn listening(mode: SignalMode, clients: u32) -> World {
    let world = world(mode, &[], clients);
    run(&world, Side::Server, LISTEN);
    for client in 0..clients {
        run(&world, Side::Client(client), LISTEN);
    }
    world
}

#[test]
fn events_cross_both_ways() {
    for mode in MODES {
        let world = listening(mode, 2);
        run(
            &world,
            Side::Server,
            r#"
            local event = game.ReplicatedStorage.Event
            local players = game:GetService("Players"):GetPlayers()
            event:FireClient(players[1], "one", nil, 3, nil)
            event:FireAllClients({ 1, 2, { x = true } })
        "#,
        );
        run(&world, A, "game.ReplicatedStorage.Event:FireServer(vector.create(1, 2, 3), 'hi')");
        world.step(2).unwrap();
        assert_eq!(output(&world, A), ["Event 4 one nil 3 nil", "Event 1 {1=1,2=2,3={x=true}}"]);
        assert_eq!(output(&world, B), ["Event 1 {1=1,2=2,3={x=true}}"]);
        assert_eq!(output(&world, Side::Server), ["Event 3 Players.Player1 1, 2, 3 hi"]);
        assert_eq!(codes(&world), Vec::<&str>::new());
        let packets = world.packets(&PacketFilter::default());
        assert_eq!(packets.len(), 3);
        let all = world.packets(&PacketFilter { to: Some(Receiver::Everyone), ..PacketFilter::default() });
        assert_eq!((all.len(), all[0].receipts.len()), (1, 2));
    }
}

#[test]
fn a_perfect_link_delivers_down_in_the_same_frame_and_up_in_the_next() {
    for mode in MODES {
        let world = listening(mode, 1);
        run(
            &world,
            Side::Server,
            r#"
            local frame = 0
            game:GetService("RunService").Heartbeat:Connect(function()
                frame += 1
                if frame == 1 then game.ReplicatedStorage.Event:FireAllClients("down") end
            end)
        "#,
        );
        run(
            &world,
            A,
            r#"
            game.ReplicatedStorage.Event.OnClientEvent:Connect(function() game.ReplicatedStorage.Event:FireServer("up") end)
        "#,
        );
        world.step(1).unwrap();
        assert_eq!(output(&world, A), ["Event 1 down"]);
        assert_eq!(output(&world, Side::Server), Vec::<String>::new());
        world.step(1).unwrap();
        assert_eq!(output(&world, Side::Server), ["Event 2 Players.Player1 up"]);
    }
}

#[test]
fn off_the_grid_delays_take_the_frames_they_should() {
    for (delay, frames) in [(140, 9), (40, 3), (0, 0)] {
        let world = listening(SignalMode::Deferred, 1);
        link(&world, 0, |link| link.delay = ms(delay));
        run(
            &world,
            Side::Server,
            r#"
            task.spawn(function() task.wait() game.ReplicatedStorage.Loose:FireAllClients(1) end)
        "#,
        );
        world.step(frames).unwrap();
        assert_eq!(output(&world, A).len(), 0, "{delay}");
        world.step(1).unwrap();
        assert_eq!(output(&world, A).len(), 1, "{delay}");
    }
}

#[test]
fn arguments_follow_the_table() {
    for mode in MODES {
        let world = listening(mode, 1);
        run(
            &world,
            Side::Server,
            r#"
            local event = game.ReplicatedStorage.Event
            local shared = { 1 }
            event:FireAllClients({ shared, shared }, setmetatable({ a = 1 }, { __index = { b = 2 } }))
            event:FireAllClients({ 1, 2, x = 3 }, { [10] = "a" }, { [true] = 1 })
            event:FireAllClients({ 1, print, 3 }, { a = print, b = 2 }, print)
            event:FireAllClients({ 1, 2, nil, 4 }, {})
            event:FireAllClients(newproxy(), event.Destroying, coroutine.create(print), Color3.new(0, 0.5, 1))
            local cyclic = {} cyclic.me = cyclic
            print(pcall(function() event:FireAllClients(cyclic) end))
            local b = buffer.create(3) buffer.writeu8(b, 0, 7)
            local t = { v = 1 }
            event:FireAllClients(b, t)
            buffer.writeu8(b, 0, 9) t.v = 2
        "#,
        );
        run(
            &world,
            A,
            r#"
            game.ReplicatedStorage.Event.OnClientEvent:Connect(function(first, second)
                if typeof(first) == "buffer" then print("byte", buffer.readu8(first, 0), buffer.len(first), second.v) end
                if type(first) == "table" and type(first[1]) == "table" then
                    print("apart", first[1] ~= first[2], getmetatable(second))
                end
            end)
        "#,
        );
        world.step(1).unwrap();
        let mut lines = output(&world, A);
        lines.sort();
        let mut expected = [
            "Event 2 {1={1=1},2={1=1}} {a=1}",
            "apart true nil",
            "Event 3 {1=1,2=2} {10=a} {true=1}",
            "Event 3 {1=1,3=3} {b=2} nil",
            "Event 2 {1=1,2=2} {}",
            "Event 4 nil nil nil 0, 0.5, 1",
            "byte 7 3 1",
        ];
        expected.sort();
        let lines: Vec<&String> = lines.iter().filter(|line| !line.starts_with("Event 2 buffer")).collect();
        assert_eq!(lines, expected);
        assert_eq!(output(&world, Side::Server), ["false tables cannot be cyclic"]);
        let codes = codes(&world);
        for code in ["E-MIXED", "E-KEYS", "E-FUNC"] {
            assert!(codes.contains(&code), "{code}: {codes:?}");
        }
    }
}

#[test]
fn instances_arrive_if_the_receiver_has_them() {
    for mode in MODES {
        let world = listening(mode, 1);
        run(
            &world,
            Side::Server,
            r#"
            local event = game.ReplicatedStorage.Event
            local fresh = Instance.new("Folder") fresh.Name = "Fresh" fresh.Parent = workspace
            local loose = Instance.new("Folder")
            local hidden = Instance.new("Folder") hidden.Parent = game:GetService("ServerStorage")
            event:FireAllClients(fresh, { fresh, hidden, fresh }, { a = loose, b = fresh }, loose)
        "#,
        );
        run(
            &world,
            A,
            r#"
            local own = Instance.new("Folder") own.Parent = workspace
            game.ReplicatedStorage.Event:FireServer(own, workspace, game:GetService("Players").LocalPlayer)
        "#,
        );
        world.step(2).unwrap();
        assert_eq!(
            output(&world, A),
            ["Event 4 Workspace.Fresh {1=Workspace.Fresh,3=Workspace.Fresh} {b=Workspace.Fresh} nil"]
        );
        assert_eq!(output(&world, Side::Server), ["Event 4 Players.Player1 nil Workspace Players.Player1"]);
        let nil = world.diagnostics().into_iter().filter(|diagnostic| diagnostic.code.name() == "E-NILINST");
        assert_eq!(nil.count(), 4);
    }
}

#[test]
fn an_instance_destroyed_in_the_same_frame_is_nil() {
    for (order, seen) in [("together", "nil"), ("remotesLate", "nil"), ("remotesEarly", "Workspace.Bomb")] {
        for mode in MODES {
            let mut options = options(mode, &[]);
            options.settings.set("replicationOrder", order).unwrap();
            let world = with_clients(options, 1);
            run(&world, A, LISTEN);
            run(
                &world,
                Side::Server,
                r#"
                local bomb = Instance.new("Folder") bomb.Name = "Bomb" bomb.Parent = workspace
                task.wait(2/60)
                game:GetService("RunService").Heartbeat:Once(function()
                    game.ReplicatedStorage.Event:FireAllClients(bomb)
                end)
                bomb:Destroy()
            "#,
            );
            world.step(3).unwrap();
            // A deferred handler runs when the destruction is in: it still has the instance, out of the tree by now.
            let seen =
                if mode == SignalMode::Deferred { seen.trim_start_matches("Workspace.") } else { seen };
            assert_eq!(output(&world, A), [format!("Event 1 {seen}")], "{order}");
            let why =
                world.diagnostics().into_iter().find(|diagnostic| diagnostic.code.name() == "E-NILINST");
            assert_eq!(why.is_some(), seen == "nil");
            if let Some(why) = why {
                assert!(why.text.contains("destroyed in flight"), "{}", why.text);
            }
        }
    }
}

#[test]
fn three_hundred_early_fires_keep_256() {
    for mode in MODES {
        let world = world(mode, &[], 1);
        run(&world, Side::Server, "for i = 1, 300 do game.ReplicatedStorage.Event:FireAllClients(i) end");
        world.step(2).unwrap();
        run(
            &world,
            A,
            r#"
            local event = game.ReplicatedStorage.Event
            local count, last = 0, 0
            event.OnClientEvent:Connect(function(i) count += 1 assert(i == last + 1) last = i end)
            event.OnClientEvent:Connect(function(i) if i > 256 then print("second", i) end end)
            task.wait(0.1)
            print(count, last)
        "#,
        );
        world.step(10).unwrap();
        let heard = output(&world, A);
        assert_eq!(heard, ["256 256"]);
        let said = complaints(&world, A);
        let counts: Vec<&str> = said.iter().map(|line| line.rsplit('(').next().unwrap()).collect();
        assert_eq!(counts, [1, 2, 4, 8, 16, 32].map(|n| format!("{n} events dropped)")));
        assert!(said[0].starts_with(
            "Remote event invocation queue exhausted for ReplicatedStorage.Event; did you forget to implement OnClientEvent?"
        ));
        assert!(codes(&world).contains(&"E-QUEUE"));
    }
}

#[test]
fn only_the_first_listener_gets_what_waited() {
    let world = world(SignalMode::Immediate, &[], 1);
    run(&world, A, "for i = 1, 3 do game.ReplicatedStorage.Event:FireServer(i) end");
    world.step(2).unwrap();
    run(
        &world,
        Side::Server,
        "game.ReplicatedStorage.Event.OnServerEvent:Connect(function(_, i) print('first', i) end)",
    );
    run(
        &world,
        Side::Server,
        "game.ReplicatedStorage.Event.OnServerEvent:Connect(function(_, i) print('second', i) end)",
    );
    assert_eq!(output(&world, Side::Server), ["first 1", "first 2", "first 3"]);
}

#[test]
fn unreliable_events_do_not_wait_and_have_a_limit() {
    for mode in MODES {
        let world = world(mode, &[], 1);
        run(&world, Side::Server, "game.ReplicatedStorage.Loose:FireAllClients('early')");
        world.step(1).unwrap();
        run(&world, A, LISTEN);
        run(
            &world,
            Side::Server,
            r#"
            local loose = game.ReplicatedStorage.Loose
            loose:FireAllClients(buffer.create(1000))
            loose:FireAllClients(buffer.create(1001))
        "#,
        );
        world.step(1).unwrap();
        assert_eq!(output(&world, A).len(), 1);
        let fates: Vec<&str> = world
            .packets(&PacketFilter::default())
            .iter()
            .map(|packet| packet.fate().unwrap().name())
            .collect();
        assert_eq!(fates, ["dropped-queue", "delivered", "dropped-size"]);
        assert!(complaints(&world, Side::Server)[0].contains("1 over the limit of 1000"));
        assert_eq!(codes(&world), ["E-UNREL"]);
    }
}

#[test]
fn order_holds_across_reliable_remotes() {
    for mode in MODES {
        let world = world(mode, &[], 1);
        run(
            &world,
            Side::Server,
            r#"
            local other = Instance.new("RemoteEvent") other.Name = "Other" other.Parent = game.ReplicatedStorage
        "#,
        );
        world.step(1).unwrap();
        run(
            &world,
            A,
            r#"
            game.ReplicatedStorage.Event.OnClientEvent:Connect(function(i) print("Event", i) end)
            game.ReplicatedStorage.Other.OnClientEvent:Connect(function(i) print("Other", i) end)
        "#,
        );
        run(
            &world,
            Side::Server,
            r#"
            for i = 1, 3 do
                game.ReplicatedStorage.Event:FireAllClients(i)
                game.ReplicatedStorage.Other:FireAllClients(i)
            end
        "#,
        );
        world.step(1).unwrap();
        assert_eq!(output(&world, A), ["Event 1", "Other 1", "Event 2", "Other 2", "Event 3", "Other 3"]);
    }
}

#[test]
fn sides_and_players_are_checked() {
    let world = world(SignalMode::Deferred, &[], 1);
    run(
        &world,
        Side::Server,
        r#"
        local event, f = game.ReplicatedStorage.Event, game.ReplicatedStorage.Function
        print(pcall(function() event:FireServer() end))
        print(pcall(function() event:FireClient("A") end))
        print(pcall(function() event:FireClient() end))
        print(pcall(function() return event.OnClientEvent end))
        print(pcall(function() return f.OnServerInvoke end))
        print(pcall(function() f:InvokeServer() end))
    "#,
    );
    assert_eq!(
        output(&world, Side::Server),
        [
            "false FireServer can only be called from the client",
            "false FireClient: player argument must be a Player object",
            "false FireClient: player argument must be a Player object",
            "false OnClientEvent can only be used on the client",
            "false OnServerInvoke is a callback member of RemoteFunction; you can only set the callback value, get is not available",
            "false InvokeServer can only be called from the client",
        ]
    );
    run(
        &world,
        A,
        r#"
        local event = game.ReplicatedStorage.Event
        print(pcall(function() event:FireClient() end))
        print(pcall(function() return event.OnServerEvent end))
    "#,
    );
    assert_eq!(
        output(&world, A),
        [
            "false FireClient can only be called from the server",
            "false OnServerEvent can only be used on the server",
        ]
    );
}

#[test]
fn firing_at_a_player_who_left_sends_nothing() {
    let world = world(SignalMode::Deferred, &[], 1);
    run(
        &world,
        Side::Server,
        r#"
        local player = game:GetService("Players"):GetPlayers()[1]
        task.delay(0.1, function() game.ReplicatedStorage.Event:FireClient(player, 1) print("fine") end)
    "#,
    );
    world.leave(0, LeaveHow::Quit).unwrap();
    world.step(10).unwrap();
    assert_eq!(output(&world, Side::Server), ["fine"]);
    assert_eq!(codes(&world), ["E-GONE"]);
    assert_eq!(world.packets(&PacketFilter::default()).len(), 0);
}

#[test]
fn the_rate_limit_has_modes() {
    for (mode, delivered, diagnosed) in
        [("off", 600, false), ("warn", 600, true), ("drop", 500, true), ("delay", 508, true)]
    {
        let mut options = options(SignalMode::Deferred, &[]);
        options.settings.set("rateLimitMode", mode).unwrap();
        let world = with_clients(options, 1);
        run(
            &world,
            Side::Server,
            r#"
            game.ReplicatedStorage.Event.OnServerEvent:Connect(function() _G.count = (_G.count or 0) + 1 end)
        "#,
        );
        run(&world, A, "for i = 1, 600 do game.ReplicatedStorage.Event:FireServer(i) end");
        world.step(2).unwrap();
        run(&world, Side::Server, "print(_G.count)");
        assert_eq!(output(&world, Side::Server), [delivered.to_string()], "{mode}");
        assert_eq!(codes(&world).contains(&"E-RATE"), diagnosed, "{mode}");
        if mode == "delay" {
            world.step(15).unwrap();
            run(&world, Side::Server, "print(_G.count)");
            assert_eq!(output(&world, Side::Server)[1], "600");
        }
    }
}
