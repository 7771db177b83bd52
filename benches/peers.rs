//! What others' packages cost beside ours, in the emulator: remotes as they are, libraries of remotes, a serialiser.
//!
//! `cargo bench -p blinkblox-suites --bench peers`. Packages are installed when it runs, from npm, at exact versions;
//! nothing of theirs is kept here. Everyone has a world of their own in one process and they take turns; times are what
//! this thread ran for, in nanoseconds an event, the middle of all rounds and the best. Bytes are those of the link,
//! as the emulator counts a message of the engine's own format. `benches/RESULTS.md` keeps what was measured.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use blinkblox_compiler::compile;
use blinkblox_compiler::schema::Profile;
use blinkblox_compiler::source::MemoryLoader;
use blinkblox_emulator::network::Way;
use blinkblox_emulator::shared::{RateLimitMode, Settings, Side};
use blinkblox_suites::{On, Place, Runner, fetch};

/// Rounds of each, and frames of a round.
const ROUNDS: usize = 15;
const FRAMES: u64 = 20;

/// Ours: a byte from a client, a snapshot from the server, and what the serialiser is given too.
const SCHEMA: &str = "
option MaxPacketSize = 65536
option MaxEventsPerPacket = 1000
option InboundBytesPerSecond = 10000000
event Tiny { From: Client, Type: Reliable, Call: SingleSync, Data: u8 }
event Snapshot { From: Server, Type: Reliable, Call: SingleSync,
    Data: (Id: u16, At: vector, Yaw: f32, Health: u8, Armor: u8, Team: u8, Alive: boolean) }
export struct Unit { Id: u16, At: vector, Name: string, Alive: boolean, Hp: u8? }
";

/// The serialiser, which no suite needs.
const SERIALISER: &str = "@rbxts/flamework-binary-serializer@0.7.0";

const COUNT: &str = "_G.heard = 0\n";

/// Someone who sends: what runs on the server, and on the client.
struct Sender {
    name: &'static str,
    server: &'static str,
    client: &'static str,
}

/// A byte from the client, a thousand a frame.
const TINY: &[Sender] = &[
    Sender {
        name: "BlinkBlox",
        server: "require(game.ReplicatedStorage.NetServer).Tiny.On(function(_, n) _G.heard += 1 end)",
        client: "local fire = require(game.ReplicatedStorage.NetClient).Tiny.Fire\n\
            game:GetService('RunService').Heartbeat:Connect(function() for n = 1, 1000 do fire(n % 256) end end)",
    },
    Sender {
        name: "RemoteEvent",
        server: "local remote = Instance.new('RemoteEvent') remote.Name = 'Plain' remote.Parent = game.ReplicatedStorage\n\
            remote.OnServerEvent:Connect(function(_, n) if type(n) == 'number' and n >= 0 and n <= 255 then _G.heard += 1 end end)",
        client: "local remote = game.ReplicatedStorage:WaitForChild('Plain')\n\
            game:GetService('RunService').Heartbeat:Connect(function() for n = 1, 1000 do remote:FireServer(n % 256) end end)",
    },
    Sender {
        name: "remo 1.5.3",
        server: "local modules = game.ReplicatedStorage.rbxts_include.node_modules['@rbxts']\n\
            local remo, t = require(modules.remo.src), require(modules.t.lib.ts).t\n\
            local remotes = remo.createRemotes({ tiny = remo.remote(t.number) })\n\
            remotes.tiny:connect(function(_, n) _G.heard += 1 end)",
        client: "local modules = game.ReplicatedStorage.rbxts_include.node_modules['@rbxts']\n\
            local remo, t = require(modules.remo.src), require(modules.t.lib.ts).t\n\
            local remotes = remo.createRemotes({ tiny = remo.remote(t.number) })\n\
            game:GetService('RunService').Heartbeat:Connect(function() for n = 1, 1000 do remotes.tiny:fire(n % 256) end end)",
    },
    Sender {
        name: "net 3.0.10",
        server: "local Net = require(game.ReplicatedStorage.rbxts_include.node_modules['@rbxts'].net.out)\n\
            local Remotes = Net.Definitions.Create({ Tiny = Net.Definitions.ClientToServerEvent({}) })\n\
            Remotes.Server:Get('Tiny'):Connect(function(_, n) _G.heard += 1 end)",
        client: "local Net = require(game.ReplicatedStorage.rbxts_include.node_modules['@rbxts'].net.out)\n\
            local Remotes = Net.Definitions.Create({ Tiny = Net.Definitions.ClientToServerEvent({}) })\n\
            local tiny = Remotes.Client:Get('Tiny')\n\
            game:GetService('RunService').Heartbeat:Connect(function() for n = 1, 1000 do tiny:SendToServer(n % 256) end end)",
    },
];

