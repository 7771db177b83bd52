//! Natives about a world: making it, moving its time, players coming and going, what is expected of it.

use super::building::{BUILDING_OPTIONS, nets, world_options};
use super::links::links;
use super::options::Options;
use super::sides::{SharedSlot, client_index};
use crate::clock::Time;
use crate::network::LinkSettings;
use crate::shared::{DiagnosticCode, Side};
use crate::testing::director::Director;
use crate::value::Value;
use crate::vm::{Cx, NativeFn, Outcome, Raise, Returns};
use crate::world::{JoinOptions, LeaveHow, Loading, Phase, World, WorldError};
use blinkblox_compiler::diagnostics::counted;

/// Names as the Luau half calls them.
pub const NATIVES: &[(&str, NativeFn)] = &[
    ("newWorld", new_world),
    ("start", start),
    ("join", join),
    ("leave", leave),
    ("step", step),
    ("advance", advance),
    ("settle", settle),
    ("stepPhase", step_phase),
    ("now", now),
    ("frame", frame),
    ("setTime", set_time),
    ("setPaused", set_paused),
    ("shutdown", shutdown),
    ("expectError", expect_error),
    ("expectDiagnostic", expect_diagnostic),
    ("diagnostics", diagnostics),
    ("trace", trace),
    ("mark", mark),
];

/// A world's refusal as an error of the spec.
pub fn wrong(error: WorldError) -> Raise {
    Raise::new(error.to_string())
}

/// The world of argument 1.
pub fn slot(cx: &Cx<'_>, director: &Director) -> Result<SharedSlot, Raise> {
    Ok(director.worlds.get(cx.number(1)? as u32)?)
}

/// The side of a number the Luau half uses: 0 for the server, clients from 1.
pub fn side_of(number: f64) -> Side {
    if number < 1.0 { Side::Server } else { Side::Client(number as u32 - 1) }
}

/// The number the Luau half uses for a side.
pub fn number_of(side: Side) -> f64 {
    match side {
        Side::Server => 0.0,
        Side::Client(index) => f64::from(index) + 1.0,
    }
}

/// The world and side of arguments 1 and 2.
pub fn slot_and_side(cx: &Cx<'_>, director: &Director) -> Result<(SharedSlot, Side), Raise> {
    Ok((slot(cx, director)?, side_of(cx.number(2)?)))
}

/// The same, for what makes a side run something. Errors: it is the server of a universe and runs no more.
pub fn slot_and_running_side(cx: &Cx<'_>, director: &Director) -> Result<(SharedSlot, Side), Raise> {
    let (slot, side) = slot_and_side(cx, director)?;
    if side.is_server() {
        slot.world.check_running().map_err(wrong)?;
    }
    Ok((slot, side))
}

/// What a world alone takes.
const WORLD_OPTIONS: &[&str] = &["clients", "join", "load"];

fn new_world(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let known = [WORLD_OPTIONS, BUILDING_OPTIONS].concat();
    let options = Options::read("test.world", cx.value(1)?, &known)?;
    let (wanted, built) = world_options(&options, &director, None)?;
    let world = World::new(wanted).map_err(wrong)?;
    let net = nets(&built);
    built.describe(&mut world.core().trace_mut());
    let number = director.worlds.add(world, built);
    cx.push_number(f64::from(number));
    cx.push(&net);
    cx.push_number(f64::from(director.options.world.clients));
    Ok(Returns::Values(3))
}

const JOIN_OPTIONS: &[&str] = &[
    "name",
    "userId",
    "displayName",
    "net",
    "fps",
    "clock",
    "beforeScripts",
    "loading",
    "character",
    "joinData",
];

/// Runs the server's scripts, as opening a game does.
fn start(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    slot(cx, &director)?.world.start();
    Ok(Returns::NONE)
}

fn join(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let slot = slot(cx, &director)?;
    let options = Options::read("join", cx.value(2)?, JOIN_OPTIONS)?;
    let mut wanted = JoinOptions {
        name: options.text("name")?,
        user_id: options.number("userId")?.map(|id| id as i64),
        display_name: options.text("displayName")?,
        fps: options.number("fps")?,
        before_scripts: options.boolean("beforeScripts")?.unwrap_or(false),
        character: options.boolean("character")?,
        join_data: options.table("joinData")?.map(Value::Table),
        ..JoinOptions::default()
    };
    if let Some(value) = options.get("net") {
        let (up, down) = links(&LinkSettings::default(), value)?;
        (wanted.up, wanted.down) = (Some(up), Some(down));
    }
    if let Some(clock) = options.get("clock") {
        let clock = Options::read("join: clock", clock.clone(), &["offset", "drift"])?;
        wanted.clock_offset = Time::from_seconds(clock.number("offset")?.unwrap_or(0.0));
        wanted.clock_drift = clock.number("drift")?.unwrap_or(0.0);
    }
    wanted.loading = match options.text("loading")?.as_deref() {
        None | Some("instant") => Loading::Instant,
        Some("link") => Loading::Link,
        Some(other) => {
            return Err(format!("join: loading is \"instant\" or \"link\", not \"{other}\"").into());
        }
    };
    let index = slot.world.join(wanted).map_err(wrong)?;
    let name = slot
        .world
        .core()
        .member(Side::Client(index))
        .map_or_else(String::new, |member| member.name.to_string());
    cx.push_number(number_of(Side::Client(index)));
    cx.push_string(name);
    Ok(Returns::Values(2))
}

