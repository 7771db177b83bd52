//! Instances on their way to clients. Source: Roblox behaviour, 6.

use super::*;

#[test]
fn changes_reach_clients_in_program_order_with_remotes() {
    for mode in MODES {
        let world = world(mode, &[], 1);
        run(
            &world,
            A,
            r#"
            local event = game.ReplicatedStorage.Event
            workspace.ChildAdded:Connect(function(child) print("child", child.Name, child:GetAttribute("N")) end)
            event.OnClientEvent:Connect(function(text) print(text, #workspace:GetChildren()) end)
        "#,
        );
        run(
            &world,
            Side::Server,
            r#"
            local event = game.ReplicatedStorage.Event
            event:FireAllClients("before")
            local folder = Instance.new("Folder") folder.Name = "F" folder:SetAttribute("N", 1) folder.Parent = workspace
            event:FireAllClients("between")
            folder:SetAttribute("N", 2)
            folder:SetAttribute("N", 3)
        "#,
        );
        world.step(1).unwrap();
        let expected = match mode {
            SignalMode::Immediate => ["before 1", "child F 3", "between 2"],
            SignalMode::Deferred => ["before 2", "child F 3", "between 2"],
        };
        assert_eq!(output(&world, A), expected);
    }
}

#[test]
fn a_clients_changes_stay_with_it() {
    for mode in MODES {
        let world = world(mode, &[], 2);
        run(
            &world,
            Side::Server,
            "local f = Instance.new('Folder') f.Name = 'F' f:SetAttribute('N', 1) f.Parent = workspace",
        );
        world.step(1).unwrap();
        run(
            &world,
            A,
            "workspace.F:SetAttribute('N', 9) Instance.new('Part', workspace) workspace.F.Name = 'Mine'",
        );
        world.step(2).unwrap();
        // A client's own camera stands in its Workspace as well.
        for (side, expected) in [(Side::Server, "1 1"), (B, "2 1")] {
            run(&world, side, "print(#workspace:GetChildren(), workspace.F:GetAttribute('N'))");
            assert_eq!(output(&world, side), [expected]);
        }
        run(&world, Side::Server, "workspace.F:SetAttribute('N', 2)");
        world.step(1).unwrap();
        run(&world, A, "print(workspace.Mine:GetAttribute('N'))");
        assert_eq!(output(&world, A), ["2"]);
    }
}

#[test]
fn a_joining_client_gets_the_tree_once() {
    for order in ["tree", "shuffle"] {
        let mut options = options(SignalMode::Deferred, &[]);
        options.settings.set("joinOrder", order).unwrap();
        let world = with_clients(options, 1);
        run(
            &world,
            Side::Server,
            r#"
            for i = 1, 5 do
                local model = Instance.new("Model") model.Name = "M" .. i
                for j = 1, 3 do local part = Instance.new("Part") part.Name = "P" .. j part.Parent = model end
                model.Parent = workspace
            end
            Instance.new("Folder", game:GetService("ServerStorage"))
        "#,
        );
        world.join(JoinOptions { loading: Loading::Link, ..JoinOptions::default() }).unwrap();
        world.step(2).unwrap();
        for side in [A, B] {
            run(
                &world,
                side,
                r#"
                local count = 0
                for _, model in workspace:GetChildren() do count += #model:GetChildren() end
                print(#workspace:GetChildren(), count, workspace.M3.P2.ClassName, game:FindService("ServerStorage"))
            "#,
            );
            // Its own camera stands there as well.
            assert_eq!(output(&world, side), ["6 15 Part nil"], "{order}");
        }
    }
}

#[test]
fn an_event_waits_for_its_remote() {
    for mode in MODES {
        let world = world(mode, &[], 1);
        link(&world, 0, |link| link.delay = ms(30));
        run(
            &world,
            A,
            r#"
            local remote = game.ReplicatedStorage:WaitForChild("New")
            remote.OnClientEvent:Connect(function(text) print(text) end)
        "#,
        );
        run(
            &world,
            Side::Server,
            r#"
            local remote = Instance.new("RemoteEvent") remote.Name = "New" remote.Parent = game.ReplicatedStorage
            remote:FireAllClients("hello")
        "#,
        );
        world.step(5).unwrap();
        assert_eq!(output(&world, A), ["hello"]);
    }
}

#[test]
fn hidden_instances_are_gone_for_one_client() {
    for mode in MODES {
        let world = world(mode, &[], 2);
        run(
            &world,
            Side::Server,
            r#"
            local f = Instance.new("Folder") f.Name = "F" f.Parent = workspace
            Instance.new("Part", f)
        "#,
        );
        world.step(1).unwrap();
        let folder = world.find(Side::Server, "Workspace.F").unwrap().unwrap();
        for side in [A, B] {
            run(
                &world,
                side,
                "game.ReplicatedStorage.Event.OnClientEvent:Connect(function(f) print(f and f.Name, workspace:FindFirstChild('F') ~= nil) end)",
            );
        }
        world.hide(0, folder).unwrap();
        run(
            &world,
            Side::Server,
            "game.ReplicatedStorage.Event:FireAllClients(workspace.F) workspace.F:SetAttribute('N', 4)",
        );
        world.step(1).unwrap();
        assert_eq!((output(&world, A), output(&world, B)), (vec!["nil false".into()], vec!["F true".into()]));
        assert_eq!(codes(&world), ["E-NILINST"]);
        world.show(0, folder).unwrap();
        run(&world, A, "print(workspace.F.Part.Name, workspace.F:GetAttribute('N'))");
        assert_eq!(output(&world, A)[1], "Part 4");
    }
}

#[test]
fn what_is_a_players_own_goes_to_that_player() {
    let world = world(SignalMode::Deferred, &[], 2);
    run(
        &world,
        Side::Server,
        r#"
        for _, player in game:GetService("Players"):GetPlayers() do
            local f = Instance.new("Folder") f.Name = "Note" f.Parent = player.PlayerGui
        end
    "#,
    );
    world.step(1).unwrap();
    run(
        &world,
        A,
        r#"
        local players = game:GetService("Players")
        print(players.Player1.PlayerGui:FindFirstChild("Note") ~= nil)
        local other = players.Player2:FindFirstChild("PlayerGui")
        print(other == nil or other:FindFirstChild("Note") == nil)
    "#,
    );
    assert_eq!(output(&world, A), ["true", "true"]);
}

#[test]
fn every_replication_order_delivers_everything() {
    for order in ["together", "remotesLate", "remotesEarly", "shuffled"] {
        let mut options = options(SignalMode::Deferred, &[]);
        options.settings.set("replicationOrder", order).unwrap();
        let world = with_clients(options, 1);
        run(&world, A, "game.ReplicatedStorage.Event.OnClientEvent:Connect(function(i) print(i) end)");
        run(
            &world,
            Side::Server,
            r#"
            for i = 1, 20 do
                local f = Instance.new("Folder") f.Parent = workspace
                game.ReplicatedStorage.Event:FireAllClients(i)
            end
        "#,
        );
        world.step(1).unwrap();
        assert_eq!(output(&world, A), (1..=20).map(|i| i.to_string()).collect::<Vec<_>>(), "{order}");
        run(&world, A, "print(#workspace:GetChildren())");
        // Its own camera stands there as well.
        assert_eq!(output(&world, A)[20], "21");
    }
}