/// Seven values to everyone, two hundred times a frame.
const SNAPSHOT: &[Sender] = &[
    Sender {
        name: "BlinkBlox",
        server: "local fire = require(game.ReplicatedStorage.NetServer).Snapshot.FireAll\n\
            local at = Vector3.new(1, 2, 3)\n\
            game:GetService('RunService').Heartbeat:Connect(function() for n = 1, 200 do fire(n, at, 0.5, 100, 50, 2, true) end end)",
        client: "require(game.ReplicatedStorage.NetClient).Snapshot.On(function() _G.heard += 1 end)",
    },
    Sender {
        name: "RemoteEvent",
        server: "local remote = Instance.new('RemoteEvent') remote.Name = 'Plain' remote.Parent = game.ReplicatedStorage\n\
            local at = Vector3.new(1, 2, 3)\n\
            game:GetService('RunService').Heartbeat:Connect(function() for n = 1, 200 do remote:FireAllClients(n, at, 0.5, 100, 50, 2, true) end end)",
        client: "game.ReplicatedStorage:WaitForChild('Plain').OnClientEvent:Connect(function() _G.heard += 1 end)",
    },
    Sender {
        name: "remo 1.5.3",
        server: "local modules = game.ReplicatedStorage.rbxts_include.node_modules['@rbxts']\n\
            local remo = require(modules.remo.src)\n\
            local remotes = remo.createRemotes({ snapshot = remo.remote() })\n\
            local at = Vector3.new(1, 2, 3)\n\
            game:GetService('RunService').Heartbeat:Connect(function() for n = 1, 200 do remotes.snapshot:fireAll(n, at, 0.5, 100, 50, 2, true) end end)",
        client: "local modules = game.ReplicatedStorage.rbxts_include.node_modules['@rbxts']\n\
            local remo = require(modules.remo.src)\n\
            local remotes = remo.createRemotes({ snapshot = remo.remote() })\n\
            remotes.snapshot:connect(function() _G.heard += 1 end)",
    },
];

/// Packs and unpacks a struct five thousand times, and gives how long the packed form is.
const OURS: &str = "local Unit = require(game.ReplicatedStorage.NetServer).Unit\n\
    local unit = { Id = 7, At = Vector3.new(1, 2, 3), Name = 'Ranger', Alive = true, Hp = 50 }\n\
    local packed\n\
    for _ = 1, 5000 do packed = Unit.Write(unit) local back = Unit.Read(packed) if back.Hp ~= 50 then error('lost') end end\n\
    return tostring(buffer.len(packed))";
const THEIRS: &str = "local create = require(game.ReplicatedStorage.rbxts_include.node_modules['@rbxts']['flamework-binary-serializer'].out).createBinarySerializer\n\
    local unit = create({ 'object_raw', { { 'id', { 'u16' } }, { 'at', { 'vector' } }, { 'name', { 'string' } }, { 'alive', { 'boolean' } }, { 'hp', { 'optional', { 'u8' } } } } })\n\
    local value = { id = 7, at = Vector3.new(1, 2, 3), name = 'Ranger', alive = true, hp = 50 }\n\
    local packed\n\
    for _ = 1, 5000 do local bytes, blobs = unit.serialize(value) packed = bytes local back = unit.deserialize(bytes, blobs) if back.hp ~= 50 then error('lost') end end\n\
    return tostring(buffer.len(packed))";

/// What this thread ran for.
#[cfg(unix)]
fn now() -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let ran = told.and_then(|text| text.split(' ').next().and_then(|ran| ran.parse().ok()));
    Duration::from_nanos(ran.unwrap_or_default())
}

#[cfg(not(unix))]
fn now() -> Duration {
    static START: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed()
}

/// Our modules as files.
fn modules() -> [PathBuf; 2] {
    let loader = MemoryLoader::new().with("main.blink", SCHEMA);
    let outputs = compile(&loader, "main.blink", Profile::Release).outputs.expect("the schema compiles");
    let folder = fetch::scratch().join("peers");
    std::fs::create_dir_all(&folder).expect("the target folder can be written");
    [("NetServer", outputs.server), ("NetClient", outputs.client)].map(|(name, text)| {
        let path = folder.join(format!("{name}.luau"));
        std::fs::write(&path, text).expect("the target folder can be written");
        path
    })
}

