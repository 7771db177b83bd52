//! From a server's tree to a client's. Source: Roblox behaviour, 6.

use std::rc::Rc;

use super::{log, peer, run, run_frames};
use crate::datamodel::journal::Change;
use crate::datamodel::replication::{apply, hide, show, snapshot_for_join};
use crate::peer::Peer;
use crate::shared::{JoinOrder, Seed, Side, SignalMode};
use crate::value::InstanceId;

const NOBODY: InstanceId = InstanceId(u32::MAX);

/// A server that ran a chunk, and a client that took its first tree in.
fn joined(source: &str, order: JoinOrder) -> (Rc<Peer>, Rc<Peer>) {
    let server = peer(Side::Server, SignalMode::Immediate);
    run(&server, source);
    server.data_model().journal().unwrap().drain();
    let client = peer(Side::Client(0), SignalMode::Immediate);
    let random = &mut Seed(3).random("join");
    let snapshot = snapshot_for_join(&server.data_model().store(), NOBODY, order, random);
    for change in snapshot.first.into_iter().chain(snapshot.rest) {
        apply(&client, change);
    }
    (server, client)
}

/// Runs a chunk on the server and takes its changes in on the client.
fn pass(server: &Rc<Peer>, client: &Rc<Peer>, source: &str) -> usize {
    run(server, source);
    let entries = server.data_model().journal().unwrap().drain();
    let count = entries.len();
    for entry in entries {
        apply(client, entry.change);
    }
    run_frames(client);
    count
}

const TREE: &str = r##"
    local folder = Instance.new("Folder")
    folder.Name = "Data"
    local part = Instance.new("Part", folder)
    part.Transparency = 0.5
    part:SetAttribute("Speed", 3)
    part:AddTag("Fast")
    local link = Instance.new("ObjectValue", folder)
    link.Value = part
    folder.Parent = game:GetService("ReplicatedStorage")
    Instance.new("Folder", game:GetService("ServerStorage")).Name = "Secret"
    Instance.new("Folder", game:GetService("ReplicatedFirst")).Name = "Early"
    Instance.new("Folder", game:GetService("ServerScriptService"))
"##;

