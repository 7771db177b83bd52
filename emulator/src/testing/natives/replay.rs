//! Natives that take a world back to where it was.

use super::world::slot;
use crate::clock::Time;
use crate::testing::director::Director;
use crate::value::Value;
use crate::vm::{Cx, NativeFn, Outcome, Returns};

/// Names as the Luau half calls them.
pub const NATIVES: &[(&str, NativeFn)] =
    &[("snapshot", snapshot), ("restore", restore), ("replayTo", replay_to), ("sides", sides)];

/// A number for `restore`.
fn snapshot(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let slot = slot(cx, &director)?;
    let number = slot.keep(director.snapshot(&slot)?);
    cx.push_number(number as f64);
    Ok(Returns::ONE)
}

fn restore(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let slot = slot(cx, &director)?;
    let number = cx.number(2)? as usize;
    let snapshot = slot.kept(number).ok_or(
        "this snapshot was taken after the moment that the world was taken back to since, and is gone",
    )?;
    director.restore(&slot, snapshot)?;
    director.worlds.get(slot.number)?.forget_snapshots(|taken, _| taken <= number);
    Ok(Returns::NONE)
}

fn replay_to(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let slot = slot(cx, &director)?;
    director.replay_to(&slot, Time::from_seconds(cx.number(2)?))?;
    Ok(Returns::NONE)
}

/// Numbers of the clients in the game, in order of joining.
fn sides(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let clients = slot(cx, &director)?.world.clients();
    cx.push(&Value::array(clients.iter().map(|client| Value::Number(super::world::number_of(client.side)))));
    Ok(Returns::ONE)
}
