//! What scripts see of instances, as Luau run in a real peer: each case is a chunk and the log it leaves.

mod actors;
mod properties;
mod replication;
mod scripts;
mod services;
mod surface;
mod tree;

use std::rc::Rc;
use std::sync::Arc;

use super::{DataModel, install};
use crate::clock::{PeerClock, Time};
use crate::peer::{NoScripts, Peer, PeerOptions, Shared};
use crate::scheduler;
use crate::shared::{Seed, Settings, Side, SignalMode};
use crate::vm::BytecodeCache;

/// A peer with an empty tree.
fn peer(side: Side, signals: SignalMode) -> Rc<Peer> {
    let settings = Settings { signals, ..Settings::default() };
    let shared = Shared::new(settings, Seed(7), Arc::new(BytecodeCache::default()));
    let clock = PeerClock::new(Time::ZERO, Time::ZERO, 0.0);
    let model = Rc::new(DataModel::new(side.is_server()));
    let options = PeerOptions { side, shared, clock, tree: Rc::new(NoScripts) };
    Peer::new(options, |peer| {
        crate::datatypes::install(&peer.vm)?;
        install(peer, model)
    })
    .unwrap()
}

/// Runs frames until nothing waits, for ten seconds at most.
fn run_frames(peer: &Rc<Peer>) {
    scheduler::drain(peer);
    for frame in 1..600 {
        if peer.scheduler.pending() == (0, 0) {
            return;
        }
        peer.clock.begin_frame(Time::of_frame(frame, 60.0));
        scheduler::resume_legacy(peer);
        scheduler::drain(peer);
        scheduler::resume_waits(peer);
        scheduler::drain(peer);
    }
}

/// Runs a chunk and everything it starts.
fn run(peer: &Rc<Peer>, source: &str) {
    let owner = peer.new_owner(None, "Chunk");
    let chunk = peer.load(&source.into(), "Chunk", &[]).unwrap();
    peer.spawn(&chunk, owner, &[]).unwrap();
    run_frames(peer);
}

/// The log's texts, one a line.
fn log(peer: &Rc<Peer>) -> String {
    peer.log.lines().into_iter().map(|line| line.text).collect::<Vec<_>>().join("\n")
}

/// The same text without the indentation of the test's source.
fn unindented(text: &str) -> String {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn check(side: Side, signals: SignalMode, source: &str, expected: &str) {
    let peer = peer(side, signals);
    run(&peer, source);
    similar_asserts(&unindented(expected), &log(&peer), signals);
}

#[track_caller]
fn similar_asserts(expected: &str, got: &str, signals: SignalMode) {
    assert!(expected == got, "{signals:?} signals\n--- expected\n{expected}\n--- got\n{got}");
}

/// The chunk's log on the server under immediate signals.
#[track_caller]
fn immediate(source: &str, expected: &str) {
    check(Side::Server, SignalMode::Immediate, source, expected);
}

/// The chunk's log on the server under deferred signals.
#[track_caller]
fn deferred(source: &str, expected: &str) {
    check(Side::Server, SignalMode::Deferred, source, expected);
}

/// The chunk's log in both signal modes.
#[track_caller]
fn both(source: &str, expected: &str) {
    immediate(source, expected);
    deferred(source, expected);
}
