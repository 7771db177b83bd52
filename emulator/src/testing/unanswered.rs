//! Calls that arrived and got no answer: what a test that fails is told of, for the error of the caller does not say it.

use blinkblox_compiler::wire::codec::packet::ItemKind;

use super::slot::Slot;
use crate::clock::Time;
use crate::shared::Side;
use crate::trace::{Target, read_packet};

/// Virtual seconds after which a call is worth a word; what is younger may still be answered.
const PATIENCE: f64 = 1.0;

/// A call of a function of the schema.
struct Call {
    name: String,
    caller: Side,
    asked: Side,
    id: u8,
    arrived_at: Time,
    /// Why a packet that went back since could not be read, if one did: the answer may be what it held.
    spoilt: Option<String>,
}

/// A sentence for each function and side that has been called and has not answered.
pub fn unanswered(slot: &Slot) -> Vec<String> {
    let world = &slot.world;
    let open = open_calls(slot);
    let late = world.now().seconds() - PATIENCE;
    let mut told: Vec<(&str, Side)> = Vec::new();
    let mut out = Vec::new();
    for call in open.iter().filter(|call| call.arrived_at.seconds() <= late) {
        let Call { name, asked, arrived_at, spoilt, .. } = call;
        if told.contains(&(name, *asked)) {
            continue;
        }
        told.push((name, *asked));
        let side = if asked.is_server() { "the server".to_owned() } else { world.side_name(*asked) };
        if let Some(why) = spoilt {
            out.push(format!(
                "{side} answered Net.{name}, but a packet that went back cannot be read: {why}. What the listener \
                 returned is not what the schema's Return allows, and the caller never had it"
            ));
            continue;
        }
        out.push(format!(
            "nobody answers Net.{name} on {side}: a call that came at {:.3} s still has no answer, so no listener was \
             given to Net.{name}.On there, or the listener has not returned",
            arrived_at.seconds()
        ));
    }
    out
}

/// The calls that arrived and were not answered, oldest first.
fn open_calls(slot: &Slot) -> Vec<Call> {
    let mut open: Vec<Call> = Vec::new();
    let core = slot.world.core();
    for packet in core.trace().packets() {
        let Some(wire) = slot.built.wire_of(&packet.remote) else { continue };
        let Target::One(to) = packet.to else { continue };
        let Some(read) = read_packet(wire, packet) else { continue };
        if let Some(stopped) = &read.stopped {
            let names = |call: &Call| stopped.name.as_ref().is_none_or(|name| *name == call.name);
            let waits = |call: &&mut Call| call.caller == to && call.asked == packet.from && names(call);
            open.iter_mut().filter(waits).for_each(|call| call.spoilt = Some(stopped.text.clone()));
        }
        let arrived_at = packet.receipts.first().and_then(|receipt| receipt.arrived_at);
        for item in read.items {
            match item.kind {
                ItemKind::Call { id } => open.extend(arrived_at.map(|arrived_at| Call {
                    name: item.name,
                    caller: packet.from,
                    asked: to,
                    id,
                    arrived_at,
                    spoilt: None,
                })),
                ItemKind::Answer { id, .. } => {
                    let is_it = |call: &Call| call.id == id && call.caller == to && call.asked == packet.from;
                    if let Some(place) = open.iter().rposition(is_it) {
                        open.remove(place);
                    }
                }
                ItemKind::Event
                | ItemKind::Ordered { .. }
                | ItemKind::Numbered { .. }
                | ItemKind::Sequenced { .. }
                | ItemKind::Received { .. }
                | ItemKind::Rows { .. }
                | ItemKind::Session
                | ItemKind::Entity { .. } => {}
            }
        }
    }
    open
}
