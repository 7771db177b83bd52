//! What others' packages cost beside ours, in the emulator: remotes as they are, libraries of remotes, a serialiser.
//!
//! `cargo bench -p blinkblox-suites --bench peers`. Packages are installed when it runs, from npm, at exact versions;
//! nothing of theirs is kept here. Everyone has a world of their own in one process and they take turns; times are what
//! this thread ran for, in nanoseconds an event, the middle of all rounds and the best. Bytes are those of the link,
//! as the emulator counts a message of the engine's own format. `--record FILE` behind `--` writes the figures as lines with
//! tabs, as `benches/figures/peers.tsv` has them, which the book's page on peers shows. `benches/RESULTS.md` keeps what was
//! measured.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use blinkblox_compiler::compile;
use blinkblox_compiler::diagnostics::compact;
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
struct Entity { A: u8, B: u8, C: u8, D: u8, E: u8, F: u8 }
export struct Entities { All: Entity[..1000] }
export type Flags = boolean[..1000]
";

/// The serialiser, which no suite needs.
const SERIALISER: &str = "@rbxts/flamework-binary-serializer@0.7.0";

const COUNT: &str = "_G.heard = 0\n";

/// Loads a module as code compiled by roblox-ts does: it finds the runtime library under its own name.
const LOAD: &str = "local include = game.ReplicatedStorage:WaitForChild('rbxts_include')\n\
    local TS = require(include:WaitForChild('RuntimeLib'))\n\
    local function load(path) local at = include:WaitForChild('node_modules')\n\
    for _, name in string.split(path, '/') do at = at:WaitForChild(name) end return TS.import('driver', at) end\n";

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
        server: "local lib = load('@rbxts/net/out') local Net = lib.default or lib\n\
            local remotes = Net.CreateDefinitions({ Tiny = Net.Definitions.ClientToServerEvent() })\n\
            remotes.Server:Get('Tiny'):Connect(function(_, n) _G.heard += 1 end)",
        client: "local lib = load('@rbxts/net/out') local Net = lib.default or lib\n\
            local remotes = Net.CreateDefinitions({ Tiny = Net.Definitions.ClientToServerEvent() })\n\
            local tiny = remotes.Client:Get('Tiny')\n\
            game:GetService('RunService').Heartbeat:Connect(function() for n = 1, 1000 do tiny:SendToServer(n % 256) end end)",
    },
];

/// Seven values to everyone, two hundred times a frame, from when the client listens: a remote keeps few that nobody does.
const SNAPSHOT: &[Sender] = &[
    Sender {
        name: "BlinkBlox",
        server: "local fire = require(game.ReplicatedStorage.NetServer).Snapshot.FireAll\n\
            local at = Vector3.new(1, 2, 3)\n\
            task.wait(0.3) game:GetService('RunService').Heartbeat:Connect(function() for n = 1, 200 do fire(n, at, 0.5, 100, 50, 2, true) end end)",
        client: "require(game.ReplicatedStorage.NetClient).Snapshot.On(function() _G.heard += 1 end)",
    },
    Sender {
        name: "RemoteEvent",
        server: "local remote = Instance.new('RemoteEvent') remote.Name = 'Plain' remote.Parent = game.ReplicatedStorage\n\
            local at = Vector3.new(1, 2, 3)\n\
            task.wait(0.3) game:GetService('RunService').Heartbeat:Connect(function() for n = 1, 200 do remote:FireAllClients(n, at, 0.5, 100, 50, 2, true) end end)",
        client: "game.ReplicatedStorage:WaitForChild('Plain').OnClientEvent:Connect(function() _G.heard += 1 end)",
    },
    Sender {
        name: "remo 1.5.3",
        server: "local modules = game.ReplicatedStorage.rbxts_include.node_modules['@rbxts']\n\
            local remo = require(modules.remo.src)\n\
            local remotes = remo.createRemotes({ snapshot = remo.remote() })\n\
            local at = Vector3.new(1, 2, 3)\n\
            task.wait(0.3) game:GetService('RunService').Heartbeat:Connect(function() for n = 1, 200 do remotes.snapshot:fireAll(n, at, 0.5, 100, 50, 2, true) end end)",
        client: "local modules = game.ReplicatedStorage.rbxts_include.node_modules['@rbxts']\n\
            local remo = require(modules.remo.src)\n\
            local remotes = remo.createRemotes({ snapshot = remo.remote() })\n\
            remotes.snapshot:connect(function() _G.heard += 1 end)",
    },
    Sender {
        name: "net 3.0.10",
        server: "local lib = load('@rbxts/net/out') local Net = lib.default or lib\n\
            local remotes = Net.CreateDefinitions({ Snapshot = Net.Definitions.ServerToClientEvent() })\n\
            local snapshot = remotes.Server:Get('Snapshot')\n\
            local at = Vector3.new(1, 2, 3)\n\
            task.wait(0.3) game:GetService('RunService').Heartbeat:Connect(function() for n = 1, 200 do snapshot:SendToAllPlayers(n, at, 0.5, 100, 50, 2, true) end end)",
        client: "local lib = load('@rbxts/net/out') local Net = lib.default or lib\n\
            local remotes = Net.CreateDefinitions({ Snapshot = Net.Definitions.ServerToClientEvent() })\n\
            remotes.Client:Get('Snapshot'):Connect(function() _G.heard += 1 end)",
    },
];

