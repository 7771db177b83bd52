//! Classes and services beyond the tree: queries, input, screens, options. Source: emulator requirements, 12.

use super::{both, check, log, peer, run, unindented};
use crate::services::user_input_service::{Input, inject};
use crate::shared::{Side, SignalMode};

#[test]
fn descendants_are_queried() {
    both(
        r##"
        local root = Instance.new("Folder", workspace)
        root.Name = "Root"
        local model = Instance.new("Model", root)
        model.Name = "Car"
        model:AddTag("Fast")
        local wheel = Instance.new("Part", model)
        wheel.Name = "Wheel"
        wheel.Transparency = 0.5
        wheel:SetAttribute("Side", "left")
        local seat = Instance.new("WedgePart", model)
        seat.Name = "Seat"
        seat.Anchored = true
        seat.Material = Enum.Material.Wood
        local loose = Instance.new("Part", root)
        loose.Name = "Loose"
        local function names(selector)
            local out = {}
            for _, found in root:QueryDescendants(selector) do table.insert(out, " " .. found.Name) end
            return #out .. ":" .. table.concat(out)
        end
        for _, selector in {
            "Part", "BasePart", "#Wheel", ".Fast", "Model >> Part", "> Part", "Folder > Part", "Model > BasePart",
            "[Anchored = true]", "[Transparency = 0.5]", "[Material = Wood]", "[$Side]", "[$Side = left]", "[$Side = 'right']",
            "Part:not([$Side])", "Model:has(#Wheel)", "#Loose, .Fast", "Part#Wheel[$Side]", "Nonsense", ":not(Part)",
        } do
            print(selector, names(selector))
        end
        print(pcall(root.QueryDescendants, root, "Part >"))
        print(pcall(root.QueryDescendants, root, "Part[$a"))
        "##,
        r##"
        Part 2: Wheel Loose
        BasePart 3: Wheel Seat Loose
        #Wheel 1: Wheel
        .Fast 1: Car
        Model >> Part 1: Wheel
        > Part 1: Loose
        Folder > Part 0:
        Model > BasePart 2: Wheel Seat
        [Anchored = true] 1: Seat
        [Transparency = 0.5] 1: Wheel
        [Material = Wood] 1: Seat
        [$Side] 1: Wheel
        [$Side = left] 1: Wheel
        [$Side = 'right'] 0:
        Part:not([$Side]) 1: Loose
        Model:has(#Wheel) 1: Car
        #Loose, .Fast 2: Car Loose
        Part#Wheel[$Side] 1: Wheel
        Nonsense 0:
        :not(Part) 2: Car Seat
        false Invalid selector "Part >": a class, .Tag, #Name, [property] or : is missing at character 7
        false Invalid selector "Part[$a": a ] is missing at character 8
        "##,
    );
}

