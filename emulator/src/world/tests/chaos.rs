//! Worlds under drawn abuse: joins, leaves, kicks, crashes, cuts, stalls, hitches, hidden instances and bad links, all at
//! once. Reliable events stay in order and whole, nothing panics, no script errs, and equal seeds give equal traces.

use super::*;
use crate::network::PRESETS;
use crate::shared::Random;

/// Every player is sent its own count, and everyone the server's; each side checks what it hears.
const SERVER: &str = r#"
    local storage, players = game:GetService("ReplicatedStorage"), game:GetService("Players")
    local counts, total = {}, 0
    local function begin(player) counts[player] = { sent = 0, heard = 0 } end
    players.PlayerAdded:Connect(begin)
    for _, player in players:GetPlayers() do begin(player) end
    players.PlayerRemoving:Connect(function(player) counts[player] = nil end)
    storage.Event.OnServerEvent:Connect(function(player, number)
        local count = counts[player]
        if not count then return end
        count.heard += 1
        assert(number == count.heard, `{player.Name}: {number} after {count.heard - 1}`)
    end)
    storage.Function.OnServerInvoke = function(player, value) task.wait(0.05) return value end
    local parts = {}
    game:GetService("RunService").Heartbeat:Connect(function()
        total += 1
        for _, player in players:GetPlayers() do
            local count = counts[player]
            if count then
                count.sent += 1
                storage.Event:FireClient(player, count.sent, parts[1 + total % 7])
            end
        end
        storage.Loose:FireAllClients(total, { parts[1], parts[2] })
        local slot = 1 + total % 11
        if parts[slot] then parts[slot]:Destroy() end
        local part = Instance.new("Folder") part.Name = "P" .. total part.Parent = workspace
        part:SetAttribute("Total", total)
        parts[slot] = part
    end)
"#;

const CLIENT: &str = r#"
    local storage = game:GetService("ReplicatedStorage")
    local heard, sent = 0, 0
    storage.Event.OnClientEvent:Connect(function(number, part)
        heard += 1
        assert(number == heard, `{number} after {heard - 1}`)
        assert(part == nil or part:IsA("Folder"))
    end)
    storage.Loose.OnClientEvent:Connect(function(total, parts) assert(type(total) == "number" and type(parts) == "table") end)
    task.spawn(function() while true do assert(storage.Function:InvokeServer(7) == 7) end end)
    game:GetService("RunService").Heartbeat:Connect(function()
        sent += 1
        storage.Event:FireServer(sent)
    end)
"#;

fn abuse(world: &World, random: &mut Random) {
    let clients = world.clients();
    let one = (!clients.is_empty()).then(|| clients[random.below(clients.len())].index());
    let brief = Time::from_millis(random.below(700) as i64);
    match (random.below(14), one) {
        (0 | 1, _) | (_, None) => {
            let loading = if random.chance(0.5) { Loading::Link } else { Loading::Instant };
            let fps = [None, Some(30.0), Some(144.0)][random.below(3)];
            let _ = world.join(JoinOptions { loading, fps, ..JoinOptions::default() });
        }
        (2, Some(client)) => {
            let how = [LeaveHow::Quit, LeaveHow::Kick("out".into()), LeaveHow::Timeout, LeaveHow::Crash];
            world.leave(client, how[random.below(4)].clone()).unwrap();
        }
        (3, Some(client)) => world.cut_link(client, brief).unwrap(),
        (4, Some(client)) => world.flap_link(client, brief, ms(50), 3).unwrap(),
        (5, Some(client)) => world.burst_link(client, 0.8, brief).unwrap(),
        (6, Some(client)) => world.stall(Side::Client(client), brief).unwrap(),
        (7, _) => world.stall(Side::Server, ms(80)).unwrap(),
        (8, _) => world.step_by(brief + ms(1)).unwrap(),
        (9 | 10, Some(client)) => {
            let preset = LinkSettings::preset(PRESETS[random.below(PRESETS.len())]).unwrap();
            world.set_link(client, None, &preset).unwrap();
        }
        (11, Some(client)) => {
            let parts = {
                let model = world.server().peer.data_model();
                let store = model.store();
                store.children(single_id(known_class("Workspace"))).to_vec()
            };
            let part = parts[random.below(parts.len())];
            if world.peer(Side::Client(client)).is_ok() {
                world.hide(client, part).unwrap();
                world.show(client, part).unwrap();
            }
        }
        (12, Some(client)) => drop(world.set_client_clock(client, Some(brief), Some(1e-4))),
        (_, Some(_)) => world.advance(brief).unwrap(),
    }
}

fn play(seed: u64, mode: SignalMode) -> String {
    let scripts = [
        ("ServerScriptService", "Script", "S", SERVER),
        ("StarterPlayerScripts", "LocalScript", "C", CLIENT),
    ];
    let mut options = options(mode, &scripts);
    options.seed = Seed(seed);
    options.settings.timeout_seconds = 3.0;
    options.settings.remote_queue_limit = 100_000;
    options.settings.set("joinOrder", "shuffle").unwrap();
    let order = ["together", "remotesLate", "remotesEarly", "shuffled"][seed as usize % 4];
    options.settings.set("replicationOrder", order).unwrap();
    let world = with_clients(options, 2);
    let mut random = Random::from_seed(seed);
    for _ in 0..40 {
        abuse(&world, &mut random);
        world.step(1 + random.below(5) as u64).unwrap();
    }
    assert_eq!(world.errors(), [], "seed {seed}, {mode:?}");
    world.trace().to_text()
}

#[test]
fn drawn_abuse_breaks_no_promise() {
    for seed in 0..4 {
        let mode = MODES[seed as usize / 2 % 2];
        assert!(play(seed, mode) == play(seed, mode), "seed {seed}, {mode:?}: two runs differ");
    }
}
