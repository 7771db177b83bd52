//! Order of phases, times and deltas. Source: Roblox behaviour, 2.

use super::*;

const LOG_FRAME: &str = r#"
local run = game:GetService("RunService")
local function log(name) return function(a, b) print(name, a, b) end end
run.Heartbeat:Connect(log("Heartbeat"))
run.PostSimulation:Connect(log("PostSimulation"))
run.PreSimulation:Connect(log("PreSimulation"))
run.Stepped:Connect(log("Stepped"))
run.PreAnimation:Connect(log("PreAnimation"))
if run:IsClient() then
    run.PreRender:Connect(log("PreRender"))
    run.RenderStepped:Connect(log("RenderStepped"))
    run:BindToRenderStep("late", 300, log("late"))
    run:BindToRenderStep("early", 100, log("early"))
end
task.spawn(function() while true do task.wait() print("wait") end end)
"#;

#[test]
fn phases_come_in_order_on_both_sides() {
    for mode in MODES {
        let world = world(mode, &[], 1);
        run(&world, Side::Server, LOG_FRAME);
        run(&world, A, LOG_FRAME);
        world.step(1).unwrap();
        let names = |side| -> Vec<String> {
            output(&world, side).iter().map(|line| line.split(' ').next().unwrap().to_owned()).collect()
        };
        let server = ["PreAnimation", "Stepped", "PreSimulation", "PostSimulation", "wait", "Heartbeat"];
        assert_eq!(names(Side::Server), server);
        let mut client = vec!["early", "late", "RenderStepped", "PreRender"];
        client.extend(server);
        assert_eq!(names(A), client);
    }
}

#[test]
fn deltas_are_the_time_since_the_last_frame() {
    for mode in MODES {
        let world = world(mode, &[], 0);
        run(
            &world,
            Side::Server,
            r#"
            local run = game:GetService("RunService")
            run.Heartbeat:Connect(function(dt) print(dt == 1/60, dt, os.clock()) end)
            run.Stepped:Connect(function(t, dt) if dt ~= 1/60 then print("stepped", t, dt) end end)
            "#,
        );
        world.step(1).unwrap();
        world.step_by(ms(250)).unwrap();
        world.step(1).unwrap();
        let lines = output(&world, Side::Server);
        assert!(lines[0].starts_with("true "), "{lines:?}");
        assert!(lines[1].starts_with("stepped 0.2666666666666") && lines[1].ends_with(" 0.25"), "{lines:?}");
        assert!(lines[2].starts_with("false 0.25 "), "{lines:?}");
        assert!(lines[3].starts_with("true "), "{lines:?}");
    }
}

#[test]
fn waits_of_whole_frames_are_on_time_for_a_thousand_frames() {
    let world = world(SignalMode::Deferred, &[], 0);
    run(
        &world,
        Side::Server,
        r#"
        local frame = 0
        game:GetService("RunService").Stepped:Connect(function() frame += 1 end)
        while true do
            local before = frame
            local waited = task.wait(6/60)
            if frame - before ~= 6 or waited ~= 0.1 then print(before, frame, waited) end
        end
        "#,
    );
    world.step(1000).unwrap();
    assert_eq!(output(&world, Side::Server), Vec::<String>::new());
    assert_eq!(world.now(), Time::of_frame(1000, 60.0));
}

#[test]
fn clients_keep_their_own_rate() {
    let world = World::new(options(SignalMode::Deferred, &[])).unwrap();
    for fps in [30.0, 144.0] {
        world.join(JoinOptions { fps: Some(fps), ..JoinOptions::default() }).unwrap();
    }
    world.step(60).unwrap();
    assert_eq!([Side::Server, A, B].map(|side| world.frame(side)), [60, 30, 144]);
    world.set_fps(A, 240.0).unwrap();
    world.advance(Time::from_seconds(1.0)).unwrap();
    assert_eq!([Side::Server, A].map(|side| world.frame(side)), [120, 270]);
    assert!(world.set_fps(A, 0.0).is_err());
}

