//! Wall clocks, server time and pings as scripts see them. Source: Roblox behaviour, 10.

use super::*;

#[test]
fn a_client_on_a_perfect_link_knows_the_servers_time() {
    let world = World::new(options(SignalMode::Deferred, &[])).unwrap();
    world.join(JoinOptions { clock_offset: Time::from_seconds(3600.0), ..JoinOptions::default() }).unwrap();
    world.step(7).unwrap();
    let ask = "print(string.format('%.4f', workspace:GetServerTimeNow()), os.time())";
    run(&world, Side::Server, ask);
    run(&world, A, ask);
    assert_eq!(output(&world, Side::Server), ["1735689600.1167 1735689600"]);
    assert_eq!(output(&world, A), ["1735689600.1167 1735693200"]);
    assert_eq!(world.server_time_error(0).unwrap(), 0.0);
}

#[test]
fn an_uneven_link_is_off_by_half_the_difference() {
    let world = World::new(options(SignalMode::Deferred, &[])).unwrap();
    let delayed = |millis| Some(LinkSettings { delay: ms(millis), ..LinkSettings::default() });
    world.join(JoinOptions { up: delayed(200), down: delayed(20), ..JoinOptions::default() }).unwrap();
    world.advance(Time::from_seconds(3.0)).unwrap();
    assert!((world.server_time_error(0).unwrap().abs() - 0.09).abs() < 1e-9);
    assert_eq!(world.ping(0).unwrap(), ms(220));
    run(&world, A, "print(game:GetService('Players').LocalPlayer:GetNetworkPing())");
    run(&world, Side::Server, "print(game:GetService('Players'):GetPlayers()[1]:GetNetworkPing())");
    assert_eq!((output(&world, A), output(&world, Side::Server)), (vec!["0.22".into()], vec!["0.22".into()]));
}

#[test]
fn server_time_never_decreases_and_keeps_its_slew_under_jitter_and_drift() {
    for (offset, drift) in [(3600.0, 200e-6), (-3600.0, -200e-6)] {
        let mut options = options(SignalMode::Deferred, &[]);
        options.link = LinkSettings { delay: ms(80), jitter: ms(50), ..LinkSettings::default() };
        let world = World::new(options).unwrap();
        let clock_offset = Time::from_seconds(offset);
        world.join(JoinOptions { clock_offset, clock_drift: drift, ..JoinOptions::default() }).unwrap();
        run(
            &world,
            A,
            r#"
            local last, clock = workspace:GetServerTimeNow(), os.clock()
            game:GetService("RunService").Heartbeat:Connect(function()
                local now, local_ = workspace:GetServerTimeNow(), os.clock()
                local rate = (now - last) / (local_ - clock)
                if now < last then print("back", last - now) end
                if math.abs(rate - 1) > 0.0061 then print("rate", rate) end
                last, clock = now, local_
            end)
        "#,
        );
        world.advance(Time::from_seconds(10.0)).unwrap();
        assert_eq!(output(&world, A), Vec::<String>::new());
        assert!(world.server_time_error(0).unwrap().abs() < 0.025);
    }
}

#[test]
fn os_clock_ignores_steps_of_the_wall_clock() {
    let world = world(SignalMode::Deferred, &[], 1);
    world.step(6).unwrap();
    world.set_client_clock(0, Some(Time::from_seconds(-5000.0)), None).unwrap();
    world.step(6).unwrap();
    run(&world, A, "print(os.clock(), time(), workspace.DistributedGameTime, os.time())");
    assert_eq!(output(&world, A), ["0.2 0.2 0.2 1735684600"]);
}

#[test]
fn the_start_can_be_chosen() {
    let mut options = options(SignalMode::Deferred, &[]);
    options.unix_start = Some(1_735_689_633.756);
    let world = with_clients(options, 1);
    world.step(7).unwrap();
    for side in [Side::Server, A] {
        run(&world, side, "print(math.floor(workspace:GetServerTimeNow() * 1000) % 65536)");
        assert_eq!(output(&world, side), ["80"]);
    }
}
