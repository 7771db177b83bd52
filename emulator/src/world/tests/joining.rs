//! Joining, leaving, kicks, time-outs and shutdown. Source: Roblox behaviour, 6.6 and 8.

use super::*;

const WATCH: &str = r#"
local players = game:GetService("Players")
players.PlayerAdded:Connect(function(player) print("added", player.Name, player.UserId, player.Parent == players) end)
players.PlayerRemoving:Connect(function(player, reason)
    print("removing", player.Name, reason and reason.Name, player.Parent == players)
end)
players.ChildRemoved:Connect(function(player) print("removed", player.Name) end)
"#;

#[test]
fn players_come_and_go() {
    for mode in MODES {
        let world = world(mode, &[("ServerScriptService", "Script", "Watch", WATCH)], 2);
        world.step(1).unwrap();
        run(
            &world,
            A,
            r#"
            local players = game:GetService("Players")
            local me = players.LocalPlayer
            print(me.Name, me.UserId, me.Parent == players, me:FindFirstChild("PlayerGui") ~= nil, #players:GetPlayers())
            print(players:GetPlayerByUserId(-2).Name, players:GetPlayerByUserId(5), players.MaxPlayers)
        "#,
        );
        assert_eq!(output(&world, A), ["Player1 -1 true true 2", "Player2 nil 100"]);
        world.leave(0, LeaveHow::Quit).unwrap();
        assert_eq!(
            output(&world, Side::Server),
            [
                "added Player1 -1 true",
                "added Player2 -2 true",
                "removing Player1 Unknown true",
                "removed Player1",
            ]
        );
        assert!(world.peer(A).is_err() && world.leave(0, LeaveHow::Quit).is_err());
        world.step(1).unwrap();
        run(&world, B, "print(#game:GetService('Players'):GetPlayers())");
        assert_eq!(output(&world, B), ["1"]);
        assert_eq!(world.clients().len(), 1);
        assert_eq!(codes(&world), Vec::<&str>::new());
    }
}

#[test]
fn a_player_may_be_there_before_the_scripts() {
    for mode in MODES {
        let watch = format!(
            "{WATCH} task.defer(function() for _, p in players:GetPlayers() do print('present', p.Name) end end)"
        );
        let world = World::new(options(mode, &[("ServerScriptService", "Script", "Watch", &watch)])).unwrap();
        world.join(JoinOptions { before_scripts: true, ..JoinOptions::default() }).unwrap();
        world.step(1).unwrap();
        assert_eq!(output(&world, Side::Server), ["present Player1"]);
        assert_eq!(codes(&world), Vec::<&str>::new());
    }
    let world =
        World::new(options(SignalMode::Deferred, &[("ServerScriptService", "Script", "Watch", WATCH)]))
            .unwrap();
    world.join(JoinOptions { before_scripts: true, ..JoinOptions::default() }).unwrap();
    world.step(1).unwrap();
    assert_eq!(codes(&world), ["E-LATEJOIN"]);
}

#[test]
fn a_client_loads_in_order() {
    let scripts = [
        (
            "ReplicatedFirst",
            "LocalScript",
            "First",
            r#"
            local player = game:GetService("Players").LocalPlayer
            print("first", game:IsLoaded(), player.Name, game.ReplicatedStorage:FindFirstChild("Event"))
            game.Loaded:Connect(function() print("loaded", game:IsLoaded()) end)
        "#,
        ),
        (
            "StarterPlayerScripts",
            "LocalScript",
            "Later",
            r#"
            print("later", game:IsLoaded(), game.ReplicatedStorage.Event.Name, script:GetFullName())
        "#,
        ),
        ("StarterPlayer", "LocalScript", "Nowhere", "print('nowhere')"),
        ("ReplicatedStorage", "LocalScript", "Neither", "print('neither')"),
        ("ServerScriptService", "Script", "Server", "print('server')"),
    ];
    for mode in MODES {
        for loading in [Loading::Instant, Loading::Link] {
            let world = World::new(options(mode, &scripts)).unwrap();
            let down = Some(LinkSettings { delay: ms(50), ..LinkSettings::default() });
            let client = world.join(JoinOptions { loading, down, ..JoinOptions::default() }).unwrap();
            if loading == Loading::Link {
                assert_eq!(world.client(client).unwrap().state(), ClientState::Joining);
                assert_eq!(output(&world, A), Vec::<String>::new());
                world.step(4).unwrap();
            }
            assert_eq!(world.client(client).unwrap().state(), ClientState::Loaded);
            assert_eq!(
                output(&world, A),
                [
                    "first false Player1 nil",
                    "loaded true",
                    "later true Event Players.Player1.PlayerScripts.Later",
                ]
            );
            assert_eq!(output(&world, Side::Server), ["server"]);
        }
    }
}

#[test]
fn fires_from_player_added_reach_the_newcomer_after_its_tree() {
    for mode in MODES {
        for loading in [Loading::Instant, Loading::Link] {
            let greet = r#"
                game:GetService("Players").PlayerAdded:Connect(function(player)
                    local gift = Instance.new("Folder") gift.Name = "Gift" gift.Parent = workspace
                    game.ReplicatedStorage.Event:FireClient(player, gift)
                end)
            "#;
            let hear = "game.ReplicatedStorage.Event.OnClientEvent:Connect(function(gift) print(gift:GetFullName()) end)";
            let scripts = [
                ("ServerScriptService", "Script", "Greet", greet),
                ("StarterPlayerScripts", "LocalScript", "Hear", hear),
            ];
            let world = World::new(options(mode, &scripts)).unwrap();
            world.join(JoinOptions { loading, ..JoinOptions::default() }).unwrap();
            world.step(2).unwrap();
            assert_eq!(output(&world, A), ["Workspace.Gift"]);
        }
    }
}

#[test]
fn kicks_have_a_reason_and_a_message() {
    for mode in MODES {
        let world = world(mode, &[("ServerScriptService", "Script", "Watch", WATCH)], 2);
        run(&world, Side::Server, "game:GetService('Players').Player1:Kick('be nice')");
        world.step(1).unwrap();
        assert!(output(&world, Side::Server).contains(&"removing Player1 CreatorKick true".to_string()));
        assert_eq!(complaints(&world, A), ["Disconnected from game: be nice"]);
        run(
            &world,
            B,
            r#"
            local players = game:GetService("Players")
            print(pcall(function() Instance.new("Folder"):Kick() end))
            players.LocalPlayer:Kick()
        "#,
        );
        world.step(1).unwrap();
        assert_eq!(world.clients().len(), 0);
    }
}

#[test]
fn silence_removes_a_player() {
    for how in [LeaveHow::Timeout, LeaveHow::Crash] {
        let world = world(SignalMode::Deferred, &[("ServerScriptService", "Script", "Watch", WATCH)], 1);
        world.advance(Time::from_seconds(2.0)).unwrap();
        world.leave(0, how.clone()).unwrap();
        world.advance(Time::from_seconds(29.0)).unwrap();
        assert_eq!(world.clients().len(), 1);
        assert_eq!(world.peer(A).is_ok(), how == LeaveHow::Timeout);
        world.advance(Time::from_seconds(2.0)).unwrap();
        assert_eq!(world.clients().len(), 0);
        assert_eq!(output(&world, Side::Server)[1..], ["removing Player1 Unknown true", "removed Player1"]);
    }
}

#[test]
fn what_is_in_flight_is_dropped_when_a_client_leaves() {
    let world = world(SignalMode::Deferred, &[], 2);
    for client in [0, 1] {
        link(&world, client, |link| link.delay = ms(100));
        run(&world, Side::Client(client), "game.ReplicatedStorage.Event.OnClientEvent:Connect(print)");
    }
    run(
        &world,
        Side::Server,
        r#"
        game.ReplicatedStorage.Event.OnServerEvent:Connect(function(player) print(player.Name) end)
        game.ReplicatedStorage.Event:FireAllClients("all")
    "#,
    );
    run(&world, A, "game.ReplicatedStorage.Event:FireServer()");
    run(&world, B, "game.ReplicatedStorage.Event:FireServer()");
    world.step(2).unwrap();
    world.leave(0, LeaveHow::Quit).unwrap();
    world.step(20).unwrap();
    assert_eq!(output(&world, Side::Server), ["Player2"]);
    assert_eq!(output(&world, B), ["all"]);
    let fates: Vec<Vec<&str>> = world
        .packets(&PacketFilter::default())
        .iter()
        .map(|packet| packet.receipts.iter().map(|receipt| receipt.fate.name()).collect())
        .collect();
    assert_eq!(fates, [vec!["dropped-leave", "delivered"], vec!["dropped-leave"], vec!["delivered"]]);
}

#[test]
fn a_full_server_and_taken_names_refuse() {
    let mut options = options(SignalMode::Deferred, &[]);
    options.settings.max_players = 2;
    let world = World::new(options).unwrap();
    let named =
        |name: &str| JoinOptions { name: Some(name.into()), user_id: Some(77), ..JoinOptions::default() };
    world.join(named("Ann")).unwrap();
    assert!(matches!(world.join(named("Ann")), Err(WorldError::BadOption(_))));
    assert!(matches!(world.join(named("server")), Err(WorldError::BadOption(_))));
    world.join(JoinOptions::default()).unwrap();
    assert!(matches!(world.join(JoinOptions::default()), Err(WorldError::Full(2))));
    assert_eq!(world.side_named("Ann"), Some(A));
    run(&world, Side::Server, "print(game:GetService('Players').Ann.UserId)");
    assert_eq!(output(&world, Side::Server), ["77"]);
}

#[test]
fn shutdown_waits_for_what_is_bound_to_it() {
    let world = world(SignalMode::Deferred, &[], 1);
    run(
        &world,
        Side::Server,
        r#"
        game:BindToClose(function(reason) print("closing", reason.Name) task.wait(2) print("saved") end)
        game:BindToClose(function() error("cannot save") end)
    "#,
    );
    assert!(world.shutdown("DeveloperUpdate").unwrap());
    assert_eq!(output(&world, Side::Server), ["closing DeveloperUpdate", "saved"]);
    assert_eq!(complaints(&world, Side::Server).len(), 1);
    assert_eq!(world.clients().len(), 0);
    run(&world, Side::Server, "game:BindToClose(function() task.wait(1e6) end)");
    assert!(!world.shutdown("Unknown").unwrap());
}

#[test]
fn time_cannot_be_moved_from_inside_a_frame() {
    let world = Rc::new(world(SignalMode::Deferred, &[], 1));
    let (inside, seen) = (Rc::downgrade(&world), Rc::new(Cell::new(false)));
    let noted = seen.clone();
    world.intercept(
        PacketFilter::default(),
        Box::new(move |_, _| {
            let world = inside.upgrade().unwrap();
            noted.set(
                matches!(world.step(1), Err(WorldError::Busy))
                    && world.packets(&PacketFilter::default()).len() == 1,
            );
            Verdict::default()
        }),
    );
    run(&world, Side::Server, "game.ReplicatedStorage.Event:FireAllClients(1)");
    world.step(1).unwrap();
    assert!(seen.get());
}

#[test]
fn clients_see_other_players_come_and_go() {
    for mode in MODES {
        let world = world(mode, &[], 1);
        run(&world, A, WATCH);
        world.join(JoinOptions::default()).unwrap();
        world.step(1).unwrap();
        world.leave(1, LeaveHow::Quit).unwrap();
        world.step(1).unwrap();
        let lines = output(&world, A);
        assert_eq!(lines[0], "added Player2 -2 true");
        assert!(lines[1].starts_with("removing Player2 Unknown"), "{lines:?}");
        assert_eq!(lines[2], "removed Player2");
    }
}

#[test]
fn characters_are_dummies_that_scripts_can_wait_for() {
    for mode in MODES {
        let serve = r#"
            game:GetService("Players").PlayerAdded:Connect(function(player)
                player.CharacterAdded:Connect(function(character)
                    print("server", player.Character == character, character:FindFirstChild("Humanoid") ~= nil)
                end)
                player.CharacterRemoving:Connect(function(character) print("gone", character.Name) end)
            end)
        "#;
        let follow = r#"
            local player = game:GetService("Players").LocalPlayer
            local function seen(character)
                print("client", character.Name, character:WaitForChild("HumanoidRootPart").ClassName, character.Parent == workspace)
            end
            player.CharacterAdded:Connect(seen)
        "#;
        let scripts = [
            ("ServerScriptService", "Script", "Serve", serve),
            ("StarterPlayerScripts", "LocalScript", "Follow", follow),
            ("StarterCharacterScripts", "LocalScript", "Body", "print('body', script.Parent.Name)"),
        ];
        let mut options = options(mode, &scripts);
        options.settings.characters = true;
        let world = with_clients(options, 1);
        world.step(1).unwrap();
        assert_eq!(output(&world, Side::Server), ["server true true"]);
        let mut lines = output(&world, A);
        lines.sort();
        assert_eq!(lines, ["body Player1", "client Player1 Part true"]);
        run(&world, Side::Server, "game:GetService('Players').Player1:LoadCharacter()");
        world.step(1).unwrap();
        assert_eq!(output(&world, Side::Server)[1..], ["gone Player1", "server true true"]);
        assert_eq!(output(&world, A).len(), 4);
        world.leave(0, LeaveHow::Quit).unwrap();
        run(&world, Side::Server, "print(#workspace:GetChildren())");
        assert_eq!(output(&world, Side::Server)[3..], ["gone Player1", "0"]);
    }
}

#[test]
fn starter_gui_is_copied_at_loading_and_with_each_later_character() {
    for mode in MODES {
        let scripts = [("StarterGui", "LocalScript", "Hud", "print('hud', script.Parent.ClassName)")];
        let world = world(mode, &scripts, 1);
        assert_eq!(output(&world, A), ["hud PlayerGui"]);
        for _ in 0..2 {
            run(&world, Side::Server, "game:GetService('Players').Player1:LoadCharacter()");
            world.step(1).unwrap();
        }
        run(&world, A, "print(#game:GetService('Players').LocalPlayer.PlayerGui:GetChildren())");
        assert_eq!(output(&world, A), ["hud PlayerGui", "hud PlayerGui", "1"]);
    }
}
