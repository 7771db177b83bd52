//! A client that sends nothing but hostile packets, for minutes, while others come and go: memory stays where it is.

use blinkblox_compiler::schema::Profile;
use blinkblox_compiler::source::MemoryLoader;
use blinkblox_compiler::wire::Wire;
use blinkblox_emulator::clock::Time;
use blinkblox_emulator::network::LinkSettings;
use blinkblox_emulator::shared::{Side, SignalMode};
use blinkblox_emulator::value::{Table, Value};
use blinkblox_emulator::world::{Injection, JoinOptions, LeaveHow, Receiver, World};
use blinkblox_tests::packets::{Packet, heard, hostile};
use blinkblox_tests::schemas::Random;

use crate::world::{memory, start, world};

/// Frames a second of every side: fewer frames than usual, each with as many packets.
const FPS: f64 = 20.0;

/// What came of a flood.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Hostile packets that were sent.
    pub packets: usize,
    /// Memory of the server's VM after each minute, in bytes, collected.
    pub minutes: Vec<usize>,
}

/// Floods a server for so many virtual minutes, `each` packets a frame.
pub fn flood(minutes: u32, each: usize) -> Outcome {
    let schema = include_str!("flood.blink");
    let loader = MemoryLoader::new().with("main.blink", schema);
    let analysis = blinkblox_compiler::analyze(&loader, "main.blink", Profile::Release);
    let wire = Wire::of(&analysis.schema.unwrap());
    let all = heard(&wire);
    let mut random = Random(77);

    let world = world(schema, 7, SignalMode::Deferred, LinkSettings::default());
    world.set_fps(Side::Server, FPS).unwrap();
    let server = world.server().peer.clone();
    start(&server, include_str!("flood.luau"), &[]);
    let attacker = join(&world);
    let mut outcome = Outcome { packets: 0, minutes: Vec::new() };
    for minute in 0..minutes {
        for round in 0..11 {
            let guest = join(&world);
            for _ in 0..(5.0 * FPS) as u32 {
                for _ in 0..each {
                    send(&world, attacker, &hostile(&all, &mut random));
                }
                send(&world, guest, &hostile(&all, &mut random));
                outcome.packets += each + 1;
                world.advance(Time::from_seconds(1.0 / FPS)).unwrap();
            }
            let how = if (minute + round) % 2 == 0 { LeaveHow::Quit } else { LeaveHow::Kick(String::new()) };
            world.leave(guest, how).unwrap();
        }
        // What waits for a timer or a listener is over then.
        world.advance(Time::from_seconds(5.0)).unwrap();
        outcome.minutes.push(memory(&server));
    }
    let errors = world.errors();
    assert!(errors.is_empty(), "{:?}", errors.first());
    outcome
}

/// Joins a client that listens to its remotes and does nothing else.
fn join(world: &World) -> u32 {
    let index = world.join(JoinOptions { fps: Some(FPS), ..JoinOptions::default() }).unwrap();
    let deaf = "for _, remote in game.ReplicatedStorage:GetChildren() do\n\
                if remote:IsA('BaseRemoteEvent') then remote.OnClientEvent:Connect(function() end) end\n\
                end";
    start(&world.peer(Side::Client(index)).unwrap(), deaf, &[]);
    index
}

fn send(world: &World, from: u32, packet: &Packet) {
    let name = if packet.reliable { "BLINK_RELIABLE_REMOTE" } else { "BLINK_UNRELIABLE_REMOTE" };
    let remote = world.find(Side::Server, &format!("ReplicatedStorage.{name}")).unwrap().unwrap();
    let mut slots = Table::default();
    for (index, slot) in packet.slots.iter().enumerate() {
        let value = match *slot {
            "-" => continue,
            "1" => Value::Number(1.0),
            _ => Value::Instance(remote),
        };
        slots.pairs.push((Value::Number(index as f64 + 1.0), value));
    }
    let args = vec![Value::Buffer(packet.bytes.as_slice().into()), Value::Table(slots.into())];
    let injection = Injection { from: Side::Client(from), to: Receiver::Everyone, remote, args };
    world.inject(injection).unwrap();
}
