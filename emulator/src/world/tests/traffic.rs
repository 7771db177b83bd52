//! Links, packets, interception, injection, traces and settling.

use super::*;
use crate::network::LossModel;
use crate::trace::Fate;

const COUNT: &str = r#"
_G.reliable, _G.loose = {}, {}
game.ReplicatedStorage.Event.OnClientEvent:Connect(function(i) table.insert(_G.reliable, i) end)
game.ReplicatedStorage.Loose.OnClientEvent:Connect(function(i) table.insert(_G.loose, i) end)
"#;

/// A thousand events of each kind at 20 % loss and some jitter; what the client got, and the trace.
fn lossy(seed: u64, mode: SignalMode) -> (Vec<String>, String) {
    let mut options = options(mode, &[]);
    options.seed = Seed(seed);
    options.link = LinkSettings { delay: ms(40), jitter: ms(30), loss: 0.2, ..LinkSettings::default() };
    let world = with_clients(options, 1);
    run(&world, A, COUNT);
    run(
        &world,
        Side::Server,
        r#"
        local frame = 0
        game:GetService("RunService").Heartbeat:Connect(function()
            frame += 1
            if frame <= 1000 then
                game.ReplicatedStorage.Event:FireAllClients(frame)
                game.ReplicatedStorage.Loose:FireAllClients(frame)
            end
        end)
    "#,
    );
    world.step(1000).unwrap();
    world.settle(Time::from_seconds(20.0)).unwrap();
    run(
        &world,
        A,
        r#"
        local ordered = true
        for i, value in _G.reliable do ordered = ordered and i == value end
        local sorted = true
        for i = 2, #_G.loose do sorted = sorted and _G.loose[i] > _G.loose[i - 1] end
        print(#_G.reliable, ordered, #_G.loose, sorted)
    "#,
    );
    (output(&world, A), world.trace().to_text())
}

#[test]
fn loss_keeps_reliable_whole_and_equal_seeds_give_equal_traces() {
    for mode in MODES {
        let (heard, trace) = lossy(11, mode);
        let words: Vec<&str> = heard[0].split(' ').collect();
        assert_eq!((words[0], words[1], words[3]), ("1000", "true", "false"), "{heard:?}");
        let loose: u32 = words[2].parse().unwrap();
        assert!((750..=850).contains(&loose), "{loose}");
        let (again, same) = lossy(11, mode);
        assert_eq!(heard, again);
        assert!(trace == same, "the traces of two equal runs differ");
        assert_ne!(trace, lossy(12, mode).1);
    }
}

#[test]
fn interceptions_drop_hold_lose_change_and_double() {
    let world = world(SignalMode::Deferred, &[], 2);
    for client in [0, 1] {
        run(
            &world,
            Side::Client(client),
            r#"
            local function log(name) return function(i) print(name, i) end end
            game.ReplicatedStorage.Event.OnClientEvent:Connect(log("Event"))
            game.ReplicatedStorage.Loose.OnClientEvent:Connect(log("Loose"))
        "#,
        );
    }
    let to_a = PacketFilter { to: Some(Receiver::Side(A)), ..PacketFilter::default() };
    let seen = Rc::new(Cell::new(0));
    let count = seen.clone();
    let interception = world.intercept(
        to_a,
        Box::new(move |packet, to| {
            assert_eq!(to, A);
            count.set(count.get() + 1);
            match packet.args[0].as_number().map_or(0, |number| number as i64) {
                1 => Verdict { drop: true, ..Verdict::default() },
                2 => Verdict { hold: ms(95), ..Verdict::default() },
                3 => Verdict { copies: 1, ..Verdict::default() },
                4 => Verdict { args: Some(vec![Value::Number(40.0)]), ..Verdict::default() },
                5 => Verdict { lose: 1, ..Verdict::default() },
                _ => Verdict::default(),
            }
        }),
    );
    run(&world, Side::Server, "for i = 1, 6 do game.ReplicatedStorage.Loose:FireAllClients(i) end");
    world.step(1).unwrap();
    assert_eq!(output(&world, A), ["Loose 3", "Loose 3", "Loose 40", "Loose 6"]);
    assert_eq!(output(&world, B).len(), 6);
    world.step(6).unwrap();
    assert_eq!(output(&world, A)[4..], ["Loose 2"]);
    let fates: Vec<Fate> = world
        .packets(&PacketFilter::default())
        .iter()
        .map(|packet| packet.receipt(A).unwrap().fate)
        .collect();
    assert_eq!(fates[..2], [Fate::DroppedTest, Fate::Delivered]);
    assert_eq!(fates[4], Fate::Lost);
    assert_eq!(seen.get(), 6);

    // A lost reliable copy is late by the resend time and holds back what follows.
    run(
        &world,
        Side::Server,
        "game.ReplicatedStorage.Event:FireAllClients(5) game.ReplicatedStorage.Event:FireAllClients(6)",
    );
    world.step(1).unwrap();
    let sent_at = world.now();
    assert_eq!(output(&world, A).len(), 5);
    while output(&world, A).len() < 7 {
        world.step(1).unwrap();
    }
    assert_eq!(world.now() - sent_at, Time::of_frame(12, 60.0));
    world.stop_intercepting(interception);
    run(&world, Side::Server, "game.ReplicatedStorage.Loose:FireAllClients(1)");
    world.step(1).unwrap();
    assert_eq!(output(&world, A).last().unwrap(), "Loose 1");
}

#[test]
fn a_hostile_message_needs_no_code_of_the_client() {
    for mode in MODES {
        let world = world(mode, &[], 1);
        run(
            &world,
            Side::Server,
            r#"
            game.ReplicatedStorage.Event.OnServerEvent:Connect(function(player, a, b) print(player.Name, a, typeof(b)) end)
            game.ReplicatedStorage.Function.OnServerInvoke = function(player, a) print("asked", a) return 1 end
        "#,
        );
        let event = world.find(Side::Server, "ReplicatedStorage.Event").unwrap().unwrap();
        let function = world.find(Side::Server, "game.ReplicatedStorage.Function").unwrap().unwrap();
        let args = vec![Value::Number(f64::NAN), Value::Buffer(vec![1].into())];
        let inject = |remote, args| {
            world.inject(Injection { from: A, to: Receiver::Side(Side::Server), remote, args })
        };
        let id = inject(event, args).unwrap();
        inject(function, vec![Value::Boolean(true)]).unwrap();
        world.step(3).unwrap();
        assert_eq!(complaints(&world, Side::Server), Vec::<String>::new());
        let nan = &output(&world, Side::Server)[0];
        assert!(nan == "Player1 nan buffer" || nan == "Player1 -nan buffer", "{nan}");
        assert_eq!(output(&world, Side::Server)[1], "asked true");
        assert!(world.trace().packet(id).unwrap().injected);
        let workspace = world.find(Side::Server, "Workspace").unwrap().unwrap();
        assert!(inject(workspace, vec![]).is_err());
        assert_eq!(world.errors(), []);
    }
}

#[test]
fn settling_says_what_never_ends() {
    let world = world(SignalMode::Deferred, &[], 1);
    world.settle(Time::from_seconds(1.0)).unwrap();
    world.cut_link(0, Time::NEVER).unwrap();
    run(&world, Side::Server, "game.ReplicatedStorage.Event:FireAllClients(1)");
    let error = world.settle(Time::from_seconds(1.0)).unwrap_err().to_string();
    assert_eq!(
        error,
        "not settled within 1 virtual second: 1 message is in flight between the server and Player1"
    );
    world.mend_link(0).unwrap();
    world.settle(Time::from_seconds(1.0)).unwrap();
    assert_eq!(world.in_flight(0).unwrap(), 0);
}

#[test]
fn packets_tell_sizes_and_times() {
    let world = world(SignalMode::Deferred, &[], 1);
    link(&world, 0, |link| link.delay = ms(140));
    run(&world, A, "game.ReplicatedStorage.Loose.OnClientEvent:Connect(function() end)");
    world.step(1).unwrap();
    run(
        &world,
        Side::Server,
        "game.ReplicatedStorage.Loose:FireClient(game:GetService('Players').Player1, buffer.create(12))",
    );
    world.step(1).unwrap();
    world.settle(Time::from_seconds(1.0)).unwrap();
    let packets = world.packets(&PacketFilter {
        from: Some(Side::Server),
        remote: Some("Loose".into()),
        reliable: Some(false),
        ..PacketFilter::default()
    });
    let packet = &packets[0];
    assert_eq!(
        (packet.payload, packet.size, &*packet.remote),
        (12, 9 + 1 + 1 + 12, "ReplicatedStorage.Loose")
    );
    // Fired between frames 1 and 2; on the wire from frame 2 on.
    assert_eq!(packet.sent_at, Time::of_frame(1, 60.0));
    assert_eq!(packet.arrived_at(), Some(Time::of_frame(2, 60.0) + ms(140)));
    assert_eq!(packet.fate(), Some(Fate::Delivered));
    assert_eq!(world.packets(&PacketFilter { since: Some(world.now()), ..PacketFilter::default() }).len(), 0);
}

#[test]
fn bursts_flaps_and_models_are_set_per_client() {
    let world = world(SignalMode::Deferred, &[], 2);
    for client in [0, 1] {
        run(&world, Side::Client(client), COUNT);
    }
    world
        .set_link(
            0,
            Some(crate::network::Way::Down),
            &LinkSettings { loss: 0.3, loss_model: LossModel::Bursty, ..LinkSettings::default() },
        )
        .unwrap();
    world.burst_link(1, 1.0, ms(500)).unwrap();
    run(
        &world,
        Side::Server,
        r#"
        game:GetService("RunService").Heartbeat:Connect(function() game.ReplicatedStorage.Loose:FireAllClients(1) end)
    "#,
    );
    world.step(600).unwrap();
    run(&world, A, "print(#_G.loose)");
    run(&world, B, "print(#_G.loose)");
    let heard: u32 = output(&world, A)[0].parse().unwrap();
    assert!((330..510).contains(&heard), "{heard}");
    assert_eq!(output(&world, B), ["571"]);
    let stats = world.link_stats(0, crate::network::Way::Down).unwrap();
    assert!(stats.messages >= 600 && stats.lost >= 600 - u64::from(heard), "{stats:?}");
}

#[test]
fn a_hundred_clients_share_a_world() {
    let world = world(SignalMode::Deferred, &[], 100);
    for client in 0..100 {
        run(
            &world,
            Side::Client(client),
            "game.ReplicatedStorage.Event.OnClientEvent:Connect(function(i) print(i) end)",
        );
    }
    run(&world, Side::Server, "for i = 1, 10 do game.ReplicatedStorage.Event:FireAllClients(i) end");
    world.step(10).unwrap();
    assert!((0..100).all(|client| output(&world, Side::Client(client)).len() == 10));
    assert_eq!(world.packets(&PacketFilter::default()).len(), 10);
}