/// The serialiser's package, installed into the target folder.
fn serialiser() -> Option<PathBuf> {
    let place = fetch::scratch().join("peers-npm");
    let folder = place.join("node_modules/@rbxts/flamework-binary-serializer");
    if !folder.is_dir() {
        std::fs::create_dir_all(&place).ok()?;
        let arguments =
            ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock", "--prefix"];
        let status = Command::new("npm").args(arguments).arg(&place).arg(SERIALISER).output().ok()?.status;
        if !status.success() {
            println!("{SERIALISER} could not be installed");
        }
    }
    folder.is_dir().then_some(folder)
}

fn settings() -> Settings {
    Settings { rate_limit_mode: RateLimitMode::Off, ..Settings::default() }
}

fn median(times: &mut [f64]) -> (f64, f64) {
    times.sort_by(f64::total_cmp);
    (times[times.len() / 2], times[0])
}

/// Senders take turns; each round is some frames of a world.
fn race(what: &str, runner: &Runner, senders: &[Sender], each: u64, way: Way, hears: Side) {
    println!("{what}");
    let mut worlds = Vec::new();
    for sender in senders {
        let running = runner.world_with(On::Client, settings());
        for (side, source) in [(Side::Server, sender.server), (running.side, sender.client)] {
            let peer = running.world.peer(side).expect("the side is there");
            let source = format!("{COUNT}{source}");
            let owner = peer.new_owner(None, "bench");
            let function = peer.load(&Arc::from(source.as_str()), "bench", &[]).expect("the source compiles");
            peer.spawn(&function, owner, &[]).expect("there is memory for a thread");
            running.world.step(5).expect("frames run");
        }
        running.world.step(60).expect("frames run");
        let errors = running.world.errors();
        if !errors.is_empty() {
            println!("  {:14} fails: {}", sender.name, running.output());
            continue;
        }
        let index = match running.side {
            Side::Client(index) => index,
            Side::Server => unreachable!("the world has a client"),
        };
        let before = running.world.link_stats(index, way).expect("the client is there").bytes;
        running.world.step(FRAMES).expect("frames run");
        let bytes = running.world.link_stats(index, way).expect("the client is there").bytes - before;
        worlds.push((sender.name, running, bytes as f64 / (FRAMES * each) as f64, Vec::new()));
    }
    for _ in 0..ROUNDS {
        for (_, running, _, times) in &mut worlds {
            let start = now();
            running.world.step(FRAMES).expect("frames run");
            times.push((now() - start).as_nanos() as f64 / (FRAMES * each) as f64);
        }
    }
    for (name, mut running, bytes, mut times) in worlds {
        if hears == Side::Server {
            running.side = Side::Server;
        }
        let heard = running.run("return tostring(_G.heard)", &[], 1.0).unwrap_or_default();
        let (middle, best) = median(&mut times);
        println!("  {name:14} {middle:9.0} {best:9.0} ns  {bytes:7.2} bytes  ({heard} heard)");
    }
}

fn pack(runner: &Runner, with_theirs: bool) {
    println!("a struct packed and unpacked");
    let contestants = [("BlinkBlox", OURS), ("flamework", THEIRS)];
    let mut all: Vec<_> = contestants
        .into_iter()
        .filter(|(name, _)| with_theirs || *name == "BlinkBlox")
        .map(|(name, source)| {
            (name, source, runner.world_with(On::Server, settings()), Vec::new(), String::new())
        })
        .collect();
    for _ in 0..ROUNDS {
        for (name, source, running, times, length) in &mut all {
            let start = now();
            match running.run(source, &[], 60.0) {
                Ok(told) => *length = told,
                Err(problem) => println!("  {name} fails: {problem}"),
            }
            times.push((now() - start).as_nanos() as f64 / 5000.0);
        }
    }
    for (name, _, _, mut times, length) in all {
        let (middle, best) = median(&mut times);
        println!("  {name:14} {middle:9.0} {best:9.0} ns  {length:>7} bytes");
    }
}

fn main() {
    let Some(npm) = fetch::npm() else { return };
    let [server, client] = modules();
    let mut place = Place::new()
        .with("ReplicatedStorage.NetServer", &server)
        .with("ReplicatedStorage.NetClient", &client)
        .with_npm(&npm);
    let theirs = serialiser();
    if let Some(folder) = &theirs {
        let at = "ReplicatedStorage.rbxts_include.node_modules.@rbxts.flamework-binary-serializer";
        place = place.with(at, Path::new(folder));
    }
    let runner = Runner::new(place.load("peers"));
    race("a byte from a client, 1000 a frame", &runner, TINY, 1000, Way::Up, Side::Server);
    race("seven values to everyone, 200 a frame", &runner, SNAPSHOT, 200, Way::Down, Side::Client(0));
    pack(&runner, theirs.is_some());
}
