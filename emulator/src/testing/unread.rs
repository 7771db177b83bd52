//! Packets that arrived and do not fit their schema: what a test that fails is told of, for the receiver drops them.

use super::slot::Slot;
use crate::shared::Side;
use crate::trace::{Target, read_packet};

/// Why the first packet of a world's schemas that was received and does not fit cannot be read, and a line about it that
/// counts the others.
pub fn unread(slot: &Slot) -> Option<(String, String)> {
    let world = &slot.world;
    let core = world.core();
    let trace = core.trace();
    let mut first = None;
    let mut count = 0;
    for packet in trace.packets() {
        let arrived_at = packet.receipts.iter().find_map(|receipt| receipt.arrived_at);
        let schema = slot.built.schemas.iter().find(|schema| schema.carries(&packet.remote));
        let (Some(arrived_at), Some(schema)) = (arrived_at, schema) else { continue };
        let Some(stopped) = read_packet(&schema.wire, packet).and_then(|read| read.stopped) else { continue };
        count += 1;
        first.get_or_insert((packet, arrived_at, stopped));
    }
    let (packet, arrived_at, stopped) = first?;
    let name = |side| if side == Side::Server { "the server".into() } else { world.side_name(side) };
    let to = match packet.to {
        Target::One(side) => name(side),
        Target::Everyone => "everyone".to_owned(),
    };
    let what = stopped.name.as_ref().map_or_else(String::new, |name| format!(" at {name}"));
    let more = if count > 1 { format!(", and {} more", count - 1) } else { String::new() };
    let line = format!(
        "{to} could not read what {} sent on {} and had at {:.3} s{what}: {}{more}",
        name(packet.from),
        packet.remote,
        arrived_at.seconds(),
        stopped.text
    );
    Some((stopped.text, line))
}
