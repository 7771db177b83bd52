//! A world of a schema's modules, driven from Rust: a soak of half an hour would drown a director in tables.

use std::sync::Arc;

use blinkblox_emulator::network::LinkSettings;
use blinkblox_emulator::peer::Peer;
use blinkblox_emulator::project::mount;
use blinkblox_emulator::shared::{RateLimitMode, Seed, Settings, SignalMode};
use blinkblox_emulator::testing::fixture::{Fixture, SchemaSource};
use blinkblox_emulator::value::Value;
use blinkblox_emulator::world::{World, WorldOptions};

/// A world whose server has the modules of `schema`, with `link` for each client.
pub fn world(schema: &str, seed: u64, signals: SignalMode, link: LinkSettings) -> World {
    let source = SchemaSource::Text(schema.to_owned());
    let fixture =
        Fixture { server_schemas: vec![source.clone()], client_schemas: vec![source], ..Fixture::default() };
    let built = fixture.build().unwrap();
    let settings = Settings { signals, rate_limit_mode: RateLimitMode::Off, ..Settings::default() };
    World::new(WorldOptions {
        seed: Seed(seed),
        settings,
        tree: Some(mount::store(&built.tree, true).unwrap()),
        link,
        ..WorldOptions::default()
    })
    .unwrap()
}

/// Runs a script of a side.
pub fn start(peer: &std::rc::Rc<Peer>, source: &str, arguments: &[Value]) {
    let owner = peer.new_owner(None, "soak");
    let function = peer.load(&Arc::from(source), "soak", &[]).unwrap();
    peer.spawn(&function, owner, arguments).unwrap();
}

/// What code of a side returns, which must not wait.
pub fn ask(peer: &Peer, source: &str, arguments: &[Value]) -> Vec<Value> {
    let function = peer.load(&Arc::from(source), "question", &[]).unwrap();
    peer.vm.call(&function, arguments).unwrap_or_else(|failure| panic!("{source}: {}", failure.report()))
}

/// The numbers of a table.
pub fn numbers(value: &Value) -> Vec<u64> {
    match value {
        Value::Table(table) => {
            table.array.iter().filter_map(Value::as_number).map(|number| number as u64).collect()
        }
        _ => Vec::new(),
    }
}

/// Memory of a side's VM after a collection, in bytes.
pub fn memory(peer: &Peer) -> usize {
    peer.vm.collect();
    peer.vm.memory()
}