#[test]
fn query_parameters_are_set_in_place() {
    both(
        r##"
        local part = Instance.new("Part", workspace)
        local ray, overlap = RaycastParams.new(), OverlapParams.new()
        print(typeof(ray), typeof(overlap), ray.FilterType, ray.IgnoreWater, ray.CollisionGroup, #ray.FilterDescendantsInstances)
        ray.FilterType = Enum.RaycastFilterType.Include
        ray.FilterDescendantsInstances = { part }
        ray:AddToFilter({ workspace })
        ray:AddToFilter(part)
        local same = ray
        print(same.FilterType, #same.FilterDescendantsInstances, same.FilterDescendantsInstances[1] == part, same == ray, ray == RaycastParams.new())
        overlap.MaxParts = 3
        print(overlap.MaxParts, overlap.Tolerance, overlap.RespectCanCollide)
        print(pcall(function() return ray.MaxParts end))
        print(pcall(function() ray.Nope = 1 end))
        print(pcall(function() ray.IgnoreWater = 1 end))
        print(select(2, pcall(function() workspace:Raycast(Vector3.zero, Vector3.one, ray) end)))
        "##,
        r##"
        RaycastParams OverlapParams Enum.RaycastFilterType.Exclude false Default 0
        Enum.RaycastFilterType.Include 3 true true false
        3 0 false
        false MaxParts is not a valid member of RaycastParams
        false Nope is not a valid member of RaycastParams
        false invalid argument #3 to '__newindex' (boolean expected, got number)
        [emulator] Workspace:Raycast is not emulated; stub it with side:stub("Workspace", "Raycast", fn)
        "##,
    );
}

#[test]
fn actions_take_input_by_priority() {
    let press = |state: &str, key: &str| Input {
        state: state.into(),
        kind: "Keyboard".into(),
        key: key.into(),
        position: [0.0; 3],
        processed: false,
    };
    let peer = peer(Side::Client(0), SignalMode::Deferred);
    run(
        &peer,
        r##"
        local actions = game:GetService("ContextActionService")
        local function show(answer)
            return function(name, state, object) print(name, state.Name, object.KeyCode.Name) return answer end
        end
        actions:BindAction("Low", show(), false, Enum.KeyCode.E)
        actions:BindAction("Newer", show(Enum.ContextActionResult.Pass), false, Enum.KeyCode.E, Enum.KeyCode.F)
        actions:BindActionAtPriority("High", show(Enum.ContextActionResult.Pass), true, 3000, Enum.UserInputType.Keyboard)
        actions:SetTitle("High", "Title")
        local info = actions:GetBoundActionInfo("High")
        print(info.priorityLevel, info.title, info.createTouchButton, info.inputTypes[1], info.stackOrder)
        game:GetService("UserInputService").InputBegan:Connect(function(input, processed)
            print("began", input.KeyCode.Name, processed)
        end)
        _G.actions = actions
        "##,
    );
    inject(&peer, &press("Begin", "E")).unwrap();
    run(&peer, "_G.actions:UnbindAction('Low')");
    inject(&peer, &press("Begin", "F")).unwrap();
    run(&peer, "_G.actions:UnbindAllActions() print(next(_G.actions:GetAllBoundActionInfo()))");
    let expected = "
        3000 Title true Enum.UserInputType.Keyboard 3
        High Begin E
        Newer Begin E
        Low Begin E
        Low Cancel E
        began E true
        High Begin F
        Newer Begin F
        High Cancel F
        Newer Cancel F
        began F false
        nil
    ";
    let mut got: Vec<String> = log(&peer).lines().map(str::to_owned).collect();
    let mut wanted: Vec<String> = unindented(expected).lines().map(str::to_owned).collect();
    // What began is told at the next resumption point, what is bound at once: only the order of each is fixed.
    got.sort();
    wanted.sort();
    assert_eq!(got, wanted);
    let server = super::peer(Side::Server, SignalMode::Deferred);
    run(&server, "print(pcall(function() game:GetService('ContextActionService'):UnbindAllActions() end))");
    assert_eq!(log(&server), "false UnbindAllActions can only be called from the client");
}

#[test]
fn a_screen_is_stood_in_for() {
    for signals in [SignalMode::Immediate, SignalMode::Deferred] {
        check(
            Side::Client(0),
            signals,
            r##"
            local gui = game:GetService("StarterGui")
            gui:SetCore("ResetButtonCallback", false)
            print(gui:GetCore("ResetButtonCallback"), gui:GetCoreGuiEnabled(Enum.CoreGuiType.Chat))
            gui:SetCoreGuiEnabled(Enum.CoreGuiType.All, false)
            print(gui:GetCoreGuiEnabled(Enum.CoreGuiType.Chat))
            print(game:GetService("GuiService"):GetGuiInset())
            local text = game:GetService("TextService")
            print(text:GetTextSize("abcd", 10, Enum.Font.Legacy, Vector2.new(1000, 1000)), text:GetTextSize("abcd", 10, Enum.Font.Legacy, Vector2.new(10, 100)))
            local params = Instance.new("GetTextBoundsParams")
            params.Text, params.Size = "ab\ncde", 20
            print(text:GetTextBoundsAsync(params))
            local sound = Instance.new("Sound", workspace)
            sound.Played:Connect(function() print("played", sound.Playing) end)
            sound:Play()
            task.wait()
            sound:Stop()
            print(sound.Playing)
            game:GetService("ContentProvider"):PreloadAsync({ "rbxassetid://1" }, print)
            "##,
            r##"
            false true
            false
            0, 36 0, 0
            20, 10 10, 20
            30, 40
            played true
            false
            rbxassetid://1 Enum.AssetFetchStatus.Success
            "##,
        );
    }
}

#[test]
fn options_reflection_and_stats() {
    both(
        r##"
        local options = Instance.new("DataStoreOptions")
        options:SetExperimentalFeatures({ v2 = true })
        local set = Instance.new("DataStoreSetOptions")
        set:SetMetadata({ a = 1 })
        print(set:GetMetadata().a, next(Instance.new("DataStoreIncrementOptions"):GetMetadata()))
        local reflection = game:GetService("ReflectionService")
        local found = {}
        for _, class in reflection:GetClasses() do found[class.Name] = class.Superclass end
        print(found.Part, found.TextLabel, reflection:GetClass("Nope"), reflection:GetClass("Part").Name)
        local events = {}
        for _, event in reflection:GetEventsOfClass("Part") do events[event.Name] = event.Owner end
        print(events.Touched, events.Changed, #reflection:GetPropertiesOfClass("Folder") > 3)
        local stats = game:GetService("Stats")
        print(stats.Network.ServerStatsItem["Data Ping"]:GetValue(), stats:GetTotalMemoryUsageMb() > 0, stats.DataSendKbps)
        "##,
        r##"
        1 nil
        FormFactorPart GuiLabel nil Part
        BasePart Object true
        0 true 0
        "##,
    );
}

#[test]
fn models_move_as_one() {
    both(
        r##"
        local model = Instance.new("Model", workspace)
        local a, b = Instance.new("Part", model), Instance.new("Part", model)
        a.Size, b.Size = Vector3.new(2, 2, 2), Vector3.new(2, 4, 2)
        a.Position, b.Position = Vector3.new(0, 0, 0), Vector3.new(4, 0, 0)
        print(pcall(function() model:GetPrimaryPartCFrame() end))
        model.PrimaryPart = a
        print(model:GetExtentsSize(), model:GetBoundingBox().Position)
        model:TranslateBy(Vector3.new(0, 10, 0))
        print(a.Position, b.Position)
        model:MoveTo(Vector3.new(1, 2, 3))
        print(a.Position, b.Position)
        model:SetPrimaryPartCFrame(CFrame.new(0, 0, 0) * CFrame.Angles(0, math.pi, 0))
        print(model:GetPrimaryPartCFrame().LookVector:FuzzyEq(Vector3.zAxis), b.Position:FuzzyEq(Vector3.new(-4, 0, 0)))
        "##,
        r##"
        false Model:GetPrimaryPartCFrame() failed because no PrimaryPart has been set, or the PrimaryPart no longer exists. Please set Model.PrimaryPart before using this.
        6, 4, 2 2, 0, 0
        0, 10, 0 4, 10, 0
        1, 2, 3 5, 2, 3
        true true
        "##,
    );
}

#[test]
fn code_is_compiled_where_the_game_allows_it() {
    let server = peer(Side::Server, SignalMode::Deferred);
    run(&server, "print(pcall(loadstring, 'return 1')) print(pcall(debug.loadmodule, game))");
    {
        let store = server.data_model().store();
        let service = store.service(crate::datamodel::classes::known_class("ServerScriptService")).unwrap();
        let property = store.class(service).property("LoadStringEnabled").unwrap();
        drop(store);
        server.data_model().store_mut().set_property(service, property, true.into());
    }
    run(
        &server,
        "print(loadstring('return 1 + 1')()) print(loadstring('return =', 'Chunk')) \
         print(pcall(loadstring('error(\"x\")', '=named')))",
    );
    let expected = "
        false loadstring() is not available
        false debug.loadmodule is not available; the setting `internals` turns it on
        2
        nil Chunk:1: Expected identifier when parsing expression, got '='
        false named:1: x
    ";
    assert_eq!(log(&server), unindented(expected));
}

#[test]
fn missing_arguments_are_named() {
    both(
        r##"
        print(pcall(function() workspace:FindFirstChild() end))
        print(pcall(function() workspace:SetAttribute() end))
        print(pcall(function() game:GetService("CollectionService"):AddTag(workspace) end))
        print(pcall(function() game:GetService("TweenService"):GetValue(1) end))
        "##,
        r##"
        false Argument 1 missing or nil
        false Argument 1 missing or nil
        false Argument 2 missing or nil
        false Argument 2 missing or nil
        "##,
    );
}
