//! Whole worlds: scripts in real VMs on both sides of links, in both signal modes.

mod chaos;
mod clocks;
mod frames;
mod functions;
mod http;
mod joining;
mod remotes;
mod replication;
mod traffic;

use std::sync::Arc;

use super::*;
use crate::datamodel::DataModel;
use crate::datamodel::classes::known_class;
use crate::datamodel::store::{GAME, single_id};
use crate::shared::{LogLevel, SignalMode};
use crate::value::Value;

pub(super) const MODES: [SignalMode; 2] = [SignalMode::Immediate, SignalMode::Deferred];

/// A script of a fixture: service, class, name, source.
pub(super) type Script<'a> = (&'a str, &'a str, &'a str, &'a str);

/// The service or other single instance of that class in a store, made if need be.
fn container(store: &mut Store, class: &str) -> InstanceId {
    let class = known_class(class);
    let parent = match class.name() {
        "StarterPlayerScripts" | "StarterCharacterScripts" => container(store, "StarterPlayer"),
        _ => GAME,
    };
    crate::datamodel::tree::make_single(store, class, parent)
}

/// Adds an instance to a tree.
pub(super) fn add(store: &mut Store, parent: InstanceId, class: &str, name: &str) -> InstanceId {
    let id = store.create(known_class(class));
    store.get_mut(id).unwrap().name = name.into();
    store.set_parent(id, Some(parent));
    id
}

/// A tree with a remote of each class in ReplicatedStorage (`Event`, `Loose`, `Function`) and these scripts.
pub(super) fn tree(scripts: &[Script<'_>]) -> Store {
    let model = DataModel::new(true);
    let mut store = model.store().clone();
    let storage = single_id(known_class("ReplicatedStorage"));
    for (class, name) in
        [("RemoteEvent", "Event"), ("UnreliableRemoteEvent", "Loose"), ("RemoteFunction", "Function")]
    {
        add(&mut store, storage, class, name);
    }
    for (place, class, name, source) in scripts {
        let parent = container(&mut store, place);
        let id = add(&mut store, parent, class, name);
        let property = known_class(class).property("Source").unwrap();
        store.set_property(id, property, Value::string(source));
    }
    store
}

pub(super) fn options(mode: SignalMode, scripts: &[Script<'_>]) -> WorldOptions {
    let settings = Settings { signals: mode, ..Settings::default() };
    WorldOptions { settings, tree: Some(tree(scripts)), ..WorldOptions::default() }
}

/// A world with these scripts and `clients` clients, all loaded.
pub(super) fn world(mode: SignalMode, scripts: &[Script<'_>], clients: u32) -> World {
    with_clients(options(mode, scripts), clients)
}

pub(super) fn with_clients(options: WorldOptions, clients: u32) -> World {
    let world = World::new(options).unwrap();
    world.start();
    for _ in 0..clients {
        world.join(JoinOptions::default()).unwrap();
    }
    world
}

pub(super) const A: Side = Side::Client(0);
pub(super) const B: Side = Side::Client(1);

/// Runs a chunk on a side to its first wait, between frames.
pub(super) fn run(world: &World, side: Side, source: &str) {
    let peer = world.peer(side).unwrap();
    let source: Arc<str> = source.into();
    peer.clock.begin_frame(world.now());
    let function = peer.load(&source, "Chunk", &[]).unwrap_or_else(|failure| panic!("{}", failure.text));
    let owner = peer.new_owner(None, "Chunk");
    peer.spawn(&function, owner, &[]).unwrap();
    crate::scheduler::drain(&peer);
}

/// What a side has printed so far.
pub(super) fn output(world: &World, side: Side) -> Vec<String> {
    let lines = world.log(side).unwrap();
    lines.into_iter().filter(|line| line.level == LogLevel::Output).map(|line| line.text).collect()
}

/// Everything but `print` of a side so far.
pub(super) fn complaints(world: &World, side: Side) -> Vec<String> {
    let lines = world.log(side).unwrap();
    lines.into_iter().filter(|line| line.level != LogLevel::Output).map(|line| line.text).collect()
}

/// Codes of the diagnostics so far.
pub(super) fn codes(world: &World) -> Vec<&'static str> {
    world.diagnostics().iter().map(|diagnostic| diagnostic.code.name()).collect()
}

/// Same link both ways.
pub(super) fn link(world: &World, client: u32, change: impl Fn(&mut LinkSettings)) {
    let mut settings = LinkSettings::default();
    change(&mut settings);
    world.set_link(client, None, &settings).unwrap();
}

pub(super) fn ms(millis: i64) -> Time {
    Time::from_millis(millis)
}
