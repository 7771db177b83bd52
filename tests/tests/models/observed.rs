//! What left a side of a world, taken apart by the codec in Rust.

use blinkblox_compiler::analyze;
use blinkblox_compiler::schema::{Channel, Profile, Side as From};
use blinkblox_compiler::source::MemoryLoader;
use blinkblox_compiler::wire::Wire;
use blinkblox_compiler::wire::codec::packet::{PacketItem, decode_packet};
use blinkblox_compiler::wire::codec::{Decoding, Value};
use blinkblox_emulator::shared::Side;
use blinkblox_emulator::trace::{PacketClass, Target};
use blinkblox_emulator::value::Value as Luau;
use blinkblox_emulator::world::World;

/// A packet, with what it held.
#[derive(Debug)]
pub struct Seen {
    pub from: Side,
    pub to: Target,
    pub reliable: bool,
    pub bytes: usize,
    pub items: Vec<PacketItem>,
}

/// Reads what the trace of a world says, from where it last stopped.
pub struct Observer {
    wire: Wire,
    read: usize,
}

impl Observer {
    pub fn of(schema: &str) -> Observer {
        let loader = MemoryLoader::new().with("main.blink", schema);
        let analysis = analyze(&loader, "main.blink", Profile::Release);
        Observer { wire: Wire::of(&analysis.schema.unwrap()), read: 0 }
    }

    /// Every packet since the last time. Panics at one that does not read to its end.
    pub fn take(&mut self, world: &World) -> Vec<Seen> {
        let trace = world.trace();
        let new = &trace.packets()[self.read..];
        self.read += new.len();
        new.iter()
            .map(|packet| {
                let [Luau::Buffer(bytes), ..] = &packet.args[..] else { panic!("{:?}", packet.args) };
                let slots = match packet.args.get(1) {
                    Some(Luau::Table(table)) => table.array.len(),
                    _ => 0,
                };
                let held = vec![Value::Instance { id: 1, class: "Instance".to_owned() }; slots];
                let reliable = packet.class == PacketClass::RemoteEvent;
                let channel = if reliable { Channel::Reliable } else { Channel::Unreliable };
                let from = if packet.from == Side::Server { From::Server } else { From::Client };
                let read = decode_packet(&self.wire, channel, from, bytes, &held, Decoding::default());
                assert_eq!(read.stopped, None, "{bytes:?}");
                assert_eq!(read.slots_left, 0, "instances nobody takes");
                Seen { from: packet.from, to: packet.to, reliable, bytes: bytes.len(), items: read.items }
            })
            .collect()
    }
}