#[test]
fn a_client_starts_with_the_replicated_tree() {
    for order in [JoinOrder::Tree, JoinOrder::Shuffle] {
        let (server, client) = joined(TREE, order);
        run(
            &client,
            r##"
            local data = game.ReplicatedStorage.Data
            print(data.Part.Transparency, data.Part:GetAttribute("Speed"), data.Part:HasTag("Fast"))
            print(data.Value.Value == data.Part, game.ReplicatedFirst.Early)
            print(game:FindService("ServerStorage"), #game:GetService("ServerScriptService"):GetChildren())
            "##,
        );
        assert_eq!(log(&client), "0.5 3 true\ntrue Early\nnil 0");
        let find = |peer: &Peer| {
            let store = peer.data_model().store();
            let data = store.find_child(peer.data_model().known_service("ReplicatedStorage"), "Data");
            data.and_then(|data| store.find_child(data, "Part"))
        };
        assert_eq!(find(&server), find(&client), "ids agree");
    }
}

#[test]
fn changes_follow_in_order_with_their_events() {
    let (server, client) = joined(TREE, JoinOrder::Tree);
    run(
        &client,
        r##"
        local data = game.ReplicatedStorage.Data
        data.ChildAdded:Connect(function(child) print("added", child.Name, child.Value) end)
        data.ChildRemoved:Connect(function(child) print("removed", child.Name) end)
        data.Part.Changed:Connect(function(name) print("changed", name, data.Part.Transparency) end)
        data.Part.AttributeChanged:Connect(function(name) print("attribute", name) end)
        "##,
    );
    let count = pass(
        &server,
        &client,
        r##"
        local data = game.ReplicatedStorage.Data
        data.Part.Transparency = 0.1
        data.Part.Transparency = 0.2
        local value = Instance.new("IntValue")
        value.Parent = data
        value.Value = 7
        data.Part:SetAttribute("Speed", nil)
        game.ServerStorage.Secret.Name = "Hidden"
        data.Value:Destroy()
        "##,
    );
    assert_eq!(count, 4, "one a property, one creation, one attribute, one destruction");
    // `0.2` is what float32 makes of it.
    let expected = [
        "changed Transparency 0.20000000298023224",
        "added Value 7",
        "attribute Speed",
        "changed Attributes 0.20000000298023224",
        "removed Value",
    ];
    assert_eq!(log(&client), expected.join("\n"));
}

#[test]
fn instances_come_and_go_with_their_container() {
    let (server, client) = joined(TREE, JoinOrder::Tree);
    run(&client, "kept = game.ReplicatedStorage.Data _G.kept = kept");
    pass(&server, &client, "game.ReplicatedStorage.Data.Parent = game.ServerStorage");
    pass(&server, &client, "game.ServerStorage.Data.Part.Transparency = 1");
    run(&client, "print(_G.kept.Parent, #game.ReplicatedStorage:GetChildren())");
    pass(&server, &client, "game.ServerStorage.Data.Parent = workspace");
    run(&client, "print(workspace.Data == _G.kept, _G.kept.Part.Transparency)");
    assert_eq!(log(&client), "nil 0\ntrue 1");
}

#[test]
fn a_clients_changes_stay_until_the_server_overwrites_them() {
    let (server, client) = joined(TREE, JoinOrder::Tree);
    run(
        &client,
        r##"
        local data = game.ReplicatedStorage.Data
        data.Part.Transparency = 1
        data.Part:AddTag("Mine")
        data.Value:Destroy()
        Instance.new("Folder", data).Name = "Local"
        "##,
    );
    pass(
        &server,
        &client,
        "local d = game.ReplicatedStorage.Data print(d.Part.Transparency, d:FindFirstChild('Local'))",
    );
    assert_eq!(log(&server), "0.5 nil");
    let changes = "local d = game.ReplicatedStorage.Data d.Part.Transparency = 0 d.Part:AddTag('Yours') d.Value.Name = 'X'";
    pass(&server, &client, changes);
    run(
        &client,
        r##"
        local data = game.ReplicatedStorage.Data
        print(data.Part.Transparency, table.concat(data.Part:GetTags(), " "), data:FindFirstChild("X"), data.Local)
        "##,
    );
    assert_eq!(log(&client), "0 Fast Yours nil Local");
}

#[test]
fn what_a_player_owns_goes_to_that_player_only() {
    let server = peer(Side::Server, SignalMode::Immediate);
    let model = server.data_model();
    let (one, two) = {
        let mut store = model.store_mut();
        let players = store.service(crate::datamodel::classes::known_class("Players")).unwrap();
        let mut player = || {
            let id = store.create(crate::datamodel::classes::known_class("Player"));
            store.set_parent(id, Some(players));
            let gui = store.create(crate::datamodel::classes::known_class("PlayerGui"));
            store.set_parent(gui, Some(id));
            id
        };
        (player(), player())
    };
    let classes = |player: InstanceId| {
        let random = &mut Seed(3).random("join");
        let snapshot = snapshot_for_join(&model.store(), player, JoinOrder::Tree, random);
        let made = snapshot.rest.iter().filter_map(|change| match change {
            Change::Create(created) => Some((created.parent, created.class.name())),
            _ => None,
        });
        made.filter(|(parent, _)| *parent == Some(one) || *parent == Some(two)).collect::<Vec<_>>()
    };
    assert_eq!(classes(one), [(Some(one), "PlayerGui")]);
    assert_eq!(classes(two), [(Some(two), "PlayerGui")]);
}

#[test]
fn a_hidden_instance_comes_back_as_it_is_by_then() {
    let (server, client) = joined(TREE, JoinOrder::Tree);
    let data = {
        let model = client.data_model();
        let storage = model.known_service("ReplicatedStorage");
        model.store().find_child(storage, "Data").unwrap()
    };
    run(&client, "_G.data = game.ReplicatedStorage.Data");
    hide(&client, data);
    pass(
        &server,
        &client,
        "local d = game.ReplicatedStorage.Data d.Part.Transparency = 1 d.Parent = workspace",
    );
    run(&client, "print(_G.data.Parent, _G.data.Part.Transparency)");
    let parent = server.data_model().store().parent(data);
    show(&client, data, parent);
    run(&client, "print(_G.data.Parent, _G.data.Part.Transparency)");
    assert_eq!(log(&client), "nil 1\nWorkspace 1");
}
