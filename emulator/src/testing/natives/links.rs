//! Natives about links: their settings, cuts, flapping, bursts of loss.

use super::options::Options;
use super::sides::client_index;
use super::world::{slot_and_side, wrong};
use crate::clock::Time;
use crate::network::{LinkSettings, LinkValue, Way};
use crate::testing::director::Director;
use crate::value::{Table, Value};
use crate::vm::{Cx, NativeFn, Outcome, Raise, Returns};

/// Names as the Luau half calls them.
pub const NATIVES: &[(&str, NativeFn)] = &[
    ("setLink", set_link),
    ("cutLink", cut_link),
    ("flapLink", flap_link),
    ("burstLink", burst_link),
    ("mendLink", mend_link),
];

/// Link settings: a preset's name, or parameters over `base`.
pub fn link(base: LinkSettings, value: &Value) -> Result<LinkSettings, Raise> {
    match value {
        Value::String(_) => {
            let name = value.to_string();
            LinkSettings::preset(&name).ok_or_else(|| {
                let known = crate::network::PRESETS.join(", ");
                Raise::new(format!("there is no network called \"{name}\"; there are {known}"))
            })
        }
        Value::Table(table) => {
            let mut settings = base;
            for (key, value) in &table.pairs {
                settings.set(&key.to_string(), &link_value(value)?)?;
            }
            Ok(settings)
        }
        other => Err(format!("link settings are a table or a name, not a {}", other.type_name()).into()),
    }
}

fn link_value(value: &Value) -> Result<LinkValue, Raise> {
    Ok(match value {
        Value::Number(number) => LinkValue::Number(*number),
        Value::String(_) => LinkValue::Text(value.to_string()),
        Value::Table(table) if table.pairs.is_empty() => {
            LinkValue::List(table.array.iter().filter_map(Value::as_number).collect())
        }
        Value::Table(_) => {
            const PARTS: [&str; 4] = ["p", "r", "lossGood", "lossBad"];
            let options = Options::read("lossModel", value.clone(), &PARTS)?;
            let mut parts = [0.0; 4];
            for (part, name) in parts.iter_mut().zip(PARTS) {
                *part = options.number(name)?.unwrap_or(0.0);
            }
            LinkValue::Gilbert(parts)
        }
        other => return Err(format!("a link parameter cannot be a {}", other.type_name()).into()),
    })
}

/// Settings of both directions: `{ up = {...}, down = {...} }`, or one for both.
pub fn links(base: &LinkSettings, value: &Value) -> Result<(LinkSettings, LinkSettings), Raise> {
    if let Value::Table(table) = value {
        let (up, down) = (direction(table, "up"), direction(table, "down"));
        if up.is_some() || down.is_some() {
            let one =
                |value: Option<&Value>| value.map_or(Ok(base.clone()), |value| link(base.clone(), value));
            return Ok((one(up)?, one(down)?));
        }
    }
    let both = link(base.clone(), value)?;
    Ok((both.clone(), both))
}

fn direction<'a>(table: &'a Table, name: &str) -> Option<&'a Value> {
    crate::testing::kit::field(table, name)
}

fn set_link(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let (slot, side) = slot_and_side(cx, &director)?;
    let client = client_index(side)?;
    let now = slot.world.link_settings(client, Way::Up).map_err(wrong)?;
    let (up, down) = links(&now, &cx.value(3)?)?;
    slot.world.set_links(client, &up, &down).map_err(wrong)?;
    Ok(Returns::NONE)
}

fn cut_link(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let (slot, side) = slot_and_side(cx, &director)?;
    slot.world.cut_link(client_index(side)?, Time::from_seconds(cx.number(3)?)).map_err(wrong)?;
    Ok(Returns::NONE)
}

fn flap_link(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let (slot, side) = slot_and_side(cx, &director)?;
    let (down, up, times) = flap(cx.value(3)?)?;
    let (down, up) = (Time::from_seconds(down), Time::from_seconds(up));
    slot.world.flap_link(client_index(side)?, down, up, times).map_err(wrong)?;
    Ok(Returns::NONE)
}

fn burst_link(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let (slot, side) = slot_and_side(cx, &director)?;
    let (loss, seconds) = burst(cx.value(3)?)?;
    slot.world.burst_link(client_index(side)?, loss, Time::from_seconds(seconds)).map_err(wrong)?;
    Ok(Returns::NONE)
}

fn mend_link(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let (slot, side) = slot_and_side(cx, &director)?;
    slot.world.mend_link(client_index(side)?).map_err(wrong)?;
    Ok(Returns::NONE)
}

/// How a link flaps: seconds down, seconds up, times over.
fn flap(options: Value) -> Result<(f64, f64, u32), Raise> {
    let options = Options::read("flap", options, &["down", "up", "times"])?;
    let down = options.number("down")?.ok_or("flap needs down: seconds without a connection")?;
    let times = options.number("times")?.unwrap_or(1.0).max(0.0);
    // Every one of them is a window that the link looks at for each packet.
    if times > 10_000.0 {
        return Err("flap takes at most 10000 times".into());
    }
    Ok((down, options.number("up")?.unwrap_or(down), times as u32))
}

/// A burst of loss: probability and seconds.
fn burst(options: Value) -> Result<(f64, f64), Raise> {
    let options = Options::read("burst", options, &["loss", "for"])?;
    let seconds = options.number("for")?.ok_or("burst needs for: seconds it lasts")?;
    Ok((options.number("loss")?.unwrap_or(1.0), seconds))
}
