//! `TweenService`: properties that go to a value over virtual time. Engine pages: classes/TweenService, classes/Tween
//! and datatypes/TweenInfo, checked August 2026.
//!
//! Tweens move once a frame, where waiting threads resume. The last one to play takes a property from any other.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use super::easing::eased;
use crate::clock::Time;
use crate::datamodel::classes::{enum_item, known_class};
use crate::datamodel::dispatch;
use crate::datamodel::instance::{instance, this};
use crate::datamodel::members::{EventRef, Member, event, method, property};
use crate::datatypes::{Datatype, Rect, TweenInfo, vector2};
use crate::peer::Peer;
use crate::scheduler::{call_after, fire};
use crate::value::{InstanceId, Value};
use crate::vm::{Cx, Outcome, Raise, Returns};

/// What scripts can use.
pub const MEMBERS: &[Member] = &[
    method(
        "TweenService",
        "Create(instance: any, tweenInfo: TweenInfo, propertyTable: table) -> Tween",
        create,
    ),
    method(
        "TweenService",
        "GetValue(alpha: number, easingStyle: EnumItem, easingDirection: EnumItem) -> number",
        get_value,
    ),
    method("TweenBase", "Play()", play),
    method("TweenBase", "Pause()", pause),
    method("TweenBase", "Cancel()", cancel),
    event("TweenBase", "Completed(playbackState: Enum.PlaybackState)"),
    property("TweenBase", "PlaybackState", |peer, id| Ok(state_item(tweens(peer).state(id)))),
    property("Tween", "Instance", |peer, id| {
        Ok(tweens(peer).of(id, |tween| Value::Instance(tween.target)).unwrap_or(Value::Nil))
    }),
    property("Tween", "TweenInfo", |peer, id| {
        Ok(tweens(peer).of(id, |tween| Value::Datatype(tween.info.into())).unwrap_or(Value::Nil))
    }),
];

static COMPLETED: EventRef = EventRef::new("TweenBase", "Completed");

/// `Enum.PlaybackState`, as far as tweens reach it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Begin,
    Playing,
    Paused,
    Completed,
    Cancelled,
}

fn state_item(state: State) -> Value {
    enum_item("PlaybackState", &format!("{state:?}")).map_or(Value::Nil, Value::EnumItem)
}

struct Tween {
    target: InstanceId,
    info: TweenInfo,
    goals: Vec<(String, Value)>,
    /// Where each property was when the tween began to play.
    from: Vec<Value>,
    state: State,
    /// Virtual time it has played for, up to `since`.
    played: Time,
    since: Time,
}

/// The tweens of one side.
#[derive(Default)]
struct Tweens {
    list: RefCell<BTreeMap<InstanceId, Tween>>,
    ticking: Cell<bool>,
}

fn tweens(peer: &Peer) -> Rc<Tweens> {
    peer.part_or_default::<Tweens>()
}

impl Tweens {
    fn of<R>(&self, id: InstanceId, look: impl FnOnce(&Tween) -> R) -> Option<R> {
        self.list.borrow().get(&id).map(look)
    }

    fn state(&self, id: InstanceId) -> State {
        self.of(id, |tween| tween.state).unwrap_or(State::Begin)
    }
}

/// `TweenService:Create(instance, info, goals)`.
///
/// Errors: a property the instance does not have, or a goal of another type.
fn create(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    let peer = cx.peer();
    let target = instance(cx, 1)?;
    let Value::Datatype(Datatype::TweenInfo(info)) = cx.shallow(2)? else {
        return Err(Raise::new("TweenService:Create expects a TweenInfo as its second argument"));
    };
    let mut goals = Vec::new();
    cx.each(3, |key, value| {
        goals.push((cx.text(key)?, cx.shallow(value)?));
        Ok(())
    })?;
    goals.sort_by(|a, b| a.0.cmp(&b.0));
    let class = peer.data_model().store().class(target).name();
    for (name, goal) in &goals {
        let now = dispatch::read(&peer, target, name)
            .map_err(|_| format!("TweenService:Create no property named '{name}' for object '{class}'"))?;
        if now.type_name() != goal.type_name() || between(&now, goal, 0.5).is_none() {
            return Err(Raise::new(format!(
                "TweenService:Create property named '{name}' cannot be tweened due to type mismatch (property is a \
                 '{}', but given type is '{}')",
                now.type_name(),
                goal.type_name()
            )));
        }
    }
    let id = peer.data_model().store_mut().create(known_class("Tween"));
    let tween = Tween {
        target,
        info,
        goals,
        from: Vec::new(),
        state: State::Begin,
        played: Time::ZERO,
        since: Time::ZERO,
    };
    tweens(&peer).list.borrow_mut().insert(id, tween);
    cx.push_instance(id);
    Ok(Returns::ONE)
}

