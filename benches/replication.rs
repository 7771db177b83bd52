//! Snapshots of 200 entities to 50 clients: bytes a client a second, and processor time a snapshot.
//!
//! `cargo bench -p blinkblox-tests --bench replication`. The server's module is stepped by hand, so that what is timed is
//! `StepReplication` alone: 50 snapshots, one to each client. `benches/RESULTS.md` keeps what was measured.

#![allow(clippy::unwrap_used, reason = "as in the tests")]

#[path = "../tests/tests/soak/world.rs"]
#[allow(dead_code, reason = "the soak uses the rest")]
mod world;

use std::rc::Rc;

use blinkblox_emulator::clock::Time;
use blinkblox_emulator::network::LinkSettings;
use blinkblox_emulator::peer::Peer;
use blinkblox_emulator::shared::{Side, SignalMode};
use blinkblox_emulator::value::Value;
use blinkblox_emulator::world::JoinOptions;

const SCHEMA: &str = "
option ManualReplication = true
option TrafficStats = true

entity Ship {
    Rate: 20,
    Owner: true,
    Transform: true,
    Data: struct { Hull: u8(0..100), Name: string(1..24), Boost: boolean, Fuel: f32<0.1>(0..100) }
}
";

const ENTITIES: u32 = 200;
const CLIENTS: u32 = 50;
/// Frames before what is measured, and of it.
const WARM: u64 = 120;
const FRAMES: u64 = 300;

const SERVER: &str = r#"
local net = require(game.ServerScriptService.Net)
local ships = {}
_G.random = Random.new(1)
for n = 1, (...) do
    local at = CFrame.new(_G.random:NextNumber(-500, 500), 10, _G.random:NextNumber(-500, 500))
    ships[n] = net.Ship.Spawn({ Hull = 100, Name = "Ship" .. n, Boost = false, Fuel = 50 }, at)
end
local frame = 0
-- So many ships fly, ten fields change a frame.
function _G.play(moving)
    frame += 1
    for n = 1, moving do
        local turn = frame / 60 + n
        ships[n]:SetTransform(CFrame.new(math.cos(turn) * n, 10, math.sin(turn) * n) * CFrame.Angles(0, -turn, 0))
    end
    for _ = 1, 10 do
        local ship = ships[_G.random:NextInteger(1, #ships)]
        ship:Patch({ Hull = _G.random:NextInteger(0, 100), Fuel = _G.random:NextInteger(0, 1000) / 10 })
    end
end
_G.step = net.StepReplication
_G.reset = net.ResetTrafficStats
function _G.bytes()
    return net.GetTrafficStats().Unreliable.SentBytes
end
"#;

const CLIENT: &str = r#"
local net = require(game.ReplicatedStorage.Net)
game:GetService("RunService").Heartbeat:Connect(net.StepReplication)
function _G.count()
    return #net.Ship.All()
end
"#;

/// Processor time of this thread, in seconds.
fn processor() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split_whitespace().next().unwrap().parse::<f64>().unwrap() / 1e9
}

fn number(values: &[Value]) -> f64 {
    values.first().and_then(Value::as_number).unwrap()
}

/// Bytes a client a second, and microseconds of `StepReplication` for each snapshot of each client.
fn measure(moving: u32, loss: f64) -> (f64, f64) {
    let link = LinkSettings {
        delay: Time::from_seconds(0.08),
        jitter: Time::from_seconds(0.02),
        loss,
        ..LinkSettings::default()
    };
    let world = world::world(SCHEMA, 1, SignalMode::Deferred, link);
    let server: Rc<Peer> = world.server().peer.clone();
    world.step(1).unwrap();
    world::ask(&server, SERVER, &[Value::from(f64::from(ENTITIES))]);
    for _ in 0..CLIENTS {
        let index = world.join(JoinOptions::default()).unwrap();
        world::start(&world.peer(Side::Client(index)).unwrap(), CLIENT, &[]);
    }
    let play = format!("_G.play({moving})");
    let (mut spent, mut snapshots) = (0.0, 0u64);
    for frame in 0..WARM + FRAMES {
        if frame == WARM {
            world::ask(&server, "_G.reset()", &[]);
        }
        world::ask(&server, &play, &[]);
        let before = processor();
        world::ask(&server, "_G.step()", &[]);
        let took = processor() - before;
        // Every third frame is due.
        if frame >= WARM {
            spent += took;
            snapshots += u64::from(frame % 3 == 0);
        }
        world.step(1).unwrap();
    }
    let known = number(&world::ask(&world.peer(Side::Client(1)).unwrap(), "return _G.count()", &[]));
    let logs = [Side::Server, Side::Client(1)].map(|side| world.log(side).unwrap());
    assert!((known - f64::from(ENTITIES)).abs() < f64::EPSILON, "a client knows {known} ships: {logs:?}");
    let seconds = FRAMES as f64 / 60.0;
    let bytes = number(&world::ask(&server, "return _G.bytes()", &[]));
    let each = bytes / f64::from(CLIENTS) / seconds;
    (each, spent / snapshots as f64 / f64::from(CLIENTS) * 1e6)
}

fn main() {
    println!(
        "{ENTITIES} entities, {CLIENTS} clients, 20 snapshots a second, 80 ms and 20 ms of jitter each way"
    );
    for moving in [50, ENTITIES] {
        for loss in [0.0, 0.02, 0.1] {
            let (bytes, micros) = measure(moving, loss);
            println!(
                "{moving:>3} move, {:>2.0} % loss: {bytes:>6.0} bytes a client a second, {micros:>6.1} us a snapshot",
                loss * 100.0
            );
        }
    }
}
