//! Remote functions across real VMs. Source: Roblox behaviour, 5.6.

use super::*;

#[test]
fn functions_answer_fail_and_wait() {
    for mode in MODES {
        let world = world(mode, &[], 1);
        run(
            &world,
            A,
            r#"
            local f = game.ReplicatedStorage.Function
            task.spawn(function() print("early", f:InvokeServer(1)) end)
        "#,
        );
        world.step(3).unwrap();
        assert_eq!(output(&world, A), Vec::<String>::new());
        run(
            &world,
            Side::Server,
            r#"
            game.ReplicatedStorage.Function.OnServerInvoke = function(player, a, ...)
                if a == "fail" then error("bad luck") end
                if a == "slow" then task.wait(0.1) end
                return player.Name, a, { list = { 1, 2 } }, nil, select('#', ...)
            end
        "#,
        );
        world.step(2).unwrap();
        assert_eq!(output(&world, A).len(), 1);
        run(
            &world,
            A,
            r#"
            local f = game.ReplicatedStorage.Function
            task.spawn(function()
                local name, a, t, none, count = f:InvokeServer("slow", nil, nil)
                print(name, a, t.list[2], none, count)
            end)
            task.spawn(function() print(pcall(function() return f:InvokeServer("fail") end)) end)
            task.spawn(function() print("quick", (f:InvokeServer(2))) end)
        "#,
        );
        world.step(10).unwrap();
        assert_eq!(
            output(&world, A)[1..],
            ["false Chunk:3: bad luck", "quick Player1", "Player1 slow 2 nil 2",]
        );
    }
}

#[test]
fn the_server_can_ask_a_client_and_hears_when_it_leaves() {
    for mode in MODES {
        let world = world(mode, &[], 2);
        run(&world, A, "game.ReplicatedStorage.Function.OnClientInvoke = function(a) return a * 2 end");
        run(
            &world,
            B,
            "game.ReplicatedStorage.Function.OnClientInvoke = function(a) task.wait(5) return a end",
        );
        run(
            &world,
            Side::Server,
            r#"
            local f = game.ReplicatedStorage.Function
            local players = game:GetService("Players"):GetPlayers()
            task.spawn(function() print(f:InvokeClient(players[1], 21)) end)
            task.spawn(function() print(pcall(function() return f:InvokeClient(players[2], 1) end)) end)
        "#,
        );
        world.step(5).unwrap();
        assert_eq!(output(&world, Side::Server), ["42"]);
        assert_eq!(world.pending_calls(Side::Server).unwrap().len(), 1);
        world.leave(1, LeaveHow::Quit).unwrap();
        assert_eq!(output(&world, Side::Server)[1], "false InvokeClient: the player left before answering");
        assert_eq!(world.pending_calls(Side::Server).unwrap().len(), 0);
    }
}

#[test]
fn a_client_that_leaves_in_a_call_troubles_nobody() {
    for mode in MODES {
        let world = world(mode, &[], 1);
        run(
            &world,
            Side::Server,
            "game.ReplicatedStorage.Function.OnServerInvoke = function() task.wait(5) return 1 end",
        );
        run(&world, A, "task.spawn(function() game.ReplicatedStorage.Function:InvokeServer() end)");
        world.advance(Time::from_seconds(2.0)).unwrap();
        world.leave(0, LeaveHow::Quit).unwrap();
        world.advance(Time::from_seconds(5.0)).unwrap();
        assert_eq!(codes(&world), Vec::<&str>::new());
        assert_eq!(world.errors(), []);
        assert_eq!(world.server().peer.scheduler.pending(), (0, 0));
    }
}

#[test]
fn a_long_wait_for_a_reply_is_spoken_of_once() {
    let world = world(SignalMode::Deferred, &[], 1);
    run(&world, A, "task.spawn(function() game.ReplicatedStorage.Function:InvokeServer() end)");
    world.advance(Time::from_seconds(9.0)).unwrap();
    assert_eq!(codes(&world), Vec::<&str>::new());
    world.advance(Time::from_seconds(9.0)).unwrap();
    assert_eq!(codes(&world), ["E-YIELD"]);
}