#[test]
fn a_stalled_client_has_no_frames_and_then_one_long_one() {
    for mode in MODES {
        let world = world(mode, &[], 1);
        run(
            &world,
            A,
            r#"
            game:GetService("RunService").Heartbeat:Connect(function(dt) if dt > 0.02 then print("long", dt) end end)
            game.ReplicatedStorage.Event.OnClientEvent:Connect(print)
            "#,
        );
        world.step(1).unwrap();
        world.stall(A, ms(200)).unwrap();
        for k in 1..=6 {
            run(&world, Side::Server, &format!("game.ReplicatedStorage.Event:FireAllClients({k})"));
            world.step(1).unwrap();
        }
        assert_eq!(output(&world, A), Vec::<String>::new());
        world.step(6).unwrap();
        assert_eq!(output(&world, A), ["1", "2", "3", "4", "5", "6", "long 0.2"]);
    }
}

#[test]
fn render_signals_are_an_error_on_the_server() {
    let world = world(SignalMode::Deferred, &[], 0);
    run(
        &world,
        Side::Server,
        r#"
        local run = game:GetService("RunService")
        print(pcall(function() return run.RenderStepped end))
        print(pcall(function() run:BindToRenderStep("x", 1, print) end))
        print(run:IsServer(), run:IsClient(), run:IsStudio(), run:IsRunning(), run:IsRunMode())
        print(pcall(function() return run:IsEdit() end))
        "#,
    );
    let lines = output(&world, Side::Server);
    assert!(lines[0].starts_with("false RenderStepped can only be used on the client"), "{lines:?}");
    assert!(lines[1].starts_with("false BindToRenderStep can only be called from the client"), "{lines:?}");
    assert_eq!(lines[2], "true false false true false");
    assert!(lines[3].starts_with("false "), "{lines:?}");
}

#[test]
fn a_pause_stops_simulation_only() {
    let world = world(SignalMode::Deferred, &[], 0);
    run(&world, Side::Server, LOG_FRAME);
    world.set_paused(true);
    world.step(1).unwrap();
    assert_eq!(output(&world, Side::Server).len(), 2);
}

#[test]
fn phases_can_be_stepped_one_by_one() {
    for mode in MODES {
        let world = world(mode, &[], 1);
        run(&world, A, "game.ReplicatedStorage.Event.OnClientEvent:Connect(print)");
        run(&world, Side::Server, "game.ReplicatedStorage.Event:FireAllClients('now')");
        let before = world.now();
        world.step_phase(Side::Server, Phase::Send).unwrap();
        assert_eq!(output(&world, A), Vec::<String>::new());
        world.step_phase(A, Phase::Receive).unwrap();
        assert_eq!(output(&world, A), ["now"]);
        assert_eq!(world.now(), before);
    }
    assert_eq!(Phase::from_name("heartbeat"), Some(Phase::Heartbeat));
    assert_eq!(Phase::ALL.map(Phase::name).map(Phase::from_name), Phase::ALL.map(Some));
}

#[test]
fn an_unbound_render_step_rests() {
    let world = world(SignalMode::Deferred, &[], 1);
    run(
        &world,
        A,
        r#"
        local run = game:GetService("RunService")
        run:BindToRenderStep("a", 200, function(dt)
            print("a", dt == 1/60)
            run:UnbindFromRenderStep("b")
        end)
        run:BindToRenderStep("b", 2000, function() print("b") end)
        "#,
    );
    world.step(2).unwrap();
    assert_eq!(output(&world, A), ["a true", "a true"]);
}

#[test]
fn moving_time_ends_at_the_deadline() {
    let world = World::new(WorldOptions::default()).unwrap();
    world.options.deadline.set(Some(std::time::Instant::now()));
    world.advance(Time::from_seconds(1e9)).unwrap();
    world.step(u64::MAX).unwrap();
    world.options.deadline.set(None);
    world.step(1).unwrap();
}