/// A value packed and unpacked: how often, ours, and the serialiser's. Each gives how long the packed form is.
struct Pack {
    what: &'static str,
    times: u32,
    /// The value, and `pack` and `unpack`: of ours, then theirs. What is unpacked is `back`, and must be `sound`.
    sides: [[&'static str; 2]; 2],
}

const THEIRS: &str = "local create = load('@rbxts/flamework-binary-serializer/out').createBinarySerializer\n";
const OURS: &str = "local Net = require(game.ReplicatedStorage.NetServer)\n";

const PACKS: &[Pack] = &[
    Pack {
        what: "a struct packed and unpacked",
        times: 5000,
        sides: [
            [
                "local codec = Net.Unit local value = { Id = 7, At = Vector3.new(1, 2, 3), Name = 'Ranger', Alive = true, Hp = 50 }",
                "back.Hp == 50 and back.At.Z == 3 and back.Name == 'Ranger'",
            ],
            [
                "local codec = create({ 'object_raw', { { 'id', { 'u16' } }, { 'at', { 'vector' } }, { 'name', { 'string' } }, { 'alive', { 'boolean' } }, { 'hp', { 'optional', { 'u8' } } } } })\n\
                 local value = { id = 7, at = Vector3.new(1, 2, 3), name = 'Ranger', alive = true, hp = 50 }",
                "back.hp == 50 and back.at.Z == 3 and back.name == 'Ranger'",
            ],
        ],
    },
    Pack {
        what: "100 structs of six u8",
        times: 200,
        sides: [
            [
                "local codec, value = Net.Entities, { All = {} } for n = 1, 100 do value.All[n] = { A = n, B = n, C = n, D = n, E = n, F = n } end",
                "#back.All == 100 and back.All[100].F == 100",
            ],
            [
                "local codec = create({ 'array', { 'object_raw', { { 'a', { 'u8' } }, { 'b', { 'u8' } }, { 'c', { 'u8' } }, { 'd', { 'u8' } }, { 'e', { 'u8' } }, { 'f', { 'u8' } } } } })\n\
                 local value = {} for n = 1, 100 do value[n] = { a = n, b = n, c = n, d = n, e = n, f = n } end",
                "#back == 100 and back[100].f == 100",
            ],
        ],
    },
    Pack {
        what: "1000 booleans",
        times: 100,
        sides: [
            [
                "local codec, value = Net.Flags, {} for n = 1, 1000 do value[n] = n % 3 == 0 end",
                "#back == 1000 and back[999] and not back[1000]",
            ],
            [
                "local codec, value = create({ 'array', { 'boolean' } }), {} for n = 1, 1000 do value[n] = n % 3 == 0 end",
                "#back == 1000 and back[999] and not back[1000]",
            ],
        ],
    },
];

impl Pack {
    /// The chunk of ours, or of theirs.
    fn chunk(&self, theirs: bool) -> String {
        let [value, sound] = self.sides[usize::from(theirs)];
        let (opening, turn) = if theirs {
            let turn = "local made = codec.serialize(value) packed = made.buffer\n\
                local back = codec.deserialize(made.buffer, made.blobs)";
            (format!("{LOAD}{THEIRS}"), turn)
        } else {
            (OURS.to_owned(), "packed = codec.Write(value) local back = codec.Read(packed)")
        };
        let times = self.times;
        format!(
            "{opening}{value}\nlocal packed\nfor _ = 1, {times} do {turn}\n\
             if not ({sound}) then error('lost') end end\nreturn tostring(buffer.len(packed))"
        )
    }
}

/// Processor time of this thread, so that others' work does not count.
#[cfg(unix)]
fn now() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the clock is one the system has, and it writes to a value of ours.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

#[cfg(not(unix))]
fn now() -> Duration {
    static START: std::sync::LazyLock<std::time::Instant> = std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed()
}

/// Our modules as files.
fn modules() -> [PathBuf; 2] {
    let loader = MemoryLoader::new().with("main.blink", SCHEMA);
    let compiled = compile(&loader, "main.blink", Profile::Release);
    let drawn = compact::render(&compiled.analysis.diagnostics, &compiled.analysis.sources);
    let outputs = compiled.outputs.unwrap_or_else(|| panic!("the schema does not compile:\n{drawn}"));
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

/// What came of a contest: as lines to record.
type Recorded = String;

/// Heads of what is recorded.
const HEADS: &str = "what\twho\tns\tbest ns\tbytes\n";

/// Prints what someone took, and records it.
fn tell(recorded: &mut Recorded, what: &str, who: &str, (middle, best): (f64, f64), bytes: f64) {
    println!("  {who:14} {middle:9.0} {best:9.0} ns  {bytes:8.2} bytes");
    recorded.push_str(&format!("{what}\t{who}\t{middle:.0}\t{best:.0}\t{bytes:.2}\n"));
}

/// Senders take turns; each round is some frames of a world.
fn race(
    recorded: &mut Recorded,
    what: &str,
    runner: &Runner,
    senders: &[Sender],
    each: u64,
    way: Way,
    hears: Side,
) {
    println!("{what}");
    let mut worlds = Vec::new();
    for sender in senders {
        let running = runner.world_with(On::Client, settings());
        for (side, source) in [(Side::Server, sender.server), (running.side, sender.client)] {
            let peer = running.world.peer(side).expect("the side is there");
            let source = format!("{COUNT}{}{source}", if source.contains("load(") { LOAD } else { "" });
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
        // Fewer would mean that somebody is quick because it loses some.
        let fired = FRAMES * each * ROUNDS as u64;
        let is_heard = heard.parse::<f64>().is_ok_and(|heard| heard >= fired as f64);
        assert!(is_heard, "{name}: {heard} of more than {fired} were heard");
        tell(recorded, what, name, median(&mut times), bytes);
    }
}

fn pack(recorded: &mut Recorded, runner: &Runner, with_theirs: bool, what: &Pack) {
    println!("{}", what.what);
    let contestants = [("BlinkBlox", false), ("flamework 0.7.0", true)];
    let mut all: Vec<_> = contestants
        .into_iter()
        .filter(|(_, theirs)| with_theirs || !theirs)
        .map(|(name, theirs)| {
            let world = runner.world_with(On::Server, settings());
            (name, what.chunk(theirs), world, Vec::new(), String::new())
        })
        .collect();
    for _ in 0..ROUNDS {
        for (name, source, running, times, length) in &mut all {
            let start = now();
            match running.run(source, &[], 60.0) {
                Ok(told) => *length = told,
                Err(problem) => panic!("{}: {name} fails: {problem}", what.what),
            }
            times.push((now() - start).as_nanos() as f64 / f64::from(what.times));
        }
    }
    for (name, _, _, mut times, length) in all {
        if let Ok(bytes) = length.parse() {
            tell(recorded, what.what, name, median(&mut times), bytes);
        }
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
    let mut recorded = HEADS.to_owned();
    race(&mut recorded, "a byte from a client, 1000 a frame", &runner, TINY, 1000, Way::Up, Side::Server);
    race(
        &mut recorded,
        "seven values to everyone, 200 a frame",
        &runner,
        SNAPSHOT,
        200,
        Way::Down,
        Side::Client(0),
    );
    for what in PACKS {
        pack(&mut recorded, &runner, theirs.is_some(), what);
    }
    let arguments: Vec<String> = std::env::args().collect();
    let at = arguments.iter().position(|argument| argument == "--record");
    if let Some(file) = at.and_then(|at| arguments.get(at + 1)) {
        std::fs::write(file, recorded).unwrap_or_else(|error| panic!("{file}: {error}"));
    }
}