fn play(cx: &mut Cx<'_>) -> Outcome {
    let id = this(cx)?;
    let peer = cx.peer();
    let tweens = tweens(&peer);
    let Some((target, names, state)) = tweens.of(id, |tween| {
        (tween.target, tween.goals.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>(), tween.state)
    }) else {
        return Ok(Returns::NONE);
    };
    if state == State::Playing {
        return Ok(Returns::NONE);
    }
    let rivals: Vec<InstanceId> = {
        let list = tweens.list.borrow();
        let shares = |tween: &Tween| tween.goals.iter().any(|(name, _)| names.contains(name));
        let rivals = list.iter().filter(|(other, tween)| {
            **other != id && tween.state == State::Playing && tween.target == target && shares(tween)
        });
        rivals.map(|(other, _)| *other).collect()
    };
    for rival in rivals {
        end(&peer, rival, State::Cancelled);
    }
    let from: Vec<Value> =
        names.iter().map(|name| dispatch::read(&peer, target, name).unwrap_or(Value::Nil)).collect();
    if let Some(tween) = tweens.list.borrow_mut().get_mut(&id) {
        // A paused tween goes on from where it was; any other begins anew.
        if state != State::Paused {
            tween.from = from;
            tween.played = Time::ZERO;
        }
        tween.state = State::Playing;
        tween.since = peer.clock.now();
    }
    keep_ticking(&peer, &tweens);
    Ok(Returns::NONE)
}

fn pause(cx: &mut Cx<'_>) -> Outcome {
    let id = this(cx)?;
    let peer = cx.peer();
    if let Some(tween) = tweens(&peer).list.borrow_mut().get_mut(&id)
        && tween.state == State::Playing
    {
        tween.state = State::Paused;
    }
    Ok(Returns::NONE)
}

fn cancel(cx: &mut Cx<'_>) -> Outcome {
    let id = this(cx)?;
    let peer = cx.peer();
    if matches!(tweens(&peer).state(id), State::Playing | State::Paused) {
        end(&peer, id, State::Cancelled);
    }
    Ok(Returns::NONE)
}

fn end(peer: &Rc<Peer>, id: InstanceId, state: State) {
    if let Some(tween) = tweens(peer).list.borrow_mut().get_mut(&id) {
        tween.state = state;
    }
    fire(peer, COMPLETED.on(id), [state_item(state)]);
}

/// Moves the playing tweens in every frame, as long as there are any.
fn keep_ticking(peer: &Rc<Peer>, tweens: &Rc<Tweens>) {
    if !tweens.ticking.replace(true) {
        call_after(peer, 0.0, tick);
    }
}

fn tick(peer: &Rc<Peer>) {
    let tweens = tweens(peer);
    tweens.ticking.set(false);
    let playing: Vec<InstanceId> = {
        let list = tweens.list.borrow();
        list.iter().filter(|(_, tween)| tween.state == State::Playing).map(|(id, _)| *id).collect()
    };
    for id in playing {
        advance(peer, &tweens, id);
    }
    if tweens.list.borrow().values().any(|tween| tween.state == State::Playing) {
        keep_ticking(peer, &tweens);
    }
}

fn advance(peer: &Rc<Peer>, tweens: &Rc<Tweens>, id: InstanceId) {
    let now = peer.clock.now();
    let (target, values, done) = {
        let mut list = tweens.list.borrow_mut();
        // One that played before it in this frame may have ended it.
        let Some(tween) = list.get_mut(&id).filter(|tween| tween.state == State::Playing) else { return };
        tween.played += now - tween.since;
        tween.since = now;
        let (share, done) = share_at(&tween.info, tween.played.seconds());
        let alpha = eased(share, tween.info.easing_style, tween.info.easing_direction);
        let values: Vec<(String, Value)> = tween
            .goals
            .iter()
            .zip(&tween.from)
            .filter_map(|((name, goal), from)| Some((name.clone(), between(from, goal, alpha)?)))
            .collect();
        (tween.target, values, done)
    };
    for (name, value) in values {
        // The instance may have lost the right to be written since; the engine says nothing either.
        let _ = dispatch::write(peer, target, &name, value);
    }
    if done {
        end(peer, id, State::Completed);
    }
}

