//! Natives that have the test told of what happens: `w:on`.

use std::rc::Rc;

use super::packets::describe;
use super::sides::SharedSlot;
use super::world::{number_of, slot};
use crate::shared::Side;
use crate::testing::director::Director;
use crate::value::Value;
use crate::vm::{Cx, NativeFn, Outcome, Raise, Returns};
use crate::world::Notice;

/// Names as the Luau half calls them.
pub const NATIVES: &[(&str, NativeFn)] = &[("on", on), ("off", off), ("problems", problems)];

fn on(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let slot = slot(cx, &director)?;
    let (name, body) = (cx.text(2)?, cx.function(3)?);
    let (weak, held, what) = (Rc::downgrade(&director), Rc::downgrade(&slot), name.clone());
    let hook = move |notice: &Notice| {
        let (Some(director), Some(slot)) = (weak.upgrade(), held.upgrade()) else { return };
        let told = shown(notice, &slot, &director)
            .map_err(|_| "it cannot be shown".to_string())
            .and_then(|told| director.ask(slot.number, &body, &[told]).map_err(|failure| failure.report()));
        if let Err(problem) = told {
            slot.complain(format!("w:on(\"{what}\"): {problem}"));
        }
    };
    match slot.world.hook(&name, Box::new(hook)) {
        Some(id) => {
            cx.push_number(id as f64);
            Ok(Returns::ONE)
        }
        None => {
            let known = Notice::NAMES.join(", ");
            Err(format!("w:on: nothing is called \"{name}\"; there are {known}").into())
        }
    }
}

fn off(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    slot(cx, &director)?.world.unhook(cx.number(2)? as u64);
    Ok(Returns::NONE)
}

/// What went wrong in functions the test gave the world, as texts.
fn problems(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let problems = slot(cx, &director)?.problems();
    cx.push(&Value::array(problems.into_iter().map(Value::from)));
    Ok(Returns::ONE)
}

/// A notice as specs read it.
fn shown(notice: &Notice, slot: &SharedSlot, director: &Director) -> Result<Value, Raise> {
    let about = |side: Side, mut fields: Vec<(&'static str, Value)>| {
        fields.push(("side", Value::from(slot.world.side_name(side))));
        fields.push(("index", Value::Number(number_of(side))));
        fields.push(("t", Value::Number(slot.world.now().seconds())));
        Value::record(fields)
    };
    Ok(match notice {
        Notice::Send(packet) => about(packet.from, vec![("packet", describe(packet, slot, director)?)]),
        Notice::Arrive { packet, side, queued } => about(
            *side,
            vec![("packet", describe(packet, slot, director)?), ("queued", Value::Boolean(*queued))],
        ),
        Notice::Drop { packet, side, why } => about(
            *side,
            vec![("packet", describe(packet, slot, director)?), ("why", Value::from(why.name()))],
        ),
        Notice::Join { side, name } => about(*side, vec![("name", Value::from(name.clone()))]),
        Notice::Leave { side, name, reason } => {
            about(*side, vec![("name", Value::from(name.clone())), ("reason", Value::from(reason.clone()))])
        }
        Notice::Frame { side, dt } => about(
            *side,
            vec![
                ("dt", Value::Number(dt.seconds())),
                ("frame", Value::Number(slot.world.frame(*side) as f64)),
            ],
        ),
        Notice::Log(line) => about(
            line.side,
            vec![
                ("level", Value::from(super::sides::level_name(line.level))),
                ("text", Value::from(line.text.clone())),
                ("script", line.script.clone().map_or(Value::Nil, Value::from)),
            ],
        ),
    })
}