fn leave(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let (slot, side) = slot_and_side(cx, &director)?;
    let how = LeaveHow::named(&cx.text(3)?).map_err(|problem| format!("leave: {problem}"))?;
    slot.world.leave(client_index(side)?, how).map_err(wrong)?;
    Ok(Returns::NONE)
}

/// Frames that run between two looks at the limits of a test.
const STRETCH: u64 = 600;

/// Errors: the test has no time left to move a world on by so many seconds.
fn check_limit(director: &Director, world: &World, seconds: f64) -> Result<(), Raise> {
    let most = director.options.most_seconds.unwrap_or(f64::INFINITY);
    if director.worlds.taken(world) + seconds > most {
        return Err(format!(
            "the test takes more than {}; --timeout allows more",
            counted(most, "virtual second")
        )
        .into());
    }
    // Frames in which no script runs are no resumption that the clock could end.
    if director.options.deadline.is_expired() {
        return Err("the test's real time is up; --wall-timeout allows more".into());
    }
    Ok(())
}

fn step(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let slot = slot(cx, &director)?;
    let length = cx.opt_number(3)?;
    let mut left = cx.integer(2)?.max(0) as u64;
    while left > 0 {
        check_limit(&director, &slot.world, 0.0)?;
        let count = left.min(STRETCH);
        match length {
            None => slot.world.step(count).map_err(wrong)?,
            Some(length) => {
                for _ in 0..count {
                    slot.world.step_by(Time::from_seconds(length)).map_err(wrong)?;
                }
            }
        }
        left -= count;
    }
    Ok(Returns::NONE)
}

fn advance(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let slot = slot(cx, &director)?;
    let seconds = cx.number(2)?;
    if !(seconds >= 0.0 && seconds.is_finite()) {
        return Err(format!(
            "world:advance takes seconds of at least 0, not {seconds}: time goes forward only"
        )
        .into());
    }
    check_limit(&director, &slot.world, seconds)?;
    slot.world.advance(Time::from_seconds(seconds)).map_err(wrong)?;
    Ok(Returns::NONE)
}

fn settle(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let slot = slot(cx, &director)?;
    check_limit(&director, &slot.world, 0.0)?;
    slot.world.settle(Time::from_seconds(cx.number(2)?)).map_err(wrong)?;
    Ok(Returns::NONE)
}

fn step_phase(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let (slot, side) = slot_and_side(cx, &director)?;
    let name = cx.text(3)?;
    let phase = Phase::from_name(&name).ok_or_else(|| {
        let known: Vec<_> = Phase::ALL.iter().map(|phase| phase.name()).collect();
        format!("there is no phase \"{name}\"; a frame has {}", known.join(", "))
    })?;
    slot.world.step_phase(side, phase).map_err(wrong)?;
    Ok(Returns::NONE)
}

fn now(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    cx.push_number(slot(cx, &director)?.world.now().seconds());
    Ok(Returns::ONE)
}

fn frame(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    cx.push_number(slot(cx, &director)?.world.frame(Side::Server) as f64);
    Ok(Returns::ONE)
}

fn set_time(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let options = Options::read("setTime", cx.value(2)?, &["unix", "server"])?;
    if let Some(unix) = options.number("unix")? {
        slot(cx, &director)?.world.set_unix_start(unix);
    }
    // What the server's clock is to show now.
    if let Some(server) = options.number("server")? {
        let world = &slot(cx, &director)?.world;
        world.set_unix_start(server - world.now().seconds());
    }
    Ok(Returns::NONE)
}

fn set_paused(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    slot(cx, &director)?.world.set_paused(cx.boolean(2)?);
    Ok(Returns::NONE)
}

/// Whether all functions given to `BindToClose` ended in time.
fn shutdown(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let ended = slot(cx, &director)?.world.shutdown(&cx.text(2)?).map_err(wrong)?;
    cx.push_boolean(ended);
    Ok(Returns::ONE)
}

fn expect_error(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    slot(cx, &director)?.expect_error(cx.text(2)?);
    Ok(Returns::NONE)
}

fn expect_diagnostic(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let code = cx.text(2)?;
    if DiagnosticCode::named(&code).is_none() {
        let known = DiagnosticCode::ALL.iter().map(|code| code.name()).collect::<Vec<_>>().join(", ");
        return Err(format!("there is no diagnostic \"{code}\"; there are {known}").into());
    }
    slot(cx, &director)?.expect_diagnostic(code);
    Ok(Returns::NONE)
}

fn diagnostics(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let slot = slot(cx, &director)?;
    slot.read_diagnostics();
    let rows = slot.world.diagnostics().into_iter().map(|diagnostic| {
        Value::record([
            ("code", Value::from(diagnostic.code.name())),
            ("text", Value::from(diagnostic.text)),
            ("side", Value::from(diagnostic.side.to_string())),
        ])
    });
    cx.push(&Value::array(rows));
    Ok(Returns::ONE)
}

fn trace(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    let text = slot(cx, &director)?.world.trace().to_text();
    cx.push_string(text);
    Ok(Returns::ONE)
}

fn mark(cx: &mut Cx<'_>) -> Outcome {
    let director = Director::of(cx)?;
    slot(cx, &director)?.world.mark(&cx.text(2)?);
    Ok(Returns::NONE)
}