/// The share of a run's time at `played` seconds of a tween, and whether the tween is over.
fn share_at(info: &TweenInfo, played: f64) -> (f64, bool) {
    let (time, delay) = (f64::from(info.time).max(0.0), f64::from(info.delay_time).max(0.0));
    let there_and_back = if info.reverses { time * 2.0 } else { time };
    let cycle = delay + there_and_back;
    let last = if info.reverses { 0.0 } else { 1.0 };
    // Frames do not end at the exact moment: what is less than a microsecond away is there.
    let played = played + 1e-6;
    if cycle <= 0.0 {
        return (last, info.repeat_count >= 0);
    }
    let run = (played / cycle).floor();
    if info.repeat_count >= 0 && run > f64::from(info.repeat_count) {
        return (last, true);
    }
    let moving = played - run * cycle - delay;
    if moving <= 0.0 || time <= 0.0 {
        return (0.0, false);
    }
    let share = moving / time;
    (if share <= 1.0 { share } else { (2.0 - share).max(0.0) }, false)
}

/// The value `alpha` of the way between two of one type; `None` for a type that cannot be tweened.
fn between(from: &Value, goal: &Value, alpha: f64) -> Option<Value> {
    let part = alpha as f32;
    Some(match (from, goal) {
        (Value::Number(from), Value::Number(goal)) => Value::Number(from + (goal - from) * alpha),
        (Value::Boolean(from), Value::Boolean(goal)) => {
            Value::Boolean(if alpha < 1.0 { *from } else { *goal })
        }
        (Value::Vector(from), Value::Vector(goal)) => {
            let mut moved = *from;
            for (value, goal) in moved.iter_mut().zip(goal) {
                *value += (goal - *value) * part;
            }
            Value::Vector(moved)
        }
        (Value::Datatype(from), Value::Datatype(goal)) => Value::Datatype(match (from, goal) {
            (Datatype::CFrame(from), Datatype::CFrame(goal)) => from.lerp(goal, part).into(),
            (Datatype::Color3(from), Datatype::Color3(goal)) => from.lerp(*goal, part).into(),
            (Datatype::UDim(from), Datatype::UDim(goal)) => from.lerp(*goal, part).into(),
            (Datatype::UDim2(from), Datatype::UDim2(goal)) => from.lerp(*goal, part).into(),
            (Datatype::Vector2(from), Datatype::Vector2(goal)) => vector2::lerp(*from, *goal, part).into(),
            (Datatype::Rect(from), Datatype::Rect(goal)) => Rect {
                min: vector2::lerp(from.min, goal.min, part),
                max: vector2::lerp(from.max, goal.max, part),
            }
            .into(),
            _ => return None,
        }),
        _ => return None,
    })
}

/// `TweenService:GetValue(alpha, style, direction)`.
fn get_value(cx: &mut Cx<'_>) -> Outcome {
    this(cx)?;
    let alpha = cx.number(1)?.clamp(0.0, 1.0);
    let item = |index: i32, list: &str| match cx.shallow(index)? {
        Value::EnumItem(item) => Ok(item.value),
        name @ Value::String(_) => enum_item(list, &name.to_string())
            .map(|item| item.value)
            .ok_or_else(|| Raise::new(format!("Invalid value \"{name}\" for enum {list}"))),
        other => Err(Raise::new(format!("Unable to cast {} to token", other.type_name()))),
    };
    let (style, direction) = (item(2, "EasingStyle")?, item(3, "EasingDirection")?);
    cx.push_number(eased(alpha, style, direction));
    Ok(Returns::ONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tween_waits_runs_and_repeats() {
        let info =
            TweenInfo { time: 2.0, delay_time: 1.0, repeat_count: 1, reverses: true, ..TweenInfo::default() };
        let at = |seconds: f64| {
            let (share, done) = share_at(&info, seconds);
            ((share * 100.0).round() / 100.0, done)
        };
        assert_eq!(at(0.5), (0.0, false));
        assert_eq!(at(2.0), (0.5, false));
        assert_eq!(at(4.0), (0.5, false));
        assert_eq!(at(5.5), (0.0, false));
        assert_eq!(at(7.0), (0.5, false));
        assert_eq!(at(10.0), (0.0, true));
        let ever = TweenInfo { repeat_count: -1, ..TweenInfo::default() };
        assert!(!share_at(&ever, 1e6).1);
    }

    #[test]
    fn values_of_one_type_have_a_middle() {
        assert_eq!(between(&Value::Number(1.0), &Value::Number(3.0), 0.5), Some(Value::Number(2.0)));
        let (low, high) = (Value::Vector([0.0; 3]), Value::Vector([2.0; 3]));
        assert_eq!(between(&low, &high, 0.5), Some(Value::Vector([1.0; 3])));
        assert_eq!(between(&Value::Number(1.0), &low, 0.5), None);
        assert_eq!(between(&Value::string("a"), &Value::string("b"), 0.5), None);
    }
}
